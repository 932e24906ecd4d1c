#!/usr/bin/env python3
"""Operators that a library brings (`--plugin`): converted, compared, folded, replaced, refused.

  plugin_test.py WEFT CXX INCLUDE
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEFT, CXX, INCLUDE = sys.argv[1:4]
del sys.argv[1:4]
SOURCE = pathlib.Path(__file__).with_name("plugin_operators.cpp")
value = helper.make_tensor_value_info
FLOAT = TensorProto.FLOAT


def run(*arguments):
    return subprocess.run(list(map(str, arguments)), capture_output=True, timeout=120, text=True)


def setUpModule():
    global FOLDER, PLUGIN
    holder = tempfile.TemporaryDirectory()
    unittest.addModuleCleanup(holder.cleanup)
    FOLDER = pathlib.Path(holder.name)
    PLUGIN = FOLDER / "operators.so"
    built = run(CXX, "-std=c++17", "-O1", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared", f"-I{INCLUDE}", SOURCE,
                "-o", PLUGIN)
    assert built.returncode == 0, built.stderr


def model(nodes, inputs, outputs, initializers=(), opset=17):
    return helper.make_model(helper.make_graph(nodes, "g", inputs, outputs, list(initializers)),
                             opset_imports=[helper.make_opsetid("", opset), helper.make_opsetid("com.example", 1)],
                             ir_version=8)


def scaled(shape=(2, 3, 5, 40), **attributes):
    """Weft's own ops before and after the operator of the plugin."""
    return model([helper.make_node("Relu", ["x"], ["a"], name="first"),
                  helper.make_node("Scaled", ["a"], ["b"], name="scale", domain="com.example", **attributes),
                  helper.make_node("Abs", ["b"], ["y"], name="last")],
                 [value("x", FLOAT, shape)], [value("y", FLOAT, shape)])


class Plugin(unittest.TestCase):
    def save(self, onnx_model):
        (FOLDER / "m.onnx").write_bytes(onnx_model.SerializeToString())
        return FOLDER / "m.onnx"

    def convert(self, onnx_model, *flags, code=0, plugin=True):
        result = run(WEFT, "convert", self.save(onnx_model), "-o", FOLDER / "m.bmodel", *flags,
                     *(["--plugin", PLUGIN] if plugin else []))
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr

    def run_model(self, **inputs):
        np.savez(FOLDER / "in.npz", **inputs)
        result = run(WEFT, "run", FOLDER / "m.bmodel", "--input", FOLDER / "in.npz", "--output", FOLDER / "out.npz")
        self.assertEqual(result.returncode, 0, result.stderr)
        return dict(np.load(FOLDER / "out.npz"))

    def test_kernel_runs_inside_a_model(self):
        x = np.random.default_rng(1).standard_normal((2, 3, 5, 40)).astype(np.float32)
        expected = 3 * np.maximum(x, 0)
        for precision, bound in (("f32", 2 ** -24), ("f16", 2 ** -10), ("bf16", 2 ** -7)):
            # One rounding of the input and one of the product; exact otherwise. bf16: the library has no kernel for it,
            # the float one computes, between casts.
            self.convert(scaled(alpha=3.0), "--precision", precision)
            got = self.run_model(x=x)["y"]
            self.assertTrue(np.all(np.abs(got - expected) <= 2 * bound * np.abs(expected)), precision)

    def test_float_reference_is_what_compare_goes_by(self):
        self.convert(scaled(alpha=1.5))
        np.savez(FOLDER / "in.npz", x=np.linspace(-2, 2, 1200, dtype=np.float32).reshape(2, 3, 5, 40))
        arguments = [WEFT, "compare", FOLDER / "m.onnx", FOLDER / "m.bmodel", "--input", FOLDER / "in.npz", "--per-layer"]
        result = run(*arguments, "--plugin", PLUGIN)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("pass 'b'", result.stdout)
        result = run(*arguments)
        self.assertEqual(result.returncode, 2)
        self.assertIn("operator Scaled of domain 'com.example'; write it as a kernel and give its library with --plugin",
                      result.stderr)

    def test_kernel_that_is_not_its_reference_is_found(self):
        """The program is what the compiler makes of the model: the fault is in what it makes of an operation, at every level."""
        wrong = scaled()
        wrong.graph.node[1].op_type = "Imprecise"
        self.convert(wrong)
        np.savez(FOLDER / "in.npz", x=np.linspace(-2, 2, 1200, dtype=np.float32).reshape(2, 3, 5, 40))
        result = run(WEFT, "compare", FOLDER / "m.onnx", FOLDER / "m.bmodel", "--input", FOLDER / "in.npz", "--plugin", PLUGIN, "--bisect", "--json")
        self.assertEqual(result.returncode, 1, result.stderr)
        found = json.loads(result.stdout)["bisection"]
        self.assertEqual((found["stage"], found["cause"], [node["name"] for node in found["nodes"]]), ("emission", "wrong numbers", ["scale"]))
        self.assertEqual(found["value"]["name"], "b")
        # The factor, not the store of what it gives.
        self.assertIn("arith.mul", found["command"]["text"])
        self.assertIn("opd1_addr=0x40001062", found["command"]["text"])

    def test_int8_calibrates_through_the_reference(self):
        (FOLDER / "data").mkdir(exist_ok=True)
        x = np.random.default_rng(2).standard_normal((1, 3, 8, 8)).astype(np.float32)
        np.savez(FOLDER / "data" / "a.npz", x=x)
        weights = np.random.default_rng(3).standard_normal((4, 3, 1, 1)).astype(np.float32)
        convolved = model([helper.make_node("Scaled", ["x"], ["s"], name="scale", domain="com.example", alpha=0.5),
                           helper.make_node("Conv", ["s", "w"], ["y"], name="conv")],
                          [value("x", FLOAT, (1, 3, 8, 8))], [value("y", FLOAT, (1, 4, 8, 8))],
                          [numpy_helper.from_array(weights, "w")])
        self.convert(convolved, "--precision", "int8", "--calibration-data", FOLDER / "data")
        got = self.run_model(x=x)["y"].ravel()
        expected = np.einsum("oi,nihw->nohw", weights[:, :, 0, 0], 0.5 * x).ravel()
        # 8 bits: a cosine of 0.999 is a noise of 4 % of the signal, three times that of 1/127 steps on both factors.
        self.assertGreater(got @ expected / np.linalg.norm(got) / np.linalg.norm(expected), 0.999)

    def test_constant_operands_are_folded_by_the_reference(self):
        numbers = numpy_helper.from_array(np.arange(6, dtype=np.float32).reshape(2, 3), "c")
        folded = model([helper.make_node("Scaled", ["c"], ["s"], domain="com.example", alpha=10.0),
                        helper.make_node("Add", ["x", "s"], ["y"])],
                       [value("x", FLOAT, (2, 3))], [value("y", FLOAT, (2, 3))], [numbers])
        self.convert(folded)
        got = self.run_model(x=np.ones((2, 3), np.float32))["y"]
        np.testing.assert_array_equal(got, 1 + 10 * np.arange(6, dtype=np.float32).reshape(2, 3))

    def test_several_results_optional_inputs_and_integers(self):
        for has_second in (True, False):
            inputs = ["x", "z" if has_second else "", "k"]
            split = model([helper.make_node("Split", inputs, ["s", "i"], name="split", domain="com.example")],
                          [value("x", FLOAT, (4, 9)), value("z", FLOAT, (4, 9)), value("k", TensorProto.INT64, (7,))],
                          [value("s", FLOAT, (4, 9)), value("i", TensorProto.INT32, (7, 2))])
            self.convert(split)
            x = np.arange(36, dtype=np.float32).reshape(4, 9)
            k = np.array([5, -3, 0, 2 ** 31 - 1, -2 ** 31, 1, 2])
            got = self.run_model(x=x, z=x / 4, k=k)
            np.testing.assert_array_equal(got["s"], x + (x / 4 if has_second else 1))
            np.testing.assert_array_equal(got["i"], np.stack([k, k], 1).astype(np.int32))

    def test_scratch_memory_of_a_kernel(self):
        nodes = [helper.make_node("Positions", ["x"], ["p", "n"], name="first", domain="com.example"),
                 helper.make_node("Positions", ["p"], ["q", "m"], name="second", domain="com.example")]
        value32 = lambda name, shape: value(name, TensorProto.INT32, shape)  # noqa: E731
        self.convert(model(nodes, [value32("x", (50,))], [value32(name, shape) for name, shape in
                                                          (("p", (50,)), ("n", (1,)), ("q", (50,)), ("m", (1,)))]))
        x = np.random.default_rng(4).integers(0, 2, 50).astype(np.int32)
        got = self.run_model(x=x)
        for source, places, count in ((x, "p", "n"), (got["p"], "q", "m")):
            expected = np.flatnonzero(source)
            np.testing.assert_array_equal(got[places], np.pad(expected, (0, 50 - len(expected))))
            self.assertEqual(got[count], len(expected))

    def test_library_replaces_a_built_in_operator_at_its_opsets(self):
        x = np.linspace(-5, 5, 64, dtype=np.float32).reshape(4, 16)
        for opset, replaced in ((17, True), (22, False)):
            negated = model([helper.make_node("Neg", ["x"], ["y"])], [value("x", FLOAT, (4, 16))],
                            [value("y", FLOAT, (4, 16))], opset=opset)
            self.convert(negated)
            shown = run(WEFT, "convert", FOLDER / "m.onnx", "-o", "-", "--emit", "tpu", "--plugin", PLUGIN).stdout
            self.assertEqual("tpu.custom" in shown, replaced)
            np.testing.assert_array_equal(self.run_model(x=x)["y"], -x)

    def test_stages_of_several_shapes(self):
        several = model([helper.make_node("Scaled", ["x"], ["y"], domain="com.example")],
                        [value("x", FLOAT, ("n", 8))], [value("y", FLOAT, ("n", 8))])
        self.convert(several, "--shape", "x=(2|4)x8")
        for rows in (2, 4):
            x = np.full((rows, 8), rows, np.float32)
            np.testing.assert_array_equal(self.run_model(x=x)["y"], 2 * x)

    def refused(self, mistake, *expected):
        wrong = model([helper.make_node("Wrong", ["x"], ["y"], name="oops", domain="com.example", mistake=mistake)],
                      [value("x", FLOAT, (2, 8))], [value("y", FLOAT, (2, 8))])
        text = self.convert(wrong, code=2)
        for part in (f"m.onnx: node 0 'oops' (Wrong, opset 1): plugin {PLUGIN}: ", *expected):
            self.assertIn(part, text)
        self.assertEqual(text.count("weft: error:"), 1, text)

    def test_mistakes_of_kernels_name_node_library_and_line(self):
        lines = SOURCE.read_text().splitlines()
        line = 1 + next(i for i, text in enumerate(lines) if "tiu::fadd(x, x, y)" in text)
        self.refused("refuses", "kernel: only even sizes; pad x")
        self.refused("index", "kernel: input -1 is missing; the node has 1")
        self.refused("pointer", "kernel: input 0 has 16 elements, not those of the shape 1x1x1x7")
        self.refused("shapes", f"{SOURCE.name}:{line}: ppl::tiu::fadd: ")
        self.refused("memory", "local memory")
        line = 1 + next(i for i, text in enumerate(lines) if "dma::store(input.sub_view" in text)
        self.refused("stores", f"{SOURCE.name}:{line}: dma.store writes an input of the node, which other nodes may read")

    def test_shape_function_refuses_a_node(self):
        text = self.convert(scaled(shape=(7,)), code=2)
        self.assertIn(f"node 1 'scale' (Scaled, opset 1): plugin {PLUGIN}: shape function: x has rank 1, must be 2 or more",
                      text)

    def test_attributes_of_a_wrong_kind(self):
        text = self.convert(scaled(alpha="three"), code=2)
        self.assertIn("attribute 'alpha' must be a float", text)
        text = self.convert(scaled(alpha=numpy_helper.from_array(np.ones(2))), code=2)
        self.assertIn("unsupported: attribute 'alpha' of the kind TENSOR", text)

    def test_libraries_that_are_none(self):
        path = self.save(scaled())
        cases = {"missing.so": "missing.so cannot be opened: ", str(PLUGIN): "which " + str(PLUGIN) + " brings, too"}
        for library, expected in cases.items():
            result = run(WEFT, "convert", path, "-o", FOLDER / "m.bmodel", "--plugin", PLUGIN, "--plugin", library)
            self.assertEqual(result.returncode, 2)
            self.assertIn(expected, result.stderr)
        (FOLDER / "empty.cpp").write_text('#include "ppl/plugin.h"\n')
        run(CXX, "-std=c++17", "-fPIC", "-shared", f"-I{INCLUDE}", FOLDER / "empty.cpp", "-o", FOLDER / "empty.so")
        result = run(WEFT, "convert", path, "-o", FOLDER / "m.bmodel", "--plugin", FOLDER / "empty.so")
        self.assertIn("brings no operator; include ppl/plugin.h and use PPL_OPERATOR", result.stderr)


if __name__ == "__main__":
    unittest.main()

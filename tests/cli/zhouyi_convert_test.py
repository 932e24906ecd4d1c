#!/usr/bin/env python3
"""From ONNX to a program of vector operations and through every command.

  zhouyi_convert_test.py WEFT
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import ml_dtypes
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

WEFT = sys.argv.pop(1)


def weft(*arguments):
    return subprocess.run([WEFT, *map(str, arguments)], capture_output=True, timeout=200, text=True)


def small_cnn():
    """Conv, Relu, MaxPool, Conv, Add, Gemm: 13 channels and 9x7 pixels leave tails everywhere."""
    dice = np.random.default_rng(11)

    def weights(name, *shape):
        return numpy_helper.from_array((dice.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32), name)

    nodes = [helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], name="first", pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["c1"], ["r1"], name="relu"),
             helper.make_node("MaxPool", ["r1"], ["p1"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
             helper.make_node("Conv", ["p1", "w2", "b2"], ["c2"], name="second", pads=[1, 1, 1, 1]),
             helper.make_node("Add", ["c2", "p1"], ["a2"], name="skip"),
             helper.make_node("Flatten", ["a2"], ["f"], name="flatten"),
             helper.make_node("Gemm", ["f", "w3", "b3"], ["y"], name="classes", transB=1)]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "cnn", [value("x", TensorProto.FLOAT, [1, 3, 9, 7])],
                              [value("y", TensorProto.FLOAT, [1, 10])],
                              [weights("w1", 13, 3, 3, 3), weights("b1", 13), weights("w2", 13, 13, 3, 3),
                               weights("b2", 13), weights("w3", 10, 13 * 4 * 3), weights("b3", 10)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def graph_of(nodes, inputs, outputs, initializers=()):
    """Inputs and outputs as name: (type, shape)."""
    def values(table):
        return [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in table.items()]

    return helper.make_model(helper.make_graph(nodes, "g", values(inputs), values(outputs), list(initializers)),
                             opset_imports=[helper.make_opsetid("", 16)], ir_version=8)


class SmallModels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.dice = np.random.default_rng(13)

    def convert(self, model, *options, code=0, target="zhouyi"):
        onnx.save(model, self.folder / "m.onnx")
        result = weft("convert", self.folder / "m.onnx", "-o", self.folder / "m.zyp", "--target", target, *options)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr

    def check_host_remarks(self, text, nodes):
        """Nothing is said but that these nodes stay on the host."""
        found = [re.search(r"remark: .*: node \d+ '(\w+)' .*stays on the host: .*; \d+ bytes come from the chip, \d+ go to it", line)
                 for line in text.splitlines()]
        self.assertEqual([match and match[1] for match in found], nodes, text)

    def run_both(self, **inputs):
        """What the program and ONNX Runtime make of the inputs."""
        np.savez(self.folder / "in.npz", **inputs)
        result = weft("run", self.folder / "m.zyp", "-i", self.folder / "in.npz", "-o", self.folder / "out.npz")
        self.assertEqual(result.returncode, 0, result.stderr)
        options = onnxruntime.SessionOptions()
        # On CPUs without VNNI ONNX Runtime saturates sums of two products of bytes at 16 bits, unless its optimizations avoid it.
        options.add_session_config_entry("session.x64quantprecision", "1")
        session = onnxruntime.InferenceSession(str(self.folder / "m.onnx"), options, providers=["CPUExecutionProvider"])
        wanted = dict(zip([output.name for output in session.get_outputs()], session.run(None, inputs)))
        ours = dict(np.load(self.folder / "out.npz"))
        self.assertEqual(list(ours), list(wanted))
        for name, array in wanted.items():
            self.assertEqual((ours[name].dtype, ours[name].shape), (array.dtype, array.shape))
        return ours, wanted

    def host_calls(self):
        told = json.loads(weft("info", self.folder / "m.zyp", "--json").stdout)
        return told["nets"][0]["stages"][0]["host"]["operations"]

    def test_integers_are_divided_on_the_host(self):
        for kind, attributes in (("Div", {}), ("Mod", {}), ("Mod", {"fmod": 1})):
            for number, name in ((TensorProto.INT32, "int32"), (TensorProto.INT8, "int8")):
                with self.subTest(kind=kind, number=name, **attributes):
                    # The sum before is the machine's: only the quotient leaves it.
                    nodes = [helper.make_node("Add", ["x", "y"], ["s"], name="sum"),
                             helper.make_node(kind, ["s", "y"], ["z"], name="quotient", **attributes)]
                    model = graph_of(nodes, {"x": (number, [5, 9]), "y": (number, [5, 9])}, {"z": (number, [5, 9])})
                    self.check_host_remarks(self.convert(model), ["quotient"])
                    x = self.dice.integers(-60, 60, (5, 9)).astype(name)
                    y = self.dice.choice(np.array([-7, -2, -1, 1, 2, 3, 60]), (5, 9)).astype(name)
                    ours, wanted = self.run_both(x=x, y=y)
                    np.testing.assert_array_equal(ours["z"], wanted["z"])
                    refused = self.convert(model, "--no-host", code=2)
                    self.assertEqual(refused.count("error:"), 1, refused)
                    self.assertIn(f"node 1 'quotient' ({kind}, opset 16): unsupported: 'xor' of bits, which it needs", refused)
                    self.assertIn("; the host can compute it, convert without --no-host", refused)

    def test_functions_behind_functions_are_found_at_once(self):
        nodes = []
        for i in range(12):
            nodes.append(helper.make_node("Sigmoid", [f"v{i}"], [f"s{i}"], name=f"sigmoid{i}"))
            nodes.append(helper.make_node("Mul", [f"v{i}", f"s{i}"], [f"v{i + 1}"], name=f"product{i}"))
        model = graph_of(nodes, {"v0": (TensorProto.FLOAT, [3, 11])}, {"v12": (TensorProto.FLOAT, [3, 11])})
        self.check_host_remarks(self.convert(model), [f"sigmoid{i}" for i in range(12)])
        ours, wanted = self.run_both(v0=self.dice.uniform(-4, 9, (3, 11)).astype(np.float32))
        np.testing.assert_allclose(ours["v12"], wanted["v12"], rtol=1e-5, atol=1e-6)
        refused = self.convert(model, "--no-host", code=2)
        self.assertEqual(refused.count("error:"), 12, refused)

    def test_says_only_what_the_host_cannot_do_either(self):
        nodes = [helper.make_node("Sigmoid", ["x"], ["s"], name="function"),
                 helper.make_node("NonZero", ["s"], ["y"], name="places")]
        model = graph_of(nodes, {"x": (TensorProto.FLOAT, [2, 3])}, {"y": (TensorProto.INT64, [2, "k"])})
        refused = self.convert(model, code=2)
        self.assertEqual(refused.count("error:"), 1, refused)
        self.assertIn("'y' of type", refused)

    def half_model(self):
        """Conv, Relu, Max with a constant, Sigmoid (the host's), Gemm; all of float16."""
        def weights(name, *shape):
            return numpy_helper.from_array((self.dice.standard_normal(shape) / 4).astype(np.float16), name)

        nodes = [helper.make_node("Conv", ["x", "w1", "b1"], ["c"], name="conv", pads=[1, 1, 1, 1]),
                 helper.make_node("Relu", ["c"], ["r"], name="relu"),
                 helper.make_node("Max", ["r", "low"], ["m"], name="max"),
                 helper.make_node("Sigmoid", ["m"], ["s"], name="sigmoid"),
                 helper.make_node("Flatten", ["s"], ["f"], name="flatten"),
                 helper.make_node("Gemm", ["f", "w2", "b2"], ["y"], name="gemm", transB=1)]
        half = TensorProto.FLOAT16
        return graph_of(nodes, {"x": (half, [2, 3, 5, 7])}, {"r": (half, [2, 5, 5, 7]), "y": (half, [2, 9])},
                        [weights("w1", 5, 3, 3, 3), weights("b1", 5), weights("low", 1), weights("w2", 9, 175), weights("b2", 9)])

    def test_models_of_float16(self):
        model = self.half_model()
        for precision in ("f32", "f16"):
            with self.subTest(precision=precision):
                self.convert(model, "--precision", precision)
                ours, wanted = self.run_both(x=self.dice.standard_normal((2, 3, 5, 7)).astype(np.float16))
                for name, array in wanted.items():
                    np.testing.assert_allclose(ours[name].astype(np.float32), array.astype(np.float32), rtol=4e-3, atol=4e-3)
                self.assertEqual([call["kernel"] for call in self.host_calls()], ["unary"])
                layers = weft("compare", self.folder / "m.onnx", self.folder / "m.zyp", "-i", self.folder / "in.npz", "--per-layer", "--json")
                self.assertEqual(layers.returncode, 0, layers.stderr + layers.stdout)
                self.assertIn("m", [row["name"] for row in json.loads(layers.stdout)["layers"]])

    def test_values_of_bf16_are_moved_and_widened(self):
        brain = ml_dtypes.bfloat16
        constant = self.dice.standard_normal((3, 5)).astype(brain)
        c = helper.make_tensor("c", TensorProto.BFLOAT16, [3, 5], constant.tobytes(), raw=True)
        nodes = [helper.make_node("Transpose", ["x"], ["t"], name="turn", perm=[1, 0]),
                 helper.make_node("Add", ["t", "c"], ["a"], name="sum"),
                 helper.make_node("Relu", ["a"], ["y"], name="relu"),
                 helper.make_node("Cast", ["f"], ["b"], name="narrow", to=TensorProto.BFLOAT16),
                 helper.make_node("Cast", ["b"], ["w"], name="widen", to=TensorProto.FLOAT)]
        half, single = TensorProto.BFLOAT16, TensorProto.FLOAT
        self.assertEqual(self.convert(graph_of(nodes, {"x": (half, [5, 3]), "f": (single, [2, 33])},
                                               {"y": (half, [3, 5]), "w": (single, [2, 33])}, [c]), "--no-host"), "")
        x = (self.dice.standard_normal((5, 3)) * 4).astype(brain)
        f = self.dice.standard_normal((2, 33)).astype(np.float32)
        np.savez(self.folder / "in.npz", x=x.astype(np.float32), f=f)
        result = weft("run", self.folder / "m.zyp", "-i", self.folder / "in.npz", "-o", self.folder / "out.npz")
        self.assertEqual(result.returncode, 0, result.stderr)
        outputs = np.load(self.folder / "out.npz")
        wanted = np.maximum(x.T.astype(np.float32) + constant.astype(np.float32), 0).astype(brain)
        np.testing.assert_array_equal(outputs["y"], wanted.astype(np.float32))
        np.testing.assert_array_equal(outputs["w"], f.astype(brain).astype(np.float32))

    def test_elements_below_a_byte_and_small_floats_pass_between_kernels(self):
        """float8 and uint4 inside of a model and as outputs, doubles beside a product of f16."""
        single, eight, four = TensorProto.FLOAT, TensorProto.FLOAT8E4M3FN, TensorProto.UINT4
        numbers = [numpy_helper.from_array(np.array(0.25, np.float32), "s"), helper.make_tensor("z", four, [], [3]),
                   numpy_helper.from_array((self.dice.standard_normal((80, 70)) / 9).astype(np.float32), "w")]
        nodes = [helper.make_node("Cast", ["x"], ["e"], name="narrow", to=eight),
                 helper.make_node("Cast", ["e"], ["y"], name="widen", to=single),
                 helper.make_node("QuantizeLinear", ["x", "s", "z"], ["u"], name="quantize"),
                 helper.make_node("DequantizeLinear", ["u", "s", "z"], ["d"], name="dequantize"),
                 helper.make_node("MatMul", ["x", "w"], ["p"], name="product"),
                 helper.make_node("Cast", ["p"], ["q"], name="double", to=TensorProto.DOUBLE)]
        model = graph_of(nodes, {"x": (single, [3, 80])},
                         {"e": (eight, [3, 80]), "y": (single, [3, 80]), "d": (single, [3, 80]), "q": (TensorProto.DOUBLE, [3, 70])}, numbers)
        model.opset_import[0].version = 21
        model.ir_version = 10
        x = self.dice.standard_normal((3, 80)).astype(np.float32)
        narrow = x.astype(ml_dtypes.float8_e4m3fn)
        for precision in ("f32", "f16"):
            with self.subTest(precision=precision):
                self.convert(model, "--precision", precision)
                np.savez(self.folder / "in.npz", x=x)
                result = weft("run", self.folder / "m.zyp", "-i", self.folder / "in.npz", "-o", self.folder / "out.npz")
                self.assertEqual(result.returncode, 0, result.stderr)
                ours = np.load(self.folder / "out.npz")
                np.testing.assert_array_equal(ours["e"], narrow.view(np.uint8))
                np.testing.assert_array_equal(ours["y"], narrow.astype(np.float32))
                np.testing.assert_array_equal(ours["d"], (np.clip(np.rint(x / 0.25) + 3, 0, 15) - 3) * 0.25)
                self.assertEqual(ours["q"].dtype, np.float64)
                np.testing.assert_allclose(ours["q"], x @ numpy_helper.to_array(numbers[2]), atol=4e-3)

    def test_quantization_at_run_time_is_exact_at_every_precision(self):
        """Its scales and sums have more range and digits than the f16 that int8 leaves floats in."""
        weights = numpy_helper.from_array(self.dice.integers(-127, 128, (41, 23), dtype=np.int8), "w")
        scale, bias = (numpy_helper.from_array((self.dice.random(shape) * size).astype(np.float32), name)
                       for shape, size, name in (((), 0.01, "s"), ((23,), 1, "b")))
        nodes = [helper.make_node("DynamicQuantizeLinear", ["x"], ["q", "qs", "qz"], name="quantize"),
                 helper.make_node("MatMulInteger", ["q", "w", "qz"], ["m"], name="product"),
                 helper.make_node("Cast", ["m"], ["f"], name="cast", to=TensorProto.FLOAT),
                 helper.make_node("Mul", ["qs", "s"], ["t"], name="scales"),
                 helper.make_node("Mul", ["f", "t"], ["g"], name="scaled"),
                 helper.make_node("Add", ["g", "b"], ["y"], name="bias")]
        single, byte = TensorProto.FLOAT, TensorProto.UINT8
        model = graph_of(nodes, {"x": (single, [5, 41])}, {"q": (byte, [5, 41]), "qz": (byte, []), "y": (single, [5, 23])},
                         [weights, scale, bias])
        x = (self.dice.standard_normal((5, 41)) * 3).astype(np.float32)
        (self.folder / "samples").mkdir()
        np.savez(self.folder / "samples" / "0.npz", x=x)
        for options in ([], ["--precision", "f16"], ["--precision", "int8", "--calibration-data", self.folder / "samples"]):
            for target in ("zhouyi", "bm1684x"):
                with self.subTest(target=target, options=options[:2]):
                    self.convert(model, *options, target=target)
                    ours, wanted = self.run_both(x=x)
                    for name, array in wanted.items():
                        np.testing.assert_array_equal(ours[name], array)

    def test_precision_f16_is_computed_in_f16_or_says_that_it_is_not(self):
        def product(rows, columns):
            weights = (self.dice.standard_normal((rows, columns)) / np.sqrt(rows)).astype(np.float32)
            return graph_of([helper.make_node("MatMul", ["x", "w"], ["y"], name="product")], {"x": (TensorProto.FLOAT, [4, rows])},
                            {"y": (TensorProto.FLOAT, [4, columns])}, [numpy_helper.from_array(weights, "w")])

        program = self.folder / "m.zyp"
        self.assertEqual(self.convert(product(131, 67), "--precision", "f16"), "")
        words = json.loads(weft("info", program, "--json").stdout)["nets"][0]["stages"][0]["instructions"]["by_name"]
        self.assertIn("vfmae", words)
        halves = program.stat().st_size
        x = self.dice.standard_normal((4, 131)).astype(np.float32)
        ours, wanted = self.run_both(x=x)
        np.testing.assert_allclose(ours["y"], wanted["y"], atol=4e-3)
        self.assertFalse(np.array_equal(ours["y"], wanted["y"]))
        self.convert(product(131, 67))
        self.assertLess(halves, 0.6 * program.stat().st_size)
        # Few weights stay f32, as for chips; the user is told.
        self.assertIn("remark: ", self.convert(product(13, 7), "--precision", "f16"))
        self.assertEqual(self.convert(product(13, 7)), "")


class Convert(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        onnx.save(small_cnn(), cls.folder / "m.onnx")
        dice = np.random.default_rng(12)
        (cls.folder / "samples").mkdir()
        for sample in range(4):
            np.savez(cls.folder / "samples" / f"{sample}.npz", x=dice.standard_normal((1, 3, 9, 7)).astype(np.float32))
        cls.input = cls.folder / "samples" / "0.npz"
        for target in ("zhouyi", "bm1684x"):
            cls.convert(target, f"m.{target}")

    @classmethod
    def convert(cls, target, name):
        result = weft("convert", cls.folder / "m.onnx", "-o", cls.folder / name, "--target", target, "--precision",
                      "int8", "--calibration-data", cls.folder / "samples",
                      "--asymmetric", "off")  # the vector machine has no zero points
        assert result.returncode == 0, result.stderr
        return (cls.folder / name).read_bytes()

    def outputs(self, name):
        result = weft("run", self.folder / name, "-i", self.input, "-o", self.folder / "out.npz")
        self.assertEqual(result.returncode, 0, result.stderr)
        return dict(np.load(self.folder / "out.npz"))

    def test_gives_the_bits_that_the_chip_gives(self):
        ours, chips = self.outputs("m.zhouyi"), self.outputs("m.bm1684x")
        self.assertEqual(list(ours), list(chips))
        self.assertEqual(ours["y"].dtype, chips["y"].dtype)
        self.assertEqual(ours["y"].tobytes(), chips["y"].tobytes())
        self.assertGreater(len(np.unique(ours["y"])), 3)

    def test_gives_the_same_file_every_time(self):
        self.assertEqual(self.convert("zhouyi", "again.zyp"), (self.folder / "m.zhouyi").read_bytes())

    def test_compares_with_onnx_layer_by_layer(self):
        result = weft("compare", self.folder / "m.onnx", self.folder / "m.zhouyi", "-i", self.input, "--per-layer",
                      "--json")
        told = json.loads(result.stdout)
        self.assertEqual((result.returncode, told["passed"]), (0, True), result.stderr)
        compared = {row["name"]: row for row in told["layers"]}
        for name in ("p1", "a2"):
            self.assertIn(name, compared)
            # 8 bits a value: far above what a value in a wrong layout or of a wrong scale gives.
            self.assertGreater(compared[name]["cosine"], 0.995, name)

    def test_names_the_nodes(self):
        commands = json.loads(weft("disasm", self.folder / "m.zhouyi", "--json").stdout)["commands"]
        nodes = {node for command in commands for node in command["nodes"]}
        for name in ("first", "second", "classes"):
            self.assertTrue(any(name in node for node in nodes), f"{name} of {sorted(nodes)}")
        told = json.loads(weft("info", self.folder / "m.zhouyi", "--json").stdout)
        words = told["nets"][0]["stages"][0]["instructions"]["by_name"]
        self.assertGreater(words["vqdpa"]["executed"], 100)


if __name__ == "__main__":
    unittest.main()

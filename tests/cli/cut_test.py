#!/usr/bin/env python3
"""Parts of models, batches and single axes: --inputs, --outputs, --batch and --shape x[0]=N; tables of the vendor's compiler.

  cut_test.py WEFT
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnx.reference
from onnx import TensorProto, helper, numpy_helper

WEFT = sys.argv[1]


def run(*arguments):
    return subprocess.run([WEFT, *map(str, arguments)], capture_output=True, text=True, timeout=280,
                          env=os.environ | {"WEFT_PYTHON": sys.executable})


def small_model(batch=1):
    """x -> Conv a -> Relu b -> Conv c -> Softmax y; b -> Split p, q -> Mul z."""
    rng = np.random.default_rng(0)
    weights = [numpy_helper.from_array(rng.standard_normal(shape, np.float32) * 0.3, name) for name, shape in
               (("w1", (8, 3, 3, 3)), ("w2", (4, 8, 1, 1)))]
    nodes = [helper.make_node("Conv", ["x", "w1"], ["a"], name="first", pads=[1] * 4), helper.make_node("Relu", ["a"], ["b"]),
             helper.make_node("Conv", ["b", "w2"], ["c"]), helper.make_node("Softmax", ["c"], ["y"], axis=1),
             helper.make_node("Split", ["b"], ["p", "q"], axis=1, num_outputs=2), helper.make_node("Mul", ["p", "q"], ["z"])]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "small", [value("x", TensorProto.FLOAT, [batch, 3, 16, 16])],
                              [value("y", TensorProto.FLOAT, None), value("z", TensorProto.FLOAT, None)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


class Conversions(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.model = self.folder / "m.onnx"
        self.save(small_model())

    def save(self, model):
        onnx.save(model, self.model)
        self.proto = model

    def convert(self, *options):
        return run("convert", self.model, *options, "-o", self.folder / "m.bmodel")

    def image(self, *shape):
        return np.random.default_rng(1).standard_normal(shape, np.float32)


class Cuts(Conversions):
    def values(self, *names, **inputs):
        """What ONNX's reference gives for values of the graph, from `inputs` that may be values of it, too."""
        extractor = onnx.utils.Extractor(onnx.shape_inference.infer_shapes(self.proto))
        part = extractor.extract_model(list(inputs), list(names))
        return onnx.reference.ReferenceEvaluator(part).run(list(names), inputs)

    def check(self, names, inputs, *options):
        """Converts with `options`, runs on `inputs` and holds the outputs `names` against the reference."""
        done = self.convert(*options)
        self.assertEqual(done.returncode, 0, done.stderr)
        np.savez(self.folder / "in.npz", **inputs)
        done = run("run", self.folder / "m.bmodel", "--input", self.folder / "in.npz", "--output", self.folder / "out.npz")
        self.assertEqual(done.returncode, 0, done.stderr)
        with np.load(self.folder / "out.npz") as got:
            self.assertEqual(sorted(got.files), sorted(names))
            for name, want in zip(names, self.values(*names, **inputs)):
                np.testing.assert_allclose(got[name], want, rtol=1e-5, atol=1e-5)  # f32 sums of 27 products, in another order
        # The program tells which part it is of; compare needs no option.
        done = run("compare", self.model, self.folder / "m.bmodel", "--input", self.folder / "in.npz", "--per-layer")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_outputs_may_be_any_values(self):
        self.check(["c"], {"x": self.image(1, 3, 16, 16)}, "--outputs", "c")
        self.check(["y", "a"], {"x": self.image(1, 3, 16, 16)}, "--outputs", "y,a")
        self.check(["z", "b"], {"x": self.image(1, 3, 16, 16)}, "--outputs", "z", "--outputs", "b")

    def test_inputs_may_be_any_values(self):
        self.check(["y", "z"], {"b": self.image(1, 8, 16, 16)}, "--inputs", "b")
        self.check(["y"], {"c": self.image(1, 4, 16, 16)}, "--inputs", "c", "--outputs", "y")
        self.check(["z"], {"p": self.image(1, 4, 16, 16), "q": self.image(1, 4, 16, 16)}, "--inputs", "p,q", "--outputs", "z")

    def test_a_node_may_give_an_input_and_more(self):
        """q is fed, p comes from the same Split."""
        done = self.convert("--inputs", "b,q", "--outputs", "z")
        self.assertEqual(done.returncode, 0, done.stderr)
        b, q = self.image(1, 8, 16, 16), self.image(1, 4, 16, 16) + 1
        np.savez(self.folder / "in.npz", b=b, q=q)
        run("run", self.folder / "m.bmodel", "--input", self.folder / "in.npz", "--output", self.folder / "out.npz")
        np.testing.assert_array_equal(np.load(self.folder / "out.npz")["z"], b[:, :4] * q)

    def test_sizes_of_new_inputs_may_be_others(self):
        done = self.convert("--inputs", "b", "--outputs", "c", "--shape", "b=2x8x20x24")
        self.assertEqual(done.returncode, 0, done.stderr)
        stage = json.loads(run("info", self.folder / "m.bmodel", "--json").stdout)["nets"][0]["stages"][0]
        self.assertEqual([tensor["shape"] for tensor in stage["inputs"] + stage["outputs"]], [[2, 8, 20, 24], [2, 4, 20, 24]])

    def test_a_new_input_may_be_a_constant(self):
        np.savez(self.folder / "q.npz", q=np.full((1, 4, 16, 16), 3, np.float32))
        done = self.convert("--inputs", "p,q", "--outputs", "z", "--bind", f"q={self.folder / 'q.npz'}")
        self.assertEqual(done.returncode, 0, done.stderr)
        np.savez(self.folder / "p.npz", p=self.image(1, 4, 16, 16))
        run("run", self.folder / "m.bmodel", "--input", self.folder / "p.npz", "--output", self.folder / "out.npz")
        np.testing.assert_array_equal(np.load(self.folder / "out.npz")["z"], self.image(1, 4, 16, 16) * 3)

    def test_what_cannot_be_read_may_be_cut_off(self):
        """A node of a domain that nobody knows, in front and behind."""
        model = small_model()
        model.opset_import.append(helper.make_opsetid("vendor", 1))
        model.graph.node[0].input[0] = "decoded"
        model.graph.node.insert(0, helper.make_node("Decode", ["x"], ["decoded"], domain="vendor"))
        model.graph.node.append(helper.make_node("Boxes", ["y"], ["boxes"], domain="vendor"))
        model.graph.output.append(helper.make_tensor_value_info("boxes", TensorProto.FLOAT, [10, 4]))
        self.save(model)
        self.assertEqual(self.convert().returncode, 2)
        done = self.convert("--inputs", "decoded", "--outputs", "y", "--shape", "decoded=1x3x16x16")
        self.assertIn("the type of 'decoded', which --inputs names, is not known", done.stderr)
        model.graph.value_info.append(helper.make_tensor_value_info("decoded", TensorProto.FLOAT, None))
        self.save(model)
        done = self.convert("--inputs", "decoded", "--outputs", "y", "--shape", "decoded=1x3x16x16")
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_names_may_hold_commas(self):
        model = small_model()
        for node in model.graph.node:
            for list_ in (node.input, node.output):
                for i, name in enumerate(list_):
                    list_[i] = "b,c" if name == "b" else name
        self.save(model)
        self.check(["b,c", "a"], {"x": self.image(1, 3, 16, 16)}, "--outputs", "b,c", "--outputs", "a")

    def test_errors_name_what_is_meant(self):
        for options, text in (
                (["--inputs", "q", "--outputs", "z"], "the outputs also need input 'x', which --inputs does not name; name it, too, or the values "
                                                      "that are made of it"),
                (["--inputs", "b,x", "--outputs", "y"], "--inputs names 'x', which the outputs do not need; leave it out"),
                (["--outputs", "y,first"], "--outputs names 'first', which is a node; name a value that it makes: 'a'"),
                (["--outputs", "nope"], "--outputs names 'nope', which is no value of the model"),
                (["--outputs", "c,,y"], "--outputs has an empty name; write NAME,NAME"),
                (["--outputs", "c", "--outputs", "c"], "--outputs names 'c' twice"),
                (["--batch", "two"], "--batch 'two': size 'two' is not a positive number; write a number, or several as 1..8 or (1|2|4)"),
                (["--batch", "2", "--inputs", "p,q", "--outputs", "z", "--shape", "p=1x4x16x16", "--shape", "q=1x4x16x16"],
                 "--batch finds no input whose first axis the model leaves open or fixes to 1"),
                (["--batch", "2", "--shape", "x=1x3x16x16"], "axis 0 of input 'x' is given two sizes, 2 by --batch and 1 by --shape x; leave one"),
                (["--batch", "2", "--shape", "x[0]=4"], "axis 0 of input 'x' is given two sizes, 4 by --shape x[0] and 2 by --batch; leave one"),
                (["--shape", "x[2]=32"], "--shape gives dimension 2 of input 'x' the size 32, the model fixes it to 16"),
                (["--shape", "x[7]=32"], "--shape names 'x[7]', but input 'x' has the axes 0 to 3")):
            done = self.convert(*options)
            self.assertEqual(done.returncode, 2, (options, done.stderr))
            self.assertIn(text, done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
            self.assertFalse((self.folder / "m.bmodel").exists())

    def test_values_inside_of_nodes_cannot_be_named(self):
        body = helper.make_graph([helper.make_node("Neg", ["y"], ["inner"])], "then", [], [helper.make_tensor_value_info("inner", 1, None)])
        model = small_model()
        model.graph.initializer.append(numpy_helper.from_array(np.array(True), "yes"))
        model.graph.node.append(helper.make_node("If", ["yes"], ["w"], name="choice", then_branch=body, else_branch=body))
        model.graph.output.append(helper.make_tensor_value_info("w", TensorProto.FLOAT, None))
        self.save(model)
        done = self.convert("--outputs", "inner")
        self.assertIn("--outputs names 'inner', which is inside of node 6 'choice' (If); only values of the main graph can be named", done.stderr)
        # What such a graph reads is needed, too.
        self.assertEqual(self.convert("--inputs", "c", "--outputs", "w").returncode, 0)
        c = self.image(1, 4, 16, 16)
        np.savez(self.folder / "in.npz", c=c)
        run("run", self.folder / "m.bmodel", "--input", self.folder / "in.npz", "--output", self.folder / "out.npz")
        want = -np.exp(c) / np.exp(c).sum(1, keepdims=True)
        np.testing.assert_allclose(np.load(self.folder / "out.npz")["w"], want, rtol=1e-5, atol=1e-6)  # f32, exp of 2 ulp

    def test_batches(self):
        for batch in (1, "n"):
            self.save(small_model(batch))
            self.check(["y", "z"], {"x": self.image(4, 3, 16, 16)}, "--batch", 4)
        done = self.convert("--batch", "1..4", "--json")
        self.assertEqual(json.loads(done.stdout)["stages"], 3)
        self.assertEqual(json.loads(done.stdout)["largest_padded_batch"], 4)
        self.check(["y", "z"], {"x": self.image(2, 3, 16, 16)}, "--shape", "x[0]=2")
        self.save(small_model(1))
        done = self.convert("--batch", 4)
        self.assertIn("the model fixes the first axis of input 'x' to 1, here it is 4", done.stderr)

    def test_calibration_goes_to_the_part(self):
        np.savez(self.folder / "b.npz", b=np.abs(self.image(1, 8, 16, 16)))
        (self.folder / "samples").mkdir()
        (self.folder / "b.npz").rename(self.folder / "samples" / "b.npz")
        part = ("--inputs", "b", "--outputs", "c")
        done = run("calibrate", self.model, *part, "--data", self.folder / "samples", "-o", self.folder / "table")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.convert(*part, "--precision", "int8", "--keep-int8", "--calibration", self.folder / "table")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = run("compare", self.model, self.folder / "m.bmodel", "--input", self.folder / "samples" / "b.npz", "--bisect")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("bisection: none", done.stdout)

    def test_onnx_runtime_gives_the_outputs_of_a_part(self):
        self.convert("--outputs", "c,z")
        np.savez(self.folder / "in.npz", x=self.image(1, 3, 16, 16))
        arguments = ("compare", self.model, self.folder / "m.bmodel", "--input", self.folder / "in.npz", "--reference", "onnxruntime")
        for more in ([], ["--per-layer"]):
            done = run(*arguments, *more)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("output pass 'c'", done.stdout)
        self.convert("--inputs", "b")
        np.savez(self.folder / "in.npz", b=self.image(1, 8, 16, 16))
        done = run(*arguments)
        self.assertEqual(done.returncode, 2)
        self.assertIn("ONNX Runtime takes no values of the graph in place of its inputs", done.stderr)


class VendorTables(Conversions):
    RANGES = ("# genetated time: 2023-02-28 07:34:16\n# histogram number: 2048\n# sample number: 8\n###\n# op_name    threshold    min    max\n"
              "x 3.0000000 -3.0000000 2.5000000\na_Conv 4.0 -4.0 3.9\nb_Relu 3.9 0.0 3.9\nc_Conv 2.5 -2.5 2.4\n"
              "y_Softmax 1.0 0.0 1.0\n%s#int4_th\nx 1.0 -3.0 2.5\n#asym_op\nx\n")

    def table(self, text):
        (self.folder / "vendor_table").write_text(text)
        return self.folder / "vendor_table"

    def info(self):
        return json.loads(run("info", self.folder / "m.bmodel", "--json").stdout)["nets"][0]["stages"][0]

    def test_ranges(self):
        done = self.convert("--precision", "int8", "--keep-int8", "--quantized-io", "--asymmetric", "off", "--calibration", self.table(self.RANGES % ""))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        tensors = {tensor["name"]: tensor for key in ("inputs", "outputs") for tensor in self.info()[key]}
        self.assertAlmostEqual(tensors["x"]["scale"], 127 / 3, places=3)
        np.savez(self.folder / "in.npz", x=self.image(1, 3, 16, 16))
        done = run("compare", self.model, self.folder / "m.bmodel", "--input", self.folder / "in.npz", "--bisect")
        self.assertIn("bisection: none", done.stdout, done.stderr)  # the table in the file makes the same program again

    def test_entries_of_nothing(self):
        done = self.convert("--precision", "int8", "--keep-int8", "--calibration", self.table(self.RANGES % "other_Conv 1.0 0.0 1.0\n"))
        self.assertIn("has entries of no value of the ONNX graph: 'other_Conv'", done.stderr)

    def test_precisions(self):
        table = self.table("# sample number: 8\n###\n# op_name   quantize_mode\nc_Conv F16\nother_Add F32\n")
        done = self.convert("--precision", "int8", "--calibration", self.ranges(), "--precision-table", table)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the precision table names 'other_Add', which this model does not have", done.stderr)
        np.savez(self.folder / "in.npz", x=self.image(1, 3, 16, 16))
        done = run("compare", self.model, self.folder / "m.bmodel", "--input", self.folder / "in.npz", "--bisect")
        self.assertIn("bisection: none", done.stdout, done.stderr)

    def ranges(self):
        (self.folder / "ranges").write_text(self.RANGES % "")
        return self.folder / "ranges"

    def test_forms_of_other_editors(self):
        """Modes in small letters, and the mark that some editors begin a text with."""
        table = self.table("\ufeff# op_name   quantize_mode\nc_Conv f16\n")
        (self.folder / "marked").write_text("\ufeff" + self.RANGES % "")
        done = self.convert("--precision", "int8", "--calibration", self.folder / "marked", "--precision-table", table)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_what_is_wrong_has_a_line(self):
        first = "# op_name    threshold    min    max\nx 1.0 zero 1.0\n"
        for text, line in ((first, "vendor_table:2: an entry of TPU-MLIR's calibration table is a name"),
                           (self.RANGES % "y_Relu 1.0 zero 1.0\n", "vendor_table:11: an entry of TPU-MLIR's calibration table is a name"),
                           (self.RANGES % "x 1.0 0.0 1.0\n", "vendor_table:11: second entry for 'x'")):
            done = self.convert("--precision", "int8", "--calibration", self.table(text))
            self.assertEqual(done.returncode, 2)
            self.assertIn(line, done.stderr)
        done = self.convert("--precision", "int8", "--calibration", self.ranges(), "--precision-table", self.table("a_Conv F16\nc_Conv F8E4M3\n"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("vendor_table:2: an entry of TPU-MLIR's quantize table is a name and F32, F16, BF16, INT8, W8F16 or W4F16", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

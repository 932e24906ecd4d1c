#!/usr/bin/env python3
"""Sequences and optionals as inputs and outputs of a model: convert, run, compare and its searches, and what is said of options that do not fit.

  sequences_test.py WEFT
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
from onnx import TensorProto, helper

WEFT = str(pathlib.Path(sys.argv[1]).resolve())
RANDOM = np.random.default_rng(3)
value = helper.make_tensor_value_info
sequence = helper.make_tensor_sequence_value_info
SHAPES = ("--shape", "S[0]=2x4", "--shape", "S[1]=3x4")


def optional(name, shape):
    return helper.make_value_info(name, helper.make_optional_type_proto(helper.make_tensor_type_proto(TensorProto.FLOAT, shape)))


def optional_of_strings(name, size):
    return helper.make_value_info(name, helper.make_optional_type_proto(helper.make_tensor_type_proto(TensorProto.STRING, [size])))


def number(name, of):
    return helper.make_node("Constant", [], [name], value_float=of)


def network(nodes, inputs, outputs):
    graph = helper.make_graph(nodes, "net", inputs, outputs)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


def mapped():
    """S, x -> three times each tensor of S, and x behind them."""
    body = helper.make_graph([helper.make_node("Mul", ["a", "three"], ["m"], name="triple")], "body", [value("a", TensorProto.FLOAT, None)],
                             [value("m", TensorProto.FLOAT, None)])
    return network([number("three", 3.0), helper.make_node("SequenceMap", ["S"], ["M"], name="map", body=body),
                    helper.make_node("SequenceInsert", ["M", "x"], ["y"], name="append")],
                   [sequence("S", TensorProto.FLOAT, None), value("x", TensorProto.FLOAT, [1, 5])], [sequence("y", TensorProto.FLOAT, None)])


def biased():
    """x + bias, or without a bias its relu; a sequence of fixed shapes with the result behind it; the bias as it came."""
    def branch(name, *nodes):
        return helper.make_graph(list(nodes), name, [], [value(name, TensorProto.FLOAT, None)])
    then = branch("sum", helper.make_node("OptionalGetElement", ["bias"], ["b"]), helper.make_node("Add", ["x", "b"], ["sum"]))
    otherwise = branch("relu", helper.make_node("Relu", ["x"], ["relu"]))
    return network([helper.make_node("OptionalHasElement", ["bias"], ["has"]),
                    helper.make_node("If", ["has"], ["y"], then_branch=then, else_branch=otherwise),
                    helper.make_node("SequenceInsert", ["S", "y"], ["T"]), helper.make_node("Identity", ["bias"], ["same"])],
                   [value("x", TensorProto.FLOAT, ["n", 4]), optional("bias", [4]), sequence("S", TensorProto.FLOAT, [2])],
                   [value("y", TensorProto.FLOAT, None), sequence("T", TensorProto.FLOAT, None), optional("same", [4])])


class Sequences(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def weft(self, *arguments, code=0):
        done = subprocess.run([WEFT, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=280,
                              env=os.environ | {"WEFT_PYTHON": sys.executable})
        self.assertEqual(done.returncode, code, done.stderr + done.stdout)
        self.said = done.stderr
        return done.stdout

    def convert(self, model, *options, code=0):
        onnx.save(model, self.folder / "m.onnx")
        return self.weft("convert", "m.onnx", "-o", "m.bmodel", *options, code=code)

    def inputs(self, **shapes):
        arrays = {name: RANDOM.standard_normal(shape, np.float32) for name, shape in shapes.items()}
        np.savez(self.folder / "in.npz", **arrays)
        return arrays

    def check(self, wanted):
        """The outputs of the program are `wanted`, and comparisons need no options."""
        self.weft("run", "m.bmodel", "--input", "in.npz", "--output", "out.npz")
        with np.load(self.folder / "out.npz") as got:
            self.assertEqual(sorted(got.files), sorted(wanted))
            for name, array in wanted.items():
                np.testing.assert_array_equal(got[name], array)
        compare = ("compare", "m.onnx", "m.bmodel", "--input", "in.npz")
        self.weft(*compare, "--per-layer")
        self.assertIn("bisection: none", self.weft(*compare, "--bisect"))
        self.assertIn("ONNX Runtime", self.weft(*compare, "--reference", "onnxruntime"))

    def test_a_sequence_in_and_out(self):
        self.convert(mapped(), *SHAPES)
        stage = json.loads(self.weft("info", "m.bmodel", "--json"))["nets"][0]["stages"][0]
        self.assertEqual([[tensor["name"] for tensor in stage[side]] for side in ("inputs", "outputs")],
                         [["S[0]", "S[1]", "x"], ["y[0]", "y[1]", "y[2]"]])
        given = self.inputs(**{"S[0]": (2, 4), "S[1]": (3, 4), "x": (1, 5)})
        self.check({"y[0]": given["S[0]"] * 3, "y[1]": given["S[1]"] * 3, "y[2]": given["x"]})

    def test_an_empty_one(self):
        self.convert(mapped(), "--shape", "S=empty")
        given = self.inputs(x=(1, 5))
        self.check({"y[0]": given["x"]})

    def test_optionals(self):
        self.convert(biased(), "--shape", "n=3", "--shape", "S=2")
        given = self.inputs(**{"x": (3, 4), "bias": (4,), "S[0]": (2,), "S[1]": (2,)})
        total = given["x"] + given["bias"]
        self.check({"y": total, "T[0]": given["S[0]"], "T[1]": given["S[1]"], "T[2]": total, "same": given["bias"]})
        self.convert(biased(), "--shape", "n=3", "--shape", "S=empty", "--shape", "bias=none")
        self.assertIn("remark: m.onnx: output 'same' is an optional without a value; the program has no output for it", self.said)
        given = self.inputs(x=(3, 4))
        relu = np.maximum(given["x"], 0)
        self.check({"y": relu, "T[0]": relu})

    def test_batches(self):
        self.convert(biased(), "--shape", "x=1..4x4", "--shape", "S=empty", "--shape", "bias=none", "--json")
        given = self.inputs(x=(3, 4))
        relu = np.maximum(given["x"], 0)
        self.weft("run", "m.bmodel", "--input", "in.npz", "--output", "out.npz")
        np.testing.assert_array_equal(np.load(self.folder / "out.npz")["T[0]"], relu)
        self.convert(biased(), "--shape", "n=3", "--shape", "S=1..2", code=2)
        self.assertIn("these shapes make 3 and 4 of them; give one number of tensors to each sequence", self.said)

    def test_calibration(self):
        (self.folder / "samples").mkdir()
        self.inputs(**{"S[0]": (2, 4), "S[1]": (3, 4), "x": (1, 5)})
        (self.folder / "samples" / "0.npz").write_bytes((self.folder / "in.npz").read_bytes())
        self.convert(mapped(), *SHAPES, "--precision", "int8", "--calibration-data", "samples")
        self.assertIn("bisection: none", self.weft("compare", "m.onnx", "m.bmodel", "--input", "in.npz", "--bisect"))

    def test_values_between_may_be_sequences(self):
        """--inputs and --outputs name them as they are."""
        self.convert(mapped(), *SHAPES, "--outputs", "M")
        given = self.inputs(**{"S[0]": (2, 4), "S[1]": (3, 4)})
        self.weft("run", "m.bmodel", "--input", "in.npz", "--output", "out.npz")
        np.testing.assert_array_equal(np.load(self.folder / "out.npz")["M[1]"], given["S[1]"] * 3)
        self.convert(mapped(), "--inputs", "M,x", "--shape", "M[0]=7")
        given = self.inputs(**{"M[0]": (7,), "x": (1, 5)})
        self.weft("compare", "m.onnx", "m.bmodel", "--input", "in.npz")

    def test_a_reproducer_needs_no_options(self):
        """The faulty node with the tensors of its sequence as inputs."""
        self.convert(mapped(), *SHAPES)
        self.inputs(**{"S[0]": (2, 4), "S[1]": (3, 4), "x": (1, 5)})
        lines = self.weft("disasm", "m.bmodel").split("\n")
        index = next(index for index, line in enumerate(lines) if "node 'map/body/0/triple'" in line and "0x40400000" in line)
        lines[index] = lines[index].replace("0x40400000", "0x40800000", 1)  # 4.0 in place of 3.0
        (self.folder / "wrong.s").write_text("\n".join(lines))
        self.weft("asm", "wrong.s", "--into", "m.bmodel", "--unchecked", "-o", "wrong.bmodel")
        said = self.weft("compare", "m.onnx", "wrong.bmodel", "--input", "in.npz", "--bisect", "--reproducer", "small.onnx", code=1)
        self.assertIn("reproducer: small.onnx", said)
        small = onnx.load(self.folder / "small.onnx").graph
        self.assertEqual([tensor.name for tensor in small.input], ["S[0]", "S[1]"])
        self.assertEqual([node.op_type for node in small.node if node.op_type != "Constant"], ["SequenceConstruct", "SequenceMap"])
        self.weft("convert", "small.onnx", "-o", "small.bmodel")

    def test_options_that_do_not_fit(self):
        for options, text in (
                ([], "input 'S' is a sequence of float32 tensors, and a program has a fixed number of them; give the shape of each: "
                     "--shape S[0]=AxB.. --shape S[1]=AxB.. and so on, or --shape S=empty"),
                (["S=2"], "the model leaves sizes of tensors of sequence 'S' open; give them: --shape S[0]=AxB.. --shape S[1]=AxB.."),
                (["S=1", "S[0]=4", "S[1]=4"], "an option names 'S[1]', but 'S' is given 1 tensors by --shape S=1"),
                (["S[1]=4"], "tensor 0 of sequence 'S' is not given, only a later one"),
                (["S=2x3"], "--shape gives 'S', which is a sequence, a shape"),
                (["S[0]=4", "x[0]=2x3"], "--shape gives 'x[0]', which is an axis of a tensor, what is no size"),
                (["S[0]=4", "x=none"], "--shape x=none leaves out input 'x', a tensor; only optionals can be left out"),
                (["S=0"], "--shape 'S=0': size '0' is not a positive number (a sequence without tensors is S=empty)")):
            self.convert(mapped(), *(word for option in options for word in ("--shape", option)), code=2)
            self.assertIn(text, self.said)
            self.assertEqual(self.said.count("\n"), 1, self.said)
            self.assertFalse((self.folder / "m.bmodel").exists())

    def test_names_that_are_taken(self):
        model = mapped()
        model.graph.input[1].name = model.graph.node[2].input[1] = "S[0]"
        self.convert(model, "--shape", "S=1", code=2)
        self.assertIn("tensor 0 of sequence 'S' would be called 'S[0]', as another value of the model is; rename one of them in the model", self.said)

    def test_sequences_of_strings_are_refused(self):
        """Also where other outputs do not need them: none is dropped."""
        joined = [helper.make_node("ConcatFromSequence", ["S"], ["y"], axis=0), helper.make_node("Relu", ["x"], ["r"])]
        inputs = [sequence("S", TensorProto.STRING, [2]), value("x", TensorProto.FLOAT, [4])]
        outputs = [value("y", TensorProto.STRING, None), value("r", TensorProto.FLOAT, [4])]
        counted = [helper.make_node("SequenceLength", ["S"], ["n"])]
        for options in ((), ("--shape", "S=2")):
            self.convert(network(joined, inputs, outputs), *options, code=2)
            self.assertIn("unsupported: input 'S' is a sequence of tensors of strings; a program can have sequences of numbers only. Make it one "
                          "tensor of strings in the model, or cut the model with --inputs behind what takes it apart", self.said)
            self.assertEqual(self.said.count("\n"), 1, self.said)
            self.assertFalse((self.folder / "m.bmodel").exists())
        self.convert(network(joined, inputs, outputs), "--inputs", "y,x", "--shape", "y=4")
        self.convert(network(counted, inputs[:1], [value("n", TensorProto.INT64, [])]), "--shape", "S=empty")

    def test_an_optional_of_strings(self):
        model = network([helper.make_node("OptionalHasElement", ["o"], ["has"]), helper.make_node("OptionalGetElement", ["o"], ["y"])],
                        [optional_of_strings("o", 2)], [value("y", TensorProto.STRING, [2]), value("has", TensorProto.BOOL, [])])
        self.convert(model)
        np.savez(self.folder / "in.npz", o=np.array(["a", "bc"]))
        self.weft("run", "m.bmodel", "--input", "in.npz", "--output", "out.npz")
        with np.load(self.folder / "out.npz") as got:
            self.assertEqual((got["y"].tolist(), got["has"].tolist()), (["a", "bc"], True))
        self.convert(model, "--shape", "o=none", code=2)
        self.assertIn("the optional has no value; test it with OptionalHasElement before", self.said)

    def test_a_scalar(self):
        model = network([helper.make_node("Neg", ["x"], ["y"])], [value("x", TensorProto.FLOAT, None)], [value("y", TensorProto.FLOAT, None)])
        self.convert(model, "--shape", "x=scalar")
        given = self.inputs(x=())
        self.check({"y": -given["x"]})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

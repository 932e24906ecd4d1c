#!/usr/bin/env python3
"""Functions of single elements on tensors of many short rows or of two axes: right, and few commands of long rows.

  short_rows_test.py WEFT

A tensor of two axes lies with its features in the lanes, so that each number of it is a transfer of its own; functions of single elements
are spread otherwise (tpu-fill-lanes). The numbers are those of numpy: one rounding a function, no tolerance; sums of rows and what follows
from them differ by the order of the sum, (n + 2) * 2^-23 of the largest.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

WEFT = sys.argv.pop(1)
# Commands of a program that moves each row or number alone are megabytes.
MOST_BYTES = 200_000
FUNCTIONS = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Greater": np.greater, "Equal": np.equal, "Max": np.maximum}


class ShortRows(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.rng = np.random.default_rng(20)

    def call(self, *command):
        done = subprocess.run([WEFT, *map(str, command)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def run_chip(self, nodes, feeds, constants=(), output=TensorProto.FLOAT, precision="f32"):
        """Output y on the emulator, and that of ONNX Runtime."""
        value = helper.make_tensor_value_info
        kinds = {name: helper.np_dtype_to_tensor_dtype(array.dtype) for name, array in feeds.items()}
        graph = helper.make_graph(nodes, "g", [value(name, kinds[name], array.shape) for name, array in feeds.items()], [value("y", output, None)],
                                  [numpy_helper.from_array(array, name) for name, array in dict(constants).items()])
        model, bmodel = self.folder / "m.onnx", self.folder / "m.bmodel"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), model)
        np.savez(self.folder / "in.npz", **feeds)
        self.call("convert", model, "-o", bmodel, "--precision", precision, "--no-host")
        self.call("run", bmodel, "-i", self.folder / "in.npz", "-o", self.folder / "out.npz")
        self.assertLess(bmodel.stat().st_size, MOST_BYTES + 4 * sum(array.size for array in dict(constants).values()))
        return np.load(self.folder / "out.npz")["y"], onnxruntime.InferenceSession(str(model)).run(["y"], feeds)[0]

    def real(self, *shape):
        return self.rng.standard_normal(shape).astype(np.float32)

    def whole(self, *shape):
        """Numbers that are often equal."""
        return self.rng.integers(-3, 4, shape).astype(np.float32)

    def test_products_of_few_rows(self):
        """A batch times a constant matrix, which is too wide for the lanes or does not fill them: as matrices, no number by itself."""
        for rows, inner, columns in ((9, 24, 32000), (16, 64, 4096), (2, 512, 1000), (5, 33, 70)):
            for precision in ("f32", "f16"):
                with self.subTest(rows=rows, inner=inner, columns=columns, precision=precision):
                    x, w = self.real(rows, inner), self.real(inner, columns) / np.float32(np.sqrt(inner))
                    y, expected = self.run_chip([helper.make_node("MatMul", ["x", "w"], ["y"])], {"x": x}, {"w": w}, precision=precision)
                    # Sums of `inner` products near 1: their order in f32; in f16 each operand rounds by 2^-11, and the sum again.
                    limit = inner * 2.0**-22 if precision == "f32" else 2.0**-11 * (2 * np.sqrt(inner) + abs(expected).max())
                    np.testing.assert_allclose(y, expected, rtol=0, atol=limit)
                    profile = json.loads(self.call("profile", self.folder / "m.bmodel", "--json"))
                    # Stored one by one they took 12 to 60 times the roofline. What is turned crosses DRAM twice more.
                    self.assertLess(profile["total_cycles"], 5 * profile["roofline"]["bound_cycles"])

    def test_functions_of_two_operands(self):
        shapes = [(8192, 5), (300, 1000), (1000, 3, 7), (4096, 1, 1)]
        for number, shape in enumerate(shapes):
            for other in (shape, shape[-1:], (shape[0],) + (1,) * (len(shape) - 1), shape[1:]):
                for is_constant in (False, True):
                    op = list(FUNCTIONS)[number % len(FUNCTIONS)]
                    number += 1
                    x, z = self.whole(*shape), self.whole(*other)
                    with self.subTest(op=op, shape=shape, other=other, constant=is_constant):
                        kind = TensorProto.BOOL if op in ("Greater", "Equal") else TensorProto.FLOAT
                        got, _ = self.run_chip([helper.make_node(op, ["x", "z"], ["y"])], {"x": x} if is_constant else {"x": x, "z": z},
                                               {"z": z} if is_constant else {}, kind)
                        np.testing.assert_array_equal(got, FUNCTIONS[op](x, z))

    def test_functions_that_read_each_other(self):
        x, z, b = self.real(2000, 12), self.real(2000, 1), self.real(12)
        nodes = [helper.make_node("Mul", ["x", "b"], ["p"]), helper.make_node("Greater", ["p", "z"], ["c"]), helper.make_node("Sub", ["p", "z"], ["d"]),
                 helper.make_node("Where", ["c", "d", "x"], ["y"])]
        got, _ = self.run_chip(nodes, {"x": x, "z": z}, {"b": b})
        product = x * b
        np.testing.assert_array_equal(got, np.where(product > z, product - z, x))

    def test_whole_numbers(self):
        for kind in (np.int32, np.int8, np.uint8):
            x, z = (self.rng.integers(0, 100, shape).astype(kind) for shape in ((900, 9), (9,)))
            got, _ = self.run_chip([helper.make_node("Less", ["x", "z"], ["y"])], {"x": x, "z": z}, output=TensorProto.BOOL)
            np.testing.assert_array_equal(got, x < z)

    def test_a_value_that_others_read_as_well(self):
        x, z = self.whole(700, 30), self.whole(700, 30)
        w = self.whole(30, 20)
        nodes = [helper.make_node("Add", ["x", "z"], ["s"]), helper.make_node("Relu", ["s"], ["r"]), helper.make_node("MatMul", ["s", "w"], ["p"]),
                 helper.make_node("ReduceMax", ["r", "axes"], ["m"]), helper.make_node("Add", ["p", "m"], ["y"])]
        got, _ = self.run_chip(nodes, {"x": x, "z": z}, {"w": w, "axes": np.array([1], np.int64)})
        np.testing.assert_array_equal(got, (x + z) @ w + np.maximum(x + z, 0).max(1, keepdims=True))

    def test_a_remainder_repeats_no_channel(self):
        x, m = self.real(600, 40) * 9, np.abs(self.real(40)) + np.float32(0.5)
        got, _ = self.run_chip([helper.make_node("Mod", ["x", "m"], ["y"], fmod=1)], {"x": x, "m": m})
        np.testing.assert_array_equal(got, np.fmod(x, m))

    def test_floats_of_8_bits(self):
        x = self.real(8192, 5) * 100
        node = helper.make_node("Cast", ["x"], ["n"], to=TensorProto.FLOAT8E4M3FN)
        back = helper.make_node("Cast", ["n"], ["y"], to=TensorProto.FLOAT)
        got, want = self.run_chip([node, back], {"x": x})
        np.testing.assert_array_equal(got, want)

    def test_normalized_rows(self):
        for shape in ((2048, 5), (300, 1000), (3, 20000), (1, 16384), (4096, 3, 5), (700, 3, 4, 5), (70000, 3, 5)):
            for precision, unit in (("f32", 2.0**-23), ("f16", 2.0**-10)):
                with self.subTest(shape=shape, precision=precision):
                    g, b = self.real(shape[-1]), self.real(shape[-1])
                    got, want = self.run_chip([helper.make_node("LayerNormalization", ["x", "g", "b"], ["y"], axis=-1)], {"x": self.real(*shape)},
                                              {"g": g, "b": b}, precision=precision)
                    # Both sums of a row of f32, the root and three products; a row is at most sqrt(n) after it.
                    limit = 16 * unit * np.sqrt(shape[-1]) * max(np.abs(g).max(), 1)
                    self.assertLess(np.abs(got.astype(np.float64) - want).max(), limit)

    def test_filters_of_many_channels_that_are_computed(self):
        # Their turned rows are loaded by a group; found by fuzzing.
        x, w = self.whole(1, 1, 3, 3), self.whole(1, 1000, 3, 3)
        got, want = self.run_chip([helper.make_node("ConvTranspose", ["x", "w"], ["y"], strides=[3, 2], output_padding=[1, 1])], {"x": x, "w": w})
        np.testing.assert_array_equal(got, want)  # of small whole numbers


unittest.main()

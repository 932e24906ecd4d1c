#!/usr/bin/env python3
"""TopK on the chip: exactly ONNX's values and order, the same bytes on libbmrt, and no more cycles than n log n comparisons take.

  top_k_test.py WEFT [UNITTEST ..]

The oracle is a stable sort by numpy: of equal values the first goes first, -0 equals 0, NaN is above all numbers. ONNX Runtime says the same of
numbers and zeros, but does not order ties for each k.
"""
import itertools
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

WEFT = sys.argv.pop(1)


def top_k(x, k, axis, largest):
    """Values and indices, by the ranks that a stable sort gives."""
    keys = np.unique(x, return_inverse=True)[1].reshape(x.shape) if x.dtype.kind == "f" else x.astype(np.int64)  # NaN is the last of the unique ones
    order = np.argsort(-keys if largest else keys, axis=axis, kind="stable").take(np.arange(k), axis=axis)
    return np.take_along_axis(x, order, axis), order


class TopK(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.rng = np.random.default_rng(50)
        self.number = 0

    def call(self, *command):
        done = subprocess.run([WEFT, *map(str, command)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def convert(self, x, k, axis, precision="f32", *flags, **attributes):
        kind = helper.np_dtype_to_tensor_dtype(x.dtype)
        node = helper.make_node("TopK", ["x", "k"], ["v", "i"], axis=axis, **attributes)
        value = helper.make_tensor_value_info
        graph = helper.make_graph([node], "g", [value("x", kind, x.shape)], [value("v", kind, None), value("i", TensorProto.INT64, None)],
                                  [numpy_helper.from_array(np.array([k], np.int64), "k")])
        model, bmodel = self.folder / "m.onnx", self.folder / "m.bmodel"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), model)
        self.call("convert", model, "-o", bmodel, "--precision", precision, "--no-host", *flags)
        return bmodel

    def outputs(self, bmodel, x, *flags):
        np.savez(self.folder / "in.npz", x=x)
        self.call("run", bmodel, "-i", self.folder / "in.npz", "-o", self.folder / "out.npz", *flags)
        with np.load(self.folder / "out.npz") as arrays:
            return arrays["v"], arrays["i"]

    def check(self, x, k, axis=-1, largest=1, precision="f32", **attributes):
        bmodel = self.convert(x, k, axis, precision, largest=largest, **attributes)
        values, indices = self.outputs(bmodel, x)
        expected, order = top_k(x, k, axis, largest)
        np.testing.assert_array_equal(indices, order)
        np.testing.assert_array_equal(values, expected)
        np.testing.assert_array_equal(np.signbit(values), np.signbit(expected)) if not np.isnan(expected).any() else None
        self.number += 1
        if self.number % 4 == 1:
            for own, theirs in zip((values, indices), self.outputs(bmodel, x, "--device", "bmrt")):
                self.assertEqual(own.tobytes(), theirs.tobytes(), "libbmrt gives other bytes")

    def cycles(self, bmodel):
        return int(re.search(r"total +(\d+) cycles", self.call("profile", bmodel))[1])

    def real(self, *shape):
        return self.rng.standard_normal(shape).astype(np.float32)

    def tied(self, *shape, steps=7):
        return self.rng.integers(-steps, steps, shape).astype(np.float32)

    def test_sizes(self):
        """Odd, prime and full ones, one of each, few and many rows."""
        for rows, columns in ((1, 1), (1, 2), (3, 7), (1, 64), (2, 97), (5, 128), (1, 1009), (65, 31), (130, 3), (7, 257)):
            for k in sorted({1, 2, 3, columns // 2, columns // 2 + 1, columns - 1, columns} & set(range(1, columns + 1))):
                with self.subTest(rows=rows, columns=columns, k=k):
                    self.check(self.tied(rows, columns), k, largest=self.number % 2)

    def test_large(self):
        for shape, k in (((4, 16000), 50), ((1, 8400), 300), ((64, 1000), 10), ((1, 30011), 1)):
            with self.subTest(shape=shape, k=k):
                self.check(self.real(*shape), k)
                self.check(self.tied(*shape, steps=40), k, largest=0)

    def test_axes(self):
        for shape, axis in (((2, 50, 3), 1), ((40, 7), 0), ((2, 3, 4, 30), 2), ((2, 3, 4, 30), -1), ((33,), 0), ((2, 1, 2, 3, 9), 4), ((2, 9, 2, 3, 2), 1)):
            for largest, is_sorted in itertools.product((0, 1), (0, 1)):
                with self.subTest(shape=shape, axis=axis, largest=largest):
                    self.check(self.tied(*shape), 3, axis, largest, sorted=is_sorted)

    def test_types(self):
        for kind in (np.int32, np.int64, np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.float16):
            for largest in (0, 1):
                x = (self.real(6, 75) * 40).astype(kind)
                if np.issubdtype(kind, np.integer):
                    limits = np.iinfo(np.int32 if kind == np.int64 else kind)
                    x[:, 3::11], x[:, 5::13] = limits.min, limits.max
                with self.subTest(kind=kind, largest=largest):
                    self.check(x, 20, largest=largest)

    def test_order_of_numbers(self):
        """Zeros of both signs are equal and keep their sign; the rest as IEEE 754 has it."""
        for largest in (0, 1):
            x = self.rng.choice(np.float32([0.0, -0.0, 1e-40, -1e-40, 1.0, -1.0, np.inf, -np.inf, 3e38, -3e38]), (5, 60))
            self.check(x, 60, largest=largest)
            x[:, ::7] = np.nan
            x[2, 3] = -np.float32(np.nan)
            self.check(x, 25, largest=largest)

    def test_precisions(self):
        """Values as the program holds them; the order is that of these numbers."""
        for precision in ("f16", "bf16"):
            for x in (self.real(3, 500), self.tied(2, 90, steps=4)):
                bmodel = self.convert(x, 17, -1, precision)
                values, indices = self.outputs(bmodel, x)
                exact, order = top_k(x, 17, -1, 1)
                np.testing.assert_array_equal(indices, order)  # an input is compared as it comes
                np.testing.assert_array_equal(values, exact)

    def test_int8(self):
        """Codes tie where numbers do not: the values are those of the codes, and the indices name them."""
        x = self.real(4, 6, 40)
        weights = self.real(5, 6, 1)
        value = helper.make_tensor_value_info
        graph = helper.make_graph([helper.make_node("Conv", ["x", "w"], ["y"]), helper.make_node("TopK", ["y", "k"], ["v", "i"])], "g",
                                  [value("x", TensorProto.FLOAT, x.shape)], [value(name, kind, None) for name, kind in (("y", 1), ("v", 1), ("i", 7))],
                                  [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(np.array([9], np.int64), "k")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), self.folder / "m.onnx")
        (self.folder / "samples").mkdir()
        np.savez(self.folder / "samples" / "0.npz", x=x)
        np.savez(self.folder / "in.npz", x=x)
        for flags in ([], ["--keep-int8"]):
            self.call("convert", self.folder / "m.onnx", "-o", self.folder / "m.bmodel", "--precision", "int8", "--no-host",
                      "--calibration-data", self.folder / "samples", *flags)
            self.call("run", self.folder / "m.bmodel", "-i", self.folder / "in.npz", "-o", self.folder / "out.npz")
            out = np.load(self.folder / "out.npz")
            expected, order = top_k(out["y"], 9, -1, 1)
            np.testing.assert_allclose(out["v"], expected, rtol=2 ** -10)
            np.testing.assert_array_equal(out["i"], order)

    def test_onnx_runtime(self):
        x = self.rng.permutation(np.arange(900, dtype=np.float32)).reshape(3, 300)  # no ties, of which it takes any
        bmodel = self.convert(x, 30, -1)
        session = onnxruntime.InferenceSession(str(self.folder / "m.onnx"))
        for own, theirs in zip(self.outputs(bmodel, x), session.run(["v", "i"], {"x": x})):
            np.testing.assert_array_equal(own, theirs)

    def test_cycles(self):
        """What all pairs take is in docs/rationale/0035-top-k-by-networks.md: 1,374, 4,624 and 213,193 cycles."""
        for shape, k, most in (((1, 20), 3, 1374), ((1, 100), 100, 4624), ((1, 1000), 5, 8000), ((1, 8400), 300, 60000), ((4, 16000), 50, 60000)):
            self.assertLess(self.cycles(self.convert(self.real(*shape), k, -1)), most, shape)

    def test_the_choice_is_explained(self):
        text = json.loads(self.call("explain", self.convert(self.real(1, 100), 100, -1), "--json"))
        self.assertIn("top_k_by_sorting", json.dumps(text))

    def test_too_large_stays_on_the_host(self):
        x = self.real(1, 2000003)
        with self.assertRaisesRegex(AssertionError, "does not fit local memory"):
            self.convert(x, 5000, -1)


if __name__ == "__main__":
    unittest.main()

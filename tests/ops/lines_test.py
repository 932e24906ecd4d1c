#!/usr/bin/env python3
"""Functions of whole lines, few long ones and many short ones: on the chip, as ONNX Runtime has them, the same bytes on libbmrt, at about the speed of their bytes.

  lines_test.py WEFT [UNITTEST ..]
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
from onnx import TensorProto, helper

WEFT = sys.argv.pop(1)
# A lane holds pieces of the long ones, and several of the short ones.
LONG = [(1, 1000), (1, 32000), (3, 50257), (2, 30522), (1, 151936), (5, 4096), (1, 23)]
SHORT = [(65536, 5), (4096, 10), (25200, 16), (700, 3)]
# Along another axis lines lie as they are, or are turned before.
ALONG = [((257, 31), 0), ((1024, 64), 0), ((1, 5025, 3), 1), ((3, 21, 9, 11), 1), ((2, 7, 3, 5), 2), ((32000, 3), 0)]


class Lines(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.rng = np.random.default_rng(51)

    def call(self, *command):
        done = subprocess.run([WEFT, *map(str, command)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def compute(self, x, operator, axis=-1, **attributes):
        """By Weft, the same on both machines, and by ONNX Runtime; and the profile of Weft's program."""
        value, kind = helper.make_tensor_value_info, helper.np_dtype_to_tensor_dtype(x.dtype)
        kinds = {"Softmax": kind, "ArgMax": TensorProto.INT64, "ArgMin": TensorProto.INT64}
        graph = helper.make_graph([helper.make_node(operator, ["x"], ["y"], axis=axis, **attributes)], "g", [value("x", kind, x.shape)], [value("y", kinds[operator], None)])
        model, bmodel = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), self.folder / "m.bmodel"
        onnx.save(model, self.folder / "m.onnx")
        self.call("convert", self.folder / "m.onnx", "-o", bmodel, "--no-host")
        np.savez(self.folder / "in.npz", x=x)
        results = []
        for device in ("emulator", "bmrt"):
            self.call("run", bmodel, "-i", self.folder / "in.npz", "-o", self.folder / "out.npz", "--device", device)
            with np.load(self.folder / "out.npz") as arrays:
                results.append(arrays["y"])
        self.assertEqual(results[0].tobytes(), results[1].tobytes(), "libbmrt gives other bytes")
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        profile = json.loads(self.call("profile", bmodel, "--json"))
        return results[0], session.run(None, {"x": x})[0], profile

    def test_softmax(self):
        for shape in LONG + SHORT:
            with self.subTest(shape=shape):
                x = self.rng.standard_normal(shape, dtype=np.float32) * 6
                y, _, _ = self.compute(x, "Softmax")
                exact = np.exp((x - x.max(-1, keepdims=True)).astype(np.float64))  # the difference is one of f32
                exact /= exact.sum(-1, keepdims=True)
                # Exponential, sum and quotient err by 16 ulp together, as in the ladder. ONNX Runtime adds one after the other, which errs by more.
                np.testing.assert_allclose(y, exact, rtol=16 * 2.0**-23)

    def test_positions(self):
        for shape in LONG + SHORT:
            for operator, last in (("ArgMax", 0), ("ArgMin", 1)):
                with self.subTest(shape=shape, operator=operator):
                    x = np.round(self.rng.standard_normal(shape, dtype=np.float32) * 4)  # many are equal
                    y, expected, _ = self.compute(x, operator, select_last_index=last, keepdims=last)
                    np.testing.assert_array_equal(y, expected)

    def test_other_axes(self):
        for shape, axis in ALONG:
            with self.subTest(shape=shape, axis=axis):
                x = np.round(self.rng.standard_normal(shape, dtype=np.float32) * 4)
                y, expected, _ = self.compute(x, "Softmax", axis)
                np.testing.assert_allclose(y, expected, rtol=2.0**-16)  # sums of up to 32000 one after the other: sqrt(n) ulp, about
                y, expected, _ = self.compute(x, "ArgMax", axis, keepdims=1)
                np.testing.assert_array_equal(y, expected)
                y, expected, _ = self.compute(x, "ArgMin", axis, keepdims=0, select_last_index=1)
                np.testing.assert_array_equal(y, expected)

    def test_integers(self):
        x = self.rng.integers(-2**31, 2**31, (2, 6000)).astype(np.int32)
        x[0, [7, 5003]], x[1, [99, 4000]] = 2**31 - 1, -2**31
        for operator, last in (("ArgMax", 0), ("ArgMax", 1), ("ArgMin", 0), ("ArgMin", 1)):
            y, expected, _ = self.compute(x, operator, select_last_index=last)
            np.testing.assert_array_equal(y, expected)

    def test_zeros_are_equal(self):
        for shape in ((1, 1000), (300, 3), (4, 200)):
            x = self.rng.choice(np.float32([0.0, -0.0]), shape)
            for operator in ("ArgMax", "ArgMin"):
                for last in (0, 1):
                    y, expected, _ = self.compute(x, operator, select_last_index=last)
                    np.testing.assert_array_equal(y, expected)

    def test_one_piece_holds_the_extreme(self):
        for place in (0, 1, 499, 500, 31999):
            x = np.zeros((1, 32000), np.float32)
            x[0, place] = 3
            y, expected, _ = self.compute(x, "ArgMax")
            np.testing.assert_array_equal(y, expected)

    def test_speed(self):
        """Loads get 54 bytes a cycle and stores 44 (docs/cycles.md) of the 68.72 of the roofline: 1.4 for a softmax without overlap of the engines, which one line has
        not; a third more for that, and to compute."""
        for shape in ((1, 32000), (8, 32000), (1, 151936), (64, 4096), (65536, 5), (4096, 10)):
            x = self.rng.standard_normal(shape, dtype=np.float32)
            for operator in ("Softmax", "ArgMax"):
                with self.subTest(shape=shape, operator=operator):
                    profile = self.compute(x, operator)[2]
                    self.assertLessEqual(profile["total_cycles"], 1.4 * 1.33 * profile["roofline"]["bound_cycles"])


if __name__ == "__main__":
    unittest.main()

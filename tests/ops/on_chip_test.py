#!/usr/bin/env python3
"""Operations that the chip computes by sequences, integer commands or other windows: never on the host, and right.

  on_chip_test.py WEFT TOP_EVAL FOLDER

Every model is converted with --no-host and run on the emulator.

Tolerances. Casts from and to floats of 8 bits and less: none, the reference is the evaluator of top, which is the host's kernel.
PReLU: one product, rounded once as numpy does: none; in f16 both factors and the product are rounded, 3 * 2^-11. Remainders: both
fmods are exact and a mod adds the divisor with one rounding: none. Powers: sequences are within 10 ulp (SequenceTest), one more for
the reference in f32: 11 * 2^-23; powers of integers: none. Convolutions: a sum of n products in another order differs by at most
(n + 2) * 2^-23 * n * max|x| * max|w|, the bias counts as one.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

TOP_EVAL = sys.argv.pop(2)
WEFT = sys.argv.pop(1)
FOLDER = pathlib.Path(sys.argv.pop(1))
SMALL = ["FLOAT8E4M3FN", "FLOAT8E4M3FNUZ", "FLOAT8E5M2", "FLOAT8E5M2FNUZ", "FLOAT4E2M1", "FLOAT8E8M0"]
WIDE = {"FLOAT": np.float32, "FLOAT16": np.float16}


def call(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return done


class OnChip(unittest.TestCase):
    def setUp(self):
        FOLDER.mkdir(parents=True, exist_ok=True)
        folder = tempfile.TemporaryDirectory(dir=FOLDER)
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.rng = np.random.default_rng(14)

    def save(self, node, inputs, constants=(), output=TensorProto.FLOAT, types=(), opset=24):
        """A model of one node; `inputs` and `constants` are dicts of arrays, `types` ONNX types that numpy lacks."""
        types = dict(types)
        infos = [helper.make_tensor_value_info(name, types.get(name) or helper.np_dtype_to_tensor_dtype(value.dtype), value.shape)
                 for name, value in inputs.items()]
        graph = helper.make_graph([node], "g", infos, [helper.make_tensor_value_info("y", output, None)],
                                  [numpy_helper.from_array(value, name) for name, value in dict(constants).items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=11), self.folder / "m.onnx")
        np.savez(self.folder / "in.npz", **inputs)

    def run_chip(self, precision="f32", level="-O2"):
        call(WEFT, "convert", self.folder / "m.onnx", "-o", self.folder / "m.bmodel", "--precision", precision, "--no-host", level)
        call(WEFT, "run", self.folder / "m.bmodel", "-i", self.folder / "in.npz", "-o", self.folder / "out.npz")
        return np.load(self.folder / "out.npz")["y"]

    def run_top(self):
        call(TOP_EVAL, self.folder / "m.onnx", self.folder / "in.npz", self.folder / "top.npz")
        return np.load(self.folder / "top.npz")["y"]

    # Floats of 8 bits and less

    def check_cast(self, x, source, target, **attributes):
        node = helper.make_node("Cast", ["x"], ["y"], to=getattr(TensorProto, target), **attributes)
        self.save(node, {"x": x}, output=getattr(TensorProto, target), types={"x": getattr(TensorProto, source)})
        for precision in ("f32", "f16"):
            if precision == "f16" and target == "FLOAT":
                continue  # an output of f32 that a 16-bit program has in f32: nothing new
            with self.subTest(source=source, target=target, precision=precision, **attributes):
                got, want = self.run_chip(precision), self.run_top()
                self.assertEqual(got.dtype, want.dtype)
                differ = got != want
                if want.dtype.kind == "f":
                    differ &= ~(np.isnan(got) & np.isnan(want))
                    differ |= np.signbit(got) != np.signbit(want)
                    differ &= ~np.isnan(want)
                self.assertFalse(differ.any(), f"{x.ravel()[differ.ravel()][:8]}: {got[differ][:8]}, not {want[differ][:8]}")

    def numbers(self, dtype):
        """Every exponent, random fractions, ties and what is next to them, zeros, infinities and NaNs; no subnormal numbers."""
        smallest, top = (2.0**-14, 16) if dtype == np.float16 else (2.0**-126, 128)
        exponents = np.arange(-14 if dtype == np.float16 else -126, top)
        ties = np.ldexp(1 + np.arange(0, 64)[:, None] / 64, np.arange(-14, 16)).astype(dtype)
        rest = np.ldexp(1 + self.rng.random((40, exponents.size)) * 0.99, exponents).astype(dtype)
        x = np.concatenate([ties.ravel(), np.nextafter(ties, dtype(0)).ravel(), np.nextafter(ties, dtype(np.inf)).ravel(), rest.ravel()])
        x = x[(np.abs(x) >= smallest) | ~np.isfinite(x)]
        return np.concatenate([x, -x, np.array([0, -0.0, np.inf, -np.inf, np.nan], dtype)]).astype(dtype)

    def test_small_floats_become_numbers(self):
        for source in SMALL:
            codes = np.arange(16 if source == "FLOAT4E2M1" else 256, dtype=np.uint8)
            for target in ("FLOAT", "FLOAT16", "INT32"):
                if source == "FLOAT8E8M0":
                    # 2^-127 is subnormal in f32, and nothing of f16's range but 2^-24 to 2^15.
                    codes = np.arange(0 if target == "FLOAT" else 113, 256 if target == "FLOAT" else 143, dtype=np.uint8)
                self.check_cast(codes, source, target)

    def test_numbers_become_small_floats(self):
        for source, dtype in WIDE.items():
            x = self.numbers(dtype)
            for target in SMALL[:-1]:
                for saturate in (1, 0):
                    self.check_cast(x, source, target, saturate=saturate)
            for mode in ("up", "down", "nearest"):
                for saturate in (1, 0):
                    self.check_cast(np.abs(x), source, "FLOAT8E8M0", saturate=saturate, round_mode=mode)

    def test_integers_and_small_floats_become_small_floats(self):
        whole = np.concatenate([np.arange(-600, 600), self.rng.integers(-2**31, 2**31, 500)]).astype(np.int32)
        for target in SMALL[:-1]:
            self.check_cast(whole, "INT32", target)
        self.check_cast(np.arange(256, dtype=np.uint8), "FLOAT8E4M3FN", "FLOAT8E5M2FNUZ")

    # Functions of two tensors

    def pairs(self, *shape):
        x = self.rng.normal(size=shape).astype(np.float32) * 10
        y = self.rng.normal(size=shape).astype(np.float32) * 3
        return x, y

    def check_binary(self, op, x, y, want, rtol, constant=False, precision="f32", **attributes):
        node = helper.make_node(op, ["x", "c"], ["y"], **attributes)
        output = helper.np_dtype_to_tensor_dtype(x.dtype)
        inputs, constants = ({"x": x}, {"c": y}) if constant else ({"x": x, "c": y}, {})
        self.save(node, inputs, constants, output, opset=28 if op == "Mod" else 24)  # before, float remainders have the sign of x
        np.testing.assert_allclose(self.run_chip(precision), want, rtol=rtol, atol=0)

    def test_prelu(self):
        for x_shape, slope_shape in (((2, 70, 5, 9), (70, 1, 1)), ((2, 3, 5, 9), (3, 5, 9)), ((2, 3, 5, 9), (1,)), ((4, 70), (70,)),
                                     ((2, 7, 11), (7, 1)), ((2, 3, 4, 5, 6), (3, 1, 1, 1)), ((2, 3, 5, 9), (2, 1, 5, 1))):
            x, slope = self.pairs(*x_shape)[0], self.rng.normal(size=slope_shape).astype(np.float32)
            for constant in (True, False):
                with self.subTest(x=x_shape, slope=slope_shape, constant=constant):
                    want = np.where(x < 0, x * slope, x)
                    self.check_binary("PRelu", x, slope, want, 0, constant)
                    self.check_binary("PRelu", x, slope, want, 3 * 2.0**-11, constant, "f16")

    def test_remainders(self):
        shapes = ((2, 3, 5, 70), (2, 3, 5, 70)), ((2, 70, 5, 9), (70, 1, 1)), ((2, 3, 5, 9), (9,)), ((2, 3, 5, 9), (1,))
        for x_shape, y_shape in shapes:
            x, y = self.pairs(*x_shape)[0], self.pairs(*y_shape)[1]
            for constant in (True, False):
                with self.subTest(x=x_shape, y=y_shape, constant=constant):
                    self.check_binary("Mod", x, y, np.fmod(x, y), 0, constant, fmod=1)
                    self.check_binary("Mod", x, y, np.mod(x, y), 0, constant)

    def test_powers(self):
        for x_shape, y_shape in (((2, 3, 5, 70), (2, 3, 5, 70)), ((2, 70, 5, 9), (70, 1, 1)), ((2, 3, 5, 9), (1,)), ((1,), (4, 5))):
            x, y = np.abs(self.pairs(*x_shape)[0]), self.pairs(*y_shape)[1]
            for constant in (True, False):
                with self.subTest(x=x_shape, y=y_shape, constant=constant):
                    want = np.power(x.astype(np.float64), y)
                    self.check_binary("Pow", x, y, want, 11 * 2.0**-23, constant)
        x = self.pairs(3, 50)[0]
        for exponent in (-3, -1, -0.5, 0, 0.5, 1, 2, 3, 4, 7, 2.5):
            base = np.abs(x) if exponent % 1 else x
            with self.subTest(exponent=exponent):
                want = np.power(base.astype(np.float64), exponent)
                self.check_binary("Pow", base, np.array(exponent, np.float32), want, 11 * 2.0**-23, True)

    def test_powers_of_integers_and_floats(self):
        whole = self.rng.integers(-9, 10, (4, 40))
        count = self.rng.integers(0, 9, (4, 40))
        # Powers of int64 may need more than 32 bits: they are the host's.
        self.check_binary("Pow", whole.astype(np.int32), count.astype(np.float32), whole**count, 0)
        # Roots that are whole must not be cut below themselves.
        squares = np.arange(0, 2000, dtype=np.int32)**2
        self.check_binary("Pow", squares, np.array(0.5, np.float32), np.arange(2000), 0, True)
        self.check_binary("Pow", squares, np.full(2000, 0.5, np.float32), np.arange(2000), 0)
        x = self.pairs(4, 40)[0]
        for kind in (np.int32, np.int64, np.uint32):
            with self.subTest(exponent=kind):
                self.check_binary("Pow", x, count.astype(kind), np.power(x.astype(np.float64), count), 11 * 2.0**-23)
        # A constant of integers that is repeated beside floats.
        rows = np.array([[0], [2], [3], [4]], np.int64)
        self.check_binary("Pow", x, rows, np.power(x.astype(np.float64), rows), 11 * 2.0**-23, True)

    # Counts

    def test_counts_of_word_sequences(self):
        for case in range(12):
            lengths = [1, 2, 3]
            pool, counts, total = [], [], 0
            for length in lengths:
                sequences = list({tuple(self.rng.integers(0, 4, length)) for _ in range(5)})
                counts.append(len(pool))
                pool += [int(word) for sequence in sequences for word in sequence]
                total += len(sequences)
            shortest = int(self.rng.integers(1, 4))
            attributes = {"mode": ["TF", "IDF", "TFIDF"][case % 3], "min_gram_length": shortest,
                          "max_gram_length": int(self.rng.integers(shortest, 4)), "max_skip_count": int(self.rng.integers(0, 6)),
                          "ngram_counts": counts, "ngram_indexes": [int(place) for place in self.rng.permutation(total + 2)[:total]],
                          "pool_int64s": pool}
            if case % 2:
                attributes["weights"] = [float(weight) for weight in self.rng.random(total).astype(np.float32)]
            shape = ((7,), (3, 9), (1, 2))[case % 3 if case < 6 else 1]
            x = self.rng.integers(0, 5, shape).astype(np.int32 if case % 2 else np.int64)
            with self.subTest(case=case, **attributes):
                self.save(helper.make_node("TfIdfVectorizer", ["x"], ["y"], **attributes), {"x": x})
                want = onnxruntime.InferenceSession(self.folder / "m.onnx").run(None, {"x": x})[0]
                for precision in ("f32", "f16"):
                    # One product by a weight.
                    np.testing.assert_allclose(self.run_chip(precision), want, rtol=2.0**-24 if precision == "f32" else 2.0**-10, atol=0)

    # Convolutions of one axis

    def test_one_dimensional_convolutions(self):
        cases = [  # channels, length, results, kernel, stride, dilation, group, pads
            (1, 44100, 32, 256, 256, 1, 1, (0, 0)), (1, 44100, 4, 256, 100, 1, 1, (0, 0)), (1, 44100, 8, 400, 160, 1, 1, (200, 200)),
            (1, 44100, 2, 256, 1, 1, 1, (0, 0)), (2, 30000, 8, 80, 16, 1, 2, (0, 7)), (3, 1000, 5, 7, 20, 1, 1, (3, 8)),
            (4, 777, 8, 40, 17, 1, 2, (30, 5)), (6, 500, 6, 3, 1, 100, 6, (100, 100)), (2, 333, 4, 5, 16, 20, 2, (40, 40)),
            (8, 64, 8, 1, 32, 1, 1, (0, 0)), (1, 200000, 2, 10, 5, 1, 1, (0, 0))]
        for channels, length, results, kernel, stride, dilation, group, pads in cases:
            with self.subTest(length=length, kernel=kernel, stride=stride, dilation=dilation, group=group, pads=pads):
                x = self.rng.normal(size=(1, channels, length)).astype(np.float32)
                w = self.rng.normal(size=(results, channels // group, kernel)).astype(np.float32)
                b = self.rng.normal(size=results).astype(np.float32)
                node = helper.make_node("Conv", ["x", "w", "b"], ["y"], strides=[stride], dilations=[dilation], group=group, pads=pads)
                self.save(node, {"x": x}, {"w": w, "b": b})
                want = onnxruntime.InferenceSession(self.folder / "m.onnx").run(None, {"x": x})[0]
                n = kernel * channels // group + 1
                bound = (n + 2) * 2.0**-23 * n * np.abs(x).max() * max(np.abs(w).max(), np.abs(b).max())
                np.testing.assert_allclose(self.run_chip(), want, rtol=0, atol=bound)

    def test_patches(self):
        cases = [  # image, results, kernel, strides, pads, group
            ((1, 3, 224, 224), 24, (16, 16), (16, 16), (0, 0, 0, 0), 1), ((2, 3, 75, 101), 7, (16, 16), (16, 16), (0, 0, 0, 0), 1),
            ((1, 3, 61, 90), 70, (32, 32), (32, 32), (3, 5, 0, 7), 1), ((1, 6, 64, 66), 8, (9, 12), (16, 20), (1, 2, 1, 2), 2),
            ((1, 80, 36, 48), 6, (16, 16), (16, 16), (0, 0, 0, 0), 1), ((1, 1, 33, 40), 4, (1, 17), (1, 17), (0, 0, 0, 20), 1)]
        for image, results, kernel, strides, pads, group in cases:
            with self.subTest(image=image, kernel=kernel, strides=strides, pads=pads):
                x = self.rng.normal(size=image).astype(np.float32)
                w = self.rng.normal(size=(results, image[1] // group, *kernel)).astype(np.float32)
                b = self.rng.normal(size=results).astype(np.float32)
                self.save(helper.make_node("Conv", ["x", "w", "b"], ["y"], strides=strides, group=group, pads=pads), {"x": x}, {"w": w, "b": b})
                want = onnxruntime.InferenceSession(self.folder / "m.onnx").run(None, {"x": x})[0]
                n = w[0].size + 1
                bound = (n + 2) * 2.0**-23 * n * np.abs(x).max() * max(np.abs(w).max(), np.abs(b).max())
                got = self.run_chip()
                np.testing.assert_allclose(got, want, rtol=0, atol=bound)
                np.testing.assert_array_equal(self.run_chip(level="-O0"), got)
                np.testing.assert_array_equal(self.run_chip("f16", "-O0"), self.run_chip("f16"))


if __name__ == "__main__":
    unittest.main()

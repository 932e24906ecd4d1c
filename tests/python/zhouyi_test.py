#!/usr/bin/env python3
"""Zhouyi in Python: the document's examples, values and masks, errors at the caller's line, kernels.

  zhouyi_test.py PYTHON_FOLDER NATIVE_FOLDER
"""
import os
import pathlib
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, sys.argv[1])
os.environ["WEFT_NATIVE_DIR"] = sys.argv[2]
del sys.argv[1:3]
import weft  # noqa: E402
from weft import _catalog  # noqa: E402
from weft.zhouyi import _kernel, _values  # noqa: E402
import weft.zhouyi as S  # noqa: E402

ONE_TO_EIGHT = S.int32x8([1, 2, 3, 4, 5, 6, 7, 8])
DOWN = S.int32x8([9, 8, 7, 6, 4, 3, 2, 1])
MASK = (True, True, True, True, False, False, True, True)
SIXTEEN = S.int16x16([1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6])



def numbers(rng, kind):
    """An array of a type with numbers that are often at its ends."""
    element = kind.element.numpy
    if element.kind == "f":
        return (rng.standard_normal(kind.lanes) * 2.0 ** rng.integers(-8, 8, kind.lanes)).astype(element)
    limits = np.iinfo(element)
    ends = rng.choice([limits.min, limits.max, 0, 1], kind.lanes)
    return np.where(rng.random(kind.lanes) < 0.3, ends, rng.integers(limits.min, limits.max, kind.lanes, endpoint=True)).astype(element)


class Document(unittest.TestCase):
    """Its examples, in its words."""

    def check(self, vector, text):
        self.assertEqual(str(vector), text)

    def test_sums(self):
        x = ONE_TO_EIGHT
        self.check(S.vadd(x, x, MASK, r=DOWN), "2 4 6 8 4 3 14 16")
        self.check(S.vsub(x, S.int32x8([1, 1, 1, 1, 2, 2, 2, 2]), MASK, r=DOWN), "0 1 2 3 4 3 5 6")
        self.check(S.vadd(x, 3), "4 5 6 7 8 9 10 11")
        self.check(S.vadd(x, x, mask=S.tail_mask(2, 8)), "2 4 ? ? ? ? ? ?")
        self.check(S.vadd(x, DOWN, mask="3T5F", r=DOWN), "10 10 10 6 4 3 2 1")
        self.check(S.vadd(S.int8x32(-5), S.uint8x32(3), out_sign="u"), " ".join(["254"] * 32))
        self.check(S.vadd(S.int8x2([100, -100]), S.int8x2([100, -100]), saturate=True), "127 -128")
        x, y = S.int32x8([9, 1, 8, 2, 7, 3, 6, 4]), S.int32x8([9, 4, 8, 3, 7, 2, 6, 1])
        self.check(S.vaddh(x, y), "10 10 10 10 13 11 9 7")
        self.check(S.vsubh(x, y), "8 6 4 2 5 5 5 5")
        self.check(S.vrpadd(S.int32x8(range(8)), "6T1F1T"), "22 ? ? ? ? ? ? ?")

    def test_absolute_values(self):
        x = S.int8x8([1, -2, -3, 4, -5, 6, -127, -128])
        self.check(S.vabs(x, MASK), "1 2 3 4 ? ? 127 -128")
        self.check(S.vabs(x, MASK, saturate=True), "1 2 3 4 ? ? 127 127")

    def test_products(self):
        self.check(S.vmul(ONE_TO_EIGHT, ONE_TO_EIGHT, MASK, r=DOWN), "1 4 9 16 4 3 49 64")
        mask, z = "4T2F6T4F", S.int32x8([9, 8, 7, 6, 5, 4, 3, 2])
        low = S.vmull(SIXTEEN, SIXTEEN, mask, r=z)
        self.assertEqual(low.dtype, S.int32x8)
        self.check(low, "1 4 9 16 5 4 49 64")
        self.check(S.vmulh(SIXTEEN, SIXTEEN, mask, r=z), "81 0 1 4 5 4 3 2")

    def test_quotients(self):
        x = S.int32x8([1, 4, 9, 16, 25, 36, 49, 64])
        self.check(S.vdiv(x, ONE_TO_EIGHT, "2T2F4T"), "1 2 ? ? 5 6 7 8")
        x, y = S.int8x8([5, 6, 7, 8, -5, -6, -7, -8]), S.int8x8([-2, -5, 4, 3, 3, 4, -3, -4])
        self.check(S.vmod(x, y, "3T2F3T"), "1 1 3 ? ? -2 -1 0")

    def test_dots(self):
        x, y = S.int16x16(range(16)), S.int16x16(range(1, 17))
        mask = [False, False, True, False, False, True] + [True] * 8 + [False, True]
        expected = [None, 2 * 3, 5 * 6, 6 * 7 + 7 * 8, 8 * 9 + 9 * 10, 10 * 11 + 11 * 12, 12 * 13 + 13 * 14, 15 * 16]
        self.assertEqual(list(S.vdot(x, y, mask)), expected)
        acc = S.int32x8(range(0, 80, 10))
        self.assertEqual(list(S.vdpa(acc, x, y, mask)), [a + (b or 0) for a, b in zip(acc, expected)])
        x, ones = S.int8x32(range(32)), S.int8x32(1)
        self.check(S.vqdot(x, ones, "8F20T4F"), "? ? 38 54 70 86 102 ?")
        self.check(S.vqdpa(acc, x, 1, "12F16T4F"), "0 10 20 84 110 136 162 70")
        x = S.float16x16(range(16))
        self.check(S.vqdot(x, 1.0, "8F6T2F"), "? ? ? ? 38.0 ? 25.0 ?")
        self.check(S.vqdpa(S.float32x8(10), x, 1.0, "8F6T2F"), "10.0 10.0 10.0 10.0 48.0 10.0 35.0 10.0")

    def test_matrices(self):
        x = S.float16x16(range(16))
        memory = np.ones(20, np.float32)
        self.assertIsNone(S.vmma(S.pointer(memory) + 4, x, x))
        product = np.arange(16.0).reshape(4, 4) @ np.arange(16.0).reshape(4, 4).T
        np.testing.assert_array_equal(memory, np.concatenate([np.ones(4), product.ravel() + 1]))
        S.vmml(memory, x, x)
        np.testing.assert_array_equal(memory[:16], product.ravel())

    def test_multiply_and_add(self):
        bits = np.array([0x43EC3C00, 0xC2AF56DB, 0x42087B72], np.uint32).view(np.float32)
        acc, x, expected = (S.float32x8(float(value)) for value in bits)
        self.assertEqual(S.fma(acc, x, 5).values.tobytes(), expected.values.tobytes())
        self.assertEqual(float(S.fma(float(bits[0]), float(bits[1]), 5.0)), float(bits[2]))
        acc, x = S.float32x8(range(8)), S.float16x16(range(16))
        self.check(S.vfmae(acc, x, 2, "1F7T"), "0.0 5.0 10.0 15.0 20.0 25.0 30.0 35.0")
        self.check(S.vfmao(acc, x, 2, "1F7T"), "0.0 7.0 12.0 17.0 22.0 27.0 32.0 37.0")

    def test_rounding_and_clipping(self):
        self.check(S.vrint(S.fp32x8([-0.4, 0.2, 1.4, 1.5, 1.6, 1.8, 1.9, 2.01]), "5T1F2T"), "-0.0 0.0 1.0 2.0 2.0 ? 2.0 2.0")
        x = S.int32x8([1, 3, 4, 9, 4, 4, 8, 8])
        bounds = S.int32x8([3, 3, 3, 3, 5, 5, 5, 5]), S.int32x8([8, 8, 8, 8, 7, 7, 7, 7])
        self.check(S.clip(x, *bounds, [True] * 4 + [False, True, False, True]), "3 3 4 8 4 5 8 7")
        self.check(S.clip(x, 3, 30), "3 3 4 9 4 4 8 8")
        self.assertEqual(int(S.clip(S.int16(77), -10, 10)), 10)

    def test_every_function_is_there(self):
        names = "vadd vaddh vabs vsub vsubh vmul vmull vmulh vdiv vmod vdot vqdot vdpa vqdpa vrpadd vmml vmma fma vfmae vfmao vrint clip"
        for name in names.split():
            self.assertTrue(callable(getattr(S, name)), name)
            self.assertIn(name, dir(S))
        self.assertEqual(str(S.vadd.__signature__), "(x, y, mask=None, saturate=False, out_sign=None, r=None)")
        self.assertIn("x[i] + y[i]", S.vadd.__doc__)


class Values(unittest.TestCase):
    def test_types_have_two_names(self):
        self.assertIs(S.int8x32, S.i8x32)
        self.assertIs(S.float16x16, S.fp16x16)
        self.assertEqual(repr(S.uint16x7), "uint16x7")
        for name in ("int64x4", "float8x32", "int8x0", "vadd2"):
            with self.assertRaises(AttributeError):
                getattr(S, name)

    def test_arrays_are_vectors(self):
        x = np.arange(-50, 50, dtype=np.int8)  # flexible width
        v = S.vadd(x, np.int8(100), saturate=True)
        np.testing.assert_array_equal(np.asarray(v), np.minimum(x.astype(int) + 100, 127).astype(np.int8))
        self.assertEqual((v.lanes, v.dtype.element.name), (100, "int8"))
        with self.assertRaisesRegex(S.ZhouyiError, r"shape \(2, 3\)"):
            S.vabs(np.zeros((2, 3), np.int8))
        with self.assertRaisesRegex(S.ZhouyiError, r"shape \(1,\) is no vector"):
            S.vabs(np.zeros(1, np.int8))
        with self.assertRaisesRegex(S.ZhouyiError, "int64"):
            S.vabs(np.arange(8))

    def test_masks_in_every_form(self):
        forms = [(True, False, True, True), [True, False, True, True], np.array([True, False, True, True]), "1T1F2T", S.const_mask("1T1F2T", 8)]
        for mask in forms:
            self.assertEqual(str(S.vadd(ONE_TO_EIGHT, 0, mask)), "1 ? 3 4 ? ? ? ?")
        self.assertEqual(str(S.vadd(ONE_TO_EIGHT, 0, ())), "? ? ? ? ? ? ? ?")
        self.assertEqual(str(S.const_mask("4T_FT3F_TT", 12)), "TTTTFTFFFTTF")
        self.assertEqual(str(S.tail_mask(3, 5)), "TTTFF")

    def test_equal_vectors(self):
        v = S.vadd(ONE_TO_EIGHT, 1, "3T5F")
        self.assertEqual(v, S.vadd(ONE_TO_EIGHT, 1, "3T"))
        self.assertNotEqual(v, S.vadd(ONE_TO_EIGHT, 1, "4T"))
        self.assertNotEqual(v, S.vadd(ONE_TO_EIGHT, 2, "3T"))
        self.assertNotEqual(S.int8x4(1), S.uint8x4(1))

    def test_limits_are_those_of_the_machine(self):
        most = _values.MOST_LANES
        self.assertEqual(S.vabs(np.zeros(most, np.int8)).lanes, most)
        longer = S.Vector(_values.VectorType(S.int8.element, most + 1), np.zeros(most + 1, np.int8))
        with self.assertRaisesRegex(S.ZhouyiError, f"{most + 1} lanes"):
            S.vabs(longer)
        for row in _catalog.functions("zhouyi").values():
            for one in row["signatures"]:
                self.assertEqual(getattr(S, one["operands"][0]).bytes, _kernel._REGISTER_BYTES)

    def test_undefined_lanes_are_no_numbers(self):
        v = S.vadd(ONE_TO_EIGHT, 1, "3T5F")
        self.assertEqual(list(v), [2, 3, 4] + [None] * 5)
        np.testing.assert_array_equal(v.defined, [True] * 3 + [False] * 5)
        self.assertEqual(repr(v), "int32x8(2 3 4 ? ? ? ? ?)")
        with self.assertRaisesRegex(S.ZhouyiError, "lane 3 .* has no value"):
            np.asarray(v)
        self.assertEqual(str(S.vadd(v, v)), "4 6 8 ? ? ? ? ?")
        with self.assertRaisesRegex(S.ZhouyiError, "vrpadd: lane 3"):
            S.vrpadd(v)
        self.assertEqual(S.vrpadd(v, "3T")[0], 9)

    def test_numbers_must_fit(self):
        for make in (lambda: S.int8x4(128), lambda: S.uint8x4([0, 1, 2, -1]), lambda: S.int16x2([0.5, 1]), lambda: S.int32x2(float("nan")),
                     lambda: S.int8x4([1, 2, 3]), lambda: S.int8x4("a")):
            self.assertRaises(S.ZhouyiError, make)
        self.assertEqual(str(S.float16x2([70000, -0.0])), "inf -0.0")


class Errors(unittest.TestCase):
    def refused(self, text, call):
        with self.assertRaises(S.ZhouyiError) as caught:
            call()
        self.assertIn(text, caught.exception.reason)
        self.assertEqual(caught.exception.file, __file__)

    def test_what_a_call_may_be(self):
        x = ONE_TO_EIGHT
        self.refused("vadd: x is int32x8, y is uint32x8; x and y must have one sign", lambda: S.vadd(x, S.uint32x8(1)))
        self.refused("vmul: x is int8x32, must be of", lambda: S.vmul(S.int8x32(1), 2))
        self.refused("vadd: y is 300 beside int8x32", lambda: S.vadd(S.int8x32(0), 300))
        self.refused("vadd: y is 1.5 beside int32x8", lambda: S.vadd(x, 1.5))
        self.refused("vadd: mask has 9 lanes, the vector has 8", lambda: S.vadd(x, x, "9T"))
        self.refused("vadd: mask is an empty string; write groups", lambda: S.vadd(x, x, ""))
        self.refused("vadd: mask 'T' has fewer than two characters", lambda: S.vadd(x, x, "T"))
        self.refused("vadd: mask holds 1; it must hold bools", lambda: S.vadd(x, x, [1, 0]))
        self.refused("vadd: mask is 5; give a tuple", lambda: S.vadd(x, x, 5))
        self.refused("vadd: out_sign is 'x', must be 'u' or 's'", lambda: S.vadd(x, x, out_sign="x"))
        self.refused("vadd: saturate is 1, must be True or False", lambda: S.vadd(x, x, saturate=1))
        self.refused("vadd: x is 'a'; give a vector", lambda: S.vadd("a", x))
        self.refused("vadd: y is 1180591620717411303424; integers have 64 bits", lambda: S.vadd(x, 2 ** 70))
        self.refused("vmml: ptr points at 60 bytes, must be at least 64",
                     lambda: S.vmml(np.zeros(15, np.float32), S.float16x16(0), S.float16x16(0)))
        self.refused("vmml: ptr is int32", lambda: S.vmml(np.zeros(16, np.int32), S.float16x16(0), S.float16x16(0)))
        self.refused("tail_mask: n is 9, must be 0 to 8", lambda: S.tail_mask(9, 8))
        self.refused("float16 is the type of one number; the type of 3 lanes is float16x3", lambda: S.vector([1, 2, 3], np.float16))
        self.refused("dtype is 'float64'; give a type such as S.int32x8, or its name; elements are", lambda: S.vector([1], np.float64))
        self.refused("tail_mask: lanes is 8.0; give a whole number", lambda: S.tail_mask(0, 8.0))
        self.refused("tail_mask: lanes is 1", lambda: S.tail_mask(0, 1))

    def test_line_of_the_caller(self):
        try:
            S.vadd(ONE_TO_EIGHT, 1.5)  # this line
        except S.ZhouyiError as error:
            self.assertIn(f"{__file__}:{error.line}: vadd: ", str(error))
            self.assertIn("# this line", str(error))

    def test_parameters(self):
        for call in (lambda: S.vadd(ONE_TO_EIGHT), lambda: S.vaddh(ONE_TO_EIGHT, 1, None), lambda: S.vdiv(ONE_TO_EIGHT, 1, r=2)):
            self.assertRaisesRegex(TypeError, r"^v\w+: .*; call it as S\.v\w+\(x, y", call)
        self.assertRaisesRegex(TypeError, r"^vadd: missing a required argument: 'y'; call it as S\.vadd\(x, y, mask=None, ", lambda: S.vadd(ONE_TO_EIGHT))


class Kernels(unittest.TestCase):
    def test_tail_masks(self):
        with S.Kernel("add") as k:
            x, y = k.input("x", "int8", 100), k.input("y", "int8", 100)
            z = k.output("z", "int8", 100)
            for i in k.range(4):
                m = S.tail_mask(100 - 32 * i, 32)
                v = S.vadd(S.vload(x + 32 * i, m), S.vload(y + 32 * i, m), m, saturate=True)
                S.vstore(v, z + 32 * i, m)
        a, b = (np.random.default_rng(seed).integers(-128, 128, 100).astype(np.int8) for seed in (1, 2))
        np.testing.assert_array_equal(k.run(x=a, y=b)["z"], np.clip(a.astype(int) + b, -128, 127))

    def test_sums_over_loops(self):
        """A product of a matrix and a vector: vqdpa and vrpadd, two loops, a variable."""
        rows, columns = 5, 96
        matrix = np.random.default_rng(3).integers(-128, 128, (rows, columns)).astype(np.int8)
        with S.Kernel("matvec") as k:
            w = k.weight("w", matrix)
            x = k.input("x", "int8", columns)
            y = k.output("y", "int32", rows)
            for row in k.range(rows):
                acc = k.variable(S.int32x8(0))
                for i in k.range(0, columns, 32):
                    acc.value = S.vqdpa(acc, S.vload(w + row * columns + i), S.vload(x[i]))
                S.vstore(S.vrpadd(acc), y + row, mask="1T7F")
        vector = np.arange(-48, 48).astype(np.int8)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "matvec.zyp"
            k.save(path)
            program = weft.Model(path)
        self.assertEqual(list(program.inputs), ["x"])
        for source in (k, program):
            np.testing.assert_array_equal(source.run(x=vector)["y"], matrix.astype(int) @ vector)
        self.assertIn("scf.for", k.text())

    def test_a_refused_program_leaves_the_file(self):
        with S.Kernel() as k:
            x, y = k.input("x", "int8", 32), k.output("y", "int8", 32)
            for _ in k.range(1 << 21):
                for _ in k.range(1 << 21):
                    S.vstore(S.vload(x), y)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "kept.zyp"
            path.write_bytes(b"old")
            with self.assertRaisesRegex(S.ZhouyiError, "steps"):
                k.save(path)
            self.assertEqual(path.read_bytes(), b"old")

    def test_conversions_and_matrices(self):
        with S.Kernel() as k:
            x, y = k.input("x", np.int32, 8), k.output("y", np.dtype("float32"), (2, 4))
            halves, m = k.input("h", "float16", 16), k.output("m", "float32", 16)
            value = S.fma(S.float32x8(0.5), S.cast(S.vload(x), "float32"), 0.25, mask="6T2F")
            S.vstore(value, y)
            loaded = S.vload(halves)
            S.vmml(m, loaded, loaded)
            bits = k.output("bits", "uint8", 32)
            S.vstore(S.reinterpret(value, "uint8"), bits)
        x, h = np.arange(8, dtype=np.int32), np.arange(16, dtype=np.float16)
        out = k.run(x=x, h=h)
        expected = (np.where(np.arange(8) < 6, x * 0.25, 0) + 0.5).astype(np.float32).reshape(2, 4)
        np.testing.assert_array_equal(out["y"], expected)
        np.testing.assert_array_equal(out["bits"], expected.ravel().view(np.uint8))
        np.testing.assert_array_equal(out["m"].reshape(4, 4), h.astype(float).reshape(4, 4) @ h.astype(float).reshape(4, 4).T)

    def test_infinite_constants(self):
        with S.Kernel() as k:
            x, y = S.vload(k.input("x", "float32", 8)), k.output("y", "float32", 8)
            S.vstore(S.clip(S.vadd(x, float("inf"), "4T4F", r=float("nan")), 0, float("inf"), "8T"), y)
        np.testing.assert_array_equal(k.run(x=np.zeros(8, np.float32))["y"], [np.inf] * 4 + [np.nan] * 4)

    def test_strides(self):
        with S.Kernel() as k:
            x, y = k.input("x", "int16", (16, 16)), k.output("y", "int16", (16, 16))
            for i in k.range(16):
                S.vstore(S.vload(x + i, stride=16), y + 16 * i)
        x = np.arange(256, dtype=np.int16).reshape(16, 16)
        np.testing.assert_array_equal(k.run(x=x)["y"], x.T)

    def test_same_numbers_as_eager(self):
        x, y = (np.random.default_rng(seed).integers(-32768, 32768, 16).astype(np.int16) for seed in (4, 5))
        mask = "2T1F1T2F_10T"
        with S.Kernel() as k:
            a, b = S.vload(k.input("x", "int16", 16)), S.vload(k.input("y", "int16", 16))
            for name, value in (("sum", S.vadd(a, b, mask, saturate=True, r=-1)), ("less", S.vsub(a, 7, mask, r=b)),
                                ("product", S.vmull(a, b, mask, out_sign="s", r=0)), ("clipped", S.clip(a, -100, 100, mask))):
                S.vstore(value, k.output(name, value.dtype.element.name, value.lanes))
        out = k.run(x=x, y=y)
        np.testing.assert_array_equal(out["sum"], np.asarray(S.vadd(x, y, mask, saturate=True, r=-1)))
        np.testing.assert_array_equal(out["less"], np.asarray(S.vsub(x, 7, mask, r=y)))
        np.testing.assert_array_equal(out["product"], np.asarray(S.vmull(x, y, mask, out_sign="s", r=0)))
        np.testing.assert_array_equal(out["clipped"], np.asarray(S.clip(x, -100, 100, mask)))

    def test_every_function_with_every_type(self):
        """What a program gives is what the call gives, defined lanes and all."""
        rng = np.random.default_rng(6)
        count = 0
        for name, row in _catalog.functions("zhouyi").items():
            slots = [slot["name"] for slot in row["slots"] if slot["kind"] in ("vector", "vector_or_scalar") and not slot["optional"]]
            for signature in row["signatures"]:
                types = [getattr(S, text) for text in signature["operands"]]
                arrays = [numbers(rng, kind) for kind in types]
                if name == "clip":
                    arrays[1:] = [np.minimum(*arrays[1:]), np.maximum(*arrays[1:])]
                options = {"out_sign": signature["out_sign"]} if signature["out_sign"] else {}
                if "mask" in row["features"]:
                    lanes = types[0 if name.startswith("vfma") else -1].lanes
                    options["mask"] = rng.integers(0, 2, lanes).astype(bool)
                self.check_call(name, slots, types, arrays, options)
                count += 1
        self.assertGreater(count, 150)

    def check_call(self, name, slots, types, arrays, options):
        memory = np.zeros(16, np.float32)
        pointers = {"vmml": "ptr", "vmma": "acc_ptr"}
        with S.Kernel(name) as k:
            values = {slot: S.vload(k.input(slot, kind, kind.lanes)) for slot, kind in zip(slots, types)}
            eager = dict(zip(slots, arrays))
            if name in pointers:
                values[pointers[name]], eager[pointers[name]] = k.output("out", "float32", 16), memory
            expected = getattr(S, name)(**eager, **options)
            value = getattr(S, name)(**values, **options)
            if expected is not None:
                self.assertIs(value.dtype, expected.dtype)
                S.vstore(value, k.output("out", value.dtype, value.lanes), mask=expected.defined)
        found = k.run(**dict(zip(slots, arrays)))["out"]
        wanted = memory if expected is None else expected.values
        np.testing.assert_array_equal(found.view(f"u{found.itemsize}"), wanted.view(f"u{found.itemsize}"), err_msg=f"{name} {types} {options}")

    def test_loops_in_loops(self):
        """Variables that several loops change, and one that none does."""
        with S.Kernel("Zahlen äöü") as k:
            x, y = k.input("größe", "int32", (6, 8)), k.output("y", "int32", 24)
            total, kept, last = k.variable(S.int32x8(0)), k.variable(S.int32x8(5)), k.variable(S.int32x8(-1))
            for i in k.range(3):
                part = k.variable(total)
                for j in k.range(2):
                    last.value = S.vload(x + 16 * i + 8 * j)
                    part.value = S.vadd(part, S.vmul(last, kept))
                total.value = S.vsub(part, i.constant)
            for place, variable in enumerate((total, kept, last)):
                S.vstore(variable, y + 8 * place)
        rows = np.arange(48, dtype=np.int32).reshape(6, 8)
        out = k.run(**{"größe": rows})["y"].reshape(3, 8)
        np.testing.assert_array_equal(out, [rows.sum(0) * 5, [5] * 8, rows[-1]])

    def refused(self, text, body):
        with self.assertRaises(S.ZhouyiError) as caught:
            with S.Kernel() as k:
                body(k)
            k.run(**{name: np.zeros(shape, kind) for name, (kind, shape) in k.model().inputs.items()})
        self.assertIn(text, caught.exception.reason)
        return caught.exception

    def test_faults_are_told_at_their_line(self):
        def types(k):
            S.vadd(S.vload(k.input("x", "int8", 32)), S.uint8x32(0))  # types

        def bounds(k):
            x, y = k.input("x", "int8", 100), k.output("y", "int8", 128)
            for i in k.range(4):
                S.vstore(S.vload(x + 32 * i), y + 32 * i)  # here

        def ended(k):
            x = k.input("x", "int8", 32)
            for _ in k.range(2):
                v = S.vload(x)
            S.vabs(v)

        def left(k):
            x, y = k.input("x", "int8", 32), k.output("y", "int8", 32)
            for _ in k.range(2):  # left
                S.vstore(S.vload(x), y)
                break

        def no_number(k):
            S.clip(S.vload(k.input("x", "float32", 8)), -1.0, float("nan"))

        def undefined(k):
            S.vstore(S.vabs(S.vload(k.input("x", "int8", 32)), "16T"), k.output("y", "int8", 32))  # here

        def wrong_type(k):
            S.vstore(S.int32x8(1), k.output("y", "int8", 32))  # here

        def written_input(k):
            x, y = k.input("x", "int8", 32), k.output("y", "int8", 32)
            S.vstore(S.vload(x), y)
            S.vstore(S.vload(x), x)  # here

        error = self.refused("vadd: x is int8x32, y is uint8x32", types)
        self.assertEqual(error.file, __file__)
        self.assertIn("# types", str(error))
        self.refused("loop that has ended", ended)
        self.refused("clip: max_val is nan", no_number)
        for text, body in (("touches bytes 0 to 127 of buffer 'x', which has 100", bounds), ("lane 16 is stored but has no defined value", undefined),
                           ("writes to buffer 'x'; weights and inputs are only read", written_input), ("store: pointer is to 'si8', vector is of 'si32'", wrong_type)):
            error = self.refused(text, body)
            self.assertEqual(error.file, __file__)
            self.assertIn("# here", str(error))
        error = self.refused("left before its end", left)
        self.assertIn("k.range(2):  # left", str(error))
        def long(k):
            x, y = k.input("x", "int8", 32), k.output("y", "int8", 32)
            for _ in k.range(2 ** 41):  # long
                S.vstore(S.vload(x), y)

        self.assertIn("# long", str(self.refused("", long)))
        for wrong in (lambda k: k.input("x", "int8", 4.0), lambda k: k.input("x", "int8", (4, -1)), lambda k: k.input("", "int8", 4),
                      lambda k: k.input(3, "int8", 4), lambda k: k.input("x", "int64", 4), lambda k: list(k.range(0, 9, 0)), lambda k: list(k.range())):
            self.refused("", wrong)
        def nested(k):
            return [i * j for i in k.range(3) for j in k.range(4)]

        for text, wrong in (
                ("buffer 'x' has the shape [4.0]; give whole numbers", lambda k: k.input("x", "int8", 4.0)),
                ("a step that is not 0", lambda k: k.range(0, 9, 0)),
                ("a bound of a loop is 1.5; give a whole number", lambda k: k.range(1.5)),
                ("a bound of a loop is an index of a kernel; give", lambda k: [k.range(i) for i in k.range(4)]),
                ("dtype is 'float64'; give a type", lambda k: k.input("x", np.float64, 4)),
                ("an index of a kernel times an index; multiply by a whole number", nested),
                ("cannot be divided; give the loop the step", lambda k: [i / 2 for i in k.range(4)]),
                ("cannot be divided", lambda k: [i // 2 for i in k.range(4)]),
                ("cannot be divided", lambda k: [2 / i for i in k.range(4)]),
                ("cannot be divided", lambda k: [i % 2 for i in k.range(4)]),
                ("scratch 's': size is 4.5; give a whole number", lambda k: k.scratch("s", "int8", 4.5)),
                ("vload: lanes is 4.0; give a whole number", lambda k: S.vload(k.input("x", "int8", 32), lanes=4.0)),
                ("stride is 1.5; give a whole number", lambda k: S.vload(k.input("x", "int8", 32), stride=1.5)),
                ("tail_mask: lanes is 8.0; give", lambda k: [S.tail_mask(4 - i, 8.0) for i in k.range(4)]),
                ("vadd: mask is an empty string", lambda k: S.vadd(S.vload(k.input("x", "int8", 32)), 1, ""))):
            self.assertEqual(self.refused(text, wrong).file, __file__)
        with S.Kernel() as k:
            self.assertEqual(k.input("x", np.float16, 4).element.name, "float16")
        self.refused("no pass", lambda k: list(k.range(0)))
        self.refused("name of its own", lambda k: (k.input("x", "int8", 4), k.output("x", "int8", 4)))

    def test_index_is_no_number(self):
        for condition in (lambda i, v: i, lambda i, v: i == 0, lambda i, v: i < 2, lambda i, v: v, lambda i, v: S.tail_mask(i, 8)):
            with self.assertRaisesRegex(S.ZhouyiError, "not known while the kernel is recorded"):
                with S.Kernel() as k:
                    x = k.input("x", "int8", 32)
                    for i in k.range(4):
                        if condition(i, S.vload(x)):
                            pass
        with self.assertRaisesRegex(S.ZhouyiError, "has ended"):
            S.vload(k.input("late", "int8", 32))


if __name__ == "__main__":
    unittest.main()

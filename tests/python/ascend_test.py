#!/usr/bin/env python3
"""Ascend in Python: moves against an index formula, layouts, inverse, warnings, errors at the caller's line.

  ascend_test.py PYTHON_FOLDER NATIVE_FOLDER
"""
import os
import sys
import unittest
import warnings

import numpy as np

sys.path.insert(0, sys.argv[1])
os.environ["WEFT_NATIVE_DIR"] = sys.argv[2]
del sys.argv[1:3]
import ml_dtypes  # noqa: E402
import weft.ascend as A  # noqa: E402

NAMES = "sid ndNum nValue dValue srcNdMatrixStride srcDValue dstNzC0Stride dstNzNStride dstNzMatrixStride".split()
SUFFIX = {1: "b8", 2: "b16", 4: "b32s"}
TYPES = [np.int8, np.uint8, np.int16, np.uint16, np.float16, ml_dtypes.bfloat16, np.int32, np.uint32, np.float32]


def numbered(count, kind):
    """Elements that all differ as far as the type allows, as bits."""
    kind = np.dtype(kind)
    return np.arange(1, count + 1).astype(f"u{kind.itemsize}").view(kind)


def move(*values):
    return dict(zip(NAMES, values))


def function(kind):
    return getattr(A, f"copy_gm_to_cbuf_multi_nd2nz_{SUFFIX[np.dtype(kind).itemsize]}")


def nz(matrix, reserved):
    """[rows, columns] as [K1, reserved, C0] by reshaping."""
    block = 32 // matrix.itemsize
    rows, columns = matrix.shape
    blocks = -(-columns // block)
    full = np.zeros((reserved, blocks * block), matrix.dtype)
    full[:rows, :columns] = matrix
    return full.reshape(reserved, blocks, block).transpose(1, 0, 2)


class Moves(unittest.TestCase):
    def test_two_matrices_with_tails_and_an_unwritten_row(self):
        src, l1 = np.arange(200, dtype=np.int16), np.full(240, -1, np.int16)
        A.copy_gm_to_cbuf_multi_nd2nz_b16(l1, src, 0, 2, 3, 20, 80, 24, 4, 1, 128)
        blocks = l1.reshape(15, 16)
        for block, first in ((0, 0), (1, 24), (2, 48), (8, 80), (9, 104), (10, 128)):
            np.testing.assert_array_equal(blocks[block], range(first, first + 16))
        for block, first in ((4, 16), (5, 40), (6, 64), (12, 96), (13, 120), (14, 144)):
            np.testing.assert_array_equal(blocks[block], [*range(first, first + 4), *[0] * 12])
        for block in (3, 7, 11):
            np.testing.assert_array_equal(blocks[block], -1)

    def test_every_type(self):
        for kind in TYPES:
            src = numbered(3 * 20, kind).reshape(3, 20)
            l1 = numbered(3 * 64, kind)
            blocks = -(-20 * src.itemsize // 32)
            function(kind)(l1, src, **move(0, 1, 3, 20, 0, 20, 3, 1, 0))
            expected = nz(src, 3).reshape(-1)
            np.testing.assert_array_equal(l1[:blocks * 3 * 32 // src.itemsize].view("u1"), expected.view("u1"), err_msg=str(kind))

    def test_pointers(self):
        src, l1 = np.arange(100, dtype=np.int8), np.full(128, 9, np.int8)
        A.copy_gm_to_cbuf_multi_nd2nz_b8(A.pointer(l1) + 64, A.pointer(src, 7), 255, 1, 1, 5, 0, 1, 1, 1, 0)
        np.testing.assert_array_equal(l1, [9] * 64 + [7, 8, 9, 10, 11] + [0] * 27 + [9] * 32)

    def test_inverse(self):
        numbers = move(0, 2, 3, 20, 80, 24, 4, 1, 128)
        src = np.arange(200, dtype=np.int16)
        l1, back = np.zeros(240, np.int16), np.full(200, -1, np.int16)
        A.copy_gm_to_cbuf_multi_nd2nz_b16(l1, src, **numbers)
        A.inverse(l1, back, **numbers)
        read = np.zeros(200, bool)
        for matrix in range(2):
            for row in range(3):
                read[matrix * 80 + row * 24:][:20] = True
        np.testing.assert_array_equal(back, np.where(read, src, -1))

    def test_nothing_is_moved_with_a_warning(self):
        src, l1 = np.arange(8, dtype=np.int8), np.full(32, 7, np.int8)
        for place in ("ndNum", "nValue", "dValue"):
            numbers = dict(move(0, 1, 1, 8, 0, 8, 1, 1, 0), **{place: 0})
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                A.copy_gm_to_cbuf_multi_nd2nz_b8(l1, src, **numbers)
            self.assertEqual([w.category for w in caught], [A.AscendWarning])
            self.assertIn(f"{place} is 0: nothing is moved", str(caught[0].message))
            self.assertEqual(caught[0].filename, __file__)
        np.testing.assert_array_equal(l1, 7)


class Layouts(unittest.TestCase):
    def run_moves(self, moves, gm, elements):
        """L1 after the moves; they also undo themselves."""
        l1, back = np.zeros(elements, gm.dtype), np.zeros_like(gm)
        self.assertGreater(len(moves), 0)
        for one in moves:
            one(l1, gm)
        for one in moves:
            one.inverse(l1, back)
        np.testing.assert_array_equal(back.view("u1"), gm.view("u1"))
        return l1

    def test_nd_to_nz(self):
        for kind in (np.uint8, np.float16, np.int32):
            gm = numbered(2 * 19 * 37, kind).reshape(2, 19, 37)
            moves = A.nd_to_nz(19, 37, kind, count=2)
            expected = np.concatenate([nz(matrix, 32).ravel() for matrix in gm])
            np.testing.assert_array_equal(self.run_moves(moves, gm, expected.size), expected)

    def test_nhwc_to_nc1hwc0(self):
        for kind in (np.int8, np.uint16, np.float32):
            n, h, w, c = shape = (2, 3, 5, 21)
            gm = numbered(n * h * w * c, kind).reshape(shape)
            expected = np.concatenate([nz(image.reshape(h * w, c), h * w).ravel() for image in gm])
            np.testing.assert_array_equal(self.run_moves(A.nhwc_to_nc1hwc0(shape, kind), gm, expected.size), expected)

    def test_a_box_of_an_image(self):
        gm = numbered(4 * 6 * 8, np.uint16).reshape(1, 4, 6, 8)
        l1 = np.zeros(2 * 3 * 16, np.uint16)
        for one in A.nhwc_to_nc1hwc0(gm.shape, np.uint16, begin=(0, 1, 2, 0), size=(1, 2, 3, 8)):
            one(l1, gm)
        np.testing.assert_array_equal(l1, nz(gm[0, 1:3, 2:5].reshape(6, 8), 6).ravel())

    def test_nhwc_to_c1hwnc0(self):
        n, h, w, c = shape = (3, 2, 2, 40)
        gm = numbered(n * h * w * c, np.int16).reshape(shape)
        for reserved in (3, 16):
            moves = A.nhwc_to_c1hwnc0(shape, np.int16, reserved=reserved)
            full = np.zeros((reserved, h, w, 48), np.int16)
            full[:n, :, :, :c] = gm
            expected = full.reshape(reserved, h, w, 3, 16).transpose(3, 1, 2, 0, 4).ravel()
            np.testing.assert_array_equal(self.run_moves(moves, gm, expected.size), expected)

    def test_sizes_beyond_one_instruction_are_split(self):
        moves = A.nd_to_nz(20000, 8, np.float16, reserved=20000)
        self.assertGreater(len(moves), 1)
        self.assertEqual(sum(one["ndNum"] * one["nValue"] for one in moves), 20000)

    def test_numbers_are_checked(self):
        for call in (lambda: A.nd_to_nz(-1, 8, np.int8), lambda: A.nd_to_nz(1, 8, np.float64), lambda: A.nhwc_to_nc1hwc0((1, 2, 3), np.int8),
                     lambda: A.nhwc_to_nc1hwc0((1, 2, 3, 4), np.int8, begin=(0, 1, 0, 0), size=(1, 2, 3, 4)), lambda: A.nd_to_nz(1.5, 8, np.int8)):
            self.assertRaises(A.AscendError, call)
        for text, call in (("dtype is 'bf17'; give int8", lambda: A.nd_to_nz(1, 8, "bf17")), ("dtype is None; give", lambda: A.nd_to_nz(1, 8, None)),
                           ("shape is 'abc'; give four whole numbers: n, h, w, c", lambda: A.nhwc_to_nc1hwc0("abc", np.int8)),
                           ("shape is 4; give four", lambda: A.nhwc_to_c1hwnc0(4, np.int8)), ("shape (1, 2) has 2 numbers", lambda: A.nhwc_to_nc1hwc0((1, 2), "int8")),
                           ("begin is 3; give four", lambda: A.nhwc_to_nc1hwc0((1, 2, 3, 4), np.int8, begin=3)),
                           ("size is (1, 2, 3, 'c'); give four", lambda: A.nhwc_to_nc1hwc0((1, 2, 3, 4), np.int8, size=(1, 2, 3, "c")))):
            with self.assertRaises(A.AscendError) as caught:
                call()
            self.assertIn(text, caught.exception.reason)
            self.assertEqual(caught.exception.file, __file__)

    def test_names_of_types(self):
        for name, kind in (("bf16", ml_dtypes.bfloat16), ("bfloat16", ml_dtypes.bfloat16), ("fp16", np.float16), ("float32", np.float32)):
            self.assertEqual(A.nhwc_to_nc1hwc0((1, 2, 3, 40), name), A.nhwc_to_nc1hwc0((1, 2, 3, 40), kind))

    def test_nd_to_zz(self):
        for kind in (np.uint8, np.float16, np.int32):
            gm = numbered(2 * 19 * 37, kind).reshape(2, 19, 37)
            block = 32 // gm.itemsize
            full = np.zeros((2, 32, -(-48 // block) * block), kind)
            full[:, :19, :37] = gm
            expected = full.reshape(2, 2, 16, -1, block).transpose(0, 1, 3, 2, 4).ravel()
            np.testing.assert_array_equal(self.run_moves(A.nd_to_zz(19, 37, kind, count=2), gm, expected.size), expected)


class Errors(unittest.TestCase):
    def refused(self, text, l1, src, kind=np.int16, **changes):
        numbers = dict(move(0, 2, 3, 20, 80, 24, 4, 1, 128), **changes)
        before = None if not isinstance(l1, np.ndarray) else l1.copy()
        with self.assertRaises(A.AscendError) as caught:
            function(kind)(l1, src, **numbers)
        self.assertIn(text, caught.exception.reason)
        self.assertEqual(caught.exception.file, __file__)
        if before is not None:
            np.testing.assert_array_equal(l1, before)

    def test_every_rule(self):
        src, l1 = np.arange(200, dtype=np.int16), np.full(240, -1, np.int16)
        self.refused("ndNum is 4096, must be 0 to 4095", l1, src, ndNum=4096)
        self.refused("sid is 256", l1, src, sid=256)
        self.refused("dstNzMatrixStride", l1, src, dstNzMatrixStride=0)
        self.refused("dstNzMatrixStride is 120 elements, 240 bytes", l1, src, dstNzMatrixStride=120)
        self.refused("must not overlap", l1, src, dstNzC0Stride=2)
        self.refused("dst is int8", l1.view(np.int8), src)
        self.refused("the rows end at byte 296, the source at byte 294", l1, src[:147].copy())
        self.refused("the blocks end at byte 480, the buffer in L1 at byte 478", l1[:239].copy(), src)
        self.refused("dst is at byte 2 of L1; dst must be aligned to 32 bytes", A.pointer(l1, 1), src)
        self.refused("nValue is 1.5; give an integer", l1, src, nValue=1.5)
        self.refused("dst is a read-only array", np.broadcast_to(np.int16(0), (1,)), src)
        self.refused("a memory is a numpy array", [1, 2], src)
        self.refused("strides", np.zeros((4, 4), np.int16).T, src)
        with self.assertRaisesRegex(TypeError, r"^copy_gm_to_cbuf_multi_nd2nz_b16: missing .*; call it as A\.copy"):
            A.copy_gm_to_cbuf_multi_nd2nz_b16(l1, src, 0, 1)

    def test_types(self):
        self.refused("int64", np.zeros(64, np.int64), np.zeros(64, np.int64))
        self.refused("dst is int16, src is uint16", np.zeros(240, np.int16), np.zeros(200, np.uint16))


if __name__ == "__main__":
    unittest.main()

"""Reference model of copy_gm_to_cbuf_multi_nd2nz as index equations, its inverse and its presets; numpy only.

Written from the document and docs/rationale/0008-two-more-operation-sets.md alone, never from the C++ that it judges. Global
memory and L1 are 1-D uint8 arrays, addresses are byte offsets into them. Parameters have the document's names and units: ndNum,
nValue, dValue, srcNdMatrixStride, srcDValue, dstNzMatrixStride count matrices, rows or elements; dstNzC0Stride and dstNzNStride
count blocks of 32 bytes.
"""
import numpy as np

BLOCK = 32
L1_BYTES = 512 * 1024
ELEMENT_BYTES = (1, 2, 4)
RANGES = {"sid": (0, 255), "ndNum": (0, 4095), "nValue": (0, 16384), "dValue": (0, 65535), "srcNdMatrixStride": (0, 65535),
          "srcDValue": (1, 65535), "dstNzC0Stride": (1, 16384), "dstNzNStride": (1, 16384), "dstNzMatrixStride": (0, 65535)}


class Illegal(Exception):
    """A call that the document or a named choice forbids; `reason` is the word of problem()."""

    def __init__(self, reason):
        super().__init__(reason)
        self.reason = reason


def blocks_of_row(element_bytes, dValue):
    return -(-dValue * element_bytes // BLOCK)


def indices(element_bytes, sid, ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride, dstNzNStride, dstNzMatrixStride,
            dst_address=0, src_address=0):
    """Byte indices (to, source, real) for matrix i, row j and byte b of the padded row.

    to and source have the shape [ndNum, nValue, 32 * blocks]; real, [32 * blocks], is False for the zeros behind the row's end.
    """
    i = np.arange(ndNum, dtype=np.int64)[:, None, None]
    j = np.arange(nValue, dtype=np.int64)[None, :, None]
    b = np.arange(BLOCK * blocks_of_row(element_bytes, dValue), dtype=np.int64)
    source = src_address + (i * srcNdMatrixStride + j * srcDValue) * element_bytes + b
    to = (dst_address + i * dstNzMatrixStride * element_bytes
          + BLOCK * (j * dstNzNStride + b // BLOCK * dstNzC0Stride) + b % BLOCK)
    return to, source, b < dValue * element_bytes


def problem(element_bytes, sid, ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride, dstNzNStride, dstNzMatrixStride,
            dst_address=0, src_address=0, source_bytes=None, l1_bytes=L1_BYTES):
    """None for a legal move, "empty" for one that moves nothing, else range, matrix_stride, alignment, l1_end, source_end or overlap.

    source_bytes is the size of global memory (None: unlimited). If several hold, the first of this order is told.
    """
    if ndNum == 0 or nValue == 0 or dValue == 0:
        return "empty"
    given = dict(sid=sid, ndNum=ndNum, nValue=nValue, dValue=dValue, srcNdMatrixStride=srcNdMatrixStride, srcDValue=srcDValue,
                 dstNzC0Stride=dstNzC0Stride, dstNzNStride=dstNzNStride, dstNzMatrixStride=dstNzMatrixStride)
    if element_bytes not in ELEMENT_BYTES or any(not low <= given[name] <= high for name, (low, high) in RANGES.items()):
        return "range"
    if ndNum > 1 and (dstNzMatrixStride == 0 or dstNzMatrixStride * element_bytes % BLOCK):
        return "matrix_stride"
    if dst_address % BLOCK or src_address % element_bytes:
        return "alignment"
    blocks = blocks_of_row(element_bytes, dValue)
    last = ((ndNum - 1) * dstNzMatrixStride * element_bytes // BLOCK + (nValue - 1) * dstNzNStride + (blocks - 1) * dstNzC0Stride)
    if dst_address < 0 or dst_address + (last + 1) * BLOCK > l1_bytes:
        return "l1_end"
    source_end = src_address + ((ndNum - 1) * srcNdMatrixStride + (nValue - 1) * srcDValue + dValue) * element_bytes
    if src_address < 0 or (source_bytes is not None and source_end > source_bytes):
        return "source_end"
    # All blocks lie in the `last + 1` places from dst on: more blocks than places share one.
    if ndNum * nValue * blocks > last + 1:
        return "overlap"
    places = (np.arange(ndNum)[:, None, None] * (dstNzMatrixStride * element_bytes // BLOCK)
              + np.arange(nValue)[None, :, None] * dstNzNStride + np.arange(blocks) * dstNzC0Stride)
    return "overlap" if np.bincount(places.reshape(-1)).max() > 1 else None


def nd2nz(dst, src, element_bytes, sid, ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride, dstNzNStride,
          dstNzMatrixStride, dst_address=0, src_address=0):
    """L1 after the move: a copy of `dst` (all of L1 or a piece of it) with the blocks of `src` written. Raises Illegal."""
    call = (element_bytes, sid, ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride, dstNzNStride, dstNzMatrixStride,
            dst_address, src_address)
    reason = problem(*call, source_bytes=len(src), l1_bytes=len(dst))
    after = dst.copy()
    if reason == "empty":
        return after
    if reason:
        raise Illegal(reason)
    to, source, real = indices(*call)
    after[to] = 0
    after[to[..., real]] = src[source[..., real]]
    return after


def inverse(l1, element_bytes, sid, ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride, dstNzNStride,
            dstNzMatrixStride, dst_address=0):
    """The rows that the move of these parameters has written to l1: uint8 [ndNum, nValue, dValue * element_bytes]."""
    to, _, real = indices(element_bytes, sid, ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride, dstNzNStride,
                          dstNzMatrixStride, dst_address)
    return l1[to[..., real]]


# Presets: the parameters of the three layouts, for sources without gaps.

def nd_to_nz(matrices, n, d, element_bytes, rows=None):
    """[matrices, n, d] to [matrices, D1, rows, C0]; rows is n rounded up to 16 (whole fractals) unless given."""
    rows = -(-n // 16) * 16 if rows is None else rows
    c0 = BLOCK // element_bytes
    return dict(sid=0, ndNum=matrices, nValue=n, dValue=d, srcNdMatrixStride=n * d if matrices > 1 else 0, srcDValue=d,
                dstNzC0Stride=rows, dstNzNStride=1,
                dstNzMatrixStride=-(-d // c0) * rows * c0 if matrices > 1 else 0)


def nhwc_to_nc1hwc0(n, h, w, c, element_bytes):
    """[n, h, w, c] to [n, C1, h, w, C0]: one matrix an image, one row a pixel."""
    return nd_to_nz(n, h * w, c, element_bytes, rows=h * w)


def nhwc_to_c1hwnc0(n, h, w, c, element_bytes):
    """[n, h, w, c] to [C1, h, w, n, C0]: images lie side by side, one block apart."""
    return dict(sid=0, ndNum=n, nValue=h * w, dValue=c, srcNdMatrixStride=h * w * c if n > 1 else 0, srcDValue=c,
                dstNzC0Stride=h * w * n, dstNzNStride=n, dstNzMatrixStride=BLOCK // element_bytes if n > 1 else 0)


# The layouts themselves, from arrays of elements, with zeros behind the last channel.

def split_last(values):
    """[..., d] to [..., D1, C0] with zeros."""
    c0 = BLOCK // values.dtype.itemsize
    missing = -values.shape[-1] % c0
    padded = np.pad(values, [(0, 0)] * (values.ndim - 1) + [(0, missing)])
    return padded.reshape(*values.shape[:-1], -1, c0)


def nz_layout(values, rows=None):
    """[m, n, d] as [m, D1, rows, C0]; rows beyond n are zeros here (a move leaves them as they were)."""
    rows = -(-values.shape[1] // 16) * 16 if rows is None else rows
    padded = np.pad(values, [(0, 0), (0, rows - values.shape[1]), (0, 0)])
    return np.ascontiguousarray(split_last(padded).transpose(0, 2, 1, 3))


def nc1hwc0_layout(values):
    """[n, h, w, c] as [n, C1, h, w, C0]."""
    return np.ascontiguousarray(split_last(values).transpose(0, 3, 1, 2, 4))


def c1hwnc0_layout(values):
    """[n, h, w, c] as [C1, h, w, n, C0]."""
    return np.ascontiguousarray(split_last(values).transpose(3, 1, 2, 0, 4))

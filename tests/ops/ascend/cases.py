"""Calls of copy_gm_to_cbuf_multi_nd2nz: all small shapes, random large ones, and illegal ones with model.problem's word.

A `Move` has the document's parameters and, beside them, byte addresses of dst and src and the sizes of both memories.
"""
import itertools
from typing import NamedTuple

import numpy as np

import model

MODES = ("nd_to_nz", "nhwc_to_nc1hwc0", "nhwc_to_c1hwnc0", "strided")


class Move(NamedTuple):
    element_bytes: int
    parameters: dict  # sid, ndNum, .. dstNzMatrixStride
    dst_address: int = 0
    src_address: int = 0
    source_bytes: int = 0
    l1_bytes: int = model.L1_BYTES
    name: str = "strided"

    def problem(self):
        return model.problem(self.element_bytes, **self.parameters, dst_address=self.dst_address, src_address=self.src_address,
                             source_bytes=self.source_bytes, l1_bytes=self.l1_bytes)

    def run(self, dst, src):
        return model.nd2nz(dst, src, self.element_bytes, **self.parameters, dst_address=self.dst_address, src_address=self.src_address)


def source_end(element_bytes, parameters, src_address=0):
    """The first byte behind what the move reads."""
    p = parameters
    last = (p["ndNum"] - 1) * p["srcNdMatrixStride"] + (p["nValue"] - 1) * p["srcDValue"] + p["dValue"]
    return src_address + last * element_bytes if p["ndNum"] and p["nValue"] and p["dValue"] else src_address


def l1_end(element_bytes, parameters, dst_address=0):
    """The first byte behind what the move writes; the matrix stride has to be whole blocks."""
    p, blocks = parameters, model.blocks_of_row(element_bytes, parameters["dValue"])
    if not (p["ndNum"] and p["nValue"] and p["dValue"]):
        return dst_address
    last = (p["nValue"] - 1) * p["dstNzNStride"] + (blocks - 1) * p["dstNzC0Stride"] + 1
    return dst_address + (p["ndNum"] - 1) * p["dstNzMatrixStride"] * element_bytes + last * model.BLOCK


def fitted(element_bytes, parameters, dst_address=0, src_address=0, name="strided"):
    """A move whose source ends with its last element and whose L1 ends with its last block."""
    return Move(element_bytes, parameters, dst_address, src_address, source_end(element_bytes, parameters, src_address),
                l1_end(element_bytes, parameters, dst_address), name)


def small_moves():
    """Every combination of small counts and strides, widths around the borders of a block; illegal ones (overlap) among them."""
    for element_bytes in model.ELEMENT_BYTES:
        block = model.BLOCK // element_bytes
        for matrices, rows, width in itertools.product((0, 1, 2, 3), (0, 1, 2, 3), (0, 1, block - 1, block, block + 1, 2 * block, 2 * block + 1)):
            for source_row, c0_stride, n_stride in itertools.product((1, width or 1, width + 1), (1, 2, 3, 6), (1, 2, 3)):
                strides = ((0, 0),) if matrices < 2 else itertools.product((0, width * 3), (block, 2 * block, 6 * block, 18 * block))
                for source_matrix, matrix_stride in strides:
                    yield fitted(element_bytes, dict(
                        sid=0, ndNum=matrices, nValue=rows, dValue=width, srcNdMatrixStride=source_matrix, srcDValue=source_row,
                        dstNzC0Stride=c0_stride, dstNzNStride=n_stride, dstNzMatrixStride=matrix_stride))


def low(rng, top):
    """1 to top, small numbers more often."""
    return int(min(top, np.exp(rng.random() * np.log(top + 1))))


def preset_move(rng, name, element_bytes):
    """A random shape of one of the three layouts that fits L1."""
    while True:
        if name == "nd_to_nz":
            parameters = model.nd_to_nz(low(rng, 9), low(rng, 500), low(rng, 900), element_bytes)
        else:
            shape = low(rng, 6), low(rng, 30), low(rng, 30), low(rng, 200)
            parameters = getattr(model, name)(*shape, element_bytes)
        move = fitted(element_bytes, parameters, name=name)
        if move.l1_bytes <= model.L1_BYTES and move.problem() is None:
            return move


def strided_move(rng, element_bytes):
    """Any parameters in their ranges whose blocks fit L1 and do not meet."""
    block = model.BLOCK // element_bytes
    while True:
        matrices, rows, width = low(rng, 20), low(rng, 200), low(rng, 600)
        blocks = model.blocks_of_row(element_bytes, width)
        n_stride = low(rng, 20)
        c0_stride = min(16384, rows * n_stride + low(rng, 20) - 1) if rng.random() < 0.6 else low(rng, 60)
        if rng.random() < 0.3:
            n_stride = min(16384, blocks * c0_stride)
        matrix_blocks = (rows - 1) * n_stride + (blocks - 1) * c0_stride + low(rng, 9) if rng.random() < 0.7 else low(rng, 40)
        gap = width + low(rng, 50) - 1 if rng.random() < 0.7 else low(rng, 2 * width)
        parameters = dict(sid=int(rng.integers(256)), ndNum=matrices, nValue=rows, dValue=width,
                          srcNdMatrixStride=min(65535, int(rng.choice([0, rows * gap, low(rng, 3000)]))), srcDValue=gap,
                          dstNzC0Stride=c0_stride, dstNzNStride=n_stride, dstNzMatrixStride=min(65535 // block, matrix_blocks) * block)
        move = fitted(element_bytes, parameters, model.BLOCK * int(rng.integers(0, 40)), element_bytes * int(rng.integers(0, 40)))
        if move.l1_bytes <= model.L1_BYTES and move.problem() is None:
            return move


def random_move(rng):
    """A legal move of a random mode and element size; a third of them use all of L1 and more source than they need."""
    name, element_bytes = str(rng.choice(MODES)), int(rng.choice(model.ELEMENT_BYTES))
    move = strided_move(rng, element_bytes) if name == "strided" else preset_move(rng, name, element_bytes)
    if rng.random() < 0.33:
        move = move._replace(l1_bytes=model.L1_BYTES, source_bytes=move.source_bytes + int(rng.integers(0, 100)))
    return move


# Illegal moves.

FAULTS = ("range", "matrix_stride", "alignment", "source_end", "l1_end", "overlap")


def out_of_range(rng, move):
    """One parameter beside its range; 16-bit arguments cannot even hold some of them."""
    name = str(rng.choice(list(model.RANGES)))
    bottom, top = model.RANGES[name]
    value = top + int(rng.choice([1, 7, 70000])) if bottom == 0 or rng.random() < 0.5 else bottom - 1
    return move._replace(parameters=move.parameters | {name: value})


def several(move, element_bytes):
    """The same move with at least two matrices."""
    if move.parameters["ndNum"] > 1:
        return move
    return move._replace(parameters=move.parameters | dict(ndNum=2, dstNzMatrixStride=model.BLOCK // element_bytes))


def illegal_move(rng, fault):
    """A random move for which model.problem gives the word `fault`."""
    while True:
        move = random_move(rng)
        p, size = move.parameters, move.element_bytes
        if fault == "range":
            move = out_of_range(rng, move)
        elif fault == "matrix_stride":
            odd = int(rng.integers(1, 65535))
            move = several(move, size)
            stride = 0 if rng.random() < 0.3 or odd * size % model.BLOCK == 0 else odd
            move = move._replace(parameters=move.parameters | dict(dstNzMatrixStride=stride))
        elif fault == "alignment":
            if size > 1 and rng.random() < 0.5:
                move = move._replace(src_address=move.src_address + int(rng.integers(1, size)), source_bytes=move.source_bytes + size)
            else:
                move = move._replace(dst_address=move.dst_address + int(rng.integers(1, 32)), l1_bytes=model.L1_BYTES)
        elif fault == "source_end":
            move = move._replace(source_bytes=max(0, source_end(size, p, move.src_address) - int(rng.integers(1, 40))))
        elif fault == "l1_end":
            beyond = model.L1_BYTES - l1_end(size, p, 0) + model.BLOCK * int(rng.integers(1, 4))
            move = move._replace(dst_address=max(0, beyond), l1_bytes=model.L1_BYTES)
        else:
            name = str(rng.choice(["dstNzC0Stride", "dstNzNStride", "dstNzMatrixStride"]))
            value = low(rng, 20) * (model.BLOCK // size if name == "dstNzMatrixStride" else 1)
            move = move._replace(parameters=p | {name: value}, l1_bytes=model.L1_BYTES, dst_address=0)
        if move.problem() == fault:
            return move


def memories(rng, move):
    """Random L1 and source bytes for a move: (dst, src)."""
    return (np.frombuffer(rng.bytes(move.l1_bytes), np.uint8).copy(), np.frombuffer(rng.bytes(move.source_bytes), np.uint8).copy())

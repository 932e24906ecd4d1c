#!/usr/bin/env python3
"""Mistakes in kernels and their launches: each is an error at its line that says what was found and what to write.

  mistakes_test.py PYTHON_FOLDER NATIVE_FOLDER
"""
import math
import os
import pathlib
import sys
import traceback
import unittest
import warnings

import numpy as np

sys.path.insert(0, sys.argv[1])
os.environ["WEFT_NATIVE_DIR"] = sys.argv[2]
del sys.argv[1:3]
import ppl  # noqa: E402
import ppl.language as pl  # noqa: E402

S = [1, 64, 4, 8]
x, y = np.ones(S, np.float32), np.zeros(S, np.float32)
outside = np.ones(8, np.float32)
kept = []


def load(pointer):
    return pl.dma.load(pl.gtensor(S, pl.GLOBAL, pointer))


def whole(pointer):
    return load(pointer).view(dtype=pl.int32)


def assign(t, value):
    t[:, 0] = value


def keep(t):
    kept.append(t)


def again(y, x):
    again(y, x)


def bytes_of(shape):
    return pl.make_tensor(shape, pl.int8)


def filter_of(kind):
    return pl.make_tensor([1, 64, 64, 1], kind, align_mode=pl.TPU_COMPACT)


PLAIN = {"kernel": [1, 1], "stride": [1, 1], "dilation": [1, 1], "padding": [0, 0, 0, 0]}


def convolution(x, **others):
    pl.tiu.fconv(**{"output": pl.make_tensor(S, pl.float32), "input": x, "filter": filter_of(pl.float32), **PLAIN, **others})


def integers(**others):
    pl.tiu.conv(**{"output": bytes_of(S), "input": bytes_of(S), "filter": filter_of(pl.int8), "oc": 64, **PLAIN, **others})


# What the kernel does with its arguments y and x on one line; what the message says.
IN_KERNELS = {
    # Values that are not there yet.
    "if": (lambda y, x: 1 if load(x) > 0 else 2, "> of tensor(pl.float32, [1, 64, 4, 8], LOCAL)", "pl.tiu.gt_select(a, b, x, y)"),
    "if without comparison": (lambda y, x: 1 if load(x) else 2, "the truth of tensor(", "pl.tiu.gt_select"),
    "and": (lambda y, x: load(x) and 1, "the truth of", "if and while take numbers"),
    "not equal": (lambda y, x: load(x) != load(x), "!= of tensor(", "pl.tiu.eq_select(a, b, 0, 1)"),
    "equal": (lambda y, x: load(x) == 1, "== of tensor(", "pl.tiu.eq(a, b)"),
    "at least": (lambda y, x: load(x) >= 1, ">= of tensor(", "pl.tiu.lt_select(a, b, 0, 1)"),
    "in": (lambda y, x: 1 in load(x), "'in' of tensor(", "pl.tiu.eq"),
    "max": (lambda y, x: max(load(x), 0), "< of tensor(", "pl.tiu.max(a, b)"),
    "float": (lambda y, x: float(load(x)), "a number of tensor(", "pl.device_print(x)"),
    "math": (lambda y, x: math.exp(load(x)), "a number of tensor(", "pl.device_print(x)"),
    "round": (lambda y, x: round(load(x)), "round() of", "pl.tiu.round(x, pl.RM_HALF_TO_EVEN)"),
    "len": (lambda y, x: len(load(x)), "len() of", "x.shape"),
    "iteration": (lambda y, x: list(load(x)), "iteration of tensor(", "x[:, :, i:i + 1]"),
    "range": (lambda y, x: range(load(x)), "a number of tensor(", "pl.device_print"),
    # numpy.
    "numpy.exp": (lambda y, x: np.exp(load(x)), "numpy.exp of tensor(", "use pl.fexp(x)"),
    "numpy.maximum": (lambda y, x: np.maximum(load(x), 0), "numpy.maximum of", "use pl.tiu.max(a, b)"),
    "numpy.where": (lambda y, x: np.where(load(x), 1, 0), "numpy.where of", "pl.tiu.gt_select"),
    "numpy.sum": (lambda y, x: np.sum(load(x)), "numpy.sum of", "pl.quick_pooling(x, 1)"),
    "numpy.array": (lambda y, x: np.array(load(x)), "a numpy array of", "pl.dma.store("),
    "array + tensor": (lambda y, x: outside + load(x), "numpy.add of tensor(", "pass the array to the kernel and load it"),
    "tensor + array": (lambda y, x: load(x) + outside, "src1 is array([1., 1.", "pl.dma.load(pl.gtensor("),
    "numpy of pointer": (lambda y, x: np.exp(x), "numpy.exp of pointer(x: ", "pl.fexp(x)"),
    # Operators and attributes.
    "power": (lambda y, x: load(x) ** 2, "** of tensor(", "use a * a, pl.pow_f32(x, y)"),
    "modulo": (lambda y, x: load(x) % 2, "% of tensor(", "pl.tiu.floor(a / b)"),
    "matrix product": (lambda y, x: load(x) @ load(x), "@ of tensor(", "use pl.tiu.fmm2(dst, left, right)"),
    "shift": (lambda y, x: load(x) << 2, "<< of tensor(", "pl.tiu.shift(a, bits, pl.RM_DOWN)"),
    "tensor + list": (lambda y, x: load(x) + [1, 2], "src1 is [1, 2]; it must be a tensor or a number", "pl.tiu.fadd("),
    "tensor + text": (lambda y, x: load(x) + "1", "src1 is '1'; it must be a tensor or a number", "pl.tiu.fadd("),
    "tensor + None": (lambda y, x: load(x) + None, "src1 is None; it must be a tensor or a number", "pl.tiu.fadd("),
    "float in place on integers": (lambda y, x: whole(x).__iadd__(1.5), "1.5 in place on tensor(pl.int32", "write y = x + .."),
    "assignment": (lambda y, x: assign(load(x), 1.0), "cannot be assigned", "pl.tiu.fill(x[..], value)"),
    "assignment to device memory": (lambda y, x: assign(pl.gtensor(S, pl.GLOBAL, y), load(x)), "GLOBAL) cannot be assigned",
                                    "pl.dma.store(x[..], value)"),
    "shape set": (lambda y, x: setattr(load(x), "shape", S), "shape of a tensor cannot be set", "x.view(shape=..)"),
    "dtype set": (lambda y, x: setattr(load(x), "dtype", pl.int32), "dtype of a tensor cannot be set", "pl.tiu.cast(x, type=..)"),
    "reshape": (lambda y, x: load(x).reshape(1, 1, 1, 8), "no attribute reshape", "x.view(shape=[n, c, h, w])"),
    "sum": (lambda y, x: load(x).sum(), "no attribute sum", "pl.quick_pooling(x, 1)"),
    "misspelt attribute": (lambda y, x: load(x).shap, "no attribute shap", "did you mean shape?"),
    # Pointers.
    "pointer as tensor": (lambda y, x: pl.tiu.fadd(x, 1.0), "src0 is pointer(x: pl.pfp32_t)", "pl.dma.load(pl.gtensor(shape, pl.GLOBAL, x))"),
    "pointer loaded": (lambda y, x: pl.dma.load(x), "src is pointer(x", "pl.gtensor(shape, pl.GLOBAL, x)"),
    "pointer indexed": (lambda y, x: x[0], "pointer(x: pl.pfp32_t)[0]", "pl.gtensor(shape, pl.GLOBAL, ptr)"),
    "pointer written": (lambda y, x: assign(y, 1), "= ..: memory of the device is written", "pl.dma.store("),
    "pointer as number": (lambda y, x: range(x), "a number of pointer(x", "pass the number"),
    "pointer times number": (lambda y, x: x * 2, "* of pointer(x: pl.pfp32_t) and 2", "pl.dma.load("),
    "pointer + tensor": (lambda y, x: x + load(x), "a pointer goes on by a number", "pl.dma.load("),
    "array of the host as pointer": (lambda y, x: pl.gtensor([1, 1, 1, 8], pl.GLOBAL, outside), "ptr of gtensor is of the type ndarray",
                                     "an array that the kernel got as an argument of its own"),
    "tensor as pointer": (lambda y, x: pl.gtensor(S, pl.GLOBAL, load(x)), "ptr of gtensor is tensor(", "x.view(shape=..)"),
    "local memory of a gtensor": (lambda y, x: pl.gtensor(S, pl.LOCAL, x), "gtensor in LOCAL memory", "pl.make_tensor(shape, dtype)"),
    "no L2 memory": (lambda y, x: pl.dma.move(pl.gtensor(S, pl.GLOBAL, y), pl.gtensor(S, pl.L2, dtype=pl.float32)), "the chip has no L2 memory", "local or global memory"),
    "no pointer": (lambda y, x: pl.gtensor(S, pl.GLOBAL), "GLOBAL memory needs ptr", "a pointer argument of the kernel"),
    # Calls.
    "type by position": (lambda y, x: pl.tiu.fadd(load(x), load(x), pl.float16), "is pl.float16; it must be", "pl.tiu.cast(x, type=pl.float16)"),
    "rounding of floats": (lambda y, x: pl.tiu.fadd(load(x), load(x), 0, pl.RM_UP), "saturation is <round_mode.RM_UP: 4>", "mode=pl.RM_UP"),
    "integer function of floats": (lambda y, x: pl.tiu.add(load(x), load(x)), "dst is fp32, must be int32", "of floats it is pl.tiu.fadd"),
    "float function of integers": (lambda y, x: pl.tiu.fadd(whole(x), 1.0), "is int32, must be fp32", "of integers it is pl.tiu.add"),
    "too few": (lambda y, x: pl.tiu.fadd(load(x)), "pl.tiu.fadd got 1 positional arguments", "call it as pl.tiu.fadd(dst, src0, src1"),
    "too many": (lambda y, x: pl.tiu.abs(load(x), load(x), load(x)), "pl.tiu.abs got 3", "call it as pl.tiu.abs(dst, src)"),
    "unknown keyword": (lambda y, x: pl.tiu.fadd(load(x), 1.0, satturation=True), "no parameter 'satturation'", "did you mean saturation?"),
    "type of a destination": (lambda y, x: pl.tiu.fadd(load(x), load(x), load(x), type=pl.float32), "pl.tiu.fadd with type=.. makes its result, but it is to write",
                              "leave out one of the two"),
    "result of what writes": (lambda y, x: pl.tiu.abs(load(x), pl.tiu.gt(load(x), load(x), 1.0)), "src is None; it must be a tensor",
                              "a function that got its destination returns none"),
    "result of what writes, pooled": (lambda y, x: pl.quick_pooling(load(x), None, mode=1), "the operand is None", "returns none"),
    "twice": (lambda y, x: pl.tiu.abs(load(x), load(x), src=load(x)), "gets 'src' twice, as number 2 and by name", "give it once"),
    "keyword of fmm2": (lambda y, x: pl.tiu.fmm2(load(x), load(x), load(x), ltransp=True), "keyword argument 'ltransp'", "did you mean ltrans"),
    "arguments of conv": (lambda y, x: pl.tiu.conv(load(x)), "pl.tiu.conv: missing a required argument: 'input'", "call it as pl.tiu.conv(output, input, filter"),
    "padding for stride": (lambda y, x: pl.tiu.pool_max(load(x), load(x), [2, 2], [2, 2], [0, 0, 0, 0], [1, 1]), "padding is [2, 2]; it must be a list of 4",
                           "call it as pl.tiu.fpool_max(output, pointer, kernel, padding, stride, dilation)"),
    "operand with steps": (lambda y, x: pl.tiu.frsqrt(load(x)[..., ::2]), "src is free", "pl.tiu.move(x, src)"),
    "cast to an unknown rounding": (lambda y, x: pl.tiu.cast(load(x), pl.int32, 99), "99", ""),
    "cast without type": (lambda y, x: pl.tiu.cast(load(x)), "needs a type", "pl.tiu.cast(x, type=pl.float16)"),
    "store swapped": (lambda y, x: pl.dma.store(load(x), pl.gtensor(S, pl.GLOBAL, y)), "dst lies in local memory, must be in global", "pl.dma.store(gtensor, tensor)"),
    "tiu on device memory": (lambda y, x: pl.tiu.abs(pl.gtensor(S, pl.GLOBAL, x)), "src lies in global memory, must be in local", "load it: pl.dma.load(x)"),
    "two types": (lambda y, x: pl.tiu.fadd(load(x), pl.make_tensor(S, pl.float16)), "dst is fp32, src1 is fp16", "cast one of them"),
    "two shapes": (lambda y, x: pl.tiu.fadd(load(x), pl.make_tensor([1, 64, 4, 7], pl.float32)), "src1 has 7 on axis w, dst has 8", "must equal that of dst or be 1"),
    # Names.
    "misspelt function": (lambda y, x: pl.tiu.fadd_sqrt(load(x), 1.0), "no function tiu.fadd_sqrt", "did you mean fadd_sqr"),
    "function of another unit": (lambda y, x: pl.dma.fadd(load(x), 1.0), "no function dma.fadd", "there is pl.tiu.fadd"),
    "function without its unit": (lambda y, x: pl.fadd(load(x), 1.0), "weft.ppl.language has no fadd", "there is pl.tiu.fadd"),
    "misspelt name": (lambda y, x: pl.make_tensr(S, pl.float32), "has no make_tensr", "did you mean make_tensor"),
    "name of numpy": (lambda y, x: pl.zeros(S), "has no zeros", "pl.tiu.zero(x)"),
    "softmax": (lambda y, x: pl.tiu.softmax(load(x)), "no function tiu.softmax", "examples/kernels/softmax/softmax.py"),
    # Parts and shapes.
    "slice too long": (lambda y, x: load(x)[:, :, :, 4:12], "slice 4:12 of axis w leaves its 8 elements", "min(end, 8)"),
    "slice backwards": (lambda y, x: load(x)[:, :, ::-1], "slice ::-1 of axis h goes backwards", "descending indices: pl.tiu.gather_w"),
    "slice of nothing": (lambda y, x: load(x)[:, 3:3], "slice 3:3 of axis c with 64 elements is empty", "ascending bounds"),
    "slice before the start": (lambda y, x: load(x)[:, -65:], "slice -65: of axis c leaves its 64 elements", "bounds are 0 to 64"),
    "index too large": (lambda y, x: load(x)[0, 64], "index 64 of axis c, which has 64 elements", "give 0 to 63"),
    "five indices": (lambda y, x: load(x)[:, :, :, :, 0], "5 indices for four axes", "n, c, h and w"),
    "fractional index": (lambda y, x: load(x)[:, 0.5], "the index of axis c is 0.5", "must be an integer"),
    "list as index": (lambda y, x: load(x)[:, [1, 2]], "the index of axis c is [1, 2]", "must be an integer"),
    "tensor as index": (lambda y, x: load(x)[load(x)], "the index of axis n is tensor(", "pl.tiu.gather_w"),
    "step over channels": (lambda y, x: load(x)[:, ::2], "channels of a local tensor lie in lanes", "use step 1"),
    "part beyond the end": (lambda y, x: load(x).sub_view([1, 64, 4, 8], [0, 0, 0, 1]), "at (0, 0, 0, 1) leaves the tensor of 1x64x4x8", "sub_view"),
    "part beyond 64 bits": (lambda y, x: load(x).sub_view([1, 1, 1, 1], [0, 0, 0, 2**63 - 1]),
                            "(0, 0, 0, 9223372036854775807) leaves the tensor of 1x64x4x8: on axis w it takes 9223372036854775807 to 9223372036854775808", "0 to 8"),
    "negative offset": (lambda y, x: load(x).sub_view([1, 64, 4, 7], [0, 0, 0, -1]), "offset [0, 0, 0, -1] of sub_view is negative", "count from 0"),
    "view too large": (lambda y, x: load(x).view(shape=[1, 64, 4, 16]), "ends 256 bytes behind", "which has 128"),
    "type as shape of a view": (lambda y, x: load(x).view(pl.int32), "shape of view is pl.int32", "view(dtype=pl.int32)"),
    "three sizes": (lambda y, x: pl.make_tensor([64, 4, 8], pl.float32), "has 3 sizes", "give four, [n, c, h, w]"),
    "shape of a tensor": (lambda y, x: pl.make_tensor(load(x), pl.float32), "mem_shape is tensor(", "x.shape"),
    "type of numpy": (lambda y, x: pl.make_tensor(S, np.float64), "float64'>", "such as pl.float32"),
    "type of no chip": (lambda y, x: pl.make_tensor(S, pl.float64), "no chip has elements of the type pl.float64", "use pl.float32"),
    "memory too small": (lambda y, x: pl.gtensor([1, 64, 4, 9], pl.GLOBAL, x), "takes 9216 bytes, behind its pointer are 8192", "take a smaller shape"),
    # Wrappers and utilities.
    "wrapper of integers": (lambda y, x: pl.fexp(whole(x)), "pl.fexp of pl.int32", "pl.tiu.cast(x, type=pl.float32)"),
    "wrapper of device memory": (lambda y, x: pl.fexp(pl.gtensor(S, pl.GLOBAL, x)), "GLOBAL)", "load it first: pl.dma.load(x)"),
    "wrapper without its number": (lambda y, x: pl.softplus_f32(load(x)), "needs beta, a number", "y = pl.softplus_f32(x, beta)"),
    "real shape above the block": (lambda y, x: pl.fsin(load(x), load(x), S, [1, 64, 4, 9]), "real_shape [1, 64, 4, 9] exceeds block_shape", "make the block larger"),
    "number function of a tensor": (lambda y, x: pl.exp(load(x)), "pl.exp of tensor(", "for tensors pl.fexp(x)"),
    "division by zero": (lambda y, x: pl.cdiv(8, 0), "division of 8 by 0", "must be 1 or more"),
    "value of device memory": (lambda y, x: pl.get_value(x), "get_value: no value of device memory is known", "pass it to the kernel as a number"),
    "cores in the kernel": (lambda y, x: pl.set_block_num(2), "set_block_num(2)", "kernel[(2,)](..)"),
    "pipeline outside of a loop": (lambda y, x: pl.enable_pipeline(), "enable_pipeline() must be a statement of its own", "body of a for loop"),
    "pointer printed": (lambda y, x: pl.device_print(x), "device_print of pointer(x", "pl.gtensor(shape, pl.GLOBAL, x)"),
    # tiu::fconv has do_relu in C++; Python calls it as that of conv.
    "parameter with a name of its own": (lambda y, x: pl.tiu.fconv(load(y), load(x), pl.make_tensor([1, 64, 64, 1], pl.float32, align_mode=pl.TPU_COMPACT),
                                                                   [1, 1], [1, 1], [1, 1], [0, 0, 0, 0], result_relu=True), "result_relu exists on bm1688", "use"),
    "function of another chip": (lambda y, x: pl.dma.reverse(load(x), load(x), 3), "exists on", "not on bm1684x"),
    # The kernel as a whole.
    "result": (lambda y, x: load(x), "returns tensor(", "pl.dma.store("),
    "nothing stored": (lambda y, x: keep(load(x)), "writes no global memory", "store a result"),
    "launch in a kernel": (lambda y, x: ppl.jit(again)[(1,)](y, x), "again[..](..) in a kernel", "again(..)"),
    "recursion": (again, "calls itself without end", "use a for loop"),
}


@ppl.jit
def copy(y, x, n: pl.constexpr = 8):
    pl.dma.store(pl.gtensor([1, 1, 1, n], pl.GLOBAL, y), pl.dma.load(pl.gtensor([1, 1, 1, n], pl.GLOBAL, x)))


def shrinking(rule):
    return ppl.autotiling({"n": rule})(ppl.jit(copy.function))


@ppl.jit
def unclosed(y, x):
    pl.parallel_start()
    pl.dma.store(pl.gtensor(S, pl.GLOBAL, y), load(x))


@ppl.jit
def save(y, x):
    t = load(x)
    keep(t)
    pl.dma.store(pl.gtensor(S, pl.GLOBAL, y), t)


@ppl.jit
def waste(y, x):
    keep(load(x) + load(y))


a, b = np.zeros(8, np.float32), np.ones(8, np.float32)
frozen = np.zeros(8, np.float32)
frozen.flags.writeable = False
broad = np.broadcast_to(np.zeros(1, np.float32), 8)
shared = np.arange(12, dtype=np.float32)

LAUNCHES = {
    "no grid": (lambda: copy(a, b), "copy(..) without a grid", "copy[(1,)](y, x, n)"),
    "no cores": (lambda: copy[(0,)](a, b), "launch grid is (0,)", "copy[(1,)](...)"),
    "two axes": (lambda: copy[(1, 2)](a, b), "launch grid is (1, 2)", "give the number of cores"),
    "half a core": (lambda: copy[0.5](a, b), "launch grid is (0.5,)", "give the number of cores"),
    "too few arguments": (lambda: copy[(1,)](a), "missing a required argument: 'x'", "copy[(1,)](y, x, n)"),
    "too many arguments": (lambda: copy[(1,)](a, b, 8, 9), "too many positional arguments", "copy[(1,)](y, x, n)"),
    "unknown argument": (lambda: copy[(1,)](a, b, m=8), "unexpected keyword argument 'm'", "copy[(1,)](y, x, n)"),
    "array for a number": (lambda: copy[(1,)](a, b, b), "argument 'n' of copy is pl.constexpr, a number, but an array of the shape (8,)", "check the order"),
    "text for a number": (lambda: copy[(1,)](a, b, "8"), "is '8'", "must be an integer"),
    "fraction for a number": (lambda: copy[(1,)](a, b, 7.5), "is 7.5", "must be an integer"),
    "number for an array": (lambda: copy[(1,)](a, 1), "ptr of gtensor is of the type int", "must be a pointer"),
    "list for an array": (lambda: copy[(1,)](a, [1.0] * 8), "ptr of gtensor is of the type list", "must be a pointer"),
    "None for an array": (lambda: copy[(1,)](a, None), "needs ptr", "a pointer argument of the kernel"),
    "keyword with a mistake": (lambda: copy[(1,)](a, xx=b), "got an unexpected keyword argument 'xx'", "copy[(1,)](y, x, n)"),
    "tiling of another name": (lambda: ppl.jit(again, tiling="serch"), "tiling is 'serch'", "must be \"search\""),
    "tiling of a number": (lambda: ppl.jit(again, tiling=3), "tiling is 3", "must be \"search\""),
    "autotiling rule that is none": (lambda: ppl.autotiling({"n": 3})(copy), "rule of n is 3", "lambda values: values['n'] // 2"),
    "autotiling rule without a value": (lambda: shrinking(lambda values: None)[(1,)](a, b, 2**20), "rule of n gives None", "must give an integer"),
    "autotiling rule with a fraction": (lambda: shrinking(lambda values: values["n"] / 2)[(1,)](a, b, 2**20), "gives 524288.0", "must give an integer"),
    "hook without a parameter": (lambda: copy.debug(lambda: 1), "takes other arguments than one", "debug(lambda stop: ..)"),
    "doubles": (lambda: copy[(1,)](a, np.ones(8)), "argument 'x' has the numpy type float64", "x.astype(numpy.float32)"),
    "complex numbers": (lambda: copy[(1,)](a, np.ones(8, complex)), "numpy type complex128", "x.astype(numpy.float32)"),
    "objects": (lambda: copy[(1,)](a, np.array([None] * 8)), "numpy type object", "x.astype(numpy.float32)"),
    "empty array": (lambda: copy[(1,)](a, np.ones(0, np.float32)), "argument 'x' has no elements", "give 1 or more"),
    "read-only result": (lambda: copy[(1,)](frozen, b), "argument 'y', which is a read-only array", "pass a copy"),
    "result of shared elements": (lambda: copy[(1,)](broad, b), "argument 'y'", "pass a copy"),
    "arrays that overlap": (lambda: copy[(1,)](shared[:8], shared[4:]), "shares memory with 'x' in part", "pass a copy"),
    "array too small": (lambda: copy[(1,)](a, b, 16), "takes 64 bytes, behind its pointer are 32", "take a smaller shape"),
    "unknown chip": (lambda: copy.using(chip="bm1685")[(1,)](a, b), "CHIP is 'bm1685'", "must be one of"),
    "unknown mode": (lambda: copy.using(mode="fast")[(1,)](a, b), "MODE is 'fast'", "must be one of cmodel"),
    "unknown option": (lambda: copy.using(chips="bm1684x"), "no option 'chips'", "there are chip, mode"),
    "missing runtime": (lambda: copy.using(mode="bmrt", bmrt_library="missing.so")[(1,)](a, b), "missing.so", ""),
    "bmodel of a chip without commands": (lambda: copy.using(chip="bm1690")[(1,)](np.zeros_like(a), b).bmodel(), "makes no commands for bm1690", "interpret"),
    "nothing stored by any core": (lambda: waste.using(chip="bm1690")[(4,)](y, x), "writes no global memory", "store a result"),
    "kernel of a class": (lambda: ppl.jit(dict), "stands above a function", "not a type"),
    "autotiling of a function": (lambda: ppl.autotiling({})(abs), "stands above @ppl.jit", ""),
    "autotiling of another name": (lambda: ppl.autotiling({"m": abs})(copy), "autotiling names m", "copy has not"),
    "name of the package": (lambda: ppl.jitt, "weft.ppl has no jitt", "did you mean jit?"),
    "tensor outside of a kernel": (lambda: pl.make_tensor(S, pl.float32), "inside of a kernel only", "kernel[(1,)](...)"),
    "function outside of a kernel": (lambda: pl.tiu.fexp(b), "src is array(", "as an argument"),
}


class Mistakes(unittest.TestCase):
    def check(self, name, body, parts, line):
        with self.subTest(name):
            try:
                body()
            except ppl.PplError as error:
                # Its last line is that of the source, which has these texts itself.
                text = str(error).rpartition("\n")[0]
                for part in parts:
                    self.assertIn(part, text)
                self.assertNotIn("internal error", text)
                self.assertEqual(pathlib.Path(error.file or "").name, "mistakes_test.py", text)
                self.assertEqual(error.line, line, text)
            else:
                self.fail("nothing was said")

    def test_in_kernels(self):
        for name, (kernel, *parts) in IN_KERNELS.items():
            self.check(name, lambda: ppl.jit(kernel)[(1,)](y, x), parts, self.line_of(kernel, name))

    HELPERS = {"assignment": assign, "assignment to device memory": assign, "pointer written": assign}

    def line_of(self, kernel, name):
        """Of the mistake: in a helper the line in it."""
        helper = self.HELPERS.get(name)
        return helper.__code__.co_firstlineno + 1 if helper else kernel.__code__.co_firstlineno

    # Found in the kernel that they launch.
    IN_COPY = ("text for a number", "fraction for a number", "number for an array", "list for an array", "None for an array", "array too small")
    OF_COPY = ("missing runtime", "bmodel of a chip without commands")

    def test_of_launches(self):
        source = pathlib.Path(__file__).read_text().splitlines()
        start = 1 + next(i for i, text in enumerate(source) if text.startswith("def copy("))
        for name, (launch, *parts) in LAUNCHES.items():
            line = launch.__code__.co_firstlineno
            if name in self.IN_COPY:
                line = start + 1
            if name in self.OF_COPY:
                line = start - 1
            if "any core" in name:
                line = waste.function.__code__.co_firstlineno
            self.check(name, launch, parts, line)
        self.assertTrue(np.all(a == 0) and np.all(shared == np.arange(12)))

    # What each says behind the C++ name of the function: the names of Python's parameters, and a cast for types alone.
    PARAMETERS = {
        "padding of fconv": (lambda y, x: convolution(x, padding=[99, 0, 0, 0]), "padding is 99, must be 0 to 15"),
        "stride of fconv": (lambda y, x: convolution(x, stride=[77, 1]), "stride is 77, must be 1 to 15"),
        "kernel of fconv": (lambda y, x: convolution(x, kernel=[0, 1]), "kernel is 0, must be 1 to 65535"),
        "shape of fconv": (lambda y, x: convolution(x, oc=63), "oc is 63, output has 64 channels; oc must be the c of output"),
        "type of the filter": (lambda y, x: convolution(x, filter=filter_of(pl.int32)),
                               "filter is int32, must be fp32, fp16, bf16, fp8e5m2 or fp8e4m3; cast it: pl.tiu.cast(x, type=..)"),
        "types of fconv": (lambda y, x: convolution(x, filter=filter_of(pl.float16)),
                           "input is fp32, filter is fp16; input and filter must have one element type; cast one of them: pl.tiu.cast(x, type=..)"),
        "layout of fconv": (lambda y, x: convolution(x[..., ::2], output=x[..., ::2]),
                            "output is free; the layout of output must be N-byte aligned; copy it: x = pl.make_tensor(output.shape, output.dtype); pl.tiu.move(x, output)"),
        "number in a list": (lambda y, x: convolution(x, padding=[0.5, 0, 0, 0]), "a number of padding is 0.5; it must be an integer"),
        "none of a list": (lambda y, x: convolution(x, padding="same"), "padding is 'same'; it must be a tensor, a number, a list of integers or a type"),
        "quant as shift": (lambda y, x: integers(quant=99), "quant is 99, must be 0 to 31"),
        "quant as shift, requantised": (lambda y, x: integers(rq=True, requant=5, rq_shift=99),
                                        "rq_shift is 99; rq_shift must be -64 to 31: negative is right, positive left"),
        "requant as multiplier": (lambda y, x: integers(sym=False, rq=True, requant=2**40), "requant is 1099511627776, must be -2147483648 to 2147483647"),
        "quant as zero point": (lambda y, x: integers(sym=False, quant=999, output=pl.make_tensor(S, pl.int32)), "quant is 999.000000; a number in place of a tensor of bytes must be whole and -128 to 255"),
        "dw_conv": (lambda y, x: pl.tiu.dw_conv(bytes_of(S), bytes_of(S), bytes_of([1, 64, 1, 1]), None, [1, 1], [1, 1], [1, 1], [99, 0, 0, 0], 0, False, pl.int8,
                                                False, 0), "padding is 99, must be 0 to 15"),
        "deconv": (lambda y, x: pl.tiu.deconv(bytes_of(S), bytes_of(S), filter_of(pl.int8), None, 64, [1, 1], [1, 1], [0, 0, 0, 0], [99, 0], False),
                   "insert is 99, must be 0 to 14"),
        "mm2": (lambda y, x: pl.tiu.mm2(bytes_of([1, 4, 1, 4]), bytes_of([1, 4, 1, 4]), bytes_of([1, 4, 1, 4]), do_rq=True, rshift=999),
                "rshift is 999, must be -63 to 31"),
        # Of the catalog, under names of Python's.
        "pool_max": (lambda y, x: pl.tiu.pool_max(x, x, [2, 2], [99, 0, 0, 0], [1, 1], [1, 1]), "padding is 99, must be 0 to 15"),
        "rq1": (lambda y, x: pl.tiu.rq1(x, x, 0, multiplier=1, shift=1, offset=1), "output is fp32, must be int16, uint16, int8, uint8, int4 or uint4; cast it: "
                "pl.tiu.cast(x, type=..)"),
    }

    def test_names_of_parameters(self):
        for name, (call, wanted) in self.PARAMETERS.items():
            with self.subTest(name):
                with self.assertRaises(ppl.PplError) as raised:
                    ppl.jit(lambda y, x: call(y, load(x)))[(1,)](y, x)
                said = str(raised.exception).split("\n")[0]
                self.assertEqual(said.split(": ", 2)[2] if ": ppl::" in said else said.split(": ", 1)[1], wanted)

    def test_open_region(self):
        self.check("open region", lambda: unclosed[(1,)](y, x), ("inside what parallel_start() begins here",), unclosed.function.__code__.co_firstlineno + 2)

    def test_integers_of_64_bits(self):
        def doubled(y, x):
            t = pl.dma.load(pl.gtensor([1, 1, 1, 8], pl.GLOBAL, x)); pl.dma.store(pl.gtensor([1, 1, 1, 8], pl.GLOBAL, y), t + 1)
        with self.assertRaisesRegex(ppl.PplError, r"int64.*x.astype\(numpy.int32\)"):
            ppl.jit(doubled)[(1,)](np.zeros(8, np.int64), np.ones(8, np.int64))

    def test_traceback(self):
        """Shows who launched, the helper that is wrong, and one line of the package."""
        def mistaken(y, x):
            assign(load(x), 1.0)
        try:
            ppl.jit(mistaken)[(1,)](y, x)
        except ppl.PplError as error:
            frames = traceback.extract_tb(error.__traceback__)
            self.assertEqual([frame.name for frame in frames if frame.filename == __file__], ["test_traceback", "mistaken", "assign"])
            self.assertEqual(len(frames), 4)

    def test_use_after_the_launch(self):
        kept.clear()
        save[(1,)](y, x)
        for use in (lambda: kept[0].stride, lambda: kept[0] + 1.0, lambda: kept[0][:, 0], lambda: pl.fexp(kept[0])):
            self.check("after", use, ("kernel",), use.__code__.co_firstlineno)

    def test_there_are_enough(self):
        self.assertGreaterEqual(len(IN_KERNELS) + len(LAUNCHES), 100)

    def test_exceptions_of_the_kernel_pass(self):
        with self.assertRaisesRegex(ZeroDivisionError, "zero"):
            ppl.jit(lambda y, x: 1 // 0)[(1,)](y, x)
        with self.assertRaisesRegex(ValueError, "reshape"):
            ppl.jit(lambda y, x: outside.reshape(3))[(1,)](y, x)

    def test_tensors_of_torch(self):
        """Anything with numpy() and dtype, as torch.Tensor has them."""
        class Torch:
            def __init__(self, array, name, device="cpu"):
                self.array, self.dtype, self.device, self.shape = array, name, device, array.shape

            def detach(self):
                return self

            def numpy(self):
                if self.device != "cpu":
                    raise TypeError("can't convert its memory")
                return self.array

        result = np.zeros_like(b)
        copy[(1,)](Torch(result, "torch.float32"), Torch(b, "torch.float32"))
        self.assertTrue(np.all(result == b))
        with self.assertRaisesRegex(ppl.PplError, "torch.float32 on tpu is no array of the host .*pass x.cpu"):
            copy[(1,)](a, Torch(b, "torch.float32", "tpu"))

    def test_faults_that_results_hide(self):
        @ppl.jit
        def unwritten(y, x):
            t = pl.make_tensor(S, pl.float32)
            load(x) + 2.0
            pl.dma.store(pl.gtensor(S, pl.GLOBAL, y), t + 1.0)

        @ppl.jit
        def race(y, x):
            pl.dma.store(pl.gtensor(S, pl.GLOBAL, y), load(x) + float(pl.get_core_index()))
        first = unwritten.function.__code__.co_firstlineno
        result = np.zeros(S, np.float32)
        for mode in ("cmodel", "interpreter"):
            unwritten.using(mode=mode)[(1,)](result, x)  # gives what lies there, without a word
            result[...] = 0
            with self.assertWarnsRegex(ppl.PplWarning, r"ppl::tiu::fadd: nobody reads .*: pl.dma.store\(gtensor, x\)") as warned:
                with self.assertRaisesRegex(ppl.PplError, "reads 2048 of 2048 elements that nothing has written") as raised:
                    unwritten.using(mode=mode).check[(1,)](result, x)
            self.assertEqual((warned.filename, warned.lineno, raised.exception.file, raised.exception.line), (__file__, first + 3, __file__, first + 4))
            self.assertTrue(np.all(result == 0))  # found before it ran
        race.using(chip="bm1690").check[(1,)](result, x)
        with self.assertRaisesRegex(ppl.PplError, "race: .* in blocks 0 and 1 .*call pl.sync"):
            race.using(chip="bm1690").check[(2,)](result, x)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            launch = save.check[(1,)](result, x)
        np.testing.assert_array_equal(result, x)
        self.assertEqual(launch.bmodel(), save[(1,)](result, x).bmodel())

    def test_what_is_right_stays_right(self):
        @ppl.jit
        def right(y, x, z):
            assert z is None and x is not None
            t = load(x)
            assert t is t and t == t and not t != t and t is not None
            t += 1
            part = t[..., 2:4]
            part *= np.float32(3)
            t[..., 4:6] -= 0.5
            pl.dma.store(pl.gtensor(S, pl.GLOBAL, y)[..., :-1], abs(-t)[..., :-1])

        result = np.zeros_like(x)
        right[lambda values: (1,)](result, x, None)
        expected = x + 1
        expected[..., 2:4] *= 3
        expected[..., 4:6] -= 0.5
        expected[..., -1] = 0
        np.testing.assert_array_equal(result, expected)


if __name__ == "__main__":
    unittest.main()

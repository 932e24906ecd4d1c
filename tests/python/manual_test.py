#!/usr/bin/env python3
"""The Python examples of the PPL manual (chapter 4.10) against numpy.

  manual_test.py PYTHON_FOLDER NATIVE_FOLDER

The kernels are those of the vendor's public PPL manual, with the numbers of their launches; several that differ
in one call share a function with a `kind`. What the manual calls a type, an order of arguments or a default is taken
as it stands there.
"""
import functools
import os
import sys
import unittest

import numpy as np

sys.path.insert(0, sys.argv[1])
os.environ["WEFT_NATIVE_DIR"] = sys.argv[2]
del sys.argv[1:3]
import ppl  # noqa: E402
import ppl.language as pl  # noqa: E402

R = np.random.default_rng(0)
MODES = ["cmodel", "interpreter", "bmrt"]


def floats(*s):
    return R.standard_normal(s).astype('f4')


def near(a, b, t=0):
    return bool(np.abs(np.asarray(a, 'f8') - np.asarray(b, 'f8')).max() <= t)


@ppl.jit
def abs_kernel(input_ptr, output_ptr, N: pl.constexpr, C: pl.constexpr, H: pl.constexpr, W: pl.constexpr):
    pid = pl.get_core_index()
    shape = [N, C, H, W]
    o_global = pl.gtensor(shape, pl.GLOBAL, output_ptr)
    in_global = pl.gtensor(shape, pl.GLOBAL, input_ptr)
    input = pl.make_tensor(shape, input_ptr.dtype)
    pl.dma.load(input, in_global)
    out = pl.tiu.abs(input)
    pl.dma.store(o_global, out)


def absolute():
    x = floats(1, 64, 4, 8)
    y = np.zeros_like(x)
    abs_kernel[(1,)](x, y, 1, 64, 4, 8)
    return near(y, abs(x))


@ppl.jit
def fsub_sqr_kernel(src0_ptr, output_ptr, bias: pl.constexpr, N: pl.constexpr, C: pl.constexpr, H: pl.constexpr,
                    W: pl.constexpr):
    shape = [N, C, H, W]
    o = pl.gtensor(shape, pl.GLOBAL, output_ptr)
    s = pl.gtensor(shape, pl.GLOBAL, src0_ptr)
    out = pl.make_tensor(shape, output_ptr.dtype)
    src0 = pl.make_tensor(shape, src0_ptr.dtype)
    pl.dma.load(src0, s)
    out = pl.tiu.fsub_sqr(src0, bias)
    pl.dma.store(o, out)


def square_of_difference():
    x = floats(1, 64, 4, 8)
    y = np.zeros_like(x)
    fsub_sqr_kernel[(1,)](x, y, 1.5, 1, 64, 4, 8)
    return near(y, (x - 1.5) ** 2, 1e-05)


@ppl.jit
def pool_kernel(x_ptr, output_ptr, n, c, h, w, oh, ow, kind: pl.constexpr):
    x_global = pl.gtensor([n, c, h, w], pl.GLOBAL, x_ptr)
    o_global = pl.gtensor([n, c, oh, ow], pl.GLOBAL, output_ptr)
    output = pl.make_tensor([n, c, oh, ow], x_ptr.dtype)
    offset = [0, 0, 0, 0]
    kernel = [2, 2]
    padding = [0, 0, 0, 0]
    stride = [2, 2]
    dilation = [1, 1]
    if kind == 0:
        x = pl.dma.load(x_global[:, :, :, :])
        pl.tiu.pool_avg(output, x, kernel, padding, stride, dilation, 0.25)
        pl.dma.store(o_global[:, :, :, :], output)
    elif kind == 1:
        x = pl.dma.load(x_global.sub_view([n, c, h, w], offset))
        pl.tiu.pool_max(output, x, kernel, padding, stride, dilation)
        pl.dma.store(o_global.sub_view([n, c, oh, ow], offset), output)
    else:
        x = pl.dma.load(x_global.sub_view([n, c, h, w], offset))
        pl.tiu.pool_min(x, output, kernel, stride, padding, dilation)
        pl.dma.store(o_global.sub_view([n, c, oh, ow], offset), output)


def pooling(k):
    x = floats(2, 8, 8, 8)
    y = np.zeros((2, 8, 4, 4), 'f4')
    pool_kernel[(1,)](x, y, 2, 8, 8, 8, 4, 4, k)
    v = x.reshape(2, 8, 4, 2, 4, 2)
    return near(y, [v.mean((3, 5)), v.max((3, 5)), v.min((3, 5))][k], 1e-06)


@ppl.jit
def fconv_const_kernel(x_ptr, z_ptr, output_ptr, n, ic, h, w, oc, const_val: pl.constexpr):
    kernel = [3, 3]
    stride = [1, 1]
    dilation = [1, 1]
    padding = [1, 1, 1, 1]
    x_global = pl.gtensor([n, ic, h, w], pl.GLOBAL, x_ptr)
    bias_global = pl.gtensor([1, oc, 1, 1], pl.GLOBAL, z_ptr)
    o_global = pl.gtensor([n, oc, h, w], pl.GLOBAL, output_ptr)
    output = pl.make_tensor([n, oc, h, w], output_ptr.dtype)
    x = pl.dma.load(x_global)
    bias = pl.dma.load_compact(bias_global)
    pl.tiu.fconv(output, x, const_val, kernel, stride, dilation, padding, bias=bias, oc=oc, out_dtype=output_ptr.dtype)
    pl.dma.store(o_global, output)


def convolution_by_number():
    x = floats(1, 8, 6, 6)
    b = floats(1, 16, 1, 1)
    y = np.zeros((1, 16, 6, 6), 'f4')
    fconv_const_kernel[(1,)](x, b, y, 1, 8, 6, 6, 16, 0.5)
    P = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1))).sum(1) * 0.5
    w = sum((P[:, i:i + 6, j:j + 6] for i in range(3) for j in range(3)))[:, None] + b
    return near(y, w, 0.0001)


@ppl.jit
def conv2d_asym_kzp_tensor_kernel(x_ptr, y_ptr, z_ptr, output_ptr, n, ic, h, w, oc):
    kernel = [3, 3]
    stride = [1, 1]
    dilation = [1, 1]
    padding = [1, 1, 1, 1]
    ws_w = 64
    ws_h = (ic + ws_w - 1) // ws_w * 9
    x_global = pl.gtensor([n, ic, h, w], pl.GLOBAL, x_ptr)
    if pl.get_scalar_dtype(y_ptr.dtype).is_fp32():
        filter_global = pl.gtensor([1, oc, 1, ic * 9], pl.GLOBAL, y_ptr)
    else:
        filter_global = pl.gtensor([1, oc, ws_h, ws_w], pl.GLOBAL, y_ptr)
    kzp_global = pl.gtensor([1, oc, 1, 1], pl.GLOBAL, z_ptr)
    o_global = pl.gtensor([n, oc, h, w], pl.GLOBAL, output_ptr)
    output = pl.make_tensor([n, oc, h, w], output_ptr.dtype)
    kzp = pl.dma.load_compact(kzp_global)
    x = pl.dma.load(x_global)
    filter = pl.dma.load_compact(filter_global)
    pl.tiu.conv(output, x, filter, oc, kernel, stride, dilation, padding, quant=kzp, out_dtype=pl.void,
                sym=False, rq=False, pad_val=None)
    pl.dma.store(o_global, output)


def convolution_of_integers():
    x = R.integers(-9, 9, (1, 64, 6, 6)).astype('i1')
    f = R.integers(-9, 9, (16, 64, 3, 3)).astype('i1')
    z = R.integers(-9, 9, (1, 16, 1, 1)).astype('i1')
    y = np.zeros((1, 16, 6, 6), 'i4')
    fp = np.ascontiguousarray(f.reshape(16, 64, 9).transpose(0, 2, 1)).reshape(1, 16, 9, 64)
    conv2d_asym_kzp_tensor_kernel[(1,)](x, fp, z, y, 1, 64, 6, 6, 16)
    P = np.pad(x.astype(int), ((0, 0), (0, 0), (1, 1), (1, 1)))
    g = f.astype(int) - z.reshape(16, 1, 1, 1)
    w = sum((np.einsum('nchw,oc->nohw', P[:, :, i:i + 6, j:j + 6], g[:, :, i, j]) for i in range(3) for j in range(3)))
    return near(y, w)


@ppl.jit
def sub_abs_kernel(x_ptr, y_ptr, output_ptr, n_elements, BLOCK_SIZE: pl.constexpr):
    shape = [1, 1, 1, n_elements]
    xg = pl.gtensor(shape, pl.GLOBAL, x_ptr)
    yg = pl.gtensor(shape, pl.GLOBAL, y_ptr)
    og = pl.gtensor(shape, pl.GLOBAL, output_ptr)
    for off in range(0, n_elements, BLOCK_SIZE):
        c = min(n_elements - off, BLOCK_SIZE)
        cs = [1, 1, 1, c]
        co = [0, 0, 0, off]
        x = pl.dma.load(xg.sub_view(cs, co))
        y = pl.dma.load(yg.sub_view(cs, co))
        output = pl.tiu.sub_abs(x, y)
        pl.dma.store(og.sub_view([1, 1, 1, c], co), output)


def absolute_difference(t='f4'):
    a = (floats(1, 1, 1, 1000) * 9).astype(t)
    b = (floats(1, 1, 1, 1000) * 9).astype(t)
    y = np.zeros_like(a)
    sub_abs_kernel[(1,)](a, b, y, 1000, 256)
    return near(y, abs(a.astype('f8') - b), 1e-05)


@ppl.jit
def matmul_kernel(x_ptr, y_ptr, output_ptr, M: pl.constexpr, N: pl.constexpr, K: pl.constexpr):
    x_global = pl.gtensor([1, M, 1, K], pl.GLOBAL, x_ptr)
    y_global = pl.gtensor([1, K, 1, N], pl.GLOBAL, y_ptr)
    o_global = pl.gtensor([1, M, 1, N], pl.GLOBAL, output_ptr)
    block_m = 128
    block_k = 256
    block_n = 256
    for idx_m in range(0, M, block_m):
        for idx_n in range(0, N, block_n):
            m = min(block_m, M - idx_m)
            n = min(block_n, N - idx_n)
            sub_res = pl.make_tensor([1, block_m, 1, block_n], pl.float32, [1, m, 1, n])
            pl.tiu.zero(sub_res)
            for idx_k in range(0, K, block_k):
                pl.enable_pipeline()
                k = min(block_k, K - idx_k)
                l = pl.dma.load(x_global.sub_view([1, m, 1, k], [0, idx_m, 0, idx_k]))
                r = pl.dma.load(y_global.sub_view([1, k, 1, n], [0, idx_k, 0, idx_n]))
                pl.tiu.fmm2(sub_res, l, r, result_add=True, out_dtype=pl.float32)
            res = pl.tiu.cast(sub_res, x_ptr.dtype)
            pl.dma.store(o_global.sub_view([1, m, 1, n], [0, idx_m, 0, idx_n]), res)


def blocked_product():
    a = floats(200, 300).astype('f2')
    b = floats(300, 300).astype('f2')
    y = np.zeros((200, 300), 'f2')
    matmul_kernel[(1,)](a, b, y, 200, 300, 300)
    return near(y, a.astype('f4') @ b.astype('f4'), 0.05)


@ppl.jit
def mm_kernel(x_ptr, y_ptr, output_ptr, M: pl.constexpr, N: pl.constexpr, K: pl.constexpr, ltrans: pl.constexpr,
              fl: pl.constexpr):
    q = 16
    x_global = pl.gtensor([K, M // q, 1, q] if ltrans else [M, K // q, 1, q], pl.GLOBAL, x_ptr)
    yg = pl.gtensor([K, N // q, 1, q], pl.GLOBAL, y_ptr)
    og = pl.gtensor([M, N // q, 1, q], pl.GLOBAL, output_ptr)
    output = pl.make_tensor([M, N // q, 1, q], output_ptr.dtype)
    x = pl.dma.load(x_global)
    y = pl.dma.load(yg)
    (pl.tiu.fmm if fl else pl.tiu.mm)(output, x, y, ltrans=ltrans, result_add=False)
    pl.dma.store(og, output)


def product(fl, lt):
    a = (floats(32, 64) * 5).astype('f4' if fl else 'i4')
    b = (floats(64, 48) * 5).astype(a.dtype)
    y = np.zeros((32, 48), a.dtype)
    mm_kernel[(1,)](np.ascontiguousarray(a.T) if lt else a, b, y, 32, 48, 64, lt, fl)
    return near(y, a.astype('f8') @ b.astype('f8'), 0.01 if fl else 0)


@ppl.jit
def move_kernel(src_ptr, output_ptr, kind: pl.constexpr, N: pl.constexpr, C: pl.constexpr, H: pl.constexpr,
                W: pl.constexpr):
    shape = [N, C, H, W]
    s = pl.gtensor(shape if kind not in ('tbc', 'dbc') else [N, 1, H, W], pl.GLOBAL, src_ptr)
    if kind == 'tbc':
        o = pl.gtensor(shape, pl.GLOBAL, output_ptr)
        s = pl.gtensor([N, 1, H, W], pl.GLOBAL, src_ptr)
        out = pl.make_tensor(shape, output_ptr.dtype)
        src = pl.dma.load(s)
        pl.tiu.broadcast(out, src, npu_num=C)
        pl.dma.store(o, out)
    if kind == 'dbc':
        o = pl.gtensor(shape, pl.GLOBAL, output_ptr)
        s = pl.gtensor([N, 1, H, W], pl.GLOBAL, src_ptr)
        out = pl.make_tensor(shape, output_ptr.dtype)
        src = pl.dma.load(s)
        pl.dma.broadcast(out, src, npu_num=C)
        pl.dma.store(o, out)
    if kind == 'tcw':
        o = pl.gtensor([N, W, H, C], pl.GLOBAL, output_ptr)
        out = pl.make_tensor([N, W, H, C], output_ptr.dtype, align_mode=pl.TPU_ROW_ALIGN)
        src = pl.dma.load(s)
        pl.tiu.transpose_cw(out, src)
        pl.dma.store(o, out)
    if kind == 'dcw':
        o = pl.gtensor([N, W, H, C], pl.GLOBAL, output_ptr)
        pl.dma.transpose_cw(o, s)
    if kind == 'tmv':
        o = pl.gtensor(shape, pl.GLOBAL, output_ptr)
        src = pl.dma.load(s)
        out = pl.make_tensor(shape, output_ptr.dtype, shape)
        pl.tiu.move(out, src)
        pl.dma.store(o, out)
    if kind == 'dmv':
        o = pl.gtensor(shape, pl.GLOBAL, output_ptr)
        out = pl.make_tensor(shape, output_ptr.dtype)
        src = pl.dma.load(s)
        pl.dma.move(out, src)
        pl.dma.store(o, out)
    if kind == 'fill':
        o = pl.gtensor(shape, pl.GLOBAL, output_ptr)
        pl.dma.fill(o, 2.5)
    if kind == 'nz':
        o = pl.gtensor(shape, pl.GLOBAL, output_ptr)
        src = pl.dma.load(s)
        pl.dma.nonzero(o, src)
    if kind == 'smv':
        o = pl.gtensor(shape, pl.GLOBAL, output_ptr)
        l2 = pl.gtensor(shape, pl.L2, dtype=src_ptr.dtype)
        pl.sdma.move(l2, s)
        pl.sdma.move(o, l2)
    if kind == 'snc':
        o = pl.gtensor([C, N, H, W], pl.GLOBAL, output_ptr)
        l2 = pl.gtensor([C, N, H, W], pl.L2, dtype=src_ptr.dtype)
        pl.sdma.transpose_nc(l2, s)
        pl.sdma.move(o, l2)
    if kind == 'stn':
        o = pl.gtensor([C, N, H, W], pl.GLOBAL, output_ptr)
        l2 = pl.gtensor([C, N, H, W], pl.L2, dtype=src_ptr.dtype)
        pl.sdma.transpose(l2, s, trans_mode=pl.NC_TRANS)
        pl.sdma.move(o, l2)


def moved(k, ref, x=None, chip=None):
    x = floats(2, 16, 4, 8) if x is None else x
    w = ref(x)
    y = np.zeros(w.shape, w.dtype)
    sh = (2, 16, 4, 8)
    (move_kernel.using(chip=chip) if chip else move_kernel)[(1,)](x, y, k, *sh)
    return near(y, w)


@ppl.jit
def gather_kernel(param_ptr, index_ptr, output_ptr, kind: pl.constexpr, N, C, H, W, PH, PW):
    index_ptr.set_dtype({'h': pl.pu32_t, 'sc': pl.pu32_t, 'hl': pl.pu32_t}.get(kind, pl.pu16_t))
    shape = [N, C, H, W]
    o = pl.gtensor(shape, pl.GLOBAL, output_ptr)
    if kind == 'hw':
        p = pl.dma.load(pl.gtensor([N, C, PH, PW], pl.GLOBAL, param_ptr))
        i = pl.dma.load_compact(pl.gtensor([1, H * W, 1, 2], pl.GLOBAL, index_ptr))
        out = pl.make_tensor(shape, output_ptr.dtype)
        pl.tiu.gather_hw(out, p, i, 7.0, True)
        pl.dma.store(o, out)
    if kind == 'bh':
        p = pl.dma.load(pl.gtensor([1, C, PH, W], pl.GLOBAL, param_ptr), align_mode=pl.TPU_ROW_ALIGN)
        i = pl.dma.load(pl.gtensor([N, C, H, 1], pl.GLOBAL, index_ptr))
        out = pl.make_tensor(shape, output_ptr.dtype, align_mode=pl.TPU_ROW_ALIGN)
        pl.tiu.gather_h(out, p, i, False, 7.0, True)
        pl.dma.store(o, out)
    if kind == 'sh':
        out = pl.make_tensor(shape, output_ptr.dtype, align_mode=pl.TPU_ROW_ALIGN)
        pl.dma.load(out, o)
        p = pl.dma.load(pl.gtensor([1, C, PH, PW], pl.GLOBAL, param_ptr), align_mode=pl.TPU_ROW_ALIGN)
        i = pl.dma.load(pl.gtensor([N, C, PH, 1], pl.GLOBAL, index_ptr))
        pl.tiu.scatter_h(out, p, i, False)
        pl.dma.store(o, out)
    if kind == 'h':
        out = pl.make_tensor(shape, output_ptr.dtype)
        i = pl.dma.load(pl.gtensor([N, C, H, 1], pl.GLOBAL, index_ptr))
        pl.dma.gather_h(out, pl.gtensor([N, C, PH, W], pl.GLOBAL, param_ptr), i, 7.0, 0)
        pl.dma.store(o, out)
    if kind == 'sc':
        out = pl.make_tensor(shape, output_ptr.dtype)
        pl.tiu.zero(out)
        p = pl.dma.load(pl.gtensor([N, C, PH, W], pl.GLOBAL, param_ptr))
        i = pl.dma.load(pl.gtensor([N, C, PH, 1], pl.GLOBAL, index_ptr))
        pl.dma.scatter_h(out, p, i)
        pl.dma.store(o, out)
    if kind == 'hl':
        pl.hau.gather_line(o, pl.gtensor([N, C, PH, W], pl.GLOBAL, param_ptr),
                           pl.gtensor([1, 1, 1, H], pl.GLOBAL, index_ptr), 7.0, 0, PH - 1, True)


def gathered(k):
    N, C, H, W, PH, PW = (1, 8, 6, 5, 9, 5) if k != 'hl' else (1, 1, 6, 5, 9, 5)
    if k in ('sh', 'sc'):
        H, PH = (9, 6)
    ish = {'hw': (1, H * W, 1, 2), 'hl': (1, 1, 1, H)}.get(k, (N, C, PH if k in ('sh', 'sc') else H, 1))
    it = np.int32 if k in ('h', 'sc', 'hl') else np.int16
    p = floats(N, C, PH, PW)
    if k in ('sh', 'sc'):
        i = np.stack([R.permutation(H)[:PH] for _ in range(C)]).reshape(ish).astype(it)
    elif k == 'hw':
        i = np.stack([R.integers(0, PW, H * W), R.integers(0, PH, H * W)], -1).reshape(ish).astype(it)
    else:
        i = R.integers(0, PH, ish).astype(it)
    y = np.zeros((N, C, H, W), 'f4')
    gather_kernel[(1,)](p, i, y, k, N, C, H, W, PH, PW)
    if k == 'hw':
        w = p[:, :, i[0, :, 0, 1], i[0, :, 0, 0]].reshape(y.shape)
    elif k == 'hl':
        w = p[:, :, i.ravel()]
    elif k in ('sh', 'sc'):
        w = np.zeros_like(y)
        np.put_along_axis(w, np.broadcast_to(i.astype(int), p.shape), p, 2)
    else:
        w = np.take_along_axis(p, np.broadcast_to(i.astype(int), y.shape), 2)
    return near(y, w)


@ppl.jit
def mask_select_S2S_kernel(src_ptr, mask_ptr, output_ptr, N: pl.constexpr, C: pl.constexpr, H: pl.constexpr,
                           W: pl.constexpr):
    s = [N, C, H, W]
    pl.dma.mask_select(pl.gtensor(s, pl.GLOBAL, output_ptr), pl.gtensor(s, pl.GLOBAL, src_ptr),
                       pl.gtensor(s, pl.GLOBAL, mask_ptr))


def selected_by_mask():
    x = floats(1, 4, 4, 8)
    m = R.integers(0, 2, x.shape).astype('i4')
    y = np.zeros_like(x)
    mask_select_S2S_kernel[(1,)](x, m, y, *x.shape)
    k = x[m != 0]
    return near(y.ravel()[:k.size], k)


@ppl.jit
def topk_kernel(src_ptr, src_idx_ptr, output_ptr, output_idx_ptr, N: pl.constexpr, C: pl.constexpr, H: pl.constexpr,
                W: pl.constexpr, K: pl.constexpr, descended: pl.constexpr):
    s = [N, C, H, W]
    pl.hau.topk(pl.gtensor([N, C, H, K], pl.GLOBAL, output_ptr), pl.gtensor(s, pl.GLOBAL, src_ptr), K, descended,
                src_idx=pl.gtensor(s, pl.GLOBAL, src_idx_ptr),
                dst_idx=pl.gtensor([N, C, H, K], pl.GLOBAL, output_idx_ptr))


def top_k():
    x = floats(1, 1, 1, 100)
    ix = np.arange(100, dtype='i4').reshape(x.shape)
    v = np.zeros((1, 1, 1, 5), 'f4')
    i = np.zeros((1, 1, 1, 5), 'i4')
    topk_kernel[(1,)](x, ix, v, i, 1, 1, 1, 100, 5, True)
    return near(i.ravel(), np.argsort(-x.ravel())[:5])


@ppl.autotiling({'block_w': lambda nargs: nargs['block_w'] // 2 if nargs['block_w'] // 2 > 1 else 1})
@ppl.jit
def add_kernel(x_ptr, y_ptr, z_ptr, output_ptr, has_bias, k, N: pl.constexpr, m, C: pl.constexpr, H: pl.constexpr,
               W: pl.constexpr, block_w: pl.constexpr):
    core_idx = pl.get_core_index()
    core_num = pl.get_block_num()
    if core_idx >= core_num:
        pass
    slice = (W + core_num - 1) // core_num
    cur_slice = min(slice, W - slice * core_idx)
    so = slice * core_idx
    shape = [N, C, H, W]
    xg = pl.gtensor(shape, pl.GLOBAL, x_ptr)
    yg = pl.gtensor(shape, pl.GLOBAL, y_ptr)
    og = pl.gtensor(shape, pl.GLOBAL, output_ptr)
    ms_ = [N, C, H, block_w]
    xt = pl.make_tensor(ms_, x_ptr.dtype)
    yt = pl.make_tensor(ms_, y_ptr.dtype)
    ot = pl.make_tensor(ms_, output_ptr.dtype)
    for w_idx in range(0, cur_slice, block_w):
        pl.enable_pipeline()
        tw = min(block_w, cur_slice - w_idx)
        x = xt.view(shape=[N, C, H, tw])
        y = yt.view(shape=[N, C, H, tw])
        out = ot.view(shape=[N, C, H, tw])
        pl.dma.load(x, xg[:, :, :, so + w_idx:so + w_idx + tw])
        pl.dma.load(y, yg[:, :, :, so + w_idx:so + w_idx + tw])
        if k > m:
            pl.tiu.fadd(out, x, y)
        else:
            pl.tiu.fsub(out, x, y)
        pl.dma.store(og[:, :, :, so + w_idx:so + w_idx + tw], out)


def sum_on_cores(g, chip=None):
    x = floats(1, 64, 4, 40000)
    y = floats(*x.shape)
    o = np.zeros_like(x)
    (add_kernel.using(chip=chip) if chip else add_kernel)[(g,)](x, y, None, o, 0, 3, 1, 2, 64, 4, 40000, 40000)
    return near(o, x + y)


@functools.lru_cache()
def halving(fn, *args):
    block = args[-1]
    while block > 0:
        ret = fn(*args[:-1], block)
        if ret.errorCode == 0:
            return ret
        block = block // 2
    raise RuntimeError("[!Error]: tiling failed")


@ppl.jit(tiling=halving, debug=0)
def copy_in_blocks(out_ptr, x_ptr, n, b):
    t = pl.make_tensor([1, 64, 1, b], pl.float32)
    g = pl.gtensor([1, 64, 1, n], pl.GLOBAL, x_ptr)
    for i in range(0, n, b):
        pl.dma.store(pl.gtensor([1, 64, 1, n], pl.GLOBAL, out_ptr)[:, :, :, i:i + b], pl.dma.load(g[:, :, :, i:i + b]))
    pl.tiu.zero(t)


def own_tiling():
    x = floats(1, 64, 1, 65535)
    o = np.zeros_like(x)
    copy_in_blocks[(1,)](o, x, 65535, 65535)
    return near(o, x)



@ppl.jit
def views_kernel(src0_ptr, src1_ptr, output_ptr, N: pl.constexpr, C: pl.constexpr, H: pl.constexpr, W: pl.constexpr,
                 block_w: pl.constexpr):
    shape = [N, C, H, W]
    src1_shape = [1, C, 1, 1]
    o_global = pl.gtensor(shape, pl.GLOBAL, output_ptr)
    src0_global = pl.gtensor(shape, pl.GLOBAL, src0_ptr)
    src1_global = pl.gtensor(src1_shape, pl.GLOBAL, src1_ptr)
    src0_tensor = pl.make_tensor([N, C, H, block_w], src0_ptr.dtype)
    src1 = pl.make_tensor(src1_shape, src1_ptr.dtype, None, pl.TPU_COMPACT)
    pl.dma.load_compact(src1, src1_global)
    for w_idx in range(0, W, block_w):
        pl.enable_pipeline()
        tile_w = min(block_w, W - w_idx)
        src0 = src0_tensor.view(shape=[N, C, H, tile_w])
        pl.dma.load(src0, src0_global[:, :, :, w_idx:w_idx + tile_w])
        out = src0 + src0
        pl.tiu.fadd_sqr(out, out, src1)
        pl.dma.store(o_global[:, :, :, w_idx:w_idx + tile_w], out)


def views():
    x, bias = floats(2, 16, 4, 100), floats(1, 16, 1, 1)
    y = np.zeros_like(x)
    views_kernel[(1,)](x, bias, y, 2, 16, 4, 100, 32)
    return near(y, (2 * x + bias) ** 2, 1e-4)


@ppl.jit
def l2_kernel(input_ptr, output_ptr, b_slice, input_w, block_b: pl.constexpr, block_iw: pl.constexpr):
    input_shape = [1, b_slice, 1, input_w]
    input_block_shape = [1, block_b, 1, block_iw]
    l2_out_tensor = pl.gtensor(input_block_shape, pl.L2, dtype=pl.float16).view(shape=input_shape)
    pl.sdma.move(l2_out_tensor, pl.gtensor(input_shape, pl.GLOBAL, input_ptr))
    pl.dma.store(pl.gtensor(input_shape, pl.GLOBAL, output_ptr), pl.dma.load(l2_out_tensor))


def l2_view():
    x = floats(1, 5, 1, 60).astype('f2')
    y = np.zeros_like(x)
    l2_kernel.using(chip='bm1690')[(1,)](x, y, 5, 60, 8, 64)
    return near(y, x)


def repeated(x):
    return np.repeat(x, 16, 1)


def turned(x):
    return x.transpose(1, 0, 2, 3)


def positions(x):
    return np.flatnonzero(x).astype('i4').reshape(x.shape)


# By their numbers in the chapter; 1 and 2 are the parts of listings of 4.10.3.
EXAMPLES = {
    "01_tensors": views, "02_l2": l2_view, "03_tiling": own_tiling,
    "04_add": lambda: sum_on_cores(1), "04_add_2_cores": lambda: sum_on_cores(2),
    "04_add_2_cores_bm1690": lambda: sum_on_cores(2, 'bm1690'),
    "05_abs": absolute, "06_fsub_sqr": square_of_difference,
    "07_pool_avg": lambda: pooling(0), "08_pool_max": lambda: pooling(1), "09_pool_min": lambda: pooling(2),
    "10_fconv": convolution_by_number, "11_conv": convolution_of_integers,
    "12_sub_abs": absolute_difference, "12_sub_abs_int16": lambda: absolute_difference('i2'),
    "13_fmm2": blocked_product,
    "14_mm": lambda: product(0, False), "14_mm_ltrans": lambda: product(0, True), "15_fmm": lambda: product(1, False),
    "16_gather_hw": lambda: gathered('hw'), "17_tiu_move": lambda: moved('tmv', lambda x: x),
    "18_tiu_broadcast": lambda: moved('tbc', repeated, floats(2, 1, 4, 8)),
    "19_tiu_transpose_cw": lambda: moved('tcw', lambda x: x.transpose(0, 3, 2, 1)),
    "20_tiu_gather_h": lambda: gathered('bh'), "21_tiu_scatter_h": lambda: gathered('sh'),
    "22_dma_move": lambda: moved('dmv', lambda x: x), "23_mask_select": selected_by_mask,
    "24_dma_broadcast": lambda: moved('dbc', repeated, floats(2, 1, 4, 8)),
    "25_dma_nonzero": lambda: moved('nz', positions, np.ones((2, 16, 4, 8), 'i4')),
    "26_dma_transpose_cw": lambda: moved('dcw', lambda x: x.transpose(0, 3, 2, 1)),
    "27_dma_fill": lambda: moved('fill', lambda x: x * 0 + 2.5),
    "28_dma_gather_h": lambda: gathered('h'), "29_dma_scatter_h": lambda: gathered('sc'),
    "30_sdma_move": lambda: moved('smv', lambda x: x, None, 'bm1690'),
    "31_sdma_transpose_nc": lambda: moved('snc', turned, None, 'bm1690'),
    "32_sdma_transpose": lambda: moved('stn', turned, None, 'bm1690'),
    "33_topk": top_k, "34_gather_line": lambda: gathered('hl'),
}


class Manual(unittest.TestCase):
    def test_examples_give_the_numbers_of_numpy(self):
        for mode in MODES:
            os.environ["MODE"] = mode
            for name, example in EXAMPLES.items():
                with self.subTest(name, mode=mode):
                    self.assertTrue(example(), "the numbers differ")

    def test_every_import_of_the_manual(self):
        import weft.ppl
        from ppl.language import cdiv, dma, gtensor, tiu
        self.assertIs(tiu, weft.ppl.language.tiu)
        self.assertIs(pl, weft.ppl.language)
        self.assertIs(ppl.PplError, weft.ppl.PplError)
        self.assertIs(ppl.jit, weft.ppl.jit)
        self.assertTrue(callable(gtensor) and callable(cdiv) and callable(dma.load))
        import ppl.language.tiu as unit
        self.assertIs(unit, pl.tiu)
        names = {}
        exec("from ppl.language import *", names)
        for name in ("min", "max", "abs", "print", "round"):  # Python's own stay
            self.assertNotIn(name, set(names) - {"__builtins__"})


if __name__ == "__main__":
    unittest.main()

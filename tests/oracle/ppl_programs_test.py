#!/usr/bin/env python3
"""Assembles the hand-written programs of tests/oracle/ppl and compares their outputs with numpy, bit for bit.

  ppl_programs_test.py WEFT_AS WEFT FOLDER emulator|bmrt

Inputs are random with a printed seed. Where the machine's order of summation is not that of numpy the inputs are small integers,
whose sums are exact in any order.
"""
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

SEED = 20261122
random = np.random.default_rng(SEED)


def integers(shape, dtype, low=-8, high=9):
    return random.integers(low, high, shape).astype(dtype)


def normal(shape):
    return random.standard_normal(shape).astype(np.float32)


def windows(x, kernel, stride):
    """n,c,h,w -> n,c,oh,ow,kh,kw"""
    view = np.lib.stride_tricks.sliding_window_view(x, (kernel, kernel), axis=(2, 3))
    return view[:, :, ::stride, ::stride]


def padded(x, pads, value=0):
    top, bottom, left, right = pads
    return np.pad(x, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=value)


def convolve(x, w, pads, stride=1, pad_value=0):
    """Exact in float64 or int64."""
    wide = np.float64 if x.dtype.kind == "f" else np.int64
    return np.einsum("nihwpq,oipq->nohw", windows(padded(x.astype(wide), pads, pad_value), w.shape[2], stride), w.astype(wide))


def packed(w, pack):
    """oc,ic,kh,kw -> 1,oc,ceil(ic/pack)*kh*kw,pack as the convolution unit wants it."""
    oc, ic, kh, kw = w.shape
    groups = -(-ic // pack)
    full = np.zeros((oc, groups * pack, kh, kw), w.dtype)
    full[:, :ic] = w
    return full.reshape(oc, groups, pack, kh, kw).transpose(0, 1, 3, 4, 2).reshape(1, oc, groups * kh * kw, pack)


def add_scalar():
    x, b = normal((1, 130, 5, 7)), normal((1, 130, 5, 7))
    return {"x": x, "b": b}, {"y": (x + b) * np.float32(0.5)}


def fconv_f32():
    # The machine's order: two interleaved accumulators over bias, then products by ic, kh, kw; then one sum.
    x, w, b = normal((1, 3, 8, 10)), normal((16, 3, 3, 3)), normal(16)
    view = windows(padded(x, (1, 1, 1, 1)), 3, 2)
    sums = [np.broadcast_to(b.reshape(1, 16, 1, 1), (1, 16, 4, 5)).astype(np.float32), np.zeros((1, 16, 4, 5), np.float32)]
    term = 1
    for i in range(3):
        for p in range(3):
            for q in range(3):
                sums[term % 2] = sums[term % 2] + view[:, i, None, :, :, p, q] * w[None, :, i, p, q, None, None]
                term += 1
    return {"x": x, "w": w.reshape(1, 16, 3, 9), "b": b.reshape(1, 16, 1, 1)}, {"y": sums[0] + sums[1]}


def fconv_f16():
    x, w, b = integers((1, 40, 6, 6), np.float16, -2, 3), integers((70, 40, 3, 3), np.float16, -2, 3), integers(70, np.float32)
    y = convolve(x, w, (1, 1, 1, 1)) + b.reshape(1, 70, 1, 1)
    assert np.abs(y).max() < 2048, "must be exact in f16"
    return {"x": x, "w": packed(w, 32), "b": b.reshape(1, 70, 1, 1)}, {"y": y.astype(np.float16)}


def conv_int8():
    x, w = integers((1, 70, 6, 6), np.int8, -128, 128), integers((72, 70, 3, 3), np.int8, -128, 128)
    b = integers(72, np.int32, -100000, 100000)
    multiplier, shift, zero = integers(72, np.int64, 1 << 20, 1 << 30), integers(72, np.int64, -42, -37), integers(72, np.int64, -20, 21)
    acc = convolve(x, w, (1, 1, 1, 1), pad_value=3) + b.reshape(1, 72, 1, 1)
    column = (1, 72, 1, 1)
    right = -shift.reshape(column)
    y = ((acc * multiplier.reshape(column) + (1 << (right - 1))) >> right) + zero.reshape(column)  # half up
    params = np.stack([multiplier, shift, zero], axis=1).astype(np.int32).reshape(1, 72, 1, 3)
    return {"x": x, "w": packed(w, 64), "b": b.reshape(column), "p": params}, {"y": np.clip(y, -128, 127).astype(np.int8)}


def depthwise_pool():
    x, w, b = integers((2, 66, 8, 8), np.float32), integers((1, 66, 3, 3), np.float32), integers((1, 66, 1, 1), np.float32)
    d = np.einsum("nchwpq,cpq->nchw", windows(padded(x, (1, 1, 1, 1)), 3, 1), w[0]) + b
    y = windows(padded(d, (1, 0, 1, 0), -np.inf), 3, 2).max(axis=(4, 5))
    z = windows(d, 2, 2).sum(axis=(4, 5)) * 0.25
    return {"x": x, "w": w, "b": b}, {"y": y.astype(np.float32), "z": z.astype(np.float32)}


def pipeline():
    x = normal((1, 8, 32, 48))
    return {"x": x}, {"y": x * np.float32(2) + x}


def lookup_select():
    x, table = integers((1, 5, 4, 9), np.uint8, 0, 256), integers((1, 1, 1, 256), np.uint8, 0, 256)
    y = table.reshape(-1)[x]
    f = (y.astype(np.float32) - 7) * np.float32(0.25)
    return {"x": x, "t": table}, {"y": y, "f": f, "s": np.where(f > 20, f, np.float32(-1))}


def matmul():
    a, b = integers((3, 40), np.float32), integers((40, 32), np.float32)
    c, d = integers((10, 40), np.float16), integers((30, 40), np.float16)
    inputs = {"a": a.reshape(3, 5, 1, 8), "b": b.reshape(40, 2, 1, 16), "c": c.reshape(1, 10, 1, 40), "d": d.reshape(1, 30, 1, 40)}
    z = c.astype(np.float32) @ d.astype(np.float32).T
    return inputs, {"y": (a @ b).reshape(3, 2, 1, 16), "z": z.reshape(1, 10, 1, 30)}


def taylor_transpose():
    x = normal((1, 6, 5, 7))
    factorial, coefficients = 1.0, []
    for k in range(10):
        factorial *= max(k, 1)
        coefficients.append(np.float32(1.0 / factorial))
    y = np.full(x.shape, coefficients[9], np.float32)
    for c in reversed(coefficients[:9]):
        y = y * x + c
    t = x.transpose(0, 3, 2, 1)
    return {"x": x}, {"y": y, "t": t, "d": t, "n": x.transpose(1, 0, 2, 3)}


def rounded_shift(value, right):
    """Right shift, half up."""
    return (value + (1 << (right - 1))) >> right


def clipped(value, dtype):
    limits = np.iinfo(dtype)
    return np.clip(value, limits.min, limits.max).astype(dtype)


def int_ops():
    shape = (1, 70, 5, 7)
    x, y, s = integers(shape, np.int8, -128, 128), integers(shape, np.int8, -128, 128), integers((1, 70, 1, 1), np.int8, -3, 3)
    a, b = x.astype(np.int64), y.astype(np.int64)
    total = (a + b) << 1
    shifted = np.where(s >= 0, (a - b) << np.maximum(s, 0), (a - b) >> np.maximum(-s.astype(np.int64), 0))
    word = x.astype(np.int32).view(np.uint32)
    scaled = (a - 5) * 37
    zeros = np.where(word == 0, 32, 31 - np.floor(np.log2(np.maximum(word, 1).astype(np.float64)))).astype(np.int32)
    return {"x": x, "y": y, "s": s}, {
        "add": total.astype(np.int16), "mul": clipped(rounded_shift(a * b, 4), np.int8), "max": np.maximum(x, y),
        "shift": rounded_shift(total, 3).astype(np.int16), "xor": x.view(np.uint8) ^ np.uint8(85),
        "pcs": clipped(shifted, np.int8), "dq": clipped(np.sign(scaled) * rounded_shift(np.abs(scaled), 2), np.int16),  # half away from zero
        "zeros": zeros,
        "rq": clipped(np.rint(x.astype(np.float32) * np.float32(0.3) + np.float32(1.5)), np.int8)}


def float_ops():
    x, y, k, b = normal((1, 70, 5, 7)), normal((1, 70, 5, 7)), normal((1, 70, 1, 1)), normal((1, 70, 1, 1))
    mantissa, exponent = np.frexp(np.abs(x))  # mantissa in [0.5, 1): 4/3 is 2/3 here
    power = np.ldexp(np.float32(1), exponent - 1 + (mantissa.astype(np.float64) * 3 >= 2)).astype(np.float32)
    return {"x": x, "y": y, "k": k, "b": b}, {
        "gt": np.where(x > y, np.float32(3), np.float32(0)), "lin": x * k + b, "diff": np.abs(x - y),
        "mac": np.float32(0.25) + x * y,
        "fl": np.floor(x), "abs": np.abs(x), "pow": power, "half": x.astype(np.float16),
        "bc": np.broadcast_to(np.float32(3) - b, x.shape), "lanes": x[:, :6], "flat": x.reshape(1, 35, 7, 10)}


def int8_window():
    x, w, b = integers((1, 6, 8, 8), np.int8, -128, 128), integers((20, 6, 3, 3), np.int8, -128, 128), integers((1, 20, 1, 1), np.int16, -3000, 3000)
    d, e = integers((1, 6, 3, 3), np.int8, -128, 128), integers((1, 6, 1, 1), np.int32, -5000, 5000)
    left, right = integers((10, 40), np.int8, -128, 128), integers((40, 30), np.int8, -128, 128)
    wide = x.astype(np.int64)
    conv = rounded_shift(convolve(x, w, (1, 1, 1, 1)) + b.astype(np.int64), 9)
    dw = np.einsum("nchwpq,cpq->nchw", windows(padded(wide, (1, 1, 1, 1)), 3, 1), d[0].astype(np.int64)) + e
    avg = windows(wide, 2, 2).sum(axis=(4, 5)) * 64
    inputs = {"x": x, "w": packed(w, 64), "b": b, "d": d, "e": e, "l": left.reshape(1, 10, 1, 40), "r": right.reshape(1, 40, 1, 30)}
    return inputs, {
        "conv": clipped(conv, np.uint8), "dw": clipped(rounded_shift(dw, 7), np.int8), "avg": clipped(rounded_shift(avg, 8), np.int8),
        "max": windows(padded(x, (1, 0, 1, 0), -128), 3, 2).max(axis=(4, 5)),
        "mm": (left.astype(np.int32) @ right.astype(np.int32)).reshape(1, 10, 1, 30)}


PROGRAMS = [int_ops, float_ops, int8_window, add_scalar, fconv_f32, fconv_f16, conv_int8, depthwise_pool, pipeline, lookup_select, matmul, taylor_transpose]


def run(command):
    result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
    return "" if result.returncode == 0 else f"exit code {result.returncode}: {result.stderr.strip()[-800:]}"


def check(program, weft_as, weft, folder, device, scratch):
    inputs, wanted = program()
    bmodel, given, found = scratch / "p.bmodel", scratch / "in.npz", scratch / "out.npz"
    np.savez(given, **{name: np.ascontiguousarray(x) for name, x in inputs.items()})
    problem = run([weft_as, folder / f"{program.__name__}.mlir", "-o", bmodel]) or run(
        [weft, "run", bmodel, "--input", given, "--output", found, "--device", device])
    if problem:
        return [problem]
    outputs = dict(np.load(found))
    lines = [] if sorted(outputs) == sorted(wanted) else [f"outputs are {sorted(outputs)}, wanted {sorted(wanted)}"]
    for name, want in wanted.items():
        have, want = outputs[name], np.ascontiguousarray(want)
        if have.dtype != want.dtype or have.shape != want.shape:
            lines.append(f"{name} is {have.dtype}{have.shape}, wanted {want.dtype}{want.shape}")
        elif not np.array_equal(have, want):
            wrong = np.argwhere(have != want)
            lines.append(f"{name}: {len(wrong)} of {have.size} differ, first at {wrong[0]}: {have[tuple(wrong[0])]!r}, "
                         f"wanted {want[tuple(wrong[0])]!r}")
    return lines


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    weft_as, weft, folder, device = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
    untested = {path.stem for path in folder.glob("*.mlir")} ^ {program.__name__ for program in PROGRAMS}
    failures = [f"programs without reference or reference without program: {sorted(untested)}"] if untested else []
    print(f"seed {SEED}")
    with tempfile.TemporaryDirectory() as scratch:
        for program in PROGRAMS:
            lines = check(program, weft_as, weft, folder, device, pathlib.Path(scratch))
            print(f"{program.__name__}: {'equal' if not lines else 'DIFFERS'}", flush=True)
            failures += [f"{program.__name__}: {line}" for line in lines]
    print("\n".join(failures))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

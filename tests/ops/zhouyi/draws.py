"""Random vectors, numbers and masks of Zhouyi's element types, most of them near the edges of those types."""
import functools

import numpy as np

import model

INTEGERS = ("int8", "int16", "int32", "uint8", "uint16", "uint32")
FLOATS = ("float16", "float32")


@functools.cache
def integer_edges(dtype):
    """Limits, zero and its neighbours, powers of two and theirs, roots of the limits (products around saturation)."""
    low, high = model.limits(np.dtype(dtype))
    values = {low, low + 1, low + 2, high, high - 1, high - 2, -3, -2, -1, 0, 1, 2, 3, int(high**0.5), int(high**0.5) + 1, high // 2, high // 2 + 1}
    for bit in range(2, 32):
        values |= {2**bit - 1, 2**bit, 2**bit + 1, -(2**bit) - 1, -(2**bit), 1 - 2**bit}
    return np.array(sorted(value for value in values if low <= value <= high), dtype)


@functools.cache
def float_edges(dtype):
    """Zeros, infinities, NaN of several bit patterns, subnormals, limits, ties, powers of two."""
    fraction_bits, exponent_bits, unsigned = (10, 5, np.uint16) if dtype == "float16" else (23, 8, np.uint32)
    bias, one = 2**(exponent_bits - 1) - 1, 1 << fraction_bits
    infinity = ((1 << exponent_bits) - 1) << fraction_bits
    patterns = [0, 1, 2, 3, one - 1, one, one + 1, infinity - 1, infinity - 2, infinity, infinity + 1, infinity | one >> 1,
                infinity | one >> 1 | 5, infinity | one - 1]
    for exponent in sorted({1, 2, bias - 2, bias - 1, bias, bias + 1, bias + fraction_bits - 1, bias + fraction_bits, bias + fraction_bits + 1,
                            2 * bias - 1, 2 * bias, bias - fraction_bits, bias - fraction_bits - 1, bias - fraction_bits - 2}):
        if 0 < exponent <= 2 * bias:
            patterns += [exponent << fraction_bits | fraction for fraction in (0, 1, one >> 1, one - 1)]
    bits = np.array(patterns + [pattern | 1 << (fraction_bits + exponent_bits) for pattern in patterns], unsigned)
    halves = np.concatenate([np.arange(-9, 10) / 2, [0.25, 1.25, 100.5, 101.5, -100.5, 2047.5]]).astype(dtype)
    return np.concatenate([bits.view(dtype), halves])


def edges(dtype):
    return integer_edges(dtype) if dtype in INTEGERS else float_edges(dtype)


def far_apart(rng, dtype, lanes):
    """Zeros of mostly one sign, or powers of two so far apart that sums depend on their order and on the width they are made in."""
    signs = np.where(rng.random(lanes) < rng.choice([0, 0.5, 1]), -1.0, 1.0)
    if rng.random() < 0.5:
        return (signs * 0).astype(dtype)
    exponents = [15, 15, 14, 0, -12, -24] if dtype == "float16" else [60, 60, 59, 30, 0, -24, -60]
    return np.ldexp(signs, rng.choice(exponents, lanes)).astype(dtype)


def vector(rng, dtype, lanes):
    """`lanes` values: all edges, all small, all random bits, or a mixture; floats far apart, too."""
    dtype = str(dtype)
    kind = rng.integers(7 if dtype in FLOATS else 6)
    if kind == 6:
        return far_apart(rng, dtype, lanes)
    bits = np.frombuffer(rng.bytes(lanes * np.dtype(dtype).itemsize), dtype).copy()
    if kind == 0:
        return bits
    if kind == 1:
        if dtype in FLOATS:
            return (rng.integers(-64, 65, lanes) / rng.choice([1, 2, 4, 3])).astype(dtype)
        return rng.integers(0 if dtype[0] == "u" else -9, 10, lanes).astype(dtype)
    pool = edges(dtype)
    picked = pool[rng.integers(0, len(pool), lanes)]
    if kind < 4:
        return picked
    if kind == 4:
        return np.where(rng.random(lanes) < 0.5, bits.view(f"u{bits.itemsize}"), picked.view(f"u{bits.itemsize}")).view(dtype)
    return np.repeat(picked[:1], lanes) if rng.random() < 0.3 else bits


def partner(rng, dtype, x):
    """A second operand that often meets x at an edge: equal, opposite, half a unit of its last place, one over the limit."""
    dtype, lanes = np.dtype(dtype), len(x)
    kind = rng.integers(4)
    if kind or x.dtype.kind != dtype.kind and "f" in (x.dtype.kind, dtype.kind):
        return vector(rng, dtype, lanes)
    with np.errstate(all="ignore"):
        if dtype.kind == "f":
            near = [x, -x, np.spacing(x) / 2, np.spacing(x) * dtype.type(1.5), -np.spacing(x) / 2, 1 / x][rng.integers(6)]
            return np.ascontiguousarray(near.astype(dtype))
        low, high = model.limits(dtype)
        wide = x.astype(np.int64)
        near = [wide, -wide, high - wide, low - wide, high + 1 - wide, wide - low, wide - high][rng.integers(7)]
        return (near + rng.integers(-1, 2, lanes)).astype(dtype)


def number(rng, dtype, beside=None):
    """A Python number that becomes dtype beside a vector of type `beside` (its twin or dtype itself)."""
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        kind = rng.integers(4)
        if kind == 0:
            return int(rng.integers(-70, 71))
        value = float(vector(rng, dtype, 2)[0])
        if kind == 1 and np.isfinite(value) and abs(value) < 1000:
            # A tie of the narrow type, or just off it: rounding through a type between would show.
            return value + float(np.spacing(dtype.type(value))) / 2 * (1 + float(rng.choice([0, 2.0**-27, -(2.0**-27)])))
        return 0.5 if np.isnan(value) else value
    while True:
        value = int(vector(rng, dtype, 2)[0])
        if beside is None or np.dtype(beside) == dtype or not model.fits(value, np.dtype(beside)):
            return value


# Masks.

def mask_text(rng, lanes):
    """A random legal mask string of at most `lanes` lanes."""
    text, left = "", lanes
    while left:
        count = int(rng.integers(1, left + 1))
        pattern = "".join(rng.choice(["T", "F"], int(rng.integers(1, min(left, 4) + 1))))
        count = max(1, min(count, left // len(pattern)))
        bare = count == 1 and rng.random() < 0.5
        if text:
            text += "_" if bare or rng.random() < 0.3 else ""
        text += pattern if bare else f"{count}{pattern}"
        left -= count * len(pattern)
        if rng.random() < 0.2:
            break
    return text if len(text) > 1 else "1" + text


def mask(rng, kind, lanes):
    """None, a bool array, a list or tuple (sometimes short), a tail or a string."""
    if kind == "none":
        return None
    if kind == "string":
        return mask_text(rng, lanes)
    if kind == "tail":
        return model.tail_mask(int(rng.integers(0, lanes + 1)), lanes)
    density = rng.choice([0.0, 0.2, 0.5, 0.8, 1.0], p=[0.05, 0.2, 0.5, 0.2, 0.05])
    lanes_given = lanes if rng.random() < 0.7 else int(rng.integers(1, lanes + 1))
    drawn = rng.random(lanes_given) < density
    if kind == "random":
        return drawn
    return drawn.tolist() if rng.random() < 0.5 else tuple(drawn.tolist())

"""Reference model of tvm.aipu.script.ir.arithmetic: one function per operation of the document, numpy only.

Written from the document, public release notes and docs/rationale/0008-two-more-operation-sets.md alone, never from the C++ that
it judges. Vectors are 1-D numpy arrays whose dtype is the element type, scalars are Python numbers, masks are None, tuples or
lists of bool, 1-D bool arrays or strings. A register has 256 bits.

Each function returns `Result(values, defined)`: two arrays of the result's lanes; values at lanes with defined False are zero bits
and mean nothing. vmml and vmma return the 16 float32 of their matrix; fma and clip of scalars return one lane. Whatever the
document forbids raises `Illegal` with one word: type, sign, width, scalar, mask, r, acc, saturate, out_sign, bounds, pointer.
"""
import functools
import math
import re
from typing import NamedTuple

import numpy as np

REGISTER_BITS = 256
SIGNED = tuple(np.dtype(name) for name in ("int8", "int16", "int32"))
UNSIGNED = tuple(np.dtype(name) for name in ("uint8", "uint16", "uint32"))
INTEGERS = SIGNED + UNSIGNED
HALF, SINGLE, DOUBLE = np.dtype("float16"), np.dtype("float32"), np.dtype("float64")
FLOATS = (HALF, SINGLE)
NUMBERS = INTEGERS + FLOATS
BITS = {1: np.dtype("uint8"), 2: np.dtype("uint16"), 4: np.dtype("uint32"), 8: np.dtype("uint64")}
CANONICAL_NAN = {HALF: 0x7E00, SINGLE: 0x7FC00000}
REASONS = ("type", "sign", "width", "scalar", "mask", "r", "acc", "saturate", "out_sign", "bounds", "pointer")


class Illegal(Exception):
    """A call that the document forbids; `reason` is one of REASONS."""

    def __init__(self, reason, text=""):
        super().__init__(f"{reason}: {text}" if text else reason)
        self.reason = reason


class Result(NamedTuple):
    values: np.ndarray
    defined: np.ndarray


# Types and constants.

def quiet(function):
    """Floating point events (overflow, NaN) are results here, not warnings."""

    @functools.wraps(function)
    def call(*arguments, **named):
        with np.errstate(all="ignore"):
            return function(*arguments, **named)

    return call


def register_lanes(dtype):
    return REGISTER_BITS // 8 // np.dtype(dtype).itemsize


def integer_type(size, signed):
    return (SIGNED if signed else UNSIGNED)[(1, 2, 4).index(size)]


def twin(dtype):
    """The integer type of the same width and the other sign."""
    return integer_type(dtype.itemsize, dtype.kind == "u")


@functools.cache
def limits(dtype):
    if dtype.kind == "f":
        top = float(np.finfo(dtype).max)
        return -top, top
    bounds = np.iinfo(dtype)
    return int(bounds.min), int(bounds.max)


def fits(value, dtype):
    low, high = limits(dtype)
    return low <= value <= high


def bits_of(values):
    return values.view(BITS[values.dtype.itemsize])


def wrapped(values, dtype):
    """Exact int64 values modulo 2^bits of dtype."""
    return values.astype(dtype)


def clamped(values, dtype):
    low, high = limits(dtype)
    return np.clip(values, low, high).astype(dtype)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, (bool, np.generic))


@quiet
def float_constant(value, dtype, reason):
    """A Python number rounded once to a float type; a finite one that would become infinite does not fit."""
    if isinstance(value, int) and abs(value) >= 2**53:
        # 30 leading bits, the last of them sticky, round as the exact integer does.
        shift = abs(value).bit_length() - 30
        leading = abs(value) >> shift
        leading |= int(leading << shift != abs(value))
        value = math.copysign(math.ldexp(leading, shift), value) if shift < 500 else math.copysign(2.0**500, value)
    rounded = np.array([value], DOUBLE).astype(dtype)
    if math.isfinite(value) and not np.isfinite(rounded[0]):
        raise Illegal(reason, f"{value} does not fit {dtype}")
    return rounded


def constant(value, dtype, lanes, reason="scalar"):
    """A number as a vector of dtype, or, if it fits only there, of its other-signed twin."""
    if not is_number(value):
        raise Illegal("r" if reason == "r" else "scalar", f"{value!r} is neither a vector nor a number")
    if dtype.kind == "f":
        return np.repeat(float_constant(value, dtype, reason), lanes)
    if isinstance(value, float):
        raise Illegal(reason, f"float {value} beside {dtype}")
    for candidate in (dtype, twin(dtype)):
        if fits(value, candidate):
            return np.full(lanes, value, candidate)
    raise Illegal(reason, f"{value} does not fit {dtype}")


# Masks.

MASK = re.compile(r"(?:\d*[TF]+)(?:_?\d+[TF]+|_[TF]+)*", re.ASCII)
GROUP = re.compile(r"(\d*)([TF]+)", re.ASCII)


def mask_string(text, lanes):
    """Booleans of `[count]pattern` groups such as 3T5F or 4T_FT3F_TT, at most `lanes` of them; two characters or more."""
    if len(text) < 2 or not MASK.fullmatch(text):
        raise Illegal("mask", text)
    groups = [(int(count or 1), pattern) for count, pattern in GROUP.findall(text)]
    if min(count for count, pattern in groups) == 0 or sum(count * len(pattern) for count, pattern in groups) > lanes:
        raise Illegal("mask", f"{text} has an empty group or more than {lanes} lanes")
    return [letter == "T" for count, pattern in groups for letter in pattern * count]


def mask_lanes(mask, lanes):
    """The mask as `lanes` booleans: None is all True, a shorter one is completed with False."""
    if mask is None:
        return np.ones(lanes, bool)
    if isinstance(mask, str):
        given = mask_string(mask, lanes)
    elif isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.ndim == 1:
        given = mask
    elif isinstance(mask, (tuple, list)) and all(isinstance(lane, (bool, np.bool_)) for lane in mask):
        given = mask
    else:
        raise Illegal("mask", repr(mask))
    if len(given) > lanes:
        raise Illegal("mask", f"{len(given)} lanes for {lanes}")
    active = np.zeros(lanes, bool)
    active[:len(given)] = given
    return active


def tail_mask(n, lanes):
    """The n lowest of `lanes` lanes are True; 0 <= n <= lanes."""
    if not 0 <= n <= lanes:
        raise Illegal("mask", f"tail of {n} in {lanes}")
    return np.arange(lanes) < n


# Operands.

def vector(value, types, reason="type"):
    """Checks that value is a 1-D array of one of the types."""
    if not isinstance(value, np.ndarray):
        raise Illegal("scalar", f"{value!r} is not a vector")
    if value.ndim != 1 or value.dtype not in types:
        raise Illegal(reason, f"{value.dtype}{value.shape}")
    return value


def check_width(value, width):
    """width is "register" (exactly one), "multiple" (of a register) or "flexible" (two lanes or more)."""
    lanes, register = len(value), register_lanes(value.dtype)
    legal = {"register": lanes == register, "multiple": lanes > 0 and lanes % register == 0, "flexible": lanes > 1}[width]
    if not legal:
        raise Illegal("width", f"{lanes} lanes of {value.dtype}, {width}")


def pair(x, y, types, width):
    """x and y as vectors of one element width and lane count; signs may differ, one of them may be a number."""
    given = [value for value in (x, y) if isinstance(value, np.ndarray)]
    if not given:
        raise Illegal("scalar", "one operand must be a vector")
    for value in given:
        vector(value, types)
        check_width(value, width)
    if len(given) == 1:
        dtype, lanes = given[0].dtype, len(given[0])
        x, y = (value if isinstance(value, np.ndarray) else constant(value, dtype, lanes) for value in (x, y))
    if x.dtype.itemsize != y.dtype.itemsize or (x.dtype.kind == "f") != (y.dtype.kind == "f"):
        raise Illegal("type", f"{x.dtype} and {y.dtype}")
    if len(x) != len(y):
        raise Illegal("width", f"{len(x)} and {len(y)} lanes")
    return x, y


def same_type(x, y):
    if x.dtype != y.dtype:
        raise Illegal("sign", f"{x.dtype} and {y.dtype}")


def check_out_sign(out_sign):
    if out_sign not in (None, "u", "s"):
        raise Illegal("out_sign", repr(out_sign))


def signed_result(x, y, out_sign):
    """Whether the result of integers is signed: out_sign, or the sign that both operands share."""
    if out_sign is None:
        same_type(x, y)
        return x.dtype.kind == "i"
    return out_sign == "s"


def inactive_values(r, dtype, lanes):
    """r as a vector of the result's type, or None."""
    if r is None:
        return None
    if isinstance(r, np.ndarray):
        if r.shape != (lanes,) or (r.dtype != dtype and (dtype.kind == "f" or r.dtype != twin(dtype))):
            raise Illegal("r", f"{r.dtype}{r.shape} for {dtype} of {lanes} lanes")
        return r.view(dtype)
    return constant(r, dtype, lanes, "r").view(dtype)


def merged(values, active, r=None):
    """Active lanes of values; the others from r, or undefined."""
    other = inactive_values(r, values.dtype, len(values))
    bits = np.where(active, bits_of(values), 0 if other is None else bits_of(other))
    return Result(bits.astype(BITS[values.dtype.itemsize]).view(values.dtype),
                  active.copy() if other is None else np.ones(len(values), bool))


# Floats.

def canonical(values):
    """NaN that arithmetic made gets the one bit pattern of its type."""
    bits = bits_of(values)
    return np.where(np.isnan(values), bits.dtype.type(CANONICAL_NAN[values.dtype]), bits).view(values.dtype)


def float_op(operation, x, y):
    """One rounding: sums and products of float16 in float64 (exact there), float32 in its own arithmetic."""
    if x.dtype == HALF:
        return canonical(operation(x.astype(DOUBLE), y.astype(DOUBLE)).astype(HALF))
    return canonical(operation(x, y))


def fused(acc, x, y):
    """acc + x * y rounded once to float32; operands float32 or float16 as arrays of equal shape.

    The product is exact in float64. Its sum with acc is rounded to odd there (two-sum gives the error), so that rounding it again
    to 24 bits or fewer is rounding the exact value.
    """
    product, acc = x.astype(DOUBLE) * y.astype(DOUBLE), acc.astype(DOUBLE)
    total = acc + product
    back = total - acc
    error = (acc - (total - back)) + (product - back)
    even = (total.view(np.int64) & 1) == 0
    inexact = np.isfinite(total) & (error != 0) & even
    towards = np.where(error > 0, np.inf, -np.inf)
    return canonical(np.where(inexact, np.nextafter(total, towards), total).astype(SINGLE))


def grouped_sums(products, active, start=None):
    """Sums in float64 along the last axis from the lowest active lane up, `start` first; rounded once to float32."""
    total = np.zeros(products.shape[:-1], DOUBLE) if start is None else start.astype(DOUBLE)
    begun = np.full(total.shape, start is not None)
    for lane in range(products.shape[-1]):
        here, product = active[..., lane], products[..., lane]
        total = np.where(here, np.where(begun, total + product, product), total)
        begun = begun | here
    return canonical(total.astype(SINGLE))


# Sums and products, lane by lane.

@quiet
def lane_sum(x, y, mask, saturate, out_sign, r, operation):
    check_out_sign(out_sign)
    x, y = pair(x, y, NUMBERS, "flexible")
    active = mask_lanes(mask, len(x))
    if x.dtype.kind == "f":
        if saturate:
            raise Illegal("saturate", "floats do not saturate")
        return merged(float_op(operation, x, y), active, r)
    dtype = integer_type(x.dtype.itemsize, signed_result(x, y, out_sign))
    exact = operation(x.astype(np.int64), y.astype(np.int64))
    return merged((clamped if saturate else wrapped)(exact, dtype), active, r)


def vadd(x, y, mask=None, saturate=False, out_sign=None, r=None):
    """x + y."""
    return lane_sum(x, y, mask, saturate, out_sign, r, np.add)


def vsub(x, y, mask=None, saturate=False, out_sign=None, r=None):
    """x - y."""
    return lane_sum(x, y, mask, saturate, out_sign, r, np.subtract)


@quiet
def vmul(x, y, mask=None, out_sign=None, r=None):
    """x * y modulo 2^bits; no 8-bit types."""
    check_out_sign(out_sign)
    x, y = pair(x, y, [dtype for dtype in NUMBERS if dtype.itemsize > 1], "flexible")
    active = mask_lanes(mask, len(x))
    if x.dtype.kind == "f":
        return merged(float_op(np.multiply, x, y), active, r)
    dtype = integer_type(x.dtype.itemsize, signed_result(x, y, out_sign))
    return merged(wrapped(x.astype(np.int64) * y.astype(np.int64), dtype), active, r)


def half_product(x, y, mask, out_sign, r, upper):
    """Products of twice the width from the lower or upper half of one register."""
    check_out_sign(out_sign)
    x, y = pair(x, y, INTEGERS, "register")
    half, size = len(x) // 2, x.dtype.itemsize
    lanes = slice(half, None) if upper else slice(half)
    active = mask_lanes(mask, len(x))[lanes]
    signed = signed_result(x, y, out_sign)
    exact = x[lanes].astype(np.int64) * y[lanes].astype(np.int64)
    if size < 4:
        return merged(wrapped(exact, integer_type(2 * size, signed)), active, r)
    # Two words of a 64-bit product, the low one first. int64 wraps modulo 2^64, which keeps both words of any product.
    words = np.stack([exact & 0xFFFFFFFF, (exact >> 32) & 0xFFFFFFFF], axis=1).reshape(-1)
    return merged(wrapped(words, integer_type(4, signed)), np.repeat(active, 2), r)


def vmull(x, y, mask=None, out_sign=None, r=None):
    """Products of the lower half's lanes; result lane i is governed by mask lane i."""
    return half_product(x, y, mask, out_sign, r, upper=False)


def vmulh(x, y, mask=None, out_sign=None, r=None):
    """Products of the upper half's lanes; result lane i is governed by mask lane lanes/2 + i."""
    return half_product(x, y, mask, out_sign, r, upper=True)


def pairwise(x, y, operation):
    """x's neighbours combined in the lower half, y's in the upper half, clamped."""
    x, y = pair(x, y, INTEGERS, "multiple")
    same_type(x, y)
    exact = np.concatenate([x, y]).astype(np.int64)
    return merged(clamped(operation(exact[0::2], exact[1::2]), x.dtype), np.ones(len(x), bool))


def vaddh(x, y):
    """Sums of every two adjacent lanes."""
    return pairwise(x, y, np.add)


def vsubh(x, y):
    """Differences of every two adjacent lanes, the even one minus the odd one."""
    return pairwise(x, y, np.subtract)


def vabs(x, mask=None, saturate=False):
    """Absolute values; the minimum stays itself, or with saturate becomes the maximum. Floats lose their sign bit."""
    vector(x, NUMBERS)
    check_width(x, "flexible")
    active = mask_lanes(mask, len(x))
    if x.dtype.kind == "f":
        if saturate:
            raise Illegal("saturate", "floats do not saturate")
        sign = 1 << (8 * x.dtype.itemsize - 1)
        return merged((bits_of(x) & bits_of(x).dtype.type(sign - 1)).view(x.dtype), active)
    exact = np.abs(x.astype(np.int64))
    return merged((clamped if saturate else wrapped)(exact, x.dtype), active)


@quiet
def vdiv(x, y, mask=None):
    """x / y, integers towards zero; by 0 is 0, minimum / -1 is the maximum. No float16."""
    x, y = pair(x, y, INTEGERS + (SINGLE,), "flexible")
    same_type(x, y)
    active = mask_lanes(mask, len(x))
    if x.dtype == SINGLE:
        return merged(float_op(np.divide, x, y), active)
    dividend, divisor = x.astype(np.int64), y.astype(np.int64)
    magnitude = np.abs(dividend) // np.maximum(np.abs(divisor), 1)
    quotient = np.where(divisor == 0, 0, np.sign(dividend) * np.sign(divisor) * magnitude)
    return merged(clamped(quotient, x.dtype), active)


def vmod(x, y, mask=None):
    """The remainder with the sign of x; by 0 is 0."""
    x, y = pair(x, y, INTEGERS, "flexible")
    same_type(x, y)
    active = mask_lanes(mask, len(x))
    dividend, divisor = x.astype(np.int64), np.abs(y.astype(np.int64))
    remainder = np.sign(dividend) * (np.abs(dividend) % np.maximum(divisor, 1))
    return merged(wrapped(np.where(divisor == 0, 0, remainder), x.dtype), active)


# Dot products and reductions.

def dot_operands(x, y, sizes, floats):
    """x and y of one register: integers of the given bytes, any signs, or floats."""
    return pair(x, y, [dtype for dtype in INTEGERS if dtype.itemsize in sizes] + list(floats), "register")


def accumulator(acc, dtype, lanes):
    if not isinstance(acc, np.ndarray) or acc.dtype != dtype or acc.shape != (lanes,):
        raise Illegal("acc", f"needs {lanes} lanes of {dtype}")
    return acc


def integer_dot(acc, x, y, mask, span, has_acc):
    """Exact sums of `span` adjacent active products (and of acc), clamped once."""
    signed = x.dtype.kind == "i" or y.dtype.kind == "i"
    dtype, lanes = integer_type(x.dtype.itemsize * span, signed), len(x) // span
    if has_acc:
        accumulator(acc, dtype, lanes)
    active = mask_lanes(mask, len(x)).reshape(lanes, span)
    products = (x.astype(np.int64) * y.astype(np.int64)).reshape(lanes, span)
    total = np.where(active, products, 0).sum(axis=1)
    if has_acc:
        return merged(clamped(total + acc.astype(np.int64), dtype), np.ones(lanes, bool))
    return merged(clamped(total, dtype), active.any(axis=1))


@quiet
def float_quad_dot(acc, x, y, mask, has_acc):
    """Four float16 products a group; float32 results in even lanes, odd lanes undefined or acc's."""
    lanes = len(x) // 2
    if has_acc:
        accumulator(acc, SINGLE, lanes)
    active = mask_lanes(mask, len(x)).reshape(-1, 4)
    products = (x.astype(DOUBLE) * y.astype(DOUBLE)).reshape(-1, 4)
    values, chosen = np.zeros(lanes, SINGLE), np.zeros(lanes, bool)
    values[::2] = grouped_sums(products, active, acc[::2] if has_acc else None)
    chosen[::2] = active.any(axis=1)
    return merged(values, chosen, acc if has_acc else None)


def vdot(x, y, mask=None):
    """Sums of two adjacent products, clamped; a group without an active lane is undefined."""
    x, y = dot_operands(x, y, (1, 2), ())
    return integer_dot(None, x, y, mask, 2, has_acc=False)


def vqdot(x, y, mask=None):
    """Sums of four adjacent products: 8-bit integers clamped to 32 bits, or float16 to float32 in even lanes."""
    x, y = dot_operands(x, y, (1,), (HALF,))
    if x.dtype == HALF:
        return float_quad_dot(None, x, y, mask, has_acc=False)
    return integer_dot(None, x, y, mask, 4, has_acc=False)


def vdpa(acc, x, y, mask=None):
    """acc plus the sums of two adjacent products, clamped once."""
    x, y = dot_operands(x, y, (1, 2), ())
    return integer_dot(acc, x, y, mask, 2, has_acc=True)


def vqdpa(acc, x, y, mask=None):
    """acc plus the sums of four adjacent products; floats change even lanes only."""
    x, y = dot_operands(x, y, (1,), (HALF,))
    if x.dtype == HALF:
        return float_quad_dot(acc, x, y, mask, has_acc=True)
    return integer_dot(acc, x, y, mask, 4, has_acc=True)


@quiet
def vrpadd(x, mask=None):
    """The sum of all active lanes in lane 0; no other lane is defined. float16 gives float32 with half the lanes."""
    vector(x, NUMBERS)
    check_width(x, "register")
    active = mask_lanes(mask, len(x))
    if x.dtype.kind == "f":
        total = grouped_sums(x.astype(DOUBLE)[np.newaxis], active[np.newaxis])
    else:
        total = wrapped(x[active].astype(np.int64).sum(keepdims=True), x.dtype)
    values = np.zeros(register_lanes(total.dtype), total.dtype)
    values[:1] = total
    return merged(values, np.arange(len(values)) == 0)


# Matrices.

def matrix_operands(pointer, x, y):
    for value in (x, y):
        check_width(vector(value, (HALF,)), "register")
    if not isinstance(pointer, np.ndarray) or pointer.dtype != SINGLE or pointer.ndim != 1 or len(pointer) < 16:
        raise Illegal("pointer", "needs 16 float32")
    x, y = (value.astype(DOUBLE).reshape(4, 4) for value in (x, y))
    return x[:, np.newaxis, :] * y[np.newaxis, :, :]  # [row of x, column of y, k]


@quiet
def vmml(ptr, x, y):
    """x (4x4, row-major) times y (4x4, column-major): 16 float32, row-major."""
    products = matrix_operands(ptr, x, y)
    return merged(grouped_sums(products, np.ones(products.shape, bool)).reshape(16), np.ones(16, bool))


@quiet
def vmma(acc_ptr, x, y):
    """The first 16 float32 at acc_ptr plus vmml."""
    products = matrix_operands(acc_ptr, x, y)
    start = acc_ptr[:16].reshape(4, 4)
    return merged(grouped_sums(products, np.ones(products.shape, bool), start).reshape(16), np.ones(16, bool))


# Multiply-add.

@quiet
def fma(acc, x, y, mask=None):
    """acc + x * y of float32, rounded once; inactive lanes are acc's. All three may be numbers."""
    if not any(isinstance(value, np.ndarray) for value in (acc, x, y)):
        if mask is not None:
            raise Illegal("mask", "scalars have no lanes")
        acc, x, y = (constant(value, SINGLE, 1) for value in (acc, x, y))
        return merged(fused(acc, x, y), np.ones(1, bool))
    if not isinstance(acc, np.ndarray):
        raise Illegal("acc", "a vector needs a vector to add to")
    check_width(vector(acc, (SINGLE,)), "flexible")
    x, y = (vector(value, (SINGLE,)) if isinstance(value, np.ndarray) else constant(value, SINGLE, len(acc)) for value in (x, y))
    if len(x) != len(acc) or len(y) != len(acc):
        raise Illegal("width", f"{len(acc)}, {len(x)} and {len(y)} lanes")
    return merged(fused(acc, x, y), mask_lanes(mask, len(acc)), acc)


@quiet
def half_fused(acc, x, y, mask, first):
    x, y = pair(x, y, (HALF,), "register")
    accumulator(acc, SINGLE, len(x) // 2)
    return merged(fused(acc, x[first::2], y[first::2]), mask_lanes(mask, len(acc)), acc)


def vfmae(acc, x, y, mask=None):
    """acc[i] + x[2i] * y[2i], rounded once; the mask has acc's lanes."""
    return half_fused(acc, x, y, mask, 0)


def vfmao(acc, x, y, mask=None):
    """acc[i] + x[2i+1] * y[2i+1], rounded once; the mask has acc's lanes."""
    return half_fused(acc, x, y, mask, 1)


# Rounding and clipping.

@quiet
def vrint(x, mask=None):
    """The nearest integer, ties to even; NaN keeps its bits, zero its sign."""
    check_width(vector(x, FLOATS), "flexible")
    nearest = np.rint(x.astype(DOUBLE)).astype(x.dtype)
    bits = np.where(np.isnan(x), bits_of(x), bits_of(nearest))
    return merged(bits.view(x.dtype), mask_lanes(mask, len(x)))


def clip_bound(value, dtype, lanes):
    """A bound as a vector; finite constants beyond the range of dtype move to its limits."""
    if isinstance(value, np.ndarray):
        return value
    if dtype.kind != "f" and isinstance(value, float):
        raise Illegal("bounds", f"float {value} for {dtype}")
    if is_number(value) and math.isnan(value):
        raise Illegal("bounds", "NaN is below or above nothing")
    if is_number(value) and math.isfinite(value):
        low, high = limits(dtype)
        value = max(min(value, high), low)
    return constant(value, dtype, lanes, "bounds")


@quiet
def clip(x, min_val, max_val, mask=None):
    """x where min_val <= x <= max_val, else the bound it is beyond; inactive lanes are x's; NaN is beyond nothing.

    Scalars alone are int32, or float32 if x is a float. Lanes whose lower bound is above the upper one are undefined.
    """
    given = [value for value in (x, min_val, max_val) if isinstance(value, np.ndarray)]
    if given:
        dtype, lanes = given[0].dtype, len(given[0])
    else:
        dtype, lanes = (SINGLE if isinstance(x, float) else SIGNED[2]), 1
        if mask is not None:
            raise Illegal("mask", "scalars have no lanes")
    for value in given:
        check_width(vector(value, NUMBERS), "flexible")
        if value.dtype.itemsize != dtype.itemsize or (value.dtype.kind == "f") != (dtype.kind == "f"):
            raise Illegal("type", f"{dtype} and {value.dtype}")
        same_type(given[0], value)
        if len(value) != lanes:
            raise Illegal("width", f"{lanes} and {len(value)} lanes")
    if not isinstance(x, np.ndarray):
        if given:
            raise Illegal("scalar", "x is a vector as soon as a bound is one")
        x = constant(x, dtype, lanes)
        if x.dtype != dtype:
            raise Illegal("sign", f"{x[0]} beside {dtype}")
    low, high = (clip_bound(value, dtype, lanes) for value in (min_val, max_val))
    if not any(isinstance(value, np.ndarray) for value in (min_val, max_val)) and low[0] > high[0]:
        raise Illegal("bounds", f"{min_val} > {max_val}")
    active = mask_lanes(mask, lanes)
    bits = np.where(x < low, bits_of(low), np.where(x > high, bits_of(high), bits_of(x)))
    result = merged(bits.view(dtype), active, x)
    return Result(result.values, result.defined & ~(active & (low > high)))


OPERATIONS = {function.__name__: function for function in (
    vadd, vaddh, vabs, vsub, vsubh, vmul, vmull, vmulh, vdiv, vmod, vdot, vqdot, vdpa, vqdpa, vrpadd, vmml, vmma, fma, vfmae, vfmao,
    vrint, clip)}

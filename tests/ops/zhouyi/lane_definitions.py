"""The same operations once more, lane by lane with Python integers and fractions: what the vectorised model is checked with.

`expected(case)` gives a list with one entry a result lane: an int, a float (exact in the result's type), `Bits` of a lane that keeps
its bit pattern, or None where nothing is defined. Operands come from legal cases, so nothing is checked here.
"""
import math
from fractions import Fraction
from typing import NamedTuple

import numpy as np

import model

FORMATS = {"float16": (11, -14, 15), "float32": (24, -126, 127)}  # bits of the significand, exponents of normal numbers


class Bits(NamedTuple):
    pattern: int


def rounded(exact, name, zero_sign=1.0):
    """A fraction to the nearest number of the format, ties to even, as a Python float."""
    if exact == 0:
        return math.copysign(0.0, zero_sign)
    digits, smallest, largest = FORMATS[name]
    size = abs(exact)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    if size < Fraction(2) ** exponent:
        exponent -= 1
    unit = Fraction(2) ** (max(exponent, smallest) - digits + 1)
    nearest = round(size / unit) * unit
    value = math.inf if nearest >= Fraction(2) ** (largest + 1) else float(nearest)
    return math.copysign(value, exact)


def combine(name, operation, *operands):
    """One operation on floats, rounded once; infinities, NaN and signs of zero are those of Python's doubles."""
    native = operation(*operands)
    if not all(map(math.isfinite, operands)):
        return native
    return rounded(operation(*map(Fraction, operands)), name, native)


def divide(a, b):
    if b == 0:
        if a == 0 or math.isnan(a):
            return math.nan
        return math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))
    return combine("float32", lambda x, y: x / y, a, b)


def fit(value, dtype, saturate):
    low, high = model.limits(dtype)
    if saturate:
        return max(low, min(high, value))
    return (value - low) % (high - low + 1) + low


def sequential(values):
    """A sum in doubles from the first value on."""
    total = None
    for value in values:
        total = value if total is None else total + value
    with np.errstate(all="ignore"):
        return float(np.float32(total))


class Operands:
    """The arguments of a case as lists of Python numbers, with masks expanded and constants repeated."""

    def __init__(self, case, result):
        self.args, self.result, self.dtype = case.args, result, result.values.dtype
        self.vectors = {name: value for name, value in case.args.items() if isinstance(value, np.ndarray) and name not in ("mask", "r")}

    def lanes(self, name, beside=()):
        value = self.args[name]
        if isinstance(value, np.ndarray):
            return value.tolist()
        others = [self.vectors[key] for key in beside if key in self.vectors] or [np.zeros(1, self.dtype)]
        if others[0].dtype.kind == "f":
            return [rounded(Fraction(value), str(others[0].dtype), value) if math.isfinite(value) else value] * len(others[0])
        return [value] * len(others[0])

    def active(self, lanes):
        return model.mask_lanes(self.args.get("mask"), lanes).tolist()

    def otherwise(self, lane):
        """r's lane, re-read as the result's type."""
        r = self.args.get("r")
        if r is None:
            return None
        if isinstance(r, np.ndarray):
            return Bits(int(model.bits_of(r)[lane]))
        return fit(r, self.dtype, False) if self.dtype.kind != "f" else rounded(Fraction(r), str(self.dtype), r) if math.isfinite(r) else r


def lane_by_lane(operation):
    def lanes(o):
        x, y = o.lanes("x", ("y",)), o.lanes("y", ("x",))
        return [operation(o, a, b) if on else o.otherwise(i) for i, (a, b, on) in enumerate(zip(x, y, o.active(len(x))))]
    return lanes


def summed(o, a, b):
    if o.dtype.kind == "f":
        return combine(str(o.dtype), lambda x, y: x + y, a, b)
    return fit(a + b, o.dtype, o.args.get("saturate"))


def subtracted(o, a, b):
    if o.dtype.kind == "f":
        return combine(str(o.dtype), lambda x, y: x - y, a, b)
    return fit(a - b, o.dtype, o.args.get("saturate"))


def multiplied(o, a, b):
    return combine(str(o.dtype), lambda x, y: x * y, a, b) if o.dtype.kind == "f" else fit(a * b, o.dtype, False)


def divided(o, a, b):
    if o.dtype.kind == "f":
        return divide(a, b)
    return 0 if b == 0 else fit(int(Fraction(a, b)), o.dtype, True)


def remaining(o, a, b):
    return 0 if b == 0 else a - b * int(Fraction(a, b))


def neighbours(sign):
    def lanes(o):
        both = o.lanes("x", ("y",)) + o.lanes("y", ("x",))
        return [fit(both[2 * i] + sign * both[2 * i + 1], o.dtype, True) for i in range(len(both) // 2)]
    return lanes


def absolute(o):
    x, active = o.args["x"], o.active(len(o.args["x"]))
    if o.dtype.kind == "f":
        top = 8 * o.dtype.itemsize - 1
        return [Bits(int(bits) & ~(1 << top)) if on else None for bits, on in zip(model.bits_of(x), active)]
    return [fit(abs(a), o.dtype, o.args.get("saturate")) if on else None for a, on in zip(x.tolist(), active)]


def half_products(upper):
    def lanes(o):
        x, y = o.lanes("x", ("y",)), o.lanes("y", ("x",))
        first, active, values = len(x) // 2 if upper else 0, o.active(len(x)), []
        words = 2 if len(x) == len(o.result.values) else 1
        for lane in range(len(o.result.values)):
            source = first + lane // words
            product = x[source] * y[source] >> (32 if words == 2 and lane % 2 else 0)
            values.append(fit(product, o.dtype, False) if active[source] else o.otherwise(lane))
        return values
    return lanes


def dots(span, has_acc):
    def lanes(o):
        x, y = o.lanes("x", ("y",)), o.lanes("y", ("x",))
        active, values = o.active(len(x)), []
        floats = o.dtype.kind == "f"
        for lane in range(len(o.result.values)):
            group = lane // 2 if floats else lane
            chosen = [i for i in range(span * group, span * group + span) if active[i] and not (floats and lane % 2)]
            acc = [o.args["acc"][lane].item()] if has_acc else []
            if not chosen:
                values.append(Bits(int(model.bits_of(o.args["acc"])[lane])) if has_acc else None)
            elif floats:
                values.append(sequential(acc + [x[i] * y[i] for i in chosen]))
            else:
                values.append(fit(sum(acc + [x[i] * y[i] for i in chosen]), o.dtype, True))
        return values
    return lanes


def reduced(o):
    x = o.args["x"].tolist()
    chosen = [a for a, on in zip(x, o.active(len(x))) if on]
    total = fit(sum(chosen), o.dtype, False) if o.dtype.kind != "f" else sequential(chosen) if chosen else 0.0
    return [total] + [None] * (len(o.result.values) - 1)


def matrix(has_acc):
    def lanes(o):
        x, y = o.args["x"].tolist(), o.args["y"].tolist()
        acc = [[value] if has_acc else [] for value in o.args["acc_ptr" if has_acc else "ptr"].tolist()]
        return [sequential(acc[4 * i + j] + [x[4 * i + k] * y[4 * j + k] for k in range(4)]) for i in range(4) for j in range(4)]
    return lanes


def multiply_add(step, first):
    def lanes(o):
        acc = o.lanes("acc", ())
        x, y = (o.lanes(name, ("x", "y", "acc"))[first::step] for name in ("x", "y"))
        values = []
        for i, on in enumerate(o.active(len(acc))):
            if on:
                values.append(combine("float32", lambda a, b, c: a + b * c, acc[i], x[i], y[i]))
            else:
                values.append(Bits(int(model.bits_of(o.args["acc"])[i])))
        return values
    return lanes


def nearest_integers(o):
    values = []
    for a, bits, on in zip(o.args["x"].tolist(), model.bits_of(o.args["x"]).tolist(), o.active(len(o.args["x"]))):
        kept = not math.isfinite(a)
        values.append(None if not on else Bits(bits) if kept else math.copysign(float(round(Fraction(a))), a))
    return values


def clipped(o):
    names, (smallest, largest) = ("x", "min_val", "max_val"), model.limits(o.dtype)
    for name in names[1:]:
        if not isinstance(o.args[name], np.ndarray) and math.isfinite(o.args[name]):
            o.args = o.args | {name: min(max(o.args[name], smallest), largest)}
    x, low, high = (o.lanes(name, names) for name in names)
    values = []
    for i, on in enumerate(o.active(len(x))):
        if on and low[i] > high[i]:
            values.append(None)
            continue
        beyond = low[i] if on and x[i] < low[i] else high[i] if on and x[i] > high[i] else x[i]
        kept = beyond is x[i] and isinstance(o.args["x"], np.ndarray)
        if kept:
            values.append(Bits(int(model.bits_of(o.args["x"])[i])))
        else:
            values.append(beyond if o.dtype.kind == "f" else fit(beyond, o.dtype, True))
    return values


DEFINITIONS = {
    "vadd": lane_by_lane(summed), "vsub": lane_by_lane(subtracted), "vmul": lane_by_lane(multiplied), "vdiv": lane_by_lane(divided),
    "vmod": lane_by_lane(remaining), "vaddh": neighbours(1), "vsubh": neighbours(-1), "vabs": absolute, "vmull": half_products(False),
    "vmulh": half_products(True), "vdot": dots(2, False), "vqdot": dots(4, False), "vdpa": dots(2, True), "vqdpa": dots(4, True),
    "vrpadd": reduced, "vmml": matrix(False), "vmma": matrix(True), "fma": multiply_add(1, 0), "vfmae": multiply_add(2, 0),
    "vfmao": multiply_add(2, 1), "vrint": nearest_integers, "clip": clipped}


def expected(case, result):
    """Entries for the lanes of `result`, whose values are used for their type and count only."""
    return DEFINITIONS[case.op](Operands(case, result))


def differs(result, lanes):
    """The first lane where the model's result is not the expected one, or None."""
    bits = model.bits_of(result.values)
    if len(lanes) != len(bits):
        return len(bits)
    for lane, value in enumerate(lanes):
        if (value is not None) != bool(result.defined[lane]):
            return lane
        if value is None:
            continue
        if isinstance(value, Bits):
            pattern = value.pattern
        elif isinstance(value, float) and math.isnan(value):
            pattern = model.CANONICAL_NAN[result.values.dtype]
        else:
            pattern = int(model.bits_of(np.array([value], result.values.dtype))[0])
        if pattern != int(bits[lane]):
            return lane
    return None

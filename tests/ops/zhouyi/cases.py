"""Random legal calls of every Zhouyi operation; illegal_cases.py has those that must be refused.

`variants(op)` is the product of operand types and features; `case(op, variant, rng)` draws one call of a variant. The arguments of
a case go to the function of model.py by name: vectors are numpy arrays, constants Python numbers.
"""
import functools
import itertools
from typing import NamedTuple

import numpy as np

import draws
import model
from draws import FLOATS, INTEGERS

MASKS = ("none", "random", "list", "tail", "string")
RESULTS_FOR_INACTIVE = ("none", "vector", "twin", "scalar")
WIDTHS = ("register", "flexible", "multiple")


class Variant(NamedTuple):
    types: tuple  # of x and y, or of x
    width: str = "register"
    scalar: str = ""  # names of the operands that are numbers, with blanks between
    mask: str = "none"
    r: str = "none"
    saturate: bool = False
    out_sign: object = None


class Case(NamedTuple):
    op: str
    args: dict
    variant: Variant


class Signature(NamedTuple):
    """What the document says of one operation: names of its operands and which features it has."""
    operands: tuple
    types: tuple
    widths: tuple = ("register",)
    scalars: tuple = ("",)
    mask: bool = True
    r: bool = False
    saturate: bool = False
    out_sign: bool = False


def same(types):
    return tuple((name, name) for name in types)


def mixed(types):
    """Both orders of the two signs of each width."""
    names = [name for name in types if name[0] == "u"]
    return tuple(pair for name in names for pair in ((name, name[1:]), (name[1:], name)))


ALL, WIDE, BYTES = INTEGERS + FLOATS, tuple(name for name in INTEGERS if not name.endswith("8")), ("int8", "uint8")
SHORTS = ("int8", "int16", "uint8", "uint16")
XY, ONE_NUMBER = ("x", "y"), ("", "x", "y")
SIGNATURES = {
    "vadd": Signature(XY, same(ALL) + mixed(INTEGERS), WIDTHS, ONE_NUMBER, r=True, saturate=True, out_sign=True),
    "vaddh": Signature(XY, same(INTEGERS), ("register", "multiple"), ONE_NUMBER, mask=False),
    "vabs": Signature(("x",), tuple((name,) for name in ALL), WIDTHS, saturate=True),
    "vsub": Signature(XY, same(ALL) + mixed(INTEGERS), WIDTHS, ONE_NUMBER, r=True, saturate=True, out_sign=True),
    "vsubh": Signature(XY, same(INTEGERS), ("register", "multiple"), ONE_NUMBER, mask=False),
    "vmul": Signature(XY, same(WIDE + FLOATS) + mixed(WIDE), WIDTHS, ONE_NUMBER, r=True, out_sign=True),
    "vmull": Signature(XY, same(INTEGERS) + mixed(INTEGERS), scalars=ONE_NUMBER, r=True, out_sign=True),
    "vmulh": Signature(XY, same(INTEGERS) + mixed(INTEGERS), scalars=ONE_NUMBER, r=True, out_sign=True),
    "vdiv": Signature(XY, same(INTEGERS + ("float32",)), WIDTHS, ONE_NUMBER),
    "vmod": Signature(XY, same(INTEGERS), WIDTHS, ONE_NUMBER),
    "vdot": Signature(XY, same(SHORTS) + mixed(SHORTS), scalars=ONE_NUMBER),
    "vqdot": Signature(XY, same(BYTES + ("float16",)) + mixed(BYTES), scalars=ONE_NUMBER),
    "vdpa": Signature(("acc", "x", "y"), same(SHORTS) + mixed(SHORTS), scalars=ONE_NUMBER),
    "vqdpa": Signature(("acc", "x", "y"), same(BYTES + ("float16",)) + mixed(BYTES), scalars=ONE_NUMBER),
    "vrpadd": Signature(("x",), tuple((name,) for name in ALL)),
    "vmml": Signature(("ptr", "x", "y"), same(("float16",)), mask=False),
    "vmma": Signature(("acc_ptr", "x", "y"), same(("float16",)), mask=False),
    "fma": Signature(("acc", "x", "y"), same(("float32",)), WIDTHS, ONE_NUMBER + ("x y", "acc x y")),
    "vfmae": Signature(("acc", "x", "y"), same(("float16",)), scalars=ONE_NUMBER),
    "vfmao": Signature(("acc", "x", "y"), same(("float16",)), scalars=ONE_NUMBER),
    "vrint": Signature(("x",), tuple((name,) for name in FLOATS), WIDTHS),
    "clip": Signature(("x", "min_val", "max_val"), tuple((name,) for name in ALL), WIDTHS,
                      ("", "min_val", "max_val", "min_val max_val", "x min_val max_val")),
}


def is_legal(op, variant):
    """Leaves out combinations that the document forbids or that are one case under two names."""
    floats, integers = variant.types[0] in FLOATS, variant.types[0] in INTEGERS
    if integers and len(set(variant.types)) == 2 and variant.out_sign is None and SIGNATURES[op].out_sign:
        return False
    if floats and (variant.saturate or variant.r == "twin"):
        return False
    if variant.scalar in ("acc x y", "x min_val max_val"):
        return variant.types[0] in ("int32", "float32") and variant.width == "register" and variant.mask == "none"
    return True


@functools.cache
def variants(op):
    """Every legal combination of operand types and features."""
    signature = SIGNATURES[op]
    product = itertools.product(signature.types, signature.widths, signature.scalars, MASKS if signature.mask else ("none",),
                                RESULTS_FOR_INACTIVE if signature.r else ("none",), (False, True) if signature.saturate else (False,),
                                (None, "u", "s") if signature.out_sign else (None,))
    return tuple(variant for variant in itertools.starmap(Variant, product) if is_legal(op, variant))


def types_of(op):
    return SIGNATURES[op].types


def lanes_of(rng, dtype, width):
    register = model.register_lanes(dtype)
    if width == "multiple":
        return register * int(rng.integers(2, 5))
    if width == "flexible":
        return int(rng.choice([2, 3, register - 1, register + 1, int(rng.integers(2, 3 * register))]))
    return register


# Operands by the shape of the operation.

def pair_operands(variant, rng):
    """x and y; one of them may be a number that becomes its type."""
    first, second = variant.types
    lanes = lanes_of(rng, first, variant.width)
    x = draws.vector(rng, first, lanes)
    y = draws.partner(rng, second, x)
    numbers = variant.scalar.split()
    return dict(x=draws.number(rng, first, second) if "x" in numbers else x, y=draws.number(rng, second, first) if "y" in numbers else y)


def cancelling(rng, acc, products):
    """acc, or sometimes the opposite of the products, or that and one unit of its last place."""
    if rng.random() < 0.6:
        return acc
    with np.errstate(all="ignore"):
        near = (-products).astype("float32")
        return near if rng.random() < 0.5 else np.nextafter(near, np.float32(rng.choice([-np.inf, np.inf])))


def cancelling_halves(rng):
    """x and y of 16 float16 whose products of four lanes are large ones that cancel and ones that float64 loses beside them."""
    exponents = rng.permutation([15, 15, -24, int(rng.choice([-24, 15, 0]))])
    magnitudes = np.tile(np.ldexp(1.0, exponents), 4)
    return (magnitudes * rng.choice([-1.0, 1.0], 16)).astype("float16"), magnitudes.astype("float16")


def dot_operands(op, variant, rng):
    operands = pair_operands(variant, rng)
    if variant.types[0] in FLOATS and not variant.scalar and rng.random() < 0.2:
        operands["x"], operands["y"] = cancelling_halves(rng)
    if op in ("vdot", "vqdot"):
        return operands
    size = np.dtype(variant.types[0]).itemsize
    if variant.types[0] in FLOATS:
        acc_type = np.dtype("float32")
    else:
        acc_type = model.integer_type(size * (2 if op == "vdpa" else 4), any(name[0] == "i" for name in variant.types))
    acc = draws.vector(rng, acc_type, model.register_lanes(acc_type))
    if not variant.scalar and acc_type.kind == "f":
        with np.errstate(all="ignore"):
            products = operands["x"].astype("float64") * operands["y"].astype("float64")
        acc[::2] = cancelling(rng, acc[::2], products[int(rng.integers(4))::4])
    return dict(acc=acc, **operands)


def matrix_operands(op, rng):
    """Sometimes what is accumulated is the opposite of one product of each sum."""
    pointer = draws.vector(rng, "float32", 16 + 8 * int(rng.integers(0, 2)))
    x, y = cancelling_halves(rng) if rng.random() < 0.2 else (draws.vector(rng, "float16", 16) for operand in range(2))
    k = int(rng.integers(4))
    with np.errstate(all="ignore"):
        products = np.outer(x[k::4].astype("float64"), y[k::4].astype("float64")).reshape(16)
    pointer[:16] = cancelling(rng, pointer[:16], products)
    return {"ptr" if op == "vmml" else "acc_ptr": pointer, "x": x, "y": y}


def multiply_add_operands(op, variant, rng):
    if variant.scalar == "acc x y":
        return {name: draws.number(rng, "float32") for name in ("acc", "x", "y")}
    operands = pair_operands(variant, rng)
    lanes = [len(value) // (1 if op == "fma" else 2) for value in operands.values() if isinstance(value, np.ndarray)]
    lanes = lanes[0] if lanes else lanes_of(rng, "float32", variant.width)
    acc = draws.vector(rng, "float32", lanes)
    if not variant.scalar:
        first = 1 if op == "vfmao" else 0
        x, y = (operands[name] if op == "fma" else operands[name][first::2] for name in ("x", "y"))
        with np.errstate(all="ignore"):
            acc = cancelling(rng, acc, x.astype("float64") * y.astype("float64"))
    return dict(acc=acc, **operands)


def clip_operands(variant, rng):
    """Bounds that x often meets; now and then NaN, or a lower one above the upper one (such lanes are undefined)."""
    dtype, scalars = variant.types[0], variant.scalar.split()
    lanes = lanes_of(rng, dtype, variant.width)
    x, drawn = draws.vector(rng, dtype, lanes), [draws.vector(rng, dtype, lanes) for bound in range(2)]
    if dtype in FLOATS:
        drawn = [np.where(np.isnan(bound), bound.dtype.type(1.5), bound) for bound in drawn]
    if scalars:
        # A number stands for all lanes, so one number has to bound every lane of the other side.
        drawn = [np.full(lanes, bound[0]) for bound in drawn] if len(scalars) > 1 or rng.random() < 0.5 else drawn
        drawn[0 if "min_val" in scalars else 1][:] = (np.min if "min_val" in scalars else np.max)(np.concatenate(drawn))
    low, high = np.minimum(*drawn), np.maximum(*drawn)
    near = rng.random(lanes)
    x = np.where(near < 0.2, model.bits_of(low), np.where(near > 0.8, model.bits_of(high), model.bits_of(x))).view(dtype)
    operands = dict(x=x, min_val=low, max_val=high)
    for name in scalars:
        operands[name] = operands[name][0].item() if name != "x" or dtype in INTEGERS else draws.number(rng, dtype)
    if (dtype in INTEGERS or dtype == "float16" and len(scalars) > 1) and rng.random() < 0.25:
        # Constants beyond the type mean its limits; an infinite bound in a vector would be beyond those of float16.
        beyond = 2**int(rng.integers(32, 40)) if dtype in INTEGERS else rng.choice([65519.0, 65520.0, 1e6, 3e38]).item()
        for name, value in (("min_val", -beyond), ("max_val", beyond)):
            if name in scalars:
                operands[name] = value
    if dtype in FLOATS and len(scalars) == 3:
        operands["x"] = float(operands["x"])
    if len(scalars) == 1 and dtype in FLOATS and rng.random() < 0.3:
        operands[scalars[0]] = draws.number(rng, dtype)  # It may cross the other bound and need rounding.
    if len(scalars) < 2 and rng.random() < 0.1:
        name = "min_val" if "max_val" in scalars else "max_val"
        operands[name] = draws.vector(rng, dtype, lanes)
    return operands


def operands_of(op, variant, rng):
    if op == "clip":
        return clip_operands(variant, rng)
    if op in ("vmml", "vmma"):
        return matrix_operands(op, rng)
    if op in ("fma", "vfmae", "vfmao"):
        return multiply_add_operands(op, variant, rng)
    if op in ("vdot", "vqdot", "vdpa", "vqdpa"):
        return dot_operands(op, variant, rng)
    if len(SIGNATURES[op].operands) == 1:
        return dict(x=draws.vector(rng, variant.types[0], lanes_of(rng, variant.types[0], variant.width)))
    return pair_operands(variant, rng)


def inactive(rng, kind, result):
    """r: a vector of the result's type or of its twin, or a number that fits either."""
    if kind == "none":
        return None
    dtype = result.dtype
    if kind == "twin" or (kind == "scalar" and dtype.kind != "f" and rng.random() < 0.5):
        dtype = model.twin(dtype)
    return draws.number(rng, dtype) if kind == "scalar" else draws.vector(rng, dtype, len(result))


def mask_lanes(op, args):
    """The mask has the lanes of x and y, in the fused operations those of acc."""
    names = ("acc",) if op in ("fma", "vfmae", "vfmao") else [name for name in SIGNATURES[op].operands if name != "acc"]
    return next(len(args[name]) for name in names if isinstance(args[name], np.ndarray))


def case(op, variant, rng):
    """One random legal call."""
    args = operands_of(op, variant, rng)
    if variant.mask != "none":
        args["mask"] = draws.mask(rng, variant.mask, mask_lanes(op, args))
    if variant.saturate:
        args["saturate"] = True
    if variant.out_sign is not None:
        args["out_sign"] = variant.out_sign
    if variant.r != "none":
        args["r"] = inactive(rng, variant.r, model.OPERATIONS[op](**args).values)
    return Case(op, args, variant)


def cases(op, types, rng, count):
    """`count` cases of one type pair, or one of each variant if those are more; every variant comes before one comes again."""
    chosen = [variant for variant in variants(op) if variant.types == types]
    order = rng.permutation(len(chosen))
    for index in range(max(count, len(chosen))):
        yield case(op, chosen[order[index % len(chosen)]], rng)

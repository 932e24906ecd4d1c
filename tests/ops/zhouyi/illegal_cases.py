"""Random calls of every Zhouyi operation that must be refused, each a legal one with one fault.

`faults(op)` lists the faults that an operation can have; `illegal(op, fault, rng)` gives the call and the model's reason word.
"""
import functools
from typing import NamedTuple

import numpy as np

import cases
import draws
import model
from draws import FLOATS, INTEGERS


class IllegalCase(NamedTuple):
    op: str
    args: dict
    fault: str
    reason: str


# Fault: its reason word.
REASONS = {
    "foreign_type": "type",  # float64, int64, bool
    "unlisted_type": "type",  # an element type that the document lists for other operations only
    "other_width": "type",  # x and y of different bits, or integers beside floats
    "other_sign": "sign",
    "twin_constant": "sign",
    "one_lane": "width",
    "broken_register": "width",
    "two_registers": "width",
    "other_lanes": "width",
    "no_vector": "scalar",
    "big_constant": "scalar",
    "float_constant": "scalar",
    "x_number": "scalar",  # clip: beside bounds that are vectors
    "word": "scalar",
    "number_for_vector": "scalar",
    "long_mask": "mask",
    "bad_mask_text": "mask",
    "bad_mask_object": "mask",
    "r_of_other_lanes": "r",
    "r_of_other_type": "r",
    "r_too_big": "r",
    "float_r": "r",
    "acc_of_other_lanes": "acc",
    "acc_of_other_type": "acc",
    "acc_number": "acc",
    "saturate_floats": "saturate",
    "unknown_out_sign": "out_sign",
    "bounds_crossed": "bounds",
    "float_bounds": "bounds",
    "nan_bound": "bounds",
    "short_pointer": "pointer",
    "typed_pointer": "pointer",
}
BAD_MASK_TEXTS = ("", "T", "0T", "0T2F", "2T0F", "3", "T3", "_T", "T_", "3_T", "T__F", "2T_", "t", "3T5f", "3T 5F", "1010",
                  "T,F", "-1T", "3X", "T*2", "(TF)2", "2(TF)", "3T5", "+2T")
FOREIGN = ("float64", "int64", "uint64", "bool")


def names(op):
    """Vector operands beside acc and pointers."""
    return [name for name in cases.SIGNATURES[op].operands if name not in ("acc", "ptr", "acc_ptr")]


def operand_types(op):
    return {types[0] for types in cases.types_of(op)}


def unlisted(op):
    return [name for name in INTEGERS + FLOATS if name not in operand_types(op)]


@functools.cache
def faults(op):
    """The faults that make a call of this operation illegal."""
    signature, types = cases.SIGNATURES[op], operand_types(op)
    numbers, several = any(signature.scalars), len(names(op)) > 1
    integers, floats = types & set(INTEGERS), types & set(FLOATS)
    chosen = {
        "foreign_type": True, "unlisted_type": bool(unlisted(op)), "other_width": several and len(types) > 1,
        "other_sign": bool(several and integers and op not in ("vdot", "vqdot", "vdpa", "vqdpa")),
        "one_lane": "flexible" in signature.widths, "broken_register": "flexible" not in signature.widths,
        "two_registers": signature.widths == ("register",), "other_lanes": several and "flexible" in signature.widths,
        "no_vector": numbers and several and op not in ("fma", "clip"),
        "big_constant": numbers and op != "clip", "float_constant": bool(numbers and integers and op != "clip"),
        "x_number": op == "clip", "word": True, "number_for_vector": not numbers,
        "long_mask": signature.mask, "bad_mask_text": signature.mask, "bad_mask_object": signature.mask,
        "r_of_other_lanes": signature.r, "r_of_other_type": signature.r, "r_too_big": signature.r, "float_r": signature.r,
        "acc_of_other_lanes": "acc" in signature.operands, "acc_of_other_type": "acc" in signature.operands,
        "acc_number": "acc" in signature.operands, "saturate_floats": bool(signature.saturate and floats),
        "unknown_out_sign": signature.out_sign, "bounds_crossed": op == "clip", "float_bounds": op == "clip", "nan_bound": op == "clip",
        "short_pointer": op in ("vmml", "vmma"), "typed_pointer": op in ("vmml", "vmma"),
    }
    chosen["twin_constant"] = chosen["other_sign"] and op != "clip"
    return tuple(fault for fault, holds in chosen.items() if holds)


@functools.cache
def simple_variants(op, kind):
    """Variants without numbers and r, of one type of `kind`."""
    return [v for v in cases.variants(op) if not v.scalar and v.r == "none" and len(set(v.types)) == 1 and v.types[0] in kind]


def plain(op, rng, kind=INTEGERS + FLOATS):
    """A legal call without numbers, of one type, with random other features."""
    chosen = simple_variants(op, tuple(kind))
    return cases.case(op, chosen[rng.integers(len(chosen))], rng).args


def bare(op, rng, kind=INTEGERS + FLOATS):
    """A legal call of one type with nothing but its operands."""
    chosen = simple_variants(op, tuple(kind))
    variant = chosen[rng.integers(len(chosen))]
    return cases.case(op, cases.Variant(variant.types, variant.width), rng).args


def resized(value, lanes):
    return np.resize(value, lanes)


def break_types(op, fault, rng):
    wanted = unlisted(op) if fault == "unlisted_type" else FOREIGN
    args = bare(op, rng, [name for name in operand_types(op) if fault != "other_sign" or name in INTEGERS])
    dtype = args[names(op)[0]].dtype
    if fault in ("foreign_type", "unlisted_type"):
        other = np.dtype(str(rng.choice(wanted)))
        lanes = model.register_lanes(other)
        for name in names(op):
            args[name] = np.resize(draws.vector(rng, other, lanes) if other.name in INTEGERS + FLOATS else np.arange(3).astype(other), lanes)
        if op == "fma":
            args["acc"] = np.resize(args["acc"], lanes).astype("float32")
        return args
    last = str(rng.choice(names(op)[1:]))
    if fault == "other_sign":
        args[last] = args[last].view(model.twin(dtype))
        return args
    others = [name for name in operand_types(op) if np.dtype(name).itemsize != dtype.itemsize or (name in FLOATS) != (dtype.kind == "f")]
    other = np.dtype(str(rng.choice(others)))
    lanes = len(args[last]) if "flexible" in cases.SIGNATURES[op].widths else model.register_lanes(other)
    args[last] = draws.vector(rng, other, lanes)
    return args


def break_lanes(op, fault, rng):
    args = bare(op, rng)
    first, last = names(op)[0], names(op)[-1]
    lanes, register = len(args[first]), model.register_lanes(args[first].dtype)
    size = {"one_lane": 1, "two_registers": 2 * register, "broken_register": int(rng.choice([2, register - 1, register + 1, register // 2])),
            "other_lanes": lanes + int(rng.choice([1, 2, register]))}[fault]
    for name in [last] if fault == "other_lanes" else names(op) + ["acc"] * (op == "fma"):
        args[name] = resized(args[name], size)
    return args


def break_numbers(op, fault, rng):
    integer_fault = fault in ("float_constant", "twin_constant")
    args = bare(op, rng, INTEGERS if integer_fault else INTEGERS + FLOATS)
    dtype = args[names(op)[0]].dtype
    if fault == "no_vector":
        return args | {name: 3 for name in names(op)}
    if fault == "x_number":
        kept = str(rng.choice(["min_val", "max_val"]))
        return args | {"x": draws.number(rng, dtype), kept: draws.number(rng, dtype)} if rng.random() < 0.5 else args | {"x": 3}
    name = str(rng.choice(names(op)))
    if fault == "number_for_vector":
        args[name] = int(rng.integers(1, 9))
    elif fault == "word":
        args[name] = str(rng.choice(["x", "3", ""]))
    elif fault == "float_constant":
        args[name] = float(rng.choice([0.5, 3.0, -1.0, np.nan, np.inf]))
    elif fault == "twin_constant":
        args[name] = draws.number(rng, model.twin(dtype), dtype)
    elif dtype.kind == "f":
        args[name] = float(rng.choice([1e39, -1e39, 1e300]))
    else:
        bits = 8 * dtype.itemsize
        args[name] = int(rng.choice([2**bits, 2**bits + 5, -(2**(bits - 1)) - 1, 2**40, -(2**40)]))
    return args


def break_mask(op, fault, rng):
    args = plain(op, rng)
    lanes = cases.mask_lanes(op, args)
    if fault == "bad_mask_text":
        return args | {"mask": str(rng.choice(BAD_MASK_TEXTS))}
    if fault == "bad_mask_object":
        wrong = [3, 1.5, ["T", "F"], [0, 1], [None], np.zeros(lanes, "int8"), np.zeros(lanes, "float32"), np.zeros((2, lanes), bool), b"T"]
        return args | {"mask": wrong[rng.integers(len(wrong))]}
    size = lanes + int(rng.choice([1, 2, lanes, 99]))
    long = rng.random(size) < 0.5
    letters = "".join("T" if lane else "F" for lane in long)
    forms = [long, long.tolist(), tuple(long.tolist()), letters, f"{size}F", f"99999999999999999999{letters}", f"{lanes}T_F", np.zeros(size, bool)]
    return args | {"mask": forms[rng.integers(len(forms))]}


def break_r(op, fault, rng):
    args = plain(op, rng, INTEGERS if fault in ("float_r", "r_too_big") else INTEGERS + FLOATS)
    result = model.OPERATIONS[op](**args).values
    if fault == "r_of_other_lanes":
        # Not one lane: that would be a scalar variable.
        sizes = [size for size in (len(result) + 1, len(result) - 1, 2 * len(result)) if size > 1]
        return args | {"r": resized(result, int(rng.choice(sizes)))}
    if fault == "float_r":
        return args | {"r": float(rng.choice([0.0, 1.5, -3.0, np.nan]))}
    if fault == "r_too_big":
        bits = 8 * result.dtype.itemsize
        return args | {"r": int(rng.choice([2**bits, -(2**(bits - 1)) - 1, 2**40]))}
    legal = {result.dtype} if result.dtype.kind == "f" else {result.dtype, model.twin(result.dtype)}
    others = [name for name in INTEGERS + FLOATS + ("float64", "int64", "bool") if np.dtype(name) not in legal]
    return args | {"r": np.zeros(len(result), str(rng.choice(others)))}


def break_acc(op, fault, rng):
    args = bare(op, rng)
    acc = args["acc"]
    if fault == "acc_number":
        return args | {"acc": int(rng.integers(0, 9))}
    if fault == "acc_of_other_lanes":
        return args | {"acc": resized(acc, int(rng.choice([len(acc) + 1, len(acc) - 1, 2 * len(acc)])))}
    others = [name for name in INTEGERS + FLOATS + ("float64", "int64") if name != str(acc.dtype)]
    return args | {"acc": np.zeros(len(acc), str(rng.choice(others)))}


def break_rest(op, fault, rng):
    if fault == "saturate_floats":
        return plain(op, rng, FLOATS) | {"saturate": True}
    if fault == "unknown_out_sign":
        return plain(op, rng) | {"out_sign": str(rng.choice(["x", "U", "S", "signed", "", "us"]))}
    if fault == "nan_bound":
        return plain(op, rng, FLOATS) | {str(rng.choice(["min_val", "max_val"])): float("nan")}
    if fault == "bounds_crossed":
        args = plain(op, rng)
        low = int(rng.integers(0, 100))
        return args | {"min_val": low + int(rng.integers(1, 20)), "max_val": low}
    if fault == "float_bounds":
        args = plain(op, rng, INTEGERS)
        return args | {str(rng.choice(["min_val", "max_val"])): float(rng.choice([0.5, 3.0]))}
    args = plain(op, rng)
    pointer = "ptr" if op == "vmml" else "acc_ptr"
    if fault == "short_pointer":
        return args | {pointer: np.zeros(int(rng.integers(1, 16)), "float32")}
    return args | {pointer: np.zeros(16, str(rng.choice(["float16", "float64", "int32", "uint32"])))}


BREAKERS = {"type": break_types, "sign": break_types, "width": break_lanes, "scalar": break_numbers, "mask": break_mask, "r": break_r,
            "acc": break_acc}


def illegal(op, fault, rng):
    """One random call with that fault."""
    reason = REASONS[fault]
    breaker = break_numbers if fault == "twin_constant" else BREAKERS.get(reason, break_rest)
    args = breaker(op, fault, rng)
    if fault == "acc_of_other_lanes" and op == "fma":
        reason = "width"  # Any width is legal for acc itself.
    if fault == "acc_of_other_type" and op == "fma":
        reason = "type"
    return IllegalCase(op, args, fault, reason)

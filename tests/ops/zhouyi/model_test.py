#!/usr/bin/env python3
"""The reference model of Zhouyi's arithmetic against the document's examples, the named choices and lane-by-lane definitions.

  model_test.py [--seed N] [--cases N] [-k PATTERN]

--cases is how many random calls an operation and type pair are computed twice, by the model and by lane_definitions.py (Python
integers and fractions). Illegal calls must be refused with the word of their fault.
"""
import argparse
import sys
import warnings

import numpy as np

import cases
import illegal_cases
import lane_definitions
import model as S


def i8(*values):
    return np.array(values, np.int8)


def i16(*values):
    return np.array(values, np.int16)


def i32(*values):
    return np.array(values, np.int32)


def u8(*values):
    return np.array(values, np.uint8)


def u32(*values):
    return np.array(values, np.uint32)


def f16(*values):
    return np.array(values, np.float16)


def f32(*values):
    return np.array(values, np.float32)


def same_bits(values, wanted):
    return values.dtype == wanted.dtype and values.tobytes() == wanted.tobytes()


def expect(result, *wanted):
    """Lanes in order; None is an undefined one. Signs of zero count."""
    assert len(wanted) == len(result.values), (result, wanted)
    assert result.defined.tolist() == [value is not None for value in wanted], (result, wanted)
    values = np.array([0 if value is None else value for value in wanted], result.values.dtype)
    assert same_bits(result.values, values), (result, wanted)


def expect_type(result, name):
    assert str(result.values.dtype) == name, (result.values.dtype, name)
    return result


def expect_illegal(reason, function, *args, **named):
    try:
        result = function(*args, **named)
    except S.Illegal as error:
        assert error.reason == reason, (error, reason)
        return
    raise AssertionError(f"{function.__name__} accepted {args} {named}: {result}")


EIGHT = i32(1, 2, 3, 4, 5, 6, 7, 8)
DOWN = i32(9, 8, 7, 6, 4, 3, 2, 1)
MASK = (True, True, True, True, False, False, True, True)
SIXTEEN = i16(1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6)


def test_document_lanes():
    expect(S.vadd(EIGHT, EIGHT, MASK, r=DOWN), 2, 4, 6, 8, 4, 3, 14, 16)
    expect(S.vaddh(i32(9, 1, 8, 2, 7, 3, 6, 4), i32(9, 4, 8, 3, 7, 2, 6, 1)), 10, 10, 10, 10, 13, 11, 9, 7)
    edges = i8(1, -2, -3, 4, -5, 6, -127, -128)
    expect(S.vabs(edges, MASK), 1, 2, 3, 4, None, None, 127, -128)
    expect(S.vabs(edges, MASK, saturate=True), 1, 2, 3, 4, None, None, 127, 127)
    expect(S.vsub(EIGHT, i32(1, 1, 1, 1, 2, 2, 2, 2), MASK, r=DOWN), 0, 1, 2, 3, 4, 3, 5, 6)
    expect(S.vsubh(i32(9, 1, 8, 2, 7, 3, 6, 4), i32(9, 4, 8, 3, 7, 2, 6, 1)), 8, 6, 4, 2, 5, 5, 5, 5)
    expect(S.vmul(EIGHT, EIGHT, MASK, r=DOWN), 1, 4, 9, 16, 4, 3, 49, 64)
    expect(S.vdiv(i32(1, 4, 9, 16, 25, 36, 49, 64), EIGHT, "TTFFTTTT"), 1, 2, None, None, 5, 6, 7, 8)
    expect(S.vmod(i32(5, 6, 7, 8, -5, -6, -7, -8), i32(-2, -5, 4, 3, 3, 4, -3, -4), "TTTFFTTT"), 1, 1, 3, None, None, -2, -1, 0)
    rounded = S.vrint(f32(-0.4, 0.2, 1.4, 1.5, 1.6, 1.8, 1.9, 2.01), "TTTTTFTT")
    expect(rounded, -0.0, 0.0, 1.0, 2.0, 2.0, None, 2.0, 2.0)
    clipped = S.clip(i32(1, 3, 4, 9, 4, 4, 8, 8), i32(3, 3, 3, 3, 5, 5, 5, 5), i32(8, 8, 8, 8, 7, 7, 7, 7), "TTTTFTFT")
    expect(clipped, 3, 3, 4, 8, 4, 5, 8, 7)


def test_document_widening():
    mask, r = "4T2F6T4F", i32(9, 8, 7, 6, 5, 4, 3, 2)
    expect(expect_type(S.vmull(SIXTEEN, SIXTEEN, mask, r=r), "int32"), 1, 4, 9, 16, 5, 4, 49, 64)
    expect(expect_type(S.vmulh(SIXTEEN, SIXTEEN, mask, r=r), "int32"), 81, 0, 1, 4, 5, 4, 3, 2)
    x, y = np.arange(1, 17, dtype=np.int16), np.arange(2, 18, dtype=np.int16)
    expect(S.vdot(x, y, "FFTFFTTT" "FFFFFFFT"), None, 12, 42, 56 + 72, None, None, None, 272)
    expect(S.vdpa(i32(*range(8)), x, y, "FFTTTFFF" "FFFFFFFT"), 0, 1 + 12 + 20, 2 + 30, 3, 4, 5, 6, 7 + 272)


def test_document_quads():
    x, y = np.arange(1, 33, dtype=np.int8), np.arange(2, 34, dtype=np.int8)
    mask = "TFFTTTTT" + 20 * "F" + "FFFT"
    expect(expect_type(S.vqdot(x, y, mask), "int32"), 2 + 20, 30 + 42 + 56 + 72, *[None] * 5, 32 * 33)
    acc = i32(*range(10, 18))
    expect(S.vqdpa(acc, x, y, "TFFFTFTFFTFF" + 16 * "F" + "TFFT"), 12, 11 + 30 + 56, 12 + 110, 13, 14, 15, 16, 17 + 29 * 30 + 32 * 33)
    x, y = (values[:16].astype(np.float16) for values in (x, y))
    mask = "FFTFTTTTFFFFFFFT"
    expect(expect_type(S.vqdot(x, y, mask), "float32"), 12, None, 30 + 42 + 56 + 72, None, None, None, 272, None)
    mask = "TFFTTTTTFFFFFFFT"
    expect(S.vqdpa(acc.astype(np.float32), x, y, mask), 10 + 2 + 20, 11, 12 + 30 + 42 + 56 + 72, 13, 14, 15, 16 + 272, 17)
    expect(S.vrpadd(i32(*range(8)), "TTTTTTFT"), 22, *[None] * 7)


def test_document_matrices():
    x, y = np.arange(1, 17).astype(np.float16), np.arange(3, 19).astype(np.float16)
    wanted = x.reshape(4, 4).astype(int) @ y.reshape(4, 4).astype(int).T
    assert wanted[0, 0] == 1 * 3 + 2 * 4 + 3 * 5 + 4 * 6 and wanted[0, 1] == 1 * 7 + 2 * 8 + 3 * 9 + 4 * 10
    expect(expect_type(S.vmml(np.zeros(16, np.float32), x, y), "float32"), *wanted.reshape(-1))
    expect(S.vmma(np.arange(16, dtype=np.float32), x, y), *(wanted.reshape(-1) + np.arange(16)))
    acc = np.arange(8, dtype=np.float32)
    expect(S.fma(acc, acc + 1, acc + 2, "F7T"), 0, *[a + (a + 1) * (a + 2) for a in range(1, 8)])
    expect(S.fma(2.0, 3.0, 4.0), 14.0)
    expect(S.vfmae(acc, x, y, "F7T"), 0, *[a + int(x[2 * a]) * int(y[2 * a]) for a in range(1, 8)])
    expect(S.vfmao(acc, x, y, "F7T"), 0, *[a + int(x[2 * a + 1]) * int(y[2 * a + 1]) for a in range(1, 8)])


def test_document_calls():
    """The calls of the document's "Examples" are legal."""
    for element in draws_of_all_types():
        va = element
        S.vadd(va, va), S.vadd(va, 3), S.vadd(va, va, mask=S.tail_mask(3, len(va))), S.vadd(va, va, mask="3T5F", r=va)
        S.clip(va, 3, 30), S.clip(va, va, va, mask="3T5F"), S.vabs(va, mask="3T5F")
        if va.dtype.kind != "f":
            S.vadd(va, va, saturate=True), S.vadd(va, va, out_sign="u"), S.vaddh(va, 3), S.vmod(va, 3), S.vmull(va, 3, mask="T7F")
        if va.dtype.itemsize > 1:
            S.vmul(va, 3, mask="T7F", r=va)
    S.clip(i32(*range(-4, 4)), -10, 10), S.vdot(SIXTEEN, 3, "3T"), S.vqdot(np.arange(32, dtype=np.int8), 3, "3T")


def draws_of_all_types():
    return [np.arange(S.register_lanes(dtype)).astype(dtype) for dtype in S.NUMBERS]


def test_masks():
    def letters(text, lanes):
        return "".join("T" if lane else "F" for lane in S.mask_lanes(text, lanes))
    for text, wanted in {"3T5F": "TTTFFFFF", "T7F": "TFFFFFFF", "4FT": "FTFTFTFT", "2FTT1FT": "FTTFTTFT", "4T_FT3F_TT": "TTTTFTFFFTT"}.items():
        assert letters(text, len(wanted)) == wanted, text
    assert letters("FF28T2F", 32) == "FF" + 28 * "T" + "FF"
    assert letters("3T", 8) == "TTTFFFFF" and letters([True], 3) == "TFF"
    for text in illegal_cases.BAD_MASK_TEXTS + ("9T", "FF7T"):
        expect_illegal("mask", S.vadd, EIGHT, EIGHT, mask=text)
    assert S.tail_mask(0, 4).tolist() == [False] * 4 and S.tail_mask(4, 4).all() and S.tail_mask(1, 4).tolist() == [True] + [False] * 3
    expect_illegal("mask", S.tail_mask, 9, 8)
    expect_illegal("mask", S.tail_mask, -1, 8)


def test_signs_and_constants():
    expect(expect_type(S.vadd(i8(-1, 100), u8(255, 100), out_sign="u"), "uint8"), 254, 200)
    expect(expect_type(S.vadd(i8(-1, 100), u8(0, 100), out_sign="s", saturate=True), "int8"), -1, 127)
    expect(expect_type(S.vsub(u8(1, 200), u8(2, 1), out_sign="s"), "int8"), -1, -57)
    expect(S.vadd(i8(-100, 1), 200, out_sign="s"), 100, -55)
    expect_illegal("sign", S.vadd, i8(1, 2), 200)
    expect_illegal("scalar", S.vadd, i8(1, 2), 256, out_sign="u")
    expect(S.vadd(u8(1, 2), u8(1, 2), "FT", r=-1), 255, 4)
    expect(S.vadd(u8(1, 2), u8(1, 2), "FT", r=i8(-2, 0)), 254, 4)
    expect(S.clip(i8(-5, 5), -1000, 1000), -5, 5)
    expect(S.clip(u8(0, 5, 9), -3, 7), 0, 5, 7)
    expect(S.clip(i8(-5, 5), 3, 3), 3, 3)
    expect(S.clip(f16(-0.0, 5.0), 0, 3), -0.0, 3)
    expect(expect_type(S.clip(7, 1, 3), "int32"), 3)


def test_choices():
    """The rows of docs/rationale/0008 that concern values."""
    top, bottom = 2**31 - 1, -(2**31)
    many = np.full(16, -(2**15), np.int16)
    expect(S.vdpa(np.full(8, top, np.int32), many, many), *[top] * 8)  # DotAccumulationClamps
    expect(S.vdpa(np.full(8, -5, np.int32), many, many), *[top - 4] * 8)  # once, not product by product
    expect(S.vaddh(np.full(8, top, np.int32), np.full(8, bottom, np.int32)), *[top] * 4, *[bottom] * 4)  # PairwiseSumsClamp
    expect(S.vsubh(u32(*[0, 1] * 4), 0), *[0] * 8)
    products = S.vmull(u32(*[2**32 - 1] * 8), u32(*[2**32 - 1] * 8), "TTFT", r=7)  # WideProductsInWordPairs
    expect(products, 1, 2**32 - 2, 1, 2**32 - 2, 7, 7, 1, 2**32 - 2)
    halves = expect_type(S.vrpadd(np.full(16, 60000, np.float16)), "float32")  # HalfSumsWiden
    expect(halves, 16.0 * float(np.float16(60000)), *[None] * 7)
    expect(S.vrpadd(np.full(32, 127, np.int8)), (32 * 127 + 128) % 256 - 128, *[None] * 31)  # IntegerSumsWrap
    expect(S.vrpadd(np.full(32, 127, np.int8), [False]), 0, *[None] * 31)
    expect(S.vrpadd(f32(1, 2.0**-24, 2.0**-24, 0, 0, 0, 0, 0)), 1 + 2.0**-23, *[None] * 7)  # FloatSumsInDouble
    expect(S.vmul(f32(2.0**-126, 1.0), f32(0.25, 2.0**-149)), 2.0**-128, 2.0**-149)  # SubnormalsKept
    odd_nan = np.array([0xFFC12345, 0x7F800001], np.uint32).view(np.float32)
    canonical = np.array([0x7FC00000] * 2, np.uint32).view(np.float32)
    assert same_bits(S.vadd(odd_nan, 1).values, canonical)  # NanIsCanonical
    assert same_bits(S.clip(odd_nan, 0, 1).values, odd_nan) and same_bits(S.vrint(odd_nan).values, odd_nan)
    assert same_bits(S.vadd(canonical, 1.0, "2F", r=odd_nan).values, odd_nan)
    assert same_bits(S.vabs(odd_nan).values, np.array([0x7FC12345, 0x7F800001], np.uint32).view(np.float32))  # AbsOfNanClearsTheSign
    expect(S.vdiv(i8(5, -128, -7, 0), i8(0, -1, 2, 0)), 0, 127, -3, 0)  # DivisionByZeroIsZero
    expect(S.vmod(i8(5, -128, -7, 0), i8(0, -1, 2, 0)), 0, 0, -1, 0)
    expect(S.vdiv(f32(1, -1, 3), f32(0, 0, 2)), np.inf, -np.inf, 1.5)
    expect(S.vadd(f32(1, 2), 1, out_sign="u"), 2, 3)  # OutSignOfFloatIsIgnored
    expect_illegal("mask", S.vadd, EIGHT, EIGHT, mask=[True] * 9)  # LongMaskIsRefused
    expect_illegal("mask", S.vadd, EIGHT, EIGHT, mask="T")  # MaskTextHasTwoCharacters
    small = 1 + 2.0**-23
    expect(S.fma(f32(-1, 0), f32(small, small), f32(small, small)), 2.0**-22 + 2.0**-46, 1 + 2.0**-22)  # FmaIsFused
    expect_illegal("width", S.vdot, np.zeros(32, np.int16), np.zeros(32, np.int16))  # DotsAreNative
    expect_illegal("bounds", S.clip, EIGHT, 4, 3)  # EqualClipBoundsAreLegal
    expect_illegal("scalar", S.clip, 3, EIGHT, EIGHT)  # ScalarClipHasScalarBounds
    expect(S.clip(f16(np.inf, -np.inf, 5), -1e6, 1e6), 65504, -65504, 5)  # ClipConstantsMoveToTheRange


def test_fused_ties():
    """Random bit patterns whose exact sum lies on or beside a tie of float32: rounding twice would show."""
    rng = np.random.default_rng(3)
    count, wrong_if_twice = 4000, 0
    x, y = (rng.integers(0, 2**32, count, np.uint32).view(np.float32) for operand in range(2))
    ties = rng.integers(2**23, 2**24, count).astype(np.float64)
    acc = np.ldexp(ties, rng.integers(-60, 60, count)).astype(np.float32)
    with np.errstate(all="ignore"):
        tie_at = np.spacing(acc) / 2
        x[::2] = tie_at[::2] * (1 + rng.choice([2.0**-20, -(2.0**-20), 2.0**-23], len(tie_at[::2])))
        y[::2] = (1 + rng.choice([-(2.0**-20), 2.0**-20, 2.0**-23, -(2.0**-23)], len(tie_at[::2])))
        result = S.fma(acc, x, y).values
        twice = (acc.astype(np.float64) + x.astype(np.float64) * y).astype(np.float32)
    for lane in range(count):
        wanted = lane_definitions.combine("float32", lambda a, b, c: a + b * c, *(float(values[lane]) for values in (acc, x, y)))
        assert np.float32(wanted).tobytes() == result[lane].tobytes() or np.isnan(wanted) and np.isnan(result[lane]), (acc[lane], x[lane], y[lane])
        wrong_if_twice += result[lane] != twice[lane] and not np.isnan(wanted)
    assert wrong_if_twice > 100, wrong_if_twice


def test_random_cases(seed, count):
    """The vectorised model against lane-by-lane definitions."""
    rng, total = np.random.default_rng(seed), 0
    for op in S.OPERATIONS:
        for types in cases.types_of(op):
            chosen = [variant for variant in cases.variants(op) if variant.types == types]
            for index in rng.integers(len(chosen), size=count):
                case = cases.case(op, chosen[index], rng)
                result = S.OPERATIONS[op](**case.args)
                lane = lane_definitions.differs(result, lane_definitions.expected(case, result))
                assert lane is None, (case, result, lane, lane_definitions.expected(case, result))
                total += 1
    return total


def test_illegal_cases(seed, count):
    rng, total = np.random.default_rng(seed), 0
    for op, function in S.OPERATIONS.items():
        for fault in illegal_cases.faults(op):
            for repetition in range(count):
                case = illegal_cases.illegal(op, fault, rng)
                expect_illegal(case.reason, function, **case.args)
                total += 1
    return total


def test_variants_are_legal(seed):
    """One case of every variant."""
    rng, total = np.random.default_rng(seed), 0
    for op, function in S.OPERATIONS.items():
        for variant in cases.variants(op):
            function(**cases.case(op, variant, rng).args)
            total += 1
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("-k", dest="pattern", default="")
    options = parser.parse_args()
    warnings.simplefilter("error")
    tests = [(name, function) for name, function in globals().items() if name.startswith("test_") and options.pattern in name]
    arguments = {"test_random_cases": (options.seed, options.cases), "test_illegal_cases": (options.seed, 10),
                 "test_variants_are_legal": (options.seed,)}
    for name, function in tests:
        total = function(*arguments.get(name, ()))
        print(f"ok   {name}" + (f": {total} calls, seed {options.seed}" if total else ""), flush=True)
    return 0 if tests else 1


if __name__ == "__main__":
    sys.exit(main())

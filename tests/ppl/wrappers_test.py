"""How exact the wrappers of ppl/wrappers.h are, over the whole range of their arguments.

wrappers_test.py WEFT REPOSITORY [--write] [--samples 20]: runs wrappers/accuracy.cpp on the emulator, for fp16 and bf16 with all 65536 numbers,
for fp32 with 2^20 (bit patterns of every sign and exponent, and numbers from the middle of the range). The errors against float64
must stay below those stated here, what is beyond a wrapper's range must be what is stated, and the table of docs/ppl/wrappers.md
must be what is measured; --write puts it there.

An error in ulp is |value - exact| over the distance of neighbouring numbers of the type at `exact`. Results whose exact value is
below the smallest normal number are compared with that number as unit, since fp32 and bf16 subnormals count as zeros.
"""
import argparse
import math
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
HALF_BOUND = 0.51
BEGIN, END = "<!-- measured by tests/ppl/wrappers_test.py -->", "<!-- end -->"


class Type:

    def __init__(self, bits, least):
        self.bits, self.least = bits, least  # of the fraction with its hidden bit; exponent of the smallest normal number
        self.largest = math.ldexp(2 - math.ldexp(1, 1 - bits), 1 - least)
        # From the middle between the largest number and the next, which would be, it is infinity that is nearest.
        self.limit = self.largest + math.ldexp(1, 1 - least - bits)


TYPES = {"fp32": Type(24, -126), "fp16": Type(11, -14), "bf16": Type(8, -126)}


def erf(x):
    return np.vectorize(math.erf, otypes=[float])(x)


def sigmoid(x):
    return np.exp(-np.logaddexp(0, -x))


def softplus(x):
    return np.logaddexp(0, x)


def mish(x):
    n = np.exp(np.minimum(x, 30))
    n = n * (n + 2)
    return np.where(x < -1000, 0, x * (n / (n + 2)))


class Wrapper:
    """`low` to `high`: the arguments that it is made for; others give NaN, or what `exact` says if they are infinite.

    `bound`: largest error in ulp of fp32. Those of fp16 and bf16, which are computed in fp32 and rounded once, stay below 0.51.
    `slack`: an error that is allowed besides, of (argument, exact); `note` says why.
    """

    def __init__(self, exact, bound, low=-math.inf, high=math.inf, note="", slack=None, saturates=False, keeps_nan=True):
        self.exact, self.bound, self.low, self.high = exact, bound, low, high
        self.note, self.slack, self.saturates, self.keeps_nan = note, slack, saturates, keeps_nan


def exp_flushed(x):
    last = np.nextafter(np.float32(128 * math.log(2)), np.float32(0))
    return np.where(x < -126 * math.log(2), 0, np.exp(np.minimum(x, float(last))))


def product_slack(factor):
    """The rounding of a product p to fp32 multiplies e^p by e^(p 2^-24); a logarithm in it doubles that."""
    return lambda x, y: np.abs(factor(x)) * np.abs(y) * 2.0**-23


# How far below the largest fp32 number wrappers that saturate may end, as a part of it. The argument of their last exponential is
# clamped at the number below fp32(128 ln 2), half an ulp to 1.5 ulp (2^-17 each) below 128 ln 2: the value there is 2^128 less at
# most 1.5 * 2^-17 of it. Just beyond the range a power that is not clamped yet has its own error, 2^-23 * 128 ln 2 = 0.7 * 2^-16.
# Both, with the rounding of the value (2 ulp), stay below 2^-16. 16-bit types are clamped to their largest number exactly.
SATURATED = 2.0**-16
SATURATED_NOTE = "beyond the range the largest number, of fp32 less at most 2^-16 of it"

# Of the three-part pi / 2: an error of the reduced argument, which the derivative hands on.
TURN = 2.0**-26
TURN_NOTE = "besides, 2^-26 of the argument modulo pi / 2"
POWER_NOTE = "besides, 2^-23 * abs(y ln x) of the result; " + SATURATED_NOTE
POWER = dict(saturates=True, note=POWER_NOTE)
WRAPPERS = {
    "exp_no_overflow": Wrapper(exp_flushed, 1.5, saturates=True, note="0 below -87.336; " + SATURATED_NOTE),
    "fexp": Wrapper(exp_flushed, 1.5, saturates=True, note="the same"),
    "flog": Wrapper(np.log, 1, 0),
    "flogx": Wrapper(np.log10, 2.5, 0, note="base 10"),
    "fsqrt": Wrapper(np.sqrt, 3, 0),
    "fsin": Wrapper(np.sin, 2, -65536, 65536, TURN_NOTE, lambda x, y: TURN + 0 * x),
    "fcos": Wrapper(np.cos, 2, -65536, 65536, TURN_NOTE, lambda x, y: TURN + 0 * x),
    "ftan": Wrapper(np.tan, 8, -65536, 65536, TURN_NOTE, lambda x, y: TURN * (1 + y * y)),
    "fcot": Wrapper(lambda x: 1 / np.tan(x), 8, -65536, 65536, TURN_NOTE, lambda x, y: TURN * (1 + y * y)),
    "farcsin": Wrapper(np.arcsin, 5, -1, 1),
    "farccos": Wrapper(np.arccos, 4, -1, 1),
    "sinh_fp32": Wrapper(np.sinh, 2, saturates=True, note=SATURATED_NOTE),
    "cosh_fp32": Wrapper(np.cosh, 2, saturates=True, note=SATURATED_NOTE),
    "tanh_fp32": Wrapper(np.tanh, 3),
    "arcsinh_fp32": Wrapper(np.arcsinh, 6),
    "arccosh_fp32": Wrapper(np.arccosh, 4, 1),
    "arctanh_fp32": Wrapper(np.arctanh, 4, -1, 1),
    "ferf": Wrapper(erf, 2),
    "sigmoid_fp32": Wrapper(sigmoid, 7),
    "softsign_fp32": Wrapper(lambda x: np.where(x == 0, 0, 1 / (1 / x + np.sign(x))), 7),
    "softplus_f32": Wrapper(softplus, 7, note="beta = 1"),
    "softplus_f32_beta": Wrapper(lambda x: softplus(3 * x) / 3, 9, note="beta = 3; besides, 2^-23 * abs(beta x) of the result",
                                 slack=product_slack(lambda x: 3 * x)),
    "mish_f32": Wrapper(mish, 8),
    "prelu": Wrapper(lambda x: np.where(x > 0, x, x * 0.1015625), 0.51, note="alpha is rounded to the type"),
    "relu": Wrapper(lambda x: np.maximum(x, 0), 0, keeps_nan=False, note="NaN gives 0"),
    "pow_f32_square": Wrapper(lambda x: x**2, 2, 0, slack=product_slack(lambda x: 2 * np.log(x)), **POWER),
    "pow_f32_root": Wrapper(lambda x: x**float(np.float32(0.3333333)), 2, 0, slack=product_slack(lambda x: np.log(x) / 3),
                            **POWER),
    "pow_f32_of_number": Wrapper(lambda x: 10**x, 2, slack=product_slack(lambda x: x * math.log(10)), **POWER),
    "pow_f32_self": Wrapper(lambda x: x**x, 2, 0, slack=product_slack(lambda x: x * np.log(x)), **POWER),
}
MIDDLE = {}


def arguments(name, kind):
    if kind == "fp16":
        return np.arange(65536, dtype=np.uint16).view(np.float16).astype(np.float64)
    if kind == "bf16":
        return (np.arange(65536, dtype=np.uint32) << 16).view(np.float32).astype(np.float64)
    half = 1 << (OPTIONS.samples - 1)
    i = np.arange(half, dtype=np.uint32)
    mixed = i * np.uint32(2654435761) >> np.uint32(OPTIONS.samples - 1)
    patterns = (i << np.uint32(33 - OPTIONS.samples) | mixed).view(np.float32).astype(np.float64)
    low, high = MIDDLE[name]
    uniform = (low + (high - low) * np.arange(half) / half).astype(np.float32).astype(np.float64)
    return np.concatenate([patterns, uniform])


def read_middles():
    """The ranges stand in the kernel file."""
    import re
    for found in re.finditer(r"^WRAPPER\(test_(\w+), (-?[\d.]+), (-?[\d.]+),", (HERE / "wrappers/accuracy.cpp").read_text(), re.M):
        MIDDLE[found[1]] = float(found[2]), float(found[3])


def measure(name, kind, got):
    """The largest error in ulp and its argument, and what is wrong elsewhere."""
    wrapper, type_ = WRAPPERS[name], TYPES[kind]
    problems = []
    with np.errstate(all="ignore"):
        x = arguments(name, kind)
        flushes = kind != "fp16"
        given = np.where(flushes & (np.abs(x) < 2.0**-126), np.copysign(0, x), x)
        exact = wrapper.exact(given)
        inside = (given >= wrapper.low) & (given <= wrapper.high)
        nan = np.isnan(x)
        if wrapper.keeps_nan and not np.isnan(got[nan]).all():
            problems.append("NaN does not stay NaN")
        outside = ~inside & ~nan
        if not np.isnan(got[outside]).all():
            at = x[outside][~np.isnan(got[outside])][0]
            problems.append(f"{at!r}, beyond the range, does not give NaN")
        # Results beyond the type: infinite, or its largest number. NaN and the wrong sign equal neither.
        large = inside & (np.abs(exact) >= type_.limit)
        sign = np.sign(exact)
        if wrapper.saturates:
            tolerance = SATURATED * type_.largest if kind == "fp32" else 0
            right = np.abs(got - sign * type_.largest) <= tolerance
        else:
            # So little above the last number that an error within the bound gives this number.
            near = np.abs(exact) < type_.limit * (1 + wrapper.bound * 2.0**-23)
            right = (got == sign * np.inf) | (near & (got == sign * type_.largest))
        far = ~right[large]
        if far.any():
            problems.append(f"{x[large][far][0]!r} gives {got[large][far][0]!r} beyond the range of {kind}")
        plain = inside & ~large & np.isfinite(exact)
        special = inside & ~large & ~np.isfinite(exact)
        if not np.array_equal(got[special], exact[special], equal_nan=True):
            problems.append("infinities differ")
        exponent = np.floor(np.log2(np.maximum(np.abs(exact), 2.0**-1000)))
        unit = np.ldexp(1.0, (np.maximum(exponent, type_.least) - type_.bits + 1).astype(int))
        # Too small for normal numbers, or so near that the last rounding decides: 0 or the smallest one.
        small = flushes & (np.abs(exact) < 2.0**type_.least * (1 + 2.0**-20))
        unit = np.where(small, 2.0**type_.least, unit)
        error = np.abs(got - exact)
        if wrapper.slack:
            error = np.maximum(error - np.nan_to_num(wrapper.slack(given, exact)), 0)
        error = np.where(plain, error / unit, 0)
        error = np.where(np.isnan(error), np.inf, error)
        if (error[small] > 1 + 2.0**-18).any():
            problems.append(f"{x[small][error[small] > 1 + 2.0**-18][0]!r} gives a result that is not near 0")
        error = np.where(small, 0, error)
    worst = int(np.argmax(error))
    return float(error[worst]), float(x[worst]), problems


def run_all(folder):
    library = folder / "accuracy.so"
    headers = OPTIONS.weft.parents[1] / "include/weft"
    subprocess.run(["g++", "-std=c++17", "-O2", "-fPIC", "-shared", f"-DSAMPLES={OPTIONS.samples}", "-I", headers,
                    HERE / "wrappers/accuracy.cpp", "-o", library], check=True)
    for name in WRAPPERS:
        for kind in TYPES:
            saved = folder / "out.npz"
            subprocess.run([OPTIONS.weft, "ppl", "run", library, "--test", f"test_{name}_{kind}", "--save", saved], check=True,
                           stdout=subprocess.DEVNULL)
            with np.load(saved) as arrays:
                (values, ) = [arrays[key] for key in arrays.files]
            yield name, kind, measure(name, kind, values.ravel().astype(np.float64))


def shown(error, at):
    return f"{error:.3f}" if error == 0 else f"{error:.3f} at {at:.9g}"


def table(results):
    rows = ["| wrapper | arguments | at most, fp32 | measured fp32 | fp16, all | bf16, all | |", "|---|---|---|---|---|---|---|"]
    for name, wrapper in WRAPPERS.items():
        ends = "all" if wrapper.low == -math.inf else f"{wrapper.low:g} to {wrapper.high:g}"
        cells = [shown(*results[name, kind]) for kind in TYPES]
        rows.append(f"| {name} | {ends} | {wrapper.bound:g} | {' | '.join(cells)} | {wrapper.note} |")
    return "\n".join(rows)


class WrappersTest(unittest.TestCase):

    def test_errors(self):
        self.assertEqual(sorted(MIDDLE), sorted(WRAPPERS))
        results = {}
        with tempfile.TemporaryDirectory() as folder:
            for name, kind, (error, at, problems) in run_all(pathlib.Path(folder)):
                results[name, kind] = error, at
                with self.subTest(f"{name} {kind}"):
                    self.assertEqual(problems, [])
                    self.assertLessEqual(error, WRAPPERS[name].bound if kind == "fp32" else HALF_BOUND, f"at {at!r}")
        page = OPTIONS.repository / "docs/ppl/wrappers.md"
        text = page.read_text()
        start, end = text.index(BEGIN) + len(BEGIN), text.index(END)
        written = text[:start] + "\n" + table(results) + "\n" + text[end:]
        if OPTIONS.samples != 20:
            print(table(results))
        elif OPTIONS.write:
            page.write_text(written)
        else:
            self.assertEqual(text, written, f"{page} is not what is measured; run with --write")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weft", type=pathlib.Path)
    parser.add_argument("repository", type=pathlib.Path)
    parser.add_argument("--write", action="store_true", help="put what is measured into docs/ppl/wrappers.md")
    parser.add_argument("--samples", type=int, default=20, help="of fp32, as a power of 2; the page has 20")
    OPTIONS = parser.parse_args()
    OPTIONS.weft = OPTIONS.weft.resolve()
    read_middles()
    unittest.main(argv=sys.argv[:1])

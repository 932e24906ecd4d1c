#!/usr/bin/env python3
"""Makes the polynomials of frontend/ppl/include/ppl/tpu_bdc_sequences.h and compares them with those written there.

  coefficients.py        prints each polynomial and its error; exits 1 if the header has other numbers

Weighted least squares at Chebyshev points, which comes within a small factor of the least maximum. The coefficients are
rounded to fp32 one after the other, lowest first; those that are left are fitted again each time. Needs mpmath.
"""
import pathlib
import re
import struct
import sys

import mpmath as mp

mp.mp.prec = 200
HEADER = pathlib.Path(__file__).resolve().parents[3] / "frontend/ppl/include/ppl/tpu_bdc_sequences.h"


def fp32(x):
    return mp.mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def least_squares(value, weight, count, low, high):
    points = 6 * count + 20
    matrix, right = mp.matrix(count, count), mp.matrix(count, 1)
    for i in range(points):
        x = (low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * i + 1) / (2 * points))
        row = [weight(x) * x**j for j in range(count)]
        for a in range(count):
            right[a] += row[a] * weight(x) * value(x)
            for b in range(count):
                matrix[a, b] += row[a] * row[b]
    return mp.lu_solve(matrix, right)


def fit(value, weight, count, low, high):
    """`count` fp32 coefficients of `value` on [low, high] and the largest weighted error."""
    low, high, fixed = mp.mpf(low), mp.mpf(high), []

    def rest(x, k):
        return (value(x) - sum(c * x**i for i, c in enumerate(fixed))) / x**k if k else value(x)

    for k in range(count):
        fixed.append(fp32(least_squares(lambda x: rest(x, k), lambda x: weight(x) * x**k, count - k, low, high)[0]))
    grid = [low + (high - low) * i / 400 for i in range(401)]
    return fixed, max(abs(weight(x) * (mp.polyval(fixed[::-1], x) - value(x))) for x in grid)


def root_series(function, first, second):
    """(function(r) / r - 1) / r^2 in w = r^2; first, second: its value and slope at 0."""
    def value(w):
        r = mp.sqrt(w)
        return (function(r) / r - 1) / w if w > mp.mpf("1e-8") else first + second * w
    return value


def log_over_square(z):
    return mp.fsum((-1) ** (k + 1) * z ** (k - 2) / mp.mpf(k) for k in range(2, 180))


TINY = "1e-30"
# Array of the header, leading coefficients that are given, function, weight that makes the error relative, count, range.
POLYNOMIALS = [
    ("kExpTerms", [1, 1], lambda r: mp.fsum(r**i / mp.factorial(i + 2) for i in range(60)),
     lambda r: r * r / mp.exp(r), 6, "-0.3472", "0.3471"),
    ("kLogTerms", [0, 1], log_over_square, lambda z: z * z / mp.log1p(z) if z else 0, 10, "-0.29291", "0.41424"),
    ("kSinTerms", [0], lambda w: mp.fsum((-1) ** k * w ** (k - 1) / mp.factorial(2 * k + 1) for k in range(1, 40)),
     lambda w: w * mp.sqrt(w) / mp.sin(mp.sqrt(w)), 5, TINY, "2.4775"),
    ("kTanTerms", [0], root_series(mp.tan, mp.mpf(1) / 3, mp.mpf(2) / 15), lambda w: w, 7, TINY, "0.6175"),
    ("kArcsinTerms", [0], root_series(mp.asin, mp.mpf(1) / 6, mp.mpf(3) / 40), lambda w: w, 9, TINY, "0.5001"),
]


def main():
    text, wrong = HEADER.read_text(), 0
    for name, given, value, weight, count, low, high in POLYNOMIALS:
        body = re.search(rf"float {name}\[\] = \{{([^}}]*)\}}", text).group(1)
        written = [float.fromhex(number.strip().rstrip("f")) for number in body.split(",") if number.strip()]
        made, error = fit(value, weight, count, low, high)
        equal = written == [float(g) for g in given] + [float(c) for c in made]
        wrong += not equal
        print(f"{name} on [{low}, {high}]: error {mp.nstr(error, 3)}, {'as in' if equal else 'NOT as in'} the header")
        print("  " + ", ".join(f"{float(c).hex()}f" for c in made))
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

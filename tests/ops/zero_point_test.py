#!/usr/bin/env python3
"""Codes with a zero point, from ONNX to commands: small graphs behind hard-swish, against ONNX Runtime and on the vendor's runtime.

  zero_point_test.py WEFT FOLDER [-k PATTERN]

Each graph is converted to INT8 with zero points and without (depthwise ones are, too: `--no-float`), calibrated on the input that it runs on (`max`: nothing is clipped).
Weights are multiples of the largest / 127, so only the input of a product is rounded. Its range is -0.375 .. 9.5: 9.875 / 255 with a
zero point is 5.7 dB finer than 9.5 / 127 without; GAIN leaves 1.7 dB to the f16 numbers between. A wrong code in the padding, or a wrong
constant in the bias, costs tens of decibels. Bytes must be those of libbmrt, also where the interface is in 8 bits: then the result is
rounded to 8 bits as well, with a result of about as many steps: LOSS below `off` is twice its error.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime

from half_range_test import Graph, decibels

GAIN = 4  # dB
LOSS = 6  # dB


def weights(g, *shape):
    """Numbers of 8 bits, each filter with a 127."""
    codes = g.rng.integers(-127, 128, shape)
    codes.reshape(shape[0], -1)[:, 0] = 127
    return codes / 127 / np.sqrt(np.prod(shape[1:]))


def swished(g, *shape):
    return g("HardSwish", g.input("x", shape, lambda rng: (4 * rng.normal(size=shape)).clip(-9, 9.5).astype(np.float32)))


def padded(g):
    return g("Conv", swished(g, 1, 5, 9, 11), weights(g, 6, 5, 3, 3), pads=[1, 1, 1, 1])


def strided(g):
    return g("Conv", swished(g, 2, 70, 9, 11), weights(g, 8, 70, 5, 5), np.linspace(-3, 3, 8), pads=[2, 1, 2, 1], strides=[2, 2])


def depthwise(g):
    return g("Conv", swished(g, 1, 70, 9, 11), weights(g, 70, 1, 3, 3), pads=[1, 1, 1, 1], group=70)


def groups(g):
    return g("Conv", swished(g, 1, 72, 9, 11), weights(g, 78, 24, 3, 3), pads=[1, 1, 1, 1], group=3)


def image(g):
    """Few channels: the elements of the window become channels."""
    return g("Conv", swished(g, 1, 3, 48, 96), weights(g, 16, 3, 3, 3), pads=[1, 1, 1, 1], strides=[2, 2])


def rows(g):
    return g("MatMul", swished(g, 1, 90, 64), weights(g, 40, 64).T)


def moved(g):
    """Pooled, joined, cut and padded on the way to the product."""
    x = swished(g, 1, 4, 12, 12)
    pooled = g("MaxPool", x, kernel_shape=[3, 3], pads=[1, 1, 1, 1], strides=[1, 1])
    joined = g("Concat", pooled, pooled, axis=1)
    g.constant([0, 0, 1, 0, 0, 0, 0, 2], np.int64)
    widened = g("Pad", joined, f"c{len(g.constants) - 1}")
    return g("Conv", widened, weights(g, 6, 8, 3, 3), pads=[1, 1, 1, 1])


CASES = [padded, strided, depthwise, groups, image, rows, moved]


def call(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command[1]}: exit {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def outputs(weft, folder, name, *options):
    call(weft, "run", folder / f"{name}.bmodel", "--input", folder / "samples" / "x.npz", "--output", folder / "out.npz", *options)
    with np.load(folder / "out.npz") as arrays:
        return arrays["y"]


def numbers(weft, folder, name, codes):
    """What the codes of the output stand for."""
    output = json.loads(call(weft, "info", folder / f"{name}.bmodel", "--json"))["nets"][0]["stages"][0]["outputs"][0]
    return (codes.astype(np.float64) - output["zero_point"]) * output["scale"]


def run(weft, folder, case):
    g = Graph()
    model = g.model(case(g))
    folder = folder / case.__name__
    (folder / "samples").mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "model.onnx")
    feeds = g.feeds(9)
    np.savez(folder / "samples" / "x.npz", **feeds)
    want = onnxruntime.InferenceSession(model.SerializeToString()).run(["y"], feeds)[0]
    found = {}
    for name, options in {"auto": [], "off": ["--asymmetric", "off"], "io": ["--quantized-io"]}.items():
        call(weft, "convert", folder / "model.onnx", "--precision", "int8", "--no-float", "--calibration-data", folder / "samples",
             "--method", "max", "-o", folder / f"{name}.bmodel", *options)
        ours = outputs(weft, folder, name)
        found[name] = decibels(want, ours if ours.dtype.kind == "f" else numbers(weft, folder, name, ours))
        if name != "off" and ours.tobytes() != outputs(weft, folder, name, "--device", "bmrt").tobytes():
            return [f"{case.__name__} {name}: libbmrt gives other bytes"]
    types = call(weft, "convert", folder / "model.onnx", "--precision", "int8", "--no-float", "--calibration-data", folder / "samples",
                 "--method", "max", "--emit", "tpu", "-o", "-")
    print(f"{case.__name__:10s}" + "".join(f" {name} {value:.1f} dB" for name, value in found.items()))
    if not re.search(r"<i8:f32, [0-9.e-]+:-\d+>", types):
        return [f"{case.__name__}: nothing has a zero point"]
    if not np.isfinite(list(found.values())).all():  # no sum of a gain and an infinity says anything
        return [f"{case.__name__}: NaN, infinity or no error at all"]
    if not found["io"] >= found["off"] - LOSS:
        return [f"{case.__name__}: {found['io']:.1f} dB with an interface in 8 bits, {found['off']:.1f} with one in floats"]
    if not found["auto"] >= found["off"] + GAIN:
        return [f"{case.__name__}: {found['auto']:.1f} dB with zero points, {found['off']:.1f} without; must gain {GAIN}"]
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("-k", default="", metavar="PATTERN")
    args = parser.parse_args()
    chosen = [case for case in CASES if args.k in case.__name__]
    if not chosen:
        sys.exit(f"no case matches '{args.k}'")
    problems = [problem for case in chosen for problem in run(args.weft, args.folder, case)]
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())

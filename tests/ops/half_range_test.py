#!/usr/bin/env python3
"""Values that f16 cannot hold, in programs of 16-bit floats and of 8 bits: each graph runs on the emulator against ONNX Runtime.

  half_range_test.py WEFT FOLDER [-k PATTERN]

Sums of squares beyond 65504, epsilons below the smallest f16, additive masks of -1e9 and of the smallest f32, positions in wide
images, angles of many turns, probabilities below 6e-8: all were infinite, NaN or 0 dB before such steps were computed in f32. Where all
values of a tensor are that small only calibration says so, to f16 programs as well; 8-bit ranges below 1e-5 were once those of zeros.

Limits, the power of the output to that of the error: f16 has 11 bits, 66 dB for a value rounded once; 40 dB leave room for the
few roundings of a graph that add up. 8 bits over a range of four standard deviations are 36 dB for an input and as much for its
weights; 20 dB leave room for two products in a row. What overflows is below 10 dB or not finite.
"""
import argparse
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

LIMITS = {"f16": 40, "int8": 20, "int8 --keep-int8": 20}
LOWEST = float(np.finfo(np.float32).min)


class Graph:
    def __init__(self, seed=0):
        self.rng, self.nodes, self.constants, self.inputs, self.makers = np.random.default_rng(seed), [], [], [], {}

    def input(self, name, shape, make=None, element=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, element, shape))
        self.makers[name] = make or (lambda rng: rng.normal(size=shape).astype(np.float32))
        return name

    def constant(self, value, dtype=np.float32):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def __call__(self, kind, *inputs, **attributes):
        name = f"v{len(self.nodes)}"
        inputs = [i if isinstance(i, str) else self.constant(i) for i in inputs]
        self.nodes.append(helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def linear(self, x, inner, columns):
        return self("MatMul", x, self.rng.normal(size=(inner, columns)) / inner**0.5)

    def model(self, output):
        self.nodes.append(helper.make_node("Identity", [output], ["y"], name="y"))
        graph = helper.make_graph(self.nodes, "g", self.inputs, [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

    def feeds(self, seed):
        rng = np.random.default_rng(seed)
        return {name: make(rng) for name, make in self.makers.items()}


def scaled(shape, factor):
    return lambda rng: (factor * rng.normal(size=shape)).astype(np.float32)


def layer_norm(g):
    x = g.input("x", (1, 16, 768), scaled((1, 16, 768), 40))
    x = g("LayerNormalization", x, np.ones(768), np.zeros(768), axis=-1)
    return g.linear(x, 768, 64)


def rms_norm_decomposed(g):
    x = g.input("x", (1, 16, 256), scaled((1, 16, 256), 300))
    mean = g("ReduceMean", g("Pow", x, 2.0), axes=[-1])
    x = g("Mul", x, g("Reciprocal", g("Sqrt", g("Add", mean, 1e-6))))
    return g.linear(x, 256, 64)


def rms_norm_of_outliers(g):
    def make(rng):
        x = rng.normal(size=(1, 16, 256))
        x[..., 7] = 600
        return x.astype(np.float32)
    x = g.linear(g.input("x", (1, 16, 256), make), 256, 256)
    mean = g("ReduceMean", g("Mul", x, x), axes=[-1])
    return g.linear(g("Div", x, g("Sqrt", g("Add", mean, 1e-6))), 256, 64)


def instance_norm(g):
    x = g.input("x", (1, 8, 192, 192), scaled((1, 8, 192, 192), 12))
    return g("InstanceNormalization", x, np.ones(8), np.zeros(8))


def l2_norm_of_small(g):
    x = g.input("x", (4, 64), scaled((4, 64), 3e-4))
    return g.linear(g("Div", x, g("Max", g("ReduceL2", x, axes=[1]), 1e-12)), 64, 32)


def attention(g, mask):
    q, k, v = (g.linear(g.input(name, (1, 4, 16, 32)), 32, 32) for name in "qkv")
    scores = g("Mul", g("MatMul", q, g("Transpose", k, perm=[0, 1, 3, 2])), 32**-0.5)
    return g("MatMul", g("Softmax", mask(scores), axis=-1), v)


def mask_of_lowest(g):
    return attention(g, lambda scores: g("Add", scores, np.triu(np.full((16, 16), LOWEST), 1)))


def mask_of_infinity(g):
    upper = np.where(np.triu(np.ones((16, 16)), 1) > 0, -np.inf, 0)
    return attention(g, lambda scores: g("Add", scores, upper))


def mask_chosen(g):
    lower = g.constant(np.tril(np.ones((1, 1, 16, 16))) > 0, bool)
    return attention(g, lambda scores: g("Where", lower, scores, LOWEST))


def mask_at_run_time(g):
    def make(rng):
        mask = np.ones((1, 16), np.int64)
        mask[0, rng.integers(4, 16):] = 0
        return mask
    mask = g("Cast", g("Unsqueeze", g.input("mask", (1, 16), make, TensorProto.INT64), g.constant([1, 2], np.int64)), to=TensorProto.FLOAT)
    return attention(g, lambda scores: g("Add", scores, g("Mul", g("Sub", 1.0, mask), -1e9)))


def grid_of_wide_image(g):
    x = g.input("x", (1, 1, 4, 3000))
    grid = g.input("grid", (1, 4, 64, 2), lambda rng: rng.uniform(-1, 1, size=(1, 4, 64, 2)).astype(np.float32))
    return g("GridSample", x, grid, mode="bilinear", align_corners=1)


def angles(g):
    t = g.input("t", (4, 1), lambda rng: rng.uniform(0, 1000, size=(4, 1)).astype(np.float32))
    a = g("Mul", t, np.exp(-np.arange(32) / 4))
    return g("Concat", g("Sin", a), g("Cos", a), axis=1)


def log_of_small(g):
    return g("Log", g("Softmax", g.linear(g.input("x", (1, 8, 64), scaled((1, 8, 64), 8)), 64, 64), axis=-1))


def softplus_by_hand(g):
    return g("Log", g("Add", g("Exp", g.input("x", (1, 8, 64), scaled((1, 8, 64), 12))), 1.0))


def sum_of_pixels(g):
    x = g.input("x", (1, 4, 128, 128), lambda rng: rng.integers(0, 256, size=(1, 4, 128, 128)).astype(np.float32))
    mean = g("Div", g("ReduceSum", x, g.constant([2, 3], np.int64)), 128.0 * 128)
    return g("Div", g("Sub", x, mean), 64.0)


def padded(shape):
    def make(rng):
        x = rng.normal(size=shape)
        x[:, rng.integers(0, shape[1], 3)] = 0
        return x.astype(np.float32)
    return make


def log_of_clipped(g):
    x = g.linear(g.input("x", (1, 16, 64), padded((1, 16, 64))), 64, 64)
    return g("Log", g("Clip", g("Mul", x, x), 1e-10))


def norm_of_padding(g):
    x = g.linear(g.input("x", (1, 16, 256), padded((1, 16, 256))), 256, 256)
    return g("Div", x, g("Clip", g("ReduceL2", x, axes=[-1]), 1e-12))


def reciprocal_of_chosen(g):
    x = g.linear(g.input("x", (1, 16, 64), padded((1, 16, 64))), 64, 64)
    x = g("Add", g("Abs", x), g("Mul", g("Cast", g("Cast", x, to=TensorProto.BOOL), to=TensorProto.FLOAT), 1.0))  # 0, or 1 and more
    return g("Mul", g("Reciprocal", g("Where", g("Equal", x, 0.0), 1e-10, x)), x)


def logit_of_clipped(g):
    x = g.linear(g.input("x", (1, 16, 64), scaled((1, 16, 64), 8)), 64, 64)
    x = g("Clip", g("Sigmoid", x), 1e-7, 1 - 1e-7)
    return g("Log", g("Div", x, g("Sub", 1.0, x)))


def conv(g, x, factor=1.0):
    return g("Conv", x, factor * g.rng.normal(size=(16, 16, 3, 3)) / 12, pads=[1, 1, 1, 1])


def tiny_input(g):
    x = g.input("x", (1, 16, 12, 12), scaled((1, 16, 12, 12), 1e-9))
    return conv(g, g("Add", conv(g, g("Relu", conv(g, x))), x))


def tiny_weights(g):
    x = g.input("x", (1, 16, 12, 12))
    for _ in range(3):
        x = g("Relu", conv(g, x, 1e-4))
    return conv(g, g("Tanh", g("Mul", x, 1e12)))


def tiny_rows(g):
    x = g.linear(g.input("x", (1, 16, 64), scaled((1, 16, 64), 1e-7)), 64, 64)
    return g.linear(g("Sub", x, g("ReduceMean", x, axes=[-1])), 64, 64)


CASES = [layer_norm, rms_norm_decomposed, rms_norm_of_outliers, instance_norm, l2_norm_of_small, mask_of_lowest, mask_of_infinity, mask_chosen, mask_at_run_time, grid_of_wide_image, angles, log_of_small, softplus_by_hand, sum_of_pixels,
         log_of_clipped, norm_of_padding, reciprocal_of_chosen, logit_of_clipped]
# Those that f16 programs need calibration for, too.
MEASURED = [tiny_input, tiny_weights, tiny_rows]


def decibels(want, got):
    if not np.isfinite(got).all():
        return -np.inf
    error = np.square(want.astype(np.float64) - got).sum()
    return np.inf if error == 0 else 10 * np.log10(np.square(want.astype(np.float64)).sum() / error)


def run(weft, folder, case):
    g = Graph()
    model = g.model(case(g))
    folder = folder / case.__name__
    samples = folder / "samples"
    samples.mkdir(parents=True, exist_ok=True)
    onnx.save(model, folder / "model.onnx")
    for sample in range(4):
        np.savez(samples / f"{sample}.npz", **g.feeds(sample))
    feeds = g.feeds(9)
    np.savez(folder / "in.npz", **feeds)
    want = onnxruntime.InferenceSession(model.SerializeToString()).run(["y"], feeds)[0]
    problems = []
    for precision, limit in LIMITS.items():
        options = ["--calibration-data", samples] if precision.startswith("int8") or case in MEASURED else []
        for command in ([weft, "convert", folder / "model.onnx", "--precision", *precision.split(), *options, "-o", folder / "model.bmodel"],
                        [weft, "run", folder / "model.bmodel", "--input", folder / "in.npz", "--output", folder / "out.npz"]):
            done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
            if done.returncode:
                problems.append(f"{case.__name__} {precision}: exit {done.returncode}: {done.stderr.strip()}")
                break
        else:
            with np.load(folder / "out.npz") as outputs:
                found = decibels(want, outputs["y"])
            print(f"{case.__name__:24s} {precision:16s} {found:6.1f} dB")
            if not found >= limit:
                problems.append(f"{case.__name__} {precision}: {found:.1f} dB, want at least {limit}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("-k", default="", metavar="PATTERN")
    args = parser.parse_args()
    chosen = [case for case in CASES + MEASURED if args.k in case.__name__]
    if not chosen:
        sys.exit(f"no case matches '{args.k}'")
    problems = [problem for case in chosen for problem in run(args.weft, args.folder, case)]
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())

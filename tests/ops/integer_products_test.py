#!/usr/bin/env python3
"""Convolutions and matrix products of 8-bit integers give ONNX Runtime's integers at every precision, and the same bytes on libbmrt.

  integer_products_test.py WEFT FOLDER [-k PATTERN]

Graphs between QuantizeLinear and DequantizeLinear keep their own scales in 8 bits, too: what they multiply are those integers.

Random codes of all 256 values, zero points that are not 0, filters per tensor and per channel, groups, padding and sums that take
several convolutions. Nothing may differ: the sums are integers, and what follows them is computed in f32 as ONNX Runtime does. The 16-bit
unit rounds such sums: up to 89 % of the codes were wrong, of ConvInteger all. Where weights fit 8 bits after their zero point, the
integer unit has to be what multiplies.
"""
import argparse
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

PRECISIONS = ("f32", "f16", "int8")
INTEGER_UNIT = re.compile(r"tpu.cast %\w+ \{bits.*quant.uniform")  # integers as codes


def codes(rng, dtype, *shape):
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max + 1
    return rng.integers(low, high, shape).astype(dtype)


def model(operator, x, others, result, **attributes):
    """One node of the input x and of constants."""
    constants = [numpy_helper.from_array(np.asarray(value), name) for name, value in others.items() if name != "x"]
    given = helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)
    found = helper.make_tensor_value_info("y", helper.np_dtype_to_tensor_dtype(np.dtype(result)), None)
    node = helper.make_node(operator, list(others), ["y"], name="product", **attributes)
    graph = helper.make_graph([node], "g", [given], [found], constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), x


def qlinear_conv(channels, results, kernel, group=1, weights=np.int8, per_channel=True, weight_zero=0, shape=(10, 12)):
    rng = np.random.default_rng(channels * 100 + results + kernel)
    count = (results,) if per_channel else ()
    scales = (rng.random(count) * 0.01 + 0.002).astype(np.float32)
    others = {"x": None, "x_scale": np.float32(0.03), "x_zero": np.uint8(37),
              "w": codes(rng, weights, results, channels // group, kernel, kernel), "w_scale": scales,
              "w_zero": np.full(count, weight_zero, weights), "y_scale": np.float32(0.4), "y_zero": np.uint8(120),
              "b": rng.integers(-3000, 3000, results).astype(np.int32)}
    return model("QLinearConv", codes(rng, np.uint8, 1, channels, *shape), others, np.uint8, pads=[kernel // 2] * 4, group=group)


def conv_integer(channels, results, kernel, weights, weight_zero):
    rng = np.random.default_rng(channels)
    others = {"x": None, "w": codes(rng, weights, results, channels, kernel, kernel), "x_zero": np.uint8(37),
              "w_zero": weights(weight_zero)}
    return model("ConvInteger", codes(rng, np.uint8, 1, channels, 10, 12), others, np.int32, pads=[kernel // 2] * 4)


def matmul_integer():
    rng = np.random.default_rng(5)
    others = {"x": None, "w": codes(rng, np.int8, 300, 24), "x_zero": np.uint8(200), "w_zero": np.int8(-3)}
    return model("MatMulInteger", codes(rng, np.uint8, 9, 300), others, np.int32)


def qlinear_matmul():
    rng = np.random.default_rng(6)
    others = {"x": None, "x_scale": np.float32(0.02), "x_zero": np.uint8(90), "w": codes(rng, np.int8, 64, 24),
              "w_scale": np.float32(0.01), "w_zero": np.int8(4), "y_scale": np.float32(0.2), "y_zero": np.uint8(128)}
    return model("QLinearMatMul", codes(rng, np.uint8, 9, 64), others, np.uint8)


class Dequantized:
    """A graph whose products read dequantized integers and weights, and whose results are quantized again."""

    def __init__(self, seed):
        self.rng, self.nodes, self.constants = np.random.default_rng(seed), [], []

    def constant(self, value):
        self.constants.append(numpy_helper.from_array(np.asarray(value), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def __call__(self, operator, *inputs, **attributes):
        self.nodes.append(helper.make_node(operator, inputs, [f"v{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def coded(self, value, scale, zero):
        scale, zero = self.constant(np.float32(scale)), self.constant(zero)
        return self("DequantizeLinear", self("QuantizeLinear", value, scale, zero), scale, zero)

    def weights(self, axis, *shape):
        count = shape[axis]
        scale, zero = self.constant((self.rng.random(count) * 0.01 + 0.002).astype(np.float32)), self.constant(np.zeros(count, np.int8))
        return self("DequantizeLinear", self.constant(codes(self.rng, np.int8, *shape)), scale, zero, axis=axis)

    def finish(self, value, shape, scale):
        self("QuantizeLinear", value, self.constant(np.float32(scale)), self.constant(np.uint8(128)))
        self.nodes[-1].output[0] = "y"
        given = helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, shape)
        found = helper.make_tensor_value_info("y", onnx.TensorProto.UINT8, None)
        graph = helper.make_graph(self.nodes, "g", [given], [found], self.constants)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), self.rng.normal(size=shape).astype(np.float32)


def dequantized_convs():
    g = Dequantized(8)
    hidden = g("Relu", g("Conv", g.coded("x", 0.03, np.uint8(113)), g.weights(0, 32, 16, 3, 3), pads=[1] * 4))
    return g.finish(g("Conv", g.coded(hidden, 0.11, np.uint8(0)), g.weights(0, 8, 32, 3, 3), pads=[1] * 4), (1, 16, 20, 20), 0.7)


def dequantized_rows():
    g = Dequantized(9)
    return g.finish(g("MatMul", g.coded("x", 0.02, np.int8(-7)), g.weights(1, 64, 40)), (1, 90, 64), 0.2)


# Name, what makes it, whether the integer unit computes it as a convolution.
CASES = {
    "qlinear_conv": (lambda: qlinear_conv(28, 64, 3), True),
    "parts": (lambda: qlinear_conv(64, 64, 3), True),
    "groups": (lambda: qlinear_conv(64, 64, 3, group=4), True),
    "depthwise": (lambda: qlinear_conv(70, 70, 3, group=70), True),
    "one_pixel": (lambda: qlinear_conv(256, 64, 1), True),
    "row": (lambda: qlinear_conv(16, 8, 5, shape=(1, 40)), True),
    "one_scale": (lambda: qlinear_conv(32, 64, 3, per_channel=False), True),
    "unsigned_weights": (lambda: qlinear_conv(28, 64, 3, weights=np.uint8, per_channel=False, weight_zero=128), True),
    "conv_integer": (lambda: conv_integer(28, 64, 3, np.int8, 0), True),
    "conv_integer_parts": (lambda: conv_integer(64, 64, 3, np.uint8, 128), True),
    "nine_bits": (lambda: conv_integer(28, 64, 3, np.uint8, 100), False),
    "matmul_integer": (matmul_integer, False),
    "qlinear_matmul": (qlinear_matmul, False),
    "dequantized_convs": (dequantized_convs, False),
    "dequantized_rows": (dequantized_rows, False),
}


def call(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command[1]}: exit {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def run(weft, folder, name):
    make, is_conv = CASES[name]
    graph, x = make()
    folder = folder / name
    (folder / "samples").mkdir(parents=True, exist_ok=True)
    onnx.save(graph, folder / "model.onnx")
    np.savez(folder / "samples" / "x.npz", x=x)
    options = onnxruntime.SessionOptions()
    if name.startswith("dequantized"):  # as the graph is: else products of floats become some of integers, rounded otherwise
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    else:  # on CPUs without VNNI ONNX Runtime saturates sums of two products of bytes at 16 bits, unless its optimizations avoid it
        options.add_session_config_entry("session.x64quantprecision", "1")
    want = onnxruntime.InferenceSession(graph.SerializeToString(), options).run(["y"], {"x": x})[0]
    problems = []
    is_dequantized = name.startswith("dequantized")  # f16 has floats between the integers, and products of them
    for precision in ("f32", "int8") if is_dequantized else PRECISIONS:
        options = ["--precision", precision] + (["--calibration-data", folder / "samples"] if precision == "int8" else [])
        call(weft, "convert", folder / "model.onnx", "-o", folder / "model.bmodel", *options)
        for device in ("emulator", "bmrt")[:2 if precision == "int8" else 1]:
            call(weft, "run", folder / "model.bmodel", "-i", folder / "samples" / "x.npz", "-o", folder / "out.npz", "--device", device)
            with np.load(folder / "out.npz") as outputs:
                got = outputs["y"]
            wrong = int((got != want).sum()) if got.shape == want.shape else want.size
            if wrong or got.dtype != want.dtype:
                problems.append(f"{name} {precision} on {device}: {wrong} of {want.size} differ")
        steps = call(weft, "convert", folder / "model.onnx", "--emit", "tpu", "-o", "-", *options)
        if (is_conv or (is_dequantized and precision == "int8")) and not INTEGER_UNIT.search(steps):
            problems.append(f"{name} {precision}: not on the integer unit")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("-k", default="", metavar="PATTERN")
    args = parser.parse_args()
    chosen = [name for name in CASES if args.k in name]
    if not chosen:
        sys.exit(f"no case matches '{args.k}'")
    problems = [problem for name in chosen for problem in run(args.weft, args.folder, name)]
    print("\n".join(problems) or f"{len(chosen)} graphs: no difference")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())

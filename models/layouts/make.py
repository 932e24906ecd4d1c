#!/usr/bin/env python3
"""Small networks whose time goes into moving and turning data, or into rare functions, rather than into multiplying.

  models/layouts/make.py NAME OUT.onnx [--samples DIR]
  models/layouts/make.py --all DIR

Each holds one kind of layout change as exported networks have it (NHWC inputs, attention heads, last-axis concat, several images ..) between
a little arithmetic, so that the change cannot be folded away. Weights are seeded. --samples writes seeded inputs for calibration;
--all writes every network as DIR/<name>.onnx and its samples in DIR/<name>.samples.
"""
import argparse
import os
import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

SAMPLES = 4


class Graph:
    """Nodes, constants, inputs and outputs in the order they were asked for."""

    def __init__(self, name):
        self.name, self.nodes, self.constants, self.inputs, self.outputs = name, [], [], [], []
        self.opset = 13  # the oldest that has all of a network's operators

    def input(self, name, shape, dtype=TensorProto.FLOAT):
        self.inputs.append(helper.make_tensor_value_info(name, dtype, shape))
        return name

    def constant(self, shape, scale=None, name=None):
        """Normal numbers; by default scaled as a kernel of that shape wants it. The seed is the constant's name."""
        name = name or f"c{len(self.constants)}"
        random = np.random.default_rng(zlib.crc32(f"{self.name}.{name}".encode()))
        if scale is None:
            scale = np.sqrt(2.0 / max(1, int(np.prod(shape[1:]))))
        return self.array(name, (random.standard_normal(shape) * scale).astype(np.float32))

    def array(self, name, values):
        self.constants.append(numpy_helper.from_array(np.asarray(values), name))
        return name

    def integers(self, values):
        return self.array(f"i{len(self.constants)}", np.array(values, np.int64))

    def op(self, kind, *inputs, outputs=1, **attributes):
        number = len(self.nodes)
        names = [f"{kind.lower()}{number}" + (f"_{i}" if outputs > 1 else "") for i in range(outputs)]
        self.nodes.append(helper.make_node(kind, list(inputs), names, name=f"{kind}_{number}", **attributes))
        return names if outputs > 1 else names[0]

    def conv(self, x, cin, cout, kernel, stride=1, pad=None, relu=True):
        kernel = [kernel] * 2 if isinstance(kernel, int) else kernel
        pads = [k // 2 for k in kernel] * 2 if pad is None else [pad] * 2 * len(kernel)
        w, b = self.constant([cout, cin, *kernel]), self.constant([cout], 0.1)
        y = self.op("Conv", x, w, b, kernel_shape=kernel, strides=[stride] * len(kernel), pads=pads)
        return self.op("Relu", y) if relu else y

    def linear(self, x, rows, columns):
        product = self.op("MatMul", x, self.constant([rows, columns], np.sqrt(1.0 / rows)))
        return self.op("Add", product, self.constant([columns], 0.1))

    def output(self, *names):
        self.outputs += [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in names]

    def model(self):
        graph = helper.make_graph(self.nodes, self.name, self.inputs, self.outputs, self.constants)
        # Older readers take no later IR version.
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=8, producer_name="weft")
        model = onnx.shape_inference.infer_shapes(model, strict_mode=True)
        onnx.checker.check_model(model)
        return model


def nhwc_input(g):
    x = g.op("Transpose", g.input("x", [1, 224, 224, 3]), perm=[0, 3, 1, 2])
    x = g.conv(g.conv(x, 3, 32, 3, 2), 32, 64, 3, 2)
    g.output(g.op("GlobalAveragePool", x))


def nhwc_wide_input(g):
    """The same with a picture and channel count of other sizes."""
    x = g.op("Transpose", g.input("x", [1, 120, 160, 24]), perm=[0, 3, 1, 2])
    g.output(g.conv(x, 24, 32, 1))


def nhwc_output(g):
    """A detector's head: one row a place."""
    x = g.conv(g.input("x", [1, 64, 40, 40]), 64, 85, 1, relu=False)
    x = g.op("Transpose", x, perm=[0, 2, 3, 1])
    g.output(g.op("Sigmoid", g.op("Reshape", x, g.integers([1, 1600, 85]))))


def ctc_head(g):
    """A text recogniser's last layer: few rows, thousands of classes."""
    g.output(g.op("Softmax", g.linear(g.input("x", [1, 40, 120]), 120, 6625), axis=2))


def attention(g):
    rows, width, heads = 196, 192, 6
    x = g.input("x", [1, rows, width])

    def head(perm):
        y = g.op("Reshape", g.linear(x, width, width), g.integers([1, rows, heads, width // heads]))
        return g.op("Transpose", y, perm=perm)

    scores = g.op("MatMul", head([0, 2, 1, 3]), head([0, 2, 3, 1]))
    scores = g.op("Mul", scores, g.array("scale", np.float32((width // heads) ** -0.5)))
    y = g.op("MatMul", g.op("Softmax", scores, axis=3), head([0, 2, 1, 3]))
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.integers([1, rows, width]))
    y = g.op("Add", g.linear(y, width, width), x)
    g.output(g.op("Add", g.linear(g.op("Relu", g.linear(y, width, 2 * width)), 2 * width, width), y))


def transpose_021(g):
    y = g.op("Transpose", g.op("Relu", g.input("x", [1, 400, 1200])), perm=[0, 2, 1])
    g.output(g.op("Add", y, g.constant([1200, 400], 1.0)))


def transpose_0231(g):
    x = g.op("MaxPool", g.input("x", [1, 96, 112, 112]), kernel_shape=[2, 2], strides=[2, 2])
    g.output(g.op("Mul", g.op("Transpose", x, perm=[0, 2, 3, 1]), g.constant([96], 1.0)))


def transpose_0213(g):
    x = g.op("Relu", g.input("x", [1, 128, 48, 160]))
    g.output(g.op("Mul", g.op("Transpose", x, perm=[0, 2, 1, 3]), g.constant([160], 1.0)))


def channel_shuffle(g):
    x = g.op("Reshape", g.conv(g.input("x", [1, 64, 28, 28]), 64, 240, 1), g.integers([1, 4, 60, 28, 28]))
    x = g.op("Reshape", g.op("Transpose", x, perm=[0, 2, 1, 3, 4]), g.integers([1, 240, 28, 28]))
    g.output(g.conv(x, 240, 64, 1))


def pixel_shuffle(g):
    x = g.conv(g.input("x", [1, 32, 60, 80]), 32, 16, 3)
    g.output(g.conv(g.op("DepthToSpace", x, blocksize=4, mode="CRD"), 1, 8, 3))


def concat_last(g):
    inputs = [g.input(f"x{i}", [1, 172, 264, 1]) for i in range(8)]
    g.output(g.op("Relu", g.op("Concat", *inputs, axis=3)))


def split_last(g):
    parts = g.op("Split", g.input("x", [1, 172, 264, 8]), outputs=8, axis=3)
    y = parts[0]
    for part in parts[1:]:
        y = g.op("Add", y, part)
    g.output(g.op("Relu", y))


def slice_step(g):
    """A detector's "focus": four interleaved pictures."""
    x = g.input("x", [1, 3, 320, 320])

    def part(row, column):
        y = g.op("Slice", x, g.integers([row]), g.integers([320]), g.integers([2]), g.integers([2]))
        return g.op("Slice", y, g.integers([column]), g.integers([320]), g.integers([3]), g.integers([2]))

    x = g.op("Concat", *(part(row, column) for row in (0, 1) for column in (0, 1)), axis=1)
    g.output(g.conv(x, 12, 32, 3))


def gather(g):
    x = g.op("Relu", g.input("x", [1, 64, 100, 48]))
    order = np.random.default_rng(7).permutation(100)
    y = g.op("Gather", x, g.array("order", order.astype(np.int64)), axis=2)
    g.output(g.op("Mul", y, g.constant([48], 1.0)))


def embedding(g):
    rows = g.op("Gather", g.constant([5000, 192], 1.0), g.input("tokens", [1, 64], TensorProto.INT64), axis=0)
    g.output(g.linear(rows, 192, 192))


def expand(g):
    x = g.op("Relu", g.input("x", [1, 64, 1, 40]))
    wide = g.op("Expand", x, g.integers([1, 64, 60, 40]))
    g.output(g.conv(g.op("Add", wide, g.input("y", [1, 64, 60, 40])), 64, 32, 1))


def pad(g):
    x = g.op("Pad", g.input("x", [1, 24, 100, 100]), g.integers([0, 0, 3, 3, 0, 0, 3, 3]), mode="reflect")
    x = g.conv(x, 24, 24, 3, pad=0)
    x = g.op("Pad", x, g.integers([0, 8, 1, 2, 0, 0, 1, 2]))
    g.output(g.conv(x, 32, 16, 3, pad=0))


def audio(g):
    x = g.conv(g.input("x", [1, 1, 44100]), 1, 64, [256], 256, pad=0)
    g.output(g.conv(x, 64, 128, [3], 2))


def prelu(g):
    x = g.conv(g.input("x", [1, 3, 96, 96]), 3, 32, 3, relu=False)
    x = g.conv(g.op("PRelu", x, g.constant([32, 1, 1], 0.2)), 32, 64, 3, 2, relu=False)
    g.output(g.op("PRelu", x, g.constant([64, 1, 1], 0.2)))


def channel_scale(g):
    x = g.op("MaxPool", g.input("x", [1, 96, 112, 112]), kernel_shape=[3, 3], strides=[2, 2])
    x = g.op("Add", g.op("Mul", x, g.constant([1, 96, 1, 1], 1.0)), g.constant([1, 96, 1, 1], 1.0))
    g.output(g.op("MaxPool", x, kernel_shape=[2, 2], strides=[1, 1]))


def average_pool(g):
    x = g.op("AveragePool", g.input("x", [1, 72, 56, 56]), kernel_shape=[3, 3], strides=[1, 1], pads=[1, 1, 1, 1])
    x = g.op("AveragePool", g.conv(x, 72, 128, 1), kernel_shape=[2, 2], strides=[2, 2])
    g.output(g.op("GlobalAveragePool", x))


def turned(shape, order):
    """A transposition between two operations on elements."""
    def network(g):
        x = g.op("Transpose", g.op("Relu", g.input("x", shape)), perm=order)
        g.output(g.op("Mul", x, g.constant([shape[order[-1]]], 1.0)))
    return network


def window(g):
    """Windows of 7x7 places, as in a window transformer."""
    x = g.op("Reshape", g.op("Relu", g.input("x", [1, 56, 56, 96])), g.integers([1, 8, 7, 8, 7, 96]))
    x = g.op("Reshape", g.op("Transpose", x, perm=[0, 1, 3, 2, 4, 5]), g.integers([64, 49, 96]))
    g.output(g.linear(x, 96, 96))


def matmul_left_turned(g):
    left = g.op("Transpose", g.input("a", [1, 700, 300]), perm=[0, 2, 1])
    g.output(g.op("MatMul", left, g.input("b", [1, 700, 200])))


def matmul_right_turned(g):
    right = g.op("Transpose", g.input("b", [1, 8, 300, 64]), perm=[0, 1, 3, 2])
    g.output(g.op("MatMul", g.input("a", [1, 8, 200, 64]), right))


def matmul_computed(g):
    g.output(g.op("MatMul", g.input("a", [1, 512, 768]), g.input("b", [1, 768, 512])))


def softmax_channels(g):
    g.output(g.op("Softmax", g.conv(g.input("x", [1, 32, 20, 30]), 32, 19, 1), axis=1))


def resize_bilinear(g):
    x = g.conv(g.input("x", [1, 32, 30, 40]), 32, 48, 1)
    g.output(g.op("Resize", x, "", g.array("scales", np.array([1, 1, 2, 2], np.float32)), mode="linear",
                  coordinate_transformation_mode="half_pixel"))


def tile(g):
    g.output(g.op("Tile", g.op("Relu", g.input("x", [1, 24, 20, 30])), g.integers([1, 2, 1, 3])))


def gather_rows(g):
    rows = np.random.default_rng(5).permutation(300)[:120]
    x = g.op("Gather", g.op("Relu", g.input("x", [1, 300, 96])), g.array("rows", rows.astype(np.int64)), axis=1)
    g.output(g.op("Mul", x, g.constant([96], 1.0)))


def scatter(g):
    rows = np.stack([np.zeros(22, np.int64), np.arange(0, 64, 3)], -1)[None]
    x = g.op("Relu", g.input("x", [1, 64, 100]))
    g.output(g.op("ScatterND", x, g.array("rows", rows), g.input("update", [1, 22, 100])))


def reverse(g):
    x = g.op("Relu", g.input("x", [1, 24, 20, 60]))
    turned_round = g.op("Slice", x, g.integers([-1]), g.integers([-100]), g.integers([3]), g.integers([-1]))
    g.output(g.op("Add", x, turned_round))


def space_to_depth(g):
    g.output(g.conv(g.op("SpaceToDepth", g.op("Relu", g.input("x", [1, 3, 320, 320])), blocksize=2), 12, 16, 3))


def concat_middle(g):
    left, right = (g.conv(g.input(name, [1, 32, 40, 50]), 32, channels, 1) for name, channels in (("a", 40), ("b", 30)))
    lower = g.op("Concat", left, left, axis=2)
    g.output(g.conv(g.op("Concat", left, right, axis=1), 70, 64, 3), g.op("Sigmoid", lower))


def split_middle(g):
    parts = g.op("Split", g.linear(g.input("x", [1, 196, 192]), 192, 576), g.integers([192] * 3), outputs=3, axis=2)
    g.output(g.op("Mul", parts[0], parts[1]), g.op("Relu", parts[2]))


def layer_norm(g):
    x = g.input("x", [1, 196, 384])
    difference = g.op("Sub", x, g.op("ReduceMean", x, axes=[2]))
    variance = g.op("ReduceMean", g.op("Mul", difference, difference), axes=[2])
    y = g.op("Div", difference, g.op("Sqrt", g.op("Add", variance, g.array("epsilon", np.float32(1e-5)))))
    y = g.op("Add", g.op("Mul", y, g.constant([384], 1.0)), g.constant([384], 1.0))
    g.output(g.linear(y, 384, 96))


def lstm(g):
    width, hidden = 96, 64
    y = g.op("LSTM", g.input("x", [6, 1, width]), g.constant([2, 4 * hidden, width]), g.constant([2, 4 * hidden, hidden]),
             g.constant([2, 8 * hidden], 0.1), outputs=3, hidden_size=hidden, direction="bidirectional")
    g.output(g.op("Relu", y[0]))


def conv_1d(g):
    x = g.conv(g.input("x", [1, 80, 300]), 80, 128, [5])
    g.output(g.conv(x, 128, 128, [3], 2))


def reduce(g):
    x = g.input("x", [1, 96, 64, 80])
    g.output(g.op("ReduceMean", x, axes=[1]), g.op("ReduceMax", x, axes=[2]), g.op("ReduceSum", x, g.integers([3])))


def broadcast(g):
    x = g.op("Relu", g.input("x", [1, 48, 80, 100]))
    g.output(g.op("Add", x, g.input("column", [1, 1, 80, 1])), g.op("Mul", x, g.input("channel", [1, 48, 1, 1])),
             g.op("Sub", x, g.input("row", [1, 1, 1, 100])))


def functions(g):
    x = g.input("x", [1, 64, 40, 40])
    kinds = ("Sigmoid", "Tanh", "Exp", "HardSigmoid", "Erf", "LeakyRelu", "Elu", "Softplus", "Abs", "Floor")
    g.output(*(g.op(kind, x) for kind in kinds))
    y = g.op("Add", g.op("Abs", x), g.array("half", np.float32(0.5)))
    g.output(*(g.op(kind, y) for kind in ("Sqrt", "Log", "Reciprocal")), g.op("Pow", y, g.array("power", np.float32(2.5))))


def select(g):
    a, b = g.input("a", [1, 48, 40, 40]), g.input("b", [1, 48, 40, 40])
    g.output(g.op("Where", g.op("Greater", a, b), a, g.op("Mul", b, g.array("half", np.float32(0.5)))))


def argmax(g):
    x = g.conv(g.input("x", [1, 32, 60, 80]), 32, 21, 1)
    g.output(g.op("Cast", g.op("ArgMax", x, axis=1, keepdims=1), to=TensorProto.FLOAT))


def instance_norm(g):
    x = g.conv(g.input("x", [1, 16, 64, 64]), 16, 32, 3)
    g.output(g.op("InstanceNormalization", x, g.constant([32], 1.0), g.constant([32], 1.0)))


def swish(g, x):
    return g.op("Mul", x, g.op("Sigmoid", x))


def branches(g, x, cin, cout, depth=2):
    """Half of the channels goes on unchanged, the rest through residual blocks, whose results are all joined."""
    half = cout // 2
    parts = list(g.op("Split", swish(g, g.conv(x, cin, cout, 1, relu=False)), g.integers([half] * 2), outputs=2, axis=1))
    for _ in range(depth):
        y = swish(g, g.conv(swish(g, g.conv(parts[-1], half, half, 3, relu=False)), half, half, 3, relu=False))
        parts.append(g.op("Add", parts[-1], y))
    return swish(g, g.conv(g.op("Concat", *parts, axis=1), half * len(parts), cout, 1, relu=False))


def images_detector(g):
    y = swish(g, g.conv(g.input("x", [4, 3, 160, 160]), 3, 16, 3, stride=2, relu=False))
    skip = branches(g, swish(g, g.conv(y, 16, 32, 3, stride=2, relu=False)), 32, 32)
    y = branches(g, swish(g, g.conv(skip, 32, 64, 3, stride=2, relu=False)), 64, 64)
    pools = [y]
    for _ in range(3):
        pools.append(g.op("MaxPool", pools[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2] * 4))
    y = swish(g, g.conv(g.op("Concat", *pools, axis=1), 256, 64, 1, relu=False))
    wide = g.op("Resize", y, "", g.array("scales", np.array([1, 1, 2, 2], np.float32)), mode="nearest",
                coordinate_transformation_mode="asymmetric", nearest_mode="floor")
    wide = branches(g, g.op("Concat", wide, skip, axis=1), 96, 32)
    g.output(g.conv(wide, 32, 20, 1, relu=False), g.conv(y, 64, 20, 1, relu=False))


def parts_of_rows(g, x, images, rows, width, heads):
    """Queries, keys and values of one product, as exporters cut it."""
    y = g.op("Reshape", g.linear(x, width, 3 * width), g.integers([images, rows, 3, heads, width // heads]))
    y = g.op("Transpose", y, perm=[2, 0, 3, 1, 4])
    return [g.op("Gather", y, g.array(f"part{len(g.nodes)}_{i}", np.array(i, np.int64)), axis=0) for i in range(3)]


def heads_of(g, x, images, rows, width, heads, add):
    """Attention with scaled queries; `add` is added to the scores."""
    q, k, v = parts_of_rows(g, x, images, rows, width, heads)
    q = g.op("Mul", q, g.array(f"scale{len(g.nodes)}", np.float32((width // heads) ** -0.5)))
    scores = g.op("Add", g.op("MatMul", q, g.op("Transpose", k, perm=[0, 1, 3, 2])), add)
    y = g.op("Transpose", g.op("MatMul", g.op("Softmax", scores, axis=3), v), perm=[0, 2, 1, 3])
    return g.linear(g.op("Reshape", y, g.integers([images, rows, width])), width, width)


def images_encoder(g):
    images, rows, width, heads = 4, 64, 192, 6
    x, mask = g.input("x", [images, rows, width]), g.input("mask", [images, 1, 1, rows])
    for _ in range(2):
        x = g.op("Add", x, heads_of(g, x, images, rows, width, heads, mask))
        x = g.op("Add", x, g.linear(g.op("Relu", g.linear(x, width, 2 * width)), 2 * width, width))
    g.output(x)


def window_attention(g):
    side, window, width, heads = 28, 7, 96, 3
    count, rows = side // window, window * window
    x = g.input("x", [1, side * side, width])
    y = g.op("Reshape", x, g.integers([1, count, window, count, window, width]))
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 1, 3, 2, 4, 5]), g.integers([count * count, rows, width]))
    y = heads_of(g, y, count * count, rows, width, heads, g.constant([1, heads, rows, rows], 0.1))
    y = g.op("Reshape", y, g.integers([1, count, count, window, window, width]))
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 1, 3, 2, 4, 5]), g.integers([1, side * side, width]))
    g.output(g.op("Add", x, y))


def images_decoder(g):
    x = g.conv(g.conv(g.input("x", [3, 3, 64, 96]), 3, 16, 3), 16, 16, 3)
    skips, channels = [], 16
    for _ in range(3):
        skips.append(x)
        x = g.conv(g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), channels, 2 * channels, 3)
        channels *= 2
    for skip in reversed(skips):
        w, b = g.constant([channels, channels // 2, 2, 2], 0.1), g.constant([channels // 2], 0.1)
        x = g.op("ConvTranspose", x, w, b, kernel_shape=[2, 2], strides=[2, 2])
        x = g.conv(g.op("Concat", skip, x, axis=1), channels, channels // 2, 3)
        channels //= 2
    g.output(g.conv(x, channels, 2, 1, relu=False))


def volume(g):
    """Clips: convolutions and pools of three axes, and back up."""
    x = g.conv(g.input("x", [2, 3, 8, 32, 32]), 3, 16, [3, 3, 3])
    y = g.conv(g.op("MaxPool", x, kernel_shape=[2, 2, 2], strides=[2, 2, 2]), 16, 32, [3, 3, 3], stride=1)
    y = g.op("ConvTranspose", y, g.constant([32, 16, 2, 2, 2], 0.1), kernel_shape=[2, 2, 2], strides=[2, 2, 2])
    g.output(g.conv(g.op("Concat", x, y, axis=1), 32, 4, [1, 1, 1], relu=False))


def odd_pyramid(g):
    """Maps of sizes that are no multiples of each other."""
    a = g.conv(g.input("x", [2, 3, 75, 111]), 3, 32, 3, stride=2)
    b = g.conv(a, 32, 48, 3, stride=2)
    c = g.conv(b, 48, 64, 3, stride=2)
    y = g.conv(c, 64, 32, 1, relu=False)
    for skip, channels, size in ((b, 48, [19, 28]), (a, 32, [38, 56])):
        wide = g.op("Resize", y, "", "", g.integers([2, 32, *size]), mode="nearest", coordinate_transformation_mode="asymmetric",
                    nearest_mode="floor")
        y = g.op("Add", wide, g.conv(skip, channels, 32, 1, relu=False))
    g.output(g.conv(y, 32, 16, 3, relu=False))


def sampled_grid(g):
    """Pixels at computed places."""
    g.opset = 16
    x, moves = g.input("x", [2, 3, 48, 48]), g.input("moves", [2, 40, 40, 2])
    grid = g.op("Mul", g.op("Tanh", moves), g.array("reach", np.float32(0.9)))
    y = g.op("GridSample", x, grid, mode="bilinear", padding_mode="border", align_corners=0)
    g.output(g.conv(g.conv(y, 3, 16, 3), 16, 8, 3, relu=False))


def cross_attention(g):
    """Queries of several images on memories of another length."""
    images, rows, length, width, heads = 4, 20, 49, 128, 4
    y, memory = g.input("x", [images, rows, width]), g.input("memory", [images, length, width])

    def heads_from(source, count, order):
        cut = g.op("Reshape", g.linear(source, width, width), g.integers([images, count, heads, width // heads]))
        return g.op("Transpose", cut, perm=order)

    for layer in range(2):
        q, k, v = heads_from(y, rows, [0, 2, 1, 3]), heads_from(memory, length, [0, 2, 3, 1]), heads_from(memory, length, [0, 2, 1, 3])
        scores = g.op("Softmax", g.op("Mul", g.op("MatMul", q, k), g.array(f"scale{layer}", np.float32(0.18))), axis=3)
        joined = g.op("Reshape", g.op("Transpose", g.op("MatMul", scores, v), perm=[0, 2, 1, 3]), g.integers([images, rows, width]))
        y = g.op("Add", y, g.linear(joined, width, width))
    g.output(y)


def gemm_rows(g):
    """Linear layers on all rows as one matrix, between images of rows."""
    g.opset = 17
    images, rows, width = 4, 24, 96
    y = g.input("x", [images, rows, width])

    def gemm(x, inner, columns):
        flat = g.op("Gemm", g.op("Reshape", x, g.integers([-1, inner])), g.constant([inner, columns], inner**-0.5), g.constant([columns], 0.1))
        return g.op("Reshape", flat, g.integers([images, rows, columns]))

    for _ in range(2):
        scale, shift = g.constant([width], 0.5), g.constant([width], 0.1)
        normal = g.op("LayerNormalization", y, scale, shift, axis=-1)
        y = g.op("Add", y, gemm(g.op("Relu", gemm(normal, width, 4 * width)), 4 * width, width))
    g.output(y)


def images_lstm(g):
    """Text lines in both directions."""
    steps, images, inputs, hidden = 20, 4, 64, 48
    weights = g.constant([2, 4 * hidden, inputs], inputs**-0.5), g.constant([2, 4 * hidden, hidden], hidden**-0.5)
    y = g.op("LSTM", g.input("x", [steps, images, inputs]), *weights, g.constant([2, 8 * hidden], 0.1), hidden_size=hidden, direction="bidirectional")
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.integers([steps, images, 2 * hidden]))
    g.output(g.linear(y, 2 * hidden, 40))


def reflected(g):
    """Convolutions on reflected borders, as style transfer has them."""
    y, channels = g.input("x", [1, 3, 80, 80]), 3
    for made, kernel, stride in ((24, 7, 1), (48, 3, 2), (48, 3, 1), (48, 3, 1)):
        edge = kernel // 2
        y = g.op("Pad", y, g.integers([0, 0, edge, edge] * 2), mode="reflect")
        y, channels = g.conv(y, channels, made, kernel, stride=stride, pad=0), made
    g.output(y)


NETWORKS = {f.__name__: f for f in (
    nhwc_input, nhwc_wide_input, nhwc_output, ctc_head, attention, transpose_021, transpose_0231, transpose_0213,
    channel_shuffle, pixel_shuffle, concat_last, split_last, slice_step, gather, embedding, expand, pad, audio, prelu,
    channel_scale, average_pool, window, matmul_left_turned, matmul_right_turned, matmul_computed, softmax_channels,
    resize_bilinear, tile, gather_rows, scatter, reverse, space_to_depth, concat_middle, split_middle, layer_norm, lstm,
    conv_1d, reduce, broadcast, functions, select, argmax, instance_norm, images_detector, images_encoder, images_decoder, window_attention,
    volume, odd_pyramid, sampled_grid, cross_attention, gemm_rows, images_lstm, reflected)}
NETWORKS |= {
    "transpose_0132": turned([1, 64, 60, 100], [0, 1, 3, 2]), "transpose_0312": turned([1, 80, 80, 85], [0, 3, 1, 2]),
    "transpose_0321": turned([1, 40, 50, 60], [0, 3, 2, 1]), "transpose_1023": turned([6, 40, 28, 28], [1, 0, 2, 3]),
    "transpose_102": turned([60, 32, 256], [1, 0, 2]), "transpose_10": turned([300, 200], [1, 0])}


def make(name):
    graph = Graph(name)
    NETWORKS[name](graph)
    return graph.model()


def draw_feeds(model, random, tokens=5000):
    """An array for each input; integers are below `tokens`."""
    arrays = {}
    for value in model.graph.input:
        shape = [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        integral = value.type.tensor_type.elem_type == TensorProto.INT64
        arrays[value.name] = random.integers(0, tokens, shape) if integral else random.standard_normal(shape).astype(np.float32)
    return arrays


def write_samples(folder, model, tokens=5000):
    """Seeded inputs of a calibration."""
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(50)
    for index in range(SAMPLES):
        np.savez(os.path.join(folder, f"sample{index}.npz"), **draw_feeds(model, random, tokens))


def main(networks, make, write_samples, description):
    """The program of this family, and of others that are made like it."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", choices=networks)
    parser.add_argument("output", nargs="?")
    parser.add_argument("--samples", metavar="DIR")
    parser.add_argument("--all", metavar="DIR")
    args = parser.parse_args()
    if args.all:
        os.makedirs(args.all, exist_ok=True)
        for name in networks:
            model = make(name)
            onnx.save(model, os.path.join(args.all, f"{name}.onnx"))
            write_samples(os.path.join(args.all, f"{name}.samples"), model)
        return
    if not (args.name and args.output):
        parser.error("give a name and an output, or --all")
    model = make(args.name)
    onnx.save(model, args.output)
    if args.samples:
        write_samples(args.samples, model)


if __name__ == "__main__":
    main(NETWORKS, make, write_samples, __doc__)

#!/usr/bin/env python3
"""Networks as PyTorch exports them, by what their papers say, with seeded weights: what users bring that is in no other set.

  models/architectures/make.py NAME OUT.onnx

Classifiers, a detector with its head, a U-net and transformers of a few layers each. Their time does not depend on weights. One input, `x`.
"""
import argparse
import math
import zlib

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 17, 8
CLASSES = 1000


class Graph:
    """Nodes and constants in the order they were asked for; methods return the name of what they compute."""

    def __init__(self, name, shape):
        self.name, self.shape, self.nodes, self.constants = name, shape, [], []
        self.random = np.random.default_rng(zlib.crc32(name.encode()))

    def constant(self, value):
        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name

    def node(self, kind, *inputs, **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [name], name=name, **attributes))
        return name

    def weights(self, *shape, fan=None):
        fan = fan or int(np.prod(shape[1:]))
        return self.constant((self.random.standard_normal(shape) * math.sqrt(1.5 / fan)).astype(np.float32))

    def row(self, size, mean=0.0):
        return self.constant((self.random.standard_normal(size) * 0.05 + mean).astype(np.float32))

    def number(self, value):
        return self.constant(np.float32(value))

    def indices(self, *values):
        return self.constant(np.array(values, np.int64))

    def conv(self, x, inputs, outputs, kernel, stride=1, group=1, pad=None):
        pad = kernel // 2 if pad is None else pad
        return self.node("Conv", x, self.weights(outputs, inputs // group, kernel, kernel), self.row(outputs), kernel_shape=[kernel] * 2,
                         strides=[stride] * 2, pads=[pad] * 4, group=group)

    def activation(self, x, kind):
        if kind == "relu6":
            return self.node("Clip", x, self.number(0), self.number(6))
        if kind == "swish":
            return self.node("Mul", x, self.node("Sigmoid", x))
        if kind == "hard_sigmoid":
            return self.node("HardSigmoid", x, alpha=1 / 6, beta=0.5)
        if kind == "gelu":
            error = self.node("Erf", self.node("Div", x, self.number(math.sqrt(2))))
            return self.node("Mul", self.node("Mul", x, self.node("Add", error, self.number(1))), self.number(0.5))
        return self.node({"relu": "Relu", "hard_swish": "HardSwish", "sigmoid": "Sigmoid"}[kind], x)

    def gate(self, x, channels, inside, first, second):
        """Squeeze and excitation."""
        y = self.activation(self.conv(self.node("GlobalAveragePool", x), channels, inside, 1), first)
        return self.node("Mul", x, self.activation(self.conv(y, inside, channels, 1), second))

    def norm(self, x, size):
        return self.node("LayerNormalization", x, self.row(size, 1.0), self.row(size), axis=-1, epsilon=1e-6)

    def linear(self, x, inputs, outputs):
        return self.node("Add", self.node("MatMul", x, self.weights(inputs, outputs, fan=inputs)), self.row(outputs))

    def classes(self, x, size):
        return self.node("Gemm", x, self.weights(CLASSES, size), self.row(CLASSES), transB=1)

    def pooled(self, x):
        return self.node("Flatten", self.node("GlobalAveragePool", x))

    def mlp(self, x, size):
        return self.linear(self.activation(self.linear(x, size, 4 * size), "gelu"), 4 * size, size)

    def reshape(self, x, *shape):
        return self.node("Reshape", x, self.indices(*shape))

    def transpose(self, x, *perm):
        return self.node("Transpose", x, perm=list(perm))

    def model(self, output):
        graph = helper.make_graph(self.nodes, self.name, [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
                                  [helper.make_tensor_value_info(output, TensorProto.FLOAT, None)], self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION)
        model = onnx.shape_inference.infer_shapes(model)
        onnx.checker.check_model(model)
        return model


def mobilenet_v2(g):
    x, channels = g.activation(g.conv("x", 3, 32, 3, 2), "relu6"), 32
    for factor, outputs, count, first in ((1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)):
        for index in range(count):
            inside, stride = channels * factor, first if index == 0 else 1
            y = x if factor == 1 else g.activation(g.conv(x, channels, inside, 1), "relu6")
            y = g.conv(g.activation(g.conv(y, inside, inside, 3, stride, inside), "relu6"), inside, outputs, 1)
            x, channels = g.node("Add", x, y) if index else y, outputs
    return g.classes(g.pooled(g.activation(g.conv(x, 320, 1280, 1), "relu6")), 1280)


def efficientnet_b0(g):
    x, channels = g.activation(g.conv("x", 3, 32, 3, 2), "swish"), 32
    for factor, outputs, count, first, kernel in ((1, 16, 1, 1, 3), (6, 24, 2, 2, 3), (6, 40, 2, 2, 5), (6, 80, 3, 2, 3), (6, 112, 3, 1, 5),
                                                  (6, 192, 4, 2, 5), (6, 320, 1, 1, 3)):
        for index in range(count):
            inside, stride = channels * factor, first if index == 0 else 1
            y = x if factor == 1 else g.activation(g.conv(x, channels, inside, 1), "swish")
            y = g.activation(g.conv(y, inside, inside, kernel, stride, inside), "swish")
            y = g.conv(g.gate(y, inside, max(1, channels // 4), "swish", "sigmoid"), inside, outputs, 1)
            x, channels = g.node("Add", x, y) if index else y, outputs
    return g.classes(g.pooled(g.activation(g.conv(x, 320, 1280, 1), "swish")), 1280)


def mobilenet_v3(g):
    """The small one."""
    x, channels = g.activation(g.conv("x", 3, 16, 3, 2), "hard_swish"), 16
    for kernel, inside, outputs, is_gated, kind, stride in (
            (3, 16, 16, True, "relu", 2), (3, 72, 24, False, "relu", 2), (3, 88, 24, False, "relu", 1), (5, 96, 40, True, "hard_swish", 2),
            (5, 240, 40, True, "hard_swish", 1), (5, 240, 40, True, "hard_swish", 1), (5, 120, 48, True, "hard_swish", 1),
            (5, 144, 48, True, "hard_swish", 1), (5, 288, 96, True, "hard_swish", 2), (5, 576, 96, True, "hard_swish", 1),
            (5, 576, 96, True, "hard_swish", 1)):
        y = x if inside == channels else g.activation(g.conv(x, channels, inside, 1), kind)
        y = g.activation(g.conv(y, inside, inside, kernel, stride, inside), kind)
        if is_gated:
            y = g.gate(y, inside, max(8, inside // 32 * 8), "relu", "hard_sigmoid")
        y = g.conv(y, inside, outputs, 1)
        x, channels = g.node("Add", x, y) if stride == 1 and channels == outputs else y, outputs
    x = g.pooled(g.activation(g.conv(x, 96, 576, 1), "hard_swish"))
    x = g.activation(g.node("Gemm", x, g.weights(1024, 576), g.row(1024), transB=1), "hard_swish")
    return g.classes(x, 1024)


def resnet18(g):
    x, channels = g.activation(g.conv("x", 3, 64, 7, 2), "relu"), 64
    x = g.node("MaxPool", x, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    for outputs, first in ((64, 1), (128, 2), (256, 2), (512, 2)):
        for index in range(2):
            stride = first if index == 0 else 1
            y = g.conv(g.activation(g.conv(x, channels, outputs, 3, stride), "relu"), outputs, outputs, 3)
            beside = g.conv(x, channels, outputs, 1, stride) if stride != 1 or channels != outputs else x
            x, channels = g.activation(g.node("Add", y, beside), "relu"), outputs
    return g.classes(g.pooled(x), 512)


def unet(g):
    def twice(x, inputs, outputs):
        return g.activation(g.conv(g.activation(g.conv(x, inputs, outputs, 3), "relu"), outputs, outputs, 3), "relu")

    x, channels, levels = "x", 3, []
    for outputs in (24, 48, 96, 192):
        x, channels = twice(x, channels, outputs), outputs
        if outputs != 192:
            levels.append((x, outputs))
            x = g.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    for level, outputs in reversed(levels):
        x = g.node("ConvTranspose", x, g.weights(channels, outputs, 2, 2, fan=channels), g.row(outputs), kernel_shape=[2, 2], strides=[2, 2])
        x, channels = twice(g.node("Concat", level, x, axis=1), 2 * outputs, outputs), outputs
    return g.activation(g.conv(x, channels, 1, 1), "sigmoid")


def yolo_v5(g):
    """Nano, at 320 x 320, with the head that turns anchors and scores; sums in all of its blocks."""
    def conv(x, inputs, outputs, kernel, stride=1, pad=None):
        return g.activation(g.conv(x, inputs, outputs, kernel, stride, pad=pad), "swish")

    def stage(x, inputs, outputs, count):
        inside = outputs // 2
        y, beside = conv(x, inputs, inside, 1), conv(x, inputs, inside, 1)
        for _ in range(count):
            y = g.node("Add", y, conv(conv(y, inside, inside, 1), inside, inside, 3))
        return conv(g.node("Concat", y, beside, axis=1), outputs, outputs, 1)

    def larger(x):
        return g.node("Resize", x, "", g.constant(np.array([1, 1, 2, 2], np.float32)), mode="nearest",
                      coordinate_transformation_mode="asymmetric", nearest_mode="floor")

    x = stage(conv(conv("x", 3, 16, 6, 2, 2), 16, 32, 3, 2), 32, 32, 1)
    third = x = stage(conv(x, 32, 64, 3, 2), 64, 64, 2)
    fourth = x = stage(conv(x, 64, 128, 3, 2), 128, 128, 3)
    x = stage(conv(x, 128, 256, 3, 2), 256, 256, 1)
    pools = [conv(x, 256, 128, 1)]
    for _ in range(3):
        pools.append(g.node("MaxPool", pools[-1], kernel_shape=[5, 5], strides=[1, 1], pads=[2, 2, 2, 2]))
    fifth = conv(conv(g.node("Concat", *pools, axis=1), 512, 256, 1), 256, 128, 1)
    x = stage(g.node("Concat", larger(fifth), fourth, axis=1), 256, 128, 1)
    middle = conv(x, 128, 64, 1)
    near = stage(g.node("Concat", larger(middle), third, axis=1), 128, 64, 1)
    mid = stage(g.node("Concat", conv(near, 64, 64, 3, 2), middle, axis=1), 128, 128, 1)
    far = stage(g.node("Concat", conv(mid, 128, 128, 3, 2), fifth, axis=1), 256, 256, 1)
    boxes = []
    for x, channels, size in ((near, 64, 40), (mid, 128, 20), (far, 256, 10)):
        x = g.transpose(g.reshape(g.conv(x, channels, 255, 1), 1, 3, 85, size, size), 0, 1, 3, 4, 2)
        boxes.append(g.reshape(g.activation(x, "sigmoid"), 1, 3 * size * size, 85))
    return g.node("Concat", *boxes, axis=1)


def convnext(g):
    """Half as wide as the tiny one, ten blocks."""
    def norm(x, channels):
        return g.transpose(g.norm(g.transpose(x, 0, 2, 3, 1), channels), 0, 3, 1, 2)

    x, channels = norm(g.conv("x", 3, 48, 4, 4, pad=0), 48), 48
    for outputs, count in ((48, 2), (96, 2), (192, 4), (384, 2)):
        if outputs != channels:
            x, channels = g.conv(norm(x, channels), channels, outputs, 2, 2, pad=0), outputs
        for _ in range(count):
            y = g.norm(g.transpose(g.conv(x, channels, channels, 7, 1, channels), 0, 2, 3, 1), channels)
            y = g.node("Mul", g.mlp(y, channels), g.row(channels, 0.1))
            x = g.node("Add", x, g.transpose(y, 0, 3, 1, 2))
    return g.classes(g.node("ReduceMean", x, axes=[2, 3], keepdims=0), 384)


def attention(g, x, images, rows, heads, head, bias=None):
    """Queries, keys and values as one product, as timm has them."""
    size = heads * head
    parts = g.transpose(g.reshape(g.linear(x, size, 3 * size), images, rows, 3, heads, head), 2, 0, 3, 1, 4)
    query, key, value = (g.node("Gather", parts, g.constant(np.array(index, np.int64)), axis=0) for index in range(3))
    scores = g.node("MatMul", g.node("Mul", query, g.number(head ** -0.5)), g.transpose(key, 0, 1, 3, 2))
    if bias:
        scores = g.node("Add", scores, bias)
    x = g.transpose(g.node("MatMul", g.node("Softmax", scores, axis=-1), value), 0, 2, 1, 3)
    return g.linear(g.reshape(x, images, rows, size), size, size)


def vit(g):
    """The tiny one, four of its layers."""
    size, rows = 192, 197
    x = g.transpose(g.reshape(g.conv("x", 3, size, 16, 16, pad=0), 1, size, 196), 0, 2, 1)
    x = g.node("Concat", g.row((1, 1, size)), x, axis=1)
    x = g.node("Add", x, g.row((1, rows, size)))
    for _ in range(4):
        x = g.node("Add", x, attention(g, g.norm(x, size), 1, rows, 3, 64))
        x = g.node("Add", x, g.mlp(g.norm(x, size), size))
    return g.classes(g.node("Gather", g.norm(x, size), g.constant(np.array(0, np.int64)), axis=1), size)


def swin(g):
    """The first stage of the tiny one: windows of 7 x 7, those of the second block rolled by 3."""
    size, side, window = 96, 56, 7
    count, rows = side // window, window * window

    def rolled(x, by):
        for axis in (1, 2):
            cut, end = g.indices(by % side), g.indices(side)
            first = g.node("Slice", x, cut, end, g.indices(axis))
            x = g.node("Concat", first, g.node("Slice", x, g.indices(0), cut, g.indices(axis)), axis=axis)
        return x

    x = "x"
    for shift in (0, 3):
        y = g.reshape(g.norm(x, size), 1, side, side, size)
        y = rolled(y, shift) if shift else y
        y = g.transpose(g.reshape(y, 1, count, window, count, window, size), 0, 1, 3, 2, 4, 5)
        y = attention(g, g.reshape(y, count * count, rows, size), count * count, rows, 3, 32, g.row((1, 3, rows, rows)))
        y = g.transpose(g.reshape(y, 1, count, count, window, window, size), 0, 1, 3, 2, 4, 5)
        y = g.reshape(y, 1, side, side, size)
        y = rolled(y, -shift) if shift else y
        x = g.node("Add", x, g.reshape(y, 1, side * side, size))
        x = g.node("Add", x, g.mlp(g.norm(x, size), size))
    return x


def bert(g):
    """Three layers of 256, queries, keys and values apart; of embedded words."""
    size, rows, heads, head = 256, 128, 4, 64
    x = "x"
    for _ in range(3):
        query, key, value = (g.transpose(g.reshape(g.linear(x, size, size), 1, rows, heads, head), 0, 2, 1, 3) for _ in range(3))
        scores = g.node("Div", g.node("MatMul", query, g.transpose(key, 0, 1, 3, 2)), g.number(8))
        y = g.transpose(g.node("MatMul", g.node("Softmax", scores, axis=-1), value), 0, 2, 1, 3)
        x = g.norm(g.node("Add", x, g.linear(g.reshape(y, 1, rows, size), size, size)), size)
        x = g.norm(g.node("Add", x, g.mlp(x, size)), size)
    return x


IMAGE = [1, 3, 224, 224]
NETWORKS = {
    "mobilenet_v2": (mobilenet_v2, IMAGE), "mobilenet_v3": (mobilenet_v3, IMAGE), "efficientnet_b0": (efficientnet_b0, IMAGE),
    "resnet18": (resnet18, IMAGE), "unet": (unet, [1, 3, 256, 256]), "yolo_v5": (yolo_v5, [1, 3, 320, 320]), "convnext": (convnext, IMAGE),
    "vit": (vit, IMAGE), "swin": (swin, [1, 3136, 96]), "bert": (bert, [1, 128, 256]),
}


def make(name):
    build, shape = NETWORKS[name]
    graph = Graph(name, shape)
    return graph.model(build(graph))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=NETWORKS)
    parser.add_argument("out")
    arguments = parser.parse_args()
    onnx.save(make(arguments.name), arguments.out)


if __name__ == "__main__":
    main()

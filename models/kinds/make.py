#!/usr/bin/env python3
"""Small networks of the kinds that users bring: video, audio, transformers, recurrent ones, detectors, several images at once.

  models/kinds/make.py NAME OUT.onnx [--samples DIR]
  models/kinds/make.py --all DIR

Written node by node as exporters write them, with seeded random weights, and small enough that all of them compile in seconds. They are what
the cycles of INT8 are held against F16's on (tests/models/int8_cycles_test.py). --samples writes seeded inputs for calibration; --all writes
every network as DIR/<name>.onnx and its samples in DIR/<name>.samples.
"""
import importlib.util
import pathlib

import numpy as np
from onnx import TensorProto

FOLDER = pathlib.Path(__file__).resolve().parent
_spec = importlib.util.spec_from_file_location("make_layouts", FOLDER.parent / "layouts" / "make.py")
layouts = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(layouts)


class Graph(layouts.Graph):
    """With the layers that these networks share."""

    def __init__(self, name):
        super().__init__(name)
        self.opset = 17

    def number(self, value):
        return self.array(f"n{len(self.constants)}", np.float32(value))

    def act(self, x, kind):
        if kind == "silu":
            return self.op("Mul", x, self.op("Sigmoid", x))
        if kind == "gelu":
            erf = self.op("Erf", self.op("Div", x, self.number(np.sqrt(2))))
            return self.op("Mul", self.op("Mul", x, self.op("Add", erf, self.number(1))), self.number(0.5))
        if kind == "hardswish":
            return self.op("HardSwish", x)
        return self.op(kind, x) if kind else x

    def layer(self, x, cin, cout, kernel=3, stride=1, act="Relu", group=1, dilation=1):
        """A convolution that keeps the size but for its stride, and what follows it."""
        kernel = [kernel] * 2 if isinstance(kernel, int) else kernel
        stride = [stride] * len(kernel) if isinstance(stride, int) else stride
        pads = [dilation * (k // 2) for k in kernel] * 2
        w, b = self.constant([cout, cin // group, *kernel]), self.constant([cout], 0.1)
        y = self.op("Conv", x, w, b, kernel_shape=kernel, strides=stride, pads=pads, group=group, dilations=[dilation] * len(kernel))
        return self.act(y, act)

    def norm(self, x, width):
        return self.op("LayerNormalization", x, self.constant([width], 0.2), self.constant([width], 0.1), axis=-1)

    def resize(self, x, factor, mode="linear"):
        scales = self.array(f"scales{len(self.constants)}", np.array([1, 1, factor, factor], np.float32))
        other = {"coordinate_transformation_mode": "half_pixel"} if mode == "linear" else {
            "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
        return self.op("Resize", x, "", scales, mode=mode, **other)

    def attention(self, x, images, rows, width, heads, mask=None):
        """Queries, keys and values of one product, cut as exporters cut it."""
        y = self.op("Reshape", self.linear(x, width, 3 * width), self.integers([images, rows, 3, heads, width // heads]))
        y = self.op("Transpose", y, perm=[2, 0, 3, 1, 4])
        q, k, v = (self.op("Gather", y, self.array(f"part{len(self.constants)}", np.array(i, np.int64)), axis=0) for i in range(3))
        scores = self.op("MatMul", self.op("Mul", q, self.number((width // heads) ** -0.5)), self.op("Transpose", k, perm=[0, 1, 3, 2]))
        scores = self.op("Add", scores, mask) if mask else scores
        y = self.op("Transpose", self.op("MatMul", self.op("Softmax", scores, axis=3), v), perm=[0, 2, 1, 3])
        return self.linear(self.op("Reshape", y, self.integers([images, rows, width])), width, width)

    def block(self, x, images, rows, width, heads, act="gelu", mask=None):
        """A layer of a transformer, norms before."""
        x = self.op("Add", x, self.attention(self.norm(x, width), images, rows, width, heads, mask))
        y = self.linear(self.act(self.linear(self.norm(x, width), width, 4 * width), act), 4 * width, width)
        return self.op("Add", x, y)

    def excite(self, x, channels, inner, act="silu"):
        y = self.op("GlobalAveragePool", x)
        y = self.layer(self.layer(y, channels, inner, 1, act=act), inner, channels, 1, act="Sigmoid")
        return self.op("Mul", x, y)

    def classes(self, x, channels, count):
        self.output(self.linear(self.op("Flatten", self.op("GlobalAveragePool", x), axis=1), channels, count))


def superres(g, images=1, channels=32, factor=3):
    """Residual blocks, then pixels out of channels, beside the picture made larger."""
    x = g.input("x", [images, 3, 64, 64])
    y = first = g.layer(x, 3, channels, 5)
    for _ in range(3):
        y = g.op("Add", y, g.layer(g.layer(y, channels, channels), channels, channels, act=None))
    y = g.layer(g.op("Add", y, first), channels, 3 * factor * factor, act=None)
    g.output(g.op("Add", g.op("DepthToSpace", y, blocksize=factor, mode="CRD"), g.resize(x, factor)))


def superres_gray(g):
    """ESPCN: tanh and one channel."""
    y = g.layer(g.input("x", [1, 1, 112, 112]), 1, 64, 5, act="Tanh")
    y = g.layer(g.layer(y, 64, 32, act="Tanh"), 32, 9, act=None)
    g.output(g.op("DepthToSpace", y, blocksize=3, mode="CRD"))


def r2plus1d(g, images):
    """Video: convolutions over the plane, then over time."""
    def pair(x, cin, cout, stride=1):
        y = g.layer(x, cin, cout, [1, 3, 3], [1, stride, stride])
        return g.layer(y, cout, cout, [3, 1, 1], [stride, 1, 1], act=None)

    y = g.layer(g.input("x", [images, 3, 8, 56, 56]), 3, 24, [1, 7, 7], [1, 2, 2])
    y, channels = g.layer(y, 24, 32, [3, 1, 1]), 32
    for wide, stride in ((32, 1), (64, 2)):
        z = pair(g.op("Relu", pair(y, channels, wide, stride)), wide, wide)
        skip = g.layer(y, channels, wide, [1, 1, 1], stride, act=None) if stride > 1 else y
        y, channels = g.op("Relu", g.op("Add", z, skip)), wide
    g.output(g.linear(g.op("Flatten", g.op("GlobalAveragePool", y), axis=1), channels, 20))


def shufflenet(g, images):
    """Units of two branches whose channels are interleaved."""
    def shuffle(x, channels, side):
        x = g.op("Reshape", x, g.integers([images, 2, channels // 2, side, side]))
        return g.op("Reshape", g.op("Transpose", x, perm=[0, 2, 1, 3, 4]), g.integers([images, channels, side, side]))

    y = g.layer(g.input("x", [images, 3, 96, 96]), 3, 24, 3, 2)
    y, channels, side = g.op("MaxPool", y, kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4), 24, 24
    for wide, units in ((116, 3), (232, 3)):
        half, side = wide // 2, side // 2
        left = g.layer(g.layer(y, channels, channels, 3, 2, act=None, group=channels), channels, half, 1)
        right = g.layer(g.layer(y, channels, half, 1), half, half, 3, 2, act=None, group=half)
        y = shuffle(g.op("Concat", left, g.layer(right, half, half, 1), axis=1), wide, side)
        for _ in range(units - 1):
            left, right = g.op("Split", y, g.integers([half, half]), outputs=2, axis=1)
            right = g.layer(g.layer(right, half, half, 1), half, half, 3, act=None, group=half)
            y = shuffle(g.op("Concat", left, g.layer(right, half, half, 1), axis=1), wide, side)
        channels = wide
    g.classes(g.layer(y, channels, 512, 1), 512, 100)


def efficientnet(g, images, act="silu"):
    """Inverted bottlenecks with squeeze and excitation."""
    y, channels = g.layer(g.input("x", [images, 3, 96, 96]), 3, 16, 3, 2, act=act), 16
    for wide, kernel, stride, repeats in ((16, 3, 1, 1), (24, 3, 2, 2), (40, 5, 2, 2), (80, 3, 2, 2)):
        for number in range(repeats):
            inner = channels * (4 if channels > 16 else 1)
            z = g.layer(y, channels, inner, 1, act=act) if inner != channels else y
            z = g.layer(z, inner, inner, kernel, stride if number == 0 else 1, act=act, group=inner)
            z = g.layer(g.excite(z, inner, max(8, channels // 4), act), inner, wide, 1, act=None)
            y = g.op("Add", y, z) if wide == channels and (stride == 1 or number) else z
            channels = wide
    g.classes(g.layer(y, channels, 320, 1, act=act), 320, 100)


def mixer(g, images=1):
    """MLPs over places, then over channels."""
    width, side = 128, 12
    rows = side * side
    y = g.conv(g.input("x", [images, 3, 96, 96]), 3, width, 8, 8, pad=0, relu=False)
    y = g.op("Transpose", g.op("Reshape", y, g.integers([images, width, rows])), perm=[0, 2, 1])
    for _ in range(2):
        z = g.op("Transpose", g.norm(y, width), perm=[0, 2, 1])
        z = g.linear(g.act(g.linear(z, rows, 64), "gelu"), 64, rows)
        y = g.op("Add", y, g.op("Transpose", z, perm=[0, 2, 1]))
        y = g.op("Add", y, g.linear(g.act(g.linear(g.norm(y, width), width, 2 * width), "gelu"), 2 * width, width))
    g.output(g.linear(g.op("ReduceMean", g.norm(y, width), axes=[1], keepdims=0), width, 50))


def mel_network(g, power, bins, frames, mels=40):
    """The logarithm of a mel spectrum, and a small network on it. `power`: 1 x bins x frames."""
    y = g.op("MatMul", g.array("mel", np.abs(np.random.default_rng(3).standard_normal((mels, bins))).astype(np.float32) / bins), power)
    y = g.op("Log", g.op("Add", y, g.number(1e-5)))
    y = g.op("Reshape", y, g.integers([1, 1, mels, frames]))
    y = g.layer(g.layer(g.layer(y, 1, 16, 3, 2), 16, 32, 3, 2), 32, 64, 3, 2)
    g.classes(y, 64, 12)


def fourier(bins, length, window):
    angles = 2 * np.pi * np.outer(np.arange(bins), np.arange(length)) / length
    return np.concatenate([np.cos(angles), -np.sin(angles)]).astype(np.float32) * window


def audio_stft(g):
    """Frames and their Fourier transform by a convolution with a stride."""
    length, hop, bins = 400, 160, 201
    basis = fourier(bins, length, np.hanning(length).astype(np.float32))
    x = g.input("x", [1, 1, 16000])
    frames = (16000 - length) // hop + 1
    y = g.op("Conv", x, g.array("basis", basis[:, None, :]), kernel_shape=[length], strides=[hop])
    real, imaginary = g.op("Split", y, g.integers([bins, bins]), outputs=2, axis=1)
    mel_network(g, g.op("Add", g.op("Mul", real, real), g.op("Mul", imaginary, imaginary)), bins, frames)


def audio_slices(g):
    """Frames cut out of the signal in pieces of one hop, as torch's unfold is exported."""
    hop, count, bins = 64, 30, 65
    x = g.input("x", [1, (count + 1) * hop])
    def cut(begin):
        return g.op("Reshape", g.op("Slice", x, g.integers([begin * hop]), g.integers([(begin + count) * hop]), g.integers([1])),
                    g.integers([1, count, hop]))
    y = g.op("Concat", cut(0), cut(1), axis=2)
    y = g.op("MatMul", y, g.array("basis", fourier(bins, 2 * hop, np.hanning(2 * hop).astype(np.float32)).T.copy()))
    real, imaginary = g.op("Split", y, g.integers([bins, bins]), outputs=2, axis=2)
    power = g.op("Add", g.op("Mul", real, real), g.op("Mul", imaginary, imaginary))
    mel_network(g, g.op("Transpose", power, perm=[0, 2, 1]), bins, count)


def wave_net(g):
    """Dilated convolutions on the raw signal, gated."""
    y = g.layer(g.input("x", [1, 1, 4000]), 1, 32, [3], act=None)
    total = None
    for dilation in (1, 2, 4, 8):
        z = g.layer(y, 32, 64, [3], act=None, dilation=dilation)
        left, right = g.op("Split", z, g.integers([32, 32]), outputs=2, axis=1)
        z = g.op("Mul", g.op("Tanh", left), g.op("Sigmoid", right))
        skip = g.layer(z, 32, 32, [1], act=None)
        total = g.op("Add", total, skip) if total else skip
        y = g.op("Add", y, g.layer(z, 32, 32, [1], act=None))
    g.output(g.layer(g.op("Relu", total), 32, 32, [1]))


def mobile(g, images, act):
    """Depthwise and pointwise convolutions."""
    y, channels = g.layer(g.input("x", [images, 3, 112, 112]), 3, 16, 3, 2, act=act), 16
    for wide, stride in ((32, 1), (64, 2), (64, 1), (128, 2), (128, 1), (256, 2)):
        y = g.layer(g.layer(y, channels, channels, 3, stride, act=act, group=channels), channels, wide, 1, act=act)
        channels = wide
    g.classes(y, channels, 100)


def convnext(g, images=1):
    width, side = 64, 24
    y = g.conv(g.input("x", [images, 3, 96, 96]), 3, width, 4, 4, pad=0, relu=False)
    for _ in range(3):
        z = g.op("Transpose", g.layer(y, width, width, 7, act=None, group=width), perm=[0, 2, 3, 1])
        z = g.linear(g.act(g.linear(g.norm(z, width), width, 4 * width), "gelu"), 4 * width, width)
        y = g.op("Add", y, g.op("Transpose", z, perm=[0, 3, 1, 2]))
    g.classes(y, width, 50)


def vit(g, images):
    width, side = 192, 8
    rows = side * side
    y = g.conv(g.input("x", [images, 3, 128, 128]), 3, width, 16, 16, pad=0, relu=False)
    y = g.op("Transpose", g.op("Reshape", y, g.integers([images, width, rows])), perm=[0, 2, 1])
    y = g.op("Add", y, g.constant([1, rows, width], 0.1))
    for _ in range(2):
        y = g.block(y, images, rows, width, 3)
    g.output(g.linear(g.op("ReduceMean", g.norm(y, width), axes=[1], keepdims=0), width, 100))


def text_encoder(g, images=1):
    """Tokens, a mask, norms behind."""
    rows, width = 48, 128
    y = g.op("Gather", g.constant([1000, width], 1.0), g.input("tokens", [images, rows], TensorProto.INT64), axis=0)
    y = g.norm(g.op("Add", y, g.constant([1, rows, width], 0.1)), width)
    mask = g.op("Mul", g.op("Sub", g.number(1), g.input("mask", [images, 1, 1, rows])), g.number(-100))
    for _ in range(2):
        y = g.norm(g.op("Add", y, g.attention(y, images, rows, width, 4, mask)), width)
        z = g.linear(g.act(g.linear(y, width, 4 * width), "gelu"), 4 * width, width)
        y = g.norm(g.op("Add", y, z), width)
    g.output(y)


def gpt(g, rows=32):
    width = 128
    y = g.op("Gather", g.constant([1000, width], 1.0), g.input("tokens", [1, rows], TensorProto.INT64), axis=0)
    mask = g.array("causal", np.triu(np.full((1, 1, rows, rows), -100, np.float32), 1))
    for _ in range(2):
        y = g.block(y, 1, rows, width, 4, mask=mask)
    g.output(g.op("MatMul", g.norm(y, width), g.constant([width, 1000], width**-0.5)))


def window_transformer(g):
    side, window, width, heads = 28, 7, 96, 3
    count, rows = side // window, window * window
    x = g.input("x", [1, side * side, width])
    y = g.op("Reshape", g.norm(x, width), g.integers([1, count, window, count, window, width]))
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 1, 3, 2, 4, 5]), g.integers([count * count, rows, width]))
    y = g.attention(y, count * count, rows, width, heads)
    y = g.op("Reshape", y, g.integers([1, count, count, window, window, width]))
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 1, 3, 2, 4, 5]), g.integers([1, side * side, width]))
    y = g.op("Add", x, y)
    g.output(g.op("Add", y, g.linear(g.act(g.linear(g.norm(y, width), width, 4 * width), "gelu"), 4 * width, width)))


def unet(g, images, act="Relu", mode="linear"):
    x, skips, channels = g.layer(g.input("x", [images, 3, 96, 96]), 3, 16, act=act), [], 16
    for _ in range(3):
        skips.append(x)
        x = g.layer(g.op("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2]), channels, 2 * channels, act=act)
        channels *= 2
    for skip in reversed(skips):
        x = g.op("Concat", skip, g.resize(x, 2, mode), axis=1)
        x = g.layer(x, channels + channels // 2, channels // 2, act=act)
        channels //= 2
    g.output(g.layer(x, channels, 4, 1, act="Sigmoid"))


def deeplab(g, images=1):
    """Dilated branches and a pooled one, joined and made larger."""
    y = low = g.layer(g.layer(g.input("x", [images, 3, 128, 128]), 3, 16, 3, 2), 16, 24, 3, 2)
    y = g.layer(g.layer(y, 24, 48, 3, 2), 48, 64, 3)
    branches = [g.layer(y, 64, 32, 1)] + [g.layer(y, 64, 32, 3, dilation=d) for d in (2, 4, 6)]
    pooled = g.layer(g.op("GlobalAveragePool", y), 64, 32, 1)
    branches.append(g.op("Resize", pooled, "", "", g.integers([images, 32, 16, 16]), mode="linear", coordinate_transformation_mode="half_pixel"))
    y = g.resize(g.layer(g.op("Concat", *branches, axis=1), 160, 48, 1), 2)
    y = g.layer(g.op("Concat", y, g.layer(low, 24, 16, 1), axis=1), 64, 48, 3)
    g.output(g.resize(g.layer(y, 48, 10, 1, act=None), 4))


def bifpn(g, images=1):
    """Weighted sums of maps of several sizes, SiLU and depthwise heads."""
    width, feats, y, cin = 48, [], g.layer(g.input("x", [images, 3, 128, 128]), 3, 16, 3, 2, act="silu"), 16
    for cout in (32, 48, 64, 80):
        y, cin = g.layer(y, cin, cout, 3, 2, act="silu"), cout
        feats.append(g.layer(y, cout, width, 1, act=None))

    def fuse(*maps):
        weighted = [g.op("Mul", m, g.number(w)) for m, w in zip(maps, (0.4, 0.6, 0.3))]
        total = weighted[0]
        for one in weighted[1:]:
            total = g.op("Add", total, one)
        y = g.layer(g.act(total, "silu"), width, width, 3, act=None, group=width)
        return g.layer(y, width, width, 1, act=None)

    down = [feats[-1]]
    for feat in reversed(feats[:-1]):
        down.append(fuse(feat, g.resize(down[-1], 2, "nearest")))
    down.reverse()
    up = [down[0]]
    for feat, middle in zip(feats[1:], down[1:]):
        pooled = g.op("MaxPool", up[-1], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
        up.append(fuse(feat, middle, pooled))
    for feat in up[:3]:
        y = g.act(g.layer(g.layer(feat, width, width, 3, act=None, group=width), width, width, 1, act=None), "silu")
        g.output(g.layer(y, width, 18, 1, act="Sigmoid"))


def yolo(g, images, focus=True):
    x = g.input("x", [images, 3, 160, 160])
    if focus:
        def part(row, column):
            y = g.op("Slice", x, g.integers([row]), g.integers([160]), g.integers([2]), g.integers([2]))
            return g.op("Slice", y, g.integers([column]), g.integers([160]), g.integers([3]), g.integers([2]))
        y = g.layer(g.op("Concat", *(part(r, c) for r, c in ((0, 0), (1, 0), (0, 1), (1, 1))), axis=1), 12, 16, act="silu")
    else:
        y = g.layer(x, 3, 16, 3, 2, act="silu")
    skip = layouts.branches(g, g.layer(y, 16, 32, 3, 2, act="silu"), 32, 32)
    y = layouts.branches(g, g.layer(skip, 32, 64, 3, 2, act="silu"), 64, 64)
    wide = layouts.branches(g, g.op("Concat", g.resize(y, 2, "nearest"), skip, axis=1), 96, 32)
    for feat, channels, side in ((wide, 32, 40), (y, 64, 20)):
        z = g.op("Reshape", g.layer(feat, channels, 3 * 15, 1, act=None), g.integers([images, 3, 15, side, side]))
        z = g.op("Sigmoid", g.op("Transpose", z, perm=[0, 1, 3, 4, 2]))
        g.output(g.op("Reshape", z, g.integers([images, 3 * side * side, 15])))


def centers(g, images):
    """A detector with transposed convolutions and three heads."""
    y, channels = g.layer(g.input("x", [images, 3, 128, 128]), 3, 16, 3, 2), 16
    for wide in (32, 64, 128):
        y, channels = g.layer(y, channels, wide, 3, 2), wide
    for wide in (64, 32):
        w, b = g.constant([channels, wide, 4, 4], 0.05), g.constant([wide], 0.1)
        y = g.op("Relu", g.op("ConvTranspose", y, w, b, kernel_shape=[4, 4], strides=[2, 2], pads=[1] * 4))
        channels = wide
    for count, act in ((10, "Sigmoid"), (2, None), (2, None)):
        g.output(g.layer(g.layer(y, channels, 32), 32, count, 1, act=act))


def crnn(g, images):
    """Columns of a text line through a recurrent layer."""
    y = g.layer(g.input("x", [images, 1, 32, 128]), 1, 16)
    y = g.op("MaxPool", y, kernel_shape=[2, 2], strides=[2, 2])
    y = g.op("MaxPool", g.layer(y, 16, 32), kernel_shape=[2, 2], strides=[2, 2])
    y = g.op("MaxPool", g.layer(y, 32, 64), kernel_shape=[8, 1], strides=[8, 1])
    y = g.op("Transpose", g.op("Squeeze", y, g.integers([2])), perm=[2, 0, 1])
    hidden = 48
    y = g.op("LSTM", y, g.constant([2, 4 * hidden, 64], 0.1), g.constant([2, 4 * hidden, hidden], 0.1), g.constant([2, 8 * hidden], 0.1),
             outputs=3, hidden_size=hidden, direction="bidirectional")[0]
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.integers([32, images, 2 * hidden]))
    g.output(g.op("Softmax", g.linear(y, 2 * hidden, 60), axis=2))


def gru(g, images=1):
    steps, width, hidden = 16, 40, 64
    y = g.op("GRU", g.input("x", [steps, images, width]), g.constant([1, 3 * hidden, width], 0.15), g.constant([1, 3 * hidden, hidden], 0.15),
             g.constant([1, 6 * hidden], 0.1), outputs=2, hidden_size=hidden, linear_before_reset=1)[0]
    y = g.op("Reshape", y, g.integers([steps, images, hidden]))
    g.output(g.linear(g.act(g.linear(y, hidden, 128), "Relu"), 128, 30))


def speech(g):
    """Convolutions that shorten, then layers of a transformer with depthwise convolutions."""
    rows, width = 50, 144
    y = g.op("Unsqueeze", g.input("x", [1, 200, 80]), g.integers([1]))
    y = g.layer(g.layer(y, 1, 32, 3, 2), 32, 32, 3, 2)
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.integers([1, rows, 32 * 20]))
    y = g.linear(y, 640, width)
    for _ in range(2):
        y = g.op("Add", y, g.attention(g.norm(y, width), 1, rows, width, 4))
        z = g.op("Transpose", g.linear(g.norm(y, width), width, 2 * width), perm=[0, 2, 1])
        left, right = g.op("Split", z, g.integers([width, width]), outputs=2, axis=1)
        z = g.layer(g.op("Mul", left, g.op("Sigmoid", right)), width, width, [15], act="silu", group=width)
        y = g.op("Add", y, g.linear(g.op("Transpose", z, perm=[0, 2, 1]), width, width))
        y = g.op("Add", y, g.linear(g.act(g.linear(g.norm(y, width), width, 4 * width), "silu"), 4 * width, width))
    g.output(g.op("Softmax", g.linear(y, width, 200), axis=2))


def dense(g, images=1):
    """Each layer reads what all before it gave."""
    y, channels = g.layer(g.input("x", [images, 3, 96, 96]), 3, 24, 3, 2), 24
    for _ in range(2):
        for _ in range(4):
            z = g.op("Relu", g.op("Mul", y, g.constant([1, channels, 1, 1], 1.0)))
            y = g.op("Concat", y, g.layer(g.layer(z, channels, 48, 1), 48, 12, act=None), axis=1)
            channels += 12
        y = g.op("AveragePool", g.layer(y, channels, channels // 2, 1), kernel_shape=[2, 2], strides=[2, 2])
        channels //= 2
    g.classes(y, channels, 50)


def residual(g, images, channels=32):
    y = g.layer(g.input("x", [images, 3, 96, 96]), 3, channels, 7, 2)
    for wide, stride in ((channels, 1), (2 * channels, 2), (4 * channels, 2)):
        z = g.layer(g.layer(y, channels, wide, 3, stride), wide, wide, act=None)
        skip = g.layer(y, channels, wide, 1, stride, act=None) if wide != channels or stride > 1 else y
        y, channels = g.op("Relu", g.op("Add", z, skip)), wide
    g.classes(y, channels, 100)


def mlp(g, images):
    y, width = g.input("x", [images, 64]), 64
    for wide in (256, 256, 128, 10):
        y, width = g.linear(y, width, wide), wide
        y = g.op("Relu", y) if wide > 10 else y
    g.output(y)


def style(g):
    """Instance norms, reflected borders, nearest resizes."""
    y, channels = g.input("x", [1, 3, 64, 64]), 3

    def step(y, made, kernel, stride, relu=True):
        edge = kernel // 2
        y = g.op("Pad", y, g.integers([0, 0, edge, edge] * 2), mode="reflect")
        y = g.conv(y, channels, made, kernel, stride=stride, pad=0, relu=False)
        y = g.op("InstanceNormalization", y, g.constant([made], 0.5), g.constant([made], 0.1))
        return g.op("Relu", y) if relu else y

    for made, kernel, stride in ((16, 9, 1), (32, 3, 2), (64, 3, 2)):
        y, channels = step(y, made, kernel, stride), made
    y = g.op("Add", y, step(step(y, 64, 3, 1), 64, 3, 1, relu=False))
    for made in (32, 16):
        y, channels = step(g.resize(y, 2, "nearest"), made, 3, 1), made
    g.output(g.layer(y, channels, 3, 9, act="Tanh"))


def points(g):
    """A network on points: shared layers, a maximum, and back."""
    rows = 512
    y = g.input("x", [1, 3, rows])
    for cin, cout in ((3, 32), (32, 64), (64, 128)):
        y = g.layer(y, cin, cout, [1])
    top = g.op("Expand", g.op("ReduceMax", y, axes=[2]), g.integers([1, 128, rows]))
    y = g.layer(g.op("Concat", y, top, axis=1), 256, 64, [1])
    g.output(g.op("Softmax", g.layer(y, 64, 13, [1], act=None), axis=1))


def of(network, *arguments, **options):
    return lambda g: network(g, *arguments, **options)


NETWORKS = {f.__name__: f for f in (superres, superres_gray, mixer, audio_stft, audio_slices, wave_net, convnext, text_encoder, gpt,
                                    window_transformer, deeplab, bifpn, gru, speech, dense, style, points)}
NETWORKS |= {
    "superres_b4": of(superres, 4, 16, 2), "r2plus1d": of(r2plus1d, 1), "r2plus1d_b4": of(r2plus1d, 4), "shufflenet": of(shufflenet, 1),
    "shufflenet_b4": of(shufflenet, 4), "efficientnet": of(efficientnet, 1), "efficientnet_b4": of(efficientnet, 4), "mixer_b4": of(mixer, 4),
    "mobile_silu": of(mobile, 1, "silu"), "mobile_b4": of(mobile, 4, "Relu"), "mobile_gelu": of(mobile, 1, "gelu"), "convnext_b4": of(convnext, 4),
    "vit": of(vit, 1), "vit_b4": of(vit, 4), "text_encoder_b4": of(text_encoder, 4), "unet": of(unet, 1), "unet_b4": of(unet, 4),
    "unet_silu": of(unet, 1, "silu"), "deeplab_b4": of(deeplab, 4), "bifpn_b4": of(bifpn, 4), "yolo": of(yolo, 1), "yolo_b4": of(yolo, 4, False),
    "centers": of(centers, 1), "centers_b4": of(centers, 4), "crnn": of(crnn, 1), "crnn_b4": of(crnn, 4), "gru_b4": of(gru, 4),
    "residual": of(residual, 1), "residual_b4": of(residual, 4, 24), "mlp": of(mlp, 1), "mlp_b64": of(mlp, 64)}


def make(name):
    graph = Graph(name)
    NETWORKS[name](graph)
    return graph.model()


def write_samples(folder, model):
    layouts.write_samples(folder, model, tokens=1000)


if __name__ == "__main__":
    layouts.main(NETWORKS, make, write_samples, __doc__)

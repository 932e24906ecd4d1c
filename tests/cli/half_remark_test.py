#!/usr/bin/env python3
"""What `weft convert --precision f16` says of values that may leave f16, without a table; and that it is silent about usual networks.

  half_remark_test.py WEFT
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEFT = sys.argv[1]
SAYS = "is a power or product of values whose ranges are not known; where they leave f16 (65504), results are wrong: --calibration TABLE keeps wide values in f32"


class Net:
    def __init__(self, *shape):
        self.shape, self.nodes, self.constants, self.rng = shape, [], [], np.random.default_rng(0)

    def constant(self, value):
        self.constants.append(numpy_helper.from_array(np.asarray(value, np.float32), f"c{len(self.constants)}"))
        return self.constants[-1].name

    def __call__(self, kind, *inputs, **attributes):
        inputs = [one if isinstance(one, str) else self.constant(one) for one in inputs]
        self.nodes.append(helper.make_node(kind, inputs, [f"v{len(self.nodes)}"], **attributes))
        return self.nodes[-1].output[0]

    def conv(self, x, inner, outer, kernel=3, group=1, **attributes):
        weights = self.rng.standard_normal((outer, inner // group, kernel, kernel)) / (kernel * (inner // group) ** .5)
        x = self("Conv", x, weights, group=group, pads=[kernel // 2] * 4, **attributes)
        return self("BatchNormalization", x, np.ones(outer), np.zeros(outer), np.zeros(outer), np.ones(outer))

    def linear(self, x, inner, outer):
        return self("MatMul", x, self.rng.standard_normal((inner, outer)) / inner ** .5)

    def save(self, path):
        graph = helper.make_graph(self.nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)],
                                  [helper.make_tensor_value_info(self.nodes[-1].output[0], TensorProto.FLOAT, None)], self.constants)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


def resnet():
    net = Net(1, 3, 32, 32)
    x = net("Relu", net.conv("x", 3, 64))
    x = net("Relu", net("Add", x, net.conv(net("Relu", net.conv(x, 64, 64)), 64, 64)))
    net("Softmax", net("Gemm", net("Flatten", net("GlobalAveragePool", x)), net.rng.standard_normal((64, 10))))
    return net


def mobilenet():
    """v3: hard swish, gates of channels, relu6; and SiLU, GELU, Mish of its successors."""
    net = Net(1, 3, 32, 32)
    x = net("HardSwish", net.conv("x", 3, 64))
    x = net("Clip", net.conv(x, 64, 64, group=64), 0, 6)
    gate = net("GlobalAveragePool", x)
    gate = net("HardSigmoid", net.conv(net("Relu", net.conv(gate, 64, 16, 1)), 16, 64, 1), alpha=1 / 6)
    x = net("Mul", x, gate)
    x = net("Mul", x, net("Clip", net("Add", x, 3), 0, 6))
    x = net("Mul", x, net("Sigmoid", x))
    x = net("Mul", net("Mul", x, net("Add", net("Erf", net("Div", x, 2 ** .5)), 1)), .5)
    x = net("Mul", x, net("Tanh", net("Softplus", x)))
    net.conv(x, 64, 64, 1)
    return net


def transformer():
    """LayerNorm spelt out, attention, GELU."""
    net = Net(1, 16, 64)
    centred = net("Sub", "x", net("ReduceMean", "x", axes=[-1]))
    x = net("Div", centred, net("Sqrt", net("Add", net("ReduceMean", net("Pow", centred, 2), axes=[-1]), 1e-6)))
    scores = net("MatMul", net.linear(x, 64, 64), net("Transpose", net.linear(x, 64, 64), perm=[0, 2, 1]))
    x = net("MatMul", net("Softmax", net("Mul", scores, .125), axis=-1), net.linear(x, 64, 64))
    net.linear(x, 64, 64)
    return net


def detector():
    """Sizes of boxes as YOLOv5 has them: (2 sigmoid)^2 anchor."""
    net = Net(1, 3, 32, 32)
    s = net("Sigmoid", net.conv("x", 3, 64))
    net("Mul", net("Pow", net("Mul", s, 2), 2), net.rng.uniform(8, 300, (1, 64, 1, 1)))
    return net


def spectrum():
    net = Net(1, 1, 1, 1600)
    parts = [net("Conv", "x", net.rng.standard_normal((65, 1, 1, 128)), strides=[1, 64]) for _ in range(2)]
    power = net("Add", *(net("Pow", one, 2) for one in parts))
    net("Log", net("Add", net("MatMul", net("Transpose", power, perm=[0, 2, 3, 1]), np.abs(net.rng.standard_normal((65, 40)))), 1e-6))
    return net


class Remarks(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def said(self, make, *options):
        make().save(self.folder / "m.onnx")
        done = subprocess.run([WEFT, "convert", "m.onnx", "-o", "m.bmodel", *map(str, options)], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stderr

    def test_usual_networks_are_silent(self):
        for make in (resnet, mobilenet, transformer, detector):
            for precision in ("f16", "w8f16"):
                self.assertNotIn("remark", self.said(make, "--precision", precision), make.__name__)

    def test_powers_of_what_is_not_known(self):
        self.assertIn(SAYS, self.said(spectrum, "--precision", "f16"))
        for precision in ("f32", "bf16"):
            self.assertEqual(self.said(spectrum, "--precision", precision), "")
        samples = self.folder / "s.npz"
        np.savez(samples, x=np.random.default_rng(1).normal(0, 3000, (1, 1, 1, 1600)).astype(np.float32))
        said = self.said(spectrum, "--precision", "f16", "--calibration-data", samples)
        self.assertNotIn(SAYS, said)
        self.assertIn("beyond f16", said)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])

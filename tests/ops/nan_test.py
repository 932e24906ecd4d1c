#!/usr/bin/env python3
"""Where a NaN of an input stays one: as ONNX Runtime says, but for what docs/cli.md lists.

  nan_test.py WEFT DOCS_CLI_MD [-k PATTERN]

All functions of a graph read one x with one NaN, at every precision of floats.
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

WEFT, DOCS = sys.argv[1], pathlib.Path(sys.argv[2])
FUNCTIONS = ("Abs Neg Relu Exp Log Sqrt Sigmoid Tanh Erf Floor Ceil Round Sin Cos Atan Sinh Asinh Softplus Softsign Elu Selu Celu LeakyRelu HardSigmoid HardSwish "
             "ThresholdedRelu Shrink Mish Gelu Reciprocal Sign").split()
# What the chip does otherwise.
LOST = {"Max of values: second", "Min of values: first", "Softmax"}
MADE = {"ThresholdedRelu", "Shrink"}


class Graph:
    def __init__(self):
        self.nodes, self.constants, self.titles = [], {}, {}

    def constant(self, name, value):
        self.constants[name] = numpy_helper.from_array(np.asarray(value, np.float32), name)
        return name

    def add(self, title, *nodes):
        """Nodes (type, inputs, attributes); each but the last is read by the next as `_`."""
        for number, (kind, inputs, attributes) in enumerate(nodes):
            name = f"v{len(self.nodes)}"
            inputs = [f"v{len(self.nodes) - 1}" if one == "_" else one for one in inputs]
            self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        self.titles[name] = title

    def model(self, shape):
        infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("x", "z")]
        graph = helper.make_graph(self.nodes, "g", infos, [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in self.titles],
                                  list(self.constants.values()))
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)


def whole():
    g = Graph()
    rng = np.random.default_rng(0)
    zero, six, half = g.constant("zero", 0), g.constant("six", 6), g.constant("half", .5)
    row, weights = g.constant("row", np.linspace(0, 1, 8)), rng.standard_normal((4, 4, 3, 3))
    filters, own = g.constant("filters", weights), g.constant("own", weights[:, :1])
    ones, zeros = g.constant("ones", np.ones(4)), g.constant("zeros", np.zeros(4))
    for kind in FUNCTIONS:
        g.add(kind, (kind, ["x"], {}))
    g.add("Clip", ("Clip", ["x", zero, half], {}))
    g.add("Clip from below", ("Clip", ["x", half], {}))
    g.add("Clip from above", ("Clip", ["x", "", half], {}))
    for kind in ("Max", "Min"):
        g.add(f"{kind} of a number", (kind, ["x", half], {}))
        g.add(f"{kind} of a number: second", (kind, [half, "x"], {}))
        g.add(f"{kind} of a row", (kind, ["x", row], {}))
        g.add(f"{kind} of a row: second", (kind, [row, "x"], {}))
        # Max gives its second operand beside a NaN, Min its first.
        g.add(f"{kind} of values: " + ("second" if kind == "Max" else "none"), (kind, ["x", "z"], {}))
        g.add(f"{kind} of values: " + ("first" if kind == "Min" else "none"), (kind, ["z", "x"], {}))
    g.add("MaxPool", ("MaxPool", ["x"], {"kernel_shape": [2, 2], "strides": [2, 2]}))
    relu, relu6 = ("Relu", ["_"], {}), ("Clip", ["_", zero, six], {})
    for name, last in (("relu", relu), ("relu6", relu6)):
        g.add(f"Conv and {name}", ("Conv", ["x", filters], {"pads": [1] * 4}), last)
        g.add(f"depthwise Conv and {name}", ("Conv", ["x", own], {"pads": [1] * 4, "group": 4}), last)
        g.add(f"Add and {name}", ("Add", ["x", "z"], {}), last)
        g.add(f"norm and {name}", ("BatchNormalization", ["x", ones, zeros, zeros, ones], {}), last)
    g.add("MatMul and relu", ("MatMul", ["x", g.constant("matrix", rng.standard_normal((8, 8)))], {}), relu)
    g.add("Softmax", ("Softmax", ["x"], {}))
    return g


class NaN(unittest.TestCase):
    def test_it_stays(self):
        g, rng = whole(), np.random.default_rng(1)
        feeds = {name: rng.uniform(.2, .9, (1, 4, 8, 8)).astype(np.float32) for name in ("x", "z")}
        feeds["x"][0, 1, 2, 3] = np.nan
        # HardSwish and Gelu are functions of ONNX: the session computes what they are made of.
        session = onnxruntime.InferenceSession(g.model([1, 4, 8, 8]).SerializeToString(), providers=["CPUExecutionProvider"])
        wanted = dict(zip(g.titles, session.run(None, feeds)))
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            onnx.save(g.model([1, 4, 8, 8]), folder / "m.onnx")
            np.savez(folder / "in.npz", **feeds)
            for precision in ("f32", "f16", "bf16"):
                for arguments in (["convert", "m.onnx", "--precision", precision, "-o", "m.bmodel"], ["run", "m.bmodel", "--input", "in.npz", "-o", "out.npz"]):
                    done = subprocess.run([WEFT, *arguments], cwd=folder, capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr)
                got = np.load(folder / "out.npz")
                lost = {title for name, title in g.titles.items() if (np.isnan(wanted[name]) & ~np.isnan(got[name])).any()}
                made = {title for name, title in g.titles.items() if (~np.isnan(wanted[name]) & np.isnan(got[name])).any()}
                self.assertEqual(lost, LOST, precision)
                self.assertTrue({title for title in made if "Conv" not in title and "MatMul" not in title} <= MADE, (precision, made))

    def test_the_manual_says_so(self):
        line, = (line for line in DOCS.read_text().splitlines() if line.startswith("* NaN stays NaN in "))
        for words in ("relu, Clip, Relu6, HardSigmoid, HardSwish", "Max gives the second and Min the first", "Softmax of a row with NaN gives numbers",
                      "ThresholdedRelu and Shrink of NaN are NaN"):
            self.assertIn(words, line)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[3:])

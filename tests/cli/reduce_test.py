#!/usr/bin/env python3
"""`weft reduce` finds the few nodes that make a command fail, and says why when there is nothing to find.

  reduce_test.py WEFT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEFT = sys.argv[1]
# Fails with exit code 3 where a node is a Tanh whose input comes from a Conv; anything else is fine.
CHECK = """
import sys, onnx
graph = onnx.load(sys.argv[1]).graph
onnx.checker.check_model(onnx.load(sys.argv[1]))
conv = {node.output[0] for node in graph.node if node.op_type == "Conv"}
if any(node.op_type == "Tanh" and node.input[0] in conv for node in graph.node):
    print("found the pair")
    sys.exit(3)
"""


def long_model():
    """Chains of ops on both sides of the pair, with a branch around it."""
    nodes, weights, last = [], [], "x"
    for i in range(20):
        nodes.append(helper.make_node(["Relu", "Neg", "Abs"][i % 3], [last], [f"a{i}"], name=f"a{i}"))
        last = f"a{i}"
    weights.append(numpy_helper.from_array(np.ones((4, 4, 3, 3), np.float32), "w"))
    nodes += [helper.make_node("Conv", [last, "w"], ["c"], pads=[1, 1, 1, 1]), helper.make_node("Tanh", ["c"], ["t"]),
              helper.make_node("Add", ["t", last], ["s"])]
    last = "s"
    for i in range(15):
        nodes.append(helper.make_node("Sigmoid", [last], [f"b{i}" if i < 14 else "y"]))
        last = nodes[-1].output[0]
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 4, 5, 5]) for name in "xy"]
    graph = helper.make_graph(nodes, "long", infos[:1], infos[1:], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class Reduce(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.holder.name)
        onnx.save(long_model(), self.folder / "long.onnx")
        (self.folder / "check.py").write_text(CHECK)

    def tearDown(self):
        self.holder.cleanup()

    def reduce(self, check, *options, code=0):
        result = subprocess.run([WEFT, "reduce", self.folder / "long.onnx", "--check", check, "-o", self.folder / "small.onnx", *options],
                                capture_output=True, text=True, timeout=250)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr if code else result.stdout

    def test_the_pair_is_left(self):
        facts = json.loads(self.reduce(f"{sys.executable} {self.folder}/check.py {{}}", "--match", "found the pair", "--json"))
        small = onnx.load(self.folder / "small.onnx")
        onnx.checker.check_model(small)
        self.assertEqual([node.op_type for node in small.graph.node], ["Conv", "Tanh"])
        self.assertEqual((facts["nodes_before"], facts["nodes"]), (38, 2))
        self.assertFalse(small.graph.node[1].attribute)

    def test_a_refusal_of_weft(self):
        model = long_model()
        model.graph.node[21].op_type = "NoSuchOp"
        onnx.save(model, self.folder / "long.onnx")
        self.reduce(f"{WEFT} convert {{}} -o {self.folder}/x.bmodel", "--match", "NoSuchOp")
        self.assertEqual([node.op_type for node in onnx.load(self.folder / "small.onnx").graph.node], ["NoSuchOp"])

    def test_what_cannot_be_reduced(self):
        self.assertIn("--check succeeds on the whole model", self.reduce("true", code=2))
        self.assertIn("--check cannot be run (exit code 127)", self.reduce("no-such-program", code=2))
        self.assertIn("but its output has no 'abc'", self.reduce("false", "--match", "abc", code=2))

    def test_a_hang_is_a_failure_of_its_own(self):
        said = self.reduce("sleep 20; true", "--time-limit", "0.2", "--max-checks", "3")
        self.assertIn("after 3 checks", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

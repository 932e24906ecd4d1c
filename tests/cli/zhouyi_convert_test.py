#!/usr/bin/env python3
"""From ONNX to a program of vector operations and through every command.

  zhouyi_convert_test.py WEFT
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

WEFT = sys.argv.pop(1)


def weft(*arguments):
    return subprocess.run([WEFT, *map(str, arguments)], capture_output=True, timeout=200, text=True)


def small_cnn():
    """Conv, Relu, MaxPool, Conv, Add, Gemm: 13 channels and 9x7 pixels leave tails everywhere."""
    dice = np.random.default_rng(11)

    def weights(name, *shape):
        return numpy_helper.from_array((dice.standard_normal(shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32), name)

    nodes = [helper.make_node("Conv", ["x", "w1", "b1"], ["c1"], name="first", pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["c1"], ["r1"], name="relu"),
             helper.make_node("MaxPool", ["r1"], ["p1"], name="pool", kernel_shape=[2, 2], strides=[2, 2]),
             helper.make_node("Conv", ["p1", "w2", "b2"], ["c2"], name="second", pads=[1, 1, 1, 1]),
             helper.make_node("Add", ["c2", "p1"], ["a2"], name="skip"),
             helper.make_node("Flatten", ["a2"], ["f"], name="flatten"),
             helper.make_node("Gemm", ["f", "w3", "b3"], ["y"], name="classes", transB=1)]
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "cnn", [value("x", TensorProto.FLOAT, [1, 3, 9, 7])],
                              [value("y", TensorProto.FLOAT, [1, 10])],
                              [weights("w1", 13, 3, 3, 3), weights("b1", 13), weights("w2", 13, 13, 3, 3),
                               weights("b2", 13), weights("w3", 10, 13 * 4 * 3), weights("b3", 10)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


class Convert(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        onnx.save(small_cnn(), cls.folder / "m.onnx")
        dice = np.random.default_rng(12)
        (cls.folder / "samples").mkdir()
        for sample in range(4):
            np.savez(cls.folder / "samples" / f"{sample}.npz", x=dice.standard_normal((1, 3, 9, 7)).astype(np.float32))
        cls.input = cls.folder / "samples" / "0.npz"
        for target in ("zhouyi", "bm1684x"):
            cls.convert(target, f"m.{target}")

    @classmethod
    def convert(cls, target, name):
        result = weft("convert", cls.folder / "m.onnx", "-o", cls.folder / name, "--target", target, "--precision",
                      "int8", "--calibration-data", cls.folder / "samples")
        assert result.returncode == 0, result.stderr
        return (cls.folder / name).read_bytes()

    def outputs(self, name):
        result = weft("run", self.folder / name, "-i", self.input, "-o", self.folder / "out.npz")
        self.assertEqual(result.returncode, 0, result.stderr)
        return dict(np.load(self.folder / "out.npz"))

    def test_gives_the_bits_that_the_chip_gives(self):
        ours, chips = self.outputs("m.zhouyi"), self.outputs("m.bm1684x")
        self.assertEqual(list(ours), list(chips))
        self.assertEqual(ours["y"].dtype, chips["y"].dtype)
        self.assertEqual(ours["y"].tobytes(), chips["y"].tobytes())
        self.assertGreater(len(np.unique(ours["y"])), 3)

    def test_gives_the_same_file_every_time(self):
        self.assertEqual(self.convert("zhouyi", "again.zyp"), (self.folder / "m.zhouyi").read_bytes())

    def test_compares_with_onnx_layer_by_layer(self):
        result = weft("compare", self.folder / "m.onnx", self.folder / "m.zhouyi", "-i", self.input, "--per-layer",
                      "--json")
        told = json.loads(result.stdout)
        self.assertEqual((result.returncode, told["passed"]), (0, True), result.stderr)
        compared = {row["name"]: row for row in told["layers"]}
        for name in ("p1", "a2"):
            self.assertIn(name, compared)
            # 8 bits a value: far above what a value in a wrong layout or of a wrong scale gives.
            self.assertGreater(compared[name]["cosine"], 0.995, name)

    def test_names_the_nodes(self):
        commands = json.loads(weft("disasm", self.folder / "m.zhouyi", "--json").stdout)["commands"]
        nodes = {node for command in commands for node in command["nodes"]}
        for name in ("first", "second", "classes"):
            self.assertTrue(any(name in node for node in nodes), f"{name} of {sorted(nodes)}")
        told = json.loads(weft("info", self.folder / "m.zhouyi", "--json").stdout)
        words = told["nets"][0]["stages"][0]["instructions"]["by_name"]
        self.assertGreater(words["vqdpa"]["executed"], 100)


if __name__ == "__main__":
    unittest.main()

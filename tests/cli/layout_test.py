#!/usr/bin/env python3
"""`weft layout` as a user meets it: table, listing, JSON, exit codes and messages.

  layout_test.py WEFT CLI_DOCUMENT
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEFT, DOCUMENT = sys.argv[1], pathlib.Path(sys.argv[2])
KEYS = {"model", "target", "type", "note", "inputs", "moves", "bytes", "cycles", "cycles_per_second", "bandwidth_share"}
INPUT_KEYS = {"layer", "role", "value", "constant", "joined_groups", "layout", "axes", "sizes", "elements", "moved_elements", "tiles", "moves", "bytes",
              "cycles", "bandwidth_share"}
TILE_KEYS = {"origin", "sizes", "l1", "l1_bytes", "clears", "bytes", "cycles", "moves"}


def small_model():
    """A convolution with a stride of 3 and a window of 1, which leaves pixels unread, a batched product of two inputs, and a depthwise layer."""
    nodes = [helper.make_node("Conv", ["x", "w"], ["y"], strides=[3, 3]), helper.make_node("MatMul", ["a", "b"], ["z"]),
             helper.make_node("Conv", ["y", "d"], ["v"], group=20)]
    weights = [numpy_helper.from_array(np.ones(shape, np.float32), name) for name, shape in (("w", (20, 5, 1, 1)), ("d", (20, 1, 3, 3)))]
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)
              for name, shape in (("x", [1, 5, 7, 7]), ("a", [2, 40, 56]), ("b", [2, 56, 24]))]
    outputs = [helper.make_tensor_value_info("v", TensorProto.FLOAT, [1, 20, 1, 1]),
               helper.make_tensor_value_info("z", TensorProto.FLOAT, [2, 40, 24])]
    graph = helper.make_graph(nodes, "small", inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def quantized_model():
    """A QLinearConv, which becomes several operations around a convolution of floats."""
    names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"]
    nodes = [helper.make_node("QLinearConv", names, ["q"], name="stem"),
             helper.make_node("DequantizeLinear", ["q", "ys", "yz"], ["f"], name="widen"), helper.make_node("Conv", ["f", "v"], ["y"], name="head"),
             helper.make_node("Relu", ["y"], ["r"], name="act"), helper.make_node("Conv", ["r", "u"], ["o"], name="last")]
    weights = {"xs": np.float32(0.02), "xz": np.uint8(120), "w": np.arange(6 * 5 * 9, dtype=np.uint8).reshape(6, 5, 3, 3).astype(np.int8),
               "ws": np.float32(0.01), "wz": np.int8(0), "ys": np.float32(0.5), "yz": np.uint8(7), "v": np.ones((4, 6, 1, 1), np.float32),
               "u": np.ones((3, 4, 1, 1), np.float32)}
    graph = helper.make_graph(nodes, "quantized", [helper.make_tensor_value_info("x", TensorProto.UINT8, [1, 5, 9, 8])],
                              [helper.make_tensor_value_info("o", TensorProto.FLOAT, [1, 3, 7, 6])],
                              [numpy_helper.from_array(np.asarray(value), name) for name, value in weights.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def deep_model():
    """A grouped convolution with three spatial axes, which becomes one with two for each plane of the window."""
    graph = helper.make_graph([helper.make_node("Conv", ["x", "w"], ["y"], name="deep", pads=[1] * 6, group=3)], "deep",
                              [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 5, 6, 7])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, 3, 5, 6, 7])],
                              [numpy_helper.from_array(np.arange(81, dtype=np.float32).reshape(3, 1, 3, 3, 3), "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def weft(*arguments):
    return subprocess.run([WEFT, "layout", *map(str, arguments)], capture_output=True, text=True, timeout=60)


class Layout(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.model = pathlib.Path(cls.folder.name) / "small.onnx"
        onnx.save(small_model(), cls.model)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_table(self):
        run = weft(self.model, "--check")
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        lines = run.stdout.splitlines()
        # Of 20 groups of one channel 10 fill a block of 16 best: 20 is the next divisor.
        self.assertEqual([line.split()[:5] for line in lines[1:7]],
                         [["y", "input", "NC1HWC0", "1x1x1x7x7x5", "-"], ["y", "filter", "FRACTAL_Z", "1x1x20x1x1x5", "-"],
                          ["z", "lhs", "NZ", "2x40x56", "-"], ["z", "rhs", "NZ", "2x56x24", "-"],
                          ["v", "input", "NC1HWC0", "2x1x1x3x3x10", "10"], ["v", "filter", "FRACTAL_Z", "2x1x10x3x3x10", "10"]])
        self.assertTrue(all(line.endswith("  equal") for line in lines[1:7]))
        self.assertTrue(lines[7].startswith("6 inputs in f16 on ascend-a2: 6 tiles, 7 moves, "))
        self.assertEqual(lines[8], "check: 6 inputs equal, 0 differ")

    def test_groups_on_their_own(self):
        run = weft(self.model, "--check", "--separate-groups")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual([line.split()[:5] for line in run.stdout.splitlines()[5:7]],
                         [["v", "input", "NC1HWC0", "20x1x1x3x3x1", "-"], ["v", "filter", "FRACTAL_Z", "20x1x1x3x3x1", "-"]])

    def test_moves_one_a_line(self):
        text = weft(self.model, "--moves").stdout
        self.assertIn("\nz lhs: NZ\n  tile 0 b=0+2 m=0+40 k=0+56 l1=0+12288 cycles=", text)
        self.assertIn("\n    copy_gm_to_cbuf_multi_nd2nz_b16 dst=0x0 src=0x0 sid=0 ndNum=2 nValue=40 dValue=56 srcNdMatrixStride=2240 "
                      "srcDValue=56 dstNzC0Stride=48 dstNzNStride=1 dstNzMatrixStride=3072\n", text)
        # The product sums over K: the 8 rows behind 56 are cleared.
        self.assertRegex(text, r"z rhs: NZ\n  tile 0 [^\n]*\n    clear\n    copy_gm_to_cbuf_multi_nd2nz_b16 ")
        wide = weft(self.model, "--moves", "--type", "f32").stdout
        self.assertRegex(wide, r"z rhs: ZZ\n  tile 0 [^\n]*\n    clear\n    copy_gm_to_cbuf_multi_nd2nz_b32s ")

    def test_json(self):
        for name, element_bytes in (("f16", 2), ("bf16", 2), ("int8", 1), ("f32", 4)):
            run = weft(self.model, "--json", "--check", "--moves", "--type", name)
            self.assertEqual(run.returncode, 0, run.stderr)
            report = json.loads(run.stdout)
            self.assertEqual(set(report), KEYS | {"different_inputs"})
            for row in report["inputs"]:
                self.assertEqual(set(row), INPUT_KEYS | {"equal", "difference", "plan"})
                self.assertEqual(sum(len(tile["moves"]) for tile in row["plan"]), row["moves"])
                self.assertEqual(sum(tile["bytes"] for tile in row["plan"]), row["bytes"])
                self.assertEqual(sum(tile["cycles"] for tile in row["plan"]), row["cycles"])
                self.assertEqual({frozenset(tile) for tile in row["plan"]}, {frozenset(TILE_KEYS)})
            self.assertEqual(sum(row["bytes"] for row in report["inputs"]), report["bytes"])
            feature = report["inputs"][0]
            # Rows and columns 0 to 6 hold all that is read; what lies between is moved with it.
            self.assertEqual(feature["moved_elements"], 7 * 7 * 5)
            self.assertEqual(feature["bytes"], 7 * 7 * 5 * element_bytes)
            self.assertEqual([row["constant"] for row in report["inputs"]], [False, True, False, False, False, True])
        self.assertEqual(set(json.loads(weft(self.model, "--json").stdout)), KEYS)

    def test_layers_of_composed_nodes(self):
        model = self.model.with_name("deep.onnx")
        onnx.save(deep_model(), model)
        rows = json.loads(weft(model, "--json").stdout)["inputs"]
        self.assertEqual([(row["layer"], row["role"]) for row in rows], [("deep", "input"), ("deep", "filter")] * 3)
        self.assertEqual([row["value"] for row in rows[::2]], ["x"] * 3)
        # Five planes of 6 rows lie one below the other, each with its padding.
        self.assertEqual([row["sizes"] for row in rows[::2]], [[1, 1, 1, 40, 7, 3]] * 3)

    def test_8_bit_integers(self):
        model = self.model.with_name("quantized.onnx")
        onnx.save(quantized_model(), model)
        report = json.loads(weft(model, "--json").stdout)
        self.assertEqual([(row["layer"], row["value"]) for row in report["inputs"] if not row["constant"]],
                         [("stem", "x"), ("y", "f"), ("o", "r")])
        note = "2 of 3 inputs that are not constant are made from 8-bit integers; all are planned in f16, use --type int8 to plan all in 8 bits"
        self.assertEqual((report["type"], report["note"]), ("f16", note))
        self.assertIn(f"\nnote: {note}\n", weft(model, "--moves").stdout)
        for name in ("f16", "int8"):
            self.assertEqual(json.loads(weft(model, "--json", "--type", name).stdout)["note"], "")
            self.assertNotIn("note:", weft(model, "--type", name).stdout)
        self.assertEqual(json.loads(weft(self.model, "--json").stdout)["note"], "")

    def test_refusals(self):
        for arguments, message in (
                (["--type", "f64"], "--type is f64, must be f16, bf16, int8, f32"),
                (["--target", "bm1684x"], "--target is bm1684x, moves are planned for ascend-a2")):
            run = weft(self.model, *arguments)
            self.assertEqual((run.returncode, run.stdout, run.stderr), (2, "", f"weft: error: {message}\n"))
        run = weft(self.model.with_name("none.onnx"))
        self.assertEqual(run.returncode, 2)
        self.assertEqual(run.stderr.count("\n"), 1)

    def test_documented(self):
        section = re.search(r"## weft layout.*?(?=\n## )", DOCUMENT.read_text(), re.S)[0]
        for key in KEYS | INPUT_KEYS | TILE_KEYS | {"different_inputs", "equal", "difference", "plan"}:
            self.assertIn(f"`{key}`", section)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

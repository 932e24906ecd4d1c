#!/usr/bin/env python3
"""Samples of one entry for models and programs of a larger batch; parts of models calibrated on the inputs of the whole; limits of time.

  batch_samples_test.py WEFT
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper, parser
from PIL import Image

WEFT = sys.argv[1]
RANDOM = np.random.default_rng(8)
SCALE = ["--mean", "127.5", "--std", "60"]


def network(batch):
    """x -> Conv c -> Relu r -> Conv y."""
    weights = [numpy_helper.from_array((RANDOM.standard_normal(shape) / 4).astype(np.float32), name) for name, shape in (("w1", (8, 3, 3, 3)), ("w2", (4, 8, 1, 1)))]
    nodes = [helper.make_node("Conv", ["x", "w1"], ["c"], pads=[1] * 4), helper.make_node("Relu", ["c"], ["r"]), helper.make_node("Conv", ["r", "w2"], ["y"])]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [batch, 3, 12, 16])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class Case(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def weft(self, *arguments, code=0):
        done = subprocess.run([WEFT, *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=self.folder)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stderr if code else done.stdout


class Batches(Case):
    def setUp(self):
        super().setUp()
        onnx.save(network("n"), self.folder / "m.onnx")
        (self.folder / "photos").mkdir()
        self.tensors = []
        for index in range(5):
            image = RANDOM.integers(0, 256, (12, 16, 3)).astype(np.uint8)
            Image.fromarray(image).save(self.folder / "photos" / f"{index}.png")
            self.tensors.append(((image.transpose(2, 0, 1) - np.float32(127.5)) / np.float32(60))[None].astype(np.float32))

    def whole(self, *places):
        (self.folder / "whole").mkdir(exist_ok=True)
        for number, four in enumerate(places):
            np.savez(self.folder / "whole" / f"{number}.npz", x=np.concatenate([self.tensors[at] for at in four]))

    def test_calibration_stacks_photos(self):
        self.whole((0, 1, 2, 3), (4, 0, 1, 2))  # the last one is filled up with the first ones
        for data, flags, table in (("photos", SCALE, "a.table"), ("whole", [], "b.table")):
            self.weft("calibrate", "m.onnx", "--batch", 4, "--data", data, *flags, "-o", table)
        self.assertEqual((self.folder / "a.table").read_text(), (self.folder / "b.table").read_text())
        self.weft("convert", "m.onnx", "--batch", 4, "--precision", "int8", "--keep-int8", "--calibration-data", "photos", *SCALE, "-o", "a.bmodel")
        self.weft("convert", "m.onnx", "--batch", 4, "--precision", "int8", "--keep-int8", "--calibration", "a.table", "-o", "b.bmodel")
        self.assertEqual((self.folder / "a.bmodel").read_bytes(), (self.folder / "b.bmodel").read_bytes())

    def test_compare_stacks_what_the_program_does_not_take_alone(self):
        self.weft("convert", "m.onnx", "--batch", 4, "-o", "m.bmodel")
        told = json.loads(self.weft("compare", "m.onnx", "m.bmodel", "--data", "photos", *SCALE, "--per-layer", "--json"))
        self.assertEqual((told["passed"], told["samples"]), (True, 2))
        self.assertEqual(told["outputs"][0]["cosine"]["worst_sample"] in ("photos/0.png .. photos/3.png", "photos/4.png .. photos/2.png"), True, told["outputs"])
        self.weft("convert", "m.onnx", "--batch", "1..4", "-o", "n.bmodel")
        told = json.loads(self.weft("compare", "m.onnx", "n.bmodel", "--data", "photos", *SCALE, "--json"))
        self.assertEqual((told["passed"], told["samples"]), (True, 5))

    def test_run_takes_several_files(self):
        self.weft("convert", "m.onnx", "--batch", 4, "-o", "m.bmodel")
        self.whole((0, 1, 2, 3))
        photos = [one for index in range(4) for one in ("--input", f"photos/{index}.png")]
        self.weft("run", "m.bmodel", *photos, *SCALE, "-o", "a.npz")
        self.weft("run", "m.bmodel", "--input", "whole/0.npz", "-o", "b.npz")
        np.testing.assert_array_equal(np.load(self.folder / "a.npz")["y"], np.load(self.folder / "b.npz")["y"])
        self.assertIn("expects 4x3x12x16 (nx3x12x16); give 4 of them, --input each, or convert with --batch 1..4, whose programs fill up a smaller batch",
                      self.weft("run", "m.bmodel", "--input", "photos/0.png", *SCALE, "-o", "a.npz", code=2))
        np.save(self.folder / "other.npy", np.zeros((1, 3, 12, 17), np.float32))
        self.assertIn("other.npy: input 'x' is f32 1x3x12x17, that of photos/0.png f32 1x3x12x16; what is stacked along the first axis must have",
                      self.weft("run", "m.bmodel", "--input", "photos/0.png", "--input", "other.npy", *SCALE, "-o", "a.npz", code=2))
        np.savez(self.folder / "empty.npz", z=np.zeros((1, 3, 12, 16), np.float32))
        self.assertIn("input 'x' is in 1 of 2 files that are stacked; each needs it",
                      self.weft("run", "m.bmodel", "--input", "photos/0.png", "--input", "empty.npz", *SCALE, "-o", "a.npz", code=2))


class Parts(Case):
    def test_the_table_of_the_whole_model_is_for_a_part(self):
        onnx.save(network(1), self.folder / "m.onnx")
        (self.folder / "data").mkdir()
        np.savez(self.folder / "data" / "0.npz", x=RANDOM.standard_normal((1, 3, 12, 16)).astype(np.float32))
        int8 = ["convert", "m.onnx", "--inputs", "r", "--precision", "int8", "-o", "m.bmodel"]
        self.assertIn("no array for input 'r'; the file has 'x'; with --inputs a sample has arrays of these values. From samples of the whole model make its "
                      "table (weft calibrate without --inputs) and give that as --calibration", self.weft(*int8, "--calibration-data", "data", code=2))
        self.assertIn("Leave out --inputs: the table of the whole model is for parts of it, too",
                      self.weft("calibrate", "m.onnx", "--inputs", "r", "--data", "data", "-o", "r.table", code=2))
        self.weft("calibrate", "m.onnx", "--data", "data", "-o", "m.table")
        self.weft(*int8, "--calibration", "m.table")


class Limits(Case):
    def test_of_time(self):
        """A loop without an end, of one sample: neither the calibration nor the reference of a comparison hangs."""
        endless = parser.parse_model("""<ir_version: 8, opset_import: ["" : 17]> g (float[2] x) => (float[2] y) <bool t = {1}> {
          y = Loop (, t, x) <body = b (int64 i, bool g, float[2] v) => (bool h, float[2] w) { w = Mul(v, v) s = ReduceMax<keepdims=0>(v)
                                                                                            m = Constant<value = float {2}>() h = Less(s, m) }> }""")
        onnx.save(endless, self.folder / "m.onnx")
        np.savez(self.folder / "x.npz", x=np.array([.5, .25], np.float32))
        np.savez(self.folder / "y.npz", x=np.array([3, 1], np.float32))
        self.weft("calibrate", "m.onnx", "--data", "y.npz", "-o", "m.table", "--time-limit", 60)
        begin = time.monotonic()
        self.assertIn("did not end within the time limit of 0.5 s", self.weft("calibrate", "m.onnx", "--data", "x.npz", "-o", "t.table", "--time-limit", .5, code=2))
        self.weft("convert", "m.onnx", "-o", "m.bmodel")
        self.assertIn("did not end within the time limit of 0.5 s",
                      self.weft("compare", "m.onnx", "m.bmodel", "--input", "x.npz", "--time-limit", .5, code=2))
        self.assertLess(time.monotonic() - begin, 60)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[2:])

#!/usr/bin/env python3
"""Several shapes in one bmodel: which stages there are, what they share, which one runs, what is padded, what is refused.

  shapes_test.py WEFT

The numbers are judged by ONNX Runtime (2^-12 of the largest magnitude: convolutions of a few hundred products in float32) and,
where a batch is padded, by the stage of exactly that batch, bit for bit.
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

WEFT = sys.argv[1]


def network(nodes, weights, shape, outputs=("y",), inputs=("x",)):
    infos = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in inputs]
    initializers = [numpy_helper.from_array(np.asarray(array), name) for name, array in weights.items()]
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs]
    graph = helper.make_graph(nodes, "net", infos, results, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def random(*shape):
    return np.random.default_rng(5).uniform(-1, 1, shape).astype(np.float32)


def convolutions():
    """Independent along the batch; any width."""
    nodes = [helper.make_node("Conv", ["x", "w", "b"], ["c"], pads=[1, 1, 1, 1]), helper.make_node("Relu", ["c"], ["r"]),
             helper.make_node("GlobalAveragePool", ["r"], ["p"]), helper.make_node("Flatten", ["p"], ["f"]),
             helper.make_node("Gemm", ["f", "g"], ["y"])]
    return network(nodes, {"w": random(24, 3, 3, 3), "b": random(24), "g": random(24, 10)}, ["batch", 3, 8, "width"])


def mixing(*nodes, **weights):
    return network(list(nodes), weights, ["batch", 4])


class Shapes(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.holder.name)

    def tearDown(self):
        self.holder.cleanup()

    def weft(self, *arguments, code=0):
        result = subprocess.run([WEFT, *map(str, arguments)], capture_output=True, text=True, timeout=120)
        self.assertEqual(result.returncode, code, result.stderr)
        return result.stderr if code else result.stdout

    def convert(self, model, *options, code=0):
        path = self.folder / "m.onnx"
        onnx.save(model, path)
        return self.weft("convert", path, "-o", self.folder / "m.bmodel", *options, code=code)

    def run_on(self, array, *options, code=0):
        np.savez(self.folder / "in.npz", x=array)
        text = self.weft("run", self.folder / "m.bmodel", "-i", self.folder / "in.npz", "-o", self.folder / "out.npz", "--json", *options,
                         code=code)
        if code:
            return text
        with np.load(self.folder / "out.npz") as archive:
            return json.loads(text), archive["y"]

    def info(self):
        return json.loads(self.weft("info", self.folder / "m.bmodel", "--json"))

    def test_stages_are_the_product_of_the_sizes(self):
        self.convert(convolutions(), "--shape", "x=1..6x3x8x(16..48:16)")
        stages = self.info()["nets"][0]["stages"]
        self.assertEqual([stage["inputs"][0]["shape"] for stage in stages],
                         [[n, 3, 8, w] for n in (1, 2, 4, 6) for w in (16, 32, 48)])
        self.assertEqual(stages[0]["inputs"][0]["dimension_names"], ["batch", "", "", "width"])
        self.assertIn("takes 'x' 1..6x3x8x(16..48:16) (batchx3x8xwidth)", self.weft("info", self.folder / "m.bmodel"))
        self.weft("info", self.folder / "m.bmodel", "--check")

    def test_equal_weights_are_stored_once(self):
        model = network([helper.make_node("MatMul", ["x", "w"], ["y"])], {"w": random(512, 512)}, ["n", 512])
        self.convert(model, "--shape", "x=1x512")
        one = self.info()
        self.convert(model, "--shape", "x=(1|2|3|5)x512")
        many = self.info()
        stages = many["nets"][0]["stages"]
        self.assertEqual(len(stages), 4)
        self.assertEqual({stage["weight_bytes"] for stage in stages}, {one["nets"][0]["stages"][0]["weight_bytes"]})
        self.assertLess(many["file_bytes"], one["file_bytes"] + 4 * 65536)

    def test_every_stage_computes_what_onnx_runtime_does(self):
        model = convolutions()
        self.convert(model, "--shape", "x=1..3x3x8x(16|24)")
        session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
        for batch in (1, 2, 3):
            for width in (16, 24):
                x = random(batch, 3, 8, width)
                facts, y = self.run_on(x)
                want = session.run(None, {"x": x})[0]
                self.assertEqual((facts["entries"], y.shape), (0, want.shape))
                self.assertLess(np.abs(y - want).max(), 2**-12 * np.abs(want).max())
                self.assertEqual(self.run_on(x, "--device", "bmrt")[1].tobytes(), y.tobytes())

    def test_a_batch_is_padded_to_the_next_stage(self):
        said = self.convert(convolutions(), "--shape", "x=1..8x3x8x16")
        self.assertIn("a batch of 1 to 8 runs on the next larger stage", said)
        x = random(5, 3, 8, 16)
        facts, y = self.run_on(x)
        self.assertEqual((facts["stage"], facts["entries"], y.shape), (3, 5, (5, 10)))
        self.convert(convolutions(), "--shape", "x=5x3x8x16")
        self.assertEqual(self.run_on(x)[1].tobytes(), y.tobytes())

    def test_other_shapes_are_refused_with_the_allowed_ones(self):
        self.convert(convolutions(), "--shape", "x=1..8x3x8x(16..48:16)")
        self.assertIn("input 'x' is 9x3x8x16, net 'main' expects 1..8x3x8x(16..48:16) (batchx3x8xwidth)",
                      self.run_on(random(9, 3, 8, 16), code=2))
        self.assertIn("input 'x' is 1x3x8x20, net", self.run_on(random(1, 3, 8, 20), code=2))

    def test_a_named_dimension_takes_sizes(self):
        self.convert(convolutions(), "--shape", "batch=1|4", "--shape", "width=16")
        self.assertEqual([stage["inputs"][0]["shape"][0] for stage in self.info()["nets"][0]["stages"]], [1, 4])
        self.assertIn("dimensions: 'batch', 'width'", self.convert(convolutions(), "--shape", "height=3", code=2))

    def test_what_mixes_the_batch_is_not_padded(self):
        axes = np.array([0], np.int64)
        for model, why in (
                (mixing(helper.make_node("Softmax", ["x"], ["y"], axis=0)), "may mix the entries of the batch"),
                (mixing(helper.make_node("Reshape", ["x", "s"], ["y"]), s=np.array([4, -1], np.int64)), "computes something else"),
                (mixing(helper.make_node("Transpose", ["x"], ["t"]), helper.make_node("MatMul", ["t", "x"], ["y"])), "may mix the entries"),
                (mixing(helper.make_node("Shape", ["x"], ["s"]), helper.make_node("Cast", ["s"], ["f"], to=1),
                        helper.make_node("Slice", ["f", "b", "e"], ["n"]), helper.make_node("Mul", ["x", "n"], ["y"]),
                        b=axes, e=axes + 1), "computes something else for a batch of")):
            with self.subTest(why, op=model.graph.node[0].op_type):
                said = self.convert(model, "--shape", "x=(2|4)x4")
                self.assertIn("a batch must be exactly a stage's: ", said)
                self.assertIn(why, said)
                self.assertIn("input 'x' is 3x4, net 'main' expects (2|4)x4", self.run_on(random(3, 4), code=2))
                self.assertEqual(self.run_on(random(2, 4))[0]["entries"], 0)

    def test_wrong_ranges(self):
        for text, why in (("x=8..1x4", "range '8..1' ends before it begins"), ("x=1..xx4", "size '' is not a positive number"),
                          ("x=1..9:0x4", "size '0' is not a positive number"), ("x=1..99:1x1..9:1", "more than 64 combinations")):
            self.assertIn(why, self.convert(mixing(helper.make_node("Relu", ["x"], ["y"])), "--shape", text, code=2))
        said = self.convert(mixing(helper.make_node("Relu", ["x"], ["y"])), "--shape", "x=1..2x4", "--emit", "top", code=2)
        self.assertIn("--shape asks for 2 shapes, --emit top writes one", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

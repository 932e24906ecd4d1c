#!/usr/bin/env python3
"""`weft convert --precision auto`, precision tables and the expected accuracy.

  precision_test.py WEFT

The network has a product that 8 bits serve badly: one channel of its input is fifty times as large as the others, and its filter weighs it
by a fiftieth. The others are harmless.
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

WEFT = str(pathlib.Path(sys.argv[1]).resolve())


def network():
    rng = np.random.default_rng(5)
    constants, nodes, value = {}, [], "x"
    for i in range(4):
        weights = rng.normal(size=(16, 16, 3, 3)) / 12
        if i == 2:
            constants["big"] = np.ones((1, 16, 1, 1))
            constants["big"][0, 0] = 50
            nodes.append(helper.make_node("Mul", [value, "big"], ["scaled"], name="scale"))
            value = "scaled"
            weights[:, 0] /= 50
        constants[f"w{i}"] = weights
        nodes.append(helper.make_node("Conv", [value, f"w{i}"], [f"v{i}"], name=f"conv{i}", pads=[1, 1, 1, 1]))
        nodes.append(helper.make_node("Tanh", [f"v{i}"], [f"a{i}"], name=f"tanh{i}"))
        value = f"a{i}"
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16, 12, 12])],
                              [helper.make_tensor_value_info(value, TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(v.astype(np.float32), k) for k, v in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class PrecisionTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.temporary.name)
        onnx.save(network(), cls.folder / "net.onnx")
        (cls.folder / "samples").mkdir()
        for i in range(6):
            x = np.random.default_rng(i).normal(size=(1, 16, 12, 12)).astype(np.float32)
            np.savez(cls.folder / "samples" / f"{i}.npz", x=x)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def convert(self, *options, code=0):
        done = subprocess.run([WEFT, "convert", "net.onnx", "-o", "net.bmodel", *options], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def auto(self, *options, code=0):
        return self.convert("--precision", "auto", "--calibration-data", "samples", *options, code=code)

    def test_the_bad_product_becomes_a_float(self):
        report = json.loads(self.auto("--target-cosine", "0.999", "--write-precision-table", "t.yaml", "--json").stdout)
        chosen = [row for row in report["pareto"] if row["chosen"]]
        self.assertEqual(len(chosen), 1)
        self.assertEqual(chosen[0]["float_products"], ["v2"])
        self.assertGreaterEqual(chosen[0]["outputs"][0]["cosine"], 0.999)
        self.assertGreaterEqual(report["accuracy"][0]["cosine"], 0.999)
        cycles = [row["cycles"] for row in report["pareto"]]
        self.assertEqual(cycles, sorted(cycles))
        # The table makes the same program, byte for byte.
        program = (self.folder / "net.bmodel").read_bytes()
        self.assertIn('"v2": f16', (self.folder / "t.yaml").read_text())
        self.convert("--precision", "int8", "--calibration-data", "samples", "--precision-table", "t.yaml")
        self.assertEqual((self.folder / "net.bmodel").read_bytes(), program)

    def test_the_expected_accuracy_is_what_runs_give(self):
        done = self.convert("--precision", "int8", "--calibration-data", "samples", "--json")
        expected = json.loads(done.stdout)["accuracy"][0]
        import onnxruntime
        session = onnxruntime.InferenceSession(str(self.folder / "net.onnx"))
        cosines = []
        for i in (0, 1, 3, 4):  # four, spread over the six
            path = self.folder / "samples" / f"{i}.npz"
            subprocess.run([WEFT, "run", "net.bmodel", "--input", path, "--output", "out.npz"], cwd=self.folder, check=True, capture_output=True)
            want = session.run(None, {"x": np.load(path)["x"]})[0].ravel().astype(np.float64)
            got = np.load(self.folder / "out.npz")["a3"].ravel().astype(np.float64)
            cosines.append(want @ got / np.linalg.norm(want) / np.linalg.norm(got))
        # The reference is Weft's float evaluator here, which agrees with ONNX Runtime to about 1e-6.
        self.assertAlmostEqual(expected["cosine"], np.mean(cosines), delta=1e-5)
        self.assertAlmostEqual(expected["worst_cosine"], np.min(cosines), delta=1e-5)
        self.assertLess(expected["cosine"], 0.99)
        self.assertIn("weft: warning: output 'a3' has a cosine of", done.stderr)

    def test_a_goal_that_nothing_reaches(self):
        (self.folder / "net.bmodel").unlink(missing_ok=True)
        before = set(self.folder.iterdir())
        done = self.auto("--target-sqnr", "150", code=2)
        self.assertIn("no mix of int8 and f16 products reaches the goal on 6 samples", done.stderr)
        self.assertEqual(set(self.folder.iterdir()), before)

    def test_options_that_do_not_go_together(self):
        for options, message in [
                (["--precision", "auto"], "--precision auto measures programs on samples; give --calibration-data DIR"),
                (["--precision", "int8", "--calibration-data", "samples", "--target-sqnr", "20"], "are for --precision auto"),
                (["--precision", "f16", "--no-float"], "--no-float is for --precision int8"),
                (["--precision", "f32", "--precision-table", "t.yaml"], "with --precision f32 leave it out"),
                (["--precision", "auto", "--calibration-data", "samples", "--no-float"], "chooses the floats itself"),
                (["--precision", "auto", "--calibration-data", "samples", "--target-cosine", "2"], "--target-cosine"),
                (["--precision", "int8", "--calibration-data", "samples", "--precision-table", "absent.yaml"], "cannot read precision table")]:
            with self.subTest(options=options):
                self.assertIn(message, self.convert(*options, code=2).stderr)

    def test_a_table_of_another_model(self):
        (self.folder / "other.yaml").write_text("ops:\n  conv9: f16\n")
        done = self.convert("--precision", "int8", "--calibration-data", "samples", "--precision-table", "other.yaml", code=2)
        self.assertIn("names 'conv9', which is no value or node of this model", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

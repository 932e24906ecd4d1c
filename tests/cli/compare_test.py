#!/usr/bin/env python3
"""weft compare: what it fails, what it tells, sets of samples, programs beside programs, JSON.

  compare_test.py WEFT DATA MANUAL   (DATA: tests/data, MANUAL: docs/cli.md)

A wrong program is the program of a changed model, compared with the right one. Each case of `test_wrong_programs` keeps a cosine above .99,
which was all that was asked once.
"""
import json
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEFT, DATA, MANUAL = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
RANDOM = np.random.default_rng(7)
FILTER = RANDOM.normal(size=(64, 32, 3, 3)).astype(np.float32)
SCORES = (RANDOM.normal(size=(64, 64, 1, 1)) / 8).astype(np.float32)
BOXES = (RANDOM.normal(size=(4, 64, 1, 1)) / 8).astype(np.float32)


def detector(filter=FILTER, scores=SCORES, boxes=BOXES, sign=1, factor=1, ids=0, overflow=0):
    """x [1,32,24,24] -> features, far (an offset of 200), map (smooth), found [1,68,576] (boxes in hundreds, scores below 1), ids."""
    constants = {"w": filter, "ws": scores, "wb": boxes, "sign": np.float32(sign), "factor": np.float32(factor), "offset": np.float32(200),
                 "hundred": np.float32(100), "flat": np.array([1, -1, 576], np.int64), "shift": np.int64(ids),
                 "large": np.float32(overflow or 1), "small": np.float32(1 / (overflow or 1))}
    nodes = [helper.make_node("Conv", ["x", "w"], ["raw"], pads=[1, 1, 1, 1]), helper.make_node("Relu", ["raw"], ["activated"]),
             helper.make_node("Mul", ["activated", "factor"], ["features"]),
             helper.make_node("Mul", ["raw", "sign"], ["signed"]), helper.make_node("Add", ["signed", "offset"], ["far"]),
             helper.make_node("Conv", ["features", "wb"], ["b"]), helper.make_node("Mul", ["b", "hundred"], ["b100"]),
             helper.make_node("Conv", ["features", "ws"], ["s"]), helper.make_node("Sigmoid", ["s"], ["p"]),
             helper.make_node("Reshape", ["b100", "flat"], ["boxes"]), helper.make_node("Reshape", ["p", "flat"], ["scores"]),
             helper.make_node("Concat", ["boxes", "scores"], ["found"], axis=1),
             helper.make_node("ArgMax", ["boxes"], ["best"], axis=2, keepdims=0), helper.make_node("Add", ["best", "shift"], ["ids"])]
    outputs = [("features", TensorProto.FLOAT), ("far", TensorProto.FLOAT), ("found", TensorProto.FLOAT), ("ids", TensorProto.INT64)]
    if overflow:
        nodes += [helper.make_node("Mul", ["raw", "large"], ["huge"]), helper.make_node("Exp", ["huge"], ["inner"]),
                  helper.make_node("Min", ["inner", "factor"], ["bounded"])]
        outputs += [("bounded", TensorProto.FLOAT)]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 32, 24, 24])],
                              [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs],
                              [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def exchanged(array, a, b):
    array = array.copy()
    array[[a, b]] = array[[b, a]]
    return array


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.samples = cls.folder / "samples"
        cls.samples.mkdir()
        for index in range(5):
            np.savez(cls.samples / f"{index}.npz", x=RANDOM.normal(size=(1, 32, 24, 24)).astype(np.float32))
        cls.x = cls.samples / "0.npz"
        np.savez(cls.folder / "zeros.npz", x=np.zeros((1, 32, 24, 24), np.float32))
        onnx.save(detector(), cls.folder / "net.onnx")
        cls.weft("calibrate", "net.onnx", "--data", cls.samples, "-o", "net.table")
        for precision in ("f32", "f16", "int8"):
            cls.convert("net.onnx", precision, f"{precision}.bmodel")

    @classmethod
    def convert(cls, model, precision, target):
        cls.weft("convert", model, "-o", target, "--precision", precision,
                 *(["--calibration", "net.table", "--keep-int8"] if precision == "int8" else []))

    @classmethod
    def weft(cls, *arguments, code=0):
        done = subprocess.run([WEFT, *map(str, arguments)], cwd=cls.folder, capture_output=True, text=True)
        assert done.returncode == code, f"exit code {done.returncode}: {done.stderr}{done.stdout}"
        return done.stdout if code < 2 else done.stderr

    def test_right_programs_pass(self):
        for precision in ("f32", "f16", "int8"):
            told = json.loads(self.weft("compare", "net.onnx", f"{precision}.bmodel", "-i", self.x, "--per-layer", "--json"))
            self.assertEqual((told["passed"], told["precision"], told["warnings"], told["first_failed_layer"]), (True, precision, [], None))
            self.assertIn(("boxes", "found"), [(row["name"], row.get("part_of")) for row in told["outputs"]])
            self.assertTrue(all("added" in row for row in told["layers"]))

    def test_wrong_programs(self):
        negated = FILTER.copy()
        negated[5] *= -1
        wrong = {"far: gain": detector(sign=-1), "features: gain": detector(factor=1.5), "ids: share of unequal": detector(ids=1),
                 "scores: ": detector(scores=exchanged(SCORES, 0, 3)), "dead: ": detector(scores=SCORES - np.float32(100)),
                 "features: slice 5 of axis 1": detector(filter=negated)}
        for reason, model in wrong.items():
            onnx.save(model, self.folder / "wrong.onnx")
            name, text = reason.split(": ")
            name = "scores" if name == "dead" else name
            for precision in ("f32", "f16"):
                self.convert("wrong.onnx", precision, "wrong.bmodel")
                told = json.loads(self.weft("compare", "net.onnx", "wrong.bmodel", "-i", self.x, "--json", code=1))
                self.assertTrue(any(text in line for row in told["outputs"] if row["name"] == name for line in row["reasons"]),
                                f"{reason} {precision}: {told['outputs']}")

    def test_samples_that_show_nothing(self):
        said = self.weft("compare", "net.onnx", "f32.bmodel", "-i", "zeros.npz", code=1)
        self.assertIn("FAIL input 'x' is all zeros: such a sample shows nothing of the network", said)
        np.savez(self.folder / "signs.npz", x=np.copysign(np.float32(0), np.load(self.x)["x"]))
        self.assertIn("FAIL input 'x' is all zeros", self.weft("compare", "net.onnx", "f32.bmodel", "-i", "signs.npz", code=1))
        self.assertIn("warning: input 'x' is all zeros", self.weft("compare", "net.onnx", "f32.bmodel", "-i", "zeros.npz", "--constant-inputs"))

    def test_outputs_without_elements(self):
        """Where a network finds nothing, both sides have nothing."""
        nodes = [helper.make_node("Greater", ["x", "least"], ["large"]), helper.make_node("NonZero", ["large"], ["places"]),
                 helper.make_node("Relu", ["x"], ["y"])]
        for outputs, names in ((("places",), "places"), (("places", "y"), "both")):
            graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16])],
                                      [helper.make_tensor_value_info(name, TensorProto.INT64 if name == "places" else TensorProto.FLOAT, None)
                                       for name in outputs], [numpy_helper.from_array(np.float32(10), "least")])
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / f"{names}.onnx")
            self.convert(f"{names}.onnx", "f32", f"{names}.bmodel")
        few = self.folder / "few"
        few.mkdir()
        for name, offset in (("0", 0), ("1", 10)):
            np.savez(few / f"{name}.npz", x=RANDOM.normal(size=(1, 16)).astype(np.float32) + np.float32(offset))
        said = self.weft("compare", "places.onnx", "places.bmodel", "-i", few / "0.npz", code=1)
        self.assertIn("output pass 'places'  no elements\n", said)
        self.assertIn("warning: output 'places': neither side has an element", said)
        self.assertIn("FAIL no output has an element, so that nothing is compared", said)
        told = json.loads(self.weft("compare", "places.onnx", "places.bmodel", "-i", few / "0.npz", "--json", code=1))
        self.assertEqual((told["outputs"][0]["elements"], len(told["reasons"])), (0, 1))
        self.weft("compare", "both.onnx", "both.bmodel", "-i", few / "0.npz")
        self.weft("compare", "places.onnx", "places.bmodel", "-i", few / "1.npz")
        # One sample in which there is something is enough.
        self.assertIn("2 samples, 0 failed", self.weft("compare", "places.onnx", "places.bmodel", "--data", few))
        told = json.loads(self.weft("compare", "places.onnx", "places.bmodel", "--data", few / "0.npz", "--json", code=1))
        self.assertIn("nothing is compared", told["reasons"][0])

    def test_zeros_but_for_rounding(self):
        """The mean of what lies around its mean; and small numbers that are none."""
        def network(share=1, factor=1e-4):
            nodes = [helper.make_node("Conv", ["x", "w"], ["raw"], pads=[1, 1, 1, 1]), helper.make_node("Add", ["raw", "offset"], ["y"]),
                     helper.make_node("ReduceMean", ["y"], ["mean"], axes=[2, 3]), helper.make_node("Mul", ["mean", "share"], ["part"]),
                     helper.make_node("Sub", ["y", "part"], ["around"]), helper.make_node("ReduceMean", ["around"], ["zero"], axes=[2, 3], keepdims=0),
                     helper.make_node("Mul", ["y", "factor"], ["little"])]
            constants = {"w": FILTER[:8] / 16, "offset": np.float32(0.5), "share": np.float32(share), "factor": np.float32(factor)}
            graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 32, 24, 24])],
                                      [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("zero", "little")],
                                      [numpy_helper.from_array(value, name) for name, value in constants.items()])
            return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)

        onnx.save(network(), self.folder / "zero.onnx")
        onnx.save(network(share=0.8), self.folder / "part.onnx")
        onnx.save(network(factor=1e-12), self.folder / "nothing.onnx")
        for precision in ("f32", "f16", "int8"):
            for name in ("zero", "part", "nothing"):
                self.weft("convert", f"{name}.onnx", "-o", "zero.bmodel", "--precision", precision,
                          *(["--calibration-data", self.samples] if precision == "int8" else []))
                told = json.loads(self.weft("compare", "zero.onnx", "zero.bmodel", "-i", self.x, "--per-layer", "--json", code=int(name != "zero")))
                failed = {row["name"] for row in told["outputs"] if any("that this version makes" not in reason for reason in row.get("reasons", []))}
                self.assertEqual(failed, {"zero": set(), "part": {"zero"}, "nothing": {"little"}}[name], (precision, told["outputs"]))
                if name == "zero":
                    self.assertLess(told["outputs"][0]["zero_floor"], {"f32": 1e-5, "f16": 0.05, "int8": 0.4}[precision])
                    self.assertIn("zero but for rounding errors", told["warnings"][0])

    def score_command(self, body):
        """A command: Python text that has the path of a folder in `folder` and what is in its files, by name, in `samples`."""
        (self.folder / "score.py").write_text("import pathlib, sys\nimport numpy as np\nfolder = pathlib.Path(sys.argv[-1])\n"
                                              "samples = {path.name: dict(np.load(path)) for path in sorted(folder.iterdir())}\n" + body)
        return f"'{sys.executable}' score.py"

    def test_a_score_of_the_users_own(self):
        mean = self.score_command("print('noise')\nprint(np.mean([one['features'].mean() for one in samples.values()]))\nprint()")
        arguments = ["compare", "net.onnx", "int8.bmodel", "--data", self.samples]
        told = json.loads(self.weft(*arguments, "--score", mean, "--json"))["score"]
        self.assertAlmostEqual(told["program"], told["reference"], 2)
        self.assertNotEqual(told["program"], told["reference"])
        self.assertAlmostEqual(told["least"], told["reference"] - 0.01)
        self.assertIn("\nscore  program ", self.weft(*arguments, "--score", mean + " {}", "--target-score", told["program"] - 0.1))
        said = self.weft(*arguments, "--score", mean, "--target-score", 1e3, code=1)
        self.assertRegex(said, r"\nFAIL the score of the program is \S+, must be at least 1000 \(--target-score; the reference has \S+\)\n")
        # Every sample by name, arrays by name on both sides; codes are reals.
        self.weft(*arguments, "--score", self.score_command("open('seen', 'a').write(str(folder) + '\\n')\nassert list(samples) == "
                  "[f'{index:05}_{index}.npz' for index in range(5)]\nassert sorted(samples['00000_0.npz']) == ['far', 'features', 'found', 'ids']\n"
                  "assert samples['00000_0.npz']['found'].dtype == np.float32\nprint(0)"))
        seen = (self.folder / "seen").read_text().split()
        self.assertEqual(len(set(seen)), 2)
        self.assertFalse(any(pathlib.Path(path).exists() for path in seen))
        # A program that is worse than its reference.
        calls = self.score_command("calls = pathlib.Path('calls')\nprint(0.9 if calls.exists() else 0.8)\ncalls.touch()")
        said = self.weft(*arguments, "--score", calls, code=1)
        self.assertIn("the score of the program is 0.8, must be at least 0.89 (--max-score-drop; the reference has 0.9)", said)
        (self.folder / "calls").unlink()
        self.weft(*arguments, "--score", calls, "--max-score-drop", 0.2)

    def test_answers(self):
        """Classes of rows, texts, with labels and without."""
        weights = (RANDOM.normal(size=(16, 10)) / 4).astype(np.float32)

        def network(columns):
            nodes = [helper.make_node("MatMul", ["x", "w"], ["logits"]), helper.make_node("Relu", ["x"], ["other"])]
            graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16])],
                                      [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("logits", "other")],
                                      [numpy_helper.from_array(np.ascontiguousarray(weights[:, columns]), "w")])
            return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

        rows = self.folder / "rows"
        rows.mkdir()
        classes = []
        for index in range(6):
            x = RANDOM.normal(size=(1, 16)).astype(np.float32)
            np.savez(rows / f"{index}.npz", x=x)
            classes.append(int((x @ weights).argmax()))
        onnx.save(network(list(range(10))), self.folder / "classes.onnx")
        onnx.save(network([*range(1, 10), 0]), self.folder / "turned.onnx")
        for name in ("classes", "turned"):
            self.convert(f"{name}.onnx", "f32", f"{name}.bmodel")
        arguments = ["compare", "classes.onnx", "classes.bmodel", "--data", rows]
        told = json.loads(self.weft(*arguments, "--task", "top1=logits", "--json"))["task"]
        self.assertEqual((told["kind"], told["output"], told["mean"], told["worst"], told["least"]), ("top1", "logits", 1, 1, 0.99))
        self.assertIn("there are several outputs; name one of 'logits', 'other'", self.weft(*arguments, "--task", "top1", code=2))
        self.assertIn("detection takes [N,4..6]", self.weft(*arguments, "--task", "detection=other", code=2))
        labels = self.folder / "labels.csv"
        labels.write_text("".join(f"{index}{'.npz' if index % 2 else ''},{kind if index else (kind + 1) % 10}\n" for index, kind in enumerate(classes)))
        said = self.weft(*arguments, "--task", "top1=logits", "--labels", labels)
        self.assertIn("answers  top1 of 'logits': agreement mean 1.000000", said)
        self.assertIn("accuracy  program 0.83333333  reference 0.83333333  difference 0", said)
        wrong = ["compare", "classes.onnx", "turned.bmodel", "--data", rows, "--task", "top1=logits"]
        said = self.weft(*wrong, "--labels", labels, code=1)
        self.assertRegex(said, r"FAIL --task top1: mean agreement is 0\S*, must be at least 0.99 \(--min-agreement\)")
        self.assertRegex(said, r"FAIL the accuracy of the program is 0\S*, must be at least 0.82333333 \(--max-score-drop; the reference has 0.83333333\)")
        # The answers alone: what the outputs miss is told.
        said = self.weft(*wrong, "--no-limits", "--min-agreement", 0, "--labels", labels, "--max-score-drop", 1)
        self.assertIn("output FAIL 'logits'", said)
        self.assertIn("comparison passed", said)
        self.assertEqual(json.loads(self.weft(*arguments, "--task", "embedding=logits", "--json"))["task"]["neighbours"], 1)
        labels.write_text("0,1\n")
        self.assertIn("has no sample '1.npz'", self.weft(*arguments, "--task", "top1=logits", "--labels", labels, code=2))
        for options, reason in ((["--task", "map"], "must be KIND or KIND=OUTPUT with a kind of top1, top5"), (["--labels", labels], "--labels is for --task"),
                                (["--no-limits"], "--no-limits leaves nothing to decide"), (["--task", "top1=none"], "there is no such output"),
                                (["--task", "top1=logits", "--min-agreement", "2"], "must be from 0 to 1"), (["--ctc-blank", "1"], "--ctc-blank is for --task")):
            self.assertIn(reason, self.weft(*arguments, *options, code=2))

    def test_scores_that_are_none(self):
        for command, reason in (("false", "ended with exit code 1"), ("echo good #", "printed 'good' at its end"), ("true", "printed nothing")):
            self.assertIn(reason, self.weft("compare", "net.onnx", "f32.bmodel", "-i", self.x, "--score", command, code=2))
        for arguments, reason in ((["--target-score", "1"], "--target-score is for --score"), (["--max-score-drop", "1"], "--max-score-drop is for --score"),
                                  (["--score", "true", "--max-score-drop", "-1"], "must be a finite number from 0"),
                                  (["--score", "true", "--score-timeout", "0"], "--score-timeout is 0")):
            self.assertIn(reason, self.weft("compare", "net.onnx", "f32.bmodel", "-i", self.x, *arguments, code=2))

    def test_samples_out_of_the_calibrated_range(self):
        weights = [(RANDOM.normal(size=(64, channels, 3, 3)) / 20).astype(np.float32) for channels in (32, 64, 64)]
        nodes = [helper.make_node(kind, [f"v{i}", *([f"w{i // 2}"] if kind == "Conv" else [])], [f"v{i + 1}"])
                 for i, kind in enumerate(("Conv", "Relu", "Conv", "Relu", "Conv"))]
        graph = helper.make_graph(nodes, "chain", [helper.make_tensor_value_info("v0", TensorProto.FLOAT, [1, 32, 24, 24])],
                                  [helper.make_tensor_value_info("v5", TensorProto.FLOAT, None)],
                                  [numpy_helper.from_array(array, f"w{i}") for i, array in enumerate(weights)])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "chain.onnx")
        folder = self.folder / "chain"
        folder.mkdir()
        for name, factor in (("chain/0.npz", 1), ("large.npz", 50)):
            np.savez(self.folder / name, v0=factor * RANDOM.normal(size=(1, 32, 24, 24)).astype(np.float32))
        self.weft("calibrate", "chain.onnx", "--data", folder, "-o", "chain.table")
        self.weft("convert", "chain.onnx", "-o", "chain.bmodel", "--precision", "int8", "--calibration", "chain.table", "--keep-int8")
        self.assertNotIn("calibrated range", self.weft("compare", "chain.onnx", "chain.bmodel", "-i", "chain/0.npz", "--per-layer"))
        said = self.weft("compare", "chain.onnx", "chain.bmodel", "-i", "large.npz", "--per-layer", code=1)
        self.assertRegex(said, r"warning: layer 'v\d': \d\d% of its numbers are outside of the calibrated range, 0 to ")

    def test_floats_beyond_the_codes_of_their_readers(self):
        """A pooled value is a float between products; the sample has numbers that the calibration has not seen."""
        weights = [(RANDOM.normal(size=(16, channels, 3, 3)) / 12).astype(np.float32) for channels in (3, 16)]
        nodes = [helper.make_node("Conv", ["x", "w0"], ["c"], pads=[1, 1, 1, 1]), helper.make_node("PRelu", ["c", "slope"], ["r"]),
                 helper.make_node("MaxPool", ["r"], ["pooled"], kernel_shape=[2, 2], strides=[2, 2]), helper.make_node("Conv", ["pooled", "w1"], ["y"])]
        constants = {"w0": weights[0], "w1": weights[1], "slope": np.full((16, 1, 1), 0.1, np.float32)}
        graph = helper.make_graph(nodes, "pool", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 24, 24])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                                  [numpy_helper.from_array(array, name) for name, array in constants.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "pool.onnx")
        (self.folder / "pool").mkdir()
        for name, factor in (("pool/0.npz", 1), ("bright.npz", 3)):
            np.savez(self.folder / name, x=factor * RANDOM.normal(size=(1, 3, 24, 24)).astype(np.float32))
        self.weft("calibrate", "pool.onnx", "--data", "pool", "-o", "pool.table")
        self.weft("convert", "pool.onnx", "-o", "pool.bmodel", "--precision", "int8", "--calibration", "pool.table")
        self.assertNotIn("the calibration saw", self.weft("compare", "pool.onnx", "pool.bmodel", "-i", "pool/0.npz", "--per-layer"))
        said = subprocess.run([WEFT, "compare", "pool.onnx", "pool.bmodel", "-i", "bright.npz", "--per-layer"], cwd=self.folder, capture_output=True,
                              text=True).stdout
        self.assertRegex(said, r"warning: layer 'pooled': has numbers to \S+, the calibration saw \S+ to \S+, and the codes .* --method max")

    def test_an_overflow_is_the_conversions(self):
        """What comes of it (a minimum takes the bound in place of a NaN) is no fault of the commands."""
        constants = {"c": RANDOM.normal(size=(257, 1, 512)), "w": np.abs(RANDOM.normal(size=(257, 32))), "two": 2, "low": 1e-10}
        nodes = [helper.make_node("Conv", ["x", "c"], ["spec"], strides=[160]), helper.make_node("Pow", ["spec", "two"], ["power"]),
                 helper.make_node("Transpose", ["power"], ["t"], perm=[0, 2, 1]), helper.make_node("MatMul", ["t", "w"], ["mel"]), helper.make_node("Clip", ["mel", "low"], ["clipped"]),
                 helper.make_node("Log", ["clipped"], ["y"])]
        graph = helper.make_graph(nodes, "mel", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 1, 3200])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                                  [numpy_helper.from_array(np.asarray(value, np.float32), name) for name, value in constants.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), self.folder / "mel.onnx")
        (self.folder / "mel").mkdir()
        np.savez(self.folder / "mel" / "0.npz", x=RANDOM.normal(0, 3000, size=(1, 1, 3200)).astype(np.float32))
        compared = ["compare", "mel.onnx", "mel.bmodel", "-i", "mel/0.npz", "--per-layer", "--bisect"]
        self.weft("convert", "mel.onnx", "-o", "mel.bmodel", "--precision", "f16")
        told = json.loads(self.weft(*compared, "--json", code=1))
        self.assertEqual((told["first_failed_layer"], told["bisection"]["stage"], told["bisection"]["cause"], told["bisection"]["nodes"][0]["op_type"]),
                         ("spec", "conversion", "saturation", "Conv"))
        self.assertRegex(told["bisection"]["text"], r"up to \d\S+, and f16 ends at 65504; --calibration TABLE at `weft convert` keeps")
        self.assertEqual([row["name"] for row in told["layers"] if not row["passed"]][0], "spec")
        # The way out.
        self.weft("calibrate", "mel.onnx", "--data", "mel", "-o", "mel.table")
        self.weft("convert", "mel.onnx", "-o", "mel.bmodel", "--precision", "f16", "--calibration", "mel.table")
        self.weft(*compared)

    def test_infinities_inside(self):
        onnx.save(detector(overflow=40), self.folder / "huge.onnx")
        self.convert("huge.onnx", "f16", "huge.bmodel")
        x = self.folder / "tenth.npz"
        np.savez(x, x=np.load(self.x)["x"] / 10)
        told = json.loads(self.weft("compare", "huge.onnx", "huge.bmodel", "-i", x, "--per-layer", "--json", code=1))
        self.assertRegex(told["reasons"][0], r"^layer 'inner': \d+ elements are not finite where the reference's are$")
        layer = next(row for row in told["layers"] if row["name"] == "inner")
        self.assertGreater(layer["non_finite"]["result"], 0)

    def test_values_that_both_engines_write(self):
        """A cache and the row that is new: the one is loaded while the other is computed."""
        constants = {"w0": RANDOM.normal(size=(32, 32)), "b0": RANDOM.normal(size=32), "w1": RANDOM.normal(size=(32, 32)), "b1": RANDOM.normal(size=32)}
        nodes = [helper.make_node("Tanh", ["rows"], ["x"]), helper.make_node("MatMul", ["x", "w0"], ["m0"]), helper.make_node("Add", ["m0", "b0"], ["new"]),
                 helper.make_node("Concat", ["cache", "new"], ["keys"], axis=1), helper.make_node("MatMul", ["x", "w1"], ["m1"]),
                 helper.make_node("Add", ["m1", "b1"], ["query"]), helper.make_node("Transpose", ["keys"], ["turned"], perm=[0, 2, 1]),
                 helper.make_node("MatMul", ["query", "turned"], ["scores"]), helper.make_node("Softmax", ["scores"], ["p"], axis=-1),
                 helper.make_node("MatMul", ["p", "keys"], ["y"])]
        names = ("rows", "cache")
        graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 5, 32]) for name in names],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                                  [numpy_helper.from_array((array / 6).astype(np.float32), name) for name, array in constants.items()])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "cache.onnx")
        np.savez(self.folder / "cache.npz", **{name: RANDOM.normal(size=(1, 5, 32)).astype(np.float32) for name in names})
        for precision in ("f32", "f16"):
            self.convert("cache.onnx", precision, "cache.bmodel")
            for seed in range(3):
                self.weft("compare", "cache.onnx", "cache.bmodel", "-i", "cache.npz", "--per-layer", "--order", "adversarial", "--order-seed", seed)

    def test_layers_of_which_a_part_is_computed(self):
        """Of rows that nobody reads there are no numbers: what there is is compared, and decides nothing."""
        nodes = [helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1]), helper.make_node("Relu", ["c"], ["r"]),
                 helper.make_node("Slice", ["r", "first", "end", "axis"], ["s"]), helper.make_node("Sigmoid", ["s"], ["y"])]
        graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 32, 24, 24])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                                  [numpy_helper.from_array(FILTER, "w")] + [numpy_helper.from_array(np.array([number]), name) for name, number in
                                                                            (("first", 0), ("end", 6), ("axis", 2))])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "rows.onnx")
        self.convert("rows.onnx", "f32", "rows.bmodel")
        told = json.loads(self.weft("compare", "rows.onnx", "rows.bmodel", "-i", self.x, "--per-layer", "--json"))
        row = next(row for row in told["layers"] if row["name"] == "r")
        self.assertTrue(6 / 24 <= row["share"] < 1, row)
        self.assertEqual((row["passed"], "added" in row), (True, False))
        self.assertGreater(row["sqnr_db"], 100)
        self.assertRegex(self.weft("compare", "rows.onnx", "rows.bmodel", "-i", self.x, "--per-layer"), r"layer  part 'r'  [\d.]+% of it  cosine 1\.0")

    def test_an_error_is_its_own_layers(self):
        """What comes behind a wrong layer has no part in it."""
        wrong = detector(boxes=BOXES * np.float32(1.5))
        onnx.save(wrong, self.folder / "wrong.onnx")
        self.convert("wrong.onnx", "f16", "wrong.bmodel")
        told = json.loads(self.weft("compare", "net.onnx", "wrong.bmodel", "-i", self.x, "--per-layer", "--json", code=1))
        self.assertEqual([row["name"] for row in told["layers"] if not row["passed"]], [told["first_failed_layer"]])
        self.assertIn(told["first_failed_layer"], ("b", "b100", "boxes"))

    def test_a_layer_fails_where_outputs_do_not(self):
        """Scores that hardly show what is wrong before them."""
        nodes = [helper.make_node("Conv", ["x", "w"], ["inside"], pads=[1, 1, 1, 1]), helper.make_node("Mul", ["inside", "little"], ["less"]),
                 helper.make_node("Conv", ["x", "w"], ["other"], pads=[1, 1, 1, 1]), helper.make_node("Add", ["less", "other"], ["y"])]

        def network(factor):
            graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 32, 24, 24])],
                                      [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                                      [numpy_helper.from_array(FILTER, "w"), numpy_helper.from_array(np.float32(factor), "little")])
            return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

        onnx.save(network(1e-3), self.folder / "little.onnx")
        onnx.save(network(2e-3), self.folder / "twice.onnx")
        self.convert("twice.onnx", "f16", "twice.bmodel")
        # Without what it tells of its conversion, by which any change is seen.
        self.weft("convert", "twice.onnx", "-o", "bare.bmodel", "--precision", "f16", "--strip")
        self.assertIn("comparison passed", self.weft("compare", "little.onnx", "bare.bmodel", "-i", self.x))
        self.assertIn("first layer below the limits: 'less'", self.weft("compare", "little.onnx", "twice.bmodel", "-i", self.x, "--per-layer", code=1))

    def test_sums_over_channels_leave_an_f16_program_f16(self):
        # The machine adds over lanes with products of two bf16 for each f32; their limits are wider.
        nodes = [helper.make_node("Conv", ["x", "w"], ["c"], kernel_shape=[3, 3], pads=[1] * 4), helper.make_node("ReduceL2", ["c"], ["y"], axes=[1])]
        graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 32, 24, 24])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [numpy_helper.from_array(FILTER, "w")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "norm.onnx")
        self.convert("norm.onnx", "f16", "norm.bmodel")
        self.assertIn("opd0_prec=bf16", self.weft("disasm", "norm.bmodel"))
        told = json.loads(self.weft("compare", "norm.onnx", "norm.bmodel", "-i", self.x, "--json"))
        self.assertEqual((told["precision"], told["limits"]["sqnr"]), ("f16", 30))

    def test_sets_of_samples(self):
        told = json.loads(self.weft("compare", "net.onnx", "int8.bmodel", "--data", self.samples, "--json"))
        self.assertEqual((told["samples"], told["failed"]), (5, []))
        row = told["outputs"][0]
        figures = row["cosine"]
        self.assertTrue(figures["worst"] <= figures["percentile_5"] <= figures["mean"] <= 1)
        singles = []
        for index in range(5):
            one = json.loads(self.weft("compare", "net.onnx", "int8.bmodel", "-i", self.samples / f"{index}.npz", "--json"))
            singles.append(one["outputs"][0]["cosine"])
        self.assertAlmostEqual(figures["mean"], np.mean(singles), 12)
        self.assertEqual(figures["worst"], min(singles))
        self.assertEqual(figures["worst_sample"], str(self.samples / f"{int(np.argmin(singles))}.npz"))
        self.assertIn("\n3 samples, 0 failed\n", self.weft("compare", "net.onnx", "f16.bmodel", "--data", self.samples, "--samples", 3))
        self.assertIn("\n2 samples, 0 failed\n", self.weft("compare", "net.onnx", "f16.bmodel", "--data", self.x, "--data", self.samples / "1.npz"))
        mixed = self.folder / "mixed"
        mixed.mkdir()
        for name in ("zeros.npz", "samples/1.npz"):
            (mixed / pathlib.Path(name).name).write_bytes((self.folder / name).read_bytes())
        said = self.weft("compare", "net.onnx", "f32.bmodel", "--data", mixed, code=1)
        self.assertRegex(said, r"FAIL \S*zeros.npz: input 'x' is all zeros")
        self.assertIn("2 samples, 1 failed", said)

    def test_a_program_beside_a_program(self):
        told = json.loads(self.weft("compare", "f32.bmodel", "int8.bmodel", "-i", self.x, "--per-layer", "--json"))
        self.assertEqual((told["passed"], told["precision"]), (True, "int8"))
        # The coarser counts on either side.
        self.assertEqual(json.loads(self.weft("compare", "int8.bmodel", "f32.bmodel", "-i", self.x, "--json"))["precision"], "int8")
        onnx.save(detector(factor=1.5), self.folder / "wrong.onnx")
        self.convert("wrong.onnx", "f32", "wrong.bmodel")
        self.weft("compare", "f32.bmodel", "wrong.bmodel", "-i", self.x, code=1)
        self.assertIn("--bind, --plugin, --inputs, --outputs and --fuse-preprocess are for ONNX models",
                      self.weft("compare", "f32.bmodel", "int8.bmodel", "-i", self.x, "--bind", f"x={self.x}", code=2))

    def test_programs_of_the_vendor(self):
        vendor = DATA / "vendor-bmodels"
        self.weft("convert", vendor / "tiny.onnx", "-o", "tiny.bmodel")
        inputs = ["-i", vendor / "tiny_input.npz"]
        for pair in ((vendor / "tiny_f32.bmodel", "tiny.bmodel"), ("tiny.bmodel", vendor / "tiny_f32.bmodel")):
            said = self.weft("compare", *pair, *inputs)
            self.assertRegex(said, r"pass '(y|y_Relu)' \(reference '(y|y_Relu)'\)")
        # A file of values as the vendor's tools write it.
        self.assertIn("(reference 'y_Relu')",
                      self.weft("compare", vendor / "tiny.onnx", "tiny.bmodel", *inputs, "--reference", vendor / "tiny_f32_output.npz"))

    def test_masks(self):
        """Honest programs with masks of any size, and a fault beside the mask."""
        rows = RANDOM.normal(size=(64, 64)).astype(np.float32)
        for mask in (-np.inf, -3.3e38, -1e4):
            above = np.triu(np.full((1, 64, 64), mask, np.float32), 1)

            def network(factor):
                nodes = [helper.make_node("MatMul", ["x", "rows"], ["products"]), helper.make_node("Mul", ["products", "factor"], ["scores"]),
                         helper.make_node("Add", ["scores", "mask"], ["masked"]), helper.make_node("Softmax", ["masked"], ["p"], axis=-1),
                         helper.make_node("ReduceSum", ["p", "axes"], ["sums"]), helper.make_node("MatMul", ["p", "x"], ["y"])]
                constants = {"rows": rows / 8, "factor": np.float32(factor), "mask": above, "axes": np.array([-1], np.int64)}
                graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64, 64])],
                                          [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in ("y", "sums")],
                                          [numpy_helper.from_array(value, name) for name, value in constants.items()])
                return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)

            np.savez(self.folder / "rows.npz", x=RANDOM.normal(size=(1, 64, 64)).astype(np.float32))
            onnx.save(network(1), self.folder / "masks.onnx")
            onnx.save(network(1.5), self.folder / "wrong.onnx")
            for precision in ("f32", "f16", "bf16"):
                self.convert("masks.onnx", precision, "masks.bmodel")
                told = json.loads(self.weft("compare", "masks.onnx", "masks.bmodel", "-i", "rows.npz", "--per-layer", "--json"))
                self.assertIsNone(told["first_failed_layer"])
                self.convert("wrong.onnx", precision, "wrong.bmodel")
                said = self.weft("compare", "masks.onnx", "wrong.bmodel", "-i", "rows.npz", "--per-layer", code=1)
                self.assertRegex(said, r"first layer below the limits: '(scores|masked)'")

    def test_means_of_what_is_equal(self):
        """Samples without an error do not make a mean that is below the worst of them."""
        onnx.save(helper.make_model(helper.make_graph(
            [helper.make_node("Relu", ["x"], ["y"])], "relu", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 32, 24, 24])],
            [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)]), opset_imports=[helper.make_opsetid("", 17)], ir_version=8),
            self.folder / "relu.onnx")
        self.weft("convert", "relu.onnx", "-o", "relu.bmodel", "--precision", "f32")
        self.assertIn("sqnr mean inf, 5% inf, worst inf dB", self.weft("compare", "relu.onnx", "relu.bmodel", "--data", self.samples))

    def test_layers_of_sets(self):
        onnx.save(detector(boxes=BOXES * np.float32(1.5)), self.folder / "wrong.onnx")
        self.convert("wrong.onnx", "f16", "wrong.bmodel")
        arguments = ["compare", "net.onnx", "wrong.bmodel", "--data", self.samples, "--per-layer"]
        self.assertRegex(self.weft(*arguments, code=1), r"FAIL \S*0.npz: .*first layer below the limits: '(b|b100|boxes)', ")
        told = json.loads(self.weft(*arguments, "--json", code=1))
        self.assertEqual({one["first_failed_layer"] for one in told["failed"]} - {"b", "b100", "boxes"}, set())

    def test_what_layers_of_sets_add(self):
        arguments = ["compare", "net.onnx", "int8.bmodel", "--data", self.samples, "--per-layer"]
        told, text = json.loads(self.weft(*arguments, "--json")), self.weft(*arguments)
        alone = [{row["name"]: row for row in json.loads(self.weft("compare", "net.onnx", "int8.bmodel", "-i", sample, "--per-layer", "--json"))["layers"]}
                 for sample in sorted(self.samples.iterdir())]
        for row in told["layers"]:
            added = [one[row["name"]]["added"]["sqnr_db"] for one in alone]
            if None in added:  # a layer that is exact in one
                continue
            found = row["added"]["sqnr_db"]
            self.assertEqual((found["worst"], found["worst_sample"]), (min(added), str(sorted(self.samples.iterdir())[int(np.argmin(added))])))
            self.assertAlmostEqual(found["mean"], float(np.mean(added)))
            self.assertRegex(text, rf"layer  pass '{row['name']}' .*  added sqnr mean {found['mean']:.2f}, worst {found['worst']:.2f} dB \(")
        self.assertTrue(all("added" not in row for row in told["outputs"]))

    def on_terminal(self, *arguments):
        """(exit code, stderr) where stderr is a terminal."""
        ours, theirs = pty.openpty()
        done = subprocess.Popen([WEFT, *map(str, arguments)], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        said = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the end of a terminal nobody writes to
                break
            said += part
        os.close(ours)
        return done.wait(), said.decode()

    def test_progress(self):
        """One line that is gone at the end, and only on a terminal."""
        single = ["compare", "net.onnx", "f16.bmodel", "-i", self.x, "--bisect"]
        code, said = self.on_terminal(*single)
        steps = [step for step in said.split("\r\x1b[K") if ", layer " not in step]
        self.assertEqual((code, steps[0], steps[-1]), (0, "", ""))
        self.assertEqual(steps[1:-1], ["comparing: the program runs", "comparing: the model is evaluated",
                                       "comparing: layers are evaluated on their own inputs", "comparing: the program is made again"])
        count = len(list(self.samples.iterdir()))
        said = self.on_terminal("compare", "net.onnx", "f16.bmodel", "--data", self.samples)[1]
        self.assertIn(f"\r\x1b[Kcomparing sample {count} of {count}: the program runs\r", said)
        code, said = self.on_terminal("compare", "net.onnx", "f16.bmodel", "-i", self.x, "--reference", "net.onnx")
        self.assertEqual((code, said.split("\r\x1b[K")[-1].startswith("weft: error: ")), (2, True))
        done = subprocess.run([WEFT, *map(str, single)], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_batches_that_are_filled_up(self):
        """Of a set only that sample has no layers."""
        graph = helper.make_graph([helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Sqrt", ["r"], ["y"])], "net",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["N", 64])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "batches.onnx")
        self.weft("convert", "batches.onnx", "-o", "batches.bmodel", "--precision", "f32", "--shape", "x=1..4x64")
        batches = self.folder / "batches"
        batches.mkdir()
        for index, size in enumerate((4, 3)):
            np.savez(batches / f"{index}.npz", x=RANDOM.normal(size=(size, 64)).astype(np.float32))
        said = self.weft("compare", "batches.onnx", "batches.bmodel", "--data", batches, "--per-layer")
        self.assertRegex(said, r"warning: \S*1.npz: layers are not compared: the batch of 3 is filled up")
        self.assertIn("2 samples, 0 failed", said)
        self.assertIn("give a full batch", self.weft("compare", "batches.onnx", "batches.bmodel", "-i", batches / "1.npz", "--per-layer", code=2))

    def test_files_of_numpy(self):
        """Compressed and in Fortran order, as tools of others write them; and numpy reads what run writes."""
        values = self.folder / "written.npz"
        self.weft("run", "f32.bmodel", "-i", self.x, "-o", values)
        with np.load(values) as arrays:
            written = {name: arrays[name] for name in arrays.files}
        np.savez_compressed(self.folder / "compressed.npz", **{f"{name}_Relu": np.asfortranarray(array) for name, array in written.items()})
        self.assertIn("(reference 'far_Relu')", self.weft("compare", "net.onnx", "f32.bmodel", "-i", self.x, "--reference", "compressed.npz"))

    def test_parts_with_a_reference(self):
        """The model is read for what its outputs join; a model that cannot be read is told."""
        values = self.folder / "values.npz"
        self.weft("run", "f32.bmodel", "-i", self.x, "-o", values)
        told = json.loads(self.weft("compare", "net.onnx", "f32.bmodel", "-i", self.x, "--reference", values, "--json"))
        self.assertIn("scores", [row["name"] for row in told["outputs"]])
        told = json.loads(self.weft("compare", "none.onnx", "f32.bmodel", "-i", self.x, "--reference", values, "--json"))
        self.assertIn("compared as a whole alone", told["warnings"][0])

    def test_options(self):
        self.assertIn("cosine is", self.weft("compare", "net.onnx", "int8.bmodel", "-i", self.x, "--limit", "cosine=1", code=1))
        for arguments, reason in ((["--limit", "speed=1"], "a key of cosine, sqnr, gain"), (["--limit", "gain=nan"], "'nan' is no finite number"),
                                  (["--limit", "gain=-1"], "gain=-1: must be 0 or more"), (["--limit", "cosine=2"], "cosine=2: must be from -1 to 1"),
                                  (["--layer-limit", "unequal=5"], "unequal=5: must be from 0 to 1"),
                                  (["--min-cosine", "0.9", "--limit", "cosine=0.8"], "limit cosine is given twice"),
                                  (["--samples", "3"], "--samples is for --data"),
                                  (["--data", self.samples], "--input and --data are both given")):
            self.assertIn(reason, self.weft("compare", "net.onnx", "int8.bmodel", "-i", self.x, *arguments, code=2))
        self.assertIn("--input is missing", self.weft("compare", "net.onnx", "int8.bmodel", code=2))
        self.assertIn("leave one out", self.weft("compare", "net.onnx", "int8.bmodel", "--data", self.samples, "--reference", self.x, code=2))

    def test_the_manual_has_every_key(self):
        section = MANUAL.read_text().split("## weft compare", 1)[1].split("\n## ", 1)[0]
        known = set(re.findall(r"`(\w+)`", section))

        def keys(value):
            if isinstance(value, list):
                return set().union(*map(keys, value)) if value else set()
            return set(value).union(*map(keys, value.values())) if isinstance(value, dict) and value else set()

        for arguments in (["-i", self.x, "--per-layer"], ["--data", self.samples], ["-i", self.x, "--score", "echo 1 #", "--task", "top1=features"]):
            told = json.loads(self.weft("compare", "net.onnx", "int8.bmodel", *arguments, "--json"))
            for name in ("limits", "layer_limits"):  # keys of docs/limits.md
                told.pop(name, None)
            self.assertEqual(keys(told) - known, set())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""`weft convert --precision auto`, precision tables and the expected accuracy.

  precision_test.py WEFT

The network has a product that 8 bits serve badly if its input has one step: one channel is fifty times as large as the others, and its
filter weighs it by a fiftieth. The others are harmless. (Recovered weights cure it, so most tests go without.)
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time
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


def unnamed_products():
    """Nodes whose products have no value of the model: the phases of a transposed convolution, both directions of a GRU, and their steps."""
    rng = np.random.default_rng(7)
    constants = {"w": rng.normal(size=(16, 8, 2, 2)), "W": rng.normal(size=(2, 48, 32)), "R": rng.normal(size=(2, 48, 16))}
    nodes = [helper.make_node("ConvTranspose", ["x", "w"], ["large"], name="grow", strides=[2, 2]), helper.make_node("Tanh", ["large"], ["bounded"]),
             helper.make_node("Reshape", ["bounded", "rows"], ["sequence"]),
             helper.make_node("GRU", ["sequence", "W", "R"], ["hidden"], name="memory", hidden_size=16, direction="bidirectional")]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16, 4, 4])], [helper.make_tensor_value_info("hidden", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array((v / 6).astype(np.float32), k) for k, v in constants.items()] +
                              [numpy_helper.from_array(np.array([8, -1, 32], np.int64), "rows")])
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
        return self.convert("--precision", "auto", "--recover", "off", "--calibration-data", "samples", *options, code=code)

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
        self.convert("--precision", "int8", "--recover", "off", "--calibration-data", "samples", "--precision-table", "t.yaml")
        self.assertEqual((self.folder / "net.bmodel").read_bytes(), program)

    def test_parts_of_an_output_are_judged_apart(self):
        """Boxes of hundreds beside scores up to 1, in one output as detectors have them."""
        model = network()
        nodes = [helper.make_node("Mul", ["x", "size"], ["boxes"]), helper.make_node("Reshape", ["a3", "same"], ["scores"]), helper.make_node("Concat", ["boxes", "scores", "fixed"], ["joined"], axis=1),
                 helper.make_node("Reshape", ["joined", "shape"], ["flat"]), helper.make_node("Transpose", ["flat"], ["out"], perm=[0, 2, 1])]
        model.graph.node.extend(nodes)
        for name, value in {"size": np.float32(300), "same": np.array([1, 16, 12, 12]), "fixed": np.ones((1, 2, 12, 12), np.float32), "shape": np.array([1, 34, 144])}.items():
            model.graph.initializer.append(numpy_helper.from_array(np.asarray(value), name))
        model.graph.output[0].name = "out"
        onnx.save(model, self.folder / "joined.onnx")

        def convert(name, *options):
            return subprocess.run([WEFT, "convert", name, "-o", "net.bmodel", "--recover", "off", "--calibration-data", "samples", *options], cwd=self.folder, capture_output=True, text=True)
        done = convert("joined.onnx", "--precision", "int8", "--json")
        output, = json.loads(done.stdout)["accuracy"]
        self.assertGreater(output["cosine"], 0.9999)
        boxes, scores = output["parts"]
        self.assertEqual(boxes["name"], "boxes")
        self.assertGreater(boxes["cosine"], 0.9999)
        alone = json.loads(convert("net.onnx", "--precision", "int8", "--json").stdout)["accuracy"][0]
        self.assertNotIn("parts", alone)
        # The same numbers but for f16 here, f32 there.
        self.assertAlmostEqual(scores["cosine"], alone["cosine"], delta=1e-4)
        self.assertAlmostEqual(scores["sqnr_db"], alone["sqnr_db"], delta=0.1)
        self.assertIn(f"weft: warning: part '{scores['name']}' of output 'out' has a cosine of", done.stderr)
        self.assertRegex(convert("joined.onnx", "--precision", "int8").stdout, r"\n  out +1\.00000 .*\n    boxes .*\n    a3 ")
        for goal in (["--target-cosine", "0.999"], ["--target-sqnr", "27"]):
            report = json.loads(convert("joined.onnx", "--precision", "auto", *goal, "--json", "--resume", "parts.log").stdout)
            again = json.loads(convert("joined.onnx", "--precision", "auto", *goal, "--json", "--resume", "parts.log").stdout)
            chosen, = (row for row in report["pareto"] if row["chosen"])
            self.assertEqual(chosen["float_products"], ["v2"], goal)
            self.assertGreaterEqual(chosen["outputs"][0]["parts"][1]["cosine"], 0.999)
            self.assertEqual(report["pareto"], again["pareto"])

    def test_one_sample_that_is_far_is_told(self):
        """weft compare judges each; the mean of these is above .99."""
        rng = np.random.default_rng(3)
        nodes = [helper.make_node("Conv", ["x", "w0"], ["a"], pads=[1] * 4), helper.make_node("Relu", ["a"], ["b"]),
                 helper.make_node("Conv", ["b", "w1"], ["y"], pads=[1] * 4)]
        graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 16, 12, 12])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                                  [numpy_helper.from_array((rng.normal(size=(16, 16, 3, 3)) / 12).astype(np.float32), f"w{i}") for i in range(2)])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "far.onnx")
        for folder in ("seen", "given"):
            (self.folder / folder).mkdir()
            for i in range(4):
                factor = 2.5 if (folder, i) == ("given", 2) else 1
                np.savez(self.folder / folder / f"{i}.npz", x=(factor * rng.normal(size=(1, 16, 12, 12))).astype(np.float32))
        for arguments in (["calibrate", "far.onnx", "--data", "seen", "-o", "far.table"],
                          ["convert", "far.onnx", "--precision", "int8", "--keep-int8", "--calibration", "far.table", "--calibration-data", "given",
                           "-o", "far.bmodel", "--json"]):
            done = subprocess.run([WEFT, *arguments], cwd=self.folder, check=True, capture_output=True, text=True)
        accuracy = json.loads(done.stdout)["accuracy"]
        self.assertRegex(done.stderr, r"warning: output 'y' has a cosine of 0\.9[78]\d+ with the float model on sample given/2\.npz", accuracy)

    def test_the_expected_accuracy_is_what_runs_give(self):
        done = self.convert("--precision", "int8", "--recover", "off", "--calibration-data", "samples", "--json")
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

    def test_samples_beside_a_table_are_measured_on(self):
        subprocess.run([WEFT, "calibrate", "net.onnx", "--data", "samples", "--recover", "off", "-o", "t"], cwd=self.folder, check=True, capture_output=True)
        at_once = self.convert("--precision", "int8", "--recover", "off", "--calibration-data", "samples", "--json")
        program = (self.folder / "net.bmodel").read_bytes()
        done = self.convert("--precision", "int8", "--calibration", "t", "--calibration-data", "samples", "--json")
        self.assertEqual((self.folder / "net.bmodel").read_bytes(), program)
        self.assertEqual(json.loads(done.stdout)["accuracy"], json.loads(at_once.stdout)["accuracy"])
        self.assertEqual([json.loads(one.stdout)["accuracy_samples"] for one in (done, at_once)], [4, 4])
        self.assertEqual([json.loads(one.stdout)["accuracy_samples_calibrated"] for one in (done, at_once)], [False, True])
        self.assertEqual(done.stderr, at_once.stderr)
        self.assertIn("weft: warning: output 'a3' has a cosine of", done.stderr)
        # The table that is made on the way is the one by which it is made again.
        self.convert("--precision", "int8", "--recover", "off", "--calibration-data", "samples", "--write-calibration", "written")
        self.assertEqual((self.folder / "written").read_text(), (self.folder / "t").read_text())
        text = self.convert("--precision", "int8", "--calibration", "t", "--calibration-data", "samples", "--samples", "1").stdout
        self.assertIn("expected accuracy, on 1 sample:\n", text)
        # Samples that have calibrated may be better than others, and the line says so.
        self.assertIn("expected accuracy, on 4 samples that the ranges are chosen on, too (others may do worse):\n",
                      self.convert("--precision", "int8", "--calibration-data", "samples").stdout)
        # Without samples a line says how to get the figures; a search takes the ranges of the table.
        self.assertIn("expected accuracy: not measured; --calibration-data DIR beside the table prints it\n",
                      self.convert("--precision", "int8", "--calibration", "t").stdout)
        self.assertNotIn("expected accuracy", self.convert("--precision", "f16", "--calibration", "t").stdout)
        auto = [json.loads(self.convert("--precision", "auto", *options, "--calibration-data", "samples", "--json").stdout)["pareto"]
                for options in (["--calibration", "t"], ["--recover", "off"])]
        self.assertEqual(*auto)

    def test_products_of_every_node_are_chosen_from(self):
        place = self.folder / "unnamed"
        (place / "samples").mkdir(parents=True)
        onnx.save(unnamed_products(), place / "net.onnx")
        for i in range(2):
            np.savez(place / "samples" / f"{i}.npz", x=np.random.default_rng(i).normal(size=(1, 16, 4, 4)).astype(np.float32))

        def convert(*options):
            done = subprocess.run([WEFT, "convert", "net.onnx", "-o", "net.bmodel", "--calibration-data", "samples", *options], cwd=place, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        # Any product of codes costs more than that; products that the table could not name stayed such.
        report = json.loads(convert("--precision", "auto", "--target-sqnr", "55", "--write-precision-table", "t.yaml", "--json", "--keep-int8"))
        chosen, = [row for row in report["pareto"] if row["chosen"]]
        self.assertEqual((chosen["float_products"], chosen["float_share"]), (["grow", "memory"], 1))
        program = (place / "net.bmodel").read_bytes()
        convert("--precision", "int8", "--precision-table", "t.yaml")
        self.assertEqual((place / "net.bmodel").read_bytes(), program)

        # Neither what int8 is by default nor f16 beats what is chosen.
        for goal in ("25", "55"):
            report = json.loads(convert("--precision", "auto", "--target-sqnr", goal, "--write-precision-table", "t.yaml", "--json"))
            chosen, = [row for row in report["pareto"] if row["chosen"]]
            program = (place / "net.bmodel").read_bytes()
            convert("--precision", "int8", "--precision-table", "t.yaml")
            self.assertEqual((place / "net.bmodel").read_bytes(), program)
            for precision in ("int8", "f16"):
                plain = json.loads(convert("--precision", precision, "--json"))
                cycles = json.loads(subprocess.run([WEFT, "profile", "net.bmodel", "--json"], cwd=place, capture_output=True, text=True, check=True).stdout)["total_cycles"]
                if plain["accuracy"][0]["sqnr_db"] >= float(goal):
                    self.assertLessEqual(chosen["cycles"], cycles, precision)

    def test_tables_of_whole_programs(self):
        (self.folder / "whole.yaml").write_text("precision: f16\n")
        self.convert("--precision", "f16", "--calibration-data", "samples")
        program = (self.folder / "net.bmodel").read_bytes()
        for precision in ("int8", "f16"):
            self.convert("--precision", precision, "--calibration-data", "samples", "--precision-table", "whole.yaml")
            self.assertEqual((self.folder / "net.bmodel").read_bytes(), program)
        done = self.convert("--precision", "bf16", "--precision-table", "whole.yaml", code=2)
        self.assertIn("the precision table is of a program of f16, --precision is bf16; give that of the table", done.stderr)

    def test_digits_tell_what_meets_the_goal(self):
        # A goal that the chosen program just meets, and one that it just misses in the sixth digit.
        row, = [row for row in json.loads(self.auto("--target-cosine", "0.999", "--json").stdout)["pareto"] if row["chosen"]]
        cosine, decibels = row["outputs"][0]["cosine"], row["outputs"][0]["sqnr_db"]
        for goal, place in ((["--target-cosine", f"{cosine + 2e-7:.9f}"], 0), (["--target-sqnr", f"{decibels + 2e-3:.6f}"], 1)):
            table = self.auto(*goal).stdout
            rows = re.findall(r"(?m)^ +(chosen|) +\w+ +\d+ +([\d.]+) +([\d.]+) dB ", table)
            before = [cells[1 + place] for cells in rows[:[bool(cells[0]) for cells in rows].index(True)]]
            self.assertTrue(before)
            for text in before:
                self.assertLess(float(text), float(goal[1]))

    def test_a_goal_says_what_is_far(self):
        done = self.auto("--target-cosine", "0.95", "--json")
        self.assertLess(json.loads(done.stdout)["accuracy"][0]["cosine"], 0.99)
        self.assertNotIn("warning", done.stderr)

    def test_a_step_for_each_channel_cures_it(self):
        report = json.loads(self.convert("--precision", "int8", "--calibration-data", "samples", "--json", "--keep-int8").stdout)
        self.assertGreaterEqual(report["accuracy"][0]["cosine"], 0.999)

    def test_a_goal_that_nothing_reaches(self):
        (self.folder / "net.bmodel").unlink(missing_ok=True)
        before = set(self.folder.iterdir())
        done = self.auto("--target-sqnr", "150", code=2)
        self.assertRegex(done.stderr, "no mix of int8 and f16 products reaches the goal on 6 samples; with all products in f16 the worst output has cosine .* dB, "
                                      "as a program of f16 the worst output has cosine .* dB; lower the goal, or take --precision f32")
        self.assertEqual(set(self.folder.iterdir()), before)

    def score(self, body):
        """A score command: Python text that has the path of the bmodel in `path`."""
        script = self.folder / "score.py"
        script.write_text(f"import sys, os, time\npath = sys.argv[1]\n{body}\n")
        return f"'{sys.executable}' score.py"

    # Multiplications of floats. Mixes alone, not what takes the fewest cycles.
    def test_a_score_decides(self):
        code = ("import json, subprocess\n"
                f"done = subprocess.run([{WEFT!r}, 'profile', path, '--json'], capture_output=True, check=True)\n"
                "floats = sum(one['macs'] for one in json.loads(done.stdout)['macs']['types'] if one['type'] != 'i8')\n")
        command = self.score(f"open('calls', 'a').write(path + '\\n')\nprint('noise')\n{code}print(floats)\nprint()")
        done = self.auto("--score", command, "--target-score", "1", "--keep-int8", "--json")
        report = json.loads(done.stdout)
        chosen, = [row for row in report["pareto"] if row["chosen"]]
        self.assertGreater(chosen["score"], 1)
        self.assertEqual(len(chosen["float_products"]), 1)
        calls = (self.folder / "calls").read_text().split()
        self.assertLess(len(calls), 8)  # not for the sensitivities
        self.assertFalse(any(pathlib.Path(path).exists() for path in calls))
        done = subprocess.run([sys.executable, "score.py", "net.bmodel"], cwd=self.folder, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.split(), ["noise", f"{chosen['score']:.0f}"])
        # In text as a column; {} is the place of the path.
        done = self.auto("--score", f"{command} {{}}", "--target-score", "1", "--keep-int8")
        self.assertRegex(done.stdout, r"of all +score\n")
        self.assertRegex(done.stdout, rf"chosen .* {chosen['score']:.0f}\n")

    def test_a_score_that_nothing_reaches(self):
        done = self.auto("--score", "echo 0.25; true", "--target-score", "0.5", code=2)
        self.assertIn("with all products in f16 the score is 0.25", done.stderr)

    def test_score_commands_that_fail(self):
        for command, options, message in [
                ("exit 3; true", [], "ended with exit code 3; it must end with 0 and print a number"),
                ("echo", [], "bmodel' at its end; it must print a number, higher is better"),
                ("true", [], "printed nothing; it must print a number"),
                ("echo nan; true", [], "printed 'nan' at its end"),
                ("echo inf; true", [], "printed 'inf' at its end"),
                ("echo 1; echo well; true", [], "printed 'well' at its end"),
                ("sleep 60; true", ["--score-timeout", "0.2"], "ran longer than 0.2 s; make it faster or give a longer --score-timeout"),
                ("no-such-command", [], "ended with exit code 127")]:
            with self.subTest(command=command):
                self.assertIn(message, self.auto("--score", command, "--target-score", "1", *options, code=2).stderr)

    def test_a_bound_on_floats(self):
        # Each of the four products is about a quarter of all multiplications.
        report = json.loads(self.auto("--max-float-macs", "25%", "--target-cosine", "0.999", "--json").stdout)
        chosen, = [row for row in report["pareto"] if row["chosen"]]
        self.assertTrue(report["goal_met"])
        self.assertEqual(chosen["float_products"], ["v2"])
        self.assertTrue(0.2 < chosen["float_share"] <= 0.25)
        # The most accurate mix if the goal is out of reach.
        done = self.auto("--max-float-macs", "0.5", "--target-cosine", "0.999999", "--json")
        self.assertIn("no mix with at most 50 % of the multiplications in float reaches the goal on 6 samples; with the most accurate one the "
                      "worst output has cosine 0.", done.stderr)
        report = json.loads(done.stdout)
        chosen, = [row for row in report["pareto"] if row["chosen"]]
        self.assertFalse(report["goal_met"])
        self.assertEqual(len(chosen["float_products"]), 2)
        self.assertIn("v2", chosen["float_products"])
        self.assertTrue(0.4 < chosen["float_share"] <= 0.5)
        none = json.loads(self.auto("--max-float-macs", "0", "--json").stdout)
        self.assertEqual([row["float_products"] for row in none["pareto"] if row["chosen"]], [[]])

    def test_depthwise_convolutions_count(self):
        model = network()
        for tensor in model.graph.initializer:
            if tensor.name == "w1":
                tensor.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(tensor)[:, :1].copy(), "w1"))
        model.graph.node[2].attribute.append(helper.make_attribute("group", 16))
        onnx.save(model, self.folder / "depthwise.onnx")
        for bound, names in (("100%", {"v1", "v2"}), ("34%", {"v2"})):
            done = subprocess.run([WEFT, "convert", "depthwise.onnx", "-o", "d.bmodel", "--precision", "auto", "--calibration-data", "samples",
                                   "--max-float-macs", bound, "--target-cosine", "0.99999", "--json"], cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            chosen, = [row for row in json.loads(done.stdout)["pareto"] if row["chosen"]]
            self.assertLessEqual(names, set(chosen["float_products"]))

    def test_other_samples_are_held_back(self):
        report = json.loads(self.auto("--search-samples", "3", "--json").stdout)
        self.assertEqual(report["held_back"]["samples"], 3)
        self.assertEqual([output["name"] for output in report["held_back"]["outputs"]], ["a3"])
        chosen, = [row for row in report["pareto"] if row["chosen"]]
        self.assertNotEqual(report["held_back"]["outputs"][0]["cosine"], chosen["outputs"][0]["cosine"])
        self.assertNotIn("held_back", json.loads(self.auto("--search-samples", "4", "--json").stdout))
        self.assertIn("on 3 others, held back, the worst output has cosine 0.", self.auto("--search-samples", "3").stdout)

    def test_other_samples_that_miss_the_goal(self):
        # Of the second one no mix can give more than a cosine of 0.94: the smallest number of f16 is 6e-8. The first one is searched on.
        (self.folder / "uneven").mkdir()
        for i, size in enumerate((1, 1e-7)):
            np.savez(self.folder / "uneven" / f"{i}.npz", x=np.load(self.folder / "samples" / f"{i}.npz")["x"] * np.float32(size))
        done = self.convert("--precision", "auto", "--recover", "off", "--calibration-data", "uneven", "--search-samples", "1", "--json")
        self.assertIn("the goal is met on the samples of the search, but on 1 others, held back, the worst output has cosine 0.", done.stderr)
        report = json.loads(done.stdout)
        chosen, = [row for row in report["pareto"] if row["chosen"]]
        self.assertGreaterEqual(chosen["outputs"][0]["cosine"], 0.998)
        self.assertLess(report["held_back"]["outputs"][0]["cosine"], 0.998)

    def test_an_interrupted_search_goes_on(self):
        (self.folder / "log").unlink(missing_ok=True)
        whole = self.auto("--target-cosine", "0.999", "--json")
        program = (self.folder / "net.bmodel").read_bytes()
        options = ["--precision", "auto", "--recover", "off", "--calibration-data", "samples", "--target-cosine", "0.999", "--json", "--resume", "log"]
        # Killed behind every few programs, until it comes to its end.
        kills = 0
        while True:
            process = subprocess.Popen([WEFT, "convert", "net.onnx", "-o", "resumed.bmodel", *options], cwd=self.folder,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            before = self.lines("log")
            while process.poll() is None and self.lines("log") < before + 2:
                time.sleep(0.002)
            if process.poll() is None and kills < 3:
                process.kill()
                kills += 1
                process.communicate()
                self.assertFalse((self.folder / "resumed.bmodel").exists())
                continue
            output, errors = process.communicate()
            self.assertEqual(process.returncode, 0, errors)
            break
        self.assertEqual(kills, 3)
        self.assertEqual((self.folder / "resumed.bmodel").read_bytes(), program)
        self.assertEqual(json.loads(output)["pareto"], json.loads(whole.stdout)["pareto"])
        # Once more: nothing is measured, the log stays as it is.
        kept = (self.folder / "log").read_bytes()
        self.convert(*options)
        self.assertEqual((self.folder / "log").read_bytes(), kept)
        # Another search, another file.
        done = self.convert(*options, "--method", "max", code=2)
        self.assertIn("log is of another search: the model, its samples, the options or the compiler differ; remove it or give another file",
                      done.stderr)
        (self.folder / "notes").write_text("mine\n")
        self.assertIn("notes is no log of a search; give another file", self.convert(*options[:-1], "notes", code=2).stderr)
        self.assertEqual((self.folder / "notes").read_text(), "mine\n")

    def lines(self, name):
        path = self.folder / name
        return path.read_bytes().count(b"\n") if path.exists() else 0

    def test_options_that_do_not_go_together(self):
        for options, message in [
                (["--precision", "auto"], "--precision auto measures programs on samples; give --calibration-data DIR"),
                (["--precision", "int8", "--calibration-data", "samples", "--target-sqnr", "20"], "--target-sqnr is for --precision auto, the precision is int8; leave it out"),
                (["--precision", "f16", "--no-float"], "--no-float is for --precision int8"),
                (["--precision", "f16", "--keep-int8"], "--keep-int8 is for --precision int8"),
                (["--precision", "f32", "--precision-table", "t.yaml"], "with --precision f32 leave it out"),
                (["--precision", "f16", "--group-size", "32"], "--group-size is for --precision w8f16 and w4f16, the precision is f16; leave it out"),
                (["--precision", "w4f16", "--group-size", "48"], "--group-size: 48 not in {0,16,32,64,128,256,512,1024}"),
                (["--precision", "w4f16", "--target", "zhouyi"], "unsupported: --precision w4f16 with --target zhouyi, which has no matrix unit; use f16 or int8"),
                (["--precision", "auto", "--calibration-data", "samples", "--no-float"], "chooses the floats itself"),
                (["--precision", "f16", "--method", "kl"], "--method is for --calibration-data, which is not given; leave it out"),
                (["--precision", "int8", "--calibration", "t", "--samples", "3"], "--samples is for --calibration-data, which is not given; the table has"),
                (["--precision", "int8", "--calibration", "t", "--calibration-data", "samples", "--method", "max"],
                 "--method is for calibrating, and --calibration gives the ranges already; leave it out"),
                (["--precision", "int8", "--calibration", "t", "--calibration-data", "samples", "--recover", "off"], "--recover is for calibrating"),
                (["--precision", "int8", "--calibration", "t", "--calibration-data", "samples", "--emit", "tpu"],
                 "--calibration-data beside --calibration is to run a bmodel on, and none is written; leave it out"),
                (["--precision", "int8", "--calibration", "t", "--calibration-data", "samples", "--target", "zhouyi"], "and none is written; leave it out"),
                (["--precision", "int8", "--calibration", "t", "--calibration-data", "samples", "--shape", "x=1|2x16x12x12"],
                 "--shape asks for 2 shapes, --calibration-data has samples of one; leave it out, or give one size for every axis"),
                (["--precision", "auto", "--calibration-data", "samples", "--target-cosine", "2"], "--target-cosine is 2, must be from 0 to 1"),
                (["--precision", "auto", "--calibration-data", "samples", "--target-cosine", "nan"], "--target-cosine is nan, must be from 0 to 1"),
                (["--precision", "auto", "--calibration-data", "samples", "--target-sqnr", "-1"], "--target-sqnr is -1, must be from 0 to 200"),
                (["--precision", "auto", "--calibration-data", "samples", "--score", "true"], "--score COMMAND and --target-score X belong together"),
                (["--precision", "auto", "--calibration-data", "samples", "--target-score", "1"], "--score COMMAND and --target-score X belong"),
                (["--precision", "auto", "--calibration-data", "samples", "--score", "true", "--target-score", "inf"], "must be a finite number"),
                (["--precision", "auto", "--calibration-data", "samples", "--score-timeout", "1"], "--score-timeout is for --score"),
                (["--precision", "auto", "--calibration-data", "samples", "--score", "true", "--target-score", "1", "--score-timeout", "0"],
                 "--score-timeout is 0, must be above 0"),
                (["--precision", "auto", "--calibration-data", "samples", "--max-float-macs", "10"], "must be a share of all, as 10% or 0.1"),
                (["--precision", "auto", "--calibration-data", "samples", "--max-float-macs", "nan%"], "must be a share of all, as 10% or 0.1"),
                (["--precision", "int8", "--calibration-data", "samples", "--max-float-macs", "10%"], "--max-float-macs is for --precision auto"),
                (["--precision", "auto", "--calibration-data", "samples", "--resume", "net.bmodel"], "--resume net.bmodel needs a file of its own"),
                (["--precision", "auto", "--calibration-data", "samples", "--resume", "net.onnx"], "net.onnx: --resume would overwrite the model; name another file"),
                (["--precision", "int8", "--calibration-data", "samples", "--precision-table", "absent.yaml"], "cannot read precision table")]:
            with self.subTest(options=options):
                self.assertIn(message, self.convert(*options, code=2).stderr)

    def test_entries_that_change_nothing(self):
        def warnings(precision, name, asked):
            (self.folder / "usual.yaml").write_text(f"ops:\n  {name}: {asked}\n")
            ranges = ["--calibration-data", "samples"] if precision == "int8" else []
            errors = self.convert("--precision", precision, *ranges, "--precision-table", "usual.yaml").stderr
            return [line for line in errors.splitlines() if line.startswith("weft: warning: net.onnx: the precision table")]

        anyway = "which --precision {} gives anyway; the entry changes nothing"
        no_product = "which is no product with constant weights and stays f16; the entry changes nothing"
        codes = "which is in codes beside any table if its input has a range (without one, --keep-int8 keeps it so); the entry changes nothing"
        few_bits = "whose weights keep 16 bits: codes are for matrices with rows of a multiple of 32 weights, where they save time"
        for precision, name, asked, says in [
                ("int8", "tanh0", "f16", anyway), ("int8", "a0", "f16", anyway),
                ("int8", "v1", "int8", codes), ("int8", "conv2", "int8", codes),
                ("int8", "scale", "int8", no_product), ("int8", "scale", "w4f16", no_product), ("int8", "conv1", "w4f16", few_bits), ("f16", "conv1", "f16", anyway),
                ("f16", "scale", "w4f16", no_product), ("f16", "conv1", "w8f16", few_bits), ("w8f16", "conv1", "w8f16", anyway), ("bf16", "tanh0", "bf16", anyway)]:
            with self.subTest(precision=precision, name=name, asked=asked):
                self.assertEqual(warnings(precision, name, asked), [f"weft: warning: net.onnx: the precision table asks for {asked} of '{name}', " + says.format(precision)])
        for precision, name, asked in [("int8", "v2", "f16"), ("int8", "conv1", "f32"), ("int8", "tanh0", "f32"), ("f16", "scale", "f32")]:
            with self.subTest(precision=precision, name=name, asked=asked):
                self.assertEqual(warnings(precision, name, asked), [])

    def test_floats_in_spite_of_no_float_are_named(self):
        """A step of a GRU multiplies its state, of which calibration knows nothing."""
        place = self.folder / "spite"
        (place / "samples").mkdir(parents=True)
        onnx.save(unnamed_products(), place / "net.onnx")
        np.savez(place / "samples" / "0.npz", x=np.random.default_rng(0).normal(size=(1, 16, 4, 4)).astype(np.float32))

        def convert(*options):
            done = subprocess.run([WEFT, "convert", "net.onnx", "-o", "net.bmodel", "--precision", "int8", "--calibration-data", "samples", "--json", *options], cwd=place, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            return json.loads(done.stdout)["float_share"], done.stderr

        share, said = convert("--no-float")
        self.assertGreater(share, 0)
        self.assertIn("weft: remark: net.onnx: --no-float leaves products of 1 node floats ('memory'): both of their sides are computed, they multiply what is inside of a node", said)
        self.assertNotIn("--no-float leaves", convert("--keep-int8")[1])
        self.assertNotIn("--no-float leaves", self.convert("--precision", "int8", "--calibration-data", "samples", "--no-float").stderr)

    def test_names_of_any_bytes(self):
        model = network()
        for node in model.graph.node:
            for names in (node.input, node.output):
                for i, name in enumerate(names):
                    if name == "v2":
                        names[i] = 'a "v\\\t2é'
        onnx.save(model, self.folder / "named.onnx")
        for options in (["--precision", "auto", "--write-precision-table", "n.yaml", "--target-cosine", "0.999"],
                        ["--precision", "int8", "--precision-table", "n.yaml"]):
            done = subprocess.run([WEFT, "convert", "named.onnx", "-o", "n.bmodel", "--recover", "off", "--calibration-data", "samples", *options], cwd=self.folder,
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn('"a \\"v\\\\\\x092é": f16', (self.folder / "n.yaml").read_text())

    def test_samples_that_become_nan(self):
        (self.folder / "infinite").mkdir()
        x = np.zeros((1, 16, 12, 12), np.float32)
        x[0, 0, 0, :2] = np.inf, -np.inf
        np.savez(self.folder / "infinite" / "a.npz", x=x)
        done = self.convert("--precision", "int8", "--calibration-data", "infinite", code=2)
        self.assertRegex(done.stderr, r"infinite/a\.npz: value '\w+' holds NaN; its range cannot be measured \(input 'x' holds infinities\)")

    def test_tables_give_single_products_few_bits(self):
        weights = np.random.default_rng(3).normal(size=(256, 512)).astype(np.float32)
        nodes = [helper.make_node("MatMul", ["x", "w0"], ["m0"], name="first"), helper.make_node("Tanh", ["m0"], ["t0"]),
                 helper.make_node("MatMul", ["t0", "w1"], ["m1"], name="second")]
        given, found = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8, 256]) for name in ("x", "m1"))
        graph = helper.make_graph(nodes, "net", [given], [found], [numpy_helper.from_array(weights, "w0"), numpy_helper.from_array(weights.T.copy(), "w1")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "rows.onnx")

        def program(precision, entry):
            (self.folder / "few.yaml").write_text("ops:\n  " + entry + "\n")
            return subprocess.run([WEFT, "convert", "rows.onnx", "--precision", precision, "--precision-table", "few.yaml", "--emit", "tpu", "-o", "-"],
                                  cwd=self.folder, capture_output=True, text=True)

        text = program("f16", "first: w4f16").stdout
        self.assertNotIn("warning", program("f16", "first: w4f16").stderr)
        self.assertEqual((text.count("tpu.coded_linear"), text.count("bits 4"), text.count("tpu.linear")), (1, 1, 1))
        text = program("w4f16", "second: w8f16").stdout
        self.assertEqual((text.count("bits 4"), text.count("bits 8")), (1, 1))
        text = program("w8f16", "m1: f16").stdout
        self.assertEqual((text.count("bits 8"), text.count("tpu.linear")), (1, 1))
        self.assertIn("asks for w8f16 of 'first', which --precision bf16 does not mix; its ops can be f32 besides",
                      program("bf16", "first: w8f16").stderr)

    def test_a_table_of_another_model(self):
        (self.folder / "other.yaml").write_text("ops:\n  conv9: f16\n")
        done = self.convert("--precision", "int8", "--calibration-data", "samples", "--precision-table", "other.yaml", code=2)
        self.assertIn("names 'conv9', which is no value or node of this model", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""`weft explain` as a user meets it: why groups end and values lie in DRAM, what was chosen, text, JSON and errors.

  explain_test.py WEFT TEST_DATA_FOLDER CLI_DOCUMENT

Each network is built so that one reason is the only one that there can be. What the search finds for a graph is tested in tests/lit.
"""
import json
import pathlib
import random
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import bad_files as bad
from json_schema import COUNT, FLAG, TEXT, keys, mismatches

WEFT, DATA, DOCUMENT = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])

CAUSE = {"cause": TEXT, "operation": TEXT, "nodes": [TEXT], "asked": COUNT, "limit": COUNT, "text": TEXT}
NULLABLE = ("border", "bound", "cause", "price")
BOUND = {"cycles": COUNT, "by": TEXT, "compute_cycles": COUNT, "dram_cycles": COUNT, "dram_bytes": COUNT}
# Every key, none may be missing or new: docs list the same (test_documented).
SCHEMA = {
    "file": TEXT, "chip": TEXT, "net": TEXT, "stage": COUNT, "stages": COUNT, "cycles": COUNT, "bound": BOUND,
    "steps": [{"step": COUNT, "operation": TEXT, "operations": COUNT, "first_nodes": [TEXT], "last_nodes": [TEXT], "slices": [COUNT],
               "streamed": FLAG, "cycles": COUNT, "bound": BOUND, "border": CAUSE}],
    "dram_values": [{"name": TEXT, "type": TEXT, "shape": [COUNT], "bytes": COUNT, "step": COUNT, "nodes": [TEXT], "readers": [COUNT],
                     "reason": TEXT, "cause": CAUSE}],
    "dram_totals": [{"reason": TEXT, "cause": TEXT, "values": COUNT, "bytes": COUNT}],
    "choices": [{"question": TEXT, "operation": TEXT, "nodes": [TEXT], "unit": TEXT, "taken": TEXT,
                 "ways": [{"name": TEXT, "price": COUNT}]}],
}


def weft(*arguments):
    return subprocess.run([WEFT, *map(str, arguments)], capture_output=True, text=True, errors="replace", timeout=120)


def node(op, inputs, output, **attributes):
    return helper.make_node(op, inputs.split(), output.split(), name=f"node_{output.split()[0]}", **attributes)


def tensor(name, *shape, dtype=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, dtype, list(shape))


class Explain(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.place = pathlib.Path(folder.name)

    def convert(self, model, *flags, name="m"):
        bad.write(self.place, model, f"{name}.onnx")
        result = weft("convert", self.place / f"{name}.onnx", "-o", self.place / f"{name}.bmodel", *flags)
        self.assertEqual(result.returncode, 0, result.stderr)
        return self.place / f"{name}.bmodel"

    def explain(self, model, *flags):
        """The JSON of a network, checked for what holds of each."""
        path = self.convert(model, *flags)
        result = weft("explain", path, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        report = json.loads(result.stdout)
        self.assertEqual(mismatches(SCHEMA, report, "explain", NULLABLE), [])
        totals, values = report["dram_totals"], report["dram_values"]
        self.assertEqual(sum(row["bytes"] for row in totals), sum(value["bytes"] for value in values))
        self.assertEqual(sum(row["values"] for row in totals), len(values))
        self.assertEqual([step["step"] for step in report["steps"]], list(range(len(report["steps"]))))
        for value in values:
            self.assertTrue(all(reader > value["step"] for reader in value["readers"]), value)
            self.assertTrue(value["readers"], value)
        text = weft("explain", path)
        self.assertEqual((text.returncode, text.stderr), (0, ""))
        for cause in filter(None, [step["border"] for step in report["steps"]] + [value["cause"] for value in values]):
            self.assertIn(cause["text"], text.stdout)
        return report

    def only_value(self, report):
        self.assertEqual(len(report["dram_values"]), 1, report["dram_values"])
        return report["dram_values"][0]

    def test_images_are_streamed(self):
        nodes = [node("Relu", "x", "a"), node("Neg", "a", "b"), node("Concat", "a b", "c", axis=1), node("Abs", "c", "y")]
        graph = helper.make_graph(nodes, "images", [tensor("x", 3, 64, 40, 40)], [tensor("y", 3, 128, 40, 40)])
        step = self.explain(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))["steps"][0]
        self.assertEqual((step["operations"], step["slices"], step["streamed"]), (4, [3, 1, 1, 1], True))
        self.assertIn("3x1x1x1 streamed", weft("explain", self.place / "m.bmodel").stdout)

    def test_one_group_leaves_nothing_in_dram(self):
        report = self.explain(bad.small())
        self.assertEqual(len(report["steps"]), 1)
        step = report["steps"][0]
        self.assertLessEqual(report["bound"]["cycles"], report["cycles"])
        self.assertGreater(step["bound"]["compute_cycles"], 0)
        self.assertGreater(step["bound"]["dram_bytes"], 0)
        self.assertEqual(step["bound"]["cycles"], max(step["bound"]["compute_cycles"], step["bound"]["dram_cycles"]))
        self.assertEqual((step["operation"], step["border"], step["slices"], step["streamed"]), ("group", None, [1, 1, 1, 1], False))
        self.assertEqual((step["last_nodes"], report["dram_values"], report["dram_totals"]), (["conv_0", "relu_0"], [], []))
        text = weft("explain", self.place / "m.bmodel").stdout
        self.assertIn("1 group, 0 operations outside; 0 intermediates of 0 bytes in DRAM", text)
        self.assertIn("the network ends", text)
        self.assertIn("no intermediate lies in DRAM", text)

    def test_a_turn_between_groups(self):
        nodes = [node("Sigmoid", "x", "a"), node("Transpose", "a", "t", perm=[0, 3, 2, 1]), node("Softmax", "t", "y", axis=3)]
        report = self.explain(bad.model(nodes, [tensor("x", 1, 8, 4, 6)], [tensor("y", 1, 6, 4, 8)]))
        self.assertEqual([step["operation"] for step in report["steps"]], ["group", "permute", "group"])
        before, behind = report["dram_values"]
        self.assertEqual((before["name"], before["reason"], before["readers"], before["bytes"]), ("a", "reader", [1], 4 * 8 * 4 * 6))
        self.assertEqual((before["shape"], before["type"]), ([1, 8, 4, 6], "f32"))
        self.assertEqual((behind["name"], behind["reason"], behind["shape"]), ("t", "maker", [1, 6, 4, 8]))
        for value in (before, behind):
            self.assertEqual((value["cause"]["cause"], value["cause"]["nodes"]), ("turn", ["node_t"]))
        self.assertEqual(report["steps"][0]["border"]["cause"], "turn")

    def test_an_output_that_is_read_again(self):
        nodes = [node("Sigmoid", "x", "a"), node("Transpose", "a", "y", perm=[0, 3, 2, 1])]
        report = self.explain(bad.model(nodes, [tensor("x", 1, 8, 4, 6)], [tensor("a", 1, 8, 4, 6), tensor("y", 1, 6, 4, 8)]))
        value = self.only_value(report)
        self.assertEqual((value["name"], value["reason"], value["cause"]), ("a", "output", None))

    def test_a_product_of_computed_matrices(self):
        nodes = [node("Sigmoid", "x", "a"), node("Tanh", "z", "b"), node("MatMul", "a b", "y")]
        report = self.explain(bad.model(nodes, [tensor("x", 1, 2, 16, 24), tensor("z", 1, 2, 24, 8)], [tensor("y", 1, 2, 16, 8)]))
        self.assertEqual({(value["name"], value["reason"], value["cause"]["cause"]) for value in report["dram_values"]},
                         {("a", "reader", "product"), ("b", "reader", "product")})

    def test_computed_indices(self):
        nodes = [node("Sigmoid", "x", "a"), node("Gather", "a i", "y", axis=0)]
        report = self.explain(bad.model(nodes, [tensor("x", 100, 32), tensor("i", 5, dtype=TensorProto.INT32)], [tensor("y", 5, 32)]))
        value = report["dram_values"][0]
        self.assertEqual((value["name"], value["cause"]["cause"], value["cause"]["nodes"]), ("a", "indices", ["node_y"]))

    def test_a_kernel_of_the_library(self):
        nodes = [node("Sigmoid", "x", "a"), node("TopK", "a k", "y i")]
        four = numpy_helper.from_array(np.array([4], np.int64), "k")
        report = self.explain(bad.model(nodes, [tensor("x", 4, 500)], [tensor("y", 4, 4), tensor("i", 4, 4, dtype=TensorProto.INT64)], [four]))
        cause = report["dram_values"][0]["cause"]
        self.assertEqual((cause["cause"], cause["nodes"]), ("library", ["node_y"]))
        self.assertNotIn("plugin", cause["text"])

    def test_the_host(self):
        large = numpy_helper.from_array(np.array(1e39), "large")
        nodes = [node("Sigmoid", "x", "r"), node("Mul", "r large", "m"), node("Div", "m large", "d"), node("Sigmoid", "d", "y")]
        report = self.explain(bad.model(nodes, [tensor("x", 2, 3, dtype=TensorProto.DOUBLE)], [tensor("y", 2, 3, dtype=TensorProto.DOUBLE)], [large]))
        self.assertEqual({(value["reason"], value["cause"]["cause"]) for value in report["dram_values"]}, {("reader", "host"), ("maker", "host")})
        self.assertIn("host", [step["operation"] for step in report["steps"]])

    def test_more_than_a_lane_holds(self):
        """Softmax wants its rows whole, and all of these are needed for the sums behind them."""
        count, shape = 10, (1, 64, 1, 7001)
        nodes = [node("Softmax", "x", "s0", axis=3)] + [node("Softmax", f"s{i}", f"s{i + 1}", axis=3) for i in range(count - 1)]
        nodes += [node("Add", f"{f't{i}' if i else 's0'} s{i + 1}", f"t{i + 1}") for i in range(count - 1)]
        report = self.explain(bad.model(nodes, [tensor("x", *shape)], [tensor(f"t{count - 1}", *shape)]))
        border = report["steps"][0]["border"]
        self.assertEqual((border["cause"], border["limit"]), ("memory", 262144))
        self.assertGreater(border["asked"], border["limit"])
        self.assertEqual({(value["reason"], value["cause"]["cause"]) for value in report["dram_values"] if value["step"] == 0},
                         {("border", "memory")})

    def test_one_group_that_costs_more_than_two(self):
        nodes = [node("Abs", "x", "a"), node("Neg", "z", "b")]
        small, large = (1, 64, 64, 64), (1, 64, 256, 256)
        report = self.explain(bad.model(nodes, [tensor("x", *small), tensor("z", *large)], [tensor("a", *small), tensor("b", *large)]))
        border = report["steps"][0]["border"]
        self.assertEqual((border["cause"], border["nodes"]), ("cost", ["node_b"]))
        self.assertGreaterEqual(border["asked"], border["limit"])
        self.assertEqual(report["dram_values"], [])

    def test_levels_limit_the_ops_of_a_group(self):
        nodes = [node("Abs", "x", "a"), node("Sigmoid", "a", "b"), node("Tanh", "b", "y")]
        report = self.explain(bad.model(nodes, [tensor("x", 1, 8, 4, 6)], [tensor("y", 1, 8, 4, 6)]), "-O0")
        self.assertEqual([step["border"] and (step["border"]["cause"], step["border"]["asked"], step["border"]["limit"])
                          for step in report["steps"]], [("ops", 2, 1), ("ops", 2, 1), None])
        self.assertEqual([(value["name"], value["reason"], value["cause"]["cause"]) for value in report["dram_values"]],
                         [("a", "border", "ops"), ("b", "border", "ops")])

    def test_choices_have_prices(self):
        """A convolution of three channels may be unfolded; a sigmoid of one channel wants more lanes."""
        nodes = [node("Conv", "x f b", "c", pads=[1, 1, 1, 1], strides=[2, 2])]
        model = bad.model(nodes, [tensor("x", 1, 3, 64, 64)], [tensor("c", 1, 64, 32, 32)], [bad.weights("f", 64, 3, 4, 4), bad.weights("b", 64)])
        report = self.explain(model, "--precision", "f16")
        (choice,) = [choice for choice in report["choices"] if choice["question"] == "unfold"]
        prices = {way["name"]: way["price"] for way in choice["ways"]}
        self.assertEqual((list(prices), choice["unit"], choice["nodes"]), (["as it is", "rows", "window"], "cycles", ["node_c"]))
        least = min(prices, key=prices.get)
        self.assertEqual(choice["taken"], least if prices[least] < prices["as it is"] * 4 // 5 else "as it is")
        thin = bad.model([node("Sigmoid", "x", "y")], [tensor("x", 1, 1, 256, 256)], [tensor("y", 1, 1, 256, 256)])
        (choice,) = self.explain(thin)["choices"]
        self.assertEqual((choice["question"], choice["taken"]), ("fill_lanes", choice["ways"][1]["name"]))
        self.assertRegex(weft("explain", self.place / "m.bmodel").stdout, r"fill_lanes +unary +node_y +1x\d+x\d+x\d+ +as it is \d+, 1x\S+ \d+ cycles\n")

    def test_a_concatenation_in_place_has_no_bytes_of_its_own(self):
        """What it joins is written where it lies, whoever reads it."""
        nodes = [node("Sigmoid", "x", "a"), node("Tanh", "z", "b"), node("Concat", "a b", "j", axis=0), node("Transpose", "j", "y", perm=[3, 1, 2, 0])]
        report = self.explain(bad.model(nodes, [tensor("x", 2, 8, 4, 6), tensor("z", 3, 8, 4, 6)], [tensor("y", 6, 8, 4, 5)]))
        self.assertEqual({value["name"]: value["bytes"] for value in report["dram_values"]}, {"a": 4 * 2 * 192, "b": 4 * 3 * 192})
        self.assertNotIn("concat", [step["operation"] for step in report["steps"]])

    def test_each_stage_is_explained(self):
        model = bad.model([node("Abs", "x", "y")], [tensor("x", "n", 8, 4, 4)], [tensor("y", "n", 8, 4, 4)])
        path = self.convert(model, "--shape", "x=1|4x8x4x4")
        report = json.loads(weft("explain", path, "--stage", 1, "--json").stdout)
        self.assertEqual((report["stage"], report["stages"]), (1, 2))
        self.assert_error(weft("explain", path, "--stage", 2), "there is no stage 2; net '.*' has 2")

    def test_the_same_model_is_explained_alike(self):
        texts = []
        for name in ("one", "another"):
            path = self.convert(bad.small(), name=name)
            texts.append((path.read_bytes().replace(name.encode(), b""), weft("explain", path).stdout.replace(str(path), "")))
        self.assertEqual(texts[0], texts[1])
        self.assertNotIn(str(self.place).encode(), path.read_bytes())

    def assert_error(self, result, says):
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, rf"\Aweft: error: [^\n]*({says})[^\n]*\n\Z")

    def test_files_that_do_not_say(self):
        says = "does not say what its compiler decided; only `weft convert` without --strip writes that"
        self.assert_error(weft("explain", self.convert(bad.small(), "--strip")), says)
        for model in sorted((DATA / "vendor-bmodels").glob("tiny_*.bmodel")):
            self.assert_error(weft("explain", model), says)

    def test_errors(self):
        path = self.convert(bad.small())
        self.assert_error(weft("explain", self.place / "none.bmodel"), "none.bmodel")
        self.assert_error(weft("explain", path, "--net", "nope"), "there is no net 'nope'")
        self.assert_error(weft("explain", path, "--net", ""), "--net: the value is empty")
        self.assert_error(weft("explain"), "bmodel")
        cut = bad.write(self.place, path.read_bytes()[:3000], "cut.bmodel")
        self.assert_error(weft("explain", cut), "cut.bmodel")
        program = self.place / "m.zyp"
        self.assertEqual(weft("convert", self.place / "m.onnx", "--target", "zhouyi", "-o", program).returncode, 0)
        self.assert_error(weft("explain", program), "weft explain")

    def test_a_damaged_record_is_refused_with_its_place(self):
        """Each number of the first step in turn becomes a large one."""
        nodes = [node("Sigmoid", "x", "a"), node("Transpose", "a", "y", perm=[0, 3, 2, 1])]
        path = self.convert(bad.model(nodes, [tensor("x", 1, 8, 4, 6)], [tensor("y", 1, 6, 4, 8)]))
        content = path.read_bytes()
        head = 64 + struct.unpack_from("<I", content, 8)[0]
        refused = set()
        for at in range(64, head - 4, 4):
            if content[at:at + 4] == bytes(4) or struct.unpack_from("<I", content, at)[0] > 64:
                continue  # padding, and what is hardly an index
            damaged = bad.write(self.place, content[:at] + b"\x7f\x7f\x7f\x7f" + content[at + 4:], "damaged.bmodel")
            result = weft("explain", damaged)
            if result.returncode == 0:
                continue
            self.assert_error(result, "damaged.bmodel")
            if match := re.search(r"debug_map\.decisions: (\w+)\[\d+\] at byte (\d+) of the file", result.stderr):
                refused.add(match[1])
                self.assertTrue(0 <= at - int(match[2]) < 64, result.stderr)
        self.assertLessEqual({"causes", "steps", "values", "readers"}, refused)

    def test_random_damage_does_no_harm(self):
        nodes = [node("Sigmoid", "x", "a"), node("Transpose", "a", "y", perm=[0, 3, 2, 1])]
        path = self.convert(bad.model(nodes, [tensor("x", 1, 8, 4, 6)], [tensor("y", 1, 6, 4, 8)]))
        content = path.read_bytes()
        head = 64 + struct.unpack_from("<I", content, 8)[0]
        dice = random.Random(1)
        for _ in range(200):
            damaged = bytearray(content)
            for _ in range(dice.randint(1, 3)):
                damaged[dice.randrange(64, head)] = dice.choice((0, 1, 0x7f, 0x80, 0xff))
            result = weft("explain", bad.write(self.place, bytes(damaged), "damaged.bmodel"))
            self.assertIn(result.returncode, (0, 2), result.stderr)
            self.assertLessEqual(result.stderr.count("\n"), 1)

    def test_documented(self):
        """Every key of the schema, and every kind of cause, reason and question, stands in the document, in code font."""
        text = DOCUMENT.read_text(encoding="utf-8")

        self.assertEqual({key for key in keys(SCHEMA) if f"`{key}`" not in text}, set())
        root = DOCUMENT.parents[1]
        rows = (root / "runtime" / "bmodel" / "DecisionKinds.def").read_text(encoding="utf-8")
        words = re.findall(r"^WEFT_(?:CAUSE|DRAM_REASON|QUESTION)\(\w+, (\w+),", rows, re.M)
        page = (root / "docs" / "explain.md").read_text(encoding="utf-8")
        self.assertGreater(len(words), 20)
        self.assertEqual([word for word in words if f"`{word}`" not in page], [])


unittest.main(argv=sys.argv[:1])

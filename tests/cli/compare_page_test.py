#!/usr/bin/env python3
"""`weft compare --html` in a real browser: the page of a good and a bad program, of sets, of 2,000 nodes, of names that are no names.

  compare_page_test.py WEFT MODELS DATA   (MODELS: models/, whose networks are made; DATA: tests/data)

It needs the headless Chromium that scripts/setup test installs. Times of painting are printed; the bound on them is
what the manual promises, several times what is measured.
"""
import importlib.util
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

import browser

WEFT = str(pathlib.Path(sys.argv[1]).resolve())
MODELS, DATA = pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
RANDOM = np.random.default_rng(3)
INSTALL = "install chromium-headless-shell, as scripts/setup test does"
# What the manual promises of a detector.
MOST_BYTES, MOST_MILLISECONDS = 5 << 20, 1000
ODD = "</script><script>alert(1)</script>\"'&<!-- {/* content */} /* graph.js */ \u00e9\u4e2d\u2028"


def net(nodes, outputs, constants, shape):
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)],
                              [helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in outputs],
                              [numpy_helper.from_array(value, name) for name, value in constants.items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def small(factor=1.0, odd="odd"):
    """Image -> Conv -> Relu -> Mul -> Conv; the node of the Mul and its value are called `odd`."""
    random = np.random.default_rng(1)
    constants = {"w": random.normal(size=(16, 3, 3, 3)).astype(np.float32), "v": random.normal(size=(8, 16, 1, 1)).astype(np.float32),
                 "f": np.float32(factor)}
    nodes = [helper.make_node("Conv", ["x", "w"], ["first"], name="conv_1", pads=[1, 1, 1, 1]), helper.make_node("Relu", ["first"], ["positive"], name="relu_1"),
             helper.make_node("Mul", ["positive", "f"], [odd], name=odd), helper.make_node("Conv", [odd, "v"], ["last"], name="conv_2")]
    return net(nodes, ["last", odd], constants, [1, 3, 32, 24])


def long_chain(count):
    """Branches that are joined again; about `count` nodes."""
    value, nodes, constants = "x", [], {}
    for i in range(count // 4):
        if i % 20 == 0:
            constants[f"w{i}"] = (RANDOM.normal(size=(8, 8, 1, 1)) / 3).astype(np.float32)
            nodes.append(helper.make_node("Conv", [value, f"w{i}"], [f"conv{i}"]))
            value = f"conv{i}"
        nodes += [helper.make_node("Sigmoid", [value], [f"a{i}"]), helper.make_node("Tanh", [value], [f"b{i}"]),
                  helper.make_node("Mul", [f"a{i}", value], [f"c{i}"]), helper.make_node("Add", [f"b{i}", f"c{i}"], [f"d{i}"])]
        value = f"d{i}"
    return net(nodes, [value], constants, [1, 8, 6, 6])


def image(shape, seed=0):
    y, x = np.mgrid[0:shape[2], 0:shape[3]]
    return np.stack([np.sin(x / (3 + c) + seed) + np.cos(y / 5) for c in range(shape[1])])[None].astype(np.float32)


def architecture(name):
    source = MODELS / "architectures" / "make.py"
    spec = importlib.util.spec_from_file_location("architectures", source)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.make(name)


class ComparePage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.browser = cls.enterClassContext(browser.Browser()) if browser.find() else None
        onnx.save(small(), cls.folder / "right.onnx")
        onnx.save(small(1.5), cls.folder / "wrong.onnx")
        (cls.folder / "set").mkdir()
        for seed in range(3):
            np.savez(cls.folder / "set" / f"{seed}.npz", x=image((1, 3, 32, 24), seed))
        for name in ("right", "wrong"):
            cls.weft("convert", f"{name}.onnx", "-o", f"{name}.bmodel", "--precision", "f16")

    @classmethod
    def run_weft(cls, *arguments):
        return subprocess.run([WEFT, *map(str, arguments)], cwd=cls.folder, capture_output=True, text=True)

    @classmethod
    def weft(cls, *arguments, code=0):
        done = cls.run_weft(*arguments)
        assert done.returncode == code or code is None and done.returncode < 2, f"exit code {done.returncode}: {done.stderr}{done.stdout}"
        return done.stdout

    def compared(self, reference, program, *options, code=0, data="set/0.npz"):
        """The content of the page. A `code` of None is any verdict."""
        self.weft("compare", reference, program, *(("--data", "set") if data == "set" else ("-i", data)), "--html", "page.html", *options, code=code)
        text = (self.folder / "page.html").read_text(encoding="utf-8")
        scripts = re.findall(r"<script[^>]*>(.*?)</script>", text, re.DOTALL)
        self.assertEqual(len(scripts), 2)
        return json.loads(scripts[0])

    def opened(self, **options):
        if not self.browser:
            self.fail(f"no Chromium; {INSTALL}")
        return self.browser.open((self.folder / "page.html").as_uri() + options.pop("hash", ""), **options)

    def test_a_right_program(self):
        told = self.compared("right.onnx", "right.bmodel")["comparison"]
        self.assertTrue(told["passed"])
        self.assertTrue(all("png" in each for each in told["samples"][0]["inputs"]))
        nodes = told["graph"]["nodes"]
        self.assertEqual([node["op"] for node in nodes], ["", "Conv", "Relu", "Mul", "Conv"])
        self.assertEqual([edge[:2] for edge in told["graph"]["edges"]], [[0, 1], [1, 2], [2, 3], [3, 4]])
        for row in told["layers"]:
            elements = 16 * 32 * 24 if row["name"] != "last" else 8 * 32 * 24
            for key in ("result", "reference", "error", "added_error"):
                self.assertEqual(sum(row[key]), elements, row["name"])
        page = self.opened()
        self.assertEqual(page.text("#badge"), "passes")
        self.assertIn("right.bmodel", page.text("#title"))
        for tab in ("graph", "layers", "timeline", "inputs", "overview"):
            page.click_on(f"#show-{tab}")
            self.assertEqual(page.evaluate("[...document.querySelectorAll('[role=tabpanel]')].filter((each) => !each.hidden).map((each) => each.id)"), [tab + "-tab"])
        self.assertEqual(page.evaluate("document.querySelector('#inputs img').naturalWidth"), 24)
        self.assertEqual(page.complaints(), [])

    def test_a_wrong_layer_is_one_click_from_its_commands(self):
        told = self.compared("right.onnx", "wrong.bmodel", code=1)
        self.assertFalse(told["comparison"]["passed"])
        bad = told["comparison"]["samples"][0]["first_failed_layer"]
        page = self.opened()
        self.assertEqual(page.text("#badge"), "fails")
        page.click_on("#toFirstFailed")
        self.assertIn(bad, page.text("#layer"))
        self.assertIn("gain", page.text("#layer"))
        # The node, by the mouse: in the middle of the graph after a click on its row.
        page.click_on("#graphFit")
        place = page.evaluate(f"(() => {{ const node = nodes.find((each) => each.value === {json.dumps(bad)}), box = graphCanvas.getBoundingClientRect(); "
                              "chooseNode(-1, false); return [box.left + (node.x - camera.x) * camera.scale, box.top + (node.y - camera.y) * camera.scale]; })()")
        self.assertNotIn("gain", page.text("#layer"))
        page.click(*place)
        self.assertIn("Fails as a layer", page.text("#layer"))
        self.assertEqual(page.evaluate("document.querySelectorAll('#layer svg').length"), 2)
        count = page.evaluate("document.querySelector('#toCommands').textContent.replace(/\\D/g, '')")
        page.click_on("#toCommands")
        self.assertFalse(page.evaluate("document.getElementById('timeline-tab').hidden"))
        self.assertTrue(page.text("#found").startswith(count + " of "))
        self.assertIn(bad, page.text("#detail"))
        page.evaluate("chooseNode(-1, false)")
        page.click_on("#toNode")
        self.assertIn("Fails as a layer", page.text("#layer"))
        self.assertEqual(page.complaints(), [])

    def test_keys_and_search(self):
        self.compared("right.onnx", "wrong.bmodel", code=1)
        page = self.opened(hash="#tab=graph", dark=True)
        self.assertEqual(page.evaluate("document.documentElement.dataset.theme"), "dark")
        page.evaluate("chooseNode(-1, false); document.getElementById('graph').focus()")
        for name, title in (("ArrowDown", "x"), ("ArrowDown", "first"), ("ArrowDown", "positive"), ("ArrowUp", "first")):
            page.key(name)
            self.assertEqual(page.evaluate("nodes[chosenNode].title"), title)
        page.evaluate("document.getElementById('findNode').focus()")
        page.call("Input.insertText", text="Mul")
        page.frame()
        self.assertEqual(page.text("#foundNodes"), "1 of 5")
        page.key("Enter")
        self.assertEqual(page.evaluate("nodes[chosenNode].op"), "Mul")
        page.evaluate("document.getElementById('graphColour').value = 'cycles'; document.getElementById('graphColour').onchange()")
        page.frame()
        self.assertEqual(page.complaints(), [])

    def test_odd_names(self):
        onnx.save(small(1.25, odd=ODD), self.folder / "odd.onnx")
        self.weft("convert", "odd.onnx", "-o", "odd.bmodel", "--precision", "f16")
        told = self.compared("odd.onnx", "odd.bmodel")
        # What breaks lines or shows nothing is written byte by byte.
        shown = ODD.replace("\u2028", "\\xe2\\x80\\xa8")
        self.assertIn(shown, [node["value"] for node in told["comparison"]["graph"]["nodes"]])
        page = self.opened()
        page.click_on("#show-layers")
        self.assertIn(shown, page.text("#layers"))
        self.assertEqual(page.complaints(), [])

    def test_sets_show_the_worst_sample(self):
        told = self.compared("right.onnx", "right.bmodel", data="set")["comparison"]
        self.assertEqual([sample["name"].split("/")[-1] for sample in told["samples"]], ["0.npz", "1.npz", "2.npz"])
        for row in told["layers"]:
            self.assertEqual((row["samples"], row["failed_samples"]), (3, 0))
            self.assertGreaterEqual(row["mean_sqnr"], row["added"]["sqnr"] - 0.01)
            self.assertIn("result", row)
        page = self.opened()
        self.assertIn("2.npz", page.text("#samples"))
        self.assertEqual(page.evaluate("document.querySelectorAll('#inputs img').length"), 3)
        self.assertEqual(page.complaints(), [])

    def test_other_references(self):
        """Another program, which has no graph; and a file of values, whose model has one."""
        told = self.compared("wrong.bmodel", "right.bmodel", code=1)["comparison"]
        self.assertFalse(told["graph"]["has_edges"])
        self.assertEqual([node["value"] for node in told["graph"]["nodes"]], [row["name"] for row in told["layers"]])
        page = self.opened(hash="#tab=graph")
        self.assertIn("layers stand in their order", page.text("#graphHint"))
        page.evaluate("chooseNode(0, false); document.getElementById('graph').focus()")
        page.key("ArrowDown")
        self.assertEqual(page.evaluate("chosenNode"), 1)
        self.assertEqual(page.complaints(), [])
        self.weft("run", "right.bmodel", "-i", "set/0.npz", "-o", "values.npz")
        told = self.compared("right.onnx", "right.bmodel", "--reference", "values.npz")["comparison"]
        self.assertTrue(told["graph"]["has_edges"])
        self.assertEqual(self.opened().complaints(), [])

    def test_a_program_of_vector_operations(self):
        """It has no commands of the chip, so there is no timeline."""
        onnx.save(net([helper.make_node("Sigmoid", ["x"], ["y"])], ["y"], {}, [1, 64]), self.folder / "vector.onnx")
        np.savez(self.folder / "row.npz", x=RANDOM.normal(size=(1, 64)).astype(np.float32))
        self.weft("convert", "vector.onnx", "--target", "zhouyi", "-o", "vector.zyp")
        told = self.compared("vector.onnx", "vector.zyp", data="row.npz")
        self.assertIsNone(told["profile"])
        self.assertEqual(len(told["comparison"]["samples"][0]["inputs"][0]["curve"]), 64)
        page = self.opened()
        self.assertFalse(page.evaluate("[...document.querySelectorAll('[role=tab]')].some((each) => each.textContent === 'Timeline')"))
        self.assertEqual(page.complaints(), [])

    def test_the_page_is_the_same_every_time(self):
        self.compared("right.onnx", "right.bmodel")
        first = (self.folder / "page.html").read_bytes()
        self.compared("right.onnx", "right.bmodel")
        self.assertEqual((self.folder / "page.html").read_bytes(), first)

    def measured(self, name, told, tab):
        """The page, milliseconds to the first paint and until it can be used, bytes."""
        page = self.opened(hash="#tab=" + tab)
        paint = page.first_paint()
        page.wait("performance.getEntriesByType('navigation')[0].loadEventEnd > 0")
        ready = page.evaluate("performance.getEntriesByType('navigation')[0].loadEventEnd")
        size = (self.folder / "page.html").stat().st_size
        print(f"{name}: {len(told['comparison']['graph']['nodes'])} nodes, {len(told['comparison']['layers'])} layers, {size / 1e6:.2f} MB, "
              f"{tab} paints after {paint:.0f} ms, is ready after {ready:.0f} ms")
        self.assertEqual(page.complaints(), [])
        return page, paint, size

    def test_a_detector(self):
        onnx.save(architecture("yolo_v5"), self.folder / "yolo.onnx")
        np.savez(self.folder / "photo.npz", x=image((1, 3, 320, 320)))
        self.weft("convert", "yolo.onnx", "-o", "yolo.bmodel", "--precision", "f16")
        told = self.compared("yolo.onnx", "yolo.bmodel", data="photo.npz", code=None)
        for tab in ("overview", "graph"):
            _, paint, size = self.measured("yolo_v5", told, tab)
            self.assertLess(paint, MOST_MILLISECONDS)
            self.assertLess(size, MOST_BYTES)

    def test_two_thousand_nodes(self):
        onnx.save(long_chain(2000), self.folder / "long.onnx")
        np.savez(self.folder / "long.npz", x=RANDOM.normal(size=(1, 8, 6, 6)).astype(np.float32))
        self.weft("convert", "long.onnx", "-o", "long.bmodel", "--precision", "f32")
        told = self.compared("long.onnx", "long.bmodel", data="long.npz", code=None)
        self.assertGreater(len(told["comparison"]["graph"]["nodes"]), 2000)
        self.measured("long chain", told, "overview")
        page, _, size = self.measured("long chain", told, "graph")
        self.assertLess(size, 2 * MOST_BYTES)
        frame = page.evaluate("(() => { const begin = performance.now(); drawGraph(); return performance.now() - begin; })()")
        print(f"long chain: a frame of the whole graph takes {frame:.0f} ms")
        page.click_on("#graph")
        page.evaluate("chooseNode(1000, true)")
        page.frame()
        self.assertIn(told["comparison"]["graph"]["nodes"][1000]["value"], page.text("#layer"))
        self.assertEqual(page.complaints(), [])

    def assert_error(self, says, *options):
        done = self.run_weft("compare", "right.onnx", "right.bmodel", "-i", "set/0.npz", *options)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, rf"\Aweft: error: [^\n]*{says}[^\n]*(?<!\.)\n\Z")

    def test_errors(self):
        self.assert_error("none/page.html", "--html", "none/page.html")
        self.assert_error("--html would overwrite", "--html", "right.bmodel")
        self.assert_error("--html would overwrite", "--html", "right.onnx")
        self.assert_error("both write to stdout", "--html", "-", "--json")
        self.assert_error("--html: the value is empty", "--html", "")
        self.weft("convert", "right.onnx", "-o", "stripped.bmodel", "--precision", "f16", "--strip")
        done = self.run_weft("compare", "right.onnx", "stripped.bmodel", "-i", "set/0.npz", "--html", "stripped.html")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no debug map", done.stderr)
        self.assertFalse((self.folder / "stripped.html").exists())
        self.assertTrue(self.weft("compare", "right.onnx", "right.bmodel", "-i", "set/0.npz", "--html", "-").rstrip().endswith("</html>"))

    def test_json_beside_it(self):
        told = json.loads(self.weft("compare", "right.onnx", "right.bmodel", "-i", "set/0.npz", "--html", "beside.html", "--json"))
        self.assertTrue(told["passed"] and told["layers"])
        self.assertTrue((self.folder / "beside.html").exists())


class ProfilePage(unittest.TestCase):
    def test_opens(self):
        self.assertTrue(browser.find(), f"no Chromium; {INSTALL}")
        with tempfile.TemporaryDirectory() as folder, browser.Browser() as shown:
            page = pathlib.Path(folder) / "page.html"
            subprocess.run([WEFT, "profile", DATA / "vendor-bmodels" / "ppocr_cls_F16.bmodel", "--html", page], check=True, capture_output=True)
            opened = shown.open(page.as_uri())
            self.assertLess(opened.first_paint(), MOST_MILLISECONDS)
            self.assertIn("ppocr_cls_F16", opened.text("#title"))
            opened.click_on("#kinds tbody tr")
            self.assertIn(" of ", opened.text("#found"))
            opened.click_on("#timeline")
            self.assertIn("cycles", opened.text("#detail"))
            self.assertEqual(opened.complaints(), [])


unittest.main(argv=sys.argv[:1])

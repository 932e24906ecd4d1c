#!/usr/bin/env python3
"""Names are bytes of others: whatever is written is text of one meaning, and no two of them become one.

  names_test.py WEFT TEST_DATA_FOLDER
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unicodedata
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEFT, DATA = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2])
# Escape sequences, a line that looks like Weft's, marks of direction (embedded, isolated, of one byte pair) and of no width, a byte order
# mark, a CSI of one code point, a line separator.
ODD = ["a\x1b[31mred", "b\nweft: error: all is lost", "c\u202egnp.exe", "d\u2066x\u2069", "e\u200bf", "g\ufeff", "h\u009b31m", "i\u2028j", "k\tl\r", "m\x7f"]
FLOAT = TensorProto.FLOAT


def floats(name, shape=(1, 4)):
    return helper.make_tensor_value_info(name, FLOAT, shape)


def model(nodes, inputs, outputs, initializers=()):
    graph = helper.make_graph(nodes, "graph", inputs, outputs, list(initializers))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()


class Names(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def weft(self, *arguments, code=0):
        """Both streams, which must be text in which nothing moves."""
        run = subprocess.run([WEFT, *map(str, arguments)], cwd=self.folder, capture_output=True, timeout=120)
        self.assertEqual(run.returncode, code, run.stderr)
        texts = run.stdout.decode(), run.stderr.decode()
        for text in texts:
            bad = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp") and c not in "\n\t"}
            self.assertEqual(bad, set(), text[:2000])
        for line in texts[1].splitlines():
            self.assertRegex(line, r"^(weft: |searching|comparing)")
            self.assertNotRegex(line, r"^weft: error: all is lost")
        return texts

    def odd_model(self, name):
        weights = numpy_helper.from_array(np.eye(4, dtype=np.float32), name + "w")
        return model([helper.make_node("MatMul", [name + "x", name + "w"], [name + "m"], name=name),
                      helper.make_node("Relu", [name + "m"], [name + "y"], name=name + "!")], [floats(name + "x")], [floats(name + "y")], [weights])

    def test_odd_names_go_through_everything(self):
        values = np.array([[1, -2, 3, -4]], np.float32)
        for name in ODD:
            with self.subTest(name=name):
                (self.folder / "odd.onnx").write_bytes(self.odd_model(name))
                np.savez(self.folder / "in.npz", **{name + "x": values})
                self.weft("convert", "odd.onnx", "-o", "odd.bmodel")
                self.weft("convert", "odd.onnx", "--json", "-o", "odd.bmodel")
                self.weft("run", "odd.bmodel", "--input", "in.npz", "--output", "out.npz")
                with np.load(self.folder / "out.npz") as found:
                    self.assertEqual(found.files, [name + "y"])
                    self.assertTrue(np.array_equal(found[name + "y"], np.maximum(values, 0)))
                told = json.loads(self.weft("run", "odd.bmodel", "--input", "in.npz", "--output", "out.npz", "--json")[0])
                self.assertEqual(told["outputs"][0]["name"], name + "y")
                for command in (["info"], ["info", "--json"], ["info", "--check"], ["disasm"], ["disasm", "--json"], ["profile"], ["explain"]):
                    self.weft(command[0], "odd.bmodel", *command[1:])
                self.weft("compare", "odd.onnx", "odd.bmodel", "--input", "in.npz", "--per-layer", "--html", "page.html")
                page = (self.folder / "page.html").read_text()
                self.assertEqual({c for c in page if unicodedata.category(c) in ("Cf", "Zl", "Zp")}, set())
                self.weft("profile", "odd.bmodel", "--html", "profile.html")
                # The shape does not fit, and the message has the name.
                np.savez(self.folder / "wrong.npz", **{name + "x": values[:, :3]})
                self.weft("run", "odd.bmodel", "--input", "wrong.npz", "--output", "out.npz", code=2)

    def test_messages_of_the_importer(self):
        for name in ODD + ["n\udcff"]:
            raw = name.encode("utf-8", "surrogateescape")
            content = model([helper.make_node("Frobnicate", ["x"], ["PLACE"], name="PLACE")], [floats("x")], [floats("PLACE")])
            size = len(b"PLACE")
            self.assertLessEqual(len(raw), 126)
            (self.folder / "bad.onnx").write_bytes(self.renamed(content, raw))
            self.weft("convert", "bad.onnx", "-o", "y.bmodel", code=2)
            self.assertFalse((self.folder / "y.bmodel").exists())
            self.assertEqual(size, 5)

    @staticmethod
    def renamed(content, raw):
        """The model with `raw` (not always UTF-8, so that ONNX's own library would refuse it) for PLACE."""
        parsed = onnx.load_from_string(content)
        text = raw.decode("latin-1")
        assert len(text.encode()) >= len(raw)
        for node in parsed.graph.node:
            node.name = node.name.replace("PLACE", "P" * len(raw))
            for list_ in (node.input, node.output):
                for i, value in enumerate(list_):
                    list_[i] = value.replace("PLACE", "P" * len(raw))
        for value in (*parsed.graph.input, *parsed.graph.output):
            value.name = value.name.replace("PLACE", "P" * len(raw))
        return parsed.SerializeToString().replace(b"P" * len(raw), raw)

    def test_names_that_a_bmodel_cannot_hold(self):
        for raw, says in ((b"n\xffame", r"'n\\xffame' is no UTF-8"), (b"n\0ame", r"'n\\x00ame' has a zero byte")):
            for ins, outs, kind in (("PLACE", "y", "input"), ("x", "PLACE", "output")):
                content = model([helper.make_node("Relu", [ins], [outs])], [floats(ins)], [floats(outs)])
                (self.folder / "bad.onnx").write_bytes(self.renamed(content, raw))
                error = self.weft("convert", "bad.onnx", "-o", "y.bmodel", code=2)[1]
                self.assertRegex(error, rf"the name of {kind} {says}, a bmodel cannot hold it; give it another name in the model")
                self.assertFalse((self.folder / "y.bmodel").exists())

    def test_inner_names_that_are_no_text(self):
        """Names of nodes and of values inside are for messages and listings only."""
        content = model([helper.make_node("Exp", ["x"], ["PLACE"], name="PLACE"), helper.make_node("Softmax", ["PLACE"], ["y"])], [floats("x")], [floats("y")])
        (self.folder / "odd.onnx").write_bytes(self.renamed(content, b"n\xff\xe2\x80\xae"))
        self.weft("convert", "odd.onnx", "-o", "odd.bmodel")
        np.savez(self.folder / "in.npz", x=np.array([[1, -2, 3, -4]], np.float32))
        for command in (["info"], ["info", "--json"], ["disasm"], ["disasm", "--json"], ["profile"], ["profile", "--json"], ["explain"],
                        ["explain", "--json"]):
            self.weft(command[0], "odd.bmodel", *command[1:])
        self.weft("compare", "odd.onnx", "odd.bmodel", "--input", "in.npz", "--per-layer", "--json")
        self.weft("compare", "odd.onnx", "odd.bmodel", "--input", "in.npz", "--per-layer", "--html", "page.html")
        (self.folder / "page.html").read_text()

    def test_outputs_that_numpy_takes_for_one(self):
        content = model([helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Neg", ["x"], ["y.npy"])], [floats("x")],
                        [floats("y"), floats("y.npy")])
        (self.folder / "two.onnx").write_bytes(content)
        self.weft("convert", "two.onnx", "-o", "two.bmodel")
        np.savez(self.folder / "in.npz", x=np.array([[1, -2, 3, -4]], np.float32))
        error = self.weft("run", "two.bmodel", "--input", "in.npz", "--output", "out.npz", code=2)[1]
        self.assertIn("the name 'y.npy' is that of another array but for .npy, which NumPy takes for the same; an npz archive cannot hold it", error)
        self.assertFalse((self.folder / "out.npz").exists())

    def test_files_with_names_that_are_no_text(self):
        tiny = (DATA / "vendor-bmodels" / "tiny_f32.bmodel").read_bytes()
        at = tiny.find(b"tiny\0")
        self.assertGreater(at, 0)
        for byte, says in ((b"\xff", r"net 't\\xffny': the name is no UTF-8"), (b"\0", r"net 't\\x00ny': the name has a zero byte")):
            (self.folder / "odd.bmodel").write_bytes(tiny[:at] + b"t" + byte + b"ny\0" + tiny[at + 5:])
            self.assertRegex(self.weft("info", "odd.bmodel", code=2)[1], says)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

#!/usr/bin/env python3
"""Models whose inputs and outputs are strings, and what is said where strings cannot be.

  strings_test.py WEFT
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
STRING = TensorProto.STRING


def value(name, kind, *shape):
    return helper.make_tensor_value_info(name, kind, shape)


def save(path, nodes, inputs, outputs, constants=()):
    graph = helper.make_graph(nodes, "strings", inputs, outputs,
                              [numpy_helper.from_array(np.array(array, object), name) for name, array in constants])
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("ai.onnx.ml", 4)]
    onnx.save(helper.make_model(graph, opset_imports=opsets, ir_version=9), path)


def ml(op, *arguments, **attributes):
    return helper.make_node(op, *arguments, domain="ai.onnx.ml", **attributes)


class Strings(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="weft-strings-")
        self.path = pathlib.Path(self.folder.name)
        self.addCleanup(self.folder.cleanup)

    def weft(self, *arguments, code=0):
        done = subprocess.run([WEFT, *map(str, arguments)], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout if code == 0 else done.stderr

    def convert(self, nodes, inputs, outputs, *options, constants=(), code=0):
        save(self.path / "m.onnx", nodes, inputs, outputs, constants)
        return self.weft("convert", self.path / "m.onnx", "-o", self.path / "m.bmodel", *options, code=code)

    def run_bmodel(self, code=0, **feeds):
        np.savez(self.path / "in.npz", **feeds)
        said = self.weft("run", self.path / "m.bmodel", "-i", self.path / "in.npz", "-o", self.path / "out.npz", code=code)
        if code:
            return said
        with np.load(self.path / "out.npz") as file:
            return dict(file)

    def encoder(self, *options):
        """Words, of which a stop word is left out, to numbers and back to labels."""
        self.convert([helper.make_node("StringNormalizer", ["words"], ["small"], case_change_action="LOWER", stopwords=["und"]),
                      ml("LabelEncoder", ["small"], ["ids"], keys_strings=["ärger", "b"], values_int64s=[7, 8], default_int64=0),
                      ml("LabelEncoder", ["ids"], ["labels"], keys_int64s=[7, 8], values_strings=["Ä", "B"], default_string="中")],
                     [value("words", STRING, 4)], [value("ids", TensorProto.INT64, "n"), value("labels", STRING, "n")], *options)

    def test_words_to_labels(self):
        self.encoder()
        for dtype in (str, "<U20", ">U20"):
            out = self.run_bmodel(words=np.array(["ÄRGER", "Und", "b", "c"], dtype))
            self.assertEqual(out["ids"].tolist(), [7, 8, 0])
            self.assertEqual((out["labels"].dtype.kind, out["labels"].tolist()), ("U", ["Ä", "B", "中"]))
        out = self.run_bmodel(words=np.array([word.encode() for word in ("ärger", "x", "und", "und")]))
        self.assertEqual(out["labels"].tolist(), ["Ä", "中"])

    def test_listings(self):
        self.encoder("--shape", "words=4x8")
        text = self.weft("info", self.path / "m.bmodel")
        self.assertIn("'words' string 4, up to 8 bytes each", text)
        facts = json.loads(self.weft("info", self.path / "m.bmodel", "--json"))
        words = facts["nets"][0]["stages"][0]["inputs"][0]
        self.assertEqual((words["type"], words["shape"], words["string_bytes"]), ("string", [4], 8))
        self.run_bmodel(words=np.array(["b", "b", "a", "ä"]))
        shown = self.weft("npz", "show", self.path / "in.npz", "--values", "words")
        self.assertIn("[3] 'ä'", shown)
        self.weft("npz", "rename", self.path / "in.npz", "words=w", "-o", self.path / "w.npz")
        with np.load(self.path / "w.npz") as file:
            self.assertEqual(file["w"].tolist(), ["b", "b", "a", "ä"])
        self.weft("npz", "compare", self.path / "in.npz", self.path / "in.npz")
        np.savez(self.path / "other.npz", words=np.array(["b", "b", "a", "a"]))
        self.weft("npz", "compare", self.path / "in.npz", self.path / "other.npz", code=1)

    def test_what_is_no_input(self):
        self.encoder("--shape", "words=4x8")
        said = self.run_bmodel(2, words=np.array(["b", "neun Byte", "b", "b"]))
        self.assertIn("input 'words': the string at [1] has 9 bytes in UTF-8, the program takes up to 8; convert with --shape words=4x9", said)
        self.assertIn("input 'words' is f32, net 'main' expects strings; give an array of str",
                      self.run_bmodel(2, words=np.zeros(4, np.float32)))
        self.assertIn("input 'words' is u8", self.run_bmodel(2, words=np.zeros((4, 8), np.uint8)))
        (self.path / "samples").mkdir()
        np.savez(self.path / "samples" / "0.npz", words=np.array(["a", "b"]))
        self.assertIn("'words' is strings, 2, the input is strings, 4",
                      self.weft("calibrate", self.path / "m.onnx", "--data", self.path / "samples", "-o", self.path / "t", code=2))
        self.assertIn("the string at [2] is no Unicode text", self.run_bmodel(2, words=np.array([b"a", b"b", b"\xff", b"d"])))
        self.assertIn("input 'words' is 2, net 'main' expects 4\n", self.run_bmodel(2, words=np.array(["a", "b"])))
        self.convert([helper.make_node("Relu", ["x"], ["y"])], [value("x", TensorProto.FLOAT, 2)], [value("y", TensorProto.FLOAT, 2)])
        self.assertIn("input 'x' is strings, net 'main' expects f32", self.run_bmodel(2, x=np.array(["a", "b"])))

    def test_stages_of_other_lengths(self):
        """The shortest that holds all strings runs; what none holds is told by the longest."""
        self.convert([helper.make_node("StringConcat", ["x", "x"], ["y"]), helper.make_node("StringConcat", ["x", "z"], ["w"])],
                     [value("x", STRING, "n"), value("z", STRING)], [value("y", STRING, "n"), value("w", STRING, "n")],
                     "--shape", "x=(1|3)x(8|16|32)", "--shape", "z=4")
        for longest in (1, 8, 9, 32):
            for count in (1, 3):
                texts = ["a" * longest] * count
                out = self.run_bmodel(x=np.array(texts), z=np.array("ü"))
                self.assertEqual(out["y"].tolist(), [text * 2 for text in texts])
                self.weft("compare", self.path / "m.onnx", self.path / "m.bmodel", "-i", self.path / "in.npz")
        said = self.run_bmodel(2, x=np.array(["b", "a" * 33, "c"]), z=np.array("u"))
        self.assertIn("the string at [1] has 33 bytes in UTF-8, the program takes up to 32; convert with --shape x=3x33", said)
        self.assertIn("input 'x' is 2, net 'main' expects (1|3)", self.run_bmodel(2, x=np.array(["b", "c"]), z=np.array("u")))
        self.assertIn("input 'z' is 1, net 'main' expects scalar", self.run_bmodel(2, x=np.array(["b"]), z=np.array(["u"])))

    def test_strings_are_moved(self):
        self.convert([helper.make_node("Concat", ["x", "table"], ["all"], axis=0),
                      helper.make_node("Gather", ["all", "which"], ["some"], axis=0),
                      helper.make_node("Constant", [], ["axes"], value_ints=[1]),
                      helper.make_node("Unsqueeze", ["some", "axes"], ["column"]),
                      helper.make_node("Where", ["right", "some", "x"], ["chosen"]),
                      helper.make_node("Shape", ["column"], ["shape"])],
                     [value("x", STRING, 2), value("which", TensorProto.INT64, 2), value("right", TensorProto.BOOL, 2)],
                     [value("column", STRING, 2, 1), value("chosen", STRING, 2), value("shape", TensorProto.INT64, 2)],
                     constants=[("table", ["drei", "vier"])])
        out = self.run_bmodel(x=np.array(["eins", "zwei"]), which=np.array([3, 0]), right=np.array([True, False]))
        self.assertEqual(out["column"].tolist(), [["vier"], ["eins"]])
        self.assertEqual(out["chosen"].tolist(), ["vier", "zwei"])
        self.assertEqual(out["shape"].tolist(), [2, 1])

    def test_strings_are_elements_and_nothing_else(self):
        for op, inputs, said in (("Gather", "nx", "input 1 ('x') is a 2 tensor of strings; it must be a tensor of numbers"),
                                 ("Gather", "xx", "input 1 ('x') is a 2 tensor of strings; it must be a tensor of numbers"),
                                 ("Concat", "xn", "input 1 ('n') is a 2 tensor of int32; it must be a tensor of strings as well"),
                                 ("Where", "cxn", "input 2 ('n') is a 2 tensor of int32; it must be a tensor of strings as well"),
                                 ("Where", "xxx", "input 0 ('x') is a 2 tensor of strings; it must be a tensor of numbers"),
                                 ("ScatterElements", "nix", "input 0 ('n') is a 2 tensor of int32; it must be a tensor of strings as well"),
                                 ("ScatterElements", "xin", "input 2 ('n') is a 2 tensor of int32; it must be a tensor of strings as well"),
                                 ("Reshape", "xs", "input 1 ('s') is a 1 tensor of strings; it must be a tensor of numbers"),
                                 ("Reshape", "ns", "input 1 ('s') is a 1 tensor of strings; it must be a tensor of numbers")):
            with self.subTest(op=op, inputs=inputs):
                axis = {"axis": 0} if op in ("Gather", "Concat", "ScatterElements") else {}
                heard = self.convert([helper.make_node(op, list(inputs), ["y"], **axis)],
                                     [value("x", STRING, 2), value("n", TensorProto.INT32, 2), value("c", TensorProto.BOOL, 2),
                                      value("i", TensorProto.INT64, 2)], [value("y", STRING)], constants=[("s", ["2"])], code=2)
                self.assertIn(said, heard)

    def test_no_string_makes_all_others_long(self):
        few = [str(i) for i in range(1000)]
        words = few + ["a" * 50000]
        said = "has 1001 strings, the longest of 50000 bytes; each takes as many, 50050000 in all; shorten the longest"
        gather = helper.make_node("Gather", ["k", "i"], ["y"])
        ends = [value("i", TensorProto.INT64, 2)], [value("y", STRING, 2)]
        self.assertIn(f"'k' {said}", self.convert([gather], *ends, constants=[("k", words)], code=2))
        constant = helper.make_node("Constant", [], ["k"], value_strings=words)
        self.assertIn(f"attribute 'value_strings' {said}", self.convert([constant, gather], *ends, code=2))
        for said, lists in ((f"attribute 'keys_strings' {said}", {"keys_strings": words, "values_strings": words[::-1]}),
                            (f"the list of values and the default {said}",
                             {"keys_strings": few, "values_strings": few, "default_string": words[-1]})):
            self.assertIn(said, self.convert([ml("LabelEncoder", ["x"], ["y"], **lists)], [value("x", STRING, 2)],
                                             [value("y", STRING, 2)], code=2))
        self.assertIn("attribute 'pool_strings' has 1001 strings", self.convert(
            [helper.make_node("TfIdfVectorizer", ["x"], ["y"], mode="TF", min_gram_length=1, max_gram_length=1, max_skip_count=0,
                              ngram_counts=[0], ngram_indexes=list(range(1001)), pool_strings=words)],
            [value("x", STRING, 4)], [value("y", TensorProto.FLOAT, 1001)], code=2))

    def test_operators_that_know_no_strings(self):
        said = self.convert([helper.make_node("ReduceMax", ["x"], ["y"], name="most")], [value("x", STRING, 2)], [value("y", STRING)], code=2)
        self.assertIn("'most'", said)
        self.assertIn("ReduceMax of strings, input 0 ('x') is a 2 tensor of strings; cut the model before it with --outputs", said)
        said = self.convert([helper.make_node("RegexFullMatch", ["x"], ["y"], pattern="a(", name="match")], [value("x", STRING, 2)],
                            [value("y", TensorProto.BOOL, 2)], code=2)
        self.assertIn("pattern 'a(' cannot be read: a ) is missing", said)
        said = self.convert([helper.make_node("RegexFullMatch", ["x"], ["y"], pattern="é" * 50000 + "(", name="match")], [value("x", STRING, 2)],
                            [value("y", TensorProto.BOOL, 2)], code=2)
        self.assertIn("pattern '" + "é" * 40 + "..' (100001 bytes) cannot be read", said)
        self.assertLess(len(said), 1000)
        said = self.convert([helper.make_node("SequenceConstruct", ["x"], ["s"]), helper.make_node("SequenceAt", ["s", "i"], ["y"])],
                            [value("x", STRING, 2), value("i", TensorProto.INT64)], [value("y", STRING, 2)], code=2)
        self.assertIn("input 0 ('x') is a 2 tensor of strings; it must be a tensor", said)

    def test_any_number_of_splits(self):
        self.convert([helper.make_node("StringSplit", ["x"], ["y", "n"], delimiter=",", maxsplit=2**63 - 1)], [value("x", STRING, 2)],
                     [value("y", STRING, 2, "parts"), value("n", TensorProto.INT64, 2)], "--shape", "x=2x8")
        out = self.run_bmodel(x=np.array(["a,b,c", ""]))
        self.assertEqual(out["y"].tolist(), [["a", "b", "c"], ["", "", ""]])
        self.assertEqual(out["n"].tolist(), [3, 1])

    def test_counts_of_words(self):
        self.convert([helper.make_node("TfIdfVectorizer", ["x"], ["y"], mode="TF", min_gram_length=1, max_gram_length=1, max_skip_count=0,
                                       ngram_counts=[0], ngram_indexes=[1, 0], pool_strings=["a", "b"])],
                     [value("x", STRING, 4)], [value("y", TensorProto.FLOAT, 2)])
        self.assertEqual(self.run_bmodel(x=np.array(["b", "a", "b", "?"]))["y"].tolist(), [2, 1])


if __name__ == "__main__":
    unittest.main()

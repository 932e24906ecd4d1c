#!/usr/bin/env python3
"""Messages about files and options that belong together, or do not.

  messages_test.py WEFT
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEFT = str(pathlib.Path(sys.argv[1]).resolve())


def network(given, found):
    weights = np.random.default_rng(5).normal(size=(4, 3, 3, 3)).astype(np.float32)
    graph = helper.make_graph([helper.make_node("Conv", [given, "w"], [found])], "net", [helper.make_tensor_value_info(given, TensorProto.FLOAT, [1, 3, 8, 8])],
                              [helper.make_tensor_value_info(found, TensorProto.FLOAT, None)], [numpy_helper.from_array(weights, "w")])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


class Messages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        x = np.random.default_rng(1).normal(size=(1, 3, 8, 8)).astype(np.float32)
        np.savez(cls.folder / "x.npz", x=x)
        np.savez(cls.folder / "both.npz", x=x, y=x)
        (cls.folder / "samples").mkdir()
        np.savez(cls.folder / "samples" / "0.npz", x=x)
        np.save(cls.folder / "x.npy", x)
        onnx.save(network("x", "y"), cls.folder / "net.onnx")
        onnx.save(network("images", "out"), cls.folder / "other.onnx")
        cls.weft("convert", "net.onnx", "-o", "net.bmodel")
        cls.weft("calibrate", "net.onnx", "--data", "samples", "-o", "net.table")

    @classmethod
    def weft(cls, *arguments, code=0):
        done = subprocess.run([WEFT, *map(str, arguments)], cwd=cls.folder, capture_output=True, text=True)
        assert done.returncode == code, done.stderr
        return done.stderr

    def test_a_program_of_another_model(self):
        self.assertEqual(self.weft("compare", "other.onnx", "net.bmodel", "--input", "x.npz", code=2), "weft: error: net.bmodel was not made from other.onnx (inputs: x / images)\n")
        self.weft("compare", "net.onnx", "net.bmodel", "--input", "x.npz")

    def test_a_table_of_another_model(self):
        said = self.weft("convert", "other.onnx", "--precision", "int8", "--calibration", "net.table", "-o", "o.bmodel", code=2)
        self.assertIn("the calibration table 'net.table' has no value of this model, it is another model's; calibrate this model", said)
        text = (self.folder / "net.table").read_text()
        (self.folder / "short.table").write_text("".join(line for line in text.splitlines(True) if not line.startswith("x ")))
        said = self.weft("convert", "net.onnx", "--precision", "int8", "--keep-int8", "--calibration", "short.table", "-o", "o.bmodel", code=2)
        self.assertIn("the calibration table 'short.table' has no entry for tensor 'x'", said)

    def test_entries_of_a_table_that_the_model_does_not_have(self):
        text = (self.folder / "net.table").read_text()
        unknown = [f"v{i} 1 -1 1 -1 1" for i in range(5)]
        convert = ["convert", "net.onnx", "--precision", "int8", "-o", "o.bmodel", "--calibration"]
        for count, says in [(1, "'v0'"), (3, "'v0', 'v1', 'v2'"), (5, "'v0', 'v1', 'v2' and 2 more")]:
            (self.folder / "more.table").write_text(text + "\n".join(unknown[:count]) + "\n")
            said = [line for line in self.weft(*convert, "more.table").splitlines() if "warning" in line]
            self.assertEqual(said, [f"weft: warning: net.onnx: the calibration table 'more.table' has entries of no value of the ONNX graph: {says}; they change nothing"])
        # Constants, and values of graphs within nodes that are not taken here.
        (self.folder / "more.table").write_text(text + "w 1 -1 1 -1 1\n")
        self.assertNotIn("warning", self.weft(*convert, "more.table"))
        self.assertNotIn("warning", self.weft(*convert, "net.table"))

    def test_values_of_branches_are_known(self):
        def branch(op):
            return helper.make_graph([helper.make_node(op, ["x"], [f"in_{op}"]), helper.make_node("Sigmoid", [f"in_{op}"], [f"of_{op}"])], op, [], [helper.make_tensor_value_info(f"of_{op}", TensorProto.FLOAT, None)])
        nodes = [helper.make_node("If", ["c"], ["t"], name="choice", then_branch=branch("Tanh"), else_branch=branch("Exp")), helper.make_node("Conv", ["t", "w"], ["y"])]
        weights = np.random.default_rng(5).normal(size=(4, 3, 3, 3)).astype(np.float32)
        graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 8, 8])], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                                  [numpy_helper.from_array(weights, "w"), numpy_helper.from_array(np.array(True), "c")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "if.onnx")
        self.weft("calibrate", "if.onnx", "--data", "samples", "-o", "if.table")
        text = (self.folder / "if.table").read_text()
        name, = (line.split()[0] for line in text.splitlines() if "in_Tanh" in line)
        (self.folder / "if.table").write_text(text + f"{name.replace('then', 'else').replace('Tanh', 'Exp')} 1 -1 1 -1 1\n")
        self.assertNotIn("warning", self.weft("convert", "if.onnx", "--precision", "int8", "-o", "o.bmodel", "--calibration", "if.table"))

    def test_a_model_that_is_not_converted(self):
        self.assertEqual(self.weft("run", "net.onnx", "-i", "x.npz", "-o", "o.npz", code=2),
                         "weft: error: net.onnx: it begins like an ONNX model, not a bmodel; convert it first (weft convert)\n")

    def test_outputs_that_cannot_be(self):
        self.assertEqual(self.weft("convert", "net.onnx", "-o", "", code=2), "weft: error: the name of the output is empty; give a file\n")
        self.assertEqual(self.weft("run", "net.bmodel", "-i", "x.npz", "-o", "", code=2), "weft: error: the name of the output is empty; give a file\n")
        self.assertEqual(self.weft("convert", "net.onnx", "-o", "no/where/o.bmodel", code=2),
                         "weft: error: no/where/o.bmodel: cannot create: there is no folder no/where; make it first\n")
        self.assertRegex(self.weft("convert", "", "-o", "o.bmodel", code=2), r"model\b.*the value is empty")

    def test_words_that_are_no_option(self):
        convert = ["convert", "net.onnx", "-o", "o.bmodel"]
        for arguments, says in [([*convert, "--calibrtion", "t"], "unknown option '--calibrtion', perhaps '--calibration'; see weft convert --help"),
                                ([*convert, "--precison=int8", "--keepint8", "x"], "unknown options '--precison', '--keepint8', perhaps '--precision', '--keep-int8'; see weft convert --help"),
                                ([*convert, "--frobnicate", "x"], "unknown option '--frobnicate'; see weft convert --help"),
                                ([*convert, "b", "c"], "found 'b', 'c', which no option and no argument of weft convert takes; see weft convert --help"),
                                (["convrt", "net.onnx"], "unknown command or option 'convrt', perhaps 'convert'; see weft --help"),
                                (["--versoin"], "unknown command or option '--versoin', perhaps '--version'; see weft --help"),
                                (["convert", "net.onnx"], "--output is required; see weft convert --help")]:
            self.assertEqual(self.weft(*arguments, code=2), f"weft: error: {says}\n")

    def test_a_name_that_is_no_input(self):
        for file in ("both.npz", "x.npy"):
            self.assertEqual(self.weft("run", "net.bmodel", "-i", f"y={file}", "-o", "o.npz", code=2), f"weft: error: {file}: there is no input 'y'; the model has 'x'\n")

    def test_scale_beside_std(self):
        for scale in ("1", "0.5"):
            said = self.weft("calibrate", "net.onnx", "--data", "samples", "--scale", scale, "--std", "2", "-o", "t", code=2)
            self.assertIn("scale and std are both given", said)

    def test_damaged_compression(self):
        with zipfile.ZipFile(self.folder / "x.npz") as archive:
            data = archive.read("x.npy")
        path = self.folder / "damaged.npz"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("x.npy", data)
        whole = path.read_bytes()
        said = set()
        for at in range(60, 700, 40):
            damaged = bytearray(whole)
            damaged[at:at + 8] = b"\0" * 8
            path.write_bytes(damaged)
            said.add(self.weft("run", "net.bmodel", "-i", "damaged.npz", "-o", "o.npz", code=2))
        self.assertFalse([line for line in said if "No error" in line], said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

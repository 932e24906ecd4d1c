#!/usr/bin/env python3
"""Files of arrays between Weft and the vendor's npz_tool, and names as the vendor's compiler gives them.

  npz_tool_test.py WEFT DATA   (DATA: tests/data/vendor-bmodels)
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper

WEFT, DATA = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
VENDOR = pathlib.Path(os.environ["TPU_MLIR_DIR"]) / "python"
# What npz_tool imports for plots and progress bars, which no test looks at.
START = """
import runpy, sys, types
for name in ("plotly", "plotly.graph_objects", "plotly.subplots", "tpu_mlir", "tpu_mlir.python", "tpu_mlir.python.utils", "tpu_mlir.python.utils.misc", "tqdm"):
    sys.modules[name] = types.ModuleType(name)
sys.modules["plotly.subplots"].make_subplots = sys.modules["tpu_mlir.python.utils.misc"].cos_sim = None
class Bar:
    def __init__(self, *arguments, **options): pass
    def set_description(self, text): pass
    def update(self, count): pass
sys.modules["tqdm"].tqdm = Bar
script = sys.argv[1]
sys.argv = sys.argv[1:]
sys.path.insert(0, script.rsplit("/", 2)[0])
runpy.run_path(script, run_name="__main__")
"""


class NpzTool(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def run_in_folder(self, command, fails):
        done = subprocess.run([*map(str, command)], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode != 0, fails, done.stdout + done.stderr)
        return done.stdout

    def npz_tool(self, *arguments, fails=False):
        return self.run_in_folder([sys.executable, "-c", START, VENDOR / "tools" / "npz_tool.py", *arguments], fails)

    def weft(self, *arguments, fails=False):
        return self.run_in_folder([WEFT, *arguments], fails)

    def test_it_compares_outputs_of_weft(self):
        for name in ("tiny_f32", "tiny_INT8"):
            self.weft("run", DATA / f"{name}.bmodel", "-i", DATA / "tiny_input.npz", "-o", f"{name}.npz")
            said = self.npz_tool("compare", f"{name}.npz", DATA / f"{name}_output.npz", "-vv")
            self.assertIn("npz compare PASSED", said)
            self.assertRegex(said, r"1 compared")
        # Of our program under the vendor's name, and of one that is wrong.
        self.weft("convert", DATA / "tiny.onnx", "-o", "tiny.bmodel", "--precision", "f16")
        self.weft("run", "tiny.bmodel", "-i", DATA / "tiny_input.npz", "-o", "ours.npz")
        self.npz_tool("rename", "ours.npz", "y", "y_Relu")
        self.assertIn("1 compared", self.npz_tool("compare", "ours.npz", DATA / "tiny_f32_output.npz", "-vv"))
        values = np.load(self.folder / "ours.npz")["y_Relu"]
        np.savez(self.folder / "wrong.npz", y_Relu=-values)
        self.npz_tool("compare", "wrong.npz", DATA / "tiny_f32_output.npz", fails=True)
        # Weft says the same of both.
        self.weft("compare", DATA / "tiny.onnx", "tiny.bmodel", "-i", DATA / "tiny_input.npz", "--reference", "ours.npz")
        self.weft("compare", DATA / "tiny.onnx", "tiny.bmodel", "-i", DATA / "tiny_input.npz", "--reference", "wrong.npz", fails=True)

    def test_it_prints_what_weft_writes(self):
        """Every type of output, no axis, no element, names of paths."""
        types = {"float": TensorProto.FLOAT, "half": TensorProto.FLOAT16, "brain": TensorProto.BFLOAT16, "long": TensorProto.INT64,
                 "int": TensorProto.INT32, "byte": TensorProto.UINT8, "short": TensorProto.INT16, "yes/no": TensorProto.BOOL}
        shown = {"brain": "float32", "float": "float32", "half": "float16", "long": "int64", "int": "int32", "byte": "uint8", "short": "int16",
                 "yes/no": "bool"}
        nodes = [helper.make_node("Cast", ["x"], [name], to=kind) for name, kind in types.items()]
        nodes += [helper.make_node("ReduceMax", ["x"], ["scalar"], keepdims=0)]
        graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3])],
                                  [helper.make_tensor_value_info(name, kind, None) for name, kind in [*types.items(), ("scalar", 1)]])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "net.onnx")
        np.savez(self.folder / "x.npz", x=np.array([[1, 0, 2], [3, 4, 5]], np.float32))
        self.weft("convert", "net.onnx", "-o", "net.bmodel", "--precision", "f32")
        self.weft("run", "net.bmodel", "-i", "x.npz", "-o", "out.npz")
        said = self.npz_tool("dump", "out.npz", "--list")
        for name, kind in shown.items():
            self.assertIn(f"{name}\t(2, 3)\t{kind}\n", said)
        self.assertIn("scalar\t()\tfloat32\n", said)
        self.assertIn("[2,3]", self.npz_tool("get_shape", "out.npz", "yes/no"))
        self.assertIn("shape (2, 3)", self.npz_tool("dump", "out.npz", "long", "1"))
        # What it writes, Weft reads.
        self.npz_tool("extract", "out.npz", "some.npz", "float,half")
        self.npz_tool("merge", "some.npz", "out.npz", "merged.npz")
        self.assertIn("pass 'half'", self.weft("compare", "net.onnx", "net.bmodel", "-i", "x.npz", "--reference", "merged.npz"))

    def test_names_of_the_vendor(self):
        """Its programs of every kind beside the ONNX model and beside each other, its files as a reference."""
        for net in ("tiny", "rich"):
            first = "f32" if net == "tiny" else "F32"
            self.weft("convert", DATA / f"{net}.onnx", "-o", "ours.bmodel", "--precision", "f32")
            for kind in (first, "F16", "BF16", "INT8"):
                with self.subTest(net=net, kind=kind):
                    program, values = DATA / f"{net}_{kind}.bmodel", DATA / f"{net}_{kind}_output.npz"
                    limits = ["-i", DATA / f"{net}_input.npz", "--json", "--limit", "sqnr=10", "--limit", "cosine=0.9"]
                    for pair in ((DATA / f"{net}.onnx", program), (DATA / f"{net}_{first}.bmodel", program), (program, DATA / f"{net}_{first}.bmodel"),
                                 (DATA / f"{net}.onnx", "ours.bmodel", "--reference", values), ("ours.bmodel", program), (program, "ours.bmodel")):
                        done = subprocess.run([WEFT, "compare", *map(str, [*pair, *limits])], cwd=self.folder, capture_output=True, text=True)
                        self.assertLess(done.returncode, 2, done.stderr)
                        self.assertNotIn("no tensor of this name", done.stdout, pair)
                        self.assertNotIn("no such output", done.stdout, pair)

    def test_forms_of_one_value(self):
        """Files of all tensors have a value before and after its cast, and values whose names begin alike."""
        self.weft("convert", DATA / "tiny.onnx", "-o", "tiny.bmodel", "--precision", "f32")
        self.weft("run", "tiny.bmodel", "-i", DATA / "tiny_input.npz", "-o", "ours.npz")
        y = np.load(self.folder / "ours.npz")["y"]
        compare = ["compare", DATA / "tiny.onnx", "tiny.bmodel", "-i", DATA / "tiny_input.npz", "--reference", "forms.npz"]
        codes = np.clip(np.rint(y), -128, 127).astype(np.int8)
        for names, chosen in (({"y_Relu": codes, "y_Relu_f32": y}, "y_Relu_f32"), ({"y_Softmax__softmax_reshape_f32": y}, "y_Softmax__softmax_reshape_f32"),
                              ({"y_Relu": y, "y_Relu_i8": codes, "y_other_Conv": codes}, "y_Relu"), ({"y": y, "y_Relu": codes}, "")):
            np.savez(self.folder / "forms.npz", **names)
            said = self.weft(*compare)
            self.assertIn(f"pass 'y' (reference '{chosen}')" if chosen else "pass 'y'  ", said)
        np.savez(self.folder / "forms.npz", y_Relu=y, y_Conv=y)
        self.assertIn("the reference has no tensor of this name", self.weft(*compare, fails=True))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

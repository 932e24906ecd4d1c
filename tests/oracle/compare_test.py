#!/usr/bin/env python3
"""weft compare on the vendor's runtime: outputs, sets, ONNX Runtime, programs that are wrong, and what that device cannot show.

  compare_test.py WEFT DATA   (DATA: tests/data/vendor-bmodels)
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import numpy_helper

WEFT, DATA = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()
MODEL, INPUT = DATA / "tiny.onnx", DATA / "tiny_input.npz"


class CompareOnBmrt(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.weft("convert", MODEL, "-o", "right.bmodel", "--precision", "f16")
        other = onnx.load(MODEL)
        weights = max(other.graph.initializer, key=lambda one: np.prod(one.dims))
        weights.CopyFrom(numpy_helper.from_array(numpy_helper.to_array(weights) * np.float32(-1), weights.name))
        onnx.save(other, cls.folder / "other.onnx")
        cls.weft("convert", "other.onnx", "-o", "wrong.bmodel", "--precision", "f16")

    @classmethod
    def weft(cls, *arguments, code=0):
        done = subprocess.run([WEFT, *map(str, arguments)], cwd=cls.folder, capture_output=True, text=True,
                              env=dict(os.environ, WEFT_PYTHON=sys.executable))
        assert done.returncode == code, f"exit code {done.returncode}: {done.stderr}{done.stdout}"
        return done.stdout if code < 2 else done.stderr

    def compare(self, program, *options, reference=MODEL, code=0):
        return json.loads(self.weft("compare", reference, program, "--device", "bmrt", "--json", *options, code=code))

    def test_outputs(self):
        on_emulator = json.loads(self.weft("compare", MODEL, "right.bmodel", "-i", INPUT, "--json"))
        for options in (["-i", INPUT], ["-i", INPUT, "--reference", "onnxruntime"]):
            told = self.compare("right.bmodel", *options)
            self.assertEqual((told["passed"], told["warnings"]), (True, []))
        # The emulator gives the same bytes, so that figures are the same to the last digit.
        told = self.compare("right.bmodel", "-i", INPUT)
        self.assertEqual(told["outputs"], on_emulator["outputs"])
        self.assertEqual(self.compare("right.bmodel", "--data", INPUT)["samples"], 1)

    def test_wrong_programs(self):
        for options in ([], ["--reference", "onnxruntime"]):
            self.assertFalse(self.compare("wrong.bmodel", "-i", INPUT, *options, code=1)["passed"])
        told = self.compare("wrong.bmodel", "-i", INPUT, code=1)
        # Outputs of that device beside those of the program made again, on the emulator.
        self.assertGreater(told["outputs"][0]["fresh"]["unequal"], 0)

    def test_programs_of_the_vendor(self):
        for kind in ("f32", "F16", "INT8"):
            self.assertTrue(self.compare(DATA / f"tiny_{kind}.bmodel", "-i", INPUT)["passed"])
        self.assertTrue(self.compare("right.bmodel", "-i", INPUT, reference=DATA / "tiny_F16.bmodel")["passed"])

    def test_what_it_does_not_show(self):
        for option in ("--per-layer", "--bisect"):
            self.assertIn("--per-layer needs --device emulator", self.weft("compare", MODEL, "right.bmodel", "-i", INPUT, "--device", "bmrt", option, code=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

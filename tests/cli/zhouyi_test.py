#!/usr/bin/env python3
"""Programs of vector operations on the command line: shown, listed, run, compared, refused where they make no sense.

  zhouyi_test.py WEFT DATA
"""
import json
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

DATA = pathlib.Path(sys.argv.pop(2))
WEFT = sys.argv.pop(1)
DOT = DATA / "zhouyi" / "dot_v1.zyp"


def weft(*arguments):
    return subprocess.run([WEFT, *map(str, arguments)], capture_output=True, timeout=120, text=True)


def expected(x):
    """y and z of the file: W x in integers, and its positive part (tests/unit/runtime/zhouyi/SmallProgram.h)."""
    weights = np.array([[(7 * row + 3 * column) % 13 - 6 for column in range(70)] for row in range(5)], np.int64)
    sums = x.astype(np.int64) @ weights.T
    return sums, np.maximum(sums, 0)


class Zhouyi(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        # The name says nothing: the identifier does.
        self.model = self.folder / "model.bin"
        shutil.copy(DOT, self.model)

    def write_input(self, x):
        np.savez(self.folder / "in.npz", x=x)
        return self.folder / "in.npz"

    def run_model(self, x, *flags):
        return weft("run", self.model, "-i", self.write_input(x), "-o", self.folder / "out.npz", *flags)

    def refused(self, result, message):
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr, f"weft: error: {message}\n")

    def test_runs_stored_and_float_inputs(self):
        x = np.random.default_rng(1).integers(-127, 128, (1, 70)).astype(np.int8)
        for given in (x, (x / 2).astype(np.float32)):
            result = self.run_model(given)
            self.assertEqual((result.returncode, result.stdout), (0, "'z' i32 1x5\n"), result.stderr)
            np.testing.assert_array_equal(np.load(self.folder / "out.npz")["z"], expected(x)[1])

    def test_run_tells_the_same_as_for_bmodels(self):
        result = self.run_model(np.zeros((1, 70), np.int8), "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        told = json.loads(result.stdout)
        self.assertGreaterEqual(told.pop("seconds"), 0)
        self.assertEqual(told, {"net": "small", "stage": 0, "entries": 0, "device": "zhouyi",
                                "output_file": str(self.folder / "out.npz"),
                                "outputs": [{"name": "z", "type": "i32", "shape": [1, 5]}]})

    def test_inputs_are_checked_as_for_bmodels(self):
        archive = self.folder / "in.npz"
        self.refused(self.run_model(np.zeros((1, 71), np.int8)),
                     f"{archive}: input 'x' is 1x71, net 'small' expects 1x70")
        self.refused(self.run_model(np.zeros((1, 70), np.int16)),
                     f"{archive}: input 'x' is i16, net 'small' expects i8 codes, or reals as floats; convert the array first")
        self.refused(self.run_model(np.full((1, 70), np.nan, np.float32)),
                     f"{self.model}: input 'x': element 0 is nan; it cannot be quantized to i8")

    def test_options_without_meaning_are_refused(self):
        one = f"{self.model}: a program of vector operations is one net and has one"
        zeros = np.zeros((1, 70), np.int8)
        self.refused(self.run_model(zeros, "--net", "small"), f"{one} machine; leave out --net")
        self.refused(self.run_model(zeros, "--device", "bmrt"), f"{one} machine; leave out --device bmrt")
        self.refused(weft("disasm", self.model, "--net", "small"), f"{one} engine; leave out --net")
        self.refused(weft("disasm", self.model, "--engine", "tiu"), f"{one} engine; leave out --engine")
        shown = "is for bmodels, weft info and weft disasm show programs"
        self.refused(weft("profile", self.model),
                     f"unsupported: {self.model} is a program of vector operations; weft profile {shown}")
        listing = self.folder / "listing.s"
        listing.write_text("tiu id=1 dep=0 sys.end\n")
        self.refused(weft("asm", listing, "--into", self.model, "-o", self.folder / "x.bmodel"),
                     f"unsupported: {self.model} is a program of vector operations; weft asm --into {shown}")

    def test_info(self):
        result = weft("info", self.model, "--json", "--check")
        self.assertEqual(result.returncode, 0, result.stderr)
        told = json.loads(result.stdout)
        self.assertEqual((told["file_bytes"], told["chip"], told["format_version"]),
                         (DOT.stat().st_size, "zhouyi", 1))
        self.assertEqual(told["rules"], {"commands": 11, "broken": 0, "violations": []})
        stage = told["nets"][0]["stages"][0]
        self.assertEqual((stage["inputs"][0]["name"], stage["inputs"][0]["scale"]), ("x", 2))
        self.assertEqual((stage["weight_bytes"], stage["activation_bytes"], stage["io_bytes"]), (350, 20, 90))
        self.assertEqual(stage["instructions"]["executed"], 83)
        self.assertEqual(stage["instructions"]["by_name"]["vqdpa"], {"instructions": 1, "executed": 15})
        self.assertEqual(stage["dram"], {"read_bytes": 960, "write_bytes": 160})
        self.assertEqual([call["kernel"] for call in stage["host"]["operations"]], ["unary"])
        text = weft("info", self.model).stdout
        self.assertIn("instructions: 11, a run executes 83\n", text)
        self.assertIn("input  'x' i8 1x70, scale 2, zero point 0\n", text)

    def test_disasm(self):
        text = weft("disasm", self.model).stdout
        self.assertIn("1.1.3           v1:int32x8 = vqdpa v1, v3, v4, mask = m2\n", text)
        self.assertIn("1           loop 5  # 'dot'\n", text)
        commands = json.loads(weft("disasm", self.model, "--json").stdout)["commands"]
        self.assertEqual(len(commands), 11)
        self.assertEqual(commands[7], {"net": "small", "path": [1, 1, 3], "mnemonic": "vqdpa",
                                       "text": "v1:int32x8 = vqdpa v1, v3, v4, mask = m2", "executed": 15,
                                       "nodes": ["dot"]})

    def test_broken_files_are_refused(self):
        whole = DOT.read_bytes()
        dice = random.Random(7)
        for case in range(24):
            content = bytearray(whole)
            if case % 2:
                del content[dice.randrange(8, len(whole) - 8):]
            else:
                for _ in range(3):
                    content[dice.randrange(8, len(whole))] ^= 1 << dice.randrange(8)
            self.model.write_bytes(content)
            result = self.run_model(np.zeros((1, 70), np.int8))
            self.assertIn(result.returncode, (0, 2), result.stderr)
            if case % 2:
                self.assertEqual(result.returncode, 2)
            if result.returncode:
                self.assertRegex(result.stderr, r"\Aweft: error: .*\n\Z")

    def test_compares_outputs_and_layers_with_a_reference(self):
        x = np.random.default_rng(2).integers(-127, 128, (1, 70)).astype(np.int8)
        y, z = (value.astype(np.int32) for value in expected(x))
        reference = self.folder / "reference.npz"
        command = ["compare", "none.onnx", self.model, "-i", self.write_input(x), "--reference", reference,
                   "--per-layer", "--json"]
        np.savez(reference, y=y, z=z)
        result = weft(*command)
        told = json.loads(result.stdout)
        self.assertEqual((result.returncode, told["passed"], told["first_failed_layer"]), (0, True, None))
        self.assertEqual([(row["name"], row["max_error"]) for row in told["layers"] + told["outputs"]],
                         [("y", 0), ("z", 0)])
        np.savez(reference, y=-y, z=z)
        told = json.loads(weft(*command).stdout)
        self.assertEqual((told["passed"], told["first_failed_layer"]), (True, "y"))  # layers inform
        np.savez(reference, y=y, z=-z)
        result = weft(*command)
        self.assertEqual((result.returncode, json.loads(result.stdout)["passed"]), (1, False))


if __name__ == "__main__":
    unittest.main()

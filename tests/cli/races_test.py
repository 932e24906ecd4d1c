#!/usr/bin/env python3
"""Missing waits as a user meets them: `weft info --check` names them, `--order adversarial` shows what they do.

  races_test.py WEFT TEST_DATA_FOLDER DOCS_CLI
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import json_schema
from json_schema import COUNT, FLAG, TEXT

WEFT, DATA, DOCS = sys.argv[1], pathlib.Path(sys.argv[2]) / "vendor-bmodels", pathlib.Path(sys.argv[3])
MODEL, INPUT = DATA / "tiny_f32.bmodel", DATA / "tiny_input.npz"
SIDE = {"engine": TEXT, "index": COUNT, "id": COUNT, "waits_for": COUNT, "mnemonic": TEXT, "operand": TEXT, "file_offset": COUNT, "nodes": [TEXT]}
SCHEMA = {"commands": COUNT, "missing_waits": COUNT, "races": COUNT, "cut": FLAG,
          "found": [{"net": TEXT, "stage": COUNT, "group": COUNT, "conflict": TEXT, "first": SIDE, "second": SIDE, "memory": TEXT, "begin": COUNT,
                     "end": COUNT, "first_lane": COUNT, "lanes": COUNT, "must_wait_for": COUNT, "implied_races": COUNT, "text": TEXT}]}


def weft(*arguments, text=None):
    return subprocess.run([WEFT, *map(str, arguments)], input=text, capture_output=True, text=True, timeout=120)


class Races(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.place = pathlib.Path(cls.folder.name)

    def without_wait(self, name, command, model=MODEL):
        """The model with the wait of a command taken out."""
        listing = weft("disasm", model).stdout
        lost = re.sub(rf"({command}) dep=\d+", r"\1 dep=0", listing)
        self.assertNotEqual(lost, listing)
        done = weft("asm", "-", "--into", model, "-o", self.place / name, text=lost)
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.place / name

    def outputs(self, model, *flags):
        done = weft("run", model, "--input", INPUT, "--output", self.place / "y.npz", *flags)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return {name: array.tobytes() for name, array in np.load(self.place / "y.npz").items()}

    def refused(self, *arguments):
        done = weft(*arguments)
        self.assertEqual(done.returncode, 2)
        return done.stderr

    def test_a_complete_program(self):
        done = weft("info", "--check", MODEL)
        self.assertEqual(done.returncode, 0)
        self.assertTrue(done.stdout.endswith("\nraces: 0 waits are missing between the 8 commands\n"), done.stdout)
        wanted = self.outputs(MODEL)
        self.assertEqual(self.outputs(MODEL, "--order", "program"), wanted)
        for seed in range(6):
            self.assertEqual(self.outputs(MODEL, "--order", "adversarial", "--order-seed", seed), wanted)

    def test_the_store_does_not_wait(self):
        model = self.without_wait("store.bmodel", "gdma id=4")
        done = weft("info", "--check", model)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(done.stdout, r"\nraces: 1 wait is missing between the 8 commands\n"
                         r"  net 'tiny' stage 0 group 0: read after write without a wait: tiu command 1 \(arith\.max\) writes \(res0\) and gdma "
                         r"command 3 \(dma\.tensor\) reads \(src\) bytes 0x\w+ to 0x\w+ of lanes 0 to 15; the cmd_id_dep of gdma command 3 "
                         r"\(dma\.tensor\) is 0 and must be 2 or more; tiu command 1 is at byte \d+ of the file; gdma command 3 is at byte \d+ of "
                         r"the file; the same wait orders 1 more race\n$")
        # As the engines are, the store comes last; a TIU that is slower loses its result.
        self.assertNotEqual(self.outputs(model, "--order", "adversarial", "--order-seed", 1), self.outputs(MODEL))
        self.assertEqual(self.outputs(model, "--order", "adversarial"), self.outputs(MODEL))

    def test_json(self):
        model = self.without_wait("json.bmodel", "gdma id=4")
        done = weft("info", "--check", "--json", model)
        self.assertEqual(done.returncode, 1)
        races = json.loads(done.stdout)["races"]
        self.assertEqual(json_schema.mismatches(SCHEMA, races, "races"), [])
        one = races["found"][0]
        self.assertEqual((one["conflict"], one["memory"], one["must_wait_for"]), ("read after write", "local", 2))
        word = self.place / "word.bin"
        word.write_bytes(model.read_bytes()[one["second"]["file_offset"]:][:96])
        self.assertIn("gdma id=4 dep=0 dma.tensor", weft("disasm", "--raw", "gdma", word).stdout)
        text = DOCS.read_text()
        self.assertEqual([key for key in json_schema.keys(SCHEMA) if f"`{key}`" not in text], [])

    def test_wrong_options(self):
        run = ("run", MODEL, "--input", INPUT, "--output", self.place / "z.npz")
        self.assertIn("'random' is neither program nor adversarial", self.refused(*run, "--order", "random"))
        self.assertIn("--order-seed", self.refused(*run, "--order-seed", "3"))
        self.assertIn("-1", self.refused(*run, "--order", "adversarial", "--order-seed", "-1"))
        self.assertIn("an adversarial order needs the emulator", self.refused(*run, "--order", "adversarial", "--device", "bmrt"))

    def test_compare_takes_orders(self):
        onnx = DATA / "tiny.onnx"
        for model, passed in ((MODEL, True), (self.without_wait("compare.bmodel", "gdma id=4"), False)):
            done = weft("compare", onnx, model, "--input", INPUT, "--order", "adversarial", "--order-seed", 1)
            self.assertEqual(done.returncode, 0 if passed else 1, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

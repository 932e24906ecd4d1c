#!/usr/bin/env python3
"""INT8 programs take at most the cycles of F16 ones, on networks of the kinds that users bring; what becomes floats for that is said and obeyed.

  int8_cycles_test.py WEFT FOLDER

models/int8_cycles.py compiles all of models/kinds; those of models/cycles.py are held to the same by the test models.cycles.
"""
import json
import pathlib
import subprocess
import sys
import unittest

import numpy as np
import onnx

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "models"))
import cycles  # noqa: E402: the folder above must come first

WEFT, FOLDER = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve()


class Choice(unittest.TestCase):
    """On a network that is cheaper with some of its products as floats."""

    @classmethod
    def setUpClass(cls):
        cls.place = FOLDER / "choice"
        kinds = cycles.module_of("kinds")
        cls.model = kinds.make("residual")
        kinds.write_samples(cls.place / "samples", cls.model)
        onnx.save(cls.model, cls.place / "m.onnx")
        cls.weft("calibrate", "m.onnx", "--data", "samples", "-o", "m.table")
        cls.mixed = cls.convert("mixed")

    @classmethod
    def weft(cls, *arguments):
        done = subprocess.run([WEFT, *map(str, arguments)], cwd=cls.place, capture_output=True, text=True, timeout=300)
        if done.returncode:
            raise AssertionError(done.stderr)
        return done

    @classmethod
    def convert(cls, name, *options):
        """What it says on stderr."""
        return cls.weft("convert", "m.onnx", "-o", f"{name}.bmodel", "--precision", "int8", "--calibration", "m.table", *options).stderr

    def cycles(self, name):
        return json.loads(self.weft("profile", f"{name}.bmodel", "--json").stdout)["total_cycles"]

    def choices(self, name):
        found = json.loads(self.weft("explain", f"{name}.bmodel", "--json").stdout)["choices"]
        return [choice for choice in found if choice["question"] == "precision"]

    def bytes(self, name):
        return (self.place / f"{name}.bmodel").read_bytes()

    def test_the_choice_is_explained(self):
        whole, *products = self.choices("mixed")
        prices = {way["name"]: way["price"] for way in whole["ways"]}
        self.assertEqual((whole["operation"], whole["nodes"]), ("net", []))
        self.assertEqual(list(prices), ["codes", "floats", "mixed", "mixed_again"][:len(prices)])
        taken = prices[whole["taken"]]
        self.assertIn(whole["taken"], ("mixed", "mixed_again"))
        self.assertEqual(self.cycles("mixed"), taken)
        self.assertEqual(taken, min(prices.values()))
        # The first mix must have gained, or there is no second.
        self.assertLess(prices["mixed"], min(prices["codes"], prices["floats"]))
        self.assertTrue(0 < len(products) < 10, products)
        for choice in products:
            self.assertEqual((choice["operation"], choice["taken"]), ("conv", "floats"))
        self.assertIn(f"weft: remark: m.onnx: {len(products)} of 10 products ('conv", self.mixed)
        self.assertIn(f"the program then takes {taken} cycles instead of {prices['codes']}; --keep-int8 leaves", self.mixed)

    def test_codes_can_be_kept(self):
        self.assertEqual(self.convert("codes", "--keep-int8"), "")
        self.assertEqual(self.choices("codes"), [])
        self.assertEqual(self.cycles("codes"), {way["name"]: way["price"] for way in self.choices("mixed")[0]["ways"]}["codes"])

    def test_what_the_user_says_is_obeyed(self):
        (self.place / "none.yaml").write_text("ops: {}\n")
        for options in (["--precision-table", "none.yaml"], ["--no-float"], ["--quantized-io"]):
            with self.subTest(options=options):
                self.assertEqual(self.convert("given", *options), "")
                self.assertEqual(self.choices("given"), [])

    def test_every_level_gives_the_same_numbers(self):
        np.savez(self.place / "in.npz", x=np.random.default_rng(99).standard_normal((1, 3, 96, 96)).astype(np.float32))
        outputs = []
        for level in (0, 1, 2, 3):
            said = self.convert(f"level{level}", f"-O{level}")
            # -O3 may find better groups for the same mix, and says so.
            self.assertTrue(said == self.mixed or (level == 3 and said.startswith(self.mixed + "weft: remark: m.onnx: -O3 compared ")), said)
            self.assertEqual([choice["operation"] for choice in self.choices(f"level{level}")], [c["operation"] for c in self.choices("mixed")])
            self.weft("run", f"level{level}.bmodel", "--input", "in.npz", "--output", "out.npz")
            with np.load(self.place / "out.npz") as found:
                outputs.append({name: array.tobytes() for name, array in found.items()})
        self.assertEqual(outputs, outputs[:1] * 4)
        self.assertEqual(self.bytes("level2"), self.bytes("mixed"))

    def test_the_tpu_level_has_the_same_floats(self):
        text = self.weft("convert", "m.onnx", "-o", "-", "--precision", "int8", "--calibration", "m.table", "--emit", "tpu").stdout
        self.assertEqual(text.count("#tpu.choice<precision, \"net\""), 1)
        self.assertNotIn("top.floats", text)


if __name__ == "__main__":
    tried = unittest.TextTestRunner(stream=sys.stdout, verbosity=0).run(unittest.defaultTestLoader.loadTestsFromTestCase(Choice))
    command = [sys.executable, ROOT / "models" / "int8_cycles.py", WEFT, FOLDER, "--group", "kinds", "--check"]
    sys.exit(1 if subprocess.run(command).returncode != 0 or not tried.wasSuccessful() else 0)

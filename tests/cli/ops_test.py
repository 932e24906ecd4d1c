#!/usr/bin/env python3
"""weft ops: the operation sets as tables and JSON; what the documents say of types and features; options.

  ops_test.py WEFT CLI_PAGE
"""
import json
import pathlib
import re
import subprocess
import sys
import unittest

WEFT, PAGE = sys.argv[1:3]
del sys.argv[1:3]
SETS = {"ppl": 161, "zhouyi": 22, "ascend": 3}
INTEGERS = [f"{sign}int{bits}" for bits in (8, 16, 32) for sign in ("", "u")]
# The document's table of features: mask, r, saturate, out_sign, scalar (numbers broadcast), flexible and multiple width.
FEATURES = {
    "vadd": "mrsobFM", "vaddh": "bM", "vabs": "msFM", "vsub": "mrsobFM", "vsubh": "bM", "vmul": "mrobFM", "vmull": "mrob", "vmulh": "mrob",
    "vdiv": "mbFM", "vmod": "mbFM", "vdot": "mb", "vqdot": "mb", "vdpa": "mb", "vqdpa": "mb", "vrpadd": "m", "vmml": "", "vmma": "",
    "fma": "mbFM", "vfmae": "mb", "vfmao": "mb", "vrint": "mFM", "clip": "mbFM"}
LETTERS = {"m": "mask", "r": "r", "s": "saturate", "o": "out_sign", "b": "scalar", "F": "flexible_width", "M": "multiple_width"}
# Types of the last operand, as the document lists them.
TYPES = {name: INTEGERS + ["fp16", "fp32"] for name in ("vadd", "vabs", "vsub", "vrpadd", "clip")}
TYPES.update({name: INTEGERS for name in ("vaddh", "vsubh", "vmull", "vmulh", "vmod")})
TYPES.update(vmul=INTEGERS[2:] + ["fp16", "fp32"], vdiv=INTEGERS + ["fp32"], vdot=INTEGERS[:4], vdpa=INTEGERS[:4], vqdot=INTEGERS[:2] + ["fp16"],
             vqdpa=INTEGERS[:2] + ["fp16"], vmml=["fp16"], vmma=["fp16"], fma=["fp32"], vfmae=["fp16"], vfmao=["fp16"], vrint=["fp16", "fp32"])
# x, y and the result of the sums of products.
PAIRS = [("int8", "int8", "int16"), ("int8", "uint8", "int16"), ("uint8", "int8", "int16"), ("uint8", "uint8", "uint16"),
         ("int16", "int16", "int32"), ("int16", "uint16", "int32"), ("uint16", "int16", "int32"), ("uint16", "uint16", "uint32")]
FOURS = [("int8", "int8", "int32"), ("int8", "uint8", "int32"), ("uint8", "int8", "int32"), ("uint8", "uint8", "uint32"), ("fp16", "fp16", "fp32")]


def run(*options):
    return subprocess.run([WEFT, "ops", *options], capture_output=True, text=True, timeout=60)


def rows(name):
    return {row["name"].removeprefix(f"{name}."): row for row in json.loads(run(f"--{name}", "--json").stdout)}


def element(vector):
    return vector.split("x")[0]


class Runs(unittest.TestCase):
    """What the tests ran, by operand; what the device ran is told apart from what the interpreter alone ran."""

    def test_types_are_those_of_operands(self):
        for name, row in rows("ppl").items():
            for one in row["runs"]:
                with self.subTest(name, chip=one["chip"]):
                    self.assertIn(one["chip"], row["chips"])
                    self.assertIn(one["by"], ("device", "interpreter"))
                    self.assertEqual(one["by"] == "device", one["chip"] == "bm1684x" and one == row["runs"][0] and row["state"] != "interpreted")
                    taken = {slot["name"]: slot["types"] for slot in row["slots"]}
                    for slot, types in one["types"].items():
                        self.assertLessEqual(set(types), set(taken[slot]))

    def test_an_index_is_not_what_is_gathered(self):
        runs = {(one["chip"], one["by"]): one["types"] for one in rows("ppl")["dma.gather_h"]["runs"]}
        self.assertEqual(runs["bm1690", "interpreter"], {"dst": ["fp32"], "param": ["fp32"], "index": ["uint32"]})
        table = run("--ppl").stdout
        self.assertIn("bm1690 in the interpreter (dst param: fp32, index: uint32)", table)


class Sets(unittest.TestCase):
    def test_every_set_has_a_table_and_json(self):
        words = set(re.findall(r"`(\w+)`", pathlib.Path(PAGE).read_text().split("## weft ops")[1].split("\n## ")[0]))
        for name, count in SETS.items():
            listed = rows(name)
            self.assertEqual(len(listed), count)
            table = run(f"--{name}").stdout.splitlines()
            self.assertEqual([line.split()[1] for line in table[2:]], [f"{name}.{short}" for short in listed])
            for row in listed.values():
                self.assertEqual(row["set"], name)
                self.assertTrue(row["summary"] and row["formula"] and row["example"] and row["slots"] or name == "ppl", row["name"])
                self.assertLessEqual(set(row), words, "keys that docs/cli.md does not name")
                for slot in row["slots"]:
                    self.assertLessEqual(set(slot), words)

    def test_options(self):
        for options, text in ((("--zhouyi", "--ascend"), "--zhouyi and --ascend exclude each other"), (("--zhouyi", "--examples", "bm1684x"), "--examples goes with --ppl"),
                              (("--ppl", "--examples", "abacus"), "no target 'abacus'")):
            result = run(*options)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertRegex(result.stderr, rf"^weft: error: [^\n]*{text}[^\n]*\n$")


class Zhouyi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = rows("zhouyi")

    def test_features(self):
        for name, letters in FEATURES.items():
            self.assertEqual(self.rows[name]["features"], [LETTERS[letter] for letter in letters], name)

    def test_types(self):
        for name, types in TYPES.items():
            found = {element(one["operands"][-1]) for one in self.rows[name]["signatures"]}
            self.assertEqual(found, set(types), name)

    def test_sums_of_products(self):
        for name, table in (("vdot", PAIRS), ("vqdot", FOURS)):
            found = [(*map(element, one["operands"]), element(one["result"])) for one in self.rows[name]["signatures"]]
            self.assertEqual(sorted(found), sorted(table))
        for name, table in (("vdpa", PAIRS), ("vqdpa", FOURS)):
            found = [(*map(element, one["operands"][1:]), element(one["result"])) for one in self.rows[name]["signatures"]]
            self.assertEqual(sorted(found), sorted(table))
            for one in self.rows[name]["signatures"]:
                self.assertEqual(one["operands"][0], one["result"])

    def test_signs(self):
        """x and y of different signs need out_sign, which is the sign of the result."""
        for name in ("vadd", "vsub", "vmul", "vmull", "vmulh"):
            for one in self.rows[name]["signatures"]:
                x, y = map(element, one["operands"])
                self.assertEqual(bool(one["out_sign"]), x != y)
                if x != y:
                    self.assertEqual(one["out_sign"] == "u", one["result"].startswith("u"))

    def test_registers_are_full(self):
        lanes = {"8": 32, "16": 16, "32": 8}
        for name, row in self.rows.items():
            for one in row["signatures"]:
                for vector in (*one["operands"], *filter(None, [one["result"]])):
                    self.assertEqual(int(vector.split("x")[1]), lanes[re.search(r"\d+", vector)[0]], name)


if __name__ == "__main__":
    unittest.main()

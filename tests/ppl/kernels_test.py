"""The kernels of kernels/: they give what their tests expect, and pipelined ones are faster.

kernels_test.py WEFT BUILT [--device bmrt] [--only NAME]: runs `weft ppl test` on every file, compiled by CMake in folder BUILT. That compares the values with the float
references beside the kernels, and the bytes of the pipelined program with those of the serial one and of the interpreter. Then
`weft ppl profile`: a test called *_pipelined must not take more cycles than with its rounds one after the other, nearly all of them
fewer, and some of them on both engines at once. There are as many such tests as the files have names of them.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent / "kernels"
# Functions of engines that Weft makes no commands for.
INTERPRETED = {"multicore": "bm1690"}
# Of all files together.
LEAST_PIPELINED = 25


def built(path):
    """The library that CMake made of a kernel's source."""
    return OPTIONS.built / f"{path.stem}.so"


def weft(*words):
    return subprocess.run([OPTIONS.weft, "ppl", *map(str, words)], capture_output=True, text=True, timeout=900)


class KernelsTest(unittest.TestCase):

    def files(self):
        found = sorted(FOLDER.glob("*.cpp"))
        self.assertGreaterEqual(len(found), 12)
        return [path for path in found if OPTIONS.only in ("", path.stem)]

    def check_values(self, path):
        where = ["--device", OPTIONS.device]
        if path.stem in INTERPRETED:
            where = ["--interpret", "--target", INTERPRETED[path.stem]]
        ran = weft("test", built(path), *where)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertNotIn("FAIL", ran.stdout)
        return ran.stdout.count("PASS ")

    def test_values(self):
        passed = 0
        for path in self.files():
            with self.subTest(path.stem):
                passed += self.check_values(path)
        if not OPTIONS.only:
            self.assertGreaterEqual(passed, 80)

    def check_cycles(self, path):
        """The number of pipelined tests that are faster; none is slower. Engines overlap without pipelines, too, where memory suffices."""
        ran = weft("profile", built(path), "--json")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        pipelined = [test for test in json.loads(ran.stdout) if test["test"].endswith("_pipelined")]
        for test in pipelined:
            with self.subTest(test["test"]):
                self.assertLessEqual(test["cycles"], test["serial_cycles"], test)
                self.assertGreater(test["overlapped_cycles"], 0, test)
        # So that a test that is not profiled is missed.
        written = set(re.findall(r"^__TEST__ void (\w+_pipelined)\(", path.read_text(), re.M))
        self.assertLessEqual(written, {test["test"] for test in pipelined})
        return sum(test["cycles"] < test["serial_cycles"] for test in pipelined)

    def test_cycles(self):
        pipelined = 0
        for path in self.files():
            if path.stem not in INTERPRETED:
                with self.subTest(path.stem):
                    pipelined += self.check_cycles(path)
        if not OPTIONS.only:
            self.assertGreaterEqual(pipelined, LEAST_PIPELINED)

    def test_state_is_hidden(self):
        """Libraries of one process do not share what the headers remember: no variable of theirs is exported."""
        symbols = subprocess.run(["nm", "-D", "-C", "--defined-only", OPTIONS.built / "utilities.so"], capture_output=True, text=True,
                                 check=True).stdout
        self.assertIn(" T weft_ppl_bind", symbols.replace(" W weft", " T weft"))
        variables = [line for line in symbols.splitlines() if re.search(r"\b[uVBDGS] (?!typeinfo|vtable).*ppl::", line)]
        self.assertEqual(variables, [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weft")
    parser.add_argument("built", type=pathlib.Path)
    parser.add_argument("--device", default="emulator", choices=["emulator", "bmrt"])
    parser.add_argument("--only", default="", help="one file, without .cpp")
    OPTIONS = parser.parse_args()
    # Cycles do not depend on the device.
    tests = [] if OPTIONS.device == "emulator" else ["KernelsTest.test_values"]
    unittest.main(argv=sys.argv[:1] + tests)

"""The unary functions as programs: bits on the emulator, or on the vendor's runtime.

functions_test.py WEFT [--device bmrt]: runs `weft ppl test` on the kernels beside this file. every_function.cpp wants the bits
of the lane machine, by which the errors in docs/ppl/tpu-bdc.md are measured; typed_functions.cpp those of C++.
"""
import argparse
import pathlib
import subprocess
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent
ROOT = FOLDER.parents[2]


class FunctionsTest(unittest.TestCase):

    def check(self, name, count, *words):
        ran = subprocess.run([OPTIONS.weft, "ppl", "test", FOLDER / name, "--device", OPTIONS.device, *words],
                             capture_output=True, text=True, timeout=600)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertIn(f"{count} passed, 0 failed", ran.stdout)

    def test_every_function(self):
        self.check("every_function.cpp", 5, "--compiler-argument", f"-I{ROOT}", "--compiler-argument", "-lmpfr")

    def test_every_type(self):
        self.check("typed_functions.cpp", 35)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("weft")
    parser.add_argument("--device", default="emulator", choices=["emulator", "bmrt"])
    OPTIONS, rest = parser.parse_known_args()
    unittest.main(argv=["functions_test.py", *rest])

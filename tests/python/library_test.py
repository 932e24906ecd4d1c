#!/usr/bin/env python3
"""The kernel library in Python (examples/kernels/*/*.py): each file compares its results with numpy, on the emulator or the vendor's runtime.

  library_test.py PYTHON_FOLDER NATIVE_FOLDER LIBRARY_FOLDER cmodel|bmrt
"""
import os
import pathlib
import subprocess
import sys
import unittest

PYTHON, NATIVE, LIBRARY, MODE = sys.argv[1:5]
del sys.argv[1:5]


class Library(unittest.TestCase):
    def test_values(self):
        if MODE == "bmrt":
            self.assertTrue(os.environ.get("WEFT_BMRT_LIB"), "scripts/setup fetches the vendor's runtime")
        files = sorted(pathlib.Path(LIBRARY).glob("*/*.py"))
        self.assertTrue(files)
        for path in files:
            with self.subTest(path.stem):
                ran = subprocess.run([sys.executable, path], capture_output=True, text=True,
                                     env={**os.environ, "PYTHONPATH": PYTHON, "WEFT_NATIVE_DIR": NATIVE, "MODE": MODE})
                self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
                self.assertRegex(ran.stdout, rf"^{path.stem}: (\d+ cycles|fine)$")


if __name__ == "__main__":
    unittest.main()

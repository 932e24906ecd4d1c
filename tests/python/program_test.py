#!/usr/bin/env python3
"""weft.Model of a program of vector operations.

  program_test.py PACKAGE-FOLDER LIBRARY-FOLDER DATA
"""
import os
import pathlib
import sys
import unittest

import numpy as np

PACKAGE, LIBRARIES, DATA = sys.argv[1:4]
del sys.argv[1:4]
sys.path.insert(0, PACKAGE)
os.environ["WEFT_NATIVE_DIR"] = LIBRARIES
import weft  # noqa: E402  (after the path to it)

DOT = pathlib.Path(DATA) / "zhouyi" / "dot_v1.zyp"


class Program(unittest.TestCase):
    def test_runs_from_a_file_and_from_bytes(self):
        x = np.random.default_rng(3).integers(-127, 128, (1, 70)).astype(np.int8)
        weights = np.array([[(7 * j + 3 * k) % 13 - 6 for k in range(70)] for j in range(5)])
        for source in (DOT, DOT.read_bytes()):
            model = weft.Model(source)
            self.assertEqual(list(model.inputs), ["x"])
            np.testing.assert_array_equal(model.run(x=x)["z"], np.maximum(x.astype(np.int64) @ weights.T, 0))
            # Floats are quantized with the input's scale of 2.
            np.testing.assert_array_equal(model.run(x=(x / 2).astype(np.float32))["z"], model.run(x=x)["z"])

    def test_a_broken_one_is_refused(self):
        with self.assertRaisesRegex(weft.WeftError, "<bytes>: byte 0: the flatbuffer .* is broken"):
            weft.Model(DOT.read_bytes()[:1000])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""weft.Model of a program of vector operations.

  program_test.py PACKAGE-FOLDER LIBRARY-FOLDER DATA
"""
import functools
import os
import pathlib
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper

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

    def test_models_become_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "small.onnx"
            value = functools.partial(helper.make_tensor_value_info, elem_type=TensorProto.FLOAT, shape=[2, 50])
            graph = helper.make_graph([helper.make_node("Mul", ["a", "b"], ["ab"]), helper.make_node("Add", ["ab", "a"], ["sum"]),
                                       helper.make_node("Relu", ["sum"], ["y"])], "small", [value("a"), value("b")], [value("y")])
            onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)
            program = weft.convert(path, target="zhouyi")
            with self.assertRaisesRegex(weft.WeftError, "2 shapes, a program for zhouyi has one"):
                weft.convert(path, target="zhouyi", shapes={"a": "1|2x50", "b": "2x50"})
            with self.assertRaisesRegex(weft.WeftError, "bf16"):
                weft.convert(path, target="zhouyi", precision="bf16")
            with self.assertRaisesRegex(weft.WeftError, "^the target is 'abacus'; known: bm1684x, zhouyi$"):
                weft.convert(path, target="abacus")
        self.assertEqual(program[4:8], b"WZYP")
        a, b = (np.random.default_rng(seed).standard_normal((2, 50)).astype(np.float32) for seed in (1, 2))
        np.testing.assert_allclose(weft.Model(program).run(a=a, b=b)["y"], np.maximum(a * b + a, 0), rtol=1e-6, atol=1e-6)

    def test_a_broken_one_is_refused(self):
        with self.assertRaisesRegex(weft.WeftError, "<bytes>: byte 0: the flatbuffer .* is broken"):
            weft.Model(DOT.read_bytes()[:1000])

    def test_stages_and_devices(self):
        model = weft.Model(DOT, device="emulator")
        self.assertEqual(model.stages, [model.inputs])
        with self.assertRaisesRegex(weft.WeftError, "^device is 'abacus', must be emulator or bmrt$"):
            weft.Model(DOT, device="abacus")
        with self.assertRaisesRegex(weft.WeftError, "a machine of its own"):
            weft.Model(DOT, device="bmrt").run(x=np.zeros((1, 70), np.int8))
        small = weft.Model(pathlib.Path(DATA) / "vendor-bmodels/tiny_f32.bmodel", device="bmrt", bmrt_library="absent.so")
        (name, (kind, shape)), = small.inputs.items()
        with self.assertRaisesRegex(weft.WeftError, "absent.so"):
            small.run(**{name: np.zeros(shape, kind)})


if __name__ == "__main__":
    unittest.main()

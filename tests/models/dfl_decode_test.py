#!/usr/bin/env python3
"""The example operator DflDecode: against its formula, behind PicoDet, on the emulator and the vendor's runtime.

  dfl_decode_test.py WEFT CXX ROOT
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

WEFT, CXX, ROOT = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
del sys.argv[1:4]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "models")]
import inputs  # noqa: E402
import model_registry  # noqa: E402

EXAMPLE = ROOT / "examples/dfl_decode"
STRIDES = (8, 16, 32, 64)
spec = importlib.util.spec_from_file_location("append", EXAMPLE / "append.py")
append = importlib.util.module_from_spec(spec)
spec.loader.exec_module(append)


def run(*command):
    result = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, f"{command}: {result.stdout}{result.stderr}"
    return result.stdout


def decoded(scores, centers, stride):
    """The formula of the example, in doubles."""
    scores = scores.astype(np.float64).reshape(*scores.shape[:2], 4, -1)
    power = np.exp(scores - scores.max(-1, keepdims=True))
    distance = stride * (power @ np.arange(scores.shape[-1])) / power.sum(-1)
    return np.concatenate([centers - distance[..., :2], centers + distance[..., 2:]], -1)


class DflDecode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.plugin = cls.folder / "dfl_decode.so"
        run(CXX, "-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-fPIC", "-shared",
            f"-I{pathlib.Path(WEFT).resolve().parents[1] / 'include/weft'}", EXAMPLE / "dfl_decode.cpp", "-o", cls.plugin)

    def outputs(self, model, arrays, *flags):
        """Outputs on the emulator; the vendor's runtime must give the same bytes."""
        onnx.save(model, self.folder / "m.onnx")
        np.savez(self.folder / "in.npz", **arrays)
        run(WEFT, "convert", self.folder / "m.onnx", "-o", self.folder / "m.bmodel", "--plugin", self.plugin, "--no-host", *flags)
        got = {}
        for device, flag in (("emulator", ()), ("bmrt", ("--device", "bmrt", "--bmrt-lib", os.environ["WEFT_BMRT_LIB"]))):
            run(WEFT, "run", self.folder / "m.bmodel", "--input", self.folder / "in.npz", "--output", self.folder / "out.npz", *flag)
            got[device] = dict(np.load(self.folder / "out.npz"))
        for name, value in got["emulator"].items():
            self.assertEqual(value.tobytes(), got["bmrt"][name].tobytes(), name)
        return got["emulator"]

    def test_formula_at_many_sizes(self):
        random = np.random.default_rng(5)
        # One anchor, less and more than a row of lanes, a whole block of 16 rows, several blocks and a rest; other bins.
        for batch, anchors, bins in ((1, 1, 8), (2, 63, 8), (1, 64, 16), (3, 130, 4), (1, 1024, 8), (2, 2200, 8), (1, 65, 64)):
            scores = (random.standard_normal((batch, anchors, 4 * bins)) * 4).astype(np.float32)
            centers = (random.random((anchors, 2)) * 800).astype(np.float32)
            graph = helper.make_graph(
                [helper.make_node("DflDecode", ["x", "c"], ["y"], domain="weft.examples", stride=16.0)], "g",
                [helper.make_tensor_value_info("x", TensorProto.FLOAT, scores.shape)],
                [helper.make_tensor_value_info("y", TensorProto.FLOAT, (batch, anchors, 4))],
                [numpy_helper.from_array(centers, "c")])
            model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("weft.examples", 1)],
                                      ir_version=8)
            boxes = self.outputs(model, {"x": scores})["y"]
            expected = decoded(scores, centers, 16)
            # The exponential within 2^-19 (it is the machine's series), two sums of `bins` f32 numbers and a quotient: under 2^-17 of
            # a distance of at most 16 * bins; the sum with a center below 1024 + 16 * bins rounds once more.
            bound = 2 ** -17 * 16 * bins + 2 ** -24 * (1024 + 16 * bins)
            self.assertLess(np.abs(boxes - expected).max(), bound, (batch, anchors, bins))

    def test_boxes_of_a_page(self):
        path = model_registry.fetch("picodet_layout")
        model = onnx.load(path)
        image = inputs.page({"image": (np.float32, (1, 3, 800, 608))})["image"]
        session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
        raw = dict(zip([output.name for output in session.get_outputs()], session.run(None, {"image": image})))
        expected = np.concatenate([decoded(value, append.centers(800, 608, stride), stride) for stride in STRIDES
                                   for value in raw.values()
                                   if value.shape[1:] == (len(append.centers(800, 608, stride)), 32)], 1)
        model = append.append_decoding(model, 800, 608, STRIDES)
        got = self.outputs(model, {"image": image}, "--shape", "image=1x3x800x608")["boxes"]
        self.assertEqual(got.shape, (1, 10105, 4))
        # Scores differ by the order of f32 sums through 100 layers, about 1e-5 of their size; a distance moves by at most 8 strides
        # of 64 pixels times half of that, 0.0026; four times as much for the largest of 40,420 numbers.
        self.assertLess(np.abs(got - expected).max(), 0.01)


if __name__ == "__main__":
    unittest.main()

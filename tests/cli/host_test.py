#!/usr/bin/env python3
"""What the chip does not compute runs on the host: converted, shown, run, refused where it cannot.

  host_test.py WEFT
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEFT = sys.argv.pop(1)
REASON = "the constant 1.000000e+39 is beyond the range of f32, in which doubles are computed"
OPERATIONS = [{"kernel": "binary", "node": "times", "reason": REASON, "from_chip_bytes": 24, "to_chip_bytes": 0},
              {"kernel": "binary", "node": "over", "reason": REASON, "from_chip_bytes": 0, "to_chip_bytes": 24}]


def weft(*arguments):
    return subprocess.run([WEFT, *map(str, arguments)], capture_output=True, timeout=120, text=True)


def model(nodes, inputs, outputs, initializers=()):
    return helper.make_model(helper.make_graph(nodes, "g", inputs, outputs, list(initializers)),
                             opset_imports=[helper.make_opsetid("", 13)], ir_version=8)


def beyond_f32():
    """x * 1e39 / 1e39: a double that the chip does not have, with its own ops before and after."""
    large = numpy_helper.from_array(np.array(1e39), "large")
    value = helper.make_tensor_value_info
    nodes = [helper.make_node("Relu", ["x"], ["r"], name="before"),
             helper.make_node("Mul", ["r", "large"], ["m"], name="times"),
             helper.make_node("Div", ["m", "large"], ["d"], name="over"),
             helper.make_node("Relu", ["d"], ["y"], name="after")]
    return model(nodes, [value("x", TensorProto.DOUBLE, [2, 3])], [value("y", TensorProto.DOUBLE, [2, 3])], [large])


def all_on_the_chip():
    value = helper.make_tensor_value_info
    return model([helper.make_node("Relu", ["x"], ["y"])], [value("x", TensorProto.FLOAT, [2, 3])],
                 [value("y", TensorProto.FLOAT, [2, 3])])


def non_zero():
    """The places of the positive values of x, a row each: as many as there are."""
    value = helper.make_tensor_value_info
    nodes = [helper.make_node("Relu", ["x"], ["r"], name="positive"),
             helper.make_node("NonZero", ["r"], ["n"], name="places"),
             helper.make_node("Transpose", ["n"], ["t"], name="rows", perm=[1, 0]),
             helper.make_node("Cast", ["t"], ["y"], name="cast", to=TensorProto.INT32)]
    return model(nodes, [value("x", TensorProto.FLOAT, [2, 3])],
                 [value("r", TensorProto.FLOAT, [2, 3]), value("y", TensorProto.INT32, ["k", 2])])


NO_SLICE = "one slice of this layer does not fit the local memory of 262144 bytes a lane; make the layer smaller"
CHANNELS = 70000


def beyond_local_memory():
    """A convolution of so many channels that not one pixel of them fits the lanes, and a relu that the chip keeps."""
    value = helper.make_tensor_value_info
    nodes = [helper.make_node("Conv", ["x", "w"], ["c"], name="wide"), helper.make_node("Relu", ["c"], ["y"], name="relu")]
    weights = np.stack([np.ones(CHANNELS), -np.ones(CHANNELS)]).astype(np.float32).reshape(2, CHANNELS, 1, 1)
    return model(nodes, [value("x", TensorProto.FLOAT, [1, CHANNELS, 1, 1])], [value("y", TensorProto.FLOAT, [1, 2, 1, 1])],
                 [numpy_helper.from_array(weights, "w")])


class Host(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def convert(self, onnx_model, *flags, code=0):
        (self.folder / "m.onnx").write_bytes(onnx_model.SerializeToString())
        result = weft("convert", self.folder / "m.onnx", "-o", self.folder / "m.bmodel", *flags)
        self.assertEqual(result.returncode, code, result.stderr)
        return result

    def run_model(self, **inputs):
        np.savez(self.folder / "in.npz", **inputs)
        result = weft("run", self.folder / "m.bmodel", "-i", self.folder / "in.npz", "-o", self.folder / "out.npz")
        self.assertEqual(result.returncode, 0, result.stderr)
        return np.load(self.folder / "out.npz")

    def test_an_op_beyond_the_chip_runs_between_those_on_it(self):
        self.convert(beyond_f32())
        x = np.array([[-1, 2, 3], [0.5, -0.25, 1e-3]])
        np.testing.assert_allclose(self.run_model(x=x)["y"], np.maximum(x, 0), rtol=1e-7)

    def test_info_shows_each_op_its_reason_and_the_bytes_that_cross(self):
        self.convert(beyond_f32())
        stage = json.loads(weft("info", self.folder / "m.bmodel", "--json").stdout)["nets"][0]["stages"][0]
        self.assertEqual(stage["sub_nets"], 3)
        self.check_host(stage["host"])
        text = weft("info", self.folder / "m.bmodel").stdout
        self.assertRegex(text, "host: 2 operations in 1 sub-nets, 24 bytes from the chip, 24 to it, less than 1 us\n")
        self.assertRegex(text, f"'times' \\('binary'\\): '{re.escape(REASON)}'; 24 bytes from the chip, 0 to it; less than 1 us\n")

    def check_host(self, host):
        """What is told of the host, with times that add up."""
        self.assertAlmostEqual(host.pop("seconds"), sum(one["seconds"] for one in host["operations"]))
        for operation in host["operations"]:
            self.assertTrue(0 < operation.pop("seconds") < 1e-6)
        self.assertEqual(host, {"sub_nets": 1, "from_chip_bytes": 24, "to_chip_bytes": 24, "operations": OPERATIONS})

    def test_convert_remarks_each_op_with_its_reason_and_the_bytes_that_cross(self):
        remarks = self.convert(beyond_f32()).stderr.splitlines()
        path = self.folder / "m.onnx"
        expected = f"weft: remark: {path}: node 1 'times' (Mul, opset 13): stays on the host: {REASON}; 24 bytes come from the chip, 0 go to it; less than 1 us"
        self.assertEqual(sum(line == expected for line in remarks), 1, remarks)
        self.assertEqual(sum("stays on the host" in line for line in remarks), 2, remarks)

    def test_a_file_for_many_shapes_tells_each_op_once(self):
        onnx_model = beyond_f32()
        for info in (onnx_model.graph.input[0], onnx_model.graph.output[0]):
            info.type.tensor_type.shape.dim[0].dim_param = "n"
        remarks = self.convert(onnx_model, "--shape", "x=1..4x3").stderr
        self.assertEqual(remarks.count("stays on the host"), 2, remarks)

    def test_convert_says_nothing_of_the_host_where_the_chip_computes_all(self):
        self.assertNotIn("host", self.convert(all_on_the_chip()).stderr)

    def test_profile_counts_each_op_and_the_bytes_that_cross(self):
        self.convert(beyond_f32())
        told = json.loads(weft("profile", self.folder / "m.bmodel", "--json").stdout)
        self.assertAlmostEqual(told["seconds_with_host"], told["seconds"] + told["host"]["seconds"])
        self.check_host(told["host"])
        text = weft("profile", self.folder / "m.bmodel").stdout
        self.assertRegex(text, "  with host  \\S+ ns: the chip's \\S+ ns and less than 1 us of the host\n")
        self.assertRegex(text, "  host: 2 operations in 1 sub-nets, 24 bytes from the chip, 24 to it, less than 1 us\n")
        self.assertRegex(text, f"    'over' \\('binary'\\): '{re.escape(REASON)}'; 0 bytes from the chip, 24 to it; less than 1 us\n")
        self.convert(all_on_the_chip())
        self.assertEqual(json.loads(weft("profile", self.folder / "m.bmodel", "--json").stdout)["host"]["operations"], [])
        self.assertNotIn("host", weft("profile", self.folder / "m.bmodel").stdout)

    def test_a_dump_says_that_the_hosts_values_are_not_in_it(self):
        for net, says in ((beyond_f32(), "weft: remark: --dump-all leaves out what the host computes (weft info lists it)"), (all_on_the_chip(), "")):
            self.convert(net)
            np.savez(self.folder / "in.npz", **{value.name: np.ones([dim.dim_value for dim in value.type.tensor_type.shape.dim], helper.tensor_dtype_to_np_dtype(
                value.type.tensor_type.elem_type)) for value in net.graph.input})
            done = weft("run", self.folder / "m.bmodel", "-i", self.folder / "in.npz", "--dump-all", self.folder / "all.npz")
            self.assertEqual((done.returncode, done.stderr.startswith(says), bool(done.stderr)), (0, True, bool(says)), done.stderr)

    def test_no_host_makes_it_an_error(self):
        result = self.convert(beyond_f32(), "--no-host", code=2)
        self.assertIn(f"unsupported: {REASON}; the host can compute it, convert without --no-host", result.stderr)
        self.assertFalse((self.folder / "m.bmodel").exists())

    def test_a_limit_of_the_machine_takes_its_op_alone_to_the_host(self):
        remarks = self.convert(beyond_local_memory()).stderr
        self.assertEqual(remarks.count("stays on the host"), 1, remarks)
        self.assertIn(f"node 0 'wide' (Conv, opset 13): stays on the host: {NO_SLICE}; 0 bytes come from the chip, 8 go to it", remarks)
        x = (np.arange(CHANNELS, dtype=np.float32) % 5 - 1).reshape(1, CHANNELS, 1, 1)
        np.testing.assert_array_equal(self.run_model(x=x)["y"].ravel(), [CHANNELS, 0])
        refused = self.convert(beyond_local_memory(), "--no-host", code=2).stderr
        self.assertEqual(refused.count("error:"), 1, refused)
        self.assertIn(f"node 0 'wide' (Conv, opset 13): unsupported: {NO_SLICE}; the host can compute it, convert without --no-host", refused)

    def test_the_vendors_runtime_refuses_it_with_the_reason(self):
        self.convert(beyond_f32())
        np.savez(self.folder / "in.npz", x=np.zeros((2, 3)))
        result = weft("run", self.folder / "m.bmodel", "-i", self.folder / "in.npz", "-o", self.folder / "out.npz",
                      "--device", "bmrt", "--bmrt-lib", "libbmrt.so")
        self.assertEqual(result.returncode, 2)
        self.assertIn(f"parts that the host computes (node 'times': {REASON})", result.stderr)

    def test_an_output_has_the_size_that_the_data_give(self):
        self.convert(non_zero())
        text = weft("info", self.folder / "m.bmodel").stdout
        self.assertIn("output 'y' i32 6x2 at most, the size depends on data, from the host", text)
        for x in (np.array([[-1, 2, 3], [0.5, -2, 0]], np.float32), np.zeros((2, 3), np.float32),
                  np.ones((2, 3), np.float32)):
            out = self.run_model(x=x)
            np.testing.assert_array_equal(out["r"], np.maximum(x, 0))
            np.testing.assert_array_equal(out["y"], np.argwhere(x > 0))
            self.assertEqual(out["y"].dtype, np.int32)


if __name__ == "__main__":
    unittest.main()

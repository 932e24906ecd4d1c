#!/usr/bin/env python3
"""weft run: values inside of a program in files, repeated and parallel runs, inputs of other types. numpy and ONNX Runtime judge.

  run_test.py WEFT TEST_DATA_FOLDER MANUAL FAKE_BMRT   (a libbmrt.so that goes wrong as FAKE_BMRT says)
"""
import contextlib
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from json_schema import COUNT, REAL, TEXT, keys, mismatches

WEFT, DATA = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve() / "vendor-bmodels"
MANUAL, FAKE_BMRT = pathlib.Path(sys.argv[3]).read_text(), pathlib.Path(sys.argv[4]).resolve()
RNG = np.random.default_rng(3)

RUN = {"net": TEXT, "stage": COUNT, "entries": COUNT, "device": TEXT, "seconds": REAL, "output_file": TEXT,
       "outputs": [{"name": TEXT, "type": TEXT, "shape": [COUNT]}]}
DUMP = {"dump_file": TEXT,
        "dumped": [{"name": TEXT, "type": TEXT, "shape": [COUNT], "stored_type": TEXT, "scale": REAL, "zero_point": COUNT, "file": TEXT}],
        "not_dumped": [TEXT]}
TIMES = {"repeats": COUNT, "seconds_median": REAL, "seconds_min": REAL, "seconds_max": REAL, "sessions": COUNT, "runs_per_second": REAL,
         "predicted_seconds": REAL}


def value(name, dtype, shape):
    return helper.make_tensor_value_info(name, dtype, shape)


def model(nodes, inputs, outputs, initializers=()):
    return helper.make_model(helper.make_graph(nodes, "g", inputs, outputs, list(initializers)),
                             opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def constant(name, array):
    return numpy_helper.from_array(array, name)


def network():
    """Two convolutions and what becomes integers, with names that are no names of files."""
    nodes = [helper.make_node("Conv", ["x", "w"], ["a/b"], pads=[1, 1, 1, 1]),
             helper.make_node("Tanh", ["a/b"], ["../up"]),
             helper.make_node("Conv", ["../up", "v"], ["A/B"], pads=[1, 1, 1, 1]),
             helper.make_node("Sigmoid", ["A/B"], ["\u00fc\n"]),
             helper.make_node("ArgMax", ["\u00fc\n"], [".hidden"], axis=1, keepdims=0),
             helper.make_node("Greater", ["A/B", "../up"], ["n" * 300])]
    return model(nodes, [value("x", TensorProto.FLOAT, [1, 4, 9, 7])],
                 [value("A/B", TensorProto.FLOAT, [1, 4, 9, 7]), value(".hidden", TensorProto.INT64, [1, 9, 7]),
                  value("n" * 300, TensorProto.BOOL, [1, 4, 9, 7])],
                 [constant("w", (RNG.normal(size=(4, 4, 3, 3)) / 6).astype(np.float32)),
                  constant("v", (RNG.normal(size=(4, 4, 3, 3)) / 6).astype(np.float32))])


def chain():
    """Convolutions whose codes pass from one to the next."""
    nodes, given = [], "x"
    for i in range(3):
        nodes += [helper.make_node("Conv", [given, f"w{i}"], [f"c{i}"], pads=[1, 1, 1, 1]), helper.make_node("Relu", [f"c{i}"], [f"r{i}"])]
        given = f"r{i}"
    return model(nodes, [value("x", TensorProto.FLOAT, [1, 4, 9, 7])], [value("r2", TensorProto.FLOAT, [1, 4, 9, 7])],
                 [constant(f"w{i}", RNG.normal(size=(4, 4, 3, 3)).astype(np.float32)) for i in range(3)])


def all_values(onnx_model, feed):
    """Every value of the graph by ONNX Runtime."""
    copy = onnx.shape_inference.infer_shapes(onnx_model)
    known = {info.name for info in copy.graph.output}
    copy.graph.output.extend(info for info in copy.graph.value_info if info.name not in known)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(copy.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return dict(zip(names, session.run(names, feed)))


class Run(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.shared = pathlib.Path(holder.name)
        cls.onnx = network()
        cls.x = RNG.normal(size=(1, 4, 9, 7)).astype(np.float32)
        onnx.save(cls.onnx, cls.shared / "net.onnx")
        onnx.save(chain(), cls.shared / "chain.onnx")
        np.savez(cls.shared / "x.npz", x=cls.x)
        (cls.shared / "samples").mkdir()
        np.savez(cls.shared / "samples" / "0.npz", x=cls.x)
        cls.make("net.onnx", "f32.bmodel")
        cls.make("chain.onnx", "int8.bmodel", "--precision", "int8", "--keep-int8", "--calibration-data", cls.shared / "samples")
        cls.expected = all_values(cls.onnx, {"x": cls.x})

    @classmethod
    def make(cls, source, name, *options):
        done = subprocess.run([WEFT, "convert", cls.shared / source, "-o", cls.shared / name, *options], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def weft(self, *arguments, code=0):
        done = subprocess.run([WEFT, *map(str, arguments)], cwd=self.folder, capture_output=True)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done

    def run_model(self, name, *options, code=0):
        return self.weft("run", self.shared / name, "-i", self.shared / "x.npz", *options, code=code)

    @contextlib.contextmanager
    def environment(self, **values):
        os.environ.update(values)
        try:
            yield
        finally:
            for name in values:
                del os.environ[name]

    def refuses(self, says, *arguments, code=2):
        before = sorted(os.listdir(self.folder))
        error = self.weft(*arguments, code=code).stderr.decode()
        self.assertRegex(error, r"\Aweft: error: [^\n]+\n\Z")
        self.assertRegex(error, says)
        self.assertEqual(sorted(os.listdir(self.folder)), before)

    def test_dumped_values_are_those_of_onnxruntime(self):
        self.run_model("f32.bmodel", "--dump-all", "all.npz", "-o", "out.npz")
        with np.load(self.folder / "all.npz") as got, np.load(self.folder / "out.npz") as out:
            self.assertEqual(set(got.files), set(self.expected))
            for name, want in self.expected.items():
                self.assertEqual((got[name].dtype, got[name].shape), (want.dtype, want.shape), name)
                if want.dtype == np.float32:
                    np.testing.assert_allclose(got[name], want, atol=2e-5, err_msg=name)
            for name in out.files:
                np.testing.assert_array_equal(got[name], out[name])

    def test_codes_become_reals_and_can_be_had_as_stored(self):
        facts = json.loads(self.run_model("int8.bmodel", "--dump-all", "all.npz", "--json").stdout)
        self.assertEqual(mismatches({**RUN, **DUMP}, {**facts, "dumped": [{**value, "zero_point": abs(value["zero_point"])} for value in facts["dumped"]]}, "run"), [])
        self.assertEqual({key for key in keys(DUMP) if f"`{key}`" not in MANUAL}, set())
        self.run_model("int8.bmodel", "--dump-all", "stored.npz", "--dump-stored")
        codes = 0
        with np.load(self.folder / "all.npz") as reals, np.load(self.folder / "stored.npz") as stored:
            self.assertEqual(reals.files, [entry["name"] for entry in facts["dumped"]])
            for entry in facts["dumped"]:
                name = entry["name"]
                self.assertEqual((reals[name].shape, stored[name].shape), (tuple(entry["shape"]),) * 2)
                if stored[name].dtype in (np.int8, np.uint8) and entry["scale"] != 1:
                    codes += 1
                    want = (stored[name].astype(np.float64) - entry["zero_point"]) * np.float32(entry["scale"])
                    np.testing.assert_array_equal(reals[name], want.astype(np.float32))
                    self.assertEqual((reals[name].dtype, entry["stored_type"][1:]), (np.float32, "8"))
        self.assertGreater(codes, 0)

    def test_values_are_those_that_compare_sees(self):
        self.run_model("int8.bmodel", "--dump-all", "all.npz")
        # The dump as its own reference is equal, layer by layer.
        text = self.weft("compare", self.shared / "chain.onnx", self.shared / "int8.bmodel", "-i", self.shared / "x.npz", "--per-layer", "--reference", "all.npz").stdout.decode()
        layers = [line for line in text.splitlines() if line.startswith("layer")]
        self.assertGreater(len(layers), 1)
        for line in layers:
            self.assertRegex(line, r"sqnr inf dB|equal|unequal 0", line)

    def test_a_folder_has_a_file_for_each_name(self):
        (self.folder / "empty").mkdir()
        for target in ("values", "empty", "slash/"):
            self.run_model("f32.bmodel", "--dump-all", target)
        names = json.loads((self.folder / "values" / "names.json").read_text())
        self.assertEqual(set(names), set(self.expected))
        files = sorted(os.listdir(self.folder / "values"))
        self.assertEqual(files, sorted([*names.values(), "names.json"]))
        self.assertEqual(len({file.lower() for file in files}), len(files))
        for file in files:
            self.assertRegex(file, r"\A[A-Za-z0-9_%][A-Za-z0-9._%~-]{0,250}\Z")
        self.assertEqual(names["../up"], "%2E.%2Fup.npy")
        for name, file in names.items():
            got = np.load(self.folder / "values" / file)
            self.assertEqual((got.dtype, got.shape), (self.expected[name].dtype, self.expected[name].shape))

    def test_a_dump_goes_to_stdout(self):
        (self.folder / "all.npz").write_bytes(self.run_model("f32.bmodel", "--dump-all", "-").stdout)
        self.assertEqual(set(np.load(self.folder / "all.npz").files), set(self.expected))

    def test_dumps_that_cannot_be(self):
        run = ["run", self.shared / "f32.bmodel", "-i", self.shared / "x.npz"]
        (self.folder / "full").mkdir()
        (self.folder / "full" / "mine").write_text("mine")
        (self.folder / "file").write_text("mine")
        self.refuses("full: the folder is not empty", *run, "--dump-all", "full")
        self.refuses("file: is a file", *run, "--dump-all", "file")
        self.refuses("no/values", *run, "--dump-all", "no/values")
        self.refuses("the value is empty", *run, "--dump-all", "")
        self.refuses("--output is required; see weft run --help", *run)
        self.refuses("--json and --dump-all - both write to stdout", *run, "--dump-all", "-", "--json")
        self.refuses("is --output and --dump-all", *run, "--dump-all", "a.npz", "-o", "a.npz")
        self.refuses("would overwrite an input", *run[:3], self.shared / "x.npz", "--dump-all", self.shared / "x.npz")
        self.refuses("--dump-all needs --device emulator", *run, "--dump-all", "a.npz", "--device", "bmrt", "--bmrt-lib", "none.so")
        self.refuses("--dump-stored", *run, "--dump-stored", "-o", "a.npz")
        self.assertEqual((self.folder / "full" / "mine").read_text(), "mine")
        self.refuses("--dump-all: the model has no debug map", "run", DATA / "tiny_f32.bmodel", "-i", DATA / "tiny_input.npz", "--dump-all", "a.npz")

    def test_nothing_half_is_left_when_the_disk_is_full(self):
        done = subprocess.run([WEFT, "run", self.shared / "f32.bmodel", "-i", self.shared / "x.npz", "--dump-all", "values"], cwd=self.folder, capture_output=True, text=True,
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (600, 600)))
        self.assertEqual((done.returncode, os.listdir(self.folder)), (2, []), done.stderr)

    def test_repeated_runs_are_timed(self):
        seconds = json.loads(self.weft("profile", self.shared / "f32.bmodel", "--json").stdout)["seconds"]
        self.assertEqual({key for key in keys(TIMES) if f"`{key}`" not in MANUAL}, set())
        for options, repeats, sessions in [(["--repeat", 5], 5, 1), (["--parallel", 3], 1, 3), (["--parallel", 2, "--repeat", 4, "-o", "y.npz"], 4, 2)]:
            facts = json.loads(self.run_model("f32.bmodel", *options, "--json").stdout)
            self.assertEqual(mismatches({**RUN, **TIMES}, facts, "run"), [])
            self.assertEqual((facts["repeats"], facts["sessions"], facts["predicted_seconds"]), (repeats, sessions, seconds))
            self.assertLessEqual(facts["seconds_min"], facts["seconds_median"])
            self.assertLessEqual(facts["seconds_median"], facts["seconds_max"])
        self.run_model("f32.bmodel", "-o", "once.npz")
        self.assertEqual((self.folder / "y.npz").read_bytes(), (self.folder / "once.npz").read_bytes())
        text = self.run_model("f32.bmodel", "--repeat", 3).stdout.decode()
        self.assertRegex(text, r"3 runs: median \S+ [mu]?s, fastest \S+ [mu]?s, slowest \S+ [mu]?s\n\d+ runs a second, 1 at once\npredicted on the chip: \S+ [mun]s ")

    def test_vector_programs_are_timed_without_a_prediction(self):
        self.weft("convert", self.shared / "chain.onnx", "--target", "zhouyi", "-o", "chain.zyp")
        facts = json.loads(self.weft("run", "chain.zyp", "-i", self.shared / "x.npz", "--repeat", 2, "--parallel", 2, "--json").stdout)
        self.assertEqual((facts["repeats"], facts["sessions"], facts["predicted_seconds"]), (2, 2, None))

    def test_runs_that_differ_fail(self):
        onnx.save(model([helper.make_node("Neg", ["x"], ["y"])], [value("x", TensorProto.FLOAT, [1, 4])], [value("y", TensorProto.FLOAT, [1, 4])]), self.folder / "neg.onnx")
        self.weft("convert", "neg.onnx", "-o", "neg.bmodel")
        np.savez(self.folder / "in.npz", x=np.float32([[7, 8, 9, 10]]))
        run = ["run", "neg.bmodel", "-i", "in.npz", "-o", "y.npz", "--device", "bmrt", "--bmrt-lib", FAKE_BMRT]
        self.weft(*run, "--repeat", 3, "--parallel", 2)
        (self.folder / "y.npz").unlink()
        with self.environment(FAKE_BMRT="drift"):
            self.refuses(r"neg\.bmodel: run 2 of session 1: output 'y' is 8 at \[0, 0\], the first run gave 7\n", *run, "--repeat", 3, code=1)
            self.refuses(r"neg\.bmodel: run \d of session [12]: output 'y' is 8 at \[0, 0\], the first run gave 7\n", *run, "--repeat", 3, "--parallel", 2, code=1)
            self.weft(*run, "--repeat", 1)
        with self.environment(FAKE_BMRT="abort"):
            self.refuses("bmrt", *run, "--repeat", 3)

    def test_counts_that_cannot_be(self):
        run = ["run", self.shared / "f32.bmodel", "-i", self.shared / "x.npz"]
        for option in ("--repeat", "--parallel"):
            for count in ("0", "-1", "two", "1e9"):
                self.refuses(option, *run, option, count)
            self.refuses("--dump-all", *run, option, "2", "--dump-all", "a.npz")

    def identity(self, dtype):
        """x -> y of one type, converted."""
        onnx.save(model([helper.make_node("Reshape", ["x", "s"], ["y"])], [value("x", dtype, [2, 3])], [value("y", dtype, [3, 2])],
                        [constant("s", np.int64([3, 2]))]), self.folder / "m.onnx")
        self.weft("convert", "m.onnx", "-o", "m.bmodel")

    def test_inputs_of_any_type_keep_their_values(self):
        kinds = {TensorProto.FLOAT: np.float32, TensorProto.INT64: np.int64, TensorProto.INT32: np.int32, TensorProto.UINT8: np.uint8, TensorProto.INT8: np.int8,
                 TensorProto.BOOL: np.bool_, TensorProto.FLOAT16: np.float16, TensorProto.DOUBLE: np.float64}
        for kind, dtype in kinds.items():
            self.identity(kind)
            for given in (np.bool_, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32, np.float64, ">i4"):
                x = np.array([[0, 1, 1], [1, 0, 1] if dtype == np.bool_ else [100, 7, 1]]).astype(given)
                np.savez(self.folder / "in.npz", x=x)
                self.weft("run", "m.bmodel", "-i", "in.npz", "-o", "y.npz")
                with np.load(self.folder / "y.npz") as out:
                    self.assertEqual(out["y"].dtype, dtype)
                    np.testing.assert_array_equal(out["y"], x.astype(dtype).reshape(3, 2), err_msg=f"{given} for {dtype}")

    def test_values_that_an_input_does_not_have(self):
        for kind, given, number, says in [
                (TensorProto.FLOAT, np.int64, 2**24 + 1, "16777217 at [1, 2], which f32"), (TensorProto.FLOAT, np.float64, 1e39, "1e+39 at [1, 2], which f32"),
                (TensorProto.INT32, np.int64, -2**31 - 1, "-2147483649 at [1, 2], which i32"), (TensorProto.INT32, np.float32, 0.5, "0.5 at [1, 2], which i32"),
                (TensorProto.INT64, np.float64, np.nan, "nan at [1, 2], which i64"), (TensorProto.UINT8, np.int8, -1, "-1 at [1, 2], which u8"),
                (TensorProto.BOOL, np.int32, 2, "2 at [1, 2], which bool"), (TensorProto.INT64, np.uint64, 2**63, "9223372036854775808 at [1, 2], which i64"),
                (TensorProto.FLOAT16, np.int32, 2049, "2049 at [1, 2], which f16")]:
            self.identity(kind)
            x = np.zeros((2, 3), given)
            x[1, 2] = number
            np.savez(self.folder / "in.npz", x=x)
            self.refuses(re.escape(f"in.npz: input 'x' is {says} does not have; give values of"), "run", "m.bmodel", "-i", "in.npz", "-o", "y.npz")

    def test_compare_and_calibrate_take_them_too(self):
        (self.folder / "data").mkdir()
        whole = np.arange(-126, 126).reshape(1, 4, 9, 7)
        np.savez(self.folder / "data" / "0.npz", x=whole)
        np.savez(self.folder / "data" / "1.npz", x=whole.astype(np.float64) / 30)
        self.weft("compare", self.shared / "net.onnx", self.shared / "f32.bmodel", "--data", "data", "--limit", "unequal=0.1")
        self.weft("calibrate", self.shared / "net.onnx", "--data", "data", "-o", "a.table")
        for name in ("0.npz", "1.npz"):
            with np.load(self.folder / "data" / name) as given:
                x = given["x"]
            np.savez(self.folder / "data" / name, x=x.astype(np.float32))
        self.weft("calibrate", self.shared / "net.onnx", "--data", "data", "-o", "b.table")
        self.assertEqual((self.folder / "a.table").read_bytes(), (self.folder / "b.table").read_bytes())
        np.savez(self.folder / "data" / "1.npz", x=whole.astype(np.int64) + 2**25 + 1)
        self.refuses(r"data/1\.npz: input 'x' is 33554307 at \[0, 0, 0, 0\], which f32 does not have", "calibrate", self.shared / "net.onnx", "--data", "data", "-o", "c.table")
        self.refuses(r"data/1\.npz: input 'x' is 33554307 at", "compare", self.shared / "net.onnx", self.shared / "f32.bmodel", "--data", "data")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)

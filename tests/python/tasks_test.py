#!/usr/bin/env python3
"""The daily tasks in Python: convert with every option, run by position and by name, compare, profile, explain, info.

  tasks_test.py PACKAGE-FOLDER LIBRARY-FOLDER WEFT DATA

The judges are the program `weft`, whose files and JSON must be the same, ONNX Runtime and ONNX's reference.
"""
import ast
import inspect
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import warnings

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

PACKAGE, LIBRARIES, WEFT, DATA = sys.argv[1:5]
del sys.argv[1:5]
sys.path.insert(0, PACKAGE)
os.environ["WEFT_NATIVE_DIR"] = LIBRARIES
import weft  # noqa: E402  (after the path to it)

random = np.random.default_rng(5)
IMAGES = random.standard_normal((6, 3, 16, 16)).astype(np.float32)


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def network(batch=1):
    """x -> Conv a -> Relu b -> Conv c -> Softmax y; b -> MaxPool z."""
    rng = np.random.default_rng(0)
    weights = [numpy_helper.from_array(rng.standard_normal(shape, np.float32) * 0.3, name) for name, shape in (("w1", (8, 3, 3, 3)), ("w2", (4, 8, 1, 1)))]
    nodes = [helper.make_node("Conv", ["x", "w1"], ["a"], pads=[1] * 4), helper.make_node("Relu", ["a"], ["b"]), helper.make_node("Conv", ["b", "w2"], ["c"]),
             helper.make_node("Softmax", ["c"], ["y"], axis=1), helper.make_node("MaxPool", ["b"], ["z"], kernel_shape=[2, 2], strides=[2, 2])]
    graph = helper.make_graph(nodes, "small", [value("x", [batch, 3, 16, 16])], [value("y", None), value("z", None)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)


class Tasks(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        self.model = self.save(network())

    def save(self, model, name="m.onnx"):
        onnx.save(model, self.folder / name)
        return self.folder / name

    def graph(self, nodes, inputs, outputs, name="g.onnx"):
        return self.save(helper.make_model(helper.make_graph(nodes, "g", inputs, outputs), opset_imports=[helper.make_opsetid("", 17)], ir_version=8), name)

    def program(self, *options, model=None):
        """The bytes of `weft convert`."""
        subprocess.run([WEFT, "convert", model or self.model, "-o", self.folder / "p.bmodel", *map(str, options)], check=True, capture_output=True)
        return (self.folder / "p.bmodel").read_bytes()

    def told(self, *arguments, code=0):
        """The JSON of `weft`."""
        done = subprocess.run([WEFT, *map(str, arguments), "--json"], capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stderr)
        return json.loads(done.stdout)

    def fails(self, says, function, *arguments, **options):
        with self.assertRaisesRegex(weft.WeftError, says) as seen:
            function(*arguments, **options)
        self.assertNotIn("\n", str(seen.exception))


class Calls(Tasks):
    def test_one_array_or_a_dict(self):
        names, session = ["y", "z"], onnxruntime.InferenceSession(self.model)
        wanted = dict(zip(names, session.run(names, {"x": IMAGES[:1]})))
        model = weft.Model(weft.convert(self.model))
        for got in (model(IMAGES[:1]), model(x=IMAGES[:1]), model.run(x=IMAGES[:1])):
            self.assertEqual(list(got), names)
            for name in names:
                np.testing.assert_allclose(got[name], wanted[name], rtol=1e-5, atol=1e-6)  # sums of 27 products in another order
        got = weft.Model(weft.convert(self.model, outputs="z"))(IMAGES[:1])
        np.testing.assert_allclose(got, wanted["z"], rtol=1e-5, atol=1e-6)
        self.assertEqual(repr(model), "<weft.Model x float32[1, 3, 16, 16] -> y float32[1, 4, 16, 16], z float32[1, 8, 8, 8]>")

    def test_positions_are_the_order_of_the_inputs(self):
        model = weft.Model(weft.convert(self.graph([helper.make_node("Sub", ["b", "self"], ["y"])], [value("b", [2, 3]), value("self", [2, 3])], [value("y", [2, 3])])))
        b, a = random.standard_normal((2, 2, 3)).astype(np.float32)
        for got in (model(b, a), model(b, **{"self": a}), model(**{"self": a, "b": b}), model.run(**{"self": a, "b": b})["y"]):
            np.testing.assert_array_equal(got, b - a)
        self.fails("^3 arrays are given, the inputs are b, self$", model, a, b, a)
        self.fails("^input 'b' is given by position and by name$", model, a, b=b)
        self.fails("^inputs are b, self; missing: self$", model, a)
        self.fails("missing: self; no input: c", model, a, c=b)

    def test_a_call_takes_what_run_takes(self):
        model = weft.Model(weft.convert(self.model, outputs="z"))
        wanted = model(IMAGES[:1])
        for got in (model({"x": IMAGES[:1]}), model.run(IMAGES[:1])["z"], model.run({"x": IMAGES[:1]})["z"], model(IMAGES[:1].astype(np.float64)),
                    model(IMAGES[:1].tolist()), model(x=IMAGES[:1].astype(">f8"))):
            np.testing.assert_array_equal(got, wanted)
        pixels = random.integers(0, 255, IMAGES[:1].shape)
        for kind in (np.uint8, np.int64):
            np.testing.assert_array_equal(model(pixels.astype(kind)), model(pixels.astype(np.float32)))
        self.fails(r"^input 'x' is 1e\+?39 at \[0, 0, 0, 0\], which f32 does not have$", model, np.full(IMAGES[:1].shape, 1e39))
        self.fails(r"^input 'x' is None; give an array for each input: model\(x\), by name, or a dict$", model, None)
        self.fails(r"^input 'x' is 'a.npz'; give an array .*; numpy.load reads files$", model, "a.npz")
        self.fails("^input 'x' is a dict; give an array", model, x={"x": IMAGES[:1]})
        self.fails("^input 'x' is a list that is no array; give one of one shape$", model, [[1], [1, 2]])
        self.fails("^arrays of object are no input", model, np.array([{}]))
        self.fails("^inputs are x; missing: x; no input: q$", model, {"q": IMAGES[:1]})
        self.fails("^int is no program; give the path of a file, or bytes$", weft.Model, 3)

    def test_programs_and_models_go_anywhere(self):
        made = weft.convert(self.model, samples=IMAGES[:2])
        self.assertRegex(repr(made), rf"^<weft.Program of {len(made)} bytes, cosine 1.0000>$")
        self.assertEqual((str(made), bytes(made)), (repr(made), made[:]))
        self.assertRegex(repr(weft.convert(self.model)), r"^<weft.Program of \d+ bytes>$")
        path = self.folder / "m.bmodel"
        path.write_bytes(made)
        for model in (weft.Model(made), weft.Model(path), weft.Model(weft.Model(made))):
            self.assertTrue(weft.compare(self.model, model, IMAGES[:1])["passed"])
            self.assertEqual(weft.profile(model)["total_cycles"], weft.profile(made)["total_cycles"])

    def test_nets_by_name(self):
        ours, both = self.folder / "ours.bmodel", self.folder / "both.bmodel"
        weft.convert(self.model, ours, outputs="z")
        theirs = pathlib.Path(DATA) / "vendor-bmodels" / "tiny_f32.bmodel"
        subprocess.run([WEFT, "bmodel", "combine", theirs, ours, "-o", both], check=True, capture_output=True)
        for net, single in (("tiny", theirs), ("main", ours)):
            model = weft.Model(both, net=net)
            self.assertEqual(model.nets, ["tiny", "main"])
            np.testing.assert_array_equal(model(IMAGES[:1]), weft.Model(single)(IMAGES[:1]))
            self.assertEqual(weft.profile(both, net=net)["net"], net)
        self.assertTrue(weft.compare(self.model, both, IMAGES[:2], net="main")["passed"])
        self.fails("^the file has several nets, give net: tiny, main$", weft.Model, both)
        self.fails("^net is 'none', the file has main$", weft.Model, ours, net="none")


class Conversions(Tasks):
    def test_options_are_those_of_the_program(self):
        table = self.folder / "t.table"
        weft.calibrate(self.model, IMAGES, table)
        int8 = {"precision": "int8", "calibration": table}
        flags = ["--precision", "int8", "--calibration", table]
        seen = set()
        for options, words in [({}, []), ({"outputs": "z"}, ["--outputs", "z"]), ({"outputs": ["z", "y"]}, ["--outputs", "z", "--outputs", "y"]), ({"strip": True}, ["--strip"]),
                               ({"inputs": "b", "outputs": ("c",)}, ["--inputs", "b", "--outputs", "c"]), ({"batch": 4}, ["--batch", "4"]),
                               ({"batch": "1..4"}, ["--batch", "1..4"]), ({"level": 0}, ["-O0"]), ({"level": 3, "search_seconds": 0.5}, ["-O3", "--time-limit", "0.5"]),
                               (int8 | {"quantized_io": True}, [*flags, "--quantized-io"]), (int8 | {"keep_int8": True}, [*flags, "--keep-int8"]),
                               (int8 | {"keep_int8": True, "asymmetric": "off"}, [*flags, "--keep-int8", "--asymmetric", "off"]), ({"shapes": {"x[0]": 2}}, ["--shape", "x[0]=2"])]:
            made = weft.convert(self.model, **options)
            self.assertEqual(made, self.program(*words), options)
            seen.add(made)
        self.assertEqual(len(seen), 13)
        cache = self.folder / "cache"
        weft.convert(self.model, level=3, search_seconds=0.5, search_cache=cache)
        self.assertTrue(cache.exists())

    def test_constants_in_place_of_inputs(self):
        path = self.graph([helper.make_node("Reshape", ["x", "shape"], ["r"]), helper.make_node("Mul", ["r", "k"], ["y"])],
                          [value("x", [2, 6]), value("shape", [2], TensorProto.INT64), value("k", [])], [value("y", None)])
        x = random.standard_normal((2, 6)).astype(np.float32)
        for shape, k in (((3, 4), 2.5), ((4, 3), -1)):
            bound = {"shape": np.array(shape), "k": np.array(k, ">f4")}
            program = weft.convert(path, bind=bound)
            np.testing.assert_array_equal(weft.Model(program)(x), x.reshape(shape) * np.float32(k))
            self.assertTrue(weft.compare(path, program, x, bind=bound)["passed"])
        np.savez(self.folder / "shape.npz", shape=np.array((3, 4)))
        np.savez(self.folder / "k.npz", k=np.float32(2.5))
        self.assertEqual(weft.convert(path, bind={"shape": [3, 4], "k": np.float32(2.5)}),
                         self.program("--bind", f"shape={self.folder / 'shape.npz'}", "--bind", f"k={self.folder / 'k.npz'}", model=path))
        table = weft.calibrate(path, x, bind={"shape": [3, 4], "k": np.float32(2.5)})
        self.assertIn("\nx ", table.text)
        for bind, says in [([1], r"^bind is \[1\], must be a dict"), ({3: 4}, "^bind is {3: 4}, must be a dict of input names and arrays$"), ({"k": None}, "arrays of object are no input"), ({"shape": "3x4"}, "arrays of <U3 are no input"), ({"no": 3}, "g.onnx: bind names 'no', which is not an input"), ({"shape": [3.0, 4.0]}, "shape")]:
            self.fails(says, weft.convert, path, bind=bind)

    def test_a_part_is_calibrated_and_searched(self):
        part = {"inputs": "b", "outputs": "c"}
        data = np.abs(random.standard_normal((6, 8, 16, 16)).astype(np.float32))
        table = weft.calibrate(self.model, data, **part)
        self.assertNotIn("\nx ", table.text)
        made = weft.convert(self.model, precision="int8", calibration=table, keep_int8=True, samples=data, **part)
        self.assertEqual([row["name"] for row in made.accuracy], ["c"])
        self.assertTrue(weft.compare(self.model, made, data)["passed"])
        # A stripped program does not tell its part.
        stripped = weft.convert(self.model, strip=True, **part)
        self.assertTrue(weft.compare(self.model, stripped, data, **part)["passed"])
        self.fails("", weft.compare, self.model, stripped, data)
        found = weft.convert(self.model, precision="auto", calibration=data, target_cosine=0.9, **part)
        self.assertEqual(list(weft.Model(found).inputs), ["b"])
        batched = weft.calibrate(self.model, IMAGES[:4], batch=2, outputs="z")
        self.assertIn("# samples: 2\n", batched.text)

    def test_progress(self):
        calls = []

        def note(done, about):
            calls.append((done, about))

        for data, about in ((IMAGES, 6), (list(IMAGES), 6), (lambda: [IMAGES[:3], IMAGES[3:]], 6), (iter(IMAGES), None), ([IMAGES[:1], IMAGES[1:]], 2)):
            calls.clear()
            weft.calibrate(self.model, data, progress=note)
            self.assertEqual(calls, [(done, about and max(done, about)) for done in range(1, 7)])
        calls.clear()
        weft.convert(self.model, precision="int8", calibration=IMAGES, progress=note)
        self.assertEqual(calls, [(done, 6) for done in range(1, 7)])
        calls.clear()
        weft.convert(self.model, precision="auto", calibration=IMAGES, target_cosine=0.9, search_samples=2, progress=note)
        self.assertEqual([done for done, _ in calls], list(range(1, len(calls) + 1)))
        with self.assertRaises(ZeroDivisionError):
            weft.calibrate(self.model, IMAGES, progress=lambda done, about: 1 / 0)

    def test_what_is_wrong(self):
        for options, says in [({"batch": 0}, "^batch is 0, must be a positive number or a text such as '1..8'$"), ({"batch": "1..b"}, "^batch '1..b': size 'b' is not a positive number"), ({"outputs": "nothing"}, "m.onnx: outputs names 'nothing', which is no value"),
                              ({"outputs": []}, r"^outputs is \[\], must be the name of a value or a list"), ({"inputs": 3}, "^inputs is 3, must be"),
                              ({"level": 4}, "^level is '4', must be 0, 1, 2 or 3$"), ({"search_seconds": 1}, "^search_seconds and search_cache are for level 3"),
                              ({"level": 3, "search_seconds": 0}, "^search_seconds is 0, must be above 0$"), ({"level": 3, "search_seconds": 1e9}, "from 0.001 to 1000000"),
                              ({"asymmetric": "on"}, "^asymmetric is 'on', must be auto or off$"), ({"target": "zhouyi", "strip": True}, "^strip is for chips with command buffers"),
                              ({"target": 3}, "^the target is '3'; known"), ({"target": "zhouyi", "level": 1}, "^level is for chips with command buffers"), ({"shapes": {"x": (1, 4, 16, 16)}}, "shape"),
                              ({"strip_all": True}, "^unknown argument 'strip_all'; known: .*, strip, .*, and for precision auto target_cosine,")]:
            self.fails(says, weft.convert, self.model, **options)


class Reports(Tasks):
    def test_those_of_the_program(self):
        path = self.folder / "m.bmodel"
        made = weft.convert(self.model, path)
        for function in (weft.info, weft.profile, weft.explain):
            wanted = self.told(function.__name__, path)
            self.assertEqual(function(path), wanted)
            got = function(made)
            self.assertEqual({**got, "file": None}, {**wanted, "file": None})
        self.assertGreater(weft.profile(path)["total_cycles"], 0)
        self.assertEqual(weft.info(path, check=True)["rules"]["broken"], 0)
        page = self.folder / "page.html"
        weft.profile(path, html=page)
        self.assertIn("<html", page.read_text())
        weft.convert(self.model, path, batch="1|2")
        self.assertEqual(weft.profile(path, stage=1)["stage"], 1)
        self.fails("stage", weft.profile, path, stage=2)
        self.fails("net", weft.profile, path, net="other")
        self.fails("absent.bmodel", weft.info, self.folder / "absent.bmodel")
        self.fails("m.onnx", weft.info, self.model)
        self.fails("^int is no program; give the path of a file, bytes or a Model$", weft.profile, 3)

    def test_comparisons(self):
        path, one = self.folder / "m.bmodel", self.folder / "one.npz"
        made = weft.convert(self.model, path, precision="f16")
        np.savez(one, x=IMAGES[:1])
        wanted = self.told("compare", self.model, path, "--input", one, "--per-layer")
        for program, data in ((path, IMAGES[:1]), (made, {"x": IMAGES[0]}), (path, one), (path, lambda: iter(IMAGES[:1].astype(np.float64)))):
            self.assertEqual(weft.compare(self.model, program, data, per_layer=True), wanted)
        several = weft.compare(self.model, path, IMAGES)
        self.assertTrue(several["passed"])
        self.assertEqual(several["samples"], 6)
        # Limits that nothing keeps: a result, no exception.
        failed = weft.compare(self.model, path, IMAGES[:1], limits={"sqnr": 190})
        self.assertFalse(failed["passed"])
        self.assertIn("sqnr", failed["outputs"][0]["reason"])
        names = ["y", "z"]
        values = dict(zip(names, onnxruntime.InferenceSession(self.model).run(names, {"x": IMAGES[:1]})))
        self.assertEqual(weft.compare(self.model, path, IMAGES[:1], reference=values)["reference"]["by"], "file")
        self.assertFalse(weft.compare(self.model, path, IMAGES[:1], reference=values | {"y": -values["y"]})["passed"])
        self.assertEqual(weft.compare(self.model, path, IMAGES[:1], reference="onnxruntime")["reference"]["by"], "onnxruntime")
        self.assertEqual(weft.compare(weft.convert(self.model), path, IMAGES[:1])["reference"]["by"], "program")
        self.assertEqual(weft.compare(self.model, path, IMAGES[:1], bisect=True)["bisection"]["cause"], "none")
        self.assertGreater(weft.compare(self.model, path, IMAGES, certify=True)["certificate_bytes"], 0)
        page = self.folder / "page.html"
        weft.compare(self.model, path, IMAGES[:1], html=page)
        self.assertIn("<html", page.read_text())
        constant = weft.compare(self.model, path, [IMAGES[0], np.zeros_like(IMAGES[0])])
        self.assertFalse(constant["passed"])
        self.assertEqual([one["sample"] for one in constant["failed"]], [1])
        self.assertEqual(constant["outputs"][0]["cosine"]["worst_sample"] in (0, 1), True)
        self.assertNotIn("samples/", json.dumps(constant))
        self.assertTrue(weft.compare(self.model, path, [IMAGES[0], np.zeros_like(IMAGES[0])], constant_inputs=True, limits={"sqnr": 5})["samples"] == 2)

    def test_comparisons_of_several_shapes(self):
        made = weft.convert(self.model, batch="1|2")
        for data in (IMAGES[:2], IMAGES[:1], [IMAGES[:2], IMAGES[2:3]]):
            self.assertTrue(weft.compare(self.model, made, data)["passed"])

    def test_integers_and_odd_names(self):
        path = self.graph([helper.make_node("Add", ["file", "-x/1:0"], ["y"])], [value("file", [2, 3], TensorProto.INT32), value("-x/1:0", [2, 3], TensorProto.INT32)],
                          [value("y", [2, 3], TensorProto.INT32)])
        a, b = random.integers(-9, 9, (2, 2, 3)).astype(np.int32)
        data = {"file": a, "-x/1:0": b}
        made = weft.convert(path)
        np.testing.assert_array_equal(weft.Model(made)(a, b), a + b)
        self.assertTrue(weft.compare(path, made, data)["passed"])
        self.fails("file", weft.compare, path, made, {"file": a})
        self.fails("file.*i32", weft.compare, path, made, data | {"file": a + 0.5})
        self.assertTrue(weft.compare(path, made, data | {"file": a.astype(np.int16)})["passed"])

    def test_what_cannot_be_compared(self):
        made = weft.convert(self.model)
        for data, says in ((7, "int is no calibration data"), ([], "^no samples"), (IMAGES[:, :2], "give whole samples"), (self.folder / "absent.npz", "absent.npz"),
                           ({"q": IMAGES[:1]}, "missing: x; no input: q")):
            self.fails(says, weft.compare, self.model, made, data)
        for options, says in (({"certify": True}, "^certify writes into the program's file"), ({"limits": {"beauty": 1}}, "beauty"), ({"task": "guess"}, "guess"),
                              ({"reproducer": self.folder / "r.onnx"}, "--reproducer is for --bisect"), ({"net": "other"}, "net is 'other', the file has main"),
                              ({"device": "abacus"}, "abacus")):
            self.fails(says, weft.compare, self.model, made, IMAGES[:1], **options)
        self.fails("absent.onnx", weft.compare, self.folder / "absent.onnx", made, IMAGES[:1])
        self.fails("m.onnx", weft.compare, self.model, self.model, IMAGES[:1])

    def test_without_the_program(self):
        with tempfile.TemporaryDirectory() as empty, warnings.catch_warnings():
            previous, os.environ["WEFT_NATIVE_DIR"] = os.environ["WEFT_NATIVE_DIR"], f"{empty}/lib"
            try:
                self.fails("^WEFT_NATIVE_DIR=.*/lib has no program weft in bin and ../bin; build the target weft there$", weft.info, "m.bmodel")
            finally:
                os.environ["WEFT_NATIVE_DIR"] = previous


class Stubs(unittest.TestCase):
    def test_they_have_what_the_package_has(self):
        folder = pathlib.Path(weft.__file__).parent
        self.assertTrue((folder / "py.typed").exists())
        tree = ast.parse((folder / "__init__.pyi").read_text())
        found = {node.name: node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
        listed, = (ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign) and node.targets[0].id == "__all__")
        self.assertEqual(listed, weft.__all__)
        self.assertEqual(sorted(found), weft.__all__)
        for name, node in found.items():
            real = getattr(weft, name)
            pairs = [(name, real, node)] if isinstance(node, ast.FunctionDef) else [
                (f"{name}.{one.name}", getattr(real, one.name), one) for one in node.body if isinstance(one, ast.FunctionDef) and not one.decorator_list]
            for title, function, stub in pairs:
                if title == "convert":  # its **search are the parameters of choose_precisions
                    search = [one for one in inspect.signature(weft.choose_precisions).parameters
                              if one not in inspect.signature(weft.convert).parameters and one != "data"]
                    self.assertEqual([one.arg for one in stub.args.kwonlyargs][-len(search):], search)
                    stub.args.kwonlyargs, stub.args.kw_defaults = stub.args.kwonlyargs[:-len(search)], stub.args.kw_defaults[:-len(search)]
                parameters = [one for one in inspect.signature(function).parameters.values() if one.kind != one.VAR_KEYWORD or title != "convert"]
                names = [one.arg for one in stub.args.posonlyargs + stub.args.args] + ([stub.args.vararg.arg] if stub.args.vararg else [])
                names += [one.arg for one in stub.args.kwonlyargs] + ([stub.args.kwarg.arg] if stub.args.kwarg else [])
                self.assertEqual(names, [one.name for one in parameters], title)
                for one, default in zip(stub.args.kwonlyargs, stub.args.kw_defaults):
                    wanted = inspect.signature(function).parameters[one.arg].default
                    self.assertEqual(ast.literal_eval(default), wanted, f"{title}: {one.arg}")


if __name__ == "__main__":
    unittest.main()

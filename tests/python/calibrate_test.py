#!/usr/bin/env python3
"""weft.calibrate and weft.convert with calibration data, against the tables of the program.

  calibrate_test.py PACKAGE-FOLDER LIBRARY-FOLDER WEFT
"""
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
from onnx import TensorProto, helper, numpy_helper

PACKAGE, LIBRARIES, WEFT = sys.argv[1:4]
del sys.argv[1:4]
sys.path.insert(0, PACKAGE)
os.environ["WEFT_NATIVE_DIR"] = LIBRARIES
import weft  # noqa: E402  (after the path to it)

random = np.random.default_rng(17)
IMAGES = random.standard_normal((6, 3, 8, 8)).astype(np.float32)
ROWS = random.standard_normal((6, 4, 6, 6)).astype(np.float32)


class Calibrate(unittest.TestCase):
    def setUp(self):
        self.holder = tempfile.TemporaryDirectory()
        self.addCleanup(self.holder.cleanup)
        self.folder = pathlib.Path(self.holder.name)

    def model(self, inputs=1, batch=1, kind=TensorProto.FLOAT):
        """A convolution of x, to which the second input is added."""
        weights = np.random.default_rng(3).uniform(-1, 1, (4, 3, 3, 3)).astype(helper.tensor_dtype_to_np_dtype(kind))
        nodes = [helper.make_node("Conv", ["x", "w"], ["c"]), helper.make_node(*(("Relu", ["c"]) if inputs == 1 else ("Add", ["c", "z"])), ["y"])]
        infos = [helper.make_tensor_value_info("x", kind, [batch, 3, 8, 8]), helper.make_tensor_value_info("z", kind, [batch, 4, 6, 6])][:inputs]
        graph = helper.make_graph(nodes, "net", infos, [helper.make_tensor_value_info("y", kind, None)], [numpy_helper.from_array(weights, "w")])
        path = self.folder / "m.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        return path

    def codes(self):
        """A precision table that says nothing: then nothing becomes a float because it takes fewer cycles so."""
        path = self.folder / "codes.yaml"
        path.write_text("ops: {}\n")
        return path

    def program(self, model, samples, *options):
        """The table of `weft calibrate` for dicts of arrays."""
        data = self.folder / "data"
        data.mkdir(exist_ok=True)
        for index, sample in enumerate(samples):
            np.savez(data / f"{index:03}.npz", **sample)
        table = self.folder / "program.table"
        subprocess.run([WEFT, "calibrate", model, "--data", data, "-o", table, *options], check=True, capture_output=True)
        return table.read_text()

    def test_every_form_of_one_input(self):
        model = self.model()
        wanted = self.program(model, [{"x": image[None]} for image in IMAGES])

        def batches():
            for at in range(0, 6, 2):
                yield IMAGES[at:at + 2]

        forms = {"batches behind each other": IMAGES, "stack": IMAGES[:, None], "dict": {"x": IMAGES}, "list": list(IMAGES), "list of batches": [IMAGES[:4], IMAGES[4:]],
                 "list of dicts": [{"x": image[None]} for image in IMAGES], "generator": batches(), "function": batches, "doubles": IMAGES.astype(np.float64),
                 "strided": np.repeat(IMAGES, 2, axis=3)[..., ::2], "reversed": IMAGES[::-1]}
        for name, data in forms.items():
            self.assertEqual(weft.calibrate(model, data).text, wanted, name)
        saved = self.folder / "saved.table"
        table = weft.calibrate(model, IMAGES, saved)
        self.assertEqual(saved.read_text(), table.text)
        self.assertRegex(repr(table), r"<weft.Calibration of \d values>")

    def test_methods_are_those_of_the_program(self):
        model = self.model()
        samples = [{"x": image[None]} for image in IMAGES]
        texts = {method: weft.calibrate(model, IMAGES, method=method).text for method in ("auto", "max", "percentile", "mse")}
        for method, text in texts.items():
            self.assertEqual(text, self.program(model, samples, "--method", method))
        self.assertNotEqual(texts["max"], texts["mse"])
        for method in ("percentile", "auto"):
            self.assertIn(f"# method: {method} 90\n", weft.calibrate(model, IMAGES, method=method, percentile=90).text)
        self.assertIn("# method: auto\n", texts["auto"])
        self.assertIn("# recovered:", texts["auto"])
        self.assertNotIn("# recovered:", weft.calibrate(model, IMAGES, recover="off").text)
        with self.assertRaisesRegex(weft.WeftError, "recover is 'all', must be weights or off"):
            weft.calibrate(model, IMAGES, recover="all")
        with self.assertRaisesRegex(weft.WeftError, "method is 'guess'"):
            weft.calibrate(model, IMAGES, method="guess")
        for percentile in (0, -1, 101, float("nan")):
            with self.assertRaisesRegex(weft.WeftError, f"percentile is {percentile}, must be above 0 and at most 100"):
                weft.calibrate(model, IMAGES, percentile=percentile)
        with self.assertRaisesRegex(weft.WeftError, "percentile is for the methods percentile and auto, the method is kl; leave it out"):
            weft.calibrate(model, IMAGES, method="kl", percentile=90)

    def test_several_inputs_and_batches(self):
        model = self.model(inputs=2, batch=2)
        samples = [{"x": IMAGES[at:at + 2], "z": ROWS[at:at + 2]} for at in (0, 2, 4)]
        wanted = self.program(model, samples)
        self.assertEqual(weft.calibrate(model, {"z": ROWS, "x": IMAGES}).text, wanted)
        self.assertEqual(weft.calibrate(model, iter(samples)).text, wanted)
        for data, says in [(IMAGES, "the model has the inputs x, z; give dicts"), ({"x": IMAGES}, "inputs are x, z; missing: z"),
                           ({"x": IMAGES, "z": ROWS[:4]}, "different numbers of samples: x 3, z 2"), ({"x": IMAGES[:3], "z": ROWS[:3]}, "give whole samples")]:
            with self.assertRaisesRegex(weft.WeftError, says):
                weft.calibrate(model, data)

    def test_what_is_no_data(self):
        model = self.model()
        broken = IMAGES.copy()
        broken[4, 0, 0, 0] = np.nan
        for data, says in [("photos", "'photos' is a path; .* weft calibrate --data"), (7, "int is no calibration data"), ([], "no samples"), (IMAGES[:0], "no samples"),
                           ((255 * IMAGES).astype(np.uint8), "input 'x' is float32, the array is uint8; convert and scale"), (IMAGES[:, :2], r"\(6, 2, 8, 8\); give whole"),
                           (broken, "(?i)sample 5.*nan")]:
            with self.assertRaisesRegex(weft.WeftError, says):
                weft.calibrate(model, data)
        with self.assertRaisesRegex(weft.WeftError, "2 shapes, samples have one"):
            weft.calibrate(model, IMAGES, shapes={"x": "1|2x3x8x8"})
        with self.assertRaisesRegex(weft.WeftError, "missing.onnx"):
            weft.calibrate(self.folder / "missing.onnx", IMAGES)

    def test_an_exception_of_the_data_passes(self):
        def failing():
            yield IMAGES[:1]
            raise KeyError("label")

        with self.assertRaises(KeyError):
            weft.calibrate(self.model(), failing)

    def test_half_precision_inputs(self):
        model = self.model(kind=TensorProto.FLOAT16)
        halves = IMAGES.astype(np.float16)
        self.assertEqual(weft.calibrate(model, IMAGES).text, self.program(model, [{"x": image[None]} for image in halves]))

    def test_what_is_odd_is_a_warning(self):
        model = self.model()
        with self.assertWarnsRegex(weft.WeftWarning, "repeat"):
            table = weft.calibrate(model, [IMAGES[0], IMAGES[0]])
        self.assertEqual(len(table.warnings), 1)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(weft.calibrate(model, IMAGES).warnings, [])

    def test_auto_is_that_of_the_program(self):
        model = self.model()
        data = self.folder / "auto"
        data.mkdir()
        for index, image in enumerate(IMAGES):
            np.savez(data / f"{index}.npz", x=image[None])
        for goal in (0.9, 0.999995):
            done = subprocess.run([WEFT, "convert", model, "-o", self.folder / "a.bmodel", "--precision", "auto", "--calibration-data", data, "--json",
                                   "--target-cosine", str(goal), "--search-samples", "3"], check=True, capture_output=True, text=True)
            wanted = json.loads(done.stdout)
            found = weft.choose_precisions(model, IMAGES, target_cosine=goal, search_samples=3)
            self.assertEqual(found.pareto, wanted["pareto"])
            self.assertEqual(found.held_back, wanted["held_back"])
            self.assertEqual(found.miss, "")
            self.assertRegex(repr(found), r"<weft.Precisions: [01] floats, \d+ cycles>")
            program = (self.folder / "a.bmodel").read_bytes()
            self.assertEqual(weft.convert(model, precision="auto", calibration=IMAGES, target_cosine=goal, search_samples=3), program)
            self.assertEqual(weft.convert(model, precision="int8", calibration=found.calibration, precisions=found), program)
            path = self.folder / "p.yaml"
            found.save(path)
            self.assertEqual(weft.convert(model, precision="int8", calibration=found.calibration, precisions=path), program)
            names = {name: "f16" for row in found.pareto if row["chosen"] for name in row["float_products"]}
            self.assertEqual(weft.convert(model, precision="int8", calibration=found.calibration, precisions=names), program)

    def test_auto_by_a_function(self):
        model, sizes, done = self.model(), [], []

        def score(bmodel):
            weft.Model(bmodel).run(x=IMAGES[:1])
            sizes.append(len(bmodel))
            return -len(bmodel)  # any number will do; the program of floats is the smaller one here

        codes = len(weft.convert(model, precision="int8", calibration=IMAGES, precisions=self.codes()))
        found = weft.choose_precisions(model, IMAGES, score=score, target_score=1 - codes, log=self.folder / "log",
                                       progress=lambda one, about: done.append(one))
        self.assertEqual([row["score"] for row in found.pareto if row["chosen"]], [-min(sizes)])
        self.assertEqual(done, list(range(1, len(done) + 1)))
        self.assertTrue((self.folder / "log").exists())
        with self.assertRaises(ZeroDivisionError):
            weft.choose_precisions(model, IMAGES, score=lambda _: 1 / 0, target_score=1)
        with self.assertRaisesRegex(weft.WeftError, "no finite number"):
            weft.choose_precisions(model, IMAGES, score=lambda _: float("nan"), target_score=1)

    def test_the_accuracy_is_that_of_the_program(self):
        model = self.model()
        samples = [{"x": image[None]} for image in IMAGES]
        self.program(model, samples)
        table = self.folder / "program.table"
        done = subprocess.run([WEFT, "convert", model, "-o", self.folder / "a.bmodel", "--precision", "int8", "--keep-int8", "--calibration", table,
                               "--calibration-data", self.folder / "data", "--json"], check=True, capture_output=True, text=True)
        wanted = json.loads(done.stdout)["accuracy"]
        self.assertEqual(wanted[0]["name"], "y")
        for options in ({"calibration": lambda: (image for image in IMAGES)}, {"calibration": table, "samples": IMAGES},
                        {"calibration": weft.calibrate(model, IMAGES), "samples": iter(samples)}):
            found = weft.convert(model, precision="int8", keep_int8=True, **options)
            self.assertEqual(found.accuracy, wanted)
            self.assertEqual(found, (self.folder / "a.bmodel").read_bytes())
        self.assertIsNone(weft.convert(model, precision="int8", calibration=table).accuracy)
        self.assertIsNone(weft.convert(model, precision="int8", calibration=IMAGES, target="zhouyi").accuracy)
        self.assertGreater(weft.convert(model, samples=IMAGES).accuracy[0]["cosine"], 1 - 1e-9)
        # Of other samples than those that calibrate, the more honest figure.
        self.assertNotEqual(weft.convert(model, precision="int8", keep_int8=True, calibration=IMAGES, samples=IMAGES[5:]).accuracy, wanted)
        found = weft.choose_precisions(model, IMAGES, target_cosine=0.9)
        self.assertEqual(weft.convert(model, precision="auto", calibration=IMAGES, target_cosine=0.9).accuracy, found.chosen["outputs"])
        for options, says in [({"samples": []}, "no samples"), ({"samples": "photos"}, "'photos' is a path"), ({"samples": IMAGES, "shapes": {"x": "1|2x3x8x8"}}, "2 shapes, samples have one")]:
            with self.assertRaisesRegex(weft.WeftError, says):
                weft.convert(model, **options)

    def test_far_from_the_float_model_is_a_warning(self):
        model = self.model()
        table = weft.calibrate(model, IMAGES / 100)  # clips nearly everything
        with self.assertWarnsRegex(weft.WeftWarning, "output 'y' has a cosine of .* with the float model on the samples") as seen:
            found = weft.convert(model, precision="int8", keep_int8=True, calibration=table, samples=IMAGES)
        self.assertEqual(seen.filename, __file__)
        self.assertLess(found.accuracy[0]["cosine"], 0.99)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            weft.convert(model, precision="int8", calibration=IMAGES)
            weft.convert(model, precision="int8", keep_int8=True, calibration=table)

    def test_advice_is_that_of_the_precision(self):
        path = self.folder / "square.onnx"
        info = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [16, 256]) for name in "xy"]
        weights = numpy_helper.from_array((random.standard_normal((256, 256)) / 16).astype(np.float32), "w")
        nodes = [helper.make_node(kind, inputs, [name]) for kind, inputs, name in (("MatMul", "xw", "m"), ("Mul", "mm", "s"), ("MatMul", "sw", "y"))]
        onnx.save(helper.make_model(helper.make_graph(nodes, "g", info[:1], info[1:], [weights]), opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        large = (1000 * random.standard_normal((16, 256))).astype(np.float32)
        with self.assertWarnsRegex(weft.WeftWarning, r"on the samples; values may leave f16 \(65504\): a calibration table keeps those in f32, or take bf16$"):
            weft.convert(path, precision="f16", samples=large)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertGreater(weft.convert(path, precision="f16", calibration=large).accuracy[0]["cosine"], .999)
            weft.convert(path, precision="bf16", samples=large)

    def test_auto_that_misses(self):
        model = self.model()
        with self.assertRaisesRegex(weft.WeftError, "no mix of int8 and f16 products reaches the goal on 6 samples"):
            weft.choose_precisions(model, IMAGES, target_sqnr=199)
        with self.assertWarnsRegex(weft.WeftWarning, "no mix with at most 50 % of the multiplications in float reaches the goal"):
            found = weft.choose_precisions(model, IMAGES, target_cosine=1, max_float_macs=0.5)
        self.assertIn("no mix with", found.miss)
        self.assertEqual([row["float_products"] for row in found.pareto if row["chosen"]], [[]])
        for options, says in [({"score": len}, "score and target_score belong together"), ({"max_float_macs": 0}, "max_float_macs is 0"),
                              ({"max_float_macs": "20%"}, "max_float_macs is '20%', must be a number"), ({"shapes": (1, 3)}, "must be a dict of input names"),
                              ({"search_samples": 0}, "search_samples is 0"), ({"target_cosine": 0}, "target_cosine is 0, must be a number above 0 and at most 1"),
                              ({"target_cosine": 2}, "target_cosine is 2, must be a number"), ({"target_cosine": float("nan")}, "target_cosine is nan"),
                              ({"target_sqnr": 0}, "target_sqnr is 0, must be a number above 0 and at most 200"), ({"target_sqnr": -3}, "target_sqnr is -3"),
                              ({"target_cosine": 0.9, "target_sqnr": 30}, "a search has one goal"), ({"target": "zhouyi"}, "chips with command buffers")]:
            with self.assertRaisesRegex(weft.WeftError, says):
                weft.choose_precisions(model, IMAGES, **options)
        table = weft.calibrate(model, IMAGES)
        for options, says in [({"precision": "auto"}, "measures programs on samples"), ({"precision": "auto", "calibration": table}, "measures programs on samples"),
                              ({"precision": "int8", "calibration": table, "target_cosine": 0.9}, "target_cosine: for precision auto, it is int8"),
                              ({"precision": "auto", "calibration": IMAGES, "precisions": "p.yaml"}, "chooses the floats itself"),
                              ({"precision": "auto", "calibration": IMAGES, "no_float": True}, "chooses the floats itself; leave out no_float"),
                              ({"precision": "f16", "no_float": True}, "no_float is for precision int8, the precision is f16"),
                              ({"precision": "int8", "calibration": table, "foo": 3}, "^unknown argument 'foo'; known: shapes, batch, .*no_float, .*, and for precision auto target_cosine, "),
                              ({"precision": "int8", "calibration": table, "preprocess": "p.yaml"}, "^preprocess is no argument: images are read and preprocessed by the program weft"),
                              ({"fuse_preprocess": True}, "^fuse_preprocess is no argument: only the program weft makes"),
                              ({"shapes": {"x": (1, 3, -1, 320)}}, r"^shapes=\{'x': \(1, 3, -1, 320\)\}: size -1 is not a positive number$"),
                              ({"shapes": {"x": [1, 3, 320.5, 320]}}, r"^shapes=\{'x': \[1, 3, 320.5, 320\]\}: size 320.5 is not a positive number$"),
                              ({"shapes": {"n": 2.5}}, r"^shapes=\{'n': 2.5\}: size 2.5 is not a positive number$"),
                              ({"shapes": {"x": "1x3x-1x320"}}, r"^shapes=\{'x': '1x3x-1x320'\}: size '-1' is not a positive number; write a tuple or a text, for example \(1, 3, "),
                              ({"precision": "int8"}, "^precision int8 needs value ranges; give calibration: samples, a table"),
                              ({"precision": "int9"}, "^precision is 'int9', must be f32, f16, bf16, int8, w8f16, w4f16 or auto$")]:
            with self.assertRaisesRegex(weft.WeftError, says):
                weft.convert(model, **options)

        with self.assertRaisesRegex(weft.WeftError, "^sample 2: value 'x' holds NaN; its range cannot be measured"):
            weft.calibrate(model, [IMAGES[0], IMAGES[0] * np.nan])

    # More samples than are kept: those of the search are spread over all.
    def test_many_samples(self):
        found = weft.choose_precisions(self.model(), lambda: (image for image in np.repeat(IMAGES, 20, axis=0)), search_samples=2)
        self.assertIn("# samples: 120", found.calibration.text)
        self.assertEqual(found.held_back["samples"], 2)

    def test_options_of_single_precisions(self):
        def program(model, *options):
            subprocess.run([WEFT, "convert", model, "-o", self.folder / "program.bmodel", *map(str, options)], check=True, capture_output=True)
            return (self.folder / "program.bmodel").read_bytes()

        model, table = self.model(), self.folder / "t.table"
        weft.calibrate(model, IMAGES, table)
        kept, mixed = (weft.convert(model, precision="int8", calibration=table, keep_int8=keep) for keep in (True, False))
        self.assertNotEqual(kept, mixed)
        self.assertEqual(kept, program(model, "--precision", "int8", "--calibration", table, "--keep-int8"))
        codes = weft.convert(model, precision="int8", calibration=table, no_float=True)
        self.assertEqual(codes, program(model, "--precision", "int8", "--calibration", table, "--no-float"))
        with self.assertRaisesRegex(weft.WeftError, "keep_int8 is for precision int8, the precision is f16"):
            weft.convert(model, precision="f16", keep_int8=True)

        given = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])
        graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "open", [given], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "open.onnx")
        with self.assertRaisesRegex(weft.WeftError, r'give all sizes with shapes=\{"x": "Ax3"\}$'):
            weft.convert(self.folder / "open.onnx")

        weights = np.random.default_rng(3).normal(size=(256, 512)).astype(np.float32)
        given, found = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 8, size]) for name, size in (("x", 256), ("y", 512)))
        graph = helper.make_graph([helper.make_node("MatMul", ["x", "w"], ["y"])], "rows", [given], [found], [numpy_helper.from_array(weights, "w")])
        rows = self.folder / "rows.onnx"
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), rows)
        programs = {size: weft.convert(rows, precision="w4f16", group_size=size) for size in (None, 0, 32, 64)}
        for size in (0, 32, 64):
            self.assertEqual(programs[size], program(rows, "--precision", "w4f16", "--group-size", size))
        self.assertEqual(programs[None], programs[64])
        self.assertEqual(len(set(programs.values())), 3)
        for precision, size, says in [("w8f16", -1, "group_size is -1"), ("w8f16", 48, "group-size is 48, must be a power of two"),
                                      ("f16", 32, "group_size is for precision w8f16 and w4f16, the precision is f16"), ("auto", 32, "group_size is 32 and the precision auto")]:
            with self.assertRaisesRegex(weft.WeftError, says):
                weft.convert(rows, precision=precision, group_size=size)

    def test_convert_takes_all_of_them(self):
        model = self.model()
        table = weft.calibrate(model, IMAGES)
        path = self.folder / "t.table"
        table.save(path)
        codes = self.codes()
        wanted = weft.convert(model, precision="int8", calibration=path, precisions=codes)
        for given in (str(path), table, IMAGES, {"x": IMAGES}, lambda: (image for image in IMAGES), iter(IMAGES)):
            self.assertEqual(weft.convert(model, precision="int8", calibration=given, precisions=codes), wanted)
        # int8 is near: the largest of 27 products of values to 3.6 in steps of 1/127 of it, half a step each.
        y = weft.Model(wanted).run(x=IMAGES[:1])["y"]
        exact = weft.Model(weft.convert(model)).run(x=IMAGES[:1])["y"]
        self.assertLess(np.abs(y - exact).max(), 27 * 0.5 * (np.abs(IMAGES).max() + 1) / 127)
        self.assertGreater(np.abs(y - exact).max(), 0)
        np.testing.assert_array_equal(weft.Model(wanted).run(x=IMAGES[:1].astype(">f4"))["y"], y)
        with self.assertRaisesRegex(weft.WeftError, "calibration is for precision int8, f16, w8f16 and w4f16, it is bf16"):
            weft.convert(model, precision="bf16", calibration=table)
        # Nothing is beyond f16. (The files differ by the table, which lies in one of them.)
        results = [weft.Model(weft.convert(model, precision="f16", calibration=given)).run(x=IMAGES[:1])["y"] for given in (table, None)]
        np.testing.assert_array_equal(*results)
        with self.assertRaisesRegex(weft.WeftError, "int8"):
            weft.convert(model, precision="int8")


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""weft compare --reference onnxruntime: values of all kinds, sets, and what is said where there is no ONNX Runtime or it does not want the model.

  onnxruntime_test.py WEFT
"""
import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from PIL import Image

WEFT = str(pathlib.Path(sys.argv[1]).resolve())
RANDOM = np.random.default_rng(5)
X = RANDOM.normal(size=(4, 16)).astype(np.float32)
node = helper.make_node


def network(nodes, inputs, outputs, constants=None, opset=19):
    """Inputs are by name (type, shape), outputs by name types."""
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info(name, kind, shape) for name, (kind, shape) in inputs.items()],
                              [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()],
                              [numpy_helper.from_array(np.asarray(value), name) for name, value in (constants or {}).items()])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=9)


def layers():
    """x [4,16] through a product and functions to y."""
    return network([node("MatMul", ["x", "w"], ["m"]), node("Relu", ["m"], ["r"]), node("Sigmoid", ["r"], ["y"])],
                   {"x": (TensorProto.FLOAT, ["n", 16])}, {"y": TensorProto.FLOAT}, {"w": RANDOM.normal(size=(16, 32)).astype(np.float32)})


class OnnxRuntime(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        cls.temporary = cls.folder / "temporary"
        for name in ("temporary", "samples"):
            (cls.folder / name).mkdir()
        for index in range(3):
            np.savez(cls.folder / "samples" / f"{index}.npz", x=RANDOM.normal(size=(4, 16)).astype(np.float32))
        cls.save("net", layers(), {"x": X})

    def tearDown(self):
        self.assertEqual(list(self.temporary.iterdir()), [])

    @classmethod
    def weft(cls, *arguments, code=0, python=sys.executable, **variables):
        done = subprocess.run([WEFT, *[one if isinstance(one, bytes) else str(one) for one in arguments]], cwd=cls.folder, capture_output=True,
                              text=True, errors="surrogateescape", timeout=120,
                              env=dict(os.environ, WEFT_PYTHON=str(python), TMPDIR=str(cls.temporary), **variables))
        assert done.returncode == code, f"exit code {done.returncode}: {done.stderr}{done.stdout}"
        return done.stdout if code < 2 else done.stderr

    @classmethod
    def save(cls, name, model, inputs, *options, **how):
        onnx.save(model, cls.folder / f"{name}.onnx", **how)
        np.savez(cls.folder / f"{name}.npz", **inputs)
        cls.weft("convert", f"{name}.onnx", "-o", f"{name}.bmodel", *(options or ["--precision", "f32"]),
                 *(["--shape", "x=4x16"] if name == "net" else []))

    def compare(self, name, *options, code=0, python=sys.executable):
        return json.loads(self.weft("compare", f"{name}.onnx", f"{name}.bmodel", "-i", f"{name}.npz", "--reference", "onnxruntime", "--json",
                                    *options, code=code, python=python))

    def wrapper(self, text):
        path = self.folder / "python.sh"
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path

    def test_the_report_names_it(self):
        told = self.compare("net", "--html", "page.html")
        self.assertEqual(told["reference"], {"by": "onnxruntime", "file": "net.onnx", "version": onnxruntime.__version__})
        self.assertEqual([row["name"] for row in told["layers"]], ["m", "r", "y"])
        self.assertTrue(all(row["passed"] and row["sqnr_db"] is None or row["sqnr_db"] > 100 for row in told["layers"] + told["outputs"]))
        # What a layer adds, and what its numbers must be, Weft's evaluators tell.
        self.assertTrue(all("added" in row and "exact" in row for row in told["layers"]))
        self.assertIn(f"net.onnx (ONNX Runtime {onnxruntime.__version__})", (self.folder / "page.html").read_text())
        said = self.weft("compare", "net.onnx", "net.bmodel", "-i", "net.npz", "--reference", "onnxruntime")
        self.assertIn(f"reference: net.onnx (ONNX Runtime {onnxruntime.__version__})\n", said)
        told = json.loads(self.weft("compare", "net.onnx", "net.bmodel", "-i", "net.npz", "--json"))
        self.assertEqual((told["reference"]["by"], told["reference"]["file"]), ("weft", "net.onnx"))

    def test_its_values_are_compared(self):
        """A program of other weights."""
        self.save("other", layers(), {"x": X}, "--shape", "x=4x16", "--precision", "f32")
        (self.folder / "other.onnx").unlink()
        told = json.loads(self.weft("compare", "net.onnx", "other.bmodel", "-i", "net.npz", "--reference", "onnxruntime", "--json", code=1))
        self.assertIn("cosine", told["outputs"][0]["reasons"][0])

    def test_strings(self):
        def model(label):
            return network([node("StringConcat", ["words", "ends"], ["y"]), node("StringConcat", ["y", "label"], ["z"]), node("Relu", ["x"], ["r"])],
                           {"words": (TensorProto.STRING, [2, 1]), "ends": (TensorProto.STRING, [3]), "x": (TensorProto.FLOAT, [4])},
                           {"y": TensorProto.STRING, "z": TensorProto.STRING, "r": TensorProto.FLOAT}, {"label": np.array(label, object)}, opset=20)
        inputs = {"words": np.array([["ünï"], [""]]), "ends": np.array(["", "中", "a b"]), "x": X[0, :4]}
        for label in ("?", ""):
            self.save("strings", model(label), inputs)
            for options in ((), ("--per-layer",)):
                told = self.compare("strings", *options)
                self.assertEqual([row["name"] for row in told["outputs"]], ["y", "z", "r"])
        onnx.save(model("!"), self.folder / "strings.onnx")
        told = self.compare("strings", code=1)
        self.assertEqual([row["passed"] for row in told["outputs"]], [True, False, True])

    def test_kinds_of_values(self):
        narrow = (X.view(np.uint32) & 0xffff0000).view(np.float32)
        odd = "../é 'q\" \\x"
        models = {
            "names": (network([node("Exp", ["a/b.npy"], [odd]), node("Relu", [odd], ["out.npy"])], {"a/b.npy": (TensorProto.FLOAT, [4, 16])},
                              {"out.npy": TensorProto.FLOAT}), {"a/b.npy": X}, [odd, "out.npy"]),
            "half": (network([node("Exp", ["x"], ["e"]), node("Relu", ["e"], ["y"])], {"x": (TensorProto.FLOAT16, [4, 16])},
                             {"y": TensorProto.FLOAT16}), {"x": X.astype(np.float16)}, ["y"]),
            "bfloat": (network([node("Cast", ["x"], ["c"], to=TensorProto.FLOAT), node("Relu", ["c"], ["r"]),
                                node("Cast", ["r"], ["y"], to=TensorProto.BFLOAT16)], {"x": (TensorProto.BFLOAT16, [4, 16])},
                               {"y": TensorProto.BFLOAT16}), {"x": narrow}, ["c", "r", "y"]),
            "bools": (network([node("Greater", ["x", "k"], ["g"]), node("And", ["g", "b"], ["h"]), node("Add", ["i", "one"], ["j"]),
                               node("Where", ["h", "x", "k"], ["y"])],
                              {"x": (TensorProto.FLOAT, [4, 16]), "b": (TensorProto.BOOL, [4, 16]), "i": (TensorProto.INT32, [4])},
                              {"y": TensorProto.FLOAT, "h": TensorProto.BOOL, "j": TensorProto.INT32}, {"k": np.float32(.1), "one": np.int32(1)}),
                      {"x": X, "b": X > 0, "i": np.arange(4, dtype=np.int32)}, ["g", "h", "j", "y"]),
            "constants": (network([node("Constant", [], ["c"], value=numpy_helper.from_array(np.float32(3))), node("Shape", ["x"], ["s"]),
                                   node("Cast", ["s"], ["t"], to=TensorProto.FLOAT), node("ReduceSum", ["t"], ["e"], keepdims=0),
                                   node("Mul", ["x", "c"], ["m"]), node("Add", ["m", "e"], ["y"])],
                                  {"x": (TensorProto.FLOAT, [4, 16])}, {"y": TensorProto.FLOAT}), {"x": X}, ["y"])}
        for name, (model, inputs, wanted) in models.items():
            with self.subTest(name):
                self.save(name, model, inputs, "--precision", "f16" if name == "half" else "f32")
                for options in ([], ["--per-layer"]):
                    told = self.compare(name, *options)
                    self.assertEqual(told["warnings"], [])
                self.assertTrue(set(wanted) <= {row["name"] for row in told["layers"] if row["passed"] and "cosine" in row}, told["layers"])

    def test_encodings_of_python(self):
        self.save("umlaut", network([node("Relu", ["ü"], ["y€"])], {"ü": (TensorProto.FLOAT, [4, 16])}, {"y€": TensorProto.FLOAT}), {"ü": X})
        for encoding in ("latin-1", "ascii", "utf-16"):
            told = json.loads(self.weft("compare", "umlaut.onnx", "umlaut.bmodel", "-i", "umlaut.npz", "--reference", "onnxruntime", "--json",
                                        PYTHONIOENCODING=encoding))
            self.assertEqual(told["outputs"][0]["name"], "y€")

    def test_files_whose_names_are_not_utf8(self):
        folder = os.fsencode(self.folder) + b"/f\xff"
        os.mkdir(folder)
        model = layers()
        onnx.save(model, self.folder / "parts.onnx", save_as_external_data=True, location="parts.bin", size_threshold=0)
        os.rename(self.folder / "parts.onnx", folder + b"/parts.onnx")
        os.rename(self.folder / "parts.bin", folder + b"/parts.bin")
        pathlib.Path(os.fsdecode(folder + b"/n\xfc.onnx")).write_bytes(model.SerializeToString())
        for path in (b"f\xff/parts.onnx", b"f\xff/n\xfc.onnx"):
            self.weft("convert", path, "-o", "odd.bmodel", "--shape", "x=4x16", "--precision", "f32")
            for options in ([], ["--per-layer"]):
                for variables in ({}, {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}):
                    with self.subTest(path, options=options, **variables):
                        self.weft("compare", path, "odd.bmodel", "-i", "net.npz", "--reference", "onnxruntime", *options, **variables)
        self.assertIn("cannot open: No such file", self.weft("compare", b"g\xff.onnx", "net.bmodel", "-i", "net.npz", "--reference", "onnxruntime",
                                                             code=2))

    def test_weights_in_files_of_their_own(self):
        self.save("external", layers(), {"x": X}, "--shape", "x=4x16", "--precision", "f32", save_as_external_data=True,
                  location="weights of it.bin", size_threshold=0)
        for options in ([], ["--per-layer"]):
            self.compare("external", *options)

    def test_sets_take_one_process(self):
        log = self.folder / "log"
        python = self.wrapper(f'echo started >>"{log}"\nexec "{sys.executable}" "$@"')
        told = json.loads(self.weft("compare", "net.onnx", "net.bmodel", "--data", "samples", "--reference", "onnxruntime", "--per-layer", "--json",
                                    python=python))
        self.assertEqual((told["samples"], told["failed"], log.read_text()), (3, [], "started\n"))

    def test_inputs_that_are_not_the_programs(self):
        model = network([node("Add", ["x", "b"], ["s"]), node("Relu", ["s"], ["y"])],
                        {"x": (TensorProto.FLOAT, [4, 16]), "b": (TensorProto.FLOAT, [16])}, {"y": TensorProto.FLOAT})
        np.savez(self.folder / "b.npz", b=RANDOM.normal(size=16).astype(np.float32))
        self.save("bound", model, {"x": X}, "--precision", "f32", "--bind", "b=b.npz")
        self.compare("bound", "--bind", "b=b.npz", "--per-layer")
        self.assertIn("cannot run the model", self.weft("compare", "bound.onnx", "bound.bmodel", "-i", "bound.npz",
                                                                              "--reference", "onnxruntime", code=2))

    def test_fused_preprocessing(self):
        model = network([node("Conv", ["x", "w"], ["c"]), node("Relu", ["c"], ["y"])], {"x": (TensorProto.FLOAT, [1, 3, 8, 8])},
                        {"y": TensorProto.FLOAT}, {"w": RANDOM.normal(size=(4, 3, 3, 3)).astype(np.float32)})
        settings = ["--fuse-preprocess", "--mean", "10,20,30", "--scale", "0.02,0.02,0.03"]
        self.save("fused", model, {"x": X}, "--precision", "f32", *settings)
        Image.fromarray(RANDOM.integers(0, 256, size=(8, 8, 3), dtype=np.uint8)).save(self.folder / "photo.png")
        told = json.loads(self.weft("compare", "fused.onnx", "fused.bmodel", "-i", "photo.png", "--reference", "onnxruntime", "--per-layer", "--json",
                                    *settings))
        self.assertEqual((told["passed"], told["reference"]["by"]), (True, "onnxruntime"))

    def test_bisection_goes_on(self):
        told = self.compare("net", "--bisect")
        self.assertEqual((told["passed"], told["bisection"]["stage"]), (True, "none"))
        np.savez(self.folder / "values.npz", y=X)
        said = self.weft("compare", "net.onnx", "net.bmodel", "-i", "net.npz", "--reference", "values.npz", "--bisect", code=2)
        self.assertIn("no --reference FILE.npz", said)

    def test_models_that_are_read_otherwise(self):
        """What a cast of 300 to a byte gives, ONNX leaves open; Weft saturates."""
        model = network([node("Mul", ["x", "k"], ["m"]), node("Cast", ["m"], ["u"], name="narrow", to=TensorProto.UINT8),
                         node("Cast", ["u"], ["c"], to=TensorProto.FLOAT), node("Relu", ["c"], ["y"])],
                        {"x": (TensorProto.FLOAT, [4, 16])}, {"y": TensorProto.FLOAT}, {"k": np.float32(300)})
        self.save("cast", model, {"x": X})
        told = self.compare("cast", "--bisect", code=1)
        found = told["bisection"]
        self.assertEqual((found["stage"], [node["name"] for node in found["nodes"]]), ("import", ["narrow"]))
        self.assertIn("gives other numbers for 'u' than ONNX Runtime", told["warnings"][0])
        self.weft("compare", "cast.onnx", "cast.bmodel", "-i", "cast.npz", "--bisect")

    def failure(self, python=sys.executable, model="net.onnx", *options):
        said = self.weft("compare", model, "net.bmodel", "-i", "net.npz", "--reference", "onnxruntime", *options, code=2, python=python)
        self.assertEqual(said.count("\n"), 1, said)
        return said

    def test_a_sigmoid_is_good_to_digits_of_one(self):
        """Near zero ONNX Runtime's is off by as much as it is; a real error as large, and one of the same share elsewhere, are seen."""
        def saved(name, offset=0.0, factor=1.0):
            self.save(name, network([node("Add", ["x", "offset"], ["a"]), node("Sigmoid", ["a"], ["s"]), node("Unsqueeze", ["s", "axes"], ["y"]),
                                     node("Mul", ["x", "factor"], ["z"])], {"x": (TensorProto.FLOAT, [1, 3])},
                                    {"y": TensorProto.FLOAT, "z": TensorProto.FLOAT},
                                    {"offset": np.float32(offset), "axes": np.array([0], np.int64), "factor": np.float32(factor * 1e-3)}), {"x": silence})

        silence = np.array([[-16.465, -16.9, -16.1]], np.float32)
        saved("quiet")
        for precision in ("f32", "f16", "int8"):
            self.weft("convert", "quiet.onnx", "-o", "quiet.bmodel", "--precision", precision,
                      *(["--calibration-data", "quiet.npz"] if precision == "int8" else []))
            told = json.loads(self.weft("compare", "quiet.onnx", "quiet.bmodel", "-i", "quiet.npz", "--reference", "onnxruntime", "--per-layer",
                                        "--bisect", "--json"))
            self.assertEqual((told["passed"], told["bisection"]["stage"]), (True, "none"), (precision, told))
        np.savez(self.folder / "speech.npz", x=silence + 10)
        for sample, wrong, failing in (("quiet", {"offset": 10}, "y"), ("quiet", {"factor": 2}, "z"), ("speech", {"offset": 0.7}, "y")):
            saved("wrong", **wrong)
            self.weft("convert", "wrong.onnx", "-o", "wrong.bmodel", "--precision", "f32")
            told = json.loads(self.weft("compare", "quiet.onnx", "wrong.bmodel", "-i", f"{sample}.npz", "--reference", "onnxruntime", "--json", code=1))
            self.assertEqual({row["name"] for row in told["outputs"] if not row["passed"]}, {failing}, wrong)

    def test_where_there_is_none(self):
        self.assertIn("no-such-python is not to be found; install Python 3 with onnxruntime, or name a Python with WEFT_PYTHON",
                      self.failure("no-such-python"))
        said = self.failure(self.wrapper(f'exec "{sys.executable}" -I -S "$@"'))
        self.assertIn("has no ONNX Runtime (No module named 'numpy'); install it (", said)
        self.assertIn(" -m pip install onnxruntime)", said)
        self.assertIn("crashed (exit code 3: out of luck)", self.failure(self.wrapper("echo out of luck >&2; exit 3")))
        self.assertIn("crashed (signal 9, Killed)", self.failure(self.wrapper("kill -9 $$")))
        self.assertIn("is no Python: it answers 'hello'; name one with WEFT_PYTHON", self.failure(self.wrapper("echo hello; cat >/dev/null")))

    def test_words_near_its_name(self):
        for word in ("onnxruntme", "onnx-runtime", "ONNXRuntime", "onnxruntime "):
            said = self.weft("compare", "net.onnx", "net.bmodel", "-i", "net.npz", "--reference", word, code=2)
            self.assertEqual(said, f"weft: error: --reference {word}: there is no such file; did you mean onnxruntime?\n")
        said = self.weft("compare", "net.onnx", "net.bmodel", "-i", "net.npz", "--reference", "no_such_values.npz", code=2)
        self.assertNotIn("did you mean", said)

    def test_libraries_that_cannot_be_imported(self):
        """NumPy gives a page of advice, the cause in its last line."""
        broken = self.folder / "broken_library"
        (broken / "numpy").mkdir(parents=True)
        for text, wanted in (("\\n\\nIMPORTANT: READ THIS\\n\\n  * conda advice\\n" * 40 + "Original error was: no C extension\\n\\n",
                              "(Original error was: no C extension)"), ("x" * 5000, "(" + "x" * 300 + "..)")):
            (broken / "numpy" / "__init__.py").write_text(f'raise ImportError("{text}")\n')
            said = self.failure(self.wrapper(f'PYTHONPATH="{broken}" exec "{sys.executable}" "$@"'))
            self.assertIn(f"has no ONNX Runtime {wanted}; install it (", said)

    def test_what_it_writes_to_stderr(self):
        """Is read all the time, and little of it kept: nothing is written to a file, whose size may be limited."""
        lines = "yes 'a line of a log of no end' | head -c 8000000 >&2"
        done = subprocess.run([WEFT, "compare", "net.onnx", "net.bmodel", "-i", "net.npz", "--reference", "onnxruntime"], cwd=self.folder, text=True,
                              capture_output=True, timeout=120, env=dict(os.environ, TMPDIR=str(self.temporary), WEFT_PYTHON=str(self.wrapper(
                                  f"{lines}; (echo; echo out of luck) >&2; exit 3"))),
                              preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20)), restore_signals=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("crashed (exit code 3: out of luck)", done.stderr)
        # Also where more comes between its answers than a pipe holds.
        told = self.compare("net", python=self.wrapper(f'({lines}); exec "{sys.executable}" "$@"'))
        self.assertEqual(told["reference"]["by"], "onnxruntime")

    def test_answers_of_others(self):
        for said in ("{}", '{"problem":5}', '{"version":[]}', "5"):
            self.assertIn(f"is no Python: it answers '{said}'", self.failure(self.wrapper(f"echo '{said}'; cat >/dev/null")))
        for said in ("{}", '{"values":5}', '{"values":[["y",1]]}', '{"values":[5]}'):
            self.assertIn("is no Python: it answers '{", self.failure(self.wrapper(f"echo '{{\"version\":\"1\"}}'; echo '{said}'; cat >/dev/null")))

    def test_others_that_do_not_end(self):
        self.assertIn("is no Python: it answers 'y'", self.failure(self.wrapper("exec yes")))
        self.assertIn("is no Python: it answers 'no'", self.failure(self.wrapper("echo no; sleep 600")))
        self.assertIn("is no Python: its answer is longer than 64 MiB", self.failure(self.wrapper("exec cat /dev/zero")))

    def test_models_that_it_refuses(self):
        (self.folder / "broken.onnx").write_bytes(b"\xff\xff nothing")
        (self.folder / "number.onnx").write_bytes(b"\x38\x05")
        deep = b""
        for _ in range(2000):  # graphs in attributes of nodes
            for number in (6, 5, 1):
                size, head = len(deep), bytearray([number << 3 | 2])
                while size > 127:
                    head.append(size & 127 | 128)
                    size >>= 7
                deep = bytes(head) + bytes([size]) + deep
        (self.folder / "deep.onnx").write_bytes(b"\x3a" + bytes([len(deep) & 127 | 128, len(deep) >> 7 & 127 | 128, len(deep) >> 14]) + deep)
        unknown = network([helper.make_node("Frob", ["x"], ["y"], domain="nowhere")], {"x": (TensorProto.FLOAT, [4, 16])}, {"y": TensorProto.FLOAT})
        unknown.opset_import.append(helper.make_opsetid("nowhere", 1))
        onnx.save(unknown, self.folder / "unknown.onnx")
        for model in ("broken.onnx", "unknown.onnx", "missing.onnx", "number.onnx", "deep.onnx"):
            for options in ([], ["--per-layer"]):
                said = self.failure(sys.executable, model, *options)
                self.assertIn(f"{model}: ONNX Runtime {onnxruntime.__version__} refuses the model: ", said)
                self.assertIn("without --reference the model is evaluated by Weft", said)
                self.assertNotIn(str(self.temporary), said)
        said = self.weft("compare", "net.bmodel", "net.bmodel", "-i", "net.npz", "--reference", "onnxruntime", code=2)
        self.assertIn("--reference onnxruntime needs the ONNX model, not another program", said)

    def test_a_file_of_that_name(self):
        self.weft("run", "net.bmodel", "-i", "net.npz", "-o", "onnxruntime")
        told = json.loads(self.weft("compare", "net.onnx", "net.bmodel", "-i", "net.npz", "--reference", "./onnxruntime", "--json"))
        self.assertEqual((told["reference"]["by"], told["outputs"][0]["sqnr_db"]), ("file", None))

    def test_nothing_is_left_of_what_is_killed(self):
        """Be it weft alone or, as a terminal does, its group; at any moment."""
        late = self.wrapper(f'sleep 1; exec "{sys.executable}" "$@"')
        moments = [(os.kill, signal.SIGKILL, late, 0)]
        moments += [(os.killpg, one, sys.executable, delay) for one in (signal.SIGTERM, signal.SIGINT) for delay in (.02, .1, .3, .6)]
        for kill, sent, python, delay in moments:
            with self.subTest(kill.__name__, sent=sent, delay=delay):
                weft = subprocess.Popen([WEFT, "compare", "net.onnx", "net.bmodel", "--data", "samples", "--reference", "onnxruntime"], cwd=self.folder,
                                        env=dict(os.environ, WEFT_PYTHON=str(python), TMPDIR=str(self.temporary)), start_new_session=True,
                                        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                deadline = time.monotonic() + 60
                while not list(self.temporary.glob("*/reference.py")) and time.monotonic() < deadline:
                    time.sleep(.005)
                time.sleep(delay)
                kill(weft.pid, sent)
                weft.wait()
                while list(self.temporary.iterdir()) and time.monotonic() < deadline:
                    time.sleep(.05)
                self.assertEqual(list(self.temporary.iterdir()), [])

    def test_it_ends_with_weft_in_the_middle_of_a_run(self):
        count = TensorProto.INT64
        body = helper.make_graph([node("Identity", ["more"], ["goes_on"]), node("Sin", ["v"], ["w"])], "body",
                                 [helper.make_tensor_value_info("i", count, []), helper.make_tensor_value_info("more", TensorProto.BOOL, []),
                                  helper.make_tensor_value_info("v", TensorProto.FLOAT, [4, 16])],
                                 [helper.make_tensor_value_info("goes_on", TensorProto.BOOL, []),
                                  helper.make_tensor_value_info("w", TensorProto.FLOAT, [4, 16])])
        long = network([node("Loop", ["n", "", "x"], ["y"], body=body)], {"x": (TensorProto.FLOAT, [4, 16])}, {"y": TensorProto.FLOAT},
                       {"n": np.int64(2**40)})
        onnx.save(long, self.folder / "long.onnx")
        weft = subprocess.Popen([WEFT, "compare", "long.onnx", "net.bmodel", "-i", "net.npz", "--reference", "onnxruntime"], cwd=self.folder,
                                env=dict(os.environ, WEFT_PYTHON=sys.executable, TMPDIR=str(self.temporary)), stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while not list(self.temporary.glob("*/inputs.npz")) and time.monotonic() < deadline:
            time.sleep(.05)
        time.sleep(.5)
        self.assertIsNone(weft.poll(), "the run is too short")
        weft.terminate()
        weft.communicate()
        while list(self.temporary.iterdir()) and time.monotonic() < deadline:
            time.sleep(.05)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

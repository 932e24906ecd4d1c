#!/usr/bin/env python3
"""weft compare --certify, and what info, run and asm do with the certificate.

  certificate_test.py WEFT MANUAL LIBWEFT   (MANUAL: docs/cli.md, LIBWEFT: libweft.so)
"""
import ctypes
import hashlib
import json
import os
import pathlib
import re
import resource
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
import onnxruntime
from json_schema import COUNT, FLAG, REAL, TEXT, keys, mismatches
from onnx import TensorProto, helper, numpy_helper

WEFT, MANUAL, LIBWEFT = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
RANDOM = np.random.default_rng(5)
LIMITS = ("cosine", "sqnr", "gain", "bias", "spike", "slice_sqnr", "slice_gain", "slice_bias", "dead_slices", "log_sqnr", "shift", "unequal")
SCHEMA = {
    "fits": FLAG, "content_sha256": TEXT, "compiler": TEXT, "net": TEXT, "stages": [COUNT], "reference": TEXT, "reference_version": TEXT,
    "model_sha256": TEXT, "reference_sha256": TEXT, "data_sha256": TEXT, "samples": COUNT, "precision": TEXT, "device": TEXT,
    "outputs": [{"name": TEXT, "samples": COUNT, "cosine": REAL, "sqnr_db": REAL, "max_error": REAL}],
    "limits": {key: REAL for key in LIMITS}, "default_limits": {key: REAL for key in LIMITS}, "layer_limits": {key: REAL for key in LIMITS},
    "default_layer_limits": {key: REAL for key in LIMITS}, "limits_are_defaults": FLAG, "layers": COUNT,
    "worst_layer": {"name": TEXT, "sqnr_db": REAL},
    "measures": [{"name": TEXT, "program": REAL, "reference": REAL, "least": REAL}],
    "warnings": [{"text": TEXT, "samples": COUNT}], "more_warnings": COUNT,
}


def network():
    """Scores of 5 classes for x [n,4,6,6]."""
    weights = [(RANDOM.normal(size=shape) / 6).astype(np.float32) for shape in ((8, 4, 3, 3), (8 * 36, 5))]
    nodes = [helper.make_node("Conv", ["x", "w0"], ["c"], pads=[1, 1, 1, 1]), helper.make_node("Relu", ["c"], ["r"]),
             helper.make_node("Flatten", ["r"], ["f"]), helper.make_node("MatMul", ["f", "w1"], ["y"])]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4, 6, 6])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(array, f"w{index}") for index, array in enumerate(weights)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def data_digest(*samples):
    """As certificate.fbs describes it, without constants of --bind."""
    hashed = hashlib.sha256()
    for sample in (*samples, {}):
        hashed.update(struct.pack("<Q", len(sample)))
        for name, array in sorted(sample.items()):
            for text in (name.encode(), {"float32": b"f32"}[str(array.dtype)]):
                hashed.update(struct.pack("<Q", len(text)) + text)
            hashed.update(struct.pack(f"<{1 + array.ndim}Q", array.ndim, *array.shape) + array.tobytes())
    return hashed.hexdigest()


def with_certificate(data, change):
    """A bmodel with other bytes of its certificate, whose head is right."""
    at = data.rindex(b"WEFTCERT")
    new = change(data[at + 48:])
    return data[:at + 8] + struct.pack("<Q", len(new)) + hashlib.sha256(new).digest() + new


class Certificates(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        (cls.folder / "samples").mkdir()
        cls.samples = [RANDOM.normal(size=(1, 4, 6, 6)).astype(np.float32) for _ in range(3)]
        for index, x in enumerate(cls.samples):
            np.savez(cls.folder / "samples" / f"{index}.npz", x=x)
        onnx.save(network(), cls.folder / "net.onnx")
        cls.weft("convert", "net.onnx", "-o", "made.bmodel", "--shape", "x=1x4x6x6", "--precision", "f16")
        cls.made = (cls.folder / "made.bmodel").read_bytes()

    def setUp(self):
        self.program = self.folder / "net.bmodel"
        self.program.write_bytes(self.made)

    @classmethod
    def weft(cls, *arguments, code=0):
        done = subprocess.run([WEFT, *map(str, arguments)], cwd=cls.folder, capture_output=True, text=True, timeout=120,
                              env=dict(os.environ, WEFT_PYTHON=sys.executable))
        assert done.returncode == code, f"exit code {done.returncode}: {done.stderr}{done.stdout}"
        return done.stdout if code < 2 else done.stderr

    def compare(self, *options, code=0, model="net.onnx", data=("-i", "samples/0.npz")):
        return self.weft("compare", model, "net.bmodel", *data, *options, code=code)

    def certificate(self, program="net.bmodel"):
        return json.loads(self.weft("info", program, "--json"))["certificate"]

    def run_certified(self, program="net.bmodel", sample="samples/0.npz", code=0):
        return self.weft("run", program, "-i", sample, "-o", "out.npz", "--require-certificate", code=code)

    def test_what_it_says(self):
        before = self.weft("run", "net.bmodel", "-i", "samples/0.npz", "-o", "before.npz")
        said = self.compare("--certify")
        size = self.program.stat().st_size - len(self.made)
        self.assertEqual(said.splitlines()[-2:], ["comparison passed", f"certified, {size} bytes"])
        self.assertLess(size, 2048)
        # The program's own bytes stay as they were.
        self.assertEqual(self.program.read_bytes()[:len(self.made)], self.made)
        told = self.certificate()
        self.assertEqual((told["fits"], told["samples"], told["net"], told["stages"], told["reference"], told["device"]),
                         (True, 1, "main", [0], "onnx", "emulator"))
        self.assertEqual((told["content_sha256"], told["model_sha256"], told["data_sha256"]),
                         (sha256(self.made), sha256((self.folder / "net.onnx").read_bytes()), data_digest({"x": self.samples[0]})))
        self.assertRegex(told["reference_version"], r"^weft [\d.]+, ONNX library [\d.]+$")
        compared = json.loads(self.compare("--json"))
        row = compared["outputs"][0]
        self.assertEqual({key: told["outputs"][0][key] for key in ("name", "cosine", "sqnr_db", "max_error")},
                         {key: row[key] for key in ("name", "cosine", "sqnr_db", "max_error")})
        self.assertEqual((told["precision"], told["limits"], told["layer_limits"], told["layers"]), (compared["precision"], compared["limits"], {}, 0))
        text = self.weft("info", "net.bmodel")
        self.assertIn("certificate: of these bytes", text)
        self.assertIn(told["model_sha256"], text)
        self.assertEqual(self.run_certified(), before)
        self.assertEqual(np.load(self.folder / "out.npz")["y"].tobytes(), np.load(self.folder / "before.npz")["y"].tobytes())

    def test_the_same_comparison_gives_the_same_bytes(self):
        self.compare("--certify")
        first = self.program.read_bytes()
        self.compare("--certify") # of a file that has one
        self.assertEqual(self.program.read_bytes(), first)
        self.compare("--certify", data=("-i", "samples/1.npz"))
        self.assertNotEqual(self.program.read_bytes(), first)
        self.compare("--certify", "--min-sqnr", "21")
        self.assertEqual(self.certificate()["limits"]["sqnr"], 21)

    def test_sets_layers_and_measures(self):
        (self.folder / "score.py").write_text("print(.75)\n")
        self.compare("--certify", "--per-layer", "--task", "top1", "--score", "python3 score.py", data=("--data", "samples"))
        told = self.certificate()
        self.assertEqual(mismatches({**SCHEMA, "outputs": SCHEMA["outputs"]}, told, "certificate", ("sqnr_db",)), [])
        self.assertEqual((told["samples"], told["outputs"][0]["samples"]), (3, 3))
        self.assertEqual(told["data_sha256"], data_digest(*({"x": x} for x in self.samples)))
        self.assertGreater(told["layers"], 0)
        self.assertEqual([(one["name"], one["reference"]) for one in told["measures"]], [("top1 of y", 1), ("score", .75)])
        worst = json.loads(self.compare("--json", data=("--data", "samples")))["outputs"][0]
        self.assertEqual((told["outputs"][0]["cosine"], told["outputs"][0]["sqnr_db"]), (worst["cosine"]["worst"], worst["sqnr_db"]["worst"]))

    def test_limits(self):
        self.compare("--certify", "--per-layer")
        told = self.certificate()
        of = f"of '{told['precision']}': "
        self.assertEqual((told["limits_are_defaults"], told["default_limits"], told["default_layer_limits"], told["warnings"], told["more_warnings"]),
                         (True, told["limits"], told["layer_limits"], [], 0))
        text = self.weft("info", "net.bmodel")
        self.assertIn(f"\n  limits: the defaults {of}cosine {told['limits']['cosine']:.7g}, sqnr ", text)
        self.assertIn(f"\n  limits of layers: the defaults {of}cosine ", text)
        self.compare("--certify", "--min-sqnr", "21")
        told = self.certificate()
        self.assertEqual((told["limits_are_defaults"], {key for key in LIMITS if told["limits"][key] != told["default_limits"][key]}), (False, {"sqnr"}))
        self.assertRegex(self.weft("info", "net.bmodel"), rf"\n  limits: NOT THE DEFAULTS {of}.*, sqnr 21 \(default {told['default_limits']['sqnr']:.7g}\), ")
        self.compare("--certify", "--per-layer", "--layer-limit", "gain=.5")
        self.assertIs(self.certificate()["limits_are_defaults"], False)
        self.assertRegex(self.weft("info", "net.bmodel"), rf"\n  limits: the defaults .*\n  limits of layers: NOT THE DEFAULTS {of}.*gain 0.5 \(default ")
        # Without limits there is nothing that a certificate could say.
        before = self.program.read_bytes()
        self.assertEqual(self.compare("--certify", "--task", "top1", "--no-limits", data=("--data", "samples"), code=2),
                         "weft: error: --certify with --no-limits would certify outputs that keep no limit; leave --no-limits out, and if limits are "
                         "missed on purpose, say how far with --limit KEY=VALUE, which the certificate tells\n")
        self.assertEqual(self.program.read_bytes(), before)

    def test_warnings(self):
        (self.folder / "flat").mkdir(exist_ok=True)
        for index in range(2):
            np.savez(self.folder / "flat" / f"{index}.npz", x=np.full((1, 4, 6, 6), index + 1, np.float32))
        shutil.copy(self.folder / "samples" / "0.npz", self.folder / "flat" / "2.npz")
        data = ("--data", "flat")
        said = self.compare("--certify", "--constant-inputs", data=data)
        self.assertEqual(said.count("warning: "), 2)
        told = self.certificate()
        self.assertEqual((told["samples"], told["warnings"], told["more_warnings"]),
                         (3, [{"text": "input 'x' is the same number throughout", "samples": 2}], 0))
        self.assertIn("\n  warning in 2 samples: input 'x' is the same number throughout\n", self.weft("info", "net.bmodel"))
        # What another machine's folders are called is nothing that it tells.
        (self.folder / "deep").mkdir()
        version = re.search(rb"weft \d[\d.]+\0", self.made)[0]
        (self.folder / "deep" / "net.bmodel").write_bytes(self.made.replace(version, b"weft 9" + version[6:]))
        self.weft("compare", "net.onnx", self.folder / "deep" / "net.bmodel", "-i", "samples/0.npz", "--certify")
        texts = " ".join(one["text"] for one in self.certificate("deep/net.bmodel")["warnings"])
        self.assertIn("not compared bit by bit: net.bmodel: another version", texts)
        # And text that drives a terminal does not get there.
        self.compare("--certify", "--constant-inputs", data=data)
        self.program.write_bytes(with_certificate(self.program.read_bytes(), lambda old: old.replace(b"number throughout", b"number\x1b[31m\nout12")))
        self.assertIn(r"number\x1b[31m\x0aout12", self.weft("info", "net.bmodel"))

    def test_programs_of_other_models(self):
        """Be they as near as limits ask."""
        other = network()
        other.graph.initializer[0].CopyFrom(numpy_helper.from_array(
            numpy_helper.to_array(onnx.load(self.folder / "net.onnx").graph.initializer[0]) * np.float32(1.00001), "w0"))
        other.graph.initializer[1].CopyFrom(onnx.load(self.folder / "net.onnx").graph.initializer[1])
        onnx.save(other, self.folder / "other.onnx")
        loose = [part for key in ("cosine=0", "sqnr=-100", "gain=1e9", "bias=1e9", "slice_sqnr=-100", "slice_gain=1e9", "slice_bias=1e9")
                 for part in ("--limit", key)]
        self.weft("convert", "other.onnx", "-o", "other.bmodel", "--shape", "x=1x4x6x6", "--precision", "f32")
        self.weft("convert", "net.onnx", "-o", "f32.bmodel", "--shape", "x=1x4x6x6", "--precision", "f32")
        self.weft("run", "net.bmodel", "-i", "samples/0.npz", "-o", "own.npz")
        text = f"net.bmodel was converted from another model: of sha256 {sha256((self.folder / 'net.onnx').read_bytes())[:16]}.., "
        for model, options in (("other.onnx", ["--reference", "own.npz"]), ("other.bmodel", loose)):
            told = json.loads(self.compare("--json", *options, model=model))
            self.assertTrue(told["passed"])
            said = self.compare("--certify", *options, model=model, code=2)
            self.assertIn(f"{text}{model} has {sha256((self.folder / 'other.onnx').read_bytes())[:16]}..; it is not certified; convert the model "
                          "at hand and compare that", said)
            self.assertEqual(self.program.read_bytes(), self.made)
        self.compare("--certify", *loose, model="f32.bmodel")

    def test_what_is_no_bmodel(self):
        for model, program in (("net.onnx", "net.onnx"), ("net.bmodel", "net.onnx"), ("net.onnx", "samples/0.npz")):
            said = self.weft("compare", model, program, "-i", "samples/0.npz", "--certify", code=2)
            self.assertEqual(said, f"weft: error: {program}: is no bmodel, which alone --certify can certify; give the model first and what it was "
                             "converted to behind it (weft compare MODEL.onnx FILE.bmodel)\n")
        self.assertNotIn("is no bmodel", self.weft("compare", "net.onnx", "none.bmodel", "-i", "samples/0.npz", "--certify", code=2))

    def test_a_comparison_that_fails_certifies_nothing(self):
        for state in ("none", "certified"):
            before = (self.program.read_bytes(), self.program.stat().st_mtime_ns, self.program.stat().st_ino)
            said = self.compare("--certify", "--min-sqnr", "500", code=1)
            self.assertEqual(said.splitlines()[-2:], ["comparison failed", "not certified"])
            self.assertEqual(json.loads(self.compare("--certify", "--min-sqnr", "500", "--json", code=1))["certificate_bytes"], 0)
            self.assertEqual((self.program.read_bytes(), self.program.stat().st_mtime_ns, self.program.stat().st_ino), before, state)
            self.compare("--certify")
        self.assertNotIn("certificate_bytes", json.loads(self.compare("--json")))

    def test_it_is_asked_for(self):
        self.assertIsNone(self.certificate())
        self.assertIn("certificate: none", self.weft("info", "net.bmodel"))
        (self.folder / "out.npz").unlink(missing_ok=True)
        self.assertEqual(self.run_certified(code=2), "weft: error: net.bmodel: has no certificate; weft compare --certify gives one to a program "
                         "that passes\n")
        self.assertFalse((self.folder / "out.npz").exists())

    def test_a_changed_byte(self):
        self.compare("--certify")
        data = self.program.read_bytes()
        stage = json.loads(self.weft("info", "net.bmodel", "--json"))["nets"][0]["stages"][0]
        start, size = stage["weight_file_offset"], stage["weight_bytes"]
        weight = bytearray(data)
        weight[start + 5] ^= 1
        digests = [hashlib.sha256(bytes(each[start:start + size])).digest() for each in (data, weight)]
        name = bytearray(data)
        name[data.index(b"Conv\0")] ^= 1 # an operator in the debug map
        end = bytearray(data)
        end[len(self.made) - 1] ^= 1 # what fills up the last commands
        for changed in (bytes(weight).replace(*digests), bytes(name), bytes(end)):
            self.program.write_bytes(changed)
            self.weft("run", "net.bmodel", "-i", "samples/0.npz", "-o", "out.npz")
            self.assertIs(self.certificate()["fits"], False)
            self.assertIn("certificate: NOT OF THESE BYTES", self.weft("info", "net.bmodel"))
            self.assertEqual(self.run_certified(code=2), "weft: error: net.bmodel: was changed after it was certified; compare it again with "
                             "--certify\n")
        # That is what to do.
        self.compare("--certify", "--min-sqnr", "10", "--limit", "unequal=1")
        self.assertIs(self.certificate()["fits"], True)

    def test_the_c_interface(self):
        library = ctypes.CDLL(str(LIBWEFT))
        library.weft_status_message.restype, library.weft_status_message.argtypes = ctypes.c_char_p, [ctypes.c_void_p]
        library.weft_model_check_certificate.restype, library.weft_status_free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
        library.weft_model_free.argtypes = [ctypes.c_void_p]

        def check(data):
            model = ctypes.c_void_p()
            self.assertEqual(library.weft_model_load_bytes(data, ctypes.c_size_t(len(data)), b"net", ctypes.byref(model)), 0)
            status = library.weft_model_check_certificate(model, ctypes.c_size_t(0), ctypes.c_size_t(0))
            message = library.weft_status_message(status).decode()
            library.weft_status_free(status)
            library.weft_model_free(model)
            return message
        self.assertIn("has no certificate", check(self.made))
        self.compare("--certify")
        data = self.program.read_bytes()
        self.assertEqual(check(data), "")
        self.assertIn("was changed after", check(data.replace(b"Conv\0", b"Conw\0")))

    def test_asm_keeps_it_only_where_nothing_changes(self):
        self.compare("--certify")
        listing = self.weft("disasm", "net.bmodel")
        (self.folder / "net.s").write_text(listing)
        self.weft("asm", "net.s", "--into", "net.bmodel", "-o", "same.bmodel")
        self.assertEqual((self.folder / "same.bmodel").read_bytes(), self.program.read_bytes())
        changed = re.sub(r"opd0_addr=0x([0-9a-f]+)", lambda m: f"opd0_addr={hex(int(m[1], 16) + 64)}", listing, count=1)
        self.assertNotEqual(changed, listing)
        (self.folder / "net.s").write_text(changed)
        self.weft("asm", "net.s", "--into", "net.bmodel", "--unchecked", "-o", "changed.bmodel")
        self.assertEqual((self.folder / "changed.bmodel").stat().st_size, len(self.made))
        self.assertIsNone(self.certificate("changed.bmodel"))

    def test_only_the_stages_that_ran_are_certified(self):
        self.weft("convert", "net.onnx", "-o", "net.bmodel", "--shape", "x=(1|2)x4x6x6", "--precision", "f16")
        np.savez(self.folder / "two.npz", x=np.concatenate(self.samples[:2]))
        self.compare("--certify", data=("-i", "two.npz"))
        stage = self.certificate()["stages"][0]
        self.run_certified(sample="two.npz")
        self.assertEqual(self.run_certified(code=2), f"weft: error: net.bmodel: its certificate is not of stage {1 - stage} of net 'main', which is "
                         "to run; compare it on samples of that size\n")
        self.compare("--certify", data=("--data", "two.npz", "--data", "samples/0.npz"))
        self.assertEqual(self.certificate()["stages"], [0, 1])
        self.run_certified()

    def test_other_references(self):
        self.weft("convert", "net.onnx", "-o", "f32.bmodel", "--shape", "x=1x4x6x6", "--precision", "f32")
        other = (self.folder / "f32.bmodel").read_bytes()
        self.compare("--certify", model="f32.bmodel")
        told = self.certificate()
        self.assertEqual((told["reference"], told["reference_sha256"], told["model_sha256"]), ("program", sha256(other), ""))
        self.assertRegex(told["reference_version"], r"weft [\d.]+$")
        self.weft("compare", "net.onnx", "f32.bmodel", "-i", "samples/0.npz", "--certify") # does not make it another reference
        self.compare("--certify", model="f32.bmodel")
        self.assertEqual(self.certificate(), told)
        self.weft("run", "f32.bmodel", "-i", "samples/0.npz", "-o", "values.npz")
        self.compare("--certify", "--reference", "values.npz")
        told = self.certificate()
        self.assertEqual((told["reference"], told["reference_sha256"], told["reference_version"]),
                         ("values", sha256((self.folder / "values.npz").read_bytes()), ""))
        self.assertEqual(told["model_sha256"], sha256((self.folder / "net.onnx").read_bytes()))
        self.compare("--certify", "--reference", "values.npz", model="none.onnx")
        self.assertEqual(self.certificate()["model_sha256"], "")
        # A program is nothing to certify itself by.
        shutil.copy(self.program, self.folder / "copy.bmodel")
        for model in ("net.bmodel", "copy.bmodel"):
            self.assertIn("--certify would certify a program by itself", self.compare("--certify", model=model, code=2))

    def test_onnx_runtime(self):
        """It evaluates the model; a file of that name is none of it."""
        for content in (None, b"something else"):
            if content:
                (self.folder / "onnxruntime").write_bytes(content)
            self.compare("--certify", "--reference", "onnxruntime")
            told = self.certificate()
            self.assertEqual((told["reference"], told["reference_version"], told["reference_sha256"], told["model_sha256"]),
                             ("onnx", f"ONNX Runtime {onnxruntime.__version__}", "", sha256((self.folder / "net.onnx").read_bytes())))
            self.assertIn(f"reference: onnx ('ONNX Runtime {onnxruntime.__version__}')\n", self.weft("info", "net.bmodel"))

    def compare_while(self, action, *options, code=0, model="net.onnx"):
        """With a score command that does something before it is certified."""
        (self.folder / "action.py").write_text(f"import os, shutil\n{action}\nprint(1)\n")
        return self.compare("--certify", "--score", "python3 action.py", *options, code=code, model=model)

    def test_a_program_that_is_written_anew(self):
        self.weft("convert", "net.onnx", "-o", "new.bmodel", "--shape", "x=1x4x6x6", "--precision", "f32")
        anew = "shutil.copy('new.bmodel', 'moved.bmodel'); os.replace('moved.bmodel', 'net.bmodel')"
        changed = self.made[:-1] + bytes([self.made[-1] ^ 1])
        in_place = f"file = open('net.bmodel', 'r+b'); file.seek(-1, 2); file.write({changed[-1:]!r}); file.close()"
        for action, wanted in ((anew, (self.folder / "new.bmodel").read_bytes()), (in_place, changed), ("os.remove('net.bmodel')", None)):
            self.program.write_bytes(self.made)
            self.assertEqual(self.compare_while(f"if os.path.exists('net.bmodel') and open('net.bmodel', 'rb').read() == open('made.bmodel', 'rb').read():\n"
                                                f"    {action}", code=2),
                             "weft: error: net.bmodel: was written anew while it was compared, so that nothing is certified; compare it again\n")
            self.assertEqual(self.program.read_bytes() if self.program.exists() else None, wanted)
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith("net.bmodel.")], [])

    def test_digests_are_of_what_was_read(self):
        self.weft("convert", "net.onnx", "-o", "f32.bmodel", "--shape", "x=1x4x6x6", "--precision", "f32")
        self.weft("run", "f32.bmodel", "-i", "samples/0.npz", "-o", "values.npz")
        for name, model, options in (("values.npz", "net.onnx", ["--reference", "values.npz"]), ("f32.bmodel", "f32.bmodel", [])):
            read = sha256((self.folder / name).read_bytes())
            self.compare_while(f"open('other', 'w').write('other'); os.replace('other', '{name}')", *options, model=model)
            self.assertEqual(self.certificate()["reference_sha256"], read)

    def test_figures_that_are_not_finite(self):
        self.weft("run", "net.bmodel", "-i", "samples/0.npz", "-o", "own.npz")
        self.compare("--certify", "--reference", "own.npz")
        self.assertIn("sqnr equal,", self.weft("info", "net.bmodel"))
        data = self.program.read_bytes()
        for figure, code, text in ((float("-inf"), 0, "sqnr -inf dB (the reference is zero),"), (float("nan"), 2, "is not a number")):
            self.program.write_bytes(with_certificate(data, lambda old: old.replace(struct.pack("<d", float("inf")), struct.pack("<d", figure))))
            self.assertIn(text, self.weft("info", "net.bmodel", code=code))

    def test_programs_that_tell_nothing(self):
        self.weft("convert", "net.onnx", "-o", "net.bmodel", "--shape", "x=1x4x6x6", "--precision", "f16", "--strip")
        self.compare("--certify")
        self.run_certified()
        self.weft("convert", "net.onnx", "-o", "net.zyp", "--shape", "x=1x4x6x6", "--target", "zhouyi")
        self.assertIn("--certify is for bmodels", self.weft("compare", "net.onnx", "net.zyp", "-i", "samples/0.npz", "--certify", code=2))
        self.assertIn("leave out --require-certificate", self.run_certified("net.zyp", code=2))

    def test_files_that_cannot_be_written(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (len(self.made) // 2, len(self.made) // 2))
        done = subprocess.run([WEFT, "compare", "net.onnx", "net.bmodel", "-i", "samples/0.npz", "--certify"], cwd=self.folder,
                              capture_output=True, text=True, preexec_fn=limit, restore_signals=False, timeout=60)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^weft: error: \S*net\.bmodel: cannot write: File too large\n$")
        self.assertEqual(self.program.read_bytes(), self.made)
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.startswith("net.bmodel.")], [])

    def test_links_and_rights_stay(self):
        self.program.chmod(0o640)
        (self.folder / "link.bmodel").symlink_to("net.bmodel")
        self.weft("compare", "net.onnx", "link.bmodel", "-i", "samples/0.npz", "--certify")
        self.assertTrue((self.folder / "link.bmodel").is_symlink())
        self.assertEqual(self.program.stat().st_mode & 0o777, 0o640)
        self.run_certified()

    def test_damage(self):
        self.compare("--certify")
        data, start = self.program.read_bytes(), len(self.made)
        where = f"weft: error: net.bmodel: certificate at byte {start}: "
        way_out = f"; weft compare --certify writes another one in its place, or cut it off (truncate -s {start} FILE)\n"
        cut = "its head says that it has "
        changed = data[:-3] + bytes([data[-3] ^ 1]) + data[-2:]
        cosine = struct.pack("<d", self.certificate()["outputs"][0]["cosine"])
        self.assertEqual(data.count(cosine), 1)
        for damaged, what in ((data[:-9], cut), (data[:-100], cut), (data[:start + 20], cut), (data + data[start:], cut),
                              (changed, "its digest is not that of its bytes, which were changed"),
                              (data.replace(cosine, struct.pack("<d", 1)), "its digest is not that of its bytes, which were changed"),
                              (with_certificate(data, lambda old: b"\xff" * len(old)),
                               "the flatbuffer is broken: an offset, a length or a required field is wrong")):
            self.program.write_bytes(damaged)
            for arguments in (("info", "net.bmodel"), ("run", "net.bmodel", "-i", "samples/0.npz", "-o", "out.npz"),
                              ("compare", "net.onnx", "net.bmodel", "-i", "samples/0.npz")):
                said = self.weft(*arguments, code=2)
                self.assertTrue(said.startswith(where + what) and said.endswith(way_out), said)
            # Both ways out.
            self.compare("--certify")
            self.assertEqual(self.program.read_bytes(), data)
            self.program.write_bytes(damaged)
            os.truncate(self.program, start)
            self.assertIsNone(self.certificate())
        # What is no text does not get into JSON, and what drives a terminal not there.
        self.program.write_bytes(with_certificate(data, lambda old: old.replace(b"emulator", b"\xffmulator")))
        self.weft("info", "net.bmodel", "--json")
        self.program.write_bytes(with_certificate(data, lambda old: old.replace(b"emulator", b"\x1b[31m\n\0\n")))
        self.assertNotIn("\x1b", self.weft("info", "net.bmodel"))

    def test_a_program_from_stdin_has_no_file(self):
        for kind in ("onnx", "bmodel"):
            arguments = {"onnx": ["-", "net.bmodel"], "bmodel": ["net.onnx", "-"]}[kind]
            with open(self.folder / f"net.{kind}", "rb") as given:
                run = subprocess.run([WEFT, "compare", *arguments, "-i", "samples/0.npz", "--certify"], cwd=self.folder, stdin=given,
                                     capture_output=True, text=True)
            self.assertEqual(run.returncode, 0 if kind == "onnx" else 2, run.stderr)
            self.assertEqual("certified" in run.stdout, kind == "onnx")
        self.assertEqual(run.stderr, "weft: error: --certify writes into the program's file, and '-' is stdin, which has none; name the file\n")

    def test_the_manual_names_every_key(self):
        text = MANUAL.read_text()
        missing = [key for key in keys(SCHEMA) - set(LIMITS) | {"certificate_bytes"} if f"`{key}`" not in text]
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]] + sys.argv[4:])

#!/usr/bin/env python3
"""weft compare --bisect: what is wrong in a program, which command, and why; and what compare knows of a program's conversion.

  bisect_test.py WEFT DATA MANUAL   (DATA: tests/data, MANUAL: docs/cli.md)

Programs are made wrong by hand: commands through `weft disasm` and `weft asm --into`, constants in the file, or by converting another model.
models/faults.py draws faults at random and counts.
"""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

WEFT, DATA, MANUAL = str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
RANDOM = np.random.default_rng(11)
FILTERS = [(RANDOM.normal(size=shape) / np.sqrt(np.prod(shape[1:]))).astype(np.float32)
           for shape in ((64, 32, 3, 3), (64, 64, 3, 3), (16, 64, 1, 1))]


def network(filters=FILTERS, batch=1):
    """x [batch,32,24,24] through three convolutions, the first two with a relu."""
    nodes = [helper.make_node("Conv", ["x", "w0"], ["c0"], name="first", pads=[1, 1, 1, 1]), helper.make_node("Relu", ["c0"], ["r0"], name="relu0"),
             helper.make_node("Conv", ["r0", "w1"], ["c1"], name="second", pads=[1, 1, 1, 1]),
             helper.make_node("Relu", ["c1"], ["r1"], name="relu1"), helper.make_node("Conv", ["r1", "w2"], ["y"], name="third")]
    graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 32, 24, 24])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                              [numpy_helper.from_array(array, f"w{index}") for index, array in enumerate(filters)])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


def digest(model, folder, *external):
    """Of the model as given: the file and behind it those of its external data."""
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in (model, *external))).hexdigest()


def moved_pad(line):
    """The border above the image of a first slice below it: the window fits as before."""
    return line.replace("opd0_up_pad=1", "opd0_dn_pad=1")


class Bisect(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(holder.cleanup)
        cls.folder = pathlib.Path(holder.name)
        (cls.folder / "samples").mkdir()
        for index in range(4):
            np.savez(cls.folder / "samples" / f"{index}.npz", x=RANDOM.normal(size=(1, 32, 24, 24)).astype(np.float32))
        cls.x = cls.folder / "samples" / "0.npz"
        onnx.save(network(), cls.folder / "net.onnx")
        cls.weft("calibrate", "net.onnx", "--shape", "x=1x32x24x24", "--data", "samples", "--recover", "off", "-o", "net.table")
        cls.convert("net.onnx", "f16", "f16.bmodel")
        cls.convert("net.onnx", "int8", "int8.bmodel")

    @classmethod
    def convert(cls, model, precision, target, *options):
        cls.weft("convert", model, "-o", target, "--shape", "x=1x32x24x24", "--precision", precision,
                 *(["--calibration", "net.table", "--keep-int8"] if precision == "int8" else []), *options)

    @classmethod
    def weft(cls, *arguments, code=0):
        done = subprocess.run([WEFT, *map(str, arguments)], cwd=cls.folder, capture_output=True, text=True)
        assert done.returncode == code, f"exit code {done.returncode}: {done.stderr}{done.stdout}"
        return done.stdout if code < 2 else done.stderr

    def bisect(self, program, *options, code=1, model="net.onnx"):
        return json.loads(self.weft("compare", model, program, "-i", self.x, "--bisect", "--json", *options, code=code))

    def changed(self, program, wanted, change):
        """`program` with the first command changed whose line has `wanted`; gives the line before it was."""
        lines = self.weft("disasm", program).split("\n")
        index = next(index for index, line in enumerate(lines) if all(word in line for word in wanted))
        before, lines[index] = lines[index], change(lines[index])
        self.assertNotEqual(before, lines[index])
        (self.folder / "wrong.s").write_text("\n".join(lines))
        self.weft("asm", "wrong.s", "--into", program, "--unchecked", "-o", "wrong.bmodel")
        return before

    def test_right_programs(self):
        for precision in ("f16", "int8"):
            told = self.bisect(f"{precision}.bmodel", code=0)
            self.assertEqual((told["passed"], told["warnings"]), (True, []))
            self.assertEqual((told["bisection"]["stage"], told["bisection"]["cause"], told["bisection"]["nodes"]), ("none", "none", []))
            self.assertTrue(all("exact" in row for row in told["layers"] + told["outputs"]), told)
            # Codes are equal bit by bit; sums of floats may be rounded in another order.
            if precision == "int8":
                self.assertEqual({row["exact"]["unequal"] for row in told["layers"]}, {0})
            self.assertTrue(all("fresh" not in row for row in told["layers"]))

    def test_every_level_has_the_same_numbers(self):
        for level in (0, 1, 3):
            self.convert("net.onnx", "f16", "level.bmodel", f"-O{level}", *(["--time-limit", "1"] if level == 3 else []))
            told = self.bisect("level.bmodel", code=0)
            self.assertEqual((told["passed"], told["warnings"], told["bisection"]["stage"]), (True, [], "none"))

    def test_commands(self):
        changes = {
            "wrong address": (("tiu", "conv", "opd0_addr="), lambda line: re.sub(r"opd0_addr=0x([0-9a-f]+)", lambda m: f"opd0_addr={hex(int(m[1], 16) + 64)}", line)),
            "wrong pad": (("tiu", "opd0_up_pad=1"), moved_pad),
            "wrong size": (("gdma", "src_csize=32"), lambda line: re.sub(r"src_csize=(\d+)", lambda m: f"src_csize={int(m[1]) - 1}", line)),
        }
        for precision in ("f16", "int8"):
            for cause, (wanted, change) in changes.items():
                with self.subTest(cause=cause, precision=precision):
                    line = self.changed(f"{precision}.bmodel", wanted, change)
                    found = self.bisect("wrong.bmodel")["bisection"]
                    self.assertEqual((found["stage"], found["cause"], found["other_commands"]), ("commands", cause, 0))
                    self.assertEqual(found["command"]["expected"].split(), line.partition(";")[0].split())
                    self.assertEqual(len(found["command"]["fields"]), 2 if cause == "wrong pad" else 1)
                    self.assertTrue(set(node["name"] for node in found["nodes"]) <= set(re.findall(r"'([^']+)'", line)), found)
                    self.assertTrue(found["value"]["unequal"] > 0)
                    self.assertEqual([line[0] for line in found["listing"].splitlines()].count(">"), 1)

    def test_missing_waits_show_in_no_value(self):
        line = self.changed("f16.bmodel", ("tiu", "conv"), lambda line: re.sub(r"dep=\d+", "dep=0", line))
        told = self.bisect("wrong.bmodel")
        self.assertTrue(all(row["passed"] for row in told["layers"] + told["outputs"]))
        self.assertIn("without a wait", told["reasons"][0])
        self.assertEqual((told["bisection"]["cause"], told["bisection"]["command"]["expected"].split()),
                         ("missing wait", line.partition(";")[0].split()))

    def test_constants(self):
        stage = json.loads(self.weft("info", "f16.bmodel", "--json"))["nets"][0]["stages"][0]
        start, size = stage["weight_file_offset"], stage["weight_bytes"]
        data = bytearray((self.folder / "f16.bmodel").read_bytes())
        digest = hashlib.sha256(data[start:start + size]).digest()
        data[start + size // 2] ^= 0x40
        (self.folder / "wrong.bmodel").write_bytes(data)
        self.assertIn("sha256", self.weft("compare", "net.onnx", "wrong.bmodel", "-i", self.x, code=2))
        (self.folder / "wrong.bmodel").write_bytes(data.replace(digest, hashlib.sha256(data[start:start + size]).digest()))
        found = self.bisect("wrong.bmodel")["bisection"]
        self.assertEqual((found["stage"], found["cause"], found["nodes"][0]["name"]), ("constants", "wrong weights", "second"))
        self.assertIn("1 of ", found["text"])

    def patched(self, program, old, new):
        """What --bisect finds with each place of the bytes `old` in `program` changed, before the commands and constants."""
        data = (self.folder / program).read_bytes()
        at, found = data.find(old), []
        while at >= 0:
            (self.folder / "wrong.bmodel").write_bytes(data[:at] + new + data[at + len(old):])
            done = subprocess.run([WEFT, "compare", "net.onnx", "wrong.bmodel", "-i", str(self.x), "--bisect", "--json"], cwd=self.folder,
                                  capture_output=True, text=True)
            found += [json.loads(done.stdout)] if done.returncode < 2 else []
            at = data.find(old, at + 1)
        return found

    def test_what_a_file_says_of_its_tensors(self):
        self.convert("net.onnx", "int8", "codes.bmodel", "--quantized-io")
        stage = json.loads(self.weft("info", "codes.bmodel", "--json"))["nets"][0]["stages"][0]
        faults = [("codes.bmodel", np.float32(tensor["scale"]).tobytes(), np.float32(tensor["scale"] * 1.5).tobytes(), "wrong scale",
                   f"the scale of {role} '{tensor['name']}' is ") for role, tensor in (("input", stage["inputs"][0]), ("output", stage["outputs"][0]))]
        # Of a layer: its codes are right, and stand for other reals.
        faults.append((*faults[1][:4], "the scale of layer 'y' is "))
        # Another place for the output.
        stage = json.loads(self.weft("info", "f16.bmodel", "--json"))["nets"][0]["stages"][0]
        address = stage["outputs"][0]["address"]
        faults.append(("f16.bmodel", address.to_bytes(8, "little"), (stage["inputs"][0]["address"]).to_bytes(8, "little"), "wrong address",
                       "the address of output 'y' is "))
        for program, old, new, cause, text in faults:
            told = [one for one in self.patched(program, old, new) if one["bisection"]["text"].startswith(text)]
            with self.subTest(text):
                self.assertTrue(told)
                self.assertEqual((told[0]["bisection"]["stage"], told[0]["bisection"]["cause"], told[0]["passed"]), ("interface", cause, False))

    def test_what_a_file_says_of_its_layers_and_nodes(self):
        """Names in the debug map: of another value of the model, of none, of another node."""
        faults = [(program, old, new, text) for program in ("f16.bmodel", "int8.bmodel") for old, new, text in (
            (b"\2\0\0\0r0\0", b"\2\0\0\0c0\0", "layer 0 is 'c0' for 'r0'"), (b"\2\0\0\0r1\0", b"\2\0\0\0c1\0", "layer 1 is 'c1' for 'r1'"),
            (b"\2\0\0\0r0\0", b"\2\0\0\0q0\0", "layer 0 is 'q0' for 'r0'"),
            (b"\6\0\0\0second\0", b"\6\0\0\0secant\0", "the origin of group 0 "))]
        for program, old, new, text in faults:
            with self.subTest(program=program, new=new):
                told = self.patched(program, old, new)
                self.assertEqual([(one["bisection"]["stage"], one["bisection"]["cause"]) for one in told], [("interface", "wrong name")] * len(told))
                self.assertTrue([one for one in told if one["bisection"]["text"].startswith(text)], told)

    def test_records_that_are_damaged(self):
        """Not a fault of weights or commands, which cannot be made again without it."""
        for old, new, text in ((b"\nr0 4.", b"\nr0 7.", "the calibration table in it is not the one that it was converted with"),
                               (b"keep-int8=1", b"keep-int8=7", "was converted with 'keep-int8=7', which this version of Weft does not know, although"),
                               (b"keep-int8=1", b"keep-inTT=1", "was converted with 'keep-inTT=1', which")):
            with self.subTest(text):
                told, = self.patched("int8.bmodel", old, new)
                self.assertEqual((told["passed"], told["bisection"]["stage"], told["bisection"]["cause"]), (True, "interface", "wrong record"))
                self.assertIn(f"wrong.bmodel: {text}", told["bisection"]["text"])
                self.assertIn("not compared bit by bit: ", told["warnings"][-1])
        # The table itself is at hand.
        (self.folder / "wrong.bmodel").write_bytes((self.folder / "int8.bmodel").read_bytes().replace(b"\nr0 4.", b"\nr0 7."))
        self.assertEqual(self.bisect("wrong.bmodel", "--calibration", "net.table", code=0)["bisection"]["stage"], "none")

    def test_programs_of_the_host(self):
        nodes = [helper.make_node("Relu", ["x"], ["r"]), helper.make_node("Unique", ["r"], ["u"], name="different"),
                 helper.make_node("Mul", ["u", "k"], ["y"], name="scaled")]
        graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 64])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)],
                                  [numpy_helper.from_array(np.float32([0.731]), "k")])
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "host.onnx")
        np.savez(self.folder / "host.npz", x=RANDOM.normal(size=(1, 64)).astype(np.float32))
        self.weft("convert", "host.onnx", "-o", "host.bmodel", "--precision", "f32")
        compare = ["compare", "host.onnx", "wrong.bmodel", "-i", "host.npz", "--bisect", "--json"]
        data = (self.folder / "host.bmodel").read_bytes()
        (self.folder / "wrong.bmodel").write_bytes(data.replace(np.float32(0.731).tobytes(), np.float32(0.75).tobytes()))
        found = json.loads(self.weft(*compare, code=1))["bisection"]
        self.assertEqual((found["stage"], found["cause"], [node["name"] for node in found["nodes"]]), ("host", "wrong host program", ["scaled"]))
        self.assertIn("a constant, is not that of the model", found["text"])

    def test_commands_that_are_taken_out(self):
        """In their place the command before is made once more. (Other numbers of commands: tests/unit/tools/weft/ProgramDifferenceTest.cpp.)"""
        # A relu writes where the convolution before it does.
        for precision, wanted, node, cause in (("f16", ("tiu", "arith.max"), "relu0", "wrong instruction"),
                                               ("f16", ("tiu", "conv", "node 'second'"), "second", "stale tensor"),
                                               ("int8", ("tiu", "conv", "'second'"), "second", "stale tensor")):
            with self.subTest(precision=precision, node=node):
                lines = self.weft("disasm", f"{precision}.bmodel").split("\n")
                index = next(index for index, line in enumerate(lines) if all(word in line for word in wanted))
                before = re.sub(r"id=\d+ dep=\d+", re.search(r"id=\d+ dep=\d+", lines[index])[0], lines[index - 1])
                line = self.changed(f"{precision}.bmodel", wanted, lambda _: before)
                told = self.bisect("wrong.bmodel")
                found = told["bisection"]
                self.assertEqual((found["stage"], found["cause"], found["other_commands"]), ("commands", cause, 0))
                self.assertEqual(found["command"]["expected"].split(), line.partition(";")[0].split())
                self.assertIn(node, [one["name"] for one in found["nodes"]])

    def test_outputs_with_channels_last(self):
        """x n,h,w,c -> y n,h,w,c: places of elements are those of the model, not of the program."""
        inner = network()
        nodes = [helper.make_node("Transpose", ["image"], ["x"], name="in", perm=[0, 3, 1, 2]), *inner.graph.node,
                 helper.make_node("Transpose", ["y"], ["last"], name="out", perm=[0, 2, 3, 1])]
        graph = helper.make_graph(nodes, "net", [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 24, 24, 32])],
                                  [helper.make_tensor_value_info("last", TensorProto.FLOAT, None)], list(inner.graph.initializer))
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "last.onnx")
        np.savez(self.folder / "last.npz", image=np.load(self.x)["x"].transpose(0, 2, 3, 1))
        self.weft("convert", "last.onnx", "-o", "last.bmodel", "--precision", "f16")
        compare = ["compare", "last.onnx", "wrong.bmodel", "-i", "last.npz", "--bisect", "--json"]
        told = json.loads(self.weft("compare", "last.onnx", "last.bmodel", "-i", "last.npz", "--bisect", "--json"))
        self.assertEqual((told["passed"], told["warnings"]), (True, []))
        self.assertIn("last", [row["name"] for row in told["outputs"]])
        # The last convolution of the lower slice computes something else: rows 12 to 23 of n,h,w,c are wrong, none before.
        lines = self.weft("disasm", "last.bmodel").split("\n")
        index = [index for index, line in enumerate(lines) if "conv" in line and "'third'" in line][-1]
        lines[index] = re.sub(r"opd1_addr=0x([0-9a-f]+)", lambda match: f"opd1_addr={hex(int(match[1], 16) + 64)}", lines[index])
        (self.folder / "wrong.s").write_text("\n".join(lines))
        self.weft("asm", "wrong.s", "--into", "last.bmodel", "--unchecked", "-o", "wrong.bmodel")
        told = json.loads(self.weft(*compare, code=1))
        output = next(row for row in told["outputs"] if row["name"] == "last")
        self.assertEqual((told["bisection"]["stage"], told["bisection"]["cause"]), ("commands", "wrong address"))
        self.assertIn("third", [node["name"] for node in told["bisection"]["nodes"]])
        self.assertEqual(output["fresh"]["first"] % (24 * 16) if output["fresh"]["first"] >= 12 * 24 * 16 else -1, 0)

    def test_settings_of_fused_preprocessing(self):
        graph = network().graph
        graph.initializer[0].CopyFrom(numpy_helper.from_array(FILTERS[0][:, :3].copy(), "w0"))
        graph.input[0].CopyFrom(helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, 3, 24, 24]))
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), self.folder / "photo.onnx")
        np.save(self.folder / "photo.npy", RANDOM.integers(0, 256, size=(1, 3, 24, 24), dtype=np.uint8))
        self.weft("convert", "photo.onnx", "-o", "photo.bmodel", "--precision", "f16", "--fuse-preprocess", "--mean", "120,110,100", "--std", "64")
        options = json.loads(self.weft("info", "photo.bmodel", "--json"))["nets"][0]["conversion"]["options"]
        self.assertEqual(options["fuse-preprocess"], "mean=120,110,100 scale=0.015625")
        compare = ["compare", "photo.onnx", "photo.bmodel", "-i", "photo.npy", "--fuse-preprocess", "--bisect"]
        for same in (["--mean", "120,110,100", "--std", "64"], ["--mean", "120,110,100", "--scale", "0.015625"]):
            self.weft(*compare, *same)
        said = self.weft(*compare, "--mean", "100,110,120", "--std", "64", code=2)
        self.assertIn("photo.bmodel: was converted with --fuse-preprocess and mean=120,110,100 scale=0.015625; with --fuse-preprocess and "
                      "mean=100,110,120 scale=0.015625 it would be another program; give the numbers that it has in it, or convert it again", said)

    def test_differences_that_a_sample_does_not_show(self):
        """A weight times a channel that is zero on the sample."""
        self.weft("convert", "net.onnx", "-o", "small.bmodel", "--shape", "x=1x32x24x24", "--precision", "f16")
        empty = np.load(self.x)["x"]
        empty[:, 0] = 0
        np.savez(self.folder / "empty.npz", x=empty)
        filters = [array.copy() for array in FILTERS]
        filters[0][:, 0] *= 2
        onnx.save(network(filters), self.folder / "other.onnx")
        self.convert("other.onnx", "f16", "wrong.bmodel")
        program = self.folder / "wrong.bmodel" # which says that it is of the model, and is not
        program.write_bytes(program.read_bytes().replace(*(bytes.fromhex(digest(name, self.folder)) for name in ("other.onnx", "net.onnx"))))
        told = json.loads(self.weft("compare", "net.onnx", "wrong.bmodel", "-i", "empty.npz", "--bisect", "--json"))
        self.assertTrue(told["passed"])
        self.assertRegex(told["warnings"][0],
                         r"^the program differs from what its conversion gives \(\d+ constants?\), on this sample with the same values$")
        self.assertEqual((told["bisection"]["stage"], told["bisection"]["nodes"][0]["name"]), ("constants", "first"))
        self.weft("compare", "net.onnx", "wrong.bmodel", "-i", self.x, code=1)

    def test_another_models_program(self):
        for index, name in enumerate(("first", "second", "third")):
            for precision in ("f16", "int8"):
                filters = list(FILTERS)
                filters[index] = filters[index] * np.float32(1.01)
                onnx.save(network(filters), self.folder / "other.onnx")
                self.convert("other.onnx", precision, "wrong.bmodel")
                told = self.bisect("wrong.bmodel")
                found = told["bisection"]
                self.assertEqual((found["stage"], found["cause"]), ("model", "other model"))
                self.assertIn(name, [node["name"] for node in found["nodes"]])
                for text in (found["text"], told["reasons"][-1]):
                    self.assertIn(f"was converted from another model: of sha256 {digest('other.onnx', self.folder)[:16]}.., "
                                  f"net.onnx has {digest('net.onnx', self.folder)[:16]}..", text)

    def test_another_models_faults(self):
        """A fault in the program itself stays one, whatever the model was."""
        onnx.save(network([FILTERS[0], FILTERS[1] * np.float32(1.01), FILTERS[2]]), self.folder / "other.onnx")
        self.convert("other.onnx", "f16", "other.bmodel")
        self.changed("other.bmodel", ("tiu", "conv"), lambda line: re.sub(r"dep=\d+", "dep=0", line))
        self.assertEqual(self.bisect("wrong.bmodel")["bisection"]["cause"], "missing wait")

    def test_a_model_that_was_only_written_anew(self):
        model = network()
        model.producer_name = "another"
        onnx.save(model, self.folder / "anew.onnx")
        told = self.bisect("f16.bmodel", model="anew.onnx", code=0)
        self.assertEqual((told["passed"], len(told["warnings"])), (True, 1))
        self.assertIn("converted from another model", told["warnings"][0])
        self.weft("run", "f16.bmodel", "-i", self.x, "-o", "values.npz")
        told = json.loads(self.weft("compare", "anew.onnx", "f16.bmodel", "-i", self.x, "--reference", "values.npz", "--json"))
        self.assertIn("converted from another model", told["warnings"][-1])
        # A fault in the program might be the other model's; what differs is told all the same.
        line = self.changed("f16.bmodel", ("tiu", "opd0_up_pad=1"), moved_pad)
        found = self.bisect("wrong.bmodel", model="anew.onnx")["bisection"]
        self.assertEqual((found["cause"], found["command"]["expected"].split()), ("other model", line.partition(";")[0].split()))

    def test_the_digest_of_the_model(self):
        told = json.loads(self.weft("info", "f16.bmodel", "--json"))["nets"][0]["conversion"]
        self.assertEqual(told["model_sha256"], digest("net.onnx", self.folder))
        self.assertIn(told["model_sha256"], self.weft("info", "f16.bmodel"))
        # External data counts, in files by the order of their names.
        (self.folder / "parts").mkdir()
        model = network()
        for index, tensor in enumerate(model.graph.initializer):
            onnx.external_data_helper.set_external_data(tensor, f"{2 - index // 2}.bin")
        onnx.save(model, self.folder / "parts" / "net.onnx")
        # Each once, also under two spellings of its name.
        model = onnx.load(self.folder / "parts" / "net.onnx", load_external_data=False)
        next(entry for entry in model.graph.initializer[0].external_data if entry.key == "location").value = ".//2.bin"
        (self.folder / "parts" / "net.onnx").write_bytes(model.SerializeToString())
        for _ in range(2):
            self.convert("parts/net.onnx", "f16", "parts.bmodel")
            told = json.loads(self.weft("info", "parts.bmodel", "--json"))["nets"][0]["conversion"]
            self.assertEqual(told["model_sha256"], digest("net.onnx", self.folder / "parts", "1.bin", "2.bin"))
            self.bisect("parts.bmodel", model="parts/net.onnx", code=0)
            data = bytearray((self.folder / "parts" / "2.bin").read_bytes())
            data[3] ^= 1 # in the exponent of a weight
            (self.folder / "parts" / "2.bin").write_bytes(data)
            self.assertEqual(self.bisect("parts.bmodel", model="parts/net.onnx")["bisection"]["cause"], "other model")

    def test_records_of_older_versions_have_no_digest(self):
        data, told = (self.folder / "f16.bmodel").read_bytes(), bytes.fromhex(digest("net.onnx", self.folder))
        at = data.index(told) - 4
        (self.folder / "old.bmodel").write_bytes(data[:at] + bytes(4) + data[at + 4:])
        info = json.loads(self.weft("info", "old.bmodel", "--json"))["nets"][0]["conversion"]
        self.assertEqual(info["model_sha256"], "")
        self.assertEqual(self.bisect("old.bmodel", code=0)["warnings"], [])
        (self.folder / "old.bmodel").write_bytes(data[:at] + b"\x1f" + data[at + 1:])
        self.assertIn("conversion.model_sha256 has 31 bytes, must have none or 32", self.weft("info", "old.bmodel", code=2))

    def test_what_the_conversion_loses(self):
        (self.folder / "poor.table").write_text(re.sub(r"(?m)^(r0 ).*", r"\g<1>0.05 0 0.05 0 0.05", (self.folder / "net.table").read_text()))
        self.weft("convert", "net.onnx", "-o", "poor.bmodel", "--shape", "x=1x32x24x24", "--precision", "int8", "--calibration", "poor.table",
                  "--keep-int8")
        told = self.bisect("poor.bmodel")
        found = told["bisection"]
        self.assertEqual((found["stage"], found["cause"], found["nodes"][0]["name"]), ("conversion", "saturation", "first"))
        self.assertEqual({row["exact"]["unequal"] for row in told["layers"]}, {0})

    def test_reproducer(self):
        self.changed("f16.bmodel", ("tiu", "conv", "node 'second'"), moved_pad)
        said = self.weft("compare", "net.onnx", "wrong.bmodel", "-i", self.x, "--bisect", "--reproducer", "small.onnx", code=1)
        self.assertRegex(said, r"reproducer: small.onnx: [12] of 5 nodes, \d+ bytes")
        small = onnx.load(self.folder / "small.onnx").graph
        self.assertEqual([node.name for node in small.node][0], "second")
        self.assertEqual([dim.dim_value for dim in small.input[0].type.tensor_type.shape.dim], [1, 64, 24, 24])
        self.weft("convert", "small.onnx", "-o", "small.bmodel", "--precision", "f16") # needs no --shape

    def test_sets(self):
        self.changed("f16.bmodel", ("tiu", "conv", "opd0_up_pad=1"), moved_pad)
        told = json.loads(self.weft("compare", "net.onnx", "wrong.bmodel", "--data", "samples", "--bisect", "--json", code=1))
        self.assertEqual((told["samples"], told["bisection"]["cause"]), (4, "wrong pad"))

    def test_several_stages(self):
        self.weft("convert", "net.onnx", "-o", "stages.bmodel", "--shape", "x=(1..2)x32x24x24", "--precision", "f16")
        self.assertEqual(self.bisect("stages.bmodel", code=0)["bisection"]["stage"], "none")
        line = self.changed("stages.bmodel", ("tiu", "conv", "opd0_up_pad=1"), moved_pad)
        found = self.bisect("wrong.bmodel")["bisection"]
        self.assertEqual((found["cause"], found["command"]["expected"].split()), ("wrong pad", line.partition(";")[0].split()))

    def test_programs_that_do_not_tell(self):
        self.convert("net.onnx", "f16", "bare.bmodel", "--strip")
        self.assertIn("no debug map", self.weft("compare", "net.onnx", "bare.bmodel", "-i", self.x, "--bisect", code=2))
        self.assertIn("says nothing of its conversion", self.weft("compare", "net.onnx", "bare.bmodel", "-i", self.x))
        info = json.loads(self.weft("info", "bare.bmodel", "--json"))
        self.assertIsNone(info["nets"][0]["conversion"])

    def test_the_record(self):
        conversion = json.loads(self.weft("info", "int8.bmodel", "--json"))["nets"][0]["conversion"]
        self.assertEqual({key: conversion["options"][key] for key in ("precision", "keep-int8")}, {"precision": "int8", "keep-int8": "1"})
        self.assertNotIn("O", conversion["options"]) # a default
        self.assertEqual((conversion["calibration"], conversion["calibration_kept"]), (True, True))
        self.assertIn("precision=int8", self.weft("info", "int8.bmodel"))

    def test_tables_that_are_too_long(self):
        table = (self.folder / "net.table").read_text()
        (self.folder / "long.table").write_text(table + "# a remark of many words\n" * 12000)
        self.weft("convert", "net.onnx", "-o", "long.bmodel", "--shape", "x=1x32x24x24", "--precision", "int8", "--calibration", "long.table",
                  "--keep-int8")
        told = self.bisect("long.bmodel", code=0)
        self.assertIn("--calibration TABLE", told["warnings"][0])
        self.assertEqual(self.bisect("long.bmodel", "--calibration", "long.table", code=0)["warnings"], [])
        said = self.weft("compare", "net.onnx", "long.bmodel", "-i", self.x, "--calibration", "net.table", code=2)
        self.assertIn("is not the table that long.bmodel was converted with", said)

    def test_options_that_do_not_fit(self):
        for arguments, text in ((["net.onnx", "f16.bmodel", "--reproducer", "r.onnx"], "--reproducer is for --bisect"),
                                (["f16.bmodel", "f16.bmodel", "--bisect"], "needs the ONNX model"),
                                (["net.onnx", "f16.bmodel", "--bisect", "--reference", self.x], "needs the ONNX model"),
                                (["net.onnx", "f16.bmodel", "--bisect", "--reproducer", "none/r.onnx"], "none/r.onnx")):
            self.assertIn(text, self.weft("compare", *arguments, "-i", self.x, code=2))

    def test_inputs_of_codes(self):
        """Of --quantized-io: the exact evaluator takes the codes that the device makes of reals."""
        self.convert("net.onnx", "int8", "codes.bmodel", "--quantized-io")
        self.assertIn(" i8 ", self.weft("info", "codes.bmodel"))
        told = self.bisect("codes.bmodel", code=0)
        self.assertEqual(({row["exact"]["unequal"] for row in told["layers"]}, told["warnings"]), ({0}, []))

    def test_tables_without_a_line_end(self):
        (self.folder / "short.yaml").write_text("ops:\n  r0: f32")
        self.convert("net.onnx", "f16", "table.bmodel", "--precision-table", "short.yaml")
        self.assertEqual(self.bisect("table.bmodel", code=0)["warnings"], [])

    def test_another_graph(self):
        """A model that the program's options do not fit is no error of Weft."""
        other = network()
        other.graph.node[0].output[0] = other.graph.node[1].input[0] = "renamed"
        other.graph.node[1].output[0] = other.graph.node[2].input[0] = "renamed_too"
        other.graph.node[3].output[0] = other.graph.node[4].input[0] = "renamed_last"
        onnx.save(other, self.folder / "renamed.onnx")
        (self.folder / "named.yaml").write_text("ops:\n  r0: f32\n")
        self.convert("net.onnx", "f16", "named.bmodel", "--precision-table", "named.yaml")
        told = self.bisect("named.bmodel", code=0, model="renamed.onnx")
        self.assertIn("not compared bit by bit", " ".join(told["warnings"]))

    def test_what_is_compared_is_not_overwritten(self):
        for target in ("net.onnx", "f16.bmodel"):
            said = self.weft("compare", "net.onnx", "f16.bmodel", "-i", self.x, "--bisect", "--reproducer", target, code=2)
            self.assertIn("--reproducer would overwrite what is compared", said)
        shutil.copy(self.x, self.folder / "own.npz")
        (self.folder / "own").mkdir()
        shutil.copy(self.x, self.folder / "own" / "one.npz")
        compare, before = ("compare", "net.onnx", "f16.bmodel"), (self.folder / "own.npz").read_bytes()
        for given, target, what in ((["-i", "own.npz"], "own.npz", "a sample"), (["--data", "own"], "own/one.npz", "a sample"),
                                    (["-i", self.x, "--reference", "own.npz"], "own.npz", "the file of --reference")):
            said = self.weft(*compare, *given, "--html", target, code=2)
            self.assertIn(f"{target}: --html would overwrite {what}; name another file", said)
            self.assertEqual((self.folder / target).read_bytes(), before)
        said = self.weft("calibrate", "net.onnx", "--data", "own", "-o", "own/one.npz", "--shape", "x=1x32x24x24", code=2)
        self.assertIn("own/one.npz: --output would overwrite a sample; name another file", said)
        said = self.weft("convert", "net.onnx", "--calibration-data", "own", "--precision", "int8", "-o", "own/one.npz", "--shape", "x=1x32x24x24", code=2)
        self.assertIn("own/one.npz: --output would overwrite a sample; name another file", said)
        self.assertEqual((self.folder / "own" / "one.npz").read_bytes(), before)

    def test_a_layer_that_the_model_does_not_have(self):
        """Nothing can be said of it, and that is no pass."""
        model = network()
        model.graph.node[1].output[0] = model.graph.node[2].input[0] = "an_inner_value"
        onnx.save(model, self.folder / "inner.onnx")
        self.convert("inner.onnx", "f16", "inner.bmodel")
        program = (self.folder / "inner.bmodel").read_bytes()
        self.assertTrue(b"an_inner_value" in program)
        (self.folder / "inner.bmodel").write_bytes(program.replace(b"an_inner_value", b"no_inner_value"))
        self.weft("compare", "inner.onnx", "inner.bmodel", "-i", self.x)
        said = self.weft("compare", "inner.onnx", "inner.bmodel", "-i", self.x, "--per-layer", code=1)
        self.assertIn("'no_inner_value': the reference has no value of this name", said)

    def test_the_manual_lists_every_stage_and_cause(self):
        table = (pathlib.Path(__file__).resolve().parents[2] / "tools" / "weft" / "BisectionTables.def").read_text()
        keys = re.findall(r'^WEFT_\w+\((?!None)\w+, "([^"]+)"', table, re.M)
        self.assertGreater(len(keys), 20)
        manual = MANUAL.read_text()
        self.assertEqual([key for key in keys if f"`{key}`" not in manual], [])


if __name__ == "__main__":
    sys.argv[1:] = []
    unittest.main()

#!/usr/bin/env python3
"""Whatever ends weft leaves no temporary, no half file and no child.

  interrupt_test.py WEFT
"""
import os
import pathlib
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

import numpy as np
import onnx
from onnx import TensorProto, helper

WEFT = str(pathlib.Path(sys.argv[1]).resolve())
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGQUIT, signal.SIGHUP)
LONG = 60  # seconds, of a loaded machine


def relu(path, shape):
    x, y = (helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "relu", [x], [y])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)


class Base(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.temporary, self.out = self.folder / "scratch", self.folder / "out"
        self.temporary.mkdir()
        self.out.mkdir()
        relu(self.folder / "net.onnx", [1, 4])
        np.savez(self.folder / "in.npz", x=np.array([[1, -2, 3, -4]], np.float32))
        self.weft("convert", "net.onnx", "-o", "net.bmodel")

    def start(self, *arguments, **more):
        # A core of the test's own would be of no use to anybody.
        return subprocess.Popen([WEFT, *map(str, arguments)], cwd=self.folder, env=dict(os.environ, TMPDIR=str(self.temporary)),
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)), **more)

    def weft(self, *arguments, code=0, **more):
        process = self.start(*arguments, **more)
        error = process.communicate(timeout=LONG)[1].decode()
        self.assertEqual(process.returncode, code, error)
        return error


class Interrupt(Base):
    def wait_for(self, condition):
        end = time.monotonic() + LONG
        while not condition():
            self.assertLess(time.monotonic(), end)
            time.sleep(.01)

    def end_while_a_child_runs(self, sent, arguments):
        """The child says its process id, then sleeps."""
        said = self.folder / "pid"
        said.unlink(missing_ok=True)
        process = self.start(*arguments(f"echo $$ > '{said}.new'; mv '{said}.new' '{said}'; sleep 300; echo 1; true"))
        self.wait_for(said.exists)
        self.assertNotEqual(list(self.temporary.iterdir()), [])
        process.send_signal(sent)
        process.communicate(timeout=LONG)
        self.assertEqual(process.returncode, -sent)
        self.assertEqual(list(self.temporary.iterdir()), [])
        self.assertEqual(list(self.out.iterdir()), [])
        child = pathlib.Path(f"/proc/{int(said.read_text())}")
        self.wait_for(lambda: not child.exists())

    def test_a_check_of_reduce(self):
        for sent in SIGNALS:
            with self.subTest(sent):
                self.end_while_a_child_runs(sent, lambda command: ["reduce", "net.onnx", "--check", command + "; : {}", "-o", self.out / "small.onnx"])

    def test_a_score_of_compare(self):
        for sent in SIGNALS:
            with self.subTest(sent):
                self.end_while_a_child_runs(sent, lambda command: ["compare", "net.onnx", "net.bmodel", "--input", "in.npz", "--html",
                                                                   self.out / "page.html", "--score", command + "; : {}"])

    def test_a_child_that_does_not_listen(self):
        self.end_while_a_child_runs(signal.SIGTERM, lambda command: ["reduce", "net.onnx", "-o", self.out / "small.onnx", "--check",
                                                                     "trap '' TERM; " + command + "; : {}"])

    def test_a_signal_that_is_ignored_stays_so(self):
        """As under nohup."""
        said = self.folder / "begun"
        process = subprocess.Popen(["nohup", WEFT, "reduce", "net.onnx", "--check", f"touch '{said}'; sleep 1; exit 3 {{}}", "-o", self.out / "small.onnx",
                                    "--max-checks", "1"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        self.wait_for(said.exists)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(LONG), 0)

    def has_nameless_files(self):
        try:
            os.close(os.open(self.out, os.O_TMPFILE | os.O_WRONLY))
            return True
        except OSError:
            return False

    def test_outputs_are_whole_or_not_there(self):
        """The output has 32 MB: some of the signals come while it is written. An older file stays as it was."""
        shape = [1, 32, 512, 512]
        relu(self.folder / "large.onnx", shape)
        self.weft("convert", "large.onnx", "-o", "large.bmodel")
        np.savez(self.folder / "large.npz", x=np.ones(shape, np.float32))
        # SIGKILL, which nobody can handle, leaves nothing where files need no name while they are written.
        signals = [*SIGNALS, signal.SIGKILL] if self.has_nameless_files() else SIGNALS
        output, ended = self.out / "y.npz", set()
        for i in range(25):
            before = b"an older file" if i % 2 else None
            output.unlink(missing_ok=True)
            if before:
                output.write_bytes(before)
            process = self.start("run", "large.bmodel", "--input", "large.npz", "--output", output)
            time.sleep(.02 + .03 * i)
            process.send_signal(signals[i % len(signals)])
            process.communicate(timeout=LONG)
            ended.add(process.returncode)
            self.assertIn(process.returncode, (0, -signals[i % len(signals)]))
            self.assertLessEqual(set(self.out.iterdir()), {output})
            if output.exists() and (before is None or output.read_bytes()[:13] != before):
                self.assertIsNone(zipfile.ZipFile(output).testzip())
            elif before:
                self.assertTrue(output.exists())
        self.assertNotEqual(ended, {0}, "no signal came in time")


class Files(Base):
    """What may be written, and where."""

    def as_a_user(self):
        """Arguments for a process that is not root's, for whom permissions mean nothing."""
        if os.geteuid() != 0:
            return {}
        for path in (self.folder, self.out, self.temporary):
            os.chmod(path, 0o777)
        return {"user": 65534, "group": 65534, "extra_groups": []}

    def test_a_file_that_is_read_only_is_kept(self):
        user, output = self.as_a_user(), self.out / "y.npz"
        output.write_bytes(b"precious")
        if user:
            os.chown(output, 65534, 65534)
        output.chmod(0o444)
        run = ["run", "net.bmodel", "--input", "in.npz", "--output", output]
        says = f"weft: error: {output}: cannot write: the file is read-only (Permission denied); allow writing to it or name another file\n"
        self.assertEqual(self.weft(*run, code=2, **user), says)
        self.assertEqual(self.weft("convert", "net.onnx", "-o", output, code=2, **user), says)
        self.assertEqual(output.read_bytes(), b"precious")
        output.chmod(0o644)
        self.weft(*run, **user)
        self.assertEqual(np.load(output)["y"].shape, (1, 4))
        self.assertEqual(output.stat().st_mode & 0o777, 0o644)

    def test_inputs_are_no_outputs(self):
        (self.folder / "plain.yaml").write_text("mean: 0\n")
        np.savez(self.folder / "bound.npz", x=np.ones((1, 4), np.float32))
        (self.folder / "link").symlink_to("net.onnx")
        convert, compare = ("convert", "net.onnx"), ("compare", "net.onnx", "net.bmodel", "--input", "in.npz")
        for command, option, target, what in ((convert, "--output", "net.onnx", "the model"), (convert, "--output", "link", "the model"),
                                              ((*convert, "--bind", "x=bound.npz"), "--output", "bound.npz", "a file of --bind"),
                                              ((*convert, "-O3", "--output", "y.bmodel"), "--search-cache", "net.onnx", None),
                                              (("reduce", "net.onnx", "--check", "false"), "--output", "net.onnx", "the model"),
                                              (("calibrate", "net.onnx", "--data", "."), "--output", "net.onnx", "the model"),
                                              (("calibrate", "net.onnx", "--data", "."), "--output", "in.npz", "a sample"),
                                              ((*compare, "--preprocess", "plain.yaml"), "--html", "plain.yaml", "the file of --preprocess"),
                                              (("run", "net.bmodel", "--input", "in.npz"), "--output", "net.bmodel", "the model"),
                                              (("profile", "net.bmodel"), "--html", "net.bmodel", "the model")):
            before = (self.folder / target).read_bytes()
            error = self.weft(*command, option, target, code=2)
            self.assertEqual(error.count("\n"), 1)
            if what:
                self.assertEqual(error, f"weft: error: {target}: {option} would overwrite {what}; name another file\n")
            self.assertEqual((self.folder / target).read_bytes(), before)

    def test_a_temporary_folder_that_takes_nothing(self):
        """One line, whoever needs it."""
        self.temporary.rmdir()
        where = r"^weft: error: cannot make a temporary (file|folder) in \S+/scratch: No such file or directory; let TMPDIR name another folder\n$"
        (self.folder / "k.cpp").write_text("int x;\n")
        for command in (["reduce", "net.onnx", "--check", "false {}", "-o", "small.onnx"], ["ppl", "test", "k.cpp"],
                        ["compare", "net.onnx", "net.bmodel", "--input", "in.npz", "--score", "echo 1; : {}"],
                        ["compare", "net.onnx", "net.bmodel", "--input", "in.npz", "--reference", "onnxruntime"]):
            self.assertRegex(self.weft(*command, code=2), where)

    def test_a_temporary_folder_that_is_full(self):
        limit = 100  # bytes of a file
        def preexec():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
        run = subprocess.run([WEFT, "compare", "net.onnx", "net.bmodel", "--input", "in.npz", "--score", "echo 1; : {}"], cwd=self.folder, text=True,
                             env=dict(os.environ, TMPDIR=str(self.temporary)), capture_output=True, preexec_fn=preexec, restore_signals=False)
        self.assertEqual(run.returncode, 2)
        self.assertRegex(run.stderr, r"^weft: error: \S+/scratch/weft-outputs-\S+\.npz: cannot write: File too large; let TMPDIR name another folder\n$")
        self.assertEqual(list(self.temporary.iterdir()), [])

    def pipe(self, file, *arguments, code=0):
        with open(self.folder / file, "rb") as given:
            # A pipe: nothing that could be read twice.
            run = subprocess.run([WEFT, *map(str, arguments)], cwd=self.folder, input=given.read(), env=dict(os.environ, TMPDIR=str(self.temporary)),
                                 capture_output=True, timeout=LONG)
        self.assertEqual(run.returncode, code, run.stderr)
        self.assertEqual(list(self.temporary.iterdir()), [])
        return run.stdout if code == 0 else run.stderr.decode()

    def test_stdin_by_its_name(self):
        """Not by that of the file in which it is kept."""
        (self.folder / "bad.table").write_text("no table\n")
        for arguments in (["--precision", "int8", "--calibration", "-"], ["--bind", "x=-"]):
            told = self.pipe("bad.table", "convert", "net.onnx", *arguments, "-o", "other.bmodel", code=2)
            self.assertRegex(told, r"^weft: error: (--bind: )?stdin: ?")
            self.assertNotIn(str(self.temporary), told)

    def test_stdout_by_its_name(self):
        """What lies behind it is written on, not replaced."""
        self.weft("run", "net.bmodel", "--input", "in.npz", "--output", "a.npz")
        expected = (self.folder / "a.npz").read_bytes()
        log = self.folder / "log"
        for name in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"):
            log.write_bytes(b"before")
            with open(log, "ab") as output:
                subprocess.run([WEFT, "run", "net.bmodel", "--input", "in.npz", "--output", name], cwd=self.folder, stdout=output, check=True)
            self.assertTrue(log.read_bytes().startswith(b"before" + expected), name)

    def test_a_link_to_nothing(self):
        (self.folder / "link.npz").symlink_to("out/new.npz")
        self.weft("run", "net.bmodel", "--input", "in.npz", "--output", "link.npz")
        self.assertTrue((self.folder / "link.npz").is_symlink())
        self.assertTrue(zipfile.ZipFile(self.out / "new.npz").namelist())

    def test_stdin_in_place_of_a_file(self):
        program = (self.folder / "net.bmodel").read_bytes()
        self.assertEqual(self.pipe("net.onnx", "convert", "-", "-o", "-"), program)
        self.pipe("net.bmodel", "run", "-", "--input", "in.npz", "--output", "a.npz")
        for given in ("-", "x=-"):
            self.assertEqual(self.pipe("in.npz", "run", "net.bmodel", "--input", given, "--output", "-"), (self.folder / "a.npz").read_bytes())
        for command in ("info", "disasm", "profile", "explain"):
            told = self.pipe("net.bmodel", command, "-")
            self.assertEqual(told.replace(b"stdin", b"net.bmodel").count(b"net.bmodel"), told.count(b"stdin"))
        self.pipe("in.npz", "compare", "net.onnx", "net.bmodel", "--input", "-")
        self.pipe("net.onnx", "compare", "-", "net.bmodel", "--input", "in.npz")
        self.assertRegex(self.pipe("in.npz", "convert", "-", "-o", "y.bmodel", code=2), r"^weft: error: stdin: ")
        self.pipe("a.npz", "compare", "net.onnx", "net.bmodel", "--input", "in.npz", "--reference", "-")
        # Tables; the same program as from the file of the same text.
        (self.folder / "table").write_text("# weft calibration table 2\nx 4 -4 4 -4 4\ny 4 0 4 0 4\n")
        (self.folder / "ops").write_text("ops:\n  y: f32\n")
        (self.folder / "mean").write_text("mean: 3\n")
        for option, file, more in (("--calibration", "table", ["--precision", "f16"]), ("--precision-table", "ops", ["--precision", "f16"]),
                                   ("--bind", "in.npz", [])):
            name = "x=" if option == "--bind" else ""
            self.weft("convert", "net.onnx", *more, option, name + file, "-o", "file.bmodel")
            self.assertEqual(self.pipe(file, "convert", "net.onnx", *more, option, name + "-", "-o", "-"), (self.folder / "file.bmodel").read_bytes())
        said = self.pipe("mean", "run", "net.bmodel", "--input", "in.npz", "--preprocess", "-", "--output", "b.npz", code=2)
        self.assertIn("preprocess", said)
        self.assertRegex(self.pipe("in.npz", "run", "-", "--input", "-", "-o", "y.npz", code=2), r"stdin is given for two files; it can be read once")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

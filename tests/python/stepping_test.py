#!/usr/bin/env python3
"""Stepping through kernels in Python: what tensors hold at a line, by a function that is called and with pdb.

  stepping_test.py PYTHON_FOLDER NATIVE_FOLDER
"""
import os
import pathlib
import subprocess
import sys
import unittest
import unittest.mock

import numpy as np

sys.path.insert(0, sys.argv[1])
os.environ["WEFT_NATIVE_DIR"] = sys.argv[2]
os.environ.pop("PYTHONBREAKPOINT", None)
PYTHON = pathlib.Path(sys.argv[1])
del sys.argv[1:3]
import ppl  # noqa: E402
import ppl.language as pl  # noqa: E402

random = np.random.default_rng(20261129)


@ppl.jit
def scaled(y, x, n, block):
    for i in range(0, n, block):
        pl.enable_pipeline()
        part = slice(i, min(n, i + block))
        a = pl.dma.load(pl.gtensor([1, 4, 1, n], pl.GLOBAL, x)[..., part])
        b = a * a
        pl.breakpoint()
        a += b
        pl.dma.store(pl.gtensor([1, 4, 1, n], pl.GLOBAL, y)[..., part], a)


def line_of(text):
    """Of the kernel above."""
    lines = pathlib.Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.strip() == text)


class Stepping(unittest.TestCase):
    def setUp(self):
        self.x = random.standard_normal((4, 10)).astype(np.float32)
        self.y = np.zeros_like(self.x)

    def test_every_operation(self):
        stops, seen = [], []

        def hook(stop):
            stops.append((stop.function, stop.source))
            if stop.function == "tiu.fmul":
                seen.append(stop.operands["dst"].copy())
                np.testing.assert_array_equal(stop.operands["src0"], stop.values["a"])
                self.assertEqual(set(stop.values), {"a"} | ({"b"} if len(seen) > 1 else set()))
        launch = scaled.debug(hook)[(1,)](self.y, self.x, 10, 6)
        np.testing.assert_array_equal(self.y, self.x + self.x * self.x)
        one_round = [("dma.load", "a = pl.dma.load(pl.gtensor([1, 4, 1, n], pl.GLOBAL, x)[..., part])"), ("tiu.fmul", "b = a * a"),
                     (None, "pl.breakpoint()"), ("tiu.fadd", "a += b"),
                     ("dma.store", "pl.dma.store(pl.gtensor([1, 4, 1, n], pl.GLOBAL, y)[..., part], a)")]
        self.assertEqual(stops, one_round * 2)
        for values, part in zip(seen, (slice(0, 6), slice(6, 10))):
            np.testing.assert_array_equal(values[0, :, 0], self.x[:, part] ** 2)
        # The program is the one that a launch without stops makes.
        with unittest.mock.patch.dict(os.environ, PYTHONBREAKPOINT="0"):
            plain = scaled[(1,)](np.zeros_like(self.x), self.x, 10, 6)
        self.assertEqual(launch.bmodel(), plain.bmodel())

    def test_breakpoints_only(self):
        stops = []
        scaled.debug(stops.append, step=False)[(1,)](self.y, self.x, 10, 4)
        self.assertEqual([(stop.function, stop.line, stop.core) for stop in stops], [(None, line_of("pl.breakpoint()"), 0)] * 3)
        self.assertEqual([stop.locals["i"] for stop in stops], [0, 4, 8])

    def test_resume_and_step(self):
        functions = []

        def hook(stop):
            functions.append(stop.function)
            if stop.function == "tiu.fmul":
                stop.resume()
            elif stop.function is None and stop.locals["i"] == 4:
                stop.step()
        scaled.debug(hook)[(1,)](self.y, self.x, 8, 4)
        self.assertEqual(functions, ["dma.load", "tiu.fmul", None, None, "tiu.fadd", "dma.store"])

    def test_values_live_on(self):
        """A tensor keeps its values behind its last use, where another may lie by then."""
        found = []

        @ppl.jit
        def kernel(y, x):
            first = pl.dma.load(pl.gtensor([1, 64, 1, 30000], pl.GLOBAL, x))
            second = first * 2.0
            third = second * 2.0
            pl.dma.store(pl.gtensor([1, 64, 1, 30000], pl.GLOBAL, y), third)
            pl.breakpoint()
        x = random.standard_normal((64, 30000)).astype(np.float32)
        y = np.zeros_like(x)
        kernel.debug(lambda stop: found.append(stop.values), step=False)[(1,)](y, x)
        for name, factor in (("first", 1), ("second", 2), ("third", 4)):
            np.testing.assert_array_equal(found[0][name].reshape(x.shape), x * factor)
        np.testing.assert_array_equal(y, x * 4)

    def test_views_types_and_memories(self):
        found = {}

        @ppl.jit
        def kernel(y, x):
            source = pl.gtensor([1, 3, 2, 8], pl.GLOBAL, x)
            t = pl.dma.load(source)
            part = t[:, 1:, :, 2:5]
            h = pl.tiu.cast(t, type=pl.float16)
            bits = t.view(dtype=pl.int32)
            target = pl.gtensor([1, 3, 2, 8], pl.GLOBAL, y)
            pl.dma.store(target, t)
            pl.breakpoint()
        x = random.standard_normal((3, 2, 8)).astype(np.float32)
        y = np.zeros_like(x)
        kernel.debug(lambda stop: found.update(stop.values), step=False)[(1,)](y, x)
        for name, wanted in {"source": x, "t": x, "part": x[1:, :, 2:5], "h": x.astype(np.float16), "bits": x.view(np.int32), "target": x}.items():
            np.testing.assert_array_equal(found[name][0], wanted)
            self.assertEqual(found[name].dtype, wanted.dtype)

    def test_where_tensors_lie(self):
        """In L2, in other layouts than the first, in parts that begin in another lane, two elements a byte."""
        found = {}

        @ppl.jit
        def kernel(y, x, codes):
            shape = [1, 70, 2, 3]
            shared = pl.gtensor(shape, pl.L2, dtype=pl.float32)
            pl.sdma.move(shared, pl.gtensor(shape, pl.GLOBAL, x))
            compact = pl.make_tensor(shape, pl.float32, align_mode=pl.TPU_COMPACT)
            rows = pl.make_tensor(shape, pl.float32, align_mode=pl.TPU_ROW_ALIGN)
            pl.dma.load(compact, shared)
            pl.dma.load(rows, shared)
            part = rows[:, 5:69, 1:, 1:]
            view = part[:, 60:]  # across the last lane
            pl.tiu.fadd(part, part, 1.0)
            small = pl.dma.load(pl.gtensor([1, 70, 1, 7], pl.GLOBAL, codes)).view(shape=[1, 70, 1, 14], dtype=pl.int4)
            pl.breakpoint()
            pl.dma.store(pl.gtensor(shape, pl.GLOBAL, y), rows)
        x = random.standard_normal((70, 2, 3)).astype(np.float32)
        codes = random.integers(-128, 128, (70, 7)).astype(np.int8)
        halves = np.stack([codes << 4 >> 4, codes >> 4], -1).reshape(70, 1, 14)
        y = np.zeros_like(x)
        kernel.using(chip="bm1690").debug(lambda stop: found.update(stop.values), step=False)[(1,)](y, x, codes)
        added = x.copy()
        added[5:69, 1:, 1:] += np.float32(1)
        for name, wanted in {"shared": x, "compact": x, "rows": added, "part": added[5:69, 1:, 1:], "view": added[65:69, 1:, 1:], "small": halves}.items():
            np.testing.assert_array_equal(found[name][0], wanted, name)
        np.testing.assert_array_equal(y, added)

    def test_unwritten_elements(self):
        """They look like no values: zeros would hide the fault that is looked for."""
        found = {}

        @ppl.jit
        def kernel(y, x):
            floats = pl.make_tensor([1, 4, 1, 10], pl.float32)
            halves = pl.make_tensor([1, 4, 1, 10], pl.float16)
            codes = pl.make_tensor([1, 4, 1, 10], pl.int8)
            scratch = pl.gtensor([1, 4, 1, 10], pl.L2, dtype=pl.float32)
            pl.dma.load(floats[..., :4], pl.gtensor([1, 4, 1, 10], pl.GLOBAL, x)[..., :4])
            total = floats + 1.0
            pl.breakpoint()
            pl.dma.store(pl.gtensor([1, 4, 1, 10], pl.GLOBAL, y), total)
        kernel.using(chip="bm1690").debug(lambda stop: found.update(stop.values), step=False)[(1,)](self.y, self.x)
        np.testing.assert_array_equal(found["floats"][0, :, 0, :4], self.x[:, :4])
        for values in (found["floats"][..., 4:], found["total"][..., 4:], found["halves"], found["scratch"]):
            self.assertTrue(np.all(np.isnan(values)))
        self.assertTrue(np.all(found["codes"] == -1))
        np.testing.assert_array_equal(found["total"][0, :, 0, :4], self.x[:, :4] + np.float32(1))

    def test_memory_that_does_not_fit(self):
        """The error of a plain launch, wherever it is found."""
        def kernel(y, x, block):
            t = pl.make_tensor([1, 64, 1, block], pl.float32)
            pl.dma.load(t[..., :8], pl.gtensor([1, 64, 1, 8], pl.GLOBAL, x))
            u = t + 1.0
            v = t * u
            pl.dma.store(pl.gtensor([1, 64, 1, 8], pl.GLOBAL, y), v[..., :8])
        x = random.standard_normal((64, 8)).astype(np.float32)
        y = np.zeros_like(x)
        plain = ppl.jit(kernel)
        stepped = plain.debug(lambda stop: stop.values)
        # One tensor is too large; two at once are.
        for block in (65535, 40000):
            for launched in (plain, stepped):
                with self.assertRaisesRegex(ppl.OutOfMemory, "local memory is too small: .* of each lane, there are 262144; .*make its block smaller") as raised:
                    launched[(1,)](y, x, block)
                self.assertEqual(raised.exception.errorCode, 0x11)
        small = ppl.autotiling({"block": lambda values: values["block"] // 2})(ppl.jit(kernel))
        self.assertEqual(small.debug(lambda stop: None)[(1,)](y, x, 65535).errorCode, 0)
        np.testing.assert_array_equal(y, x * (x + np.float32(1)))

        @ppl.jit
        def in_place(y, x):
            shape = [1, 64, 1, 40000]
            t = pl.dma.load(pl.gtensor(shape, pl.GLOBAL, x))
            pl.dma.store(pl.gtensor(shape, pl.GLOBAL, y), t + 1.0)
        x = random.standard_normal((64, 40000)).astype(np.float32)
        y = np.zeros_like(x)
        # The sum lies in the place of its source.
        in_place.debug(lambda stop: None)[(1,)](y, x)
        np.testing.assert_array_equal(y, x + np.float32(1))

    def test_layouts_that_a_later_call_decides(self):
        """What a tensor holds follows it to its new layout."""
        found = []

        def kernel(y, x, s):
            shifts = pl.make_tensor([1, 130, 1, 1], pl.int8, align_mode=-1)
            pl.dma.load(shifts, pl.gtensor([1, 130, 1, 1], pl.GLOBAL, s))
            t = pl.dma.load(pl.gtensor([1, 130, 1, 5], pl.GLOBAL, x))
            pl.tiu.add(t, t, 1, shifts, pl.RM_DOWN, False)
            pl.dma.store(pl.gtensor([1, 130, 1, 5], pl.GLOBAL, y), t)
        s = (np.arange(130) % 5).astype(np.int8)
        x = random.integers(-1000, 1000, (130, 5)).astype(np.int32)
        y, stepped = np.zeros_like(x), np.zeros_like(x)
        plain = ppl.jit(kernel)[(1,)](y, x, s)
        np.testing.assert_array_equal(y, (x + 1) << s[:, None])
        launch = ppl.jit(kernel).debug(lambda stop: found.append((stop.function, stop.values)))[(1,)](stepped, x, s)
        np.testing.assert_array_equal(stepped, y)
        self.assertEqual(launch.bmodel(), plain.bmodel())
        for function, values in found[1:]:
            np.testing.assert_array_equal(values["shifts"].ravel(), s)
            if function in ("tiu.add", "dma.store"):
                np.testing.assert_array_equal(values["t"][0, :, 0], y)

        def viewed(y, x, s):
            shifts = pl.make_tensor([1, 130, 1, 1], pl.int8, align_mode=-1)
            pairs = shifts.view(shape=[1, 65, 1, 2])  # in the first layout with gaps between them
            pl.dma.load(shifts, pl.gtensor([1, 130, 1, 1], pl.GLOBAL, s))
            t = pl.dma.load(pl.gtensor([1, 130, 1, 5], pl.GLOBAL, x))
            pl.tiu.add(t, t, 1, shifts, pl.RM_DOWN, False)
            pl.dma.store(pl.gtensor([1, 130, 1, 5], pl.GLOBAL, y), t)
        ppl.jit(viewed)[(1,)](stepped, x, s)
        np.testing.assert_array_equal(stepped, y)
        with self.assertRaisesRegex(ppl.PplError, "a view of it holds other values; give it a layout to step through this kernel"):
            ppl.jit(viewed).debug(lambda stop: None)[(1,)](stepped, x, s)

    def test_wrappers(self):
        """What the interpreter gives at once are the bytes that the program gives in the end."""
        stops, stored = [], []

        def hook(stop):
            stops.append(stop.function)
            if stop.function == "dma.store":
                stored.append(stop.operands["src"][0])

        @ppl.jit
        def kernel(y, x):
            t = pl.dma.load(pl.gtensor([1, 5, 2, 9], pl.GLOBAL, x))
            made = pl.sigmoid_fp32(pl.fexp(t) - pl.fsin(t))
            pl.dma.store(pl.gtensor([1, 5, 2, 9], pl.GLOBAL, y), made)
        x = random.standard_normal((5, 2, 9)).astype(np.float32)
        y = np.zeros_like(x)
        kernel.debug(hook)[(1,)](y, x)
        self.assertEqual(stops, ["dma.load", "fexp", "fsin", "tiu.fsub", "sigmoid_fp32", "dma.store"])
        np.testing.assert_array_equal(y, stored[0])
        self.assertGreater(np.abs(y).max(), 0.1)

    def test_mistakes(self):
        @ppl.jit
        def kernel(y, x):
            t = pl.dma.load(pl.gtensor([1, 4, 1, 10], pl.GLOBAL, x))
            t.numpy()
        with self.assertRaisesRegex(ppl.PplTypeError, r"stepping_test.py:\d+: tensor.* has no values: .*pl.device_print\(x\)"):
            kernel[(1,)](self.y, self.x)
        with self.assertRaisesRegex(ppl.PplError, r"debug\(3\): give a function of one argument"):
            kernel.debug(3)

        @ppl.jit
        def wrong(y, x):
            t = pl.dma.load(pl.gtensor([1, 4, 1, 10], pl.GLOBAL, x))
            pl.tiu.fadd(t, t, pl.make_tensor([1, 4, 1, 9], pl.float32))
        with self.assertRaisesRegex(ppl.PplError, "dst has 10"):
            wrong.debug(lambda stop: None)[(1,)](self.y, self.x)
        # What the hook raises passes.
        with self.assertRaises(ZeroDivisionError):
            scaled.debug(lambda stop: 1 // 0)[(1,)](self.y, self.x, 10, 4)

    def test_stops_that_are_past(self):
        """Values are those of the moment: later they are others, and behind the launch there are none."""
        stops, arrays = [], []

        def hook(stop):
            for past in stops:
                with self.assertRaisesRegex(ppl.PplError, "the kernel has gone on since this stop"):
                    past.values
            stops.append(stop)
            arrays.append(stop.values)
        scaled.debug(hook, step=False)[(1,)](self.y, self.x, 10, 4)
        for what in ("values", "operands"):
            with self.assertRaisesRegex(ppl.PplError, rf"stepping_test.py:\d+: stop.{what} of line \d+: .*keep the arrays") as raised:
                getattr(stops[0], what)
            self.assertEqual(raised.exception.line, line_of("pl.breakpoint()"))
        np.testing.assert_array_equal(arrays[0]["b"][0, :, 0], self.x[:, :4] ** 2)
        self.assertEqual((stops[0].locals["i"], stops[0].source), (0, "pl.breakpoint()"))

    def test_several_cores(self):
        cores = []

        @ppl.jit
        def halves(y, x):
            part = slice(5 * pl.get_core_index(), 5 * pl.get_core_index() + 5)
            t = pl.dma.load(pl.gtensor([1, 4, 1, 10], pl.GLOBAL, x)[..., part])
            pl.dma.store(pl.gtensor([1, 4, 1, 10], pl.GLOBAL, y)[..., part], t + 1.0)

        @ppl.jit
        def meeting(y, x):
            halves.function(y, x)
            pl.sync()
        step = halves.using(chip="bm1690").debug(lambda stop: cores.append((stop.core, stop.function)))
        step[(2,)](self.y, self.x)
        np.testing.assert_array_equal(self.y, self.x + np.float32(1))
        self.assertEqual(cores, [(core, name) for core in (0, 1) for name in ("dma.load", "tiu.fadd", "dma.store")])
        with self.assertRaisesRegex(ppl.PplError, "step through the kernel on one core"):
            meeting.using(chip="bm1690").debug(lambda stop: None)[(2,)](self.y, self.x)

    def run_pdb(self, launch, commands, **environment):
        """What pdb says for a kernel, with its commands on stdin."""
        script = pathlib.Path(__file__).with_name("stepped_kernel.py")
        done = subprocess.run([sys.executable, script, launch], input="\n".join(commands) + "\n", capture_output=True, text=True, timeout=120,
                              env={**os.environ, "PYTHONPATH": str(PYTHON), **environment})
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        return done.stdout

    def test_pdb(self):
        told = self.run_pdb("debug", ["n", "n", "p t.numpy().ravel()[:3].tolist()", "n", "p u.numpy().sum()", "c"])
        self.assertIn("[0.0, 1.0, 2.0]", told)
        self.assertIn("56.0", told)
        self.assertIn("-> u = t + t", told)
        self.assertTrue(told.endswith("ends [0.0, 2.0, 4.0]\n"), told)

    def test_breakpoint_in_a_plain_launch(self):
        told = self.run_pdb("breakpoint", ["p u.numpy().sum()", "c"])
        self.assertIn("56.0", told)
        self.assertTrue(told.endswith("ends [0.0, 2.0, 4.0]\n"), told)
        self.assertEqual(self.run_pdb("breakpoint", [], PYTHONBREAKPOINT="0"), "ends [0.0, 2.0, 4.0]\n")
        # The default by its name stops at the kernel's line as well.
        self.assertIn("56.0", self.run_pdb("breakpoint", ["p u.numpy().sum()", "c"], PYTHONBREAKPOINT="pdb.set_trace"))

    def test_other_debuggers(self):
        lines, calls = [], []

        def with_frame(frame=None, context=5):
            lines.append((frame.f_code.co_name, frame.f_lineno, frame.f_locals["b"].numpy().shape))
        for hook in (with_frame, lambda: calls.append(1)):
            with unittest.mock.patch.object(sys, "breakpointhook", hook):
                scaled[(1,)](self.y, self.x, 10, 10)
        self.assertEqual(lines, [("scaled", line_of("pl.breakpoint()"), (1, 4, 1, 10))])
        self.assertEqual(calls, [1])
        with unittest.mock.patch.dict(os.environ, PYTHONBREAKPOINT="no_debugger.at_all"):
            with self.assertWarnsRegex(RuntimeWarning, "no_debugger.at_all"):
                scaled[(1,)](self.y, self.x, 10, 10)
        np.testing.assert_array_equal(self.y, self.x + self.x * self.x)

    def test_tuning_does_not_stop(self):
        stops = []
        tuned = ppl.autotune([{"block": 2}, {"block": 5}], key=["n"])(ppl.jit(scaled.function.__wrapped__))
        launch = tuned.debug(stops.append, step=False)[(1,)](self.y, self.x, 10)
        self.assertEqual(len(stops), 10 // launch.config.kwargs["block"])


unittest.main()

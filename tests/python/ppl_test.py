#!/usr/bin/env python3
"""PPL in Python against numpy: functions, forms, launches, messages.

  ppl_test.py PYTHON_FOLDER NATIVE_FOLDER
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import unittest

import numpy as np

sys.path.insert(0, sys.argv[1])
os.environ["WEFT_NATIVE_DIR"] = sys.argv[2]
FOLDER, NATIVE = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
del sys.argv[1:3]
import ml_dtypes  # noqa: E402
import weft  # noqa: E402
from weft import ppl  # noqa: E402
import weft.ppl.language as pl  # noqa: E402

random = np.random.default_rng(20261122)
BOTH = ("cmodel", "interpreter")


def floats(*shape, kind=np.float32):
    return random.standard_normal(shape).astype(kind)


def apply(function, *arrays, shape=None, kind=None, mode="cmodel", chip="bm1684x"):
    """function(local tensors) as a kernel over whole arrays; what it returns or gives."""
    first = arrays[0]
    out = np.zeros(shape or first.shape, kind or first.dtype)

    @ppl.jit
    def kernel(y, *inputs):
        local = [pl.dma.load(pl.gtensor(list(a.shape), pl.GLOBAL, p)) for p, a in zip(inputs, arrays)]
        pl.dma.store(pl.gtensor(list(out.shape), pl.GLOBAL, y), function(*local))

    kernel.using(mode=mode, chip=chip)[(1,)](out, *arrays)
    return out


@ppl.jit
def add(y, a, b, n):
    shape = [1, 1, 1, n]
    a, b = (pl.gtensor(shape, pl.GLOBAL, p, pl.float32) for p in (a, b))
    pl.dma.store(pl.gtensor(shape, pl.GLOBAL, y, pl.float32), pl.dma.load(a) + pl.dma.load(b))


class Launches(unittest.TestCase):
    def test_arrays_of_any_rank_and_order_are_written_in_place(self):
        @ppl.jit
        def double(y, x, n):
            t = pl.dma.load(pl.gtensor([1, 1, 1, n], pl.GLOBAL, x))
            pl.dma.store(pl.gtensor([1, 1, 1, n], pl.GLOBAL, y), t + t)

        base = np.zeros((6, 8), np.float32)
        x = floats(2, 2, 2, 3, 1)
        for y in (np.zeros(24, np.float32), base[::2, :], np.zeros((4, 6), np.float32).T):
            double[(1,)](y, x, 24)
            np.testing.assert_array_equal(y.ravel(), 2 * x.ravel())
        self.assertTrue(np.all(base[1::2] == 0))

    def test_array_is_input_and_output(self):
        @ppl.jit
        def accumulate(y, x):
            shape = [1, 4, 1, 16]
            total = pl.gtensor(shape, pl.GLOBAL, y)
            pl.dma.store(total, pl.dma.load(total) + pl.dma.load(pl.gtensor(shape, pl.GLOBAL, x)))

        for mode in BOTH:
            y, x = floats(4, 16), floats(4, 16)
            expected = y + x
            accumulate.using(mode=mode)[(1,)](y, x)
            np.testing.assert_array_equal(y, expected)

    def test_arguments_scalars_none_and_types(self):
        @ppl.jit
        def fill(y, nothing, value, flag):
            assert nothing is None and flag
            t = pl.make_tensor([1, 1, 1, 8], pl.get_scalar_dtype(y.dtype))
            pl.tiu.fill(t, value)
            pl.dma.store(pl.gtensor([1, 1, 1, 8], pl.GLOBAL, y), t)

        for kind in (np.float32, np.float16, ml_dtypes.bfloat16, np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32):
            y = np.zeros(8, kind)
            fill[(1,)](y, None, np.int64(3), True)
            self.assertEqual(y.tolist(), [3] * 8, kind)

    def test_pointers_move_and_change_their_type(self):
        @ppl.jit
        def second_half(y, x):
            x.set_dtype(pl.pu32_t)
            self.assertEqual(x.dtype, pl.pu32_t)
            y.set_dtype(pl.pu32_t)
            t = pl.dma.load(pl.gtensor([1, 1, 1, 4], pl.GLOBAL, x + 4))
            self.assertEqual(t.dtype, pl.uint32)
            pl.dma.store(pl.gtensor([1, 1, 1, 4], pl.GLOBAL, y), t)

        x, y = np.arange(8, dtype=np.int32) - 4, np.zeros(4, np.int32)
        second_half[(1,)](y, x)
        np.testing.assert_array_equal(y, x[4:])

    def test_kernels_call_kernels_and_see_enclosing_variables(self):
        factor = 3.0

        @ppl.jit
        def scaled(t):
            return pl.tiu.fmul(t, factor)

        @ppl.jit
        def kernel(y, x, block):
            for begin in range(0, 16, block):
                pl.enable_pipeline()
                part = pl.gtensor([1, 4, 1, 16], pl.GLOBAL, x)[:, :, :, begin:begin + block]
                pl.dma.store(pl.gtensor([1, 4, 1, 16], pl.GLOBAL, y)[:, :, :, begin:begin + block],
                             scaled(pl.dma.load(part)))

        x, y = floats(4, 16), np.zeros((4, 16), np.float32)
        kernel[(1,)](y, x, 4)
        np.testing.assert_array_equal(y, np.float32(3) * x)
        factor = 5.0
        kernel[(1,)](y, x, 8)
        np.testing.assert_array_equal(y, np.float32(5) * x)

    def test_pipelined_kernel_keeps_its_surroundings(self):
        offset = 1.0

        @ppl.jit
        def kernel(y, *, size=8, block=4):
            for begin in range(0, size, block):
                pl.enable_pipeline()
                t = pl.make_tensor([1, 1, 1, block], pl.float32)
                pl.tiu.fill(t, begin + offset)
                pl.dma.store(pl.gtensor([1, 1, 1, size], pl.GLOBAL, y)[:, :, :, begin:begin + block], t)

        y = np.zeros(8, np.float32)
        kernel[(1,)](y)
        self.assertEqual(y.tolist(), [1] * 4 + [5] * 4)
        offset = 2.0
        kernel[(1,)](y, block=8)
        self.assertEqual(y.tolist(), [2] * 8)

    def test_pipelined_kernel_evaluates_its_signature_once(self):
        def make(width, evaluated):
            @ppl.jit
            def kernel(y, value=width // 2, *, size: evaluated.append("annotation") = width) -> evaluated.append("result"):
                for begin in range(0, size, 4):
                    pl.enable_pipeline()
                    t = pl.make_tensor([1, 1, 1, 4], pl.float32)
                    pl.tiu.fill(t, value)
                    pl.dma.store(pl.gtensor([1, 1, 1, size], pl.GLOBAL, y)[:, :, :, begin:begin + 4], t)
            return kernel

        y, evaluated = np.zeros(8, np.float32), []
        make(8, evaluated)[(1,)](y)
        self.assertEqual(y.tolist(), [4] * 8)
        self.assertEqual(evaluated, ["annotation", "result"])

    def test_arguments_with_the_same_bytes_are_one(self):
        x = floats(512)
        for y, a, b in ((x, x, x), (x, x.reshape(8, 64), x[:]), (x.reshape(2, 256).T,) * 3, (x.view(np.int32), x, x)):
            expected = (a.ravel() + b.ravel()).view(y.dtype).reshape(y.shape)
            for mode in BOTH:
                x0 = x.copy()
                add.using(mode=mode)[(1,)](y, a, b, 512)
                np.testing.assert_array_equal(y, expected)
                x[:] = x0
        frozen = x[:]
        frozen.flags.writeable = False
        expected = x + x
        add[(1,)](frozen, x, x, 512)  # x may be written
        np.testing.assert_array_equal(x, expected)

    def test_arguments_that_overlap_are_read_only(self):
        x = floats(1024)
        before, y = x.copy(), np.zeros(512, np.float32)
        add[(1,)](y, x[:512], x[1:513], 512)
        np.testing.assert_array_equal(y, x[:512] + x[1:513])
        add[(1,)](x[::2], x[1::2], x[1::2], 512)  # no byte in common
        np.testing.assert_array_equal(x[::2], 2 * before[1::2])
        x[:] = before
        square = x[:64].reshape(8, 8)
        for arrays, n in (((x[100:612], x[:512], x[512:]), 512), ((square, square.T, y), 64)):
            with self.assertRaisesRegex(ppl.PplError, "writes argument 'y', which shares memory with 'a' in part"):
                add[(1,)](*arrays, n)
            np.testing.assert_array_equal(x, before)
        repeated = np.lib.stride_tricks.as_strided(x, (8,), (0,))
        with self.assertRaisesRegex(ppl.PplError, "argument 'y', an array of which elements share memory"):
            add[(1,)](repeated, y, y + 1, 8)

    def test_arrays_of_the_other_byte_order(self):
        other = np.dtype(np.float32).newbyteorder()
        a, b, y = floats(64), floats(64), np.zeros(64, other)
        add[(1,)](y, a.astype(other), b, 64)
        np.testing.assert_array_equal(y, a + b)
        add[(1,)](y, y, y, 64)
        np.testing.assert_array_equal(y, 2 * (a + b))
        with self.assertRaisesRegex(ppl.PplError, "shares memory with 'a'"):
            add[(1,)](a, a.view(other), b, 64)

    def test_messages_of_engines(self):
        @ppl.jit
        def kernel(y):
            t = pl.make_tensor([1, 1, 1, 8], pl.float32)
            pl.tiu.fill(t, 3.0)
            pl.msg_send(3, 1, True)
            pl.msg_wait(3, 1, True)
            pl.dma.store(pl.gtensor([1, 1, 1, 8], pl.GLOBAL, y), t)

        y = np.zeros(8, np.float32)
        kernel.using(chip="sg2380")[(1,)](y)
        self.assertEqual(y.tolist(), [3] * 8)
        with self.assertRaisesRegex(ppl.PplError, "ppl::dma::send_msg: exists on"):
            kernel[(1,)](y)

    def test_vendors_runtime_gives_the_same_bytes(self):
        @ppl.jit
        def kernel(y, x):
            t = pl.dma.load(pl.gtensor([2, 5, 3, 7], pl.GLOBAL, x))
            pl.dma.store(pl.gtensor([2, 5, 3, 7], pl.GLOBAL, y), pl.tiu.fexp(t) / (t * t + 1.0))

        x = floats(2, 5, 3, 7)
        ours, theirs = np.zeros_like(x), np.zeros_like(x)
        kernel[(1,)](ours, x)
        kernel.using(mode="bmrt")[(1,)](theirs, x)
        self.assertEqual(ours.tobytes(), theirs.tobytes())

    def test_pipelined_rounds_overlap_and_give_the_same(self):
        @ppl.jit
        def kernel(y, x, block):
            for begin in range(0, 512, block):
                pl.enable_pipeline()
                shape = [1, 64, 16, block]
                part = (slice(None), slice(None), slice(None), slice(begin, begin + block))
                t = pl.make_tensor(shape, pl.float32)
                u = pl.make_tensor(shape, pl.float32)
                pl.dma.load(t, pl.gtensor([1, 64, 16, 512], pl.GLOBAL, x)[part])
                pl.tiu.fmul(u, t, t)
                for _ in range(20):
                    pl.tiu.fadd(u, u, 1.0)
                pl.dma.store(pl.gtensor([1, 64, 16, 512], pl.GLOBAL, y)[part], u)

        x = floats(64, 16, 512)
        fast, slow = np.zeros_like(x), np.zeros_like(x)
        overlapped = kernel[(1,)](fast, x, 128).profile()
        serial = kernel.using(pipeline=False)[(1,)](slow, x, 128).profile()
        np.testing.assert_array_equal(fast, slow)
        self.assertLess(overlapped["total_cycles"], serial["total_cycles"])
        self.assertLess(overlapped["total_cycles"],
                        overlapped["tiu_busy_cycles"] + overlapped["gdma_busy_cycles"])

    def test_bmodel_runs_in_the_runtime(self):
        @ppl.jit
        def negate(y, x):
            t = pl.dma.load(pl.gtensor([1, 2, 3, 4], pl.GLOBAL, x))
            pl.dma.store(pl.gtensor([1, 2, 3, 4], pl.GLOBAL, y), pl.tiu.fmul(t, -1.0))

        x, y = floats(2, 3, 4), np.zeros((2, 3, 4), np.float32)
        launch = negate[(1,)](y, x)
        self.assertIn("ppl.dma", launch.text())
        model = weft.Model(launch.bmodel())
        self.assertEqual(list(model.inputs), ["x"])
        self.assertEqual(model.outputs["y"], (np.dtype(np.float32), (1, 2, 3, 4)))
        z = floats(1, 2, 3, 4)
        np.testing.assert_array_equal(model.run(x=z)["y"], -z)
        # Threads may share a model.
        wrong = []

        def runs(seed):
            own = np.full((1, 2, 3, 4), seed, np.float32)
            wrong.extend(1 for _ in range(20) if not np.array_equal(model.run(x=own)["y"], -own))

        threads = [threading.Thread(target=runs, args=(seed,)) for seed in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_several_cores_share_the_work(self):
        @ppl.jit
        def kernel(y, x, rows):
            each = pl.cdiv(rows, pl.get_block_num())
            begin = each * pl.get_core_index()
            count = min(each, rows - begin)
            if count > 0:
                t = pl.dma.load(pl.gtensor([1, rows, 1, 8], pl.GLOBAL, x)[:, begin:begin + count])
                pl.dma.store(pl.gtensor([1, rows, 1, 8], pl.GLOBAL, y)[:, begin:begin + count], t * t)
            pl.sync()

        for chip, cores in (("bm1690", 8), ("bm1688", 2), ("bm1684x", 1)):
            x = floats(21, 8)
            y = np.zeros_like(x)
            kernel.using(chip=chip)[(cores,)](y, x, 21)
            np.testing.assert_array_equal(y, x * x)

    def test_environment_chooses_chip_and_mode(self):
        script = ("import weft.ppl as ppl, weft.ppl.language as pl, numpy as np\n"
                  "@ppl.jit\n"
                  "def lanes(y):\n"
                  "    t = pl.make_tensor([1, 1, 1, 1], pl.int32)\n"
                  "    pl.tiu.fill(t, pl.lane_num())\n"
                  "    pl.dma.store(pl.gtensor([1, 1, 1, 1], pl.GLOBAL, y), t)\n"
                  "y = np.zeros(1, np.int32)\n"
                  "lanes[(1,)](y)\n"
                  "print(y[0])\n")
        for chip, expected in (("bm1684x", "64"), ("bm1688", "32"), ("bm9999", "CHIP is 'bm9999'; it must be one of bm1684x")):
            result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True,
                                    env={**os.environ, "PYTHONPATH": FOLDER, "CHIP": chip})
            self.assertIn(expected, result.stdout + result.stderr)


class Tiling(unittest.TestCase):
    def test_rule_shrinks_until_it_fits_and_is_remembered(self):
        tried = []

        @ppl.autotiling({"block": lambda values: values["block"] // 2})
        @ppl.jit
        def square(y, x, size, block):
            tried.append(block)
            for begin in range(0, size, block):
                count = min(block, size - begin)
                part = (slice(None), slice(None), slice(None), slice(begin, begin + count))
                t = pl.dma.load(pl.gtensor([1, 64, 1, size], pl.GLOBAL, x)[part])
                pl.dma.store(pl.gtensor([1, 64, 1, size], pl.GLOBAL, y)[part], t * t + t)

        x = floats(64, 60000)
        y = np.zeros_like(x)
        square[(1,)](y, x, 60000, 60000)
        np.testing.assert_array_equal(y, x * x + x)
        self.assertEqual(tried, [60000, 30000])
        square[(1,)](y, x, 60000, 60000)
        self.assertEqual(tried[2:], [30000])
        # What fits one chip says nothing of others.
        square.using(chip="bm1688")[(1,)](y, x, 60000, 60000)
        self.assertEqual(tried[3], 60000)

    def test_rule_that_ends_gives_the_reason(self):
        @ppl.autotiling({"block": lambda values: values["block"] // 2})
        @ppl.jit
        def never(y, block):
            t = [pl.make_tensor([1, 64, 1, 40000], pl.float32) for _ in range(2)]
            pl.tiu.fill(t[0], block)
            pl.tiu.fadd(t[1], t[0], 1.0)
            pl.tiu.fadd(t[0], t[0], t[1])
            pl.dma.store(pl.gtensor([1, 1, 1, 1], pl.GLOBAL, y), t[0][0, 0, 0, 0])

        with self.assertRaises(ppl.OutOfMemory) as caught:
            never[(1,)](np.zeros(1, np.float32), 8)
        self.assertEqual(caught.exception.errorCode, 0x11)

    def test_search_of_ones_own(self):
        def search(launch, y, x, m, n):
            while m > 0:
                result = launch(y, x, m, n)
                if result.errorCode == 0:
                    return m
                self.assertEqual(result.errorCode, 0x11)
                m //= 2
            raise RuntimeError("nothing fits")

        @ppl.jit(tiling=search)
        def copy(y, x, m, n):
            for row in range(0, 64 * 600, m):
                t = pl.dma.load(pl.gtensor([1, 64 * 600, 1, n], pl.GLOBAL, x)[:, row:row + m])
                pl.dma.store(pl.gtensor([1, 64 * 600, 1, n], pl.GLOBAL, y)[:, row:row + m], t + 1.0)

        x = floats(64 * 600, 256)
        y = np.zeros_like(x)
        self.assertEqual(copy[(1,)](y, x, 64 * 600, 256), 64 * 150)
        np.testing.assert_array_equal(y, x + 1)


class Messages(unittest.TestCase):
    def refused(self, body, *parts, arrays=(), error=ppl.PplError):
        def kernel(*pointers):
            body(*pointers)

        with self.assertRaises(error) as caught:
            ppl.jit(kernel)[(1,)](*arrays)
        for part in parts:
            self.assertIn(part, str(caught.exception))
        return caught.exception

    def test_rule_of_a_function_names_the_line(self):
        def body():
            a = pl.make_tensor([1, 64, 1, 16], pl.float32)
            b = pl.make_tensor([1, 64, 1, 16], pl.float16)
            pl.tiu.fadd(a, a, b)  # the line

        with self.assertRaises(ppl.PplError) as caught:
            ppl.jit(body)[(1,)]()
        error = caught.exception
        self.assertEqual(pathlib.Path(error.file).name, "ppl_test.py")
        source = pathlib.Path(__file__).read_text().splitlines()
        self.assertIn("# the line", source[error.line - 1])
        self.assertIn("ppl::tiu::fadd: ", str(error))
        self.assertIn("# the line", str(error))

    def test_mistakes(self):
        self.refused(lambda: pl.make_tensor([1, 2, 3], pl.float32), "shape [1, 2, 3] has 3 sizes; give four")
        self.refused(lambda: pl.make_tensor([1, 0, 1, 1], pl.float32), "each size must be 1 to 65535")
        self.refused(lambda: pl.make_tensor([1, 4, 1, 1], pl.float32, [1, 5, 1, 1]), "exceeds mem_shape")
        self.refused(lambda: pl.make_tensor([1, 4, 1, 8], pl.float32).view(shape=[1, 4, 1, 100]), "view: ")
        self.refused(lambda: pl.make_tensor([1, 4, 1, 8], pl.float32)[:, 5:6], "slice 5:6 of axis c leaves its 4 elements; bounds are 0 to 4")
        self.refused(lambda: pl.gtensor([1, 1, 1, 1], pl.GLOBAL), "needs ptr")
        self.refused(lambda x: pl.gtensor([1, 1, 1, 100], pl.GLOBAL, x), "behind its pointer are", arrays=[np.zeros(8, np.int8)])
        self.refused(lambda: pl.enable_pipeline(), "directly in the body of a for loop")
        self.refused(lambda: pl.tiu.fadd(pl.make_tensor([1, 1, 1, 1], pl.float32)), "got 1 positional",
                     error=TypeError)
        self.refused(lambda: pl.tiu.fadd(nothing=1), "has no parameter 'nothing'; it has dst, src0", error=TypeError)
        self.refused(lambda: pl.tiu.shuffle(), "PPL has no function tiu.shuffle", error=AttributeError)
        self.refused(lambda: pl.dma.vload(0, None), "call pl.vset")

    def test_values_of_a_wrong_kind(self):
        x = np.zeros(8, np.float32)
        for n, text in ((7.5, "7.5; it must be an integer"), (2**70, "integers have 64 bits"), ("8", "'8'; it must"),
                        (float("nan"), "nan; it must"), (None, "None; it must"), ([8], r"\[8\]; it must")):
            with self.assertRaisesRegex(ppl.PplError, text) as caught:
                add[(1,)](x, x, x, n)
            self.assertIn("pl.gtensor(shape, pl.GLOBAL, p", str(caught.exception))  # the line
        add[(1,)](x, x, x, 16 / 2)
        for wrong in ([1, 2], "text", object(), 4096):
            with self.assertRaisesRegex(ppl.PplError, "ptr of gtensor is of the type .*must be a pointer"):
                add[(1,)](x, wrong, x, 8)
        shape = [1, 1, 1, 8]
        outer = np.zeros(8, np.float32)
        self.refused(lambda: pl.gtensor(shape, pl.GLOBAL, outer), "ptr of gtensor is of the type ndarray")
        self.refused(lambda: pl.gtensor(shape, None, outer), "ppl_test.py:")
        self.refused(lambda: pl.make_tensor(shape, np.float64), "float64'>; give one of the language")
        self.refused(lambda: pl.make_tensor(shape, "f4"), "the type is 'f4'")
        self.refused(lambda: pl.make_tensor(8, pl.float32), "mem_shape is 8; give four integers")
        self.refused(lambda: pl.make_tensor(shape, pl.float32, align_mode="x"), "align_mode is 'x'")
        self.refused(lambda p: p + 1.5, "added to a pointer is 1.5", arrays=[x])
        self.refused(lambda: pl.tiu.fadd(pl.make_tensor(shape, pl.float32), outer, 1.0), "src0 is array(")
        self.refused(lambda: pl.msg_send(1, 1, False), "unsupported: send_msg of the TIU")
        y = apply(lambda t: pl.tiu.cast(t, type=np.float16), np.ones(shape, np.float32), kind=np.float16)
        self.assertEqual(y.tolist(), np.ones(shape).tolist())

    def test_options_there_are_not(self):
        with self.assertRaisesRegex(ppl.PplError, "no option 'pipline'; there are chip, mode, pipeline"):
            add.using(pipline=False)

    def test_tensors_and_pointers_end_with_their_recording(self):
        kept = []

        @ppl.jit
        def kernel(y, use):
            t = pl.make_tensor([1, 1, 1, 8], pl.float32)
            pl.tiu.fill(t, 1.0)
            kept.extend((t, y))
            pl.dma.store(pl.gtensor([1, 1, 1, 8], pl.GLOBAL, kept[1] if use == "pointer" else y),
                         kept[0] if use == "tensor" else t)
            if use == "view":
                kept[0].view(shape=[1, 1, 8, 1])

        y = np.zeros(8, np.float32)
        kernel[(1,)](y, "")
        for use in ("pointer", "tensor", "view"):
            with self.assertRaisesRegex(ppl.PplError, "was made by another launch or for another core"):
                kernel[(1,)](y, use)
        with self.assertRaisesRegex(ppl.PplError, "inside of a kernel only"):
            kept[0].stride
        kept.clear()
        with self.assertRaisesRegex(ppl.PplError, "for another core"):
            kernel.using(chip="bm1690")[(2,)](y, "tensor")

    def test_line_does_not_depend_on_how_the_package_is_reached(self):
        script = ("import sys; sys.path.insert(0, sys.argv[1])\n"
                  "import weft.ppl as ppl, weft.ppl.language as pl\n"
                  "def body(): pl.make_tensor([1, 0, 1, 1], pl.float32)\n"
                  "try: ppl.jit(body)[(1,)]()\n"
                  "except ppl.PplError as error: print(error.line)\n")
        with tempfile.TemporaryDirectory() as folder:
            link = pathlib.Path(folder) / "link"
            link.symlink_to(pathlib.Path(FOLDER).resolve())
            path = pathlib.Path(folder) / "script.py"
            path.write_text(script)
            (pathlib.Path(folder) / "sub").mkdir()
            for place in (link, f"{folder}/sub/../link", os.path.relpath(FOLDER, folder)):
                result = subprocess.run([sys.executable, path, place], capture_output=True, text=True, cwd=folder,
                                        env={**os.environ, "WEFT_NATIVE_DIR": str(NATIVE)})
                self.assertEqual(result.stdout, "3\n", result.stderr)

    def test_outside_of_a_kernel(self):
        with self.assertRaisesRegex(ppl.PplError, "inside of a kernel only"):
            pl.make_tensor([1, 1, 1, 1], pl.float32)

    def test_arguments(self):
        @ppl.jit
        def copy(y, x):
            pl.dma.store(pl.gtensor([1, 1, 1, 4], pl.GLOBAL, y), pl.dma.load(pl.gtensor([1, 1, 1, 4], pl.GLOBAL, x)))

        frozen = np.zeros(4, np.float32)
        frozen.flags.writeable = False
        with self.assertRaisesRegex(ppl.PplError, "argument 'y', which is a read-only array; pass a copy"):
            copy[(1,)](frozen, np.ones(4, np.float32))
        with self.assertRaisesRegex(ppl.PplError, "argument 'x' has the numpy type float64"):
            copy[(1,)](np.zeros(4, np.float32), np.ones(4))
        with self.assertRaises(TypeError):
            copy[(1,)](np.zeros(4, np.float32))
        with self.assertRaisesRegex(ppl.PplError, "launch grid"):
            copy[(0,)]
        with self.assertRaisesRegex(ppl.PplError, "autotiling names z, which copy has not"):
            ppl.autotiling({"z": lambda values: 1})(copy)

    def test_chip_lacks_the_function(self):
        def body():
            a = pl.make_tensor([1, 64, 1, 16], pl.float32)
            pl.dma.reverse(a, a, 1)

        with self.assertRaisesRegex(ppl.PplError, "ppl::dma::reverse: .*bm1684x"):
            ppl.jit(body)[(1,)]()

    def test_python_exceptions_pass(self):
        def body():
            raise ValueError("mine")

        with self.assertRaisesRegex(ValueError, "mine"):
            ppl.jit(body)[(1,)]()
        self.assertEqual(apply(lambda t: t + t, np.ones((1, 1, 1, 2), np.float32)).tolist(), [[[[2, 2]]]])


class Functions(unittest.TestCase):
    """Python's forms of functions against numpy, on the emulator and by their meaning."""

    def same(self, function, formula, *arrays, kind=None, tolerance=None, modes=BOTH):
        expected = formula(*arrays)
        for mode in modes:
            got = apply(function, *arrays, shape=expected.shape, kind=kind or expected.dtype, mode=mode)
            if tolerance:
                np.testing.assert_allclose(got.astype(np.float64), expected, rtol=tolerance, err_msg=mode)
            else:
                np.testing.assert_array_equal(got, expected, err_msg=mode)

    def test_operators(self):
        a, b = floats(2, 3, 4, 5), floats(2, 3, 4, 5)
        self.same(lambda x, y: x + y, np.add, a, b)
        self.same(lambda x, y: x - y, np.subtract, a, b)
        self.same(lambda x, y: x * y, np.multiply, a, b)
        self.same(lambda x: 1.5 - x, lambda x: np.float32(1.5) - x, a)
        i = random.integers(-100, 100, (2, 3, 4, 5)).astype(np.int32)
        j = random.integers(-100, 100, (2, 3, 4, 5)).astype(np.int32)
        self.same(lambda x, y: x + y, np.add, i, j)
        self.same(lambda x, y: (x & y) | (x ^ y), np.bitwise_or, i, j)
        self.same(lambda x: ~x, np.invert, i)
        self.same(lambda x: x - 7, lambda x: x - np.int32(7), i)

    def test_division_gives_floats(self):
        a = random.integers(1, 100, (1, 3, 4, 5)).astype(np.int32)
        b = random.integers(1, 100, (1, 3, 4, 5)).astype(np.int32)
        # Three Newton steps: within 2 ulp of f32.
        self.same(lambda x, y: x / y, lambda x, y: (x / y).astype(np.float32), a, b, tolerance=2 ** -22)

    def test_one_name_for_integers_and_floats(self):
        for kind in (np.int16, np.float32, np.float16):
            a = (random.standard_normal((1, 4, 3, 5)) * 50).astype(kind)
            b = (random.standard_normal((1, 4, 3, 5)) * 50).astype(kind)
            self.same(lambda x, y: pl.tiu.min(x, y), np.minimum, a, b)
            self.same(lambda x, y: pl.tiu.maximum(x, y), np.maximum, a, b)
            self.same(lambda x: pl.tiu.abs(x), np.abs, a)

    def test_comparisons_and_choices(self):
        a, b = floats(1, 4, 3, 5), floats(1, 4, 3, 5)
        self.same(lambda x, y: pl.tiu.gt(x, y), lambda x, y: (x > y).astype(np.uint8), a, b)
        self.same(lambda x, y: pl.tiu.lt(x, y, true_val=7), lambda x, y: 7 * (x < y).astype(np.uint8), a, b)
        self.same(lambda x, y: pl.tiu.gt(x, y, 1, type=pl.float32), lambda x, y: (x > y).astype(np.float32), a, b)
        self.same(lambda x, y: pl.tiu.gt_select(x, y, x, y), np.maximum, a, b)

    def test_results_of_another_shape(self):
        x = floats(2, 5, 3, 7)

        def shown(make, wanted):
            def kernel(y, x):
                pl.dma.store(pl.gtensor(list(wanted.shape), pl.GLOBAL, y), make(pl.gtensor(list(x.shape), pl.GLOBAL, x)))
            y = np.zeros_like(wanted)
            ppl.jit(kernel)[(1,)](y, x)
            np.testing.assert_array_equal(y, wanted)

        cw, nc = x.transpose(0, 3, 2, 1).copy(), x.transpose(1, 0, 2, 3).copy()
        shown(pl.dma.load_transpose_cw, cw)
        shown(lambda g: pl.dma.load_transpose(g, pl.CW_TRANS), cw)
        shown(lambda g: pl.tiu.transpose_wc(pl.dma.load(g)), cw)
        shown(lambda g: pl.tiu.transpose_cw(pl.dma.load(g)), cw)
        shown(lambda g: pl.dma.transpose_cw(pl.dma.load(g)), cw)
        shown(pl.dma.load_transpose_nc, nc)
        shown(lambda g: pl.dma.load_transpose(g, pl.NC_TRANS), nc)
        shown(lambda g: pl.dma.transpose_nc(pl.dma.load(g)), nc)
        pooled = np.maximum(x[:, :, 0:2], x[:, :, 1:3])
        shown(lambda g: pl.tiu.pool_max(pl.dma.load(g), [2, 1], [0, 0, 0, 0], [1, 1], [1, 1]), pooled)
        shown(lambda g: pl.tiu.pool_max(pl.dma.load(g), [2, 3], [0, 0, 1, 1], [1, 2], [1, 1]),
              np.stack([pooled[..., max(0, 2 * w - 1):2 * w + 2].max(-1) for w in range(4)], -1))

    def test_shift_and_rounding_by_keyword(self):
        a = random.integers(-1000, 1000, (1, 4, 3, 5)).astype(np.int16)
        b = random.integers(-1000, 1000, (1, 4, 3, 5)).astype(np.int16)
        self.same(lambda x, y: pl.tiu.add(x, y, shift=-2, mode=pl.RM_DOWN),
                  lambda x, y: ((x.astype(np.int32) + y) >> 2).astype(np.int16), a, b)

        def saturating(x, y):
            out = pl.make_tensor(x.shape, pl.int8)
            pl.tiu.mul(out, x, y, saturation=True)
            return out

        self.same(saturating, lambda x, y: np.clip(x.astype(np.int64) * y, -128, 127).astype(np.int8), a, b)

    def test_casts(self):
        a = floats(1, 4, 3, 5) * 100
        self.same(lambda x: pl.tiu.cast(x, type=pl.float16), lambda x: x.astype(np.float16), a)
        self.same(lambda x: pl.tiu.cast(x, type=pl.int32, mode=pl.RM_TOWARDS_ZERO), lambda x: x.astype(np.int32), a)
        self.same(lambda x: pl.tiu.cast(x, type=pl.bfloat16), lambda x: x.astype(ml_dtypes.bfloat16), a)

    def test_tensor_views(self):
        a = floats(1, 4, 6, 8)
        self.same(lambda x: x[:, :, 1:5:2, 2:], lambda x: x[:, :, 1:5:2, 2:], a)
        self.same(lambda x: x.view(shape=[1, 4, 1, 48]), lambda x: x.reshape(1, 4, 1, 48), a)
        self.same(lambda x: x.view(dtype=pl.int32), lambda x: x.view(np.int32), a)
        self.same(lambda x: x.sub_view([1, 2, 6, 8], [0, 2, 0, 0]), lambda x: x[:, 2:], a)

    def test_loads_in_other_forms(self):
        x = floats(3, 5, 4, 6)
        y = np.zeros((5, 3, 4, 6), np.float32)

        @ppl.jit
        def exchange(y, x):
            t = pl.make_tensor([5, 3, 4, 6], pl.float32)
            pl.dma.load_transpose(t, pl.gtensor([3, 5, 4, 6], pl.GLOBAL, x), pl.NC_TRANS)
            pl.dma.store(pl.gtensor([5, 3, 4, 6], pl.GLOBAL, y), t)

        for mode in BOTH:
            y[:] = 0
            exchange.using(mode=mode)[(1,)](y, x)
            np.testing.assert_array_equal(y, x.transpose(1, 0, 2, 3))

        @ppl.jit
        def permuted(y, x):
            view = pl.make_gtensor_permute([3, 5, 4, 6], None, pl.float32, x, [1, 0, 2, 3])
            pl.dma.store(pl.gtensor([5, 3, 4, 6], pl.GLOBAL, y), pl.dma.load(view))

        y[:] = 0
        permuted[(1,)](y, x)
        np.testing.assert_array_equal(y, x.transpose(1, 0, 2, 3))

    def test_matrix_product(self):
        m, k, n = 20, 24, 40
        left, right = floats(1, m, 1, k, kind=np.float16), floats(1, k, 1, n, kind=np.float16)
        expected = left[0, :, 0].astype(np.float64) @ right[0, :, 0].astype(np.float64)

        def product(a, b):
            out = pl.make_tensor([1, m, 1, n], pl.float32)
            pl.tiu.fmm2(out, a, b, out_dtype=pl.float32)
            return out

        for mode in BOTH:
            got = apply(product, left, right, shape=(1, m, 1, n), kind=np.float32, mode=mode)
            # k products of 22 bits, summed in f32: k roundings of 2^-24 of the largest partial sum.
            bound = k * 2 ** -24 * (np.abs(left[0, :, 0].astype(float)) @ np.abs(right[0, :, 0].astype(float)))
            self.assertTrue(np.all(np.abs(got[0, :, 0] - expected) <= bound), mode)

    def test_pooling_by_python_names(self):
        a = floats(1, 4, 6, 8)

        def pooled(x):
            out = pl.make_tensor([1, 4, 3, 4], pl.float32)
            pl.tiu.pool_max(out, x, [2, 2], [0, 0, 0, 0], [2, 2], [1, 1])
            return out

        self.same(pooled, lambda x: x.reshape(1, 4, 3, 2, 4, 2).max((3, 5)), a)

    def test_convolution_by_python_names(self):
        image, weights = floats(1, 3, 6, 7), floats(1, 2, 1, 27)
        oc = 2

        def convolved(x, w):
            out = pl.make_tensor([1, oc, 4, 5], pl.float32)
            pl.tiu.fconv(out, x, w.view(shape=[1, oc, 1, 27], align_mode=pl.TPU_COMPACT), [3, 3], [1, 1], [1, 1],
                         [0, 0, 0, 0], oc=oc)
            return out

        @ppl.jit
        def kernel(y, x, w):
            t = pl.dma.load(pl.gtensor([1, 3, 6, 7], pl.GLOBAL, x))
            f = pl.dma.load(pl.gtensor([1, oc, 1, 27], pl.GLOBAL, w), align_mode=pl.TPU_COMPACT)
            out = pl.make_tensor([1, oc, 4, 5], pl.float32)
            pl.tiu.fconv(out, t, f, [3, 3], [1, 1], [1, 1], [0, 0, 0, 0], oc=oc)
            pl.dma.store(pl.gtensor([1, oc, 4, 5], pl.GLOBAL, y), out)

        expected = np.zeros((1, oc, 4, 5))
        for r in range(3):
            for s in range(3):
                expected += np.einsum("oi,nihw->nohw", weights.reshape(oc, 3, 3, 3)[:, :, r, s].astype(float),
                                      image[:, :, r:r + 4, s:s + 5].astype(float))
        for mode in BOTH:
            y = np.zeros((1, oc, 4, 5), np.float32)
            kernel.using(mode=mode)[(1,)](y, image, weights)
            # 27 products and sums of f32, each rounded once.
            np.testing.assert_allclose(y, expected, atol=27 * 2 ** -23 * 27)

    def test_wrappers(self):
        a = floats(2, 5, 1, 37) * 10
        self.same(lambda x: pl.exp_no_overflow(x, *a.shape, *a.shape), lambda x: np.exp(x.astype(np.float64)), a,
                  kind=np.float32, tolerance=2e-6, modes=("cmodel",))

        def largest(x):
            block = pl.make_tensor([2, 5, 1, 48], pl.float32, [2, 5, 1, 37])
            pl.tiu.move(block, x)
            return pl.quick_pooling(block, 0)

        self.same(largest, lambda x: x.max(3, keepdims=True), a, modes=("cmodel",))

    def test_every_function_has_its_description(self):
        for unit in (pl.tiu, pl.dma, pl.sdma, pl.hau):
            for name in dir(unit):
                self.assertTrue(getattr(unit, name).__doc__, name)
        self.assertIn("src0", pl.tiu.fadd.__doc__)

    def test_every_function_of_the_manual_is_there(self):
        tiu = """abs fsub fmul fadd fmac fexp fexp_part frsqrt fmul_add fma fadd_sqr fsub_sqr fscale fbias bitwise_and
            bitwise_or bitwise_xor bitwise_not gt lt eq gt_select lt_select eq_select max_gt_select min_lt_select shift
            logical_shift circular_shift norm clz clo vc_min vc_max truediv round floor ceiling add sub mul mac pool_avg
            pool_max pool_min fconv conv fdeconv deconv fdw_deconv dw_deconv fdw_conv dw_conv sub_abs fmm2 dot mm2 mm fmm
            fdiv cast min minimum max maximum smem_bcast smem_dist gather_hw gather_w scatter_hw scatter_w arange_broadcast
            transpose_wc rq0 rq1 dq0 dq1 dq2 move move_cross_lane mask_select broadcast nonzero transpose_cw zero fill
            gather_h scatter_h"""
        dma = """load load_compact store load_transpose_cw load_transpose_nc load_transpose store_transpose_cw
            store_transpose_nc store_transpose load_broadcast transpose_nc transpose mask_batch_bcast reverse vload vstore
            move_tv move_distv move_vv move_distvv move_vt move_vcoll move mask_select broadcast nonzero transpose_cw zero
            fill gather_h scatter_h reduce"""
        for unit, names in ((pl.tiu, tiu), (pl.dma, dma), (pl.sdma, "move transpose_nc transpose"),
                            (pl.hau, "topk gather_line")):
            for name in names.split():
                self.assertTrue(callable(getattr(unit, name)), name)
        for name in """make_tensor gtensor get_scalar_dtype align cdiv enable_pipeline vset lane_mask lane_num get_nic
                get_eu_num get_core_index get_block_num sync hau_poll tpu_poll msg_send msg_wait fence
                make_gtensor_permute exp_no_overflow pooling2 quick_pooling aligned_stride_4d""".split():
            self.assertTrue(callable(getattr(pl, name)), name)
        for name in """void int4 int8 int16 int32 int64 uint4 uint8 uint16 uint32 uint64 float8e5 float8e4 float16 bfloat16
                float32 pvoid_t pi8_t pu16_t pfp16_t pbf16_t pfp32_t pfp8e4_t GLOBAL L2 LOCAL RM_UP TPU_ALIGN NC_TRANS
                EXP PSUM_WO ALL_REDUCE_ADD""".split():
            self.assertTrue(hasattr(pl, name), name)


class Conversion(unittest.TestCase):
    def test_onnx_model(self):
        from onnx import TensorProto, helper
        graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g",
                                  [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 3])],
                                  [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 3])])
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.onnx"
            path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)],
                                               ir_version=8).SerializeToString())
            weft.convert(path, path.with_suffix(".bmodel"), shapes={"x": (2, 3)})
            model = weft.Model(path.with_suffix(".bmodel"))
            x = floats(2, 3)
            np.testing.assert_array_equal(model.run(x=x)["y"], np.maximum(x, 0))
            with self.assertRaisesRegex(weft.WeftError, "inputs are x; no input: z"):
                model.run(x=x, z=x)
            with self.assertRaisesRegex(weft.WeftError, "input 'x'.*has no fixed size"):
                weft.convert(path)
            with self.assertRaisesRegex(weft.WeftError, "plugin missing.so cannot be opened"):
                weft.convert(path, plugins=["missing.so"])


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Kernels in Python: wrappers, device_print, profiles by line, tuning; the page of the manual of Weft.

  kernels_test.py PYTHON_FOLDER NATIVE_FOLDER DOCS_FOLDER
"""
import contextlib
import gc
import io
import json
import math
import os
import pathlib
import re
import sys
import tempfile
import unittest

import numpy as np

sys.path.insert(0, sys.argv[1])
os.environ["WEFT_NATIVE_DIR"] = sys.argv[2]
PYTHON, DOCS = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[3])
del sys.argv[1:4]
import ml_dtypes  # noqa: E402
import ppl  # noqa: E402
import ppl.language as pl  # noqa: E402
import weft  # noqa: E402
from weft.ppl import _recorder, _tuning  # noqa: E402

random = np.random.default_rng(20261129)
S = [1, 64, 2, 33]
MODES = ["cmodel", "interpreter", "bmrt"]


def apply(function, *arrays, shape=None, kind=None, mode="cmodel"):
    """function(local tensors) over whole arrays of four axes."""
    out = np.zeros(shape or arrays[0].shape, kind or arrays[0].dtype)

    @ppl.jit
    def kernel(y, *inputs):
        local = [pl.dma.load(pl.gtensor(list(a.shape), pl.GLOBAL, p)) for p, a in zip(inputs, arrays)]
        pl.dma.store(pl.gtensor(list(out.shape), pl.GLOBAL, y), function(*local))

    kernel.using(mode=mode)[(1,)](out, *arrays)
    return out


# Wrappers of one tensor: the exact function, and the largest error in ulp of docs/ppl/wrappers.md.
UNARY = {
    "exp_no_overflow": (np.exp, 1.5), "fexp": (np.exp, 1.5), "flog": (np.log, 1), "fsqrt": (np.sqrt, 3), "fsin": (np.sin, 2), "fcos": (np.cos, 2),
    "ftan": (np.tan, 8), "fcot": (lambda x: 1 / np.tan(x), 8), "farcsin": (np.arcsin, 5), "farccos": (np.arccos, 4), "sinh_fp32": (np.sinh, 2),
    "cosh_fp32": (np.cosh, 2), "tanh_fp32": (np.tanh, 3), "arcsinh_fp32": (np.arcsinh, 6), "arccosh_fp32": (np.arccosh, 4),
    "arctanh_fp32": (np.arctanh, 4), "ferf": (np.vectorize(math.erf), 2), "sigmoid_fp32": (lambda x: 1 / (1 + np.exp(-x)), 7),
    "softsign_fp32": (lambda x: x / (1 + abs(x)), 7), "mish_f32": (lambda x: x * np.tanh(np.log1p(np.exp(x))), 8),
}
OTHERS = """softplus_f32 prelu relu pow_f32 flogx quick_pooling arange_broadcast sign_mul getSignMask log_approximation
    log_approximation_range_poly fp_avg_pool_2d_count_include_padding""".split()


class Wrappers(unittest.TestCase):
    def close(self, got, exact, ulps, kind=np.float32):
        exact = np.asarray(exact, np.float64)
        step = np.spacing(np.abs(exact).astype(kind)).astype(np.float64)
        self.assertLessEqual(float((np.abs(got.astype(np.float64) - exact) / step).max()), ulps)

    def arguments(self, name):
        x = np.abs(random.standard_normal(S)).astype(np.float32) + np.float32(1.001 if "arccosh" in name else 0.001)
        return np.minimum(x, np.float32(0.99)) if name in ("farcsin", "farccos", "arctanh_fp32") else x

    def test_there_are_all_32(self):
        self.assertEqual(len(UNARY) + len(OTHERS), 32)
        for name in (*UNARY, *OTHERS):
            self.assertTrue(callable(getattr(pl, name)), name)
        page = (DOCS / "ppl/wrappers.md").read_text()
        rows = set(re.findall(r"^\| (\w+)", page, re.M)) - {"wrapper", "wrappers"}
        missing = {name for name in rows if not hasattr(pl, re.sub("_(beta|square|root|of_number|self)$", "", name))}
        self.assertEqual(missing, set())

    def test_of_one_tensor_within_their_errors(self):
        for name, (exact, ulps) in UNARY.items():
            x = self.arguments(name)
            with self.subTest(name):
                self.close(apply(getattr(pl, name), x), exact(x.astype(np.float64)), ulps)

                def written(t):
                    out = pl.make_tensor([1, 64, 2, 40], t.dtype, S)
                    self.assertIsNone(getattr(pl, name)(out, t, [1, 64, 2, 40], S))
                    return out
                np.testing.assert_array_equal(apply(written, x), apply(getattr(pl, name), x))

    def test_of_small_floats(self):
        for kind in (np.float16, ml_dtypes.bfloat16):
            x = self.arguments("fexp").astype(kind)
            for name in ("fexp", "fsin", "sigmoid_fp32", "relu"):
                exact = UNARY[name][0] if name in UNARY else (lambda x: np.maximum(x, 0))
                got = apply(getattr(pl, name), x).astype(np.float64)
                # Rounded once more: half a step of the type, which has 8 bits or more.
                np.testing.assert_allclose(got, exact(x.astype(np.float64)), rtol=2 ** -8)

    def test_with_numbers(self):
        x = self.arguments("flog")
        wide = x.astype(np.float64)
        self.close(apply(lambda t: pl.softplus_f32(t, 3.0), x), np.log1p(np.exp(3 * wide)) / 3, 9)
        self.close(apply(lambda t: pl.softplus_f32(t, beta=1.0), x), np.log1p(np.exp(wide)), 7)
        self.close(apply(lambda t: pl.flogx(t, 10), x + 1), np.log10((x + 1).astype(np.float64)), 2.5)
        for power, base, exponent in ((lambda t: pl.pow_f32(t, 2.0), wide, 2.0), (lambda t: pl.pow_f32(2.0, t), 2.0, wide),
                                      (lambda t: pl.pow_f32(t, t), wide, wide)):
            error = np.abs(apply(power, x) / base ** exponent - 1)
            # 2 ulp, and the logarithm's rounding as a part of the result (docs/ppl/wrappers.md).
            self.assertTrue(np.all(error <= 2 ** -22 + 2 ** -23 * np.abs(exponent * np.log(base))))
        signs = x - np.float32(1)
        self.close(apply(lambda t: pl.prelu(t, 0.25), signs), np.where(signs > 0, signs, signs * 0.25), 0.51)
        i = random.integers(-100, 100, S).astype(np.int8)
        np.testing.assert_array_equal(apply(pl.relu, i), np.maximum(i, 0))

    def test_pools_and_sequences(self):
        x = random.standard_normal((2, 5, 1, 37)).astype(np.float32)

        def padded(pool):
            def function(t):
                block = pl.make_tensor([2, 5, 1, 48], pl.float32, [2, 5, 1, 37])
                pl.tiu.move(block, t)
                return pool(block)
            return function

        np.testing.assert_array_equal(apply(padded(lambda t: pl.quick_pooling(t, 0)), x, shape=(2, 5, 1, 1)), x.max(3, keepdims=True))
        # 37 additions of numbers below 4, each rounded once in fp32.
        np.testing.assert_allclose(apply(padded(lambda t: pl.quick_pooling(t, 1, 1 / 37)), x, shape=(2, 5, 1, 1)), x.mean(3, keepdims=True),
                                   atol=37 * 4 * 2 ** -24)

        def sequence(t):
            out = pl.make_tensor([1, 64, 1, 50], pl.int32)
            pl.arange_broadcast(out, 64, 7, -3, 50)
            return out
        got = apply(sequence, x, shape=(1, 64, 1, 50), kind=np.int32)
        np.testing.assert_array_equal(got, np.broadcast_to(7 - 3 * np.arange(50), got.shape))

        def signed(t):
            out = pl.make_tensor(t.shape, t.dtype)
            pl.sign_mul(out, t, pl.tiu.abs(t))
            return out
        np.testing.assert_array_equal(apply(signed, x), x)
        image = random.standard_normal((1, 4, 5, 5)).astype(np.float32)

        def averaged(t):
            out = pl.make_tensor([1, 4, 5, 5], t.dtype)
            pl.fp_avg_pool_2d_count_include_padding(out, t, [1, 4, 5, 5], [1, 4, 5, 5], [3, 3], [1, 1, 1, 1], [1, 1], [1, 1], 1)
            return out
        wide = np.pad(image.astype(np.float64), ((0, 0), (0, 0), (1, 1), (1, 1)))
        ones = np.pad(np.ones(image.shape), ((0, 0), (0, 0), (1, 1), (1, 1)))
        total, count = (sum(a[:, :, r:r + 5, s:s + 5] for r in range(3) for s in range(3)) for a in (wide, ones))
        np.testing.assert_allclose(apply(averaged, image), total / count, atol=1e-6)
        self.assertEqual(pl.getSignMask(pl.float16), 0x8000)
        self.assertEqual(pl.log_approximation(-1), -1)
        self.assertAlmostEqual(pl.log_approximation_range_poly(7), math.log(7))


class Utilities(unittest.TestCase):
    def test_numbers_and_the_chip(self):
        seen = []

        def ask(t):
            seen.extend((pl.lane_num(), pl.eu_bytes(), pl.get_eu_num(pl.float16), pl.get_nic(pl.int8), pl.get_data_size(pl.bfloat16),
                         pl.get_stride([1, 64, 2, 33], pl.TPU_ALIGN, pl.float32), pl.div_up(7, 2), pl.align(7, 4), pl.min(3, 4), pl.pow(2, 3),
                         pl.dim4_index([5, 6, 7, 8], -1), pl.tiu.max(2, 3), pl.tiu.cast(2.5, pl.int32), pl.tiu.cast(2.5, type=pl.int32, mode=pl.RM_UP),
                         pl.get_block_index(), pl.get_block_num(), pl.chip_num(), pl.LANE_NUM, pl.lane_bytes(),
                         pl.dma_load_bytes(), pl.dma_store_bytes(), pl.shortest_dma_run()))
            return t
        apply(ask, np.ones(S, np.float32))
        self.assertEqual(seen, [64, 64, 32, 64, 2, [80, 80, 33, 1], 4, 8, 3, 8, 8, 3, 2, 3, 0, 1, 1, 64, 256 * 1024, 58, 44, 256])

    def test_calls_in_the_orders_of_the_manual(self):
        i, j = (random.integers(-100, 100, S).astype(np.int16) for _ in range(2))
        for add in (lambda a, b: pl.tiu.add(a, b, 0, pl.RM_UP), lambda a, b: pl.tiu.add(a, b, shift=0), lambda a, b: pl.tiu.add(a, b)):
            np.testing.assert_array_equal(apply(add, i, j), i + j)

        def to(a, b):
            out = pl.make_tensor(a.shape, a.dtype)
            pl.tiu.add(out, a, b, -1, pl.RM_DOWN, False)
            return out
        np.testing.assert_array_equal(apply(to, i, j), (i.astype(np.int32) + j) >> 1)
        np.testing.assert_array_equal(apply(lambda a, b: pl.tiu.sub_abs(a, b), i, j), np.abs(i.astype(int) - j))
        np.testing.assert_array_equal(apply(lambda a: pl.tiu.cast(a, pl.float32, pl.RM_UP), i, kind=np.float32), i.astype(np.float32))
        x = random.standard_normal(S).astype(np.float32)
        np.testing.assert_array_equal(apply(lambda a: pl.tiu.cast(a, pl.int32, pl.RM_DOWN), x, kind=np.int32), np.floor(x).astype(np.int32))
        np.testing.assert_array_equal(apply(lambda a: pl.tiu.fmul(a, 2.0, dst=pl.make_tensor(S, pl.float32)) or a, x), x)

    def test_operands_that_are_numbers(self):
        x = random.standard_normal(S).astype(np.float32)
        i = random.integers(-100, 100, S).astype(np.int32)
        np.testing.assert_array_equal(apply(lambda a: pl.tiu.gt(a, 0.5, 1.0), x), (x > 0.5).astype(np.float32))
        np.testing.assert_array_equal(apply(lambda a: pl.tiu.add(a, 3, -1, pl.RM_DOWN), i), (i + 3) >> 1)
        np.testing.assert_array_equal(apply(lambda a: pl.tiu.gt_select(a, 0.0, a, 0.0), x), np.maximum(x, 0))
        np.testing.assert_array_equal(apply(lambda a: np.float32(2) * a - np.float32(1), x), 2 * x - 1)

    def test_depthwise_convolution_requantised(self):
        x, w = (random.integers(-20, 20, (1, 16, *size)).astype(np.int8) for size in ((6, 6), (3, 3)))
        requant = np.tile(np.array([3, -5, 1], np.int32), (16, 1)).reshape(1, 16, 1, 3)

        def convolved(t, weight, quant):
            out, kernel = pl.make_tensor(t.shape, pl.int8), pl.make_tensor([1, 16, 3, 3], pl.int8, None, pl.TPU_COMPACT)
            pl.tiu.move(kernel, weight)
            pl.tiu.dw_conv(out, t, kernel, None, [3, 3], [1, 1], [1, 1], [1, 1, 1, 1], 0, False, pl.int8, False, pl.RM_HALF_UP, 0, True,
                           quant, True)
            return out
        wide = np.pad(x.astype(int), ((0, 0), (0, 0), (1, 1), (1, 1)))
        total = sum(wide[:, :, r:r + 6, c:c + 6] * w[:, :, r:r + 1, c:c + 1] for r in range(3) for c in range(3))
        np.testing.assert_array_equal(apply(convolved, x, w, requant), np.clip(((total * 3 + 16) >> 5) + 1, -128, 127))

    def test_least_of_windows_by_complement(self):
        for kind in (np.float32, np.float16, np.int8, np.uint8):
            x = (random.standard_normal((1, 4, 6, 8)) * 60).astype(np.float32)
            x = (np.abs(x) if kind is np.uint8 else x).astype(kind)

            def least(t):
                out = pl.make_tensor([1, 4, 3, 4], t.dtype)
                pl.tiu.pool_min(out, t, [2, 2], [0, 0, 0, 0], [2, 2], [1, 1])
                return out
            for mode in MODES:
                np.testing.assert_array_equal(apply(least, x, shape=(1, 4, 3, 4), mode=mode), x.reshape(1, 4, 3, 2, 4, 2).min((3, 5)))


@ppl.jit
def printing(y, x, n):
    for i in range(0, n, 8):
        pl.enable_pipeline()
        t = pl.dma.load(pl.gtensor([1, 4, 1, n], pl.GLOBAL, x)[..., i:i + 8])
        t2 = pl.tiu.fmul(t, 2.0)
        if i == 8 and pl.get_core_index() == pl.get_block_num() - 1:
            pl.device_print("i = %d: %s", i, t2[:, 1:2, :, :3])
        pl.dma.store(pl.gtensor([1, 4, 1, n], pl.GLOBAL, y)[..., i:i + 8], t2)


class Printing(unittest.TestCase):
    def test_values_at_a_line_on_every_device(self):
        x = np.arange(96, dtype=np.float32).reshape(1, 4, 1, 24)
        line = printing.function.__wrapped__.__code__.co_firstlineno + 7
        for mode in MODES:
            shown, y = io.StringIO(), np.zeros_like(x)
            with contextlib.redirect_stdout(shown):
                launch = printing.using(mode=mode)[(1,)](y, x, 24)
            np.testing.assert_array_equal(y, 2 * x)
            self.assertRegex(shown.getvalue(), rf"kernels_test.py:{line}: i = 8: pl.float32 \[1, 1, 1, 3\]\n\[\[\[\[64. 66. 68.\]\]\]\]\n")
            self.assertEqual(len(launch.printed), 1)
            self.assertEqual(launch.printed[0].values[1:2], [8])
            np.testing.assert_array_equal(launch.printed[0].values[2].ravel(), [64, 66, 68])

    def test_of_several_cores(self):
        x, shown = np.arange(96, dtype=np.float32), io.StringIO()
        with contextlib.redirect_stdout(shown):
            launch = printing.using(chip="bm1690")[(3,)](np.zeros_like(x), x, 24)
        self.assertEqual([each.core for each in launch.printed], [2])
        self.assertIn("core 2: i = 8", shown.getvalue())

    def test_types_and_memories(self):
        for kind in (np.int8, np.uint16, np.int32, np.float16, ml_dtypes.bfloat16):
            x, shown = np.arange(64).astype(kind).reshape(1, 4, 1, 16), io.StringIO()

            @ppl.jit
            def all_memories(y, x):
                place = pl.gtensor([1, 4, 1, 16], pl.GLOBAL, x)
                pl.device_print(place, pl.dma.load(place))
            with contextlib.redirect_stdout(shown):
                values = all_memories[(1,)](np.zeros_like(x), x).printed[0].values
            for value in values:
                np.testing.assert_array_equal(value.astype(np.float64), x.astype(np.float64))


@ppl.autotune([{"block": 65535}, {"block": 64}, ppl.Config({"block": 512}), ppl.Config({"block": 512}, pipeline=False)], key=["n"])
@ppl.jit
def tuned(y, x, n, block: pl.constexpr):
    for i in range(0, n, block):
        pl.enable_pipeline()
        part = slice(i, min(n, i + block))
        t = pl.dma.load(pl.gtensor([1, 64, 1, n], pl.GLOBAL, x)[..., part])
        pl.dma.store(pl.gtensor([1, 64, 1, n], pl.GLOBAL, y)[..., part], t * t + t)


class Cost(unittest.TestCase):
    def test_profile_by_line(self):
        x = np.ones((64, 4096), np.float32)
        profile = tuned[(1,)](np.zeros_like(x), x, 4096).profile()
        first = tuned.function.__wrapped__.__code__.co_firstlineno
        rows = {row["line"] - first: row for row in profile["lines"]}
        self.assertEqual(set(rows), {6, 7})
        self.assertIn("pl.dma.load", rows[6]["source"])
        self.assertEqual((rows[6]["dram_read_bytes"], rows[7]["dram_write_bytes"]), (x.nbytes, x.nbytes))
        self.assertEqual(sum(row["tiu_cycles"] for row in rows.values()), profile["tiu_busy_cycles"])
        self.assertEqual(sum(row["dma_cycles"] for row in rows.values()), profile["gdma_busy_cycles"])
        # The critical path covers the run, but for what it waits.
        self.assertEqual(max(command["end"] for command in profile["timeline"]), profile["total_cycles"])
        self.assertEqual(sum(row["critical_cycles"] for row in rows.values()), profile["total_cycles"])
        self.assertRegex(str(profile), rf"(?m)^ +{first + 6} .*[#=].* t = pl.dma.load")
        for key in rows[6]:
            self.assertIn(f"`{key}`", ppl.Profile.__doc__)
        for row in rows.values():  # names of before are those of `weft profile`
            self.assertEqual((row["dma_cycles"], row["bound"], row["engine"]), (row["gdma_cycles"], "dma", "gdma"))
        for row in rows.values():
            self.assertLessEqual(row["achieved"], 1)
            self.assertEqual(row["bound_by"], "dram" if row["dram_cycles"] else None)

    def test_profile_is_printed_in_one_pass(self):
        """A program may have thousands of lines."""
        class Commands(list):
            passes = 0

            def __iter__(self):
                self.passes += 1
                return super().__iter__()
        x = np.ones((64, 4096), np.float32)
        profile = tuned[(1,)](np.zeros_like(x), x, 4096).profile()
        self.assertGreater(len(profile["lines"]), 1)
        told = str(profile)
        profile["timeline"] = Commands(profile["timeline"])
        self.assertEqual(str(profile), told)
        self.assertEqual(profile["timeline"].passes, 1)

    def test_profile_page(self):
        x = np.ones(64 * 4096, np.float32)
        launch = tuned[(1,)](np.zeros_like(x), x, 4096)
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "page.html"
            profile = launch.profile(html=page)
            text = page.read_text(encoding="utf-8")
            report = json.loads(re.search(r'id="content">(.*?)</script>', text, re.S)[1])["profile"]["report"]
            self.assertEqual([each.name for each in pathlib.Path(folder).iterdir()], ["page.html"])
            with self.assertRaisesRegex(weft.WeftError, "none/page.html"):
                launch.profile(html=pathlib.Path(folder) / "none" / "page.html")
        self.assertEqual((report["origin"], report["total_cycles"], report["file"].split("/")[-1]),
                         ("lines", profile["total_cycles"], "tuned.bmodel"))
        # The page and the dict tell the same of each line.
        told = {row["nodes"][0]: row for row in report["nodes"] if row["nodes"]}
        self.assertEqual(set(told), {f"kernels_test.py:{row['line']}" for row in profile["lines"]})
        for row in profile["lines"]:
            other = told[f"kernels_test.py:{row['line']}"]
            for key in set(other) - {"nodes", "op_types"}:
                self.assertEqual(other[key], row[key], key)

    def test_autotune_takes_the_cheapest_that_fits(self):
        x = random.standard_normal((64, 65535)).astype(np.float32)
        y = np.zeros_like(x)
        launch = tuned[(1,)](y, x, 65535)
        np.testing.assert_array_equal(y, x * x + x)
        too_large, *others = launch.candidates
        self.assertIsInstance(too_large.error, ppl.OutOfMemory)
        self.assertEqual(launch.profile()["total_cycles"], min(each.cycles for each in others))
        self.assertEqual(repr(launch.config), repr(min(others, key=lambda each: each.cycles).config))
        self.assertLess(others[1].cycles, others[2].cycles)  # the pipeline gains
        again = tuned[(1,)](y, x, 65535)
        self.assertIs(again.candidates, launch.candidates)
        halves = tuned[(1,)](y.astype(np.float16), x.astype(np.float16), 65535)
        self.assertIsNot(halves.candidates, launch.candidates)

    def test_what_was_chosen_is_remembered(self):
        """By how a kernel is compiled, however that was said."""
        x = np.ones((64, 5000), np.float32)
        y = np.zeros_like(x)
        for make in (lambda **options: ppl.autotune([{"block": 64}, {"block": 512}])(ppl.jit(tuned.function.__wrapped__, **options)),
                     lambda **options: ppl.jit(tuned.function.__wrapped__, tiling={"block": [64, 512]}, **options)):
            for pipeline in (True, False):
                kernel = make(pipeline=pipeline)
                first = kernel[(1,)](y, x, 5000)
                self.assertIs(kernel.using(pipeline=pipeline)[(1,)](y, x, 5000).candidates, first.candidates)
                self.assertIs(kernel.using(chip="bm1684x")[(1,)](y, x, 5000).candidates, first.candidates)
                for other in (kernel.using(pipeline=not pipeline), kernel.using(chip="bm1688")):
                    self.assertIsNot(other[(1,)](y, x, 5000).candidates, first.candidates)

    def test_search(self):
        searched = ppl.jit(tuned.function.__wrapped__, tiling="search")
        x = random.standard_normal((64, 70000)).astype(np.float32)
        y = np.zeros_like(x)
        launch = searched[(1,)](y, x, 70000)
        np.testing.assert_array_equal(y, x * x + x)
        cycles = {repr(each.config): each.cycles for each in launch.candidates if each.error is None}
        self.assertEqual(launch.profile()["total_cycles"], min(cycles.values()))
        # The way ends where no size within two steps is cheaper. Here DRAM bounds all of them: blocks of 64 gain 0.14 % more in many rounds.
        for block in (64, 512, 1024, 2048, 4096, 8192):
            one = ppl.autotune([{"block": block}])(ppl.jit(tuned.function.__wrapped__))[(1,)](y, x, 70000)
            self.assertLessEqual(min(cycles.values()), 1.005 * one.candidates[0].cycles)
        self.assertNotIn("block=1", cycles)
        self.assertLess(len(launch.candidates), 20)
        self.assertIs(searched[(1,)](y, x, 70000).candidates, launch.candidates)
        self.assertIsNot(searched[(1,)](y[:, :512].copy(), x[:, :512].copy(), 512).candidates, launch.candidates)
        given = searched[(1,)](y, x, 70000, block=512)
        self.assertEqual((given.config.kwargs, len(given.candidates)), ({}, 2))

    def test_search_of_several_sizes(self):
        def kernel(y, x, n, c, rows: pl.constexpr, block: pl.constexpr):
            shape = [1, c, 1, n]
            for top in range(0, c, rows):
                for i in range(0, n, block):
                    part = (slice(None), slice(top, min(c, top + rows)), slice(None), slice(i, min(n, i + block)))
                    pl.dma.store(pl.gtensor(shape, pl.GLOBAL, y)[part], pl.dma.load(pl.gtensor(shape, pl.GLOBAL, x)[part]) * 2.0)
        x = random.standard_normal((100, 3000)).astype(np.float32)
        y = np.zeros_like(x)
        launch = ppl.jit(kernel, tiling={"rows": [16, 32, 64, 128]})[(1,)](y, x, 3000, 100)
        np.testing.assert_array_equal(y, x * 2)
        self.assertIn(launch.config.kwargs["rows"], (16, 32, 64, 128))
        # Any size would do: memory holds all of it.
        everything = ppl.jit(kernel, pipeline=True)[(1,)](y, x, 3000, 100, 128, 4096)
        self.assertLessEqual(launch.profile()["total_cycles"], everything.profile()["total_cycles"])
        with self.assertRaisesRegex(ppl.PplError, "tiling names row, which kernel has not; did you mean rows"):
            ppl.jit(kernel, tiling={"row": [1]})
        with self.assertRaisesRegex(ppl.PplError, "tiling has .* for rows; give the sizes to try"):
            ppl.jit(kernel, tiling={"rows": []})

    def test_one_round_fits_as_it_is_written(self):
        """By stages both pieces are loaded first, which these do not fit; smaller ones overlap."""
        def kernel(y, x, n):
            for _ in range(1):
                pl.enable_pipeline()
                for i in range(2):
                    piece = (slice(None), slice(None), slice(i, i + 1))
                    pl.dma.store(pl.gtensor([1, 64, 2, n], pl.GLOBAL, y)[piece], pl.dma.load(pl.gtensor([1, 64, 2, n], pl.GLOBAL, x)[piece]) + 1.0)
        cycles = {}
        for n in (20000, 2000):
            x = random.standard_normal((1, 64, 2, n)).astype(np.float32)
            for pipeline in (True, False):
                y = np.zeros_like(x)
                launch = ppl.jit(kernel, pipeline=pipeline)[(1,)](y, x, n)
                np.testing.assert_array_equal(y, x + 1)
                cycles[n, pipeline] = launch.profile()["total_cycles"]
        self.assertLess(cycles[2000, True], cycles[2000, False])

    def test_search_ends(self):
        """However many sizes there are and however long the way to the best is."""
        search, tried = _tuning.Search(tuned, {}), []

        def predict(config):
            tried.append(dict(config.kwargs))
            if max(config.kwargs.values()) > fits:
                error = ppl.PplError("too large")
                error.is_of_program = True
                raise error
            return sum(config.kwargs.values())
        powers = [2**i for i in range(16)]
        for sizes, fits in (({name: powers for name in "abcdef"}, 2**15), ({"a": list(range(1, 1000))}, 100), ({"a": powers, "b": powers}, 7)):
            with self.subTest(fits=fits):
                tried.clear()
                best, candidates = search.choose(sizes, predict)
                self.assertLessEqual(len(tried), search.MOST)
                self.assertEqual(len(tried), len(candidates))
                self.assertEqual(candidates[-1].config.pipeline, False)
                self.assertEqual(best.cycles, min(each.cycles for each in candidates if each.error is None))
        self.assertEqual(best.cycles, 2)
        self.assertEqual(search.sizes(["a"], 100)["a"], [1, 2, 4, 8, 16, 32, 64, 128])
        self.assertEqual(search.sizes(["a"], 10**6)["a"][-1], 32768)

    def test_search_leaves_defaults_alone(self):
        """A parameter with a default may be no size at all: another value would give other results."""
        def kernel(y, x, n, block: pl.constexpr, factor: pl.constexpr = 3):
            for i in range(0, n, block):
                part = (..., slice(i, min(n, i + block)))
                pl.dma.store(pl.gtensor([1, 64, 1, n], pl.GLOBAL, y)[part], pl.dma.load(pl.gtensor([1, 64, 1, n], pl.GLOBAL, x)[part]) * float(factor))
        x = random.standard_normal((64, 64)).astype(np.float32)
        for tiling, factor in (("search", 3), ({"block": [16, 64]}, 3), ({"factor": [5]}, 5)):
            with self.subTest(tiling):
                y = np.zeros_like(x)
                config = ppl.jit(kernel, tiling=tiling)[(1,)](y, x, 64).config
                np.testing.assert_array_equal(y, x * np.float32(factor))
                self.assertEqual(set(config.kwargs), {"block", "factor"} if factor == 5 else {"block"})

    def test_candidates_keep_no_programs(self):
        """Of a config that failed the message stays, not what it was made of."""
        def programs():
            gc.collect()
            return sum(isinstance(each, _recorder.Program) for each in gc.get_objects())
        before = programs()
        configs = [{"block": block} for block in (65535, 60000, 50000, 64)]
        x = np.ones((64, 65535), np.float32)
        for kernel in (ppl.autotune(configs)(ppl.jit(tuned.function.__wrapped__)),
                       ppl.jit(tuned.function.__wrapped__, tiling={"block": [64, 50000, 60000, 65535]})):
            launch = kernel[(1,)](np.zeros_like(x), x, 65535)
            candidates = launch.candidates
            del launch
            self.assertGreater(sum(each.error is not None for each in candidates), 1)
            self.assertEqual(programs(), before)

    def test_search_of_mistakes(self):
        @ppl.jit(tiling="search")
        def wrong(y, x, n, block: pl.constexpr):
            t = pl.dma.load(pl.gtensor([1, 64, 1, n], pl.GLOBAL, x))
            pl.tiu.fadd(t, t, pl.make_tensor([1, 64, 1, 7], pl.float32))
        x = np.ones((64, 64), np.float32)
        with self.assertRaisesRegex(ppl.PplError, "dst has 64") as raised:
            wrong[(1,)](x, x, 64)
        self.assertNotIn("smaller blocks may fit", str(raised.exception))

    def test_limits_of_sizes_are_shrunk(self):
        """Each kernel's first size is beyond another limit of the chip than its memory."""
        def along(axis):
            def kernel(y, x, n, block):
                for i in range(0, n, block):
                    shape, offset = [1, 1, 1, 1], [0, 0, 0, 0]
                    shape[axis], offset[axis] = min(block, n - i), i
                    whole = [n if each == axis else 1 for each in range(4)]
                    t = pl.dma.load(pl.gtensor(whole, pl.GLOBAL, x).sub_view(shape, offset))
                    pl.dma.store(pl.gtensor(whole, pl.GLOBAL, y).sub_view(shape, offset), t + t)
            return kernel

        def window(y, x, n, block):
            t = pl.dma.load(pl.gtensor([1, 8, n, n], pl.GLOBAL, x))
            once = pl.tiu.pool_max(t, [block, block], [0, 0, 0, 0], [block, block], [1, 1])
            pl.dma.store(pl.gtensor([1, 8, n // block, n // block], pl.GLOBAL, y), once)
        cases = [(f"axis {axis}", along(axis), 70000, 70000, lambda x: 2 * x, np.int8) for axis in range(4)]
        cases.append(("window", window, 32, 32, None, np.float32))
        for name, function, n, block, exact, kind in cases:
            with self.subTest(name):
                x = random.integers(-60, 60, (n,) if exact else (8, n, n)).astype(kind)
                y = np.zeros_like(x)
                with self.assertRaises(ppl.PplError) as first:
                    ppl.jit(function)[(1,)](y, x, n, block)
                self.assertNotIsInstance(first.exception, ppl.OutOfMemory)
                ppl.autotiling({"block": lambda values: values["block"] // 2})(ppl.jit(function))[(1,)](y, x, n, block)
                if exact:
                    np.testing.assert_array_equal(y, exact(x))
                used = []

                def by_hand(attempt, y, x, n, block):
                    while True:
                        used.append(block)
                        launch = attempt(y, x, n, block)
                        if launch.errorCode == 0 or block == 1:
                            return launch
                        block //= 2
                y2 = np.zeros_like(x)
                self.assertEqual(ppl.jit(function, tiling=by_hand)[(1,)](y2, x, n, block).errorCode, 0)
                self.assertEqual(used[0], block)
                self.assertGreater(len(used), 1)
                np.testing.assert_array_equal(y2, y)

    def test_mistakes_are_not_shrunk_away(self):
        """What no size mends is told as it was for the first size."""
        def wrong(y, x, n, block):
            t = pl.dma.load(pl.gtensor([1, 64, 1, n], pl.GLOBAL, x)[..., :block])
            pl.tiu.fadd(t, t, pl.make_tensor([1, 64, 1, block + 7], pl.float32))
        x = np.ones((64, 64), np.float32)
        halves = ppl.autotiling({"block": lambda values: values["block"] // 2})(ppl.jit(wrong))
        with self.assertRaisesRegex(ppl.PplError, "dst has 64"):
            halves[(1,)](x, x, 64, 64)
        by_hand = ppl.jit(wrong, tiling=lambda attempt, *values: attempt(*values))
        with self.assertRaisesRegex(ppl.PplError, "dst has 64"):
            by_hand[(1,)](x, x, 64, 64)

    def test_autotune_of_a_chip_without_prediction(self):
        x = np.ones((64, 65535), np.float32)
        launch = tuned.using(chip="bm1690")[(2,)](np.zeros_like(x), x, 65535)
        self.assertEqual(launch.config.kwargs, {"block": 64})

    def test_mistakes_of_autotune(self):
        x = np.ones((64, 512), np.float32)
        with self.assertRaisesRegex(ppl.PplError, "block of tuned is tuned; leave it out"):
            tuned[(1,)](x, x, 512, block=64)
        with self.assertRaisesRegex(ppl.PplError, "autotune names blok, which tuned has not; did you mean block"):
            ppl.autotune([{"blok": 1}])(tuned)
        with self.assertRaisesRegex(ppl.PplError, "autotune has the key m, which"):
            ppl.autotune([{"block": 1}], key=["m"])(tuned)
        with self.assertRaisesRegex(ppl.PplError, "autotune has no configs"):
            ppl.autotune([])(tuned)
        with self.assertRaisesRegex(ppl.PplError, "@ppl.autotune stands above @ppl.jit"):
            ppl.autotune([{"block": 1}])(abs)

        @ppl.autotune([{"block": 60000}, {"block": 65535}])
        @ppl.jit
        def large(y, x, block):
            pl.dma.store(pl.gtensor([1, 64, 1, 8], pl.GLOBAL, y), pl.make_tensor([2, 64, 1, block], pl.float32)[0, :, :, :8])
        with self.assertRaisesRegex(ppl.OutOfMemory, "no config can be compiled; .*block=60000: .*block=65535: "):
            large[(1,)](x, x)

        @ppl.autotune([{"block": 32}, {"block": 64}])
        @ppl.jit
        def compares(y, x, block):
            t = pl.dma.load(pl.gtensor([1, 64, 1, 512], pl.GLOBAL, x))
            if t > 0:
                pl.dma.store(pl.gtensor([1, 64, 1, 512], pl.GLOBAL, y), t)

        @ppl.autotune([{"block": 32}, {"block": 64}])
        @ppl.jit
        def wrong(y, x, block):
            t = pl.dma.load(pl.gtensor([1, 64, 1, 512], pl.GLOBAL, x))
            pl.tiu.fadd(t, t, pl.make_tensor([1, 64, 1, 7], pl.float32))
        for kernel, text in ((compares, "pl.tiu.gt_select"), (wrong, "dst has 512")):
            with self.assertRaisesRegex(ppl.PplError, text) as raised:
                kernel[(1,)](x, x)
            self.assertNotIn("smaller blocks may fit", str(raised.exception))
            self.assertEqual(str(raised.exception).count(text), 1)


class Page(unittest.TestCase):
    def test_its_examples_run(self):
        blocks = re.findall(r"```python\n(.*?)```", (DOCS / "ppl/python.md").read_text(), re.S)
        self.assertGreaterEqual(len(blocks), 4)
        path = pathlib.Path(self.enterContext(__import__("tempfile").TemporaryDirectory())) / "page.py"
        path.write_text("\n\n".join(blocks))
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            exec(compile(path.read_text(), path, "exec"), {"__name__": "page"})
        self.assertIn("pl.sigmoid_fp32", shown.getvalue())
        self.assertIn("doubled", shown.getvalue())


if __name__ == "__main__":
    unittest.main()

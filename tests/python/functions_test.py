#!/usr/bin/env python3
"""Functions of PPL through Python against formulas in numpy: on the emulator, by their meaning, and on chips that have no commands.

  functions_test.py PYTHON_FOLDER NATIVE_FOLDER
"""
import os
import sys
import unittest

import numpy as np

sys.path.insert(0, sys.argv[1])
os.environ["WEFT_NATIVE_DIR"] = sys.argv[2]
del sys.argv[1:3]
from weft import ppl  # noqa: E402
import weft.ppl.language as pl  # noqa: E402

EMULATED, MEANT = ("bm1684x", "cmodel"), ("bm1684x", "interpreter")
MACHINE = (EMULATED, MEANT)
OTHERS = (("bm1688", "interpreter"), ("bm1690", "interpreter"))
random = np.random.default_rng(1126)


def integers(kind, *shape, low=None, high=None):
    info = np.iinfo(kind)
    return random.integers(info.min if low is None else low, info.max if high is None else high, shape, kind, endpoint=True)


def floats(*shape, kind=np.float32, scale=1.0):
    return (random.standard_normal(shape) * scale).astype(kind)


def memory(pointer, array):
    return pl.gtensor(list(array.shape), pl.GLOBAL, pointer)


class Functions(unittest.TestCase):
    def check(self, body, inputs, expected, chips=MACHINE, tolerance=0):
        """`body(sources, results)` works on tensors in global memory; results begin as -1 bits."""
        for chip, mode in chips:
            outs = [np.frombuffer(b"\xff" * value.nbytes, value.dtype).reshape(value.shape).copy() for value in expected]

            @ppl.jit
            def kernel(*pointers):
                tensors = [memory(p, a) for p, a in zip(pointers, [*outs, *inputs])]
                body(tensors[len(outs):], tensors[:len(outs)])

            kernel.using(chip=chip, mode=mode)[(1,)](*outs, *inputs)
            for got, wanted in zip(outs, expected):
                if tolerance:
                    np.testing.assert_allclose(got.astype(float), wanted.astype(float), rtol=tolerance, atol=0, err_msg=f"{chip} {mode}")
                else:
                    np.testing.assert_array_equal(got, wanted, err_msg=f"{chip} {mode}")

    def local(self, function, inputs, expected, **options):
        """The same for a function of local tensors that returns one."""
        def body(sources, results):
            pl.dma.store(results[0], function(*(pl.dma.load(source) for source in sources)))
        self.check(body, inputs, [expected], **options)

    def test_reverse(self):
        x = integers(np.int16, 2, 5, 3, 7)

        def body(sources, results):
            t = pl.dma.load(sources[0])
            u = pl.make_tensor(t.shape, t.dtype)
            pl.dma.reverse(u, t, 1)
            pl.dma.store(results[0], u)

        self.check(body, [x], [x[:, ::-1].copy()], chips=(("bm1690", "interpreter"), ("sg2380", "interpreter")))

    def test_leading_bits(self):
        x = np.concatenate([integers(np.uint32, 1, 4, 1, 40) >> random.integers(0, 32, (1, 4, 1, 40)).astype(np.uint32),
                            np.zeros((1, 4, 1, 1), np.uint32), np.full((1, 4, 1, 1), 2 ** 32 - 1, np.uint32)], 3)
        ones = np.vectorize(lambda value: 32 - int(value).bit_length())

        for name, expected in (("clz", ones(x)), ("clo", ones(~x))):
            self.local(lambda t: self.counted(name, t), [x],
                       expected.astype(np.uint8), chips=(*MACHINE, ("sg2380", "interpreter")))

    @staticmethod
    def counted(name, t):
        out = pl.make_tensor(t.shape, pl.uint8)
        getattr(pl.tiu, name)(out, t)
        return out

    def test_shifts_round_in_seven_ways(self):
        x = integers(np.int32, 1, 3, 4, 9)
        x[0, 0, 0, :4] = [48, -48, 16, -16]
        exact = x.astype(np.int64)
        floor, half = exact >> 5, 1 << 4
        rest = exact - (floor << 5)
        nearest = {pl.RM_HALF_UP: rest >= half, pl.RM_HALF_DOWN: rest > half,
                   pl.RM_HALF_TO_EVEN: (rest > half) | ((rest == half) & (floor % 2 == 1)),
                   pl.RM_HALF_AWAY_FROM_ZERO: (rest > half) | ((rest == half) & (exact > 0)),
                   pl.RM_DOWN: rest < 0, pl.RM_UP: rest > 0, pl.RM_TOWARDS_ZERO: (rest > 0) & (exact < 0)}
        for mode, up in nearest.items():
            self.local(lambda t: pl.tiu.shift(t, shift=-5, r_mode=mode), [x], (floor + up).astype(np.int32), chips=(*MACHINE, *OTHERS))

    def test_rotation(self):
        x = integers(np.uint16, 1, 3, 4, 9)
        self.local(lambda t: pl.tiu.circular_shift(t, shift=5), [x], (x << 5 | x >> 11).astype(np.uint16))

    def test_multiply_accumulate(self):
        a, b = integers(np.int8, 1, 3, 4, 9), integers(np.int8, 1, 3, 4, 9)
        old = integers(np.int16, 1, 3, 4, 9)

        def body(sources, results):
            x, y, total = (pl.dma.load(source) for source in sources)
            pl.tiu.mac(total, x, y, 1, 4, pl.RM_HALF_UP)
            pl.dma.store(results[0], total)

        total = (old.astype(np.int64) << 1) + a.astype(np.int64) * b
        expected = np.clip((total + 8) >> 4, -32768, 32767).astype(np.int16)
        self.check(body, [a, b, old], [expected], chips=(*MACHINE, *OTHERS))

    def test_vectors_crossed(self):
        a, b = integers(np.int16, 1, 3, 1, 4), integers(np.int16, 1, 3, 1, 8)
        expected = np.minimum.outer(a.ravel(), b.ravel()).reshape(12, 3, 1, 8)
        self.local(lambda x, y: pl.tiu.vc_min(x, y), [a, b], expected)

    def test_scale_and_bias_of_channels(self):
        x, s, b = floats(2, 5, 3, 4), floats(1, 5, 1, 1), floats(1, 5, 1, 1)

        def body(sources, results):
            t = pl.dma.load(sources[0])
            scale, bias = (pl.dma.load(source, align_mode=pl.TPU_COMPACT) for source in sources[1:])
            pl.dma.store(results[0], pl.tiu.fscale(t, scale=scale, bias=bias))
            pl.dma.store(results[1], pl.tiu.fadd_sqr(t, bias))

        self.check(body, [x, s, b], [x * s + b, (x + b) * (x + b)], chips=(*MACHINE, *OTHERS))

    def test_dequantize(self):
        x = integers(np.int8, 1, 5, 3, 8)

        def body(sources, results):
            t = pl.dma.load(sources[0])
            real = pl.make_tensor(t.shape, pl.float32)
            pl.tiu.dq0(real, t, pl.RM_HALF_TO_EVEN, 3, 0.37)
            pl.dma.store(results[0], real)
            whole = pl.make_tensor(t.shape, pl.int16)
            pl.tiu.dq1(whole, t, pl.RM_HALF_AWAY_FROM_ZERO, offset=-7, multiplier=1000, shift=-3)
            pl.dma.store(results[1], whole)

        exact = (x.astype(np.int64) + 7) * 1000
        away = np.sign(exact) * ((np.abs(exact) + 4) >> 3)
        self.check(body, [x], [(x.astype(np.float32) - 3) * np.float32(0.37), np.clip(away, -32768, 32767).astype(np.int16)],
                   chips=(*MACHINE, ("bm1690", "interpreter")))

    def test_dequantize_in_groups(self):
        x = integers(np.int8, 1, 4, 2, 64)
        offset, scale = floats(1, 4, 2, 2, kind=np.float16), floats(1, 4, 2, 2, kind=np.float16)
        packed = offset.view(np.uint16).astype(np.uint32) | scale.view(np.uint16).astype(np.uint32) << 16

        def body(sources, results):
            out = pl.make_tensor([1, 4, 2, 64], pl.float16)
            pl.tiu.dq2(out, pl.dma.load(sources[0]), pl.dma.load(sources[1], align_mode=pl.TPU_COMPACT), 32)
            pl.dma.store(results[0], out)

        wide = np.repeat(offset, 32, 3), np.repeat(scale, 32, 3)
        difference = (x.astype(np.float64) - wide[0]).astype(np.float16)
        expected = (difference.astype(np.float64) * wide[1]).astype(np.float16)
        self.check(body, [x, packed], [expected], chips=(MEANT, ("bm1690", "interpreter")))

    def test_requantize(self):
        x = integers(np.int32, 1, 5, 3, 8, low=-10 ** 6, high=10 ** 6)

        def body(sources, results):
            t = pl.dma.load(sources[0])
            out = pl.make_tensor(t.shape, pl.int8)
            pl.tiu.rq1(out, t, pl.RM_HALF_UP, multiplier=12345, shift=-26, offset=10)
            pl.dma.store(results[0], out)
            real = pl.make_tensor(t.shape, pl.int8)
            pl.tiu.rq0(real, t, pl.RM_HALF_TO_EVEN, pl.RM_HALF_TO_EVEN, scale=2.0 ** -13, offset=-1.5)
            pl.dma.store(results[1], real)
            pl.tiu.rq0(real, t, 2.0 ** -13, -1.5)
            pl.dma.store(results[2], real)

        whole = ((x.astype(np.int64) * 12345 + (1 << 25)) >> 26) + 10
        real = np.rint(x * 2.0 ** -13 - 1.5)
        self.check(body, [x], [np.clip(whole, -128, 127).astype(np.int8), *[np.clip(real, -128, 127).astype(np.int8)] * 2],
                   chips=(*MACHINE, ("bm1690", "interpreter")))

    def test_gather_and_scatter_along_w(self):
        param, index = floats(1, 5, 1, 70, kind=np.float16), integers(np.uint8, 1, 30, 1, 1, low=0, high=69)
        spread = random.permutation(70)[:30].astype(np.uint8).reshape(1, 30, 1, 1)
        values, old = floats(1, 5, 1, 30, kind=np.float16), floats(1, 5, 1, 70, kind=np.float16)

        def body(sources, results):
            table, which, into, part, whole = sources
            out = pl.make_tensor([1, 5, 1, 30], pl.float16)
            pl.tiu.gather_w(out, pl.dma.load(table), pl.dma.load(which, align_mode=pl.TPU_COMPACT))
            pl.dma.store(results[0], out)
            target = pl.dma.load(whole)
            pl.tiu.scatter_w(target, pl.dma.load(part), pl.dma.load(into, align_mode=pl.TPU_COMPACT))
            pl.dma.store(results[1], target)

        scattered = old.copy()
        scattered[0, :, 0, spread.ravel()] = values[0, :, 0].T
        self.check(body, [param, index, spread, values, old], [param[..., index.ravel()], scattered], chips=(*MACHINE, *OTHERS))

    def test_gather_of_pixels(self):
        param = floats(1, 5, 6, 7)
        places = np.stack([integers(np.uint16, 20, low=0, high=6), integers(np.uint16, 20, low=0, high=5)], 1).reshape(1, 20, 1, 2)

        def body(sources, results):
            out = pl.make_tensor([1, 5, 4, 5], pl.float32)
            pl.tiu.gather_hw(out, pl.dma.load(sources[0]), pl.dma.load(sources[1], align_mode=pl.TPU_COMPACT))
            pl.dma.store(results[0], out)

        expected = param[0][:, places[0, :, 0, 1], places[0, :, 0, 0]].reshape(1, 5, 4, 5)
        self.check(body, [param, places], [expected])

    def test_selection_by_mask(self):
        x, mask = integers(np.int16, 1, 6, 1, 40), integers(np.uint8, 1, 6, 1, 40, low=0, high=1)
        old = integers(np.int16, 1, 6, 1, 40)

        def body(sources, results):
            values, flags, before = (pl.dma.load(source) for source in sources)
            count = pl.make_tensor([1, 6, 1, 1], pl.uint16, align_mode=pl.TPU_COMPACT)
            pl.tiu.mask_select(before, count, values, flags)
            pl.dma.store(results[0], before)
            pl.dma.store(results[1], count)

        expected = old.copy()
        for c in range(6):
            chosen = x[0, c, 0][mask[0, c, 0] != 0]
            expected[0, c, 0, :len(chosen)] = chosen
        self.check(body, [x, mask, old], [expected, mask.sum(3, keepdims=True).astype(np.uint16)], chips=(*MACHINE, *OTHERS))

    def test_positions_of_what_is_not_zero(self):
        x = integers(np.int16, 1, 6, 1, 40, low=0, high=2)
        old = integers(np.int16, 1, 6, 1, 40)

        def body(sources, results):
            values, before = (pl.dma.load(source) for source in sources)
            count = pl.make_tensor([1, 6, 1, 1], pl.uint16, align_mode=pl.TPU_COMPACT)
            pl.tiu.nonzero(before, count, values)
            pl.dma.store(results[0], before)

        expected = old.copy()
        for c in range(6):
            places = np.flatnonzero(x[0, c, 0])
            expected[0, c, 0, :len(places)] = places
        self.check(body, [x, old], [expected], chips=(*MACHINE, ("sg2380", "interpreter")))

    def test_rows_of_memory_by_index(self):
        param, index = floats(1, 3, 9, 7), integers(np.uint32, 1, 3, 5, 1, low=0, high=10)

        def body(sources, results):
            pl.dma.gather_h(results[0], sources[0], sources[1], const_val=4.5)

        expected = np.full((1, 3, 5, 7), 4.5, np.float32)
        for c in range(3):
            for h in range(5):
                if index[0, c, h, 0] < 9:
                    expected[0, c, h] = param[0, c, index[0, c, h, 0]]
        self.check(body, [param, index], [expected], chips=(*MACHINE, *OTHERS))

    def test_largest_of_a_line(self):
        x = integers(np.int32, 1, 1, 1, 100, low=-20, high=20)

        def body(sources, results):
            pl.hau.topk(results[0], sources[0], 12, True, dst_idx=results[1])

        order = np.argsort(-x.ravel().astype(np.int64), kind="stable")[:12]
        self.check(body, [x], [x[..., order], order.astype(np.int32).reshape(1, 1, 1, 12)], chips=(*MACHINE, ("bm1690", "interpreter")))

    def test_exchange_of_axes(self):
        x = integers(np.int16, 1, 20, 3, 9)

        def body(sources, results):
            out = pl.make_tensor([1, 9, 3, 20], pl.int16, align_mode=pl.TPU_ROW_ALIGN)
            pl.tiu.transpose_cw(out, pl.dma.load(sources[0]))
            pl.dma.store(results[0], out)
            loaded = pl.make_tensor([20, 1, 3, 9], pl.int16)
            pl.dma.load_transpose_nc(loaded, sources[0])
            pl.dma.store(results[1], loaded)

        self.check(body, [x], [x.transpose(0, 3, 2, 1).copy(), x.transpose(1, 0, 2, 3).copy()], chips=(*MACHINE, ("bm1690", "interpreter")))

    def test_one_channel_for_all_lanes_and_counting(self):
        x = floats(2, 1, 3, 4)

        def body(sources, results):
            pl.dma.store(results[0], pl.tiu.broadcast(pl.dma.load(sources[0]), npu_num=9))
            count = pl.make_tensor([1, pl.lane_num(), 1, 50], pl.int32)
            pl.tiu.arange_broadcast(count, -3, 7, 50)
            pl.dma.store(results[1], count[:, 5:6])

        self.check(body, [x], [np.repeat(x, 9, 1), (np.arange(50, dtype=np.int32) * 7 - 3).reshape(1, 1, 1, 50)],
                   chips=(*MACHINE, ("bm1690", "interpreter")))

    def test_system_dma_and_reduction(self):
        x, y = floats(2, 3, 4, 5), floats(2, 3, 4, 5)

        def body(sources, results):
            pl.sdma.transpose_nc(results[0], sources[0])
            total = pl.gtensor([2, 3, 4, 5], pl.L2, dtype=pl.float32)
            pl.dma.reduce(total, pl.dma.load(sources[0]), pl.PSUM_WO, pl.ALL_REDUCE_NOP)
            pl.dma.reduce(total, pl.dma.load(sources[1]), pl.PSUM_WR, pl.ALL_REDUCE_MAX)
            pl.sdma.move(results[1], total)

        self.check(body, [x, y], [x.transpose(1, 0, 2, 3).copy(), np.maximum(x, y)], chips=(("bm1690", "interpreter"),))

    def test_vector_registers(self):
        x = integers(np.int32, 1, 1, 1, 64)

        def body(sources, results):
            pl.vset(32, 4, 16)
            pl.dma.vload(0, sources[0])
            pl.dma.vstore(results[0], 0)

        self.check(body, [x], [x], chips=(("sg2380", "interpreter"),))


if __name__ == "__main__":
    unittest.main()

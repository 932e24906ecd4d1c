"""Softmax of rows: f16 in memory, f32 inside; the next rows are loaded while these are computed."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl

NOTHING = float("-inf")  # behind a row: no number of it is less


@ppl.autotiling({"block": lambda values: values["block"] // 2})
@ppl.jit
def softmax(y, x, rows, columns, block: pl.constexpr):
    shape = [1, rows, 1, columns]
    x_global, y_global = pl.gtensor(shape, pl.GLOBAL, x), pl.gtensor(shape, pl.GLOBAL, y)
    for row in range(0, rows, block):
        pl.enable_pipeline()
        count = min(block, rows - row)
        full, part = [1, block, 1, columns], [1, count, 1, columns]
        loaded = pl.make_tensor(full, pl.float16, part)
        pl.dma.load(loaded, x_global[:, row:row + count])
        wide, e = (pl.make_tensor(full, pl.float32, part) for _ in range(2))
        top, total = (pl.make_tensor([1, block, 1, 1], pl.float32, [1, count, 1, 1]) for _ in range(2))
        pl.tiu.cast(wide, loaded)
        pl.quick_pooling(top, wide, full, part, NOTHING, 0)
        pl.exp_no_overflow(e, wide - top, full, part)
        pl.quick_pooling(total, e, full, part, 0.0, 1)
        pl.dma.store(y_global[:, row:row + count], pl.tiu.cast(e * (1.0 / total), type=pl.float16))


def over_lanes(x, fill, mode):
    """The maximum (mode 0) or sum (1) of x [1, lanes, 1, w], in every lane: of each lane, then of these in one, then copied."""
    lanes = x.shape[1]
    own, row = pl.make_tensor([1, lanes, 1, 1], pl.float32), pl.make_tensor([1, 1, 1, lanes], pl.float32)
    one, every = pl.make_tensor([1, 1, 1, 1], pl.float32), pl.make_tensor([1, lanes, 1, 1], pl.float32)
    pl.quick_pooling(own, x, x.shape, x.shape, fill, mode)
    pl.tiu.transpose_wc(row, own)
    pl.quick_pooling(one, row, row.shape, row.shape, fill, mode)
    pl.tiu.broadcast(every, one)
    return every


@ppl.jit
def softmax_spread(y, x, rows, columns):
    """Few long rows: each lies in all lanes, w columns in one; what the last lane has behind its columns is filled."""
    width = ((columns + pl.LANE_NUM - 1) // pl.LANE_NUM + 15) // 16 * 16
    lanes = (columns + width - 1) // width
    rest = columns - (lanes - 1) * width  # of the last lane
    for row in range(rows):
        pl.enable_pipeline()

        def parts(pointer):
            line = pl.gtensor([1, rows, 1, columns], pl.GLOBAL, pointer)[:, row:row + 1]
            step = [columns, width, width, 1]
            if lanes > 1:
                yield slice(0, lanes - 1), width, line[:, :, :, :(lanes - 1) * width].view([1, lanes - 1, 1, width], step)
            yield slice(lanes - 1, lanes), rest, line[:, :, :, (lanes - 1) * width:]

        shape = [1, lanes, 1, width]
        loaded, result = (pl.make_tensor(shape, pl.float16) for _ in range(2))
        wide, e = (pl.make_tensor(shape, pl.float32) for _ in range(2))
        for which, count, part in parts(x):
            pl.dma.load(loaded[:, which, :, :count], part)
        pl.tiu.cast(wide, loaded)
        if rest < width:
            pl.tiu.fill(wide[:, lanes - 1:, :, rest:], NOTHING)
        pl.exp_no_overflow(e, wide - over_lanes(wide, NOTHING, 0), shape, shape)
        pl.tiu.cast(result, e * (1.0 / over_lanes(e, 0.0, 1)))
        for which, count, part in parts(y):
            pl.dma.store(part, result[:, which, :, :count])


def compare(kernel, rows, columns, *block):
    x = np.random.default_rng(0).uniform(-8, 8, (rows, columns)).astype(np.float16)
    y = np.zeros_like(x)
    launch = kernel[(1,)](y, x, rows, columns, *block)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    expected = e / e.sum(1, keepdims=True)
    # The result is rounded to f16: half an ulp, or half the smallest number. An exponent below 16 in f32 costs 2^-20.
    assert np.all(np.abs(y - expected) <= (2**-11 + 2**-19) * expected + 2**-25)
    return launch.profile()["total_cycles"]


def main():
    compare(softmax_spread, 2, 32001)
    print("softmax:", compare(softmax, 131, 1001, 64), "cycles")


if __name__ == "__main__":
    main()

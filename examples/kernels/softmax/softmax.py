"""Softmax of rows: f16 in memory, f32 inside; the next rows are loaded while these are computed."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


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
        pl.quick_pooling(top, wide, full, part, -3.0e38, 0)
        pl.exp_no_overflow(e, wide - top, full, part)
        pl.quick_pooling(total, e, full, part, 0.0, 1)
        pl.dma.store(y_global[:, row:row + count], pl.tiu.cast(e * (1.0 / total), type=pl.float16))


def main():
    rows, columns = 131, 1001
    x = np.random.default_rng(0).uniform(-8, 8, (rows, columns)).astype(np.float16)
    y = np.zeros_like(x)
    launch = softmax[(1,)](y, x, rows, columns, 64)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    expected = e / e.sum(1, keepdims=True)
    # The result is rounded to f16: half an ulp, or half the smallest number. An exponent below 16 in f32 costs 2^-20.
    assert np.all(np.abs(y - expected) <= (2**-11 + 2**-19) * expected + 2**-25)
    print("softmax:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

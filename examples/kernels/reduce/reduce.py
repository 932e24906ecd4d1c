"""Sum of rows: f16 in memory, f32 inside; the next rows are loaded while these are added up."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


@ppl.autotiling({"block": lambda values: values["block"] // 2})
@ppl.jit
def reduce(y, x, rows, columns, block: pl.constexpr):
    x_global = pl.gtensor([1, rows, 1, columns], pl.GLOBAL, x)
    y_global = pl.gtensor([1, rows, 1, 1], pl.GLOBAL, y)
    for row in range(0, rows, pl.LANE_NUM):
        count = min(pl.LANE_NUM, rows - row)
        total = pl.make_tensor([1, count, 1, 1], pl.float32)
        pl.tiu.fill(total, 0)
        for start in range(0, columns, block):
            pl.enable_pipeline()
            some = min(block, columns - start)
            full, part = [1, count, 1, block], [1, count, 1, some]
            loaded, wide = (pl.make_tensor(full, kind, part) for kind in (pl.float16, pl.float32))
            pl.dma.load(loaded, x_global[:, row:row + count, :, start:start + some])
            pl.tiu.cast(wide, loaded)
            its = pl.make_tensor([1, count, 1, 1], pl.float32)
            pl.quick_pooling(its, wide, full, part, 0.0, 1)
            pl.tiu.fadd(total, total, its)
        pl.dma.store(y_global[:, row:row + count], pl.tiu.cast(total, type=pl.float16))


def main():
    rows, columns = 131, 5001
    x = np.random.default_rng(0).uniform(-1, 1, (rows, columns)).astype(np.float16)
    y = np.zeros(rows, np.float16)
    launch = reduce[(1,)](y, x, rows, columns, 2048)
    expected = x.astype(np.float64).sum(1)
    # The result is rounded to f16; chains of 160 additions in f32, of sums below 64, cost 160 * 2^-19 at most.
    assert np.all(np.abs(y - expected) <= 1.01 * 2**-11 * np.abs(expected) + 160 * 2**-19)
    print("reduce:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

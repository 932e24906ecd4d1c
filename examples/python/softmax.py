"""Softmax over the last axis, one row in each lane."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


@ppl.jit
def softmax(y, x, rows, columns, block: pl.constexpr):
    room = pl.align(columns, pl.get_eu_num(pl.float32))  # quick_pooling fills up rows
    source, target = (pl.gtensor([1, rows, 1, columns], pl.GLOBAL, p) for p in (x, y))
    for row in range(0, rows, block):
        pl.enable_pipeline()
        count = min(block, rows - row)
        real = [1, count, 1, columns]
        t = pl.make_tensor([1, block, 1, room], pl.float32, real)
        e = pl.make_tensor([1, block, 1, room], pl.float32, real)
        pl.dma.load(t, source[:, row:row + count])
        pl.tiu.fexp(e, t - pl.quick_pooling(t, 0))
        pl.dma.store(target[:, row:row + count], e / pl.quick_pooling(e, 1))


def main():
    rows, columns = 300, 77
    x = (np.random.default_rng(0).standard_normal((rows, columns)) * 5).astype(np.float32)
    y = np.zeros_like(x)
    launch = softmax[(1,)](y, x, rows, columns, 128)
    power = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    assert np.abs(y - power / power.sum(1, keepdims=True)).max() < 1e-6
    print("softmax:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

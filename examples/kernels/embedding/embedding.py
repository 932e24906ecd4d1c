"""Rows of a table by index, through local memory."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


@ppl.autotiling({"block": lambda values: (values["block"] + 1) // 2})
@ppl.jit
def embedding(y, table, indices, rows, width, count, block: pl.constexpr):
    table_global = pl.gtensor([1, 1, rows, width], pl.GLOBAL, table)
    y_global = pl.gtensor([1, 1, count, width], pl.GLOBAL, y)
    places = pl.gtensor([1, 1, count, 1], pl.GLOBAL, indices)
    for i in range(0, count, block):
        some = min(block, count - i)
        picked = pl.make_tensor([1, 1, block, width], pl.float16, [1, 1, some, width])
        pl.dma.gather_h(picked, table_global, places[:, :, i:i + some], 0)
        pl.dma.store(y_global[:, :, i:i + some], picked)


def main():
    rows, width, count = 500, 300, 777
    random = np.random.default_rng(0)
    table = random.standard_normal((rows, width)).astype(np.float16)
    indices = random.integers(0, rows, count).astype(np.uint32)
    y = np.zeros((count, width), np.float16)
    launch = embedding[(1,)](y, table, indices, rows, width, count, 256)
    assert np.array_equal(y, table[indices])
    print("embedding:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

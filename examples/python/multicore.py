"""One kernel on one core or eight: each takes its share of the rows. BM1690 has no commands in Weft, it is interpreted."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


@ppl.jit
def scale(y, x, rows, columns, factor):
    share = pl.cdiv(rows, pl.get_block_num())
    first = share * pl.get_core_index()
    count = min(share, rows - first)
    if count > 0:
        shape = [1, rows, 1, columns]
        t = pl.dma.load(pl.gtensor(shape, pl.GLOBAL, x)[:, first:first + count])
        pl.dma.store(pl.gtensor(shape, pl.GLOBAL, y)[:, first:first + count], pl.tiu.fmul(t, factor))
    pl.sync()


def main():
    x = np.random.default_rng(0).standard_normal((100, 50)).astype(np.float32)
    for chip, cores in (("bm1684x", 1), ("bm1688", 2), ("bm1690", 8)):
        y = np.zeros_like(x)
        scale.using(chip=chip)[(cores,)](y, x, 100, 50, 2.5)
        assert np.array_equal(y, np.float32(2.5) * x)
    print("multicore: fine")


if __name__ == "__main__":
    main()

"""Rows of a table by index, and back: a lookup of embeddings and the sum of its inverse."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


@ppl.jit
def lookup(y, table, index, count, words, width):
    index.set_dtype(pl.pu32_t)  # numpy's int32 as the unsigned numbers that the engine takes
    pl.dma.gather_h(pl.gtensor([1, 1, count, width], pl.GLOBAL, y), pl.gtensor([1, 1, words, width], pl.GLOBAL, table),
                    pl.gtensor([1, 1, count, 1], pl.GLOBAL, index))


@ppl.jit
def spread(table, rows, index, count, words, width):
    index.set_dtype(pl.pu32_t)
    pl.dma.scatter_h(pl.gtensor([1, 1, words, width], pl.GLOBAL, table), pl.gtensor([1, 1, count, width], pl.GLOBAL, rows),
                     pl.gtensor([1, 1, count, 1], pl.GLOBAL, index))


def main():
    words, width, count = 500, 64, 120
    random = np.random.default_rng(0)
    table = random.standard_normal((words, width)).astype(np.float16)
    index = random.permutation(words)[:count].astype(np.int32)
    y = np.zeros((count, width), np.float16)
    lookup[(1,)](y, table, index, count, words, width)
    assert np.array_equal(y, table[index])
    back = np.zeros_like(table)
    spread[(1,)](back, y, index, count, words, width)
    assert np.array_equal(back[index], y) and np.count_nonzero(back.any(1)) == count
    print("gather_scatter: fine")


if __name__ == "__main__":
    main()

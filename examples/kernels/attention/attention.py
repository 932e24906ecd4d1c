"""Attention of grouped heads: f16 with softmax in f32, a group of query heads and its keys a round, some rows at a time.

The number of rows is chosen by predicted cycles; blocks that do not fit local memory are passed over. attention.cpp also cuts keys into tiles.
"""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


@ppl.autotune([{"block": block} for block in (64, 128, 256, 512)], key=["heads", "kv_heads", "rows", "keys", "d"])
@ppl.jit
def attention(y, q, k, v, heads, kv_heads, rows, keys, d, block: pl.constexpr):
    group = heads // kv_heads * rows  # the rows of a group are one matrix
    queries, result = (pl.gtensor([kv_heads, group, 1, d], pl.GLOBAL, p) for p in (q, y))
    all_keys, all_values = (pl.gtensor([kv_heads, keys, 1, d], pl.GLOBAL, p) for p in (k, v))
    room = pl.align(keys, pl.get_eu_num(pl.float32))  # quick_pooling fills up rows
    steps = [(head, row) for head in range(kv_heads) for row in range(0, group, block)]
    for head, row in steps:
        pl.enable_pipeline()
        last = min(row + block, group)
        real = [1, last - row, 1, keys]
        left = pl.dma.load(queries[head:head + 1, row:last])
        right = pl.dma.load(all_keys[head:head + 1])
        values = pl.dma.load(all_values[head:head + 1])
        scores = pl.make_tensor([1, block, 1, room], pl.float32, real)
        power = pl.make_tensor([1, block, 1, room], pl.float32, real)
        products = pl.make_tensor([1, last - row, 1, d], pl.float32)
        pl.tiu.fmm2(scores, left, right, rtrans=True)
        shifted = (scores - pl.quick_pooling(scores, 0)) * d ** -0.5
        pl.tiu.fexp(power, shifted)
        pl.tiu.fmm2(products, pl.tiu.cast(power, type=pl.float16), values)
        pl.dma.store(result[head:head + 1, row:last], pl.tiu.cast(products / pl.quick_pooling(power, 1), type=pl.float16))


def main():
    heads, kv_heads, rows, keys, d = 6, 2, 50, 77, 64
    random = np.random.default_rng(0)
    q = random.uniform(-2, 2, (heads, rows, d)).astype(np.float16)
    k = random.uniform(-2, 2, (kv_heads, keys, d)).astype(np.float16)
    v = random.uniform(-1, 1, (kv_heads, keys, d)).astype(np.float16)
    y = np.zeros_like(q)
    launch = attention[(1,)](y, q, k, v, heads, kv_heads, rows, keys, d)
    wide_k, wide_v = (np.repeat(a.astype(np.float64), heads // kv_heads, 0) for a in (k, v))
    scores = q.astype(np.float64) @ wide_k.transpose(0, 2, 1) / d ** 0.5
    weights = np.exp(scores - scores.max(2, keepdims=True))
    expected = weights / weights.sum(2, keepdims=True) @ wide_v
    # Weights of sum 1 and the result are rounded to f16, values are at most 1.
    assert np.abs(y - expected).max() <= 2.1 * 2 ** -11
    print("attention:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

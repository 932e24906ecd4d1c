"""Matrix product in tiles: f16 operands, f32 sums over K, loads of the next tile while this one is multiplied."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


@ppl.jit(tiling="search")
def matmul(y, left, right, M, K, N, block_m: pl.constexpr, block_n: pl.constexpr, block_k: pl.constexpr):
    rows = pl.gtensor([1, M, 1, K], pl.GLOBAL, left)
    columns = pl.gtensor([1, K, 1, N], pl.GLOBAL, right)
    result = pl.gtensor([1, M, 1, N], pl.GLOBAL, y)
    for m in range(0, M, block_m):
        for n in range(0, N, block_n):
            height, width = min(block_m, M - m), min(block_n, N - n)
            total = pl.make_tensor([1, block_m, 1, block_n], pl.float32, [1, height, 1, width])
            pl.tiu.zero(total)
            for k in range(0, K, block_k):
                pl.enable_pipeline()
                depth = min(block_k, K - k)
                a = pl.make_tensor([1, block_m, 1, block_k], pl.float16, [1, height, 1, depth])
                b = pl.make_tensor([1, block_k, 1, block_n], pl.float16, [1, depth, 1, width])
                pl.dma.load(a, rows[:, m:m + height, :, k:k + depth])
                pl.dma.load(b, columns[:, k:k + depth, :, n:n + width])
                pl.tiu.fmm2(total, a, b, result_add=True, out_dtype=pl.float32)
            pl.dma.store(result[:, m:m + height, :, n:n + width], pl.tiu.cast(total, type=pl.float16))


def main():
    M, K, N = 200, 700, 384
    random = np.random.default_rng(0)
    left, right = (random.standard_normal(shape).astype(np.float16) for shape in ((M, K), (K, N)))
    y = np.zeros((M, N), np.float16)
    launch = matmul[(1,)](y, left, right, M, K, N)
    expected = left.astype(np.float64) @ right.astype(np.float64)
    # K products summed in f32, the result rounded to f16.
    bound = K * 2 ** -24 * (np.abs(left.astype(float)) @ np.abs(right.astype(float))) + 2 ** -11 * np.abs(expected)
    assert np.all(np.abs(y - expected) <= bound)
    print("matmul:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

"""W4A16: f16 rows times weights of 4-bit codes, with a scale and a zero point for each group of a row.

The layouts are those of coded_matmul.cpp; block is the number of rounds over the lanes that are decoded at a time, chosen by predicted cycles.
"""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


@ppl.autotune([{"block": block} for block in (1, 2, 4)], key=["M", "K", "N", "group"])
@ppl.jit
def w4a16(y, x, codes, scales, zeros, M, K, N, group, block: pl.constexpr):
    lanes, groups = pl.LANE_NUM, K // group
    rounds = pl.cdiv(N, lanes)
    constants = [1, lanes, rounds, groups]
    scale = pl.dma.load(pl.gtensor(constants, pl.GLOBAL, scales), align_mode=pl.TPU_COMPACT)
    zero = pl.dma.load(pl.gtensor(constants, pl.GLOBAL, zeros), align_mode=pl.TPU_COMPACT)
    left = pl.dma.load(pl.gtensor([1, M, 1, K], pl.GLOBAL, x))
    weights, result = pl.gtensor([1, N, 1, K // 2], pl.GLOBAL, codes), pl.gtensor([1, M, 1, N], pl.GLOBAL, y)
    for first in range(0, rounds, block):
        pl.enable_pipeline()
        count = min(block, rounds - first)
        begin, end = first * lanes, min((first + count) * lanes, N)
        each = dict(shape=[count, lanes, groups, 1], stride=[groups, rounds * groups, 1, 1])
        shape = [count, lanes, groups, group // 2]
        packed = pl.make_tensor([1, count * lanes, 1, K // 2], pl.uint8, align_mode=pl.TPU_COMPACT)
        pl.dma.load_compact(packed[:, :end - begin], weights[:, begin:end])
        numbers = pl.make_tensor([1, count * lanes, 1, K], pl.float16)
        grouped = numbers.view(shape=[count, lanes, groups, group], stride=[K, K, group, 1])
        for part in range(2):
            code = pl.make_tensor(shape, pl.uint8, align_mode=pl.TPU_COMPACT)
            step = pl.make_tensor(shape, pl.int8, align_mode=pl.TPU_COMPACT)
            number = pl.make_tensor(shape, pl.float16, align_mode=pl.TPU_COMPACT)
            if part == 0:
                pl.tiu.bitwise_and(code, packed.view(shape=shape), 15)
            else:
                pl.tiu.logical_shift(code, packed.view(shape=shape), -4, pl.RM_DOWN)
            pl.tiu.sub(step, code, zero[:, :, first:first + count].view(**each))
            pl.tiu.cast(number, step)
            half = slice(part * group // 2, (part + 1) * group // 2)
            pl.tiu.fmul(grouped[:, :, :, half], number, scale[:, :, first:first + count].view(**each))
        product = pl.make_tensor([1, M, 1, end - begin], pl.float16)
        pl.tiu.fmm2(product, left, numbers[:, :end - begin], rtrans=True)
        pl.dma.store(result[:, :, :, begin:end], product)


def in_lanes(values, lanes):
    """[N, groups] as [lanes, rounds, groups]: column n lies in lane n % lanes."""
    columns, groups = values.shape
    padded = np.zeros((-(-columns // lanes) * lanes, groups), values.dtype)
    padded[:columns] = values
    return np.ascontiguousarray(padded.reshape(-1, lanes, groups).transpose(1, 0, 2))


def main():
    M, K, N, group = 16, 512, 200, 64
    lanes = 64  # of bm1684x
    random = np.random.default_rng(0)
    x = random.standard_normal((M, K)).astype(np.float16)
    codes = random.integers(0, 16, (N, K // group, group), np.uint8)
    scales = random.uniform(0.001, 0.01, (N, K // group)).astype(np.float16)
    zeros = random.integers(0, 16, (N, K // group), np.uint8)
    packed = codes[:, :, :group // 2] | codes[:, :, group // 2:] << 4
    y = np.zeros((M, N), np.float16)
    launch = w4a16[(1,)](y, x, np.ascontiguousarray(packed), in_lanes(scales, lanes), in_lanes(zeros, lanes), M, K, N, group)
    # Numbers are rounded to f16, as on the chip.
    weights = (codes.astype(np.float32) - zeros[:, :, None]) * scales[:, :, None].astype(np.float32)
    weights = weights.astype(np.float16).astype(np.float64).reshape(N, K)
    expected = x.astype(np.float64) @ weights.T
    # K products summed in f32, the result rounded to f16.
    bound = K * 2 ** -23 * (np.abs(x.astype(float)) @ np.abs(weights.T)) + 2 ** -11 * np.abs(expected)
    assert np.all(np.abs(y - expected) <= bound)
    print("coded_matmul:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

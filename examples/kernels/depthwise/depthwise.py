"""Depthwise convolution of f16 with a bias: some channels a round. Their number is chosen by predicted cycles; it divides the channels."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


@ppl.autotune([{"block": block} for block in (8, 16, 32, 64)], key=["n", "c", "h", "w", "size"])
@ppl.jit
def depthwise(y, x, filters, bias, n, c, h, w, size, block: pl.constexpr):
    block = next(count for count in range(min(block, c), 0, -1) if c % count == 0)
    rows, columns = h - size + 1, w - size + 1
    image, result = pl.gtensor([n, c, h, w], pl.GLOBAL, x), pl.gtensor([n, c, rows, columns], pl.GLOBAL, y)
    # Blocks of channels that all begin in lane 0.
    shape = [c // block, block]
    weights = pl.dma.load(pl.gtensor([*shape, size, size], pl.GLOBAL, filters), align_mode=pl.TPU_COMPACT)
    biases = pl.dma.load(pl.gtensor([*shape, 1, 1], pl.GLOBAL, bias), align_mode=pl.TPU_COMPACT)
    for i in range(n * c // block):
        pl.enable_pipeline()
        number, part = i // (c // block), i % (c // block)
        channels = slice(part * block, (part + 1) * block)
        source = pl.dma.load(image[number:number + 1, channels])
        target = pl.make_tensor([1, block, rows, columns], pl.float16)
        pl.tiu.fdw_conv(target, source, weights[part:part + 1], biases[part:part + 1], kernel=[size, size], stride=[1, 1],
                        dilation=[1, 1], padding=[0, 0, 0, 0])
        pl.dma.store(result[number:number + 1, channels], target)


def main():
    n, c, h, w, size = 2, 66, 20, 17, 3
    random = np.random.default_rng(0)
    x, filters, bias = (random.uniform(-1, 1, shape).astype(np.float16) for shape in ((n, c, h, w), (c, size, size), (c,)))
    y = np.zeros((n, c, h - size + 1, w - size + 1), np.float16)
    launch = depthwise[(1,)](y, x, filters, bias, n, c, h, w, size)
    expected = np.broadcast_to(bias.astype(np.float64)[:, None, None], y.shape).copy()
    for r in range(size):
        for s in range(size):
            expected += filters.astype(float)[:, r, s, None, None] * x[:, :, r:r + y.shape[2], s:s + y.shape[3]]
    # 9 products and 10 sums of numbers below 10, each rounded to f16.
    assert np.abs(y - expected).max() <= 19 * 10 * 2 ** -12
    print("depthwise:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

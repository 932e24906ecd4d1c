"""SiLU of any number of elements: f16 in memory, f32 inside; the next tile is loaded while this one is computed."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


def tile(y, x, shape):
    loaded = pl.make_tensor(shape, pl.float16)
    pl.dma.load(loaded, x.view(shape))
    wide = pl.tiu.cast(loaded, type=pl.float32)
    pl.dma.store(y.view(shape), pl.tiu.cast(wide * pl.sigmoid_fp32(wide), type=pl.float16))


@ppl.autotiling({"share": lambda values: values["share"] // 2})
@ppl.jit
def activation(y, x, size, share: pl.constexpr):
    y_global, x_global = (pl.gtensor([1, 1, 1, size], pl.GLOBAL, pointer) for pointer in (y, x))
    block = pl.LANE_NUM * share  # equal, contiguous shares for all lanes
    whole = size // block * block
    for start in range(0, whole, block):
        pl.enable_pipeline()
        tile(y_global[..., start:start + block], x_global[..., start:start + block], [1, pl.LANE_NUM, 1, share])
    rest = (size - whole) // pl.LANE_NUM
    end = whole + rest * pl.LANE_NUM
    if rest:
        tile(y_global[..., whole:end], x_global[..., whole:end], [1, pl.LANE_NUM, 1, rest])
    if end < size:
        tile(y_global[..., end:size], x_global[..., end:size], [1, 1, 1, size - end])


def main():
    x = np.random.default_rng(0).uniform(-9, 9, 300007).astype(np.float16)
    y = np.zeros_like(x)
    launch = activation[(1,)](y, x, x.size, 2048)
    expected = x.astype(np.float64) / (1 + np.exp(-x.astype(np.float64)))
    # The result is rounded to f16: half an ulp, or half the smallest number; the sigmoid is good to 7 ulp of f32.
    assert np.all(np.abs(y - expected) <= (2**-11 + 2**-20) * np.abs(expected) + 2**-25)
    print("activation:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

"""Layer norm of rows: f16 in memory, f32 inside; the next rows are loaded while these are computed."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


def every_lane(pointer, columns):
    """The same vector in every lane, in f32."""
    loaded = pl.make_tensor([1, pl.LANE_NUM, 1, columns], pl.float16)
    pl.dma.load_broadcast(loaded, pl.gtensor([1, 1, 1, columns], pl.GLOBAL, pointer))
    return pl.tiu.cast(loaded, type=pl.float32)


def mean_of(x, block, part):
    """The mean of each row, in a sum over columns of a whole row of the EUs and one over what they leave."""
    mean = pl.make_tensor([1, block[1], 1, 1], pl.float32, [1, part[1], 1, 1])
    pl.quick_pooling(mean, x, block, part, 0.0, 1, 1.0 / part[3])
    return mean


@ppl.autotiling({"block": lambda values: values["block"] // 2})
@ppl.jit
def layer_norm(y, x, gamma, beta, rows, columns, epsilon, block: pl.constexpr):
    shape = [1, rows, 1, columns]
    x_global, y_global = pl.gtensor(shape, pl.GLOBAL, x), pl.gtensor(shape, pl.GLOBAL, y)
    scale, shift = every_lane(gamma, columns), every_lane(beta, columns)
    for row in range(0, rows, block):
        pl.enable_pipeline()
        count = min(block, rows - row)
        full, part = [1, block, 1, columns], [1, count, 1, columns]
        loaded = pl.make_tensor(full, pl.float16, part)
        pl.dma.load(loaded, x_global[:, row:row + count])
        wide = pl.make_tensor(full, pl.float32, part)
        pl.tiu.cast(wide, loaded)
        centred = wide - mean_of(wide, full, part)
        square = pl.make_tensor(full, pl.float32, part)
        pl.tiu.fmul(square, centred, centred)
        factor = pl.tiu.frsqrt(mean_of(square, full, part) + epsilon)
        result = centred * factor * scale[:, :count] + shift[:, :count]
        pl.dma.store(y_global[:, row:row + count], pl.tiu.cast(result, type=pl.float16))


def main():
    rows, columns, epsilon = 131, 1001, 1e-5
    random = np.random.default_rng(0)
    x = random.uniform(-1, 3, (rows, columns)).astype(np.float16)
    gamma, beta = (random.uniform(low, 1.5, columns).astype(np.float16) for low in (0.5, -1))
    y = np.zeros_like(x)
    launch = layer_norm[(1,)](y, x, gamma, beta, rows, columns, epsilon, 64)
    exact = x.astype(np.float64)
    centred = exact - exact.mean(1, keepdims=True)
    expected = centred / np.sqrt((centred**2).mean(1, keepdims=True) + epsilon) * gamma + beta.astype(np.float64)
    # The result is rounded to f16; sums in f32 cost about 2^-20 of values up to 4.
    assert np.all(np.abs(y - expected) <= 1.01 * 2**-11 * np.abs(expected) + 2**-18)
    print("layer_norm:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

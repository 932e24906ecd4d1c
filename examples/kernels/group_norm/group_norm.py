"""Group norm: a group of an image in a lane, its channels along h; f16 in memory, f32 inside."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


def wide(source):
    return pl.tiu.cast(pl.dma.load(source), type=pl.float32)


def mean_of(x):
    """The mean of each lane's elements."""
    _, lanes, h, w = x.shape
    flat, mean = [1, lanes, 1, h * w], pl.make_tensor([1, lanes, 1, 1], pl.float32)
    pl.quick_pooling(mean, x.view(flat), flat, flat, 0.0, 1, 1.0 / (h * w))
    return mean


@ppl.jit
def group_norm(y, x, gamma, beta, images, channels, groups, plane, epsilon):
    size = channels // groups
    shape, vector = [images, groups, size, plane], [1, groups, size, 1]
    x_global, y_global = (pl.gtensor(shape, pl.GLOBAL, pointer) for pointer in (x, y))
    scales, shifts = (pl.gtensor(vector, pl.GLOBAL, pointer) for pointer in (gamma, beta))
    for image in range(images):
        for group in range(0, groups, pl.LANE_NUM):
            pl.enable_pipeline()
            some = slice(group, min(group + pl.LANE_NUM, groups))
            values = wide(x_global[image:image + 1, some])
            centred = values - mean_of(values)
            square = pl.make_tensor(centred.shape, pl.float32)
            pl.tiu.fmul(square, centred, centred)
            unit = centred * pl.tiu.frsqrt(mean_of(square) + epsilon)
            result = unit * wide(scales[:, some]) + wide(shifts[:, some])
            pl.dma.store(y_global[image:image + 1, some], pl.tiu.cast(result, type=pl.float16))


def main():
    images, channels, groups, plane, epsilon = 2, 35, 7, 77, 1e-5
    random = np.random.default_rng(0)
    x = random.uniform(-1, 3, (images, channels, plane)).astype(np.float16)
    gamma, beta = (random.uniform(low, 1.5, channels).astype(np.float16) for low in (0.5, -1))
    y = np.zeros_like(x)
    launch = group_norm[(1,)](y, x, gamma, beta, images, channels, groups, plane, epsilon)
    rows = x.astype(np.float64).reshape(images * groups, -1)
    centred = rows - rows.mean(1, keepdims=True)
    unit = (centred / np.sqrt((centred**2).mean(1, keepdims=True) + epsilon)).reshape(x.shape)
    expected = unit * gamma.astype(np.float64)[:, None] + beta.astype(np.float64)[:, None]
    # The result is rounded to f16; sums in f32 cost about 2^-20 of values up to 4.
    assert np.all(np.abs(y - expected) <= 1.01 * 2**-11 * np.abs(expected) + 2**-18)
    print("group_norm:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

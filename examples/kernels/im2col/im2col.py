"""im2col without padding: each tap of a window is a strided copy inside the lanes; a round takes as many channels as there are lanes."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


@ppl.jit
def im2col(y, x, n, c, h, w, size, stride):
    rows, columns = (h - size) // stride + 1, (w - size) // stride + 1
    image = pl.gtensor([n, c, h, w], pl.GLOBAL, x)
    result = pl.gtensor([n, c, size * size * rows, columns], pl.GLOBAL, y)
    steps = [(i, first) for i in range(n) for first in range(0, c, pl.LANE_NUM)]
    for i, first in steps:
        pl.enable_pipeline()
        last = min(first + pl.LANE_NUM, c)
        source = pl.dma.load(image[i:i + 1, first:last])
        target = pl.make_tensor([1, last - first, size * size * rows, columns], pl.float16)
        for tap in range(size * size):
            r, s = divmod(tap, size)
            window = source[:, :, r:r + (rows - 1) * stride + 1:stride, s:s + (columns - 1) * stride + 1:stride]
            pl.tiu.move(target[:, :, tap * rows:(tap + 1) * rows], window)
        pl.dma.store(result[i:i + 1, first:last], target)


def main():
    n, c, h, w, size, stride = 2, 70, 13, 19, 3, 2
    x = np.random.default_rng(0).standard_normal((n, c, h, w)).astype(np.float16)
    windows = np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3))[:, :, ::stride, ::stride]
    expected = windows.transpose(0, 1, 4, 5, 2, 3)
    y = np.zeros(expected.shape, np.float16)
    launch = im2col[(1,)](y, x, n, c, h, w, size, stride)
    assert np.array_equal(y, expected)
    print("im2col:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

"""RMS norm of rows: f16 in memory, f32 inside; the next rows are loaded while these are computed."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


@ppl.autotiling({"block": lambda values: values["block"] // 2})
@ppl.jit
def rms_norm(y, x, gamma, rows, columns, epsilon, block: pl.constexpr):
    shape = [1, rows, 1, columns]
    x_global, y_global = pl.gtensor(shape, pl.GLOBAL, x), pl.gtensor(shape, pl.GLOBAL, y)
    loaded = pl.make_tensor([1, pl.LANE_NUM, 1, columns], pl.float16)
    pl.dma.load_broadcast(loaded, pl.gtensor([1, 1, 1, columns], pl.GLOBAL, gamma))
    scale = pl.tiu.cast(loaded, type=pl.float32)
    for row in range(0, rows, block):
        pl.enable_pipeline()
        count = min(block, rows - row)
        full, part = [1, block, 1, columns], [1, count, 1, columns]
        loaded = pl.make_tensor(full, pl.float16, part)
        pl.dma.load(loaded, x_global[:, row:row + count])
        wide, square = (pl.make_tensor(full, pl.float32, part) for _ in range(2))
        pl.tiu.cast(wide, loaded)
        pl.tiu.fmul(square, wide, wide)
        mean = pl.make_tensor([1, block, 1, 1], pl.float32, [1, count, 1, 1])
        pl.quick_pooling(mean, square, full, part, 0.0, 1, 1.0 / columns)
        result = wide * pl.tiu.frsqrt(mean + epsilon) * scale[:, :count]
        pl.dma.store(y_global[:, row:row + count], pl.tiu.cast(result, type=pl.float16))


def main():
    rows, columns, epsilon = 131, 1001, 1e-5
    random = np.random.default_rng(0)
    x = random.uniform(-1, 3, (rows, columns)).astype(np.float16)
    gamma = random.uniform(0.5, 1.5, columns).astype(np.float16)
    y = np.zeros_like(x)
    launch = rms_norm[(1,)](y, x, gamma, rows, columns, epsilon, 64)
    exact = x.astype(np.float64)
    expected = exact / np.sqrt((exact**2).mean(1, keepdims=True) + epsilon) * gamma
    # The result is rounded to f16: half an ulp, or half the smallest number.
    assert np.all(np.abs(y - expected) <= 1.01 * 2**-11 * np.abs(expected) + 2**-25)
    print("rms_norm:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

"""Rotary position embedding: positions in lanes, heads along h; f16 in memory, f32 inside."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl


def wide(source, block, part):
    """Loads a tile in f32."""
    loaded, x = pl.make_tensor(block, pl.float16, part), pl.make_tensor(block, pl.float32, part)
    pl.dma.load(loaded, source)
    pl.tiu.cast(x, loaded)
    return x


@ppl.autotiling({"block": lambda values: (values["block"] + 1) // 2})
@ppl.jit
def rope(y, x, cosines, sines, positions, heads, width, block: pl.constexpr):
    half, lanes = width // 2, pl.LANE_NUM
    x_global, y_global = (pl.gtensor([1, positions, heads, width], pl.GLOBAL, pointer) for pointer in (x, y))
    cosine, sine = (pl.gtensor([1, positions, 1, half], pl.GLOBAL, pointer) for pointer in (cosines, sines))
    for p in range(0, positions, lanes):
        for h in range(0, heads, block):
            pl.enable_pipeline()
            count, some = min(lanes, positions - p), min(block, heads - h)
            here = (slice(None), slice(p, p + count), slice(h, h + some))
            whole, tile = [1, lanes, block, width], [1, count, some, width]
            both = wide(x_global[here], whole, tile)
            a, b = both[..., :half], both[..., half:]
            c, s = (wide(table[:, p:p + count], [1, lanes, 1, half], [1, count, 1, half]) for table in (cosine, sine))
            result = pl.make_tensor(whole, pl.float16, tile)
            pl.tiu.cast(result[..., :half], a * c - b * s)
            pl.tiu.cast(result[..., half:], b * c + a * s)
            pl.dma.store(y_global[here], result)


def main():
    positions, heads, width = 67, 5, 64
    x = np.random.default_rng(0).uniform(-4, 4, (positions, heads, width)).astype(np.float16)
    angle = np.arange(positions)[:, None] * 10000.0 ** (-2 * np.arange(width // 2) / width)
    cosines, sines = np.cos(angle).astype(np.float16), np.sin(angle).astype(np.float16)
    y = np.zeros_like(x)
    launch = rope[(1,)](y, x, cosines, sines, positions, heads, width, heads)
    a, b = np.split(x.astype(np.float64), 2, axis=2)
    c, s = (table.astype(np.float64)[:, None] for table in (cosines, sines))
    expected = np.concatenate([a * c - b * s, b * c + a * s], axis=2)
    # The result is rounded to f16; products in f32 may cancel, which costs 2^-23 of at most 4.
    assert np.all(np.abs(y - expected) <= 1.01 * 2**-11 * np.abs(expected) + 2**-20)
    print("rope:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

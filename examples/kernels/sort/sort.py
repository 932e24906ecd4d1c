"""Rows in falling order, and where their elements were: each row in a lane, by a bitonic network."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl

INT32 = pl.int32


def goes_first(key_b, key_a, index_b, index_a):
    """All ones where b goes before a: a larger key, or an equal one with a smaller index."""
    ones = [pl.make_tensor(key_a.shape, INT32) for _ in range(3)]
    pl.tiu.gt(ones[0], key_b, key_a, -1)
    pl.tiu.eq(ones[1], key_b, key_a, -1)
    pl.tiu.gt(ones[2], index_a, index_b, -1)
    return ones[0] | (ones[1] & ones[2])


def exchange(keys, indices, run, stride):
    """Puts elements `stride` apart in order; runs fall and rise by turns, so that two of them are one that does both."""
    _, lanes, _, length = keys.shape
    new_keys, new_indices = (pl.make_tensor(keys.shape, INT32) for _ in range(2))
    step = min(2 * run, length)
    for start in range(0, step, run):
        def piece(x, second):
            rest = x[..., start + (stride if second else 0):]
            return rest.view([length // step, lanes, run // (2 * stride), stride], [step, length, 2 * stride, 1])

        low = start > 0  # in a rising run the second one is the larger
        key_a, key_b, index_a, index_b = piece(keys, low), piece(keys, not low), piece(indices, low), piece(indices, not low)
        change = (index_a ^ index_b) & goes_first(key_b, key_a, index_b, index_a)
        pl.tiu.bitwise_xor(piece(new_indices, low), index_a, change)
        pl.tiu.bitwise_xor(piece(new_indices, not low), index_b, change)
        pl.tiu.max(piece(new_keys, low), key_a, key_b)
        pl.tiu.min(piece(new_keys, not low), key_a, key_b)
    return new_keys, new_indices


def ordered(bits):
    """Integers in the order of the floats with these bits, and back."""
    negative = pl.make_tensor(bits.shape, INT32)
    pl.tiu.gt(negative, 0, bits, -1)
    return bits ^ (negative & 0x7fffffff)


@ppl.jit
def sort(values, places, x, rows, columns):
    length = max(2, 1 << (columns - 1).bit_length())
    shape = [1, rows, 1, columns]
    x_global, values_global, places_global = (pl.gtensor(shape, pl.GLOBAL, pointer) for pointer in (x, values, places))
    for row in range(0, rows, pl.LANE_NUM):
        some = slice(row, min(row + pl.LANE_NUM, rows))
        flat = [1, some.stop - row, 1, length]
        loaded, indices, behind = pl.make_tensor(flat, pl.float32), pl.make_tensor(flat, INT32), pl.make_tensor(flat, INT32)
        pl.tiu.fill(loaded, 0)
        pl.dma.load(loaded[..., :columns], x_global[:, some])
        pl.arange_broadcast(indices, flat[1], 0, 1, length)
        pl.tiu.gt(behind, indices, columns - 1, -1)  # gets the smallest key
        keys = (ordered(loaded.view(dtype=INT32)) & ~behind) | (behind & -0x80000000)
        run = 2
        while run <= length:
            stride = run // 2
            while stride:
                keys, indices = exchange(keys, indices, run, stride)
                stride //= 2
            run *= 2
        pl.dma.store(values_global[:, some], ordered(keys).view(dtype=pl.float32)[..., :columns])
        pl.dma.store(places_global[:, some], indices[..., :columns])


def main():
    rows, columns = 67, 301
    x = np.floor(np.random.default_rng(0).uniform(-90, 90, (rows, columns))).astype(np.float32)
    values, places = np.zeros_like(x), np.zeros(x.shape, np.int32)
    launch = sort[(1,)](values, places, x, rows, columns)
    expected = np.argsort(-x, axis=1, kind="stable")  # of equal ones the first
    assert np.array_equal(places, expected) and np.array_equal(values, np.take_along_axis(x, expected, 1))
    print("sort:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

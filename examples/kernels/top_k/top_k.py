"""The k largest elements of each row and where they stand, in O(log2(k)^2 * n) comparisons: a bitonic network over columns of lanes."""

import numpy as np

from weft import ppl
import weft.ppl.language as pl

INT32 = pl.int32


class Lists:
    """Lists of `length` ranks in falling or rising order: rank r of list j of row q is at (r * rows + q) * width + j of a lane."""

    def __init__(self, lanes, length, rows, width):
        self.lanes, self.length, self.rows, self.width = lanes, length, rows, width
        self.shape = [1, lanes, length * rows, width]
        self.flat = [1, lanes, 1, length * rows * width]
        self.keys, self.indices = pl.make_tensor(self.shape, INT32), pl.make_tensor(self.shape, INT32)

    def like(self, width=None):
        return Lists(self.lanes, self.length, self.rows, width or self.width)

    def both(self):
        return self.keys, self.indices

    def pieces(self, x, start, run, step, pairs, stride, second):
        """Of each group of `run` ranks, `step` apart, every other `stride` ranks."""
        unit = self.rows * self.width
        size = stride * unit
        rest = x.view(self.flat)[:, :, :, start * unit + (size if second else 0):]
        return rest.view([self.length // step, self.lanes, pairs, size], [step * unit, self.flat[3], 2 * size, 1])


def goes_first(key_b, key_a, index_b, index_a):
    """All ones where b goes before a: a larger key, or an equal one with a smaller index."""
    ones = [pl.make_tensor(key_a.shape, INT32) for _ in range(3)]
    pl.tiu.gt(ones[0], key_b, key_a, -1)
    pl.tiu.eq(ones[1], key_b, key_a, -1)
    pl.tiu.gt(ones[2], index_a, index_b, -1)
    return ones[0] | (ones[1] & ones[2])


def exchange(lists, run, stride, falls):
    out = lists.like()
    alternate = run < lists.length
    for turn in range(2 if alternate else 1):
        swapped = (turn == 1) == falls

        def piece(x, second):
            return lists.pieces(x, turn * run, run, 2 * run if alternate else run, run // (2 * stride), stride, second)

        key_a, key_b = piece(lists.keys, swapped), piece(lists.keys, not swapped)
        index_a, index_b = piece(lists.indices, swapped), piece(lists.indices, not swapped)
        change = (index_a ^ index_b) & goes_first(key_b, key_a, index_b, index_a)
        pl.tiu.bitwise_xor(piece(out.indices, swapped), index_a, change)
        pl.tiu.bitwise_xor(piece(out.indices, not swapped), index_b, change)
        pl.tiu.max(piece(out.keys, swapped), key_a, key_b)
        pl.tiu.min(piece(out.keys, not swapped), key_a, key_b)
    return out


def clean(lists, run, falls=True):
    """Lists that rise and fall, in order."""
    stride = run // 2
    while stride:
        lists = exchange(lists, run, stride, falls)
        stride //= 2
    return lists


def sort(lists, falls):
    run = 2
    while run <= lists.length:
        lists = clean(lists, run, falls or run < lists.length)
        run *= 2
    return lists


def better(a, b):
    """Of a falling and a rising list, the first elements of both together; they rise and fall."""
    out = a.like()
    change = (a.indices ^ b.indices) & goes_first(b.keys, a.keys, b.indices, a.indices)
    pl.tiu.bitwise_xor(out.indices, a.indices, change)
    pl.tiu.max(out.keys, a.keys, b.keys)
    return out


def columns_of(lists, start, width):
    out = lists.like(width)
    for to, x in zip(out.both(), lists.both()):
        pl.tiu.move(to, x[:, :, :, start:start + width])
    return out


def reversed_lists(lists):
    stride = lists.length // 2
    while stride:
        out, n = lists.like(), lists.length
        for second in (False, True):
            for to, x in zip(out.both(), lists.both()):
                pl.tiu.move(lists.pieces(to, 0, n, n, n // (2 * stride), stride, second),
                            lists.pieces(x, 0, n, n, n // (2 * stride), stride, not second))
        lists = out
        stride //= 2
    return lists


def joined(lists):
    """All lists of a row in one, half of them at a time."""
    while lists.width > 1:
        half = lists.width // 2
        lists = clean(better(columns_of(lists, 0, half), reversed_lists(columns_of(lists, half, half))), lists.length)
    return lists


def turned(lists, lanes, rows, width):
    """Lanes become columns and columns lanes."""
    out = Lists(lanes, lists.length, rows, width)
    for to, x in zip(out.both(), lists.both()):
        pl.tiu.transpose_wc(to.view([1, lanes, lists.length, rows * width]), x.view([1, lists.lanes, lists.length, lists.rows * lists.width]))
    return out


def ordered(bits):
    """Integers in the order of the floats with these bits, and back."""
    negative = pl.make_tensor(bits.shape, INT32)
    pl.tiu.gt(negative, 0, bits, -1)
    return bits ^ (negative & 0x7fffffff)


def first_indices(lanes, parts, inside):
    """The index of each element of the first block in its row; a row has `parts` lanes of `inside` elements."""
    columns, numbers = pl.make_tensor([1, lanes, 1, inside], INT32), pl.make_tensor([1, 1, 1, lanes], INT32)
    pl.arange_broadcast(columns, lanes, 0, 1, inside)
    pl.arange_broadcast(numbers, 1, 0, 1, lanes)
    lane = pl.make_tensor([1, lanes, 1, 1], INT32)
    pl.tiu.transpose_wc(lane, numbers)
    return columns + (lane & (parts - 1)) * inside


def load_block(row, count, indices, lists, start, columns, parts):
    """A block of each row into keys and indices; behind the end of a row the smallest key and indices that are too large."""
    inside = lists.flat[3]
    x = pl.make_tensor(lists.flat, pl.float32)
    left = min(parts * inside, columns - start)
    if left < parts * inside:
        pl.tiu.fill(x, 0)
    whole, rest = divmod(left, inside)
    for r in range(count):
        if whole:
            pl.dma.load(x[:, r * parts:r * parts + whole], row[:, r:r + 1, :, start:start + whole * inside].view([1, whole, 1, inside]))
        if rest:
            pl.dma.load(x[:, r * parts + whole:r * parts + whole + 1, :, :rest], row[:, r:r + 1, :, start + whole * inside:start + left])
    at = indices + start
    behind = pl.make_tensor(lists.flat, INT32)
    pl.tiu.gt(behind, at, columns - 1, -1)
    pl.tiu.bitwise_or(lists.keys.view(lists.flat), ordered(x.view(dtype=INT32)) & ~behind, behind & -0x80000000)
    pl.tiu.move(lists.indices.view(lists.flat), at)
    return lists


@ppl.autotiling({"width": lambda values: values["width"] // 2})
@ppl.jit
def top_k(values, places, x, rows, columns, k, width: pl.constexpr):
    length = max(2, 1 << (k - 1).bit_length())
    x_global = pl.gtensor([1, rows, 1, columns], pl.GLOBAL, x)
    values_global, places_global = (pl.gtensor([1, rows, 1, k], pl.GLOBAL, y) for y in (values, places))
    for row in range(0, rows, pl.LANE_NUM):
        count = min(pl.LANE_NUM, rows - row)
        parts = 1
        while 2 * parts * count <= pl.LANE_NUM and parts * length * width < columns:
            parts *= 2
        indices = first_indices(count * parts, parts, length * width)
        best = None
        for start in range(0, columns, parts * length * width):
            block = load_block(x_global[:, row:row + count], count, indices, Lists(count * parts, length, 1, width), start, columns, parts)
            block = sort(block, best is None)
            best = clean(better(best, block), length) if best else block
        best = joined(best)
        if parts > 1:  # the lists of all lanes in one, then each row in a lane of its own
            best = turned(joined(turned(best, 1, count, parts)), count, 1, 1)
        flat = [1, count, 1, length]
        pl.dma.store(values_global[:, row:row + count], ordered(best.keys.view(flat)).view(dtype=pl.float32)[:, :, :, :k])
        pl.dma.store(places_global[:, row:row + count], best.indices.view(flat)[:, :, :, :k])


def main():
    rows, columns, k = 3, 1001, 37
    x = np.floor(np.random.default_rng(0).uniform(-40, 40, (rows, columns))).astype(np.float32)
    values, places = np.zeros((rows, k), np.float32), np.zeros((rows, k), np.int32)
    launch = top_k[(1,)](values, places, x, rows, columns, k, 16)
    expected = np.argsort(-x, axis=1, kind="stable")[:, :k]  # of equal ones the first
    assert np.array_equal(places, expected) and np.array_equal(values, np.take_along_axis(x, expected, 1))
    print("top_k:", launch.profile()["total_cycles"], "cycles")


if __name__ == "__main__":
    main()

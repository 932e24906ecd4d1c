"""A product of int8 matrices on Zhouyi, requantized to int8.

Eight columns are computed at once: the weights lie as [columns / 8][depth / 4][8][4], so that a register holds four
numbers of each column, and four numbers of the row are put beside all of them.
"""

import numpy as np

import weft.zhouyi as S


def packed(weights):
    """[depth, columns] in the order in which the loop reads it."""
    depth, columns = weights.shape
    return np.ascontiguousarray(weights.reshape(depth // 4, 4, columns // 8, 8).transpose(2, 0, 3, 1))


def product(rows, weights, scale):
    depth, columns = weights.shape
    with S.Kernel("matmul") as k:
        x, y = k.input("x", "int8", (rows, depth)), k.output("y", "int8", (rows, columns))
        w = k.weight("w", packed(weights))
        fours = S.reinterpret(x, "int32")
        for row in k.range(rows):
            for column in k.range(0, columns, 8):
                acc = k.variable(S.int32x8(0))
                for part in k.range(depth // 4):
                    four = S.vload(fours + row * (depth // 4) + part, stride=0)  # one element in all lanes
                    acc.value = S.vqdpa(acc, S.reinterpret(four, "int8"), S.vload(w + column * depth + part * 32))
                real = S.vrint(S.vmul(S.cast(acc, "float32"), scale))
                S.vstore(S.cast(S.clip(real, -128, 127), "int8"), y + row * columns + column)
    return k


def main():
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-128, 128, shape).astype(np.int8) for shape in ((7, 64), (64, 24)))
    y = product(7, w, 2.0 ** -9).run(x=x)["y"]
    assert np.array_equal(y, np.clip(np.rint((x.astype(int) @ w) * 2.0 ** -9), -128, 127).astype(np.int8))
    print("vector_matmul: fine")


if __name__ == "__main__":
    main()

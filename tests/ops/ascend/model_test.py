#!/usr/bin/env python3
"""The index equations of nd2nz against the document's loop, the definitions of its three layouts and the named choices.

  model_test.py [--seed N] [--moves N] [-k PATTERN]
"""
import argparse
import math
import sys

import numpy as np

import cases
import model

DTYPES = {1: np.uint8, 2: np.uint16, 4: np.uint32}


def document_loop(dst, src, size, sid, ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride, dstNzNStride,
                  dstNzMatrixStride, dst_address=0, src_address=0):
    """The loop of the document with its names; returns L1 and how often each of its blocks was written."""
    dst, written, c0_size = dst.copy(), np.zeros(len(dst) // 32 + 1, int), 32
    for i in range(ndNum):
        src_nd_addr = src_address + srcNdMatrixStride * i * size
        dst_nd_addr = dst_address + dstNzMatrixStride * i * size
        for j in range(nValue):
            src_n_addr = src_nd_addr + j * srcDValue * size
            dst_n_addr = dst_nd_addr + j * dstNzNStride * c0_size
            for k in range(math.ceil(dValue * size / 32)):
                src_block_addr = src_n_addr + k * 32
                dst_block_addr = dst_n_addr + k * dstNzC0Stride * c0_size
                block = src[src_block_addr:min(src_block_addr + 32, src_n_addr + dValue * size)]
                dst[dst_block_addr:dst_block_addr + 32] = np.pad(block, (0, 32 - len(block)))
                written[dst_block_addr // 32] += 1
    return dst, written


def expect_reason(wanted, **changes):
    call = dict(element_bytes=2, sid=0, ndNum=1, nValue=4, dValue=20, srcNdMatrixStride=0, srcDValue=20, dstNzC0Stride=16, dstNzNStride=1,
                dstNzMatrixStride=0) | changes
    reason = model.problem(**call)
    assert reason == wanted, (changes, reason, wanted)


def test_reasons():
    expect_reason(None)
    for name, (bottom, top) in model.RANGES.items():
        expect_reason("range", **{name: top + 1})
        expect_reason("empty" if name in ("ndNum", "nValue", "dValue") else "range" if bottom else None, **{name: 0})
        expect_reason("range", **{name: -1})
    expect_reason("range", element_bytes=8)
    for name in ("ndNum", "nValue", "dValue"):
        expect_reason("empty", **{name: 0}, dst_address=5, src_address=1, source_bytes=0)  # EmptyMoveWarns: nothing is checked
    expect_reason(None, dstNzMatrixStride=0)  # MatrixStrideNeedsMatrices
    expect_reason("matrix_stride", ndNum=2)
    expect_reason("matrix_stride", ndNum=2, dstNzMatrixStride=17)  # MatricesStartOnBlocks
    expect_reason(None, ndNum=2, dstNzMatrixStride=32 * 16)
    expect_reason(None, dstNzMatrixStride=17)
    expect_reason("alignment", src_address=3)  # SourceIsElementAligned
    expect_reason(None, src_address=2)
    expect_reason("alignment", dst_address=16)
    expect_reason(None, sid=255)  # SidHasNoEffect
    expect_reason(None, ndNum=3, dstNzMatrixStride=32 * 16, srcDValue=1)  # SourceRowsMayOverlap
    expect_reason("overlap", dstNzC0Stride=3)  # OverlapIsRefused
    expect_reason("overlap", ndNum=2, dstNzMatrixStride=16)
    expect_reason(None, dstNzC0Stride=1, dstNzNStride=2)
    expect_reason("overlap", ndNum=2, dstNzMatrixStride=16, dstNzC0Stride=1, dstNzNStride=2)
    expect_reason(None, dst_address=model.L1_BYTES - 20 * 32)  # BeyondL1IsRefused
    expect_reason("l1_end", dst_address=model.L1_BYTES - 19 * 32)
    expect_reason("l1_end", dst_address=-32)
    expect_reason(None, source_bytes=160)
    expect_reason("source_end", source_bytes=159)
    expect_reason("source_end", source_bytes=161, src_address=2)


def test_one_move():
    """[2, 20] of 16 bits: two columns of blocks, the second with 4 elements and 12 zeros; other bytes stay."""
    src = np.arange(1, 41, dtype=np.uint16)
    dst = np.full(6 * 16, 7, np.uint16)
    after = model.nd2nz(dst.view(np.uint8), src.view(np.uint8), 2, 0, 1, 2, 20, 0, 20, 3, 1, 0).view(np.uint16).reshape(6, 16)
    assert after[0].tolist() == list(range(1, 17)) and after[1].tolist() == list(range(21, 37))
    assert after[3].tolist() == [17, 18, 19, 20] + [0] * 12 and after[4].tolist() == [37, 38, 39, 40] + [0] * 12
    assert (after[[2, 5]] == 7).all() and (dst == 7).all()  # UnwrittenRowsStay


def check_move(rng, move):
    dst, src = cases.memories(rng, move)
    after = move.run(dst, src)
    looped, written = document_loop(dst, src, move.element_bytes, **move.parameters, dst_address=move.dst_address, src_address=move.src_address)
    assert np.array_equal(after, looped) and written.max() <= 1, move
    if move.problem() is None:
        back = model.inverse(after, move.element_bytes, **move.parameters, dst_address=move.dst_address)
        again = model.indices(move.element_bytes, **move.parameters, src_address=move.src_address)
        assert np.array_equal(back, src[again[1][..., again[2]]]), move


def test_small_moves(seed, moves):
    """All of them: legal ones equal the loop; what problem() calls an overlap writes a block twice in the loop."""
    rng, reasons = np.random.default_rng(seed), {}
    for move in cases.small_moves():
        reason = move.problem()
        reasons[reason] = reasons.get(reason, 0) + 1
        if reason in (None, "empty"):
            check_move(rng, move)
        else:
            assert reason == "overlap", (move, reason)
            empty = np.zeros(move.l1_bytes + 4096, np.uint8)
            written = document_loop(empty, np.zeros(move.source_bytes, np.uint8), move.element_bytes, **move.parameters)[1]
            assert written.max() > 1, move
    return f"{sum(reasons.values())} moves {reasons}"


def test_random_moves(seed, moves):
    rng, names = np.random.default_rng(seed), {}
    for index in range(moves):
        move = cases.random_move(rng)
        names[move.name] = names.get(move.name, 0) + 1
        check_move(rng, move)
    return f"{names}, seed {seed}"


def test_illegal_moves(seed, moves):
    rng = np.random.default_rng(seed)
    for fault in cases.FAULTS:
        for index in range(moves // len(cases.FAULTS)):
            move = cases.illegal_move(rng, fault)
            try:
                move.run(np.zeros(move.l1_bytes, np.uint8), np.zeros(move.source_bytes, np.uint8))
            except model.Illegal as error:
                assert error.reason == fault, (move, error)
            else:
                raise AssertionError(f"{fault} accepted: {move}")
    return f"seed {seed}"


def test_presets(seed, moves):
    """The three layouts from their definitions, equal in every byte, on L1 full of something else."""
    rng = np.random.default_rng(seed)
    for index in range(moves):
        size = int(rng.choice(model.ELEMENT_BYTES))
        n, h, w, c = (int(value) for value in rng.integers(1, [5, 9, 9, 70]))
        values = rng.integers(1, 250, (n, h, w, c)).astype(DTYPES[size])
        rows = values.reshape(n, h * w, c)
        for layout, parameters in ((model.nc1hwc0_layout(values), model.nhwc_to_nc1hwc0(n, h, w, c, size)),
                                   (model.c1hwnc0_layout(values), model.nhwc_to_c1hwnc0(n, h, w, c, size)),
                                   (model.nz_layout(rows), model.nd_to_nz(n, h * w, c, size)),
                                   (model.nz_layout(rows, h * w), model.nd_to_nz(n, h * w, c, size, rows=h * w))):
            wanted = layout.view(np.uint8).reshape(-1)
            tall = layout.ndim == 4 and layout.shape[2] > h * w  # Rows between n and 16 stay what they were: zeros here.
            dst = np.zeros_like(wanted) if tall else np.full_like(wanted, 251)
            after = model.nd2nz(dst, values.view(np.uint8).reshape(-1), size, **parameters)
            assert np.array_equal(after, wanted), (size, values.shape, parameters)
            assert np.array_equal(model.inverse(after, size, **parameters).reshape(-1), values.view(np.uint8).reshape(-1))
    # What the letters mean, element by element.
    values = np.arange(2 * 3 * 4 * 40, dtype=np.uint16).reshape(2, 3, 4, 40)
    for n, h, w, c in np.ndindex(*values.shape):
        assert model.nc1hwc0_layout(values)[n, c // 16, h, w, c % 16] == values[n, h, w, c]
        assert model.c1hwnc0_layout(values)[c // 16, h, w, n, c % 16] == values[n, h, w, c]
        assert model.nz_layout(values.reshape(2, 12, 40))[n, c // 16, h * 4 + w, c % 16] == values[n, h, w, c]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--moves", type=int, default=120)
    parser.add_argument("-k", dest="pattern", default="")
    options = parser.parse_args()
    tests = [(name, function) for name, function in globals().items() if name.startswith("test_") and options.pattern in name]
    for name, function in tests:
        random = name not in ("test_reasons", "test_one_move")
        said = function(options.seed, options.moves) if random else function()
        print(f"ok   {name}" + (f": {said}" if said else ""), flush=True)
    return 0 if tests else 1


if __name__ == "__main__":
    sys.exit(main())

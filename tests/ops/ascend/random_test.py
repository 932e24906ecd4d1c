#!/usr/bin/env python3
"""weft.ascend against the numpy model: all small moves, random large ones, refused ones, inverses and the layouts of presets.

  random_test.py PYTHON_FOLDER NATIVE_FOLDER [--seed N] [--moves N] [-k PATTERN]

L1 is compared as a whole, byte for byte. A refused move must leave it as it was and say why.
"""
import argparse
import os
import sys
import warnings

import ml_dtypes
import numpy as np

sys.path.insert(0, sys.argv[1])
os.environ["WEFT_NATIVE_DIR"] = sys.argv[2]
del sys.argv[1:3]
import cases  # noqa: E402
import model  # noqa: E402
import weft.ascend as A  # noqa: E402

FUNCTIONS = {1: A.copy_gm_to_cbuf_multi_nd2nz_b8, 2: A.copy_gm_to_cbuf_multi_nd2nz_b16, 4: A.copy_gm_to_cbuf_multi_nd2nz_b32s}
DTYPES = {1: (np.int8, np.uint8), 2: (np.int16, np.uint16, np.float16, ml_dtypes.bfloat16), 4: (np.int32, np.uint32, np.float32)}


def whole_elements(move):
    """The move with memories of whole elements."""
    return move._replace(source_bytes=move.source_bytes // move.element_bytes * move.element_bytes)


def arguments(move, dst, src, dtype):
    """dst and src as arrays or pointers of an element type, then the numbers."""
    l1, memory = dst.view(dtype), src.view(dtype)
    return (A.pointer(l1, move.dst_address // move.element_bytes) if move.dst_address else l1,
            A.pointer(memory, move.src_address // move.element_bytes) if move.src_address else memory)


def moved(rng, move, dst, src):
    """L1 after the call of the interface."""
    after, dtypes = dst.copy(), DTYPES[move.element_bytes]
    FUNCTIONS[move.element_bytes](*arguments(move, after, src, dtypes[rng.integers(len(dtypes))]), **move.parameters)
    return after


def check_move(rng, move):
    """The move and its inverse."""
    dst, src = cases.memories(rng, move)
    after = moved(rng, move, dst, src)
    assert np.array_equal(after, move.run(dst, src)), move
    if move.problem() is None:
        dtype, back = DTYPES[move.element_bytes][0], rng.integers(0, 256, len(src), np.uint8)
        wanted = back.copy()
        source, real = model.indices(move.element_bytes, **move.parameters, src_address=move.src_address)[1:]
        wanted[source[..., real]] = src[source[..., real]]
        A.inverse(*arguments(move, after, back, dtype), **move.parameters)
        assert np.array_equal(back, wanted), move


def expect_refused(rng, move):
    dst, src = cases.memories(rng, move)
    before, dtype = dst.copy(), DTYPES[move.element_bytes][0]
    try:
        FUNCTIONS[move.element_bytes](*arguments(move, dst, src, dtype), **move.parameters)
    except A.AscendError as error:
        assert error.reason.strip() and "\n" not in error.reason, (move, error.reason)
        assert np.array_equal(dst, before), move
        return error.reason
    raise AssertionError(f"accepted, the model says {move.problem()}: {move}")


def test_small_moves(rng, moves):
    counts = {}
    for move in cases.small_moves():
        reason = move.problem()
        counts[reason] = counts.get(reason, 0) + 1
        if reason == "empty":
            if counts[reason] % 20:  # They differ in nothing that counts.
                continue
            move = move._replace(l1_bytes=64, source_bytes=64)  # Arrays have at least one element.
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                check_move(rng, move)
            assert [warning.category for warning in told] == [A.AscendWarning], (move, told)
        elif reason is None:
            check_move(rng, move)
        else:
            expect_refused(rng, move)
    return str(counts)


def test_random_moves(rng, moves):
    names = {}
    for index in range(moves):
        move = whole_elements(cases.random_move(rng))
        check_move(rng, move)
        names[move.name] = names.get(move.name, 0) + 1
    return str(names)


def test_illegal_moves(rng, moves):
    for fault in cases.FAULTS:
        for index in range(moves // len(cases.FAULTS)):
            move = whole_elements(cases.illegal_move(rng, fault))
            while fault == "alignment" and (move.src_address % move.element_bytes or move.dst_address % move.element_bytes):
                move = whole_elements(cases.illegal_move(rng, fault))  # Pointers count elements.
            expect_refused(rng, move)
    return f"{moves // len(cases.FAULTS)} each of {', '.join(cases.FAULTS)}"


def run_all(list_of_moves, l1, memory):
    for move in list_of_moves:
        move(l1, memory)


def test_presets(rng, moves):
    """Layouts from their definitions; large images need several moves."""
    for index in range(moves):
        dtype = np.dtype([np.int8, np.uint16, np.float32][rng.integers(3)])
        n, h, w, c = (int(value) for value in rng.integers(1, [5, 9, 9, 70]))
        if index % 10 == 0:
            n, h, w, c = 1 + index % 3, int(rng.integers(20, 70)), int(rng.integers(20, 60)), int(rng.integers(1, 60))
        values = rng.integers(1, 250, (n, h, w, c)).astype(dtype)
        matrices = np.ascontiguousarray(values.reshape(n, h * w, c))
        for layout, preset in ((model.nc1hwc0_layout(values), A.nhwc_to_nc1hwc0((n, h, w, c), dtype)),
                               (model.c1hwnc0_layout(values), A.nhwc_to_c1hwnc0((n, h, w, c), dtype)),
                               (model.nz_layout(matrices), A.nd_to_nz(h * w, c, dtype, count=n)),
                               (model.nz_layout(matrices, h * w), A.nd_to_nz(h * w, c, dtype, count=n, reserved=h * w))):
            if layout.nbytes > model.L1_BYTES:
                continue
            tall = layout.ndim == 4 and layout.shape[2] > h * w
            l1 = np.full(layout.size, 0 if tall else 111, dtype)
            run_all(preset, l1, values.reshape(-1))
            assert l1.tobytes() == layout.tobytes(), (values.shape, dtype, preset)
            back = np.zeros(values.size, dtype)
            for move in preset:
                move.inverse(l1, back)
            assert np.array_equal(back, values.reshape(-1)), (values.shape, dtype, preset)
    return f"{moves} shapes"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=17)
    parser.add_argument("--moves", type=int, default=600)
    parser.add_argument("-k", dest="pattern", default="")
    options = parser.parse_args()
    tests = [(name, function) for name, function in globals().items() if name.startswith("test_") and options.pattern in name]
    for index, (name, function) in enumerate(tests):
        said = function(np.random.default_rng([options.seed, index]), options.moves)
        print(f"ok   {name}: {said}, seed {options.seed}", flush=True)
    return 0 if tests else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Moves of Ascend for PP-OCR cls: every input of every convolution and product is planned, moved and checked.

  ascend_layout_test.py WEFT

`weft layout --check` runs the moves on the emulator in C++. Here the printed moves are run a second time, by the numpy model of the
instruction (tests/ops/ascend/model.py, written from the document), and each tile is compared with the layout as numpy makes it. Shapes
come from ONNX's own shape inference.
"""
import json
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "tests" / "ops" / "ascend")]
import model as reference  # noqa: E402: the folders above must come first
import model_registry  # noqa: E402

ELEMENT_BYTES = {"f16": 2, "int8": 1, "f32": 4}
MARKER = 0xA5


def weft_layout(weft, path, *flags):
    run = subprocess.run([weft, "layout", path, "--shape", "x=1x3x48x192", "--check", "--json", *flags], capture_output=True, text=True,
                         timeout=300)
    assert run.returncode == 0, (run.returncode, run.stderr)
    return json.loads(run.stdout)


def layers_of(path):
    """(input array sizes, filter sizes, attributes) of every Conv and every product, in order; products as 1x1 convolutions."""
    model = onnx.load(path)
    del model.graph.input[0].type.tensor_type.shape.dim[:]
    for size in (1, 3, 48, 192):
        model.graph.input[0].type.tensor_type.shape.dim.add().dim_value = size
    model = onnx.shape_inference.infer_shapes(model, data_prop=True)
    shapes = {value.name: [d.dim_value for d in value.type.tensor_type.shape.dim]
              for value in [*model.graph.value_info, *model.graph.input, *model.graph.output]}
    shapes |= {tensor.name: list(tensor.dims) for tensor in model.graph.initializer}
    for node in model.graph.node:
        if node.op_type == "Conv":
            attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
            yield shapes[node.input[0]], shapes[node.input[1]], attributes
        elif node.op_type in ("MatMul", "Gemm"):
            k, n = shapes[node.input[1]]
            yield [1, k, 1, 1], [n, k, 1, 1], {}


def needed(sizes, filter_sizes, attributes):
    """Elements of the feature map that some window reads."""
    count = sizes[0] * sizes[1]
    strides, pads = attributes.get("strides", [1, 1]), attributes.get("pads", [0, 0, 0, 0])
    for axis in range(2):
        kernel, extent = filter_sizes[2 + axis], sizes[2 + axis]
        outputs = (extent + pads[axis] + pads[2 + axis] - kernel) // strides[axis] + 1
        count *= len({o * strides[axis] - pads[axis] + k for o in range(outputs) for k in range(kernel)} & set(range(extent)))
    return count


def numbers_of(move):
    return {name: int(value, 0) for name, value in re.findall(r"(\w+)=(\w+)", move)}


def tile_layout(array, row, tile):
    """The bytes of a tile by the definition of its layout; rows that nothing writes are zeros."""
    origin, sizes = tile["origin"], tile["sizes"]
    box = tuple(slice(o, o + s) for o, s in zip(origin, sizes))
    piece = array[box]
    if row["layout"] == "NC1HWC0":  # g n d h w c
        return reference.split_last(piece).transpose(0, 1, 2, 5, 3, 4, 6)
    if row["layout"] == "FRACTAL_Z":  # g d m h w c
        reserved = -sizes[2] % 16
        piece = np.pad(piece, [(0, 0), (0, 0), (0, reserved), (0, 0), (0, 0), (0, 0)])
        return reference.split_last(piece).transpose(0, 1, 5, 3, 4, 2, 6)
    raise AssertionError(row["layout"])


def source_of(row, dtype, seed):
    """The array as it lies in global memory, and seen along the plan's axes."""
    rng = np.random.default_rng(seed)
    g, second, third, h, w, c = row["sizes"]
    if row["role"] == "input":  # n d h w (g c)
        memory = rng.integers(1, np.iinfo(dtype).max, (second, third, h, w, g, c), dtype)
        return memory, memory.transpose(4, 0, 1, 2, 3, 5)
    memory = rng.integers(1, np.iinfo(dtype).max, (g, third, second, h, w, c), dtype)  # (g m) d h w c
    return memory, memory.transpose(0, 2, 1, 3, 4, 5)


def check_moves(row, element_bytes, seed):
    """Runs every printed move by the numpy model; returns how many."""
    dtype = {1: np.uint8, 2: np.uint16, 4: np.uint32}[element_bytes]
    memory, array = source_of(row, dtype, seed)
    source, count = memory.reshape(-1).view(np.uint8), 0
    back = np.zeros_like(source)
    for tile in row["plan"]:
        start, size = tile["l1"], tile["l1_bytes"]
        l1 = np.full(reference.L1_BYTES, MARKER, np.uint8)
        if tile["clears"]:
            l1[start:start + size] = 0
        for move in tile["moves"]:
            numbers = numbers_of(move)
            dst, src = numbers.pop("dst"), numbers.pop("src")
            l1 = reference.nd2nz(l1, source, element_bytes, **numbers, dst_address=dst, src_address=src)
            to, from_, real = reference.indices(element_bytes, **numbers, dst_address=dst, src_address=src)
            back[from_[..., real]] = l1[to[..., real]]
            count += 1
        wanted = np.ascontiguousarray(tile_layout(array, row, tile)).reshape(-1).view(np.uint8)
        assert len(wanted) == size and (l1[start:start + size] == wanted).all(), (row["layer"], row["role"], tile["origin"])
        l1[start:start + size] = MARKER
        assert (l1 == MARKER).all(), (row["layer"], row["role"], "writes outside of its part of L1")
    back = back.view(dtype)
    assert np.count_nonzero(back) == row["moved_elements"], row["layer"]
    assert (back[back != 0] == memory.reshape(-1)[back != 0]).all(), row["layer"]
    return count


def check_type(weft, path, name, layers, *flags):
    report = weft_layout(weft, path, "--type", name, "--moves", *flags)
    rows = report["inputs"]
    assert len(rows) == 2 * len(layers), (len(rows), len(layers))
    assert report["different_inputs"] == 0
    moves = 0
    for i, (sizes, filter_sizes, attributes) in enumerate(layers):
        feature, weights = rows[2 * i:2 * i + 2]
        joined = feature["joined_groups"]
        group, filter_channels = attributes.get("group", 1) // joined, filter_sizes[1] * joined
        assert joined == weights["joined_groups"] and (joined == 1 or filter_channels * ELEMENT_BYTES[name] <= 32), feature
        if feature["role"] == "input":
            assert feature["sizes"] == [group, sizes[0], 1, *sizes[2:], sizes[1] // group], (feature, sizes)
            assert weights["sizes"] == [group, 1, filter_sizes[0] // group, *filter_sizes[2:], filter_channels], (weights, filter_sizes)
            assert feature["moved_elements"] >= needed(sizes, filter_sizes, attributes), feature
        assert weights["moved_elements"] == weights["elements"] == np.prod(filter_sizes) * joined, weights
        for row in (feature, weights):
            assert row["equal"] and row["difference"] == "", row
            assert row["bytes"] >= row["moved_elements"] * ELEMENT_BYTES[name], row
            assert row["cycles"] > 0 and 0 < row["bandwidth_share"] <= 1, row
            if len(row["axes"]) == 6:
                moves += check_moves(row, ELEMENT_BYTES[name], i)
    print(f"{' '.join([name, *flags])}: {len(rows)} inputs of {len(layers)} layers, {moves} moves run twice, {report['bytes']} bytes, "
          f"{report['cycles']} cycles, {100 * report['bandwidth_share']:.0f} % of the bandwidth")
    return report


def main():
    weft = sys.argv[1]
    path = model_registry.fetch("ppocr_cls")
    layers = list(layers_of(path))
    assert sum(1 for layer in layers if layer[2]) >= 50, "the model's convolutions were not found"
    for name in ELEMENT_BYTES:
        joined = check_type(weft, path, name, layers)
        separate = check_type(weft, path, name, layers, "--separate-groups")
        assert 2 * joined["cycles"] < separate["cycles"], "joining groups did not pay"
        assert any(row["joined_groups"] > 1 for row in joined["inputs"])
        assert all(row["joined_groups"] == 1 for row in separate["inputs"])


if __name__ == "__main__":
    main()

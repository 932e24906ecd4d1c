#!/usr/bin/env python3
"""Matrix products whose weights lie in DRAM in 4 or 8 bits, from ONNX to commands: against ONNX Runtime, and byte for byte on the vendor's runtime.

  few_bits_test.py WEFT FOLDER [-k PATTERN]

Float weights: normal numbers in groups of 64 reach 2.6 deviations, so steps of 2 * 2.6 / 2^bits give 20.4 and 44.6 dB; the floors leave
1.5 dB to the spread. A wrong nibble, group, scale or zero point costs tens of decibels. No program may take more cycles than in f16, and
every op alone (-O0) gives the same bytes.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

FLOORS = {"w4f16": 18.9, "w8f16": 43.1}  # dB


def call(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{command[1]}: exit {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def model(nodes, given, found, constants):
    graph = helper.make_graph(nodes, "g", given, found, constants)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)


def value(name, shape, dtype=np.float32):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(np.dtype(dtype)), shape)


def layers(shape, *sizes):
    """Linear layers with biases and relus between."""
    rng = np.random.default_rng(sizes[0])
    nodes, constants, name = [], [], "x"
    for i, (inner, columns) in enumerate(zip(sizes, sizes[1:])):
        constants += [numpy_helper.from_array((rng.standard_normal((inner, columns)) * inner ** -0.5).astype(np.float32), f"w{i}"),
                      numpy_helper.from_array((rng.standard_normal(columns) * 0.1).astype(np.float32), f"b{i}")]
        nodes += [helper.make_node("MatMul", [name, f"w{i}"], [f"m{i}"], name=f"product{i}"), helper.make_node("Add", [f"m{i}", f"b{i}"], [f"a{i}"])]
        name = f"a{i}"
        if i + 2 < len(sizes):
            nodes.append(helper.make_node("Relu", [name], [f"r{i}"]))
            name = f"r{i}"
    nodes[-1].output[0] = "y"
    return model(nodes, [value("x", [*shape, sizes[0]])], [value("y", [*shape, sizes[-1]])], constants), rng.standard_normal((*shape, sizes[0])).astype(np.float32)


def image(channels, results, size):
    """A 1x1 convolution."""
    rng = np.random.default_rng(channels)
    weights = (rng.standard_normal((results, channels, 1, 1)) * channels ** -0.5).astype(np.float32)
    node = helper.make_node("Conv", ["x", "w"], ["y"], name="product0")
    shape = [1, channels, size, size]
    return model([node], [value("x", shape)], [value("y", [1, results, size, size])], [numpy_helper.from_array(weights, "w")]), rng.standard_normal(shape).astype(np.float32)


FLOATS = {
    "float_step": lambda: layers((1,), 256, 1000),
    "float_long_step": lambda: layers((1, 1), 4096, 512),
    "float_rows": lambda: layers((1, 64), 256, 320),
    "float_images": lambda: layers((3, 20), 128, 200),
    "float_layers": lambda: layers((1, 8), 512, 1024, 256),
    "float_pixels": lambda: image(320, 640, 3),
    "float_beyond_local_memory": lambda: layers((1, 64), 2048, 3100),
}


def convert(weft, folder, precision, name, *options):
    call(weft, "convert", folder / "model.onnx", "--precision", precision, "-o", folder / f"{name}.bmodel", *options)


def output(weft, folder, name, *options):
    call(weft, "run", folder / f"{name}.bmodel", "--input", folder / "x.npz", "--output", folder / "out.npz", *options)
    with np.load(folder / "out.npz") as arrays:
        return arrays["y"]


def program(weft, folder, precision):
    return call(weft, "convert", folder / "model.onnx", "--precision", precision, "--emit", "tpu", "-o", "-")


def cycles(weft, folder, name):
    return json.loads(call(weft, "profile", folder / f"{name}.bmodel", "--json"))["total_cycles"]


def prepared(folder, name, graph, x):
    folder = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    onnx.save(graph, folder / "model.onnx")
    np.savez(folder / "x.npz", x=x)
    return folder, onnxruntime.InferenceSession(graph.SerializeToString()).run(["y"], {"x": x})[0]


def run_floats(weft, folder, name):
    graph, x = FLOATS[name]()
    folder, want = prepared(folder, name, graph, x)
    problems, taken = [], {}
    for precision in ("f16", *FLOORS):
        convert(weft, folder, precision, precision)
        taken[precision] = cycles(weft, folder, precision)
    for precision, floor in FLOORS.items():
        ours = output(weft, folder, precision)
        decibels = 10 * np.log10((want.astype(np.float64) ** 2).sum() / ((ours - want).astype(np.float64) ** 2).sum())
        print(f"{name:16s} {precision} {decibels:.1f} dB, {taken[precision]} cycles, f16 {taken['f16']}")
        layers_of = sum(node.op_type != "Add" and node.op_type != "Relu" for node in graph.graph.node)
        if decibels < floor - 10 * np.log10(layers_of):
            problems.append(f"{name}: {decibels:.1f} dB at {precision}, must be {floor}")
        if taken[precision] > taken["f16"]:
            problems.append(f"{name}: {taken[precision]} cycles at {precision}, {taken['f16']} in f16")
        text = program(weft, folder, precision)
        if text.count("tpu.coded_linear") < layers_of or any(word in text for word in ("tpu.linear", "tpu.conv", "tpu.matmul")):
            problems.append(f"{name}: not all products at {precision} have codes")
        convert(weft, folder, precision, "alone", "-O0")
        if ours.tobytes() != output(weft, folder, "alone").tobytes():
            problems.append(f"{name}: -O0 gives other bytes at {precision}")
        if ours.tobytes() != output(weft, folder, precision, "--device", "bmrt").tobytes():
            problems.append(f"{name}: libbmrt gives other bytes at {precision}")
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("-k", default="", metavar="PATTERN")
    args = parser.parse_args()
    problems, count = [], 0
    for cases, run in ((FLOATS, run_floats),):
        for name in (name for name in cases if args.k in name):
            problems += run(args.weft, args.folder, name)
            count += 1
    if not count:
        sys.exit(f"no case matches '{args.k}'")
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())

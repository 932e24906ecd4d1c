#!/usr/bin/env python3
"""Matrix products whose weights lie in DRAM in 4 or 8 bits, from ONNX to commands: against ONNX Runtime, and byte for byte on the vendor's runtime.

  few_bits_test.py WEFT FOLDER [-k PATTERN]

MatMulNBits: blocks of codes with scales and zero points, also of ragged sizes; blocks behind DequantizeLinear. In f32 only the order of sums differs: (K + 2) roundings of
2^-24 in the sum of |x| |w|. In f16 the input, the scale and the weight are rounded, 2^-11 each, and the result is f32. The program must
multiply by the graph's own codes where it says so.

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
HALF = 2.0 ** -11


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


def unpacked(codes, bits, count):
    parts = [codes >> shift & (1 << bits) - 1 for shift in range(0, 8, bits)]
    return np.stack(parts, -1).reshape(codes.shape[0], -1)[:, :count]


def n_bits(inner, columns, bits, block, shape, zeros=None, bias=False, dtype=np.float32, index=False):
    """The model, its input and the matrix (K, N) that it multiplies by."""
    rng = np.random.default_rng(inner + columns + bits)
    blocks = -(-inner // block)
    codes = rng.integers(0, 256, (columns, blocks, block * bits // 8), dtype=np.uint8)
    scales = (rng.random((columns, blocks)) * 0.02 + 0.002).astype(dtype)
    constants, names, zero = {"b": codes, "s": scales}, ["x", "b", "s"], np.full((columns, blocks), 2.0 ** (bits - 1))
    if zeros == "packed":
        constants["z"] = rng.integers(0, 256, (columns, -(-blocks * bits // 8)), dtype=np.uint8)
        zero = unpacked(constants["z"], bits, blocks)
    elif zeros == "float":
        constants["z"] = zero = rng.integers(0, 2 ** bits, (columns, blocks)).astype(dtype)
    block_of = np.arange(inner) // block
    if index:
        constants["g"] = block_of = np.sort(rng.integers(0, blocks, inner)).astype(np.int32)
    if bias:
        constants["c"] = rng.standard_normal(columns).astype(dtype)
    names += [name if name in constants else "" for name in "zgc"]
    node = helper.make_node("MatMulNBits", names, ["y"], name="product", domain="com.microsoft", K=inner, N=columns, bits=bits, block_size=block)
    weights = (unpacked(codes.reshape(columns, -1), bits, inner) - zero[:, block_of].astype(np.float64)) * scales[:, block_of]
    graph = model([node], [value("x", [*shape, inner], dtype)], [value("y", [*shape, columns], dtype)],
                  [numpy_helper.from_array(array, name) for name, array in constants.items()])
    return graph, rng.standard_normal((*shape, inner)).astype(dtype), weights.T


def dequantized(inner, columns, block, shape):
    """The same of a matrix of int4 behind DequantizeLinear, in blocks along K."""
    rng = np.random.default_rng(inner)
    codes = rng.integers(-8, 8, (inner, columns))
    scales = (rng.random((inner // block, columns)) * 0.02 + 0.002).astype(np.float32)
    constants = [helper.make_tensor("w", TensorProto.INT4, codes.shape, codes.ravel()), numpy_helper.from_array(scales, "s")]
    nodes = [helper.make_node("DequantizeLinear", ["w", "s"], ["d"], axis=0, block_size=block), helper.make_node("MatMul", ["x", "d"], ["y"], name="product")]
    graph = model(nodes, [value("x", [*shape, inner])], [value("y", [*shape, columns])], constants)
    graph.opset_import[0].version, graph.ir_version = 21, 10
    return graph, rng.standard_normal((*shape, inner)).astype(np.float32), codes * np.repeat(scales, block, 0).astype(np.float64)


# Arguments, and the bits of the codes that an f16 program multiplies by; 0: numbers.
N_BITS = {
    "step": (lambda: n_bits(256, 512, 4, 32, (1, 1)), 4),
    "step_zeros": (lambda: n_bits(256, 512, 4, 64, (1, 1), "packed"), 4),
    "step_8": (lambda: n_bits(256, 384, 8, 128, (1, 1)), 8),
    "step_8_zeros": (lambda: n_bits(256, 384, 8, 16, (1, 1), "packed"), 8),
    "rows": (lambda: n_bits(256, 300, 4, 16, (1, 70), "packed", bias=True), 4),
    "rows_8": (lambda: n_bits(128, 520, 8, 32, (2, 40), bias=True), 8),
    "rows_2": (lambda: n_bits(256, 300, 2, 32, (3, 33), "packed"), 4),
    "last_block": (lambda: n_bits(96, 500, 4, 64, (1, 8), "packed"), 4),
    "half": (lambda: n_bits(256, 512, 4, 32, (1, 5), dtype=np.float16), 4),
    "float_zeros": (lambda: n_bits(256, 512, 4, 32, (1, 5), "float"), 4),
    "dequantized": (lambda: dequantized(256, 512, 64, (1, 9)), 4),
    "ragged": (lambda: n_bits(200, 300, 4, 32, (1, 70)), 0),
    "order": (lambda: n_bits(256, 512, 4, 32, (1, 5), index=True), 0),
}


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
    options = onnxruntime.SessionOptions()  # which else rounds inputs to 8 bits where DequantizeLinear gives weights
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return folder, onnxruntime.InferenceSession(graph.SerializeToString(), options).run(["y"], {"x": x})[0]


def run_n_bits(weft, folder, name):
    make, bits = N_BITS[name]
    graph, x, weights = make()
    folder, want = prepared(folder, name, graph, x)
    size = np.abs(x.astype(np.float64)) @ np.abs(weights)
    problems = []
    for precision, bound in {"f32": (len(weights) + 2) * 2.0 ** -24, "f16": 3 * HALF + 2.0 ** -20}.items():
        convert(weft, folder, precision, precision)
        ours = output(weft, folder, precision)
        # ONNX Runtime's own sums, and the type of the result.
        allowed = (bound + len(weights) * 2.0 ** -24) * size + np.abs(want) * (2 * HALF if want.dtype == np.float16 else 2.0 ** -20) + 1e-6
        worst = float((np.abs(ours.astype(np.float64) - want) / allowed).max())
        print(f"{name:14s} {precision} {worst:.3f} of what is allowed")
        if not worst <= 1:  # true of NaN, too
            problems.append(f"{name}: {precision} differs by {worst:.2f} times what is allowed")
    if output(weft, folder, "f16").tobytes() != output(weft, folder, "f16", "--device", "bmrt").tobytes():
        problems.append(f"{name}: libbmrt gives other bytes")
    text = program(weft, folder, "f16")
    if bits and f"bits {bits}" not in text or not bits and "tpu.coded_linear" in text:
        problems.append(f"{name}: the program must multiply by " + (f"codes of {bits} bits" if bits else "numbers"))
    return problems


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
        if not decibels >= floor - 10 * np.log10(layers_of):
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


def changed(**more):
    """The model of a token with another attribute or constant; None leaves one out."""
    graph, _, _ = n_bits(256, 512, 4, 32, (1, 1), "packed")
    node = graph.graph.node[0]
    for name, value in more.items():
        attribute = [a for a in node.attribute if a.name == name]
        if attribute:
            attribute[0].i = value
        constants = [c for c in graph.graph.initializer if c.name == name]
        for constant in constants:
            graph.graph.initializer.remove(constant)
        if constants and value is None:
            kind = TensorProto.UINT8 if name in "bz" else TensorProto.FLOAT
            graph.graph.input.append(helper.make_tensor_value_info(name, kind, list(constants[0].dims)))
        elif not attribute:
            graph.graph.initializer.append(numpy_helper.from_array(value, name))
            if name == "g":
                node.input[4] = "g"
    return graph


ERRORS = {
    "bits is 3, must be 2, 4 or 8": lambda: changed(bits=3),
    "block_size is 48, must be a power of two": lambda: changed(block_size=48),
    "A is of type 'tensor<1x1x256xf32>', must be of floats in rows of K = 128": lambda: changed(
        K=128, b=np.zeros((512, 4, 16), np.uint8), s=np.ones((512, 4), np.float32), z=np.zeros((512, 2), np.uint8)),
    "scales has 512 elements, must have 4096": lambda: changed(s=np.ones((512, 1), np.float32)),
    "unsupported: B is computed; it must be constant": lambda: changed(b=None),
    "unsupported: g_idx beside zero_points": lambda: changed(g=np.zeros(256, np.int32)),
}


def run_errors(weft, folder, message):
    (folder / "errors").mkdir(parents=True, exist_ok=True)
    model = folder / "errors" / "model.onnx"
    onnx.save(ERRORS[message](), model)
    done = subprocess.run([weft, "convert", model, "-o", folder / "errors" / "program.bmodel"], capture_output=True, text=True)
    if done.returncode != 2 or message not in done.stderr:
        return [f"exit {done.returncode} instead of '{message}': {done.stderr.strip()[-300:]}"]
    return []


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weft")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("-k", default="", metavar="PATTERN")
    args = parser.parse_args()
    problems, count = [], 0
    for cases, run in ((N_BITS, run_n_bits), (FLOATS, run_floats), (ERRORS, run_errors)):
        for name in (name for name in cases if args.k in name):
            problems += run(args.weft, args.folder, name)
            count += 1
    if not count:
        sys.exit(f"no case matches '{args.k}'")
    print("\n".join(problems))
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())

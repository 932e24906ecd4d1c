#!/usr/bin/env python3
"""Peak memory of `weft convert` against the bytes of the model (scripts/bench --memory).

  compiler_memory.py WEFT DIR [--megabytes N] [--models REGEX]

Makes models of N MB of random f32 weights in DIR: matrices of Gemm, turned and not, one large one, of MatMul, filters with and without batch
normalizations, and weights in a file of their own. Converts each at every precision (INT8 with a table from one random sample) and
prints the largest resident size of the process, pages of mapped files included, and its ratio to the model's files.
"""
import argparse
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

PRECISIONS = ("f32", "f16", "bf16", "int8")


class Network:
    """A chain of layers with random weights."""

    def __init__(self, shape):
        self.rng = np.random.default_rng(0)
        self.shape, self.nodes, self.weights, self.last = shape, [], [], "x"

    def weight(self, shape):
        fan = int(np.prod(shape[1:])) or 1
        values = self.rng.standard_normal(shape, dtype=np.float32) * np.float32((2 / fan) ** 0.5)
        self.weights.append(numpy_helper.from_array(values, f"w{len(self.weights)}"))
        return self.weights[-1].name

    def add(self, kind, *weights, **attributes):
        output = f"y{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, [self.last, *weights], [output], **attributes))
        self.last = output

    def save(self, path, external):
        def value(name):
            return helper.make_tensor_value_info(name, TensorProto.FLOAT, self.shape)
        graph = helper.make_graph(self.nodes, "memory", [value("x")], [value(self.last)], self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
        if external:
            onnx.save(model, path, save_as_external_data=True, location=path.stem + ".data")
        else:
            onnx.save(model, path)


def matrices(kind, megabytes, rows):
    size = 2048
    network = Network([rows, size])
    for layer in range(megabytes * 1000 // (size * size * 4 // 1000)):
        options = {"transB": layer % 2} if kind == "Gemm" else {}
        network.add(kind, network.weight([size, size]), **options)
        network.add("Relu")
    return network


def filters(megabytes, normalized):
    channels = 512
    network = Network([1, channels, 14, 14])
    for _ in range(megabytes * 1000 // (channels * channels * 9 * 4 // 1000)):
        network.add("Conv", network.weight([channels, channels, 3, 3]), pads=[1] * 4)
        if normalized:
            numbers = [numpy_helper.from_array(network.rng.uniform(0.5, 1.5, channels).astype(np.float32), f"n{len(network.weights) + i}")
                       for i in range(4)]
            network.weights += numbers
            network.add("BatchNormalization", *(number.name for number in numbers))
        network.add("Relu")
    return network


def classifier(megabytes):
    """One matrix is nearly all, and is loaded slice by slice."""
    network = Network([1, 512, 7, 7])
    network.add("Flatten", axis=1)
    features = megabytes * 1000 // (25088 * 4 // 1000)
    network.add("Gemm", network.weight([features, 25088]), transB=1)
    network.add("Relu")
    network.add("Gemm", network.weight([10, features]), transB=1)
    return network


MODELS = {
    "gemm": lambda megabytes: matrices("Gemm", megabytes, 1),
    "gemm_external": lambda megabytes: matrices("Gemm", megabytes, 1),
    "classifier": classifier,
    "matmul": lambda megabytes: matrices("MatMul", megabytes, 64),
    "conv": lambda megabytes: filters(megabytes, normalized=False),
    "conv_external": lambda megabytes: filters(megabytes, normalized=False),
    "conv_normalized": lambda megabytes: filters(megabytes, normalized=True),
}


# A process counts what its parent had before it became another program, so a small one starts it.
STARTER = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
print(usage.ru_maxrss * 1024)
sys.exit(status != 0)
"""


def peak_bytes(*command):
    """Largest resident size of one process."""
    starter = [sys.executable, "-S", "-c", STARTER, *(str(part) for part in command)]
    return int(subprocess.run(starter, check=True, capture_output=True, text=True).stdout)


def measure(program, name, folder, megabytes):
    model, samples, table = (folder / f"{name}{suffix}" for suffix in (".onnx", ".samples", ".table"))
    network = MODELS[name](megabytes)
    network.save(model, name.endswith("_external"))
    samples.mkdir(exist_ok=True)
    np.savez(samples / "0.npz", x=network.rng.standard_normal(network.shape, dtype=np.float32))
    size = sum(file.stat().st_size for file in folder.glob(f"{name}.*") if file.suffix in (".onnx", ".data"))
    subprocess.run([program, "calibrate", model, "--data", samples, "-o", table], check=True, stdout=subprocess.DEVNULL)
    line = f"{name:16} {size / 1e6:7.0f} MB"
    for precision in PRECISIONS:
        flags = ["--calibration", table] if precision == "int8" else []
        peak = peak_bytes(program, "convert", model, "-o", folder / f"{name}.bmodel", "--precision", precision, *flags)
        line += f"   {precision} {peak / 1e6:5.0f} MB {peak / size:4.2f}"
    print(line, flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--models", default="")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name in MODELS:
        if re.search(arguments.models, name):
            measure(arguments.weft, name, arguments.folder, arguments.megabytes)


if __name__ == "__main__":
    main()

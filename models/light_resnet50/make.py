#!/usr/bin/env python3
"""ResNet-50 with seeded random weights: ONNX's light_resnet50 holds the graph, every weight is one repeated number there.

  models/light_resnet50/make.py OUT.onnx [--samples DIR] [--light light_resnet50.onnx]

Convolutions and the classifier get He-normal weights, batch norm a unit scale and variance and a zero mean and bias, so
that values neither die out nor overflow in half precision. --samples writes a few seeded inputs for `weft calibrate`.
The light model comes with the Python package onnx.
"""
import argparse
import os
import zlib

import numpy as np
import onnx
from onnx import numpy_helper

INPUT = "gpu_0/data_0"
SAMPLES = 4


def light_model():
    package = os.path.dirname(onnx.__file__)
    return os.path.join(package, "backend", "test", "data", "light", "light_resnet50.onnx")


def weight(name, shape):
    """He-normal for kernels, what is neutral for batch norm. The seed depends on the name only, not on the order."""
    random = np.random.default_rng(zlib.crc32(name.encode()))
    if name.endswith("_w_0"):
        fan_in = int(np.prod(shape[1:]))
        return (random.standard_normal(shape) * np.sqrt(2.0 / fan_in)).astype(np.float32)
    is_one = name.endswith(("_bn_s_0", "_riv_0"))
    return np.full(shape, 1.0 if is_one else 0.0, np.float32)


def fill(model):
    graph = model.graph
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    kept = []
    for node in graph.node:
        if node.op_type != "ConstantOfShape":
            kept.append(node)
            continue
        name, shape = node.output[0], [int(dim) for dim in shapes.pop(node.input[0])]
        graph.initializer.append(numpy_helper.from_array(weight(name, shape), name))
    del graph.node[:]
    graph.node.extend(kept)
    used = {name for node in kept for name in node.input}
    for tensor in [t for t in graph.initializer if t.name not in used]:
        graph.initializer.remove(tensor)
    for value in [v for v in graph.input if v.name != INPUT]:
        graph.input.remove(value)
    model.ir_version = max(model.ir_version, 4)  # older ones want every initializer among the inputs
    onnx.checker.check_model(model)


def write_samples(folder):
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(50)
    for index in range(SAMPLES):
        np.savez(os.path.join(folder, f"sample{index}.npz"),
                 **{INPUT: random.standard_normal((1, 3, 224, 224)).astype(np.float32)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output")
    parser.add_argument("--samples", metavar="DIR")
    parser.add_argument("--light", metavar="MODEL", default=light_model())
    args = parser.parse_args()
    model = onnx.load(args.light)
    fill(model)
    onnx.save(model, args.output)
    if args.samples:
        write_samples(args.samples)


if __name__ == "__main__":
    main()

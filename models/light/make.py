#!/usr/bin/env python3
"""A classification network of ONNX's `light` set with seeded random weights.

  models/light/make.py NAME OUT.onnx [--samples DIR] [--light FOLDER]

NAME: bvlc_alexnet, densenet121, inception_v1, inception_v2, resnet50, shufflenet, squeezenet, vgg19, zfnet512. The files of the
Python package onnx hold the graphs; every weight there is one repeated number (ConstantOfShape). Here kernels become He-normal,
biases zero and batch norm neutral (unit scale and variance), so that values neither die out nor overflow in half precision.
--samples writes a few seeded inputs for `weft calibrate`.
"""
import argparse
import os
import zlib

import numpy as np
import onnx
from onnx import numpy_helper

SAMPLES = 4
NAMES = "bvlc_alexnet densenet121 inception_v1 inception_v2 resnet50 shufflenet squeezenet vgg19 zfnet512".split()


def light_folder():
    return os.path.join(os.path.dirname(onnx.__file__), "backend", "test", "data", "light")


def roles(graph):
    """Which constant is what: name to 'kernel', 'one' or 'zero', from the node and the place that reads it."""
    readers = {}
    for node in graph.node:
        for place, name in enumerate(node.input):
            readers.setdefault(name, []).append((node, place))

    def role(name):
        node, place = readers[name][0]
        if node.op_type == "Unsqueeze":  # a scale or bias by channel on its way to Mul or Add
            return role(node.output[0])
        if node.op_type in ("Conv", "Gemm"):
            return "kernel" if place == 1 else "zero"
        if node.op_type == "BatchNormalization":
            return "one" if place in (1, 4) else "zero"
        return "one" if node.op_type == "Mul" else "zero"

    return {node.output[0]: role(node.output[0]) for node in graph.node if node.op_type == "ConstantOfShape"}


def weight(name, shape, role):
    """He-normal for kernels. The seed depends on the name only, not on the order."""
    if role == "kernel":
        random = np.random.default_rng(zlib.crc32(name.encode()))
        return (random.standard_normal(shape) * np.sqrt(2.0 / int(np.prod(shape[1:])))).astype(np.float32)
    return np.full(shape, 1.0 if role == "one" else 0.0, np.float32)


def fill(model):
    graph = model.graph
    shapes = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    role_of = roles(graph)
    kept = []
    for node in graph.node:
        if node.op_type != "ConstantOfShape":
            kept.append(node)
            continue
        name = node.output[0]
        values = weight(name, [int(dim) for dim in shapes[node.input[0]]], role_of[name])
        graph.initializer.append(numpy_helper.from_array(values, name))
    del graph.node[:]
    graph.node.extend(kept)
    used = {name for node in kept for name in node.input}
    for tensor in [t for t in graph.initializer if t.name not in used]:
        graph.initializer.remove(tensor)
    initialized = {tensor.name for tensor in graph.initializer}
    for value in [v for v in graph.input if v.name in initialized or v.name not in used]:
        graph.input.remove(value)
    model.ir_version = max(model.ir_version, 4)  # older ones want every initializer among the inputs
    onnx.checker.check_model(model)
    return model


def make(name, folder=None):
    """The filled model; its one input is 1x3x224x224."""
    return fill(onnx.load(os.path.join(folder or light_folder(), f"light_{name}.onnx")))


def write_samples(folder, name):
    os.makedirs(folder, exist_ok=True)
    random = np.random.default_rng(50)
    for index in range(SAMPLES):
        np.savez(os.path.join(folder, f"sample{index}.npz"),
                 **{name: random.standard_normal((1, 3, 224, 224)).astype(np.float32)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("output")
    parser.add_argument("--samples", metavar="DIR")
    parser.add_argument("--light", metavar="FOLDER", default=light_folder())
    args = parser.parse_args()
    model = make(args.name, args.light)
    onnx.save(model, args.output)
    if args.samples:
        write_samples(args.samples, model.graph.input[0].name)


if __name__ == "__main__":
    main()

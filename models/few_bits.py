#!/usr/bin/env python3
"""What weights of 4 and 8 bits cost and save: f16, w8f16 and w4f16 of the networks with large constant matrices.

  models/few_bits.py WEFT DIR [-k PATTERN] [--group-size N]

The transformers of models/transformer, and the linear layers of one decoder block of width 2048 (one token; 64 tokens) with normal weights. Per precision:
predicted cycles, bytes read from DRAM, bytes of the bmodel, and the least cosine and signal to noise of an output against ONNX Runtime. Fails if a program
takes more cycles than that of f16.
"""
import argparse
import json
import pathlib
import sys

import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

import measure

WIDTH = 2048


def block(tokens):
    """Products of a decoder block, each of which reads the one before: 16 matrices of WIDTH x WIDTH in weights."""
    rng = np.random.default_rng(3)
    nodes, constants, name, inner = [], [], "x", WIDTH
    for i, columns in enumerate((3 * WIDTH, WIDTH, 4 * WIDTH, WIDTH)):
        weights = (rng.standard_normal((inner, columns)) * inner ** -0.5).astype(np.float32)
        constants.append(numpy_helper.from_array(weights, f"w{i}"))
        nodes.append(helper.make_node("MatMul", [name, f"w{i}"], [f"m{i}"], name=f"product{i}"))
        nodes.append(helper.make_node("Tanh", [f"m{i}"], [f"t{i}"]))
        name, inner = f"t{i}", columns
        if i == 0:  # of queries, keys and values the first
            constants += [numpy_helper.from_array(np.array([at], np.int64), f"at{at}") for at in (0, WIDTH, 2)]
            nodes.append(helper.make_node("Slice", [name, "at0", f"at{WIDTH}", "at2"], ["query"]))
            name, inner = "query", WIDTH
    nodes[-1].output[0] = "y"
    given, found = (helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, tokens, WIDTH]) for name in "xy")
    graph = helper.make_graph(nodes, "block", [given], [found], constants)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return model, {"x": rng.standard_normal((1, tokens, WIDTH)).astype(np.float32)}


def networks(folder):
    """(name, model file, its inputs)."""
    for label, run, place in measure.runs():
        if label.startswith("transformer/"):
            model = measure.model_file(run, place, folder)
            given, bound = measure.feeds_of(onnxruntime.InferenceSession(str(model)), run)
            yield label, model, given | bound
    for tokens in (1, 64):
        model, feeds = block(tokens)
        path = folder / f"block_{tokens}.onnx"
        onnx.save(model, path)
        yield f"block of {WIDTH}, {tokens} token{'s' * (tokens > 1)}", path, feeds


def decibels(ours, want):
    want = np.asarray(want, np.float64)
    return 10 * np.log10((want ** 2).sum() / max(((ours - want) ** 2).sum(), 1e-300))


def rows(arguments, name, model, feeds):
    session = onnxruntime.InferenceSession(str(model))
    names = [output.name for output in session.get_outputs()]
    wanted = dict(zip(names, session.run(names, feeds)))
    np.savez(arguments.dir / "in.npz", **feeds)
    for precision in ("f16", "w8f16", "w4f16"):
        bmodel, out = arguments.dir / "program.bmodel", arguments.dir / "out.npz"
        options = ["--group-size", arguments.group_size] if precision != "f16" and arguments.group_size is not None else []
        measure.call(arguments.weft, "convert", model, "--precision", precision, "-o", bmodel, *options)
        profile = json.loads(measure.call(arguments.weft, "profile", bmodel, "--json")[0])
        measure.call(arguments.weft, "run", bmodel, "-i", arguments.dir / "in.npz", "-o", out)
        with np.load(out) as found:
            cosine = np.min([measure.cosine(found[key], wanted[key]) for key in names])
            signal = np.min([decibels(found[key], wanted[key]) for key in names])
        yield precision, profile, bmodel.stat().st_size, cosine, signal


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("-k", default="", metavar="PATTERN")
    parser.add_argument("--group-size", type=int)
    arguments = parser.parse_args()
    arguments.dir.mkdir(parents=True, exist_ok=True)
    print("| network | precision | cycles | DRAM bytes read | bmodel bytes | least cosine | dB |\n|---|---|---|---|---|---|---|")
    slower = []
    for name, model, feeds in networks(arguments.dir):
        if arguments.k not in name:
            continue
        f16 = None
        for precision, profile, size, cosine, signal in rows(arguments, name, model, feeds):
            cycles = profile["total_cycles"]
            f16 = f16 or cycles
            print(f"| {name} | {precision} | {cycles:,} | {profile['dram']['read_bytes']:,} | {size:,} | {cosine:.6f} | {signal:.1f} |", flush=True)
            if cycles > f16:
                slower.append(f"{name}: {precision} takes {cycles} cycles, f16 {f16}")
    print("\n".join(slower))
    return bool(slower)


if __name__ == "__main__":
    sys.exit(main())

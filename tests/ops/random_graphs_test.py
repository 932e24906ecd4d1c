#!/usr/bin/env python3
"""Random graphs: a model that converts computes what ONNX Runtime computes, on the emulator and on the vendor's runtime.

  random_graphs_test.py WEFT FOLDER [--branches | --wide] [--target CHIP] [--seed N] [--graphs N] [--bmrt N] [--only N]

Every graph is converted in F32; it either converts or is refused by lines that say `unsupported:` and name the node or the input.
A third is converted at -O0, too, and must give the same bytes (slices and groups never change a number), another third at one other
precision in turn; the first `--bmrt` graphs give the same bytes through libbmrt, if the chip computes all. Integers, truths and positions are exact.
With `--branches` the graphs are networks of branches, each converted at -O0 and -O2 in F32, F16 and INT8: what shares lanes and
rooms in local memory must not change a byte. With `--wide` they are layers whose filters take much of local memory, the same way.

Tolerances, relative to the largest magnitude of the output: F32 works with 24 bits, but its exp, log and division are the
machine's, good to about 2^-20, and errors of a chain of up to 8 operators add up: 2^-12. F16 has 11 bits and bf16 8 bits: a
rounding of 2^-11 or 2^-8 a step, each amplified by what follows, so only the cosine is judged: 1 - 2^-11 * 8 and
1 - 2^-8 * 8. INT8 keeps 7 bits and clips, cosine 0.9.
"""
import argparse
import json
import collections
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime

import random_graphs

COSINE = {"f16": 1 - 2**-11 * 8, "bf16": 1 - 2**-8 * 8, "int8": 0.9}
RELATIVE_F32 = 2**-12
TARGET = []
JUMPS = set("Greater Less Equal GreaterOrEqual LessOrEqual ArgMax ArgMin TopK Floor Ceil Round Sign IsNaN Mod BitShift ThresholdedRelu".split())


class Failure(Exception):
    pass


class Unsupported(Exception):
    pass


def weft(program, *arguments):
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def convert(program, model, bmodel, *options):
    result = weft(program, "convert", model, "-o", bmodel, *TARGET, *options)
    if result.returncode == 0:
        return
    lines = result.stderr.strip().split("\n")
    if result.returncode != 2 or not all(re.match(r"weft: error: .*(node \d+ .*unsupported: |unsupported: value 'x\d)", line) for line in lines):
        raise Failure(f"convert {' '.join(options)}: exit code {result.returncode}: {result.stderr[:400]}")
    raise Unsupported(lines[0])


def run(program, bmodel, inputs, outputs, *options):
    result = weft(program, "run", bmodel, "--input", inputs, "--output", outputs, *options)
    if result.returncode:
        raise Failure(f"run {' '.join(options)}: exit code {result.returncode}: {result.stderr[:400]}")
    with np.load(outputs) as archive:
        return dict(archive)


def check_names(want, got):
    described = [{name: (array.dtype, array.shape) for name, array in side.items()} for side in (want, got)]
    if described[0] != described[1]:
        raise Failure(f"outputs are {described[1]}, must be {described[0]}")


def check_close(want, got):
    check_names(want, got)
    for name, array in want.items():
        same = np.array_equal(got[name], array)
        if array.dtype.kind != "f":  # integers, truths and positions are exact
            if not same:
                raise Failure(f"f32: {int((got[name] != array).sum())} of {array.size} elements of {name} {array.dtype} {array.shape} differ")
            continue
        error = 0 if same else np.abs(got[name].astype(np.float64) - array).max(initial=0)
        limit = RELATIVE_F32 * max(np.abs(array).max(initial=0), 1e-3)
        if not error <= limit:
            raise Failure(f"f32: {name} {array.shape} is off by {error:.3g}, allowed {limit:.3g}")


def check_cosine(precision, want, got):
    check_names(want, got)
    for name, array in want.items():
        a, b = array.astype(np.float64).ravel(), got[name].astype(np.float64).ravel()
        lengths = np.linalg.norm(a) * np.linalg.norm(b)
        cosine = a @ b / lengths if lengths else float(np.array_equal(a, b))
        if not cosine >= COSINE[precision]:
            raise Failure(f"{precision}: {name} {array.shape} has cosine {cosine:.6f}, must be {COSINE[precision]:.6f}")


def check_equal(what, first, second):
    check_names(first, second)
    for name, array in first.items():
        if array.tobytes() != second[name].tobytes():
            count = int((array != second[name]).sum())
            raise Failure(f"{what}: {count} of {array.size} elements of {name} {array.shape} differ")


def int8_options(samples, index):
    """Every other graph keeps codes where floats take fewer cycles, which in small graphs is often."""
    return ["--calibration-data", str(samples), *(["--keep-int8"] if index % 2 else [])]


def has_host(program, bmodel):
    """Whether the host computes a part, as sums of int64 that may not fit 32 bits: libbmrt does not."""
    info = json.loads(subprocess.run([program, "info", bmodel, "--json"], capture_output=True, text=True, check=True).stdout)
    return "host" in info["nets"][0]["stages"][0]


def check_ways(program, files, samples, index, bmrt):
    """At each precision one file of bytes, however it is compiled and whoever runs it."""
    for precision in ("f32", "f16", "int8"):
        options = ["--precision", precision, *(int8_options(samples, index) if precision == "int8" else [])]
        convert(program, files["onnx"], files["bmodel"], "-O0", *options)
        plain = run(program, files["bmodel"], files["in.npz"], files["out.npz"])
        convert(program, files["onnx"], files["bmodel"], *options)
        check_equal(f"{precision} -O0 and -O2", plain, run(program, files["bmodel"], files["in.npz"], files["out.npz"]))
        if bmrt:
            check_equal(f"{precision} emulator and libbmrt", plain,
                        run(program, files["bmodel"], files["in.npz"], files["out.npz"], "--device", "bmrt"))


def save_samples(folder, feeds):
    folder.mkdir(exist_ok=True)
    np.savez(folder / "0.npz", **feeds)
    return folder


def check_graph(program, folder, seed, index, bmrt, kind):
    """None, or why the graph was refused; raises Failure."""
    if kind == "wide":
        model, feeds = random_graphs.wide_layers([seed, index])
    elif kind == "branches":
        model, feeds = random_graphs.random_branches([seed, index], operators=3 + index % 22)
    else:
        model, feeds = random_graphs.random_graph([seed, index], operators=1 + index % 8)
    files = {kind: folder / f"{index}.{kind}" for kind in ("onnx", "bmodel", "in.npz", "out.npz")}
    onnx.save(model, files["onnx"])
    np.savez(files["in.npz"], **feeds)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    want = dict(zip([output.name for output in model.graph.output], session.run(None, feeds)))
    convert(program, files["onnx"], files["bmodel"])
    optimized = run(program, files["bmodel"], files["in.npz"], files["out.npz"])
    check_close(want, optimized)
    if kind:
        return check_ways(program, files, save_samples(folder / f"{index}.samples", feeds), index, bmrt)
    if bmrt and not has_host(program, files["bmodel"]):
        check_equal("emulator and libbmrt", optimized,
                    run(program, files["bmodel"], files["in.npz"], files["out.npz"], "--device", "bmrt"))
    if index % 3 == 0:
        convert(program, files["onnx"], files["bmodel"], "-O0")
        check_equal("-O0 and -O2", run(program, files["bmodel"], files["in.npz"], files["out.npz"]), optimized)
    # Inputs rounded to 16 bits compare otherwise, so only smooth graphs have a cosine worth judging.
    if index % 3 != 1 or JUMPS & {node.op_type for node in model.graph.node}:
        return
    precision = ("f16", "bf16", "int8")[index // 3 % 3]
    samples = int8_options(save_samples(folder / f"{index}.samples", feeds), index) if precision == "int8" else []
    convert(program, files["onnx"], files["bmodel"], "--precision", precision, *samples)
    check_cosine(precision, want, run(program, files["bmodel"], files["in.npz"], files["out.npz"]))


def answer(*arguments):
    """(kind, text) of one graph."""
    try:
        check_graph(*arguments)
        return "ok", ""
    except Unsupported as refusal:
        return "refused", str(refusal)
    except Failure as failure:
        return "FAILED", str(failure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("folder", type=pathlib.Path)
    kinds = parser.add_mutually_exclusive_group()
    kinds.add_argument("--branches", dest="kind", action="store_const", const="branches", help="networks of branches")
    kinds.add_argument("--wide", dest="kind", action="store_const", const="wide", help="layers with large filters")
    parser.add_argument("--target", help="the chip, if not the usual one")
    parser.add_argument("--seed", type=int, default=1684)
    parser.add_argument("--graphs", type=int, default=300)
    parser.add_argument("--bmrt", type=int, default=0, help="so many graphs through libbmrt, too")
    parser.add_argument("--only", type=int, help="index of one graph")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    TARGET.extend(["--target", args.target] if args.target else [])
    args.folder.mkdir(parents=True, exist_ok=True)
    indices = range(args.graphs) if args.only is None else [args.only]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(pool.map(lambda i: answer(args.weft, args.folder, args.seed, i, i < args.bmrt, args.kind), indices))
    for index, (kind, text) in zip(indices, answers):
        if kind == "FAILED" or args.verbose:
            print(f"{kind} graph {index} (seed {args.seed}): {text}")
    counts = collections.Counter(kind for kind, _ in answers)
    print(f"{len(answers)} graphs: {counts['ok']} right, {counts['refused']} refused, {counts['FAILED']} failed")
    # More refusals than computed graphs would mean that the test proves little.
    return 1 if counts["FAILED"] or (args.only is None and counts["ok"] * 2 < len(answers)) else 0


if __name__ == "__main__":
    sys.exit(main())

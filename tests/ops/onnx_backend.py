#!/usr/bin/env python3
"""ONNX's own backend node tests through the real path: `weft convert` (F32) and `weft run` on the emulator.

  onnx_backend.py --weft WEFT [--no-host] [--suite plain|expanded|models] [-k PATTERN] [-j N] [--expected FILE] [--json FILE] [--bmrt LIB]

Suites: `plain` (1,404 node tests), `expanded` (480: the same ops as the function bodies of ONNX's schemas), `models` (the
`pytorch-converted`, `pytorch-operator`, `simple` and `light` tests that the onnx package carries).

Outputs must have the test's element type and shape and lie within its own tolerances (rtol, atol). Inputs that fix shapes or axes
(SHAPE_INPUTS) are bound at compile time with --bind; the data of an op never is. Sequences travel as their tensors, NAME[0] ..; --shape
says how many they have, and which optionals have no value.

`--expected FILE` holds the tests that are expected to fail, one line `<suite> <name> <reason>`; with --no-host `<suite>/no-host`
lines count, too. An unlisted failure, a listed test that passes or does not exist, a crash and a time-out each make the run fail.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import onnx
from onnx import numpy_helper
from onnx.backend.test.runner import Runner

# Inputs by op and position that fix shapes, axes or how many values a result has.
SHAPE_INPUTS = {
    "Reshape": [1], "Expand": [1], "Tile": [1], "Squeeze": [1], "Unsqueeze": [1], "Slice": [1, 2, 3, 4], "Pad": [1, 3],
    "Resize": [1, 2, 3], "Upsample": [1], "TopK": [1], "Split": [1], "SplitToSequence": [1], "ConstantOfShape": [0], "OneHot": [1],
    "Range": [0, 1, 2], "CumSum": [1], "CumProd": [1], "CenterCropPad": [1], "Col2Im": [1, 2], "MaxUnpool": [2], "DFT": [1, 2],
    "STFT": [1, 3], "BlackmanWindow": [0], "HannWindow": [0], "HammingWindow": [0], "MelWeightMatrix": [0, 1, 2, 3, 4],
    "Trilu": [1], "AffineGrid": [1], "NonMaxSuppression": [2], "Loop": [0, 1], "SequenceInsert": [2], "Dropout": [1, 2],
    **{"Reduce" + kind: [1] for kind in "L1 L2 LogSum LogSumExp Max Mean Min Prod Sum SumSquare".split()},
}
# What the vendor's runtime is never given: a file with sub-nets of the host. Weft's own words; counted.
HOST_REFUSED = "has parts that the host computes"
on_host = set()


class Case:
    """One test: a model and data sets of (inputs, outputs), each a list in the graph's order."""

    def __init__(self, name, model, data_sets, rtol, atol, unstorable=None, bound=()):
        self.name, self.model, self.data_sets, self.rtol, self.atol = name, model, data_sets, rtol, atol
        self.unstorable, self.bound = unstorable, set(bound)


def node_cases(expanded):
    from onnx.backend.test.case.node import collect_testcases
    tests = collect_testcases(None)
    # A function body reads the inputs of the op that it stands for: those that fix shapes do so in it, too.
    fixing = {test.name: shape_inputs(test.model.graph) for test in tests}
    for test in tests:
        if ("_expanded" in test.name) == expanded:
            bound = fixing.get(test.name.split("_expanded")[0], set()) & {info.name for info in test.model.graph.input}
            yield Case(test.name, test.model, test.data_sets, test.rtol, test.atol, bound=bound)


def model_cases(folder):
    """The `pytorch-*` and `simple` tests (model.onnx with test_data_set_*/{input,output}_i.pb) and the `light` ones (`real` there)."""
    def read(path):
        tensor = onnx.TensorProto()
        tensor.ParseFromString(path.read_bytes())
        return numpy_helper.to_array(tensor)

    def numbered(directory, word):
        return [read(path) for path in sorted(directory.glob(f"{word}_*.pb"), key=lambda p: int(re.search(r"_(\d+)\.pb", p.name)[1]))]

    for group in ("pytorch-converted", "pytorch-operator", "simple"):
        for directory in sorted((folder / group).glob("*")):
            if (directory / "model.onnx").exists():
                sets = [(numbered(data, "input"), numbered(data, "output")) for data in sorted(directory.glob("test_data_set_*"))]
                tolerances = directory / "data.json"
                limits = json.loads(tolerances.read_text()) if tolerances.exists() else {}
                yield Case(f"{group}/{directory.name}", onnx.load(directory / "model.onnx"), sets, limits.get("rtol", 1e-3),
                           limits.get("atol", 1e-7))
    for directory in sorted((folder / "real").glob("*")):
        limits = json.loads((directory / "data.json").read_text())
        path = folder / "light" / pathlib.Path(limits["url"]).name
        model = onnx.load(path)
        initialized = {tensor.name for tensor in model.graph.initializer}
        inputs = [Runner.generate_dummy_data(info) for info in model.graph.input if info.name not in initialized]
        yield Case(f"light/{directory.name}", model, [(inputs, [read(path.with_name(path.stem + "_output_0.pb"))])],
                   limits.get("rtol", 1e-3), limits.get("atol", 1e-7))


def shape_inputs(graph):
    """Names of graph inputs that SHAPE_INPUTS lists, in the graph and its subgraphs."""
    names = {info.name for info in graph.input}
    found = set()
    # Whether an output that is an optional has a value is a matter of shapes, too.
    fixing = SHAPE_INPUTS | ({"If": [0]} if any(info.type.HasField("optional_type") for info in graph.output) else {})

    def walk(inner):
        for node in inner.node:
            for position in fixing.get(node.op_type, []):
                if position < len(node.input) and node.input[position] in names:
                    found.add(node.input[position])
            for attribute in node.attribute:
                for sub in ([attribute.g] if attribute.type == onnx.AttributeProto.GRAPH else attribute.graphs):
                    walk(sub)

    walk(graph)
    return found


def as_stored(array):
    """The array that `weft run` takes and gives for it (docs/cli.md, Arrays): types that npz files lack travel in others."""
    if isinstance(array, onnx.TensorProto):
        array = numpy_helper.to_array(array)
    array = np.asarray(array)
    if array.dtype.kind == "O" and all(isinstance(text, str) for text in array.flat):
        return array.astype(str)
    if array.dtype.kind in "biufc" and array.dtype.isbuiltin == 1:
        return array
    import ml_dtypes
    if array.dtype == ml_dtypes.bfloat16:
        return array.astype(np.float32)
    if array.dtype in (ml_dtypes.int4, ml_dtypes.int2):
        return array.astype(np.int8)
    if array.dtype in (ml_dtypes.uint4, ml_dtypes.uint2):
        return array.astype(np.uint8)
    if array.dtype.itemsize == 1 and array.dtype.kind != "O":
        return array.view(np.uint8)  # float8, float4: their bits
    raise TypeError(f"arrays of {array.dtype} cannot be given to a bmodel")


def tensors_of(name, value):
    """(name, tensor) of each tensor of a value by its name as an input or output of a program."""
    if isinstance(value, dict):
        raise TypeError("maps cannot be given to a bmodel")
    if isinstance(value, list):
        return [(f"{name}[{i}]", item) for i, item in enumerate(value)]
    return [] if value is None else [(name, value)]


def shape_text(shape):
    """A shape as --shape takes it."""
    return {(): "scalar", (0,): "empty"}.get(shape) or "x".join(map(str, shape))


def interface(infos, values, bound):
    """Arrays by name for inputs of a program, and the shapes that the model leaves open: how many tensors sequences and optionals have, too."""
    feeds, flags = {}, []
    for info, value in zip(infos, values):
        tensors = [(name, as_stored(tensor)) for name, tensor in tensors_of(info.name, value)]
        feeds |= tensors
        if not tensors:
            flags += ["--shape", f"{info.name}={'none' if value is None else 'empty'}"]
        is_open = isinstance(value, list) or any(not dim.HasField("dim_value") for dim in info.type.tensor_type.shape.dim)
        if is_open and info.name not in bound:
            for name, array in tensors:
                flags += ["--shape", f"{name}={shape_text(array.shape)}"]
    return feeds, flags


def mismatch(actual, wanted, case):
    """"" if `actual` is what the test wants, else how it differs."""
    if isinstance(wanted, onnx.TensorProto):
        wanted = numpy_helper.to_array(wanted)
    wanted = np.asarray(wanted)
    stored = as_stored(wanted)
    if actual.dtype != stored.dtype and not actual.dtype.kind == stored.dtype.kind == "U":
        return f"element type {actual.dtype}, must be {stored.dtype}"
    if actual.shape != stored.shape:
        return f"shape {actual.shape}, must be {stored.shape}"
    if stored is not wanted and wanted.dtype.itemsize == 1 and stored.dtype == np.uint8 and "float" in wanted.dtype.name:
        actual = actual.view(wanted.dtype).astype(np.float32)  # compare values, not bits
        wanted = wanted.astype(np.float32)
    else:
        wanted = stored
    if np.array_equal(actual, wanted):
        return ""
    if stored.dtype.kind == "U":
        return f"strings {actual.tolist()}, must be {stored.tolist()}"[:160]
    try:
        np.testing.assert_allclose(actual, wanted, rtol=case.rtol, atol=case.atol)
    except AssertionError as error:
        return " ".join(str(error).split())[:160]
    return ""


def last_line(text):
    lines = [line for line in text.strip().splitlines() if "remark" not in line]
    return lines[0] if lines else "no message"


def run(case, arguments, folder):
    """"" if the test passes, else the reason."""
    graph = case.model.graph
    initialized = {tensor.name for tensor in graph.initializer}
    free = [info for info in graph.input if info.name not in initialized]
    for number, (inputs, outputs) in enumerate(case.data_sets):
        onnx.save(case.model, folder / "m.onnx")
        bound = shape_inputs(graph) | case.bound
        try:
            feeds, flags = interface(free, inputs, bound)
        except TypeError as error:
            return str(error)
        for name in sorted(bound - initialized):
            np.savez(folder / f"bind{len(flags)}.npz", **{name.replace("/", "|"): feeds[name]})
            flags += ["--bind", f"{name}={folder}/bind{len(flags)}.npz"]
        if arguments.no_host:
            flags.append("--no-host")
        # Names with a slash are folders to an npz file; the tests have none.
        np.savez(folder / "in.npz", **{name: value for name, value in feeds.items() if name not in bound})
        weft = str(arguments.weft)
        steps = [[weft, "convert", f"{folder}/m.onnx", "-o", f"{folder}/m.bmodel", "--precision", "f32", *flags],
                 [weft, "run", f"{folder}/m.bmodel", "-i", f"{folder}/in.npz", "-o", f"{folder}/out.npz"]]
        if arguments.bmrt:
            steps.append([weft, "run", f"{folder}/m.bmodel", "-i", f"{folder}/in.npz", "-o", f"{folder}/vendor.npz", "--device", "bmrt",
                          "--bmrt-lib", arguments.bmrt])
        for step in steps:
            try:
                done = subprocess.run(step, capture_output=True, text=True, timeout=120)
            except subprocess.TimeoutExpired:
                return f"{step[1]}: no end after 120 s"
            if "bmrt" in step and done.returncode == 2 and HOST_REFUSED in done.stderr:
                on_host.add(case.name)
                break
            if done.returncode != 0:
                return f"{step[1]} (exit {done.returncode}): {last_line(done.stderr)}"
        with np.load(folder / "out.npz") as file:
            all_wanted = [pair for info, value in zip(graph.output, outputs) for pair in tensors_of(info.name, value)]
            if more := set(file) - {name for name, _ in all_wanted}:
                return f"outputs {sorted(more)} are too many"
            for name, wanted in all_wanted:
                if name not in file:
                    return f"output '{name}' is missing"
                found = mismatch(file[name], wanted, case)
                if found:
                    return f"output '{name}': {found}"
            if arguments.bmrt and case.name not in on_host:
                with np.load(folder / "vendor.npz") as vendor:
                    for name in file:
                        if file[name].tobytes() != vendor[name].tobytes():
                            return f"output '{name}' differs on libbmrt"
    return "" if case.data_sets else "no data"


def guarded(case, arguments):
    with tempfile.TemporaryDirectory(prefix="weft-backend-") as folder:
        try:
            return case.name, run(case, arguments, pathlib.Path(folder))
        except Exception as error:  # a fault of the harness is a failure of the test
            return case.name, f"harness: {type(error).__name__}: {error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--weft", required=True)
    parser.add_argument("--suite", action="append", choices=["plain", "expanded", "models"])
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(onnx.__file__).parent / "backend/test/data",
                        help="folder of the onnx package with the tests of --suite models")
    parser.add_argument("--no-host", action="store_true")
    parser.add_argument("-k", default="", help="regular expression: only tests whose name it finds")
    parser.add_argument("-j", type=int, default=os.cpu_count())
    parser.add_argument("--bmrt", help="libbmrt.so: run each bmodel there, too, and compare bytes")
    parser.add_argument("--expected", type=pathlib.Path)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("-q", action="store_true", help="only the counts and what is wrong")
    arguments = parser.parse_args()
    warnings.filterwarnings("ignore")
    expected = {}
    if arguments.expected:
        for line in arguments.expected.read_text().splitlines():
            if line.strip() and not line.startswith("#"):
                suite, name, reason = line.split(None, 2)
                expected[suite, name] = reason
    wrong, report = [], {}
    for suite in arguments.suite or ["plain"]:
        cases = list(model_cases(arguments.data) if suite == "models" else node_cases(suite == "expanded"))
        cases = [case for case in cases if re.search(arguments.k, case.name)]
        with concurrent.futures.ThreadPoolExecutor(arguments.j) as pool:
            results = dict(pool.map(lambda case: guarded(case, arguments), cases))
        label = suite + ("/no-host" if arguments.no_host else "")
        listed = {name for (of, name) in expected if of in (suite, label)}
        for name, reason in sorted(results.items()):
            if reason and not arguments.q:
                print(f"FAIL {label} {name}: {reason}")
            broke = "(exit 70)" in reason or "no end after" in reason or reason.startswith("harness:")
            if broke or arguments.expected and bool(reason) != (name in listed):
                wrong.append(f"{label} {name}: " + (reason or "passes, but is listed as an expected failure"))
        if not cases:
            wrong.append(f"{label}: no test has '{arguments.k}' in its name")
        if not arguments.k:
            wrong += [f"{label} {name}: is listed, but there is no such test" for name in sorted(listed - set(results))]
        passed = sum(not reason for reason in results.values())
        if arguments.bmrt:
            print(f"{label}: {len(on_host)} of them hold sub-nets of the host, which libbmrt does not run")
            on_host.clear()
        print(f"{label}: {passed} of {len(results)} passed", flush=True)
        report[label] = results
    if arguments.json:
        arguments.json.write_text(json.dumps(report, indent=1))
    for line in wrong:
        print("wrong:", line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Where each ONNX operator runs, measured: `weft convert` of ONNX's own backend node tests at every precision.

  op_support.py WEFT           fails if tools/weft/OpSupport.def is not what happens
  op_support.py WEFT --write   renews it (`weft ops` and docs/ops.md print it)

An operator is probed with PROBES of the plain tests (at even distances in the list) that have it as their only node; data of a test are
its int8 calibration, inputs that fix shapes are bound. What a probe becomes:
  TPU      one op of the top dialect, no part of the host
  parts    several ops, all on the TPU (TPU by decomposition)
  folded   a constant
  host     at least a part runs on the host, in a CPU subnet
  refused  a message; the first one is the reason
A cell joins what the probes became, the most frequent first: "TPU, host".
"""
import argparse
import collections
import concurrent.futures
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import numpy as np
import onnx
from onnx import TensorProto, defs

import onnx_backend

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "tools" / "weft" / "OpSupport.def"
PRECISIONS = ("f32", "f16", "bf16", "int8")
PROBES = 6
INTEGERS = {"int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"}
FLOATS = {"float", "float16", "bfloat16", "double"}
HEADER = """// Where each ONNX operator runs, by tests/ops/op_support.py --write; never by hand.
// WEFT_OP_SUPPORT(domain, name, since, types, f32, f16, bf16, int8, reason)
//   since   opset (of the domain) that gave the operator its newest form
//   types   element types of its first operand (of its result if it has none)
//   f32..   what its probes become at that precision: TPU, parts (TPU by decomposition), folded, host, refused; the most
//           frequent first; "" if no test of ONNX has it as the only node
//   reason  of the first refusal, if there is one
#ifndef WEFT_OP_SUPPORT
#error "define WEFT_OP_SUPPORT before including OpSupport.def"
#endif
"""


def schemas():
    """The newest form of every operator, by domain and name."""
    newest = {}
    for schema in defs.get_all_schemas_with_history():
        domain = "" if schema.domain == "ai.onnx" else schema.domain
        if (domain, schema.name) not in newest or newest[domain, schema.name].since_version < schema.since_version:
            newest[domain, schema.name] = schema
    return {key: schema for key, schema in sorted(newest.items()) if not schema.deprecated}


def types_of(schema):
    """Element types of the first operand, in a few words."""
    values = list(schema.inputs) or list(schema.outputs)
    names = set()
    for text in values[0].types if values else ():
        match = re.fullmatch(r"tensor\((\w+)\)", text)
        names.add(match[1] if match else text.split("(")[0])
    words = []
    for word, group in (("floats", FLOATS), ("integers", INTEGERS)):
        if group <= names:
            words.append(word)
            names -= group
    return " ".join(words + sorted(names))


def probes():
    """At most PROBES tests for each operator, spread over all of them."""
    found = collections.defaultdict(list)
    for case in sorted(onnx_backend.node_cases(expanded=False), key=lambda case: case.name):
        nodes = case.model.graph.node
        if len(nodes) != 1:
            continue
        key = ("" if nodes[0].domain == "ai.onnx" else nodes[0].domain, nodes[0].op_type)
        found[key].append(case)
    return {key: [cases[i * len(cases) // PROBES] for i in range(PROBES)] if len(cases) > PROBES else cases
            for key, cases in found.items()}


def reason(stderr):
    line = next((line for line in stderr.splitlines() if "error: " in line), "no message")
    line = line.split("error: ", 1)[1] if "error: " in line else line
    line = re.sub(r"^\S*m\.onnx: (node \d+ '[^']*' \([^)]*\): )?", "", line)
    line = re.sub(r"\S*/weft-ops-\w+/", "", line)  # folders of this run
    return line.removeprefix("unsupported: ")


def run(weft, *arguments):
    return subprocess.run([str(weft), *map(str, arguments)], capture_output=True, text=True, timeout=300)


graphs = {}  # the graph of top by test


def outcome(weft, case, precision):
    """(what the probe becomes, reason)."""
    inputs = case.data_sets[0][0]
    bound = onnx_backend.shape_inputs(case.model.graph)
    try:
        feeds, shapes = onnx_backend.interface(case.model.graph.input, inputs, bound)
    except TypeError:
        return "refused", "strings and complex numbers cannot be inputs of a bmodel"
    with tempfile.TemporaryDirectory(prefix="weft-ops-") as name:
        folder = pathlib.Path(name)
        onnx.save(case.model, folder / "m.onnx")
        flags = ["--precision", precision, *shapes]
        for number, input_name in enumerate(sorted(bound)):
            np.savez(folder / f"bind{number}.npz", feeds[input_name])
            flags += ["--bind", f"{input_name}={folder}/bind{number}.npz"]
        if precision == "int8":
            (folder / "samples").mkdir()
            np.savez(folder / "samples" / "0.npz", **{key: value for key, value in feeds.items() if key not in bound})
            flags += ["--calibration-data", str(folder / "samples")]
        done = run(weft, "convert", folder / "m.onnx", "-o", folder / "bmodel", *flags)
        if done.returncode != 0:
            return "refused", reason(done.stderr)
        if any(stage.get("host") for net in json.loads(run(weft, "info", folder / "bmodel", "--json").stdout)["nets"] for stage in net["stages"]):
            return "host", ""
        if case.name not in graphs:  # the same at every precision
            run(weft, "convert", folder / "m.onnx", "-o", folder / "top", "--emit", "top", *flags)
            graphs[case.name] = (folder / "top").read_text()
        text = graphs[case.name]
    ops = len(re.findall(r"= \"?top\.(?!constant|reshape)", text))
    return ("parts" if ops > 1 else "TPU" if ops or "top.reshape" in text or "top.constant" not in text else "folded"), ""


def cell(outcomes):
    counts = collections.Counter(outcomes)
    order = ("TPU", "parts", "folded", "host", "refused")
    return ", ".join(sorted(counts, key=lambda what: (-counts[what], order.index(what))))


def rows(weft, jobs):
    cases = probes()
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        futures = {(key, precision): [pool.submit(outcome, weft, case, precision) for case in cases.get(key, ())]
                   for key in schemas() for precision in PRECISIONS}
        for key, schema in schemas().items():
            found = {precision: [future.result() for future in futures[key, precision]] for precision in PRECISIONS}
            why = next((text for precision in PRECISIONS for _, text in found[precision] if text), "")
            why = why.replace("\\", "").replace('"', "'")
            cells = ", ".join(f'"{cell([what for what, _ in found[precision]])}"' for precision in PRECISIONS)
            yield f'WEFT_OP_SUPPORT("{key[0]}", "{key[1]}", {schema.since_version}, "{types_of(schema)}", {cells}, "{why[:160]}")\n'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("-j", type=int, default=2)
    args = parser.parse_args()
    text = HEADER + "".join(rows(args.weft, args.j)) + "#undef WEFT_OP_SUPPORT\n"
    if args.write:
        TABLE.write_text(text)
        return
    wanted = TABLE.read_text().splitlines()
    stale = [line for line in text.splitlines() if line not in wanted] + [line for line in wanted if line not in text.splitlines()]
    for line in stale[:20]:
        print("FAILED", line)
    if stale:
        print(f"{TABLE.name} is stale; run this test with --write")
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main()

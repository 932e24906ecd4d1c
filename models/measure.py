#!/usr/bin/env python3
"""Converts the models of the registry (models/*/*.toml, [[runs]]), runs them on the emulator and compares with ONNX Runtime.

  measure.py WEFT DIR [--models REGEX] [--precisions f32,f16] [--bmrt LIBBMRT] [--fast] [--json FILE]

Each run must reach the floors below, use no more host ops than its table says and, with --bmrt, give the same bytes on the vendor's
runtime in F32. Exit code 1 if not. A run that its table calls `beyond` a precision is excused if a value in it really is. --fast leaves the runs out that say `slow = true`. DIR keeps models, bmodels and arrays.

Floors: the cosine of each output with ONNX Runtime's float output, as the project promises it to users: F32 0.99999 (sums in another
order, functions within a few ulp), F16 0.9999 (10 bits of significand).
"""
import argparse
import functools
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import time
import tomllib

import numpy as np
import onnx
import onnxruntime

import inputs as generators

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "scripts"))
import model_registry  # noqa: E402

LARGEST = {"f16": 65504.0}
FLOORS = {"f32": 0.99999, "f16": 0.9999}


def runs():
    """(name, table of the run, function that makes or fetches the model file)."""
    for path in sorted(FOLDER.glob("*/*.toml")):
        table = tomllib.loads(path.read_text())
        for run in table.get("runs", []):
            name = table["model"]["name"]
            label = name + "".join("/" + str(run[key]) for key in ("make", "shapes") if key in run)
            if run.get("bind"):
                label += " " + " ".join(f"{key}={value}" for key, value in run["bind"].items())
            yield label, run, (path.parent, name)


def model_file(run, place, folder):
    parent, name = place
    return made(parent, name, run["make"], folder) if "make" in run else model_registry.fetch(name)


@functools.cache
def made(parent, name, kind, folder):
    """Once a process, not once a folder: an older make.py made another model."""
    target = folder / f"{name}_{kind}.onnx"
    spec = importlib.util.spec_from_file_location(f"make_{name}", parent / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    onnx.save(module.make(kind), target)
    return target


def call(*command):
    begin = time.perf_counter()
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=1800)
    if done.returncode != 0:
        raise RuntimeError(f"{command[1]}: exit code {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout, time.perf_counter() - begin


def cosine(a, b):
    a, b = np.asarray(a, np.float64).ravel(), np.asarray(b, np.float64).ravel()
    length = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / length) if length else float(np.array_equal(a, b))


def feeds_of(session, run, seed=generators.SEED):
    """Arrays of every input: generated from `seed`, those of `bind` as they stand."""
    shapes = dict(part.split("=") for part in run.get("shapes", "").split())
    bound = run.get("bind", {})
    infos, feeds = {}, {}
    for info in session.get_inputs():
        dtype = np.dtype({"float": "f4", "float16": "f2", "int64": "i8", "int32": "i4"}[info.type[7:-1]])
        if info.name in bound:
            feeds[info.name] = np.array(bound[info.name], dtype)
        else:
            shape = [int(size) for size in shapes[info.name].split("x")] if info.name in shapes else info.shape
            infos[info.name] = (dtype, shape)
    return generators.KINDS[run["inputs"]](infos, seed), feeds


def largest_value(model, feeds):
    """The largest finite |x| of any float value in the graph."""
    graph = onnx.load(model)
    known = {output.name for output in graph.graph.output}
    for name in (name for node in graph.graph.node for name in node.output if name and name not in known):
        graph.graph.output.append(onnx.helper.make_empty_tensor_value_info(name))
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    return max(float(np.abs(value).max()) for value in session.run(None, feeds) if value.size and value.dtype.kind == "f")


def measure(label, run, place, arguments, precision):
    folder = arguments.dir
    model = model_file(run, place, folder)
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    given, bound = feeds_of(session, run)
    names = [output.name for output in session.get_outputs()]
    wanted = dict(zip(names, session.run(names, given | bound)))
    stem = folder / re.sub(r"[^\w.=-]+", "_", f"{label}_{precision}")
    flags = [flag for part in run.get("shapes", "").split() for flag in ("--shape", part)]
    for name, value in bound.items():
        np.savez(f"{stem}_{name}.npz", **{name: value})
        flags += ["--bind", f"{name}={stem}_{name}.npz"]
    np.savez(f"{stem}_in.npz", **given)
    weft = arguments.weft
    _, convert = call(weft, "convert", model, "-o", f"{stem}.bmodel", "--precision", precision, *flags)
    _, seconds = call(weft, "run", f"{stem}.bmodel", "-i", f"{stem}_in.npz", "-o", f"{stem}_out.npz")
    info = json.loads(call(weft, "info", f"{stem}.bmodel", "--json")[0])
    row = {"run": label, "precision": precision, "convert": convert, "emulate": seconds, "host_ops": info.get("host_ops", 0)}
    with np.load(f"{stem}_out.npz") as found:
        # Of numpy: the min and max of Python leave out a NaN that is not the first.
        row["cosine"] = float(np.min([cosine(found[name], wanted[name]) for name in names]))
        row["error"] = float(np.max([np.abs(np.asarray(found[name], np.float64) - wanted[name]).max() for name in names]))
        row["wrong"] = [name for name in names if found[name].shape != wanted[name].shape or found[name].dtype != wanted[name].dtype]
        if arguments.bmrt and precision == "f32":
            call(weft, "run", f"{stem}.bmodel", "-i", f"{stem}_in.npz", "-o", f"{stem}_vendor.npz", "--device", "bmrt",
                 "--bmrt-lib", arguments.bmrt, "--time-limit", "1500")
            with np.load(f"{stem}_vendor.npz") as vendor:
                row["bmrt"] = all(found[name].tobytes() == vendor[name].tobytes() for name in names)
    floor = run.get("floors", {}).get(precision, FLOORS[precision])
    if precision in run.get("beyond", {}):
        row["beyond"] = run["beyond"][precision]
        row["passes"] = largest_value(model, given | bound) > LARGEST[precision]
        return row
    row["passes"] = not row["wrong"] and row["cosine"] >= floor and row["host_ops"] <= run["host_ops"] and row.get("bmrt", True)
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--models", default="")
    parser.add_argument("--precisions", default="f32,f16")
    parser.add_argument("--bmrt")
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.dir.mkdir(parents=True, exist_ok=True)
    onnxruntime.set_default_logger_severity(3)
    rows, failed = [], 0
    print("| run | precision | cosine, least | largest error | host ops | bytes equal on libbmrt | convert s | emulate s |\n|---|---|---|---|---|---|---|---|")
    for label, run, place in runs():
        if not re.search(arguments.models, label) or (arguments.fast and run.get("slow")):
            continue
        for precision in arguments.precisions.split(","):
            try:
                row = measure(label, run, place, arguments, precision)
            except Exception as error:  # one model's fault does not hide the next
                failed += 1
                print(f"FAIL {label} {precision}: {' '.join(str(error).split())[:700]}", flush=True)
                continue
            rows.append(row)
            failed += not row["passes"]
            print(f"| {'' if row['passes'] else 'FAIL '}{label} | {precision} | {row['cosine']:.7f} | {row['error']:.2g} | {row['host_ops']} "
                  f"| {row.get('bmrt', '-')} | {row['convert']:.2f} | {row['emulate']:.2f} |"
                  + (f" {row['beyond']}" if "beyond" in row else ""), flush=True)
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))
    return 1 if failed or not rows else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Remakes the vendor's figures: compiles networks with the vendor's compiler and reads what it predicts.

  models/vendor.py DIR --env FILE [--networks REGEX] [--precisions int8,f16,f32] [--streams FOLDER --weft WEFT]

FILE is sourced by bash and must bring TPU-MLIR 1.30.2 (PyPI package tpu-mlir) into reach: model_transform.py, run_calibration.py,
model_deploy.py. Updates tests/data/bench/vendor.json in place: the vendor's cycles and, counted from the ONNX graph, the
multiply-accumulates and parameters of each network. --streams also writes every command with its cycles as FOLDER/<network>_<precision>.jsonl.gz
(tests/data/cycles/README.md describes them); it needs our program to read the commands. DIR keeps everything in between; what is there
is not made again. A network takes 5 to 100 seconds.
"""
import argparse
import gzip
import json
import math
import pathlib
import re
import shlex
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime

import cycles

FIGURES = cycles.DATA / "vendor.json"
MULTIPLY = ("Conv", "ConvTranspose", "Gemm", "MatMul")
SAME_ELEMENTS = ("Identity", "Reshape", "Unsqueeze", "Squeeze", "Transpose")
NEWEST_IR_VERSION = 8  # above 9 its simplifier is skipped with a mere warning and the graph comes out wrong
PROFILE = "compiler_profile_0.txt"  # which every deployment writes
COMMAND = re.compile(r"\|(\w+)\|s:(\d+)\|b:(\d+)\|g:(\d+)\|e:(\d+)\|t:(\d+)(?:\|dr:(\d+)\|sz:(\d+))?")


def shapes_of(model, entry):
    """Input name to sizes."""
    if "shape" in entry:
        name, shape = entry["shape"].split("=")
        return {name: [int(size) for size in shape.split("x")]}
    constants = {tensor.name for tensor in model.graph.initializer}
    return {value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim]
            for value in model.graph.input if value.name not in constants}


def sizes_of(model, shapes):
    """Name of a value to its sizes, from a run on zeros: shape inference does not get through every model."""
    graph = onnx.ModelProto.FromString(model.SerializeToString()).graph
    kinds = {value.name: onnx.helper.tensor_dtype_to_np_dtype(value.type.tensor_type.elem_type) for value in graph.input}
    known = {output.name for output in graph.output}
    graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for node in graph.node for name in node.output
                        if name and name not in known)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 3
    whole = onnx.helper.make_model(graph, opset_imports=model.opset_import, ir_version=model.ir_version)
    session = onnxruntime.InferenceSession(whole.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    values = session.run(names, {name: np.zeros(shape, kinds[name]) for name, shape in shapes.items()})
    return dict(zip(names, map(np.shape, values))) | shapes | {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}


def work_of(model, shapes):
    """Multiply-accumulates of convolutions and matrix products, and how many numbers their constant operands and biases have."""
    sizes, graph = sizes_of(model, shapes), model.graph
    constant = {tensor.name for tensor in graph.initializer} | {n.output[0] for n in graph.node if n.op_type == "Constant"}
    constant |= {n.output[0] for n in graph.node if n.op_type in SAME_ELEMENTS and n.input[0] in constant}
    products, parameters = 0, {}
    for node in (node for node in graph.node if node.op_type in MULTIPLY):
        left, right, result = (sizes[name] for name in (node.input[0], node.input[1], node.output[0]))
        parameters.update((name, math.prod(sizes[name])) for name in node.input if name in constant)
        if node.op_type == "Conv":
            products += math.prod(result) * math.prod(right[1:])
        elif node.op_type == "ConvTranspose":
            products += math.prod(left) * math.prod(right[1:])
        else:
            turned = any(attribute.name == "transA" and attribute.i for attribute in node.attribute)
            products += math.prod(result) * left[-2 if turned else -1]
    return {"macs": products, "parameters": sum(parameters.values())}


def call(environment, folder, log, *command):
    script = f"source {shlex.quote(str(environment))} && exec {shlex.join(map(str, command))}"
    with open(folder / log, "w") as out:
        done = subprocess.run(["bash", "-c", script], cwd=folder, stdout=out, stderr=subprocess.STDOUT, timeout=3600)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: exit code {done.returncode}; see {folder / log}")


def transform(environment, folder, name, model, shapes):
    if (folder / f"{name}.mlir").exists():
        return
    model.ir_version = min(model.ir_version, NEWEST_IR_VERSION)
    onnx.save(model, folder / f"{name}.onnx")
    sizes = json.dumps(list(shapes.values())).replace(" ", "")
    call(environment, folder, "transform.log", "model_transform.py", "--model_name", name, "--model_def", f"{name}.onnx",
         "--input_shapes", sizes, "--mlir", f"{name}.mlir")


def samples_of(entry, folder, model):
    samples = folder / "samples"
    if not samples.exists():
        cycles.write_samples(entry, samples, model)
    return samples


def calibrate(environment, folder, name, samples, count):
    """The vendor's calibration table, made of `count` inputs in the folder that `samples()` gives."""
    table = folder / f"{name}.table"
    if not table.exists():
        call(environment, folder, "calibrate.log", "run_calibration.py", f"{name}.mlir", "--dataset", samples(),
             "--input_num", count, "--tune_num", 1, "-o", table)
    return table


def deploy(environment, folder, name, precision, samples, count):
    """Folder with the bmodel and its profile; one a precision, since every run writes files of fixed names. int8asym: with zero points.
    `samples()` gives the folder of `count` calibration inputs."""
    place = folder / precision
    if (place / PROFILE).exists():
        return place
    place.mkdir(exist_ok=True)
    options = []
    if precision.startswith("int8"):
        table = calibrate(environment, folder, name, samples, count)
        options = ["--calibration_table", table, *(["--asymmetric"] if precision.endswith("asym") else [])]
    for path in [folder / f"{name}.mlir", *folder.glob("*_weight.npz")]:
        (place / path.name).write_bytes(path.read_bytes())
    call(environment, place, "deploy.log", "model_deploy.py", "--mlir", f"{name}.mlir", "--quantize", precision.removesuffix("asym").upper(), *options,
         "--processor", "bm1684x", "--skip_validation", "--model", f"{name}.bmodel")
    return place


def timeline(place):
    """Rows of the profile: engine, kind, s, e, t, id and, of DMA, dir and bytes (fills have neither); TIU before DMA, each in order."""
    rows = []
    for kind, start, tiu, dma, end, cost, way, size in COMMAND.findall((place / PROFILE).read_text()):
        engine = "dma" if kind.startswith("GDMA") else "tiu"
        row = {"engine": engine, "kind": kind, "s": int(start), "e": int(end), "t": int(cost), "id": int(dma if engine == "dma" else tiu)}
        rows.append(row | ({"dir": int(way), "bytes": int(size)} if way else {}))
    return sorted(rows, key=lambda row: (row["engine"] == "dma", row["id"]))


def write_stream(weft, place, name, path):
    """Joins the profile with the registers of the commands, by command id. Commands below 1 cycle are in no profile."""
    listing = json.loads(subprocess.run([weft, "disasm", place / f"{name}.bmodel", "--json"], check=True, capture_output=True, text=True).stdout)
    engines = {"tiu": "tiu", "gdma": "dma"}
    commands = {(engines[command["engine"]], command["id"]): command for command in listing["commands"]}
    if len(commands) != len(listing["commands"]):
        raise RuntimeError(f"{place}: several command groups")
    lines = []
    for row in timeline(place):
        command = commands[row["engine"], row.pop("id")]
        lines.append(json.dumps({"engine": row["engine"], "op": command["mnemonic"], "regs": command["fields"]} | row))
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.GzipFile(path, "wb", mtime=0) as out:  # the same bytes every time
        out.write(("\n".join(lines) + "\n").encode())


def remake(arguments, name, entry):
    model = onnx.load(cycles.model_file(entry, arguments.dir))
    shapes = shapes_of(model, entry)
    entry |= work_of(model, shapes)
    folder = arguments.dir / name
    folder.mkdir(exist_ok=True)
    transform(arguments.env, folder, name, model, shapes)
    for precision in arguments.precisions.split(","):
        place = deploy(arguments.env, folder, name, precision, lambda: samples_of(entry, folder, model), cycles.SAMPLES)
        entry.setdefault("vendor", {})[precision] = max(row["e"] for row in timeline(place)) + 1
        if arguments.streams:
            suffix = "int8_sym" if precision == "int8" else precision
            write_stream(arguments.weft, place, name, arguments.streams / f"{name}_{suffix}.jsonl.gz")


def write(figures):
    """One network a line."""
    lines = [f'    "{name}": {json.dumps(entry)}' for name, entry in figures["networks"].items()]
    FIGURES.write_text('{\n  "networks": {\n' + ",\n".join(lines) + "\n  }\n}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--env", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--networks", metavar="REGEX", default="")
    parser.add_argument("--precisions", default="int8,f16,f32")
    parser.add_argument("--streams", metavar="FOLDER", type=pathlib.Path)
    parser.add_argument("--weft")
    arguments = parser.parse_args()
    if arguments.streams and not arguments.weft:
        parser.error("--streams needs --weft")
    arguments.dir.mkdir(parents=True, exist_ok=True)
    figures, failed = json.loads(FIGURES.read_text()), 0
    for name, entry in figures["networks"].items():
        if re.search(arguments.networks, name):
            try:
                remake(arguments, name, entry)
                print(f"{name}: {entry['vendor']}", flush=True)
            except RuntimeError as error:
                failed += 1
                print(f"{name}: {error}", flush=True)
    write(figures)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

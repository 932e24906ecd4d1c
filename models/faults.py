#!/usr/bin/env python3
"""Faults put into programs, and what `weft compare --per-layer` says of each.

  faults.py WEFT DIR [--count 200] [--seed 1] [--networks REGEX] [--precisions f16,int8] [--json FILE]

Four networks at each precision. A fault is drawn by seed: of a command (address, size, stride, pad, constant; two loads exchanged) through
`weft disasm` and `weft asm --into --unchecked`, or of the model (one weight, one channel negated, a factor, two channels exchanged, a NaN)
through a conversion of the changed ONNX file with the table of the right one. Faults that change no output byte on the sample, programs that
the loader or the emulator refuses, and changes of the model that its outputs hardly show (below -60 dB at F16, -40 dB at INT8) are drawn
again: nobody could tell them from the right program. Prints for each kind how many were seen, and of faults in commands how often the first
layer that fails is of the node of the command or of a reader of it.
"""
import argparse
import collections
import json
import pathlib
import random
import re
import shlex
import subprocess
import sys

import numpy as np
import onnx
import onnx.numpy_helper

import cycles
import honest

NETWORKS = "^(ppocr_cls|images_encoder|mobilenet_v3|images_decoder)$"
COMMAND_KINDS = ("address", "size", "stride", "pad", "constant", "exchanged")
MODEL_KINDS = ("weight", "negated_channel", "factor", "exchanged_channels", "nan")
SIZES = re.compile(r"\b((?:res0|opd0|src)_(?:n|c|h|w)(?:size)?)=(\d+)")
STRIDES = re.compile(r"\b((?:src|dst)_(?:n|c|h)stride)=(\d+)")
ADDRESSES = re.compile(r"\b((?:res0|opd[0-3])_addr|(?:src|dst)_start_addr_l32)=0x([0-9a-f]+)")
PADS = re.compile(r"\b(opd0_(?:up|dn|lf|rt)_pad)=(\d+)")
CONSTANTS = re.compile(r"\b(opd1_const=1 .*?opd[12]_addr)=0x([0-9a-f]+)")


class Program:
    """A network at one precision: its files and what the right program gives."""

    def __init__(self, weft, name, entry, precision, folder):
        self.weft, self.name, self.precision, self.folder = weft, name, precision, folder
        self.flags = cycles.convert_flags(name, entry, precision)
        self.model = cycles.model_file(entry, folder)
        self.onnx = onnx.load(self.model)
        self.input = honest.write_input(name, entry, folder, self.onnx)
        self.bmodel = folder / f"{name}_{precision}.bmodel"
        cycles.call(weft, "convert", self.model, "-o", self.bmodel, *self.flags)
        self.listing = cycles.call(weft, "disasm", self.bmodel).split("\n")
        self.places = [index for index, line in enumerate(self.listing) if re.match(r"\s+(tiu|gdma) ", line) and "sys" not in line]
        self.right = self.outputs(self.bmodel)

    def outputs(self, bmodel):
        """Arrays by name; None if the program is refused."""
        target = self.folder / "out.npz"
        target.unlink(missing_ok=True)
        done = subprocess.run([self.weft, "run", bmodel, "-i", self.input, "-o", target], capture_output=True, text=True, timeout=300)
        if done.returncode:
            return None
        with np.load(target) as arrays:
            return {name: arrays[name] for name in arrays.files}

    def differs(self, outputs):
        return any(outputs[name].tobytes() != array.tobytes() for name, array in self.right.items())

    def compare(self, bmodel):
        done = subprocess.run([self.weft, "compare", self.model, bmodel, "-i", self.input, "--per-layer", "--json"], capture_output=True,
                              text=True, timeout=600)
        if done.returncode not in (0, 1):
            raise RuntimeError(done.stderr)
        return json.loads(done.stdout)


def changed(pattern, line, draw):
    """`line` with one number that `pattern` finds replaced by draw(number, is hexadecimal); None if it has none."""
    found = list(pattern.finditer(line))
    if not found:
        return None
    match = random.choice(found)
    is_hex = line[match.start(2) - 2:match.start(2)] == "0x"
    new = draw(int(match[2], 16 if is_hex else 10))
    if new < 0:
        return None
    return line[:match.start(2)] + (f"{new:x}" if is_hex else str(new)) + line[match.end(2):]


def faulty_line(kind, line):
    if kind == "address":
        return changed(ADDRESSES, line, lambda value: value + random.choice((-1, 1)) * random.choice((64, 128, 1024)))
    if kind == "size":
        return changed(SIZES, line, lambda value: value - 1 if value > 1 else -1)
    if kind == "stride":
        return changed(STRIDES, line, lambda value: value + random.choice((-1, 1)) if value > 1 else -1)
    if kind == "pad":
        return changed(PADS, line, lambda value: value - 1)
    return changed(CONSTANTS, line, lambda value: value ^ (1 << 23) if value else -1)


def faulty_command(program, kind):
    """A bmodel with a fault in a command, and the line; None if this draw gives none."""
    lines, place = list(program.listing), random.choice(program.places)
    if kind == "exchanged":
        loads = [index for index in program.places if "gdma" in lines[index] and "src_start_addr_h8=1" in lines[index]]
        a, b = random.sample(loads, 2) if len(loads) > 1 else (place, place)
        addresses = [re.search(r"src_start_addr_l32=(0x[0-9a-f]+)", lines[index]) for index in (a, b)]
        if not all(addresses) or a == b:
            return None
        for index, own, other in ((a, *addresses), (b, *addresses[::-1])):
            lines[index] = lines[index].replace(own[0], other[0])
        place = a
    else:
        line, _, comment = lines[place].partition("  ;")
        line = faulty_line(kind, line)
        if line is None:
            return None
        lines[place] = f"{line}  ;{comment}"
    text, target = program.folder / "faulty.s", program.folder / "faulty.bmodel"
    text.write_text("\n".join(lines))
    done = subprocess.run([program.weft, "asm", text, "--into", program.bmodel, "--unchecked", "-o", target], capture_output=True, text=True)
    return None if done.returncode else (target, lines[place].strip())


def large_weights(model, least_rank=2):
    return [tensor for tensor in model.graph.initializer if len(tensor.dims) >= least_rank and np.prod(tensor.dims) >= 64
            and tensor.data_type == onnx.TensorProto.FLOAT]


def faulty_model(program, kind):
    model = onnx.ModelProto()
    model.CopyFrom(program.onnx)
    weights = large_weights(model)
    if not weights:
        return None
    tensor = random.choice(weights)
    array = onnx.numpy_helper.to_array(tensor).copy()
    what = tensor.name
    if kind == "weight":
        index = tuple(random.randrange(size) for size in array.shape)
        array[index] += random.choice((-1, 1)) * 4 * np.abs(array).max()
    elif kind == "negated_channel":
        array[random.randrange(array.shape[0])] *= -1
    elif kind == "factor":
        array *= random.choice((0.5, 1.5, 2))
    elif kind == "exchanged_channels":
        a, b = random.sample(range(array.shape[0]), 2)
        array[[a, b]] = array[[b, a]]
    else:
        array[tuple(random.randrange(size) for size in array.shape)] = np.nan
    tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
    path, target = program.folder / "faulty.onnx", program.folder / "faulty.bmodel"
    onnx.save(model, path)
    done = subprocess.run([str(part) for part in (program.weft, "convert", path, "-o", target, *program.flags)], capture_output=True, text=True)
    return None if done.returncode else (target, f"{kind} of {what}")


def is_hardly_seen(program, outputs):
    """Whether the outputs differ from the right program's by less than numbers of 8 or 16 bits show."""
    error = sum(float(np.sum((outputs[name].astype(np.float64) - array) ** 2)) for name, array in program.right.items())
    power = sum(float(np.sum(array.astype(np.float64) ** 2)) for array in program.right.values())
    return error <= (1e-6 if program.precision == "f16" else 1e-4) * power


def draw_fault(program, kind):
    for _ in range(200):
        made = (faulty_command if kind in COMMAND_KINDS else faulty_model)(program, kind)
        if made is None:
            continue
        outputs = program.outputs(made[0])
        if outputs is None or not program.differs(outputs):
            continue
        if kind in MODEL_KINDS and is_hardly_seen(program, outputs):
            continue
        return made
    return None


def judged(program, kind, made):
    report = program.compare(made[0])
    layer = report.get("first_failed_layer")
    layers = [row for row in report.get("layers", []) if not row["passed"]]
    return {"network": program.name, "precision": program.precision, "kind": kind, "what": made[1], "seen": not report["passed"],
            "layer": layer, "layers": [row["name"] for row in layers]}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft", type=pathlib.Path)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--networks", default=NETWORKS)
    parser.add_argument("--precisions", default="f16,int8")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.group = "all"
    arguments.dir.mkdir(parents=True, exist_ok=True)
    random.seed(arguments.seed)
    programs = [Program(arguments.weft, name, entry, precision, arguments.dir)
                for precision in arguments.precisions.split(",") for name, entry in cycles.networks(arguments).items()]
    kinds, rows = COMMAND_KINDS + MODEL_KINDS, []
    for index in range(arguments.count):
        program, kind = programs[index % len(programs)], kinds[index // len(programs) % len(kinds)]
        made = draw_fault(program, kind)
        if made:
            rows.append(judged(program, kind, made))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))
    print(f"{'kind':20} faults  seen  in a layer")
    for kind in kinds:
        own = [row for row in rows if row["kind"] == kind]
        print(f"{kind:20} {len(own):6} {sum(row['seen'] for row in own):5} {sum(bool(row['layer']) for row in own):11}")
    print(f"{'all':20} {len(rows):6} {sum(row['seen'] for row in rows):5} {sum(bool(row['layer']) for row in rows):11}")
    for row in rows:
        if not row["seen"]:
            print(f"not seen: {row['network']} {row['precision']} {row['kind']}: {row['what'][:240]}; layers {row['layers'][:4]}")


if __name__ == "__main__":
    main()

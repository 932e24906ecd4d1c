#!/usr/bin/env python3
"""Faults put into programs, and what `weft compare --bisect` says of each.

  faults.py WEFT DIR [--count 200] [--seed 1] [--networks REGEX] [--precisions f16,int8] [--json FILE] [--check]

Four networks at each precision. A fault is drawn by seed: of a command (address, size, stride, pad, constant; the sources of two loads exchanged;
a command replaced by the one before it, so that its result is stale; a wait taken out) through `weft disasm` and `weft asm --into --unchecked`,
of the bytes of a constant in the file (others, a NaN), or of the model (one weight, one channel negated, a factor, two channels exchanged, scores permuted)
through a conversion of the changed ONNX file with the table of the right one; the file then says that it was made of the right model, as if the compiler had
been wrong: the digest alone would tell. Faults that change no output byte on the sample, programs
that the loader or the emulator refuses, and changes of the model that its outputs hardly show (below -60 dB at F16, -40 dB at INT8) are drawn
again: nobody could tell them from the right program. A wait counts if the program then gives other outputs in some order of the engines.

Prints for each kind how many faults fail the comparison, how many of them by the values alone (outputs, and layers beside the model: without
the record of the conversion in the file), of how many --bisect names the node and the cause, and of how many the very command (of a constant the transfer that brings it); then the median
time and the size of the reproducers. With --check the exit code is 1 unless the goals are met: 99 % seen, 92.5 % of nodes and causes.
"""
import argparse
import hashlib
import itertools
import json
import pathlib
import random
import re
import shlex
import subprocess
import statistics
import sys
import time

import numpy as np
import onnx
import onnx.numpy_helper

import cycles
import honest

NETWORKS = "^(ppocr_cls|images_encoder|mobilenet_v3|images_decoder)$"
# What --bisect should say of each kind. A stride, a size or an address of a window may also be what its neighbour is called.
COMMAND_CAUSES = {"address": "wrong address", "size": "wrong size", "stride": "wrong stride", "pad": "wrong pad", "constant": "wrong constant",
                  "exchanged": "swapped tensors", "stale": "stale tensor", "wait": "missing wait"}
CONSTANT_CAUSES = {"constant_bytes": "wrong weights", "weight": "wrong weights", "negated_channel": "wrong weights", "factor": "wrong weights",
                   "exchanged_channels": "wrong weights", "permuted_scores": "wrong weights", "nan": "wrong weights"}
CAUSES = COMMAND_CAUSES | CONSTANT_CAUSES
COMMAND_KINDS = tuple(COMMAND_CAUSES)
FILE_KINDS = ("constant_bytes", "nan")
MODEL_KINDS = tuple(kind for kind in CONSTANT_CAUSES if kind not in FILE_KINDS)
KINDS = tuple(CAUSES)
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
        self.places = [index for index in self.places if self.listing[index].strip()]
        self.right = self.outputs(self.bmodel)

    def outputs(self, bmodel, *options):
        """Arrays by name; None if the program is refused."""
        target = self.folder / "out.npz"
        target.unlink(missing_ok=True)
        done = subprocess.run([str(part) for part in (self.weft, "run", bmodel, "-i", self.input, "-o", target, *options)], capture_output=True,
                              text=True, timeout=300)
        if done.returncode:
            return None
        with np.load(target) as arrays:
            return {name: arrays[name] for name in arrays.files}

    def weights(self):
        """Where the constants of the first stage lie in the file, and how many bytes they are."""
        stage = json.loads(cycles.call(self.weft, "info", self.bmodel, "--json"))["nets"][0]["stages"][0]
        return stage["weight_file_offset"], stage["weight_bytes"]

    def differs(self, outputs):
        return any(outputs[name].tobytes() != array.tobytes() for name, array in self.right.items())

    def is_wrong(self, kind, bmodel):
        """Whether a faulty program gives other outputs, in some order of the engines; None if it is refused."""
        orders = [()] if kind != "wait" else [("--order", "adversarial", "--order-seed", str(seed)) for seed in range(6)]
        found = [self.outputs(bmodel, *order) for order in orders]
        if any(outputs is None for outputs in found):
            return None
        return any(self.differs(outputs) for outputs in found)

    def compare(self, bmodel):
        reproducer = self.folder / "reproducer.onnx"
        reproducer.unlink(missing_ok=True)
        done = subprocess.run([str(part) for part in (self.weft, "compare", self.model, bmodel, "-i", self.input, "--bisect", "--reproducer",
                                                      reproducer, "--json")], capture_output=True, text=True, timeout=600)
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


def without_wait(line):
    """The command without what it waits for; None if it waits for nothing."""
    match = re.search(r" dep=([1-9]\d*)", line)
    return match and line.replace(match[0], " dep=0", 1)


def faulty_line(kind, line):
    if kind == "wait":
        return without_wait(line)
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
    elif kind == "stale":
        # The command before it once more, with the id and the waits of this one; another instruction, else only addresses differ.
        before = place - 1
        if before not in program.places:
            return None
        own, other = (re.match(r"(\s+\w+ (?:id=\d+ )?(?:dep=\d+ )?)(\S+)([^;]*)(.*)", lines[index]) for index in (place, before))
        if own[1].split()[0] != other[1].split()[0] or own[2] == other[2]:
            return None
        lines[place] = own[1] + other[2] + other[3] + own[4]
    else:
        line, _, comment = lines[place].partition("  ;")
        line = faulty_line(kind, line)
        if line is None:
            return None
        lines[place] = f"{line}  ;{comment}"
    text, target = program.folder / "faulty.s", program.folder / "faulty.bmodel"
    text.write_text("\n".join(lines))
    done = subprocess.run([program.weft, "asm", text, "--into", program.bmodel, "--unchecked", "-o", target], capture_output=True, text=True)
    faulty = [lines[index].strip() for index in ((a, b) if kind == "exchanged" else (place,))]
    return None if done.returncode else (target, " | ".join(faulty))


def change_constants(data, start, size, places, change):
    """Changes bytes of the constants of a bmodel, and their digest in the file with them, which the loader checks."""
    digest = hashlib.sha256(data[start:start + size]).digest()
    for place in places:
        data[place] = change(data[place])
    at = data.find(digest)
    while at >= 0:
        data[at:at + len(digest)] = hashlib.sha256(data[start:start + size]).digest()
        at = data.find(digest)


def faulty_constant(program, kind):
    """A bmodel with some bytes of a constant changed (to NaN, of f32 or f16), and where."""
    data = bytearray(program.bmodel.read_bytes())
    start, size = program.weights()
    place = start + random.randrange(size - 16) // 4 * 4
    if kind == "nan":
        change_constants(data, start, size, range(place, place + 4), lambda byte: 0xFF)
    else:
        change_constants(data, start, size, range(place, place + 8), lambda byte: byte ^ random.choice((0x10, 0x20, 0x40)))
    target = program.folder / "faulty.bmodel"
    target.write_bytes(data)
    return target, f"bytes {place - start} to {place - start + 8} of the weights"


def large_weights(model, least_rank=2):
    return [tensor for tensor in model.graph.initializer if len(tensor.dims) >= least_rank and np.prod(tensor.dims) >= 64
            and tensor.data_type == onnx.TensorProto.FLOAT]


def digest_of_model(weft, bmodel):
    return bytes.fromhex(json.loads(cycles.call(weft, "info", bmodel, "--json"))["nets"][0]["conversion"]["model_sha256"])


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
    elif kind == "permuted_scores":
        tensor = weights[-1]
        array, what = onnx.numpy_helper.to_array(tensor).copy(), tensor.name
        axis = random.choice([axis for axis, size in enumerate(array.shape) if size > 1])
        array = np.roll(array, 1, axis)
    else:
        a, b = random.sample(range(array.shape[0]), 2)
        array[[a, b]] = array[[b, a]]
    tensor.CopyFrom(onnx.numpy_helper.from_array(array, tensor.name))
    path, target = program.folder / "faulty.onnx", program.folder / "faulty.bmodel"
    onnx.save(model, path)
    done = subprocess.run([str(part) for part in (program.weft, "convert", path, "-o", target, *program.flags)], capture_output=True, text=True)
    if done.returncode:
        return None
    own, right = (digest_of_model(program.weft, bmodel) for bmodel in (target, program.bmodel))
    data = target.read_bytes()
    assert data.count(own) == 1, f"the digest of the model stands {data.count(own)} times in {target}"
    target.write_bytes(data.replace(own, right))
    return target, f"{kind} of {what}"


def is_hardly_seen(program, outputs):
    """Whether the outputs differ from the right program's by less than numbers of 8 or 16 bits show."""
    error = sum(float(np.sum((outputs[name].astype(np.float64) - array) ** 2)) for name, array in program.right.items())
    power = sum(float(np.sum(array.astype(np.float64) ** 2)) for array in program.right.values())
    return error <= (1e-6 if program.precision == "f16" else 1e-4) * power


def draw_fault(program, kind):
    for _ in range(200):
        if kind in FILE_KINDS:
            made = faulty_constant(program, kind)
        else:
            made = (faulty_command if kind in COMMAND_KINDS else faulty_model)(program, kind)
        if made is None or not program.is_wrong(kind, made[0]):
            continue
        if kind == "nan" and all(np.isfinite(array).all() for array in program.outputs(made[0]).values()):
            continue
        if kind in MODEL_KINDS and is_hardly_seen(program, program.outputs(made[0])):
            continue
        return made
    return None


def is_seen_in_values(report):
    """Whether the comparison fails without what the file tells of its conversion: by outputs, or layers beside the model."""
    marks = ("conversion's numbers", "numbers of the conversion", "program that this version makes")
    rows = [row for row in report["outputs"] + report.get("layers", []) if not row["passed"]]
    reasons = [reason for row in rows for reason in row["reasons"]] + report["reasons"]
    return any(not any(mark in reason for mark in marks) for reason in reasons)


def nodes_of(program, kind, made):
    """Names of the nodes that the fault is of; of a constant of the model those that read it."""
    if kind in COMMAND_KINDS:
        return {name for part in made[1].split(" | ") for name in re.findall(r"'([^']*)'", part.partition(";")[2])}
    if kind in FILE_KINDS:
        return None
    name = made[1].partition(" of ")[2]
    return {node.name or node.output[0] for node in program.onnx.graph.node if name in node.input}


def is_command(kind, made, found, is_node):
    """Whether the command that is named is the faulty one; of a constant, the transfer that brings it."""
    command = found.get("command") or {}
    if kind in COMMAND_KINDS:
        return any(command.get("text", "").split()[:2] == part.split()[:2] for part in made[1].split(" | "))
    place = re.search(r"at byte (0x[0-9a-f]+) of the weights", found.get("text", ""))
    if not place or "dma" not in command.get("text", ""):
        return False
    first = re.match(r"bytes (\d+) to (\d+)", made[1])
    return is_node if not first else int(first[1]) <= int(place[1], 16) < int(first[2])


def judged(program, kind, made):
    start = time.monotonic()
    report = program.compare(made[0])
    found = report.get("bisection", {})
    nodes, named = nodes_of(program, kind, made), {node["name"] for node in found.get("nodes", [])}
    command = found.get("command") or {}
    reproducer = program.folder / "reproducer.onnx"
    return {"network": program.name, "precision": program.precision, "kind": kind, "what": made[1], "seen": not report["passed"],
            "in_values": is_seen_in_values(report), "stage": found.get("stage"), "cause": found.get("cause"),
            "is_node": bool(named) if nodes is None else bool(named & nodes) or (not nodes and bool(command)),
            "is_cause": found.get("cause") == CAUSES[kind], "nodes": sorted(named), "wanted": sorted(nodes or []),
            "is_command": is_command(kind, made, found, bool(named & nodes) if nodes else bool(named)),
            "seconds": time.monotonic() - start, "reproducer": reproducer.stat().st_size if reproducer.exists() else None}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft", type=pathlib.Path)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--networks", default=NETWORKS)
    parser.add_argument("--precisions", default="f16,int8")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    arguments.group = "all"
    arguments.dir.mkdir(parents=True, exist_ok=True)
    random.seed(arguments.seed)
    programs = [Program(arguments.weft, name, entry, precision, arguments.dir)
                for precision in arguments.precisions.split(",") for name, entry in cycles.networks(arguments).items()]
    rows = []
    for index in itertools.count():
        if len(rows) == arguments.count:
            break
        program, kind = programs[index % len(programs)], KINDS[index // len(programs) % len(KINDS)]
        made = draw_fault(program, kind)
        if made:
            rows.append(judged(program, kind, made))
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1))
    print_rows(rows)
    if not arguments.check:
        return 0
    seen, found = (sum(map(test, rows)) for test in (lambda row: row["seen"], lambda row: row["is_node"] and row["is_cause"]))
    return 0 if rows and seen >= 0.99 * len(rows) and found >= 0.925 * len(rows) else 1


def print_rows(rows):
    print(f"{'kind':20} faults  seen  by values  node and cause  command")
    for kind in (*KINDS, "all"):
        own = [row for row in rows if kind in ("all", row["kind"])]
        print(f"{kind:20} {len(own):6} {sum(row['seen'] for row in own):5} {sum(row['in_values'] for row in own):10} "
              f"{sum(row['is_node'] and row['is_cause'] for row in own):15} {sum(row['is_command'] for row in own):8}")
    sizes = [row["reproducer"] for row in rows if row["reproducer"]]
    if sizes:
        print(f"median: {statistics.median(row['seconds'] for row in rows):.2f} s, reproducer of {statistics.median(sizes):.0f} bytes ({len(sizes)})")
    for row in rows:
        if not (row["seen"] and row["is_node"] and row["is_cause"]):
            print(f"{'missed' if not row['seen'] else 'named'}: {row['network']} {row['precision']} {row['kind']}: {row['what'][:200]}; "
                  f"{row['stage']}, {row['cause']}, nodes {row['nodes'][:4]} for {row['wanted'][:4]}")


if __name__ == "__main__":
    sys.exit(main())

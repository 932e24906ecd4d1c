#!/usr/bin/env python3
"""Compares the bytes of our code generation with those of the vendor's encoder library, for kernel-level operations with random arguments.

  encoder_test.py WEFT_AS WEFT ISA_TABLE [--count N] [--seed S] [--only TEXT]

Each case goes through `ppl` text, `weft-as` and `weft disasm`; the command words must be equal but for the ids of their place in the
program. A call that the vendor refuses fails the test: the cases are legal by construction. A long run: --count 2000. The library comes
from TPU_MLIR_DIR; without it the test fails.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from isa_table import IsaTable
import element_kinds  # noqa: F401  each registers its kinds with draw
import move_kinds  # noqa: F401
import window_kinds  # noqa: F401
from draw import DRAM, KINDS, Draw
from vendor_encoder import Refused, VendorEncoder

DEFAULT_SEED, DEFAULT_COUNT = 20261122, 6
PLACE = ("cmd_id", "cmd_id_dep", "cmd_id_eng1", "cmd_id_eng2", "cmd_id_eng3")


# Fields that the engine does not read, by the form of the command: the vendor leaves them 0, the functions say what they would be.
UNREAD = {"DMA_cw_transpose": ("src_wstride", "dst_wstride"),
          "DMA_tensor broadcast": ("src_cstride", "src_wstride", "dst_cstride", "dst_wstride"),
          "DMA_gather": ("dst_csize", "dst_wsize"), "DMA_scatter": ("dst_csize", "dst_wsize")}
BROADCAST = 3  # cmd_special_function


def is_idle(name, form, fields):
    """Fields that cannot matter and that the vendor leaves at what its memory held, or computes differently."""
    if fields.get("fill_constant_en") and name.startswith("src_start_addr"):
        return True  # a fill has no source; the vendor's bytes change from run to run
    if name == "opd2_n_str" and fields.get("tsk_typ") == 9 and fields.get("tsk_eu_typ") in (12, 13):
        return True  # the iteration count of rsqrt is uninitialised in the vendor's taylor
    if form == "DMA_tensor" and fields["cmd_special_function"] == BROADCAST and fields["stride_enable"]:
        form += " broadcast"
    return fields[name] == 0 and name in UNREAD.get(form, ())


def program(draws):
    """One net of all cases; the two bytes of context are never touched (nothing is executed)."""
    lines = [f'ppl.net @cases on "bm1684x" weights [{DRAM}, 0] context [{DRAM}, {1 << 28}]',
             f'    inputs [#ppl.io<name = "x", onnx = tensor<1x1x1x1xf32>, stored = tensor<1x1x1x1xf32>, address = {DRAM}>]',
             f'    outputs [#ppl.io<name = "y", onnx = tensor<1x1x1x1xf32>, stored = tensor<1x1x1x1xf32>, address = {DRAM + 4096}>] {{']
    return "\n".join([*lines, *("  " + line for draw in draws for line in draw.lines), "}", ""])


def our_commands(tools, draws, scratch):
    """The commands of the program in the order of its cases, as {engine: [(form, fields)]}."""
    text = scratch / "cases.mlir"
    text.write_text(program(draws))
    bmodel = scratch / "cases.bmodel"
    made = subprocess.run([tools.weft_as, text, "-o", bmodel, "--plain-transfers"], capture_output=True, text=True)
    if made.returncode:
        sys.exit(f"weft-as refused a case that the vendor takes:\n{made.stderr[-3000:]}")
    listing = json.loads(subprocess.run([tools.weft, "disasm", bmodel, "--json"], capture_output=True, check=True).stdout)
    # The JSON has the named fields; the text also names reserved bits that are not zero (it is the exact inverse of `weft asm`).
    if b" rsvd_" in subprocess.run([tools.weft, "disasm", bmodel], capture_output=True, check=True).stdout:
        sys.exit("a command of ours has reserved bits that are not zero")
    found = {"tiu": [], "gdma": []}
    for command in listing["commands"]:
        found[command["engine"]].append((command["form"], command["fields"]))
    return {engine: commands[:-1] for engine, commands in found.items()}  # without the end command


def differences(ours, vendor):
    """Text of what differs between two (form, fields); empty if nothing. All fields of a form are all its bytes; the vendor's include the
    reserved bits, which must be zero as ours are."""
    if ours[0] != vendor[0]:
        return [f"form {ours[0]}, vendor {vendor[0]}"]
    pairs = [(name, ours[1].get(name, 0), theirs) for name, theirs in vendor[1].items()]
    return [f"{name} {own:#x}, vendor {theirs:#x}" for name, own, theirs in pairs
            if name not in PLACE and own != theirs and not is_idle(name, *vendor)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("weft_as", "weft", "isa_table"):
        parser.add_argument(name, type=pathlib.Path)
    parser.add_argument("--count", type=int, default=DEFAULT_COUNT, help="cases of each kind")
    parser.add_argument("--seed", type=int, default=DEFAULT_SEED)
    parser.add_argument("--only", default="", help="kinds whose name contains this")
    args = parser.parse_args()
    table, encoder = IsaTable(args.isa_table), VendorEncoder(os.environ.get("TPU_MLIR_DIR", ""))
    draws, wanted, refused = [], [], []
    for name, make in KINDS:
        if args.only not in name:
            continue
        for index in range(args.count):
            draw = Draw(f"{args.seed} {name} {index}", f"k{len(draws)}")
            make(draw)
            (function, values, count), = draw.calls
            try:
                tiu, gdma = encoder.emit(function, values)
            except Refused as reason:
                refused.append((name, function, values, reason))
                continue
            engine = "tiu" if tiu else "gdma"
            commands = table.split(engine, tiu or gdma)[:count]
            draws.append(draw)
            wanted.append((name, function, values, engine, commands))
    if not wanted:
        sys.exit("no case was drawn")
    with tempfile.TemporaryDirectory() as scratch:
        ours = our_commands(args, draws, pathlib.Path(scratch))
    failures = [f"{name}: the vendor refuses {function}{values}: {reason}" for name, function, values, reason in refused]
    position = {"tiu": 0, "gdma": 0}
    for name, function, values, engine, commands in wanted:
        for command in commands:
            at = position[engine]
            position[engine] += 1
            found = differences(ours[engine][at], command) if at < len(ours[engine]) else ["no command"]
            if found:
                failures.append(f"{name}: {function}{values}: {'; '.join(found)}")
    for engine, count in position.items():
        if count != len(ours[engine]):
            failures.append(f"{engine}: {len(ours[engine])} commands, the vendor has {count}")
    for line in failures[:40]:
        print("FAILED", line)
    print(f"{len(wanted)} cases of {len({w[0] for w in wanted})} kinds, {len(refused)} refused, {len(failures)} failures, seed {args.seed}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()

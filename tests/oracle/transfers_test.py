#!/usr/bin/env python3
"""Random transfers on our emulator and on the vendor's runtime: planned and as they are written they give the same bytes.

  transfers_test.py WEFT_AS WEFT [--count N] [--seed S]

Programs of 30 transfers each: loads, stores and copies within DRAM of 1-, 2- and 4-byte elements, axes in any order, gaps, several
rounds of lanes. Each is encoded twice, by the planner and in one command a transfer (`--plain-transfers`); the outputs of both on the
emulator, and of the planned one on libbmrt, must be equal.
"""
import argparse
import pathlib
import random
import subprocess
import sys
import tempfile

import numpy as np

TRANSFERS = 30
LANES, LANE_BYTES = 64, 4096  # of each lane that the transfers use
AREA = LANES * LANE_BYTES     # bytes of the input and of each output
BASE = 4294967296
TYPES = {1: "ui8", 2: "f16", 4: "f32"}
STEP_BYTES = 128              # most bytes between neighbours on w

FRAME = """!flat = !ppl.tensor<1x64x64x64xui8, global, continuous>
!rows = !ppl.tensor<1x64x1x4096xui8, global, continuous>
!lanes = !ppl.tensor<1x64x1x4096xui8, local, aligned>
ppl.net @transfers on "bm1684x" weights [{weights}, 0] context [{base}, {context}]
    inputs [#ppl.io<name = "x", onnx = tensor<1x64x64x64xui8>, stored = tensor<1x64x64x64xui8>, address = {base}>]
    outputs [#ppl.io<name = "y", onnx = tensor<1x64x64x64xui8>, stored = tensor<1x64x64x64xui8>, address = {y}>,
             #ppl.io<name = "z", onnx = tensor<1x64x64x64xui8>, stored = tensor<1x64x64x64xui8>, address = {z}>] {{
  %x = ppl.global at {base} : !flat
  %y = ppl.global at {y} : !flat
  ppl.dma.move dst = %y, src = %x : !flat, !flat
  %r = ppl.global at {base} : !rows
  %l = ppl.local at 0 : !lanes
  ppl.dma.load dst = %l, src = %r : !lanes, !rows
{body}
  %d = ppl.global at {z} : !rows
  ppl.dma.store dst = %d, src = %l : !rows, !lanes
}}
"""


def size(rng):
    return rng.choice([1, 1, rng.randint(2, 5), 4 * rng.randint(1, 8), rng.randint(1, 70), 1 << rng.randint(1, 6)])


def strides(rng, shape):
    """Steps of a tensor whose axes lie in some order, and the elements from its first to its last."""
    order = [3, 2, 1, 0]
    if rng.random() < 0.4:
        rng.shuffle(order)
    result, step = [0] * 4, 1
    for axis in order:
        result[axis] = step
        step *= shape[axis]
        if rng.random() < 0.15:
            step += rng.randint(1, 9)
    return result, step


def side(rng, shape, element, local, begin):
    """(type, address) of a tensor of `shape` in its memory; None if it has no room there."""
    inside = list(shape)
    if local:
        inside[1] = -(-shape[1] // LANES)
    steps, extent = strides(rng, inside)
    room = (LANE_BYTES if local else AREA) // element - extent
    if room < 0 or steps[3] * element > STEP_BYTES:
        return None
    address = begin + element * rng.randint(0, min(room, 32))
    sizes = "x".join(map(str, shape))
    memory = "local" if local else "global"
    return f"!ppl.tensor<{sizes}x{TYPES[element]}, {memory}, {steps}>", address


def transfer(rng, number):
    while True:
        shape, element, kind = [size(rng) for _ in range(4)], rng.choice([1, 2, 4]), rng.choice(["load", "store", "move"])
        source = side(rng, shape, element, kind == "store", 0 if kind == "store" else BASE)
        target = side(rng, shape, element, kind == "load", 0 if kind == "load" else BASE + AREA)
        if not source or not target:
            continue
        make = {True: "ppl.local at", False: "ppl.global at"}
        return (f"  %s{number} = {make[kind == 'store']} {source[1]} : {source[0]}\n"
                f"  %t{number} = {make[kind == 'load']} {target[1]} : {target[0]}\n"
                f"  ppl.dma.{kind} dst = %t{number}, src = %s{number} : {target[0]}, {source[0]}")


def call(*command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit code {result.returncode}: {result.stderr[-2000:]}")


def outputs(weft, bmodel, folder, device):
    call(weft, "run", bmodel, "--input", folder / "in.npz", "--output", folder / "out.npz", "--device", device)
    return dict(np.load(folder / "out.npz"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft_as")
    parser.add_argument("weft")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=20261122)
    args = parser.parse_args()
    failures, replanned = [], 0
    for program in range(-(-args.count // TRANSFERS)):
        rng = random.Random(args.seed * 1000003 + program)
        body = "\n".join(transfer(rng, number) for number in range(TRANSFERS))
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            text = FRAME.format(base=BASE, y=BASE + AREA, z=BASE + 2 * AREA, weights=BASE + 3 * AREA, context=3 * AREA, body=body)
            (folder / "p.mlir").write_text(text)
            values = np.random.default_rng(args.seed + program).integers(0, 256, (1, 64, 64, 64), np.uint8)
            np.savez(folder / "in.npz", x=values)
            call(args.weft_as, folder / "p.mlir", "-o", folder / "planned.bmodel")
            call(args.weft_as, folder / "p.mlir", "-o", folder / "plain.bmodel", "--plain-transfers")
            replanned += (folder / "planned.bmodel").read_bytes() != (folder / "plain.bmodel").read_bytes()
            plain = outputs(args.weft, folder / "plain.bmodel", folder, "emulator")
            for device in ("emulator", "bmrt"):
                planned = outputs(args.weft, folder / "planned.bmodel", folder, device)
                wrong = [key for key in ("y", "z") if not np.array_equal(planned[key], plain[key])]
                if wrong:
                    failures.append(f"program {program} (seed {args.seed}) on {device}: {', '.join(wrong)} differ from plain commands")
                    failures.append(text)
    print("\n".join(failures))
    print(f"{args.count} transfers, {len(failures) // 2} programs differ, seed {args.seed}")
    if not replanned:
        print("planned and plain programs have the same commands: nothing was compared")
    return 1 if failures or not replanned else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Seconds of `weft convert` against those of the vendor's compiler, network by network (scripts/bench --convert).

  convert_time.py WEFT DIR --env FILE [--networks REGEX] [--precisions int8,f16,f32] [--options "FLAGS of weft convert"] [--runs N]

FILE is as for vendor.py. Both are whole processes on the public networks of tests/data/bench, ours with the ONNX file, the vendor's
with what its model_transform.py made of it (which is not counted), both with calibration tables that are there before. Ours is the
median of N runs (5) before the vendor's one. The figures mean something on an idle machine only.
"""
import argparse
import json
import pathlib
import re
import shlex
import statistics
import sys
import time

import onnx

import cycles
import vendor


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def row_of(name, entry, precision, arguments):
    """Seconds of ours and of the vendor's. Raises RuntimeError if one does not convert."""
    path = cycles.model_file(entry, arguments.dir)
    model = onnx.load(path)
    folder = arguments.dir / f"{name}.vendor"
    folder.mkdir(exist_ok=True)
    vendor.transform(arguments.env, folder, name, model, vendor.shapes_of(model, entry))
    def samples():
        return vendor.samples_of(entry, folder, model)
    if precision == "int8":
        vendor.calibrate(arguments.env, folder, name, samples, cycles.SAMPLES)
    done = folder / precision / vendor.PROFILE
    done.unlink(missing_ok=True)  # else nothing is made
    flags = [*cycles.convert_flags(name, entry, precision), *shlex.split(arguments.options)]
    ours = statistics.median(seconds(lambda: cycles.call(arguments.weft, "convert", path, "-o", arguments.dir / "ours.bmodel", *flags))
                             for _ in range(arguments.runs))
    theirs = seconds(lambda: vendor.deploy(arguments.env, folder, name, precision, samples, cycles.SAMPLES))
    return ours, theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("dir", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--env", type=lambda text: pathlib.Path(text).resolve(), required=True)
    parser.add_argument("--networks", metavar="REGEX", default="")
    parser.add_argument("--precisions", default="int8,f16,f32")
    parser.add_argument("--options", default="", metavar="FLAGS")
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    arguments.dir.mkdir(parents=True, exist_ok=True)
    known = json.loads((cycles.DATA / "vendor.json").read_text())["networks"]
    ratios, failed = [], 0
    print("| network | precision | ours, s | vendor's, s | vendor's / ours |\n|-|-|-|-|-|")
    for name, entry in known.items():
        if entry["group"] != "public" or not re.search(arguments.networks, name):
            continue
        for precision in arguments.precisions.split(","):
            try:
                ours, theirs = row_of(name, entry, precision, arguments)
            except RuntimeError as error:
                failed += 1
                print(f"FAILED {name} {precision}: {error}", flush=True)
                continue
            ratios.append(theirs / ours)
            print(f"| {name} | {precision} | {ours:.2f} | {theirs:.1f} | {ratios[-1]:.0f} |", flush=True)
    if ratios:
        print(f"| geometric mean of {len(ratios)} | | | | {cycles.geomean(ratios):.0f} |")
    return 1 if failed or not ratios else 0


if __name__ == "__main__":
    sys.exit(main())

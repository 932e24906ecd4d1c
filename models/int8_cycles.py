#!/usr/bin/env python3
"""Predicted cycles of INT8 programs against those of F16, network by network (scripts/bench --int8-cycles).

  int8_cycles.py WEFT DIR [--group kinds|layouts|public|all] [--networks REGEX] [--options "FLAGS of weft convert"] [--jobs N] [--check]

Networks of the kinds that users bring (models/kinds), calibrated on a few seeded samples, and those of models/cycles.py with their tables. A row
for each: cycles of both programs, their ratio, and how many products of the INT8 program are floats because that takes fewer cycles.
--check fails if an INT8 program takes more cycles than F16's. A network that computes something on the host (*) is in no mean. --options are for INT8;
with `--keep-int8` the table says what codes alone would take.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import sys

import onnx

import cycles

KINDS = cycles.module_of("kinds")


def networks(group):
    """Name to its group and entry (models/cycles.py), in the order of the table."""
    found = {name: ("kinds", {"source": f"kinds/{name}"}) for name in KINDS.NETWORKS} if group in ("kinds", "all") else {}
    known = json.loads((cycles.DATA / "vendor.json").read_text())["networks"]
    return found | {name: (entry["group"], entry) for name, entry in known.items() if group in ("all", entry["group"])}


def table_of(weft, name, group, model, folder):
    if group != "kinds":
        return cycles.DATA / "tables" / f"{name}.table"
    table, samples = folder / f"{name}.table", folder / f"{name}.samples"
    KINDS.write_samples(samples, onnx.load(model))  # each time: a table that lies there is of another build
    cycles.call(weft, "calibrate", model, "--data", samples, "-o", table)
    return table


def measured(weft, model, bmodel, *flags):
    """Cycles, operations on the host, floats among the products and the seconds of a conversion."""
    done = json.loads(cycles.call(weft, "convert", model, "-o", bmodel, "--json", *flags))
    profile = json.loads(cycles.call(weft, "profile", bmodel, "--json"))
    choices = json.loads(cycles.call(weft, "explain", bmodel, "--json"))["choices"]
    stage = json.loads(cycles.call(weft, "info", bmodel, "--json"))["nets"][0]["stages"][0]
    return {"cycles": profile["total_cycles"], "host_operations": len(stage.get("host", {}).get("operations", [])),
            "floats": sum(choice["question"] == "precision" and choice["operation"] != "net" for choice in choices),
            "taken": next((choice["taken"] for choice in choices if choice["question"] == "precision"), "codes"), "seconds": done["seconds"]}


def row_of(name, group, entry, arguments):
    model = cycles.model_file(entry, arguments.dir)
    table = table_of(arguments.weft, name, group, model, arguments.dir)
    shape = cycles.shape_flags(entry)
    half = measured(arguments.weft, model, arguments.dir / f"{name}_f16.bmodel", "--precision", "f16", *shape)
    codes = measured(arguments.weft, model, arguments.dir / f"{name}_int8.bmodel", "--precision", "int8", "--calibration", table, *shape,
                     *arguments.options.split())
    return {"network": name, "f16": half["cycles"], "int8": codes["cycles"], "ratio": codes["cycles"] / half["cycles"], "taken": codes["taken"],
            "floats": codes["floats"], "seconds": [half["seconds"], codes["seconds"]],
            "on_host": half["host_operations"] + codes["host_operations"] > 0}


def print_group(group, rows):
    print(f"\n{group}: predicted cycles\n\n| network | F16 | INT8 | ratio | taken | float products | seconds F16, INT8 |\n|-|-|-|-|-|-|-|")
    for row in rows:
        print(f"| {row['network']}{'*' * row['on_host']} | {row['f16']:,} | {row['int8']:,} | {row['ratio']:.3f} | {row['taken']} | "
              f"{row['floats']} | {row['seconds'][0]:.2f}, {row['seconds'][1]:.2f} |")
    known = [row["ratio"] for row in rows if not row["on_host"]]
    if known:
        print(f"| geometric mean of {len(known)} | | | {cycles.geomean(known):.3f} | | | |")


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--group", choices=["kinds", "public", "layouts", "all"], default="all")
    parser.add_argument("--networks", metavar="REGEX", default="")
    parser.add_argument("--options", default="", metavar="FLAGS")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--check", action="store_true")
    return parser.parse_args()


def main():
    arguments = parse()
    arguments.dir.mkdir(parents=True, exist_ok=True)
    wanted = {name: one for name, one in networks(arguments.group).items() if re.search(arguments.networks, name)}
    for _, entry in wanted.values():
        cycles.model_file(entry, arguments.dir)  # before the threads: two would write the same file
    rows, failures = {}, []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        futures = {name: pool.submit(row_of, name, *one, arguments) for name, one in wanted.items()}
        for name, future in futures.items():
            try:
                rows.setdefault(wanted[name][0], []).append(future.result())
            except RuntimeError as error:
                failures.append(f"{name}: {error}")
    for group, members in rows.items():
        print_group(group, members)
    slower = [row for members in rows.values() for row in members if row["int8"] > row["f16"]]
    for row in slower:
        print(f"{'FAILED ' * arguments.check}{row['network']}: INT8 takes {row['int8']:,} cycles, F16 {row['f16']:,}")
    for failure in failures:
        print(f"FAILED not converted: {failure}")
    return 1 if failures or not rows or (arguments.check and slower) else 0


if __name__ == "__main__":
    sys.exit(main())

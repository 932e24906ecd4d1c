#!/usr/bin/env python3
"""Predicted cycles of our code against the vendor's and a floor, network by network (scripts/bench --cycles).

  cycles.py WEFT DIR [--group public|layouts|architectures|all] [--networks REGEX] [--precisions int8,f16,f32] [--options "FLAGS of weft convert"] [--json FILE] [--jobs N]
  cycles.py WEFT DIR --check        fails if a geometric mean (group, precision) rose by more than 1 % over the baseline, or a network takes more
                                    cycles at INT8 than at F16
  cycles.py WEFT DIR --renew        prints the tables and writes the baseline (tests/data/bench/baseline.json)
  cycles.py WEFT DIR --calibrate    writes the calibration tables (tests/data/bench/tables) with `weft calibrate`

Networks, the vendor's cycles and the work in each network stand in tests/data/bench/vendor.json; the README there has their origin.
Nothing runs: each network is converted and `weft profile` predicts. DIR keeps models and bmodels. --group: the public networks, the
small ones of models/layouts, those of models/architectures, or all; without it the public ones are printed, and all checked, renewed and calibrated.

floor: max(multiply-accumulates / peak, bytes of parameters / bytes a cycle that DRAM has), both at the precision that was asked for, whatever
the program computes in: what falls back to floats or to the host does not move it. It is for code that makes each of the network's products:
minimal filtering (`row_tiles`, F32) makes fewer, and three networks at F32 lie below it. measured, probed, kin: busy cycles of both engines by what
speaks for their price (docs/cycles.md). `if doubled`: the ratio if every command whose price no vendor stream shows (probed, kin) cost twice as
much, with no overlap of the difference: an upper bound. A network that computes something on the host (*) is in no mean: the host's
work costs no cycles here. What the search for groups expected (`weft explain`) is held against the profile of networks that are groups alone.
"""
import argparse
import concurrent.futures
import functools
import importlib.util
import json
import math
import os
import pathlib
import re
import shlex
import subprocess
import sys

import numpy as np
import onnx

import inputs as generators

FOLDER = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(FOLDER.parent / "scripts"))
import model_registry  # noqa: E402

DATA = FOLDER.parent / "tests" / "data" / "bench"
BASELINE = DATA / "baseline.json"
RENEW = "scripts/bench --cycles --renew"
PARAMETER_BYTES = {"int8": 1, "f16": 2, "bf16": 2, "f32": 4}
# Multiply-accumulates a cycle of the BM1684X, from macsPerCycle of runtime/cycles/Cycles.cpp; `weft profile` tells those of the types that a
# program multiplies in, which tests/models/cycles_test.py holds against these.
PEAK_MACS = {"int8": 16384, "f16": 8192, "bf16": 8192, "f32": 1024}
LARGEST_RISE = 0.01  # of a geometric mean; prices and commands are exact and deterministic, so this is room for trades, not noise
# What works beside the two queues of the search's model: addresses that are free late, stores that wait, turned transfers.
EXPECTED_WITHIN, EXPECTED_SHARE = 0.1, 0.9  # of the profile's cycles, in so many of the networks
SAMPLES = 4
WORST = 5


def networks(arguments):
    """Name to entry of vendor.json, those that were asked for."""
    known = json.loads((DATA / "vendor.json").read_text())["networks"]
    return {name: entry for name, entry in known.items()
            if arguments.group in ("all", entry["group"]) and re.search(arguments.networks, name)}


def module_of(family):
    spec = importlib.util.spec_from_file_location(f"make_{family}", FOLDER / family / "make.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def model_file(entry, folder):
    """`source` is a name of the registry, or <family>/<name> made by models/<family>/make.py."""
    if "/" not in entry["source"]:
        return model_registry.fetch(entry["source"])
    family, name = entry["source"].split("/")
    return made(family, name, folder)


@functools.cache
def made(family, name, folder):
    """Once a process, not once a folder: an older make.py made another model."""
    target = folder / f"{family}_{name}.onnx"
    onnx.save(module_of(family).make(name), target)
    return target


def call(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=1800)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip().split("\n")[-1][-500:])
    return done.stdout


def shape_flags(entry):
    return ["--shape", entry["shape"]] if "shape" in entry else []


def write_samples(entry, folder, model):
    """Calibration inputs: texts, pages and normal numbers as in models/inputs.py, other seeds."""
    folder.mkdir(parents=True, exist_ok=True)
    if entry["source"].startswith("layouts/"):
        return module_of("layouts").write_samples(folder, model)
    bound, shape = entry["shape"].split("=")
    for index in range(SAMPLES):
        generators.SEED = 1 + index
        feeds = generators.KINDS[entry["inputs"]]({bound: (np.float32, [int(size) for size in shape.split("x")])})
        np.savez(folder / f"sample{index}.npz", **feeds)


def calibrate(program, name, entry, folder):
    """Writes the network's table: ranges alone, as recovered weights are as large as the network and change no cycles."""
    model, samples = model_file(entry, folder), folder / f"{name}.samples"
    write_samples(entry, samples, onnx.load(model))
    call(program, "calibrate", model, "--data", samples, "-o", DATA / "tables" / f"{name}.table", "--recover", "off",
         *shape_flags(entry))


def floor_of(entry, precision, profile):
    """Cycles that no code can beat which makes each of the network's products in this precision."""
    return max(entry["macs"] / PEAK_MACS[precision], entry["parameters"] * PARAMETER_BYTES[precision] / profile["dram"]["peak_bytes_per_cycle"])


def convert_flags(name, entry, precision):
    """What `weft convert` is given beside the model and the place of the bmodel."""
    table = ["--calibration", DATA / "tables" / f"{name}.table"] if precision == "int8" else []
    return ["--precision", precision, *table, *shape_flags(entry)]


def measure(program, name, entry, precision, folder, options):
    """The row of one network at one precision. Raises RuntimeError with Weft's message if it does not convert."""
    bmodel = folder / f"{name}_{precision}.bmodel"
    call(program, "convert", model_file(entry, folder), "-o", bmodel, *convert_flags(name, entry, precision), *options)
    profile = json.loads(call(program, "profile", bmodel, "--json"))
    explained = json.loads(call(program, "explain", bmodel, "--json"))
    steps = explained["steps"]
    stage = json.loads(call(program, "info", bmodel, "--json"))["nets"][0]["stages"][0]
    busy = sum(engine["busy_cycles"] for engine in profile["engines"].values())
    unconfirmed, probed = profile["extrapolated"]["cycles"], profile["extrapolated"]["probed_cycles"]
    vendor = entry["vendor"].get(precision)
    row = {"network": name, "precision": precision, "ours": profile["total_cycles"], "vendor": vendor,
           "floor": round(floor_of(entry, precision, profile)), "bound": explained["bound"]["cycles"], "measured": busy - unconfirmed, "probed": probed,
           "kin": unconfirmed - probed, "dram_bytes": profile["dram"]["read_bytes"] + profile["dram"]["write_bytes"],
           "expected": sum(step["cycles"] for step in steps) if all(step["operations"] for step in steps) else None,
           "commands": sum(engine["commands"] for engine in profile["engines"].values()),
           "overlap_cycles": profile["overlap_cycles"],
           "host_operations": len(stage.get("host", {}).get("operations", []))}
    if vendor:
        row["ratio"] = row["ours"] / vendor
        row["ratio_if_doubled"] = (row["ours"] + unconfirmed) / vendor
    return row | {"worst": worst_nodes(profile, precision)}


def worst_nodes(profile, precision):
    """The nodes that lose most: cycles on the critical path beyond what their products, in this precision, and DRAM bytes need."""
    load = profile["dram"]["load_bytes_per_cycle"]
    rows = []
    for node in profile["nodes"]:
        moved = node["dram_read_bytes"] + node["dram_write_bytes"]
        need = max(node["macs"] / PEAK_MACS[precision], moved / load)
        rows.append({"nodes": node["nodes"], "op_types": node["op_types"], "critical_cycles": node["critical_cycles"],
                     "lost_cycles": max(0, round(node["critical_cycles"] - need)), "reason": reason(node, moved, precision, load)})
    return [row for row in sorted(rows, key=lambda row: -row["lost_cycles"])[:WORST] if row["lost_cycles"]]


def reason(node, moved, precision, load):
    """In words: which engine the node keeps busy, with what, and how far that is from its rate."""
    if node["gdma_cycles"] >= node["tiu_cycles"]:
        cycles = node["gdma_cycles"]
        text = f"DMA {cycles:,} cycles for {moved:,} DRAM bytes"
        text += f": {moved / cycles:.1f} a cycle, {load:.0f} would take {round(moved / load):,}" if cycles and moved else ""
    elif node["macs"]:
        share = node["macs"] / PEAK_MACS[precision] / node["tiu_cycles"]
        text = f"TIU {node['tiu_cycles']:,} cycles at {share:.1%} of the peak of {precision} products"
    else:
        text = f"TIU {node['tiu_cycles']:,} cycles of element arithmetic or moves in local memory, no products"
    if node["extrapolated_cycles"]:
        text += f"; {node['extrapolated_cycles']:,} at prices no vendor stream shows"
    return text


def measure_all(arguments):
    """Rows and failures (network, precision, message), in the order of the table whatever finishes first."""
    wanted = [(name, entry, precision) for precision in arguments.precisions.split(",") for name, entry in networks(arguments).items()]
    for _, entry, _ in wanted:
        model_file(entry, arguments.dir)  # before the threads: two would write the same file
    rows, failures = [], []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        futures = [pool.submit(measure, arguments.weft, *run, arguments.dir, shlex.split(arguments.options)) for run in wanted]
        for (name, _, precision), future in zip(wanted, futures):
            try:
                rows.append(future.result())
            except RuntimeError as error:
                failures.append({"network": name, "precision": precision, "message": str(error)})
    return rows, failures


def geomean(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else None


def means(rows):
    """Per precision: geometric means of what has a vendor figure."""
    found = {}
    for precision in dict.fromkeys(row["precision"] for row in rows):
        known = [row for row in rows if row["precision"] == precision and row["vendor"] and not row["host_operations"]]
        if known:
            found[precision] = {"networks": len(known), "ratio": geomean(row["ratio"] for row in known),
                                "ratio_if_doubled": geomean(row["ratio_if_doubled"] for row in known),
                                "floor": geomean(row["floor"] / row["vendor"] for row in known if row["floor"]),
                                "worst_ratio": max(row["ratio"] for row in known)}
    return found


def print_table(rows, failures, group):
    for precision, mean in means(rows).items():
        print(f"\n{group}, {precision}: cycles in thousands\n\n| network | ours | vendor | ratio | if doubled | floor | measured | probed | kin "
              "| DRAM MB | commands |\n|-|-|-|-|-|-|-|-|-|-|-|")
        for row in (row for row in rows if row["precision"] == precision):
            ratios = [f"{row['ratio']:.2f}", f"{row['ratio_if_doubled']:.2f}"] if row["vendor"] else ["-", "-"]
            cells = [row["network"] + "*" * (row["host_operations"] > 0), thousands(row["ours"]), thousands(row["vendor"]), *ratios,
                     thousands(row["floor"]), *(thousands(row[kind]) for kind in ("measured", "probed", "kin")),
                     f"{row['dram_bytes'] / 1e6:.2f}", str(row["commands"])]
            print("| " + " | ".join(cells) + " |")
        print(f"| geometric mean of {mean['networks']} | | | {mean['ratio']:.3f} | {mean['ratio_if_doubled']:.3f} | {mean['floor']:.3f} | | | | | |")
    if any(row["host_operations"] for row in rows):
        print("\n* computes something on the host, which costs no cycles here: in no mean")
    for failure in failures:
        print(f"\nnot converted: {failure['network']} {failure['precision']}: {failure['message']}")


def thousands(cycles):
    return "-" if cycles is None else f"{cycles / 1000:,.1f}"


def print_worst(rows):
    print("\nWhere most is lost: cycles on the critical path beyond what the node's products and DRAM bytes need")
    for row in rows:
        print(f"\n{row['network']} {row['precision']}, {row['ours']:,} cycles")
        for node in row["worst"]:
            names = node["nodes"] or ["(no node)"]
            label = names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")
            print(f"  {node['lost_cycles']:>10,}  {label} ({', '.join(dict.fromkeys(node['op_types']))}): {node['reason']}")


def renew(rows):
    """Writes the cycles of these rows; what was not measured now stays."""
    known = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    for row in rows:
        figures = known.setdefault(row["network"], {})
        figures.pop(row["precision"], None)
        if not row["host_operations"]:
            figures[row["precision"]] = row["ours"]
    lines = [f'  "{name}": {json.dumps(known[name], sort_keys=True)}' for name in sorted(known) if known[name]]
    BASELINE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    print(f"\nwrote {BASELINE.relative_to(FOLDER.parent)}: {len(rows)} figures")


def judge(label, rows, baseline):
    """(passed, text) of the rows of one group and precision against the baseline."""
    known = [row for row in rows if row["precision"] in baseline.get(row["network"], {})]
    moved = [row["network"] for row in known if row["host_operations"]]
    if moved:
        return False, f"{label}: {', '.join(moved)} now computes on the host what the chip did"
    if not known:
        return False, f"{label}: no baseline; make it with `{RENEW}`"
    changes = sorted(((row["ours"] / baseline[row["network"]][row["precision"]], row["network"]) for row in known), reverse=True)
    mean = geomean(change for change, _ in changes)
    text = f"{label}: {mean - 1:+.2%} in geometric mean of {len(changes)} networks"
    text += "".join(f"; {name} {change - 1:+.2%}" for change, name in changes if abs(change - 1) >= LARGEST_RISE)
    if mean > 1 + LARGEST_RISE:
        return False, (f"{text}. At most {LARGEST_RISE:.0%} more is allowed; `scripts/bench --cycles --group all` says where they go. If the rise "
                       f"is meant, renew the baseline with `{RENEW}` and say why in the commit")
    new = [row["network"] for row in rows if row not in known and not row["host_operations"]]
    if mean < 1 - LARGEST_RISE or new:
        text += f". {'New: ' + ', '.join(new) if new else 'Faster'}: renew the baseline with `{RENEW}`"
    return True, text


def judge_expected(rows):
    """(passed, text): whether the search for groups counts on the cycles that the profile finds."""
    ratios = [(row["expected"] / row["ours"], f"{row['network']} {row['precision']}") for row in rows if row["expected"]]
    far = [f"{name} {ratio:.2f}" for ratio, name in sorted(ratios) if abs(ratio - 1) > EXPECTED_WITHIN]
    text = (f"expected by the search for groups: within {EXPECTED_WITHIN:.0%} of the profile in {len(ratios) - len(far)} of {len(ratios)} "
            f"networks that are groups alone{'; not ' * bool(far)}{', '.join(far)}")
    return len(ratios) - len(far) >= EXPECTED_SHARE * len(ratios), text


def judge_bound(rows):
    """(passed, text): whether no program takes fewer cycles than the bound that `weft explain` prints."""
    ratios = [(row["ours"] / row["bound"], f"{row['network']} {row['precision']}") for row in rows if row["bound"]]
    below = [f"{name} {ratio:.3f}" for ratio, name in sorted(ratios) if ratio < 1]
    mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios)) if ratios else math.nan
    text = (f"cycles / bound: geometric mean {mean:.2f} of {len(ratios)} programs, at most {max(ratios, default=(math.nan, ''))[0]:.2f} "
            f"({max(ratios, default=(0, 'none'))[1]}){'; below the bound: ' * bool(below)}{', '.join(below)}")
    return not below, text


def judge_int8(rows):
    """(passed, text): whether no INT8 program takes more cycles than the network's F16 one."""
    half = {row["network"]: row["ours"] for row in rows if row["precision"] == "f16"}
    ratios = {row["network"]: row["ours"] / half[row["network"]] for row in rows if row["precision"] == "int8" and row["network"] in half}
    slower = [f"{name} {ratio:.3f}" for name, ratio in ratios.items() if ratio > 1]
    return not slower, f"INT8 takes at most F16's cycles in {len(ratios) - len(slower)} of {len(ratios)} networks{'; not in ' * bool(slower)}{', '.join(slower)}"


def check(rows, failures, groups, baseline):
    """0 if no geometric mean rose by more than LARGEST_RISE over the baseline and INT8 is nowhere slower than F16, else 1."""
    failed = 0
    for failure in failures:
        # A network of the layouts that has no baseline may be one that the chip does not take yet.
        known = groups[failure["network"]] == "public" or failure["precision"] in baseline.get(failure["network"], {})
        failed += known
        print(f"{'FAILED ' * known}{failure['network']} {failure['precision']} does not convert: {failure['message']}")
    for group in dict.fromkeys(groups.values()):
        for precision in dict.fromkeys(row["precision"] for row in rows):
            mine = [row for row in rows if row["precision"] == precision and groups[row["network"]] == group]
            passed, text = judge(f"{group} {precision}", mine, baseline)
            failed += not passed
            print(text if passed else f"FAILED {text}")
    for passed, text in (judge_int8(rows), judge_expected(rows), judge_bound(rows)):
        failed += not passed
        print(text if passed else f"FAILED {text}")
    return 1 if failed or not rows else 0


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--group", choices=["public", "layouts", "architectures", "all"])
    parser.add_argument("--networks", metavar="REGEX", default="")
    parser.add_argument("--precisions", default="int8,f16,f32")
    parser.add_argument("--options", default="", metavar="FLAGS")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--json", metavar="FILE", type=pathlib.Path)
    parser.add_argument("--no-worst", action="store_true", help="leave out the worst nodes")
    modes = parser.add_mutually_exclusive_group()
    for mode in ("check", "renew", "calibrate"):
        modes.add_argument(f"--{mode}", action="store_true")
    arguments = parser.parse_args()
    if arguments.options and (arguments.check or arguments.renew):
        parser.error("the baseline is of programs without --options")
    if not arguments.group:
        arguments.group = "all" if arguments.check or arguments.renew or arguments.calibrate else "public"
    return arguments


def main():
    arguments = parse()
    arguments.dir.mkdir(parents=True, exist_ok=True)
    if arguments.calibrate:
        for name, entry in networks(arguments).items():
            calibrate(arguments.weft, name, entry, arguments.dir)
            print(f"calibrated {name}", flush=True)
        return 0
    rows, failures = measure_all(arguments)
    groups = {name: entry["group"] for name, entry in networks(arguments).items()}
    if arguments.check:
        return check(rows, failures, groups, json.loads(BASELINE.read_text()))
    grouped = {group: [row for row in rows if groups[row["network"]] == group] for group in dict.fromkeys(groups.values())}
    for group, members in grouped.items():
        print_table(members, [failure for failure in failures if groups[failure["network"]] == group], group)
    print("\n" + judge_expected(rows)[1])
    print(judge_bound(rows)[1])
    if not arguments.no_worst:
        print_worst(rows)
    if arguments.json:
        found = {"rows": rows, "means": {group: means(members) for group, members in grouped.items()}, "not_converted": failures}
        arguments.json.write_text(json.dumps(found, indent=1) + "\n")
    if arguments.renew:
        renew(rows)
    return 1 if any(groups[failure["network"]] == "public" for failure in failures) else 0


if __name__ == "__main__":
    sys.exit(main())

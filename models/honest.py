#!/usr/bin/env python3
"""Programs that `weft convert` makes, through `weft compare`: none may fail, and how near to the limits they come.

  honest.py WEFT DIR [--group layouts|architectures|public|all] [--networks REGEX] [--precisions int8,f16,f32] [--jobs N] [--json FILE]

The networks of cycles.py with its calibration tables, each at each precision, on a sample that the calibration has not seen, with
--per-layer. Exit code 1 if a comparison fails. Prints for each limit and precision the figure of the network that comes nearest.
"""
import argparse
import concurrent.futures
import json
import pathlib
import subprocess
import sys

import numpy as np
import onnx

import cycles
import inputs as generators

SEED = 4242


def write_input(name, entry, folder, model):
    """A sample as those of the calibration, of another seed."""
    place = folder / f"{name}.npz"
    if entry["source"].startswith("layouts/"):
        np.savez(place, **cycles.module_of("layouts").draw_feeds(model, np.random.default_rng(SEED)))
    else:
        bound, shape = entry["shape"].split("=")
        generators.SEED = SEED
        np.savez(place, **generators.KINDS[entry["inputs"]]({bound: (np.float32, [int(size) for size in shape.split("x")])}))
    return place


def compare(program, name, entry, precision, folder):
    """The report of one network at one precision."""
    model, bmodel = cycles.model_file(entry, folder), folder / f"{name}_{precision}.bmodel"
    # F16 with the ranges, too: without them what is beyond 65504 overflows, and that is no false alarm.
    flags = cycles.convert_flags(name, entry, "f32" if precision == "f32" else "int8")
    flags[1] = precision
    cycles.call(program, "convert", model, "-o", bmodel, *flags)
    done = subprocess.run([str(part) for part in (program, "compare", model, bmodel, "-i", folder / f"{name}.npz", "--per-layer", "--json")],
                          capture_output=True, text=True, timeout=1800)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{name} {precision}: {done.stderr.strip()[-300:]}")
    return json.loads(done.stdout)


def figures(row):
    """The figures of an output or layer that limits are for, by key."""
    if "elements" not in row:
        return {}
    found = {"cosine": row["cosine"], "dead_slices": row["dead_slices"]}
    if row["sqnr_db"] is not None:
        found["sqnr"] = row["sqnr_db"]
    if "gain" in row and row["gain"] is not None:
        found["gain"] = abs(row["gain"] - 1)
        found["bias"] = abs(row["bias"]) / row["deviation"]
    for key, rows in (("gain_off", row["worst_gains"]), ("bias_in_deviations", row["worst_biases"])):
        values = [one[key] for one in rows if one[key] is not None]
        if values:
            found["slice_gain" if key == "gain_off" else "slice_bias"] = max(values)
    if row["range"] > 0:
        found["spike"] = row["max_error"] / row["range"]
    slices = [one["sqnr_db"] for one in row["worst_slices"] if one["sqnr_db"] is not None]
    if slices:
        found["slice_sqnr"] = min(slices)
    if row.get("log_sqnr_db") is not None:
        found["log_sqnr"] = row["log_sqnr_db"]
    if "shift" in row:
        found["shift"] = row["shift"]["factor"]
    if "exact" in row:
        found["roundings"] = row["exact"]["roundings"]
    if "unequal" in row:
        found = {"unequal": row["unequal"] / row["elements"]}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft", type=pathlib.Path)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--group", default="layouts")
    parser.add_argument("--networks", default="")
    parser.add_argument("--precisions", default="int8,f16,f32")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    arguments.dir.mkdir(parents=True, exist_ok=True)
    chosen = cycles.networks(arguments)
    for name, entry in chosen.items():
        write_input(name, entry, arguments.dir, onnx.load(cycles.model_file(entry, arguments.dir)))
    runs = [(name, entry, precision) for precision in arguments.precisions.split(",") for name, entry in chosen.items()]
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        reports = list(pool.map(lambda run: compare(arguments.weft, *run, arguments.dir), runs))
    if arguments.json:
        arguments.json.write_text(json.dumps([{"network": name, "precision": precision, "report": report}
                                              for (name, _, precision), report in zip(runs, reports)]))
    alarms = print_reports(runs, reports)
    print(f"{len(runs)} programs, {alarms} false alarms")
    return 1 if alarms else 0


def print_reports(runs, reports):
    """The number of programs that failed."""
    alarms = 0
    for (name, _, precision), report in zip(runs, reports):
        bad = [row for row in report["outputs"] + report.get("layers", []) if not row["passed"]]
        alarms += not report["passed"]
        if not report["passed"] or bad:
            print(f"{'FAIL' if not report['passed'] else 'layer'} {name} {precision}: {'; '.join(report['reasons'])}")
            for row in bad[:6]:
                print(f"    {row['name']}: {'; '.join(row['reasons'])[:300]}")
    for precision in sorted({run[2] for run in runs}):
        for key in limit_keys(reports):
            least = key in ("cosine", "sqnr", "slice_sqnr", "log_sqnr")
            for kind in ("outputs", "layers"):
                found = []
                for (name, _, given), report in zip(runs, reports):
                    if given != precision:
                        continue
                    for row in report.get(kind, []):
                        judged = row.get("added", row) if kind == "layers" and key != "roundings" else row
                        value = figures(judged).get(key)
                        if value is not None:
                            found.append((value, name, row["name"]))
                if found:
                    found.sort(reverse=not least)
                    print(f"{precision:5} {key:12} {kind:8} " + "  ".join(f"{value:.5g} ({name} {row[:24]})" for value, name, row in found[:4]))
    return alarms


def limit_keys(reports):
    return [*reports[0]["limits"], "roundings"]


if __name__ == "__main__":
    sys.exit(main())

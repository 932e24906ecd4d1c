#!/usr/bin/env python3
"""Waits taken out of real programs: the search for races finds each that was needed, and nothing in the programs as they are.

  removed_waits_test.py REMOVE_WAITS FOLDER               the vendor's 18 bmodels in FOLDER
  removed_waits_test.py REMOVE_WAITS --weft WEFT FOLDER   ours, converted into FOLDER: networks of models/kinds in F16 and INT8

RemoveWaits.cpp says when a wait is needed and how that is found out.
"""
import argparse
import pathlib
import re
import subprocess
import sys

import onnx

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / "models/kinds"))
import make as kinds  # noqa: E402

SEED = 7
VENDOR_FILES = 18
# Small ones of different shapes: convolutions, depthwise ones, concatenations, attention, norms, resizes.
NETWORKS = ["mobile_silu", "shufflenet", "residual", "unet", "gpt", "convnext", "mlp_b64", "crnn"]
# Of each file so many needed waits are taken out, as far as it has them, and at least so many of all.
PER_FILE, AT_LEAST = {"vendor": 8, "ours": 8}, {"vendor": 50, "ours": 50}
LINE = re.compile(r"(\S+) commands=(\d+) seconds=([\d.]+) tried=(\d+) needed=(\d+) found=(\d+) named=(\d+)")


def call(*arguments):
    done = subprocess.run([str(one) for one in arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: exit code {done.returncode}: {done.stderr.strip()[-800:]}")


def convert(weft, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name in NETWORKS:
        model, samples = folder / f"{name}.onnx", folder / f"{name}.samples"
        onnx.save(kinds.make(name), model)
        kinds.write_samples(samples, onnx.load(model))
        call(weft, "calibrate", model, "--data", samples, "-o", folder / f"{name}.table")
        for precision, *flags in (("f16",), ("int8", "--calibration", folder / f"{name}.table")):
            bmodel = folder / f"{name}_{precision}.bmodel"
            call(weft, "convert", model, "--precision", precision, *flags, "-o", bmodel)
            yield bmodel


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("remove_waits")
    parser.add_argument("--weft")
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    whose = "ours" if arguments.weft else "vendor"
    files = list(convert(arguments.weft, arguments.folder)) if arguments.weft else sorted(arguments.folder.glob("*.bmodel"))
    if whose == "vendor" and len(files) != VENDOR_FILES:
        sys.exit(f"{len(files)} bmodels in {arguments.folder}, must be {VENDOR_FILES}")
    done = subprocess.run([arguments.remove_waits, str(SEED), str(PER_FILE[whose]), *map(str, files)], capture_output=True, text=True)
    print(done.stdout, end="")
    rows = [tuple(map(float, row[1:])) for row in LINE.findall(done.stdout)]
    if len(rows) != len(files):
        sys.exit(f"{len(rows)} of {len(files)} files were tried")
    commands, seconds, tried, needed, found, named = map(sum, zip(*rows))
    print(f"{len(files)} programs, {commands:.0f} commands without a race, searched in {seconds:.2f} s; {tried:.0f} waits lowered, "
          f"{needed:.0f} of them needed, {found:.0f} found, {named:.0f} by the name of the command")
    if done.returncode != 0 or found != needed or needed < AT_LEAST[whose]:
        sys.exit(f"FAILED: exit code {done.returncode}, {needed - found:.0f} missed, {needed:.0f} needed ones must be {AT_LEAST[whose]} at least")


main()

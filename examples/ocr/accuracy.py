#!/usr/bin/env python3
"""Character accuracy and cycles of examples/ocr at each precision, as a table.

  accuracy.py WEFT DIR [--precisions f32,f16,int8] [--pages 12] [--check]

WEFT is the program; DIR keeps the bmodels (convert.py), which a second call takes as they are. Scored are rendered pages (pages.py) and the
photos of tests/data/ocr. --check fails if INT8 is more than 0.5 % below F32.
"""
import argparse
import json
import pathlib
import subprocess
import sys

import cv2
import numpy as np

import convert
import pages
import scoring
from reader import Reader

PHOTOS = pathlib.Path(__file__).resolve().parents[2] / "tests/data/ocr"
SEED = 1
LOSS = 0.005
CYCLES_WIDTH = 1  # the stage whose cycles stand for the recognizer: 640 pixels


def rendered(count):
    """[(kind, image, [(text, box)])]"""
    return [(pages.KINDS[index % len(pages.KINDS)], np.ascontiguousarray(image[:, :, ::-1]), truth)
            for index, (image, truth) in enumerate(pages.pages(SEED, count))]


def photos():
    truth = json.loads((PHOTOS / "truth.json").read_text())
    return [(name, cv2.imread(str(PHOTOS / name)), [(line["text"], line["box"]) for line in lines]) for name, lines in truth.items()]


def score(reader, scored):
    """{group: (edits, characters)}"""
    sums = {}
    for group, image, truth in scored:
        found = scoring.edits(truth, [(text, box) for box, text, _ in reader.lines(image)])
        sums[group] = tuple(np.add(sums.get(group, (0, 0)), found).tolist())
    return sums


def total(sums, groups):
    return tuple(sum(sums[group][i] for group in groups) for i in (0, 1))


def accuracy(edits, characters):
    return 1 - edits / characters


def cycles(program, path, stage=0):
    made = subprocess.run([program, "profile", path, "--stage", str(stage), "--json"], check=True, capture_output=True, text=True)
    return json.loads(made.stdout)["total_cycles"]


def make(folder, precision):
    if (folder / "rec.bmodel").exists():
        return
    if precision == "int8":
        convert.convert_int8(folder, 8)
    else:
        convert.convert_floats(folder, precision)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--precisions", default="f32,f16,int8")
    parser.add_argument("--pages", type=int, default=12)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    scored, names = [rendered(arguments.pages), photos()], arguments.precisions.split(",")
    groups = [list(dict.fromkeys(group for group, _, _ in part)) for part in scored]
    sums, costs = {}, {}
    for name in names:
        folder = arguments.dir / name
        make(folder, name)
        sums[name] = score(Reader(folder), scored[0] + scored[1])
        costs[name] = [cycles(arguments.weft, folder / f"{network}.bmodel", CYCLES_WIDTH if network == "rec" else 0) for network in convert.SHAPES]
    print(f"| | characters | {' | '.join(name.upper() for name in names)} |\n|---|---|{'---|' * len(names)}")
    rows = [(group, [group]) for part in groups for group in part] + [("all rendered", groups[0]), ("all photos", groups[1]), ("all", sum(groups, []))]
    for label, row in rows:
        shown = (f"{100 * accuracy(*total(sums[name], row)):.2f} %" for name in names)
        print(f"| {label} | {total(sums[names[0]], row)[1]:,} | {' | '.join(shown)} |")
    for index, network in enumerate(convert.SHAPES):
        print(f"| cycles, {network} | | {' | '.join(f'{costs[name][index]:,}' for name in names)} |")
    if arguments.check:
        lost = accuracy(*total(sums["f32"], sum(groups, []))) - accuracy(*total(sums["int8"], sum(groups, [])))
        if lost > LOSS:
            sys.exit(f"accuracy.py: INT8 is {100 * lost:.2f} % below F32, at most {100 * LOSS} %")


if __name__ == "__main__":
    main()

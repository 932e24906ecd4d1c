#!/usr/bin/env python3
"""Accuracy and predicted cycles of INT8 conversions of the registry's models, against ONNX Runtime in float.

  int8.py WEFT DIR [--models REGEX] [--precision int8|auto] [--options "FLAGS of weft convert"] [--method METHOD] [--tables DIR]
          [--samples 32] [--inputs 16] [--tasks] [--json FILE] [--vendor FILE]

Calibrates on seeded samples, converts with the options, and runs other inputs of the same kind on the emulator. A row for each output
of the first run of each model that has one below (of each network of the family `light`, if the regular expression takes it in): mean and least cosine; signal to noise of the values inside, which says more where an
output is a softmax or a class (mean over the named values, one input); predicted cycles, and which share of the model's multiplications is in float. --tables keeps the calibration tables, which do not depend
on the options: a second call with the same folder, samples and method reads them, also if the build is another. --precision auto calibrates inside of `weft convert`. A model with states is fed those that ONNX Runtime gave.

--vendor converts with the vendor's compiler in place of ours, with the same samples, its bmodels run on our emulator: FILE is as --env of
vendor.py; --precision int8 or, with zero points, int8asym. No row for the values inside; not with --tasks.

--tasks scores instead what the outputs are for, against the float model: lines that read the same (ppocr_rec, --inputs 500), boxes at IoU
.5 (picodet_layout, ppocr_det; of picodet_layout also those that are missed by more than a score next to the threshold), the same class (others). No row for the values inside; it runs in this process, by libweft.so (build WeftShared).
"""
import argparse
import json
import os
import pathlib
import re
import sys

import numpy as np
import onnx
import onnxruntime

import measure
import tasks
import vendor

MODELS = "^(ppocr_cls|ppocr_rec|ppocr_det|picodet_layout|silero_vad)/"
NEAR = 0.1  # boxes whose score is so near to the threshold on either side may be there or not
HELD_BACK = 1000  # seeds of the inputs are as far behind those of the samples


class Model:
    """A model with the run that the registry names first, and ONNX Runtime's answers."""

    def __init__(self, run, place, folder):
        self.run, self.path = run, measure.model_file(run, place, folder)
        self.session = onnxruntime.InferenceSession(str(self.path), providers=["CPUExecutionProvider"])
        self.names = [output.name for output in self.session.get_outputs()]
        self.state = None  # what the window before left

    def feeds(self, seed):
        """Arrays of the inputs made with `seed`; the states are those after the window before."""
        given, bound = measure.feeds_of(self.session, self.run, seed)
        if self.state is not None:
            given["state"] = self.state
        answers = dict(zip(self.names, self.session.run(self.names, given | bound)))
        self.state = answers.get("stateN")
        return given, bound, answers

    def series(self, first, count):
        """`count` of them; the first begins with no state."""
        self.state = None
        return [self.feeds(measure.generators.SEED + first + index) for index in range(count)]


def flags_of(model, folder):
    flags = [flag for part in model.run.get("shapes", "").split() for flag in ("--shape", part)]
    _, bound = measure.feeds_of(model.session, model.run)
    for name, value in bound.items():
        np.savez(folder / f"{name}.npz", **{name: value})
        flags += ["--bind", f"{name}={folder / name}.npz"]
    return flags


def samples_of(model, arguments, folder):
    samples = folder / f"samples{arguments.samples}"
    samples.mkdir(exist_ok=True)
    for index, (given, _, _) in enumerate(model.series(0, arguments.samples)):
        np.savez(samples / f"{index:03}.npz", **given)
    return samples


def ranges_of(name, model, flags, arguments, folder):
    """The flags that give the value ranges: a table, or with auto the samples."""
    if arguments.precision == "auto":
        return ["--calibration-data", samples_of(model, arguments, folder), "--method", arguments.method]
    table = (arguments.tables or folder) / f"{name}_{arguments.method}_{arguments.samples}.table"
    if not arguments.tables or not table.exists():
        measure.call(arguments.weft, "calibrate", model.path, "--data", samples_of(model, arguments, folder), "-o", table, "--method",
                     arguments.method, *flags)
    return ["--calibration", table]


def by_vendor(name, model, arguments, folder):
    """The bmodel that the vendor's compiler makes."""
    given, _ = measure.feeds_of(model.session, model.run)
    folder = folder / f"vendor{arguments.samples}"  # where its table stays
    folder.mkdir(exist_ok=True)
    vendor.transform(arguments.vendor, folder, name, onnx.load(model.path), {key: value.shape for key, value in given.items()})
    place = vendor.deploy(arguments.vendor, folder, name, arguments.precision, lambda: samples_of(model, arguments, folder).resolve(),
                          arguments.samples)
    return place / f"{name}.bmodel"


def converted(name, model, flags, arguments, folder):
    """The bmodel, its cycles, and the share of the model's multiplications that are in float (of the vendor's those of the commands)."""
    if arguments.vendor:
        bmodel = by_vendor(name, model, arguments, folder)
    else:
        bmodel = folder / "int8.bmodel"
        made = json.loads(measure.call(arguments.weft, "convert", model.path, "-o", bmodel, "--json", "--precision", arguments.precision,
                                       *ranges_of(name, model, flags, arguments, folder), *flags, *arguments.options.split())[0])
    profile = json.loads(measure.call(arguments.weft, "profile", bmodel, "--json")[0])
    if not arguments.vendor:
        return bmodel, profile["total_cycles"], made["float_share"]
    types = {row["type"]: row["macs"] for row in profile["macs"]["types"]}
    return bmodel, profile["total_cycles"], sum(macs for kind, macs in types.items() if kind[0] in "fb") / max(1, sum(types.values()))


def inner_decibels(weft, model, bmodel, folder, flags):
    """Mean signal to noise of the values inside, of the input that was run last."""
    bindings = [flag for pair in zip(flags, flags[1:]) if pair[0] == "--bind" for flag in pair]
    report = json.loads(measure.call(weft, "compare", model.path, bmodel, "-i", folder / "in.npz", "--per-layer", "--min-cosine", -1,
                                     "--json", *bindings)[0])
    return float(np.mean([layer["sqnr_db"] for layer in report["layers"] if layer.get("sqnr_db") is not None]))  # None: exact; absent: only a part is stored


def rows_of(name, model, arguments):
    folder = arguments.dir / name
    folder.mkdir(exist_ok=True)
    flags = flags_of(model, folder)
    bmodel, cycles, floats = converted(name, model, flags, arguments, folder)
    cosines = {output: [] for output in model.names}
    for given, _, wanted in model.series(HELD_BACK, arguments.inputs):
        np.savez(folder / "in.npz", **given)
        measure.call(arguments.weft, "run", bmodel, "-i", folder / "in.npz", "-o", folder / "out.npz")
        with np.load(folder / "out.npz") as found:  # the vendor names outputs after nodes, in the model's order
            for output, key in zip(model.names, found.files if arguments.vendor else model.names):
                cosines[output].append(measure.cosine(found[key], wanted[output]))
    inside = float("nan") if arguments.vendor else inner_decibels(arguments.weft, model, bmodel, folder, flags)
    return [{"model": name, "output": output, "mean": float(np.mean(values)), "least": float(np.min(values)), "inner_db": inside, "cycles": cycles,
             "float_share": floats}
            for output, values in cosines.items()]


def differing(run, wanted, found, width):
    """What the task counts: things of the float model; those that differ or are new; those of them that differ by more than NEAR of a score."""
    if run["inputs"] == "lines" and np.ndim(next(iter(wanted.values()))) == 3:
        pairs = [(tasks.text_of(a), tasks.text_of(b)) for key in wanted for a, b in zip(wanted[key], found[key])]
    elif run["inputs"] == "page" and len(wanted) > 1:
        ours, theirs = tasks.regions(found, width), tasks.regions(wanted, width)
        lost = tasks.unmatched(theirs, tasks.regions(found, width, tasks.SURE - NEAR))[0]
        added = tasks.unmatched(tasks.regions(wanted, width, tasks.SURE - NEAR), ours)[1]
        return len(theirs), sum(tasks.unmatched(theirs, ours)), lost + added
    elif run["inputs"] == "page":
        boxes = [tasks.lines(next(iter(outputs.values()))[0, 0]) for outputs in (wanted, found)]
        wrong = sum(tasks.unmatched(*boxes))
        return len(boxes[0]), wrong, wrong
    else:
        pairs = [(np.argmax(a), np.argmax(b)) for key in wanted for a, b in zip(wanted[key], found[key])]
    wrong = sum(a != b for a, b in pairs)
    return len(pairs), wrong, wrong


def emulator(weft):
    """The class weft.Model on the build that the program is of."""
    os.environ.setdefault("WEFT_NATIVE_DIR", str(pathlib.Path(weft).resolve().parent.parent))
    sys.path.insert(0, str(measure.FOLDER.parent / "python"))
    import weft as package
    return package.Model


def task_row(name, model, arguments):
    folder = arguments.dir / name
    folder.mkdir(exist_ok=True)
    bmodel, cycles, floats = converted(name, model, flags_of(model, folder), arguments, folder)
    program = emulator(arguments.weft)(bmodel)
    counts = np.zeros(3, int)
    for given, _, wanted in model.series(HELD_BACK, arguments.inputs):
        counts += differing(model.run, wanted, program.run(**given), next(iter(given.values())).shape[-1])
    things, wrong, far = map(int, counts)
    return {"model": name, "things": things, "differing": wrong, "differing_far": far, "cycles": cycles, "float_share": floats}


def table_rows(name, model, arguments):
    """Rows for --json with their text."""
    if arguments.tasks:
        row = task_row(name, model, arguments)
        share = 100 * row["differing"] / max(1, row["things"])
        return [(row, f"| {name} | {row['things']} | {row['differing']} | {share:.2f} % | {row['differing_far']} | {row['cycles']:,} | {100 * row['float_share']:.1f} % |")]
    return [(row, f"| {name} | {row['output']} | {row['mean']:.4f} / {row['least']:.4f} | {row['inner_db']:.1f} | {row['cycles']:,} "
                  f"| {100 * row['float_share']:.1f} % |") for row in rows_of(name, model, arguments)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--models", default=MODELS)
    parser.add_argument("--precision", choices=["int8", "auto", "int8asym"], default="int8")
    parser.add_argument("--vendor", metavar="FILE", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--options", default="")
    parser.add_argument("--method", default="auto")
    parser.add_argument("--tables", type=pathlib.Path)
    parser.add_argument("--samples", type=int, default=32)
    parser.add_argument("--inputs", type=int, default=16)
    parser.add_argument("--tasks", action="store_true")
    parser.add_argument("--json", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.precision == ("auto" if arguments.vendor else "int8asym"):
        parser.error("--precision int8asym is for --vendor, auto is not")
    if arguments.vendor and arguments.tasks:
        parser.error("--tasks is not for --vendor: outputs of its bmodels have other names")
    arguments.dir = arguments.dir.resolve()
    for folder in filter(None, (arguments.dir, arguments.tables)):
        folder.mkdir(parents=True, exist_ok=True)
    onnxruntime.set_default_logger_severity(3)
    seen, rows = set(), []
    print(f"| model | of the float model | differing | share | by more than {NEAR} of a score | cycles | MACs in float |\n|---|---|---|---|---|---|---|" if arguments.tasks else
          "| model | output | cosine, mean / least | inside, dB | cycles | MACs in float |\n|---|---|---|---|---|---|")
    for label, run, place in measure.runs():
        name = f"{place[1]}_{run['make']}" if "make" in run else place[1]
        if name in seen or not re.search(arguments.models, label):
            continue
        seen.add(name)
        for row, text in table_rows(name, Model(run, place, arguments.dir), arguments):
            rows.append(row)
            print(text, flush=True)
    if arguments.json:
        known = [{key: None if value != value else value for key, value in row.items()} for row in rows]  # JSON has no NaN
        arguments.json.write_text(json.dumps(known, indent=1, allow_nan=False))
    return 0 if rows else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Converts PP-OCR cls at each precision, runs it on rendered lines and measures it against ONNX Runtime.

  measure.py WEFT MODEL.onnx DIR [--precisions f32,f16,int8] [--lines 128] [--json FILE]

DIR keeps the lines, the calibration table, the bmodels and the outputs. Prints a Markdown table.

Two conversions are made: the model as it is, which everything is measured on, and, where the tensor before the softmax is
compared, the same model with that tensor as a second output.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tomllib

import numpy as np
import onnx
import onnxruntime

import render

FOLDER = pathlib.Path(__file__).resolve().parent
REGISTRY = tomllib.loads((FOLDER / "model.toml").read_text())
INPUT = REGISTRY["inputs"][0]["name"]
SHAPE = f"{INPUT}={'x'.join(map(str, REGISTRY['inputs'][0]['shape']))}"
SOFTMAX, LOGITS = REGISTRY["outputs"][0]["name"], REGISTRY["outputs"][0]["before_softmax"]
SEED = 20240611
CONFIDENT = 0.9


class Failure(Exception):
    """weft did not do what it was asked to."""


# A process's peak memory begins with that of the process it was forked from, so a small one stands in between.
LAUNCHER = """
import os, sys, time
begin = time.perf_counter()
_, status, usage = os.wait4(os.posix_spawn(sys.argv[2], sys.argv[2:], os.environ), 0)
print(time.perf_counter() - begin, usage.ru_maxrss, file=open(int(sys.argv[1]), "w"))
sys.exit(os.waitstatus_to_exitcode(status) & 255)
"""


def weft(program, *arguments):
    """Runs weft and returns (standard output, wall seconds, peak MiB); raises Failure with its message."""
    read_end, write_end = os.pipe()
    command = [sys.executable, "-ISc", LAUNCHER, str(write_end), program, *map(str, arguments)]
    with open(read_end) as figures:
        try:
            result = subprocess.run(command, text=True, capture_output=True, stdin=subprocess.DEVNULL,
                                    pass_fds=[write_end], timeout=300)
        finally:
            os.close(write_end)
        if result.returncode != 0:
            raise Failure(f"weft {' '.join(map(str, arguments))}: exit code {result.returncode}: "
                          f"{result.stderr.strip()[-600:]}")
        seconds, kib = figures.read().split()
    return result.stdout, float(seconds), int(kib) / 1024


def cosine(a, b):
    a, b = a.astype(np.float64).ravel(), b.astype(np.float64).ravel()
    return float(a @ b / np.sqrt((a @ a) * (b @ b)))


class Bench:
    """The rendered lines, ONNX Runtime's answers and the calibration table, made once for all precisions."""

    def __init__(self, program, model, folder, lines=REGISTRY["inputs_made_by"]["test_lines"]):
        self.program, self.model, self.folder = str(program), pathlib.Path(model), pathlib.Path(folder)
        self.samples = [x for x, _ in render.write_lines(self.folder / "test", SEED, lines)]
        render.write_lines(self.folder / "calibration", SEED + 1, REGISTRY["inputs_made_by"]["calibration_lines"])
        self.model_with_logits = self.folder / "with_logits.onnx"
        self.write_model_with_logits()
        session = onnxruntime.InferenceSession(str(self.model_with_logits), providers=["CPUExecutionProvider"])
        answers = [session.run([SOFTMAX, LOGITS], {INPUT: x}) for x in self.samples]
        self.softmax, self.logits = [a[0] for a in answers], [a[1] for a in answers]
        self.confident = np.array([p.max() >= CONFIDENT for p in self.softmax])

    def write_model_with_logits(self):
        model = onnx.load(self.model)
        model.graph.output.append(onnx.helper.make_tensor_value_info(LOGITS, onnx.TensorProto.FLOAT, [1, 2]))
        onnx.save(model, self.model_with_logits)

    def calibrate(self):
        table = self.folder / "table.txt"
        _, seconds, _ = weft(self.program, "calibrate", self.model, "--data", self.folder / "calibration", "-o", table,
                             "--shape", SHAPE)
        return table, seconds

    def convert(self, model, output, precision, options=()):
        """Converts and returns (wall seconds, peak MiB). INT8 needs `table` of calibrate()."""
        options = [*options, *(["--calibration", self.folder / "table.txt"] if precision == "int8" else [])]
        _, seconds, mib = weft(self.program, "convert", model, "-o", output, "--target", "bm1684x",
                               "--precision", precision, "--shape", SHAPE, *options)
        return seconds, mib

    def run(self, bmodel, indices=None, device="emulator"):
        """Outputs of the lines `indices` (default: all), a dictionary each; as many processes at once as there are CPUs."""
        outputs = self.folder / "out"
        outputs.mkdir(exist_ok=True)

        def run_one(index):
            output = outputs / f"{bmodel.stem}_{device}_{index:03}.npz"
            weft(self.program, "run", bmodel, "--input", self.folder / "test" / f"line_{index:03}.npz",
                 "--output", output, "--device", device)
            with np.load(output) as arrays:
                return dict(arrays)

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(run_one, range(len(self.samples)) if indices is None else indices))

    def run_seconds(self, bmodel):
        """Wall seconds of `weft run` on the emulator: the median of five."""
        return float(np.median([weft(self.program, "run", bmodel, "--input", self.folder / "test" / "line_000.npz",
                                     "--output", self.folder / "timed.npz")[1] for _ in range(5)]))

    def info(self, bmodel):
        return json.loads(weft(self.program, "info", bmodel, "--json")[0])

    def measure(self, precision):
        """All figures of one precision, as a dictionary."""
        bmodel = self.folder / f"{precision}.bmodel"
        seconds, mib = self.convert(self.model, bmodel, precision)
        softmax = [out[SOFTMAX] for out in self.run(bmodel)]
        cosines = np.array([cosine(a, b) for a, b in zip(softmax, self.softmax)])
        same = np.array([a.argmax() == b.argmax() for a, b in zip(softmax, self.softmax)])
        figures = {
            "precision": precision, "lines": len(softmax), "confident_lines": int(self.confident.sum()),
            "convert_seconds": seconds, "convert_mib": mib, "run_seconds": self.run_seconds(bmodel),
            "file_bytes": bmodel.stat().st_size, "dram_bytes": dram_bytes(self.info(bmodel)),
            "softmax_cosine_mean": float(cosines.mean()), "softmax_cosine_min": float(cosines.min()),
            "softmax_cosine_mean_confident": float(cosines[self.confident].mean()),
            "class_equal": int(same.sum()), "class_equal_confident": int(same[self.confident].sum()),
        }
        return figures | self.measure_logits(precision)

    def measure_logits(self, precision):
        bmodel = self.folder / f"{precision}_with_logits.bmodel"
        self.convert(self.model_with_logits, bmodel, precision)
        cosines = np.array([cosine(out[LOGITS], wanted) for out, wanted in zip(self.run(bmodel), self.logits)])
        return {"logits_cosine_mean": float(cosines.mean()), "logits_cosine_min": float(cosines.min())}


def dram_bytes(info):
    """DRAM bytes read and written by one run, as `weft info --json` sums them from the GDMA commands."""
    return info["dram_bytes"]


def table(rows):
    """The figures as a Markdown table."""
    lines = ["| precision | logits cosine mean / min | softmax cosine mean, all / confident lines "
             "| class equal, all / confident lines | DRAM bytes | bmodel bytes | convert | run on emulator |",
             "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        lines.append(
            f"| {row['precision'].upper()} | {row['logits_cosine_mean']:.7f} / {row['logits_cosine_min']:.7f} "
            f"| {row['softmax_cosine_mean']:.6f} / {row['softmax_cosine_mean_confident']:.6f} "
            f"| {row['class_equal']}/{row['lines']} / {row['class_equal_confident']}/{row['confident_lines']} "
            f"| {row['dram_bytes']:,} | {row['file_bytes']:,} "
            f"| {row['convert_seconds']:.2f} s, {row['convert_mib']:.0f} MiB | {row['run_seconds']:.2f} s |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("model")
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--precisions", default="f32,f16,int8")
    parser.add_argument("--lines", type=int, default=REGISTRY["inputs_made_by"]["test_lines"])
    parser.add_argument("--json", type=pathlib.Path, help="also write the figures here")
    args = parser.parse_args()
    args.dir.mkdir(parents=True, exist_ok=True)
    try:
        bench = Bench(args.weft, args.model, args.dir, args.lines)
        rows = []
        if "int8" in args.precisions:
            _, seconds = bench.calibrate()
            print(f"calibrated with {REGISTRY['inputs_made_by']['calibration_lines']} lines in {seconds:.1f} s", flush=True)
        for precision in args.precisions.split(","):
            rows.append(bench.measure(precision))
            print(f"{precision}: converted and run on {rows[-1]['lines']} lines", flush=True)
    except Failure as failure:
        sys.exit(f"measure.py: {failure}")
    print("\n" + table(rows))
    if args.json:
        args.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""CPU time of `weft calibrate` against ONNX Runtime on the same samples (scripts/bench --calibration).

  calibration.py WEFT DIR [--samples N] [--models NAME ..]

For each model of the registry: seeded noise samples go into DIR; then both sides evaluate them, Weft with `weft calibrate` (its start, import and table
included), ONNX Runtime with its session made before. Prints user and system seconds of both and their ratio, from one run on this machine.
"""
import argparse
import pathlib
import resource
import subprocess
import sys
import time

import numpy as np
import onnxruntime

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SEED = 20240613
MODELS = {"ppocr_cls": "x=1x3x48x192", "ppocr_rec": "x=1x3x48x320", "picodet_layout": "image=1x3x800x608"}


def make_samples(folder, count, name, shape):
    """Noise: the time of neither side depends on the values."""
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(SEED)
    samples = [rng.uniform(-1, 1, shape).astype(np.float32) for _ in range(count)]
    for number, sample in enumerate(samples):
        np.savez(folder / f"{number:04}.npz", **{name: sample})
    return samples


def weft_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def reference_seconds(model, name, samples):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1  # waiting threads would count as work
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    session.run(None, {name: samples[0]})
    begin = time.process_time()
    for sample in samples:
        session.run(None, {name: sample})
    return time.process_time() - begin


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--samples", type=int, default=32)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=list(MODELS))
    arguments = parser.parse_args()
    if arguments.samples < 1:
        parser.error(f"--samples is {arguments.samples}, must be at least 1")
    for model in arguments.models:
        path = subprocess.run([sys.executable, ROOT / "scripts/fetch_model", model], check=True, capture_output=True, text=True).stdout.strip()
        name, sizes = MODELS[model].split("=")
        samples_folder = arguments.folder / f"{model}_{arguments.samples}"
        samples = make_samples(samples_folder, arguments.samples, name, [int(size) for size in sizes.split("x")])
        ours = weft_seconds([arguments.weft, "calibrate", path, "--shape", MODELS[model], "--data", samples_folder, "-o",
                             arguments.folder / f"{model}.table"])
        reference = reference_seconds(path, name, samples)
        print(f"{model:16} {arguments.samples} samples: weft {ours:6.2f} s, ONNX Runtime {reference:6.2f} s, ratio {ours / reference:5.2f}", flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Stock mlir-opt-19 with our plugin runs the whole pass pipeline on a .mlir of PP-OCR cls, as `weft convert` does.

  plugin_pipeline_test.py WEFT PLUGIN MLIR_OPT FOLDER

`weft convert --emit top` writes the float graph as text, weights included. mlir-opt-19 reads it and runs weft-compile; the ppl text must
be that of `weft convert --emit ppl`, byte for byte, at every precision (INT8 with a table by `weft calibrate`).
"""
import argparse
import pathlib
import subprocess
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import model_registry  # noqa: E402: the folder above must come first

SHAPE = (1, 3, 48, 192)


def run(*command):
    result = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300)
    if result.returncode:
        sys.exit(f"FAILED {' '.join(map(str, command))}: exit code {result.returncode}\n{result.stderr[:2000]}")


def make_table(weft, model, folder):
    """Ranges over noise: enough for the passes to have numbers; accuracy is another test's business."""
    samples = folder / "samples"
    samples.mkdir(exist_ok=True)
    rng = np.random.default_rng(19)
    np.savez(samples / "0.npz", x=rng.uniform(-1, 1, SHAPE).astype(np.float32))
    run(weft, "calibrate", model, "--shape", "x=1x3x48x192", "--data", samples, "-o", folder / "cls.table")
    return folder / "cls.table"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("plugin")
    parser.add_argument("mlir_opt")
    parser.add_argument("folder", type=pathlib.Path)
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    model = model_registry.fetch("ppocr_cls")
    table = make_table(args.weft, model, args.folder)
    top = args.folder / "top.mlir"
    run(args.weft, "convert", model, "--shape", "x=1x3x48x192", "--emit", "top", "-o", top)
    different = 0
    for precision in ("f32", "f16", "bf16", "int8"):
        ours, stock = args.folder / f"{precision}.weft.mlir", args.folder / f"{precision}.stock.mlir"
        # The pass pipeline makes one program; only `weft convert` compares it with one of floats.
        calibration = ["--calibration", table, "--keep-int8"] if precision == "int8" else []
        run(args.weft, "convert", model, "--shape", "x=1x3x48x192", "--precision", precision, *calibration, "--emit", "ppl", "-o", ours)
        options = f"precision={precision}" + (f" calibration={table}" if calibration else "")
        run(args.mlir_opt, f"--load-dialect-plugin={args.plugin}", f"--load-pass-plugin={args.plugin}",
            f"--pass-pipeline=builtin.module(weft-compile{{{options}}})", "--mlir-print-debuginfo", top, "-o", stock)
        equal = ours.read_text() == stock.read_text()
        commands = ours.read_text().count("ppl.tiu.")
        different += not equal or commands < 50  # an empty program would be equal, too
        print(f"{'ok    ' if equal and commands >= 50 else 'FAILED'} {precision}: {ours.stat().st_size} bytes of ppl, {commands} functions of the TIU")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()

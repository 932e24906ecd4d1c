#!/usr/bin/env python3
"""PP-OCR cls at one precision: accuracy floors, DRAM bytes, determinism, equality with the vendor's runtime.

  ppocr_cls_test.py WEFT f32|f16|bf16|int8 FOLDER [--vendor-lines 4]

The vendor's emulator takes a second a line; the long form is --vendor-lines 16.
Floors and limits are those of models/ppocr_cls/model.toml. Times and memory are printed, not judged: they depend on load.
"""
import argparse
import os
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "models" / "ppocr_cls"), str(ROOT / "scripts")]
import measure  # noqa: E402: the folder above must come first
import model_registry  # noqa: E402


def check_floors(figures, precision):
    """Every figure that lies below its floor, one line each."""
    for name, floor in measure.REGISTRY["floors"][precision].items():
        if not figures[name] >= floor:  # also true for NaN
            yield f"{name} is {figures[name]:.8f}, must be at least {floor}"
    if figures["class_equal_confident"] != figures["confident_lines"]:
        yield f"class equal on {figures['class_equal_confident']} of {figures['confident_lines']} confident lines"
    limit = measure.REGISTRY["dram_bytes"][precision]
    if not 0 < figures["dram_bytes"] <= limit:
        yield f"{figures['dram_bytes']} DRAM bytes are moved, at most {limit} may be"


def check_determinism(bench, precision):
    """The same command twice, pinned to one CPU the second time, must give the same bytes."""
    again = bench.folder / f"{precision}_again.bmodel"
    cpus = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cpus)})
    try:
        bench.convert(bench.model, again, precision)
    finally:
        os.sched_setaffinity(0, cpus)
    if again.read_bytes() != (bench.folder / f"{precision}.bmodel").read_bytes():
        yield "two conversions gave different bytes"


def check_vendor_runtime(bench, precision, lines):
    """libbmrt on the vendor's emulator and our emulator must agree in every byte of every output."""
    library = os.environ.get("WEFT_BMRT_LIB", "")
    if not pathlib.Path(library).is_file():
        yield f"the vendor's runtime is missing at '{library}'; run scripts/setup"
        return
    bmodel = bench.folder / f"{precision}.bmodel"
    indices = range(lines)
    for index, ours, theirs in zip(indices, bench.run(bmodel, indices), bench.run(bmodel, indices, "bmrt")):
        if sorted(ours) != sorted(theirs) or any(ours[name].tobytes() != theirs[name].tobytes() for name in ours):
            yield f"line {index}: emulator gave {ours}, libbmrt {theirs}"


def check_quantized_io(bench, precision, lines):
    """--quantized-io: narrow inputs and outputs, float data taken for them, the same classes, libbmrt equal in every byte."""
    bmodel = bench.folder / f"{precision}_quantized_io.bmodel"
    bench.convert(bench.model, bmodel, precision, ["--quantized-io"])
    stage = bench.info(bmodel)["nets"][0]["stages"][0]
    wanted = {"f32": ("f32", "f32"), "f16": ("f16", "f16"), "bf16": ("bf16", "bf16"), "int8": ("i8", "f16")}[precision]
    stored = (stage["inputs"][0]["stored_type"], stage["outputs"][0]["stored_type"])
    if stored != wanted:
        yield f"with --quantized-io the input and output are stored as {stored}, must be {wanted}"
    results = [out[measure.SOFTMAX] for out in bench.run(bmodel, range(max(lines, 16)))]
    for index, got in enumerate(results):
        if bench.confident[index] and got.argmax() != bench.softmax[index].argmax():
            yield f"with --quantized-io line {index} gives {got}, ONNX Runtime {bench.softmax[index]}"
    for index, (got, theirs) in enumerate(zip(results, bench.run(bmodel, range(lines), "bmrt"))):
        if got.tobytes() != theirs[measure.SOFTMAX].tobytes():
            yield f"with --quantized-io line {index}: emulator gave {got}, libbmrt {theirs[measure.SOFTMAX]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("weft")
    parser.add_argument("precision", choices=["f32", "f16", "bf16", "int8"])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--vendor-lines", type=int, default=4, help="lines that also run on the vendor's runtime")
    args = parser.parse_args()
    args.folder.mkdir(parents=True, exist_ok=True)
    bench = measure.Bench(args.weft, model_registry.fetch("ppocr_cls"), args.folder)
    if args.precision == "int8":
        bench.calibrate()
    figures = bench.measure(args.precision)
    for name, value in figures.items():
        print(f"{name}: {value}")
    found = [*check_floors(figures, args.precision), *check_determinism(bench, args.precision),
             *check_vendor_runtime(bench, args.precision, args.vendor_lines),
             *check_quantized_io(bench, args.precision, args.vendor_lines)]
    for line in found:
        print(f"FAILED {line}")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()

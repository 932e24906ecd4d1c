#!/usr/bin/env python3
"""Makes the three bmodels that ocr.py and ocr read with, and the list of characters.

  convert.py MODELS [--precision f32|f16|int8] [--pages 8]

MODELS/det.bmodel, cls.bmodel, rec.bmodel and characters.txt, of PP-OCR v4 (scripts/fetch_model). For int8 the ranges are calibrated on
--pages rendered pages, of other seeds than those that accuracy.py scores, and on their lines as the float networks find them.
"""
import argparse
import pathlib
import sys
import tempfile

import numpy as np
import onnx
import weft

import pages
from reader import Reader

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "scripts"))
import model_registry  # noqa: E402

SEED = 77
# The recognizer has a stage for each width, with one copy of the weights. Its ranges are calibrated at the one that most lines take.
CALIBRATED_WIDTH = 640
SHAPES = {"det": "1x3x960x960", "cls": "1x3x48x192", "rec": f"1x3x48x(320|{CALIBRATED_WIDTH}|960|1280|1920)"}
CALIBRATION_SHAPES = SHAPES | {"rec": f"1x3x48x{CALIBRATED_WIDTH}"}


def onnx_file(name):
    return model_registry.fetch(f"ppocr_{name}")


def write_characters(path):
    """The recognizer's classes after blank, one a line; the last one is a space."""
    metadata = {entry.key: entry.value for entry in onnx.load(onnx_file("rec")).metadata_props}
    path.write_text("\n".join([*metadata["character"].splitlines(), " "]) + "\n", encoding="utf-8")


def convert_floats(folder, precision):
    folder.mkdir(parents=True, exist_ok=True)
    write_characters(folder / "characters.txt")
    for name, shape in SHAPES.items():
        weft.convert(onnx_file(name), folder / f"{name}.bmodel", shapes={"x": shape}, precision=precision)


def samples(count):
    """Inputs of each network, by its name, for rendered pages."""
    found = {name: [] for name in SHAPES}
    with tempfile.TemporaryDirectory() as floats:
        convert_floats(pathlib.Path(floats), "f32")
        reader = Reader(floats)
        reader.recognizer.widths = [CALIBRATED_WIDTH]
        for image, _ in pages.pages(SEED, count):
            image = np.ascontiguousarray(image[:, :, ::-1])
            found["det"].append(reader.detector.tensor(image))
            for _, line in reader.regions(image):
                found["cls"].append(reader.direction.tensor(line))
                found["rec"].append(reader.recognizer.tensor(reader.ways(line)[-1]))
    return found


def convert_int8(folder, count):
    folder.mkdir(parents=True, exist_ok=True)
    write_characters(folder / "characters.txt")
    for name, arrays in samples(count).items():
        table = weft.calibrate(onnx_file(name), ({"x": array} for array in arrays), shapes={"x": CALIBRATION_SHAPES[name]})
        weft.convert(onnx_file(name), folder / f"{name}.bmodel", shapes={"x": SHAPES[name]}, precision="int8", calibration=table)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("--precision", choices=["f32", "f16", "int8"], default="f16")
    parser.add_argument("--pages", type=int, default=8)
    arguments = parser.parse_args()
    if arguments.pages < 1:
        parser.error(f"--pages is {arguments.pages}, must be at least 1")
    if arguments.precision == "int8":
        convert_int8(arguments.models, arguments.pages)
    else:
        convert_floats(arguments.models, arguments.precision)


if __name__ == "__main__":
    main()

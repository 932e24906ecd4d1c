#!/usr/bin/env python3
"""Reads the text of a page and draws it.

  ocr.py MODELS IMAGE [-o PICTURE.png] [--device emulator|bmrt] [--bmrt-lib PATH] [--font FONT]

MODELS is the folder that convert.py wrote. Prints a line for each line of text: probability, corners of its box from the top left, clockwise,
and the text, with tabs between them. PICTURE shows the page with its boxes, and beside it what was read.
"""
import argparse
import os
import pathlib
import sys

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

from reader import ReadError, Reader, side

FONT = "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc"  # Debian's fonts-wqy-microhei
BOX_COLOR, INK, PAPER = (60, 20, 220), 0, 255  # B, G, R


def page_of(path):
    """The image as B, G, R, upright as its Exif data say."""
    if not pathlib.Path(path).is_file():
        raise ReadError(f"{path}: no such file")
    try:
        image = cv2.imread(path, cv2.IMREAD_COLOR)
    except cv2.error:  # more pixels than OpenCV reads
        image = None
    if image is None:
        raise ReadError(f"{path}: not an image that OpenCV reads (PNG, JPEG, ..)")
    return image


def text_strip(text, width, height, font):
    """The text as a gray image of this size, as large as fits."""
    size = max(1, int(height * 0.8))
    length = font.font_variant(size=size).getlength(text)
    if length > width:
        size = max(1, int(size * width / length))
    strip = Image.new("L", (width, height), PAPER)
    ImageDraw.Draw(strip).text((0, height // 2), text, font=font.font_variant(size=size), fill=INK, anchor="lm")
    return np.asarray(strip)


def picture_of(page, lines, font):
    """The page with its boxes, and beside it the texts at their places."""
    left, right = page.copy(), np.full(page.shape[:2], PAPER, np.uint8)
    thickness = max(1, min(page.shape[:2]) // 400)
    for box, text, _ in lines:
        cv2.polylines(left, [box], True, BOX_COLOR, thickness, cv2.LINE_AA)
        width, height = max(1, side(box[0], box[1])), max(1, side(box[0], box[3]))
        if height > 1.5 * width:  # drawn along the longer side
            box, width, height = np.roll(box, -1, 0), height, width
        source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        strip = cv2.warpPerspective(text_strip(text, width, height, font), cv2.getPerspectiveTransform(source, box.astype(np.float32)),
                                    right.shape[::-1], borderValue=PAPER)
        right = np.minimum(right, strip)
    return np.hstack([left, cv2.cvtColor(right, cv2.COLOR_GRAY2BGR)])


def font_of(path):
    try:
        return ImageFont.truetype(path, 16, layout_engine=ImageFont.Layout.BASIC)
    except OSError:
        raise ReadError(f"{path}: not a font that FreeType reads; install fonts-wqy-microhei or give --font") from None


def require_format(path):
    """Before minutes of reading, not after."""
    if not cv2.haveImageWriter(path):
        raise ReadError(f"{path}: '{pathlib.Path(path).suffix}' is no format that OpenCV writes; take .png or .jpg")


def write_picture(path, picture):
    content = cv2.imencode(pathlib.Path(path).suffix, picture)[1]
    try:
        pathlib.Path(path).write_bytes(content.tobytes())
    except OSError as error:
        raise ReadError(f"{path}: {error.strerror}") from None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models")
    parser.add_argument("image")
    parser.add_argument("-o", "--output", metavar="PICTURE")
    parser.add_argument("--device", choices=["emulator", "bmrt"], default="emulator")
    parser.add_argument("--bmrt-lib", metavar="PATH", help="libbmrt.so; default: WEFT_BMRT_LIB")
    parser.add_argument("--font", default=FONT)
    arguments = parser.parse_args()
    try:
        if arguments.output:
            require_format(arguments.output)
            font = font_of(arguments.font)
        page = page_of(arguments.image)
        lines = Reader(arguments.models, device=arguments.device, bmrt_library=arguments.bmrt_lib).lines(page)
        for box, text, score in lines:
            print(f"{score:.3f}", " ".join(f"{x},{y}" for x, y in box.tolist()), text, sep="\t")
        if arguments.output:
            write_picture(arguments.output, picture_of(page, lines, font))
    except ReadError as error:
        print(f"ocr.py: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OPENCV_LOG_LEVEL", "SILENT")
    sys.exit(main())

#!/usr/bin/env python3
"""Renders pages with known text: columns of several sizes, rotated blocks, blocks upside down, and such pages as a camera sees them.

  pages.py DIR [--count 8] [--seed 1]     DIR/page_000.png .. and DIR/truth.json: for each page its lines, `text` and `box`

A page depends on its seed and on the versions in scripts/requirements.txt alone. Words and fonts are those of models/ppocr_cls/render.py.
"""
import argparse
import json
import pathlib
import random
import sys

import cv2
import numpy as np
from PIL import Image, ImageDraw, ImageFont

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "models/ppocr_cls"))
import render  # noqa: E402

WIDTH, HEIGHT, MARGIN = 1100, 1300, 60
KINDS = ("columns", "rotated", "upside down", "camera")


def line_of(rng, font, width, cjk):
    """As many words as fit."""
    words = []
    while True:
        word = render.number(rng) if rng.random() < 0.15 else rng.choice(render.CHINESE if cjk else render.ENGLISH)
        if words and font.getlength(" ".join([*words, word])) > width:
            return " ".join(words)
        words.append(word)


def block_of(rng, width, height, paper):
    """(image, [(text, box)]) of lines of one font and size, the image no larger than what they take."""
    cjk, size = rng.random() < 0.35, rng.choice((18, 22, 26, 30, 38, 52))
    path = render.FONT_FOLDER / rng.choice(render.CJK_FONTS if cjk else render.LATIN_FONTS)
    font = ImageFont.truetype(str(path), size, layout_engine=ImageFont.Layout.BASIC)
    ink = tuple(rng.randint(0, 90) for _ in range(3))
    step, lines = int(size * rng.uniform(1.5, 1.9)), []
    for top in range(0, height - step, step):
        text = line_of(rng, font, width, cjk)
        if font.getlength(text) <= width:  # else one word is wider than the block
            lines.append((text, font.getbbox(text), top))
    image = Image.new("RGB", (width, height), paper)
    draw, found = ImageDraw.Draw(image), []
    for text, (left, above, right, below), top in lines:
        draw.text((0, top), text, font=font, fill=ink)
        found.append((text, np.array([[left, top + above], [right, top + above], [right, top + below], [left, top + below]], np.float64)))
    return np.asarray(image), found


def moved(box, matrix):
    """Corners of a box behind a homography."""
    points = np.hstack([box, np.ones((4, 1))]) @ matrix.T
    return points[:, :2] / points[:, 2:]


def turn(width, height, degrees, left, top):
    """A homography that turns a block around its middle and puts its corner at `left`, `top`."""
    matrix = np.vstack([cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1), [0, 0, 1]])
    return np.array([[1, 0, left], [0, 1, top], [0, 0, 1]]) @ matrix


def photographed(rng, image, lines):
    """The page from aside, in uneven light, a little out of focus, with noise."""
    corners = np.array([[0, 0], [WIDTH, 0], [WIDTH, HEIGHT], [0, HEIGHT]], np.float32)
    shift = np.array([[rng.uniform(0, 0.06) * WIDTH, rng.uniform(0, 0.06) * HEIGHT] for _ in range(4)])
    seen = corners + shift * [[1, 1], [-1, 1], [-1, -1], [1, -1]]
    matrix = cv2.getPerspectiveTransform(corners, seen.astype(np.float32))
    image = cv2.warpPerspective(image, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_CUBIC, borderValue=(70, 80, 90))
    image = cv2.GaussianBlur(image, (0, 0), rng.uniform(0.5, 0.9)).astype(np.float64)
    light = np.linspace(rng.uniform(0.6, 1), rng.uniform(0.6, 1), WIDTH)[None, :, None] * np.linspace(rng.uniform(0.8, 1), 1, HEIGHT)[:, None, None]
    noise = np.random.Generator(np.random.PCG64(rng.getrandbits(64))).standard_normal(image.shape) * rng.uniform(2, 6)
    return np.clip(np.rint(image * light + noise), 0, 255).astype(np.uint8), [(text, moved(box, matrix)) for text, box in lines]


def page(seed, kind):
    """(image as R, G, B, [(text, box)]); boxes are 4 x 2 corners, from the first character's top, clockwise as the text is read."""
    rng = random.Random(f"{seed} {kind}")
    paper = tuple(rng.randint(225, 255) for _ in range(3))
    canvas, lines = np.full((HEIGHT, WIDTH, 3), paper, np.uint8), []
    columns, rows = 2, 3
    cell = ((WIDTH - MARGIN) // columns, (HEIGHT - MARGIN) // rows)
    for place in range(columns * rows):
        degrees = {"rotated": rng.uniform(-14, 14), "upside down": 180 if place % 2 else 0}.get(kind, 0)
        room = 110 if kind == "rotated" else 0  # what a turned block needs more
        width, height = cell[0] - MARGIN - room, cell[1] - MARGIN // 2 - room
        image, found = block_of(rng, width, height, paper)
        matrix = turn(width, height, degrees, MARGIN + place % columns * cell[0] + room // 2, MARGIN + place // columns * cell[1] + room // 2)
        layer = cv2.warpPerspective(image, matrix, (WIDTH, HEIGHT), flags=cv2.INTER_CUBIC, borderValue=paper)
        canvas = np.minimum(canvas, layer)
        lines += [(text, moved(box, matrix)) for text, box in found]
    return photographed(rng, canvas, lines) if kind == "camera" else (canvas, lines)


def pages(seed, count):
    """Yields `count` pages, each (image, lines), of the kinds in turn."""
    for index in range(count):
        yield page(seed * 1000 + index, KINDS[index % len(KINDS)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    arguments.dir.mkdir(parents=True, exist_ok=True)
    truth = {}
    for index, (image, lines) in enumerate(pages(arguments.seed, arguments.count)):
        name = f"page_{index:03}.png"
        Image.fromarray(image).save(arguments.dir / name)
        truth[name] = [{"text": text, "box": np.rint(box).astype(int).tolist()} for text, box in lines]
    (arguments.dir / "truth.json").write_text(json.dumps(truth, ensure_ascii=False, indent=1) + "\n")


if __name__ == "__main__":
    main()

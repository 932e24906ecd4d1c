"""Seeded inputs of the models in the registry, by the word in `inputs` of a [[runs]] table."""
import pathlib
import random
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "ppocr_cls"))
import render  # noqa: E402

SEED = 20240611


def lines(infos, seed=SEED):
    """Rendered text lines, scaled and cut to the input's height and width; one line an image of the batch."""
    (name, (_, shape)), = infos.items()
    batch = []
    for index in range(shape[0]):
        image = render.draw_line(random.Random(seed * 1000003 + index), turned=False)
        width = min(shape[3], max(1, round(shape[2] * image.width / image.height)))
        pixels = np.asarray(image.resize((width, shape[2])), np.float32)[:, :, ::-1]
        plane = np.zeros(shape[1:], np.float32)
        plane[:, :, :width] = (pixels.transpose(2, 0, 1) / np.float32(255) - np.float32(0.5)) / np.float32(0.5)
        batch.append(plane)
    return {name: np.stack(batch)}


def page(infos, seed=SEED):
    """A page with a few text lines on white paper, (x / 255 - 0.5) / 0.5."""
    (name, (_, shape)), = infos.items()
    rng = random.Random(seed)
    canvas = render.Image.new("RGB", (shape[3], shape[2]), (250, 250, 245))
    for row in range(8, shape[2] - 40, 40):
        line = render.draw_line(rng, turned=False)
        line.thumbnail((shape[3] - 40, 32))
        canvas.paste(line, (rng.randint(4, 24), row))
    pixels = np.asarray(canvas, np.float32)[:, :, ::-1].transpose(2, 0, 1)
    x = (pixels / np.float32(255) - np.float32(0.5)) / np.float32(0.5)
    return {name: np.repeat(x[None], shape[0], 0).astype(np.float32)}


def audio(infos, seed=SEED):
    """A voice-like signal in the input `input`, zeros in the states. Seeds differ in pitch, and in every fourth nobody speaks."""
    rng = np.random.default_rng(seed)
    feeds = {name: np.zeros(shape, dtype) for name, (dtype, shape) in infos.items()}
    shape = feeds["input"].shape
    time = np.arange(int(np.prod(shape))) / 16000
    pitch = 120 + (seed - SEED) % 100 + 30 * np.sin(2 * np.pi * 2 * time)
    voice = sum(np.sin(2 * np.pi * pitch * k * time) / k for k in range(1, 12)) * (0.6 + 0.4 * np.sin(2 * np.pi * 4 * time))
    level = 0 if (seed - SEED) % 4 == 3 else 0.25
    feeds["input"] = (level * voice + 0.01 * rng.standard_normal(time.size)).reshape(shape).astype(np.float32)
    return feeds


def tokens(infos, seed=SEED):
    """Token numbers, a mask whose last eighth is padding, standard normal caches; a position is the last one."""
    rng = np.random.default_rng(seed)
    feeds = {}
    for name, (dtype, shape) in infos.items():
        if name == "mask":
            feeds[name] = np.ones(shape, dtype)
            feeds[name][..., -shape[-1] // 8:] = 0
        elif name == "position":
            feeds[name] = np.full(shape, 63, dtype)
        elif np.issubdtype(dtype, np.integer):
            feeds[name] = rng.integers(0, 1000, shape).astype(dtype)
        else:
            feeds[name] = rng.standard_normal(shape).astype(dtype)
    return feeds


def normal(infos, seed=SEED):
    """Standard normal numbers."""
    rng = np.random.default_rng(seed)
    return {name: rng.standard_normal(shape).astype(dtype) for name, (dtype, shape) in infos.items()}


KINDS = {"lines": lines, "page": page, "audio": audio, "tokens": tokens, "normal": normal}

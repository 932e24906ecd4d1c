"""What pl.device_print has shown: values of tensors as arrays of numpy."""

import ctypes
import os

import numpy


class Copy:
    """A tensor that is printed: its place in the memory of the program, and
    its values once that has run."""

    def __init__(self, kind, shape):
        self.kind, self.shape, self.address = kind, shape, None
        self.values = None

    def read(self):
        count = int(numpy.prod(self.shape))
        data = ctypes.string_at(self.address,
                                (count * self.kind.bits + 7) // 8)
        if self.kind.bits == 4:
            pairs = numpy.frombuffer(data, numpy.uint8)
            data = numpy.stack([pairs & 15, pairs >> 4], -1).tobytes()[:count]
        self.values = to_numpy(self.kind, data).reshape(self.shape)


def to_numpy(kind, data):
    """Elements of a type, those of less than 8 bits a byte each, as those of a numpy type that has all their values;
    those of a type that numpy lacks as their bits."""
    if kind.bits == 4:
        bits = numpy.frombuffer(data, numpy.uint8)
        return (bits.astype(numpy.int8) ^ 8) - 8 if kind.is_signed and \
            not kind.is_float else bits
    if kind.spelling == "bf16":
        bits = numpy.frombuffer(data, numpy.uint16).astype(numpy.uint32)
        return (bits << 16).view(numpy.float32)
    name = {"fp32": "float32", "fp16": "float16", "tf32": "float32"}.get(
        kind.spelling, kind.name)
    try:
        return numpy.frombuffer(data, name)
    except TypeError:
        return numpy.frombuffer(data, f"u{kind.bits // 8}"
                                if kind.bits % 8 == 0 else "u1")


class Printed:
    """One device_print: `file`, `line`, `core` and its `values`, the arguments
    with arrays in place of tensors."""

    def __init__(self, place, core, parts):
        self.file, self.line = os.fsdecode(place.file), place.line
        self.core, self._parts = core, parts

    def read(self):
        """Takes the values from the program, which has run."""
        for part in self._parts:
            if isinstance(part, Copy):
                part.read()

    @property
    def values(self):
        return [part.values if isinstance(part, Copy) else part
                for part in self._parts]

    def __str__(self):
        texts = [f"{part.kind!r} {part.shape}\n{part.values}"
                 if isinstance(part, Copy) else part for part in self._parts]
        if isinstance(texts[0], str) and "%" in texts[0] and \
                isinstance(self._parts[0], str):
            try:
                texts = [texts[0] % tuple(texts[1:])]
            except (TypeError, ValueError):
                pass  # a text that is no format
        core = f"core {self.core}: " if self.core else ""
        return (f"{self.file}:{self.line}: {core}"
                + " ".join(map(str, texts)).rstrip("\n"))

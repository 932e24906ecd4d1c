"""pl.device_print and pl.breakpoint: the values of tensors at a line of the
kernel.

The line of a device_print records a copy of the tensor to memory of its own, on every device and in
the order of the program; the text is made once the program has run.
"""

import ctypes
import os

import numpy

from .. import _recorder, _stepping
from . import _tensor, _types


class _Copy:
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
            if isinstance(part, _Copy):
                part.read()

    @property
    def values(self):
        return [part.values if isinstance(part, _Copy) else part
                for part in self._parts]

    def __str__(self):
        texts = [f"{part.kind!r} {part.shape}\n{part.values}"
                 if isinstance(part, _Copy) else part for part in self._parts]
        if isinstance(texts[0], str) and "%" in texts[0] and \
                isinstance(self._parts[0], str):
            try:
                texts = [texts[0] % tuple(texts[1:])]
            except (TypeError, ValueError):
                pass  # a text that is no format
        core = f"core {self.core}: " if self.core else ""
        return (f"{self.file}:{self.line}: {core}"
                + " ".join(map(str, texts)).rstrip("\n"))


def device_print(*values):
    """Prints tensors as they are at this line when the program runs, with texts
    and numbers among them: `pl.device_print("x", x)`. A first text with % is a
    format. launch.printed has the values as arrays."""
    program = _recorder.active()
    if not values:
        raise _recorder.PplTypeError("device_print() of nothing; give tensors, "
                                     "texts and numbers")
    parts = []
    for value in values:
        if isinstance(value, _tensor.pointer):
            raise _recorder.PplTypeError(
                f"device_print of {value!r}; give a tensor: "
                f"pl.gtensor(shape, pl.GLOBAL, {value.name})")
        parts.append(_copy(program, value) if _tensor.is_tensor(value)
                     else value)
    program.printed.append(Printed(
        _recorder.here(), program.get(_recorder.GET_BLOCK_INDEX), parts))


def _copy(program, tensor):
    copy = _Copy(tensor.dtype, tensor.shape)
    address = program.print_memory(copy)
    if address is None:
        return copy  # of several cores: this recording counts them
    table = program.table
    number = table.make_tensor(
        table.self, _types.mtype.GLOBAL, tensor.dtype.code,
        _recorder.sizes(tensor.shape), int(_types.align_mode.CONTINUOUS), None,
        address, _recorder.here())
    program.check_recording()
    place = _tensor.tensor(program, number, tensor.dtype, tensor.shape,
                           _types.mtype.GLOBAL)
    name = "dma.store" if tensor.memory == _types.mtype.LOCAL else "dma.move"
    _tensor.call(_recorder.catalog()[name], {"dst": place, "src": tensor})
    return copy


def breakpoint():
    """Stops here: Python's debugger, or the function of kernel.debug(function),
    sees the values of tensors, x.numpy(). PYTHONBREAKPOINT=0 switches it
    off."""
    program = _recorder.active()
    if program.stepper:
        program.stepper.breakpoint(program)
    elif program.restarts and not _stepping.is_off():
        raise _stepping.Restart

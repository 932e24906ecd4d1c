"""Random legal calls of the vendor's kernel-level functions, each with the `ppl` text that must give the same bytes.

A kind is a function of a `Draw`; it calls `draw.vendor(function, ...)` and `draw.call(function, ...)` once each.
"""
import random
import struct

import numpy as np

DATA_TYPE = {"ui8": 0, "si8": 1, "f16": 3, "f32": 5, "ui16": 6, "si16": 7, "ui32": 8, "si32": 9, "bf16": 11}  # precision * 2 + sign
BYTES = {"8": 1, "6": 2, "2": 4}
FLOATS, INTEGERS = ("f32", "f16", "bf16"), ("ui8", "si8", "ui16", "si16", "ui32", "si32")
ROUNDINGS = ("half_to_even", "half_away_from_zero", "toward_zero", "floor", "ceil", "half_up", "half_down")
LANES, LANE_BYTES, EU_BYTES, SLOT_BYTES = 64, 1 << 18, 64, 1 << 14
DRAM = 1 << 32
PACK = {1: 64, 2: 32, 4: 1}  # channels of a block of the convolution unit by element bytes

KINDS = []


def kind(*variants):
    """Registers the function once per variant (a tuple of further arguments)."""
    def register(function):
        for variant in variants or ((),):
            name = "_".join([function.__name__, *(str(part) for part in variant)])
            KINDS.append((name, lambda draw, f=function, v=variant: f(draw, *v)))
        return function
    return register


def size_of(element):
    return BYTES[element[-1]]


def element_bits(value, element):
    """The bits of a number as an element, in 32 bits."""
    if element == "f32":
        return struct.unpack("<I", struct.pack("<f", value))[0]
    if element == "f16":
        return int(np.float16(value).view(np.uint16))
    if element == "bf16":
        return struct.unpack("<I", struct.pack("<f", value))[0] >> 16  # the numbers drawn here are exact in bf16
    return int(value) & ((1 << 8 * size_of(element)) - 1)


class Tensor:
    def __init__(self, name, shape, element, address, lane, layout, strides, space):
        self.name, self.shape, self.element, self.strides = name, shape, element, strides
        spelt = list(strides) if layout == "strided" else layout
        self.type = f"!ppl.tensor<{'x'.join(map(str, shape))}x{element}, {space}, {spelt}>"
        self.address = address + lane * LANE_BYTES if space == "local" else address
        self.data_type = DATA_TYPE[element]


def mixed_types(draw):
    """dst, src0, src1 of an integer operation: the result is signed exactly if an operand is (vendor encoder)."""
    sources = [draw.choice(INTEGERS) for _ in range(2)]
    signed = any(source.startswith("s") for source in sources)
    return [draw.choice([e for e in INTEGERS if e.startswith("s") == signed]), *sources]


def cast_rounds(to, of):
    """Whether a conversion can be inexact; floats have 24, 11 or 8 digits."""
    if of in FLOATS:
        return to not in FLOATS or size_of(to) < size_of(of)
    return to in FLOATS and 8 * size_of(of) > {"f32": 24, "f16": 11, "bf16": 8}[to]


def attribute(value):
    """The text of a number or of several in a call."""
    if isinstance(value, tuple):
        return f"array<i64: {', '.join(map(str, value))}>"
    return f"{value!r} : f64" if isinstance(value, float) else f"{int(value)} : i64"


class Draw:
    """Random choices of one case, its vendor calls and its ppl lines."""

    def __init__(self, seed, prefix):
        self.random, self.prefix, self.count = random.Random(seed), prefix, 0
        self.calls, self.lines = [], []
        self.lane = self.random.choice((0, 0, self.random.randrange(LANES)))

    def vendor(self, function, *values, commands=None):
        """One call of the vendor's function; ours makes all of its commands, or the first `commands` of them."""
        self.calls.append((function, values, commands))

    def ppl(self, line):
        self.lines.append(line)

    def call(self, function, **arguments):
        """One call of a function of the catalog, arguments by slot: tensors, numbers, or None for what is left out."""
        given = {slot: value for slot, value in arguments.items() if value is not None}
        parts = [f"{slot} = {value.name if isinstance(value, Tensor) else attribute(value)}" for slot, value in given.items()]
        types = [value.type for value in given.values() if isinstance(value, Tensor)]
        self.ppl(f"ppl.{function} {', '.join(parts)} : {', '.join(types)}")

    def between(self, low, high):
        return self.random.randint(low, high)

    def coin(self):
        return self.random.random() < 0.5

    def choice(self, values):
        return self.random.choice(values)

    def shape(self, channels=70):
        return (self.between(1, 2), self.between(1, channels), self.between(1, 6), self.between(1, 20))

    def _name(self):
        self.count += 1
        return f"%{self.prefix}_{self.count}"

    def local(self, shape, element, layout="aligned", lane=None, strides=None):
        lane = self.lane if lane is None else lane
        slot = self.count  # no two operands of a case share a slot
        tensor = Tensor(self._name(), shape, element, slot * SLOT_BYTES % LANE_BYTES, lane, layout, strides, "local")
        self.ppl(f"{tensor.name} = ppl.local at {slot * SLOT_BYTES % LANE_BYTES}" + (f" lane {lane}" if lane else "") + f" : {tensor.type}")
        return tensor

    def maybe_strided(self, shape, element):
        """Aligned, or with explicit strides that leave gaps; strides is None for aligned."""
        if self.coin():
            return self.local(shape, element)
        columns = shape[3] + self.between(0, 3)
        plane = shape[2] * columns + self.between(1, 40)
        rows = (self.lane + shape[1] + LANES - 1) // LANES
        return self.local(shape, element, "strided", strides=(rows * plane, plane, columns, 1))

    def at_global(self, shape, element, strides=None):
        address = DRAM + (1 << 20) * (4 * self.between(1, 50) + self.count % 4)  # no two operands of a case overlap
        tensor = Tensor(self._name(), shape, element, address, 0, "strided" if strides else "continuous", strides, "global")
        self.ppl(f"{tensor.name} = ppl.global at {address} : {tensor.type}")
        return tensor

    def scalar(self, element, value=None):
        """-> (number, bits as an element)"""
        is_float = element in FLOATS
        if value is None:
            low = 0 if element.startswith("u") else -100
            value = self.between(-64, 64) / 4 if is_float else self.between(low, 100)
        value = float(value) if is_float else value
        return value, element_bits(value, element)


def continuous(shape):
    n, c, h, w = shape
    return (c * h * w, h * w, w, 1)

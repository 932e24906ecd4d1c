"""Random legal calls of the vendor's kernel-level functions, each with the `ppl` text that must give the same bytes.

A kind is a function of a `Draw`; it calls `draw.vendor(function, ...)` and `draw.ppl(text)` once each.
"""
import random
import struct

import numpy as np

from vendor_encoder import Variable

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


def saturate_follows(types):
    """Whether a saturated result has the sign that the machine saturates to; ours refuses the rest."""
    return any(source.startswith("s") for source in types[1:]) == types[0].startswith("s")


class Draw:
    """Random choices of one case, its vendor calls and its ppl lines."""

    def __init__(self, seed, prefix):
        self.random, self.prefix, self.count = random.Random(seed), prefix, 0
        self.calls, self.lines = [], []
        self.lane = self.random.choice((0, 0, self.random.randrange(LANES)))

    def vendor(self, function, *values):
        self.calls.append((function, values))

    def ppl(self, line):
        self.lines.append(line)

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
        address = DRAM + (1 << 20) * self.between(1, 200)
        tensor = Tensor(self._name(), shape, element, address, 0, "strided" if strides else "continuous", strides, "global")
        self.ppl(f"{tensor.name} = ppl.global at {address} : {tensor.type}")
        return tensor

    def scalar(self, element, value=None):
        """-> (name, ppl type, bits as an element)"""
        is_float = element in FLOATS
        if value is None:
            low = 0 if element.startswith("u") else -100
            value = self.between(-64, 64) / 4 if is_float else self.between(low, 100)
        name, spelt = self._name(), "f32" if is_float else "i32"
        self.ppl(f"{name} = arith.constant {value if not is_float else float(value)} : {spelt}")
        return name, spelt, element_bits(value, element)


def continuous(shape):
    n, c, h, w = shape
    return (c * h * w, h * w, w, 1)


# ---------------------------------------------------------------- element arithmetic


def two_operands(draw, op, vendor, element, reversed_vendor=None, suffix=(), by_constant_suffix=None):
    shape = draw.shape()
    dst, a = draw.maybe_strided(shape, element), draw.maybe_strided(shape, element)
    if draw.coin():
        b = draw.maybe_strided(shape, element)
        draw.vendor(vendor, dst.address, a.address, b.address, shape, dst.strides, a.strides, b.strides, dst.data_type, *suffix)
        draw.ppl(f"{op} {dst.name}, {a.name}, {b.name} : {dst.type}, {a.type}, {b.type}")
        return
    name, spelt, bits = draw.scalar(element)
    if reversed_vendor and draw.coin():
        draw.vendor(reversed_vendor, dst.address, a.address, bits, shape, dst.strides, a.strides, dst.data_type, *suffix)
        draw.ppl(f"{op} {dst.name}, {name}, {a.name} : {dst.type}, {spelt}, {a.type}")
    else:
        draw.vendor(vendor + "_C", dst.address, a.address, bits, shape, dst.strides, a.strides, dst.data_type, *suffix)
        draw.ppl(f"{op} {dst.name}, {a.name}, {name} : {dst.type}, {a.type}, {spelt}")


@kind(*[(op, element) for op in ("add", "sub", "mul", "abs_diff", "max", "min") for element in FLOATS])
def float_arith(draw, op, element):
    vendor = {"abs_diff": "tpu_bdc_fp_diff_abs", "max": "tpu_bdc_max", "min": "tpu_bdc_min"}.get(op, f"tpu_bdc_fp_{op}")
    two_operands(draw, f"ppl.tiu.float {op}", vendor, element, "tpu_bdc_fp_C_sub" if op == "sub" else None)


@kind()
def float_div(draw):
    shape, steps = draw.shape(), draw.between(1, 4)
    dst, a, b = (draw.maybe_strided(shape, "f32") for _ in range(3))
    draw.vendor("tpu_bdc_fp32_tunable_div", dst.address, a.address, b.address, shape, dst.strides, a.strides, b.strides, steps)
    draw.ppl(f"ppl.tiu.float div {dst.name}, {a.name}, {b.name} {{iterations = {steps} : i32}} : {dst.type}, {a.type}, {b.type}")


@kind()
def float_mac(draw):
    shape = draw.shape()
    dst, a, b = (draw.maybe_strided(shape, "f32") for _ in range(3))
    draw.vendor("tpu_bdc_fp32_mac", dst.address, a.address, b.address, shape, dst.strides, a.strides, b.strides)
    draw.ppl(f"ppl.tiu.float mac {dst.name}, {a.name}, {b.name} : {dst.type}, {a.type}, {b.type}")


@kind(*[(op, element) for op in ("max", "min", "and", "or", "xor") for element in INTEGERS])
def int_bits(draw, op, element):
    two_operands(draw, f"ppl.tiu.int {op}", f"tpu_bdc_{op}", element)


@kind(("add",), ("sub",), ("mul",))
def int_arith(draw, op):
    """Shift by a constant; operands of mixed types."""
    shape, shift, rounding, saturate = draw.shape(), draw.between(-20, 8), draw.between(0, 6), draw.coin()
    types = mixed_types(draw)
    if op == "sub":
        types[0] = draw.choice(("si8", "si16", "si32"))  # (vendor encoder)
        if not saturate_follows(types):
            saturate = False
    dst, a, b = (draw.maybe_strided(shape, element) for element in types)
    draw.vendor(f"tpu_bdc_int_{op}", dst.address, a.address, b.address, shape, dst.strides, a.strides, b.strides, dst.data_type,
                a.data_type, b.data_type, shift, rounding, saturate)
    name, spelt, _ = draw.scalar("si8", shift)
    draw.ppl(f"ppl.tiu.int {op} {dst.name}, {a.name}, {b.name} shift({name}) rounding {ROUNDINGS[rounding]}"
             + (" saturate" if saturate else "") + f" : {dst.type}, {a.type}, {b.type}, {spelt}")


@kind(("add",), ("sub",), ("mul",))
def int_arith_channel_shift(draw, op):
    shape, rounding, saturate = draw.shape(), draw.between(0, 6), draw.coin()
    types = mixed_types(draw)
    if op == "sub":
        types[0] = draw.choice(("si8", "si16", "si32"))
        if not saturate_follows(types):
            saturate = False
    dst, a, b = (draw.maybe_strided(shape, element) for element in types)
    shift = draw.local((1, shape[1], 1, 1), "si8", "compact")
    draw.vendor(f"tpu_bdc_int_pcs_{op}", dst.address, a.address, b.address, shift.address, shape, dst.strides, a.strides, b.strides,
                dst.data_type, a.data_type, b.data_type, rounding, saturate)
    draw.ppl(f"ppl.tiu.int {op} {dst.name}, {a.name}, {b.name} shift({shift.name}) rounding {ROUNDINGS[rounding]}"
             + (" saturate" if saturate else "") + f" : {dst.type}, {a.type}, {b.type}, {shift.type}")


@kind(("arithmetic", "shift_arith"), ("logical", "shift_logical"))
def shift_constant(draw, vendor, op):
    shape, amount, rounding = draw.shape(), draw.between(-20, 20), draw.between(0, 6)
    element = draw.choice([e for e in INTEGERS if op != "shift_logical" or e.startswith("u")])  # (vendor encoder)
    dst, a = draw.maybe_strided(shape, element), draw.maybe_strided(shape, element)
    draw.vendor(f"tpu_bdc_{vendor}_shift_C", dst.address, a.address, amount, shape, dst.strides, a.strides, dst.data_type, a.data_type, rounding)
    name, spelt, _ = draw.scalar("si8", amount)
    draw.ppl(f"ppl.tiu.int {op} {dst.name}, {a.name}, {name} rounding {ROUNDINGS[rounding]} : {dst.type}, {a.type}, {spelt}")


@kind(*[(op, element) for op in ("copy", "abs") for element in FLOATS + ("si8", "si16", "si32")], *[("not", element) for element in INTEGERS])
def unary(draw, op, element):
    shape = draw.shape()
    dst, a = draw.maybe_strided(shape, element), draw.maybe_strided(shape, element)
    draw.vendor({"copy": "tpu_bdc_cpy"}.get(op, f"tpu_bdc_{op}"), dst.address, a.address, shape, dst.strides, a.strides, dst.data_type)
    draw.ppl(f"ppl.tiu.unary {op} {dst.name}, {a.name} : {dst.type}, {a.type}")


@kind(*[(element,) for element in FLOATS + INTEGERS])
def fill(draw, element):
    shape = draw.shape()
    dst = draw.maybe_strided(shape, element)
    name, spelt, bits = draw.scalar(element)
    draw.vendor("tpu_bdc_set_C", dst.address, bits, shape, dst.strides, dst.data_type)
    draw.ppl(f"ppl.tiu.unary copy {dst.name}, {name} : {dst.type}, {spelt}")


@kind()
def cast(draw):
    shape, rounding = draw.shape(), draw.between(0, 4)
    to, of = draw.choice([(to, of) for to in FLOATS + INTEGERS for of in FLOATS + INTEGERS
                          if to != of and {to, of} != {"f16", "bf16"}])
    dst, a = draw.maybe_strided(shape, to), draw.maybe_strided(shape, of)
    draw.vendor("tpu_bdc_cast", dst.address, a.address, shape, dst.strides, a.strides, dst.data_type, a.data_type, rounding)
    draw.ppl(f"ppl.tiu.cast {dst.name}, {a.name} rounding {ROUNDINGS[rounding]} : {dst.type}, {a.type}")


@kind()
def round_to_integral(draw):
    shape, rounding = draw.shape(), draw.between(0, 4)
    dst, a = draw.maybe_strided(shape, "f32"), draw.maybe_strided(shape, "f32")
    draw.vendor("tpu_bdc_fp_round", dst.address, a.address, shape, dst.strides, a.strides, dst.data_type, rounding)
    draw.ppl(f"ppl.tiu.cast {dst.name}, {a.name} rounding {ROUNDINGS[rounding]} : {dst.type}, {a.type}")


@kind(*[(relation, element) for relation in ("gt", "eq", "lt") for element in FLOATS + INTEGERS])
def compare(draw, relation, element):
    vendor = {"gt": "tpu_bdc_greater", "eq": "tpu_bdc_equal", "lt": "tpu_bdc_less"}[relation]
    shape = draw.shape()
    narrower = [e for e in FLOATS + INTEGERS if size_of(e) <= size_of(element) and (e in FLOATS) == (element in FLOATS)]
    to = element if element in FLOATS else draw.choice(narrower)
    dst, a = draw.maybe_strided(shape, to), draw.maybe_strided(shape, element)
    value, value_type, value_bits = draw.scalar(to, 1)
    if draw.coin():
        b = draw.maybe_strided(shape, element)
        draw.vendor(vendor, dst.address, a.address, b.address, value_bits, shape, dst.strides, a.strides, b.strides, dst.data_type, a.data_type)
        draw.ppl(f"ppl.tiu.compare {relation} {dst.name}, {a.name}, {b.name}, {value} : {dst.type}, {a.type}, {b.type}, {value_type}")
    else:
        name, spelt, bits = draw.scalar(element)
        draw.vendor(vendor + "_C", dst.address, a.address, bits, value_bits, shape, dst.strides, a.strides, dst.data_type, a.data_type)
        draw.ppl(f"ppl.tiu.compare {relation} {dst.name}, {a.name}, {name}, {value} : {dst.type}, {a.type}, {spelt}, {value_type}")


@kind(*[(relation, element) for relation in ("gt", "eq", "lt") for element in FLOATS + INTEGERS])
def select(draw, relation, element):
    vendor = {"gt": "tpu_bdc_greater_select", "eq": "tpu_bdc_equal_select", "lt": "tpu_bdc_less_select"}[relation]
    shape = draw.shape()
    # The encoder refuses sizes that differ (but for 8-bit comparisons).
    to = draw.choice([e for e in FLOATS + INTEGERS if size_of(e) == size_of(element) or size_of(element) == 1])
    dst, variables, names, types = draw.local(shape, to), [], [], []
    for index, each in enumerate((element, element, to, to)):
        if index != 0 and draw.coin():
            name, spelt, bits = draw.scalar(each)
            variables.append(Variable(1, bits))
        else:
            tensor = draw.local(shape, each)
            name, spelt = tensor.name, tensor.type
            variables.append(Variable(0, tensor.address))
        names.append(name)
        types.append(spelt)
    draw.vendor(vendor, dst.address, *variables, shape, DATA_TYPE[element], dst.data_type)
    draw.ppl(f"ppl.tiu.select {relation} {dst.name}, {', '.join(names)} : {dst.type}, {', '.join(types)}")


@kind(*[(op, element) for op in ("mac", "scale_constant", "sum", "diff") for element in FLOATS])
def linear(draw, op, element):
    shape = draw.shape()
    dst, a = draw.local(shape, element), draw.local(shape, element)
    column = (1, shape[1], 1, 1)
    if op == "mac":
        k, b = draw.local(column, element, "compact"), draw.local(column, element, "compact")
        draw.vendor("tpu_bdc_fp_scale_bias", dst.address, a.address, k.address, b.address, shape, dst.data_type)
        draw.ppl(f"ppl.tiu.linear mac {dst.name}, {a.name}, {k.name}, {b.name} : {dst.type}, {a.type}, {k.type}, {b.type}")
    elif op == "scale_constant":
        (k, spelt, k_bits), (b, _, b_bits) = draw.scalar(element), draw.scalar(element)
        draw.vendor("tpu_bdc_fp_scale_bias_C", dst.address, a.address, k_bits, b_bits, shape, dst.data_type)
        draw.ppl(f"ppl.tiu.linear mac {dst.name}, {a.name}, {k}, {b} : {dst.type}, {a.type}, {spelt}, {spelt}")
    else:
        vendor, name = {"sum": ("add", "square_sum"), "diff": ("sub", "square_diff")}[op]
        if draw.coin():
            k = draw.local(column, element, "compact")
            draw.vendor(f"tpu_bdc_fp_{vendor}_bias_sqr", dst.address, a.address, k.address, shape, dst.data_type)
            draw.ppl(f"ppl.tiu.linear {name} {dst.name}, {a.name}, {k.name} : {dst.type}, {a.type}, {k.type}")
        else:
            k, spelt, bits = draw.scalar(element)
            draw.vendor(f"tpu_bdc_fp_{vendor}_C_sqr", dst.address, a.address, bits, shape, dst.data_type)
            draw.ppl(f"ppl.tiu.linear {name} {dst.name}, {a.name}, {k} : {dst.type}, {a.type}, {spelt}")


# ---------------------------------------------------------------- quantization


@kind(("tensor",), ("channel",))
def requantize_integer(draw, granularity):
    shape, rounding = draw.shape(), draw.between(0, 6)
    dst, a = draw.local(shape, draw.choice(("ui8", "si8", "si16"))), draw.local(shape, draw.choice(("si32", "si16")))
    if granularity == "channel":
        p = draw.local((1, shape[1], 1, 3), "si32")
        draw.vendor("tpu_bdc_int_pc_requant", dst.address, a.address, p.address, shape, dst.data_type, a.data_type, rounding)
        draw.ppl(f"ppl.tiu.rq1 {dst.name}, {a.name} params({p.name}) rounding {ROUNDINGS[rounding]} : {dst.type}, {a.type}, {p.type}")
    else:
        multiplier, shift, zero = draw.between(1, 1 << 30), draw.between(-40, 10), draw.between(-100, 100)
        draw.vendor("tpu_bdc_int_requant", dst.address, a.address, shape, multiplier, shift, zero & 0xFFFF, dst.data_type, a.data_type, rounding)
        draw.ppl(f"ppl.tiu.rq1 {dst.name}, {a.name} rounding {ROUNDINGS[rounding]} "
                 f"{{multiplier = {multiplier} : i32, shift = {shift} : si32, zero_point = {zero} : si32}} : {dst.type}, {a.type}")


@kind(("tensor",), ("channel",))
def dequantize_integer(draw, granularity):
    shape, rounding = draw.shape(), draw.between(0, 6)
    dst, a = draw.local(shape, "si16"), draw.local(shape, draw.choice(("ui8", "si8")))
    if granularity == "channel":
        p = draw.local((1, shape[1], 1, 3), "si32")
        draw.vendor("tpu_bdc_int_pc_dequant", dst.address, a.address, p.address, shape, dst.data_type, a.data_type, rounding)
        draw.ppl(f"ppl.tiu.dq1 {dst.name}, {a.name} params({p.name}) rounding {ROUNDINGS[rounding]} : {dst.type}, {a.type}, {p.type}")
    else:
        multiplier, shift, zero = draw.between(1, 1 << 20), draw.between(-20, 4), draw.between(0, 100)
        draw.vendor("tpu_bdc_int_dequant", dst.address, a.address, shape, zero, multiplier, shift, dst.data_type, a.data_type, rounding)
        draw.ppl(f"ppl.tiu.dq1 {dst.name}, {a.name} rounding {ROUNDINGS[rounding]} "
                 f"{{multiplier = {multiplier} : i32, shift = {shift} : si32, zero_point = {zero} : si32}} : {dst.type}, {a.type}")


@kind(("tensor",), ("channel",))
def requantize_float(draw, granularity):
    shape = draw.shape()
    dst, a = draw.local(shape, draw.choice(("ui8", "si8", "si16"))), draw.local(shape, draw.choice(("si32", "si16")))
    half_to_even = ROUNDINGS.index("half_to_even")
    if granularity == "channel":
        p = draw.local((1, shape[1], 1, 2), "f32")
        draw.vendor("tpu_bdc_fp32_pc_requant", dst.address, a.address, p.address, shape, dst.data_type, a.data_type, half_to_even, half_to_even)
        draw.ppl(f"ppl.tiu.rq0 {dst.name}, {a.name} params({p.name}) : {dst.type}, {a.type}, {p.type}")
    else:
        scale, offset = draw.between(1, 255) / 256, float(draw.between(-50, 50))
        draw.vendor("tpu_bdc_fp32_requant", dst.address, a.address, shape, scale, offset, dst.data_type, a.data_type, half_to_even, half_to_even)
        draw.ppl(f"ppl.tiu.rq0 {dst.name}, {a.name} {{scale = {scale} : f32, offset = {offset} : f32}} : {dst.type}, {a.type}")


@kind(("tensor",), ("channel",))
def dequantize_float(draw, granularity):
    shape = draw.shape()
    dst, a = draw.local(shape, "f32"), draw.local(shape, draw.choice(("ui8", "si8", "si16")))
    half_to_even = ROUNDINGS.index("half_to_even")
    if granularity == "channel":
        p = draw.local((1, shape[1], 1, 2), "f32")
        draw.vendor("tpu_bdc_fp32_pc_dequant", dst.address, a.address, p.address, shape, a.data_type, half_to_even)
        draw.ppl(f"ppl.tiu.dq0 {dst.name}, {a.name} params({p.name}) : {dst.type}, {a.type}, {p.type}")
    else:
        scale, zero = draw.between(1, 255) / 256, draw.between(-100, 100)
        draw.vendor("tpu_bdc_fp32_dequant", dst.address, a.address, shape, zero, scale, a.data_type, half_to_even)
        draw.ppl(f"ppl.tiu.dq0 {dst.name}, {a.name} {{scale = {scale} : f32, zero_point = {zero} : si32}} : {dst.type}, {a.type}")


# ---------------------------------------------------------------- windows


class Window:
    def __init__(self, draw, kernel_high=4, dilates=True):
        self.kernel = (draw.between(1, kernel_high), draw.between(1, kernel_high))
        self.dilation = (draw.between(1, 3), draw.between(1, 3)) if dilates and draw.coin() else (1, 1)
        self.stride = (draw.between(1, 3), draw.between(1, 3))
        reach = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation)]
        self.pads = tuple(draw.between(0, reach[i // 2] - 1) for i in range(4))
        self.input = tuple(reach[i] + draw.between(0, 9) for i in range(2))
        self.output = tuple((self.input[i] + self.pads[2 * i] + self.pads[2 * i + 1] - reach[i]) // self.stride[i] + 1 for i in range(2))

    def text(self):
        return (f"kernel {list(self.kernel)} strides {list(self.stride)} pads {list(self.pads)} dilations {list(self.dilation)}")

    def arguments(self):
        return self.kernel, self.pads, self.stride, self.dilation


def filter_shape(outputs, inputs, kernel, element):
    pack = PACK[size_of(element)]
    return (1, outputs, -(-inputs // pack) * kernel[0] * kernel[1], pack)


@kind(*[(element, to) for element in FLOATS for to in sorted({element, "f32"})])
def float_convolution(draw, element, to):
    window, images, inputs, outputs = Window(draw, 3), draw.between(1, 2), draw.between(1, 40), draw.between(1, 70)
    lane = draw.lane if element == "f32" else 0
    dst = draw.local((images, outputs, *window.output), to)
    a = draw.local((images, inputs, *window.input), element, lane=lane)
    w = draw.local(filter_shape(outputs, inputs, window.kernel, element), element, "compact")
    bias = draw.local((1, outputs, 1, 1), "f32", "compact") if draw.coin() else None
    accumulate = draw.coin()
    draw.vendor("tpu_bdc_fp_conv2d", dst.address, a.address, w.address, bias.address if bias else 0, a.shape, None, outputs,
                *window.arguments(), dst.data_type, a.data_type, bias is not None, accumulate)
    draw.ppl(f"ppl.tiu.fconv {dst.name}, {a.name}, {w.name}" + (f" bias({bias.name})" if bias else "") + f" {window.text()}"
             + (" accumulate" if accumulate else "") + f" : {dst.type}, {a.type}, {w.type}" + (f", {bias.type}" if bias else ""))


def integer_operands(draw):
    """Window, sizes, input and packed filter of an int8 convolution; one operand at least is signed, as a signed result needs."""
    window, images, inputs, outputs = Window(draw, 3), draw.between(1, 2), draw.between(1, 80), draw.between(1, 70)
    element, weight = draw.choice((("ui8", "si8"), ("si8", "ui8"), ("si8", "si8")))
    a = draw.local((images, inputs, *window.input), element, lane=0)
    w = draw.local(filter_shape(outputs, inputs, window.kernel, weight), weight, "compact")
    return window, images, outputs, a, w


@kind()
def integer_convolution(draw):
    window, images, outputs, a, w = integer_operands(draw)
    dst = draw.local((images, outputs, *window.output), draw.choice(("si32", "si16")))
    pad, accumulate = draw.between(0, 100), draw.coin() and dst.element == "si32"
    name, spelt, bits = draw.scalar(w.element)
    draw.vendor("tpu_bdc_int8_asym_quant_conv2d", dst.address, a.address, w.address, bits, pad, a.shape, None, outputs, *window.arguments(),
                dst.data_type, a.data_type, w.data_type, w.data_type, accumulate)
    draw.ppl(f"ppl.tiu.conv {dst.name}, {a.name}, {w.name} kernel_zero_point({name}) {window.text()} pad_value {pad}"
             + (" accumulate" if accumulate else "") + f" : {dst.type}, {a.type}, {w.type}, {spelt}")


@kind()
def integer_convolution_shifted(draw):
    window, images, outputs, a, w = integer_operands(draw)
    relu = draw.coin()
    dst = draw.local((images, outputs, *window.output), "ui8" if relu else "si8")
    bias = draw.local((1, outputs, 1, 1), "si16", "compact") if draw.coin() else None
    shift = draw.between(0, 20)
    draw.vendor("tpu_bdc_int8_sym_quant_conv2d", dst.address, a.address, w.address, bias.address if bias else 0, a.shape, None, outputs,
                *window.arguments(), dst.data_type, a.data_type, w.data_type, DATA_TYPE["si16"], shift, bias is not None, relu)
    draw.ppl(f"ppl.tiu.conv_rq {dst.name}, {a.name}, {w.name}" + (f" bias({bias.name})" if bias else "") + f" {window.text()} rshift {shift}"
             + (" relu" if relu else "") + f" : {dst.type}, {a.type}, {w.type}" + (f", {bias.type}" if bias else ""))


@kind(*[(element,) for element in FLOATS])
def float_depthwise(draw, element):
    window, shape = Window(draw), draw.shape()
    images, channels = shape[:2]
    dst, a = draw.local((images, channels, *window.output), element), draw.local((images, channels, *window.input), element)
    w = draw.local((1, channels, *window.kernel), element, "compact")
    bias = draw.local((1, channels, 1, 1), element, "compact") if draw.coin() else None
    draw.vendor("tpu_bdc_fp_depthwise2d", dst.address, a.address, w.address, bias.address if bias else 0, a.shape, *window.arguments(),
                a.data_type, bias is not None)
    draw.ppl(f"ppl.tiu.depthwise {dst.name}, {a.name}, {w.name}" + (f" bias({bias.name})" if bias else "")
             + f" {window.text()} : {dst.type}, {a.type}, {w.type}" + (f", {bias.type}" if bias else ""))


@kind()
def integer_depthwise(draw):
    window, shape = Window(draw), draw.shape()
    images, channels = shape[:2]
    relu = draw.coin()
    element, weight = draw.choice((("ui8", "si8"), ("si8", "ui8"), ("si8", "si8")))  # a signed result needs a signed operand
    dst = draw.local((images, channels, *window.output), draw.choice(("ui8",) if relu else ("si8", "si16", "si32")))
    a, w = draw.local((images, channels, *window.input), element), draw.local((1, channels, *window.kernel), weight, "compact")
    bias = draw.local((1, channels, 1, 1), "si32", "compact") if draw.coin() else None
    pad, shift, rounding = draw.between(0, 100), draw.between(0, 20), draw.between(0, 6)
    draw.vendor("tpu_bdc_int8_depthwise2d", dst.address, a.address, w.address, bias.address if bias else 0, pad, a.shape, *window.arguments(),
                dst.data_type, a.data_type, w.data_type, DATA_TYPE["si32"], shift, bias is not None, relu, rounding)
    draw.ppl(f"ppl.tiu.depthwise {dst.name}, {a.name}, {w.name}" + (f" bias({bias.name})" if bias else "")
             + f" {window.text()} rshift {shift} rounding {ROUNDINGS[rounding]} pad_value {pad}" + (" relu" if relu else "")
             + f" : {dst.type}, {a.type}, {w.type}" + (f", {bias.type}" if bias else ""))


LOWEST = {"f32": 0xFF800000, "f16": 0xFC00, "bf16": 0xFF80, "si8": 0x80, "ui8": 0}  # the pad value is an argument of the vendor's function


@kind(*[(op, element) for op in ("max", "avg") for element in FLOATS + ("si8", "ui8")])
def pool(draw, op, element):
    window, shape = Window(draw, dilates=False), draw.shape()
    images, channels = shape[:2]
    dst, a = draw.local((images, channels, *window.output), element), draw.local((images, channels, *window.input), element)
    prefix = "fp" if element in FLOATS else "int8"
    if op == "max":
        draw.vendor(f"tpu_bdc_{prefix}_max_pool2d", dst.address, a.address, a.shape, *window.arguments(), a.data_type, LOWEST[element])
        rest = ""
    elif element in FLOATS:
        scale = draw.between(1, 64) / 64
        draw.vendor("tpu_bdc_fp_avg_pool2d", dst.address, a.address, a.shape, *window.arguments(), a.data_type, element_bits(scale, element))
        rest = f" scale {scale:e}"
    else:
        multiplier, shift = draw.between(2, 255), draw.between(1, 16)
        draw.vendor("tpu_bdc_int8_avg_pool2d", dst.address, a.address, a.shape, *window.arguments(), dst.data_type, a.data_type, multiplier, shift)
        rest = f" multiplier {multiplier} rshift {shift}"
    draw.ppl(f"ppl.tiu.pool {op} {dst.name}, {a.name} {window.text()}{rest} : {dst.type}, {a.type}")


# ---------------------------------------------------------------- matrices


def matrix(draw, rows, columns, per_channel, element):
    return draw.local((rows, -(-columns // per_channel), 1, per_channel), element, lane=0)


@kind(("f32", ""), ("f32", "_L_trans"))
def matrix_product(draw, element, form):
    draw.lane = 0
    rows, inner, columns = draw.between(1, 12), draw.between(1, 40), draw.between(1, 60)
    left_w, right_w = draw.between(1, 16), draw.between(1, 16)
    columns = -(-columns // right_w) * right_w  # ours cannot say "last channel partly filled" on the right
    dst, b = matrix(draw, rows, columns, right_w, element), matrix(draw, inner, columns, right_w, element)
    a = matrix(draw, inner, rows, left_w, element) if form else matrix(draw, rows, inner, left_w, element)
    bias = matrix(draw, 1, columns, right_w, element) if draw.coin() else None
    accumulate = draw.coin()
    stored = (inner, rows) if form else (rows, inner)
    draw.vendor(f"tpu_bdc_fp32_mm{form}", dst.address, a.address, b.address, bias.address if bias else 0, *stored, columns, left_w, right_w,
                bias is not None, accumulate)
    draw.ppl(f"ppl.tiu.mm {dst.name}, {a.name}, {b.name} inner {inner}" + (f" bias({bias.name})" if bias else "") + (" transpose_lhs" if form else "")
             + (" accumulate" if accumulate else "") + f" : {dst.type}, {a.type}, {b.type}" + (f", {bias.type}" if bias else ""))


@kind(*[(form, element) for form in ("nn", "nt", "tt") for element in ("f16", "bf16")])
def matrix_product_by_row(draw, form, element):
    draw.lane = 0
    rows, inner, columns = draw.between(1, 70), draw.between(1, 60), draw.between(1, 70)
    dst = draw.local((1, rows, 1, columns), draw.choice((element, "f32")))
    accumulate = form != "nt" and draw.coin()
    flag = " accumulate" if accumulate else ""
    if form == "nn":
        a, b = draw.local((1, rows, 1, inner), element), draw.local((1, inner, 1, columns), element)
        draw.vendor("tpu_bdc_fp_mm", dst.address, a.address, b.address, rows, inner, columns, dst.data_type, a.data_type, accumulate)
    elif form == "nt":
        a, b = draw.local((1, rows, 1, inner), element), draw.local((1, columns, 1, inner), element)
        draw.vendor("tpu_bdc_fp_mm_R_trans", dst.address, a.address, b.address, rows, inner, columns, dst.data_type, a.data_type)
    else:
        # The vendor's left is stored K x N', its right M' x K: the result of all_trans is (left^T right^T) transposed.
        a, b = draw.local((1, inner, 1, columns), element), draw.local((1, rows, 1, inner), element)
        draw.vendor("tpu_bdc_fp_mm_all_trans", dst.address, a.address, b.address, inner, columns, rows, dst.data_type, a.data_type, accumulate)
    draw.ppl(f"ppl.tiu.mm2 {form} {dst.name}, {a.name}, {b.name}{flag} : {dst.type}, {a.type}, {b.type}")


@kind(("nn",), ("nt",))
def integer_matrix_product_by_row(draw, form):
    draw.lane = 0
    rows, inner, columns = draw.between(1, 70), draw.between(1, 60), draw.between(1, 70)
    left, right = draw.choice(("ui8", "si8")), draw.choice(("ui8", "si8"))
    dst, a = draw.local((1, rows, 1, columns), "si32"), draw.local((1, rows, 1, inner), left)
    name, spelt, bits = draw.scalar(right)
    if form == "nn":
        b, accumulate = draw.local((1, inner, 1, columns), right), draw.coin()
        draw.vendor("tpu_bdc_int8_zp_mm", dst.address, a.address, b.address, bits, rows, inner, columns, a.data_type, b.data_type, accumulate)
    else:
        b, accumulate = draw.local((1, columns, 1, inner), right), False
        draw.vendor("tpu_bdc_int8_zp_mm_R_trans", dst.address, a.address, b.address, bits, rows, inner, columns, a.data_type, b.data_type)
    draw.ppl(f"ppl.tiu.mm2 {form} {dst.name}, {a.name}, {b.name} zero_point({name})" + (" accumulate" if accumulate else "")
             + f" : {dst.type}, {a.type}, {b.type}, {spelt}")


# ---------------------------------------------------------------- special functions and moves inside local memory


@kind(*[(element,) for element in FLOATS])
def taylor(draw, element):
    draw.lane = 0
    shape, count = draw.shape(), draw.between(2, 16)
    dst, a, c = draw.local(shape, element), draw.local(shape, element), draw.local((1, LANES, 1, count), element, "compact")
    draw.vendor("tpu_bdc_fp_taylor", dst.address, a.address, c.address, shape, count, a.data_type)
    draw.ppl(f"ppl.tiu.taylor {dst.name}, {a.name}, {c.name} count {count} : {dst.type}, {a.type}, {c.type}")


@kind(*[(element,) for element in ("f32", "f16")])
def exponent_part(draw, element):
    shape = draw.shape()
    to = draw.choice((element, {"f32": "si32", "f16": "si16"}[element]))
    dst, a = draw.local(shape, to), draw.local(shape, element)
    draw.vendor("tpu_bdc_fp_exponent_part", dst.address, a.address, shape, dst.data_type, a.data_type)
    draw.ppl(f"ppl.tiu.norm {dst.name}, {a.name} : {dst.type}, {a.type}")


@kind()
def table_lookup(draw):
    draw.lane = 0
    shape, length = draw.shape(), draw.between(2, 256)
    to, index = draw.choice(("ui8", "si8", "si16", "f16", "f32", "si32")), draw.choice(("ui8", "ui16"))
    dst, a, table = draw.local(shape, to), draw.local(shape, index), draw.local((1, LANES, 1, length), to)
    draw.vendor("tpu_bdc_table_lookup", dst.address, a.address, table.address, shape, length, dst.data_type, a.data_type)
    draw.ppl(f"ppl.tiu.lookup {dst.name}, {a.name}, {table.name} : {dst.type}, {a.type}, {table.type}")


@kind(("cw",), ("wc",))
def transpose(draw, form):
    draw.lane = 0
    n, c, h, w = draw.shape(30)
    element = draw.choice(("ui8", "f16", "f32"))
    dst, a = draw.local((n, c, h, w), element, "line_aligned" if form == "cw" else "aligned"), draw.local((n, w, h, c), element)
    draw.vendor(f"tpu_bdc_{form}_trans", dst.address, a.address, (n, c, h, w), a.data_type)
    draw.ppl(f"ppl.tiu.transpose {form} {dst.name}, {a.name} : {dst.type}, {a.type}")


@kind()
def lane_broadcast(draw):
    n, c, h, w = draw.shape(LANES)
    element = draw.choice(("ui8", "f16", "f32"))
    draw.lane = draw.between(0, LANES - c)
    dst, a = draw.local((n, c, h, w), element), draw.local((n, 1, h, w), element, lane=draw.between(0, LANES - 1))
    draw.vendor("tpu_bdc_npu_bcast", dst.address, a.address, (n, c, h, w), a.data_type)
    draw.ppl(f"ppl.tiu.lane_broadcast {dst.name}, {a.name} : {dst.type}, {a.type}")


@kind()
def lane_copy(draw):
    shape, element = draw.shape(), draw.choice(("ui8", "f16", "f32"))
    dst, a = draw.local(shape, element, lane=draw.between(0, 63)), draw.local(shape, element, lane=draw.between(0, 63))
    draw.vendor("tpu_bdc_cpy_cross_npu", dst.address, a.address, shape, a.data_type)
    draw.ppl(f"ppl.tiu.lane_copy {dst.name}, {a.name} : {dst.type}, {a.type}")


# ---------------------------------------------------------------- GDMA


def aligned(shape, element, lane=0):
    n, c, h, w = shape
    row = EU_BYTES // size_of(element)
    plane = -(-h * w // row) * row
    return (-(-(lane + c) // LANES) * plane, plane, w, 1)


def local_strides(tensor, lane):
    """Written out: the vendor's GDMA defaults do not count the lanes before the first channel, those of the TIU (and ours) do."""
    return tensor.strides or aligned(tensor.shape, tensor.element, lane)


def global_strides(draw, shape):
    if draw.coin():
        return None
    n, c, h, w = shape
    row = w + draw.between(0, 9)
    plane = h * row + draw.between(0, 9)
    return (c * plane + draw.between(0, 9), plane, row, 1)


@kind(*[(op, element) for op in ("load", "store") for element in ("ui8", "f16", "f32", "bf16", "si32")])
def dma_copy(draw, op, element):
    shape = draw.shape()
    g, l = draw.at_global(shape, element, global_strides(draw, shape)), draw.maybe_strided(shape, element)
    if op == "load":
        draw.vendor("tpu_gdma_cpy_S2L", l.address, g.address, shape, local_strides(l, draw.lane), g.strides, l.data_type)
        draw.ppl(f"ppl.dma.load {l.name}, {g.name} : {l.type}, {g.type}")
    else:
        draw.vendor("tpu_gdma_cpy_L2S", g.address, l.address, shape, g.strides, local_strides(l, draw.lane), l.data_type)
        draw.ppl(f"ppl.dma.store {g.name}, {l.name} : {g.type}, {l.type}")


def explicit(dst, src, axes):
    """Strides for `nc`, where ours writes them out; `cw` takes default layouts only."""
    return (dst, src) if axes == "nc" else (None, None)


@kind(("nc", "load"), ("nc", "store"), ("cw", "load"), ("cw", "store"))
def dma_transpose(draw, axes, op):
    n, c, h, w = (draw.between(1, 20) for _ in range(4))
    draw.lane = 0
    element = draw.choice(("ui8", "f16", "f32"))
    source = (n, c, h, w)
    result = (c, n, h, w) if axes == "nc" else (n, w, h, c)
    if op == "load":
        g, l = draw.at_global(source, element), draw.local(result, element)
        draw.vendor(f"tpu_gdma_cpy_{axes}_trans_S2L", l.address, g.address, result, *explicit(aligned(result, element), continuous(source), axes), l.data_type)
        draw.ppl(f"ppl.dma.load {l.name}, {g.name} transpose {axes} : {l.type}, {g.type}")
    else:
        g, l = draw.at_global(result, element), draw.local(source, element)
        draw.vendor(f"tpu_gdma_cpy_{axes}_trans_L2S", g.address, l.address, result, *explicit(continuous(result), aligned(source, element), axes), l.data_type)
        draw.ppl(f"ppl.dma.store {g.name}, {l.name} transpose {axes} : {g.type}, {l.type}")


@kind(("local",), ("global",))
def dma_move(draw, space):
    shape, element = draw.shape(), draw.choice(("ui8", "f16", "f32"))
    if space == "local":
        lane = draw.between(0, LANES - 1)
        dst, a = draw.local(shape, element, lane=lane), draw.local(shape, element)
        draw.vendor("tpu_gdma_cpy_L2L", dst.address, a.address, shape, local_strides(dst, lane), local_strides(a, draw.lane), dst.data_type)
    else:
        dst, a = draw.at_global(shape, element, global_strides(draw, shape)), draw.at_global(shape, element, global_strides(draw, shape))
        draw.vendor("tpu_gdma_cpy_S2S", dst.address, a.address, shape, dst.strides, a.strides, dst.data_type)
    draw.ppl(f"ppl.dma.move {dst.name}, {a.name} : {dst.type}, {a.type}")


@kind(("local",), ("global",))
def dma_fill(draw, space):
    shape, element = draw.shape(), draw.choice(FLOATS + INTEGERS)
    dst = draw.maybe_strided(shape, element) if space == "local" else draw.at_global(shape, element, global_strides(draw, shape))
    name, spelt, bits = draw.scalar(element)
    if space == "local":
        draw.vendor("tpu_gdma_set_C_local", dst.address, bits, shape, local_strides(dst, draw.lane), dst.data_type)
    else:
        draw.vendor("tpu_gdma_set_C_system", dst.address, bits, shape, dst.strides, dst.data_type)
    draw.ppl(f"ppl.dma.fill {dst.name}, {name} : {dst.type}, {spelt}")


@kind()
def dma_broadcast(draw):
    n, c, h, w = draw.shape(LANES)
    element = draw.choice(("ui8", "f16", "f32"))
    draw.lane = draw.between(0, LANES - c)
    dst, g = draw.local((n, c, h, w), element), draw.at_global((n, 1, h, w), element)
    draw.vendor("tpu_gdma_channel_bcast_S2L", dst.address, g.address, (n, c, h, w), None, None, dst.data_type)
    draw.ppl(f"ppl.dma.broadcast {dst.name}, {g.name} : {dst.type}, {g.type}")

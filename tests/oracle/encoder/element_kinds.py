"""Element arithmetic and quantization (see draw.py)."""
from vendor_encoder import Variable

from draw import DATA_TYPE, FLOATS, INTEGERS, ROUNDINGS, cast_rounds, kind, mixed_types, size_of

# ---------------------------------------------------------------- element arithmetic


def operand_pair(draw, shape, elements, commutes):
    """Two operands. The vendor puts a strided one first where they commute; functions keep the order of the call, which decides about
    zeros and NaN: a strided one is the first here too."""
    a = draw.maybe_strided(shape, elements[0])
    b = draw.local(shape, elements[1]) if commutes and a.strides is None else draw.maybe_strided(shape, elements[1])
    return a, b


def two_operands(draw, function, vendor, element, reversed_vendor=None):
    shape = draw.shape()
    dst = draw.maybe_strided(shape, element)
    if draw.coin():
        a, b = operand_pair(draw, shape, (element, element), commutes=not reversed_vendor)
        draw.vendor(vendor, dst.address, a.address, b.address, shape, dst.strides, a.strides, b.strides, dst.data_type)
        draw.call(function, dst=dst, src0=a, src1=b)
        return
    a, (number, bits) = draw.maybe_strided(shape, element), draw.scalar(element)
    is_reversed = reversed_vendor and draw.coin()
    draw.vendor(reversed_vendor if is_reversed else vendor + "_C", dst.address, a.address, bits, shape, dst.strides, a.strides, dst.data_type)
    sources = (number, a) if is_reversed else (a, number)
    draw.call(function, dst=dst, src0=sources[0], src1=sources[1])


@kind(*[(op, element) for op in ("add", "sub", "mul", "sub_abs", "max", "min") for element in FLOATS])
def float_arith(draw, op, element):
    vendor = {"sub_abs": "tpu_bdc_fp_diff_abs", "max": "tpu_bdc_max", "min": "tpu_bdc_min"}.get(op, f"tpu_bdc_fp_{op}")
    two_operands(draw, f"tiu.f{op}", vendor, element, "tpu_bdc_fp_C_sub" if op == "sub" else None)


@kind()
def float_div(draw):
    shape, steps = draw.shape(), draw.between(1, 4)
    dst, a, b = (draw.maybe_strided(shape, "f32") for _ in range(3))
    draw.vendor("tpu_bdc_fp32_tunable_div", dst.address, a.address, b.address, shape, dst.strides, a.strides, b.strides, steps)
    draw.call("tiu.fdiv", dst=dst, src0=a, src1=b, num_iter=steps)


@kind()
def float_mac(draw):
    shape = draw.shape()
    dst = draw.maybe_strided(shape, "f32")
    a, b = operand_pair(draw, shape, ("f32", "f32"), commutes=True)
    draw.vendor("tpu_bdc_fp32_mac", dst.address, a.address, b.address, shape, dst.strides, a.strides, b.strides)
    draw.call("tiu.fmac", dst=dst, src0=a, src1=b)


@kind(*[(op, element) for op in ("max", "min") for element in INTEGERS])
def int_extreme(draw, op, element):
    two_operands(draw, f"tiu.{op}", f"tpu_bdc_{op}", element)


@kind(*[(op, element) for op in ("and", "or", "xor") for element in INTEGERS])
def int_bits(draw, op, element):
    two_operands(draw, f"tiu.bitwise_{op}", f"tpu_bdc_{op}", element)


def shifted_operands(draw, op):
    """dst, src0 and src1 of mixed types; a difference is signed."""
    shape, types = draw.shape(), mixed_types(draw)
    if op == "sub":
        types[0] = draw.choice(("si8", "si16", "si32"))  # (vendor encoder)
    dst = draw.maybe_strided(shape, types[0])
    return shape, dst, *operand_pair(draw, shape, types[1:], commutes=op != "sub")


@kind(("add",), ("sub",), ("mul",))
def int_arith(draw, op):
    """Shift by a constant; operands of mixed types."""
    shift, rounding, saturate = draw.between(-20, 8), draw.between(0, 6), draw.coin()
    shape, dst, a, b = shifted_operands(draw, op)
    draw.vendor(f"tpu_bdc_int_{op}", dst.address, a.address, b.address, shape, dst.strides, a.strides, b.strides, dst.data_type,
                a.data_type, b.data_type, shift, rounding, saturate)
    draw.call(f"tiu.{op}", dst=dst, src0=a, src1=b, shift=shift, round_mode=rounding, saturation=saturate)


@kind(("add",), ("sub",), ("mul",))
def int_arith_channel_shift(draw, op):
    rounding, saturate = draw.between(0, 6), draw.coin()
    shape, dst, a, b = shifted_operands(draw, op)
    shift = draw.local((1, shape[1], 1, 1), "si8", "compact")
    draw.vendor(f"tpu_bdc_int_pcs_{op}", dst.address, a.address, b.address, shift.address, shape, dst.strides, a.strides, b.strides,
                dst.data_type, a.data_type, b.data_type, rounding, saturate)
    draw.call(f"tiu.{op}", dst=dst, src0=a, src1=b, shift=shift, round_mode=rounding, saturation=saturate)


@kind(("arithmetic", "shift"), ("logical", "logical_shift"))
def shift_constant(draw, vendor, function):
    shape, amount, rounding = draw.shape(), draw.between(-20, 20), draw.between(0, 6)
    element = draw.choice([e for e in INTEGERS if vendor != "logical" or e.startswith("u")])  # (vendor encoder)
    dst, a = draw.maybe_strided(shape, element), draw.maybe_strided(shape, element)
    draw.vendor(f"tpu_bdc_{vendor}_shift_C", dst.address, a.address, amount, shape, dst.strides, a.strides, dst.data_type, a.data_type, rounding)
    draw.call(f"tiu.{function}", dst=dst, src=a, shift=amount, round_mode=rounding)


UNARY = {"move": ("tpu_bdc_cpy", FLOATS + ("si8", "si16", "si32")), "fabs": ("tpu_bdc_abs", FLOATS),
         "abs": ("tpu_bdc_abs", ("si8", "si16", "si32")), "bitwise_not": ("tpu_bdc_not", INTEGERS)}


@kind(*[(function, element) for function, (_, elements) in UNARY.items() for element in elements])
def unary(draw, function, element):
    shape = draw.shape()
    dst, a = draw.maybe_strided(shape, element), draw.maybe_strided(shape, element)
    draw.vendor(UNARY[function][0], dst.address, a.address, shape, dst.strides, a.strides, dst.data_type)
    draw.call(f"tiu.{function}", dst=dst, src=a)


@kind(*[(element,) for element in FLOATS + INTEGERS])
def fill(draw, element):
    shape = draw.shape()
    dst = draw.maybe_strided(shape, element)
    number, bits = draw.scalar(element)
    draw.vendor("tpu_bdc_set_C", dst.address, bits, shape, dst.strides, dst.data_type)
    draw.call("tiu.fill", dst=dst, scalar=number)


@kind()
def cast(draw):
    shape = draw.shape()
    to, of = draw.choice([(to, of) for to in FLOATS + INTEGERS for of in FLOATS + INTEGERS
                          if to != of and {to, of} != {"f16", "bf16"}])
    rounding = draw.between(0, 4) if cast_rounds(to, of) else 0  # an exact conversion takes a mode that our command does not name
    dst, a = draw.maybe_strided(shape, to), draw.maybe_strided(shape, of)
    draw.vendor("tpu_bdc_cast", dst.address, a.address, shape, dst.strides, a.strides, dst.data_type, a.data_type, rounding)
    draw.call("tiu.cast", dst=dst, src=a, round_mode=rounding)


@kind()
def round_to_integral(draw):
    shape, rounding = draw.shape(), draw.between(0, 4)
    dst, a = draw.maybe_strided(shape, "f32"), draw.maybe_strided(shape, "f32")
    draw.vendor("tpu_bdc_fp_round", dst.address, a.address, shape, dst.strides, a.strides, dst.data_type, rounding)
    draw.call("tiu.round", dst=dst, src=a, round_mode=rounding)


@kind(*[(relation, element) for relation in ("gt", "eq", "lt") for element in FLOATS + INTEGERS])
def compare(draw, relation, element):
    vendor = {"gt": "tpu_bdc_greater", "eq": "tpu_bdc_equal", "lt": "tpu_bdc_less"}[relation]
    shape = draw.shape()
    narrower = [e for e in FLOATS + INTEGERS if size_of(e) <= size_of(element) and (e in FLOATS) == (element in FLOATS)]
    to = element if element in FLOATS else draw.choice(narrower)
    dst = draw.maybe_strided(shape, to)
    true, true_bits = draw.scalar(to, 1)
    if draw.coin():
        a, b = operand_pair(draw, shape, (element, element), commutes=relation == "eq")
        draw.vendor(vendor, dst.address, a.address, b.address, true_bits, shape, dst.strides, a.strides, b.strides, dst.data_type, a.data_type)
        draw.call(f"tiu.{relation}", dst=dst, src0=a, src1=b, true_val=true)
    else:
        a, (number, bits) = draw.maybe_strided(shape, element), draw.scalar(element)
        draw.vendor(vendor + "_C", dst.address, a.address, bits, true_bits, shape, dst.strides, a.strides, dst.data_type, a.data_type)
        draw.call(f"tiu.{relation}", dst=dst, src0=a, src1=number, true_val=true)


@kind(*[(relation, element) for relation in ("gt", "eq", "lt") for element in FLOATS + INTEGERS])
def select(draw, relation, element):
    vendor = {"gt": "tpu_bdc_greater_select", "eq": "tpu_bdc_equal_select", "lt": "tpu_bdc_less_select"}[relation]
    shape = draw.shape()
    # The encoder refuses sizes that differ (but for 8-bit comparisons); ours makes several commands then.
    to = draw.choice([e for e in FLOATS + INTEGERS if size_of(e) == size_of(element) or size_of(element) == 1])
    dst, variables, sources = draw.local(shape, to), [], {}
    for index, each in enumerate((element, element, to, to)):
        if index != 0 and draw.coin():
            sources[f"src{index}"], bits = draw.scalar(each)
            variables.append(Variable(1, bits))
        else:
            sources[f"src{index}"] = tensor = draw.local(shape, each)
            variables.append(Variable(0, tensor.address))
    draw.vendor(vendor, dst.address, *variables, shape, DATA_TYPE[element], dst.data_type)
    draw.call(f"tiu.{relation}_select", dst=dst, **sources)


@kind(*[(op, element) for op in ("scale", "scale_constant", "add", "sub") for element in FLOATS])
def linear(draw, op, element):
    shape = draw.shape()
    dst, a = draw.local(shape, element), draw.local(shape, element)
    column = (1, shape[1], 1, 1)
    if op == "scale":
        k, b = draw.local(column, element, "compact"), draw.local(column, element, "compact")
        draw.vendor("tpu_bdc_fp_scale_bias", dst.address, a.address, k.address, b.address, shape, dst.data_type)
        draw.call("tiu.fscale", dst=dst, src=a, scale=k, bias=b)
    elif op == "scale_constant":
        (k, k_bits), (b, b_bits) = draw.scalar(element), draw.scalar(element)
        draw.vendor("tpu_bdc_fp_scale_bias_C", dst.address, a.address, k_bits, b_bits, shape, dst.data_type)
        draw.call("tiu.fscale", dst=dst, src=a, scale=k, bias=b)
    elif draw.coin():
        k = draw.local(column, element, "compact")
        draw.vendor(f"tpu_bdc_fp_{op}_bias_sqr", dst.address, a.address, k.address, shape, dst.data_type)
        draw.call(f"tiu.f{op}_sqr", dst=dst, src=a, bias=k)
    else:
        k, bits = draw.scalar(element)
        draw.vendor(f"tpu_bdc_fp_{op}_C_sqr", dst.address, a.address, bits, shape, dst.data_type)
        draw.call(f"tiu.f{op}_sqr", dst=dst, src=a, bias=k)


# ---------------------------------------------------------------- quantization


@kind(("tensor",), ("channel",))
def requantize_integer(draw, granularity):
    shape, rounding = draw.shape(), draw.between(0, 6)
    dst, a = draw.local(shape, draw.choice(("ui8", "si8", "si16"))), draw.local(shape, draw.choice(("si32", "si16")))
    if granularity == "channel":
        p = draw.local((1, shape[1], 1, 3), "si32")
        draw.vendor("tpu_bdc_int_pc_requant", dst.address, a.address, p.address, shape, dst.data_type, a.data_type, rounding)
        draw.call("tiu.rq1", dst=dst, src=a, quant=p, round_mode=rounding)
    else:
        # An offset has the sign of the result.
        multiplier, shift, zero = draw.between(1, 1 << 30), draw.between(-40, 10), draw.between(0 if dst.element == "ui8" else -100, 100)
        draw.vendor("tpu_bdc_int_requant", dst.address, a.address, shape, multiplier, shift, zero & 0xFFFF, dst.data_type, a.data_type, rounding)
        draw.call("tiu.rq1", dst=dst, src=a, multiplier=multiplier, shift=shift, offset=zero, round_mode=rounding)


@kind(("tensor",), ("channel",))
def dequantize_integer(draw, granularity):
    shape, rounding = draw.shape(), draw.between(0, 4)  # the modes that the manual has for dq1
    dst, a = draw.local(shape, "si16"), draw.local(shape, draw.choice(("ui8", "si8")))
    if granularity == "channel":
        p = draw.local((1, shape[1], 1, 3), "si32")
        draw.vendor("tpu_bdc_int_pc_dequant", dst.address, a.address, p.address, shape, dst.data_type, a.data_type, rounding)
        draw.call("tiu.dq1", dst=dst, src=a, quant=p, round_mode=rounding)
    else:
        multiplier, shift, zero = draw.between(1, 1 << 20), draw.between(-20, 4), draw.between(0, 100)
        draw.vendor("tpu_bdc_int_dequant", dst.address, a.address, shape, zero, multiplier, shift, dst.data_type, a.data_type, rounding)
        draw.call("tiu.dq1", dst=dst, src=a, offset=zero, multiplier=multiplier, shift=shift, round_mode=rounding)


@kind(("tensor",), ("channel",))
def requantize_float(draw, granularity):
    shape = draw.shape()
    dst, a = draw.local(shape, draw.choice(("ui8", "si8", "si16"))), draw.local(shape, draw.choice(("si32", "si16")))
    half_to_even = ROUNDINGS.index("half_to_even")
    if granularity == "channel":
        p = draw.local((1, shape[1], 1, 2), "f32")
        draw.vendor("tpu_bdc_fp32_pc_requant", dst.address, a.address, p.address, shape, dst.data_type, a.data_type, half_to_even, half_to_even)
        draw.call("tiu.rq0", dst=dst, src=a, quant=p)
    else:
        scale, offset = draw.between(1, 255) / 256, float(draw.between(-50, 50))
        draw.vendor("tpu_bdc_fp32_requant", dst.address, a.address, shape, scale, offset, dst.data_type, a.data_type, half_to_even, half_to_even)
        draw.call("tiu.rq0", dst=dst, src=a, scale=scale, offset=offset)


@kind(("tensor",), ("channel",))
def dequantize_float(draw, granularity):
    shape = draw.shape()
    dst, a = draw.local(shape, "f32"), draw.local(shape, draw.choice(("ui8", "si8", "si16")))
    half_to_even = ROUNDINGS.index("half_to_even")
    if granularity == "channel":
        p = draw.local((1, shape[1], 1, 2), "f32")
        draw.vendor("tpu_bdc_fp32_pc_dequant", dst.address, a.address, p.address, shape, a.data_type, half_to_even)
        draw.call("tiu.dq0", dst=dst, src=a, quant=p)
    else:
        # An offset has the sign of the operand.
        scale, zero = draw.between(1, 255) / 256, draw.between(0 if a.element == "ui8" else -100, 100)
        draw.vendor("tpu_bdc_fp32_dequant", dst.address, a.address, shape, zero, scale, a.data_type, half_to_even)
        draw.call("tiu.dq0", dst=dst, src=a, offset=zero, scale=scale)

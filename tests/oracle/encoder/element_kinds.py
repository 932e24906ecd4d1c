"""Element arithmetic and quantization (see draw.py)."""
from vendor_encoder import Variable

from draw import DATA_TYPE, FLOATS, INTEGERS, ROUNDINGS, kind, mixed_types, saturate_follows, size_of

# ---------------------------------------------------------------- element arithmetic


def two_operands(draw, op, vendor, element, reversed_vendor=None, suffix=(), by_constant_suffix=None):
    shape = draw.shape()
    dst, a = draw.maybe_strided(shape, element), draw.maybe_strided(shape, element)
    if draw.coin():
        # The vendor puts a strided operand first, here too; ours keeps the order, which decides about zeros and NaN.
        keeps_order = element in FLOATS and vendor in ("tpu_bdc_max", "tpu_bdc_min")
        b = draw.local(shape, element) if keeps_order and a.strides is None else draw.maybe_strided(shape, element)
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
    two_operands(draw, f"ppl.bdc.float {op}", vendor, element, "tpu_bdc_fp_C_sub" if op == "sub" else None)


@kind()
def float_div(draw):
    shape, steps = draw.shape(), draw.between(1, 4)
    dst, a, b = (draw.maybe_strided(shape, "f32") for _ in range(3))
    draw.vendor("tpu_bdc_fp32_tunable_div", dst.address, a.address, b.address, shape, dst.strides, a.strides, b.strides, steps)
    draw.ppl(f"ppl.bdc.float div {dst.name}, {a.name}, {b.name} {{iterations = {steps} : i32}} : {dst.type}, {a.type}, {b.type}")


@kind()
def float_mac(draw):
    shape = draw.shape()
    dst, a, b = (draw.maybe_strided(shape, "f32") for _ in range(3))
    draw.vendor("tpu_bdc_fp32_mac", dst.address, a.address, b.address, shape, dst.strides, a.strides, b.strides)
    draw.ppl(f"ppl.bdc.float mac {dst.name}, {a.name}, {b.name} : {dst.type}, {a.type}, {b.type}")


@kind(*[(op, element) for op in ("max", "min", "and", "or", "xor") for element in INTEGERS])
def int_bits(draw, op, element):
    two_operands(draw, f"ppl.bdc.int {op}", f"tpu_bdc_{op}", element)


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
    draw.ppl(f"ppl.bdc.int {op} {dst.name}, {a.name}, {b.name} shift({name}) rounding {ROUNDINGS[rounding]}"
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
    draw.ppl(f"ppl.bdc.int {op} {dst.name}, {a.name}, {b.name} shift({shift.name}) rounding {ROUNDINGS[rounding]}"
             + (" saturate" if saturate else "") + f" : {dst.type}, {a.type}, {b.type}, {shift.type}")


@kind(("arithmetic", "shift_arith"), ("logical", "shift_logical"))
def shift_constant(draw, vendor, op):
    shape, amount, rounding = draw.shape(), draw.between(-20, 20), draw.between(0, 6)
    element = draw.choice([e for e in INTEGERS if op != "shift_logical" or e.startswith("u")])  # (vendor encoder)
    dst, a = draw.maybe_strided(shape, element), draw.maybe_strided(shape, element)
    draw.vendor(f"tpu_bdc_{vendor}_shift_C", dst.address, a.address, amount, shape, dst.strides, a.strides, dst.data_type, a.data_type, rounding)
    name, spelt, _ = draw.scalar("si8", amount)
    draw.ppl(f"ppl.bdc.int {op} {dst.name}, {a.name}, {name} rounding {ROUNDINGS[rounding]} : {dst.type}, {a.type}, {spelt}")


@kind(*[(op, element) for op in ("copy", "abs") for element in FLOATS + ("si8", "si16", "si32")], *[("not", element) for element in INTEGERS])
def unary(draw, op, element):
    shape = draw.shape()
    dst, a = draw.maybe_strided(shape, element), draw.maybe_strided(shape, element)
    draw.vendor({"copy": "tpu_bdc_cpy"}.get(op, f"tpu_bdc_{op}"), dst.address, a.address, shape, dst.strides, a.strides, dst.data_type)
    draw.ppl(f"ppl.bdc.unary {op} {dst.name}, {a.name} : {dst.type}, {a.type}")


@kind(*[(element,) for element in FLOATS + INTEGERS])
def fill(draw, element):
    shape = draw.shape()
    dst = draw.maybe_strided(shape, element)
    name, spelt, bits = draw.scalar(element)
    draw.vendor("tpu_bdc_set_C", dst.address, bits, shape, dst.strides, dst.data_type)
    draw.ppl(f"ppl.bdc.unary copy {dst.name}, {name} : {dst.type}, {spelt}")


@kind()
def cast(draw):
    shape, rounding = draw.shape(), draw.between(0, 4)
    to, of = draw.choice([(to, of) for to in FLOATS + INTEGERS for of in FLOATS + INTEGERS
                          if to != of and {to, of} != {"f16", "bf16"}])
    dst, a = draw.maybe_strided(shape, to), draw.maybe_strided(shape, of)
    draw.vendor("tpu_bdc_cast", dst.address, a.address, shape, dst.strides, a.strides, dst.data_type, a.data_type, rounding)
    draw.ppl(f"ppl.bdc.cast {dst.name}, {a.name} rounding {ROUNDINGS[rounding]} : {dst.type}, {a.type}")


@kind()
def round_to_integral(draw):
    shape, rounding = draw.shape(), draw.between(0, 4)
    dst, a = draw.maybe_strided(shape, "f32"), draw.maybe_strided(shape, "f32")
    draw.vendor("tpu_bdc_fp_round", dst.address, a.address, shape, dst.strides, a.strides, dst.data_type, rounding)
    draw.ppl(f"ppl.bdc.cast {dst.name}, {a.name} rounding {ROUNDINGS[rounding]} : {dst.type}, {a.type}")


@kind(*[(relation, element) for relation in ("gt", "eq", "lt") for element in FLOATS + INTEGERS])
def compare(draw, relation, element):
    vendor = {"gt": "tpu_bdc_greater", "eq": "tpu_bdc_equal", "lt": "tpu_bdc_less"}[relation]
    shape = draw.shape()
    narrower = [e for e in FLOATS + INTEGERS if size_of(e) <= size_of(element) and (e in FLOATS) == (element in FLOATS)]
    to = element if element in FLOATS else draw.choice(narrower)
    dst, a = draw.maybe_strided(shape, to), draw.maybe_strided(shape, element)
    value, value_type, value_bits = draw.scalar(to, 1)
    if draw.coin():
        # The vendor puts a strided operand first, here too; ours keeps the order, which decides about zeros and NaN.
        keeps_order = element in FLOATS and vendor in ("tpu_bdc_max", "tpu_bdc_min")
        b = draw.local(shape, element) if keeps_order and a.strides is None else draw.maybe_strided(shape, element)
        draw.vendor(vendor, dst.address, a.address, b.address, value_bits, shape, dst.strides, a.strides, b.strides, dst.data_type, a.data_type)
        draw.ppl(f"ppl.bdc.compare {relation} {dst.name}, {a.name}, {b.name}, {value} : {dst.type}, {a.type}, {b.type}, {value_type}")
    else:
        name, spelt, bits = draw.scalar(element)
        draw.vendor(vendor + "_C", dst.address, a.address, bits, value_bits, shape, dst.strides, a.strides, dst.data_type, a.data_type)
        draw.ppl(f"ppl.bdc.compare {relation} {dst.name}, {a.name}, {name}, {value} : {dst.type}, {a.type}, {spelt}, {value_type}")


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
    draw.ppl(f"ppl.bdc.select {relation} {dst.name}, {', '.join(names)} : {dst.type}, {', '.join(types)}")


@kind(*[(op, element) for op in ("mac", "scale_constant", "sum", "diff") for element in FLOATS])
def linear(draw, op, element):
    shape = draw.shape()
    dst, a = draw.local(shape, element), draw.local(shape, element)
    column = (1, shape[1], 1, 1)
    if op == "mac":
        k, b = draw.local(column, element, "compact"), draw.local(column, element, "compact")
        draw.vendor("tpu_bdc_fp_scale_bias", dst.address, a.address, k.address, b.address, shape, dst.data_type)
        draw.ppl(f"ppl.bdc.linear mac {dst.name}, {a.name}, {k.name}, {b.name} : {dst.type}, {a.type}, {k.type}, {b.type}")
    elif op == "scale_constant":
        (k, spelt, k_bits), (b, _, b_bits) = draw.scalar(element), draw.scalar(element)
        draw.vendor("tpu_bdc_fp_scale_bias_C", dst.address, a.address, k_bits, b_bits, shape, dst.data_type)
        draw.ppl(f"ppl.bdc.linear mac {dst.name}, {a.name}, {k}, {b} : {dst.type}, {a.type}, {spelt}, {spelt}")
    else:
        vendor, name = {"sum": ("add", "square_sum"), "diff": ("sub", "square_diff")}[op]
        if draw.coin():
            k = draw.local(column, element, "compact")
            draw.vendor(f"tpu_bdc_fp_{vendor}_bias_sqr", dst.address, a.address, k.address, shape, dst.data_type)
            draw.ppl(f"ppl.bdc.linear {name} {dst.name}, {a.name}, {k.name} : {dst.type}, {a.type}, {k.type}")
        else:
            k, spelt, bits = draw.scalar(element)
            draw.vendor(f"tpu_bdc_fp_{vendor}_C_sqr", dst.address, a.address, bits, shape, dst.data_type)
            draw.ppl(f"ppl.bdc.linear {name} {dst.name}, {a.name}, {k} : {dst.type}, {a.type}, {spelt}")


# ---------------------------------------------------------------- quantization


@kind(("tensor",), ("channel",))
def requantize_integer(draw, granularity):
    shape, rounding = draw.shape(), draw.between(0, 6)
    dst, a = draw.local(shape, draw.choice(("ui8", "si8", "si16"))), draw.local(shape, draw.choice(("si32", "si16")))
    if granularity == "channel":
        p = draw.local((1, shape[1], 1, 3), "si32")
        draw.vendor("tpu_bdc_int_pc_requant", dst.address, a.address, p.address, shape, dst.data_type, a.data_type, rounding)
        draw.ppl(f"ppl.bdc.rq1 {dst.name}, {a.name} params({p.name}) rounding {ROUNDINGS[rounding]} : {dst.type}, {a.type}, {p.type}")
    else:
        multiplier, shift, zero = draw.between(1, 1 << 30), draw.between(-40, 10), draw.between(-100, 100)
        draw.vendor("tpu_bdc_int_requant", dst.address, a.address, shape, multiplier, shift, zero & 0xFFFF, dst.data_type, a.data_type, rounding)
        draw.ppl(f"ppl.bdc.rq1 {dst.name}, {a.name} rounding {ROUNDINGS[rounding]} "
                 f"{{multiplier = {multiplier} : i32, shift = {shift} : si32, zero_point = {zero} : si32}} : {dst.type}, {a.type}")


@kind(("tensor",), ("channel",))
def dequantize_integer(draw, granularity):
    shape, rounding = draw.shape(), draw.between(0, 6)
    dst, a = draw.local(shape, "si16"), draw.local(shape, draw.choice(("ui8", "si8")))
    if granularity == "channel":
        p = draw.local((1, shape[1], 1, 3), "si32")
        draw.vendor("tpu_bdc_int_pc_dequant", dst.address, a.address, p.address, shape, dst.data_type, a.data_type, rounding)
        draw.ppl(f"ppl.bdc.dq1 {dst.name}, {a.name} params({p.name}) rounding {ROUNDINGS[rounding]} : {dst.type}, {a.type}, {p.type}")
    else:
        multiplier, shift, zero = draw.between(1, 1 << 20), draw.between(-20, 4), draw.between(0, 100)
        draw.vendor("tpu_bdc_int_dequant", dst.address, a.address, shape, zero, multiplier, shift, dst.data_type, a.data_type, rounding)
        draw.ppl(f"ppl.bdc.dq1 {dst.name}, {a.name} rounding {ROUNDINGS[rounding]} "
                 f"{{multiplier = {multiplier} : i32, shift = {shift} : si32, zero_point = {zero} : si32}} : {dst.type}, {a.type}")


@kind(("tensor",), ("channel",))
def requantize_float(draw, granularity):
    shape = draw.shape()
    dst, a = draw.local(shape, draw.choice(("ui8", "si8", "si16"))), draw.local(shape, draw.choice(("si32", "si16")))
    half_to_even = ROUNDINGS.index("half_to_even")
    if granularity == "channel":
        p = draw.local((1, shape[1], 1, 2), "f32")
        draw.vendor("tpu_bdc_fp32_pc_requant", dst.address, a.address, p.address, shape, dst.data_type, a.data_type, half_to_even, half_to_even)
        draw.ppl(f"ppl.bdc.rq0 {dst.name}, {a.name} params({p.name}) : {dst.type}, {a.type}, {p.type}")
    else:
        scale, offset = draw.between(1, 255) / 256, float(draw.between(-50, 50))
        draw.vendor("tpu_bdc_fp32_requant", dst.address, a.address, shape, scale, offset, dst.data_type, a.data_type, half_to_even, half_to_even)
        draw.ppl(f"ppl.bdc.rq0 {dst.name}, {a.name} {{scale = {scale} : f32, offset = {offset} : f32}} : {dst.type}, {a.type}")


@kind(("tensor",), ("channel",))
def dequantize_float(draw, granularity):
    shape = draw.shape()
    dst, a = draw.local(shape, "f32"), draw.local(shape, draw.choice(("ui8", "si8", "si16")))
    half_to_even = ROUNDINGS.index("half_to_even")
    if granularity == "channel":
        p = draw.local((1, shape[1], 1, 2), "f32")
        draw.vendor("tpu_bdc_fp32_pc_dequant", dst.address, a.address, p.address, shape, a.data_type, half_to_even)
        draw.ppl(f"ppl.bdc.dq0 {dst.name}, {a.name} params({p.name}) : {dst.type}, {a.type}, {p.type}")
    else:
        scale, zero = draw.between(1, 255) / 256, draw.between(-100, 100)
        draw.vendor("tpu_bdc_fp32_dequant", dst.address, a.address, shape, zero, scale, a.data_type, half_to_even)
        draw.ppl(f"ppl.bdc.dq0 {dst.name}, {a.name} {{scale = {scale} : f32, zero_point = {zero} : si32}} : {dst.type}, {a.type}")

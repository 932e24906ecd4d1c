"""Windows and matrices: kinds of convolution, pooling and matrix products (see draw.py)."""
from draw import DATA_TYPE, FLOATS, PACK, ROUNDINGS, element_bits, kind, size_of

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
    draw.ppl(f"ppl.bdc.fconv {dst.name}, {a.name}, {w.name}" + (f" bias({bias.name})" if bias else "") + f" {window.text()}"
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
    draw.ppl(f"ppl.bdc.conv {dst.name}, {a.name}, {w.name} kernel_zero_point({name}) {window.text()} pad_value {pad}"
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
    draw.ppl(f"ppl.bdc.conv_rq {dst.name}, {a.name}, {w.name}" + (f" bias({bias.name})" if bias else "") + f" {window.text()} rshift {shift}"
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
    draw.ppl(f"ppl.bdc.depthwise {dst.name}, {a.name}, {w.name}" + (f" bias({bias.name})" if bias else "")
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
    draw.ppl(f"ppl.bdc.depthwise {dst.name}, {a.name}, {w.name}" + (f" bias({bias.name})" if bias else "")
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
    draw.ppl(f"ppl.bdc.pool {op} {dst.name}, {a.name} {window.text()}{rest} : {dst.type}, {a.type}")


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
    draw.ppl(f"ppl.bdc.mm {dst.name}, {a.name}, {b.name} inner {inner}" + (f" bias({bias.name})" if bias else "") + (" transpose_lhs" if form else "")
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
    draw.ppl(f"ppl.bdc.mm2 {form} {dst.name}, {a.name}, {b.name}{flag} : {dst.type}, {a.type}, {b.type}")


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
    draw.ppl(f"ppl.bdc.mm2 {form} {dst.name}, {a.name}, {b.name} zero_point({name})" + (" accumulate" if accumulate else "")
             + f" : {dst.type}, {a.type}, {b.type}, {spelt}")

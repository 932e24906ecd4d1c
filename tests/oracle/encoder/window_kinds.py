"""Windows and matrices: kinds of convolution, pooling and matrix products (see draw.py)."""
from draw import DATA_TYPE, FLOATS, PACK, element_bits, kind, size_of

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

    def slots(self, kernel="k_shape"):
        """The window in the slots of a function."""
        return {kernel: self.kernel, "stride": self.stride, "pad": self.pads, "dilation": self.dilation}

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
    draw.call("tiu.fconv", dst=dst, src=a, weight=w, bias=bias, oc=outputs, **window.slots(), result_add=accumulate)


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
    number, bits = draw.scalar(w.element)
    draw.vendor("tpu_bdc_int8_asym_quant_conv2d", dst.address, a.address, w.address, bits, pad, a.shape, None, outputs, *window.arguments(),
                dst.data_type, a.data_type, w.data_type, w.data_type, accumulate)
    draw.call("tiu.conv_asym", dst=dst, src=a, weight=w, oc=outputs, **window.slots(), pad_val=pad, result_add=accumulate, kzp=number)


@kind()
def integer_convolution_shifted(draw):
    window, images, outputs, a, w = integer_operands(draw)
    relu = draw.coin()
    dst = draw.local((images, outputs, *window.output), "ui8" if relu else "si8")
    bias = draw.local((1, outputs, 1, 1), "si16", "compact") if draw.coin() else None
    shift = draw.between(0, 20)
    draw.vendor("tpu_bdc_int8_sym_quant_conv2d", dst.address, a.address, w.address, bias.address if bias else 0, a.shape, None, outputs,
                *window.arguments(), dst.data_type, a.data_type, w.data_type, bias.data_type if bias else DATA_TYPE["ui16"], shift,
                bias is not None, relu)  # no bias has no sign
    draw.call("tiu.conv_sym", dst=dst, src=a, weight=w, bias=bias, oc=outputs, **window.slots(), result_relu=relu, rshift=shift)


@kind(*[(element,) for element in FLOATS])
def float_depthwise(draw, element):
    window, shape = Window(draw), draw.shape()
    images, channels = shape[:2]
    dst, a = draw.local((images, channels, *window.output), element), draw.local((images, channels, *window.input), element)
    w = draw.local((1, channels, *window.kernel), element, "compact")
    bias = draw.local((1, channels, 1, 1), element, "compact") if draw.coin() else None
    draw.vendor("tpu_bdc_fp_depthwise2d", dst.address, a.address, w.address, bias.address if bias else 0, a.shape, *window.arguments(),
                a.data_type, bias is not None)
    draw.call("tiu.fdw_conv", output=dst, input=a, weight=w, bias=bias, **window.slots())


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
    draw.call("tiu.dw_conv", dst=dst, src=a, weight=w, bias=bias, pad_val=pad, **window.slots(), rshift=shift, result_relu=relu,
              round_mode=rounding)


# The smallest finite values; the pad value is an argument of the vendor's function.
LOWEST = {"f32": 0xFF7FFFFF, "f16": 0xFBFF, "bf16": 0xFF7F, "si8": 0x80, "ui8": 0}


@kind(*[(op, element) for op in ("max", "avg") for element in FLOATS + ("si8", "ui8")])
def pool(draw, op, element):
    window, shape = Window(draw, dilates=False), draw.shape()
    images, channels = shape[:2]
    dst, a = draw.local((images, channels, *window.output), element), draw.local((images, channels, *window.input), element)
    prefix, function = ("fp", f"tiu.fpool_{op}") if element in FLOATS else ("int8", f"tiu.pool_{op}")
    tensors = {"dst": dst, "src": a}
    if op == "max":
        draw.vendor(f"tpu_bdc_{prefix}_max_pool2d", dst.address, a.address, a.shape, *window.arguments(), a.data_type, LOWEST[element])
        draw.call(function, **tensors, **window.slots("kernel"))
    elif element in FLOATS:
        scale = draw.between(1, 64) / 64
        draw.vendor("tpu_bdc_fp_avg_pool2d", dst.address, a.address, a.shape, *window.arguments(), a.data_type, element_bits(scale, element))
        draw.call(function, **tensors, **window.slots("kernel"), scale=scale)
    else:
        multiplier, shift = draw.between(2, 255), draw.between(1, 16)
        draw.vendor("tpu_bdc_int8_avg_pool2d", dst.address, a.address, a.shape, *window.arguments(), dst.data_type, a.data_type, multiplier, shift)
        draw.call(function, **tensors, **window.slots("kernel"), scale=multiplier, rshift=shift)


# ---------------------------------------------------------------- matrices


def matrix(draw, rows, columns, per_channel, element):
    return draw.local((rows, -(-columns // per_channel), 1, per_channel), element, lane=0)


@kind(("f32", ""), ("f32", "_L_trans"))
def matrix_product(draw, element, form):
    draw.lane = 0
    rows, inner, columns = draw.between(1, 12), draw.between(1, 40), draw.between(1, 60)
    left_w, right_w = draw.between(1, 16), draw.between(1, 16)
    # Functions cannot say "last channel partly filled"; the vendor's left is rows x inner as it is stored.
    columns = -(-columns // right_w) * right_w
    rows, inner = (-(-rows // left_w) * left_w, inner) if form else (rows, -(-inner // left_w) * left_w)
    dst, b = matrix(draw, rows, columns, right_w, element), matrix(draw, inner, columns, right_w, element)
    a = matrix(draw, inner, rows, left_w, element) if form else matrix(draw, rows, inner, left_w, element)
    bias = matrix(draw, 1, columns, right_w, element) if draw.coin() else None
    accumulate = draw.coin()
    stored = (inner, rows) if form else (rows, inner)
    draw.vendor(f"tpu_bdc_fp32_mm{form}", dst.address, a.address, b.address, bias.address if bias else 0, *stored, columns, left_w, right_w,
                bias is not None, accumulate)
    draw.call("tiu.fmm", dst=dst, left=a, right=b, ltrans=bool(form), result_add=accumulate, bias=bias)


@kind(*[(form, element) for form in ("nn", "nt", "tt") for element in ("f16", "bf16")])
def matrix_product_by_row(draw, form, element):
    draw.lane = 0
    rows, inner, columns = draw.between(1, 70), draw.between(1, 60), draw.between(1, 70)
    dst = draw.local((1, rows, 1, columns), draw.choice((element, "f32")))
    accumulate = form != "nt" and draw.coin()
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
    draw.call(f"tiu.fmm2_{form}", dst=dst, left=a, right=b, result_add=accumulate)


@kind(("nn",), ("nt",))
def integer_matrix_product_by_row(draw, form):
    draw.lane = 0
    rows, inner, columns = draw.between(1, 70), draw.between(1, 60), draw.between(1, 70)
    left, right = draw.choice(("ui8", "si8")), draw.choice(("ui8", "si8"))
    dst, a = draw.local((1, rows, 1, columns), "si32"), draw.local((1, rows, 1, inner), left)
    number, bits = draw.scalar(right)
    if form == "nn":
        b, accumulate = draw.local((1, inner, 1, columns), right), draw.coin()
        draw.vendor("tpu_bdc_int8_zp_mm", dst.address, a.address, b.address, bits, rows, inner, columns, a.data_type, b.data_type, accumulate)
    else:
        b, accumulate = draw.local((1, columns, 1, inner), right), False
        draw.vendor("tpu_bdc_int8_zp_mm_R_trans", dst.address, a.address, b.address, bits, rows, inner, columns, a.data_type, b.data_type)
    draw.call(f"tiu.mm2_{form}", rst=dst, left=a, right=b, result_add=accumulate, r_zp=number)

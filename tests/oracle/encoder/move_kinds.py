"""Special functions, moves inside local memory, and GDMA (see draw.py)."""
from draw import DATA_TYPE, EU_BYTES, FLOATS, INTEGERS, LANES, continuous, kind, size_of

# ---------------------------------------------------------------- special functions and moves inside local memory


def bits_type(element):
    """Moves take elements for integers of their width, floats too."""
    return DATA_TYPE[{1: "si8", 2: "si16", 4: "si32"}[size_of(element)]]


@kind(*[(element,) for element in FLOATS])
def taylor(draw, element):
    draw.lane = 0
    shape, count = draw.shape(), draw.between(2, 16)
    dst, a, c = draw.local(shape, element), draw.local(shape, element), draw.local((1, LANES, 1, count), element)
    draw.vendor("tpu_bdc_fp_taylor", dst.address, a.address, c.address, shape, count, a.data_type)
    draw.call("tiu.taylor", dst=dst, src=a, coeff=c, len=count)


@kind(*[(function, element) for function in ("norm", "fexp_part") for element in ("f32", "f16")])
def exponent_part(draw, function, element):
    """The exponent as an integer; the functions have no float result, which the command could give as a power of two."""
    shape = draw.shape()
    dst, a = draw.local(shape, {"f32": "si32", "f16": "si16"}[element]), draw.local(shape, element)
    draw.vendor("tpu_bdc_fp_exponent_part", dst.address, a.address, shape, dst.data_type, a.data_type)
    draw.call(f"tiu.{function}", dst=dst, src=a)


@kind()
def reciprocal_square_root(draw):
    shape, steps = draw.shape(), draw.between(1, 4)
    dst, a = draw.local(shape, "f32"), draw.local(shape, "f32")
    # The vendor's corrects the result at infinity with a second command.
    draw.vendor("tpu_bdc_fp32_tunable_rsqrt", dst.address, a.address, shape, steps, commands=1)
    draw.call("tiu.frsqrt", dst=dst, src=a, num_iter=steps)


@kind()
def table_lookup(draw):
    draw.lane = 0
    n, c, h, w = draw.shape()
    length = draw.between(2, 256)
    to, index = draw.choice(("ui8", "si8", "si16", "f16", "f32", "si32")), draw.choice(("ui8", "ui16"))
    # The function has one row of indices, and as many tables as there are channels in a row of lanes.
    shape = (n, c, 1, h * w)
    dst, a, table = draw.local(shape, to), draw.local(shape, index), draw.local((1, min(c, LANES), 1, length), to)
    draw.vendor("tpu_bdc_table_lookup", dst.address, a.address, table.address, shape, length, bits_type(to), a.data_type)
    draw.call("tiu.gather_w", dst=dst, param=table, index=a, is_param_repeated=True)


@kind(("cw",), ("wc",))
def transpose(draw, form):
    draw.lane = 0
    n, c, h, w = draw.shape(30)
    element = draw.choice(("ui8", "f16", "f32"))
    dst, a = draw.local((n, c, h, w), element, "line_aligned" if form == "cw" else "aligned"), draw.local((n, w, h, c), element)
    draw.vendor(f"tpu_bdc_{form}_trans", dst.address, a.address, (n, c, h, w), bits_type(element))
    draw.call(f"tiu.transpose_{form}", dst=dst, src=a)


@kind()
def lane_broadcast(draw):
    n, c, h, w = draw.shape(LANES)
    element = draw.choice(("ui8", "f16", "f32"))
    draw.lane = draw.between(0, LANES - c)
    dst, a = draw.local((n, c, h, w), element), draw.local((n, 1, h, w), element, lane=draw.between(0, LANES - 1))
    draw.vendor("tpu_bdc_npu_bcast", dst.address, a.address, (n, c, h, w), bits_type(element))
    draw.call("tiu.broadcast", dst=dst, src=a)


@kind()
def lane_copy(draw):
    shape, element = draw.shape(), draw.choice(("ui8", "f16", "f32"))
    dst, a = draw.local(shape, element, lane=draw.between(0, 63)), draw.local(shape, element, lane=draw.between(0, 63))
    # In its streams the vendor's compiler moves floats as floats between lanes.
    draw.vendor("tpu_bdc_cpy_cross_npu", dst.address, a.address, shape, a.data_type)
    draw.call("tiu.move_cross_lane", dst=dst, src=a)


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
        draw.call("dma.load", dst=l, src=g)
    else:
        draw.vendor("tpu_gdma_cpy_L2S", g.address, l.address, shape, g.strides, local_strides(l, draw.lane), l.data_type)
        draw.call("dma.store", dst=g, src=l)


def place(draw, memory, shape, element, has_gaps=True):
    """A tensor in local ("L") or system memory and its strides, written out."""
    if memory == "L":
        tensor = draw.local(shape, element)
        return tensor, local_strides(tensor, draw.lane)
    tensor = draw.at_global(shape, element, global_strides(draw, shape) if has_gaps else None)
    return tensor, tensor.strides or continuous(shape)


@kind(*[(axes, path) for axes in ("nc", "cw") for path in ("S2L", "L2S", "L2L", "S2S")])
def dma_transpose(draw, axes, path):
    n, c, h, w = (draw.between(1, most) for most in (20, 20, 8, 20))
    draw.lane = 0
    element = draw.choice(("ui8", "f16", "f32"))
    result = (c, n, h, w) if axes == "nc" else (n, w, h, c)
    (dst, to), (a, of) = place(draw, path[2], result, element), place(draw, path[0], (n, c, h, w), element)
    draw.vendor(f"tpu_gdma_cpy_{axes}_trans_{path}", dst.address, a.address, result, to, of, dst.data_type)
    prefix = {"S2L": "load_", "L2S": "store_"}.get(path, "")
    draw.call(f"dma.{prefix}transpose_{axes}", dst=dst, src=a)


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
    draw.call("dma.move", dst=dst, src=a)


@kind(("local",), ("global",))
def dma_fill(draw, space):
    shape, element = draw.shape(), draw.choice(FLOATS + INTEGERS)
    dst = draw.maybe_strided(shape, element) if space == "local" else draw.at_global(shape, element, global_strides(draw, shape))
    number, bits = draw.scalar(element)
    if space == "local":
        draw.vendor("tpu_gdma_set_C_local", dst.address, bits, shape, local_strides(dst, draw.lane), dst.data_type)
    else:
        draw.vendor("tpu_gdma_set_C_system", dst.address, bits, shape, dst.strides, dst.data_type)
    draw.call("dma.fill", dst=dst, C=number)


@kind(("S2L",), ("L2L",))
def dma_broadcast(draw, path):
    n, c, h, w = draw.shape(LANES)
    element = draw.choice(("ui8", "f16", "f32"))
    draw.lane = draw.between(0, LANES - c)
    dst, one = draw.local((n, c, h, w), element), (n, 1, h, w)
    if path == "L2L":
        a = draw.local(one, element, lane=draw.between(0, LANES - 1))
        strides = aligned(dst.shape, element), aligned(one, element)
    else:
        a = draw.at_global(one, element, global_strides(draw, one))
        strides = (aligned(dst.shape, element), a.strides) if a.strides else (None, None)
    draw.vendor(f"tpu_gdma_channel_bcast_{path}", dst.address, a.address, dst.shape, *strides, dst.data_type)
    draw.call("dma.broadcast" if path == "L2L" else "dma.load_broadcast", dst=dst, src=a)


@kind(*[(op, path) for op in ("gather", "scatter") for path in ("S2L", "L2S", "L2L", "S2S")])
def dma_rows(draw, op, path):
    """Rows by a list of row numbers, which lies in either memory."""
    _, c, h, w = draw.shape()
    listed, element = draw.between(1, 9), draw.choice(FLOATS + INTEGERS)
    rows = (listed, h) if op == "gather" else (h, listed)  # of the result and of the source
    dst, to = place(draw, path[2], (1, c, rows[0], w), element)
    a, of = place(draw, path[0], (1, c, rows[1], w), element)
    list_memory = draw.choice("LS")
    index, steps = place(draw, list_memory, (1, c, listed, 1), "ui32", has_gaps=False)
    number, bits = draw.scalar(element)
    constant = (bits,) if op == "gather" else ()
    draw.vendor(f"tpu_gdma_h_{op}_{path}", dst.address, a.address, index.address, list_memory == "L", *constant, dst.shape, rows[1], to, of,
                steps, dst.data_type)
    draw.call(f"dma.{op}_h", dst=dst, param=a, index=index, C=number if op == "gather" else None)

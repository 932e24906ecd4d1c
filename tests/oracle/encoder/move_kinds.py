"""Special functions, moves inside local memory, and GDMA (see draw.py)."""
from draw import EU_BYTES, FLOATS, INTEGERS, LANES, continuous, kind, size_of

# ---------------------------------------------------------------- special functions and moves inside local memory


@kind(*[(element,) for element in FLOATS])
def taylor(draw, element):
    draw.lane = 0
    shape, count = draw.shape(), draw.between(2, 16)
    dst, a, c = draw.local(shape, element), draw.local(shape, element), draw.local((1, LANES, 1, count), element, "compact")
    draw.vendor("tpu_bdc_fp_taylor", dst.address, a.address, c.address, shape, count, a.data_type)
    draw.ppl(f"ppl.bdc.taylor {dst.name}, {a.name}, {c.name} count {count} : {dst.type}, {a.type}, {c.type}")


@kind(*[(element,) for element in ("f32", "f16")])
def exponent_part(draw, element):
    shape = draw.shape()
    to = draw.choice((element, {"f32": "si32", "f16": "si16"}[element]))
    dst, a = draw.local(shape, to), draw.local(shape, element)
    draw.vendor("tpu_bdc_fp_exponent_part", dst.address, a.address, shape, dst.data_type, a.data_type)
    draw.ppl(f"ppl.bdc.norm {dst.name}, {a.name} : {dst.type}, {a.type}")


@kind()
def table_lookup(draw):
    draw.lane = 0
    shape, length = draw.shape(), draw.between(2, 256)
    to, index = draw.choice(("ui8", "si8", "si16", "f16", "f32", "si32")), draw.choice(("ui8", "ui16"))
    dst, a, table = draw.local(shape, to), draw.local(shape, index), draw.local((1, LANES, 1, length), to)
    draw.vendor("tpu_bdc_table_lookup", dst.address, a.address, table.address, shape, length, dst.data_type, a.data_type)
    draw.ppl(f"ppl.bdc.lookup {dst.name}, {a.name}, {table.name} : {dst.type}, {a.type}, {table.type}")


@kind(("cw",), ("wc",))
def transpose(draw, form):
    draw.lane = 0
    n, c, h, w = draw.shape(30)
    element = draw.choice(("ui8", "f16", "f32"))
    dst, a = draw.local((n, c, h, w), element, "line_aligned" if form == "cw" else "aligned"), draw.local((n, w, h, c), element)
    draw.vendor(f"tpu_bdc_{form}_trans", dst.address, a.address, (n, c, h, w), a.data_type)
    draw.ppl(f"ppl.bdc.transpose {form} {dst.name}, {a.name} : {dst.type}, {a.type}")


@kind()
def lane_broadcast(draw):
    n, c, h, w = draw.shape(LANES)
    element = draw.choice(("ui8", "f16", "f32"))
    draw.lane = draw.between(0, LANES - c)
    dst, a = draw.local((n, c, h, w), element), draw.local((n, 1, h, w), element, lane=draw.between(0, LANES - 1))
    draw.vendor("tpu_bdc_npu_bcast", dst.address, a.address, (n, c, h, w), a.data_type)
    draw.ppl(f"ppl.bdc.lane_broadcast {dst.name}, {a.name} : {dst.type}, {a.type}")


@kind()
def lane_copy(draw):
    shape, element = draw.shape(), draw.choice(("ui8", "f16", "f32"))
    dst, a = draw.local(shape, element, lane=draw.between(0, 63)), draw.local(shape, element, lane=draw.between(0, 63))
    draw.vendor("tpu_bdc_cpy_cross_npu", dst.address, a.address, shape, a.data_type)
    draw.ppl(f"ppl.bdc.lane_copy {dst.name}, {a.name} : {dst.type}, {a.type}")


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
        draw.ppl(f"ppl.gdma.load {l.name}, {g.name} : {l.type}, {g.type}")
    else:
        draw.vendor("tpu_gdma_cpy_L2S", g.address, l.address, shape, g.strides, local_strides(l, draw.lane), l.data_type)
        draw.ppl(f"ppl.gdma.store {g.name}, {l.name} : {g.type}, {l.type}")


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
        draw.ppl(f"ppl.gdma.load {l.name}, {g.name} transpose {axes} : {l.type}, {g.type}")
    else:
        g, l = draw.at_global(result, element), draw.local(source, element)
        draw.vendor(f"tpu_gdma_cpy_{axes}_trans_L2S", g.address, l.address, result, *explicit(continuous(result), aligned(source, element), axes), l.data_type)
        draw.ppl(f"ppl.gdma.store {g.name}, {l.name} transpose {axes} : {g.type}, {l.type}")


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
    draw.ppl(f"ppl.gdma.move {dst.name}, {a.name} : {dst.type}, {a.type}")


@kind(("local",), ("global",))
def dma_fill(draw, space):
    shape, element = draw.shape(), draw.choice(FLOATS + INTEGERS)
    dst = draw.maybe_strided(shape, element) if space == "local" else draw.at_global(shape, element, global_strides(draw, shape))
    name, spelt, bits = draw.scalar(element)
    if space == "local":
        draw.vendor("tpu_gdma_set_C_local", dst.address, bits, shape, local_strides(dst, draw.lane), dst.data_type)
    else:
        draw.vendor("tpu_gdma_set_C_system", dst.address, bits, shape, dst.strides, dst.data_type)
    draw.ppl(f"ppl.gdma.fill {dst.name}, {name} : {dst.type}, {spelt}")


@kind()
def dma_broadcast(draw):
    n, c, h, w = draw.shape(LANES)
    element = draw.choice(("ui8", "f16", "f32"))
    draw.lane = draw.between(0, LANES - c)
    dst, g = draw.local((n, c, h, w), element), draw.at_global((n, 1, h, w), element)
    draw.vendor("tpu_gdma_channel_bcast_S2L", dst.address, g.address, (n, c, h, w), None, None, dst.data_type)
    draw.ppl(f"ppl.gdma.broadcast {dst.name}, {g.name} : {dst.type}, {g.type}")

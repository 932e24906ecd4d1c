"""Utilities and wrappers (PPL 4.10.12, 4.10.13)."""

from .. import _recorder
from . import _tensor, _types

_error = _recorder.PplError


def align(x, div):
    """`x` rounded up to a multiple of `div`."""
    return cdiv(x, div) * div


def cdiv(x, div):
    """`x / div` rounded up."""
    if div < 1:
        raise _error(f"division of {x} by {div}; the divisor must be 1 or more")
    return -(-x // div)


def enable_pipeline():
    """In the body of a `for` loop: loads, computation and stores of successive
    rounds overlap."""
    if not getattr(_recorder.active(), "rounds", 0):
        raise _error("enable_pipeline() must be a statement of its own, "
                     "directly in the body of a for loop of a kernel whose "
                     "source is in a file")


def vset(ew, lmul, v_len):
    """Configures the vector registers [SG2380]: bits of an element, registers
    of a group, elements of a register."""
    _recorder.active().vector_setting = {"ew": ew, "lmul": lmul,
                                         "v_len": v_len}


def lane_num():
    """Number of lanes of the chip."""
    return _recorder.active().get(_recorder.GET_LANES)


def get_eu_num(type):
    """Elements of a type that a lane computes at once."""
    bits = _types.get_scalar_dtype(type).bits
    return _recorder.active().get(_recorder.GET_EU_BYTES) * 8 // bits


def get_nic(type):
    """Input channels that weights of a type are packed by."""
    return _recorder.active().get(_recorder.GET_CHANNEL_PACK,
                                  _types.get_scalar_dtype(type).code)


def get_core_index():
    """The core that runs the kernel, from 0."""
    return _recorder.active().get(_recorder.GET_BLOCK_INDEX)


def get_block_num():
    """The cores that run the kernel."""
    return _recorder.active().get(_recorder.GET_BLOCK_NUM)


def _set(setting, subject, value):
    program = _recorder.active()
    program.table.set(program.table.self, setting, subject, value)
    program.check_recording()


# Bits of the engines (ppl/kernel.h).
_TIU, _DMA, _HAU, _SDMA = 1, 2, 4, 8


def sync():
    """All units of all cores wait for each other."""
    _set(_recorder.SET_BARRIER, _TIU | _DMA | _HAU | _SDMA, 1)


def hau_poll():
    """Waits for the HAU's work so far."""
    _set(_recorder.SET_BARRIER, _HAU, 0)


def tpu_poll():
    """Waits for all work so far."""
    _set(_recorder.SET_BARRIER, _TIU | _DMA | _HAU | _SDMA, 0)


def _message(verb, number, count, is_dma):
    if not is_dma:
        raise _error(f"unsupported: {verb} of the TIU; the DMA sends and waits "
                     "(is_dma=True), and kernels run in the order in which "
                     "they are written without messages")
    _tensor.call(_recorder.catalog()[f"dma.{verb}"],
                 {"msg_id": number, "msg_cnt": count})


def msg_send(msg_idx, wait_cnt, is_dma):
    """Posts message `msg_idx` for `wait_cnt` operations [SG2380]."""
    _message("send_msg", msg_idx, wait_cnt, is_dma)


def msg_wait(msg_idx, send_cnt, is_dma):
    """Waits for `send_cnt` messages `msg_idx` [SG2380]."""
    _message("wait_msg", msg_idx, send_cnt, is_dma)


def lane_mask(mask, long_valid):
    """Which lanes TIU instructions write [SG2380]: refused."""
    raise _error("unsupported: lane_mask; work on a sub_view of the lanes that "
                 "are to be written")


def fence():
    """Orders memory [SG2380]: nothing, kernels are recorded in order."""


def aligned_stride_4d(N, C, H, W, start_idx, dtype,
                      align_mode=_types.align_mode.TPU_ALIGN):
    """Strides of a local tensor, in elements, as a tuple."""
    lanes, eu = lane_num(), get_eu_num(dtype)
    mode = _types.align_mode(align_mode)
    groups = cdiv(start_idx + C, lanes)
    if mode == _types.align_mode.TPU_ALIGN:
        h, c = W, align(H * W, eu)
    elif mode == _types.align_mode.TPU_ROW_ALIGN:
        h = align(W, eu)
        c = H * h
    elif mode == _types.align_mode.TPU_COMPACT:
        h, c = W, H * W
    else:
        return (C * H * W, H * W, W, 1)
    return (groups * c, c, h, 1)


def pooling2(qk_sub_tensor, tmp_tensor, real_q_h, real_m, real_k, mode):
    """The maximum (mode 0) or sum (mode 1) over W of a tensor
    [real_q_h, real_m, 1, real_k]; `tmp_tensor` [real_q_h, real_m, 1, EU] is
    scratch. Returns [real_q_h, real_m, 1, 1]."""
    from . import tiu
    kind = qk_sub_tensor.dtype
    lines = get_eu_num(kind)
    out = _tensor.make_tensor([real_q_h, real_m, 1, 1], kind)
    pad = align(real_k, lines)
    fill = 0 if mode else _lowest(kind)
    if pad != real_k:
        tail = [real_q_h, real_m, 1, pad - real_k]
        tiu.fill(qk_sub_tensor.sub_view(tail, [0, 0, 0, real_k])
                 if qk_sub_tensor.shape[3] >= pad else
                 qk_sub_tensor.view(shape=[real_q_h, real_m, 1, pad])
                 .sub_view(tail, [0, 0, 0, real_k]), fill)
    rows = qk_sub_tensor.view(shape=[real_q_h, real_m, pad // lines, lines])
    for source, target, kernel in ((rows, tmp_tensor, [pad // lines, 1]),
                                   (tmp_tensor, out, [1, lines])):
        if mode:
            tiu.pool_avg(target, source, kernel, [0, 0, 0, 0], [1, 1], [1, 1],
                         1.0)
        else:
            tiu.pool_max(target, source, kernel, [0, 0, 0, 0], [1, 1], [1, 1])
    return out


def _lowest(kind):
    return {"fp32": -3.4028234663852886e38, "fp16": -65504.0,
            "bf16": -3.3895313892515355e38}[kind.spelling]


def quick_pooling(input, mode, scale=1.0):
    """The maximum (mode 0), or the sum times `scale` (mode 1), over W of a
    tensor [n, c, 1, w] of floats. Its block must have room up to the next
    multiple of EU elements, which is filled."""
    from . import tiu
    n, c, h, w = input.shape
    if h != 1:
        raise _error(f"quick_pooling takes H = 1, the tensor has {h}; reshape "
                     "it with view")
    scratch = _tensor.make_tensor([n, c, 1, get_eu_num(input.dtype)],
                                  input.dtype)
    out = pooling2(input, scratch, n, c, w, mode)
    if mode and scale != 1.0:
        tiu.fmul(out, out, scale)
    return out


def exp_no_overflow(input, m_n, m_c, m_h, m_w, t_n, t_c, t_h, t_w):
    """e^x of a float tensor in a block [m_n, m_c, m_h, m_w] of which
    [t_n, t_c, t_h, t_w] are used; arguments beyond the range of the type are
    clamped to it. Returns the result."""
    from . import tiu
    kind = input.dtype
    low, high = {"fp32": (-87.3, 88.7), "fp16": (-17.3, 11.08),
                 "bf16": (-87.3, 88.7)}[kind.spelling]
    block, real = [m_n, m_c, m_h, m_w], [t_n, t_c, t_h, t_w]
    clamped = _tensor.make_tensor(block, kind, real)
    result = _tensor.make_tensor(block, kind, real)
    tiu.max(clamped, input, low)
    tiu.min(clamped, clamped, high)
    tiu.fexp(result, clamped)
    return result

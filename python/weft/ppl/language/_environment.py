"""What a kernel asks of the chip, the launch and its addresses, and how it sets
them: the utilities of PPL 4.8 and 4.10.12, with the names of C++ beside those of
Python."""

import math

from .. import _recorder
from . import _tensor, _types

_error = _recorder.PplError


def align(x, div):
    """`x` rounded up to a multiple of `div`."""
    return cdiv(x, div) * div


def cdiv(x, div):
    """`x / div` rounded up."""
    for value, what in ((x, "x"), (div, "div")):
        _recorder.integer(value, what)
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


def lane_bytes():
    """Bytes of local memory that a lane has."""
    return _recorder.active().get(_recorder.GET_LANE_BYTES)


def dma_load_bytes():
    """Bytes a cycle that the DMA loads from DRAM by the cost model; 0 for a
    chip that has none."""
    return _recorder.active().get(_recorder.GET_LOAD_BYTES)


def dma_store_bytes():
    """The same of stores to DRAM."""
    return _recorder.active().get(_recorder.GET_STORE_BYTES)


def shortest_dma_run():
    """Bytes that lie together in DRAM and that fewer take as long as; 0 for a
    chip without a cost model."""
    return _recorder.active().get(_recorder.GET_SHORTEST_DMA_RUN)


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


def get_data_size(type):
    """Bytes of an element of 1, 2 or 4 bytes."""
    bits = _types.get_scalar_dtype(type).bits
    if bits not in (8, 16, 32):
        raise _error(f"get_data_size of {type!r}, which has {bits} bits; "
                     "elements of 8, 16 or 32 bits only")
    return bits // 8


def bitwidth(type):
    """Bits of an element."""
    return _types.get_scalar_dtype(type).bits


def convert_dtype(type):
    """The number of an element type in PPL (data_type_t)."""
    return _types.get_scalar_dtype(type).code


def eu_bytes():
    """Bytes that a lane computes at once."""
    return _recorder.active().get(_recorder.GET_EU_BYTES)


def get_group_num():
    return _recorder.active().get(_recorder.GET_GROUP_NUM)


def get_group_index():
    return _recorder.active().get(_recorder.GET_GROUP_INDEX)


def dim4_index(shape, index):
    """n, c, h, w for 0 to 3, or for -4 to -1; -1 for any other index."""
    return int(shape[index]) if -4 <= index < 4 else -1


def get_stride(shape, align_mode, dtype, start_idx=0):
    """Strides, in elements, that a tensor of a shape has in a layout."""
    return list(aligned_stride_4d(*shape, start_idx, dtype, align_mode))


def chip_num():
    """Chips that run the program: one."""
    return 1


def chip_id():
    return 0


def rank():
    return 0


def _set(setting, subject, value):
    program = _recorder.active()
    program.table.set(program.table.self, setting, subject, value)
    program.check_recording()


# Bits of the engines (ppl/kernel.h).
_TIU, _DMA, _HAU, _SDMA = 1, 2, 4, 8


def sync():
    """All units of all cores wait for each other."""
    _set(_recorder.SET_BARRIER, _TIU | _DMA | _HAU | _SDMA, 1)


def sync_engine(engines, all_cores):
    """Waits for engines (pl.TIU | pl.DMA ..), of this core or of all."""
    _set(_recorder.SET_BARRIER, engines, int(all_cores))


def sync_core():
    """The units of this core wait for each other."""
    sync_engine(_TIU | _DMA | _HAU | _SDMA, False)


def pipeline_barrier():
    """In a pipelined body, what stands behind it is in no earlier stage than
    what stands before it."""
    _set(_recorder.SET_BARRIER, 0, 0)


def disable_pingpong(tensor):
    """The tensor gets no second buffer in pipelined loops."""
    if not _tensor.is_tensor(tensor):
        raise _error(f"disable_pingpong of {tensor!r}; give a tensor")
    _set(_recorder.SET_PINGPONG, tensor.number, 0)


def set_memory_alloc_method(method):
    """0: banks without conflicts first, 1: use of memory first, 2: no bank
    conflict at all."""
    _set(_recorder.SET_ALLOCATION_METHOD, 0, int(method))


def set_config_auto_sync(enable, parallel=False):
    _set(_recorder.SET_AUTO_SYNC, int(parallel), int(enable))


def parallel_start():
    """What is called up to parallel_end() may run at the same time."""
    program = _recorder.active()
    program.table.enter(program.table.self, _recorder.SCOPE_PARALLEL,
                        b"parallel_start", _recorder.here())


def parallel_end():
    program = _recorder.active()
    program.table.leave(program.table.self, _recorder.SCOPE_PARALLEL)
    program.check_recording()


def set_block_num(num):
    """Refused: the launch says how many cores there are."""
    raise _error(f"set_block_num({num}): the launch gives the number of cores: "
                 f"kernel[({num},)](..); pl.get_block_num() is what it got")


def get_msg_id():
    """A number that no other message of this program has."""
    program = _recorder.active()
    number = getattr(program, "messages", 0)
    if number == 80:
        raise _error("get_msg_id: a program has 80 messages; use one again")
    program.messages = number + 1
    return number


def _scalar_core(name, way_out):
    def refuse(*args, **kwargs):
        raise _error(f"{name}: no value of device memory is known while a "
                     f"kernel is recorded; {way_out}")
    refuse.__name__ = name
    refuse.__doc__ = f"Refused: {way_out}."
    return refuse


get_value = _scalar_core(
    "get_value", "pass it to the kernel as a number, or gather with it as an "
    "index")
get_gmem_ptr = _scalar_core("get_gmem_ptr", "use functions of pl.dma")
get_lmem_ptr = _scalar_core("get_lmem_ptr", "use functions of pl.tiu")
dump = _scalar_core("dump", "pl.device_print(x) shows a tensor")


def get_gmem_addr(ptr):
    """The device address of a pointer."""
    if not isinstance(ptr, _tensor.pointer):
        raise _error(f"get_gmem_addr of {ptr!r}; give a pointer argument of the "
                     "kernel")
    return ptr.address


def invalid_cache(address, size=64):
    """Nothing: recorded commands see no cache."""


def flush_cache(address, size=64):
    """Nothing: recorded commands see no cache."""


def cancel_tpu_init():
    """Nothing: a program starts the engines once."""


def cancel_tpu_poll():
    """Nothing: a program ends once."""


def make_l2tensor(block_shape, dtype, real_shape=None):
    """A tensor in L2 memory of `block_shape`, seen as `real_shape`."""
    whole = _tensor.gtensor(block_shape, _types.mtype.L2, dtype=dtype)
    if real_shape is None or list(real_shape) == list(block_shape):
        return whole
    if any(part > size for part, size in zip(
            _recorder.sizes(real_shape, "real_shape"), block_shape)):
        raise _error(f"real_shape {list(real_shape)} exceeds block_shape "
                     f"{list(block_shape)}; make the block larger")
    return whole.view(shape=real_shape)


def static_assert(condition, message=""):
    """An error at this line unless `condition` holds."""
    if not condition:
        raise _error("static_assert does not hold"
                     + (f": {message}" if message else ""))


# Of numbers. Python's own names are not in `from ppl.language import *`.
def _number(name, function):
    def of_number(*values):
        wrong = next((value for value in values if not isinstance(
            value, (int, float))), None)
        if wrong is not None:
            raise _recorder.PplTypeError(
                f"pl.{name} of {wrong!r}; it takes numbers of the host; for "
                f"tensors {_ADVICE.get(name) or 'see dir(pl.tiu)'}")
        return function(*values)
    of_number.__name__ = name
    of_number.__doc__ = f"{name} of numbers of the host."
    return of_number


_ADVICE = {name: f"pl.tiu.{name}(..)" for name in
           ("min", "max", "abs", "floor", "ceiling", "round")}
_ADVICE.update({name: f"pl.f{name}(x)" for name in ("exp", "log", "sqrt")})
_ADVICE.update(pow="pl.pow_f32(x, y)", log2="pl.flogx(x, 2)",
               exp2="pl.pow_f32(2.0, x)")

NUMBERS = {name: _number(name, function) for name, function in {
    "min": min, "max": max, "MAX": max, "abs": abs, "log": math.log,
    "log2": math.log2, "exp": math.exp, "exp2": lambda x: 2.0 ** x,
    "pow": pow, "sqrt": math.sqrt, "floor": math.floor,
    "ceiling": math.ceil, "trunc": math.trunc,
    "round": lambda x: math.floor(abs(x) + 0.5) * (1 if x >= 0 else -1),
}.items()}


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

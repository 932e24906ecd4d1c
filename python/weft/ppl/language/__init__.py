"""The language of kernels: `import weft.ppl.language as pl`.

Tensors, the functions of the units `pl.tiu`, `pl.dma`, `pl.sdma` and `pl.hau`,
types, enumerations and utilities, with the names of the PPL manual's Python
chapter.
"""

from .. import _recorder
from . import (_composed, _environment, _functions, _print, _recorded_value,
               _tensor, _types, _wrappers)
from ._print import breakpoint, device_print
from ._tensor import pointer, tensor
from ._types import (ENUMERATIONS, align_mode, all_reduce_opcode,
                     all_reduce_psum, coeff_table_mode, constexpr, dtype,
                     get_scalar_dtype, mtype, of_numpy, round_mode,
                     transpose_mode)

globals().update(_types.types)
for _enumeration in ENUMERATIONS:
    globals().update(_enumeration.__members__)
PSUM_WO = all_reduce_psum.ALL_REDUCE_PSUM_WO
PSUM_WR = all_reduce_psum.ALL_REDUCE_PSUM_WR

tiu = _functions.Unit("tiu")
dma = _functions.Unit("dma")
sdma = _functions.Unit("sdma")
hau = _functions.Unit("hau")
_composed.extend(tiu)

globals().update(_wrappers.wrappers)
for _module, _names in (
        (_tensor, "make_tensor gtensor make_gtensor_permute"),
        (_environment, """align aligned_stride_4d bitwidth cancel_tpu_init
            cancel_tpu_poll cdiv chip_id chip_num convert_dtype dim4_index
            disable_pingpong dma_load_bytes dma_store_bytes dump enable_pipeline
            eu_bytes fence flush_cache get_block_num get_core_index get_data_size get_eu_num get_gmem_addr
            get_gmem_ptr get_group_index get_group_num get_lmem_ptr get_msg_id
            get_nic get_stride get_value hau_poll invalid_cache lane_bytes
            lane_mask lane_num make_l2tensor msg_send msg_wait parallel_end
            parallel_start pipeline_barrier pooling2 rank set_block_num
            set_config_auto_sync set_memory_alloc_method shortest_dma_run
            static_assert sync sync_core sync_engine tpu_poll vset""")):
    for _name in _names.split():
        globals()[_name] = _composed.public(getattr(_module, _name),
                                             f"pl.{_name}")
# The names of C++ and older ones.
div_up, sync_all = cdiv, sync  # noqa: F821
get_block_index = get_core_index  # noqa: F821
get_core_num = get_block_num  # noqa: F821
set_core_num = set_block_num  # noqa: F821
TIU, DMA, HAU, SDMA = 1, 2, 4, 8
BANK_CONFLICT_FIRST, MEMORY_UTILIZATION_FIRST, NO_BANK_CONFLICT = 0, 1, 2
static_range = range


def pointer_type(kind):
    """The pointer type to an element type."""
    return _types.types[_types._NAMES[kind.scalar.spelling][1]]


def __getattr__(name):
    if name in _environment.NUMBERS:
        return _environment.NUMBERS[name]
    if name == "print":
        return device_print
    if name in ("LANE_NUM", "NPU_NUM"):
        return lane_num()  # noqa: F821
    if name == "EU_BYTES":
        return eu_bytes()  # noqa: F821
    if name.startswith("__"):
        raise AttributeError(name)
    units = [f"pl.{unit}.{name}" for unit in ("tiu", "dma", "hau", "sdma")
             if name in dir(globals()[unit])]
    use = _recorded_value.advice(name)
    raise _recorder.PplAttributeError(
        f"weft.ppl.language has no {name}"
        + (f"; there is {' and '.join(units)}" if units else
           f"; use {use}" if use else
           _recorder.nearest(name, [each for each in globals()
                                    if not each.startswith("_")])
           or "; dir(pl) lists what there is"))

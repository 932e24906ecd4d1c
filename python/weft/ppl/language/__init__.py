"""The language of kernels: `import weft.ppl.language as pl`.

Tensors, the functions of the units `pl.tiu`, `pl.dma`, `pl.sdma` and `pl.hau`,
types, enumerations and utilities, with the names of the PPL manual's Python
chapter.
"""

from .. import _recorder
from . import _functions, _irregular, _types
from ._tensor import (gtensor, make_gtensor_permute, make_tensor, pointer,
                      tensor)
from ._types import (ENUMERATIONS, align_mode, all_reduce_opcode,
                     all_reduce_psum, coeff_table_mode, constexpr, dtype,
                     get_scalar_dtype, mtype, of_numpy, round_mode,
                     transpose_mode)
from ._utilities import (align, aligned_stride_4d, cdiv, enable_pipeline,
                         exp_no_overflow, fence, get_block_num,
                         get_core_index, get_eu_num, get_nic, hau_poll,
                         lane_mask, lane_num, msg_send, msg_wait, pooling2,
                         quick_pooling, sync, tpu_poll, vset)

globals().update(_types.types)
for _enumeration in ENUMERATIONS:
    globals().update(_enumeration.__members__)
PSUM_WO = all_reduce_psum.ALL_REDUCE_PSUM_WO
PSUM_WR = all_reduce_psum.ALL_REDUCE_PSUM_WR

tiu = _functions.Unit("tiu")
dma = _functions.Unit("dma")
sdma = _functions.Unit("sdma")
hau = _functions.Unit("hau")
_irregular.extend(tiu)


def pointer_type(kind):
    """The pointer type to an element type."""
    return _types.types[_types._NAMES[kind.scalar.spelling][1]]

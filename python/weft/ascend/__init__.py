"""Moves of Ascend from global memory to L1, named after their document.

    import numpy as np
    import weft.ascend as A
    gm, l1 = np.arange(40, dtype=np.int16), np.zeros(64, np.int16)
    A.copy_gm_to_cbuf_multi_nd2nz_b16(l1, gm, 0, 1, 2, 20, 0, 20, 2, 1, 0)

An array is a memory whose first byte is aligned as well as may be;
`pointer(array, n)` is its element n. Layouts as lists of moves: `nd_to_nz`,
`nd_to_zz`, `nhwc_to_nc1hwc0`, `nhwc_to_c1hwnc0`; `inverse` copies back.

What is wrong is an `AscendError` at the caller's line; a move of nothing is an
`AscendWarning`.
"""

from . import _moves
from ._moves import (AscendError, AscendWarning, Move, Pointer, inverse,
                     nd_to_nz, nd_to_zz, nhwc_to_c1hwnc0, nhwc_to_nc1hwc0)

pointer = Pointer
_table = {}


def __getattr__(name):
    if not _table and not name.startswith("__"):
        _table.update(_moves.functions())
    if name not in _table:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; "
                             "dir() lists the functions")
    return _table[name]


def __dir__():
    if not _table:
        _table.update(_moves.functions())
    return sorted([*globals(), *_table])

"""Vector arithmetic of Zhouyi, named after its document.

    import weft.zhouyi as S
    x = S.int32x8([1, 2, 3, 4, 5, 6, 7, 8])
    S.vadd(x, x, mask="4T2F2T", r=9)      # int32x8(2 4 6 8 9 9 14 16)

Types are `S.int8x32`, `S.i8x32`, `S.float16x16`, `S.fp32x8`, ...: an element
type and any number of lanes; without lanes (`S.int16`) the type of a scalar
variable. numpy arrays of one axis are vectors, too; numbers are constants.
Masks are tuples, lists and numpy arrays of bools, strings ("3T5F") and
`S.tail_mask(n, lanes)`. Lanes without a value are `?`; see `Vector`.

`Kernel` records programs of these functions with loops, loads and stores, and
saves and runs them; `weft.Model` reads .zyp files.

What is wrong is a `ZhouyiError` at the caller's line.
"""

from . import _functions
from ._functions import const_mask, tail_mask
from ._kernel import Kernel, cast, reinterpret, vload, vstore
from ._values import (Mask, Pointer, Vector, VectorType, ZhouyiError,
                      type_named, vector)

pointer = Pointer
_table = {}


def __getattr__(name):
    if not _table and not name.startswith("__"):
        _table.update(_functions.functions())
    found = _table.get(name) or type_named(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; "
                             "dir() lists the functions, types are like "
                             "int8x32")
    return found


def __dir__():
    __getattr__("vadd")
    return sorted([*globals(), *_table])

"""The moves, made from the compiler's catalog, and the layouts that they make."""

import ctypes
import functools
import json
import warnings

import numpy

from .. import _catalog, _native
from .._place import LocatedError, caller

_SET = b"ascend"


class AscendError(LocatedError):
    """A move is wrong: `reason` says what was found and what must be; `file`
    and `line` are the caller's."""


class AscendWarning(UserWarning):
    """A legal move does nothing."""


class Pointer:
    """Element `offset` of an array; `p + n` is n elements further on."""

    __slots__ = ("array", "offset")

    def __init__(self, array, offset=0):
        if not isinstance(array, numpy.ndarray):
            raise AscendError("a memory is a numpy array, this is "
                              + type(array).__name__)
        if not array.flags.c_contiguous:
            raise AscendError(f"an array of strides {array.strides} is no "
                              "memory; give one that is continuous")
        if isinstance(offset, bool) or not hasattr(offset, "__index__") \
                or not 0 <= offset <= array.size:
            raise AscendError(f"a pointer to element {offset!r} leaves the "
                              f"array of {array.size}")
        self.array, self.offset = array, int(offset)

    def __add__(self, elements):
        return Pointer(self.array, self.offset + elements)

    def __repr__(self):
        return f"pointer({self.array.dtype}, {self.offset})"


@functools.lru_cache(maxsize=None)
def _codes():
    """Numbers of element types by numpy's names."""
    spelled = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}
    return {spelled.get(row["name"], row["name"]): row["code"]
            for row in json.loads(_native.compiler().c.weft_ppl_types())}


def _memory(value, what, written):
    """An array or a pointer as the catalog takes it."""
    pointer = value if isinstance(value, Pointer) else Pointer(value)
    array = pointer.array
    code = _codes().get(array.dtype.name)
    if code is None or array.dtype.byteorder == ">":
        raise AscendError(f"{what} is of {array.dtype}; elements are integers "
                          "of 8, 16 or 32 bits, float16, bfloat16 or float32")
    if written and not array.flags.writeable:
        raise AscendError(f"{what} is a read-only array; give one that can be "
                          "written")
    return _catalog.Argument(_catalog.MEMORY, code, bytes=array.ctypes.data,
                             size=array.nbytes,
                             offset=pointer.offset * array.itemsize)


class Function(_catalog.Function):
    """A move with the document's parameters."""

    alias = "A"

    def __call__(self, *args, **kwargs):
        self.run(self.bind(args, kwargs), _catalog.RUN)

    def run(self, values, mode):
        """Runs it on values by parameter, forwards or backwards."""
        arguments = []
        for slot in self.slots:
            what = f"{self.__name__}: {slot['name']}"
            value = values[slot["name"]]
            if slot["kind"] == "tensor":
                written = (slot["access"] == "read") == \
                    (mode == _catalog.INVERSE)
                arguments.append(_memory(value, what, written))
                continue
            if isinstance(value, (bool, numpy.bool_)) or \
                    not hasattr(value, "__index__") or \
                    not -2**63 <= value.__index__() < 2**63:
                raise AscendError(f"{what} is {value!r}; give an integer")
            arguments.append(_catalog.Argument(_catalog.INTEGER,
                                               integer=value.__index__()))
        warning = _catalog.call(_SET, self.__name__.encode(), arguments,
                                AscendError, mode)[-1]
        if warning:
            file, line = caller()
            warnings.warn_explicit(f"{self.__name__}: {warning}",
                                   AscendWarning, file, line)


@functools.lru_cache(maxsize=None)
def functions():
    """All by their names."""
    return {name: Function(row)
            for name, row in _catalog.functions("ascend").items()}


def inverse(dst, src, *args, **kwargs):
    """Copies what a move with these arguments has written to L1 (`dst`) back to
    global memory (`src`). The move is the one for elements as those of
    `dst`."""
    pointer = dst if isinstance(dst, Pointer) else Pointer(dst)
    suffix = {1: "b8", 2: "b16", 4: "b32s"}.get(pointer.array.itemsize)
    if suffix is None:
        raise AscendError(f"inverse: dst is of {pointer.array.dtype}; moves "
                          "have elements of 1, 2 or 4 bytes")
    function = functions()[f"copy_gm_to_cbuf_multi_nd2nz_{suffix}"]
    bound = function.__signature__.bind(dst, src, *args, **kwargs)
    function.run(bound.arguments, _catalog.INVERSE)


class Move(dict):
    """The numbers of a move by the document's names; `function`, and where it
    begins: `dst` and `src`, in elements. Call it with L1 and global memory."""

    function, dst, src = "", 0, 0

    def _run(self, mode, l1, gm):
        functions()[self.function].run(
            {"dst": Pointer(l1, self.dst), "src": Pointer(gm, self.src),
             **self}, mode)

    def __call__(self, l1, gm):
        self._run(_catalog.RUN, l1, gm)

    def inverse(self, l1, gm):
        """Copies what the move has written back."""
        self._run(_catalog.INVERSE, l1, gm)

    def __repr__(self):
        words = ", ".join(f"{name}={value}" for name, value in self.items())
        return f"{self.function}(l1 + {self.dst}, gm + {self.src}, {words})"


class _Layout(ctypes.Structure):
    """weft_ascend_layout."""
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("kind", ctypes.c_int32),
                ("element_bytes", ctypes.c_int32)] + [
                    (name, ctypes.c_int64) for name in (
                        "dst", "src", "count", "rows", "columns",
                        "row_stride", "matrix_stride", "reserved")] + [
                    (name, ctypes.c_int64 * 4) for name in (
                        "shape", "begin", "size")]


_ND_TO_NZ, _ND_TO_ZZ, _NHWC_TO_NC1HWC0, _NHWC_TO_C1HWNC0 = range(4)


def _element_bytes(dtype):
    """Bytes of an element of a type that numpy knows, or of bfloat16."""
    name = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16"}.get(
        dtype, dtype) if isinstance(dtype, str) else dtype
    if name == "bfloat16":  # numpy knows it with ml_dtypes only
        return 2
    try:
        found = numpy.dtype(name) if name is not None else None
    except TypeError:
        found = None
    if found is None or found.name not in _codes():
        raise AscendError(f"dtype is {dtype!r}; give int8, uint8, int16, "
                          "uint16, int32, uint32, float16, bfloat16 or float32")
    return found.itemsize


def _moves(kind, dtype, **fields):
    """The moves that make a layout."""
    library = _native.compiler()
    size = _element_bytes(dtype)
    layout = _Layout(ctypes.sizeof(_Layout), kind, size)
    for name, value in fields.items():
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, bool) or not hasattr(number, "__index__") \
                    or not 0 <= number.__index__() < 2**40:
                raise AscendError(f"{name} is {value!r}; give whole numbers "
                                  "of 0 or more")
        if isinstance(value, tuple):
            value = (ctypes.c_int64 * 4)(*value)
        elif name in ("dst", "src"):
            value *= size
        setattr(layout, name, value)
    text = ctypes.c_void_p()
    library.check(library.c.weft_ascend_moves(
        ctypes.byref(layout), ctypes.byref(text)), AscendError)
    try:
        rows = json.loads(ctypes.string_at(text.value))
    finally:
        library.c.weft_compiler_free(text)
    made = []
    for row in rows:
        function = row.pop("function")
        dst, src = row.pop("dst") // size, row.pop("src") // size
        move = Move(row)
        move.function, move.dst, move.src = function, dst, src
        made.append(move)
    return made


def nd_to_nz(rows, columns, dtype, count=1, row_stride=0, matrix_stride=0,
             reserved=0, dst=0, src=0):
    """Moves of `count` matrices to [count][K1][reserved][C0], K1 = ceil(columns
    / C0). `reserved` rows, 0: `rows` rounded up to 16; those behind `rows` are
    not written. Strides, `dst` and `src` in elements; stride 0: no gaps."""
    return _moves(_ND_TO_NZ, dtype, rows=rows, columns=columns, count=count,
                  row_stride=row_stride, matrix_stride=matrix_stride,
                  reserved=reserved, dst=dst, src=src)


def nd_to_zz(rows, columns, dtype, count=1, row_stride=0, matrix_stride=0,
             dst=0, src=0):
    """Moves of matrices to bands of 16 rows: [count][bands][K2][16][C0]."""
    return _moves(_ND_TO_ZZ, dtype, rows=rows, columns=columns, count=count,
                  row_stride=row_stride, matrix_stride=matrix_stride, dst=dst,
                  src=src)


def _box(shape, begin, size):
    box = {"shape": shape, "begin": begin}
    if size is not None:
        box["size"] = size
    for name, value in box.items():
        if not isinstance(value, (list, tuple, numpy.ndarray)) or any(
                isinstance(number, bool) or not hasattr(number, "__index__")
                for number in value):
            raise AscendError(f"{name} is {value!r}; give four whole numbers: "
                              "n, h, w, c")
        box[name] = tuple(value)
        if len(value) != 4:
            raise AscendError(f"{name} {box[name]} has {len(value)} numbers; "
                              "give four: n, h, w, c")
    if size is None:
        box["size"] = tuple(whole - first for whole, first
                            in zip(box["shape"], box["begin"]))
    return box


def nhwc_to_nc1hwc0(shape, dtype, begin=(0, 0, 0, 0), size=None, dst=0, src=0):
    """Moves of a box of images [n, h, w, c] to [n][C1][h][w][C0], C1 = ceil(c /
    C0). The box is all of them, or `size` from `begin` on."""
    return _moves(_NHWC_TO_NC1HWC0, dtype, **_box(shape, begin, size), dst=dst,
                  src=src)


def nhwc_to_c1hwnc0(shape, dtype, begin=(0, 0, 0, 0), size=None, reserved=0,
                    dst=0, src=0):
    """Moves of a box of images to [C1][h][w][reserved][C0]. `reserved` images,
    0: as many as the box has; 16 or a multiple of it gives FRACTAL_Z."""
    return _moves(_NHWC_TO_C1HWNC0, dtype, **_box(shape, begin, size),
                  reserved=reserved, dst=dst, src=src)

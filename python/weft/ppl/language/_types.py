"""Element types and enumerations of the language (PPL 4.10.4)."""

import enum

import numpy

from .. import _recorder


class dtype:
    """An element type, or with `is_pointer` the type of a pointer to one."""

    def __init__(self, name, row, is_pointer=False):
        self.name, self.is_pointer = name, is_pointer
        self.code, self.bits = row["code"], row["bits"]
        self.is_float, self.is_signed = row["float"], row["signed"]
        self.spelling = row["name"]
        self._row = row

    @property
    def scalar(self):
        """The element type itself."""
        return _by_code[self.code]

    def is_floating(self):
        return self.is_float

    def is_int(self):
        return self.bits > 0 and not self.is_float

    def __eq__(self, other):
        return (isinstance(other, dtype) and self.code == other.code
                and self.is_pointer == other.is_pointer)

    def __hash__(self):
        return hash((self.code, self.is_pointer))

    def __repr__(self):
        return f"pl.{self.name}"


# The catalog's spelling: Python's name, the pointer's name.
_NAMES = {
    "fp32": ("float32", "pfp32_t"), "fp16": ("float16", "pfp16_t"),
    "bf16": ("bfloat16", "pbf16_t"), "fp8e5m2": ("float8e5", "pfp8e5_t"),
    "fp8e4m3": ("float8e4", "pfp8e4_t"), "fp20": ("fp20", "pfp20_t"),
    "tf32": ("tf32", "ptf32_t"), "fp4": ("fp4", "pfp4_t"),
    **{f"{kind}int{bits}": (f"{kind}int{bits}",
                            f"p{kind or 'i'}{bits}_t")
       for bits in (4, 8, 16, 32, 64) for kind in ("", "u")},
}

_by_code = {}
types = {}  # what `pl` offers, by name


def _fill():
    void = {"name": "void", "code": 0, "bits": 0, "float": False,
            "signed": False}
    for row in [void, *_recorder.types()]:
        name, pointer = _NAMES.get(row["name"], (row["name"],
                                                 f"p{row['name']}_t"))
        types[name] = _by_code[row["code"]] = dtype(name, row)
        types[pointer] = dtype(pointer, row, is_pointer=True)
        for alias in {row["name"], name} - {"void"}:
            setattr(dtype, f"is_{alias}",
                    lambda self, code=row["code"]: self.code == code)


_fill()

# Of the manual's list, but of no chip: known so that kernels can ask for them,
# refused where a tensor would have one.
for _name, _pointer, _bits, _float in (
        ("int1", "pi1_t", 1, False), ("float64", "pfp64_t", 64, True),
        ("float8e4b15", "pfp8e4b15_t", 8, True)):
    _row = {"name": _name, "code": -_bits, "bits": _bits, "float": _float,
            "signed": True}
    types[_name] = _by_code[-_bits] = dtype(_name, _row)
    types[_pointer] = dtype(_pointer, _row, is_pointer=True)
    setattr(dtype, f"is_{_name.replace('float64', 'fp64')}",
            lambda self, code=-_bits: self.code == code)


def of_code(code):
    return _by_code[code]


def of_numpy(kind):
    """The element type of a numpy dtype; None if there is none."""
    name = {"bool": "uint8", "float8_e4m3fn": "float8e4",
            "float8_e5m2": "float8e5"}.get(kind.name, kind.name)
    found = types.get(name)
    return found if found and found.code >= 0 else None


def of(kind):
    """A type of the language for one of it or of numpy, or for what has one."""
    if isinstance(kind, dtype):
        if kind.code < 0:
            raise _recorder.PplError(
                f"no chip has elements of the type {kind!r}; use "
                + ("pl.float32" if kind.bits == 64 else "pl.int8"
                   if kind.bits == 1 else "pl.float8e4"))
        return kind
    if not isinstance(kind, type) and isinstance(
            getattr(kind, "dtype", None), dtype):
        return kind.dtype
    is_numpy = isinstance(kind, (numpy.dtype, numpy.ndarray)) or (
        isinstance(kind, type) and issubclass(kind, numpy.generic))
    found = of_numpy(numpy.dtype(getattr(kind, "dtype", kind)
                                 if isinstance(kind, numpy.ndarray)
                                 else kind)) if is_numpy else None
    if found is None:
        raise _recorder.PplError(f"the type is {kind!r}; give one of the "
                                 "language, such as pl.float32")
    return found


def get_scalar_dtype(kind):
    """The element type of a type, a pointer type or anything with `dtype`."""
    return of(kind).scalar


class mtype(enum.IntEnum):
    L2 = _recorder.L2
    GLOBAL = _recorder.GLOBAL
    LOCAL = _recorder.LOCAL


class round_mode(enum.IntEnum):
    RM_HALF_TO_EVEN = 0
    RM_HALF_AWAY_FROM_ZERO = 1
    RM_TOWARDS_ZERO = 2
    RM_DOWN = 3
    RM_UP = 4
    RM_HALF_UP = 5
    RM_HALF_DOWN = 6


class align_mode(enum.IntEnum):
    CONTINUOUS = 0
    TPU_ALIGN = 1
    TPU_COMPACT = 2
    TPU_ROW_ALIGN = 3
    NONE_ALIGN = 4


class transpose_mode(enum.IntEnum):
    NC_TRANS = 0
    CW_TRANS = 1


class coeff_table_mode(enum.IntEnum):
    EXP = 0
    LOG = 1
    SIN = 2
    COS = 3
    TAN = 4
    ARCSIN = 5
    ERF_TAYLOR = 6
    SERIAL_NUMBER = 30


class all_reduce_psum(enum.IntEnum):
    ALL_REDUCE_PSUM_WO = 0
    ALL_REDUCE_PSUM_WR = 1


class all_reduce_opcode(enum.IntEnum):
    ALL_REDUCE_NOP = 0
    ALL_REDUCE_MUL = 1
    ALL_REDUCE_MAX = 2
    ALL_REDUCE_MIN = 3
    ALL_REDUCE_ADD = 4


ENUMERATIONS = (mtype, round_mode, align_mode, transpose_mode,
                coeff_table_mode, all_reduce_psum, all_reduce_opcode)


class constexpr:
    """Annotation of parameters that are known when a kernel is compiled."""

"""Types, vectors, masks and addresses of vector functions."""

import numbers
import re

import numpy

from .. import _catalog
from .._place import LocatedError

MOST_LANES = 4096


class ZhouyiError(LocatedError):
    """A call is wrong: `reason` says what was found and what must be;
    `file` and `line` are the caller's."""


_SHORT = {"i": "int", "u": "uint", "fp": "float"}


class VectorType:
    """`S.int32x8`; calling it makes a vector: of one number in all lanes, or of
    as many numbers as lanes. `S.int32` is the type of scalar variables."""

    _made = {}

    def __new__(cls, element, lanes):
        key = (element.name, lanes)
        if key not in cls._made:
            made = super().__new__(cls)
            made.element, made.lanes = element, lanes
            cls._made[key] = made
        return cls._made[key]

    def __call__(self, values=0):
        if isinstance(values, numbers.Number) or numpy.ndim(values) == 0:
            filled = numpy.full(self.lanes, converted([values], self.element))
            return Vector(self, filled)
        given = converted(values, self.element)
        if self.lanes == 1 and given.ndim == 1 and given.size > 1:
            raise ZhouyiError(f"{self} is the type of one number; the type of "
                              f"{given.size} lanes is {self}x{given.size}")
        if given.shape != (self.lanes,):
            raise ZhouyiError(f"{self} gets values of shape {given.shape}; give "
                              f"one number, or {self.lanes} in one row")
        return Vector(self, given)

    @property
    def bytes(self):
        return self.lanes * self.element.numpy.itemsize

    def __repr__(self):
        return self.element.name + (f"x{self.lanes}" if self.lanes > 1 else "")


def type_named(name):
    """The type for a name: int8x32, i8x32, float16x7, fp32x8, uint8; None if
    it is none."""
    match = re.fullmatch(r"(int|uint|float|i|u|fp)(8|16|32)(?:x([1-9]\d*))?",
                         name)
    if not match:
        return None
    element = _catalog.element_types().get(
        _SHORT.get(match[1], match[1]) + match[2])
    lanes = int(match[3] or 1)
    return VectorType(element, lanes) if element and lanes <= MOST_LANES \
        else None


def type_of(value, what="dtype"):
    """A type for one, its name, or a vector."""
    if isinstance(value, VectorType):
        return value
    if isinstance(value, numpy.dtype) or isinstance(value, type) and \
            issubclass(value, numpy.generic):
        value = numpy.dtype(value).name
    found = type_named(value) if isinstance(value, str) else \
        getattr(value, "dtype", None)
    if not isinstance(found, VectorType):
        raise ZhouyiError(f"{what} is {value!r}; give a type such as "
                          "S.int32x8, or its name; elements are "
                          + ", ".join(_catalog.element_types()))
    return found


def whole(value, what):
    """A whole number as an int."""
    if isinstance(value, bool) or not hasattr(type(value), "__index__") or \
            hasattr(value, "kernel"):
        raise ZhouyiError(f"{what} is {value!r}; give a whole number")
    return value.__index__()


def converted(values, element):
    """Numbers as an array of an element type that holds them exactly (floats
    are rounded)."""
    array = numpy.asarray(values)
    if array.dtype == element.numpy:
        return numpy.array(array)
    if array.dtype.kind not in "iuf" and array.dtype != object:
        raise ZhouyiError(f"{element} gets values of {array.dtype}; give "
                          "numbers")
    if element.is_float:
        with numpy.errstate(over="ignore"):
            return array.astype(numpy.float64).astype(element.numpy)
    for value in array.ravel().tolist():
        if value != value or value != value // 1 or \
                not element.low <= value <= element.high:
            raise ZhouyiError(f"{value} is no {element}; give whole numbers "
                              f"from {element.low} to {element.high}")
    return array.astype(element.numpy)


class Vector:
    """Values of a vector function: `values` (numpy, undefined lanes are 0) and
    `defined` (numpy bool). Cannot be changed.

    `v[i]` and iteration give Python numbers, None for undefined lanes;
    numpy.asarray(v) refuses those. A scalar variable has one lane and is also
    an int or a float. Vectors are equal if type, defined lanes and their bits
    are.
    """

    __slots__ = ("dtype", "values", "defined", "_all")

    def __init__(self, dtype, values, defined=None):
        self.dtype, self.values = dtype, values
        self._all = defined is None or bool(defined.all())
        self.defined = numpy.ones(dtype.lanes, bool) if self._all else defined
        self.values.flags.writeable = self.defined.flags.writeable = False

    @property
    def lanes(self):
        return self.dtype.lanes

    @property
    def is_defined(self):
        """Whether every lane has a value."""
        return self._all

    def __len__(self):
        return self.dtype.lanes

    def __getitem__(self, lane):
        if isinstance(lane, slice):
            return [self[i] for i in range(*lane.indices(len(self)))]
        return self.values[lane].item() if self.defined[lane] else None

    def __iter__(self):
        return (self[lane] for lane in range(len(self)))

    def __eq__(self, other):
        if not isinstance(other, Vector):
            return NotImplemented
        return (self.dtype is other.dtype
                and numpy.array_equal(self.defined, other.defined)
                and self.values[self.defined].tobytes()
                == other.values[other.defined].tobytes())

    __hash__ = None

    def _require_defined(self):
        if not self._all:
            lane = int(numpy.argmin(self.defined))
            raise ZhouyiError(f"lane {lane} of {self!r} has no value; look at "
                              "`defined`, or give `r` or a wider mask")

    def __array__(self, dtype=None, copy=None):
        self._require_defined()
        return numpy.array(self.values, dtype or self.values.dtype)

    def _scalar(self):
        if self.lanes != 1:
            raise ZhouyiError(f"{self!r} has {self.lanes} lanes; only a scalar "
                              "is a number")
        self._require_defined()
        return self.values[0].item()

    def __int__(self):
        return int(self._scalar())

    def __float__(self):
        return float(self._scalar())

    def __str__(self):
        return " ".join(str(value) if known else "?" for value, known
                        in zip(self.values, self.defined))

    def __repr__(self):
        return f"{self.dtype!r}({self})"


class Mask:
    """Active lanes: `lanes` is a numpy array of bool."""

    __slots__ = ("lanes",)

    def __init__(self, lanes):
        self.lanes = lanes

    def __len__(self):
        return len(self.lanes)

    def __str__(self):
        return "".join("FT"[int(lane)] for lane in self.lanes)

    def __repr__(self):
        return f"mask({self})"


def _bools(values, what):
    """An array of bool of a list, tuple or array of bools."""
    try:
        array = numpy.asarray(values)
    except ValueError:  # rows of several lengths
        array = numpy.zeros((1, 1), bool)
    if array.ndim != 1:
        raise ZhouyiError(f"{what} has more than one axis; give bools in one "
                          "row")
    if array.size and array.dtype != bool:
        wrong = next((value for value in array.tolist()
                      if not isinstance(value, bool)), array.dtype)
        raise ZhouyiError(f"{what} holds {wrong!r}; it must hold bools")
    return array.astype(bool)


def vector(values, dtype=None):
    """A vector of a numpy array (its type) or of numbers and a type."""
    if dtype is not None:
        return type_of(dtype)(values)
    array = numpy.asarray(values)
    element = _catalog.element_types().get(array.dtype.name)
    if element is None or array.dtype.byteorder == ">":
        raise ZhouyiError(f"values of {array.dtype} are no vector; give an "
                          "array of " + ", ".join(_catalog.element_types())
                          + ", or a dtype")
    if array.ndim != 1 or not 2 <= array.size <= MOST_LANES:
        raise ZhouyiError(f"an array of shape {array.shape} is no vector; give "
                          f"2 to {MOST_LANES} elements in one row, or a scalar "
                          "such as S.int8(3)")
    return Vector(VectorType(element, array.size), numpy.array(array))


class Pointer:
    """Memory that a function reads and writes: an array and an element in it;
    `p + n` is n elements further on."""

    __slots__ = ("array", "offset")

    def __init__(self, array, offset=0):
        if not isinstance(array, numpy.ndarray) or \
                not array.flags.c_contiguous or not array.flags.writeable:
            raise ZhouyiError("a pointer is to a numpy array that is continuous "
                              f"and can be written, this is {_kind(array)}")
        if not 0 <= offset <= array.size:
            raise ZhouyiError(f"a pointer to element {offset} leaves the array "
                              f"of {array.size}")
        self.array, self.offset = array, offset

    def __add__(self, elements):
        return Pointer(self.array, self.offset + elements)

    def __repr__(self):
        return f"pointer({self.array.dtype}, {self.offset})"


def _kind(value):
    return f"an array of strides {value.strides}" \
        if isinstance(value, numpy.ndarray) else repr(value)


def mask_argument(value, what):
    """A mask as `_catalog.Argument` with what it borrows."""
    if isinstance(value, str):
        text = value.encode()
        if b"\0" in text:
            raise ZhouyiError(f"{what} is {value!r}; it may have T, F, digits "
                              "and _ only")
        return _catalog.Argument(_catalog.MASK, text=text), text
    if isinstance(value, Mask):
        array = value.lanes
    elif isinstance(value, (list, tuple, numpy.ndarray)):
        array = _bools(value, what)
    else:
        raise ZhouyiError(f"{what} is {value!r}; give a tuple, list or numpy "
                          "array of bools, a string such as \"3T5F\", or "
                          "S.tail_mask(..)")
    lanes = numpy.ascontiguousarray(array).view(numpy.uint8)
    if not len(lanes):
        lanes = numpy.zeros(1, numpy.uint8)
    return _catalog.Argument(_catalog.MASK, lanes=len(lanes),
                             bytes=lanes.ctypes.data, size=len(lanes)), lanes


def number_argument(value, what):
    """A Python number."""
    if isinstance(value, numbers.Integral):
        value = int(value)
        if not -2**63 <= value < 2**63:
            raise ZhouyiError(f"{what} is {value}; integers have 64 bits at "
                              "most")
        return _catalog.Argument(_catalog.INTEGER, integer=value)
    return _catalog.Argument(_catalog.FLOAT, real=float(value))


def is_number(value):
    return isinstance(value, numbers.Real) and \
        not isinstance(value, (bool, numpy.bool_)) and \
        not (isinstance(value, numpy.generic)
             and value.dtype.name in _catalog.element_types())


def as_vector(value):
    """A vector for one, an array, or a scalar of numpy; None for anything
    else."""
    if isinstance(value, Vector):
        return value
    if isinstance(value, numpy.ndarray):
        return vector(value)
    if isinstance(value, numpy.generic) and \
            value.dtype.name in _catalog.element_types():
        element = _catalog.element_types()[value.dtype.name]
        return Vector(VectorType(element, 1), numpy.array([value]))
    return None


def vector_argument(value, what):
    """A vector or a number as `_catalog.Argument` with what it borrows."""
    given = as_vector(value)
    if given is not None:
        data = given.values
        defined = None if given.is_defined else \
            given.defined.view(numpy.uint8)
        return _catalog.Argument(
            _catalog.VECTOR, given.dtype.element.code, lanes=given.lanes,
            bytes=data.ctypes.data, size=data.nbytes,
            defined=None if defined is None else defined.ctypes.data), \
            (given, defined)
    if is_number(value):
        return number_argument(value, what), None
    raise ZhouyiError(f"{what} is {value!r}; give a vector, an array or a "
                      "number")


def memory_argument(value, what):
    """A pointer as `_catalog.Argument`."""
    pointer = value if isinstance(value, Pointer) else Pointer(value)
    array = pointer.array
    element = _catalog.element_types().get(array.dtype.name)
    if element is None:
        raise ZhouyiError(f"{what} points at {array.dtype}; give a pointer to "
                          "float32")
    skipped = pointer.offset * array.itemsize
    return _catalog.Argument(_catalog.MEMORY, element.code,
                             bytes=array.ctypes.data + skipped,
                             size=array.nbytes - skipped), array

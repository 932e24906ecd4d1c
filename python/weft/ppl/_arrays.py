"""The arrays of a launch: what a kernel gets, in memory of the device."""

import ctypes
import inspect
import sys

import numpy

from . import _recorder
from ._recorder import PplError, PplTypeError


def array_of(value):
    """The numpy array behind an argument; None for a scalar. A tensor of torch
    shares its memory with it."""
    if isinstance(value, numpy.ndarray):
        return value
    if not hasattr(value, "numpy") or not hasattr(value, "dtype"):
        return None
    if hasattr(value, "detach"):
        value = value.detach()
    try:
        return value.numpy()
    except TypeError as error:
        if str(value.dtype) != "torch.bfloat16":
            raise PplTypeError(f"a tensor of {value.dtype} on "
                               f"{getattr(value, 'device', 'a device')} is no "
                               f"array of the host ({error}); pass x.cpu(), "
                               "and copy the results back") from None
    # numpy has the type from ml_dtypes only.
    bits = value.view(getattr(sys.modules["torch"], "int16")).numpy()
    try:
        import ml_dtypes
    except ImportError:
        raise PplTypeError("bfloat16 of torch needs the package ml_dtypes; "
                           "install it") from None
    return bits.view(ml_dtypes.bfloat16)


class _Hashable(numpy.ndarray):
    """An array as a key of a cache: itself, whatever is in it."""

    def __hash__(self):
        return id(self)


def hashable(value):
    return value.view(_Hashable) if type(value) is numpy.ndarray else value


def described(value):
    """What a program depends on of an argument."""
    array = array_of(value)
    return repr(value) if array is None else (array.shape, str(array.dtype))


def sizes_of(value):
    """Integers that blocks of an argument may be as large as."""
    array = array_of(value)
    if array is not None:
        return array.shape
    return [value] if isinstance(value, (int, numpy.integer)) else []


def _native(kind):
    """A numpy type in the byte order of the device."""
    return kind.newbyteorder("=")


# Moved in numpy 1.25.
_TooHard = getattr(numpy, "exceptions", numpy).TooHardError


class _Array:
    """One array, or several with the same bytes in the same order, in device
    memory."""

    def __init__(self, name, array, address):
        self.name, self.array, self.address = name, array, address
        self.memory = numpy.ctypeslib.as_array(
            ctypes.cast(address, ctypes.POINTER(ctypes.c_uint8)),
            (array.nbytes,))
        self.kind = _native(array.dtype)
        self.before = numpy.ascontiguousarray(array, self.kind).tobytes()
        self.memory[:] = numpy.frombuffer(self.before, numpy.uint8)

    def has_bytes_of(self, array):
        """Whether a kernel that writes this one writes that one, too."""
        own = self.array
        if (own.ctypes.data != array.ctypes.data or own.nbytes != array.nbytes
                or own.dtype != _native(own.dtype)
                or array.dtype != _native(array.dtype)):
            return own is array
        return (own.flags.c_contiguous and array.flags.c_contiguous
                or own.shape == array.shape and own.strides == array.strides
                and own.dtype == array.dtype)

    def is_changed(self):
        return self.memory.tobytes() != self.before

    def overlaps(self, other):
        try:
            return numpy.shares_memory(self.array, other.array, 10**5)
        except _TooHard:
            return True

    def check_write(self):
        if not self.array.flags.writeable:
            raise PplError(f"the kernel writes argument '{self.name}', which "
                           "is a read-only array; pass a copy")
        if any(stride == 0 and size > 1 for stride, size in
               zip(self.array.strides, self.array.shape)):
            raise PplError(f"the kernel writes argument '{self.name}', an "
                           "array of which elements share memory; pass a copy")

    def copy_back(self):
        self.array[...] = self.memory.view(self.kind).reshape(self.array.shape)


class Arrays:
    """The arrays of a launch."""

    def __init__(self):
        self.arrays = []

    def find(self, array):
        """The one with the bytes of `array`, if there is one."""
        for known in self.arrays:
            if known.has_bytes_of(array):
                if array.flags.writeable:
                    known.array, known.kind = array, _native(array.dtype)
                return known
        return None

    def add(self, name, array, address):
        self.arrays.append(_Array(name, array, address))

    def copy_back(self):
        """What the kernel has changed, if it is clear: all or nothing."""
        changed = [array for array in self.arrays if array.is_changed()]
        for array in changed:
            array.check_write()
            for other in self.arrays:
                if other is not array and array.overlaps(other):
                    raise PplError(
                        f"the kernel writes argument '{array.name}', which "
                        f"shares memory with '{other.name}' in part or in "
                        "another order; each has memory of its own on the "
                        "device; pass a copy, or the whole array once and add "
                        "to its pointer in the kernel")
        for array in changed:
            array.copy_back()


def allocate(program, bound):
    """Device memory for the arrays, and the arguments that the kernel gets."""
    arrays = Arrays()
    given = inspect.BoundArguments(bound.signature, dict(bound.arguments))
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            value = tuple(_device_value(program, f"{name}{i}", one, arrays)
                          for i, one in enumerate(value))
        elif kind is inspect.Parameter.VAR_KEYWORD:
            value = {key: _device_value(program, key, one, arrays)
                     for key, one in value.items()}
        else:
            value = _device_value(program, name, value, arrays)
        given.arguments[name] = value
    return arrays, given


def _device_value(program, name, value, arrays):
    """A pointer for an array, which is added to `arrays`; a scalar itself."""
    from . import language as pl
    array = array_of(value)
    if array is None:
        return value.item() if isinstance(value, numpy.generic) else value
    kind = pl.of_numpy(array.dtype)
    if kind is None:
        raise PplError(
            f"argument '{name}' has the numpy type {array.dtype}; the chip has "
            "float32, float16, integers, and bfloat16 and float8 of ml_dtypes: "
            f"{name}.astype(numpy.float32)")
    if array.size == 0:
        raise PplError(f"argument '{name}' has no elements; give 1 or more")
    shape = [1] * max(0, 4 - array.ndim) + list(array.shape)
    while len(shape) > 4:  # the last axes together
        shape[-2:] = [shape[-2] * shape[-1]]
    known = arrays.find(array)
    if known is None:
        table = program.table
        address = table.allocate(table.self, kind.code, _recorder.sizes(shape),
                                 name.encode(), _recorder.here())
        program.check_recording()
        arrays.add(name, array, address)
    else:
        address = known.address
    return pl.pointer(address, pl.pointer_type(kind), array.shape, name)

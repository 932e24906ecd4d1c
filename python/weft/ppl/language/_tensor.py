"""Tensors of the language (PPL 4.10.3) and the arguments of its functions."""

import ctypes
import numbers

import numpy

from .. import _recorder
from . import _types
from ._types import align_mode, mtype

_recorder_error = _recorder.PplError


class pointer:
    """Device memory that a kernel gets as an argument.

    `dtype` is a pointer type; `ptr + n` is `n` elements further on.
    """

    def __init__(self, address, kind, shape=(), name="", recording=None):
        self.address, self.dtype = address, kind
        self.shape, self.name = tuple(shape), name
        self.recording = recording or _recorder.active().recording

    def set_dtype(self, kind):
        """Retypes what it points at; takes a pointer type or an element type."""
        kind = _types.of(kind)
        self.dtype = _types.types[
            _types._NAMES[kind.scalar.spelling][1]] if kind.bits else kind

    def __add__(self, elements):
        bits = (_recorder.integer(elements, "what is added to a pointer")
                * self.dtype.bits)
        if bits % 8:
            raise _recorder_error(f"pointer + {elements} is not at a whole "
                                  "byte; use an even number of elements")
        return pointer(self.address + bits // 8, self.dtype, (), self.name,
                       self.recording)

    def __repr__(self):
        return f"pointer({self.name}: {self.dtype})"


class tensor:
    """A tensor in local memory, or in global or L2 memory (`gtensor`)."""

    def __init__(self, program, number, kind, shape, memory):
        self.program, self.number = program, number
        self.dtype, self.shape, self.memory = kind, list(shape), memory
        self.recording = program.recording

    def _check_present(self):
        _recorder.check_present(self.recording, repr(self))

    def _derive(self, number, kind, shape):
        self.program.check_recording()
        return tensor(self.program, number, kind, shape, self.memory)

    def description(self):
        """Type, memory, layout, lane, shape and strides as the compiler has
        them."""
        self._check_present()
        result = _recorder.TensorDescription()
        table = self.program.table
        table.describe(table.self, self.number, ctypes.byref(result))
        return result

    @property
    def stride(self):
        return list(self.description().strides)

    def view(self, *, shape=None, stride=None, dtype=None, align_mode=None):
        """The same bytes with another shape, strides (in elements), element
        type or layout."""
        self._check_present()
        table = self.program.table
        kind = _types.get_scalar_dtype(dtype) if dtype else self.dtype
        shape = list(self.shape if shape is None else shape)
        layout = -1 if align_mode is None else \
            _recorder.integer(align_mode, "align_mode")
        strides = None
        if stride is not None:
            strides = _recorder.sizes(stride, "stride")
            layout = int(_types.align_mode.NONE_ALIGN)
        number = table.view(table.self, self.number, kind.code,
                            _recorder.sizes(shape), layout, strides,
                            _recorder.here())
        return self._derive(number, kind, shape)

    def sub_view(self, shape, offset, stride=None):
        """The part of `shape` at `offset`; `stride` (in elements) replaces the
        strides."""
        self._check_present()
        table = self.program.table
        number = table.sub_view(table.self, self.number,
                                _recorder.sizes(shape),
                                _recorder.sizes(offset, "offset"),
                                _recorder.here())
        part = self._derive(number, self.dtype, shape)
        return part if stride is None else part.view(stride=stride)

    def __getitem__(self, index):
        """`t[:, 2:5]` is `sub_view`; a step multiplies the stride."""
        parts = index if isinstance(index, tuple) else (index,)
        if len(parts) > 4:
            raise _recorder_error(f"{len(parts)} indices for four axes")
        shape, offset, steps = [], [], []
        for axis, size in enumerate(self.shape):
            part = parts[axis] if axis < len(parts) else slice(None)
            if not isinstance(part, slice):
                part = slice(part, part + 1 if part != -1 else None)
            begin, end, step = part.indices(int(size))
            if step < 1 or end <= begin:
                raise _recorder_error(
                    f"slice {part.start}:{part.stop}:{part.step} of axis "
                    f"{'nchw'[axis]} with {size} elements is empty; give "
                    "ascending bounds inside of it")
            shape.append(end - begin)
            offset.append(begin)
            steps.append(step)
        part = self.sub_view(shape, offset)
        if steps == [1, 1, 1, 1]:
            return part
        if steps[1] != 1 and self.memory == mtype.LOCAL:
            raise _recorder_error("channels of a local tensor lie in lanes, a "
                                  "step over them has no strides; use step 1")
        stride = [a * b for a, b in zip(part.stride, steps)]
        shape = [-(-size // step) for size, step in zip(shape, steps)]
        return part.view(shape=shape, stride=stride)

    def set_dtype(self, kind):
        """Retypes the tensor itself."""
        other = self.view(dtype=kind)
        self.number, self.dtype = other.number, other.dtype

    def __repr__(self):
        return f"tensor({self.dtype}, {self.shape}, {mtype(self.memory).name})"


def is_tensor(value):
    return isinstance(value, tensor)


def make_tensor(mem_shape, dtype, tensor_shape=None,
                align_mode=align_mode.TPU_ALIGN):
    """A tensor in local memory of `mem_shape`, seen as `tensor_shape`."""
    program = _recorder.active()
    table = program.table
    kind = _types.get_scalar_dtype(dtype)
    block = _recorder.sizes(mem_shape, "mem_shape")
    if tensor_shape is not None and any(
            part > whole for part, whole in
            zip(_recorder.sizes(tensor_shape, "tensor_shape"), block)):
        raise _recorder_error(f"tensor_shape {list(tensor_shape)} exceeds "
                              f"mem_shape {list(mem_shape)}; make the block "
                              "larger")
    number = table.make_tensor(table.self, mtype.LOCAL, kind.code,
                               block,
                               _recorder.integer(align_mode, "align_mode"),
                               None, _recorder.NO_ADDRESS, _recorder.here())
    program.check_recording()
    whole = tensor(program, number, kind, mem_shape, mtype.LOCAL)
    if tensor_shape is None or list(tensor_shape) == list(mem_shape):
        return whole
    return whole.view(shape=tensor_shape)


def gtensor(shape, mem, ptr=None, dtype=None):
    """A tensor in memory `mem`: pl.GLOBAL at `ptr`, or pl.L2.

    `dtype` defaults to what `ptr` points at, without one to pl.int32.
    """
    program = _recorder.active()
    if ptr is None and mem == mtype.GLOBAL:
        raise _recorder_error("gtensor in GLOBAL memory needs ptr, a pointer "
                              "argument of the kernel")
    address = _recorder.NO_ADDRESS
    if isinstance(ptr, pointer):
        _recorder.check_present(ptr.recording, repr(ptr))
        address = ptr.address
    elif mem != mtype.GLOBAL and isinstance(ptr, numbers.Integral):
        address, ptr = int(ptr), None
    elif ptr is not None:
        raise _recorder_error(f"ptr of gtensor is of the type "
                              f"{type(ptr).__name__}; it must be a pointer: "
                              "an array that the kernel got as an argument of "
                              "its own")
    if dtype is None:
        dtype = ptr.dtype if ptr is not None else _types.types["int32"]
    kind = _types.get_scalar_dtype(dtype)
    table = program.table
    number = table.make_tensor(table.self, _recorder.integer(mem, "mem"),
                               kind.code,
                               _recorder.sizes(shape),
                               int(align_mode.CONTINUOUS), None, int(address),
                               _recorder.here())
    program.check_recording()
    return tensor(program, number, kind, shape, mem)


def make_gtensor_permute(mem_shape, mem_stride, dtype, addr, order,
                         mode=mtype.GLOBAL):
    """Memory of `mem_shape` and `mem_stride` (None: dense) with its axes in
    another order: axis i of the result is axis order[i] of memory."""
    if sorted(_recorder.sizes(order, "order")) != [0, 1, 2, 3]:
        raise _recorder_error(f"order {list(order)} is no permutation of "
                              "0, 1, 2, 3")
    if mem_stride is None:
        n, c, h, w = mem_shape
        mem_stride = [c * h * w, h * w, w, 1]
    whole = gtensor(mem_shape, mode, addr, dtype)
    return whole.view(shape=[mem_shape[i] for i in order],
                      stride=[mem_stride[i] for i in order])


def argument(value, slot, keep):
    """A value as the recorder takes it; `keep` holds what it borrows."""
    result = _recorder.Argument()
    if isinstance(value, numpy.generic):
        value = value.item()
    if value is None:
        result.kind = _recorder.OMITTED
    elif is_tensor(value):
        value._check_present()
        result.kind, result.integer = _recorder.TENSOR, value.number
    elif isinstance(value, _types.dtype):
        result.kind, result.integer = _recorder.INTEGER, value.code
    elif isinstance(value, (list, tuple)):
        array = _recorder.integers(value, slot["name"])
        keep.append(array)
        result.kind, result.count = _recorder.INTEGERS, len(value)
        result.integers = ctypes.cast(array, ctypes.POINTER(ctypes.c_int64))
    elif isinstance(value, numbers.Integral) and slot["kind"] != "float":
        result.kind = _recorder.INTEGER
        result.integer = _recorder.integer(value, slot["name"])
    elif isinstance(value, numbers.Real):
        result.kind, result.real = _recorder.FLOAT, float(value)
    else:
        raise _recorder_error(
            f"{slot['name']} is {value!r}; it must be a tensor, a number, a "
            "list of integers or a type")
    return result


def call(operation, values):
    """Records a call of a function of the catalog with values by slot name."""
    program = _recorder.active()
    keep = []
    slots = operation["slots"]
    lacking = [name for name, value in values.items()
               if value is not None and value is not False
               and all(name != slot["name"] for slot in slots)]
    if lacking:
        raise _recorder_error(f"{operation['name']} has no parameter "
                              + ", ".join(lacking) + "; leave it out")
    arguments = (_recorder.Argument * len(slots))(
        *(argument(values.get(slot["name"]), slot, keep) for slot in slots))
    table = program.table
    table.call(table.self, operation["name"].encode(), arguments, len(slots),
               _recorder.here())
    program.check_recording()

"""Tensors of the language (PPL 4.10.3) and the arguments of its functions."""

import ctypes
import numbers
import operator

import numpy

from .. import _recorder, _stepping
from . import _types
from ._types import align_mode, mtype
from ._recorded_value import RecordedValue

_recorder_error = _recorder.PplError


class pointer(RecordedValue):
    """Device memory that a kernel gets as an argument.

    `dtype` is a pointer type; `ptr + n` is `n` elements further on.
    """

    _way_out = ("an array was passed where the kernel uses a number; pass the "
                "number, or read it as a tensor: "
                "pl.dma.load(pl.gtensor(shape, pl.GLOBAL, ptr))")

    def __bool__(self):
        return True  # an argument that may be None

    def __getitem__(self, index):
        raise _recorder.PplTypeError(
            f"{self!r}[{index}]: memory of the device is read as a tensor: "
            "pl.gtensor(shape, pl.GLOBAL, ptr), or ptr + n for a place n "
            "elements on")

    def __setitem__(self, index, value):
        raise _recorder.PplTypeError(
            f"{self!r}[{index}] = ..: memory of the device is written by "
            "pl.dma.store(pl.gtensor(shape, pl.GLOBAL, ptr), tensor)")

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
        if isinstance(elements, (tensor, pointer)):
            raise _recorder.PplTypeError(
                f"{self!r} + {elements!r}: a pointer goes on by a number of "
                "elements; tensors are added, so load it: "
                "pl.dma.load(pl.gtensor(shape, pl.GLOBAL, ptr))")
        bits = (_recorder.integer(elements, "what is added to a pointer")
                * self.dtype.bits)
        if bits % 8:
            raise _recorder_error(f"pointer + {elements} is not at a whole "
                                  "byte; use an even number of elements")
        return pointer(self.address + bits // 8, self.dtype, (), self.name,
                       self.recording)

    __radd__ = __add__

    def __sub__(self, elements):
        return self + -_recorder.integer(elements,
                                         "what is taken from a pointer")

    def __repr__(self):
        return f"pointer({self.name}: {self.dtype})"


class tensor(RecordedValue):
    """A tensor in local memory, or in global or L2 memory (`gtensor`)."""

    def __init__(self, program, number, kind, shape, memory):
        hidden = self.__dict__
        hidden["program"], hidden["number"] = program, number
        hidden["dtype"], hidden["memory"] = kind, memory
        hidden["_shape"] = [int(size) for size in shape]
        hidden["recording"] = program.recording

    @property
    def shape(self):
        """[n, c, h, w]"""
        return list(self._shape)

    def __setattr__(self, name, value):
        way_out = {"shape": "x.view(shape=..) gives the same bytes with "
                            "another shape",
                   "dtype": "x.view(dtype=..) gives the same bytes as another "
                            "type, pl.tiu.cast(x, type=..) the same values",
                   "stride": "x.view(stride=..) gives the same bytes with "
                             "other strides"}
        raise _recorder.PplAttributeError(
            f"{name} of a tensor cannot be set; " + way_out.get(
                name, "keep what belongs to a tensor in a variable"))

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

    def view(self, shape=None, stride=None, dtype=None, align_mode=None):
        """The same bytes with another shape, strides (in elements), element
        type or layout."""
        self._check_present()
        if isinstance(shape, _types.dtype):
            raise _recorder.PplTypeError(f"shape of view is {shape!r}; a type "
                                         f"goes by name: view(dtype={shape!r})")
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

    def sub_view(self, shape=None, offset=None, stride=None):
        """The part of `shape` at `offset`; `stride` (in elements) replaces the
        strides."""
        self._check_present()
        table = self.program.table
        shape = self.shape if shape is None else shape
        offset = [0, 0, 0, 0] if offset is None else offset
        _recorder.sizes(shape)
        if any(begin < 0 for begin in _recorder.sizes(offset, "offset")):
            raise _recorder_error(f"offset {list(offset)} of sub_view is "
                                  "negative; offsets count from 0")
        number = table.sub_view(table.self, self.number,
                                _recorder.sizes(shape),
                                _recorder.sizes(offset, "offset"),
                                _recorder.here())
        part = self._derive(number, self.dtype, shape)
        return part if stride is None else part.view(stride=stride)

    def _part_of_axis(self, axis, part):
        """begin, end and step of an index on an axis."""
        size, name = self._shape[axis], "nchw"[axis]
        if isinstance(part, tensor):
            raise _recorder.PplTypeError(
                f"the index of axis {name} is {part!r}; elements that a tensor "
                "names are gathered: pl.tiu.gather_w, pl.dma.gather_h, those "
                "of a mask are pl.dma.mask_select")
        if not isinstance(part, slice):
            part = _recorder.integer(part, f"the index of axis {name}")
            if not -size <= part < size:
                raise _recorder_error(f"index {part} of axis {name}, which has "
                                      f"{size} elements; give 0 to {size - 1}")
            part %= size
            return part, part + 1, 1
        step = 1 if part.step is None else _recorder.integer(
            part.step, f"the step of axis {name}")
        ends = [given if given is None else _recorder.integer(
            given, f"a bound of axis {name}")
            for given in (part.start, part.stop)]
        begin, end = (
            default if given is None else given + size if given < 0 else given
            for given, default in zip(ends, (0, size)))
        text = ":".join("" if bound is None else str(bound) for bound in
                        ((*ends, step) if step != 1 else ends))
        if step < 1:
            raise _recorder_error(
                f"slice {text} of axis {name} goes backwards; the step is 1 or "
                "more, " + self._turning())
        if not 0 <= begin <= size or not 0 <= end <= size:
            raise _recorder_error(
                f"slice {text} of axis {name} leaves its {size} elements; "
                f"bounds are 0 to {size}, those of a last block min(end, "
                f"{size})")
        if end <= begin:
            raise _recorder_error(
                f"slice {text} of axis {name} with {size} elements is empty; "
                "give ascending bounds inside of it")
        return begin, end, step

    def _turning(self):
        """What turns an axis round on this chip."""
        if self.program.target in _recorder.catalog()["dma.reverse"]["chips"]:
            return "pl.dma.reverse turns an axis round"
        return ("gather what is to be turned by a list of descending indices: "
                "pl.tiu.gather_w")

    def __getitem__(self, index):
        """`t[:, 2:5]` is `sub_view`; a step multiplies the stride."""
        parts = index if isinstance(index, tuple) else (index,)
        if any(part is Ellipsis for part in parts):
            at = next(i for i, part in enumerate(parts) if part is Ellipsis)
            parts = (*parts[:at], *[slice(None)] * (5 - len(parts)),
                     *parts[at + 1:])
        if len(parts) > 4:
            raise _recorder_error(f"{len(parts)} indices for four axes, n, c, "
                                  "h and w")
        shape, offset, steps = [], [], []
        for axis in range(4):
            begin, end, step = self._part_of_axis(
                axis, parts[axis] if axis < len(parts) else slice(None))
            shape.append(end - begin)
            offset.append(begin)
            steps.append(step)
        part = self.sub_view(shape, offset)
        part.__dict__["_origin"] = (self.number, index)
        if steps == [1, 1, 1, 1]:
            return part
        if steps[1] != 1 and self.memory == mtype.LOCAL:
            raise _recorder_error("channels of a local tensor lie in lanes, a "
                                  "step over them has no strides; use step 1")
        stride = [a * b for a, b in zip(part.stride, steps)]
        shape = [-(-size // step) for size, step in zip(shape, steps)]
        return part.view(shape=shape, stride=stride)

    def __setitem__(self, index, value):
        if (isinstance(value, tensor) and value.__dict__.get("_is_written")
                and value.__dict__.get("_origin") == (self.number, index)):
            return  # of t[..] += x, which has been done
        move = ("pl.dma.store(x[..], value)" if self.memory != mtype.LOCAL else
                "pl.tiu.move(x[..], value), of numbers pl.tiu.fill(x[..], "
                "value)")
        raise _recorder.PplTypeError(
            f"elements of {self!r} cannot be assigned; write {move}")

    def numpy(self):
        """The values at this line as an array, while the kernel is stepped
        through (kernel.debug, pl.breakpoint)."""
        self._check_present()
        return _stepping.values(self.program, self)

    def set_dtype(self, kind):
        """Retypes the tensor itself."""
        other = self.view(dtype=kind)
        self.__dict__.update(number=other.number, dtype=other.dtype)

    def _of_scalar(self, name, inputs):
        """numpy's own numbers in arithmetic are numbers."""
        if len(inputs) != 2 or name not in _ARITHMETIC or not all(
                isinstance(value, (tensor, numpy.generic))
                for value in inputs):
            return NotImplemented
        return _ARITHMETIC[name](*(
            value.item() if isinstance(value, numpy.generic) else value
            for value in inputs))

    def __repr__(self):
        return f"tensor({self.dtype}, {self.shape}, {mtype(self.memory).name})"


# numpy's names of Python's operators on tensors.
_ARITHMETIC = {"add": operator.add, "subtract": operator.sub,
               "multiply": operator.mul, "divide": operator.truediv,
               "true_divide": operator.truediv, "bitwise_and": operator.and_,
               "bitwise_or": operator.or_, "bitwise_xor": operator.xor}


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
    if mem == mtype.LOCAL:
        raise _recorder_error("gtensor in LOCAL memory; a local tensor is "
                              "pl.make_tensor(shape, dtype)")
    address = _recorder.NO_ADDRESS
    if isinstance(ptr, pointer):
        _recorder.check_present(ptr.recording, repr(ptr))
        address = ptr.address
    elif mem != mtype.GLOBAL and isinstance(ptr, numbers.Integral):
        address, ptr = int(ptr), None
    elif is_tensor(ptr):
        raise _recorder_error(f"ptr of gtensor is {ptr!r}; it is a tensor "
                              "already: its parts are x[:, :, a:b], another "
                              "shape x.view(shape=..)")
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


def argument(value, kind, name, keep):
    """A value as the recorder takes it for a slot of the kind; `keep` holds
    what it borrows. `name`: of the parameter."""
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
        array = _recorder.integers(value, name)
        keep.append(array)
        result.kind, result.count = _recorder.INTEGERS, len(value)
        result.integers = ctypes.cast(array, ctypes.POINTER(ctypes.c_int64))
    elif isinstance(value, numbers.Integral) and kind != "float":
        result.kind = _recorder.INTEGER
        result.integer = _recorder.integer(value, name)
    elif isinstance(value, numbers.Real):
        result.kind, result.real = _recorder.FLOAT, float(value)
    else:
        raise _recorder.PplTypeError(
            f"{name} is {value!r}; it must be a tensor, a number, a list of "
            "integers or a type" + hint(value))
    return result


def hint(value):
    """What to do with a value where a tensor or a number is wanted."""
    if isinstance(value, pointer):
        return ("; load what it points at: "
                f"pl.dma.load(pl.gtensor(shape, pl.GLOBAL, {value.name}))")
    if isinstance(value, numpy.ndarray) or hasattr(value, "__array__"):
        return ("; an array is passed to the kernel as an argument and "
                "loaded: pl.dma.load(pl.gtensor(shape, pl.GLOBAL, ptr))")
    if isinstance(value, _types.dtype):
        return (f"; a result of another type is pl.tiu.cast(x, type={value!r}) "
                f"or dst = pl.make_tensor(shape, {value!r})")
    if isinstance(value, _types.round_mode):
        return f"; the rounding goes by name: mode=pl.{value.name}"
    if isinstance(value, align_mode):
        return f"; a layout goes by name: align_mode=pl.{value.name}"
    if value is None:  # m = pl.tiu.gt(a, b, 1.0)
        return ("; a function that got its destination returns none, "
                "pl.tiu.gt(a, b, 1.0) has written a")
    return ""


def call(operation, values, names={}):
    """Records a call of a function of the catalog with values by slot name.
    `names`: what Python calls slots that have another name there."""
    program = _recorder.active()
    keep = []
    slots = operation["slots"]
    lacking = [names.get(name, name) for name, value in values.items()
               if value is not None and value is not False
               and all(name != slot["name"] for slot in slots)]
    if lacking:
        raise _recorder_error(f"{operation['name']} has no parameter "
                              + ", ".join(lacking) + "; leave it out")
    arguments = (_recorder.Argument * len(slots))(
        *(argument(values.get(slot["name"]), slot["kind"],
                   names.get(slot["name"], slot["name"]), keep)
          for slot in slots))
    table = program.table
    table.call(table.self, operation["name"].encode(), arguments, len(slots),
               _recorder.here())
    program.called(operation["name"], {
        name: value for name, value in values.items() if value is not None},
        names)

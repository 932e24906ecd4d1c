"""Programs: the functions of the document with buffers, loops, loads and
stores, recorded as the dialect `zhouyi`."""

import ctypes
import math
import os
import re

import numpy

from .. import _catalog, _native
from .._model import Model
from .._place import caller
from . import _values
from ._values import VectorType, ZhouyiError

_IR = {"int8": "si8", "uint8": "ui8", "int16": "si16", "uint16": "ui16",
       "int32": "si32", "uint32": "ui32", "float16": "f16", "float32": "f32"}
_REGISTER_BYTES = 32


def _vector_type(dtype):
    return f"vector<{dtype.lanes}x{_IR[dtype.element.name]}>"


def _mask_type(lanes):
    return f"vector<{lanes}xi1>"


def _quoted(text):
    return '"' + "".join(
        chr(byte) if 32 <= byte < 127 and byte not in b'"\\' else
        f"\\{byte:02X}" for byte in text.encode()) + '"'


def _dense(array):
    """Numbers as MLIR reads them, bit for bit."""
    return 'dense<"0x' + array.astype(array.dtype.newbyteorder("<")).tobytes(
        ).hex().upper() + '">'


def _float_text(value):
    text = repr(float(value))
    return text if "." in text else text.replace("e", ".0e", 1)


def _located(message, code, places):
    """An error of the compiler or the machine, at the line that it names;
    `places` maps names of instructions to file and line."""
    node = re.search(r"of node '([^']+)'", message)
    match = re.match(r"(.+?):(\d+): (.*)", message, re.S)
    place = places.get(node[1]) if node else None
    if match:
        message = match[3]
        if place is None and match[1] != "program":
            place = match[1], int(match[2])
    message = re.sub(r"^'zhouyi\.(\w+)' op ", r"\1: ", message)
    return ZhouyiError(message, code, place)


def _assembled(text, places):
    """The .zyp file of a program in the dialect zhouyi."""
    library = _native.compiler()
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    library.check(library.c.weft_zhouyi_assemble(
        text.encode(), ctypes.byref(data), ctypes.byref(size)),
        lambda message, code: _located(message, code, places))
    try:
        return ctypes.string_at(data, size.value)
    finally:
        library.c.weft_compiler_free(data)


class Index:
    """A sum of loop indices times whole numbers, and a number."""

    def __init__(self, kernel, terms, constant=0):
        self.kernel, self.constant = kernel, constant
        self.terms = {loop: step for loop, step in terms.items() if step}

    def _whole(self, value):
        if isinstance(value, Index):
            raise ZhouyiError("an index of a kernel times an index; multiply by "
                              "a whole number, or make it one loop")
        if isinstance(value, bool) or not hasattr(value, "__index__"):
            raise ZhouyiError(f"an index of a kernel and {value!r}; add, "
                              "subtract and multiply whole numbers")
        return value.__index__()

    def __add__(self, other):
        if isinstance(other, Address):
            return NotImplemented
        if not isinstance(other, Index):
            return Index(self.kernel, self.terms,
                         self.constant + self._whole(other))
        terms = dict(self.terms)
        for loop, step in other.terms.items():
            terms[loop] = terms.get(loop, 0) + step
        return Index(self.kernel, terms, self.constant + other.constant)

    __radd__ = __add__

    def __mul__(self, factor):
        factor = self._whole(factor)
        return Index(self.kernel, {loop: step * factor
                                   for loop, step in self.terms.items()},
                     self.constant * factor)

    __rmul__ = __mul__

    def __neg__(self):
        return self * -1

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return -self + other

    def _divide(self, _):
        raise ZhouyiError("an index of a kernel cannot be divided; give the "
                          "loop the step: k.range(begin, end, step)")

    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = \
        __rmod__ = __divmod__ = __rdivmod__ = _divide

    def __repr__(self):
        return "an index of a kernel"

    def __bool__(self):
        raise ZhouyiError("an index of a kernel is not known while the kernel "
                          "is recorded; use tail masks instead of conditions")

    __index__ = __int__ = __lt__ = __gt__ = __le__ = __ge__ = __eq__ = \
        __ne__ = lambda self, *_: self.__bool__()
    __hash__ = object.__hash__

    def loops(self):
        """Loops in the order of their nest, checked to go on."""
        for loop in self.terms:
            self.kernel.check_open(loop, "an index")
        return sorted(self.terms, key=self.kernel.blocks.index)


class Address:
    """Elements of a buffer from an index on: `x + 32 * i`, `x[7]`."""

    def __init__(self, kernel, name, element, index, buffer, block=None):
        self.kernel, self.name, self.element = kernel, name, element
        self.index, self.buffer = index, buffer
        self.block = block or kernel.blocks[-1]

    def __add__(self, elements):
        return Address(self.kernel, self.name, self.element,
                       self.index + elements, self.buffer, self.block)

    __radd__ = __getitem__ = __add__

    def __repr__(self):
        return f"pointer({self.element}, {self.buffer})"

    def emit(self):
        """The pointer as a value of the program."""
        self.kernel.check_open(self.block, repr(self))
        pointer = f"!zhouyi.ptr<{_IR[self.element.name]}>"
        loops = self.index.loops()
        if not loops and not self.index.constant:
            return self.name, pointer
        text = f"zhouyi.offset {self.name}"
        if loops:
            text += (f"[{', '.join(loop.name for loop in loops)}] steps ["
                     + ", ".join(str(self.index.terms[loop])
                                 for loop in loops) + "]")
        if self.index.constant:
            text += f" add {self.index.constant}"
        return self.kernel.emit(f"{text} : {pointer}"), pointer


class _Unknown:
    """What is known when the program runs only."""

    def __bool__(self):
        raise ZhouyiError("a value of a kernel is not known while the kernel is "
                          "recorded; use masks instead of conditions")


class Value(_Unknown):
    """A vector of a program."""

    def __init__(self, kernel, name, dtype):
        self.kernel, self.name, self.dtype = kernel, name, dtype
        self.block = kernel.blocks[-1]

    @property
    def lanes(self):
        return self.dtype.lanes

    def __repr__(self):
        return f"{self.dtype!r}({self.name})"


class MaskValue(_Unknown):
    """A mask of a program."""

    def __init__(self, kernel, name, lanes):
        self.kernel, self.name, self.lanes = kernel, name, lanes
        self.block = kernel.blocks[-1]


class Variable:
    """A vector that changes from pass to pass of a loop: `.value` is read and
    assigned."""

    def __init__(self, kernel, value):
        self.kernel, self._value = kernel, value
        self.block = kernel.blocks[-1]

    @property
    def dtype(self):
        return self._value.dtype

    @property
    def value(self):
        self.kernel.check_open(self.block, "a variable")
        return self._value

    @value.setter
    def value(self, value):
        self.kernel.check_open(self.block, "a variable")
        value = self.kernel.value_of(value)
        if value.dtype is not self.dtype:
            raise ZhouyiError(f"a variable of {self.dtype} is given "
                              f"{value.dtype}; its type cannot change")
        self._value = value


class _Block:
    """The kernel's body, or that of a loop."""

    def __init__(self, name=None):
        self.name, self.lines = name, []


class Kernel:
    """A program that is recorded:

        with S.Kernel("add") as k:
            x, y = k.input("x", "int8", 100), k.input("y", "int8", 100)
            z = k.output("z", "int8", 100)
            for i in k.range(4):
                m = S.tail_mask(100 - 32 * i, 32)
                v = S.vadd(S.vload(x + 32 * i, m), S.vload(y + 32 * i, m),
                           m, saturate=True)
                S.vstore(v, z + 32 * i, m)
        z = k.run(x=a, y=b)["z"]

    The body runs once; a loop's body stands for all its passes. What changes
    from pass to pass is a `k.variable(..)`.
    """

    def __init__(self, name="kernel"):
        self.name, self.blocks = name, [_Block()]
        self._count, self._names, self._ended = 0, set(), False
        self._bounds, self._variables = {}, []
        self._bytes = self._opened = None
        self._places = {}  # names of instructions: file and line
        self._left = None  # place of a loop whose body did not end

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        self._ended = True

    # Recording.

    def check_open(self, block, what):
        """Raises unless the block goes on that something belongs to."""
        if self._ended:
            raise ZhouyiError(f"kernel '{self.name}' has ended; record inside "
                              "of its `with`")
        if block not in self.blocks:
            raise ZhouyiError(f"{what} was made in a loop that has ended; keep "
                              "it in a k.variable(..) that was made before")

    def fresh(self):
        self._count += 1
        return f"%{self._count}"

    def emit(self, text, results=1):
        """Adds an operation; the name of its result."""
        self.check_open(self.blocks[-1], "a kernel")
        name = self.fresh() if results else ""
        self.blocks[-1].lines.append((f"{name} = " if name else "")
                                     + f"{text} {self._location(*caller())}")
        return name

    def _location(self, file, line):
        """A place with the name that a program that fails says."""
        place = f"{os.path.basename(file)}:{line}"
        self._places[place] = file, line
        return f"loc({_quoted(place)}({_quoted(file)}:{line}:1))"

    def _bound(self, value):
        if value not in self._bounds:
            self._bounds[value] = f"%c{value}"
        return self._bounds[value]

    def value_of(self, value):
        """A vector of the program for one, or for a constant."""
        if isinstance(value, Variable):
            value = value.value
        if isinstance(value, Value):
            if value.kernel is not self:
                raise ZhouyiError(f"{value!r} belongs to another kernel")
            self.check_open(value.block, repr(value))
            return value
        known = _values.as_vector(value)
        if known is None:
            raise ZhouyiError(f"{value!r} is no vector; give one, such as "
                              "S.int32x8(0)")
        if not known.is_defined:
            raise ZhouyiError(f"{known!r} has lanes without a value and cannot "
                              "be a constant of a kernel")
        text = f"zhouyi.constant {_dense(known.values)} : " \
            + _vector_type(known.dtype)
        return Value(self, self.emit(text), known.dtype)

    def mask_of(self, value, lanes, what="mask"):
        """A mask of the program with that many lanes."""
        if isinstance(value, MaskValue):
            if value.kernel is not self:
                raise ZhouyiError(f"{what} belongs to another kernel")
            self.check_open(value.block, what)
            if value.lanes != lanes:
                raise ZhouyiError(f"{what} has {value.lanes} lanes, the vector "
                                  f"{lanes}; a mask has as many as the vector")
            return value
        from ._functions import const_mask
        known = const_mask(value, lanes).lanes
        words = ", ".join("true" if lane else "false" for lane in known)
        name = self.emit(f"zhouyi.constant dense<[{words}]> : "
                         + _mask_type(lanes))
        return MaskValue(self, name, lanes)

    # Buffers.

    def _buffer(self, role, name, element, elements, rest):
        if not isinstance(name, str) or not name:
            raise ZhouyiError(f"a buffer is called {name!r}; its name must be a "
                              "string that is not empty")
        if name in self._names:
            raise ZhouyiError(f"two buffers are called {name!r}; give every one "
                              "a name of its own")
        if len(self.blocks) != 1:
            raise ZhouyiError(f"buffer '{name}' is made in a loop; make it "
                              "before")
        if not 0 < elements * element.numpy.itemsize < 2**32:
            raise ZhouyiError(f"buffer '{name}' has {elements} elements; it "
                              "must have 1 to 2^32 - 1 bytes")
        self._names.add(name)
        made = self.emit(
            f"zhouyi.buffer {role} {_quoted(name)} bytes "
            f"{elements * element.numpy.itemsize}{rest} : "
            f"!zhouyi.ptr<{_IR[element.name]}>")
        return Address(self, made, element, Index(self, {}), name)

    def _tensor(self, role, name, dtype, shape):
        element = _values.type_of(dtype).element
        shape = list(shape) if isinstance(shape, (list, tuple)) else [shape]
        if any(isinstance(size, bool) or not hasattr(size, "__index__")
               or size < 1 for size in shape):
            raise ZhouyiError(f"buffer '{name}' has the shape {shape}; give "
                              "whole numbers of 1 or more")
        sizes = "".join(f"{int(size)}x" for size in shape)
        stored = _IR[element.name]
        onnx = stored.replace("si", "i")
        return self._buffer(
            role, name, element, math.prod(map(int, shape)),
            f" onnx tensor<{sizes}{onnx}> stored tensor<{sizes}{stored}>")

    def input(self, name, dtype, shape):
        """A buffer that the caller fills; `shape`: a number or several."""
        return self._tensor("input", name, dtype, shape)

    def output(self, name, dtype, shape):
        """A buffer that the caller gets; zeros at first."""
        return self._tensor("output", name, dtype, shape)

    def scratch(self, name, dtype, elements):
        """A buffer of the program's own; zeros at first."""
        elements = _values.whole(elements, f"scratch '{name}': size")
        return self._buffer("scratch", name, _values.type_of(dtype).element,
                            elements, "")

    def weight(self, name, array):
        """A buffer that holds an array and cannot be written."""
        array = numpy.ascontiguousarray(array)
        element = _catalog.element_types().get(array.dtype.name)
        if element is None:
            raise ZhouyiError(f"weight '{name}' is of {array.dtype}; give one "
                              "of " + ", ".join(_catalog.element_types()))
        return self._buffer("weight", name, element, array.size,
                            f" = {_dense(array)} : tensor<{array.size}x"
                            f"{_IR[element.name]}>")

    # Loops and variables.

    def variable(self, value):
        """A vector that is assigned again; see Variable."""
        made = Variable(self, self.value_of(value))
        self._variables.append(made)
        return made

    def range(self, *bounds):
        """As Python's range, for a loop of the program with at least one
        pass."""
        for bound in bounds:
            _values.whole(bound, "a bound of a loop")
        if not 1 <= len(bounds) <= 3 or len(bounds) == 3 and not bounds[2]:
            raise ZhouyiError(f"a loop has the bounds {bounds}; give an end, or "
                              "a begin, an end and a step that is not 0")
        values = range(*bounds)
        if not values:
            raise ZhouyiError(f"a loop over {values} has no pass; it must have "
                              "one or more")
        return self._loop(values)

    def _loop(self, values):
        block, place = _Block(self.fresh()), caller()
        carried = [variable for variable in self._variables
                   if variable.block in self.blocks]
        outer = [variable.value for variable in carried]
        self.check_open(self.blocks[-1], "a kernel")
        self.blocks.append(block)
        inner = []
        for variable in carried:
            name = f"%in{self.fresh()[1:]}_"  # part of no other name
            inner.append(Value(self, name, variable.dtype))
            variable._value = inner[-1]
        try:
            yield Index(self, {block: values.step}, values.start)
        except GeneratorExit:
            self._left = place
            raise
        finally:
            self.blocks.pop()
            count = (values[-1] - values[0]) // values.step + 1
            self._close(block, count, carried, outer, inner, place)

    def _close(self, block, count, carried, outer, inner, place):
        """Writes a loop whose body is complete."""
        lines, moved = block.lines, []
        for variable, before, entry in zip(carried, outer, inner):
            if variable._value is entry:  # as it was
                lines = [line.replace(entry.name, before.name)
                         for line in lines]
                variable._value = before
            else:
                moved.append((variable, before, entry))
        head = (f"scf.for {block.name} = {self._bound(0)} to "
                f"{self._bound(count)} step {self._bound(1)}")
        result = ""
        if moved:
            types = ", ".join(_vector_type(variable.dtype)
                              for variable, _, _ in moved)
            head += " iter_args(" + ", ".join(
                f"{entry.name} = {before.name}"
                for _, before, entry in moved) + f") -> ({types})"
            yielded = ", ".join(variable._value.name
                                for variable, _, _ in moved)
            lines = lines + [f"scf.yield {yielded} : {types}"]
            result = self.fresh()
            head = f"{result}:{len(moved)} = {head}"
        target = self.blocks[-1].lines
        target.append(head + " {")
        target.extend("  " + line for line in lines)
        target.append("} " + self._location(*place))
        for number, (variable, _, _) in enumerate(moved):
            variable._value = Value(self, f"{result}#{number}",
                                    variable.dtype)

    # Operations.

    def record(self, function, values):
        """A call of a function of the document; its result, if it has one."""
        operands, types, parts, described, keep = [], [], [], [], []
        for slot, value in zip(function.slots, values):
            made, text, kind = self._operand(function, slot, value, values,
                                             keep)
            described.append(made)
            if text is not None:
                parts.append(f"{slot['name']} = {text}")
            if kind:
                operands.append(text)
                types.append(kind)
        code, lanes, _, _, _ = _catalog.call(
            b"zhouyi", function.row["name"].encode(), described, ZhouyiError,
            _catalog.CHECK)
        text = f"zhouyi.{function.row['name']} {', '.join(parts)} : " \
            + ", ".join(types)
        if not lanes:
            self.emit(text, results=0)
            return None
        dtype = VectorType(_catalog.type_of_code(code), lanes)
        return Value(self, self.emit(f"{text} -> {_vector_type(dtype)}"),
                     dtype)

    def _operand(self, function, slot, value, values, keep):
        """(for the catalog, text in the program, its type if it is a value)"""
        name = slot["name"]
        what = f"{function.__name__}: {name}"
        if value is None:
            return _catalog.Argument(), None, None
        if slot["kind"] in ("flag", "choice"):
            made = function.argument(slot, value, keep)
            text = f'"{value}"' if slot["kind"] == "choice" else \
                str(int(value))
            return made, text if value else None, None
        if slot["kind"] == "mask":
            return self._mask_operand(value, what, keep)
        if slot["kind"] == "pointer":
            if not isinstance(value, Address):
                raise ZhouyiError(f"{what} is {value!r}; give a place in a "
                                  "buffer of the kernel")
            text, kind = value.emit()
            return _catalog.Argument(_catalog.MEMORY, value.element.code), \
                text, kind
        if _values.is_number(value):
            made = _values.number_argument(value, what)
            if made.kind == _catalog.INTEGER:
                return made, str(made.integer), None
            if math.isfinite(made.real):
                return made, _float_text(made.real), None
            # It has no text of its own; what is legal is the number's matter.
            value = self.value_of(self._beside(values)(value))
            return made, value.name, _vector_type(value.dtype)
        value = self.value_of(value)
        made = _catalog.Argument(_catalog.VECTOR, value.dtype.element.code,
                                 lanes=value.lanes)
        return made, value.name, _vector_type(value.dtype)

    @staticmethod
    def _beside(values):
        """The type of the last operand that is a vector."""
        return next(value.dtype for value in reversed(values)
                    if isinstance(value, (Value, Variable)))

    def _mask_operand(self, value, what, keep):
        if isinstance(value, MaskValue):
            self.check_open(value.block, what)
            return _catalog.Argument(_catalog.MASK, lanes=value.lanes), \
                value.name, _mask_type(value.lanes)
        made, borrowed = _values.mask_argument(value, what)
        keep.append(borrowed)
        if isinstance(value, str):
            return made, _quoted(value), None
        letters = "".join("FT"[lane] for lane in borrowed)
        return made, f'"1{letters}"', None

    def tail_mask(self, n, lanes):
        loops = n.loops()
        text = "zhouyi.tail_mask "
        if loops:
            text += (f"[{', '.join(loop.name for loop in loops)}] steps ["
                     + ", ".join(str(-n.terms[loop]) for loop in loops)
                     + "] ")
        name = self.emit(f"{text}limit {n.constant} : {_mask_type(lanes)}")
        return MaskValue(self, name, lanes)

    def load(self, address, mask, lanes, stride):
        dtype = VectorType(address.element, lanes)
        pointer, kind = address.emit()
        parts, types = self._access(mask, lanes, stride, kind)
        return Value(self, self.emit(
            f"zhouyi.load {pointer}{parts} : {types} -> "
            + _vector_type(dtype)), dtype)

    def store(self, value, address, mask, stride):
        value = self.value_of(value)
        pointer, kind = address.emit()
        parts, types = self._access(mask, value.lanes, stride, kind)
        self.emit(f"zhouyi.store {value.name}, {pointer}{parts} : "
                  f"{_vector_type(value.dtype)}, {types}", results=0)

    def _access(self, mask, lanes, stride, kind):
        parts, types = "", kind
        if mask is not None:
            mask = self.mask_of(mask, lanes)
            parts += f" mask({mask.name})"
            types += f", {_mask_type(lanes)}"
        if stride != 1:
            parts += f" stride {_values.whole(stride, 'stride')}"
        return parts, types

    def convert(self, operation, value, dtype):
        value = self.value_of(value)
        return Value(self, self.emit(
            f"zhouyi.{operation} {value.name} : {_vector_type(value.dtype)} -> "
            + _vector_type(dtype)), dtype)

    # What is recorded.

    def text(self):
        """The program in the dialect zhouyi."""
        lines = [f"{name} = arith.constant {value} : index"
                 for value, name in sorted(self._bounds.items())]
        lines += self.blocks[0].lines
        return (f"zhouyi.program @{_quoted(self.name)} on \"zhouyi\" {{\n"
                + "".join(f"  {line}\n" for line in lines) + "}\n")

    def bytes(self):
        """The .zyp file."""
        if not self._ended:
            raise ZhouyiError(f"kernel '{self.name}' is still being recorded; "
                              "leave its `with` first")
        if self._left:
            raise ZhouyiError("the body of this loop was left before its end; "
                              "a loop of a program has no break",
                              place=self._left)
        if self._bytes is None:
            self._bytes = _assembled(self.text(), self._places)
        return self._bytes

    def save(self, path):
        """Writes the .zyp file, for `weft run`, `info` and `disasm`."""
        program = self.bytes()  # may refuse; the file stays as it is then
        with open(path, "wb") as file:
            file.write(program)

    def model(self):
        """The program, ready to run, as weft.Model("kernel.zyp") gives it."""
        if self._opened is None:
            self._opened = Model(self.bytes())
        return self._opened

    def run(self, **inputs):
        """Outputs by name for one array an input."""
        model = self.model()
        try:
            return model.run(**inputs)
        except _native.WeftError as error:
            raise _located(str(error), error.code, self._places) from None


def vload(ptr, mask=None, lanes=None, stride=1):
    """A vector from a buffer of a kernel: lane i is the element `i * stride`
    further on, 0 where the mask is not active. One register if `lanes` is not
    given."""
    _check_address("vload", ptr)
    if lanes is None:
        lanes = _REGISTER_BYTES // ptr.element.numpy.itemsize
    if not 1 <= _values.whole(lanes, "vload: lanes") <= _values.MOST_LANES:
        raise ZhouyiError(f"vload: lanes is {lanes}, must be 1 to "
                          f"{_values.MOST_LANES}")
    return ptr.kernel.load(ptr, mask, lanes, stride)


def vstore(value, ptr, mask=None, stride=1):
    """The active lanes of a vector to a buffer of a kernel."""
    _check_address("vstore", ptr)
    ptr.kernel.store(value, ptr, mask, stride)


def _check_address(function, ptr):
    if not isinstance(ptr, Address):
        raise ZhouyiError(f"{function}: ptr is {ptr!r}; give a buffer of a "
                          "kernel, or a place in it: x + 32 * i")


def _check_value(function, x):
    if not isinstance(x, (Value, Variable)):
        raise ZhouyiError(f"{function}: x is {x!r}; it must be a vector of a "
                          "kernel")


def cast(x, dtype):
    """The numbers of a kernel's vector in another element type: to floats the
    nearest; floats to integers toward zero, clamped; integers: the low
    bits."""
    _check_value("cast", x)
    element = _values.type_of(dtype).element
    return x.kernel.convert("cast", x, VectorType(element, x.dtype.lanes))


def reinterpret(x, dtype):
    """The bits of a kernel's vector, or of what a place in a buffer points at,
    as elements of another type."""
    element = _values.type_of(dtype).element
    if isinstance(x, Address):
        name, kind = x.emit()
        name = x.kernel.emit(f"zhouyi.reinterpret {name} : {kind} -> "
                             f"!zhouyi.ptr<{_IR[element.name]}>")
        return Address(x.kernel, name, element, Index(x.kernel, {}), x.buffer)
    _check_value("reinterpret", x)
    lanes, rest = divmod(x.dtype.bytes, element.numpy.itemsize)
    if rest:
        raise ZhouyiError(f"reinterpret: {x.dtype} has {x.dtype.bytes} bytes, "
                          f"which are no {element}s")
    return x.kernel.convert("reinterpret", x, VectorType(element, lanes))

"""The functions of an operation set, and single calls of them, through the
compiler's C interface (weft_catalog, weft_catalog_call)."""

import ctypes
import functools
import inspect
import json

import numpy

from . import _native

NONE, INTEGER, FLOAT, VECTOR, MASK, MEMORY = range(6)
RUN, CHECK, INVERSE = range(3)


class Argument(ctypes.Structure):
    """weft_argument."""
    _fields_ = [("kind", ctypes.c_int32), ("type", ctypes.c_int32),
                ("integer", ctypes.c_int64), ("real", ctypes.c_double),
                ("text", ctypes.c_char_p), ("lanes", ctypes.c_uint64),
                ("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t),
                ("defined", ctypes.c_void_p), ("offset", ctypes.c_uint64)]


class Call(ctypes.Structure):
    """weft_call."""
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("set", ctypes.c_char_p),
                ("function", ctypes.c_char_p),
                ("arguments", ctypes.POINTER(Argument)),
                ("argument_count", ctypes.c_size_t),
                ("argument_bytes", ctypes.c_size_t),
                ("mode", ctypes.c_int32)]


class Result(ctypes.Structure):
    """weft_call_result."""
    _fields_ = [("struct_bytes", ctypes.c_size_t), ("type", ctypes.c_int32),
                ("lanes", ctypes.c_uint32), ("bytes", ctypes.c_void_p),
                ("size", ctypes.c_size_t), ("defined", ctypes.c_void_p),
                ("warning", ctypes.c_char_p)]


@functools.lru_cache(maxsize=None)
def functions(name):
    """The functions of a set by name, as weft-compiler.h describes."""
    rows = json.loads(_native.compiler().c.weft_catalog(name.encode()))
    return {row["name"]: row for row in rows}


class Function:
    """A function of a set with the document's parameters. A subclass says by
    what name users have the set, and what optional parameters are by
    themselves."""

    alias = ""
    defaults = {}

    def __init__(self, row):
        self.row, self.slots = row, row["slots"]
        self.__name__ = self.__qualname__ = row["name"]
        self.__signature__ = inspect.Signature([
            inspect.Parameter(
                slot["name"], inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=self.defaults[slot["name"]] if slot["optional"]
                else inspect.Parameter.empty) for slot in self.slots])
        self.__doc__ = (f"{self.__name__}{self.__signature__}\n\n"
                        f"{row['summary']}\n\n{row['formula']}\n\n"
                        + "\n".join(f"* {rule}" for rule in row["rules"]))

    def __repr__(self):
        return f"<function {self.alias}.{self.__name__}{self.__signature__}>"

    def bind(self, args, kwargs):
        """The arguments by the names of the parameters."""
        try:
            bound = self.__signature__.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.__name__}: {error}; call it as "
                            f"{self.alias}.{self.__name__}"
                            f"{self.__signature__}") from None
        bound.apply_defaults()
        return bound.arguments


class ElementType:
    """An element type: the catalog's `code` and `spelling`, numpy's type."""

    def __init__(self, name, code, spelling):
        self.name, self.code, self.spelling = name, code, spelling
        self.numpy = numpy.dtype(name)
        self.is_float = self.numpy.kind == "f"
        if self.is_float:
            self.low, self.high = None, None
        else:
            limits = numpy.iinfo(self.numpy)
            self.low, self.high = int(limits.min), int(limits.max)

    def __repr__(self):
        return self.name


@functools.lru_cache(maxsize=None)
def element_types():
    """Names as numpy has them to the types that numpy has, too."""
    spelled = {"fp32": "float32", "fp16": "float16"}
    found = {}
    for row in json.loads(_native.compiler().c.weft_ppl_types()):
        name = spelled.get(row["name"], row["name"])
        if name in ("float32", "float16", "int8", "uint8", "int16", "uint16",
                    "int32", "uint32"):
            found[name] = ElementType(name, row["code"], row["name"])
    return found


@functools.lru_cache(maxsize=None)
def type_of_code(code):
    return next(kind for kind in element_types().values()
                if kind.code == code)


def call(set_name, function, arguments, error, mode=RUN):
    """Calls a function on a list of `Argument`s, one a slot.

    Returns (type, lanes, bytes, defined, warning), lanes 0 if the function
    returns nothing; bytes and defined are None with mode CHECK. Raises
    `error(message, code)`.
    """
    library = _native.compiler()
    array = (Argument * max(1, len(arguments)))(*arguments)
    request = Call(ctypes.sizeof(Call), set_name, function, array,
                   len(arguments), ctypes.sizeof(Argument), mode)
    result = Result(ctypes.sizeof(Result))
    try:
        library.check(library.c.weft_catalog_call(ctypes.byref(request),
                                                  ctypes.byref(result)), error)
        data = defined = None
        if result.bytes:
            data = ctypes.string_at(result.bytes, result.size)
            defined = ctypes.string_at(result.defined, result.lanes)
        return (result.type, result.lanes, data, defined,
                _native.text(result.warning))
    finally:
        library.c.weft_catalog_result_free(ctypes.byref(result))

"""Element types of ONNX and numpy."""

import numpy

from ._native import WeftError

# Numbers of ONNX's TensorProto.DataType (weft.h) and numpy's types. bfloat16
# is there if ml_dtypes is.
STRING = 8
_NUMPY = {1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16",
          6: "int32", 7: "int64", 9: "bool", 10: "float16", 11: "float64",
          12: "uint32", 13: "uint64"}


def numpy_type(code):
    if code == 16:
        try:
            import ml_dtypes
        except ImportError:
            raise WeftError("the model has bfloat16 tensors, numpy has no such "
                            "type; install ml_dtypes") from None
        return numpy.dtype(ml_dtypes.bfloat16)
    if code not in _NUMPY:
        raise WeftError(f"the model has tensors of ONNX's type {code}, which "
                        "numpy lacks")
    return numpy.dtype(_NUMPY[code])


def text_type(characters):
    """That of str of so many characters."""
    return numpy.dtype(f"U{characters}")


def text_bytes(array, width, name):
    """Strings as the bytes that an input takes: UTF-8 of `width` bytes each."""
    if array.dtype.kind == "O":
        array = array.astype(str)
    if array.dtype.kind == "U":
        array = numpy.char.encode(array, "utf-8")
    if array.dtype.kind != "S":
        raise WeftError(f"input '{name}' is {array.dtype}, must be strings: an "
                        "array of str, or of bytes in UTF-8")
    longest = int(numpy.char.str_len(array).max(initial=0))
    if longest > width:
        raise WeftError(f"input '{name}' has a string of {longest} bytes in "
                        f"UTF-8, the program takes up to {width}; convert with "
                        "their number as the last size of --shape")
    whole = numpy.ascontiguousarray(array.astype(f"S{width}"))
    return whole.reshape(array.shape + (1,)).view(numpy.uint8)


def texts(array):
    """The strings in bytes of the last axis, as numpy's str."""
    width = array.shape[-1]
    whole = numpy.ascontiguousarray(array).view(f"S{width}")
    return numpy.char.decode(whole.reshape(array.shape[:-1]), "utf-8")


def code_of(kind):
    for code, name in _NUMPY.items():
        if numpy.dtype(name) == kind:
            return code
    if kind.name == "bfloat16":
        return 16
    raise WeftError(f"arrays of {kind} are no input; use a float or integer "
                    "type of 64 bits or less")

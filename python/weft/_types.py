"""Element types of ONNX and numpy."""

import numpy

from ._native import WeftError

# Numbers of ONNX's TensorProto.DataType (weft.h) and numpy's types. bfloat16
# is there if ml_dtypes is.
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


def code_of(kind):
    for code, name in _NUMPY.items():
        if numpy.dtype(name) == kind:
            return code
    if kind.name == "bfloat16":
        return 16
    raise WeftError(f"arrays of {kind} are no input; use a float or integer "
                    "type of 64 bits or less")

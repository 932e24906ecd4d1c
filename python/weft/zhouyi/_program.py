"""Programs of Zhouyi: .zyp files, run by the machine of the compiler library."""

import ctypes
import json
import os
import threading

import numpy

from .. import _native
from .._model import _code_of, _numpy_type
from ._values import ZhouyiError


class Program:
    """A program: the path of a .zyp file, or its bytes.

    `inputs` and `outputs` map names to (numpy type, shape); `instructions` are
    those of a run. Several threads may share one; its runs follow each other.
    """

    def __init__(self, source, name=None):
        self._library, self._handle = _native.compiler(), ctypes.c_void_p()
        self._running = threading.Lock()
        if not isinstance(source, (bytes, bytearray)):
            name = os.fspath(source)
            with open(source, "rb") as file:
                source = file.read()
        c = self._library.c
        self._library.check(c.weft_zhouyi_open(
            bytes(source), len(source), os.fsencode(name) if name else None,
            ctypes.byref(self._handle)), ZhouyiError)
        row = json.loads(c.weft_zhouyi_tensors(self._handle))
        self.inputs, self.outputs = (
            {one["name"]: (_numpy_type(one["type"]), tuple(one["shape"]))
             for one in row[kind]} for kind in ("inputs", "outputs"))
        self.instructions = row["instructions"]

    def run(self, **inputs):
        """Outputs by name for one array an input."""
        wrong = set(inputs) ^ set(self.inputs)
        if wrong:
            raise ZhouyiError(f"inputs are {', '.join(self.inputs)}; wrong or "
                              f"missing: {', '.join(sorted(wrong))}")
        arrays = []
        for name, (kind, shape) in self.inputs.items():
            array = numpy.ascontiguousarray(inputs[name])
            if array.shape != shape:
                raise ZhouyiError(f"input '{name}' has the shape {array.shape},"
                                  f" must have {shape}")
            arrays.append(array)
        results = {name: numpy.empty(shape, kind)
                   for name, (kind, shape) in self.outputs.items()}
        with self._running:
            self._library.check(self._library.c.weft_zhouyi_run(
                self._handle, _pointers(arrays),
                (ctypes.c_int * max(1, len(arrays)))(
                    *(_code_of(array.dtype) for array in arrays)),
                _pointers(list(results.values()))), ZhouyiError)
        return results

    def __str__(self):
        """Buffers and instructions."""
        return _native.text(self._library.c.weft_zhouyi_listing(self._handle))

    def __del__(self):
        if getattr(self, "_handle", None):
            self._library.c.weft_zhouyi_close(self._handle)
            self._handle = None


def _pointers(arrays):
    return (ctypes.c_void_p * max(1, len(arrays)))(
        *(array.ctypes.data for array in arrays))

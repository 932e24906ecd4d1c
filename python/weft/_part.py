"""Which part of a model is taken, with which sizes and constants."""

import os

import numpy

from . import _native
from ._native import WeftError
from ._types import code_of


def _names(what, value):
    """A list of names; a text is one."""
    if value is None:
        return []
    if isinstance(value, str):
        return [value]
    try:
        names = list(value)
    except TypeError:
        names = [None]
    if not names or not all(isinstance(name, str) and name for name in names):
        raise WeftError(f"{what} is {value!r}, must be the name of a value or "
                        "a list of names")
    return names


def _constants(bind):
    """Arrays by input name, as C wants them; the list keeps them."""
    if not isinstance(bind or {}, dict) or not all(
            isinstance(name, str) for name in bind or {}):
        raise WeftError(f"bind is {bind!r}, must be a dict of input names and "
                        "arrays")
    result = {}
    for name, value in (bind or {}).items():
        array = numpy.asarray(value)
        # ascontiguousarray makes a scalar an array of one axis.
        result[name] = numpy.ascontiguousarray(array).reshape(array.shape)
        code_of(result[name].dtype.newbyteorder("="))
    return {name: array.astype(array.dtype.newbyteorder("="), copy=False)
            for name, array in result.items()}


class Part:
    """`shapes`, `batch`, `inputs`, `outputs`, `bind`, `plugins`: as for
    `convert`. Raises WeftError for what is none of these."""

    def __init__(self, *, shapes=None, batch=None, inputs=None, outputs=None,
                 bind=None, plugins=()):
        self.shapes = _native.shape_texts(shapes)
        if batch is not None and not isinstance(batch, str) and not (
                hasattr(batch, "__index__") and batch > 0):
            raise WeftError(f"batch is {batch!r}, must be a positive number or "
                            "a text such as '1..8'")
        self.batch = None if batch is None else str(batch)
        self.inputs = _names("inputs", inputs)
        self.outputs = _names("outputs", outputs)
        self.constants = _constants(bind)
        self.plugins = [plugins] if isinstance(plugins, (str, os.PathLike)) \
            else list(plugins)

    def put(self, options):
        """Into ConvertOptions or CalibrateOptions, which this must outlive."""
        options.shapes, options.shape_count = _native.texts(self.shapes)
        options.plugins, options.plugin_count = _native.texts(self.plugins)
        options.batch = _native.encoded(self.batch)
        options.inputs, options.input_count = self._list(self.inputs)
        options.outputs, options.output_count = self._list(self.outputs)
        options.constants = (_native.Constant * max(1, len(self.constants)))(
            *(_native.Constant(name.encode(), code_of(array.dtype), array.ndim,
                               (_native.INT64 * max(1, array.ndim))(
                                   *array.shape), array.ctypes.data)
              for name, array in self.constants.items()))
        options.constant_count = len(self.constants)

    @staticmethod
    def _list(names):
        # An empty list would be a part without inputs or outputs.
        return _native.texts(names) if names else (None, 0)

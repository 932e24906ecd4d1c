"""Calibration: the value ranges of a model on samples, for int8."""

import contextlib
import ctypes
import os
import tempfile

import numpy

from . import _native
from ._native import CHAR, VOID, WeftError
from ._types import numpy_type


class Calibration:
    """A calibration table. `text` is what `weft calibrate` writes."""

    def __init__(self, text):
        self.text = text

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)

    def __repr__(self):
        values = sum(not line.startswith("#") for line in
                     self.text.splitlines())
        return f"<weft.Calibration of {values} values>"


def _in_type(name, array, kind):
    array = numpy.asarray(array)
    if array.dtype != kind and not (
            numpy.issubdtype(array.dtype, numpy.floating)
            and numpy.issubdtype(kind, numpy.floating)):
        raise WeftError(f"input '{name}' is {kind}, the array is "
                        f"{array.dtype}; convert and scale it as the model "
                        "was trained")
    return array.astype(kind, copy=False)


def _split(name, array, kind, shape):
    """One array for each sample that `array` holds."""
    array = _in_type(name, array, kind)
    if array.shape == shape:
        return [array]
    if array.shape[1:] == shape:  # a stack of samples
        return list(array)
    if shape[:1] == (1,) and array.shape == shape[1:]:  # without the batch
        return [array.reshape(shape)]
    if (shape and shape[0] > 0 and array.shape[1:] == shape[1:]
            and array.shape[0] % shape[0] == 0):  # batches behind each other
        return [array[at:at + shape[0]]
                for at in range(0, len(array), shape[0])]
    raise WeftError(f"input '{name}' is {shape}, the array is {array.shape}; "
                    "give whole samples")


def _samples(item, inputs):
    """Lists of arrays in the order of `inputs`, for one array or dict."""
    if not isinstance(item, dict):
        if len(inputs) != 1:
            raise WeftError("the model has the inputs " + ", ".join(inputs) +
                            "; give dicts with an array for each")
        item = {next(iter(inputs)): item}
    wrong = set(item) ^ set(inputs)
    if wrong:
        raise WeftError(f"inputs are {', '.join(inputs)}; wrong or missing: "
                        f"{', '.join(sorted(map(str, wrong)))}")
    columns = [_split(name, item[name], *facts)
               for name, facts in inputs.items()]
    if len(set(map(len, columns))) > 1:
        raise WeftError("the arrays hold different numbers of samples: " +
                        ", ".join(f"{name} {len(column)}" for name, column
                                  in zip(inputs, columns)))
    return zip(*columns)


def _items(data):
    """The arrays or dicts that `data` consists of."""
    if callable(data):
        data = data()
    if isinstance(data, (str, bytes, os.PathLike)):
        raise WeftError(f"{data!r} is a path; files are read by the program: "
                        "weft calibrate --data FOLDER")
    if isinstance(data, dict) or hasattr(data, "__array__"):
        return [data]
    try:
        return iter(data)
    except TypeError:
        raise WeftError(f"{type(data).__name__} is no calibration data; give "
                        "arrays, a dict of arrays or an iterable of either"
                        ) from None


def _inputs(library, handle):
    """Names to (numpy type, shape)."""
    result = {}
    for index in range(library.c.weft_calibrate_input_count(handle)):
        facts = _native.CalibrateInputFacts(
            ctypes.sizeof(_native.CalibrateInputFacts))
        library.check(library.c.weft_calibrate_input(handle, index,
                                                     ctypes.byref(facts)))
        result[facts.name.decode()] = (numpy_type(facts.type),
                                       tuple(facts.shape[:facts.rank]))
    return result


def calibrate(model, data, output=None, *, shapes=None, method="percentile",
              percentile=None, plugins=()):
    """The value ranges of an ONNX file's float graph on samples: a Calibration
    for `convert(.., precision="int8")`, written to `output` if it is given.

    `data`: an array for a model of one input, a dict of arrays by input name,
    an iterable of either (such as a generator of batches), or a function
    without arguments that returns one of these. An array is a sample, several
    one after the other along the first axis, or a stack of samples. Values
    must be preprocessed as for the model.
    `method`, `percentile`: as --method of `weft calibrate`.
    """
    if percentile is not None and not 0 < percentile <= 100:
        raise WeftError(f"percentile is {percentile}, must be above 0 and at "
                        "most 100")
    library = _native.compiler()
    options = _native.CalibrateOptions(ctypes.sizeof(_native.CalibrateOptions))
    options.method = method.encode()
    options.percentile = 0 if percentile is None else percentile
    options.shapes, options.shape_count = _native.shape_texts(shapes)
    options.plugins, options.plugin_count = _native.texts(plugins)
    handle = VOID()
    library.check(library.c.weft_calibrate_open(
        os.fsencode(model), ctypes.byref(options), ctypes.byref(handle)))
    try:
        inputs = _inputs(library, handle)
        for item in _items(data):
            for sample in _samples(item, inputs):
                # Kept until the call is over.
                arrays = [numpy.ascontiguousarray(array) for array in sample]
                library.check(library.c.weft_calibrate_add(
                    handle, (VOID * max(1, len(arrays)))(
                        *(array.ctypes.data for array in arrays))))
        text = CHAR()
        library.check(library.c.weft_calibrate_table(handle,
                                                     ctypes.byref(text)))
        result = Calibration(text.value.decode())
    finally:
        library.c.weft_calibrate_close(handle)
    if output is not None:
        result.save(output)
    return result


@contextlib.contextmanager
def table_path(calibration, model, shapes, plugins):
    """The path of a table for `convert`, or None; made of data if need be."""
    if calibration is None or isinstance(calibration,
                                         (str, bytes, os.PathLike)):
        yield calibration
        return
    if not isinstance(calibration, Calibration):
        calibration = calibrate(model, calibration, shapes=shapes,
                                plugins=plugins)
    with tempfile.TemporaryDirectory(prefix="weft-") as folder:
        path = os.path.join(folder, "calibration.table")
        calibration.save(path)
        yield path

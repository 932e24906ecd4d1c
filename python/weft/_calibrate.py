"""Calibration: the value ranges of a model on samples, for int8, and which
products are worth floats there."""

import contextlib
import ctypes
import json
import numbers
import os
import sys
import tempfile
import warnings

import numpy

from . import _native
from ._native import CHAR, VOID, WeftError
from ._part import Part
from ._types import numpy_type


class WeftWarning(UserWarning):
    """Samples or a result that are likely not what is wanted."""


def warn(line):
    """A WeftWarning at the line that called this package."""
    frame, level, here = sys._getframe(), 0, 0
    while frame is not None:
        level += 1
        if frame.f_globals.get("__package__") == __package__:
            here = level
        frame = frame.f_back
    warnings.warn(line, WeftWarning, stacklevel=here + 1)


class _Text:
    def __init__(self, text):
        self.text = text

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.text)


class Calibration(_Text):
    """A calibration table. `text` is what `weft calibrate` writes, `warnings`
    what is odd about the samples, a line each."""

    def __init__(self, text, lines=()):
        super().__init__(text)
        self.warnings = list(lines)

    def __repr__(self):
        values = sum(not line.startswith("#") for line in
                     self.text.splitlines())
        return f"<weft.Calibration of {values} values>"


def _in_type(name, array, kind, strict):
    array = numpy.asarray(array)
    if array.dtype != kind and not (
            numpy.issubdtype(array.dtype, numpy.floating)
            and numpy.issubdtype(kind, numpy.floating)):
        if not strict:
            return array
        raise WeftError(f"input '{name}' is {kind}, the array is "
                        f"{array.dtype}; convert and scale it as the model "
                        "was trained")
    return array.astype(kind, copy=False)


class Precisions(_Text):
    """Which products of an int8 program are floats. `text` is a precision
    table, as `--write-precision-table` writes it; `calibration` the ranges of
    the samples; `pareto` the measured programs that no other beats, dicts of
    `chosen`, `cycles`, `outputs`, `float_products`, `float_share` and, where it
    was asked, `score`; `held_back` the accuracy on samples that the search did
    not see, or None; `miss` why the goal is missed, or ""."""

    def __init__(self, text, calibration, report):
        super().__init__(text)
        self.calibration, self.miss = calibration, report["miss"]
        self.pareto, self.held_back = report["pareto"], report.get("held_back")

    @property
    def chosen(self):
        """The row of `pareto` that was chosen."""
        chosen, = (row for row in self.pareto if row["chosen"])
        return chosen

    def __repr__(self):
        return (f"<weft.Precisions: {len(self.chosen['float_products'])} "
                f"floats, {self.chosen['cycles']:.0f} cycles>")


def _split(name, array, kind, shape, strict):
    """One array for each sample that `array` holds."""
    array = _in_type(name, array, kind, strict)
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


def samples(item, inputs, strict=True):
    """Lists of arrays in the order of `inputs`, for one array or dict; unless
    `strict`, of any types."""
    if not isinstance(item, dict):
        if len(inputs) != 1:
            raise WeftError("the model has the inputs " + ", ".join(inputs) +
                            "; give dicts with an array for each")
        item = {next(iter(inputs)): item}
    _native.check_names(item, inputs)
    columns = [_split(name, item[name], *facts, strict)
               for name, facts in inputs.items()]
    if len(set(map(len, columns))) > 1:
        raise WeftError("the arrays hold different numbers of samples: " +
                        ", ".join(f"{name} {len(column)}" for name, column
                                  in zip(inputs, columns)))
    return zip(*columns)


def items(data):
    """The arrays or dicts that `data` consists of, and how many they are, None
    for an iterator."""
    if callable(data):
        data = data()
    if _native.is_path(data):
        raise WeftError(f"{data!r} is a path; files are read by the program: "
                        "weft calibrate --data FOLDER")
    if isinstance(data, dict) or hasattr(data, "__array__"):
        return [data], 1
    try:
        return iter(data), len(data) if hasattr(data, "__len__") else None
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


@contextlib.contextmanager
def _opened(model, part, method="auto", percentile=None, recover="weights",
            search_samples=0, keep_only=False):
    """A calibration of the C interface for a Part of `model`, and its
    library."""
    if percentile == 0:  # in C that means the default; it checks the others
        raise WeftError("percentile is 0, must be above 0 and at most 100")
    library = _native.compiler()
    options = _native.CalibrateOptions(ctypes.sizeof(_native.CalibrateOptions))
    options.method = method.encode()
    options.percentile = 0 if percentile is None else percentile
    part.put(options)
    options.search_samples = search_samples
    options.recover, options.keep_only = recover.encode(), keep_only
    handle = VOID()
    library.check(library.c.weft_calibrate_open(
        os.fsencode(model), ctypes.byref(options), ctypes.byref(handle)))
    try:
        yield library, handle
    finally:
        library.c.weft_calibrate_close(handle)


def _add(library, handle, data, progress=None):
    """Gives the samples to the compiler; calls progress(done, about) after
    each, about None where nobody knows."""
    inputs, count = _inputs(library, handle), 0
    given, length = items(data)
    for item in given:
        found = list(samples(item, inputs))
        if length is not None and not count:  # of others like the first
            length *= len(found)
        for sample in found:
            count += 1
            # Kept until the call is over.
            arrays = [numpy.ascontiguousarray(array) for array in sample]
            library.check(library.c.weft_calibrate_add(
                handle, (VOID * max(1, len(arrays)))(
                    *(array.ctypes.data for array in arrays))))
            if progress:
                progress(count, length and max(count, length))
    if not count:
        raise WeftError("no samples: the data are empty; give at least one")


def _table(library, handle):
    """That of the samples; warns of what is odd about them."""
    text, odd = CHAR(), CHAR()
    library.check(library.c.weft_calibrate_table(handle, ctypes.byref(text)))
    library.check(library.c.weft_calibrate_warnings(handle,
                                                    ctypes.byref(odd)))
    table = Calibration(text.value.decode(), odd.value.decode().splitlines())
    for line in table.warnings:
        warn(line)
    return table


@contextlib.contextmanager
def measuring(model, data, part, *, calibrates, progress=None):
    """The table of the samples `data`, None unless `calibrates`, and a function
    from the bytes of a program to its accuracy on four of them, as the program
    `weft` measures it; None for a program that cannot be measured."""
    with _opened(model, part, search_samples=4,
                 keep_only=not calibrates) as (library, handle):
        _add(library, handle, data, progress)
        table = _table(library, handle) if calibrates else None

        def measure(program, warns=True):
            report = CHAR()
            library.check(library.c.weft_calibrate_measure(
                handle, program, len(program), ctypes.byref(report)))
            facts = json.loads(report.value.decode())
            for line in facts["warnings"]:
                if warns or facts["accuracy"] is None:
                    warn(line)
            return facts["accuracy"]

        yield table, measure


def calibrate(model, data, output=None, *, shapes=None, batch=None,
              inputs=None, outputs=None, bind=None, method="auto",
              percentile=None, recover="weights", plugins=(), progress=None):
    """The value ranges of an ONNX file's float graph on samples: a Calibration
    for `convert(.., precision="int8")`, written to `output` if it is given.

    `data`: an array for a model of one input, a dict of arrays by input name,
    an iterable of either (such as a generator of batches), or a function
    without arguments that returns one of these. An array is a sample, several
    one after the other along the first axis, or a stack of samples. Values
    must be preprocessed as for the model. What is odd about them is a
    WeftWarning.
    `shapes`, `batch`, `inputs`, `outputs`, `bind`, `plugins`: as for `convert`.
    `method`, `percentile`, `recover`: as those flags of `weft calibrate`.
    `progress(done, about)` is called after each sample; `about` is None for an
    iterator, whose length nobody knows.
    """
    part = Part(shapes=shapes, batch=batch, inputs=inputs, outputs=outputs,
                bind=bind, plugins=plugins)
    with _opened(model, part, method, percentile, recover) as opened:
        _add(*opened, data, progress)
        result = _table(*opened)
    if output is not None:
        result.save(output)
    return result


class _Score:
    """A Python function as the score of the C interface; keeps its
    exception."""

    def __init__(self, function):
        self.function, self.problem = function, None
        self.pointer = _native.SCORE(self.call) if function else \
            _native.SCORE()

    def call(self, _, bmodel, size, score):
        try:
            score[0] = float(self.function(ctypes.string_at(bmodel, size)))
            return 0
        except BaseException as problem:  # must not pass through C
            self.problem = problem
            return 1


def choose_precisions(model, data, *, target_cosine=None, target_sqnr=None,
                      score=None, target_score=None, max_float_macs=None,
                      search_samples=8, log=None, progress=None, shapes=None,
                      batch=None, inputs=None, outputs=None, bind=None,
                      method="auto", percentile=None, recover="weights",
                      target="bm1684x", plugins=()):
    """`--precision auto`: which products of an int8 program must be floats for
    an accuracy, as Precisions. Raises WeftError if no mix reaches it.

    `target_cosine` (0.998) or `target_sqnr`: what the worst output must reach
    on `search_samples` of the samples, spread over all. Or `target_score`:
    what `score(bmodel)` must give for the bytes of the program; higher is
    better.
    `max_float_macs`: floats for at most this share of the multiplications, 0
    to 1; then the result is the most accurate mix if none reaches the goal,
    with a WeftWarning.
    `log`: a file that keeps what was measured; `progress(done, about)` is
    called after each program. `data` and the rest: as for `calibrate`.
    """
    if (score is None) != (target_score is None):
        raise WeftError("score and target_score belong together; give both or "
                        "none")
    for name, value, most in (("target_cosine", target_cosine, 1),
                              ("target_sqnr", target_sqnr, 200),
                              ("max_float_macs", max_float_macs, 1)):
        # 0 means in C that nothing is given.
        if value is not None and not (isinstance(value, numbers.Real)
                                      and 0 < value <= most):
            raise WeftError(f"{name} is {value!r}, must be a number above 0 "
                            f"and at most {most}")
    if search_samples < 1:
        raise WeftError(f"search_samples is {search_samples}, must be at "
                        "least 1")
    options = _native.ChooseOptions(ctypes.sizeof(_native.ChooseOptions))
    options.target = target.encode()
    options.target_cosine = target_cosine or 0
    options.target_sqnr = target_sqnr or 0
    options.target_score = target_score or 0
    options.max_float_macs = max_float_macs or 0
    options.log = _native.encoded(log)
    called = _Score(score)
    options.score = called.pointer
    shown = _native.PROGRESS(lambda _, done, about: progress(done, about)) \
        if progress else _native.PROGRESS()
    options.progress = shown
    part = Part(shapes=shapes, batch=batch, inputs=inputs, outputs=outputs,
                bind=bind, plugins=plugins)
    with _opened(model, part, method, percentile, recover,
                 search_samples) as (library, handle):
        _add(library, handle, data)
        table = _table(library, handle)
        text, report = CHAR(), CHAR()
        try:
            library.check(library.c.weft_calibrate_choose(
                handle, ctypes.byref(options), ctypes.byref(text),
                ctypes.byref(report)))
        except WeftError:
            if called.problem is not None:
                raise called.problem from None
            raise
        facts = json.loads(report.value.decode())
        if not text.value:
            raise WeftError(facts["miss"])
        result = Precisions(text.value.decode(), table, facts)
    if result.miss:
        warn(result.miss)
    return result


@contextlib.contextmanager
def table_path(table):
    """The path of a table for `convert`, or None. A dict of precisions by name
    is one of precisions."""
    if isinstance(table, dict):
        table = _Text("ops:\n" + "".join(
            f"  {json.dumps(name)}: {precision}\n"
            for name, precision in table.items()) if table else "ops: {}\n")
    if not isinstance(table, _Text):
        yield table
        return
    with tempfile.TemporaryDirectory(prefix="weft-") as folder:
        path = os.path.join(folder, "table")
        table.save(path)
        yield path

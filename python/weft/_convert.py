"""Programs: ONNX files through the compiler."""

import contextlib
import ctypes
import inspect
import os

from . import _calibrate, _native
from ._native import SIZE, VOID, WeftError
from ._part import Part


class Program(bytes):
    """The bytes of a program, as `convert` returns them. `accuracy`: how close
    it is to the float model on samples, a dict for each output: `name`,
    `cosine` (mean of the samples; of integers the share of equal elements),
    `worst_cosine`, `sqnr_db` (None if nothing differs) and, of an output that
    joins several values, `parts` with the same of each; or None if nothing was
    measured, as with the target zhouyi."""
    accuracy = None

    def __repr__(self):
        """Not all of its bytes: a prompt prints what `convert` returns."""
        worst = min((one["cosine"] for one in self.accuracy or ()),
                    default=None)
        measured = "" if worst is None else f", cosine {worst:.4f}"
        return f"<weft.Program of {len(self)} bytes{measured}>"

    __str__ = __repr__


def _is_data(calibration):
    return not (calibration is None or _native.is_path(calibration)
                or isinstance(calibration, _calibrate.Calibration))


PRECISIONS = ("f32", "f16", "bf16", "int8", "w8f16", "w4f16", "auto")
# What the program `weft` has for files.
_OF_FILES = {
    "preprocess": "images are read and preprocessed by the program weft alone "
                  "(--preprocess); give arrays as the model takes them",
    "fuse_preprocess": "only the program weft makes preprocessing a part of a "
                       "program (weft convert --fuse-preprocess)"}


def _check_names(given):
    """Arguments beside those of `convert` are those of a search."""
    search = [name for name in
              inspect.signature(_calibrate.choose_precisions).parameters
              if name not in inspect.signature(convert).parameters
              and name != "data"]
    for name in given:
        if name in _OF_FILES:
            raise WeftError(f"{name} is no argument: {_OF_FILES[name]}")
        if name not in search:
            own = [own for own, parameter in
                   inspect.signature(convert).parameters.items()
                   if parameter.kind == parameter.KEYWORD_ONLY]
            raise WeftError(f"unknown argument '{name}'; known: "
                            f"{', '.join(own)}, and for precision auto "
                            f"{', '.join(search)}")


def _check_tables(precision, calibration, precisions, search):
    if precision not in PRECISIONS:
        raise WeftError(f"precision is {precision!r}, must be "
                        f"{', '.join(PRECISIONS[:-1])} or {PRECISIONS[-1]}")
    if precision == "int8" and calibration is None:
        raise WeftError("precision int8 needs value ranges; give calibration: "
                        "samples, a table or its path")
    if precision == "auto":
        if not _is_data(calibration):
            raise WeftError("precision auto measures programs on samples; "
                            "give them as calibration")
        if precisions is not None:
            raise WeftError("precision auto chooses the floats itself; leave "
                            "out precisions")
        return
    if search:
        raise WeftError(f"{', '.join(search)}: for precision auto, it is "
                        f"{precision}; leave it out")
    if calibration is not None and precision not in (
            "int8", "f16", "w8f16", "w4f16"):
        raise WeftError("calibration is for precision int8, f16, w8f16 and "
                        f"w4f16, it is {precision}; leave it out")


def _compiled(model, options, calibration, precisions):
    """A Program."""
    library = _native.compiler()
    data, size = VOID(), SIZE()
    with _calibrate.table_path(calibration) as ranges, \
            _calibrate.table_path(precisions) as floats:
        options.calibration = _native.encoded(ranges)
        options.precision_table = _native.encoded(floats)
        library.check(library.c.weft_convert(
            os.fsencode(model), ctypes.byref(options), ctypes.byref(data),
            ctypes.byref(size)))
    try:
        return Program(ctypes.string_at(data, size.value))
    finally:
        library.c.weft_compiler_free(data)


def _check_choices(precision, no_float, group_size, asymmetric, quantized_io):
    if no_float and precision == "auto":
        raise WeftError("precision auto chooses the floats itself; leave out "
                        "no_float")
    # The search measures programs without them.
    if precision == "auto" and (asymmetric != "auto" or quantized_io):
        raise WeftError("precision auto has zero points where they help and "
                        "inputs and outputs of floats; leave out asymmetric "
                        "and quantized_io, or choose with choose_precisions "
                        "and convert with its table")
    if group_size is not None and (precision == "auto" or group_size < 0):
        raise WeftError(f"group_size is {group_size} and the precision "
                        f"{precision}; it must be 0 or a power of two from 16 "
                        "to 1024, for w8f16 and w4f16")


def _options(part, *, group_size, level, search_seconds, search_cache,
             **fields):
    """ConvertOptions without precision and tables; `part` must outlive it."""
    if search_seconds is not None and not search_seconds > 0:
        raise WeftError(f"search_seconds is {search_seconds}, must be above 0")
    options = _native.ConvertOptions(ctypes.sizeof(_native.ConvertOptions))
    part.put(options)
    for name, value in fields.items():
        setattr(options, name, value.encode() if isinstance(value, str)
                else bool(value))
    # In C 0 is the default of both numbers.
    options.group_size = 0 if group_size is None else group_size or -1
    options.search_seconds = search_seconds or 0
    options.level = None if level is None else str(level).encode()
    options.search_cache = _native.encoded(search_cache)
    return options


def _measured(model, part, options, precision, calibration, precisions, samples,
              progress, search):
    """A Program with its accuracy. `search`: options of choose_precisions, for
    auto."""
    is_auto, accuracy, measure = precision == "auto", None, None
    with contextlib.ExitStack() as stack:
        if is_auto:
            precisions = _calibrate.choose_precisions(
                model, calibration, progress=progress, **search)
            calibration, precision = precisions.calibration, "int8"
            accuracy = precisions.chosen["outputs"]
        elif _is_data(calibration):
            calibration, measure = stack.enter_context(_calibrate.measuring(
                model, calibration, part, calibrates=True, progress=progress))
        if samples is not None:
            _, measure = stack.enter_context(_calibrate.measuring(
                model, samples, part, calibrates=False))
        options.precision = precision.encode()
        result = _compiled(model, options, calibration, precisions)
        if measure:
            # Of auto the goal says what is far.
            accuracy = measure(result, warns=not is_auto)
    result.accuracy = accuracy
    return result


def convert(model, output=None, *, shapes=None, batch=None, inputs=None,
            outputs=None, bind=None, precision="f32", target="bm1684x",
            calibration=None, precisions=None, samples=None, plugins=(),
            host=True, keep_int8=False, no_float=False, group_size=None,
            asymmetric="auto", quantized_io=False, strip=False, level=None,
            search_seconds=None, search_cache=None, progress=None, **search):
    """Compiles an ONNX file. Returns the bytes of the bmodel (with the target
    zhouyi: of the .zyp program) as a Program, and writes them to `output` if it
    is given.

    `shapes`: sizes of inputs by name, a tuple, a number (of one axis) or a
    text as for --shape: "1..8x3x48x(64|128)" makes a stage of each. Those of a
    sequence S are "S[0]", "S[1]" .., or {"S": 2}, {"S": "empty"}; {"o": "none"}
    leaves out an optional.
    `batch`: the first axis of every input that the model leaves open or fixes
    to 1, a number or "1..8".
    `inputs`, `outputs`: a name or names of values of the graph that become the
    inputs and outputs, in this order; what is not between them is left out.
    `bind`: arrays by input name that become constants ({"sr": 16000}; a number
    is int64 or double).
    `plugins`: libraries of operators written as PPL kernels.
    `precision`: f32, f16, bf16, int8, w8f16, w4f16 or auto.
    `calibration`, for int8, f16, w8f16 and w4f16 (as --calibration): the path
    of a table, what `calibrate` gave, or the data to give it: arrays, a dict of
    arrays, an iterable of either or a function without arguments that returns
    one.
    `samples`: such data to measure the accuracy on, at any precision, for the
    attribute `accuracy` of the result; without it that is measured on the data
    of `calibration`, if there are any (of auto on the samples of the search);
    the ranges are of these too, so others may do worse.
    An output that is far from the float model's is a WeftWarning.
    `precisions` (as --precision-table): the path of a table, a dict of
    precisions by name ({"conv1": "f16"}), or what `choose_precisions` gave.
    `precision="auto"` calls that, on the data given as `calibration`, with
    `target_cosine=..` and its other options.
    `keep_int8`, for int8: no product becomes a float because that takes fewer
    cycles. `no_float`, for int8: every product with constant weights in 8 bits,
    depthwise convolutions too; not of the state of an LSTM, GRU or RNN, which
    has no range. `group_size`, for w8f16 and w4f16: weights of one scale, a
    power of two from 16 to 1024, or 0: those of an output channel; else 64.
    `host=False`: an operation that the chip does not compute is a WeftError.
    `asymmetric="off"`, for int8: no zero points. `quantized_io`: inputs and
    outputs in the types computed with. `strip`: no debug map, so no names in
    profiles and no `compare(per_layer=True)`.
    `level`: 0 to 3, as -O; of 3 `search_seconds` and `search_cache`, as
    --time-limit and --search-cache.
    `progress(done, about)` is called after each sample of `calibration`, with
    auto after each program that is measured; `about` may be None.
    """
    _check_names(search)
    _check_choices(precision, no_float, group_size, asymmetric, quantized_io)
    _check_tables(precision, calibration, precisions, search)
    common = {"shapes": shapes, "batch": batch, "inputs": inputs,
              "outputs": outputs, "bind": bind, "plugins": plugins}
    part = Part(**common)
    options = _options(
        part, target=str(target), no_host=not host, keep_int8=keep_int8,
        no_float=no_float, group_size=group_size, asymmetric=str(asymmetric),
        quantized_io=quantized_io, strip=strip, level=level,
        search_seconds=search_seconds, search_cache=search_cache)
    if precision == "auto":
        search.update(common, target=target)
    result = _measured(model, part, options, precision, calibration, precisions,
                       samples, progress, search)
    if output is not None:
        with open(output, "wb") as file:
            file.write(result)
    return result

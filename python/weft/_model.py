"""Models: made by the compiler, run by the runtime."""

import contextlib
import ctypes
import functools
import inspect
import os
import threading

import numpy

from . import _calibrate, _native
from ._native import CHAR, INT64, POINTER, SIZE, VOID, WeftError
from ._types import code_of, numpy_type


class _Description(ctypes.Structure):
    _fields_ = [("struct_bytes", SIZE), ("name", CHAR), ("type", ctypes.c_int),
                ("rank", SIZE), ("shape", POINTER(INT64)), ("bytes", SIZE),
                ("stored_type", ctypes.c_int), ("scale", ctypes.c_float),
                ("zero_point", ctypes.c_int32), ("batch_axis", ctypes.c_int32)]


class _DeviceOptions(ctypes.Structure):
    _fields_ = [("struct_bytes", SIZE), ("kind", ctypes.c_int),
                ("bmrt_library", CHAR), ("time_limit_seconds", ctypes.c_double),
                ("threads", ctypes.c_uint32)]


# Numbers of weft_device_kind.
DEVICES = {"emulator": 0, "bmrt": 1}


@functools.lru_cache(maxsize=None)
def _runtime():
    """libweft.so."""
    return _native.Library(_native.find_library("libweft.so"), "weft_status", [
        ("weft_model_load", VOID, CHAR, POINTER(VOID)),
        ("weft_model_load_bytes", VOID, CHAR, SIZE, CHAR, POINTER(VOID)),
        ("weft_model_free", None, VOID),
        ("weft_model_stage_count", SIZE, VOID, SIZE),
        ("weft_model_input_count", SIZE, VOID, SIZE),
        ("weft_model_output_count", SIZE, VOID, SIZE),
        ("weft_model_input", VOID, VOID, SIZE, SIZE, SIZE,
         POINTER(_Description)),
        ("weft_model_output", VOID, VOID, SIZE, SIZE, SIZE,
         POINTER(_Description)),
        ("weft_model_find_stage", VOID, VOID, SIZE, POINTER(POINTER(INT64)),
         POINTER(SIZE), POINTER(SIZE), POINTER(INT64)),
        ("weft_session_open", VOID, VOID, CHAR, SIZE, VOID, POINTER(VOID)),
        ("weft_session_run_entries", VOID, VOID, POINTER(VOID),
         POINTER(ctypes.c_int), POINTER(VOID), INT64),
        ("weft_session_output_shape", VOID, VOID, SIZE,
         POINTER(POINTER(INT64)), POINTER(SIZE)),
        ("weft_session_free", None, VOID),
    ])


def _in_order(array):
    """Row-major, in this machine's byte order."""
    array = numpy.ascontiguousarray(array)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("="))
    return array


class Model:
    """A bmodel or a .zyp program: the path of a file, or its bytes. Runs on the
    emulator, or on the machine of programs; with the device bmrt a bmodel runs
    on the vendor's runtime, whose libbmrt.so `bmrt_library` names (None: the
    environment variable WEFT_BMRT_LIB).

    `inputs` and `outputs` are those of the first stage, `stages` the inputs of
    each. Several threads may share a model; its runs follow each other.
    """

    def __init__(self, source, *, device="emulator", bmrt_library=None):
        if device not in DEVICES:
            raise WeftError(f"device is {device!r}, must be "
                            f"{' or '.join(DEVICES)}")
        self._options = _DeviceOptions(
            ctypes.sizeof(_DeviceOptions), DEVICES[device],
            None if bmrt_library is None else os.fsencode(bmrt_library))
        self._library = _runtime()
        self._handle, self._sessions = VOID(), {}
        self._running = threading.Lock()  # a session has one set of buffers
        c = self._library.c
        if isinstance(source, (bytes, bytearray)):
            source = bytes(source)
            status = c.weft_model_load_bytes(source, len(source), b"<bytes>",
                                             ctypes.byref(self._handle))
        else:
            status = c.weft_model_load(os.fsencode(source),
                                       ctypes.byref(self._handle))
        self._library.check(status)
        self.inputs = self._describe("input", 0)
        self.outputs = self._describe("output", 0)
        self.stages = [self._describe("input", stage) for stage in
                       range(c.weft_model_stage_count(self._handle, 0))]

    def _describe(self, kind, stage):
        """Names to (numpy type, shape) of the inputs or outputs."""
        c, result = self._library.c, {}
        count = getattr(c, f"weft_model_{kind}_count")(self._handle, 0)
        for index in range(count):
            one = _Description(ctypes.sizeof(_Description))
            self._library.check(getattr(c, f"weft_model_{kind}")(
                self._handle, 0, stage, index, ctypes.byref(one)))
            result[one.name.decode()] = (numpy_type(one.type),
                                         tuple(one.shape[:one.rank]))
        return result

    def _stage(self, arrays):
        shapes = [(INT64 * max(1, array.ndim))(*array.shape)
                  for array in arrays]
        pointers = (POINTER(INT64) * max(1, len(arrays)))(
            *(ctypes.cast(shape, POINTER(INT64)) for shape in shapes))
        ranks = (SIZE * max(1, len(arrays)))(*(a.ndim for a in arrays))
        stage, entries = SIZE(), INT64()
        self._library.check(self._library.c.weft_model_find_stage(
            self._handle, 0, pointers, ranks, ctypes.byref(stage),
            ctypes.byref(entries)))
        return stage.value, entries.value

    def run(self, **inputs):
        """Outputs by name for one array an input."""
        with self._running:
            return self._run(inputs)

    def _run(self, inputs):
        c = self._library.c
        _native.check_names(inputs, self.inputs)
        arrays = [_in_order(inputs[name]) for name in self.inputs]
        stage, entries = self._stage(arrays)
        if stage not in self._sessions:
            session = VOID()
            self._library.check(c.weft_session_open(
                self._handle, None, stage, ctypes.byref(self._options),
                ctypes.byref(session)))
            self._sessions[stage] = session
        session = self._sessions[stage]
        described = self._describe("output", stage)
        results = {name: numpy.empty(shape, kind)
                   for name, (kind, shape) in described.items()}
        self._library.check(c.weft_session_run_entries(
            session, (VOID * max(1, len(arrays)))(*(a.ctypes.data
                                                    for a in arrays)),
            (ctypes.c_int * max(1, len(arrays)))(*(code_of(a.dtype)
                                                   for a in arrays)),
            (VOID * max(1, len(results)))(*(r.ctypes.data
                                            for r in results.values())),
            entries))
        for index, (name, result) in enumerate(results.items()):
            shape, rank = POINTER(INT64)(), SIZE()
            self._library.check(c.weft_session_output_shape(
                session, index, ctypes.byref(shape), ctypes.byref(rank)))
            size = tuple(shape[:rank.value])
            count = int(numpy.prod(size, dtype=numpy.int64))
            results[name] = result.reshape(-1)[:count].reshape(size)
        return results

    def __del__(self):
        for session in getattr(self, "_sessions", {}).values():
            self._library.c.weft_session_free(session)
        if getattr(self, "_handle", None):
            self._library.c.weft_model_free(self._handle)
            self._handle = None


class Program(bytes):
    """The bytes of a program, as `convert` returns them. `accuracy`: how close
    it is to the float model on samples, a dict for each output: `name`,
    `cosine` (mean of the samples; of integers the share of equal elements),
    `worst_cosine`, `sqnr_db` (None if nothing differs) and, of an output that
    joins several values, `parts` with the same of each; or None if nothing was
    measured, as with the target zhouyi."""
    accuracy = None


def _is_data(calibration):
    return not (calibration is None or _calibrate.is_path(calibration)
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
              if name not in ("model", "data", "shapes", "target", "plugins")]
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


def convert(model, output=None, *, shapes=None, precision="f32",
            target="bm1684x", calibration=None, precisions=None, samples=None,
            plugins=(), host=True, keep_int8=False, no_float=False,
            group_size=None, **search):
    """Compiles an ONNX file. Returns the bytes of the bmodel (with the target
    zhouyi: of the .zyp program) as a Program, and writes them to `output` if it
    is given.

    `shapes`: sizes of inputs by name, a tuple, a number (of one axis) or a
    text as for --shape.
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
    """
    _check_names(search)
    if no_float and precision == "auto":
        raise WeftError("precision auto chooses the floats itself; leave out "
                        "no_float")
    if group_size is not None and (precision == "auto" or group_size < 0):
        raise WeftError(f"group_size is {group_size} and the precision "
                        f"{precision}; it must be 0 or a power of two from 16 "
                        "to 1024, for w8f16 and w4f16")
    _check_tables(precision, calibration, precisions, search)
    options = _native.ConvertOptions(ctypes.sizeof(_native.ConvertOptions))
    options.target = target.encode()
    options.shapes, options.shape_count = _native.shape_texts(shapes)
    options.plugins, options.plugin_count = _native.texts(plugins)
    options.no_host, options.keep_int8 = not host, keep_int8
    options.no_float = no_float
    # In C 0 is the default.
    options.group_size = 0 if group_size is None else group_size or -1
    is_auto, accuracy, measure = precision == "auto", None, None
    common = {"shapes": shapes, "plugins": plugins}
    with contextlib.ExitStack() as stack:
        if is_auto:
            precisions = _calibrate.choose_precisions(
                model, calibration, target=target, **search, **common)
            calibration, precision = precisions.calibration, "int8"
            accuracy = precisions.chosen["outputs"]
        elif _is_data(calibration):
            calibration, measure = stack.enter_context(_calibrate.measuring(
                model, calibration, calibrates=True, **common))
        if samples is not None:
            _, measure = stack.enter_context(_calibrate.measuring(
                model, samples, calibrates=False, **common))
        options.precision = precision.encode()
        result = _compiled(model, options, calibration, precisions)
        if measure:
            # Of auto the goal says what is far.
            accuracy = measure(result, warns=not is_auto)
    result.accuracy = accuracy
    if output is not None:
        with open(output, "wb") as file:
            file.write(result)
    return result

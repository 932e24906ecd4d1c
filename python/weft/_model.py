"""Models, run by the runtime."""

import ctypes
import functools
import os
import threading

import numpy

from . import _native
from ._native import CHAR, INT64, POINTER, SIZE, VOID, WeftError
from ._types import STRING, code_of, numpy_type, text_bytes, text_type, texts


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
        ("weft_model_net_count", SIZE, VOID),
        ("weft_model_net_name", CHAR, VOID, SIZE),
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
    array = numpy.asarray(array)
    # ascontiguousarray makes a scalar an array of one axis.
    array = numpy.ascontiguousarray(array).reshape(array.shape)
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.newbyteorder("="))
    return array


def _held(kind, shape):
    """The shape and type of a buffer: strings are bytes there."""
    if kind.kind != "U":
        return shape, kind
    return shape + (kind.itemsize // 4,), numpy.uint8


class Model:
    """A bmodel or a .zyp program: the path of a file, or its bytes. Runs on the
    emulator, or on the machine of programs; with the device bmrt a bmodel runs
    on the vendor's runtime, whose libbmrt.so `bmrt_library` names (None: the
    environment variable WEFT_BMRT_LIB). `net` names one of several nets.

        model(image)            # positional, in the order of `inputs`
        model(x=image)          # by name
        model({"x": image})     # by name, as a dict
        model.run(image)        # the same ways; always a dict of outputs

    A call gives the array of the only output, or of several a dict by name.
    Arrays (or lists) of other types become the input's as for `weft run`:
    floats are rounded, everything else must be exact.
    `inputs` and `outputs` are those of the first stage, dicts of names and
    (numpy type, shape); `stages` the inputs of each, `nets` the names of the
    nets. Strings are arrays of str; `<U8` has up to 8 bytes in UTF-8. Several threads may share a model; its runs follow each other.
    """

    def __init__(self, source, *, net=None, device="emulator",
                 bmrt_library=None):
        if device not in DEVICES:
            raise WeftError(f"device is {device!r}, must be "
                            f"{' or '.join(DEVICES)}")
        if isinstance(source, Model):
            source = source.source
        self._options = _DeviceOptions(
            ctypes.sizeof(_DeviceOptions), DEVICES[device],
            None if bmrt_library is None else os.fsencode(bmrt_library))
        self._library = _runtime()
        self._handle, self._sessions = VOID(), {}
        self._running = threading.Lock()  # a session has one set of buffers
        c = self._library.c
        if isinstance(source, (bytes, bytearray)):
            self.source = source = bytes(source)
            status = c.weft_model_load_bytes(source, len(source), b"<bytes>",
                                             ctypes.byref(self._handle))
        else:
            if not _native.is_path(source):
                raise WeftError(f"{type(source).__name__} is no program; give "
                                "the path of a file, or bytes")
            self.source = os.path.abspath(os.fsdecode(source))
            status = c.weft_model_load(os.fsencode(source),
                                       ctypes.byref(self._handle))
        self._library.check(status)
        self.nets = [c.weft_model_net_name(self._handle, index).decode()
                     for index in range(c.weft_model_net_count(self._handle))]
        self._net = self._index(net)
        self.inputs = self._describe("input", 0)
        self.outputs = self._describe("output", 0)
        self.stages = [self._describe("input", stage) for stage in
                       range(c.weft_model_stage_count(self._handle,
                                                       self._net))]

    def _index(self, net):
        """That of the net of this name; None: of the only one."""
        if net is None and len(self.nets) == 1:
            return 0
        if net in self.nets:
            return self.nets.index(net)
        raise WeftError((f"net is {net!r}, the file has " if net is not None
                         else "the file has several nets, give net: ") +
                        ", ".join(self.nets))

    def _describe(self, kind, stage):
        """Names to (numpy type, shape) of the inputs or outputs."""
        c, result = self._library.c, {}
        count = getattr(c, f"weft_model_{kind}_count")(self._handle,
                                                            self._net)
        for index in range(count):
            one = _Description(ctypes.sizeof(_Description))
            self._library.check(getattr(c, f"weft_model_{kind}")(
                self._handle, self._net, stage, index, ctypes.byref(one)))
            shape = tuple(one.shape[:one.rank])
            result[one.name.decode()] = (
                (text_type(shape[-1]), shape[:-1]) if one.type == STRING
                else (numpy_type(one.type), shape))
        return result

    def _as_given(self, name, array):
        """The array for an input as the runtime takes it."""
        kind = self.inputs[name][0]
        if array is None or isinstance(array, dict) or (
                kind.kind != "U" and _native.is_path(array)):
            what = repr(array) if _native.is_path(array) else (
                f"a {type(array).__name__}" if array is not None else "None")
            raise WeftError(
                f"input '{name}' is {what}; give an array for each input: "
                f"model({', '.join(self.inputs)}), by name, or a dict" +
                ("; numpy.load reads files"
                 if _native.is_path(array) else ""))
        if kind.kind != "U":
            try:
                array = _in_order(array)
            except ValueError:  # lists of several lengths
                raise WeftError(f"input '{name}' is a {type(array).__name__} "
                                "that is no array; give one of one shape"
                                ) from None
            code_of(array.dtype)
            return array
        return text_bytes(numpy.asarray(array), kind.itemsize // 4, name)

    def _stage(self, arrays):
        shapes = [(INT64 * max(1, array.ndim))(*array.shape)
                  for array in arrays]
        pointers = (POINTER(INT64) * max(1, len(arrays)))(
            *(ctypes.cast(shape, POINTER(INT64)) for shape in shapes))
        ranks = (SIZE * max(1, len(arrays)))(*(a.ndim for a in arrays))
        stage, entries = SIZE(), INT64()
        self._library.check(self._library.c.weft_model_find_stage(
            self._handle, self._net, pointers, ranks, ctypes.byref(stage),
            ctypes.byref(entries)))
        return stage.value, entries.value

    def _by_name(self, arrays, named):
        """Arrays by input name; what is none is a WeftError."""
        if len(arrays) == 1 and isinstance(arrays[0], dict):
            arrays, given = (), dict(arrays[0])
        else:
            given = dict(zip(self.inputs, arrays))
        if len(arrays) > len(self.inputs):
            raise WeftError(f"{len(arrays)} arrays are given, the inputs are "
                            f"{', '.join(self.inputs)}")
        twice = [name for name in given if name in named]
        if twice:
            raise WeftError(f"input '{twice[0]}' is given by position and by "
                            "name")
        given.update(named)
        _native.check_names(given, self.inputs)
        return [self._as_given(name, given[name]) for name in self.inputs]

    def __call__(self, /, *arrays, **named):
        """The only output, or a dict of several by name. Arrays are given in
        the order of `inputs`, by name, some so and the others by name, or as
        one dict by name."""
        results = self.run(*arrays, **named)
        return next(iter(results.values())) if len(results) == 1 else results

    def __repr__(self):
        def text(sides):
            return ", ".join(f"{name} {kind}{list(shape)}"
                             for name, (kind, shape) in sides.items())
        return f"<weft.Model {text(self.inputs)} -> {text(self.outputs)}>"

    def run(self, /, *arrays, **named):
        """Outputs by name for one array an input, which are given as in a call.
        Raises WeftError if an array is missing, unexpected, has a shape that no
        stage takes, or a value that the input's type has not."""
        given = self._by_name(arrays, named)
        with self._running:
            return self._run(given)

    def _run(self, arrays):
        c = self._library.c
        stage, entries = self._stage(arrays)
        if stage not in self._sessions:
            session = VOID()
            self._library.check(c.weft_session_open(
                self._handle, self.nets[self._net].encode(), stage,
                ctypes.byref(self._options),
                ctypes.byref(session)))
            self._sessions[stage] = session
        session = self._sessions[stage]
        described = self._describe("output", stage)
        results = {name: numpy.empty(*_held(kind, shape))
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
            result = result.reshape(-1)[:count].reshape(size)
            is_text = described[name][0].kind == "U"
            results[name] = texts(result) if is_text else result
        return results

    def __del__(self):
        for session in getattr(self, "_sessions", {}).values():
            self._library.c.weft_session_free(session)
        if getattr(self, "_handle", None):
            self._library.c.weft_model_free(self._handle)
            self._handle = None

"""The shared libraries of the package, through ctypes.

`libweft.so` (weft.h) runs bmodels, `libweft-compiler.so` (weft-compiler.h)
makes them. Both lie in the folder `native` of the package; the environment
variable WEFT_NATIVE_DIR names another one, a build folder for example.
"""

import ctypes
import functools
import os
import pathlib
import re

PACKAGE = pathlib.Path(__file__).resolve().parent


class WeftError(RuntimeError):
    """A function of Weft failed. `code` is a `weft_code` of weft.h."""

    def __init__(self, message, code=0):
        super().__init__(message)
        self.code = code


def find_library(name):
    """The path of a library of Weft; raises WeftError if it is not there."""
    override = os.environ.get("WEFT_NATIVE_DIR")
    if not override:
        path = PACKAGE / "native" / "lib" / name
        if path.exists():
            return path
        raise WeftError(
            f"{path} is missing; install the wheel of weft, or set "
            "WEFT_NATIVE_DIR to a build folder")
    found = sorted(pathlib.Path(override).rglob(name))
    if not found:
        raise WeftError(f"WEFT_NATIVE_DIR={override} has no {name}; build the "
                        "targets WeftShared and WeftCompilerShared there")
    return found[0]


def find_program():
    """The path of the program `weft`; raises WeftError if it is not there."""
    override = os.environ.get("WEFT_NATIVE_DIR")
    if not override:
        path = PACKAGE / "native" / "bin" / "weft"
        if path.exists():
            return path
        raise WeftError(f"{path} is missing; install the wheel of weft, or set "
                        "WEFT_NATIVE_DIR to a build folder")
    folder = pathlib.Path(override)
    for path in (folder / "bin" / "weft", folder.parent / "bin" / "weft"):
        if path.exists():
            return path
    raise WeftError(f"WEFT_NATIVE_DIR={override} has no program weft in bin "
                    "and ../bin; build the target weft there")


def include_folder():
    """Folder of the kernel headers (`ppl/ppl.h`) of this package."""
    return str(PACKAGE / "native" / "include" / "weft")


def declare(library, rows):
    """Sets result and argument types: rows of (name, result, *arguments)."""
    for name, result, *arguments in rows:
        function = getattr(library, name)
        function.restype = result
        function.argtypes = arguments
    return library


def text(value):
    return value.decode("utf-8", "replace") if value else ""


def encoded(value):
    """A C string or NULL."""
    return None if value is None else os.fsencode(value)


class Library:
    """A library whose functions report by a status object."""

    def __init__(self, path, prefix, rows):
        self.c = ctypes.CDLL(str(path))
        self.prefix = prefix
        declare(self.c, [
            (f"{prefix}_code", ctypes.c_int, ctypes.c_void_p),
            (f"{prefix}_message", ctypes.c_char_p, ctypes.c_void_p),
            (f"{prefix}_free", None, ctypes.c_void_p),
            *rows,
        ])

    @staticmethod
    def _in_python(message):
        """The advice of a message for the program, for functions."""
        message = re.sub(r"--shape '(.*)=(.*?)': (.*); write NAME=AxBx.*",
                         r"shapes={'\1': '\2'}: \3; write a tuple or a text, "
                         "for example (1, 3, 48, 192) or "
                         "'1..8x3x48x(64..640:64)'", message)
        message = re.sub(r"--shape ([^\s;=']+)=([^\s;]+)",
                         r'shapes={"\1": "\2"}', message)
        return re.sub(r"--(shape|batch|inputs|outputs|bind)\b",
                      lambda match: {"shape": "shapes"}.get(match[1], match[1]),
                      message)

    def check(self, status, error=WeftError):
        """Raises `error(message, code)` for a status that is not NULL."""
        if not status:
            return
        try:
            message = text(getattr(self.c, f"{self.prefix}_message")(status))
            code = getattr(self.c, f"{self.prefix}_code")(status)
        finally:
            getattr(self.c, f"{self.prefix}_free")(status)
        raise error(self._in_python(message), code)


VOID, SIZE, INT = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
INT64, CHAR = ctypes.c_int64, ctypes.c_char_p
POINTER = ctypes.POINTER


def is_path(value):
    return isinstance(value, (str, bytes, os.PathLike))


def texts(values):
    """Strings as C wants them, and how many there are."""
    values = [os.fsencode(value) for value in values]
    return (CHAR * max(1, len(values)))(*values), len(values)


def check_names(given, inputs):
    """Raises WeftError unless the arrays `given` are those of `inputs`."""
    missing = [name for name in inputs if name not in given]
    wrong = sorted(str(name) for name in given if name not in inputs)
    problems = [f"{what}: {', '.join(names)}" for what, names in
                (("missing", missing), ("no input", wrong)) if names]
    if problems:
        raise WeftError(f"inputs are {', '.join(inputs)}; "
                        f"{'; '.join(problems)}")


def shape_texts(shapes):
    """Shapes by name, tuples, numbers (of one axis) or texts as for --shape, as
    such texts."""
    def text(name, size):
        axes = size
        if isinstance(size, str) or not hasattr(size, "__iter__"):
            axes = (size,)
        for axis in axes:
            if not isinstance(axis, str) and not (
                    hasattr(axis, "__index__") and axis > 0):
                raise WeftError(f"shapes={{{name!r}: {size!r}}}: size {axis} "
                                "is not a positive number")
        return "x".join(map(str, axes)) if size != () else "scalar"
    if not isinstance(shapes or {}, dict):
        raise WeftError(f"shapes is {shapes!r}, must be a dict of input names "
                        "and shapes")
    return [f"{name}={text(name, size)}"
            for name, size in (shapes or {}).items()]


class PplLine(ctypes.Structure):
    """weft_ppl_line of ppl/recorder.h."""
    _fields_ = [("file", CHAR), ("line", ctypes.c_int32)]


class PplOptions(ctypes.Structure):
    _fields_ = [("struct_bytes", SIZE), ("target", CHAR), ("name", CHAR),
                ("no_pipeline", ctypes.c_int32),
                ("keeps_values", ctypes.c_int32)]


class PplRunOptions(ctypes.Structure):
    _fields_ = [("struct_bytes", SIZE), ("engine", INT),
                ("bmrt_library", CHAR)]


class PplProfile(ctypes.Structure):
    _fields_ = [("struct_bytes", SIZE)] + [
        (name, ctypes.c_uint64)
        for name in ("total_cycles", "cycles_per_second", "tiu_busy_cycles",
                     "gdma_busy_cycles", "dram_read_bytes",
                     "dram_write_bytes", "local_bytes")]


class Constant(ctypes.Structure):
    _fields_ = [("name", CHAR), ("type", ctypes.c_int32), ("rank", SIZE),
                ("shape", POINTER(INT64)), ("data", VOID)]


class ConvertOptions(ctypes.Structure):
    _fields_ = [("struct_bytes", SIZE), ("target", CHAR), ("precision", CHAR),
                ("calibration", CHAR), ("shapes", POINTER(CHAR)),
                ("shape_count", SIZE), ("plugins", POINTER(CHAR)),
                ("plugin_count", SIZE), ("no_host", ctypes.c_int32),
                ("precision_table", CHAR), ("keep_int8", ctypes.c_int32),
                ("group_size", ctypes.c_int64), ("no_float", ctypes.c_int32),
                ("batch", CHAR), ("inputs", POINTER(CHAR)),
                ("input_count", SIZE), ("outputs", POINTER(CHAR)),
                ("output_count", SIZE), ("constants", POINTER(Constant)),
                ("constant_count", SIZE),
                ("asymmetric", CHAR), ("quantized_io", ctypes.c_int32),
                ("strip", ctypes.c_int32), ("level", CHAR),
                ("search_seconds", ctypes.c_double), ("search_cache", CHAR)]


class CalibrateOptions(ctypes.Structure):
    _fields_ = [("struct_bytes", SIZE), ("method", CHAR),
                ("percentile", ctypes.c_double), ("shapes", POINTER(CHAR)),
                ("shape_count", SIZE), ("plugins", POINTER(CHAR)),
                ("plugin_count", SIZE), ("search_samples", SIZE),
                ("recover", CHAR), ("keep_only", ctypes.c_int32),
                ("batch", CHAR), ("inputs", POINTER(CHAR)),
                ("input_count", SIZE), ("outputs", POINTER(CHAR)),
                ("output_count", SIZE), ("constants", POINTER(Constant)),
                ("constant_count", SIZE)]


SCORE = ctypes.CFUNCTYPE(ctypes.c_int32, VOID, VOID, SIZE,
                         POINTER(ctypes.c_double))
PROGRESS = ctypes.CFUNCTYPE(None, VOID, SIZE, SIZE)


class ChooseOptions(ctypes.Structure):
    _fields_ = [("struct_bytes", SIZE), ("target", CHAR),
                ("target_cosine", ctypes.c_double),
                ("target_sqnr", ctypes.c_double), ("score", SCORE),
                ("target_score", ctypes.c_double),
                ("max_float_macs", ctypes.c_double), ("progress", PROGRESS),
                ("context", VOID), ("log", CHAR)]


class CalibrateInputFacts(ctypes.Structure):
    _fields_ = [("struct_bytes", SIZE), ("name", CHAR),
                ("type", ctypes.c_int32), ("rank", SIZE),
                ("shape", POINTER(INT64)), ("bytes", SIZE)]


@functools.lru_cache(maxsize=None)
def compiler():
    """libweft-compiler.so."""
    library = Library(find_library("libweft-compiler.so"),
                      "weft_compiler_status", [
        ("weft_compiler_api_version", INT),
        ("weft_compiler_version", CHAR),
        ("weft_compiler_status_ppl_code", INT, VOID),
        ("weft_catalog", CHAR, CHAR),
        ("weft_catalog_call", VOID, VOID, VOID),
        ("weft_catalog_result_free", None, VOID),
        ("weft_ascend_moves", VOID, VOID, POINTER(VOID)),
        ("weft_zhouyi_assemble", VOID, CHAR, POINTER(VOID), POINTER(SIZE)),
        ("weft_ppl_catalog", CHAR),
        ("weft_ppl_types", CHAR),
        ("weft_ppl_chips", CHAR),
        ("weft_ppl_open", VOID, POINTER(PplOptions), POINTER(VOID)),
        ("weft_ppl_program_recorder", VOID, VOID),
        ("weft_ppl_wrapper", ctypes.c_int32, VOID, CHAR, VOID, SIZE,
         PplLine),
        ("weft_ppl_check", VOID, VOID),
        ("weft_ppl_values", VOID, VOID, INT64, POINTER(VOID), POINTER(SIZE)),
        ("weft_ppl_finish", VOID, VOID, POINTER(ctypes.c_int32)),
        ("weft_ppl_find_faults", VOID, VOID, POINTER(CHAR)),
        ("weft_ppl_run", VOID, VOID, POINTER(PplRunOptions)),
        ("weft_ppl_bmodel", VOID, VOID, POINTER(VOID), POINTER(SIZE)),
        ("weft_ppl_bmodel_with_lines", VOID, VOID, POINTER(VOID),
         POINTER(SIZE)),
        ("weft_ppl_program_profile", VOID, VOID, POINTER(PplProfile)),
        ("weft_ppl_program_timeline", VOID, VOID, POINTER(CHAR)),
        ("weft_ppl_program_lines", VOID, VOID, POINTER(CHAR)),
        ("weft_ppl_text", VOID, VOID, INT, POINTER(CHAR)),
        ("weft_ppl_close", None, VOID),
        ("weft_convert", VOID, CHAR, POINTER(ConvertOptions), POINTER(VOID),
         POINTER(SIZE)),
        ("weft_compiler_free", None, VOID),
        ("weft_calibrate_open", VOID, CHAR, POINTER(CalibrateOptions),
         POINTER(VOID)),
        ("weft_calibrate_input_count", SIZE, VOID),
        ("weft_calibrate_input", VOID, VOID, SIZE,
         POINTER(CalibrateInputFacts)),
        ("weft_calibrate_add", VOID, VOID, POINTER(VOID)),
        ("weft_calibrate_table", VOID, VOID, POINTER(CHAR)),
        ("weft_calibrate_warnings", VOID, VOID, POINTER(CHAR)),
        ("weft_calibrate_choose", VOID, VOID, POINTER(ChooseOptions),
         POINTER(CHAR), POINTER(CHAR)),
        ("weft_calibrate_measure", VOID, VOID, CHAR, SIZE, POINTER(CHAR)),
        ("weft_calibrate_close", None, VOID),
    ])
    version = library.c.weft_compiler_api_version()
    if version < 1:
        raise WeftError(f"libweft-compiler.so has API version {version}, this "
                        "package needs 1; install both from one wheel")
    return library

"""The table of functions of ppl/recorder.h and the program being recorded."""

import contextlib
import ctypes
import difflib
import functools
import json
import linecache
import os
import re
import sys
import threading
import traceback
import warnings
from types import TracebackType

from .. import _native

L2, GLOBAL, LOCAL = 1, 2, 3
NO_ADDRESS = 2**64 - 1
OMITTED, TENSOR, INTEGER, FLOAT, INTEGERS = range(5)
SCOPE_CALL, SCOPE_ITERATION, SCOPE_ATTEMPT, SCOPE_PARALLEL, SCOPE_KERNEL = range(5)
(SET_BLOCK_NUM, SET_ALLOCATION_METHOD, SET_PINGPONG, SET_AUTO_SYNC, SET_SEED,
 SET_GROUP_NUM, SET_BARRIER) = range(7)
(GET_LANES, GET_EU_BYTES, GET_LANE_BYTES, GET_BANKS, GET_CORES, GET_L2_BYTES,
 GET_BLOCK_NUM, GET_BLOCK_INDEX, GET_CHANNEL_PACK, GET_GROUP_NUM,
 GET_GROUP_INDEX, GET_FAILED, GET_LOAD_BYTES, GET_STORE_BYTES,
 GET_SHORTEST_DMA_RUN) = range(15)

LOCAL_MEMORY_FULL, L2_MEMORY_FULL = 0x11, 0x1A


_PLACED = re.compile(r"(.+?):(\d+): ")


class PplError(_native.WeftError):
    """A kernel is wrong or does not fit.

    `errorCode` is PPL's code (0x11: local memory, 0x1A: L2 memory); `file` and
    `line` are the place in the kernel, or of the launch.
    """

    def __init__(self, message, code=0, error_code=0x17, place=None):
        told = message
        if not _PLACED.match(message):  # found in Python
            place = place or here()
            message = f"{os.fsdecode(place.file)}:{place.line}: {message}"
        match = _PLACED.match(message)
        self.file, self.line = match.group(1), int(match.group(2))
        source = linecache.getline(self.file, self.line).strip()
        if source:
            message = f"{message}\n    {source}"
        super().__init__(message, code)
        self.errorCode = error_code
        self.advice = told.rpartition("; ")[2]  # its last part
        self.is_of_program = False  # of recording or compiling, not of a run

    def is_of_sizes(self):
        """Whether smaller blocks may help. Memory is but one limit: sizes,
        windows, rows, strides, products of sizes have theirs. Which of them a
        rule was about shows when smaller ones are tried."""
        return self.is_of_program and not isinstance(self, (
            PplTypeError, PplAttributeError))


class PplTypeError(PplError, TypeError):
    """A function of the language was called with arguments it does not take."""


class PplAttributeError(PplError, AttributeError):
    """There is no such name."""


class OutOfMemory(PplError):
    """The tensors of a kernel do not fit; smaller blocks may."""


class PplWarning(UserWarning):
    """What a kernel does may be meant, but looks like a mistake."""


class Argument(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("count", ctypes.c_int32),
                ("integer", ctypes.c_int64), ("real", ctypes.c_double),
                ("integers", ctypes.POINTER(ctypes.c_int64))]


class TensorDescription(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("memory", ctypes.c_int32),
                ("layout", ctypes.c_int32), ("lane", ctypes.c_int32),
                ("shape", ctypes.c_int64 * 4), ("strides", ctypes.c_int64 * 4)]


Line = _native.PplLine


_SIZES = ctypes.POINTER(ctypes.c_int64)


def _function(result, *arguments):
    return ctypes.CFUNCTYPE(result, ctypes.c_void_p, *arguments)


class Table(ctypes.Structure):
    """weft_ppl_recorder."""
    _fields_ = [
        ("bytes", ctypes.c_uint32),
        ("self", ctypes.c_void_p),
        ("make_tensor", _function(ctypes.c_int64, ctypes.c_int32,
                                  ctypes.c_int32, _SIZES, ctypes.c_int32,
                                  _SIZES, ctypes.c_uint64, Line)),
        ("view", _function(ctypes.c_int64, ctypes.c_int64, ctypes.c_int32,
                           _SIZES, ctypes.c_int32, _SIZES, Line)),
        ("sub_view", _function(ctypes.c_int64, ctypes.c_int64, _SIZES, _SIZES,
                               Line)),
        ("describe", _function(ctypes.c_int32, ctypes.c_int64,
                               ctypes.POINTER(TensorDescription))),
        ("call", _function(None, ctypes.c_char_p, ctypes.POINTER(Argument),
                           ctypes.c_size_t, Line)),
        ("enter", _function(None, ctypes.c_int32, ctypes.c_char_p, Line)),
        ("leave", _function(ctypes.c_int32, ctypes.c_int32)),
        ("set", _function(None, ctypes.c_int32, ctypes.c_int64,
                          ctypes.c_int64)),
        ("get", _function(ctypes.c_int64, ctypes.c_int32, ctypes.c_int64)),
        ("fail", _function(None, ctypes.c_char_p, Line)),
        ("allocate", _function(ctypes.c_void_p, ctypes.c_int32, _SIZES,
                               ctypes.c_char_p, Line)),
        ("fill_random", _function(None, ctypes.c_void_p, ctypes.c_int32,
                                  ctypes.c_int64, ctypes.c_double,
                                  ctypes.c_double)),
        ("expect", _function(None, ctypes.c_void_p, ctypes.c_int32,
                             ctypes.c_int64, ctypes.POINTER(ctypes.c_double),
                             ctypes.c_double, ctypes.c_double, Line)),
    ]


# As the code of this package names its files, links and dots included.
_FOLDER = os.path.dirname(os.path.dirname(
    sys._getframe().f_code.co_filename)) + os.sep


def kernel_frame():
    """That of the kernel's code that is being executed."""
    frame = sys._getframe(1)
    while frame.f_back and frame.f_code.co_filename.startswith(_FOLDER):
        frame = frame.f_back
    return frame


def source_line(file, line):
    return linecache.getline(file, line).strip()


def here():
    """The line of the kernel that is being executed."""
    frame = kernel_frame()
    return Line(os.fsencode(frame.f_code.co_filename), frame.f_lineno)


def line_that_called(error):
    """The kernel's line for an exception that this package's code raised, or
    a library under it; None for one of the kernel's own."""
    own = False
    for frame, line in reversed(list(traceback.walk_tb(error.__traceback__))):
        file = frame.f_code.co_filename
        if file.startswith(_FOLDER):
            own = True
        elif not _is_library(file):
            return Line(os.fsencode(file), line) if own else None
    return None


def with_short_traceback(function):
    """The traceback of a PplError shows the kernel's code and whoever launched
    it, not the dozen of frames of this package between them."""
    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except PplError as error:
            trace, all_of_it = None, []
            rest = error.__traceback__
            while rest:
                all_of_it.append(rest)
                rest = rest.tb_next
            for each in reversed(all_of_it):
                if not each.tb_frame.f_code.co_filename.startswith(_FOLDER):
                    trace = TracebackType(trace, each.tb_frame,
                                          each.tb_lasti, each.tb_lineno)
            raise error.with_traceback(trace)
    return call


def _is_library(file):
    return (file.startswith(os.path.dirname(os.__file__) + os.sep)
            or f"{os.sep}site-packages{os.sep}" in file
            or file.startswith("<frozen"))


def nearest(name, known):
    """", or did you mean ..?" for a name that is not among `known`."""
    close = difflib.get_close_matches(name, known, 3, 0.6)
    return f"; did you mean {' or '.join(close)}?" if close else ""


def integer(value, what):
    """An integer for C. A float is one if it has no fraction."""
    try:
        whole = int(value) if value == int(value) else None
    except PplError as error:  # a tensor or a pointer
        raise PplTypeError(f"{what} is {value!r}; it must be an integer; "
                           + error.advice) from None
    except (TypeError, ValueError, OverflowError):
        whole = None
    if whole is None or isinstance(value, str):
        raise PplError(f"{what} is {value!r}; it must be an integer")
    if not -2**63 <= whole < 2**63:
        raise PplError(f"{what} is {whole}; integers have 64 bits")
    return whole


def sizes(values, what="shape"):
    """Four integers for C."""
    is_tensor = hasattr(values, "sub_view")  # it has axes, but no elements yet
    if isinstance(values, str) or is_tensor or not hasattr(values, "__iter__"):
        raise PplError(f"{what} is {values!r}; give four integers, "
                       "[n, c, h, w]" + (", those of a tensor are x.shape"
                                         if is_tensor else ""))
    values = [integer(value, f"a number of {what}") for value in values]
    if len(values) != 4:
        raise PplError(f"{what} {values} has {len(values)} sizes; give four, "
                       "[n, c, h, w]")
    return (ctypes.c_int64 * 4)(*values)


def integers(values, what):
    values = [integer(value, f"a number of {what}") for value in values]
    return (ctypes.c_int64 * len(values))(*values)


def _renamed(message, names):
    """What the compiler says of a call, with the names of Python's parameters
    (`names`: by slot) behind the name of the function."""
    names = {slot: name for slot, name in names.items() if slot != name}
    called = re.search(r"ppl::\w+::\w+: ", message)
    if not names or not called:
        return message
    return message[:called.end()] + re.sub(
        rf"(?<!::)\b({'|'.join(map(re.escape, names))})\b",
        lambda slot: names[slot[1]], message[called.end():])


def _in_python(message, names):
    """What the compiler says of a call, in Python's words and with Python's way
    out."""
    message = _renamed(message, names)
    match = re.search(r"ppl::(\w+)::(\w+): \w+ is ((?:fp|bf|tf|u?int)\d\w*), "
                      "must be", message)
    if match:
        unit, name, kind = match.groups()
        is_float = "int" not in kind
        twin = f"f{name}" if is_float else name[1:]
        if f"{unit}.{twin}" in catalog() and (is_float or name[0] == "f"):
            return (f"{message}; of {'floats' if is_float else 'integers'} it "
                    f"is pl.{unit}.{twin}")
        if kind in ("int64", "uint64"):
            return (f"{message}; no function has 64 bits: pass "
                    f"x.astype(numpy.{kind.replace('64', '32')})")
        return message if name == "cast" else \
            f"{message}; cast it: pl.tiu.cast(x, type=..)"
    if "must have one element type" in message:
        return f"{message}; cast one of them: pl.tiu.cast(x, type=..)"
    match = re.search(r": (\w+) is free; the layout of", message)
    if match:
        return (f"{message}; copy it: x = pl.make_tensor({match[1]}.shape, "
                f"{match[1]}.dtype); pl.tiu.move(x, {match[1]})")
    if "lies in global memory, must be in local" in message:
        return f"{message}; load it: pl.dma.load(x)"
    if "::store: dst lies in local memory" in message:
        return (f"{message}; dst is the gtensor and src the local tensor: "
                "pl.dma.store(gtensor, tensor)")
    for found, way_out in (
            ("store the result with dma::store",
             "store the result: pl.dma.store(gtensor, x)"),
            ("call sync() between them", "call pl.sync() between them")):
        message = message.replace(found, way_out)
    return message


class Program:
    """A program of one target while it is recorded, and afterwards."""

    def __init__(self, target, name="kernel", pipeline=True, place=None,
                 stepper=None):
        self.library = _native.compiler()
        options = _native.PplOptions(ctypes.sizeof(_native.PplOptions),
                                     target.encode(), name.encode(),
                                     0 if pipeline else 1,
                                     1 if stepper else 0)
        self.handle = ctypes.c_void_p()
        self.check(self.library.c.weft_ppl_open(
            ctypes.byref(options), ctypes.byref(self.handle)))
        self._take_table()
        self.target, self.name, self.place = target, name, place
        # Of a launch that steps; None: tensors have no values.
        self.stepper = stepper
        self.restarts = False  # at a breakpoint, as a launch that steps
        # Of device_print: all, and the addresses of copies when several cores
        # record, whose memories must be alike; None while they are counted.
        self.printed, self.copies = [], []
        self.planned = None

    def _take_table(self):
        self.recording = object()  # tensors belong to one recording
        address = self.library.c.weft_ppl_program_recorder(self.handle)
        self.table = ctypes.cast(address, ctypes.POINTER(Table)).contents

    def check(self, status, names={}):
        """Raises the exception that belongs to a status. `names`: those of
        Python's parameters by slot, where it is of a call."""
        if not status:
            return
        ppl = self.library.c.weft_compiler_status_ppl_code(status)
        kind = OutOfMemory if ppl in (LOCAL_MEMORY_FULL,
                                      L2_MEMORY_FULL) else PplError
        # After the recording what is wrong is the kernel's, not a line's.
        place = None if is_active() else self.place
        self.library.check(status, lambda message, code: kind(
            _in_python(message, names), code, ppl, place))

    def called(self, function, operands, names={}):
        """After a call of a function of the language has been recorded."""
        self.check_recording(names)
        if self.stepper:
            self.stepper.called(self, function, operands)

    def check_recording(self, names={}):
        """Raises if the last call was wrong."""
        if self.table.get(self.table.self, GET_FAILED, 0):
            self.check(self.library.c.weft_ppl_check(self.handle), names)

    def print_memory(self, copy):
        """Device memory for a copy of a printed tensor; None: not yet."""
        self.copies.append(copy)
        if self.get(GET_BLOCK_NUM) == 1:
            copy.address = self.allocate(copy, len(self.copies))
            return copy.address
        if self.planned is None:
            return None
        here, copy.address = self.planned[len(self.copies) - 1]
        return here

    def allocate(self, copy, number):
        address = self.table.allocate(
            self.table.self, copy.kind.code, sizes(copy.shape),
            f"printed{number}".encode(), here())
        self.check_recording()
        return address

    def plan_copies(self, copies):
        """Memory for all copies that the cores of a launch print; the results
        come to that of the first core."""
        addresses = [self.allocate(copy, number + 1)
                     for number, copy in enumerate(copies)]
        first = addresses if self.planned is None else \
            [address for _, address in self.planned]
        self.planned = list(zip(addresses, first))

    def get(self, number, subject=0):
        return self.table.get(self.table.self, number, subject)

    def finish(self):
        """Ends a recording. True if the kernel is to be recorded once more,
        for the next core."""
        again = ctypes.c_int32()
        self.check(self.library.c.weft_ppl_finish(self.handle,
                                                  ctypes.byref(again)))
        if again.value:
            self._take_table()
        return bool(again.value)

    def run(self, engine, bmrt_library=None):
        options = _native.PplRunOptions(
            ctypes.sizeof(_native.PplRunOptions), engine,
            _native.encoded(bmrt_library))
        self.check(self.library.c.weft_ppl_run(self.handle,
                                               ctypes.byref(options)))

    def find_faults(self):
        """Raises for what a run may hide (weft_ppl_find_faults), and warns at
        the kernel's lines."""
        text = ctypes.c_char_p()
        status = self.library.c.weft_ppl_find_faults(self.handle,
                                                     ctypes.byref(text))
        for line in _native.text(text.value).splitlines():
            place = _PLACED.match(line)
            warnings.warn_explicit(
                _in_python(line[place.end():], {}), PplWarning, place[1],
                int(place[2]))
        self.check(status)

    def compile(self):
        """Makes the file, which the run and bmodel() take."""
        self.bmodel()

    def bmodel(self, lines=False):
        """The file; with `lines` it says which lines its commands are of."""
        data, size = ctypes.c_void_p(), ctypes.c_size_t()
        make = self.library.c.weft_ppl_bmodel_with_lines if lines else \
            self.library.c.weft_ppl_bmodel
        self.check(make(self.handle, ctypes.byref(data), ctypes.byref(size)))
        return ctypes.string_at(data, size.value)

    def profile(self):
        profile = _native.PplProfile(ctypes.sizeof(_native.PplProfile))
        self.check(self.library.c.weft_ppl_program_profile(
            self.handle, ctypes.byref(profile)))
        return {name: getattr(profile, name)
                for name, _ in profile._fields_[1:]}

    def lines(self):
        """What its lines cost (weft_ppl_program_lines)."""
        lines = ctypes.c_char_p()
        self.check(self.library.c.weft_ppl_program_lines(
            self.handle, ctypes.byref(lines)))
        return json.loads(lines.value)

    def timeline(self):
        """The commands of the predicted run (weft_ppl_program_timeline)."""
        text = ctypes.c_char_p()
        self.check(self.library.c.weft_ppl_program_timeline(
            self.handle, ctypes.byref(text)))
        return json.loads(text.value)

    def text(self, commands=True):
        text = ctypes.c_char_p()
        self.check(self.library.c.weft_ppl_text(self.handle, int(commands),
                                                ctypes.byref(text)))
        return _native.text(text.value)

    def __del__(self):
        if getattr(self, "handle", None):
            self.library.c.weft_ppl_close(self.handle)
            self.handle = None


_state = threading.local()


def active():
    """The program that is being recorded in this thread."""
    stack = getattr(_state, "stack", None)
    if not stack:
        raise PplError("functions of weft.ppl.language work inside of a kernel "
                       "only; decorate the function with @ppl.jit and launch "
                       "it: kernel[(1,)](...)")
    return stack[-1]


def check_present(recording, what):
    """Raises unless `what` was made by the recording that goes on."""
    if active().recording is not recording:
        raise PplError(f"{what} was made by another launch or for another core "
                       "(kernels are recorded once a core), where it has "
                       "ended; make it in the kernel")


def is_active():
    return bool(getattr(_state, "stack", None))


@contextlib.contextmanager
def making_program():
    """Marks errors inside as those of the program."""
    try:
        yield
    except PplError as error:
        error.is_of_program = True
        raise


@contextlib.contextmanager
def recording(program):
    stack = _state.__dict__.setdefault("stack", [])
    stack.append(program)
    try:
        yield program
    finally:
        stack.pop()


def catalog():
    """The functions of PPL by their names, as weft-compiler.h describes."""
    global _catalog
    if _catalog is None:
        rows = json.loads(_native.compiler().c.weft_ppl_catalog())
        _catalog = {row["name"]: row for row in rows}
    return _catalog


def types():
    return json.loads(_native.compiler().c.weft_ppl_types())


def chips():
    """The chips by name, as weft-compiler.h describes."""
    rows = json.loads(_native.compiler().c.weft_ppl_chips())
    return {row["name"]: row for row in rows}


_catalog = None

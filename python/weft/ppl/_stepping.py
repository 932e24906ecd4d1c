"""Kernels step by step: values of tensors while the kernel's own code runs.

A launch that steps records into a program that also runs every call at once, by
its meaning. The kernel is a Python function that goes on as it is stepped
through, so that pdb, its lines and its variables are Python's own.
"""

import ctypes
import importlib
import inspect
import os
import pdb
import sys

from . import _recorder
from ._printed import to_numpy
from ._recorder import PplError, PplTypeError


class Restart(BaseException):
    """A breakpoint of a launch that keeps no values: it is begun again as one
    that does. Not for `except Exception` of the kernel's code."""


class Stop:
    """Where a kernel has stopped, for the function of `kernel.debug(..)`.

    `function`: what was called, "tiu.fadd", or None at pl.breakpoint(); `file`,
    `line`, `source` of the kernel; `core`; `locals`, its variables; `operands`,
    those of the call by parameter and `values`, its variables that are tensors,
    both as arrays, while the kernel stands there. `resume()` goes on to the next pl.breakpoint()."""

    def __init__(self, stepper, program, frame, function=None, operands=None):
        self.file, self.line = frame.f_code.co_filename, frame.f_lineno
        self.function, self.locals = function, dict(frame.f_locals)
        self.core = program.get(_recorder.GET_BLOCK_INDEX)
        self._stepper, self._operands = stepper, operands or {}
        self._is_past = False

    @property
    def source(self):
        return _recorder.source_line(self.file, self.line)

    @property
    def operands(self):
        self._check_present("operands")
        return {name: _value(operand)
                for name, operand in self._operands.items()}

    @property
    def values(self):
        self._check_present("values")
        return {name: _value(value) for name, value in self.locals.items()
                if _is_present(value)}

    def _check_present(self, what):
        """Values are read when they are asked for: all of them at each stop
        would be most of the time of a launch."""
        if self._is_past:
            raise PplError(
                f"stop.{what} of line {self.line}: the kernel has gone on since "
                "this stop; read them in the function of debug(..) and keep the "
                "arrays, or what you need of them",
                place=_recorder.Line(os.fsencode(self.file), self.line))

    def resume(self):
        self._stepper.stops_at_calls = False

    def step(self):
        """Stops at the next operation again, as at first."""
        self._stepper.stops_at_calls = True

    def __repr__(self):
        return (f"{self.file}:{self.line}: {self.function or 'breakpoint'}\n"
                f"    {self.source}")


class Stepper:
    """What a launch does at its operations and breakpoints."""

    def __init__(self, hook=None, step=True):
        self.hook, self.stops_at_calls = hook, step
        # At a terminal pdb steps over the kernel's lines itself.
        self.starts_debugger = hook is None and step

    def begin(self):
        """As asked for at first; a launch may record several times."""
        return Stepper(self.hook, self.stops_at_calls)

    def called(self, program, function, operands):
        if self.hook and self.stops_at_calls:
            self._stop(program, function, operands)

    def breakpoint(self, program):
        if self.hook:
            self._stop(program)
        else:
            _python_breakpoint(_recorder.kernel_frame())

    def _stop(self, program, function=None, operands=None):
        stop = Stop(self, program, _recorder.kernel_frame(), function, operands)
        try:
            self.hook(stop)
        finally:
            stop._is_past = True

    def run(self, function, args, kwargs):
        if not self.starts_debugger:
            return function(*args, **kwargs)
        return _debugger().runcall(function, *args, **kwargs)


def _value(value):
    return value.numpy() if hasattr(value, "numpy") else value


def _is_present(value):
    """A tensor of the recording that goes on, not one of another launch."""
    return getattr(value, "recording", None) is _recorder.active().recording \
        and hasattr(value, "numpy")


def _debugger():
    return pdb.Pdb(skip=["weft.ppl", "weft.ppl.*", "contextlib"])


def _python_breakpoint(frame):
    """As Python's breakpoint(), at the kernel's line. A debugger that takes no
    frame stops here; its "up" leads there."""
    hook = _breakpoint_hook()
    if hook is pdb.set_trace:  # takes none, and would step through weft
        _debugger().set_trace(frame)
    elif _takes_frame(hook):
        hook(frame=frame)
    else:
        hook()


def _breakpoint_hook():
    """What Python's breakpoint() calls."""
    if sys.breakpointhook is not sys.__breakpointhook__:
        return sys.breakpointhook
    name = os.environ.get("PYTHONBREAKPOINT") or "pdb.set_trace"
    module, _, function = name.rpartition(".")
    try:
        return getattr(importlib.import_module(module or "builtins"), function)
    except (AttributeError, ImportError):
        return sys.breakpointhook  # which says so


def _takes_frame(hook):
    try:
        return "frame" in inspect.signature(hook).parameters
    except (TypeError, ValueError):
        return False


def is_off():
    """Whether breakpoints that have no function of their own do nothing."""
    return os.environ.get("PYTHONBREAKPOINT") == "0"


def values(program, tensor):
    """A tensor's values as an array."""
    if program.stepper is None:
        raise PplTypeError(
            f"{tensor!r} has no values: a kernel is recorded first and runs "
            "then; pl.device_print(x) shows them at a line, kernel.debug()"
            "[(1,)](..) and pl.breakpoint() run each operation at once")
    data, size = ctypes.c_void_p(), ctypes.c_size_t()
    program.check(program.library.c.weft_ppl_values(
        program.handle, tensor.number, ctypes.byref(data), ctypes.byref(size)))
    return to_numpy(tensor.dtype, ctypes.string_at(
        data, size.value)).reshape(tensor.shape).copy()


def _takes_one(function):
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    except ValueError:  # of C; it will say so itself
        return True
    return True


def check_hook(hook):
    if callable(hook) and not _takes_one(hook):
        raise PplTypeError(f"debug({hook!r}): the function takes other "
                           "arguments than one, a ppl.Stop; write "
                           "debug(lambda stop: ..)")
    if hook is not None and not callable(hook):
        raise PplError(f"debug({hook!r}): give a function of one argument, a "
                       "ppl.Stop, or nothing for Python's debugger")

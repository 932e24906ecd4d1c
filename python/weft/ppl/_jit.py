"""@ppl.jit and @ppl.autotiling (PPL 4.10.5 to 4.10.7)."""

import functools
import inspect
import os
import sys

import numpy

from . import _recorder, _stepping, _tuning
from ._arrays import allocate, array_of
from ._profile import Profile, write_page
from ._recorder import OutOfMemory, PplError, PplTypeError
from ._rounds import with_rounds

EMULATOR, BMRT, INTERPRETER = range(3)
_MODES = {"cmodel": EMULATOR, "emulator": EMULATOR, "bmrt": BMRT,
          "pcie": BMRT, "interpreter": INTERPRETER}


def default_chip():
    return os.environ.get("CHIP", "bm1684x").lower()


def _engine(chip, mode):
    mode = (mode or os.environ.get("MODE", "cmodel")).lower()
    if mode not in _MODES:
        raise PplError(f"MODE is '{mode}'; it must be one of "
                       + ", ".join(_MODES))
    chips = _recorder.chips()
    if chip not in chips:
        raise PplError(f"CHIP is '{chip}'; it must be one of "
                       + ", ".join(chips))
    return _MODES[mode] if chips[chip]["commands"] else INTERPRETER


class Launch:
    """What a launch did. `errorCode` is 0 or PPL's code of the failure;
    `config` and `candidates` are autotune's."""

    config, candidates = None, ()

    def __init__(self, program=None, error=None):
        self.program, self.error = program, error
        self.errorCode = error.errorCode if error else 0

    @property
    def printed(self):
        """What device_print showed, one object a call: `file`, `line`, `core`
        and `values`, with arrays for tensors."""
        return list(self.program.printed) if self.program else []

    def bmodel(self):
        """The kernel as the bytes of a bmodel."""
        return self.program.bmodel()

    def save(self, path):
        program = self.bmodel()  # may refuse; the file stays as it is then
        with open(path, "wb") as file:
            file.write(program)

    def profile(self, html=None):
        """Predicted cycles and bytes, by name and by line (`Profile`). `html`:
        path of a page with the timeline, the lines and the map of local
        memory, which is written, too."""
        profile = Profile(self.program.profile(), self.program.lines(),
                          self.program.timeline())
        if html is not None:
            write_page(self.program, html)
        return profile

    def text(self):
        """The commands as text."""
        return self.program.text()

    def __repr__(self):
        return f"<launch: {self.error or 'done'}>"


class Kernel:
    """A Python function that records a program when it is launched:
    `kernel[(cores,)](arrays and scalars..)`."""

    def __init__(self, function, debug=0, tiling=None, pipeline=True):
        functools.update_wrapper(self, function)
        self.function = with_rounds(function)
        self.signature = inspect.signature(function)
        self.prints, self.pipeline = debug, pipeline
        if not (tiling in (None, "search") or isinstance(tiling, dict)
                or callable(tiling)):
            raise PplTypeError(f"tiling is {tiling!r}; it must be \"search\", a "
                               "dict of sizes by parameter, or a function")
        # What chooses parameters (each None or of _tuning): of the tiling, of
        # autotiling and of autotune.
        self.tiling = self.shrinking = self.tuning = None
        if callable(tiling):
            self.tiling = _tuning.ByFunction(tiling)
        elif tiling is not None:
            self.tiling = _tuning.Search(
                self, {} if tiling == "search" else tiling)
        self.stepper = None  # of debug()
        self.checks = False
        self.options = {}

    def using(self, **options):
        """A copy with other options: chip, mode ("cmodel", "bmrt",
        "interpreter"), pipeline, bmrt_library (a path)."""
        known = ("chip", "mode", "pipeline", "bmrt_library")
        for name in options:
            if name not in known:
                raise PplError(f"no option '{name}'; there are "
                               + ", ".join(known))
        other = Kernel.__new__(Kernel)
        other.__dict__.update(self.__dict__)
        other.options = {**self.options, **options}
        return other

    @property
    def check(self):
        """A copy whose launches first look for faults that results may hide:
        reads of what nothing has written and races of cores and engines are
        errors, results that nobody reads a PplWarning at their line."""
        other = self.using()
        other.checks = True
        return other

    def debug(self, hook=None, step=True):
        """A copy whose launches go through the kernel step by step, with the
        values of tensors at hand (x.numpy()).

        Without `hook` in Python's debugger, from the kernel's first line on. Else
        hook(stop) is called, with a `ppl.Stop`, after every operation and at
        every pl.breakpoint(). `step=False` stops at breakpoints only."""
        _stepping.check_hook(hook)
        other = self.using()
        other.stepper = _stepping.Stepper(hook, step)
        return other

    def __getitem__(self, grid):
        if callable(grid):  # of the arguments by name
            return lambda *args, **kwargs: self._launch(
                self._cores(grid(dict(self.bind(args, kwargs).arguments))),
                *args, **kwargs)
        return functools.partial(self._launch, self._cores(grid))

    def _cores(self, grid):
        if _recorder.is_active():
            raise PplError(f"{self.__name__}[..](..) in a kernel: the host "
                           "launches kernels; here call the function, "
                           f"{self.__name__}(..)")
        grid = grid if isinstance(grid, tuple) else (grid,)
        if (len(grid) != 1 or isinstance(grid[0], bool)
                or not isinstance(grid[0], (int, numpy.integer))
                or grid[0] < 1):
            raise PplError(f"launch grid is {grid}; give the number of cores, "
                           f"1 or more: {self.__name__}[(1,)](...)")
        return int(grid[0])

    def __call__(self, *args, **kwargs):
        if _recorder.is_active():  # one kernel calls another
            return self.function(*args, **kwargs)
        raise PplTypeError(f"{self.__name__}(..) without a grid; launch it on "
                           "so many cores: "
                           f"{self.__name__}[(1,)]({self._parameters()})")

    def _parameters(self):
        return ", ".join(self.signature.parameters)

    def bind(self, args, kwargs):
        """The arguments of a launch by name, with defaults."""
        try:
            bound = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            known = list(self.signature.parameters)
            wrong = next((name for name in kwargs if name not in known), "")
            if wrong:  # before what it leaves missing
                error = f"got an unexpected keyword argument '{wrong}'"
            raise PplTypeError(
                f"{self.__name__}: {error}" + _recorder.nearest(wrong, known)
                + f"; launch it as {self.__name__}[(1,)]({self._parameters()})"
            ) from None
        bound.apply_defaults()
        for name, value in bound.arguments.items():
            if (_tuning.is_constexpr(self.signature.parameters[name])
                    and array_of(value) is not None
                    and getattr(value, "ndim", 1)):
                raise PplTypeError(
                    f"argument '{name}' of {self.__name__} is pl.constexpr, a "
                    f"number, but an array of the shape {tuple(value.shape)} "
                    "was passed; give the number, and check the order: "
                    f"{self.__name__}[(1,)]({self._parameters()})")
        return bound

    @_recorder.with_short_traceback
    def _launch(self, cores, *args, **kwargs):
        chosen_by = self.tuning or self.tiling or self.shrinking
        if chosen_by:
            return chosen_by.launch(self, cores, args, kwargs)
        launch = self.attempt(cores, args, kwargs)
        if launch.error:
            raise launch.error
        return launch

    def attempt(self, cores, args, kwargs):
        """Launches with these very arguments; a kernel for which smaller blocks
        may help is no exception."""
        try:
            return Launch(self._record_and_run(cores, args, kwargs))
        except PplError as error:
            if not (isinstance(error, OutOfMemory) or error.is_of_sizes()):
                raise
            return Launch(error=error)

    def configured(self, config):
        """A copy for one config, which nothing tunes or searches."""
        kernel = self.using(**config.options())
        kernel.tuning = None
        if isinstance(kernel.tiling, _tuning.Search):
            kernel.tiling = None
        return kernel

    def predict(self, cores, args, kwargs):
        """The cycles of a launch, without running; 0 where there is no
        prediction, but the kernel fits."""
        bound = self.bind(args, kwargs)
        with _recorder.making_program():
            program, _ = self._record_all(self.chip, bound, cores)
            if _recorder.chips()[self.chip]["commands"]:
                return program.profile()["total_cycles"]
            program.text(commands=True)  # places the tensors
            return 0

    @property
    def chip(self):
        """The one that launches are for."""
        return self.options.get("chip") or default_chip()

    @property
    def is_pipelined(self):
        """Whether launches overlap the rounds of their loops."""
        return self.options.get("pipeline", self.pipeline)

    def _record_and_run(self, cores, args, kwargs):
        chip = self.chip
        engine = _engine(chip, self.options.get("mode"))
        bound = self.bind(args, kwargs)
        with _recorder.making_program():
            try:
                program, arrays = self._record_all(chip, bound, cores,
                                                   self.stepper, restarts=True)
            except _stepping.Restart:
                program, arrays = self._record_all(
                    chip, bound, cores, _stepping.Stepper(step=False))
            if engine != INTERPRETER:
                program.compile()
            if self.checks:
                program.find_faults()
        if self.prints:
            print(program.text(commands=False), file=sys.stderr)
        program.run(engine, self.options.get("bmrt_library"))
        arrays.copy_back()
        for each in program.printed:
            each.read()
            print(each)
        return program

    def _record_all(self, chip, bound, cores, stepper=None, restarts=False):
        """The program of all cores, and the arrays of the first one. What
        several cores print is counted first: each needs memory for all. With
        `stepper` the kernel's code is stepped through, with `restarts` a
        breakpoint is a Restart."""
        copies = []
        while True:
            program = self._program(chip, stepper and stepper.begin())
            program.restarts = restarts
            arrays = self._record(program, bound, cores, copies)
            again = program.finish()
            recorded = 1
            while again:  # the same on the other cores
                self._record(program, bound, cores, copies)
                again = program.finish()
                recorded += 1
            if copies or recorded == 1 or not program.copies:
                return program, arrays
            copies = program.copies

    def _line(self):
        code = self.function.__code__
        return _recorder.Line(os.fsencode(code.co_filename),
                              code.co_firstlineno)

    def _program(self, chip, stepper=None):
        return _recorder.Program(
            chip, self.__name__, self.is_pipelined, self._line(), stepper)

    def _run_function(self, program, given):
        """Calls the function; errors of the language's own code become the
        kernel's, those of the kernel's code pass."""
        try:
            run = program.stepper.run if program.stepper else _call
            result = run(self.function, given.args, given.kwargs)
        except RecursionError:
            raise PplError(f"{self.__name__} calls itself without end; a "
                           "kernel is a program without recursion: use a for "
                           "loop", place=self._line()) from None
        except PplError:
            raise
        except Exception as error:
            line = _recorder.line_that_called(error)
            if line is None:
                raise
            raise PplTypeError(
                f"{type(error).__name__}: {error}; help(..) of the function "
                "that was called has its parameters", place=line) from error
        if result is not None:
            raise PplTypeError(
                f"{self.__name__} returns {result!r}; a kernel returns "
                "nothing, store what it computes to an argument: "
                "pl.dma.store(pl.gtensor(shape, pl.GLOBAL, ptr), x)",
                place=self._line())

    def _record(self, program, bound, cores, copies=()):
        """Runs the function once; its arrays with their bytes on the device.
        `copies`: what the cores print."""
        with _recorder.recording(program):
            table = program.table
            arrays, given = allocate(program, bound)
            if copies:
                program.plan_copies(copies)
            table.set(table.self, _recorder.SET_BLOCK_NUM, 0, cores)
            table.enter(table.self, _recorder.SCOPE_KERNEL,
                        self.__name__.encode(), self._line())
            self._run_function(program, given)
            table.leave(table.self, _recorder.SCOPE_KERNEL)
            program.check_recording()
            return arrays


def _call(function, args, kwargs):
    return function(*args, **kwargs)


def jit(function=None, *, debug=0, tiling=None, pipeline=True):
    """Makes a Python function a kernel.

    `debug=1` prints the recorded program. `tiling="search"` chooses the
    pl.constexpr parameters without a default that a launch leaves out by
    predicted cycles; a dict of sizes by name says which to try, also for those
    with a default. A function as `tiling` is a search: it
    gets a function that launches, and the arguments; see the manual of PPL,
    4.10.6.
    """
    if function is None:
        return functools.partial(jit, debug=debug, tiling=tiling,
                                 pipeline=pipeline)
    if not inspect.isfunction(function):
        raise PplTypeError(f"@ppl.jit stands above a function (def), not a "
                           f"{type(function).__name__}")
    return Kernel(function, debug, tiling, pipeline)


def autotiling(rules):
    """Shrinks parameters until a kernel fits: `rules` maps a name to a
    function of all current values (by name) that gives the next value.

    A launch that does not fit local or L2 memory, or goes beyond another limit
    of the chip, applies all rules once and is tried again; it fails when a value
    falls below 1 or none gets smaller.
    What fitted is remembered for arguments of the same shapes and values.
    """
    def decorate(kernel):
        if not isinstance(kernel, Kernel):
            raise PplError("@ppl.autotiling stands above @ppl.jit")
        kernel.shrinking = _tuning.Shrinking(kernel, rules)
        return kernel
    return decorate


def autotune(configs, key=None):
    """Chooses parameters by predicted cycles, without running: `configs` is a
    list of dicts of values by name, or of `ppl.Config`.

    A launch leaves these parameters out. For each new `key`, values of the
    named arguments (of arrays shape and type; None: all) and element types of
    all arrays, every config is
    compiled for the launch's chip and the cheapest is taken and remembered;
    those that are beyond a limit of it, as of memory, are passed over. On a chip without a
    prediction it is the first that fits. launch.config is what was taken,
    launch.candidates what each costs.
    """
    def decorate(kernel):
        if not isinstance(kernel, Kernel):
            raise PplError("@ppl.autotune stands above @ppl.jit")
        names = [key] if isinstance(key, str) else key
        kernel.tuning = _tuning.Tuning(kernel, configs, names)
        return kernel
    return decorate

"""@ppl.jit and @ppl.autotiling (PPL 4.10.5 to 4.10.7)."""

import ast
import ctypes
import functools
import inspect
import os
import sys
import textwrap
import types

import numpy

from . import _recorder, _stepping, _tuning
from ._profile import Profile, write_page
from ._recorder import OutOfMemory, PplError, PplTypeError

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


class _MarkIterations(ast.NodeTransformer):
    """Puts the body of each loop that calls enable_pipeline() into
    `with __ppl_round__(line):`, so that a round has a beginning and an end."""

    found = False

    def visit_For(self, loop):
        self.generic_visit(loop)
        for statement in loop.body:
            call = getattr(statement, "value", None)
            if not (isinstance(statement, ast.Expr)
                    and isinstance(call, ast.Call)):
                continue
            name = getattr(call.func, "attr", getattr(call.func, "id", ""))
            if name != "enable_pipeline":
                continue
            self.found = True
            marker = ast.Call(ast.Name("__ppl_round__", ast.Load()),
                              [ast.Constant(statement.lineno)], [])
            loop.body = [ast.With([ast.withitem(marker)], loop.body)]
            ast.copy_location(loop.body[0], statement)
            break
        return loop


class _Round:
    """One round of a pipelined loop."""

    def __init__(self, file, line):
        self.line = _recorder.Line(os.fsencode(file), line)

    def __enter__(self):
        program = _recorder.active()
        program.rounds = getattr(program, "rounds", 0) + 1
        program.table.enter(program.table.self, _recorder.SCOPE_ITERATION,
                            None, self.line)

    def __exit__(self, kind, value, trace):
        program = _recorder.active()
        program.rounds -= 1
        program.table.leave(program.table.self, _recorder.SCOPE_ITERATION)
        if kind is None:
            program.check_recording()


def _strip_signature(definition):
    """Removes what a definition evaluates: its defaults and annotations. The
    function has them already."""
    arguments = definition.args
    arguments.defaults = [ast.Constant(None) for _ in arguments.defaults]
    arguments.kw_defaults = [default and ast.Constant(None)
                             for default in arguments.kw_defaults]
    for argument in (*arguments.posonlyargs, *arguments.args,
                     *arguments.kwonlyargs, arguments.vararg, arguments.kwarg):
        if argument:
            argument.annotation = None
    definition.returns = None


def _with_rounds(function):
    """The function with the rounds of its pipelined loops marked."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        return function  # no source: enable_pipeline() says so
    try:
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except SyntaxError:
        return function
    ast.increment_lineno(tree, first - 1)
    marker = _MarkIterations()
    definition = marker.visit(tree.body[0])
    if not marker.found:
        return function
    definition.decorator_list = []
    _strip_signature(definition)
    free = (*function.__code__.co_freevars, "__ppl_round__")
    # A function around it, so that these are variables of a closure here, too.
    outer = ast.FunctionDef(
        "__ppl_outer__",
        ast.arguments([], [ast.arg(name) for name in free], None, [], [], None,
                      []),
        [definition,
         ast.Return(ast.Name(definition.name, ast.Load()))], [], None)
    if sys.version_info >= (3, 12):
        outer.type_params = []
    module = ast.fix_missing_locations(ast.Module([outer], []))
    file = inspect.getsourcefile(function) or function.__code__.co_filename
    local = {}
    exec(compile(module, file, "exec"), function.__globals__, local)
    code = local["__ppl_outer__"](*(None for _ in free)).__code__
    # The very cells of the function, which others may assign to.
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or ()))
    cells["__ppl_round__"] = types.CellType(functools.partial(_Round, file))
    made = types.FunctionType(code, function.__globals__, function.__name__,
                              function.__defaults__,
                              tuple(cells[name] for name in code.co_freevars))
    made.__kwdefaults__ = function.__kwdefaults__
    return functools.wraps(function)(made)


def _array_of(value):
    """The numpy array behind an argument; None for a scalar. A tensor of torch
    shares its memory with it."""
    if isinstance(value, numpy.ndarray):
        return value
    if not hasattr(value, "numpy") or not hasattr(value, "dtype"):
        return None
    if hasattr(value, "detach"):
        value = value.detach()
    try:
        return value.numpy()
    except TypeError as error:
        if str(value.dtype) != "torch.bfloat16":
            raise PplTypeError(f"a tensor of {value.dtype} on "
                               f"{getattr(value, 'device', 'a device')} is no "
                               f"array of the host ({error}); pass x.cpu(), "
                               "and copy the results back") from None
    # numpy has the type from ml_dtypes only.
    bits = value.view(getattr(sys.modules["torch"], "int16")).numpy()
    try:
        import ml_dtypes
    except ImportError:
        raise PplTypeError("bfloat16 of torch needs the package ml_dtypes; "
                           "install it") from None
    return bits.view(ml_dtypes.bfloat16)


class _Hashable(numpy.ndarray):
    """An array as a key of a cache: itself, whatever is in it."""

    def __hash__(self):
        return id(self)


def _hashable(value):
    return value.view(_Hashable) if type(value) is numpy.ndarray else value


def _described(value):
    """What a program depends on of an argument."""
    array = _array_of(value)
    return repr(value) if array is None else (array.shape, str(array.dtype))


def _sizes_of(value):
    """Integers that blocks of an argument may be as large as."""
    array = _array_of(value)
    if array is not None:
        return array.shape
    return [value] if isinstance(value, (int, numpy.integer)) else []


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
        profile = Profile(self.program.profile(), self.program.timeline())
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
        self.function = _with_rounds(function)
        self.signature = inspect.signature(function)
        self.prints, self.tiling, self.pipeline = debug, tiling, pipeline
        self.search = None
        if not (tiling in (None, "search") or isinstance(tiling, dict)
                or callable(tiling)):
            raise PplTypeError(f"tiling is {tiling!r}; it must be \"search\", a "
                               "dict of sizes by parameter, or a function")
        if tiling == "search" or isinstance(tiling, dict):
            self.search, self.tiling = _tuning.Search(
                self, {} if tiling == "search" else tiling), None
        self.rules = self.tuning = None  # of autotiling and autotune
        self.stepper = None  # of debug()
        self.checks = False
        self.fitting = {}  # arguments -> values that fitted
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
                self._cores(grid(dict(self._bind(args, kwargs).arguments))),
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

    def _bind(self, args, kwargs):
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
            if (_is_constexpr(self.signature.parameters[name])
                    and _array_of(value) is not None
                    and getattr(value, "ndim", 1)):
                raise PplTypeError(
                    f"argument '{name}' of {self.__name__} is pl.constexpr, a "
                    f"number, but an array of the shape {tuple(value.shape)} "
                    "was passed; give the number, and check the order: "
                    f"{self.__name__}[(1,)]({self._parameters()})")
        return bound

    @_recorder.with_short_traceback
    def _launch(self, cores, *args, **kwargs):
        if self.tuning:
            return self._tuned(cores, args, kwargs)
        if self.tiling:
            return self._by_function(cores, args, kwargs)
        if self.search:
            return self._searched(cores, args, kwargs)
        if self.rules:
            return self._shrink(cores, args, kwargs)
        launch = self._attempt(cores, args, kwargs)
        if launch.error:
            raise launch.error
        return launch

    def _attempt(self, cores, args, kwargs):
        """Launches; a kernel for which smaller blocks may help is no
        exception."""
        try:
            return Launch(self._record_and_run(cores, args, kwargs))
        except PplError as error:
            if not (isinstance(error, OutOfMemory) or error.is_of_sizes()):
                raise
            return Launch(error=error)

    def _by_function(self, cores, args, kwargs):
        """Launches as the function of @ppl.jit(tiling=..) says."""
        tried = []

        def attempt(*values, **named):
            tried.append(self._attempt(cores, values, named))
            return tried[-1]
        # The manual puts functools.lru_cache on it, which wants hashes.
        result = self.tiling(attempt, *map(_hashable, args), **{
            name: _hashable(value) for name, value in kwargs.items()})
        # What no size mends is a mistake, that of the first attempt.
        if tried and all(launch.error for launch in tried) and not isinstance(
                tried[0].error, OutOfMemory):
            raise tried[0].error
        return result

    def _shrink(self, cores, args, kwargs):
        bound = self._bind(args, kwargs)
        values = dict(bound.arguments)
        # Copies of using() share what fitted.
        key = (self._chip(), cores, self.options.get("pipeline", self.pipeline),
               *((name, _described(value)) for name, value in values.items()))
        values.update(self.fitting.get(key, {}))
        first = None
        while True:
            given = inspect.BoundArguments(self.signature, dict(values))
            launch = self._attempt(cores, given.args, given.kwargs)
            if not launch.error:
                self.fitting[key] = {name: values[name] for name in self.rules}
                return launch
            first = first or launch.error
            smaller = {name: self._next_value(name, rule(dict(values)))
                       for name, rule in self.rules.items()}
            grew = all(smaller[name] >= values[name] for name in smaller)
            if grew or any(value < 1 for value in smaller.values()):
                # What no size mends is a mistake, that of the first attempt.
                raise launch.error if isinstance(first, OutOfMemory) else first
            values.update(smaller)

    def _next_value(self, name, value):
        if isinstance(value, bool) or not isinstance(
                value, (int, numpy.integer)):
            raise PplTypeError(
                f"the autotiling rule of {name} gives {value!r} for "
                f"{self.__name__}; it must give an integer, such as "
                f"values['{name}'] // 2")
        return value

    def _tuned(self, cores, args, kwargs):
        """Launches with the config that takes the fewest predicted cycles."""
        tuning, chip = self.tuning, self._chip()
        given = set(kwargs) & {name for config in tuning.configs
                               for name in config.kwargs}
        if given:
            raise PplTypeError(f"{', '.join(sorted(given))} of {self.__name__} "
                               "is tuned; leave it out of the launch")
        bound = [self._bind(args, {**kwargs, **config.kwargs})
                 for config in tuning.configs]
        key = (chip, cores, self.options.get("pipeline"),
               tuning.key_of(bound[0].arguments, _described),
               tuple(str(array.dtype) for array in
                     map(_array_of, bound[0].arguments.values())
                     if array is not None))
        if key not in tuning.best:
            def predict(config):
                return self._with(config)._cycles(
                    cores, self._bind(args, {**kwargs, **config.kwargs}))
            tuning.best[key] = _tuning.choose(tuning.configs, predict)
        best, candidates = tuning.best[key]
        launch = self._with(best.config)._launch(
            cores, *args, **kwargs, **best.config.kwargs)
        launch.config, launch.candidates = best.config, candidates
        return launch

    def _searched(self, cores, args, kwargs):
        """Launches with the sizes that take the fewest predicted cycles, of the
        parameters that are searched and that the launch leaves out."""
        search, chip = self.search, self._chip()
        try:
            given = self.signature.bind_partial(*args, **kwargs).arguments
        except TypeError:
            given = self._bind(args, kwargs).arguments  # says what is wrong
        # A default is a value that the author has chosen already.
        names = [name for name, parameter in self.signature.parameters.items()
                 if name not in given
                 and (name in search.given or _is_constexpr(parameter)
                      and parameter.default is parameter.empty)]
        key = (chip, cores, self.options.get("pipeline", self.pipeline),
               *((name, _described(value)) for name, value in given.items()))
        if key not in search.best:
            sizes = search.sizes(names, max(
                (size for value in given.values() for size in _sizes_of(value)),
                default=1))

            def predict(config):
                return self._with(config)._cycles(
                    cores, self._bind(args, {**kwargs, **config.kwargs}))
            search.best[key] = search.choose(sizes, predict)
        best, candidates = search.best[key]
        launch = self._with(best.config)._launch(
            cores, *args, **kwargs, **best.config.kwargs)
        launch.config, launch.candidates = best.config, candidates
        return launch

    def _with(self, config):
        """This kernel for one config."""
        kernel = self.using(**config.options())
        kernel.tuning = kernel.search = None
        return kernel

    def _cycles(self, cores, bound):
        """Predicted, without running; 0 where there is no prediction and the
        first config that fits is taken."""
        chip = self._chip()
        with _recorder.making_program():
            program, _ = self._record_all(chip, bound, cores)
            return self._predict(chip, program)

    @staticmethod
    def _predict(chip, program):
        if _recorder.chips()[chip]["commands"]:
            return program.profile()["total_cycles"]
        program.text(commands=True)  # places the tensors
        return 0

    def _chip(self):
        return self.options.get("chip") or default_chip()

    def _record_and_run(self, cores, args, kwargs):
        chip = self._chip()
        engine = _engine(chip, self.options.get("mode"))
        bound = self._bind(args, kwargs)
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
            chip, self.__name__, self.options.get("pipeline", self.pipeline),
            self._line(), stepper)

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
            arrays, given = _allocate(program, bound)
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


def _native(kind):
    """A numpy type in the byte order of the device."""
    return kind.newbyteorder("=")


# Moved in numpy 1.25.
_TooHard = getattr(numpy, "exceptions", numpy).TooHardError


class _Array:
    """One array, or several with the same bytes in the same order, in device
    memory."""

    def __init__(self, name, array, address):
        self.name, self.array, self.address = name, array, address
        self.memory = numpy.ctypeslib.as_array(
            ctypes.cast(address, ctypes.POINTER(ctypes.c_uint8)),
            (array.nbytes,))
        self.kind = _native(array.dtype)
        self.before = numpy.ascontiguousarray(array, self.kind).tobytes()
        self.memory[:] = numpy.frombuffer(self.before, numpy.uint8)

    def has_bytes_of(self, array):
        """Whether a kernel that writes this one writes that one, too."""
        own = self.array
        if (own.ctypes.data != array.ctypes.data or own.nbytes != array.nbytes
                or own.dtype != _native(own.dtype)
                or array.dtype != _native(array.dtype)):
            return own is array
        return (own.flags.c_contiguous and array.flags.c_contiguous
                or own.shape == array.shape and own.strides == array.strides
                and own.dtype == array.dtype)

    def is_changed(self):
        return self.memory.tobytes() != self.before

    def overlaps(self, other):
        try:
            return numpy.shares_memory(self.array, other.array, 10**5)
        except _TooHard:
            return True

    def check_write(self):
        if not self.array.flags.writeable:
            raise PplError(f"the kernel writes argument '{self.name}', which "
                           "is a read-only array; pass a copy")
        if any(stride == 0 and size > 1 for stride, size in
               zip(self.array.strides, self.array.shape)):
            raise PplError(f"the kernel writes argument '{self.name}', an "
                           "array of which elements share memory; pass a copy")

    def copy_back(self):
        self.array[...] = self.memory.view(self.kind).reshape(self.array.shape)


class _Arrays:
    """The arrays of a launch."""

    def __init__(self):
        self.arrays = []

    def find(self, array):
        """The one with the bytes of `array`, if there is one."""
        for known in self.arrays:
            if known.has_bytes_of(array):
                if array.flags.writeable:
                    known.array, known.kind = array, _native(array.dtype)
                return known
        return None

    def add(self, name, array, address):
        self.arrays.append(_Array(name, array, address))

    def copy_back(self):
        """What the kernel has changed, if it is clear: all or nothing."""
        changed = [array for array in self.arrays if array.is_changed()]
        for array in changed:
            array.check_write()
            for other in self.arrays:
                if other is not array and array.overlaps(other):
                    raise PplError(
                        f"the kernel writes argument '{array.name}', which "
                        f"shares memory with '{other.name}' in part or in "
                        "another order; each has memory of its own on the "
                        "device; pass a copy, or the whole array once and add "
                        "to its pointer in the kernel")
        for array in changed:
            array.copy_back()


def _allocate(program, bound):
    """Device memory for the arrays, and the arguments that the kernel gets."""
    arrays = _Arrays()
    given = inspect.BoundArguments(bound.signature, dict(bound.arguments))
    for name, value in bound.arguments.items():
        kind = bound.signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            value = tuple(_device_value(program, f"{name}{i}", one, arrays)
                          for i, one in enumerate(value))
        elif kind is inspect.Parameter.VAR_KEYWORD:
            value = {key: _device_value(program, key, one, arrays)
                     for key, one in value.items()}
        else:
            value = _device_value(program, name, value, arrays)
        given.arguments[name] = value
    return arrays, given


def _device_value(program, name, value, arrays):
    """A pointer for an array, which is added to `arrays`; a scalar itself."""
    from . import language as pl
    array = _array_of(value)
    if array is None:
        return value.item() if isinstance(value, numpy.generic) else value
    kind = pl.of_numpy(array.dtype)
    if kind is None:
        raise PplError(
            f"argument '{name}' has the numpy type {array.dtype}; the chip has "
            "float32, float16, integers, and bfloat16 and float8 of ml_dtypes: "
            f"{name}.astype(numpy.float32)")
    if array.size == 0:
        raise PplError(f"argument '{name}' has no elements; give 1 or more")
    shape = [1] * max(0, 4 - array.ndim) + list(array.shape)
    while len(shape) > 4:  # the last axes together
        shape[-2:] = [shape[-2] * shape[-1]]
    known = arrays.find(array)
    if known is None:
        table = program.table
        address = table.allocate(table.self, kind.code, _recorder.sizes(shape),
                                 name.encode(), _recorder.here())
        program.check_recording()
        arrays.add(name, array, address)
    else:
        address = known.address
    return pl.pointer(address, pl.pointer_type(kind), array.shape, name)


def _is_constexpr(parameter):
    """Whether a parameter's annotation says pl.constexpr, or names it."""
    kind = parameter.annotation
    name = kind if isinstance(kind, str) else getattr(kind, "__name__", "")
    return name.rpartition(".")[2] == "constexpr"


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
        unknown = set(rules) - set(kernel.signature.parameters)
        if unknown:
            raise PplError(f"autotiling names {', '.join(sorted(unknown))}, "
                           f"which {kernel.__name__} has not")
        for name, rule in rules.items():
            if not callable(rule):
                raise PplTypeError(
                    f"the autotiling rule of {name} is {rule!r}; it must be a "
                    "function of the values by name: "
                    f"lambda values: values['{name}'] // 2")
        kernel.rules = dict(rules)
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

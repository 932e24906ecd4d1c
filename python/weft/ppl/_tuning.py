"""@ppl.autotiling, @ppl.autotune and tilings: launches that choose parameters of
a kernel, by what fits and by predicted cycles."""

import inspect

import numpy

from . import _recorder
from ._arrays import array_of, described, hashable, sizes_of
from ._recorder import OutOfMemory, PplError, PplTypeError


class Config:
    """Values of a kernel's parameters by name, and how it is compiled:
    `Config({"block": 128}, pipeline=False)`."""

    def __init__(self, kwargs, pipeline=None):
        if not isinstance(kwargs, dict):
            raise PplTypeError(f"ppl.Config({kwargs!r}); give a dict of values "
                               "by the names of parameters")
        self.kwargs, self.pipeline = dict(kwargs), pipeline

    def options(self):
        return {} if self.pipeline is None else {"pipeline": self.pipeline}

    def __repr__(self):
        values = ", ".join(f"{name}={value!r}"
                           for name, value in self.kwargs.items())
        return values if self.pipeline is None else \
            f"{values}, pipeline={self.pipeline}"


class Candidate:
    """A config that was tried: its `cycles`, or None and `error`, why it was
    passed over."""

    def __init__(self, config, cycles=None, error=None):
        self.config, self.cycles, self.error = config, cycles, error

    def __repr__(self):
        return f"{self.config}: " + (str(self.error).split("\n")[0]
                                     if self.error else f"{self.cycles} cycles")


class Tuning:
    """The configs of a kernel, and which of them is the best for arguments of
    a key."""

    def __init__(self, kernel, configs, key):
        names = set(kernel.signature.parameters)
        self.configs = [each if isinstance(each, Config) else Config(each)
                        for each in configs]
        self.key = key
        if not self.configs:
            raise PplError("autotune has no configs; give dicts of values, "
                           '[{"block": 64}, {"block": 128}]')
        for what, given in (("names", {name for each in self.configs
                                       for name in each.kwargs}),
                            ("has the key", set(key or ()))):
            unknown = sorted(given - names)
            if unknown:
                raise PplError(
                    f"autotune {what} {', '.join(unknown)}, which "
                    f"{kernel.__name__} has not"
                    + _recorder.nearest(unknown[0], names))
        self.best = {}  # key -> (config, candidates)

    def key_of(self, values, describe):
        names = self.key if self.key is not None else sorted(
            set(values) - set(self.configs[0].kwargs))
        return tuple((name, describe(values[name])) for name in names
                     if name in values)


class Search:
    """tiling="search": sizes that nobody has listed. `given` has the sizes to
    try of some parameters; of the others they are powers of two."""

    MOST = 64  # predictions of one search, each of which records and compiles
    LARGEST = 2**15  # power of two that an axis may have: sizes end at 65535
    STEPS = 16  # in which the longest list is shrunk to its first size

    def __init__(self, kernel, given):
        unknown = sorted(set(given) - set(kernel.signature.parameters))
        if unknown:
            raise PplError(f"tiling names {', '.join(unknown)}, which "
                           f"{kernel.__name__} has not" + _recorder.nearest(
                               unknown[0], kernel.signature.parameters))
        for name, sizes in given.items():
            if not sizes or not all(
                    isinstance(size, int) and size > 0 for size in sizes):
                raise PplError(f"tiling has {sizes!r} for {name}; give the "
                               "sizes to try: [16, 32, 64]")
        self.given = {name: sorted(set(sizes)) for name, sizes in given.items()}
        self.best = {}  # key -> (config, candidates)

    def sizes(self, names, largest):
        """Those to try by name, up to the first that holds `largest` or is as
        large as an axis may be."""
        powers = [1]
        while powers[-1] < min(largest, self.LARGEST):
            powers.append(2 * powers[-1])
        return {name: self.given.get(name, powers) for name in names}

    def choose(self, sizes, predict):
        """(the cheapest candidate, all). Starts from the largest sizes, shrinks
        all of them until the kernel is legal and fits, and goes on to whatever
        neighbour is cheaper; small blocks, which make long programs, are tried
        only where the way leads there. Last without pipelining."""
        seen = {}

        def at(place, pipeline=None):
            key = (*place.items(), pipeline)
            if key in seen:
                return seen[key]
            config = Config({name: sizes[name][index]
                             for name, index in place.items()}, pipeline)
            # One is left for the last.
            if len(seen) >= self.MOST - (pipeline is None):
                return Candidate(config, error="not tried")
            seen[key] = _try(config, predict)
            return seen[key]

        place = {name: len(each) - 1 for name, each in sizes.items()}
        while at(place).error and any(place.values()):
            place = {name: max(0, index - -(-len(sizes[name]) // self.STEPS))
                     for name, index in place.items()}
        while not at(place).error:
            better = min((other for other in _neighbours(place, sizes)
                          if not at(other).error),
                         key=lambda other: at(other).cycles, default=place)
            if at(better).cycles >= at(place).cycles:
                break
            place = better
        if not at(place).error:
            at(place, pipeline=False)
        return _cheapest(list(seen.values()))


def _neighbours(place, sizes):
    """With one size up to two steps away."""
    for name, index in place.items():
        for step in (-1, 1, -2, 2):
            if 0 <= index + step < len(sizes[name]):
                yield {**place, name: index + step}


def _try(config, predict):
    try:
        return Candidate(config, predict(config))
    except PplError as error:
        if not error.is_of_sizes():
            raise
        # Its frames would keep the program with all its memory.
        error.__context__ = error.__cause__ = None
        return Candidate(config, error=error.with_traceback(None))


def choose(configs, predict):
    """(the cheapest config, all candidates): `predict(config)` gives cycles.
    What is beyond a limit is passed over."""
    return _cheapest([_try(config, predict) for config in configs])


def _cheapest(candidates):
    fitting = [each for each in candidates if each.error is None]
    if not fitting:
        first = next((each for each in candidates
                      if isinstance(each.error, OutOfMemory)), None)
        # What no size mends is a mistake, that of the first attempt.
        if first is None:
            raise candidates[0].error
        raise type(first.error)(
            "no config can be compiled; smaller blocks may fit: "
            + "; ".join(map(repr, candidates)),
            error_code=first.error.errorCode)
    return min(fitting, key=lambda each: each.cycles), candidates


def is_constexpr(parameter):
    """Whether a parameter's annotation says pl.constexpr, or names it."""
    kind = parameter.annotation
    name = kind if isinstance(kind, str) else getattr(kind, "__name__", "")
    return name.rpartition(".")[2] == "constexpr"


def launch_by_function(kernel, cores, args, kwargs):
    """Launches as the function of @ppl.jit(tiling=..) says."""
    tried = []

    def attempt(*values, **named):
        tried.append(kernel._attempt(cores, values, named))
        return tried[-1]
    # The manual puts functools.lru_cache on it, which wants hashes.
    result = kernel.tiling(attempt, *map(hashable, args), **{
        name: hashable(value) for name, value in kwargs.items()})
    # What no size mends is a mistake, that of the first attempt.
    if tried and all(launch.error for launch in tried) and not isinstance(
            tried[0].error, OutOfMemory):
        raise tried[0].error
    return result


def launch_shrunk(kernel, cores, args, kwargs):
    """Launches with smaller and smaller sizes, by @ppl.autotiling, until the
    kernel fits."""
    bound = kernel._bind(args, kwargs)
    values = dict(bound.arguments)
    # Copies of using() share what fitted.
    key = (kernel._chip(), cores,
           kernel.options.get("pipeline", kernel.pipeline),
           *((name, described(value)) for name, value in values.items()))
    values.update(kernel.fitting.get(key, {}))
    first = None
    while True:
        given = inspect.BoundArguments(kernel.signature, dict(values))
        launch = kernel._attempt(cores, given.args, given.kwargs)
        if not launch.error:
            kernel.fitting[key] = {name: values[name] for name in kernel.rules}
            return launch
        first = first or launch.error
        smaller = {name: _next_value(kernel, name, rule(dict(values)))
                   for name, rule in kernel.rules.items()}
        grew = all(smaller[name] >= values[name] for name in smaller)
        if grew or any(value < 1 for value in smaller.values()):
            # What no size mends is a mistake, that of the first attempt.
            raise launch.error if isinstance(first, OutOfMemory) else first
        values.update(smaller)


def _next_value(kernel, name, value):
    if isinstance(value, bool) or not isinstance(
            value, (int, numpy.integer)):
        raise PplTypeError(
            f"the autotiling rule of {name} gives {value!r} for "
            f"{kernel.__name__}; it must give an integer, such as "
            f"values['{name}'] // 2")
    return value


def launch_tuned(kernel, cores, args, kwargs):
    """Launches with the config that takes the fewest predicted cycles."""
    tuning, chip = kernel.tuning, kernel._chip()
    given = set(kwargs) & {name for config in tuning.configs
                           for name in config.kwargs}
    if given:
        raise PplTypeError(f"{', '.join(sorted(given))} of {kernel.__name__} "
                           "is tuned; leave it out of the launch")
    bound = [kernel._bind(args, {**kwargs, **config.kwargs})
             for config in tuning.configs]
    key = (chip, cores, kernel.options.get("pipeline", kernel.pipeline),
           tuning.key_of(bound[0].arguments, described),
           tuple(str(array.dtype) for array in
                 map(array_of, bound[0].arguments.values())
                 if array is not None))
    if key not in tuning.best:
        def predict(config):
            return kernel._with(config)._cycles(
                cores, kernel._bind(args, {**kwargs, **config.kwargs}))
        tuning.best[key] = choose(tuning.configs, predict)
    best, candidates = tuning.best[key]
    launch = kernel._with(best.config)._launch(
        cores, *args, **kwargs, **best.config.kwargs)
    launch.config, launch.candidates = best.config, candidates
    return launch


def launch_searched(kernel, cores, args, kwargs):
    """Launches with the sizes that take the fewest predicted cycles, of the
    parameters that are searched and that the launch leaves out."""
    search, chip = kernel.search, kernel._chip()
    try:
        given = kernel.signature.bind_partial(*args, **kwargs).arguments
    except TypeError:
        given = kernel._bind(args, kwargs).arguments  # says what is wrong
    # A default is a value that the author has chosen already.
    names = [name for name, parameter in kernel.signature.parameters.items()
             if name not in given
             and (name in search.given or is_constexpr(parameter)
                  and parameter.default is parameter.empty)]
    key = (chip, cores, kernel.options.get("pipeline", kernel.pipeline),
           *((name, described(value)) for name, value in given.items()))
    if key not in search.best:
        sizes = search.sizes(names, max(
            (size for value in given.values() for size in sizes_of(value)),
            default=1))

        def predict(config):
            return kernel._with(config)._cycles(
                cores, kernel._bind(args, {**kwargs, **config.kwargs}))
        search.best[key] = search.choose(sizes, predict)
    best, candidates = search.best[key]
    launch = kernel._with(best.config)._launch(
        cores, *args, **kwargs, **best.config.kwargs)
    launch.config, launch.candidates = best.config, candidates
    return launch

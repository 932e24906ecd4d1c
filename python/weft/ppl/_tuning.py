"""@ppl.autotiling, @ppl.autotune and tilings: launches that choose parameters of
a kernel, by what fits and by predicted cycles.

Of a kernel they take what is public: `bind`, `attempt`, `predict`, `configured`,
`chip` and `is_pipelined`, and launches of its configs.
"""

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


def _key(kernel, cores, values, names=None):
    """What a choice is remembered by: the values of some parameters (None:
    all), the types of all arrays, and what they are compiled for."""
    return (kernel.chip, cores, kernel.is_pipelined,
            tuple((name, described(values[name]))
                  for name in (values if names is None else names)
                  if name in values),
            tuple(str(array.dtype) for array in map(array_of, values.values())
                  if array is not None))


class _Choice:
    """Launches with the config that takes the fewest predicted cycles."""

    def __init__(self):
        self.best = {}  # key -> (config, candidates)

    def _launch_best(self, kernel, cores, args, kwargs, key, choose):
        """`choose(predict)`: the best config and all candidates, of a key that
        is new."""
        if key not in self.best:
            self.best[key] = choose(lambda config: kernel.configured(
                config).predict(cores, args, {**kwargs, **config.kwargs}))
        best, candidates = self.best[key]
        launch = kernel.configured(best.config)[cores](
            *args, **kwargs, **best.config.kwargs)
        launch.config, launch.candidates = best.config, candidates
        return launch


class Tuning(_Choice):
    """The configs of a kernel, and which of them is the best for arguments of
    a key."""

    def __init__(self, kernel, configs, key):
        super().__init__()
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

    def launch(self, kernel, cores, args, kwargs):
        given = set(kwargs) & {name for config in self.configs
                               for name in config.kwargs}
        if given:
            raise PplTypeError(f"{', '.join(sorted(given))} of "
                               f"{kernel.__name__} is tuned; leave it out of "
                               "the launch")
        first = self.configs[0].kwargs
        values = kernel.bind(args, {**kwargs, **first}).arguments
        key = _key(kernel, cores, values, self.key if self.key is not None
                   else sorted(set(values) - set(first)))
        return self._launch_best(kernel, cores, args, kwargs, key,
                                 lambda predict: choose(self.configs, predict))


class Search(_Choice):
    """tiling="search": sizes that nobody has listed. `given` has the sizes to
    try of some parameters; of the others they are powers of two."""

    MOST = 64  # predictions of one search, each of which records and compiles
    LARGEST = 2**15  # power of two that an axis may have: sizes end at 65535
    STEPS = 16  # in which the longest list is shrunk to its first size

    def __init__(self, kernel, given):
        super().__init__()
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

    def launch(self, kernel, cores, args, kwargs):
        """Chooses the parameters that are searched and that the launch leaves
        out."""
        try:
            given = kernel.signature.bind_partial(*args, **kwargs).arguments
        except TypeError:
            given = kernel.bind(args, kwargs).arguments  # says what is wrong
        # A default is a value that the author has chosen already.
        names = [name for name, parameter in kernel.signature.parameters.items()
                 if name not in given
                 and (name in self.given or is_constexpr(parameter)
                      and parameter.default is parameter.empty)]
        largest = max((size for value in given.values()
                       for size in sizes_of(value)), default=1)
        return self._launch_best(
            kernel, cores, args, kwargs, _key(kernel, cores, given),
            lambda predict: self.choose(self.sizes(names, largest), predict))

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


class ByFunction:
    """@ppl.jit(tiling=..) with a function that launches."""

    def __init__(self, function):
        self.function = function

    def launch(self, kernel, cores, args, kwargs):
        tried = []

        def attempt(*values, **named):
            tried.append(kernel.attempt(cores, values, named))
            return tried[-1]
        # The manual puts functools.lru_cache on it, which wants hashes.
        result = self.function(attempt, *map(hashable, args), **{
            name: hashable(value) for name, value in kwargs.items()})
        # What no size mends is a mistake, that of the first attempt.
        if tried and all(launch.error for launch in tried) and not isinstance(
                tried[0].error, OutOfMemory):
            raise tried[0].error
        return result


class Shrinking:
    """@ppl.autotiling: smaller and smaller sizes, until the kernel fits."""

    def __init__(self, kernel, rules):
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
        self.rules = dict(rules)
        self.fitting = {}  # key -> values that fitted

    def launch(self, kernel, cores, args, kwargs):
        values = dict(kernel.bind(args, kwargs).arguments)
        key = _key(kernel, cores, values)
        values.update(self.fitting.get(key, {}))
        first = None
        while True:
            given = inspect.BoundArguments(kernel.signature, dict(values))
            launch = kernel.attempt(cores, given.args, given.kwargs)
            if not launch.error:
                self.fitting[key] = {name: values[name] for name in self.rules}
                return launch
            first = first or launch.error
            smaller = {name: _next_value(kernel, name, rule(dict(values)))
                       for name, rule in self.rules.items()}
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

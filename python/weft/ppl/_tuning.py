"""@ppl.autotune: parameters of a kernel chosen by predicted cycles."""

from . import _recorder
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


def choose(configs, predict):
    """(the cheapest config, all candidates): `predict(config)` gives cycles.
    What does not fit or is refused is passed over."""
    candidates = []
    for config in configs:
        try:
            candidates.append(Candidate(config, predict(config)))
        except PplError as error:
            candidates.append(Candidate(config, error=error))
    fitting = [each for each in candidates if each.error is None]
    if not fitting:
        first = next((each for each in candidates
                      if isinstance(each.error, OutOfMemory)), candidates[0])
        raise type(first.error)(
            "no config can be compiled; smaller blocks may fit: "
            + "; ".join(map(repr, candidates)),
            error_code=first.error.errorCode)
    return min(fitting, key=lambda each: each.cycles), candidates

"""The functions of the document, made from the compiler's catalog."""

import functools

import numpy

from .. import _catalog
from . import _values
from ._values import Vector, VectorType, ZhouyiError

_SET = b"zhouyi"


class Function(_catalog.Function):
    """A function of the catalog with the document's parameters."""

    alias = "S"
    defaults = {"mask": None, "saturate": False, "out_sign": None, "r": None}

    def __call__(self, *args, **kwargs):
        values = list(self.bind(args, kwargs).values())
        recorder = next((value.kernel for value in values
                         if hasattr(value, "kernel")), None)
        if recorder is not None:
            return recorder.record(self, values)
        return self._run(values)

    def _run(self, values):
        if self.__name__ == "fma" and all(map(_values.is_number, values[:3])):
            values[0] = VectorType(_catalog.element_types()["float32"],
                                   1)(values[0])
        keep = []  # what the arguments borrow
        arguments = [self.argument(slot, value, keep)
                     for slot, value in zip(self.slots, values)]
        code, lanes, data, defined, _ = _catalog.call(
            _SET, self.__name__.encode(), arguments, ZhouyiError)
        if not lanes:
            return None
        element = _catalog.type_of_code(code)
        return Vector(VectorType(element, lanes),
                      numpy.frombuffer(data, element.numpy),
                      numpy.frombuffer(defined, bool))

    def argument(self, slot, value, keep):
        """A value as the catalog takes it."""
        kind, what = slot["kind"], f"{self.__name__}: {slot['name']}"
        if value is None:
            return _catalog.Argument()
        if kind == "flag":
            if not isinstance(value, (bool, numpy.bool_)):
                raise ZhouyiError(f"{what} is {value!r}, must be True or False")
            return _catalog.Argument(_catalog.INTEGER, integer=int(value))
        if kind == "choice":
            if value not in slot["choices"]:
                raise ZhouyiError(f"{what} is {value!r}, must be "
                                  + " or ".join(map(repr, slot["choices"])))
            return _catalog.Argument(_catalog.INTEGER,
                                     integer=slot["choices"].index(value))
        convert = {"mask": _values.mask_argument,
                   "pointer": _values.memory_argument}.get(
                       kind, _values.vector_argument)
        made = convert(value, what)
        argument, borrowed = made if isinstance(made, tuple) else (made, None)
        keep.append(borrowed)
        return argument


def tail_mask(n, lanes):
    """The mask of `lanes` lanes whose `n` lowest are active; 0 <= n <= lanes,
    lanes > 1."""
    recorder = getattr(n, "kernel", None)
    for name, value in (("n", 0 if recorder else n), ("lanes", lanes)):
        _values.whole(value, f"tail_mask: {name}")
    if not 1 < lanes <= _values.MOST_LANES:
        raise ZhouyiError(f"tail_mask: lanes is {lanes}, must be 2 to "
                          f"{_values.MOST_LANES}")
    if recorder:
        return recorder.tail_mask(n, lanes)
    if not 0 <= n <= lanes:
        raise ZhouyiError(f"tail_mask: n is {n}, must be 0 to {lanes}, the "
                          "number of lanes")
    return _values.Mask(numpy.arange(lanes) < n)


def const_mask(mask, lanes):
    """The mask of `lanes` lanes that a string ("3T5F") or bools name, completed
    with False."""
    if isinstance(mask, _values.Mask) and len(mask) == lanes:
        return mask
    zeros = VectorType(_catalog.element_types()["uint8"], lanes)(0)
    active = functions()["vadd"](zeros, 1, mask, r=0)
    return _values.Mask(active.values.astype(bool))


@functools.lru_cache(maxsize=None)
def functions():
    """All by their names."""
    return {name: Function(row)
            for name, row in _catalog.functions("zhouyi").items()}

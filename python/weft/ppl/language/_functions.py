"""The functions of the language, made from the compiler's catalog.

Names, parameters and their kinds come from `weft_ppl_catalog()`. What is
written here is only where Python differs from it: one name for an integer and
a float function, other names, order and defaults of parameters, results that
are returned.
"""

import numbers

import numpy

from .. import _recorder
from . import _tensor, _types
from ._tensor import is_tensor
from ._recorded_value import advice

_error, _type_error = _recorder.PplError, _recorder.PplTypeError
REQUIRED = object()

# Words of the Python manual for slots that have another name.
ALIASES = {
    "output": ("dst", "rst"), "out": ("dst",), "input": ("src", "dst"),
    "pointer": ("src",), "r_mode": ("round_mode", "round"),
    "mode": ("round_mode", "round"), "filter": ("weight",),
    "padding": ("pad",), "kernel": ("k_shape",), "lshift": ("l_shift",),
    "rshift": ("r_shift",), "const_val": ("C",), "value": ("C", "scalar"),
    "npu_num": ("num",), "insert": ("ins",), "shift": ("rshift",),
    "dst_cnt": ("count",), "count": ("dst_cnt",), "coeff_mode":
    ("static_mem_mode",), "round_mode": ("round",), "round": ("round_mode",),
}

# Parameters of Python's functions where they are not the catalog's in their
# order: `name`, or `name:slot` where the slot has another name, with defaults.
# `|` stands between several orders that the manual prints.
SIGNATURES = {
    "tiu.add": "dst, src0, src1, shift=0, mode:round_mode=0, saturation=0",
    "tiu.sub": "dst, src0, src1, shift=0, mode:round_mode=0, saturation=0",
    "tiu.mul": "dst, src0, src1, shift=0, mode:round_mode=0, saturation=0",
    "tiu.gt": "dst, src0, src1, true_val=1",
    "tiu.lt": "dst, src0, src1, true_val=1",
    "tiu.eq": "dst, src0, src1, true_val=1",
    "tiu.pool_avg": "output:dst, pointer:src, kernel, padding:pad, stride, "
                    "dilation, scale, rshift=None, ins=None",
    "tiu.pool_max": "output:dst, pointer:src, kernel, padding:pad, stride, "
                    "dilation",
    # The second one is that of its example.
    "tiu.pool_min": "output:dst, pointer:src, kernel, padding:pad, stride, "
                    "dilation | pointer:src, output:dst, kernel, stride, "
                    "padding:pad, dilation",
    "tiu.fdeconv": "output:dst, src, weight, bias, oc, kernel:k_shape, "
                   "dilation, padding:pad, insert, result_add, out_dtype, "
                   "has_bias",
    "tiu.fdw_deconv": "output:dst, src, weight, bias, kernel:k_shape, "
                      "dilation, padding:pad, insert, out_dtype:-, "
                      "has_bias:-",
    "tiu.dw_deconv": "output:dst, src, weight, bias, kernel:k_shape, "
                     "dilation, padding:pad, insert, pad_val, result_relu, "
                     "out_dtype:-, has_bias:-, rshift, round_mode",
    "tiu.fdw_conv": "output, src:input, weight, bias, kernel:k_shape, stride, "
                    "dilation, padding:pad, has_bias:-=True",
    "tiu.mm": "dst, left, right, bias=None, ltrans=False, rtrans=False, "
              "result_add=False, lshift=0, rshift=0, do_relu=False, "
              "round_mode:round=5 | dst, left, right, ltrans, rtrans, "
              "result_add=False, lshift=0, rshift=0, do_relu=False, bias=None, "
              "round_mode:round=5",
    "tiu.fmm": "dst, left, right, bias=None, ltrans=False, result_add=False",
    "tiu.gather_hw": "output:dst, param, index, const_val:C=0, "
                     "fill_const=False",
    # Left out, gather_w has one list for all channels; given, one for each.
    "tiu.gather_w": "output:dst, param, index, is_param_repeated=None, "
                    "const_val:C=None, fill_const=None",
    "tiu.gather_h": "output:dst, param, index, is_param_repeated=False, "
                    "const_val:C=0, fill_const=False",
    "tiu.scatter_h": "output:dst, param, index, is_param_repeated=False",
    "tiu.rq0": "output:dst, input:src, dst_round_mode, src_round_mode, "
               "scale=None, offset=None, quant=None | output:dst, input:src, "
               "scale, offset, dst_round_mode=0, src_round_mode=0, quant=None",
    "tiu.rq1": "output:dst, input:src, round_mode, multiplier=None, "
               "shift=None, offset=None, quant=None",
    "tiu.dq0": "output:dst, input:src, round_mode, offset=None, scale=None, "
               "quant=None | output:dst, input:src, round_mode, quant",
    "tiu.dq1": "output:dst, input:src, round_mode, offset=None, "
               "multiplier=None, shift=None, quant=None",
    "tiu.mac": "dst, src0, src1, lshift:l_shift=0, rshift:r_shift=0, "
               "r_mode:round_mode=0",
    "tiu.fill": "input:dst, value:scalar",
    "dma.fill": "input:dst, value:C",
    "dma.zero": "input:dst",
    "dma.gather_h": "output:dst, param, index, const_val:C=0, "
                    "index_start_pos=0",
    "hau.topk": "dst, src, K, descended, dst_idx=None, src_idx=None",
    "sdma.move": "dst, src, port_id:-=-1",
    "sdma.transpose_nc": "dst, src, port_id:-=-1",
    "sdma.transpose": "dst, src, trans_mode=0, port_id:-=-1",
}

# One Python name for an integer and a float function.
TWINS = {"min": "fmin", "max": "fmax", "vc_min": "fvc_min",
         "vc_max": "fvc_max", "pool_max": "fpool_max",
         "pool_min": "fpool_min", "pool_avg": "fpool_avg"}


class Parameter:
    """A parameter in Python and the slot that it fills (None: none does)."""

    def __init__(self, name, slot, default=REQUIRED):
        self.name, self.slot, self.default = name, slot, default

    def __str__(self):
        return self.name if self.default is REQUIRED else \
            f"{self.name}={self.default!r}"


def _parameters(row, text):
    """The parameters of a function: those of the text, then other slots."""
    slots = {slot["name"]: slot for slot in row["slots"]}
    result = []
    for part in (text or "").split(","):
        if not part.strip():
            continue
        name, _, default = part.strip().partition("=")
        name, _, slot = name.partition(":")
        slot = slot or next(candidate for candidate in (name, *ALIASES.get(
            name, ())) if candidate in slots or candidate == ALIASES.get(
                name, (name,))[-1])
        value = {"": REQUIRED, "None": None, "True": True, "False": False}.get(
            default, default)
        if isinstance(value, str):
            value = int(value)
        if slot != "-" and slot not in slots:
            continue  # the float twin lacks it
        result.append(Parameter(name, None if slot == "-" else slot, value))
    taken = {parameter.slot for parameter in result}
    for name, slot in slots.items():
        if name not in taken:
            result.append(Parameter(name, name,
                                    None if slot["optional"] else REQUIRED))
    return result


class Form:
    """One function of the catalog with one order of Python's parameters."""

    def __init__(self, row, signature):
        self.row = row
        self.name = f"pl.{row['name']}"
        self.parameters = _parameters(row, signature)
        first = row["slots"][0] if row["slots"] else {"access": ""}
        self.writes = ((first["access"] == "write"
                        and first["kind"] == "tensor"
                        or row["name"] in RESULTS)
                       and self.parameters[0].slot == first["name"])

    def _find(self, name):
        for candidate in (name, *ALIASES.get(name, ())):
            for parameter in self.parameters:
                if candidate in (parameter.name, parameter.slot):
                    return parameter
        raise _type_error(f"{self.name}() has no parameter '{name}'"
                          + _recorder.nearest(name, [each.name for each in
                                                     self.parameters])
                          + "; it has " + ", ".join(map(str, self.parameters)))

    def bind(self, args, kwargs, skip):
        """Values by slot; a text that says why not. `skip`: without the first
        parameter."""
        named = {self._find(name): value for name, value in kwargs.items()}
        parameters = self.parameters[skip:]
        if not skip and self.writes and parameters[0] in named:
            parameters = parameters[1:]  # dst by name, the operands in order
        if len(args) > len(parameters) or skip and self.parameters[0] in named:
            return "too many"
        given = dict(zip(parameters, args))
        twice = next((each for each in named if each in given), None)
        if twice:
            return (f"{self.name}() gets '{twice.name}' twice, as number "
                    f"{parameters.index(twice) + 1} and by name; give it once")
        given.update(named)
        values = {}
        for parameter in self.parameters[skip:]:
            value = given.get(parameter, parameter.default)
            if value is REQUIRED:
                return "too few"
            if parameter.slot:
                values[parameter.slot] = value
        return values

    def misfit(self, values):
        """The first slot with a value of a kind that it does not take."""
        needed = {each.slot for each in self.parameters
                  if each.default is REQUIRED}
        return next((slot for slot in self.row["slots"]
                     if slot["name"] in values and not (
                         _takes(slot, values[slot["name"]]) if
                         values[slot["name"]] is not None else
                         slot["optional"] or slot["name"] not in needed)),
                    None)

    def reads(self, values):
        """Whether an operand is a tensor."""
        return any(is_tensor(values.get(slot["name"]))
                   for slot in self.row["slots"] if slot["access"] != "write")

    def __str__(self):
        rest = ", ".join(map(str, self.parameters))
        if not self.writes:
            return f"{self.name}({rest})"
        return (f"{self.name}({rest}), or without {self.parameters[0].name} "
                "for a result that it makes and returns")


def _takes(slot, value):
    """Whether a value is of a kind that a slot takes; its limits are the
    compiler's to check."""
    kind = slot["kind"]
    if kind == "tensor":
        return is_tensor(value)
    if isinstance(value, _types.dtype):
        return slot["name"] == "out_dtype"
    if kind == "tensor_or_scalar" and is_tensor(value):
        return True
    if kind == "integers":
        return isinstance(value, (list, tuple, numpy.ndarray)) and (
            not slot["count"] or len(value) == slot["count"])
    if is_tensor(value) or not isinstance(value, (numbers.Real,
                                                  numpy.generic)):
        return False
    if isinstance(value, _types.ENUMERATIONS):
        return kind == "choice" and isinstance(value, _CHOICES.get(
            slot["name"], _types.round_mode)) or isinstance(
                value, _types.coeff_table_mode) and kind == "integer"
    if kind == "choice":
        return isinstance(value, (numbers.Integral, numpy.integer))
    return kind != "flag" or value in (0, 1)


# The enumerations of slots that are no rounding.
_CHOICES = {"trans_mode": _types.transpose_mode,
            "psum": _types.all_reduce_psum,
            "opcode": _types.all_reduce_opcode}


class Function:
    """A function of the catalog as Python calls it.

    With a destination it writes there; without one (the first parameter, if it
    is only written) it makes the tensor and returns it.
    """

    def __init__(self, rows, signature=None, result=None):
        orders = (signature or "").split("|")
        # By row, an integer function and its float twin: in each order.
        self.forms = [[Form(row, order) for order in orders] for row in rows]
        self.result = result
        row = rows[0]
        self.full_name = f"pl.{row['name']}"
        self.__name__ = row["name"].split(".")[-1]
        self.__doc__ = (f"{self.__name__}("
                        + ", ".join(map(str, self.forms[0][0].parameters))
                        + f")\n\n{row['summary']}\n\n{row['formula']}"
                        + ("\n\nChips: " + ", ".join(row["chips"])
                           if row["chips"] else ""))

    def __repr__(self):
        return f"<function {self.full_name}>"

    def _orders(self, args, kwargs):
        """The float forms if the first tensor has floats."""
        first = next((value for value in (*args, *kwargs.values())
                      if is_tensor(value)), None)
        is_float = first is not None and first.dtype.is_float
        return self.forms[-1 if is_float else 0]

    def __call__(self, *args, **kwargs):
        kwargs.pop("_builder", None)
        wanted = kwargs.pop("type", None)
        layout = _types.align_mode.TPU_ALIGN
        if self.full_name == "pl.dma.load":
            layout = kwargs.pop("align_mode", layout)
        if self.__name__ in SCALARS and 1 <= len(args) <= 2 and all(
                isinstance(value, numbers.Real) for value in args):
            return SCALARS[self.__name__](*args)
        form, values, makes = self._choose(args, kwargs, wanted is not None)
        if not makes:
            self._record(form, values)
            return None
        dst = self._make_result(form, values, wanted, layout)
        self._record(form, {form.parameters[0].slot: dst, **values})
        return dst

    def _choose(self, args, kwargs, has_type=False):
        """The form that takes the arguments, their values by slot, and whether
        the result is to be made, as it is where its type is given."""
        orders = self._orders(args, kwargs)
        bound = [(form, form.bind(args, kwargs, skip), bool(skip))
                 for form in orders for skip in ((0, 1) if form.writes
                                                 else (0,))]
        if has_type:
            bound = self._that_make(bound)
        reasons = [each[1] for each in bound if isinstance(each[1], str)]
        bound = [each for each in bound if isinstance(each[1], dict)]
        fitting = [each for each in bound if each[0].misfit(each[1]) is None]
        if fitting:  # gt(x, 0.5, 1.0) is no result of two numbers
            return next((each for each in fitting if each[0].reads(each[1])),
                        fitting[0])
        twice = next((each for each in reasons if " twice" in each), None)
        if not bound:
            raise _type_error(
                f"{twice}; call it as {orders[0]}" if twice else
                f"{orders[0].name} got {len(args)} positional arguments"
                + "".join(f", {name}" for name in kwargs)
                + f"; call it as {orders[0]}")
        form, values, makes = bound[-1]  # that which returns, if there is one
        slot = form.misfit(values)
        raise _wrong_value(form, slot, values[slot["name"]])

    @staticmethod
    def _that_make(bound):
        """The forms that make their result; where another one fits, that is
        the mistake."""
        making = [each for each in bound if each[2]]
        fitting = [each for each in bound if isinstance(each[1], dict)
                   and each[0].misfit(each[1]) is None]
        if not fitting or any(makes for _, _, makes in fitting):
            return making or bound
        form, values, _ = fitting[0]
        raise _type_error(
            f"{form.name} with type=.. makes its result, but it is to write "
            f"{values[form.parameters[0].slot]!r}; leave out one of the two"
            if form.writes else f"{form.name} makes no result; leave out type")

    @staticmethod
    def _record(form, values):
        if any(slot["name"] == "lmul" for slot in form.row["slots"]):
            setting = getattr(_recorder.active(), "vector_setting", None)
            if not setting:
                raise _error(f"{form.row['name']} moves vector registers; call "
                             "pl.vset(bits, lmul, v_len) first")
            values = {**values, **setting}
        _tensor.call(form.row, values, {
            each.slot: each.name for each in form.parameters if each.slot})

    def _make_result(self, form, values, wanted, layout):
        sources = [values[slot["name"]] for slot in form.row["slots"]
                   if is_tensor(values.get(slot["name"]))]
        if not sources:
            raise _error(f"{form.name} of numbers has no shape for its result; "
                         f"give {form.parameters[0].name}")
        shape = [max(int(source.shape[axis]) for source in sources)
                 for axis in range(4)]
        kind = _types.get_scalar_dtype(wanted) if wanted else sources[0].dtype
        if self.result:
            shape, own, layout = self.result(values, sources, shape, kind,
                                             layout)
            kind = kind if wanted else own
        return _tensor.make_tensor(shape, kind, align_mode=layout)


_KINDS = {"tensor": "a tensor", "tensor_or_scalar": "a tensor or a number",
          "integers": "a list of integers", "integer": "an integer",
          "float": "a number", "flag": "True or False"}


def _wrong_value(form, slot, value):
    parameter = next((each for each in form.parameters
                      if each.slot == slot["name"]), None)
    name = parameter.name if parameter else slot["name"]
    kind = _KINDS.get(slot["kind"]) or "one of pl." + _CHOICES.get(
        slot["name"], _types.round_mode).__name__
    if slot["kind"] == "integers" and slot["count"]:
        kind = f"a list of {slot['count']} integers"
    if slot["name"] == "out_dtype":
        kind = "a type, such as pl.float32"
    return _type_error(f"{form.name}: {name} is {value!r}; it must be {kind}"
                       + _tensor.hint(value) + f"; call it as {form}")


# What the manual's functions give for numbers alone.
SCALARS = {
    "min": min, "max": max, "fadd": lambda a, b: a + b, "fsub":
    lambda a, b: a - b, "fmul": lambda a, b: a * b, "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
    "bitwise_and": lambda a, b: a & b, "bitwise_or": lambda a, b: a | b,
    "bitwise_xor": lambda a, b: a ^ b, "bitwise_not": lambda a: ~a,
    "abs": abs,
}


# Results: functions of the values by slot, the tensors among them, and shape,
# type and layout by default (that of the operands, broadcast).


def _mask(values, sources, shape, kind, layout):
    """Of comparisons: bytes for an integer true_val that fits one."""
    true_value = values.get("true_val", 1)
    if isinstance(true_value, int) and 0 <= true_value <= 255:
        kind = _types.types["uint8"]
    return shape, kind, layout


def _selected(values, sources, shape, kind, layout):
    chosen = [values[name] for name in ("src2", "src3")
              if is_tensor(values.get(name))]
    return shape, (chosen[0].dtype if chosen else kind), layout


def _compact(values, sources, shape, kind, layout):
    return shape, kind, _types.align_mode.TPU_COMPACT


def _all_lanes(values, sources, shape, kind, layout):
    if not values.get("num"):
        values["num"] = _recorder.active().get(_recorder.GET_LANES)
    return [shape[0], int(values["num"]), *shape[2:]], kind, layout


def _outer(values, sources, shape, kind, layout):
    first, second = (sources[0].shape, sources[1].shape)
    return [first[1] * first[3], second[1], 1, second[3]], kind, layout


def _exponent(values, sources, shape, kind, layout):
    return shape, _types.types["int32" if kind.bits == 32 else "int16"], layout


def _exchanged(first, second, layout=None):
    def result(values, sources, shape, kind, given):
        shape[first], shape[second] = shape[second], shape[first]
        return shape, kind, given if layout is None else layout
    return result


def _transposed(values, sources, shape, kind, layout):
    is_cw = int(values.get("trans_mode", 1)) == _types.transpose_mode.CW_TRANS
    return _exchanged(*((1, 3) if is_cw else (0, 1)))(
        values, sources, shape, kind, layout)


def _pooled(values, sources, shape, kind, layout):
    kernel, pad, stride, dilation = (
        [int(value) for value in values[name]]
        for name in ("kernel", "pad", "stride", "dilation"))
    ins = values.get("ins") or [0, 0]
    sizes = [((shape[2 + axis] - 1) * (int(ins[axis]) + 1) + 1
              + sum(pad[2 * axis:2 * axis + 2])
              - (kernel[axis] - 1) * dilation[axis] - 1)
             // max(stride[axis], 1) + 1 for axis in (0, 1)]
    return [*shape[:2], *sizes], kind, layout


RESULTS = {
    **{name: _exchanged(1, 3) for name in (
        "dma.load_transpose_cw", "dma.transpose_cw", "tiu.transpose_wc")},
    "tiu.transpose_cw": _exchanged(1, 3, _types.align_mode.TPU_ROW_ALIGN),
    **{name: _exchanged(0, 1) for name in (
        "dma.load_transpose_nc", "dma.transpose_nc")},
    "dma.load_transpose": _transposed, "dma.transpose": _transposed,
    **{f"tiu.{name}": _pooled for name in ("pool_avg", "pool_max", "pool_min",
                                           "fpool_avg", "fpool_max",
                                           "fpool_min")},
    "tiu.gt": _mask, "tiu.lt": _mask, "tiu.eq": _mask,
    "tiu.gt_select": _selected, "tiu.lt_select": _selected,
    "tiu.eq_select": _selected, "dma.load_compact": _compact,
    "tiu.broadcast": _all_lanes, "dma.broadcast": _all_lanes,
    "tiu.vc_min": _outer, "tiu.vc_max": _outer, "tiu.fvc_min": _outer,
    "tiu.fvc_max": _outer, "tiu.fexp_part": _exponent,
}


class Unit:
    """The functions of one unit of the chip: pl.tiu, pl.dma, pl.sdma, pl.hau."""

    def __init__(self, name):
        self._name = name
        catalog = _recorder.catalog()
        for full, row in catalog.items():
            unit, short = full.split(".", 1)
            if unit != name:
                continue
            rows = [row]
            twin = catalog.get(f"{unit}.{TWINS.get(short)}")
            if twin:
                rows.append(twin)
            setattr(self, short, Function(rows, SIGNATURES.get(full),
                                          RESULTS.get(full)))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        others = [f"pl.{unit}.{name}" for unit in ("tiu", "dma", "sdma", "hau")
                  if f"{unit}.{name}" in _recorder.catalog()]
        use = advice(name)
        raise _recorder.PplAttributeError(
            f"PPL has no function {self._name}.{name}"
            + (f"; there is {others[0]}" if others else
               f"; use {use}" if use else _recorder.nearest(name, dir(self)))
            + f"; dir(pl.{self._name}) lists them")

    def __dir__(self):
        return sorted(name for name in self.__dict__
                      if not name.startswith("_"))

    def __repr__(self):
        return f"pl.{self._name}: " + ", ".join(dir(self))

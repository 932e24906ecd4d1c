"""What Python and numpy do to a value that a tensor has not got: it is known
when the program runs, not while the kernel is recorded. Each such use is
answered with the function of the language for it."""

import numpy

from .. import _recorder

# Operators that are no function of the language: what to write.
_OPERATORS = {
    "lt": "pl.tiu.lt(a, b) makes a mask, pl.tiu.lt_select(a, b, x, y) chooses",
    "gt": "pl.tiu.gt(a, b) makes a mask, pl.tiu.gt_select(a, b, x, y) chooses",
    "le": "pl.tiu.gt_select(a, b, 0, 1) is the mask of a <= b",
    "ge": "pl.tiu.lt_select(a, b, 0, 1) is the mask of a >= b",
    "pow": "use a * a, pl.pow_f32(x, y) or pl.fsqrt(x)",
    "mod": "a - b * pl.tiu.floor(a / b) is a % b of floats",
    "floordiv": "use pl.tiu.floor(a / b)",
    "divmod": "use pl.tiu.floor(a / b)",
    "matmul": "use pl.tiu.fmm2(dst, left, right), of integers pl.tiu.mm2",
    "lshift": "use pl.tiu.shift(a, bits, pl.RM_DOWN)",
    "rshift": "use pl.tiu.shift(a, -bits, pl.RM_DOWN)",
}

# Python's and numpy's names: the language's.
_FUNCTIONS = {
    "exp": "pl.fexp(x)", "exp2": "pl.pow_f32(2.0, x)", "log": "pl.flog(x)",
    "log10": "pl.flogx(x, 10)", "log2": "pl.flogx(x, 2)",
    "sqrt": "pl.fsqrt(x)", "sin": "pl.fsin(x)", "cos": "pl.fcos(x)",
    "tan": "pl.ftan(x)", "tanh": "pl.tanh_fp32(x)",
    "sinh": "pl.sinh_fp32(x)", "cosh": "pl.cosh_fp32(x)",
    "arcsin": "pl.farcsin(x)", "arccos": "pl.farccos(x)",
    "arcsinh": "pl.arcsinh_fp32(x)", "arccosh": "pl.arccosh_fp32(x)",
    "arctanh": "pl.arctanh_fp32(x)", "erf": "pl.ferf(x)",
    "sigmoid": "pl.sigmoid_fp32(x)", "relu": "pl.relu(x)",
    "power": "pl.pow_f32(x, y)", "pow": "pl.pow_f32(x, y)",
    "square": "x * x", "reciprocal": "1.0 / x",
    "absolute": "pl.tiu.abs(x)", "fabs": "pl.tiu.abs(x)",
    "negative": "-x", "maximum": "pl.tiu.max(a, b)",
    "minimum": "pl.tiu.min(a, b)", "fmax": "pl.tiu.max(a, b)",
    "fmin": "pl.tiu.min(a, b)", "clip": "pl.tiu.min(pl.tiu.max(x, low), high)",
    "where": "pl.tiu.gt_select(a, b, x, y)",
    "greater": "pl.tiu.gt(a, b)", "less": "pl.tiu.lt(a, b)",
    "equal": "pl.tiu.eq(a, b)", "not_equal": "pl.tiu.eq_select(a, b, 0, 1)",
    "floor": "pl.tiu.floor(x)", "ceil": "pl.tiu.ceiling(x)",
    "rint": "pl.tiu.round(x, pl.RM_HALF_TO_EVEN)",
    "round": "pl.tiu.round(x, pl.RM_HALF_TO_EVEN)",
    "around": "pl.tiu.round(x, pl.RM_HALF_TO_EVEN)",
    "trunc": "pl.tiu.round(x, pl.RM_TOWARDS_ZERO)",
    "sum": "pl.quick_pooling(x, 1), over w",
    "mean": "pl.quick_pooling(x, 1, 1 / w), over w",
    "max": "pl.tiu.max(a, b) of two, pl.quick_pooling(x, 0) over w",
    "min": "pl.tiu.min(a, b)", "amax": "pl.quick_pooling(x, 0), over w",
    "dot": "pl.tiu.fmm2(dst, left, right)",
    "matmul": "pl.tiu.fmm2(dst, left, right)",
    "einsum": "pl.tiu.fmm2(dst, left, right)",
    "transpose": "pl.tiu.transpose_cw(dst, src)", "T":
    "pl.tiu.transpose_cw(dst, src)", "permute": "pl.tiu.transpose_cw(dst, src)",
    "reshape": "x.view(shape=[n, c, h, w])",
    "ravel": "x.view(shape=[1, c, 1, w])",
    "flatten": "x.view(shape=[1, c, 1, w])",
    "squeeze": "x.view(shape=[n, c, h, w])",
    "astype": "pl.tiu.cast(x, type=pl.float16)",
    "to": "pl.tiu.cast(x, type=pl.float16)",
    "half": "pl.tiu.cast(x, type=pl.float16)",
    "float": "pl.tiu.cast(x, type=pl.float32)",
    "copy": "pl.tiu.move(dst, src)", "clone": "pl.tiu.move(dst, src)",
    "copyto": "pl.tiu.move(dst, src)", "fill": "pl.tiu.fill(x, value)",
    "zero_": "pl.tiu.zero(x)", "zeros_like": "pl.tiu.zero(x)",
    "concatenate": "pl.tiu.move(dst[:, :, :, a:b], part)",
    "stack": "pl.tiu.move(dst[:, :, :, a:b], part)",
    "sort": "pl.hau.topk(dst, src, K, descended)",
    "topk": "pl.hau.topk(dst, src, K, descended)",
    "nonzero": "pl.dma.nonzero(dst, src)", "take": "pl.dma.gather_h",
    "size": "x.shape", "ndim": "x.shape, which has four sizes",
    "strides": "x.stride", "layout": "x.description()",
    "item": "pl.device_print(x)", "tolist": "pl.device_print(x)",
    "numpy": "pl.device_print(x)", "data": "pl.device_print(x)",
    "array": "pl.device_print(x), or store it to an argument of the kernel",
    "asarray": "pl.device_print(x), or store it to an argument of the kernel",
    "softmax": "examples/kernels/softmax/softmax.py: pl.quick_pooling and pl.exp_no_overflow",
    "zeros": "pl.make_tensor(shape, dtype) and pl.tiu.zero(x)",
    "empty": "pl.make_tensor(shape, dtype)",
    "ones": "pl.make_tensor(shape, dtype) and pl.tiu.fill(x, 1)",
    "full": "pl.make_tensor(shape, dtype) and pl.tiu.fill(x, value)",
    "arange": "pl.tiu.arange_broadcast(dst, start, step, num)",
    "program_id": "pl.get_core_index()", "num_programs": "pl.get_block_num()",
    "gelu": "x * pl.sigmoid_fp32(x * 1.702)",
    "silu": "x * pl.sigmoid_fp32(x)",
    "add": "x + y", "subtract": "x - y", "multiply": "x * y",
    "divide": "x / y", "true_divide": "x / y",
}

_RECORDED = "it has a value when the program runs, not while it is recorded"


def advice(name):
    """What to write for a function of Python or numpy; "" if unknown."""
    return _FUNCTIONS.get(name, "")


def _refuse(value, use, way_out):
    raise _recorder.PplTypeError(f"{use} of {value!r}: {_RECORDED}; {way_out}")


class RecordedValue:
    """A tensor or a pointer in the eyes of Python."""

    # What makes a number or a tensor of it.
    _way_out = "pl.device_print(x) shows it"

    def __bool__(self):
        _refuse(self, "the truth", "a condition on elements is "
                "pl.tiu.gt_select(a, b, x, y), a mask pl.tiu.gt(a, b); if and "
                "while take numbers of the kernel's arguments")

    def __len__(self):
        _refuse(self, "len()", "x.shape has its sizes")

    def __iter__(self):
        _refuse(self, "iteration", "go over a range() of numbers and take "
                "x[:, :, i:i + 1]")

    def __contains__(self, item):
        _refuse(self, "'in'", "pl.tiu.eq(a, b) makes a mask")

    def __float__(self):
        _refuse(self, "a number", self._way_out)

    __int__ = __index__ = __complex__ = __float__

    def __array__(self, *args, **kwargs):
        _refuse(self, "a numpy array", "store it to an argument of the kernel: "
                "pl.dma.store(pl.gtensor(shape, pl.GLOBAL, ptr), x); or see it "
                "with pl.device_print(x)")

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        result = self._of_scalar(ufunc.__name__, inputs) \
            if method == "__call__" and not kwargs else NotImplemented
        if result is not NotImplemented:
            return result
        outside = next((value for value in inputs
                        if isinstance(value, numpy.ndarray)), None)
        if outside is not None:
            raise _recorder.PplTypeError(
                f"numpy.{ufunc.__name__} of {self!r} and an array outside of "
                "the device; pass the array to the kernel and load it: "
                "pl.dma.load(pl.gtensor(shape, pl.GLOBAL, ptr))")
        _refuse(self, f"numpy.{ufunc.__name__}", "use " + (
            advice(ufunc.__name__) or "the functions of pl.tiu"))

    def _of_scalar(self, name, inputs):
        return NotImplemented

    def __array_function__(self, function, types, args, kwargs):
        name = function.__name__
        _refuse(self, f"numpy.{name}", "use " + (
            advice(name) or "the functions of pl.tiu"))

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        name = getattr(function, "__name__", "?")
        raise _recorder.PplTypeError(
            f"torch.{name} of a tensor of the kernel: {_RECORDED}; use "
            + (advice(name) or "the functions of pl.tiu"))

    def __round__(self, digits=None):
        _refuse(self, "round()", "use " + advice("round"))

    def __floor__(self):
        _refuse(self, "floor()", "use " + advice("floor"))

    def __ceil__(self):
        _refuse(self, "ceil()", "use " + advice("ceil"))

    def __trunc__(self):
        _refuse(self, "trunc()", "use " + advice("trunc"))

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        if other is None or other is self:
            return other is self
        _refuse(self, "==", "pl.tiu.eq(a, b) makes a mask, "
                "pl.tiu.eq_select(a, b, x, y) chooses; 'is' compares names")

    def __ne__(self, other):
        if other is None or other is self:
            return other is not self
        _refuse(self, "!=", "pl.tiu.eq_select(a, b, 0, 1) is the mask of "
                "a != b; 'is not' compares names")

    def __getattr__(self, name):
        kind = type(self).__name__
        if name.startswith("_"):
            raise AttributeError(f"{kind} has no attribute {name}")
        has = [each for each in dir(type(self)) if not each.startswith("_")]
        use = advice(name)
        raise _recorder.PplAttributeError(
            f"a {kind} has no attribute {name}"
            + (f"; use {use}" if use else _recorder.nearest(name, has)
               or "; it has " + ", ".join(has)))


def _operator(name, way_out):
    symbol = {"lt": "<", "gt": ">", "le": "<=", "ge": ">=", "pow": "**",
              "mod": "%", "floordiv": "//", "divmod": "divmod()", "matmul":
              "@", "lshift": "<<", "rshift": ">>"}[name]

    def refuse(self, *others):
        if name in ("lt", "gt", "le", "ge"):
            _refuse(self, symbol, way_out + "; of Python's max(a, b) and "
                    "min(a, b) use pl.tiu.max(a, b) and pl.tiu.min(a, b)")
        raise _recorder.PplTypeError(
            f"{symbol} of {self!r} is no operation of the chip; {way_out}")
    return refuse


def _no_operator(symbol):
    def refuse(self, other):
        raise _recorder.PplTypeError(f"{symbol} of {self!r} and {other!r}; "
                                     + self._way_out)
    return refuse


# A tensor has these, a pointer none but + and -.
for _name, _symbol in (("mul", "*"), ("truediv", "/"), ("and", "&"),
                       ("or", "|"), ("xor", "^"), ("rsub", "-"),
                       ("rmul", "*"), ("rtruediv", "/")):
    setattr(RecordedValue, f"__{_name}__", _no_operator(_symbol))
for _name, _way_out in _OPERATORS.items():
    setattr(RecordedValue, f"__{_name}__", _operator(_name, _way_out))
    if _name not in ("lt", "gt", "le", "ge"):
        setattr(RecordedValue, f"__r{_name}__", _operator(_name, _way_out))

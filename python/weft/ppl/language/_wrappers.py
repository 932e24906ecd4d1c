"""The wrappers of the language (PPL 4.7 and its headers): those of ppl/wrappers.h,
recorded by the compiler's library, so that C++ and Python give the same bytes.

`y = pl.fexp(x)` makes and returns the result; `pl.fexp(out, x, block_shape,
real_shape)` is the manual's form. `block_shape` is what temporaries are allocated
with, `real_shape` the part in use; left out both are the shape of x.
"""

import ctypes
import math

from .. import _recorder
from . import _tensor, _types
from ._composed import public
from ._tensor import is_tensor

_type_error = _recorder.PplTypeError

# Functions of one tensor of floats.
UNARY = {
    "fexp": "e^x; beyond the range the largest number",
    "flog": "ln x; -inf for 0, NaN below",
    "fsqrt": "The square root; NaN below 0",
    "fsin": "sin x, |x| up to 65536", "fcos": "cos x, |x| up to 65536",
    "ftan": "tan x, |x| up to 65536", "fcot": "cot x, |x| up to 65536",
    "farcsin": "arcsin x", "farccos": "arccos x",
    "sinh_fp32": "sinh x", "cosh_fp32": "cosh x", "tanh_fp32": "tanh x",
    "arcsinh_fp32": "arsinh x", "arccosh_fp32": "arcosh x",
    "arctanh_fp32": "artanh x", "ferf": "The error function",
    "sigmoid_fp32": "1 / (1 + e^-x)", "softsign_fp32": "x / (1 + |x|)",
    "mish_f32": "x tanh(ln(1 + e^x))",
}


def record(name, *values):
    """Records a wrapper with values in the order of its header."""
    program = _recorder.active()
    keep = []
    arguments = (_recorder.Argument * len(values))(
        *(_tensor.argument(value, "", f"argument {number}", keep)
          for number, value in enumerate(values)))
    done = program.library.c.weft_ppl_wrapper(
        ctypes.addressof(program.table), name.encode(), arguments, len(values),
        _recorder.here())
    if done:
        program.called(name, dict(enumerate(values)))
    program.check_recording()
    if not done:
        kinds = ", ".join(sorted({repr(value.dtype) for value in values
                                  if is_tensor(value)}))
        raise _type_error(f"pl.{name} of {kinds}; it takes "
                          + ("integers of 8, 16 and 32 bits and " if name in
                             ("relu", "prelu", "sign_mul") else "")
                          + "pl.float32, pl.float16 and pl.bfloat16; cast: "
                          "pl.tiu.cast(x, type=pl.float32)")


def _check_tensors(name, *tensors):
    for value in tensors:
        if not is_tensor(value):
            raise _type_error(f"pl.{name} of {value!r}; it must be a tensor"
                              + _tensor.hint(value))
        if value.memory != _types.mtype.LOCAL:
            raise _type_error(f"pl.{name} of {value!r}; load it first: "
                              "pl.dma.load(x)")
    kinds = {value.dtype for value in tensors}
    if len(kinds) > 1:
        raise _type_error(f"pl.{name} of " + " and ".join(
            repr(value.dtype) for value in tensors)
            + "; give tensors of one type: pl.tiu.cast(x, type=..)")


def _check_operand(name, args):
    if not any(is_tensor(value) for value in args[:2]):
        raise _type_error(f"pl.{name} of {args[0] if args else 'nothing'!r}; "
                          "it must be a tensor"
                          + (_tensor.hint(args[0]) if args else ""))
    if len(args) > 1 and args[1] is None:
        raise _type_error(f"pl.{name}({args[0]!r}, None, ..): the operand is "
                          "None; it must be a tensor" + _tensor.hint(None))


def _shapes(name, x, block, real):
    real = list(x.shape) if real is None else list(real)
    block = list(real) if block is None else list(block)
    for what, shape in (("block_shape", block), ("real_shape", real)):
        _recorder.sizes(shape, what)
    if any(part > whole for part, whole in zip(real, block)):
        raise _recorder.PplError(f"pl.{name}: real_shape {real} exceeds "
                                 f"block_shape {block}; make the block larger")
    return block, real


def _made(x, block, real):
    return _tensor.make_tensor(block, x.dtype, real)


def _unary(name, summary):
    def function(*args, block_shape=None, real_shape=None):
        _check_operand(name, args)
        out, rest = (args[0], args[1:]) if len(args) > 1 and is_tensor(
            args[1]) else (None, args)
        if len(rest) == 9:  # the manual's m_n, .., t_w
            sizes = list(rest[1:])
            rest = (rest[0], sizes[:4], sizes[4:])
        if len(rest) > 3:
            raise _type_error(
                f"pl.{name} got {len(args)} arguments; call it as "
                f"y = pl.{name}(x) or pl.{name}(out, x, block_shape, "
                "real_shape)")
        x, block, real = (*rest, None, None)[:3]
        block = block_shape if block is None else block
        real = real_shape if real is None else real
        if real is None and block is not None and len(rest) == 2:
            real = block  # the header's form with one shape
        block, real = _shapes(name, x, block, real)
        made = _made(x, block, real) if out is None else out
        _check_tensors(name, made, x)
        record(name, made, x, block, real)
        return made if out is None else None
    function.__name__ = name
    function.__doc__ = (f"y = {name}(x), or {name}(out, x, block_shape, "
                        f"real_shape).\n\n{summary}.")
    return function


def _with_number(name, what, summary):
    """A wrapper of one tensor and a number behind it."""
    def function(*args, block_shape=None, real_shape=None, **number):
        _check_operand(name, args)
        out, rest = (args[0], args[1:]) if len(args) > 1 and is_tensor(
            args[1]) else (None, args)
        values = list(rest[1:])
        value = number.pop(what, None)
        if value is None and values:
            value = values.pop(0)
        if value is None or number or len(values) > 2:
            raise _type_error(
                f"pl.{name} needs {what}, a number; call it as "
                f"y = pl.{name}(x, {what}) or pl.{name}(out, x, {what}, "
                "block_shape, real_shape)")
        block, real = (*values, block_shape, real_shape)[:2]
        x = rest[0]
        block, real = _shapes(name, x, block, real)
        made = _made(x, block, real) if out is None else out
        _check_tensors(name, made, x)
        record(name, made, x, _number(name, what, value), block, real)
        return made if out is None else None
    function.__name__ = name
    function.__doc__ = (f"y = {name}(x, {what}), or {name}(out, x, {what}, "
                        f"block_shape, real_shape).\n\n{summary}.")
    return function


def _number(name, what, value):
    try:
        return float(value)
    except (TypeError, ValueError):
        raise _type_error(f"pl.{name}: {what} is {value!r}; it must be a "
                          "number") from None


def pow_f32(*args, block_shape=None, real_shape=None):
    """z = pow_f32(x, y), or pow_f32(out, x, y, block_shape, real_shape).

    x^y of two tensors, or of a tensor and a number: NaN for x below 0."""
    has_out = len(args) > 2 and is_tensor(args[0]) and (
        is_tensor(args[1]) or is_tensor(args[2]))
    out, rest = (args[0], args[1:]) if has_out else (None, args)
    if not 2 <= len(rest) <= 4:
        raise _type_error(f"pl.pow_f32 got {len(args)} arguments; call it as "
                          "z = pl.pow_f32(x, y) or pl.pow_f32(out, x, y, "
                          "block_shape, real_shape)")
    x, y, *shapes = rest
    tensors = [value for value in (x, y) if is_tensor(value)]
    if not tensors:
        raise _type_error(f"pl.pow_f32 of {x!r} and {y!r}; one of them must be "
                          "a tensor" + _tensor.hint(x))
    block, real = (*shapes, block_shape, real_shape)[:2]
    block, real = _shapes("pow_f32", tensors[0], block, real)
    made = _made(tensors[0], block, real) if out is None else out
    _check_tensors("pow_f32", made, *tensors)
    x, y = (value if is_tensor(value) else _number("pow_f32", what, value)
            for what, value in (("x", x), ("y", y)))
    record("pow_f32", made, x, y, block, real)
    return made if out is None else None


def relu(*args):
    """y = relu(x), or relu(out, x): max(x, 0)."""
    return _plain("relu", args, 0)


def prelu(*args):
    """y = prelu(x, alpha), or prelu(out, x, alpha): x above 0, else alpha x."""
    return _plain("prelu", args, 1)


def _plain(name, args, numbers):
    _check_operand(name, args)
    has_out = len(args) > 1 and is_tensor(args[1])
    rest = args[1:] if has_out else args
    if len(rest) != 1 + numbers:
        more = ", alpha" * numbers
        raise _type_error(f"pl.{name} got {len(args)} arguments; call it as "
                          f"y = pl.{name}(x{more}) or pl.{name}(out, x{more})")
    x = rest[0]
    made = args[0] if has_out else _made(x, x.shape, x.shape)
    _check_tensors(name, made, x)
    record(name, made, x, *(_number(name, "alpha", value)
                            for value in rest[1:]))
    return None if has_out else made


def sign_mul(out, input, mul, tmp=None):
    """out: the sign of `input` with the bits of `mul`, which is not negative.
    `tmp` is overwritten."""
    _check_tensors("sign_mul", out, input, mul)
    if tmp is None:
        tmp = _made(input, input.shape, input.shape)
    record("sign_mul", out, input, mul, tmp)


def getSignMask(dtype):
    """The sign bit of an element of a type."""
    return 1 << (_types.get_scalar_dtype(dtype).bits - 1)


def log_approximation(x):
    """ln x of a number; -1 for x <= 0."""
    x = _number("log_approximation", "x", x)
    return math.log(x) if x > 0 else -1.0


def log_approximation_range_poly(x):
    """ln x of a number; -1 for x <= 0."""
    return log_approximation(x)


def arange_broadcast(dst, c, start, step, num):
    """start + step * w for w < num in each of `c` channels of an int32
    tensor."""
    _check_tensors("arange_broadcast", dst)
    record("arange_broadcast", dst, *(
        _recorder.integer(value, what) for value, what in
        ((c, "c"), (start, "start"), (step, "step"), (num, "num"))))


def quick_pooling(*args, scale=1.0, fill=None, block_shape=None,
                  real_shape=None, mode=None):
    """y = quick_pooling(x, mode, scale=1.0), or quick_pooling(out, x,
    block_shape, real_shape, fill, mode, scale=1.0).

    The maximum (mode 0), or the sum times `scale` (mode 1), over W of a tensor
    [n, c, 1, w] of floats. Its block has room up to the next multiple of EU
    elements, which is overwritten with `fill`."""
    _check_operand("quick_pooling", args)
    out = None
    if len(args) > 1 and is_tensor(args[1]):
        names = ("out", "input", "block_shape", "real_shape", "fill", "mode",
                 "scale")
        given = dict(block_shape=block_shape, real_shape=real_shape, fill=fill,
                     mode=mode, scale=scale)
        given.update(zip(names, args))
        out, x = given["out"], given["input"]
        block_shape, real_shape = given["block_shape"], given["real_shape"]
        fill, mode, scale = given["fill"], given["mode"], given["scale"]
    else:
        x = args[0]
        mode, scale = (*args[1:3], mode if len(args) < 2 else scale, scale)[:2]
    if mode not in (0, 1) or is_tensor(mode):
        raise _type_error(f"pl.quick_pooling: mode is {mode!r}; 0 is the "
                          "maximum, 1 the sum: y = pl.quick_pooling(x, 0)")
    block, real = _shapes("quick_pooling", x, block_shape, real_shape)
    if fill is None:
        fill = 0.0 if mode else _LOWEST.get(x.dtype.spelling, 0.0)
    made = _tensor.make_tensor([*block[:2], 1, 1], x.dtype,
                               [*real[:2], 1, 1]) if out is None else out
    _check_tensors("quick_pooling", made, x)
    record("quick_pooling", made, x, block, real,
           _number("quick_pooling", "fill", fill), int(mode),
           _number("quick_pooling", "scale", scale))
    return made if out is None else None


_LOWEST = {"fp32": -3.4028234663852886e38, "fp16": -65504.0,
           "bf16": -3.3895313892515355e38}


def fp_avg_pool_2d_count_include_padding(dst, src, oshape, ishape, kernel, pad,
                                         stride, dilation, mode):
    """Average pooling whose divisor leaves padding out: `mode` 1 all of it, 0
    only what reaches beyond the declared padding."""
    name = "fp_avg_pool_2d_count_include_padding"
    _check_tensors(name, dst, src)
    record(name, dst, src, list(oshape), list(ishape), list(kernel), list(pad),
           list(stride), list(dilation), _recorder.integer(mode, "mode"))


wrappers = {name: _unary(name, summary) for name, summary in
            {"exp_no_overflow": "e^x; beyond the range the largest number",
             **UNARY}.items()}
wrappers["softplus_f32"] = _with_number("softplus_f32", "beta",
                                        "ln(1 + e^(beta x)) / beta")
wrappers["flogx"] = _with_number("flogx", "x", "The logarithm to the base x")
for _function in (pow_f32, relu, prelu, sign_mul, getSignMask,
                  log_approximation, log_approximation_range_poly,
                  arange_broadcast, quick_pooling,
                  fp_avg_pool_2d_count_include_padding):
    wrappers[_function.__name__] = _function
wrappers = {name: public(function, f"pl.{name}")
            for name, function in wrappers.items()}

"""Functions that Python has and the catalog has not, or has in pieces."""

import functools
import inspect
import math

from .. import _recorder
from . import _tensor, _types
from ._tensor import is_tensor, tensor

_error = _recorder.PplError


def public(function, name):
    """`function` under the name that kernels call it by: arguments that it
    does not take are an error that says so."""
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        kwargs.pop("_builder", None)
        try:
            signature.bind(*args, **kwargs)
        except TypeError as error:
            known = [each for each in signature.parameters if each != "args"]
            wrong = next((each for each in kwargs if each not in known), "")
            if wrong:  # before what it leaves missing
                error = f"got an unexpected keyword argument '{wrong}'"
            raise _recorder.PplTypeError(
                f"{name}: {error}" + _recorder.nearest(wrong, known)
                + f"; call it as {name}{signature}") from None
        return function(*args, **kwargs)
    call.__name__ = call.__qualname__ = name.rpartition(".")[2]
    return call


def _channels(oc, output):
    return oc or int(output.shape[1])


def _call(name, slots, values):
    """Calls a function of the catalog. `values`: by the names of Python's
    parameters; `slots`: theirs where the catalog has another name."""
    names = {slots.get(each, each): each for each in values}
    _tensor.call(_recorder.catalog()[name], {
        slot: values[each] for slot, each in names.items()}, names)


# Of all convolutions.
_CONVOLUTION = {"output": "dst", "input": "src", "filter": "weight",
                "kernel": "k_shape", "padding": "pad", "insert": "ins"}


def _as_operands(name, args, count):
    """(dst or None, operands) of a function with `count` operands."""
    if len(args) == count + 1:
        return args[0], args[1:]
    if len(args) == count:
        return None, args
    raise _recorder.PplTypeError(
        f"pl.tiu.{name} got {len(args)} operands; give {count}, or dst and "
        f"{count}")


def _made(dst, operands, kind=None):
    """The destination: `dst`, or a tensor like the operands."""
    if dst is not None:
        return dst
    sources = [value for value in operands if is_tensor(value)]
    shape = [max(int(source.shape[axis]) for source in sources)
             for axis in range(4)]
    return _tensor.make_tensor(shape, kind or sources[0].dtype)


def _fconv(tiu):
    def fconv(output, input, filter, kernel, stride, dilation, padding,
              bias=None, oc=0, ins=None, result_relu=False, result_add=False,
              out_dtype=None, has_bias=True, saturate=False,
              kernel_rotate=False):
        """2D float convolution."""
        _call("tiu.fconv", {**_CONVOLUTION, "result_relu": "do_relu"}, dict(
            output=output, input=input, filter=filter, bias=bias,
            oc=_channels(oc, output), kernel=kernel, stride=stride,
            dilation=dilation, padding=padding, ins=ins,
            result_relu=result_relu, result_add=result_add,
            out_dtype=out_dtype, has_bias=has_bias and bias is not None,
            kernel_rotate=kernel_rotate))
    return fconv


def _conv(tiu):
    def conv(output, input, filter, oc, kernel, stride, dilation, padding,
             bias=None, ins=None, pad_val=0, result_relu=False,
             result_add=False, out_dtype=None, has_bias=False, sym=True,
             quant=0, rq=False, requant=0, rq_shift=0, out_zp=0,
             saturate=False, round=_types.round_mode.RM_HALF_UP,
             kernel_rotate=False):
        """2D integer convolution: symmetric (`quant` is a right shift) or not
        (`quant` is the zero point of the kernel), requantised with `rq`."""
        slots = {**_CONVOLUTION, "rq_shift": "rshift",
                 "quant": "rshift" if sym else "kzp",
                 "requant": "requant" if is_tensor(requant) else "multiplier"}
        values = dict(output=output, input=input, filter=filter, bias=bias,
                      oc=_channels(oc, output), kernel=kernel, stride=stride,
                      dilation=dilation, padding=padding, ins=ins,
                      has_bias=bool(has_bias) or bias is not None,
                      kernel_rotate=kernel_rotate)
        if rq:
            values.update(requant=requant, rq_shift=rq_shift, out_zp=out_zp,
                          saturate=saturate, round=int(round))
        if sym:
            values.update(result_relu=result_relu)
            if not rq:
                values.update(quant=quant)
        else:
            values.update(pad_val=pad_val, result_add=result_add,
                          out_dtype=out_dtype, quant=quant)
        _call(f"tiu.conv_{'sym' if sym else 'asym'}{'_rq' if rq else ''}",
              slots, values)
    return conv


def _deconv(tiu):
    def deconv(output, src, weight, bias, oc, kernel, dilation, padding,
               insert, has_bias, pad_val=None, insert_val=0, result_relu=False,
               result_add=False, out_dtype=None, sym=True, quant=0):
        """2D integer deconvolution."""
        values = dict(output=output, src=src, weight=weight,
                      oc=_channels(oc, output), kernel=kernel,
                      dilation=dilation, padding=padding, insert=insert,
                      out_dtype=out_dtype, quant=quant)
        if sym:
            _call("tiu.deconv_sym", {**_CONVOLUTION, "quant": "rshift"}, dict(
                bias=bias, result_relu=result_relu,
                has_bias=bool(has_bias) and bias is not None, **values))
        else:
            _call("tiu.deconv_asym", {**_CONVOLUTION, "quant": "kzp"}, dict(
                pad_val=pad_val, insert_val=insert_val, result_add=result_add,
                **values))
    return deconv


def _dw_conv(tiu):
    def dw_conv(output, src, weight, bias, kernel, stride, dilation, padding,
                pad_val, result_relu, out_dtype, has_bias, round_mode,
                rshift=0, rq=False, requant=None, saturate=False):
        """2D integer depthwise convolution."""
        if rq:
            return _dw_conv_requantized(
                tiu, output, src, weight, bias if has_bias else None, kernel,
                stride, dilation, padding, pad_val, result_relu, round_mode,
                requant)
        _call("tiu.dw_conv", _CONVOLUTION, dict(
            output=output, src=src, weight=weight,
            bias=bias if has_bias else None, pad_val=pad_val, kernel=kernel,
            padding=padding, stride=stride, dilation=dilation, rshift=rshift,
            result_relu=result_relu, round_mode=int(round_mode)))
    return dw_conv


def _dw_conv_requantized(tiu, output, src, weight, bias, kernel, stride,
                         dilation, padding, pad_val, result_relu, round_mode,
                         requant):
    """The depthwise convolution in 32 bits and its requantisation."""
    if requant is None:
        raise _recorder.PplTypeError(
            "pl.tiu.dw_conv with rq=True needs requant, a compact tensor "
            "[1, c, 1, 3] of multiplier, shift and offset")
    wide = _tensor.make_tensor(output.shape, _types.types["int32"])
    _call("tiu.dw_conv", _CONVOLUTION, dict(
        output=wide, src=src, weight=weight, bias=bias, pad_val=pad_val,
        kernel=kernel, padding=padding, stride=stride, dilation=dilation,
        rshift=0, result_relu=result_relu, round_mode=0))
    tiu.rq1(output, wide, round_mode, quant=requant)


def _transposes(ltrans, rtrans, rst_trans):
    names = {(False, False): "nn", (False, True): "nt", (True, True): "tt"}
    name = names.get((bool(ltrans), bool(rtrans)))
    if name is None:
        raise _error("ltrans without rtrans; the left operand is transposed "
                     "together with the right one only")
    if bool(rst_trans) != (name == "tt"):
        raise _error(f"rst_trans is {bool(rst_trans)}; it is True exactly if "
                     "ltrans and rtrans are")
    return name


def _fmm2(tiu):
    def fmm2(dst, left, right, bias=None, ltrans=False, rtrans=False,
             rst_trans=None, do_relu=False, result_add=False, out_dtype=None,
             has_bias=False, saturate=False):
        """Float matrix product: left [1,M,1,K], right [1,K,1,N] (rtrans:
        [1,N,1,K])."""
        if rst_trans is None:
            rst_trans = ltrans and rtrans
        _call(f"tiu.fmm2_{_transposes(ltrans, rtrans, rst_trans)}", {}, dict(
            dst=dst, left=left, right=right, bias=bias, result_add=result_add,
            out_dtype=out_dtype, do_relu=do_relu, saturate=saturate))
    return fmm2


def _mm2(tiu):
    def mm2(dst, left, right, bias=None, r_zp=None, requant=None, multiplier=1,
            rshift=0, y_zp=0, ltrans=False, rtrans=False, rst_trans=None,
            result_add=False, out_dtype=None, has_bias=False, do_relu=False,
            do_rq=False, saturate=False,
            round_mode=_types.round_mode.RM_HALF_AWAY_FROM_ZERO):
        """Integer matrix product."""
        if rst_trans is None:
            rst_trans = ltrans and rtrans
        values = dict(dst=dst, left=left, right=right, bias=bias,
                      result_add=result_add, out_dtype=out_dtype,
                      do_relu=do_relu, r_zp=r_zp, saturate=saturate,
                      round_mode=int(round_mode))
        if do_rq:
            values.update(requant=requant if requant is not None else 1,
                          multiplier=multiplier, rshift=rshift, y_zp=y_zp)
        _call(f"tiu.mm2_{_transposes(ltrans, rtrans, rst_trans)}",
              {"dst": "rst", "rshift": "shift", "y_zp": "offset"}, values)
    return mm2


def _truediv(tiu):
    def truediv(*args):
        """Quotient as floats, whatever the operands are."""
        dst, operands = _as_operands("truediv", args, 2)
        floats = []
        for value in operands:
            if is_tensor(value) and not value.dtype.is_float:
                value = tiu.cast(value, type=_types.types["float32"])
            floats.append(value)
        result = _made(dst, floats)
        tiu.fdiv(result, *floats)
        return result if dst is None else None
    return truediv


def _fmul_add(tiu):
    def fmul_add(*args):
        """src0 * src1 + src2, each step rounded."""
        dst, operands = _as_operands("fmul_add", args, 3)
        result = _made(dst, operands)
        product = _made(None, operands)
        tiu.fmul(product, operands[0], operands[1])
        tiu.fadd(result, product, operands[2])
        return result if dst is None else None
    return fmul_add


def _fbias(tiu):
    def fbias(*args, bias):
        """src + bias, one value a channel or a number."""
        dst, operands = _as_operands("fbias", args, 1)
        result = _made(dst, operands)
        tiu.fscale(result, operands[0], scale=1.0, bias=bias)
        return result if dst is None else None
    return fbias


def _scatter_w(tiu):
    def scatter_w(output, param, index, bcast=False, is_param_repeated=False):
        """Scatters along w; with `bcast` each channel has its own list."""
        _call("tiu.scatter_w", {"output": "dst"}, dict(
            output=output, param=param, index=index,
            is_param_repeated=bool(is_param_repeated) if bcast else None))
    return scatter_w


def _zero(tiu):
    def zero(input):
        """Sets a tensor to 0."""
        tiu.fill(input, 0)
    return zero


def _cast(tiu):
    catalog = tiu.cast

    def cast(*args, type=None, mode=_types.round_mode.RM_HALF_TO_EVEN):
        """cast(src, type, mode) returns src as another type, cast(dst, src,
        type, mode) writes it to dst; of a number it is the number."""
        if not args or not (is_tensor(args[0])
                            or isinstance(args[0], (int, float))):
            raise _recorder.PplTypeError(
                f"pl.tiu.cast of {args[0] if args else 'nothing'!r}; give a "
                "tensor" + (_tensor.hint(args[0]) if args else ""))
        count = 2 if len(args) > 1 and is_tensor(args[1]) else 1
        for value in args[count:]:
            if isinstance(value, _types.dtype) or (
                    type is None and not isinstance(value, int)):
                type = value
            else:
                mode = value
        kind = None if type is None else _types.get_scalar_dtype(type)
        if kind is not None and kind.bits == 0:
            kind = None  # pl.void: as dst
        if not is_tensor(args[0]):
            return _cast_number(args[0], kind, mode)
        if count == 2:
            if kind is not None and kind != args[0].dtype:
                raise _error(f"pl.tiu.cast: type is {kind!r}, dst has "
                             f"{args[0].dtype!r}; leave type out")
            return catalog(*args[:2], mode=mode)
        if kind is None:
            raise _recorder.PplTypeError(
                "pl.tiu.cast without dst needs a type: "
                "pl.tiu.cast(x, type=pl.float16)")
        return catalog(args[0], mode=mode, type=kind)
    return cast


def _cast_number(value, kind, mode):
    """A number as it is after a cast."""
    if kind is None or kind.is_float:
        return float(value)
    low = math.floor(value)
    rest = value - low
    up = {"RM_HALF_TO_EVEN": rest > 0.5 or rest == 0.5 and low % 2,
          "RM_HALF_AWAY_FROM_ZERO": rest > 0.5 or rest == 0.5 and value > 0,
          "RM_TOWARDS_ZERO": value < 0 and rest > 0, "RM_DOWN": False,
          "RM_UP": rest > 0, "RM_HALF_UP": rest >= 0.5,
          "RM_HALF_DOWN": rest > 0.5}[_types.round_mode(mode).name]
    return low + bool(up)


def _sub_abs(tiu):
    def sub_abs(*args):
        """|src0 - src1|; of integers the larger less the smaller."""
        dst, operands = _as_operands("sub_abs", args, 2)
        first = next((each for each in operands if is_tensor(each)), None)
        if first is None or first.dtype.is_float:
            return tiu.fsub_abs(*args)
        result = _made(dst, operands)
        tiu.sub(result, tiu.max(*operands), tiu.min(*operands))
        return result if dst is None else None
    return sub_abs


def _pool_min(tiu):
    catalog = tiu.pool_min

    def pool_min(*args, **kwargs):
        """The least of each window. Chips whose pooling unit has no minimum
        take the maximum of the complements: of -x, of integers of ~x."""
        form, values, makes = catalog._choose(args, kwargs)
        if makes or _recorder.active().target in form.row["chips"]:
            return catalog(*args, **kwargs)
        dst, src = values.pop("dst"), values.pop("src")
        complement = (lambda x: tiu.fmul(x, -1.0)) if src.dtype.is_float \
            else tiu.bitwise_not
        largest = _tensor.make_tensor(dst.shape, dst.dtype)
        tiu.pool_max(largest, complement(src), **values)
        tiu.move(dst, complement(largest))
        return None
    return pool_min


def _operators(tiu):
    """Arithmetic of tensors."""
    def by_type(integer, real):
        def apply(self, other):
            is_float = self.dtype.is_float or isinstance(other, float)
            return getattr(tiu, real if is_float else integer)(self, other)
        return apply

    def reflected(integer, real):
        def apply(self, other):
            is_float = self.dtype.is_float or isinstance(other, float)
            return getattr(tiu, real if is_float else integer)(other, self)
        return apply

    def in_place(name):
        def apply(self, other):
            is_float = self.dtype.is_float
            if not is_float and isinstance(other, float):
                raise _recorder.PplTypeError(
                    f"{other} in place on {self!r}, which has integers; write "
                    "y = x + .. for a result of floats")
            getattr(tiu, name[is_float])(self, self, other)
            self.__dict__["_is_written"] = True
            return self
        return apply

    tensor.__iadd__ = in_place(("add", "fadd"))
    tensor.__isub__ = in_place(("sub", "fsub"))
    tensor.__imul__ = in_place(("mul", "fmul"))
    tensor.__itruediv__ = in_place(("fdiv", "fdiv"))
    tensor.__iand__ = in_place(("bitwise_and",) * 2)
    tensor.__ior__ = in_place(("bitwise_or",) * 2)
    tensor.__ixor__ = in_place(("bitwise_xor",) * 2)
    tensor.__neg__ = lambda self: (
        tiu.fmul(self, -1.0) if self.dtype.is_float else tiu.sub(0, self))
    tensor.__pos__ = lambda self: self
    tensor.__abs__ = lambda self: tiu.abs(self)
    tensor.__add__ = tensor.__radd__ = by_type("add", "fadd")
    tensor.__mul__ = tensor.__rmul__ = by_type("mul", "fmul")
    tensor.__sub__ = by_type("sub", "fsub")
    tensor.__rsub__ = reflected("sub", "fsub")
    tensor.__truediv__ = lambda self, other: tiu.truediv(self, other)
    tensor.__rtruediv__ = lambda self, other: tiu.truediv(other, self)
    tensor.__and__ = tensor.__rand__ = lambda a, b: tiu.bitwise_and(a, b)
    tensor.__or__ = tensor.__ror__ = lambda a, b: tiu.bitwise_or(a, b)
    tensor.__xor__ = tensor.__rxor__ = lambda a, b: tiu.bitwise_xor(a, b)
    tensor.__invert__ = lambda a: tiu.bitwise_not(a)


def extend(tiu):
    for make in (_fconv, _conv, _deconv, _dw_conv, _fmm2, _mm2, _truediv,
                 _fmul_add, _fbias, _scatter_w, _zero, _cast, _sub_abs,
                 _pool_min):
        function = make(tiu)
        name = function.__name__
        setattr(tiu, name, public(function, f"pl.tiu.{name}"))
    tiu.fma, tiu.dot = tiu.fmul_add, tiu.fmm2
    tiu.minimum, tiu.maximum = tiu.min, tiu.max
    _operators(tiu)

//===- TiuConv.td - TIU convolution and pooling -------------*- tablegen -*-===//

include "dialects/ppl/PplBase.td"

// Attributes of a sliding window. pads are [top, bottom, left, right].
class Ppl_WindowOp<string mnemonic, dag more, list<Trait> traits = []> : Ppl_Op<"bdc." # mnemonic, traits> {
  dag window = (ins DenseI64ArrayAttr:$kernel, DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$strides,
                    DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0, 0, 0}">:$pads,
                    DefaultValuedAttr<DenseI64ArrayAttr, "{1, 1}">:$dilations,
                    DefaultValuedAttr<DenseI64ArrayAttr, "{0, 0}">:$insertions,
                    DefaultValuedAttr<Ppl_PadMode, "PadMode::Constant">:$pad_mode);
  string windowFormat = [{
    `kernel` $kernel (`strides` $strides^)? (`pads` $pads^)? (`dilations` $dilations^)? (`insertions` $insertions^)? (`pad_mode` $pad_mode^)?
  }];
  string windowConstraints = [{
    (W1) kernel [kh, kw] 1..65535, strides 1..15, pads [top, bottom, left, right] 0..15, dilations 1..15, insertions (zeros between input
    samples) 0..14. (W2) the output size is `(in + (in-1)*insertion + pads - ((k-1)*dilation + 1)) / stride + 1`. (W3) n of input and output agree. (W4) dst is aligned.
  }];
  let arguments = !con(more, window);
}

def Ppl_FConvOp : Ppl_WindowOp<"fconv", (ins Ppl_Local:$dst, Ppl_Local:$input, Ppl_LocalOrScalar:$filter,
    Optional<Ppl_Local>:$bias, UnitAttr:$accumulate, UnitAttr:$rotate)> {
  let summary = "float convolution (PPL fconv)";
  let description = [{
    **Semantics**: `dst(n,o,y,x) = bias(o) + sum_{i,p,q} input(n,i, y*sy + p*dy - top, x*sx + q*dx - left) * filter(o,i,p,q)`, outside 0; `accumulate` adds
    the old dst (as term 1); `rotate` turns the kernel by 180 degrees. f32: two interleaved accumulators; f16, bf16: blocks of 32 channels (isa section 7). The filter lies packed:
    `!ppl.tensor<1 x oc x ceil(ic/P)*kh*kw x P, local, compact>`, P = 1 (f32: `1 x oc x ic x kh*kw` is the same bytes) or 32 (f16, bf16), zeros beyond ic.

    **Constraints**: (C1) input and filter have one float type; dst has it or f32. (C2) the filter holds oc rows of ceil(ic/P)*P*kh*kw elements, compact. (C3) bias is f32, 1xOCx1x1
    compact. (C4) the input is aligned, or strided with strides below 65536. (C5) filter and bias start in the lane of dst; the input starts in lane 0 unless
    it is f32 (checked by codegen/encode). (C6) a scalar filter is f32. }] # windowConstraints # [{
    **Example**:
    `ppl.bdc.fconv %y, %x, %w bias(%b) kernel [3, 3] strides [2, 2] pads [1, 1, 1, 1] : !y, !x, !w, !b`
  }];
  let assemblyFormat = "$dst `,` $input `,` $filter (`bias` `(` $bias^ `)`)?" # windowFormat # "(`accumulate` $accumulate^)? (`rotate` $rotate^)? attr-dict `:` type(operands)";
}

def Ppl_ConvOp : Ppl_WindowOp<"conv", (ins Ppl_Local:$dst, Ppl_Local:$input, Ppl_LocalOrScalar:$filter,
    Optional<Ppl_LocalOrScalar>:$kernel_zero_point, DefaultValuedAttr<SI32Attr, "0">:$pad_value, UnitAttr:$accumulate, UnitAttr:$rotate)> {
  let summary = "int8 convolution with a wide result (PPL conv, asymmetric form)";
  let description = [{
    **Semantics**: `dst = sum input * (filter - kernel_zero_point(o))`, exact in 32 bits, saturated to dst; outside the input `pad_value`. No bias: add it with `ppl.bdc.int add`
    and a channel operand. The filter lies packed as `1 x oc x ceil(ic/64)*kh*kw x 64` compact.

    **Constraints**: (C1) input and filter are si8 or ui8; dst is an integer of 8, 16 or 32 bits. (C2) the filter holds oc rows of ceil(ic/64)*64*kh*kw elements, compact. (C3) the zero point
    is a scalar or 1xOCx1x1 compact of the filter's type. (C4) the input is aligned, or strided with strides below 65536. (C5) as fconv: lanes. (C6) pad_value fits
    the input's type. (C7) accumulate needs a dst of 32 bits. }] # windowConstraints # [{
    **Example**: `ppl.bdc.conv %y, %x, %w kernel [3, 3] pads [1, 1, 1, 1] : !y32, !x8, !w8`
  }];
  let assemblyFormat = "$dst `,` $input `,` $filter (`kernel_zero_point` `(` $kernel_zero_point^ `)`)?" # windowFormat # "(`pad_value` $pad_value^)? (`accumulate` $accumulate^)? (`rotate` $rotate^)? attr-dict `:` type(operands)";
}

def Ppl_ConvRqOp : Ppl_WindowOp<"conv_rq", (ins Ppl_Local:$dst, Ppl_Local:$input, Ppl_LocalOrScalar:$filter,
    Optional<Ppl_Local>:$bias, I32Attr:$rshift, DefaultValuedAttr<SI32Attr, "0">:$pad_value, UnitAttr:$relu, UnitAttr:$rotate)> {
  let summary = "int8 convolution with one right shift for all channels (PPL conv, symmetric form)";
  let description = [{
    **Semantics**: `dst = sat((sum input * filter + bias(o)) >> rshift)`, half up; with `relu` clipped at 0 (unsigned range).

    **Constraints**: (C1) input, filter, dst are si8 or ui8; dst is ui8 exactly with relu. (C2) filter as `ppl.bdc.conv`. (C3) bias is si16 or ui16, 1xOCx1x1 compact. (C4) as conv. (C5) as
    conv. (C6) rshift is 0..31. }] # windowConstraints # [{
    **Example**: `ppl.bdc.conv_rq %y, %x, %w bias(%b) kernel [1, 1] rshift 7 relu : !y8, !x8, !w8, !b16`
  }];
  let assemblyFormat = "$dst `,` $input `,` $filter (`bias` `(` $bias^ `)`)?" # windowFormat # "`rshift` $rshift (`pad_value` $pad_value^)? (`relu` $relu^)? (`rotate` $rotate^)? attr-dict `:` type(operands)";
}

def Ppl_DepthwiseOp : Ppl_WindowOp<"depthwise", (ins Ppl_Local:$dst, Ppl_Local:$input, Ppl_LocalOrScalar:$filter,
    Optional<Ppl_Local>:$bias, DefaultValuedAttr<I32Attr, "0">:$rshift, DefaultValuedAttr<Ppl_Rounding, "Rounding::HalfUp">:$rounding,
    DefaultValuedAttr<SI32Attr, "0">:$pad_value, UnitAttr:$relu, UnitAttr:$rotate)> {
  let summary = "depthwise convolution (PPL fdw_conv, dw_conv)";
  let description = [{
    **Semantics**: `dst(n,c,y,x) = bias(c) + sum_{p,q} input(n,c, ..) * filter(c,p,q)`; integers: `(acc >> rshift)` rounded by `rounding`, saturated to dst; `relu` clips at 0 before saturation.
    Outside the input `pad_value` (0 for floats).

    **Constraints**: (C1) float: dst, input, filter, bias have one type; int8: input and filter are 8 bit, bias is si32 or ui32, dst any integer. (C2) filter is 1xCxkhxkw compact or a scalar, bias
    1xCx1x1 compact, all with the channels of dst. (C3) dst and input are aligned. (C4) rshift 0..31, 0 for floats. }] # windowConstraints # [{
    **Example**: `ppl.bdc.depthwise %y, %x, %w bias(%b) kernel [3, 3] pads [1, 1, 1, 1] : !y, !x, !w, !b`
  }];
  let assemblyFormat = "$dst `,` $input `,` $filter (`bias` `(` $bias^ `)`)?" # windowFormat # "(`rshift` $rshift^)? (`rounding` $rounding^)? (`pad_value` $pad_value^)? (`relu` $relu^)? (`rotate` $rotate^)? attr-dict `:` type(operands)";
}

def Ppl_PoolKind : Ppl_Enum<"PoolKind", "pooling", [I32EnumAttrCase<"Max", 0, "max">, I32EnumAttrCase<"Avg", 1, "avg">]>;

def Ppl_PoolOp : Ppl_WindowOp<"pool", (ins Ppl_PoolKind:$kind, Ppl_Local:$dst, Ppl_Local:$input,
    DefaultValuedAttr<F32Attr, "1.0f">:$scale, DefaultValuedAttr<I32Attr, "1">:$multiplier, DefaultValuedAttr<I32Attr, "0">:$rshift)> {
  let summary = "max and average pooling (PPL fpool_max, fpool_avg, pool_max, pool_avg)";
  let description = [{
    **Semantics**: `max`: the largest value of the window; outside the input the smallest value of the type. `avg`, float: sum of `x * scale`, two interleaved accumulators; int8:
    `sat((multiplier * sum x) >> rshift)`, half up; outside the input 0.

    **Constraints**: (C1) float: one type; int8: input 8 bit, dst of that sign, 8 bit for max, 8 to 32 bit for avg. (C2) dst and input are aligned with the same channels. (C3) multiplier is
    0..255, rshift 0..31; both are 1 and 0 for floats and max; scale is 1 for integers and max. (C4) insertions are 0. }] # windowConstraints # [{
    **Example**: `ppl.bdc.pool avg %y, %x kernel [2, 2] strides [2, 2] scale 0.25 : !y, !x`
  }];
  let assemblyFormat = "$kind $dst `,` $input" # windowFormat # "(`scale` $scale^)? (`multiplier` $multiplier^)? (`rshift` $rshift^)? attr-dict `:` type(operands)";
}

//===- Conv.td - tpu ops of the Conv family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_ConvOp : Tpu_Op<"conv", [Pure, Tpu_Evaluate,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["isPackedOperand", "readsStrided", "computedBox", "inputNeed", "recipes", "readsFirstLane", "runsInAnyLane", "differsByChannel"]>]> {
  let summary = "2-D convolution, float or int8; covers groups, depthwise and fully connected";
  let description = [{
    **Semantics**: with `g = oc / (OC / group)` (`interleaved`: `g = oc mod group`), the accumulator
    `acc(n,oc,y,x) = sum_{ic,p,q} input(n, g*IC/group + ic, y*sh + p*dh - top, x*sw + q*dw - left) * filter(oc,ic,p,q)`,
    outside the input the number 0, which in codes is the input's zero point Z. The codes themselves are multiplied: what Z adds
    to each sum, `Z * sum filter(oc,..)`, is the same everywhere, so the bias takes it away. With `filter_zero_points` the filter is
    `filter(oc,..) - filter_zero_points[oc]`: weights of 9 bits whose range fits a byte.
    * float (input, filter, bias, result of one 16-bit type, or all f32; a 16-bit input may have an f32 result):
      bias f32; `y = acc + bias`, then `max(y, 0)` with `relu`, accumulated in f32 and rounded once to the result type.
      With `narrow_sums`, of a depthwise one in f16 whose bias and result are f16 too, every step rounds to it as the depthwise unit does: the products in
      the order p, q go in turn to two sums, which begin with 0 and the bias and are added at the end; outside the input a product is 0.
    * int8 (input !quant, filter i8; acc exact in int32, its sum with an i32 bias wraps), by the attributes present:
      - `multipliers`, `rshifts` (rq1; bias i32, result !quant):
        `y = sat(round((acc + bias) * multipliers[oc] >> rshifts[oc]) + zero point of the result)`, rounded by `rounding`;
      - `scales`, result !quant (rq0; bias f32, with the zero point of the result in it):
        `y = sat(rint(f32(f32(f32(acc) * scales[oc]) + bias)))`, half to even;
      - `scales`, result !quant, bias i32 (rq0 to 16 bits, then a sum): `y = sat(rint(f32(f32(acc + bias) * scales[oc])) + Z)`, Z the zero
        point of the result, half to even: rounded before the zero point is added, as ONNX's quantized operators do;
      - `scales`, result float (bias f32): `y = f32(f32(f32(acc) * scales[oc]) + bias)`, `relu`, then rounded to the
        result type. `f32(acc)` rounds half to even.
      `relu` with a !quant result is the clip at 0 of the unsigned range.
    Recipes may multiply elements of other groups by 0: of these, one that is infinite or NaN makes a sum NaN, and which are read depends on the recipe.
    The recipes `row_tiles_*`, which passes choose for f32, add up neighbouring rows of the input first: an infinity or NaN in one of them makes every row of
    the tile NaN, and errors are relative to the largest of six neighbouring rows.
    With `exact_sums` the floats are whole numbers whose sums f32 holds; recipes that round on the way are not taken.

    **Constraints**: (C1) `input.c = filter.ic * group`, `group` divides `oc`; (C2) strides, dilations have 2 positive
    values, pads 4 (top, left, bottom, right) non-negative ones; (C3) the result is (n, oc, oh, ow) with
    `oh = (h + top + bottom - ((kh-1)*dh+1)) / sh + 1`; (C4) bias is 1xocx1x1; (C5) element types as listed above;
    (C6) int8 has either `scales` or both `multipliers` and `rshifts`, one value an output channel, rshifts in [0, 63]; float has
    none; (C7) `relu` with a !quant result needs an unsigned one with zero point 0;
    (C8) what is `interleaved` has several groups and is not depthwise; (C9) `filter_zero_points` has one number of 8 bits for each output
    channel, of an int8 form with one group; (C10) `narrow_sums` is of a depthwise float form with f16 throughout.

    **Example**:
    ```mlir
    %y = tpu.conv %x, %w, %b strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] group 1 {scales = array<f32: 1.0, 1.0>}
        : tensor<1x3x8x8x!quant.uniform<i8:f32, 0.01>>, tensor<2x3x3x3xi8>, tensor<1x2x1x1xf32> -> tensor<1x2x4x4xf16>
    ```
  }];
  let arguments = (ins Tpu_ActivationTensor:$input, 4DTensorOf<[F32, F16, BF16, I8]>:$filter,
                       Optional<4DTensorOf<[F32, F16, I32]>>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                       DenseI64ArrayAttr:$dilations, I64Attr:$group, UnitAttr:$interleaved, UnitAttr:$relu, UnitAttr:$narrow_sums, UnitAttr:$exact_sums,
                       OptionalAttr<DenseI32ArrayAttr>:$multipliers,
                       OptionalAttr<DenseI32ArrayAttr>:$rshifts,
                       OptionalAttr<DenseF32ArrayAttr>:$scales,
                       OptionalAttr<DenseI32ArrayAttr>:$filter_zero_points,
                       DefaultValuedAttr<Tpu_Rounding, "::weft::tpu::Rounding::HalfUp">:$rounding);
  let results = (outs Tpu_ActivationTensor:$output);
  let assemblyFormat = [{
    $input `,` $filter (`,` $bias^)? `strides` $strides `pads` $pads `dilations` $dilations `group` $group attr-dict
    `:` type($input) `,` type($filter) (`,` type($bias)^)? `->` type($output)
  }];
  let extraClassDeclaration = [{
    /// True if every channel has its own filter (group == input channels == output channels).
    bool isDepthwise();
    /// Rounded before the zero point of the result is added: i32 bias, scales.
    bool isRoundedFirst();
    /// The group of output channel `channel`.
    int64_t groupOf(int64_t channel);
  }];
  let hasVerifier = 1;
}

def Tpu_UnfoldOp : Tpu_Op<"unfold", [Pure, Tpu_Evaluate,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["computedBox", "inputNeed", "recipes"]>]> {
  let summary = "elements of sliding windows as channels (im2col)";
  let description = [{
    **Semantics**: `y(n, (c*kh + p)*kw + q, y, x) = input(n, c, y*sh + p*dh - top, x*sw + q*dw - left)`, outside the input the number 0 (of codes the zero point). A 1x1 convolution of these
    channels does the work of one with the window `kernel`. A float is the sum of its window with weight 1 for the element and 0 for the others: -0
    becomes 0, and another element that is infinite or NaN makes it NaN, where the products of the convolution would not be finite either.

    **Constraints**: (C1) kernel, strides and dilations have 2 positive values, pads 4 (top, left, bottom, right) non-negative ones; (C2) the result is
    (n, c*kh*kw, oh, ow) by the window formula; (C3) element f32, f16, bf16 or of 8 bits, the same on both sides.

    **Example**:
    ```mlir
    %y = tpu.unfold %x kernel [7, 1] strides [2, 1] pads [3, 0, 3, 0] dilations [1, 1] : tensor<1x3x24x96xf16> -> tensor<1x21x12x96xf16>
    ```
  }];
  let arguments = (ins Tpu_ActivationTensor:$input, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides,
                       DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations);
  let results = (outs Tpu_ActivationTensor:$output);
  let assemblyFormat = [{
    $input `kernel` $kernel `strides` $strides `pads` $pads `dilations` $dilations attr-dict `:` type($input) `->` type($output)
  }];
  let hasVerifier = 1;
}

//===- Reduce.td - tpu ops of the Reduce family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_ReducedTensor : 4DTensorOf<[F32, F16, BF16, I8, I16, I32, UI8, UI16, UI32]>;

/// Axes along which a lane sees all elements.
def Tpu_InLaneAxis : ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<3>]>;

def Tpu_ReduceOp : Tpu_Op<"reduce", [Pure, Tpu_Evaluate,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["readsStrided", "inputNeed", "recipes"]>]> {
  let summary = "sum, product, maximum or minimum along one axis";
  let description = [{
    **Semantics**: halves of the axis are combined element by element until one is left, so a float sum of n values takes about log2(n) roundings. Integers wrap.

    **Constraints**: (C1) `axis` is 0, 2 or 3 (n, h or w: channels lie in different lanes); (C2) the result has the shape of the input with 1 on that axis and its
    element type; (C3) sums and products of floats are f32.

    **Example**:
    ```mlir
    %y = tpu.reduce sum %x axis 3 : tensor<1x8x1x100xf32> -> tensor<1x8x1x1xf32>
    ```
  }];
  let arguments = (ins Tpu_ReduceKind:$kind, Tpu_ReducedTensor:$input, Tpu_InLaneAxis:$axis);
  let results = (outs Tpu_ReducedTensor:$output);
  let assemblyFormat = "$kind $input `axis` $axis attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_ChannelSumOp : Tpu_Op<"channel_sum", [Pure, Tpu_Evaluate,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["inputNeed", "recipes"]>]> {
  let summary = "sum over the channels of each pixel";
  let description = [{
    **Semantics**: `y(n,0,h,w) = sum_c x(n,c,h,w)`, a convolution with ones: channels lie in different lanes. Terms of 16 bits take an eighth of the time of others. With
    `terms` an x of f32 counts as the nearest bf16 (1) or as that and the bf16 nearest to what it leaves (2), which have 8 or 16 of its 24 digits; with 2 an infinity becomes NaN.

    **Constraints**: (C1) the result has one channel, else the shape of the input; (C2) `terms` is 1 or 2, of an input that is f32.

    **Example**:
    ```mlir
    %y = tpu.channel_sum %x : tensor<1x96x56x56xf32> -> tensor<1x1x56x56xf32>
    ```
  }];
  let arguments = (ins 4DTensorOf<[F32, F16, BF16]>:$input, OptionalAttr<I64Attr>:$terms);
  let results = (outs 4DTensorOf<[F32]>:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_ArgReduceOp : Tpu_Op<"arg_reduce", [Pure, Tpu_Evaluate,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["isPackedOperand", "inputNeed", "recipes"]>]> {
  let summary = "index of the largest or smallest value along one axis";
  let description = [{
    **Semantics**: `y = ranks-coded index`: with m the maximum (minimum) along `axis` and `codes` one number for each index, the largest code among the places that m is not beyond (those where x equals m; of lines without a NaN); the index is
    `size - code` for the first and, with `last`, `code - 1` for the last place. `codes` is therefore size .. 1, with `last` 1 .. size.
    With `over_lanes` a line is all of c and w of an image, in this order, and `codes` those of its last channel, with `last` of its first.

    **Constraints**: (C1) `axis` is 0, 2 or 3; (C2) `kind` is max or min; (C3) the result is i32 and has the shape of the input with 1 on that axis; (C4) x is f32 and codes too, or
    both are i32; (C5) `codes` is a weight, 1x1x1x1 but for the axis, of the axis' size; lines have at most 2^24 elements. (C6) With `over_lanes` `axis` is 3 and h is 1, and the result
    has one channel.

    **Example**:
    ```mlir
    %y = tpu.arg_reduce max %x, %codes axis 3 : tensor<1x8x1x3xf32>, tensor<1x1x1x3xf32> -> tensor<1x8x1x1xi32>
    ```
  }];
  let arguments = (ins Tpu_ReduceKind:$kind, 4DTensorOf<[F32, I32]>:$input, 4DTensorOf<[F32, I32]>:$codes, Tpu_InLaneAxis:$axis, UnitAttr:$last, UnitAttr:$over_lanes);
  let results = (outs 4DTensorOf<[I32]>:$output);
  let assemblyFormat = "$kind $input `,` $codes `axis` $axis attr-dict `:` type($input) `,` type($codes) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_CumulativeOp : Tpu_Op<"cumulative", [Pure, Tpu_Evaluate, SameOperandsAndResultType,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["computedBox", "readsStrided", "recipes"]>]> {
  let summary = "running sum or product along one axis";
  let description = [{
    **Semantics**: `y(i) = x(0) + .. + x(i)` along `axis` (times for products); with `exclusive` without x(i), with `reverse` from the end. Computed in log2(size) steps: step s adds what lies
    2^s places before. Integers wrap.

    **Constraints**: (C1) `axis` is 0, 2 or 3; (C2) `kind` is sum or prod; (C3) input and result have one type: f32, i32 or ui32.

    **Example**:
    ```mlir
    %y = tpu.cumulative sum %x axis 3 {exclusive} : tensor<1x8x1x100xf32>
    ```
  }];
  let arguments = (ins Tpu_ReduceKind:$kind, 4DTensorOf<[F32, I32, UI32]>:$input, Tpu_InLaneAxis:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs 4DTensorOf<[F32, I32, UI32]>:$output);
  let assemblyFormat = "$kind $input `axis` $axis attr-dict `:` type($output)";
  let hasVerifier = 1;
}

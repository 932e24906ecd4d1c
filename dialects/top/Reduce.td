//===- Reduce.td - top ops of the Reduce family ------------------*- tablegen -*-===//

include "dialects/top/TopAttrs.td"

def Top_ReduceOp : Top_InferredOp<"reduce"> {
  let summary = "sum, product, maximum or minimum along axes";
  let description = [{
    **Semantics.** `output` has at each place the sum, product, maximum or minimum of the values of `input` along `axes`; the reduced axes become 1 with `keepdims` and
    vanish without. Of no values: 0, 1, -inf (integers: the smallest, bool: false), +inf (the largest, true). Floats are computed in f64 and rounded once, a NaN makes a
    maximum or minimum NaN; integers wrap.

    **Constraints.**
    * (C1) `axes` are in 0 .. rank-1, in ascending order, without repetition.
    * (C2) Bools have no sum and no product.

    **Example.**
    ```mlir
    %1 = top.reduce sum %0 {axes = array<i64: 1, 3>, keepdims} : tensor<2x3x4x5xf32> -> tensor<2x1x4x1xf32>
    ```
  }];
  let arguments = (ins Top_ReduceKindAttr:$kind, Top_Tensor:$input, DenseI64ArrayAttr:$axes, UnitAttr:$keepdims);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$kind $input attr-dict `:` type($input) `->` type($output)";
}

def Top_ArgReduceOp : Top_InferredOp<"arg_reduce"> {
  let summary = "index of the largest or smallest value along an axis";
  let description = [{
    **Semantics.** `output` has at each place the index along `axis` of the maximum or minimum of `input`: of the first one, or with `last` of the last one. The first NaN
    counts as the extreme. The axis becomes 1 with `keepdims` and vanishes without.

    **Constraints.**
    * (C1) `axis` is in 0 .. rank-1 and has at least one element.
    * (C2) `kind` is max or min.

    **Example.**
    ```mlir
    %1 = top.arg_reduce max %0 axis 1 {keepdims} : tensor<2x3xf32> -> tensor<2x1xi64>
    ```
  }];
  let arguments = (ins Top_ReduceKindAttr:$kind, Top_Tensor:$input, I64Attr:$axis, UnitAttr:$keepdims, UnitAttr:$last);
  let results = (outs StaticShapeTensorOf<[I64]>:$output);
  let assemblyFormat = "$kind $input `axis` $axis attr-dict `:` type($input) `->` type($output)";
}

def Top_CumulativeOp : Top_InferredOp<"cumulative"> {
  let summary = "running sum or product along an axis";
  let description = [{
    **Semantics.** `output[.., i, ..]` is the sum or product of `input[.., 0 .. i, ..]` along `axis`; with `exclusive` without element i, with `reverse` from the end. Floats
    are computed in f64 and rounded once, integers wrap.

    **Constraints.**
    * (C1) `axis` is in 0 .. rank-1.
    * (C2) `kind` is sum or prod.

    **Example.**
    ```mlir
    %1 = top.cumulative sum %0 axis 1 {exclusive} : tensor<2x3xf32> -> tensor<2x3xf32>
    ```
  }];
  let arguments = (ins Top_ReduceKindAttr:$kind, Top_Tensor:$input, I64Attr:$axis, UnitAttr:$exclusive, UnitAttr:$reverse);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$kind $input `axis` $axis attr-dict `:` type($input) `->` type($output)";
}

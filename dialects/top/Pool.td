//===- Pool.td - top ops of the Pool family ------------------*- tablegen -*-===//

include "dialects/top/TopAttrs.td"

def Top_PoolOp : Top_InferredEvaluatedOp<"pool"> {
  let summary = "maximum or average over a window";
  let description = [{
    **Semantics.** `output[n,c,y,x]` is the maximum (`max`) or the mean (`avg`) of `input[n,c,..]` over the window that starts at
    `y*strides[0] - pads[0]`, `x*strides[1] - pads[1]` and has the size `kernel`. Cells outside the input never win a maximum; in a mean they count as zeros with
    `count_include_pad` and do not count without. A NaN in a window of `max` makes the result NaN. Means are summed in f64 and rounded once. Global pooling is a window over the whole input.

    **Constraints.** S is the number of spatial axes.
    * (C1) `input` is N,C,spatial.. of rank S + 2 with S in 1..3.
    * (C2) `kernel` and `strides` have S values >= 1; `pads` has 2*S values >= 0, each smaller than its kernel size.
    * (C3) The kernel fits into the padded input on every axis; output axis s has `(in + pads[s] + pads[S+s] - kernel[s]) / strides[s] + 1` values.
    * (C4) Every window holds at least one input cell.

    **Example.**
    ```mlir
    %1 = top.pool max %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>}
       : tensor<1x200x6x6xf32> -> tensor<1x200x3x3xf32>
    ```
  }];
  let arguments = (ins Top_PoolKindAttr:$kind, Top_FloatTensor:$input, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, UnitAttr:$count_include_pad);
  let results = (outs Top_FloatTensor:$output);
  let assemblyFormat = "$kind $input attr-dict `:` type($input) `->` type($output)";
}

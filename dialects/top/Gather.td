//===- Gather.td - top ops of the Gather family --------------*- tablegen -*-===//

include "dialects/top/TopBase.td"

def Top_GatherOp : Top_InferredOp<"gather"> {
  let summary = "the rows of tables that lists name";
  let description = [{
    B tables of R rows of W values, and a list of K row numbers for each table, or one for all.

    **Semantics.** With `i = indices[b, k]` (`indices[0, k]` if there is one list): `output[b, k, w] = table[b, i, w]` if
    0 <= i < R, else 0.

    **Constraints.**
    * (C1) `table` is B x R x W, `indices` is B x K or 1 x K and of integers; `output` is B x K x W.

    **Example.**
    ```mlir
    %2 = top.gather %0, %1 : tensor<1x9x8xf32>, tensor<1x5xi64> -> tensor<1x5x8xf32>
    ```
  }];
  let arguments = (ins Top_Tensor:$table, Top_Tensor:$indices);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$table `,` $indices attr-dict `:` type($table) `,` type($indices) `->` type($output)";
}

def Top_ScatterOp : Top_InferredOp<"scatter"> {
  let summary = "tables with the rows replaced that lists name";
  let description = [{
    B tables of R rows of W values, a list of K row numbers for each table or one for all, and K new rows for each.

    **Semantics.** `output` is `base`; then for k = 0, 1, ..: with `i = indices[b, k]` (`indices[0, k]` if there is one list), if
    0 <= i < R: `output[b, i, w] = f(output[b, i, w], updates[b, k, w])`, where `reduction` says what f(x, u) is: `none` u, `add`
    x + u, `mul` x * u, `min` and `max`.

    **Constraints.**
    * (C1) `base` is B x R x W, `indices` is B x K or 1 x K and of integers, `updates` is B x K x W.
    * (C2) `base` and `updates` have one element type.
    * (C3) `reduction` is none, add, mul, min or max.

    **Example.**
    ```mlir
    %3 = top.scatter %0, %1, %2 {reduction = "add"} : tensor<1x9x8xf32>, tensor<1x5xi64>, tensor<1x5x8xf32> -> tensor<1x9x8xf32>
    ```
  }];
  let arguments = (ins Top_Tensor:$base, Top_Tensor:$indices, Top_Tensor:$updates, StrAttr:$reduction);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$base `,` $indices `,` $updates attr-dict `:` type($base) `,` type($indices) `,` type($updates) `->` type($output)";
}

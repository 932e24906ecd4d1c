//===- Select.td - top ops of the Select family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"

def Top_SelectOp : Top_InferredOp<"select"> {
  let summary = "elements of one of two tensors by a condition";
  let description = [{
    **Semantics** (ONNX Where): `output(i) = condition(i) ? on_true(i) : on_false(i)`, with numpy broadcasting of all three.

    **Constraints.**
    * (C1) `condition` has elements of type i1.
    * (C2) `on_true` and `on_false` have one element type.
    * (C3) Aligned axes have the same size or size 1.
    * (C4) `output` has the broadcast shape and that element type.

    **Example.**
    ```mlir
    %3 = top.select %c, %a, %b : tensor<4x1xi1>, tensor<4x8xf32>, tensor<f32>
    ```
  }];
  let arguments = (ins Top_Tensor:$condition, Top_Tensor:$on_true, Top_Tensor:$on_false);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$condition `,` $on_true `,` $on_false attr-dict `:` type($condition) `,` type($on_true) `,` type($on_false)";
  let hasFolder = 1;
}

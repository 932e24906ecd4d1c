//===- Softmax.td - top ops of the Softmax family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"

def Top_SoftmaxOp : Top_InferredOp<"softmax"> {
  let summary = "softmax along one axis";
  let description = [{
    **Semantics.** Along `axis`: `output[i] = exp(input[i] - max) / sum over j of exp(input[j] - max)`, computed in f64 and rounded once.

    **Constraints.**
    * (C1) `axis` is in [0, rank).

    **Example.**
    ```mlir
    %1 = top.softmax %0 {axis = 1 : i64} : tensor<1x2xf32> -> tensor<1x2xf32>
    ```
  }];
  let arguments = (ins Top_FloatTensor:$input, I64Attr:$axis);
  let results = (outs Top_FloatTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
}

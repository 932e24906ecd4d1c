//===- Norm.td - top ops of the Norm family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"

def Top_BatchNormOp : Top_InferredEvaluatedOp<"batch_norm"> {
  let summary = "batch normalization with stored statistics";
  let description = [{
    **Semantics** (ONNX BatchNormalization, inference).
    `output[n,c,..] = (input[n,c,..] - mean[c]) / sqrt(variance[c] + epsilon) * scale[c] + bias[c]`, computed in f64 and rounded once.

    **Constraints.**
    * (C1) `input` has rank >= 2; axis 1 is the channel axis.
    * (C2) `scale`, `bias`, `mean` and `variance` have one axis with the number of channels.
    * (C3) `epsilon` is finite and >= 0.

    **Example.**
    ```mlir
    %1 = top.batch_norm %0, %s, %b, %m, %v {epsilon = 1.0e-5}
       : (tensor<1x8x4x4xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x4x4xf32>
    ```
  }];
  let arguments = (ins Top_FloatTensor:$input, Top_FloatTensor:$scale, Top_FloatTensor:$bias,
                       Top_FloatTensor:$mean, Top_FloatTensor:$variance, F64Attr:$epsilon);
  let results = (outs Top_FloatTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $output)";
}

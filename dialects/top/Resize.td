//===- Resize.td - top ops of the Resize family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"

def Top_InterleaveOp : Top_InferredEvaluatedOp<"interleave"> {
  let summary = "pixels of several images in turn";
  let description = [{
    **Semantics.** With fh, fw = `factors` and k = (y mod fh) * fw + x mod fw: `output[n,c,y,x] = inputs[k][n, c, y / fh, x / fw]`. One input stands for all: then
    every pixel is repeated (resize by whole factors, nearest). With the results of fh * fw convolutions it is their transposed convolution.

    **Constraints.**
    * (C1) `factors` has two values >= 1; there are 1 or fh * fw inputs.
    * (C2) All inputs have one type of rank 4.
    * (C3) The sizes of the result stay below 2^31.

    **Example.**
    ```mlir
    %1 = top.interleave %0 {factors = array<i64: 2, 2>} : (tensor<1x8x4x4xf32>) -> tensor<1x8x8x8xf32>
    ```
  }];
  let arguments = (ins Variadic<Top_Tensor>:$inputs, DenseI64ArrayAttr:$factors);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$inputs attr-dict `:` functional-type($inputs, $output)";
}

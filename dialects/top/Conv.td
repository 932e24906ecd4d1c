//===- Conv.td - top ops of the Conv family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"

def Top_ConvOp : Top_InferredEvaluatedOp<"conv"> {
  let summary = "convolution of 1 to 3 spatial axes, in groups";
  let description = [{
    **Semantics** (two spatial axes; ONNX Conv). With C = filter axis 1, g = oc / (O / group):
    `output[n,oc,y,x] = bias[oc] + sum over c < C, ky, kx of
    input[n, g*C + c, y*strides[0] + ky*dilations[0] - pads[0], x*strides[1] + kx*dilations[1] - pads[1]] * filter[oc,c,ky,kx]`;
    outside the input the value is 0. Products are summed in f64 and rounded once to the element type.

    **Constraints.** S is the number of spatial axes.
    * (C1) `input` is N,C,spatial.. and `filter` O,C/group,kernel.., both of rank S + 2 with S in 1..3.
    * (C2) `strides` and `dilations` have S values >= 1; `pads` has 2*S values >= 0 (all begins, then all ends).
    * (C3) `group` >= 1 divides the input channels and the output channels; filter axis 1 is C / group.
    * (C4) `bias`, if present, has shape O.
    * (C5) Operands and result have one float element type.
    * (C6) The dilated kernel fits into the padded input on every axis; output axis s has
      `(in + pads[s] + pads[S+s] - dilations[s]*(kernel-1) - 1) / strides[s] + 1` values.

    **Example.**
    ```mlir
    %1 = top.conv %0, %w, %b {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64}
       : (tensor<1x3x48x192xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<1x8x24x96xf32>
    ```
  }];
  let arguments = (ins Top_FloatTensor:$input, Top_FloatTensor:$filter, Optional<Top_FloatTensor>:$bias,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations,
                       I64Attr:$group);
  let results = (outs Top_FloatTensor:$output);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, $output)";
}

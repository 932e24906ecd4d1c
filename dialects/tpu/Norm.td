//===- Norm.td - tpu ops of the Norm family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_ScaleOp : Tpu_Op<"scale", [Pure, Tpu_Evaluate, AllTypesMatch<["input", "output"]>, AllTypesMatch<["scale", "bias"]>,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["isPackedOperand", "recipes", "runsInAnyLane"]>]> {
  let summary = "per-channel multiply and add";
  let description = [{
    **Semantics**: `y(n,c,h,w) = T(T(x(n,c,h,w) * scale(c)) + bias(c))`, both steps in the tensor's type T (ISA LIN).
    `relu`: then `max(y, 0)`. A batch normalization that no convolution absorbs becomes this.

    **Constraints**: (C1) scale and bias are 1xcx1x1 of the input's type; (C2) the result has the input's type.

    **Example**:
    ```mlir
    %y = tpu.scale %x, %s, %b : tensor<1x8x24x96xf16>, tensor<1x8x1x1xf16>
    ```
  }];
  let arguments = (ins Tpu_FloatTensor:$input, Tpu_FloatTensor:$scale, Tpu_FloatTensor:$bias,
                       UnitAttr:$relu);
  let results = (outs Tpu_FloatTensor:$output);
  let assemblyFormat = "$input `,` $scale `,` $bias attr-dict `:` type($input) `,` type($scale)";
  let hasVerifier = 1;
}

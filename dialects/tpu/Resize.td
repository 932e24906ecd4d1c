//===- Resize.td - tpu ops of the Resize family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_InterleaveOp : Tpu_Op<"interleave", [Pure, Tpu_Evaluate,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["computedBox", "readsStrided", "inputNeed", "recipes", "runsInAnyLane"]>]> {
  let summary = "pixels of several images in turn";
  let description = [{
    **Semantics**: with fh, fw = `factors` and k = (y mod fh) * fw + x mod fw: `y(n,c,y,x) = inputs[k](n, c, y / fh, x / fw)`; one input stands for all. One
    strided copy inside the lanes for each k.

    **Constraints**: (C1) two factors >= 1, and 1 or fh * fw inputs; (C2) inputs of one type; (C3) the result is n, c, h * fh, w * fw of that element type.

    **Example**:
    ```mlir
    %y = tpu.interleave %x factors [2, 2] : (tensor<1x8x4x6xf16>) -> tensor<1x8x8x12xf16>
    ```
  }];
  let arguments = (ins Variadic<Tpu_CodeTensor>:$inputs, DenseI64ArrayAttr:$factors);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$inputs `factors` $factors attr-dict `:` functional-type($inputs, $output)";
  let hasVerifier = 1;
}

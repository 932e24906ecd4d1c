//===- Softmax.td - tpu ops of the Softmax family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_SoftmaxOp : Tpu_Op<"softmax", [Pure, Tpu_Evaluate, SameOperandsAndResultType,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["computedBox", "localBuffers", "commandCount"]>]> {
  let summary = "softmax along one axis";
  let description = [{
    **Semantics**: `y = e / sum(e)` with `e = exp(x - max(x))`, max and sum along `axis`.

    **Constraints**: (C1) `axis` in [0, 3].

    **Example**:
    ```mlir
    %y = tpu.softmax %x {axis = 1 : i64} : tensor<1x2x1x1xf32>
    ```
  }];
  let arguments = (ins Tpu_FloatTensor:$input,
                       ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<3>]>:$axis);
  let results = (outs Tpu_FloatTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($output)";
}

//===- Constant.td - tpu ops of the Constant family ------------------*-
//tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_WeightOp : Tpu_Op<"weight", [Pure, Tpu_Evaluate, ConstantLike,
                                     AllTypesMatch<["value", "result"]>]> {
  let summary = "a constant in DRAM, in its logical layout";
  let description = [{
    **Semantics**: `result = value`. Filters are (oc, ic/group, kh, kw), biases and per-channel values
    (1, c, 1, 1), look-up tables (1, 1, 1, 256). Packing to lanes happens when commands are emitted.

    **Constraints**: (C1) 4-D with static shape; element f32, f16, bf16, or an integer of 8, 16 or 32 bits.

    **Example**:
    ```mlir
    %w = tpu.weight dense<1> : tensor<8x3x3x3xi8>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs 4DTensorOf<[F32, F16, BF16, I8, I16, I32, UI8, UI16, UI32]>:$result);
  let assemblyFormat = "$value attr-dict";
  let hasFolder = 1;
}

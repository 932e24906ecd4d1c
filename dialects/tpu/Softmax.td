//===- Softmax.td - tpu ops of the Softmax family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_SoftmaxOp : Tpu_Op<"softmax", [Pure, Tpu_Evaluate, SameOperandsAndResultType,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["computedBox", "recipes"]>]> {
  let summary = "softmax along one axis";
  let description = [{
    **Semantics**: `y = e / sum(e)` with `e = exp(x - max(x))`, max and sum along `axis`; with `over_lanes` along all of c and w, a line an image.

    The exponential is within 2 ulp; with `short_steps` (f32) within 2^-18, in half the commands. With `narrow_steps` (f16) every command is one of f16: of
    numbers below 2^-14 of the largest up to all is lost, of others about 2^-9.

    **Constraints**: (C1) `axis` is 0, 2 or 3 (n, h or w: whose elements a lane holds). (C2) `short_steps` is of an f32 tensor, `narrow_steps` of an f16 one. (C3) With `over_lanes` `axis` is 3 and h is 1.

    **Example**:
    ```mlir
    %y = tpu.softmax %x {axis = 3 : i64} : tensor<1x1x1x2xf32>
    ```
  }];
  let arguments = (ins Tpu_FloatTensor:$input,
                       ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<3>]>:$axis, UnitAttr:$short_steps, UnitAttr:$narrow_steps, UnitAttr:$over_lanes);
  let results = (outs Tpu_FloatTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($output)";
  let hasVerifier = 1;
}

//===- Pool.td - tpu ops of the Pool family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_PoolOp : Tpu_Op<"pool", [Pure, Tpu_Evaluate,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["inputNeed", "recipes", "runsInAnyLane"]>]> {
  let summary = "max or average pooling";
  let description = [{
    **Semantics**: over the window at (y*sh - top, x*sw - left) of `kernel` elements: max ignores padding; avg is
    `sum(x * (1 / (kh*kw)))` with padding counted as 0 (`count_include_pad`), each product and sum rounded in the tensor's type. int8 avg:
    `sat(round(sum(x) * multiplier >> rshift))`, half up, 8-bit multiplier.

    **Constraints**: (C1) kernel and strides have 2 positive values, pads 4 (top, left, bottom, right), each smaller than the
    kernel; (C2) the result is (n, c, oh, ow) by the window formula; (C3) max keeps the element type; float avg too; (C4) avg with
    pads needs `count_include_pad`; (C5) int8 avg has `multiplier` in [0, 255] and `rshift` in [0, 31], others have none;
    (C6) int8 avg has zero points 0; (C7) the result of int8 avg is signed exactly if the input is.

    **Example**:
    ```mlir
    %y = tpu.pool avg %x kernel [24, 96] strides [1, 1] pads [0, 0, 0, 0] : tensor<1x8x24x96xf16> -> tensor<1x8x1x1xf16>
    ```
  }];
  let arguments = (ins Tpu_PoolKind:$kind, Tpu_ActivationTensor:$input, DenseI64ArrayAttr:$kernel,
                       DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, UnitAttr:$count_include_pad,
                       OptionalAttr<I32Attr>:$multiplier, OptionalAttr<I32Attr>:$rshift);
  let results = (outs Tpu_ActivationTensor:$output);
  let assemblyFormat = [{
    $kind $input `kernel` $kernel `strides` $strides `pads` $pads attr-dict `:` type($input) `->` type($output)
  }];
  let hasVerifier = 1;
}

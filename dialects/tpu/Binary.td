//===- Binary.td - tpu ops of the Binary family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_BinaryOp : Tpu_Op<"binary", [Pure, Tpu_Evaluate,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["isTileable", "isPackedOperand", "readsStrided", "repeatsChannel", "inputNeed", "recipes", "runsInAnyLane"]>]> {
  let summary = "element-wise function of two tensors, or of a tensor and a number";
  let description = [{
    **Semantics**: `y = f(lhs, rhs)` with axes of size 1 broadcast; without `rhs` the second operand is `constant`, and
    with `reversed` the operands change places. `relu`: then `max(y, 0)`.
    * float: one type, one rounding an operation; `constant` is rounded to it first. `div` is the machine's quotient,
      within 4 ulp in f32. `pow` (C's, within 10 ulp), `fmod` (remainder with the sign of lhs, exact for quotients below 2^30) and `mod` (with the
      sign of rhs) are sequences of f32 commands (`dialects/tpu/sequence`); subnormal numbers count as 0 there.
    * integers (one type): exact, then wrapped to the type; `and`, `or`, `xor` bit by bit; `shift_left` and `shift_right` by `rhs`, whose
      elements are i8 0 to 31: a shift to the right rounds down (signed) or fills with zeros (unsigned).
    * int8 (all !quant): add, sub: `y = sat(round(lhs * m0 >> s0) +- round(rhs * m1 >> s1))`; mul:
      `y = sat(round(lhs * rhs * m0 >> s0))`; max, min (m, s absent): all types equal. `multipliers` and `rshifts` hold m and s;
      shifts round half up.

    **Constraints**: (C1) the result shape is the broadcast shape; (C2) exactly one of `rhs` and `constant`; `reversed` needs
    `constant`; (C3) all element types are one float type, or one integer type (i8 for `rhs` of a shift), or all are !quant; (C4) !quant mul takes 8-bit operands; !quant add and sub have 2 multipliers and
    rshifts, mul has 1, others none; rshifts in [0, 63]; !quant has no `constant`, no `div`; (C5) !quant has the
    kinds from `add` to `min`, f16 and bf16 too, f32 also `pow`, `mod` and `fmod`, integers those from `add` to `shift_right` but `div`; (C6) `relu` goes with float, and with !quant of an unsigned result, which is the clip at 0; (C7) a `constant` beside integers is a whole
    number of their type, of a shift one of 0 to 31 without `reversed`.

    **Example**:
    ```mlir
    %y = tpu.binary mul %x, %gate : tensor<1x8x24x96xf16>, tensor<1x8x1x1xf16> -> tensor<1x8x24x96xf16>
    %z = tpu.binary add %x {constant = 3.0 : f64} : tensor<1x8x24x96xf16> -> tensor<1x8x24x96xf16>
    ```
  }];
  let arguments = (ins Tpu_BinaryKind:$kind, Tpu_Tensor:$lhs,
                       Optional<Tpu_Tensor>:$rhs, OptionalAttr<F64Attr>:$constant,
                       UnitAttr:$reversed, UnitAttr:$relu,
                       OptionalAttr<DenseI32ArrayAttr>:$multipliers,
                       OptionalAttr<DenseI32ArrayAttr>:$rshifts);
  let results = (outs Tpu_Tensor:$output);
  let assemblyFormat = [{
    $kind $lhs (`,` $rhs^)? attr-dict `:` type($lhs) (`,` type($rhs)^)? `->` type($output)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// True for the form that computes with integers as numbers, not as quantized reals.
    bool isInteger();
    /// True for the kinds that are a sequence of commands.
    bool isSequence();
    /// True for the forms in which one channel of an operand may stand for all of the result on a machine whose channels lie in lanes.
    bool canRepeatChannels();
  }];
}

//===- Cast.td - tpu ops of the Cast family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_CastOp : Tpu_Op<"cast", [Pure, Tpu_Evaluate,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["readsStrided", "recipes", "runsInAnyLane"]>]> {
  let summary = "change of element type: float cast, quantize, dequantize, requantize, integers";
  let description = [{
    **Semantics**, by types:
    * float to float: rounded half to even, overflow to infinity (ISA AR cast);
    * float T to !quant S:Z (quantize): `q = sat(round(T(x * T(1/S))))`, `q = sat(round(x))` if S is 1, with a zero point `q = sat(round(T(T(x * T(1/S)) + Z)))`: one
      command in the type T, then the cast, `rounding` half_even by default;
    * !quant S:Z to float (dequantize): `y = T(f32(q - Z) * f32(S))` (dq0, then a cast if T is 16-bit);
    * integer to float: rounded half to even (to f16 by way of f32);
    * integer to integer: the low bits;
    * any two types of one width with `bits`: the bits unchanged;
    * float to integer: rounded by `rounding`, towards_zero by default, and saturated; NaN gives 0 (ISA AR cast);
    * !quant Z to !quant Z' (requantize; hand-written IR only, lowering makes none):
      `q' = sat(round((q - Z) * multiplier >> rshift) + Z')`, half_up.

    **Constraints**: (C1) input and output have one shape; (C2) types are float, integers of 8 to 32 bits or !quant; !quant and integers
    mix with `bits` only, which goes with floats and integers of one width, or !quant and integers; (C3) requantize has `multiplier` and `rshift` in [0, 63], others have none; (C4) f16 to bf16 and bf16 to f16 go through
    f32; (C5) `rounding` to an integer is one of the first five.

    **Example**:
    ```mlir
    %q = tpu.cast %x : tensor<1x3x48x192xf32> -> tensor<1x3x48x192x!quant.uniform<i8:f32, 0.0078>>
    ```
  }];
  let arguments = (ins Tpu_CodeTensor:$input, OptionalAttr<I32Attr>:$multiplier,
                       OptionalAttr<I32Attr>:$rshift, OptionalAttr<Tpu_Rounding>:$rounding, UnitAttr:$bits);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Type":$output, "::mlir::Value":$input, "::mlir::IntegerAttr":$multiplier,
                                 "::mlir::IntegerAttr":$rshift, "::weft::tpu::RoundingAttr":$rounding),
                            [{ build($_builder, $_state, output, input, multiplier, rshift, rounding, ::mlir::UnitAttr()); }]>];
  let extraClassDeclaration = [{
    /// `rounding`, or the default of the form: half_up for requantize, towards_zero for an integer result, half_even otherwise.
    Rounding roundingMode();
  }];
}

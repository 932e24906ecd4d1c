//===- Cast.td - top ops of the Cast family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"

def Top_CastOp : Top_Op<"cast"> {
  let summary = "conversion of the element type";
  let description = [{
    **Semantics** (ONNX Cast). Float to float rounds to nearest even. Float to integer truncates towards zero; what does not fit (undefined in ONNX) saturates, and NaN gives 0.
    Integer to integer keeps the low bits. Anything to i1 is `x != 0`; i1 to a number is 0 or 1. Integer to float rounds to nearest even.
    Integers below 8 bits keep the low bits of any number. Values out of the range of an 8-bit float become its largest one; with `saturate = false` they become infinity, or NaN where the
    type has none. `round_mode` says how a number becomes a power of two (f8e8m0): `up`, `down` or `nearest`.

    **Constraints.**
    * (C1) `output` has the shape of `input`.
    * (C2) `round_mode` is `up`, `down` or `nearest`.

    **Example.**
    ```mlir
    %1 = top.cast %0 : tensor<4xi64> -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Top_Tensor:$input, DefaultValuedAttr<BoolAttr, "true">:$saturate, DefaultValuedAttr<StrAttr, "\"up\"">:$round_mode);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let builders = [OpBuilder<(ins "::mlir::Type":$output, "::mlir::Value":$input),
                             [{ build($_builder, $_state, output, input, true, "up"); }]>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Top_BitCastOp : Top_Op<"bit_cast"> {
  let summary = "the same bits as another element type";
  let description = [{
    **Semantics** (ONNX BitCast). The bits of each element are read as the element type of `output`.

    **Constraints.**
    * (C1) `output` has the shape of `input`.
    * (C2) Both element types have as many bits; i1 counts as 8 bits.

    **Example.**
    ```mlir
    %1 = top.bit_cast %0 : tensor<4xf32> -> tensor<4xi32>
    ```
  }];
  let arguments = (ins Top_Tensor:$input);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

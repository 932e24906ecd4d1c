//===- Unary.td - tpu ops of the Unary family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_UnaryOp : Tpu_Op<"unary", [Pure, Tpu_Evaluate, SameOperandsAndResultType,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["readsStrided", "recipes", "runsInAnyLane"]>]> {
  let summary = "element-wise function of a float tensor";
  let description = [{
    **Semantics**: `y = f(x)`, the meaning of `top.unary` of the same kind. clip: `min(max(x, alpha), beta)`; hard_sigmoid:
    `max(0, min(1, alpha * x + beta))`; hard_swish: `x * max(0, min(1, x/6 + 1/2))`; leaky_relu: `x < 0 ? alpha * x : x`.
    Sequences of machine operations round after each step in the tensor's type, in this order: hard_sigmoid
    `min(max(x*alpha + beta, 0), 1)`; hard_swish `x * min(max(x*(1/6) + 0.5, 0), 1)`.

    Kinds that are a sequence of f32 commands (`dialects/tpu/sequence`) round after each command and once more to a 16-bit type, for which some have fewer commands;
    is_nan and is_inf give 1.0 or 0.0.

    With `narrow_steps` every command of the sequence is one of f16: half the time, and about 2^-8 of the value lost. With `short_steps` an f32 tensor takes the
    fewer commands that results of 16 bits have: 2^-13.5 of the value lost (of gelu and gelu_tanh up to 2^-14 besides).

    **Constraints**: (C1) the op has the parameters `alpha` and `beta` that its kind has in `UnaryKinds.def`; (C2) the machine has commands or a
    sequence for the kind (not for identity, not, bitwise_not); (C3) `narrow_steps` is of an f16 tensor and a kind that has such a sequence (gelu, gelu_tanh, swish
    with an alpha of 2^-6 to 2^6); (C4) `short_steps` is of an f32 tensor.

    **Example**:
    ```mlir
    %y = tpu.unary hard_swish %x : tensor<1x8x24x96xf16>
    %z = tpu.unary clip %x {alpha = 0.0 : f64, beta = 6.0 : f64} : tensor<1x8x24x96xf16>
    ```
  }];
  let arguments = (ins Tpu_UnaryKind:$kind, Tpu_FloatTensor:$input, OptionalAttr<F64Attr>:$alpha,
                       OptionalAttr<F64Attr>:$beta, UnitAttr:$narrow_steps, UnitAttr:$short_steps);
  let results = (outs Tpu_FloatTensor:$output);
  let assemblyFormat = "$kind $input attr-dict `:` type($output)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the machine has commands or a sequence for the kind.
    static bool computes(UnaryKind kind);
  }];
}

def Tpu_LutOp : Tpu_Op<"lut", [Pure, Tpu_Evaluate,
                              DeclareOpInterfaceMethods<Tpu_TilingInterface, ["isPackedOperand", "recipes"]>]> {
  let summary = "element-wise function of an 8-bit tensor by a 256-entry table";
  let description = [{
    **Semantics**: `y = table[input & 255]`: the table is indexed by the stored byte, so for a signed input entries 128..255
    belong to -128..-1. Table bytes are the stored bytes of the result. Written by hand: the conversion computes functions of 8-bit
    values in f16, which costs fewer cycles (docs/rationale/0002-quantization.md).

    **Constraints**: (C1) input and output have one shape; (C2) the table is 1x1x1x256xi8.

    **Example**:
    ```mlir
    %y = tpu.lut %x, %t : tensor<1x8x4x4x!quant.uniform<i8:f32, 0.1>>, tensor<1x1x1x256xi8> -> tensor<1x8x4x4x!quant.uniform<u8:f32, 0.05>>
    ```
  }];
  let arguments = (ins Tpu_QuantTensor:$input, 4DTensorOf<[I8]>:$table);
  let results = (outs Tpu_QuantTensor:$output);
  let assemblyFormat = "$input `,` $table attr-dict `:` type($input) `,` type($table) `->` type($output)";
  let hasVerifier = 1;
}

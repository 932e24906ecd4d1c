//===- Host.td - top ops of the Host family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"

def Top_HostOp : Top_Op<"host"> {
  let summary = "an operation that the processor of the host computes";
  let description = [{
    **Semantics.** The results are those of the kernel `kernel` of `runtime/host` (Kernels.def) for the operands and `parameters`.
    It is for what no op of the chip expresses: sorting of any length, results whose size the operands' values decide. Such a size is `?`
    in the result type, whose encoding bounds it.

    **Constraints.**
    * (C1) There is a kernel of that name.
    * (C2) `absent` names operand slots of the kernel without an operand, in ascending order; the operands fill the other slots.
    * (C3) Every result has bounded sizes.

    **Example.**
    ```mlir
    %1 = top.host "non_zero"(%0) {} : (tensor<4x4xf32>) -> tensor<2x?xi64, [2, 16]>
    ```
  }];
  let arguments = (ins StrAttr:$kernel, Variadic<Top_BoundedTensor>:$inputs,
      DictionaryAttr:$parameters, OptionalAttr<DenseI64ArrayAttr>:$absent);
  let results = (outs Variadic<Top_BoundedTensor>:$outputs);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` $parameters attr-dict-with-keyword `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
}

def Top_CustomOp : Top_EvaluatedOp<"custom"> {
  let summary = "an operator that a plugin brings";
  let description = [{
    **Semantics.** The results of the plugin's float reference for operator `name` of `domain` at `opset`; floats are computed in f32. The
    kernel of the plugin computes it on the chip, in one of the element types `floats`.

    **Constraints.**
    * (C1) `absent` names inputs of the node that are left out, in ascending order; the operands are the others.
    * (C2) There is a result.

    **Example.**
    ```mlir
    %1 = top.custom "com.example" "Rope" 1 (%0, %k) {base = 1.0e+04 : f64} floats ["f32", "f16"] : (tensor<1x8x64xf32>, tensor<8xf32>) -> tensor<1x8x64xf32>
    ```
  }];
  let arguments = (ins StrAttr:$domain, StrAttr:$name, I64Attr:$opset, Variadic<Top_Tensor>:$inputs, DictionaryAttr:$parameters,
      StrArrayAttr:$floats, OptionalAttr<DenseI64ArrayAttr>:$absent);
  let results = (outs Variadic<Top_Tensor>:$outputs);
  let assemblyFormat = [{
    $domain $name $opset `(` $inputs `)` $parameters `floats` $floats attr-dict-with-keyword `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::weft::CustomOperator custom() { return ::weft::customOperatorOf(*this); }
  }];
}

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

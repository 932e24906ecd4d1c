//===- Host.td - what the processor of the host does --------*- tablegen -*-===//

include "dialects/ppl/PplBase.td"

/// A tensor of the host: ONNX element type and shape; unknown sizes are bounded (dialects/HostCall.h).
def Ppl_HostTensor : Type<CPred<"::mlir::succeeded(::weft::hostResultType($_self))">, "a tensor of the host of bounded size",
                          "::mlir::RankedTensorType">;

class Ppl_HostOp<string mnemonic, list<Trait> traits = []> : Ppl_Op<"host." # mnemonic, traits> {
  string commonConstraints = [{
    The commands before are complete, those after have not begun: a run of host ops cuts the program into sub-nets.
  }];
}

def Ppl_HostLoadOp : Ppl_HostOp<"load"> {
  let summary = "takes a tensor from DRAM to the host";
  let description = [{
    **Semantics**: `flat(value) = convert(flat(src))`.
  }] # commonConstraints # [{
    **Constraints**: (C1) `src` is continuous; `value` has a static shape and as many elements, or none where `src` has one.

    **Example**: `%h = ppl.host.load %g : !ppl.tensor<1x6x1x1xsi32, global, continuous> -> tensor<6xi64>`
  }];
  let arguments = (ins Ppl_Global:$src);
  let results = (outs Ppl_HostTensor:$value);
  let assemblyFormat = "$src attr-dict `:` type($src) `->` type($value)";
  let hasVerifier = 1;
}

def Ppl_HostStoreOp : Ppl_HostOp<"store"> {
  let summary = "puts a tensor of the host into DRAM";
  let description = [{
    **Semantics**: `flat(dst) = convert(flat(value))`; what a value of unknown size does not fill keeps its bytes.
  }] # commonConstraints # [{
    **Constraints**: (C1) `dst` is continuous and has as many elements as `value` at its largest, or one where that has none.

    **Example**: `ppl.host.store %g, %h : !ppl.tensor<1x6x1x1xsi32, global, continuous>, tensor<6xi64>`
  }];
  let arguments = (ins Ppl_Global:$dst, Ppl_HostTensor:$value);
  let assemblyFormat = "$dst `,` $value attr-dict `:` type($dst) `,` type($value)";
  let hasVerifier = 1;
}

def Ppl_HostConstantOp : Ppl_HostOp<"constant", [AllTypesMatch<["value", "output"]>]> {
  let summary = "a constant that the host reads";
  let description = [{
    **Semantics**: `output = value`.

    **Example**: `%k = ppl.host.constant dense<[3]> : tensor<1xi64>`
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Ppl_HostTensor:$output);
  let assemblyFormat = "$value attr-dict";
  let hasVerifier = 0;
}

def Ppl_HostCallOp : Ppl_HostOp<"call"> {
  let summary = "an operation that the processor of the host computes";
  let description = [{
    **Semantics**: the results of the kernel `kernel` of `runtime/host` for the operands and `parameters`; `reason` says why the chip does
    not compute it.
  }] # commonConstraints # [{
    **Constraints**: (C1) there is a kernel of that name; (C2) `absent` names, ascending, operand slots of the kernel without an operand.

    **Example**:
    ```mlir
    %1 = ppl.host.call "non_zero"(%0) {} reason "its size depends on data" : (tensor<4x4xf32>) -> tensor<2x?xi64, [2, 16]>
    ```
  }];
  let arguments = (ins StrAttr:$kernel, Variadic<Ppl_HostTensor>:$inputs, DictionaryAttr:$parameters, StrAttr:$reason,
                       OptionalAttr<DenseI64ArrayAttr>:$absent);
  let results = (outs Variadic<Ppl_HostTensor>:$outputs);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` $parameters `reason` $reason attr-dict-with-keyword `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
}

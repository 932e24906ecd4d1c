//===- Host.td - tpu ops of the Host family ------------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

/// A tensor as the host has it: ONNX element type and shape; unknown sizes are bounded (dialects/HostCall.h).
def Tpu_HostTensor : Type<CPred<"::weft::tpu::isHostTensor($_self)">, "a tensor of the host of bounded size", "::mlir::RankedTensorType">;

def Tpu_ToHostOp : Tpu_Op<"to_host", [Pure, Tpu_Evaluate]> {
  let summary = "from the memory of the chip to the host";
  let description = [{
    **Semantics**: `flat(output) = convert(flat(input))`; the host widens what the chip stores (f16 as f32, 32 bits as i64).

    **Constraints**: (C1) equal element count, the output has a static shape; (C2) floats stay floats, integers and bools integers or bools.

    **Example**:
    ```mlir
    %h = tpu.to_host %x : tensor<1x6x1x1xi32> -> tensor<6xi64>
    ```
  }];
  let arguments = (ins Tpu_Tensor:$input);
  let results = (outs Tpu_HostTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_FromHostOp : Tpu_Op<"from_host", [Pure, Tpu_Evaluate]> {
  let summary = "from the host to the memory of the chip";
  let description = [{
    **Semantics**: `flat(output) = convert(flat(input))`; floats are rounded to nearest even, an integer that the chip's type does
    not hold is an error at run time. What an input of unknown size leaves free is undefined.

    **Constraints**: (C1) the output has as many elements as the input at its largest; one if that is none;
    (C2) floats stay floats, integers and bools integers or bools.

    **Example**:
    ```mlir
    %y = tpu.from_host %h : tensor<6xi64> -> tensor<1x6x1x1xi32>
    ```
  }];
  let arguments = (ins Tpu_HostTensor:$input);
  let results = (outs Tpu_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_HostOp : Tpu_Op<"host", [Pure, Tpu_Evaluate]> {
  let summary = "an operation that the processor of the host computes";
  let description = [{
    **Semantics**: the results of the kernel `kernel` of `runtime/host` for the operands and `parameters`, as in `top.host`.
    `reason` says why the chip does not compute it.

    **Constraints**: (C1) there is a kernel of that name; (C2) `absent` names, ascending, operand slots of the kernel without an operand.

    **Example**:
    ```mlir
    %1 = tpu.host "non_zero"(%0) {} reason "its size depends on data" : (tensor<4x4xf32>) -> tensor<2x?xi64, [2, 16]>
    ```
  }];
  let arguments = (ins StrAttr:$kernel, Variadic<Tpu_HostTensor>:$inputs, DictionaryAttr:$parameters, StrAttr:$reason,
                       OptionalAttr<DenseI64ArrayAttr>:$absent);
  let results = (outs Variadic<Tpu_HostTensor>:$outputs);
  let assemblyFormat = [{
    $kernel `(` $inputs `)` $parameters `reason` $reason attr-dict-with-keyword `:` functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
}

def Tpu_HostConstantOp : Tpu_Op<"host_constant", [Pure, Tpu_Evaluate, AllTypesMatch<["value", "output"]>]> {
  let summary = "a constant that the host reads";
  let description = [{
    **Semantics**: `output = value`; the constant travels with the program of the host, not with the weights of the chip.

    **Constraints**: `output` has the type of `value`.

    **Example**:
    ```mlir
    %k = tpu.host_constant dense<[3]> : tensor<1xi64>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Tpu_HostTensor:$output);
  let assemblyFormat = "$value attr-dict";
}

def Tpu_CustomOp : Tpu_Op<"custom", [Pure, Tpu_Evaluate]> {
  let summary = "an operator that the kernel of a plugin computes, on tensors in DRAM";
  let description = [{
    **Semantics**: the results of operator `name` of `domain` at `opset` for inputs and results of the types `input_types` and
    `output_types`: the shapes of the ONNX graph, and the element types in which the kernel computes. `addresses` are the places of
    the results in DRAM.

    **Constraints**: (C1) one type an input and one a result, each with the elements and the element type of its tensor; (C2) there is a
    result; (C3) one address a result.

    **Example**:
    ```mlir
    %1 = tpu.custom "com.example" "Rope" 1 (%0) {} [tensor<1x8x64xf16>] to [tensor<1x8x64xf16>] : (tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16>
    ```
  }];
  let arguments = (ins StrAttr:$domain, StrAttr:$name, I64Attr:$opset, Variadic<Tpu_Tensor>:$inputs, DictionaryAttr:$parameters,
                       TypeArrayAttr:$input_types, TypeArrayAttr:$output_types, OptionalAttr<DenseI64ArrayAttr>:$absent,
                       OptionalAttr<DenseI64ArrayAttr>:$addresses);
  let results = (outs Variadic<Tpu_Tensor>:$outputs);
  let assemblyFormat = [{
    $domain $name $opset `(` $inputs `)` $parameters $input_types `to` $output_types attr-dict-with-keyword `:`
    functional-type($inputs, $outputs)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::weft::CustomOperator custom() { return ::weft::customOperatorOf(*this); }
  }];
}

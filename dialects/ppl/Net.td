//===- Net.td - a program and its memory map ----------------*- tablegen -*-===//

include "dialects/ppl/PplBase.td"

def Ppl_NetOp : Ppl_Op<"net", [IsolatedFromAbove, Symbol, SymbolTable, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "a program with its inputs, outputs, weights and memory map";
  let description = [{
    **Semantics**: the body is executed once per inference, op by op, on `chip`. Inputs lie at their addresses before, outputs after.
    `context_address`, `context_bytes`: the activation area (inputs and outputs included). `weights_address`, `weights_bytes`: the weight area;
    the `ppl.weight` ops of the body fill it.

    **Constraints**: (C1) `chip` is known. (C2) inputs and outputs lie inside the activation area and do not overlap each other. (C3) weights lie
    inside the weight area, which does not overlap the activation area. (C4) onnx and stored types of an input or output have the same
    number of elements; stored element types are f32, f16, bf16 or explicitly signed integers of 8, 16, 32 bits.

    **Example**:
    ```mlir
    ppl.net @main on "bm1684x" weights [4294967296, 4096] context [4294971392, 8192]
        inputs [#ppl.io<name = "x", onnx = tensor<1x4xf32>, stored = tensor<1x4xf32>, address = 4294971392>]
        outputs [#ppl.io<name = "y", onnx = tensor<1x4xf32>, stored = tensor<1x4xf32>, address = 4294975488>] {
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$chip, I64Attr:$weights_address, I64Attr:$weights_bytes,
                       I64Attr:$context_address, I64Attr:$context_bytes, Ppl_IoArray:$inputs, Ppl_IoArray:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $sym_name `on` $chip `weights` `[` $weights_address `,` $weights_bytes `]` `context` `[` $context_address `,` $context_bytes `]`
    `inputs` $inputs `outputs` $outputs attr-dict-with-keyword $body
  }];
  let builders = [
    OpBuilder<(ins "::llvm::StringRef":$name, "::llvm::StringRef":$chip, "int64_t":$weightsAddress, "int64_t":$weightsBytes,
                   "int64_t":$contextAddress, "int64_t":$contextBytes, "::llvm::ArrayRef<::mlir::Attribute>":$inputs,
                   "::llvm::ArrayRef<::mlir::Attribute>":$outputs)>
  ];
  let skipDefaultBuilders = 1;
}

def Ppl_WeightOp : Ppl_Op<"weight", [Symbol, HasParent<"NetOp">]> {
  let summary = "bytes that lie in the weight area";
  let description = [{
    **Semantics**: `value` holds the raw bytes, in element order, little endian, that the runtime puts at `address`.

    **Constraints**: (C1) `value` is dense (`dense` or `dense_resource`) of 8, 16, 32-bit elements.

    **Example**: `ppl.weight @w at 4294967296 = dense<[1.0, 2.0]> : tensor<2xf32>`
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, I64Attr:$address, ElementsAttr:$value);
  let assemblyFormat = "$sym_name `at` $address `=` $value attr-dict";
  let extraClassDeclaration = [{
    /// The bytes as they go into the file; empty if a dense_resource has no data.
    ::llvm::ArrayRef<char> getRawBytes();
    /// Number of bytes the type asks for.
    uint64_t getNumBytes();
    /// True if `value` is one element for all (a splat, whose raw bytes are those of one element).
    bool isSplat();
  }];
}

def Ppl_CustomOp : Ppl_Op<"custom", [AttrSizedOperandSegments]> {
  let summary = "the place of a kernel that a plugin brings";
  let description = [{
    **Semantics**: the kernel of operator `name` of `domain` at `opset`, on dense tensors of the types `input_types` and `output_types` at
    the addresses of `inputs` and `outputs`. The driver replaces it by what the kernel records; it has no commands of its own.

    **Constraints**: (C1) every tensor is continuous; (C2) one type an input and one an output, each with the elements of its tensor.

    **Example**:
    ```mlir
    ppl.custom "com.example" "Rope" 1 outputs(%y) inputs(%x) {} [tensor<1x8x64xf16>] to [tensor<1x8x64xf16>]
        : (!ppl.tensor<1x8x1x64xf16, global, continuous>) -> !ppl.tensor<1x8x1x64xf16, global, continuous>
    ```
  }];
  let arguments = (ins StrAttr:$domain, StrAttr:$name, I64Attr:$opset, Variadic<Ppl_Global>:$outputs, Variadic<Ppl_Global>:$inputs,
                       DictionaryAttr:$parameters, TypeArrayAttr:$input_types, TypeArrayAttr:$output_types,
                       OptionalAttr<DenseI64ArrayAttr>:$absent);
  let assemblyFormat = [{
    $domain $name $opset `outputs` `(` $outputs `)` `inputs` `(` $inputs `)` $parameters $input_types `to` $output_types
    attr-dict-with-keyword `:` functional-type($inputs, $outputs)
  }];
  let extraClassDeclaration = [{
    ::weft::CustomOperator custom() { return ::weft::customOperatorOf(*this); }
  }];
}

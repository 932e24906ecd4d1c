//===- Program.td - a program and its buffers ---------------*- tablegen -*-===//

include "dialects/zhouyi/ZhouyiBase.td"

def Zhouyi_BufferKind : I32EnumAttr<"BufferKind", "who fills a buffer", [
  I32EnumAttrCase<"Weight", 0, "weight">, I32EnumAttrCase<"Input", 1, "input">, I32EnumAttrCase<"Output", 2, "output">,
  I32EnumAttrCase<"Scratch", 3, "scratch">]> {
  let cppNamespace = "::weft::zhouyi";
}

def Zhouyi_ProgramOp : Zhouyi_Op<"program", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "a program with its buffers";
  let description = [{
    **Semantics**: the body is executed once per inference, op by op, on `target`.

    **Constraints**: (C1) `target` is a vector machine that weft knows. (C2) every buffer has a name of its own.

    **Example**:
    ```mlir
    zhouyi.program @main on "zhouyi" {
      %x = zhouyi.buffer input "x" bytes 32 onnx tensor<1x32xi8> stored tensor<1x32xsi8> : !zhouyi.ptr<si8>
      %y = zhouyi.buffer output "y" bytes 32 onnx tensor<1x32xi8> stored tensor<1x32xsi8> : !zhouyi.ptr<si8>
      %0 = zhouyi.load %x : !zhouyi.ptr<si8> -> vector<32xsi8>
      %1 = zhouyi.vabs x = %0, saturate = 1 : vector<32xsi8> -> vector<32xsi8>
      zhouyi.store %1, %y : vector<32xsi8>, !zhouyi.ptr<si8>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$target);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `on` $target attr-dict-with-keyword $body";
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::llvm::StringRef":$target)>];
  let skipDefaultBuilders = 1;
}

def Zhouyi_BufferOp : Zhouyi_Op<"buffer", [HasParent<"ProgramOp">]> {
  let summary = "bytes of the program's memory";
  let description = [{
    **Semantics**: `bytes` bytes that start on a multiple of 64. A weight begins with `contents` (raw bytes in element order, little endian; the rest is 0), an input with what the
    user gives; scratch and outputs are 0 before a run. `onnx` is the type of the ONNX value that a buffer holds and `stored` how. Of integers that stand for
    reals, an input's are round(real * scale + zero_point), of other buffers real = (stored - zero_point) * scale. `value` names the ONNX value that scratch holds, for
    `--per-layer`, and `strides` its elements' places if they are not row-major; inputs and outputs are called by `name`.

    **Constraints**: (C1) `bytes` is 1 to 2^32 - 1. (C2) inputs, outputs and buffers with `value` have `onnx` and `stored`, static and of one shape; `stored` elements are
    si8, ui8, si16, ui16, si32, ui32, f16, bf16 or f32 and lie within `bytes`. (C3) weights, and only they, have `contents`, whose elements have 8, 16, 32 or 64 bits and lie within `bytes`.
    (C4) only scratch has `value`, and only with it `strides`, one an axis of `stored`, 0 or more.

    **Example**:
    ```mlir
    %w = zhouyi.buffer weight "conv.weight" bytes 8 = dense<[1, 2]> : tensor<2xsi32> : !zhouyi.ptr<si32>
    %t = zhouyi.buffer scratch "t" bytes 64 : !zhouyi.ptr<si8>
    %s = zhouyi.buffer scratch "s" bytes 32 value "relu_0" onnx tensor<1x8xf32> stored tensor<1x8xsi8> scale 5.000000e-01 : !zhouyi.ptr<si8>
    ```
  }];
  let arguments = (ins Zhouyi_BufferKind:$kind, StrAttr:$name, I64Attr:$bytes, OptionalAttr<StrAttr>:$value,
                       OptionalAttr<TypeAttrOf<AnyRankedTensor>>:$onnx, OptionalAttr<TypeAttrOf<AnyRankedTensor>>:$stored,
                       OptionalAttr<DenseI64ArrayAttr>:$strides,
                       DefaultValuedAttr<F32Attr, "1.0f">:$scale, DefaultValuedAttr<I64Attr, "0">:$zero_point,
                       OptionalAttr<ElementsAttr>:$contents);
  let results = (outs Zhouyi_PtrType:$pointer);
  let assemblyFormat = [{
    $kind $name `bytes` $bytes (`value` $value^)? (`onnx` $onnx^)? (`stored` $stored^)? (`strides` $strides^)? (`scale` $scale^)? (`zero_point` $zero_point^)? (`=` $contents^)?
    attr-dict `:` qualified(type($pointer))
  }];
  let extraClassDeclaration = [{
    /// The bytes of a weight, one element if it isSplat(); empty if its resource is gone.
    ::llvm::ArrayRef<char> contentBytes();
    bool isSplat();
  }];
}

def Zhouyi_HostCallOp : Zhouyi_Op<"host_call", [AttrSizedOperandSegments]> {
  let summary = "an operation that the processor of the host computes";
  let description = [{
    **Semantics**: writes the results of the kernel `kernel` of `runtime/host` for the tensors at `inputs` and `parameters` to `outputs`. `input_types` and `output_types` are the kernel's; elements are converted
    from and to those of the pointers. `reason` says why the machine does not compute it.

    **Constraints**: (C1) there is a kernel of that name; (C2) `absent` names, ascending, operand slots of the kernel without an operand; (C3) one static type for every pointer.

    **Example**:
    ```mlir
    zhouyi.host_call "softmax" inputs(%x) outputs(%y) {axis = 1 : i64} [tensor<1x10xf32>] to [tensor<1x10xf32>] reason "no exponential" : (!zhouyi.ptr<f32>) -> !zhouyi.ptr<f32>
    ```
  }];
  let arguments = (ins StrAttr:$kernel, Variadic<Zhouyi_PtrType>:$inputs, Variadic<Zhouyi_PtrType>:$outputs, DictionaryAttr:$parameters,
                       TypeArrayAttr:$input_types, TypeArrayAttr:$output_types, StrAttr:$reason, OptionalAttr<DenseI64ArrayAttr>:$absent);
  let assemblyFormat = [{
    $kernel `inputs` `(` $inputs `)` `outputs` `(` $outputs `)` $parameters $input_types `to` $output_types `reason` $reason
    attr-dict-with-keyword `:` functional-type($inputs, $outputs)
  }];
}

//===- Memory.td - tensors in memory ------------------------*- tablegen -*-===//

include "dialects/ppl/PplBase.td"

class Ppl_PlaceOp<string mnemonic, list<Trait> traits = []> : Ppl_Op<mnemonic, [Pure] # traits>;

def Ppl_LocalOp : Ppl_PlaceOp<"local"> {
  let summary = "a tensor in local memory";
  let description = [{
    **Semantics**: the tensor starts in `lane` at byte `address + sum_k (index_k mod modulo_k) * step_k` of each lane
    (`modulo` 0: no modulo). With one index and modulo M this is a rotating buffer of M slots.

    **Constraints**: (C1) aligned and line_aligned start on a multiple of the EU bytes, compact and channel of 4, strided of the
    element size; so do the steps. (C2) every slot lies inside the lane's memory. (C3) steps and modulos are one per index, steps >= 0.
    (C4) lane is below the number of lanes.

    **Example**:
    ```mlir
    %x = ppl.local at 0 : !ppl.tensor<1x64x8x8xf32, local, aligned>
    %y = ppl.local at 4096 lane 3 index(%i) step [256] modulo [2] : !ppl.tensor<1x8x8x8xf32, local, aligned>
    ```
  }];
  let arguments = (ins I64Attr:$address, DefaultValuedAttr<I64Attr, "0">:$lane, Variadic<Index>:$indices,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$steps,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$modulos);
  let results = (outs Ppl_Local:$tensor);
  let assemblyFormat = [{
    `at` $address (`lane` $lane^)? (`index` `(` $indices^ `)` `step` $steps)? (`modulo` $modulos^)? attr-dict `:` type($tensor)
  }];
  let builders = [
    OpBuilder<(ins "TensorViewType":$type, "int64_t":$address, CArg<"int64_t", "0">:$lane), [{
      build($_builder, $_state, type, address, lane, ::mlir::ValueRange(), ::llvm::ArrayRef<int64_t>(), ::llvm::ArrayRef<int64_t>());
    }]>
  ];
}

def Ppl_AllocOp : Ppl_Op<"alloc"> {
  let summary = "a tensor in local or L2 memory that has no address yet";
  let description = [{
    **Semantics**: a new tensor, in local memory from lane 0 on. It lives from the first to the last op that uses it or a view of it; `--ppl-allocate` turns it into
    `ppl.local` or `ppl.global`. `single` says that a loop's rounds share it (PPL disable_pingpong).

    **Constraints**: (C1) the layout has a rule: not strided, not `channel`. (C2) the memory is local or L2.

    **Example**: `%x = ppl.alloc : !ppl.tensor<1x64x8x8xf32, local, aligned>`
  }];
  let arguments = (ins UnitAttr:$single);
  let results = (outs Ppl_TensorType:$tensor);
  let assemblyFormat = "(`single` $single^)? attr-dict `:` type($tensor)";
}

def Ppl_GlobalOp : Ppl_PlaceOp<"global"> {
  let summary = "a tensor in global memory (DRAM)";
  let description = [{
    **Semantics**: the tensor starts at byte address `address + sum_k (index_k mod modulo_k) * step_k` (40 bits); of a tensor in L2 the address of the DMA engine there.

    **Constraints**: (C1) the address and the steps are multiples of the element size. (C2) the tensor lies inside global memory (or L2). (C3) steps and modulos are one per index.

    **Example**:
    ```mlir
    %x = ppl.global at 4294967296 index(%i) step [768] : !ppl.tensor<1x3x8x48xf32, global, [9216, 2304, 48, 1]>
    ```
  }];
  let arguments = (ins I64Attr:$address, Variadic<Index>:$indices,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$steps,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$modulos);
  let results = (outs Ppl_System:$tensor);
  let assemblyFormat = [{
    `at` $address (`index` `(` $indices^ `)` `step` $steps)? (`modulo` $modulos^)? attr-dict `:` type($tensor)
  }];
  let builders = [
    OpBuilder<(ins "TensorViewType":$type, "int64_t":$address), [{
      build($_builder, $_state, type, address, ::mlir::ValueRange(), ::llvm::ArrayRef<int64_t>(), ::llvm::ArrayRef<int64_t>());
    }]>
  ];
}

def Ppl_StaticOp : Ppl_PlaceOp<"static"> {
  let summary = "a tensor in static memory (the machine's coefficient tables)";
  let description = [{
    **Semantics**: the tensor starts at byte `address` of static memory. Written by hand: functions name the tables that they need themselves (runtime/ppl/CoefficientTables.h).

    **Constraints**: (C1) the address is a multiple of the element size and the tensor lies inside static memory.

    **Example**: `%t = ppl.static at 1024 : !ppl.tensor<1x1x1x10xf32, static, continuous>`
  }];
  let arguments = (ins I64Attr:$address);
  let results = (outs Ppl_Static:$tensor);
  let assemblyFormat = "`at` $address attr-dict `:` type($tensor)";
}

def Ppl_ViewOp : Ppl_PlaceOp<"view"> {
  let summary = "a part of a tensor, or the same bytes as another type, shape or layout";
  let description = [{
    **Semantics**: the result starts where element `offset` = [n, c, h, w] of the source lies (for local memory its lane too) plus
    `bytes`; shape, element type and layout are the result type's.

    **Constraints**: (C1) same memory. (C2) the offset lies inside the source. (C3) in local memory the start obeys the alignment of
    the result layout (checked by codegen/encode where the source address depends on an index).

    **Example**:
    ```mlir
    %v = ppl.view %x [0, 0, 2, 0] : !ppl.tensor<1x64x8x8xf32, local, aligned> -> !ppl.tensor<1x64x4x8xf32, local, [64, 64, 8, 1]>
    ```
  }];
  let arguments = (ins Ppl_TensorType:$source, DenseI64ArrayAttr:$offset, DefaultValuedAttr<I64Attr, "0">:$bytes);
  let results = (outs Ppl_TensorType:$tensor);
  let assemblyFormat = "$source $offset (`bytes` $bytes^)? attr-dict `:` type($source) `->` type($tensor)";
}

def Ppl_ObserveOp : Ppl_Op<"observe"> {
  let summary = "says that a piece of an ONNX value is complete here";
  let description = [{
    **Semantics**: makes no command. After the commands before this op, `tensor` holds the box of the ONNX value `value` that starts at
    element `offset` + index * `step` of the value seen as n,c,h,w with sizes `extent`. real = (stored - zero_point) * scale.
    codegen/encode turns it into an entry of the debug map.

    **Constraints**: (C1) the box lies inside `extent` (checked by codegen/encode). (C2) offset, step and extent have four values;
    step is given when there is an index.

    **Example**:
    ```mlir
    ppl.observe %y, "conv2d_0.tmp_0" at [0, 0, 0, 0] of [1, 8, 24, 96] index(%i) step [0, 0, 8, 0] : !ppl.tensor<1x8x8x96xf32, local, aligned>
    ```
  }];
  let arguments = (ins Ppl_TensorType:$tensor, StrAttr:$value, DenseI64ArrayAttr:$offset, DenseI64ArrayAttr:$extent,
                       Optional<Index>:$index, OptionalAttr<DenseI64ArrayAttr>:$step,
                       OptionalAttr<TypeAttrOf<AnyRankedTensor>>:$onnx,
                       DefaultValuedAttr<F32Attr, "1.0f">:$scale, DefaultValuedAttr<I64Attr, "0">:$zero_point);
  let assemblyFormat = [{
    $tensor `,` $value `at` $offset `of` $extent (`index` `(` $index^ `)` `step` $step)? (`onnx` $onnx^)? attr-dict `:` type($tensor)
  }];
}

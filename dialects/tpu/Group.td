//===- Group.td - layer groups, tilings and placements --------*- tablegen -*-===//

#ifndef WEFT_DIALECTS_TPU_GROUP_TD
#define WEFT_DIALECTS_TPU_GROUP_TD

include "dialects/tpu/TpuBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

class Tpu_GroupAttr<string name, string attrMnemonic> : AttrDef<Tpu_Dialect, name> {
  let mnemonic = attrMnemonic;
}

def Tpu_TilingAttr : Tpu_GroupAttr<"Tiling", "tiling"> {
  let summary = "into how many slices a group cuts each axis of its results";
  let description = [{
    Slices are run n outermost, then c, h, w. `#tpu.tiling<n = 1, c = 1, h = 4, w = 1>` runs the group four times, each
    time on a quarter of the rows of every result. With `streamed = true` a slice runs as a group of one slice does, where
    else it is loaded whole while the one before it is computed.
  }];
  let parameters = (ins "int64_t":$n, "int64_t":$c, "int64_t":$h, "int64_t":$w,
                    DefaultValuedParameter<"bool", "false">:$streamed);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    ::weft::tpu::Tiling getTiling() const { return {{getN(), getC(), getH(), getW()}, getStreamed()}; }
    static TilingAttr get(::mlir::MLIRContext *context, const ::weft::tpu::Tiling &tiling) {
      const ::weft::tpu::Dims &counts = tiling.counts;
      return get(context, counts[0], counts[1], counts[2], counts[3], tiling.isStreamed);
    }
  }];
}

def Tpu_BufferAttr : Tpu_GroupAttr<"Buffer", "buffer"> {
  let summary = "where one tensor of a group lives";
  let description = [{
    `local` is the byte offset inside every lane and `bytes` the room there. `rotate` > 0 makes a double buffer: slice i
    uses `local + (i mod 2) * rotate`. `load` is the step (index of an op of the group) before which the DMA load is
    issued if slices are not loaded whole; a negative one counts from the end of the slice before. What is `held` is loaded
    in the first slice and stays for all. `global` is the DRAM byte address, -1 if the tensor has none of its own.
  }];
  let parameters = (ins "int64_t":$local, "int64_t":$bytes, DefaultValuedParameter<"int64_t", "0">:$rotate,
                    DefaultValuedParameter<"int64_t", "0">:$load, DefaultValuedParameter<"bool", "false">:$held,
                    DefaultValuedParameter<"int64_t", "-1">:$global);
  let assemblyFormat = "`<` struct(params) `>`";
  let genVerifyDecl = 1;
}

def Tpu_BufferArrayAttr : TypedArrayAttrBase<Tpu_BufferAttr, "array of buffers">;

def Tpu_YieldOp : Tpu_Op<"yield", [Pure, Terminator, ReturnLike, ParentOneOf<["GroupOp"]>]> {
  let summary = "gives the results of a group";
  let description = [{
    **Semantics** result i of the group is operand i.

    **Constraints** (C1) operands have the types of the group's results.

    **Example** `tpu.yield %y : tensor<1x8x4x4xf32>`
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def Tpu_GroupOp : Tpu_Op<"group", [Pure, Tpu_Evaluate, IsolatedFromAbove, SingleBlock]> {
  let summary = "ops that run slice by slice in local memory";
  let description = [{
    The operands are DRAM tensors that the group loads, the results DRAM tensors that it stores; everything between
    stays in local memory. Weights are `tpu.weight` ops inside the body. `tiling` says how the slices run. A `tpu.arrange`, `tpu.permute`, `tpu.row_phases` or `tpu.to_bands` of an argument is done by its load,
    a `tpu.arrange`, `tpu.permute` or `tpu.from_bands` that is yielded by its store.

    **Semantics** the body evaluated on whole tensors; `tiling` never changes a number.

    **Constraints** (C1) block arguments have the types of the operands, (C2) the terminator is `tpu.yield` with the
    types of the results, (C3) every body op but `tpu.weight` and `tpu.yield` has the tiling interface or is a
    `tpu.arrange`, `tpu.permute`, `tpu.row_phases` or `tpu.to_bands` that alone reads an argument or a `tpu.arrange`, `tpu.permute` or `tpu.from_bands` of a computed value that is yielded and read by no other; a `tpu.arrange`
    copies from one operand boxes of whole rows (w) of its result, or, where it is yielded, of its operand, each element of the result once, (C4) `buffers`
    has one entry an operand, (C5) what is yielded is computed in the group, (C6) loads begin at most one slice ahead, and
    only where slices are streamed before the slice or held, (C7) operands that are `kept` are results of the group right before, this group runs in one slice, and
    the values lie where that one has left them: they are not loaded, and not stored where no other op reads them. A group of several slices puts what it hands on together in local memory, slice by slice.

    **Example**
    ```mlir
    %0 = tpu.group(%x) tiling <n = 1, c = 1, h = 4, w = 1> : (tensor<1x3x64x64xf32>) -> tensor<1x3x64x64xf32> {
    ^bb0(%a: tensor<1x3x64x64xf32>):
      %1 = tpu.unary relu %a : ...
      tpu.yield %1 : tensor<1x3x64x64xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$inputs, OptionalAttr<Tpu_TilingAttr>:$tiling,
                   OptionalAttr<Tpu_BufferArrayAttr>:$buffers, OptionalAttr<DenseI64ArrayAttr>:$addresses,
                   OptionalAttr<DenseI64ArrayAttr>:$kept);
  let results = (outs Variadic<AnyRankedTensor>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    `(` $inputs `)` (`tiling` $tiling^)? (`buffers` $buffers^)? (`addresses` $addresses^)? (`kept` $kept^)?
    attr-dict-with-keyword `:` functional-type($inputs, $outputs) $body
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Discardable attribute of a body op: its `#tpu.buffer`s in the order of `enumerateBuffers`.
    static constexpr ::llvm::StringLiteral kBuffersAttr = "tpu.buffers";

    /// One slice if there is no attribute.
    ::weft::tpu::Tiling tilingOrWhole() {
      return getTiling() ? getTiling()->getTiling() : ::weft::tpu::Tiling();
    }
    /// Whether the group before has left this operand in local memory.
    bool keeps(unsigned operand) {
      return getKept() && ::llvm::is_contained(*getKept(), int64_t(operand));
    }
    /// Where it has left it; nothing if it is not kept or that group has no places yet.
    ::std::optional<int64_t> keptAt(unsigned operand);
    /// Whether this result goes to DRAM: not all that read it have it kept.
    bool stores(unsigned result);
    /// Whether the group behind keeps this result.
    bool hands(unsigned result);
    /// The group right behind, with nothing between but constants; null if there is none.
    ::weft::tpu::GroupOp groupBehind();
  }];
}

#endif // WEFT_DIALECTS_TPU_GROUP_TD

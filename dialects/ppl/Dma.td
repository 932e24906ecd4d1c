//===- Dma.td - GDMA commands -------------------------------*- tablegen -*-===//

include "dialects/ppl/PplBase.td"

def Ppl_Transpose : Ppl_Enum<"Transpose", "axes that a copy exchanges", [
  I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"NC", 1, "nc">, I32EnumAttrCase<"CW", 2, "cw">]>;

class Ppl_DmaCopyOp<string mnemonic, Type dst, Type src> : Ppl_Op<"gdma." # mnemonic> {
  string commonConstraints = [{
    **Constraints**: (C1) same element size. (C2) without `transpose` equal shapes, or for `move` equal element counts; with `nc` or `cw` the
    destination shape is the source shape with these axes exchanged. (C3) the byte stride along w is 1..128 on both sides. (C4) no side has
    the `channel` layout or a stride 0 on a destination axis longer than 1. (C5) `cw` takes default layouts only (aligned, continuous).
  }];
  let arguments = (ins dst:$dst, src:$src, DefaultValuedAttr<Ppl_Transpose, "Transpose::None">:$transpose);
  let assemblyFormat = "$dst `,` $src (`transpose` $transpose^)? attr-dict `:` type($dst) `,` type($src)";
  let builders = [
    OpBuilder<(ins "::mlir::Value":$dst, "::mlir::Value":$src), [{ build($_builder, $_state, dst, src, Transpose::None); }]>
  ];
}

def Ppl_DmaLoadOp : Ppl_DmaCopyOp<"load", Ppl_Local, Ppl_Global> {
  let summary = "copies a tensor from global to local memory";
  let description = [{
    **Semantics**: `dst(n,c,h,w) = src(n,c,h,w)`, bits unchanged; with `transpose nc` `dst(n,c,h,w) = src(c,n,h,w)`, with `cw` `src(n,w,h,c)`.
  }] # commonConstraints # [{
    **Example**: `ppl.gdma.load %x, %g : !ppl.tensor<1x64x8x8xf32, local, aligned>, !ppl.tensor<1x64x8x8xf32, global, continuous>`
  }];
}

def Ppl_DmaStoreOp : Ppl_DmaCopyOp<"store", Ppl_Global, Ppl_Local> {
  let summary = "copies a tensor from local to global memory";
  let description = [{
    **Semantics**: as `ppl.gdma.load`.
  }] # commonConstraints # [{
    **Example**: `ppl.gdma.store %g, %x : !ppl.tensor<1x64x8x8xf32, global, continuous>, !ppl.tensor<1x64x8x8xf32, local, aligned>`
  }];
}

def Ppl_DmaMoveOp : Ppl_DmaCopyOp<"move", Ppl_TensorType, Ppl_TensorType> {
  let summary = "copies a tensor between any two places of local or global memory";
  let description = [{
    **Semantics**: element number i of `dst` in n,c,h,w order = element number i of `src`: without `transpose` this also reshapes.
    In local memory it crosses lanes.
  }] # commonConstraints # [{
    (C6) neither side is in static memory.

    **Example**: `ppl.gdma.move %b, %a : !ppl.tensor<1x64x1x1xf32, local, aligned>, !ppl.tensor<1x1x1x64xf32, local, aligned>`
  }];
}

def Ppl_DmaFillOp : Ppl_Op<"gdma.fill"> {
  let summary = "fills a tensor with a constant";
  let description = [{
    **Semantics**: `dst(n,c,h,w) = value`.

    **Constraints**: (C1) dst is in local or global memory, as C3, C4 of `ppl.gdma.load`. (C2) the value is f32 for float tensors and i32 for
    integer ones and fits their type.

    **Example**: `ppl.gdma.fill %x, %zero : !ppl.tensor<1x64x8x8xf32, local, aligned>, f32`
  }];
  let arguments = (ins Ppl_TensorType:$dst, Ppl_Scalar:$value);
  let assemblyFormat = "$dst `,` $value attr-dict `:` type($dst) `,` type($value)";
}

def Ppl_DmaBroadcastOp : Ppl_Op<"gdma.broadcast"> {
  let summary = "copies one channel to every channel of a local tensor";
  let description = [{
    **Semantics**: `dst(n,c,h,w) = src(n,0,h,w)`.

    **Constraints**: (C1) same element size, n, h, w; src.c = 1. (C2) dst is local; start lane + dst.c is at most the number of lanes. (C3) both
    layouts are the default ones (aligned or continuous).

    **Example**: `ppl.gdma.broadcast %x, %g : !ppl.tensor<1x64x1x256xui8, local, aligned>, !ppl.tensor<1x1x1x256xui8, global, continuous>`
  }];
  let arguments = (ins Ppl_Local:$dst, Ppl_TensorType:$src);
  let assemblyFormat = "$dst `,` $src attr-dict `:` type($dst) `,` type($src)";
}

class Ppl_DmaRowsOp<string mnemonic> : Ppl_Op<"gdma." # mnemonic> {
  string rowConstraints = [{
    **Constraints**: (C1) `dst` and the rows have one element size; `index` has 32-bit integers, taken as unsigned. (C2) n is 1
    everywhere, and w of `index`. (C3) the channels of the rows and of `index` are those of `dst`, or 1 for all of them. (C4) w of
    `dst` and the rows is equal and at most 65535, as are the channels; h may be larger. (C5) the strides along w are 1; nothing is in
    static memory or has the `channel` layout.
  }];
}

def Ppl_DmaGatherOp : Ppl_DmaRowsOp<"gather_h"> {
  let summary = "copies the rows that a list names";
  let description = [{
    **Semantics**: with i = index(0,c,h,0): `dst(0,c,h,w) = rows(0,c,i,w)` if i < rows.h, else `value`.
  }] # rowConstraints # [{
    (C6) h of `index` is that of `dst`; `value` is f32 for float tensors and i32 for integer ones.

    **Example**: `ppl.gdma.gather_h %y, %x, %i, %zero : !ppl.tensor<1x1x5x8xf32, global, continuous>, !ppl.tensor<1x1x9x8xf32, global, continuous>, !ppl.tensor<1x1x5x1xui32, global, continuous>, f32`
  }];
  let arguments = (ins Ppl_TensorType:$dst, Ppl_TensorType:$rows, Ppl_TensorType:$index, Ppl_Scalar:$value);
  let assemblyFormat = "$dst `,` $rows `,` $index `,` $value attr-dict `:` type($dst) `,` type($rows) `,` type($index) `,` type($value)";
}

def Ppl_DmaScatterOp : Ppl_DmaRowsOp<"scatter_h"> {
  let summary = "copies rows to the places that a list names";
  let description = [{
    **Semantics**: for h = 0, 1, ..: with i = index(0,c,h,0): `dst(0,c,i,w) = rows(0,c,h,w)` if i < dst.h. Other elements of `dst` stay as
    they are; of rows with one index the last wins.
  }] # rowConstraints # [{
    (C6) h of `index` is that of the rows.

    **Example**: `ppl.gdma.scatter_h %y, %x, %i : !ppl.tensor<1x1x9x8xf32, global, continuous>, !ppl.tensor<1x1x5x8xf32, global, continuous>, !ppl.tensor<1x1x5x1xui32, global, continuous>`
  }];
  let arguments = (ins Ppl_TensorType:$dst, Ppl_TensorType:$rows, Ppl_TensorType:$index);
  let assemblyFormat = "$dst `,` $rows `,` $index attr-dict `:` type($dst) `,` type($rows) `,` type($index)";
}

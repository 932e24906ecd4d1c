//===- Memory.td - what moves work on ------------------------*- tablegen -*-===//

include "dialects/ascend/AscendBase.td"

def Ascend_ViewOp : Ascend_Op<"view", [Pure]> {
  let summary = "a part of a memory as elements of a type";
  let description = [{
    **Semantics.** `view` starts `offset` bytes behind the start of `source`.

    **Constraints.**
    * (C1) Both are contiguous memrefs of static shape in one memory space, `"gm"` or `"l1"`, with elements that moves know.
    * (C2) `offset` >= 0, and `view` ends no later than `source`.

    **Example.**
    ```mlir
    %0 = ascend.view %l1[512] : memref<524288xui8, "l1"> to memref<240xf16, "l1">
    ```
  }];
  let arguments = (ins AnyMemRef:$source, I64Attr:$offset);
  let results = (outs AnyMemRef:$view);
  let assemblyFormat = "$source `[` $offset `]` attr-dict `:` type($source) `to` type($view)";
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Ascend_ClearOp : Ascend_Op<"clear", [MemoryEffects<[MemWrite]>]> {
  let summary = "fills a part of L1 with zeros";
  let description = [{
    **Semantics.** Every byte of `target` is 0. Needed before a move whose rows do not fill what is computed with; no op of the document.

    **Constraints.** (C1) `target` is a memref of moves in `"l1"`.

    **Example.** `ascend.clear %0 : memref<512xf16, "l1">`
  }];
  let arguments = (ins AnyMemRef:$target);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def Ascend_TileOp : Ascend_Op<"tile", [SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "the moves that bring one piece of a layer's input to L1";
  let description = [{
    **Semantics.** The moves of the body, in order. What the body moves is in L1 when the matrix unit reads the piece, and may be overwritten by a later tile.
    `origin` and `sizes` say which piece of the array it is, along the axes that the function's attribute `ascend.axes` names; `bytes` are those that
    are read, `cycles` what the bandwidth model says.

    **Constraints.** (C1) `origin` and `sizes` have as many entries; `bytes` and `cycles` are not negative.

    **Example.**
    ```mlir
    ascend.tile origin [0, 0, 0] sizes [1, 40, 56] bytes 4480 cycles 197 {
      ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %0, src = %1, sid = 0, ndNum = 1, nValue = 40, dValue = 56, srcNdMatrixStride = 0,
        srcDValue = 56, dstNzC0Stride = 48, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<3072xf16, "l1">, memref<2240xf16, "gm">
    }
    ```
  }];
  let arguments = (ins DenseI64ArrayAttr:$origin, DenseI64ArrayAttr:$sizes, I64Attr:$bytes, I64Attr:$cycles);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "`origin` $origin `sizes` $sizes `bytes` $bytes `cycles` $cycles attr-dict-with-keyword $body";
}

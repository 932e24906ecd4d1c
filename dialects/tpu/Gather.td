//===- Gather.td - tpu ops of the Gather family --------------*- tablegen -*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_GatherOp : Tpu_Op<"gather", [Pure, Tpu_Evaluate]> {
  let summary = "the rows of a table that a list names";
  let description = [{
    A table has `c` channels of `h` rows of `w` elements, a list `h` row numbers for each channel (or for all).

    **Semantics**: with i = indices(0,c,h,0), as an unsigned number of 32 bits: `y(0,c,h,w) = table(0,c,i,w)` if i < table.h, else
    the bits `fill`.

    **Constraints**: (C1) n is 1 everywhere, and w of `indices`; (C2) `table` and `indices` have the channels of the result, or 1;
    one of them has all; (C3) h of `indices` is that of the result, w of `table` that of the result; (C4) table and result have one
    element type, indices are i32 or ui32.

    **Example**:
    ```mlir
    %y = tpu.gather %x, %i : tensor<1x1x9x8xf32>, tensor<1x1x5x1xi32> -> tensor<1x1x5x8xf32>
    ```
  }];
  let arguments = (ins Tpu_CodeTensor:$table, 4DTensorOf<[I32, UI32]>:$indices, DefaultValuedAttr<I64Attr, "0">:$fill);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$table `,` $indices attr-dict `:` type($table) `,` type($indices) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_ScatterOp : Tpu_Op<"scatter", [Pure, Tpu_Evaluate, AllTypesMatch<["base", "output"]>]> {
  let summary = "a table with some rows replaced, named by a list";
  let description = [{
    **Semantics**: the result is `base`; then for h = 0, 1, ..: with i = indices(0,c,h,0), as an unsigned number of 32 bits,
    `y(0,c,i,w) = updates(0,c,h,w)` if i < base.h. The last of the updates of one row wins.

    **Constraints**: (C1) n is 1 everywhere, and w of `indices`; (C2) `updates` and `indices` have the channels of `base`, or 1, one
    of them has all; (C3) h of `indices` is that of `updates`, w of `updates` that of `base`; (C4) base, updates and result have one
    element type, indices are i32 or ui32; the result has the type of `base`.

    **Example**:
    ```mlir
    %y = tpu.scatter %x, %i, %u : tensor<1x1x9x8xf32>, tensor<1x1x5x1xi32>, tensor<1x1x5x8xf32>
    ```
  }];
  let arguments = (ins Tpu_Tensor:$base, 4DTensorOf<[I32, UI32]>:$indices, Tpu_Tensor:$updates);
  let results = (outs Tpu_Tensor:$output);
  let assemblyFormat = "$base `,` $indices `,` $updates attr-dict `:` type($base) `,` type($indices) `,` type($updates)";
  let hasVerifier = 1;
}

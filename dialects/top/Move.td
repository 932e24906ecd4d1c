//===- Move.td - top ops of the Move family ------------------*- tablegen -*-===//

include "dialects/top/TopBase.td"

def Top_ReshapeOp : Top_Op<"reshape"> {
  let summary = "the same values in the same order under another shape";
  let description = [{
    **Semantics.** `output.flat[i] = input.flat[i]`.

    **Constraints.**
    * (C1) Both types have the same element type.
    * (C2) Both types have the same number of elements.

    **Example.**
    ```mlir
    %1 = top.reshape %0 : tensor<1x200x1x1xf32> -> tensor<1x200xf32>
    ```
  }];
  let arguments = (ins Top_Tensor:$input);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Top_TransposeOp : Top_InferredOp<"transpose"> {
  let summary = "permutation of the axes";
  let description = [{
    **Semantics.** Axis i of `output` is axis `perm[i]` of `input`.

    **Constraints.**
    * (C1) `perm` is a permutation of 0 .. rank-1.

    **Example.**
    ```mlir
    %1 = top.transpose %0 {perm = array<i64: 0, 2, 3, 1>} : tensor<1x8x4x5xf32> -> tensor<1x4x5x8xf32>
    ```
  }];
  let arguments = (ins Top_Tensor:$input, DenseI64ArrayAttr:$perm);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasFolder = 1;
}

def Top_SliceOp : Top_Op<"slice"> {
  let summary = "every steps-th value from a start, on each axis";
  let description = [{
    **Semantics.** `output[i0, i1, ..] = input[starts[0] + i0*steps[0], starts[1] + i1*steps[1], ..]`; the result type has the sizes.

    **Constraints.**
    * (C1) Both types have the same rank and element type; `starts` and `steps` have one value an axis.
    * (C2) No step is 0 (a negative one walks backwards).
    * (C3) The first and the last index of every non-empty axis lie inside the input.

    **Example.**
    ```mlir
    %1 = top.slice %0 {starts = array<i64: 0, 7>, steps = array<i64: 1, -2>} : tensor<2x8xf32> -> tensor<2x4xf32>
    ```
  }];
  let arguments = (ins Top_Tensor:$input, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$steps);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Top_ConcatOp : Top_InferredOp<"concat"> {
  let summary = "operands one after the other along an axis";
  let description = [{
    **Semantics.** `output` holds `inputs[0]`, then `inputs[1]`, .. along `axis`.

    **Constraints.**
    * (C1) There is at least one input; all have one element type and one rank >= 1.
    * (C2) `axis` is in [0, rank).
    * (C3) On every other axis all inputs have the same size.

    **Example.**
    ```mlir
    %2 = top.concat %0, %1 {axis = 1 : i64} : (tensor<1x2xf32>, tensor<1x3xf32>) -> tensor<1x5xf32>
    ```
  }];
  let arguments = (ins Variadic<Top_Tensor>:$inputs, I64Attr:$axis);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$inputs attr-dict `:` functional-type($inputs, $output)";
  let hasFolder = 1;
}

def Top_ExpandOp : Top_Op<"expand"> {
  let summary = "values repeated along axes of size 1";
  let description = [{
    **Semantics.** numpy's broadcast to the shape of the result: axes are aligned at the last one, and those of size 1, or absent,
    are repeated.

    **Constraints.**
    * (C1) Both types have the same element type.
    * (C2) Every axis of the input is 1 or the size of the axis of the result; the rank of the result is not smaller.

    **Example.**
    ```mlir
    %1 = top.expand %0 : tensor<3x1xf32> -> tensor<2x3x4xf32>
    ```
  }];
  let arguments = (ins Top_Tensor:$input);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Top_PadOp : Top_InferredOp<"pad"> {
  let summary = "values around a tensor";
  let description = [{
    **Semantics.** `begins[a]` values are put before and `ends[a]` behind axis a. What they are says `mode`: `constant` the one element
    of `value`; `edge` the nearest value of the input; `reflect` the input mirrored at its first and last value, as often as
    needed; `wrap` the input repeated.

    **Constraints.**
    * (C1) `begins` and `ends` have one value >= 0 an axis.
    * (C2) `mode` is constant, edge, reflect or wrap.
    * (C3) `value` is there if `mode` is constant and only then; it has one element of the input's type.
    * (C4) But for `constant`, an axis that is padded is not empty.

    **Example.**
    ```mlir
    %1 = top.pad %0 {begins = array<i64: 0, 1>, ends = array<i64: 0, 2>, mode = "edge"} : (tensor<2x3xf32>) -> tensor<2x6xf32>
    ```
  }];
  let arguments = (ins Top_Tensor:$input, Optional<Top_Tensor>:$value, DenseI64ArrayAttr:$begins, DenseI64ArrayAttr:$ends,
                       StrAttr:$mode);
  let results = (outs Top_Tensor:$output);
  let assemblyFormat = "$input (`value` $value^)? attr-dict `:` functional-type(operands, $output)";
}

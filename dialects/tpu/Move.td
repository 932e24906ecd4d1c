//===- Move.td - tpu ops of the Move family ------------------*- tablegen
//-*-===//

include "dialects/tpu/TpuBase.td"

def Tpu_ReshapeOp
    : Tpu_Op<"reshape", [Pure, Tpu_Evaluate,
                         DeclareOpInterfaceMethods<Tpu_TilingInterface, ["isTileable", "computedBox", "inputNeed", "recipes", "runsInAnyLane"]>]> {
  let summary = "the same elements in row-major order under another 4-D shape";
  let description = [{
    **Semantics**: `flat(output) = flat(input)`.

    **Constraints**: (C1) equal element count and element type.

    **Example**:
    ```mlir
    %y = tpu.reshape %x : tensor<1x200x1x1xf32> -> tensor<1x1x1x200xf32>
    ```
  }];
  let arguments = (ins Tpu_CodeTensor:$input);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tpu_MoveLanesOp
    : Tpu_Op<"move_lanes", [Pure, SameOperandsAndResultType, Tpu_Evaluate,
                            DeclareOpInterfaceMethods<Tpu_TilingInterface, ["recipes", "runsInAnyLane", "readsAnyLane"]>]> {
  let summary = "the same values, which may begin in another lane";
  let description = [{
    **Semantics**: `output = input`. Made by `--tpu-group-layers` for values that would have to begin in two lanes; in DRAM it would
    be nothing, so it stands in groups only.

    **Example**:
    ```mlir
    %y = tpu.move_lanes %x : tensor<1x16x80x80xf16>
    ```
  }];
  let arguments = (ins Tpu_CodeTensor:$input);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Tpu_RepeatChannelOp
    : Tpu_Op<"repeat_channel", [Pure, Tpu_Evaluate,
                                DeclareOpInterfaceMethods<Tpu_TilingInterface, ["inputNeed", "recipes", "readsAnyLane"]>]> {
  let summary = "one channel several times";
  let description = [{
    **Semantics**: `y(n,c,h,w) = input(n,0,h,w)`. What lies in one lane goes to all; a channel that DRAM holds is brought to all lanes by its load
    (`TilingInterface::repeatsChannel`), so this is for what a group computes.

    **Constraints**: (C1) the input has one channel, else the shape of the result; (C2) equal element types.

    **Example**:
    ```mlir
    %y = tpu.repeat_channel %x : tensor<1x1x56x56xf32> -> tensor<1x96x56x56xf32>
    ```
  }];
  let arguments = (ins Tpu_CodeTensor:$input);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_PermuteOp : Tpu_Op<"permute", [Pure, Tpu_Evaluate]> {
  let summary = "axes in another order";
  let description = [{
    **Semantics**: axis i of the output is axis `order[i]` of the input. Floats of 16 bits may become f32 on the way, which no number notices.

    **Constraints**: (C1) `order` is a permutation of 0..3; (C2) the output shape follows it; (C3) equal element types, or f16 or bf16 and f32 and (C4) then an order that turns.

    **Example**:
    ```mlir
    %y = tpu.permute %x [0, 2, 3, 1] : tensor<1x8x4x6xf16> -> tensor<1x4x6x8xf16>
    ```
  }];
  let arguments = (ins Tpu_CodeTensor:$input, DenseI64ArrayAttr:$order);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat =
      "$input $order attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether elements become f32.
    bool widens();
  }];
}

def Tpu_SliceOp
    : Tpu_Op<"slice", [Pure, Tpu_Evaluate,
                       DeclareOpInterfaceMethods<Tpu_TilingInterface, ["isTileable", "computedBox", "inputNeed", "readsStrided", "recipes", "channelInResult", "runsInAnyLane"]>]> {
  let summary = "a regular part of a tensor";
  let description = [{
    **Semantics**: `y(i) = input(offsets + i * steps)`.

    **Constraints**: (C1) 4 offsets >= 0 and 4 steps >= 1; (C2) the last element lies inside the input; (C3) equal element types.

    **Example**:
    ```mlir
    %y = tpu.slice %x [0, 0, 0, 0] steps [1, 1, 2, 1] : tensor<1x8x4x6xf16> -> tensor<1x8x2x6xf16>
    ```
  }];
  let arguments = (ins Tpu_CodeTensor:$input, DenseI64ArrayAttr:$offsets,
      DenseI64ArrayAttr:$steps);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$input $offsets `steps` $steps attr-dict `:` "
                       "type($input) `->` type($output)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether in local memory the slice is a place in its input: channels that follow each other, of one image.
    bool isAddress();
  }];
}

def Tpu_ConcatOp
    : Tpu_Op<"concat", [Pure, Tpu_Evaluate,
                        DeclareOpInterfaceMethods<Tpu_TilingInterface, ["isTileable", "computedBox", "inputNeed", "readsStrided", "recipes", "channelInResult", "runsInAnyLane"]>]> {
  let summary = "tensors one after the other along an axis";
  let description = [{
    **Semantics**: the inputs follow each other along `axis`.

    **Constraints**: (C1) `axis` in [0, 3]; (C2) the other axes agree and the sizes along `axis` add up; (C3) equal element types.

    **Example**:
    ```mlir
    %y = tpu.concat %a, %b axis 1 : (tensor<1x8x4x6xf16>, tensor<1x2x4x6xf16>) -> tensor<1x10x4x6xf16>
    ```
  }];
  let arguments = (ins Variadic<Tpu_CodeTensor>:$inputs,
      ConfinedAttr<I64Attr, [IntMinValue<0>, IntMaxValue<3>]>:$axis);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat =
      "$inputs `axis` $axis attr-dict `:` functional-type($inputs, $output)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether in local memory the inputs can lie in the result: it joins channels.
    bool isAddress();
  }];
}

def Tpu_PadOp
    : Tpu_Op<"pad", [Pure, Tpu_Evaluate,
                     DeclareOpInterfaceMethods<Tpu_TilingInterface, ["inputNeed", "recipes", "runsInAnyLane"]>]> {
  let summary = "a constant around the rows and columns of each channel";
  let description = [{
    **Semantics**: `y(n,c,h,w) = input(n,c,h-top,w-left)` where that lies inside the input, else the element with the bits `fill`.
    `pads` are top, left, bottom and right. Other paddings are `tpu.arrange`.

    **Constraints**: (C1) 4 pads in 0 .. 2^31-1 around at least one pixel; (C2) h and w of the result are those of the input and the
    pads, n and c the input's; (C3) equal element types of 8, 16 or 32 bits; (C4) `fill` is a number of that many bits, with a sign or
    without.

    **Example**:
    ```mlir
    %y = tpu.pad %x [1, 1, 1, 1] fill 0 : tensor<1x8x4x6xf16> -> tensor<1x8x6x8xf16>
    ```
  }];
  let arguments = (ins Tpu_CodeTensor:$input, DenseI64ArrayAttr:$pads,
      I64Attr:$fill);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$input $pads `fill` $fill attr-dict `:` "
                       "type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_ToBandsOp
    : Tpu_Op<"to_bands", [Pure, Tpu_Evaluate,
                          DeclareOpInterfaceMethods<Tpu_TilingInterface, ["computedBox", "inputNeed", "recipes", "readsFirstLane"]>]> {
  let summary = "bands of rows of an image as channels";
  let description = [{
    **Semantics**: `y(0, b*C + c, r, w) = input(0, c, bands.imageRow(b, r), w)`; rows outside of the image mean nothing (the evaluator makes them 0).
    A group does it in its load, or by copies from lane to lane.

    **Constraints**: (C1) one image of `bands.height` rows; (C2) the result has `bands.count` times the channels, the width and at least
    `above + rows` rows; (C3) equal element types.

    **Example**: 8 rows as two bands of 4 with a row of the neighbour on each side
    ```mlir
    %y = tpu.to_bands %x in <count = 2, rows = 4, above = 1, height = 8> : tensor<1x3x8x6xf16> -> tensor<1x6x6x6xf16>
    ```
  }];
  let arguments = (ins Tpu_CodeTensor:$input, Tpu_BandsAttr:$bands);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$input `in` $bands attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_FromBandsOp
    : Tpu_Op<"from_bands", [Pure, Tpu_Evaluate,
                          DeclareOpInterfaceMethods<Tpu_TilingInterface, ["computedBox", "inputNeed", "recipes", "readsFirstLane"]>]> {
  let summary = "an image of its bands";
  let description = [{
    **Semantics**: `y(0, c, bands.imageRow(b, r), w) = input(0, b*C + c, r, w)` for the rows `above <= r < above + rows` of each band. A group does it in its store, or by copies
    from lane to lane.

    **Constraints**: those of `tpu.to_bands` with operand and result exchanged; (C4) the bands have all rows: `count * rows >= height`.

    **Example**:
    ```mlir
    %y = tpu.from_bands %x in <count = 2, rows = 4, above = 1, height = 8> : tensor<1x6x6x6xf16> -> tensor<1x3x8x6xf16>
    ```
  }];
  let arguments = (ins Tpu_CodeTensor:$input, Tpu_BandsAttr:$bands);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$input `in` $bands attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_RowPhasesOp : Tpu_Op<"row_phases", [Pure, Tpu_Evaluate]> {
  let summary = "rows of an image in turn as channels";
  let description = [{
    What windows with `step` rows from one to the next read row by row. A group does it in its load: as many channels as an image channel becomes lie `W` elements apart in DRAM.

    **Semantics**: with K result channels for each of the input, `y(n, c*K + p, h, w) = input(n, c, h*step + p, w)`.

    **Constraints**: (C1) n and w of the result are the input's, its channels a multiple of those; (C2) `step` >= 1, and the last row lies inside of the input; (C3) equal
    element types.

    **Example**: patches of 16 rows
    ```mlir
    %y = tpu.row_phases %x step 16 : tensor<1x3x224x224xf32> -> tensor<1x48x14x224xf32>
    ```
  }];
  let arguments = (ins Tpu_CodeTensor:$input, I64Attr:$step);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$input `step` $step attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_ClearRowsOp
    : Tpu_Op<"clear_rows", [Pure, SameOperandsAndResultType, Tpu_Evaluate,
                            DeclareOpInterfaceMethods<Tpu_TilingInterface, ["computedBox", "inputNeed", "recipes", "runsInAnyLane", "channelInResult", "dependsOnRows"]>]> {
  let summary = "zeros in the rows around an image in bands";
  let description = [{
    **Semantics**: `output = input`, but the number 0 (of codes the zero point) in the rows of bands that are the `top` rows above the image or the `bottom` rows below it: the
    padding of a window. In local memory the result is the operand, whose rows outside of the image mean nothing to other readers.

    **Constraints**: (C1) the operand is one image in bands: its channels are a multiple of `bands.count`; (C2) `top`, `bottom` >= 0.

    **Example**:
    ```mlir
    %y = tpu.clear_rows %x in <count = 2, rows = 4, above = 1, height = 8> top 1 bottom 1 : tensor<1x6x6x6xf16>
    ```
  }];
  let arguments = (ins Tpu_CodeTensor:$input, Tpu_BandsAttr:$bands, I64Attr:$top, I64Attr:$bottom);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$input `in` $bands `top` $top `bottom` $bottom attr-dict `:` type($input)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// What of `piece` becomes zeros; each box lies in one band.
    ::llvm::SmallVector<::weft::tpu::Box> clearedBoxes(const ::weft::tpu::Box &piece);
  }];
}

def Tpu_JoinRoundsOp
    : Tpu_Op<"join_rounds", [Pure, Tpu_Evaluate,
                             DeclareOpInterfaceMethods<Tpu_TilingInterface, ["isTileable", "computedBox", "inputNeed", "readsStrided", "recipes"]>]> {
  let summary = "what a lane has of all rounds as a row";
  let description = [{
    **Semantics**: with L channels and rows of R in the result, `y(0, l, 0, r) = input(0, r*L + l, 0, 0)`. Made by `--tpu-order-channels` with as many channels as the chip has
    lanes; it stands in groups only, where it moves nothing from lane to lane.

    **Constraints**: (C1) one image of one element a channel, and a result of one image of one row a channel; (C2) the input has at least L * R channels; (C3) equal element types.

    **Example**:
    ```mlir
    %y = tpu.join_rounds %x : tensor<1x1000x1x1xf32> -> tensor<1x64x1x15xf32>
    ```
  }];
  let arguments = (ins Tpu_CodeTensor:$input);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input) `->` type($output)";
  let hasVerifier = 1;
}

def Tpu_ArrangeOp : Tpu_Op<"arrange", [Pure, Tpu_Evaluate]> {
  let summary = "regular parts of tensors, each at its place in the result";
  let description = [{
    What permutes, reverses, repeats, cuts, joins or pads tensors of any rank: all are copies with a step an axis.

    **Semantics**: first every element of the result has the bits `fill`; then the pieces are copied one after the other, so a
    later piece wins. Operands and result count as flat row-major lists.

    **Constraints**: (C1) operands and result have one element type; (C2) each piece names an operand and lies inside it and inside
    the result; (C3) without `fill` the pieces cover the result (not checked; what they leave out is undefined); (C4) `fill` is a number
    of as many bits as an element has, with a sign or without.

    **Example**: the rows of a 3x4 tensor in reverse order, two zeros in front of each
    ```mlir
    %y = tpu.arrange %x pieces [#tpu.piece<0, 8, 2, [3, 4], [-4, 1], [6, 1]>] fill 0 : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x6xf32>
    ```
  }];
  let arguments = (ins Variadic<Tpu_CodeTensor>:$inputs, Tpu_PieceArray:$pieces,
      OptionalAttr<I64Attr>:$fill);
  let results = (outs Tpu_CodeTensor:$output);
  let assemblyFormat = "$inputs `pieces` $pieces (`fill` $fill^)? attr-dict "
                       "`:` functional-type($inputs, $output)";
  let hasVerifier = 1;
}

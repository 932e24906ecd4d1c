//===- Passes.td - grouping and placement of tpu graphs ---------*- tablegen -*-===//

include "mlir/Pass/PassBase.td"

def TpuCastBeforeMoves : Pass<"tpu-cast-before-moves", "::mlir::func::FuncOp"> {
  let summary = "round and quantize before elements are moved, not after";
  let description = [{
    A cast from f32 to 16 bits goes before what only moves elements, if nobody else reads the result and no more elements are cast: the same numbers in half
    of the room. A cast that then undoes another one vanishes. What a move in DRAM brings to codes of 8 bits is quantized before it. A cast from 16 bits to f32 goes behind a reshape or permutation in DRAM that only groups read.

    ```mlir
    %2 = tpu.concat %0, %1 axis 1 : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x16x4x4xf32>
    %3 = tpu.cast %2 : tensor<1x16x4x4xf32> -> tensor<1x16x4x4xf16>
    // becomes
    %a = tpu.cast %0 : tensor<1x8x4x4xf32> -> tensor<1x8x4x4xf16>
    %b = tpu.cast %1 : tensor<1x8x4x4xf32> -> tensor<1x8x4x4xf16>
    %3 = tpu.concat %a, %b axis 1 : (tensor<1x8x4x4xf16>, tensor<1x8x4x4xf16>) -> tensor<1x16x4x4xf16>
    ```
  }];
}

def TpuChooseRecipes : Pass<"tpu-choose-recipes", "::mlir::func::FuncOp"> {
  let summary = "name the cheapest recipe of ops that have several";
  let description = [{
    An op of layer groups with more than one recipe (dialects/tpu/recipe) that is open to it gets the attribute `tpu.recipe`, the name of the one
    that costs fewest cycles for its whole result and the load of its constants. Cycles that no figure of the vendor's confirms count twice; of equal ones the first is taken.
    `rounding-only`: only ops whose recipes round differently are asked, for levels of optimization that are to give the same bits and choose nothing else.
  }];
  let options = [
    Option<"roundingOnly", "rounding-only", "bool", "false", "ask only where recipes add in different orders">,
  ];
}

def TpuFillLanes : Pass<"tpu-fill-lanes", "::mlir::func::FuncOp"> {
  let summary = "spread element functions and sums of few channels, or of short rows, over all lanes";
  let description = [{
    A channel lies in a lane, so a tensor of one channel keeps one lane busy, and each channel of a tensor of many rows is a transfer of its own. Functions
    of single elements do not care where an element lies: those that read each other get a shape that fills the lanes, between reshapes, if the
    cycles that it saves are more than those of storing and loading the values at the borders, which no group can hand over any more. Operands that have one
    element for all of some axes keep that: the axes are joined and split only where they have all or one together.
    Reductions of an axis go with them: that axis stays whole and in a lane, and many short rows lie behind each other there.

    ```mlir
    %1 = tpu.unary sigmoid %0 : tensor<1x1x640x640xf32>
    // becomes
    %r = tpu.reshape %0 : tensor<1x1x640x640xf32> -> tensor<1x64x10x640xf32>
    %s = tpu.unary sigmoid %r : tensor<1x64x10x640xf32>
    %1 = tpu.reshape %s : tensor<1x64x10x640xf32> -> tensor<1x1x640x640xf32>
    ```
  }];
}

def TpuCutBands : Pass<"tpu-cut-bands", "::mlir::func::FuncOp"> {
  let summary = "put bands of rows on the lanes that thin images leave idle";
  let description = [{
    A channel lies in a lane, so an image of 16 channels keeps 16 of 64 lanes busy. Convolutions, pools and functions of elements compute on bands of rows as on channels of
    their own (`tpu.to_bands`): filters and other constants are repeated, a convolution has as many times its groups. Bands overlap by the rows that windows need of
    their neighbours; around the image `tpu.clear_rows` has zeros for padding. Which ops, and how many bands: the cheapest cut between those that are and those that are not,
    by the prices of the recipes and of the transfers in between. A fifth must be saved, for what borders between groups cost in waiting.

    Numbers stay the same to the last bit. Convolutions of floats pass bands only if they are depthwise: others are multiplied with those of all bands, and what is
    infinite or NaN in one would make NaN in all.
  }];
}

def TpuFoldBands : Pass<"tpu-fold-bands", "::mlir::func::FuncOp"> {
  let summary = "let groups cut bands and phases in loads, and join bands in stores";
  let description = [{
    In: groups with a tiling. A `tpu.to_bands` or `tpu.row_phases` that only groups read moves into them, as the load of its operand; a `tpu.from_bands` that alone reads the result of a group
    moves in front of its yield, as the store. Others copy in DRAM.
  }];
}

def TpuOrderChannels : Pass<"tpu-order-channels", "::mlir::func::FuncOp"> {
  let summary = "order the channels of last layers so that lanes store rows";
  let description = [{
    In: a tpu graph before groups. A layer that gives one element a channel, the scores of a classifier, leaves those of a lane far from each other in DRAM, and each element is a run of its own.
    Out: where it costs less, the filters of such a layer stand in another order (channel `r * lanes + l` for channel `l * R + r`, of the channels of all whole rounds), functions of elements and pools
    behind it work on that, and `tpu.join_rounds` gives what a lane has as a row.

    ```mlir
    %y = tpu.conv %x, %w .. : .. -> tensor<1x1000x1x1xf32>
    // becomes
    %p = tpu.conv %x, %ordered .. : .. -> tensor<1x1000x1x1xf32>
    %rows = tpu.join_rounds %p : tensor<1x1000x1x1xf32> -> tensor<1x64x1x15xf32>
    %all = tpu.reshape %rows : tensor<1x64x1x15xf32> -> tensor<1x960x1x1xf32>
    %rest = tpu.slice %p [0, 960, 0, 0] .. : tensor<1x1000x1x1xf32> -> tensor<1x40x1x1xf32>
    %y = tpu.concat %all, %rest axis 1 ..
    ```
  }];
}

def TpuKeepRows : Pass<"tpu-keep-rows", "::mlir::func::FuncOp"> {
  let summary = "multiply heads of an attention as their rows lie";
  let description = [{
    A product of two computed matrices with a batch wants the batch before the rows, so models turn what linear layers give, a row of all heads, before and
    after it: through DRAM. The matrix unit takes a row a lane whatever the batch: `tpu.matmul` becomes `tpu.row_matmul` between two turns, which cancel with
    those of the model or move on through functions of single elements and softmax. Of f32 the cube multiplies, which has no transposed form: keys are turned
    from their rows at once, [0, 3, 2, 1]. Nothing is done if the turns that are left move more bytes than before.

    ```mlir
    %q = tpu.permute %0 [0, 2, 1, 3] : tensor<1x196x6x32xf16> -> tensor<1x6x196x32xf16>
    %k = tpu.permute %1 [0, 2, 3, 1] : tensor<1x196x6x32xf16> -> tensor<1x6x32x196xf16>
    %2 = tpu.matmul %q, %k : tensor<1x6x196x32xf16>, tensor<1x6x32x196xf16> -> tensor<1x6x196x196xf16>
    // becomes
    %s = tpu.row_matmul %0, %1 {transposed} : tensor<1x196x6x32xf16>, tensor<1x196x6x32xf16> -> tensor<1x196x6x196xf16>
    %2 = tpu.permute %s [0, 2, 1, 3] : tensor<1x196x6x196xf16> -> tensor<1x6x196x196xf16>
    ```
  }];
}

def TpuGroupLayers : Pass<"tpu-group-layers", "::mlir::func::FuncOp"> {
  let summary = "put runs of ops into groups that run slice by slice in local memory";
  let description = [{
    In: a tpu graph as `--convert-top-to-tpu` gives it. Out: runs of ops that can run on tiles stand in `tpu.group`s with a tiling under which
    they fit local memory, chosen by the cycles that it costs (docs/rationale/0003-layer-groups.md). A group begins with each op that has
    `tpu.begins_group`, which `-O3` writes.

    ```mlir
    %1 = tpu.unary abs %0 : tensor<1x8x4x4xf32>
    %2 = tpu.unary neg %1 : tensor<1x8x4x4xf32>
    // becomes
    %2 = tpu.group(%a = %0 : tensor<1x8x4x4xf32>) .. {
      %b = tpu.unary abs %a : tensor<1x8x4x4xf32>
      %c = tpu.unary neg %b : tensor<1x8x4x4xf32>
      tpu.yield %c : tensor<1x8x4x4xf32>
    }
    ```
  }];
  let options = [
    Option<"maxOps", "max-ops", "int64_t", "::weft::tpu::GroupSearchOptions().maxOps", "longest group whose slices are whole images">,
    Option<"maxSlicedOps", "max-sliced-ops", "int64_t", "::weft::tpu::GroupSearchOptions().maxSlicedOps", "longest group that cuts images into slices">,
    Option<"overlapChannels", "overlap-channels", "bool", "::weft::tpu::GroupSearchOptions().overlapsChannels", "cut groups that fit along channels too">,
  ];
}

def TpuMoveTurns : Pass<"tpu-move-turns", "::mlir::func::FuncOp"> {
  let summary = "move permutations to where a tensor lies in DRAM anyway";
  let description = [{
    A `tpu.permute` between functions of single elements goes before the first of them if their operand is in DRAM whatever the groups will be, or behind
    the last if the result is: there `--tpu-fold-turns` can make it part of a transfer, and the functions are one run for the groups. Done where the
    turned transfer costs less than a turn within DRAM. A turn that stays in DRAM makes f32 of floats of 16 bits on its way if that is what alone reads it.

    ```mlir
    %1 = tpu.unary relu %arg0 : tensor<1x128x48x160xf32>
    %2 = tpu.permute %1 [0, 2, 1, 3] : tensor<1x128x48x160xf32> -> tensor<1x48x128x160xf32>
    // becomes
    %1 = tpu.permute %arg0 [0, 2, 1, 3] : tensor<1x128x48x160xf32> -> tensor<1x48x128x160xf32>
    %2 = tpu.unary relu %1 : tensor<1x48x128x160xf32>
    ```
  }];
}

def TpuJoinMoves : Pass<"tpu-join-moves", "::mlir::func::FuncOp"> {
  let summary = "make one order of rows of the moves in DRAM that follow each other";
  let description = [{
    Windows of an image are reshaped, turned, rolled by slices and concatenations, and turned back. Between two tensors of equal rows (w) all of that is an order of rows: a single `tpu.arrange`
    whose pieces are boxes of the result, so that loads of groups do it, or of the operand, for a store (`--tpu-fold-turns`). A cast that all rows meet comes behind it. Done where one of the moves would go
    through DRAM in any case, and the transfers get no longer by more than that takes.

    ```mlir
    %1 = tpu.reshape %0 : tensor<1x16x1x96xf16> -> tensor<1x2x8x96xf16>
    %2 = tpu.arrange %1 pieces [#tpu.piece<0, 0, 0, [2, 2, 2, 192], [768, 192, 384, 1], [768, 384, 192, 1]>] : (tensor<1x2x8x96xf16>) -> tensor<1x2x8x96xf16>
    %3 = tpu.reshape %2 : tensor<1x2x8x96xf16> -> tensor<4x4x1x96xf16>
    // becomes
    %3 = tpu.arrange %0 pieces [#tpu.piece<0, 0, 0, [2, 2, 1, 96], [192, 96, 96, 1], [384, 96, 96, 1]>, ..] : (tensor<1x16x1x96xf16>) -> tensor<4x4x1x96xf16>
    ```
  }];
}

def TpuMoveRows : Pass<"tpu-move-rows", "::mlir::func::FuncOp"> {
  let summary = "order rows before what computes on each of them";
  let description = [{
    Functions of elements and normalizations compute on each row (w) alone, so the rows may be ordered before them as well as behind: a `tpu.arrange` of what they give moves before them if they
    begin with one tensor that lies in DRAM anyway. Then they are in one group with what reads them in the other order. Done where computing on as many lanes as that order fills, and loading what they begin with, takes fewer cycles
    than storing and loading what they give.

    ```mlir
    %1 = tpu.unary relu %x : tensor<1x16x1x96xf16>
    %2 = tpu.arrange %1 pieces [..] : (tensor<1x16x1x96xf16>) -> tensor<4x4x1x96xf16>
    // becomes
    %1 = tpu.arrange %x pieces [..] : (tensor<1x16x1x96xf16>) -> tensor<4x4x1x96xf16>
    %2 = tpu.unary relu %1 : tensor<4x4x1x96xf16>
    ```
  }];
}

def TpuRowPhases : Pass<"tpu-row-phases", "::mlir::func::FuncOp"> {
  let summary = "load rows in turn as channels";
  let description = [{
    A `tpu.permute` that takes every S-th row of an image together, whose images are then seen as channels (what the importer makes of convolutions with long strides),
    becomes `tpu.row_phases`, before the functions of single elements that stand in between. Groups do that in their loads, where they would read what DRAM holds
    in other lanes. The turn must be of what lies in DRAM anyway.

    ```mlir
    %1 = tpu.reshape %x : tensor<1x3x224x224xf32> -> tensor<3x14x16x224xf32>
    %2 = tpu.permute %1 [0, 2, 1, 3] : tensor<3x14x16x224xf32> -> tensor<3x16x14x224xf32>
    %3 = tpu.cast %2 : tensor<3x16x14x224xf32> -> tensor<3x16x14x224xf16>
    %4 = tpu.reshape %3 : tensor<3x16x14x224xf16> -> tensor<1x48x14x224xf16>
    // becomes
    %1 = tpu.row_phases %x step 16 : tensor<1x3x224x224xf32> -> tensor<1x48x14x224xf32>
    %4 = tpu.cast %1 : tensor<1x48x14x224xf32> -> tensor<1x48x14x224xf16>
    ```
  }];
}

def TpuFoldTurns : Pass<"tpu-fold-turns", "::mlir::func::FuncOp"> {
  let summary = "let groups turn what they load and store";
  let description = [{
    In: groups with a tiling. A `tpu.permute` that only groups read moves into them, as the load of its operand; one that alone reads the result of a group
    moves into that, as its store. The cheaper of both is taken, and none if the turned transfers cost more than a turn within DRAM. A `tpu.arrange` of whole rows is treated alike.

    ```mlir
    %1 = tpu.permute %0 [0, 2, 1, 3] : tensor<1x128x48x160xf32> -> tensor<1x48x128x160xf32>
    %2 = tpu.group(%1) .. { ^bb0(%a: tensor<1x48x128x160xf32>): ..
    // becomes
    %2 = tpu.group(%0) .. { ^bb0(%b: tensor<1x128x48x160xf32>):
      %a = tpu.permute %b [0, 2, 1, 3] : tensor<1x128x48x160xf32> -> tensor<1x48x128x160xf32>
    ```
  }];
}

def TpuKeepValues : Pass<"tpu-keep-values", "::mlir::func::FuncOp"> {
  let summary = "keep values in local memory from one group to the next";
  let description = [{
    In: groups with a tiling. What one of the last ops of a group makes and one of the first ops of the group right behind reads (`max-ops-between`) stays in local memory if both groups still have room and cost less by `least-gain`: the second, which runs in one slice, then has
    it `kept`, so that it is neither loaded nor, if nobody else reads it, stored. A group of several slices puts the whole together, slice by slice, and may need more of them
    for the room that this takes; it does so if that costs less than the load.

    ```mlir
    %1 = tpu.group(%0) tiling <n = 1, c = 1, h = 2, w = 1> ..
    %2 = tpu.group(%1) tiling <n = 1, c = 1, h = 1, w = 1> ..
    // becomes
    %1 = tpu.group(%0) tiling <n = 1, c = 1, h = 3, w = 1> ..
    %2 = tpu.group(%1) tiling <n = 1, c = 1, h = 1, w = 1> kept [0] ..
    ```
  }];
  let options = [
    Option<"maxOpsBetween", "max-ops-between", "int64_t", "3", "ops at most between the one that makes a value and the first that reads it; over more of them a transfer has time enough">,
    Option<"leastGain", "least-gain", "double", "0.002", "share of both groups' cycles that must be gained: other places also change what overlaps with other groups, which no price of a group knows">,
  ];
}

def TpuPlaceLocal : Pass<"tpu-place-local", "::mlir::func::FuncOp"> {
  let summary = "give the tensors of every group their local addresses by live range";
  let description = [{
    In: groups with a tiling. Out: every tensor of a group has a `#tpu.buffer`: where it lies in the lanes, whether it has two slots, and the step
    at which it is loaded; inputs on the group, the rest on the op they belong to. In a group of one slice all loads begin as
    early as there is room, so that the DMA runs while the TIU computes. A group that does not fit under its tiling is an error; the search of `--tpu-group-layers` makes none.

    `-O3` writes two attributes on groups: with `tpu.largest_load_first` the largest load begins as early as it can, rather than the one that is wanted first;
    with `tpu.stores_at_once` what is stored makes room at once, even if nobody needs it.
  }];
}

def TpuNarrowFilters : Pass<"tpu-narrow-filters", "::mlir::func::FuncOp"> {
  let summary = "find groups in filters that are zero outside of them";
  let description = [{
    A convolution of one group whose filters are zero outside of groups of channels becomes one with groups, neighbouring or interleaved, of as many as there
    can be; not a depthwise one, which sums in another order. A shuffle of channels behind a grouped convolution leaves such filters. Commands stay as wide,
    but DRAM holds the numbers that count (docs/rationale/0011-recipes.md).

    ```mlir
    %w = tpu.weight dense<[[[[1.0]], [[0.0]]], [[[0.0]], [[2.0]]], [[[3.0]], [[0.0]]], [[[0.0]], [[4.0]]]]> : tensor<4x2x1x1xf32>
    %y = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : ..
    // becomes
    %w = tpu.weight dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]]> : tensor<4x1x1x1xf32>
    %y = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 2 {interleaved} : ..
    ```
  }];
}

def TpuPlaceGlobal : Pass<"tpu-place-global", "::mlir::func::FuncOp"> {
  let summary = "give weights, inputs, outputs and DRAM intermediates their addresses";
  let description = [{
    In: placed groups (`--tpu-place-local`). Out: DRAM addresses for packed constants and weights (from the chip's weight base on), arguments, results
    and what crosses DRAM between groups (`tpu.address`, `addresses` of groups). Where an address is enough, nothing will move: a reshape and a slice in
    one piece lie in their source, and the operands of a concatenation are parts of its result if the pieces follow each other.
  }];
}

def TpuUnfoldConvs : Pass<"tpu-unfold-convs", "::mlir::func::FuncOp"> {
  let summary = "give convolutions of few channels more by unfolding their windows";
  let description = [{
    The matrix unit multiplies as many channels of 8 or 16 bits at a time as a row of EUs holds, so three of them cost what a full row does. Made channels of
    their own (`tpu.unfold`), the rows of the window or all of its elements cost a copy of each channel to several lanes and a depthwise convolution, and
    leave a smaller window to the matrix unit. Done where the prices of the recipes say that it saves a fifth.

    ```mlir
    %y = tpu.conv %x, %w strides [2, 2] pads [3, 3, 3, 3] dilations [1, 1] group 1 : tensor<1x3x224x224xf16>, tensor<64x3x7x7xf16> -> tensor<1x64x112x112xf16>
    // becomes, with the elements of %w as a tensor<64x21x1x7xf16>
    %u = tpu.unfold %x kernel [7, 1] strides [2, 1] pads [3, 0, 3, 0] dilations [1, 1] : tensor<1x3x224x224xf16> -> tensor<1x21x112x224xf16>
    %y = tpu.conv %u, %v strides [1, 2] pads [0, 3, 0, 3] dilations [1, 1] group 1 : tensor<1x21x112x224xf16>, tensor<64x21x1x7xf16> -> tensor<1x64x112x112xf16>
    ```

    Integers stay the same to the last bit. Sums of 16-bit floats may round differently, as the unit rounds once for all channels that it takes at a time.
  }];
}

def TpuStackRows : Pass<"tpu-stack-rows", "::mlir::func::FuncOp"> {
  let summary = "compute several rows of thin results at once";
  let description = [{
    The matrix unit gives as many output channels at a time as there are lanes, so 32 of them cost what 64 do. Two rows of the result as channels of one fill
    the lanes: the window is as high as the two together, zeros where a row has no weight. 3x3 windows are 12 products for two rows in place of 18, and what
    comes behind each sum runs on all lanes. `tpu.channels_to_rows` puts the rows where they belong. Products of codes alone: the zeros would make a NaN of an
    infinite float in a row that does not read it. Done where the prices of the recipes say that it saves a tenth.

    ```mlir
    %y = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {..} : tensor<1x128x56x56x!q>, tensor<32x128x3x3xi8> -> tensor<1x32x56x56x!q>
    // becomes
    %s = tpu.conv %x, %v strides [2, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {..} : tensor<1x128x56x56x!q>, tensor<64x128x4x3xi8> -> tensor<1x64x28x56x!q>
    %y = tpu.channels_to_rows %s : tensor<1x64x28x56x!q> -> tensor<1x32x56x56x!q>
    ```
  }];
}

def TpuSplitFilters : Pass<"tpu-split-filters", "::mlir::func::FuncOp"> {
  let summary = "cut convolutions whose filters take much of local memory";
  let description = [{
    A group loads what its ops read as early as there is room. Filters of half the local memory leave none for those of the next convolution, and the matrix unit waits
    for all of them before it begins. In parts of the output channels, each a convolution of its own, the first multiplies while the others are loaded, and each makes room
    when it is done. The parts are joined by address, are whole rounds over the lanes and have about 1/16 of local memory; they keep the recipe of the whole. Convolutions
    in groups or of bands, with computed filters, of one input channel, or that a concatenation puts behind other channels so that they begin in another lane stay whole.

    ```mlir
    %y = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x1024x14x14xf32>, tensor<512x1024x1x1xf32> -> tensor<1x512x14x14xf32>
    // becomes
    %p0 = tpu.conv %x, %w0 .. : tensor<1x1024x14x14xf32>, tensor<256x1024x1x1xf32> -> tensor<1x256x14x14xf32>
    %p1 = tpu.conv %x, %w1 .. : tensor<1x1024x14x14xf32>, tensor<256x1024x1x1xf32> -> tensor<1x256x14x14xf32>
    %y = tpu.concat %p0, %p1 axis 1 : (..) -> tensor<1x512x14x14xf32>
    ```
  }];
}

def TpuListDecisions : Pass<"tpu-list-decisions", "::mlir::func::FuncOp"> {
  let summary = "say which intermediates lie in DRAM and why, and list what the passes decided";
  let description = [{
    In: a placed graph (`--tpu-place-global`), on whose ops the passes have left `tpu.border` and `tpu.choices`. Out: `tpu.decisions` on the function, which
    `weft explain` reads in the file: the groups and ops of the program in order, with what ended each group; every value in DRAM that is neither input nor output, who
    reads it and why it is there; the choices with their prices. Nothing else changes.
  }];
}

// What the verifiers of tpu's move family refuse, by the labels of their descriptions.
// RUN: weft-opt --verify-diagnostics --split-input-file %s

// Reshape_C1
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{input and output must have as many elements and one element type}}
  %y = tpu.reshape %a : tensor<1x4x6x6xf32> -> tensor<1x4x6x5xf32>
  return
}

// -----

// Permute_C1
func.func @refused(%a: tensor<1x2x3x4xf32>) {
  // expected-error@+1 {{order must be a permutation of 0, 1, 2, 3}}
  %y = tpu.permute %a [0, 1, 1, 3] : tensor<1x2x3x4xf32> -> tensor<1x2x3x4xf32>
  return
}

// -----

// Permute_C2
func.func @refused(%a: tensor<1x2x3x4xf32>) {
  // expected-error@+1 {{axis 1 of the result must have size 3}}
  %y = tpu.permute %a [0, 2, 1, 3] : tensor<1x2x3x4xf32> -> tensor<1x2x3x4xf32>
  return
}

// -----

// Permute_C3
func.func @refused(%a: tensor<1x2x3x4xf32>) {
  // expected-error@+1 {{input and output must have one element type, or the input one of 16 bits and the output f32}}
  %y = tpu.permute %a [0, 2, 1, 3] : tensor<1x2x3x4xf32> -> tensor<1x3x2x4xf16>
  return
}

// -----

// Permute_C4
func.func @refused(%a: tensor<1x2x3x4xf16>) {
  // expected-error@+1 {{turns nothing; a cast widens what stays where it is}}
  %y = tpu.permute %a [0, 1, 2, 3] : tensor<1x2x3x4xf16> -> tensor<1x2x3x4xf32>
  return
}

// -----

// Slice_C1: three
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{needs 4 offsets and 4 steps}}
  %y = tpu.slice %a [0, 0, 0] steps [1, 1, 1, 1] : tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// Slice_C1: step 0
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{offsets must be non-negative and steps positive}}
  %y = tpu.slice %a [0, 0, 0, 0] steps [1, 1, 0, 1] : tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// Slice_C2
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{axis 2 reads past the input's 6 elements}}
  %y = tpu.slice %a [0, 0, 1, 0] steps [1, 1, 1, 1] : tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// Slice_C3
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{input and output must have one element type}}
  %y = tpu.slice %a [0, 0, 0, 0] steps [1, 1, 1, 1] : tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf16>
  return
}

// -----

// Concat_C2: another axis
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x4x5x6xf32>) {
  // expected-error@+1 {{axis 2 must have size 6 in every input}}
  %y = tpu.concat %a, %b axis 1 : (tensor<1x4x6x6xf32>, tensor<1x4x5x6xf32>) -> tensor<1x8x6x6xf32>
  return
}

// -----

// Concat_C2: sum
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{sizes along axis 1 add up to 8, the result has 9}}
  %y = tpu.concat %a, %b axis 1 : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x9x6x6xf32>
  return
}

// -----

// Concat_C3
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x4x6x6xf16>) {
  // expected-error@+1 {{inputs and output must have one element type}}
  %y = tpu.concat %a, %b axis 1 : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf16>) -> tensor<1x8x6x6xf32>
  return
}

// -----

// C1
func.func @arrange_types(%a: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{'tpu.arrange' op inputs and output must have one element type}}
  %y = tpu.arrange %a pieces [] fill 0 : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf16>
  return
}

// -----

// C2
func.func @arrange_operand(%a: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{'tpu.arrange' op piece 0 names operand 1, there are 1}}
  %y = tpu.arrange %a pieces [#tpu.piece<1, 0, 0, [2], [1], [1]>] : (tensor<1x4x6x6xf32>) -> tensor<1x1x1x2xf32>
  return
}

// -----

// C2
func.func @arrange_source(%a: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{'tpu.arrange' op piece 0 leaves its operand, which has 144 elements}}
  %y = tpu.arrange %a pieces [#tpu.piece<0, 1, 0, [3], [-1], [1]>] : (tensor<1x4x6x6xf32>) -> tensor<1x1x1x3xf32>
  return
}

// -----

// C2
func.func @arrange_result(%a: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{'tpu.arrange' op piece 0 leaves the result, which has 3 elements}}
  %y = tpu.arrange %a pieces [#tpu.piece<0, 0, 1, [3], [1], [1]>] : (tensor<1x4x6x6xf32>) -> tensor<1x1x1x3xf32>
  return
}

// -----

func.func @arrange_piece(%a: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{a piece has 2 sizes, 1 steps in its operand and 1 in the result; it must have equally many}}
  %y = tpu.arrange %a pieces [#tpu.piece<0, 0, 1, [3, 2], [1], [1]>] : (tensor<1x4x6x6xf32>) -> tensor<1x1x1x3xf32>
  return
}

// -----

func.func @arrange_step(%a: tensor<1x4x6x6xf32>) {
  // expected-error @+1 {{a piece has a negative operand or offset, or a size or a step in the result below 1}}
  %y = tpu.arrange %a pieces [#tpu.piece<0, 0, 1, [3], [1], [0]>] : (tensor<1x4x6x6xf32>) -> tensor<1x1x1x3xf32>
  return
}

// -----

// In a group (C3): joined along n the inputs would lie apart.
module attributes {tpu.chip = "bm1684x"} {
  func.func @refused(%a: tensor<1x8x4x4xf32>) {
    %0 = tpu.group(%a) tiling <n = 1, c = 1, h = 1, w = 1> : (tensor<1x8x4x4xf32>) -> tensor<2x8x4x4xf32> {
    ^bb0(%x: tensor<1x8x4x4xf32>):
      // expected-error@+1 {{cannot run slice by slice in local memory; leave it outside the group}}
      %c = tpu.concat %x, %x axis 0 : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<2x8x4x4xf32>
      tpu.yield %c : tensor<2x8x4x4xf32>
    }
    return
  }
}

// -----

// In a group (C3): a load arranges whole rows.
module attributes {tpu.chip = "bm1684x"} {
  func.func @arranged_elements(%a: tensor<1x8x4x4xf32>) {
    %0 = tpu.group(%a) tiling <n = 1, c = 1, h = 1, w = 1> : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
    ^bb0(%x: tensor<1x8x4x4xf32>):
      // expected-error@+1 {{cannot run slice by slice in local memory; leave it outside the group}}
      %1 = tpu.arrange %x pieces [#tpu.piece<0, 0, 0, [1, 8, 4, 4], [128, 16, 1, 4], [128, 16, 4, 1]>] : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
      %2 = tpu.unary relu %1 : tensor<1x8x4x4xf32>
      tpu.yield %2 : tensor<1x8x4x4xf32>
    }
    return
  }
}

// -----

// In a group (C3): rows that two pieces bring would depend on the order of slices.
module attributes {tpu.chip = "bm1684x"} {
  func.func @arranged_twice(%a: tensor<1x8x4x4xf32>) {
    %0 = tpu.group(%a) tiling <n = 1, c = 1, h = 1, w = 1> : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
    ^bb0(%x: tensor<1x8x4x4xf32>):
      %1 = tpu.unary relu %x : tensor<1x8x4x4xf32>
      // expected-error@+1 {{cannot run slice by slice in local memory; leave it outside the group}}
      %2 = tpu.arrange %1 pieces [#tpu.piece<0, 0, 0, [1, 8, 4, 4], [128, 16, 4, 1], [128, 16, 4, 1]>, #tpu.piece<0, 0, 16, [1, 1, 4, 4], [128, 16, 4, 1], [128, 16, 4, 1]>] : (tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32>
      tpu.yield %2 : tensor<1x8x4x4xf32>
    }
    return
  }
}

// -----

// In a group (C3): neither the load of an argument nor a store.
module attributes {tpu.chip = "bm1684x"} {
  func.func @turned_inside(%a: tensor<1x8x4x4xf32>) {
    %0 = tpu.group(%a) tiling <n = 1, c = 1, h = 1, w = 1> : (tensor<1x8x4x4xf32>) -> tensor<1x4x8x4xf32> {
    ^bb0(%x: tensor<1x8x4x4xf32>):
      %1 = tpu.unary relu %x : tensor<1x8x4x4xf32>
      // expected-error@+1 {{cannot run slice by slice in local memory; leave it outside the group}}
      %2 = tpu.permute %1 [0, 2, 1, 3] : tensor<1x8x4x4xf32> -> tensor<1x4x8x4xf32>
      %3 = tpu.unary relu %2 : tensor<1x4x8x4xf32>
      tpu.yield %3 : tensor<1x4x8x4xf32>
    }
    return
  }
}

// -----

// An argument that is read as it is as well.
module attributes {tpu.chip = "bm1684x"} {
  func.func @read_twice(%a: tensor<1x8x8x4xf32>) {
    %0 = tpu.group(%a) tiling <n = 1, c = 1, h = 1, w = 1> : (tensor<1x8x8x4xf32>) -> tensor<1x8x8x4xf32> {
    ^bb0(%x: tensor<1x8x8x4xf32>):
      // expected-error@+1 {{cannot run slice by slice in local memory; leave it outside the group}}
      %1 = tpu.permute %x [0, 2, 1, 3] : tensor<1x8x8x4xf32> -> tensor<1x8x8x4xf32>
      %2 = tpu.binary add %1, %x : tensor<1x8x8x4xf32>, tensor<1x8x8x4xf32> -> tensor<1x8x8x4xf32>
      tpu.yield %2 : tensor<1x8x8x4xf32>
    }
    return
  }
}

// -----

// From DRAM to DRAM.
module attributes {tpu.chip = "bm1684x"} {
  func.func @only_turned(%a: tensor<1x8x4x4xf32>) {
    %0 = tpu.group(%a) tiling <n = 1, c = 1, h = 1, w = 1> : (tensor<1x8x4x4xf32>) -> tensor<1x4x8x4xf32> {
    ^bb0(%x: tensor<1x8x4x4xf32>):
      // expected-error@+1 {{cannot run slice by slice in local memory; leave it outside the group}}
      %1 = tpu.permute %x [0, 2, 1, 3] : tensor<1x8x4x4xf32> -> tensor<1x4x8x4xf32>
      tpu.yield %1 : tensor<1x4x8x4xf32>
    }
    return
  }
}

// -----

// Group_C5
func.func @yields_what_it_loads(%x: tensor<1x8x4x4xf32>) -> (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) {
  // expected-error@+1 {{yields what it loads; what reads the result can read the operand}}
  %0:2 = tpu.group(%x) : (tensor<1x8x4x4xf32>) -> (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) {
  ^bb0(%a: tensor<1x8x4x4xf32>):
    %1 = tpu.unary abs %a : tensor<1x8x4x4xf32>
    tpu.yield %1, %a : tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>
  }
  return %0#0, %0#1 : tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>
}

// -----

// group C7
func.func @keeps_what_no_group_made(%x: tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  // expected-error@+1 {{keeps operand 0, which no group right before it makes}}
  %y = tpu.group(%x) kept [0] : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  ^bb0(%a: tensor<1x4x6x6xf32>):
    %0 = tpu.unary abs %a : tensor<1x4x6x6xf32>
    tpu.yield %0 : tensor<1x4x6x6xf32>
  }
  return %y : tensor<1x4x6x6xf32>
}

// -----

// group C7
func.func @keeps_more_than_it_has(%x: tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  // expected-error@+1 {{keeps operand 1 of 1}}
  %y = tpu.group(%x) kept [1] : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  ^bb0(%a: tensor<1x4x6x6xf32>):
    %0 = tpu.unary abs %a : tensor<1x4x6x6xf32>
    tpu.yield %0 : tensor<1x4x6x6xf32>
  }
  return %y : tensor<1x4x6x6xf32>
}

// -----

// group C7
func.func @keeps_over_an_op(%x: tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  %y = tpu.group(%x) : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  ^bb0(%a: tensor<1x4x6x6xf32>):
    %0 = tpu.unary abs %a : tensor<1x4x6x6xf32>
    tpu.yield %0 : tensor<1x4x6x6xf32>
  }
  %t = tpu.permute %x [0, 1, 3, 2] : tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf32>
  // expected-error@+1 {{keeps operand 0, which no group right before it makes}}
  %z = tpu.group(%y, %t) kept [0] : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  ^bb0(%a: tensor<1x4x6x6xf32>, %b: tensor<1x4x6x6xf32>):
    %0 = tpu.binary add %a, %b : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf32>
    tpu.yield %0 : tensor<1x4x6x6xf32>
  }
  return %z : tensor<1x4x6x6xf32>
}

// -----

// group C7
func.func @keeps_in_slices(%x: tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  %y = tpu.group(%x) : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  ^bb0(%a: tensor<1x4x6x6xf32>):
    %0 = tpu.unary abs %a : tensor<1x4x6x6xf32>
    tpu.yield %0 : tensor<1x4x6x6xf32>
  }
  // expected-error@+1 {{keeps operand 0 and runs in several slices}}
  %z = tpu.group(%y) tiling <n = 1, c = 1, h = 2, w = 1> kept [0] : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  ^bb0(%a: tensor<1x4x6x6xf32>):
    %0 = tpu.unary neg %a : tensor<1x4x6x6xf32>
    tpu.yield %0 : tensor<1x4x6x6xf32>
  }
  return %z : tensor<1x4x6x6xf32>
}

// -----

// group C7
func.func @keeps_what_its_load_turns(%x: tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  %y = tpu.group(%x) : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  ^bb0(%a: tensor<1x4x6x6xf32>):
    %0 = tpu.unary abs %a : tensor<1x4x6x6xf32>
    tpu.yield %0 : tensor<1x4x6x6xf32>
  }
  // expected-error@+1 {{keeps operand 0, which a transfer has to move}}
  %z = tpu.group(%y) kept [0] : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  ^bb0(%a: tensor<1x4x6x6xf32>):
    %t = tpu.permute %a [0, 1, 3, 2] : tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf32>
    %0 = tpu.unary neg %t : tensor<1x4x6x6xf32>
    tpu.yield %0 : tensor<1x4x6x6xf32>
  }
  return %z : tensor<1x4x6x6xf32>
}

// -----

// group C7
func.func @keeps_elsewhere(%x: tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  %y = tpu.group(%x) buffers [#tpu.buffer<local = 0, bytes = 192>] : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  ^bb0(%a: tensor<1x4x6x6xf32>):
    %0 = tpu.unary abs %a {tpu.buffers = [#tpu.buffer<local = 192, bytes = 192>]} : tensor<1x4x6x6xf32>
    tpu.yield %0 : tensor<1x4x6x6xf32>
  }
  // expected-error@+1 {{keeps operand 0, which the group before has left elsewhere}}
  %z = tpu.group(%y) buffers [#tpu.buffer<local = 0, bytes = 192>] kept [0] : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32> {
  ^bb0(%a: tensor<1x4x6x6xf32>):
    %0 = tpu.unary neg %a {tpu.buffers = [#tpu.buffer<local = 192, bytes = 192>]} : tensor<1x4x6x6xf32>
    tpu.yield %0 : tensor<1x4x6x6xf32>
  }
  return %z : tensor<1x4x6x6xf32>
}

// -----

// group C6
func.func @refused(%x: tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32> {
  // expected-error@+1 {{loads at step -1; only streamed slices load ahead}}
  %y = tpu.group(%x) tiling <n = 2, c = 1, h = 1, w = 1> buffers [#tpu.buffer<local = 0, bytes = 192, load = -1>] : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32> {
  ^bb0(%a: tensor<2x4x6x6xf32>):
    %0 = tpu.unary abs %a : tensor<2x4x6x6xf32>
    tpu.yield %0 : tensor<2x4x6x6xf32>
  }
  return %y : tensor<2x4x6x6xf32>
}

// -----

// group C6: of the only step of the slice before
func.func @refused(%x: tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32> {
  // expected-error@+1 {{loads at step -2; a slice has 1 steps}}
  %y = tpu.group(%x) tiling <n = 2, c = 1, h = 1, w = 1, streamed = true> buffers [#tpu.buffer<local = 0, bytes = 192, load = -2>] : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32> {
  ^bb0(%a: tensor<2x4x6x6xf32>):
    %0 = tpu.unary abs %a : tensor<2x4x6x6xf32>
    tpu.yield %0 : tensor<2x4x6x6xf32>
  }
  return %y : tensor<2x4x6x6xf32>
}

// -----

// group C6
func.func @refused(%x: tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32> {
  // expected-error@+1 {{holds a buffer; only streamed slices do}}
  %y = tpu.group(%x) tiling <n = 1, c = 1, h = 1, w = 1> buffers [#tpu.buffer<local = 0, bytes = 192, held = true>] : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32> {
  ^bb0(%a: tensor<2x4x6x6xf32>):
    %0 = tpu.unary abs %a : tensor<2x4x6x6xf32>
    tpu.yield %0 : tensor<2x4x6x6xf32>
  }
  return %y : tensor<2x4x6x6xf32>
}

// -----

// pad C1
func.func @refused(%x: tensor<1x2x3x4xf16>) {
  // expected-error@+1 {{pads must be 4 numbers from 0 to 2^31 - 1}}
  %y = tpu.pad %x [1, 0, -1, 0] fill 0 : tensor<1x2x3x4xf16> -> tensor<1x2x3x4xf16>
  return
}

// -----

// pad C2
func.func @refused(%x: tensor<1x2x3x4xf16>) {
  // expected-error@+1 {{pads give 5 x 4 pixels, the result must have as many and the input's n and c}}
  %y = tpu.pad %x [1, 0, 1, 0] fill 0 : tensor<1x2x3x4xf16> -> tensor<1x2x4x4xf16>
  return
}

// -----

// pad C3
func.func @refused(%x: tensor<1x2x3x4xf16>) {
  // expected-error@+1 {{input and output must have one element type of 8, 16 or 32 bits}}
  %y = tpu.pad %x [1, 0, 1, 0] fill 0 : tensor<1x2x3x4xf16> -> tensor<1x2x5x4xf32>
  return
}

// -----

// pad C1
func.func @refused(%x: tensor<1x2x0x4xf16>) {
  // expected-error@+1 {{the input must have pixels}}
  %y = tpu.pad %x [1, 0, 1, 0] fill 0 : tensor<1x2x0x4xf16> -> tensor<1x2x2x4xf16>
  return
}

// -----

// pad C4
func.func @refused(%x: tensor<1x2x3x4xui8>) {
  // expected-error@+1 {{fill is 256, which an element of 8 bits does not hold}}
  %y = tpu.pad %x [1, 0, 1, 0] fill 256 : tensor<1x2x3x4xui8> -> tensor<1x2x5x4xui8>
  return
}

// -----

// arrange C4
func.func @refused(%x: tensor<1x1x3x4xf16>) {
  // expected-error@+1 {{fill is 1069547520, which an element of 16 bits does not hold}}
  %y = tpu.arrange %x pieces [#tpu.piece<0, 0, 2, [3, 4], [4, 1], [6, 1]>] fill 1069547520 : (tensor<1x1x3x4xf16>) -> tensor<1x1x3x6xf16>
  return
}

// -----

// buffer
func.func @refused(%x: tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32> {
  // expected-error@+1 {{what is held is loaded in the first slice, not before it}}
  %y = tpu.group(%x) buffers [#tpu.buffer<local = 0, bytes = 192, load = -1, held = true>] : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32> {
  ^bb0(%a: tensor<2x4x6x6xf32>):
    %0 = tpu.unary abs %a : tensor<2x4x6x6xf32>
    tpu.yield %0 : tensor<2x4x6x6xf32>
  }
  return %y : tensor<2x4x6x6xf32>
}

// -----

// buffer
func.func @refused(%x: tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32> {
  // expected-error@+1 {{buffer addresses and sizes must not be negative}}
  %y = tpu.group(%x) buffers [#tpu.buffer<local = -64, bytes = 192>] : (tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32> {
  ^bb0(%a: tensor<2x4x6x6xf32>):
    %0 = tpu.unary abs %a : tensor<2x4x6x6xf32>
    tpu.yield %0 : tensor<2x4x6x6xf32>
  }
  return %y : tensor<2x4x6x6xf32>
}

// -----

// bands: the last has rows
// expected-error@+1 {{5 bands of 4 rows: the last one has none of 16}}
#bands = #tpu.bands<count = 5, rows = 4, above = 0, height = 16>

// -----

// bands: numbers
// expected-error@+1 {{bands need a count, rows and a height of at least 1 and no negative number of rows above}}
#bands = #tpu.bands<count = 2, rows = 4, above = -1, height = 8>

// -----

// row_phases C1
func.func @refused(%x: tensor<1x3x32x8xf16>) {
  // expected-error@+1 {{the result must have n and w of the input, and a multiple of its 3 channels}}
  %y = tpu.row_phases %x step 16 : tensor<1x3x32x8xf16> -> tensor<1x47x2x8xf16>
  return
}

// -----

// row_phases C1
func.func @refused(%x: tensor<1x3x32x8xf16>) {
  // expected-error@+1 {{the result must have n and w of the input, and a multiple of its 3 channels}}
  %y = tpu.row_phases %x step 16 : tensor<1x3x32x8xf16> -> tensor<1x48x2x7xf16>
  return
}

// -----

// row_phases C2
func.func @refused(%x: tensor<1x3x31x8xf16>) {
  // expected-error@+1 {{step must be at least 1, and 2 rows of 16 channels, 16 apart, must lie in an input of 31 rows}}
  %y = tpu.row_phases %x step 16 : tensor<1x3x31x8xf16> -> tensor<1x48x2x8xf16>
  return
}

// -----

// row_phases C2
func.func @refused(%x: tensor<1x3x32x8xf16>) {
  // expected-error@+1 {{step must be at least 1, and 2 rows of 16 channels, 0 apart, must lie in an input of 32 rows}}
  %y = tpu.row_phases %x step 0 : tensor<1x3x32x8xf16> -> tensor<1x48x2x8xf16>
  return
}

// -----

// row_phases C3
func.func @refused(%x: tensor<1x3x32x8xf16>) {
  // expected-error@+1 {{input and output must have one element type}}
  %y = tpu.row_phases %x step 16 : tensor<1x3x32x8xf16> -> tensor<1x48x2x8xf32>
  return
}

// -----

// to_bands C1
func.func @refused(%x: tensor<1x3x9x6xf16>) {
  // expected-error@+1 {{the image must be one of 8 rows}}
  %y = tpu.to_bands %x in <count = 2, rows = 4, above = 1, height = 8> : tensor<1x3x9x6xf16> -> tensor<1x6x6x6xf16>
  return
}

// -----

// to_bands C2
func.func @refused(%x: tensor<1x3x8x6xf16>) {
  // expected-error@+1 {{the bands must have 6 channels, 6 columns and at least 5 rows}}
  %y = tpu.to_bands %x in <count = 2, rows = 4, above = 1, height = 8> : tensor<1x3x8x6xf16> -> tensor<1x6x4x6xf16>
  return
}

// -----

// to_bands C3
func.func @refused(%x: tensor<1x3x8x6xf16>) {
  // expected-error@+1 {{input and output must have one element type}}
  %y = tpu.to_bands %x in <count = 2, rows = 4, above = 1, height = 8> : tensor<1x3x8x6xf16> -> tensor<1x6x6x6xf32>
  return
}

// -----

// from_bands C4
func.func @refused(%x: tensor<1x6x6x6xf16>) {
  // expected-error@+1 {{the bands lack the last of 9 rows}}
  %y = tpu.from_bands %x in <count = 2, rows = 4, above = 1, height = 9> : tensor<1x6x6x6xf16> -> tensor<1x3x9x6xf16>
  return
}

// -----

// clear_rows C1
func.func @refused(%x: tensor<1x5x6x6xf16>) {
  // expected-error@+1 {{the operand must be one image in 2 bands of equally many channels}}
  %y = tpu.clear_rows %x in <count = 2, rows = 4, above = 1, height = 8> top 1 bottom 1 : tensor<1x5x6x6xf16>
  return
}

// -----

// clear_rows C2
func.func @refused(%x: tensor<1x6x6x6xf16>) {
  // expected-error@+1 {{top and bottom must not be negative}}
  %y = tpu.clear_rows %x in <count = 2, rows = 4, above = 1, height = 8> top -1 bottom 1 : tensor<1x6x6x6xf16>
  return
}

// -----

// join_rounds C1
func.func @refused(%x: tensor<1x200x1x2xf16>) {
  // expected-error@+1 {{takes one element a channel and gives one row}}
  %y = tpu.join_rounds %x : tensor<1x200x1x2xf16> -> tensor<1x64x1x3xf16>
  return
}

// -----

// repeat_channel C1
func.func @refused(%x: tensor<1x2x4x4xf16>) {
  // expected-error@+1 {{input must have one channel and else the shape of the result}}
  %y = tpu.repeat_channel %x : tensor<1x2x4x4xf16> -> tensor<1x8x4x4xf16>
  return
}

// -----

// repeat_channel C2
func.func @refused(%x: tensor<1x1x4x4xf16>) {
  // expected-error@+1 {{input and output must have one element type}}
  %y = tpu.repeat_channel %x : tensor<1x1x4x4xf16> -> tensor<1x8x4x4xf32>
  return
}

// -----

// join_rounds C2
func.func @refused(%x: tensor<1x200x1x1xf16>) {
  // expected-error@+1 {{the input lacks channels: 200 for 64 rows of 4}}
  %y = tpu.join_rounds %x : tensor<1x200x1x1xf16> -> tensor<1x64x1x4xf16>
  return
}

// -----

// join_rounds C3
func.func @refused(%x: tensor<1x200x1x1xf16>) {
  // expected-error@+1 {{input and output must have one element type}}
  %y = tpu.join_rounds %x : tensor<1x200x1x1xf16> -> tensor<1x64x1x3xf32>
  return
}

// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-fill-lanes))' | FileCheck %s

// One channel would keep one lane busy. The chain changes its element type on the way and is reshaped as a whole.
// CHECK-LABEL: func.func @one_channel
// CHECK: tpu.reshape %arg0 : tensor<1x1x640x640xf16> -> tensor<1x64x10x640xf16>
// CHECK-NEXT: tpu.cast %{{.*}} {tpu.choices = [#tpu.choice<fill_lanes, "cast", #{{loc[0-9]*}}, 1 of["as it is", "1x64x10x640"] at[{{[0-9]+}}, {{[0-9]+}}]>]} : tensor<1x64x10x640xf16> -> tensor<1x64x10x640xf32>
// CHECK-NEXT: tpu.unary sigmoid %{{.*}} : tensor<1x64x10x640xf32>
// CHECK-NEXT: tpu.reshape %{{.*}} : tensor<1x64x10x640xf32> -> tensor<1x1x640x640xf32>
module attributes {tpu.chip = "bm1684x"} {
  func.func @one_channel(%x: tensor<1x1x640x640xf16>) -> tensor<1x1x640x640xf32> {
    %0 = tpu.cast %x : tensor<1x1x640x640xf16> -> tensor<1x1x640x640xf32>
    %1 = tpu.unary sigmoid %0 : tensor<1x1x640x640xf32>
    return %1 : tensor<1x1x640x640xf32>
  }
}

// -----

// Full lanes stay.
// CHECK-LABEL: func.func @full
// CHECK-NOT: tpu.reshape
module attributes {tpu.chip = "bm1684x"} {
  func.func @full(%x: tensor<1x64x20x20xf32>) -> tensor<1x64x20x20xf32> {
    %0 = tpu.unary sigmoid %x : tensor<1x64x20x20xf32>
    return %0 : tensor<1x64x20x20xf32>
  }
}

// -----

// A command on each side: moving the values between two groups costs more than the lanes save.
// CHECK-LABEL: func.func @between_groups
// CHECK-NOT: tpu.reshape
module attributes {tpu.chip = "bm1684x"} {
  func.func @between_groups(%x: tensor<1x16x40x40xf32>) -> tensor<1x16x20x20xf32> {
    %0 = tpu.pool max %x kernel [2, 2] strides [1, 1] pads [0, 0, 1, 1] : tensor<1x16x40x40xf32> -> tensor<1x16x40x40xf32>
    %1 = tpu.unary relu %0 : tensor<1x16x40x40xf32>
    %2 = tpu.pool max %1 kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] : tensor<1x16x40x40xf32> -> tensor<1x16x20x20xf32>
    return %2 : tensor<1x16x20x20xf32>
  }
}

// -----

// 3 * 7 * 11 elements: no more than 33 lanes divide them, and as short rows cost a transfer as much as long ones, fewer are taken or none.
// CHECK-LABEL: func.func @odd
// CHECK-NOT: tpu.reshape
module attributes {tpu.chip = "bm1684x"} {
  func.func @odd(%x: tensor<1x3x7x11xf32>) -> tensor<1x3x7x11xf32> {
    %0 = tpu.unary relu %x : tensor<1x3x7x11xf32>
    return %0 : tensor<1x3x7x11xf32>
  }
}

// -----

// A value that the caller reads as well has a reshape of its own.
// CHECK-LABEL: func.func @read_twice
// CHECK: %[[E:.*]] = tpu.unary exp
// CHECK-NEXT: %[[S:.*]] = tpu.unary sigmoid %[[E]]
// CHECK-DAG: %[[SIGMOID:.*]] = tpu.reshape %[[S]] : tensor<1x64x10x640xf32> -> tensor<1x1x640x640xf32>
// CHECK-DAG: %[[EXP:.*]] = tpu.reshape %[[E]] : tensor<1x64x10x640xf32> -> tensor<1x1x640x640xf32>
// CHECK: return %[[EXP]], %[[SIGMOID]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @read_twice(%x: tensor<1x1x640x640xf32>) -> (tensor<1x1x640x640xf32>, tensor<1x1x640x640xf32>) {
    %0 = tpu.unary exp %x : tensor<1x1x640x640xf32>
    %1 = tpu.unary sigmoid %0 : tensor<1x1x640x640xf32>
    return %0, %1 : tensor<1x1x640x640xf32>, tensor<1x1x640x640xf32>
  }
}

// -----

// This chain pays alone.
// CHECK-LABEL: func.func @alone
// CHECK: tpu.reshape %arg0 : tensor<1x1000x1x1xf32> -> tensor<1x25x40x1xf32>
module attributes {tpu.chip = "bm1684x"} {
  func.func @alone(%z: tensor<1x1000x1x1xf32>) -> tensor<1x1000x1x1xf32> {
    %2 = tpu.cast %z : tensor<1x1000x1x1xf32> -> tensor<1x1000x1x1xf16>
    %3 = tpu.unary abs %2 : tensor<1x1000x1x1xf16>
    %4 = tpu.cast %3 : tensor<1x1000x1x1xf16> -> tensor<1x1000x1x1xf32>
    %5 = tpu.unary reciprocal %4 : tensor<1x1000x1x1xf32>
    return %5 : tensor<1x1000x1x1xf32>
  }
}

// -----

// Here its reshapes would send a value of others through DRAM.
// CHECK-LABEL: func.func @beside
// CHECK-NOT: tpu.reshape
module attributes {tpu.chip = "bm1684x"} {
  func.func @beside(%x: tensor<1x64x200x200xf32>, %z: tensor<1x1000x1x1xf32>) -> (tensor<1x64x100x100xf32>, tensor<1x1000x1x1xf32>) {
    %0 = tpu.pool max %x kernel [2, 2] strides [1, 1] pads [0, 0, 1, 1] : tensor<1x64x200x200xf32> -> tensor<1x64x200x200xf32>
    %2 = tpu.cast %z : tensor<1x1000x1x1xf32> -> tensor<1x1000x1x1xf16>
    %3 = tpu.unary abs %2 : tensor<1x1000x1x1xf16>
    %4 = tpu.cast %3 : tensor<1x1000x1x1xf16> -> tensor<1x1000x1x1xf32>
    %5 = tpu.unary reciprocal %4 : tensor<1x1000x1x1xf32>
    %6 = tpu.pool max %0 kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] : tensor<1x64x200x200xf32> -> tensor<1x64x100x100xf32>
    return %6, %5 : tensor<1x64x100x100xf32>, tensor<1x1000x1x1xf32>
  }
}

// -----

// Functions of two and three operands go with those of one.
// CHECK-LABEL: func.func @where
// CHECK-DAG: %[[X:.*]] = tpu.reshape %arg0 : tensor<512x1024x1x1xf32> -> tensor<1x[[LANES:[0-9]+x[0-9]+x[0-9]+]]xf32>
// CHECK-DAG: %[[Z:.*]] = tpu.reshape %arg1 : tensor<512x1024x1x1xf32> -> tensor<1x[[LANES]]xf32>
// CHECK: %[[C:.*]] = tpu.compare less %[[X]], %[[Z]]
// CHECK-NEXT: %[[R:.*]] = tpu.unary relu %[[X]]
// CHECK-NEXT: %[[S:.*]] = tpu.select %[[C]], true %[[R]] false %[[Z]]
// CHECK-NEXT: tpu.reshape %[[S]] : tensor<1x[[LANES]]xf32> -> tensor<512x1024x1x1xf32>
module attributes {tpu.chip = "bm1684x"} {
  func.func @where(%x: tensor<512x1024x1x1xf32>, %z: tensor<512x1024x1x1xf32>) -> tensor<512x1024x1x1xf32> {
    %0 = tpu.compare less %x, %z : tensor<512x1024x1x1xf32>, tensor<512x1024x1x1xf32> -> tensor<512x1024x1x1xui8>
    %1 = tpu.unary relu %x : tensor<512x1024x1x1xf32>
    %2 = tpu.select %0, true %1 false %z : (tensor<512x1024x1x1xui8>, tensor<512x1024x1x1xf32>, tensor<512x1024x1x1xf32>) -> tensor<512x1024x1x1xf32>
    return %2 : tensor<512x1024x1x1xf32>
  }
}

// -----

// What is one for all rows, or for all columns, stays so; a constant is made anew.
// CHECK-LABEL: func.func @vectors
// CHECK-DAG: %[[W:.*]] = tpu.weight dense<2.000000e+00> : tensor<1x1x1x1024xf32>
// CHECK-DAG: %[[ROWS:.*]] = tpu.reshape %arg1 : tensor<512x1x1x1xf32> -> tensor<1x64x8x1xf32>
// CHECK-DAG: %[[X:.*]] = tpu.reshape %arg0 : tensor<512x1024x1x1xf32> -> tensor<1x64x8x1024xf32>
// CHECK: %[[P:.*]] = tpu.binary mul %[[X]], %[[W]]
// CHECK-NEXT: %[[S:.*]] = tpu.binary add %[[P]], %[[ROWS]]
// CHECK-NEXT: tpu.reshape %[[S]] : tensor<1x64x8x1024xf32> -> tensor<512x1024x1x1xf32>
module attributes {tpu.chip = "bm1684x"} {
  func.func @vectors(%x: tensor<512x1024x1x1xf32>, %rows: tensor<512x1x1x1xf32>) -> tensor<512x1024x1x1xf32> {
    %w = tpu.weight dense<2.0> : tensor<1x1024x1x1xf32>
    %0 = tpu.binary mul %x, %w : tensor<512x1024x1x1xf32>, tensor<1x1024x1x1xf32> -> tensor<512x1024x1x1xf32>
    %1 = tpu.binary add %0, %rows : tensor<512x1024x1x1xf32>, tensor<512x1x1x1xf32> -> tensor<512x1024x1x1xf32>
    return %1 : tensor<512x1024x1x1xf32>
  }
}

// -----

// A piece of an input is an address in DRAM: no group hands it in, and as it is each element is a run of its own.
// CHECK-LABEL: func.func @piece_of_input
// CHECK: tpu.slice
// CHECK-NEXT: tpu.reshape %{{.*}} : tensor<1x1920x1x1xf32> -> tensor<1x16x120x1xf32>
// CHECK-NEXT: tpu.cast {{.*}} : tensor<1x16x120x1xf32> -> tensor<1x16x120x1xf16>
module attributes {tpu.chip = "bm1684x"} {
  func.func @piece_of_input(%x: tensor<1x1984x1x1xf32>) -> tensor<1x1920x1x1xf16> {
    %0 = tpu.slice %x [0, 64, 0, 0] steps [1, 1, 1, 1] : tensor<1x1984x1x1xf32> -> tensor<1x1920x1x1xf32>
    %1 = tpu.cast %0 : tensor<1x1920x1x1xf32> -> tensor<1x1920x1x1xf16>
    return %1 : tensor<1x1920x1x1xf16>
  }
}

// -----

// More channels than a command counts, as a sound without other axes has: runs of one element. The second slice is a place in DRAM, which no group hands past the first function.
// CHECK-LABEL: func.func @sound
// CHECK: tpu.cast {{.*}} : tensor<1x64x2250x1xf32> -> tensor<1x64x2250x1xf16>
// CHECK: tpu.cast {{.*}} : tensor<1x64x2250x1xf32> -> tensor<1x64x2250x1xf16>
module attributes {tpu.chip = "bm1684x"} {
  func.func @sound(%x: tensor<1x144160x1x1xf32>) -> (tensor<1x900x1x160xf16>, tensor<1x900x1x160xf16>) {
    %0 = tpu.slice %x [0, 0, 0, 0] steps [1, 1, 1, 1] : tensor<1x144160x1x1xf32> -> tensor<1x144000x1x1xf32>
    %1 = tpu.slice %x [0, 160, 0, 0] steps [1, 1, 1, 1] : tensor<1x144160x1x1xf32> -> tensor<1x144000x1x1xf32>
    %2 = tpu.cast %0 : tensor<1x144000x1x1xf32> -> tensor<1x144000x1x1xf16>
    %3 = tpu.reshape %2 : tensor<1x144000x1x1xf16> -> tensor<1x900x1x160xf16>
    %4 = tpu.cast %1 : tensor<1x144000x1x1xf32> -> tensor<1x144000x1x1xf16>
    %5 = tpu.reshape %4 : tensor<1x144000x1x1xf16> -> tensor<1x900x1x160xf16>
    return %3, %5 : tensor<1x900x1x160xf16>, tensor<1x900x1x160xf16>
  }
}

// -----

// What repeats a channel goes with its reader, where other axes are repeated as they are read. Beside the largest of each row the rows stay whole, so that
// one group computes both.
// CHECK-LABEL: func.func @rows
// CHECK: %[[MAX:.*]] = tpu.reduce max %{{.*}} axis 3 {{.*}}: tensor<1x512x1x1024xf32> -> tensor<1x512x1x1xf32>
// CHECK: %[[X:.*]] = tpu.reshape %arg0 : tensor<512x1024x1x1xf32> -> tensor<1x512x1x1024xf32>
// CHECK-NEXT: %[[S:.*]] = tpu.binary sub %[[X]], %[[MAX]]
// CHECK-NEXT: tpu.reshape %[[S]] : tensor<1x512x1x1024xf32> -> tensor<512x1024x1x1xf32>
module attributes {tpu.chip = "bm1684x"} {
  func.func @rows(%x: tensor<512x1024x1x1xf32>) -> tensor<512x1024x1x1xf32> {
    %0 = tpu.reshape %x : tensor<512x1024x1x1xf32> -> tensor<1x512x1x1024xf32>
    %1 = tpu.reduce max %0 axis 3 : tensor<1x512x1x1024xf32> -> tensor<1x512x1x1xf32>
    %2 = tpu.reshape %1 : tensor<1x512x1x1xf32> -> tensor<512x1x1x1xf32>
    %3 = tpu.repeat_channel %2 : tensor<512x1x1x1xf32> -> tensor<512x1024x1x1xf32>
    %4 = tpu.binary sub %x, %3 : tensor<512x1024x1x1xf32>, tensor<512x1024x1x1xf32> -> tensor<512x1024x1x1xf32>
    return %4 : tensor<512x1024x1x1xf32>
  }
}

// -----

// The remainder is a sequence of commands that wants all channels of its operands: one is repeated.
// CHECK-LABEL: func.func @sequence
// CHECK: %[[M:.*]] = tpu.reshape %arg1 : tensor<1x1024x1x1xf32> -> tensor<1x1x1x1024xf32>
// CHECK-NEXT: %[[ALL:.*]] = tpu.repeat_channel %[[M]] : tensor<1x1x1x1024xf32> -> tensor<1x512x1x1024xf32>
// CHECK-NEXT: tpu.binary fmod %{{.*}}, %[[ALL]] {tpu.choices =
module attributes {tpu.chip = "bm1684x"} {
  func.func @sequence(%x: tensor<512x1024x1x1xf32>, %m: tensor<1x1024x1x1xf32>) -> tensor<512x1024x1x1xf32> {
    %0 = tpu.binary fmod %x, %m : tensor<512x1024x1x1xf32>, tensor<1x1024x1x1xf32> -> tensor<512x1024x1x1xf32>
    return %0 : tensor<512x1024x1x1xf32>
  }
}

// -----

// The other operand has all channels of one row: what repeats a channel still belongs to the reader.
// CHECK-LABEL: func.func @outer
// CHECK-NOT: tpu.repeat_channel
// CHECK: tpu.binary mul %{{.*}}, %{{.*}} {{.*}} : tensor<1x1x1x200xf32>, tensor<1x25x8x1xf32> -> tensor<1x25x8x200xf32>
module attributes {tpu.chip = "bm1684x"} {
  func.func @outer(%x: tensor<1x200x1x1xf32>, %z: tensor<1x200x1x1xf32>) -> tensor<200x200x1x1xf32> {
    %0 = tpu.reshape %z : tensor<1x200x1x1xf32> -> tensor<200x1x1x1xf32>
    %1 = tpu.repeat_channel %0 : tensor<200x1x1x1xf32> -> tensor<200x200x1x1xf32>
    %2 = tpu.binary mul %x, %1 : tensor<1x200x1x1xf32>, tensor<200x200x1x1xf32> -> tensor<200x200x1x1xf32>
    return %2 : tensor<200x200x1x1xf32>
  }
}

// -----

// Two that read one input are spread together: either alone would load it once more than both do.
// CHECK-LABEL: func.func @siblings
// CHECK: %[[X:.*]] = tpu.reshape %arg0 : tensor<16384x5x1x1xf32> -> tensor<1x64x1280x1xf32>
// CHECK-NEXT: tpu.unary abs %[[X]]
// CHECK: tpu.unary relu %[[X]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @siblings(%x: tensor<16384x5x1x1xf32>) -> (tensor<16384x5x1x1xf32>, tensor<16384x5x1x1xf32>) {
    %0 = tpu.unary abs %x : tensor<16384x5x1x1xf32>
    %1 = tpu.unary relu %x : tensor<16384x5x1x1xf32>
    return %0, %1 : tensor<16384x5x1x1xf32>, tensor<16384x5x1x1xf32>
  }
}

// -----

// No other operand has the channels: what repeats them stays as it is.
// CHECK-LABEL: func.func @repeated_alone
// CHECK: tpu.repeat_channel %arg0 : tensor<512x1x1x1xf32> -> tensor<512x1024x1x1xf32>
// CHECK: tpu.repeat_channel %arg1 : tensor<512x1x1x1xf32> -> tensor<512x1024x1x1xf32>
module attributes {tpu.chip = "bm1684x"} {
  func.func @repeated_alone(%x: tensor<512x1x1x1xf32>, %z: tensor<512x1x1x1xf32>) -> tensor<512x1024x1x1xui8> {
    %0 = tpu.repeat_channel %x : tensor<512x1x1x1xf32> -> tensor<512x1024x1x1xf32>
    %1 = tpu.repeat_channel %z : tensor<512x1x1x1xf32> -> tensor<512x1024x1x1xf32>
    %2 = tpu.compare less %0, %1 : tensor<512x1024x1x1xf32>, tensor<512x1024x1x1xf32> -> tensor<512x1024x1x1xui8>
    return %2 : tensor<512x1024x1x1xui8>
  }
}

// -----

// A number for each channel of many rows: a product and a sum, whose operands go along another axis. Of few rows it stays one op.
// CHECK-LABEL: func.func @scales
// CHECK: tpu.scale %arg1
// CHECK: %[[P:.*]] = tpu.binary mul %{{.*}}, %{{.*}} {tpu.choices = [#tpu.choice<fill_lanes, {{.*}} 1 of{{.*}}>]} : tensor<1x64x8x1024xf32>, tensor<1x1x1x1024xf32>
// CHECK-NEXT: tpu.binary add %[[P]], %{{.*}} : tensor<1x64x8x1024xf32>, tensor<1x1x1x1024xf32>
module attributes {tpu.chip = "bm1684x"} {
  func.func @scales(%x: tensor<512x1024x1x1xf32>, %few: tensor<2x1024x1x1xf32>) -> (tensor<512x1024x1x1xf32>, tensor<2x1024x1x1xf32>) {
    %s = tpu.weight dense<2.0> : tensor<1x1024x1x1xf32>
    %b = tpu.weight dense<1.0> : tensor<1x1024x1x1xf32>
    %1 = tpu.scale %few, %s, %b : tensor<2x1024x1x1xf32>, tensor<1x1024x1x1xf32>
    %0 = tpu.scale %x, %s, %b : tensor<512x1024x1x1xf32>, tensor<1x1024x1x1xf32>
    return %0, %1 : tensor<512x1024x1x1xf32>, tensor<2x1024x1x1xf32>
  }
}

// -----

// Sums of short rows and what is made of them: rows lie behind each other in a lane, the reduced axis stays whole. The rows that were regrouped for commands
// of up to 65535 are read as they were made.
// CHECK-LABEL: func.func @centered
// CHECK: %[[X:.*]] = tpu.reshape %arg0 : tensor<65536x3x1x5xf32> -> tensor<1x64x3072x5xf32>
// CHECK-NEXT: %[[SUM:.*]] = tpu.reduce sum %[[X]] axis 3 {{.*}}: tensor<1x64x3072x5xf32> -> tensor<1x64x3072x1xf32>
// CHECK-NEXT: %[[MEAN:.*]] = tpu.binary mul %[[SUM]] {constant = 2.000000e-01 : f64
// CHECK-NEXT: %[[OUT:.*]] = tpu.binary sub %[[X]], %[[MEAN]] {{.*}}: tensor<1x64x3072x5xf32>, tensor<1x64x3072x1xf32> -> tensor<1x64x3072x5xf32>
// CHECK-NEXT: tpu.reshape %[[OUT]] : tensor<1x64x3072x5xf32> -> tensor<65536x3x1x5xf32>
module attributes {tpu.chip = "bm1684x"} {
  func.func @centered(%x: tensor<65536x3x1x5xf32>) -> tensor<65536x3x1x5xf32> {
    %0 = tpu.reshape %x : tensor<65536x3x1x5xf32> -> tensor<4x49152x1x5xf32>
    %1 = tpu.reduce sum %0 axis 3 : tensor<4x49152x1x5xf32> -> tensor<4x49152x1x1xf32>
    %2 = tpu.reshape %1 : tensor<4x49152x1x1xf32> -> tensor<65536x3x1x1xf32>
    %3 = tpu.binary mul %2 {constant = 0.2 : f64} : tensor<65536x3x1x1xf32> -> tensor<65536x3x1x1xf32>
    %4 = tpu.binary sub %x, %3 : tensor<65536x3x1x5xf32>, tensor<65536x3x1x1xf32> -> tensor<65536x3x1x5xf32>
    return %4 : tensor<65536x3x1x5xf32>
  }
}

// -----

// What is summed over one axis and repeated along one of other sizes is in no set with it.
// CHECK-LABEL: func.func @other_sizes
// CHECK: tpu.reduce sum %arg0 axis 2
// CHECK: tensor<1x64x7x5xf32>
module attributes {tpu.chip = "bm1684x"} {
  func.func @other_sizes(%x: tensor<1x64x3x5xf32>, %y: tensor<1x64x7x5xf32>) -> tensor<1x64x7x5xf32> {
    %0 = tpu.reduce sum %x axis 2 : tensor<1x64x3x5xf32> -> tensor<1x64x1x5xf32>
    %1 = tpu.binary sub %y, %0 : tensor<1x64x7x5xf32>, tensor<1x64x1x5xf32> -> tensor<1x64x7x5xf32>
    return %1 : tensor<1x64x7x5xf32>
  }
}

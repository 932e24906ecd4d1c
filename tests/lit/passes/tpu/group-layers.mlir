// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-group-layers))' | FileCheck %s

// Everything that fits is one group in one slice; weights move into it.
// CHECK-LABEL: func.func @small
// CHECK-NOT: tpu.weight
// CHECK: %[[G:.*]] = tpu.group(%arg0) tiling <n = 1, c = 1, h = 1, w = 1>
// CHECK: tpu.weight
// CHECK: tpu.conv
// CHECK: tpu.unary relu
// CHECK: tpu.yield
// CHECK: return %[[G]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @small(%x: tensor<1x3x8x12xf32>) -> tensor<1x8x4x6xf32> {
    %w = tpu.weight dense<0.5> : tensor<8x3x3x3xf32>
    %0 = tpu.conv %x, %w strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x3x8x12xf32>, tensor<8x3x3x3xf32> -> tensor<1x8x4x6xf32>
    %1 = tpu.unary relu %0 : tensor<1x8x4x6xf32>
    return %1 : tensor<1x8x4x6xf32>
  }
}

// -----

// Four times local memory: rows are sliced, and the two ops stay together.
// CHECK-LABEL: func.func @big
// CHECK: tpu.group(%arg0) tiling <n = 1, c = 1, h = {{[1-9][0-9]+}}, w = 1{{.*}}>
// CHECK-NOT: tpu.group
module attributes {tpu.chip = "bm1684x"} {
  func.func @big(%x: tensor<1x64x512x512xf32>) -> tensor<1x64x512x512xf32> {
    %0 = tpu.unary relu %x : tensor<1x64x512x512xf32>
    %1 = tpu.unary abs %0 : tensor<1x64x512x512xf32>
    return %1 : tensor<1x64x512x512xf32>
  }
}

// -----

// An op without a tiling rule separates groups.
// CHECK-LABEL: func.func @barrier
// CHECK: tpu.group
// CHECK: tpu.permute
// CHECK: tpu.group
module attributes {tpu.chip = "bm1684x"} {
  func.func @barrier(%x: tensor<1x8x4x6xf32>) -> tensor<1x4x8x6xf32> {
    %0 = tpu.unary relu %x : tensor<1x8x4x6xf32>
    %1 = tpu.permute %0 [0, 2, 1, 3] : tensor<1x8x4x6xf32> -> tensor<1x4x8x6xf32>
    %2 = tpu.unary abs %1 : tensor<1x4x8x6xf32>
    return %2 : tensor<1x4x8x6xf32>
  }
}

// -----

// Filters larger than local memory: output channels are sliced.
// CHECK-LABEL: func.func @filters
// CHECK: tpu.group(%arg0) tiling <n = 1, c = {{[2-9]|[1-9][0-9]+}}, h = 1, w = 1>
module attributes {tpu.chip = "bm1684x"} {
  func.func @filters(%x: tensor<1x4096x1x1xf32>) -> tensor<1x4096x1x1xf32> {
    %w = tpu.weight dense<0.5> : tensor<4096x4096x1x1xf32>
    %0 = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x4096x1x1xf32>, tensor<4096x4096x1x1xf32> -> tensor<1x4096x1x1xf32>
    return %0 : tensor<1x4096x1x1xf32>
  }
}

// -----

// A channel of a reshape that is too long for a lane stays in DRAM, a shorter one is in the group; behind it both are free.
// CHECK-LABEL: func.func @signal
// CHECK: tpu.group
// CHECK: tpu.yield
// CHECK: %[[LONG:.*]] = tpu.reshape %{{.*}} : tensor<1x1x1x44032xf32> -> tensor<1x1x172x256xf32>
// CHECK: tpu.group(%[[LONG]]
// CHECK: tpu.reshape %{{.*}} -> tensor<1x1x10x100xf32>
// CHECK-NEXT: %[[SHORT:.*]] = tpu.unary
// CHECK-NEXT: tpu.yield {{.*}}%[[SHORT]] :
module attributes {tpu.chip = "bm1684x"} {
  func.func @signal(%x: tensor<1x1x1x44032xf32>, %s: tensor<1x1x1x1000xf32>) -> (tensor<1x1x172x256xf32>, tensor<1x1x10x100xf32>) {
    %0 = tpu.unary relu %x : tensor<1x1x1x44032xf32>
    %1 = tpu.reshape %0 : tensor<1x1x1x44032xf32> -> tensor<1x1x172x256xf32>
    %2 = tpu.unary abs %1 : tensor<1x1x172x256xf32>
    %3 = tpu.unary relu %s : tensor<1x1x1x1000xf32>
    %4 = tpu.reshape %3 : tensor<1x1x1x1000xf32> -> tensor<1x1x10x100xf32>
    %5 = tpu.unary abs %4 : tensor<1x1x10x100xf32>
    return %2, %5 : tensor<1x1x172x256xf32>, tensor<1x1x10x100xf32>
  }
}

// -----

// Operands of a concatenation of channels are made where it lies: the group
// goes on. A slice of channels is an address as well.
// CHECK-LABEL: func.func @side_by_side
// CHECK: tpu.group
// CHECK: tpu.concat
// CHECK: tpu.slice
// CHECK: tpu.yield
// CHECK-NOT: tpu.group
module attributes {tpu.chip = "bm1684x"} {
  func.func @side_by_side(%x: tensor<1x40x8x8xf32>) -> tensor<1x30x8x8xf32> {
    %0 = tpu.unary relu %x : tensor<1x40x8x8xf32>
    %1 = tpu.unary abs %x : tensor<1x40x8x8xf32>
    %w = tpu.weight dense<0.5> : tensor<24x40x1x1xf32>
    %2 = tpu.conv %1, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x40x8x8xf32>, tensor<24x40x1x1xf32> -> tensor<1x24x8x8xf32>
    %3 = tpu.concat %0, %2 axis 1 : (tensor<1x40x8x8xf32>, tensor<1x24x8x8xf32>) -> tensor<1x64x8x8xf32>
    %4 = tpu.slice %3 [0, 34, 0, 0] steps [1, 1, 1, 1] : tensor<1x64x8x8xf32> -> tensor<1x30x8x8xf32>
    %5 = tpu.unary relu %4 : tensor<1x30x8x8xf32>
    return %5 : tensor<1x30x8x8xf32>
  }
}

// -----

// A value cannot lie at two places: that concatenation stays in DRAM.
// CHECK-LABEL: func.func @twice
// CHECK: tpu.group
// CHECK: {{^    }}%{{.*}} = tpu.concat
module attributes {tpu.chip = "bm1684x"} {
  func.func @twice(%x: tensor<1x40x8x8xf32>) -> tensor<1x80x8x8xf32> {
    %0 = tpu.unary relu %x : tensor<1x40x8x8xf32>
    %1 = tpu.concat %0, %0 axis 1 : (tensor<1x40x8x8xf32>, tensor<1x40x8x8xf32>) -> tensor<1x80x8x8xf32>
    %2 = tpu.unary abs %1 : tensor<1x80x8x8xf32>
    return %2 : tensor<1x80x8x8xf32>
  }
}

// -----

// Joined along rows and cut along columns: copies in the lanes, in the group.
// CHECK-LABEL: func.func @rows_and_columns
// CHECK: tpu.group
// CHECK: tpu.concat
// CHECK: tpu.slice
// CHECK: tpu.yield
// CHECK-NOT: tpu.group
module attributes {tpu.chip = "bm1684x"} {
  func.func @rows_and_columns(%x: tensor<2x40x8x64xf32>) -> tensor<2x40x16x32xf32> {
    %0 = tpu.unary relu %x : tensor<2x40x8x64xf32>
    %1 = tpu.concat %0, %x axis 2 : (tensor<2x40x8x64xf32>, tensor<2x40x8x64xf32>) -> tensor<2x40x16x64xf32>
    %2 = tpu.slice %1 [0, 0, 0, 1] steps [1, 1, 1, 2] : tensor<2x40x16x64xf32> -> tensor<2x40x16x32xf32>
    %3 = tpu.unary abs %2 : tensor<2x40x16x32xf32>
    return %3 : tensor<2x40x16x32xf32>
  }
}

// -----

// A channel that stands for all is loaded into every lane, so what makes it is in another group; the map beside it is loaded as well.
// CHECK-LABEL: func.func @one_channel
// CHECK: %[[GATE:.*]] = tpu.group(%arg1)
// CHECK: tpu.unary relu
// CHECK: tpu.group(%arg0, %[[GATE]]
// CHECK: tpu.binary mul
// CHECK: tpu.binary add
module attributes {tpu.chip = "bm1684x"} {
  func.func @one_channel(%x: tensor<1x80x6x6xf32>, %m: tensor<1x1x6x6xf32>) -> tensor<1x80x6x6xf32> {
    %g = tpu.unary relu %m : tensor<1x1x6x6xf32>
    %w = tpu.weight dense<3.0> : tensor<1x1x6x1xf32>
    %0 = tpu.binary mul %x, %g : tensor<1x80x6x6xf32>, tensor<1x1x6x6xf32> -> tensor<1x80x6x6xf32>
    %1 = tpu.binary add %0, %w : tensor<1x80x6x6xf32>, tensor<1x1x6x1xf32> -> tensor<1x80x6x6xf32>
    return %1 : tensor<1x80x6x6xf32>
  }
}

// -----

// A sequence reads each channel of its own.
// CHECK-LABEL: func.func @one_channel_in_a_sequence
// CHECK-NOT: tpu.group
// CHECK: tpu.binary pow %arg0, %arg1
module attributes {tpu.chip = "bm1684x"} {
  func.func @one_channel_in_a_sequence(%x: tensor<1x80x6x6xf32>, %m: tensor<1x1x6x6xf32>) -> tensor<1x80x6x6xf32> {
    %0 = tpu.binary pow %x, %m : tensor<1x80x6x6xf32>, tensor<1x1x6x6xf32> -> tensor<1x80x6x6xf32>
    return %0 : tensor<1x80x6x6xf32>
  }
}

// -----

// A channel that stands for all lies in every lane from 0 on: a concatenation of what is made of it then begins in lane 61, and one that takes the channel
// itself is in another group.
// CHECK-LABEL: func.func @one_channel_beside_a_concat
// CHECK: tpu.group
// CHECK: tpu.concat
// CHECK: tpu.binary mul
// CHECK-NEXT: tpu.yield
// CHECK-LABEL: func.func @one_channel_in_a_concat
// CHECK: tpu.group
// CHECK: tpu.concat
// CHECK: tpu.yield
// CHECK: tpu.group
// CHECK: tpu.binary mul
module attributes {tpu.chip = "bm1684x"} {
  func.func @one_channel_beside_a_concat(%b: tensor<1x3x28x28xf32>, %c: tensor<1x64x28x28xf32>, %x: tensor<1x1x28x28xf32>) -> (tensor<1x4x28x28xf32>, tensor<1x64x28x28xf32>) {
    %0 = tpu.unary relu %b : tensor<1x3x28x28xf32>
    %1 = tpu.unary relu %x : tensor<1x1x28x28xf32>
    %2 = tpu.concat %0, %1 axis 1 : (tensor<1x3x28x28xf32>, tensor<1x1x28x28xf32>) -> tensor<1x4x28x28xf32>
    %3 = tpu.unary abs %2 : tensor<1x4x28x28xf32>
    %4 = tpu.binary mul %c, %x : tensor<1x64x28x28xf32>, tensor<1x1x28x28xf32> -> tensor<1x64x28x28xf32>
    return %3, %4 : tensor<1x4x28x28xf32>, tensor<1x64x28x28xf32>
  }
  func.func @one_channel_in_a_concat(%b: tensor<1x3x28x28xf32>, %c: tensor<1x64x28x28xf32>, %x: tensor<1x1x28x28xf32>) -> (tensor<1x4x28x28xf32>, tensor<1x64x28x28xf32>) {
    %0 = tpu.unary relu %b : tensor<1x3x28x28xf32>
    %2 = tpu.concat %0, %x axis 1 : (tensor<1x3x28x28xf32>, tensor<1x1x28x28xf32>) -> tensor<1x4x28x28xf32>
    %3 = tpu.unary abs %2 : tensor<1x4x28x28xf32>
    %4 = tpu.binary mul %c, %x : tensor<1x64x28x28xf32>, tensor<1x1x28x28xf32> -> tensor<1x64x28x28xf32>
    return %3, %4 : tensor<1x4x28x28xf32>, tensor<1x64x28x28xf32>
  }
}

// -----

// Channels of several images are joined by address, an image after the other.
// CHECK-LABEL: func.func @images
// CHECK: tpu.group(%arg0) tiling <n = 3, c = 1, h = 1, w = 1, streamed = true>
// CHECK: tpu.concat
// CHECK-NOT: tpu.group
module attributes {tpu.chip = "bm1684x"} {
  func.func @images(%x: tensor<3x64x40x40xf32>) -> tensor<3x128x40x40xf32> {
    %0 = tpu.unary abs %x : tensor<3x64x40x40xf32>
    %1 = tpu.unary neg %0 : tensor<3x64x40x40xf32>
    %2 = tpu.concat %0, %1 axis 1 : (tensor<3x64x40x40xf32>, tensor<3x64x40x40xf32>) -> tensor<3x128x40x40xf32>
    %3 = tpu.unary relu %2 : tensor<3x128x40x40xf32>
    return %3 : tensor<3x128x40x40xf32>
  }
}

// -----

// Images one by one would be 16384 slices, four times what a group may have, and a command each.
// CHECK-LABEL: func.func @many_images
// CHECK-NOT: n = 16384
// CHECK: tpu.group(%arg0) tiling <n = {{[0-9]+}},
// CHECK-NOT: n = 16384
module attributes {tpu.chip = "bm1684x"} {
  func.func @many_images(%x: tensor<16384x3x4x5xf32>) -> (tensor<16384x3x1x1xf32>, tensor<16384x3x1x1xf32>) {
    %0 = tpu.pool avg %x kernel [4, 5] strides [4, 5] pads [0, 0, 0, 0] : tensor<16384x3x4x5xf32> -> tensor<16384x3x1x1xf32>
    %1 = tpu.pool max %x kernel [4, 5] strides [4, 5] pads [0, 0, 0, 0] : tensor<16384x3x4x5xf32> -> tensor<16384x3x1x1xf32>
    return %0, %1 : tensor<16384x3x1x1xf32>, tensor<16384x3x1x1xf32>
  }
}

// -----

// Rows of a photo, which three lanes hold: twice and throughout they would leave slices of a few rows, which are computed again at their borders.
// CHECK-LABEL: func.func @photo
// CHECK: tpu.group(%arg0) tiling <n = 1, c = 1, h = 20, w = 1, streamed = true>
// CHECK-NOT: tpu.group
module attributes {tpu.chip = "bm1684x"} {
  func.func @photo(%x: tensor<1x3x800x608xf32>) -> tensor<1x16x200x152xf32> {
    %w0 = tpu.weight dense<0.5> : tensor<16x3x3x3xf32>
    %w1 = tpu.weight dense<0.5> : tensor<16x1x3x3xf32>
    %w2 = tpu.weight dense<0.5> : tensor<16x1x3x3xf32>
    %0 = tpu.conv %x, %w0 strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x3x800x608xf32>, tensor<16x3x3x3xf32> -> tensor<1x16x400x304xf32>
    %1 = tpu.unary relu %0 : tensor<1x16x400x304xf32>
    %2 = tpu.conv %1, %w1 strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 16 : tensor<1x16x400x304xf32>, tensor<16x1x3x3xf32> -> tensor<1x16x400x304xf32>
    %3 = tpu.unary relu %2 : tensor<1x16x400x304xf32>
    %4 = tpu.conv %3, %w2 strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] group 16 : tensor<1x16x400x304xf32>, tensor<16x1x3x3xf32> -> tensor<1x16x200x152xf32>
    return %4 : tensor<1x16x200x152xf32>
  }
}

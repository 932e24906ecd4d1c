// RUN: weft-opt --pass-pipeline='builtin.module(func.func(tpu-choose-recipes))' %s | FileCheck %s

!q = !quant.uniform<i8:f32, 0.05>
!u = !quant.uniform<u8:f32, 0.05>
module attributes {tpu.chip = "bm1684x", tpu.precision = "int8"} {

// A bias costs nothing in the depthwise unit; the cube adds none.
// A filter that is loaded in no time is packed for the unit.
// CHECK-LABEL: @conv
// CHECK: tpu.conv {{.*}}tpu.choices = [#tpu.choice<recipe, "conv", #{{loc[0-9]*}}, 1 of["window", "window_bias"] at[{{[0-9]+}}, {{[0-9]+}}]>], tpu.recipe = "window_bias"
// CHECK: tpu.conv {{.*}} of["window", "dense"] {{.*}} tpu.recipe = "window"
// CHECK: return
func.func @conv(%x: tensor<1x8x6x6x!q>) -> tensor<1x8x6x6x!q> {
  %w = tpu.weight dense<3> : tensor<8x1x3x3xi8>
  %v = tpu.weight dense<3> : tensor<8x8x1x1xi8>
  %b = tpu.weight dense<7> : tensor<1x8x1x1xi32>
  %0 = tpu.conv %x, %w, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 8 {multipliers = array<i32: 5, 5, 5, 5, 5, 5, 5, 5>, rshifts = array<i32: 9, 9, 9, 9, 9, 9, 9, 9>} : tensor<1x8x6x6x!q>, tensor<8x1x3x3xi8>, tensor<1x8x1x1xi32> -> tensor<1x8x6x6x!q>
  %y = tpu.conv %0, %v, %b strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 {multipliers = array<i32: 5, 5, 5, 5, 5, 5, 5, 5>, rshifts = array<i32: 9, 9, 9, 9, 9, 9, 9, 9>} : tensor<1x8x6x6x!q>, tensor<8x8x1x1xi8>, tensor<1x8x1x1xi32> -> tensor<1x8x6x6x!q>
  return %y : tensor<1x8x6x6x!q>
}

// A few of 32 channels that a filter has room for: DRAM holds these alone. Groups of 40 channels are read for themselves; those of
// 4 share a command, which fills the lanes and the room in the filter. A group that begins in lane 48 goes to lane 0 where many
// products are made of each of its elements.
// CHECK-LABEL: @filters
// CHECK: tpu.conv {{.*}} group 1 {{.*}} tpu.recipe = "dense"
// CHECK: tpu.conv {{.*}} group 6 {{.*}} of["window", "dense", "groups", "groups_2", "groups_4", "moved_groups", "moved_groups_2", "moved_groups_4"] {{.*}} tpu.recipe = "groups"
// CHECK: tpu.conv {{.*}} group 60 {{.*}} tpu.recipe = "groups_16"
// CHECK: tpu.conv {{.*}} group 5 {{.*}} tpu.recipe = "moved_groups"
// CHECK: return
func.func @filters(%a: tensor<1x16x20x20xf16>, %x: tensor<1x240x20x20xf16>) -> (tensor<1x64x20x20xf16>, tensor<1x240x20x20xf16>, tensor<1x240x20x20xf16>, tensor<1x240x20x20xf16>) {
  %w0 = tpu.weight dense<3.0> : tensor<64x16x3x3xf16>
  %w1 = tpu.weight dense<3.0> : tensor<240x40x1x1xf16>
  %w2 = tpu.weight dense<3.0> : tensor<240x4x1x1xf16>
  %w3 = tpu.weight dense<3.0> : tensor<240x48x3x3xf16>
  %0 = tpu.conv %a, %w0 strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x16x20x20xf16>, tensor<64x16x3x3xf16> -> tensor<1x64x20x20xf16>
  %1 = tpu.conv %x, %w1 strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 6 : tensor<1x240x20x20xf16>, tensor<240x40x1x1xf16> -> tensor<1x240x20x20xf16>
  %2 = tpu.conv %x, %w2 strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 60 : tensor<1x240x20x20xf16>, tensor<240x4x1x1xf16> -> tensor<1x240x20x20xf16>
  %3 = tpu.conv %x, %w3 strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 5 : tensor<1x240x20x20xf16>, tensor<240x48x3x3xf16> -> tensor<1x240x20x20xf16>
  return %0, %1, %2, %3 : tensor<1x64x20x20xf16>, tensor<1x240x20x20xf16>, tensor<1x240x20x20xf16>, tensor<1x240x20x20xf16>
}

// Four rows of a window of three from six products, where it is not strided along them. A window of five has points for two.
// Where the image has few rows, sums of more tiles are not made.
// CHECK-LABEL: @rows
// CHECK: tpu.conv {{.*}} of["window", "row_tiles_2", "row_tiles_4"] {{.*}} tpu.recipe = "row_tiles_4"
// CHECK: tpu.conv {{.*}} of["window", "row_tiles_2"] {{.*}} tpu.recipe = "row_tiles_2"
// CHECK: tpu.conv {{.*}} of["window", "row_tiles_2", "row_tiles_4"] {{.*}} tpu.recipe = "row_tiles_2"
// CHECK-NOT: tpu.recipe
// CHECK: return
func.func @rows(%x: tensor<1x64x20x20xf32>, %z: tensor<1x64x2x20xf32>) -> (tensor<1x64x20x20xf32>, tensor<1x64x20x20xf32>, tensor<1x64x10x20xf32>, tensor<1x64x2x20xf32>, tensor<1x64x20x20xf32>) {
  %w = tpu.weight dense<3.0> : tensor<64x64x3x3xf32>
  %w5 = tpu.weight dense<3.0> : tensor<64x64x5x5xf32>
  %w1 = tpu.weight dense<3.0> : tensor<64x64x1x3xf32>
  %0 = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x64x20x20xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x20x20xf32>
  %1 = tpu.conv %x, %w5 strides [1, 1] pads [2, 2, 2, 2] dilations [1, 1] group 1 : tensor<1x64x20x20xf32>, tensor<64x64x5x5xf32> -> tensor<1x64x20x20xf32>
  %2 = tpu.conv %z, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x64x2x20xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x2x20xf32>
  %3 = tpu.conv %x, %w strides [2, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x64x20x20xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x10x20xf32>
  %4 = tpu.conv %x, %w1 strides [1, 1] pads [0, 1, 0, 1] dilations [1, 1] group 1 : tensor<1x64x20x20xf32>, tensor<64x64x1x3xf32> -> tensor<1x64x20x20xf32>
  return %0, %1, %3, %2, %4 : tensor<1x64x20x20xf32>, tensor<1x64x20x20xf32>, tensor<1x64x10x20xf32>, tensor<1x64x2x20xf32>, tensor<1x64x20x20xf32>
}

// Filters of so many channels leave no room for their values at points.
// CHECK-LABEL: @deep
// CHECK: tpu.conv {{.*}} of["window", "row_tiles_2", "row_tiles_4"] at[{{[0-9]+}}, -1, -1]{{.*}} tpu.recipe = "window"
// CHECK: return
func.func @deep(%x: tensor<1x4096x8x8xf32>) -> tensor<1x64x8x8xf32> {
  %w = tpu.weight dense<3.0> : tensor<64x4096x3x3xf32>
  %0 = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x4096x8x8xf32>, tensor<64x4096x3x3xf32> -> tensor<1x64x8x8xf32>
  return %0 : tensor<1x64x8x8xf32>
}

// Whole numbers stay whole.
// CHECK-LABEL: @exact
// CHECK-NOT: tpu.recipe
// CHECK: return
func.func @exact(%x: tensor<1x64x20x20xf32>) -> tensor<1x64x20x20xf32> {
  %w = tpu.weight dense<3.0> : tensor<64x64x3x3xf32>
  %0 = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {exact_sums} : tensor<1x64x20x20xf32>, tensor<64x64x3x3xf32> -> tensor<1x64x20x20xf32>
  return %0 : tensor<1x64x20x20xf32>
}

// One product does it where both types are signed or none is; a choice that was made stays.
// CHECK-LABEL: @requantize
// CHECK: tpu.binary add {{.*}} tpu.recipe = "products"
// CHECK: tpu.cast {{.*}} tpu.recipe = "product"
// CHECK: tpu.cast {{.*}} tpu.recipe = "cast"
// CHECK-NOT: tpu.recipe
// CHECK: return
func.func @requantize(%x: tensor<1x8x6x6x!q>) -> tensor<1x8x6x6x!u> {
  %0 = tpu.binary add %x, %x {multipliers = array<i32: 1500000000, 1200000000>, rshifts = array<i32: 31, 31>} : tensor<1x8x6x6x!q>, tensor<1x8x6x6x!q> -> tensor<1x8x6x6x!q>
  %1 = tpu.cast %0 {multiplier = 1500000000 : i32, rshift = 31 : i32} : tensor<1x8x6x6x!q> -> tensor<1x8x6x6x!q>
  %2 = tpu.cast %1 {multiplier = 1500000000 : i32, rshift = 31 : i32, tpu.recipe = "cast"} : tensor<1x8x6x6x!q> -> tensor<1x8x6x6x!q>
  %y = tpu.cast %2 {multiplier = 1500000000 : i32, rshift = 31 : i32} : tensor<1x8x6x6x!q> -> tensor<1x8x6x6x!u>
  return %y : tensor<1x8x6x6x!u>
}
}

// RUN: weft-opt --pass-pipeline='builtin.module(func.func(tpu-choose-recipes))' %s | FileCheck %s

!q = !quant.uniform<i8:f32, 0.05>
!u = !quant.uniform<u8:f32, 0.05>
module attributes {tpu.chip = "bm1684x", tpu.precision = "int8"} {

// A bias costs nothing in the depthwise unit; the cube adds none.
// CHECK-LABEL: @conv
// CHECK: tpu.conv {{.*}}tpu.choices = [#tpu.choice<recipe, "conv", #{{loc[0-9]*}}, 1 of["window", "window_bias"] at[{{[0-9]+}}, {{[0-9]+}}]>], tpu.recipe = "window_bias"
// CHECK-NOT: tpu.recipe
// CHECK: return
func.func @conv(%x: tensor<1x8x6x6x!q>) -> tensor<1x8x6x6x!q> {
  %w = tpu.weight dense<3> : tensor<8x1x3x3xi8>
  %v = tpu.weight dense<3> : tensor<8x8x1x1xi8>
  %b = tpu.weight dense<7> : tensor<1x8x1x1xi32>
  %0 = tpu.conv %x, %w, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 8 {multipliers = array<i32: 5, 5, 5, 5, 5, 5, 5, 5>, rshifts = array<i32: 9, 9, 9, 9, 9, 9, 9, 9>} : tensor<1x8x6x6x!q>, tensor<8x1x3x3xi8>, tensor<1x8x1x1xi32> -> tensor<1x8x6x6x!q>
  %y = tpu.conv %0, %v, %b strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 {multipliers = array<i32: 5, 5, 5, 5, 5, 5, 5, 5>, rshifts = array<i32: 9, 9, 9, 9, 9, 9, 9, 9>} : tensor<1x8x6x6x!q>, tensor<8x8x1x1xi8>, tensor<1x8x1x1xi32> -> tensor<1x8x6x6x!q>
  return %y : tensor<1x8x6x6x!q>
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

// Images of one pixel are rows of a matrix unless the window lies in the padding.
// RUN: weft-opt --convert-top-to-tpu="precision=f16 wide-weights=0" --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-NOT: tpu.linear
// CHECK: tpu.host "conv"
func.func @main(%x: tensor<3x2x1x1xf32> {top.name = "x"}) -> (tensor<3x2x1x1xf32> {top.name = "y"}) {
  %w = top.constant dense<1.0> : tensor<2x2x1x1xf32>
  %y = top.conv %x, %w {strides = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "y"}
     : (tensor<3x2x1x1xf32>, tensor<2x2x1x1xf32>) -> tensor<3x2x1x1xf32>
  return %y : tensor<3x2x1x1xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tpu.linear
func.func @main(%x: tensor<3x2x1x1xf32> {top.name = "x"}) -> (tensor<3x2x1x1xf32> {top.name = "y"}) {
  %w = top.constant dense<1.0> : tensor<2x2x1x1xf32>
  %y = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "y"}
     : (tensor<3x2x1x1xf32>, tensor<2x2x1x1xf32>) -> tensor<3x2x1x1xf32>
  return %y : tensor<3x2x1x1xf32>
}

// -----

// Factors of the channels of larger images stay in their lanes (squeeze and excitation).
// CHECK-LABEL: func.func @main
// CHECK-NOT: tpu.linear
// CHECK: tpu.conv
// CHECK-NOT: tpu.linear
// CHECK: tpu.binary mul
func.func @main(%x: tensor<4x64x14x14xf32> {top.name = "x"}, %p: tensor<4x64x1x1xf32> {top.name = "p"}) -> (tensor<4x64x14x14xf32> {top.name = "y"}) {
  %w = top.constant dense<0.5> : tensor<64x64x1x1xf32>
  %a = top.conv %p, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<4x64x1x1xf32>, tensor<64x64x1x1xf32>) -> tensor<4x64x1x1xf32>
  %s = top.unary sigmoid %a : tensor<4x64x1x1xf32>
  %y = top.binary mul %x, %s {top.value = "y"} : tensor<4x64x14x14xf32>, tensor<4x64x1x1xf32>
  return %y : tensor<4x64x14x14xf32>
}

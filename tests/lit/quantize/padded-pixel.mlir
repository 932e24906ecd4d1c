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

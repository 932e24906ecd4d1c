// A function that is computed in f32 for its own sake does not make wide what its few results are only repeated in, if 16 bits hold them: the images of a gate stay f16. What may leave f16 does, and what is as large as the rest.
// RUN: weft-opt --split-input-file --convert-top-to-tpu="precision=f16" %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: tpu.unary sigmoid {{.*}} : tensor<1x64x1x1xf32>
// CHECK: tpu.binary mul {{.*}} -> tensor<1x64x40x40xf16>
func.func @main(%x: tensor<1x64x40x40xf32> {top.name = "x"}, %g: tensor<1x64x1x1xf32> {top.name = "g"}) -> (tensor<1x64x40x40xf32> {top.name = "y"}) {
  %w = top.constant dense<0.125> : tensor<64x64x1x1xf32>
  %p = top.conv %x, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "p"} : (tensor<1x64x40x40xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x40x40xf32>
  %0 = top.unary sigmoid %g {top.value = "s"} : tensor<1x64x1x1xf32>
  %1 = top.binary mul %p, %0 {top.value = "y"} : tensor<1x64x40x40xf32>, tensor<1x64x1x1xf32>
  return %1 : tensor<1x64x40x40xf32>
}

// -----

// The exponential of 12 is no number of f16.
// CHECK-LABEL: func.func @main
// CHECK: tpu.binary mul {{.*}} -> tensor<1x64x40x40xf32>
func.func @main(%x: tensor<1x64x40x40xf32> {top.name = "x"}, %g: tensor<1x64x1x1xf32> {top.name = "g"}) -> (tensor<1x64x40x40xf32> {top.name = "y"}) {
  %w = top.constant dense<0.125> : tensor<64x64x1x1xf32>
  %p = top.conv %x, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "p"} : (tensor<1x64x40x40xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x40x40xf32>
  %0 = top.unary exp %g {top.value = "s"} : tensor<1x64x1x1xf32>
  %1 = top.binary mul %p, %0 {top.value = "y"} : tensor<1x64x40x40xf32>, tensor<1x64x1x1xf32>
  return %1 : tensor<1x64x40x40xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tpu.binary mul {{.*}} -> tensor<1x64x40x40xf32>
func.func @main(%x: tensor<1x64x40x40xf32> {top.name = "x"}, %g: tensor<1x64x40x40xf32> {top.name = "g"}) -> (tensor<1x64x40x40xf32> {top.name = "y"}) {
  %w = top.constant dense<0.125> : tensor<64x64x1x1xf32>
  %p = top.conv %x, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "p"} : (tensor<1x64x40x40xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x40x40xf32>
  %0 = top.unary sigmoid %g {top.value = "s"} : tensor<1x64x40x40xf32>
  %1 = top.binary mul %p, %0 {top.value = "y"} : tensor<1x64x40x40xf32>, tensor<1x64x40x40xf32>
  return %1 : tensor<1x64x40x40xf32>
}

// -----

// Probabilities are the smaller, the more there are.
// CHECK-LABEL: func.func @main
// CHECK: tpu.binary mul {{.*}} -> tensor<1x64x40x40xf32>
func.func @main(%x: tensor<1x64x40x40xf32> {top.name = "x"}, %g: tensor<1x1x1x1600xf32> {top.name = "g"}) -> (tensor<1x64x40x40xf32> {top.name = "y"}) {
  %w = top.constant dense<0.125> : tensor<64x64x1x1xf32>
  %p = top.conv %x, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "p"} : (tensor<1x64x40x40xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x40x40xf32>
  %0 = top.softmax %g {axis = 3 : i64, top.value = "s"} : tensor<1x1x1x1600xf32> -> tensor<1x1x1x1600xf32>
  %r = top.reshape %0 {top.value = "r"} : tensor<1x1x1x1600xf32> -> tensor<1x1x40x40xf32>
  %1 = top.binary mul %p, %r {top.value = "y"} : tensor<1x64x40x40xf32>, tensor<1x1x40x40xf32>
  return %1 : tensor<1x64x40x40xf32>
}

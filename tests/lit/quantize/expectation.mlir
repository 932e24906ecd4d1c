// The mean of numbers with a softmax's probabilities is added up where the softmax has them, an image each, not by the cube, for which they would change lanes. With several filters, of several images, or of what others read as well, it is a product.
// RUN: weft-opt --split-input-file --convert-top-to-tpu="precision=f16" %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: %[[S:.*]] = tpu.softmax {{.*}} : tensor<16x
// CHECK: %[[W:.*]] = tpu.weight {{.*}} : tensor<16x{{[0-9]+}}x1x1xf32>
// CHECK: %[[M:.*]] = tpu.binary mul %{{.*}}, %[[W]]
// CHECK: tpu.reduce sum %[[M]] axis 0
// CHECK-NOT: tpu.conv
func.func @main(%x: tensor<1x16x4x60xf32> {top.name = "x"}) -> (tensor<1x1x4x60xf32> {top.name = "y"}) {
  %w = top.constant dense<0.5> : tensor<1x16x1x1xf32>
  %0 = top.softmax %x {axis = 1 : i64, top.value = "s"} : tensor<1x16x4x60xf32> -> tensor<1x16x4x60xf32>
  %1 = top.conv %0, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "y"} : (tensor<1x16x4x60xf32>, tensor<1x16x1x1xf32>) -> tensor<1x1x4x60xf32>
  return %1 : tensor<1x1x4x60xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tpu.conv {{.*}} -> tensor<1x2x4x60xf32>
func.func @main(%x: tensor<1x16x4x60xf32> {top.name = "x"}) -> (tensor<1x2x4x60xf32> {top.name = "y"}) {
  %w = top.constant dense<0.5> : tensor<2x16x1x1xf32>
  %0 = top.softmax %x {axis = 1 : i64, top.value = "s"} : tensor<1x16x4x60xf32> -> tensor<1x16x4x60xf32>
  %1 = top.conv %0, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "y"} : (tensor<1x16x4x60xf32>, tensor<2x16x1x1xf32>) -> tensor<1x2x4x60xf32>
  return %1 : tensor<1x2x4x60xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tpu.conv {{.*}} -> tensor<2x1x4x60xf32>
func.func @main(%x: tensor<2x16x4x60xf32> {top.name = "x"}) -> (tensor<2x1x4x60xf32> {top.name = "y"}) {
  %w = top.constant dense<0.5> : tensor<1x16x1x1xf32>
  %0 = top.softmax %x {axis = 1 : i64, top.value = "s"} : tensor<2x16x4x60xf32> -> tensor<2x16x4x60xf32>
  %1 = top.conv %0, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "y"} : (tensor<2x16x4x60xf32>, tensor<1x16x1x1xf32>) -> tensor<2x1x4x60xf32>
  return %1 : tensor<2x1x4x60xf32>
}

// -----

// CHECK-LABEL: func.func @main
// CHECK: tpu.conv {{.*}} -> tensor<1x1x4x60xf32>
func.func @main(%x: tensor<1x16x4x60xf32> {top.name = "x"}) -> (tensor<1x1x4x60xf32> {top.name = "y"}, tensor<1x16x4x60xf32> {top.name = "s"}) {
  %w = top.constant dense<0.5> : tensor<1x16x1x1xf32>
  %0 = top.softmax %x {axis = 1 : i64, top.value = "s"} : tensor<1x16x4x60xf32> -> tensor<1x16x4x60xf32>
  %1 = top.conv %0, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "y"} : (tensor<1x16x4x60xf32>, tensor<1x16x1x1xf32>) -> tensor<1x1x4x60xf32>
  return %1, %0 : tensor<1x1x4x60xf32>, tensor<1x16x4x60xf32>
}

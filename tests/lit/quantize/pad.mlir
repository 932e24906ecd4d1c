// Rows and columns are padded in the lanes of their channels, everything else is arranged in DRAM.
// RUN: weft-opt --split-input-file --convert-top-to-tpu="precision=f16" %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: tpu.pad {{.*}} [2, 0, 1, 3] fill 1065353216 {{.*}} : tensor<1x2x5x6xf32> -> tensor<1x2x8x9xf32>
func.func @main(%x: tensor<1x2x5x6xf32> {top.name = "x"}) -> (tensor<1x2x8x9xf32> {top.name = "z"}) {
  %v = top.constant dense<1.0> : tensor<f32>
  %a = top.unary relu %x {top.value = "a"} : tensor<1x2x5x6xf32>
  %y = top.pad %a value %v {begins = array<i64: 0, 0, 2, 0>, ends = array<i64: 0, 0, 1, 3>, mode = "constant", top.value = "y"} : (tensor<1x2x5x6xf32>, tensor<f32>) -> tensor<1x2x8x9xf32>
  %z = top.unary relu %y {top.value = "z"} : tensor<1x2x8x9xf32>
  return %z : tensor<1x2x8x9xf32>
}

// -----

// Reflected columns are slices of one, repeated rows one slice several times.
// CHECK-LABEL: func.func @main
// CHECK: %[[C2:.*]] = tpu.slice %[[A:.*]] [0, 0, 0, 2] {{.*}} -> tensor<1x2x5x1xf32>
// CHECK: %[[C1:.*]] = tpu.slice %[[A]] [0, 0, 0, 1] {{.*}} -> tensor<1x2x5x1xf32>
// CHECK: tpu.concat %[[C2]], %[[C1]], %[[A]] axis 3
// CHECK: %[[R:.*]] = tpu.slice %[[B:.*]] [0, 0, 4, 0] {{.*}} -> tensor<1x2x1x6xf32>
// CHECK: tpu.concat %[[B]], %[[R]], %[[R]], %[[R]] axis 2
func.func @main(%x: tensor<1x2x5x6xf32> {top.name = "x"}) -> (tensor<1x2x5x8xf32> {top.name = "y"}, tensor<1x2x8x6xf32> {top.name = "z"}) {
  %a = top.unary relu %x {top.value = "a"} : tensor<1x2x5x6xf32>
  %y = top.pad %a {begins = array<i64: 0, 0, 0, 2>, ends = array<i64: 0, 0, 0, 0>, mode = "reflect", top.value = "y"} : (tensor<1x2x5x6xf32>) -> tensor<1x2x5x8xf32>
  %b = top.unary sigmoid %x {top.value = "b"} : tensor<1x2x5x6xf32>
  %z = top.pad %b {begins = array<i64: 0, 0, 0, 0>, ends = array<i64: 0, 0, 3, 0>, mode = "edge", top.value = "z"} : (tensor<1x2x5x6xf32>) -> tensor<1x2x8x6xf32>
  return %y, %z : tensor<1x2x5x8xf32>, tensor<1x2x8x6xf32>
}

// -----

// Channels change lanes.
// CHECK-LABEL: func.func @main
// CHECK: tpu.arrange {{.*}} -> tensor<1x3x5x6xf32>
func.func @main(%x: tensor<1x2x5x6xf32> {top.name = "x"}) -> (tensor<1x3x5x6xf32> {top.name = "z"}) {
  %v = top.constant dense<0.0> : tensor<f32>
  %a = top.unary relu %x {top.value = "a"} : tensor<1x2x5x6xf32>
  %y = top.pad %a value %v {begins = array<i64: 0, 1, 0, 0>, ends = array<i64: 0, 0, 0, 0>, mode = "constant", top.value = "y"} : (tensor<1x2x5x6xf32>, tensor<f32>) -> tensor<1x3x5x6xf32>
  %z = top.unary relu %y {top.value = "z"} : tensor<1x3x5x6xf32>
  return %z : tensor<1x3x5x6xf32>
}

// RUN: weft-opt --convert-top-to-tpu="precision=f32" --split-input-file %s | FileCheck %s

// The sum over the pixels of a channels-last image: 33 lines of 1,000, of which a lane holds few, would be loaded some bytes at a time: they are turned first.
// CHECK-LABEL: func.func @main(%arg0: tensor<1x25x40x33xf32>
// CHECK: %[[ROWS:.*]] = tpu.reshape %arg0 {{.*}}-> tensor<1x1000x33x1xf32>
// CHECK: %[[LINES:.*]] = tpu.permute %[[ROWS]] [0, 2, 1, 3] {{.*}}-> tensor<1x33x1000x1xf32>
// CHECK: tpu.reduce sum %[[LINES]] axis 2 {{.*}}-> tensor<1x33x1x1xf32>
func.func @main(%x: tensor<1x25x40x33xf32> {top.name = "x"}) -> (tensor<1x33xf32> {top.name = "y"}) {
  %y = top.reduce sum %x {axes = array<i64: 1, 2>, top.value = "y"} : tensor<1x25x40x33xf32> -> tensor<1x33xf32>
  return %y : tensor<1x33xf32>
}

// -----

// Not if a lane holds runs that are long enough.
// CHECK-LABEL: func.func @main(%arg0: tensor<1x16x16x64xf32>
// CHECK-NOT: tpu.permute
// CHECK: tpu.reduce sum %{{.*}} axis 0 {{.*}}tensor<256x1x1x64xf32>
func.func @main(%x: tensor<1x16x16x64xf32> {top.name = "x"}) -> (tensor<1x64xf32> {top.name = "y"}) {
  %y = top.reduce sum %x {axes = array<i64: 1, 2>, top.value = "y"} : tensor<1x16x16x64xf32> -> tensor<1x64xf32>
  return %y : tensor<1x64xf32>
}

// -----


// Few numbers are not worth it.
// CHECK-LABEL: func.func @main(%arg0: tensor<1x4x4x64xf32>
// CHECK-NOT: tpu.permute
// CHECK: tpu.reduce sum %{{.*}} axis 0
func.func @main(%x: tensor<1x4x4x64xf32> {top.name = "x"}) -> (tensor<1x64xf32> {top.name = "y"}) {
  %y = top.reduce sum %x {axes = array<i64: 1, 2>, top.value = "y"} : tensor<1x4x4x64xf32> -> tensor<1x64xf32>
  return %y : tensor<1x64xf32>
}

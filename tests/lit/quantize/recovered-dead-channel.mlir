// An output channel of zeros has a scale next to nothing. It does not cost the others their recovered weights, to which the shifts belong.
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%S/Inputs/dead-channel.cali" %s | FileCheck %s

// CHECK-DAG: %[[Y:.*]] = tpu.weight dense<{{\[\[\[\[}}1]], {{\[\[}}-2]]], {{\[\[\[}}0]], {{\[\[}}0]]]]> : tensor<2x2x1x1xi8>
// CHECK: tpu.conv %{{.*}}, %[[Y]], %{{.*}}scales = array<f32: 2.500000e-01, 5.000000e-31>
module {
  func.func @main(%x: tensor<1x2x4x4xf32> {top.name = "x"}) -> (tensor<1x2x4x4xf32> {top.name = "z"}) {
    %w = top.constant dense<[[[[1.0]], [[1.0]]], [[[0.0]], [[0.0]]]]> : tensor<2x2x1x1xf32>
    %y = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "y"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %v = top.constant dense<1.0> : tensor<2x2x1x1xf32>
    %z = top.conv %y, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "z"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    return %z : tensor<1x2x4x4xf32>
  }
}

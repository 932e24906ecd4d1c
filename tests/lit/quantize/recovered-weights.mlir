// Weights of the calibration table take the place of rounded ones where they are meant for the codes that the product reads.
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%S/Inputs/recovered.cali" %s | FileCheck %s
// RUN: weft-opt --convert-top-to-tpu="precision=f16 calibration=%S/Inputs/recovered.cali" %s | FileCheck %s --check-prefix=F16

// Codes and shift of y are the table's. Those of z are for another scale of x, those of v for another filter: rounded, without a bias.
// CHECK-DAG: %[[Y:.*]] = tpu.weight dense<{{\[\[\[\[}}1]], {{\[\[}}-2]]], {{\[\[\[}}3]], {{\[\[}}4]]]]> : tensor<2x2x1x1xi8>
// CHECK-DAG: %[[SHIFT:.*]] = tpu.weight dense<{{\[\[\[\[}}0.000000e+00]], {{\[\[}}1.500000e+00]]]]> : tensor<1x2x1x1xf32>
// CHECK-DAG: tpu.conv %{{.*}}, %[[Y]], %[[SHIFT]]
// CHECK-DAG: tpu.weight dense<127> : tensor<2x2x1x1xi8>
// CHECK-COUNT-2: tpu.conv %{{[0-9]+}}, %{{[0-9]+}} strides
// F16-NOT: xi8
// F16-NOT: 1.5
module {
  func.func @main(%x: tensor<1x2x4x4xf32> {top.name = "x"})
      -> (tensor<1x2x4x4xf32> {top.name = "y"}, tensor<1x2x4x4xf32> {top.name = "z"}, tensor<1x2x4x4xf32> {top.name = "v"}) {
    %w = top.constant dense<1.0> : tensor<2x2x1x1xf32>
    %y = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "y"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %z = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "z"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %v = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "v"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    return %y, %z, %v : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
  }
}

// Weights of the calibration table that were made of other weights than the model's would take their place: refused.
// RUN: not weft-opt --convert-top-to-tpu="precision=int8 calibration=%S/Inputs/recovered.cali" %s 2>&1 | FileCheck %s
// RUN: weft-opt --convert-top-to-tpu="precision=f16 calibration=%S/Inputs/recovered.cali" %s

// CHECK: error: the calibration table has weights of 'y' that were made of other weights than the model's; calibrate this model again
module {
  func.func @main(%x: tensor<1x2x4x4xf32> {top.name = "x"}) -> (tensor<1x2x4x4xf32> {top.name = "y"}) {
    %w = top.constant dense<1.01> : tensor<2x2x1x1xf32>
    %y = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "y"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    return %y : tensor<1x2x4x4xf32>
  }
}

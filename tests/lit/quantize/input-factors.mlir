// An input that a product's recovered weights want multiplied channel by channel is so just before it becomes codes, for this product alone.
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%S/Inputs/factors.cali" %s | FileCheck %s
// RUN: weft-opt --convert-top-to-tpu="precision=f16 calibration=%S/Inputs/factors.cali" %s | FileCheck %s --check-prefix=F16

// Channels are axis 1 of images, the last one of rows.
// CHECK: %[[S:.*]] = tpu.unary sigmoid %arg0
// CHECK: %[[FACTORS:.*]] = tpu.weight dense<{{\[\[\[\[}}2.000000e+00]], {{\[\[}}6.400000e+01]]]]>
// CHECK: %[[MUL:.*]] = tpu.binary mul %[[S]], %[[FACTORS]]
// CHECK: %[[CAST:.*]] = tpu.cast %[[MUL]] {{.*}}!quant.uniform<i8:f32, 1.000000e+00:-3>
// CHECK: %[[CODES:.*]] = tpu.weight dense<{{\[\[\[\[}}1]], {{\[\[}}-2]]], {{\[\[\[}}3]], {{\[\[}}4]]]]> : tensor<2x2x1x1xi8>
// CHECK: tpu.conv %[[CAST]], %[[CODES]]
// CHECK: tpu.cast %[[S]] {{.*}}!quant.uniform<u8:f32, 0.0039
// CHECK: %[[T:.*]] = tpu.unary sigmoid %arg1
// CHECK: %[[ROW:.*]] = tpu.weight dense<{{\[\[\[\[}}2.000000e+00, 6.400000e+01]]]]> : tensor<1x1x1x2x
// CHECK: tpu.binary mul %[[T]], %[[ROW]]
// F16-NOT: 6.400000e+01
module {
  func.func @main(%x: tensor<1x2x4x4xf32> {top.name = "x"}, %r: tensor<1x3x2xf32> {top.name = "r"})
      -> (tensor<1x2x4x4xf32> {top.name = "y"}, tensor<1x2x4x4xf32> {top.name = "z"}, tensor<1x3x2xf32> {top.name = "m"}) {
    %w = top.constant dense<1.0> : tensor<2x2x1x1xf32>
    %s = top.unary sigmoid %x {top.value = "s"} : tensor<1x2x4x4xf32>
    %y = top.conv %s, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "y"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %z = top.conv %s, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "z"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %v = top.constant dense<1.0> : tensor<2x2xf32>
    %t = top.unary sigmoid %r {top.value = "t"} : tensor<1x3x2xf32>
    %m = top.matmul %t, %v {top.value = "m"} : tensor<1x3x2xf32>, tensor<2x2xf32>
    return %y, %z, %m : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x3x2xf32>
  }
}

// Ranges far below 1 are ranges: 1e-5 stands for zeros alone. Of the depthwise unit, whose results are scaled by integers, one so far below its terms
// that no shift leads to its codes is a float.
// RUN: split-file %s %t
// RUN: weft-opt --convert-top-to-tpu="precision=int8 no-float calibration=%t/ranges asymmetric=off" %t/net.mlir | FileCheck %s

// CHECK: tpu.cast {{.*}} -> tensor<1x8x8x8x!quant.uniform<i8:f32, 9.99999{{[0-9]+}}E-13>>
// CHECK: tpu.conv {{.*}}multipliers{{.*}} -> tensor<1x8x8x8x!quant.uniform<i8:f32, 9.99999{{[0-9]+}}E-13>>
// CHECK: tpu.conv {{.*}}scales{{.*}} -> tensor<1x8x8x8xf32>
// CHECK: tpu.cast {{.*}} -> tensor<1x8x8x8x!quant.uniform<i8:f32, 7.87401{{[0-9]+}}E-18>>

//--- net.mlir
func.func @main(%x: tensor<1x8x8x8xf32> {top.name = "x"}) -> (tensor<1x8x8x8xf32> {top.name = "y"}) {
  %w = top.constant dense<1.0> : tensor<8x1x1x1xf32>
  %v = top.constant dense<1.0e12> : tensor<8x1x1x1xf32>
  %0 = top.conv %x, %w {dilations = array<i64: 1, 1>, group = 8 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "a"} : (tensor<1x8x8x8xf32>, tensor<8x1x1x1xf32>) -> tensor<1x8x8x8xf32>
  %1 = top.conv %0, %v {dilations = array<i64: 1, 1>, group = 8 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "b"} : (tensor<1x8x8x8xf32>, tensor<8x1x1x1xf32>) -> tensor<1x8x8x8xf32>
  %2 = top.conv %1, %w {dilations = array<i64: 1, 1>, group = 8 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "y"} : (tensor<1x8x8x8xf32>, tensor<8x1x1x1xf32>) -> tensor<1x8x8x8xf32>
  return %2 : tensor<1x8x8x8xf32>
}

//--- ranges
# weft calibration table 2
# method: max
# samples: 1
# name threshold min max low high
x 1.27e-10 -1.27e-10 1.27e-10 -1.27e-10 1.27e-10
a 1.27e-10 -1.27e-10 1.27e-10 -1.27e-10 1.27e-10
b 1.0e-15 -1.0e-15 1.0e-15 -1.0e-15 1.0e-15
y 1 -1 1 -1 1

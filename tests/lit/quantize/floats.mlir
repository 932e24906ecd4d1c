// Ops that are computed as an f16 program computes them, in an int8 program: products as floats, functions of what is f32 in f32.
// RUN: split-file %s %t
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%t/ranges" %t/codes.mlir | FileCheck %s --check-prefix=CODES
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%t/ranges" %t/floats.mlir | FileCheck %s --check-prefix=FLOATS
// RUN: weft-opt --convert-top-to-tpu="precision=f16 calibration=%t/ranges" %t/codes.mlir | FileCheck %s --check-prefix=FLOATS
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%t/ranges" %t/mixed.mlir | FileCheck %s --check-prefix=MIXED
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%t/ranges" %t/integers.mlir | FileCheck %s --check-prefix=INTEGERS

// CODES: tpu.binary mul {{.*}} : tensor<1x8x8x8xf16>
// CODES: tpu.conv {{.*}} : tensor<1x8x8x8x!quant.uniform<

// FLOATS-NOT: quant.uniform
// FLOATS: tpu.binary mul {{.*}} : tensor<1x8x8x8xf32>
// FLOATS: tpu.conv {{.*}} : tensor<1x8x8x8xf32>

// MIXED: tpu.binary mul {{.*}} : tensor<1x8x8x8xf32>
// MIXED: tpu.cast {{.*}} : tensor<1x8x8x8xf32> -> tensor<1x8x8x8x!quant.uniform<
// MIXED: tpu.conv {{.*}} : tensor<1x8x8x8x!quant.uniform<

// The graph's own integers are multiplied as such.
// INTEGERS: tpu.cast %arg0 {bits} : tensor<1x3x4x4xui8> -> tensor<1x3x4x4x!quant.uniform<u8:f32, 5.000000e-01:37>>
// INTEGERS: tpu.conv {{.*}} : tensor<1x3x4x4x!quant.uniform<

//--- codes.mlir
func.func @main(%x: tensor<1x8x8x8xf32> {top.name = "x"}) -> (tensor<1x8x8x8xf32> {top.name = "y"}) {
  %w = top.constant dense<0.5> : tensor<8x8x1x1xf32>
  %0 = top.binary mul %x, %x {top.value = "a"} : tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>
  %1 = top.conv %0, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "y"} : (tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32>
  return %1 : tensor<1x8x8x8xf32>
}

//--- floats.mlir
func.func @main(%x: tensor<1x8x8x8xf32> {top.name = "x"}) -> (tensor<1x8x8x8xf32> {top.name = "y"}) {
  %w = top.constant dense<0.5> : tensor<8x8x1x1xf32>
  %0 = top.binary mul %x, %x {top.floats, top.value = "a"} : tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>
  %1 = top.conv %0, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.floats, top.value = "y"} : (tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32>
  return %1 : tensor<1x8x8x8xf32>
}

//--- mixed.mlir
func.func @main(%x: tensor<1x8x8x8xf32> {top.name = "x"}) -> (tensor<1x8x8x8xf32> {top.name = "y"}) {
  %w = top.constant dense<0.5> : tensor<8x8x1x1xf32>
  %0 = top.binary mul %x, %x {top.floats, top.value = "a"} : tensor<1x8x8x8xf32>, tensor<1x8x8x8xf32>
  %1 = top.conv %0, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "y"} : (tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32>
  return %1 : tensor<1x8x8x8xf32>
}

//--- integers.mlir
func.func @main(%x: tensor<1x3x4x4xui8> {top.name = "x"}) -> (tensor<1x5x4x4xf32> {top.name = "y"}) {
  %z = top.constant dense<37.0> : tensor<1x1x1x1xf32>
  %s = top.constant dense<0.5> : tensor<1x1x1x1xf32>
  %w = top.constant dense<0.25> : tensor<5x3x1x1xf32>
  %0 = top.cast %x {top.floats} : tensor<1x3x4x4xui8> -> tensor<1x3x4x4xf32>
  %1 = top.binary sub %0, %z {top.floats} : tensor<1x3x4x4xf32>, tensor<1x1x1x1xf32>
  %2 = top.binary mul %1, %s {top.floats} : tensor<1x3x4x4xf32>, tensor<1x1x1x1xf32>
  %y = top.conv %2, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.floats, top.value = "y"} : (tensor<1x3x4x4xf32>, tensor<5x3x1x1xf32>) -> tensor<1x5x4x4xf32>
  return %y : tensor<1x5x4x4xf32>
}

//--- ranges
# weft calibration table 2
# method: max
# samples: 1
# name threshold min max low high
x 1 -1 1 -1 1
a 1 0 1 0 1
y 4 -4 4 -4 4

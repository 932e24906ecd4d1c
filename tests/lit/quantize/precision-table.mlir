// Products in the precision that a table asks for, by value or node; depthwise ones are floats unless no-float or the table says otherwise.
// RUN: split-file %s %t
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%t/ranges" %t/net.mlir | FileCheck %s --check-prefix=PLAIN
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%t/ranges no-float" %t/net.mlir | FileCheck %s --check-prefix=CODES
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%t/ranges precision-table=%t/table.yaml" %t/net.mlir | FileCheck %s --check-prefix=TABLE
// RUN: not weft-opt --convert-top-to-tpu="precision=int8 calibration=%t/ranges precision-table=%t/unknown.yaml" %t/net.mlir 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not weft-opt --convert-top-to-tpu="precision=f16 precision-table=%t/codes.yaml" %t/net.mlir 2>&1 | FileCheck %s --check-prefix=MIX

// PLAIN: tpu.conv {{.*}} : tensor<1x8x8x8x!quant.uniform<i8:f32,
// PLAIN: tpu.conv {{.*}} group 8 {{.*}} : tensor<1x8x8x8xf32>
// PLAIN: tpu.conv {{.*}} : tensor<1x8x8x8x!quant.uniform<i8:f32,

// CODES-COUNT-3: tpu.conv {{.*}} : tensor<1x8x8x8x!quant.uniform<i8:f32,

// The filters are small enough for f32 in a program of 16-bit floats.
// TABLE: tpu.conv {{.*}} : tensor<1x8x8x8xf32>
// TABLE: tpu.conv {{.*}} group 8 {{.*}} : tensor<1x8x8x8x!quant.uniform<i8:f32,
// TABLE: tpu.conv {{.*}} : tensor<1x8x8x8xf32>

// UNKNOWN: error: the precision table names 'z', which is no value or node of this model
// MIX: error: the precision table asks for int8 of 'b', which --precision f16 does not mix; its ops can be f16, w8f16, w4f16 or f32

//--- net.mlir
func.func @main(%x: tensor<1x8x8x8xf32> {top.name = "x"}) -> (tensor<1x8x8x8xf32> {top.name = "y"}) {
  %v = top.constant dense<0.5> : tensor<8x1x1x1xf32>
  %w = top.constant dense<0.5> : tensor<8x8x1x1xf32>
  %0 = top.conv %x, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "a"} : (tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32> loc("first")
  %1 = top.conv %0, %v {dilations = array<i64: 1, 1>, group = 8 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "b"} : (tensor<1x8x8x8xf32>, tensor<8x1x1x1xf32>) -> tensor<1x8x8x8xf32>
  %2 = top.conv %1, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "y"} : (tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32>
  return %2 : tensor<1x8x8x8xf32>
}

//--- ranges
# weft calibration table 2
# method: max
# samples: 1
# name threshold min max low high
x 1 -1 1 -1 1
a 4 -4 4 -4 4
b 2 -2 2 -2 2
y 8 -8 8 -8 8

//--- table.yaml
ops:
  first: f16
  b: int8
  "y": f32

//--- unknown.yaml
ops:
  z: f16

//--- codes.yaml
ops:
  b: int8

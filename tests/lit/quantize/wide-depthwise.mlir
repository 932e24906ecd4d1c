// The depthwise unit adds in the type that it multiplies. In f32 are, of a program of 16-bit floats, the smaller ones that take `wide-total`
// multiplications together (here 576 and 144); beside codes all or none; in bf16 all; and beside codes those whose sums may leave f16.
// RUN: split-file %s %t
// RUN: weft-opt --convert-top-to-tpu="precision=f16" %t/net.mlir | FileCheck %s --check-prefix=WIDE
// RUN: weft-opt --convert-top-to-tpu="precision=f16 wide-total=600" %t/net.mlir | FileCheck %s --check-prefix=F16
// RUN: weft-opt --convert-top-to-tpu="precision=bf16 wide-total=600" %t/net.mlir | FileCheck %s --check-prefix=WIDE
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%t/ranges" %t/net.mlir | FileCheck %s --check-prefix=WIDE
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%t/ranges wide-total=600" %t/net.mlir | FileCheck %s --check-prefix=INT8
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%t/far wide-total=600" %t/net.mlir | FileCheck %s --check-prefix=FAR
// RUN: weft-opt --convert-top-to-tpu="precision=f16 wide-total=0" %t/ends.mlir | FileCheck %s --check-prefix=ENDS
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%t/small wide-total=0" %t/ends.mlir | FileCheck %s --check-prefix=ENDS

// RUN: weft-opt --convert-top-to-tpu="precision=f16 wide-total=0" %t/off.mlir | FileCheck %s --check-prefix=OFF

// WIDE: tpu.conv {{.*}} group 4 {top.value = "a"{{.*}} : tensor<1x4x4x4xf32>, tensor<4x1x3x3xf32>, tensor<1x4x1x1xf32>
// WIDE: tpu.conv {{.*}} group 4 {top.value = "y"{{.*}} : tensor<1x4x4x4xf32>, tensor<4x1x3x3xf32> -> tensor<1x4x2x2xf32>

// F16: tpu.conv {{.*}} group 4 {narrow_sums, top.value = "a"{{.*}} : tensor<1x4x4x4xf16>, tensor<4x1x3x3xf16>, tensor<1x4x1x1xf16> -> tensor<1x4x4x4xf16>
// F16: tpu.conv {{.*}} group 4 {top.value = "y"{{.*}} : tensor<1x4x4x4xf32>, tensor<4x1x3x3xf32> -> tensor<1x4x2x2xf32>

// INT8: tpu.conv {{.*}} group 4 {narrow_sums, top.value = "a"
// INT8: tpu.conv {{.*}} group 4 {narrow_sums, top.value = "y"

// 9 weights of 0.25 and twice the range of x: up to 67,500 + 1; of a: 36,000.
// FAR: tpu.conv {{.*}} group 4 {top.value = "a"{{.*}} : tensor<1x4x4x4xf32>
// FAR: tpu.conv {{.*}} group 4 {narrow_sums, top.value = "y"

// Weights beyond f16, a bias beyond it, weights of few digits there.
// ENDS: tpu.conv {{.*}} group 4 {top.value = "a"{{.*}} : tensor<1x4x4x4xf32>
// ENDS: tpu.conv {{.*}} group 4 {top.value = "b"{{.*}} : tensor<1x4x4x4xf32>
// ENDS: tpu.conv {{.*}} group 4 {top.value = "y"{{.*}} : tensor<1x4x4x4xf32>

// A channel that training has switched off is lost beside the others where a product adds them up; not where it is returned.
// OFF: tpu.conv {{.*}} group 2 {{{.*}}narrow_sums
// OFF: tpu.conv {{.*}} group 2 {top.value = "b"{{.*}} : tensor<1x2x4x4xf32>

//--- net.mlir
func.func @main(%x: tensor<1x4x4x4xf32> {top.name = "x"}) -> (tensor<1x4x2x2xf32> {top.name = "y"}) {
  %k = top.constant dense<0.25> : tensor<4x1x3x3xf32>
  %b = top.constant dense<1.0> : tensor<4xf32>
  %a = top.conv %x, %k, %b {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 4 : i64, top.value = "a"} : (tensor<1x4x4x4xf32>, tensor<4x1x3x3xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
  %y = top.conv %a, %k {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 4 : i64, top.value = "y"} : (tensor<1x4x4x4xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x2x2xf32>
  return %y : tensor<1x4x2x2xf32>
}

//--- ranges
# weft calibration table 2
# method: max
# samples: 1
# name threshold min max low high
x 1 -1 1 -1 1
a 4 -4 4 -4 4
y 2 -2 2 -2 2

//--- far
# weft calibration table 2
# method: max
# samples: 1
# name threshold min max low high
x 15000 -15000 15000 -15000 15000
a 8000 -8000 8000 -8000 8000
y 2 -2 2 -2 2

//--- ends.mlir
func.func @main(%x: tensor<1x4x4x4xf32> {top.name = "x"}) -> (tensor<1x4x4x4xf32> {top.name = "y"}) {
  %k = top.constant dense<1.0e+05> : tensor<4x1x1x1xf32>
  %one = top.constant dense<0.5> : tensor<4x1x1x1xf32>
  %c = top.constant dense<7.0e+04> : tensor<4xf32>
  %t = top.constant dense<1.0e-07> : tensor<4x1x1x1xf32>
  %a = top.conv %x, %k {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 4 : i64, top.value = "a"} : (tensor<1x4x4x4xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x4x4xf32>
  %b = top.conv %a, %one, %c {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 4 : i64, top.value = "b"} : (tensor<1x4x4x4xf32>, tensor<4x1x1x1xf32>, tensor<4xf32>) -> tensor<1x4x4x4xf32>
  %y = top.conv %b, %t {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 4 : i64, top.value = "y"} : (tensor<1x4x4x4xf32>, tensor<4x1x1x1xf32>) -> tensor<1x4x4x4xf32>
  return %y : tensor<1x4x4x4xf32>
}

//--- small
# weft calibration table 2
# method: max
# samples: 1
# name threshold min max low high
x 0.001 -0.001 0.001 -0.001 0.001
a 100 -100 100 -100 100
b 50 -50 50 -50 50
y 0.1 -0.1 0.1 -0.1 0.1

//--- off.mlir
func.func @main(%x: tensor<1x2x4x4xf32> {top.name = "x"}) -> (tensor<1x2x4x4xf32> {top.name = "y"}, tensor<1x2x4x4xf32> {top.name = "b"}) {
  %k = top.constant dense<[[[[0.5]]], [[[1.0e-07]]]]> : tensor<2x1x1x1xf32>
  %p = top.constant dense<0.5> : tensor<2x2x1x1xf32>
  %a = top.conv %x, %k {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 2 : i64, top.value = "a"} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r = top.unary relu %a {top.value = "r"} : tensor<1x2x4x4xf32>
  %y = top.conv %r, %p {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "y"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  %b = top.conv %x, %k {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 2 : i64, top.value = "b"} : (tensor<1x2x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %y, %b : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

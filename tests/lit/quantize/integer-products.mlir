// Convolutions of whole numbers that fit 8 bits are computed by the integer unit at every precision, others in f32.
// RUN: weft-opt --convert-top-to-tpu="precision=f32" --split-input-file %s | FileCheck %s
// RUN: weft-opt --convert-top-to-tpu="precision=f16" --split-input-file %s | FileCheck %s
// RUN: weft-opt --convert-top-to-tpu="precision=f16 asymmetric=off" --split-input-file %s | FileCheck %s
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%S/Inputs/zero-points.cali" --split-input-file %s | FileCheck %s --check-prefix=CODES

// The bias takes 3 * 2 * 37 away.
// CHECK-LABEL: module @integers
// CHECK: %[[X:.*]] = tpu.cast %arg0 {bits} : tensor<1x3x4x4xui8> -> tensor<1x3x4x4x!quant.uniform<u8:f32, 1.000000e+00:37>>
// CHECK-DAG: tpu.weight dense<2> : tensor<5x3x1x1xi8>
// CHECK-DAG: tpu.weight dense<-1.220000e+02> : tensor<1x5x1x1xf32>
// CHECK: tpu.conv %[[X]], {{.*}}scales = array<f32: 1.000000e+00, {{.*}} -> tensor<1x5x4x4xf32>
module @integers {
  func.func @main(%x: tensor<1x3x4x4xui8> {top.name = "x"}) -> (tensor<1x5x4x4xf32> {top.name = "y"}) {
    %z = top.constant dense<37.0> : tensor<1x1x1x1xf32>
    %w = top.constant dense<2.0> : tensor<5x3x1x1xf32>
    %b = top.constant dense<100.0> : tensor<5xf32>
    %0 = top.cast %x {top.exact} : tensor<1x3x4x4xui8> -> tensor<1x3x4x4xf32>
    %1 = top.binary sub %0, %z {top.exact} : tensor<1x3x4x4xf32>, tensor<1x1x1x1xf32>
    %y = top.conv %1, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.exact, top.value = "y"} : (tensor<1x3x4x4xf32>, tensor<5x3x1x1xf32>, tensor<5xf32>) -> tensor<1x5x4x4xf32>
    return %y : tensor<1x5x4x4xf32>
  }
}

// -----

// Weights of nine bits less a zero point, a bias that is not whole, sums beyond 2^24: the machine rounds those once.
// CHECK-LABEL: module @wide
// CHECK-DAG: tpu.weight dense<127> : tensor<5x3x1x1xi8>
// CHECK: tpu.conv {{.*}}filter_zero_points = array<i32: -1, -1, -1, -1, -1>
// CHECK: tpu.conv {{.*}}quant.uniform
// CHECK: tpu.conv {{.*}}1x600x1x1x!quant.uniform
module @wide {
  func.func @main(%x: tensor<1x3x4x4xui8> {top.name = "x"}, %v: tensor<1x600x1x1xi8> {top.name = "v"})
      -> (tensor<1x5x4x4xf32> {top.name = "a"}, tensor<1x5x4x4xf32> {top.name = "b"}, tensor<1x5x1x1xf32> {top.name = "d"}) {
    %z = top.constant dense<37.0> : tensor<1x1x1x1xf32>
    %w = top.constant dense<2.0> : tensor<5x3x1x1xf32>
    %nine = top.constant dense<128.0> : tensor<5x3x1x1xf32>
    %many = top.constant dense<127.0> : tensor<5x600x1x1xf32>
    %half = top.constant dense<0.5> : tensor<5xf32>
    %0 = top.cast %x {top.exact} : tensor<1x3x4x4xui8> -> tensor<1x3x4x4xf32>
    %1 = top.binary sub %0, %z {top.exact} : tensor<1x3x4x4xf32>, tensor<1x1x1x1xf32>
    %3 = top.cast %v {top.exact} : tensor<1x600x1x1xi8> -> tensor<1x600x1x1xf32>
    %a = top.conv %1, %nine {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.exact, top.value = "a"} : (tensor<1x3x4x4xf32>, tensor<5x3x1x1xf32>) -> tensor<1x5x4x4xf32>
    %b = top.conv %1, %w, %half {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.exact, top.value = "b"} : (tensor<1x3x4x4xf32>, tensor<5x3x1x1xf32>, tensor<5xf32>) -> tensor<1x5x4x4xf32>
    %d = top.conv %3, %many {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.exact, top.value = "d"} : (tensor<1x600x1x1xf32>, tensor<5x600x1x1xf32>) -> tensor<1x5x1x1xf32>
    return %a, %b, %d : tensor<1x5x4x4xf32>, tensor<1x5x4x4xf32>, tensor<1x5x1x1xf32>
  }
}

// -----

// A zero point that is no code.
// CHECK-LABEL: module @others
// CHECK-NOT: quant.uniform
module @others {
  func.func @main(%x: tensor<1x3x4x4xui8> {top.name = "x"}) -> (tensor<1x5x4x4xf32> {top.name = "c"}) {
    %far = top.constant dense<256.0> : tensor<1x1x1x1xf32>
    %w = top.constant dense<2.0> : tensor<5x3x1x1xf32>
    %0 = top.cast %x {top.exact} : tensor<1x3x4x4xui8> -> tensor<1x3x4x4xf32>
    %2 = top.binary sub %0, %far {top.exact} : tensor<1x3x4x4xf32>, tensor<1x1x1x1xf32>
    %c = top.conv %2, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.exact, top.value = "c"} : (tensor<1x3x4x4xf32>, tensor<5x3x1x1xf32>) -> tensor<1x5x4x4xf32>
    return %c : tensor<1x5x4x4xf32>
  }
}

// -----

// What the graph dequantized is multiplied as it was before, at every precision: the filters are
// 4, -2, 1, 0 times 0.125 and 3, 1, 2, -3 times 0.25, and the result is a float. A filter that is not on a grid of 8 bits takes calibrated codes.
// CODES-LABEL: module @dequantized
// CODES: %[[X:.*]] = tpu.cast %arg0 {bits} : tensor<1x4x4x4xi8> -> tensor<1x4x4x4x!quant.uniform<i8:f32, 0.2{{[0-9]*}}:-7>>
// CODES: tpu.weight dense<{{.*}}4{{.*}}-2{{.*}}1{{.*}}0{{.*}}3{{.*}}1{{.*}}2{{.*}}-3{{.*}}> : tensor<2x4x1x1xi8>
// CODES: tpu.conv %[[X]], {{.*}}scales = array<f32: 2.500000e-02, 5.000000e-02>{{.*}} -> tensor<1x2x4x4xf32>
// CODES: tpu.cast {{.*}} -> tensor<1x4x4x4x!quant.uniform<i8:f32, 0.0387254{{[0-9]*}}:-118>>
// CHECK-LABEL: module @dequantized
// CHECK: %[[X:.*]] = tpu.cast %arg0 {bits} : tensor<1x4x4x4xi8> -> tensor<1x4x4x4x!quant.uniform<i8:f32, 0.2{{[0-9]*}}:-7>>
// CHECK: tpu.conv %[[X]], {{.*}}scales = array<f32: 2.500000e-02, 5.000000e-02>{{.*}} -> tensor<1x2x4x4xf32>
// CHECK-NOT: quant.uniform
module @dequantized {
  func.func @main(%x: tensor<1x4x4x4xi8> {top.name = "x"}) -> (tensor<1x2x4x4xf32> {top.name = "a"}, tensor<1x2x4x4xf32> {top.name = "b"}) {
    %z = top.constant dense<-7.0> : tensor<f32>
    %s = top.constant dense<0.2> : tensor<f32>
    %w = top.constant dense<[[[[0.5]], [[-0.25]], [[0.125]], [[0.0]]], [[[0.75]], [[0.25]], [[0.5]], [[-0.75]]]]> : tensor<2x4x1x1xf32>
    %v = top.constant dense<[[[[0.5]], [[-0.25]], [[0.125]], [[0.0]]], [[[0.7654321]], [[0.2345678]], [[0.1111]], [[0.5432]]]]> : tensor<2x4x1x1xf32>
    %0 = top.cast %x : tensor<1x4x4x4xi8> -> tensor<1x4x4x4xf32>
    %1 = top.binary sub %0, %z : tensor<1x4x4x4xf32>, tensor<f32>
    %2 = top.binary mul %1, %s {top.value = "h"} : tensor<1x4x4x4xf32>, tensor<f32>
    %a = top.conv %2, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "a"} : (tensor<1x4x4x4xf32>, tensor<2x4x1x1xf32>) -> tensor<1x2x4x4xf32>
    %b = top.conv %2, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "b"} : (tensor<1x4x4x4xf32>, tensor<2x4x1x1xf32>) -> tensor<1x2x4x4xf32>
    return %a, %b : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
  }
}

// -----

// Quantized again: rounded before the zero point is added. 2 * 0.125 / 0.5 = 0.5; the bias is 3 steps of 0.25, less 4 * 10 * 1.
// CHECK-LABEL: module @requantized
// CHECK-DAG: tpu.weight dense<-37> : tensor<1x2x1x1xi32>
// CHECK: %[[Y:.*]] = tpu.conv {{.*}}scales = array<f32: 5.000000e-01, 5.000000e-01>{{.*}} -> tensor<1x2x4x4x!quant.uniform<u8:f32, 5.000000e-01:7>>
// CHECK: %[[BITS:.*]] = tpu.cast %[[Y]] {bits{{.*}} -> tensor<1x2x4x4xui8>
// CHECK: return %[[BITS]]
module @requantized {
  func.func @main(%x: tensor<1x4x4x4xi8> {top.name = "x"}) -> (tensor<1x2x4x4xui8> {top.name = "y"}) {
    %z = top.constant dense<10.0> : tensor<f32>
    %s = top.constant dense<2.0> : tensor<f32>
    %w = top.constant dense<0.125> : tensor<2x4x1x1xf32>
    %b = top.constant dense<0.75> : tensor<2xf32>
    %by = top.constant dense<0.5> : tensor<f32>
    %seven = top.constant dense<7.0> : tensor<f32>
    %0 = top.cast %x : tensor<1x4x4x4xi8> -> tensor<1x4x4x4xf32>
    %1 = top.binary sub %0, %z : tensor<1x4x4x4xf32>, tensor<f32>
    %2 = top.binary mul %1, %s : tensor<1x4x4x4xf32>, tensor<f32>
    %3 = top.conv %2, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "a"} : (tensor<1x4x4x4xf32>, tensor<2x4x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    %4 = top.binary div %3, %by : tensor<1x2x4x4xf32>, tensor<f32>
    %5 = top.unary clip %4 {alpha = -1.0e6 : f64, beta = 1.0e6 : f64} : tensor<1x2x4x4xf32>
    %6 = top.binary mul %5, %by : tensor<1x2x4x4xf32>, tensor<f32>
    %7 = top.binary sub %3, %6 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
    %8 = top.binary div %7, %by : tensor<1x2x4x4xf32>, tensor<f32>
    %9 = top.binary add %5, %8 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
    %10 = top.unary round %9 : tensor<1x2x4x4xf32>
    %11 = top.binary add %10, %seven : tensor<1x2x4x4xf32>, tensor<f32>
    %12 = top.unary clip %11 {alpha = 0.0 : f64, beta = 255.0 : f64} : tensor<1x2x4x4xf32>
    %y = top.cast %12 {top.value = "y"} : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xui8>
    return %y : tensor<1x2x4x4xui8>
  }
}

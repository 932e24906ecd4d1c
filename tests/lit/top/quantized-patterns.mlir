// Between DequantizeLinear and QuantizeLinear integers are moved, and what is quantized again by its own scale is not.
// RUN: weft-opt --top-canonicalize %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK: %[[MOVED:.*]] = top.transpose %arg0 {{.*}}xui8>
// CHECK: %[[RELU:.*]] = top.binary max %[[MOVED]], {{.*}}xui8>
// CHECK: return %[[RELU]]
func.func @main(%x: tensor<1x2x3x4xui8> {top.name = "x"}) -> (tensor<1x3x4x2xui8> {top.name = "y"}) {
  %z = top.constant dense<7.0> : tensor<f32>
  %s = top.constant dense<0.1> : tensor<f32>
  %0 = top.cast %x : tensor<1x2x3x4xui8> -> tensor<1x2x3x4xf32>
  %1 = top.binary sub %0, %z : tensor<1x2x3x4xf32>, tensor<f32>
  %2 = top.binary mul %1, %s : tensor<1x2x3x4xf32>, tensor<f32>
  %3 = top.transpose %2 {perm = array<i64: 0, 2, 3, 1>} : tensor<1x2x3x4xf32> -> tensor<1x3x4x2xf32>
  %r = top.unary relu %3 : tensor<1x3x4x2xf32>
  %4 = top.binary div %r, %s : tensor<1x3x4x2xf32>, tensor<f32>
  %5 = top.unary clip %4 {alpha = -1.0e6 : f64, beta = 1.0e6 : f64} : tensor<1x3x4x2xf32>
  %6 = top.binary mul %5, %s : tensor<1x3x4x2xf32>, tensor<f32>
  %7 = top.binary sub %r, %6 : tensor<1x3x4x2xf32>, tensor<1x3x4x2xf32>
  %8 = top.binary div %7, %s : tensor<1x3x4x2xf32>, tensor<f32>
  %9 = top.binary add %5, %8 : tensor<1x3x4x2xf32>, tensor<1x3x4x2xf32>
  %10 = top.unary round %9 : tensor<1x3x4x2xf32>
  %11 = top.binary add %10, %z : tensor<1x3x4x2xf32>, tensor<f32>
  %12 = top.unary clip %11 {alpha = 0.0 : f64, beta = 255.0 : f64} : tensor<1x3x4x2xf32>
  %y = top.cast %12 {top.value = "y"} : tensor<1x3x4x2xf32> -> tensor<1x3x4x2xui8>
  return %y : tensor<1x3x4x2xui8>
}

// With another scale the codes change: no integers are given back.
// CHECK-LABEL: func.func @other
// CHECK: top.unary round
func.func @other(%x: tensor<1x2x3x4xui8> {top.name = "x"}) -> (tensor<1x2x3x4xui8> {top.name = "y"}) {
  %s = top.constant dense<0.1> : tensor<f32>
  %t = top.constant dense<0.2> : tensor<f32>
  %0 = top.cast %x : tensor<1x2x3x4xui8> -> tensor<1x2x3x4xf32>
  %2 = top.binary mul %0, %s : tensor<1x2x3x4xf32>, tensor<f32>
  %4 = top.binary div %2, %t : tensor<1x2x3x4xf32>, tensor<f32>
  %5 = top.unary clip %4 {alpha = -1.0e6 : f64, beta = 1.0e6 : f64} : tensor<1x2x3x4xf32>
  %6 = top.binary mul %5, %t : tensor<1x2x3x4xf32>, tensor<f32>
  %7 = top.binary sub %2, %6 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
  %8 = top.binary div %7, %t : tensor<1x2x3x4xf32>, tensor<f32>
  %9 = top.binary add %5, %8 : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
  %10 = top.unary round %9 : tensor<1x2x3x4xf32>
  %12 = top.unary clip %10 {alpha = 0.0 : f64, beta = 255.0 : f64} : tensor<1x2x3x4xf32>
  %y = top.cast %12 {top.value = "y"} : tensor<1x2x3x4xf32> -> tensor<1x2x3x4xui8>
  return %y : tensor<1x2x3x4xui8>
}

// Every op of the top dialect round-trips through its text form and through the generic form.
// RUN: weft-opt %s | weft-opt | FileCheck %s
// RUN: weft-opt %s --mlir-print-op-generic | weft-opt | FileCheck %s

// CHECK-LABEL: func.func @constants
func.func @constants() -> (tensor<2xi64>, tensor<3xui8>, tensor<f32>, tensor<2xi1>) {
  // CHECK: top.constant dense<[1, -2]> : tensor<2xi64>
  %0 = top.constant dense<[1, -2]> : tensor<2xi64>
  // CHECK: top.constant dense<[0, 128, 255]> : tensor<3xui8> {top.value = "c"}
  %1 = top.constant dense<[0, 128, 255]> : tensor<3xui8> {top.value = "c"}
  // CHECK: top.constant dense<1.500000e+00> : tensor<f32>
  %2 = top.constant dense<1.5> : tensor<f32>
  // CHECK: top.constant dense<[true, false]> : tensor<2xi1>
  %3 = top.constant dense<[true, false]> : tensor<2xi1>
  return %0, %1, %2, %3 : tensor<2xi64>, tensor<3xui8>, tensor<f32>, tensor<2xi1>
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<1x8x4x4xf32>, %c: tensor<8x1x1xf32>) -> (tensor<1x8x4x4xi1>, tensor<1x8x4x4xi1>) {
  // CHECK: top.unary relu %{{.*}} : tensor<1x8x4x4xf32>
  %0 = top.unary relu %x : tensor<1x8x4x4xf32>
  // CHECK: top.unary clip %{{.*}} {alpha = 0.000000e+00 : f64, beta = 6.000000e+00 : f64, top.value = "y"} : tensor<1x8x4x4xf32>
  %1 = top.unary clip %0 {alpha = 0.0, beta = 6.0, top.value = "y"} : tensor<1x8x4x4xf32>
  // CHECK: top.binary add %{{.*}}, %{{.*}} : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>
  %2 = top.binary add %1, %c : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>
  // CHECK: top.binary less %{{.*}}, %{{.*}} : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>
  %3 = top.binary less %2, %c : tensor<1x8x4x4xf32>, tensor<8x1x1xf32>
  // CHECK: top.unary is_nan %{{.*}} : tensor<1x8x4x4xf32>
  %4 = top.unary is_nan %2 : tensor<1x8x4x4xf32>
  return %3, %4 : tensor<1x8x4x4xi1>, tensor<1x8x4x4xi1>
}

// CHECK-LABEL: func.func @windows
func.func @windows(%x: tensor<1x3x48x192xf32>, %w: tensor<8x3x3x3xf32>, %b: tensor<8xf32>) -> tensor<1x8x1x1xf32> {
  // CHECK: top.conv %{{.*}}, %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : (tensor<1x3x48x192xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<1x8x24x96xf32>
  %0 = top.conv %x, %w, %b {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64}
     : (tensor<1x3x48x192xf32>, tensor<8x3x3x3xf32>, tensor<8xf32>) -> tensor<1x8x24x96xf32>
  // CHECK: top.conv %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>
  %1 = top.conv %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64}
     : (tensor<1x3x48x192xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x24x96xf32>
  // CHECK: top.batch_norm %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {epsilon = 1.000000e-05 : f64} : (tensor<1x8x24x96xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x24x96xf32>
  %2 = top.batch_norm %1, %b, %b, %b, %b {epsilon = 1.0e-5}
     : (tensor<1x8x24x96xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<1x8x24x96xf32>
  // CHECK: top.pool max %{{.*}} {kernel = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 2, 2>} : tensor<1x8x24x96xf32> -> tensor<1x8x12x48xf32>
  %3 = top.pool max %2 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>}
     : tensor<1x8x24x96xf32> -> tensor<1x8x12x48xf32>
  // CHECK: top.pool avg %{{.*}} {count_include_pad, kernel = array<i64: 12, 48>
  %4 = top.pool avg %3 {kernel = array<i64: 12, 48>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, count_include_pad}
     : tensor<1x8x12x48xf32> -> tensor<1x8x1x1xf32>
  return %4 : tensor<1x8x1x1xf32>
}

// CHECK-LABEL: func.func @matrices
func.func @matrices(%x: tensor<1x200xf32>, %w: tensor<200x2xf32>) -> tensor<1x2xf32> {
  // CHECK: top.matmul %{{.*}}, %{{.*}} : tensor<1x200xf32>, tensor<200x2xf32>
  %0 = top.matmul %x, %w : tensor<1x200xf32>, tensor<200x2xf32>
  // CHECK: top.softmax %{{.*}} {axis = 1 : i64} : tensor<1x2xf32> -> tensor<1x2xf32>
  %1 = top.softmax %0 {axis = 1 : i64} : tensor<1x2xf32> -> tensor<1x2xf32>
  return %1 : tensor<1x2xf32>
}

// CHECK-LABEL: func.func @moves
func.func @moves(%x: tensor<2x8xi64>) -> tensor<2x4xi32> {
  // CHECK: top.reshape %{{.*}} : tensor<2x8xi64> -> tensor<8x2xi64>
  %0 = top.reshape %x : tensor<2x8xi64> -> tensor<8x2xi64>
  // CHECK: top.transpose %{{.*}} {perm = array<i64: 1, 0>} : tensor<8x2xi64> -> tensor<2x8xi64>
  %1 = top.transpose %0 {perm = array<i64: 1, 0>} : tensor<8x2xi64> -> tensor<2x8xi64>
  // CHECK: top.slice %{{.*}} {starts = array<i64: 0, 7>, steps = array<i64: 1, -2>} : tensor<2x8xi64> -> tensor<2x4xi64>
  %2 = top.slice %1 {starts = array<i64: 0, 7>, steps = array<i64: 1, -2>} : tensor<2x8xi64> -> tensor<2x4xi64>
  // CHECK: top.concat %{{.*}}, %{{.*}} {axis = 1 : i64} : (tensor<2x4xi64>, tensor<2x8xi64>) -> tensor<2x12xi64>
  %3 = top.concat %2, %1 {axis = 1 : i64} : (tensor<2x4xi64>, tensor<2x8xi64>) -> tensor<2x12xi64>
  %4 = top.slice %3 {starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<2x12xi64> -> tensor<2x4xi64>
  // CHECK: top.cast %{{.*}} : tensor<2x4xi64> -> tensor<2x4xi32>
  %5 = top.cast %4 : tensor<2x4xi64> -> tensor<2x4xi32>
  return %5 : tensor<2x4xi32>
}

// CHECK-LABEL: func.func @interleave
func.func @interleave(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x8x8xf32> {
  // CHECK: top.interleave %{{.*}} {factors = array<i64: 2, 2>} : (tensor<1x8x4x4xf32>) -> tensor<1x8x8x8xf32>
  %0 = top.interleave %x {factors = array<i64: 2, 2>} : (tensor<1x8x4x4xf32>) -> tensor<1x8x8x8xf32>
  return %0 : tensor<1x8x8x8xf32>
}

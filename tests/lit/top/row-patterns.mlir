// Linear layers and what stands between them, on rows of images that the model counts as one matrix.
// RUN: weft-opt --split-input-file --top-canonicalize %s | FileCheck %s

// The two reshapes meet and vanish; constants and other images stand beside.
// CHECK-LABEL: func.func @addmm
// CHECK-NOT: top.reshape
// CHECK: top.matmul %arg0, %{{.*}} : tensor<2x9x4xf32>, tensor<4x6xf32>
// CHECK: top.binary add {{.*}} : tensor<2x9x6xf32>, tensor<6xf32>
// CHECK: top.binary sub {{.*}} : tensor<2x9x6xf32>, tensor<2x9x6xf32>
// CHECK-NOT: top.reshape
// CHECK: return
func.func @addmm(%x: tensor<2x9x4xf32>, %z: tensor<2x9x6xf32>) -> tensor<2x9x6xf32> {
  %w = top.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 0.0, 0.0, 0.0, 0.0, 6.0], [0.0, 2.0, 0.0, 0.0, 5.0, 0.0], [0.0, 0.0, 3.0, 4.0, 0.0, 0.0]]> : tensor<4x6xf32>
  %b = top.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]> : tensor<6xf32>
  %0 = top.reshape %x : tensor<2x9x4xf32> -> tensor<18x4xf32>
  %1 = top.matmul %0, %w : tensor<18x4xf32>, tensor<4x6xf32>
  %2 = top.binary add %1, %b : tensor<18x6xf32>, tensor<6xf32>
  %3 = top.unary sigmoid %2 : tensor<18x6xf32>
  %4 = top.reshape %z : tensor<2x9x6xf32> -> tensor<18x6xf32>
  %5 = top.binary sub %3, %4 : tensor<18x6xf32>, tensor<18x6xf32>
  %6 = top.reshape %5 : tensor<18x6xf32> -> tensor<2x9x6xf32>
  return %6 : tensor<2x9x6xf32>
}

// -----

// A sum along each row stands beside the rows it was made of.
// CHECK-LABEL: func.func @reduced
// CHECK: %[[S:.*]] = top.reduce sum %arg0 {axes = array<i64: 2>, keepdims} : tensor<2x9x4xf32> -> tensor<2x9x1xf32>
// CHECK: %[[D:.*]] = top.binary sub %arg0, %[[S]] {{.*}}: tensor<2x9x4xf32>, tensor<2x9x1xf32>
// CHECK: top.reshape %[[D]] {top.value = "d"}
func.func @reduced(%x: tensor<2x9x4xf32>) -> tensor<18x4xf32> {
  %0 = top.reshape %x : tensor<2x9x4xf32> -> tensor<18x4xf32>
  %1 = top.reduce sum %0 {axes = array<i64: 1>, keepdims} : tensor<18x4xf32> -> tensor<18x1xf32>
  %2 = top.binary sub %0, %1 {top.value = "d"} : tensor<18x4xf32>, tensor<18x1xf32>
  return %2 : tensor<18x4xf32>
}

// -----

// Images of few rows, other images, a column of constants: the matrix stays.
// CHECK-LABEL: func.func @stays
// CHECK: top.unary sigmoid {{.*}} : tensor<14x4xf32>
// CHECK: top.binary add {{.*}} : tensor<18x4xf32>, tensor<18x4xf32>
// CHECK: top.binary mul {{.*}} : tensor<18x4xf32>, tensor<18x1xf32>
func.func @stays(%x: tensor<2x7x4xf32>, %y: tensor<2x9x4xf32>, %z: tensor<1x18x4xf32>) -> (tensor<14x4xf32>, tensor<18x4xf32>, tensor<18x4xf32>) {
  %c = top.constant dense<[[1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0], [9.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0], [8.0], [9.0]]> : tensor<18x1xf32>
  %0 = top.reshape %x : tensor<2x7x4xf32> -> tensor<14x4xf32>
  %1 = top.unary sigmoid %0 : tensor<14x4xf32>
  %2 = top.reshape %y : tensor<2x9x4xf32> -> tensor<18x4xf32>
  %3 = top.reshape %z : tensor<1x18x4xf32> -> tensor<18x4xf32>
  %4 = top.binary add %2, %3 : tensor<18x4xf32>, tensor<18x4xf32>
  %5 = top.binary mul %2, %c : tensor<18x4xf32>, tensor<18x1xf32>
  return %1, %4, %5 : tensor<14x4xf32>, tensor<18x4xf32>, tensor<18x4xf32>
}

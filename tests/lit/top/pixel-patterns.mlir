// Functions of pixels between a turn to channels last and one back.
// RUN: weft-opt --split-input-file --top-canonicalize %s | FileCheck %s

// A norm and a product: a sum over axis 1 and a convolution, which takes the bias. Values that the model has turned are marked, what a turn back gives has its name.
// CHECK-LABEL: func.func @block
// CHECK-NOT: top.transpose
// CHECK: %[[S:.*]] = top.reduce sum %arg0 {axes = array<i64: 1>, keepdims, top.turned} : tensor<1x3x5x4xf32> -> tensor<1x1x5x4xf32>
// CHECK: %[[D:.*]] = top.binary sub %arg0, %[[S]] {top.turned, top.value = "d"} : tensor<1x3x5x4xf32>, tensor<1x1x5x4xf32>
// CHECK: %[[C:.*]] = top.conv %[[D]], %{{.*}}, %{{.*}} {{.*}}top.turned, top.value = "b"} : (tensor<1x3x5x4xf32>, tensor<2x3x1x1xf32>, tensor<2xf32>) -> tensor<1x2x5x4xf32>
// CHECK: %[[R:.*]] = top.unary sigmoid %[[C]] {top.value = "y"} : tensor<1x2x5x4xf32>
// CHECK-NOT: top.transpose
// CHECK: return %[[R]]
func.func @block(%x: tensor<1x3x5x4xf32>) -> tensor<1x2x5x4xf32> {
  %w = top.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %c = top.constant dense<[7.0, 8.0]> : tensor<2xf32>
  %0 = top.transpose %x {perm = array<i64: 0, 2, 3, 1>, top.value = "t"} : tensor<1x3x5x4xf32> -> tensor<1x5x4x3xf32>
  %1 = top.reduce sum %0 {axes = array<i64: 3>, keepdims} : tensor<1x5x4x3xf32> -> tensor<1x5x4x1xf32>
  %2 = top.binary sub %0, %1 {top.value = "d"} : tensor<1x5x4x3xf32>, tensor<1x5x4x1xf32>
  %3 = top.matmul %2, %w {top.value = "m"} : tensor<1x5x4x3xf32>, tensor<3x2xf32>
  %4 = top.binary add %3, %c {top.value = "b"} : tensor<1x5x4x2xf32>, tensor<2xf32>
  %5 = top.unary sigmoid %4 {top.value = "s"} : tensor<1x5x4x2xf32>
  %6 = top.transpose %5 {perm = array<i64: 0, 3, 1, 2>, top.value = "y"} : tensor<1x5x4x2xf32> -> tensor<1x2x5x4xf32>
  return %6 : tensor<1x2x5x4xf32>
}

// -----

// Two images that meet, and a constant with a number a pixel, which is turned as well.
// CHECK-LABEL: func.func @meeting
// CHECK-DAG: %[[K:.*]] = top.transpose %{{.*}} {perm = array<i64: 0, 3, 1, 2>} : tensor<1x2x1x3xf32> -> tensor<1x3x2x1xf32>
// CHECK-DAG: %[[A:.*]] = top.binary add %arg0, %arg1 {{.*}}: tensor<1x3x2x1xf32>, tensor<1x3x2x1xf32>
// CHECK: top.binary mul %[[A]], %[[K]]
// CHECK-NOT: top.transpose
// CHECK: return
func.func @meeting(%x: tensor<1x3x2x1xf32>, %z: tensor<1x3x2x1xf32>) -> tensor<1x3x2x1xf32> {
  %k = top.constant dense<[[[[1.0, 2.0, 3.0]], [[4.0, 5.0, 6.0]]]]> : tensor<1x2x1x3xf32>
  %0 = top.transpose %x {perm = array<i64: 0, 2, 3, 1>} : tensor<1x3x2x1xf32> -> tensor<1x2x1x3xf32>
  %1 = top.transpose %z {perm = array<i64: 0, 2, 3, 1>} : tensor<1x3x2x1xf32> -> tensor<1x2x1x3xf32>
  %2 = top.binary add %0, %1 : tensor<1x2x1x3xf32>, tensor<1x2x1x3xf32>
  %3 = top.binary mul %2, %k : tensor<1x2x1x3xf32>, tensor<1x2x1x3xf32>
  %4 = top.transpose %3 {perm = array<i64: 0, 3, 1, 2>} : tensor<1x2x1x3xf32> -> tensor<1x3x2x1xf32>
  return %4 : tensor<1x3x2x1xf32>
}

// -----

// Turns that are turned back and again cancel before the steps between them move.
// CHECK-LABEL: func.func @again
// CHECK-NOT: top.transpose
// CHECK: %[[A:.*]] = top.unary sigmoid %arg0
// CHECK: %[[P:.*]] = top.binary mul %[[A]], %[[A]]
// CHECK: return %{{.*}}, %[[P]]
func.func @again(%x: tensor<1x3x2x4xf32>) -> (tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>) {
  %a = top.unary sigmoid %x : tensor<1x3x2x4xf32>
  %0 = top.transpose %a {perm = array<i64: 0, 2, 3, 1>} : tensor<1x3x2x4xf32> -> tensor<1x2x4x3xf32>
  %1 = top.transpose %0 {perm = array<i64: 0, 3, 1, 2>} : tensor<1x2x4x3xf32> -> tensor<1x3x2x4xf32>
  %2 = top.transpose %1 {perm = array<i64: 0, 2, 3, 1>} : tensor<1x3x2x4xf32> -> tensor<1x2x4x3xf32>
  %3 = top.transpose %2 {perm = array<i64: 0, 3, 1, 2>} : tensor<1x2x4x3xf32> -> tensor<1x3x2x4xf32>
  %4 = top.unary relu %3 : tensor<1x3x2x4xf32>
  %5 = top.binary mul %0, %2 : tensor<1x2x4x3xf32>, tensor<1x2x4x3xf32>
  %6 = top.transpose %5 {perm = array<i64: 0, 3, 1, 2>} : tensor<1x2x4x3xf32> -> tensor<1x3x2x4xf32>
  return %4, %6 : tensor<1x3x2x4xf32>, tensor<1x3x2x4xf32>
}

// -----

// Nothing moves where the turned value is read by something that counts on its axes.
// CHECK-LABEL: func.func @read
// CHECK-COUNT-2: top.transpose
func.func @read(%x: tensor<1x3x5x4xf32>) -> (tensor<1x3x5x4xf32>, tensor<1x5x12xf32>) {
  %0 = top.transpose %x {perm = array<i64: 0, 2, 3, 1>} : tensor<1x3x5x4xf32> -> tensor<1x5x4x3xf32>
  %1 = top.unary sigmoid %0 : tensor<1x5x4x3xf32>
  %2 = top.transpose %1 {perm = array<i64: 0, 3, 1, 2>} : tensor<1x5x4x3xf32> -> tensor<1x3x5x4xf32>
  %3 = top.reshape %1 : tensor<1x5x4x3xf32> -> tensor<1x5x12xf32>
  return %2, %3 : tensor<1x3x5x4xf32>, tensor<1x5x12xf32>
}

// -----

// The mean of each channel, a product of one pixel that gates the image, and a number a channel that is left of it.
// CHECK-LABEL: func.func @excitation
// CHECK-NOT: top.transpose
// CHECK: %[[M:.*]] = top.reduce sum %arg0 {axes = array<i64: 2, 3>, keepdims, top.turned} : tensor<1x3x5x4xf32> -> tensor<1x3x1x1xf32>
// CHECK: %[[C:.*]] = top.conv %[[M]], %{{.*}} : (tensor<1x3x1x1xf32>, tensor<3x3x1x1xf32>) -> tensor<1x3x1x1xf32>
// CHECK: %[[P:.*]] = top.binary mul %arg0, %[[C]] {top.turned} : tensor<1x3x5x4xf32>, tensor<1x3x1x1xf32>
// CHECK: %[[S:.*]] = top.reduce sum %[[P]] {axes = array<i64: 2, 3>, top.value = "y"} : tensor<1x3x5x4xf32> -> tensor<1x3xf32>
// CHECK: return %[[S]]
func.func @excitation(%x: tensor<1x3x5x4xf32>) -> tensor<1x3xf32> {
  %w = top.constant dense<[[1.0, 2.0, 3.0], [3.0, 4.0, 5.0], [5.0, 6.0, 7.0]]> : tensor<3x3xf32>
  %0 = top.transpose %x {perm = array<i64: 0, 2, 3, 1>} : tensor<1x3x5x4xf32> -> tensor<1x5x4x3xf32>
  %1 = top.reduce sum %0 {axes = array<i64: 1, 2>, keepdims} : tensor<1x5x4x3xf32> -> tensor<1x1x1x3xf32>
  %2 = top.matmul %1, %w : tensor<1x1x1x3xf32>, tensor<3x3xf32>
  %3 = top.binary mul %0, %2 : tensor<1x5x4x3xf32>, tensor<1x1x1x3xf32>
  %4 = top.reduce sum %3 {axes = array<i64: 1, 2>, top.value = "y"} : tensor<1x5x4x3xf32> -> tensor<1x3xf32>
  return %4 : tensor<1x3xf32>
}

// -----

// Joined, cut and divided by their sum along channels.
// CHECK-LABEL: func.func @parts
// CHECK-NOT: top.transpose
// CHECK: %[[J:.*]] = top.concat %arg0, %arg1 {axis = 1 : i64, top.turned}
// CHECK: %[[C:.*]] = top.slice %[[J]] {starts = array<i64: 0, 1, 2, 0>, steps = array<i64: 1, 1, 1, 2>, top.turned} : tensor<1x6x5x4xf32> -> tensor<1x4x3x2xf32>
// CHECK: %[[S:.*]] = top.softmax %[[C]] {axis = 1 : i64, top.turned} : tensor<1x4x3x2xf32>
// CHECK: return %[[S]]
func.func @parts(%x: tensor<1x3x5x4xf32>, %z: tensor<1x3x5x4xf32>) -> tensor<1x4x3x2xf32> {
  %0 = top.transpose %x {perm = array<i64: 0, 2, 3, 1>} : tensor<1x3x5x4xf32> -> tensor<1x5x4x3xf32>
  %1 = top.transpose %z {perm = array<i64: 0, 2, 3, 1>} : tensor<1x3x5x4xf32> -> tensor<1x5x4x3xf32>
  %2 = top.concat %0, %1 {axis = 3} : (tensor<1x5x4x3xf32>, tensor<1x5x4x3xf32>) -> tensor<1x5x4x6xf32>
  %3 = top.slice %2 {starts = array<i64: 0, 2, 0, 1>, steps = array<i64: 1, 1, 2, 1>} : tensor<1x5x4x6xf32> -> tensor<1x3x2x4xf32>
  %4 = top.softmax %3 {axis = 3} : tensor<1x3x2x4xf32> -> tensor<1x3x2x4xf32>
  %5 = top.transpose %4 {perm = array<i64: 0, 3, 1, 2>} : tensor<1x3x2x4xf32> -> tensor<1x4x3x2xf32>
  return %5 : tensor<1x4x3x2xf32>
}

// -----

// Along rows and channels a reduction of the turned image is two, and a softmax of many channels takes longer than the turns.
// CHECK-LABEL: func.func @longer
// CHECK-COUNT-4: top.transpose
func.func @longer(%x: tensor<1x3x5x4xf32>, %z: tensor<1x512x5x4xf32>) -> (tensor<1x1x5x1xf32>, tensor<1x512x5x4xf32>) {
  %0 = top.transpose %x {perm = array<i64: 0, 2, 3, 1>} : tensor<1x3x5x4xf32> -> tensor<1x5x4x3xf32>
  %1 = top.unary sigmoid %0 : tensor<1x5x4x3xf32>
  %2 = top.reduce sum %1 {axes = array<i64: 2, 3>, keepdims} : tensor<1x5x4x3xf32> -> tensor<1x5x1x1xf32>
  %3 = top.binary mul %1, %2 : tensor<1x5x4x3xf32>, tensor<1x5x1x1xf32>
  %4 = top.transpose %3 {perm = array<i64: 0, 3, 1, 2>} : tensor<1x5x4x3xf32> -> tensor<1x3x5x4xf32>
  %5 = top.reduce sum %4 {axes = array<i64: 1, 3>, keepdims} : tensor<1x3x5x4xf32> -> tensor<1x1x5x1xf32>
  %6 = top.transpose %z {perm = array<i64: 0, 2, 3, 1>} : tensor<1x512x5x4xf32> -> tensor<1x5x4x512xf32>
  %7 = top.softmax %6 {axis = 3} : tensor<1x5x4x512xf32> -> tensor<1x5x4x512xf32>
  %8 = top.transpose %7 {perm = array<i64: 0, 3, 1, 2>} : tensor<1x5x4x512xf32> -> tensor<1x512x5x4xf32>
  return %5, %8 : tensor<1x1x5x1xf32>, tensor<1x512x5x4xf32>
}

// -----

// Without the rows alone, columns and channels would come in another order.
// CHECK-LABEL: func.func @columns
// CHECK: top.transpose
// CHECK: top.reduce sum %{{.*}} {axes = array<i64: 1>} : tensor<1x5x4x3xf32> -> tensor<1x4x3xf32>
func.func @columns(%x: tensor<1x3x5x4xf32>) -> tensor<1x4x3xf32> {
  %0 = top.transpose %x {perm = array<i64: 0, 2, 3, 1>} : tensor<1x3x5x4xf32> -> tensor<1x5x4x3xf32>
  %1 = top.unary sigmoid %0 : tensor<1x5x4x3xf32>
  %2 = top.reduce sum %1 {axes = array<i64: 1>} : tensor<1x5x4x3xf32> -> tensor<1x4x3xf32>
  return %2 : tensor<1x4x3xf32>
}

// -----

// A quotient by a root that is repeated is a product.
// CHECK-LABEL: func.func @quotient
// CHECK: %[[R:.*]] = top.unary rsqrt %arg1 : tensor<1x1x5x4xf32>
// CHECK: top.binary mul %arg0, %[[R]] {top.value = "y"}
func.func @quotient(%x: tensor<1x3x5x4xf32>, %v: tensor<1x1x5x4xf32>) -> tensor<1x3x5x4xf32> {
  %0 = top.unary sqrt %v {top.value = "s"} : tensor<1x1x5x4xf32>
  %1 = top.binary div %x, %0 {top.value = "y"} : tensor<1x3x5x4xf32>, tensor<1x1x5x4xf32>
  return %1 : tensor<1x3x5x4xf32>
}

// Axes of size 1 are none of a turn: more than four axes are one permutation if at most four of them are longer. The outermost stay.
// RUN: weft-opt --convert-top-to-tpu="precision=f32" %s | FileCheck %s

// CHECK: %[[T:.*]] = tpu.permute %{{.*}} [0, 2, 1, 3] {{.*}} : tensor<2x5x3x4xf32> -> tensor<2x3x5x4xf32>
// CHECK: tpu.permute %{{.*}} [2, 0, 1, 3] {{.*}} : tensor<2x5x3x4xf32> -> tensor<3x2x5x4xf32>
// CHECK: tpu.permute %{{.*}} [0, 2, 1, 3] {{.*}} : tensor<1x5x3x4xf32> -> tensor<1x3x5x4xf32>
// CHECK-NOT: tpu.permute
// CHECK: tpu.arrange
func.func @main(%x: tensor<2x5x1x3x4xf32> {top.name = "x"}, %z: tensor<2x3x2x3x2xf32> {top.name = "z"}, %u: tensor<1x5x1x3x4xf32> {top.name = "u"}) -> (tensor<1x2x3x5x4xf32> {top.name = "a"}, tensor<3x1x2x5x1x4xf32> {top.name = "b"}, tensor<2x2x3x3x2xf32> {top.name = "c"}, tensor<1x1x3x5x4xf32> {top.name = "d"}) {
  %0 = top.transpose %x {perm = array<i64: 2, 0, 3, 1, 4>, top.value = "a"} : tensor<2x5x1x3x4xf32> -> tensor<1x2x3x5x4xf32>
  %y = top.reshape %x : tensor<2x5x1x3x4xf32> -> tensor<2x5x1x3x1x4xf32>
  %1 = top.transpose %y {perm = array<i64: 3, 2, 0, 1, 4, 5>, top.value = "b"} : tensor<2x5x1x3x1x4xf32> -> tensor<3x1x2x5x1x4xf32>
  %3 = top.transpose %u {perm = array<i64: 2, 0, 3, 1, 4>, top.value = "d"} : tensor<1x5x1x3x4xf32> -> tensor<1x1x3x5x4xf32>
  %2 = top.transpose %z {perm = array<i64: 2, 0, 1, 3, 4>, top.value = "c"} : tensor<2x3x2x3x2xf32> -> tensor<2x2x3x3x2xf32>
  return %0, %1, %2, %3 : tensor<1x2x3x5x4xf32>, tensor<3x1x2x5x1x4xf32>, tensor<2x2x3x3x2xf32>, tensor<1x1x3x5x4xf32>
}

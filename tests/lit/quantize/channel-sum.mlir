// Sums over the channels of each pixel, and what is repeated over them.
// RUN: weft-opt --convert-top-to-tpu="precision=f32" --split-input-file %s | FileCheck %s --check-prefixes=CHECK,F32
// RUN: weft-opt --convert-top-to-tpu="precision=f16" --split-input-file %s | FileCheck %s --check-prefixes=CHECK,F16
// RUN: weft-opt --convert-top-to-tpu="precision=f32 machine=zhouyi" --split-input-file %s | FileCheck %s --check-prefix=VECTORS

// A mean is added up where the channels lie, in 16 bits of an f16 image; the squares of a norm are f32. What is made for one reader is repeated in its group.
// CHECK-LABEL: func.func @main
// F32: tpu.channel_sum %{{.*}} : tensor<1x64x32x32xf32> -> tensor<1x1x32x32xf32>
// F16: tpu.channel_sum %{{.*}} : tensor<1x64x32x32xf16> -> tensor<1x1x32x32xf32>
// CHECK: tpu.repeat_channel %{{.*}} : tensor<1x1x32x32xf32> -> tensor<1x64x32x32xf32>
// CHECK: tpu.binary sub
// CHECK: %[[Q:.*]] = tpu.binary mul
// F32: tpu.channel_sum %[[Q]] : tensor<1x64x32x32xf32>
// F16: tpu.channel_sum %[[Q]] {terms = 2 : i64} : tensor<1x64x32x32xf32>
// VECTORS-LABEL: func.func @main
// VECTORS-NOT: tpu.channel_sum
// VECTORS-NOT: tpu.repeat_channel
func.func @main(%x: tensor<1x64x32x32xf32> {top.name = "x"}) -> (tensor<1x64x32x32xf32> {top.name = "y"}) {
  %f = top.constant dense<0.5> : tensor<64x64x3x3xf32>
  %n = top.constant dense<0.125> : tensor<f32>
  %e = top.constant dense<1.0e-6> : tensor<f32>
  %a = top.conv %x, %f {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x64x32x32xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x32x32xf32>
  %s = top.reduce sum %a {axes = array<i64: 1>, keepdims} : tensor<1x64x32x32xf32> -> tensor<1x1x32x32xf32>
  %m = top.binary mul %s, %n : tensor<1x1x32x32xf32>, tensor<f32>
  %d = top.binary sub %a, %m : tensor<1x64x32x32xf32>, tensor<1x1x32x32xf32>
  %q = top.binary mul %d, %d : tensor<1x64x32x32xf32>, tensor<1x64x32x32xf32>
  %t = top.reduce sum %q {axes = array<i64: 1>, keepdims} : tensor<1x64x32x32xf32> -> tensor<1x1x32x32xf32>
  %v = top.binary mul %t, %n : tensor<1x1x32x32xf32>, tensor<f32>
  %w = top.binary add %v, %e : tensor<1x1x32x32xf32>, tensor<f32>
  %r = top.unary rsqrt %w : tensor<1x1x32x32xf32>
  %y = top.binary mul %d, %r {top.value = "y"} : tensor<1x64x32x32xf32>, tensor<1x1x32x32xf32>
  return %y : tensor<1x64x32x32xf32>
}

// -----

// Vectors are turned: a lane adds them up.
// CHECK-LABEL: func.func @main
// CHECK-NOT: tpu.channel_sum
// CHECK: tpu.reduce sum
func.func @main(%x: tensor<1x8x1x6xf32> {top.name = "x"}) -> (tensor<1x1x1x6xf32> {top.name = "y"}) {
  %y = top.reduce sum %x {axes = array<i64: 1>, keepdims, top.value = "y"} : tensor<1x8x1x6xf32> -> tensor<1x1x1x6xf32>
  return %y : tensor<1x1x1x6xf32>
}

// -----

// A constant is brought to all lanes by its load.
// CHECK-LABEL: func.func @main
// CHECK-NOT: tpu.repeat_channel
func.func @main(%x: tensor<1x8x2x2xf32> {top.name = "x"}) -> (tensor<1x8x2x2xf32> {top.name = "y"}) {
  %k = top.constant dense<[[[[1.0, 2.0], [3.0, 4.0]]]]> : tensor<1x1x2x2xf32>
  %y = top.binary add %x, %k {top.value = "y"} : tensor<1x8x2x2xf32>, tensor<1x1x2x2xf32>
  return %y : tensor<1x8x2x2xf32>
}

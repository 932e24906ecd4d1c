// Functions of two tensors that are several ops of the chip: PReLU, powers, remainders; casts of 8-bit floats.
// RUN: weft-opt --convert-top-to-tpu="precision=f16 no-host" --split-input-file %s | FileCheck %s

// PReLU is computed in the type of its input: a product, a comparison, a choice.
// CHECK: %[[N:.*]] = tpu.compare less %arg0 {constant = 0.000000e+00 : f64} : tensor<1x8x4x4xf16> -> tensor<1x8x4x4xui8>
// CHECK: %[[P:.*]] = tpu.binary mul %arg0, %{{.*}} : tensor<1x8x4x4xf16>, tensor<1x8x1x1xf16> -> tensor<1x8x4x4xf16>
// CHECK: tpu.select %[[N]], true %[[P]] false %arg0 {{.*}}top.value = "y"
func.func @main(%x: tensor<1x8x4x4xf16> {top.name = "x"}) -> (tensor<1x8x4x4xf16> {top.name = "y"}) {
  %s = top.constant dense<[[[1.0]], [[2.0]], [[3.0]], [[4.0]], [[5.0]], [[6.0]], [[7.0]], [[8.0]]]> : tensor<8x1x1xf16>
  %y = top.binary prelu %x, %s {top.value = "y"} : tensor<1x8x4x4xf16>, tensor<8x1x1xf16>
  return %y : tensor<1x8x4x4xf16>
}

// -----

// Powers and remainders are computed in f32 at every precision.
// CHECK: tpu.binary pow %arg0, %arg1 {{.*}}: tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32> -> tensor<1x8x4x4xf32>
// CHECK: tpu.binary mod {{.*}}constant = 2.500000e+00 : f64{{.*}} : tensor<1x8x4x4xf32> -> tensor<1x8x4x4xf32>
// CHECK: tpu.binary pow {{.*}}constant = 2.000000e+00 : f64, relu, reversed{{.*}}: tensor<1x8x4x4xf32> -> tensor<1x8x4x4xf32>
func.func @main(%x: tensor<1x8x4x4xf32> {top.name = "x"}, %e: tensor<1x8x4x4xf32> {top.name = "e"}) -> (tensor<1x8x4x4xf32> {top.name = "y"}) {
  %c = top.constant dense<2.5> : tensor<f32>
  %two = top.constant dense<2.0> : tensor<f32>
  %p = top.binary pow %x, %e {top.value = "p"} : tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>
  %m = top.binary mod %p, %c {top.value = "m"} : tensor<1x8x4x4xf32>, tensor<f32>
  %q = top.binary pow %two, %m {top.value = "q"} : tensor<f32>, tensor<1x8x4x4xf32>
  %y = top.unary relu %q {top.value = "y"} : tensor<1x8x4x4xf32>
  return %y : tensor<1x8x4x4xf32>
}

// -----

// The codes of 8-bit floats are bytes, made and read with commands of integers.
// CHECK: tpu.cast %arg0 {bits} : tensor<1x4x1x1xf32> -> tensor<1x4x1x1xi32>
// CHECK: tpu.cast %{{.*}} {rounding = 0 : i32} : tensor<1x4x1x1xf32> -> tensor<1x4x1x1xi32>
// CHECK: tpu.cast %{{.*}} {{.*}}top.value = "q"{{.*}} : tensor<1x4x1x1xi32> -> tensor<1x4x1x1xui8>
func.func @main(%x: tensor<4xf32> {top.name = "x"}) -> (tensor<4xf8E4M3FN> {top.name = "q"}) {
  %q = top.cast %x {top.value = "q"} : tensor<4xf32> -> tensor<4xf8E4M3FN>
  return %q : tensor<4xf8E4M3FN>
}

// -----

// Scale and offset of each channel are one command, with their relu; not if somebody else reads the product.
// CHECK: %[[A:.*]] = tpu.scale %arg0, %{{.*}}, %{{.*}} {relu, {{.*}}top.value = "r"{{.*}} : tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>
// CHECK: %[[B:.*]] = tpu.binary mul %[[A]]
// CHECK: tpu.binary add %[[B]]
// CHECK-NOT: tpu.scale
func.func @main(%x: tensor<1x2x4x4xf32> {top.name = "x"}) -> (tensor<1x2x4x4xf32> {top.name = "p"}, tensor<1x2x4x4xf32> {top.name = "q"}) {
  %s = top.constant dense<[[[2.0]], [[3.0]]]> : tensor<2x1x1xf32>
  %o = top.constant dense<[[[[4.0]], [[5.0]]]]> : tensor<1x2x1x1xf32>
  %0 = top.binary mul %s, %x {top.value = "m"} : tensor<2x1x1xf32>, tensor<1x2x4x4xf32>
  %1 = top.binary add %o, %0 {top.value = "a"} : tensor<1x2x1x1xf32>, tensor<1x2x4x4xf32>
  %2 = top.unary relu %1 {top.value = "r"} : tensor<1x2x4x4xf32>
  %3 = top.binary mul %2, %s {top.value = "p"} : tensor<1x2x4x4xf32>, tensor<2x1x1xf32>
  %4 = top.binary add %3, %o {top.value = "q"} : tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>
  return %3, %4 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

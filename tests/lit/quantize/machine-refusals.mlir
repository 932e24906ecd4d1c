// What one command, the local memory or another machine cannot do is asked of the steps before anything is lowered.
// RUN: weft-opt --convert-top-to-tpu="no-host" --verify-diagnostics --split-input-file %s
// RUN: weft-opt --convert-top-to-tpu %s --split-input-file | FileCheck %s
// RUN: weft-opt --convert-top-to-tpu="machine=zhouyi" %s --split-input-file | FileCheck %s --check-prefix=VECTORS
// RUN: not weft-opt --convert-top-to-tpu="machine=abacus" %s --split-input-file 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: unknown machine 'abacus'; leave it out for the chip

// The host computes the convolution, the chip the relu behind it.
// CHECK-LABEL: func.func @main
// CHECK: tpu.host "conv"{{.*}} reason "padding of 16, the machine pads up to 15; join the input with zeros by a Concat and pad less here"
// CHECK: tpu.unary relu
// CHECK-NOT: tpu.conv
// VECTORS-LABEL: func.func @main
// VECTORS-NOT: tpu.host
// VECTORS: tpu.conv {{.*}}pads [16, 16, 16, 16]{{.*}}relu
func.func @main(%x: tensor<1x2x4x4xf32> {top.name = "x"}) -> (tensor<1x2x36x36xf32> {top.name = "y"}) {
  %w = top.constant dense<1.0> : tensor<2x2x1x1xf32>
  // expected-error@+1 {{unsupported: padding of 16, the machine pads up to 15; join the input with zeros by a Concat and pad less here; the host can compute it, convert without --no-host}}
  %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 16, 16, 16, 16>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x36x36xf32>
  %y = top.unary relu %0 {top.value = "y"} : tensor<1x2x36x36xf32>
  return %y : tensor<1x2x36x36xf32>
}

// -----

// VECTORS-LABEL: func.func @main
// CHECK-LABEL: func.func @main
// CHECK: tpu.host "conv"{{.*}} reason "dilation of 16, must be at most 15; use a smaller one"
// CHECK: tpu.host "pool"{{.*}} reason "stride of 16, must be at most 15; use a divisor of it and take every n-th result by a Slice"
// CHECK-NOT: tpu.host
func.func @main(%x: tensor<1x2x40x40xf32> {top.name = "x"}) -> (tensor<1x2x8x8xf32> {top.name = "y"}, tensor<1x2x3x3xf32> {top.name = "z"}) {
  %w = top.constant dense<1.0> : tensor<2x2x3x3xf32>
  // expected-error@+1 {{unsupported: dilation of 16, must be at most 15; use a smaller one; the host can compute it, convert without --no-host}}
  %y = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 16, 16>, group = 1 : i64, top.value = "y"} : (tensor<1x2x40x40xf32>, tensor<2x2x3x3xf32>) -> tensor<1x2x8x8xf32>
  // expected-error@+1 {{unsupported: stride of 16, must be at most 15; use a divisor of it and take every n-th result by a Slice; the host can compute it, convert without --no-host}}
  %z = top.pool max %x {kernel = array<i64: 2, 2>, strides = array<i64: 16, 16>, pads = array<i64: 0, 0, 0, 0>, top.value = "z"} : tensor<1x2x40x40xf32> -> tensor<1x2x3x3xf32>
  return %y, %z : tensor<1x2x8x8xf32>, tensor<1x2x3x3xf32>
}

// -----

// VECTORS-LABEL: func.func @main
// CHECK-LABEL: func.func @main
// CHECK: tpu.host "pool"{{.*}} reason "one slice of this layer does not fit the local memory of 262144 bytes a lane; make the layer smaller"
func.func @main(%x: tensor<1x1x1000x1000xf32> {top.name = "x"}) -> (tensor<1x1x1x1xf32> {top.name = "y"}) {
  // expected-error@+1 {{unsupported: one slice of this layer does not fit the local memory of 262144 bytes a lane; make the layer smaller; the host can compute it, convert without --no-host}}
  %y = top.pool avg %x {kernel = array<i64: 1000, 1000>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, top.value = "y"} : tensor<1x1x1000x1000xf32> -> tensor<1x1x1x1xf32>
  return %y : tensor<1x1x1x1xf32>
}

// -----

// The three shortest of six axes are walked, a command for each step.
// CHECK-LABEL: func.func @main
// CHECK: tpu.host "transpose"{{.*}} reason "a movement of elements that takes more than 16384 DMA commands; make the tensor smaller, or reorder fewer axes at a time"
// VECTORS-LABEL: func.func @main
// VECTORS: tpu.arrange
func.func @main(%x: tensor<26x26x26x26x26x26xf32> {top.name = "x"}) -> (tensor<26x26x26x26x26x26xf32> {top.name = "y"}) {
  // expected-error@+1 {{unsupported: a movement of elements that takes more than 16384 DMA commands; make the tensor smaller, or reorder fewer axes at a time; the host can compute it, convert without --no-host}}
  %y = top.transpose %x {perm = array<i64: 5, 4, 3, 2, 1, 0>, top.value = "y"} : tensor<26x26x26x26x26x26xf32> -> tensor<26x26x26x26x26x26xf32>
  return %y : tensor<26x26x26x26x26x26xf32>
}

// -----

// VECTORS-LABEL: func.func @main
// VECTORS: tpu.host "softmax"{{.*}} reason "the machine's functions cannot compute 'softmax'"
// VECTORS: tpu.unary relu
// CHECK-LABEL: func.func @main
// CHECK: tpu.softmax
// CHECK-NOT: tpu.host
func.func @main(%x: tensor<2x5xf32> {top.name = "x"}) -> (tensor<2x5xf32> {top.name = "y"}) {
  %0 = top.softmax %x {axis = 1 : i64} : tensor<2x5xf32> -> tensor<2x5xf32>
  %y = top.unary relu %0 {top.value = "y"} : tensor<2x5xf32>
  return %y : tensor<2x5xf32>
}

// -----

// Each family of the vector machine answers for itself; between two steps on the host values stay there.
// VECTORS-LABEL: func.func @main
// VECTORS: tpu.host "unary"{{.*}} reason "the machine's functions cannot compute 'exp'"
// VECTORS-NEXT: tpu.host "binary"{{.*}} reason "'pow' is not one of the machine's functions"
// VECTORS: tpu.host "binary"{{.*}} reason "'shift_left' by a tensor, which it needs, is not one of the machine's functions"
// VECTORS: tpu.host "reduce"{{.*}} reason "a product along an axis of 'f32'"
// VECTORS: tpu.host "arg_reduce"{{.*}} reason "the machine's functions find no position"
// VECTORS: tpu.host "cumulative"{{.*}} reason "running sums on the machine"
// VECTORS: tpu.binary add
// CHECK-LABEL: func.func @main
// CHECK-NOT: tpu.host
func.func @main(%x: tensor<2x5xf32> {top.name = "x"}, %i: tensor<2x5xui32> {top.name = "i"})
    -> (tensor<2x5xui32> {top.name = "s"}, tensor<2x1xi64> {top.name = "a"}, tensor<2x5xf32> {top.name = "y"}) {
  %e = top.unary exp %x : tensor<2x5xf32>
  %p = top.binary pow %e, %x : tensor<2x5xf32>, tensor<2x5xf32>
  %s = top.binary shift_left %i, %i {top.value = "s"} : tensor<2x5xui32>, tensor<2x5xui32>
  %r = top.reduce prod %p {axes = array<i64: 1>, keepdims} : tensor<2x5xf32> -> tensor<2x1xf32>
  %a = top.arg_reduce max %p axis 1 {keepdims, top.value = "a"} : tensor<2x5xf32> -> tensor<2x1xi64>
  %c = top.cumulative sum %p axis 1 : tensor<2x5xf32> -> tensor<2x5xf32>
  %y = top.binary add %c, %r {top.value = "y"} : tensor<2x5xf32>, tensor<2x1xf32>
  return %s, %a, %y : tensor<2x5xui32>, tensor<2x1xi64>, tensor<2x5xf32>
}

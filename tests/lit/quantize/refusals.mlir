// What is refused, for every family that refuses anything: the reason and the way out. Each op is asked by itself, so all are named at once.
// RUN: weft-opt --convert-top-to-tpu="no-host" --verify-diagnostics --split-input-file %s

func.func @main(%x: tensor<4x4xf32> {top.name = "x"}, %d: tensor<4x4xui64> {top.name = "d"}, %i: tensor<4x4xi32> {top.name = "i"}, %b: tensor<4x4xui8> {top.name = "b"}) -> (tensor<4x4xf32> {top.name = "y"}) {
  // expected-error@+1 {{unsupported: element-wise function 'identity'; build it from add, mul, exp, sigmoid and reciprocal; the host can compute it, convert without --no-host}}
  %0 = top.unary identity %x : tensor<4x4xf32>
  %c = top.constant dense<-1.0> : tensor<4x4xf32>
  // expected-error@+1 {{unsupported: prelu of a constant; only its slope may be one; the host can compute it, convert without --no-host}}
  %1 = top.binary prelu %c, %x : tensor<4x4xf32>, tensor<4x4xf32>
  // expected-error@+1 {{unsupported: a matrix product of integers of more than 8 bits; cast them to floats; the host can compute it, convert without --no-host}}
  %2 = top.matmul %i, %i : tensor<4x4xi32>, tensor<4x4xi32>
  // expected-error@+1 {{unsupported: the bits of 'ui64' as 'i64'; use types of 8 to 32 bits and --precision f32; the host can compute it, convert without --no-host}}
  %3 = top.bit_cast %d : tensor<4x4xui64> -> tensor<4x4xi64>
  // expected-error@+1 {{unsupported: running values of 'ui8'; cast them to int32 or float; the host can compute it, convert without --no-host}}
  %4 = top.cumulative sum %b axis 1 : tensor<4x4xui8> -> tensor<4x4xui8>
  %y = top.unary relu %x {top.value = "y"} : tensor<4x4xf32>
  return %y : tensor<4x4xf32>
}

// -----

func.func @main(%x: tensor<1x2x4x4xf32> {top.name = "x"}, %w: tensor<2x2x1x1xf32> {top.name = "w"}, %s: tensor<2xf32> {top.name = "s"}, %v: tensor<1x2x4x4x4xf32> {top.name = "v"}) -> (tensor<1x2x4x4xf32> {top.name = "y"}) {
  // expected-error@+1 {{unsupported: a convolution whose filter is computed; its weights must be constant; the host can compute it, convert without --no-host}}
  %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  // expected-error@+1 {{unsupported: batch normalization with computed statistics; they must be constant; the host can compute it, convert without --no-host}}
  %1 = top.batch_norm %x, %s, %s, %s, %s {epsilon = 1.0e-5} : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  // expected-error@+1 {{unsupported: pooling over 3 axes; 1 and 2 are supported; the host can compute it, convert without --no-host}}
  %2 = top.pool max %v {kernel = array<i64: 2, 2, 2>, strides = array<i64: 2, 2, 2>, pads = array<i64: 0, 0, 0, 0, 0, 0>} : tensor<1x2x4x4x4xf32> -> tensor<1x2x2x2x2xf32>
  // expected-error@+1 {{unsupported: a resize by the factors 64 and 32, 2048 copies; there may be 1024, resize in two steps}}
  %3 = top.interleave %x {factors = array<i64: 64, 32>} : (tensor<1x2x4x4xf32>) -> tensor<1x2x256x128xf32>
  %y = top.unary relu %x {top.value = "y"} : tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}

// -----

func.func @main(%x: tensor<1x100003x1xf32> {top.name = "x"}, %n: tensor<1x4xi16> {top.name = "n"}, %i: tensor<1x4xi32> {top.name = "i"}, %u: tensor<1x4x1xf32> {top.name = "u"}, %e: tensor<0x3xf32> {top.name = "e"}) -> (tensor<1x100003x1xf32> {top.name = "y"}) {
  // expected-error@+1 {{unsupported: indices of type 'i16'; use i32 or i64; the host can compute it, convert without --no-host}}
  %0 = top.gather %x, %n : tensor<1x100003x1xf32>, tensor<1x4xi16> -> tensor<1x4x1xf32>
  // expected-error@+1 {{unsupported: a scatter that combines by 'add' where indices may repeat; use reduction none; the host can compute it, convert without --no-host}}
  %1 = top.scatter %x, %i, %u {reduction = "add"} : tensor<1x100003x1xf32>, tensor<1x4xi32>, tensor<1x4x1xf32> -> tensor<1x100003x1xf32>
  // expected-error@+1 {{unsupported: softmax along an axis of 100003; pad the axis with very low numbers to a round size; the host can compute it, convert without --no-host}}
  %2 = top.softmax %x {axis = 1 : i64} : tensor<1x100003x1xf32> -> tensor<1x100003x1xf32>
  // expected-error@+1 {{unsupported: the index of an extreme of 100003 values; pad the axis to a round size; the host can compute it, convert without --no-host}}
  %3 = top.arg_reduce max %x axis 1 {keepdims} : tensor<1x100003x1xf32> -> tensor<1x1x1xi64>
  // expected-error@+1 {{unsupported: value 'e' has no elements; the host can compute it, convert without --no-host}}
  %4 = top.unary relu %e : tensor<0x3xf32>
  // expected-error@+1 {{unsupported: the chip has no form of 'non_zero'; the host can compute it, convert without --no-host}}
  %5 = top.host "non_zero"(%x) {} : (tensor<1x100003x1xf32>) -> tensor<3x?xi64, [3, 100003]>
  %y = top.unary relu %x {top.value = "y"} : tensor<1x100003x1xf32>
  return %y : tensor<1x100003x1xf32>
}

// -----

// What reads the result of a refused op is asked as though the host had computed it.
func.func @main(%x: tensor<4x4xi32> {top.name = "x"}) -> (tensor<4x4xi32> {top.name = "y"}) {
  // expected-error@+1 {{unsupported: a matrix product of integers of more than 8 bits; cast them to floats; the host can compute it, convert without --no-host}}
  %0 = top.matmul %x, %x : tensor<4x4xi32>, tensor<4x4xi32>
  %1 = top.binary add %0, %x : tensor<4x4xi32>, tensor<4x4xi32>
  // expected-error@+1 {{unsupported: a matrix product of integers of more than 8 bits; cast them to floats; the host can compute it, convert without --no-host}}
  %2 = top.matmul %1, %x : tensor<4x4xi32>, tensor<4x4xi32>
  return %2 : tensor<4x4xi32>
}

// -----

// Nothing is said of what reads an op that neither the chip nor the host has.
func.func @main(%x: tensor<1x1x1x1xf32> {top.name = "x"}) -> (tensor<1x1x256x256xf32> {top.name = "y"}) {
  // expected-error@+1 {{unsupported: a resize by the factors 64 and 32, 2048 copies; there may be 1024, resize in two steps}}
  %0 = top.interleave %x {factors = array<i64: 64, 32>} : (tensor<1x1x1x1xf32>) -> tensor<1x1x64x32xf32>
  %1 = top.unary identity %0 : tensor<1x1x64x32xf32>
  %2 = top.interleave %1 {factors = array<i64: 4, 8>} : (tensor<1x1x64x32xf32>) -> tensor<1x1x256x256xf32>
  return %2 : tensor<1x1x256x256xf32>
}

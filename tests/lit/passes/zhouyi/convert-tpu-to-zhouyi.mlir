// RUN: weft-opt --convert-tpu-to-zhouyi --canonicalize --split-input-file --verify-diagnostics %s | FileCheck %s

// Whole registers, no mask.
// CHECK-LABEL: zhouyi.program @main on "zhouyi"
// CHECK: %[[X:.*]] = zhouyi.buffer input "x" bytes 512
// CHECK: %[[Y:.*]] = zhouyi.buffer output "y" bytes 512
// CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c1
// CHECK-NOT: mask
// CHECK: zhouyi.vabs
// CHECK: zhouyi.store
func.func @main(%x: tensor<1x1x4x32xf32> {tpu.io = {name = "x", type = tensor<4x32xf32>}})
    -> (tensor<1x1x4x32xf32> {tpu.io = {name = "y", type = tensor<4x32xf32>}}) {
  %y = tpu.unary abs %x : tensor<1x1x4x32xf32>
  return %y : tensor<1x1x4x32xf32>
}

// -----

// A tail; the scalar operand is read once, in front of the loop.
// CHECK-LABEL: zhouyi.program @main
// CHECK: zhouyi.load {{.*}} stride 0
// CHECK: scf.for
// CHECK: zhouyi.tail_mask{{.*}} steps [32] limit 70 : vector<32xi1>
// CHECK: zhouyi.load {{.*}}mask
// CHECK: zhouyi.vadd
// CHECK: zhouyi.store {{.*}}mask
func.func @main(%x: tensor<1x1x1x70xf16> {tpu.io = {name = "x", type = tensor<70xf16>}}, %z: tensor<1x1x1x1xf16> {tpu.io = {name = "z", type = tensor<f16>}})
    -> (tensor<1x1x1x70xf16> {tpu.io = {name = "y", type = tensor<70xf16>}}) {
  %y = tpu.binary add %x, %z : tensor<1x1x1x70xf16>, tensor<1x1x1x1xf16> -> tensor<1x1x1x70xf16>
  return %y : tensor<1x1x1x70xf16>
}

// -----

// Integers as floats: the cast and the subtraction disappear.
// CHECK-LABEL: zhouyi.program @main
// CHECK-NOT: zhouyi.fma
// CHECK: zhouyi.vqdpa
func.func @main(%x: tensor<1x4x3x3xui8> {tpu.io = {name = "x", type = tensor<1x4x3x3xui8>}})
    -> (tensor<1x2x3x3xf32> {tpu.io = {name = "y", type = tensor<1x2x3x3xf32>}}) {
  %0 = tpu.cast %x : tensor<1x4x3x3xui8> -> tensor<1x4x3x3xf32>
  %1 = tpu.binary sub %0 {constant = 3.0 : f64} : tensor<1x4x3x3xf32> -> tensor<1x4x3x3xf32>
  %w = tpu.weight dense<2.0> : tensor<2x4x1x1xf32>
  %y = tpu.conv %1, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x4x3x3xf32>, tensor<2x4x1x1xf32> -> tensor<1x2x3x3xf32>
  return %y : tensor<1x2x3x3xf32>
}

// -----

func.func @main(%x: tensor<1x1x1x2xf32> {tpu.io = {name = "x", type = tensor<2xf32>}})
    -> (tensor<1x1x1x2xf32> {tpu.io = {name = "y", type = tensor<2xf32>}}) {
  // expected-error @below {{unsupported: the machine's functions cannot compute 'softmax'}}
  %y = tpu.softmax %x {axis = 3 : i64} : tensor<1x1x1x2xf32>
  return %y : tensor<1x1x1x2xf32>
}

// -----

func.func @main(%x: tensor<1x1x1x2xbf16> {tpu.io = {name = "x", type = tensor<2xf32>}})
    -> (tensor<1x1x1x2xf32> {tpu.io = {name = "y", type = tensor<2xf32>}}) {
  // expected-error @below {{unsupported: bf16, which the machine's functions do not compute}}
  %0 = tpu.unary abs %x : tensor<1x1x1x2xbf16>
  %y = tpu.cast %0 : tensor<1x1x1x2xbf16> -> tensor<1x1x1x2xf32>
  return %y : tensor<1x1x1x2xf32>
}

// -----

// expected-error @below {{the graph does not say the names and types of its inputs and outputs; run --convert-top-to-tpu first}}
func.func @main(%x: tensor<1x1x1x2xf32>) -> tensor<1x1x1x2xf32> {
  return %x : tensor<1x1x1x2xf32>
}

// -----

// Both refusals are reported, and nothing about the sum of what they give.
func.func @main(%x: tensor<1x1x1x2xf32> {tpu.io = {name = "x", type = tensor<2xf32>}})
    -> (tensor<1x1x1x2xf32> {tpu.io = {name = "y", type = tensor<2xf32>}}) {
  // expected-error @below {{unsupported: the machine's functions cannot compute 'exp'}}
  %a = tpu.unary exp %x : tensor<1x1x1x2xf32>
  // expected-error @below {{unsupported: the machine's functions cannot compute 'sqrt'}}
  %b = tpu.unary sqrt %x : tensor<1x1x1x2xf32>
  %y = tpu.binary add %a, %b : tensor<1x1x1x2xf32>, tensor<1x1x1x2xf32> -> tensor<1x1x1x2xf32>
  return %y : tensor<1x1x1x2xf32>
}

// -----

// expected-error @below {{unsupported: 'x' is an input and an output; a program has a buffer for each, give the output a name of its own (Identity)}}
func.func @main(%x: tensor<1x1x1x2xf32> {tpu.io = {name = "x", type = tensor<2xf32>}})
    -> (tensor<1x1x1x2xf32> {tpu.io = {name = "x", type = tensor<2xf32>}}) {
  %y = tpu.slice %x [0, 0, 0, 0] steps [1, 1, 1, 1] : tensor<1x1x1x2xf32> -> tensor<1x1x1x2xf32>
  return %y : tensor<1x1x1x2xf32>
}

// -----

// Between two kernels of the host floats of 8 bits are bytes.
// CHECK: zhouyi.host_call {{.*}}!zhouyi.ptr<ui8>
func.func @main(%x: tensor<1x1x1x2xf32> {tpu.io = {name = "x", type = tensor<2xf32>}})
    -> (tensor<1x1x1x2xf32> {tpu.io = {name = "y", type = tensor<2xf32>}}) {
  %0 = tpu.to_host %x : tensor<1x1x1x2xf32> -> tensor<2xf32>
  %1 = tpu.host "cast"(%0) {} reason "a test" : (tensor<2xf32>) -> tensor<2xf8E4M3FN>
  %2 = tpu.host "cast"(%1) {} reason "a test" : (tensor<2xf8E4M3FN>) -> tensor<2xf32>
  %y = tpu.from_host %2 : tensor<2xf32> -> tensor<1x1x1x2xf32>
  return %y : tensor<1x1x1x2xf32>
}

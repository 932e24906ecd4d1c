// What cannot be planned is an error at the layer.
// RUN: weft-opt %s --ascend-plan-inputs --split-input-file --verify-diagnostics
// RUN: not weft-opt %s --ascend-plan-inputs=type=f64 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not weft-opt %s --ascend-plan-inputs=target=bm1684x 2>&1 | FileCheck %s --check-prefix=TARGET

// TYPE: error: type is 'f64', must be f16, bf16, int8, f32
// TARGET: error: target is 'bm1684x', moves are planned for ascend-a2

// A window of 5000 x 1 taps of 16-channel blocks is larger than a buffer.
func.func @window(%x: tensor<1x16x5000x1xf32>, %w: tensor<1x16x5000x1xf32>) -> tensor<1x1x1x1xf32> {
  // expected-error @+1 {{unsupported: the smallest piece of the feature map takes more than the 131040 bytes of a buffer in L1}}
  %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64}
    : (tensor<1x16x5000x1xf32>, tensor<1x16x5000x1xf32>) -> tensor<1x1x1x1xf32>
  return %0 : tensor<1x1x1x1xf32>
}

// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-stack-rows))' | FileCheck %s

// Two rows of 32 channels, with a filter one row higher; the name goes to the rows in turn. 55 rows: the last is alone.
// CHECK-LABEL: func.func @pairs
// CHECK: %[[w:.*]] = tpu.weight dense{{.*}} : tensor<64x64x4x3xi8>
// CHECK-NEXT: %[[s:.*]] = tpu.conv %arg0, %[[w]] strides [2, 1] pads [1, 1, 2, 1] dilations [1, 1] group 1 {scales = array<f32: {{[^>]*}}>, tpu.choices = [#tpu.choice<stack_rows, "conv", #{{loc[0-9]*}}, 1 of["as it is", "2 rows"] at[{{[0-9]+}}, {{[0-9]+}}]>]} : {{.*}} -> tensor<1x64x28x56xf16>
// CHECK-NEXT: %[[y:.*]] = tpu.channels_to_rows %[[s]] {top.value = "y"} : tensor<1x64x28x56xf16> -> tensor<1x32x55x56xf16>
// CHECK-NEXT: return %[[y]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @pairs(%x: tensor<1x64x55x56x!quant.uniform<i8:f32, 0.1>>) -> tensor<1x32x55x56xf16> {
    %w = tpu.weight dense<1> : tensor<32x64x3x3xi8>
    %y = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {scales = array<f32: 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001, 0.001>, top.value = "y"} : tensor<1x64x55x56x!quant.uniform<i8:f32, 0.1>>, tensor<32x64x3x3xi8> -> tensor<1x32x55x56xf16>
    return %y : tensor<1x32x55x56xf16>
  }
}

// -----

// The window of a row goes with it: eight of them.
// CHECK-LABEL: func.func @windows
// CHECK: dense<"0x010203040500000000000000060708090A0000000000000000010203040500000000000000060708090A000000000000
// CHECK: multipliers = array<i32: 3, 3, 3, 3, 3, 3, 3, 3>, rshifts = array<i32: 1, 1, 1, 1, 1, 1, 1, 1>
// CHECK: tpu.channels_to_rows
module attributes {tpu.chip = "bm1684x"} {
  func.func @windows(%x: tensor<1x2x100x100x!quant.uniform<i8:f32, 0.1>>) -> tensor<1x1x96x100x!quant.uniform<i8:f32, 0.1>> {
    %w = tpu.weight dense<[[[[1], [2], [3], [4], [5]], [[6], [7], [8], [9], [10]]]]> : tensor<1x2x5x1xi8>
    %y = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 {multipliers = array<i32: 3>, rshifts = array<i32: 1>} : tensor<1x2x100x100x!quant.uniform<i8:f32, 0.1>>, tensor<1x2x5x1xi8> -> tensor<1x1x96x100x!quant.uniform<i8:f32, 0.1>>
    return %y : tensor<1x1x96x100x!quant.uniform<i8:f32, 0.1>>
  }
}

// -----

// Of floats an infinite one would make another row NaN; 48 channels leave no room.
// CHECK-LABEL: func.func @stays
// CHECK-NOT: tpu.channels_to_rows
module attributes {tpu.chip = "bm1684x"} {
  func.func @stays(%x: tensor<1x64x56x56xf16>, %z: tensor<1x64x56x56x!quant.uniform<i8:f32, 0.1>>) -> (tensor<1x32x56x56xf16>, tensor<1x48x56x56xf16>) {
    %w = tpu.weight dense<1.0> : tensor<32x64x3x3xf16>
    %y = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x64x56x56xf16>, tensor<32x64x3x3xf16> -> tensor<1x32x56x56xf16>
    %v = tpu.weight dense<1> : tensor<48x64x3x3xi8>
    %u = tpu.conv %z, %v strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {scales = array<f32: 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0>} : tensor<1x64x56x56x!quant.uniform<i8:f32, 0.1>>, tensor<48x64x3x3xi8> -> tensor<1x48x56x56xf16>
    return %y, %u : tensor<1x32x56x56xf16>, tensor<1x48x56x56xf16>
  }
}

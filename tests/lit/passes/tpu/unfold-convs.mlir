// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-unfold-convs))' | FileCheck %s

// All elements of a 7x7 window would be 147 channels, more than there are lanes: its rows. Names and numbers stay on the convolution.
// CHECK-LABEL: func.func @rows
// CHECK: %[[u:.*]] = tpu.unfold %arg0 kernel [7, 1] strides [2, 1] pads [3, 0, 2, 0] dilations [1, 1] : tensor<1x3x224x224x!quant.uniform<i8:f32, 1.000000e-01>> -> tensor<1x21x112x224x!quant.uniform<i8:f32, 1.000000e-01>>
// CHECK-NEXT: %[[w:.*]] = tpu.weight dense<1> : tensor<8x21x1x7xi8>
// CHECK-NEXT: tpu.conv %[[u]], %[[w]] strides [1, 2] pads [0, 3, 0, 2] dilations [1, 1] group 1 {multipliers = {{.*}}, rshifts = {{.*}}, top.value = "y", tpu.choices = [#tpu.choice<unfold, "conv", #{{loc[0-9]*}}, 1 of["as it is", "rows"] at[{{[0-9]+}}, {{[0-9]+}}]>]}
// CHECK-NEXT: return
module attributes {tpu.chip = "bm1684x"} {
  func.func @rows(%x: tensor<1x3x224x224x!quant.uniform<i8:f32, 0.1>>) -> tensor<1x8x112x112x!quant.uniform<i8:f32, 0.2>> {
    %w = tpu.weight dense<1> : tensor<8x3x7x7xi8>
    %y = tpu.conv %x, %w strides [2, 2] pads [3, 3, 2, 2] dilations [1, 1] group 1 {multipliers = array<i32: 3, 3, 3, 3, 3, 3, 3, 3>, rshifts = array<i32: 1, 1, 1, 1, 1, 1, 1, 1>, top.value = "y"} : tensor<1x3x224x224x!quant.uniform<i8:f32, 0.1>>, tensor<8x3x7x7xi8> -> tensor<1x8x112x112x!quant.uniform<i8:f32, 0.2>>
    return %y : tensor<1x8x112x112x!quant.uniform<i8:f32, 0.2>>
  }
}

// -----

// The elements keep their order in the filter: channel, row, column.
// CHECK-LABEL: func.func @window
// CHECK: %[[u:.*]] = tpu.unfold %arg0 kernel [2, 3] strides [2, 2] pads [0, 1, 0, 1] dilations [1, 2] : tensor<2x2x64x64xf16> -> tensor<2x12x32x31xf16>
// CHECK{LITERAL}: dense<[[[[0.000000e+00]], [[1.000000e+00]], [[2.000000e+00]], [[3.000000e+00]], [[4.000000e+00]], [[5.000000e+00]], [[6.000000e+00]], [[7.000000e+00]], [[8.000000e+00]], [[9.000000e+00]], [[1.000000e+01]], [[1.100000e+01]]]]> : tensor<1x12x1x1xf16>
// CHECK: tpu.conv %[[u]], %{{.*}} strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 {relu, tpu.choices = [#tpu.choice<unfold, "conv", #{{loc[0-9]*}}, 2 of["as it is", "rows", "window"] at[{{[0-9]+}}, {{[0-9]+}}, {{[0-9]+}}]>]} : tensor<2x12x32x31xf16>, tensor<1x12x1x1xf16> -> tensor<2x1x32x31xf16>
module attributes {tpu.chip = "bm1684x"} {
  func.func @window(%x: tensor<2x2x64x64xf16>) -> tensor<2x1x32x31xf16> {
    %w = tpu.weight dense<[[[[0.0, 1.0, 2.0], [3.0, 4.0, 5.0]], [[6.0, 7.0, 8.0], [9.0, 10.0, 11.0]]]]> : tensor<1x2x2x3xf16>
    %y = tpu.conv %x, %w strides [2, 2] pads [0, 1, 0, 1] dilations [1, 2] group 1 {relu} : tensor<2x2x64x64xf16>, tensor<1x2x2x3xf16> -> tensor<2x1x32x31xf16>
    return %y : tensor<2x1x32x31xf16>
  }
}

// -----

// f32 is computed channel by channel: there is nothing to gain.
// CHECK-LABEL: func.func @channel_by_channel
// CHECK-NOT: tpu.unfold
module attributes {tpu.chip = "bm1684x"} {
  func.func @channel_by_channel(%x: tensor<1x3x64x64xf32>) -> tensor<1x64x64x64xf32> {
    %w = tpu.weight dense<1.0> : tensor<64x3x3x3xf32>
    %y = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x3x64x64xf32>, tensor<64x3x3x3xf32> -> tensor<1x64x64x64xf32>
    return %y : tensor<1x64x64x64xf32>
  }
}

// -----

// Groups stay groups: the channels of each follow each other.
// CHECK-LABEL: func.func @groups
// CHECK: %[[u:.*]] = tpu.unfold %arg0 kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1]
// CHECK: tpu.conv %[[u]], %{{.*}} strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 2 {{.*}} : tensor<1x36x64x64x!quant.uniform<i8:f32, 1.000000e-01>>, tensor<64x18x1x1xi8> ->
module attributes {tpu.chip = "bm1684x"} {
  func.func @groups(%z: tensor<1x4x64x64x!quant.uniform<i8:f32, 0.1>>) -> tensor<1x64x64x64x!quant.uniform<i8:f32, 0.2>> {
    %w = tpu.weight dense<1> : tensor<64x2x3x3xi8>
    %y = tpu.conv %z, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 2 {multipliers = array<i32: 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3>, rshifts = array<i32: 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1>} : tensor<1x4x64x64x!quant.uniform<i8:f32, 0.1>>, tensor<64x2x3x3xi8> -> tensor<1x64x64x64x!quant.uniform<i8:f32, 0.2>>
    return %y : tensor<1x64x64x64x!quant.uniform<i8:f32, 0.2>>
  }
}

// -----

// Enough channels, a window of one element, groups of floats and a filter that is computed stay as they are.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tpu.unfold
module attributes {tpu.chip = "bm1684x"} {
  func.func @others(%x: tensor<1x32x64x64xf16>, %z: tensor<1x4x64x64xf16>, %f: tensor<64x4x3x3xf16>) -> (tensor<1x64x64x64xf16>, tensor<1x64x64x64xf16>, tensor<1x64x64x64xf16>, tensor<1x64x64x64xf16>) {
    %w0 = tpu.weight dense<1.0> : tensor<64x32x3x3xf16>
    %w1 = tpu.weight dense<1.0> : tensor<64x4x1x1xf16>
    %w2 = tpu.weight dense<1.0> : tensor<64x2x3x3xf16>
    %0 = tpu.conv %x, %w0 strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x32x64x64xf16>, tensor<64x32x3x3xf16> -> tensor<1x64x64x64xf16>
    %1 = tpu.conv %z, %w1 strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x4x64x64xf16>, tensor<64x4x1x1xf16> -> tensor<1x64x64x64xf16>
    %2 = tpu.conv %z, %w2 strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 2 : tensor<1x4x64x64xf16>, tensor<64x2x3x3xf16> -> tensor<1x64x64x64xf16>
    %3 = tpu.conv %z, %f strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x4x64x64xf16>, tensor<64x4x3x3xf16> -> tensor<1x64x64x64xf16>
    return %0, %1, %2, %3 : tensor<1x64x64x64xf16>, tensor<1x64x64x64xf16>, tensor<1x64x64x64xf16>, tensor<1x64x64x64xf16>
  }
}

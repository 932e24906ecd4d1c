// RUN: weft-opt --pass-pipeline='builtin.module(func.func(tpu-narrow-filters))' %s | FileCheck %s

// Neighbouring and interleaved groups, as many as there are; no depthwise convolution, and none of what uses all channels.
// CHECK-LABEL: @groups
// CHECK: %[[W0:.*]] = tpu.weight dense<{{\[\[\[\[}}1.000000e+00]]], {{\[\[\[}}2.000000e+00]]], {{\[\[\[}}3.000000e+00]]], {{\[\[\[}}4.000000e+00]]]]> : tensor<4x1x1x1xf32>
// CHECK: %[[W1:.*]] = tpu.weight dense<{{\[\[\[\[}}1.000000e+00]]], {{\[\[\[}}2.000000e+00]]], {{\[\[\[}}3.000000e+00]]], {{\[\[\[}}4.000000e+00]]]]> : tensor<4x1x1x1xf32>
// CHECK: tpu.conv %{{.*}}, %[[W0]] {{.*}} group 2 :
// CHECK: tpu.conv %{{.*}}, %[[W1]] {{.*}} group 2 {interleaved} :
// CHECK: tpu.conv {{.*}} group 1 :
// CHECK: tpu.conv {{.*}} group 1 :
func.func @groups(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w0 = tpu.weight dense<[[[[1.0]], [[0.0]]], [[[2.0]], [[0.0]]], [[[0.0]], [[3.0]]], [[[0.0]], [[4.0]]]]> : tensor<4x2x1x1xf32>
  %w1 = tpu.weight dense<[[[[1.0]], [[0.0]]], [[[0.0]], [[2.0]]], [[[3.0]], [[0.0]]], [[[0.0]], [[4.0]]]]> : tensor<4x2x1x1xf32>
  %w2 = tpu.weight dense<[[[[1.0]], [[0.0]]], [[[0.0]], [[2.0]]]]> : tensor<2x2x1x1xf32>
  %w3 = tpu.weight dense<[[[[1.0]], [[0.0]], [[0.0]], [[0.0]]], [[[0.0]], [[0.0]], [[3.0]], [[-0.0]]]]> : tensor<2x4x1x1xf32>
  %w4 = tpu.weight dense<[[[[1.0]], [[0.0]], [[0.0]], [[1.0]]], [[[0.0]], [[0.0]], [[3.0]], [[0.0]]]]> : tensor<2x4x1x1xf32>
  %0 = tpu.conv %x, %w0 strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32> -> tensor<1x4x4x4xf32>
  %1 = tpu.conv %x, %w1 strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x2x4x4xf32>, tensor<4x2x1x1xf32> -> tensor<1x4x4x4xf32>
  %2 = tpu.conv %x, %w2 strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32> -> tensor<1x2x4x4xf32>
  %3 = tpu.conv %0, %w4 strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x4x4x4xf32>, tensor<2x4x1x1xf32> -> tensor<1x2x4x4xf32>
  // A zero with a sign is a number, too.
  // CHECK: tpu.conv {{.*}} tensor<2x2x1x1xf32> -> tensor<1x2x4x4xf32>
  %4 = tpu.conv %1, %w3 strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x4x4x4xf32>, tensor<2x4x1x1xf32> -> tensor<1x2x4x4xf32>
  %5 = tpu.binary add %2, %3 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32> -> tensor<1x2x4x4xf32>
  %y = tpu.binary add %5, %4 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32> -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}

// Bytes as well; a filter that others read stays for them.
// CHECK-LABEL: @shared
// CHECK: %[[ALL:.*]] = tpu.weight {{.*}} tensor<4x2x1x1xi8>
// CHECK: tpu.conv {{.*}} group 2 {interleaved, scales
// CHECK: tpu.conv %{{.*}}, %[[ALL]] {{.*}} group 2 {scales
!q = !quant.uniform<i8:f32, 0.05>
func.func @shared(%x: tensor<1x2x4x4x!q>, %z: tensor<1x4x4x4x!q>) -> (tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>) {
  %w = tpu.weight dense<[[[[1]], [[0]]], [[[0]], [[2]]], [[[3]], [[0]]], [[[0]], [[4]]]]> : tensor<4x2x1x1xi8>
  %0 = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 {scales = array<f32: 1.0, 1.0, 1.0, 1.0>} : tensor<1x2x4x4x!q>, tensor<4x2x1x1xi8> -> tensor<1x4x4x4xf32>
  %1 = tpu.conv %z, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 2 {scales = array<f32: 1.0, 1.0, 1.0, 1.0>} : tensor<1x4x4x4x!q>, tensor<4x2x1x1xi8> -> tensor<1x4x4x4xf32>
  return %0, %1 : tensor<1x4x4x4xf32>, tensor<1x4x4x4xf32>
}

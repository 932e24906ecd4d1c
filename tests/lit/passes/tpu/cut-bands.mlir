// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-cut-bands))' | FileCheck %s
// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-cut-bands,tpu-group-layers,tpu-fold-bands))' | FileCheck %s --check-prefix=FOLDED

// Three channels, then two: bands of 20 rows of the result, of 40 of the image, with the rows of their neighbours that the two windows need. Filters and scales are repeated, names stay.
// CHECK-LABEL: func.func @thin
// CHECK: %[[cut:.*]] = tpu.to_bands %arg0 in <count = 8, rows = 40, above = 4, height = 320> : tensor<1x3x320x320x!quant.uniform<i8:f32, 1.000000e-01>> -> tensor<1x24x46x320x!quant.uniform<i8:f32, 1.000000e-01>>
// CHECK: %[[clear:.*]] = tpu.clear_rows %[[cut]] in <count = 8, rows = 40, above = 4, height = 320> top 1 bottom 0
// CHECK: %[[first:.*]] = tpu.conv %[[clear]], %{{.*}} strides [2, 2] pads [1, 1, 0, 1] dilations [1, 1] group 8 {scales = array<f32: 1.000000e+00, 2.000000e+00, 1.000000e+00, 2.000000e+00, 1.000000e+00, 2.000000e+00, 1.000000e+00, 2.000000e+00, 1.000000e+00, 2.000000e+00, 1.000000e+00, 2.000000e+00, 1.000000e+00, 2.000000e+00, 1.000000e+00, 2.000000e+00>, tpu.bands = #tpu.bands<count = 8, rows = 20, above = 2, height = 160>, tpu.choices = [#tpu.choice<bands, "conv", #{{loc[0-9]*}}, 1 of["as it is", "8 bands"] at[{{[0-9]+}}, {{[0-9]+}}]>]}
// CHECK: %[[act:.*]] = tpu.unary hard_swish %[[first]] {top.value = "a", tpu.bands = #tpu.bands<count = 8, rows = 20, above = 2, height = 160>}
// CHECK: %[[around:.*]] = tpu.clear_rows %[[act]] in <count = 8, rows = 20, above = 2, height = 160> top 1 bottom 1
// CHECK: %[[second:.*]] = tpu.conv %[[around]], %{{.*}} strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 16 {{.*}}
// CHECK: tpu.from_bands %[[second]] in <count = 8, rows = 20, above = 2, height = 160> : tensor<1x16x23x160xf16> -> tensor<1x2x160x160xf16>

// A load cuts them and a store joins them.
// FOLDED-LABEL: func.func @thin
// FOLDED: tpu.group(%arg0)
// FOLDED: ^bb0(%[[image:.*]]: tensor<1x3x320x320x!quant
// FOLDED-NEXT: tpu.to_bands %[[image]]
// FOLDED: %[[made:.*]] = tpu.from_bands
// FOLDED-NEXT: tpu.yield %[[made]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @thin(%x: tensor<1x3x320x320x!quant.uniform<i8:f32, 0.1>>) -> tensor<1x2x160x160xf16> {
    %w = tpu.weight dense<1> : tensor<2x3x3x3xi8>
    %v = tpu.weight dense<1.0> : tensor<2x1x3x3xf16>
    %0 = tpu.conv %x, %w strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] group 1 {scales = array<f32: 1.0, 2.0>} : tensor<1x3x320x320x!quant.uniform<i8:f32, 0.1>>, tensor<2x3x3x3xi8> -> tensor<1x2x160x160xf16>
    %1 = tpu.unary hard_swish %0 {top.value = "a"} : tensor<1x2x160x160xf16>
    %2 = tpu.conv %1, %v strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 2 : tensor<1x2x160x160xf16>, tensor<2x1x3x3xf16> -> tensor<1x2x160x160xf16>
    return %2 : tensor<1x2x160x160xf16>
  }
}

// -----

// Full lanes, functions of elements alone, two images, a largest of a padded window (zeros could be larger), an average over the image, products of floats (NaN would reach all
// bands) and rows that lie in the padding alone stay as they are.
// CHECK-LABEL: func.func @others
// CHECK-NOT: tpu.to_bands
module attributes {tpu.chip = "bm1684x"} {
  func.func @others(%x: tensor<1x64x64x64xf16>, %y: tensor<1x4x256x64xf16>, %z: tensor<2x4x256x64xf16>) -> (tensor<1x64x64x64xf16>, tensor<1x4x256x64xf16>, tensor<2x4x256x64xf16>, tensor<1x4x256x64xf16>, tensor<1x4x1x1xf16>, tensor<1x4x256x64xf16>, tensor<1x4x258x66xf16>) {
    %w = tpu.weight dense<1.0> : tensor<64x64x3x3xf16>
    %v = tpu.weight dense<1.0> : tensor<4x1x3x3xf16>
    %0 = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x64x64x64xf16>, tensor<64x64x3x3xf16> -> tensor<1x64x64x64xf16>
    %1 = tpu.unary relu %y : tensor<1x4x256x64xf16>
    %2 = tpu.conv %z, %v strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 4 : tensor<2x4x256x64xf16>, tensor<4x1x3x3xf16> -> tensor<2x4x256x64xf16>
    %3 = tpu.pool max %y kernel [3, 3] strides [1, 1] pads [1, 1, 1, 1] : tensor<1x4x256x64xf16> -> tensor<1x4x256x64xf16>
    %4 = tpu.pool avg %y kernel [256, 64] strides [1, 1] pads [0, 0, 0, 0] : tensor<1x4x256x64xf16> -> tensor<1x4x1x1xf16>
    %u = tpu.weight dense<1.0> : tensor<4x4x3x3xf16>
    %5 = tpu.conv %y, %u strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x4x256x64xf16>, tensor<4x4x3x3xf16> -> tensor<1x4x256x64xf16>
    %t = tpu.weight dense<1.0> : tensor<4x1x1x1xf16>
    %6 = tpu.conv %y, %t strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 4 : tensor<1x4x256x64xf16>, tensor<4x1x1x1xf16> -> tensor<1x4x258x66xf16>
    return %0, %1, %2, %3, %4, %5, %6 : tensor<1x64x64x64xf16>, tensor<1x4x256x64xf16>, tensor<2x4x256x64xf16>, tensor<1x4x256x64xf16>, tensor<1x4x1x1xf16>, tensor<1x4x256x64xf16>, tensor<1x4x258x66xf16>
  }
}

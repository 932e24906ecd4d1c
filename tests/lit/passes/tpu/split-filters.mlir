// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-split-filters))' | FileCheck %s

// 1.2 MB of filters are two parts, of whole rounds over the lanes; each has its numbers, and the whole has the name.
// CHECK-LABEL: func.func @wide
// CHECK-DAG: %[[W0:.*]] = tpu.weight {{.*}} : tensor<128x2000x3x1xi8>
// CHECK-DAG: %[[B0:.*]] = tpu.weight {{.*}} : tensor<1x128x1x1xf32>
// CHECK: %[[Y0:.*]] = tpu.conv %arg0, %[[W0]], %[[B0]] {{.*}}relu{{.*}}tpu.recipe = "dense"} : {{.*}} -> tensor<1x128x7x7xf16>
// CHECK-DAG: %[[W1:.*]] = tpu.weight {{.*}} : tensor<72x2000x3x1xi8>
// CHECK-DAG: %[[B1:.*]] = tpu.weight {{.*}} : tensor<1x72x1x1xf32>
// CHECK: %[[Y1:.*]] = tpu.conv %arg0, %[[W1]], %[[B1]] {{.*}} : {{.*}} -> tensor<1x72x7x7xf16>
// CHECK: %[[Y:.*]] = tpu.concat %[[Y0]], %[[Y1]] axis 1 {top.value = "y"}
// CHECK: return %[[Y]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @wide(%x: tensor<1x2000x7x7x!quant.uniform<i8:f32, 0.1>>) -> tensor<1x200x7x7xf16> {
    %w = tpu.weight dense<1> : tensor<200x2000x3x1xi8>
    %b = tpu.weight dense<2.0> : tensor<1x200x1x1xf32>
    %y = tpu.conv %x, %w, %b strides [1, 1] pads [1, 0, 1, 0] dilations [1, 1] group 1 {relu, scales = array<f32: 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5>, top.value = "y", tpu.recipe = "dense"}
        : tensor<1x2000x7x7x!quant.uniform<i8:f32, 0.1>>, tensor<200x2000x3x1xi8>, tensor<1x200x1x1xf32> -> tensor<1x200x7x7xf16>
    return %y : tensor<1x200x7x7xf16>
  }
}

// -----

// What lies behind 32 channels of a concatenation begins in lane 32: parts would take up more rows of all lanes. What lies in front of them does not.
// CHECK-LABEL: func.func @joined
// CHECK-COUNT-2: tpu.conv {{.*}} -> tensor<1x64x7x7xf32>
// CHECK: tpu.concat
// CHECK: tpu.conv {{.*}} -> tensor<1x128x7x7xf32>
// CHECK: tpu.concat
module attributes {tpu.chip = "bm1684x"} {
  func.func @joined(%x: tensor<1x1200x7x7xf32>, %z: tensor<1x32x7x7xf32>) -> tensor<1x288x7x7xf32> {
    %w = tpu.weight dense<1.0> : tensor<128x1200x3x1xf32>
    %0 = tpu.conv %x, %w strides [1, 1] pads [1, 0, 1, 0] dilations [1, 1] group 1 : tensor<1x1200x7x7xf32>, tensor<128x1200x3x1xf32> -> tensor<1x128x7x7xf32>
    %1 = tpu.conv %x, %w strides [1, 1] pads [1, 0, 1, 0] dilations [1, 1] group 1 {relu} : tensor<1x1200x7x7xf32>, tensor<128x1200x3x1xf32> -> tensor<1x128x7x7xf32>
    %2 = tpu.concat %0, %z, %1 axis 1 : (tensor<1x128x7x7xf32>, tensor<1x32x7x7xf32>, tensor<1x128x7x7xf32>) -> tensor<1x288x7x7xf32>
    return %2 : tensor<1x288x7x7xf32>
  }
}

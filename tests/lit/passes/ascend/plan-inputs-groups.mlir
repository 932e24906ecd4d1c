// Groups of one channel are joined where the filter is constant and the model says that it pays.
// RUN: weft-opt %s --ascend-plan-inputs | FileCheck %s
// RUN: weft-opt %s --ascend-plan-inputs=separate-groups=true | FileCheck %s --check-prefix=SEPARATE

// CHECK: func.func private @layer0_input(%{{.*}}: memref<1x1x12x24x32xf16, "gm">
// CHECK-SAME: ascend.joined_groups = 16 : i64
// CHECK: ascend.tile origin [0, 0, 0, 0, 0, 0] sizes [2, 1, 1, 12, 24, 16]
// CHECK: ndNum = 1, nValue = 288, dValue = 32, srcNdMatrixStride = 0, srcDValue = 32, dstNzC0Stride = 288, dstNzNStride = 1, dstNzMatrixStride = 0
// CHECK: func.func private @layer0_filter(%{{.*}}: memref<32x1x3x3x16xf16, "gm">
// CHECK-SAME: ascend.joined_groups = 16 : i64

// SEPARATE: func.func private @layer0_filter(%{{.*}}: memref<32x1x3x3x1xf16, "gm">
// SEPARATE-NOT: joined_groups
func.func @main(%x: tensor<1x32x12x24xf32>, %d: tensor<32x1x3x3xf32>) -> (tensor<1x32x12x24xf32>, tensor<1x32x12x24xf32>) {
  %w = top.constant dense<1.0> : tensor<32x1x3x3xf32>
  %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 32 : i64}
    : (tensor<1x32x12x24xf32>, tensor<32x1x3x3xf32>) -> tensor<1x32x12x24xf32>
  // A filter that is computed cannot be prepared.
  // CHECK: func.func private @layer1_input
  // CHECK-NOT: joined_groups
  %1 = top.conv %0, %d {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 32 : i64}
    : (tensor<1x32x12x24xf32>, tensor<32x1x3x3xf32>) -> tensor<1x32x12x24xf32>
  return %0, %1 : tensor<1x32x12x24xf32>, tensor<1x32x12x24xf32>
}

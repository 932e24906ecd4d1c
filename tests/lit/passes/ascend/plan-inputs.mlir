// A function for each input of each convolution and matrix product; the graph stays.
// RUN: weft-opt %s --ascend-plan-inputs | FileCheck %s
// RUN: weft-opt %s --ascend-plan-inputs=type=int8 | FileCheck %s --check-prefix=INT8
// RUN: weft-opt %s --ascend-plan-inputs=type=f32 | FileCheck %s --check-prefix=F32
// The plan has nothing left to canonicalize.
// RUN: weft-opt %s --ascend-plan-inputs --canonicalize | FileCheck %s

// CHECK: module attributes {ascend.target = "ascend-a2"}
// CHECK-LABEL: func.func @main
// CHECK: top.conv {{.*}}ascend.inputs = [@layer0_input, @layer0_filter]
// CHECK: top.conv {{.*}}ascend.inputs = [@layer1_input, @layer1_filter]
// CHECK: top.matmul {{.*}}ascend.inputs = [@layer2_lhs, @layer2_rhs]
func.func @main(%x: tensor<1x3x48x192xf32> {top.name = "x"}, %w: tensor<8x3x3x3xf32>, %d: tensor<8x1x3x3xf32>, %m: tensor<40x56xf32>, %n: tensor<56x20xf32>)
    -> (tensor<1x8x24x48xf32>, tensor<40x20xf32>) {
  %0 = top.conv %x, %w {strides = array<i64: 2, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "y"}
    : (tensor<1x3x48x192xf32>, tensor<8x3x3x3xf32>) -> tensor<1x8x24x96xf32>
  %1 = top.conv %0, %d {strides = array<i64: 1, 2>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 8 : i64, top.value = "z"}
    : (tensor<1x8x24x96xf32>, tensor<8x1x3x3xf32>) -> tensor<1x8x24x48xf32>
  %2 = top.matmul %m, %n {top.value = "p"} : tensor<40x56xf32>, tensor<56x20xf32>
  return %1, %2 : tensor<1x8x24x48xf32>, tensor<40x20xf32>
}

// The feature map takes three tiles, which share a row with their neighbours and alternate between two buffers.
// CHECK: func.func private @layer0_input(%[[GM:.*]]: memref<1x1x48x192x3xf16, "gm">, %[[L1:.*]]: memref<524288xui8, "l1">)
// CHECK-SAME: ascend.axes = ["g", "n", "d", "h", "w", "c"], ascend.bytes = 57600 : i64
// CHECK-SAME: ascend.layer = "y", ascend.layout = "NC1HWC0", ascend.moves = 3 : i64, ascend.role = "input", ascend.value = "x"
// CHECK: ascend.tile origin [0, 0, 0, 0, 0, 0] sizes [1, 1, 1, 16, 192, 3] bytes 18432
// CHECK: ascend.view %[[L1]][0] : memref<524288xui8, "l1"> to memref<49152xf16, "l1">
// CHECK: ascend.view %[[GM]][0]
// CHECK: copy_gm_to_cbuf_multi_nd2nz_b16 {{.*}}ndNum = 1, nValue = 3072, dValue = 3, srcNdMatrixStride = 0, srcDValue = 3
// CHECK: ascend.tile origin [0, 0, 0, 15, 0, 0] sizes [1, 1, 1, 17, 192, 3] bytes 19584
// CHECK: ascend.view %[[L1]][131040]
// CHECK: ascend.view %[[GM]][17280]
// CHECK: ascend.tile origin [0, 0, 0, 31, 0, 0] sizes [1, 1, 1, 17, 192, 3] bytes 19584
// CHECK: ascend.view %[[L1]][0]

// Room for 16 output channels is cleared, 8 are moved: 16 blocks from row to row.
// CHECK: func.func private @layer0_filter({{.*}}: memref<8x1x3x3x3xf16, "gm">
// CHECK-SAME: ascend.layout = "FRACTAL_Z"
// CHECK: ascend.tile origin [0, 0, 0, 0, 0, 0] sizes [1, 1, 8, 3, 3, 3] bytes 432
// CHECK: ascend.clear {{.*}} : memref<2304xf16, "l1">
// CHECK: ndNum = 8, nValue = 9, dValue = 3, srcNdMatrixStride = 27, srcDValue = 3, dstNzC0Stride = 1, dstNzNStride = 16, dstNzMatrixStride = 16

// 24 * 96 blocks are more than half a buffer: a tile and a move for each group.
// CHECK: func.func private @layer1_input
// CHECK-SAME: ascend.moves = 8 : i64
// CHECK: ascend.tile origin [0, 0, 0, 0, 0, 0] sizes [1, 1, 1, 24, 96, 1] bytes 4608
// CHECK: ndNum = 1, nValue = 2304, dValue = 1, srcNdMatrixStride = 0, srcDValue = 8
// CHECK: func.func private @layer1_filter
// CHECK: sizes [8, 1, 1, 3, 3, 1]

// CHECK: func.func private @layer2_lhs({{.*}}: memref<1x40x56xf16, "gm">
// CHECK-SAME: ascend.layout = "NZ"
// CHECK: ndNum = 1, nValue = 40, dValue = 56, srcNdMatrixStride = 0, srcDValue = 56, dstNzC0Stride = 48, dstNzNStride = 1, dstNzMatrixStride = 0
// The product sums over the 8 rows behind K of the right factor.
// CHECK: func.func private @layer2_rhs({{.*}}: memref<1x56x20xf16, "gm">
// CHECK: ascend.clear {{.*}} : memref<2048xf16, "l1">
// CHECK: ndNum = 1, nValue = 56, dValue = 20, srcNdMatrixStride = 0, srcDValue = 20, dstNzC0Stride = 64, dstNzNStride = 1, dstNzMatrixStride = 0

// INT8: func.func private @layer1_input({{.*}}: memref<1x1x24x96x8xsi8, "gm">
// INT8: func.func private @layer2_rhs({{.*}}: memref<1x56x20xsi8, "gm">
// INT8: copy_gm_to_cbuf_multi_nd2nz_b8 {{.*}}nValue = 56, {{.*}}dstNzC0Stride = 1

// F32: func.func private @layer2_rhs
// F32-SAME: ascend.layout = "ZZ"
// F32: copy_gm_to_cbuf_multi_nd2nz_b32s {{.*}}ndNum = 3, nValue = 16, dValue = 20, srcNdMatrixStride = 320, srcDValue = 20, dstNzC0Stride = 16, dstNzNStride = 1, dstNzMatrixStride = 512
// F32: copy_gm_to_cbuf_multi_nd2nz_b32s {{.*}}ndNum = 1, nValue = 8, dValue = 20

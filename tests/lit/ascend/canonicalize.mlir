// Empty moves go with one warning, strides over nothing are cleared, neighbours merge.
// RUN: weft-opt %s --canonicalize --split-input-file --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func.func @empty
func.func @empty(%l1: memref<240xf16, "l1">, %gm: memref<200xf16, "gm">) {
  // CHECK-NOT: ascend.copy
  // expected-warning @+1 {{dValue is 0: nothing is moved; the move is removed}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %l1, src = %gm, sid = 0, ndNum = 2, nValue = 3, dValue = 0, srcNdMatrixStride = 80,
    srcDValue = 0, dstNzC0Stride = 99999, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<240xf16, "l1">, memref<200xf16, "gm">
  // CHECK: return
  return
}

// -----

// CHECK-LABEL: func.func @one_matrix
func.func @one_matrix(%l1: memref<240xf16, "l1">, %gm: memref<200xf16, "gm">) {
  // CHECK: ndNum = 1, nValue = 3, dValue = 20, srcNdMatrixStride = 0, srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 0
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %l1, src = %gm, sid = 0, ndNum = 1, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

// Matrix 1 behind matrix 0, found through views of views.
// CHECK-LABEL: func.func @matrices
// CHECK-SAME: (%[[L1:.*]]: memref<524288xui8, "l1">, %[[GM:.*]]: memref<400xui8, "gm">)
func.func @matrices(%l1: memref<524288xui8, "l1">, %gm: memref<400xui8, "gm">) {
  // CHECK-DAG: %[[TO:.*]] = ascend.view %[[L1]][64] : memref<524288xui8, "l1"> to memref<240xf16, "l1">
  // CHECK-DAG: %[[FROM:.*]] = ascend.view %[[GM]][0] : memref<400xui8, "gm"> to memref<148xf16, "gm">
  // CHECK: ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %[[TO]], src = %[[FROM]], sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80, srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128
  // CHECK-NOT: ascend.copy
  %0 = ascend.view %l1[64] : memref<524288xui8, "l1"> to memref<112xf16, "l1">
  %1 = ascend.view %gm[0] : memref<400xui8, "gm"> to memref<68xf16, "gm">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %0, src = %1, sid = 0, ndNum = 1, nValue = 3, dValue = 20, srcNdMatrixStride = 0,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<112xf16, "l1">, memref<68xf16, "gm">
  %2 = ascend.view %l1[320] : memref<524288xui8, "l1"> to memref<224xui8, "l1">
  %3 = ascend.view %2[0] : memref<224xui8, "l1"> to memref<112xf16, "l1">
  %4 = ascend.view %gm[160] : memref<400xui8, "gm"> to memref<68xf16, "gm">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %3, src = %4, sid = 0, ndNum = 1, nValue = 3, dValue = 20, srcNdMatrixStride = 0,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<112xf16, "l1">, memref<68xf16, "gm">
  return
}

// -----

// Rows 0 and 1, then columns 16 to 19 of both: one move of three.
// CHECK-LABEL: func.func @rows_and_blocks
func.func @rows_and_blocks(%l1: memref<64xf16, "l1">, %gm: memref<40xf16, "gm">) {
  // CHECK: ndNum = 1, nValue = 2, dValue = 20, srcNdMatrixStride = 0, srcDValue = 20, dstNzC0Stride = 2, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<64xf16, "l1">, memref<40xf16, "gm">
  // CHECK-NOT: ascend.copy
  %0 = ascend.view %l1[0] : memref<64xf16, "l1"> to memref<16xf16, "l1">
  %1 = ascend.view %gm[0] : memref<40xf16, "gm"> to memref<16xf16, "gm">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %0, src = %1, sid = 0, ndNum = 1, nValue = 1, dValue = 16, srcNdMatrixStride = 0,
    srcDValue = 16, dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<16xf16, "l1">, memref<16xf16, "gm">
  %2 = ascend.view %l1[32] : memref<64xf16, "l1"> to memref<16xf16, "l1">
  %3 = ascend.view %gm[40] : memref<40xf16, "gm"> to memref<16xf16, "gm">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %2, src = %3, sid = 0, ndNum = 1, nValue = 1, dValue = 16, srcNdMatrixStride = 0,
    srcDValue = 16, dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<16xf16, "l1">, memref<16xf16, "gm">
  %4 = ascend.view %l1[64] : memref<64xf16, "l1"> to memref<32xf16, "l1">
  %5 = ascend.view %gm[32] : memref<40xf16, "gm"> to memref<24xf16, "gm">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %4, src = %5, sid = 0, ndNum = 1, nValue = 2, dValue = 4, srcNdMatrixStride = 0,
    srcDValue = 20, dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<32xf16, "l1">, memref<24xf16, "gm">
  return
}

// -----

// A fill between them, or another source: two moves stay.
// CHECK-LABEL: func.func @apart
func.func @apart(%l1: memref<64xf16, "l1">, %gm: memref<40xf16, "gm">, %other: memref<40xf16, "gm">) {
  // CHECK-COUNT-3: ascend.copy_gm_to_cbuf_multi_nd2nz_b16
  %0 = ascend.view %l1[0] : memref<64xf16, "l1"> to memref<16xf16, "l1">
  %1 = ascend.view %gm[0] : memref<40xf16, "gm"> to memref<16xf16, "gm">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %0, src = %1, sid = 0, ndNum = 1, nValue = 1, dValue = 16, srcNdMatrixStride = 0,
    srcDValue = 16, dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<16xf16, "l1">, memref<16xf16, "gm">
  %2 = ascend.view %l1[32] : memref<64xf16, "l1"> to memref<16xf16, "l1">
  %3 = ascend.view %gm[32] : memref<40xf16, "gm"> to memref<16xf16, "gm">
  ascend.clear %2 : memref<16xf16, "l1">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %2, src = %3, sid = 0, ndNum = 1, nValue = 1, dValue = 16, srcNdMatrixStride = 0,
    srcDValue = 16, dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<16xf16, "l1">, memref<16xf16, "gm">
  %4 = ascend.view %l1[64] : memref<64xf16, "l1"> to memref<16xf16, "l1">
  %5 = ascend.view %other[0] : memref<40xf16, "gm"> to memref<16xf16, "gm">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %4, src = %5, sid = 0, ndNum = 1, nValue = 1, dValue = 16, srcNdMatrixStride = 0,
    srcDValue = 16, dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<16xf16, "l1">, memref<16xf16, "gm">
  return
}

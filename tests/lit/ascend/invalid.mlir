// The rules of the dialect's verifiers, one message each.
// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @matrices(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op ndNum is 4096, must be 0 to 4095}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 4096, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

func.func @rows(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op nValue is 16385, must be 0 to 16384}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 16385, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

func.func @columns(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op dValue is 65536, must be 0 to 65535}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 65536, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

func.func @negative(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op dValue is -1, must be 0 to 65535}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = -1, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

func.func @source_matrix_stride(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op srcNdMatrixStride is 65536, must be 0 to 65535}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 65536,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

func.func @source_row_stride(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op srcDValue is 0, must be 1 to 65535}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 0, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

func.func @block_stride(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op dstNzC0Stride is 16385, must be 1 to 16384}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 16385, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

func.func @row_stride(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op dstNzNStride is 0, must be 1 to 16384}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 0, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

func.func @matrix_stride_range(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op dstNzMatrixStride is 65536, must be 0 to 65535}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 65536 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

func.func @stream(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op sid is 256, must be 0 to 255}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 256, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

func.func @missing(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op dstNzNStride is missing}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

// E2
func.func @suffix(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b8' op dst is fp16, must be int8 or uint8}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b8 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

func.func @types(%dst: memref<240xf16, "l1">, %src: memref<200xbf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op dst is fp16, src is bf16; dst and src must have one element type}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xbf16, "gm">
  return
}

// -----

// E3
func.func @dst_memory(%dst: memref<240xf16, "gm">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op dst lies in global memory, must be in L1}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "gm">, memref<200xf16, "gm">
  return
}

// -----

func.func @src_memory(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "l1">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op src lies in L1 memory, must be in global}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "l1">
  return
}

// -----

// E4
func.func @dst_alignment(%dst: memref<512xui8, "l1">, %src: memref<200xf16, "gm">) {
  %0 = ascend.view %dst[16] : memref<512xui8, "l1"> to memref<240xf16, "l1">
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op dst is at byte 16 of L1; dst must be aligned to 32 bytes}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %0, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

// E5
func.func @src_alignment(%dst: memref<240xf16, "l1">, %src: memref<512xui8, "gm">) {
  %0 = ascend.view %src[3] : memref<512xui8, "gm"> to memref<200xf16, "gm">
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op src is at byte 3 with elements of 2 bytes; src must be aligned to its element}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %0, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

// E6
func.func @matrix_stride(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op dstNzMatrixStride is 120 elements, 240 bytes; with ndNum > 1 dstNzMatrixStride must be a multiple of 32 bytes, so that matrices start on blocks}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 120 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

func.func @no_matrix_stride(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op dstNzMatrixStride is 0 with 2 matrices; dstNzMatrixStride must be in [1, 65535] if ndNum > 1}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

// E7
func.func @overlap(%dst: memref<240xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op blocks (0, 0, 1) and (0, 2, 0) (matrix, row, block) both lie 64 bytes behind dst; the blocks of one move must not overlap, since the order of writes is not determined}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 2, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

// E8
func.func @beyond_buffer(%dst: memref<239xf16, "l1">, %src: memref<200xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op the blocks end at byte 480, the buffer in L1 at byte 478; every block must lie in L1}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<239xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

func.func @beyond_l1(%dst: memref<600000xui8, "l1">, %src: memref<200xf16, "gm">) {
  %0 = ascend.view %dst[524032] : memref<600000xui8, "l1"> to memref<240xf16, "l1">
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op the blocks end at byte 524512, the buffer in L1 at byte 524288; every block must lie in L1}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %0, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16, "gm">
  return
}

// -----

func.func @beyond_source(%dst: memref<240xf16, "l1">, %src: memref<147xf16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op the rows end at byte 296, the source at byte 294; every element that is read must lie in the source}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<147xf16, "gm">
  return
}

// -----

func.func @space(%dst: memref<240xf16, "l1">, %src: memref<200xf16>) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op operand is 'memref<200xf16>', must be a contiguous memref of static shape and at most 2^40 bytes in "gm" or "l1" with elements si8, ui8, si16, ui16, f16, bf16, si32, ui32 or f32}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xf16>
  return
}

// -----

func.func @element(%dst: memref<240xf16, "l1">, %src: memref<200xi16, "gm">) {
  // expected-error @+1 {{'ascend.copy_gm_to_cbuf_multi_nd2nz_b16' op operand is 'memref<200xi16, "gm">', must be a contiguous memref of static shape and at most 2^40 bytes in "gm" or "l1" with elements si8, ui8, si16, ui16, f16, bf16, si32, ui32 or f32}}
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %dst, src = %src, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<200xi16, "gm">
  return
}

// -----

// view (C1)
func.func @view_space(%gm: memref<64xui8, "gm">) {
  // expected-error @+1 {{'ascend.view' op leads from memory "gm" to "l1", must stay in one}}
  %0 = ascend.view %gm[0] : memref<64xui8, "gm"> to memref<32xf16, "l1">
  return
}

// -----

// view (C2)
func.func @view_end(%gm: memref<64xui8, "gm">) {
  // expected-error @+1 {{'ascend.view' op has 64 bytes at byte 2, its source has 64}}
  %0 = ascend.view %gm[2] : memref<64xui8, "gm"> to memref<32xf16, "gm">
  return
}

// -----

func.func @view_start(%gm: memref<64xui8, "gm">) {
  // expected-error @+1 {{'ascend.view' op starts at byte -2, must be 0 or more}}
  %0 = ascend.view %gm[-2] : memref<64xui8, "gm"> to memref<4xf16, "gm">
  return
}

// -----

// clear (C1)
func.func @clear(%gm: memref<64xui8, "gm">) {
  // expected-error @+1 {{'ascend.clear' op fills memory "gm", must fill "l1"}}
  ascend.clear %gm : memref<64xui8, "gm">
  return
}

// -----

// tile (C1)
func.func @tile_axes() {
  // expected-error @+1 {{'ascend.tile' op has an origin of 1 axes and sizes of 2, must have one number an axis}}
  ascend.tile origin [0] sizes [1, 2] bytes 0 cycles 0 {
  }
  return
}

// -----

func.func @tile_bytes() {
  // expected-error @+1 {{'ascend.tile' op has bytes -1, must be 0 or more}}
  ascend.tile origin [0] sizes [1] bytes -1 cycles 0 {
  }
  return
}

// -----

// expected-error @+1 {{ascend.target is "bm1684x", must be "ascend-a2"}}
module attributes {ascend.target = "bm1684x"} {
}

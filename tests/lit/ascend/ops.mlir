// The functions and ops of the dialect, printed and read again.
// RUN: weft-opt %s | weft-opt | FileCheck %s

// CHECK-LABEL: func.func @widths
func.func @widths(%l1: memref<524288xui8, "l1">, %gm: memref<4096xui8, "gm">) {
  // CHECK: %[[TO:.*]] = ascend.view %{{.*}}[512] : memref<524288xui8, "l1"> to memref<240xf16, "l1">
  %to = ascend.view %l1[512] : memref<524288xui8, "l1"> to memref<240xf16, "l1">
  // CHECK: %[[FROM:.*]] = ascend.view %{{.*}}[2] : memref<4096xui8, "gm"> to memref<148xf16, "gm">
  %from = ascend.view %gm[2] : memref<4096xui8, "gm"> to memref<148xf16, "gm">
  // CHECK: ascend.clear %[[TO]] : memref<240xf16, "l1">
  ascend.clear %to : memref<240xf16, "l1">
  // CHECK: ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %[[TO]], src = %[[FROM]], sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80, srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<148xf16, "gm">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %to, src = %from, sid = 0, ndNum = 2, nValue = 3, dValue = 20, srcNdMatrixStride = 80,
    srcDValue = 24, dstNzC0Stride = 4, dstNzNStride = 1, dstNzMatrixStride = 128 : memref<240xf16, "l1">, memref<148xf16, "gm">
  return
}

// Each of the nine prototypes.
// CHECK-LABEL: func.func @prototypes
func.func @prototypes(%a: memref<64xsi8, "l1">, %b: memref<2x40xsi8, "gm">, %c: memref<64xui8, "l1">, %d: memref<40xui8, "gm">,
                      %e: memref<48xsi16, "l1">, %f: memref<40xsi16, "gm">, %g: memref<48xui16, "l1">, %h: memref<40xui16, "gm">,
                      %i: memref<48xbf16, "l1">, %j: memref<40xbf16, "gm">, %k: memref<48xf16, "l1">, %l: memref<40xf16, "gm">,
                      %m: memref<40xsi32, "l1">, %n: memref<40xsi32, "gm">, %o: memref<40xui32, "l1">, %p: memref<40xui32, "gm">,
                      %q: memref<40xf32, "l1">, %r: memref<40xf32, "gm">) {
  // CHECK-COUNT-2: ascend.copy_gm_to_cbuf_multi_nd2nz_b8
  ascend.copy_gm_to_cbuf_multi_nd2nz_b8 dst = %a, src = %b, sid = 0, ndNum = 1, nValue = 1, dValue = 40, srcNdMatrixStride = 0, srcDValue = 40,
    dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<64xsi8, "l1">, memref<2x40xsi8, "gm">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b8 dst = %c, src = %d, sid = 0, ndNum = 1, nValue = 1, dValue = 40, srcNdMatrixStride = 0, srcDValue = 40,
    dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<64xui8, "l1">, memref<40xui8, "gm">
  // CHECK-COUNT-4: ascend.copy_gm_to_cbuf_multi_nd2nz_b16
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %e, src = %f, sid = 0, ndNum = 1, nValue = 1, dValue = 40, srcNdMatrixStride = 0, srcDValue = 40,
    dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<48xsi16, "l1">, memref<40xsi16, "gm">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %g, src = %h, sid = 0, ndNum = 1, nValue = 1, dValue = 40, srcNdMatrixStride = 0, srcDValue = 40,
    dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<48xui16, "l1">, memref<40xui16, "gm">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %i, src = %j, sid = 0, ndNum = 1, nValue = 1, dValue = 40, srcNdMatrixStride = 0, srcDValue = 40,
    dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<48xbf16, "l1">, memref<40xbf16, "gm">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b16 dst = %k, src = %l, sid = 0, ndNum = 1, nValue = 1, dValue = 40, srcNdMatrixStride = 0, srcDValue = 40,
    dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<48xf16, "l1">, memref<40xf16, "gm">
  // CHECK-COUNT-3: ascend.copy_gm_to_cbuf_multi_nd2nz_b32s
  ascend.copy_gm_to_cbuf_multi_nd2nz_b32s dst = %m, src = %n, sid = 0, ndNum = 1, nValue = 1, dValue = 40, srcNdMatrixStride = 0, srcDValue = 40,
    dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<40xsi32, "l1">, memref<40xsi32, "gm">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b32s dst = %o, src = %p, sid = 0, ndNum = 1, nValue = 1, dValue = 40, srcNdMatrixStride = 0, srcDValue = 40,
    dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<40xui32, "l1">, memref<40xui32, "gm">
  ascend.copy_gm_to_cbuf_multi_nd2nz_b32s dst = %q, src = %r, sid = 255, ndNum = 1, nValue = 1, dValue = 40, srcNdMatrixStride = 0, srcDValue = 40,
    dstNzC0Stride = 1, dstNzNStride = 1, dstNzMatrixStride = 0 : memref<40xf32, "l1">, memref<40xf32, "gm">
  return
}

// CHECK-LABEL: func.func @tile
func.func @tile(%l1: memref<256xui8, "l1">, %gm: memref<2x1x2x40xui8, "gm">) {
  // CHECK: ascend.tile origin [0, 0] sizes [2, 40] bytes 160 cycles 62 {
  ascend.tile origin [0, 0] sizes [2, 40] bytes 160 cycles 62 {
    // CHECK: ascend.copy_gm_to_cbuf_multi_nd2nz_b8
    ascend.copy_gm_to_cbuf_multi_nd2nz_b8 dst = %l1, src = %gm, sid = 0, ndNum = 2, nValue = 2, dValue = 40, srcNdMatrixStride = 80,
      srcDValue = 40, dstNzC0Stride = 4, dstNzNStride = 2, dstNzMatrixStride = 32 : memref<256xui8, "l1">, memref<2x1x2x40xui8, "gm">
  }
  return
}

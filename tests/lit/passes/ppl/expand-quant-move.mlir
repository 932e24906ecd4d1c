// Requantization, dequantization and moves.
// RUN: weft-opt %s --pass-pipeline='builtin.module(ppl.net(ppl-expand))' | FileCheck %s

!i8 = !ppl.tensor<1x3x2x64xsi8, local, aligned>
!u8 = !ppl.tensor<1x3x2x64xui8, local, aligned>
!i16 = !ppl.tensor<1x3x2x64xsi16, local, aligned>
!i32 = !ppl.tensor<1x3x2x64xsi32, local, aligned>
!f32 = !ppl.tensor<1x3x2x64xf32, local, aligned>
!f16 = !ppl.tensor<1x3x2x64xf16, local, aligned>
!q3 = !ppl.tensor<1x3x1x3xsi32, local, aligned>
!words = !ppl.tensor<1x3x2x2xui32, local, compact>

ppl.net @quant on "bm1684x" weights [4294987776, 0] context [4294967296, 0] inputs [] outputs [] {
  %i8 = ppl.alloc : !i8
  %u8 = ppl.alloc : !u8
  %i16 = ppl.alloc : !i16
  %i32 = ppl.alloc : !i32
  %f32 = ppl.alloc : !f32
  %f16 = ppl.alloc : !f16
  %q3 = ppl.alloc : !q3
  %words = ppl.alloc : !words
  // offset 40000 of an unsigned type as 16 bits
  // CHECK: ppl.command tiu 4 3 {opd0_prec = 0 : i64, opd0_sign = 0 : i64, opd1_addr = 40000 : i64, opd1_const = 1 : i64, opd2_addr = 1056964608 : i64, opd2_n_str = 2 : i64
  ppl.tiu.dq0 dst = %f32, src = %u8, offset = 40000, scale = 0.5, round_mode = 2 : i64 : !f32, !u8
  // CHECK: ppl.command tiu 4 4 {{.*}}opd1_addr = 4294901757 : i64{{.*}}opd2_addr = 10 : i64
  ppl.tiu.dq1 dst = %i32, src = %i8, offset = -3, multiplier = 10, shift = -2 : i64 : !i32, !i8
  // CHECK: ppl.command tiu 4 4 {{.*}} ["res0_addr", "opd0_addr", "opd1_addr"] [2, 1, 1]
  ppl.tiu.dq1 dst = %i32, src = %i8, quant = %q3 : !i32, !i8, !q3
  // Three bits for each conversion.
  // CHECK: ppl.command tiu 4 0 {{.*}}opd2_n_str = 26 : i64
  ppl.tiu.rq0 dst = %i8, src = %i16, scale = 0.5, offset = 0.0, dst_round_mode = 3, src_round_mode = 2 : i64 : !i8, !i16
  // CHECK: ppl.command tiu 4 1 {{.*}}opd1_addr = 10 : i64{{.*}}opd2_addr = 655611 : i64{{.*}}opd2_n_str = 5 : i64
  ppl.tiu.rq1 dst = %i8, src = %i32, multiplier = 10, shift = -5, offset = 10, round_mode = 5 : i64 : !i8, !i32
  // CHECK: ppl.bdc.cast %[[DST:[0-9]+]],
  // CHECK: %[[V:.*]] = ppl.view %[[DST]] [0, 0, 0, 0] : {{.*}} -> <1x3x4x32xf16, local, [128, 128, 32, 1]>
  // CHECK: %[[O:.*]] = ppl.view %[[W:[0-9]+]] [0, 0, 0, 0] : {{.*}} -> <1x3x4x1xf16, local, [8, 8, 2, 1]>
  // CHECK: %[[S:.*]] = ppl.view %[[W]] [0, 0, 0, 0] bytes 2 : {{.*}} -> <1x3x4x1xf16, local, [8, 8, 2, 1]>
  // CHECK: ppl.bdc.float sub %[[V]], %[[V]], %[[O]]
  // CHECK: ppl.bdc.float mul %[[V]], %[[V]], %[[S]]
  ppl.tiu.dq2 dst = %f16, src = %i8, offset_scale = %words, gsize = 32 : i64 : !f16, !i8, !words

  // A copy of bits, of 8-bit floats too.
  %e = ppl.alloc : !ppl.tensor<2x3x4x5xf8E4M3FN, local, aligned>
  %f = ppl.alloc : !ppl.tensor<2x3x4x5xf8E4M3FN, local, compact>
  // CHECK: ppl.bdc.unary copy {{.*}} : !ppl.tensor<2x3x4x5xui8, local, compact>, !ppl.tensor<2x3x4x5xui8, local, aligned>
  ppl.tiu.move dst = %f, src = %e : !ppl.tensor<2x3x4x5xf8E4M3FN, local, compact>, !ppl.tensor<2x3x4x5xf8E4M3FN, local, aligned>
  // 1.5 as fp8e4m3 is 0x3c.
  // CHECK: arith.constant 60 : i32
  // CHECK: ppl.bdc.unary copy
  ppl.tiu.fill dst = %e, scalar = 1.5 : f64 : !ppl.tensor<2x3x4x5xf8E4M3FN, local, aligned>
  // Strides beyond 16 bits: one image and one row of lanes after the other.
  %far = ppl.alloc : !ppl.tensor<1x70x70x900xsi8, local, line_aligned>
  // CHECK: ppl.bdc.unary copy {{.*}}<1x64x70x900xui8, local, [0, 1, 960, 1]>
  // CHECK: ppl.view %{{.*}} [0, 64, 0, 0]
  // CHECK: ppl.bdc.unary copy {{.*}}<1x6x70x900xui8, local, [0, 1, 960, 1]>
  ppl.tiu.fill dst = %far, scalar = 0 : i64 : !ppl.tensor<1x70x70x900xsi8, local, line_aligned>
  %many = ppl.alloc : !ppl.tensor<2x70x1x8xf32, local, aligned>
  %row = ppl.alloc : !ppl.tensor<2x1x1x8xf32, local, aligned>
  // CHECK-COUNT-2: ppl.bdc.lane_broadcast {{.*}}<1x64x1x8xui32, local, aligned>
  ppl.tiu.broadcast dst = %many, src = %row, num = 64 : i64 : !ppl.tensor<2x70x1x8xf32, local, aligned>, !ppl.tensor<2x1x1x8xf32, local, aligned>
  // 64 numbers of static memory, twice as many, the last 22; then step and start.
  %count = ppl.alloc : !ppl.tensor<1x64x1x150xsi32, local, aligned>
  // CHECK: ppl.static at 1472 : <1x1x1x64xsi32, static, continuous>
  // CHECK: ppl.bdc.lane_broadcast
  // CHECK: ppl.bdc.int add
  // CHECK: ppl.bdc.int add
  // CHECK: ppl.bdc.int mul
  // CHECK: ppl.bdc.int add
  // CHECK-NOT: ppl.bdc
  ppl.tiu.arange_broadcast dst = %count, start = 5, step = 3, num = 150 : i64 : !ppl.tensor<1x64x1x150xsi32, local, aligned>
}

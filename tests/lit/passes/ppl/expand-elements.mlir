// Element arithmetic, comparisons and special functions.
// RUN: weft-opt %s --pass-pipeline='builtin.module(ppl.net(ppl-expand))' | FileCheck %s

!i8 = !ppl.tensor<2x70x3x5xsi8, local, aligned>
!u8 = !ppl.tensor<2x70x3x5xui8, local, aligned>
!i16 = !ppl.tensor<2x70x3x5xsi16, local, aligned>
!i32 = !ppl.tensor<2x70x3x5xsi32, local, aligned>
!f32 = !ppl.tensor<2x70x3x5xf32, local, aligned>
!f16 = !ppl.tensor<2x70x3x5xf16, local, aligned>
!row = !ppl.tensor<1x70x1x5xf32, local, line_aligned>
!one = !ppl.tensor<2x1x3x5xf32, local, aligned>
!s8 = !ppl.tensor<1x70x1x1xsi8, local, compact>

ppl.net @elements on "bm1684x" weights [4294987776, 0] context [4294967296, 0] inputs [] outputs [] {
  %i8 = ppl.alloc : !i8
  %u8 = ppl.alloc : !u8
  %i16 = ppl.alloc : !i16
  %i32 = ppl.alloc : !i32
  %f32 = ppl.alloc : !f32
  %x32 = ppl.alloc : !f32
  %f16 = ppl.alloc : !f16
  %row = ppl.alloc : !row
  %one = ppl.alloc : !one
  %s8 = ppl.alloc : !s8
  // A repeated operand has stride 0, its own layout has no code.
  // CHECK: ppl.command tiu 3 2 {{.*}}opd1_c_str = 16 : i64, opd1_h_str = 0 : i64, opd1_n_str = 0 : i64, opd1_prec = 2 : i64, opd1_sign = 1 : i64, opd1_str = 3 : i64, opd1_w_str = 1 : i64
  ppl.tiu.fadd dst = %f32, src0 = %x32, src1 = %row : !f32, !f32, !row
  // Channels are copied to all lanes first.
  // CHECK: ppl.bdc.lane_broadcast {{.*}} : !ppl.tensor<2x64x3x5xui32, local, aligned>, !ppl.tensor<2x1x3x5xui32, local, aligned>
  // CHECK: ppl.command tiu 3 0 {{.*}}opd0_c_str = 0 : i64
  ppl.tiu.fmul dst = %f32, src0 = %one, src1 = %x32 : !f32, !one, !f32
  // A saturating sum with a constant shift; an unsigned constant of 32 bits.
  // CHECK: ppl.command tiu 3 15 {{.*}}opd1_addr = 7 : i64, opd1_const = 1 : i64, opd1_prec = 4 : i64, opd1_sign = 1 : i64, opd2_addr = 253 : i64, opd2_const = 1 : i64, opd2_n_str = 6 : i64, {{.*}}tsk_opd_num = 3 : i64
  ppl.tiu.add dst = %i16, src0 = %i8, src1 = 7, shift = -3, round_mode = 6, saturation = 1 : i64 : !i16, !i8
  // CHECK: ppl.command tiu 3 0 {{.*}}["res0_addr", "opd0_addr", "opd1_addr", "opd2_addr"] [2, 1, 1, 1]
  ppl.tiu.mul dst = %i32, src0 = %i8, src1 = %u8, shift = %s8 : !i32, !i8, !u8, !s8
  // The accumulator is read; both shifts in one word.
  // CHECK: ppl.command tiu 3 18 {{.*}}opd2_addr = 1026 : i64{{.*}} ["res0_addr", "opd0_addr", "opd1_addr"] [3, 1, 1]
  ppl.tiu.mac dst = %i16, src0 = %i8, src1 = %u8, l_shift = 2, r_shift = 4 : i64 : !i16, !i8, !u8
  // Rounding plays no role where the result is exact.
  // CHECK: ppl.command tiu 3 14 {{.*}}opd2_n_str = 0 : i64
  ppl.tiu.cast dst = %f32, src = %i8, round_mode = 6 : i64 : !f32, !i8
  // CHECK: ppl.command tiu 3 19
  ppl.tiu.cast dst = %f32, src = %x32 : !f32, !f32
  // CHECK: ppl.command tiu 13 23
  ppl.tiu.gt_select dst = %f32, src0 = %i8, src1 = 0, src2 = 1.0, src3 = %x32 : !f32, !i8, !f32
  // CMP compares 8 bits or as many as it selects: a mask of 16 bits is widened.
  // CHECK: ppl.command tiu 3 13
  // CHECK: ppl.command tiu 3 14
  // CHECK: ppl.command tiu 13 24
  ppl.tiu.lt_select dst = %f32, src0 = %f16, src1 = 0.5, src2 = 1.0, src3 = %x32 : !f32, !f16, !f32
  // CHECK: ppl.static at 1152
  // CHECK: ppl.command tiu 9 12 {{.*}}opd1_n = 16 : i64
  ppl.tiu.flog_base dst = %f32, src = %x32 : !f32, !f32
}

// Element arithmetic, comparisons and special functions.
// RUN: weft-opt %s --pass-pipeline='builtin.module(ppl.net(ppl-allocate))' -o %t.mlir
// RUN: weft-as %t.mlir --commands -o %t.txt
// RUN: FileCheck %s --check-prefix=TIU --input-file %t.txt

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
  // TIU: arith.add sAR tsk_opd_num=2 res0_prec=fp32 opd0_prec=fp32 opd1_prec=fp32 opd0_sign=1 opd1_sign=1 opd1_str=free res0_n=2 res0_c=70 res0_h=3 res0_w=5{{.*}} opd1_c_str=16 opd1_w_str=1
  ppl.tiu.fadd dst = %f32, src0 = %x32, src1 = %row : !f32, !f32, !row
  // Channels are copied to all lanes first.
  // TIU: tsbc.l_bc sTRANS_BC res0_prec=int32 res0_n=2 res0_c=64 res0_h=3 res0_w=5 opd0_c=1 opd0_w=5
  // TIU: arith.mul sAR tsk_opd_num=2 res0_prec=fp32 opd0_prec=fp32 opd1_prec=fp32 opd0_sign=1 opd1_sign=1 opd0_str=free res0_n=2 res0_c=70 res0_h=3 res0_w=5{{.*}} opd0_n_str=16 opd0_h_str=5 opd0_w_str=1
  ppl.tiu.fmul dst = %f32, src0 = %one, src1 = %x32 : !f32, !one, !f32
  // A saturating sum with a constant shift; an unsigned constant of 32 bits.
  // TIU: arith.adds sAR opd1_const=1 opd2_const=1 tsk_opd_num=3 res0_prec=int16 opd0_sign=1 opd1_sign=1 opd2_n_str=half_down res0_n=2 res0_c=70 res0_h=3 res0_w=5{{.*}} opd1_addr=0x7 opd2_addr=0xfd
  ppl.tiu.add dst = %i16, src0 = %i8, src1 = 7, shift = -3, round_mode = 6, saturation = 1 : i64 : !i16, !i8
  // TIU: arith.mul sAR tsk_opd_num=3 res0_prec=int32 opd0_sign=1 opd2_n_str=half_up res0_n=2 res0_c=70 res0_h=3 res0_w=5
  ppl.tiu.mul dst = %i32, src0 = %i8, src1 = %u8, shift = %s8 : !i32, !i8, !u8, !s8
  // The accumulator is read; both shifts in one word.
  // TIU: arith.mac sAR opd2_const=1 tsk_opd_num=3 res0_prec=int16 opd0_sign=1 res0_n=2 res0_c=70 res0_h=3 res0_w=5{{.*}} opd2_addr=0x402
  ppl.tiu.mac dst = %i16, src0 = %i8, src1 = %u8, l_shift = 2, r_shift = 4 : i64 : !i16, !i8, !u8
  // Rounding plays no role where the result is exact.
  // TIU: arith.cast sAR tsk_opd_num=1 res0_prec=fp32 opd0_sign=1 res0_n=2 res0_c=70 res0_h=3 res0_w=5{{.*}} opd2_sign=1
  ppl.tiu.cast dst = %f32, src = %i8, round_mode = 6 : i64 : !f32, !i8
  // TIU: arith.copy sAR tsk_opd_num=1 res0_prec=fp32 opd0_prec=fp32 opd0_sign=1 res0_n=2 res0_c=70 res0_h=3 res0_w=5
  ppl.tiu.cast dst = %f32, src = %x32 : !f32, !f32
  // TIU: cmp.sel_gt sCMP opd1_const=1 opd2_const=1 opd2_prec=fp32 opd0_sign=1 res0_n=2 res0_c=70 res0_h=3 res0_w=5{{.*}} opd2_addr=0x3f800000
  ppl.tiu.gt_select dst = %f32, src0 = %i8, src1 = 0, src2 = 1.0, src3 = %x32 : !f32, !i8, !f32
  // CMP compares 8 bits or as many as it selects: a mask of 16 bits is widened.
  // TIU: arith.selectLess sAR opd1_const=1 opd2_const=1 tsk_opd_num=3 res0_prec=int16 opd0_prec=fp16 opd1_prec=fp16 opd2_prec=int16 opd0_sign=1 opd1_sign=1 res0_n=2 res0_c=70 res0_h=3 res0_w=5{{.*}} opd1_addr=0x3800 opd2_addr=0x1
  // TIU: arith.cast sAR tsk_opd_num=1 res0_prec=int32 opd0_prec=int16 opd0_sign=1 res0_n=2 res0_c=70 res0_h=3 res0_w=5{{.*}} opd2_sign=1
  // TIU: cmp.sel_eq sCMP opd1_const=1 opd3_const=1 opd0_prec=int32 opd2_prec=fp32 opd0_sign=1 res0_n=2 res0_c=70 res0_h=3 res0_w=5{{.*}} opd3_addr=0x3f800000
  ppl.tiu.lt_select dst = %f32, src0 = %f16, src1 = 0.5, src2 = 1.0, src3 = %x32 : !f32, !f16, !f32
  // TIU: tsbc.s_bc sTRANS_BC res0_prec=fp32 res0_n=1 res0_c=64 res0_h=1 res0_w=16 opd0_c=64 opd0_w=16
  // TIU: sfu.taylor_4x sSFU res0_prec=fp32 opd0_prec=fp32 opd2_n_str=1 res0_n=2 res0_c=70 res0_h=3 res0_w=5 opd1_n=16
  ppl.tiu.flog_base dst = %f32, src = %x32 : !f32, !f32
}

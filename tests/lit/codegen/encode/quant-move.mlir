// Requantization, dequantization and moves.
// RUN: weft-opt %s --pass-pipeline='builtin.module(ppl.net(ppl-allocate))' -o %t.mlir
// RUN: weft-as %t.mlir --commands -o %t.txt
// RUN: FileCheck %s --check-prefix=TIU --input-file %t.txt

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
  // TIU: quant.dq0 sRQDQ opd2_sign=1 res0_prec=fp32 opd1_const=1 opd2_n_str=toward_zero{{.*}} res0_n=1 res0_c=3 res0_h=2 res0_w=64 opd1_addr=0x9c40
  ppl.tiu.dq0 dst = %f32, src = %u8, offset = 40000, scale = 0.5, round_mode = 2 : i64 : !f32, !u8
  // TIU: quant.dq1 sRQDQ opd0_sign=1 opd2_sign=1 res0_prec=int32 opd1_const=1{{.*}} res0_n=1 res0_c=3 res0_h=2 res0_w=64 opd1_addr=0xfffefffd
  ppl.tiu.dq1 dst = %i32, src = %i8, offset = -3, multiplier = 10, shift = -2 : i64 : !i32, !i8
  // TIU: quant.dq1 sRQDQ opd0_sign=1 opd2_sign=1 res0_prec=int32{{.*}} res0_n=1 res0_c=3 res0_h=2 res0_w=64
  ppl.tiu.dq1 dst = %i32, src = %i8, quant = %q3 : !i32, !i8, !q3
  // Three bits for each conversion.
  // TIU: quant.rq0 sRQDQ opd0_sign=1 opd2_sign=1 opd1_const=1 opd0_prec=int16 opd2_n_str=26{{.*}} res0_n=1 res0_c=3 res0_h=2 res0_w=64 opd1_addr=0x3f000000
  ppl.tiu.rq0 dst = %i8, src = %i16, scale = 0.5, offset = 0.0, dst_round_mode = 3, src_round_mode = 2 : i64 : !i8, !i16
  // TIU: quant.rq1 sRQDQ opd0_sign=1 opd2_sign=1 opd1_const=1 opd0_prec=int32 opd2_n_str=half_up{{.*}} res0_n=1 res0_c=3 res0_h=2 res0_w=64 opd1_addr=0xa
  ppl.tiu.rq1 dst = %i8, src = %i32, multiplier = 10, shift = -5, offset = 10, round_mode = 5 : i64 : !i8, !i32
  // TIU: arith.cast sAR tsk_opd_num=1 res0_prec=fp16 opd0_sign=1 res0_n=1 res0_c=3 res0_h=2 res0_w=64{{.*}} opd2_sign=1
  // TIU: arith.sub sAR tsk_opd_num=2 res0_prec=fp16 opd0_prec=fp16 opd1_prec=fp16 opd0_sign=1 opd1_sign=1 res0_str=free opd0_str=free opd1_str=free res0_n=1 res0_c=3 res0_h=4 res0_w=32{{.*}} res0_n_str=128 res0_c_str=128 opd0_n_str=128 opd0_c_str=128 opd1_c_str=8 res0_h_str=32 res0_w_str=1 opd0_h_str=32 opd0_w_str=1 opd1_h_str=2
  // TIU: arith.mul sAR tsk_opd_num=2 res0_prec=fp16 opd0_prec=fp16 opd1_prec=fp16 opd0_sign=1 opd1_sign=1 res0_str=free opd0_str=free opd1_str=free res0_n=1 res0_c=3 res0_h=4 res0_w=32{{.*}} res0_n_str=128 res0_c_str=128 opd0_n_str=128 opd0_c_str=128 opd1_c_str=8 res0_h_str=32 res0_w_str=1 opd0_h_str=32 opd0_w_str=1 opd1_h_str=2
  ppl.tiu.dq2 dst = %f16, src = %i8, offset_scale = %words, gsize = 32 : i64 : !f16, !i8, !words

  // A copy of bits, of 8-bit floats too.
  %e = ppl.alloc : !ppl.tensor<2x3x4x5xf8E4M3FN, local, aligned>
  %f = ppl.alloc : !ppl.tensor<2x3x4x5xf8E4M3FN, local, compact>
  // TIU: arith.copy sAR tsk_opd_num=1 res0_str=compact res0_n=2 res0_c=3 res0_h=4 res0_w=5
  ppl.tiu.move dst = %f, src = %e : !ppl.tensor<2x3x4x5xf8E4M3FN, local, compact>, !ppl.tensor<2x3x4x5xf8E4M3FN, local, aligned>
  // 1.5 as fp8e4m3 is 0x3c.
  // TIU: arith.copy sAR opd0_const=1 tsk_opd_num=1 res0_n=2 res0_c=3 res0_h=4 res0_w=5 opd0_addr=0x3c
  ppl.tiu.fill dst = %e, scalar = 1.5 : f64 : !ppl.tensor<2x3x4x5xf8E4M3FN, local, aligned>
  // Strides beyond 16 bits: one image and one row of lanes after the other.
  %far = ppl.alloc : !ppl.tensor<1x70x70x900xsi8, local, line_aligned>
  // TIU: arith.copy sAR opd0_const=1 tsk_opd_num=1 opd0_sign=1 res0_str=free res0_n=1 res0_c=64 res0_h=70 res0_w=900 res0_c_str=1 res0_h_str=960 res0_w_str=1
  // TIU: arith.copy sAR opd0_const=1 tsk_opd_num=1 opd0_sign=1 res0_str=free res0_n=1 res0_c=6 res0_h=70 res0_w=900{{.*}} res0_c_str=1 res0_h_str=960 res0_w_str=1
  ppl.tiu.fill dst = %far, scalar = 0 : i64 : !ppl.tensor<1x70x70x900xsi8, local, line_aligned>
  %many = ppl.alloc : !ppl.tensor<2x70x1x8xf32, local, aligned>
  %row = ppl.alloc : !ppl.tensor<2x1x1x8xf32, local, aligned>
  // TIU: tsbc.l_bc sTRANS_BC res0_prec=int32 res0_n=1 res0_c=64 res0_h=1 res0_w=8 opd0_c=1 opd0_w=8
  // TIU: tsbc.l_bc sTRANS_BC res0_prec=int32 res0_n=1 res0_c=64 res0_h=1 res0_w=8 opd0_c=1 opd0_w=8
  ppl.tiu.broadcast dst = %many, src = %row, num = 64 : i64 : !ppl.tensor<2x70x1x8xf32, local, aligned>, !ppl.tensor<2x1x1x8xf32, local, aligned>
  // 64 numbers of static memory, twice as many, the last 22; then step and start.
  %count = ppl.alloc : !ppl.tensor<1x64x1x150xsi32, local, aligned>
  // TIU: tsbc.s_bc sTRANS_BC res0_prec=int32 res0_n=1 res0_c=64 res0_h=1 res0_w=64 opd0_c=64 opd0_w=64
  // TIU: arith.add sAR opd1_const=1 tsk_opd_num=2 res0_prec=int32 opd0_prec=int32 opd1_prec=int32 opd0_sign=1 opd1_sign=1 res0_n=1 res0_c=64 res0_h=1 res0_w=64{{.*}} opd1_addr=0x40
  // TIU: arith.add sAR opd1_const=1 tsk_opd_num=2 res0_prec=int32 opd0_prec=int32 opd1_prec=int32 opd0_sign=1 opd1_sign=1 res0_n=1 res0_c=64 res0_h=1 res0_w=22{{.*}} opd1_addr=0x80
  // TIU: arith.mul sAR opd1_const=1 tsk_opd_num=2 res0_prec=int32 opd0_prec=int32 opd1_prec=int32 opd0_sign=1 opd1_sign=1 res0_n=1 res0_c=64 res0_h=1 res0_w=150 opd1_addr=0x3
  // TIU: arith.add sAR opd1_const=1 tsk_opd_num=2 res0_prec=int32 opd0_prec=int32 opd1_prec=int32 opd0_sign=1 opd1_sign=1 res0_n=1 res0_c=64 res0_h=1 res0_w=150 opd1_addr=0x5
  ppl.tiu.arange_broadcast dst = %count, start = 5, step = 3, num = 150 : i64 : !ppl.tensor<1x64x1x150xsi32, local, aligned>
}

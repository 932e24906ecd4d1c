// Gather, scatter and select inside lanes: one command of the gather unit each, but for the row gather with a constant and the row for all channels.
// RUN: weft-opt %s --pass-pipeline='builtin.module(ppl.net(ppl-allocate))' -o %t.mlir
// RUN: weft-as %t.mlir --commands -o %t.txt
// RUN: FileCheck %s --check-prefix=TIU --input-file %t.txt

!d16 = !ppl.tensor<2x70x1x9xf16, local, aligned>
!p16 = !ppl.tensor<2x70x1x5xf16, local, aligned>
!t16 = !ppl.tensor<1x70x1x5xf16, local, aligned>
!i8 = !ppl.tensor<1x9x1x1xui8, local, compact>
!e8 = !ppl.tensor<2x70x1x9xui8, local, aligned>
!r = !ppl.tensor<2x70x4x9xf16, local, line_aligned>
!rt = !ppl.tensor<1x70x6x9xf16, local, line_aligned>
!ri = !ppl.tensor<2x70x4x1xui8, local, aligned>
!c = !ppl.tensor<2x70x1x1xui16, local, compact>
!one = !ppl.tensor<1x1x1x9xf16, local, compact>
!hw = !ppl.tensor<1x3x6x7xf32, local, aligned>
!small = !ppl.tensor<1x3x2x4xf32, local, aligned>
!pairs = !ppl.tensor<1x8x1x2xui16, local, compact>
!s8 = !ppl.tensor<2x70x1x9xsi8, local, aligned>
!n16 = !ppl.tensor<2x70x1x9xsi16, local, aligned>

ppl.net @index on "bm1684x" weights [4294987776, 0] context [4294967296, 0] inputs [] outputs [] {
  %d = ppl.alloc : !d16
  %p = ppl.alloc : !p16
  %t = ppl.alloc : !t16
  %i = ppl.alloc : !i8
  %e = ppl.alloc : !e8
  // Floats go as integers of their width: precision 3 is int16.
  // TIU: sg.pl_gather_d1coor sSG res0_n=2 res0_c=70 res0_h=1 res0_w=9 opd0_h=1 opd0_w=5 opd1_c=9 opd1_w=1 res0_prec=int16 opd0_prec=int16
  ppl.tiu.gather_w dst = %d, param = %p, index = %i : !d16, !p16, !i8
  // One table a lane, and 1.5 where the index is 255.
  // TIU: sg.pe_s_gather_d1coor sSG opd3_const=1 opd0_str=per_lane opd2_const=1 res0_n=2 res0_c=70 res0_h=1 res0_w=9 opd0_h=1 opd0_w=5 opd1_c=70 opd1_w=9 res0_prec=int16 opd0_prec=int16{{.*}} opd2_addr=0x3e00
  ppl.tiu.gather_w dst = %d, param = %t, index = %e, C = 1.5, is_param_repeated = 1, fill_const = 1 : i64 : !d16, !t16, !e8
  // TIU: sg.pl_scatter_d1coor sSG res0_n=2 res0_c=70 res0_h=1 res0_w=5 opd0_h=1 opd0_w=9 opd1_c=9 opd1_w=1 res0_prec=int16{{.*}} opd0_prec=int16
  ppl.tiu.scatter_w dst = %p, param = %d, index = %i : !p16, !d16, !i8

  %hw = ppl.alloc : !hw
  %small = ppl.alloc : !small
  %pairs = ppl.alloc : !pairs
  // The side that the list counts is one row.
  // TIU: sg.pl_gather_d2coor sSG res0_n=1 res0_c=3 res0_h=1 res0_w=8 opd0_h=6 opd0_w=7 opd1_c=8 opd1_w=1 res0_prec=int32{{.*}} opd0_prec=int32{{.*}} opd1_prec=int16
  ppl.tiu.gather_hw dst = %small, param = %hw, index = %pairs : !small, !hw, !pairs
  // TIU: sg.pl_scatter_d2coor sSG res0_n=1 res0_c=3 res0_h=6 res0_w=7 opd0_h=1 opd0_w=8 opd1_c=8 opd1_w=1 res0_prec=int32{{.*}} opd0_prec=int32{{.*}} opd1_prec=int16
  ppl.tiu.scatter_hw dst = %hw, param = %small, index = %pairs : !hw, !small, !pairs

  %r = ppl.alloc : !r
  %rt = ppl.alloc : !rt
  %ri = ppl.alloc : !ri
  // TIU: sgl.pe_s_gather_line sSGL res0_prec=int16 opd0_str=free res0_n=2 res0_c=70 res0_h=4 res0_w=9 opd0_h=6
  ppl.tiu.gather_h dst = %r, param = %rt, index = %ri, is_param_repeated = 0 : i64 : !r, !rt, !ri
  // TIU: arith.selectEqual sAR opd1_const=1 opd2_const=1 tsk_opd_num=3 res0_n=2 res0_c=70 res0_h=4 res0_w=1{{.*}} opd1_addr=0xff opd2_addr=0xff
  // TIU: arith.xor sAR tsk_opd_num=2 res0_n=2 res0_c=70 res0_h=4 res0_w=1
  // TIU: arith.cast sAR tsk_opd_num=1 res0_prec=int16 opd0_sign=1 res0_n=2 res0_c=70 res0_h=4 res0_w=1{{.*}} opd2_sign=1
  // TIU: arith.not sAR tsk_opd_num=1 res0_prec=int16 opd0_prec=int16 res0_n=2 res0_c=70 res0_h=4 res0_w=1
  // TIU: sgl.pe_s_gather_line sSGL res0_prec=int16 opd0_str=free res0_n=2 res0_c=70 res0_h=4 res0_w=9 opd0_h=6
  // TIU: arith.and sAR opd1_const=1 tsk_opd_num=2 res0_prec=int16 opd0_prec=int16 opd1_prec=int16 res0_n=2 res0_c=70 res0_h=4 res0_w=1{{.*}} opd1_addr=0xbc00
  // TIU: arith.and sAR tsk_opd_num=2 res0_prec=int16 opd0_prec=int16 opd1_prec=int16 res0_str=free opd0_str=free opd1_str=free res0_n=2 res0_c=70 res0_h=4 res0_w=9{{.*}} res0_n_str=256 res0_c_str=128 opd0_n_str=256 opd0_c_str=128 opd1_n_str=64 opd1_c_str=32 res0_h_str=32 res0_w_str=1 opd0_h_str=32 opd0_w_str=1 opd1_h_str=1
  // TIU: arith.or sAR tsk_opd_num=2 res0_prec=int16 opd0_prec=int16 opd1_prec=int16 res0_str=free opd0_str=free opd1_str=free res0_n=2 res0_c=70 res0_h=4 res0_w=9{{.*}} res0_n_str=256 res0_c_str=128 opd0_n_str=256 opd0_c_str=128 opd1_n_str=64 opd1_c_str=32 res0_h_str=32 res0_w_str=1 opd0_h_str=32 opd0_w_str=1 opd1_h_str=1
  ppl.tiu.gather_h dst = %r, param = %rt, index = %ri, C = -1, is_param_repeated = 0, fill_const = 1 : i64 : !r, !rt, !ri
  %rd = ppl.alloc : !rt
  %rp = ppl.alloc : !ppl.tensor<1x70x4x9xf16, local, line_aligned>
  %rj = ppl.alloc : !ppl.tensor<1x70x4x1xui16, local, aligned>
  // TIU: sgl.pe_s_scatter_line sSGL res0_prec=int16 opd1_prec=int16 opd0_str=per_lane res0_n=1 res0_c=70 res0_h=6 res0_w=9 opd0_h=4
  ppl.tiu.scatter_h dst = %rd, param = %rp, index = %rj, is_param_repeated = 1 : i64 : !rt, !ppl.tensor<1x70x4x9xf16, local, line_aligned>, !ppl.tensor<1x70x4x1xui16, local, aligned>

  %c = ppl.alloc : !c
  %s8 = ppl.alloc : !s8
  %n16 = ppl.alloc : !n16
  // TIU: sg.pe_s_nonzero sSG res0_n=2 res0_c=70 res0_h=1 res0_w=9 opd0_h=1 opd0_w=9 res0_prec=int16
  ppl.tiu.nonzero dst_idx = %n16, dst_cnt = %c, src = %s8 : !n16, !c, !s8
  %one = ppl.alloc : !one
  // TIU: tsbc.l_bc sTRANS_BC res0_prec=int16 res0_n=1 res0_c=64 res0_h=1 res0_w=9 opd0_c=1 opd0_w=9
  // TIU: sg.pe_s_mask_select sSG opd0_str=per_lane res0_n=2 res0_c=70 res0_h=1 res0_w=9 opd0_h=1 opd0_w=9 opd1_c=70 opd1_w=9 res0_prec=int16 opd0_prec=int16
  ppl.tiu.mask_select dst = %d, dst_cnt = %c, src = %one, mask = %e : !d16, !c, !one, !e8
}

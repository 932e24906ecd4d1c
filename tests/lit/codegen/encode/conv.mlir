// Convolutions and poolings.
// RUN: weft-opt %s --pass-pipeline='builtin.module(ppl.net(ppl-allocate))' -o %t.mlir
// RUN: weft-as %t.mlir --commands -o %t.txt
// RUN: FileCheck %s --check-prefix=TIU --input-file %t.txt

!x16 = !ppl.tensor<2x70x7x5xf16, local, aligned>
!w16 = !ppl.tensor<1x66x18x32xf16, local, compact>
!y16 = !ppl.tensor<2x66x4x5xf16, local, aligned>
!b32 = !ppl.tensor<1x66x1x1xf32, local, compact>
!x8 = !ppl.tensor<2x70x7x5xsi8, local, aligned>
!w8 = !ppl.tensor<1x66x12x64xsi8, local, compact>
!y8 = !ppl.tensor<2x66x4x5xsi8, local, aligned>
!u8 = !ppl.tensor<2x66x4x5xui8, local, aligned>
!y32 = !ppl.tensor<2x66x4x5xsi32, local, aligned>
!h = !ppl.tensor<1x66x1x1xsi16, local, compact>
!i = !ppl.tensor<1x66x1x1xsi32, local, compact>
!z = !ppl.tensor<1x66x1x1xsi8, local, compact>
!q = !ppl.tensor<1x66x1x2xsi32, local, compact>
!p8 = !ppl.tensor<2x70x4x5xsi8, local, aligned>
!p16 = !ppl.tensor<2x70x4x5xf16, local, aligned>

ppl.net @conv on "bm1684x" weights [4294987776, 0] context [4294967296, 0] inputs [] outputs [] {
  %x16 = ppl.alloc : !x16
  %w16 = ppl.alloc : !w16
  %y16 = ppl.alloc : !y16
  %b32 = ppl.alloc : !b32
  %x8 = ppl.alloc : !x8
  %w8 = ppl.alloc : !w8
  %y8 = ppl.alloc : !y8
  %u8 = ppl.alloc : !u8
  %y32 = ppl.alloc : !y32
  %h = ppl.alloc : !h
  %i = ppl.alloc : !i
  %z = ppl.alloc : !z
  %q = ppl.alloc : !q
  %p8 = ppl.alloc : !p8
  %p16 = ppl.alloc : !p16

  // What the result adds to are sums in fp32 at the place of the result.
  // TIU: conv.normal sCONV res_add=1 res0_prec=fp16 opd0_prec=fp16 opd0_up_pad=1 opd0_dn_pad=1 opd0_rt_pad=1 res_op_x_str=1 res_op_y_str=2 opd3_const=1{{.*}} res0_n=2 res0_c=66 res0_h=4 res0_w=5 opd0_c=70 opd0_h=7 opd0_w=5 opd1_h=3 opd1_w=2
  ppl.tiu.fconv dst = %y16, src = %x16, weight = %w16, bias = %b32, oc = 66, k_shape = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 1>, result_add = 1 : i64 : !y16, !x16, !w16, !b32
  // A bias of 16 bits is part of the command.
  // TIU: conv.wrq sCONV opd0_sign=1 opd1_sign=1 opd2_sign=1 opd0_up_pad=1 opd0_dn_pad=1 opd0_rt_pad=1 res_op_x_str=1 res_op_y_str=2 opd3_const=1{{.*}} res0_n=2 res0_c=66 res0_h=4 res0_w=5 opd0_c=70 opd0_h=7 opd0_w=5 opd1_h=3 opd1_w=2{{.*}} opd3_addr=0x7
  ppl.tiu.conv_sym dst = %y8, src = %x8, weight = %w8, bias = %h, oc = 66, k_shape = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 1>, rshift = 7 : i64 : !y8, !x8, !w8, !h
  // One of 32 bits is added to sums of 32 bits; an unsigned result sees them so.
  // TIU: conv.normal sCONV opd0_sign=1 opd1_sign=1 opd2_sign=1 res0_prec=int32 opd2_const=1 opd0_up_pad=1 opd0_dn_pad=1 opd0_rt_pad=1 res_op_x_str=1 res_op_y_str=2 opd3_const=1{{.*}} res0_n=2 res0_c=66 res0_h=4 res0_w=5 opd0_c=70 opd0_h=7 opd0_w=5 opd1_h=3 opd1_w=2
  // TIU: arith.add sAR tsk_opd_num=2 res0_prec=int32 opd0_prec=int32 opd1_prec=int32 opd0_sign=1 opd1_sign=1 opd1_str=channel res0_n=2 res0_c=66 res0_h=4 res0_w=5
  // TIU: arith.max sAR opd1_const=1 tsk_opd_num=2 res0_prec=int32 opd0_prec=int32 opd1_prec=int32 opd0_sign=1 opd1_sign=1 res0_n=2 res0_c=66 res0_h=4 res0_w=5
  // TIU: arith.adds sAR opd1_const=1 opd2_const=1 tsk_opd_num=3 opd0_prec=int32 opd1_prec=int32 opd2_n_str=half_up res0_n=2 res0_c=66 res0_h=4 res0_w=5{{.*}} opd2_addr=0xf9
  ppl.tiu.conv_sym dst = %u8, src = %x8, weight = %w8, bias = %i, oc = 66, k_shape = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 1>, result_relu = 1, rshift = 7 : i64 : !u8, !x8, !w8, !i
  // TIU: conv.normal sCONV opd0_sign=1 opd1_sign=1 opd2_sign=1 res0_prec=int32 opd0_up_pad=1 opd0_dn_pad=1 opd0_rt_pad=1 res_op_x_str=1 res_op_y_str=2 opd3_const=1{{.*}} res0_n=2 res0_c=66 res0_h=4 res0_w=5 opd0_c=70 opd0_h=7 opd0_w=5 opd1_h=3 opd1_w=2{{.*}} opd3_addr=0xfd
  ppl.tiu.conv_asym dst = %y32, src = %x8, weight = %w8, oc = 66, k_shape = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 1>, pad_val = -3, kzp = %z : !y32, !x8, !w8, !z
  // The words of a channel: bytes 0 to 3 multiply, byte 4 shifts, bytes 6 and 7 are added.
  // TIU: conv.normal sCONV opd0_sign=1 opd1_sign=1 opd2_sign=1 res0_prec=int32 opd2_const=1 opd0_up_pad=1 opd0_dn_pad=1 opd0_rt_pad=1 res_op_x_str=1 res_op_y_str=2 opd3_const=1{{.*}} res0_n=2 res0_c=66 res0_h=4 res0_w=5 opd0_c=70 opd0_h=7 opd0_w=5 opd1_h=3 opd1_w=2
  // TIU: arith.min sAR opd1_const=1 tsk_opd_num=2 opd0_sign=1 opd1_sign=1 res0_str=compact opd0_str=free res0_n=1 res0_c=66 res0_h=1 res0_w=1{{.*}} opd0_n_str=8 opd0_c_str=8 opd0_h_str=8 opd0_w_str=1
  // TIU: arith.max sAR opd1_const=1 tsk_opd_num=2 opd0_sign=1 opd1_sign=1 res0_str=compact opd0_str=compact res0_n=1 res0_c=66 res0_h=1 res0_w=1{{.*}} opd1_addr=0xc1
  // TIU: arith.max sAR opd1_const=1 tsk_opd_num=2 opd0_sign=1 opd1_sign=1 res0_str=compact opd0_str=free res0_n=1 res0_c=66 res0_h=1 res0_w=1{{.*}} opd0_n_str=8 opd0_c_str=8 opd0_h_str=8 opd0_w_str=1
  // TIU: arith.min sAR opd1_const=1 tsk_opd_num=2 opd0_sign=1 opd1_sign=1 res0_str=compact opd0_str=compact res0_n=1 res0_c=66 res0_h=1 res0_w=1{{.*}} opd1_addr=0x1f
  // TIU: arith.sub sAR opd0_const=1 tsk_opd_num=2 res0_prec=int32 opd0_prec=int16 opd1_prec=int16 opd0_sign=1 opd1_sign=1 res0_str=compact opd1_str=free res0_n=1 res0_c=66 res0_h=1 res0_w=1{{.*}} opd1_n_str=4 opd1_c_str=4 opd1_h_str=4 opd1_w_str=1
  // TIU: arith.muls sAR tsk_opd_num=3 res0_prec=int32 opd0_prec=int32 opd1_prec=int32 opd0_sign=1 opd1_sign=1 opd1_str=free res0_n=2 res0_c=66 res0_h=4 res0_w=5{{.*}} opd1_c_str=2
  // TIU: arith.muls sAR opd1_const=1 tsk_opd_num=3 res0_prec=int32 opd0_prec=int32 opd1_prec=int32 opd0_sign=1 opd1_sign=1 res0_n=2 res0_c=66 res0_h=4 res0_w=5{{.*}} opd1_addr=0x1
  // TIU: arith.adds sAR tsk_opd_num=2 opd0_prec=int32 opd1_prec=int16 opd0_sign=1 opd1_sign=1 opd1_str=free res0_n=2 res0_c=66 res0_h=4 res0_w=5{{.*}} opd1_c_str=4
  // TIU: arith.max sAR opd1_const=1 tsk_opd_num=2 opd0_sign=1 opd1_sign=1 res0_n=2 res0_c=66 res0_h=4 res0_w=5{{.*}} opd1_addr=0x81
  ppl.tiu.conv_sym_rq dst = %y8, src = %x8, weight = %w8, oc = 66, k_shape = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 1>, requant = %q, saturate = 1, round = 0 : i64 : !y8, !x8, !w8, !q
  // Padding is the smallest finite number.
  // TIU: pord.maxpooling sPorD opd3_const=1 res0_prec=fp16 opd0_prec=fp16 opd0_up_pad=1 opd0_dn_pad=1 opd0_rt_pad=1 res_op_x_str=1 res_op_y_str=2 res0_n=2 res0_c=70 res0_h=4 res0_w=5 opd0_h=7 opd0_w=5 opd1_h=3 opd1_w=2{{.*}} opd3_addr=0xfbff
  ppl.tiu.fpool_max dst = %p16, src = %x16, kernel = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 1> : !p16, !x16
  // TIU: pord.avgpooling sPorD opd0_sign=1 opd1_const=1 opd3_const=1 opd0_up_pad=1 opd0_dn_pad=1 opd0_rt_pad=1 res_op_x_str=1 res_op_y_str=2 opd2_n_str=half_up res0_n=2 res0_c=70 res0_h=4 res0_w=5 opd0_h=7 opd0_w=5 opd1_h=3 opd1_w=2{{.*}} opd1_addr=0x40
  ppl.tiu.pool_avg dst = %p8, src = %x8, kernel = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 1>, scale = 64, rshift = 8 : i64 : !p8, !x8
}

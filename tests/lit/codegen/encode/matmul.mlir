// Matrix products.
// RUN: weft-opt %s --pass-pipeline='builtin.module(ppl.net(ppl-allocate))' -o %t.mlir
// RUN: weft-as %t.mlir --commands -o %t.txt
// RUN: FileCheck %s --check-prefix=TIU --input-file %t.txt

!d8 = !ppl.tensor<6x3x1x8xsi8, local, aligned>
!l8 = !ppl.tensor<6x2x1x10xsi8, local, aligned>
!r8 = !ppl.tensor<20x3x1x8xsi8, local, aligned>
!d32 = !ppl.tensor<6x3x1x8xsi32, local, aligned>
!l32 = !ppl.tensor<6x2x1x10xsi32, local, aligned>
!r32 = !ppl.tensor<20x3x1x8xsi32, local, aligned>
!f = !ppl.tensor<6x3x1x8xf32, local, aligned>
!g = !ppl.tensor<20x3x1x8xf32, local, aligned>
!m = !ppl.tensor<1x24x1x6xsi32, local, aligned>
!ml = !ppl.tensor<1x20x1x6xui8, local, aligned>
!mr = !ppl.tensor<1x24x1x20xsi8, local, aligned>
!mz = !ppl.tensor<1x24x1x1xsi8, local, compact>
!h = !ppl.tensor<1x6x1x24xf32, local, aligned>
!hl = !ppl.tensor<1x6x1x20xbf16, local, aligned>

ppl.net @products on "bm1684x" weights [4294987776, 0] context [4294967296, 0] inputs [] outputs [] {
  %d8 = ppl.alloc : !d8
  %l8 = ppl.alloc : !l8
  %r8 = ppl.alloc : !r8
  %d32 = ppl.alloc : !d32
  %l32 = ppl.alloc : !l32
  %r32 = ppl.alloc : !r32
  %f = ppl.alloc : !f
  %g = ppl.alloc : !g
  %m = ppl.alloc : !m
  %ml = ppl.alloc : !ml
  %mr = ppl.alloc : !mr
  %mz = ppl.alloc : !mz
  %h = ppl.alloc : !h
  %hl = ppl.alloc : !hl
  // lshift in byte 0, rshift in byte 1; the old sums have 16 bits.
  // TIU: mm.wrq sMM res_add=1 opd2_const=1 opd0_sign=1 opd1_sign=1 res0_c=3 res0_w=8 opd0_n=6 opd0_c=2 opd0_w=10 opd1_w=10
  ppl.tiu.mm dst = %d8, left = %l8, right = %r8, result_add = 1, lshift = 3, rshift = 8 : i64 : !d8, !l8, !r8
  // The shift of 32-bit products: an int8, negative to the right.
  // TIU: mm.normal sMM opd2_const=1 opd0_sign=1 opd1_sign=1 opd2_sign=1 res0_prec=int32 opd0_prec=int32 opd2_n_str=floor res0_c=3 res0_w=8 opd0_n=6 opd0_c=2 opd0_w=10 opd1_w=10{{.*}} opd2_addr=0xf7
  ppl.tiu.mm dst = %d32, left = %l32, right = %r32, rshift = 9, round = 3 : i64 : !d32, !l32, !r32
  // A number on the left fills channels of 16 fp32 columns: 20 are 16 and 4.
  // TIU: mm.normal sMM opd0_const=1 opd2_const=1 res0_prec=fp32 opd0_prec=fp32 res0_c=3 res0_w=8 opd0_n=6 opd0_c=2 opd0_w=16 opd1_w=4 opd0_addr=0x3fc00000
  ppl.tiu.fmm dst = %f, left = 1.5, right = %g : !f, !g
  // TIU: mm2.tt sMM2 opd1_sign=1 res0_prec=int32 res0_c=24 res0_w=6 opd1_c=24 opd1_w=20
  ppl.tiu.mm2_tt rst = %m, left = %ml, right = %mr, r_zp = %mz : !m, !ml, !mr, !mz
  // TIU: mm2.nt sMM2 res0_prec=fp32 res0_c=6 res0_w=24 opd1_c=24 opd1_w=20 opd0_prec=bf16 opd1_const=1{{.*}} opd1_addr=0x3fc0
  ppl.tiu.fmm2_nt dst = %h, left = %hl, right = 1.5 : f64 : !h, !hl
}

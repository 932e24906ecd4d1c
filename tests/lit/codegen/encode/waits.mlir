// A table that every lane reads is read in all of them, also where the result begins in another: a load into the first lanes waits for the select (command 2).
// RUN: weft-as %s --commands -o - | FileCheck %s
// CHECK: gdma id=1 dep=2

!d16 = !ppl.tensor<1x64x1x64xf16, local, aligned>
!e8 = !ppl.tensor<1x64x1x64xui8, local, aligned>
!c = !ppl.tensor<1x64x1x1xui16, local, compact>
!one = !ppl.tensor<1x1x1x64xf16, local, compact>
!g = !ppl.tensor<1x8x1x64xf16, global, continuous>
!l = !ppl.tensor<1x8x1x64xf16, local, aligned>
ppl.net @main on "bm1684x" weights [4294967296, 0] context [4294971392, 8192] inputs [] outputs [] {
  %x = ppl.global at 4294971392 : !g
  %e = ppl.local at 4096 lane 32 : !e8
  %c = ppl.local at 8192 lane 32 : !c
  %dd = ppl.local at 0 lane 32 : !d16
  %one = ppl.local at 12288 lane 32 : !one
  %l = ppl.local at 16384 : !l
  ppl.tiu.mask_select dst = %dd, dst_cnt = %c, src = %one, mask = %e {ppl.scratch = array<i64: 16384>} : !d16, !c, !one, !e8
  ppl.dma.load dst = %l, src = %x : !l, !g
}

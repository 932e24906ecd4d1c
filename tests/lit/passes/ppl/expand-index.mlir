// Gather, scatter and select inside lanes: one command of the gather unit each, but for the row gather with a constant and the row for all channels.
// RUN: weft-opt %s --pass-pipeline='builtin.module(ppl.net(ppl-expand))' | FileCheck %s

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
  // CHECK: ppl.command tiu 6 0 {opd0_h = 1 : i64, opd0_prec = 3 : i64, opd0_w = 5 : i64, opd1_c = 9 : i64, opd1_prec = 0 : i64, opd1_w = 1 : i64, res0_c = 70 : i64, res0_h = 1 : i64, res0_n = 2 : i64, res0_prec = 3 : i64, res0_w = 9 : i64} ["res0_addr", "opd0_addr", "opd1_addr"] [3, 1, 1]
  ppl.tiu.gather_w dst = %d, param = %p, index = %i : !d16, !p16, !i8
  // One table a lane, and 1.5 where the index is 255.
  // CHECK: ppl.command tiu 6 5 {{.*}}opd0_str = 4 : i64{{.*}}opd2_addr = 15872 : i64, opd2_const = 1 : i64, opd3_const = 1 : i64
  ppl.tiu.gather_w dst = %d, param = %t, index = %e, C = 1.5, is_param_repeated = 1, fill_const = 1 : i64 : !d16, !t16, !e8
  // CHECK: ppl.command tiu 6 3 {{.*}}opd0_w = 9 : i64, opd1_c = 9 : i64{{.*}}res0_w = 5 : i64
  ppl.tiu.scatter_w dst = %p, param = %d, index = %i : !p16, !d16, !i8

  %hw = ppl.alloc : !hw
  %small = ppl.alloc : !small
  %pairs = ppl.alloc : !pairs
  // The side that the list counts is one row.
  // CHECK: ppl.command tiu 6 1 {opd0_h = 6 : i64, opd0_prec = 4 : i64, opd0_w = 7 : i64, opd1_c = 8 : i64, opd1_prec = 3 : i64, opd1_w = 1 : i64, res0_c = 3 : i64, res0_h = 1 : i64, res0_n = 1 : i64, res0_prec = 4 : i64, res0_w = 8 : i64}
  ppl.tiu.gather_hw dst = %small, param = %hw, index = %pairs : !small, !hw, !pairs
  // CHECK: ppl.command tiu 6 4 {opd0_h = 1 : i64, opd0_prec = 4 : i64, opd0_w = 8 : i64, opd1_c = 8 : i64{{.*}}res0_h = 6 : i64, {{.*}}res0_w = 7 : i64}
  ppl.tiu.scatter_hw dst = %hw, param = %small, index = %pairs : !hw, !small, !pairs

  %r = ppl.alloc : !r
  %rt = ppl.alloc : !rt
  %ri = ppl.alloc : !ri
  // CHECK: ppl.command tiu 6 17 {opd0_h = 6 : i64, opd0_str = 3 : i64
  ppl.tiu.gather_h dst = %r, param = %rt, index = %ri, is_param_repeated = 0 : i64 : !r, !rt, !ri
  // CHECK: %[[ONES:.*]] = arith.constant 255 : i32
  // CHECK: ppl.bdc.compare eq %[[NONE:[0-9]+]], %{{.*}}, %[[ONES]], %[[ONES]]
  // CHECK: ppl.bdc.int xor %[[REAL:[0-9]+]], %{{.*}}, %[[NONE]]
  // CHECK: ppl.bdc.cast
  // CHECK: ppl.bdc.unary not
  // CHECK: ppl.command tiu 6 17 {{.*}}(%[[ROWS:[0-9]+]], %{{.*}}, %[[REAL]])
  // CHECK: arith.constant 48128 : i32
  // CHECK: ppl.bdc.int and
  // CHECK: ppl.bdc.int and %[[ROWS]], %[[ROWS]]
  // CHECK: ppl.bdc.int or %[[ROWS]], %[[ROWS]]
  ppl.tiu.gather_h dst = %r, param = %rt, index = %ri, C = -1, is_param_repeated = 0, fill_const = 1 : i64 : !r, !rt, !ri
  // CHECK: ppl.command tiu 6 18 {opd0_h = 4 : i64, opd0_str = 4 : i64
  %rd = ppl.alloc : !rt
  %rp = ppl.alloc : !ppl.tensor<1x70x4x9xf16, local, line_aligned>
  %rj = ppl.alloc : !ppl.tensor<1x70x4x1xui16, local, aligned>
  ppl.tiu.scatter_h dst = %rd, param = %rp, index = %rj, is_param_repeated = 1 : i64
    : !rt, !ppl.tensor<1x70x4x9xf16, local, line_aligned>, !ppl.tensor<1x70x4x1xui16, local, aligned>

  %c = ppl.alloc : !c
  %s8 = ppl.alloc : !s8
  %n16 = ppl.alloc : !n16
  // CHECK: ppl.command tiu 6 9 {opd0_h = 1 : i64, opd0_prec = 0 : i64{{.*}} ["res0_addr", "res1_addr", "opd0_addr"] [3, 2, 1]
  ppl.tiu.nonzero dst_idx = %n16, dst_cnt = %c, src = %s8 : !n16, !c, !s8
  %one = ppl.alloc : !one
  // CHECK: ppl.bdc.lane_broadcast %[[TABLE:[0-9]+]],
  // CHECK: ppl.command tiu 6 8 {{.*}}opd0_str = 4 : i64{{.*}}(%{{.*}}, %{{.*}}, %[[TABLE]], %{{.*}})
  ppl.tiu.mask_select dst = %d, dst_cnt = %c, src = %one, mask = %e : !d16, !c, !one, !e8
}

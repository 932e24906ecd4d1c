// Convolutions and poolings.
// RUN: weft-opt %s --pass-pipeline='builtin.module(ppl.net(ppl-expand))' | FileCheck %s

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
  // CHECK: %[[SUMS:.*]] = ppl.view %[[Y:[0-9]+]] [0, 0, 0, 0] : {{.*}} -> <2x66x4x5xf32, local, aligned>
  // CHECK: ppl.command tiu 0 0 {{.*}}opd1_h = 3 : i64, opd1_w = 2 : i64{{.*}}opd3_const = 1 : i64{{.*}}res_add = 1 : i64, res_op_x_str = 1 : i64, res_op_y_str = 2 : i64} ["res0_addr", "res0_addr", "opd0_addr", "opd1_addr", "opd2_addr"] [2, 1, 1, 1, 1](%[[Y]], %[[SUMS]],
  ppl.tiu.fconv dst = %y16, src = %x16, weight = %w16, bias = %b32, oc = 66, k_shape = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 1>, result_add = 1 : i64 : !y16, !x16, !w16, !b32
  // A bias of 16 bits is part of the command.
  // CHECK: ppl.command tiu 0 1 {{.*}}opd2_sign = 1 : i64, opd3_addr = 7 : i64
  ppl.tiu.conv_sym dst = %y8, src = %x8, weight = %w8, bias = %h, oc = 66, k_shape = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 1>, rshift = 7 : i64 : !y8, !x8, !w8, !h
  // One of 32 bits is added to sums of 32 bits; an unsigned result sees them so.
  // CHECK: %[[S:.*]] = ppl.alloc : <2x66x4x5xsi32, local, aligned>
  // CHECK: ppl.command tiu 0 0 {{.*}}](%[[S]],
  // CHECK: ppl.bdc.int add %[[S]], %[[S]],
  // CHECK: ppl.bdc.int max %[[S]], %[[S]],
  // CHECK: %[[U:.*]] = ppl.view %[[S]] [0, 0, 0, 0] : {{.*}} -> <2x66x4x5xui32, local, aligned>
  // CHECK: ppl.bdc.int add %{{.*}}, %[[U]], %{{.*}} shift(%{{.*}}) saturate
  ppl.tiu.conv_sym dst = %u8, src = %x8, weight = %w8, bias = %i, oc = 66, k_shape = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 1>, result_relu = 1, rshift = 7 : i64 : !u8, !x8, !w8, !i
  // CHECK: ppl.command tiu 0 0 {{.*}}opd2_sign = 1 : i64{{.*}}opd3_addr = 253 : i64, opd3_const = 1 : i64{{.*}}res1_addr = 0 : i64{{.*}}"opd2_addr"] [2, 1, 1, 1]
  ppl.tiu.conv_asym dst = %y32, src = %x8, weight = %w8, oc = 66, k_shape = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 1>, pad_val = -3, kzp = %z : !y32, !x8, !w8, !z
  // The words of a channel: bytes 0 to 3 multiply, byte 4 shifts, bytes 6 and 7 are added.
  // CHECK: ppl.command tiu 0 0
  // CHECK: ppl.view %[[Q:[0-9]+]] [0, 0, 0, 0] : {{.*}} -> <1x66x1x1xsi32, local, [2, 2, 2, 1]>
  // CHECK: ppl.view %[[Q]] [0, 0, 0, 0] bytes 4 : {{.*}} -> <1x66x1x1xsi8, local, [8, 8, 8, 1]>
  // CHECK: ppl.view %[[Q]] [0, 0, 0, 0] bytes 6 : {{.*}} -> <1x66x1x1xsi16, local, [4, 4, 4, 1]>
  // CHECK: ppl.bdc.int mul {{.*}} rounding half_to_even saturate
  // CHECK: ppl.bdc.int mul {{.*}} saturate
  // CHECK: ppl.bdc.int add {{.*}} saturate
  // CHECK: ppl.bdc.int max
  ppl.tiu.conv_sym_rq dst = %y8, src = %x8, weight = %w8, oc = 66, k_shape = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 1>, requant = %q, saturate = 1, round = 0 : i64 : !y8, !x8, !w8, !q
  // Padding is the smallest finite number.
  // CHECK: ppl.command tiu 1 4 {{.*}}opd3_addr = 64511 : i64
  ppl.tiu.fpool_max dst = %p16, src = %x16, kernel = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 1> : !p16, !x16
  // CHECK: ppl.command tiu 1 1 {{.*}}opd1_addr = 64 : i64, opd1_const = 1 : i64{{.*}}opd2_addr = 8 : i64, opd2_n_str = 5 : i64
  ppl.tiu.pool_avg dst = %p8, src = %x8, kernel = array<i64: 3, 2>, stride = array<i64: 2, 1>, pad = array<i64: 1, 1, 0, 1>, scale = 64, rshift = 8 : i64 : !p8, !x8
}

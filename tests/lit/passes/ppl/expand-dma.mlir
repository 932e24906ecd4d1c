// Copies, transposes, gathers, selections, sorting.
// RUN: weft-opt %s --pass-pipeline='builtin.module(ppl.net(ppl-expand))' | FileCheck %s

!g = !ppl.tensor<2x8x5x7xf32, global, continuous>
!l = !ppl.tensor<2x8x5x7xf32, local, aligned>
!nc = !ppl.tensor<8x2x5x7xf32, local, aligned>
!cw = !ppl.tensor<2x7x5x8xf32, local, aligned>
!wide = !ppl.tensor<2x8x5x7xf32, global, [1000, 100, 20, 2]>
!one = !ppl.tensor<2x1x5x7xf32, global, continuous>
!long = !ppl.tensor<1x1x1x70000xui8, global, continuous>
!rows = !ppl.tensor<1x8x9x7xf32, global, continuous>
!some = !ppl.tensor<1x8x4x7xf32, local, aligned>
!list = !ppl.tensor<1x8x4x1xui32, local, aligned>
!pixels = !ppl.tensor<1x8x5x7xf32, local, aligned>
!few = !ppl.tensor<1x4x5x7xf32, global, continuous>
!which = !ppl.tensor<1x4x1x1xui32, global, continuous>
!mask = !ppl.tensor<2x8x5x7xui8, local, aligned>
!flat = !ppl.tensor<1x1x1x560xf32, global, continuous>
!places = !ppl.tensor<1x1x1x560xsi16, global, continuous>
!count = !ppl.tensor<1x1x1x1xui32, global, continuous>
!row = !ppl.tensor<1x1x1x100xf32, global, continuous>
!best = !ppl.tensor<1x1x1x9xf32, global, continuous>
!lines = !ppl.tensor<1x1x9x16xf32, global, continuous>
!index = !ppl.tensor<1x1x1x9xui32, global, continuous>

ppl.net @dma on "bm1684x" weights [4311744512, 0] context [4294967296, 0] inputs [] outputs [] {
  %g = ppl.global at 4294967296 : !g
  %wide = ppl.global at 4295032832 : !wide
  %one = ppl.global at 4295098368 : !one
  %long = ppl.global at 4295163904 : !long
  %rows = ppl.global at 4295294976 : !rows
  %few = ppl.global at 4295360512 : !few
  %which = ppl.global at 4295426048 : !which
  %flat = ppl.global at 4295491584 : !flat
  %places = ppl.global at 4295557120 : !places
  %count = ppl.global at 4295622656 : !count
  %unread = ppl.global at 4295688192 {scratch} : !count
  %row = ppl.global at 4295753728 : !row
  %best = ppl.global at 4295819264 : !best
  %lines = ppl.global at 4295884800 : !lines
  %index = ppl.global at 4295950336 : !index
  %picked = ppl.global at 4296015872 : !lines
  %l = ppl.alloc : !l
  %nc = ppl.alloc : !nc
  %cw = ppl.alloc : !cw
  %some = ppl.alloc : !some
  %list = ppl.alloc : !list
  %pixels = ppl.alloc : !pixels
  %mask = ppl.alloc : !mask

  // CHECK: ppl.gdma.load %[[L:[0-9]+]], %[[G:[0-9]+]] :
  ppl.dma.load dst = %l, src = %g : !l, !g
  // Sizes that no command takes are cut.
  // CHECK: ppl.view {{.*}} [0, 0, 0, 0] : {{.*}} -> <1x1x1x65535xui8, global, [70000, 70000, 70000, 1]>
  // CHECK-NEXT: ppl.gdma.fill
  // CHECK-NEXT: ppl.view {{.*}} [0, 0, 0, 65535] : {{.*}} -> <1x1x1x4465xui8, global, [70000, 70000, 70000, 1]>
  // CHECK-NEXT: ppl.gdma.fill
  ppl.dma.fill dst = %long, C = 7 : i64 : !long
  // The number is rounded to the element type.
  // CHECK: arith.constant 0.333251953 : f32
  // CHECK-NEXT: ppl.gdma.fill
  %half = ppl.global at 4296081408 : !ppl.tensor<1x1x1x8xf16, global, continuous>
  ppl.dma.fill dst = %half, C = 0.33333333333333331 : f64 : !ppl.tensor<1x1x1x8xf16, global, continuous>

  // CHECK: ppl.command gdma 0 1 {{.*}}dst_nstride = 48 : i64{{.*}}src_cstride = 35 : i64
  ppl.dma.load_transpose dst = %nc, src = %g, trans_mode = 0 : i64 : !nc, !g
  // The command for n and c has no w strides: a copy from exchanged strides.
  // CHECK: %[[TURNED:.*]] = ppl.view {{.*}} -> <8x2x5x7xf32, global, [100, 1000, 20, 2]>
  // CHECK-NEXT: ppl.gdma.load {{.*}}, %[[TURNED]]
  ppl.dma.load_transpose_nc dst = %nc, src = %wide : !nc, !wide
  // CHECK: ppl.command gdma 4 0 {{.*}}src_csize = 8 : i64{{.*}}src_wsize = 7 : i64{{.*}}["src_start_addr", "dst_start_addr"] [1, 2]
  ppl.dma.transpose dst = %cw, src = %l, trans_mode = 1 : i64 : !cw, !l
  // Only three of the eight channels.
  // CHECK: ppl.command gdma 0 3 {dst_csize = 3 : i64
  ppl.dma.load_broadcast dst = %l, src = %one, num = 3 : i64 : !l, !one

  // CHECK: ppl.gdma.gather_h
  ppl.dma.gather_h dst = %some, param = %rows, index = %list, C = 1 : i64 : !some, !rows, !list
  // Local channels become rows of one lane.
  // CHECK: %[[COPY:.*]] = ppl.alloc : <1x1x8x35xf32, local, aligned>
  // CHECK: ppl.gdma.move %[[COPY]], %{{.*}} : <1x1x8x35xf32, local, aligned>, <1x8x5x7xf32, local, aligned>
  // CHECK: %[[TO:.*]] = ppl.view {{.*}} -> <1x1x4x35xf32, global, [140, 140, 35, 1]>
  // CHECK: ppl.gdma.gather_h %[[TO]], %[[COPY]]
  ppl.dma.gather_c dst = %few, param = %pixels, index = %which, C = 0 : i64 : !few, !pixels, !which

  // Nobody reads the count of the first; that of the second is scattered.
  // CHECK: ppl.command gdma 2 0 {{.*}}mask_data_format = 0 : i64{{.*}}["src_start_addr", "mask_start_addr", "dst_start_addr"] [1, 1, 3]
  // CHECK-NOT: ppl.gdma.scatter_h
  ppl.dma.mask_select dst = %flat, src = %l, mask = %mask, count = %unread : !flat, !l, !mask, !count
  // CHECK: ppl.command gdma 5 0 {dst_nstride_base_i = 4294967293 : i64, index_data_format = 3 : i64
  // CHECK: ppl.command gdma 2 0
  // CHECK: ppl.command gdma 5 0 {dst_nstride_base_i = 1 : i64, index_data_format = 4 : i64
  // CHECK: ppl.gdma.scatter_h
  ppl.dma.nonzero dst = %places, src = %mask, base_idx = -3 : i64, count = %count : !places, !mask, !count

  // Every pair is compared, the ranks are the places.
  // CHECK: ppl.gdma.scatter_h {{.*}} : <1x1x9x1xf32, global, {{.*}}>, <1x1x100x1xf32, global, {{.*}}>, <1x1x100x1xui32, l2, {{.*}}>
  ppl.hau.topk dst = %best, src = %row, K = 9 : i64, descended = 1 : i64 : !best, !row
  // CHECK: ppl.gdma.gather_h
  // CHECK-NOT: ppl.gdma.scatter_h
  ppl.hau.gather_line dst = %picked, param = %lines, index = %index, C = 1 : i64, start = 0 : i64, end = 8 : i64, fill_const = 1 : i64 : !lines, !lines, !index
  // Lines outside of the window stay.
  // CHECK: ppl.command gdma 2 0
  // CHECK: ppl.gdma.scatter_h
  ppl.hau.gather_line dst = %picked, param = %lines, index = %index, C = 1 : i64, start = 2 : i64, end = 5 : i64 : !lines, !lines, !index
}

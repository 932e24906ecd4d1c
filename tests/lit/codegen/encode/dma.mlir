// Copies, transposes, gathers, selections, sorting.
// RUN: weft-opt %s --pass-pipeline='builtin.module(ppl.net(ppl-allocate))' -o %t.mlir
// RUN: weft-as %t.mlir --commands -o %t.txt
// RUN: FileCheck %s --check-prefix=TIU --input-file %t.txt
// RUN: FileCheck %s --check-prefix=GDMA --input-file %t.txt

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

  // GDMA: dma.matrix DMA_matrix stride_enable=1 src_data_format=fp32 src_hstride=280 dst_nstride=48 dst_cstride=48 src_hsize=2 src_wsize=280 dst_nsize=2 dst_csize=8 dst_wsize=35
  ppl.dma.load dst = %l, src = %g : !l, !g
  // Sizes that no command takes are cut.
  // GDMA: dma.tensor DMA_tensor stride_enable=1 fill_constant_en=1 constant_value=0x7 dst_nstride=70000 dst_cstride=70000 dst_hstride=70000 dst_wstride=1 dst_nsize=1 dst_csize=1 dst_hsize=1 dst_wsize=65535
  // GDMA: dma.tensor DMA_tensor stride_enable=1 fill_constant_en=1 constant_value=0x7 dst_nstride=70000 dst_cstride=70000 dst_hstride=70000 dst_wstride=1 dst_nsize=1 dst_csize=1 dst_hsize=1 dst_wsize=4465
  ppl.dma.fill dst = %long, C = 7 : i64 : !long
  // The number is rounded to the element type.
  %half = ppl.global at 4296081408 : !ppl.tensor<1x1x1x8xf16, global, continuous>
  // GDMA: dma.tensor DMA_tensor stride_enable=1 fill_constant_en=1 src_data_format=fp16 constant_value=0x3555 dst_nstride=8 dst_cstride=8 dst_hstride=8 dst_wstride=1 dst_nsize=1 dst_csize=1 dst_hsize=1 dst_wsize=8
  ppl.dma.fill dst = %half, C = 0.33333333333333331 : f64 : !ppl.tensor<1x1x1x8xf16, global, continuous>

  // The engine takes the destination's sizes from the source.
  // GDMA: dma.tensor.transpose DMA_tensor stride_enable=1 nchw_copy=1 src_data_format=fp32 src_nstride=280 src_cstride=35 src_hstride=7 src_wstride=1 dst_nstride=48 dst_cstride=48 dst_hstride=7 dst_wstride=1 src_nsize=2 src_csize=8 src_hsize=5 src_wsize=7 src_start
  ppl.dma.load_transpose dst = %nc, src = %g, trans_mode = 0 : i64 : !nc, !g
  // The command for n and c has no w strides: a copy from exchanged strides.
  // GDMA: dma.tensor DMA_tensor stride_enable=1{{.*}} src_data_format=fp32 src_nstride=100 src_cstride=1000 src_hstride=20 src_wstride=2 dst_nstride=48 dst_cstride=48 dst_hstride=7 dst_wstride=1 src_nsize=8 src_csize=2 src_hsize=5 src_wsize=7
  ppl.dma.load_transpose_nc dst = %nc, src = %wide : !nc, !wide
  // GDMA: dma.cw_transpose DMA_cw_transpose stride_enable=1 nchw_copy=1 src_data_format=fp32 src_nstride=48 src_cstride=48 src_hstride=7 src_wstride=1 dst_nstride=48 dst_cstride=48 dst_hstride=8 dst_wstride=1 src_nsize=2 src_csize=8 src_hsize=5 src_wsize=7 src_start
  ppl.dma.transpose dst = %cw, src = %l, trans_mode = 1 : i64 : !cw, !l
  // Only three of the eight channels.
  // GDMA: dma.tensor.broadcast DMA_tensor src_data_format=fp32 src_nsize=2 src_csize=1 src_hsize=5 src_wsize=7 dst_nsize=2 dst_csize=3 dst_hsize=5 dst_wsize=7
  ppl.dma.load_broadcast dst = %l, src = %one, num = 3 : i64 : !l, !one

  // GDMA: gdma.gather DMA_gather stride_enable=1 src_data_format=fp32 constant_value=0x3f800000 src_cstride=63 src_hstride=7 dst_cstride=32 dst_hstride=7 index_cstride=16 index_hstride=1 src_csize=8 src_hsize=9 src_wsize=7 dst_csize=8 dst_hsize=4 dst_wsize=7 index_csize=8 index_hsize=4
  ppl.dma.gather_h dst = %some, param = %rows, index = %list, C = 1 : i64 : !some, !rows, !list
  // Local channels become rows of one lane.
  // GDMA: dma.tensor DMA_tensor stride_enable=1 src_data_format=fp32 src_nstride=48 src_cstride=48 src_hstride=7 src_wstride=1 dst_nstride=288 dst_cstride=288 dst_hstride=35 dst_wstride=1 src_nsize=1 src_csize=8 src_hsize=5 src_wsize=7 dst_nsize=1 dst_csize=1 dst_hsize=8 dst_wsize=35
  // GDMA: gdma.gather DMA_gather stride_enable=1 src_data_format=fp32 src_cstride=288 src_hstride=35 dst_cstride=140 dst_hstride=35 index_cstride=4 index_hstride=1 src_csize=1 src_hsize=8 src_wsize=35 dst_csize=1 dst_hsize=4 dst_wsize=35 index_csize=1 index_hsize=4
  ppl.dma.gather_c dst = %few, param = %pixels, index = %which, C = 0 : i64 : !few, !pixels, !which

  // Nobody reads the count of the first; that of the second is scattered.
  // GDMA: dma.masked_select DMA_masked_select src_data_format=fp32 src_nsize=2 src_csize=8 src_hsize=5 src_wsize=7
  ppl.dma.mask_select dst = %flat, src = %l, mask = %mask, count = %unread : !flat, !l, !mask, !count
  // GDMA: dma.nonzero DMA_nonzero index_data_format=int16 dst_nstride_base_i=4294967293 src_nsize=2 src_csize=8 src_hsize=5 src_wsize=7
  // GDMA: dma.tensor DMA_tensor stride_enable=1 fill_constant_en=1 src_data_format=int32 dst_nstride=280 dst_cstride=35 dst_hstride=7 dst_wstride=1 dst_nsize=2 dst_csize=8 dst_hsize=5 dst_wsize=7
  // GDMA: dma.tensor DMA_tensor stride_enable=1 fill_constant_en=1 src_data_format=int32 constant_value=0xffffffff dst_nstride=560 dst_cstride=560 dst_hstride=1 dst_wstride=1 dst_nsize=1 dst_csize=1 dst_hsize=560 dst_wsize=1
  // GDMA: dma.tensor DMA_tensor stride_enable=1 fill_constant_en=1 constant_value=0x1 dst_nstride=560 dst_cstride=560 dst_hstride=1 dst_wstride=1 dst_nsize=1 dst_csize=1 dst_hsize=560 dst_wsize=1
  // GDMA: dma.tensor DMA_tensor stride_enable=1 fill_constant_en=1 src_data_format=int32 dst_nstride=1 dst_cstride=1 dst_hstride=1 dst_wstride=1 dst_nsize=1 dst_csize=1 dst_hsize=1 dst_wsize=1
  // GDMA: dma.masked_select DMA_masked_select src_data_format=int32 src_nsize=2 src_csize=8 src_hsize=5 src_wsize=7
  // GDMA: dma.nonzero DMA_nonzero index_data_format=int32 dst_nstride_base_i=1 src_nsize=1 src_csize=1 src_hsize=560 src_wsize=1
  // GDMA: gdma.scatter DMA_scatter stride_enable=1 src_data_format=int32 src_cstride=560 src_hstride=1 dst_cstride=1 dst_hstride=1 index_cstride=560 index_hstride=1 src_csize=1 src_hsize=560 src_wsize=1 dst_csize=1 dst_hsize=1 dst_wsize=1 index_csize=1 index_hsize=560
  ppl.dma.nonzero dst = %places, src = %mask, base_idx = -3 : i64, count = %count : !places, !mask, !count

  // Every pair is compared, the ranks are the places.
  // TIU: arith.and sAR opd1_const=1 tsk_opd_num=2 res0_prec=int32 opd0_prec=int32 opd1_prec=int32 opd0_sign=1 opd1_sign=1 res0_n=1 res0_c=64 res0_h=2 res0_w=1{{.*}} opd1_addr=0x7fffffff
  // TIU: cmp.sel_gt sCMP opd1_const=1 opd3_const=1 opd0_prec=int32 opd2_prec=int32 opd0_sign=1 res0_n=1 res0_c=64 res0_h=2 res0_w=1{{.*}} opd1_addr=0x7fffff
  // TIU: arith.sub sAR opd0_const=1 tsk_opd_num=2 res0_prec=int32 opd0_prec=int32 opd1_prec=int32 opd0_sign=1 opd1_sign=1 res0_n=1 res0_c=64 res0_h=2 res0_w=1
  // TIU: cmp.sel_lt sCMP opd1_const=1 opd0_prec=int32 opd2_prec=int32 opd0_sign=1 res0_n=1 res0_c=64 res0_h=2 res0_w=1
  // TIU: arith.and sAR opd1_const=1 tsk_opd_num=2 res0_prec=int32 opd0_prec=int32 opd1_prec=int32 opd0_sign=1 opd1_sign=1 res0_n=1 res0_c=64 res0_h=1 res0_w=100{{.*}} opd1_addr=0x7fffffff
  // TIU: cmp.sel_gt sCMP opd1_const=1 opd3_const=1 opd0_prec=int32 opd2_prec=int32 opd0_sign=1 res0_n=1 res0_c=64 res0_h=1 res0_w=100{{.*}} opd1_addr=0x7fffff
  // TIU: arith.sub sAR opd0_const=1 tsk_opd_num=2 res0_prec=int32 opd0_prec=int32 opd1_prec=int32 opd0_sign=1 opd1_sign=1 res0_n=1 res0_c=64 res0_h=1 res0_w=100
  // TIU: cmp.sel_lt sCMP opd1_const=1 opd0_prec=int32 opd2_prec=int32 opd0_sign=1 res0_n=1 res0_c=64 res0_h=1 res0_w=100
  // TIU: arith.selectGreat sAR opd2_const=1 tsk_opd_num=3 res0_prec=int16 opd0_prec=int32 opd1_prec=int32 opd2_prec=int16 opd0_sign=1 opd1_sign=1 opd0_str=free opd1_str=free res0_n=1 res0_c=64 res0_h=2 res0_w=100{{.*}} opd2_addr=0x1 opd0_c_str=112 opd1_c_str=16 opd0_w_str=1 opd1_h_str=1
  // TIU: arith.selectEqual sAR opd2_const=1 tsk_opd_num=3 res0_prec=int16 opd0_prec=int32 opd1_prec=int32 opd2_prec=int16 opd0_sign=1 opd1_sign=1 opd0_str=free opd1_str=free res0_n=1 res0_c=64 res0_h=2 res0_w=100{{.*}} opd2_addr=0x1 opd0_c_str=112 opd1_c_str=16 opd0_w_str=1 opd1_h_str=1
  // TIU: arith.selectGreat sAR opd2_const=1 tsk_opd_num=3 res0_prec=int16 opd0_prec=int32 opd1_prec=int32 opd2_prec=int16 opd0_sign=1 opd1_sign=1 opd0_str=free opd1_str=free res0_n=1 res0_c=64 res0_h=2 res0_w=100{{.*}} opd2_addr=0x1 opd0_c_str=16 opd1_c_str=112 opd0_h_str=1 opd1_w_str=1
  // TIU: arith.and sAR tsk_opd_num=2 res0_prec=int16 opd0_prec=int16 opd1_prec=int16 res0_n=1 res0_c=64 res0_h=2 res0_w=100
  // TIU: arith.or sAR tsk_opd_num=2 res0_prec=int16 opd0_prec=int16 opd1_prec=int16 res0_n=1 res0_c=64 res0_h=2 res0_w=100
  // TIU: arith.add sAR tsk_opd_num=2 res0_prec=int16 opd0_prec=int16 opd1_prec=int16 res0_str=free opd0_str=free opd1_str=free res0_n=1 res0_c=64 res0_h=2 res0_w=50{{.*}} res0_n_str=224 res0_c_str=224 opd0_n_str=224 opd0_c_str=224 opd1_n_str=224 opd1_c_str=224 res0_h_str=100 res0_w_str=1 opd0_h_str=100 opd0_w_str=1 opd1_h_str=100 opd1_w_str=1
  ppl.hau.topk dst = %best, src = %row, K = 9 : i64, descended = 1 : i64 : !best, !row
  // GDMA: gdma.gather DMA_gather stride_enable=1 src_data_format=fp32 constant_value=0x3f800000 src_cstride=144 src_hstride=16 dst_cstride=144 dst_hstride=16 index_cstride=9 index_hstride=1 src_csize=1 src_hsize=9 src_wsize=16 dst_csize=1 dst_hsize=9 dst_wsize=16 index_csize=1 index_hsize=9
  ppl.hau.gather_line dst = %picked, param = %lines, index = %index, C = 1 : i64, start = 0 : i64, end = 8 : i64, fill_const = 1 : i64 : !lines, !lines, !index
  // Lines outside of the window stay.
  // TIU: arith.sub sAR opd1_const=1 tsk_opd_num=2 res0_prec=int32 opd0_prec=int32 opd1_prec=int32 opd0_sign=1 opd1_sign=1 res0_n=1 res0_c=1 res0_h=1 res0_w=9{{.*}} opd1_addr=0x2
  // GDMA: dma.matrix DMA_matrix stride_enable=1 src_data_format=int32 src_hstride=9 dst_cstride=16 src_hsize=1 src_wsize=9 dst_nsize=1 dst_csize=1 dst_wsize=9
  // GDMA: dma.matrix DMA_matrix stride_enable=1 src_data_format=int32 src_cstride=16 dst_hstride=9 src_nsize=1 src_csize=1 src_wsize=9 dst_hsize=1 dst_wsize=9
  // GDMA: dma.tensor DMA_tensor stride_enable=1 fill_constant_en=1 constant_value=0x1 dst_nstride=4 dst_cstride=4 dst_hstride=1 dst_wstride=1 dst_nsize=1 dst_csize=1 dst_hsize=4 dst_wsize=1
  // GDMA: gdma.gather DMA_gather stride_enable=1 src_cstride=4 src_hstride=1 dst_cstride=9 dst_hstride=1 index_cstride=9 index_hstride=1 src_csize=1 src_hsize=4 src_wsize=1 dst_csize=1 dst_hsize=9 dst_wsize=1 index_csize=1 index_hsize=9
  // GDMA: dma.tensor DMA_tensor stride_enable=1 fill_constant_en=1 src_data_format=int32 constant_value=0xffffffff dst_nstride=9 dst_cstride=9 dst_hstride=9 dst_wstride=1 dst_nsize=1 dst_csize=1 dst_hsize=1 dst_wsize=9
  // GDMA: dma.tensor DMA_tensor stride_enable=1 fill_constant_en=1 src_data_format=int32 constant_value=0xffffffff dst_nstride=9 dst_cstride=9 dst_hstride=9 dst_wstride=1 dst_nsize=1 dst_csize=1 dst_hsize=1 dst_wsize=9
  // GDMA: dma.masked_select DMA_masked_select src_data_format=int32 src_nsize=1 src_csize=1 src_hsize=1 src_wsize=9
  // GDMA: dma.nonzero DMA_nonzero index_data_format=int32 src_nsize=1 src_csize=1 src_hsize=1 src_wsize=9
  // GDMA: gdma.gather DMA_gather stride_enable=1 src_data_format=fp32 src_cstride=64 src_hstride=16 dst_cstride=144 dst_hstride=16 index_cstride=9 index_hstride=1 src_csize=1 src_hsize=4 src_wsize=16 dst_csize=1 dst_hsize=9 dst_wsize=16 index_csize=1 index_hsize=9
  // GDMA: gdma.scatter DMA_scatter stride_enable=1 src_data_format=fp32 src_cstride=144 src_hstride=16 dst_cstride=144 dst_hstride=16 index_cstride=9 index_hstride=1 src_csize=1 src_hsize=9 src_wsize=16 dst_csize=1 dst_hsize=9 dst_wsize=16 index_csize=1 index_hsize=9
  ppl.hau.gather_line dst = %picked, param = %lines, index = %index, C = 1 : i64, start = 2 : i64, end = 5 : i64 : !lines, !lines, !index
}

// ten terms of the exponential series from static memory; transposes of the TIU and of the DMA
!x = !ppl.tensor<1x6x5x7xf32, local, aligned>
!gx = !ppl.tensor<1x6x5x7xf32, global, continuous>
!k = !ppl.tensor<1x64x1x10xf32, local, aligned>
!l = !ppl.tensor<1x7x5x6xf32, local, line_aligned>
!r = !ppl.tensor<1x7x5x6xf32, local, aligned>
!gr = !ppl.tensor<1x7x5x6xf32, global, continuous>
!gn = !ppl.tensor<6x1x5x7xf32, global, continuous>
ppl.net @taylor_transpose on "bm1684x" weights [4294987776, 0] context [4294967296, 20480]
    inputs [#ppl.io<name = "x", onnx = tensor<1x6x5x7xf32>, stored = tensor<1x6x5x7xf32>, address = 4294967296>]
    outputs [#ppl.io<name = "y", onnx = tensor<1x6x5x7xf32>, stored = tensor<1x6x5x7xf32>, address = 4294971392>,
             #ppl.io<name = "t", onnx = tensor<1x7x5x6xf32>, stored = tensor<1x7x5x6xf32>, address = 4294975488>,
             #ppl.io<name = "d", onnx = tensor<1x7x5x6xf32>, stored = tensor<1x7x5x6xf32>, address = 4294979584>,
             #ppl.io<name = "n", onnx = tensor<6x1x5x7xf32>, stored = tensor<6x1x5x7xf32>, address = 4294983680>] {
  %gx = ppl.global at 4294967296 : !gx
  %gy = ppl.global at 4294971392 : !gx
  %gt = ppl.global at 4294975488 : !gr
  %gd = ppl.global at 4294979584 : !gr
  %gn = ppl.global at 4294983680 : !gn
  %x = ppl.local at 0 : !x
  %k = ppl.local at 16384 : !k
  %y = ppl.local at 32768 : !x
  %t = ppl.local at 49152 : !l
  %d = ppl.local at 65536 : !r
  ppl.dma.load dst = %x, src = %gx : !x, !gx
  ppl.tiu.smem_bcast dst = %k, coeff_mode = 0 : i64 : !k
  ppl.tiu.taylor dst = %y, src = %x, coeff = %k, len = 10 : i64 : !x, !x, !k
  ppl.tiu.transpose_cw dst = %t, src = %x : !l, !x
  ppl.dma.load_transpose_cw dst = %d, src = %gx : !r, !gx
  ppl.dma.store dst = %gy, src = %y : !gx, !x
  ppl.dma.store dst = %gt, src = %t : !gr, !l
  ppl.dma.store dst = %gd, src = %d : !gr, !r
  ppl.dma.store_transpose_nc dst = %gn, src = %x : !gn, !x
}

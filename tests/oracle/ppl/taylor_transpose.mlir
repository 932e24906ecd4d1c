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
  %series = ppl.static at 1024 : !ppl.tensor<1x1x1x10xf32, static, continuous>
  %x = ppl.local at 0 : !x
  %k = ppl.local at 16384 : !k
  %y = ppl.local at 32768 : !x
  %t = ppl.local at 49152 : !l
  %d = ppl.local at 65536 : !r
  ppl.gdma.load %x, %gx : !x, !gx
  ppl.bdc.lane_broadcast %k, %series : !k, !ppl.tensor<1x1x1x10xf32, static, continuous>
  ppl.bdc.taylor %y, %x, %k count 10 : !x, !x, !k
  ppl.bdc.transpose cw %t, %x : !l, !x
  ppl.gdma.load %d, %gx transpose cw : !r, !gx
  ppl.gdma.store %gy, %y : !gx, !x
  ppl.gdma.store %gt, %t : !gr, !l
  ppl.gdma.store %gd, %d : !gr, !r
  ppl.gdma.store %gn, %x transpose nc : !gn, !x
}

// 256-entry table in every lane, dequantization, select
!u = !ppl.tensor<1x5x4x9xui8, local, aligned>
!row = !ppl.tensor<1x5x1x36xui8, local, aligned>
!f = !ppl.tensor<1x5x4x9xf32, local, aligned>
!t = !ppl.tensor<1x64x1x256xui8, local, aligned>
!gu = !ppl.tensor<1x5x4x9xui8, global, continuous>
!gf = !ppl.tensor<1x5x4x9xf32, global, continuous>
ppl.net @lookup_select on "bm1684x" weights [4294987776, 0] context [4294967296, 20480]
    inputs [#ppl.io<name = "x", onnx = tensor<1x5x4x9xui8>, stored = tensor<1x5x4x9xui8>, address = 4294967296>,
            #ppl.io<name = "t", onnx = tensor<1x1x1x256xui8>, stored = tensor<1x1x1x256xui8>, address = 4294971392>]
    outputs [#ppl.io<name = "y", onnx = tensor<1x5x4x9xui8>, stored = tensor<1x5x4x9xui8>, address = 4294975488>,
             #ppl.io<name = "f", onnx = tensor<1x5x4x9xf32>, stored = tensor<1x5x4x9xf32>, address = 4294979584>,
             #ppl.io<name = "s", onnx = tensor<1x5x4x9xf32>, stored = tensor<1x5x4x9xf32>, address = 4294983680>] {
  %gx = ppl.global at 4294967296 : !gu
  %gt = ppl.global at 4294971392 : !ppl.tensor<1x1x1x256xui8, global, continuous>
  %gy = ppl.global at 4294975488 : !gu
  %gf = ppl.global at 4294979584 : !gf
  %gs = ppl.global at 4294983680 : !gf
  %x = ppl.local at 0 : !u
  %t = ppl.local at 16384 : !t
  %y = ppl.local at 32768 : !u
  %f = ppl.local at 49152 : !f
  %s = ppl.local at 65536 : !f
  ppl.dma.load dst = %x, src = %gx : !u, !gu
  ppl.dma.load_broadcast dst = %t, src = %gt : !t, !ppl.tensor<1x1x1x256xui8, global, continuous>
  // The same bytes as one row a channel, of which the five channels have one table each.
  %index = ppl.local at 0 : !row
  %row = ppl.local at 32768 : !row
  %table = ppl.local at 16384 : !ppl.tensor<1x5x1x256xui8, local, aligned>
  ppl.tiu.gather_w dst = %row, param = %table, index = %index, is_param_repeated = 1 : i64 : !row, !ppl.tensor<1x5x1x256xui8, local, aligned>, !row
  ppl.tiu.dq0 dst = %f, src = %y, offset = 7 : i64, scale = 0.25 : f64 : !f, !u
  ppl.tiu.gt_select dst = %s, src0 = %f, src1 = 20.0 : f64, src2 = %f, src3 = -1.0 : f64 : !f, !f, !f
  ppl.dma.store dst = %gy, src = %y : !gu, !u
  ppl.dma.store dst = %gf, src = %f : !gf, !f
  ppl.dma.store dst = %gs, src = %s : !gf, !f
}

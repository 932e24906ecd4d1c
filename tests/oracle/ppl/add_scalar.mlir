// y = (x + b) * 0.5 over three rows of lanes
!t = !ppl.tensor<1x130x5x7xf32, local, aligned>
!g = !ppl.tensor<1x130x5x7xf32, global, continuous>
ppl.net @add_scalar on "bm1684x" weights [4295028736, 0] context [4294967296, 61440]
    inputs [#ppl.io<name = "x", onnx = tensor<1x130x5x7xf32>, stored = tensor<1x130x5x7xf32>, address = 4294967296>,
            #ppl.io<name = "b", onnx = tensor<1x130x5x7xf32>, stored = tensor<1x130x5x7xf32>, address = 4294987776>]
    outputs [#ppl.io<name = "y", onnx = tensor<1x130x5x7xf32>, stored = tensor<1x130x5x7xf32>, address = 4295008256>] {
  %gx = ppl.global at 4294967296 : !g
  %gb = ppl.global at 4294987776 : !g
  %gy = ppl.global at 4295008256 : !g
  %x = ppl.local at 0 : !t
  %b = ppl.local at 16384 : !t
  %s = ppl.local at 32768 : !t
  ppl.dma.load dst = %x, src = %gx : !t, !g
  ppl.dma.load dst = %b, src = %gb : !t, !g
  ppl.tiu.fadd dst = %s, src0 = %x, src1 = %b : !t, !t, !t
  ppl.tiu.fmul dst = %s, src0 = %s, src1 = 0.5 : f64 : !t, !t
  ppl.dma.store dst = %gy, src = %s : !g, !t
}

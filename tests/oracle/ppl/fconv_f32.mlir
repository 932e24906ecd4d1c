// f32 convolution with stride, padding and bias
ppl.net @fconv_f32 on "bm1684x" weights [4294983680, 0] context [4294967296, 16384]
    inputs [#ppl.io<name = "x", onnx = tensor<1x3x8x10xf32>, stored = tensor<1x3x8x10xf32>, address = 4294967296>,
            #ppl.io<name = "w", onnx = tensor<1x16x3x9xf32>, stored = tensor<1x16x3x9xf32>, address = 4294971392>,
            #ppl.io<name = "b", onnx = tensor<1x16x1x1xf32>, stored = tensor<1x16x1x1xf32>, address = 4294975488>]
    outputs [#ppl.io<name = "y", onnx = tensor<1x16x4x5xf32>, stored = tensor<1x16x4x5xf32>, address = 4294979584>] {
  %gx = ppl.global at 4294967296 : !ppl.tensor<1x3x8x10xf32, global, continuous>
  %gw = ppl.global at 4294971392 : !ppl.tensor<1x16x3x9xf32, global, continuous>
  %gb = ppl.global at 4294975488 : !ppl.tensor<1x16x1x1xf32, global, continuous>
  %gy = ppl.global at 4294979584 : !ppl.tensor<1x16x4x5xf32, global, continuous>
  %x = ppl.local at 0 : !ppl.tensor<1x3x8x10xf32, local, aligned>
  %w = ppl.local at 16384 : !ppl.tensor<1x16x3x9xf32, local, compact>
  %b = ppl.local at 32768 : !ppl.tensor<1x16x1x1xf32, local, compact>
  %y = ppl.local at 49152 : !ppl.tensor<1x16x4x5xf32, local, aligned>
  ppl.dma.load dst = %x, src = %gx : !ppl.tensor<1x3x8x10xf32, local, aligned>, !ppl.tensor<1x3x8x10xf32, global, continuous>
  ppl.dma.load dst = %w, src = %gw : !ppl.tensor<1x16x3x9xf32, local, compact>, !ppl.tensor<1x16x3x9xf32, global, continuous>
  ppl.dma.load dst = %b, src = %gb : !ppl.tensor<1x16x1x1xf32, local, compact>, !ppl.tensor<1x16x1x1xf32, global, continuous>
  ppl.tiu.fconv dst = %y, src = %x, weight = %w, bias = %b, oc = 16, k_shape = array<i64: 3, 3>, stride = array<i64: 2, 2>, pad = array<i64: 1, 1, 1, 1>
      : !ppl.tensor<1x16x4x5xf32, local, aligned>, !ppl.tensor<1x3x8x10xf32, local, aligned>, !ppl.tensor<1x16x3x9xf32, local, compact>, !ppl.tensor<1x16x1x1xf32, local, compact>
  ppl.dma.store dst = %gy, src = %y : !ppl.tensor<1x16x4x5xf32, global, continuous>, !ppl.tensor<1x16x4x5xf32, local, aligned>
}

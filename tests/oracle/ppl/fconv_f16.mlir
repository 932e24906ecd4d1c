// f16 convolution: two packs of input channels, two rows of output channels
!x = !ppl.tensor<1x40x6x6xf16, local, aligned>
!w = !ppl.tensor<1x70x18x32xf16, local, compact>
!b = !ppl.tensor<1x70x1x1xf32, local, compact>
!y = !ppl.tensor<1x70x6x6xf16, local, aligned>
ppl.net @fconv_f16 on "bm1684x" weights [4295065600, 0] context [4294967296, 98304]
    inputs [#ppl.io<name = "x", onnx = tensor<1x40x6x6xf16>, stored = tensor<1x40x6x6xf16>, address = 4294967296>,
            #ppl.io<name = "w", onnx = tensor<1x70x18x32xf16>, stored = tensor<1x70x18x32xf16>, address = 4294971392>,
            #ppl.io<name = "b", onnx = tensor<1x70x1x1xf32>, stored = tensor<1x70x1x1xf32>, address = 4295053312>]
    outputs [#ppl.io<name = "y", onnx = tensor<1x70x6x6xf16>, stored = tensor<1x70x6x6xf16>, address = 4295057408>] {
  %gx = ppl.global at 4294967296 : !ppl.tensor<1x40x6x6xf16, global, continuous>
  %gw = ppl.global at 4294971392 : !ppl.tensor<1x70x18x32xf16, global, continuous>
  %gb = ppl.global at 4295053312 : !ppl.tensor<1x70x1x1xf32, global, continuous>
  %gy = ppl.global at 4295057408 : !ppl.tensor<1x70x6x6xf16, global, continuous>
  %x = ppl.local at 0 : !x
  %w = ppl.local at 16384 : !w
  %b = ppl.local at 32768 : !b
  %y = ppl.local at 49152 : !y
  ppl.dma.load dst = %x, src = %gx : !x, !ppl.tensor<1x40x6x6xf16, global, continuous>
  ppl.dma.load dst = %w, src = %gw : !w, !ppl.tensor<1x70x18x32xf16, global, continuous>
  ppl.dma.load dst = %b, src = %gb : !b, !ppl.tensor<1x70x1x1xf32, global, continuous>
  ppl.tiu.fconv dst = %y, src = %x, weight = %w, bias = %b, oc = 70, k_shape = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1> : !y, !x, !w, !b
  ppl.dma.store dst = %gy, src = %y : !ppl.tensor<1x70x6x6xf16, global, continuous>, !y
}

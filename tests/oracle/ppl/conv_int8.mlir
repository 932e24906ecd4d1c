// int8 convolution, int32 bias per channel, per-channel requantization
!x = !ppl.tensor<1x70x6x6xsi8, local, aligned>
!w = !ppl.tensor<1x72x18x64xsi8, local, compact>
!b = !ppl.tensor<1x72x1x1xsi32, local, compact>
!p = !ppl.tensor<1x72x1x3xsi32, local, aligned>
!a = !ppl.tensor<1x72x6x6xsi32, local, aligned>
!y = !ppl.tensor<1x72x6x6xsi8, local, aligned>
ppl.net @conv_int8 on "bm1684x" weights [4295069696, 0] context [4294967296, 102400]
    inputs [#ppl.io<name = "x", onnx = tensor<1x70x6x6xi8>, stored = tensor<1x70x6x6xsi8>, address = 4294967296>,
            #ppl.io<name = "w", onnx = tensor<1x72x18x64xi8>, stored = tensor<1x72x18x64xsi8>, address = 4294971392>,
            #ppl.io<name = "b", onnx = tensor<1x72x1x1xi32>, stored = tensor<1x72x1x1xsi32>, address = 4295057408>,
            #ppl.io<name = "p", onnx = tensor<1x72x1x3xi32>, stored = tensor<1x72x1x3xsi32>, address = 4295061504>]
    outputs [#ppl.io<name = "y", onnx = tensor<1x72x6x6xi8>, stored = tensor<1x72x6x6xsi8>, address = 4295065600>] {
  %gx = ppl.global at 4294967296 : !ppl.tensor<1x70x6x6xsi8, global, continuous>
  %gw = ppl.global at 4294971392 : !ppl.tensor<1x72x18x64xsi8, global, continuous>
  %gb = ppl.global at 4295057408 : !ppl.tensor<1x72x1x1xsi32, global, continuous>
  %gp = ppl.global at 4295061504 : !ppl.tensor<1x72x1x3xsi32, global, continuous>
  %gy = ppl.global at 4295065600 : !ppl.tensor<1x72x6x6xsi8, global, continuous>
  %x = ppl.local at 0 : !x
  %w = ppl.local at 16384 : !w
  %b = ppl.local at 32768 : !b
  %p = ppl.local at 33024 : !p
  %acc = ppl.local at 49152 : !a
  %y = ppl.local at 65536 : !y
  ppl.dma.load dst = %x, src = %gx : !x, !ppl.tensor<1x70x6x6xsi8, global, continuous>
  ppl.dma.load dst = %w, src = %gw : !w, !ppl.tensor<1x72x18x64xsi8, global, continuous>
  ppl.dma.load dst = %b, src = %gb : !b, !ppl.tensor<1x72x1x1xsi32, global, continuous>
  ppl.dma.load dst = %p, src = %gp : !p, !ppl.tensor<1x72x1x3xsi32, global, continuous>
  ppl.tiu.conv_asym dst = %acc, src = %x, weight = %w, oc = 72, k_shape = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1>, pad_val = 3 : i64 : !a, !x, !w
  ppl.tiu.add dst = %acc, src0 = %acc, src1 = %b, saturation = 1 : i64 : !a, !a, !b
  ppl.tiu.rq1 dst = %y, src = %acc, quant = %p, round_mode = 5 : i64 : !y, !a, !p
  ppl.dma.store dst = %gy, src = %y : !ppl.tensor<1x72x6x6xsi8, global, continuous>, !y
}

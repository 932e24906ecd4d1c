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
  ppl.gdma.load %x, %gx : !x, !ppl.tensor<1x70x6x6xsi8, global, continuous>
  ppl.gdma.load %w, %gw : !w, !ppl.tensor<1x72x18x64xsi8, global, continuous>
  ppl.gdma.load %b, %gb : !b, !ppl.tensor<1x72x1x1xsi32, global, continuous>
  ppl.gdma.load %p, %gp : !p, !ppl.tensor<1x72x1x3xsi32, global, continuous>
  ppl.bdc.conv %acc, %x, %w kernel [3, 3] pads [1, 1, 1, 1] pad_value 3 : !a, !x, !w
  ppl.bdc.int add %acc, %acc, %b saturate : !a, !a, !b
  ppl.bdc.rq1 %y, %acc params(%p) rounding half_up : !y, !a, !p
  ppl.gdma.store %gy, %y : !ppl.tensor<1x72x6x6xsi8, global, continuous>, !y
}

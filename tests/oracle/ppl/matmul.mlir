// f32 matrix product in matrix layout, f16 product with a transposed right operand
!a = !ppl.tensor<3x5x1x8xf32, local, aligned>
!b = !ppl.tensor<40x2x1x16xf32, local, aligned>
!y = !ppl.tensor<3x2x1x16xf32, local, aligned>
!c = !ppl.tensor<1x10x1x40xf16, local, aligned>
!d = !ppl.tensor<1x30x1x40xf16, local, aligned>
!z = !ppl.tensor<1x10x1x30xf32, local, aligned>
ppl.net @matmul on "bm1684x" weights [4294995968, 0] context [4294967296, 28672]
    inputs [#ppl.io<name = "a", onnx = tensor<3x5x1x8xf32>, stored = tensor<3x5x1x8xf32>, address = 4294967296>,
            #ppl.io<name = "b", onnx = tensor<40x2x1x16xf32>, stored = tensor<40x2x1x16xf32>, address = 4294971392>,
            #ppl.io<name = "c", onnx = tensor<1x10x1x40xf16>, stored = tensor<1x10x1x40xf16>, address = 4294979584>,
            #ppl.io<name = "d", onnx = tensor<1x30x1x40xf16>, stored = tensor<1x30x1x40xf16>, address = 4294983680>]
    outputs [#ppl.io<name = "y", onnx = tensor<3x2x1x16xf32>, stored = tensor<3x2x1x16xf32>, address = 4294987776>,
             #ppl.io<name = "z", onnx = tensor<1x10x1x30xf32>, stored = tensor<1x10x1x30xf32>, address = 4294991872>] {
  %ga = ppl.global at 4294967296 : !ppl.tensor<3x5x1x8xf32, global, continuous>
  %gb = ppl.global at 4294971392 : !ppl.tensor<40x2x1x16xf32, global, continuous>
  %gc = ppl.global at 4294979584 : !ppl.tensor<1x10x1x40xf16, global, continuous>
  %gd = ppl.global at 4294983680 : !ppl.tensor<1x30x1x40xf16, global, continuous>
  %gy = ppl.global at 4294987776 : !ppl.tensor<3x2x1x16xf32, global, continuous>
  %gz = ppl.global at 4294991872 : !ppl.tensor<1x10x1x30xf32, global, continuous>
  %a = ppl.local at 0 : !a
  %b = ppl.local at 16384 : !b
  %y = ppl.local at 32768 : !y
  %c = ppl.local at 49152 : !c
  %d = ppl.local at 65536 : !d
  %z = ppl.local at 81920 : !z
  ppl.dma.load dst = %a, src = %ga : !a, !ppl.tensor<3x5x1x8xf32, global, continuous>
  ppl.dma.load dst = %b, src = %gb : !b, !ppl.tensor<40x2x1x16xf32, global, continuous>
  ppl.dma.load dst = %c, src = %gc : !c, !ppl.tensor<1x10x1x40xf16, global, continuous>
  ppl.dma.load dst = %d, src = %gd : !d, !ppl.tensor<1x30x1x40xf16, global, continuous>
  ppl.tiu.fmm dst = %y, left = %a, right = %b : !y, !a, !b
  ppl.tiu.fmm2_nt dst = %z, left = %c, right = %d : !z, !c, !d
  ppl.dma.store dst = %gy, src = %y : !ppl.tensor<3x2x1x16xf32, global, continuous>, !y
  ppl.dma.store dst = %gz, src = %z : !ppl.tensor<1x10x1x30xf32, global, continuous>, !z
}

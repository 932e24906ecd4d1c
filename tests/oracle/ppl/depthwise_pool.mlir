// depthwise convolution, then max and average pooling
!x = !ppl.tensor<2x66x8x8xf32, local, aligned>
!w = !ppl.tensor<1x66x3x3xf32, local, compact>
!b = !ppl.tensor<1x66x1x1xf32, local, compact>
!y = !ppl.tensor<2x66x4x4xf32, local, aligned>
!gy = !ppl.tensor<2x66x4x4xf32, global, continuous>
ppl.net @depthwise_pool on "bm1684x" weights [4295036928, 0] context [4294967296, 69632]
    inputs [#ppl.io<name = "x", onnx = tensor<2x66x8x8xf32>, stored = tensor<2x66x8x8xf32>, address = 4294967296>,
            #ppl.io<name = "w", onnx = tensor<1x66x3x3xf32>, stored = tensor<1x66x3x3xf32>, address = 4295004160>,
            #ppl.io<name = "b", onnx = tensor<1x66x1x1xf32>, stored = tensor<1x66x1x1xf32>, address = 4295008256>]
    outputs [#ppl.io<name = "y", onnx = tensor<2x66x4x4xf32>, stored = tensor<2x66x4x4xf32>, address = 4295012352>,
             #ppl.io<name = "z", onnx = tensor<2x66x4x4xf32>, stored = tensor<2x66x4x4xf32>, address = 4295024640>] {
  %gx = ppl.global at 4294967296 : !ppl.tensor<2x66x8x8xf32, global, continuous>
  %gw = ppl.global at 4295004160 : !ppl.tensor<1x66x3x3xf32, global, continuous>
  %gb = ppl.global at 4295008256 : !ppl.tensor<1x66x1x1xf32, global, continuous>
  %gy = ppl.global at 4295012352 : !gy
  %gz = ppl.global at 4295024640 : !gy
  %x = ppl.local at 0 : !x
  %w = ppl.local at 16384 : !w
  %b = ppl.local at 17408 : !b
  %d = ppl.local at 32768 : !x
  %y = ppl.local at 49152 : !y
  %z = ppl.local at 65536 : !y
  ppl.dma.load dst = %x, src = %gx : !x, !ppl.tensor<2x66x8x8xf32, global, continuous>
  ppl.dma.load dst = %w, src = %gw : !w, !ppl.tensor<1x66x3x3xf32, global, continuous>
  ppl.dma.load dst = %b, src = %gb : !b, !ppl.tensor<1x66x1x1xf32, global, continuous>
  ppl.tiu.fdw_conv output = %d, input = %x, weight = %w, bias = %b, k_shape = array<i64: 3, 3>, pad = array<i64: 1, 1, 1, 1> : !x, !x, !w, !b
  ppl.tiu.fpool_max dst = %y, src = %d, kernel = array<i64: 3, 3>, pad = array<i64: 1, 0, 1, 0>, stride = array<i64: 2, 2> : !y, !x
  ppl.tiu.fpool_avg dst = %z, src = %d, kernel = array<i64: 2, 2>, stride = array<i64: 2, 2>, scale = 0.25 : f64 : !y, !x
  ppl.dma.store dst = %gy, src = %y : !gy, !y
  ppl.dma.store dst = %gz, src = %z : !gy, !y
}

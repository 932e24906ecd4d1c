// float element operations, conversions and moves
!si8 = !ppl.tensor<1x70x5x7xsi8, local, aligned>
!ui8 = !ppl.tensor<1x70x5x7xui8, local, aligned>
!si16 = !ppl.tensor<1x70x5x7xsi16, local, aligned>
!si32 = !ppl.tensor<1x70x5x7xsi32, local, aligned>
!f32 = !ppl.tensor<1x70x5x7xf32, local, aligned>
!h = !ppl.tensor<1x70x5x7xf16, local, aligned>
!c = !ppl.tensor<1x70x1x1xf32, local, compact>
ppl.net @float_ops on "bm1684x" weights [4295127040, 0] context [4294967296, 159744]
    inputs [#ppl.io<name = "x", onnx = tensor<1x70x5x7xf32>, stored = tensor<1x70x5x7xf32>, address = 4294967296>,
            #ppl.io<name = "y", onnx = tensor<1x70x5x7xf32>, stored = tensor<1x70x5x7xf32>, address = 4294979584>,
            #ppl.io<name = "k", onnx = tensor<1x70x1x1xf32>, stored = tensor<1x70x1x1xf32>, address = 4294991872>,
            #ppl.io<name = "b", onnx = tensor<1x70x1x1xf32>, stored = tensor<1x70x1x1xf32>, address = 4294995968>]
    outputs [#ppl.io<name = "gt", onnx = tensor<1x70x5x7xf32>, stored = tensor<1x70x5x7xf32>, address = 4295000064>,
             #ppl.io<name = "lin", onnx = tensor<1x70x5x7xf32>, stored = tensor<1x70x5x7xf32>, address = 4295012352>,
             #ppl.io<name = "diff", onnx = tensor<1x70x5x7xf32>, stored = tensor<1x70x5x7xf32>, address = 4295024640>,
             #ppl.io<name = "mac", onnx = tensor<1x70x5x7xf32>, stored = tensor<1x70x5x7xf32>, address = 4295036928>,
             #ppl.io<name = "fl", onnx = tensor<1x70x5x7xf32>, stored = tensor<1x70x5x7xf32>, address = 4295053312>,
             #ppl.io<name = "abs", onnx = tensor<1x70x5x7xf32>, stored = tensor<1x70x5x7xf32>, address = 4295065600>,
             #ppl.io<name = "pow", onnx = tensor<1x70x5x7xf32>, stored = tensor<1x70x5x7xf32>, address = 4295077888>,
             #ppl.io<name = "half", onnx = tensor<1x70x5x7xf16>, stored = tensor<1x70x5x7xf16>, address = 4295090176>,
             #ppl.io<name = "bc", onnx = tensor<1x70x5x7xf32>, stored = tensor<1x70x5x7xf32>, address = 4295098368>,
             #ppl.io<name = "lanes", onnx = tensor<1x6x5x7xf32>, stored = tensor<1x6x5x7xf32>, address = 4295110656>,
             #ppl.io<name = "flat", onnx = tensor<1x35x7x10xf32>, stored = tensor<1x35x7x10xf32>, address = 4295114752>] {
  %gx = ppl.global at 4294967296 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  %x = ppl.local at 0 : !ppl.tensor<1x70x5x7xf32, local, aligned>
  ppl.dma.load dst = %x, src = %gx : !ppl.tensor<1x70x5x7xf32, local, aligned>, !ppl.tensor<1x70x5x7xf32, global, continuous>
  %gy = ppl.global at 4294979584 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  %y = ppl.local at 8192 : !ppl.tensor<1x70x5x7xf32, local, aligned>
  ppl.dma.load dst = %y, src = %gy : !ppl.tensor<1x70x5x7xf32, local, aligned>, !ppl.tensor<1x70x5x7xf32, global, continuous>
  %gk = ppl.global at 4294991872 : !ppl.tensor<1x70x1x1xf32, global, continuous>
  %k = ppl.local at 16384 : !ppl.tensor<1x70x1x1xf32, local, compact>
  ppl.dma.load dst = %k, src = %gk : !ppl.tensor<1x70x1x1xf32, local, compact>, !ppl.tensor<1x70x1x1xf32, global, continuous>
  %gb = ppl.global at 4294995968 : !ppl.tensor<1x70x1x1xf32, global, continuous>
  %b = ppl.local at 24576 : !ppl.tensor<1x70x1x1xf32, local, compact>
  ppl.dma.load dst = %b, src = %gb : !ppl.tensor<1x70x1x1xf32, local, compact>, !ppl.tensor<1x70x1x1xf32, global, continuous>
  %gt = ppl.local at 32768 : !ppl.tensor<1x70x5x7xf32, local, aligned>
  %lin = ppl.local at 40960 : !ppl.tensor<1x70x5x7xf32, local, aligned>
  %diff = ppl.local at 49152 : !ppl.tensor<1x70x5x7xf32, local, aligned>
  %mac = ppl.local at 57344 : !ppl.tensor<1x70x5x7xf32, local, aligned>
  %fl = ppl.local at 73728 : !ppl.tensor<1x70x5x7xf32, local, aligned>
  %abs = ppl.local at 81920 : !ppl.tensor<1x70x5x7xf32, local, aligned>
  %pow = ppl.local at 90112 : !ppl.tensor<1x70x5x7xf32, local, aligned>
  %half = ppl.local at 98304 : !ppl.tensor<1x70x5x7xf16, local, aligned>
  %bc = ppl.local at 106496 : !ppl.tensor<1x70x5x7xf32, local, aligned>
  %lanes = ppl.local at 114688 lane 9 : !ppl.tensor<1x6x5x7xf32, local, aligned>
  %flat = ppl.local at 122880 : !ppl.tensor<1x35x7x10xf32, local, aligned>
  ppl.tiu.gt dst = %gt, src0 = %x, src1 = %y, true_val = 3.0 : f64 : !f32, !f32, !f32
  ppl.tiu.fscale dst = %lin, src = %x, scale = %k, bias = %b : !f32, !f32, !c, !c
  ppl.tiu.fsub_abs dst = %diff, src0 = %x, src1 = %y : !f32, !f32, !f32
  ppl.tiu.fill dst = %mac, scalar = 0.25 : f64 : !f32
  ppl.tiu.fmac dst = %mac, src0 = %x, src1 = %y : !f32, !f32, !f32
  ppl.tiu.round dst = %fl, src = %x, round_mode = 3 : i64 : !f32, !f32
  ppl.tiu.fabs dst = %abs, src = %x : !f32, !f32
  // Exponents with their bias, moved to their place in a float: powers of two.
  %exponent = ppl.view %pow [0, 0, 0, 0] : !f32 -> !si32
  ppl.tiu.norm dst = %exponent, src = %abs : !si32, !f32
  ppl.tiu.shift dst = %exponent, src = %exponent, shift = 23 : i64 : !si32, !si32
  ppl.tiu.cast dst = %half, src = %x : !h, !f32
  ppl.dma.fill dst = %bc, C = 3.0 : f64 : !f32
  ppl.tiu.fsub dst = %bc, src0 = %bc, src1 = %b : !f32, !f32, !c
  %head = ppl.view %x [0, 0, 0, 0] : !f32 -> !ppl.tensor<1x6x5x7xf32, local, aligned>
  ppl.tiu.move_cross_lane dst = %lanes, src = %head : !ppl.tensor<1x6x5x7xf32, local, aligned>, !ppl.tensor<1x6x5x7xf32, local, aligned>
  // Another shape by way of global memory, then a move between local tensors.
  %gaway = ppl.global at 4295114752 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.dma.store dst = %gaway, src = %x : !ppl.tensor<1x70x5x7xf32, global, continuous>, !f32
  %gback = ppl.global at 4295114752 : !ppl.tensor<1x35x7x10xf32, global, continuous>
  %back = ppl.local at 131072 lane 5 : !ppl.tensor<1x35x7x10xf32, local, aligned>
  ppl.dma.load dst = %back, src = %gback : !ppl.tensor<1x35x7x10xf32, local, aligned>, !ppl.tensor<1x35x7x10xf32, global, continuous>
  ppl.dma.move dst = %flat, src = %back : !ppl.tensor<1x35x7x10xf32, local, aligned>, !ppl.tensor<1x35x7x10xf32, local, aligned>
  %ggt = ppl.global at 4295000064 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.dma.store dst = %ggt, src = %gt : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %glin = ppl.global at 4295012352 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.dma.store dst = %glin, src = %lin : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %gdiff = ppl.global at 4295024640 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.dma.store dst = %gdiff, src = %diff : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %gmac = ppl.global at 4295036928 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.dma.store dst = %gmac, src = %mac : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %gfl = ppl.global at 4295053312 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.dma.store dst = %gfl, src = %fl : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %gabs = ppl.global at 4295065600 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.dma.store dst = %gabs, src = %abs : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %gpow = ppl.global at 4295077888 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.dma.store dst = %gpow, src = %pow : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %ghalf = ppl.global at 4295090176 : !ppl.tensor<1x70x5x7xf16, global, continuous>
  ppl.dma.store dst = %ghalf, src = %half : !ppl.tensor<1x70x5x7xf16, global, continuous>, !ppl.tensor<1x70x5x7xf16, local, aligned>
  %gbc = ppl.global at 4295098368 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.dma.store dst = %gbc, src = %bc : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %glanes = ppl.global at 4295110656 : !ppl.tensor<1x6x5x7xf32, global, continuous>
  ppl.dma.store dst = %glanes, src = %lanes : !ppl.tensor<1x6x5x7xf32, global, continuous>, !ppl.tensor<1x6x5x7xf32, local, aligned>
  %gflat = ppl.global at 4295114752 : !ppl.tensor<1x35x7x10xf32, global, continuous>
  ppl.dma.store dst = %gflat, src = %flat : !ppl.tensor<1x35x7x10xf32, global, continuous>, !ppl.tensor<1x35x7x10xf32, local, aligned>
}

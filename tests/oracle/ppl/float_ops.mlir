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
  %quarter = arith.constant 0.25 : f32
  %three = arith.constant 3.0 : f32
  %gx = ppl.global at 4294967296 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  %x = ppl.local at 0 : !ppl.tensor<1x70x5x7xf32, local, aligned>
  ppl.gdma.load %x, %gx : !ppl.tensor<1x70x5x7xf32, local, aligned>, !ppl.tensor<1x70x5x7xf32, global, continuous>
  %gy = ppl.global at 4294979584 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  %y = ppl.local at 8192 : !ppl.tensor<1x70x5x7xf32, local, aligned>
  ppl.gdma.load %y, %gy : !ppl.tensor<1x70x5x7xf32, local, aligned>, !ppl.tensor<1x70x5x7xf32, global, continuous>
  %gk = ppl.global at 4294991872 : !ppl.tensor<1x70x1x1xf32, global, continuous>
  %k = ppl.local at 16384 : !ppl.tensor<1x70x1x1xf32, local, compact>
  ppl.gdma.load %k, %gk : !ppl.tensor<1x70x1x1xf32, local, compact>, !ppl.tensor<1x70x1x1xf32, global, continuous>
  %gb = ppl.global at 4294995968 : !ppl.tensor<1x70x1x1xf32, global, continuous>
  %b = ppl.local at 24576 : !ppl.tensor<1x70x1x1xf32, local, compact>
  ppl.gdma.load %b, %gb : !ppl.tensor<1x70x1x1xf32, local, compact>, !ppl.tensor<1x70x1x1xf32, global, continuous>
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
  ppl.bdc.compare gt %gt, %x, %y, %three : !f32, !f32, !f32, f32
  ppl.bdc.linear mac %lin, %x, %k, %b : !f32, !f32, !c, !c
  ppl.bdc.float abs_diff %diff, %x, %y : !f32, !f32, !f32
  ppl.bdc.unary copy %mac, %quarter : !f32, f32
  ppl.bdc.float mac %mac, %x, %y : !f32, !f32, !f32
  ppl.bdc.cast %fl, %x rounding floor : !f32, !f32
  ppl.bdc.unary abs %abs, %x : !f32, !f32
  ppl.bdc.norm %pow, %abs : !f32, !f32
  ppl.bdc.cast %half, %x : !h, !f32
  ppl.gdma.fill %bc, %three : !f32, f32
  ppl.bdc.float sub %bc, %bc, %b : !f32, !f32, !c
  %head = ppl.view %x [0, 0, 0, 0] : !f32 -> !ppl.tensor<1x6x5x7xf32, local, aligned>
  ppl.bdc.lane_copy %lanes, %head : !ppl.tensor<1x6x5x7xf32, local, aligned>, !ppl.tensor<1x6x5x7xf32, local, aligned>
  ppl.gdma.move %flat, %x : !ppl.tensor<1x35x7x10xf32, local, aligned>, !f32
  %ggt = ppl.global at 4295000064 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.gdma.store %ggt, %gt : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %glin = ppl.global at 4295012352 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.gdma.store %glin, %lin : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %gdiff = ppl.global at 4295024640 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.gdma.store %gdiff, %diff : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %gmac = ppl.global at 4295036928 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.gdma.store %gmac, %mac : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %gfl = ppl.global at 4295053312 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.gdma.store %gfl, %fl : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %gabs = ppl.global at 4295065600 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.gdma.store %gabs, %abs : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %gpow = ppl.global at 4295077888 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.gdma.store %gpow, %pow : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %ghalf = ppl.global at 4295090176 : !ppl.tensor<1x70x5x7xf16, global, continuous>
  ppl.gdma.store %ghalf, %half : !ppl.tensor<1x70x5x7xf16, global, continuous>, !ppl.tensor<1x70x5x7xf16, local, aligned>
  %gbc = ppl.global at 4295098368 : !ppl.tensor<1x70x5x7xf32, global, continuous>
  ppl.gdma.store %gbc, %bc : !ppl.tensor<1x70x5x7xf32, global, continuous>, !ppl.tensor<1x70x5x7xf32, local, aligned>
  %glanes = ppl.global at 4295110656 : !ppl.tensor<1x6x5x7xf32, global, continuous>
  ppl.gdma.store %glanes, %lanes : !ppl.tensor<1x6x5x7xf32, global, continuous>, !ppl.tensor<1x6x5x7xf32, local, aligned>
  %gflat = ppl.global at 4295114752 : !ppl.tensor<1x35x7x10xf32, global, continuous>
  ppl.gdma.store %gflat, %flat : !ppl.tensor<1x35x7x10xf32, global, continuous>, !ppl.tensor<1x35x7x10xf32, local, aligned>
}

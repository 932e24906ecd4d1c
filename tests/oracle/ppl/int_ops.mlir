// integer element operations with shifts, rounding and saturation
!si8 = !ppl.tensor<1x70x5x7xsi8, local, aligned>
!ui8 = !ppl.tensor<1x70x5x7xui8, local, aligned>
!si16 = !ppl.tensor<1x70x5x7xsi16, local, aligned>
!si32 = !ppl.tensor<1x70x5x7xsi32, local, aligned>
!ui32 = !ppl.tensor<1x70x5x7xui32, local, aligned>
!f32 = !ppl.tensor<1x70x5x7xf32, local, aligned>
ppl.net @int_ops on "bm1684x" weights [4295036928, 0] context [4294967296, 69632]
    inputs [#ppl.io<name = "x", onnx = tensor<1x70x5x7xi8>, stored = tensor<1x70x5x7xsi8>, address = 4294967296>,
            #ppl.io<name = "y", onnx = tensor<1x70x5x7xi8>, stored = tensor<1x70x5x7xsi8>, address = 4294971392>,
            #ppl.io<name = "s", onnx = tensor<1x70x1x1xi8>, stored = tensor<1x70x1x1xsi8>, address = 4294975488>]
    outputs [#ppl.io<name = "add", onnx = tensor<1x70x5x7xi16>, stored = tensor<1x70x5x7xsi16>, address = 4294979584>,
             #ppl.io<name = "mul", onnx = tensor<1x70x5x7xi8>, stored = tensor<1x70x5x7xsi8>, address = 4294987776>,
             #ppl.io<name = "max", onnx = tensor<1x70x5x7xi8>, stored = tensor<1x70x5x7xsi8>, address = 4294991872>,
             #ppl.io<name = "shift", onnx = tensor<1x70x5x7xi16>, stored = tensor<1x70x5x7xsi16>, address = 4294995968>,
             #ppl.io<name = "xor", onnx = tensor<1x70x5x7xui8>, stored = tensor<1x70x5x7xui8>, address = 4295004160>,
             #ppl.io<name = "pcs", onnx = tensor<1x70x5x7xi8>, stored = tensor<1x70x5x7xsi8>, address = 4295008256>,
             #ppl.io<name = "dq", onnx = tensor<1x70x5x7xi16>, stored = tensor<1x70x5x7xsi16>, address = 4295012352>,
             #ppl.io<name = "zeros", onnx = tensor<1x70x5x7xi32>, stored = tensor<1x70x5x7xsi32>, address = 4295020544>,
             #ppl.io<name = "rq", onnx = tensor<1x70x5x7xi8>, stored = tensor<1x70x5x7xsi8>, address = 4295032832>] {
  %gx = ppl.global at 4294967296 : !ppl.tensor<1x70x5x7xsi8, global, continuous>
  %x = ppl.local at 0 : !ppl.tensor<1x70x5x7xsi8, local, aligned>
  ppl.dma.load dst = %x, src = %gx : !ppl.tensor<1x70x5x7xsi8, local, aligned>, !ppl.tensor<1x70x5x7xsi8, global, continuous>
  %gy = ppl.global at 4294971392 : !ppl.tensor<1x70x5x7xsi8, global, continuous>
  %y = ppl.local at 8192 : !ppl.tensor<1x70x5x7xsi8, local, aligned>
  ppl.dma.load dst = %y, src = %gy : !ppl.tensor<1x70x5x7xsi8, local, aligned>, !ppl.tensor<1x70x5x7xsi8, global, continuous>
  %gs = ppl.global at 4294975488 : !ppl.tensor<1x70x1x1xsi8, global, continuous>
  %s = ppl.local at 16384 : !ppl.tensor<1x70x1x1xsi8, local, compact>
  ppl.dma.load dst = %s, src = %gs : !ppl.tensor<1x70x1x1xsi8, local, compact>, !ppl.tensor<1x70x1x1xsi8, global, continuous>
  %a = ppl.local at 24576 : !ppl.tensor<1x70x5x7xsi16, local, aligned>
  %m = ppl.local at 32768 : !ppl.tensor<1x70x5x7xsi8, local, aligned>
  %mx = ppl.local at 40960 : !ppl.tensor<1x70x5x7xsi8, local, aligned>
  %sh = ppl.local at 49152 : !ppl.tensor<1x70x5x7xsi16, local, aligned>
  %xo = ppl.local at 57344 : !ppl.tensor<1x70x5x7xui8, local, aligned>
  %p = ppl.local at 65536 : !ppl.tensor<1x70x5x7xsi8, local, aligned>
  %d = ppl.local at 73728 : !ppl.tensor<1x70x5x7xsi16, local, aligned>
  %w = ppl.local at 81920 : !ppl.tensor<1x70x5x7xsi32, local, aligned>
  %z = ppl.local at 90112 : !ppl.tensor<1x70x5x7xsi32, local, aligned>
  ppl.tiu.add dst = %a, src0 = %x, src1 = %y, shift = 1 : i64, saturation = 1 : i64 : !si16, !si8, !si8
  ppl.tiu.mul dst = %m, src0 = %x, src1 = %y, shift = -4 : i64, round_mode = 5 : i64, saturation = 1 : i64 : !si8, !si8, !si8
  ppl.tiu.max dst = %mx, src0 = %x, src1 = %y : !si8, !si8, !si8
  ppl.tiu.shift dst = %sh, src = %a, shift = -3 : i64, round_mode = 5 : i64 : !si16, !si16
  %xu = ppl.view %x [0, 0, 0, 0] : !si8 -> !ui8
  ppl.tiu.bitwise_xor dst = %xo, src0 = %xu, src1 = 85 : i64 : !ui8, !ui8
  ppl.tiu.sub dst = %p, src0 = %x, src1 = %y, shift = %s, round_mode = 3 : i64, saturation = 1 : i64 : !si8, !si8, !si8, !ppl.tensor<1x70x1x1xsi8, local, compact>
  ppl.tiu.dq1 dst = %d, src = %x, offset = 5 : i64, multiplier = 37 : i64, shift = -2 : i64, round_mode = 1 : i64 : !si16, !si8
  ppl.tiu.cast dst = %w, src = %x : !si32, !si8
  %q = ppl.local at 106496 : !si8
  ppl.tiu.rq0 dst = %q, src = %w, scale = 0.3 : f64, offset = 1.5 : f64 : !si8, !si32
  %zu = ppl.view %z [0, 0, 0, 0] : !si32 -> !ui32
  ppl.tiu.clz dst = %zu, src = %w : !ui32, !si32
  %gadd = ppl.global at 4294979584 : !ppl.tensor<1x70x5x7xsi16, global, continuous>
  ppl.dma.store dst = %gadd, src = %a : !ppl.tensor<1x70x5x7xsi16, global, continuous>, !ppl.tensor<1x70x5x7xsi16, local, aligned>
  %gmul = ppl.global at 4294987776 : !ppl.tensor<1x70x5x7xsi8, global, continuous>
  ppl.dma.store dst = %gmul, src = %m : !ppl.tensor<1x70x5x7xsi8, global, continuous>, !ppl.tensor<1x70x5x7xsi8, local, aligned>
  %gmax = ppl.global at 4294991872 : !ppl.tensor<1x70x5x7xsi8, global, continuous>
  ppl.dma.store dst = %gmax, src = %mx : !ppl.tensor<1x70x5x7xsi8, global, continuous>, !ppl.tensor<1x70x5x7xsi8, local, aligned>
  %gshift = ppl.global at 4294995968 : !ppl.tensor<1x70x5x7xsi16, global, continuous>
  ppl.dma.store dst = %gshift, src = %sh : !ppl.tensor<1x70x5x7xsi16, global, continuous>, !ppl.tensor<1x70x5x7xsi16, local, aligned>
  %gxor = ppl.global at 4295004160 : !ppl.tensor<1x70x5x7xui8, global, continuous>
  ppl.dma.store dst = %gxor, src = %xo : !ppl.tensor<1x70x5x7xui8, global, continuous>, !ppl.tensor<1x70x5x7xui8, local, aligned>
  %gpcs = ppl.global at 4295008256 : !ppl.tensor<1x70x5x7xsi8, global, continuous>
  ppl.dma.store dst = %gpcs, src = %p : !ppl.tensor<1x70x5x7xsi8, global, continuous>, !ppl.tensor<1x70x5x7xsi8, local, aligned>
  %gdq = ppl.global at 4295012352 : !ppl.tensor<1x70x5x7xsi16, global, continuous>
  ppl.dma.store dst = %gdq, src = %d : !ppl.tensor<1x70x5x7xsi16, global, continuous>, !ppl.tensor<1x70x5x7xsi16, local, aligned>
  %gzeros = ppl.global at 4295020544 : !ppl.tensor<1x70x5x7xsi32, global, continuous>
  ppl.dma.store dst = %gzeros, src = %z : !ppl.tensor<1x70x5x7xsi32, global, continuous>, !ppl.tensor<1x70x5x7xsi32, local, aligned>
  %gq = ppl.global at 4295032832 : !ppl.tensor<1x70x5x7xsi8, global, continuous>
  ppl.dma.store dst = %gq, src = %q : !ppl.tensor<1x70x5x7xsi8, global, continuous>, !si8
}

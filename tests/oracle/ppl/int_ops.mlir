// integer element operations with shifts, rounding and saturation
!si8 = !ppl.tensor<1x70x5x7xsi8, local, aligned>
!ui8 = !ppl.tensor<1x70x5x7xui8, local, aligned>
!si16 = !ppl.tensor<1x70x5x7xsi16, local, aligned>
!si32 = !ppl.tensor<1x70x5x7xsi32, local, aligned>
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
  %one = arith.constant 1 : i32
  %m4 = arith.constant -4 : i32
  %m3 = arith.constant -3 : i32
  %h = arith.constant 85 : i32
  %gx = ppl.global at 4294967296 : !ppl.tensor<1x70x5x7xsi8, global, continuous>
  %x = ppl.local at 0 : !ppl.tensor<1x70x5x7xsi8, local, aligned>
  ppl.gdma.load %x, %gx : !ppl.tensor<1x70x5x7xsi8, local, aligned>, !ppl.tensor<1x70x5x7xsi8, global, continuous>
  %gy = ppl.global at 4294971392 : !ppl.tensor<1x70x5x7xsi8, global, continuous>
  %y = ppl.local at 8192 : !ppl.tensor<1x70x5x7xsi8, local, aligned>
  ppl.gdma.load %y, %gy : !ppl.tensor<1x70x5x7xsi8, local, aligned>, !ppl.tensor<1x70x5x7xsi8, global, continuous>
  %gs = ppl.global at 4294975488 : !ppl.tensor<1x70x1x1xsi8, global, continuous>
  %s = ppl.local at 16384 : !ppl.tensor<1x70x1x1xsi8, local, compact>
  ppl.gdma.load %s, %gs : !ppl.tensor<1x70x1x1xsi8, local, compact>, !ppl.tensor<1x70x1x1xsi8, global, continuous>
  %a = ppl.local at 24576 : !ppl.tensor<1x70x5x7xsi16, local, aligned>
  %m = ppl.local at 32768 : !ppl.tensor<1x70x5x7xsi8, local, aligned>
  %mx = ppl.local at 40960 : !ppl.tensor<1x70x5x7xsi8, local, aligned>
  %sh = ppl.local at 49152 : !ppl.tensor<1x70x5x7xsi16, local, aligned>
  %xo = ppl.local at 57344 : !ppl.tensor<1x70x5x7xui8, local, aligned>
  %p = ppl.local at 65536 : !ppl.tensor<1x70x5x7xsi8, local, aligned>
  %d = ppl.local at 73728 : !ppl.tensor<1x70x5x7xsi16, local, aligned>
  %w = ppl.local at 81920 : !ppl.tensor<1x70x5x7xsi32, local, aligned>
  %z = ppl.local at 90112 : !ppl.tensor<1x70x5x7xsi32, local, aligned>
  ppl.bdc.int add %a, %x, %y shift(%one) saturate : !si16, !si8, !si8, i32
  ppl.bdc.int mul %m, %x, %y shift(%m4) rounding half_up saturate : !si8, !si8, !si8, i32
  ppl.bdc.int max %mx, %x, %y : !si8, !si8, !si8
  ppl.bdc.int shift_arith %sh, %a, %m3 rounding half_up : !si16, !si16, i32
  %xu = ppl.view %x [0, 0, 0, 0] : !si8 -> !ui8
  ppl.bdc.int xor %xo, %xu, %h : !ui8, !ui8, i32
  ppl.bdc.int sub %p, %x, %y shift(%s) rounding floor saturate : !si8, !si8, !si8, !ppl.tensor<1x70x1x1xsi8, local, compact>
  ppl.bdc.dq1 %d, %x {multiplier = 37 : i32, shift = -2 : si32, zero_point = 5 : si32, rounding = 5 : i32} : !si16, !si8
  ppl.bdc.cast %w, %x : !si32, !si8
  %q = ppl.local at 106496 : !si8
  ppl.bdc.rq0 %q, %w {scale = 0.3 : f32, offset = 1.5 : f32} : !si8, !si32
  ppl.bdc.unary leading_zeros %z, %w : !si32, !si32
  %gadd = ppl.global at 4294979584 : !ppl.tensor<1x70x5x7xsi16, global, continuous>
  ppl.gdma.store %gadd, %a : !ppl.tensor<1x70x5x7xsi16, global, continuous>, !ppl.tensor<1x70x5x7xsi16, local, aligned>
  %gmul = ppl.global at 4294987776 : !ppl.tensor<1x70x5x7xsi8, global, continuous>
  ppl.gdma.store %gmul, %m : !ppl.tensor<1x70x5x7xsi8, global, continuous>, !ppl.tensor<1x70x5x7xsi8, local, aligned>
  %gmax = ppl.global at 4294991872 : !ppl.tensor<1x70x5x7xsi8, global, continuous>
  ppl.gdma.store %gmax, %mx : !ppl.tensor<1x70x5x7xsi8, global, continuous>, !ppl.tensor<1x70x5x7xsi8, local, aligned>
  %gshift = ppl.global at 4294995968 : !ppl.tensor<1x70x5x7xsi16, global, continuous>
  ppl.gdma.store %gshift, %sh : !ppl.tensor<1x70x5x7xsi16, global, continuous>, !ppl.tensor<1x70x5x7xsi16, local, aligned>
  %gxor = ppl.global at 4295004160 : !ppl.tensor<1x70x5x7xui8, global, continuous>
  ppl.gdma.store %gxor, %xo : !ppl.tensor<1x70x5x7xui8, global, continuous>, !ppl.tensor<1x70x5x7xui8, local, aligned>
  %gpcs = ppl.global at 4295008256 : !ppl.tensor<1x70x5x7xsi8, global, continuous>
  ppl.gdma.store %gpcs, %p : !ppl.tensor<1x70x5x7xsi8, global, continuous>, !ppl.tensor<1x70x5x7xsi8, local, aligned>
  %gdq = ppl.global at 4295012352 : !ppl.tensor<1x70x5x7xsi16, global, continuous>
  ppl.gdma.store %gdq, %d : !ppl.tensor<1x70x5x7xsi16, global, continuous>, !ppl.tensor<1x70x5x7xsi16, local, aligned>
  %gzeros = ppl.global at 4295020544 : !ppl.tensor<1x70x5x7xsi32, global, continuous>
  ppl.gdma.store %gzeros, %z : !ppl.tensor<1x70x5x7xsi32, global, continuous>, !ppl.tensor<1x70x5x7xsi32, local, aligned>
  %gq = ppl.global at 4295032832 : !ppl.tensor<1x70x5x7xsi8, global, continuous>
  ppl.gdma.store %gq, %q : !ppl.tensor<1x70x5x7xsi8, global, continuous>, !si8
}

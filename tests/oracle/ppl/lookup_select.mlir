// 256-entry table in every lane, dequantization, select
!u = !ppl.tensor<1x5x4x9xui8, local, aligned>
!f = !ppl.tensor<1x5x4x9xf32, local, aligned>
!t = !ppl.tensor<1x64x1x256xui8, local, aligned>
!gu = !ppl.tensor<1x5x4x9xui8, global, continuous>
!gf = !ppl.tensor<1x5x4x9xf32, global, continuous>
ppl.net @lookup_select on "bm1684x" weights [4294987776, 0] context [4294967296, 20480]
    inputs [#ppl.io<name = "x", onnx = tensor<1x5x4x9xui8>, stored = tensor<1x5x4x9xui8>, address = 4294967296>,
            #ppl.io<name = "t", onnx = tensor<1x1x1x256xui8>, stored = tensor<1x1x1x256xui8>, address = 4294971392>]
    outputs [#ppl.io<name = "y", onnx = tensor<1x5x4x9xui8>, stored = tensor<1x5x4x9xui8>, address = 4294975488>,
             #ppl.io<name = "f", onnx = tensor<1x5x4x9xf32>, stored = tensor<1x5x4x9xf32>, address = 4294979584>,
             #ppl.io<name = "s", onnx = tensor<1x5x4x9xf32>, stored = tensor<1x5x4x9xf32>, address = 4294983680>] {
  %limit = arith.constant 20.0 : f32
  %minus = arith.constant -1.0 : f32
  %gx = ppl.global at 4294967296 : !gu
  %gt = ppl.global at 4294971392 : !ppl.tensor<1x1x1x256xui8, global, continuous>
  %gy = ppl.global at 4294975488 : !gu
  %gf = ppl.global at 4294979584 : !gf
  %gs = ppl.global at 4294983680 : !gf
  %x = ppl.local at 0 : !u
  %t = ppl.local at 16384 : !t
  %y = ppl.local at 32768 : !u
  %f = ppl.local at 49152 : !f
  %s = ppl.local at 65536 : !f
  ppl.gdma.load %x, %gx : !u, !gu
  ppl.gdma.broadcast %t, %gt : !t, !ppl.tensor<1x1x1x256xui8, global, continuous>
  ppl.bdc.lookup %y, %x, %t : !u, !u, !t
  ppl.bdc.dq0 %f, %y {scale = 0.25 : f32, zero_point = 7 : si32} : !f, !u
  ppl.bdc.select gt %s, %f, %limit, %f, %minus : !f, !f, f32, !f, f32
  ppl.gdma.store %gy, %y : !gu, !u
  ppl.gdma.store %gf, %f : !gf, !f
  ppl.gdma.store %gs, %s : !gf, !f
}

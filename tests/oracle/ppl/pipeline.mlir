// y = 3 x in eight slices with rotating buffers
!t = !ppl.tensor<1x8x4x48xf32, local, aligned>
!g = !ppl.tensor<1x8x4x48xf32, global, [12288, 1536, 48, 1]>
ppl.net @pipeline on "bm1684x" weights [4295065600, 0] context [4294967296, 98304]
    inputs [#ppl.io<name = "x", onnx = tensor<1x8x32x48xf32>, stored = tensor<1x8x32x48xf32>, address = 4294967296>]
    outputs [#ppl.io<name = "y", onnx = tensor<1x8x32x48xf32>, stored = tensor<1x8x32x48xf32>, address = 4295016448>] {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %x0 = ppl.local at 0 : !t
  %g0 = ppl.global at 4294967296 : !g
  ppl.dma.load dst = %x0, src = %g0 : !t, !g
  // The load of slice i+1 comes before the store of slice i, so that it overlaps the computation of slice i.
  scf.for %i = %c0 to %c8 step %c1 {
    %more = arith.cmpi slt, %i, %c7 : index
    scf.if %more {
      %j = arith.addi %i, %c1 : index
      %next = ppl.local at 0 index(%j) step [16384] modulo [2] : !t
      %gnext = ppl.global at 4294967296 index(%j) step [768] : !g
      ppl.dma.load dst = %next, src = %gnext : !t, !g
    }
    %x = ppl.local at 0 index(%i) step [16384] modulo [2] : !t
    %y = ppl.local at 32768 index(%i) step [16384] modulo [2] : !t
    ppl.tiu.fmul dst = %y, src0 = %x, src1 = 2.0 : f64 : !t, !t
    ppl.tiu.fadd dst = %y, src0 = %y, src1 = %x : !t, !t, !t
    ppl.observe %y, "triple" at [0, 0, 0, 0] of [1, 8, 32, 48] index(%i) step [0, 0, 4, 0] : !t
    %gy = ppl.global at 4295016448 index(%i) step [768] : !g
    ppl.dma.store dst = %gy, src = %y : !g, !t
  }
}

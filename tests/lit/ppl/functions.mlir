// RUN: weft-opt %s | weft-opt | FileCheck %s

// Functions of the catalog print as they are written.
ppl.net @main on "bm1684x" weights [4294967296, 0] context [4294971392, 8192] inputs [] outputs [] {
  %x = ppl.alloc : <1x64x4x8xf32, local, aligned>
  %y = ppl.alloc : <1x64x4x8xf32, local, aligned>
  %g = ppl.global at 4294971392 : <1x64x4x8xf32, global, continuous>
  // CHECK: ppl.dma.load dst = %[[X:.*]], src = %[[G:.*]] : !ppl.tensor<1x64x4x8xf32, local, aligned>, !ppl.tensor<1x64x4x8xf32, global, continuous>
  ppl.dma.load dst = %x, src = %g : !ppl.tensor<1x64x4x8xf32, local, aligned>, !ppl.tensor<1x64x4x8xf32, global, continuous>
  ppl.round "kernel.cpp:7" {
    // CHECK: ppl.tiu.fadd dst = %[[Y:.*]], src0 = %[[X]], src1 = 1.500000e+00 : f64 : !ppl.tensor<1x64x4x8xf32, local, aligned>, !ppl.tensor<1x64x4x8xf32, local, aligned>
    ppl.tiu.fadd dst = %y, src0 = %x, src1 = 1.5 : f64 : !ppl.tensor<1x64x4x8xf32, local, aligned>, !ppl.tensor<1x64x4x8xf32, local, aligned>
  }
  // CHECK: ppl.dma.store dst = %[[G]], src = %[[Y]] :
  ppl.dma.store dst = %g, src = %y : !ppl.tensor<1x64x4x8xf32, global, continuous>, !ppl.tensor<1x64x4x8xf32, local, aligned>
}

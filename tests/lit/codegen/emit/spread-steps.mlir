// RUN: weft-opt %s --pass-pipeline='builtin.module(ppl-spread-steps)' | FileCheck %s

!l = !ppl.tensor<1x64x8x8xf32, local, aligned>
!g = !ppl.tensor<1x64x8x8xf32, global, continuous>

// The second step loads while the first computes, from the next bank on.
// CHECK-LABEL: ppl.net @apart
// CHECK: ppl.local at 0 :
// CHECK: ppl.local at 256 :
// CHECK: ppl.local at 16384 :
// CHECK: ppl.local at 16640 :
// CHECK-NOT: ppl.step
ppl.net @apart on "bm1684x" weights [4294967296, 0] context [4294967296, 1048576] inputs [] outputs [] {
  %a = ppl.local at 0 {ppl.step = 0 : i64} : !l
  %b = ppl.local at 256 {ppl.step = 0 : i64} : !l
  %g = ppl.global at 4294967296 : !g
  %h = ppl.global at 4294983680 : !g
  ppl.dma.load dst = %a, src = %g : !l, !g
  ppl.tiu.fmul dst = %b, src0 = %a, src1 = 2.0 : f64 : !l, !l
  ppl.dma.store dst = %h, src = %b : !g, !l
  %c = ppl.local at 0 {ppl.step = 1 : i64} : !l
  %d = ppl.local at 256 {ppl.step = 1 : i64} : !l
  %i = ppl.global at 4295000064 : !g
  %j = ppl.global at 4295016448 : !g
  ppl.dma.load dst = %c, src = %i : !l, !g
  ppl.tiu.fmul dst = %d, src0 = %c, src1 = 2.0 : f64 : !l, !l
  ppl.dma.store dst = %j, src = %d : !g, !l
}

// What reads the result of the step before waits wherever it lies.
// CHECK-LABEL: ppl.net @chain
// CHECK: ppl.local at 0 :
// CHECK: ppl.local at 256 :
// CHECK: ppl.local at 0 :
// CHECK: ppl.local at 256 :
ppl.net @chain on "bm1684x" weights [4294967296, 0] context [4294967296, 1048576] inputs [] outputs [] {
  %a = ppl.local at 0 {ppl.step = 0 : i64} : !l
  %b = ppl.local at 256 {ppl.step = 0 : i64} : !l
  %g = ppl.global at 4294967296 : !g
  %h = ppl.global at 4294983680 : !g
  ppl.dma.load dst = %a, src = %g : !l, !g
  ppl.tiu.fmul dst = %b, src0 = %a, src1 = 2.0 : f64 : !l, !l
  ppl.dma.store dst = %h, src = %b : !g, !l
  %c = ppl.local at 0 {ppl.step = 1 : i64} : !l
  %d = ppl.local at 256 {ppl.step = 1 : i64} : !l
  %j = ppl.global at 4295016448 : !g
  ppl.dma.load dst = %c, src = %h : !l, !g
  ppl.tiu.fmul dst = %d, src0 = %c, src1 = 2.0 : f64 : !l, !l
  ppl.dma.store dst = %j, src = %d : !g, !l
}

// No room behind the first step, nor at the other end.
// CHECK-LABEL: ppl.net @full
// CHECK: ppl.local at 0 :
// CHECK: ppl.local at 245760 :
// CHECK: ppl.local at 0 :
// CHECK: ppl.local at 256 :
ppl.net @full on "bm1684x" weights [4294967296, 0] context [4294967296, 1048576] inputs [] outputs [] {
  %a = ppl.local at 0 {ppl.step = 0 : i64} : !l
  %b = ppl.local at 245760 {ppl.step = 0 : i64} : !l
  %g = ppl.global at 4294967296 : !g
  %h = ppl.global at 4294983680 : !g
  ppl.dma.load dst = %a, src = %g : !l, !g
  ppl.tiu.fmul dst = %b, src0 = %a, src1 = 2.0 : f64 : !l, !l
  ppl.dma.store dst = %h, src = %b : !g, !l
  %c = ppl.local at 0 {ppl.step = 1 : i64} : !l
  %d = ppl.local at 256 {ppl.step = 1 : i64} : !l
  %i = ppl.global at 4295000064 : !g
  %j = ppl.global at 4295016448 : !g
  ppl.dma.load dst = %c, src = %i : !l, !g
  ppl.tiu.fmul dst = %d, src0 = %c, src1 = 2.0 : f64 : !l, !l
  ppl.dma.store dst = %j, src = %d : !g, !l
}

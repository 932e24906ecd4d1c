// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(ppl.net(ppl-allocate))' --verify-diagnostics | FileCheck %s

// Tensors of one command lie in different banks (16384 bytes each); one that is dead gives its memory back.
!l = !ppl.tensor<1x64x1x16xf32, local, aligned>
// CHECK-LABEL: ppl.net @banks
// CHECK-DAG: %[[A:.*]] = ppl.local at 0 :
// CHECK-DAG: %[[B:.*]] = ppl.local at 16384 :
// CHECK-DAG: %[[C:.*]] = ppl.local at 32768 :
// CHECK: ppl.tiu.fadd dst = %[[C]], src0 = %[[A]], src1 = %[[B]]
ppl.net @banks on "bm1684x" weights [4294967296, 0] context [4294967296, 65536] inputs [] outputs [] {
  %a = ppl.alloc : !l
  %b = ppl.alloc : !l
  %c = ppl.alloc : !l
  ppl.dma.fill dst = %a, C = 0 : i64 : !l
  ppl.dma.fill dst = %b, C = 0 : i64 : !l
  ppl.tiu.fadd dst = %c, src0 = %a, src1 = %b : !l, !l, !l
}

// -----

!big = !ppl.tensor<1x64x128x384xf32, local, aligned>
ppl.net @full on "bm1684x" weights [4294967296, 0] context [4294967296, 65536] inputs [] outputs [] {
  // expected-error @+1 {{local memory is too small: the tensors that live at once take 393216 bytes of each lane, there are 262144; this tensor is the largest (196608), make its block smaller}}
  %a = ppl.alloc : !big
  %b = ppl.alloc : !big
  ppl.dma.fill dst = %a, C = 0 : i64 : !big
  ppl.dma.fill dst = %b, C = 0 : i64 : !big
  ppl.tiu.fadd dst = %a, src0 = %a, src1 = %b : !big, !big, !big
}

// -----

// Where nothing else fits, a result lies over a source that nobody reads any more.
!big = !ppl.tensor<1x64x128x384xf32, local, aligned>
// CHECK-LABEL: ppl.net @in_place
// CHECK: ppl.local at 0 :
// CHECK: ppl.local at 0 :
ppl.net @in_place on "bm1684x" weights [4294967296, 0] context [4294967296, 65536] inputs [] outputs [] {
  %a = ppl.alloc : !big
  %b = ppl.alloc : !big
  ppl.tiu.move dst = %a, src = %b : !big, !big
}

// -----

// A function gets the addresses of its scratch memory: the product lies apart from all arguments.
!w = !ppl.tensor<1x64x1x16xf32, local, aligned>
// CHECK-LABEL: ppl.net @scratch
// CHECK: ppl.local at 0 :
// CHECK: ppl.local at 16384 :
// CHECK: ppl.local at 64 :
// CHECK: ppl.local at 16448 :
// CHECK: ppl.tiu.fmul_add {{.*}} {ppl.scratch = array<i64: 32768>}
ppl.net @scratch on "bm1684x" weights [4294967296, 0] context [4294967296, 65536] inputs [] outputs [] {
  %a = ppl.alloc : !w
  %b = ppl.alloc : !w
  %c = ppl.alloc : !w
  %d = ppl.alloc : !w
  ppl.tiu.fmul_add dst = %d, src0 = %a, src1 = %b, src2 = %c : !w, !w, !w, !w
}

// -----

// The place of what a transfer filled rests while the other engine may still read it: the second load need not wait.
!l = !ppl.tensor<1x64x1x16xf32, local, aligned>
// CHECK-LABEL: ppl.net @resting
// CHECK: %[[A:.*]] = ppl.local at 0 :
// CHECK: %[[B:.*]] = ppl.local at 16384 :
// CHECK: %[[C:.*]] = ppl.local at 32768 :
ppl.net @resting on "bm1684x" weights [4294967296, 0] context [4294967296, 65536] inputs [] outputs [] {
  %a = ppl.alloc : !l
  %b = ppl.alloc : !l
  %c = ppl.alloc : !l
  ppl.dma.fill dst = %a, C = 0 : i64 : !l
  ppl.tiu.fadd dst = %b, src0 = %a, src1 = %a : !l, !l, !l
  ppl.dma.fill dst = %c, C = 0 : i64 : !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %c : !l, !l, !l
}

// -----

// It rests for eight commands: then the place is used again, and not one command earlier.
!l = !ppl.tensor<1x64x1x16xf32, local, aligned>
// CHECK-LABEL: ppl.net @rested
// CHECK: %[[A:.*]] = ppl.local at 0 :
// CHECK: %[[B:.*]] = ppl.local at 16384 :
// CHECK: %[[C:.*]] = ppl.local at 0 :
ppl.net @rested on "bm1684x" weights [4294967296, 0] context [4294967296, 65536] inputs [] outputs [] {
  %a = ppl.alloc : !l
  %b = ppl.alloc : !l
  %c = ppl.alloc : !l
  ppl.dma.fill dst = %a, C = 0 : i64 : !l
  ppl.tiu.fadd dst = %b, src0 = %a, src1 = %a : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.dma.fill dst = %c, C = 0 : i64 : !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %c : !l, !l, !l
}
// CHECK-LABEL: ppl.net @still_resting
// CHECK: %[[A:.*]] = ppl.local at 0 :
// CHECK: %[[B:.*]] = ppl.local at 16384 :
// CHECK: %[[C:.*]] = ppl.local at 64 :
ppl.net @still_resting on "bm1684x" weights [4294967296, 0] context [4294967296, 65536] inputs [] outputs [] {
  %a = ppl.alloc : !l
  %b = ppl.alloc : !l
  %c = ppl.alloc : !l
  ppl.dma.fill dst = %a, C = 0 : i64 : !l
  ppl.tiu.fadd dst = %b, src0 = %a, src1 = %a : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %b : !l, !l, !l
  ppl.dma.fill dst = %c, C = 0 : i64 : !l
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %c : !l, !l, !l
}

// -----

// In full memory no place rests, and tensors still lie in order of time (by size the small one would lie behind the others).
!l = !ppl.tensor<1x64x1x16xf32, local, aligned>
!third = !ppl.tensor<1x64x64x384xf32, local, aligned>
// CHECK-LABEL: ppl.net @no_room_to_rest
// CHECK: %[[S:.*]] = ppl.local at 0 :
// CHECK: %[[A:.*]] = ppl.local at 16384 :
// CHECK: %[[B:.*]] = ppl.local at 114688 :
// CHECK: %[[C:.*]] = ppl.local at 16384 :
ppl.net @no_room_to_rest on "bm1684x" weights [4294967296, 0] context [4294967296, 65536] inputs [] outputs [] {
  %s = ppl.alloc : !l
  %a = ppl.alloc : !third
  %b = ppl.alloc : !third
  %c = ppl.alloc : !third
  ppl.dma.fill dst = %s, C = 0 : i64 : !l
  ppl.dma.fill dst = %a, C = 0 : i64 : !third
  ppl.tiu.fadd dst = %b, src0 = %a, src1 = %a : !third, !third, !third
  ppl.dma.fill dst = %c, C = 0 : i64 : !third
  ppl.tiu.fadd dst = %b, src0 = %b, src1 = %c : !third, !third, !third
  ppl.tiu.fadd dst = %s, src0 = %s, src1 = %s : !l, !l, !l
}

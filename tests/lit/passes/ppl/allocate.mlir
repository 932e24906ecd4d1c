// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(ppl.net(ppl-allocate))' --verify-diagnostics | FileCheck %s

// Tensors of one command lie in different banks (16384 bytes each); one that is dead gives its memory back.
!l = !ppl.tensor<1x64x1x16xf32, local, aligned>
// CHECK-LABEL: ppl.net @banks
// CHECK-DAG: %[[A:.*]] = ppl.local at 0 :
// CHECK-DAG: %[[B:.*]] = ppl.local at 16384 :
// CHECK-DAG: %[[C:.*]] = ppl.local at 32768 :
// CHECK: ppl.bdc.float add %[[C]], %[[A]], %[[B]]
ppl.net @banks on "bm1684x" weights [4294967296, 0] context [4294967296, 65536] inputs [] outputs [] {
  %a = ppl.alloc : !l
  %b = ppl.alloc : !l
  %c = ppl.alloc : !l
  %zero = arith.constant 0.0 : f32
  ppl.gdma.fill %a, %zero : !l, f32
  ppl.gdma.fill %b, %zero : !l, f32
  ppl.bdc.float add %c, %a, %b : !l, !l, !l
}

// -----

!big = !ppl.tensor<1x64x128x384xf32, local, aligned>
ppl.net @full on "bm1684x" weights [4294967296, 0] context [4294967296, 65536] inputs [] outputs [] {
  // expected-error @+1 {{local memory is too small: the tensors that live at once take 393216 bytes of each lane, there are 262144; this tensor is the largest (196608), make its block smaller}}
  %a = ppl.alloc : !big
  %b = ppl.alloc : !big
  ppl.bdc.unary copy %a, %b : !big, !big
}

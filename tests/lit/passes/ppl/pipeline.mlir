// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(ppl.net(ppl-pipeline))' --verify-diagnostics | FileCheck %s
// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(ppl.net(ppl-pipeline{serial=true}))' | FileCheck %s --check-prefix=SERIAL
// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(ppl.net(ppl-pipeline{serial-singles=true}))' 2>%t | FileCheck %s --check-prefix=SINGLES
// RUN: FileCheck %s --check-prefix=WARNED < %t

// Three rounds of load, compute, store: step t loads round t, computes round t - 1, stores round t - 2.
!g = !ppl.tensor<1x64x1x16xf32, global, continuous>
!l = !ppl.tensor<1x64x1x16xf32, local, aligned>
// CHECK-LABEL: ppl.net @rounds
// CHECK-NOT: ppl.round
// CHECK: ppl.dma.load dst = %[[X0:.*]], src
// CHECK: ppl.dma.load dst = %[[X1:.*]], src
// CHECK: ppl.tiu.fadd dst = %[[Y0:.*]], src0 = %[[X0]]
// CHECK: ppl.dma.load dst = %[[X2:.*]], src
// CHECK: ppl.tiu.fadd dst = %[[Y1:.*]], src0 = %[[X1]]
// CHECK: ppl.dma.store dst = %{{.*}}, src = %[[Y0]]
// CHECK: ppl.tiu.fadd dst = %[[Y2:.*]], src0 = %[[X2]]
// CHECK: ppl.dma.store dst = %{{.*}}, src = %[[Y1]]
// CHECK: ppl.dma.store dst = %{{.*}}, src = %[[Y2]]
// SINGLES-LABEL: ppl.net @rounds
// SINGLES: ppl.dma.load
// SINGLES-NEXT: ppl.dma.load
// SERIAL-LABEL: ppl.net @rounds
// SERIAL: ppl.dma.load
// SERIAL-NEXT: ppl.tiu.fadd
// SERIAL-NEXT: ppl.dma.store
// SERIAL-NEXT: ppl.dma.load
ppl.net @rounds on "bm1684x" weights [4294967296, 0] context [4294967296, 65536] inputs [] outputs [] {
  %a0 = ppl.global at 4294967296 : !g
  %a1 = ppl.global at 4294971392 : !g
  %a2 = ppl.global at 4294975488 : !g
  %b0 = ppl.global at 4294979584 : !g
  %b1 = ppl.global at 4294983680 : !g
  %b2 = ppl.global at 4294987776 : !g
  %x0 = ppl.alloc : !l
  %y0 = ppl.alloc : !l
  ppl.round "k.cpp:5" {
    ppl.dma.load dst = %x0, src = %a0 : !l, !g
    ppl.tiu.fadd dst = %y0, src0 = %x0, src1 = 1.0 : f64 : !l, !l
    ppl.dma.store dst = %b0, src = %y0 : !g, !l
  }
  %x1 = ppl.alloc : !l
  %y1 = ppl.alloc : !l
  ppl.round "k.cpp:5" {
    ppl.dma.load dst = %x1, src = %a1 : !l, !g
    ppl.tiu.fadd dst = %y1, src0 = %x1, src1 = 1.0 : f64 : !l, !l
    ppl.dma.store dst = %b1, src = %y1 : !g, !l
  }
  %x2 = ppl.alloc : !l
  %y2 = ppl.alloc : !l
  ppl.round "k.cpp:5" {
    ppl.dma.load dst = %x2, src = %a2 : !l, !g
    ppl.tiu.fadd dst = %y2, src0 = %x2, src1 = 1.0 : f64 : !l, !l
    ppl.dma.store dst = %b2, src = %y2 : !g, !l
  }
}

// -----

// A single round by stages overlaps its engines, and both tensors are loaded first; where that does not fit, it stays as it is.
!g = !ppl.tensor<1x64x1x16xf32, global, continuous>
!l = !ppl.tensor<1x64x1x16xf32, local, aligned>
// CHECK-LABEL: ppl.net @single
// CHECK: ppl.dma.load
// CHECK-NEXT: ppl.dma.load
// WARNED: warning: the loop has one round, whose tensors only fit in the order that is written; smaller blocks make rounds that overlap
// SINGLES-LABEL: ppl.net @single
// SINGLES: ppl.dma.load
// SINGLES-NEXT: ppl.tiu.fadd
// SINGLES-NEXT: ppl.dma.store
// SINGLES-NEXT: ppl.dma.load
// SINGLES-NEXT: ppl.tiu.fadd
// SINGLES-NEXT: ppl.dma.store
ppl.net @single on "bm1684x" weights [4294967296, 0] context [4294967296, 65536] inputs [] outputs [] {
  %a0 = ppl.global at 4294967296 : !g
  %a1 = ppl.global at 4294971392 : !g
  %b0 = ppl.global at 4294979584 : !g
  %b1 = ppl.global at 4294983680 : !g
  %x0 = ppl.alloc : !l
  %y0 = ppl.alloc : !l
  %x1 = ppl.alloc : !l
  %y1 = ppl.alloc : !l
  ppl.round "k.cpp:5" {
    ppl.dma.load dst = %x0, src = %a0 : !l, !g
    ppl.tiu.fadd dst = %y0, src0 = %x0, src1 = 1.0 : f64 : !l, !l
    ppl.dma.store dst = %b0, src = %y0 : !g, !l
    ppl.dma.load dst = %x1, src = %a1 : !l, !g
    ppl.tiu.fadd dst = %y1, src0 = %x1, src1 = 1.0 : f64 : !l, !l
    ppl.dma.store dst = %b1, src = %y1 : !g, !l
  }
}

// -----

// The next round loads what this one stores: the order must stay.
!g = !ppl.tensor<1x64x1x16xf32, global, continuous>
!l = !ppl.tensor<1x64x1x16xf32, local, aligned>
// CHECK-LABEL: ppl.net @carried
// CHECK: ppl.dma.load
// CHECK: ppl.tiu.fadd
// CHECK: ppl.dma.store
// CHECK: ppl.dma.load
ppl.net @carried on "bm1684x" weights [4294967296, 0] context [4294967296, 65536] inputs [] outputs [] {
  %a = ppl.global at 4294967296 : !g
  %x0 = ppl.alloc : !l
  %y0 = ppl.alloc : !l
  // expected-warning @+1 {{the loop stays serial: a round reads or overwrites global memory that an earlier round writes in a later stage}}
  ppl.round "k.cpp:5" {
    ppl.dma.load dst = %x0, src = %a : !l, !g
    ppl.tiu.fadd dst = %y0, src0 = %x0, src1 = 1.0 : f64 : !l, !l
    ppl.dma.store dst = %a, src = %y0 : !g, !l
  }
  %x1 = ppl.alloc : !l
  %y1 = ppl.alloc : !l
  ppl.round "k.cpp:5" {
    ppl.dma.load dst = %x1, src = %a : !l, !g
    ppl.tiu.fadd dst = %y1, src0 = %x1, src1 = 1.0 : f64 : !l, !l
    ppl.dma.store dst = %a, src = %y1 : !g, !l
  }
}

// -----

// Column tiles of one matrix, changed in place: no byte is in two of them, so that their rounds overlap.
!m = !ppl.tensor<1x64x4x32xf32, global, continuous>
!g = !ppl.tensor<1x64x4x16xf32, global, [8192, 128, 32, 1]>
!l = !ppl.tensor<1x64x4x16xf32, local, aligned>
// CHECK-LABEL: ppl.net @columns
// CHECK: ppl.dma.load
// CHECK-NEXT: ppl.dma.load
// CHECK-NEXT: ppl.tiu.fadd
ppl.net @columns on "bm1684x" weights [4294967296, 0] context [4294967296, 65536] inputs [] outputs [] {
  %m = ppl.global at 4294967296 : !m
  %a0 = ppl.view %m [0, 0, 0, 0] : !m -> !g
  %a1 = ppl.view %m [0, 0, 0, 16] : !m -> !g
  %x0 = ppl.alloc : !l
  %y0 = ppl.alloc : !l
  ppl.round "k.cpp:5" {
    ppl.dma.load dst = %x0, src = %a0 : !l, !g
    ppl.tiu.fadd dst = %y0, src0 = %x0, src1 = 1.0 : f64 : !l, !l
    ppl.dma.store dst = %a0, src = %y0 : !g, !l
  }
  %x1 = ppl.alloc : !l
  %y1 = ppl.alloc : !l
  ppl.round "k.cpp:5" {
    ppl.dma.load dst = %x1, src = %a1 : !l, !g
    ppl.tiu.fadd dst = %y1, src0 = %x1, src1 = 1.0 : f64 : !l, !l
    ppl.dma.store dst = %a1, src = %y1 : !g, !l
  }
}

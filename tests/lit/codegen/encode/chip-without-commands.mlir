// A kernel target without instructions is interpreted; nobody makes commands for it.
// RUN: not weft-as %s -o - 2>&1 | FileCheck %s
// RUN: not weft-as %s --commands -o - 2>&1 | FileCheck %s
// CHECK: Weft makes no commands for bm1688; it does for bm1684x
ppl.net @main on "bm1688" weights [4294967296, 0] context [4294967296, 8192] inputs [] outputs [] {
}

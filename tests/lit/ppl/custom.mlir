// RUN: weft-opt %s | weft-opt | FileCheck %s

// The place of a plugin's kernel.
// CHECK-LABEL: ppl.net @main
ppl.net @main on "bm1684x" weights [4294967296, 0] context [4294971392, 8192] inputs [] outputs [] {
  %x = ppl.global at 4294971392 : <1x8x1x64xf16, global, continuous>
  %y = ppl.global at 4294975488 : <1x8x1x64xf16, global, continuous>
  // CHECK: ppl.custom "com.example" "Rope" 1 outputs(%{{.*}}) inputs(%{{.*}}) {base = 1.000000e+04 : f64} [tensor<1x8x64xf16>] to [tensor<8x64xf16>] attributes {absent = array<i64: 1>} :
  ppl.custom "com.example" "Rope" 1 outputs(%y) inputs(%x) {base = 1.0e+04 : f64} [tensor<1x8x64xf16>] to [tensor<8x64xf16>]
      attributes {absent = array<i64: 1>}
      : (!ppl.tensor<1x8x1x64xf16, global, continuous>) -> !ppl.tensor<1x8x1x64xf16, global, continuous>
}

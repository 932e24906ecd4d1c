// RUN: weft-opt %s --split-input-file --verify-diagnostics

ppl.net @main on "bm1684x" weights [4294967296, 0] context [4294971392, 8192] inputs [] outputs [] {
  %x = ppl.global at 4294971392 : <1x8x1x64xf16, global, continuous>
  // expected-error @+1 {{gives '!ppl.tensor<1x8x1x64xf16, global, continuous>' as 'tensor<1x8x63xf16>'; both must have the same elements}}
  ppl.custom "com.example" "Rope" 1 outputs(%x) inputs(%x) {} [tensor<1x8x63xf16>] to [tensor<8x64xf16>]
      : (!ppl.tensor<1x8x1x64xf16, global, continuous>) -> !ppl.tensor<1x8x1x64xf16, global, continuous>
}

// -----

ppl.net @main on "bm1684x" weights [4294967296, 0] context [4294971392, 8192] inputs [] outputs [] {
  %x = ppl.global at 4294971392 : <1x8x1x64xf16, global, [512, 64, 64, 1]>
  // expected-error @+1 {{among its outputs; they must be continuous}}
  ppl.custom "com.example" "Rope" 1 outputs(%x) inputs() {} [] to [tensor<8x64xf16>]
      : () -> !ppl.tensor<1x8x1x64xf16, global, [512, 64, 64, 1]>
}

// -----

ppl.net @main on "bm1684x" weights [4294967296, 0] context [4294971392, 8192] inputs [] outputs [] {
  %x = ppl.global at 4294971392 : <1x8x1x64xf16, global, continuous>
  // expected-error @+1 {{has 0 types for 1 inputs; give one for each}}
  ppl.custom "com.example" "Rope" 1 outputs(%x) inputs(%x) {} [] to [tensor<8x64xf16>]
      : (!ppl.tensor<1x8x1x64xf16, global, continuous>) -> !ppl.tensor<1x8x1x64xf16, global, continuous>
}

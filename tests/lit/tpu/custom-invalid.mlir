// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
  // expected-error @+1 {{gives 'tensor<1x8x1x64xf16>' as 'tensor<8x64xf32>'; both must have the same elements}}
  %0 = tpu.custom "com.example" "Rope" 1 (%x) {} [tensor<8x64xf32>] to [tensor<8x64xf16>] : (tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16>
  return %0 : tensor<1x8x1x64xf16>
}

// -----

func.func @main(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
  // expected-error @+1 {{has 2 types for 1 results; give one for each}}
  %0 = tpu.custom "com.example" "Rope" 1 (%x) {} [tensor<8x64xf16>] to [tensor<8x64xf16>, tensor<1xf16>] : (tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16>
  return %0 : tensor<1x8x1x64xf16>
}

// -----

func.func @main(%x: tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16> {
  // expected-error @+1 {{has 2 addresses for 1 results; give one for each}}
  %0 = tpu.custom "com.example" "Rope" 1 (%x) {} [tensor<8x64xf16>] to [tensor<8x64xf16>] attributes {addresses = array<i64: 0, 64>} : (tensor<1x8x1x64xf16>) -> tensor<1x8x1x64xf16>
  return %0 : tensor<1x8x1x64xf16>
}

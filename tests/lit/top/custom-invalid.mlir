// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @main(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  // expected-error @+1 {{names input 2 as left out; inputs must ascend below 2}}
  %0 = top.custom "com.example" "Rope" 1 (%x) {} floats ["f32"] attributes {absent = array<i64: 2>} : (tensor<8x64xf32>) -> tensor<8x64xf32>
  return %0 : tensor<8x64xf32>
}

// -----

func.func @main(%x: tensor<8x64xf32>) {
  // expected-error @+1 {{has no result; it needs one}}
  top.custom "com.example" "Rope" 1 (%x) {} floats ["f32"] : (tensor<8x64xf32>) -> ()
  return
}

// What the verifiers of tpu's norm family refuse, by the labels of their descriptions.
// RUN: weft-opt --verify-diagnostics --split-input-file %s

// C1: channels
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x3x1x1xf32>, %c: tensor<1x3x1x1xf32>) {
  // expected-error@+1 {{scale and bias must be 1x4x1x1 of the input's element type}}
  %y = tpu.scale %a, %b, %c : tensor<1x4x6x6xf32>, tensor<1x3x1x1xf32>
  return
}

// -----

// C1: type
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x4x1x1xf16>, %c: tensor<1x4x1x1xf16>) {
  // expected-error@+1 {{scale and bias must be 1x4x1x1 of the input's element type}}
  %y = tpu.scale %a, %b, %c : tensor<1x4x6x6xf32>, tensor<1x4x1x1xf16>
  return
}

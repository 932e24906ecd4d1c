// What the verifiers of tpu's softmax family refuse, by the labels of their descriptions.
// RUN: weft-opt --verify-diagnostics --split-input-file %s

// C1
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{attribute 'axis' failed to satisfy constraint: 64-bit signless integer attribute whose minimum value is 0 whose maximum value is 3}}
  %y = tpu.softmax %a {axis = 4 : i64} : tensor<1x4x6x6xf32>
  return
}

// -----

// C1: channels
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{axis is 1, must be 0, 2 or 3: channels lie in different lanes}}
  %y = tpu.softmax %a {axis = 1 : i64} : tensor<1x4x6x6xf32>
  return
}

// -----

// Softmax_C2
func.func @refused(%a: tensor<1x4x6x6xf16>) {
  // expected-error@+1 {{short_steps is for f32, narrow_steps for f16}}
  %y = tpu.softmax %a {axis = 3 : i64, short_steps} : tensor<1x4x6x6xf16>
  return
}

// -----

// Softmax_C2
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{short_steps is for f32, narrow_steps for f16}}
  %y = tpu.softmax %a {axis = 3 : i64, narrow_steps} : tensor<1x4x6x6xf32>
  return
}

// -----

// Softmax_C3
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{over_lanes is for axis 3 of an input with one row}}
  %y = tpu.softmax %a {axis = 3 : i64, over_lanes} : tensor<1x4x6x6xf32>
  return
}

// What the verifiers of tpu's resize family refuse, by the labels of their descriptions.
// RUN: weft-opt --verify-diagnostics --split-input-file %s

// C1: one factor
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{needs 2 positive factors, and 1 or as many inputs as their product}}
  %y = tpu.interleave %a factors [2] : (tensor<1x4x6x6xf32>) -> tensor<1x4x12x6xf32>
  return
}

// -----

// C1: two inputs for four places
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{needs 2 positive factors, and 1 or as many inputs as their product}}
  %y = tpu.interleave %a, %a factors [2, 2] : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x12x12xf32>
  return
}

// -----

// C2
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x4x6x6xf16>) {
  // expected-error@+1 {{all inputs must have one type}}
  %y = tpu.interleave %a, %b factors [1, 2] : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf16>) -> tensor<1x4x6x12xf32>
  return
}

// -----

// C3
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{result must be 1x4x12x12 of the input's element type}}
  %y = tpu.interleave %a factors [2, 2] : (tensor<1x4x6x6xf32>) -> tensor<1x4x12x6xf32>
  return
}

// -----

// ChannelsToRows_C1
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{needs one image, whose channels are a multiple of the result's}}
  %y = tpu.channels_to_rows %a : tensor<1x4x6x6xf32> -> tensor<1x3x12x6xf32>
  return
}

// -----

// ChannelsToRows_C2
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{result must have 12 rows or up to 1 fewer, the input's width and element type}}
  %y = tpu.channels_to_rows %a : tensor<1x4x6x6xf32> -> tensor<1x2x10x6xf32>
  return
}

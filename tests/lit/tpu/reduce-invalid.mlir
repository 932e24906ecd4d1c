// What the verifiers of tpu's reduce family refuse, by the labels of their descriptions.
// RUN: weft-opt --verify-diagnostics --split-input-file %s

// C1
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{axis is 1, must be 0, 2 or 3: channels lie in different lanes}}
  %y = tpu.reduce sum %a axis 1 : tensor<1x4x6x6xf32> -> tensor<1x1x6x6xf32>
  return
}

// -----

// C2
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{result must be 1x4x6x1}}
  %y = tpu.reduce sum %a axis 3 : tensor<1x4x6x6xf32> -> tensor<1x4x1x6xf32>
  return
}

// -----

// C2: type
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{result must have the element type of the input}}
  %y = tpu.reduce max %a axis 3 : tensor<1x4x6x6xf32> -> tensor<1x4x6x1xf16>
  return
}

// -----

// C3
func.func @refused(%a: tensor<1x4x6x6xf16>) {
  // expected-error@+1 {{sums and products of floats are f32, the input is 'f16'}}
  %y = tpu.reduce sum %a axis 3 : tensor<1x4x6x6xf16> -> tensor<1x4x6x1xf16>
  return
}

// -----

// channel_sum C1
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{result must have one channel and else the shape of the input}}
  %y = tpu.channel_sum %a : tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// channel_sum C2
func.func @refused(%a: tensor<1x4x6x6xf16>) {
  // expected-error@+1 {{terms must be 1 or 2, of an input that is f32}}
  %y = tpu.channel_sum %a {terms = 2 : i64} : tensor<1x4x6x6xf16> -> tensor<1x1x6x6xf32>
  return
}

// -----

// arg_reduce C2
func.func @refused(%a: tensor<1x4x6x6xf32>, %c: tensor<1x1x1x6xf32>) {
  // expected-error@+1 {{kind must be max or min}}
  %y = tpu.arg_reduce sum %a, %c axis 3 : tensor<1x4x6x6xf32>, tensor<1x1x1x6xf32> -> tensor<1x4x6x1xi32>
  return
}

// -----

// arg_reduce C5
func.func @refused(%a: tensor<1x4x6x6xf32>, %c: tensor<1x1x1x5xf32>) {
  // expected-error@+1 {{codes must have one number for each index along the axis}}
  %y = tpu.arg_reduce max %a, %c axis 3 : tensor<1x4x6x6xf32>, tensor<1x1x1x5xf32> -> tensor<1x4x6x1xi32>
  return
}

// -----

// cumulative C2
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{kind must be sum or prod}}
  %y = tpu.cumulative max %a axis 3 : tensor<1x4x6x6xf32>
  return
}

// -----

// arg_reduce C6
func.func @refused(%a: tensor<1x4x1x6xf32>) {
  %c = tpu.weight dense<1.0> : tensor<1x1x1x6xf32>
  // expected-error@+1 {{result must be 1x1x1x1}}
  %y = tpu.arg_reduce max %a, %c axis 3 {over_lanes} : tensor<1x4x1x6xf32>, tensor<1x1x1x6xf32> -> tensor<1x4x1x1xi32>
  return
}

// -----

// arg_reduce C6
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  %c = tpu.weight dense<1.0> : tensor<1x1x1x6xf32>
  // expected-error@+1 {{over_lanes is for axis 3 of an input with one row}}
  %y = tpu.arg_reduce max %a, %c axis 3 {over_lanes} : tensor<1x4x6x6xf32>, tensor<1x1x1x6xf32> -> tensor<1x1x6x1xi32>
  return
}

// -----

// arg_reduce C5
func.func @refused(%a: tensor<1x1024x1x65535xf32>) {
  %c = tpu.weight dense<1.0> : tensor<1x1x1x65535xf32>
  // expected-error@+1 {{lines have 67107840 elements, may have 2^24, whose codes f32 holds}}
  %y = tpu.arg_reduce max %a, %c axis 3 {over_lanes} : tensor<1x1024x1x65535xf32>, tensor<1x1x1x65535xf32> -> tensor<1x1x1x1xi32>
  return
}

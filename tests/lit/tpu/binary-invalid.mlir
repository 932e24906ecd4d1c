// What the verifiers of tpu's binary family refuse, by the labels of their descriptions.
// RUN: weft-opt --verify-diagnostics --split-input-file %s

// C1: no broadcast
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x3x6x6xf32>) {
  // expected-error@+1 {{result shape must be the broadcast shape of the operands}}
  %y = tpu.binary add %a, %b : tensor<1x4x6x6xf32>, tensor<1x3x6x6xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C1: result too small
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{result shape must be the broadcast shape of the operands}}
  %y = tpu.binary add %a, %b : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32> -> tensor<1x4x6x1xf32>
  return
}

// -----

// C2: neither
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{needs exactly one of a second operand and constant}}
  %y = tpu.binary add %a : tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C2: both
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{needs exactly one of a second operand and constant}}
  %y = tpu.binary add %a, %b {constant = 1.0 : f64} : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C2: reversed with a tensor
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{is reversed with two tensors; reversed needs a constant}}
  %y = tpu.binary sub %a, %b {reversed} : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C3: two float types
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x4x6x6xf16>) {
  // expected-error@+1 {{float form needs one element type}}
  %y = tpu.binary add %a, %b : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf16> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C3: float result
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{operands and result must be all float or all quantized}}
  %y = tpu.binary add %a, %b {multipliers = array<i32: 1, 1>, rshifts = array<i32: 0, 0>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C4: float with shifts
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{float form takes no multipliers or rshifts}}
  %y = tpu.binary add %a, %b {multipliers = array<i32: 1, 1>, rshifts = array<i32: 0, 0>} : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C4: quantized div
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{quantized form has no constant and no div}}
  %y = tpu.binary div %a, %b : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// C4: one multiplier
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{quantized add needs 2 multipliers and rshifts, rshifts in [0, 63]}}
  %y = tpu.binary add %a, %b {multipliers = array<i32: 1>, rshifts = array<i32: 0>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// C4: shift of 64
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{quantized mul needs 1 multipliers and rshifts, rshifts in [0, 63]}}
  %y = tpu.binary mul %a, %b {multipliers = array<i32: 1>, rshifts = array<i32: 64>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// C4: max of two types
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<1x4x6x6x!quant.uniform<u8:f32, 0.5>>) {
  // expected-error@+1 {{quantized max and min need one element type}}
  %y = tpu.binary max %a, %b : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<1x4x6x6x!quant.uniform<u8:f32, 0.5>> -> tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// C5: a sequence of 16-bit floats
func.func @refused(%a: tensor<1x4x6x6xf16>, %b: tensor<1x4x6x6xf16>) {
  // expected-error@+1 {{pow takes f32, found 'f16'}}
  %y = tpu.binary pow %a, %b : tensor<1x4x6x6xf16>, tensor<1x4x6x6xf16> -> tensor<1x4x6x6xf16>
  return
}

// -----

// C5: a sequence of quantized numbers
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{mod takes f32, found '!quant.uniform<i8:f32, 5.000000e-01>'}}
  %y = tpu.binary mod %a, %b : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// C5: a sequence of integers
func.func @refused(%a: tensor<1x4x6x6xi32>, %b: tensor<1x4x6x6xi32>) {
  // expected-error@+1 {{integer form has no fmod}}
  %y = tpu.binary fmod %a, %b : tensor<1x4x6x6xi32>, tensor<1x4x6x6xi32> -> tensor<1x4x6x6xi32>
  return
}

// -----

// C5: shifts of floats
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{shift_left takes integers, found 'f32'}}
  %y = tpu.binary shift_left %a, %b : tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// Sums of codes count from 0
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5:7>>) {
  // expected-error@+1 {{symmetric per-tensor quantized element (zero point 0)}}
  %y = tpu.binary add %a, %a {multipliers = array<i32: 1, 1>, rshifts = array<i32: 0, 0>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5:7>>, tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5:7>> -> tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5:7>>
  return
}

// -----

// C6: a signed result is not clipped at 0
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{relu with a quantized result needs an unsigned one}}
  %y = tpu.binary add %a, %a {relu, multipliers = array<i32: 1, 1>, rshifts = array<i32: 0, 0>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>
  return
}

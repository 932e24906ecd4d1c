// What the verifiers of tpu's cast family refuse, by the labels of their descriptions.
// RUN: weft-opt --verify-diagnostics --split-input-file %s

// C1
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{input and output must have one shape}}
  %y = tpu.cast %a : tensor<1x4x6x6xf32> -> tensor<1x4x6x5xf16>
  return
}

// -----

// C3: requantize without numbers
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{requantize needs multiplier and rshift in [0, 63], other forms none}}
  %y = tpu.cast %a : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x6x6x!quant.uniform<u8:f32, 0.5>>
  return
}

// -----

// C3: shift of 64
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{requantize needs multiplier and rshift in [0, 63], other forms none}}
  %y = tpu.cast %a {multiplier = 1 : i32, rshift = 64 : i32} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x6x6x!quant.uniform<u8:f32, 0.5>>
  return
}

// -----

// C3: numbers of a float cast
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{requantize needs multiplier and rshift in [0, 63], other forms none}}
  %y = tpu.cast %a {multiplier = 1 : i32, rshift = 1 : i32} : tensor<1x4x6x6xf32> -> tensor<1x4x6x6xf16>
  return
}

// -----

// C4
func.func @refused(%a: tensor<1x4x6x6xf16>) {
  // expected-error@+1 {{'tpu.cast' op of 'f16' to 'bf16'; the chip has none, cast to f32 first}}
  %y = tpu.cast %a : tensor<1x4x6x6xf16> -> tensor<1x4x6x6xbf16>
  return
}

// -----

// C4
func.func @refused(%a: tensor<1x4x6x6xbf16>) {
  // expected-error@+1 {{'tpu.cast' op of 'bf16' to 'f16'; the chip has none, cast to f32 first}}
  %y = tpu.cast %a : tensor<1x4x6x6xbf16> -> tensor<1x4x6x6xf16>
  return
}

// -----

// C2: an integer to a quantized element
func.func @refused(%a: tensor<1x4x6x6xi32>) {
  // expected-error@+1 {{quantized elements and integers mix with bits only}}
  %y = tpu.cast %a : tensor<1x4x6x6xi32> -> tensor<1x4x6x6x!quant.uniform<i8:f32, 0.1>>
  return
}

// -----

// C2: the bits of another width
func.func @refused(%a: tensor<1x4x6x6xui8>) {
  // expected-error@+1 {{with bits needs floats or integers of one width, or integers and quantized elements, not 'ui8' and 'i32'}}
  %y = tpu.cast %a {bits} : tensor<1x4x6x6xui8> -> tensor<1x4x6x6xi32>
  return
}

// -----

// C5
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{casts to integers round half_even, half_away, towards_zero, down or up, not half_up}}
  %y = tpu.cast %a {rounding = 5 : i32} : tensor<1x4x6x6xf32> -> tensor<1x4x6x6xi32>
  return
}

// -----

// 16 bits have no zero point
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{result #0 must be 4D tensor of}}
  %y = tpu.cast %a : tensor<1x4x6x6xf32> -> tensor<1x4x6x6x!quant.uniform<i16:f32, 0.5:7>>
  return
}

// -----

// C2: the bits of codes as other codes
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{with bits needs floats or integers of one width, or integers and quantized elements, not}}
  %y = tpu.cast %a {bits} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x6x6x!quant.uniform<i8:f32, 0.25>>
  return
}

// What the verifiers of tpu's pool family refuse, by the labels of their descriptions.
// RUN: weft-opt --verify-diagnostics --split-input-file %s

// C1: one size
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{needs 2 positive kernel sizes, 2 positive strides and 4 pads}}
  %y = tpu.pool max %a kernel [2] strides [2, 2] pads [0, 0, 0, 0] : tensor<1x4x6x6xf32> -> tensor<1x4x3x3xf32>
  return
}

// -----

// C1: pad as large as the kernel
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{pads must be non-negative and smaller than the kernel}}
  %y = tpu.pool max %a kernel [2, 2] strides [2, 2] pads [2, 0, 0, 0] : tensor<1x4x6x6xf32> -> tensor<1x4x3x3xf32>
  return
}

// -----

// C2
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{result must be 1x4x3x3}}
  %y = tpu.pool max %a kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] : tensor<1x4x6x6xf32> -> tensor<1x4x3x4xf32>
  return
}

// -----

// C3: float
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{result must have the element type of the input}}
  %y = tpu.pool avg %a kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] : tensor<1x4x6x6xf32> -> tensor<1x4x3x3xf16>
  return
}

// -----

// C3: float from 8 bits
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{quantized average needs a quantized result}}
  %y = tpu.pool avg %a kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] {multiplier = 64 : i32, rshift = 8 : i32} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x3x3xf32>
  return
}

// -----

// C4
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{average with pads needs count_include_pad}}
  %y = tpu.pool avg %a kernel [2, 2] strides [2, 2] pads [1, 0, 1, 0] : tensor<1x4x6x6xf32> -> tensor<1x4x4x3xf32>
  return
}

// -----

// C5: none
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{quantized average needs multiplier in [0, 255] and rshift in [0, 31], other forms none}}
  %y = tpu.pool avg %a kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x3x3x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// C5: multiplier of 256
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{quantized average needs multiplier in [0, 255] and rshift in [0, 31], other forms none}}
  %y = tpu.pool avg %a kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] {multiplier = 256 : i32, rshift = 8 : i32} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x3x3x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// C5: of a maximum
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{quantized average needs multiplier in [0, 255] and rshift in [0, 31], other forms none}}
  %y = tpu.pool max %a kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] {multiplier = 64 : i32, rshift = 8 : i32} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x3x3x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// C6
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5:7>>) {
  // expected-error@+1 {{quantized average needs zero point 0; dequantize it first}}
  %y = tpu.pool avg %a kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] {multiplier = 64 : i32, rshift = 8 : i32} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5:7>> -> tensor<1x4x3x3x!quant.uniform<i8:f32, 0.5:7>>
  return
}

// -----

// C7
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>) {
  // expected-error@+1 {{the result must be signed exactly if the input is}}
  %y = tpu.pool avg %a kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] {multiplier = 64 : i32, rshift = 8 : i32} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>> -> tensor<1x4x3x3x!quant.uniform<u8:f32, 0.5>>
  return
}

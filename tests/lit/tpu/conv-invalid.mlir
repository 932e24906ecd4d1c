// What the verifiers of tpu's conv family refuse, by the labels of their descriptions.
// RUN: weft-opt --verify-diagnostics --split-input-file %s

// C1: channels
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<4x3x3x3xf32>) {
  // expected-error@+1 {{input channels 4, filter 4x3 and group 1 do not fit; input channels must be filter channels times group, and group must divide the filters}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x4x6x6xf32>, tensor<4x3x3x3xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C1: group does not divide
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<5x2x3x3xf32>) {
  // expected-error@+1 {{input channels 4, filter 5x2 and group 2 do not fit}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 2 : tensor<1x4x6x6xf32>, tensor<5x2x3x3xf32> -> tensor<1x5x6x6xf32>
  return
}

// -----

// C2: stride 0
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<4x4x3x3xf32>) {
  // expected-error@+1 {{needs 2 positive strides, 2 positive dilations and 4 non-negative pads}}
  %y = tpu.conv %a, %b strides [0, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x4x6x6xf32>, tensor<4x4x3x3xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C2: negative pad
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<4x4x3x3xf32>) {
  // expected-error@+1 {{needs 2 positive strides, 2 positive dilations and 4 non-negative pads}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, -1, 1] dilations [1, 1] group 1 : tensor<1x4x6x6xf32>, tensor<4x4x3x3xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C3
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<4x4x3x3xf32>) {
  // expected-error@+1 {{result must be 1x4x6x6}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x4x6x6xf32>, tensor<4x4x3x3xf32> -> tensor<1x4x5x6xf32>
  return
}

// -----

// C4
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<4x4x3x3xf32>, %c: tensor<1x3x1x1xf32>) {
  // expected-error@+1 {{bias must be 1x4x1x1}}
  %y = tpu.conv %a, %b, %c strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x4x6x6xf32>, tensor<4x4x3x3xf32>, tensor<1x3x1x1xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C5: filter of another type
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<4x4x3x3xf16>) {
  // expected-error@+1 {{float form needs one type for input and filter, that type or f32 as result, and an f32 bias}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x4x6x6xf32>, tensor<4x4x3x3xf16> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C5: f16 from f32
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<4x4x3x3xf32>) {
  // expected-error@+1 {{float form needs one type for input and filter, that type or f32 as result, and an f32 bias}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x4x6x6xf32>, tensor<4x4x3x3xf32> -> tensor<1x4x6x6xf16>
  return
}

// -----

// C5: float filter
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<4x4x3x3xf32>) {
  // expected-error@+1 {{int8 form needs an i8 filter}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<4x4x3x3xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C5: f32 bias with multipliers
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<4x4x3x3xi8>, %c: tensor<1x4x1x1xf32>) {
  // expected-error@+1 {{bias must be i32 with multipliers and f32 with scales and a float result}}
  %y = tpu.conv %a, %b, %c strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {multipliers = array<i32: 1, 1, 1, 1>, rshifts = array<i32: 0, 0, 0, 0>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<4x4x3x3xi8>, tensor<1x4x1x1xf32> -> tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// C5: multipliers to float
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<4x4x3x3xi8>, %c: tensor<1x4x1x1xi32>) {
  // expected-error@+1 {{multipliers need a quantized result}}
  %y = tpu.conv %a, %b, %c strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {multipliers = array<i32: 1, 1, 1, 1>, rshifts = array<i32: 0, 0, 0, 0>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<4x4x3x3xi8>, tensor<1x4x1x1xi32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C6: float with scales
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<4x4x3x3xf32>) {
  // expected-error@+1 {{float form takes no multipliers, rshifts, scales or filter_zero_points}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {scales = array<f32: 1.0, 1.0, 1.0, 1.0>} : tensor<1x4x6x6xf32>, tensor<4x4x3x3xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C10: what is not depthwise
func.func @refused(%a: tensor<1x4x6x6xf16>, %b: tensor<4x4x3x3xf16>) {
  // expected-error@+1 {{narrow_sums needs a depthwise convolution with f16 for input, filter, bias and result}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {narrow_sums} : tensor<1x4x6x6xf16>, tensor<4x4x3x3xf16> -> tensor<1x4x6x6xf16>
  return
}

// -----

// C10: a bias of f32
func.func @refused(%a: tensor<1x4x6x6xf16>, %b: tensor<4x1x3x3xf16>, %c: tensor<1x4x1x1xf32>) {
  // expected-error@+1 {{narrow_sums needs a depthwise convolution with f16 for input, filter, bias and result}}
  %y = tpu.conv %a, %b, %c strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 4 {narrow_sums} : tensor<1x4x6x6xf16>, tensor<4x1x3x3xf16>, tensor<1x4x1x1xf32> -> tensor<1x4x6x6xf16>
  return
}

// -----

// C10: codes
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<4x1x3x3xi8>) {
  // expected-error@+1 {{the int8 form takes no narrow_sums}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 4 {narrow_sums, scales = array<f32: 1.0, 1.0, 1.0, 1.0>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<4x1x3x3xi8> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C6: nothing
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<4x4x3x3xi8>) {
  // expected-error@+1 {{int8 form needs either scales or both multipliers and rshifts}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<4x4x3x3xi8> -> tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// C6: three scales
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<4x4x3x3xi8>) {
  // expected-error@+1 {{needs 4 scales}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {scales = array<f32: 1.0, 1.0, 1.0>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<4x4x3x3xi8> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C6: shift of 64
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<4x4x3x3xi8>) {
  // expected-error@+1 {{needs 4 multipliers and rshifts, rshifts in [0, 63]}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {multipliers = array<i32: 1, 1, 1, 1>, rshifts = array<i32: 0, 0, 0, 64>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<4x4x3x3xi8> -> tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// C7
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<4x4x3x3xi8>) {
  // expected-error@+1 {{relu with a quantized result needs an unsigned one}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {relu, multipliers = array<i32: 1, 1, 1, 1>, rshifts = array<i32: 0, 0, 0, 0>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<4x4x3x3xi8> -> tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// C1 of unfold: one kernel size
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{needs 2 positive kernel sizes, 2 positive strides, 2 positive dilations and 4 non-negative pads}}
  %y = tpu.unfold %a kernel [3] strides [1, 1] pads [1, 0, 1, 0] dilations [1, 1] : tensor<1x4x6x6xf32> -> tensor<1x12x6x6xf32>
  return
}

// -----

// C1 of unfold: stride 0
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{needs 2 positive kernel sizes, 2 positive strides, 2 positive dilations and 4 non-negative pads}}
  %y = tpu.unfold %a kernel [3, 1] strides [0, 1] pads [1, 0, 1, 0] dilations [1, 1] : tensor<1x4x6x6xf32> -> tensor<1x12x6x6xf32>
  return
}

// -----

// C2 of unfold
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{result must be 1x12x3x6}}
  %y = tpu.unfold %a kernel [3, 1] strides [2, 1] pads [1, 0, 1, 0] dilations [1, 1] : tensor<1x4x6x6xf32> -> tensor<1x12x6x6xf32>
  return
}

// -----

// C3 of unfold: another type
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{needs floats or 8 bits, and a result of the element type of the input}}
  %y = tpu.unfold %a kernel [3, 1] strides [1, 1] pads [1, 0, 1, 0] dilations [1, 1] : tensor<1x4x6x6xf32> -> tensor<1x12x6x6xf16>
  return
}

// -----

// C3 of unfold: 16 bits
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i16:f32, 0.5>>) {
  // expected-error@+1 {{needs floats or 8 bits, and a result of the element type of the input}}
  %y = tpu.unfold %a kernel [3, 1] strides [1, 1] pads [1, 0, 1, 0] dilations [1, 1] : tensor<1x4x6x6x!quant.uniform<i16:f32, 0.5>> -> tensor<1x12x6x6x!quant.uniform<i16:f32, 0.5>>
  return
}

// -----

// (C8)
func.func @interleaved(%a: tensor<1x4x6x6xf32>, %b: tensor<4x4x1x1xf32>) {
  // expected-error@+1 {{interleaved needs several groups that are not one channel each}}
  %y = tpu.conv %a, %b strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 {interleaved} : tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C7: codes that do not count from 0
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5:3>>, %b: tensor<4x4x3x3xi8>) {
  // expected-error@+1 {{relu with a quantized result needs an unsigned one with zero point 0}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {relu, multipliers = array<i32: 1, 1, 1, 1>, rshifts = array<i32: 0, 0, 0, 0>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5:3>>, tensor<4x4x3x3xi8> -> tensor<1x4x6x6x!quant.uniform<u8:f32, 0.5:3>>
  return
}

// -----

// A zero point that is no code
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5:200>>, %b: tensor<4x4x3x3xi8>) {
  // expected-error@+1 {{operand #0 must be 4D tensor of 32-bit float or 16-bit float or bfloat16 type or per-tensor quantized element (a zero point other than 0 is a code of 8 bits) values}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {scales = array<f32: 1.0, 1.0, 1.0, 1.0>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5:200>>, tensor<4x4x3x3xi8> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C9: two groups
func.func @nine_bits_of_groups(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<4x2x3x3xi8>) {
  // expected-error@+1 {{needs one group and 4 filter_zero_points in [-128, 127]}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 2 {filter_zero_points = array<i32: 1, 1, 1, 1>, scales = array<f32: 1.0, 1.0, 1.0, 1.0>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<4x2x3x3xi8> -> tensor<1x4x6x6xf32>
  return
}

// -----

// C9: beyond 8 bits
func.func @ten_bits(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<4x4x3x3xi8>) {
  // expected-error@+1 {{needs one group and 4 filter_zero_points in [-128, 127]}}
  %y = tpu.conv %a, %b strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 1 {filter_zero_points = array<i32: 1, 1, 1, 128>, scales = array<f32: 1.0, 1.0, 1.0, 1.0>} : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<4x4x3x3xi8> -> tensor<1x4x6x6xf32>
  return
}

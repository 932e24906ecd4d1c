// RUN: weft-opt %s --split-input-file --verify-diagnostics

func.func @unknown(%x: tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> {
  // expected-error @+1 {{has no recipe 'table'; this one can take elements}}
  %y = tpu.unary relu %x {tpu.recipe = "table"} : tensor<1x8x6x6xf32>
  return %y : tensor<1x8x6x6xf32>
}

// -----

func.func @text(%x: tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> {
  // expected-error @+1 {{tpu.recipe must be a string on an op that has recipes}}
  %y = tpu.unary relu %x {tpu.recipe = 3 : i32} : tensor<1x8x6x6xf32>
  return %y : tensor<1x8x6x6xf32>
}

// -----

func.func @float(%x: tensor<1x8x6x6xf32>) -> tensor<1x8x6x6xf32> {
  // expected-error @+1 {{cannot take recipe 'products'; this one can take elements}}
  %y = tpu.binary add %x, %x {tpu.recipe = "products"} : tensor<1x8x6x6xf32>, tensor<1x8x6x6xf32> -> tensor<1x8x6x6xf32>
  return %y : tensor<1x8x6x6xf32>
}

// -----

// The cube adds no bias.
!q = !quant.uniform<i8:f32, 0.05>
func.func @cube(%x: tensor<1x2x6x6x!q>) -> tensor<1x2x6x6x!q> {
  %w = tpu.weight dense<3> : tensor<2x2x1x1xi8>
  %b = tpu.weight dense<7> : tensor<1x2x1x1xi32>
  // expected-error @+1 {{cannot take recipe 'window_bias'; this one can take window}}
  %y = tpu.conv %x, %w, %b strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 {multipliers = array<i32: 5, 5>, rshifts = array<i32: 9, 9>, tpu.recipe = "window_bias"} : tensor<1x2x6x6x!q>, tensor<2x2x1x1xi8>, tensor<1x2x1x1xi32> -> tensor<1x2x6x6x!q>
  return %y : tensor<1x2x6x6x!q>
}

// -----

// Products of 32 bits are signed.
!w = !quant.uniform<u16:f32, 0.05>
func.func @wide(%x: tensor<1x2x6x6x!w>) -> tensor<1x2x6x6x!w> {
  // expected-error @+1 {{quantized mul takes 8-bit operands}}
  %y = tpu.binary mul %x, %x {multipliers = array<i32: 5>, rshifts = array<i32: 9>} : tensor<1x2x6x6x!w>, tensor<1x2x6x6x!w> -> tensor<1x2x6x6x!w>
  return %y : tensor<1x2x6x6x!w>
}

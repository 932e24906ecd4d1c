// What the verifiers of tpu's unary family refuse, by the labels of their descriptions.
// RUN: weft-opt --verify-diagnostics --split-input-file %s

// C1: clip without beta
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{clip needs alpha and beta}}
  %y = tpu.unary clip %a {alpha = 0.0 : f64} : tensor<1x4x6x6xf32>
  return
}

// -----

// C1: leaky_relu without alpha
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{leaky_relu needs alpha only}}
  %y = tpu.unary leaky_relu %a : tensor<1x4x6x6xf32>
  return
}

// -----

// C1: relu with alpha
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{relu needs no alpha and no beta}}
  %y = tpu.unary relu %a {alpha = 0.0 : f64} : tensor<1x4x6x6xf32>
  return
}

// -----

// Lut_C1
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<1x1x1x256xi8>) {
  // expected-error@+1 {{input and output must have one shape}}
  %y = tpu.lut %a, %b : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<1x1x1x256xi8> -> tensor<1x4x6x5x!quant.uniform<u8:f32, 0.5>>
  return
}

// -----

// Lut_C2
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, %b: tensor<1x1x1x255xi8>) {
  // expected-error@+1 {{table must be 1x1x1x256xi8}}
  %y = tpu.lut %a, %b : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>, tensor<1x1x1x255xi8> -> tensor<1x4x6x6x!quant.uniform<u8:f32, 0.5>>
  return
}

// -----

// Tables are of codes that count from 0
func.func @refused(%a: tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5:7>>) {
  %t = tpu.weight dense<1> : tensor<1x1x1x256xi8>
  // expected-error@+1 {{symmetric per-tensor quantized element (zero point 0)}}
  %y = tpu.lut %a, %t : tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5:7>>, tensor<1x1x1x256xi8> -> tensor<1x4x6x6x!quant.uniform<i8:f32, 0.5>>
  return
}

// -----

// Unary_C3
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{there are no narrow steps for this swish}}
  %y = tpu.unary swish %a {alpha = 1.0 : f64, narrow_steps} : tensor<1x4x6x6xf32>
  return
}

// -----

// Unary_C3
func.func @refused(%a: tensor<1x4x6x6xf16>) {
  // expected-error@+1 {{there are no narrow steps for this swish}}
  %y = tpu.unary swish %a {alpha = -1.0 : f64, narrow_steps} : tensor<1x4x6x6xf16>
  return
}

// -----

// Unary_C3
func.func @refused(%a: tensor<1x4x6x6xf16>) {
  // expected-error@+1 {{there are no narrow steps for this sigmoid}}
  %y = tpu.unary sigmoid %a {narrow_steps} : tensor<1x4x6x6xf16>
  return
}

// -----

// Unary_C4
func.func @refused(%a: tensor<1x4x6x6xf16>) {
  // expected-error@+1 {{short_steps is for f32, whose steps are long}}
  %y = tpu.unary sigmoid %a {short_steps} : tensor<1x4x6x6xf16>
  return
}

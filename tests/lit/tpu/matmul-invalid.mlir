// What the verifiers of tpu's matmul family refuse, by the labels of their descriptions.
// RUN: weft-opt --verify-diagnostics --split-input-file %s

// C1: rows
func.func @refused(%a: tensor<1x2x3x4xf32>, %b: tensor<1x2x5x6xf32>) {
  // expected-error@+1 {{lhs columns must equal rhs rows, and the first two axes of lhs and rhs be equal or 1}}
  %y = tpu.matmul %a, %b : tensor<1x2x3x4xf32>, tensor<1x2x5x6xf32> -> tensor<1x2x3x6xf32>
  return
}

// -----

// C1: batch
func.func @refused(%a: tensor<1x2x3x4xf32>, %b: tensor<1x3x4x6xf32>) {
  // expected-error@+1 {{lhs columns must equal rhs rows, and the first two axes of lhs and rhs be equal or 1}}
  %y = tpu.matmul %a, %b : tensor<1x2x3x4xf32>, tensor<1x3x4x6xf32> -> tensor<1x2x3x6xf32>
  return
}

// -----

// C2
func.func @refused(%a: tensor<1x2x3x4xf32>, %b: tensor<1x2x4x6xf32>) {
  // expected-error@+1 {{result must be 1x2x3x6}}
  %y = tpu.matmul %a, %b : tensor<1x2x3x4xf32>, tensor<1x2x4x6xf32> -> tensor<1x2x3x5xf32>
  return
}

// -----

// C3
func.func @refused(%a: tensor<1x2x3x4xf32>, %b: tensor<1x2x4x6xf16>) {
  // expected-error@+1 {{operands and result must have one element type, or be of 8-bit integers with an i32 result}}
  %y = tpu.matmul %a, %b : tensor<1x2x3x4xf32>, tensor<1x2x4x6xf16> -> tensor<1x2x3x6xf32>
  return
}

// -----

// C3: integers
func.func @refused(%a: tensor<1x2x3x4xi8>, %b: tensor<1x2x4x6xui8>) {
  // expected-error@+1 {{operands and result must have one element type, or be of 8-bit integers with an i32 result}}
  %y = tpu.matmul %a, %b : tensor<1x2x3x4xi8>, tensor<1x2x4x6xui8> -> tensor<1x2x3x6xf32>
  return
}

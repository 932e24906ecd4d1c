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

// -----

// linear C1
func.func @refused(%x: tensor<1x8x1x4xf16>, %w: tensor<6x5x1x1xf16>) {
  // expected-error@+1 {{input must be BxRx1xK, filter NxKx1x1, result BxRx1xN and bias 1xNx1x1}}
  %y = tpu.linear %x, %w : tensor<1x8x1x4xf16>, tensor<6x5x1x1xf16> -> tensor<1x8x1x6xf16>
  return
}

// -----

// linear C2
func.func @refused(%x: tensor<1x8x1x4xf16>, %w: tensor<6x4x1x1xbf16>) {
  // expected-error@+1 {{float form needs one type for input and filter, that type or f32 as result}}
  %y = tpu.linear %x, %w : tensor<1x8x1x4xf16>, tensor<6x4x1x1xbf16> -> tensor<1x8x1x6xf16>
  return
}

// -----

// linear C2: int8
func.func @refused(%x: tensor<1x8x1x4x!quant.uniform<i8:f32, 0.1>>, %w: tensor<6x4x1x1xf16>) {
  // expected-error@+1 {{int8 form needs an i8 filter}}
  %y = tpu.linear %x, %w : tensor<1x8x1x4x!quant.uniform<i8:f32, 0.1>>, tensor<6x4x1x1xf16> -> tensor<1x8x1x6xf16>
  return
}

// -----

// linear C3
func.func @refused(%x: tensor<1x8x1x4x!quant.uniform<i8:f32, 0.1>>, %w: tensor<6x4x1x1xi8>) {
  // expected-error@+1 {{needs 6 scales}}
  %y = tpu.linear %x, %w {scales = array<f32: 1.0>} : tensor<1x8x1x4x!quant.uniform<i8:f32, 0.1>>, tensor<6x4x1x1xi8> -> tensor<1x8x1x6xf16>
  return
}

// -----

// linear C3: float
func.func @refused(%x: tensor<1x8x1x4xf16>, %w: tensor<1x4x1x1xf16>) {
  // expected-error@+1 {{float form takes no scales}}
  %y = tpu.linear %x, %w {scales = array<f32: 1.0>} : tensor<1x8x1x4xf16>, tensor<1x4x1x1xf16> -> tensor<1x8x1x1xf16>
  return
}

// -----

// linear C4
func.func @refused(%x: tensor<1x8x1x4x!quant.uniform<i8:f32, 0.1>>, %w: tensor<1x4x1x1xi8>) {
  // expected-error@+1 {{relu with a quantized result needs an unsigned one}}
  %y = tpu.linear %x, %w {relu, scales = array<f32: 1.0>} : tensor<1x8x1x4x!quant.uniform<i8:f32, 0.1>>, tensor<1x4x1x1xi8> -> tensor<1x8x1x1x!quant.uniform<i8:f32, 0.1>>
  return
}

// -----

// row_matmul C1
func.func @refused(%x: tensor<1x8x2x4xf16>) {
  // expected-error@+1 {{lhs must be BxMxHxK, rhs BxKxHxN (transposed BxNxHxK) and the result BxMxHxN}}
  %y = tpu.row_matmul %x, %x : tensor<1x8x2x4xf16>, tensor<1x8x2x4xf16> -> tensor<1x8x2x8xf16>
  return
}

// -----

// row_matmul C2
func.func @refused(%x: tensor<1x8x2x4xf16>, %z: tensor<1x8x2x4xbf16>) {
  // expected-error@+1 {{operands and result must have one element type}}
  %y = tpu.row_matmul %x, %z {transposed} : tensor<1x8x2x4xf16>, tensor<1x8x2x4xbf16> -> tensor<1x8x2x8xf16>
  return
}

// -----

// row_matmul C2: transposed
func.func @refused(%x: tensor<1x8x2x4xf32>) {
  // expected-error@+1 {{transposed form needs a 16-bit type}}
  %y = tpu.row_matmul %x, %x {transposed} : tensor<1x8x2x4xf32>, tensor<1x8x2x4xf32> -> tensor<1x8x2x8xf32>
  return
}

// -----

// row_matmul C1
func.func @refused(%x: tensor<2x8x2x4xf16>, %z: tensor<3x8x2x4xf16>) {
  // expected-error@+1 {{operands of 2 and 3 images must have as many, or one of them 1}}
  %y = tpu.row_matmul %x, %z {transposed} : tensor<2x8x2x4xf16>, tensor<3x8x2x4xf16> -> tensor<3x8x2x8xf16>
  return
}

// -----

// coded_linear C1
func.func @refused(%x: tensor<1x8x1x32xf16>, %w: tensor<6x32x1x1xi8>, %s: tensor<6x1x1x1xf16>) {
  // expected-error@+1 {{input and result must be BxKxHxW and BxNxHxW, or BxRx1xK and BxRx1xN of rows in lanes}}
  %y = tpu.coded_linear %x, %w, %s bits 4 {} : (tensor<1x8x1x32xf16>, tensor<6x32x1x1xi8>, tensor<6x1x1x1xf16>) -> tensor<1x8x1x6xf16>
  return
}

// -----

// coded_linear C2
func.func @refused(%x: tensor<1x8x1x32xf16>, %w: tensor<6x32x1x1xi8>, %s: tensor<6x3x1x1xf16>) {
  // expected-error@+1 {{codes must be NxKx1x1, scales and zero points NxGx1x1 where G divides K, bias 1xNx1x1}}
  %y = tpu.coded_linear %x, %w, %s bits 4 {rows_in_lanes} : (tensor<1x8x1x32xf16>, tensor<6x32x1x1xi8>, tensor<6x3x1x1xf16>) -> tensor<1x8x1x6xf16>
  return
}

// -----

// coded_linear C3
func.func @refused(%x: tensor<1x8x1x32xf16>, %w: tensor<6x32x1x1xui8>, %s: tensor<6x2x1x1xf16>) {
  // expected-error@+1 {{codes must be i8 without zero points, ui8 with them}}
  %y = tpu.coded_linear %x, %w, %s bits 4 {rows_in_lanes} : (tensor<1x8x1x32xf16>, tensor<6x32x1x1xui8>, tensor<6x2x1x1xf16>) -> tensor<1x8x1x6xf16>
  return
}

// -----

// coded_linear C4
func.func @refused(%x: tensor<1x8x1x32xf16>, %w: tensor<6x32x1x1xi8>, %s: tensor<6x2x1x1xf16>) {
  // expected-error@+1 {{bits is 3, must be 4 or 8}}
  %y = tpu.coded_linear %x, %w, %s bits 3 {rows_in_lanes} : (tensor<1x8x1x32xf16>, tensor<6x32x1x1xi8>, tensor<6x2x1x1xf16>) -> tensor<1x8x1x6xf16>
  return
}

// -----

// coded_linear C5
func.func @refused(%x: tensor<1x8x1x40xf16>, %w: tensor<6x40x1x1xi8>, %s: tensor<6x2x1x1xf16>) {
  // expected-error@+1 {{has 40 rows in groups of 20, must be a multiple of 32 in even groups}}
  %y = tpu.coded_linear %x, %w, %s bits 4 {rows_in_lanes} : (tensor<1x8x1x40xf16>, tensor<6x40x1x1xi8>, tensor<6x2x1x1xf16>) -> tensor<1x8x1x6xf16>
  return
}

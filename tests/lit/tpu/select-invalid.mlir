// What the verifiers of tpu's select family refuse, by the labels of their descriptions.
// RUN: weft-opt --verify-diagnostics --split-input-file %s

// C1: no broadcast
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x3x6x6xf32>) {
  // expected-error@+1 {{result shape must be the broadcast shape of the operands}}
  %y = tpu.compare less %a, %b : tensor<1x4x6x6xf32>, tensor<1x3x6x6xf32> -> tensor<1x4x6x6xui8>
  return
}

// -----

// C2: neither tensor nor constant
func.func @refused(%a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{needs exactly one of a second operand and constant}}
  %y = tpu.compare less %a : tensor<1x4x6x6xf32> -> tensor<1x4x6x6xui8>
  return
}

// -----

// C3: two element types
func.func @refused(%a: tensor<1x4x6x6xf32>, %b: tensor<1x4x6x6xi32>) {
  // expected-error@+1 {{operands must have one element type, a float or an integer}}
  %y = tpu.compare equal %a, %b : tensor<1x4x6x6xf32>, tensor<1x4x6x6xi32> -> tensor<1x4x6x6xui8>
  return
}

// -----

// C4: no number of the type
func.func @refused(%a: tensor<1x4x6x6xui8>) {
  // expected-error@+1 {{constant is 2.560000e+02, must be a whole number from 0 to 255}}
  %y = tpu.compare greater %a {constant = 256.0 : f64} : tensor<1x4x6x6xui8> -> tensor<1x4x6x6xui8>
  return
}

// -----

// C1: the condition is larger than the result
func.func @refused(%c: tensor<2x4x6x6xui8>, %a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{result shape must be the broadcast shape of the operands}}
  %y = tpu.select %c, true %a {false_constant = 0.0 : f64} : (tensor<2x4x6x6xui8>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

// C2: a side without tensor and constant
func.func @refused(%c: tensor<1x4x6x6xui8>, %a: tensor<1x4x6x6xf32>) {
  // expected-error@+1 {{needs exactly one of a tensor and a constant for false}}
  %y = tpu.select %c, true %a : (tensor<1x4x6x6xui8>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

// C3: another element type
func.func @refused(%c: tensor<1x4x6x6xui8>, %a: tensor<1x4x6x6xf16>) {
  // expected-error@+1 {{the tensor for true must have the element type of the result}}
  %y = tpu.select %c, true %a {false_constant = 0.0 : f64} : (tensor<1x4x6x6xui8>, tensor<1x4x6x6xf16>) -> tensor<1x4x6x6xf32>
  return
}

// -----

// C4: no number of the type
func.func @refused(%c: tensor<1x4x6x6xui8>, %a: tensor<1x4x6x6xi8>) {
  // expected-error@+1 {{constant is 5.000000e-01, must be a whole number from -128 to 127}}
  %y = tpu.select %c, true %a {false_constant = 0.5 : f64} : (tensor<1x4x6x6xui8>, tensor<1x4x6x6xi8>) -> tensor<1x4x6x6xi8>
  return
}

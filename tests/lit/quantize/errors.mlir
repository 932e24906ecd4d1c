// What the lowering refuses, with the whole message; without the host, which would compute some of it.
// RUN: weft-opt --convert-top-to-tpu="no-host precision=int8 calibration=%S/Inputs/chain.cali" --verify-diagnostics --split-input-file %s

func.func @main(%x: tensor<1x2x4x4xf32> {top.name = "unknown"}) -> (tensor<1x2x4x4xf32> {top.name = "y"}) {
  %w = top.constant dense<1.0> : tensor<2x2x1x1xf32>
  // expected-error-re@+1 {{the calibration table '{{.*}}chain.cali' has no entry for tensor 'unknown'; calibrate this model again}}
  %y = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "d"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}

// -----

func.func @main(%x: tensor<1x2x4x4xf32> {top.name = "x"}) -> (tensor<1x2x4x4xf32> {top.name = "y"}) {
  // expected-error@+1 {{unsupported: element-wise function 'identity'; build it from add, mul, exp, sigmoid and reciprocal}}
  %y = top.unary identity %x {top.value = "y"} : tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}

// -----

func.func @main(%x: tensor<1x2x4x4xf32> {top.name = "x"}) -> (tensor<1x2x4x4xf32> {top.name = "y"}) {
  %w = top.constant dense<0x7FC00000> : tensor<2x2x1x1xf32>
  // expected-error@+1 {{a weight is NaN, must be finite; repair the model}}
  %y = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "y"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}

// -----

// expected-remark@+1 {{value 'x' is of type f64; the chip computes it as f32, with 24 bits}}
func.func @main(%x: tensor<1x2x4x4xf64> {top.name = "x"}) -> (tensor<1x2x4x4xf64> {top.name = "y"}) {
  %c = top.constant dense<1.0e39> : tensor<f64>
  // expected-error@+1 {{unsupported: the constant 1.000000e+39 is beyond the range of f32, in which doubles are computed; the host can compute it, convert without --no-host}}
  %y = top.binary mul %x, %c {top.value = "y"} : tensor<1x2x4x4xf64>, tensor<f64>
  return %y : tensor<1x2x4x4xf64>
}

// -----

func.func @main(%s: tensor<1x2x4x4xf32> {top.name = "s"}) -> (tensor<1x2x4x4xf32> {top.name = "y"}) {
  %x = top.constant dense<-1.0> : tensor<1x2x4x4xf32>
  // expected-error@+1 {{unsupported: prelu of a constant; only its slope may be one; the host can compute it, convert without --no-host}}
  %y = top.binary prelu %x, %s {top.value = "d"} : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
  return %y : tensor<1x2x4x4xf32>
}

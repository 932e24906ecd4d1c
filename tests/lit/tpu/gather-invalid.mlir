// The rules of the Gather family's verifiers, one message each.
// RUN: weft-opt %s --split-input-file --verify-diagnostics

// C1
func.func @batches(%x: tensor<2x1x9x8xf32>, %i: tensor<1x1x5x1xi32>) {
  // expected-error @+1 {{'tpu.gather' op has an operand of type 'tensor<2x1x9x8xf32>'; n must be 1 everywhere}}
  %y = tpu.gather %x, %i : tensor<2x1x9x8xf32>, tensor<1x1x5x1xi32> -> tensor<1x1x5x8xf32>
  return
}

// -----

// C2
func.func @channels(%x: tensor<1x2x9x8xf32>, %i: tensor<1x1x5x1xi32>) {
  // expected-error @+1 {{'tpu.gather' op has an operand of type 'tensor<1x2x9x8xf32>'; it must have 3 channels, or 1}}
  %y = tpu.gather %x, %i : tensor<1x2x9x8xf32>, tensor<1x1x5x1xi32> -> tensor<1x3x5x8xf32>
  return
}

// -----

// C2
func.func @one_channel(%x: tensor<1x1x9x8xf32>, %i: tensor<1x1x5x1xi32>) {
  // expected-error @+1 {{'tpu.gather' op has one channel of rows and of indices for 3; give one of them all channels}}
  %y = tpu.gather %x, %i : tensor<1x1x9x8xf32>, tensor<1x1x5x1xi32> -> tensor<1x3x5x8xf32>
  return
}

// -----

// C3
func.func @list(%x: tensor<1x1x9x8xf32>, %i: tensor<1x1x4x1xi32>) {
  // expected-error @+1 {{'tpu.gather' op has indices of type 'tensor<1x1x4x1xi32>'; they must be 5 rows of one}}
  %y = tpu.gather %x, %i : tensor<1x1x9x8xf32>, tensor<1x1x4x1xi32> -> tensor<1x1x5x8xf32>
  return
}

// -----

// C3
func.func @width(%x: tensor<1x1x9x8xf32>, %i: tensor<1x1x5x1xi32>, %u: tensor<1x1x5x7xf32>) {
  // expected-error @+1 {{'tpu.scatter' op copies rows of 7 elements; they must have 8}}
  %y = tpu.scatter %x, %i, %u : tensor<1x1x9x8xf32>, tensor<1x1x5x1xi32>, tensor<1x1x5x7xf32>
  return
}

// -----

// C4
func.func @elements(%x: tensor<1x1x9x8xf32>, %i: tensor<1x1x5x1xi32>, %u: tensor<1x1x5x8xf16>) {
  // expected-error @+1 {{'tpu.scatter' op must keep the element type}}
  %y = tpu.scatter %x, %i, %u : tensor<1x1x9x8xf32>, tensor<1x1x5x1xi32>, tensor<1x1x5x8xf16>
  return
}

// RUN: weft-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tpu-group-layers))'

module {
  // expected-error @below {{module has no tpu.chip attribute; convert to tpu first}}
  func.func @no_chip(%x: tensor<1x8x4x6xf32>) -> tensor<1x8x4x6xf32> {
    return %x : tensor<1x8x4x6xf32>
  }
}

// -----

// expected-error @below {{unknown chip 'bm9999' in tpu.chip; known: bm1684x}}
module attributes {tpu.chip = "bm9999"} {
  func.func @other_chip(%x: tensor<1x8x4x6xf32>) -> tensor<1x8x4x6xf32> {
    return %x : tensor<1x8x4x6xf32>
  }
}

// -----

module attributes {tpu.chip = "bm1684x"} {
  func.func @global_sum(%x: tensor<1x1x1000x1000xf32>) -> tensor<1x1x1x1xf32> {
    // expected-error @below {{unsupported: one slice of this layer does not fit the local memory of 262144 bytes a lane; make the layer smaller}}
    %0 = tpu.pool avg %x kernel [1000, 1000] strides [1, 1] pads [0, 0, 0, 0] : tensor<1x1x1000x1000xf32> -> tensor<1x1x1x1xf32>
    return %0 : tensor<1x1x1x1xf32>
  }
}

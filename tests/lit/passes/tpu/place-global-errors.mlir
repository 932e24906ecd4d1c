// Tensors that fit one by one, but not together: the pass says what the model needs.
// RUN: weft-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tpu-place-global))'

module attributes {tpu.chip = "bm1684x"} {
  // expected-error @below {{unsupported: this model needs 0 bytes of DRAM for its weights and at least 24000000000 for its activations, the chip has 17179869184; make the batch or the input smaller}}
  func.func @main(%x: tensor<1x1000x2000x1000xf32>) -> tensor<1x1000x2000x1000xf32> {
    %0 = tpu.permute %x [0, 1, 2, 3] : tensor<1x1000x2000x1000xf32> -> tensor<1x1000x2000x1000xf32>
    %1 = tpu.permute %0 [0, 1, 2, 3] : tensor<1x1000x2000x1000xf32> -> tensor<1x1000x2000x1000xf32>
    return %1 : tensor<1x1000x2000x1000xf32>
  }
}

// -----

// Buffers that do not belong to the op.
module attributes {tpu.chip = "bm1684x"} {
  func.func @main(%x: tensor<1x8x4x6xf32>) -> tensor<1x8x4x6xf32> {
    %0 = tpu.group(%x) tiling <n = 1, c = 1, h = 1, w = 1> buffers [#tpu.buffer<local = 0, bytes = 64, rotate = 0, load = 0, global = -1>] : (tensor<1x8x4x6xf32>) -> tensor<1x8x4x6xf32> {
    ^bb0(%a: tensor<1x8x4x6xf32>):
      %w = tpu.weight dense<1.0> : tensor<8x8x1x1xf32>
      // expected-error @below {{has no buffer 1 in tpu.buffers; run tpu-place-local again}}
      %1 = tpu.conv %a, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 {tpu.buffers = []} : tensor<1x8x4x6xf32>, tensor<8x8x1x1xf32> -> tensor<1x8x4x6xf32>
      tpu.yield %1 : tensor<1x8x4x6xf32>
    }
    return %0 : tensor<1x8x4x6xf32>
  }
}

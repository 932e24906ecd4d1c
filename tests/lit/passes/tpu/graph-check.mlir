// Text that no earlier pass made must not bring a pass down: each of them checks the whole graph before it multiplies sizes.
// RUN: weft-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tpu-group-layers))'
// RUN: weft-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tpu-place-local))'
// RUN: weft-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(tpu-place-global))'
// RUN: weft-opt %s --split-input-file --verify-diagnostics --convert-tpu-to-ppl

module attributes {tpu.chip = "bm1684x"} {
  // expected-error @below {{function 'ext' must have a body of one block that ends in a return; remove declarations and branches}}
  func.func private @ext(tensor<1x8x4x6xf32>) -> tensor<1x8x4x6xf32>
}

// -----

module attributes {tpu.chip = "bm1684x"} {
  func.func @scalar(%x: tensor<1x8x4x6xf32>) -> tensor<1x8x4x6xf32> {
    // expected-error @below {{value of type 'i32', must be a tensor n x c x h x w of static sizes from 1 and of 8, 16, 32 or 64-bit elements}}
    %0 = arith.constant 1 : i32
    return %x : tensor<1x8x4x6xf32>
  }
}

// -----

module attributes {tpu.chip = "bm1684x"} {
  // expected-error @below {{value of type 'tensor<?x8x4x6xf32>', must be a tensor n x c x h x w of static sizes}}
  func.func @dynamic(%x: tensor<?x8x4x6xf32>) -> tensor<?x8x4x6xf32> {
    return %x : tensor<?x8x4x6xf32>
  }
}

// -----

module attributes {tpu.chip = "bm1684x"} {
  // expected-error @below {{value of type 'tensor<8x4x6xf32>', must be a tensor n x c x h x w of static sizes}}
  func.func @rank(%x: tensor<8x4x6xf32>) -> tensor<8x4x6xf32> {
    return %x : tensor<8x4x6xf32>
  }
}

// -----

module attributes {tpu.chip = "bm1684x"} {
  // expected-error @below {{value of type 'tensor<1x8x0x6xf32>', must be a tensor n x c x h x w of static sizes from 1}}
  func.func @empty(%x: tensor<1x8x0x6xf32>) -> tensor<1x8x0x6xf32> {
    return %x : tensor<1x8x0x6xf32>
  }
}

// -----

// 9e9 * 4e8 * 4 bytes exceed 2^63.
module attributes {tpu.chip = "bm1684x"} {
  // expected-error @below {{unsupported: a tensor of type 'tensor<1x9000000000x400000000x1xf32>', DRAM holds 17179869184 bytes; make it smaller}}
  func.func @huge(%x: tensor<1x9000000000x400000000x1xf32>) -> tensor<1x9000000000x400000000x1xf32> {
    return %x : tensor<1x9000000000x400000000x1xf32>
  }
}

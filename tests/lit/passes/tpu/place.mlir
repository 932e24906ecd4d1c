// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-group-layers,tpu-place-local,tpu-place-global))' | FileCheck %s

// Weights from 0x1_0000_0000: filter and bias of a lane in one row, 8 rows of 112 bytes; activations from the next page; local buffers by live range.
// CHECK: func.func @main(%arg0: tensor<1x3x8x12xf32> {tpu.address = 4294971392 : i64})
// CHECK: tpu.group(%arg0) {{.*}} buffers [#tpu.buffer<local = {{[0-9]+}}, bytes = 384>] addresses [4294972544]
// CHECK: tpu.conv {{.*}}tpu.buffers = [#tpu.buffer<local = {{[0-9]+}}, bytes = 128>, #tpu.buffer<local = {{[0-9]+}}, bytes = 128, global = 4294967296>]
module attributes {tpu.chip = "bm1684x"} {
  func.func @main(%x: tensor<1x3x8x12xf32>) -> tensor<1x8x4x6xf32> {
    %w = tpu.weight dense<0.5> : tensor<8x3x3x3xf32>
    %b = tpu.weight dense<1.0> : tensor<1x8x1x1xf32>
    %0 = tpu.conv %x, %w, %b strides [2, 2] pads [1, 1, 1, 1] dilations [1, 1] group 1 : tensor<1x3x8x12xf32>, tensor<8x3x3x3xf32>, tensor<1x8x1x1xf32> -> tensor<1x8x4x6xf32>
    return %0 : tensor<1x8x4x6xf32>
  }
}

// -----

// Numbers a channel are an image as well, a row a lane: 16 rows of 1024 channels would else be 1024 runs of 2 bytes.
// CHECK: tpu.group(%arg0)
// CHECK: tpu.binary mul %arg{{[0-9]+}}, %{{.*}}tpu.buffers = [#tpu.buffer<local = {{[0-9]+}}, bytes = {{[0-9]+}}>, #tpu.buffer<local = {{[0-9]+}}, bytes = 64, global = 4294967296>]
module attributes {tpu.chip = "bm1684x"} {
  func.func @main(%x: tensor<1x1024x7x7xf16>) -> tensor<1x1024x7x7xf16> {
    %w = tpu.weight dense<0.5> : tensor<1x1024x1x1xf16>
    %0 = tpu.binary mul %x, %w : tensor<1x1024x7x7xf16>, tensor<1x1024x1x1xf16> -> tensor<1x1024x7x7xf16>
    return %0 : tensor<1x1024x7x7xf16>
  }
}

// -----

// There is room for all, so the filter of the twelfth op is loaded before the first op runs.
// CHECK: tpu.conv {{.*}}bytes = 64, global
module attributes {tpu.chip = "bm1684x"} {
  func.func @main(%x: tensor<1x8x4x6xf32>) -> tensor<1x8x4x6xf32> {
    %w = tpu.weight dense<0.5> : tensor<8x8x1x1xf32>
    %0 = tpu.unary neg %x : tensor<1x8x4x6xf32>
    %1 = tpu.unary abs %0 : tensor<1x8x4x6xf32>
    %2 = tpu.unary neg %1 : tensor<1x8x4x6xf32>
    %3 = tpu.unary abs %2 : tensor<1x8x4x6xf32>
    %4 = tpu.unary neg %3 : tensor<1x8x4x6xf32>
    %5 = tpu.unary abs %4 : tensor<1x8x4x6xf32>
    %6 = tpu.unary neg %5 : tensor<1x8x4x6xf32>
    %7 = tpu.unary abs %6 : tensor<1x8x4x6xf32>
    %8 = tpu.unary neg %7 : tensor<1x8x4x6xf32>
    %9 = tpu.unary abs %8 : tensor<1x8x4x6xf32>
    %10 = tpu.unary neg %9 : tensor<1x8x4x6xf32>
    %11 = tpu.conv %10, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x8x4x6xf32>, tensor<8x8x1x1xf32> -> tensor<1x8x4x6xf32>
    return %11 : tensor<1x8x4x6xf32>
  }
}

// -----

// 128 KB of one filter and 160 KB of the other do not fit beside each other: the second is loaded once the first has been read.
// CHECK: tpu.conv
// CHECK: tpu.conv {{.*}}load = 1, global
module attributes {tpu.chip = "bm1684x"} {
  func.func @main(%x: tensor<1x1024x1x1xf32>) -> tensor<1x64x1x1xf32> {
    %w = tpu.weight dense<0.5> : tensor<2048x1024x1x1xf32>
    %v = tpu.weight dense<0.5> : tensor<64x2048x5x4xf32>
    %0 = tpu.conv %x, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x1024x1x1xf32>, tensor<2048x1024x1x1xf32> -> tensor<1x2048x1x1xf32>
    %1 = tpu.conv %0, %v strides [1, 1] pads [2, 2, 2, 1] dilations [1, 1] group 1 : tensor<1x2048x1x1xf32>, tensor<64x2048x5x4xf32> -> tensor<1x64x1x1xf32>
    return %1 : tensor<1x64x1x1xf32>
  }
}

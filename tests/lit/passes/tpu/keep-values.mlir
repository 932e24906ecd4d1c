// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-group-layers{max-ops=2 max-sliced-ops=1},tpu-keep-values,tpu-place-local,tpu-place-global))' | FileCheck %s

// The image does not fit the lanes, so the first group runs in slices; it puts its result together where the second finds it. No load, no store.
// CHECK: tpu.group(%arg0) tiling <n = 1, c = 1, h = 16, w = 1>
// CHECK: tpu.conv {{.*}}tpu.buffers = [#tpu.buffer<local = {{[0-9]+}}, bytes = 1024>, #tpu.buffer<local = [[#WHOLE:]], bytes = 16384>
// CHECK: tpu.group(%0) tiling <n = 1, c = 1, h = 1, w = 1> buffers [#tpu.buffer<local = [[#WHOLE]], bytes = 16384>] addresses [{{[0-9]+}}] kept [0]
module attributes {tpu.chip = "bm1684x"} {
  func.func @main(%x: tensor<1x16x256x256xf32>) -> tensor<1x64x64x64xf32> {
    %w = tpu.weight dense<0.5> : tensor<64x16x4x4xf32>
    %v = tpu.weight dense<0.5> : tensor<64x64x1x1xf32>
    %0 = tpu.conv %x, %w strides [4, 4] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x16x256x256xf32>, tensor<64x16x4x4xf32> -> tensor<1x64x64x64xf32>
    %1 = tpu.conv %0, %v strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 : tensor<1x64x64x64xf32>, tensor<64x64x1x1xf32> -> tensor<1x64x64x64xf32>
    %2 = tpu.unary neg %1 : tensor<1x64x64x64xf32>
    return %2 : tensor<1x64x64x64xf32>
  }
}

// -----

// Two groups of one slice each: the value stays where the first has made it. The third group reads it as well, and gets it from DRAM. Nobody reads the second's result there,
// so it has no address.
// CHECK: %[[#]] = tpu.group(%arg0) {{.*}} addresses [4296015872]
// CHECK: tpu.unary abs {{.*}}tpu.buffers = [#tpu.buffer<local = [[#FIRST:]], bytes = 16384
// CHECK: tpu.group(%0) {{.*}} buffers [#tpu.buffer<local = [[#FIRST]], bytes = 16384>] addresses [-1] kept [0]
// CHECK: tpu.unary abs {{.*}}tpu.buffers = [#tpu.buffer<local = [[#SECOND:]], bytes = 16384
// CHECK: tpu.group(%1, %0) {{.*}} buffers [#tpu.buffer<local = [[#SECOND]], bytes = 16384>, {{.*}}] addresses [{{[0-9]+}}] kept [0] attributes
module attributes {tpu.chip = "bm1684x"} {
  func.func @main(%x: tensor<1x64x64x64xf32>) -> tensor<1x64x64x64xf32> {
    %0 = tpu.unary neg %x : tensor<1x64x64x64xf32>
    %1 = tpu.unary abs %0 : tensor<1x64x64x64xf32>
    %2 = tpu.unary neg %1 : tensor<1x64x64x64xf32>
    %3 = tpu.unary abs %2 : tensor<1x64x64x64xf32>
    %4 = tpu.binary add %3, %1 : tensor<1x64x64x64xf32>, tensor<1x64x64x64xf32> -> tensor<1x64x64x64xf32>
    %5 = tpu.unary neg %4 : tensor<1x64x64x64xf32>
    return %5 : tensor<1x64x64x64xf32>
  }
}

// -----

// What runs in slices keeps nothing: it would need the whole beside its pieces.
// CHECK-NOT: kept [
module attributes {tpu.chip = "bm1684x"} {
  func.func @main(%x: tensor<1x64x128x192xf32>) -> tensor<1x64x128x192xf32> {
    %0 = tpu.unary neg %x : tensor<1x64x128x192xf32>
    %1 = tpu.unary abs %0 : tensor<1x64x128x192xf32>
    %2 = tpu.unary neg %x : tensor<1x64x128x192xf32>
    %3 = tpu.binary add %2, %1 : tensor<1x64x128x192xf32>, tensor<1x64x128x192xf32> -> tensor<1x64x128x192xf32>
    return %3 : tensor<1x64x128x192xf32>
  }
}

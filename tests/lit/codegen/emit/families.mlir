// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-group-layers{max-sliced-ops=1},tpu-place-local,tpu-place-global),convert-tpu-to-ppl)' | FileCheck %s

// CHECK-LABEL: ppl.net @conv_int8
// CHECK: ppl.tiu.fmul
// CHECK: ppl.tiu.cast
// CHECK: ppl.tiu.conv_asym {{.*}} k_shape = array<i64: 1, 1>
// CHECK: ppl.tiu.cast
// CHECK: ppl.tiu.fscale
// CHECK: ppl.observe {{.*}}, "y" at [0, 0, 0, 0] of [1, 4, 2, 2]
// CHECK: ppl.dma.store
module attributes {tpu.chip = "bm1684x"} {
  func.func @conv_int8(%x: tensor<1x3x2x2xf32> {tpu.io = {name = "x", type = tensor<1x3x2x2xf32>}}) -> (tensor<1x4x2x2xf32> {tpu.io = {name = "y", type = tensor<1x4x2x2xf32>}}) {
    %q = tpu.cast %x : tensor<1x3x2x2xf32> -> tensor<1x3x2x2x!quant.uniform<i8:f32, 0.0078125>>
    %w = tpu.weight dense<3> : tensor<4x3x1x1xi8>
    %y = tpu.conv %q, %w strides [1, 1] pads [0, 0, 0, 0] dilations [1, 1] group 1 {scales = array<f32: 1.0, 2.0, 3.0, 4.0>, top.value = "y"} : tensor<1x3x2x2x!quant.uniform<i8:f32, 0.0078125>>, tensor<4x3x1x1xi8> -> tensor<1x4x2x2xf32>
    return %y : tensor<1x4x2x2xf32>
  }
}

// -----

// A 16-bit depthwise convolution is computed in f32.
// CHECK-LABEL: ppl.net @depthwise_f16
// CHECK: ppl.tiu.cast
// CHECK: ppl.tiu.cast
// CHECK: ppl.tiu.fdw_conv {{.*}}xf32
// CHECK: ppl.tiu.cast
module attributes {tpu.chip = "bm1684x"} {
  func.func @depthwise_f16(%x: tensor<1x4x4x4xf16> {tpu.io = {name = "x", type = tensor<1x4x4x4xf16>}}) -> (tensor<1x4x4x4xf16> {tpu.io = {name = "y", type = tensor<1x4x4x4xf16>}}) {
    %w = tpu.weight dense<0.5> : tensor<4x1x3x3xf16>
    %y = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 4 : tensor<1x4x4x4xf16>, tensor<4x1x3x3xf16> -> tensor<1x4x4x4xf16>
    return %y : tensor<1x4x4x4xf16>
  }
}

// -----

// Unless every sum may be rounded: then the unit does it alone.
// CHECK-LABEL: ppl.net @narrow_sums
// CHECK-NOT: ppl.tiu.cast
// CHECK: ppl.tiu.fdw_conv {{.*}}xf16
// CHECK-NOT: ppl.tiu.cast
// CHECK-LABEL: ppl.net @softmax
// CHECK: ppl.tiu.fmax
// CHECK: ppl.tiu.smem_bcast
// CHECK: ppl.tiu.taylor
// CHECK: ppl.tiu.fadd
// CHECK: ppl.tiu.fdiv
module attributes {tpu.chip = "bm1684x"} {
  func.func @narrow_sums(%x: tensor<1x4x4x4xf16> {tpu.io = {name = "x", type = tensor<1x4x4x4xf16>}}) -> (tensor<1x4x4x4xf16> {tpu.io = {name = "y", type = tensor<1x4x4x4xf16>}}) {
    %w = tpu.weight dense<0.5> : tensor<4x1x3x3xf16>
    %y = tpu.conv %x, %w strides [1, 1] pads [1, 1, 1, 1] dilations [1, 1] group 4 {narrow_sums} : tensor<1x4x4x4xf16>, tensor<4x1x3x3xf16> -> tensor<1x4x4x4xf16>
    return %y : tensor<1x4x4x4xf16>
  }
}

// -----

module attributes {tpu.chip = "bm1684x"} {
  func.func @softmax(%x: tensor<1x1x1x2xf32> {tpu.io = {name = "x", type = tensor<1x2xf32>}}) -> (tensor<1x1x1x2xf32> {tpu.io = {name = "y", type = tensor<1x2xf32>}}) {
    %y = tpu.softmax %x {axis = 3 : i64} : tensor<1x1x1x2xf32>
    return %y : tensor<1x1x1x2xf32>
  }
}

// -----

// CHECK-LABEL: ppl.net @lut
// CHECK: ppl.dma.load_broadcast
// CHECK: ppl.tiu.gather_w
// CHECK: ppl.tiu.dq0
module attributes {tpu.chip = "bm1684x"} {
  func.func @lut(%x: tensor<1x3x2x2x!quant.uniform<i8:f32, 0.5>> {tpu.io = {name = "x", type = tensor<1x3x2x2xf32>}}) -> (tensor<1x3x2x2xf32> {tpu.io = {name = "y", type = tensor<1x3x2x2xf32>}}) {
    %t = tpu.weight dense<7> : tensor<1x1x1x256xi8>
    %0 = tpu.lut %x, %t : tensor<1x3x2x2x!quant.uniform<i8:f32, 0.5>>, tensor<1x1x1x256xi8> -> tensor<1x3x2x2x!quant.uniform<i8:f32, 0.25>>
    %y = tpu.cast %0 : tensor<1x3x2x2x!quant.uniform<i8:f32, 0.25>> -> tensor<1x3x2x2xf32>
    return %y : tensor<1x3x2x2xf32>
  }
}

// -----

// Equal slices are one loop over rotating buffers; the load of the next slice comes before the store of this one.
// CHECK-LABEL: ppl.net @loop
// CHECK: scf.for
// CHECK: ppl.local at {{.*}} index({{.*}}) step [{{.*}}] modulo [2]
// CHECK: ppl.dma.load
// CHECK: ppl.tiu.fmax
// CHECK: ppl.dma.store
module attributes {tpu.chip = "bm1684x"} {
  func.func @loop(%x: tensor<1x64x512x512xf32> {tpu.io = {name = "x", type = tensor<1x64x512x512xf32>}}) -> (tensor<1x64x512x512xf32> {tpu.io = {name = "y", type = tensor<1x64x512x512xf32>}}) {
    %y = tpu.unary relu %x : tensor<1x64x512x512xf32>
    return %y : tensor<1x64x512x512xf32>
  }
}

// -----

// Turns are the steps of transfers, slice by slice; what a load has turned is observed in the lanes, what stores have turned in DRAM.
// CHECK-LABEL: ppl.net @turned
// CHECK: ppl.dma.load {{.*}}!ppl.tensor<1x24x{{[0-9]+}}x64xf32, global, [24576, 64, 1536, 1]>
// CHECK: ppl.observe {{.*}}, "t" at
// CHECK: ppl.tiu
// CHECK: ppl.dma.store {{.*}}global, [24576, 64, 1536, 1]>
// CHECK: ppl.observe {{.*}}, "y" at [0, 0, 0, 0] of [1, 16, 24, 64]
module attributes {tpu.chip = "bm1684x"} {
  func.func @turned(%x: tensor<1x16x24x64xf32> {tpu.io = {name = "x", type = tensor<1x16x24x64xf32>}}) -> (tensor<1x16x24x64xf32> {tpu.io = {name = "y", type = tensor<1x16x24x64xf32>}}) {
    %0 = tpu.group(%x) tiling <n = 1, c = 1, h = 4, w = 1> : (tensor<1x16x24x64xf32>) -> tensor<1x16x24x64xf32> {
    ^bb0(%a: tensor<1x16x24x64xf32>):
      %t = tpu.permute %a [0, 2, 1, 3] {top.value = "t"} : tensor<1x16x24x64xf32> -> tensor<1x24x16x64xf32>
      %1 = tpu.unary relu %t : tensor<1x24x16x64xf32>
      %y = tpu.permute %1 [0, 2, 1, 3] {top.value = "y"} : tensor<1x24x16x64xf32> -> tensor<1x16x24x64xf32>
      tpu.yield %y : tensor<1x16x24x64xf32>
    }
    return %0 : tensor<1x16x24x64xf32>
  }
}

// -----

// One channel for all is broadcast to the lanes; a command reads it again for each round of channels.
// CHECK-LABEL: ppl.net @one_channel
// CHECK: ppl.dma.load_broadcast dst = %{{.*}} : !ppl.tensor<1x64x6x6xf32, local, aligned>, !ppl.tensor<1x1x6x6xf32, global, continuous>
// CHECK: ppl.tiu.fmul {{.*}}!ppl.tensor<1x80x6x6xf32, local, [{{[0-9]+}}, 0, 6, 1]>
module attributes {tpu.chip = "bm1684x"} {
  func.func @one_channel(%x: tensor<1x80x6x6xf32> {tpu.io = {name = "x", type = tensor<1x80x6x6xf32>}}, %m: tensor<1x1x6x6xf32> {tpu.io = {name = "m", type = tensor<1x1x6x6xf32>}}) -> (tensor<1x80x6x6xf32> {tpu.io = {name = "y", type = tensor<1x80x6x6xf32>}}) {
    %0 = tpu.binary mul %x, %m : tensor<1x80x6x6xf32>, tensor<1x1x6x6xf32> -> tensor<1x80x6x6xf32>
    return %0 : tensor<1x80x6x6xf32>
  }
}

// -----

// Turned and broadcast at once: what is observed is one channel.
// CHECK-LABEL: ppl.net @turned_channel
// CHECK: ppl.dma.load_broadcast dst = %{{.*}} : !ppl.tensor<3x64x5x70xf32, local, aligned>, !ppl.tensor<3x1x5x70xf32, global, [70, 210, 210, 1]>
// CHECK: ppl.observe %{{.*}}, "t" at [0, 0, 0, 0] of [3, 1, 5, 70]
module attributes {tpu.chip = "bm1684x"} {
  func.func @turned_channel(%x: tensor<3x80x5x70xf32> {tpu.io = {name = "x", type = tensor<3x80x5x70xf32>}}, %m: tensor<5x1x3x70xf32> {tpu.io = {name = "m", type = tensor<5x1x3x70xf32>}}) -> (tensor<3x80x5x70xf32> {tpu.io = {name = "y", type = tensor<3x80x5x70xf32>}}) {
    %0 = tpu.group(%x, %m) tiling <n = 1, c = 1, h = 1, w = 1> : (tensor<3x80x5x70xf32>, tensor<5x1x3x70xf32>) -> tensor<3x80x5x70xf32> {
    ^bb0(%a: tensor<3x80x5x70xf32>, %b: tensor<5x1x3x70xf32>):
      %t = tpu.permute %b [2, 1, 0, 3] {top.value = "t"} : tensor<5x1x3x70xf32> -> tensor<3x1x5x70xf32>
      %1 = tpu.binary mul %a, %t : tensor<3x80x5x70xf32>, tensor<3x1x5x70xf32> -> tensor<3x80x5x70xf32>
      tpu.yield %1 : tensor<3x80x5x70xf32>
    }
    return %0 : tensor<3x80x5x70xf32>
  }
}

// -----

// Of the rows in channels the first lie in the lanes where they go: a copy inside of them, which the recipe cannot know. The others come from 32 lanes on.
// CHECK-LABEL: ppl.net @channels_to_rows
// CHECK: ppl.tiu.move dst = {{.*}}<1x32x1x64xf16, local, aligned>, !ppl.tensor<1x32x1x64xf16, local, aligned>
// CHECK: ppl.tiu.move dst = {{.*}}<1x32x4x16xf16, local, [128, 128, 32, 1]>
// CHECK: ppl.tiu.move_cross_lane
// CHECK: ppl.tiu.move dst = {{.*}}<1x32x4x16xf16, local, [128, 128, 32, 1]>
// CHECK-NOT: ppl.tiu.move_cross_lane
// CHECK: ppl.dma.store
module attributes {tpu.chip = "bm1684x"} {
  func.func @channels_to_rows(%x: tensor<1x64x4x16xf16> {tpu.io = {name = "x", type = tensor<1x64x4x16xf16>}}) -> (tensor<1x32x8x16xf16> {tpu.io = {name = "y", type = tensor<1x32x8x16xf16>}}) {
    %y = tpu.channels_to_rows %x : tensor<1x64x4x16xf16> -> tensor<1x32x8x16xf16>
    return %y : tensor<1x32x8x16xf16>
  }
}

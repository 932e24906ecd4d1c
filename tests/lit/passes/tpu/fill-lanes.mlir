// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-fill-lanes))' | FileCheck %s

// One channel would keep one lane busy. The chain changes its element type on the way and is reshaped as a whole.
// CHECK-LABEL: func.func @one_channel
// CHECK: tpu.reshape %arg0 : tensor<1x1x640x640xf16> -> tensor<1x64x10x640xf16>
// CHECK-NEXT: tpu.cast %{{.*}} {tpu.choices = [#tpu.choice<fill_lanes, "cast", #{{loc[0-9]*}}, 1 of["as it is", "1x64x10x640"] at[{{[0-9]+}}, {{[0-9]+}}]>]} : tensor<1x64x10x640xf16> -> tensor<1x64x10x640xf32>
// CHECK-NEXT: tpu.unary sigmoid %{{.*}} : tensor<1x64x10x640xf32>
// CHECK-NEXT: tpu.reshape %{{.*}} : tensor<1x64x10x640xf32> -> tensor<1x1x640x640xf32>
module attributes {tpu.chip = "bm1684x"} {
  func.func @one_channel(%x: tensor<1x1x640x640xf16>) -> tensor<1x1x640x640xf32> {
    %0 = tpu.cast %x : tensor<1x1x640x640xf16> -> tensor<1x1x640x640xf32>
    %1 = tpu.unary sigmoid %0 : tensor<1x1x640x640xf32>
    return %1 : tensor<1x1x640x640xf32>
  }
}

// -----

// Full lanes stay.
// CHECK-LABEL: func.func @full
// CHECK-NOT: tpu.reshape
module attributes {tpu.chip = "bm1684x"} {
  func.func @full(%x: tensor<1x64x20x20xf32>) -> tensor<1x64x20x20xf32> {
    %0 = tpu.unary sigmoid %x : tensor<1x64x20x20xf32>
    return %0 : tensor<1x64x20x20xf32>
  }
}

// -----

// A command on each side: moving the values between two groups costs more than the lanes save.
// CHECK-LABEL: func.func @between_groups
// CHECK-NOT: tpu.reshape
module attributes {tpu.chip = "bm1684x"} {
  func.func @between_groups(%x: tensor<1x16x40x40xf32>) -> tensor<1x16x20x20xf32> {
    %0 = tpu.pool max %x kernel [2, 2] strides [1, 1] pads [0, 0, 1, 1] : tensor<1x16x40x40xf32> -> tensor<1x16x40x40xf32>
    %1 = tpu.unary relu %0 : tensor<1x16x40x40xf32>
    %2 = tpu.pool max %1 kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] : tensor<1x16x40x40xf32> -> tensor<1x16x20x20xf32>
    return %2 : tensor<1x16x20x20xf32>
  }
}

// -----

// 3 * 7 * 11 elements: no more than 33 lanes divide them, and as short rows cost a transfer as much as long ones, fewer are taken or none.
// CHECK-LABEL: func.func @odd
// CHECK-NOT: tpu.reshape
module attributes {tpu.chip = "bm1684x"} {
  func.func @odd(%x: tensor<1x3x7x11xf32>) -> tensor<1x3x7x11xf32> {
    %0 = tpu.unary relu %x : tensor<1x3x7x11xf32>
    return %0 : tensor<1x3x7x11xf32>
  }
}

// -----

// A value that others read as well ends a chain.
// CHECK-LABEL: func.func @read_twice
// CHECK: %[[E:.*]] = tpu.unary exp
// CHECK-NEXT: %[[BACK:.*]] = tpu.reshape %[[E]] : tensor<1x64x10x640xf32> -> tensor<1x1x640x640xf32>
// CHECK-NEXT: tpu.reshape %[[BACK]]
// CHECK: tpu.unary sigmoid
// CHECK: return %[[BACK]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @read_twice(%x: tensor<1x1x640x640xf32>) -> (tensor<1x1x640x640xf32>, tensor<1x1x640x640xf32>) {
    %0 = tpu.unary exp %x : tensor<1x1x640x640xf32>
    %1 = tpu.unary sigmoid %0 : tensor<1x1x640x640xf32>
    return %0, %1 : tensor<1x1x640x640xf32>, tensor<1x1x640x640xf32>
  }
}

// -----

// This chain pays alone.
// CHECK-LABEL: func.func @alone
// CHECK: tpu.reshape %arg0 : tensor<1x1000x1x1xf32> -> tensor<1x25x40x1xf32>
module attributes {tpu.chip = "bm1684x"} {
  func.func @alone(%z: tensor<1x1000x1x1xf32>) -> tensor<1x1000x1x1xf32> {
    %2 = tpu.cast %z : tensor<1x1000x1x1xf32> -> tensor<1x1000x1x1xf16>
    %3 = tpu.unary abs %2 : tensor<1x1000x1x1xf16>
    %4 = tpu.cast %3 : tensor<1x1000x1x1xf16> -> tensor<1x1000x1x1xf32>
    %5 = tpu.unary reciprocal %4 : tensor<1x1000x1x1xf32>
    return %5 : tensor<1x1000x1x1xf32>
  }
}

// -----

// Here its reshapes would send two values of others through DRAM, in 1000 runs of 2 bytes each.
// CHECK-LABEL: func.func @beside
// CHECK-NOT: tpu.reshape
module attributes {tpu.chip = "bm1684x"} {
  func.func @beside(%x: tensor<1x1000x1x1xf32>, %z: tensor<1x1000x1x1xf32>) -> (tensor<1x1000x1x1xf32>, tensor<1x1000x1x1xf32>, tensor<1x1000x1x1xf32>) {
    %a = tpu.cast %x : tensor<1x1000x1x1xf32> -> tensor<1x1000x1x1xf16>
    %0 = tpu.binary sub %a {constant = 2.0 : f64} : tensor<1x1000x1x1xf16> -> tensor<1x1000x1x1xf16>
    %1 = tpu.binary sub %0 {constant = 1.7 : f64} : tensor<1x1000x1x1xf16> -> tensor<1x1000x1x1xf16>
    %2 = tpu.cast %z : tensor<1x1000x1x1xf32> -> tensor<1x1000x1x1xf16>
    %3 = tpu.unary abs %2 : tensor<1x1000x1x1xf16>
    %4 = tpu.cast %3 : tensor<1x1000x1x1xf16> -> tensor<1x1000x1x1xf32>
    %5 = tpu.unary reciprocal %4 : tensor<1x1000x1x1xf32>
    %6 = tpu.cast %0 : tensor<1x1000x1x1xf16> -> tensor<1x1000x1x1xf32>
    %7 = tpu.cast %1 : tensor<1x1000x1x1xf16> -> tensor<1x1000x1x1xf32>
    return %6, %7, %5 : tensor<1x1000x1x1xf32>, tensor<1x1000x1x1xf32>, tensor<1x1000x1x1xf32>
  }
}

// -----

// A piece of an input is an address in DRAM: no group hands it in, and as it is each element is a run of its own.
// CHECK-LABEL: func.func @piece_of_input
// CHECK: tpu.slice
// CHECK-NEXT: tpu.reshape %{{.*}} : tensor<1x1920x1x1xf32> -> tensor<1x16x120x1xf32>
// CHECK-NEXT: tpu.cast {{.*}} : tensor<1x16x120x1xf32> -> tensor<1x16x120x1xf16>
module attributes {tpu.chip = "bm1684x"} {
  func.func @piece_of_input(%x: tensor<1x1984x1x1xf32>) -> tensor<1x1920x1x1xf16> {
    %0 = tpu.slice %x [0, 64, 0, 0] steps [1, 1, 1, 1] : tensor<1x1984x1x1xf32> -> tensor<1x1920x1x1xf32>
    %1 = tpu.cast %0 : tensor<1x1920x1x1xf32> -> tensor<1x1920x1x1xf16>
    return %1 : tensor<1x1920x1x1xf16>
  }
}

// -----

// More channels than a command counts, as a sound without other axes has: runs of one element. The second slice is a place in DRAM, which no group hands past the first function.
// CHECK-LABEL: func.func @sound
// CHECK: tpu.cast {{.*}} : tensor<1x64x2250x1xf32> -> tensor<1x64x2250x1xf16>
// CHECK: tpu.cast {{.*}} : tensor<1x64x2250x1xf32> -> tensor<1x64x2250x1xf16>
module attributes {tpu.chip = "bm1684x"} {
  func.func @sound(%x: tensor<1x144160x1x1xf32>) -> (tensor<1x900x1x160xf16>, tensor<1x900x1x160xf16>) {
    %0 = tpu.slice %x [0, 0, 0, 0] steps [1, 1, 1, 1] : tensor<1x144160x1x1xf32> -> tensor<1x144000x1x1xf32>
    %1 = tpu.slice %x [0, 160, 0, 0] steps [1, 1, 1, 1] : tensor<1x144160x1x1xf32> -> tensor<1x144000x1x1xf32>
    %2 = tpu.cast %0 : tensor<1x144000x1x1xf32> -> tensor<1x144000x1x1xf16>
    %3 = tpu.reshape %2 : tensor<1x144000x1x1xf16> -> tensor<1x900x1x160xf16>
    %4 = tpu.cast %1 : tensor<1x144000x1x1xf32> -> tensor<1x144000x1x1xf16>
    %5 = tpu.reshape %4 : tensor<1x144000x1x1xf16> -> tensor<1x900x1x160xf16>
    return %3, %5 : tensor<1x900x1x160xf16>, tensor<1x900x1x160xf16>
  }
}

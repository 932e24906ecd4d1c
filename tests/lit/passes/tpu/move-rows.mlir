// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-move-rows))' | FileCheck %s

// The rows are ordered when the argument is loaded, and the name goes to what has that order.
// CHECK-LABEL: func.func @normalized
// CHECK: %[[X:.*]] = tpu.arrange %arg0 pieces [#tpu.piece<0, 0, 0, [8, 64, 1, 96], [6144, 96, 96, 1], [6144, 96, 96, 1]>] : (tensor<1x512x1x96xf32>) -> tensor<8x64x1x96xf32>
// CHECK-NEXT: %[[S:.*]] = tpu.reduce sum %[[X]] axis 3 : tensor<8x64x1x96xf32> -> tensor<8x64x1x1xf32>
// CHECK-NEXT: %[[D:.*]] = tpu.binary sub %[[X]], %[[S]] : tensor<8x64x1x96xf32>, tensor<8x64x1x1xf32> -> tensor<8x64x1x96xf32>
// CHECK-NEXT: %[[B:.*]] = tpu.binary add %[[D]], %{{.*}} : tensor<8x64x1x96xf32>, tensor<1x1x1x96xf32> -> tensor<8x64x1x96xf32>
// CHECK-NEXT: %[[C:.*]] = tpu.cast %[[B]] {top.value = "w"} : tensor<8x64x1x96xf32> -> tensor<8x64x1x96xf16>
// CHECK-NEXT: tpu.unary relu %[[C]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @normalized(%x: tensor<1x512x1x96xf32>) -> tensor<8x64x1x96xf16> {
    %b = tpu.weight dense<1.0> : tensor<1x1x1x96xf32>
    %0 = tpu.reduce sum %x axis 3 : tensor<1x512x1x96xf32> -> tensor<1x512x1x1xf32>
    %1 = tpu.binary sub %x, %0 : tensor<1x512x1x96xf32>, tensor<1x512x1x1xf32> -> tensor<1x512x1x96xf32>
    %2 = tpu.binary add %1, %b {top.value = "n"} : tensor<1x512x1x96xf32>, tensor<1x1x1x96xf32> -> tensor<1x512x1x96xf32>
    %3 = tpu.cast %2 : tensor<1x512x1x96xf32> -> tensor<1x512x1x96xf16>
    %4 = tpu.arrange %3 pieces [#tpu.piece<0, 0, 0, [8, 64, 1, 96], [6144, 96, 96, 1], [6144, 96, 96, 1]>] {top.value = "w"} : (tensor<1x512x1x96xf16>) -> tensor<8x64x1x96xf16>
    %5 = tpu.unary relu %4 : tensor<8x64x1x96xf16>
    return %5 : tensor<8x64x1x96xf16>
  }
}

// -----

// What a group computes and nobody reads later would be stored for it.
// CHECK-LABEL: func.func @computed
// CHECK: tpu.softmax
// CHECK-NEXT: tpu.unary relu
// CHECK-NEXT: tpu.arrange
module attributes {tpu.chip = "bm1684x"} {
  func.func @computed(%x: tensor<1x512x1x96xf16>) -> tensor<8x64x1x96xf16> {
    %0 = tpu.softmax %x {axis = 3 : i64} : tensor<1x512x1x96xf16>
    %1 = tpu.unary relu %0 : tensor<1x512x1x96xf16>
    %2 = tpu.arrange %1 pieces [#tpu.piece<0, 0, 0, [8, 64, 1, 96], [6144, 96, 96, 1], [6144, 96, 96, 1]>] : (tensor<1x512x1x96xf16>) -> tensor<8x64x1x96xf16>
    %3 = tpu.unary relu %2 : tensor<8x64x1x96xf16>
    return %3 : tensor<8x64x1x96xf16>
  }
}

// -----

// The sum behind reads it later, so it is stored anyway.
// CHECK-LABEL: func.func @residual
// CHECK: %[[S:.*]] = tpu.softmax
// CHECK-NEXT: tpu.arrange %[[S]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @residual(%x: tensor<1x512x1x96xf16>) -> (tensor<8x64x1x96xf16>, tensor<1x512x1x96xf16>) {
    %0 = tpu.softmax %x {axis = 3 : i64} : tensor<1x512x1x96xf16>
    %1 = tpu.unary relu %0 : tensor<1x512x1x96xf16>
    %2 = tpu.arrange %1 pieces [#tpu.piece<0, 0, 0, [8, 64, 1, 96], [6144, 96, 96, 1], [6144, 96, 96, 1]>] : (tensor<1x512x1x96xf16>) -> tensor<8x64x1x96xf16>
    %3 = tpu.unary relu %2 : tensor<8x64x1x96xf16>
    %4 = tpu.binary add %0, %0 : tensor<1x512x1x96xf16>, tensor<1x512x1x96xf16> -> tensor<1x512x1x96xf16>
    return %3, %4 : tensor<8x64x1x96xf16>, tensor<1x512x1x96xf16>
  }
}

// -----

// Two tensors of rows would both be loaded in the other order.
// CHECK-LABEL: func.func @two
// CHECK-NEXT: tpu.binary max
// CHECK-NEXT: tpu.arrange
module attributes {tpu.chip = "bm1684x"} {
  func.func @two(%x: tensor<1x512x1x96xf16>, %z: tensor<1x512x1x96xf16>) -> tensor<8x64x1x96xf16> {
    %0 = tpu.binary max %x, %z : tensor<1x512x1x96xf16>, tensor<1x512x1x96xf16> -> tensor<1x512x1x96xf16>
    %1 = tpu.arrange %0 pieces [#tpu.piece<0, 0, 0, [8, 64, 1, 96], [6144, 96, 96, 1], [6144, 96, 96, 1]>] : (tensor<1x512x1x96xf16>) -> tensor<8x64x1x96xf16>
    %2 = tpu.unary relu %1 : tensor<8x64x1x96xf16>
    return %2 : tensor<8x64x1x96xf16>
  }
}

// -----

// Windows of 8 rows leave 56 of 64 lanes idle: computing so would take longer than the way through DRAM.
// CHECK-LABEL: func.func @few_lanes
// CHECK-NEXT: tpu.unary gelu
// CHECK-NEXT: tpu.arrange
module attributes {tpu.chip = "bm1684x"} {
  func.func @few_lanes(%x: tensor<1x512x1x96xf32>) -> tensor<64x8x1x96xf32> {
    %0 = tpu.unary gelu %x : tensor<1x512x1x96xf32>
    %1 = tpu.arrange %0 pieces [#tpu.piece<0, 0, 0, [64, 8, 1, 96], [768, 96, 96, 1], [768, 96, 96, 1]>] : (tensor<1x512x1x96xf32>) -> tensor<64x8x1x96xf32>
    %2 = tpu.unary relu %1 : tensor<64x8x1x96xf32>
    return %2 : tensor<64x8x1x96xf32>
  }
}

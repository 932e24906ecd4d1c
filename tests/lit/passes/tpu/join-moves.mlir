// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-join-moves))' | FileCheck %s
// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-join-moves, tpu-group-layers, tpu-fold-turns))' | FileCheck %s --check-prefix=FOLD

// Windows of 4 x 4: a load brings the rows of a window to its lanes, 4 pieces of the image for each row of windows.
// CHECK-LABEL: func.func @windows
// CHECK-NEXT: %[[W:.*]] = tpu.arrange %arg0 pieces [#tpu.piece<0, 0, 0, [4, 4, 1, 96], [384, 96, 96, 1], [1536, 96, 96, 1]>,
// CHECK-SAME: #tpu.piece<0, 1536, 384, [4, 4, 1, 96], [384, 96, 96, 1], [1536, 96, 96, 1]>
// CHECK-SAME: {top.value = "w"} : (tensor<1x256x1x96xf16>) -> tensor<16x16x1x96xf16>
// CHECK-NEXT: tpu.unary relu %[[W]]
// FOLD-LABEL: func.func @windows
// FOLD: tpu.group(%arg0)
// FOLD-NEXT: ^bb0(%[[X:.*]]: tensor<1x256x1x96xf16>):
// FOLD-NEXT: %[[W:.*]] = tpu.arrange %[[X]]
// FOLD-NEXT: tpu.unary relu %[[W]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @windows(%x: tensor<1x256x1x96xf16>) -> tensor<16x16x1x96xf16> {
    %0 = tpu.reshape %x : tensor<1x256x1x96xf16> -> tensor<1x4x64x96xf16>
    %1 = tpu.arrange %0 pieces [#tpu.piece<0, 0, 0, [4, 4, 4, 384], [6144, 384, 1536, 1], [6144, 1536, 384, 1]>] : (tensor<1x4x64x96xf16>) -> tensor<1x4x64x96xf16>
    %2 = tpu.reshape %1 {top.value = "w"} : tensor<1x4x64x96xf16> -> tensor<16x16x1x96xf16>
    %3 = tpu.unary relu %2 : tensor<16x16x1x96xf16>
    return %3 : tensor<16x16x1x96xf16>
  }
}

// -----

// What is returned is stored so, rolled by a column as well: the column that comes first is a piece of its own.
// CHECK-LABEL: func.func @back
// CHECK-NEXT: %[[Y:.*]] = tpu.unary relu %arg0
// CHECK-NEXT: %[[R:.*]] = tpu.arrange %[[Y]] pieces [#tpu.piece<0, 0, 96, [3, 4, 1, 96], [1536, 96, 96, 1], [384, 96, 96, 1]>,
// CHECK-SAME: #tpu.piece<0, 4896, 0, [1, 1, 1, 96],
// CHECK-NEXT: return %[[R]]
// FOLD-LABEL: func.func @back
// FOLD: %[[G:.*]] = tpu.group(%arg0) {{.*}} : (tensor<16x16x1x96xf16>) -> tensor<1x16x16x96xf16>
// FOLD: %[[R:.*]] = tpu.arrange
// FOLD-NEXT: tpu.yield %[[R]]
// FOLD: return %[[G]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @back(%x: tensor<16x16x1x96xf16>) -> tensor<1x16x16x96xf16> {
    %0 = tpu.unary relu %x : tensor<16x16x1x96xf16>
    %1 = tpu.reshape %0 : tensor<16x16x1x96xf16> -> tensor<1x4x64x96xf16>
    %2 = tpu.arrange %1 pieces [#tpu.piece<0, 0, 0, [4, 4, 4, 384], [6144, 1536, 384, 1], [6144, 384, 1536, 1]>] : (tensor<1x4x64x96xf16>) -> tensor<1x4x64x96xf16>
    %3 = tpu.reshape %2 : tensor<1x4x64x96xf16> -> tensor<1x16x16x96xf16>
    %4 = tpu.slice %3 [0, 0, 15, 0] steps [1, 1, 1, 1] : tensor<1x16x16x96xf16> -> tensor<1x16x1x96xf16>
    %5 = tpu.slice %3 [0, 0, 0, 0] steps [1, 1, 1, 1] : tensor<1x16x16x96xf16> -> tensor<1x16x15x96xf16>
    %6 = tpu.concat %4, %5 axis 2 : (tensor<1x16x1x96xf16>, tensor<1x16x15x96xf16>) -> tensor<1x16x16x96xf16>
    return %6 : tensor<1x16x16x96xf16>
  }
}

// -----

// All rows are cast before they are joined: one cast behind.
// CHECK-LABEL: func.func @cast
// CHECK-NEXT: %[[W:.*]] = tpu.arrange %arg0 {{.*}} : (tensor<1x256x1x96xf32>) -> tensor<16x16x1x96xf32>
// CHECK-NEXT: %[[C:.*]] = tpu.cast %[[W]] {top.value = "w"} : tensor<16x16x1x96xf32> -> tensor<16x16x1x96xf16>
// CHECK-NEXT: tpu.unary relu %[[C]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @cast(%x: tensor<1x256x1x96xf32>) -> tensor<16x16x1x96xf16> {
    %0 = tpu.slice %x [0, 32, 0, 0] steps [1, 1, 1, 1] : tensor<1x256x1x96xf32> -> tensor<1x224x1x96xf32>
    %1 = tpu.slice %x [0, 0, 0, 0] steps [1, 1, 1, 1] : tensor<1x256x1x96xf32> -> tensor<1x32x1x96xf32>
    %2 = tpu.cast %0 : tensor<1x224x1x96xf32> -> tensor<1x224x1x96xf16>
    %3 = tpu.cast %1 : tensor<1x32x1x96xf32> -> tensor<1x32x1x96xf16>
    %4 = tpu.concat %2, %3 axis 1 : (tensor<1x224x1x96xf16>, tensor<1x32x1x96xf16>) -> tensor<1x256x1x96xf16>
    %5 = tpu.reshape %4 : tensor<1x256x1x96xf16> -> tensor<1x4x64x96xf16>
    %6 = tpu.arrange %5 pieces [#tpu.piece<0, 0, 0, [4, 4, 4, 384], [6144, 384, 1536, 1], [6144, 1536, 384, 1]>] : (tensor<1x4x64x96xf16>) -> tensor<1x4x64x96xf16>
    %7 = tpu.reshape %6 {top.value = "w"} : tensor<1x4x64x96xf16> -> tensor<16x16x1x96xf16>
    %8 = tpu.unary relu %7 : tensor<16x16x1x96xf16>
    return %8 : tensor<16x16x1x96xf16>
  }
}

// -----

// Rows are cut: each element of the result is a run of its own.
// CHECK-LABEL: func.func @elements
// CHECK: tpu.arrange %{{.*}} pieces [#tpu.piece<0, 0, 0, [4, 2, 3, 5, 7],
module attributes {tpu.chip = "bm1684x"} {
  func.func @elements(%x: tensor<4x2x15x7xf16>) -> tensor<4x15x2x7xf16> {
    %0 = tpu.arrange %x pieces [#tpu.piece<0, 0, 0, [4, 2, 3, 5, 7], [210, 105, 35, 7, 1], [210, 1, 10, 2, 30]>] : (tensor<4x2x15x7xf16>) -> tensor<4x15x2x7xf16>
    %1 = tpu.unary relu %0 : tensor<4x15x2x7xf16>
    return %1 : tensor<4x15x2x7xf16>
  }
}

// -----

// Neither a group that loads nor one that stores: the moves stay.
// CHECK-LABEL: func.func @no_group
// CHECK-NEXT: tpu.reshape
// CHECK-NEXT: tpu.arrange
// CHECK-NEXT: tpu.reshape
// CHECK-NEXT: return
module attributes {tpu.chip = "bm1684x"} {
  func.func @no_group(%x: tensor<1x256x1x96xf16>) -> tensor<16x16x1x96xf16> {
    %0 = tpu.reshape %x : tensor<1x256x1x96xf16> -> tensor<1x4x64x96xf16>
    %1 = tpu.arrange %0 pieces [#tpu.piece<0, 0, 0, [4, 4, 4, 384], [6144, 384, 1536, 1], [6144, 1536, 384, 1]>] : (tensor<1x4x64x96xf16>) -> tensor<1x4x64x96xf16>
    %2 = tpu.reshape %1 : tensor<1x4x64x96xf16> -> tensor<16x16x1x96xf16>
    return %2 : tensor<16x16x1x96xf16>
  }
}

// -----

// Rows of two tensors: a transfer has one.
// CHECK-LABEL: func.func @two
// CHECK: tpu.concat
// CHECK: tpu.arrange
module attributes {tpu.chip = "bm1684x"} {
  func.func @two(%x: tensor<1x128x1x96xf16>, %z: tensor<1x128x1x96xf16>) -> tensor<16x16x1x96xf16> {
    %0 = tpu.concat %x, %z axis 1 : (tensor<1x128x1x96xf16>, tensor<1x128x1x96xf16>) -> tensor<1x256x1x96xf16>
    %1 = tpu.reshape %0 : tensor<1x256x1x96xf16> -> tensor<1x4x64x96xf16>
    %2 = tpu.arrange %1 pieces [#tpu.piece<0, 0, 0, [4, 4, 4, 384], [6144, 384, 1536, 1], [6144, 1536, 384, 1]>] : (tensor<1x4x64x96xf16>) -> tensor<1x4x64x96xf16>
    %3 = tpu.reshape %2 : tensor<1x4x64x96xf16> -> tensor<16x16x1x96xf16>
    %4 = tpu.unary relu %3 : tensor<16x16x1x96xf16>
    return %4 : tensor<16x16x1x96xf16>
  }
}

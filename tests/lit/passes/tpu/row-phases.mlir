// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-row-phases))' | FileCheck %s
// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-row-phases, tpu-group-layers, tpu-fold-bands))' | FileCheck %s --check-prefix=FOLD

// Patches of 16 x 16: the function works in 48 lanes instead of 16, and the load of its group brings the rows there.
// CHECK-LABEL: func.func @patches
// CHECK-NEXT: %[[P:.*]] = tpu.row_phases %arg0 step 16 : tensor<1x3x224x224xf32> -> tensor<1x48x14x224xf32>
// CHECK-NEXT: %[[C:.*]] = tpu.cast %[[P]] : tensor<1x48x14x224xf32> -> tensor<1x48x14x224xf16>
// CHECK-NEXT: tpu.reshape %[[C]] {top.value = "p"} : tensor<1x48x14x224xf16> -> tensor<1x48x196x16xf16>
// FOLD-LABEL: func.func @patches
// FOLD: tpu.group(%arg0)
// FOLD-NEXT: ^bb0(%[[X:.*]]: tensor<1x3x224x224xf32>):
// FOLD-NEXT: %[[P:.*]] = tpu.row_phases %[[X]] step 16
// FOLD-NEXT: tpu.cast %[[P]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @patches(%x: tensor<1x3x224x224xf32>) -> tensor<1x48x196x1xf16> {
    %0 = tpu.reshape %x : tensor<1x3x224x224xf32> -> tensor<3x14x16x224xf32>
    %1 = tpu.permute %0 [0, 2, 1, 3] : tensor<3x14x16x224xf32> -> tensor<3x16x14x224xf32>
    %2 = tpu.cast %1 : tensor<3x16x14x224xf32> -> tensor<3x16x14x224xf16>
    %3 = tpu.reshape %2 {top.value = "p"} : tensor<3x16x14x224xf16> -> tensor<1x48x196x16xf16>
    %4 = tpu.reduce max %3 axis 3 : tensor<1x48x196x16xf16> -> tensor<1x48x196x1xf16>
    return %4 : tensor<1x48x196x1xf16>
  }
}

// -----

// Rows below the last block, and those at the end of a block that nothing reads, are not loaded. Nothing but a view reads the rows here: the group begins with it.
// CHECK-LABEL: func.func @cut
// CHECK-NEXT: tpu.row_phases %arg0 step 20 : tensor<2x3x67x64xf16> -> tensor<2x54x3x64xf16>
// FOLD-LABEL: func.func @cut
// FOLD: tpu.group(%arg0)
// FOLD: tpu.row_phases
// FOLD-NEXT: tpu.reshape
module attributes {tpu.chip = "bm1684x"} {
  func.func @cut(%x: tensor<2x3x67x64xf16>) -> tensor<2x54x1x192xf16> {
    %0 = tpu.slice %x [0, 0, 0, 0] steps [1, 1, 1, 1] : tensor<2x3x67x64xf16> -> tensor<2x3x60x64xf16>
    %1 = tpu.reshape %0 : tensor<2x3x60x64xf16> -> tensor<6x3x20x64xf16>
    %2 = tpu.slice %1 [0, 0, 0, 0] steps [1, 1, 1, 1] : tensor<6x3x20x64xf16> -> tensor<6x3x18x64xf16>
    %3 = tpu.permute %2 [0, 2, 1, 3] : tensor<6x3x18x64xf16> -> tensor<6x18x3x64xf16>
    %4 = tpu.reshape %3 : tensor<6x18x3x64xf16> -> tensor<2x54x1x192xf16>
    %5 = tpu.unary relu %4 : tensor<2x54x1x192xf16>
    return %5 : tensor<2x54x1x192xf16>
  }
}

// -----

// Images stay images: a turn, which a load does as it is.
// CHECK-LABEL: func.func @images
// CHECK-NOT: row_phases
module attributes {tpu.chip = "bm1684x"} {
  func.func @images(%x: tensor<3x14x16x224xf32>) -> tensor<3x16x1x3136xf32> {
    %0 = tpu.permute %x [0, 2, 1, 3] : tensor<3x14x16x224xf32> -> tensor<3x16x14x224xf32>
    %1 = tpu.reshape %0 : tensor<3x16x14x224xf32> -> tensor<3x16x1x3136xf32>
    return %1 : tensor<3x16x1x3136xf32>
  }
}

// -----

// A load a channel of 2 lanes takes longer than a turn within DRAM.
// CHECK-LABEL: func.func @pairs
// CHECK-NOT: row_phases
module attributes {tpu.chip = "bm1684x"} {
  func.func @pairs(%x: tensor<512x4x2x16xf32>) -> tensor<1x1024x4x16xf32> {
    %0 = tpu.permute %x [0, 2, 1, 3] : tensor<512x4x2x16xf32> -> tensor<512x2x4x16xf32>
    %1 = tpu.reshape %0 : tensor<512x2x4x16xf32> -> tensor<1x1024x4x16xf32>
    return %1 : tensor<1x1024x4x16xf32>
  }
}

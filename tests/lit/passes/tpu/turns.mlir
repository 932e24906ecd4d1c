// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-move-turns))' | FileCheck %s --check-prefix=MOVE
// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-move-turns, tpu-group-layers, tpu-fold-turns))' | FileCheck %s --check-prefix=FOLD

// Before the functions of an argument, so that one group loads, computes and stores. Only the last function has a name: the others' values are turned now.
// MOVE-LABEL: func.func @up
// MOVE-NEXT: %[[T:.*]] = tpu.permute %arg0 [0, 2, 1, 3] : tensor<1x16x24x64xf32> -> tensor<1x24x16x64xf32>
// MOVE-NEXT: %[[A:.*]] = tpu.unary relu %[[T]] : tensor<1x24x16x64xf32>
// MOVE-NEXT: %[[B:.*]] = tpu.cast %[[A]] {top.value = "t"} : tensor<1x24x16x64xf32> -> tensor<1x24x16x64xf16>
// MOVE-NEXT: %[[C:.*]] = tpu.binary mul %[[B]], %[[B]] {top.value = "y"}
// FOLD-LABEL: func.func @up
// FOLD: %[[G:.*]] = tpu.group(%arg0) {{.*}}: (tensor<1x16x24x64xf32>) -> tensor<1x24x16x64xf16>
// FOLD-NEXT: ^bb0(%[[X:.*]]: tensor<1x16x24x64xf32>):
// FOLD-NEXT: tpu.permute %[[X]] [0, 2, 1, 3]
// FOLD: return %[[G]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @up(%x: tensor<1x16x24x64xf32>) -> tensor<1x24x16x64xf16> {
    %0 = tpu.unary relu %x {top.value = "r"} : tensor<1x16x24x64xf32>
    %1 = tpu.cast %0 {top.value = "c"} : tensor<1x16x24x64xf32> -> tensor<1x16x24x64xf16>
    %2 = tpu.permute %1 [0, 2, 1, 3] {top.value = "t"} : tensor<1x16x24x64xf16> -> tensor<1x24x16x64xf16>
    %3 = tpu.binary mul %2, %2 {top.value = "y"} : tensor<1x24x16x64xf16>, tensor<1x24x16x64xf16> -> tensor<1x24x16x64xf16>
    return %3 : tensor<1x24x16x64xf16>
  }
}

// -----

// Behind the functions whose result is an output, also through a reshape.
// MOVE-LABEL: func.func @down
// MOVE-NEXT: %[[A:.*]] = tpu.binary mul
// MOVE-NEXT: %[[B:.*]] = tpu.unary relu %[[A]] : tensor<1x16x24x64xf32>
// MOVE-NEXT: %[[T:.*]] = tpu.permute %[[B]] [0, 2, 1, 3] : tensor<1x16x24x64xf32> -> tensor<1x24x16x64xf32>
// MOVE-NEXT: %[[Y:.*]] = tpu.reshape %[[T]] {top.value = "y"} : tensor<1x24x16x64xf32> -> tensor<1x24x1x1024xf32>
// MOVE-NEXT: return %[[Y]]
// FOLD-LABEL: func.func @down
// FOLD: %[[G:.*]] = tpu.group(%arg0) {{.*}}: (tensor<1x16x24x64xf32>) -> tensor<1x24x16x64xf32>
// FOLD: %[[T:.*]] = tpu.permute %{{.*}} [0, 2, 1, 3]
// FOLD-NEXT: tpu.yield %[[T]]
// FOLD: tpu.reshape %[[G]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @down(%x: tensor<1x16x24x64xf32>) -> tensor<1x24x1x1024xf32> {
    %0 = tpu.binary mul %x, %x : tensor<1x16x24x64xf32>, tensor<1x16x24x64xf32> -> tensor<1x16x24x64xf32>
    %1 = tpu.permute %0 [0, 2, 1, 3] {top.value = "t"} : tensor<1x16x24x64xf32> -> tensor<1x24x16x64xf32>
    %2 = tpu.reshape %1 : tensor<1x24x16x64xf32> -> tensor<1x24x1x1024xf32>
    %3 = tpu.unary relu %2 {top.value = "y"} : tensor<1x24x1x1024xf32>
    return %3 : tensor<1x24x1x1024xf32>
  }
}

// -----

// Two turns with functions in between are one, or none.
// MOVE-LABEL: func.func @joined
// MOVE-NEXT: %[[P:.*]] = tpu.binary mul %arg0, %arg0
// MOVE-NEXT: %[[A:.*]] = tpu.unary relu %[[P]] {top.value = "a"}
// MOVE-NEXT: %[[R:.*]] = tpu.unary relu %arg1 :
// MOVE-NEXT: %[[B:.*]] = tpu.permute %[[R]] [1, 0, 2, 3] {top.value = "b"}
// MOVE-NEXT: return %[[A]], %[[B]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @joined(%x: tensor<2x16x24x64xf32>, %y: tensor<2x16x24x64xf32>) -> (tensor<2x16x24x64xf32>, tensor<16x2x24x64xf32>) {
    %0 = tpu.binary mul %x, %x : tensor<2x16x24x64xf32>, tensor<2x16x24x64xf32> -> tensor<2x16x24x64xf32>
    %1 = tpu.permute %0 [0, 2, 1, 3] : tensor<2x16x24x64xf32> -> tensor<2x24x16x64xf32>
    %2 = tpu.unary relu %1 : tensor<2x24x16x64xf32>
    %3 = tpu.permute %2 [0, 2, 1, 3] {top.value = "a"} : tensor<2x24x16x64xf32> -> tensor<2x16x24x64xf32>
    %4 = tpu.permute %y [0, 2, 1, 3] : tensor<2x16x24x64xf32> -> tensor<2x24x16x64xf32>
    %5 = tpu.unary relu %4 : tensor<2x24x16x64xf32>
    %6 = tpu.permute %5 [2, 0, 1, 3] {top.value = "b"} : tensor<2x24x16x64xf32> -> tensor<16x2x24x64xf32>
    return %3, %6 : tensor<2x16x24x64xf32>, tensor<16x2x24x64xf32>
  }
}

// -----

// Runs of 8 bytes cost more than the turn within DRAM, and steps of 400 along w no transfer of a tensor takes.
// MOVE-LABEL: func.func @dear
// MOVE: tpu.unary relu %arg0
// MOVE: tpu.permute
// MOVE: tpu.unary relu %arg1
// MOVE: tpu.permute
// FOLD-LABEL: func.func @dear
// FOLD-COUNT-2: {{^}}    %{{[0-9]+}} = tpu.permute
module attributes {tpu.chip = "bm1684x"} {
  func.func @dear(%x: tensor<1x160x240x2xf32>, %y: tensor<1x64x100x100xf32>) -> (tensor<1x240x160x2xf32>, tensor<1x64x100x100xf32>) {
    %0 = tpu.unary relu %x : tensor<1x160x240x2xf32>
    %1 = tpu.permute %0 [0, 2, 1, 3] : tensor<1x160x240x2xf32> -> tensor<1x240x160x2xf32>
    %2 = tpu.binary mul %1, %1 : tensor<1x240x160x2xf32>, tensor<1x240x160x2xf32> -> tensor<1x240x160x2xf32>
    %3 = tpu.unary relu %y : tensor<1x64x100x100xf32>
    %4 = tpu.permute %3 [0, 1, 3, 2] : tensor<1x64x100x100xf32> -> tensor<1x64x100x100xf32>
    %5 = tpu.binary mul %4, %4 : tensor<1x64x100x100xf32>, tensor<1x64x100x100xf32> -> tensor<1x64x100x100xf32>
    return %2, %5 : tensor<1x240x160x2xf32>, tensor<1x64x100x100xf32>
  }
}

// -----

// A value that others read as it was stays as it is; a turn between two groups is done by one of them.
// MOVE-LABEL: func.func @read_by_others
// MOVE-NEXT: tpu.unary relu %arg0
// MOVE-NEXT: tpu.permute
// FOLD-LABEL: func.func @read_by_others
// FOLD: tpu.group(%arg0)
// FOLD: tpu.group
// FOLD-NEXT: ^bb0(%[[X:.*]]: tensor<1x16x24x64xf32>):
// FOLD-NEXT: tpu.permute %[[X]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @read_by_others(%x: tensor<1x16x24x64xf32>) -> (tensor<1x16x24x64xf32>, tensor<1x24x16x64xf32>) {
    %0 = tpu.unary relu %x : tensor<1x16x24x64xf32>
    %1 = tpu.permute %0 [0, 2, 1, 3] : tensor<1x16x24x64xf32> -> tensor<1x24x16x64xf32>
    %2 = tpu.binary mul %1, %1 : tensor<1x24x16x64xf32>, tensor<1x24x16x64xf32> -> tensor<1x24x16x64xf32>
    return %0, %2 : tensor<1x16x24x64xf32>, tensor<1x24x16x64xf32>
  }
}

// -----

// A load that broadcasts one channel has no steps along w.
// FOLD-LABEL: func.func @one_channel
// FOLD: %[[T:.*]] = tpu.permute %arg1 [0, 1, 3, 2]
// FOLD: tpu.group(%arg0, %[[T]])
// FOLD: tpu.group(%arg2, %arg3)
// FOLD-NEXT: ^bb0(%{{.*}}: tensor<3x80x5x70xf32>, %[[B:.*]]: tensor<5x1x3x70xf32>):
// FOLD-NEXT: tpu.permute %[[B]] [2, 1, 0, 3]
module attributes {tpu.chip = "bm1684x"} {
  func.func @one_channel(%x: tensor<1x3x7x400xf32>, %m: tensor<1x1x400x7xf32>, %y: tensor<3x80x5x70xf32>, %k: tensor<5x1x3x70xf32>) -> (tensor<1x3x7x400xf32>, tensor<3x80x5x70xf32>) {
    %0 = tpu.permute %m [0, 1, 3, 2] : tensor<1x1x400x7xf32> -> tensor<1x1x7x400xf32>
    %1 = tpu.binary mul %x, %0 : tensor<1x3x7x400xf32>, tensor<1x1x7x400xf32> -> tensor<1x3x7x400xf32>
    %2 = tpu.permute %k [2, 1, 0, 3] : tensor<5x1x3x70xf32> -> tensor<3x1x5x70xf32>
    %3 = tpu.binary mul %y, %2 : tensor<3x80x5x70xf32>, tensor<3x1x5x70xf32> -> tensor<3x80x5x70xf32>
    return %1, %3 : tensor<1x3x7x400xf32>, tensor<3x80x5x70xf32>
  }
}

// -----

// A turn that stays in DRAM makes f32 of what alone reads it on its way out, also through reshapes and beside others; not for a group, which casts what it loads, nor twice.
// MOVE-LABEL: func.func @widened
// MOVE-NEXT: %[[A:.*]] = tpu.permute %arg0 [0, 2, 3, 1] {top.value = "a"} : tensor<3x85x20x20xf16> -> tensor<3x20x20x85xf32>
// MOVE-NEXT: %[[P:.*]] = tpu.permute %arg1 [0, 2, 3, 1] : tensor<3x85x20x20xbf16> -> tensor<3x20x20x85xf32>
// MOVE-NEXT: %[[B:.*]] = tpu.reshape %[[P]] {top.value = "b"} : tensor<3x20x20x85xf32> -> tensor<1x1x1200x85xf32>
// MOVE-NEXT: %[[Y:.*]] = tpu.concat %[[B]], %arg2 axis 2
// MOVE-NEXT: %[[Q:.*]] = tpu.permute %arg3 [0, 2, 3, 1] : tensor<3x85x20x20xf16> -> tensor<3x20x20x85xf16>
// MOVE-NEXT: %[[C:.*]] = tpu.cast %[[Q]]
// MOVE-NEXT: tpu.binary mul %[[C]], %arg4
// MOVE: tpu.permute {{.*}} -> tensor<3x20x20x85xf16>
// MOVE-NEXT: tpu.cast
// FOLD-LABEL: func.func @widened
// FOLD: tpu.permute %arg0 [0, 2, 3, 1] {top.value = "a"} : tensor<3x85x20x20xf16> -> tensor<3x20x20x85xf32>
module attributes {tpu.chip = "bm1684x"} {
  func.func @widened(%x: tensor<3x85x20x20xf16>, %y: tensor<3x85x20x20xbf16>, %z: tensor<1x1x7x85xf32>, %v: tensor<3x85x20x20xf16>, %w: tensor<3x20x20x85xf32>)
      -> (tensor<3x20x20x85xf32>, tensor<1x1x1207x85xf32>, tensor<3x20x20x85xf32>, tensor<3x20x20x85xf16>, tensor<3x20x20x85xf32>) {
    %0 = tpu.permute %x [0, 2, 3, 1] : tensor<3x85x20x20xf16> -> tensor<3x20x20x85xf16>
    %1 = tpu.cast %0 {top.value = "a"} : tensor<3x20x20x85xf16> -> tensor<3x20x20x85xf32>
    %2 = tpu.permute %y [0, 2, 3, 1] : tensor<3x85x20x20xbf16> -> tensor<3x20x20x85xbf16>
    %3 = tpu.reshape %2 : tensor<3x20x20x85xbf16> -> tensor<1x1x1200x85xbf16>
    %4 = tpu.cast %3 {top.value = "b"} : tensor<1x1x1200x85xbf16> -> tensor<1x1x1200x85xf32>
    %5 = tpu.concat %4, %z axis 2 : (tensor<1x1x1200x85xf32>, tensor<1x1x7x85xf32>) -> tensor<1x1x1207x85xf32>
    %6 = tpu.permute %v [0, 2, 3, 1] : tensor<3x85x20x20xf16> -> tensor<3x20x20x85xf16>
    %7 = tpu.cast %6 : tensor<3x20x20x85xf16> -> tensor<3x20x20x85xf32>
    %8 = tpu.binary mul %7, %w : tensor<3x20x20x85xf32>, tensor<3x20x20x85xf32> -> tensor<3x20x20x85xf32>
    %9 = tpu.permute %v [0, 2, 3, 1] : tensor<3x85x20x20xf16> -> tensor<3x20x20x85xf16>
    %10 = tpu.cast %9 : tensor<3x20x20x85xf16> -> tensor<3x20x20x85xf32>
    return %1, %5, %8, %9, %10 : tensor<3x20x20x85xf32>, tensor<1x1x1207x85xf32>, tensor<3x20x20x85xf32>, tensor<3x20x20x85xf16>, tensor<3x20x20x85xf32>
  }
}

// -----

// Two turns with a cast in between are one, of the type before it.
// MOVE-LABEL: func.func @turned_twice
// MOVE: tpu.permute {{.*}} : tensor<3x85x20x20xf16> -> tensor<3x20x85x20xf16>
// MOVE-NEXT: tpu.cast
// MOVE-NEXT: return
module attributes {tpu.chip = "bm1684x"} {
  func.func @turned_twice(%x: tensor<3x85x20x20xf16>) -> tensor<3x20x85x20xf32> {
    %0 = tpu.permute %x [0, 2, 3, 1] : tensor<3x85x20x20xf16> -> tensor<3x20x20x85xf16>
    %1 = tpu.cast %0 : tensor<3x20x20x85xf16> -> tensor<3x20x20x85xf32>
    %2 = tpu.permute %1 [0, 2, 3, 1] : tensor<3x20x20x85xf32> -> tensor<3x20x85x20xf32>
    return %2 : tensor<3x20x85x20xf32>
  }
}

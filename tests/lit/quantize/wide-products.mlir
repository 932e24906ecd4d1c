// Small products of a 16-bit program stay in f32, as long as they are few: of one size all or none, the smaller first.
// RUN: weft-opt --split-input-file --convert-top-to-tpu="precision=f16" %s | FileCheck %s --check-prefix=ALL
// RUN: weft-opt --split-input-file --convert-top-to-tpu="precision=f16 wide-total=5000" %s | FileCheck %s --check-prefix=SMALL
// RUN: weft-opt --split-input-file --convert-top-to-tpu="precision=f16 wide-total=1000" %s | FileCheck %s --check-prefix=NONE

// The first has 2048 multiplications, the others 4096 each.
// ALL-LABEL: func.func @main
// ALL-COUNT-3: tpu.conv {{.*}} -> tensor<1x8x8x8xf32>
// SMALL-LABEL: func.func @main
// SMALL: tpu.conv {{.*}} : tensor<1x4x8x8xf32>
// SMALL: tpu.conv {{.*}} : tensor<1x8x8x8xf16>
// SMALL: tpu.conv {{.*}} : tensor<1x8x8x8xf16>
// NONE: tpu.conv {{.*}} : tensor<1x4x8x8xf16>
// NONE: tpu.conv {{.*}} : tensor<1x8x8x8xf16>
// NONE: tpu.conv {{.*}} : tensor<1x8x8x8xf16>
func.func @main(%x: tensor<1x4x8x8xf32> {top.name = "x"}) -> (tensor<1x8x8x8xf32> {top.name = "y"}) {
  %v = top.constant dense<0.5> : tensor<8x4x1x1xf32>
  %w = top.constant dense<0.5> : tensor<8x8x1x1xf32>
  %0 = top.conv %x, %v {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "a"} : (tensor<1x4x8x8xf32>, tensor<8x4x1x1xf32>) -> tensor<1x8x8x8xf32>
  %1 = top.conv %0, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "b"} : (tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32>
  %2 = top.conv %1, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "y"} : (tensor<1x8x8x8xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x8x8xf32>
  return %2 : tensor<1x8x8x8xf32>
}

// -----

// Rows are turned on their way to a convolution in f32, which counts as well: one row is no turn.
// ALL-LABEL: func.func @main
// ALL: tpu.conv {{.*}} -> tensor<1x8x1x1xf32>
// ALL: tpu.conv {{.*}} -> tensor<1x8x4x1xf32>
// SMALL-LABEL: func.func @main
// SMALL: tpu.conv {{.*}} -> tensor<1x8x1x1xf32>
// SMALL: tpu.linear {{.*}} -> tensor<1x4x1x8xf32>
func.func @main(%x: tensor<1x1x4xf32> {top.name = "x"}, %z: tensor<1x4x4xf32> {top.name = "z"}) -> (tensor<1x1x8xf32> {top.name = "y"}, tensor<1x4x8xf32> {top.name = "u"}) {
  %v = top.constant dense<0.5> : tensor<4x8xf32>
  %0 = top.matmul %x, %v {top.value = "y"} : tensor<1x1x4xf32>, tensor<4x8xf32>
  %1 = top.matmul %z, %v {top.value = "u"} : tensor<1x4x4xf32>, tensor<4x8xf32>
  return %0, %1 : tensor<1x1x8xf32>, tensor<1x4x8xf32>
}

// -----

// One channel of large images keeps one lane busy, so it takes as long as 16 of them: not in f32, which takes 8 times as long. The same weights on smaller images stay.
// ALL-LABEL: func.func @main
// ALL: tpu.conv {{.*}} : tensor<1x24x96x96xf16>
// ALL: tpu.conv {{.*}} : tensor<1x24x48x48xf32>
func.func @main(%x: tensor<1x24x96x96xf32> {top.name = "x"}, %z: tensor<1x24x48x48xf32> {top.name = "z"}) -> (tensor<1x1x96x96xf32> {top.name = "y"}, tensor<1x1x48x48xf32> {top.name = "u"}) {
  %v = top.constant dense<0.5> : tensor<1x24x1x1xf32>
  %0 = top.conv %x, %v {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "y"} : (tensor<1x24x96x96xf32>, tensor<1x24x1x1xf32>) -> tensor<1x1x96x96xf32>
  %1 = top.conv %z, %v {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "u"} : (tensor<1x24x48x48xf32>, tensor<1x24x1x1xf32>) -> tensor<1x1x48x48xf32>
  return %0, %1 : tensor<1x1x96x96xf32>, tensor<1x1x48x48xf32>
}

// A sigmoid is computed in f32. Where it is returned turned alone, the turn moves 16 bits, as of all values; where it is returned as it is, too, it stays f32, and in bf16, which has few digits.
// RUN: weft-opt --split-input-file --convert-top-to-tpu="precision=f16" %s | FileCheck %s --check-prefix=F16
// RUN: weft-opt --split-input-file --convert-top-to-tpu="precision=bf16" %s | FileCheck %s --check-prefix=BF16

// F16-LABEL: func.func @main
// F16: tpu.unary sigmoid
// F16-NEXT: tpu.cast {{.*}} -> tensor<1x64x40x40xf16>
// F16-NEXT: tpu.permute {{.*}} : tensor<1x64x40x40xf16>
// BF16-LABEL: func.func @main
// BF16: tpu.unary sigmoid
// BF16-NEXT: tpu.permute {{.*}} : tensor<1x64x40x40xf32>
func.func @main(%x: tensor<1x64x40x40xf32> {top.name = "x"}) -> (tensor<1x40x40x64xf32> {top.name = "y"}) {
  %w = top.constant dense<0.125> : tensor<64x64x1x1xf32>
  %p = top.conv %x, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "p"} : (tensor<1x64x40x40xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x40x40xf32>
  %s = top.unary sigmoid %p {top.value = "s"} : tensor<1x64x40x40xf32>
  %y = top.transpose %s {perm = array<i64: 0, 2, 3, 1>, top.value = "y"} : tensor<1x64x40x40xf32> -> tensor<1x40x40x64xf32>
  return %y : tensor<1x40x40x64xf32>
}

// -----

// F16-LABEL: func.func @main
// F16: tpu.unary sigmoid
// F16-NEXT: tpu.permute {{.*}} : tensor<1x64x40x40xf32>
func.func @main(%x: tensor<1x64x40x40xf32> {top.name = "x"}) -> (tensor<1x40x40x64xf32> {top.name = "y"}, tensor<1x64x40x40xf32> {top.name = "s"}) {
  %w = top.constant dense<0.125> : tensor<64x64x1x1xf32>
  %p = top.conv %x, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "p"} : (tensor<1x64x40x40xf32>, tensor<64x64x1x1xf32>) -> tensor<1x64x40x40xf32>
  %s = top.unary sigmoid %p {top.value = "s"} : tensor<1x64x40x40xf32>
  %y = top.transpose %s {perm = array<i64: 0, 2, 3, 1>, top.value = "y"} : tensor<1x64x40x40xf32> -> tensor<1x40x40x64xf32>
  return %y, %s : tensor<1x40x40x64xf32>, tensor<1x64x40x40xf32>
}

// Rows times a constant matrix: a row a lane where local memory has room for the matrix.
// RUN: weft-opt --split-input-file --convert-top-to-tpu="precision=f16 wide-weights=0" %s | FileCheck %s --check-prefix=F16
// RUN: weft-opt --split-input-file --convert-top-to-tpu="precision=f32" %s | FileCheck %s --check-prefix=F32

// F16-LABEL: func.func @main
// F16: tpu.linear {{.*}}relu, top.value = "r"{{.*}} : tensor<1x5x1x4xf16>, tensor<6x4x1x1xf16>, tensor<1x6x1x1xf32> -> tensor<1x5x1x6xf32>
// F16-NOT: tpu.permute
// F32-LABEL: func.func @main
// F32: tpu.linear {{.*}} : tensor<1x5x1x4xf32>, tensor<6x4x1x1xf32>, tensor<1x6x1x1xf32> -> tensor<1x5x1x6xf32>
func.func @main(%x: tensor<1x5x4xf32> {top.name = "x"}) -> (tensor<1x5x6xf32> {top.name = "r"}) {
  %w = top.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<4x6xf32>
  %b = top.constant dense<0.5> : tensor<6xf32>
  %m = top.matmul %x, %w {top.value = "m"} : tensor<1x5x4xf32>, tensor<4x6xf32>
  %a = top.binary add %m, %b {top.value = "a"} : tensor<1x5x6xf32>, tensor<6xf32>
  %r = top.unary relu %a {top.value = "r"} : tensor<1x5x6xf32>
  return %r : tensor<1x5x6xf32>
}

// -----

// The rows of several images stay where what follows has them.
// F16-LABEL: func.func @main
// F16: tpu.linear {{.*}} : tensor<3x40x1x4xf16>, tensor<2x4x1x1xf16> -> tensor<3x40x1x2xf16>
func.func @main(%x: tensor<3x40x4xf32> {top.name = "x"}) -> (tensor<3x40x2xf32> {top.name = "r"}) {
  %w = top.constant dense<[[1.0, 2.0], [0.0, 0.0], [0.0, 0.0], [3.0, 0.0]]> : tensor<4x2xf32>
  %m = top.matmul %x, %w {top.value = "m"} : tensor<3x40x4xf32>, tensor<4x2xf32>
  %r = top.unary sigmoid %m {top.value = "r"} : tensor<3x40x2xf32>
  return %r : tensor<3x40x2xf32>
}

// -----

// Also where a reshape between has the rows and images of both sides (heads).
// F16-LABEL: func.func @main
// F16: tpu.linear {{.*}} : tensor<3x40x1x4xf16>, tensor<2x4x1x1xf16> -> tensor<3x40x1x2xf16>
func.func @main(%x: tensor<3x40x4xf32> {top.name = "x"}) -> (tensor<3x40x2x1xf32> {top.name = "r"}) {
  %w = top.constant dense<[[1.0, 2.0], [0.0, 0.0], [0.0, 0.0], [3.0, 0.0]]> : tensor<4x2xf32>
  %m = top.matmul %x, %w {top.value = "m"} : tensor<3x40x4xf32>, tensor<4x2xf32>
  %h = top.reshape %m {top.value = "h"} : tensor<3x40x2xf32> -> tensor<3x40x2x1xf32>
  %r = top.unary sigmoid %h {top.value = "r"} : tensor<3x40x2x1xf32>
  return %r : tensor<3x40x2x1xf32>
}

// -----

// A row of each image is joined: the lanes that it leaves idle cost more than the way through DRAM.
// F16-LABEL: func.func @main
// F16: tpu.linear {{.*}} : tensor<1x64x1x64xf16>, tensor<64x64x1x1xf16> -> tensor<1x64x1x64xf16>
func.func @main(%x: tensor<64x1x64xf32> {top.name = "x"}) -> (tensor<64x1x64xf32> {top.name = "r"}) {
  %w = top.constant dense<0.25> : tensor<64x64xf32>
  %m = top.matmul %x, %w {top.value = "m"} : tensor<64x1x64xf32>, tensor<64x64xf32>
  %r = top.unary sigmoid %m {top.value = "r"} : tensor<64x1x64xf32>
  return %r : tensor<64x1x64xf32>
}

// -----

// And those that nothing else computes on.
// F16-LABEL: func.func @main
// F16: tpu.linear {{.*}} : tensor<1x120x1x4xf16>, tensor<2x4x1x1xf16> -> tensor<1x120x1x2xf32>
func.func @main(%x: tensor<3x40x4xf32> {top.name = "x"}) -> (tensor<3x40x2xf32> {top.name = "m"}) {
  %w = top.constant dense<[[1.0, 2.0], [0.0, 0.0], [0.0, 0.0], [3.0, 0.0]]> : tensor<4x2xf32>
  %m = top.matmul %x, %w {top.value = "m"} : tensor<3x40x4xf32>, tensor<4x2xf32>
  return %m : tensor<3x40x2xf32>
}

// -----

// The rows of a matrix lie along n, and are those of one image.
// F16-LABEL: func.func @main
// F16: tpu.linear {{.*}} : tensor<1x40x1x64xf16>, tensor<64x64x1x1xf16> -> tensor<1x40x1x64xf16>
// F16: tpu.linear {{.*}} : tensor<1x40x1x64xf16>, tensor<64x64x1x1xf16> -> tensor<1x40x1x64xf32>
func.func @main(%x: tensor<40x64xf32> {top.name = "x"}) -> (tensor<40x64xf32> {top.name = "y"}) {
  %w = top.constant dense<0.25> : tensor<64x64xf32>
  %m = top.matmul %x, %w {top.value = "m"} : tensor<40x64xf32>, tensor<64x64xf32>
  %s = top.unary sigmoid %m {top.value = "s"} : tensor<40x64xf32>
  %y = top.matmul %s, %w {top.value = "y"} : tensor<40x64xf32>, tensor<64x64xf32>
  return %y : tensor<40x64xf32>
}

// -----

// A batch of matrices is one of images.
// F16-LABEL: func.func @main
// F16: tpu.matmul {{.*}} : tensor<4x1x5x8xf16>, tensor<4x1x8x6xf16> -> tensor<4x1x5x6xf16>
func.func @main(%x: tensor<4x5x8xf32> {top.name = "x"}, %y: tensor<4x8x6xf32> {top.name = "y"}) -> (tensor<4x5x6xf32> {top.name = "m"}) {
  %m = top.matmul %x, %y {top.value = "m"} : tensor<4x5x8xf32>, tensor<4x8x6xf32>
  return %m : tensor<4x5x6xf32>
}

// -----

// Heads that the model has counted together with images stay heads.
// F16-LABEL: func.func @main
// F16: tpu.matmul {{.*}} : tensor<2x3x5x8xf16>, tensor<2x3x8x5xf16> -> tensor<2x3x5x5xf16>
func.func @main(%x: tensor<2x3x5x8xf32> {top.name = "x"}) -> (tensor<6x5x5xf32> {top.name = "m"}) {
  %a = top.reshape %x {top.value = "a"} : tensor<2x3x5x8xf32> -> tensor<6x5x8xf32>
  %t = top.transpose %a {perm = array<i64: 0, 2, 1>, top.value = "t"} : tensor<6x5x8xf32> -> tensor<6x8x5xf32>
  %m = top.matmul %a, %t {top.value = "m"} : tensor<6x5x8xf32>, tensor<6x8x5xf32>
  return %m : tensor<6x5x5xf32>
}

// -----

// So do those that a transpose makes of columns.
// F16-LABEL: func.func @main
// F16: tpu.matmul {{.*}} : tensor<1x6x5x8xf16>, tensor<1x6x8x5xf16> -> tensor<1x6x5x5xf16>
func.func @main(%x: tensor<5x6x8xf32> {top.name = "x"}, %y: tensor<6x8x5xf32> {top.name = "y"}) -> (tensor<6x5x5xf32> {top.name = "m"}) {
  %a = top.transpose %x {perm = array<i64: 1, 0, 2>, top.value = "a"} : tensor<5x6x8xf32> -> tensor<6x5x8xf32>
  %m = top.matmul %a, %y {top.value = "m"} : tensor<6x5x8xf32>, tensor<6x8x5xf32>
  return %m : tensor<6x5x5xf32>
}

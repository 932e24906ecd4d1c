// Bias of a matrix product, residual relu, batch normalization, moves and rank folding, in f16.
// RUN: weft-opt --convert-top-to-tpu="precision=f16 wide-weights=0" %s | FileCheck %s

// CHECK-LABEL: func.func @main(%arg0: tensor<1x4x1x1xf32> {tpu.io = {name = "x", type = tensor<1x4xf32>}})
func.func @main(%x: tensor<1x4xf32> {top.name = "x"}) -> (tensor<2x3xf32> {top.name = "y"}) {
  %w = top.constant dense<[[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 0.0, 0.0]]> : tensor<4x6xf32>
  %b = top.constant dense<0.5> : tensor<6xf32>
  // CHECK: tpu.conv {{.*}}relu, top.value = "r"{{.*}}: tensor<1x4x1x1xf16>, tensor<6x4x1x1xf16>, tensor<1x6x1x1xf32> -> tensor<1x6x1x1xf16>
  %m = top.matmul %x, %w {top.value = "m"} : tensor<1x4xf32>, tensor<4x6xf32>
  %a = top.binary add %m, %b {top.value = "a"} : tensor<1x6xf32>, tensor<6xf32>
  %r = top.unary relu %a {top.value = "r"} : tensor<1x6xf32>
  // CHECK: tpu.reshape {{.*}} : tensor<1x6x1x1xf16> -> tensor<2x3x1x1xf16>
  %s = top.reshape %r {top.value = "s"} : tensor<1x6xf32> -> tensor<2x3xf32>
  // CHECK: tpu.binary mul {{.*}}constant = 2.500000e-01
  %four = top.constant dense<4.0> : tensor<f32>
  %d = top.binary div %s, %four {top.value = "d"} : tensor<2x3xf32>, tensor<f32>
  // CHECK: tpu.binary add {{.*}}relu, top.value = "y"
  %e = top.binary add %d, %s {top.value = "e"} : tensor<2x3xf32>, tensor<2x3xf32>
  %y = top.unary relu %e {top.value = "y"} : tensor<2x3xf32>
  // CHECK: tpu.cast {{.*}} : tensor<2x3x1x1xf16> -> tensor<2x3x1x1xf32>
  return %y : tensor<2x3xf32>
}

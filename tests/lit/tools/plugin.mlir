// Stock mlir-opt-19 loads our dialects and passes from the plugin and gives the same text as weft-opt.
// REQUIRES: plugin
// RUN: mlir-opt-19 --load-dialect-plugin=%plugin --load-pass-plugin=%plugin --pass-pipeline='builtin.module(top-fold-constants,top-canonicalize)' %s -o %t.stock.mlir
// RUN: weft-opt --top-fold-constants --top-canonicalize %s -o %t.ours.mlir
// RUN: diff %t.stock.mlir %t.ours.mlir
// RUN: FileCheck %s < %t.stock.mlir

// CHECK: %[[C:.*]] = top.constant dense<5.000000e+00> : tensor<1xf32>
// CHECK: top.binary add %arg0, %[[C]] {top.value = "y"} : tensor<4xf32>, tensor<1xf32>
func.func @main(%x: tensor<4xf32> {top.name = "x"}) -> tensor<4xf32> {
  %two = top.constant dense<2.0> : tensor<1xf32>
  %three = top.constant dense<3.0> : tensor<1xf32>
  %five = top.binary add %two, %three : tensor<1xf32>, tensor<1xf32>
  %same = top.unary identity %x : tensor<4xf32>
  %0 = top.binary add %same, %five {top.value = "y"} : tensor<4xf32>, tensor<1xf32>
  return %0 : tensor<4xf32>
}

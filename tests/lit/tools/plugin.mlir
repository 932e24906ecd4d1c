// Stock mlir-opt-19 loads our dialects from the plugin and gives the same text as weft-opt.
// REQUIRES: plugin
// RUN: mlir-opt-19 --load-dialect-plugin=%plugin %s -o %t.stock.mlir
// RUN: weft-opt %s -o %t.ours.mlir
// RUN: diff %t.stock.mlir %t.ours.mlir
// RUN: FileCheck %s < %t.stock.mlir

// CHECK: top.unary relu %{{.*}} : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {top.name = "x"}) -> tensor<4xf32> {
  %0 = top.unary relu %x {top.value = "y"} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What the chip does not compute becomes an operation of the host; values cross only where the two meet.
// RUN: weft-opt --convert-top-to-tpu --split-input-file %s | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x1x1xf32>
// CHECK-NEXT: %[[H:.*]] = tpu.to_host %[[X]] : tensor<2x3x1x1xf32> -> tensor<2x3xf64>
// CHECK-NEXT: %[[C:.*]] = tpu.host_constant dense<{{.*}}> : tensor<f64>
// CHECK-NEXT: %[[A:.*]] = tpu.host "binary"(%[[H]], %[[C]]) {kind = "mul"} reason "the constant 1.000000e+39 is beyond the range of f32, in which doubles are computed" attributes {top.value = "a"} : (tensor<2x3xf64>, tensor<f64>) -> tensor<2x3xf64>
// CHECK-NEXT: %[[B:.*]] = tpu.host "binary"(%[[A]], %[[C]]) {kind = "div"}
// CHECK-NEXT: %[[D:.*]] = tpu.from_host %[[B]] : tensor<2x3xf64> -> tensor<2x3x1x1xf32>
// CHECK-NEXT: %[[R:.*]] = tpu.unary relu %[[D]]
// CHECK-NEXT: return %[[R]]
func.func @main(%x: tensor<2x3xf64> {top.name = "x"}) -> (tensor<2x3xf64> {top.name = "y"}) {
  %c = top.constant dense<1.0e39> : tensor<f64>
  %a = top.binary mul %x, %c {top.value = "a"} : tensor<2x3xf64>, tensor<f64>
  %b = top.binary div %a, %c {top.value = "b"} : tensor<2x3xf64>, tensor<f64>
  %y = top.unary relu %b {top.value = "y"} : tensor<2x3xf64>
  return %y : tensor<2x3xf64>
}

// -----

// An operation that only the host has, absent operands, an output of unknown size at its largest.
// CHECK-LABEL: func.func @main
// CHECK: %[[A:.*]]:2 = tpu.host "concat"(%{{.*}}, %{{.*}}) {axis = 0 : i64} reason "the chip has no form of 'concat'" attributes {absent = array<i64: 1>}
// CHECK: tpu.from_host %{{.*}} : tensor<?x3xf32, [4, 3]> -> tensor<1x1x1x12xf32>
func.func @main(%x: tensor<2x3xf32> {top.name = "x"}) -> (tensor<?x3xf32, [4, 3]> {top.name = "y"}) {
  %a:2 = top.host "concat"(%x, %x) {axis = 0} attributes {absent = array<i64: 1>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<?x3xf32, [4, 3]>, tensor<4xi64>)
  return %a#0 : tensor<?x3xf32, [4, 3]>
}

// Products in 16 bits: big ones read 16 bits and leave in 16 bits, depthwise and small ones stay in f32, and what reads an f32
// value is computed in f32.
// RUN: weft-opt --convert-top-to-tpu="precision=f16 wide-weights=15" %s | FileCheck %s -DT=f16
// RUN: weft-opt --convert-top-to-tpu="precision=bf16 wide-weights=15" %s | FileCheck %s -DT=bf16
// RUN: weft-opt --convert-top-to-tpu="precision=f16 wide-weights=15 quantized-io" %s | FileCheck %s -DT=f16 --check-prefix=IO
// RUN: weft-opt --convert-top-to-tpu="precision=bf16 wide-weights=15 quantized-io" %s | FileCheck %s -DT=bf16 --check-prefix=IO

// CHECK: tpu.precision = "[[T]]"
// CHECK: @main(%arg0: tensor<1x4x5x5xf32> {tpu.io = {name = "x", type = tensor<1x4x5x5xf32>}}) -> (tensor<1x4x1x5xf32>
// CHECK-DAG: %[[X:.*]] = tpu.cast %arg0 : tensor<1x4x5x5xf32> -> tensor<1x4x5x5x[[T]]>
// CHECK-DAG: %[[A:.*]] = tpu.conv %[[X]]{{.*}}top.value = "a"{{.*}}tensor<4x4x1x1x[[T]]> -> tensor<1x4x5x5x[[T]]>
// CHECK: %[[H:.*]] = tpu.unary hard_swish %[[A]] {top.value = "h"{{.*}}} : tensor<1x4x5x5x[[T]]>
// CHECK: %[[WIDE:.*]] = tpu.cast %[[H]] : tensor<1x4x5x5x[[T]]> -> tensor<1x4x5x5xf32>
// CHECK: %[[D:.*]] = tpu.conv %[[WIDE]], {{.*}}group 4 {top.value = "d"{{.*}}} : tensor<1x4x5x5xf32>, tensor<4x1x3x3xf32> -> tensor<1x4x3x5xf32>
// CHECK: %[[R:.*]] = tpu.unary relu %[[D]] {top.value = "r"{{.*}}} : tensor<1x4x3x5xf32>
// CHECK: %[[S:.*]] = tpu.binary add %[[R]], %[[D]] {top.value = "s"{{.*}}} : tensor<1x4x3x5xf32>
// CHECK: %[[M:.*]] = tpu.pool max %[[S]] {{.*}} : tensor<1x4x3x5xf32> -> tensor<1x4x1x5xf32>
// 12 weights are at most 15.
// CHECK: tpu.conv %[[M]], {{.*}}tensor<3x4x1x1xf32> -> tensor<1x3x1x5xf32>
// CHECK: tpu.concat {{.*}} : (tensor<1x3x1x5xf32>, tensor<1x1x1x5xf32>) -> tensor<1x4x1x5xf32>

// IO: @main(%arg0: tensor<1x4x5x5x[[T]]> {tpu.io = {name = "x", type = tensor<1x4x5x5xf32>}}) -> (tensor<1x4x1x5x[[T]]> {tpu.io = {name = "y", type = tensor<1x4x1x5xf32>}})
// IO: tpu.conv %arg0,
// IO: return {{.*}} : tensor<1x4x1x5x[[T]]>
func.func @main(%x: tensor<1x4x5x5xf32> {top.name = "x"}) -> (tensor<1x4x1x5xf32> {top.name = "y"}) {
  %w = top.constant dense<0.5> : tensor<4x4x1x1xf32>
  %k = top.constant dense<0.25> : tensor<4x1x3x3xf32>
  %v = top.constant dense<2.0> : tensor<3x4x1x1xf32>
  %one = top.constant dense<1.0> : tensor<1x1x1x5xf32>
  %a = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "a"} : (tensor<1x4x5x5xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x5x5xf32>
  %h = top.unary hard_swish %a {top.value = "h"} : tensor<1x4x5x5xf32>
  %d = top.conv %h, %k {strides = array<i64: 2, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 4 : i64, top.value = "d"} : (tensor<1x4x5x5xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x3x5xf32>
  %r = top.unary relu %d {top.value = "r"} : tensor<1x4x3x5xf32>
  %s = top.binary add %r, %d {top.value = "s"} : tensor<1x4x3x5xf32>, tensor<1x4x3x5xf32>
  %m = top.pool max %s {kernel = array<i64: 3, 1>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, top.value = "m"} : tensor<1x4x3x5xf32> -> tensor<1x4x1x5xf32>
  %c = top.conv %m, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "c"} : (tensor<1x4x1x5xf32>, tensor<3x4x1x1xf32>) -> tensor<1x3x1x5xf32>
  %y = top.concat %c, %one {axis = 1 : i64, top.value = "y"} : (tensor<1x3x1x5xf32>, tensor<1x1x1x5xf32>) -> tensor<1x4x1x5xf32>
  return %y : tensor<1x4x1x5xf32>
}

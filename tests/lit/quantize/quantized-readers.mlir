// What only 8-bit products read, also after it was moved or chosen from, is quantized where it is made.
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%S/Inputs/readers.cali" --split-input-file %s | FileCheck %s

// Both convolutions give codes in the range of what they are joined to; the largest of codes needs no cast. b was calibrated with a
// wider range and may be clipped, so it has lost its name: nothing compares it with ONNX's.
// CHECK-LABEL: module @joined
// CHECK: %[[A:.*]] = tpu.conv {{.*}}relu, {{.*}}top.value = "a"{{.*}} -> tensor<1x1x4x4x!quant.uniform<u8:f32, 0.0099999997{{.*}}>>
// CHECK-NOT: "b"
// CHECK: %[[B:.*]] = tpu.conv {{.*}}relu, {{.*}} -> tensor<1x1x4x4x!quant.uniform<u8:f32, 0.0099999997{{.*}}>>
// CHECK-NEXT: %[[C:.*]] = tpu.concat %[[A]], %[[B]] axis 1 {top.value = "c"{{.*}} -> tensor<1x2x4x4x!quant.uniform<u8:f32, 0.0099999997{{.*}}>>
// CHECK: %[[M:.*]] = tpu.pool max %[[C]] {{.*}} -> tensor<1x2x2x2x!quant.uniform<u8:f32, 0.0099999997{{.*}}>>
// CHECK: tpu.conv %[[M]]
// CHECK: tpu.conv %[[C]]
module @joined {
  func.func @main(%x: tensor<1x1x4x4xf32> {top.name = "x"}) -> (tensor<1x1x2x2xf32> {top.name = "y"}, tensor<1x1x4x4xf32> {top.name = "z"}) {
    %w = top.constant dense<1.0> : tensor<1x1x1x1xf32>
    %v = top.constant dense<1.0> : tensor<1x2x1x1xf32>
    %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
    %a = top.unary relu %0 {top.value = "a"} : tensor<1x1x4x4xf32>
    %1 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
    %b = top.unary relu %1 {top.value = "b"} : tensor<1x1x4x4xf32>
    %c = top.concat %a, %b {axis = 1 : i64, top.value = "c"} : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32>
    %m = top.pool max %c {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, top.value = "m"} : tensor<1x2x4x4xf32> -> tensor<1x2x2x2xf32>
    %y = top.conv %m, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "y"} : (tensor<1x2x2x2xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x2x2xf32>
    %z = top.conv %c, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "z"} : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x4x4xf32>
    return %y, %z : tensor<1x1x2x2xf32>, tensor<1x1x4x4xf32>
  }
}

// -----

// A reader of floats keeps the values floats; so do readers in two ranges, a convolution with its own and one behind a concat.
// CHECK-LABEL: module @floats
// CHECK: %[[A:.*]] = tpu.conv {{.*}}scales = {{.*}}top.value = "a"{{.*}} -> tensor<1x1x4x4xf16>
// CHECK: tpu.pool max %[[A]] {{.*}} : tensor<1x1x4x4xf16> -> tensor<1x1x2x2xf16>
// CHECK: %[[B:.*]] = tpu.conv {{.*}}scales = {{.*}}top.value = "b"{{.*}} -> tensor<1x1x4x4xf16>
// CHECK-DAG: tpu.cast %[[B]] : tensor<1x1x4x4xf16> -> tensor<1x1x4x4x!quant.uniform<u8:f32, 0.0099999997{{.*}}>>
// CHECK-DAG: tpu.cast %[[B]] : tensor<1x1x4x4xf16> -> tensor<1x1x4x4x!quant.uniform<u8:f32, 0.01176{{.*}}>>
module @floats {
  func.func @main(%x: tensor<1x1x4x4xf32> {top.name = "x"})
      -> (tensor<1x1x2x2xf32> {top.name = "m"}, tensor<1x1x4x4xf32> {top.name = "y"}, tensor<1x1x4x4xf32> {top.name = "z"}) {
    %w = top.constant dense<1.0> : tensor<1x1x1x1xf32>
    %v = top.constant dense<1.0> : tensor<1x2x1x1xf32>
    %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
    %a = top.unary relu %0 {top.value = "a"} : tensor<1x1x4x4xf32>
    %m = top.pool max %a {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads = array<i64: 0, 0, 0, 0>, top.value = "m"} : tensor<1x1x4x4xf32> -> tensor<1x1x2x2xf32>
    %1 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
    %b = top.unary relu %1 {top.value = "b"} : tensor<1x1x4x4xf32>
    %y = top.conv %b, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "y"} : (tensor<1x1x4x4xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x4x4xf32>
    %c = top.concat %b, %b {axis = 1 : i64, top.value = "c"} : (tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32>
    %z = top.conv %c, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "z"} : (tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x4x4xf32>
    return %m, %y, %z : tensor<1x1x2x2xf32>, tensor<1x1x4x4xf32>, tensor<1x1x4x4xf32>
  }
}

// Codes count from another number than 0 where that makes their steps a tenth finer.
// RUN: weft-opt --convert-top-to-tpu="precision=int8 no-float calibration=%S/Inputs/zero-points.cali" --split-input-file %s | FileCheck %s
// RUN: weft-opt --convert-top-to-tpu="precision=int8 no-float asymmetric=off calibration=%S/Inputs/zero-points.cali" --split-input-file %s | FileCheck %s --check-prefix=OFF
// RUN: weft-opt --convert-top-to-tpu="precision=int8 no-float machine=zhouyi calibration=%S/Inputs/zero-points.cali" --split-input-file %s | FileCheck %s --check-prefix=OFF
// RUN: not weft-opt --convert-top-to-tpu="precision=int8 no-float asymmetric=yes calibration=%S/Inputs/zero-points.cali" %s 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: error: asymmetric is 'yes', must be auto or off
// OFF-NOT: :f32, {{[0-9.e-]*}}:
// OFF: tpu.conv

// 9.875 / 255 is less than 9.5 / 127 and -128 + 0.375 * 255 / 9.875 rounds to -118. Every filter is 1.0, the code 127, so the bias takes
// 4 * 127 * -118 steps of 1 / 127 * 9.875 / 255 away.
// CHECK-LABEL: module @hard_swish
// CHECK: tpu.cast {{.*}} -> tensor<1x4x4x4x!quant.uniform<i8:f32, 0.0387254{{[0-9]*}}:-118>>
// CHECK: tpu.weight dense<18.27{{[0-9]*}}> : tensor<1x2x1x1xf32>
// CHECK: tpu.conv {{.*}} -> tensor<1x2x4x4xf32>
module @hard_swish {
  func.func @main(%x: tensor<1x4x4x4xf32> {top.name = "x"}) -> (tensor<1x2x4x4xf32> {top.name = "y"}) {
    %w = top.constant dense<1.0> : tensor<2x4x1x1xf32>
    %h = top.unary hard_swish %x {top.value = "h"} : tensor<1x4x4x4xf32>
    %y = top.conv %h, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "y"} : (tensor<1x4x4x4xf32>, tensor<2x4x1x1xf32>) -> tensor<1x2x4x4xf32>
    return %y : tensor<1x2x4x4xf32>
  }
}

// -----

// 17.5 / 255 is 8 % less than 9.5 / 127: too little. A range without positive numbers ends at 0, one without negative ones has no
// zero point.
// CHECK-LABEL: module @others
// CHECK-DAG: tpu.cast {{.*}} -> tensor<1x4x4x4x!quant.uniform<i8:f32, 0.0748031{{[0-9]*}}>>
// CHECK-DAG: tpu.cast {{.*}} -> tensor<1x4x4x4x!quant.uniform<i8:f32, 0.0156862{{[0-9]*}}:127>>
// CHECK-DAG: tpu.cast {{.*}} -> tensor<1x4x4x4x!quant.uniform<u8:f32, 0.0078431{{[0-9]*}}>>
module @others {
  func.func @main(%x: tensor<1x4x4x4xf32> {top.name = "x"})
      -> (tensor<1x2x4x4xf32> {top.name = "a"}, tensor<1x2x4x4xf32> {top.name = "b"}, tensor<1x2x4x4xf32> {top.name = "c"}) {
    %w = top.constant dense<1.0> : tensor<2x4x1x1xf32>
    %s = top.unary sin %x {top.value = "s"} : tensor<1x4x4x4xf32>
    %n = top.unary neg %x {top.value = "n"} : tensor<1x4x4x4xf32>
    %r = top.unary abs %x {top.value = "r"} : tensor<1x4x4x4xf32>
    %a = top.conv %s, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "a"} : (tensor<1x4x4x4xf32>, tensor<2x4x1x1xf32>) -> tensor<1x2x4x4xf32>
    %b = top.conv %n, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "b"} : (tensor<1x4x4x4xf32>, tensor<2x4x1x1xf32>) -> tensor<1x2x4x4xf32>
    %c = top.conv %r, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "c"} : (tensor<1x4x4x4xf32>, tensor<2x4x1x1xf32>) -> tensor<1x2x4x4xf32>
    return %a, %b, %c : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
  }
}

// -----

// A product that only products read is requantized to codes with a zero point; the padding of a depthwise one is that code too.
// Its bias takes 4 * 127 * -118 away, times the scale, and adds the zero point.
// CHECK-LABEL: module @requantized
// CHECK: tpu.weight dense<623.841{{[0-9]*}}> : tensor<1x4x1x1xf32>
// CHECK: %[[P:.*]] = tpu.conv {{.*}}scales = array<f32: 0.0123422{{.*}} -> tensor<1x4x4x4x!quant.uniform<i8:f32, 0.0247058{{[0-9]*}}:-116>>
// CHECK: tpu.conv %[[P]], {{.*}} pads [1, 1, 1, 1] {{.*}} group 4
module @requantized {
  func.func @main(%x: tensor<1x4x4x4xf32> {top.name = "x"}) -> (tensor<1x4x4x4xf32> {top.name = "y"}) {
    %w = top.constant dense<1.0> : tensor<4x4x1x1xf32>
    %k = top.constant dense<1.0> : tensor<4x1x3x3xf32>
    %h = top.unary hard_swish %x {top.value = "h"} : tensor<1x4x4x4xf32>
    %p = top.conv %h, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "p"} : (tensor<1x4x4x4xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x4x4xf32>
    %y = top.conv %p, %k {strides = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, dilations = array<i64: 1, 1>, group = 4 : i64, top.value = "y"} : (tensor<1x4x4x4xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x4x4xf32>
    return %y : tensor<1x4x4x4xf32>
  }
}

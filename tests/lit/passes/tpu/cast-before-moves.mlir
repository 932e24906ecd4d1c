// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-cast-before-moves))' | FileCheck %s

// Through a concatenation, a nearest resize and a slice up to what computes; a cast that undoes another one vanishes.
// CHECK-LABEL: func.func @moved
// CHECK-DAG: %[[P:.*]] = tpu.slice %arg0 {{.*}}tensor<1x8x4x4xf16>
// CHECK-DAG: %[[M:.*]] = tpu.binary mul %arg1, %arg1 {{.*}}f32
// CHECK-DAG: %[[C:.*]] = tpu.cast %[[M]] : tensor<1x8x2x2xf32> -> tensor<1x8x2x2xf16>
// CHECK-DAG: %[[R:.*]] = tpu.interleave %[[C]] factors [2, 2] {top.value = "r"} : (tensor<1x8x2x2xf16>) -> tensor<1x8x4x4xf16>
// CHECK: %[[Y:.*]] = tpu.concat %[[P]], %[[R]] axis 1 {top.value = "y"} : (tensor<1x8x4x4xf16>, tensor<1x8x4x4xf16>)
// CHECK-NEXT: return %[[Y]]
func.func @moved(%a: tensor<1x8x8x8xf16>, %b: tensor<1x8x2x2xf32>) -> tensor<1x16x4x4xf16> {
  %0 = tpu.cast %a : tensor<1x8x8x8xf16> -> tensor<1x8x8x8xf32>
  %1 = tpu.slice %0 [0, 0, 0, 0] steps [1, 1, 2, 2] : tensor<1x8x8x8xf32> -> tensor<1x8x4x4xf32>
  %2 = tpu.binary mul %b, %b : tensor<1x8x2x2xf32>, tensor<1x8x2x2xf32> -> tensor<1x8x2x2xf32>
  %3 = tpu.interleave %2 factors [2, 2] {top.value = "r"} : (tensor<1x8x2x2xf32>) -> tensor<1x8x4x4xf32>
  %4 = tpu.concat %1, %3 axis 1 {top.value = "y"} : (tensor<1x8x4x4xf32>, tensor<1x8x4x4xf32>) -> tensor<1x16x4x4xf32>
  %5 = tpu.cast %4 : tensor<1x16x4x4xf32> -> tensor<1x16x4x4xf16>
  return %5 : tensor<1x16x4x4xf16>
}

// -----

// What somebody reads in f32 stays, a slice leaves fewer elements to cast, and pools are no moves: the largest of -1e6 is -inf if it is rounded after, -65504 if before.
// CHECK-LABEL: func.func @kept
// CHECK: %[[R:.*]] = tpu.reshape %arg0 {{.*}}f32> -> tensor<1x8x1x4xf32>
// CHECK: tpu.cast %[[R]]
// CHECK: %[[S:.*]] = tpu.slice %arg0 {{.*}}f32> -> tensor<1x8x1x2xf32>
// CHECK: tpu.cast %[[S]]
// CHECK: %[[A:.*]] = tpu.pool max {{.*}}f32> -> tensor<1x8x1x1xf32>
// CHECK: tpu.cast %[[A]]
func.func @kept(%a: tensor<1x8x2x2xf32>) -> (tensor<1x8x1x4xf32>, tensor<1x8x1x4xf16>, tensor<1x8x1x2xf16>, tensor<1x8x1x1xf16>) {
  %0 = tpu.reshape %a : tensor<1x8x2x2xf32> -> tensor<1x8x1x4xf32>
  %1 = tpu.cast %0 : tensor<1x8x1x4xf32> -> tensor<1x8x1x4xf16>
  %4 = tpu.slice %a [0, 0, 0, 0] steps [1, 1, 1, 1] : tensor<1x8x2x2xf32> -> tensor<1x8x1x2xf32>
  %5 = tpu.cast %4 : tensor<1x8x1x2xf32> -> tensor<1x8x1x2xf16>
  %2 = tpu.pool max %a kernel [2, 2] strides [2, 2] pads [0, 0, 0, 0] : tensor<1x8x2x2xf32> -> tensor<1x8x1x1xf32>
  %3 = tpu.cast %2 : tensor<1x8x1x1xf32> -> tensor<1x8x1x1xf16>
  return %0, %1, %5, %3 : tensor<1x8x1x4xf32>, tensor<1x8x1x4xf16>, tensor<1x8x1x2xf16>, tensor<1x8x1x1xf16>
}

// -----

// What fills gaps is written in bits of the narrower type.
// CHECK-LABEL: func.func @fills
// CHECK: tpu.arrange {{.*}} fill 15872 : (tensor<1x1x3x4xf16>) -> tensor<1x1x3x6xf16>
// CHECK: tpu.pad {{.*}} fill 64512 : tensor<1x1x3x4xf16> -> tensor<1x1x5x4xf16>
// CHECK: tpu.pad {{.*}} fill 16320 : tensor<1x1x3x4xbf16> -> tensor<1x1x5x4xbf16>
func.func @fills(%x: tensor<1x1x3x4xf32>) -> (tensor<1x1x3x6xf16>, tensor<1x1x5x4xf16>, tensor<1x1x5x4xbf16>) {
  %0 = tpu.arrange %x pieces [#tpu.piece<0, 0, 2, [3, 4], [4, 1], [6, 1]>] fill 1069547520 : (tensor<1x1x3x4xf32>) -> tensor<1x1x3x6xf32>
  %1 = tpu.cast %0 : tensor<1x1x3x6xf32> -> tensor<1x1x3x6xf16>
  %2 = tpu.pad %x [1, 0, 1, 0] fill -8388608 : tensor<1x1x3x4xf32> -> tensor<1x1x5x4xf32>
  %3 = tpu.cast %2 : tensor<1x1x5x4xf32> -> tensor<1x1x5x4xf16>
  %4 = tpu.pad %x [1, 0, 1, 0] fill 1069547520 : tensor<1x1x3x4xf32> -> tensor<1x1x5x4xf32>
  %5 = tpu.cast %4 : tensor<1x1x5x4xf32> -> tensor<1x1x5x4xbf16>
  return %1, %3, %5 : tensor<1x1x3x6xf16>, tensor<1x1x5x4xf16>, tensor<1x1x5x4xbf16>
}

// -----

// What is moved in DRAM stays narrow; in lanes, for an output and for two readers of what was widened it does not matter or costs.
// CHECK-LABEL: func.func @widened_later
// CHECK: %[[R:.*]] = tpu.reshape %arg0 {top.value = "moved"} : tensor<1x8x2x6xf16> -> tensor<1x4x4x6xf16>
// CHECK: %[[W:.*]] = tpu.cast %[[R]] : tensor<1x4x4x6xf16> -> tensor<1x4x4x6xf32>
// CHECK: tpu.unary abs %[[W]]
// CHECK: %[[P:.*]] = tpu.permute %arg0 [0, 2, 1, 3] : tensor<1x8x2x6xf16> -> tensor<1x2x8x6xf16>
// CHECK: tpu.cast %[[P]] : tensor<1x2x8x6xf16> -> tensor<1x2x8x6xf32>
func.func @widened_later(%x: tensor<1x8x2x6xf16>) -> (tensor<1x4x4x6xf32>, tensor<1x2x8x6xf32>) {
  %0 = tpu.cast %x : tensor<1x8x2x6xf16> -> tensor<1x8x2x6xf32>
  %1 = tpu.reshape %0 {top.value = "moved"} : tensor<1x8x2x6xf32> -> tensor<1x4x4x6xf32>
  %2 = tpu.unary abs %1 : tensor<1x4x4x6xf32>
  %3 = tpu.cast %x : tensor<1x8x2x6xf16> -> tensor<1x8x2x6xf32>
  %4 = tpu.permute %3 [0, 2, 1, 3] : tensor<1x8x2x6xf32> -> tensor<1x2x8x6xf32>
  %5 = tpu.unary abs %4 : tensor<1x2x8x6xf32>
  return %2, %5 : tensor<1x4x4x6xf32>, tensor<1x2x8x6xf32>
}

// -----

// CHECK-LABEL: func.func @widened_before
// CHECK: tpu.cast %arg0
// CHECK: tpu.reshape %{{.*}} : tensor<1x8x2x6xf32> -> tensor<1x8x1x12xf32>
// CHECK: tpu.cast %arg0
// CHECK: tpu.reshape %{{.*}} : tensor<1x8x2x6xf32> -> tensor<1x4x4x6xf32>
// CHECK: tpu.cast %arg0
// CHECK: tpu.reshape %{{.*}} : tensor<1x8x2x6xf32> -> tensor<1x2x8x6xf32>
func.func @widened_before(%x: tensor<1x8x2x6xf16>) -> (tensor<1x8x1x12xf32>, tensor<1x4x4x6xf32>, tensor<1x2x8x6xf32>, tensor<1x8x2x6xf32>) {
  %0 = tpu.cast %x : tensor<1x8x2x6xf16> -> tensor<1x8x2x6xf32>
  %1 = tpu.reshape %0 : tensor<1x8x2x6xf32> -> tensor<1x8x1x12xf32>
  %2 = tpu.unary abs %1 : tensor<1x8x1x12xf32>
  %3 = tpu.cast %x : tensor<1x8x2x6xf16> -> tensor<1x8x2x6xf32>
  %4 = tpu.reshape %3 : tensor<1x8x2x6xf32> -> tensor<1x4x4x6xf32>
  %5 = tpu.cast %x : tensor<1x8x2x6xf16> -> tensor<1x8x2x6xf32>
  %6 = tpu.reshape %5 : tensor<1x8x2x6xf32> -> tensor<1x2x8x6xf32>
  %7 = tpu.unary abs %6 : tensor<1x2x8x6xf32>
  %8 = tpu.unary abs %5 : tensor<1x8x2x6xf32>
  return %2, %4, %7, %8 : tensor<1x8x1x12xf32>, tensor<1x4x4x6xf32>, tensor<1x2x8x6xf32>, tensor<1x8x2x6xf32>
}

// -----

// Codes are moved in a quarter of the room; what a concat joins is quantized once.
// CHECK-LABEL: func.func @quantized_before
// CHECK: %[[q:.*]] = tpu.cast %arg0 {rounding = 1 : i32} : tensor<1x8x2x6xf32> -> tensor<1x8x2x6x!quant.uniform<i8:f32, 1.000000e-01>>
// CHECK: tpu.permute %[[q]] [0, 2, 1, 3] {top.value = "q"}
// CHECK: %[[c:.*]] = tpu.concat
// CHECK: tpu.cast %[[c]]
func.func @quantized_before(%x: tensor<1x8x2x6xf32>, %y: tensor<1x8x2x6xf32>) -> (tensor<1x2x8x6x!quant.uniform<i8:f32, 0.1>>, tensor<2x8x2x6x!quant.uniform<i8:f32, 0.1>>) {
  %0 = tpu.permute %x [0, 2, 1, 3] : tensor<1x8x2x6xf32> -> tensor<1x2x8x6xf32>
  %1 = tpu.cast %0 {rounding = 1 : i32, top.value = "q"} : tensor<1x2x8x6xf32> -> tensor<1x2x8x6x!quant.uniform<i8:f32, 0.1>>
  %2 = tpu.concat %x, %y axis 0 : (tensor<1x8x2x6xf32>, tensor<1x8x2x6xf32>) -> tensor<2x8x2x6xf32>
  %3 = tpu.cast %2 : tensor<2x8x2x6xf32> -> tensor<2x8x2x6x!quant.uniform<i8:f32, 0.1>>
  return %1, %3 : tensor<1x2x8x6x!quant.uniform<i8:f32, 0.1>>, tensor<2x8x2x6x!quant.uniform<i8:f32, 0.1>>
}

// -----

// Patches of an image are codes before they are taken; what an arrangement fills up is not.
// CHECK-LABEL: func.func @patches
// CHECK: %[[q:.*]] = tpu.cast %arg0
// CHECK: tpu.arrange %[[q]]
// CHECK: %[[f:.*]] = tpu.arrange %arg0 {{.*}}fill 0
// CHECK: tpu.cast %[[f]]
func.func @patches(%x: tensor<1x1x1x4xf32>) -> (tensor<1x1x1x4x!quant.uniform<i8:f32, 0.1>>, tensor<1x1x1x6x!quant.uniform<i8:f32, 0.1>>) {
  %0 = tpu.arrange %x pieces [#tpu.piece<0, 3, 0, [4], [-1], [1]>] : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x4xf32>
  %1 = tpu.cast %0 : tensor<1x1x1x4xf32> -> tensor<1x1x1x4x!quant.uniform<i8:f32, 0.1>>
  %2 = tpu.arrange %x pieces [#tpu.piece<0, 0, 1, [4], [1], [1]>] fill 0 : (tensor<1x1x1x4xf32>) -> tensor<1x1x1x6xf32>
  %3 = tpu.cast %2 : tensor<1x1x1x6xf32> -> tensor<1x1x1x6x!quant.uniform<i8:f32, 0.1>>
  return %1, %3 : tensor<1x1x1x4x!quant.uniform<i8:f32, 0.1>>, tensor<1x1x1x6x!quant.uniform<i8:f32, 0.1>>
}

// RUN: weft-opt %s --split-input-file --top-canonicalize --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// Batch normalization goes into the conv: k = scale / sqrt(variance + epsilon) = [2/2, 6/3] = [1, 2];
// filter * k, bias (b - mean) * k + beta = [(1 - 3) * 1 + 10, (2 - 4) * 2 + 20]. The name of the last op and both locations stay.
// CHECK-LABEL: func.func @bn_into_conv
// CHECK-DAG: %[[W:.*]] = top.constant dense<{{\[\[\[\[}}5.000000e+00]]], {{\[\[\[}}1.400000e+01]]]]> : tensor<2x1x1x1xf32>
// CHECK-DAG: %[[B:.*]] = top.constant dense<[8.000000e+00, 1.600000e+01]> : tensor<2xf32>
// CHECK: %[[Y:.*]] = top.conv %arg0, %[[W]], %[[B]] {{.*}}top.value = "y"{{.*}} loc(fused["conv0", "bn0"])
// CHECK-NEXT: return %[[Y]]
func.func @bn_into_conv(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = top.constant dense<[[[[5.0]]], [[[7.0]]]]> : tensor<2x1x1x1xf32>
  %b = top.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %scale = top.constant dense<[2.0, 6.0]> : tensor<2xf32>
  %beta = top.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %mean = top.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %var = top.constant dense<[3.0, 8.0]> : tensor<2xf32>
  %0 = top.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "c"}
     : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32> loc("conv0")
  %1 = top.batch_norm %0, %scale, %beta, %mean, %var {epsilon = 1.0, top.value = "y"}
     : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32> loc("bn0")
  return %1 : tensor<1x2x4x4xf32>
}

// -----

// A conv that somebody else reads too keeps its weights; the normalization becomes x*k + o.
// CHECK-LABEL: func.func @bn_alone
// CHECK-DAG: %[[K:.*]] = top.constant dense<{{.*}}1.000000e+00{{.*}}2.000000e+00{{.*}}> : tensor<2x1x1xf32>
// CHECK-DAG: %[[O:.*]] = top.constant dense<{{.*}}7.000000e+00{{.*}}1.200000e+01{{.*}}> : tensor<2x1x1xf32>
// CHECK: %[[C:.*]] = top.conv %arg0, %{{[^,]*}} {{.*}}top.value = "c"
// CHECK: %[[M:.*]] = top.binary mul %[[C]], %[[K]] : tensor
// CHECK: %[[A:.*]] = top.binary add %[[M]], %[[O]] {top.value = "y"}
// CHECK: return %[[A]], %[[C]]
func.func @bn_alone(%x: tensor<1x1x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %w = top.constant dense<[[[[5.0]]], [[[7.0]]]]> : tensor<2x1x1x1xf32>
  %scale = top.constant dense<[2.0, 6.0]> : tensor<2xf32>
  %beta = top.constant dense<[10.0, 20.0]> : tensor<2xf32>
  %mean = top.constant dense<[3.0, 4.0]> : tensor<2xf32>
  %var = top.constant dense<[3.0, 8.0]> : tensor<2xf32>
  %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "c"}
     : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %1 = top.batch_norm %0, %scale, %beta, %mean, %var {epsilon = 1.0, top.value = "y"}
     : (tensor<1x2x4x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
  return %1, %0 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// -----

// A bias through a reshape, then a factor, then a divisor: w * 3 / 2, (0 + [1, 2]) * 3 / 2.
// CHECK-LABEL: func.func @arithmetic_into_conv
// CHECK-DAG: %[[W:.*]] = top.constant dense<{{.*}}7.500000e+00{{.*}}1.050000e+01{{.*}}> : tensor<2x1x1x1xf32>
// CHECK-DAG: %[[B:.*]] = top.constant dense<[1.500000e+00, 3.000000e+00]> : tensor<2xf32>
// CHECK: %[[C:.*]] = top.conv %arg0, %[[W]], %[[B]] {{.*}}top.value = "z"
// CHECK-NEXT: return %[[C]]
func.func @arithmetic_into_conv(%x: tensor<1x1x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %w = top.constant dense<[[[[5.0]]], [[[7.0]]]]> : tensor<2x1x1x1xf32>
  %b = top.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %three = top.constant dense<3.0> : tensor<1xf32>
  %two = top.constant dense<2.0> : tensor<f32>
  %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64}
     : (tensor<1x1x4x4xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x4x4xf32>
  %r = top.reshape %b : tensor<2xf32> -> tensor<1x2x1x1xf32>
  %1 = top.binary add %r, %0 : tensor<1x2x1x1xf32>, tensor<1x2x4x4xf32>
  %2 = top.binary mul %1, %three {top.value = "m"} : tensor<1x2x4x4xf32>, tensor<1xf32>
  %3 = top.binary div %2, %two {top.value = "z"} : tensor<1x2x4x4xf32>, tensor<f32>
  return %3 : tensor<1x2x4x4xf32>
}

// -----

// A constant along another axis is no bias, and a divided constant is no division of the conv.
// CHECK-LABEL: func.func @no_bias
// CHECK: top.conv %arg0, %{{[^,]*}} {
// CHECK: top.binary add
// CHECK: top.binary div
func.func @no_bias(%x: tensor<1x1x2x2xf32>) -> tensor<1x2x2x2xf32> {
  %w = top.constant dense<[[[[5.0]]], [[[7.0]]]]> : tensor<2x1x1x1xf32>
  %rows = top.constant dense<[[1.0], [2.0]]> : tensor<2x1xf32>
  %one = top.constant dense<1.0> : tensor<1x2x1x1xf32>
  %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64}
     : (tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x2x2xf32>
  %1 = top.binary add %0, %rows : tensor<1x2x2x2xf32>, tensor<2x1xf32>
  %2 = top.binary div %one, %1 : tensor<1x2x1x1xf32>, tensor<1x2x2x2xf32>
  return %2 : tensor<1x2x2x2xf32>
}

// -----

// CHECK-LABEL: func.func @hard_swish
// CHECK-NEXT: %[[A:.*]] = top.unary hard_swish %arg0 {top.value = "a"} : tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = top.unary hard_swish %[[A]] {top.value = "b"} : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = top.unary hard_swish %[[B]] {top.value = "c"} : tensor<4xf32>
// CHECK-NEXT: return %[[C]]
func.func @hard_swish(%x: tensor<4xf32>) -> tensor<4xf32> {
  %three = top.constant dense<3.0> : tensor<f32>
  %six = top.constant dense<6.0> : tensor<1xf32>
  %sixth = top.constant dense<0.16666667> : tensor<f32>
  // x * clip(x + 3) / 6
  %0 = top.binary add %x, %three : tensor<4xf32>, tensor<f32>
  %1 = top.unary clip %0 {alpha = 0.0, beta = 6.0} : tensor<4xf32>
  %2 = top.binary mul %x, %1 : tensor<4xf32>, tensor<4xf32>
  %3 = top.binary div %2, %six {top.value = "a"} : tensor<4xf32>, tensor<1xf32>
  // (clip(3 + x) * 1/6) * x with min and max for the clip
  %zero = top.constant dense<0.0> : tensor<f32>
  %4 = top.binary add %three, %3 : tensor<f32>, tensor<4xf32>
  %5 = top.binary max %zero, %4 : tensor<f32>, tensor<4xf32>
  %6 = top.binary min %5, %six : tensor<4xf32>, tensor<1xf32>
  %7 = top.binary mul %sixth, %6 : tensor<f32>, tensor<4xf32>
  %8 = top.binary mul %7, %3 {top.value = "b"} : tensor<4xf32>, tensor<4xf32>
  // x * hard_sigmoid(x)
  %9 = top.unary hard_sigmoid %8 {alpha = 0.1666666716337204, beta = 0.5} : tensor<4xf32>
  %10 = top.binary mul %8, %9 {top.value = "c"} : tensor<4xf32>, tensor<4xf32>
  return %10 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @swish
// CHECK-NEXT: %[[A:.*]] = top.unary swish %arg0 {alpha = 1.000000e+00 : f64, top.value = "a"} : tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = top.unary swish %[[A]] {alpha = 1.000000e+00 : f64, top.value = "b"} : tensor<4xf32>
// CHECK-NEXT: return %[[B]]
func.func @swish(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = top.unary sigmoid %x : tensor<4xf32>
  %1 = top.binary mul %x, %0 {top.value = "a"} : tensor<4xf32>, tensor<4xf32>
  %2 = top.unary sigmoid %1 : tensor<4xf32>
  %3 = top.binary mul %2, %1 {top.value = "b"} : tensor<4xf32>, tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// Another x, a gate that is read elsewhere, a gate of another shape.
// CHECK-LABEL: func.func @not_swish
// CHECK-NOT: swish
// CHECK: return
func.func @not_swish(%x: tensor<1x4x2x2xf32>, %y: tensor<1x4x2x2xf32>, %g: tensor<1x4x1x1xf32>)
    -> (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>) {
  %0 = top.unary sigmoid %x : tensor<1x4x2x2xf32>
  %1 = top.binary mul %y, %0 : tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>
  %2 = top.unary sigmoid %y : tensor<1x4x2x2xf32>
  %3 = top.binary mul %y, %2 : tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>
  %4 = top.unary sigmoid %g : tensor<1x4x1x1xf32>
  %5 = top.binary mul %x, %4 : tensor<1x4x2x2xf32>, tensor<1x4x1x1xf32>
  return %1, %2, %3, %5 : tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>
}

// -----

// Near misses: another slope, another x, another offset, a squeeze-and-excite gate of another shape.
// CHECK-LABEL: func.func @not_hard_swish
// CHECK-NOT: hard_swish
// CHECK: return
func.func @not_hard_swish(%x: tensor<1x4x2x2xf32>, %y: tensor<1x4x2x2xf32>, %g: tensor<1x4x1x1xf32>)
    -> (tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>) {
  %0 = top.unary hard_sigmoid %x {alpha = 0.2, beta = 0.5} : tensor<1x4x2x2xf32>
  %1 = top.binary mul %x, %0 : tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>
  %2 = top.unary hard_sigmoid %y {alpha = 0.16666667, beta = 0.5} : tensor<1x4x2x2xf32>
  %3 = top.binary mul %x, %2 : tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>
  %4 = top.unary hard_sigmoid %x {alpha = 0.16666667, beta = 0.4} : tensor<1x4x2x2xf32>
  %5 = top.binary mul %x, %4 : tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>
  %6 = top.unary hard_sigmoid %g {alpha = 0.16666667, beta = 0.5} : tensor<1x4x1x1xf32>
  %7 = top.binary mul %x, %6 : tensor<1x4x2x2xf32>, tensor<1x4x1x1xf32>
  return %1, %3, %5, %7 : tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>, tensor<1x4x2x2xf32>
}

// -----

// clip(conv + 3, 0, 6) / 6 is a hard_sigmoid; the 3 does not disappear into the bias first.
// CHECK-LABEL: func.func @hard_sigmoid_after_conv
// CHECK: %[[C:.*]] = top.conv %arg0, %{{[^,]*}} {
// CHECK-NEXT: %[[H:.*]] = top.unary hard_sigmoid %[[C]] {alpha = 0.1666{{[0-9]*}} : f64, beta = 5.000000e-01 : f64}
// CHECK-NEXT: return %[[H]]
func.func @hard_sigmoid_after_conv(%x: tensor<1x1x2x2xf32>) -> tensor<1x1x2x2xf32> {
  %w = top.constant dense<2.0> : tensor<1x1x1x1xf32>
  %three = top.constant dense<3.0> : tensor<f32>
  %six = top.constant dense<6.0> : tensor<f32>
  %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64}
     : (tensor<1x1x2x2xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x2x2xf32>
  %1 = top.binary add %0, %three : tensor<1x1x2x2xf32>, tensor<f32>
  %2 = top.unary clip %1 {alpha = 0.0, beta = 6.0} : tensor<1x1x2x2xf32>
  %3 = top.binary div %2, %six : tensor<1x1x2x2xf32>, tensor<f32>
  return %3 : tensor<1x1x2x2xf32>
}

// -----

// CHECK-LABEL: func.func @bounds
// CHECK-NEXT: %[[A:.*]] = top.unary relu %arg0 : tensor<4xf32>
// CHECK-NEXT: %[[B:.*]] = top.unary clip %arg0 {alpha = 0.000000e+00 : f64, beta = 6.000000e+00 : f64, top.value = "b"} : tensor<4xf32>
// CHECK-NEXT: %[[C:.*]] = top.unary relu %arg1 : tensor<4xf32>
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]], %arg0
func.func @bounds(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %zero = top.constant dense<0.0> : tensor<f32>
  %six = top.constant dense<6.0> : tensor<f32>
  %0 = top.unary clip %x {alpha = 0.0} : tensor<4xf32>
  %1 = top.unary relu %x : tensor<4xf32>
  %2 = top.binary min %1, %six {top.value = "b"} : tensor<4xf32>, tensor<f32>
  %3 = top.binary max %zero, %y : tensor<f32>, tensor<4xf32>
  %4 = top.unary clip %x : tensor<4xf32>
  %5 = top.unary identity %4 : tensor<4xf32>
  return %0, %2, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @moves
// CHECK-NEXT: %[[T:.*]] = top.transpose %arg0 {perm = array<i64: 0, 3, 1, 2>, top.value = "t"}
// CHECK-NEXT: %[[R:.*]] = top.reshape %arg1 {{.*}}tensor<1x8x1x1xf32> -> tensor<8x1xf32>
// CHECK-NEXT: return %[[T]], %[[R]], %arg0
func.func @moves(%x: tensor<2x3x4x5xf32>, %y: tensor<1x8x1x1xf32>) -> (tensor<2x5x3x4xf32>, tensor<8x1xf32>, tensor<2x3x4x5xf32>) {
  %0 = top.transpose %x {perm = array<i64: 0, 2, 3, 1>} : tensor<2x3x4x5xf32> -> tensor<2x4x5x3xf32>
  %1 = top.transpose %0 {perm = array<i64: 0, 2, 3, 1>, top.value = "t"} : tensor<2x4x5x3xf32> -> tensor<2x5x3x4xf32>
  %2 = top.transpose %y {perm = array<i64: 0, 2, 3, 1>} : tensor<1x8x1x1xf32> -> tensor<1x1x1x8xf32>
  %3 = top.reshape %2 : tensor<1x1x1x8xf32> -> tensor<8x1xf32>
  %4 = top.transpose %0 {perm = array<i64: 0, 3, 1, 2>} : tensor<2x4x5x3xf32> -> tensor<2x3x4x5xf32>
  return %1, %3, %4 : tensor<2x5x3x4xf32>, tensor<8x1xf32>, tensor<2x3x4x5xf32>
}

// -----

// A mean without its axes, then a matrix product: the name of the mean, which calibration asks for, stays.
// CHECK-LABEL: func.func @mean_matmul
// CHECK: %[[M:.*]] = top.pool avg %arg0
// CHECK: top.reshape %[[M]] {top.value = "mean"}
// CHECK: top.conv
func.func @mean_matmul(%x: tensor<1x3x4x4xf32>) -> tensor<1x2xf32> {
  %w = top.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %p = top.pool avg %x {kernel = array<i64: 4, 4>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>} : tensor<1x3x4x4xf32> -> tensor<1x3x1x1xf32>
  %0 = top.reshape %p {top.value = "mean"} : tensor<1x3x1x1xf32> -> tensor<1x3xf32>
  %1 = top.matmul %0, %w {top.value = "y"} : tensor<1x3xf32>, tensor<3x2xf32>
  return %1 : tensor<1x2xf32>
}

// -----

// The end of a classifier: n,c,1,1 flattened, times a matrix, plus a bias is one 1x1 conv on n,c,1,1.
// CHECK-LABEL: func.func @matmul
// CHECK-DAG: %[[W:.*]] = top.constant dense<{{.*}}1.000000e+00{{.*}}3.000000e+00{{.*}}5.000000e+00{{.*}}2.000000e+00{{.*}}4.000000e+00{{.*}}6.000000e+00{{.*}}> : tensor<2x3x1x1xf32>
// CHECK-DAG: %[[B:.*]] = top.constant dense<[7.000000e+00, 8.000000e+00]> : tensor<2xf32>
// CHECK: %[[C:.*]] = top.conv %arg0, %[[W]], %[[B]] {{.*}}top.value = "fc"{{.*}} : (tensor<1x3x1x1xf32>, tensor<2x3x1x1xf32>, tensor<2xf32>) -> tensor<1x2x1x1xf32>
// CHECK-NEXT: %[[R:.*]] = top.reshape %[[C]] {top.value = "fc"} : tensor<1x2x1x1xf32> -> tensor<1x2xf32>
// CHECK-NEXT: return %[[R]]
func.func @matmul(%x: tensor<1x3x1x1xf32>) -> tensor<1x2xf32> {
  %w = top.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
  %b = top.constant dense<[7.0, 8.0]> : tensor<2xf32>
  %0 = top.reshape %x : tensor<1x3x1x1xf32> -> tensor<1x3xf32>
  %1 = top.matmul %0, %w {top.value = "mm"} : tensor<1x3xf32>, tensor<3x2xf32>
  %2 = top.binary add %1, %b {top.value = "fc"} : tensor<1x2xf32>, tensor<2xf32>
  return %2 : tensor<1x2xf32>
}

// -----

// CHECK-LABEL: func.func @woven
func.func @woven(%x: tensor<1x1x2x2xf32>) -> tensor<1x2x2x4xf32> {
  // What follows a transposed convolution is taken along by the convolutions that it is woven from.
  // CHECK-NOT: top.batch_norm
  // CHECK-NOT: top.binary
  // CHECK: %[[A:.*]] = top.unary relu
  // CHECK: %[[B:.*]] = top.unary relu
  // CHECK: top.interleave %[[A]], %[[B]] {factors = array<i64: 1, 2>, top.value = "y"}
  %w = top.constant dense<[[[[1.0]]], [[[2.0]]]]> : tensor<2x1x1x1xf32>
  %v = top.constant dense<[[[[3.0]]], [[[4.0]]]]> : tensor<2x1x1x1xf32>
  %s = top.constant dense<2.0> : tensor<2xf32>
  %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64}
     : (tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x2x2xf32>
  %1 = top.conv %x, %v {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64}
     : (tensor<1x1x2x2xf32>, tensor<2x1x1x1xf32>) -> tensor<1x2x2x2xf32>
  %2 = top.interleave %0, %1 {factors = array<i64: 1, 2>} : (tensor<1x2x2x2xf32>, tensor<1x2x2x2xf32>) -> tensor<1x2x2x4xf32>
  %3 = top.batch_norm %2, %s, %s, %s, %s {epsilon = 1.0e-5}
     : (tensor<1x2x2x4xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<1x2x2x4xf32>
  %4 = top.unary relu %3 {top.value = "y"} : tensor<1x2x2x4xf32>
  return %4 : tensor<1x2x2x4xf32>
}

// -----

// CHECK-LABEL: func.func @shuffled
func.func @shuffled(%x: tensor<1x2x1x1xf32>) -> tensor<1x4x1x1xf32> {
  // A shuffle of channels goes into the convolution: filters and bias in another order, groups written out.
  // CHECK-DAG: dense<[5.000000e+00, 7.000000e+00, 6.000000e+00, 8.000000e+00]> : tensor<4xf32>
  // CHECK-DAG: {{.*}}1.000000e+00]], {{\[\[}}0.000000e+00]]], {{\[\[\[}}0.000000e+00]], {{\[\[}}3.000000e+00]]], {{\[\[\[}}2.000000e+00]], {{\[\[}}0.000000e+00]]], {{\[\[\[}}0.000000e+00]], {{\[\[}}4.000000e+00
  // CHECK: %[[C:.*]] = top.conv %arg0, %{{.*}}, %{{.*}} {{.*}}group = 1 : i64
  // CHECK-NEXT: %[[R:.*]] = top.unary relu %[[C]] {top.value = "y"}
  // CHECK-NEXT: return %[[R]]
  %w = top.constant dense<[[[[1.0]]], [[[2.0]]], [[[3.0]]], [[[4.0]]]]> : tensor<4x1x1x1xf32>
  %b = top.constant dense<[5.0, 6.0, 7.0, 8.0]> : tensor<4xf32>
  %0 = top.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 2 : i64}
     : (tensor<1x2x1x1xf32>, tensor<4x1x1x1xf32>, tensor<4xf32>) -> tensor<1x4x1x1xf32>
  %1 = top.unary relu %0 {top.value = "r"} : tensor<1x4x1x1xf32>
  %2 = top.reshape %1 : tensor<1x4x1x1xf32> -> tensor<1x2x2x1x1xf32>
  %3 = top.transpose %2 {perm = array<i64: 0, 2, 1, 3, 4>} : tensor<1x2x2x1x1xf32> -> tensor<1x2x2x1x1xf32>
  %4 = top.reshape %3 {top.value = "y"} : tensor<1x2x2x1x1xf32> -> tensor<1x4x1x1xf32>
  return %4 : tensor<1x4x1x1xf32>
}

// -----

// Normalization, factor and shift after each other are one of each: ((x * 2 + 1) * 3 - [5, 9]) / [1, 2].
// CHECK-LABEL: func.func @affine_chain
// CHECK-DAG: %[[K:.*]] = top.constant dense<{{.*}}6.000000e+00{{.*}}3.000000e+00{{.*}}> : tensor<2x1x1xf32>
// CHECK-DAG: %[[O:.*]] = top.constant dense<{{.*}}-2.000000e+00{{.*}}-3.000000e+00{{.*}}> : tensor<2x1x1xf32>
// CHECK: %[[M:.*]] = top.binary mul %arg0, %[[K]] : tensor
// CHECK-NEXT: %[[A:.*]] = top.binary add %[[M]], %[[O]] {top.value = "y"}
// CHECK-NEXT: return %[[A]]
func.func @affine_chain(%x: tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32> {
  %two = top.constant dense<2.0> : tensor<f32>
  %one = top.constant dense<1.0> : tensor<1xf32>
  %three = top.constant dense<3.0> : tensor<1x2x1x1xf32>
  %s = top.constant dense<[[[5.0]], [[9.0]]]> : tensor<2x1x1xf32>
  %d = top.constant dense<[[[1.0]], [[2.0]]]> : tensor<2x1x1xf32>
  %0 = top.binary mul %two, %x : tensor<f32>, tensor<1x2x4x4xf32>
  %1 = top.binary add %0, %one {top.value = "a"} : tensor<1x2x4x4xf32>, tensor<1xf32>
  %2 = top.binary mul %1, %three : tensor<1x2x4x4xf32>, tensor<1x2x1x1xf32>
  %3 = top.binary sub %2, %s : tensor<1x2x4x4xf32>, tensor<2x1x1xf32>
  %4 = top.binary div %3, %d {top.value = "y"} : tensor<1x2x4x4xf32>, tensor<2x1x1xf32>
  return %4 : tensor<1x2x4x4xf32>
}

// -----

// What others read stays, and a sum before a product: its order decides what is lost.
// CHECK-LABEL: func.func @affine_pairs
// CHECK: %[[A:.*]] = top.binary mul %arg0
// CHECK: %[[B:.*]] = top.binary mul %[[A]]
// CHECK: %[[C:.*]] = top.binary add %[[B]]
// CHECK: %[[D:.*]] = top.binary add %arg1
// CHECK: %[[E:.*]] = top.binary mul %[[D]]
// CHECK: return %[[A]], %[[C]], %[[E]]
func.func @affine_pairs(%x: tensor<1x2x4x4xf32>, %y: tensor<1x2x4x4xf32>)
    -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %c = top.constant dense<3.0> : tensor<f32>
  %0 = top.binary mul %x, %c : tensor<1x2x4x4xf32>, tensor<f32>
  %1 = top.binary mul %0, %c : tensor<1x2x4x4xf32>, tensor<f32>
  %2 = top.binary add %1, %c : tensor<1x2x4x4xf32>, tensor<f32>
  %3 = top.binary add %y, %c : tensor<1x2x4x4xf32>, tensor<f32>
  %4 = top.binary mul %3, %c : tensor<1x2x4x4xf32>, tensor<f32>
  return %0, %2, %4 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// -----

// Factors that undo each other leave nothing; a number that 16 bits would lose is not made.
// CHECK-LABEL: func.func @affine_range
// CHECK-COUNT-2: top.binary mul %
// CHECK-NOT: top.binary
// CHECK: return %arg0, %
func.func @affine_range(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %half = top.constant dense<0.5> : tensor<f32>
  %two = top.constant dense<2.0> : tensor<f32>
  %large = top.constant dense<1024.0> : tensor<f32>
  %0 = top.binary mul %x, %half : tensor<1x2x4x4xf32>, tensor<f32>
  %1 = top.binary mul %0, %two : tensor<1x2x4x4xf32>, tensor<f32>
  %2 = top.binary mul %x, %large : tensor<1x2x4x4xf32>, tensor<f32>
  %3 = top.binary mul %2, %large : tensor<1x2x4x4xf32>, tensor<f32>
  return %1, %3 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// -----

// The steps of a quantized operator stay: its sum of bytes is exact.
// CHECK-LABEL: func.func @affine_bytes
// CHECK: top.binary add
// CHECK: top.binary mul
// CHECK: top.binary add
func.func @affine_bytes(%x: tensor<1x2x4x4xi8>) -> tensor<1x2x4x4xf32> {
  %c = top.constant dense<0.3> : tensor<f32>
  %0 = top.cast %x : tensor<1x2x4x4xi8> -> tensor<1x2x4x4xf32>
  %1 = top.binary add %0, %c : tensor<1x2x4x4xf32>, tensor<f32>
  %2 = top.binary mul %1, %c : tensor<1x2x4x4xf32>, tensor<f32>
  %3 = top.binary add %2, %c : tensor<1x2x4x4xf32>, tensor<f32>
  return %3 : tensor<1x2x4x4xf32>
}

// -----

// What was added to be rounded away, and an addition before a multiplication, stay: composed they would lose digits.
// CHECK-LABEL: func.func @affine_digits
// CHECK: %[[A:.*]] = top.binary add %arg0
// CHECK: %[[B:.*]] = top.binary sub %[[A]]
// CHECK: %[[C:.*]] = top.binary sub %arg0
// CHECK: %[[D:.*]] = top.binary mul %[[C]]
// CHECK: %[[E:.*]] = top.binary add %[[D]]
// CHECK: return %[[B]], %[[E]]
func.func @affine_digits(%x: tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) {
  %magic = top.constant dense<12582912.0> : tensor<f32>
  %mean = top.constant dense<10000.0> : tensor<f32>
  %k = top.constant dense<6.0> : tensor<f32>
  %c = top.constant dense<0.5> : tensor<f32>
  %0 = top.binary add %x, %magic : tensor<1x2x4x4xf32>, tensor<f32>
  %1 = top.binary sub %0, %magic : tensor<1x2x4x4xf32>, tensor<f32>
  %2 = top.binary sub %x, %mean : tensor<1x2x4x4xf32>, tensor<f32>
  %3 = top.binary mul %2, %k : tensor<1x2x4x4xf32>, tensor<f32>
  %4 = top.binary add %3, %c : tensor<1x2x4x4xf32>, tensor<f32>
  return %1, %4 : tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>
}

// -----

// A function of two tensors repeats the smaller one itself.
// CHECK-LABEL: func.func @expand_into_binary
// CHECK: %[[A:.*]] = top.binary add %arg0, %arg1
// CHECK: return %[[A]]
func.func @expand_into_binary(%x: tensor<2x1x4xf32>, %y: tensor<1x2x3x4xf32>) -> tensor<1x2x3x4xf32> {
  %0 = top.expand %x : tensor<2x1x4xf32> -> tensor<1x2x3x4xf32>
  %1 = top.binary add %0, %y : tensor<1x2x3x4xf32>, tensor<1x2x3x4xf32>
  return %1 : tensor<1x2x3x4xf32>
}

// -----

// Without the expansion nothing would say how often; of two, one is enough.
// CHECK-LABEL: func.func @expand_both
// CHECK: %[[E:.*]] = top.expand %arg0
// CHECK: %[[M:.*]] = top.binary mul %[[E]], %arg0
// CHECK: %[[F:.*]] = top.expand
// CHECK: %[[A:.*]] = top.binary add %arg1, %[[F]]
// CHECK: return %[[M]], %[[A]]
func.func @expand_both(%x: tensor<4xf32>, %y: tensor<3x1xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = top.expand %x : tensor<4xf32> -> tensor<3x4xf32>
  %1 = top.binary mul %0, %x : tensor<3x4xf32>, tensor<4xf32>
  %2 = top.expand %y : tensor<3x1xf32> -> tensor<3x4xf32>
  %3 = top.expand %y : tensor<3x1xf32> -> tensor<3x4xf32>
  %4 = top.binary add %2, %3 : tensor<3x4xf32>, tensor<3x4xf32>
  return %1, %4 : tensor<3x4xf32>, tensor<3x4xf32>
}

// -----

// The queries of an attention are cut from the rows of the product, then turned; so are the keys, which are turned once.
// CHECK-LABEL: func.func @parts
// CHECK-DAG: %[[Q:.*]] = top.slice %arg0 {starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<2x5x24xf32> -> tensor<2x5x8xf32>
// CHECK-DAG: %[[K:.*]] = top.slice %arg0 {starts = array<i64: 0, 0, 8>, steps = array<i64: 1, 1, 1>} : tensor<2x5x24xf32> -> tensor<2x5x8xf32>
// CHECK-NOT: top.slice
func.func @parts(%x: tensor<2x5x24xf32> {top.name = "x"}) -> (tensor<1x2x2x5x4xf32>, tensor<1x2x2x5x4xf32>) {
  %0 = top.reshape %x : tensor<2x5x24xf32> -> tensor<2x5x3x2x4xf32>
  %1 = top.transpose %0 {perm = array<i64: 2, 0, 3, 1, 4>} : tensor<2x5x3x2x4xf32> -> tensor<3x2x2x5x4xf32>
  %q = top.slice %1 {starts = array<i64: 0, 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1>} : tensor<3x2x2x5x4xf32> -> tensor<1x2x2x5x4xf32>
  %k = top.slice %1 {starts = array<i64: 1, 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1, 1>} : tensor<3x2x2x5x4xf32> -> tensor<1x2x2x5x4xf32>
  return %q, %k : tensor<1x2x2x5x4xf32>, tensor<1x2x2x5x4xf32>
}

// -----

// What else reads the turned whole would have it turned twice.
// CHECK-LABEL: func.func @whole_is_read
// CHECK: top.transpose
// CHECK: top.slice
func.func @whole_is_read(%x: tensor<4x6xf32> {top.name = "x"}) -> (tensor<3x4xf32>, tensor<6x4xf32>) {
  %0 = top.transpose %x {perm = array<i64: 1, 0>} : tensor<4x6xf32> -> tensor<6x4xf32>
  %1 = top.slice %0 {starts = array<i64: 1, 0>, steps = array<i64: 2, 1>} : tensor<6x4xf32> -> tensor<3x4xf32>
  return %1, %0 : tensor<3x4xf32>, tensor<6x4xf32>
}

// -----

// Of axes that were joined no part is one of x, nor of an inner one of those that an axis was split into.
// CHECK-LABEL: func.func @not_apart
// CHECK: top.reshape
// CHECK: top.slice
// CHECK: top.reshape
// CHECK: top.slice
func.func @not_apart(%x: tensor<4x6xf32> {top.name = "x"}) -> (tensor<9xf32>, tensor<4x2x1xf32>) {
  %0 = top.reshape %x : tensor<4x6xf32> -> tensor<24xf32>
  %1 = top.slice %0 {starts = array<i64: 2>, steps = array<i64: 1>} : tensor<24xf32> -> tensor<9xf32>
  %2 = top.reshape %x : tensor<4x6xf32> -> tensor<4x2x3xf32>
  %3 = top.slice %2 {starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, 1>} : tensor<4x2x3xf32> -> tensor<4x2x1xf32>
  return %1, %3 : tensor<9xf32>, tensor<4x2x1xf32>
}

// -----

// Columns that are read apart are products of their own; those that nobody reads are none. They say what they are columns of.
// CHECK-LABEL: func.func @columns_apart
// CHECK: %[[Q:.*]] = top.matmul %arg0, %{{.*}} {top.columns = array<i64: 0, 16>, top.part_of = "p"} : tensor<2x9x4xf32>, tensor<4x16xf32>
// CHECK: top.binary add %[[Q]], %{{.*}} {top.columns = array<i64: 0, 16>, top.part_of = "s", top.value = "q"} : tensor<2x9x16xf32>, tensor<16xf32>
// CHECK: %[[V:.*]] = top.matmul %arg0, %{{.*}} {top.columns = array<i64: 32, 50>, top.part_of = "p"} : tensor<2x9x4xf32>, tensor<4x18xf32>
// CHECK: top.binary add %[[V]], %{{.*}} {top.columns = array<i64: 32, 50>, top.part_of = "s", top.value = "v"} : tensor<2x9x18xf32>, tensor<18xf32>
// CHECK-NOT: top.slice
func.func @columns_apart(%x: tensor<2x9x4xf32> {top.name = "x"}) -> (tensor<2x9x16xf32>, tensor<2x9x18xf32>) {
  %w = top.constant dense<0.5> : tensor<4x50xf32>
  %b = top.constant dense<1.0> : tensor<50xf32>
  %0 = top.matmul %x, %w {top.value = "p"} : tensor<2x9x4xf32>, tensor<4x50xf32>
  %1 = top.binary add %0, %b {top.value = "s"} : tensor<2x9x50xf32>, tensor<50xf32>
  %q = top.slice %1 {starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>, top.value = "q"} : tensor<2x9x50xf32> -> tensor<2x9x16xf32>
  %v = top.slice %1 {starts = array<i64: 0, 0, 32>, steps = array<i64: 1, 1, 1>, top.value = "v"} : tensor<2x9x50xf32> -> tensor<2x9x18xf32>
  return %q, %v : tensor<2x9x16xf32>, tensor<2x9x18xf32>
}

// -----

// What two parts share, or what else reads the whole, would be computed twice.
// CHECK-LABEL: func.func @columns_shared
// CHECK-COUNT-2: top.matmul
// CHECK-COUNT-3: top.slice
// CHECK-NOT: top.matmul
func.func @columns_shared(%x: tensor<2x9x4xf32> {top.name = "x"}) -> (tensor<2x9x16xf32>, tensor<2x9x16xf32>, tensor<2x9x16xf32>, tensor<2x9x48xf32>) {
  %w = top.constant dense<0.5> : tensor<4x48xf32>
  %0 = top.matmul %x, %w : tensor<2x9x4xf32>, tensor<4x48xf32>
  %1 = top.matmul %x, %w : tensor<2x9x4xf32>, tensor<4x48xf32>
  %a = top.slice %0 {starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<2x9x48xf32> -> tensor<2x9x16xf32>
  %b = top.slice %0 {starts = array<i64: 0, 0, 15>, steps = array<i64: 1, 1, 1>} : tensor<2x9x48xf32> -> tensor<2x9x16xf32>
  %c = top.slice %1 {starts = array<i64: 0, 0, 15>, steps = array<i64: 1, 1, 1>} : tensor<2x9x48xf32> -> tensor<2x9x16xf32>
  return %a, %b, %c, %1 : tensor<2x9x16xf32>, tensor<2x9x16xf32>, tensor<2x9x16xf32>, tensor<2x9x48xf32>
}

// -----

// Few rows have their columns in lanes, and few columns are as dear as many; sums that only f32 computes right stay as they are.
// CHECK-LABEL: func.func @columns_together
// CHECK-COUNT-2: top.matmul
// CHECK: top.binary add
// CHECK-COUNT-3: top.slice
// CHECK-NOT: top.matmul
func.func @columns_together(%x: tensor<1x1x4xf32> {top.name = "x"}, %y: tensor<2x9x4xf32> {top.name = "y"}) -> (tensor<1x1x16xf32>, tensor<2x9x8xf32>, tensor<2x9x2xf32>) {
  %w = top.constant dense<0.5> : tensor<4x48xf32>
  %b = top.constant dense<0.5> : tensor<4xf32>
  %0 = top.matmul %x, %w : tensor<1x1x4xf32>, tensor<4x48xf32>
  %1 = top.matmul %y, %w : tensor<2x9x4xf32>, tensor<4x48xf32>
  %2 = top.binary add %y, %b {top.exact} : tensor<2x9x4xf32>, tensor<4xf32>
  %a = top.slice %0 {starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<1x1x48xf32> -> tensor<1x1x16xf32>
  %c = top.slice %1 {starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<2x9x48xf32> -> tensor<2x9x8xf32>
  %d = top.slice %2 {starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<2x9x4xf32> -> tensor<2x9x2xf32>
  return %a, %c, %d : tensor<1x1x16xf32>, tensor<2x9x8xf32>, tensor<2x9x2xf32>
}

// -----

// The ways to write a gelu: PyTorch's erf, its tanh with a power of 3, and one with x (1 + c x^2).
// CHECK-LABEL: func.func @gelus
// CHECK-DAG: top.unary gelu %arg0 {top.value = "a"}
// CHECK-DAG: top.unary gelu_tanh %arg0 {top.value = "b"}
// CHECK-DAG: top.unary gelu_tanh %arg0 {top.value = "c"}
// CHECK-NOT: top.binary
// CHECK: return
func.func @gelus(%x: tensor<2x9x4xf32> {top.name = "x"}) -> (tensor<2x9x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>) {
  %root = top.constant dense<1.41421354> : tensor<f32>
  %one = top.constant dense<1.0> : tensor<f32>
  %half = top.constant dense<0.5> : tensor<f32>
  %three = top.constant dense<3.0> : tensor<f32>
  %c = top.constant dense<0.044715> : tensor<f32>
  %s = top.constant dense<0.797884583> : tensor<f32>
  %0 = top.binary div %x, %root : tensor<2x9x4xf32>, tensor<f32>
  %1 = top.unary erf %0 : tensor<2x9x4xf32>
  %2 = top.binary add %1, %one : tensor<2x9x4xf32>, tensor<f32>
  %3 = top.binary mul %x, %2 : tensor<2x9x4xf32>, tensor<2x9x4xf32>
  %a = top.binary mul %3, %half {top.value = "a"} : tensor<2x9x4xf32>, tensor<f32>
  %4 = top.binary pow %x, %three : tensor<2x9x4xf32>, tensor<f32>
  %5 = top.binary mul %4, %c : tensor<2x9x4xf32>, tensor<f32>
  %6 = top.binary add %x, %5 : tensor<2x9x4xf32>, tensor<2x9x4xf32>
  %7 = top.binary mul %6, %s : tensor<2x9x4xf32>, tensor<f32>
  %8 = top.unary tanh %7 : tensor<2x9x4xf32>
  %9 = top.binary add %one, %8 : tensor<f32>, tensor<2x9x4xf32>
  %10 = top.binary mul %x, %half : tensor<2x9x4xf32>, tensor<f32>
  %b = top.binary mul %10, %9 {top.value = "b"} : tensor<2x9x4xf32>, tensor<2x9x4xf32>
  %11 = top.binary mul %x, %x : tensor<2x9x4xf32>, tensor<2x9x4xf32>
  %12 = top.binary mul %11, %c : tensor<2x9x4xf32>, tensor<f32>
  %13 = top.binary add %12, %one : tensor<2x9x4xf32>, tensor<f32>
  %14 = top.binary mul %x, %s : tensor<2x9x4xf32>, tensor<f32>
  %15 = top.binary mul %14, %13 : tensor<2x9x4xf32>, tensor<2x9x4xf32>
  %16 = top.unary tanh %15 : tensor<2x9x4xf32>
  %17 = top.binary add %16, %one : tensor<2x9x4xf32>, tensor<f32>
  %18 = top.binary mul %17, %half : tensor<2x9x4xf32>, tensor<f32>
  %c2 = top.binary mul %18, %x {top.value = "c"} : tensor<2x9x4xf32>, tensor<2x9x4xf32>
  return %a, %b, %c2 : tensor<2x9x4xf32>, tensor<2x9x4xf32>, tensor<2x9x4xf32>
}

// -----

// Another scale is another function.
// CHECK-LABEL: func.func @no_gelu
// CHECK: top.unary erf
func.func @no_gelu(%x: tensor<2x9x4xf32> {top.name = "x"}) -> tensor<2x9x4xf32> {
  %root = top.constant dense<1.414> : tensor<f32>
  %one = top.constant dense<1.0> : tensor<f32>
  %half = top.constant dense<0.5> : tensor<f32>
  %0 = top.binary div %x, %root : tensor<2x9x4xf32>, tensor<f32>
  %1 = top.unary erf %0 : tensor<2x9x4xf32>
  %2 = top.binary add %1, %one : tensor<2x9x4xf32>, tensor<f32>
  %3 = top.binary mul %x, %2 : tensor<2x9x4xf32>, tensor<2x9x4xf32>
  %a = top.binary mul %3, %half : tensor<2x9x4xf32>, tensor<f32>
  return %a : tensor<2x9x4xf32>
}

// -----

// A function of what is only turned on its way out goes before the turn, to what makes it; not where others read what was turned, or something computes with the result or a part of it.
// CHECK-LABEL: func.func @function_before_turn
// CHECK: %[[P:.*]] = top.binary mul %arg0, %arg0
// CHECK: %[[S:.*]] = top.unary sigmoid %[[P]] : tensor<1x6x4x5xf32>
// CHECK: %[[R:.*]] = top.reshape %[[S]] : tensor<1x6x4x5xf32> -> tensor<1x2x3x4x5xf32>
// CHECK: %[[T:.*]] = top.transpose %[[R]] {perm = array<i64: 0, 1, 3, 4, 2>, top.value = "y"} : tensor<1x2x3x4x5xf32> -> tensor<1x2x4x5x3xf32>
// CHECK: top.transpose
// CHECK-NEXT: %[[Q:.*]] = top.unary sigmoid
// CHECK: top.transpose
// CHECK-NEXT: %[[U:.*]] = top.unary sigmoid
// CHECK-NEXT: top.binary add %[[U]]
func.func @function_before_turn(%x: tensor<1x6x4x5xf32>) -> (tensor<1x2x4x5x3xf32>, tensor<1x4x5x6xf32>, tensor<1x4x5x6xf32>, tensor<1x4x5x6xf32>) {
  %0 = top.binary mul %x, %x : tensor<1x6x4x5xf32>, tensor<1x6x4x5xf32>
  %1 = top.reshape %0 {top.value = "r"} : tensor<1x6x4x5xf32> -> tensor<1x2x3x4x5xf32>
  %2 = top.transpose %1 {perm = array<i64: 0, 1, 3, 4, 2>, top.value = "t"} : tensor<1x2x3x4x5xf32> -> tensor<1x2x4x5x3xf32>
  %3 = top.unary sigmoid %2 {top.value = "y"} : tensor<1x2x4x5x3xf32>
  %4 = top.binary add %x, %x : tensor<1x6x4x5xf32>, tensor<1x6x4x5xf32>
  %5 = top.transpose %4 {perm = array<i64: 0, 2, 3, 1>} : tensor<1x6x4x5xf32> -> tensor<1x4x5x6xf32>
  %6 = top.unary sigmoid %5 : tensor<1x4x5x6xf32>
  %7 = top.binary sub %x, %4 : tensor<1x6x4x5xf32>, tensor<1x6x4x5xf32>
  %8 = top.transpose %7 {perm = array<i64: 0, 2, 3, 1>} : tensor<1x6x4x5xf32> -> tensor<1x4x5x6xf32>
  %9 = top.unary sigmoid %8 : tensor<1x4x5x6xf32>
  %10 = top.binary add %9, %6 : tensor<1x4x5x6xf32>, tensor<1x4x5x6xf32>
  return %3, %5, %6, %10 : tensor<1x2x4x5x3xf32>, tensor<1x4x5x6xf32>, tensor<1x4x5x6xf32>, tensor<1x4x5x6xf32>
}

// -----

// All phases of an image, joined, before a convolution: one of the image, by steps. Slices of slices take a phase as well; the order of the phases is that of the joined channels.
// CHECK-LABEL: func.func @phases_into_conv
// CHECK: %[[W:.*]] = top.constant dense<{{\[\[\[\[}}1.000000e+00, 3.000000e+00], [2.000000e+00, 4.000000e+00]]]]> : tensor<1x1x2x2xf32>
// CHECK: %[[Y:.*]] = top.conv %arg0, %[[W]] {{{.*}}pads = array<i64: 2, 2, 2, 2>, strides = array<i64: 4, 4>, top.value = "y"}
// CHECK-NEXT: return %[[Y]]
func.func @phases_into_conv(%x: tensor<1x1x4x8xf32>) -> tensor<1x1x2x3xf32> {
  %w = top.constant dense<[[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]]> : tensor<1x4x1x1xf32>
  %e = top.slice %x {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 2, 1>} : tensor<1x1x4x8xf32> -> tensor<1x1x2x8xf32>
  %a = top.slice %e {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 2>} : tensor<1x1x2x8xf32> -> tensor<1x1x2x4xf32>
  %b = top.slice %x {starts = array<i64: 0, 0, 1, 0>, steps = array<i64: 1, 1, 2, 2>} : tensor<1x1x4x8xf32> -> tensor<1x1x2x4xf32>
  %c = top.slice %x {starts = array<i64: 0, 0, 0, 1>, steps = array<i64: 1, 1, 2, 2>} : tensor<1x1x4x8xf32> -> tensor<1x1x2x4xf32>
  %d = top.slice %x {starts = array<i64: 0, 0, 1, 1>, steps = array<i64: 1, 1, 2, 2>} : tensor<1x1x4x8xf32> -> tensor<1x1x2x4xf32>
  %j = top.concat %a, %b, %c, %d {axis = 1 : i64} : (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) -> tensor<1x4x2x4xf32>
  %y = top.conv %j, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>, top.value = "y"} : (tensor<1x4x2x4xf32>, tensor<1x4x1x1xf32>) -> tensor<1x1x2x3xf32>
  return %y : tensor<1x1x2x3xf32>
}

// -----

// Not where a phase comes twice.
// CHECK-LABEL: func.func @phase_twice
// CHECK: top.concat
func.func @phase_twice(%x: tensor<1x1x4x8xf32>) -> tensor<1x1x2x4xf32> {
  %w = top.constant dense<[[[[1.0]], [[2.0]], [[3.0]], [[4.0]]]]> : tensor<1x4x1x1xf32>
  %a = top.slice %x {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 2, 2>} : tensor<1x1x4x8xf32> -> tensor<1x1x2x4xf32>
  %b = top.slice %x {starts = array<i64: 0, 0, 1, 0>, steps = array<i64: 1, 1, 2, 2>} : tensor<1x1x4x8xf32> -> tensor<1x1x2x4xf32>
  %d = top.slice %x {starts = array<i64: 0, 0, 1, 1>, steps = array<i64: 1, 1, 2, 2>} : tensor<1x1x4x8xf32> -> tensor<1x1x2x4xf32>
  %j = top.concat %a, %b, %b, %d {axis = 1 : i64} : (tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>, tensor<1x1x2x4xf32>) -> tensor<1x4x2x4xf32>
  %y = top.conv %j, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>, top.value = "y"} : (tensor<1x4x2x4xf32>, tensor<1x4x1x1xf32>) -> tensor<1x1x2x4xf32>
  return %y : tensor<1x1x2x4xf32>
}

// -----

// Convolutions of few channels that are woven are one, which keeps as many more lanes busy; more channels take longer to be moved. What will be moved into them comes first.
// CHECK-LABEL: func.func @thin_phases
// CHECK-DAG: %[[W:.*]] = top.constant dense<{{\[\[\[\[}}1.000000e+00]], {{\[\[}}2.000000e+00]]], {{\[\[\[}}3.000000e+00]], {{\[\[}}4.000000e+00]]]]> : tensor<2x2x1x1xf32>
// CHECK-DAG: %[[B:.*]] = top.constant dense<[5.000000e+00, 0.000000e+00]> : tensor<2xf32>
// CHECK: %[[C:.*]] = top.conv %arg0, %[[W]], %[[B]] {{.*}} -> tensor<1x2x3x4xf32>
// CHECK: %[[P:.*]] = top.slice %[[C]] {starts = array<i64: 0, 0, 0, 0>
// CHECK: %[[Q:.*]] = top.slice %[[C]] {starts = array<i64: 0, 1, 0, 0>
// CHECK: %[[Y:.*]] = top.interleave %[[P]], %[[Q]] {{.*}}top.value = "y"
// CHECK: return %[[Y]]
func.func @thin_phases(%x: tensor<1x2x3x4xf32>) -> tensor<1x1x6x4xf32> {
  %v = top.constant dense<[[[[1.0]], [[2.0]]]]> : tensor<1x2x1x1xf32>
  %w = top.constant dense<[[[[3.0]], [[4.0]]]]> : tensor<1x2x1x1xf32>
  %b = top.constant dense<[5.0]> : tensor<1xf32>
  %p = top.conv %x, %v, %b {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>, tensor<1xf32>) -> tensor<1x1x3x4xf32>
  %q = top.conv %x, %w {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x3x4xf32>
  %y = top.interleave %p, %q {factors = array<i64: 2, 1>, top.value = "y"} : (tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x1x6x4xf32>
  return %y : tensor<1x1x6x4xf32>
}

// -----

// CHECK-LABEL: func.func @part_computed_with
// CHECK: top.transpose
// CHECK-NEXT: top.unary sigmoid
func.func @part_computed_with(%x: tensor<1x6x4x5xf32>) -> tensor<1x4x5x2xf32> {
  %0 = top.binary mul %x, %x : tensor<1x6x4x5xf32>, tensor<1x6x4x5xf32>
  %1 = top.transpose %0 {perm = array<i64: 0, 2, 3, 1>} : tensor<1x6x4x5xf32> -> tensor<1x4x5x6xf32>
  %2 = top.unary sigmoid %1 : tensor<1x4x5x6xf32>
  %3 = top.slice %2 {starts = array<i64: 0, 0, 0, 0>, steps = array<i64: 1, 1, 1, 1>} : tensor<1x4x5x6xf32> -> tensor<1x4x5x2xf32>
  %4 = top.binary mul %3, %3 : tensor<1x4x5x2xf32>, tensor<1x4x5x2xf32>
  return %4 : tensor<1x4x5x2xf32>
}

// -----

// What a woven value goes through first is moved into the convolutions; five channels take longer to be moved than they save.
// CHECK-LABEL: func.func @relu_before_joining
// CHECK: top.conv {{.*}} -> tensor<1x2x3x4xf32>
// CHECK-NEXT: top.slice
// CHECK-NOT: top.unary
// CHECK: top.interleave
// CHECK-LABEL: func.func @five_channels
// CHECK-COUNT-2: top.conv {{.*}} -> tensor<1x5x3x4xf32>
func.func @relu_before_joining(%x: tensor<1x2x3x4xf32>) -> tensor<1x1x6x4xf32> {
  %v = top.constant dense<0.5> : tensor<1x2x1x1xf32>
  %c = top.constant dense<[[[2.0]]]> : tensor<1x1x1xf32>
  %p = top.conv %x, %v {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x3x4xf32>
  %q = top.conv %x, %v {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x3x4xf32>, tensor<1x2x1x1xf32>) -> tensor<1x1x3x4xf32>
  %y = top.interleave %p, %q {factors = array<i64: 2, 1>} : (tensor<1x1x3x4xf32>, tensor<1x1x3x4xf32>) -> tensor<1x1x6x4xf32>
  %z = top.binary mul %y, %c : tensor<1x1x6x4xf32>, tensor<1x1x1xf32>
  return %z : tensor<1x1x6x4xf32>
}
func.func @five_channels(%x: tensor<1x2x3x4xf32>) -> tensor<1x5x6x4xf32> {
  %v = top.constant dense<0.5> : tensor<5x2x1x1xf32>
  %p = top.conv %x, %v {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x3x4xf32>, tensor<5x2x1x1xf32>) -> tensor<1x5x3x4xf32>
  %q = top.conv %x, %v {dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, 1>} : (tensor<1x2x3x4xf32>, tensor<5x2x1x1xf32>) -> tensor<1x5x3x4xf32>
  %y = top.interleave %p, %q {factors = array<i64: 2, 1>} : (tensor<1x5x3x4xf32>, tensor<1x5x3x4xf32>) -> tensor<1x5x6x4xf32>
  return %y : tensor<1x5x6x4xf32>
}

// -----

// Also behind what patches leave: a view that keeps the channels. The name is that of the view alone.
// CHECK-LABEL: func.func @into_patches
// CHECK: %[[C:.*]] = top.conv %arg0, %{{.*}}, %{{.*}} {
// CHECK-NOT: top.value
// CHECK: %[[Y:.*]] = top.reshape %[[C]] {top.value = "y"} : tensor<1x2x6x1xf32> -> tensor<1x2x2x3xf32>
// CHECK-NEXT: return %[[Y]]
func.func @into_patches(%x: tensor<1x3x6x4xf32>) -> tensor<1x2x2x3xf32> {
  %w = top.constant dense<1.0> : tensor<2x3x1x4xf32>
  %b = top.constant dense<[[[3.0]], [[5.0]]]> : tensor<2x1x1xf32>
  %0 = top.conv %x, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64} : (tensor<1x3x6x4xf32>, tensor<2x3x1x4xf32>) -> tensor<1x2x6x1xf32>
  %1 = top.reshape %0 : tensor<1x2x6x1xf32> -> tensor<1x2x2x3xf32>
  %2 = top.binary add %1, %b {top.value = "y"} : tensor<1x2x2x3xf32>, tensor<2x1x1xf32>
  return %2 : tensor<1x2x2x3xf32>
}

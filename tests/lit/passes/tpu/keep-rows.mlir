// RUN: weft-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(tpu-keep-rows))' | FileCheck %s

// The turns of an attention cancel with those of its products, also across softmax on rows counted in another way.
// CHECK-LABEL: func.func @attention
// CHECK-SAME: tpu.choices = [#tpu.choice<keep_rows, "net", #{{loc[0-9]*}}, 1 of["heads", "rows"] at[290400, 0]>]
// CHECK-NOT: tpu.permute
// CHECK: %[[S:.*]] = tpu.row_matmul %arg0, %arg1 {transposed} : tensor<1x50x6x32xf16>, tensor<1x50x6x32xf16> -> tensor<1x50x6x50xf16>
// CHECK: %[[E:.*]] = tpu.softmax %[[S]] {axis = 3 : i64} : tensor<1x50x6x50xf16>
// CHECK: %[[Y:.*]] = tpu.row_matmul %[[E]], %arg2 : tensor<1x50x6x50xf16>, tensor<1x50x6x32xf16> -> tensor<1x50x6x32xf16>
// CHECK-NEXT: return %[[Y]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @attention(%q: tensor<1x50x6x32xf16>, %k: tensor<1x50x6x32xf16>, %v: tensor<1x50x6x32xf16>) -> tensor<1x50x6x32xf16> {
    %0 = tpu.permute %q [0, 2, 1, 3] : tensor<1x50x6x32xf16> -> tensor<1x6x50x32xf16>
    %1 = tpu.permute %k [0, 2, 3, 1] : tensor<1x50x6x32xf16> -> tensor<1x6x32x50xf16>
    %2 = tpu.matmul %0, %1 {top.value = "scores"} : tensor<1x6x50x32xf16>, tensor<1x6x32x50xf16> -> tensor<1x6x50x50xf16>
    %3 = tpu.reshape %2 : tensor<1x6x50x50xf16> -> tensor<1x300x1x50xf16>
    %4 = tpu.softmax %3 {axis = 3 : i64} : tensor<1x300x1x50xf16>
    %5 = tpu.reshape %4 : tensor<1x300x1x50xf16> -> tensor<1x6x50x50xf16>
    %6 = tpu.permute %v [0, 2, 1, 3] : tensor<1x50x6x32xf16> -> tensor<1x6x50x32xf16>
    %7 = tpu.matmul %5, %6 : tensor<1x6x50x50xf16>, tensor<1x6x50x32xf16> -> tensor<1x6x50x32xf16>
    %8 = tpu.permute %7 [0, 2, 1, 3] : tensor<1x6x50x32xf16> -> tensor<1x50x6x32xf16>
    return %8 : tensor<1x50x6x32xf16>
  }
}

// -----

// The cube, which multiplies f32, wants a row a number of the right matrix: keys are turned, at once.
// CHECK-LABEL: func.func @floats
// CHECK: %[[K:.*]] = tpu.permute %arg1 [0, 3, 2, 1] : tensor<1x50x6x32xf32> -> tensor<1x32x6x50xf32>
// CHECK-NOT: tpu.permute
// CHECK: %[[S:.*]] = tpu.row_matmul %arg0, %[[K]] : tensor<1x50x6x32xf32>, tensor<1x32x6x50xf32> -> tensor<1x50x6x50xf32>
// CHECK: %[[E:.*]] = tpu.softmax %[[S]] {axis = 3 : i64} : tensor<1x50x6x50xf32>
// CHECK: %[[Y:.*]] = tpu.row_matmul %[[E]], %arg2 : tensor<1x50x6x50xf32>, tensor<1x50x6x32xf32> -> tensor<1x50x6x32xf32>
// CHECK-NEXT: return %[[Y]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @floats(%q: tensor<1x50x6x32xf32>, %k: tensor<1x50x6x32xf32>, %v: tensor<1x50x6x32xf32>) -> tensor<1x50x6x32xf32> {
    %0 = tpu.permute %q [0, 2, 1, 3] : tensor<1x50x6x32xf32> -> tensor<1x6x50x32xf32>
    %1 = tpu.permute %k [0, 2, 3, 1] : tensor<1x50x6x32xf32> -> tensor<1x6x32x50xf32>
    %2 = tpu.matmul %0, %1 : tensor<1x6x50x32xf32>, tensor<1x6x32x50xf32> -> tensor<1x6x50x50xf32>
    %4 = tpu.softmax %2 {axis = 3 : i64} : tensor<1x6x50x50xf32>
    %6 = tpu.permute %v [0, 2, 1, 3] : tensor<1x50x6x32xf32> -> tensor<1x6x50x32xf32>
    %7 = tpu.matmul %4, %6 : tensor<1x6x50x50xf32>, tensor<1x6x50x32xf32> -> tensor<1x6x50x32xf32>
    %8 = tpu.permute %7 [0, 2, 1, 3] : tensor<1x6x50x32xf32> -> tensor<1x50x6x32xf32>
    return %8 : tensor<1x50x6x32xf32>
  }
}

// -----

// Of several images as well.
// CHECK-LABEL: func.func @images
// CHECK-NOT: tpu.permute
// CHECK: %[[S:.*]] = tpu.row_matmul %arg0, %arg1 {transposed} : tensor<3x50x6x32xf16>, tensor<3x50x6x32xf16> -> tensor<3x50x6x50xf16>
// CHECK: %[[Y:.*]] = tpu.row_matmul %[[S]], %arg2 : tensor<3x50x6x50xf16>, tensor<3x50x6x32xf16> -> tensor<3x50x6x32xf16>
// CHECK-NEXT: return %[[Y]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @images(%q: tensor<3x50x6x32xf16>, %k: tensor<3x50x6x32xf16>, %v: tensor<3x50x6x32xf16>) -> tensor<3x50x6x32xf16> {
    %0 = tpu.permute %q [0, 2, 1, 3] : tensor<3x50x6x32xf16> -> tensor<3x6x50x32xf16>
    %1 = tpu.permute %k [0, 2, 3, 1] : tensor<3x50x6x32xf16> -> tensor<3x6x32x50xf16>
    %2 = tpu.matmul %0, %1 {top.value = "scores"} : tensor<3x6x50x32xf16>, tensor<3x6x32x50xf16> -> tensor<3x6x50x50xf16>
    %3 = tpu.permute %v [0, 2, 1, 3] : tensor<3x50x6x32xf16> -> tensor<3x6x50x32xf16>
    %4 = tpu.matmul %2, %3 : tensor<3x6x50x50xf16>, tensor<3x6x50x32xf16> -> tensor<3x6x50x32xf16>
    %5 = tpu.permute %4 [0, 2, 1, 3] : tensor<3x6x50x32xf16> -> tensor<3x50x6x32xf16>
    return %5 : tensor<3x50x6x32xf16>
  }
}

// -----

// Queries that are scaled, keys that the model turns twice, a bias for each head and a mask for all.
// CHECK-LABEL: func.func @biased
// CHECK-NOT: tpu.permute
// CHECK-DAG: %[[B:.*]] = tpu.weight dense<{{.*}}[1.000000e+00, 2.000000e+00, 3.000000e+00], [7.000000e+00, 8.000000e+00, 9.000000e+00]{{.*}}> : tensor<1x2x2x3xf16>
// CHECK: %[[Q:.*]] = tpu.binary mul %arg0 {constant = 5.000000e-01 : f64} : tensor<1x2x2x32xf16>
// CHECK: %[[S:.*]] = tpu.row_matmul %[[Q]], %arg1 {transposed} : tensor<1x2x2x32xf16>, tensor<1x3x2x32xf16> -> tensor<1x2x2x3xf16>
// CHECK: tpu.binary add %[[S]], %[[B]] : tensor<1x2x2x3xf16>, tensor<1x2x2x3xf16>
// CHECK: tpu.binary add %{{.*}}, %arg3 : tensor<1x2x2x3xf16>, tensor<1x1x1x3xf16>
// CHECK: tpu.row_matmul
// CHECK-NOT: tpu.permute
module attributes {tpu.chip = "bm1684x"} {
  func.func @biased(%q: tensor<1x2x2x32xf16>, %k: tensor<1x3x2x32xf16>, %v: tensor<1x3x2x32xf16>, %m: tensor<1x1x1x3xf16>) -> tensor<1x2x2x32xf16> {
    %b = tpu.weight dense<[[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [[7.0, 8.0, 9.0], [10.0, 11.0, 12.0]]]]> : tensor<1x2x2x3xf16>
    %0 = tpu.permute %q [0, 2, 1, 3] : tensor<1x2x2x32xf16> -> tensor<1x2x2x32xf16>
    %1 = tpu.binary mul %0 {constant = 0.5 : f64} : tensor<1x2x2x32xf16> -> tensor<1x2x2x32xf16>
    %2 = tpu.permute %k [0, 2, 1, 3] : tensor<1x3x2x32xf16> -> tensor<1x2x3x32xf16>
    %3 = tpu.permute %2 [0, 1, 3, 2] : tensor<1x2x3x32xf16> -> tensor<1x2x32x3xf16>
    %4 = tpu.matmul %1, %3 : tensor<1x2x2x32xf16>, tensor<1x2x32x3xf16> -> tensor<1x2x2x3xf16>
    %5 = tpu.binary add %4, %b : tensor<1x2x2x3xf16>, tensor<1x2x2x3xf16> -> tensor<1x2x2x3xf16>
    %6 = tpu.binary add %5, %m : tensor<1x2x2x3xf16>, tensor<1x1x1x3xf16> -> tensor<1x2x2x3xf16>
    %7 = tpu.softmax %6 {axis = 3 : i64} : tensor<1x2x2x3xf16>
    %8 = tpu.permute %v [0, 2, 1, 3] : tensor<1x3x2x32xf16> -> tensor<1x2x3x32xf16>
    %9 = tpu.matmul %7, %8 : tensor<1x2x2x3xf16>, tensor<1x2x3x32xf16> -> tensor<1x2x2x32xf16>
    %10 = tpu.permute %9 [0, 2, 1, 3] : tensor<1x2x2x32xf16> -> tensor<1x2x2x32xf16>
    return %10 : tensor<1x2x2x32xf16>
  }
}

// -----

// Nothing to cancel with: more would be turned than before.
// CHECK-LABEL: func.func @apart
// CHECK-SAME: tpu.choices = [#tpu.choice<keep_rows, "net", #{{loc[0-9]*}}, 0 of["heads", "rows"] at[68400, 136800]>]
// CHECK: tpu.matmul
// CHECK-NOT: tpu.permute
module attributes {tpu.chip = "bm1684x"} {
  func.func @apart(%a: tensor<1x6x50x32xf16>, %b: tensor<1x6x32x50xf16>) -> tensor<1x6x50x50xf16> {
    %0 = tpu.matmul %a, %b : tensor<1x6x50x32xf16>, tensor<1x6x32x50xf16> -> tensor<1x6x50x50xf16>
    return %0 : tensor<1x6x50x50xf16>
  }
}

// -----

// Constant queries are turned here; keys of one image are those of all.
// CHECK-LABEL: func.func @constant_queries
// CHECK: %[[Q:.*]] = tpu.weight {{.*}}1.0{{.*}}3.0{{.*}}2.0{{.*}}4.0{{.*}} : tensor<1x2x2x1xf16>
// CHECK-NOT: tpu.permute
// CHECK: tpu.row_matmul %[[Q]], %{{.*}} {transposed} : tensor<1x2x2x1xf16>, tensor<3x2x2x1xf16> -> tensor<3x2x2x2xf16>
// CHECK: tpu.row_matmul {{.*}} : tensor<3x2x2x2xf16>, tensor<1x2x2x1xf16> -> tensor<3x2x2x1xf16>
// CHECK-NOT: tpu.permute
module attributes {tpu.chip = "bm1684x"} {
  func.func @constant_queries(%k: tensor<3x2x2x1xf16>, %v: tensor<1x2x2x1xf16>) -> tensor<3x2x2x1xf16> {
    %q = tpu.weight dense<[[[[1.0], [2.0]], [[3.0], [4.0]]]]> : tensor<1x2x2x1xf16>
    %0 = tpu.permute %k [0, 2, 3, 1] : tensor<3x2x2x1xf16> -> tensor<3x2x1x2xf16>
    %1 = tpu.matmul %q, %0 : tensor<1x2x2x1xf16>, tensor<3x2x1x2xf16> -> tensor<3x2x2x2xf16>
    %2 = tpu.permute %v [0, 2, 1, 3] : tensor<1x2x2x1xf16> -> tensor<1x2x2x1xf16>
    %3 = tpu.matmul %1, %2 : tensor<3x2x2x2xf16>, tensor<1x2x2x1xf16> -> tensor<3x2x2x1xf16>
    %4 = tpu.permute %3 [0, 2, 1, 3] : tensor<3x2x2x1xf16> -> tensor<3x2x2x1xf16>
    return %4 : tensor<3x2x2x1xf16>
  }
}

// -----

// One head: what would be turned lies there already.
// CHECK-LABEL: func.func @one_head
// CHECK-NEXT: %[[S:.*]] = tpu.row_matmul %arg0, %arg1 {transposed}
// CHECK-NEXT: %[[Y:.*]] = tpu.row_matmul %[[S]], %arg1
// CHECK-NEXT: return %[[Y]]
module attributes {tpu.chip = "bm1684x"} {
  func.func @one_head(%q: tensor<3x7x1x8xf16>, %k: tensor<3x9x1x8xf16>) -> tensor<3x7x1x8xf16> {
    %0 = tpu.reshape %q : tensor<3x7x1x8xf16> -> tensor<3x1x7x8xf16>
    %1 = tpu.permute %k [0, 2, 3, 1] : tensor<3x9x1x8xf16> -> tensor<3x1x8x9xf16>
    %2 = tpu.matmul %0, %1 : tensor<3x1x7x8xf16>, tensor<3x1x8x9xf16> -> tensor<3x1x7x9xf16>
    %3 = tpu.reshape %k : tensor<3x9x1x8xf16> -> tensor<3x1x9x8xf16>
    %4 = tpu.matmul %2, %3 : tensor<3x1x7x9xf16>, tensor<3x1x9x8xf16> -> tensor<3x1x7x8xf16>
    %5 = tpu.reshape %4 : tensor<3x1x7x8xf16> -> tensor<3x7x1x8xf16>
    return %5 : tensor<3x7x1x8xf16>
  }
}

// -----

// One that does not fit keeps no other from it.
// CHECK-LABEL: func.func @too_large_beside
// CHECK: tpu.matmul
// CHECK: tpu.row_matmul
module attributes {tpu.chip = "bm1684x"} {
  func.func @too_large_beside(%a: tensor<1x8x4000x4096xf16>, %b: tensor<1x8x4096x4096xf16>, %q: tensor<1x50x6x32xf16>, %k: tensor<1x50x6x32xf16>) -> (tensor<1x8x4000x4096xf16>, tensor<1x50x6x50xf16>) {
    %0 = tpu.matmul %a, %b : tensor<1x8x4000x4096xf16>, tensor<1x8x4096x4096xf16> -> tensor<1x8x4000x4096xf16>
    %1 = tpu.permute %q [0, 2, 1, 3] : tensor<1x50x6x32xf16> -> tensor<1x6x50x32xf16>
    %2 = tpu.permute %k [0, 2, 3, 1] : tensor<1x50x6x32xf16> -> tensor<1x6x32x50xf16>
    %3 = tpu.matmul %1, %2 : tensor<1x6x50x32xf16>, tensor<1x6x32x50xf16> -> tensor<1x6x50x50xf16>
    %4 = tpu.permute %3 [0, 2, 1, 3] : tensor<1x6x50x50xf16> -> tensor<1x50x6x50xf16>
    return %0, %4 : tensor<1x8x4000x4096xf16>, tensor<1x50x6x50xf16>
  }
}

// -----

// A softmax whose lines lie over the lanes keeps the turns: rows would lie in other lanes.
// CHECK-LABEL: func.func @over_lanes
// CHECK: tpu.permute
// CHECK: tpu.softmax {{.*}}over_lanes
module attributes {tpu.chip = "bm1684x"} {
  func.func @over_lanes(%q: tensor<1x50x1x32xf16>, %k: tensor<1x50x1x32xf16>, %v: tensor<1x50x1x32xf16>) -> tensor<1x50x1x32xf16> {
    %0 = tpu.permute %q [0, 2, 1, 3] : tensor<1x50x1x32xf16> -> tensor<1x1x50x32xf16>
    %1 = tpu.permute %k [0, 2, 3, 1] : tensor<1x50x1x32xf16> -> tensor<1x1x32x50xf16>
    %2 = tpu.matmul %0, %1 : tensor<1x1x50x32xf16>, tensor<1x1x32x50xf16> -> tensor<1x1x50x50xf16>
    %3 = tpu.reshape %2 : tensor<1x1x50x50xf16> -> tensor<1x50x1x50xf16>
    %4 = tpu.softmax %3 {axis = 3 : i64, over_lanes} : tensor<1x50x1x50xf16>
    %5 = tpu.reshape %4 : tensor<1x50x1x50xf16> -> tensor<1x1x50x50xf16>
    %6 = tpu.permute %v [0, 2, 1, 3] : tensor<1x50x1x32xf16> -> tensor<1x1x50x32xf16>
    %7 = tpu.matmul %5, %6 : tensor<1x1x50x50xf16>, tensor<1x1x50x32xf16> -> tensor<1x1x50x32xf16>
    %8 = tpu.permute %7 [0, 2, 1, 3] : tensor<1x1x50x32xf16> -> tensor<1x50x1x32xf16>
    return %8 : tensor<1x50x1x32xf16>
  }
}

// RUN: weft-opt --pass-pipeline='builtin.module(func.func(tpu-group-layers))' %s | FileCheck %s
// RUN: weft-opt --pass-pipeline='builtin.module(func.func(tpu-group-layers{max-ops=1 max-sliced-ops=1}))' %s | FileCheck --check-prefix=ONE %s
// RUN: weft-opt --pass-pipeline='builtin.module(func.func(tpu-group-layers{max-sliced-ops=1}))' %s | FileCheck --check-prefix=CUT %s

// CHECK-DAG: #[[JOIN:loc[0-9]*]] = loc("join")
// CHECK-DAG: #[[LARGE:loc[0-9]*]] = loc("large")
// CHECK-DAG: #[[TAIL:loc[0-9]*]] = loc("tail")
// CHECK-DAG: #[[TURN:loc[0-9]*]] = loc("turn")
// CUT-DAG: #[[TAIL:loc[0-9]*]] = loc("tail")
// ONE-DAG: #[[SECOND:loc[0-9]*]] = loc("second")

module attributes {tpu.chip = "bm1684x", tpu.precision = "f32"} {

// Nothing follows, so there is no border; with groups of one op there is.
// CHECK-LABEL: @one_group
// CHECK-NOT: tpu.border
// CHECK: return
// ONE-LABEL: @one_group
// ONE: tpu.border = #tpu.cause<ops, "unary", #[[SECOND]], 2, 1>
func.func @one_group(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> {
  %a = tpu.unary abs %x : tensor<1x8x4x4xf32> loc("first")
  %y = tpu.unary neg %a : tensor<1x8x4x4xf32> loc("second")
  return %y : tensor<1x8x4x4xf32>
}

// The sum wants both operands to begin in lane 0, the concatenation puts the second one behind the first.
// CHECK-LABEL: @two_places
// CHECK: tpu.border = #tpu.cause<lanes, "concat", #[[JOIN]], 0, 0>
func.func @two_places(%x: tensor<1x8x64x64xf32>, %z: tensor<1x8x64x64xf32>) -> (tensor<1x16x64x64xf32>, tensor<1x8x64x64xf32>) {
  %a = tpu.unary abs %x : tensor<1x8x64x64xf32> loc("a")
  %b = tpu.unary neg %z : tensor<1x8x64x64xf32> loc("b")
  %c = tpu.binary add %a, %b : tensor<1x8x64x64xf32>, tensor<1x8x64x64xf32> -> tensor<1x8x64x64xf32> loc("sum")
  %y = tpu.concat %a, %b axis 1 : (tensor<1x8x64x64xf32>, tensor<1x8x64x64xf32>) -> tensor<1x16x64x64xf32> loc("join")
  return %y, %c : tensor<1x16x64x64xf32>, tensor<1x8x64x64xf32>
}

// A softmax wants its rows whole, and three tensors of them do not fit a lane.
// CHECK-LABEL: @memory
// CHECK: tpu.border = #tpu.cause<memory, "softmax", #[[LARGE]], 270400, 262144>
// CHECK-NOT: tpu.border
func.func @memory(%x: tensor<1x1x1x9000xf32>) -> (tensor<1x1x1x9000xf32>, tensor<1x1x1x9000xf32>) {
  %a = tpu.unary abs %x : tensor<1x1x1x9000xf32> loc("a")
  %b = tpu.softmax %a {axis = 3 : i64} : tensor<1x1x1x9000xf32> loc("b")
  %c = tpu.softmax %x {axis = 3 : i64} : tensor<1x1x1x9000xf32> loc("large")
  %d = tpu.binary add %a, %c : tensor<1x1x1x9000xf32>, tensor<1x1x1x9000xf32> -> tensor<1x1x1x9000xf32>
  return %b, %d : tensor<1x1x1x9000xf32>, tensor<1x1x1x9000xf32>
}

// The first fits as it is, the second one has to be cut. So could both, but then the first would wait for the slices of the second.
// CHECK-LABEL: @cost
// CHECK: tpu.border = #tpu.cause<cost, "unary", #[[TAIL]], 1007235, 949941>
func.func @cost(%x: tensor<1x64x64x64xf32>, %z: tensor<1x64x256x256xf32>) -> (tensor<1x64x64x64xf32>, tensor<1x64x256x256xf32>) {
  %a = tpu.unary abs %x : tensor<1x64x64x64xf32> loc("head")
  %y = tpu.unary neg %z : tensor<1x64x256x256xf32> loc("tail")
  return %a, %y : tensor<1x64x64x64xf32>, tensor<1x64x256x256xf32>
}

// Where only single ops are cut, it is their number.
// CUT-LABEL: @cost
// CUT: tpu.border = #tpu.cause<sliced_ops, "unary", #[[TAIL]], 2, 1>

// What ends a run is in no group at all.
// CHECK-LABEL: @turn
// CHECK: tpu.border = #tpu.cause<turn, "permute", #[[TURN]], 0, 0>
func.func @turn(%x: tensor<1x8x4x2xf32>) -> tensor<1x2x4x8xf32> {
  %a = tpu.unary abs %x : tensor<1x8x4x2xf32>
  %y = tpu.permute %a [0, 3, 2, 1] : tensor<1x8x4x2xf32> -> tensor<1x2x4x8xf32> loc("turn")
  return %y : tensor<1x2x4x8xf32>
}
}

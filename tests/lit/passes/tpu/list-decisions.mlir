// RUN: weft-opt --pass-pipeline='builtin.module(func.func(tpu-group-layers,tpu-place-local,tpu-place-global,tpu-list-decisions))' %s | weft-opt | FileCheck %s

// CHECK-DAG: #[[FIRST:loc[0-9]*]] = loc("first")
// CHECK-DAG: #[[TURN:loc[0-9]*]] = loc("turn")
// CHECK-DAG: #[[SECOND:loc[0-9]*]] = loc("second")
// CHECK-DAG: #[[THIRD:loc[0-9]*]] = loc("third")
// CHECK-DAG: #[[FLAT:loc[0-9]*]] = loc("flat")

module attributes {tpu.chip = "bm1684x", tpu.precision = "f32"} {

// A turn of the layout ends the first group; it writes what the second one reads. The output is nobody's intermediate.
// CHECK-LABEL: @turn
// CHECK-SAME: tpu.decisions = #tpu.decisions<steps[
// CHECK-SAME: <"group", 1, #[[FIRST]], #[[FIRST]], [1, 1, 1, 1] cycles {{[0-9]+}} computing 1 moves 512 border <turn, "permute", #[[TURN]], 0, 0>>,
// CHECK-SAME: <"permute", 0, #[[TURN]], #[[TURN]], [1, 1, 1, 1]>,
// CHECK-SAME: <"group", 2, #[[SECOND]], #[[THIRD]], [1, 1, 1, 1] cycles {{[0-9]+}} computing 4 moves 512>]
// CHECK-SAME: values[<"a", tensor<1x8x4x2xf32>, 256, 0, #[[FIRST]], [1], reader by <turn, "permute", #[[TURN]], 0, 0>>,
// CHECK-SAME: <"b", tensor<1x2x4x8xf32>, 256, 1, #[[TURN]], [2], maker by <turn, "permute", #[[TURN]], 0, 0>>]
// CHECK-SAME: choices[]>
// CHECK: tpu.group{{.*}}attributes {tpu.border = #tpu.cause<turn, "permute", #[[TURN]], 0, 0>, tpu.cycles = {{[0-9]+}} : i64}
func.func @turn(%x: tensor<1x8x4x2xf32>) -> tensor<1x2x4x8xf32> {
  %a = tpu.unary abs %x {top.value = "a"} : tensor<1x8x4x2xf32> loc("first")
  %b = tpu.permute %a [0, 3, 2, 1] {top.value = "b"} : tensor<1x8x4x2xf32> -> tensor<1x2x4x8xf32> loc("turn")
  %c = tpu.unary neg %b : tensor<1x2x4x8xf32> loc("second")
  %y = tpu.unary abs %c : tensor<1x2x4x8xf32> loc("third")
  return %y : tensor<1x2x4x8xf32>
}

// A reshape is an address: the value before it is the one in DRAM, and it says which op gave it another shape.
// CHECK-LABEL: @reshape
// CHECK-SAME: values[<"a", tensor<1x8x4x2xf32>, 256, 0, #[[FIRST]], [1], reader by <reshape, "reshape", #[[FLAT]], 0, 0>>]
func.func @reshape(%x: tensor<1x8x4x2xf32>) -> tensor<1x64x1x1xf32> {
  %a = tpu.unary abs %x {top.value = "a"} : tensor<1x8x4x2xf32> loc("first")
  %b = tpu.reshape %a : tensor<1x8x4x2xf32> -> tensor<1x64x1x1xf32> loc("flat")
  %y = tpu.unary neg %b : tensor<1x64x1x1xf32> loc("second")
  return %y : tensor<1x64x1x1xf32>
}

// What the net gives as well is stored anyway.
// CHECK-LABEL: @output
// CHECK-SAME: values[<"a", tensor<1x8x4x2xf32>, 256, 0, #[[FIRST]], [1], output>]
func.func @output(%x: tensor<1x8x4x2xf32>) -> (tensor<1x8x4x2xf32>, tensor<1x2x4x8xf32>) {
  %a = tpu.unary abs %x {top.value = "a"} : tensor<1x8x4x2xf32> loc("first")
  %y = tpu.permute %a [0, 3, 2, 1] : tensor<1x8x4x2xf32> -> tensor<1x2x4x8xf32> loc("turn")
  return %a, %y : tensor<1x8x4x2xf32>, tensor<1x2x4x8xf32>
}

// The turn of %x stands between the groups, so that only the group behind it reads %a.
// CHECK-LABEL: @later
// CHECK-SAME: values[<"a", tensor<1x8x4x2xf32>, 256, 0, #[[FIRST]], [2], later by <turn, "permute", #[[TURN]], 0, 0>>,
// CHECK-SAME: <"", tensor<1x8x4x2xf32>, 256, 1, #[[TURN]], [2], maker by
func.func @later(%x: tensor<1x8x4x2xf32>, %z: tensor<1x4x8x2xf32>) -> tensor<1x8x4x2xf32> {
  %a = tpu.unary abs %x {top.value = "a"} : tensor<1x8x4x2xf32> loc("first")
  %b = tpu.permute %z [0, 2, 1, 3] : tensor<1x4x8x2xf32> -> tensor<1x8x4x2xf32> loc("turn")
  %y = tpu.binary add %a, %b : tensor<1x8x4x2xf32>, tensor<1x8x4x2xf32> -> tensor<1x8x4x2xf32> loc("second")
  return %y : tensor<1x8x4x2xf32>
}
}

// RUN: weft-opt %s --split-input-file --convert-top-to-tpu=precision=f32 | FileCheck %s

// Where lines lie that a softmax or the search for an extreme takes whole. Few long ones: in pieces over the lanes.
// CHECK-LABEL: func.func @main(%arg0: tensor<1x32000x1x1xf32>
// CHECK: tpu.softmax {{.*}}over_lanes{{.*}} : tensor<1x64x1x500xf32>
// CHECK: tpu.arg_reduce max {{.*}}over_lanes{{.*}} : tensor<1x64x1x500xf32>, tensor<1x1x1x500xf32> -> tensor<1x1x1x1xi32>
func.func @main(%x: tensor<1x32000xf32> {top.name = "x"}) -> (tensor<1x32000xf32> {top.name = "y"}, tensor<1xi64> {top.name = "i"}) {
  %y = top.softmax %x {axis = 1 : i64, top.value = "y"} : tensor<1x32000xf32> -> tensor<1x32000xf32>
  %i = top.arg_reduce max %x axis 1 {top.value = "i"} : tensor<1x32000xf32> -> tensor<1xi64>
  return %y, %i : tensor<1x32000xf32>, tensor<1xi64>
}

// -----

// Many short ones: several behind each other in a lane.
// CHECK-LABEL: func.func @main(%arg0: tensor<65536x5x1x1xf32>
// CHECK: tpu.softmax {{.*}}axis = 3{{.*}} : tensor<1x64x1024x5xf32>
func.func @main(%x: tensor<65536x5xf32> {top.name = "x"}) -> (tensor<65536x5xf32> {top.name = "y"}) {
  %y = top.softmax %x {axis = 1 : i64, top.value = "y"} : tensor<65536x5xf32> -> tensor<65536x5xf32>
  return %y : tensor<65536x5xf32>
}

// -----

// Another op makes them in the standard view: there.
// CHECK-LABEL: func.func @main(%arg0: tensor<1x40x1x6625xf32>
// CHECK: tpu.softmax {{.*}}axis = 3{{.*}} : tensor<1x40x1x6625xf32>
// CHECK-NOT: over_lanes
func.func @main(%x: tensor<1x40x6625xf32> {top.name = "x"}) -> (tensor<1x40x6625xf32> {top.name = "y"}) {
  %a = top.unary exp %x : tensor<1x40x6625xf32>
  %y = top.softmax %a {axis = 2 : i64, top.value = "y"} : tensor<1x40x6625xf32> -> tensor<1x40x6625xf32>
  return %y : tensor<1x40x6625xf32>
}

// -----

// Along the first axis of few columns: turned, on both sides.
// CHECK-LABEL: func.func @main(%arg0: tensor<257x31x1x1xf32>
// CHECK: tpu.permute {{.*}} [0, 3, 2, 1] : tensor<1x257x1x31xf32> -> tensor<1x31x1x257xf32>
// CHECK: tpu.softmax {{.*}} : tensor<1x31x1x257xf32>
// CHECK: tpu.permute {{.*}} [0, 3, 2, 1]{{.*}} : tensor<1x31x1x257xf32> -> tensor<1x257x1x31xf32>
func.func @main(%x: tensor<257x31xf32> {top.name = "x"}) -> (tensor<257x31xf32> {top.name = "y"}) {
  %y = top.softmax %x {axis = 0 : i64, top.value = "y"} : tensor<257x31xf32> -> tensor<257x31xf32>
  return %y : tensor<257x31xf32>
}

// -----

// What has one number a line is not turned back.
// CHECK-LABEL: func.func @main(%arg0: tensor<32000x3x1x1xf32>
// CHECK: tpu.permute {{.*}} [0, 3, 2, 1]
// CHECK: tpu.arg_reduce max {{.*}} -> tensor<3x1x1x1xi32>
// CHECK-NOT: tpu.permute
func.func @main(%x: tensor<32000x3xf32> {top.name = "x"}) -> (tensor<3xi64> {top.name = "i"}) {
  %i = top.arg_reduce max %x axis 0 {top.value = "i"} : tensor<32000x3xf32> -> tensor<3xi64>
  return %i : tensor<3xi64>
}

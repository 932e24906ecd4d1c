// Doubles are stored and computed as f32, integers cast from and to f32 at the interface; each keeps its ONNX type.
// RUN: weft-opt --convert-top-to-tpu="precision=f16" %s 2>%t.remarks | FileCheck %s
// RUN: FileCheck --check-prefix=REMARK %s < %t.remarks
// RUN: weft-opt --convert-top-to-tpu="precision=f16 quantized-io=true" %s 2>/dev/null | FileCheck --check-prefix=IO %s

// REMARK: remark: value 'd' is of type f64; the chip computes it as f32, with 24 bits
// REMARK-NOT: remark:

// CHECK-LABEL: func.func @main
// CHECK-SAME: %arg0: tensor<1x2x4x4xf32> {tpu.io = {name = "d", type = tensor<1x2x4x4xf64>}}
// CHECK-SAME: %arg1: tensor<1x2x4x4xi32> {tpu.io = {name = "i", type = tensor<1x2x4x4xi64>}}
// CHECK-SAME: %arg2: tensor<1x2x4x4xui8> {tpu.io = {name = "b", type = tensor<1x2x4x4xi1>}}
// CHECK-SAME: -> (tensor<1x2x4x4xf32> {tpu.io = {name = "y", type = tensor<1x2x4x4xf64>}}, tensor<1x2x4x4xui32> {tpu.io = {name = "z", type = tensor<1x2x4x4xui64>}})
// IO-LABEL: func.func @main
// IO-SAME: %arg0: tensor<1x2x4x4xf16> {tpu.io = {name = "d"
// IO-SAME: %arg1: tensor<1x2x4x4xi32> {tpu.io = {name = "i"
func.func @main(%d: tensor<1x2x4x4xf64> {top.name = "d"}, %i: tensor<1x2x4x4xi64> {top.name = "i"}, %b: tensor<1x2x4x4xi1> {top.name = "b"})
    -> (tensor<1x2x4x4xf64> {top.name = "y"}, tensor<1x2x4x4xui64> {top.name = "z"}) {
  // CHECK-DAG: tpu.cast %arg1 {{.*}}: tensor<1x2x4x4xi32> -> tensor<1x2x4x4xf32>
  // CHECK-DAG: tpu.cast %arg2 {{.*}}: tensor<1x2x4x4xui8> -> tensor<1x2x4x4xf32>
  // CHECK: tpu.binary add
  // CHECK: %[[Y:.*]] = tpu.binary mul {{.*}}top.value = "y"{{.*}} -> tensor<1x2x4x4xf32>
  %f = top.cast %i {top.value = "f"} : tensor<1x2x4x4xi64> -> tensor<1x2x4x4xf64>
  %g = top.cast %b {top.value = "g"} : tensor<1x2x4x4xi1> -> tensor<1x2x4x4xf64>
  %s = top.binary add %f, %g {top.value = "s"} : tensor<1x2x4x4xf64>, tensor<1x2x4x4xf64>
  %y = top.binary mul %s, %d {top.value = "y"} : tensor<1x2x4x4xf64>, tensor<1x2x4x4xf64>
  // CHECK: %[[C:.*]] = tpu.unary clip %[[Y]]
  // CHECK: tpu.cast %[[C]] {{.*}}: tensor<1x2x4x4xf32> -> tensor<1x2x4x4xui32>
  %c = top.unary clip %y {alpha = 0.0 : f64, beta = 1.0e9 : f64, top.value = "c"} : tensor<1x2x4x4xf64>
  %z = top.cast %c {top.value = "z"} : tensor<1x2x4x4xf64> -> tensor<1x2x4x4xui64>
  return %y, %z : tensor<1x2x4x4xf64>, tensor<1x2x4x4xui64>
}

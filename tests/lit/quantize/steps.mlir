// Functions in fewer or narrower steps: where 16 bits were asked for, among codes of 8 bits, and nowhere else.
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%S/Inputs/steps.cali" %s | FileCheck %s --check-prefix=INT8
// RUN: weft-opt --convert-top-to-tpu="precision=f16" %s | FileCheck %s --check-prefix=F16
// RUN: weft-opt --convert-top-to-tpu="precision=bf16" %s | FileCheck %s --check-prefix=F16
// RUN: weft-opt --convert-top-to-tpu="precision=f32" %s | FileCheck %s --check-prefix=F32
// RUN: echo 'ops: {s: f32, g: f32}' > %t.yaml
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%S/Inputs/steps.cali precision-table=%t.yaml" %s | FileCheck %s --check-prefix=TABLE

// INT8: tpu.unary gelu {{.*}}narrow_steps{{.*}}top.value = "g"
// INT8: tpu.softmax {{.*}}narrow_steps{{.*}}top.value = "s"{{.*}}xf16>
// The network gives the last one, turned.
// INT8: tpu.softmax {{.*}}short_steps{{.*}}top.value = "t"{{.*}}xf32>
// F16-NOT: narrow_steps
// F16: tpu.unary gelu
// F16: tpu.softmax {{.*}}short_steps{{.*}}top.value = "s"
// F16: tpu.softmax {{.*}}short_steps{{.*}}top.value = "t"
// F16: tpu.unary sigmoid {{.*}}short_steps
// F32-NOT: short_steps
// F32-NOT: narrow_steps
// TABLE-NOT: narrow_steps
// TABLE: tpu.softmax {{.*}}{axis = 3 : i64, top.value = "s"
// TABLE: tpu.softmax {{.*}}short_steps{{.*}}top.value = "t"
func.func @main(%x: tensor<1x16x1x16xf32> {top.name = "x"}) -> (tensor<1x1x16x16xf32> {top.name = "u"}, tensor<1x16x1x16xf32> {top.name = "v"}) {
  %w = top.constant dense<1.0> : tensor<16x16xf32>
  %p = top.matmul %x, %w {top.value = "p"} : tensor<1x16x1x16xf32>, tensor<16x16xf32>
  %g = top.unary gelu %p {top.value = "g"} : tensor<1x16x1x16xf32>
  %q = top.matmul %g, %w {top.value = "q"} : tensor<1x16x1x16xf32>, tensor<16x16xf32>
  %s = top.softmax %q {axis = 3 : i64, top.value = "s"} : tensor<1x16x1x16xf32> -> tensor<1x16x1x16xf32>
  %r = top.matmul %s, %w {top.value = "r"} : tensor<1x16x1x16xf32>, tensor<16x16xf32>
  %t = top.softmax %r {axis = 3 : i64, top.value = "t"} : tensor<1x16x1x16xf32> -> tensor<1x16x1x16xf32>
  %u = top.transpose %t {perm = array<i64: 0, 2, 1, 3>, top.value = "u"} : tensor<1x16x1x16xf32> -> tensor<1x1x16x16xf32>
  %v = top.unary sigmoid %r {top.value = "v"} : tensor<1x16x1x16xf32>
  return %u, %v : tensor<1x1x16x16xf32>, tensor<1x16x1x16xf32>
}

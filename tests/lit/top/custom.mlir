// RUN: weft-opt %s | weft-opt | FileCheck %s
// RUN: weft-opt %s --pass-pipeline='builtin.module(weft-tpu{precision=f16},weft-ppl)' | FileCheck %s --check-prefix=PPL

// An operator of a plugin goes through DRAM in the element type of the program; several results have places of their own.
// CHECK-LABEL: func.func @main
// PPL-LABEL: ppl.net @main
func.func @main(%x: tensor<2x8x64xf32> {top.name = "x"}, %k: tensor<8xi64> {top.name = "k"})
    -> (tensor<2x8x64xf32> {top.name = "y"}, tensor<2x8xi64> {top.name = "i"}) {
  // CHECK: top.custom "com.example" "Rope" 1(%arg0, %arg1) {base = 1.000000e+04 : f64} floats ["f32", "f16"] attributes {absent = array<i64: 1>, top.value = ["y", "i"]} :
  // PPL-DAG: %[[X:.*]] = ppl.global at {{[0-9]+}} : <2x8x1x64xf16, global, continuous>
  // PPL-DAG: %[[K:.*]] = ppl.global at {{[0-9]+}} : <1x8x1x1xsi32, global, continuous>
  // PPL: ppl.custom "com.example" "Rope" 1 outputs(%[[Y:.*]], %[[I:.*]]) inputs(%{{.*}}, %{{.*}}) {base = 1.000000e+04 : f64} [tensor<2x8x64xf16>, tensor<8xi32>] to [tensor<2x8x64xf16>, tensor<2x8xi32>]
  %y, %i = top.custom "com.example" "Rope" 1 (%x, %k) {base = 1.0e+04 : f64} floats ["f32", "f16"] attributes {absent = array<i64: 1>, top.value = ["y", "i"]}
      : (tensor<2x8x64xf32>, tensor<8xi64>) -> (tensor<2x8x64xf32>, tensor<2x8xi64>)
  return %y, %i : tensor<2x8x64xf32>, tensor<2x8xi64>
}

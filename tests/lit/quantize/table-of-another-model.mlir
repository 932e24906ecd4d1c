// A table that has none of the model's values is refused, also where the program could do without it.
// RUN: split-file %s %t
// RUN: not weft-opt --convert-top-to-tpu="precision=f16 calibration=%t/other" %t/net.mlir 2>&1 | FileCheck %s
// RUN: weft-opt --convert-top-to-tpu="precision=f16 calibration=%t/own" %t/net.mlir | FileCheck %s --check-prefix=OWN

// CHECK: error: the calibration table {{.*}}other' has no value of this model, it is another model's; calibrate this model
// OWN: tpu.unary

//--- net.mlir
func.func @main(%x: tensor<1x4xf32> {top.name = "x"}) -> (tensor<1x4xf32> {top.name = "y"}) {
  %y = top.unary relu %x {top.value = "y"} : tensor<1x4xf32>
  return %y : tensor<1x4xf32>
}

//--- other
# weft calibration table 2
# method: max
# samples: 1
# name threshold min max low high
a 1 -1 1 -1 1

//--- own
# weft calibration table 2
# method: max
# samples: 1
# name threshold min max low high
y 1 -1 1 -1 1

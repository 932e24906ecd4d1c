// Lowering of a whole small graph: 8-bit products requantize where only products read them, and leave as floats otherwise.
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%S/Inputs/chain.cali" %s | FileCheck %s --check-prefix=INT8
// RUN: weft-opt --convert-top-to-tpu="precision=f16 wide-weights=0" %s | FileCheck %s --check-prefix=F16
// RUN: weft-opt --convert-top-to-tpu="precision=f16" %s | FileCheck %s --check-prefix=WIDE
// RUN: weft-opt --convert-top-to-tpu="precision=f16 wide-products=63" %s | FileCheck %s --check-prefix=F16
// RUN: weft-opt --convert-top-to-tpu="precision=f32" %s | FileCheck %s --check-prefix=F32
// RUN: weft-opt --convert-top-to-tpu="precision=int8 calibration=%S/Inputs/chain.cali quantized-io" %s | FileCheck %s --check-prefix=IO

// With quantized-io the input comes in 8 bits, and what no product gives leaves in f16; tpu.io keeps ONNX's types.
// IO: @main(%arg0: tensor<1x2x4x4x!quant.uniform<i8:f32, 0.0078740157186985015>> {tpu.io = {name = "x", type = tensor<1x2x4x4xf32>}})
// IO-SAME: -> (tensor<1x2x1x1xf16> {tpu.io = {name = "p", type = tensor<1x2x1x1xf32>}})
// IO-NOT: tpu.cast %arg0
// IO: tpu.conv %arg0

// INT8: tpu.chip = "bm1684x", tpu.float_share = 0.000000e+00 : f64, tpu.precision = "int8"
// INT8: tpu.io = {name = "x", type = tensor<1x2x4x4xf32>}
// INT8: %[[Q:.*]] = tpu.cast %arg0 : tensor<1x2x4x4xf32> -> tensor<1x2x4x4x!quant.uniform<i8:f32, 0.0078740157186985015>>
// INT8: dense<{{\[\[\[\[}}127]], {{\[\[}}-64]]], {{\[\[\[}}16]], {{\[\[}}127]]]]> : tensor<2x2x1x1xi8>
// Scale and bias in steps of the result: 1/127 * 1/127 and twice that, 0.5 and -1, over 2.5/255.
// INT8: dense<{{\[\[\[\[}}5.100000e+01]], {{\[\[}}-1.020000e+02]]]]> : tensor<1x2x1x1xf32>
// INT8: %[[R:.*]] = tpu.conv %[[Q]]
// INT8-SAME: relu, scales = array<f32: 0.0063240{{[0-9]*}}, 0.0126480{{[0-9]*}}>, top.value = "r"
// INT8-SAME: -> tensor<1x2x4x4x!quant.uniform<u8:f32, 0.0098039219155907631>>
// INT8: tpu.conv %[[R]]
// INT8-SAME: scales = array<f32: 7.71962368E-5, 1.54392474E-4>, top.value = "d"
// INT8-SAME: -> tensor<1x2x4x4xf16>
// INT8: tpu.unary hard_swish {{.*}} {top.value = "h"{{.*}}} : tensor<1x2x4x4xf16>
// INT8: tpu.pool avg {{.*}}top.value = "g"{{.*}} -> tensor<1x2x1x1xf32>
// INT8: tpu.softmax {{.*}} {axis = 3 : i64, short_steps, top.value = "p"{{.*}}} : tensor<1x1x1x2xf32>

// F16: tpu.cast %arg0 : tensor<1x2x4x4xf32> -> tensor<1x2x4x4xf16>
// F16: tpu.conv {{.*}}relu
// F16-SAME: top.value = "r"{{.*}}tensor<1x2x1x1xf32> -> tensor<1x2x4x4xf16>
// F16: tpu.cast {{.*}} -> tensor<1x2x4x4xf32>
// F16: tpu.pool avg
// F16: tpu.softmax {{.*}} : tensor<1x1x1x2xf32>

// Small products stay in f32, and then nothing here is left for 16 bits.
// WIDE-NOT: f16>
// WIDE: tpu.conv {{.*}}tensor<2x2x1x1xf32>
// WIDE-NOT: f16>

// F32-NOT: f16
// F32-NOT: tpu.cast
module attributes {top.model_name = "m"} {
  func.func @main(%x: tensor<1x2x4x4xf32> {top.name = "x"}) -> (tensor<1x2x1x1xf32> {top.name = "p"}) {
    %w = top.constant dense<[[[[1.0]],[[-0.5]]],[[[0.25]],[[2.0]]]]> : tensor<2x2x1x1xf32>
    %b = top.constant dense<[0.5, -1.0]> : tensor<2xf32>
    %c = top.conv %x, %w, %b {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "c"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>, tensor<2xf32>) -> tensor<1x2x4x4xf32>
    %r = top.unary relu %c {top.value = "r"} : tensor<1x2x4x4xf32>
    %d = top.conv %r, %w {strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, dilations = array<i64: 1, 1>, group = 1 : i64, top.value = "d"} : (tensor<1x2x4x4xf32>, tensor<2x2x1x1xf32>) -> tensor<1x2x4x4xf32>
    %h = top.unary hard_swish %d {top.value = "h"} : tensor<1x2x4x4xf32>
    %g = top.pool avg %h {kernel = array<i64: 4, 4>, strides = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, top.value = "g"} : tensor<1x2x4x4xf32> -> tensor<1x2x1x1xf32>
    %s = top.softmax %g {axis = 1 : i64, top.value = "p"} : tensor<1x2x1x1xf32> -> tensor<1x2x1x1xf32>
    return %s : tensor<1x2x1x1xf32>
  }
}

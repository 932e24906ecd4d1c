// RUN: weft-opt %s | weft-opt | FileCheck %s

// CHECK-LABEL: @decided
// CHECK-SAME: tpu.choices = [#tpu.choice<keep_rows, "net", #loc, 1 of["heads", "rows"] at[900, 100]>]
// CHECK-SAME: tpu.decisions = #tpu.decisions<steps[<"group", 2, #loc, #loc, [1, 1, 4, 1] border <memory, "conv", #loc, 300000, 262144>>,
// CHECK-SAME: <"permute", 0, #loc, #loc, [1, 1, 1, 1]>]
// CHECK-SAME: values[<"v", tensor<1x8x4x4xf16>, 256, 0, #loc, [1], border by <memory, "conv", #loc, 300000, 262144>>,
// CHECK-SAME: <"", tensor<1x8x4x4xsi8>, 128, 1, #loc, [], output>]
// CHECK-SAME: choices[<unfold, "conv", #loc, 0 of["as it is", "rows"] at[12, -1]>]>
func.func @decided(%x: tensor<1x8x4x4xf32>) -> tensor<1x8x4x4xf32> attributes {
    tpu.choices = [#tpu.choice<keep_rows, "net", loc(unknown), 1 of ["heads", "rows"] at [900, 100]>],
    tpu.decisions = #tpu.decisions<
      steps [<"group", 2, loc(unknown), loc(unknown), [1, 1, 4, 1] border <memory, "conv", loc(unknown), 300000, 262144>>,
             <"permute", 0, loc(unknown), loc(unknown), [1, 1, 1, 1]>]
      values [<"v", tensor<1x8x4x4xf16>, 256, 0, loc(unknown), [1], border by <memory, "conv", loc(unknown), 300000, 262144>>,
              <"", tensor<1x8x4x4xsi8>, 128, 1, loc(unknown), [], output>]
      choices [<unfold, "conv", loc(unknown), 0 of ["as it is", "rows"] at [12, -1]>]>} {
  // CHECK: tpu.unary abs {{.*}}tpu.border = #tpu.cause<turn, "permute", #loc, 0, 0>
  %0 = tpu.unary abs %x {tpu.border = #tpu.cause<turn, "permute", loc(unknown), 0, 0>} : tensor<1x8x4x4xf32>
  return %0 : tensor<1x8x4x4xf32>
}

// CHECK-LABEL: @nothing
// CHECK-SAME: #tpu.decisions<steps[] values[] choices[]>
func.func @nothing() attributes {tpu.decisions = #tpu.decisions<steps [] values [] choices []>} {
  return
}

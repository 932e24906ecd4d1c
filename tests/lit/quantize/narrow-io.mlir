// An f16 model in bf16 and a bf16 model in f16: the chip has no cast between the two, so every one goes through f32.
// RUN: weft-opt --convert-top-to-tpu="precision=bf16" --split-input-file %s | FileCheck %s --check-prefix=BF16
// RUN: weft-opt --convert-top-to-tpu="precision=f16" --split-input-file %s | FileCheck %s --check-prefix=F16

// BF16-LABEL: func.func @main(%arg0: tensor<1x4x2x2xf16>
// BF16-NEXT: %[[A:.*]] = tpu.cast %arg0 : tensor<1x4x2x2xf16> -> tensor<1x4x2x2xf32>
// BF16-NEXT: %[[B:.*]] = tpu.cast %[[A]] : tensor<1x4x2x2xf32> -> tensor<1x4x2x2xbf16>
// BF16-NEXT: %[[C:.*]] = tpu.unary relu %[[B]]
// BF16-NEXT: %[[D:.*]] = tpu.cast %[[C]] : tensor<1x4x2x2xbf16> -> tensor<1x4x2x2xf32>
// BF16-NEXT: %[[E:.*]] = tpu.cast %[[D]] : tensor<1x4x2x2xf32> -> tensor<1x4x2x2xf16>
// BF16-NEXT: return %[[E]]
func.func @main(%x: tensor<1x4x2x2xf16> {top.name = "x"}) -> (tensor<1x4x2x2xf16> {top.name = "y"}) {
  %y = top.unary relu %x {top.value = "y"} : tensor<1x4x2x2xf16>
  return %y : tensor<1x4x2x2xf16>
}

// -----

// F16: func.func @main(%arg0: tensor<1x4x2x2xbf16>
// F16-NEXT: %[[A:.*]] = tpu.cast %arg0 : tensor<1x4x2x2xbf16> -> tensor<1x4x2x2xf32>
// F16-NEXT: %[[B:.*]] = tpu.cast %[[A]] : tensor<1x4x2x2xf32> -> tensor<1x4x2x2xf16>
// F16-NEXT: %[[C:.*]] = tpu.unary relu %[[B]]
// F16-NEXT: %[[D:.*]] = tpu.cast %[[C]] : tensor<1x4x2x2xf16> -> tensor<1x4x2x2xf32>
// F16-NEXT: %[[E:.*]] = tpu.cast %[[D]] : tensor<1x4x2x2xf32> -> tensor<1x4x2x2xbf16>
// F16-NEXT: return %[[E]]
func.func @main(%x: tensor<1x4x2x2xbf16> {top.name = "x"}) -> (tensor<1x4x2x2xbf16> {top.name = "y"}) {
  %y = top.unary relu %x {top.value = "y"} : tensor<1x4x2x2xbf16>
  return %y : tensor<1x4x2x2xbf16>
}

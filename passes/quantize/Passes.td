//===- Passes.td - passes that bind the graph to numbers and a chip -*- tablegen -*-===//

include "mlir/Pass/PassBase.td"

def ConvertTopToTpu : Pass<"convert-top-to-tpu", "::mlir::ModuleOp"> {
  let summary = "choose element types, scales and rounding: top to tpu";
  let description = [{
    In: `@main` in the top dialect, constants folded. Out: the same graph in the tpu dialect, all tensors 4-D, `tpu.io` on
    arguments and results, `tpu.chip` and `tpu.precision` on the module. Inputs and outputs keep their ONNX element types.

    * f32: as it is. f16, bf16: products with constant weights in 16 bits, but small ones (up to `wide-weights` weights and
      `wide-products` multiplications), small depthwise ones (as many as take `wide-total` together) and all depthwise ones of bf16 in f32; what reads an f32 value in f32, the rest in 16 bits; means, series
      functions and softmax in f32.
    * int8: products with constant weights in 8 bits, filters per output channel, depthwise ones (without `no-float`) as in f16, all or none of them in f32; what lies
      between them in f16. Needs `calibration`. An input whose negative and positive ends differ has a zero point (`asymmetric=off`: none
      has). See docs/rationale/0002-quantization.md.

    * w8f16, w4f16: as f16; products with a constant matrix have its numbers in DRAM as codes of 8 or 4 bits with an f16 scale for each
      `group-size` of them, where that takes less time (tpu.coded_linear). So have those at f16 whose weights the graph made of such integers.

    What f16 cannot hold is computed in f32 at these precisions: sums of squares, masks, epsilons, positions (passes/quantize/WideSteps.h).

    Before, and after with precision=int8 (x ranges over [-1, 1], y is read by a softmax):
    ```mlir
    %y = top.conv %x, %w, %b {strides = ..} : (tensor<1x3x8x8xf32>, ..) -> tensor<1x4x8x8xf32>

    %q = tpu.cast %x : tensor<1x3x8x8xf32> -> tensor<1x3x8x8x!quant.uniform<i8:f32, 0.0078740157186985015>>
    %w = tpu.weight dense<..> : tensor<4x3x1x1xi8>
    %y = tpu.conv %q, %w, %b strides [1, 1] .. {scales = array<f32: ..>} : .. -> tensor<1x4x8x8xf32>
    ```

    `quantized-io`: inputs and outputs in the types computed with: f16 or bf16 at those precisions; with int8, 8 bits and
    their scale for an input that only 8-bit products read and for a product's result, f16 for others. `tpu.io` keeps ONNX's type.

    Each op is asked once, before anything of it is in the graph: has its family a plan for it, and does the machine take the steps of
    the plan? An op that is refused (dialects/Refusal.h) becomes a `tpu.host` with the reason if there is a host kernel for it, and an
    error otherwise and with `no-host`. A value that the calibration table lacks is named.
  }];
  let dependentDialects = ["::weft::tpu::TpuDialect", "::mlir::quant::QuantizationDialect"];
  let options = [
    Option<"precision", "precision", "std::string", "\"f32\"", "f32, f16, bf16, int8, w8f16 or w4f16">,
    Option<"chip", "chip", "std::string", "::weft::chips::defaultTarget()", "the chip to compile for">,
    Option<"calibration", "calibration", "std::string", "\"\"", "calibration table; int8 needs one">,
    Option<"asymmetric", "asymmetric", "std::string", "\"auto\"",
           "auto: int8 values have a zero point where that makes their steps finer; off: never">,
    Option<"groupSize", "group-size", "int64_t", "64", "w8f16, w4f16: weights of a scale; 0: those of a channel">,
    Option<"precisionTable", "precision-table", "std::string", "\"\"", "precisions of single ops (passes/quantize/PrecisionTable.h)">,
    Option<"noFloat", "no-float", "bool", "false", "int8: every product with constant weights in 8 bits, depthwise ones too">,
    Option<"quantizedIo", "quantized-io", "bool", "false", "inputs and outputs in the types computed with">,
    Option<"machine", "machine", "std::string", "\"\"", "the vector machine that runs the steps; empty: the chip does">,
    Option<"noHost", "no-host", "bool", "false", "what the chip does not compute is an error, not a host op">,
    Option<"wideWeights", "wide-weights", "int64_t", "4096",
           "f16, bf16: a product with up to so many weights, and ..">,
    Option<"wideProducts", "wide-products", "int64_t", "2097152",
           ".. so many multiplications (2 us of the machine's cube; of few channels those of a quarter of the lanes) stays in f32 ..">,
    Option<"wideTotal", "wide-total", "int64_t", "8388608",
           ".. if all of its size and smaller ones have at most so many together, or a sixteenth of the network's; f16, int8: depthwise ones apart, without that sixteenth">,
  ];
}

//===- FusePreprocess.h - normalization as part of a graph ------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_FUSEPREPROCESS_H
#define WEFT_TOOLS_DRIVER_FUSEPREPROCESS_H

#include "passes/quantize/Calibration.h"
#include "tools/preprocess/Preprocess.h"
#include "tools/samples/Sample.h"

#include "mlir/IR/BuiltinOps.h"

namespace weft::driver {

/// Puts the steps that need no neighbours in front of the float graph of an
/// imported model of one input n,c,h,w or n,h,w,c: the input becomes u8 codes
/// of the same sizes in options.layout (without it, the model's), and ops of
/// top turn its channels around (options.color bgr), change the layout, cast,
/// subtract the mean and scale. What they give has the input's name, so that a
/// calibration table of the model as it was fits. What is left to do before
/// such a graph is preprocess::unfused(). Reports what does not fit. `options`
/// have passed preprocess::check().
mlir::LogicalResult fusePreprocessing(mlir::ModuleOp module,
                                      const preprocess::Options &options);

/// The numbers of such steps as text, "mean=127.5 scale=0.0078125 color=bgr":
/// equal if the steps are, however they were asked for. The layout, which the
/// input's shape shows, is not in it.
std::string fusedSettings(const preprocess::Options &options);

/// Why `options` are likely not those that the model was trained with, one line
/// with both ranges of `input` and the setting that is probably missing; or "".
/// Either the ranges that fused steps give and that `table` (or null) has seen
/// do not go together, or with `isHalf` f16 does not hold what they give.
std::string oddFusedRange(const preprocess::Options &options,
                          llvm::StringRef input,
                          const quantize::CalibrationTable *table, bool isHalf);

/// What a graph without the fused steps takes, from samples for one with them.
class UnfusedInput {
public:
  /// Of the input of `module`, which fusePreprocessing() accepts with
  /// `options` but has not been called for.
  UnfusedInput(mlir::ModuleOp module, const preprocess::Options &options);

  /// The input of the graph with the steps.
  const samples::Input &codes() const { return theCodes; }
  /// The float input of such codes, to the last bit as preprocessing makes it:
  /// what the steps make in f32 differs there, and rows and weights that are
  /// chosen with it would be others than those of the model as it is.
  numeric::HostTensor from(const numeric::HostTensor &codes) const;

private:
  preprocess::Options options;
  samples::Input theCodes;
  preprocess::Layout given, wanted;
  numeric::ElementType type;
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_FUSEPREPROCESS_H

//===- Calibrate.h - measuring the value ranges of a graph ------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_CALIBRATE_H
#define WEFT_PASSES_QUANTIZE_CALIBRATE_H

#include "dialects/Evaluate.h"
#include "passes/quantize/RangeCollector.h"
#include "passes/quantize/RowSampler.h"
#include "passes/quantize/SampleLint.h"
#include "passes/quantize/WeightRecovery.h"

#include "mlir/IR/BuiltinOps.h"

namespace weft::quantize {

/// Measures the ranges of the float values of a `top` module, sample by sample,
/// in memory that does not grow with them. Calibrate the graph that will be
/// converted (after the top passes), so that the values it reads are in the
/// table.
class Calibrator {
public:
  /// `module` outlives the calibrator and has `@main` in the top dialect. So
  /// does `accelerator`, which may be null.
  explicit Calibrator(mlir::ModuleOp module,
                      OpAccelerator *accelerator = nullptr)
      : module(module), accelerator(accelerator) {}

  /// Keeps what products read in the samples, which finish() needs to choose
  /// ranges and weights by their errors. Before the first sample.
  void keepRows();

  /// Evaluates `@main` on one sample, tensors by input name. Fails if an input
  /// is missing, extra or misshapen, or, with a report at `origin`, if a value
  /// is NaN or holds nothing but infinities.
  mlir::LogicalResult addSample(const NamedTensors &sample,
                                mlir::Location origin);

  /// The table of the samples so far. Without rows method auto is percentile,
  /// and no weights are chosen.
  CalibrationTable finish(const CalibrationOptions &options = {},
                          const MultiplyMatrices &multiply = multiplyMatrices,
                          unsigned threads = 1);

  /// What is odd about the samples and about `table`, made of them; a line
  /// each.
  std::vector<std::string> warnings(const CalibrationTable &table) const;

private:
  llvm::Error count(llvm::StringRef name, const numeric::HostTensor &tensor);

  mlir::ModuleOp module;
  OpAccelerator *accelerator;
  ValueTensors constants;            ///< of @main, from the first sample on
  std::optional<RowSampler> sampler; ///< around the accelerator
  RangeCollector ranges;
  SampleLint lint;
};

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_CALIBRATE_H

//===- PrecisionChoice.h - --precision auto ---------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_PRECISIONCHOICE_H
#define WEFT_TOOLS_DRIVER_PRECISIONCHOICE_H

#include "passes/quantize/PrecisionTable.h"
#include "tools/driver/Compile.h"
#include "tools/driver/PrecisionSearch.h"

#include <nlohmann/json.hpp>

namespace weft::driver {

/// What `--precision auto` is asked for.
struct AutoPrecision {
  AccuracyGoal goal;
  /// As in PrecisionSearch.
  std::function<void(size_t done, size_t all)> progress;
};

struct PrecisionChoice {
  std::vector<ProductChoice> products;
  PrecisionSearch::Found found;

  /// The floats of a measured program.
  quantize::PrecisionTable table(const MixedProgram &program) const;
  /// The same as YAML, which says at its top what was measured.
  std::string yaml(const MixedProgram &program) const;
  /// Share of the multiplications that are floats, depthwise ones apart.
  double floatShare(const MixedProgram &program) const;
  /// The measured programs, a row each.
  nlohmann::ordered_json json() const;
};

/// Chooses which products of the float graph `module`, which was imported from
/// `source`, are floats in an int8 program that is compiled with `options` (and
/// their calibration), by programs measured on `samples`.
rt::Result<PrecisionChoice> choosePrecisions(const CompilationSource &source,
                                             mlir::ModuleOp module,
                                             const CompileOptions &options,
                                             const ReferenceSamples &samples,
                                             const AutoPrecision &wanted);

/// Of each output, for --json.
nlohmann::ordered_json accuracyJson(const Accuracy &accuracy);

/// "41.2 dB", or "exact".
std::string decibels(double value);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_PRECISIONCHOICE_H

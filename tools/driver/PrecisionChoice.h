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
  std::optional<double> mostFloats;
  std::function<void(size_t done, size_t all)> progress;
  /// For a goal by score: how good a bmodel is. Called by one thread at a time.
  std::function<rt::Result<double>(const std::vector<uint8_t> &bmodel)> score;
  /// What the score is computed by, for the log.
  std::string scoreName;
  /// Path of a SearchLog; empty: none is kept.
  std::string log;
};

struct PrecisionChoice {
  AccuracyGoal goal;
  std::vector<ProductChoice> products;
  PrecisionSearch::Found found;
  /// Of the chosen program on the samples that were held back.
  std::optional<Accuracy> heldBack;
  size_t samples = 0, heldBackSamples = 0;

  /// The chosen program; null if there is none.
  const MixedProgram *chosen() const {
    return found.chosen ? &found.pareto[*found.chosen] : nullptr;
  }
  /// What makes a measured program.
  quantize::PrecisionTable table(const MixedProgram &program) const;
  /// The same as YAML, which says at its top what was measured.
  std::string yaml(const MixedProgram &program) const;
  /// The measured programs, a row each, and the chosen one on the samples that
  /// were held back.
  nlohmann::ordered_json json() const;
};

/// Chooses which products of the float graph `module`, which was imported from
/// `source`, are floats in an int8 program that is compiled with `options` (and
/// their calibration), by programs measured on `samples`; the chosen one is
/// also measured on `heldBack`, if there are any.
rt::Result<PrecisionChoice>
choosePrecisions(const CompilationSource &source, mlir::ModuleOp module,
                 const CompileOptions &options, const ReferenceSamples &samples,
                 const ReferenceSamples &heldBack, const AutoPrecision &wanted);

/// Why `choice` has no chosen program, or its program misses the goal; "" if it
/// is met.
std::string missOf(const PrecisionChoice &choice, const AutoPrecision &wanted);

/// Digits behind the point, at least `least`, with which each of `values` shows
/// on which side of the goal it is; `least` if there is none.
int digitsToTell(const std::vector<double> &values, std::optional<double> goal,
                 int least);

/// "cosine 0.99912, 33.1 dB", with digits that tell whether `goal` is met.
std::string accuracyText(const Accuracy &accuracy, const AccuracyGoal &goal);

/// Of each output and its parts, for --json.
nlohmann::ordered_json accuracyJson(const Accuracy &accuracy);

/// "41.2 dB", "exact", or "no number" of what has nothing in common.
std::string decibels(double value, int digits = 1);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_PRECISIONCHOICE_H

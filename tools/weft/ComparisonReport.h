//===- ComparisonReport.h - comparisons as text and JSON --------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_COMPARISONREPORT_H
#define WEFT_TOOLS_WEFT_COMPARISONREPORT_H

#include "tools/weft/Bisection.h"
#include "tools/weft/ComparisonRows.h"
#include "tools/weft/ScoreComparison.h"
#include "tools/weft/TaskComparison.h"

#include <nlohmann/json.hpp>

namespace weft::cli {

/// What gave the values of a reference.
struct ReferenceOrigin {
  const char *by = "weft"; ///< or "onnxruntime", "program", "file"
  std::string file;        ///< the model, the program or the arrays
  std::string version;     ///< of what evaluates a model
};

/// A model compared on one sample or several.
struct ComparisonReport {
  ReferenceOrigin reference;
  comparison::Precision precision = comparison::Precision::F32;
  ComparisonLimits limits;
  bool hasLayers = false;   ///< they were asked for
  bool isSampleSet = false; ///< --data, be it of one sample
  std::vector<SampleComparison> samples;
  std::optional<Bisection> bisection; ///< if it was asked for
  /// Of all samples together.
  std::vector<std::string> warnings = {};
  /// Why it fails beside what samples say.
  std::vector<std::string> failures;
  std::optional<ScoreFigures> score; ///< if it was asked for
  std::optional<TaskFigures> task;   ///< likewise
  /// With --certify: bytes of the certificate; 0: it has failed.
  std::optional<size_t> certificateBytes;
  /// Else outputs and layers inform: answers and scores decide.
  bool doLimitsDecide = true;

  bool isPassed() const;
  bool passes(const SampleComparison &sample) const;
  /// Adds a failure if there was nothing to compare in any sample.
  void checkThatElementsAreCompared();
};

/// `figure` for JSON, which has no infinity.
nlohmann::ordered_json finiteOrNull(double figure);

/// One sample in full; of a set each value over all samples, and the samples
/// that failed.
nlohmann::ordered_json toJson(const ComparisonReport &report);
std::string toText(const ComparisonReport &report);
/// "net.onnx", "net.onnx (ONNX Runtime 1.22.0)".
std::string toText(const ReferenceOrigin &reference);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_COMPARISONREPORT_H

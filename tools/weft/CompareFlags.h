//===- CompareFlags.h - options of weft compare -----------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_COMPAREFLAGS_H
#define WEFT_TOOLS_WEFT_COMPAREFLAGS_H

#include "tools/weft/ComparisonRows.h"
#include "tools/weft/ModelRun.h"
#include "tools/weft/ScoreComparison.h"
#include "tools/weft/TaskComparison.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace weft::cli {

/// KEY=VALUE of `option` (--limit), into `limits`; throws CLI::ValidationError.
void parseLimit(const char *option, const std::string &text,
                std::map<comparison::Limit, double> &limits);

struct CompareFlags {
  std::string onnx; ///< or a program
  RunRequest request;
  std::vector<std::string> data;
  int64_t samples = 0;
  std::string reference; ///< a file, or kOnnxRuntime
  std::string calibration;
  onnx::GraphCut cut; ///< of the model; of a whole one the program may tell
  std::vector<std::string> bindings;
  std::vector<std::string> plugins;
  GivenLimits limits;
  ComparedScoreFlags score;
  TaskFlags task;
  bool ignoresLimits = false;
  bool allowsConstantInputs = false;
  bool fusePreprocess = false;
  bool perLayer = false;
  std::string page;    ///< of HTML; then perLayer is set
  bool bisect = false; ///< then `perLayer`, too
  std::string reproducer;
  bool certifies = false; ///< the program, if it passes
  bool json = false;

  /// Of `reference`; a file of that name is `./onnxruntime`.
  static constexpr const char *kOnnxRuntime = "onnxruntime";
  bool usesOnnxRuntime() const { return reference == kOnnxRuntime; }
  /// Whether the values of the reference come from a file.
  bool readsReference() const {
    return !reference.empty() && !usesOnnxRuntime();
  }

  void addTo(CLI::App &command);
  /// Whether the options fit together, and files can be written.
  rt::Status check() const;
  /// Of --input or --data: the files of each sample.
  rt::Result<std::vector<samples::SampleFiles>> sampleFiles() const;
};

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_COMPAREFLAGS_H

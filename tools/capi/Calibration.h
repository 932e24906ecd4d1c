//===- Calibration.h - a calibration of the C interface ---------*- C++ -*-===//

#ifndef WEFT_TOOLS_CAPI_CALIBRATION_H
#define WEFT_TOOLS_CAPI_CALIBRATION_H

#include "passes/quantize/Calibrate.h"
#include "tools/capi/ModelPart.h"
#include "tools/capi/Status.h"
#include "tools/driver/Compile.h"
#include "tools/driver/ReferenceSamples.h"
#include "tools/onednn/OneDnn.h"

#include "llvm/Support/raw_ostream.h"

#include <optional>

/// A float graph and what was seen of its values so far.
struct weft_calibration {
  /// An argument of the graph.
  struct Input {
    std::string name;
    weft::numeric::ElementType type;
    std::vector<int64_t> shape;
  };

  std::string printed;
  llvm::raw_string_ostream stream{printed};
  std::string model;
  weft::driver::InputShapes shapes;
  weft::capi::ModelPart part;
  weft::driver::Plugins plugins; // outlives the compilation
  std::optional<weft::driver::Compilation> compilation;
  weft::tools::OneDnn accelerator;
  std::optional<weft::quantize::Calibrator> calibrator;
  weft::quantize::CalibrationOptions options;
  std::vector<Input> inputs;
  int64_t samples = 0;
  std::optional<weft::quantize::CalibrationTable> finished;
  std::string table, warnings, precisions, report, measured;

  /// To measure programs on: every keepEvery-th sample.
  size_t searchSamples = 0;
  int64_t keepEvery = 1;
  bool onlyKeeps = false; ///< no ranges are collected
  std::vector<weft::NamedTensors> kept;
  /// The samples that are measured on, until the next one is added.
  std::optional<weft::driver::ReferenceSamples> references;

  void keep(weft::NamedTensors sample);
  /// Fails if no sample is kept.
  weft::rt::Status checkKept() const;
  /// Fails if there are no ranges.
  weft::rt::Status checkRanges() const;
  /// The kept ones; they live until the next sample.
  weft::driver::SampleSource keptSamples() const {
    return {kept.size(), [this](size_t sample) { return kept[sample]; }};
  }
  /// The table of the samples so far.
  weft::quantize::CalibrationTable tableSoFar();

  /// What was printed since the last report.
  weft_compiler_status *why() {
    weft_compiler_status *status =
        weft::capi::fromPrinted(stream.str(), compilation->failureCause(), 0);
    printed.clear();
    return status;
  }
};

#endif // WEFT_TOOLS_CAPI_CALIBRATION_H

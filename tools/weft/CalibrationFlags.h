//===- CalibrationFlags.h - how to calibrate --------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_CALIBRATIONFLAGS_H
#define WEFT_TOOLS_WEFT_CALIBRATIONFLAGS_H

#include "runtime/status/Status.h"
#include "tools/driver/Calibrate.h"
#include "tools/weft/PreprocessFlags.h"

#include <CLI/CLI.hpp>
#include <string>

namespace weft::cli {

/// Of the option that names the samples.
inline constexpr const char *kSamplesHelp =
    "Folder of samples: .npz files keyed by input name, or for a model of one "
    "input also .npy, .png and .jpg files; or such a folder for each input";

struct CalibrationFlags {
  std::string method;
  std::string recover = "weights";
  double percentile = quantize::CalibrationOptions().percentile;
  CLI::Option *methodOption = nullptr, *percentileOption = nullptr,
              *recoverOption = nullptr;
  int64_t samples = 0; ///< 0: all
  CLI::Option *samplesOption = nullptr;
  PreprocessFlags preprocess;

  /// The first of --method, --percentile and --samples that was given; "" for
  /// none.
  std::string given() const;
  /// The first of those that only matter for a table that is yet to be made; ""
  /// for none.
  std::string givenForTable() const;
};

/// Adds --method, --percentile, --samples and the flags of preprocessing to
/// `command`.
void addCalibrationFlags(CLI::App &command, CalibrationFlags &flags);

/// Puts them into `run`, with a progress line on a terminal's stderr.
rt::Status applyCalibrationFlags(const CalibrationFlags &flags,
                                 driver::CalibrationRun &run);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_CALIBRATIONFLAGS_H

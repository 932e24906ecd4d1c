//===- CalibrationFlags.h - how to calibrate --------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_CALIBRATIONFLAGS_H
#define WEFT_TOOLS_WEFT_CALIBRATIONFLAGS_H

#include "runtime/status/Status.h"
#include "tools/driver/Calibrate.h"

#include <CLI/CLI.hpp>
#include <string>

namespace weft::cli {

struct CalibrationFlags {
  std::string method;
  int64_t samples = 0; ///< 0: all
  CLI::Option *samplesOption = nullptr;
};

/// Adds --method and --samples to `command`.
void addCalibrationFlags(CLI::App &command, CalibrationFlags &flags);

/// Puts them into `run`, with a progress line on a terminal's stderr.
rt::Status applyCalibrationFlags(const CalibrationFlags &flags,
                                 driver::CalibrationRun &run);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_CALIBRATIONFLAGS_H

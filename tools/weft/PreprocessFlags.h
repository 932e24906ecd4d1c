//===- PreprocessFlags.h - how images become tensors ------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_PREPROCESSFLAGS_H
#define WEFT_TOOLS_WEFT_PREPROCESSFLAGS_H

#include "tools/preprocess/Preprocess.h"

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace weft::cli {

struct PreprocessFlags {
  std::string file; ///< of --preprocess; may be empty
  /// What was given of the settings (tools/preprocess/Settings.h), by name.
  std::map<std::string, std::string> values;

  bool isGiven() const { return !file.empty() || !values.empty(); }
};

/// Adds --preprocess and a flag for each setting; `flags` must outlive parsing.
void addPreprocessFlags(CLI::App &command, PreprocessFlags &flags);

/// The settings of the file, those of flags in their place; std::nullopt if
/// there are neither.
rt::Result<std::optional<preprocess::Options>>
readPreprocessFlags(const PreprocessFlags &flags);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_PREPROCESSFLAGS_H

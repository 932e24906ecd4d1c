//===- Bindings.h - inputs that become constants ----------------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_BINDINGS_H
#define WEFT_TOOLS_WEFT_BINDINGS_H

#include "runtime/status/Status.h"
#include "tools/weft/Reference.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace weft::cli {

/// Adds --plugin to `command`.
void addPluginFlag(CLI::App &command, std::vector<std::string> &plugins);

/// Adds --inputs and --outputs to `command`.
void addCutFlags(CLI::App &command, onnx::GraphCut &cut);

/// Adds --bind to `command`.
void addBindFlag(CLI::App &command, std::vector<std::string> &texts);

/// The arrays that --bind names, by input: of each `NAME=FILE.npz` the array
/// NAME of the file, or its only one. Code::InvalidArgument quotes a value of
/// another form. A file of 4 MB may unpack to 4 GB, so large arrays are read
/// only if their shapes are those of inputs of `model`, an ONNX file, of which
/// `cut` is converted.
rt::Result<NamedTensors> readBindings(const std::vector<std::string> &texts,
                                      const std::string &model,
                                      const onnx::GraphCut &cut);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_BINDINGS_H

//===- ModelFlags.h - options of commands that read ONNX --------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_MODELFLAGS_H
#define WEFT_TOOLS_WEFT_MODELFLAGS_H

#include "runtime/status/Status.h"
#include "tools/driver/Compile.h"
#include "tools/files/InputFile.h"
#include "tools/weft/Program.h"

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

/// The model and what makes its shapes static.
struct ModelFlags {
  std::string model;
  std::vector<std::string> shapes;
  std::string batch; ///< of --batch; or ""
  onnx::GraphCut cut;
  std::vector<std::string> bindings;
  std::vector<std::string> plugins;
};

/// The files that the flags name: model, --bind, --plugin.
std::vector<tools::NamedInput> filesOf(const ModelFlags &flags);

/// Adds MODEL.onnx, --shape, --batch, --inputs, --outputs, --bind and --plugin
/// to `command`.
void addModelFlags(CLI::App &command, ModelFlags &flags);

/// The exit code for a step of `compilation` that failed. What is wrong with
/// the model has been printed; a fault of Weft is now.
ExitCode reportFailure(const driver::Compilation &compilation);

/// Reads --shape, --bind and --plugin and imports the model into `compilation`,
/// which `plugins` must outlive. The exit code if that failed, after the
/// report.
std::optional<ExitCode> importModel(const ModelFlags &flags,
                                    driver::Plugins &plugins,
                                    driver::Compilation &compilation);

/// The values of --shape and --batch for a command that wants one size of every
/// axis.
/// Code::InvalidArgument quotes a value that is not NAME=AxBx.. with positive
/// sizes, or says how many shapes they ask for.
rt::Result<driver::InputShapes> parseShapes(const ModelFlags &flags);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_MODELFLAGS_H

//===- AutoPrecision.h - --precision auto and expected accuracy -*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_AUTOPRECISION_H
#define WEFT_TOOLS_WEFT_AUTOPRECISION_H

#include "tools/driver/Compile.h"
#include "tools/driver/PrecisionSearch.h"
#include "tools/files/TemporaryFile.h"
#include "tools/weft/ModelFlags.h"
#include "tools/weft/Program.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <optional>

namespace weft::cli {

/// Options of --precision auto.
struct AutoPrecisionFlags {
  double cosine = 0.998, sqnr = 0;
  int64_t samples = 8;
  std::string writtenTable;
  CLI::Option *cosineOption = nullptr, *sqnrOption = nullptr,
              *samplesOption = nullptr;

  bool isGiven() const;
};

void addAutoPrecisionFlags(CLI::App &command, AutoPrecisionFlags &flags);

/// What a compilation starts from.
struct CompilationSource {
  const std::string &model;
  const driver::InputShapes &shapes;
  const driver::InputBindings &bindings;
  const driver::Plugins &plugins;
  /// What becomes part of the graph (FusePreprocess.h); null: nothing.
  const preprocess::Options *fused = nullptr;
};

/// Chooses which products of the float graph `module` are floats, with
/// `options.calibration` set; `options` becomes an int8 program with a
/// precision table, which lives as long as `table`. `text` and `json` get the
/// measured programs. Every problem has been printed when it fails.
ExitCode choosePrecisions(const CompilationSource &source,
                          mlir::ModuleOp module,
                          const driver::CalibrationRun &run,
                          const AutoPrecisionFlags &flags,
                          driver::CompileOptions &options,
                          std::optional<tools::TemporaryFile> &table,
                          std::string &text, nlohmann::ordered_json &json);

/// How close the program in `bytes` is to the float model on `samples`, as text
/// and JSON; warns on stderr of outputs that are far from it.
rt::Status describeAccuracy(const std::vector<uint8_t> &bytes,
                            const driver::ReferenceSamples &samples,
                            std::string &text, nlohmann::ordered_json &json);

/// A file of the program's own with `text`; empty if there is no room for it.
rt::Result<std::string> writeTemporary(const std::string &text,
                                       std::optional<tools::TemporaryFile> &);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_AUTOPRECISION_H

//===- ModelRun.h - runs of a model on arrays of files ----------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_MODELRUN_H
#define WEFT_TOOLS_WEFT_MODELRUN_H

#include "runtime/device/LayerCapture.h"
#include "runtime/device/Session.h"
#include "tools/comparison/Limits.h"
#include "tools/samples/SampleFiles.h"
#include "tools/weft/PreprocessFlags.h"
#include "tools/weft/RepeatedRuns.h"

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

/// What to run. The stage is the smallest that runs the shapes of the input
/// arrays.
struct RunRequest {
  std::string model;          ///< path of a bmodel or a .zyp file
  std::string decryptLibrary; ///< that the bmodel is encrypted with, or empty
  std::vector<std::string> inputs; ///< FILE or NAME=FILE, as in SampleFiles.h
  PreprocessFlags preprocess;
  /// The flags are those of convert --fuse-preprocess: only what the program
  /// has not in it is done to images, and nothing to arrays.
  bool isFused = false;
  std::string net; ///< may be empty if the file has one net
  rt::DeviceOptions device;
  bool layers = false;                      ///< also the values inside
  const char *layersOption = "--per-layer"; ///< that asks for them
  bool findsPrecision = false;              ///< else ModelRun has F32
  bool keepsInputs = true; ///< else ModelRun has none, and memory none of them
  /// Refuse a bmodel whose certificate is not of it and of the stage.
  bool needsCertificate = false;
};

struct ModelRun {
  std::string net;
  size_t stage = 0;
  /// Entries of the batch that were run; 0: all of the stage.
  int64_t entries = 0;
  std::vector<rt::TensorSpec> inputSpecs, outputSpecs;
  std::vector<numeric::HostTensor> inputs, outputs; ///< in the specs' order
  /// In the order of computation; only if asked for.
  std::vector<rt::CapturedValue> layers;
  comparison::Precision precision = comparison::Precision::F32;
  const char *device = "emulator"; ///< as in JSON
  double seconds = 0;              ///< of the run alone, without loading
  bool usesHost = false;           ///< something is computed by the host
};

/// The inputs by name.
std::map<std::string, numeric::HostTensor> namedInputs(const ModelRun &run);

/// Adds --input, which is required; `help` is what it says.
CLI::Option *addInputFlag(CLI::App &command, RunRequest &request,
                          const std::string &help);

/// Adds --net, the options that choose a device and those of preprocessing;
/// `request` must outlive parsing.
void addRunFlags(CLI::App &command, RunRequest &request);

/// A loaded model that runs one sample after the other.
class ModelRunner {
public:
  /// Reads everything of `request` but its inputs.
  static rt::Result<std::unique_ptr<ModelRunner>>
  open(const RunRequest &request);
  /// The same of a bmodel in memory, whatever `request.model` is.
  static rt::Result<std::unique_ptr<ModelRunner>>
  open(const RunRequest &request, const rt::Bmodel &model);
  virtual ~ModelRunner() = default;

  /// How many samples like this one the batch of the model takes, stacked
  /// (samples::stacked), if it does not run it alone; else 1.
  virtual size_t entriesOfBatch(const samples::SampleFiles &files) = 0;

  /// Runs once and gives what went in and came out.
  virtual rt::Result<ModelRun> run(const samples::SampleFiles &files) = 0;

  /// Runs the inputs of `first`, which this runner gave last and which has kept
  /// them, `runs` times more in each of `sessions` sessions at once.
  virtual rt::Result<RunTimes> repeat(const ModelRun &first, size_t runs,
                                      size_t sessions) = 0;

  /// Seconds that the chip takes for stage `stage`, by the cycle model; nothing
  /// if that cannot tell.
  virtual std::optional<double> predictSeconds(size_t stage) const = 0;
};

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_MODELRUN_H

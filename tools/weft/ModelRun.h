//===- ModelRun.h - one run of a bmodel on arrays of a file -----*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_MODELRUN_H
#define WEFT_TOOLS_WEFT_MODELRUN_H

#include "runtime/device/Session.h"

#include <functional>
#include <string>
#include <vector>

namespace weft::cli {

/// What to run. The stage is the smallest that runs the shapes of the input
/// arrays.
struct RunRequest {
  std::string model; ///< path of a bmodel
  std::string input; ///< path of a .npz file
  std::string net;   ///< may be empty if the file has one net
  rt::DeviceOptions device;
};

struct ModelRun {
  std::string net;
  size_t stage = 0;
  /// Entries of the batch that were run; 0: all of the stage.
  int64_t entries = 0;
  std::vector<rt::TensorSpec> inputSpecs, outputSpecs;
  std::vector<numeric::HostTensor> inputs, outputs; ///< in the specs' order
  double seconds = 0; ///< of the run alone, without loading
};

/// Called with the open session.
using SessionHook = std::function<rt::Status(rt::Session &)>;

/// Loads, runs once and gives what went in and came out. `before` and `after`
/// the run may look at the device; their errors end it. Once `before` has
/// succeeded, `after` is called whether the run succeeds or not.
rt::Result<ModelRun> runModel(const RunRequest &request,
                              const SessionHook &before = nullptr,
                              const SessionHook &after = nullptr);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_MODELRUN_H

//===- InputArrays.h - arrays of files for a net's inputs -------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_INPUTARRAYS_H
#define WEFT_TOOLS_WEFT_INPUTARRAYS_H

#include "runtime/device/Session.h"
#include "runtime/device/StageChoice.h"
#include "tools/samples/Sample.h"

namespace weft::cli {

/// The net called `name`, or the only one when `name` is empty. Code::NotFound
/// names those that exist.
rt::Result<const rt::NetSpec *> chooseNet(const rt::Bmodel &model,
                                          const std::string &name);

/// What --input and the flags of preprocessing say.
struct SampleRequest {
  samples::SampleFiles files;
  /// std::nullopt: not asked for.
  std::optional<preprocess::Options> preprocessing;
};

/// Opens the files with images made for the inputs of `net`.
rt::Result<samples::Sample> openSample(const SampleRequest &request,
                                       const rt::NetSpec &net);

/// The smallest stage that runs the shapes of the arrays in `sample`; their
/// types must be acceptable too. Missing, extra, misshapen and wrongly typed
/// arrays are errors that name both sides.
rt::Result<rt::StageChoice> chooseStage(const samples::Sample &sample,
                                        const rt::NetSpec &net);

/// How many samples like this one a batch of `net` takes, stacked, if none of
/// its stages runs it alone; else 1.
size_t entriesOfBatch(const samples::Sample &sample, const rt::NetSpec &net);

/// The arrays of `stage` in its order, in types that Session::run takes for its
/// inputs; a value that an input's type does not have is Code::OutOfRange with
/// its place. `sample` has passed chooseStage().
rt::Result<std::vector<numeric::HostTensor>>
readInputs(const samples::Sample &sample, const rt::StageSpec &stage);

/// What Session::run takes; points into `tensors`.
std::vector<rt::InputElements>
inputElements(const std::vector<numeric::HostTensor> &tensors);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_INPUTARRAYS_H

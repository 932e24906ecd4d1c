//===- Accuracy.h - how close a program is to its float model ---*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_ACCURACY_H
#define WEFT_TOOLS_DRIVER_ACCURACY_H

#include "dialects/Evaluate.h"
#include "runtime/bmodel/Bmodel.h"
#include "runtime/status/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace weft::driver {

/// Inputs of a model, and the outputs that its float graph gives for them.
struct ReferenceSamples {
  std::vector<NamedTensors> inputs, outputs;
};

/// The places of at most `most` of `count` samples, spread evenly.
std::vector<size_t> spread(size_t count, size_t most);
/// The places of as many others, spread evenly over them; none if there are
/// fewer.
std::vector<size_t> spreadBeside(size_t count,
                                 const std::vector<size_t> &taken);

/// How close one output is to the float model's, over all samples.
struct OutputAccuracy {
  std::string name;
  /// Of the numbers of a sample, mean and smallest; of an output of integers or
  /// bools the share of equal elements.
  double cosine = 1, worstCosine = 1;
  /// Power of the error by that of the output, of all samples together; 0 if
  /// nothing differs.
  double errorRatio = 0;

  /// The same in dB; infinite if nothing differs.
  double sqnr() const;
};

/// Of all outputs together.
struct Accuracy {
  std::vector<OutputAccuracy> outputs;

  /// Of the worst output.
  double cosine() const;
  double sqnr() const;
};

/// Runs the only net of `model` on the emulator for every sample.
rt::Result<Accuracy> measureAccuracy(const rt::Bmodel &model,
                                     const ReferenceSamples &samples);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_ACCURACY_H

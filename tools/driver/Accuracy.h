//===- Accuracy.h - how close a program is to its float model ---*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_ACCURACY_H
#define WEFT_TOOLS_DRIVER_ACCURACY_H

#include "dialects/Evaluate.h"
#include "runtime/bmodel/Bmodel.h"
#include "runtime/status/Status.h"
#include "tools/driver/OutputParts.h"

#include "mlir/IR/BuiltinOps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weft::driver {

/// Inputs of a model, and the outputs that its float graph gives for them.
struct ReferenceSamples {
  std::vector<NamedTensors> inputs, outputs;
  std::vector<std::string> names = {}; ///< for messages; "": none
  OutputParts parts;                   ///< of these outputs
};

/// The places of at most `most` of `count` samples, spread evenly.
std::vector<size_t> spread(size_t count, size_t most);
/// The places of as many others, spread evenly over them; none if there are
/// fewer.
std::vector<size_t> spreadBeside(size_t count,
                                 const std::vector<size_t> &taken);

/// Sums of squares of numbers that are wanted and of what others differ by.
struct ErrorPower {
  double power = 0, error = 0;

  void add(const ErrorPower &other) {
    power += other.power;
    error += other.error;
  }
  double ratio() const {
    return error > 0 ? error / std::max(power, 1e-300) : 0;
  }
};

/// Of the logits that probabilities along `axis` stand for, a number a row
/// aside; of those below a millionth no more than that is known. Infinite if
/// `got` has another size, or only one of them a NaN somewhere.
ErrorPower logitError(const numeric::HostTensor &want,
                      const numeric::HostTensor &got, int64_t axis);

/// How close one output, or a part of one, is to the float model's, over all
/// samples.
struct OutputAccuracy {
  std::string name;
  /// Of the numbers of a sample, mean and smallest; of an output of integers or
  /// bools the share of equal elements.
  double cosine = 1, worstCosine = 1;
  /// Power of the error by that of the output, of all samples together; 0 if
  /// nothing differs.
  double errorRatio = 0;
  /// Of an output of a softmax: the same of its logarithms, which are the
  /// logits but for a number a row.
  std::optional<double> logitErrorRatio = std::nullopt;
  /// Of a part: the name of the output.
  std::string partOf = "";
  size_t worstSample = 0; ///< the place of that of worstCosine

  /// errorRatio in dB; infinite if nothing differs.
  double sqnr() const;
  /// What mixes of precisions are compared by. Probabilities hang on the few
  /// rows that are undecided, logits on all.
  double steadyErrorRatio() const {
    return logitErrorRatio.value_or(errorRatio);
  }
};

/// Of all outputs together.
struct Accuracy {
  /// Each output, and behind it its parts.
  std::vector<OutputAccuracy> outputs;

  /// Of the worst output or part.
  double cosine() const;
  double sqnr() const;
};

/// By the name of an output that a softmax gives: its axis.
using SoftmaxAxes = std::map<std::string, int64_t>;
/// Those of the float graph `module`.
SoftmaxAxes softmaxAxesOf(mlir::ModuleOp module);

/// Runs the only net of `model` on the emulator for every sample.
rt::Result<Accuracy> measureAccuracy(const rt::Bmodel &model,
                                     const ReferenceSamples &samples,
                                     const SoftmaxAxes &softmaxes = {});

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_ACCURACY_H

//===- SampleLint.h - samples that are likely mistakes ----------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_SAMPLELINT_H
#define WEFT_PASSES_QUANTIZE_SAMPLELINT_H

#include "dialects/Evaluate.h"

#include <set>

namespace weft::quantize {

/// Looks at the samples of a calibration for what is allowed but makes tables
/// that serve no real input.
class SampleLint {
public:
  /// Looks at one sample.
  void add(const NamedTensors &sample);

  /// A line for each problem: inputs without different values, samples that
  /// repeat others, pixels of 0 to 255 where `function` does no arithmetic on
  /// them before its first product.
  std::vector<std::string> problems(mlir::func::FuncOp function) const;

private:
  struct Input {
    int64_t constantSamples = 0;
    double max = 0;
    bool arePixels = true; ///< whole numbers from 0 to 255, so far
  };

  std::map<std::string, Input> inputs;
  std::set<uint64_t> hashes; ///< of the samples
  int64_t samples = 0;
};

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_SAMPLELINT_H

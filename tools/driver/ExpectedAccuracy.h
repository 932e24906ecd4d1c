//===- ExpectedAccuracy.h - what users are told of a program ----*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_EXPECTEDACCURACY_H
#define WEFT_TOOLS_DRIVER_EXPECTEDACCURACY_H

#include "tools/driver/Accuracy.h"

#include <optional>

namespace weft::driver {

/// A program of which nothing else is asked is measured on so many samples:
/// the emulator takes about as long for them as the calibration did.
inline constexpr size_t kEstimateSamples = 4;

struct ExpectedAccuracy {
  /// std::nullopt: the program does not run the samples.
  std::optional<Accuracy> accuracy;
  size_t samples = 0;
  /// A line for each output that is far from the float model's, or why nothing
  /// is known.
  std::vector<std::string> warnings;
};

/// How close the program in `bmodel` is to the float model on `samples`. Fails
/// if it cannot be loaded.
rt::Result<ExpectedAccuracy> expectAccuracy(const std::vector<uint8_t> &bmodel,
                                            const ReferenceSamples &samples);

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_EXPECTEDACCURACY_H

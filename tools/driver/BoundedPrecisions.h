//===- BoundedPrecisions.h - the best floats within a bound -----*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_BOUNDEDPRECISIONS_H
#define WEFT_TOOLS_DRIVER_BOUNDEDPRECISIONS_H

#include "tools/driver/PrecisionMeasurements.h"

namespace weft::driver {

/// Products that become floats one after the other, by what they gain and how
/// many of the multiplications they have, within PrecisionSearch::mostFloats.
///
/// What a product gains depends on the others: errors cancel, saturate, or end
/// in a softmax. So gains are measured, first of each product alone among
/// codes; later only where they decide, which is right as long as a gain
/// rarely grows when others are floats already.
class BoundedPrecisions {
public:
  BoundedPrecisions(const PrecisionSearch &search,
                    PrecisionMeasurements &measurements);

  /// From `codes`, which is within the bound.
  rt::Status run(const MixedProgram &codes);

private:
  /// What a product gains as a float, when it was measured last.
  struct Gain {
    std::vector<double> errors; ///< by output, as AccuracyGoal::errorsOf
    double share = 0;           ///< of the multiplications
    bool isFresh = false;       ///< measured beside the present floats
  };
  /// Floats that leave and one that comes; none: `count`.
  struct Exchange {
    std::vector<size_t> leaving;
    size_t coming;
    double distance; ///< expected
  };

  rt::Status measureGains(const std::vector<size_t> &which);
  rt::Result<bool> takeOne();
  rt::Status fill();
  rt::Status moveTo(const std::vector<bool> &isFloat);
  rt::Result<bool> exchangeOne();
  rt::Result<std::vector<Gain>> losses(const std::vector<size_t> &leaving);
  std::vector<Exchange> exchanges(const std::vector<size_t> &leaving,
                                  const std::vector<Gain> &losses) const;
  rt::Status returnUnneeded();
  rt::Status findScore();

  std::vector<bool> with(size_t product, bool isFloat) const;
  double distanceWith(size_t product) const;
  double worth(size_t product) const;
  bool fits(double share) const;
  bool isMet() const;

  const PrecisionSearch &search;
  PrecisionMeasurements &measurements;
  size_t count;
  double bound;
  const MixedProgram *now = nullptr;
  std::vector<double> errors; ///< of `now`
  std::vector<Gain> gains;
  std::vector<std::vector<bool>> path; ///< what `now` has been
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_BOUNDEDPRECISIONS_H

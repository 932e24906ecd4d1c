//===- BoundedPrecisions.h - the best floats within a bound -----*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_BOUNDEDPRECISIONS_H
#define WEFT_TOOLS_DRIVER_BOUNDEDPRECISIONS_H

#include "tools/driver/PrecisionMeasurements.h"

namespace weft::driver {

/// Which products are worth floats within PrecisionSearch::mostFloats.
///
/// What a product costs as codes is measured alone among floats, where errors
/// are small, independent and add up; among other codes a changed product moves
/// the errors of all, by more than most gain. So these costs choose the mix, by
/// what floats save for their multiplications and by exchanges; and only in the
/// end, measured, products are added and change places.
class BoundedPrecisions {
public:
  BoundedPrecisions(const PrecisionSearch &search,
                    PrecisionMeasurements &measurements);

  /// From `codes`, which is within the bound, and the program of floats.
  rt::Status run(const MixedProgram &codes, const MixedProgram &floats);

private:
  /// What a product gains as a float: at first, alone among floats.
  struct Gain {
    std::vector<double> errors; ///< by output, as AccuracyGoal::errorsOf
    double share = 0;           ///< of the multiplications
    bool isFresh = false;       ///< measured beside the present floats
  };
  /// More and more floats, as they are expected to serve; the first are codes.
  using Path = std::vector<std::vector<bool>>;
  /// Floats that leave and one that comes; none: `count`.
  struct Exchange {
    std::vector<size_t> leaving;
    size_t coming;
    double distance; ///< expected
  };

  rt::Status measureAlone(const MixedProgram &floats);
  Path pathUpTo(double end, const MixedProgram &codes) const;
  rt::Status begin(const MixedProgram &codes);
  rt::Status measureGains(const std::vector<size_t> &which);
  rt::Result<bool> takeOne();
  rt::Status fill();
  rt::Status moveTo(const std::vector<bool> &isFloat);
  rt::Result<bool> exchangeOne();
  rt::Result<std::vector<Gain>> losses(const std::vector<size_t> &leaving);
  std::vector<Exchange> exchanges(const std::vector<size_t> &leaving,
                                  const std::vector<Gain> &losses) const;
  rt::Status returnUnneeded();
  rt::Status takeFewest();

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
  Path path; ///< the one that the search began with
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_BOUNDEDPRECISIONS_H

//===- PrecisionMeasurements.h - programs of a search -----------*- C++ -*-===//

#ifndef WEFT_TOOLS_DRIVER_PRECISIONMEASUREMENTS_H
#define WEFT_TOOLS_DRIVER_PRECISIONMEASUREMENTS_H

#include "tools/driver/PrecisionSearch.h"

#include <map>
#include <mutex>

namespace weft::driver {

/// The programs that a search has measured, each once.
class PrecisionMeasurements {
public:
  explicit PrecisionMeasurements(const PrecisionSearch &search)
      : search(search) {}

  /// So many more are to come, about.
  void expect(size_t more) { expected = done + more; }

  /// The program with these floats. If the goal is a score, then with it, by
  /// `isScored`. References stay good.
  rt::Result<const MixedProgram *> of(const std::vector<bool> &isFloat,
                                      bool isScored);
  /// The same of a whole program.
  rt::Result<const MixedProgram *> whole(ProgramKind kind, bool isScored);
  /// Measures these, on several threads, without scores; of() then has them.
  rt::Status all(const std::vector<std::vector<bool>> &wanted);

  /// Every one so far, mixes first, in an order that does not depend on
  /// threads.
  std::vector<const MixedProgram *> everyProgram() const;

private:
  void report();

  const PrecisionSearch &search;
  std::mutex mutex; ///< while all() runs
  std::map<std::vector<bool>, MixedProgram> programs;
  std::map<ProgramKind, MixedProgram> wholes;
  size_t done = 0, expected = 0;
};

} // namespace weft::driver

#endif // WEFT_TOOLS_DRIVER_PRECISIONMEASUREMENTS_H

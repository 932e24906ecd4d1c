//===- Work.h - how long host operations take -------------------*- C++ -*-===//
//
// An estimate, so that a user sees whether the host or the chip holds a model
// up: 80 ms of sorting behind 0.1 ms of convolutions. It counts what a kernel
// walks through and knows one processor; it is right within a small factor.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_HOST_WORK_H
#define WEFT_RUNTIME_HOST_WORK_H

#include "runtime/host/Program.h"

namespace weft::host {

/// What the time of a kernel grows with.
enum class WorkUnit {
  Elements, ///< of all operands, or of all results if those are more
  Written,  ///< elements of the results
  Products, ///< of numbers: matrices and convolutions
  Sorted,   ///< n log2 n of the n elements of an operand
  Windows,  ///< elements of the result times those of a window
};

/// A row of Work.def.
struct WorkRow {
  WorkUnit unit = WorkUnit::Elements;
  double picoseconds = 0; ///< for one
};

/// Of a kernel whose result, the first if there are several, is of `type`.
WorkRow workRow(std::string_view kernel, ElementType type = ElementType::F32);

/// How many units a call has; sizes that depend on data count as their largest.
/// `operands`: null where one is absent or not known.
double workUnits(WorkUnit unit, const Attributes &attributes,
                 const std::vector<const ResultType *> &operands,
                 const std::vector<ResultType> &results);

/// Seconds of each call of a stage, in order; `programs` are all of the stage,
/// as they run. `inputs`: those of the stage, empty if they are not known. Of
/// `if_else` the longer branch counts, of a `loop` as many iterations as its
/// scan outputs have room for, or one: how many there are the data say.
std::vector<double> secondsOf(const std::vector<const Program *> &programs,
                              const std::vector<ResultType> &inputs);

/// "about 80 ms" or "less than 1 us" of an estimate.
std::string workText(double seconds);

} // namespace weft::host

#endif // WEFT_RUNTIME_HOST_WORK_H

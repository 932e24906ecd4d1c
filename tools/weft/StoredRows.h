//===- StoredRows.h - stored values beside those expected -------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_STOREDROWS_H
#define WEFT_TOOLS_WEFT_STOREDROWS_H

#include "runtime/numeric/HostTensor.h"

#include <string>
#include <vector>

namespace weft::cli {

/// A value as a program stores it beside what it should store.
struct StoredRow {
  std::string name; ///< of the ONNX value
  bool isOutput = false;
  std::vector<int64_t> shape;
  int64_t unequal = 0; ///< elements whose bits differ; two NaN are equal
  int64_t first = 0;   ///< the first of them, row-major
  double value = 0, expected = 0; ///< stored numbers of that one
  /// Of floats: the largest difference, in steps of the program's floats at the
  /// element's magnitude, or at the root mean square where that is larger.
  double roundings = 0;
  bool isWrong = false;
  /// Wrong by nothing but numbers where a NaN is expected: a minimum or maximum
  /// of the chip takes the other operand in place of a NaN.
  bool isWrongByNanAlone = false;
};

/// In the order of computation, outputs at the end.
using StoredRows = std::vector<StoredRow>;

/// What may differ.
enum class Equality {
  Bits,     ///< nothing
  Roundings ///< floats as sums in another order do, and codes by one
};

/// `value` and `expected` of one type and element count. `step` is the distance
/// of the floats that the program computes with around 1 (2^-10 of f16), for
/// floats that it stores wider.
StoredRow compareStored(const std::string &name, bool isOutput,
                        const numeric::HostTensor &value,
                        const numeric::HostTensor &expected, double step,
                        Equality equality);

/// "3 of 64 elements are `whose`, the first at [0, 2, 1]: 1 for 2, as stored".
std::string storedText(const StoredRow &row, const std::string &whose);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_STOREDROWS_H

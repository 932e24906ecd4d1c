//===- Softmax.h - softmax of lines of numbers ------------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_NUMERIC_SOFTMAX_H
#define WEFT_RUNTIME_NUMERIC_SOFTMAX_H

#include <cstdint>
#include <vector>

namespace weft::numeric {

/// Replaces each line of `size` numbers, `inner` apart, by its softmax: the
/// largest is subtracted first, sums run from the first number to the last.
void softmaxLines(std::vector<double> &values, int64_t size, int64_t inner);

} // namespace weft::numeric

#endif // WEFT_RUNTIME_NUMERIC_SOFTMAX_H

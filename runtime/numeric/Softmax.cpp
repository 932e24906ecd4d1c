//===- Softmax.cpp - softmax of lines of numbers --------------------------===//

#include "runtime/numeric/Softmax.h"
#include "runtime/numeric/PortableMath.h"

#include <algorithm>

void weft::numeric::softmaxLines(std::vector<double> &values, int64_t size,
                                 int64_t inner) {
  int64_t lines = size ? int64_t(values.size()) / size : 0;
  for (int64_t i = 0; i < lines; ++i) {
    double *first = &values[i / inner * size * inner + i % inner];
    double largest = *first, sum = 0;
    for (int64_t k = 1; k < size; ++k)
      largest = std::max(largest, first[k * inner]);
    for (int64_t k = 0; k < size; ++k)
      sum += first[k * inner] = portable::exp(first[k * inner] - largest);
    for (int64_t k = 0; k < size; ++k)
      first[k * inner] /= sum;
  }
}

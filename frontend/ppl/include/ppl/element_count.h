//===- element_count.h - a number that the device knows -------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_ELEMENT_COUNT_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_ELEMENT_COUNT_H

#include "ppl/tensor.h"

#include <string>

namespace ppl {

/// How many elements dma::nonzero or dma::mask_select wrote. A kernel is
/// recorded before it runs, so there is no number yet: as one it is the most
/// that there can be, with a warning. The count itself lies in device memory as
/// a uint32; kernels can copy it from there (dma::move to a gtensor, dma::load
/// to a tensor).
class element_count {
public:
  element_count(const char *function, const dim4 &of, Line at)
      : function(function), most(mostOf(of)), at(at),
        where(dim4{1, 1, 1, 1}, GLOBAL, at) {}

  /// The count as a tensor of one element.
  const gtensor<uint> &tensor() const { return where; }
  operator const gtensor<uint> &() const { return where; }

  /// The most that it can be.
  operator unsigned() const {
    std::string message =
        std::string(function) +
        " returns a count that only the device knows; as a "
        "number it is the most there can be, " +
        std::to_string(most) +
        "; for the count itself write gtensor<uint> n = " + function + "(...)";
    detail::recorder().warn(detail::recorder().self, message.c_str(), at);
    return most;
  }

private:
  /// What does not fit is the most that a uint32 counts.
  static unsigned mostOf(const dim4 &of) {
    uint64_t elements = 1;
    for (int size : {of.n, of.c, of.h, of.w})
      if (__builtin_mul_overflow(elements, uint64_t(size), &elements) ||
          elements > UINT32_MAX)
        return UINT32_MAX;
    return unsigned(elements);
  }

  const char *function;
  unsigned most;
  Line at;
  gtensor<uint> where;
};

} // namespace ppl

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_ELEMENT_COUNT_H

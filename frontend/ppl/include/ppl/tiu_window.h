//===- tiu_window.h - arguments of sliding windows ------------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_WINDOW_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_WINDOW_H

#include "ppl/tensor.h"

namespace ppl::detail {

/// A `dim2 *` of the manual; null: left out. A dim2 itself does as well.
struct Pair : Argument {
  Pair(const dim2 *d) : Argument(d ? Argument(*d) : Argument()) {}
  Pair(const dim2 &d) : Argument(d) {}
};
/// A `padding_t *`, in the same way.
struct Sides : Argument {
  Sides(const padding_t *p) : Argument(p ? Argument(*p) : Argument()) {}
  Sides(const padding_t &p) : Argument(p) {}
};
/// An operand that is a tensor or a number.
using Operand = const Argument &;

inline __attribute__((visibility("hidden"))) const Argument kLeftOut;

} // namespace ppl::detail

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_TIU_WINDOW_H

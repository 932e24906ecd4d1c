//===- arguments.h - what functions of the catalog take --------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_ARGUMENTS_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_ARGUMENTS_H

#include "ppl/tensor.h"
#include "ppl/vector_setting.h"

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
/// The same of a function of floats: a number is a float.
struct FloatOperand : Argument {
  FloatOperand(const Argument &given) : Argument(given) {}
  FloatOperand(const AnyTensor &tensor) : Argument(tensor) {}
  FloatOperand(std::nullptr_t) {}
  template <class N, IfNumber<N> = 0>
  FloatOperand(N value) : Argument(float(value)) {}
};

inline __attribute__((visibility("hidden"))) const Argument kLeftOut;

/// int if all are bool: `detail::Flags<B> = 0` keeps integers away.
template <class... B>
using Flags = std::enable_if_t<(std::is_same_v<B, bool> && ...), int>;

} // namespace ppl::detail

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_ARGUMENTS_H

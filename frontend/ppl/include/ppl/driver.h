//===- driver.h - a kernel called with what flags say ---------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_INCLUDE_PPL_DRIVER_H
#define WEFT_FRONTEND_PPL_INCLUDE_PPL_DRIVER_H

#include "ppl/test.h"

#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

/// `weft ppl run K.cpp --kernel add --arg ...` compiles the kernel with a test
/// that calls it through this.
namespace ppl::driver {

/// What --arg gives a parameter.
struct Given {
  const char *name;
  const char *text; ///< as it was written
  bool isMemory;
  const char *type; ///< of the memory's elements; empty: the pointer's
  dim4 shape;
  bool isRandom;
  bool isWhole; ///< the number
  long long whole;
  double real;
};

namespace words {
[[noreturn]] inline void refuse(const Given &given, const std::string &why) {
  detail::refuse("--arg " + std::string(given.name) + "=" + given.text + ": " +
                     why,
                 Line(nullptr, 0));
  throw detail::Stopped();
}
template <class T>
const char *typeName() {
  return detail::typeName(convert_dtype<T>());
}

template <class T>
T *memoryOf(const Given &given) {
  if (!given.isMemory)
    refuse(given, "the parameter is a pointer and takes memory: " +
                      std::string(given.name) + "=FILE.npz:ARRAY or " +
                      given.name + "=out:" + typeName<T>() + "[1x64x1x128]");
  if (*given.type && std::string(given.type) != typeName<T>())
    refuse(given, std::string("the parameter points to ") + typeName<T>() +
                      ", not to " + given.type + "; write " + typeName<T>() +
                      " or leave the type out");
  detail::Sizes sizes(given.shape);
  int64_t count = detail::elementsOf("--arg", &given.shape, Line(nullptr, 0));
  void *memory = count
                     ? detail::recorder().allocate(detail::recorder().self,
                                                   convert_dtype<T>(), sizes.v,
                                                   given.name, Line(nullptr, 0))
                     : nullptr;
  if (!memory)
    throw detail::Stopped();
  detail::session().allocations[reinterpret_cast<uintptr_t>(memory)] =
      detail::bytesOf<T>(count);
  T *elements = static_cast<T *>(memory);
  if (given.isRandom) {
    bool isUnsigned = std::is_integral_v<T> && std::is_unsigned_v<T>;
    bool isFloating = !std::is_integral_v<T>;
    detail::recorder().fill_random(detail::recorder().self, memory,
                                   convert_dtype<T>(), count,
                                   isUnsigned   ? 0
                                   : isFloating ? -1
                                                : -100,
                                   isFloating ? 1 : 100);
  }
  return elements;
}

/// Whether --arg can give a value of a parameter's type.
template <class N>
inline constexpr bool isGivable =
    std::is_arithmetic_v<N> || std::is_enum_v<N> || std::is_same_v<N, fp16> ||
    std::is_same_v<N, bf16>;

template <class N>
N numberOf(const Given &given) {
  if (given.isMemory)
    refuse(given,
           "the parameter is a number: " + std::string(given.name) + "=4096");
  if constexpr (std::is_integral_v<N> || std::is_enum_v<N>) {
    using Whole =
        typename std::conditional_t<std::is_enum_v<N>, std::underlying_type<N>,
                                    std::enable_if<true, N>>::type;
    if (!given.isWhole)
      refuse(given, "the parameter takes whole numbers");
    if (given.whole < (long long)std::numeric_limits<Whole>::min() ||
        (given.whole > 0 &&
         (unsigned long long)given.whole >
             (unsigned long long)std::numeric_limits<Whole>::max()))
      refuse(given, "the parameter takes numbers from " +
                        std::to_string(std::numeric_limits<Whole>::min()) +
                        " to " +
                        std::to_string(std::numeric_limits<Whole>::max()));
    return N(Whole(given.whole));
  } else {
    N number(float(given.real));
    if (std::isfinite(given.real) && !std::isfinite(float(number)))
      refuse(given,
             std::string("the number is too large for ") + typeName<N>());
    return number;
  }
}

template <class A>
A argumentOf(const Given &given) {
  if constexpr (std::is_pointer_v<A>)
    return memoryOf<std::remove_cv_t<std::remove_pointer_t<A>>>(given);
  else if constexpr (!isGivable<std::remove_cv_t<A>>)
    refuse(given, "the parameter is neither a pointer nor a number; write a "
                  "__TEST__ function that calls the kernel");
  else
    return numberOf<std::remove_cv_t<A>>(given);
}
} // namespace words

/// While one lives the kernel's own code cannot read what only the device will
/// have: it would be taken from the inputs, or 0, and stay in the program.
class NoHostAccess {
public:
  NoHostAccess() { allow(0); }
  ~NoHostAccess() { allow(1); }
  NoHostAccess(const NoHostAccess &) = delete;

private:
  static void allow(int64_t value) {
    detail::recorder().set(detail::recorder().self, WEFT_PPL_HOST_ACCESS, 0,
                           value);
  }
};

/// Calls the kernel, with one argument for each parameter in their order.
template <class R, class... A, size_t... I>
void call(R (*kernel)(A...), const Given *given, std::index_sequence<I...>) {
  // In the order of the parameters, which is that of the memory.
  std::tuple<A...> arguments{words::argumentOf<A>(given[I])...};
  NoHostAccess device;
  kernel(std::get<I>(arguments)...);
}
template <size_t N, class R, class... A>
void run(R (*kernel)(A...), const Given (&given)[N]) {
  static_assert(N == sizeof...(A) + 1,
                "weft did not understand the kernel's parameters; write a "
                "__TEST__ function that calls it");
  call(kernel, given, std::index_sequence_for<A...>());
}

} // namespace ppl::driver

#endif // WEFT_FRONTEND_PPL_INCLUDE_PPL_DRIVER_H

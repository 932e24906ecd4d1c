/// Reinterpretation of bits; std::bit_cast is C++20, the builtin is in GCC 11,
/// Clang 9 and MSVC 19.27.
#ifndef WEFT_RUNTIME_NUMERIC_BITCAST_H
#define WEFT_RUNTIME_NUMERIC_BITCAST_H

#include <cstdint>

namespace weft::numeric {

/// The bits of `from` as a `To` of the same size.
template <class To, class From>
constexpr To bitCast(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "bitCast needs equal sizes");
  return __builtin_bit_cast(To, from);
}

constexpr uint32_t floatBits(float value) { return bitCast<uint32_t>(value); }
constexpr float floatFromBits(uint32_t bits) { return bitCast<float>(bits); }

} // namespace weft::numeric

#endif

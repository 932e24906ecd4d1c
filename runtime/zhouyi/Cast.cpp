#include "runtime/zhouyi/Cast.h"
#include "runtime/numeric/Float16.h"

#include <cstring>
#include <limits>
#include <type_traits>

using namespace weft;
using namespace weft::zhouyi;
using catalog::DataType;

namespace {
struct Half {
  uint16_t bits;
};
struct Brain {
  uint16_t bits;
};

// What a cast goes through: integers of at most 32 bits fit int64_t, all floats
// fit double.
template <typename T>
auto widen(T value) {
  if constexpr (std::is_integral_v<T>)
    return int64_t(value);
  else
    return double(value);
}
double widen(Half value) { return numeric::halfToFloat(value.bits); }
double widen(Brain value) { return numeric::bf16ToFloat(value.bits); }

template <typename To, typename Wide>
To narrow(Wide value) {
  if constexpr (std::is_same_v<To, Half>) {
    return value != value ? Half{0x7e00}
                          : Half{numeric::doubleToHalf(double(value))};
  } else if constexpr (std::is_same_v<To, Brain>) {
    return value != value ? Brain{0x7fc0}
                          : Brain{numeric::doubleToBf16(double(value))};
  } else if constexpr (std::is_same_v<To, float>) {
    return value != value ? numeric::floatFromBits(0x7fc00000u)
                          : static_cast<float>(value);
  } else if constexpr (std::is_integral_v<Wide>) {
    return static_cast<To>(value);
  } else {
    constexpr double low = double(std::numeric_limits<To>::min());
    constexpr double high = double(std::numeric_limits<To>::max());
    if (value != value)
      return 0;
    return static_cast<To>(value < low ? low : value > high ? high : value);
  }
}

template <typename From, typename To>
void castLanes(const uint8_t *from, uint8_t *to, unsigned lanes) {
  if constexpr (std::is_same_v<From, To>) {
    std::memcpy(to, from, lanes * sizeof(To));
    return;
  }
  for (unsigned i = 0; i < lanes; ++i) {
    From value;
    std::memcpy(&value, from + i * sizeof(From), sizeof(From));
    To result = narrow<To>(widen(value));
    std::memcpy(to + i * sizeof(To), &result, sizeof(To));
  }
}

template <typename From>
CastLanes castFrom(DataType to) {
  switch (to) {
  case DataType::Int8:
    return castLanes<From, int8_t>;
  case DataType::Uint8:
    return castLanes<From, uint8_t>;
  case DataType::Int16:
    return castLanes<From, int16_t>;
  case DataType::Uint16:
    return castLanes<From, uint16_t>;
  case DataType::Int32:
    return castLanes<From, int32_t>;
  case DataType::Uint32:
    return castLanes<From, uint32_t>;
  case DataType::Fp16:
    return castLanes<From, Half>;
  case DataType::Bf16:
    return castLanes<From, Brain>;
  case DataType::Fp32:
    return castLanes<From, float>;
  default:
    return nullptr;
  }
}
} // namespace

CastLanes zhouyi::castOf(DataType from, DataType to) {
  switch (from) {
  case DataType::Int8:
    return castFrom<int8_t>(to);
  case DataType::Uint8:
    return castFrom<uint8_t>(to);
  case DataType::Int16:
    return castFrom<int16_t>(to);
  case DataType::Uint16:
    return castFrom<uint16_t>(to);
  case DataType::Int32:
    return castFrom<int32_t>(to);
  case DataType::Uint32:
    return castFrom<uint32_t>(to);
  case DataType::Fp16:
    return castFrom<Half>(to);
  case DataType::Bf16:
    return castFrom<Brain>(to);
  case DataType::Fp32:
    return castFrom<float>(to);
  default:
    return nullptr;
  }
}

//===- Kinds.cpp - the element-wise functions and their formulas ----------===//

#include "runtime/host/Kinds.h"

#include "runtime/numeric/PortableMath.h"

#include <algorithm>
#include <limits>

using namespace weft;
using namespace weft::host;
using numeric::ElementType;
namespace portable = weft::numeric::portable;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

static constexpr double kNoParameter = 0;

std::optional<UnaryKind> host::findUnaryKind(std::string_view spelling) {
  static constexpr std::string_view spellings[] = {
#define WEFT_UNARY(symbol, spelling, ...) #spelling,
#include "runtime/host/UnaryKinds.def"
  };
  for (size_t i = 0; i < std::size(spellings); ++i)
    if (spellings[i] == spelling)
      return UnaryKind(i);
  return std::nullopt;
}

std::optional<BinaryKind> host::findBinaryKind(std::string_view spelling) {
  static constexpr std::string_view spellings[] = {
#define WEFT_BINARY(symbol, spelling, ...) #spelling,
#include "runtime/host/BinaryKinds.def"
  };
  for (size_t i = 0; i < std::size(spellings); ++i)
    if (spellings[i] == spelling)
      return BinaryKind(i);
  return std::nullopt;
}

double host::defaultAlpha(UnaryKind kind) {
  static constexpr double values[] = {
#define WEFT_UNARY(symbol, spelling, onnx, opset, types, result, alpha, ...)   \
  alpha,
#include "runtime/host/UnaryKinds.def"
  };
  return values[unsigned(kind)];
}

double host::defaultBeta(UnaryKind kind) {
  static constexpr double values[] = {
#define WEFT_UNARY(symbol, spelling, onnx, opset, types, result, alpha, beta,  \
                   ...)                                                        \
  beta,
#include "runtime/host/UnaryKinds.def"
  };
  return values[unsigned(kind)];
}

UnaryFunction host::unaryFunction(UnaryKind kind) {
  static constexpr UnaryFunction functions[] = {
#define WEFT_UNARY(symbol, spelling, onnx, opset, types, result, a, b, domain, \
                   table, formula)                                             \
  [](double x, [[maybe_unused]] double alpha,                                  \
     [[maybe_unused]] double beta) -> double { return formula; },
#include "runtime/host/UnaryKinds.def"
  };
  return functions[unsigned(kind)];
}

BinaryFunction host::binaryFunction(BinaryKind kind) {
  static constexpr BinaryFunction functions[] = {
#define WEFT_BINARY(symbol, spelling, onnx, opset, types, result, commutes,    \
                    domain, formula)                                           \
  [](double x, double y) -> double { return formula; },
#include "runtime/host/BinaryKinds.def"
  };
  return functions[unsigned(kind)];
}

UnaryFloats host::unaryFloats(UnaryKind kind) {
  static constexpr UnaryFloats functions[] = {
#define WEFT_UNARY(symbol, spelling, onnx, opset, types, result, a, b, domain, \
                   table, formula)                                             \
  [](const float *from, float *to, int64_t count,                              \
     [[maybe_unused]] double alpha, [[maybe_unused]] double beta) {            \
    for (int64_t i = 0; i < count; ++i) {                                      \
      double x = from[i];                                                      \
      to[i] = static_cast<float>(formula);                                     \
    }                                                                          \
  },
#include "runtime/host/UnaryKinds.def"
  };
  return functions[unsigned(kind)];
}

/// The loop of BinaryFloats, once for each usual pair of steps, which the
/// compiler then knows.
template <typename Function>
static void mapPairs(const float *lhs, int64_t lhsStep, const float *rhs,
                     int64_t rhsStep, float *to, int64_t count,
                     Function function) {
  if (lhsStep == 1 && rhsStep == 1)
    for (int64_t i = 0; i < count; ++i)
      to[i] = static_cast<float>(function(lhs[i], rhs[i]));
  else if (lhsStep == 1 && rhsStep == 0)
    for (int64_t i = 0; i < count; ++i)
      to[i] = static_cast<float>(function(lhs[i], *rhs));
  else
    for (int64_t i = 0; i < count; ++i)
      to[i] = static_cast<float>(function(lhs[i * lhsStep], rhs[i * rhsStep]));
}

BinaryFloats host::binaryFloats(BinaryKind kind) {
  static constexpr BinaryFloats functions[] = {
#define WEFT_BINARY(symbol, spelling, onnx, opset, types, result, commutes,    \
                    domain, formula)                                           \
  [](const float *lhs, int64_t lhsStep, const float *rhs, int64_t rhsStep,     \
     float *to, int64_t count) {                                               \
    mapPairs(lhs, lhsStep, rhs, rhsStep, to, count,                            \
             [](double x, double y) -> double { return formula; });            \
  },
#include "runtime/host/BinaryKinds.def"
  };
  return functions[unsigned(kind)];
}

/// Largest and smallest value of an integer type, as loadIntegers represents
/// them.
static void integerRange(ElementType type, int64_t &low, int64_t &high) {
  unsigned bits = 8 * numeric::elementBytes(type);
  if (type == ElementType::Bool)
    bits = 1;
  bool isSigned = numeric::isSignedType(type);
  high = int64_t(~uint64_t(0) >> (64 - bits + isSigned));
  low = isSigned ? -high - 1 : 0;
}

/// `value` rounded towards zero and saturated to the type; NaN cannot occur.
static int64_t saturate(double value, ElementType type) {
  int64_t low, high;
  integerRange(type, low, high);
  bool isUnsigned64 = type == ElementType::U64;
  double top = isUnsigned64 ? 0x1p64 : double(high) + 1;
  if (value >= top)
    return high;
  if (value <= double(low))
    return low;
  return isUnsigned64 ? int64_t(uint64_t(value)) : int64_t(value);
}

int64_t host::unaryInteger(UnaryKind kind, ElementType type, int64_t x,
                           double alpha, double beta) {
  bool isUnsigned = !numeric::isSignedType(type);
  switch (kind) {
  case UnaryKind::Identity:
    return x;
  case UnaryKind::Abs:
    return isUnsigned || x >= 0 ? x : int64_t(0 - uint64_t(x));
  case UnaryKind::Neg:
    return int64_t(0 - uint64_t(x));
  case UnaryKind::Sign:
    return isUnsigned ? x != 0 : (x > 0) - (x < 0);
  case UnaryKind::Relu:
    return isUnsigned || x > 0 ? x : 0;
  case UnaryKind::Not:
    return x == 0;
  case UnaryKind::BitwiseNot:
    return ~x;
  case UnaryKind::Clip: {
    int64_t low = saturate(alpha, type), high = saturate(beta, type);
    if (isUnsigned) {
      uint64_t raised = std::max(uint64_t(x), uint64_t(low));
      return int64_t(std::min(raised, uint64_t(high)));
    }
    return std::min(std::max(x, low), high);
  }
  default: {
    double wide = type == ElementType::U64 ? double(uint64_t(x)) : double(x);
    return saturate(unaryFunction(kind)(wide, alpha, beta), type);
  }
  }
}

/// x^y modulo 2^64; a negative exponent gives the truncated quotient.
static int64_t integerPower(int64_t x, int64_t y, bool isUnsigned) {
  if (!isUnsigned && y < 0)
    return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0;
  uint64_t result = 1, base = uint64_t(x);
  for (uint64_t n = uint64_t(y); n; n >>= 1, base *= base)
    if (n & 1)
      result *= base;
  return int64_t(result);
}

/// Quotient towards zero and remainder with the sign of x; zeros for a zero
/// divisor.
static int64_t divide(int64_t x, int64_t y, bool isUnsigned, bool remainder) {
  if (y == 0)
    return 0;
  if (isUnsigned)
    return int64_t(remainder ? uint64_t(x) % uint64_t(y)
                             : uint64_t(x) / uint64_t(y));
  if (y == -1) // the smallest value has no positive counterpart: wrap
    return remainder ? 0 : int64_t(0 - uint64_t(x));
  return remainder ? x % y : x / y;
}

static int64_t shift(int64_t x, int64_t y, bool isUnsigned, bool left) {
  bool tooFar = uint64_t(y) > 63;
  if (left)
    return tooFar ? 0 : int64_t(uint64_t(x) << y);
  if (isUnsigned)
    return tooFar ? 0 : int64_t(uint64_t(x) >> y);
  return x >> (tooFar ? 63 : y);
}

int64_t host::binaryInteger(BinaryKind kind, ElementType type, int64_t x,
                            int64_t y) {
  bool isUnsigned = !numeric::isSignedType(type);
  bool less = isUnsigned ? uint64_t(x) < uint64_t(y) : x < y;
  switch (kind) {
  case BinaryKind::Add:
    return int64_t(uint64_t(x) + uint64_t(y));
  case BinaryKind::Sub:
    return int64_t(uint64_t(x) - uint64_t(y));
  case BinaryKind::Mul:
    return int64_t(uint64_t(x) * uint64_t(y));
  case BinaryKind::Div:
    return divide(x, y, isUnsigned, /*remainder=*/false);
  case BinaryKind::Fmod:
    return divide(x, y, isUnsigned, /*remainder=*/true);
  case BinaryKind::Mod: {
    int64_t remainder = divide(x, y, isUnsigned, /*remainder=*/true);
    bool opposite = !isUnsigned && remainder != 0 && (remainder < 0) != (y < 0);
    return opposite ? remainder + y : remainder;
  }
  case BinaryKind::Max:
    return less ? y : x;
  case BinaryKind::Min:
    return less ? x : y;
  case BinaryKind::Pow:
    return integerPower(x, y, isUnsigned);
  case BinaryKind::PRelu:
    return isUnsigned || x >= 0 ? x : int64_t(uint64_t(x) * uint64_t(y));
  case BinaryKind::Equal:
    return x == y;
  case BinaryKind::Less:
    return less;
  case BinaryKind::LessOrEqual:
    return less || x == y;
  case BinaryKind::Greater:
    return !less && x != y;
  case BinaryKind::GreaterOrEqual:
    return !less;
  case BinaryKind::And:
    return x != 0 && y != 0;
  case BinaryKind::Or:
    return x != 0 || y != 0;
  case BinaryKind::Xor:
    return (x != 0) != (y != 0);
  case BinaryKind::BitwiseAnd:
    return x & y;
  case BinaryKind::BitwiseOr:
    return x | y;
  case BinaryKind::BitwiseXor:
    return x ^ y;
  case BinaryKind::ShiftLeft:
    return shift(x, y, isUnsigned, /*left=*/true);
  case BinaryKind::ShiftRight:
    return shift(x, y, isUnsigned, /*left=*/false);
  }
  return 0;
}

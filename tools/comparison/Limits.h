//===- Limits.h - what a comparison must reach ------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_COMPARISON_LIMITS_H
#define WEFT_TOOLS_COMPARISON_LIMITS_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace weft::comparison {

/// What a program computes with; of several the coarsest.
enum class Precision : uint8_t { F32, F16, Bf16, Int8 };
inline constexpr size_t kPrecisions = 4;

/// "f32", "f16", "bf16", "int8".
const char *precisionName(Precision precision);

/// The rows of Limits.def.
enum class Limit : uint8_t {
#define LIMIT(Name, key, kind, ...) Name,
#include "tools/comparison/Limits.def"
};

#define LIMIT(Name, key, kind, ...) +1
inline constexpr size_t kLimits = 0
#include "tools/comparison/Limits.def"
    ;

/// What is compared: an output of a model, in which the errors of all layers
/// add up, or a layer with what it should give for the inputs that it had.
enum class Subject : uint8_t { Output, Layer };

/// A row of Limits.def.
struct LimitRow {
  const char *key;
  bool isMinimum;
  double defaults[2][kPrecisions]; ///< by Subject and Precision
  const char *help;
};

const LimitRow &rowOf(Limit limit);
/// The row with that key, if any.
std::optional<Limit> findLimit(std::string_view key);

/// What the limit may be: a figure beyond it there is not. Either end may be
/// infinite.
std::pair<double, double> rangeOf(Limit limit);

/// A value for each row.
class Limits {
public:
  Limits(Subject subject, Precision precision);

  double operator[](Limit limit) const { return values[size_t(limit)]; }
  double &operator[](Limit limit) { return values[size_t(limit)]; }
  /// Whether `figure` keeps the limit; a NaN never does.
  bool keeps(Limit limit, double figure) const {
    return rowOf(limit).isMinimum ? figure >= (*this)[limit]
                                  : figure <= (*this)[limit];
  }

private:
  std::array<double, kLimits> values;
};

} // namespace weft::comparison

#endif // WEFT_TOOLS_COMPARISON_LIMITS_H

#include "tools/comparison/Limits.h"

#include <limits>

using namespace weft;
using namespace weft::comparison;

static constexpr bool Min = true, Max = false;
static constexpr LimitRow kRows[] = {
#define LIMIT(Name, key, kind, f32, f16, bf16, int8, layerF32, layerF16,       \
              layerBf16, layerInt8, help)                                      \
  {#key,                                                                       \
   kind,                                                                       \
   {{f32, f16, bf16, int8}, {layerF32, layerF16, layerBf16, layerInt8}},       \
   help},
#include "tools/comparison/Limits.def"
};

const char *comparison::precisionName(Precision precision) {
  constexpr const char *kNames[] = {"f32", "f16", "bf16", "int8"};
  return kNames[size_t(precision)];
}

const LimitRow &comparison::rowOf(Limit limit) { return kRows[size_t(limit)]; }

std::optional<Limit> comparison::findLimit(std::string_view key) {
  for (size_t i = 0; i < kLimits; ++i)
    if (key == kRows[i].key)
      return Limit(i);
  return std::nullopt;
}

std::pair<double, double> comparison::rangeOf(Limit limit) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (limit) {
  case Limit::Cosine:
    return {-1, 1};
  case Limit::DeadSlices:
  case Limit::Unequal:
    return {0, 1}; // shares
  default: // decibels have no end, and what is at most something no upper one
    return {rowOf(limit).isMinimum ? -kInfinity : 0, kInfinity};
  }
}

Limits::Limits(Subject subject, Precision precision) {
  for (size_t i = 0; i < kLimits; ++i)
    values[i] = kRows[i].defaults[size_t(subject)][size_t(precision)];
}

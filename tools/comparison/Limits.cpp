#include "tools/comparison/Limits.h"

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

Limits::Limits(Subject subject, Precision precision) {
  for (size_t i = 0; i < kLimits; ++i)
    values[i] = kRows[i].defaults[size_t(subject)][size_t(precision)];
}

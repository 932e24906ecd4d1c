#include "tools/weft/FewDigits.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace weft;

nlohmann::ordered_json cli::fewDigits(double value) {
  if (!std::isfinite(value))
    return nullptr;
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  double few = std::strtod(text, nullptr);
  // Whole numbers without ".0"; beyond 2^53 not all are.
  if (few == std::floor(few) && std::fabs(few) < 1e15)
    return int64_t(few);
  return few;
}

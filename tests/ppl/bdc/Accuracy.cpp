#include "tests/ppl/bdc/Accuracy.h"

#include "runtime/numeric/BitCast.h"
#include "runtime/numeric/SplitMix64.h"
#include "tests/ppl/bdc/LaneMachine.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <xmmintrin.h>

namespace weft::test {

namespace {

using numeric::floatBits;
using numeric::floatFromBits;

/// Uniform bits of a normal number of one sign, up to `limit`.
float anyBinade(float limit, uint64_t random) {
  const uint32_t least = 0x00800000, most = floatBits(std::fabs(limit));
  float x = floatFromBits(least + uint32_t(random % (most - least + 1)));
  return limit < 0 ? -x : x;
}

} // namespace

float sampleOf(const Function &f, uint64_t index) {
  uint64_t state = index;
  const uint64_t random = numeric::nextRandom(state);
  state = random;
  const uint64_t more = numeric::nextRandom(state);
  if (index % 2) {
    double part = double(random >> 11) * 0x1p-53;
    return float(f.coreLow + (double(f.coreHigh) - f.coreLow) * part);
  }
  if (f.low < 0 && more % 2)
    return anyBinade(f.low, random);
  float x = anyBinade(f.high, random);
  // A least number above 2^-126 is not worth a second draw.
  return f.low > 0 ? std::max(x, f.low) : x;
}

double exactOf(const Function &function, float x) {
  mpfr_t value;
  mpfr_init2(value, 53);
  mpfr_set_flt(value, x, MPFR_RNDN);
  function.exact(value);
  double exact = mpfr_get_d(value, MPFR_RNDN);
  mpfr_clear(value);
  return exact;
}

void Errors::add(float x, float value, double exact) {
  const double magnitude = std::fabs(exact);
  double error;
  if (magnitude < 0x1p-126 && value == 0)
    error = 0; // the machine has no subnormals
  else if (std::isinf(value) && magnitude > double(0x1.fffffep127f) &&
           std::signbit(value) == std::signbit(exact))
    error = 0;
  else if (!std::isfinite(value))
    error = std::numeric_limits<double>::infinity();
  else
    error = std::fabs(double(value) - exact) /
            std::ldexp(1.0, std::max(std::ilogb(magnitude), -126) - 23);
  if (std::isinf(error)) {
    ++lost;
  } else {
    mostFinite = std::max(mostFinite, error);
    sumFinite += error;
  }
  sum += error;
  rounded += error <= 0.5;
  if (error > most) {
    most = error;
    worst = x;
  }
}

std::vector<RangeErrors> measure(const Function &function, uint64_t first,
                                 uint64_t count) {
  LaneMachine machine;
  weft_ppl_bind(&machine.recorder());
  std::vector<RangeErrors> ranges(function.borders.size());
  for (size_t i = 0; i + 1 < ranges.size(); ++i) {
    ranges[i].low = function.borders[i];
    ranges[i].high = function.borders[i + 1];
  }
  ranges.back().low = function.low;
  ranges.back().high = function.high;

  const Places places;
  constexpr int kColumns = 8192;
  std::vector<float> arguments(kColumns), vendor(kColumns);
  for (uint64_t done = 0; done < count; done += kColumns) {
    const int columns = int(std::min<uint64_t>(kColumns, count - done));
    for (int i = 0; i < columns; ++i)
      arguments[size_t(i)] = sampleOf(function, first + done + uint64_t(i));
    std::memcpy(machine.floats(places.src), arguments.data(),
                size_t(columns) * 4);
    function.record(places, {1, 1, 1, columns});
    if (!machine.errors.empty())
      return {};
    machine.forget();
    const unsigned mode = _mm_getcsr();
    _mm_setcsr(mode | 0x8040);
    for (int i = 0; i < columns; ++i)
      vendor[size_t(i)] = function.vendor(arguments[size_t(i)]);
    _mm_setcsr(mode);
    for (int i = 0; i < columns; ++i) {
      const float x = arguments[size_t(i)];
      const double exact = exactOf(function, x);
      size_t range = 0;
      while (range + 2 < ranges.size() && x >= ranges[range].high)
        ++range;
      for (RangeErrors *to : {&ranges[range], &ranges.back()}) {
        ++to->samples;
        to->ours.add(x, machine.floats(places.dst)[i], exact);
        to->vendor.add(x, vendor[size_t(i)], exact);
      }
    }
  }
  weft_ppl_bind(nullptr);
  return ranges;
}

} // namespace weft::test

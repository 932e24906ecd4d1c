#include "tools/weft/StoredRows.h"
#include "runtime/numeric/ConvertValues.h"
#include "runtime/numeric/TensorValues.h"
#include "runtime/status/Format.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace weft;
using namespace weft::cli;
using numeric::ElementType;
using numeric::HostTensor;

/// Four times the most that sums of 237 honest programs in other orders differ
/// by: 120 steps of f32, 6 of f16 (models/honest.py, docs/rationale/0021).
static constexpr double kMostRoundingsF32 = 500, kMostRoundings = 24;

static double stepOf(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return 0x1p-10;
  case ElementType::BF16:
    return 0x1p-7;
  default:
    return 0x1p-23;
  }
}

/// The root mean square of what is finite.
static double rootMeanSquare(const std::vector<double> &values) {
  double power = 0, count = 0;
  for (double value : values)
    if (std::isfinite(value)) {
      power += value * value;
      ++count;
    }
  return std::sqrt(power / std::max(count, 1.0));
}

StoredRow cli::compareStored(const std::string &name, bool isOutput,
                             const HostTensor &value,
                             const HostTensor &expected, double step,
                             Equality equality) {
  StoredRow row{name, isOutput, value.shape()};
  if (std::memcmp(value.bytes(), expected.bytes(), value.sizeBytes()) == 0)
    return row;
  size_t size = numeric::elementBytes(value.type());
  std::vector<double> got = numeric::loadDoubles(value),
                      want = numeric::loadDoubles(expected);
  bool isFloat = numeric::isFloatType(value.type());
  step = std::max(step, stepOf(value.type()));
  double unit = isFloat ? rootMeanSquare(want) : 0, most = 0;
  bool hasNumberForNan = false;
  for (size_t i = 0; i < got.size(); ++i) {
    if (std::memcmp(value.bytes() + i * size, expected.bytes() + i * size,
                    size) == 0 ||
        (std::isnan(got[i]) && std::isnan(want[i])))
      continue;
    if (row.unequal++ == 0) {
      row.first = int64_t(i);
      row.value = got[i];
      row.expected = want[i];
    }
    if (std::isnan(want[i])) {
      hasNumberForNan = true;
      continue;
    }
    most = std::max(most, std::fabs(got[i] - want[i]));
    if (!isFloat || got[i] == want[i])
      continue;
    double roundings = std::fabs(got[i] - want[i]) /
                       (step * std::max(std::fabs(want[i]), unit));
    // NaN and infinities are no roundings.
    row.roundings = std::max(row.roundings,
                             std::isfinite(roundings) ? roundings : 1 / step);
  }
  double limit = step < 0x1p-20 ? kMostRoundingsF32 : kMostRoundings;
  // A code of a float on the border of two is either.
  if (equality == Equality::Bits)
    row.isWrong = row.unequal != 0;
  else
    row.isWrong = isFloat ? row.roundings > limit : most > 1;
  row.isWrongByNanAlone = hasNumberForNan && !row.isWrong;
  row.isWrong |= hasNumberForNan;
  return row;
}

std::string cli::storedText(const StoredRow &row, const std::string &whose) {
  int64_t elements = 1;
  for (int64_t size : row.shape)
    elements *= size;
  return rt::format("%lld of %lld elements are ",
                    static_cast<long long>(row.unequal),
                    static_cast<long long>(elements)) +
         whose + ", the first at " + numeric::placeText(row.shape, row.first) +
         rt::format(": %.9g for %.9g, as stored", row.value, row.expected);
}

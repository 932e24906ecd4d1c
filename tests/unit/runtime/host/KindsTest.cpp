#include "runtime/host/Kinds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

using namespace weft::host;

namespace {

struct Named {
  uint32_t kind;
  const char *name;
};

const Named kUnaryKinds[] = {
#define WEFT_UNARY(symbol, spelling, ...)                                      \
  {uint32_t(UnaryKind::symbol), #spelling},
#include "runtime/host/UnaryKinds.def"
};

const Named kBinaryKinds[] = {
#define WEFT_BINARY(symbol, spelling, ...)                                     \
  {uint32_t(BinaryKind::symbol), #spelling},
#include "runtime/host/BinaryKinds.def"
};

/// Special values and random ones; an odd number, so that vectorized loops have
/// a rest.
std::vector<float> samples(unsigned seed) {
  const float inf = std::numeric_limits<float>::infinity();
  std::vector<float> values = {0.0f, -0.0f,  1.0f,  -1.0f, 0.5f, -3.0f, 3.0f,
                               6.0f, 1e-40f, 1e30f, inf,   -inf, NAN};
  std::mt19937 random(seed);
  std::normal_distribution<float> normal(0, 4);
  while (values.size() < 63)
    values.push_back(normal(random));
  std::shuffle(values.begin(), values.end(), random);
  return values;
}

/// The same bits, or both NaN.
bool isSame(float left, float right) {
  return std::memcmp(&left, &right, sizeof left) == 0 ||
         (std::isnan(left) && std::isnan(right));
}

/// The formulas of integers convert to them, which only whole numbers survive.
bool isOfIntegers(const std::string &name) {
  return name.rfind("bitwise", 0) == 0 || name.rfind("shift", 0) == 0;
}

} // namespace

TEST(Kinds, ManyFloatsGiveTheBitsOfSingleOnes) {
  for (const Named &row : kUnaryKinds) {
    auto kind = UnaryKind(row.kind);
    double alpha = defaultAlpha(kind), beta = defaultBeta(kind);
    std::vector<float> values = samples(row.kind), results = values;
    unaryFloats(kind)(results.data(), results.data(), int64_t(results.size()),
                      alpha, beta);
    for (size_t i = 0; i < values.size(); ++i)
      EXPECT_TRUE(isSame(results[i], static_cast<float>(unaryFunction(kind)(
                                         values[i], alpha, beta))))
          << row.name << " of " << values[i] << " gives " << results[i];
  }
}

TEST(Kinds, ManyPairsOfFloatsGiveTheBitsOfSingleOnes) {
  for (const Named &row : kBinaryKinds) {
    if (isOfIntegers(row.name))
      continue;
    auto kind = BinaryKind(row.kind);
    std::vector<float> lhs = samples(row.kind), rhs = samples(row.kind + 100);
    for (auto [lhsStep, rhsStep] :
         {std::pair(1, 1), std::pair(1, 0), std::pair(0, 1), std::pair(0, 0)}) {
      std::vector<float> results(lhs.size());
      binaryFloats(kind)(lhs.data(), lhsStep, rhs.data(), rhsStep,
                         results.data(), int64_t(results.size()));
      for (size_t i = 0; i < results.size(); ++i) {
        float x = lhs[i * lhsStep], y = rhs[i * rhsStep];
        EXPECT_TRUE(
            isSame(results[i], static_cast<float>(binaryFunction(kind)(x, y))))
            << row.name << " of " << x << " and " << y << " gives "
            << results[i];
      }
    }
  }
}

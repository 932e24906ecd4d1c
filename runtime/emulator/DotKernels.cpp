#include "runtime/emulator/DotKernels.h"

#include "runtime/emulator/FloatOrder.h"

#include <cmath>
#include <limits>

namespace weft::emulator {

WEFT_MULTIVERSION
void dotFloat(const float *scalars, const float *vectors, size_t terms,
              float *first, float *second) {
  float even[kVector], odd[kVector];
  std::memcpy(even, first, sizeof(even));
  std::memcpy(odd, second, sizeof(odd));
  size_t k = 0;
  for (; k + 1 < terms; k += 2) {
    float a = scalars[k], b = scalars[k + 1];
    const float *v = vectors + k * kVector;
    for (unsigned j = 0; j < kVector; ++j)
      even[j] = even[j] + a * v[j];
    for (unsigned j = 0; j < kVector; ++j)
      odd[j] = odd[j] + b * v[kVector + j];
  }
  if (k < terms)
    for (unsigned j = 0; j < kVector; ++j)
      even[j] = even[j] + scalars[k] * vectors[k * kVector + j];
  std::memcpy(first, even, sizeof(even));
  std::memcpy(second, odd, sizeof(odd));
}

void dotFloatReference(const float *scalars, const float *vectors, size_t terms,
                       float *first, float *second) {
  for (unsigned j = 0; j < kVector; ++j)
    for (size_t k = 0; k < terms; ++k) {
      float product = scalars[k] * vectors[k * kVector + j];
      float &sum = k & 1 ? second[j] : first[j];
      sum = sum + product;
    }
}

/// An infinity in a block hides every NaN of it, unless both infinities are
/// there.
static float specialBlockSum(bool plus, bool minus) {
  if (plus == minus)
    return numeric::floatFromBits(kInvalidBits);
  return numeric::floatFromBits(plus ? 0x7f800000u : 0xff800000u);
}

float halfBlockSum(const float *scalars, const float *vectors, size_t stride,
                   unsigned used) {
  float products[kHalfBlock];
  int largest = std::numeric_limits<int>::min();
  bool plus = false, minus = false, isSpecial = false;
  for (unsigned k = 0; k < used; ++k) {
    products[k] = scalars[k] * vectors[k * stride];
    if (!std::isfinite(products[k])) {
      isSpecial = true;
      plus |= products[k] > 0;
      minus |= products[k] < 0;
    } else if (products[k] != 0) {
      int exponent = std::ilogb(products[k]);
      largest = exponent > largest ? exponent : largest;
    }
  }
  if (isSpecial)
    return specialBlockSum(plus, minus);
  if (largest == std::numeric_limits<int>::min())
    return 0;
  double sum = 0; // at most 32 * 2^25: exact
  for (unsigned k = 0; k < used; ++k)
    sum += std::trunc(std::ldexp(double(products[k]), 24 - largest));
  return static_cast<float>(std::ldexp(sum, largest - 24));
}

static unsigned usedTerms(const HalfBlocks &blocks, size_t block) {
  return block >= blocks.blocks - blocks.tailBlocks ? blocks.tailUsed
                                                    : kHalfBlock;
}

void dotHalfReference(const float *scalars, const float *vectors,
                      const HalfBlocks &blocks, float *sum) {
  for (size_t b = 0; b < blocks.blocks; ++b)
    for (unsigned j = 0; j < kVector; ++j)
      sum[j] = addOrdered(sum[j],
                          halfBlockSum(scalars + b * kHalfBlock,
                                       vectors + b * kHalfBlock * kVector + j,
                                       kVector, usedTerms(blocks, b)));
}

WEFT_MULTIVERSION
void dotFp16(const float *scalars, const float *vectors,
             const HalfBlocks &blocks, float *sum) {
  float products[kHalfBlock][kVector];
  for (size_t b = 0; b < blocks.blocks; ++b) {
    unsigned used = usedTerms(blocks, b);
    const float *s = scalars + b * kHalfBlock,
                *v = vectors + b * kHalfBlock * kVector;
    int32_t largest[kVector] = {};
    for (unsigned k = 0; k < used; ++k)
      for (unsigned j = 0; j < kVector; ++j) {
        float product = s[k] * v[k * kVector + j];
        products[k][j] = product;
        int32_t magnitude = numeric::bitCast<int32_t>(product) & 0x7fffffff;
        largest[j] = magnitude > largest[j] ? magnitude : largest[j];
      }
    // Non-zero products lie in 2^-48 .. 2^32, so their biased exponents are 79
    // .. 159; the lower bound only keeps the scale of an all-zero block finite.
    float scale[kVector], back[kVector];
    int32_t total[kVector] = {};
    int32_t special = 0;
    for (unsigned j = 0; j < kVector; ++j) {
      int32_t exponent = largest[j] >> 23;
      special |= exponent == 255;
      exponent = exponent < 79 ? 79 : (exponent > 159 ? 159 : exponent);
      scale[j] =
          numeric::floatFromBits(uint32_t(278 - exponent) << 23); // 2^(24 - e)
      back[j] =
          numeric::floatFromBits(uint32_t(exponent - 24) << 23); // 2^(e - 24)
    }
    if (special) {
      for (unsigned j = 0; j < kVector; ++j)
        sum[j] = addOrdered(sum[j], halfBlockSum(s, v + j, kVector, used));
      continue;
    }
    for (unsigned k = 0; k < used; ++k)
      for (unsigned j = 0; j < kVector; ++j)
        total[j] += static_cast<int32_t>(products[k][j] *
                                         scale[j]); // toward zero; < 2^25
    for (unsigned j = 0; j < kVector; ++j)
      sum[j] = sum[j] + static_cast<float>(total[j]) * back[j];
  }
}

WEFT_MULTIVERSION
void dotBf16(const float *scalars, const float *vectors,
             const HalfBlocks &blocks, float *sum) {
  double products[kHalfBlock][kVector];
  for (size_t b = 0; b < blocks.blocks; ++b) {
    unsigned used = usedTerms(blocks, b);
    const float *s = scalars + b * kHalfBlock,
                *v = vectors + b * kHalfBlock * kVector;
    int64_t largest[kVector] = {};
    for (unsigned k = 0; k < used; ++k)
      for (unsigned j = 0; j < kVector; ++j) {
        double product = s[k] * v[k * kVector + j];
        products[k][j] = product;
        int64_t magnitude = numeric::bitCast<int64_t>(product) & INT64_MAX;
        largest[j] = magnitude > largest[j] ? magnitude : largest[j];
      }
    double scale[kVector], back[kVector], total[kVector] = {};
    int64_t special = 0;
    for (unsigned j = 0; j < kVector; ++j) {
      // Products are 2^-149 .. 2^128, far from the ends of double.
      int64_t exponent = largest[j] >> 52;
      special |= exponent == 2047;
      exponent = exponent < 700 ? 700 : (exponent > 1400 ? 1400 : exponent);
      scale[j] = numeric::bitCast<double>((2046 + 24 - exponent) << 52);
      back[j] = numeric::bitCast<double>((exponent - 24) << 52);
    }
    if (special) {
      for (unsigned j = 0; j < kVector; ++j)
        sum[j] = addOrdered(sum[j], halfBlockSum(s, v + j, kVector, used));
      continue;
    }
    for (unsigned k = 0; k < used; ++k)
      for (unsigned j = 0; j < kVector; ++j)
        total[j] += static_cast<double>(
            static_cast<int32_t>(products[k][j] * scale[j]));
    for (unsigned j = 0; j < kVector; ++j)
      sum[j] = sum[j] + static_cast<float>(total[j] * back[j]);
  }
}

WEFT_MULTIVERSION
void dotInteger(const int16_t *scalars, const int16_t *vectors, size_t terms,
                int64_t *sum) {
  // |product| < 2^20 for 10-bit operands, so 2048 of them fit 32 bits.
  constexpr size_t run = 2048;
  for (size_t begin = 0; begin < terms; begin += run) {
    size_t end = terms - begin < run ? terms : begin + run;
    int32_t part[kVector] = {};
    for (size_t k = begin; k < end; ++k) {
      int32_t s = scalars[k];
      const int16_t *v = vectors + k * kVector;
      for (unsigned j = 0; j < kVector; ++j)
        part[j] += s * int32_t(v[j]);
    }
    for (unsigned j = 0; j < kVector; ++j)
      sum[j] += part[j];
  }
}

void dotIntegerReference(const int16_t *scalars, const int16_t *vectors,
                         size_t terms, int64_t *sum) {
  for (unsigned j = 0; j < kVector; ++j)
    for (size_t k = 0; k < terms; ++k)
      sum[j] += int64_t(scalars[k]) * vectors[k * kVector + j];
}

} // namespace weft::emulator

#include "runtime/emulator/Rows.h"

#include "runtime/emulator/FloatMode.h"
#include "tests/unit/runtime/emulator/OnEachTarget.h"

#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace weft::emulator;
using namespace weft::numeric;

namespace {

class Rows : public OnEachTarget {};

/// Every 16-bit number in one row of 64-bit steps or dense.
std::vector<uint8_t> allHalves(uint64_t step) {
  std::vector<uint8_t> bytes(65536 * step + 8);
  for (uint32_t bits = 0; bits < 65536; ++bits)
    storeAs(bytes.data() + bits * step, uint16_t(bits));
  return bytes;
}

float widened(Precision precision, uint32_t bits) {
  return precision == Precision::Fp16 ? halfToFloat(uint16_t(bits))
                                      : bf16ToFloat(uint16_t(bits));
}

} // namespace

TEST_P(Rows, everyHalfWidensBitForBit) {
  for (bool flushes : {false, true})
    for (Precision precision : {Precision::Fp16, Precision::Bf16})
      for (uint64_t step : {2, 6}) {
        std::vector<uint8_t> bytes = allHalves(step);
        std::vector<float> wide(65536);
        if (flushes) {
          FlushSubnormals flush;
          loadFloats(bytes.data(), step, precision, wide.data(), 65536);
        } else {
          loadFloats(bytes.data(), step, precision, wide.data(), 65536);
        }
        for (uint32_t bits = 0; bits < 65536; ++bits)
          ASSERT_EQ(floatBits(wide[bits]), floatBits(widened(precision, bits)))
              << bits;
      }
}

TEST_P(Rows, floatsAreNarrowedToNearestEven) {
  std::mt19937 random(3);
  std::vector<float> values(10007);
  for (float &value : values) {
    uint32_t bits = random(), kind = random() % 4;
    // Ties, the ends of fp16's range, anything.
    if (kind == 0)
      bits &= 0xffff1000u;
    else if (kind == 1)
      bits = (bits & 0x81ffffffu) | 0x32000000u;
    else if (kind == 2)
      bits = (bits & 0x807fffffu) | 0x47000000u;
    value = floatFromBits(bits);
  }
  FlushSubnormals flush;
  for (Precision precision : {Precision::Fp16, Precision::Bf16})
    for (uint64_t step : {2, 4}) {
      std::vector<uint8_t> bytes(values.size() * step);
      std::vector<float> rounded = values;
      storeFloats(bytes.data(), step, precision, values.data(),
                  unsigned(values.size()));
      roundFloats(precision, rounded.data(), unsigned(values.size()));
      for (size_t i = 0; i < values.size(); ++i) {
        uint16_t expected = precision == Precision::Fp16
                                ? floatToHalfFast(values[i])
                                : floatToBf16Fast(values[i]);
        ASSERT_EQ(loadAs<uint16_t>(bytes.data() + i * step), expected)
            << floatBits(values[i]);
        ASSERT_EQ(floatBits(rounded[i]),
                  floatBits(widened(precision, expected)))
            << floatBits(values[i]);
      }
    }
}

TEST_P(Rows, integersKeepTheirSignAndWidth) {
  for (Precision precision :
       {Precision::Int8, Precision::Int16, Precision::Int32})
    for (bool isSigned : {false, true})
      for (uint64_t gap : {0, 3}) {
        unsigned width = weft::isa::elementBytes(precision);
        uint64_t step = width + gap;
        std::vector<int64_t> values(77), back(77);
        for (size_t i = 0; i < values.size(); ++i) {
          uint64_t bits = i * 0x9e3779b97f4a7c15u;
          int64_t low = isSigned ? -(int64_t(1) << (width * 8 - 1)) : 0;
          values[i] = low + int64_t(bits >> (64 - width * 8));
        }
        std::vector<uint8_t> bytes(values.size() * step);
        storeIntegers(bytes.data(), step, precision, values.data(), 77);
        loadIntegers(bytes.data(), step, {precision, isSigned}, back.data(),
                     77);
        EXPECT_EQ(values, back);
      }
}

WEFT_ON_EACH_TARGET(Rows);

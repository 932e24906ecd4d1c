//===- CoefficientTables.cpp - tables of static memory --------------------===//

#include "runtime/ppl/CoefficientTables.h"
#include "runtime/numeric/StaticTables.h"

using namespace weft;
using namespace weft::catalog;

namespace {
/// Words where the forms of a table begin (isa section 9); 0: there is none,
/// the exponentials of word 0 have no mode of their own.
struct Row {
  int mode;
  unsigned single, count, half, bfloat;
};
} // namespace

static constexpr unsigned kHalfCount = 16;
static constexpr Row kRows[] = {
    {0, 256, 32, 592, 608}, {1, 288, 64, 624, 640}, {2, 432, 32, 656, 672},
    {3, 464, 32, 688, 704}, {4, 560, 32, 0, 0},     {5, 496, 64, 0, 0},
    {6, 352, 10, 0, 0},
};

std::optional<CoefficientTable> catalog::coefficientTable(int64_t mode,
                                                          DataType type) {
  if (mode == kSerialNumberTable && type == DataType::Int32)
    return CoefficientTable{368 * 4, 64};
  for (const Row &row : kRows) {
    if (row.mode != mode)
      continue;
    if (type == DataType::Fp32)
      return CoefficientTable{row.single * 4, row.count};
    unsigned word = type == DataType::Fp16   ? row.half
                    : type == DataType::Bf16 ? row.bfloat
                                             : 0;
    if (word)
      return CoefficientTable{word * 4, kHalfCount};
  }
  return std::nullopt;
}

std::vector<uint32_t> catalog::coefficients(const CoefficientTable &table,
                                            DataType type, unsigned count) {
  const numeric::StaticTables &words = numeric::staticTables();
  unsigned size = bytesOf(type);
  std::vector<uint32_t> bits;
  for (unsigned i = 0; i < count && i < table.count; ++i) {
    unsigned byte = table.byte + i * size;
    bits.push_back(size == 4 ? words[byte / 4]
                             : words[byte / 4] >> (byte % 4 * 8) & 0xffff);
  }
  return bits;
}

#include "runtime/numeric/StaticTables.h"

#include <gtest/gtest.h>

using namespace weft::numeric;

TEST(StaticTables, equalTheExactFormulas) {
  // FNV-1a over the words that exact rational and 60-digit decimal arithmetic
  // gives for isa section 9.
  uint64_t hash = 0xcbf29ce484222325;
  for (uint32_t word : staticTables())
    for (unsigned i = 0; i < 4; ++i)
      hash = (hash ^ ((word >> (8 * i)) & 0xff)) * 0x100000001b3;
  EXPECT_EQ(hash, 0x2a54e525a1fa8613u);
}

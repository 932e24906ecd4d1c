#include "runtime/status/Quote.h"

#include <gtest/gtest.h>

using weft::rt::quoteName;

namespace {

TEST(Quote, KeepsOrdinaryNamesAndEscapesControlBytes) {
  EXPECT_EQ(quoteName("conv/1:0"), "'conv/1:0'");
  EXPECT_EQ(quoteName("\xc3\xa9"), "'\xc3\xa9'");
  EXPECT_EQ(quoteName(std::string_view("a\n\0\x1b", 4)), "'a\\x0a\\x00\\x1b'");
}

TEST(Quote, CutsLongNames) {
  EXPECT_EQ(quoteName(std::string(500, 'n')),
            "'" + std::string(120, 'n') + "...'");
}

} // namespace

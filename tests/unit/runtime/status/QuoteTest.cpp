#include "runtime/status/Quote.h"

#include <gtest/gtest.h>

using weft::rt::isUtf8;
using weft::rt::nameProblem;
using weft::rt::printable;
using weft::rt::printableLines;
using weft::rt::quoteName;

namespace {

TEST(Quote, KeepsOrdinaryNamesAndEscapesControlBytes) {
  EXPECT_EQ(quoteName("conv/1:0"), "'conv/1:0'");
  EXPECT_EQ(quoteName("\xc3\xa9"), "'\xc3\xa9'");
  EXPECT_EQ(quoteName(std::string_view("a\n\0\x1b", 4)), "'a\\x0a\\x00\\x1b'");
}

TEST(Quote, ShowsWhatHidesOrMovesText) {
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a\\xe2\\x80\\xae"
            "b"); // U+202E
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b"
            "31m"); // a CSI of one code
  EXPECT_EQ(printable("\xe2\x80\xa8\xef\xbb\xbf\xc2\xad"),
            "\\xe2\\x80\\xa8\\xef\\xbb\\xbf\\xc2\\xad");
  EXPECT_EQ(printable("\xf3\xa0\x80\xa1"), "\\xf3\\xa0\\x80\\xa1");
  EXPECT_EQ(printable("a\tb\nc\r"), "a\\x09b\\x0ac\\x0d");
  EXPECT_EQ(printableLines("a\tb\nc\r"), "a\tb\nc\\x0d");
  for (const char *plain : {"\xd7\xa9\xd7\x9c", "\xf0\x9f\x98\x80", "\\x1b"})
    EXPECT_EQ(printable(plain), plain);
}

TEST(Quote, ShowsWhatIsNoUtf8) {
  EXPECT_EQ(printable("a\xff"
                      "b"),
            "a\\xff"
            "b");
  for (const char *broken : {"\xff", "\xc3", "\xc0\x80", "\xe0\x80\x80",
                             "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x28\xa1",
                             "\xe2\x82", "\x80", "\xf0\x9f\x98"}) {
    EXPECT_FALSE(isUtf8(broken));
    EXPECT_TRUE(isUtf8(printable(broken)));
    EXPECT_STREQ(nameProblem(broken), "is no UTF-8");
  }
  EXPECT_EQ(nameProblem("caf\xc3\xa9\n"), nullptr);
  EXPECT_STREQ(nameProblem(std::string_view("a\0b", 3)), "has a zero byte");
}

TEST(Quote, CutsBetweenCharacters) {
  std::string text(119, 'n');
  EXPECT_EQ(quoteName(text + "\xe2\x82\xac"
                             "end"),
            "'" + text + "...'");
}

TEST(Quote, CutsLongNames) {
  EXPECT_EQ(quoteName(std::string(500, 'n')),
            "'" + std::string(120, 'n') + "...'");
}

} // namespace

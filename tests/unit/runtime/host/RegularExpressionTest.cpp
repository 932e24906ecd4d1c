//===- RegularExpressionTest.cpp - patterns as RE2 reads them -------------===//

#include "runtime/host/RegularExpression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <re2/re2.h>

using namespace weft;
using host::RegularExpression;
using testing::HasSubstr;

namespace {

/// Pieces of patterns, right and wrong ones.
const char *const kPieces[] = {
    "a",        "b",        "c",         "\xC3\xA9",
    "\xC3\x84", "\xC3\xA4", "\\d",       "\\w",
    "\\s",      "\\W",      ".",         "^",
    "$",        "\\b",      "\\B",       "\\A",
    "\\z",      "[a-c]",    "[^a]",      "[[:alpha:]]",
    "[\\w.-]",  "[]a]",     "(",         "(?:",
    "(?i)",     "(?i:",     "(?s)",      "(?m)",
    "(?-i)",    "(?P<n>",   ")",         ")",
    "|",        "*",        "+",         "?",
    "{2}",      "{1,2}",    "{0,}",      "{,3}",
    "*?",       "\\Q.*\\E", "\\x41",     "\\x{e9}",
    "\\n",      "\\.",      "-",         "_",
    "1",        "\\101",    "\\0",       "]",
    "}",        "{",        "k",         "\\e",
    "[a-",      "[b-a]",    "\\1",       "\n",
    "(?U)",     "\\v",      "[^\\W\\d]", "[[:^digit:]\xC3\xA9]",
    "\\_"};
const char *const kCharacters[] = {
    "a",        "b", "c", "A", "\xC3\xA9", "\xC3\x89", "\xC3\xA4",
    "\xC3\x84", "1", "_", " ", "\n",       ".",        "*",
    "k",        "K", "-", "]", "}",        "{",        "B"};

template <size_t N>
std::string draw(std::mt19937 &random, const char *const (&pieces)[N],
                 size_t most) {
  std::string text;
  for (size_t count = random() % (most + 1); count > 0; --count)
    text += pieces[random() % N];
  return text;
}

TEST(RegularExpression, isReadAndMatchedAsByRE2) {
  constexpr unsigned kSeed = 7;
  std::mt19937 random(kSeed);
  RE2::Options quiet;
  quiet.set_log_errors(false);
  for (int i = 0; i < 20000; ++i) {
    std::string pattern = draw(random, kPieces, 8);
    RE2 judge(pattern, quiet);
    rt::Result<RegularExpression> ours = RegularExpression::compile(pattern);
    ASSERT_EQ(judge.ok(), bool(ours)) << pattern << ": " << judge.error();
    for (int k = 0; ours && k < 6; ++k) {
      std::string text = draw(random, kCharacters, 5);
      ASSERT_EQ(RE2::FullMatch(text, judge), ours->matches(text))
          << pattern << " on " << text;
    }
  }
}

TEST(RegularExpression, refusesWhatItCannotDo) {
  for (const char *pattern :
       {"\\pL", "[\\p{Greek}]", "\\C", "((a{1000}){1000}){1000}",
        "((((){1000}){1000}){1000}){1000}"})
    EXPECT_EQ(RegularExpression::compile(pattern).status().code(),
              rt::Code::Unsupported)
        << pattern;
  EXPECT_THAT(RegularExpression::compile("\xFF").status().message(),
              HasSubstr("no UTF-8"));
  std::string deep(2000, '(');
  EXPECT_THAT(RegularExpression::compile(deep).status().message(),
              HasSubstr("more than 1000"));
}

std::string repeated(const std::string &text, size_t times) {
  std::string all;
  for (size_t i = 0; i < times; ++i)
    all += text;
  return all;
}

// Each took longer than the square of its length allows, and patterns come out
// of files.
TEST(RegularExpression, isReadInTimeInProportionToItsLength) {
  constexpr size_t kMany = 250000;
  for (const char *text : {"\\W", "[:", "[:a", "[[:"}) {
    std::string pattern = "[^" + repeated(text, kMany) + "x]";
    EXPECT_TRUE(RegularExpression::compile(pattern).isOk()) << text;
  }
  for (const std::string &pattern :
       {"(?i)" + repeated("a", kMany), "(?i)\\Q" + repeated("a", kMany),
        repeated("|", kMany), repeated("()", kMany), repeated("(?i)", kMany),
        "[" + repeated("a", 1 << 20) + "]"})
    EXPECT_EQ(RegularExpression::compile(pattern).status().code(),
              rt::Code::Unsupported)
        << pattern.substr(0, 8);
}

TEST(RegularExpression, matchesNothingThatIsNoUtf8) {
  EXPECT_FALSE(RegularExpression::compile("(?s).*")->matches("a\xFF"));
}

// A backtracking matcher would take 2^30 steps.
TEST(RegularExpression, takesNoLongerForRepeatedChoices) {
  EXPECT_FALSE(
      RegularExpression::compile("(a|a)*b")->matches(std::string(30, 'a')));
}

} // namespace

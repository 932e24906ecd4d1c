#include "passes/quantize/Calibration.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace weft::quantize;

static std::string parseError(llvm::StringRef body, int version = 1) {
  llvm::Expected<CalibrationTable> table = CalibrationTable::parse(
      ("# weft calibration table " + llvm::Twine(version) + "\n" + body).str(),
      "t");
  return table ? "" : llvm::toString(table.takeError());
}

TEST(CalibrationTable, TextRoundTripsWithOddNames) {
  CalibrationTable table;
  table.method = "auto 99.9";
  table.samples = 32;
  ASSERT_TRUE(table.add({"x", 1, -1, 0.5, -0.75, 0.25}));
  ASSERT_TRUE(table.add({"a b#c%d\tü", 0.1f, 0, 3e-7, 0, 0.1f}));
  EXPECT_FALSE(table.add({"x", 2, 0, 1, 0, 1}));
  llvm::Expected<CalibrationTable> back =
      CalibrationTable::parse(table.str(), "t");
  ASSERT_TRUE(bool(back)) << llvm::toString(back.takeError());
  EXPECT_EQ(back->str(), table.str());
  EXPECT_EQ(back->method, "auto 99.9");
  EXPECT_EQ(back->samples, 32);
  ASSERT_NE(back->find("a b#c%d\tü"), nullptr);
  EXPECT_EQ(static_cast<float>(back->find("a b#c%d\tü")->threshold), 0.1f);
  EXPECT_TRUE(back->find("x")->isSigned());
  EXPECT_EQ(back->find("x")->low, -0.75);
  EXPECT_EQ(back->find("x")->high, 0.25);
  EXPECT_EQ(back->find("y"), nullptr);
}

TEST(CalibrationOptions, TakePercentilesOfMethodsThatHaveThem) {
  for (auto method : {CalibrationMethod::Max, CalibrationMethod::Percentile,
                      CalibrationMethod::Mse, CalibrationMethod::Kl,
                      CalibrationMethod::Auto}) {
    std::string name = stringifyMethod(method).str();
    bool has = name == "percentile" || name == "auto";
    CalibrationOptions options{method};
    EXPECT_EQ(options.str(), name == "percentile" ? "percentile 99.99" : name);
    std::string problem = llvm::toString(options.setPercentile(99.9));
    EXPECT_EQ(problem, has ? ""
                           : "percentile is for the methods percentile and "
                             "auto, the method is " +
                                 name + "; leave it out");
    EXPECT_EQ(options.str(), has ? name + " 99.9" : name);
    for (double wrong : {0.0, -1.0, 100.5, std::nan("")}) {
      std::string text = llvm::toString(options.setPercentile(wrong));
      EXPECT_TRUE(llvm::StringRef(text).contains("must be above 0")) << text;
    }
    EXPECT_EQ(options.percentile, has ? 99.9 : 99.99);
  }
}

TEST(CalibrationTable, Version1HasItsEndsFromTheThreshold) {
  llvm::Expected<CalibrationTable> table =
      CalibrationTable::parse("# weft calibration table 1\n"
                              "both 1 -2 3\n"
                              "inside 4 -2 3\n"
                              "above 4 1 3\n"
                              "below 4 -3 -1\n"
                              "zeros 1e-5 0 0\n",
                              "t");
  ASSERT_TRUE(bool(table)) << llvm::toString(table.takeError());
  auto ends = [&](llvm::StringRef name) {
    const CalibrationEntry *entry = table->find(name);
    return std::pair(entry->low, entry->high);
  };
  EXPECT_EQ(ends("both"), std::pair(-1.0, 1.0));
  EXPECT_EQ(ends("inside"), std::pair(-2.0, 3.0));
  EXPECT_EQ(ends("above"), std::pair(0.0, 3.0));
  EXPECT_EQ(ends("below"), std::pair(-3.0, 0.0));
  EXPECT_EQ(ends("zeros"), std::pair(0.0, 1e-5)); // still a range
}

TEST(CalibrationTable, ErrorsNameTheLine) {
  EXPECT_EQ(parseError("x 1 0 1\ny 1 0\n"),
            "t:3: found 3 words, need 4: name threshold min max");
  EXPECT_EQ(parseError("x abc 0 1\n"),
            "t:2: threshold is 'abc', must be a finite number");
  EXPECT_EQ(parseError("x 1 nan 1\n"),
            "t:2: min is 'nan', must be a finite number");
  EXPECT_EQ(parseError("x 0 0 1\n"), "t:2: threshold is 0, must be positive");
  EXPECT_EQ(parseError("x 1 2 1\n"), "t:2: min 2 is above max 1");
  EXPECT_EQ(parseError("x 1 0 1\nx 1 0 1\n"), "t:3: second entry for 'x'");
  EXPECT_EQ(parseError("a%2 1 0 1\n"),
            "t:2: name 'a%2' has a % without two hexadecimal digits");
  EXPECT_EQ(parseError("# samples: many\n"),
            "t:2: samples is 'many', must be a whole number");
  llvm::Expected<CalibrationTable> other =
      CalibrationTable::parse("x 1 0 1 0 1\n", "t");
  EXPECT_EQ(llvm::toString(other.takeError()),
            "t:1: the first line must be '# weft calibration table 2'; is this "
            "a calibration table?");
  EXPECT_EQ(parseError("x 1 0 1\n", 2),
            "t:2: found 4 words, need 6: name threshold min max low high");
  EXPECT_EQ(parseError("x 1 0 1 0 1\n"),
            "t:2: found 6 words, need 4: name threshold min max");
  EXPECT_EQ(parseError("x 1 0 1 0 inf\n", 2),
            "t:2: high is 'inf', must be a finite number");
  for (const char *ends : {"0.5 1", "-1 -0.5", "0 0"}) {
    auto [low, high] = llvm::StringRef(ends).split(' ');
    EXPECT_EQ(parseError(("x 1 0 1 " + llvm::Twine(ends) + "\n").str(), 2),
              ("t:2: low " + low + " and high " + high +
               " are no range around 0; low must be at most 0, high at least "
               "0, and they must differ")
                  .str());
  }
  llvm::Expected<CalibrationTable> missing =
      CalibrationTable::read("no/such/table");
  EXPECT_EQ(llvm::toString(missing.takeError()),
            "cannot read calibration table 'no/such/table': No such file or "
            "directory");
}

/// Every row of the opcode table is fuzzed, or listed with the reason why not;
/// the table in the manual says the same.
#include "tests/oracle/emulator/Coverage.h"

#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

namespace weft::oracle {
namespace {

const Registry &registry() {
  static std::string error;
  static auto ours = OurEmulator::create(error);
  static const Registry made(*ours);
  return made;
}

TEST(Coverage, everyKindDrawsCommandsOfTheTable) {
  EXPECT_THAT(registry().problems, testing::IsEmpty());
  EXPECT_GE(registry().rows.size(), 161u);
}

TEST(Coverage, everyFunctionIsFuzzedOrListedWithTheReason) {
  for (const Row &row : registry().rows) {
    std::string name(row.opcode->mnemonic);
    if (row.kinds.empty()) {
      EXPECT_TRUE(row.unjudged) << name << " is neither fuzzed nor listed";
      continue;
    }
    EXPECT_TRUE(row.emulated) << name << ": no command of its kinds executes";
    if (!row.unjudgedForm) {
      EXPECT_THAT(row.missingForms, testing::IsEmpty())
          << name << " is not fuzzed in every form";
    }
    EXPECT_FALSE(row.unjudged) << name << " is fuzzed, so it can be judged";
  }
}

TEST(Coverage, fewFunctionsAreJudgedWithinABoundOrNotAtAll) {
  std::set<Function> bounded, unjudged;
  for (const Row &row : registry().rows) {
    if (row.bound.ulps) {
      bounded.insert(row.function);
      EXPECT_LE(row.bound.ulps, 2u) << row.opcode->mnemonic;
      EXPECT_TRUE(row.bound.reason && *row.bound.reason)
          << row.opcode->mnemonic;
    }
    if (row.unjudged)
      unjudged.insert(row.function);
  }
  EXPECT_LE(bounded.size(), kMaxBoundedFunctions);
  EXPECT_LE(unjudged.size(), kMaxUnjudgedFunctions);
}

TEST(Coverage, pageKeepsItsFacts) {
  Tallies tallies;
  tallies[registry().rows[0].function].compared = 17;
  std::string page = coveragePage(registry(), tallies, {3, 17});
  EXPECT_EQ(coverageFactsOf(page), coverageFacts(registry()));
  EXPECT_THAT(page, testing::HasSubstr("| 17 | 0 | 0 | 0 | - | - |"));
}

TEST(Coverage, manualIsCurrent) {
  std::ifstream file(WEFT_DOCS "/instruction-coverage.md");
  std::stringstream page;
  page << file.rdbuf();
  EXPECT_EQ(coverageFactsOf(page.str()), coverageFacts(registry()))
      << "renew docs/instruction-coverage.md: scripts/fuzz_commands "
         "--write-docs";
}

} // namespace
} // namespace weft::oracle

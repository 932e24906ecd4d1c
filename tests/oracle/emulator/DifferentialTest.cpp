/// The same random commands on the vendor's emulator and on ours; all memory
/// must agree.
#include "tests/oracle/emulator/Campaign.h"
#include "tests/oracle/emulator/VendorEmulator.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace weft::oracle {
/// GoogleTest finds it beside the type; without it a name would be the bytes of
/// the parameter.
void PrintTo(const Kind &kind, std::ostream *out) { *out << kind.name; }

namespace {

constexpr unsigned kCommandsPerKind = 24;

/// One pair of emulators for all kinds of this process.
struct Ring {
  std::string error;
  VendorEmulator vendor{error};
  std::unique_ptr<OurEmulator> ours = OurEmulator::create(error);

  static Ring &get() {
    static Ring ring;
    return ring;
  }
};

class EmulatorOracle : public testing::TestWithParam<Kind> {};

TEST_P(EmulatorOracle, equalsTheVendorBitForBit) {
  Ring &ring = Ring::get();
  ASSERT_EQ(ring.error, "");
  Campaign campaign(ring.vendor, *ring.ours);
  EXPECT_EQ(campaign.run(GetParam(), 0, kCommandsPerKind), "");
  Tally all;
  for (const auto &[function, tally] : campaign.tallies)
    all += tally;
  EXPECT_EQ(all.unrepeatable, 0u);
  if (const char *reason = knownMismatch(GetParam().name)) {
    EXPECT_GT(all.mismatches, 0u)
        << "it matches now: drop its row in KnownMismatches.def";
    std::printf("%s: %s, %u of %u differ\n", GetParam().name.c_str(), reason,
                all.mismatches, all.compared);
  } else {
    EXPECT_EQ(all.mismatches, 0u);
    for (const Finding &finding : campaign.findings)
      ADD_FAILURE() << finding.report();
  }
  EXPECT_GE(all.compared * 2, all.drawn())
      << "the vendor takes too few of these commands: " << all.refused
      << " refused, " << all.crashed << " crashed, " << all.hung << " hung; "
      << (campaign.refusals.empty() ? "" : campaign.refusals.begin()->first);
}

std::string testName(const testing::TestParamInfo<Kind> &info) {
  std::string name = info.param.name;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(c); }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Kinds, EmulatorOracle, testing::ValuesIn(allKinds()),
                         testName);

} // namespace
} // namespace weft::oracle

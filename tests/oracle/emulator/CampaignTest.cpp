/// The judge is judged: emulators that are broken on purpose must be found out,
/// and what they do wrong must shrink to what it takes.
#include "tests/oracle/emulator/Campaign.h"

#include "runtime/isa/Codes.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace weft::oracle {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Our emulator, spoilt after each command by a function.
class BrokenEmulator : public Executor {
public:
  using Spoil = std::function<Ending(const Command &, BrokenEmulator &)>;
  explicit BrokenEmulator(Spoil spoil) : spoil(std::move(spoil)) {
    std::string error;
    inner = OurEmulator::create(error);
  }
  uint8_t *memory(Area area) override { return inner->memory(area); }
  uint8_t *local() { return memory(Area::Local); }
  void begin(isa::Engine engine, const uint8_t *bytes, size_t size) override {
    current = {};
    current.engine = engine;
    current.form = Form::sAR;
    current.bytes.assign(bytes, bytes + size);
    inner->begin(engine, bytes, size);
    fresh = false;
  }
  Ending finish(std::string &why) override {
    Ending ending = inner->finish(why);
    if (ending != Ending::Done)
      return ending;
    ending = spoil(current, *this);
    why = ending == Ending::Done ? "" : "it is broken";
    return ending;
  }
  void restart() override { fresh = true; }
  bool isFresh() const override { return fresh; }

  /// Flips the lowest bit of the result's first element.
  void flipResult(const Command &command) {
    local()[command.get(Field::res0_addr)] ^= 1;
  }

private:
  std::unique_ptr<OurEmulator> inner;
  Spoil spoil;
  Command current;
  bool fresh = true;
};

/// fp32 additions of many shapes, strides and lanes.
Kind additions() {
  return {"additions", Contents::Fp32, [](Random &random) {
            Command c = tiuCommand(Form::sAR, 3, isa::arith::Add);
            Places places(random);
            setResult(c, unsigned(random.in(1, 3)), unsigned(random.in(1, 70)),
                      unsigned(random.in(1, 5)), unsigned(random.in(1, 20)));
            for (Field field :
                 {Field::res0_prec, Field::opd0_prec, Field::opd1_prec})
              c.set(field, unsigned(Precision::Fp32));
            c.set(Field::tsk_opd_num, 2).set(Field::opd0_str, random.in(0, 2));
            c.set(Field::opd1_str, uint64_t(random.in(0, 2)));
            c.set(Field::opd0_sign, random.coin());
            c.set(Field::res0_addr, places.result());
            c.set(Field::opd0_addr, places.operand(0));
            return c.set(Field::opd1_addr, places.operand(1));
          }};
}

struct Result {
  Tally tally;
  std::vector<Finding> findings;
};

Result runAgainst(BrokenEmulator::Spoil spoil, Kind kind = additions(),
                  unsigned count = 48) {
  BrokenEmulator reference(std::move(spoil));
  std::string error;
  auto ours = OurEmulator::create(error);
  Campaign campaign(reference, *ours);
  EXPECT_EQ(campaign.run(kind, 0, count), "");
  return {campaign.tallies[{Engine::Tiu, 3, isa::arith::Add}],
          campaign.findings};
}

TEST(Campaign, findsNothingWhereBothAgree) {
  Result result = runAgainst(
      [](const Command &, BrokenEmulator &) { return Ending::Done; });
  EXPECT_EQ(result.tally.compared, 48u);
  EXPECT_EQ(result.tally.shortForms, 48u);
  EXPECT_EQ(result.tally.mismatches, 0u);
  EXPECT_EQ(result.tally.unrepeatable, 0u);
  EXPECT_TRUE(result.findings.empty());
}

TEST(Campaign, shrinksToTheFieldsThatMatter) {
  Result result = runAgainst([](const Command &c, BrokenEmulator &broken) {
    if (c.get(Field::res0_w) >= 6 && c.get(Field::opd1_str) == 2)
      broken.flipResult(c);
    return Ending::Done;
  });
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_GT(result.tally.mismatches, 1u);
  const Finding &finding = result.findings[0];
  EXPECT_EQ(finding.outcome, Outcome::Differs);
  EXPECT_THAT(finding.minimal, HasSubstr("res0_n=1 res0_c=1 res0_h=1 res0_w=6 "
                                         "res0_addr=0x10000 opd1_addr=0x4000"));
  EXPECT_THAT(finding.minimal, HasSubstr("opd1_str="));
  EXPECT_THAT(finding.minimal, Not(HasSubstr("opd0_str=")));
  EXPECT_THAT(finding.minimal, Not(HasSubstr("opd0_sign=")));
  EXPECT_EQ(finding.memory, "zeros");
  EXPECT_THAT(finding.text, HasSubstr("1 elements differ, first at lane 0 "
                                      "offset 0x10000: ours 0x00000000 (0), "
                                      "reference 0x00000001"));
}

TEST(Campaign, namesTheNumbersThatMatter) {
  Result result = runAgainst([](const Command &c, BrokenEmulator &broken) {
    float first;
    std::memcpy(&first, broken.local() + c.get(Field::opd0_addr), 4);
    if (first < -1)
      broken.flipResult(c);
    return Ending::Done;
  });
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_THAT(result.findings[0].memory,
              testing::MatchesRegex(
                  "ones but for lane [0-9]+ offset 0x0: [89a-f][0-9a-f]+"));
}

TEST(Campaign, findsWhatIsWrittenFarFromTheResult) {
  Result result = runAgainst([](const Command &c, BrokenEmulator &broken) {
    if (c.get(Field::res0_c) == 17)
      broken.local()[63 * kLaneStride + 0x3fff0] = 7;
    return Ending::Done;
  });
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_THAT(result.findings[0].minimal, HasSubstr("res0_c=17"));
  EXPECT_THAT(result.findings[0].text, HasSubstr("lane 63 offset 0x3fff0"));
}

TEST(Campaign, countsWhatTheReferenceDoesNotTake) {
  Result result = runAgainst([](const Command &c, BrokenEmulator &) {
    return c.get(Field::res0_c) % 2 ? Ending::Refused : Ending::Done;
  });
  EXPECT_GT(result.tally.refused, 5u);
  EXPECT_EQ(result.tally.refused + result.tally.compared, 48u);
  EXPECT_EQ(result.tally.mismatches, 0u);
}

TEST(Campaign, runsACrashedCommandAgainInAFreshProcess) {
  Result result =
      runAgainst([commands = 0](const Command &, BrokenEmulator &) mutable {
        return ++commands % 8 == 0 ? Ending::Crashed : Ending::Done;
      });
  EXPECT_EQ(result.tally.compared, 48u);
  EXPECT_EQ(result.tally.crashed, 0u);
}

TEST(Campaign, setsAsideWhatDoesNotRepeat) {
  Result result =
      runAgainst([commands = 0](const Command &c, BrokenEmulator &b) mutable {
        if (++commands == 5)
          b.flipResult(c);
        return Ending::Done;
      });
  EXPECT_EQ(result.tally.unrepeatable, 1u);
  EXPECT_EQ(result.tally.mismatches, 0u);
}

TEST(Campaign, takesABoundInUnitsOfTheLastPlace) {
  auto offByOne = [](const Command &c, BrokenEmulator &broken) {
    broken.flipResult(c);
    return Ending::Done;
  };
  Kind kind = additions();
  kind.noSpecials = "one bit of an infinity makes it a NaN";
  kind.bound = {1, "the reference is off by one"};
  EXPECT_EQ(runAgainst(offByOne, kind).tally.mismatches, 0u);
  kind.bound = {};
  EXPECT_EQ(runAgainst(offByOne, kind).tally.mismatches, 48u);
}

TEST(Campaign, reportsWhatOursAloneRefuses) {
  std::string error;
  auto reference = OurEmulator::create(error);
  BrokenEmulator ours([](const Command &c, BrokenEmulator &) {
    return c.get(Field::res0_h) >= 3 ? Ending::Refused : Ending::Done;
  });
  Campaign campaign(*reference, ours);
  EXPECT_EQ(campaign.run(additions(), 0, 48), "");
  ASSERT_EQ(campaign.findings.size(), 1u);
  EXPECT_EQ(campaign.findings[0].outcome, Outcome::OursRefuses);
  EXPECT_EQ(campaign.findings[0].text, "ours refuses: it is broken");
  EXPECT_THAT(campaign.findings[0].minimal,
              HasSubstr("res0_n=1 res0_c=1 res0_h=3 res0_w=1 "));
}

TEST(Campaign, saysWhenAKindDrawsNoCommand) {
  std::string error;
  auto reference = OurEmulator::create(error),
       ours = OurEmulator::create(error);
  Campaign campaign(*reference, *ours);
  Kind kind = {
      "wrong", Contents::Bytes, [](Random &) {
        return tiuCommand(Form::sAR, 3, 0).set(Field::res0_n, 1u << 30);
      }};
  EXPECT_EQ(campaign.run(kind, 7, 1),
            "wrong, seed 7: the kind draws a wrong command: sAR.res0_n cannot "
            "hold 1073741824");
}

TEST(Command, isTheSameForTheSameSeed) {
  Kind kind = additions();
  EXPECT_EQ(drawCommand(kind, 3).bytes, drawCommand(kind, 3).bytes);
  EXPECT_NE(drawCommand(kind, 3).bytes, drawCommand(kind, 4).bytes);
}

TEST(Command, pokesAreSeenAndTakenBack) {
  Kind kind = additions();
  kind.make = [inner = kind.make](Random &random) {
    Command c = inner(random);
    return c.pokeLocal(uint32_t(c.get(Field::opd0_addr)), {0, 0, 0x28, 0x42});
  };
  std::string error;
  auto ours = OurEmulator::create(error);
  unsigned seen = 0;
  BrokenEmulator reference([&](const Command &c, BrokenEmulator &broken) {
    float first;
    std::memcpy(&first, broken.local() + c.get(Field::opd0_addr), 4);
    seen += first == 42.0f;
    return Ending::Done;
  });
  Campaign campaign(reference, *ours);
  EXPECT_EQ(campaign.run(kind, 0, 32), "");
  EXPECT_EQ(seen, 32u);
  EXPECT_TRUE(campaign.findings.empty());
}

} // namespace
} // namespace weft::oracle

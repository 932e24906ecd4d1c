#include "runtime/emulator/Emulator.h"

#include "runtime/chips/Chips.h"
#include "runtime/isa/Decode.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::emulator;
using isa::Field;
using isa::Form;
using testing::HasSubstr;

namespace {

struct Buffer {
  std::vector<uint8_t> bytes;
  uint32_t next = 1;

  uint8_t *add(Form form,
               std::initializer_list<std::pair<Field, uint64_t>> fields) {
    size_t at = bytes.size();
    bytes.resize(at + isa::formSpec(form).bytes);
    uint8_t *word = &bytes[at];
    isa::set(form, Field::cmd_id, word, next++);
    isa::set(form, Field::cmd_id_en, word, 1);
    if (isa::formSpec(form).engine == isa::Engine::Tiu)
      isa::set(form, Field::cmd_short, word, 1);
    for (auto &field : fields)
      EXPECT_TRUE(isa::set(form, field.first, word, field.second));
    return word;
  }
  void end(isa::Engine engine) {
    auto word = engine == isa::Engine::Tiu ? isa::makeTiuEnd(next)
                                           : isa::makeGdmaEnd(next);
    bytes.insert(bytes.end(), word.begin(), word.end());
  }
};

/// res = a + 1.0 on one fp32 element at lane offset 0, after `dep`.
void addOne(Buffer &tiu, uint64_t dep, uint64_t address = 0,
            uint64_t width = 1) {
  tiu.add(Form::sAR, {{Field::tsk_typ, 3},
                      {Field::tsk_eu_typ, 2},
                      {Field::tsk_opd_num, 2},
                      {Field::cmd_id_dep, dep},
                      {Field::res0_prec, 2},
                      {Field::opd0_prec, 2},
                      {Field::opd1_prec, 2},
                      {Field::opd1_const, 1},
                      {Field::opd1_addr, 0x3f800000},
                      {Field::res0_n, 1},
                      {Field::res0_c, 1},
                      {Field::res0_h, 1},
                      {Field::res0_w, width},
                      {Field::res0_addr, address},
                      {Field::opd0_addr, address}});
}

void fill(Buffer &gdma, uint64_t dep, uint64_t high, uint32_t low,
          uint32_t bits) {
  gdma.add(Form::DMA_tensor, {{Field::cmd_id_dep, dep},
                              {Field::fill_constant_en, 1},
                              {Field::src_data_format, 2},
                              {Field::constant_value, bits},
                              {Field::dst_nsize, 1},
                              {Field::dst_csize, 1},
                              {Field::dst_hsize, 1},
                              {Field::dst_wsize, 1},
                              {Field::dst_start_addr_l32, low},
                              {Field::dst_start_addr_h8, high},
                              {Field::localmem_mask_l32, 0xffffffff},
                              {Field::localmem_mask_h32, 0xffffffff}});
}

struct Fixture : testing::Test {
  std::unique_ptr<Emulator> emulator = *Emulator::create(chips::bm1684x);
  Buffer tiu, gdma;

  rt::Result<RunStats> run(const std::vector<Tap> &taps = {}) {
    tiu.end(isa::Engine::Tiu);
    gdma.end(isa::Engine::Gdma);
    return emulator->run({{tiu.bytes.data(), tiu.bytes.size(),
                           gdma.bytes.data(), gdma.bytes.size()}},
                         taps);
  }
};
using EmulatorRun = Fixture;

} // namespace

TEST_F(EmulatorRun, enginesWaitForEachOtherAndTapsSeeEachStep) {
  fill(gdma, 0, 0, 0x08000000, 0x40000000); // 2.0
  addOne(tiu, 1);
  addOne(tiu, 2);
  fill(gdma, 1, 0, 0x08000040, 0);
  std::vector<float> seen;
  auto observe = [&](const Emulator &e) {
    LocalTensor tensor;
    auto value = e.readLocal(tensor);
    EXPECT_TRUE(value);
    seen.push_back(value->as<float>()[0]);
    return rt::Status::ok();
  };
  auto stats = run(
      {{0, isa::Engine::Tiu, 2, observe}, {0, isa::Engine::Tiu, 1, observe}});
  ASSERT_TRUE(stats) << stats.status().message();
  EXPECT_EQ(seen, (std::vector<float>{3.0f, 4.0f}));
  EXPECT_EQ(stats->tiuCommands, 3u);
  EXPECT_EQ(stats->dramWriteBytes, 0u);
}

/// What lies at lane offset 0 after an addition (TIU) and fills (GDMA) with
/// these waits.
static float finalValue(Order order, uint64_t addWaits,
                        const std::vector<uint64_t> &fillWaits) {
  Buffer tiu, gdma;
  addOne(tiu, addWaits);
  for (uint64_t waits : fillWaits)
    fill(gdma, waits, 0, 0x08000000, 0x40000000); // 2.0
  tiu.end(isa::Engine::Tiu);
  gdma.end(isa::Engine::Gdma);
  std::unique_ptr<Emulator> emulator = *Emulator::create(chips::bm1684x);
  auto stats = emulator->run({{tiu.bytes.data(), tiu.bytes.size(),
                               gdma.bytes.data(), gdma.bytes.size()}},
                             {}, order);
  EXPECT_TRUE(stats) << stats.status().message();
  return emulator->readLocal(LocalTensor())->as<float>()[0];
}

TEST(EmulatorOrder, aMissingWaitShowsInOneOfThem) {
  for (Schedule schedule : {Schedule::InTurn, Schedule::GdmaFirst,
                            Schedule::TiuFirst, Schedule::Alternating}) {
    EXPECT_EQ(finalValue({schedule}, 1, {0}), 3.0f); // add after fill
    EXPECT_EQ(finalValue({schedule}, 0, {1}), 2.0f); // fill after add
  }
  EXPECT_EQ(finalValue({Schedule::GdmaFirst}, 0, {0}), 3.0f);
  EXPECT_EQ(finalValue({Schedule::Alternating}, 0, {0}), 3.0f);
  EXPECT_EQ(finalValue({Schedule::TiuFirst}, 0, {0}), 2.0f);
}

TEST(EmulatorOrder, theOtherEngineDoesOnlyWhatIsWaitedFor) {
  // The addition waits for the first fill; the second one may go either way.
  EXPECT_EQ(finalValue({Schedule::InTurn}, 1, {0, 0}), 3.0f);
  EXPECT_EQ(finalValue({Schedule::GdmaFirst}, 1, {0, 0}), 3.0f);
  EXPECT_EQ(finalValue({Schedule::TiuFirst}, 1, {0, 0}), 2.0f);
}

TEST(EmulatorOrder, adversarialOnesBeginWithTheExtremes) {
  EXPECT_EQ(finalValue(adversarialOrder(0), 0, {0}), 2.0f);
  EXPECT_EQ(finalValue(adversarialOrder(1), 0, {0}), 3.0f);
  size_t addsFirst = 0;
  for (uint64_t number = 2; number < 66; ++number) {
    float value = finalValue(adversarialOrder(number), 0, {0});
    EXPECT_EQ(finalValue(adversarialOrder(number), 0, {0}), value);
    EXPECT_EQ(finalValue(adversarialOrder(number), 0, {1}), 2.0f);
    addsFirst += value == 2.0f;
  }
  EXPECT_GT(addsFirst, 16u);
  EXPECT_LT(addsFirst, 48u);
}

TEST_F(EmulatorRun, deadlockIsReported) {
  addOne(tiu, 1);
  fill(gdma, 1, 0, 0x08000000, 0);
  auto stats = run();
  EXPECT_EQ(stats.status().code(), rt::Code::Deadlock);
  EXPECT_THAT(stats.status().message(), HasSubstr("waits for command 1"));
}

TEST_F(EmulatorRun, outOfRangeAddressesAreErrorsThatNameTheCommand) {
  addOne(tiu, 0, 0x3ffff);
  auto stats = run();
  EXPECT_THAT(stats.status().message(), HasSubstr("command 1 (arith.add)"));
  EXPECT_THAT(stats.status().message(), HasSubstr("does not fit"));
}

TEST_F(EmulatorRun, unmappedAndReadOnlyGlobalMemoryIsRefused) {
  fill(gdma, 0, 1, 0, 5);
  std::vector<uint8_t> weights(64);
  ASSERT_TRUE(
      emulator->mapGlobalReadOnly(0x100000000, weights.data(), weights.size()));
  EXPECT_FALSE(emulator->mapGlobal(0x100000020, weights.data(), 4));
  auto stats = run();
  EXPECT_THAT(stats.status().message(), HasSubstr("read-only"));
  emulator->unmapGlobal();
  auto again =
      emulator->run({{nullptr, 0, gdma.bytes.data(), gdma.bytes.size()}});
  EXPECT_THAT(again.status().message(), HasSubstr("no memory of this program"));
}

TEST_F(EmulatorRun, brokenBuffersAreRefused) {
  addOne(tiu, 0);
  auto noEnd =
      emulator->run({{tiu.bytes.data(), tiu.bytes.size(), nullptr, 0}});
  EXPECT_FALSE(noEnd);
  auto cut =
      emulator->run({{tiu.bytes.data(), tiu.bytes.size() - 1, nullptr, 0}});
  EXPECT_FALSE(cut);
  isa::set(Form::sAR, Field::cmd_id, tiu.bytes.data(), 7);
  auto badId = run();
  EXPECT_THAT(badId.status().message(), HasSubstr("ids count from 1"));
}

TEST_F(EmulatorRun, summaryEqualsTheRun) {
  std::vector<uint8_t> memory(64);
  ASSERT_TRUE(emulator->mapGlobal(0x100000000, memory.data(), memory.size()));
  fill(gdma, 0, 1, 0, 5);
  auto stats = run();
  ASSERT_TRUE(stats) << stats.status().message();
  auto summary = summarizeCommands(chips::bm1684x,
                                   {{tiu.bytes.data(), tiu.bytes.size(),
                                     gdma.bytes.data(), gdma.bytes.size()}});
  ASSERT_TRUE(summary);
  EXPECT_EQ(stats->dramWriteBytes, 4u);
  EXPECT_EQ(summary->dramWriteBytes, 4u);
  EXPECT_EQ(memory[0], 5);
}

#include "runtime/bmodel/WorkBudget.h"
#include "runtime/bmodel/Bmodel.h"
#include "runtime/chips/Chips.h"
#include "runtime/isa/CommandBuilder.h"
#include "tests/unit/runtime/bmodel/SmallModel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace weft;
using namespace weft::rt;
using isa::Field;
using testing::HasSubstr;

namespace {

std::string loadMessage(const SmallModel &model) {
  Result<Bmodel> loaded = Bmodel::load(packModel(model), "small");
  return loaded ? "" : loaded.status().message();
}

/// Reads one word for ever, and writes `sizes` words from the output on.
SmallModel makeFill(uint64_t n, uint64_t c, uint64_t h, uint64_t w) {
  SmallModel model = makeSmallModel();
  model.set(Field::stride_enable, 1);
  model.set(Field::src_nsize, n);
  model.set(Field::src_csize, c);
  model.set(Field::src_hsize, h);
  model.set(Field::src_wsize, w);
  return model;
}

/// To local memory, all of it.
SmallModel makeLocalFill() {
  SmallModel model = makeFill(1, 64, 512, 128);
  for (Field stride : {Field::dst_nstride, Field::dst_cstride})
    model.set(stride, 512 * 128);
  model.set(Field::dst_hstride, 128);
  model.set(Field::dst_wstride, 1);
  model.set(Field::dst_start_addr_l32, 0x8000000);
  model.set(Field::dst_start_addr_h8, 0);
  return model;
}

} // namespace

TEST(WorkBudget, TakesWhatFillsAMemoryOnce) {
  EXPECT_EQ(loadMessage(makeFill(1, 1, 32, 64)), ""); // 8192 bytes
  EXPECT_EQ(loadMessage(makeLocalFill()), "");
}

TEST(WorkBudget, RefusesDramWrittenAgainAndAgain) {
  for (uint64_t n : {1, 65535}) {
    std::string message = loadMessage(makeFill(n, n, 65535, 65535));
    EXPECT_THAT(message, HasSubstr("gdma command 0 (byte 0 of the blob): it "
                                   "writes "));
    EXPECT_THAT(message, HasSubstr("into a memory of 8192, some of them again "
                                   "and again (strides of 0"));
  }
}

TEST(WorkBudget, RefusesLocalMemoryWrittenAgainAndAgain) {
  SmallModel model = makeLocalFill();
  model.set(Field::src_nsize, 2);
  EXPECT_THAT(loadMessage(model),
              HasSubstr("it writes 33554432 bytes into a memory of 16777216"));
}

TEST(WorkBudget, RefusesElementArithmeticWrittenAgainAndAgain) {
  for (const Chip *chip : chips::withCommands()) {
    auto spend = [&](uint64_t nc, uint64_t hw) {
      Result<isa::CommandBuilder> builder = isa::CommandBuilder::make(
          *chip->instructions, isa::Engine::Tiu, unsigned(isa::TiuType::Arith),
          isa::arith::Add, isa::Form::AR);
      EXPECT_TRUE(builder.isOk());
      for (Field size : {Field::res0_n, Field::res0_c})
        EXPECT_TRUE(builder->set(size, nc).isOk());
      for (Field size : {Field::res0_h, Field::res0_w})
        EXPECT_TRUE(builder->set(size, hw).isOk());
      return WorkBudget(*chip, 8192).spend(builder->decoded());
    };
    EXPECT_TRUE(spend(8, 512).isOk());
    for (uint64_t nc : {1, 65535})
      EXPECT_THAT(spend(nc, 65535).message(), HasSubstr("again and again"));
  }
}

TEST(WorkBudget, RefusesMoreCyclesThanAnHonestProgramTakes) {
  // A copy of 16 MB takes some 2^18 cycles, a stage may take 2^38.
  SmallModel model = makeLocalFill();
  model.repeatGroup(100);
  EXPECT_EQ(loadMessage(model), "");
  WorkBudget budget(*chips::find("BM1684X"), 8192);
  isa::DecodeResult decoded =
      isa::decodeOne(isa::Engine::Gdma, model.gdma(), 96);
  ASSERT_TRUE(decoded);
  Status status;
  size_t commands = 0;
  while (commands < (1u << 24) && (status = budget.spend(decoded.command)))
    ++commands;
  EXPECT_GT(commands, 100000u);
  EXPECT_EQ(status.code(), Code::BadCommand);
  EXPECT_THAT(status.message(), HasSubstr("a stage may take 274877906944"));
}

TEST(WorkBudget, RefusesGroupsThatCountTheSameCommandsForEver) {
  SmallModel model = makeSmallModel();
  model.setCounts(1 << 20, 2);
  model.repeatGroup(64);
  EXPECT_EQ(loadMessage(model),
            "small: the groups count 67108992 commands; a file may have "
            "67108864: split the model, if it is one");
}

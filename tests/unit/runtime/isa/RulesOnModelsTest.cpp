//===- RulesOnModelsTest.cpp - the vendor's own commands keep the rules --===//

#include "runtime/bmodel/Areas.h"
#include "runtime/bmodel/Bmodel.h"
#include "runtime/isa/Rules.h"
#include "tests/unit/runtime/isa/FirstTable.h"
#include <filesystem>
#include <gtest/gtest.h>

using namespace weft;

namespace {

void checkStream(const Chip &chip, const rt::StageSpec &stage,
                 isa::Engine engine, rt::ByteSpan bytes, size_t &commands) {
  isa::DecodedStream stream = isa::decodeStream(engine, bytes.data, bytes.size);
  ASSERT_EQ(stream.error, isa::DecodeError::None);
  for (const isa::Decoded &command : stream.commands) {
    rt::Status status = isa::checkCommand(command, chip);
    EXPECT_TRUE(status) << status.message() << "\n"
                        << isa::disassemble(command);
    status = rt::checkAreas(chip, stage, command);
    EXPECT_TRUE(status) << status.message() << "\n"
                        << isa::disassemble(command);
    ++commands;
  }
}

} // namespace

// F32, F16, BF16, INT8 symmetric and asymmetric, made by the vendor's compiler.
TEST(Rules, EveryCommandOfTheVendorsModelsKeepsThem) {
  size_t models = 0, commands = 0;
  for (const auto &entry :
       std::filesystem::directory_iterator(WEFT_TEST_DATA "/vendor-bmodels")) {
    if (entry.path().extension() != ".bmodel")
      continue;
    SCOPED_TRACE(entry.path().filename());
    rt::Result<rt::Bmodel> model = rt::Bmodel::load(entry.path().string());
    ASSERT_TRUE(model) << model.status().message();
    ++models;
    for (const rt::NetSpec &net : model->nets())
      for (const rt::StageSpec &stage : net.stages)
        for (const rt::GroupSpec &group : stage.groups) {
          checkStream(model->chip(), stage, isa::Engine::Tiu, group.tiu,
                      commands);
          checkStream(model->chip(), stage, isa::Engine::Gdma, group.gdma,
                      commands);
        }
  }
  EXPECT_EQ(models, 18u);
  EXPECT_GT(commands, 2000u);
}

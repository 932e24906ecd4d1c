/// Results that lie over operands come out the same with any number of threads.
#include "runtime/chips/Chips.h"
#include "runtime/emulator/Emulator.h"
#include "runtime/isa/CommandBuilder.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace weft::emulator {
namespace {

using isa::CommandBuilder;
using isa::Engine;
using isa::Field;
using Fields = std::initializer_list<std::pair<Field, uint64_t>>;

constexpr size_t kLocalBytes = 64 * 0x40000;

/// Local memory after the command, which starts from small whole numbers.
std::vector<uint8_t> localAfter(unsigned threads, unsigned type, unsigned func,
                                Fields fields) {
  auto machine = Emulator::create(*chips::find("BM1684X"), threads);
  EXPECT_TRUE(machine) << machine.status().message();
  uint8_t *local = (*machine)->localMemory();
  for (size_t i = 0; i < kLocalBytes / 4; ++i) {
    float value = float(i * 2654435761u >> 28) - 7;
    std::memcpy(local + i * 4, &value, 4);
  }
  auto command =
      CommandBuilder::make(isa::firstTable(), Engine::Tiu, type, func);
  EXPECT_TRUE(command) << command.status().message();
  for (auto [field, value] : fields)
    EXPECT_TRUE(command->set(field, value)) << isa::fieldName(field);
  auto status =
      (*machine)->execute(Engine::Tiu, command->bytes(), command->sizeBytes());
  EXPECT_TRUE(status) << status.message();
  return {local, local + kLocalBytes};
}

void expectSame(unsigned type, unsigned func, Fields fields) {
  std::vector<uint8_t> one = localAfter(1, type, func, fields);
  for (unsigned threads : {2u, 5u})
    for (unsigned again = 0; again < 3; ++again)
      ASSERT_TRUE(localAfter(threads, type, func, fields) == one)
          << threads << " threads";
}

/// Products of `outputs` x 64 channels of 100 pixels, the input at 0 and the
/// weights at 0x4000: enough to be shared among threads.
void expectSameConvolution(uint64_t outputs, uint64_t resultAddress) {
  expectSame(0, isa::conv::Normal,
             {{Field::res0_prec, 2},
              {Field::opd0_prec, 2},
              {Field::opd2_const, 1},
              {Field::opd3_const, 1},
              {Field::res0_n, 1},
              {Field::res0_c, outputs},
              {Field::res0_h, 10},
              {Field::res0_w, 10},
              {Field::opd0_c, 64},
              {Field::opd0_h, 10},
              {Field::opd0_w, 10},
              {Field::opd1_h, 1},
              {Field::opd1_w, 1},
              {Field::res_op_x_str, 1},
              {Field::res_op_y_str, 1},
              {Field::res0_addr, resultAddress},
              {Field::opd0_addr, 0},
              {Field::opd1_addr, 0x4000}});
}

TEST(Overlap, convolutionOverItsInput) { expectSameConvolution(64, 64); }

TEST(Overlap, convolutionOverItsWeights) { expectSameConvolution(256, 0x4000); }

TEST(Overlap, poolOverItsInput) {
  expectSame(1, isa::pord::MaxPool,
             {{Field::res0_prec, 2},
              {Field::opd0_prec, 2},
              {Field::opd3_const, 1},
              {Field::opd3_addr, 0xff7fffff},
              {Field::res0_n, 1},
              {Field::res0_c, 640},
              {Field::res0_h, 30},
              {Field::res0_w, 30},
              {Field::opd0_h, 32},
              {Field::opd0_w, 32},
              {Field::opd1_h, 3},
              {Field::opd1_w, 3},
              {Field::res_op_x_str, 1},
              {Field::res_op_y_str, 1},
              {Field::res0_addr, 0x1000},
              {Field::opd0_addr, 0}});
}

TEST(Overlap, matrixProductOverItsRightOperand) {
  expectSame(2, isa::mm::Normal,
             {{Field::res0_prec, 2},
              {Field::opd0_prec, 2},

              {Field::opd2_const, 1},
              {Field::res0_c, 4},
              {Field::res0_w, 64},
              {Field::opd0_n, 64},
              {Field::opd0_c, 1},
              {Field::opd0_w, 64},
              {Field::opd1_w, 64},
              {Field::res0_addr, 0x8000},
              {Field::opd0_addr, 0},
              {Field::opd1_addr, 0x8000}});
}

} // namespace
} // namespace weft::emulator

//===- CyclesTest.cpp - the cost model on commands made here --------------===//
//
// timelines_test.py holds the model to the vendor's figures; these tests hold
// it to what must be true of every command that decodes.
//
//===----------------------------------------------------------------------===//

#include "runtime/cycles/Cycles.h"
#include "runtime/chips/bm1684x.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

using namespace weft;
using cycles::CommandCost;
using cycles::Direction;
using cycles::Evidence;
using isa::Engine;
using isa::Field;

namespace {

/// A command under construction; fields that the form lacks are left out.
struct Command {
  isa::Form form = isa::Form::None;
  Engine engine = Engine::Tiu;
  std::array<uint8_t, 256> bytes{};

  Command(Engine engine, unsigned type, unsigned func, bool isShort)
      : engine(engine) {
    const isa::Opcode *opcode = isa::findOpcode(engine, type, func);
    if (!opcode)
      return;
    form = isShort ? opcode->shortForm : opcode->longForm;
    if (form == isa::Form::None)
      return;
    set(Field::cmd_short, isShort);
    set(engine == Engine::Tiu ? Field::tsk_typ : Field::cmd_type, type);
    set(engine == Engine::Tiu ? Field::tsk_eu_typ : Field::cmd_special_function,
        func);
  }
  Command &set(Field field, uint64_t value) {
    if (isa::hasField(form, field)) // LAR's fields are narrow
      isa::set(form, field, bytes.data(),
               std::min(value, isa::fieldMax(form, field)));
    return *this;
  }
  isa::DecodeResult decode() const {
    return isa::decodeOne(engine, bytes.data(), isa::formSpec(form).bytes);
  }
  CommandCost cost() const {
    isa::DecodeResult result = decode();
    EXPECT_TRUE(result) << isa::decodeErrorText(result.error);
    return cycles::estimate(result.command, chips::bm1684x);
  }
};

Command shaped(Engine engine, unsigned type, unsigned func, uint64_t n,
               uint64_t c, uint64_t h, uint64_t w) {
  Command command(engine, type, func, engine == Engine::Tiu);
  if (engine == Engine::Tiu)
    command.set(Field::res0_n, n)
        .set(Field::res0_c, c)
        .set(Field::res0_h, h)
        .set(Field::res0_w, w);
  else
    command.set(Field::src_nsize, n)
        .set(Field::src_csize, c)
        .set(Field::src_hsize, h)
        .set(Field::src_wsize, w);
  return command;
}

template <typename Visit>
void forEachInstruction(Visit visit) {
  for (Engine engine : {Engine::Tiu, Engine::Gdma})
    for (unsigned type = 0; type < 16; ++type)
      for (unsigned func = 0; func < 32; ++func)
        for (bool isShort : {false, true}) {
          Command command(engine, type, func, isShort);
          if (command.form != isa::Form::None && command.decode())
            visit(command, type, func);
        }
}

bool isSystem(const isa::Decoded &command) {
  return command.engine == Engine::Tiu
             ? command.type == static_cast<unsigned>(isa::TiuType::System)
             : command.type == static_cast<unsigned>(isa::GdmaType::System);
}

} // namespace

TEST(Cycles, EveryCommandThatDecodesHasAFiniteCostAndAKin) {
  std::mt19937_64 random(4);
  unsigned instructions = 0;
  forEachInstruction([&](Command &command, unsigned, unsigned) {
    ++instructions;
    for (int round = 0; round < 300; ++round) {
      Command drawn = command;
      for (const isa::FieldSpec &field : isa::formSpec(command.form)) {
        if (field.name == Field::Reserved || field.name == Field::cmd_short ||
            field.name == Field::tsk_typ || field.name == Field::tsk_eu_typ ||
            field.name == Field::cmd_type ||
            field.name == Field::cmd_special_function)
          continue;
        uint64_t most = isa::fieldMax(command.form, field.name);
        // All bits, a few bits, the extremes.
        uint64_t value = random() % 4 == 0   ? most
                         : random() % 3 == 0 ? 0
                         : random() % 2 == 0 ? random() & most
                                             : random() % 100 & most;
        drawn.set(field.name, value);
      }
      isa::DecodeResult result = drawn.decode();
      ASSERT_TRUE(result);
      CommandCost cost = cycles::estimate(result.command, chips::bm1684x);
      ASSERT_LE(cost.cycles, uint64_t(1) << 48)
          << isa::disassemble(result.command);
      if (isSystem(result.command)) {
        ASSERT_EQ(cost.cycles, 0u);
        continue;
      }
      ASSERT_GE(cost.cycles, 1u) << isa::disassemble(result.command);
      ASSERT_NE(cost.kin, "") << isa::disassemble(result.command);
      ASSERT_EQ(cost.measured, cost.evidence == Evidence::Measured);
      if (cost.measured) {
        ASSERT_EQ(cost.kin.rfind(std::string(result.command.mnemonic) + " ", 0),
                  0u);
      }
    }
  });
  EXPECT_GE(instructions, 200u);
}

TEST(Cycles, AnAlignedTiuCommandNeverGetsCheaperBySize) {
  forEachInstruction([&](Command &command, unsigned type, unsigned func) {
    if (command.engine != Engine::Tiu || isSystem(command.decode().command))
      return;
    for (Field axis :
         {Field::res0_n, Field::res0_c, Field::res0_h, Field::res0_w})
      for (uint64_t precision : {0, 1, 2, 4, 5}) {
        uint64_t last = 0;
        for (uint64_t size = 1; size < 300; size += 7) {
          Command drawn = shaped(Engine::Tiu, type, func, 2, 70, 3, 40);
          if (drawn.form == isa::Form::None)
            return;
          for (Field field :
               {Field::opd0_c, Field::opd0_w, Field::opd1_c, Field::opd1_h,
                Field::opd1_w, Field::opd0_h, Field::opd1_n, Field::opd0_n})
            drawn.set(field, 3);
          for (Field field :
               {Field::res0_prec, Field::opd0_prec, Field::opd1_prec})
            drawn.set(field, precision);
          drawn.set(Field::opd0_addr, 0x10000)
              .set(Field::opd1_addr, 0x20000)
              .set(axis, size);
          uint64_t now = drawn.cost().cycles;
          ASSERT_GE(now, last) << isa::disassemble(drawn.decode().command);
          last = now;
        }
      }
  });
}

TEST(Cycles, ConvolutionDoesFourOutputsALaneOrSixteenOfFp32) {
  auto conv = [](uint64_t precision, uint64_t channels) {
    return shaped(Engine::Tiu, 0, 0, 1, 65, 10, 10)
        .set(Field::opd0_prec, precision)
        .set(Field::res0_prec, precision)
        .set(Field::opd0_c, channels)
        .set(Field::opd1_h, 3)
        .set(Field::opd1_w, 3)
        .cost();
  };
  // 65 channels: 2 rounds of 64 lanes; 100 outputs; 9 taps.
  EXPECT_EQ(conv(0, 65).cycles, 2u * 25 * 2 * 9); // 64 channels of int8 at once
  EXPECT_EQ(conv(1, 65).cycles, 2u * 25 * 3 * 9); // 32 of fp16
  EXPECT_EQ(conv(2, 65).cycles, 2u * 7 * 65 * 9); // 1 of fp32, ceil(100 / 16)
  EXPECT_EQ(conv(0, 65).macs, 65u * 100 * 65 * 9);
  EXPECT_TRUE(conv(1, 65).measured);
}

TEST(Cycles, WorkInOnePlaceTakesTwice) {
  auto add = [](uint64_t from) {
    return shaped(Engine::Tiu, 3, 2, 1, 64, 8, 100)
        .set(Field::res0_prec, 1)
        .set(Field::opd0_prec, 1)
        .set(Field::opd1_prec, 1)
        .set(Field::tsk_opd_num, 2)
        .set(Field::opd1_const, 1)
        .set(Field::res0_addr, 0x4000)
        .set(Field::opd0_addr, from)
        .cost()
        .cycles;
  };
  EXPECT_EQ(add(0x8000), 25u); // 800 elements of 2 bytes, 32 to a row
  EXPECT_EQ(add(0x4000), 50u);
}

TEST(Cycles, ARareTypeOrFunctionNamesItsNearestMeasuredKin) {
  auto add = [](uint64_t precision) {
    return shaped(Engine::Tiu, 3, 2, 1, 64, 8, 100)
        .set(Field::res0_prec, precision)
        .set(Field::opd0_prec, precision)
        .set(Field::opd1_prec, precision)
        .set(Field::tsk_opd_num, 2)
        .set(Field::opd1_addr, 0x8000)
        .set(Field::opd0_addr, 0x10000)
        .cost();
  };
  EXPECT_TRUE(add(1).measured);
  EXPECT_EQ(add(1).kin, "arith.add fp16");
  EXPECT_TRUE(add(5).measured);
  EXPECT_EQ(add(5).kin, "arith.add bf16");
  EXPECT_EQ(add(5).cycles, add(1).cycles);
  // int4 costs like int8.
  CommandCost int4 = shaped(Engine::Tiu, 0, 0, 1, 64, 8, 8)
                         .set(Field::opd0_prec, 6)
                         .set(Field::opd0_c, 64)
                         .set(Field::opd1_h, 1)
                         .set(Field::opd1_w, 1)
                         .cost();
  EXPECT_EQ(int4.kin, "conv.normal int8");
  EXPECT_FALSE(int4.measured);
  EXPECT_EQ(int4.cycles, 16u);
  // The encoder library vouches for the types that it was asked for, no others.
  EXPECT_EQ(int4.evidence, Evidence::Kin);
  EXPECT_EQ(int4.precision, isa::Precision::Int4);
  EXPECT_EQ(add(0).evidence, Evidence::Kin); // that is add_sat's work
  EXPECT_EQ(add(7).evidence, Evidence::Kin); // no type
  // Functions without data.
  CommandCost first = shaped(Engine::Tiu, 3, 29, 1, 64, 8, 8)
                          .set(Field::res0_prec, 1)
                          .set(Field::opd0_prec, 1)
                          .cost();
  EXPECT_EQ(first.kin, "arith.cast fp16");
  EXPECT_EQ(first.evidence, Evidence::Kin);
  auto linear = [](unsigned func, uint64_t precision) {
    return shaped(Engine::Tiu, 10, func, 1, 64, 8, 8)
        .set(Field::res0_prec, precision)
        .cost();
  };
  EXPECT_TRUE(linear(isa::lin::Mac, 2).measured);
  EXPECT_EQ(linear(isa::lin::SquareSum, 2).kin, "lin.mac fp32");
  EXPECT_EQ(linear(isa::lin::SquareSum, 2).evidence, Evidence::Probed);
  EXPECT_EQ(linear(isa::lin::SquareSum, 2).cycles,
            linear(isa::lin::Mac, 2).cycles);
  // lin.mac in a type that no timeline shows.
  EXPECT_EQ(linear(isa::lin::Mac, 1).evidence, Evidence::Probed);
  EXPECT_EQ(linear(isa::lin::Mac, 1).kin, "lin.mac fp32");
}

TEST(Cycles, DmaKnowsItsDirectionBytesAndChannels) {
  auto load = [](uint64_t w, uint64_t to) {
    return shaped(Engine::Gdma, 0, 0, 1, 1, 1, w)
        .set(Field::stride_enable, 1)
        .set(Field::nchw_copy, 1)
        .set(Field::src_nstride, w)
        .set(Field::src_cstride, w)
        .set(Field::src_hstride, w)
        .set(Field::src_wstride, 1)
        .set(Field::dst_nstride, w)
        .set(Field::dst_cstride, w)
        .set(Field::dst_hstride, w)
        .set(Field::dst_wstride, 1)
        .set(Field::src_start_addr_h8, 1)
        .set(Field::dst_start_addr_l32, to)
        .cost();
  };
  CommandCost page = load(4096, 0x0800'0000);
  EXPECT_EQ(page.direction, Direction::GlobalToLocal);
  EXPECT_EQ(page.bytes, 4096u);
  EXPECT_EQ(page.cycles, 303u); // one of four channels: 4096 * 4 / 54.02
  // One byte more lies in two pages, hence two channels.
  EXPECT_EQ(load(4097, 0x0800'0000).cycles, 151u);
  EXPECT_EQ(load(16384, 0x0800'0000).cycles, 303u);
  // A byte costs like 256.
  EXPECT_EQ(load(1, 0x0800'0000).cycles, load(256, 0x0800'0000).cycles);
  // Only the width of a type matters to an engine that moves bytes.
  EXPECT_TRUE(page.measured);
  EXPECT_EQ(page.kin, "dma.tensor int8");
  // What the timelines do not show, but the encoder library was asked for.
  auto fill = [](unsigned func, uint64_t precision, uint64_t to = 0x0800'0000) {
    return shaped(Engine::Gdma, 0, func, 1, 1, 1, 64)
        .set(Field::fill_constant_en, 1)
        .set(Field::src_data_format, precision)
        .set(Field::dst_start_addr_l32, to)
        .cost()
        .evidence;
  };
  EXPECT_EQ(fill(isa::gdma::TensorCopy, 1), Evidence::Probed);
  EXPECT_EQ(fill(isa::gdma::TensorCopy, 5), Evidence::Probed);
  EXPECT_EQ(fill(isa::gdma::TensorCopy, 6), Evidence::Kin);
  EXPECT_EQ(fill(isa::gdma::TensorBroadcast, 1), Evidence::Kin);
  // Fills of DRAM they show.
  EXPECT_EQ(fill(isa::gdma::TensorCopy, 1, 0), Evidence::Measured);
  // Pairs of width and direction outside of the row's own: moves of 16 bits
  // within local memory, and of no other width.
  auto within = [](uint64_t precision) {
    return shaped(Engine::Gdma, 0, 0, 1, 1, 1, 64)
        .set(Field::stride_enable, 1)
        .set(Field::nchw_copy, 1)
        .set(Field::src_data_format, precision)
        .set(Field::src_start_addr_l32, 0x0800'0000)
        .set(Field::dst_start_addr_l32, 0x0800'4000)
        .cost()
        .evidence;
  };
  EXPECT_EQ(within(1), Evidence::Measured);
  EXPECT_EQ(within(5), Evidence::Measured);
  EXPECT_EQ(within(2), Evidence::Probed);
  // Address 0 is neither local nor DRAM; whatever is not local counts as
  // global.
  EXPECT_EQ(load(1, 0).direction, Direction::GlobalToGlobal);
  EXPECT_FALSE(Command(Engine::Gdma, 4, 0, false).cost().measured);
}

TEST(Cycles, RatesAreThoseOfTheMachine) {
  EXPECT_EQ(cycles::macsPerCycle(isa::Precision::Int8, chips::bm1684x), 16384u);
  EXPECT_EQ(cycles::macsPerCycle(isa::Precision::Fp16, chips::bm1684x), 8192u);
  EXPECT_EQ(cycles::macsPerCycle(isa::Precision::Bf16, chips::bm1684x), 8192u);
  EXPECT_EQ(cycles::macsPerCycle(isa::Precision::Fp32, chips::bm1684x), 1024u);
  EXPECT_EQ(cycles::macsPerCycle(isa::Precision::Int16, chips::bm1684x), 0u);
  EXPECT_NEAR(cycles::dmaBytesPerCycle(chips::bm1684x), 68.719, 0.001);
  EXPECT_EQ(cycles::cyclesPerSecond(chips::bm1684x), 1'000'000'000u);
}

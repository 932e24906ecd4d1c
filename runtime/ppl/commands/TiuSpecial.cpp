//===- TiuSpecial.cpp - functions of PPL as commands ----------------------===//

#include "runtime/ppl/CoefficientTables.h"
#include "runtime/ppl/commands/ElementCommands.h"

using namespace weft;
using namespace weft::commands;

namespace ar = weft::isa::arith;

//===----------------------------------------------------------------------===//
// Scale and bias
//===----------------------------------------------------------------------===//

static Status expandLinear(Expansion &e, unsigned func,
                           std::initializer_list<std::string_view> vectors) {
  ElementCommands commands(e, "dst");
  Operand dst = e.tensor("dst"), src = e.tensor("src");
  if (!src) {
    src = commands.room(dst.type);
    commands.copy(src, commands.operand("src", dst.type));
  }
  TiuCommand command(e);
  command.result(dst).resultShape(dst.shape).reads(Field::opd0_addr, src);
  unsigned next = 1;
  for (std::string_view slot : vectors) {
    Element vector = commands.operand(slot, dst.type);
    command.operand(next++, vector.tensor, vector.bits);
  }
  command.make(isa::TiuType::Linear, func);
  return Status::ok();
}

static Status expandScale(Expansion &e) {
  return expandLinear(e, isa::lin::Mac, {"scale", "bias"});
}
static Status expandSumSquare(Expansion &e) {
  return expandLinear(e, isa::lin::SquareSum, {"bias"});
}
static Status expandDifferenceSquare(Expansion &e) {
  return expandLinear(e, isa::lin::SquareDiff, {"bias"});
}

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

static Status expandTaylor(Expansion &e) {
  ElementCommands(e, "dst").taylor(e.tensor("dst"), e.tensor("src"),
                                   e.tensor("coeff"), e.integer("len"));
  return Status::ok();
}

template <int mode, int count>
static Status expandCore(Expansion &e) {
  ElementCommands commands(e, "dst");
  Operand table = commands.table(mode, count, commands.typeOf("dst"));
  commands.taylor(e.tensor("dst"), e.tensor("src"), table, count);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Bits of numbers
//===----------------------------------------------------------------------===//

static Status expandExponent(Expansion &e) {
  // The code is the one that the vendor's generator writes.
  ElementCommands(e, "dst").special(isa::sfu::Normalize, e.tensor("dst"),
                                    e.tensor("src"), 3);
  return Status::ok();
}

template <unsigned func>
static Status expandCount(Expansion &e) {
  ElementCommands commands(e, "dst");
  return commands.arith(func, e.tensor("dst"),
                        {commands.operand("src", commands.typeOf("dst"))});
}

static Status expandDistribution(Expansion &e) {
  Operand dst = e.tensor("dst");
  int64_t channels = dst.shape[1];
  std::optional<catalog::CoefficientTable> table =
      catalog::coefficientTable(e.integer("static_mem_mode"), dst.type);
  TiuCommand(e)
      .result(dst)
      .resultShape({1, channels, 1, 1})
      .reads(Field::opd0_addr, e.staticRow(table->byte, channels, dst.type))
      .set({{Field::opd0_c, channels}, {Field::opd0_w, 1}})
      .make(isa::TiuType::TransposeBroadcast, isa::tsbc::StaticDistribute);
  return Status::ok();
}

std::vector<ExpandRow> weft::commands::tiuSpecialExpansions() {
  return {
      {"tiu.fadd_sqr", expandSumSquare},
      {"tiu.fscale", expandScale},
      {"tiu.fsub_sqr", expandDifferenceSquare},
      {"tiu.taylor", expandTaylor},
      {"tiu.norm", expandExponent},
      {"tiu.fexp_part", expandExponent},
      {"tiu.clz", expandCount<ar::LeadingZeros>},
      {"tiu.clo", expandCount<ar::LeadingOnes>},
      {"tiu.smem_dist", expandDistribution},
      {"tiu.fexp_base", expandCore<0, 10>},
      {"tiu.fsin_base", expandCore<2, 16>},
      {"tiu.fcos_base", expandCore<3, 16>},
      {"tiu.ftan_base", expandCore<4, 16>},
      {"tiu.farcsin_base", expandCore<5, 16>},
      {"tiu.ferf_base", expandCore<6, 10>},
  };
}

//===- TiuSpecial.cpp - functions of PPL as commands ----------------------===//

#include "passes/ppl/ElementCommands.h"
#include "runtime/ppl/CoefficientTables.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

namespace ar = weft::isa::arith;

//===----------------------------------------------------------------------===//
// Scale and bias
//===----------------------------------------------------------------------===//

static LogicalResult expandLinear(Expansion &e, unsigned func,
                                  ArrayRef<StringRef> vectors) {
  static constexpr StringLiteral addresses[] = {"opd1_addr", "opd2_addr"},
                                 constants[] = {"opd1_const", "opd2_const"};
  ElementCommands commands(e, "dst");
  TensorViewType type = e.type("dst");
  Value src = e.tensor("src");
  if (!src) {
    src = commands.room(type.getElementType());
    commands.copy(src, commands.operand("src", type.getElementType()));
  }
  SmallVector<Expansion::Field> fields = {
      {"res0_n", type.getN()},
      {"res0_c", type.getC()},
      {"res0_h", type.getH()},
      {"res0_w", type.getW()},
      {"res0_prec", int64_t(*precisionOf(type.getElementType()))}};
  SmallVector<Expansion::Binding> bindings = {
      {"res0_addr", e.tensor("dst"), Expansion::Writes},
      {"opd0_addr", src, Expansion::Reads}};
  for (auto [index, slot] : llvm::enumerate(vectors)) {
    Element vector = commands.operand(slot, type.getElementType());
    if (vector.isConstant())
      fields.append(
          {{constants[index], 1}, {addresses[index], int64_t(vector.bits)}});
    else
      bindings.push_back({addresses[index], vector.tensor, Expansion::Reads});
  }
  e.command(Engine::Tiu, int32_t(isa::TiuType::Linear), int32_t(func), fields,
            bindings);
  return success();
}

static LogicalResult expandScale(Expansion &e) {
  return expandLinear(e, isa::lin::Mac, {"scale", "bias"});
}
static LogicalResult expandSumSquare(Expansion &e) {
  return expandLinear(e, isa::lin::SquareSum, {"bias"});
}
static LogicalResult expandDifferenceSquare(Expansion &e) {
  return expandLinear(e, isa::lin::SquareDiff, {"bias"});
}

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

static LogicalResult expandTaylor(Expansion &e) {
  ElementCommands(e, "dst").taylor(e.tensor("dst"), e.tensor("src"),
                                   e.tensor("coeff"), e.integer("len"));
  return success();
}

template <int mode, int count>
static LogicalResult expandCore(Expansion &e) {
  ElementCommands commands(e, "dst");
  Value table = commands.table(mode, count, commands.typeOf("dst"));
  commands.taylor(e.tensor("dst"), e.tensor("src"), table, count);
  return success();
}

//===----------------------------------------------------------------------===//
// Bits of numbers
//===----------------------------------------------------------------------===//

static LogicalResult expandExponent(Expansion &e) {
  // The code is the one that the vendor's generator writes.
  ElementCommands(e, "dst").special(isa::sfu::Normalize, e.tensor("dst"),
                                    e.tensor("src"), 3);
  return success();
}

template <unsigned func>
static LogicalResult expandCount(Expansion &e) {
  ElementCommands commands(e, "dst");
  return commands.arith(func, e.tensor("dst"),
                        {commands.operand("src", commands.typeOf("dst"))});
}

static LogicalResult expandDistribution(Expansion &e) {
  TensorViewType type = e.type("dst");
  std::optional<catalog::CoefficientTable> table = catalog::coefficientTable(
      e.integer("static_mem_mode"), e.described("dst").type);
  SmallVector<int64_t> shape = {1, 1, 1, type.getC()};
  Value row = e.create<StaticOp>(
      TensorViewType::get(shape, type.getElementType(), Memory::Static,
                          Layout::Continuous),
      int64_t(table->byte));
  e.command(Engine::Tiu, int32_t(isa::TiuType::TransposeBroadcast),
            int32_t(isa::tsbc::StaticDistribute),
            {{"res0_n", 1},
             {"res0_c", type.getC()},
             {"res0_h", 1},
             {"res0_w", 1},
             {"res0_prec", int64_t(*precisionOf(type.getElementType()))},
             {"opd0_c", type.getC()},
             {"opd0_w", 1}},
            {{"res0_addr", e.tensor("dst"), Expansion::Writes},
             {"opd0_addr", row, Expansion::Reads}});
  return success();
}

ArrayRef<ExpandRow> weft::ppl::tiuSpecialExpansions() {
  static constexpr ExpandRow rows[] = {
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
  return rows;
}

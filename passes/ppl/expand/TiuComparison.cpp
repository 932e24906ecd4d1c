//===- TiuComparison.cpp - functions of PPL as commands -------------------===//

#include "passes/ppl/ElementCommands.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

namespace ar = weft::isa::arith;
namespace cmp = weft::isa::cmp;

static int64_t signOf(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return !integer || integer.isSigned();
}

template <unsigned func>
static LogicalResult expandExtreme(Expansion &e) {
  ElementCommands commands(e, "dst");
  Type type = commands.typeOf("dst");
  return commands.arith(
      func, e.tensor("dst"),
      {commands.operand("src0", type), commands.operand("src1", type)});
}

template <unsigned func>
static LogicalResult expandOuter(Expansion &e) {
  TensorViewType a = e.type("src0"), b = e.type("src1");
  int64_t precision = int64_t(*precisionOf(b.getElementType())),
          sign = signOf(b.getElementType());
  // Three Newton steps, as the vendor's generator writes for every function.
  e.command(Engine::Tiu, int32_t(isa::TiuType::OuterProduct), func,
            {{"res0_prec", precision},
             {"opd0_prec", precision},
             {"opd1_prec", precision},
             {"opd0_sign", sign},
             {"opd1_sign", sign},
             {"opd2_n_str", 2},
             {"opd0_c", a.getC()},
             {"opd0_w", a.getW()},
             {"opd1_w", a.getW()},
             {"res0_c", b.getC()},
             {"res0_w", b.getW()}},
            {{"res0_addr", e.tensor("dst"), Expansion::Writes},
             {"opd0_addr", e.tensor("src0"), Expansion::Reads},
             {"opd1_addr", e.tensor("src1"), Expansion::Reads}});
  return success();
}

/// The type that src0 and src1 are compared in.
static Type comparedType(Expansion &e) {
  return (e.tensor("src0") ? e.type("src0") : e.type("src1")).getElementType();
}

template <unsigned func>
static LogicalResult expandMask(Expansion &e) {
  ElementCommands commands(e, "dst");
  Type type = comparedType(e), result = commands.typeOf("dst");
  ArithOptions options;
  options.third = commands.constant(result, e.real("true_val")).bits;
  options.thirdType = result;
  return commands.arith(
      func, e.tensor("dst"),
      {commands.operand("src0", type), commands.operand("src1", type)},
      options);
}

/// A compared operand of a select: one element a channel is repeated first.
static Element comparedOperand(ElementCommands &commands, StringRef slot,
                               TensorViewType dst) {
  Expansion &e = commands.e;
  Element operand = commands.operand(slot, comparedType(e));
  if (operand.isConstant())
    return operand;
  auto type = cast<TensorViewType>(operand.tensor.getType());
  if (type.getShape() == dst.getShape()) {
    bool isNamed = type.getLayout() == Layout::Aligned ||
                   type.getLayout() == Layout::Compact;
    return isNamed ? operand : commands.of(commands.aligned(operand.tensor));
  }
  // One row of lanes: after the last one the same elements come again.
  SmallVector<int64_t> strides = {0, 0, 0, 0};
  Value repeated = e.view(
      operand.tensor, TensorViewType::get(dst.getShape(), type.getElementType(),
                                          Memory::Local, strides));
  Value whole = commands.room(type.getElementType());
  commands.copy(whole, commands.of(repeated));
  return commands.of(whole);
}

static LogicalResult expandSelectInto(Expansion &e, unsigned func,
                                      StringRef chosen, StringRef extreme) {
  ElementCommands commands(e, chosen);
  TensorViewType dst = e.type(chosen);
  Type result = dst.getElementType();
  auto aligned = [&](StringRef slot) {
    Element operand = commands.operand(slot, result);
    return operand.isConstant() ? operand
                                : commands.of(commands.aligned(operand.tensor));
  };
  Element sources[] = {comparedOperand(commands, "src0", dst),
                       comparedOperand(commands, "src1", dst), aligned("src2"),
                       aligned("src3")};
  // A view with the strides of the aligned layout is as good as one.
  auto named = [&](StringRef slot) {
    auto type = e.type(slot);
    if (type.getLayout() == Layout::Aligned)
      return e.tensor(slot);
    return e.view(e.tensor(slot),
                  TensorViewType::get(type.getShape(), type.getElementType(),
                                      Memory::Local, Layout::Aligned));
  };
  commands.select(func, named(chosen), sources,
                  extreme.empty() ? Value() : named(extreme));
  return success();
}

template <unsigned func>
static LogicalResult expandSelect(Expansion &e) {
  return expandSelectInto(e, func, "dst", "");
}
template <unsigned func>
static LogicalResult expandExtremeSelect(Expansion &e) {
  return expandSelectInto(e, func, "dst1", "dst0");
}

ArrayRef<ExpandRow> weft::ppl::tiuComparisonExpansions() {
  static constexpr ExpandRow rows[] = {
      {"tiu.min", expandExtreme<ar::Min>},
      {"tiu.fmin", expandExtreme<ar::Min>},
      {"tiu.max", expandExtreme<ar::Max>},
      {"tiu.fmax", expandExtreme<ar::Max>},
      {"tiu.vc_min", expandOuter<ar::Min>},
      {"tiu.fvc_min", expandOuter<ar::Min>},
      {"tiu.vc_max", expandOuter<ar::Max>},
      {"tiu.fvc_max", expandOuter<ar::Max>},
      {"tiu.gt", expandMask<ar::SelectGreater>},
      {"tiu.lt", expandMask<ar::SelectLess>},
      {"tiu.eq", expandMask<ar::SelectEqual>},
      {"tiu.gt_select", expandSelect<cmp::SelectGreater>},
      {"tiu.lt_select", expandSelect<cmp::SelectLess>},
      {"tiu.eq_select", expandSelect<cmp::SelectEqual>},
      {"tiu.max_gt_select", expandExtremeSelect<cmp::MaxAndSelect>},
      {"tiu.min_lt_select", expandExtremeSelect<cmp::MinAndSelect>},
  };
  return rows;
}

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

/// One element a channel, of as many as there are lanes at most, as a tensor of
/// the shape of `dst`: after the last one the first comes again.
static Value wholeOf(ElementCommands &commands, Value vector,
                     TensorViewType dst) {
  Expansion &e = commands.e;
  Type element = cast<TensorViewType>(vector.getType()).getElementType();
  Value whole = commands.room(element);
  int64_t lanes = e.chip.lanes, wrap = lanes - commands.lane;
  // Pieces that lie in one row of lanes on both sides.
  for (int64_t c = 0, next; c < dst.getC(); c = next) {
    int64_t from = c % lanes;
    next = std::min(dst.getC(), c + (from < wrap ? wrap : lanes) - from);
    auto part = [&](Value tensor, int64_t at, ArrayRef<int64_t> shape,
                    Strides strides) {
      SmallVector<int64_t> own = {strides.n, 1, strides.h, strides.w};
      return e.view(tensor,
                    TensorViewType::get(shape, element, Memory::Local, own),
                    {0, at, 0, 0});
    };
    SmallVector<int64_t> shape = {dst.getN(), next - c, dst.getH(), dst.getW()};
    Strides to =
        stridesOf(cast<TensorViewType>(whole.getType()), commands.lane, e.chip);
    commands.copy(part(whole, c, shape, to),
                  commands.of(part(vector, from, shape, {0, 1, 0, 0})));
  }
  return whole;
}

/// A compared operand of a select. CMP reads one element a channel in one row
/// of lanes, AR (`isForArith`) in any.
static Element comparedOperand(ElementCommands &commands, StringRef slot,
                               TensorViewType dst, bool isForArith = false) {
  Element operand = commands.operand(slot, comparedType(commands.e));
  if (operand.isConstant())
    return operand;
  auto type = cast<TensorViewType>(operand.tensor.getType());
  if (type.getShape() == dst.getShape())
    return isForArith ? operand : commands.of(commands.aligned(operand.tensor));
  bool isRead = isForArith
                    ? type.getC() == dst.getC()
                    : commands.lane + dst.getC() <= commands.e.chip.lanes;
  return isRead ? operand : commands.of(wholeOf(commands, operand.tensor, dst));
}

/// CMP compares 8 bits, or as many as it selects. Otherwise a mask is made
/// first, and what it is compared with 0 selects.
static LogicalResult selectByMask(ElementCommands &commands, unsigned func,
                                  Value dst, const Element &onTrue,
                                  const Element &onFalse, Value extreme) {
  bool isLess = func == cmp::SelectLess || func == cmp::MinAndSelect;
  unsigned relation = isLess                     ? ar::SelectLess
                      : func == cmp::SelectEqual ? ar::SelectEqual
                                                 : ar::SelectGreater;
  Type narrow = commands.integer(16, true), wide = commands.integer(32, true);
  auto type = cast<TensorViewType>(dst.getType());
  Element a = comparedOperand(commands, "src0", type, true),
          b = comparedOperand(commands, "src1", type, true);
  Value mask = commands.room(narrow), wideMask = commands.room(wide);
  ArithOptions one;
  one.third = 1;
  one.thirdType = narrow;
  if (failed(commands.arith(relation, mask, {a, b}, one)) ||
      (extreme &&
       failed(commands.arith(isLess ? ar::Min : ar::Max, extreme, {a, b}))))
    return failure();
  commands.cast(wideMask, mask);
  commands.select(
      cmp::SelectEqual, dst,
      {commands.of(wideMask), commands.bits(wide, 0), onFalse, onTrue});
  return success();
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
  // A view with the strides of the aligned layout is as good as one.
  auto named = [&](StringRef slot) {
    auto type = e.type(slot);
    if (type.getLayout() == Layout::Aligned)
      return e.tensor(slot);
    return e.view(e.tensor(slot),
                  TensorViewType::get(type.getShape(), type.getElementType(),
                                      Memory::Local, Layout::Aligned));
  };
  Value to = named(chosen), other = extreme.empty() ? Value() : named(extreme);
  Element onTrue = aligned("src2"), onFalse = aligned("src3");
  unsigned compared = elementBitsOf(comparedType(e));
  if (compared != 8 && compared != elementBitsOf(result))
    return selectByMask(commands, func, to, onTrue, onFalse, other);
  Element sources[] = {comparedOperand(commands, "src0", dst),
                       comparedOperand(commands, "src1", dst), onTrue, onFalse};
  commands.select(func, to, sources, other);
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

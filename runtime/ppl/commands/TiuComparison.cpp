//===- TiuComparison.cpp - functions of PPL as commands -------------------===//

#include "runtime/ppl/commands/ElementCommands.h"

using namespace weft;
using namespace weft::commands;

namespace ar = weft::isa::arith;
namespace cmp = weft::isa::cmp;

template <unsigned func>
static Status expandExtreme(Expansion &e) {
  ElementCommands commands(e, "dst");
  DataType type = commands.typeOf("dst");
  return commands.arith(
      func, e.tensor("dst"),
      {commands.operand("src0", type), commands.operand("src1", type)});
}

template <unsigned func>
static Status expandOuter(Expansion &e) {
  Operand a = e.tensor("src0"), b = e.tensor("src1");
  int64_t precision = int64_t(precisionOf(b.type)),
          sign = catalog::isSigned(b.type);
  // Three Newton steps, as the vendor's generator writes for every function.
  TiuCommand(e)
      .set({{Field::res0_prec, precision},
            {Field::opd0_prec, precision},
            {Field::opd1_prec, precision},
            {Field::opd0_sign, sign},
            {Field::opd1_sign, sign},
            {Field::opd2_n_str, 2},
            {Field::opd0_c, a.shape[1]},
            {Field::opd0_w, a.shape[3]},
            {Field::opd1_w, a.shape[3]},
            {Field::res0_c, b.shape[1]},
            {Field::res0_w, b.shape[3]}})
      .writes(Field::res0_addr, e.tensor("dst"))
      .reads(Field::opd0_addr, e.tensor("src0"))
      .reads(Field::opd1_addr, e.tensor("src1"))
      .make(isa::TiuType::OuterProduct, func);
  return Status::ok();
}

/// The type that src0 and src1 are compared in.
static DataType comparedType(const Expansion &e) {
  return (e.tensor("src0") ? e.tensor("src0") : e.tensor("src1")).type;
}

template <unsigned func>
static Status expandMask(Expansion &e) {
  ElementCommands commands(e, "dst");
  DataType type = comparedType(e), result = commands.typeOf("dst");
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
static Operand wholeOf(ElementCommands &commands, const Operand &vector,
                       const Operand &dst) {
  Expansion &e = commands.e;
  Operand whole = commands.room(vector.type);
  int64_t lanes = e.chip.lanes, wrap = lanes - commands.lane;
  // Pieces that lie in one row of lanes on both sides.
  for (int64_t c = 0, next; c < dst.shape[1]; c = next) {
    int64_t from = c % lanes;
    next = std::min(dst.shape[1], c + (from < wrap ? wrap : lanes) - from);
    Dims shape = {dst.shape[0], next - c, dst.shape[2], dst.shape[3]};
    const Dims &to = whole.strides;
    commands.copy(
        e.part(whole, {0, c, 0, 0}, shape, Dims{to[0], 1, to[2], to[3]}),
        e.part(vector, {0, from, 0, 0}, shape, Dims{0, 1, 0, 0}));
  }
  return whole;
}

/// A compared operand of a select. CMP reads one element a channel in one row
/// of lanes, AR (`isForArith`) in any.
static Element comparedOperand(ElementCommands &commands, std::string_view slot,
                               const Operand &dst, bool isForArith = false) {
  Element operand = commands.operand(slot, comparedType(commands.e));
  if (operand.isConstant())
    return operand;
  if (operand.tensor.shape == dst.shape)
    return isForArith ? operand : Element(commands.aligned(operand.tensor));
  bool isRead = isForArith
                    ? operand.tensor.shape[1] == dst.shape[1]
                    : commands.lane + dst.shape[1] <= commands.e.chip.lanes;
  return isRead ? operand : Element(wholeOf(commands, operand.tensor, dst));
}

/// CMP compares 8 bits, or as many as it selects. Otherwise a mask is made
/// first, and what it is compared with 0 selects.
static Status selectByMask(ElementCommands &commands, unsigned func,
                           const Operand &dst, const Element &onTrue,
                           const Element &onFalse, const Operand &extreme) {
  bool isLess = func == cmp::SelectLess || func == cmp::MinAndSelect;
  unsigned relation = isLess                     ? ar::SelectLess
                      : func == cmp::SelectEqual ? ar::SelectEqual
                                                 : ar::SelectGreater;
  DataType narrow = integerType(16, true), wide = integerType(32, true);
  Element a = comparedOperand(commands, "src0", dst, true),
          b = comparedOperand(commands, "src1", dst, true);
  Operand mask = commands.room(narrow), wideMask = commands.room(wide);
  ArithOptions one;
  one.third = 1;
  one.thirdType = narrow;
  commands.apply(relation, mask, {a, b}, one);
  if (extreme)
    commands.apply(isLess ? ar::Min : ar::Max, extreme, {a, b});
  commands.cast(wideMask, mask);
  commands.select(cmp::SelectEqual, dst,
                  {wideMask, Element(wide, 0), onFalse, onTrue});
  return Status::ok();
}

static Status expandSelectInto(Expansion &e, unsigned func,
                               std::string_view chosen,
                               std::string_view extreme) {
  ElementCommands commands(e, chosen);
  Operand dst = e.tensor(chosen);
  DataType result = dst.type;
  auto aligned = [&](std::string_view slot) {
    Element operand = commands.operand(slot, result);
    return operand.isConstant() ? operand
                                : Element(commands.aligned(operand.tensor));
  };
  // A view with the strides of the aligned layout is as good as one.
  auto named = [&](std::string_view slot) {
    return e.named(e.tensor(slot), AlignMode::Aligned);
  };
  Operand to = named(chosen),
          other = extreme.empty() ? Operand() : named(extreme);
  Element onTrue = aligned("src2"), onFalse = aligned("src3");
  unsigned compared = catalog::bitsOf(comparedType(e));
  if (compared != 8 && compared != catalog::bitsOf(result))
    return selectByMask(commands, func, to, onTrue, onFalse, other);
  Element a = comparedOperand(commands, "src0", dst),
          b = comparedOperand(commands, "src1", dst);
  commands.select(func, to, {a, b, onTrue, onFalse}, other);
  return Status::ok();
}

template <unsigned func>
static Status expandSelect(Expansion &e) {
  return expandSelectInto(e, func, "dst", "");
}
template <unsigned func>
static Status expandExtremeSelect(Expansion &e) {
  return expandSelectInto(e, func, "dst1", "dst0");
}

std::vector<ExpandRow> weft::commands::tiuComparisonExpansions() {
  return {
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
}

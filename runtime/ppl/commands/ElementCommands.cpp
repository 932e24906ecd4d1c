//===- ElementCommands.cpp - commands of element functions ---------------===//

#include "runtime/ppl/commands/ElementCommands.h"
#include "runtime/ppl/CoefficientTables.h"

using namespace weft;
using namespace weft::commands;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Element ElementCommands::operand(std::string_view slot, DataType type) const {
  Operand tensor = e.tensor(slot);
  return tensor ? Element(tensor) : constant(type, e.real(slot));
}

/// Whether an integer type has the value.
static bool holds(DataType type, int64_t value) {
  unsigned width = catalog::bitsOf(type);
  bool isSigned = catalog::isSigned(type);
  int64_t low = isSigned ? -(int64_t(1) << (width - 1)) : 0,
          high = (int64_t(1) << (isSigned ? width - 1 : width)) - 1;
  return value >= low && value <= high;
}

Element ElementCommands::whole(int64_t value, DataType beside) {
  auto bits = uint32_t(uint64_t(value));
  unsigned width = catalog::bitsOf(beside);
  if (width == 32) // the same bits, with or without a sign
    return {beside, bits};
  if (holds(beside, value))
    return {beside, bits & ((1u << width) - 1)};
  return {DataType::Int32, bits};
}

Element ElementCommands::wholeOperand(std::string_view slot,
                                      std::string_view other,
                                      bool isSigned) const {
  if (Operand tensor = e.tensor(slot))
    return tensor;
  int64_t value = e.integer(slot);
  Operand beside = e.tensor(other);
  if (beside && catalog::isSigned(beside.type) == isSigned)
    if (Element number = whole(value, beside.type);
        catalog::isSigned(number.type) == isSigned && holds(number.type, value))
      return number;
  bool sign = value < 0 || (isSigned && value <= INT32_MAX);
  return {integerType(32, sign), uint32_t(uint64_t(value))};
}

ArithOptions ArithOptions::shifted(const Element &amount, int64_t rounding) {
  ArithOptions options;
  bool isNone = amount.isConstant() && amount.bits == 0;
  if (isNone) // the same result with one operand less
    return options;
  options.code = rounding;
  if (amount.isConstant())
    options.third = amount.bits & 0xff;
  else
    options.shift = amount.tensor;
  return options;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

Operand ElementCommands::aligned(const Operand &tensor) {
  if (tensor.layout == AlignMode::Aligned)
    return tensor;
  Operand copied =
      e.temporary(tensor.shape, tensor.type, AlignMode::Aligned, lane);
  copy(copied, tensor);
  return copied;
}

void commands::broadcastLane(Expansion &e, const Operand &dst,
                             const Operand &src) {
  bool isStatic = src.memory == Memory::Static;
  TiuCommand(e)
      .writes(Field::res0_addr, dst)
      .reads(Field::opd0_addr, src)
      .resultShape(dst.shape)
      .set(Field::res0_prec, codeOf(dst))
      .set(Field::opd0_c, isStatic ? dst.shape[1] : 1)
      .set(Field::opd0_w, dst.shape[3])
      .make(isa::TiuType::TransposeBroadcast,
            isStatic ? isa::tsbc::StaticBroadcast : isa::tsbc::LaneBroadcast);
}

Operand ElementCommands::replicated(const Operand &source) {
  // Channel 0 lies in `lane`; from all lanes the one of each channel is read.
  Operand row = aligned(Expansion::bits(source));
  Operand lanes = e.temporary(
      {row.shape[0], int64_t(e.chip.lanes), row.shape[2], row.shape[3]},
      row.type);
  broadcastLane(e, lanes, row);
  return Expansion::as(lanes, source.type);
}

Operand ElementCommands::spread(const Operand &source, const Operand &dst) {
  if (source.shape == dst.shape)
    return source;
  Operand whole = source;
  Dims strides = source.strides, offset = {0, 0, 0, 0};
  if (source.shape[1] != dst.shape[1]) {
    whole = replicated(source);
    strides = whole.strides;
    strides[1] = 0;
    offset[1] = lane;
  }
  for (int axis : {0, 2, 3})
    if (source.shape[axis] != dst.shape[axis] || source.shape[axis] == 1)
      strides[axis] = 0;
  return e.part(whole, offset, dst.shape, strides);
}

Operand ElementCommands::table(int64_t mode, int64_t count, DataType type) {
  std::optional<catalog::CoefficientTable> found =
      catalog::coefficientTable(mode, type);
  DataType stored = found ? type : DataType::Fp32;
  if (!found)
    found = catalog::coefficientTable(mode, DataType::Fp32);
  Dims shapes = {1, int64_t(e.chip.lanes), 1, count};
  Operand lanes = e.temporary(shapes, stored);
  broadcastLane(e, lanes, e.staticRow(found->byte, count, stored));
  if (stored == type)
    return lanes;
  Operand converted = e.temporary(shapes, type);
  ElementCommands(e, converted).cast(converted, lanes);
  return converted;
}

//===----------------------------------------------------------------------===//
// AR
//===----------------------------------------------------------------------===//

namespace {
/// The fields of the result or of an operand of AR.
struct ArithFields {
  Field address, isConstant, precision, sign, layout, strides[4];
};
} // namespace

static constexpr ArithFields kResult = {Field::res0_addr,
                                        Field::Reserved,
                                        Field::res0_prec,
                                        Field::Reserved,
                                        Field::res0_str,
                                        {Field::res0_n_str, Field::res0_c_str,
                                         Field::res0_h_str, Field::res0_w_str}};
static constexpr ArithFields kOperands[] = {
    {Field::opd0_addr,
     Field::opd0_const,
     Field::opd0_prec,
     Field::opd0_sign,
     Field::opd0_str,
     {Field::opd0_n_str, Field::opd0_c_str, Field::opd0_h_str,
      Field::opd0_w_str}},
    {Field::opd1_addr,
     Field::opd1_const,
     Field::opd1_prec,
     Field::opd1_sign,
     Field::opd1_str,
     {Field::opd1_n_str, Field::opd1_c_str, Field::opd1_h_str,
      Field::opd1_w_str}}};

/// The layout's code, with strides where it has no code.
static void setLayout(TiuCommand &command, const ArithFields &fields,
                      const Operand &tensor, const Chip &chip) {
  const Dims &strides = tensor.strides;
  if (strides == Dims{0, 1, 0, 0}) {
    command.set(fields.layout, int64_t(isa::Layout::Channel));
    return;
  }
  if (tensor.layout == AlignMode::Aligned ||
      tensor.layout == AlignMode::Compact) {
    command.set(fields.layout, int64_t(tensor.layout == AlignMode::Aligned
                                           ? isa::Layout::Aligned
                                           : isa::Layout::Compact));
    return;
  }
  command.set(fields.layout, int64_t(isa::Layout::Free));
  int64_t rows = (tensor.lane + tensor.shape[1] + chip.lanes - 1) / chip.lanes;
  for (int axis = 0; axis < 4; ++axis) {
    // A stride that no element is away from need not fit its field.
    bool isUsed = (axis == 1 ? rows : tensor.shape[axis]) > 1;
    bool fits = strides[axis] <= UINT16_MAX;
    command.set(fields.strides[axis], isUsed || fits ? strides[axis] : 1);
  }
}

Status ElementCommands::arith(unsigned func, const Operand &dst,
                              const std::vector<Element> &operands,
                              const ArithOptions &options) {
  std::vector<Operand> tensors = {dst};
  for (const Element &operand : operands)
    if (!operand.isConstant())
      tensors.push_back(spread(operand.tensor, dst));
  bool cutsShift = false;
  e.eachPart(tensors, lane, [&](const std::vector<Operand> &parts) {
    cutsShift |= options.shift && parts[0].shape[1] != dst.shape[1];
    TiuCommand command(e);
    if (options.readsResult)
      command.updates(Field::res0_addr, parts[0]);
    else
      command.writes(Field::res0_addr, parts[0]);
    command.resultShape(parts[0].shape).set(Field::res0_prec, codeOf(parts[0]));
    setLayout(command, kResult, parts[0], e.chip);
    size_t next = 1;
    for (size_t i = 0; i < operands.size(); ++i) {
      const ArithFields &fields = kOperands[i];
      const Element &operand = operands[i];
      command.set(fields.precision, int64_t(precisionOf(operand.type)));
      if (options.areSigned && catalog::isSigned(operand.type) &&
          !(i == 0 && options.firstIsUnsigned))
        command.set(fields.sign, 1);
      if (operand.isConstant()) {
        command.set(fields.isConstant, 1).set(fields.address, operand.bits);
        continue;
      }
      setLayout(command, fields, parts[next], e.chip);
      command.reads(fields.address, parts[next++]);
    }
    if (options.third)
      command.set(Field::opd2_const, 1).set(Field::opd2_addr, *options.third);
    if (options.shift)
      command.reads(Field::opd2_addr, options.shift);
    if (options.thirdType)
      command.set(Field::opd2_prec, int64_t(precisionOf(*options.thirdType)));
    if (func == isa::arith::Cast && catalog::isSigned(dst.type))
      command.set(Field::opd2_sign, 1);
    bool hasThird = options.third || options.shift;
    command.set(Field::tsk_opd_num, int64_t(operands.size() + hasThird))
        .set(Field::opd2_n_str, options.code)
        .make(isa::TiuType::Arith, func);
  });
  if (cutsShift)
    return e.unsupported("one shift a channel beside a channel stride above "
                         "65535 elements; use an N-byte aligned or compact "
                         "layout");
  return Status::ok();
}

void ElementCommands::copy(const Operand &dst, const Element &src) {
  DataType bits = Expansion::copiedAs(src.type);
  Element from = src.isConstant() ? Element(bits, src.bits)
                                  : Element(Expansion::as(src.tensor, bits));
  e.fail(arith(isa::arith::Copy, Expansion::as(dst, bits), {from}));
}

void ElementCommands::cast(const Operand &dst, const Operand &src,
                           int64_t rounding) {
  ArithOptions options;
  options.code = rounding;
  e.fail(arith(isa::arith::Cast, dst, {src}, options));
}

//===----------------------------------------------------------------------===//
// CMP and SFU
//===----------------------------------------------------------------------===//

void ElementCommands::select(unsigned func, const Operand &dst,
                             const std::vector<Element> &sources,
                             const Operand &extreme) {
  static constexpr Field layouts[] = {Field::opd0_str, Field::opd1_str};
  TiuCommand command(e);
  command.resultShape(dst.shape)
      .set(Field::opd0_prec, int64_t(precisionOf(sources[0].type)))
      .set(Field::opd2_prec, codeOf(dst))
      .set(Field::opd0_sign, catalog::isSigned(sources[0].type));
  if (extreme)
    command.writes(Field::res0_addr, extreme).writes(Field::res1_addr, dst);
  else
    command.writes(Field::res0_addr, dst);
  for (size_t i = 0; i < sources.size(); ++i) {
    command.operand(unsigned(i), sources[i].tensor, sources[i].bits);
    if (!sources[i].isConstant() && sources[i].tensor.shape != dst.shape)
      command.set(layouts[i], int64_t(isa::Layout::Channel));
  }
  command.make(isa::TiuType::Compare, func);
}

/// Result and source of the SFU.
static TiuCommand specialFrame(Expansion &e, const Operand &dst,
                               const Operand &src) {
  TiuCommand command(e);
  command.writes(Field::res0_addr, dst)
      .reads(Field::opd0_addr, src)
      .resultShape(dst.shape)
      .set(Field::res0_prec, codeOf(dst))
      .set(Field::opd0_prec, codeOf(src));
  return command;
}

void ElementCommands::special(unsigned func, const Operand &dst,
                              const Operand &src, int64_t code, int64_t steps) {
  specialFrame(e, dst, src)
      .set(Field::opd2_n_str, code)
      .set(Field::opd1_n, steps)
      .make(isa::TiuType::Special, func);
}

void ElementCommands::taylor(const Operand &dst, const Operand &src,
                             const Operand &table, int64_t count) {
  // opd2_n_str 1 is what the vendor's generator writes for this function.
  specialFrame(e, dst, src)
      .reads(Field::opd1_addr, table)
      .set(Field::opd1_n, count)
      .set(Field::opd2_n_str, 1)
      .make(isa::TiuType::Special, isa::sfu::Taylor4x);
}

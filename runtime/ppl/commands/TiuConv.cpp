//===- TiuConv.cpp - convolutions as commands -----------------------------===//

#include "runtime/ppl/commands/ElementCommands.h"

using namespace weft;
using namespace weft::commands;
using weft::isa::TiuType;
namespace ar = weft::isa::arith;

//===----------------------------------------------------------------------===//
// One command
//===----------------------------------------------------------------------===//

/// Result, source, weight and window of a convolution over all channels.
static TiuCommand convolution(Expansion &e, const Operand &result, bool adds,
                              const Operand &accumulator) {
  Operand src = e.tensor("src");
  TiuCommand command(e);
  command.result(result, adds, accumulator)
      .resultShape(result.shape)
      .window(src);
  command.reads(Field::opd0_addr, src)
      .set(Field::opd0_prec, codeOf(src))
      .set(Field::opd0_c, src.shape[1]);
  if (src.layout != AlignMode::Aligned)
    command.set({{Field::opd0_str, int64_t(isa::Layout::Free)},
                 {Field::opd0_n_str, src.strides[0]},
                 {Field::opd0_c_str, src.strides[1]},
                 {Field::opd0_h_str, src.strides[2]},
                 {Field::opd0_w_str, src.strides[3]}});
  uint32_t number = e.tensor("weight") ? 0
                    : catalog::isFloat(src.type)
                        ? elementBits(src.type, e.real("weight"))
                        : uint32_t(e.integer("weight"));
  command.operand(1, e.tensor("weight"), number);
  if (!catalog::isFloat(src.type))
    command.set(Field::opd0_sign, catalog::isSigned(src.type))
        .set(Field::opd1_sign, isSignedOperand(e, "weight"));
  return command;
}

static bool hasBias(const Expansion &e) {
  return !e.hasSlot("has_bias") || e.integer("has_bias");
}

static Status expandFconv(Expansion &e) {
  TiuCommand command = convolution(e, e.tensor("dst"), e.integer("result_add"),
                                   accumulatorOf(e, "dst"));
  bool isThere = hasBias(e);
  command.operand(2, isThere ? e.tensor("bias") : Operand(),
                  isThere && !e.tensor("bias")
                      ? elementBits(DataType::Fp32, e.real("bias"))
                      : 0);
  command.operand(3, {}, 0).make(TiuType::Conv, isa::conv::Normal);
  return Status::ok();
}

/// Sums of 32 or 16 bits without bias, less the zero point of the weights.
static void wideConvolution(Expansion &e, const Operand &result, bool adds) {
  TiuCommand command = convolution(e, result, adds, {});
  // A number is read with the sign of the weights if it has one with it.
  int64_t number = e.integer("kzp");
  bool isSigned =
      isSignedOperand(e, "kzp") ||
      (!e.tensor("kzp") && number <= INT8_MAX && isSignedOperand(e, "weight"));
  command.operand(2, e.tensor("kzp"), uint32_t(number) & 0xff)
      .set(Field::opd2_sign, isSigned);
  command.operand(3, e.tensor("pad_val"),
                  uint32_t(e.integer("pad_val")) & 0xff);
  command.set(Field::res1_addr, uint32_t(e.integer("insert_val")) & 0xff);
  command.make(TiuType::Conv, isa::conv::Normal);
}

/// dst = max(dst, lowest + 1): a range that is the same on both sides of 0.
static void cutLowest(Expansion &e, const Operand &dst) {
  int64_t lowest = -(int64_t(1) << (catalog::bitsOf(dst.type) - 1));
  ElementCommands commands(e, dst);
  commands.apply(ar::Max, dst, {dst, commands.whole(lowest + 1, dst.type)});
}

static Status expandConvAsym(Expansion &e) {
  Operand dst = e.tensor("dst");
  wideConvolution(e, dst, e.integer("result_add"));
  if (e.integer("saturate") && catalog::isSigned(dst.type) &&
      catalog::bytesOf(dst.type) == 2)
    cutLowest(e, dst);
  return Status::ok();
}

static Status expandDepthwise(Expansion &e) {
  // Slots 0 and 1; fdw_conv calls them output and input.
  bool isOutput = e.hasSlot("output");
  std::string_view to = isOutput ? "output" : "dst",
                   from = isOutput ? "input" : "src";
  Operand dst = e.tensor(to), src = e.tensor(from);
  bool isFloatType = catalog::isFloat(src.type);
  auto bitsOf = [&](std::string_view slot) {
    return e.tensor(slot) ? 0
           : isFloatType  ? elementBits(src.type, e.real(slot))
                          : uint32_t(e.integer(slot));
  };
  TiuCommand command(e);
  command.result(dst).resultShape(dst.shape).window(src);
  command.reads(Field::opd0_addr, src).set(Field::opd0_prec, codeOf(src));
  command.operand(1, e.tensor("weight"), bitsOf("weight"));
  command.operand(2, e.tensor("bias"), bitsOf("bias"));
  command.operand(3, {}, uint32_t(e.integer("pad_val")) & 0xff);
  if (!isFloatType)
    command.set(Field::opd0_sign, catalog::isSigned(src.type))
        .set(Field::opd1_sign, isSignedOperand(e, "weight"))
        .set(Field::opd2_sign, isSignedOperand(e, "bias"))
        .set(Field::res1_addr, e.integer("rshift") << 8)
        .set(Field::opd2_n_str, e.integer("round_mode"));
  command.make(TiuType::PoolOrDepthwise, e.integer("result_relu")
                                             ? isa::pord::DepthwiseRelu
                                             : isa::pord::Depthwise);
  return Status::ok();
}

//===----------------------------------------------------------------------===//
// Sequences: the sums in 32 bits first
//===----------------------------------------------------------------------===//

/// Sums with bias and relu, in 32 bits beside dst.
static Operand wideSums(Expansion &e) {
  Operand dst = e.tensor("dst"), bias = e.tensor("bias");
  ElementCommands commands(e, dst);
  Operand sums = commands.room(DataType::Int32);
  bool adds = e.integer("result_add");
  if (adds) {
    Operand old = accumulatorOf(e, "dst");
    commands.copy(sums, old ? old : dst);
  }
  wideConvolution(e, sums, adds);
  if (hasBias(e) && (bias || e.integer("bias") != 0))
    commands.apply(ar::Add, sums,
                   {sums, bias ? Element(bias)
                               : commands.whole(e.integer("bias"), sums.type)});
  if (e.integer("result_relu"))
    commands.apply(ar::Max, sums, {sums, commands.whole(0, sums.type)});
  return sums;
}

/// A result counts as signed if an operand is: numbers that are not negative
/// are seen as unsigned beside an unsigned result.
static Operand seenAs(const Operand &sums, const Operand &dst) {
  return catalog::isSigned(dst.type) ? sums
                                     : Expansion::as(sums, DataType::Uint32);
}

/// The command adds a bias of 16 bits; others are added to sums of 32.
static Status expandConvSym(Expansion &e) {
  Operand dst = e.tensor("dst"),
          bias = hasBias(e) ? e.tensor("bias") : Operand();
  int64_t number = hasBias(e) && !bias ? e.integer("bias") : 0,
          shift = e.integer("rshift");
  bool isNarrow = bias ? catalog::bytesOf(bias.type) == 2
                       : number >= -32768 && number <= 65535;
  if (isNarrow) {
    convolution(e, dst, false, {})
        .operand(2, bias, uint32_t(number) & 0xffff)
        .set(Field::opd2_sign, hasBias(e) && isSignedOperand(e, "bias"))
        .operand(3, {}, uint32_t(shift))
        .make(TiuType::Conv, e.integer("result_relu")
                                 ? isa::conv::RequantisedRelu
                                 : isa::conv::Requantised);
    return Status::ok();
  }
  Operand sums = seenAs(wideSums(e), dst);
  ElementCommands commands(e, dst);
  commands.apply(ar::AddSat, dst, {sums, commands.whole(0, sums.type)},
                 ArithOptions::shifted(commands.whole(-shift, DataType::Int8),
                                       int64_t(isa::Rounding::HalfUp)));
  return Status::ok();
}

namespace {
/// The numbers of a requantisation as operands: constants, or tensors with one
/// a channel.
struct RequantOperands {
  Element multiplier;
  /// Shift amounts, at most and at least 0.
  std::optional<Element> right, left;
  Element offset, negatedOffset;
};
} // namespace

static RequantOperands requantNumbers(Expansion &e, DataType sums) {
  Operand dst = e.tensor("dst");
  int64_t shift = e.integer("rshift"), offset = e.integer("out_zp");
  RequantOperands r;
  r.multiplier = ElementCommands::whole(e.integer("multiplier"), sums);
  Element amount =
      ElementCommands::whole(std::max<int64_t>(shift, -63), DataType::Int8);
  if (shift >= -32 && shift < 0)
    r.right = amount;
  if (shift < -32) { // more than the number of a command holds
    Operand right = e.temporary({1, dst.shape[1], 1, 1}, DataType::Int8,
                                AlignMode::Compact, dst.lane);
    ElementCommands(e, right).copy(right, amount);
    r.right = right;
  }
  if (shift > 0)
    r.left = amount;
  r.offset = ElementCommands::whole(offset, sums);
  r.negatedOffset = ElementCommands::whole(-offset, sums);
  return r;
}

/// From the two words of every channel: multiplier; shift in byte 0, offset in
/// bytes 2 and 3 of the second.
static RequantOperands requantWords(Expansion &e) {
  Operand words = e.tensor("requant");
  Dims shape = {1, words.shape[1], 1, 1};
  auto part = [&](DataType type, int64_t byte) {
    int64_t step = 8 / catalog::bytesOf(type);
    return Expansion::as(
        e.part(words, {}, shape, Dims{step, step, step, 1}, byte), type);
  };
  auto compact = [&](DataType type) {
    return e.temporary(shape, type, AlignMode::Compact, words.lane);
  };
  Operand shift = part(DataType::Int8, 4), offset = part(DataType::Int16, 6),
          right = compact(DataType::Int8), left = compact(DataType::Int8),
          negated = compact(DataType::Int32);
  ElementCommands commands(e, right);
  auto byte = [&](int64_t value) {
    return commands.whole(value, DataType::Int8);
  };
  commands.apply(ar::Min, right, {shift, byte(0)});
  commands.apply(ar::Max, right, {right, byte(-63)});
  commands.apply(ar::Max, left, {shift, byte(0)});
  commands.apply(ar::Min, left, {left, byte(31)});
  commands.apply(ar::Sub, negated,
                 {commands.whole(0, DataType::Int16), offset});
  return {part(DataType::Int32, 0), right, left, offset, negated};
}

/// dst = sat(sat32(sums * multiplier * 2^shift) + offset).
static Status expandConvRq(Expansion &e) {
  Operand dst = e.tensor("dst"), sums = wideSums(e);
  ElementCommands commands(e, dst);
  int64_t rounding = e.integer("round");
  RequantOperands r =
      e.tensor("requant") ? requantWords(e) : requantNumbers(e, sums.type);
  auto multiply = [&](const Element &factor, std::optional<Element> shift) {
    commands.apply(ar::MulSat, sums, {sums, factor},
                   shift ? ArithOptions::shifted(*shift, rounding)
                         : ArithOptions());
  };
  multiply(r.multiplier, r.right);
  if (r.left) // of what is saturated: 64 bits hold it
    multiply(commands.whole(1, sums.type), r.left);
  if (catalog::isSigned(dst.type)) {
    commands.apply(ar::AddSat, dst, {sums, r.offset});
    if (e.integer("saturate"))
      cutLowest(e, dst);
    return Status::ok();
  }
  // Not below 0 after the sum, which then fits 32 bits without a sign.
  commands.apply(ar::Max, sums, {sums, r.negatedOffset});
  commands.apply(ar::Add, sums, {sums, r.offset});
  Operand seen = seenAs(sums, dst);
  commands.apply(ar::AddSat, dst, {seen, commands.whole(0, seen.type)});
  return Status::ok();
}

std::vector<ExpandRow> weft::commands::tiuConvExpansions() {
  return {
      {"tiu.fconv", expandFconv},        {"tiu.fdeconv", expandFconv},
      {"tiu.fdw_conv", expandDepthwise}, {"tiu.fdw_deconv", expandDepthwise},
      {"tiu.dw_conv", expandDepthwise},  {"tiu.dw_deconv", expandDepthwise},
      {"tiu.conv_sym", expandConvSym},   {"tiu.conv_sym_rq", expandConvRq},
      {"tiu.conv_asym", expandConvAsym}, {"tiu.conv_asym_rq", expandConvRq},
      {"tiu.deconv_sym", expandConvSym}, {"tiu.deconv_asym", expandConvAsym},
  };
}

//===- TiuConv.cpp - convolutions as commands -----------------------------===//

#include "dialects/ppl/TiuArith.h"
#include "passes/ppl/expand/CommandFields.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;
using weft::isa::TiuType;

static Type si(Expansion &e, unsigned bits) {
  return IntegerType::get(e.builder.getContext(), bits, IntegerType::Signed);
}
static Type ui(Expansion &e, unsigned bits) {
  return IntegerType::get(e.builder.getContext(), bits, IntegerType::Unsigned);
}

//===----------------------------------------------------------------------===//
// One command
//===----------------------------------------------------------------------===//

/// Result, source, weight and window of a convolution over all channels.
static CommandFields convolution(Expansion &e, Value result, bool adds,
                                 Value accumulator) {
  auto dst = cast<TensorViewType>(result.getType());
  TensorViewType src = e.type("src");
  CommandFields command(e);
  command.result(result, adds, accumulator).resultShape(dst).window(src);
  command.reads("opd0_addr", e.tensor("src"))
      .set("opd0_prec", precisionCode(src))
      .set("opd0_c", src.getC());
  if (src.getLayout() != Layout::Aligned) {
    Strides strides = stridesOf(src, e.described("src").lane, e.chip);
    command.set("opd0_str", int64_t(isa::Layout::Free))
        .set("opd0_n_str", strides.n)
        .set("opd0_c_str", strides.c)
        .set("opd0_h_str", strides.h)
        .set("opd0_w_str", strides.w);
  }
  uint32_t number = e.tensor("weight") ? 0
                    : src.isFloat()
                        ? floatElement(src.getElementType(), e.real("weight"))
                        : uint32_t(e.integer("weight"));
  command.operand(1, e.tensor("weight"), number);
  if (!src.isFloat())
    command.set("opd0_sign", isSigned(src))
        .set("opd1_sign", isSignedOperand(e, "weight"));
  return command;
}

static bool hasBias(const Expansion &e) {
  return !e.function.function().slot("has_bias") || e.integer("has_bias");
}

static LogicalResult expandFconv(Expansion &e) {
  CommandFields command = convolution(
      e, e.tensor("dst"), e.integer("result_add"), accumulatorOf(e, "dst"));
  Type f32 = Float32Type::get(e.builder.getContext());
  bool isThere = hasBias(e);
  command.operand(
      2, isThere ? e.tensor("bias") : Value(),
      isThere && !e.tensor("bias") ? floatElement(f32, e.real("bias")) : 0);
  command.operand(3, {}, 0).make(TiuType::Conv, isa::conv::Normal);
  return success();
}

/// Sums of 32 or 16 bits without bias, less the zero point of the weights.
static void wideConvolution(Expansion &e, Value result, bool adds) {
  CommandFields command = convolution(e, result, adds, {});
  command.operand(2, e.tensor("kzp"), uint32_t(e.integer("kzp")) & 0xff)
      .set("opd2_sign", isSignedOperand(e, "kzp"));
  command.operand(3, e.tensor("pad_val"),
                  uint32_t(e.integer("pad_val")) & 0xff);
  command.set("res1_addr", uint32_t(e.integer("insert_val")) & 0xff);
  command.make(TiuType::Conv, isa::conv::Normal);
}

static LogicalResult expandConvAsym(Expansion &e) {
  Value dst = e.tensor("dst");
  wideConvolution(e, dst, e.integer("result_add"));
  TensorViewType type = e.type("dst");
  if (e.integer("saturate") && isSigned(type) && elementBytesOf(type) == 2)
    e.create<IntOp>(IntKind::Max, dst, dst, e.i32(-32767));
  return success();
}

static LogicalResult expandDepthwise(Expansion &e) {
  // Slots 0 and 1; fdw_conv calls them output and input.
  bool isOutput = e.function.function().slot("output");
  StringRef to = isOutput ? "output" : "dst", from = isOutput ? "input" : "src";
  TensorViewType dst = e.type(to), src = e.type(from);
  bool isFloatType = src.isFloat();
  Type element = src.getElementType();
  auto bitsOf = [&](StringRef slot) {
    return e.tensor(slot) ? 0
           : isFloatType  ? floatElement(element, e.real(slot))
                          : uint32_t(e.integer(slot));
  };
  CommandFields command(e);
  command.result(e.tensor(to)).resultShape(dst).window(src);
  command.reads("opd0_addr", e.tensor(from))
      .set("opd0_prec", precisionCode(src));
  command.operand(1, e.tensor("weight"), bitsOf("weight"));
  command.operand(2, e.tensor("bias"), bitsOf("bias"));
  command.operand(3, {}, uint32_t(e.integer("pad_val")) & 0xff);
  if (!isFloatType)
    command.set("opd0_sign", isSigned(src))
        .set("opd1_sign", isSignedOperand(e, "weight"))
        .set("opd2_sign", isSignedOperand(e, "bias"))
        .set("res1_addr", e.integer("rshift") << 8)
        .set("opd2_n_str", e.integer("round_mode"));
  command.make(TiuType::PoolOrDepthwise, e.integer("result_relu")
                                             ? isa::pord::DepthwiseRelu
                                             : isa::pord::Depthwise);
  return success();
}

//===----------------------------------------------------------------------===//
// Sequences: the sums in 32 bits first
//===----------------------------------------------------------------------===//

/// The tensor, or the number in `slot` as a constant.
static Value operandOf(Expansion &e, StringRef slot) {
  Value tensor = e.tensor(slot);
  return tensor ? tensor : e.i32(e.integer(slot));
}

/// Sums with bias and relu, in 32 bits beside dst.
static Value wideSums(Expansion &e) {
  TensorViewType dst = e.type("dst");
  Value sums = scratch(e, dst.getShape(), si(e, 32), Layout::Aligned,
                       e.described("dst").lane);
  bool adds = e.integer("result_add");
  if (adds) {
    Value old = accumulatorOf(e, "dst");
    e.create<UnaryOp>(UnaryKind::Copy, sums, old ? old : e.tensor("dst"));
  }
  wideConvolution(e, sums, adds);
  bool isThere = hasBias(e) && (e.tensor("bias") || e.integer("bias") != 0);
  if (isThere)
    e.create<IntOp>(IntKind::Add, sums, sums, operandOf(e, "bias"));
  if (e.integer("result_relu"))
    e.create<IntOp>(IntKind::Max, sums, sums, e.i32(0));
  return sums;
}

/// A result counts as signed if an operand is: numbers that are not negative
/// are seen as unsigned beside an unsigned result.
static Value seenAs(Expansion &e, Value sums, TensorViewType dst) {
  auto type = cast<TensorViewType>(sums.getType());
  return isSigned(dst) ? sums
                       : e.view(sums, Expansion::withElement(type, ui(e, 32)));
}

/// The command adds a bias of 16 bits; others are added to sums of 32.
static LogicalResult expandConvSym(Expansion &e) {
  Value dst = e.tensor("dst"), bias = hasBias(e) ? e.tensor("bias") : Value();
  int64_t number = hasBias(e) && !bias ? e.integer("bias") : 0,
          shift = e.integer("rshift");
  bool isNarrow = bias ? elementBytesOf(e.type("bias")) == 2
                       : number >= -32768 && number <= 65535;
  if (isNarrow) {
    convolution(e, dst, false, {})
        .operand(2, bias, uint32_t(number) & 0xffff)
        .set("opd2_sign", hasBias(e) && isSignedOperand(e, "bias"))
        .operand(3, {}, uint32_t(shift))
        .make(TiuType::Conv, e.integer("result_relu")
                                 ? isa::conv::RequantisedRelu
                                 : isa::conv::Requantised);
    return success();
  }
  Value sums = seenAs(e, wideSums(e), e.type("dst"));
  e.create<IntOp>(IntKind::Add, dst, sums, e.i32(0), e.i32(-shift),
                  Rounding::HalfUp, true);
  return success();
}

namespace {
/// The numbers of a requantisation as operands: constants, or a tensor with one
/// a channel.
struct RequantOperands {
  Value multiplier;
  Value right, left; ///< shift amounts, at most and at least 0; null: none
  Value offset, negatedOffset;
};
} // namespace

static RequantOperands requantNumbers(Expansion &e) {
  int64_t shift = e.integer("rshift"), offset = e.integer("out_zp");
  RequantOperands r;
  r.multiplier = e.i32(e.integer("multiplier"));
  if (shift >= -32 && shift < 0)
    r.right = e.i32(shift);
  if (shift < -32) { // more than the number of a command holds
    r.right = scratch(e, {1, e.type("dst").getC(), 1, 1}, si(e, 8),
                      Layout::Compact, e.described("dst").lane);
    e.create<UnaryOp>(UnaryKind::Copy, r.right,
                      e.i32(std::max<int64_t>(shift, -63)));
  }
  if (shift > 0)
    r.left = e.i32(shift);
  r.offset = e.i32(offset);
  r.negatedOffset = e.i32(-offset);
  return r;
}

/// From the two words of every channel: multiplier; shift in byte 0, offset in
/// bytes 2 and 3 of the second.
static RequantOperands requantWords(Expansion &e) {
  Value words = e.tensor("requant");
  int64_t channels = e.type("requant").getC();
  unsigned lane = e.described("requant").lane;
  SmallVector<int64_t> shape = {1, channels, 1, 1};
  auto part = [&](Type element, int64_t byte) {
    int64_t step = 8 / (element.getIntOrFloatBitWidth() / 8);
    auto type = TensorViewType::get(shape, element, Memory::Local,
                                    ArrayRef<int64_t>{step, step, step, 1});
    return e.view(words, type, {0, 0, 0, 0}, byte);
  };
  auto compact = [&](Type element) {
    return scratch(e, shape, element, Layout::Compact, lane);
  };
  RequantOperands r;
  r.multiplier = part(si(e, 32), 0);
  Value shift = part(si(e, 8), 4);
  r.right = compact(si(e, 8));
  e.create<IntOp>(IntKind::Min, r.right, shift, e.i32(0));
  e.create<IntOp>(IntKind::Max, r.right, r.right, e.i32(-63));
  r.left = compact(si(e, 8));
  e.create<IntOp>(IntKind::Max, r.left, shift, e.i32(0));
  e.create<IntOp>(IntKind::Min, r.left, r.left, e.i32(31));
  r.offset = part(si(e, 16), 6);
  r.negatedOffset = compact(si(e, 32));
  e.create<IntOp>(IntKind::Sub, r.negatedOffset, e.i32(0), r.offset);
  return r;
}

/// dst = sat(sat32(sums * multiplier * 2^shift) + offset).
static LogicalResult expandConvRq(Expansion &e) {
  Value dst = e.tensor("dst"), sums = wideSums(e);
  TensorViewType type = e.type("dst");
  auto rounding = Rounding(e.integer("round"));
  RequantOperands r = e.tensor("requant") ? requantWords(e) : requantNumbers(e);
  e.create<IntOp>(IntKind::Mul, sums, sums, r.multiplier,
                  r.right ? r.right : Value(), rounding, true);
  if (r.left) // of what is saturated: 64 bits hold it
    e.create<IntOp>(IntKind::Mul, sums, sums, e.i32(1), r.left, rounding, true);
  if (isSigned(type)) {
    e.create<IntOp>(IntKind::Add, dst, sums, r.offset, true);
    if (e.integer("saturate")) {
      int64_t lowest = -(int64_t(1) << (elementBytesOf(type) * 8 - 1));
      e.create<IntOp>(IntKind::Max, dst, dst, e.i32(lowest + 1));
    }
    return success();
  }
  // Not below 0 after the sum, which then fits 32 bits without a sign.
  e.create<IntOp>(IntKind::Max, sums, sums, r.negatedOffset);
  e.create<IntOp>(IntKind::Add, sums, sums, r.offset);
  e.create<IntOp>(IntKind::Add, dst, seenAs(e, sums, type), e.i32(0), true);
  return success();
}

ArrayRef<ExpandRow> weft::ppl::tiuConvExpansions() {
  static constexpr ExpandRow rows[] = {
      {"tiu.fconv", expandFconv},        {"tiu.fdeconv", expandFconv},
      {"tiu.fdw_conv", expandDepthwise}, {"tiu.fdw_deconv", expandDepthwise},
      {"tiu.dw_conv", expandDepthwise},  {"tiu.dw_deconv", expandDepthwise},
      {"tiu.conv_sym", expandConvSym},   {"tiu.conv_sym_rq", expandConvRq},
      {"tiu.conv_asym", expandConvAsym}, {"tiu.conv_asym_rq", expandConvRq},
      {"tiu.deconv_sym", expandConvSym}, {"tiu.deconv_asym", expandConvAsym},
  };
  return rows;
}

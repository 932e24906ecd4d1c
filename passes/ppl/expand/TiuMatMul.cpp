//===- TiuMatMul.cpp - matrix products as commands ------------------------===//

#include "passes/ppl/expand/CommandFields.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

/// Bits of the number in place of a matrix beside elements of `type`.
static uint32_t numberBits(Expansion &e, StringRef slot, Type type) {
  return llvm::isa<FloatType>(type) ? floatElement(type, e.real(slot))
                                    : uint32_t(e.integer(slot));
}

/// mm and fmm: result, the left matrix and how it is folded, the right one.
static CommandFields foldedProduct(Expansion &e) {
  TensorViewType dst = e.type("dst"), left = e.type("left"),
                 right = e.type("right");
  CommandFields command(e);
  command.result(e.tensor("dst"), e.integer("result_add"),
                 accumulatorOf(e, "dst"));
  command.set("res0_c", dst.getC()).set("res0_w", dst.getW());
  command.set("opd0_prec", precisionCode(right));
  command.operand(0, e.tensor("left"),
                  left ? 0 : numberBits(e, "left", right.getElementType()));
  command.reads("opd1_addr", e.tensor("right"));
  if (left) {
    command.set("opd0_n", left.getN())
        .set("opd0_c", left.getC())
        .set("opd0_w", left.getW())
        .set("opd1_w", left.getW()) // columns in the last channel
        .set("left_tran", e.integer("ltrans"));
    return command;
  }
  int64_t width = e.chip.euBytes / elementBytesOf(right), depth = right.getN();
  int64_t channels = (depth + width - 1) / width;
  command.set("opd0_n", dst.getN()).set("opd0_c", channels);
  command.set("opd0_w", width).set("opd1_w", depth - (channels - 1) * width);
  return command;
}

static LogicalResult expandFmm(Expansion &e) {
  foldedProduct(e)
      .operand(2, e.tensor("bias"), 0)
      .make(isa::TiuType::MatMul, isa::mm::Normal);
  return success();
}

static LogicalResult expandMm(Expansion &e) {
  CommandFields command = foldedProduct(e);
  TensorViewType dst = e.type("dst");
  command.set("opd0_sign", isSignedOperand(e, "left"))
      .set("opd1_sign", isSigned(e.type("right")));
  if (elementBytesOf(dst) == 4) {
    // The shift is an int8, negative to the right.
    command.operand(2, {}, uint32_t(-e.integer("rshift")) & 0xff)
        .set("opd2_sign", 1)
        .set("opd2_n_str", e.integer("round"))
        .make(isa::TiuType::MatMul, isa::mm::Normal);
    return success();
  }
  command.operand(2, e.tensor("bias"), 0)
      .set("opd2_sign", isSignedOperand(e, "bias"))
      .set("opd3_addr", e.integer("lshift") | e.integer("rshift") << 8);
  command.make(isa::TiuType::MatMul, e.integer("do_relu")
                                         ? isa::mm::RequantisedRelu
                                         : isa::mm::Requantised);
  return success();
}

/// mm2 and fmm2. The right matrix is [K, N], or [N, K] if it is transposed.
static CommandFields laneProduct(Expansion &e, StringRef result,
                                 isa::mm::Func form) {
  TensorViewType dst = e.type(result), left = e.type("left"),
                 right = e.type("right");
  int64_t depth = right ? (form == isa::mm::NN ? right.getC() : right.getW())
                  : form == isa::mm::TT ? left.getC()
                                        : left.getW();
  int64_t columns = form == isa::mm::TT ? dst.getC() : dst.getW();
  TensorViewType known = left ? left : right;
  CommandFields command(e);
  command.result(e.tensor(result), e.integer("result_add"),
                 accumulatorOf(e, result));
  command.set("res0_c", dst.getC()).set("res0_w", dst.getW());
  command.set("opd1_c", form == isa::mm::NN ? depth : columns)
      .set("opd1_w", form == isa::mm::NN ? columns : depth);
  command.set("opd0_prec", precisionCode(known));
  for (auto [which, slot] : {std::pair(0u, "left"), std::pair(1u, "right")})
    command.operand(
        which, e.tensor(slot),
        e.tensor(slot) ? 0 : numberBits(e, slot, known.getElementType()));
  return command;
}

template <isa::mm::Func form>
static LogicalResult expandFmm2(Expansion &e) {
  laneProduct(e, "dst", form).make(isa::TiuType::MatMul, form);
  return success();
}

template <isa::mm::Func form>
static LogicalResult expandMm2(Expansion &e) {
  CommandFields command = laneProduct(e, "rst", form);
  // The zero point is read with the sign of the right matrix.
  bool isRightSigned =
      isSignedOperand(e, "right") || isSignedOperand(e, "r_zp");
  command.set("opd0_sign", isSignedOperand(e, "left"))
      .set("opd1_sign", isRightSigned);
  command.operand(2, e.tensor("r_zp"), uint32_t(e.integer("r_zp")) & 0xff);
  command.make(isa::TiuType::MatMul, form);
  return success();
}

ArrayRef<ExpandRow> weft::ppl::tiuMatMulExpansions() {
  static constexpr ExpandRow rows[] = {
      {"tiu.mm", expandMm},
      {"tiu.fmm", expandFmm},
      {"tiu.mm2_nn", expandMm2<isa::mm::NN>},
      {"tiu.mm2_nt", expandMm2<isa::mm::NT>},
      {"tiu.mm2_tt", expandMm2<isa::mm::TT>},
      {"tiu.fmm2_nn", expandFmm2<isa::mm::NN>},
      {"tiu.fmm2_nt", expandFmm2<isa::mm::NT>},
      {"tiu.fmm2_tt", expandFmm2<isa::mm::TT>},
  };
  return rows;
}

//===- TiuMatMul.cpp - matrix products as commands ------------------------===//

#include "runtime/ppl/commands/CommandFields.h"

using namespace weft;
using namespace weft::commands;

/// Bits of the number in place of a matrix beside elements of `type`.
static uint32_t numberBits(Expansion &e, std::string_view slot, DataType type) {
  return catalog::isFloat(type) ? elementBits(type, e.real(slot))
                                : uint32_t(e.integer(slot));
}

/// mm and fmm: result, the left matrix and how it is folded, the right one.
static TiuCommand foldedProduct(Expansion &e) {
  Operand dst = e.tensor("dst"), left = e.tensor("left"),
          right = e.tensor("right");
  TiuCommand command(e);
  command.result(e.tensor("dst"), e.integer("result_add"),
                 accumulatorOf(e, "dst"));
  command.set(Field::res0_c, dst.shape[1]).set(Field::res0_w, dst.shape[3]);
  command.set(Field::opd0_prec, codeOf(right));
  command.operand(0, e.tensor("left"),
                  left ? 0 : numberBits(e, "left", right.type));
  command.reads(Field::opd1_addr, e.tensor("right"));
  if (left) {
    command.set(Field::opd0_n, left.shape[0])
        .set(Field::opd0_c, left.shape[1])
        .set(Field::opd0_w, left.shape[3])
        .set(Field::opd1_w, left.shape[3]) // columns in the last channel
        .set(Field::left_tran, e.integer("ltrans"));
    return command;
  }
  int64_t width = e.chip.euBytes / catalog::bytesOf(right.type),
          depth = right.shape[0];
  int64_t channels = (depth + width - 1) / width;
  command.set(Field::opd0_n, dst.shape[0]).set(Field::opd0_c, channels);
  command.set(Field::opd0_w, width)
      .set(Field::opd1_w, depth - (channels - 1) * width);
  return command;
}

static Status expandFmm(Expansion &e) {
  foldedProduct(e)
      .operand(2, e.tensor("bias"), 0)
      .make(isa::TiuType::MatMul, isa::mm::Normal);
  return Status::ok();
}

static Status expandMm(Expansion &e) {
  TiuCommand command = foldedProduct(e);
  Operand dst = e.tensor("dst");
  command.set(Field::opd0_sign, isSignedOperand(e, "left"))
      .set(Field::opd1_sign, catalog::isSigned(e.tensor("right").type));
  if (catalog::bytesOf(dst.type) == 4) {
    // The shift is an int8, negative to the right.
    command.operand(2, {}, uint32_t(-e.integer("rshift")) & 0xff)
        .set(Field::opd2_sign, 1)
        .set(Field::opd2_n_str, e.integer("round"))
        .make(isa::TiuType::MatMul, isa::mm::Normal);
    return Status::ok();
  }
  command.operand(2, e.tensor("bias"), 0)
      .set(Field::opd2_sign, isSignedOperand(e, "bias"))
      .set(Field::opd3_addr, e.integer("lshift") | e.integer("rshift") << 8);
  command.make(isa::TiuType::MatMul, e.integer("do_relu")
                                         ? isa::mm::RequantisedRelu
                                         : isa::mm::Requantised);
  return Status::ok();
}

/// mm2 and fmm2. The right matrix is [K, N], or [N, K] if it is transposed.
static TiuCommand laneProduct(Expansion &e, std::string_view result,
                              isa::mm::Func form) {
  Operand dst = e.tensor(result), left = e.tensor("left"),
          right = e.tensor("right");
  int64_t depth = right
                      ? (form == isa::mm::NN ? right.shape[1] : right.shape[3])
                  : form == isa::mm::TT ? left.shape[1]
                                        : left.shape[3];
  int64_t columns = form == isa::mm::TT ? dst.shape[1] : dst.shape[3];
  Operand known = left ? left : right;
  TiuCommand command(e);
  command.result(e.tensor(result), e.integer("result_add"),
                 accumulatorOf(e, result));
  command.set(Field::res0_c, dst.shape[1]).set(Field::res0_w, dst.shape[3]);
  command.set(Field::opd1_c, form == isa::mm::NN ? depth : columns)
      .set(Field::opd1_w, form == isa::mm::NN ? columns : depth);
  command.set(Field::opd0_prec, codeOf(known));
  for (auto [which, slot] : {std::pair(0u, "left"), std::pair(1u, "right")})
    command.operand(which, e.tensor(slot),
                    e.tensor(slot) ? 0 : numberBits(e, slot, known.type));
  return command;
}

template <isa::mm::Func form>
static Status expandFmm2(Expansion &e) {
  laneProduct(e, "dst", form).make(isa::TiuType::MatMul, form);
  return Status::ok();
}

template <isa::mm::Func form>
static Status expandMm2(Expansion &e) {
  TiuCommand command = laneProduct(e, "rst", form);
  // The zero point is read with the sign of the right matrix.
  bool isRightSigned =
      isSignedOperand(e, "right") || isSignedOperand(e, "r_zp");
  command.set(Field::opd0_sign, isSignedOperand(e, "left"))
      .set(Field::opd1_sign, isRightSigned);
  command.operand(2, e.tensor("r_zp"), uint32_t(e.integer("r_zp")) & 0xff);
  command.make(isa::TiuType::MatMul, form);
  return Status::ok();
}

std::vector<ExpandRow> weft::commands::tiuMatMulExpansions() {
  return {
      {"tiu.mm", expandMm},
      {"tiu.fmm", expandFmm},
      {"tiu.mm2_nn", expandMm2<isa::mm::NN>},
      {"tiu.mm2_nt", expandMm2<isa::mm::NT>},
      {"tiu.mm2_tt", expandMm2<isa::mm::TT>},
      {"tiu.fmm2_nn", expandFmm2<isa::mm::NN>},
      {"tiu.fmm2_nt", expandFmm2<isa::mm::NT>},
      {"tiu.fmm2_tt", expandFmm2<isa::mm::TT>},
  };
}

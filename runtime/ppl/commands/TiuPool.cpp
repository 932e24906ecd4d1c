//===- TiuPool.cpp - poolings as commands ---------------------------------===//

#include "runtime/ppl/commands/CommandFields.h"

using namespace weft;
using namespace weft::commands;

/// The smallest finite value of an element type, as bits: padding never wins.
static uint32_t smallestBits(DataType type) {
  switch (precisionOf(type)) {
  case isa::Precision::Fp32:
    return 0xff7fffff;
  case isa::Precision::Fp16:
    return 0xfbff;
  case isa::Precision::Bf16:
    return 0xff7f;
  default:
    return catalog::isSigned(type) ? 0x80 : 0;
  }
}

/// What all poolings share.
static TiuCommand pooling(Expansion &e) {
  Operand dst = e.tensor("dst"), src = e.tensor("src");
  TiuCommand command(e);
  command.result(dst).resultShape(dst.shape).window(src);
  command.reads(Field::opd0_addr, e.tensor("src"));
  command.set(Field::opd0_prec, codeOf(src));
  if (!catalog::isFloat(src.type))
    command.set(Field::opd0_sign, catalog::isSigned(src.type));
  return command;
}

static Status expandMax(Expansion &e) {
  pooling(e)
      .operand(3, {}, smallestBits(e.tensor("src").type))
      .make(isa::TiuType::PoolOrDepthwise, isa::pord::MaxPool);
  return Status::ok();
}

static Status expandAverage(Expansion &e) {
  Operand src = e.tensor("src");
  bool isFloatType = catalog::isFloat(src.type);
  uint32_t scale = isFloatType ? elementBits(src.type, e.real("scale"))
                               : uint32_t(e.integer("scale"));
  TiuCommand command = pooling(e);
  command.operand(1, {}, scale).operand(3, {}, 0);
  command.set(Field::opd2_n_str, int64_t(isa::Rounding::HalfUp));
  if (!isFloatType)
    command.set(Field::opd2_addr, e.integer("rshift"));
  command.make(isa::TiuType::PoolOrDepthwise, isa::pord::AvgPool);
  return Status::ok();
}

std::vector<ExpandRow> weft::commands::tiuPoolExpansions() {
  return {
      {"tiu.pool_max", expandMax},
      {"tiu.fpool_max", expandMax},
      {"tiu.pool_avg", expandAverage},
      {"tiu.fpool_avg", expandAverage},
  };
}

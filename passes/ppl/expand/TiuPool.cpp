//===- TiuPool.cpp - poolings as commands ---------------------------------===//

#include "passes/ppl/expand/CommandFields.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

/// The smallest finite value of an element type, as bits: padding never wins.
static uint32_t smallestBits(TensorViewType type) {
  switch (*precisionOf(type.getElementType())) {
  case isa::Precision::Fp32:
    return 0xff7fffff;
  case isa::Precision::Fp16:
    return 0xfbff;
  case isa::Precision::Bf16:
    return 0xff7f;
  default:
    return isSigned(type) ? 0x80 : 0;
  }
}

/// What all poolings share.
static CommandFields pooling(Expansion &e) {
  TensorViewType dst = e.type("dst"), src = e.type("src");
  CommandFields command(e);
  command.result(e.tensor("dst")).resultShape(dst).window(src);
  command.reads("opd0_addr", e.tensor("src"));
  command.set("opd0_prec", precisionCode(src));
  if (!src.isFloat())
    command.set("opd0_sign", isSigned(src));
  return command;
}

static LogicalResult expandMax(Expansion &e) {
  pooling(e)
      .operand(3, {}, smallestBits(e.type("src")))
      .make(isa::TiuType::PoolOrDepthwise, isa::pord::MaxPool);
  return success();
}

static LogicalResult expandAverage(Expansion &e) {
  TensorViewType src = e.type("src");
  bool isFloatType = src.isFloat();
  uint32_t scale = isFloatType
                       ? floatElement(src.getElementType(), e.real("scale"))
                       : uint32_t(e.integer("scale"));
  CommandFields command = pooling(e);
  command.operand(1, {}, scale).operand(3, {}, 0);
  command.set("opd2_n_str", int64_t(isa::Rounding::HalfUp));
  if (!isFloatType)
    command.set("opd2_addr", e.integer("rshift"));
  command.make(isa::TiuType::PoolOrDepthwise, isa::pord::AvgPool);
  return success();
}

ArrayRef<ExpandRow> weft::ppl::tiuPoolExpansions() {
  static constexpr ExpandRow rows[] = {
      {"tiu.pool_max", expandMax},
      {"tiu.fpool_max", expandMax},
      {"tiu.pool_avg", expandAverage},
      {"tiu.fpool_avg", expandAverage},
  };
  return rows;
}

//===- TiuQuant.cpp - functions of PPL as commands ------------------------===//

#include "runtime/numeric/Float16.h"
#include "runtime/ppl/commands/ElementCommands.h"

using namespace weft;
using namespace weft::commands;
namespace quant = weft::isa::quant;

/// One sRQDQ command. `rounding` is the code of opd2_n_str; `first` and
/// `second` are the numbers of all channels, in the address fields of operands
/// 1 and 2, if there is no tensor of each channel's.
static void quantCommand(Expansion &e, unsigned func, int64_t rounding,
                         uint32_t first, uint32_t second) {
  Operand dst = e.tensor("dst"), src = e.tensor("src");
  TiuCommand command(e);
  command.result(dst).resultShape(dst.shape).reads(Field::opd0_addr, src);
  command.set({{Field::opd0_prec, codeOf(src)},
               {Field::opd0_sign, catalog::isSigned(src.type)},
               {Field::opd2_sign, catalog::isSigned(dst.type)},
               {Field::opd2_n_str, rounding}});
  if (Operand each = e.tensor("quant"))
    command.reads(Field::opd1_addr, each);
  else
    command.set({{Field::opd1_const, 1},
                 {Field::opd1_addr, first},
                 {Field::opd2_addr, second}});
  command.make(isa::TiuType::Quant, func);
}

static uint32_t floatBits(double value) {
  return numeric::floatBits(float(value));
}

static Status expandDq0(Expansion &e) {
  quantCommand(e, quant::Dq0, e.integer("round_mode"),
               uint32_t(e.integer("offset")) & 0xffff,
               floatBits(e.real("scale")));
  return Status::ok();
}

static Status expandDq1(Expansion &e) {
  uint32_t shiftAndOffset = uint32_t(e.integer("shift")) << 16 |
                            (uint32_t(e.integer("offset")) & 0xffff);
  quantCommand(e, quant::Dq1, e.integer("round_mode"), shiftAndOffset,
               uint32_t(e.integer("multiplier")));
  return Status::ok();
}

static Status expandRq0(Expansion &e) {
  // Three bits for the conversion of src, the next three for that of dst.
  int64_t codes = e.integer("src_round_mode") | e.integer("dst_round_mode")
                                                    << 3;
  quantCommand(e, quant::Rq0, codes, floatBits(e.real("scale")),
               floatBits(e.real("offset")));
  return Status::ok();
}

static Status expandRq1(Expansion &e) {
  uint32_t shiftAndOffset = uint32_t(e.integer("offset")) << 16 |
                            (uint32_t(e.integer("shift")) & 0xff);
  quantCommand(e, quant::Rq1, e.integer("round_mode"),
               uint32_t(e.integer("multiplier")), shiftAndOffset);
  return Status::ok();
}

/// dst = cast(src), then minus the offsets, times the scales. Rows and groups
/// become one axis: both lie at one distance everywhere.
static Status expandDq2(Expansion &e) {
  Operand dst = e.tensor("dst"), words = e.tensor("offset_scale");
  ElementCommands(e, dst).cast(dst, e.tensor("src"));
  int64_t size = e.integer("gsize");
  int64_t groups = dst.shape[2] * (dst.shape[3] / size);
  const Dims &to = dst.strides, &from = words.strides;
  Operand values = e.part(dst, {}, {dst.shape[0], dst.shape[1], groups, size},
                          Dims{to[0], to[1], size, 1});
  // Two halves a word: the offset, then the scale.
  auto half = [&](int64_t byte) {
    return Expansion::as(e.part(words, {},
                                {dst.shape[0], dst.shape[1], groups, 1},
                                Dims{2 * from[0], 2 * from[1], 2, 1}, byte),
                         dst.type);
  };
  ElementCommands commands(e, values);
  commands.apply(isa::arith::Sub, values, {values, half(0)});
  commands.apply(isa::arith::Mul, values, {values, half(2)});
  return Status::ok();
}

std::vector<ExpandRow> weft::commands::tiuQuantExpansions() {
  return {
      {"tiu.dq0", expandDq0}, {"tiu.dq1", expandDq1}, {"tiu.dq2", expandDq2},
      {"tiu.rq0", expandRq0}, {"tiu.rq1", expandRq1},
  };
}

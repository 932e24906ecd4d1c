//===- TiuQuant.cpp - functions of PPL as commands ------------------------===//

#include "dialects/ppl/TiuArith.h"
#include "passes/ppl/Expansion.h"
#include "runtime/numeric/Float16.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;
namespace quant = weft::isa::quant;

/// One sRQDQ command. `rounding` is the code of opd2_n_str; `first` and
/// `second` are the numbers of all channels, in the address fields of operands
/// 1 and 2, if there is no tensor of each channel's.
static void quantCommand(Expansion &e, int32_t func, int64_t rounding,
                         uint32_t first, uint32_t second) {
  TensorViewType dst = e.type("dst"), src = e.type("src");
  SmallVector<Expansion::Field> fields = {
      {"res0_n", dst.getN()},
      {"res0_c", dst.getC()},
      {"res0_h", dst.getH()},
      {"res0_w", dst.getW()},
      {"res0_prec", int64_t(*precisionOf(dst.getElementType()))},
      {"opd0_prec", int64_t(*precisionOf(src.getElementType()))},
      {"opd0_sign", isSigned(src)},
      {"opd2_sign", isSigned(dst)},
      {"opd2_n_str", rounding}};
  SmallVector<Expansion::Binding> bindings = {
      {"res0_addr", e.tensor("dst"), Expansion::Writes},
      {"opd0_addr", e.tensor("src"), Expansion::Reads}};
  if (Value each = e.tensor("quant"))
    bindings.push_back({"opd1_addr", each, Expansion::Reads});
  else
    fields.append(
        {{"opd1_const", 1}, {"opd1_addr", first}, {"opd2_addr", second}});
  e.command(Engine::Tiu, int32_t(isa::TiuType::Quant), func, fields, bindings);
}

static uint32_t floatBits(double value) {
  return numeric::floatBits(float(value));
}

static LogicalResult expandDq0(Expansion &e) {
  quantCommand(e, quant::Dq0, e.integer("round_mode"),
               uint32_t(e.integer("offset")) & 0xffff,
               floatBits(e.real("scale")));
  return success();
}

static LogicalResult expandDq1(Expansion &e) {
  uint32_t shiftAndOffset = uint32_t(e.integer("shift")) << 16 |
                            (uint32_t(e.integer("offset")) & 0xffff);
  quantCommand(e, quant::Dq1, e.integer("round_mode"), shiftAndOffset,
               uint32_t(e.integer("multiplier")));
  return success();
}

static LogicalResult expandRq0(Expansion &e) {
  // Three bits for the conversion of src, the next three for that of dst.
  int64_t codes = e.integer("src_round_mode") | e.integer("dst_round_mode")
                                                    << 3;
  quantCommand(e, quant::Rq0, codes, floatBits(e.real("scale")),
               floatBits(e.real("offset")));
  return success();
}

static LogicalResult expandRq1(Expansion &e) {
  uint32_t shiftAndOffset = uint32_t(e.integer("offset")) << 16 |
                            (uint32_t(e.integer("shift")) & 0xff);
  quantCommand(e, quant::Rq1, e.integer("round_mode"),
               uint32_t(e.integer("multiplier")), shiftAndOffset);
  return success();
}

/// dst = cast(src), then minus the offsets, times the scales. Rows and groups
/// become one axis: both lie at one distance everywhere.
static LogicalResult expandDq2(Expansion &e) {
  Value dst = e.tensor("dst");
  TensorViewType type = e.type("dst"), words = e.type("offset_scale");
  e.create<CastOp>(dst, e.tensor("src"), Rounding::HalfToEven);
  int64_t size = e.integer("gsize");
  int64_t groups = type.getH() * (type.getW() / size);
  unsigned lane = e.described("dst").lane;
  Strides to = stridesOf(type, lane, e.chip),
          from = stridesOf(words, lane, e.chip);
  SmallVector<int64_t> shape = {type.getN(), type.getC(), groups, size};
  SmallVector<int64_t> strides = {to.n, to.c, size, 1};
  Value values = e.view(dst, TensorViewType::get(shape, type.getElementType(),
                                                 Memory::Local, strides));
  // Two halves a word: the offset, then the scale.
  SmallVector<int64_t> one = {type.getN(), type.getC(), groups, 1};
  SmallVector<int64_t> halves = {2 * from.n, 2 * from.c, 2, 1};
  auto half =
      TensorViewType::get(one, type.getElementType(), Memory::Local, halves);
  Value packed = e.tensor("offset_scale");
  Value offset = e.view(packed, half),
        scale = e.view(packed, half, {0, 0, 0, 0}, 2);
  e.create<FloatOp>(FloatKind::Sub, values, values, offset, 3);
  e.create<FloatOp>(FloatKind::Mul, values, values, scale, 3);
  return success();
}

ArrayRef<ExpandRow> weft::ppl::tiuQuantExpansions() {
  static constexpr ExpandRow rows[] = {
      {"tiu.dq0", expandDq0}, {"tiu.dq1", expandDq1}, {"tiu.dq2", expandDq2},
      {"tiu.rq0", expandRq0}, {"tiu.rq1", expandRq1},
  };
  return rows;
}

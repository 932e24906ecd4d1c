/// sCMP: compare a pair, select from a pair.
#include "runtime/emulator/tiu/Elements.h"
#include "runtime/emulator/tiu/Tiu.h"

namespace weft::emulator::tiu {
namespace {

namespace cmp = isa::cmp;

struct Source {
  ElementKind kind;
  bool isConstant = false;
  uint32_t constant = 0;
  LocalView view;

  const uint8_t *at(uint32_t n, uint32_t c, uint32_t h, uint32_t w) const {
    return isConstant ? reinterpret_cast<const uint8_t *>(&constant)
                      : view.at(n, c, h) + w * view.stride.w;
  }
  uint64_t step() const { return isConstant ? 0 : view.stride.w; }
};

Status readSource(const Machine &machine, const Decoded &c, const char *what,
                  Field address, Field constant, Field layoutField,
                  bool hasLayout, ElementKind kind, const Shape4 &shape,
                  Source &source) {
  source.kind = kind;
  source.isConstant = c.get(constant);
  source.constant = get32(c, address);
  if (!isKnown(kind.precision))
    return unsupported(c, "an int4 operand");
  if (source.isConstant)
    return Status::ok();
  unsigned layout = hasLayout ? get32(c, layoutField) : 0;
  if (layout > 2)
    return failf(Code::BadCommand, "%s has layout code %u; CMP takes 0 to 2",
                 what, layout);
  return viewLocal(machine, what, source.constant, kind.precision, shape,
                   static_cast<Layout>(layout), source.view);
}

/// The select of AR that chooses the first one of a pair. Max takes the first
/// one if it is greater, min if it is less.
unsigned selectOf(unsigned func) {
  switch (func) {
  case cmp::MaxAndSelect:
  case cmp::SelectGreater:
    return isa::arith::SelectGreater;
  case cmp::SelectEqual:
    return isa::arith::SelectEqual;
  default:
    return isa::arith::SelectLess;
  }
}

/// One row of a command.
struct CompareRow {
  ElementOperation select;
  const uint8_t *from[4] = {};
  uint64_t step[4] = {};
  unsigned count = 0;

  /// 1 where the first one of the pair is chosen, else 0.
  void choose(int64_t *first) const {
    const ElementKind kind = select.a;
    if (kind.isFloat()) {
      float a[kRowElements], b[kRowElements];
      loadFloats(from[0], step[0], kind.precision, a, count);
      loadFloats(from[1], step[1], kind.precision, b, count);
      return floatSelectRow(select, a, b, 1, first, count);
    }
    int64_t a[kRowElements], b[kRowElements];
    loadIntegers(from[0], step[0], kind, a, count);
    loadIntegers(from[1], step[1], kind, b, count);
    integerRow(select, a, b, 1, first, count);
  }
  /// Stores the chosen ones of sources `one` and `other`. fp32 and bf16
  /// subnormals become zeros if `flushes`.
  void store(const int64_t *first, unsigned one, unsigned other,
             ElementKind kind, bool flushes, uint8_t *to) const {
    const ElementKind bits = {kind.precision, false};
    const int64_t exponent =
        kind.precision == Precision::Fp32 ? 0x7f800000 : 0x7f80;
    const int64_t sign = int64_t(1) << (kind.bits() - 1);
    int64_t a[kRowElements], b[kRowElements];
    loadIntegers(from[one], step[one], bits, a, count);
    loadIntegers(from[other], step[other], bits, b, count);
    for (unsigned i = 0; i < count; ++i)
      a[i] = first[i] ? a[i] : b[i];
    if (flushes && kind.isFloat() && kind.precision != Precision::Fp16)
      for (unsigned i = 0; i < count; ++i)
        a[i] &= a[i] & exponent ? -1 : sign;
    storeIntegers(to, kind.bytes(), kind.precision, a, count);
  }
};

} // namespace

Status compare(Machine &machine, const Decoded &c) {
  Shape4 shape = resultShape(c);
  ElementKind compared = {precisionOf(c, Field::opd0_prec),
                          c.get(Field::opd0_sign) != 0};
  ElementKind selected = {precisionOf(c, Field::opd2_prec), true};
  Source sources[4];
  Source &a = sources[0], &b = sources[1], &x = sources[2], &y = sources[3];
  WEFT_TRY(readSource(machine, c, "operand 0", Field::opd0_addr,
                      Field::opd0_const, Field::opd0_str, true, compared, shape,
                      a));
  WEFT_TRY(readSource(machine, c, "operand 1", Field::opd1_addr,
                      Field::opd1_const, Field::opd1_str, true, compared, shape,
                      b));
  WEFT_TRY(readSource(machine, c, "operand 2", Field::opd2_addr,
                      Field::opd2_const, Field::opd2_str, false, selected,
                      shape, x));
  WEFT_TRY(readSource(machine, c, "operand 3", Field::opd3_addr,
                      Field::opd3_const, Field::opd2_str, false, selected,
                      shape, y));
  bool hasBoth = c.func == cmp::MaxAndSelect || c.func == cmp::MinAndSelect;
  LocalView results[2];
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr),
                     hasBoth ? compared.precision : selected.precision, shape,
                     Layout::Aligned, results[0]));
  if (hasBoth)
    WEFT_TRY(viewLocal(machine, "result 1", c.get(Field::res1_addr),
                       selected.precision, shape, Layout::Aligned, results[1]));
  CompareRow row;
  row.select.func = selectOf(c.func);
  row.select.a = row.select.b = compared;
  int64_t first[kRowElements];
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t ch = 0; ch < shape.c; ++ch)
      for (uint32_t h = 0; h < shape.h; ++h)
        for (uint32_t w = 0; w < shape.w; w += kRowElements) {
          row.count = shape.w - w < kRowElements ? shape.w - w : kRowElements;
          for (unsigned i = 0; i < 4; ++i) {
            row.from[i] = sources[i].at(n, ch, h, w);
            row.step[i] = sources[i].step();
          }
          row.choose(first);
          if (hasBoth)
            row.store(first, 0, 1, compared, true, results[0].at(n, ch, h, w));
          row.store(first, 2, 3, selected, false,
                    results[hasBoth].at(n, ch, h, w));
        }
  return Status::ok();
}

} // namespace weft::emulator::tiu

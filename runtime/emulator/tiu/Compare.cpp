/// sCMP: compare a pair, select from a pair.
#include "runtime/emulator/tiu/Tiu.h"

namespace weft::emulator::tiu {
namespace {

struct Source {
  ElementKind kind;
  bool isConstant = false;
  uint32_t constant = 0;
  LocalView view;

  /// Element as a number that orders as the element does.
  double number(uint32_t n, uint32_t c, uint32_t h, uint32_t w) const {
    const uint8_t *at = isConstant
                            ? reinterpret_cast<const uint8_t *>(&constant)
                            : view.at(n, c, h, w);
    if (kind.isFloat()) {
      float value;
      loadFloats(at, 0, kind.precision, &value, 1);
      return value;
    }
    int64_t value;
    loadIntegers(at, 0, kind, &value, 1);
    return static_cast<double>(value);
  }
  uint32_t bits(uint32_t n, uint32_t c, uint32_t h, uint32_t w) const {
    uint32_t value = 0;
    if (isConstant)
      return constant;
    std::memcpy(&value, view.at(n, c, h, w), kind.bytes());
    return value;
  }
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

void storeBits(const LocalView &view, uint32_t n, uint32_t c, uint32_t h,
               uint32_t w, uint32_t bits) {
  std::memcpy(view.at(n, c, h, w), &bits, view.bytes);
}

} // namespace

Status compare(Machine &machine, const Decoded &c) {
  namespace cmp = isa::cmp;
  Shape4 shape = resultShape(c);
  ElementKind compared = {precisionOf(c, Field::opd0_prec),
                          c.get(Field::opd0_sign) != 0};
  ElementKind selected = {precisionOf(c, Field::opd2_prec), true};
  Source a, b, x, y;
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
  LocalView first, second;
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr),
                     hasBoth ? compared.precision : selected.precision, shape,
                     Layout::Aligned, first));
  if (hasBoth)
    WEFT_TRY(viewLocal(machine, "result 1", c.get(Field::res1_addr),
                       selected.precision, shape, Layout::Aligned, second));
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t ch = 0; ch < shape.c; ++ch)
      for (uint32_t h = 0; h < shape.h; ++h)
        for (uint32_t w = 0; w < shape.w; ++w) {
          double left = a.number(n, ch, h, w), right = b.number(n, ch, h, w);
          bool holds;
          switch (c.func) {
          case cmp::MaxAndSelect:
          case cmp::SelectGreater:
            holds = left > right;
            break;
          case cmp::SelectEqual:
            holds = left == right;
            break;
          default:
            holds = left < right;
            break;
          }
          uint32_t chosen = holds ? x.bits(n, ch, h, w) : y.bits(n, ch, h, w);
          if (hasBoth) {
            storeBits(first, n, ch, h, w, (holds ? a : b).bits(n, ch, h, w));
            storeBits(second, n, ch, h, w, chosen);
          } else {
            storeBits(first, n, ch, h, w, chosen);
          }
        }
  return Status::ok();
}

} // namespace weft::emulator::tiu

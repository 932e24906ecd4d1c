/// sVC: result[i][j] = op(a[i], b[j]) on vectors in matrix layout.
#include "runtime/emulator/FloatOrder.h"
#include "runtime/emulator/tiu/Elements.h"
#include "runtime/emulator/tiu/Tiu.h"

namespace weft::emulator::tiu {
namespace {

/// One row of the result: op(a, b[i]).
void outerRow(const ElementOperation &op, const uint8_t *left,
              const uint8_t *right, uint32_t constant, uint8_t *to,
              unsigned count) {
  const Precision result = op.result.precision;
  const unsigned step = op.result.bytes();
  int64_t third = integerConstant(constant, {result, false});
  int64_t integers[kRowElements];
  if (op.a.isFloat()) {
    float a[kRowElements], b[kRowElements], out[kRowElements];
    loadFloats(left, 0, op.a.precision, a, count);
    loadFloats(right, op.b.bytes(), op.b.precision, b, count);
    if (isa::arith::isSelect(op.func)) {
      floatSelectRow(op, a, b, third, integers, count);
      return storeIntegers(to, step, result, integers, count);
    }
    floatRow(op, a, b, out, count);
    if (keepsBits(op.func))
      return storeChosen(to, step, result, out, count);
    return storeFloats(to, step, result, out, count);
  }
  int64_t a[kRowElements], b[kRowElements];
  loadIntegers(left, 0, op.a, a, count);
  loadIntegers(right, op.b.bytes(), op.b, b, count);
  integerRow(op, a, b, third, integers, count);
  storeIntegers(to, step, result, integers, count);
}

} // namespace

Status outerProduct(Machine &machine, const Decoded &c) {
  uint32_t channels = get32(c, Field::opd0_c), width = get32(c, Field::opd0_w);
  uint32_t last = get32(c, Field::opd1_w), columns = get32(c, Field::res0_c);
  uint32_t perChannel = get32(c, Field::res0_w);
  ElementKind a = {precisionOf(c, Field::opd0_prec),
                   c.get(Field::opd0_sign) != 0};
  ElementKind b = {precisionOf(c, Field::opd1_prec),
                   c.get(Field::opd1_sign) != 0};
  const Precision result = precisionOf(c, Field::res0_prec);
  if (last == 0 || last > width)
    return failf(
        Code::BadCommand,
        "the last channel of operand 0 has %u columns; it takes 1 to %u", last,
        width);
  if (channels == 0)
    return failf(Code::BadCommand, "operand 0 has no channels");
  uint32_t rows = (channels - 1) * width + last;
  if (rows > 65535u * 64)
    return failf(Code::BadCommand, "operand 0 has %u elements", rows);
  LocalView left, right, out;
  WEFT_TRY(viewLocal(machine, "operand 0", c.get(Field::opd0_addr), a.precision,
                     {1, channels, 1, width}, Layout::Aligned, left));
  WEFT_TRY(viewLocal(machine, "operand 1", c.get(Field::opd1_addr), b.precision,
                     {1, columns, 1, perChannel}, Layout::Aligned, right));
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr), result,
                     {rows, columns, 1, perChannel}, Layout::Aligned, out));
  ElementOperation op;
  op.func = c.func;
  op.a = a;
  op.b = b;
  op.result.precision = op.chosen = result;
  op.result.isSigned = resultIsSigned(op);
  op.steps = 3;
  const uint32_t rounding = get32(c, Field::opd2_n_str);
  if (c.func == isa::arith::MulDoublingHigh &&
      rounding >= numeric::kRoundingModes)
    return failf(Code::BadCommand, "rounding code %u; the machine has 0 to 6",
                 rounding);
  op.rounding = static_cast<numeric::Rounding>(rounding);
  if (isa::arith::isUnary(c.func))
    return unsupported(c, "a function of one operand");
  if (const char *what = undefinedPart(op))
    return unsupported(c, what);
  const uint32_t constant = get32(c, Field::opd2_addr);
  for (uint32_t row = 0; row < rows; ++row) {
    const uint8_t *x = left.at(0, row / width, 0, row % width);
    for (uint32_t ch = 0; ch < columns; ++ch)
      for (uint32_t w = 0; w < perChannel; w += kRowElements)
        outerRow(op, x, right.at(0, ch, 0, w), constant, out.at(row, ch, 0, w),
                 perChannel - w < kRowElements ? perChannel - w : kRowElements);
  }
  return Status::ok();
}

} // namespace weft::emulator::tiu

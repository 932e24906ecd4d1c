/// sVC: result[i][j] = op(a[i], b[j]) on vectors in matrix layout.
#include "runtime/emulator/tiu/Tiu.h"

#include "runtime/numeric/Rounding.h"

#include <algorithm>

namespace weft::emulator::tiu {
namespace {

namespace ar = isa::arith;

bool isSupported(unsigned func, bool isFloat) {
  switch (func) {
  case ar::Mul:
  case ar::Add:
  case ar::Sub:
  case ar::Max:
  case ar::Min:
  case ar::SelectGreater:
  case ar::SelectEqual:
  case ar::SelectLess:
  case ar::AddSat:
  case ar::SubSat:
  case ar::MulSat:
    return true;
  case ar::Div:
    return isFloat;
  case ar::And:
  case ar::Or:
  case ar::Xor:
    return !isFloat;
  default:
    return false;
  }
}

int64_t integerElement(unsigned func, int64_t a, int64_t b, int64_t constant,
                       ElementKind result) {
  switch (func) {
  case ar::Mul:
    return a * b;
  case ar::Add:
    return a + b;
  case ar::Sub:
    return a - b;
  case ar::Max:
    return std::max(a, b);
  case ar::Min:
    return std::min(a, b);
  case ar::And:
    return a & b;
  case ar::Or:
    return a | b;
  case ar::Xor:
    return a ^ b;
  case ar::SelectGreater:
    return a > b ? constant : 0;
  case ar::SelectEqual:
    return a == b ? constant : 0;
  case ar::SelectLess:
    return a < b ? constant : 0;
  case ar::AddSat:
    return numeric::saturate(a + b, result.bits(), result.isSigned);
  case ar::SubSat:
    return numeric::saturate(a - b, result.bits(), true);
  default:
    return numeric::saturate(a * b, result.bits(), result.isSigned);
  }
}

float floatElement(unsigned func, float a, float b, float constant,
                   Precision precision) {
  switch (func) {
  case ar::SelectGreater:
    return a > b ? constant : 0;
  case ar::SelectEqual:
    return a == b ? constant : 0;
  case ar::SelectLess:
    return a < b ? constant : 0;
  default:
    return floatArith(func, a, b, precision);
  }
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
  ElementKind result = {precisionOf(c, Field::res0_prec),
                        a.isSigned || b.isSigned};
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
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr),
                     result.precision, {rows, columns, 1, perChannel},
                     Layout::Aligned, out));
  if (a.isFloat() != b.isFloat() || a.isFloat() != result.isFloat() ||
      !isSupported(c.func, a.isFloat()))
    return unsupported(c, "these operand types");
  uint32_t bits = get32(c, Field::opd2_addr);
  int64_t constant = integerConstant(bits, {result.precision, true});
  float floatConst = a.isFloat() ? floatConstant(bits, a.precision) : 0;
  for (uint32_t row = 0; row < rows; ++row)
    for (uint32_t ch = 0; ch < columns; ++ch)
      for (uint32_t w = 0; w < perChannel; ++w) {
        const uint8_t *x = left.at(0, row / width, 0, row % width),
                      *y = right.at(0, ch, 0, w);
        uint8_t *to = out.at(row, ch, 0, w);
        if (a.isFloat()) {
          float fx, fy;
          loadFloats(x, 0, a.precision, &fx, 1);
          loadFloats(y, 0, b.precision, &fy, 1);
          float value = floatElement(c.func, fx, fy, floatConst, a.precision);
          storeFloats(to, 0, result.precision, &value, 1);
        } else {
          int64_t ix, iy;
          loadIntegers(x, 0, a, &ix, 1);
          loadIntegers(y, 0, b, &iy, 1);
          int64_t value = integerElement(c.func, ix, iy, constant, result);
          storeIntegers(to, 0, result.precision, &value, 1);
        }
      }
  return Status::ok();
}

} // namespace weft::emulator::tiu

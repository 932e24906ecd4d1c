/// sAR: element arithmetic.
#include "runtime/emulator/tiu/Tiu.h"

#include "runtime/numeric/Rounding.h"

#include <cmath>

namespace weft::emulator::tiu {
namespace {

using numeric::clampTo;
using numeric::Rounding;
namespace ar = isa::arith;

/// An operand: a tensor or a constant.
struct Operand {
  ElementKind kind;
  bool isConstant = false;
  uint32_t constant = 0;
  LocalView view;
};

struct ArithCommand {
  unsigned func = 0;
  unsigned operands = 0;
  Rounding rounding = Rounding::HalfToEven;
  unsigned steps = 0; ///< Newton steps of div
  ElementKind result;
  LocalView resultView;
  Operand a, b, c;
  bool cIsShift = false;
};

bool usesThird(unsigned func) {
  switch (func) {
  case ar::SelectGreater:
  case ar::SelectEqual:
  case ar::SelectLess:
  case ar::Mac:
    return true;
  default:
    return false;
  }
}

Status viewOperand(const Machine &machine, const Decoded &c, const char *what,
                   Field address, Field layoutField,
                   const Field (&strideFields)[4], Precision precision,
                   const Shape4 &shape, LocalView &view) {
  if (!isKnown(precision))
    return unsupported(c, "an int4 operand");
  unsigned layout = get32(c, layoutField);
  if (layout > 3)
    return failf(Code::BadCommand, "%s has layout code %u; AR takes 0 to 3",
                 what, layout);
  Strides4 strides;
  if (static_cast<Layout>(layout) == Layout::Free)
    strides = {c.get(strideFields[0]), c.get(strideFields[1]),
               c.get(strideFields[2]), c.get(strideFields[3])};
  else
    strides = localStrides(static_cast<Layout>(layout), shape,
                           isa::elementBytes(precision),
                           get32(c, address) / kLaneBytes);
  return viewLocal(machine, what, c.get(address), isa::elementBytes(precision),
                   shape, strides, view);
}

/// Reads and checks the operands; afterwards nothing can fail.
Status readCommand(const Machine &machine, const Decoded &c,
                   ArithCommand &arith) {
  static constexpr Field resultStrides[4] = {
      Field::res0_n_str, Field::res0_c_str, Field::res0_h_str,
      Field::res0_w_str};
  static constexpr Field aStrides[4] = {Field::opd0_n_str, Field::opd0_c_str,
                                        Field::opd0_h_str, Field::opd0_w_str};
  static constexpr Field bStrides[4] = {Field::opd1_n_str, Field::opd1_c_str,
                                        Field::opd1_h_str, Field::opd1_w_str};
  arith.func = c.func;
  arith.operands = get32(c, Field::tsk_opd_num);
  unsigned rounding = get32(c, Field::opd2_n_str);
  arith.steps = rounding + 1;
  if (rounding >= numeric::kRoundingModes)
    return failf(Code::BadCommand, "rounding code %u; the machine has 0 to 6",
                 rounding);
  arith.rounding = static_cast<Rounding>(rounding);
  arith.result.precision = precisionOf(c, Field::res0_prec);
  Shape4 shape = resultShape(c);
  WEFT_TRY(viewOperand(machine, c, "result", Field::res0_addr, Field::res0_str,
                       resultStrides, arith.result.precision, shape,
                       arith.resultView));
  arith.a.kind = {precisionOf(c, Field::opd0_prec),
                  c.get(Field::opd0_sign) != 0};
  arith.a.isConstant = c.get(Field::opd0_const);
  arith.a.constant = get32(c, Field::opd0_addr);
  Shape4 sourceShape = shape;
  if (c.func == ar::CopyOverN)
    sourceShape.n = 1;
  if (!arith.a.isConstant)
    WEFT_TRY(viewOperand(machine, c, "operand 0", Field::opd0_addr,
                         Field::opd0_str, aStrides, arith.a.kind.precision,
                         sourceShape, arith.a.view));
  else if (!isKnown(arith.a.kind.precision))
    return unsupported(c, "an int4 operand");
  if (c.func == ar::CopyOverN)
    arith.a.view.stride.n = 0;
  arith.b.kind = {precisionOf(c, Field::opd1_prec),
                  c.get(Field::opd1_sign) != 0};
  arith.b.isConstant = c.get(Field::opd1_const);
  arith.b.constant = get32(c, Field::opd1_addr);
  if (arith.operands >= 2 && !arith.b.isConstant)
    WEFT_TRY(viewOperand(machine, c, "operand 1", Field::opd1_addr,
                         Field::opd1_str, bStrides, arith.b.kind.precision,
                         shape, arith.b.view));
  else if (!isKnown(arith.b.kind.precision))
    return unsupported(c, "an int4 operand");
  arith.c.kind = {precisionOf(c, Field::opd2_prec),
                  c.get(Field::opd2_sign) != 0};
  arith.c.isConstant = c.get(Field::opd2_const);
  arith.c.constant = get32(c, Field::opd2_addr);
  if (arith.operands < 3)
    return Status::ok();
  arith.cIsShift = !usesThird(c.func) && !arith.result.isFloat();
  if (arith.c.isConstant)
    return isKnown(arith.c.kind.precision) ? Status::ok()
                                           : unsupported(c, "an int4 operand");
  // The third operand of a tensor form is one value a channel, compact.
  Precision precision =
      arith.cIsShift ? Precision::Int8 : arith.c.kind.precision;
  if (c.func == ar::Mac)
    precision = Precision::Int16;
  return viewLocal(machine, "operand 2", arith.c.constant, precision,
                   {1, shape.c, 1, 1}, Layout::Compact, arith.c.view);
}

/// Shift, rounding and store rule of one integer row.
struct IntegerRow {
  unsigned func;
  Rounding rounding;
  ElementKind a, b, result;
  bool hasShift, saturates;
  int shift;
};

int64_t shiftOperand(const IntegerRow &row, int64_t x, int64_t amount) {
  // One-bit results beyond the width are what the machine's 32-bit datapath
  // gives.
  unsigned width = row.a.bits();
  uint64_t mask = (uint64_t(1) << width) - 1;
  if (row.func == ar::Rotate) {
    unsigned turn = unsigned(amount) & (width - 1);
    uint64_t bits = uint64_t(x) & mask;
    return int64_t(((bits << turn) | (turn ? bits >> (width - turn) : 0)) &
                   mask);
  }
  int64_t value =
      row.func == ar::LogicalShift ? int64_t(uint64_t(x) & mask) : x;
  return numeric::shiftRounded(value, int(amount), row.rounding);
}

int64_t countLeading(int64_t x, unsigned func, unsigned width) {
  uint32_t bits = static_cast<uint32_t>(x) << (32 - width);
  if (func == ar::LeadingOnes)
    bits = ~bits;
  unsigned count = bits ? unsigned(__builtin_clz(bits)) : 32;
  return count < width ? count : width;
}

template <class Operation>
inline void each(int64_t *out, const int64_t *a, const int64_t *b, unsigned n,
                 Operation op) {
  for (unsigned i = 0; i < n; ++i)
    out[i] = op(a[i], b[i]);
}

WEFT_MULTIVERSION
void integerOperation(const IntegerRow &row, const int64_t *a, const int64_t *b,
                      int64_t constant, int64_t *out, unsigned n) {
  using I = int64_t;
  switch (row.func) {
  case ar::Mul:
  case ar::MulSat:
    return each(out, a, b, n,
                [](I x, I y) { return I(uint64_t(x) * uint64_t(y)); });
  case ar::Not:
    return each(out, a, b, n, [](I x, I) { return ~x; });
  case ar::Add:
  case ar::AddSat:
    return each(out, a, b, n, [](I x, I y) { return x + y; });
  case ar::Sub:
  case ar::SubSat:
    return each(out, a, b, n, [](I x, I y) { return x - y; });
  case ar::Max:
    return each(out, a, b, n, [](I x, I y) { return x > y ? x : y; });
  case ar::Min:
    return each(out, a, b, n, [](I x, I y) { return x < y ? x : y; });
  case ar::And:
    return each(out, a, b, n, [](I x, I y) { return x & y; });
  case ar::Or:
    return each(out, a, b, n, [](I x, I y) { return x | y; });
  case ar::Xor:
    return each(out, a, b, n, [](I x, I y) { return x ^ y; });
  case ar::SelectGreater:
    return each(out, a, b, n, [=](I x, I y) { return x > y ? constant : 0; });
  case ar::SelectEqual:
    return each(out, a, b, n, [=](I x, I y) { return x == y ? constant : 0; });
  case ar::SelectLess:
    return each(out, a, b, n, [=](I x, I y) { return x < y ? constant : 0; });
  case ar::Copy:
  case ar::CopyOverN:
    return each(out, a, b, n, [](I x, I) { return x; });
  case ar::Abs:
    return each(out, a, b, n, [](I x, I) { return x < 0 ? -x : x; });
  case ar::LogicalShift:
  case ar::ArithShift:
  case ar::Rotate:
    return each(out, a, b, n,
                [&](I x, I y) { return shiftOperand(row, x, y); });
  default:
    return each(out, a, b, n, [&](I x, I) {
      return countLeading(x, row.func, row.a.bits());
    });
  }
}

WEFT_MULTIVERSION
void finishIntegers(const IntegerRow &row, int64_t *values, unsigned n) {
  if (row.hasShift && row.shift > 0)
    for (unsigned i = 0; i < n; ++i)
      values[i] = numeric::shiftRounded(values[i], row.shift, row.rounding);
  if (row.hasShift && row.shift < 0)
    for (unsigned i = 0; i < n; ++i)
      values[i] = numeric::shiftRightRounded(values[i], unsigned(-row.shift),
                                             row.rounding);
  if (!row.saturates)
    return;
  unsigned bits = row.result.bits();
  int64_t low = row.result.isSigned ? -(int64_t(1) << (bits - 1)) : 0;
  int64_t high = (int64_t(1) << (bits - row.result.isSigned)) - 1;
  for (unsigned i = 0; i < n; ++i)
    values[i] = values[i] < low ? low : (values[i] > high ? high : values[i]);
}

bool isIntegerFunction(unsigned func) {
  return func <= ar::SelectEqual || func == ar::SelectLess ||
         func == ar::AddSat || func == ar::SubSat || func == ar::MulSat ||
         func == ar::Copy || func == ar::ArithShift || func == ar::Rotate ||
         func == ar::Abs || func == ar::CopyOverN || func == ar::LeadingZeros ||
         func == ar::LeadingOnes;
}

bool resultIsSigned(const ArithCommand &arith) {
  switch (arith.func) {
  case ar::Sub:
  case ar::SubSat:
    return true;
  case ar::Abs:
    return false;
  default:
    return arith.a.kind.isSigned ||
           (arith.operands >= 2 && arith.b.kind.isSigned);
  }
}

bool saturates(unsigned func) {
  return func == ar::AddSat || func == ar::SubSat || func == ar::MulSat;
}

void fillIntegers(const Operand &operand, int64_t *buffer) {
  int64_t value = integerConstant(operand.constant, operand.kind);
  for (unsigned i = 0; i < kRowElements; ++i)
    buffer[i] = value;
}

void fillFloats(const Operand &operand, float *buffer) {
  float value = floatConstant(operand.constant, operand.kind.precision);
  for (unsigned i = 0; i < kRowElements; ++i)
    buffer[i] = value;
}

/// Walks the result in runs of at most kRowElements that lie on one w stride in
/// every operand. body(n, c, result, a, b, count); a and b are nullptr for
/// constants.
template <class Body>
void eachRun(const ArithCommand &arith, Body body) {
  const Shape4 &shape = arith.resultView.shape;
  bool readsB = arith.operands >= 2 && !arith.b.isConstant;
  bool flat = arith.resultView.planeIsOneRow() &&
              (arith.a.isConstant || arith.a.view.planeIsOneRow()) &&
              (!readsB || arith.b.view.planeIsOneRow());
  uint32_t rows = flat ? 1 : shape.h;
  uint32_t length = flat ? shape.h * shape.w : shape.w;
  auto place = [](const LocalView &v, uint32_t n, uint32_t c, uint32_t h,
                  uint32_t i) {
    return v.at(n, c) + h * v.stride.h + i * v.stride.w;
  };
  for (uint32_t n = 0; n < shape.n; ++n)
    for (uint32_t c = 0; c < shape.c; ++c)
      for (uint32_t h = 0; h < rows; ++h)
        for (uint32_t i = 0; i < length; i += kRowElements)
          body(n, c, place(arith.resultView, n, c, h, i),
               arith.a.isConstant ? nullptr : place(arith.a.view, n, c, h, i),
               readsB ? place(arith.b.view, n, c, h, i) : nullptr,
               length - i < kRowElements ? length - i : kRowElements);
}

Status integerArith(const Decoded &c, const ArithCommand &arith) {
  if (!isIntegerFunction(arith.func))
    return unsupported(c, "integer operands");
  IntegerRow row{arith.func,
                 arith.rounding,
                 arith.a.kind,
                 arith.b.kind,
                 {arith.result.precision, resultIsSigned(arith)},
                 arith.cIsShift,
                 saturates(arith.func),
                 0};
  if (arith.cIsShift && arith.c.isConstant)
    row.shift = static_cast<int8_t>(arith.c.constant);
  ElementKind chosen = {arith.result.precision, true};
  int64_t constant = integerConstant(arith.c.constant, chosen);
  int64_t a[kRowElements], b[kRowElements], out[kRowElements];
  fillIntegers(arith.a, a);
  fillIntegers(arith.b, b);
  eachRun(arith, [&](uint32_t, uint32_t ch, uint8_t *to, const uint8_t *fromA,
                     const uint8_t *fromB, unsigned count) {
    if (fromA)
      loadIntegers(fromA, arith.a.view.stride.w, arith.a.kind, a, count);
    if (fromB)
      loadIntegers(fromB, arith.b.view.stride.w, arith.b.kind, b, count);
    if (arith.operands >= 3 && !arith.c.isConstant) {
      const uint8_t *third = arith.c.view.at(0, ch);
      if (arith.cIsShift)
        row.shift = static_cast<int8_t>(*third);
      else
        loadIntegers(third, 0, {arith.c.kind.precision, true}, &constant, 1);
    }
    integerOperation(row, a, b, constant, out, count);
    finishIntegers(row, out, count);
    storeIntegers(to, arith.resultView.stride.w, row.result.precision, out,
                  count);
  });
  return Status::ok();
}

template <class Operation>
inline void eachFloat(float *out, const float *a, const float *b, unsigned n,
                      Operation op) {
  for (unsigned i = 0; i < n; ++i)
    out[i] = op(a[i], b[i]);
}

float signFlipped(float x) {
  return numeric::floatFromBits(numeric::floatBits(x) ^ 0x80000000u);
}
float magnitude(float x) {
  return numeric::floatFromBits(numeric::floatBits(x) & 0x7fffffffu);
}

WEFT_MULTIVERSION
void floatOperation(unsigned func, unsigned steps, Precision precision,
                    float constant, const float *a, const float *b, float *out,
                    unsigned n) {
  switch (func) {
  case ar::Mul:
    return eachFloat(out, a, b, n, [](float x, float y) { return x * y; });
  case ar::Add:
    return eachFloat(out, a, b, n, [](float x, float y) { return x + y; });
  case ar::Sub:
    return eachFloat(out, a, b, n, [](float x, float y) { return x - y; });
  case ar::Max:
    return eachFloat(out, a, b, n,
                     [](float x, float y) { return x > y ? x : y; });
  case ar::Min:
    return eachFloat(out, a, b, n,
                     [](float x, float y) { return x < y ? x : y; });
  case ar::SelectGreater:
    return eachFloat(out, a, b, n,
                     [=](float x, float y) { return x > y ? constant : 0.0f; });
  case ar::SelectEqual:
    return eachFloat(out, a, b, n, [=](float x, float y) {
      return x == y ? constant : 0.0f;
    });
  case ar::SelectLess:
    return eachFloat(out, a, b, n,
                     [=](float x, float y) { return x < y ? constant : 0.0f; });
  case ar::Abs:
    return eachFloat(out, a, b, n, [](float x, float) { return magnitude(x); });
  case ar::AbsDiff:
    return eachFloat(out, a, b, n,
                     [](float x, float y) { return magnitude(x - y); });
  case ar::Div:
    return eachFloat(out, a, b, n, [=](float x, float y) {
      return quotient(x, y, steps, precision);
    });
  default:
    return eachFloat(out, a, b, n, [](float x, float) { return x; });
  }
}

bool isFloatFunction(unsigned func) {
  switch (func) {
  case ar::Mul:
  case ar::Add:
  case ar::Sub:
  case ar::Max:
  case ar::Min:
  case ar::SelectGreater:
  case ar::SelectEqual:
  case ar::SelectLess:
  case ar::Abs:
  case ar::AbsDiff:
  case ar::Div:
  case ar::Mac:
    return true;
  default:
    return false;
  }
}

Status floatArithCommand(const Decoded &c, const ArithCommand &arith) {
  Precision precision = arith.a.kind.precision;
  if (!isFloatFunction(arith.func))
    return unsupported(c, "float operands");
  float a[kRowElements], b[kRowElements], out[kRowElements], old[kRowElements];
  fillFloats(arith.a, a);
  fillFloats(arith.b, b);
  float constant = floatConstant(arith.c.constant, precision);
  eachRun(arith, [&](uint32_t, uint32_t ch, uint8_t *to, const uint8_t *fromA,
                     const uint8_t *fromB, unsigned count) {
    if (fromA)
      loadFloats(fromA, arith.a.view.stride.w, precision, a, count);
    if (fromB)
      loadFloats(fromB, arith.b.view.stride.w, arith.b.kind.precision, b,
                 count);
    if (arith.func == ar::Mac) {
      loadFloats(to, arith.resultView.stride.w, arith.result.precision, old,
                 count);
      floatOperation(ar::Mul, 0, precision, 0, a, b, out, count);
      roundFloats(precision, out, count);
      floatOperation(ar::Add, 0, precision, 0, old, out, out, count);
    } else {
      if (arith.operands >= 3 && !arith.c.isConstant)
        loadFloats(arith.c.view.at(0, ch), 0, arith.c.kind.precision, &constant,
                   1);
      floatOperation(arith.func, arith.steps, precision, constant, a, b, out,
                     count);
    }
    storeFloats(to, arith.resultView.stride.w, arith.result.precision, out,
                count);
  });
  return Status::ok();
}

/// A cast to the same float type rounds to whole numbers.
void roundToWhole(float *values, unsigned count, Rounding rounding) {
  for (unsigned i = 0; i < count; ++i)
    switch (rounding) {
    case Rounding::HalfToEven:
      values[i] = std::nearbyint(values[i]);
      break;
    case Rounding::HalfAwayFromZero:
      values[i] = std::round(values[i]);
      break;
    case Rounding::TowardZero:
      values[i] = std::trunc(values[i]);
      break;
    case Rounding::Floor:
      values[i] = std::floor(values[i]);
      break;
    default:
      values[i] = std::ceil(values[i]);
      break;
    }
}

/// Writes floats with a rounding other than that of the arithmetic.
void storeRounded(uint8_t *to, uint64_t step, Precision precision,
                  const float *from, unsigned count, Rounding rounding) {
  if (precision == Precision::Fp32 || rounding == Rounding::HalfToEven)
    return storeFloats(to, step, precision, from, count);
  for (unsigned i = 0; i < count; ++i)
    storeAs(to + i * step, precision == Precision::Fp16
                               ? numeric::floatToHalf(from[i], rounding)
                               : numeric::floatToBf16(from[i], rounding));
}

/// cast: any precision to any, and copies.
Status cast(const Decoded &c, const ArithCommand &arith) {
  bool isCopy = arith.func != ar::Cast;
  ElementKind from = arith.a.kind,
              to = {arith.result.precision, arith.c.kind.isSigned};
  if (isCopy)
    to.isSigned = from.isSigned;
  if (!isCopy && arith.rounding > Rounding::Ceil && from.isFloat() &&
      !to.isFloat())
    return failf(
        Code::BadCommand,
        "cast from float with rounding code %u; the machine has 0 to 4",
        unsigned(arith.rounding));
  if (!isCopy && from.isFloat() && to.isFloat() && from.bytes() == 2 &&
      to.bytes() == 2 && from.precision != to.precision)
    return unsupported(c,
                       "fp16 and bf16 operands; the machine casts over fp32");
  int64_t integers[kRowElements];
  float floats[kRowElements];
  unsigned bits = to.bits();
  int64_t low = to.isSigned ? -(int64_t(1) << (bits - 1)) : 0;
  int64_t high = (int64_t(1) << (bits - to.isSigned)) - 1;
  if (from.isFloat())
    fillFloats(arith.a, floats);
  else
    fillIntegers(arith.a, integers);
  eachRun(arith, [&](uint32_t, uint32_t, uint8_t *out, const uint8_t *in,
                     const uint8_t *, unsigned count) {
    if (in && from.isFloat())
      loadFloats(in, arith.a.view.stride.w, from.precision, floats, count);
    else if (in)
      loadIntegers(in, arith.a.view.stride.w, from, integers, count);
    if (from.isFloat() && to.isFloat()) {
      if (!isCopy && from.precision == to.precision)
        roundToWhole(floats, count, arith.rounding);
      return storeRounded(out, arith.resultView.stride.w, to.precision, floats,
                          count,
                          isCopy ? Rounding::HalfToEven : arith.rounding);
    }
    if (!from.isFloat() && to.isFloat()) {
      for (unsigned i = 0; i < count; ++i)
        floats[i] = numeric::integerToFloat(integers[i], arith.rounding);
      return storeRounded(out, arith.resultView.stride.w, to.precision, floats,
                          count, arith.rounding);
    }
    if (from.isFloat())
      for (unsigned i = 0; i < count; ++i)
        integers[i] =
            numeric::roundToInteger(floats[i], arith.rounding, low, high);
    else if (!isCopy)
      for (unsigned i = 0; i < count; ++i)
        integers[i] = clampTo(integers[i], low, high);
    storeIntegers(out, arith.resultView.stride.w, to.precision, integers,
                  count);
  });
  return Status::ok();
}

/// Integer mac: res = ((res << ls) + a * b) >> rs, saturated; int16 result.
Status integerMac(const ArithCommand &arith) {
  ElementKind result = {arith.result.precision,
                        arith.a.kind.isSigned || arith.b.kind.isSigned};
  unsigned left = arith.c.constant & 0x1f,
           right = (arith.c.constant >> 8) & 0x1f;
  int64_t a[kRowElements], b[kRowElements], old[kRowElements];
  fillIntegers(arith.a, a);
  fillIntegers(arith.b, b);
  eachRun(arith, [&](uint32_t, uint32_t ch, uint8_t *to, const uint8_t *fromA,
                     const uint8_t *fromB, unsigned count) {
    if (fromA)
      loadIntegers(fromA, arith.a.view.stride.w, arith.a.kind, a, count);
    if (fromB)
      loadIntegers(fromB, arith.b.view.stride.w, arith.b.kind, b, count);
    if (!arith.c.isConstant) {
      left = arith.c.view.at(0, ch)[0] & 0x1f;
      right = arith.c.view.at(0, ch)[1] & 0x1f;
    }
    loadIntegers(to, arith.resultView.stride.w, result, old, count);
    for (unsigned i = 0; i < count; ++i) {
      int64_t sum = old[i] * (int64_t(1) << left) + a[i] * b[i];
      old[i] = numeric::saturate(
          numeric::shiftRightRounded(sum, right, arith.rounding), result.bits(),
          result.isSigned);
    }
    storeIntegers(to, arith.resultView.stride.w, result.precision, old, count);
  });
  return Status::ok();
}

} // namespace

float reciprocalRoot(float x, unsigned steps, Precision precision) {
  // The shift is arithmetic, which matters for negative x only.
  uint32_t halved =
      static_cast<uint32_t>(static_cast<int32_t>(numeric::floatBits(x)) >> 1);
  float r = numeric::floatFromBits(0x5f3759dfu - halved);
  float half = 0.5f * x;
  for (unsigned i = 0; i < steps; ++i)
    r = r * (1.5f - (half * r) * r);
  (void)precision;
  return r;
}

float quotient(float a, float b, unsigned steps, Precision precision) {
  float r = reciprocalRoot(magnitude(b), steps, precision);
  float inverse = r * r;
  if (numeric::floatBits(b) >> 31)
    inverse = signFlipped(inverse);
  return a * inverse;
}

float floatArith(unsigned func, float a, float b, Precision precision) {
  float out;
  floatOperation(func, 3, precision, 0, &a, &b, &out, 1);
  return roundedTo(precision, out);
}

Status arith(Machine &machine, const Decoded &command) {
  ArithCommand arith;
  WEFT_TRY(readCommand(machine, command, arith));
  unsigned func = command.func;
  bool isFloat = arith.a.kind.isFloat();
  if (func == ar::Cast)
    return cast(command, arith);
  if (func == ar::Copy || func == ar::CopyOverN)
    return cast(command, arith);
  if (isFloat)
    return floatArithCommand(command, arith);
  if (func == ar::Mac)
    return integerMac(arith);
  return integerArith(command, arith);
}

} // namespace weft::emulator::tiu

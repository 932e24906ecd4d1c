/// sAR: element arithmetic.
#include "runtime/emulator/tiu/Arith.h"

#include <algorithm>

#include "runtime/emulator/FloatOrder.h"

namespace weft::emulator::tiu {
namespace {

using numeric::Rounding;
namespace ar = isa::arith;
using ar::isSelect;
using ar::isUnary;
using ar::takesShift;

/// The fields of one operand.
struct OperandFields {
  const char *name;
  Field address, layout, strides[4];
};
constexpr OperandFields kResult = {"result",
                                   Field::res0_addr,
                                   Field::res0_str,
                                   {Field::res0_n_str, Field::res0_c_str,
                                    Field::res0_h_str, Field::res0_w_str}};
constexpr OperandFields kFirst = {"operand 0",
                                  Field::opd0_addr,
                                  Field::opd0_str,
                                  {Field::opd0_n_str, Field::opd0_c_str,
                                   Field::opd0_h_str, Field::opd0_w_str}};
constexpr OperandFields kSecond = {"operand 1",
                                   Field::opd1_addr,
                                   Field::opd1_str,
                                   {Field::opd1_n_str, Field::opd1_c_str,
                                    Field::opd1_h_str, Field::opd1_w_str}};

Status viewOperand(const Machine &machine, const Decoded &c,
                   const OperandFields &fields, Precision precision,
                   const Shape4 &shape, LocalView &view) {
  if (!isKnown(precision))
    return unsupported(c, "an int4 operand");
  unsigned layout = get32(c, fields.layout);
  if (layout > 3)
    return failf(Code::BadCommand, "%s has layout code %u; AR takes 0 to 3",
                 fields.name, layout);
  Strides4 strides;
  if (static_cast<Layout>(layout) == Layout::Free)
    strides = {c.get(fields.strides[0]), c.get(fields.strides[1]),
               c.get(fields.strides[2]), c.get(fields.strides[3])};
  else
    strides = localStrides(machine.lanes(), static_cast<Layout>(layout), shape,
                           isa::elementBytes(precision),
                           machine.lanes().laneAt(get32(c, fields.address)));
  return viewLocal(machine, fields.name, c.get(fields.address),
                   isa::elementBytes(precision), shape, strides, view);
}

Status readOperand(const Machine &machine, const Decoded &c,
                   const OperandFields &fields, Field precision, Field sign,
                   Field constant, const Shape4 &shape, ArithOperand &operand) {
  operand.kind = {precisionOf(c, precision), c.get(sign) != 0};
  operand.isConstant = c.get(constant);
  operand.constant = get32(c, fields.address);
  if (!operand.isConstant)
    return viewOperand(machine, c, fields, operand.kind.precision, shape,
                       operand.view);
  return isKnown(operand.kind.precision) ? Status::ok()
                                         : unsupported(c, "an int4 operand");
}

/// The third operand: a constant for selects and mac, whatever `opd2_const`
/// says; for shifts also one byte a channel, compact.
Status readThird(const Machine &machine, const Decoded &c, const Shape4 &shape,
                 ArithCommand &arith) {
  ArithOperand &third = arith.third;
  third.constant = get32(c, Field::opd2_addr);
  third.kind = {precisionOf(c, Field::opd2_prec), false};
  third.isConstant = c.get(Field::opd2_const) || !arith.operation.hasShift;
  if (arith.operation.hasShift)
    third.kind = {Precision::Int8, true};
  if (!isKnown(third.kind.precision))
    return unsupported(c, "an int4 operand");
  arith.operation.chosen = third.kind.precision;
  if (third.isConstant)
    return Status::ok();
  return viewLocal(machine, "operand 2", third.constant, third.kind.precision,
                   {1, shape.c, 1, 1}, Layout::Compact, third.view);
}

/// True if the command's rounding code plays a role; for div the field holds
/// the number of steps.
bool isRounded(unsigned func, bool isFloat) {
  return func != ar::Div && (func == ar::Cast || !isFloat);
}

/// Reads and checks the operands; afterwards nothing can fail.
Status readCommand(const Machine &machine, const Decoded &c,
                   ArithCommand &arith) {
  ElementOperation &op = arith.operation;
  op.func = c.func;
  const unsigned operands = get32(c, Field::tsk_opd_num);
  const unsigned code = get32(c, Field::opd2_n_str);
  op.steps = (code & 3) + 1;
  Shape4 shape = resultShape(c), sourceShape = shape;
  if (c.func == ar::CopyOverN)
    sourceShape.n = 1;
  op.result.precision = precisionOf(c, Field::res0_prec);
  WEFT_TRY(viewOperand(machine, c, kResult, op.result.precision, shape,
                       arith.resultView));
  WEFT_TRY(readOperand(machine, c, kFirst, Field::opd0_prec, Field::opd0_sign,
                       Field::opd0_const, sourceShape, arith.a));
  if (c.func == ar::CopyOverN)
    arith.a.view.stride.n = 0;
  op.a = arith.a.kind;
  op.b = {op.a.precision, false};
  arith.readsB = !isUnary(c.func);
  if (arith.readsB) {
    if (operands < 2)
      return failf(Code::BadCommand,
                   "tsk_opd_num is %u; this function takes two operands",
                   operands);
    WEFT_TRY(readOperand(machine, c, kSecond, Field::opd1_prec,
                         Field::opd1_sign, Field::opd1_const, shape, arith.b));
    op.b = arith.b.kind;
  }
  op.result.isSigned =
      c.func == ar::Cast ? c.get(Field::opd2_sign) != 0 : resultIsSigned(op);
  if (isRounded(c.func, op.a.isFloat())) {
    if (code >= numeric::kRoundingModes)
      return failf(Code::BadCommand, "rounding code %u; the machine has 0 to 6",
                   code);
    op.rounding = static_cast<Rounding>(code);
  }
  const bool integers = !op.a.isFloat();
  op.hasShift = operands == 3 && integers && takesShift(c.func);
  if (op.hasShift || isSelect(c.func) || (c.func == ar::Mac && integers))
    return readThird(machine, c, shape, arith);
  return Status::ok();
}

void loadRow(const uint8_t *from, const ArithOperand &operand, int64_t *row,
             unsigned count) {
  loadIntegers(from, operand.view.stride.w, operand.kind, row, count);
}
void loadRow(const uint8_t *from, const ArithOperand &operand, float *row,
             unsigned count) {
  loadFloats(from, operand.view.stride.w, operand.kind.precision, row, count);
}

/// Calls body(a, b, c, result, count) for each run of the result, with the
/// numbers of the operands in that run, of channel c.
template <class Number, class Body>
void eachLoadedRun(const ArithCommand &arith, Body body) {
  Number a[kRowElements], b[kRowElements];
  arith.a.fill(a);
  arith.b.fill(b);
  eachRun(arith, [&](uint32_t, uint32_t ch, uint8_t *to, const uint8_t *fromA,
                     const uint8_t *fromB, unsigned count) {
    if (fromA)
      loadRow(fromA, arith.a, a, count);
    if (fromB)
      loadRow(fromB, arith.b, b, count);
    body(a, b, ch, to, count);
  });
}

Status integerArith(const ArithCommand &arith) {
  const ElementOperation &op = arith.operation;
  int64_t third = integerConstant(arith.third.constant, arith.third.kind);
  int64_t out[kRowElements];
  eachLoadedRun<int64_t>(arith, [&](const int64_t *a, const int64_t *b,
                                    uint32_t ch, uint8_t *to, unsigned count) {
    if (op.hasShift && !arith.third.isConstant)
      loadIntegers(arith.third.view.at(0, ch), 0, arith.third.kind, &third, 1);
    integerRow(op, a, b, third, out, count);
    storeIntegers(to, arith.resultView.stride.w, op.result.precision, out,
                  count);
  });
  return Status::ok();
}

Status floatArith(const ArithCommand &arith) {
  const ElementOperation &op = arith.operation;
  const Precision result = op.result.precision;
  const int64_t third = integerConstant(arith.third.constant, arith.third.kind);
  const uint64_t step = arith.resultView.stride.w;
  float out[kRowElements];
  int64_t chosen[kRowElements];
  eachLoadedRun<float>(arith, [&](const float *a, const float *b, uint32_t,
                                  uint8_t *to, unsigned count) {
    if (isSelect(op.func)) {
      floatSelectRow(op, a, b, third, chosen, count);
      return storeIntegers(to, step, result, chosen, count);
    }
    floatRow(op, a, b, out, count);
    if (keepsBits(op.func))
      return storeChosen(to, step, result, out, count);
    storeFloats(to, step, result, out, count);
  });
  return Status::ok();
}

/// Float mac: res = round(a * b) + res, every operation rounded.
Status floatMac(const Decoded &c, const ArithCommand &arith) {
  ElementOperation product = arith.operation, sum = arith.operation;
  product.func = ar::Mul;
  sum.func = ar::Add;
  if (const char *what = undefinedPart(sum))
    return unsupported(c, what);
  const Precision precision = sum.a.precision;
  const uint64_t step = arith.resultView.stride.w;
  float old[kRowElements], products[kRowElements], sums[kRowElements];
  eachLoadedRun<float>(arith, [&](const float *a, const float *b, uint32_t,
                                  uint8_t *to, unsigned count) {
    loadFloats(to, step, precision, old, count);
    floatRow(product, a, b, products, count);
    roundFloats(precision, products, count);
    floatRow(sum, products, old, sums, count);
    storeFloats(to, step, precision, sums, count);
  });
  return Status::ok();
}

/// Integer mac: res = ((res << ls) + a * b) >> rs, saturated, of int8 operands
/// with an int16 result. The third operand holds ls and rs in a byte each.
Status integerMac(const Decoded &c, const ArithCommand &arith) {
  const ElementOperation &op = arith.operation;
  if (op.a.precision != Precision::Int8 || op.b.precision != Precision::Int8 ||
      op.result.precision != Precision::Int16)
    return unsupported(c, "operands other than int8 or a result other than "
                          "int16");
  const unsigned left = arith.third.constant & 63;
  const unsigned right = std::min(arith.third.constant >> 8 & 0xff, 63u);
  const uint64_t step = arith.resultView.stride.w;
  int64_t old[kRowElements];
  eachLoadedRun<int64_t>(arith, [&](const int64_t *a, const int64_t *b,
                                    uint32_t, uint8_t *to, unsigned count) {
    loadIntegers(to, step, op.result, old, count);
    for (unsigned i = 0; i < count; ++i) {
      int64_t sum = int64_t((uint64_t(old[i]) << left) + uint64_t(a[i] * b[i]));
      old[i] =
          numeric::saturate(numeric::shiftRightRounded(sum, right, op.rounding),
                            op.result.bits(), op.result.isSigned);
    }
    storeIntegers(to, step, op.result.precision, old, count);
  });
  return Status::ok();
}

/// The column of every element of a row (euIdxGen), or the channel (npuIdxGen).
/// The result is one aligned row a channel, whatever its layout, n and h say.
Status generateIndices(Machine &machine, const Decoded &c) {
  const Precision precision = precisionOf(c, Field::res0_prec);
  const bool ofLane = c.func == ar::LaneIndex;
  Shape4 shape = resultShape(c);
  shape.n = shape.h = 1;
  if (!isKnown(precision) || isa::isFloat(precision))
    return unsupported(c, "a result other than int8, int16 or int32");
  if (ofLane && shape.w != 1)
    return unsupported(c, "a result of several columns");
  LocalView out;
  WEFT_TRY(viewLocal(machine, "result", c.get(Field::res0_addr), precision,
                     shape, Layout::Aligned, out));
  for (uint32_t ch = 0; ch < shape.c; ++ch)
    for (uint32_t w = 0; w < shape.w; ++w) {
      const int64_t index = ofLane ? ch : w;
      storeIntegers(out.at(0, ch) + w * out.stride.w, 0, precision, &index, 1);
    }
  return Status::ok();
}

template <class Number>
void fillWith(Number value, Number *buffer) {
  for (unsigned i = 0; i < kRowElements; ++i)
    buffer[i] = value;
}

} // namespace

void ArithOperand::fill(int64_t *buffer) const {
  fillWith(integerConstant(constant, kind), buffer);
}
void ArithOperand::fill(float *buffer) const {
  fillWith(floatConstant(constant, kind.precision), buffer);
}

/// The function of the command on the planes that `arith` names.
static Status executeArith(const Decoded &command, const ArithCommand &arith) {
  const unsigned func = command.func;
  const bool isFloat = arith.a.kind.isFloat();
  if (func == ar::Cast)
    return cast(command, arith);
  if (func == ar::Copy || func == ar::CopyOverN)
    return copy(command, arith);
  if (func == ar::Mac)
    return isFloat ? floatMac(command, arith) : integerMac(command, arith);
  if (const char *what = undefinedPart(arith.operation))
    return unsupported(command, what);
  return isFloat ? floatArith(arith) : integerArith(arith);
}

/// True if the planes may be computed in any order: the result lies apart from
/// what is read, or takes the place of it element by element.
static bool planesAreIndependent(const ArithCommand &arith) {
  const LocalView &result = arith.resultView;
  auto isApart = [&](const ArithOperand &operand, bool isRead) {
    return !isRead || operand.isConstant || isDisjoint(result, operand.view) ||
           isSamePlace(result, operand.view);
  };
  return hasSeparatePlanes(result) && isApart(arith.a, true) &&
         isApart(arith.b, arith.readsB) &&
         isApart(arith.third, arith.third.view.memory != nullptr);
}

namespace {

class ArithKernel final : public Kernel {
public:
  explicit ArithKernel(const Decoded &command) : command(command) {}

  Status prepare(const Machine &machine) {
    WEFT_TRY(readCommand(machine, command, arith));
    isParallel = planesAreIndependent(arith);
    return Status::ok();
  }

  Status run(Machine &machine) override {
    const Shape4 &shape = arith.resultView.shape;
    const size_t planes = size_t(shape.n) * shape.c;
    // What is refused is refused for any planes, so the first of them tells.
    arith.firstPlane = 0;
    arith.endPlane = 1;
    WEFT_TRY(executeArith(command, arith));
    Workers &workers = machine.workers();
    size_t slices =
        isParallel ? std::min<size_t>(planes, 4 * workers.count()) : 1;
    double cost = double(planes) * shape.h * shape.w * 2;
    workers.forEach(slices, cost, [&](size_t slice, unsigned) {
      ArithCommand part = arith;
      part.firstPlane = std::max<size_t>(1, planes * slice / slices);
      part.endPlane = planes * (slice + 1) / slices;
      (void)executeArith(command, part);
    });
    return Status::ok();
  }

private:
  Decoded command;
  ArithCommand arith;
  bool isParallel = false;
};

} // namespace

Status prepareArith(Machine &machine, const Decoded &command,
                    KernelPtr &kernel) {
  if (command.func == ar::EuIndex || command.func == ar::LaneIndex) {
    kernel = std::make_unique<CommandKernel>(generateIndices, command);
    return Status::ok();
  }
  return prepareAs<ArithKernel>(machine, command, kernel);
}

} // namespace weft::emulator::tiu

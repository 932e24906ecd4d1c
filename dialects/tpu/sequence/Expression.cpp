//===- Expression.cpp - writing sequences as expressions ------------------===//

#include "dialects/tpu/sequence/Expression.h"

#include "runtime/numeric/BitCast.h"

#include <cassert>

using namespace weft;
using namespace weft::tpu;
using namespace weft::tpu::sequence;
using numeric::Rounding;

sequence::Real::Real(double number)
    : operand{Step::Operand::Scalar,
              numeric::floatBits(static_cast<float>(number))} {}

sequence::Word::Word(int32_t number)
    : operand{Step::Operand::Scalar, static_cast<uint32_t>(number)} {}

//===----------------------------------------------------------------------===//
// Builder
//===----------------------------------------------------------------------===//

Step::Operand Builder::append(const Step &step) {
  steps.push_back(step);
  return {Step::Operand::Value, static_cast<uint32_t>(steps.size() - 1)};
}

Step::Operand Builder::source(unsigned input) {
  Step::Operand operand{Step::Operand::Input, input};
  const Source &source = sources[input];
  if (source.type != SequenceType::Other && !source.copies)
    return operand;
  Step step;
  step.code = Step::Widen;
  step.operands[0] = operand;
  return append(step);
}

Real Builder::real(unsigned input) { return {this, source(input)}; }

Word Builder::word(unsigned input) { return {this, source(input)}; }

Real Builder::copied(double number) {
  Step step;
  step.code = Step::Fill;
  step.operands[0] = Real(number).operand;
  return {this, append(step)};
}

unsigned Builder::addCoefficients(const std::vector<float> &coefficients) {
  // The machine finds a series at an EU row.
  bool isHalf = !sources.empty() && sources[0].type == SequenceType::Half;
  unsigned row = kTableRowBytes / (isHalf ? 2 : 4);
  table.resize((table.size() + row - 1) / row * row);
  auto first = static_cast<unsigned>(table.size());
  table.insert(table.end(), coefficients.begin(), coefficients.end());
  return first;
}

Sequence Builder::finish(Real value, SequenceType result) {
  assert(result != SequenceType::Si32);
  return finishSequence(std::move(steps), std::move(table), value.operand,
                        /*isInteger=*/false, result);
}

Sequence Builder::finish(Word value, SequenceType result) {
  assert(result == SequenceType::Si32 || result == SequenceType::Other);
  return finishSequence(std::move(steps), std::move(table), value.operand,
                        /*isInteger=*/true, result);
}

//===----------------------------------------------------------------------===//
// Operators
//===----------------------------------------------------------------------===//

/// One command. Types Real and Word differ in nothing that matters here.
template <class Result, class Operand>
static Result command(Step::Code code, Operand a, Operand b = Operand(),
                      Rounding rounding = Rounding::HalfToEven) {
  Builder *builder = a.builder ? a.builder : b.builder;
  assert(builder && "a command needs a tensor operand");
  Step step;
  step.code = code;
  step.rounding = rounding;
  step.operands[0] = a.operand;
  step.operands[1] = b.operand;
  return Result(builder, builder->append(step));
}

Real sequence::operator+(Real a, Real b) {
  return command<Real>(Step::Add, a, b);
}
Real sequence::operator-(Real a, Real b) {
  return command<Real>(Step::Sub, a, b);
}
Real sequence::operator*(Real a, Real b) {
  return command<Real>(Step::Mul, a, b);
}
Real sequence::operator/(Real a, Real b) {
  return command<Real>(Step::Div, a, b);
}

// The machine's maximum gives the second operand beside a NaN, its minimum the
// first one.
Real sequence::atLeast(Real x, Real bound) {
  return command<Real>(Step::Max, bound, x);
}
Real sequence::atMost(Real x, Real bound) {
  return command<Real>(Step::Min, x, bound);
}
Real sequence::abs(Real x) { return command<Real>(Step::Abs, x); }
Real sequence::rsqrtOfFinite(Real x) { return command<Real>(Step::Rsqrt, x); }

Real sequence::polynomial(Real x, const std::vector<double> &coefficients) {
  Step step;
  step.code = Step::Polynomial;
  step.operands[0] = x.operand;
  step.first = x.builder->addCoefficients(
      std::vector<float>(coefficients.begin(), coefficients.end()));
  step.count = static_cast<unsigned>(coefficients.size());
  return {x.builder, x.builder->append(step)};
}

Real sequence::rounded(Real x, Rounding rounding) {
  return command<Real>(Step::Round, x, Real(), rounding);
}
Word sequence::toInteger(Real x, Rounding rounding) {
  return command<Word>(Step::ToInteger, x, Real(), rounding);
}
Real sequence::toReal(Word x) { return command<Real>(Step::ToReal, x); }

Word sequence::operator+(Word a, Word b) {
  return command<Word>(Step::IntAdd, a, b);
}
Word sequence::operator-(Word a, Word b) {
  return command<Word>(Step::IntSub, a, b);
}
Word sequence::operator*(Word a, Word b) {
  return command<Word>(Step::IntMul, a, b);
}
Word sequence::operator&(Word a, Word b) {
  return command<Word>(Step::And, a, b);
}
Word sequence::operator|(Word a, Word b) {
  return command<Word>(Step::Or, a, b);
}
Word sequence::operator^(Word a, Word b) {
  return command<Word>(Step::Xor, a, b);
}
Word sequence::shiftedLogically(Word x, int amount) {
  return command<Word>(Step::ShiftLogical, x, Word(amount), Rounding::Floor);
}
Word sequence::shiftedArithmetically(Word x, int amount) {
  return command<Word>(Step::ShiftArith, x, Word(amount), Rounding::Floor);
}

Word sequence::signOf(Real x) {
  return bitsOf(x) & Word(std::numeric_limits<int32_t>::min());
}
Real sequence::withSign(Real x, Word sign) { return realOf(bitsOf(x) ^ sign); }

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

template <class T>
static Condition compare(Step::Relation relation, bool integers, T a, T b) {
  return {a.builder ? a.builder : b.builder, relation, integers, a.operand,
          b.operand};
}

Condition sequence::isGreater(Real a, Real b) {
  return compare(Step::Relation::Greater, false, a, b);
}
Condition sequence::isLess(Real a, Real b) {
  return compare(Step::Relation::Less, false, a, b);
}
Condition sequence::isSame(Real a, Real b) {
  return compare(Step::Relation::Equal, false, a, b);
}
Condition sequence::isGreater(Word a, Word b) {
  return compare(Step::Relation::Greater, true, a, b);
}
Condition sequence::isLess(Word a, Word b) {
  return compare(Step::Relation::Less, true, a, b);
}
Condition sequence::isSame(Word a, Word b) {
  return compare(Step::Relation::Equal, true, a, b);
}

template <class T>
static T chooseBetween(const Condition &condition, T yes, T no) {
  Step step;
  step.code = Step::Select;
  step.relation = condition.relation;
  step.readsInteger = condition.comparesIntegers;
  step.operands[0] = condition.left;
  step.operands[1] = condition.right;
  step.operands[2] = yes.operand;
  step.operands[3] = no.operand;
  return T(condition.builder, condition.builder->append(step));
}

Real sequence::choose(Condition condition, Real yes, Real no) {
  return chooseBetween(condition, yes, no);
}
Word sequence::choose(Condition condition, Word yes, Word no) {
  return chooseBetween(condition, yes, no);
}

//===- Expression.h - writing sequences as expressions ----------*- C++ -*-===//
//
// Values of a sequence with operators. Every operator is one command; numbers
// are operands of the commands. What the machine does with NaNs, zeros and
// subnormals is in docs/numbers.md; the functions here are named after what
// they keep.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TPU_SEQUENCE_EXPRESSION_H
#define WEFT_DIALECTS_TPU_SEQUENCE_EXPRESSION_H

#include "dialects/tpu/sequence/Sequence.h"

#include <initializer_list>
#include <limits>

namespace weft::tpu::sequence {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();
inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
inline constexpr double kLargest = std::numeric_limits<float>::max();

class Builder;

/// f32 numbers.
struct Real {
  Builder *builder = nullptr;
  Step::Operand operand;

  Real() = default;
  Real(Builder *builder, Step::Operand operand)
      : builder(builder), operand(operand) {}
  /// A number, rounded to f32.
  Real(double number);
};

/// si32 numbers, or the bits of f32 ones.
struct Word {
  Builder *builder = nullptr;
  Step::Operand operand;

  Word() = default;
  Word(Builder *builder, Step::Operand operand)
      : builder(builder), operand(operand) {}
  explicit Word(int32_t number);
};

/// a <relation> b, for choose().
struct Condition {
  Builder *builder;
  Step::Relation relation;
  bool comparesIntegers;
  Step::Operand left, right;
};

/// Collects the commands of one function.
class Builder {
public:
  /// `types` of the op's operands. Those that lie at strides or are repeated
  /// (`copies`) are copied to a tile of their own, which all commands can read.
  struct Source {
    SequenceType type;
    bool copies = false;
  };
  explicit Builder(std::vector<Source> sources) : sources(std::move(sources)) {}

  Real real(unsigned input);
  Word word(unsigned input);
  /// A tile full of one number, for functions that want a tensor.
  Real copied(double number);

  Sequence finish(Real value, SequenceType result);
  Sequence finish(Word value, SequenceType result);

  Step::Operand append(const Step &step);
  /// Index of the first one of `coefficients` in the table.
  unsigned addCoefficients(const std::vector<float> &coefficients);

private:
  Step::Operand source(unsigned input);

  std::vector<Source> sources;
  std::vector<Step> steps;
  std::vector<float> table;
};

Real operator+(Real a, Real b);
Real operator-(Real a, Real b);
Real operator*(Real a, Real b);
/// Within 4 ulp; a divisor must be below 2^126 in size (beyond it the quotient
/// is 0, beside an infinite divisor infinite), x/0 is infinite, 0/0 NaN.
Real operator/(Real a, Real b);

/// max(x, bound), min(x, bound); NaN stays NaN.
Real atLeast(Real x, Real bound);
Real atMost(Real x, Real bound);
Real abs(Real x);
/// 1/sqrt(x) for 0 < x < inf, within 2 ulp.
Real rsqrtOfFinite(Real x);
/// c0 + x (c1 + x (c2 + ...)).
Real polynomial(Real x, const std::vector<double> &coefficients);
Real rounded(Real x, numeric::Rounding rounding);
Word toInteger(Real x, numeric::Rounding rounding);
Real toReal(Word x);

Word operator+(Word a, Word b);
Word operator-(Word a, Word b);
Word operator*(Word a, Word b);
Word operator&(Word a, Word b);
Word operator|(Word a, Word b);
Word operator^(Word a, Word b);
/// By -31..31 bits, negative to the right.
Word shiftedLogically(Word x, int amount);
Word shiftedArithmetically(Word x, int amount);

/// The same bytes as the other type: no command.
inline Word bitsOf(Real x) { return {x.builder, x.operand}; }
inline Real realOf(Word x) { return {x.builder, x.operand}; }
/// The sign bit of `x`, and `x` with the sign bits of `sign` flipped in.
Word signOf(Real x);
Real withSign(Real x, Word sign);

/// False beside a NaN.
Condition isGreater(Real a, Real b);
/// True beside a NaN (unless both have the same bits).
Condition isLess(Real a, Real b);
/// Of bits: +0 is not -0, a NaN is itself.
Condition isSame(Real a, Real b);
Condition isGreater(Word a, Word b);
Condition isLess(Word a, Word b);
Condition isSame(Word a, Word b);
Real choose(Condition condition, Real yes, Real no);
Word choose(Condition condition, Word yes, Word no);

} // namespace weft::tpu::sequence

#endif // WEFT_DIALECTS_TPU_SEQUENCE_EXPRESSION_H

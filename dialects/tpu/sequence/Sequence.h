//===- Sequence.h - element-wise functions as TIU commands ------*- C++ -*-===//
//
// A function that the machine has no command for is a straight line of
// commands on tiles of one shape. A Sequence is that line, written once: the
// recipe takes its scratch and its calls from it, the evaluator interprets it,
// bit for bit as the machine would. So they cannot disagree.
//
// Functions are written as expressions:
//
//   Real softsign(Real x) { return x / (abs(x) + 1.0); }
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_TPU_SEQUENCE_SEQUENCE_H
#define WEFT_DIALECTS_TPU_SEQUENCE_SEQUENCE_H

#include "runtime/numeric/Rounding.h"

#include <cstdint>
#include <vector>

namespace weft::tpu {

/// One command of a sequence. Values are 32 bits an element; whether a command
/// takes them for f32 or si32 is in its code. In a sequence of halves they are
/// 16 bits, f16 or si16, and the conversions are missing.
struct Step {
  enum Code : uint8_t {
    // f32, two operands
    Add,
    Sub,
    Mul,
    Max,
    Min,
    Div,
    // f32, one operand and two scalars: x * a + b, rounded after each
    Scale,
    // f32, one operand
    Abs,
    Rsqrt,      ///< three Newton steps
    Polynomial, ///< coefficients [first, first + count) of the table
    // si32, two operands
    And,
    Or,
    Xor,
    IntAdd,
    IntSub,
    IntMul, ///< wraps
    ShiftLogical,
    ShiftArith,
    // conversions, `rounding`
    Round,     ///< f32 to an integral f32
    ToInteger, ///< f32 to si32, saturated; NaN gives 0
    ToReal,    ///< si32 to f32
    Widen,     ///< an operand of the op, in whatever type, to f32 or si32
    Fill,      ///< a scalar
    // four operands: a <relation> b ? c : d
    Select,
    // f32 or si32 to the result of the op, in another type
    Narrow,
  };
  enum class Relation : uint8_t { Greater, Equal, Less };

  /// What a command reads.
  struct Operand {
    enum Kind : uint8_t {
      None,
      Input,  ///< operand `index` of the op, which has the type of the command
      Value,  ///< the result of step `index`
      Scalar, ///< 32 bits
    };
    Kind kind = None;
    uint32_t index = 0; ///< or the bits of a scalar
  };

  Code code = Add;
  Relation relation = Relation::Greater; ///< Select
  bool readsInteger = false; ///< Select: compares si32; Narrow: from si32
  numeric::Rounding rounding = numeric::Rounding::HalfToEven;
  Operand operands[4];
  unsigned first = 0, count = 0; ///< Polynomial
  /// Scratch tile that takes the result; kResultTile is that of the op.
  int place = 0;
};

/// `place` of a step that writes the result tile of the op.
inline constexpr int kResultTile = -1;

/// Bytes of an EU row, to whose start each polynomial is padded.
inline constexpr unsigned kTableRowBytes = 64;

/// A finished function: the last step writes the result of the op.
struct Sequence {
  std::vector<Step> steps;
  std::vector<float> table; ///< coefficients of all polynomials, padded
  unsigned scratchTiles = 0;
  bool isHalf = false; ///< all values are f16 or si16
};

/// Number of operands that `code` reads.
unsigned operandCount(Step::Code code);
/// True if the command takes its operands 0 and 1 for si32.
bool readsIntegers(const Step &step);
/// True if the command gives si32.
bool givesInteger(Step::Code code);

/// What an op gives a sequence and wants from it.
enum class SequenceType : uint8_t {
  F32,   ///< is read and written where it lies
  Si32,  ///< is read and written where it lies
  Half,  ///< is read and written where it lies: a sequence of halves
  Other, ///< is converted: a 16-bit float, or an integer of less than 32 bits
};

/// Joins products and sums with scalars, drops steps whose value nothing reads
/// and assigns places. `last`, the value of some step, is that of the function
/// (`isInteger`: si32); a conversion is appended where `result` needs one.
Sequence finishSequence(std::vector<Step> steps, std::vector<float> table,
                        Step::Operand last, bool isInteger,
                        SequenceType result);

} // namespace weft::tpu

#endif // WEFT_DIALECTS_TPU_SEQUENCE_SEQUENCE_H

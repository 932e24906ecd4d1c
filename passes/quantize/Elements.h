//===- Elements.h - chains of element-wise tpu ops --------------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_ELEMENTS_H
#define WEFT_PASSES_QUANTIZE_ELEMENTS_H

#include "passes/quantize/Lowering.h"
#include "runtime/numeric/Cast.h"

namespace weft::quantize {

/// One side of an op: a tpu tensor, or a number beside tensors.
struct Element {
  Element(mlir::Value tensor) : tensor(tensor) {}
  Element(double number) : number(number) {}

  mlir::Value tensor; ///< null: `number`
  double number = 0;
};

/// Builds element-wise ops at one location. Operands are 4-D tpu values whose
/// axes of size 1 broadcast along n, h and w. Layer groups keep what lies
/// between the ops in local memory, so a chain costs its commands only.
class Elements {
public:
  Elements(Lowering &lowering, mlir::Location location)
      : lowering(lowering), location(location) {}

  /// Of one float or integer type; for shifts the right side is i8, 0 to 31.
  /// At least one side is a tensor; a number on the left goes with sub, add,
  /// mul, max, min and the bit functions.
  mlir::Value binary(tpu::BinaryKind kind, Element lhs, Element rhs);
  /// A function without parameters of the float `value`.
  mlir::Value unary(tpu::UnaryKind kind, mlir::Value value);
  /// ui8 1 where the relation holds, else 0. As ONNX: -0 equals 0, a NaN stands
  /// in no relation.
  mlir::Value compare(tpu::Relation relation, mlir::Value lhs, Element rhs);
  mlir::Value select(mlir::Value condition, Element onTrue, Element onFalse,
                     mlir::Type element);
  /// A plain `tpu.cast`; `value` itself if it has that type.
  mlir::Value cast(mlir::Value value, mlir::Type element,
                   tpu::RoundingAttr rounding = {});
  /// The whole number nearest to the float `value`, ties to the even one.
  mlir::Value toNearest(mlir::Value value, mlir::Type element);
  /// The f32 quotient dividend / divisor, of which the machine has `guess` to
  /// within its last bits, as IEEE rounds it where it is a whole number of at
  /// most 12 bits, or next to one: what is a bit less would be rounded down to
  /// the number before. Larger ones are right where the divisor has few bits.
  /// `reciprocal` of the divisor is within its last bits.
  mlir::Value ieeeQuotient(mlir::Value guess, Element dividend, Element divisor,
                           Element reciprocal);
  /// The same of the square root of `value`, of which the machine has `root`.
  mlir::Value ieeeRoot(mlir::Value root, mlir::Value value);
  /// The same bits as another type of the same width.
  mlir::Value bits(mlir::Value value, mlir::Type element);
  /// ui8 1 where `value` is not 0 (a NaN is not), else 0.
  mlir::Value truth(mlir::Value value);
  /// 1 - `flag`, of ui8 0 and 1.
  mlir::Value isNot(mlir::Value flag) {
    return binary(tpu::BinaryKind::Xor, flag, 1.0);
  }

  /// An integer type of the chip.
  mlir::Type integer(unsigned width, bool isUnsigned = false);
  mlir::Type elementOf(mlir::Value value) { return tpu::elementOf(value); }

private:
  /// `whole` + correction, or `guess` where that is no number or far from it.
  mlir::Value corrected(mlir::Value guess, mlir::Value whole,
                        mlir::Value correction);
  /// A plain `tpu.compare`.
  mlir::Value compareBits(tpu::Relation relation, mlir::Value lhs, Element rhs);
  mlir::RankedTensorType resultType(llvm::ArrayRef<mlir::Value> operands,
                                    mlir::Type element);

  Lowering &lowering;
  mlir::Location location;
};

/// x / divisor in f32: the product with the reciprocal, corrected by its
/// remainder, so that a quotient that f32 has comes out as it is, and ties are
/// ties. Numbers beyond +-1e6 are cut to it unless `isBounded`. (Cast.cpp)
mlir::Value exactQuotient(mlir::Value x, float divisor, bool isBounded,
                          Elements &elements);

/// A function of integers or bools, from operands and result in the same 4-D
/// view. Null if the machine has none of that kind.
mlir::Value integerFunction(top::BinaryKind kind, Element lhs, Element rhs,
                            Elements &elements);

/// x^y of an integer x and a float y, of the type of x: exact (modulo 2^32)
/// where y is a whole number, else cut.
mlir::Value integerPower(Element x, Element y, Elements &elements);

/// The numbers, in f32, whose codes of `type` (`numeric::isSmallFloat`) are the
/// ui8 `codes`.
mlir::Value decodeSmallFloats(mlir::Value codes, numeric::ElementType type,
                              Elements &elements);
/// The other way round; `value` is f32. A subnormal f32 number counts as 0, but
/// not for F8E8M0.
mlir::Value encodeSmallFloats(mlir::Value value, numeric::ElementType type,
                              const numeric::CastOptions &options,
                              Elements &elements);

/// ONNX Cast of `value` from the top element type `from` to `to`, both held as
/// `storedElement` says. Null if the chip has no such cast.
mlir::Value castElements(mlir::Value value, mlir::Type from, mlir::Type to,
                         const numeric::CastOptions &options,
                         Elements &elements);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_ELEMENTS_H

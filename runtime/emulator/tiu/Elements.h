/// The element operations of AR and VC on rows of numbers.
#ifndef WEFT_RUNTIME_EMULATOR_TIU_ELEMENTS_H
#define WEFT_RUNTIME_EMULATOR_TIU_ELEMENTS_H

#include "runtime/emulator/Rows.h"
#include "runtime/numeric/Rounding.h"

namespace weft::emulator::tiu {

/// What one command does to each pair of elements (AR function numbers).
struct ElementOperation {
  unsigned func = 0;
  ElementKind a, b, result;
  /// Type of the value that a select chooses.
  Precision chosen = Precision::Fp32;
  numeric::Rounding rounding = numeric::Rounding::HalfToEven;
  unsigned steps = 0;    ///< Newton steps of div
  bool hasShift = false; ///< integers: the third operand shifts the result
};

/// The sign that the result saturates with.
bool resultIsSigned(const ElementOperation &operation);

/// What of the operation the machine has no rule for (the vendor's emulator
/// refuses it, or stores whatever its buffers held); nullptr if it has one.
const char *undefinedPart(const ElementOperation &operation);

/// Integer operands. `third` is the shift, or the bits that a select chooses.
void integerRow(const ElementOperation &operation, const int64_t *a,
                const int64_t *b, int64_t third, int64_t *out, unsigned count);

/// Float operands, all but the selects. Not rounded to the result's type.
void floatRow(const ElementOperation &operation, const float *a, const float *b,
              float *out, unsigned count);
/// Selects of float operands; `out` gets the bits of the chosen values.
void floatSelectRow(const ElementOperation &operation, const float *a,
                    const float *b, int64_t chosen, int64_t *out,
                    unsigned count);

/// True if the results of a float function are operands or their magnitudes,
/// bit for bit (NaNs keep their payload).
bool keepsBits(unsigned func);

} // namespace weft::emulator::tiu

#endif

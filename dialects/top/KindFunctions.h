//===- KindFunctions.h - formulas of the kinds --------------------*- C++
//-*-===//

#ifndef WEFT_DIALECTS_TOP_KINDFUNCTIONS_H
#define WEFT_DIALECTS_TOP_KINDFUNCTIONS_H

#include "dialects/top/Kinds.h"
#include "runtime/numeric/HostTensor.h"

namespace weft::top {

using UnaryFunction = double (*)(double x, double alpha, double beta);
using BinaryFunction = double (*)(double x, double y);

/// The formula of UnaryKinds.def. Portable: the same bits on every machine.
UnaryFunction unaryFunction(UnaryKind kind);
/// The formula of BinaryKinds.def.
BinaryFunction binaryFunction(BinaryKind kind);

/// f(x) for an integer or bool of type `type`; x and the result are extended to
/// 64 bits (see loadIntegers). The caller keeps the low bits: arithmetic wraps.
int64_t unaryInteger(UnaryKind kind, numeric::ElementType type, int64_t x,
                     double alpha, double beta);
/// f(x, y); division and remainder by 0 give 0, a shift of 64 or more gives 0
/// (or the sign).
int64_t binaryInteger(BinaryKind kind, numeric::ElementType type, int64_t x,
                      int64_t y);

} // namespace weft::top

#endif // WEFT_DIALECTS_TOP_KINDFUNCTIONS_H

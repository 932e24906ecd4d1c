//===- Kinds.h - the element-wise functions and their formulas --*- C++ -*-===//

#ifndef WEFT_RUNTIME_HOST_KINDS_H
#define WEFT_RUNTIME_HOST_KINDS_H

#include "runtime/numeric/HostTensor.h"

#include <optional>
#include <string_view>

namespace weft::host {

enum class UnaryKind : uint32_t {
#define WEFT_UNARY(symbol, ...) symbol,
#include "runtime/host/UnaryKinds.def"
};

enum class BinaryKind : uint32_t {
#define WEFT_BINARY(symbol, ...) symbol,
#include "runtime/host/BinaryKinds.def"
};

/// The kind of that spelling, if any.
std::optional<UnaryKind> findUnaryKind(std::string_view spelling);
std::optional<BinaryKind> findBinaryKind(std::string_view spelling);

/// Defaults of the parameters of a kind; 0 for one that it does not have.
double defaultAlpha(UnaryKind kind);
double defaultBeta(UnaryKind kind);

using UnaryFunction = double (*)(double x, double alpha, double beta);
using BinaryFunction = double (*)(double x, double y);

/// The formula of UnaryKinds.def. Portable: the same bits on every machine.
UnaryFunction unaryFunction(UnaryKind kind);
/// The formula of BinaryKinds.def.
BinaryFunction binaryFunction(BinaryKind kind);

/// The same formulas for many floats, each rounded once from double:
/// to[i] = f(from[i]); `from` may be `to`.
using UnaryFloats = void (*)(const float *from, float *to, int64_t count,
                             double alpha, double beta);
UnaryFloats unaryFloats(UnaryKind kind);
/// to[i] = f(lhs[i * lhsStep], rhs[i * rhsStep]).
using BinaryFloats = void (*)(const float *lhs, int64_t lhsStep,
                              const float *rhs, int64_t rhsStep, float *to,
                              int64_t count);
BinaryFloats binaryFloats(BinaryKind kind);

/// f(x) for an integer or bool of type `type`; x and the result are extended to
/// 64 bits (see loadIntegers). The caller keeps the low bits: arithmetic wraps.
int64_t unaryInteger(UnaryKind kind, numeric::ElementType type, int64_t x,
                     double alpha, double beta);
/// f(x, y); division and remainder by 0 give 0, a shift of 64 or more gives 0
/// (or the sign).
int64_t binaryInteger(BinaryKind kind, numeric::ElementType type, int64_t x,
                      int64_t y);

} // namespace weft::host

#endif // WEFT_RUNTIME_HOST_KINDS_H

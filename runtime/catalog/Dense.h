//===- Dense.h - values of a call and what computes them ------*- C++ -*-===//

#ifndef WEFT_RUNTIME_CATALOG_DENSE_H
#define WEFT_RUNTIME_CATALOG_DENSE_H

#include "runtime/catalog/Catalog.h"
#include "runtime/status/Status.h"

#include <map>

namespace weft::catalog {

/// The elements of a tensor in row-major order, `bytesOf(type)` bytes each.
struct Dense {
  DataType type = DataType::Fp32;
  Dims shape = {1, 1, 1, 1};
  std::vector<uint8_t> bytes;

  Dense() = default;
  Dense(DataType type, const Dims &shape)
      : type(type), shape(shape),
        bytes(size_t(shape[0] * shape[1] * shape[2] * shape[3]) *
              bytesOf(type)) {}
  int64_t elements() const { return shape[0] * shape[1] * shape[2] * shape[3]; }
  /// Bits of an element, zero-extended.
  uint64_t bits(int64_t index) const;
  void setBits(int64_t index, uint64_t value);
  /// The value of an element: exact for integers up to 53 bits and all floats.
  double value(int64_t index) const;
  /// A float value is rounded to the nearest, ties to even.
  void setValue(int64_t index, double value);
  /// Sign- or zero-extended integer.
  int64_t integer(int64_t index) const;
  int64_t at(int64_t n, int64_t c, int64_t h, int64_t w) const {
    return ((n * shape[1] + c) * shape[2] + h) * shape[3] + w;
  }
};

/// The values that a call reads and writes, by slot. Written ones are there
/// with their old contents before the call.
using Values = std::map<std::string_view, Dense>;
/// Computes the written values. May refuse what the formula does not define.
using Evaluate = rt::Status (*)(const Call &call, Values &values);

/// The function's meaning; nullptr if nothing is written (messages).
Evaluate evaluatorOf(const Operation &operation);

/// A row of a table of evaluators.
struct EvaluatorRow {
  std::string_view name;
  Evaluate evaluate;
};
} // namespace weft::catalog

#endif // WEFT_RUNTIME_CATALOG_DENSE_H

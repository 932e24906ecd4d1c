//===- RawBytes.h - bytes of constants --------------------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_EMIT_RAWBYTES_H
#define WEFT_CODEGEN_EMIT_RAWBYTES_H

#include "codegen/emit/Emit.h"

#include <cstring>

namespace weft::emit {

/// The elements of a dense constant, row-major, little endian, splats written
/// out. Fails for other attributes and for resources without data.
mlir::FailureOr<PackedBytes> rawBytes(mlir::ElementsAttr value);

/// The bytes of the `tpu.weight` behind `operand`; fails with an error if it is
/// none.
mlir::FailureOr<PackedBytes> weightBytes(mlir::Operation *op,
                                         mlir::Value operand);

/// Puts a `ppl.weight` with `bytes` at `address`; gives the first address after
/// it.
int64_t addWeight(mlir::OpBuilder &builder, mlir::Location loc, int64_t address,
                  PackedBytes bytes);

/// Bytes of an array of plain numbers.
template <typename T>
PackedBytes toBytes(llvm::ArrayRef<T> values) {
  PackedBytes bytes(values.size() * sizeof(T));
  if (!values.empty())
    std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_RAWBYTES_H

//===- HostCall.h - from an op to a host kernel -----------------*- C++ -*-===//
//
// The bridge between ops and the kernels of runtime/host. The attributes of an
// op become host attributes: integers, floats, texts, their arrays, element
// types (as "f32") and dense values keep their names; kinds become their
// spelling. Discardable attributes (`top.value`) stay behind.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_HOSTCALL_H
#define WEFT_DIALECTS_HOSTCALL_H

#include "runtime/host/Host.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace weft {

/// The attributes that a host kernel sees of an op with the attributes
/// `attributes`. Fails with a message at `location` for one that has no host
/// form.
mlir::FailureOr<host::Attributes>
hostAttributes(mlir::DictionaryAttr attributes, mlir::Location location);

/// A tensor type whose sizes of kUnknownSize depend on the operands' values:
/// `tensor<?x4xf32, [100, 4]>` has at most 100 rows. The encoding of
/// the type holds the largest size of every axis. Without unknown sizes it is
/// an ordinary tensor type.
mlir::RankedTensorType boundedType(llvm::ArrayRef<int64_t> shape,
                                   llvm::ArrayRef<int64_t> largest,
                                   mlir::Type element);
/// The largest size of every axis; std::nullopt for a type with unknown sizes
/// that are not bounded.
std::optional<llvm::SmallVector<int64_t>>
largestShape(mlir::RankedTensorType type);

/// The declared type of a result. Fails silently unless `type` is a tensor of
/// a host element type that the host can hold.
mlir::FailureOr<host::ResultType> hostResultType(mlir::Type type);

/// The name of the kernel that computes `op`: the `kernel` of a `top.host`, the
/// mnemonic of any other op. There may be no kernel of that name
/// (host::hasKernel).
llvm::StringRef hostKernelName(mlir::Operation *op);

/// The attributes of `op` that its kernel reads, in a form that needs no
/// dialect: kinds are texts. Those of a `top.host` are its `parameters`.
mlir::DictionaryAttr hostParameters(mlir::Operation *op);

/// For each operand slot of the kernel the number of the op's operand, or
/// std::nullopt for an optional operand that is absent.
llvm::SmallVector<std::optional<unsigned>>
hostOperandSlots(mlir::Operation *op);

/// The same for `inputs` operands and `absent`, the ascending slots left out.
llvm::SmallVector<std::optional<unsigned>>
operandSlots(size_t inputs, llvm::ArrayRef<int64_t> absent);

/// Verifies that the slots left out ascend among those of `inputs` operands and
/// the absent ones.
mlir::LogicalResult verifyAbsent(mlir::Operation *op,
                                 llvm::ArrayRef<int64_t> absent, size_t inputs);

/// Verifies what every dialect's call of a host kernel says: the kernel exists,
/// and verifyAbsent.
mlir::LogicalResult
verifyHostCall(mlir::Operation *op, llvm::StringRef kernel, size_t inputs,
               std::optional<llvm::ArrayRef<int64_t>> absent);

/// Verifies an op that gives the results of a host kernel or of a plugin's
/// kernel as values.
mlir::LogicalResult verifyGivesResults(mlir::Operation *op);

/// Computes `op` with its host kernel; the evaluator of ops that have no other.
/// Appends one tensor a result, or reports at the op and fails.
mlir::LogicalResult
evaluateOnHost(mlir::Operation *op,
               llvm::ArrayRef<const numeric::HostTensor *> operands,
               llvm::SmallVectorImpl<numeric::HostTensor> &results);

} // namespace weft

#endif // WEFT_DIALECTS_HOSTCALL_H

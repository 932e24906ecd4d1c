//===- ConstantBlobs.h - memory of large constants --------------*- C++ -*-===//
//
// A context keeps the bytes of every dense_resource until it dies, and a model
// passes through three levels, each with its own copy of the weights. What the
// next level has taken over is freed here, so that a large model needs its
// weights once and a little.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_DIALECTS_CONSTANTBLOBS_H
#define WEFT_DIALECTS_CONSTANTBLOBS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace weft {

/// Frees the bytes of the constants (any op with a dense_resource `value`) that
/// the ops of a block read, as the ops are done.
class BlobReleaser {
public:
  /// Counts the readers of every constant under `block` whose resource is
  /// called `name` (blobName), by the op of the block that they stand in.
  /// Others may belong to another module, too.
  BlobReleaser(mlir::Block &block, llvm::StringRef name);

  /// `op` of the block will not read its operands' bytes again. The address of
  /// the op is all that is looked at.
  void done(mlir::Operation *op);

private:
  using Entry = mlir::DialectResourceBlobManager::BlobEntry;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Entry *, 2>> reads;
  llvm::DenseMap<Entry *, unsigned> readers;
};

/// The resources that the ops under `module` refer to.
class LiveBlobs {
public:
  explicit LiveBlobs(mlir::ModuleOp module);

  /// Frees those that no op of `module` refers to any more.
  void releaseOthers(mlir::ModuleOp module) const;

private:
  llvm::SetVector<mlir::DialectResourceBlobManager::BlobEntry *> entries;
};

/// `name` and a number that the bytes decide: the manager of resources makes
/// names unique by trying one after the other, which is slow for thousands of
/// one name.
std::string blobName(llvm::StringRef name, llvm::ArrayRef<char> bytes);

/// Takes the pages of `bytes` out of the process's memory if they can be read
/// back from their file; changes nothing otherwise.
void pageOut(llvm::ArrayRef<char> bytes);

} // namespace weft

#endif // WEFT_DIALECTS_CONSTANTBLOBS_H

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

#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace weft {

/// Frees the bytes of the constants (a dense_resource `value`) that ops read,
/// as the ops are done.
class BlobReleaser {
public:
  /// Counts the readers of every `constant` (name of an op) under `block`. What
  /// another op has as its `value` is not freed.
  BlobReleaser(mlir::Block &block, llvm::StringRef constant);

  /// `op` and the ops in it will not read their operands' bytes again.
  void done(mlir::Operation *op);
  /// The `value` of `constant`, an op of the next level, is not freed either.
  void keep(mlir::Operation *constant);

private:
  using Entry = mlir::DialectResourceBlobManager::BlobEntry;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Entry *, 2>> reads;
  llvm::DenseMap<Entry *, unsigned> readers;
  llvm::DenseSet<Entry *> kept;
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

/// While it lives, the resources that `module` refers to are not freed in this
/// thread: several programs are made of clones of the module, which share them.
class PinnedBlobs {
public:
  explicit PinnedBlobs(mlir::ModuleOp module);
  ~PinnedBlobs();
  PinnedBlobs(const PinnedBlobs &) = delete;

  bool contains(mlir::DialectResourceBlobManager::BlobEntry *entry) const {
    return entries.contains(entry) || (outer && outer->contains(entry));
  }

private:
  llvm::SetVector<mlir::DialectResourceBlobManager::BlobEntry *> entries;
  const PinnedBlobs *outer;
};

/// `name` and a number that the bytes decide: the manager of resources makes
/// names unique by trying one after the other, which is slow for thousands of
/// one name.
std::string blobName(llvm::StringRef name, llvm::ArrayRef<char> bytes);

/// A blob of the elements of `values`, which it takes over: a copy of a large
/// constant would double it for a moment.
template <typename T>
mlir::AsmResourceBlob blobOf(std::vector<T> values,
                             size_t alignment = alignof(T)) {
  auto owner = std::make_shared<std::vector<T>>(std::move(values));
  llvm::ArrayRef<char> bytes(reinterpret_cast<const char *>(owner->data()),
                             owner->size() * sizeof(T));
  return mlir::AsmResourceBlob(
      bytes, alignment, [owner](void *, size_t, size_t) {},
      /*dataIsMutable=*/false);
}

/// The bytes of `entry` in parts of `size`, the last one with the rest. All
/// keep the whole alive, and so does the entry, whose bytes stay where they
/// are; not to be called from several threads for one entry.
std::vector<mlir::AsmResourceBlob>
partsOfBlob(mlir::DialectResourceBlobManager::BlobEntry &entry, size_t size);

/// Takes the pages of `bytes` out of the process's memory if they can be read
/// back from their file; changes nothing otherwise.
void pageOut(llvm::ArrayRef<char> bytes);

/// Pages out what has been read of `bytes`, which are read from their begin to
/// their end, a piece after the other.
class PagesBehind {
public:
  explicit PagesBehind(llvm::ArrayRef<char> bytes) : bytes(bytes) {}
  PagesBehind(const PagesBehind &) = delete;
  ~PagesBehind() { pageOut(bytes.drop_front(begin)); }

  /// The bytes before `end` are not needed any more.
  void reach(size_t end) {
    constexpr size_t kPieceBytes = 8 << 20;
    if (end > bytes.size() || end - begin < kPieceBytes)
      return;
    pageOut(bytes.slice(begin, end - begin));
    begin = end;
  }

private:
  llvm::ArrayRef<char> bytes;
  size_t begin = 0;
};

} // namespace weft

#endif // WEFT_DIALECTS_CONSTANTBLOBS_H

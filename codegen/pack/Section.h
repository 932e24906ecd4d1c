//===- Section.h - the binary section of a bmodel ---------------*- C++ -*-===//

#ifndef WEFT_CODEGEN_PACK_SECTION_H
#define WEFT_CODEGEN_PACK_SECTION_H

#include "runtime/bmodel/bmodel_generated.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace weft::codegen {

using Digest = std::array<uint8_t, 32>;

/// Takes bytes in their order; false ends the writing.
using ByteSink = llvm::function_ref<bool(const void *, size_t)>;

/// `size` bytes at `offset`, those of `bytes` again and again (a splat's bytes
/// are those of one element). They stay where they are.
struct BytePiece {
  uint64_t offset = 0;
  uint64_t size = 0;
  llvm::ArrayRef<char> bytes;
};

/// Gives `sink` `size` bytes: `pieces`, which are in order and do not overlap,
/// and zeros between them. False if the sink gave up.
bool writePieces(llvm::ArrayRef<BytePiece> pieces, uint64_t size,
                 ByteSink sink);

/// Blobs one after the other, each from a page boundary. Blobs of equal bytes
/// (the weights of several stages) are stored once.
class Section {
public:
  /// Appends `bytes`, zero-padded to a multiple of `unit`, and says where they
  /// lie, padding included.
  std::unique_ptr<rt::wire::Blob> add(std::vector<uint8_t> bytes,
                                      uint64_t unit);
  /// Appends `pieces` spread over `size` bytes with the digest `digest`. Their
  /// bytes must live until the last write().
  std::unique_ptr<rt::wire::Blob> add(llvm::ArrayRef<BytePiece> pieces,
                                      uint64_t size, const Digest &digest);

  uint64_t size() const { return end; }
  bool write(ByteSink sink) const { return writePieces(pieces, end, sink); }

private:
  uint64_t startBlob(const Digest &digest, uint64_t size, bool &isNew);

  std::vector<std::unique_ptr<std::vector<uint8_t>>> owned;
  std::vector<BytePiece> pieces;
  std::map<std::pair<Digest, uint64_t>, uint64_t> starts;
  uint64_t end = 0;
};

} // namespace weft::codegen

#endif // WEFT_CODEGEN_PACK_SECTION_H

//===- Section.h - the binary section of a bmodel ---------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_SECTION_H
#define WEFT_RUNTIME_BMODEL_SECTION_H

#include "runtime/bmodel/Container.h"
#include "runtime/bmodel/bmodel_generated.h"
#include "runtime/digest/Sha256.h"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace weft::rt {

/// Takes bytes in their order; false ends the writing.
using ByteSink = std::function<bool(const void *, size_t)>;

/// `size` bytes at `offset`, those of `bytes` again and again (a splat's bytes
/// are those of one element). They stay where they are.
struct BytePiece {
  uint64_t offset = 0;
  uint64_t size = 0;
  ByteSpan bytes;
};

/// Gives `sink` `size` bytes: `pieces`, which are in order and do not overlap,
/// and zeros between them. False if the sink gave up.
bool writePieces(const std::vector<BytePiece> &pieces, uint64_t size,
                 const ByteSink &sink);

/// Blobs one after the other, each from a page boundary. Blobs of equal bytes
/// (the weights of several stages or nets) are stored once.
class Section {
public:
  /// Appends `bytes`, zero-padded to a multiple of `unit`, and says where they
  /// lie, padding included.
  std::unique_ptr<wire::Blob> add(std::vector<uint8_t> bytes, uint64_t unit);
  /// Appends `pieces` spread over `size` bytes with the digest `digest`. Their
  /// bytes must live until the last write().
  std::unique_ptr<wire::Blob> add(const std::vector<BytePiece> &pieces,
                                  uint64_t size, const Digest &digest);

  uint64_t size() const { return end; }
  bool write(const ByteSink &sink) const {
    return writePieces(pieces, end, sink);
  }

private:
  uint64_t startBlob(const Digest &digest, uint64_t size, bool &isNew);

  std::vector<std::unique_ptr<std::vector<uint8_t>>> owned;
  std::vector<BytePiece> pieces;
  std::map<std::pair<Digest, uint64_t>, uint64_t> starts;
  uint64_t end = 0;
};

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_SECTION_H

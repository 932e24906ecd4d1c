#include "runtime/bmodel/Section.h"
#include "runtime/chips/Alignment.h"

#include <algorithm>

namespace weft::rt {

static bool writeZeros(uint64_t size, const ByteSink &sink) {
  static const char zeros[4096] = {};
  for (uint64_t part; size != 0; size -= part) {
    part = std::min<uint64_t>(size, sizeof zeros);
    if (!sink(zeros, part))
      return false;
  }
  return true;
}

static bool writeRepeated(const BytePiece &piece, const ByteSink &sink) {
  ByteSpan bytes = piece.bytes;
  std::vector<uint8_t> many; // instead of one call for each element
  if (bytes.size < piece.size) {
    constexpr size_t kChunkBytes = 1 << 16;
    size_t times = std::max<size_t>(1, kChunkBytes / bytes.size);
    for (size_t i = 0; i < times; ++i)
      many.insert(many.end(), bytes.data, bytes.data + bytes.size);
    bytes = {many.data(), many.size()};
  }
  for (uint64_t done = 0, part; done < piece.size; done += part) {
    part = std::min<uint64_t>(bytes.size, piece.size - done);
    if (!sink(bytes.data, part))
      return false;
  }
  return true;
}

bool writePieces(const std::vector<BytePiece> &pieces, uint64_t size,
                 const ByteSink &sink) {
  uint64_t at = 0;
  for (const BytePiece &piece : pieces) {
    if (!writeZeros(piece.offset - at, sink))
      return false;
    if (!writeRepeated(piece, sink))
      return false;
    at = piece.offset + piece.size;
  }
  return writeZeros(size - at, sink);
}

/// Where the blob of these bytes starts; `isNew` if it was not there before.
uint64_t Section::startBlob(const Digest &digest, uint64_t size, bool &isNew) {
  uint64_t start = alignUp<uint64_t>(end, kPageBytes);
  auto [entry, inserted] = starts.try_emplace({digest, size}, start);
  isNew = inserted;
  if (isNew)
    end = start + size;
  return entry->second;
}

std::unique_ptr<wire::Blob> Section::add(std::vector<uint8_t> bytes,
                                         uint64_t unit) {
  bytes.resize(alignUp<uint64_t>(bytes.size(), unit));
  uint64_t size = bytes.size();
  bool isNew = false;
  uint64_t start = startBlob(sha256(bytes.data(), bytes.size()), size, isNew);
  if (isNew && size != 0) {
    owned.push_back(std::make_unique<std::vector<uint8_t>>(std::move(bytes)));
    pieces.push_back({start, size, {owned.back()->data(), size_t(size)}});
  }
  return std::make_unique<wire::Blob>(start, size);
}

std::unique_ptr<wire::Blob> Section::add(const std::vector<BytePiece> &added,
                                         uint64_t size, const Digest &digest) {
  bool isNew = false;
  uint64_t start = startBlob(digest, size, isNew);
  if (isNew)
    for (const BytePiece &piece : added)
      pieces.push_back({start + piece.offset, piece.size, piece.bytes});
  return std::make_unique<wire::Blob>(start, size);
}

} // namespace weft::rt

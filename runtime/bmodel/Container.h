//===- Container.h - header and sections of a bmodel file -------*- C++ -*-===//
//
// A bmodel file is a 64-byte packed little-endian header, a flatbuffer
// (bmodel.fbs) and a section of blobs; behind them a certificate may follow
// (Certificate.h):
//
//   0  u32 magic 0xFF55AAEE      8  u32 flatbuffer bytes F     20  44 zero
//   bytes 4  u32 header bytes = 64    12  u64 binary bytes B 64 flatbuffer, F
//   bytes (may end in zeros) 64 + F  binary section, B bytes
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_BMODEL_CONTAINER_H
#define WEFT_RUNTIME_BMODEL_CONTAINER_H

#include "runtime/status/Status.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::rt {

constexpr uint32_t kBmodelMagic = 0xFF55AAEE;
constexpr uint32_t kBmodelHeaderBytes = 64;

/// Bytes that somebody else owns.
struct ByteSpan {
  const uint8_t *data = nullptr;
  size_t size = 0;
};

/// Where the sections of a file lie.
struct Container {
  ByteSpan flatbuffer;
  ByteSpan binary;
  /// File offset of the binary section, for messages.
  uint64_t binaryOffset = 0;
};

/// Checks the header and that both sections lie inside `file`. Bytes behind the
/// binary section are tolerated, as the vendor's runtime does. Code::BadFile.
Result<Container> parseContainer(ByteSpan file);

/// Whether the file begins as a bmodel does; false if it cannot be read.
bool isBmodelFile(const std::string &path);

/// The 64 header bytes of a file with sections of these sizes.
std::vector<uint8_t> makeContainerHeader(uint32_t flatbufferBytes,
                                         uint64_t binaryBytes);

/// A whole file, mapped read-only; or bytes in memory. Move-only. The bytes do
/// not move when the object does.
class FileBytes {
public:
  /// Code::IoError with the system's reason.
  static Result<FileBytes> map(const std::string &path);
  static FileBytes own(std::vector<uint8_t> bytes);

  FileBytes(FileBytes &&other) noexcept;
  FileBytes &operator=(FileBytes &&other) noexcept;
  FileBytes(const FileBytes &) = delete;
  FileBytes &operator=(const FileBytes &) = delete;
  ~FileBytes();

  ByteSpan span() const { return {start, size}; }

private:
  FileBytes() = default;
  void release();

  const uint8_t *start = nullptr;
  size_t size = 0;
  bool mapped = false;
  std::vector<uint8_t> owned;
};

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_CONTAINER_H

#include "runtime/bmodel/Container.h"

#include <cerrno>
#include <cinttypes>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weft::rt {

template <typename T>
static T readLittleEndian(const uint8_t *p) {
  T value = 0;
  for (size_t i = 0; i < sizeof(T); ++i)
    value |= T(p[i]) << (8 * i);
  return value;
}

template <typename T>
static void writeLittleEndian(uint8_t *p, T value) {
  for (size_t i = 0; i < sizeof(T); ++i)
    p[i] = uint8_t(value >> (8 * i));
}

Result<Container> parseContainer(ByteSpan file) {
  if (file.size < kBmodelHeaderBytes)
    return failf(Code::BadFile,
                 "file has %zu bytes, a bmodel starts with a header of %u",
                 file.size, kBmodelHeaderBytes);
  auto magic = readLittleEndian<uint32_t>(file.data);
  // The IR version of an ONNX model: field 1, a small number.
  if (magic != kBmodelMagic && file.data[0] == 0x08 && file.data[1] < 0x40)
    return failf(Code::BadFile,
                 "it begins like an ONNX model, not a bmodel; convert it first "
                 "(weft convert)");
  if (magic != kBmodelMagic)
    return failf(Code::BadFile,
                 "byte 0: magic number is 0x%08x, a bmodel has 0x%08x", magic,
                 kBmodelMagic);
  auto headerBytes = readLittleEndian<uint32_t>(file.data + 4);
  if (headerBytes != kBmodelHeaderBytes)
    return failf(Code::BadFile,
                 "byte 4: header size is %u, must be %u (of an encrypted file "
                 "it is another: weft bmodel decrypt)",
                 headerBytes, kBmodelHeaderBytes);
  uint64_t flatbufferBytes = readLittleEndian<uint32_t>(file.data + 8);
  uint64_t binaryBytes = readLittleEndian<uint64_t>(file.data + 12);
  uint64_t available = file.size - kBmodelHeaderBytes;
  if (flatbufferBytes > available)
    return failf(Code::BadFile,
                 "byte 8: flatbuffer size is %" PRIu64 ", but only %" PRIu64
                 " bytes follow the header (is the file truncated?)",
                 flatbufferBytes, available);
  available -= flatbufferBytes;
  if (binaryBytes > available)
    return failf(Code::BadFile,
                 "byte 12: binary section size is %" PRIu64
                 ", but only %" PRIu64
                 " bytes follow the flatbuffer (is the file truncated?)",
                 binaryBytes, available);
  Container container;
  container.flatbuffer = {file.data + kBmodelHeaderBytes,
                          size_t(flatbufferBytes)};
  container.binaryOffset = kBmodelHeaderBytes + flatbufferBytes;
  container.binary = {file.data + container.binaryOffset, size_t(binaryBytes)};
  return container;
}

bool isBmodelFile(const std::string &path) {
  uint8_t head[sizeof kBmodelMagic];
  std::ifstream file(path, std::ios::binary);
  return file.read(reinterpret_cast<char *>(head), sizeof head) &&
         readLittleEndian<uint32_t>(head) == kBmodelMagic;
}

std::vector<uint8_t> makeContainerHeader(uint32_t flatbufferBytes,
                                         uint64_t binaryBytes) {
  std::vector<uint8_t> header(kBmodelHeaderBytes, 0);
  writeLittleEndian<uint32_t>(header.data(), kBmodelMagic);
  writeLittleEndian<uint32_t>(header.data() + 4, kBmodelHeaderBytes);
  writeLittleEndian<uint32_t>(header.data() + 8, flatbufferBytes);
  writeLittleEndian<uint64_t>(header.data() + 12, binaryBytes);
  return header;
}

Result<FileBytes> FileBytes::map(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return failf(errno == ENOENT ? Code::NotFound : Code::IoError,
                 "cannot open: %s", std::strerror(errno));
  struct stat facts;
  if (::fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode)) {
    ::close(file);
    return fail(Code::IoError, "not a regular file");
  }
  FileBytes bytes;
  bytes.size = size_t(facts.st_size);
  if (bytes.size != 0) {
    void *memory = ::mmap(nullptr, bytes.size, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory == MAP_FAILED) {
      int reason = errno;
      ::close(file);
      return failf(Code::IoError, "cannot map: %s", std::strerror(reason));
    }
    bytes.start = static_cast<const uint8_t *>(memory);
    bytes.mapped = true;
  }
  ::close(file);
  return bytes;
}

FileBytes FileBytes::own(std::vector<uint8_t> bytes) {
  FileBytes result;
  result.owned = std::move(bytes);
  result.start = result.owned.data();
  result.size = result.owned.size();
  return result;
}

FileBytes::FileBytes(FileBytes &&other) noexcept { *this = std::move(other); }

FileBytes &FileBytes::operator=(FileBytes &&other) noexcept {
  if (this == &other)
    return *this;
  release();
  // Moving a vector keeps its buffer, so `start` stays right.
  owned = std::move(other.owned);
  start = std::exchange(other.start, nullptr);
  size = std::exchange(other.size, 0);
  mapped = std::exchange(other.mapped, false);
  return *this;
}

FileBytes::~FileBytes() { release(); }

void FileBytes::release() {
  if (mapped)
    ::munmap(const_cast<uint8_t *>(start), size);
  mapped = false;
}

} // namespace weft::rt

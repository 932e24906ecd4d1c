//===- Npz.h - named arrays in NumPy's archive format -----------*- C++ -*-===//
//
// A .npz file is a zip archive of .npy files. Reading the archive is libzip's
// work (zip64, deflate, check sums); the .npy header is parsed by NpyHeader.
// Archives are written by hand: libzip would need two copies of what it writes.
// It lives in tools/ because a deployed runtime takes raw bytes and needs no
// archive library.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_TOOLS_NPZ_NPZ_H
#define WEFT_TOOLS_NPZ_NPZ_H

#include "tools/npz/NpyHeader.h"

#include <map>
#include <memory>

struct zip;

namespace weft::npz {

/// An archive open for reading. Files are untrusted: every size is checked
/// before memory is taken, check sums are verified. Messages begin with the
/// path.
class Reader {
public:
  /// Reads the directory and every header. Code::NotFound, IoError, BadFile,
  /// Unsupported.
  static rt::Result<Reader> open(const std::string &path);
  /// The same of the `size` bytes of a file, which outlive the reader; `path`
  /// stands in messages.
  static rt::Result<Reader> openBytes(const std::string &path,
                                      const void *bytes, size_t size);
  Reader(Reader &&) noexcept;
  Reader &operator=(Reader &&) noexcept;
  ~Reader();

  const std::string &path() const { return thePath; }
  /// In the order of the archive.
  const std::vector<std::string> &names() const { return theNames; }
  /// nullptr if there is no such array.
  const NpyHeader *header(const std::string &name) const;
  /// The array in row-major order, strings in UTF-8. Code::NotFound if there is
  /// no such array.
  rt::Result<numeric::HostTensor> read(const std::string &name) const;

private:
  struct Entry {
    uint64_t index = 0;
    NpyHeader header;
  };
  Reader() = default;
  /// Of `archive`, null after the error `code`.
  static rt::Result<Reader> openArchive(const std::string &path, zip *archive,
                                        int code);
  rt::Status readDirectory();
  rt::Status readEntry(uint64_t index, const std::string &name);

  std::string thePath;
  zip *archive = nullptr;
  std::vector<std::string> theNames;
  std::map<std::string, Entry> entries;
};

/// Whether a file that begins with `bytes` (8 are enough) is a .npy file.
bool isNpy(std::string_view bytes);

/// The array of a .npy file in row-major order, with the checks of Reader.
/// `isText`, if not null, says whether it is of strings.
rt::Result<numeric::HostTensor> readNpy(const std::string &path,
                                        bool *isText = nullptr);

/// An array to write; the tensor is the caller's.
struct NamedTensor {
  std::string name;
  const numeric::HostTensor *tensor = nullptr;
  /// The tensor is of strings: U8 with an axis of their bytes.
  bool isText = false;
};

/// Writes the arrays uncompressed, in order, without times, so equal arrays
/// give equal bytes; see writeOutputFile() for how the file appears. Types
/// that NumPy lacks are written as numeric::carrierType() says: bf16 as
/// float32, float8 and float4 as uint8 bit patterns, int4 and int2 as int8 ...
/// Takes no memory of the arrays' size but for such a type. Names that an
/// archive cannot hold apart are Code::Unsupported: a zero byte, what is no
/// UTF-8, more than 65531 bytes, the same name twice.
rt::Status writeNpz(const std::string &path,
                    const std::vector<NamedTensor> &tensors);

/// Writes `tensor` as a .npy file, in the types of writeNpz(); see
/// writeOutputFile().
rt::Status writeNpy(const std::string &path, const numeric::HostTensor &tensor,
                    bool isText = false);

} // namespace weft::npz

#endif // WEFT_TOOLS_NPZ_NPZ_H

//===- NpyHeader.h - the header of a NumPy array file -----------*- C++ -*-===//

#ifndef WEFT_TOOLS_NPZ_NPYHEADER_H
#define WEFT_TOOLS_NPZ_NPYHEADER_H

#include "runtime/numeric/HostTensor.h"
#include "runtime/status/Status.h"

#include <string>
#include <string_view>
#include <vector>

namespace weft::npz {

/// What stands before the elements of a .npy file (NEP 1, versions 1.0 to 3.0).
struct NpyHeader {
  numeric::ElementType type = numeric::ElementType::F32;
  std::vector<int64_t> shape;
  /// Elements lie in column-major order.
  bool fortranOrder = false;
  /// The highest byte of an element comes first.
  bool isBigEndian = false;
  /// Bytes before the first element.
  size_t headerBytes = 0;
  /// Number of elements; may be 0.
  int64_t elements = 0;
  /// Of strings the bytes of a character: 1 (NumPy's S) or 4 (U, UTF-32); else
  /// 0. Then `type` is U8 and `shape` has one axis more, of a string's bytes.
  unsigned characterBytes = 0;

  bool isText() const { return characterBytes != 0; }
};

/// What a file begins with.
constexpr std::string_view kNpyMagic = "\x93NUMPY";

/// Longest header that is read: NumPy writes 118 bytes for usual shapes.
constexpr size_t kMaxNpyHeaderBytes = 64 * 1024;

/// Parses the start of a file. `bytes` must hold the whole header (or
/// kMaxNpyHeaderBytes of it). Numbers of both byte orders, bool and strings are
/// read; bytes of types that NumPy lacks (|V1, |V2) are taken as u8 and u16;
/// other types are Code::Unsupported, anything malformed Code::BadFile.
rt::Result<NpyHeader> parseNpyHeader(std::string_view bytes);

/// A version 1.0 header whose length is a multiple of 64, as NumPy writes it.
/// std::nullopt if NumPy has no such element type (bf16 among them).
std::optional<std::string> makeNpyHeader(numeric::ElementType type,
                                         const std::vector<int64_t> &shape);

/// The same of strings of `characters` characters each, in `unit` bytes (1 or
/// 4) a character; `shape` is without them.
std::string makeTextHeader(unsigned unit, int64_t characters,
                           const std::vector<int64_t> &shape);

} // namespace weft::npz

#endif // WEFT_TOOLS_NPZ_NPYHEADER_H

//===- WireNumbers.h - reading numbers of a bmodel's tables -----*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_WIRENUMBERS_H
#define WEFT_RUNTIME_BMODEL_WIRENUMBERS_H

#include <cstdint>
#include <cstring>
#include <flatbuffers/flatbuffers.h>

namespace weft::rt {

/// Element `index` of a vector of 64-bit numbers. The flatbuffers verifier
/// checks the alignment of the vector's length only, so the elements of a
/// foreign file may begin at a multiple of 4 and are read byte by byte.
inline uint64_t numberAt(const flatbuffers::Vector<uint64_t> &vector,
                         unsigned index) {
  uint64_t number;
  std::memcpy(&number, vector.Data() + index * sizeof number, sizeof number);
  return number;
}

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_WIRENUMBERS_H

//===- Sha256.h - the check code of the weights -----------------*- C++ -*-===//

#ifndef WEFT_RUNTIME_BMODEL_SHA256_H
#define WEFT_RUNTIME_BMODEL_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace weft::rt {

/// SHA-256 (FIPS 180-4) of `size` bytes. Written here because the runtime
/// depends on flatbuffers only; a weight blob's digest is Weights.sha256.
std::array<uint8_t, 32> sha256(const uint8_t *bytes, size_t size);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_SHA256_H

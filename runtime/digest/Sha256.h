//===- Sha256.h - digests of weights, models and files ----------*- C++ -*-===//

#ifndef WEFT_RUNTIME_DIGEST_SHA256_H
#define WEFT_RUNTIME_DIGEST_SHA256_H

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace weft::rt {

using Digest = std::array<uint8_t, 32>;

/// SHA-256 (FIPS 180-4) of bytes that come in pieces. Written here because the
/// runtime depends on flatbuffers only; a weight blob's digest is
/// Weights.sha256.
class Sha256 {
public:
  void add(const uint8_t *bytes, size_t size);
  /// Of everything added; nothing may be added after it.
  Digest finish();

private:
  uint32_t state[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                       0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint8_t block[64] = {}; ///< what does not fill a block yet
  uint64_t total = 0;     ///< bytes added
};

/// The same of one piece.
Digest sha256(const uint8_t *bytes, size_t size);

/// Two lower-case digits for each of `size` bytes, as `sha256sum` prints them.
std::string hexText(const uint8_t *bytes, size_t size);

} // namespace weft::rt

#endif // WEFT_RUNTIME_DIGEST_SHA256_H

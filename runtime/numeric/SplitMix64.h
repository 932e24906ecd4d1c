/// Random numbers that are the same in every run: splitmix64 (Steele, Lea,
/// Flood: Fast splittable pseudorandom number generators, 2014).
#ifndef WEFT_RUNTIME_NUMERIC_SPLITMIX64_H
#define WEFT_RUNTIME_NUMERIC_SPLITMIX64_H

#include <cstdint>

namespace weft::numeric {

/// A hash of all bits; neighbours have nothing in common.
constexpr uint64_t mixBits(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

/// The next number of the sequence that any `state` begins.
constexpr uint64_t nextRandom(uint64_t &state) {
  return mixBits(state += 0x9e3779b97f4a7c15);
}

} // namespace weft::numeric

#endif

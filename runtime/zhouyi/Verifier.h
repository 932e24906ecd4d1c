//===- Verifier.h - the parts of verify() -----------------------*- C++ -*-===//
//
// Internal to the checks of programs: registers and buffers in
// BufferVerifier.cpp, instructions in ProgramVerifier.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ZHOUYI_VERIFIER_H
#define WEFT_RUNTIME_ZHOUYI_VERIFIER_H

#include "runtime/zhouyi/Program.h"

namespace weft::zhouyi {

/// Larger offsets and steps lie outside every memory; sums of a few stay far
/// from the end of 64 bits.
inline constexpr int64_t kMostStep = int64_t(kMaxMemoryBytes);

// For printf.
inline long long ll(int64_t value) { return static_cast<long long>(value); }
inline unsigned long long ull(uint64_t value) {
  return static_cast<unsigned long long>(value);
}

/// Lanes, types and the total of their bytes.
rt::Status checkRegisters(const Program &program);
/// Names, places, contents and values; that there is an output.
rt::Status checkBuffers(const Program &program);

} // namespace weft::zhouyi

#endif // WEFT_RUNTIME_ZHOUYI_VERIFIER_H

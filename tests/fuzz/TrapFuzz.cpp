//===- TrapFuzz.cpp - a target that fails on every input ------------------===//
//
// For the test that Replay.cpp names the input of a trap, as failed checks of
// targets are.
//
//===----------------------------------------------------------------------===//

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *, size_t) {
  __builtin_trap();
}

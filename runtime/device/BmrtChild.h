//===- BmrtChild.h - the side of BmrtDevice inside the child ----*- C++ -*-===//

#ifndef WEFT_RUNTIME_DEVICE_BMRTCHILD_H
#define WEFT_RUNTIME_DEVICE_BMRTCHILD_H

#include "runtime/bmodel/Bmodel.h"

namespace weft::rt {

/// Start of the shared memory; the tensors follow, each on a multiple of 64
/// bytes, inputs first (tensorOffsets).
struct BmrtShared {
  /// A Code; the child's answer to the last request.
  int32_t code;
  uint32_t reserved;
  double launchSeconds; ///< of the last run
  char message[496];
};

/// Offsets of the tensors in the shared memory and, last, its size.
std::vector<size_t> tensorOffsets(const StageSpec &stage);

/// What the parent writes to the socket. The child answers one byte to each.
constexpr char kBmrtRun = 'r';
constexpr char kBmrtQuit = 'q';

/// What the child is to do.
struct BmrtTask {
  const char *library;
  ByteSpan model;
  const NetSpec *net;
  const StageSpec *stage;
  uint8_t *shared;
  int channel;
};

/// Loads the model, answers, then serves requests until the parent quits. Ends
/// the process; never returns.
[[noreturn]] void serveBmrt(const BmrtTask &task);

} // namespace weft::rt

#endif // WEFT_RUNTIME_DEVICE_BMRTCHILD_H

//===- LiveValues.h - values while a kernel is recorded ---------*- C++ -*-===//

#ifndef WEFT_FRONTEND_PPL_LIVEVALUES_H
#define WEFT_FRONTEND_PPL_LIVEVALUES_H

#include "frontend/ppl/DeviceMemory.h"
#include "runtime/ppl/Interpreter.h"

#include <map>
#include <vector>

namespace weft::frontend {

/// Runs the calls of a kernel as they are recorded, so that who steps through
/// it sees what its tensors hold. Nothing is placed yet: every tensor has
/// memory of its own and keeps its values, also behind its last use. What
/// nothing has written is NaN of every float type, and all ones of integers:
/// zeros would look like values.
class LiveValues {
public:
  LiveValues(const Chip &chip, const DeviceMemory &memory);

  /// The memory that a tensor is of, as in catalog::Tensor::address.
  struct Root {
    uint64_t start, bytes; ///< local: of each lane
  };

  /// Runs a legal call; `roots` has one for each of its arguments, of those
  /// that are no tensors any.
  /// What fits into no memory fails with Code::OutOfMemory.
  rt::Status run(catalog::Call call, const std::vector<Root> &roots);
  rt::Result<catalog::Dense> read(catalog::Tensor tensor, const Root &root);

  /// A root, the first, and tensors in its memory before and after they got
  /// another layout.
  struct Relaid {
    std::vector<catalog::Tensor> before, after;
    Root rootBefore, rootAfter;
  };
  /// The root's elements go to their new places. Fails if another tensor in its
  /// memory, one of another shape, holds other values than before.
  rt::Status relay(const Relaid &relaid);

  /// 0x11 or 0x1A if a tensor was larger than local memory or L2 is.
  int memoryCode() const { return theMemoryCode; }

private:
  /// Where the machine holds a root while something runs.
  struct Place {
    catalog::Memory memory;
    uint64_t address, bytes;
  };
  void takeNewMemory();
  void makeRoom(const catalog::Call &call, const std::vector<Root> &roots);
  rt::Status checkSize(const catalog::Tensor &tensor, const Root &root);
  void place(catalog::Tensor &tensor, const Root &root);
  void moveIn(const Place &place, std::vector<uint8_t> &bytes);
  void moveOut();

  const DeviceMemory &memory;
  const Chip &chip;
  /// The chip with room for all operands of one call beside each other: in the
  /// program a result may lie in the place of a source.
  Chip roomy;
  catalog::Machine machine; ///< on `roomy`
  /// Of tensors without addresses, by the start of their roots: the bytes, lane
  /// by lane.
  std::map<uint64_t, std::vector<uint8_t>> kept;
  std::map<uint64_t, Place> placed; ///< those that the machine holds now
  uint64_t localEnd = 0, l2End = 0;
  int theMemoryCode = 0;
};

} // namespace weft::frontend

#endif // WEFT_FRONTEND_PPL_LIVEVALUES_H

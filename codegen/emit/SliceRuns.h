//===- SliceRuns.h - the steps of a group's slices, as loops ----*- C++ -*-===//
//
// A group of S slices runs in steps 0..S. Pipelined, step t loads slice t,
// computes slice t-1 and stores slice t-1, in this order: so the load of a
// slice is in the DMA queue before the store of its predecessor and overlaps
// its computation. Streamed, step t computes slice t-1 op by op, with loads of
// both slices and stores between the ops. Equal consecutive steps become one
// loop.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_CODEGEN_EMIT_SLICERUNS_H
#define WEFT_CODEGEN_EMIT_SLICERUNS_H

#include "dialects/tpu/GroupPlan.h"

namespace weft::emit {

/// A slice and what is new in it.
struct SliceState {
  int64_t number = 0;
  tpu::SlicePlan plan;
  std::vector<tpu::GroupBuffer> buffers;
  /// Per buffer: how often its contents have changed since slice 0. Loads
  /// happen where this grows; the parity selects the slot of a double buffer.
  std::vector<int64_t> versions;
  bool loads(const SliceState *previous, size_t buffer) const {
    return !previous || versions[buffer] != previous->versions[buffer];
  }
};

/// Everything emission knows about one group.
struct GroupSchedule {
  const Chip *chip = nullptr;
  tpu::GroupView view;
  tpu::Tiling tiling;
  std::vector<SliceState> slices;
  /// Per buffer, in the order of `enumerateBuffers`.
  std::vector<tpu::BufferAttr> places;
};

/// Steps [first, first + count) of the schedule; count > 1 is a loop.
struct StepRun {
  int64_t first = 0;
  int64_t count = 1;
};

/// Reads tiling and placement off `group`. std::nullopt (with an error) if
/// attributes are missing.
std::optional<GroupSchedule> scheduleGroup(const Chip &chip,
                                           tpu::GroupOp group);

/// True if `b` is `a` moved: same sizes, pads and relative positions.
bool sameShape(const GroupSchedule &schedule, const SliceState &a,
               const SliceState &b);

/// Cuts the steps 0..S into maximal runs of equal steps, each of which moves by
/// the same amount as the one before.
std::vector<StepRun> compressSteps(const GroupSchedule &schedule);

} // namespace weft::emit

#endif // WEFT_CODEGEN_EMIT_SLICERUNS_H

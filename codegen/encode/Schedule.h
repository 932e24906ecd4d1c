//===- Schedule.h - in which order commands are issued ----------*- C++ -*-===//

#ifndef WEFT_CODEGEN_ENCODE_SCHEDULE_H
#define WEFT_CODEGEN_ENCODE_SCHEDULE_H

#include "codegen/encode/Touched.h"

#include <optional>

namespace weft::codegen {

/// A command, or something that happens between commands and takes no time.
struct Task {
  std::optional<isa::Engine> engine;
  uint64_t cycles = 0;
  Touched touched;
};

/// In which order tasks are issued, and when the last of them ends.
struct Schedule {
  std::vector<size_t> order;
  uint64_t cycles = 0;
};

/// An order of `tasks` in which each still reads and overwrites what it does in
/// the order given. Of some the one that takes the least time: the order
/// given, list scheduling with the task first that has the longest path behind
/// it, or that was given first, and from the best of these on as long as it
/// gains list scheduling with the task first that begins first if time runs
/// backwards (forward-backward improvement). Each engine works through its
/// tasks one after the other. Deterministic.
Schedule bestSchedule(const std::vector<Task> &tasks);

} // namespace weft::codegen

#endif // WEFT_CODEGEN_ENCODE_SCHEDULE_H

//===- WorkBudget.h - how much work a bmodel may be -------------*- C++ -*-===//
//
// A command of 128 bytes can name 65535^4 elements by strides of 0. What no
// program of a compiler does is refused when the file is loaded; the bounds,
// and why honest programs stay far from them: docs/rationale/0022-work.md.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_BMODEL_WORKBUDGET_H
#define WEFT_RUNTIME_BMODEL_WORKBUDGET_H

#include "runtime/bmodel/bmodel_generated.h"
#include "runtime/chips/Chip.h"
#include "runtime/isa/Decode.h"
#include "runtime/status/Status.h"

namespace weft::rt {

/// Predicted cycles (runtime/cycles) that all commands of a stage may take
/// together: 275 s on a machine of 1 GHz.
inline constexpr uint64_t kMostStageCycles = uint64_t(1) << 38;
/// Commands that all stages of a file may have together.
inline constexpr uint64_t kMostFileCommands = uint64_t(1) << 26;

/// What is left for the commands of one stage.
class WorkBudget {
public:
  /// `dramBytes`: of the largest area of DRAM that the stage may write.
  WorkBudget(const Chip &chip, uint64_t dramBytes)
      : chip(chip), dramBytes(dramBytes) {}

  /// Takes the work of `command` away. Code::BadCommand, with the numbers, if
  /// not so much is left, or if the command writes more than the memory in
  /// which its result begins can hold.
  Status spend(const isa::Decoded &command);

private:
  Status checkGdmaResult(const isa::Decoded &command,
                         uint64_t movedBytes) const;

  const Chip &chip;
  uint64_t dramBytes;
  uint64_t spent = 0; ///< cycles
};

/// Code::BadFile if the groups of the file claim more than kMostFileCommands.
/// Groups may share their bytes, so a small file can claim any number.
Status checkCommandCounts(const wire::Model &model);

} // namespace weft::rt

#endif // WEFT_RUNTIME_BMODEL_WORKBUDGET_H

//===- Steps.h - a program laid out for running -----------------*- C++ -*-===//
//
// Internal to Machine: the nested blocks become one list in which loops are
// jumps, with sizes, places and kernels worked out.
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_RUNTIME_ZHOUYI_STEPS_H
#define WEFT_RUNTIME_ZHOUYI_STEPS_H

#include "runtime/zhouyi/Cast.h"
#include "runtime/zhouyi/Execute.h"
#include "runtime/zhouyi/Program.h"

#include <memory>

namespace weft::zhouyi {

/// The contents of a register.
struct Register {
  uint8_t *bytes = nullptr;
  uint8_t *defined = nullptr; ///< a byte a lane; valid unless `whole`
  bool whole = true;          ///< all lanes are defined
};

/// An address whose terms lie in StepList::terms.
struct Place {
  int64_t base = 0; ///< in the memory
  uint32_t firstTerm = 0, termCount = 0;
  int64_t low = 0, high = 0; ///< the bytes of its buffer
};

enum class StepCode : uint8_t {
  LoopBegin,
  LoopEnd,
  Load,       ///< unmasked, elements side by side
  LoadSplat,  ///< unmasked, one element in all lanes
  LoadLanes,  ///< any other
  Store,      ///< as Load
  StoreLanes, ///< any other
  TailMask,
  Constant,
  Reinterpret,
  Cast,
  Copy,
  Apply,
  Host,
};

struct Step {
  StepCode code = StepCode::LoopBegin;
  uint8_t elementBytes = 1;
  uint8_t depth = 0;  ///< of a loop
  uint32_t lanes = 0; ///< of the register named first
  uint32_t bytes = 0; ///< of it
  RegisterId result = kNoRegister;
  RegisterId source = kNoRegister;
  RegisterId mask = kNoRegister;
  /// Into StepList: constants, kernels, copies, hosts. A loop: the step of its
  /// other end.
  uint32_t index = 0;
  uint32_t count = 0; ///< of a loop
  int64_t stride = 0; ///< in bytes
  int64_t limit = 0;  ///< of a tail mask
  Place place;        ///< of a tail mask: its terms
  CastLanes cast = nullptr;
  /// For messages: the step of the loop around it and the number in its block.
  uint32_t parent = 0, number = 0;
};
/// Step::parent at the top.
inline constexpr uint32_t kTop = ~uint32_t(0);

/// A function that is ready to run.
struct PreparedApply {
  explicit PreparedApply(const catalog::Call &call) : kernel(call) {}

  Kernel kernel;
  /// A source of the kernel that a register gives.
  struct Input {
    unsigned source;
    RegisterId reg;
  };
  std::vector<Input> vectors; ///< as they are
  std::vector<Input> scalars; ///< of one lane, spread to all
  /// Room for the spread scalars, in their order.
  std::vector<std::vector<uint8_t>> spread;
  std::optional<unsigned> pointer; ///< the source that is memory
  Place memory;                    ///< of it
  RegisterId mask = kNoRegister;
  /// The result is also a source, and the kernel may not write there.
  bool needsRoom = false;
  /// All but what changes from run to run: see Machine::State::bind.
  Frame frame;
};

struct PreparedCopy {
  struct Move {
    RegisterId result, source;
    uint32_t bytes, lanes;
  };
  std::vector<Move> moves;
  bool isDirect = true; ///< no move reads what one before it writes
};

struct StepList {
  std::vector<Step> steps;
  /// Steps [top[i], top[i + 1]) are instruction i of Program::body.
  std::vector<uint32_t> top;
  std::vector<Term> terms;
  std::vector<std::vector<uint8_t>> constants; ///< all lanes
  std::vector<PreparedApply> applies;
  std::vector<PreparedCopy> copies;
  uint64_t copyRoomBytes = 0; ///< of the largest copy that is not direct
  std::vector<const host::Program *> hosts;
  uint64_t instructionsPerRun = 0;
};

/// `program` has passed verify() and outlives the list.
StepList layOut(const Program &program);

/// "instruction 3.0.2 (vadd) of node 'Add_4'" for a step.
std::string placeOf(const Program &program, const StepList &list,
                    const Step &step);

} // namespace weft::zhouyi

#endif // WEFT_RUNTIME_ZHOUYI_STEPS_H

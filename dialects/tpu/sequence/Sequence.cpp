//===- Sequence.cpp - element-wise functions as TIU commands --------------===//

#include "dialects/tpu/sequence/Sequence.h"

#include <algorithm>
#include <cassert>

using namespace weft;
using namespace weft::tpu;

unsigned weft::tpu::operandCount(Step::Code code) {
  switch (code) {
  case Step::Abs:
  case Step::Rsqrt:
  case Step::Polynomial:
  case Step::Round:
  case Step::ToInteger:
  case Step::ToReal:
  case Step::Widen:
  case Step::Fill:
  case Step::Narrow:
    return 1;
  case Step::Select:
    return 4;
  default:
    return 2;
  }
}

/// The arithmetic and logic of integers: reads and gives them.
static bool isInteger(Step::Code code) {
  switch (code) {
  case Step::And:
  case Step::Or:
  case Step::Xor:
  case Step::IntAdd:
  case Step::IntSub:
  case Step::IntMul:
  case Step::ShiftLogical:
  case Step::ShiftArith:
    return true;
  default:
    return false;
  }
}

bool weft::tpu::readsIntegers(const Step &step) {
  return isInteger(step.code) || step.code == Step::ToReal || step.readsInteger;
}

bool weft::tpu::givesInteger(Step::Code code) {
  return isInteger(code) || code == Step::ToInteger;
}

/// True if the result may take the place of an operand: the element commands
/// read an element before they write it. The special functions read theirs
/// several times.
static bool worksInPlace(Step::Code code) {
  return code != Step::Polynomial && code != Step::Rsqrt;
}

static bool isValue(const Step::Operand &operand) {
  return operand.kind == Step::Operand::Value;
}

/// Keeps the steps that the last one depends on, in their order.
static std::vector<Step> withoutUnread(const std::vector<Step> &steps) {
  std::vector<bool> isRead(steps.size());
  isRead.back() = true;
  for (size_t i = steps.size(); i-- > 0;)
    for (const Step::Operand &operand : steps[i].operands)
      if (isRead[i] && isValue(operand))
        isRead[operand.index] = true;
  std::vector<Step> kept;
  std::vector<uint32_t> renumbered(steps.size());
  for (size_t i = 0; i < steps.size(); ++i) {
    if (!isRead[i])
      continue;
    renumbered[i] = static_cast<uint32_t>(kept.size());
    kept.push_back(steps[i]);
    for (Step::Operand &operand : kept.back().operands)
      if (isValue(operand))
        operand.index = renumbered[operand.index];
  }
  return kept;
}

namespace {
/// Gives every step the first tile that is free when it runs. The result tile
/// counts as one if it is as wide as a tile.
class Places {
public:
  Places(std::vector<Step> &steps, bool usesResultTile)
      : steps(steps), lastReader(steps.size()) {
    for (size_t i = 0; i < steps.size(); ++i)
      for (const Step::Operand &operand : steps[i].operands)
        if (isValue(operand))
          lastReader[operand.index] = i;
    // The last step writes the result tile, so only a step that works in place
    // may find its operands there.
    if (usesResultTile && worksInPlace(steps.back().code))
      isFree.push_back(true);
    offset = static_cast<int>(isFree.size());
  }

  unsigned assign() {
    for (size_t i = 0; i < steps.size(); ++i) {
      // A tile that is free already before that of an operand: a command that
      // writes over its operand takes twice as long (docs/cycles.md).
      bool isAnyFree =
          std::find(isFree.begin(), isFree.end(), true) != isFree.end();
      bool inPlace = worksInPlace(steps[i].code) && !isAnyFree;
      if (inPlace)
        release(i);
      steps[i].place = i + 1 == steps.size() ? kResultTile : take();
      if (!inPlace)
        release(i);
    }
    return static_cast<unsigned>(isFree.size()) - offset;
  }

private:
  int take() {
    auto found = std::find(isFree.begin(), isFree.end(), true);
    if (found == isFree.end())
      found = isFree.insert(found, true);
    *found = false;
    return static_cast<int>(found - isFree.begin()) - offset;
  }
  /// Frees the tiles of operands that step `i` is the last one to read.
  void release(size_t i) {
    for (const Step::Operand &operand : steps[i].operands)
      if (isValue(operand) && lastReader[operand.index] == i)
        isFree[steps[operand.index].place + offset] = true;
  }

  std::vector<Step> &steps;
  std::vector<size_t> lastReader;
  std::vector<bool> isFree; ///< by place + offset
  int offset;
};
} // namespace

Sequence weft::tpu::finishSequence(std::vector<Step> steps,
                                   std::vector<float> table, Step::Operand last,
                                   bool isInteger, SequenceType result) {
  assert(isValue(last) && "a function is at least one command");
  steps.resize(last.index + 1); // what comes later cannot be read
  if (result == SequenceType::Other) {
    Step step;
    step.code = Step::Narrow;
    step.readsInteger = isInteger;
    step.operands[0] = last;
    steps.push_back(step);
  }
  Sequence sequence;
  sequence.steps = withoutUnread(steps);
  sequence.table = std::move(table);
  sequence.isHalf = result == SequenceType::Half;
  bool usesResultTile = result != SequenceType::Other;
  sequence.scratchTiles = Places(sequence.steps, usesResultTile).assign();
  return sequence;
}

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
  case Step::Scale:
    return 3;
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

static bool isScalar(const Step::Operand &operand) {
  return operand.kind == Step::Operand::Scalar;
}

static Step::Operand negated(Step::Operand scalar) {
  scalar.index ^= 0x80000000u;
  return scalar;
}

/// x * a + b, b - x * a and x * a - b are one command, which rounds as the two
/// do. Not with a sum of 0: the sign of a zero may be another.
static void joinScales(std::vector<Step> &steps) {
  std::vector<unsigned> readers(steps.size());
  for (const Step &step : steps)
    for (const Step::Operand &operand : step.operands)
      if (isValue(operand))
        ++readers[operand.index];
  for (Step &sum : steps) {
    if (sum.code != Step::Add && sum.code != Step::Sub)
      continue;
    unsigned at = isValue(sum.operands[0]) ? 0 : 1;
    const Step::Operand &term = sum.operands[at], &other = sum.operands[1 - at];
    if (!isValue(term) || readers[term.index] != 1 || !isScalar(other) ||
        (other.index & 0x7fffffffu) == 0)
      continue;
    const Step &product = steps[term.index];
    unsigned scalar = isScalar(product.operands[0]) ? 0 : 1;
    if (product.code != Step::Mul || !isScalar(product.operands[scalar]) ||
        isScalar(product.operands[1 - scalar]))
      continue;
    Step::Operand factor = product.operands[scalar], offset = other;
    if (sum.code == Step::Sub)
      (at == 0 ? offset : factor) = negated(at == 0 ? offset : factor);
    sum.code = Step::Scale;
    sum.operands[0] = product.operands[1 - scalar];
    sum.operands[1] = factor;
    sum.operands[2] = offset;
  }
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
  joinScales(steps);
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

//===- Machine.cpp - what runs the steps of a plan ------------------------===//

#include "passes/quantize/Machine.h"

#include "passes/tpu/ChipRefusal.h"
#include "passes/zhouyi/MachineRefusal.h"
#include "runtime/chips/Chips.h"

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

std::optional<Machine> Machine::find(StringRef target, const Chip &chip) {
  if (target.empty())
    return Machine(chip, /*isVectorMachine=*/false);
  if (!chips::findVectorTarget({target.data(), target.size()}))
    return std::nullopt;
  return Machine(chip, /*isVectorMachine=*/true);
}

std::optional<Refusal> Machine::refusalOf(Operation *step) const {
  return isVectorMachine ? zhouyi::refusalOf(step)
                         : tpu::refusalOf(step, *chip);
}

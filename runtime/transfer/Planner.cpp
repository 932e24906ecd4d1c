//===- Planner.cpp - the cheapest commands for a transfer -----------------===//

#include "runtime/chips/Chip.h"
#include "runtime/transfer/Forms.h"

#include <algorithm>

using namespace weft;
using namespace weft::transfer;
using cycles::DmaBox;
using cycles::DmaFunction;
using cycles::Evidence;

/// What a command costs beyond its price when plans are compared. The price is
/// of one engine's own time; a command more is fetched and waited for.
static constexpr uint64_t kCommandCycles = 16;

static DmaBox boxOf(const Four &shape, const Four &strides) {
  return {uint64_t(shape[0]),   uint64_t(shape[1]),   uint64_t(shape[2]),
          uint64_t(shape[3]),   uint64_t(strides[0]), uint64_t(strides[1]),
          uint64_t(strides[2]), uint64_t(strides[3])};
}

static cycles::Direction directionOf(const Transfer &transfer) {
  bool from = transfer.from.place.isLocal, to = transfer.to.place.isLocal;
  if (from)
    return to ? cycles::Direction::LocalToLocal
              : cycles::Direction::LocalToGlobal;
  return to ? cycles::Direction::GlobalToLocal
            : cycles::Direction::GlobalToGlobal;
}

static bool isMatrix(const Command &command) {
  return command.shape.function == DmaFunction::Matrix ||
         command.shape.function == DmaFunction::MatrixTranspose;
}

/// Sizes and strides of one side fit their fields.
static bool fitsFields(const DmaBox &box, const Chip &chip) {
  for (uint64_t size : {box.n, box.c, box.h, box.w})
    if (size < 1 || size > chip.maxShape)
      return false;
  for (uint64_t stride : {box.nStride, box.cStride, box.hStride, box.wStride})
    if (stride > UINT32_MAX)
      return false;
  return true;
}

bool transfer::isLegal(const Command &command, const Chip &chip) {
  const DmaBox &from = command.shape.from, &to = command.shape.to;
  if (!fitsFields(from, chip) || !fitsFields(to, chip))
    return false;
  if (isMatrix(command))
    return true;
  for (const DmaBox *box : {&from, &to})
    if (box->wStride < 1 ||
        box->wStride * command.shape.elementBytes > chip.maxDmaStepBytes)
      return false;
  // A result whose elements lie on each other is no copy.
  return (to.n == 1 || to.nStride) && (to.h == 1 || to.hStride) &&
         (to.c == 1 || to.cStride || command.to.isLocal);
}

Plan transfer::plainPlan(const Transfer &transfer, const Chip &chip) {
  Command command;
  command.shape = {DmaFunction::Copy, directionOf(transfer),
                   transfer.elementBytes,
                   boxOf(transfer.shape, transfer.from.strides),
                   boxOf(transfer.shape, transfer.to.strides)};
  command.from = transfer.from.place;
  command.to = transfer.to.place;
  return {{command},
          cycles::dmaCycles(command.shape, chip),
          cycles::dmaEvidence(command.shape)};
}

namespace {
/// Keeps the cheapest plan that it is shown.
class Choice {
public:
  Choice(Plan plain, const Chip &chip) : best(std::move(plain)), chip(chip) {
    hasPlan = isLegal(best.commands.front(), chip);
  }

  void consider(std::vector<Command> commands) {
    Plan plan{std::move(commands), 0, Evidence::Measured};
    if (plan.commands.empty() || plan.commands.size() > Planner::kMostCommands)
      return;
    for (const Command &command : plan.commands) {
      if (!isLegal(command, chip))
        return;
      plan.cycles += cycles::dmaCycles(command.shape, chip);
      plan.evidence =
          std::max(plan.evidence, cycles::dmaEvidence(command.shape));
    }
    if (plan.evidence == Evidence::Kin || (hasPlan && !isBetter(plan)))
      return;
    best = std::move(plan);
    hasPlan = true;
  }

  Plan best;

private:
  bool isBetter(const Plan &plan) const {
    // Fewer commands may not make it dearer than what it replaces.
    if (plan.cycles > best.cycles)
      return false;
    uint64_t now = weigh(plan), before = weigh(best);
    if (plan.evidence > best.evidence)
      return now * 2 < before;
    if (plan.evidence < best.evidence)
      return now < before * 2;
    return now < before;
  }

  static uint64_t weigh(const Plan &plan) {
    return plan.cycles + kCommandCycles * plan.commands.size();
  }

  const Chip &chip;
  bool hasPlan;
};
} // namespace

static Plan search(const Transfer &transfer, const Chip &chip) {
  Choice choice(plainPlan(transfer, chip), chip);
  std::optional<Axes> axes = axesOf(transfer);
  Visit visit = [&](std::vector<Command> commands) {
    choice.consider(std::move(commands));
  };
  while (axes) {
    eachMatrixForm(*axes, chip, visit);
    eachTensorForm(*axes, chip, visit);
    // Wider elements cost the same; they only let more into one command.
    if (choice.best.commands.size() == 1)
      break;
    axes = widened(*axes);
  }
  return choice.best;
}

Plan Planner::plan(const Transfer &transfer) {
  const Side &from = transfer.from, &to = transfer.to;
  // Addresses matter only in what they are multiples of.
  Key key{transfer.elementBytes,
          from.place.isLocal | int(to.place.isLocal) << 1 |
              from.place.address % 4 << 2 | to.place.address % 4 << 4,
          from.place.lane, to.place.lane};
  auto next = key.begin() + 4;
  for (const Four *four : {&transfer.shape, &from.strides, &to.strides})
    next = std::copy(four->begin(), four->end(), next);
  auto [entry, isNew] = known.try_emplace(key);
  if (isNew) {
    Transfer relative = transfer;
    relative.from.place.address %= 4;
    relative.to.place.address %= 4;
    entry->second = search(relative, chip);
  }
  Plan plan = entry->second;
  for (Command &command : plan.commands) {
    command.from.address += from.place.address - from.place.address % 4;
    command.to.address += to.place.address - to.place.address % 4;
  }
  return plan;
}

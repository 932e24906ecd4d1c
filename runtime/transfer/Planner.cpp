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
  if (command.shape.isMatrix())
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
          cycles::dmaEvidence(command.shape, chip)};
}

namespace {
/// Keeps the cheapest plan that it is shown, for each kind of evidence.
class Choice {
public:
  explicit Choice(const Chip &chip) : chip(chip) {}

  void consider(std::vector<Command> commands) {
    Plan plan{std::move(commands), 0, Evidence::Measured};
    if (plan.isEmpty() || plan.commands.size() > Planner::kMostCommands)
      return;
    for (const Command &command : plan.commands) {
      if (!isLegal(command, chip))
        return;
      plan.cycles += cycles::dmaCycles(command.shape, chip);
      plan.evidence =
          std::max(plan.evidence, cycles::dmaEvidence(command.shape, chip));
    }
    Plan &rival = best[size_t(plan.evidence)];
    if (rival.isEmpty() || weigh(plan) < weigh(rival))
      rival = std::move(plan);
  }

  /// The plain command is taken whatever speaks for it, if nothing else is
  /// there.
  Plan take(Plan plain) {
    bool isPlainLegal = isLegal(plain.commands.front(), chip);
    Plan &measured = best[size_t(Evidence::Measured)],
         &probed = best[size_t(Evidence::Probed)];
    if (probed.isEmpty() && measured.isEmpty())
      return isPlainLegal ? std::move(plain) : Plan();
    bool isProbed =
        measured.isEmpty() ||
        (!probed.isEmpty() && priceOf(probed).beats(priceOf(measured)));
    return std::move(isProbed ? probed : measured);
  }

  /// Whether one command with the best evidence does it all.
  bool isSingle() const {
    return best[size_t(Evidence::Measured)].commands.size() == 1;
  }

private:
  static uint64_t weigh(const Plan &plan) {
    return plan.cycles + kCommandCycles * (plan.commands.size() - 1);
  }
  static Price priceOf(const Plan &plan) {
    return {weigh(plan), plan.evidence};
  }

  const Chip &chip;
  std::array<Plan, size_t(Evidence::Kin) + 1> best;
};
} // namespace

/// Whether the local side of a matrix command lies in its lanes with the whole
/// step of its last row, as the engine's rules want it.
static bool fitsLanes(const Command &command, const Chip &chip) {
  if (!command.shape.isMatrix())
    return true;
  bool isLoad = command.to.isLocal;
  const DmaBox &box = isLoad ? command.shape.to : command.shape.from;
  const Place &place = isLoad ? command.to : command.from;
  return uint64_t(place.address) +
             box.n * box.nStride * command.shape.elementBytes <=
         chip.laneBytes;
}

static Plan search(const Transfer &transfer, bool mayBeMatrix,
                   const Chip &chip) {
  Choice choice(chip);
  Plan plain = plainPlan(transfer, chip);
  choice.consider(plain.commands); // first: it wins where nothing is cheaper
  std::optional<Axes> axes = axesOf(transfer);
  Visit visit = [&](std::vector<Command> commands) {
    choice.consider(std::move(commands));
  };
  while (axes) {
    if (mayBeMatrix)
      eachMatrixForm(*axes, chip, visit);
    eachTensorForm(*axes, chip, visit);
    // Wider elements cost the same; they only let more into one command.
    if (choice.isSingle())
      break;
    axes = widened(*axes);
  }
  return choice.take(std::move(plain));
}

Plan Planner::plan(const Transfer &transfer) {
  Plan plan = planOf(transfer, /*mayBeMatrix=*/true);
  auto fits = [&](const Command &command) { return fitsLanes(command, chip); };
  if (!std::all_of(plan.commands.begin(), plan.commands.end(), fits))
    plan = planOf(transfer, /*mayBeMatrix=*/false);
  return plan;
}

Plan Planner::planOf(const Transfer &transfer, bool mayBeMatrix) {
  const Side &from = transfer.from, &to = transfer.to;
  // Addresses matter only in what they are multiples of.
  Key key{transfer.elementBytes,
          from.place.isLocal | int(to.place.isLocal) << 1 |
              from.place.address % 4 << 2 | to.place.address % 4 << 4 |
              int(mayBeMatrix) << 6,
          from.place.lane, to.place.lane};
  auto next = key.begin() + 4;
  for (const Four *four : {&transfer.shape, &from.strides, &to.strides})
    next = std::copy(four->begin(), four->end(), next);
  auto [entry, isNew] = known.try_emplace(key);
  if (isNew) {
    Transfer relative = transfer;
    relative.from.place.address %= 4;
    relative.to.place.address %= 4;
    entry->second = search(relative, mayBeMatrix, chip);
  }
  Plan plan = entry->second;
  for (Command &command : plan.commands) {
    command.from.address += from.place.address - from.place.address % 4;
    command.to.address += to.place.address - to.place.address % 4;
  }
  return plan;
}

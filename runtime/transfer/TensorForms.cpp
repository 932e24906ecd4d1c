//===- TensorForms.cpp - transfers as tensor commands ---------------------===//

#include "runtime/chips/Alignment.h"
#include "runtime/chips/Chip.h"
#include "runtime/transfer/Forms.h"

#include <algorithm>

using namespace weft;
using namespace weft::transfer;

/// Slots of a tensor command.
enum Slot : unsigned { kN, kC, kH, kW };

bool transfer::fitLengths(std::vector<Axis> &axes, int64_t limit) {
  for (size_t i = 0; i < axes.size(); ++i) {
    Axis axis = axes[i];
    if (axis.size <= limit)
      continue;
    int64_t inner = largestDivisor(axis.size, limit);
    if (inner == 1 || axis.size / inner > limit)
      return false;
    axes[i].size = inner;
    axes.insert(axes.begin() + i,
                {axis.size / inner, axis.from * inner, axis.to * inner});
    ++i;
  }
  return true;
}

/// The command with these axes in its slots. An axis of one element has the
/// stride that makes its neighbours dense: the cost of a command counts it.
static Command commandOf(const Axes &axes, const std::array<Axis, 4> &slots,
                         cycles::Direction direction) {
  auto boxOf = [&](int64_t Axis::*stride) {
    cycles::DmaBox box;
    box.n = slots[kN].size, box.c = slots[kC].size;
    box.h = slots[kH].size, box.w = slots[kW].size;
    box.wStride = box.w == 1 ? 1 : slots[kW].*stride;
    box.hStride = box.h == 1 ? box.w : slots[kH].*stride;
    box.cStride = box.c == 1 ? box.h * box.hStride : slots[kC].*stride;
    box.nStride = box.n == 1 ? box.c * box.cStride : slots[kN].*stride;
    return box;
  };
  Command command;
  command.shape = {cycles::DmaFunction::Copy, direction, axes.elementBytes,
                   boxOf(&Axis::from), boxOf(&Axis::to)};
  command.from = axes.from;
  command.to = axes.to;
  return command;
}

namespace {
/// Gives the axes to the free slots in every order.
class SlotSearch {
public:
  SlotSearch(const Axes &axes, const Chip &chip, const Visit &visit)
      : axes(axes), chip(chip), visit(visit) {
    isLocal = axes.from.isLocal || axes.to.isLocal;
    direction = axes.isLoad()    ? cycles::Direction::GlobalToLocal
                : axes.isStore() ? cycles::Direction::LocalToGlobal
                                 : cycles::Direction::GlobalToGlobal;
  }

  void run() {
    inside = axes.axes;
    if (!fitLengths(inside, chip.maxShape))
      return;
    // More axes than slots: a command for each step along the shortest.
    while (inside.size() > (isLocal ? 3u : 4u)) {
      auto shortest = std::min_element(
          inside.begin(), inside.end(),
          [](const Axis &a, const Axis &b) { return a.size < b.size; });
      walked.push_back(*shortest);
      inside.erase(shortest);
    }
    int64_t count = 1;
    for (const Axis &axis : walked)
      count *= axis.size;
    if (count > int64_t(Planner::kMostCommands))
      return;
    slots[kC] = axes.channel;
    place(0, isLocal ? 1u << kC : 0);
  }

private:
  void place(size_t next, unsigned used) {
    if (next == inside.size()) {
      emit();
      return;
    }
    for (unsigned slot = 0; slot < 4; ++slot) {
      if (used >> slot & 1)
        continue;
      slots[slot] = inside[next];
      place(next + 1, used | 1u << slot);
      slots[slot] = Axis();
    }
  }

  void emit() {
    std::vector<Command> commands;
    walk(0, 0, 0, commands);
    visit(std::move(commands));
  }

  void walk(size_t depth, int64_t from, int64_t to,
            std::vector<Command> &commands) {
    if (depth == walked.size()) {
      commands.push_back(commandOf(axes, slots, direction));
      commands.back().from.address += from * axes.elementBytes;
      commands.back().to.address += to * axes.elementBytes;
      return;
    }
    for (int64_t i = 0; i < walked[depth].size; ++i)
      walk(depth + 1, from + i * walked[depth].from, to + i * walked[depth].to,
           commands);
  }

  const Axes &axes;
  const Chip &chip;
  const Visit &visit;
  bool isLocal;
  cycles::Direction direction;
  std::vector<Axis> inside, walked;
  std::array<Axis, 4> slots{};
};
} // namespace

void transfer::eachTensorForm(const Axes &axes, const Chip &chip,
                              const Visit &visit) {
  SlotSearch(axes, chip, visit).run();
}

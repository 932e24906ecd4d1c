#include "RandomTransfers.h"

#include "runtime/chips/Chips.h"

#include <algorithm>
#include <numeric>

using namespace weft;
using namespace weft::transfer;

namespace {
using Random = std::mt19937;

int64_t draw(Random &random, int64_t low, int64_t high) {
  return std::uniform_int_distribution<int64_t>(low, high)(random);
}

bool happens(Random &random, int percent) {
  return draw(random, 1, 100) <= percent;
}

int64_t drawSize(Random &random) {
  switch (draw(random, 0, 5)) {
  case 0:
  case 1:
    return 1;
  case 2:
    return draw(random, 2, 5);
  case 3:
    return draw(random, 1, 12) * 4;
  case 4:
    return draw(random, 1, 90);
  default:
    return 1 << draw(random, 1, 8);
  }
}

/// Strides of a tensor whose axes lie in a random order, mostly the usual one,
/// here and there with a gap. Gives the elements from the first to the last.
int64_t drawStrides(Random &random, const Four &shape, Four &strides) {
  std::array<unsigned, 4> order{3, 2, 1, 0}; // innermost first
  if (happens(random, 40))
    std::shuffle(order.begin(), order.end(), random);
  int64_t step = happens(random, 15) ? draw(random, 2, 4) : 1;
  for (unsigned axis : order) {
    strides[axis] = step;
    step *= shape[axis];
    if (happens(random, 15))
      step += draw(random, 1, 9) * (happens(random, 50) ? 4 : 1);
  }
  return step;
}

/// The same in a lane, where channels lie a round of lanes apart.
int64_t drawLocal(Random &random, const Four &shape, Side &side) {
  const Chip &chip = chips::bm1684x;
  side.place.isLocal = true;
  side.place.lane = happens(random, 70) ? 0 : draw(random, 0, chip.lanes - 1);
  Four inLane = shape;
  inLane[1] = (side.place.lane + shape[1] + chip.lanes - 1) / chip.lanes;
  return drawStrides(random, inLane, side.strides);
}

bool place(Random &random, Side &side, int64_t elements, int64_t bytes,
           int64_t begin, int64_t room) {
  int64_t free = room / bytes - elements;
  if (free < 0)
    return false;
  side.place.address =
      begin + draw(random, 0, std::min<int64_t>(free, 64)) * bytes;
  return true;
}

bool drawSides(Random &random, Transfer &transfer, int64_t kind) {
  int64_t bytes = transfer.elementBytes, half = kGlobalRoom / 2;
  Side &local = kind == 0 ? transfer.to : transfer.from;
  Side &flat = kind == 0 ? transfer.from : transfer.to;
  if (kind < 2)
    return place(random, local, drawLocal(random, transfer.shape, local), bytes,
                 0, kLaneRoom) &&
           place(random, flat,
                 drawStrides(random, transfer.shape, flat.strides), bytes,
                 kGlobalBegin, kGlobalRoom);
  return place(random, transfer.from,
               drawStrides(random, transfer.shape, transfer.from.strides),
               bytes, kGlobalBegin, half) &&
         place(random, transfer.to,
               drawStrides(random, transfer.shape, transfer.to.strides), bytes,
               kGlobalBegin + half, half);
}
} // namespace

Transfer transfer::randomTransfer(Random &random) {
  for (;;) {
    Transfer transfer;
    transfer.elementBytes = 1u << draw(random, 0, 2);
    for (int64_t &size : transfer.shape)
      size = drawSize(random);
    if (!drawSides(random, transfer, draw(random, 0, 2)))
      continue;
    // A source that is repeated along an axis that is not innermost.
    if (!transfer.from.place.isLocal && happens(random, 10))
      transfer.from.strides[draw(random, 0, 2)] = 0;
    return transfer;
  }
}

std::string transfer::describe(const Transfer &transfer) {
  std::string text = std::to_string(transfer.elementBytes) + "-byte";
  auto add = [&](const char *what, const Four &four) {
    text += std::string(" ") + what;
    for (int64_t value : four)
      text += ' ' + std::to_string(value);
  };
  auto addSide = [&](const char *what, const Side &side) {
    add(what, side.strides);
    text += side.place.isLocal ? " lane " + std::to_string(side.place.lane)
                               : " dram";
    text += " at " + std::to_string(side.place.address);
  };
  add("shape", transfer.shape);
  addSide("from", transfer.from);
  addSide("to", transfer.to);
  return text;
}

//===- GroupPlacement.cpp - local memory of a group -----------------------===//

#include "passes/tpu/GroupPlacement.h"

#include "runtime/chips/Alignment.h"
#include "runtime/chips/Chip.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// The slices to look at: all of them, or the few that differ.
static std::vector<Dims> slicesToLookAt(const Dims &counts, bool exact) {
  std::array<SmallVector<int64_t>, 4> perAxis;
  for (unsigned axis = 0; axis < 4; ++axis) {
    int64_t count = counts[axis];
    SmallVector<int64_t> picks;
    if (exact || count <= 3)
      for (int64_t i = 0; i < count; ++i)
        picks.push_back(i);
    else
      picks = {0, 1, count / 2, count - 1};
    perAxis[axis] = picks;
  }
  std::vector<Dims> slices;
  for (int64_t n : perAxis[0])
    for (int64_t c : perAxis[1])
      for (int64_t h : perAxis[2])
        for (int64_t w : perAxis[3])
          slices.push_back({n, c, h, w});
  return slices;
}

/// Adds one slice to the footprint. `previous` is the plan of the slice looked
/// at before, null for the first. False if it has other buffers than that.
static bool addSlice(const Chip &chip, const GroupView &view,
                     const SlicePlan &slice, const SlicePlan *previous,
                     GroupFootprint &total) {
  std::vector<GroupBuffer> buffers = enumerateBuffers(chip, view, slice);
  if (!previous) {
    total.buffers = buffers;
    total.changes.assign(buffers.size(), false);
  }
  auto isAlike = [](const GroupBuffer &a, const GroupBuffer &b) {
    return a.kind == b.kind && a.owner == b.owner;
  };
  if (previous && !llvm::equal(buffers, total.buffers, isAlike))
    return false;
  for (size_t i = 0; i < buffers.size(); ++i) {
    const GroupBuffer &buffer = buffers[i];
    if (buffer.isLoaded()) {
      bool same = previous &&
                  buffer.tensor.dims == total.buffers[i].tensor.dims &&
                  buffer.firstChannel == total.buffers[i].firstChannel;
      // A room that others share turns with every slice.
      if (buffer.kind == GroupBuffer::Input && previous)
        same = slice.tiles[buffer.owner] == previous->tiles[buffer.owner] &&
               !view.places[buffer.owner].isShared;
      if (!same)
        total.loadedBytes += buffer.storedBytes();
      if (previous && !same)
        total.changes[i] = true;
      total.buffers[i].firstChannel = buffer.firstChannel;
      total.buffers[i].tensor = buffer.tensor;
    }
    total.buffers[i].bytes = std::max(total.buffers[i].bytes, buffer.bytes);
  }
  for (auto [i, output] : llvm::enumerate(view.outputs)) {
    if (!view.stored[i])
      continue;
    Type element =
        cast<RankedTensorType>(view.value(output).getType()).getElementType();
    total.storedBytes += slice.stores[i].elements() * elementBits(element) / 8;
  }
  for (size_t i = 0; i < view.ops.size(); ++i)
    total.computed += slice.tiles[view.resultOf(i)].elements();
  return true;
}

/// Commands count up to `maxShape` elements along an axis.
static bool isCountable(const Chip &chip, const SlicePlan &slice) {
  return llvm::all_of(slice.tiles, [&](const Box &tile) {
    return llvm::all_of(tile.size, [&](int64_t size) {
      return size <= int64_t(chip.maxShape);
    });
  });
}

std::optional<GroupFootprint> weft::tpu::measureGroup(const Chip &chip,
                                                      const GroupView &view,
                                                      const Dims &counts,
                                                      bool exact) {
  GroupFootprint total;
  std::optional<SlicePlan> previous;
  std::vector<Dims> slices = slicesToLookAt(counts, exact);
  for (const Dims &index : slices) {
    std::optional<SlicePlan> slice = planSlice(chip, view, counts, index);
    if (!slice || !isCountable(chip, *slice))
      return std::nullopt;
    if (!addSlice(chip, view, *slice, previous ? &*previous : nullptr, total))
      return std::nullopt;
    previous = std::move(slice);
  }
  for (const GroupBuffer &buffer : total.buffers)
    if (buffer.bytes > static_cast<int64_t>(chip.laneBytes))
      return std::nullopt;
  for (size_t i = 0; i < view.ops.size(); ++i)
    total.wholeElements += product(dimsOf(view.value(view.resultOf(i))));
  int64_t count = product(counts);
  if (int64_t seen = static_cast<int64_t>(slices.size()); seen < count) {
    // What is held is loaded once however many slices there are.
    int64_t held = 0;
    for (size_t i = 0; i < total.buffers.size(); ++i)
      if (!total.changes[i] && total.buffers[i].isLoaded())
        held += total.buffers[i].storedBytes();
    total.loadedBytes = held + (total.loadedBytes - held) * count / seen;
    total.storedBytes = total.storedBytes * count / seen;
    total.computed = total.computed * count / seen;
  }
  return total;
}

/// First and last op that uses each value (-1: none).
static std::vector<std::pair<int64_t, int64_t>>
valueUses(const GroupView &view) {
  std::vector<std::pair<int64_t, int64_t>> uses(view.valueCount(), {-1, -1});
  for (size_t i = 0; i < view.ops.size(); ++i)
    for (int operand : view.ops[i].operands)
      if (operand >= 0) {
        if (uses[operand].first < 0)
          uses[operand].first = i;
        uses[operand].second = i;
      }
  return uses;
}

/// The value whose room `buffer` is, or that lies in it; -1 if it is of an op.
static int valueOf(const GroupView &view, const GroupBuffer &buffer) {
  if (buffer.kind == GroupBuffer::Input)
    return buffer.owner;
  return buffer.kind == GroupBuffer::Result ? view.resultOf(buffer.owner) : -1;
}

/// Per buffer the one that it lies in, often itself.
static std::vector<size_t> homesOf(const GroupView &view,
                                   ArrayRef<GroupBuffer> buffers) {
  std::vector<size_t> bufferOf(view.valueCount()), homes(buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i)
    if (int value = valueOf(view, buffers[i]); value >= 0)
      bufferOf[value] = i;
  for (size_t i = 0; i < buffers.size(); ++i) {
    int value = valueOf(view, buffers[i]);
    homes[i] = value < 0 ? i : bufferOf[view.places[value].home];
  }
  return homes;
}

std::vector<LiveRange> weft::tpu::liveRanges(const GroupView &view,
                                             const GroupFootprint &footprint,
                                             const Tiling &tiling,
                                             int64_t storing) {
  bool isPipelined = tiling.isPipelined();
  auto uses = valueUses(view);
  int64_t end = static_cast<int64_t>(view.ops.size()) - 1;
  std::vector<size_t> homes = homesOf(view, footprint.buffers);
  std::vector<bool> turns(footprint.buffers.size()); // rooms with two slots
  llvm::DenseSet<int> outputs, handed;
  for (auto [i, output] : llvm::enumerate(view.outputs)) {
    if (view.stored[i])
      outputs.insert(output);
    if (view.handed[i])
      handed.insert(output);
  }
  std::vector<LiveRange> ranges;
  ranges.reserve(footprint.buffers.size());
  for (size_t i = 0; i < footprint.buffers.size(); ++i) {
    const GroupBuffer &buffer = footprint.buffers[i];
    LiveRange range{buffer.bytes, buffer.owner, buffer.owner};
    switch (buffer.kind) {
    case GroupBuffer::Input:
      range.address = view.keptAt[buffer.owner];
      range.first =
          range.address ? 0 : std::max<int64_t>(0, uses[buffer.owner].first);
      range.last = uses[buffer.owner].second;
      break;
    case GroupBuffer::Result:
      range.last = std::max<int64_t>(buffer.owner,
                                     uses[view.resultOf(buffer.owner)].second);
      if (tiling.slices() == 1 && handed.contains(view.resultOf(buffer.owner)))
        range.last = end;
      break;
    case GroupBuffer::Whole:
      range.first = 0;
      range.last = end;
      break;
    case GroupBuffer::Constant:
    case GroupBuffer::Scratch:
    case GroupBuffer::OperandCopy:
      break;
    }
    bool stored = buffer.kind == GroupBuffer::Result &&
                  outputs.contains(view.resultOf(buffer.owner));
    if (stored && !isPipelined) {
      int64_t last = std::max(range.last, range.first + storing);
      if (last > end && tiling.slices() > 1)
        range.first = 0;
      range.last = std::min(end, last);
    }
    if (isPipelined && (buffer.isLoaded() || stored)) {
      range.first = 0;
      range.last = end;
      if (stored || footprint.changes[i])
        turns[homes[i]] = true;
    }
    ranges.push_back(range);
  }
  for (size_t i = 0; i < ranges.size(); ++i) {
    if (turns[i])
      ranges[i].bytes *= 2;
    // A room lives as long as all that lie in it.
    LiveRange &home = ranges[homes[i]];
    home.first = std::min(home.first, ranges[i].first);
    home.last = std::max(home.last, ranges[i].last);
  }
  return ranges;
}

/// The rooms that loads fill, in the order in which ops want them.
static std::vector<size_t> loadedRooms(ArrayRef<GroupBuffer> buffers,
                                       ArrayRef<size_t> homes,
                                       ArrayRef<LiveRange> ranges) {
  std::vector<size_t> rooms;
  llvm::DenseSet<size_t> seen;
  for (auto [i, buffer] : llvm::enumerate(buffers))
    if (buffer.isLoaded() && seen.insert(homes[i]).second)
      rooms.push_back(homes[i]);
  llvm::stable_sort(rooms, [&](size_t a, size_t b) {
    return ranges[a].first < ranges[b].first;
  });
  return rooms;
}

/// Those of `rooms` that all slices can share in `room` bytes: the smallest
/// first, so that most transfers are saved.
static llvm::DenseSet<size_t> heldRooms(const GroupView &view,
                                        const GroupFootprint &footprint,
                                        std::vector<size_t> rooms,
                                        int64_t room) {
  const std::vector<GroupBuffer> &buffers = footprint.buffers;
  llvm::erase_if(rooms, [&](size_t i) {
    int value = valueOf(view, buffers[i]);
    return !buffers[i].isLoaded() || footprint.changes[i] ||
           (value >= 0 && view.places[value].isShared);
  });
  llvm::stable_sort(rooms, [&](size_t a, size_t b) {
    return buffers[a].bytes < buffers[b].bytes;
  });
  llvm::DenseSet<size_t> held;
  for (size_t i : rooms)
    if ((room -= buffers[i].bytes) >= 0)
      held.insert(i);
    else
      break;
  return held;
}

namespace {
/// Looks for addresses of the buffers of one group.
class GroupAllocation {
public:
  GroupAllocation(const Chip &chip, const GroupView &view, const Tiling &tiling,
                  PlacementOrder order, const GroupFootprint &footprint)
      : chip(chip), view(view), tiling(tiling), order(order),
        footprint(footprint), homes(homesOf(view, footprint.buffers)) {}

  std::optional<std::vector<BufferPlace>> run();

private:
  bool allocateHolding(int64_t room);
  bool allocateStoring(int64_t steps, int64_t room);
  std::vector<int64_t> loadSteps() const;

  const Chip &chip;
  const GroupView &view;
  const Tiling &tiling;
  const PlacementOrder order;
  const GroupFootprint &footprint;
  std::vector<size_t> homes; ///< per buffer
  std::vector<LiveRange> ranges;
  std::vector<size_t> loads; ///< rooms, in the order in which ops want them
  llvm::DenseSet<size_t> held;
  std::vector<int64_t> addresses;
};
} // namespace

/// With `room` bytes for what is held, and what is stored living `steps` steps
/// longer.
bool GroupAllocation::allocateStoring(int64_t steps, int64_t room) {
  ranges = liveRanges(view, footprint, tiling, steps);
  int64_t begin = 0;
  for (auto [buffer, range] : llvm::zip_equal(footprint.buffers, ranges))
    if (buffer.kind == GroupBuffer::Whole && order.wholesFirst) {
      range.address = begin;
      begin = alignUp<int64_t>(begin + buffer.bytes, chip.euBytes);
    }
  int64_t capacity = chip.laneBytes, alignment = chip.euBytes;
  std::optional<std::vector<int64_t>> found;
  if (tiling.isPipelined()) {
    found = allocate(ranges, capacity, alignment);
  } else {
    int64_t period = view.ops.size();
    loads = loadedRooms(footprint.buffers, homes, ranges);
    held = heldRooms(view, footprint, loads, room);
    for (size_t i : held)
      ranges[i] = {ranges[i].bytes, 0, period - 1};
    std::vector<size_t> moving;
    llvm::copy_if(loads, std::back_inserter(moving),
                  [&](size_t i) { return !held.contains(i); });
    if (order.largestLoadFirst)
      llvm::stable_sort(moving, [&](size_t a, size_t b) {
        return ranges[a].bytes > ranges[b].bytes;
      });
    found = allocateAhead(ranges, moving, tiling.slices() > 1 ? period : 0,
                          capacity, alignment);
  }
  if (found)
    addresses = std::move(*found);
  return found.has_value();
}

bool GroupAllocation::allocateHolding(int64_t room) {
  // Ops need not wait for stores whose tensors nothing overwrites soon.
  for (int64_t steps = order.storesAtOnce ? 0 : view.ops.size();
       !allocateStoring(steps, room); steps /= 2)
    if (tiling.isPipelined() || steps == 0)
      return false;
  return true;
}

/// Per buffer, the step of its load: when its room is free, but what is held
/// not before what is wanted earlier.
std::vector<int64_t> GroupAllocation::loadSteps() const {
  std::vector<int64_t> steps(ranges.size());
  if (tiling.isPipelined())
    return steps;
  for (size_t i = 0; i < ranges.size(); ++i)
    steps[i] = ranges[homes[i]].first;
  int64_t latest = 0;
  for (size_t i : loads)
    if (held.contains(i))
      steps[i] = latest;
    else
      latest = std::max(latest, steps[i]);
  return steps;
}

std::optional<std::vector<BufferPlace>> GroupAllocation::run() {
  int64_t room = 0;
  if (tiling.slices() > 1 && !tiling.isPipelined())
    room = std::max<int64_t>(
        0, int64_t(chip.laneBytes) -
               peakBytes(liveRanges(view, footprint, tiling, /*storing=*/0)));
  while (!allocateHolding(room)) {
    if (room == 0)
      return std::nullopt;
    room /= 2;
  }
  std::vector<int64_t> steps = loadSteps();
  std::vector<BufferPlace> places;
  for (size_t i = 0; i < ranges.size(); ++i) {
    int64_t bytes = footprint.buffers[i].bytes;
    places.push_back({addresses[i], bytes, ranges[i].bytes == bytes ? 0 : bytes,
                      steps[i], held.contains(i)});
  }
  for (auto [i, home] : llvm::enumerate(homes)) {
    places[i].local = places[home].local;
    places[i].rotate = places[home].rotate;
  }
  return places;
}

std::optional<std::vector<BufferPlace>>
weft::tpu::placeGroup(const Chip &chip, const GroupView &view,
                      const Tiling &tiling, PlacementOrder order) {
  std::optional<GroupFootprint> footprint =
      measureGroup(chip, view, tiling.counts, /*exact=*/true);
  if (!footprint)
    return std::nullopt;
  return placeGroup(chip, view, tiling, *footprint, order);
}

std::optional<std::vector<BufferPlace>>
weft::tpu::placeGroup(const Chip &chip, const GroupView &view,
                      const Tiling &tiling, const GroupFootprint &footprint,
                      PlacementOrder order) {
  return GroupAllocation(chip, view, tiling, order, footprint).run();
}

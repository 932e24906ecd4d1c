//===- GroupBorder.cpp - why groups end where they do ---------------------===//

#include "passes/tpu/GroupBorder.h"

#include "dialects/tpu/Constant.h"
#include "dialects/tpu/Host.h"
#include "dialects/tpu/Move.h"
#include "runtime/chips/Chip.h"

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

/// The cheapest price that the search had for the ops from the begin of
/// `choice` to `end`.
static std::optional<int64_t> weighedCost(const GroupChoice &choice,
                                          size_t end) {
  std::optional<int64_t> least;
  for (const WeighedGroup &group : choice.weighed)
    if (group.end == end && (!least || group.price.weight() < *least))
      least = group.price.weight();
  return least;
}

/// Bytes that a lane needs at the fullest step.
static std::optional<int64_t> fullestStep(const Chip &chip,
                                          const GroupView &view,
                                          const GroupFootprint *measured,
                                          const Tiling &tiling) {
  GroupFootprint first;
  if (!measured) { // because one of these is longer than a lane
    auto slice = planSlice(chip, view, tiling.counts, {0, 0, 0, 0});
    if (!slice)
      return std::nullopt;
    first.buffers = enumerateBuffers(chip, view, *slice);
    first.changes.assign(first.buffers.size(), false);
  }
  return peakBytes(
      liveRanges(view, measured ? *measured : first, tiling, /*storing=*/0));
}

/// Why `ops`, which could be one group under `tiling` without the last of them,
/// cannot.
static CauseAttr causeOfStop(const Chip &chip, ArrayRef<Operation *> ops,
                             const Tiling &tiling,
                             const GroupSearchOptions &options) {
  Operation *last = ops.back();
  auto count = static_cast<int64_t>(ops.size());
  auto capacity = static_cast<int64_t>(chip.laneBytes);
  if (count > options.maxOps)
    return causeAt(last, rt::Cause::Ops, count, options.maxOps);
  GroupView view = viewOps(chip, ops);
  if (view.places.empty())
    return causeAt(last, rt::Cause::Lanes);
  int64_t mostSliced = std::max(options.maxSlicedOps, options.maxOverlapOps());
  if (count > mostSliced && !tiling.isStreamed)
    return causeAt(last, rt::Cause::SlicedOps, count, mostSliced);
  auto footprint = measureGroup(chip, view, tiling.counts, /*exact=*/false);
  auto bytes =
      fullestStep(chip, view, footprint ? &*footprint : nullptr, tiling);
  if (bytes && *bytes > capacity)
    return causeAt(last, rt::Cause::Memory, *bytes, capacity);
  if (footprint && footprint->computed > 2 * footprint->wholeElements)
    return causeAt(last, rt::Cause::Halo, footprint->computed,
                   footprint->wholeElements);
  return causeAt(last, rt::Cause::Slices);
}

/// Why two neighbours in `run` are not one group. If the search had no price
/// for both as one, the reason is the first op up to which it had none.
static CauseAttr causeBetween(const Chip &chip, ArrayRef<Operation *> run,
                              const GroupChoice &first,
                              const GroupChoice &second,
                              const GroupSearchOptions &options) {
  if (auto joined = weighedCost(first, second.end)) {
    auto before = weighedCost(first, first.end),
         behind = weighedCost(second, second.end);
    // The search would have joined them: cut later, when they were placed.
    if (!before || !behind || *joined < *before + *behind)
      return causeAt(run[second.begin], rt::Cause::Addresses);
    return causeAt(run[second.begin], rt::Cause::Cost, *joined,
                   *before + *behind);
  }
  size_t end = first.end;
  Tiling tiling = first.tiling;
  for (const WeighedGroup &group : first.weighed)
    if (group.end > end && group.end < second.end) {
      end = group.end;
      tiling = group.tiling;
    }
  return causeOfStop(chip, run.slice(first.begin, end + 1 - first.begin),
                     tiling, options);
}

/// Whether `op` ends no group: constants, and the shapes of outputs, which are
/// addresses.
static bool isNoWork(Operation *op) {
  return llvm::isa<WeightOp, HostConstantOp>(op) ||
         (llvm::isa<ReshapeOp>(op) &&
          llvm::all_of(op->getUsers(), [](Operation *user) {
            return user->hasTrait<OpTrait::IsTerminator>();
          }));
}

/// What reads `op` alone and has no form for groups, or null.
static Operation *readerInDram(Operation *op) {
  if (!llvm::isa<ReshapeOp>(op) || !op->hasOneUse())
    return nullptr;
  Operation *reader = *op->user_begin();
  return asTileable(reader) || reader->hasTrait<OpTrait::IsTerminator>()
             ? nullptr
             : reader;
}

/// Of the op behind the last of `run`.
static CauseAttr causeBehind(ArrayRef<Operation *> run) {
  Operation *next = run.back()->getNextNode();
  while (next && isNoWork(next))
    next = next->getNextNode();
  if (!next || next->hasTrait<OpTrait::IsTerminator>())
    return {};
  if (next->hasAttr(kBeginsGroupAttr))
    return causeAt(next, rt::Cause::Program);
  // A shape that an op in DRAM asks for is not in the way, that op is.
  while (Operation *reader = readerInDram(next))
    next = reader;
  return causeInDram(next);
}

std::vector<CauseAttr> weft::tpu::bordersOf(const Chip &chip,
                                            ArrayRef<Operation *> run,
                                            ArrayRef<GroupChoice> choices,
                                            const GroupSearchOptions &options) {
  std::vector<CauseAttr> borders;
  for (size_t i = 0; i + 1 < choices.size(); ++i)
    borders.push_back(
        causeBetween(chip, run, choices[i], choices[i + 1], options));
  borders.push_back(causeBehind(run));
  return borders;
}

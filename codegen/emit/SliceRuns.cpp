//===- SliceRuns.cpp - the steps of a group's slices, as loops ------------===//

#include "codegen/emit/SliceRuns.h"

#include "dialects/tpu/ArrangeParts.h"
#include "runtime/chips/Chip.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;
using namespace weft::tpu;

/// Fills the placement of every buffer from the attributes of the group and its
/// ops.
static bool collectPlaces(GroupOp group, GroupSchedule &schedule) {
  auto fail = [](Operation *op) {
    op->emitError("has no local addresses; run tpu-place-local and "
                  "tpu-place-global first");
    return false;
  };
  std::vector<size_t> next(schedule.view.ops.size(), 0);
  for (const GroupBuffer &buffer : schedule.slices.front().buffers) {
    bool isInput = buffer.kind == GroupBuffer::Input;
    Operation *owner =
        isInput ? group.getOperation() : schedule.view.ops[buffer.owner].op;
    ArrayAttr places =
        isInput ? group.getBuffersAttr()
                : owner->getAttrOfType<ArrayAttr>(GroupOp::kBuffersAttr);
    size_t index = isInput ? buffer.owner : next[buffer.owner]++;
    if (!places || index >= places.size() ||
        !llvm::isa<BufferAttr>(places[index]))
      return fail(owner);
    schedule.places.push_back(llvm::cast<BufferAttr>(places[index]));
  }
  return true;
}

/// Version counts of `slice` after `previous`.
static std::vector<int64_t> nextVersions(const GroupView &view,
                                         const SliceState &previous,
                                         const SliceState &slice) {
  std::vector<int64_t> versions = previous.versions;
  for (size_t i = 0; i < versions.size(); ++i) {
    const GroupBuffer &now = slice.buffers[i], &before = previous.buffers[i];
    switch (now.kind) {
    case GroupBuffer::Input:
      versions[i] +=
          view.places[now.owner].isShared ||
          slice.plan.tiles[now.owner] != previous.plan.tiles[now.owner];
      break;
    case GroupBuffer::Constant:
      versions[i] += now.firstChannel != before.firstChannel ||
                     now.tensor.dims != before.tensor.dims;
      break;
    default:
      ++versions[i]; // results are new in every slice
    }
  }
  return versions;
}

std::optional<GroupSchedule> weft::emit::scheduleGroup(const Chip &chip,
                                                       GroupOp group) {
  GroupSchedule schedule;
  schedule.chip = &chip;
  schedule.view = viewGroup(chip, group);
  schedule.tiling = group.tilingOrWhole();
  const Dims &counts = schedule.tiling.counts;
  int64_t total = schedule.tiling.slices();
  for (int64_t number = 0; number < total; ++number) {
    auto plan =
        planSlice(chip, schedule.view, counts, sliceIndex(counts, number));
    if (!plan) {
      group.emitError("slice ")
          << number << " of the tiling is empty; use fewer slices";
      return std::nullopt;
    }
    SliceState slice;
    slice.number = number;
    slice.plan = std::move(*plan);
    slice.buffers = enumerateBuffers(chip, schedule.view, slice.plan);
    if (number == 0)
      slice.versions.assign(slice.buffers.size(), 0);
    else
      slice.versions =
          nextVersions(schedule.view, schedule.slices.back(), slice);
    schedule.slices.push_back(std::move(slice));
  }
  if (!collectPlaces(group, schedule))
    return std::nullopt;
  return schedule;
}

/// Where `inner` starts inside `outer`.
static Dims relative(const Box &outer, const Box &inner) {
  Dims difference;
  for (unsigned axis = 0; axis < 4; ++axis)
    difference[axis] = inner.offset[axis] - outer.offset[axis];
  return difference;
}

/// Whether transfers of bands move the same parts of both tiles, of the same
/// bands: only then do the places in DRAM move as the tiles do.
static bool sameBands(BandsAttr bands, Value inBands, const Box &a,
                      const Box &b, bool onlyOwn) {
  int64_t channels = dimsOf(inBands)[kAxisC] / bands.getCount();
  auto partsA = bandPartsOf(bands, channels, a, onlyOwn),
       partsB = bandPartsOf(bands, channels, b, onlyOwn);
  if (partsA.size() != partsB.size())
    return false;
  for (auto [partA, partB] : llvm::zip(partsA, partsB))
    if (partA.inBands.size != partB.inBands.size ||
        relative(a, partA.inBands) != relative(b, partB.inBands) ||
        relative(partA.inBands, partA.inImage) !=
            relative(partB.inBands, partB.inImage))
      return false;
  return true;
}

/// The same of loads of phases.
static bool samePhases(RowPhasesOp phases, const Box &a, const Box &b) {
  auto partsA = partsOf(phases, a), partsB = partsOf(phases, b);
  if (partsA.size() != partsB.size())
    return false;
  for (auto [partA, partB] : llvm::zip(partsA, partsB))
    if (partA.inPhases.size != partB.inPhases.size ||
        relative(a, partA.inPhases) != relative(b, partB.inPhases) ||
        relative(partA.inPhases, partA.inRows) !=
            relative(partB.inPhases, partB.inRows))
      return false;
  return true;
}

/// Whether transfers of arranged rows move the same parts of both tiles, of the
/// same pieces.
static bool sameArranged(ArrangeOp arrange, bool isLoad, const Box &a,
                         const Box &b) {
  auto partsA = partsIn(arrange, isLoad, a),
       partsB = partsIn(arrange, isLoad, b);
  if (partsA.size() != partsB.size())
    return false;
  for (auto [partA, partB] : llvm::zip(partsA, partsB))
    if (partA.piece != partB.piece ||
        partA.inLanes.size != partB.inLanes.size ||
        relative(a, partA.inLanes) != relative(b, partB.inLanes))
      return false;
  return true;
}

bool weft::emit::sameShape(const GroupSchedule &schedule, const SliceState &a,
                           const SliceState &b) {
  const GroupView &view = schedule.view;
  for (size_t i = 0; i < view.valueCount(); ++i)
    if (a.plan.tiles[i].size != b.plan.tiles[i].size)
      return false;
  for (auto [i, move] : llvm::enumerate(view.loadMoves)) {
    if (auto load = dyn_cast_or_null<ToBandsOp>(move);
        load && !sameBands(load.getBands(), load.getOutput(), a.plan.tiles[i],
                           b.plan.tiles[i], /*onlyOwn=*/false))
      return false;
    if (auto phases = dyn_cast_or_null<RowPhasesOp>(move);
        phases && !samePhases(phases, a.plan.tiles[i], b.plan.tiles[i]))
      return false;
    if (auto arrange = dyn_cast_or_null<ArrangeOp>(move);
        arrange && !sameArranged(arrange, /*isLoad=*/true, a.plan.tiles[i],
                                 b.plan.tiles[i]))
      return false;
  }
  for (auto [i, move] : llvm::enumerate(view.storeMoves)) {
    if (auto store = dyn_cast_or_null<FromBandsOp>(move);
        store && !sameBands(store.getBands(), store.getInput(),
                            a.plan.stores[i], b.plan.stores[i],
                            /*onlyOwn=*/true))
      return false;
    if (auto arrange = dyn_cast_or_null<ArrangeOp>(move);
        arrange && !sameArranged(arrange, /*isLoad=*/false, a.plan.stores[i],
                                 b.plan.stores[i]))
      return false;
  }
  for (size_t i = 0; i < view.outputs.size(); ++i) {
    const Box &tileA = a.plan.tiles[view.outputs[i]],
              &tileB = b.plan.tiles[view.outputs[i]];
    if (a.plan.stores[i].size != b.plan.stores[i].size ||
        relative(tileA, a.plan.stores[i]) != relative(tileB, b.plan.stores[i]))
      return false;
  }
  for (size_t i = 0; i < view.ops.size(); ++i) {
    TilingInterface tiling = view.ops[i].tiling;
    const Box &resultA = a.plan.tiles[view.resultOf(i)],
              &resultB = b.plan.tiles[view.resultOf(i)];
    if (resultA.offset[kAxisC] != resultB.offset[kAxisC] &&
        tiling.differsByChannel())
      return false;
    if (auto bands = view.ops[i].op->getAttrOfType<BandsAttr>(kBandsAttr);
        bands && view.ops[i].op->hasAttr(kValueAttr) &&
        !sameBands(bands, view.ops[i].op->getResult(0), resultA, resultB,
                   /*onlyOwn=*/true)) // as it is observed
      return false;
    if (resultA != resultB &&
        (tiling.dependsOnRows(resultA) || tiling.dependsOnRows(resultB)))
      return false;
    for (auto [number, operand] : llvm::enumerate(view.ops[i].operands)) {
      if (operand < 0)
        continue;
      InputNeed needA = tiling.inputNeed(number, resultA);
      InputNeed needB = tiling.inputNeed(number, resultB);
      if (needA.pads != needB.pads || needA.box.size != needB.box.size ||
          relative(a.plan.tiles[operand], needA.box) !=
              relative(b.plan.tiles[operand], needB.box))
        return false;
    }
  }
  return true;
}

/// True if slices a, b, c move alike: b - a equals c - b for every tile, store,
/// version and first channel.
static bool sameMove(const SliceState &a, const SliceState &b,
                     const SliceState &c) {
  auto boxes = [](const std::vector<Box> &x, const std::vector<Box> &y,
                  const std::vector<Box> &z) {
    for (size_t i = 0; i < x.size(); ++i)
      if (relative(x[i], y[i]) != relative(y[i], z[i]))
        return false;
    return true;
  };
  auto stores = [](const SliceState &s) {
    return std::vector<Box>(s.plan.stores.begin(), s.plan.stores.end());
  };
  if (!boxes(a.plan.tiles, b.plan.tiles, c.plan.tiles) ||
      !boxes(stores(a), stores(b), stores(c)))
    return false;
  for (size_t i = 0; i < a.versions.size(); ++i)
    if (b.versions[i] - a.versions[i] != c.versions[i] - b.versions[i] ||
        b.buffers[i].firstChannel - a.buffers[i].firstChannel !=
            c.buffers[i].firstChannel - b.buffers[i].firstChannel)
      return false;
  return true;
}

/// Addresses in a loop only grow; a slice that steps back (a new row of w
/// slices) starts a new run.
static bool movesForward(const SliceState &a, const SliceState &b) {
  for (size_t i = 0; i < a.plan.tiles.size(); ++i)
    for (unsigned axis = 0; axis < 4; ++axis)
      if (b.plan.tiles[i].offset[axis] < a.plan.tiles[i].offset[axis])
        return false;
  return true;
}

std::vector<StepRun> weft::emit::compressSteps(const GroupSchedule &schedule) {
  const std::vector<SliceState> &slices = schedule.slices;
  int64_t total = static_cast<int64_t>(slices.size());
  std::vector<bool> follows(total, false); // slice s is slice s-1 moved forward
  for (int64_t s = 1; s < total; ++s)
    follows[s] = sameShape(schedule, slices[s - 1], slices[s]) &&
                 movesForward(slices[s - 1], slices[s]);
  std::vector<StepRun> runs;
  for (int64_t step = 0; step <= total;) {
    int64_t end = step + 1;
    // Steps 0 and S lack a part; a full step t touches slices t-2 (what slice
    // t-1 found loaded), t-1 and t.
    while (step > 1 && end < total && follows[end - 2] && follows[end - 1] &&
           follows[end] &&
           sameMove(slices[end - 2], slices[end - 1], slices[end]) &&
           (end - 3 < 0 || step < 2 ||
            sameMove(slices[end - 3], slices[end - 2], slices[end - 1])))
      ++end;
    runs.push_back({step, end - step});
    step = end;
  }
  return runs;
}

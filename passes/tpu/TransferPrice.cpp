//===- TransferPrice.cpp - what loads and stores cost ---------------------===//

#include "passes/tpu/TransferPrice.h"

#include "dialects/tpu/CopyPrice.h"
#include "runtime/chips/Alignment.h"
#include "runtime/chips/Chip.h"

using namespace weft;
using namespace weft::tpu;

TransferPrice::TransferPrice(const Chip &chip)
    : chip(chip), planner(std::make_unique<transfer::Planner>(chip)) {}

TransferPrice::~TransferPrice() = default;

int64_t TransferPrice::cycles(const LocalTensor &tensor, const Dims &steps,
                              bool isLoad) {
  const Dims &dims = tensor.dims;
  int64_t bytes = tensor.bits / 8;
  if (steps[kAxisW] * bytes > chip.maxDmaStepBytes)
    return cycles::kMostCycles;
  int64_t lanes = chip.lanes, rounds = (dims[kAxisC] + lanes - 1) / lanes,
          channel = channelBytes(chip, tensor) / bytes,
          line =
              tensor.layout == LocalLayout::LineAligned
                  ? alignUp<int64_t>(dims[kAxisW] * bytes, chip.euBytes) / bytes
                  : dims[kAxisW];
  transfer::Side local, dram;
  local.place.isLocal = true;
  local.strides = {rounds * channel, channel, line, 1};
  dram.strides = steps;
  transfer::Plan plan = planner->plan(
      {unsigned(bytes), dims, isLoad ? dram : local, isLoad ? local : dram});
  return plan.isEmpty() ? int64_t(cycles::kMostCycles) : int64_t(plan.cycles);
}

int64_t TransferPrice::copyCycles(const StridedCopy &copy, unsigned bits,
                                  int64_t elements, unsigned resultBits) {
  std::vector<int64_t> key{copy.source, copy.result, bits, resultBits,
                           elements};
  for (const CopyAxis &axis : copy.axes)
    key.insert(key.end(), {axis.size, axis.from, axis.to});
  auto [known, isNew] = copies.try_emplace(std::move(key), 0);
  if (!isNew)
    return known->second;
  transfer::ElementSizes sizes(bits / 8, resultBits / 8);
  transfer::Price direct =
      sizes.operand == sizes.result
          ? directPrice(*planner, chip, sizes.operand, copy, {})
          : kNoWay;
  auto staged = transfer::stagePiece(*planner, chip, sizes,
                                     stagedPiece(copy, 0, elements, {}));
  known->second = std::min(direct.cycles,
                           staged ? staged->price.cycles : cycles::kMostCycles);
  return known->second;
}

//===- CopyPrice.cpp - what a copy within DRAM costs ----------------------===//

#include "dialects/tpu/CopyPrice.h"

using namespace weft;
using namespace weft::tpu;

transfer::Price weft::tpu::directPrice(transfer::Planner &planner,
                                       const Chip &chip, unsigned elementBytes,
                                       const StridedCopy &copy,
                                       const CopyAddresses &addresses) {
  if (copyCommands(chip, elementBytes, copy) > kMaxCopyCommands)
    return kNoWay;
  transfer::Price price;
  eachCopyCommand(chip, elementBytes, copy, [&](const StridedCopy &part) {
    transfer::Transfer move;
    move.elementBytes = elementBytes;
    for (unsigned i = 0; i < 4; ++i) {
      move.shape[i] = part.axes[i].size;
      move.from.strides[i] = part.axes[i].from;
      move.to.strides[i] = part.axes[i].to;
    }
    move.from.place.address = addresses.source + part.source * elementBytes;
    move.to.place.address = addresses.result + part.result * elementBytes;
    transfer::Plan plan = planner.plan(move);
    price.cycles += plan.isEmpty() ? cycles::kMostCycles : plan.cycles;
    price.evidence = std::max(price.evidence, plan.evidence);
  });
  return price.cycles < cycles::kMostCycles ? price : kNoWay;
}

transfer::Piece weft::tpu::stagedPiece(const StridedCopy &copy,
                                       unsigned operand,
                                       int64_t operandElements,
                                       const CopyAddresses &addresses) {
  transfer::Piece piece{operand,
                        operandElements,
                        addresses.source,
                        addresses.result,
                        copy.source,
                        copy.result,
                        {}};
  for (const CopyAxis &axis : copy.axes)
    piece.axes.push_back({axis.size, axis.from, axis.to});
  return piece;
}

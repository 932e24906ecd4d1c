//===- ArrangePrice.h - what transfers of arranged rows cost ----*- C++ -*-===//

#ifndef WEFT_PASSES_TPU_ARRANGEPRICE_H
#define WEFT_PASSES_TPU_ARRANGEPRICE_H

#include "dialects/tpu/ArrangeParts.h"
#include "passes/tpu/TransferPrice.h"

#include <tuple>

namespace weft::tpu {

/// Prices of loads and stores that arrange rows, piece by piece.
class ArrangePrice {
public:
  explicit ArrangePrice(TransferPrice &transfers) : transfers(transfers) {}

  /// Cycles of the first `tile` of the tensor in the lanes; cycles::kMostCycles
  /// where no command moves a piece. `op` has transferParts.
  int64_t cycles(ArrangeOp op, bool isLoad, const Dims &tile);
  /// Cycles by which the transfer of the whole tensor, tile by tile, gets
  /// longer.
  int64_t extra(ArrangeOp op, bool isLoad, const Dims &tile);

  /// Cycles of the copies within DRAM; kMostCycles if no command does one.
  int64_t inDram(ArrangeOp op);

private:
  TransferPrice &transfers;
  /// By pieces, type of the tensor in the lanes and tile: the search for groups
  /// asks again and again.
  std::map<std::tuple<const void *, const void *, bool, Dims>, int64_t> known;
};

} // namespace weft::tpu

#endif // WEFT_PASSES_TPU_ARRANGEPRICE_H

//===- Dma.cpp - functions of PPL as commands -----------------------------===//

#include "dialects/ppl/Dma.h"
#include "passes/ppl/Expansion.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

template <class Copy>
static LogicalResult expandCopy(Expansion &e) {
  e.create<Copy>(e.tensor("dst"), e.tensor("src"), Transpose::None);
  return success();
}

ArrayRef<ExpandRow> weft::ppl::dmaExpansions() {
  static constexpr ExpandRow rows[] = {
      {"dma.load", expandCopy<DmaLoadOp>},
      {"dma.store", expandCopy<DmaStoreOp>},
      {"dma.move", expandCopy<DmaMoveOp>},
  };
  return rows;
}

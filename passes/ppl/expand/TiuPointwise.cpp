//===- TiuPointwise.cpp - functions of PPL as commands --------------------===//

#include "dialects/ppl/TiuArith.h"
#include "passes/ppl/Expansion.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

template <FloatKind kind>
static LogicalResult expandFloat(Expansion &e) {
  TensorViewType dst = e.type("dst");
  e.create<FloatOp>(kind, e.tensor("dst"), e.operand("src0", dst),
                    e.operand("src1", dst), 3);
  return success();
}

ArrayRef<ExpandRow> weft::ppl::tiuPointwiseExpansions() {
  static constexpr ExpandRow rows[] = {
      {"tiu.fadd", expandFloat<FloatKind::Add>},
      {"tiu.fsub", expandFloat<FloatKind::Sub>},
      {"tiu.fmul", expandFloat<FloatKind::Mul>},
  };
  return rows;
}

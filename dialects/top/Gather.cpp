//===- Gather.cpp - top ops of the Gather family --------------------------===//

#include "dialects/top/Gather.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace weft::top;
using namespace weft;

#define WEFT_REGISTER TopDialect::registerGather
#define WEFT_OPS "dialects/top/Gather.cpp.inc"
#include "dialects/OpDefinitions.inc"

/// True if `indices` are lists of integers for the `table`.
static bool areLists(RankedTensorType table, RankedTensorType indices) {
  return table && indices && table.getRank() == 3 && indices.getRank() == 2 &&
         (indices.getDimSize(0) == table.getDimSize(0) ||
          indices.getDimSize(0) == 1) &&
         isa<IntegerType>(indices.getElementType()) &&
         !indices.getElementType().isInteger(1);
}

FailureOr<RankedTensorType>
GatherOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  auto table = dyn_cast<RankedTensorType>(adaptor.getTable().getType());
  auto indices = dyn_cast<RankedTensorType>(adaptor.getIndices().getType());
  if (!areLists(table, indices)) // (C1)
    return emitOptionalError(
        location, "rows of ", adaptor.getTable().getType(), " named by ",
        adaptor.getIndices().getType(),
        "; tables are B x R x W, lists B x K or 1 x K of integers");
  return table.clone(
      {table.getDimSize(0), indices.getDimSize(1), table.getDimSize(2)});
}

FailureOr<RankedTensorType>
ScatterOp::resultTypeOf(Adaptor adaptor, std::optional<Location> location) {
  auto base = dyn_cast<RankedTensorType>(adaptor.getBase().getType());
  auto indices = dyn_cast<RankedTensorType>(adaptor.getIndices().getType());
  auto updates = dyn_cast<RankedTensorType>(adaptor.getUpdates().getType());
  bool fits = areLists(base, indices) && updates && updates.getRank() == 3 &&
              updates.getDimSize(0) == base.getDimSize(0) &&
              updates.getDimSize(1) == indices.getDimSize(1) &&
              updates.getDimSize(2) == base.getDimSize(2);
  if (!fits || updates.getElementType() != base.getElementType()) // (C1) (C2)
    return emitOptionalError(
        location, "rows of ", adaptor.getBase().getType(), " named by ",
        adaptor.getIndices().getType(), " replaced by ",
        adaptor.getUpdates().getType(),
        "; tables are B x R x W, lists B x K or 1 x K of integers, new rows B "
        "x K x W of the element type of the tables");
  StringRef reduction = adaptor.getReduction();
  if (!llvm::is_contained({"none", "add", "mul", "min", "max"},
                          reduction)) // (C3)
    return emitOptionalError(location, "reduction is '", reduction,
                             "', must be none, add, mul, min or max");
  return base;
}

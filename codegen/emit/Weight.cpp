//===- Weight.cpp - constants of a program --------------------------------===//

#include "codegen/emit/Weight.h"

#include "dialects/ConstantBlobs.h"
#include "dialects/ppl/Net.h"

#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using namespace weft;
using namespace weft::emit;

int64_t weft::emit::addWeight(OpBuilder &builder, Location loc, int64_t address,
                              PackedBytes bytes) {
  int64_t size = static_cast<int64_t>(bytes.size());
  auto type = RankedTensorType::get(
      {size}, IntegerType::get(builder.getContext(), 8, IntegerType::Unsigned));
  std::string name = "w" + llvm::utohexstr(address, /*LowerCase=*/true);
  auto value = DenseResourceElementsAttr::get(
      type, name, blobOf(std::move(bytes), alignof(std::max_align_t)));
  builder.create<ppl::WeightOp>(loc, name, address, value);
  return address + size;
}

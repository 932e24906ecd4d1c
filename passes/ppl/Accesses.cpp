//===- Accesses.cpp - what functions and commands touch ------------------===//

#include "passes/ppl/Accesses.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

Value weft::ppl::rootOf(Value tensor) {
  while (auto view = tensor.getDefiningOp<ViewOp>())
    tensor = view.getSource();
  return tensor;
}

SmallVector<AllocOp> weft::ppl::sharedTensorsOf(NetOp net) {
  SmallVector<AllocOp> tensors;
  net.getBody().walk([&](AllocOp alloc) {
    if (alloc.getTensor().getType().isL2())
      tensors.push_back(alloc);
  });
  return tensors;
}

catalog::Access weft::ppl::accessOf(const FunctionOp &function,
                                    const catalog::Slot &slot) {
  if (slot.access != catalog::Access::ReadWrite ||
      !function.function().slot("result_add"))
    return slot.access;
  auto adds = dyn_cast_or_null<IntegerAttr>(function.number("result_add"));
  return adds && !adds.getValue().isZero() ? slot.access
                                           : catalog::Access::Write;
}

SmallVector<TensorAccess> weft::ppl::accessesOf(const FunctionOp &function) {
  SmallVector<TensorAccess> accesses;
  for (const catalog::Slot &slot : function.function().slots) {
    Value tensor = function.tensor({slot.name.data(), slot.name.size()});
    if (!tensor)
      continue;
    TensorAccess access{tensor, rootOf(tensor)};
    catalog::Access kind = accessOf(function, slot);
    access.reads = kind != catalog::Access::Write;
    access.writes = slot.access != catalog::Access::Read;
    auto type = cast<TensorViewType>(tensor.getType()),
         rootType = cast<TensorViewType>(access.root.getType());
    access.coversRoot =
        kind == catalog::Access::Write &&
        type.getNumElements() * elementBytesOf(type) ==
            rootType.getNumElements() * elementBytesOf(rootType);
    accesses.push_back(access);
  }
  return accesses;
}

bool weft::ppl::mayOverlap(Value a, Value b, const Chip &chip) {
  auto typeA = cast<TensorViewType>(a.getType()),
       typeB = cast<TensorViewType>(b.getType());
  if (typeA.getMemory() != typeB.getMemory())
    return false;
  bool haveOneRoot = rootOf(a) == rootOf(b);
  if (haveOneRoot && typeA.isLocal())
    return true;
  // Not placed yet: apart, or parts of one root wherever that will lie.
  std::optional<uint64_t> root;
  if (haveOneRoot)
    root = 0;
  catalog::Tensor x = describe(a, chip, root), y = describe(b, chip, root);
  if (!x.address || !y.address)
    return haveOneRoot;
  return catalog::shareBytes(x, y, chip) != catalog::Sharing::Apart;
}

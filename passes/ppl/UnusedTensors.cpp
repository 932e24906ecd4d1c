//===- UnusedTensors.cpp - results that go nowhere -----------------------===//

#include "passes/ppl/UnusedTensors.h"
#include "dialects/ppl/Memory.h"
#include "passes/ppl/Accesses.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

/// Whether other tensors cannot have the bytes of `root`. Addresses of the
/// kernel's own can be anybody's, and blocks share L2.
static bool isAlone(Value root, llvm::function_ref<bool(uint64_t)> isOfTest) {
  if (auto alloc = root.getDefiningOp<AllocOp>())
    return alloc.getTensor().getType().isLocal();
  auto global = root.getDefiningOp<GlobalOp>();
  return global && global->hasAttr(kScratchAttribute) &&
         !isOfTest(uint64_t(global.getAddress()));
}

std::vector<Operation *>
weft::ppl::findUnreadResults(ArrayRef<NetOp> nets,
                             llvm::function_ref<bool(uint64_t)> isOfTest) {
  llvm::DenseSet<Value> read;
  for (NetOp net : nets)
    net.getBody().walk([&](Operation *op) {
      if (!FunctionOp(op))
        return;
      for (const TensorAccess &access : accessesOf(FunctionOp(op)))
        if (access.reads && !access.writes)
          read.insert(access.root);
    });
  std::vector<Operation *> found;
  // Several functions may stand on a line, as those of a macro do.
  using Call = std::pair<Location, OperationName>;
  auto callOf = [](Operation *op) { return Call(op->getLoc(), op->getName()); };
  llvm::DenseSet<Call> reported, useful;
  for (NetOp net : nets)
    net.getBody().walk([&](Operation *op) {
      if (!FunctionOp(op))
        return;
      bool writes = false, isUnread = true;
      for (const TensorAccess &access : accessesOf(FunctionOp(op)))
        if (access.writes) {
          writes = true;
          isUnread &=
              isAlone(access.root, isOfTest) && !read.contains(access.root);
        }
      if (!writes || !isUnread)
        useful.insert(callOf(op));
      else if (reported.insert(callOf(op)).second)
        found.push_back(op);
    });
  // A function that is useful in another round or call is no mistake.
  llvm::erase_if(found,
                 [&](Operation *op) { return useful.contains(callOf(op)); });
  return found;
}

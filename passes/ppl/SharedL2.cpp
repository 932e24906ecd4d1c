//===- SharedL2.cpp - addresses for tensors that blocks share ------------===//

#include "dialects/ppl/Function.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Round.h"
#include "passes/ppl/Accesses.h"
#include "passes/ppl/Passes.h"
#include "runtime/chips/Alignment.h"

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

namespace {
/// A tensor of L2, one for all blocks: used between the barriers `first` and
/// `last`, by any of them.
struct Shared {
  uint64_t bytes = 0, address = 0;
  size_t first = SIZE_MAX, last = 0;

  uint64_t end() const { return address + bytes; }
  bool meets(const Shared &other) const {
    return first <= other.last && other.first <= last;
  }
};
} // namespace

/// Adds what one block says of the tensors.
static void addBlock(std::vector<Shared> &all, NetOp net, const Chip &chip) {
  llvm::DenseMap<Value, size_t> numbers;
  for (AllocOp alloc : sharedTensorsOf(net)) {
    size_t number = numbers.size();
    numbers[alloc.getTensor()] = number;
    if (number == all.size())
      all.emplace_back();
    all[number].bytes = std::max(
        all[number].bytes,
        alignUp<uint64_t>(extentBytes(alloc.getTensor().getType(), 0, chip),
                          chip.euBytes));
  }
  size_t stretch = 0;
  net.getBody().walk([&](Operation *op) {
    if (mlir::isa<BarrierOp>(op) && !op->getParentOfType<RoundOp>())
      ++stretch;
    if (!FunctionOp(op))
      return;
    for (Value operand : op->getOperands()) {
      if (!mlir::isa<TensorViewType>(operand.getType()))
        continue;
      auto found = numbers.find(rootOf(operand));
      if (found == numbers.end())
        continue;
      Shared &tensor = all[found->second];
      tensor.first = std::min(tensor.first, stretch);
      tensor.last = std::max(tensor.last, stretch);
    }
  });
}

/// Each at the lowest place that none has that may be in use then; in the
/// order of their numbers, which is the same in all blocks. The end of all.
static uint64_t place(std::vector<Shared> &all) {
  uint64_t end = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    SmallVector<const Shared *> others;
    for (size_t j = 0; j < i; ++j)
      if (all[j].meets(all[i]))
        others.push_back(&all[j]);
    llvm::sort(others, [](const Shared *a, const Shared *b) {
      return a->address < b->address;
    });
    for (const Shared *other : others)
      if (other->end() > all[i].address &&
          other->address < all[i].address + all[i].bytes)
        all[i].address = other->end();
    end = std::max(end, all[i].end());
  }
  return end;
}

int weft::ppl::placeSharedL2(NetOp net, ArrayRef<NetOp> blocks,
                             uint64_t l2Bytes) {
  const Chip &chip = chipOf(net);
  std::vector<Shared> all;
  for (NetOp block : blocks)
    addBlock(all, block, chip);
  SmallVector<AllocOp> own = sharedTensorsOf(net);
  if (uint64_t bytes = place(all); bytes > l2Bytes && !own.empty()) {
    own.front()->emitError()
        << "L2 memory is too small: the tensors that the blocks use between "
           "the same sync() take "
        << bytes << " bytes, there are " << l2Bytes << "; make them smaller";
    return 0x1A;
  }
  for (auto [number, alloc] : llvm::enumerate(own)) {
    OpBuilder builder(alloc);
    Value placed = builder.create<GlobalOp>(
        alloc.getLoc(), alloc.getTensor().getType(),
        int64_t(chip.l2MemoryBase + all[number].address));
    alloc.getTensor().replaceAllUsesWith(placed);
    alloc.erase();
  }
  return 0;
}

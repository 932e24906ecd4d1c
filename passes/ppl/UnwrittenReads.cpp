//===- UnwrittenReads.cpp - reads of what nothing wrote ------------------===//

#include "passes/ppl/UnwrittenReads.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Round.h"
#include "passes/ppl/Accesses.h"
#include "runtime/chips/Alignment.h"

#include <map>
#include <memory>

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

namespace {
/// What one core runs, with its own local memory.
struct Core {
  NetOp net;
  std::vector<Operation *> ops; ///< functions and barriers
  size_t next = 0, functions = 0;
  bool waits = true; ///< at a barrier, or at the start
  /// Numbers of tensors in L2 that the compiler places: those of all cores
  /// with one number are one.
  llvm::DenseMap<Value, size_t> sharedNumbers;
  std::unique_ptr<WrittenBytes> placedLocal;
  /// Of tensors in local memory without an address.
  llvm::DenseMap<Value, std::unique_ptr<WrittenBytes>> local;
  llvm::DenseMap<Value, size_t> usesLeft;
};

class Search {
public:
  Search(ArrayRef<NetOp> nets, ArrayRef<FreshRange> fresh, const Chip &chip);
  std::vector<UnwrittenRead> run();

private:
  void runToBarrier(Core &core);
  void visit(Core &core, const FunctionOp &function);
  void read(const FunctionOp &function, const catalog::Slot &slot,
            const catalog::Tensor &box, Value tensor, WrittenBytes &written);
  WrittenBytes *bytesOf(Core &core, Value root);
  WrittenBytes *globalAt(uint64_t address);

  const Chip &chip;
  std::vector<Core> cores;
  std::vector<FreshRange> fresh;
  std::vector<std::unique_ptr<WrittenBytes>> global; ///< of the fresh ranges
  std::unique_ptr<WrittenBytes> placedL2;
  std::map<size_t, std::unique_ptr<WrittenBytes>> sharedL2;

  FunctionPlace now;
  struct Use {
    FunctionPlace place;
    unsigned operand;
  };
  llvm::DenseMap<Value, Use> firstUses;
  llvm::DenseSet<Value> reported;
  std::vector<UnwrittenRead> found;
};
} // namespace

bool weft::ppl::writesByData(const FunctionOp &function,
                             const catalog::Slot &slot) {
  if (slot.access != catalog::Access::ReadWrite)
    return false;
  StringRef name(function.function().name.data(),
                 function.function().name.size());
  StringRef base = name.split('.').second;
  bool accumulates = function.function().slot("result_add") || base == "mac" ||
                     base == "fmac" || base == "reduce";
  return !accumulates;
}

Search::Search(ArrayRef<NetOp> nets, ArrayRef<FreshRange> ranges,
               const Chip &chip)
    : chip(chip), fresh(ranges.begin(), ranges.end()), global(ranges.size()) {
  for (NetOp net : nets) {
    Core &core = cores.emplace_back();
    core.net = net;
    for (auto [number, alloc] : llvm::enumerate(sharedTensorsOf(net)))
      core.sharedNumbers[alloc.getTensor()] = number;
    net.getBody().walk([&](Operation *op) {
      bool isInRound = op->getParentOfType<RoundOp>() != nullptr;
      if (FunctionOp(op) || (mlir::isa<BarrierOp>(op) && !isInRound))
        core.ops.push_back(op);
      if (!FunctionOp(op))
        return;
      for (Value operand : op->getOperands())
        ++core.usesLeft[rootOf(operand)];
    });
  }
}

WrittenBytes *Search::globalAt(uint64_t address) {
  // More bits than this are not kept; such a tensor counts as written.
  constexpr uint64_t kMostBytes = uint64_t(1) << 31;
  for (size_t i = 0; i < fresh.size(); ++i) {
    auto [begin, end] = fresh[i];
    if (address < begin || address >= end || end - begin > kMostBytes)
      continue;
    if (!global[i])
      global[i] = std::make_unique<WrittenBytes>(begin, end - begin, 1);
    return global[i].get();
  }
  return nullptr;
}

/// The bytes that `root` lies in; null if all of them have values.
WrittenBytes *Search::bytesOf(Core &core, Value root) {
  catalog::Tensor whole = describe(root, chip, 0);
  bool isPlaced = !root.getDefiningOp<AllocOp>();
  switch (whole.memory) {
  case catalog::Memory::Local: {
    if (isPlaced && !core.placedLocal)
      core.placedLocal =
          std::make_unique<WrittenBytes>(0, chip.laneBytes, chip.lanes);
    if (isPlaced)
      return core.placedLocal.get();
    auto &own = core.local[root];
    // Views may end with the last vector.
    uint64_t bytes =
        alignUp<uint64_t>(catalog::extentBytes(whole, chip), chip.euBytes);
    if (!own)
      own = std::make_unique<WrittenBytes>(0, bytes, chip.lanes);
    return own.get();
  }
  case catalog::Memory::L2: {
    auto &shared =
        isPlaced ? placedL2 : sharedL2[core.sharedNumbers.lookup(root)];
    if (!shared && isPlaced)
      shared = std::make_unique<WrittenBytes>(chip.l2MemoryBase,
                                              chip.l2MemoryBytes, 1);
    else if (!shared)
      shared = std::make_unique<WrittenBytes>(
          0, catalog::extentBytes(whole, chip), 1);
    return shared.get();
  }
  case catalog::Memory::Global:
    return globalAt(*whole.address);
  default:
    return nullptr; // static memory is filled with the program
  }
}

void Search::read(const FunctionOp &function, const catalog::Slot &slot,
                  const catalog::Tensor &box, Value tensor,
                  WrittenBytes &written) {
  Value root = rootOf(tensor);
  if (reported.contains(root))
    return;
  std::optional<Unwritten> missing = written.missingOf(box, chip);
  if (!missing)
    return;
  reported.insert(root);
  Use first = firstUses.lookup(root);
  found.push_back({function.operation(), now, slot.name, tensor, root, *missing,
                   first.place, first.operand});
}

void Search::visit(Core &core, const FunctionOp &function) {
  const catalog::Operation &operation = function.function();
  catalog::Call call = function.call(chip);
  bool isIdle = operation.isIdle && operation.isIdle(call);
  for (bool writes : {false, true}) // a function reads before it writes
    for (const catalog::Slot &slot : operation.slots) {
      StringRef name(slot.name.data(), slot.name.size());
      Value tensor = function.tensor(name);
      if (!tensor || isIdle)
        continue;
      Value root = rootOf(tensor);
      firstUses.try_emplace(root, Use{now, *function.operandIndex(name)});
      WrittenBytes *bytes = bytesOf(core, root);
      if (!bytes)
        continue;
      catalog::Tensor box = describe(tensor, chip, 0);
      catalog::Access access = accessOf(function, slot);
      bool byData = writesByData(function, slot);
      if (writes) {
        if (access != catalog::Access::Read && !byData)
          bytes->add(box, chip);
        continue;
      }
      if (access == catalog::Access::Write || byData)
        continue;
      // Sums may have another type than what is made of them.
      if (slot.access == catalog::Access::ReadWrite && operation.accumulator)
        if (std::optional<catalog::Tensor> sums = operation.accumulator(call)) {
          sums->address = box.address;
          sums->lane = box.lane;
          box = *sums;
        }
      read(function, slot, box, tensor, *bytes);
    }
  for (Value operand : function.operation()->getOperands())
    if (Value root = rootOf(operand); --core.usesLeft[root] == 0)
      core.local.erase(root);
}

void Search::runToBarrier(Core &core) {
  core.waits = false;
  while (core.next < core.ops.size()) {
    Operation *op = core.ops[core.next++];
    if (mlir::isa<BarrierOp>(op)) {
      core.waits = true;
      return;
    }
    now = {size_t(&core - cores.data()), core.functions++};
    visit(core, FunctionOp(op));
  }
}

std::vector<UnwrittenRead> Search::run() {
  auto waits = [](const Core &core) { return core.waits; };
  while (llvm::any_of(cores, waits))
    for (Core &core : cores)
      if (core.waits)
        runToBarrier(core);
  return std::move(found);
}

std::vector<UnwrittenRead>
weft::ppl::findUnwrittenReads(ArrayRef<NetOp> nets, ArrayRef<FreshRange> fresh,
                              const Chip &chip) {
  return Search(nets, fresh, chip).run();
}

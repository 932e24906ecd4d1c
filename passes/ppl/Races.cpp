//===- Races.cpp - functions of kernels without an order -----------------===//

#include "passes/ppl/Races.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Round.h"
#include "passes/ppl/Accesses.h"
#include "passes/ppl/UnwrittenReads.h"

#include <map>
#include <set>

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

namespace {
/// A box of memory that a function certainly touches.
struct Touch {
  Operation *op;
  std::string_view slot;
  catalog::Tensor box;
  uint64_t end; ///< of its bytes
  bool writes;
};

/// Gives tensors that the compiler places regions of their own.
class Places {
public:
  explicit Places(const Chip &chip) : chip(chip) {}
  catalog::Tensor boxOf(Value tensor);

private:
  const Chip &chip;
  llvm::DenseMap<Value, uint64_t> regions;
  uint64_t local = 0, shared = 0;
};
} // namespace

catalog::Tensor Places::boxOf(Value tensor) {
  Value root = rootOf(tensor);
  if (!root.getDefiningOp<AllocOp>())
    return describe(tensor, chip);
  auto [entry, isNew] = regions.try_emplace(root);
  if (isNew) {
    // Those of L2 have numbers of their own, which blocks share.
    bool isL2 = cast<TensorViewType>(root.getType()).isL2();
    entry->second = ++(isL2 ? shared : local) << catalog::kRegionShift;
  }
  return describe(tensor, chip, entry->second);
}

static std::vector<Touch> touchesOf(Operation *op, Places &places,
                                    const Chip &chip) {
  std::vector<Touch> touches;
  FunctionOp function(op);
  bool hasIndex = function.function().slot("index") != nullptr;
  for (const catalog::Slot &slot : function.function().slots) {
    Value tensor = function.tensor({slot.name.data(), slot.name.size()});
    if (!tensor || writesByData(function, slot) ||
        (hasIndex && slot.name == "param"))
      continue;
    Touch touch{op, slot.name, places.boxOf(tensor), 0,
                slot.access != catalog::Access::Read};
    if (!touch.box.address)
      continue;
    touch.end = *touch.box.address + catalog::extentBytes(touch.box, chip);
    touches.push_back(touch);
  }
  return touches;
}

static bool clash(const Touch &a, const Touch &b, const Chip &chip) {
  return (a.writes || b.writes) && a.box.memory == b.box.memory &&
         *a.box.address < b.end && *b.box.address < a.end &&
         catalog::shareBytes(a.box, b.box, chip) == catalog::Sharing::Shares;
}

//===----------------------------------------------------------------------===//
// Engines of one core
//===----------------------------------------------------------------------===//

std::vector<Race> weft::ppl::findEngineRaces(NetOp net, const Chip &chip) {
  std::vector<Race> races;
  std::set<std::pair<const void *, const void *>> reported;
  Places places(chip);
  std::map<int64_t, std::vector<Touch>> regions;
  net.getBody().walk([&](Operation *op) {
    auto region = op->getAttrOfType<IntegerAttr>(kParallelRegion);
    if (!region || !FunctionOp(op))
      return;
    std::vector<Touch> &before = regions[region.getInt()];
    std::vector<Touch> own = touchesOf(op, places, chip);
    for (const Touch &first : before)
      for (const Touch &second : own) {
        bool isOneEngine = FunctionOp(first.op).function().unit ==
                           FunctionOp(op).function().unit;
        if (isOneEngine || !clash(first, second, chip) ||
            !reported
                 .emplace(first.op->getLoc().getAsOpaquePointer(),
                          op->getLoc().getAsOpaquePointer())
                 .second)
          continue;
        races.push_back({first.op, op, first.slot, second.slot});
      }
    before.insert(before.end(), own.begin(), own.end());
  });
  return races;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// The touches of shared memory by a block, one list for each stretch between
/// two barriers; nothing if it waits for messages.
static std::optional<std::vector<std::vector<Touch>>>
stretchesOf(NetOp net, const Chip &chip) {
  std::vector<std::vector<Touch>> stretches(1);
  Places places(chip);
  bool waitsForMessages = false;
  for (AllocOp alloc : sharedTensorsOf(net))
    places.boxOf(alloc.getTensor());
  net.getBody().walk([&](Operation *op) {
    if (mlir::isa<BarrierOp>(op) && !op->getParentOfType<RoundOp>())
      stretches.emplace_back();
    if (!FunctionOp(op))
      return;
    if (mlir::isa<UnknownLoc>(op->getLoc())) // brings inputs in, before all
      return;
    waitsForMessages |= op->getName().getStringRef().ends_with(".wait_msg");
    for (Touch &touch : touchesOf(op, places, chip))
      if (touch.box.memory == catalog::Memory::Global ||
          touch.box.memory == catalog::Memory::L2)
        stretches.back().push_back(std::move(touch));
  });
  if (waitsForMessages)
    return std::nullopt;
  return stretches;
}

/// Whether both add to what is there, which the machine does in any order.
static bool bothReduce(const Touch &a, const Touch &b) {
  auto reduces = [](const Touch &touch) {
    return touch.op->getName().getStringRef().ends_with(".reduce");
  };
  return reduces(a) && reduces(b);
}

std::vector<Race> weft::ppl::findBlockRaces(ArrayRef<NetOp> nets,
                                            const Chip &chip) {
  std::vector<Race> races;
  std::vector<std::vector<std::vector<Touch>>> blocks;
  for (NetOp net : nets) {
    auto stretches = stretchesOf(net, chip);
    if (!stretches)
      return races;
    blocks.push_back(std::move(*stretches));
  }
  std::set<std::pair<const void *, const void *>> reported;
  auto compare = [&](size_t i, size_t j, size_t stretch) {
    for (const Touch &a : blocks[i][stretch])
      for (const Touch &b : blocks[j][stretch])
        if (!bothReduce(a, b) && clash(a, b, chip) &&
            reported
                .emplace(a.op->getLoc().getAsOpaquePointer(),
                         b.op->getLoc().getAsOpaquePointer())
                .second)
          races.push_back({a.op, b.op, a.slot, b.slot, i, j});
  };
  for (size_t i = 0; i < blocks.size(); ++i)
    for (size_t j = i + 1; j < blocks.size(); ++j)
      for (size_t s = 0; s < std::min(blocks[i].size(), blocks[j].size()); ++s)
        compare(i, j, s);
  return races;
}

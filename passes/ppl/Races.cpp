//===- Races.cpp - functions of kernels without an order -----------------===//

#include "passes/ppl/Races.h"
#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Round.h"
#include "passes/ppl/Accesses.h"
#include "passes/ppl/UnwrittenReads.h"

#include <array>
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

mlir::Operation *weft::ppl::findMessageWait(ArrayRef<NetOp> nets) {
  for (NetOp net : nets) {
    Operation *found = nullptr;
    net.getBody().walk([&](Operation *op) {
      if (!FunctionOp(op) ||
          !op->getName().getStringRef().ends_with(".wait_msg"))
        return WalkResult::advance();
      found = op;
      return WalkResult::interrupt();
    });
    if (found)
      return found;
  }
  return nullptr;
}

/// The touches of shared memory by a block, one list for each stretch between
/// two barriers.
static std::vector<std::vector<Touch>> stretchesOf(NetOp net,
                                                   const Chip &chip) {
  std::vector<std::vector<Touch>> stretches(1);
  Places places(chip);
  for (AllocOp alloc : sharedTensorsOf(net))
    places.boxOf(alloc.getTensor());
  net.getBody().walk([&](Operation *op) {
    if (mlir::isa<BarrierOp>(op) && !op->getParentOfType<RoundOp>())
      stretches.emplace_back();
    if (!FunctionOp(op))
      return;
    if (mlir::isa<UnknownLoc>(op->getLoc())) // brings inputs in, before all
      return;
    for (Touch &touch : touchesOf(op, places, chip))
      if (touch.box.memory == catalog::Memory::Global ||
          touch.box.memory == catalog::Memory::L2)
        stretches.back().push_back(std::move(touch));
  });
  return stretches;
}

/// Whether both add to what is there, which the machine does in any order.
static bool bothReduce(const Touch &a, const Touch &b) {
  auto reduces = [](const Touch &touch) {
    return touch.op->getName().getStringRef().ends_with(".reduce");
  };
  return reduces(a) && reduces(b);
}

namespace {
/// Bytes that a box takes together.
struct Interval {
  uint64_t start, end;
};
} // namespace

/// The box in intervals, as long as those are few: parts that lie in turn, as
/// rows of all channels do, would else reach over each other.
static std::vector<Interval> intervalsOf(const Touch &touch) {
  constexpr size_t kMost = 256;
  const catalog::Tensor &box = touch.box;
  uint64_t bits = catalog::bitsOf(box.type), length = touch.end - *box.address;
  std::vector<uint64_t> starts = {*box.address};
  std::array<int, 4> axes = {0, 1, 2, 3};
  llvm::stable_sort(
      axes, [&](int a, int b) { return box.strides[a] > box.strides[b]; });
  uint64_t elements = uint64_t(box.elements());
  for (int axis : axes) {
    uint64_t size = uint64_t(box.shape[axis]),
             step = uint64_t(box.strides[axis]) * bits / 8;
    bool isDense = length * 8 == elements * bits;
    if (bits % 8 || isDense || starts.size() * size > kMost)
      break;
    std::vector<uint64_t> finer;
    for (uint64_t start : starts)
      for (uint64_t i = 0; i < size; ++i)
        finer.push_back(start + i * step);
    starts = std::move(finer);
    length -= (size - 1) * step;
    elements /= size;
  }
  std::vector<Interval> intervals;
  for (uint64_t start : starts)
    intervals.push_back({start, start + length});
  return intervals;
}

namespace {
/// The races of some stretches, which go by in the order of addresses: a touch
/// is compared with those only whose bytes may overlap its own and, if it
/// reads, with writers only. A pair of lines is told once, for the first pair
/// of blocks and functions that has it.
class BlockSweep {
public:
  explicit BlockSweep(const Chip &chip) : chip(chip) {}

  /// `blocks`: stretch number `stretch` of each block that has it.
  void sweep(ArrayRef<ArrayRef<Touch>> blocks, size_t stretch);
  std::vector<Race> races() const;

private:
  struct Place {
    const Touch *touch;
    size_t block, number; ///< of the touch in its stretch
    Interval bytes;
  };
  /// Blocks, stretch and functions: what comes first when all are compared.
  using Rank = std::array<size_t, 5>;

  void compare(const Place &a, const Place &b, size_t stretch);

  const Chip &chip;
  std::map<std::pair<const void *, const void *>, std::pair<Rank, Race>> found;
};
} // namespace

void BlockSweep::compare(const Place &a, const Place &b, size_t stretch) {
  if (a.block == b.block)
    return;
  const Place &first = a.block < b.block ? a : b,
              &second = a.block < b.block ? b : a;
  Rank rank = {first.block, second.block, stretch, first.number, second.number};
  std::pair<const void *, const void *> lines = {
      first.touch->op->getLoc().getAsOpaquePointer(),
      second.touch->op->getLoc().getAsOpaquePointer()};
  auto known = found.find(lines);
  if ((known != found.end() && !(rank < known->second.first)) ||
      bothReduce(*a.touch, *b.touch) || !clash(*a.touch, *b.touch, chip))
    return;
  found[lines] = {rank,
                  {first.touch->op, second.touch->op, first.touch->slot,
                   second.touch->slot, first.block, second.block}};
}

void BlockSweep::sweep(ArrayRef<ArrayRef<Touch>> blocks, size_t stretch) {
  std::vector<Place> places;
  for (auto [block, touches] : llvm::enumerate(blocks))
    for (auto [number, touch] : llvm::enumerate(touches))
      for (const Interval &interval : intervalsOf(touch))
        places.push_back({&touch, block, number, interval});
  llvm::stable_sort(places, [](const Place &a, const Place &b) {
    return std::pair(a.touch->box.memory, a.bytes.start) <
           std::pair(b.touch->box.memory, b.bytes.start);
  });
  std::vector<Place> readers, writers; // that may reach the touch at hand
  for (const Place &place : places) {
    auto isBehind = [&](const Place &before) {
      return before.touch->box.memory != place.touch->box.memory ||
             before.bytes.end <= place.bytes.start;
    };
    llvm::erase_if(writers, isBehind);
    for (const Place &writer : writers)
      compare(writer, place, stretch);
    if (!place.touch->writes) {
      readers.push_back(place);
      continue;
    }
    llvm::erase_if(readers, isBehind);
    for (const Place &reader : readers)
      compare(reader, place, stretch);
    writers.push_back(place);
  }
}

std::vector<Race> BlockSweep::races() const {
  std::vector<std::pair<Rank, Race>> ranked;
  for (const auto &[lines, race] : found)
    ranked.push_back(race);
  llvm::sort(ranked,
             [](const auto &a, const auto &b) { return a.first < b.first; });
  std::vector<Race> races;
  for (const auto &[rank, race] : ranked)
    races.push_back(race);
  return races;
}

std::vector<Race> weft::ppl::findBlockRaces(ArrayRef<NetOp> nets,
                                            const Chip &chip) {
  if (findMessageWait(nets))
    return {};
  std::vector<std::vector<std::vector<Touch>>> blocks;
  size_t longest = 0;
  for (NetOp net : nets) {
    blocks.push_back(stretchesOf(net, chip));
    longest = std::max(longest, blocks.back().size());
  }
  BlockSweep sweep(chip);
  for (size_t stretch = 0; stretch < longest; ++stretch) {
    std::vector<ArrayRef<Touch>> touches;
    for (const std::vector<std::vector<Touch>> &block : blocks)
      touches.push_back(stretch < block.size() ? ArrayRef(block[stretch])
                                               : ArrayRef<Touch>());
    sweep.sweep(touches, stretch);
  }
  return sweep.races();
}

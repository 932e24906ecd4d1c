//===- Allocate.cpp - addresses for tensors ------------------------------===//

#include "dialects/ppl/Memory.h"
#include "dialects/ppl/Net.h"
#include "passes/ppl/Accesses.h"
#include "passes/ppl/Passes.h"
#include "runtime/chips/Alignment.h"
#include "runtime/ppl/Commands.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace weft::ppl {
#define GEN_PASS_DEF_PPLALLOCATE
#include "passes/ppl/Passes.h.inc"
} // namespace weft::ppl

using namespace mlir;
using namespace weft;
using namespace weft::ppl;

namespace {
/// A tensor without address, or a scratch buffer of a function: used by the
/// commands number `first` to `last`.
struct Buffer {
  AllocOp alloc;                 ///< null for scratch
  Operation *function = nullptr; ///< whose scratch it is
  unsigned scratch = 0;          ///< its number there
  uint64_t bytes = 0;
  size_t first = SIZE_MAX, last = 0;
  bool isTransferred = false; ///< to or from other memory
  std::optional<uint64_t> address;
  /// Positions of buffers that should lie in other banks: one command uses
  /// both, or the two engines use them at about the same time.
  llvm::SmallSetVector<size_t, 8> partners;

  uint64_t end() const { return *address + bytes; }
  /// `slack`: for so many commands behind its end the place of a buffer that is
  /// transferred stays empty.
  bool livesWith(const Buffer &other, size_t slack) const {
    return first <= other.lastWith(slack) && other.first <= lastWith(slack);
  }
  size_t lastWith(size_t slack) const {
    return last + (isTransferred ? slack : 0);
  }
};

/// What one command uses.
struct Use {
  bool isTransfer;
  SmallVector<size_t, 4> buffers;
};

/// A function may write its result where a source lies, element on element.
struct InPlace {
  FunctionOp function;
  Value resultTensor, sourceTensor;
  size_t result, source; ///< buffers
  size_t begin, end;     ///< its commands
};

/// Finds the buffers of one memory, and when they are used.
class LiveRanges {
public:
  /// With `hasCommands`, functions are the commands that they become.
  LiveRanges(Memory memory, const Chip &chip, bool hasCommands)
      : memory(memory), chip(chip), hasCommands(hasCommands) {}

  LogicalResult collect(NetOp net);

  std::vector<Buffer> buffers;
  std::vector<InPlace> inPlace; ///< in the order of their commands

private:
  LogicalResult addFunction(const FunctionOp &function);
  void addInPlace(const FunctionOp &function, size_t begin);
  void addUse(Use use);
  void addPartners();
  std::optional<size_t> bufferOf(Value tensor) const {
    auto found = index.find(rootOf(tensor));
    return found == index.end() ? std::nullopt : std::optional(found->second);
  }

  Memory memory;
  const Chip &chip;
  bool hasCommands;
  llvm::DenseMap<Value, size_t> index;
  std::vector<Use> uses;
};

/// The memory in which buffers are placed.
struct Space {
  uint64_t bytes, bankBytes, alignment;
};

/// Commands that far from each other may run at once on the two engines: those
/// of one step of a pipelined loop.
constexpr size_t kNearby = 4;

/// One engine need not wait until the other has done with a place, if the next
/// buffer lies elsewhere: a result is computed while the one before it is
/// stored, also where no loop says that its rounds overlap. Two steps, as with
/// two places that take turns: the one that still uses the place, and the one
/// that runs beside it and must not want it.
constexpr size_t kSlack = 2 * kNearby;

/// memory_alloc_method_t; the second fails where others share a bank.
constexpr unsigned kUtilizationFirst = 1, kNoBankConflict = 2;
} // namespace

static bool isTransfer(Operation *op) {
  StringRef name = op->getName().getStringRef();
  return name.starts_with("ppl.dma.") || name.starts_with("ppl.sdma.");
}

//===----------------------------------------------------------------------===//
// Who lives when
//===----------------------------------------------------------------------===//

void LiveRanges::addUse(Use use) {
  size_t time = uses.size();
  for (size_t used : use.buffers) {
    buffers[used].first = std::min(buffers[used].first, time);
    buffers[used].last = std::max(buffers[used].last, time);
    buffers[used].isTransferred |= use.isTransfer;
  }
  uses.push_back(std::move(use));
}

LogicalResult LiveRanges::addFunction(const FunctionOp &function) {
  rt::Result<catalog::CommandList> list =
      catalog::commandsOf(function.encodedCall(chip));
  if (!list)
    return reportRefusal(function.operation(), list.status());
  std::vector<std::optional<size_t>> scratch;
  for (const catalog::ScratchBuffer &wanted : list->scratch) {
    scratch.push_back(std::nullopt);
    if (unsigned(wanted.memory) != unsigned(memory))
      continue;
    scratch.back() = buffers.size();
    Buffer &buffer = buffers.emplace_back();
    buffer.function = function.operation();
    buffer.scratch = unsigned(scratch.size() - 1);
    buffer.bytes = alignUp<uint64_t>(wanted.bytes, chip.euBytes);
  }
  size_t begin = uses.size();
  for (const catalog::CommandStep &step : list->steps) {
    Use use{step.engine() == isa::Engine::Gdma, {}};
    for (const catalog::OperandAccess &access : step.accesses) {
      const catalog::Operand &tensor = access.tensor;
      std::optional<size_t> used;
      if (tensor.isScratch())
        used = scratch[tensor.scratch()];
      else if (tensor.origin != catalog::Operand::kStaticTable)
        used = bufferOf(function.tensor(
            StringRef(function.function().slots[size_t(tensor.origin)].name)));
      if (used)
        use.buffers.push_back(*used);
    }
    addUse(std::move(use));
  }
  // The rules of functions keep arguments apart, whichever command uses them.
  for (Value operand : function.operation()->getOperands())
    if (std::optional<size_t> used = bufferOf(operand); used && uses.size()) {
      buffers[*used].first = std::min(buffers[*used].first, begin);
      buffers[*used].last = std::max(buffers[*used].last, uses.size() - 1);
    }
  addInPlace(function, begin);
  return success();
}

/// Asks the rules of the function, with the tensors of each pair at one
/// address, which is far from that of other pairs.
static bool canLieInPlace(const FunctionOp &function,
                          ArrayRef<std::pair<Value, Value>> pairs,
                          const Chip &chip) {
  catalog::Call call = function.call(chip);
  const catalog::Operation &row = function.function();
  for (size_t i = 0; i < row.slots.size(); ++i) {
    Value tensor = function.tensor(StringRef(row.slots[i].name));
    for (auto [number, pair] : llvm::enumerate(pairs))
      if (tensor && (rootOf(tensor) == rootOf(pair.first) ||
                     rootOf(tensor) == rootOf(pair.second)))
        call.arguments[i].tensor =
            describe(tensor, chip, uint64_t(number) << catalog::kRegionShift);
  }
  return catalog::problemOf(call).empty();
}

static bool isSamePlace(Value result, Value source, const Chip &chip) {
  return catalog::isSamePlace(describe(result, chip, 0),
                              describe(source, chip, 0), chip);
}

void LiveRanges::addInPlace(const FunctionOp &function, size_t begin) {
  SmallVector<TensorAccess> accesses = accessesOf(function);
  for (const TensorAccess &result : accesses)
    for (const TensorAccess &source : accesses) {
      if (!result.writes || result.reads || source.writes ||
          result.root == source.root)
        continue;
      std::optional<size_t> to = bufferOf(result.tensor),
                            from = bufferOf(source.tensor);
      if (to && from && uses.size() &&
          isSamePlace(result.tensor, source.tensor, chip) &&
          canLieInPlace(function, {{result.tensor, source.tensor}}, chip))
        inPlace.push_back({function, result.tensor, source.tensor, *to, *from,
                           begin, uses.size() - 1});
    }
}

LogicalResult LiveRanges::collect(NetOp net) {
  net.getBody().walk([&](AllocOp alloc) {
    TensorViewType type = alloc.getTensor().getType();
    if (type.getMemory() != memory)
      return;
    index[alloc.getTensor()] = buffers.size();
    Buffer &buffer = buffers.emplace_back();
    buffer.alloc = alloc;
    buffer.bytes = alignUp<uint64_t>(extentBytes(type, 0, chip), chip.euBytes);
  });
  bool hasFailed = false;
  net.getBody().walk([&](Operation *op) {
    if (mlir::isa<AllocOp, ViewOp, NetOp>(op))
      return;
    if (FunctionOp function(op); function && hasCommands) {
      hasFailed |= failed(addFunction(function));
      return;
    }
    Use use{isTransfer(op), {}};
    for (Value operand : op->getOperands())
      if (mlir::isa<TensorViewType>(operand.getType()))
        if (std::optional<size_t> used = bufferOf(operand))
          use.buffers.push_back(*used);
    addUse(std::move(use));
    if (FunctionOp function(op); function)
      addInPlace(function, uses.size() - 1);
  });
  addPartners();
  return failure(hasFailed);
}

void LiveRanges::addPartners() {
  auto join = [&](const Use &a, const Use &b) {
    for (size_t x : a.buffers)
      for (size_t y : b.buffers)
        if (x != y) {
          buffers[x].partners.insert(y);
          buffers[y].partners.insert(x);
        }
  };
  for (size_t i = 0; i < uses.size(); ++i)
    for (size_t j = i; j < uses.size() && j <= i + kNearby; ++j)
      if (i == j || uses[i].isTransfer != uses[j].isTransfer)
        join(uses[i], uses[j]);
}

//===----------------------------------------------------------------------===//
// Where they lie
//===----------------------------------------------------------------------===//

/// The lowest start from `from` on where `buffer` meets none of `placed`.
static uint64_t lowestFree(const Buffer &buffer, uint64_t from,
                           ArrayRef<const Buffer *> placed) {
  uint64_t start = from;
  for (const Buffer *other : placed) // sorted by address
    if (other->end() > start && *other->address < start + buffer.bytes)
      start = other->end();
  return start;
}

static unsigned partnersInBanks(const Buffer &buffer, uint64_t start,
                                ArrayRef<const Buffer *> placed,
                                const std::vector<Buffer> &all,
                                const Space &space) {
  uint64_t firstBank = start / space.bankBytes,
           lastBank = (start + buffer.bytes - 1) / space.bankBytes;
  unsigned count = 0;
  for (const Buffer *other : placed) {
    bool meets = *other->address / space.bankBytes <= lastBank &&
                 (other->end() - 1) / space.bankBytes >= firstBank;
    count += meets && buffer.partners.contains(size_t(other - all.data()));
  }
  return count;
}

/// Places one buffer among those that live with it: at the lowest place of the
/// bank where it meets the fewest partners. False if it does not fit.
static bool placeOne(Buffer &buffer, std::vector<Buffer> &all,
                     ArrayRef<size_t> order, const Space &space,
                     bool avoidBanks, bool forbidsSharing, size_t slack) {
  SmallVector<const Buffer *> placed;
  for (size_t i : order)
    if (all[i].address && all[i].livesWith(buffer, slack))
      placed.push_back(&all[i]);
  llvm::sort(placed, [](const Buffer *a, const Buffer *b) {
    return std::tuple(*a->address, a->bytes) <
           std::tuple(*b->address, b->bytes);
  });
  std::optional<uint64_t> best;
  unsigned fewest = UINT_MAX;
  for (uint64_t bank = 0; bank * space.bankBytes < space.bytes; ++bank) {
    uint64_t start = lowestFree(buffer, bank * space.bankBytes, placed);
    if (start + buffer.bytes > space.bytes)
      break;
    unsigned partners =
        avoidBanks ? partnersInBanks(buffer, start, placed, all, space) : 0;
    if (partners < fewest) {
      fewest = partners;
      best = start;
    }
    if (partners == 0)
      break;
  }
  if (forbidsSharing && fewest > 0)
    best.reset();
  buffer.address = best;
  return best.has_value();
}

/// In order of time, which keeps the rounds of a loop alike, or largest first
/// without regard for banks, which packs best.
static bool placeInOrder(std::vector<Buffer> &buffers, ArrayRef<size_t> order,
                         const Space &space, bool isByTime, unsigned method,
                         size_t slack) {
  for (Buffer &buffer : buffers)
    buffer.address.reset();
  SmallVector<size_t> live;
  for (size_t i : order) {
    if (buffers[i].first == SIZE_MAX) { // never used
      buffers[i].address = 0;
      continue;
    }
    if (isByTime)
      llvm::erase_if(live, [&](size_t other) {
        return buffers[other].lastWith(slack) < buffers[i].first;
      });
    if (!placeOne(buffers[i], buffers, live, space, isByTime,
                  method == kNoBankConflict, slack))
      return false;
    live.push_back(i);
  }
  return true;
}

/// In order of time first, at best with places that rest a while.
static bool placeAll(std::vector<Buffer> &buffers, const Space &space,
                     unsigned method) {
  std::vector<size_t> byTime(buffers.size());
  for (size_t i = 0; i < byTime.size(); ++i)
    byTime[i] = i;
  std::vector<size_t> bySize = byTime;
  llvm::stable_sort(byTime, [&](size_t a, size_t b) {
    return buffers[a].first < buffers[b].first;
  });
  llvm::stable_sort(bySize, [&](size_t a, size_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });
  auto byTimeWith = [&](size_t slack) {
    return method != kUtilizationFirst &&
           placeInOrder(buffers, byTime, space, true, method, slack);
  };
  return byTimeWith(kSlack) || byTimeWith(0) ||
         (method != kNoBankConflict &&
          placeInOrder(buffers, bySize, space, false, method, 0));
}

namespace {
/// Buffers of which some have become one, as results lie where a source dies
/// that they may overwrite.
class MergedBuffers {
public:
  MergedBuffers(const std::vector<Buffer> &buffers,
                ArrayRef<InPlace> candidates, const Chip &chip);
  size_t groupOf(size_t i) const {
    while (group[i] != i)
      i = group[i];
    return i;
  }

  std::vector<Buffer> buffers;

private:
  bool mayMerge(const InPlace &pair) const;
  void merge(const InPlace &pair);

  const Chip &chip;
  std::vector<size_t> group;
  llvm::DenseMap<Operation *, SmallVector<InPlace, 2>> ofFunction;
};
} // namespace

MergedBuffers::MergedBuffers(const std::vector<Buffer> &buffers,
                             ArrayRef<InPlace> candidates, const Chip &chip)
    : buffers(buffers), chip(chip), group(buffers.size()) {
  for (size_t i = 0; i < group.size(); ++i)
    group[i] = i;
  for (const InPlace &pair : candidates)
    if (mayMerge(pair))
      merge(pair);
  for (size_t i = 0; i < group.size(); ++i) {
    llvm::SmallSetVector<size_t, 8> partners;
    for (size_t partner : this->buffers[i].partners)
      if (groupOf(partner) != i)
        partners.insert(groupOf(partner));
    this->buffers[i].partners = std::move(partners);
  }
}

bool MergedBuffers::mayMerge(const InPlace &pair) const {
  size_t to = groupOf(pair.result), from = groupOf(pair.source);
  if (to == from || buffers[to].first < pair.begin ||
      buffers[from].last > pair.end)
    return false;
  auto found = ofFunction.find(pair.function.operation());
  if (found == ofFunction.end())
    return true;
  // A result that nobody reads dies at once, but its place is taken.
  SmallVector<std::pair<Value, Value>> pairs{
      {pair.resultTensor, pair.sourceTensor}};
  for (const InPlace &other : found->second) {
    for (size_t taken : {other.result, other.source})
      if (taken == pair.result || taken == pair.source)
        return false;
    pairs.emplace_back(other.resultTensor, other.sourceTensor);
  }
  return canLieInPlace(pair.function, pairs, chip);
}

void MergedBuffers::merge(const InPlace &pair) {
  size_t to = groupOf(pair.result), from = groupOf(pair.source);
  group[to] = from;
  ofFunction[pair.function.operation()].push_back(pair);
  Buffer &gone = buffers[to], &kept = buffers[from];
  kept.last = std::max(kept.last, gone.last);
  kept.bytes = std::max(kept.bytes, gone.bytes);
  kept.isTransferred |= gone.isTransferred;
  for (size_t partner : gone.partners)
    kept.partners.insert(partner);
  gone.first = SIZE_MAX; // places nothing
  gone.last = 0;
}

/// Where nothing else fits. It comes last because such functions cannot run at
/// once; not where operands must lie in different banks.
static bool placeInPlace(std::vector<Buffer> &buffers,
                         ArrayRef<InPlace> inPlace, const Space &space,
                         unsigned method, const Chip &chip) {
  if (method == kNoBankConflict)
    return false;
  MergedBuffers merged(buffers, inPlace, chip);
  if (!placeAll(merged.buffers, space, method))
    return false;
  for (size_t i = 0; i < buffers.size(); ++i)
    buffers[i].address = merged.buffers[merged.groupOf(i)].address;
  return true;
}

static uint64_t peakBytes(const std::vector<Buffer> &buffers) {
  std::vector<std::pair<size_t, int64_t>> changes;
  for (const Buffer &buffer : buffers)
    if (buffer.first != SIZE_MAX) {
      changes.emplace_back(buffer.first, int64_t(buffer.bytes));
      changes.emplace_back(buffer.last + 1, -int64_t(buffer.bytes));
    }
  llvm::sort(changes);
  int64_t now = 0, peak = 0;
  for (auto [time, bytes] : changes)
    peak = std::max(peak, now += bytes);
  return uint64_t(peak);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

static void reportFull(const std::vector<Buffer> &buffers, Memory memory,
                       uint64_t bytes) {
  auto largest = std::max_element(
      buffers.begin(), buffers.end(),
      [](const Buffer &a, const Buffer &b) { return a.bytes < b.bytes; });
  AllocOp alloc = largest->alloc;
  Operation *op = alloc ? alloc.getOperation() : largest->function;
  bool isLocal = memory == Memory::Local;
  if (bytes == 0) {
    op->emitError() << "the chip has no L2 memory; keep the tensor in local or "
                       "global memory";
    return;
  }
  op->emitError() << (isLocal ? "local" : "L2") << " memory is too small: the "
                  << "tensors that live at once take " << peakBytes(buffers)
                  << " bytes" << (isLocal ? " of each lane" : "")
                  << ", there are " << bytes << "; this tensor is the largest ("
                  << largest->bytes << "), make its block smaller";
}

/// Where a buffer lies as tensors of its memory count: a byte of the lane, or
/// an address.
static int64_t addressOf(const Buffer &buffer, Memory memory,
                         const Chip &chip) {
  uint64_t base = memory == Memory::Local ? 0 : chip.l2MemoryBase;
  return int64_t(base + *buffer.address);
}

static void placeTensor(AllocOp alloc, int64_t address) {
  OpBuilder builder(alloc);
  TensorViewType type = alloc.getTensor().getType();
  Value placed;
  if (type.isLocal())
    placed = builder.create<LocalOp>(alloc.getLoc(), type, address);
  else
    placed = builder.create<GlobalOp>(alloc.getLoc(), type, address);
  alloc.getTensor().replaceAllUsesWith(placed);
  alloc.erase();
}

namespace {
/// Scratch addresses of functions, by number.
using Addresses = llvm::MapVector<Operation *, SmallVector<int64_t, 4>>;
} // namespace

static void writeAddresses(const Addresses &scratch) {
  for (const auto &[function, addresses] : scratch)
    function->setAttr(
        kScratchAddresses,
        DenseI64ArrayAttr::get(function->getContext(), addresses));
}

FailureOr<int> weft::ppl::allocateTensors(NetOp net, unsigned method,
                                          uint64_t l2Bytes, bool hasCommands) {
  const Chip &chip = chipOf(net);
  // Found before the first tensor moves: ops are their names.
  LiveRanges spaces[] = {{Memory::Local, chip, hasCommands},
                         {Memory::L2, chip, hasCommands}};
  for (LiveRanges &ranges : spaces)
    if (failed(ranges.collect(net)))
      return failure();
  Addresses scratch;
  for (LiveRanges &ranges : spaces) {
    bool isLocal = &ranges == spaces;
    Memory memory = isLocal ? Memory::Local : Memory::L2;
    std::vector<Buffer> &buffers = ranges.buffers;
    if (buffers.empty())
      continue;
    Space space{isLocal ? chip.laneBytes : l2Bytes,
                isLocal ? chip.laneBytes / chip.banks : l2Bytes, chip.euBytes};
    if (space.bytes == 0 ||
        (!placeAll(buffers, space, method) &&
         !placeInPlace(buffers, ranges.inPlace, space, method, chip))) {
      reportFull(buffers, memory, space.bytes);
      return isLocal ? 0x11 : 0x1A;
    }
    for (Buffer &buffer : buffers) {
      int64_t address = addressOf(buffer, memory, chip);
      if (buffer.alloc) {
        placeTensor(buffer.alloc, address);
        continue;
      }
      SmallVector<int64_t, 4> &addresses = scratch[buffer.function];
      addresses.resize(std::max<size_t>(addresses.size(), buffer.scratch + 1));
      addresses[buffer.scratch] = address;
    }
  }
  writeAddresses(scratch);
  return 0;
}

namespace {
struct Allocate : weft::ppl::impl::PplAllocateBase<Allocate> {
  using PplAllocateBase::PplAllocateBase;

  void runOnOperation() override {
    const Chip &chip = chipOf(getOperation());
    FailureOr<int> code = allocateTensors(
        getOperation(), method, chip.l2MemoryBytes, chip.hasCommands());
    if (failed(code) || *code != 0)
      signalPassFailure();
  }
};
} // namespace

//===- PlaceGlobal.cpp - --tpu-place-global -------------------------------===//

#include "dialects/Refusal.h"
#include "dialects/tpu/Constant.h"
#include "dialects/tpu/GraphCheck.h"
#include "dialects/tpu/GroupPlan.h"
#include "dialects/tpu/Host.h"
#include "dialects/tpu/MatMul.h"
#include "dialects/tpu/ModuleChip.h"
#include "dialects/tpu/Move.h"
#include "passes/tpu/LocalAllocation.h"
#include "passes/tpu/Passes.h"
#include "runtime/chips/Alignment.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace weft::tpu {
#define GEN_PASS_DEF_TPUPLACEGLOBAL
#include "passes/tpu/Passes.h.inc"
} // namespace weft::tpu

using namespace mlir;
using namespace weft;
using namespace weft::tpu;

namespace {
/// A value whose bytes lie in those of another one.
struct Part {
  Value whole;
  int64_t offset = 0; ///< bytes
};
} // namespace

namespace {
struct PlaceGlobal : weft::tpu::impl::TpuPlaceGlobalBase<PlaceGlobal> {

  void runOnOperation() override {
    const Chip *chip = chipOf(getOperation());
    if (!chip || failed(checkGraph(getOperation(), *chip)))
      return signalPassFailure();
    cursor = chip->weightBase;
    for (Operation &op : getOperation().getBody().front()) {
      if (auto group = dyn_cast<GroupOp>(op)) {
        if (failed(placeConstants(*chip, group)))
          return signalPassFailure();
      } else if (auto weight = dyn_cast<WeightOp>(op)) {
        setAddress(weight, takeWeight(tensorBytes(weight.getResult())));
      }
    }
    if (failed(placeActivations(*chip)))
      signalPassFailure();
  }

private:
  /// Weights follow each other on EU rows; the DMA reads any byte address, but
  /// aligned ones are faster.
  int64_t takeWeight(int64_t bytes) {
    int64_t address = cursor;
    cursor = alignUp<int64_t>(cursor + bytes, 64);
    return address;
  }

  void setAddress(Operation *op, int64_t address) {
    op->setAttr(kAddressAttr,
                IntegerAttr::get(IntegerType::get(&getContext(), 64), address));
  }

  /// Packed constants in the order in which the group loads them.
  LogicalResult placeConstants(const Chip &chip, GroupOp group) {
    GroupView view = viewGroup(chip, group);
    Dims counts = group.tilingOrWhole().counts;
    auto first = planSlice(chip, view, counts, {0, 0, 0, 0});
    auto images = constantImages(chip, view, counts);
    if (!first || !images)
      return group.emitError("cannot be planned under its tiling; run "
                             "tpu-group-layers first");
    std::vector<size_t> next(view.ops.size(), 0);
    std::vector<SmallVector<Attribute>> attributes(view.ops.size());
    for (size_t i = 0; i < view.ops.size(); ++i) {
      auto buffers =
          view.ops[i].op->getAttrOfType<ArrayAttr>(GroupOp::kBuffersAttr);
      if (!buffers)
        return view.ops[i].op->emitError(
            "has no local addresses; run tpu-place-local first");
      attributes[i].append(buffers.begin(), buffers.end());
    }
    for (auto [number, buffer] :
         llvm::enumerate(enumerateBuffers(chip, view, *first))) {
      if (buffer.kind == GroupBuffer::Input)
        continue;
      size_t place = next[buffer.owner]++;
      if (buffer.kind != GroupBuffer::Constant)
        continue;
      auto &list = attributes[buffer.owner];
      auto old = place < list.size() ? dyn_cast<BufferAttr>(list[place])
                                     : BufferAttr();
      if (!old)
        return view.ops[buffer.owner].op->emitError("has no buffer ")
               << place << " in tpu.buffers; run tpu-place-local again";
      attributes[buffer.owner][place] =
          BufferAttr::get(&getContext(), old.getLocal(), old.getBytes(),
                          old.getRotate(), old.getLoad(), old.getHeld(),
                          takeWeight(imagesBytes((*images)[number])));
    }
    for (size_t i = 0; i < view.ops.size(); ++i)
      view.ops[i].op->setAttr(GroupOp::kBuffersAttr,
                              ArrayAttr::get(&getContext(), attributes[i]));
    return success();
  }

  /// The tensor that `value` lies in, and where.
  Part rootOf(Value value) const {
    Part part{value, 0};
    for (auto it = partOf.find(value); it != partOf.end();
         it = partOf.find(part.whole)) {
      part.whole = it->second.whole;
      part.offset += it->second.offset;
    }
    return part;
  }

  /// Where an address will do, nothing is copied: a reshape and a slice in one
  /// piece lie in their source, and what a concatenation joins is written
  /// where the whole lies, unless it has another place already.
  void findParts(Block &block) {
    partOf.clear();
    DenseSet<Value> kept; // the caller reads and writes them
    for (Value value : block.getTerminator()->getOperands())
      for (kept.insert(value); auto reshape = value.getDefiningOp<ReshapeOp>();)
        kept.insert(value = reshape.getInput());
    for (Operation &op : block) {
      if (auto reshape = dyn_cast<ReshapeOp>(op)) {
        partOf[reshape.getOutput()] = {reshape.getInput(), 0};
      } else if (auto slice = dyn_cast<SliceOp>(op)) {
        int64_t offset = sliceOffset(slice);
        bool isWeight =
            rootOf(slice.getInput()).whole.getDefiningOp<WeightOp>() != nullptr;
        if (offset >= 0 && !isWeight && !kept.contains(slice.getOutput()))
          partOf[slice.getOutput()] = {slice.getInput(), offset};
      } else if (auto concat = dyn_cast<ConcatOp>(op)) {
        joinParts(concat, kept);
      }
    }
  }

  void joinParts(ConcatOp concat, const DenseSet<Value> &kept) {
    int64_t begin = 0;
    for (Value input : concat.getInputs()) {
      Part part = rootOf(input);
      int64_t offset = pieceOffset(concat.getOutput(), concat.getAxis(), begin);
      begin += dimsOf(input)[concat.getAxis()];
      Operation *maker = part.whole.getDefiningOp();
      bool isFree = maker &&
                    llvm::isa<GroupOp, ConcatOp, MatMulOp, PermuteOp, ArrangeOp,
                              SliceOp, FromBandsOp>(maker) &&
                    !kept.contains(part.whole) &&
                    tensorBytes(part.whole) == tensorBytes(input);
      if (isFree && offset >= 0)
        partOf[part.whole] = {concat.getOutput(), offset};
    }
  }

  /// DRAM tensors by live range over the top-level ops.
  LogicalResult placeActivations(const Chip &chip) {
    func::FuncOp func = getOperation();
    Block &block = func.getBody().front();
    llvm::MapVector<Value, LiveRange> ranges;
    findParts(block);
    auto root = [&](Value value) { return rootOf(value).whole; };
    auto include = [&](Value value, int64_t step) {
      Value whole = root(value);
      auto [it, isNew] =
          ranges.insert({whole, {tensorBytes(whole), step, step}});
      if (!isNew)
        it->second.last = std::max(it->second.last, step);
    };
    int64_t step = 0, end = std::distance(block.begin(), block.end());
    // Inputs and outputs keep their room for the whole run: the caller reads
    // and writes them.
    for (Value argument : block.getArguments())
      ranges[argument] = {tensorBytes(argument), 0, end};
    for (Operation &op : block) {
      bool isReturn = op.hasTrait<OpTrait::IsTerminator>();
      for (Value operand : op.getOperands())
        if (auto it = ranges.find(root(operand)); it != ranges.end()) {
          it->second.last = isReturn ? end : std::max(it->second.last, step);
          if (isReturn)
            it->second.first = 0;
        }
      if (!llvm::isa<WeightOp>(op) && !givesHostTensors(op))
        for (OpResult result : op.getResults())
          if (auto group = dyn_cast<GroupOp>(op);
              !group || group.stores(result.getResultNumber()))
            include(result, step);
      ++step;
    }
    std::vector<LiveRange> list;
    for (auto &entry : ranges)
      list.push_back(entry.second);
    int64_t base = alignUp<int64_t>(cursor, kPageBytes);
    int64_t weightBytes = base - static_cast<int64_t>(chip.weightBase);
    int64_t room =
        static_cast<int64_t>(chip.globalMemoryBase + chip.globalMemoryBytes) -
        base;
    auto offsets = allocate(list, room, 64);
    if (!offsets)
      return unsupported(func.getLoc())
             << "this model needs " << weightBytes
             << " bytes of DRAM for its weights and at least "
             << peakBytes(list) << " for its activations, the chip has "
             << chip.globalMemoryBytes
             << "; make the batch or the input smaller";
    DenseMap<Value, int64_t> addresses;
    for (auto [i, entry] : llvm::enumerate(ranges))
      addresses[entry.first] = base + (*offsets)[i];
    annotate(block, [&](Value value) {
      Part part = rootOf(value);
      auto it = addresses.find(part.whole);
      // What groups keep in local memory has no address.
      return it == addresses.end() ? -1 : it->second + part.offset;
    });
    return success();
  }

  void annotate(Block &block, function_ref<int64_t(Value)> addressOf) {
    func::FuncOp func = getOperation();
    Type i64 = IntegerType::get(&getContext(), 64);
    for (BlockArgument argument : block.getArguments())
      func.setArgAttr(argument.getArgNumber(), kAddressAttr,
                      IntegerAttr::get(i64, addressOf(argument)));
    for (Operation &op : block) {
      if (auto group = dyn_cast<GroupOp>(op)) {
        SmallVector<int64_t> addresses;
        for (Value output : group.getOutputs())
          addresses.push_back(addressOf(output));
        group.setAddresses(addresses);
      } else if (auto custom = dyn_cast<CustomOp>(op)) {
        SmallVector<int64_t> addresses;
        for (Value output : custom.getOutputs())
          addresses.push_back(addressOf(output));
        custom.setAddresses(addresses);
      } else if (op.getNumResults() == 1 && !llvm::isa<WeightOp>(op) &&
                 !givesHostTensors(op)) {
        setAddress(&op, addressOf(op.getResult(0)));
      }
    }
  }

  int64_t cursor = 0;
  DenseMap<Value, Part> partOf;
};
} // namespace

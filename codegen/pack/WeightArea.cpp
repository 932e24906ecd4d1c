//===- WeightArea.cpp - the weights of all stages of a net ----------------===//

#include "codegen/pack/WeightArea.h"
#include "dialects/Refusal.h"
#include "dialects/ppl/TensorLayout.h"
#include "runtime/chips/Alignment.h"
#include "runtime/digest/Sha256.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace weft;
using namespace weft::codegen;

/// As passes/tpu/PlaceGlobal.cpp places them.
static constexpr uint64_t kWeightAlignment = 64;

static LogicalResult checkBytes(ppl::WeightOp weight) {
  if (weight.getRawBytes().empty() && weight.getNumBytes() != 0)
    return weight.emitOpError(
        "has no bytes: the data of its dense_resource is missing");
  return success();
}

/// Frees the bytes; a zero stands for them.
static void dropBytes(ppl::WeightOp weight) {
  auto type = cast<ShapedType>(weight.getValue().getType());
  Attribute old = weight.getValue();
  unsigned bits = type.getElementTypeBitWidth();
  if (!type.getElementType().isInteger())
    return; // codegen/emit makes bytes
  weight.setValueAttr(DenseElementsAttr::get(type, APInt(bits, 0)));
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(old))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      *blob = AsmResourceBlob();
}

namespace {
/// A weight before and after it is moved.
struct Move {
  uint64_t from, size, to;
};
} // namespace

/// Moves the tensors in DRAM that lie in one of `moves`, which are in order of
/// their addresses, and collects the other ones. Fails at one that lies in the
/// weight area where no weight does.
static LogicalResult moveTensors(ppl::NetOp net, ArrayRef<Move> moves,
                                 std::vector<ppl::GlobalOp> &others) {
  uint64_t begin = net.getWeightsAddress();
  uint64_t end = begin + net.getWeightsBytes();
  WalkResult result = net.walk([&](ppl::GlobalOp op) {
    uint64_t address = op.getAddress();
    if (address < begin || address >= end) {
      others.push_back(op);
      return WalkResult::advance();
    }
    const Move *move = llvm::partition_point(
        moves, [&](const Move &m) { return m.from + m.size <= address; });
    if (move == moves.end() || address < move->from) {
      op.emitOpError("reads the weight area where no weight lies");
      return WalkResult::interrupt();
    }
    op.setAddress(address - move->from + move->to);
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

/// What names the bytes of a weight.
static std::pair<rt::Digest, uint64_t> keyOf(ppl::WeightOp weight) {
  ArrayRef<char> raw = weight.getRawBytes();
  return {rt::sha256(reinterpret_cast<const uint8_t *>(raw.data()), raw.size()),
          weight.getNumBytes()};
}

namespace {
/// Weights of one net by their bytes. Compares them: digests of all weights
/// would take longer than packing them.
class EqualWeights {
public:
  explicit EqualWeights(ArrayRef<ppl::WeightOp> weights) {
    for (ppl::WeightOp weight : weights)
      ++countOfSize[weight.getNumBytes()];
  }

  /// An earlier weight of the same bytes; null if `weight` is the first.
  ppl::WeightOp findOrAdd(ppl::WeightOp weight) {
    uint64_t size = weight.getNumBytes();
    if (countOfSize[size] < 2)
      return {};
    StringRef bytes = bytesOf(weight);
    auto &known = weights[{size, llvm::xxh3_64bits(bytes)}];
    for (ppl::WeightOp other : known)
      if (bytesOf(other) == bytes)
        return other;
    known.push_back(weight);
    return {};
  }

private:
  static StringRef bytesOf(ppl::WeightOp weight) {
    ArrayRef<char> raw = weight.getRawBytes();
    return {raw.data(), raw.size()};
  }

  std::map<uint64_t, unsigned> countOfSize;
  std::map<std::pair<uint64_t, uint64_t>, std::vector<ppl::WeightOp>> weights;
};
} // namespace

LogicalResult WeightArea::addFirst(ppl::NetOp net) {
  auto ops = net.getBody().getOps<ppl::WeightOp>();
  std::vector<ppl::WeightOp> weights(ops.begin(), ops.end());
  for (ppl::WeightOp weight : weights)
    if (failed(checkBytes(weight)))
      return failure();
  llvm::stable_sort(weights, [](ppl::WeightOp a, ppl::WeightOp b) {
    return a.getAddress() < b.getAddress();
  });
  EqualWeights equals(weights);
  std::vector<Move> moves;
  uint64_t begin = end = net.getWeightsAddress(), last = begin, saved = 0;
  for (ppl::WeightOp weight : weights) {
    uint64_t size = weight.getNumBytes(), from = weight.getAddress();
    ppl::WeightOp same = equals.findOrAdd(weight);
    uint64_t to = same ? same.getAddress() : from - saved;
    moves.push_back({from, size, to});
    weight.setAddress(to);
    if (same) {
      saved += alignUp<uint64_t>(size, kWeightAlignment);
      dropBytes(weight);
      continue;
    }
    last = std::max(last, to + size);
    end = std::max(end, alignUp<uint64_t>(to + size, kWeightAlignment));
  }
  stages.push_back({net, {}});
  if (failed(moveTensors(net, moves, stages.back().activations)))
    return failure();
  net.setWeightsBytes(last - begin);
  return success();
}

LogicalResult WeightArea::add(ppl::NetOp net) {
  if (stages.empty())
    return addFirst(net);
  // Models of one stage need no digests.
  if (stages.size() == 1)
    for (ppl::WeightOp weight :
         stages.front().net.getBody().getOps<ppl::WeightOp>())
      if (weight.getRawBytes().size() == weight.getNumBytes())
        places.try_emplace(keyOf(weight), weight.getAddress());
  std::vector<Move> moves;
  for (ppl::WeightOp weight : net.getBody().getOps<ppl::WeightOp>()) {
    if (failed(checkBytes(weight)))
      return failure();
    uint64_t size = weight.getNumBytes();
    auto [entry, isNew] = places.try_emplace(keyOf(weight), end);
    uint64_t address = entry->second;
    moves.push_back({weight.getAddress(), size, address});
    weight.setAddress(address);
    if (isNew)
      end = std::max(end, alignUp<uint64_t>(address + size, kWeightAlignment));
    else
      dropBytes(weight);
  }
  llvm::sort(moves,
             [](const Move &a, const Move &b) { return a.from < b.from; });
  stages.push_back({net, {}});
  return moveTensors(net, moves, stages.back().activations);
}

LogicalResult WeightArea::finish() {
  // libbmrt gives a stage whose area is smaller than another's wrong addresses.
  uint64_t bytes = 0;
  for (Stage &stage : stages)
    bytes = std::max<uint64_t>(bytes, stage.net.getContextBytes());
  for (Stage &stage : stages) {
    ppl::NetOp net = stage.net;
    uint64_t begin = net.getContextAddress();
    uint64_t moved = std::max(begin, alignUp<uint64_t>(end, kPageBytes));
    const Chip &chip = ppl::chipOf(net);
    if (moved + bytes > chip.globalMemoryBase + chip.globalMemoryBytes)
      return unsupported(net.getLoc())
             << "this stage needs " << bytes
             << " bytes of DRAM for its activations, the "
             << "weights of all stages need " << end - net.getWeightsAddress()
             << ", the chip has " << chip.globalMemoryBytes
             << "; compile fewer shapes";
    for (ppl::GlobalOp op : stage.activations)
      op.setAddress(op.getAddress() - begin + moved);
    Builder builder(net.getContext());
    auto moveAll = [&](ArrayAttr list) {
      SmallVector<Attribute> result;
      for (ppl::IoAttr io : list.getAsRange<ppl::IoAttr>())
        result.push_back(ppl::IoAttr::get(
            net.getContext(), io.getName(), io.getOnnx(), io.getStored(),
            io.getAddress() - begin + moved, io.getScale(), io.getZeroPoint()));
      return builder.getArrayAttr(result);
    };
    net.setInputsAttr(moveAll(net.getInputs()));
    net.setOutputsAttr(moveAll(net.getOutputs()));
    net.setContextAddress(moved);
    net.setContextBytes(bytes);
    net.setWeightsBytes(end - net.getWeightsAddress());
  }
  return success();
}

FailureOr<std::vector<rt::BytePiece>>
codegen::weightPieces(ArrayRef<ppl::NetOp> nets) {
  std::vector<rt::BytePiece> pieces;
  std::map<uint64_t, uint64_t> known;
  for (ppl::NetOp net : nets)
    for (ppl::WeightOp weight : net.getBody().getOps<ppl::WeightOp>()) {
      if (failed(checkBytes(weight)))
        return failure();
      if (weight.getNumBytes() == 0 ||
          !known.try_emplace(weight.getAddress(), 0).second)
        continue;
      uint64_t offset = weight.getAddress() - net.getWeightsAddress();
      ArrayRef<char> raw = weight.getRawBytes();
      pieces.push_back(
          {offset,
           weight.getNumBytes(),
           {reinterpret_cast<const uint8_t *>(raw.data()), raw.size()}});
    }
  llvm::sort(pieces, [](const rt::BytePiece &a, const rt::BytePiece &b) {
    return a.offset < b.offset;
  });
  return pieces;
}

//===- DebugMapBuilder.cpp - origins and places of an encoded net ---------===//

#include "codegen/pack/DebugMapBuilder.h"
#include "codegen/pack/DecisionsBuilder.h"
#include "codegen/pack/OnnxView.h"
#include "runtime/bmodel/DebugMap.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

#include <map>

using namespace mlir;
using namespace weft;
using namespace weft::codegen;
namespace wire = weft::rt::wire;

namespace {

/// A node as its location names it. Ops that Weft adds have position -1.
using NodeKey = std::pair<std::string, int64_t>;

class DebugMapBuilder {
public:
  DebugMapBuilder(const std::vector<std::string> &nodeOpTypes,
                  const std::vector<std::string> &sourceLines)
      : map(std::make_unique<wire::DebugMapT>()), nodeOpTypes(nodeOpTypes),
        sourceLines(sourceLines) {}

  void addGroup(const CommandGroup &group);
  LogicalResult addPiece(const ObservedPiece &piece);
  /// After all pieces.
  LogicalResult addDecisions(tpu::DecisionsAttr decisions);
  std::unique_ptr<wire::DebugMapT> take() { return std::move(map); }

private:
  uint32_t nodeOf(const NodeKey &key);
  uint32_t sourceOf(Location location);
  std::vector<uint32_t> sourcesOf(ArrayRef<Location> locations);
  FailureOr<wire::DebugTensorT *> tensorOf(const ObservedPiece &piece);

  std::unique_ptr<wire::DebugMapT> map;
  const std::vector<std::string> &nodeOpTypes, &sourceLines;
  std::map<NodeKey, uint32_t> nodeIndex;
  std::map<std::vector<uint32_t>, uint32_t> sourceIndex;
  /// Locations are uniqued, so a location has one source; only looked up.
  llvm::DenseMap<Location, uint32_t> sourceOfLocation;
  llvm::StringMap<size_t> tensorIndex;
};

} // namespace

/// Appends the nodes that `location` names, fused ones in order.
static void
collectNodes(Location location,
             llvm::SetVector<std::pair<StringAttr, int64_t>> &nodes) {
  if (auto fused = dyn_cast<FusedLoc>(location)) {
    for (Location part : fused.getLocations())
      collectNodes(part, nodes);
    return;
  }
  auto name = dyn_cast<NameLoc>(location);
  if (!name)
    return;
  auto position = dyn_cast<FileLineColLoc>(name.getChildLoc());
  nodes.insert({name.getName(), position ? int64_t(position.getLine()) : -1});
}

uint32_t DebugMapBuilder::nodeOf(const NodeKey &key) {
  auto [entry, isNew] = nodeIndex.try_emplace(key, map->nodes.size());
  if (isNew) {
    auto node = std::make_unique<wire::DebugNodeT>();
    node->name = key.first;
    node->index = int32_t(key.second);
    if (key.second >= 0 && size_t(key.second) < nodeOpTypes.size())
      node->op_type = nodeOpTypes[key.second];
    if (key.second >= 0 && size_t(key.second) < sourceLines.size())
      node->source = sourceLines[key.second];
    map->nodes.push_back(std::move(node));
  }
  return entry->second;
}

uint32_t DebugMapBuilder::sourceOf(Location location) {
  auto known = sourceOfLocation.find(location);
  if (known != sourceOfLocation.end())
    return known->second;
  llvm::SetVector<std::pair<StringAttr, int64_t>> named;
  collectNodes(location, named);
  uint32_t source = rt::kNoIndex;
  if (!named.empty()) {
    std::vector<uint32_t> nodes;
    for (auto [name, position] : named)
      nodes.push_back(nodeOf({name.str(), position}));
    auto [entry, isNew] = sourceIndex.try_emplace(nodes, map->sources.size());
    if (isNew) {
      map->sources.push_back(std::make_unique<wire::DebugSourceT>());
      map->sources.back()->nodes = nodes;
    }
    source = entry->second;
  }
  sourceOfLocation[location] = source;
  return source;
}

std::vector<uint32_t> DebugMapBuilder::sourcesOf(ArrayRef<Location> locations) {
  std::vector<uint32_t> sources;
  sources.reserve(locations.size() + 1);
  for (Location location : locations)
    sources.push_back(sourceOf(location));
  sources.push_back(rt::kNoIndex); // the end command
  return sources;
}

void DebugMapBuilder::addGroup(const CommandGroup &group) {
  auto entry = std::make_unique<wire::DebugGroupT>();
  entry->tiu_sources = sourcesOf(group.tiuLocations);
  entry->gdma_sources = sourcesOf(group.gdmaLocations);
  map->groups.push_back(std::move(entry));
}

static std::unique_ptr<wire::Extent>
makeExtent(const std::array<int64_t, 4> &sizes) {
  return std::make_unique<wire::Extent>(sizes[0], sizes[1], sizes[2], sizes[3]);
}

static wire::Engine wireEngine(isa::Engine engine) {
  return engine == isa::Engine::Tiu ? wire::Engine::Tiu : wire::Engine::Gdma;
}

FailureOr<wire::DebugTensorT *>
DebugMapBuilder::tensorOf(const ObservedPiece &piece) {
  auto [entry, isNew] =
      tensorIndex.try_emplace(piece.value, map->tensors.size());
  if (!isNew)
    return map->tensors[entry->second].get();
  std::optional<wire::DataType> type = wireType(piece.type.getElementType());
  if (!type)
    return emitError(piece.location)
           << "value '" << piece.value << "' has the type "
           << piece.type.getElementType() << ", which a bmodel cannot name";
  auto tensor = std::make_unique<wire::DebugTensorT>();
  tensor->value_name = piece.value;
  if (piece.onnx) {
    tensor->onnx = makeOnnxView(piece.onnx);
    auto order = dyn_cast_or_null<StringAttr>(piece.onnx.getEncoding());
    tensor->channels_last = order && order.getValue() == tpu::kChannelsLast;
  }
  tensor->shape = makeExtent(piece.extent);
  tensor->data_type = *type;
  tensor->scale = piece.scale;
  tensor->zero_point = int32_t(piece.zeroPoint);
  tensor->source = sourceOf(piece.location);
  map->tensors.push_back(std::move(tensor));
  return map->tensors.back().get();
}

LogicalResult DebugMapBuilder::addPiece(const ObservedPiece &piece) {
  FailureOr<wire::DebugTensorT *> tensor = tensorOf(piece);
  if (failed(tensor))
    return failure();
  auto entry = std::make_unique<wire::DebugPieceT>();
  entry->offset = makeExtent(piece.offset);
  entry->size = makeExtent(piece.size);
  const ppl::Strides &strides = piece.strides;
  entry->strides = std::make_unique<wire::Strides>(strides.n, strides.c,
                                                   strides.h, strides.w);
  entry->address = piece.address;
  entry->lane = piece.lane;
  entry->memory = piece.type.isLocal() ? wire::MemorySpace::Local
                                       : wire::MemorySpace::Global;
  entry->engine = wireEngine(piece.completeAfter.engine);
  entry->group = piece.completeAfter.group;
  entry->complete_after = piece.completeAfter.index;
  if (piece.overwritten) {
    entry->overwritten_engine = wireEngine(piece.overwritten->engine);
    entry->overwritten_group = piece.overwritten->group;
    entry->overwritten_by = piece.overwritten->index;
  }
  (*tensor)->pieces.push_back(std::move(entry));
  return success();
}

LogicalResult DebugMapBuilder::addDecisions(tpu::DecisionsAttr decisions) {
  DebugMapIndices indices;
  indices.sourceOf = [this](Location location) { return sourceOf(location); };
  indices.tensorOf = [this](StringRef name) {
    auto known = tensorIndex.find(name);
    return known == tensorIndex.end() ? rt::kNoIndex : uint32_t(known->second);
  };
  auto table = buildDecisions(decisions, indices);
  if (failed(table))
    return failure();
  map->decisions = std::move(*table);
  return success();
}

FailureOr<std::unique_ptr<wire::DebugMapT>> codegen::buildDebugMap(
    const EncodedProgram &program, const std::vector<std::string> &nodeOpTypes,
    const std::vector<std::string> &sourceLines, tpu::DecisionsAttr decisions) {
  DebugMapBuilder builder(nodeOpTypes, sourceLines);
  for (const CommandGroup &group : program.groups)
    builder.addGroup(group);
  for (const ObservedPiece &piece : program.pieces)
    if (failed(builder.addPiece(piece)))
      return failure();
  if (decisions && failed(builder.addDecisions(decisions)))
    return failure();
  return builder.take();
}

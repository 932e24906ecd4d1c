#include "runtime/bmodel/DebugMap.h"
#include "runtime/bmodel/Verifier.h"
#include "runtime/bmodel/WireNumbers.h"
#include "runtime/digest/Sha256.h"
#include "runtime/status/Quote.h"

#include <cinttypes>

namespace weft::rt {

namespace {

using SourceVector = flatbuffers::Vector<uint32_t>;

uint32_t sizeOf(const SourceVector *vector) {
  return vector ? vector->size() : 0;
}
template <typename T>
uint32_t sizeOf(const flatbuffers::Vector<flatbuffers::Offset<T>> *vector) {
  return vector ? vector->size() : 0;
}

} // namespace

static Status verifySources(const SourceVector *sources, const char *name,
                            uint32_t commands, uint32_t known) {
  if (sizeOf(sources) != commands)
    return failf(Code::BadFile, "%s has %u entries for %u commands", name,
                 sizeOf(sources), commands);
  for (uint32_t source : *sources)
    if (source != kNoIndex && source >= known)
      return failf(Code::BadFile, "%s names source %u of %u", name, source,
                   known);
  return Status::ok();
}

static bool boxFits(const wire::Extent &offset, const wire::Extent &size,
                    const wire::Extent &shape) {
  auto axisFits = [](uint64_t begin, uint64_t length, uint64_t whole) {
    return length > 0 && begin + length <= whole;
  };
  return axisFits(offset.n(), size.n(), shape.n()) &&
         axisFits(offset.c(), size.c(), shape.c()) &&
         axisFits(offset.h(), size.h(), shape.h()) &&
         axisFits(offset.w(), size.w(), shape.w());
}

/// Elements from the first to behind the last of a box; std::nullopt if that
/// exceeds 2^40.
static std::optional<uint64_t> reach(const wire::DebugPiece &piece,
                                     uint64_t cRows) {
  constexpr uint64_t kLimit = uint64_t(1) << 40;
  const wire::Extent &size = *piece.size();
  const wire::Strides &strides = *piece.strides();
  uint64_t lengths[] = {size.n(), cRows, size.h(), size.w()};
  uint64_t steps[] = {strides.n(), strides.c(), strides.h(), strides.w()};
  uint64_t total = 1;
  for (int i = 0; i < 4; ++i) {
    // Both factors are below 2^32 (cRows too), so the product cannot overflow.
    uint64_t axis = (lengths[i] - 1) * steps[i];
    if (axis > kLimit || total + axis > kLimit)
      return std::nullopt;
    total += axis;
  }
  return total;
}

static Status verifyPlace(const Chip &chip, const StageSpec &stage,
                          const wire::DebugPiece &piece, uint64_t bytes) {
  bool local = piece.memory() == wire::MemorySpace::Local;
  if (!local && piece.memory() != wire::MemorySpace::Global)
    return failf(Code::BadFile, "memory is %d, must be 0 (local) or 1 (global)",
                 int(piece.memory()));
  if (local && piece.lane() >= chip.lanes)
    return failf(Code::BadFile, "lane is %u, the chip has %u", piece.lane(),
                 chip.lanes);
  uint64_t cRows = piece.size()->c();
  if (local)
    cRows = (piece.lane() + cRows + chip.lanes - 1) / chip.lanes;
  std::optional<uint64_t> elements = reach(piece, cRows);
  uint64_t size = elements ? *elements * bytes : 0;
  bool inside =
      elements &&
      (local ? Region{0, chip.laneBytes}.contains(piece.address(), size)
             : stage.activations.contains(piece.address(), size) ||
                   stage.io.contains(piece.address(), size) ||
                   stage.weights.contains(piece.address(), size));
  if (!inside)
    return failf(Code::BadFile,
                 "address 0x%" PRIx64 " with its strides reaches outside the "
                 "%s memory",
                 piece.address(), local ? "lane's" : "stage's");
  return Status::ok();
}

static Status verifyMoment(const StageSpec &stage, const char *name,
                           wire::Engine engine, uint32_t group,
                           uint32_t command) {
  if (engine != wire::Engine::Tiu && engine != wire::Engine::Gdma)
    return failf(Code::BadFile, "%s: engine is %d, must be 0 or 1", name,
                 int(engine));
  if (group >= stage.groups.size())
    return failf(Code::BadFile, "%s: group is %u, there are %zu", name, group,
                 stage.groups.size());
  uint32_t count = engine == wire::Engine::Tiu ? stage.groups[group].tiuCount
                                               : stage.groups[group].gdmaCount;
  if (command >= count)
    return failf(Code::BadFile, "%s: command is %u, there are %u", name,
                 command, count);
  return Status::ok();
}

static Status verifyPiece(const Chip &chip, const StageSpec &stage,
                          const wire::DebugPiece &piece,
                          const wire::Extent &shape, uint64_t elementBytes) {
  if (!piece.offset() || !piece.size() || !piece.strides())
    return fail(Code::BadFile, "offset, size or strides is missing");
  if (!boxFits(*piece.offset(), *piece.size(), shape))
    return fail(Code::BadFile, "the box is empty or exceeds the tensor");
  WEFT_TRY(verifyPlace(chip, stage, piece, elementBytes));
  WEFT_TRY(verifyMoment(stage, "complete_after", piece.engine(), piece.group(),
                        piece.complete_after()));
  if (piece.overwritten_group() == kNoIndex)
    return Status::ok();
  return verifyMoment(stage, "overwritten_by", piece.overwritten_engine(),
                      piece.overwritten_group(), piece.overwritten_by());
}

static Status verifyDebugTensor(const Chip &chip, const StageSpec &stage,
                                const wire::DebugTensor &tensor) {
  std::optional<numeric::ElementType> type = fromWire(tensor.data_type());
  if (!type || *type == numeric::ElementType::I4 ||
      *type == numeric::ElementType::U4)
    return failf(Code::BadFile, "data_type is %u",
                 unsigned(tensor.data_type()));
  if (!tensor.shape())
    return fail(Code::BadFile, "shape is missing");
  const wire::Extent &shape = *tensor.shape();
  std::vector<int64_t> folded = {shape.n(), shape.c(), shape.h(), shape.w()};
  std::optional<int64_t> count = countElements(folded);
  if (!count)
    return failf(Code::BadFile, "shape is %s",
                 numeric::shapeText(folded).c_str());
  if (tensor.onnx()) {
    std::vector<int64_t> dims;
    if (tensor.onnx()->dims())
      for (unsigned i = 0; i < tensor.onnx()->dims()->size(); ++i)
        dims.push_back(int64_t(numberAt(*tensor.onnx()->dims(), i)));
    if (countElements(dims) != count ||
        !numeric::fromOnnxDataType(tensor.onnx()->element_type()))
      return failf(
          Code::BadFile, "onnx view %s (type %d) does not fit shape %s",
          numeric::shapeText(dims).c_str(), tensor.onnx()->element_type(),
          numeric::shapeText(folded).c_str());
    if (tensor.channels_last() && dims.size() != 4)
      return failf(Code::BadFile,
                   "onnx view %s has no four axes, the last of them channels",
                   numeric::shapeText(dims).c_str());
  } else if (tensor.channels_last()) {
    return fail(Code::BadFile, "channels are last in an onnx view that is "
                               "missing");
  }
  if (tensor.source() != kNoIndex &&
      tensor.source() >= sizeOf(stage.debugMap->sources()))
    return failf(Code::BadFile, "source is %u of %u", tensor.source(),
                 sizeOf(stage.debugMap->sources()));
  for (unsigned i = 0; i < sizeOf(tensor.pieces()); ++i)
    WEFT_TRY(verifyPiece(chip, stage, *tensor.pieces()->Get(i), shape,
                         numeric::elementBytes(*type))
                 .withContext("piece " + std::to_string(i)));
  return Status::ok();
}

static Status verifyConversion(const wire::Conversion &record) {
  WEFT_TRY(verifyDigest(record.calibration_sha256(),
                        "conversion.calibration_sha256",
                        /*mayBeMissing=*/true));
  return verifyDigest(record.model_sha256(), "conversion.model_sha256",
                      /*mayBeMissing=*/true);
}

Status verifyDebugMap(const Chip &chip, const StageSpec &stage) {
  const wire::DebugMap &map = *stage.debugMap;
  if (map.conversion())
    WEFT_TRY(verifyConversion(*map.conversion()));
  uint32_t nodes = sizeOf(map.nodes()), sources = sizeOf(map.sources());
  for (unsigned i = 0; i < sources; ++i) {
    const SourceVector *indices = map.sources()->Get(i)->nodes();
    for (unsigned k = 0; k < sizeOf(indices); ++k)
      if (indices->Get(k) >= nodes)
        return failf(Code::BadFile, "sources[%u] names node %u of %u", i,
                     indices->Get(k), nodes);
  }
  if (sizeOf(map.groups()) != stage.groups.size())
    return failf(Code::BadFile, "groups has %u entries for %zu command groups",
                 sizeOf(map.groups()), stage.groups.size());
  for (unsigned i = 0; i < sizeOf(map.groups()); ++i) {
    const wire::DebugGroup *group = map.groups()->Get(i);
    std::string where = "groups[" + std::to_string(i) + "]";
    WEFT_TRY(verifySources(group->tiu_sources(), "tiu_sources",
                           stage.groups[i].tiuCount, sources)
                 .withContext(where));
    WEFT_TRY(verifySources(group->gdma_sources(), "gdma_sources",
                           stage.groups[i].gdmaCount, sources)
                 .withContext(where));
  }
  for (unsigned i = 0; i < sizeOf(map.tensors()); ++i) {
    const wire::DebugTensor *tensor = map.tensors()->Get(i);
    WEFT_TRY(verifyDebugTensor(chip, stage, *tensor)
                 .withContext("tensor " +
                              quoteName(tensor->value_name()->string_view())));
  }
  return Status::ok();
}

std::vector<const wire::DebugNode *> originNodes(const StageSpec &stage,
                                                 size_t group,
                                                 isa::Engine engine,
                                                 size_t index) {
  std::vector<const wire::DebugNode *> nodes;
  if (!stage.debugMap || group >= stage.groups.size())
    return nodes;
  const wire::DebugGroup *table = stage.debugMap->groups()->Get(group);
  const SourceVector *sources =
      engine == isa::Engine::Tiu ? table->tiu_sources() : table->gdma_sources();
  if (index >= sources->size() || sources->Get(index) == kNoIndex)
    return nodes;
  const wire::DebugSource *source =
      stage.debugMap->sources()->Get(sources->Get(index));
  for (unsigned i = 0; i < sizeOf(source->nodes()); ++i)
    nodes.push_back(stage.debugMap->nodes()->Get(source->nodes()->Get(i)));
  return nodes;
}

bool hasLines(const StageSpec &stage) {
  return stage.debugMap && stage.debugMap->has_lines();
}

std::string_view captionOf(const wire::DebugNode &node) {
  if (node.source())
    return node.source()->string_view();
  return node.op_type() ? node.op_type()->string_view() : std::string_view();
}

std::string originText(const StageSpec &stage, size_t group, isa::Engine engine,
                       size_t index) {
  std::string text;
  for (const wire::DebugNode *node : originNodes(stage, group, engine, index)) {
    text += !text.empty() ? " + " : hasLines(stage) ? "line " : "node ";
    text += quoteName(node->name()->string_view());
    if (std::string_view caption = captionOf(*node); !caption.empty())
      text += " (" + std::string(caption) + ")";
  }
  return text;
}

} // namespace weft::rt

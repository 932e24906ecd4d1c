#include "runtime/bmodel/Verifier.h"
#include "runtime/bmodel/WireNumbers.h"
#include "runtime/bmodel/WorkBudget.h"
#include "runtime/digest/Sha256.h"
#include "runtime/status/Quote.h"

#include <cinttypes>
#include <cmath>
#include <set>

namespace weft::rt {

using numeric::elementTypeName;
using numeric::shapeText;

/// The vendor's tensor struct has room for 8 dimensions.
static constexpr size_t kMaxRank = 8;

Result<ByteSpan> findBlob(const Container &container, const wire::Blob *blob,
                          const char *what) {
  if (!blob)
    return failf(Code::BadFile, "%s is missing", what);
  if (blob->start() > container.binary.size ||
      blob->size() > container.binary.size - blob->start())
    return failf(Code::BadFile,
                 "%s: %" PRIu64 " bytes at %" PRIu64
                 " of the binary section, which has %zu bytes",
                 what, blob->size(), blob->start(), container.binary.size);
  return ByteSpan{container.binary.data + blob->start(), size_t(blob->size())};
}

/// Dimensions of a wire shape; empty optional if one is 0 or too large.
static bool readDims(const flatbuffers::Vector<uint64_t> *dims,
                     std::vector<int64_t> &shape) {
  constexpr uint64_t kMaxDim = uint64_t(1) << 40;
  if (!dims)
    return true;
  for (unsigned i = 0; i < dims->size(); ++i) {
    uint64_t dim = numberAt(*dims, i);
    if (dim > kMaxDim)
      return false;
    shape.push_back(int64_t(dim));
  }
  return true;
}

static Status verifyStoredShape(const wire::Tensor &table, TensorSpec &tensor) {
  std::optional<numeric::ElementType> type = fromWire(table.data_type());
  if (!type)
    return failf(Code::BadFile, "data_type is %u, must be 0 to 10",
                 unsigned(table.data_type()));
  if (*type == numeric::ElementType::I4 || *type == numeric::ElementType::U4)
    return failf(Code::Unsupported,
                 "unsupported: stored type %s; 8 to 32 bit types are supported",
                 elementTypeName(*type));
  tensor.storedType = *type;
  if (table.store_mode() != 0)
    return failf(Code::Unsupported,
                 "unsupported: store_mode is %d; 0 (dense) is supported",
                 table.store_mode());
  if (!table.shape() || table.shape()->size() != 1)
    return failf(Code::BadFile, "shape has %u entries, must have 1",
                 table.shape() ? table.shape()->size() : 0);
  bool fits = readDims(table.shape()->Get(0)->dims(), tensor.storedShape);
  std::optional<int64_t> count = countElements(tensor.storedShape);
  if (!fits || !count || tensor.storedShape.size() > kMaxRank)
    return failf(Code::BadFile,
                 "shape %s: at most %zu dimensions, each at least 1, at most "
                 "2^40 elements",
                 shapeText(tensor.storedShape).c_str(), kMaxRank);
  tensor.elements = *count;
  tensor.storedBytes =
      uint64_t(*count) * numeric::elementBytes(tensor.storedType);
  // The vendor's runtime accepts a missing size.
  if (table.size() != 0 && table.size() != tensor.storedBytes)
    return failf(Code::BadFile,
                 "size is %" PRIu64 " bytes, shape %s of %s needs %" PRIu64,
                 table.size(), shapeText(tensor.storedShape).c_str(),
                 elementTypeName(tensor.storedType), tensor.storedBytes);
  return Status::ok();
}

static Status verifyShapeNotes(const wire::OnnxView &view, TensorSpec &tensor) {
  int rank = int(tensor.shape.size());
  if (view.batch_axis() < -1 || view.batch_axis() >= rank)
    return failf(Code::BadFile,
                 "onnx.batch_axis is %d, must be -1 to %d for %d dimensions",
                 view.batch_axis(), rank - 1, rank);
  tensor.batchAxis = view.batch_axis();
  if (!view.symbols())
    return Status::ok();
  if (view.symbols()->size() != tensor.shape.size())
    return failf(Code::BadFile, "onnx.symbols has %u names for %d dimensions",
                 view.symbols()->size(), rank);
  for (const flatbuffers::String *symbol : *view.symbols())
    tensor.symbols.push_back(symbol->str());
  return Status::ok();
}

static Status verifyOnnxView(const wire::OnnxView *view, TensorSpec &tensor) {
  tensor.type = tensor.storedType;
  tensor.shape = tensor.storedShape;
  if (!view)
    return Status::ok();
  // Strings are bytes but for their readers.
  tensor.isText = view->element_type() == kOnnxString;
  std::optional<numeric::ElementType> type =
      tensor.isText ? numeric::ElementType::U8
                    : numeric::fromOnnxDataType(view->element_type());
  if (!type)
    return failf(Code::BadFile,
                 "onnx.element_type is %d, not a type of ONNX tensors",
                 view->element_type());
  std::optional<wire::DataType> stored = storedAs(*type);
  if (!stored || fromWire(*stored) != tensor.storedType)
    return failf(Code::BadFile, "onnx.element_type %s cannot be stored as %s",
                 elementTypeName(*type), elementTypeName(tensor.storedType));
  std::vector<int64_t> shape;
  bool fits = readDims(view->dims(), shape);
  std::optional<int64_t> elements = numeric::elementCount(shape);
  // DRAM holds one element of an empty tensor.
  if (!fits || !elements ||
      (*elements ? *elements : int64_t(1)) != tensor.elements)
    return failf(Code::BadFile,
                 "onnx.dims %s has another number of elements than shape %s",
                 shapeText(shape).c_str(),
                 shapeText(tensor.storedShape).c_str());
  if (tensor.isText && (shape.empty() || shape.back() == 0))
    return failf(Code::BadFile,
                 "onnx.dims %s have no axis with the bytes of strings",
                 shapeText(shape).c_str());
  if (const auto *dependent = view->data_dependent();
      dependent && dependent->size() != 0) {
    if (dependent->size() != shape.size())
      return failf(Code::BadFile,
                   "onnx.data_dependent has %u entries for %zu dimensions",
                   dependent->size(), shape.size());
    for (bool value : *dependent)
      tensor.dataDependent.push_back(value);
  }
  tensor.type = *type;
  tensor.shape = std::move(shape);
  tensor.elements = *elements;
  tensor.hasOnnxView = true;
  return verifyShapeNotes(*view, tensor);
}

Status verifyTensor(const wire::Tensor *table, const Region &home,
                    const char *homeName, TensorSpec &tensor) {
  WEFT_TRY(verifyStoredShape(*table, tensor));
  WEFT_TRY(verifyOnnxView(table->onnx(), tensor));
  tensor.address = table->device_address();
  if (!home.contains(tensor.address, tensor.storedBytes))
    return failf(Code::BadFile,
                 "device_address 0x%" PRIx64 " with %" PRIu64
                 " bytes is outside the %s area 0x%" PRIx64 " to 0x%" PRIx64,
                 tensor.address, tensor.storedBytes, homeName, home.address,
                 home.end());
  tensor.scale = table->scale();
  tensor.zeroPoint = table->zero_point();
  if (!std::isfinite(tensor.scale) || tensor.scale <= 0)
    return failf(Code::BadFile, "scale is %g, must be positive and finite",
                 double(tensor.scale));
  return Status::ok();
}

using TensorTables = flatbuffers::Vector<flatbuffers::Offset<wire::Tensor>>;

static Status verifyTensors(const TensorTables &tables, const char *kind,
                            const Region &home, const char *homeName,
                            std::vector<TensorSpec> &tensors) {
  std::set<std::string> names;
  for (unsigned i = 0; i < tables.size(); ++i) {
    TensorSpec tensor;
    tensor.name = tables[i]->name()->str();
    std::string where = std::string(kind) + " " + std::to_string(i) + " " +
                        quoteName(tensor.name);
    if (tensor.name.empty() || !names.insert(tensor.name).second)
      return fail(Code::BadFile,
                  where + ": names must not be empty and not occur twice");
    if (const char *problem = nameProblem(tensor.name))
      return failf(Code::BadFile, "%s: the name %s", where.c_str(), problem);
    WEFT_TRY(
        verifyTensor(tables[i], home, homeName, tensor).withContext(where));
    tensors.push_back(std::move(tensor));
  }
  return Status::ok();
}

static Status verifyRegion(const Chip &chip, const char *name,
                           const Region &region) {
  if (region.bytes == 0)
    return Status::ok();
  Region dram{chip.globalMemoryBase, chip.globalMemoryBytes};
  if (!dram.contains(region.address, region.bytes))
    return failf(Code::BadFile,
                 "%s: %" PRIu64 " bytes at 0x%" PRIx64
                 ", but DRAM goes from 0x%" PRIx64 " to 0x%" PRIx64,
                 name, region.bytes, region.address, dram.address, dram.end());
  return Status::ok();
}

static Status verifyDisjoint(const char *nameA, const Region &a,
                             const char *nameB, const Region &b) {
  if (a.bytes == 0 || b.bytes == 0 || a.end() <= b.address ||
      b.end() <= a.address)
    return Status::ok();
  return failf(Code::BadFile,
               "%s (0x%" PRIx64 ", %" PRIu64 " bytes) and %s (0x%" PRIx64
               ", %" PRIu64 " bytes) overlap",
               nameA, a.address, a.bytes, nameB, b.address, b.bytes);
}

static Status verifyWeights(const FileContext &file, const wire::Weights *table,
                            StageSpec &stage) {
  if (!table)
    return Status::ok();
  if (table->encrypt_mode() != 0)
    return fail(Code::Unsupported, "unsupported: weights are encrypted");
  Result<ByteSpan> bytes =
      findBlob(file.container, table->blob(), "weights.blob");
  if (!bytes)
    return bytes.status();
  stage.weightBytes = *bytes;
  stage.weights = {table->address(), bytes->size};
  WEFT_TRY(verifyRegion(*file.chip, "weights", stage.weights));
  // A missing digest crashes the vendor's runtime, so it is an error here too.
  WEFT_TRY(verifyDigest(table->sha256(), "weights.sha256",
                        /*mayBeMissing=*/false));
  std::array<uint8_t, 32> digest = sha256(bytes->data, bytes->size);
  if (std::memcmp(digest.data(), table->sha256()->data(), 32) != 0)
    return failf(Code::BadFile,
                 "weights.sha256 does not match the %zu weight bytes at byte "
                 "%" PRIu64 " of the file: they have changed",
                 bytes->size,
                 file.container.binaryOffset + table->blob()->start());
  if (!table->locations())
    return Status::ok();
  for (const wire::WeightLocation *location : *table->locations())
    if (location->offset() > bytes->size ||
        location->size() > bytes->size - location->offset())
      return failf(Code::BadFile,
                   "weights.locations %s: %" PRIu64 " bytes at %" PRIu64
                   ", but there are %zu weight bytes",
                   quoteName(location->name()->string_view()).c_str(),
                   location->size(), location->offset(), bytes->size);
  return Status::ok();
}

static Status verifyAreas(const FileContext &file,
                          const wire::NetParameter &table,
                          wire::AddressMode mode, StageSpec &stage) {
  stage.activations = {table.context_address(), table.context_bytes()};
  WEFT_TRY(verifyRegion(*file.chip, "context", stage.activations));
  if (mode == wire::AddressMode::IoAlone) {
    stage.io = {table.io_address(), table.io_bytes()};
    WEFT_TRY(verifyRegion(*file.chip, "io", stage.io));
  }
  WEFT_TRY(
      verifyDisjoint("weights", stage.weights, "context", stage.activations));
  WEFT_TRY(verifyDisjoint("weights", stage.weights, "io", stage.io));
  WEFT_TRY(verifyDisjoint("context", stage.activations, "io", stage.io));
  if (const auto *parts = table.context_parts()) {
    // Several parts (memory split over 4 GiB) would need one region each.
    if (parts->size() != 1 || numberAt(*parts, 0) != table.context_bytes())
      return failf(Code::Unsupported,
                   "unsupported: context_parts has %u entries; it must hold "
                   "context_bytes (%" PRIu64 ") alone",
                   parts->size(), table.context_bytes());
  }
  return Status::ok();
}

/// What Weft cannot run: dynamic shapes, several cores, other processors.
static Status verifyKind(const wire::NetParameter &table) {
  if (table.is_dynamic() != 0)
    return fail(Code::Unsupported,
                "unsupported: the stage is dynamic; compile it for fixed "
                "shapes");
  if (table.core_count() > 1)
    return failf(Code::Unsupported,
                 "unsupported: core_count is %u; the chip has 1",
                 table.core_count());
  if (!table.sub_nets() || table.sub_nets()->size() == 0)
    return fail(Code::BadFile, "sub_nets is missing; there must be at least 1");
  for (unsigned i = 0; i < table.sub_nets()->size(); ++i) {
    const wire::SubNet *subNet = table.sub_nets()->Get(i);
    bool isHost = subNet->mode() == wire::SubNetMode::Cpu;
    if (subNet->mode() != wire::SubNetMode::Tpu && !isHost)
      return failf(Code::Unsupported,
                   "unsupported: sub-net %u has mode %d; only modes 0 (TPU) "
                   "and 1 (CPU) can run",
                   i, int(subNet->mode()));
    if (isHost && subNet->groups() && subNet->groups()->size() != 0)
      return failf(Code::BadFile,
                   "sub-net %u of mode 1 (CPU) has command groups", i);
    if (subNet->is_dynamic() != 0)
      return failf(Code::Unsupported, "unsupported: sub-net %u is dynamic", i);
    if (subNet->core_commands() && subNet->core_commands()->size() != 0)
      return failf(Code::Unsupported,
                   "unsupported: sub-net %u has commands for several cores", i);
  }
  return Status::ok();
}

/// The program of a sub-net of mode Cpu.
static Result<host::Program> readHostProgram(const Container &container,
                                             const wire::SubNet &subNet) {
  if (!subNet.cpu_layers() || subNet.cpu_layers()->size() != 1)
    return failf(Code::Unsupported,
                 "unsupported: it has %u CPU layers; those of weft have 1",
                 subNet.cpu_layers() ? subNet.cpu_layers()->size() : 0);
  const wire::CpuLayer *layer = subNet.cpu_layers()->Get(0);
  if (layer->op_type() != host::kLayerType)
    return failf(Code::Unsupported,
                 "unsupported: CPU layer of type %d; only weft's own (%d) can "
                 "run",
                 layer->op_type(), host::kLayerType);
  Result<ByteSpan> bytes =
      findBlob(container, layer->parameters(), "cpu_layers[0].parameters");
  if (!bytes)
    return bytes.status();
  return host::parseProgram(bytes->data, bytes->size);
}

static bool sameBlob(const wire::Blob *a, const wire::Blob *b) {
  return a && b ? a->start() == b->start() && a->size() == b->size() : a == b;
}

/// The stage's groups must be those of the sub-nets one after the other:
/// runtimes differ in which of the two they execute.
static Status verifySameGroups(const wire::NetParameter &table) {
  unsigned next = 0;
  for (const wire::SubNet *subNet : *table.sub_nets()) {
    if (!subNet->groups())
      continue;
    for (const wire::CommandGroup *group : *subNet->groups()) {
      const wire::CommandGroup *other =
          next < table.groups()->size() ? table.groups()->Get(next) : nullptr;
      if (!other || other->tiu_count() != group->tiu_count() ||
          other->gdma_count() != group->gdma_count() ||
          !sameBlob(other->tiu_blob(), group->tiu_blob()) ||
          !sameBlob(other->gdma_blob(), group->gdma_blob()))
        return failf(Code::BadFile,
                     "groups[%u] of the stage and of its sub-nets differ",
                     next);
      ++next;
    }
  }
  if (next != table.groups()->size())
    return failf(Code::BadFile,
                 "the stage has %u groups, its sub-nets have %u; they must be "
                 "the same",
                 table.groups()->size(), next);
  return Status::ok();
}

/// The programs of the host, in the order of the sub-nets, against what the
/// stage has.
static Status verifySubNets(const FileContext &file,
                            const wire::NetParameter &table, StageSpec &stage) {
  host::StageView view;
  for (const TensorSpec &tensor : stage.inputs)
    view.inputs.push_back(userType(tensor));
  for (const TensorSpec &tensor : stage.outputs)
    view.outputs.push_back(userType(tensor));
  view.mayWrite = [&](const host::Place &place) {
    return stage.activations.contains(place.address, place.bytes()) ||
           stage.io.contains(place.address, place.bytes());
  };
  view.mayRead = [&](const host::Place &place) {
    return view.mayWrite(place) ||
           stage.weights.contains(place.address, place.bytes());
  };
  host::ProgramState state;
  state.givenOutputs.resize(stage.outputs.size());
  size_t group = 0;
  for (unsigned i = 0; i < table.sub_nets()->size(); ++i) {
    const wire::SubNet *subNet = table.sub_nets()->Get(i);
    SubNetSpec spec;
    spec.firstGroup = group;
    spec.groupCount = subNet->groups() ? subNet->groups()->size() : 0;
    group += spec.groupCount;
    if (subNet->mode() == wire::SubNetMode::Cpu) {
      std::string where = "sub-net " + std::to_string(i);
      Result<host::Program> program = readHostProgram(file.container, *subNet);
      if (!program)
        return program.status().withContext(where);
      WEFT_TRY(host::checkProgram(*program, view, state).withContext(where));
      spec.program = *std::move(program);
    }
    stage.subNets.push_back(std::move(spec));
  }
  for (size_t i = 0; i < stage.outputs.size(); ++i) {
    stage.outputs[i].fromHost = state.givenOutputs[i];
    if (!stage.outputs[i].dataDependent.empty() && !state.givenOutputs[i])
      return failf(Code::BadFile,
                   "the shape of output %s depends on data, but no program of "
                   "the host gives it",
                   quoteName(stage.outputs[i].name).c_str());
  }
  for (const TensorSpec &input : stage.inputs)
    if (!input.dataDependent.empty())
      return failf(Code::BadFile, "input %s has a shape that depends on data",
                   quoteName(input.name).c_str());
  return Status::ok();
}

static Status verifyGroups(const FileContext &file,
                           const wire::NetParameter &table,
                           wire::AddressMode mode, StageSpec &stage) {
  if (!table.groups() || table.groups()->size() == 0)
    return fail(Code::BadFile,
                "groups is missing; without it the vendor's runtime executes "
                "nothing");
  WEFT_TRY(verifySameGroups(table));
  WorkBudget budget(*file.chip,
                    std::max(stage.activations.bytes, stage.io.bytes));
  for (unsigned i = 0; i < table.groups()->size(); ++i) {
    GroupSpec group;
    WEFT_TRY(
        verifyGroup(file, stage, mode, table.groups()->Get(i), budget, group)
            .withContext("groups[" + std::to_string(i) + "]"));
    stage.groups.push_back(std::move(group));
  }
  return Status::ok();
}

/// One size of the batch for all.
static Status verifyBatch(const StageSpec &stage) {
  int64_t size = 0;
  for (const auto *list : {&stage.inputs, &stage.outputs})
    for (const TensorSpec &tensor : *list) {
      if (tensor.batchAxis < 0)
        continue;
      int64_t own = tensor.shape[tensor.batchAxis];
      if (size != 0 && own != size)
        return failf(Code::BadFile,
                     "onnx.batch_axis of %s: %lld entries, others have %lld",
                     quoteName(tensor.name).c_str(),
                     static_cast<long long>(own), static_cast<long long>(size));
      size = own;
    }
  return Status::ok();
}

static Status verifyStage(const FileContext &file,
                          const wire::NetParameter &table,
                          wire::AddressMode mode, StageSpec &stage) {
  stage.table = &table;
  stage.debugMap = table.debug_map();
  WEFT_TRY(verifyKind(table));
  WEFT_TRY(verifyWeights(file, table.weights(), stage));
  WEFT_TRY(verifyAreas(file, table, mode, stage));
  bool alone = mode == wire::AddressMode::IoAlone;
  const Region &home = alone ? stage.io : stage.activations;
  const char *homeName = alone ? "io" : "context";
  WEFT_TRY(
      verifyTensors(*table.inputs(), "input", home, homeName, stage.inputs));
  WEFT_TRY(
      verifyTensors(*table.outputs(), "output", home, homeName, stage.outputs));
  if (stage.outputs.empty())
    return fail(Code::BadFile, "the stage has no output");
  WEFT_TRY(verifyBatch(stage));
  WEFT_TRY(verifyGroups(file, table, mode, stage));
  WEFT_TRY(verifySubNets(file, table, stage));
  if (stage.debugMap) {
    WEFT_TRY(verifyDebugMap(*file.chip, stage).withContext("debug_map"));
    WEFT_TRY(verifyDecisions(file.container, stage)
                 .withContext("debug_map.decisions"));
  }
  return Status::ok();
}

Status verifyNet(const FileContext &file, const wire::Net &table,
                 NetSpec &net) {
  net.addressMode = table.address_mode();
  switch (net.addressMode) {
  case wire::AddressMode::Basic:
  case wire::AddressMode::IoAlone:
  case wire::AddressMode::IoReloc:
    break;
  default:
    return failf(Code::Unsupported,
                 "unsupported: address_mode is %d; 0 (basic), 1 (io_alone) "
                 "and 4 (io_reloc) are supported",
                 int(net.addressMode));
  }
  if (!table.stages() || table.stages()->size() == 0)
    return fail(Code::BadFile, "the net has no stage");
  for (unsigned i = 0; i < table.stages()->size(); ++i) {
    StageSpec stage;
    WEFT_TRY(verifyStage(file, *table.stages()->Get(i), net.addressMode, stage)
                 .withContext("stage " + std::to_string(i)));
    // Every stage serves the same interface, in other shapes.
    if (i > 0 && (stage.inputs.size() != net.stages[0].inputs.size() ||
                  stage.outputs.size() != net.stages[0].outputs.size()))
      return failf(Code::BadFile,
                   "stage %u has %zu inputs and %zu outputs, stage 0 has %zu "
                   "and %zu",
                   i, stage.inputs.size(), stage.outputs.size(),
                   net.stages[0].inputs.size(), net.stages[0].outputs.size());
    net.stages.push_back(std::move(stage));
  }
  return Status::ok();
}

} // namespace weft::rt

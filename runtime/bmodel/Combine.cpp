#include "runtime/bmodel/Combine.h"
#include "runtime/bmodel/Conversion.h"
#include "runtime/status/Quote.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <map>
#include <optional>

namespace weft::rt {

using Stages = std::vector<std::unique_ptr<wire::NetParameterT>>;

/// What a stage needs for its activations, whatever it was combined with.
static uint64_t ownContextBytes(const wire::NetParameterT &stage) {
  return stage.own_context_bytes != 0 ? stage.own_context_bytes
                                      : stage.context_bytes;
}

static void setContextBytes(wire::NetParameterT &stage, uint64_t bytes) {
  uint64_t own = ownContextBytes(stage);
  stage.own_context_bytes = own == bytes ? 0 : own;
  stage.context_bytes = bytes;
  if (!stage.context_parts.empty())
    stage.context_parts = {bytes};
}

/// Gives the activation areas of all stages the size of the largest.
static void levelContexts(Stages &stages) {
  uint64_t largest = 0;
  for (const std::unique_ptr<wire::NetParameterT> &stage : stages)
    largest = std::max(largest, ownContextBytes(*stage));
  for (const std::unique_ptr<wire::NetParameterT> &stage : stages)
    setContextBytes(*stage, largest);
}

static void setNeuronBytes(wire::ModelT &model) {
  model.neuron_bytes = 0;
  for (const std::unique_ptr<wire::NetT> &net : model.nets)
    for (const std::unique_ptr<wire::NetParameterT> &stage : net->stages)
      model.neuron_bytes = std::max(model.neuron_bytes, stage->context_bytes);
}

/// The areas that grew must not reach into others or leave the memory.
static Status checkContexts(const FileParts &parts) {
  const Chip &chip = parts.files.front().chip();
  const uint64_t end = chip.globalMemoryBase + chip.globalMemoryBytes;
  for (size_t n = 0; n < parts.tables.nets.size(); ++n) {
    const wire::NetT &net = *parts.tables.nets[n];
    for (const std::unique_ptr<wire::NetParameterT> &stage : net.stages) {
      if (stage->own_context_bytes == 0)
        continue;
      uint64_t begin = stage->context_address, limit = end;
      for (uint64_t other :
           {stage->weights ? stage->weights->address : 0,
            net.address_mode == wire::AddressMode::IoAlone ? stage->io_address
                                                           : 0})
        if (other > begin)
          limit = std::min(limit, other);
      if (stage->context_bytes > limit - begin)
        return failf(Code::OutOfRange,
                     "net %s: its stages need %" PRIu64
                     " bytes for the activations of the largest, but a stage "
                     "has only %" PRIu64 " from its address 0x%" PRIx64
                     "; take fewer of them",
                     quoteName(net.name).c_str(), stage->context_bytes,
                     limit - begin, begin);
    }
  }
  return Status::ok();
}

/// What is different in the interfaces of two tensors; "" if nothing is but the
/// sizes.
static std::string difference(const TensorSpec &a, const TensorSpec &b) {
  auto typeText = [](const TensorSpec &tensor) {
    return std::string(numeric::elementTypeName(tensor.type)) + " stored as " +
           numeric::elementTypeName(tensor.storedType);
  };
  if (a.name != b.name)
    return "is called " + quoteName(b.name) + ", there " + quoteName(a.name);
  std::string subject = quoteName(b.name);
  if (a.type != b.type || a.storedType != b.storedType)
    return subject + " is " + typeText(b) + ", there " + typeText(a);
  if (a.shape.size() != b.shape.size() ||
      a.storedShape.size() != b.storedShape.size())
    return subject + " has " + std::to_string(b.shape.size()) +
           " axes, there " + std::to_string(a.shape.size());
  // Runtimes have one scale for a net.
  if (a.scale != b.scale || a.zeroPoint != b.zeroPoint)
    return subject + " is quantized otherwise";
  return "";
}

static std::string difference(const std::vector<TensorSpec> &a,
                              const std::vector<TensorSpec> &b,
                              const char *kind) {
  if (a.size() != b.size())
    return "has " + std::to_string(b.size()) + " " + kind + "s, there " +
           std::to_string(a.size());
  for (size_t i = 0; i < a.size(); ++i)
    if (std::string what = difference(a[i], b[i]); !what.empty())
      return std::string(kind) + " " + std::to_string(i) + " " + what;
  return "";
}

static bool hasSameShapes(const StageSpec &a, const StageSpec &b) {
  for (size_t i = 0; i < a.inputs.size(); ++i)
    if (a.inputs[i].shape != b.inputs[i].shape ||
        a.inputs[i].storedShape != b.inputs[i].storedShape)
      return false;
  return true;
}

namespace {

/// The file under construction.
class Combination {
public:
  explicit Combination(FileParts first) : parts(std::move(first)) {
    const Bmodel &model = parts.files.front();
    for (const NetSpec &net : model.nets())
      origins.push_back({{&model.path(), &net}});
  }
  Status add(const Bmodel &model);
  Result<FileParts> finish();

private:
  /// A net of an earlier model, and that model's path.
  struct Origin {
    const std::string *path;
    const NetSpec *net;
  };
  Status checkFile(const wire::ModelT &tables) const;
  Status addModules(FileParts &added);
  Status checkStages(const NetSpec &net, bool isCascade, size_t known) const;
  void addNet(std::unique_ptr<wire::NetT> table, const Origin &origin);

  FileParts parts;
  /// One for each net of `parts`: where its stages come from.
  std::vector<std::vector<Origin>> origins;
};

} // namespace

Status Combination::checkFile(const wire::ModelT &tables) const {
  const wire::ModelT &first = parts.tables;
  const std::string &path = parts.files.front().path();
  if (tables.chip != first.chip)
    return failf(Code::InvalidArgument, "is for chip %s, %s for %s",
                 quoteName(tables.chip).c_str(), path.c_str(),
                 quoteName(first.chip).c_str());
  // A missing count of devices is one.
  if (std::max(tables.device_count, 1u) != std::max(first.device_count, 1u) ||
      tables.bmodel_type != first.bmodel_type || tables.type != first.type)
    return failf(Code::InvalidArgument,
                 "is for another number of devices or of another kind (type "
                 "%s, %u devices, bmodel_type %u) than %s (%s, %u, %u)",
                 quoteName(tables.type).c_str(), tables.device_count,
                 tables.bmodel_type, path.c_str(),
                 quoteName(first.type).c_str(), first.device_count,
                 first.bmodel_type);
  return Status::ok();
}

/// Takes a module of the card or of the host over, or finds that both have one.
template <typename Module>
static Status addModule(FileParts &parts, std::unique_ptr<Module> &kept,
                        FileParts &added, std::unique_ptr<Module> &other,
                        const char *name) {
  if (!other)
    return Status::ok();
  // The vendor's compiler writes an empty one where it has none.
  ByteSpan bytes = added.bytesOf.at(other->blob.get());
  if (bytes.size == 0)
    return Status::ok();
  ByteSpan known = kept ? parts.bytesOf.at(kept->blob.get()) : ByteSpan();
  if (known.size == 0) {
    kept = std::move(other);
    return Status::ok();
  }
  if (known.size == bytes.size &&
      std::memcmp(known.data, bytes.data, bytes.size) == 0)
    return Status::ok();
  return failf(Code::InvalidArgument,
               "has another %s (%zu bytes) than %s (%zu bytes); a file has "
               "one: compile both with one version of the compiler",
               name, bytes.size, parts.files.front().path().c_str(),
               known.size);
}

Status Combination::addModules(FileParts &added) {
  WEFT_TRY(addModule(parts, parts.tables.kernel_module, added,
                     added.tables.kernel_module, "kernel module"));
  WEFT_TRY(addModule(parts, parts.tables.cpuop_module, added,
                     added.tables.cpuop_module, "CPU module"));
  std::unique_ptr<wire::Blob> &kept = parts.tables.backend_library,
                              &other = added.tables.backend_library;
  if (other && added.bytesOf.at(other.get()).size != 0 &&
      (!kept || parts.bytesOf.at(kept.get()).size == 0))
    kept = std::move(other);
  return Status::ok();
}

/// Whether the stages of `net` can become stages of net `known`.
Status Combination::checkStages(const NetSpec &net, bool isCascade,
                                size_t known) const {
  const Origin &first = origins[known].front();
  const std::string there = *first.path;
  if (net.addressMode != first.net->addressMode)
    return failf(Code::InvalidArgument,
                 "address_mode is %d, that of the net of this name in %s is "
                 "%d, and a net has one",
                 int(net.addressMode), there.c_str(),
                 int(first.net->addressMode));
  if (parts.tables.nets[known]->cascade || isCascade)
    return fail(Code::InvalidArgument,
                "it or the net of this name in " + there +
                    " is a part of a net for several devices, which has no "
                    "stages; give them different names");
  const StageSpec &a = first.net->stages.front(), &b = net.stages.front();
  std::string what = difference(a.inputs, b.inputs, "input");
  if (what.empty())
    what = difference(a.outputs, b.outputs, "output");
  if (!what.empty())
    return fail(
        Code::InvalidArgument,
        what + ", in " + there +
            "; nets of one name become stages of one net, which need "
            "equal interfaces; give one of them another name first (weft "
            "bmodel rename)");
  for (const Origin &origin : origins[known])
    for (const StageSpec &old : origin.net->stages)
      for (size_t i = 0; i < net.stages.size(); ++i)
        if (hasSameShapes(old, net.stages[i]))
          return failf(Code::InvalidArgument,
                       "stage %zu: a net of this name for inputs of the same "
                       "shapes is in %s; a runtime could not tell them apart",
                       i, origin.path->c_str());
  return Status::ok();
}

void Combination::addNet(std::unique_ptr<wire::NetT> table,
                         const Origin &origin) {
  for (size_t i = 0; i < origins.size(); ++i) {
    if (parts.tables.nets[i]->name != table->name)
      continue;
    for (std::unique_ptr<wire::NetParameterT> &stage : table->stages)
      parts.tables.nets[i]->stages.push_back(std::move(stage));
    origins[i].push_back(origin);
    return;
  }
  parts.tables.nets.push_back(std::move(table));
  origins.push_back({origin});
}

Status Combination::add(const Bmodel &model) {
  Result<FileParts> added = takeApart(model);
  if (!added)
    return added.status();
  WEFT_TRY(checkFile(added->tables).withContext(model.path()));
  for (size_t n = 0; n < model.nets().size(); ++n)
    for (size_t i = 0; i < origins.size(); ++i)
      if (const NetSpec &net = model.nets()[n];
          origins[i].front().net->name == net.name)
        WEFT_TRY(checkStages(net, added->tables.nets[n]->cascade != nullptr, i)
                     .withContext("net " + quoteName(net.name))
                     .withContext(model.path()));
  WEFT_TRY(addModules(*added).withContext(model.path()));
  // Assigned: a blob may lie where one was that is gone.
  for (const auto &[blob, bytes] : added->bytesOf)
    parts.bytesOf[blob] = bytes;
  parts.files.push_back(model);
  for (size_t i = 0; i < model.nets().size(); ++i)
    addNet(std::move(added->tables.nets[i]), {&model.path(), &model.nets()[i]});
  return Status::ok();
}

Result<FileParts> Combination::finish() {
  uint64_t tables = 0;
  for (const Bmodel &model : parts.files)
    tables += parseContainer(model.fileBytes())->flatbuffer.size;
  // takeApart() has bounded what each becomes; a flatbuffer ends at 2 GB.
  constexpr uint64_t kMaxTableBytes = uint64_t(200) << 20;
  if (tables > kMaxTableBytes)
    return failf(Code::OutOfRange,
                 "the tables of all files have %" PRIu64
                 " bytes, more than %" PRIu64
                 "; combine fewer, or take the debug maps out first (weft "
                 "bmodel strip)",
                 tables, kMaxTableBytes);
  for (size_t i = 0; i < origins.size(); ++i)
    if (origins[i].size() > 1)
      levelContexts(parts.tables.nets[i]->stages);
  WEFT_TRY(checkContexts(parts));
  setNeuronBytes(parts.tables);
  return std::move(parts);
}

Result<FileParts> combine(const std::vector<Bmodel> &models) {
  Result<FileParts> first = takeApart(models.front());
  if (!first)
    return first.status();
  Combination combination(*std::move(first));
  for (size_t i = 1; i < models.size(); ++i)
    WEFT_TRY(combination.add(models[i]));
  return combination.finish();
}

/// The stage whose map has the record that stage `index` relies on;
/// std::nullopt if none has.
static std::optional<size_t> recordOwner(const wire::NetT &net, size_t index) {
  for (size_t i = index + 1; i-- > 0;)
    if (const wire::DebugMapT *map = net.stages[i]->debug_map.get();
        map && map->conversion)
      return i;
  return std::nullopt;
}

/// The stages `indices` of `net`, in that order, each with the record that it
/// relied on: of its own, or the one before it has.
static Stages keepStages(wire::NetT &net, const std::vector<size_t> &indices) {
  std::vector<std::optional<size_t>> owners;
  std::map<size_t, wire::ConversionT> records;
  for (size_t index : indices) {
    owners.push_back(recordOwner(net, index));
    if (owners.back())
      records.try_emplace(*owners.back(),
                          *net.stages[*owners.back()]->debug_map->conversion);
  }
  Stages kept;
  for (size_t i = 0; i < indices.size(); ++i) {
    kept.push_back(std::move(net.stages[indices[i]]));
    wire::DebugMapT *map = kept.back()->debug_map.get();
    bool isOwners = i > 0 && owners[i] == owners[i - 1];
    if (!map || !owners[i])
      continue;
    map->conversion =
        isOwners ? nullptr
                 : std::make_unique<wire::ConversionT>(records.at(*owners[i]));
  }
  return kept;
}

Result<FileParts> extract(const Bmodel &model, const NetSpec &net,
                          const std::vector<size_t> &stages) {
  Result<FileParts> parts = takeApart(model);
  if (!parts)
    return parts.status();
  std::vector<std::unique_ptr<wire::NetT>> &nets = parts->tables.nets;
  std::unique_ptr<wire::NetT> table =
      std::move(nets[size_t(&net - model.nets().data())]);
  nets.clear();
  if (!stages.empty())
    table->stages = keepStages(*table, stages);
  levelContexts(table->stages);
  nets.push_back(std::move(table));
  WEFT_TRY(checkContexts(*parts).withContext(model.path()));
  setNeuronBytes(parts->tables);
  return parts;
}

} // namespace weft::rt

#include "runtime/bmodel/FileParts.h"
#include "runtime/bmodel/TableTree.h"
#include "runtime/bmodel/Verifier.h"

#include <algorithm>

namespace weft::rt {

namespace {

/// A blob of the tables; null: the table has none.
struct BlobSlot {
  const char *name;
  wire::Blob *blob;
  /// The digest, where the tables have it.
  const std::vector<uint8_t> *sha256 = nullptr;
};

using Slots = std::vector<BlobSlot>;

} // namespace

static void
addGroups(const std::vector<std::unique_ptr<wire::CommandGroupT>> &groups,
          Slots &slots) {
  for (const std::unique_ptr<wire::CommandGroupT> &group : groups) {
    slots.push_back({"tiu_blob", group->tiu_blob.get()});
    slots.push_back({"gdma_blob", group->gdma_blob.get()});
  }
}

/// In the order in which codegen/pack stores them, which is the vendor's, too.
/// Not those of core_commands: the loader takes no file that has any.
static void addStage(wire::NetParameterT &stage, Slots &slots) {
  if (wire::WeightsT *weights = stage.weights.get())
    // The digest of encrypted weights is of other bytes.
    slots.push_back({"weights.blob", weights->blob.get(),
                     weights->encrypt_mode == 0 ? &weights->sha256 : nullptr});
  addGroups(stage.groups, slots);
  for (const std::unique_ptr<wire::SubNetT> &subNet : stage.sub_nets) {
    addGroups(subNet->groups, slots);
    for (const std::unique_ptr<wire::CpuLayerT> &layer : subNet->cpu_layers) {
      slots.push_back({"cpu_layers.parameters", layer->parameters.get()});
      for (const std::unique_ptr<wire::CpuConstantT> &constant :
           layer->constants)
        slots.push_back({"constants.blob", constant->blob.get()});
    }
  }
  slots.push_back({"profile", stage.profile.get()});
  slots.push_back({"ir_blob", stage.ir_blob.get()});
  slots.push_back({"statistics", stage.statistics.get()});
  slots.push_back({"tensor_locations", stage.tensor_locations.get()});
}

static Slots slotsOf(wire::ModelT &model) {
  Slots slots;
  if (model.kernel_module)
    slots.push_back({"kernel_module.blob", model.kernel_module->blob.get()});
  if (model.cpuop_module)
    slots.push_back({"cpuop_module.blob", model.cpuop_module->blob.get()});
  slots.push_back({"backend_library", model.backend_library.get()});
  for (const std::unique_ptr<wire::NetT> &net : model.nets)
    for (const std::unique_ptr<wire::NetParameterT> &stage : net->stages)
      addStage(*stage, slots);
  slots.erase(std::remove_if(slots.begin(), slots.end(),
                             [](const BlobSlot &slot) { return !slot.blob; }),
              slots.end());
  return slots;
}

Result<FileParts> takeApart(const wire::Model &model,
                            const Container &container) {
  WEFT_TRY(checkCopyable(model, container.flatbuffer.size));
  FileParts parts;
  model.UnPackTo(&parts.tables);
  for (const BlobSlot &slot : slotsOf(parts.tables)) {
    Result<ByteSpan> bytes = findBlob(container, slot.blob, slot.name);
    if (!bytes)
      return bytes.status();
    parts.bytesOf[slot.blob] = *bytes;
  }
  return parts;
}

Result<FileParts> takeApart(const Bmodel &model) {
  Result<Container> container = parseContainer(model.fileBytes());
  if (!container)
    return container.status();
  Result<FileParts> parts = takeApart(model.table(), *container);
  if (!parts)
    return parts.status().withContext(model.path());
  parts->files.push_back(model);
  return parts;
}

static Digest digestOf(const BlobSlot &slot, ByteSpan bytes) {
  Digest digest;
  if (slot.sha256 && slot.sha256->size() == digest.size()) {
    std::copy(slot.sha256->begin(), slot.sha256->end(), digest.begin());
    return digest;
  }
  return sha256(bytes.data, bytes.size);
}

PackedFile pack(FileParts &parts) {
  Section section;
  for (const BlobSlot &slot : slotsOf(parts.tables)) {
    ByteSpan bytes = parts.bytesOf.at(slot.blob);
    *slot.blob = bytes.size == 0
                     ? wire::Blob()
                     : *section.add({{0, bytes.size, bytes}}, bytes.size,
                                    digestOf(slot, bytes));
  }
  return PackedFile(parts.tables, std::move(section));
}

uint64_t tableBytes(const FileParts &parts) {
  flatbuffers::FlatBufferBuilder builder(1 << 16);
  builder.Finish(wire::Model::Pack(builder, &parts.tables));
  return builder.GetSize();
}

} // namespace weft::rt

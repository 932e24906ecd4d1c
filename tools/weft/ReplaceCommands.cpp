#include "tools/weft/ReplaceCommands.h"

#include "runtime/bmodel/Certificate.h"
#include "runtime/chips/Alignment.h"
#include "runtime/isa/Assemble.h"
#include "runtime/status/Quote.h"
#include "tools/weft/Listing.h"

#include <cstring>

using namespace weft;
using namespace weft::cli;
using rt::Code;
using rt::Result;
using rt::Status;

/// Where the header keeps the size of the binary section (Container.h).
static constexpr size_t kBinaryBytesByte = 12;

namespace {

/// A command stream of the model and what the listing has for it.
struct Stream {
  std::string heading;
  size_t netIndex, stageIndex, groupIndex;
  const rt::StageSpec *stage;
  const rt::GroupSpec *group;
  isa::Engine engine;
  const ListingSection *section = nullptr;
  /// Where its bytes begin in the new file.
  uint64_t fileOffset = 0;

  bool isTiu() const { return engine == isa::Engine::Tiu; }
  uint32_t count() const {
    return isTiu() ? group->tiuCount : group->gdmaCount;
  }
  rt::ByteSpan blob() const { return isTiu() ? group->tiu : group->gdma; }
};

/// The file under construction.
class NewFile {
public:
  explicit NewFile(const rt::Bmodel &model)
      : model(model), bytes(model.fileBytes().data,
                            model.fileBytes().data + model.fileBytes().size) {}
  Status replace(Stream &stream);
  Result<std::vector<uint8_t>> finish(const std::vector<Stream> &streams,
                                      const std::string &listingName);

private:
  Status append(Stream &stream);
  void redirectTables(const Stream &stream, const rt::wire::Blob &from,
                      const rt::wire::Blob &to);
  void redirect(rt::wire::CommandGroup &group, const Stream &stream,
                const rt::wire::Blob &from, const rt::wire::Blob &to);

  const rt::Bmodel &model;
  std::vector<uint8_t> bytes;
};

} // namespace

static std::vector<Stream> streamsOf(const rt::Bmodel &model) {
  std::vector<Stream> streams;
  for (size_t n = 0; n < model.nets().size(); ++n) {
    const rt::NetSpec &net = model.nets()[n];
    for (size_t s = 0; s < net.stages.size(); ++s)
      for (size_t g = 0; g < net.stages[s].groups.size(); ++g)
        for (isa::Engine engine : {isa::Engine::Tiu, isa::Engine::Gdma})
          streams.push_back({headingOf({&net, s, g, engine, 0}), n, s, g,
                             &net.stages[s], &net.stages[s].groups[g], engine});
  }
  return streams;
}

static Status unknownHeading(const ListingSection &section,
                             const std::vector<Stream> &streams) {
  if (section.heading.empty())
    return rt::fail(Code::InvalidArgument,
                    "a command without a heading above it; a listing for a "
                    "bmodel has one like \"" +
                        streams.front().heading + "\"");
  std::vector<std::string_view> headings;
  for (const Stream &stream : streams)
    headings.push_back(stream.heading);
  std::string_view nearest = isa::nearestName(section.heading, headings);
  if (nearest.empty())
    nearest = headings.front();
  return rt::fail(Code::NotFound,
                  "the model has no section \"" + section.heading +
                      "\"; the nearest is \"" + std::string(nearest) + "\"");
}

/// Checks what numbers the commands of a stream.
static Status checkLength(const Stream &stream) {
  uint32_t count = stream.section->count;
  if (count == stream.count())
    return Status::ok();
  const char *why = nullptr;
  if (stream.stage->debugMap)
    why = "the model's debug map names the ONNX nodes of every command; "
          "convert it with --strip";
  else if (!stream.isTiu() && !stream.group->patches.empty())
    why = "the model's address patches point at its gdma commands";
  if (!why)
    return Status::ok();
  return rt::failf(Code::InvalidArgument,
                   "the section has %u commands, the model %u, and %s", count,
                   stream.count(), why);
}

/// Bytes of the stream's commands; whatever lies behind the end command is not
/// counted.
static size_t commandBytes(const Chip &chip, const Stream &stream) {
  size_t size = 0;
  for (uint32_t i = 0; i < stream.count(); ++i) {
    isa::DecodeResult command =
        isa::decodeOne(*chip.instructions, stream.engine,
                       stream.blob().data + size, stream.blob().size - size);
    assert(command && "the loader has decoded every command");
    size += command.command.sizeBytes;
  }
  return size;
}

Status NewFile::replace(Stream &stream) {
  const ListingSection &section = *stream.section;
  WEFT_TRY(checkLength(stream));
  stream.fileOffset = uint64_t(stream.blob().data - model.fileBytes().data);
  if (section.count != stream.count() ||
      section.bytes.size() != commandBytes(model.chip(), stream))
    return append(stream);
  std::memcpy(&bytes[stream.fileOffset], section.bytes.data(),
              section.bytes.size());
  return Status::ok();
}

/// Points one table at the new blob; the stage's and the sub-net's may be the
/// same table, which then points there already.
void NewFile::redirect(rt::wire::CommandGroup &group, const Stream &stream,
                       const rt::wire::Blob &from, const rt::wire::Blob &to) {
  rt::wire::Blob *blob =
      stream.isTiu() ? group.mutable_tiu_blob() : group.mutable_gdma_blob();
  if (!blob || blob->start() != from.start() || blob->size() != from.size())
    return;
  *blob = to;
  uint32_t size = uint32_t(to.size()), count = stream.section->count;
  // Both were not 0 before, so the fields are there and can be overwritten.
  if (stream.isTiu()) {
    group.mutate_tiu_bytes(size);
    group.mutate_tiu_count(count);
  } else {
    group.mutate_gdma_bytes(size);
    group.mutate_gdma_count(count);
  }
}

Status NewFile::append(Stream &stream) {
  Result<rt::Container> found =
      rt::parseContainer({bytes.data(), bytes.size()});
  if (!found)
    return found.status();
  uint64_t oldStart = stream.fileOffset - found->binaryOffset;
  uint64_t start = alignUp<uint64_t>(found->binary.size, kPageBytes);
  const std::vector<uint8_t> &commands = stream.section->bytes;
  if (commands.empty() || commands.size() > UINT32_MAX)
    return rt::fail(Code::InvalidArgument,
                    "the section has no commands or too many; it needs at "
                    "least the end command");
  // Bytes behind the binary section belong to nobody.
  bytes.resize(found->binaryOffset + start);
  bytes.insert(bytes.end(), commands.begin(), commands.end());
  uint32_t flatbufferBytes = uint32_t(found->flatbuffer.size);
  // Only the size of the binary section changes.
  std::vector<uint8_t> header =
      rt::makeContainerHeader(flatbufferBytes, start + commands.size());
  std::memcpy(&bytes[kBinaryBytesByte], &header[kBinaryBytesByte],
              sizeof(uint64_t));
  redirectTables(stream, {oldStart, stream.blob().size},
                 {start, commands.size()});
  stream.fileOffset = found->binaryOffset + start;
  return Status::ok();
}

/// The stage names its groups itself and through its sub-nets, one after the
/// other.
void NewFile::redirectTables(const Stream &stream, const rt::wire::Blob &from,
                             const rt::wire::Blob &to) {
  auto *table = rt::wire::GetMutableModel(&bytes[rt::kBmodelHeaderBytes]);
  rt::wire::NetParameter *stage = table->mutable_nets()
                                      ->GetMutableObject(stream.netIndex)
                                      ->mutable_stages()
                                      ->GetMutableObject(stream.stageIndex);
  redirect(*stage->mutable_groups()->GetMutableObject(stream.groupIndex),
           stream, from, to);
  size_t index = 0;
  if (auto *parts = stage->mutable_sub_nets())
    for (unsigned p = 0; p < parts->size(); ++p)
      if (auto *groups = parts->GetMutableObject(p)->mutable_groups())
        for (unsigned g = 0; g < groups->size(); ++g)
          if (index++ == stream.groupIndex)
            redirect(*groups->GetMutableObject(g), stream, from, to);
}

Result<std::vector<uint8_t>> NewFile::finish(const std::vector<Stream> &streams,
                                             const std::string &listingName) {
  for (const Stream &stream : streams)
    if (stream.section &&
        std::memcmp(&bytes[stream.fileOffset], stream.section->bytes.data(),
                    stream.section->bytes.size()) != 0)
      return rt::failf(Code::InvalidArgument,
                       "%s:%zu: this section shares its bytes in the model "
                       "with another one of the listing; change both alike",
                       listingName.c_str(), stream.section->line);
  // A certificate is of what the file was.
  if (rt::ByteSpan old = model.fileBytes();
      model.certificate() &&
      (bytes.size() != old.size ||
       std::memcmp(bytes.data(), old.data, old.size) != 0))
    bytes.resize(rt::contentOf({bytes.data(), bytes.size()}).size);
  Result<rt::Bmodel> loaded =
      rt::Bmodel::load(bytes, "the model with these commands");
  if (!loaded)
    return loaded.status().withContext(listingName);
  return std::move(bytes);
}

Result<std::vector<uint8_t>>
cli::replaceCommands(const rt::Bmodel &model,
                     const std::vector<ListingSection> &sections,
                     const std::string &listingName) {
  std::vector<Stream> streams = streamsOf(model);
  NewFile file(model);
  for (const ListingSection &section : sections) {
    std::string where = listingName + ":" + std::to_string(section.line);
    Stream *found = nullptr;
    for (Stream &stream : streams)
      if (stream.heading == section.heading)
        found = &stream;
    if (!found)
      return unknownHeading(section, streams).withContext(where);
    if (found->section)
      return rt::failf(Code::InvalidArgument,
                       "%s: the section is already in line %zu", where.c_str(),
                       found->section->line);
    found->section = &section;
  }
  for (Stream &stream : streams)
    if (stream.section)
      WEFT_TRY(file.replace(stream).withContext(
          listingName + ":" + std::to_string(stream.section->line)));
  return file.finish(streams, listingName);
}

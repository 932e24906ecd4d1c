#include "runtime/bmodel/CommandAddresses.h"
#include "runtime/bmodel/Verifier.h"
#include "runtime/bmodel/WorkBudget.h"
#include "runtime/isa/Decode.h"

#include <cinttypes>
#include <vector>

namespace weft::rt {

namespace {

/// Facts about one stream that the checks across engines need.
struct StreamFacts {
  /// cmd_id_dep of every command, the end command included.
  std::vector<uint32_t> deps;
};

} // namespace

static std::string commandName(isa::Engine engine, size_t index,
                               size_t offset) {
  return std::string(isa::engineName(engine)) + " command " +
         std::to_string(index) + " (byte " + std::to_string(offset) +
         " of the blob)";
}

/// An address of a GDMA command lies in on-chip memory or in an area of the
/// stage.
static Status verifyAddress(const Chip &chip, const StageSpec &stage,
                            const char *what, uint64_t address) {
  if (address < chip.globalMemoryBase || stage.weights.contains(address, 1) ||
      stage.activations.contains(address, 1) || stage.io.contains(address, 1))
    return Status::ok();
  return failf(Code::BadCommand,
               "%s address 0x%" PRIx64
               " is in none of the stage's areas (weights, context, io)",
               what, address);
}

static Status verifyGdmaCommand(const Chip &chip, const StageSpec &stage,
                                const isa::Decoded &command) {
  if (command.isEnd() || command.type == uint8_t(isa::GdmaType::System))
    return Status::ok();
  // The vendor's runtime steps through the blob in units of 96 bytes and
  // corrupts its memory on anything else.
  if (command.sizeBytes != kGdmaCommandBytes)
    return failf(Code::BadCommand,
                 "the short form of %u bytes is not allowed in a bmodel",
                 command.sizeBytes);
  GdmaAddresses addresses = gdmaAddresses(command);
  if (addresses.hasSource)
    WEFT_TRY(verifyAddress(chip, stage, "source", addresses.source));
  WEFT_TRY(verifyAddress(chip, stage, "destination", addresses.destination));
  if (addresses.hasThird)
    WEFT_TRY(verifyAddress(chip, stage, "index or mask", addresses.third));
  return Status::ok();
}

/// Decodes `count` commands and checks that they are numbered from 1 and closed
/// by one end command.
static Status verifyStream(const Chip &chip, const StageSpec &stage,
                           isa::Engine engine, ByteSpan bytes, uint32_t count,
                           WorkBudget &budget, StreamFacts &facts) {
  size_t offset = 0;
  for (uint32_t i = 0; i < count; ++i) {
    isa::DecodeResult result = isa::decodeOne(
        *chip.instructions, engine, bytes.data + offset, bytes.size - offset);
    std::string where = commandName(engine, i, offset);
    if (!result)
      return failf(Code::BadCommand, "%s: %s", where.c_str(),
                   std::string(isa::decodeErrorText(result.error)).c_str());
    const isa::Decoded &command = result.command;
    if (command.isEnd() != (i + 1 == count))
      return failf(Code::BadCommand,
                   command.isEnd()
                       ? "%s: end command, but the group counts %u commands"
                       : "%s: must be the end command, the group counts %u "
                         "commands",
                   where.c_str(), count);
    if (command.id() != i + 1)
      return failf(Code::BadCommand, "%s: cmd_id is %u, must be %u",
                   where.c_str(), command.id(), i + 1);
    if (engine == isa::Engine::Gdma)
      WEFT_TRY(verifyGdmaCommand(chip, stage, command).withContext(where));
    WEFT_TRY(budget.spend(command).withContext(where));
    facts.deps.push_back(command.dep());
    offset += command.sizeBytes;
  }
  return Status::ok();
}

/// Runs the two streams by their dependencies alone. A runtime that waits for
/// an id that never comes hangs for ever, so this is found here.
static Status verifyDependencies(const StreamFacts &tiu,
                                 const StreamFacts &gdma) {
  size_t tiuDone = 0, gdmaDone = 0;
  while (tiuDone < tiu.deps.size() || gdmaDone < gdma.deps.size()) {
    bool moved = false;
    while (tiuDone < tiu.deps.size() && tiu.deps[tiuDone] <= gdmaDone) {
      ++tiuDone;
      moved = true;
    }
    while (gdmaDone < gdma.deps.size() && gdma.deps[gdmaDone] <= tiuDone) {
      ++gdmaDone;
      moved = true;
    }
    if (!moved)
      break;
  }
  if (tiuDone == tiu.deps.size() && gdmaDone == gdma.deps.size())
    return Status::ok();
  auto waiting = [](const StreamFacts &facts, size_t done) {
    return done == facts.deps.size()
               ? std::string("has ended")
               : "command " + std::to_string(done) + " waits for id " +
                     std::to_string(facts.deps[done]);
  };
  return failf(Code::Deadlock,
               "the engines wait for each other: tiu %s, gdma "
               "%s",
               waiting(tiu, tiuDone).c_str(), waiting(gdma, gdmaDone).c_str());
}

static Status verifyPatches(const StageSpec &stage, wire::AddressMode mode,
                            const wire::CommandGroup &table, GroupSpec &group) {
  if (mode != wire::AddressMode::IoReloc || !table.patches())
    return Status::ok();
  size_t tensors = stage.inputs.size() + stage.outputs.size();
  for (unsigned i = 0; i < table.patches()->size(); ++i) {
    const wire::AddressPatch &patch = *table.patches()->Get(i);
    if (patch.io_index() >= tensors)
      return failf(Code::BadFile,
                   "patches[%u]: io_index is %u, there are %zu inputs and "
                   "outputs",
                   i, patch.io_index(), tensors);
    const TensorSpec &tensor =
        patch.io_index() < stage.inputs.size()
            ? stage.inputs[patch.io_index()]
            : stage.outputs[patch.io_index() - stage.inputs.size()];
    if (patch.tensor_offset() >= tensor.storedBytes)
      return failf(Code::BadFile,
                   "patches[%u]: tensor_offset is %u, the tensor has %" PRIu64
                   " bytes",
                   i, patch.tensor_offset(), tensor.storedBytes);
    uint32_t inside = patch.command_offset() % kGdmaCommandBytes;
    uint64_t command = patch.command_offset() / kGdmaCommandBytes;
    bool addressField = inside == kGdmaSourceByte ||
                        inside == kGdmaDestinationByte ||
                        inside == kGdmaThirdByte;
    // The last command is the 16-byte end command.
    if (!addressField || command + 1 >= group.gdmaCount)
      return failf(Code::BadFile,
                   "patches[%u]: command_offset %u is no address field of a "
                   "gdma command",
                   i, patch.command_offset());
    group.patches.push_back(patch);
  }
  return Status::ok();
}

static Result<ByteSpan> findCommands(const FileContext &file, const char *what,
                                     const wire::Blob *blob, uint32_t bytes) {
  Result<ByteSpan> span = findBlob(file.container, blob, what);
  if (!span)
    return span;
  if (bytes != span->size)
    return failf(Code::BadFile,
                 "%s has %zu bytes, the size field beside it says %u", what,
                 span->size, bytes);
  return span;
}

Status verifyGroup(const FileContext &file, const StageSpec &stage,
                   wire::AddressMode mode, const wire::CommandGroup *table,
                   WorkBudget &budget, GroupSpec &group) {
  group.tiuCount = table->tiu_count();
  group.gdmaCount = table->gdma_count();
  // One more than a group may have: the end command.
  uint32_t limit = file.chip->maxGroupCommands + 1;
  constexpr uint32_t kMaxId = (1u << 20) - 1;
  if (limit < kMaxId)
    limit = kMaxId; // the vendor fills groups up to the width of the id
  if (group.tiuCount == 0 || group.gdmaCount == 0 || group.tiuCount > limit ||
      group.gdmaCount > limit)
    return failf(Code::BadFile,
                 "tiu_count is %u and gdma_count %u; both must be 1 (the end "
                 "command) to %u",
                 group.tiuCount, group.gdmaCount, limit);
  Result<ByteSpan> tiu =
      findCommands(file, "tiu_blob", table->tiu_blob(), table->tiu_bytes());
  if (!tiu)
    return tiu.status();
  Result<ByteSpan> gdma =
      findCommands(file, "gdma_blob", table->gdma_blob(), table->gdma_bytes());
  if (!gdma)
    return gdma.status();
  group.tiu = *tiu;
  group.gdma = *gdma;
  StreamFacts tiuFacts, gdmaFacts;
  WEFT_TRY(verifyStream(*file.chip, stage, isa::Engine::Tiu, group.tiu,
                        group.tiuCount, budget, tiuFacts));
  WEFT_TRY(verifyStream(*file.chip, stage, isa::Engine::Gdma, group.gdma,
                        group.gdmaCount, budget, gdmaFacts));
  WEFT_TRY(verifyDependencies(tiuFacts, gdmaFacts));
  return verifyPatches(stage, mode, *table, group);
}

} // namespace weft::rt

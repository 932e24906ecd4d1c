#include "tools/weft/Bisection.h"
#include "runtime/bmodel/DebugMap.h"
#include "runtime/isa/Accesses.h"
#include "runtime/races/Races.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"
#include "tools/weft/FaultCauses.h"
#include "tools/weft/Listing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

using namespace weft;
using namespace weft::cli;
using Json = nlohmann::ordered_json;
using rt::Result;

const char *cli::keyOf(BisectedStage stage) {
  static constexpr const char *keys[] = {
#define WEFT_BISECTED_STAGE(Id, key, help) key,
#include "tools/weft/BisectionTables.def"
  };
  return keys[size_t(stage)];
}

const char *cli::keyOf(FaultCause cause) {
  static constexpr const char *keys[] = {
#define WEFT_FAULT_CAUSE(Id, key, help) key,
#include "tools/weft/BisectionTables.def"
  };
  return keys[size_t(cause)];
}

static const char *helpOf(BisectedStage stage) {
  static constexpr const char *helps[] = {
#define WEFT_BISECTED_STAGE(Id, key, help) help,
#include "tools/weft/BisectionTables.def"
  };
  return helps[size_t(stage)];
}

namespace {

/// The steps of a bisection, from the commands to the numbers.
class Bisector {
public:
  Bisector(const ConversionCheck &check, const ModelRun &run,
           const samples::SampleFiles &files, const SampleComparison &found)
      : check(check), run(run), files(files), found(found),
        stage(check.stageOf(run)), chip(check.program().chip()) {}

  Result<Bisection> find();

private:
  /// Each is true if the fault was found there.
  bool findInConstants();
  bool findInCommands();
  bool findInFacts();
  bool findInMissing();
  bool findInWaits();
  bool findInRecord();
  bool isOfOtherModel();
  rt::Status findInCompiler(const ComparisonRow &layer);
  void findInConversion(const ComparisonRow &layer);
  void findInValues(const ComparisonRow &layer);
  void findInFigures();

  /// The first value that `stored` calls wrong; null if none.
  const ComparisonRow *
  firstWrong(std::optional<StoredRow> ComparisonRow::*stored) const;
  void takeNodes(const std::vector<const rt::wire::DebugNode *> &nodes);
  void takeNodesOf(const std::string &value);
  void takeCommand(size_t group, isa::Engine engine, size_t index);
  /// The command that wrote an element of a value last before it was seen.
  void takeWriterOf(const StoredRow &row);
  /// In place of a transfer that was taken, the command that made what it
  /// moves.
  void takeMakerOfMoved();
  /// The first of the commands right before the one that was taken, itself
  /// included, that are made of the same nodes.
  size_t firstOfOperation();
  const isa::Decoded *loadOf(const ConstantDifference &constant, size_t &group,
                             size_t &index);
  const std::vector<isa::Decoded> &commandsOf(size_t group, isa::Engine engine);
  std::string line(size_t group, isa::Engine engine, size_t index);

  const ConversionCheck &check;
  const ModelRun &run;
  const samples::SampleFiles &files;
  const SampleComparison &found;
  const rt::StageSpec &stage;
  const Chip &chip;
  std::map<std::pair<size_t, isa::Engine>, std::vector<isa::Decoded>> decoded;
  Bisection result;
};

} // namespace

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

const std::vector<isa::Decoded> &Bisector::commandsOf(size_t group,
                                                      isa::Engine engine) {
  auto [entry, isNew] = decoded.try_emplace({group, engine});
  if (isNew) {
    const rt::ByteSpan &bytes = engine == isa::Engine::Tiu
                                    ? stage.groups[group].tiu
                                    : stage.groups[group].gdma;
    entry->second =
        isa::decodeStream(*chip.instructions, engine, bytes.data, bytes.size)
            .commands;
  }
  return entry->second;
}

std::string Bisector::line(size_t group, isa::Engine engine, size_t index) {
  std::string text = isa::disassemble(commandsOf(group, engine)[index]),
              origin = rt::originText(stage, group, engine, index);
  return text + (origin.empty() ? "" : "  ; " + origin);
}

void Bisector::takeNodes(
    const std::vector<const rt::wire::DebugNode *> &nodes) {
  result.nodes.clear();
  for (const rt::wire::DebugNode *node : nodes)
    result.nodes.push_back({node->name()->str(),
                            node->op_type() ? node->op_type()->str() : "",
                            node->index()});
}

void Bisector::takeNodesOf(const std::string &value) {
  const auto *tensors = stage.debugMap ? stage.debugMap->tensors() : nullptr;
  for (unsigned i = 0; tensors && i < tensors->size(); ++i) {
    const rt::wire::DebugTensor *tensor = tensors->Get(i);
    if (tensor->value_name()->string_view() != value ||
        tensor->source() == rt::kNoIndex)
      continue;
    const auto *source = stage.debugMap->sources()->Get(tensor->source());
    std::vector<const rt::wire::DebugNode *> nodes;
    for (unsigned k = 0; source->nodes() && k < source->nodes()->size(); ++k)
      nodes.push_back(stage.debugMap->nodes()->Get(source->nodes()->Get(k)));
    takeNodes(nodes);
  }
}

void Bisector::takeCommand(size_t group, isa::Engine engine, size_t index) {
  constexpr size_t kAround = 4;
  const std::vector<isa::Decoded> &commands = commandsOf(group, engine);
  if (index >= commands.size())
    return;
  FaultyCommand command;
  command.stage = run.stage;
  command.group = group;
  command.engine = engine;
  command.index = index;
  command.text = isa::disassemble(commands[index]);
  result.command = std::move(command);
  result.listing.clear();
  size_t last = std::min(commands.size(), index + kAround + 1);
  for (size_t i = index > kAround ? index - kAround : 0; i < last; ++i)
    result.listing +=
        (i == index ? "> " : "  ") + line(group, engine, i) + "\n";
}

/// Of a value n,h,w,c, whose elements lie as n,c,h,w, the place there.
static uint64_t placeInProgram(const rt::wire::DebugTensor &tensor,
                               const std::vector<int64_t> &shape,
                               uint64_t element) {
  if (!tensor.channels_last() || shape.size() != 4)
    return element;
  uint64_t channels = uint64_t(shape[3]),
           pixels = uint64_t(shape[1]) * uint64_t(shape[2]);
  uint64_t channel = element % channels, row = element / channels;
  return (row / pixels * channels + channel) * pixels + row % pixels;
}

static bool covers(const rt::wire::DebugPiece &piece,
                   const rt::wire::Extent &shape, uint64_t element) {
  std::array<uint64_t, 4> sizes{shape.n(), shape.c(), shape.h(), shape.w()},
      at{},
      offset{piece.offset()->n(), piece.offset()->c(), piece.offset()->h(),
             piece.offset()->w()},
      extent{piece.size()->n(), piece.size()->c(), piece.size()->h(),
             piece.size()->w()};
  for (size_t axis = 4; axis-- > 0; element /= sizes[axis])
    at[axis] = element % sizes[axis];
  for (size_t axis = 0; axis < 4; ++axis)
    if (at[axis] < offset[axis] || at[axis] >= offset[axis] + extent[axis])
      return false;
  return true;
}

void Bisector::takeWriterOf(const StoredRow &row) {
  const auto *tensors = stage.debugMap ? stage.debugMap->tensors() : nullptr;
  for (unsigned i = 0; tensors && i < tensors->size(); ++i) {
    const rt::wire::DebugTensor *tensor = tensors->Get(i);
    if (tensor->value_name()->string_view() != row.name)
      continue;
    for (unsigned k = 0; tensor->pieces() && k < tensor->pieces()->size(); ++k)
      if (const rt::wire::DebugPiece *piece = tensor->pieces()->Get(k);
          covers(*piece, *tensor->shape(),
                 placeInProgram(*tensor, row.shape, uint64_t(row.first))))
        takeCommand(piece->group(),
                    piece->engine() == rt::wire::Engine::Tiu
                        ? isa::Engine::Tiu
                        : isa::Engine::Gdma,
                    piece->complete_after());
  }
}

void Bisector::takeMakerOfMoved() {
  const FaultyCommand &last = *result.command;
  if (last.engine != isa::Engine::Gdma)
    return;
  uint64_t made = commandsOf(last.group, last.engine)[last.index]
                      .field("cmd_id_dep")
                      .value_or(0);
  // Ids count from 1; without a wait it moves what was there before.
  if (made > 0 &&
      rt::originNodes(stage, last.group, isa::Engine::Tiu, made - 1) ==
          rt::originNodes(stage, last.group, last.engine, last.index))
    takeCommand(last.group, isa::Engine::Tiu, made - 1);
}

size_t Bisector::firstOfOperation() {
  const FaultyCommand &last = *result.command;
  auto nodes = [&](size_t index) {
    return rt::originNodes(stage, last.group, last.engine, index);
  };
  size_t first = last.index;
  while (first > 0 && nodes(first - 1) == nodes(last.index))
    --first;
  return first;
}

const ComparisonRow *
Bisector::firstWrong(std::optional<StoredRow> ComparisonRow::*stored) const {
  for (const auto *rows : {&found.layers, &found.outputs})
    for (const ComparisonRow &row : *rows)
      if ((row.*stored) && (row.*stored)->isWrong)
        return &row;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// The file beside what this version makes
//===----------------------------------------------------------------------===//

static std::string fieldText(const FieldDifference &difference) {
  return rt::format("%s is 0x%llx for 0x%llx",
                    std::string(isa::fieldName(difference.field)).c_str(),
                    static_cast<unsigned long long>(difference.value),
                    static_cast<unsigned long long>(difference.expected));
}

/// The transfer that brings a constant from DRAM.
const isa::Decoded *Bisector::loadOf(const ConstantDifference &constant,
                                     size_t &group, size_t &index) {
  uint64_t first = stage.weights.address + constant.firstUnequal;
  for (group = 0; group < stage.groups.size(); ++group) {
    const std::vector<isa::Decoded> &commands =
        commandsOf(group, isa::Engine::Gdma);
    for (index = 0; index < commands.size(); ++index)
      for (const isa::Access &access : isa::accessesOf(commands[index], chip))
        if (!access.isWrite && access.memory == isa::Memory::Global &&
            access.begin <= first && first < access.end)
          return &commands[index];
  }
  return nullptr;
}

bool Bisector::findInConstants() {
  const ProgramDifference &difference = check.difference();
  if (difference.constants.empty())
    return false;
  const ConstantDifference &constant = difference.constants.front();
  result.stage = BisectedStage::Constants;
  result.cause = FaultCause::WrongWeights;
  size_t group = 0, index = 0;
  if (const isa::Decoded *load = loadOf(constant, group, index)) {
    takeNodes(rt::originNodes(stage, group, isa::Engine::Gdma, index));
    takeCommand(group, isa::Engine::Gdma, index);
    for (const isa::Access &access : isa::accessesOf(*load, chip))
      if (access.isWrite && access.memory == isa::Memory::Static)
        result.cause = FaultCause::WrongTable;
  }
  result.otherCommands = difference.commands.size();
  result.text = rt::format(
      "%llu of %llu bytes of constant %s are not those of the model, the first "
      "at byte 0x%llx of the weights",
      static_cast<unsigned long long>(constant.unequal),
      static_cast<unsigned long long>(constant.size),
      rt::quoteName(constant.name).c_str(),
      static_cast<unsigned long long>(constant.firstUnequal));
  if (difference.constants.size() > 1)
    result.text += rt::format(", and of %zu other constants",
                              difference.constants.size() - 1);
  return true;
}

bool Bisector::findInCommands() {
  const ProgramDifference &difference = check.difference();
  if (difference.commands.empty())
    return false;
  // The one that the first wrong value comes from, if several differ.
  const CommandDifference *chosen = &difference.commands.front();
  if (const ComparisonRow *first = firstWrong(&ComparisonRow::fresh)) {
    takeNodesOf(first->name);
    auto isOfNodes = [&](const CommandDifference &one) {
      for (const rt::wire::DebugNode *node :
           rt::originNodes(stage, one.group, one.engine, one.index))
        for (const FaultyNode &wanted : result.nodes)
          if (node->index() == wanted.index &&
              node->name()->string_view() == wanted.name)
            return true;
      return false;
    };
    auto of = std::find_if(difference.commands.begin(),
                           difference.commands.end(), isOfNodes);
    if (of != difference.commands.end())
      chosen = &*of;
  }
  result.stage = BisectedStage::Commands;
  result.cause = causeOf(*chosen, difference, chip);
  takeNodes(
      rt::originNodes(stage, chosen->group, chosen->engine, chosen->index));
  takeCommand(chosen->group, chosen->engine, chosen->index);
  result.command->expected = isa::disassemble(chosen->expected);
  for (const FieldDifference &field : chosen->fields)
    result.command->fields.push_back(fieldText(field));
  result.otherCommands = difference.commands.size() - 1;
  return true;
}

/// Commands that were taken out or put in.
bool Bisector::findInMissing() {
  const std::optional<MissingCommands> &missing = check.difference().missing;
  if (!missing)
    return false;
  result.stage = BisectedStage::Commands;
  result.cause =
      missing->areExtra ? FaultCause::ExtraCommand : FaultCause::MissingCommand;
  const rt::StageSpec &having =
      missing->areExtra ? stage
                        : check.fresh()->nets().front().stages[run.stage];
  takeNodes(
      rt::originNodes(having, missing->group, missing->engine, missing->index));
  // What stands in the place of a missing one.
  takeCommand(missing->group, missing->engine, missing->index);
  if (result.command && !missing->areExtra)
    result.command->expected = isa::disassemble(missing->first);
  result.otherCommands = missing->count - 1;
  result.text = rt::format(
      "%zu %s command%s %s", missing->count,
      std::string(isa::engineName(missing->engine)).c_str(),
      missing->count > 1 ? "s" : "",
      missing->areExtra ? "that this version does not make of the model"
                        : "that this version makes of the model, missing");
  return true;
}

static FaultCause causeOf(FactKind kind) {
  switch (kind) {
  case FactKind::Name:
    return FaultCause::WrongName;
  case FactKind::Type:
    return FaultCause::WrongType;
  case FactKind::Size:
    return FaultCause::WrongSize;
  case FactKind::Scale:
    return FaultCause::WrongScale;
  case FactKind::Address:
    return FaultCause::WrongAddress;
  case FactKind::Host:
    break;
  }
  return FaultCause::WrongHostProgram;
}

bool Bisector::findInFacts() {
  const std::vector<FactDifference> &facts = check.difference().facts;
  if (facts.empty())
    return false;
  const FactDifference &first = facts.front();
  result.stage = first.kind == FactKind::Host ? BisectedStage::Host
                                              : BisectedStage::Interface;
  result.cause = ::causeOf(first.kind);
  result.text = first.text;
  if (facts.size() > 1)
    result.text +=
        rt::format(", and %zu more that the file says", facts.size() - 1);
  const auto *nodes = stage.debugMap ? stage.debugMap->nodes() : nullptr;
  for (unsigned i = 0; nodes && !first.node.empty() && i < nodes->size(); ++i)
    if (nodes->Get(i)->name()->string_view() == first.node)
      takeNodes({nodes->Get(i)});
  if (result.nodes.empty() && !first.node.empty())
    result.nodes = {{first.node, ""}};
  return true;
}

bool Bisector::findInWaits() {
  Result<races::Findings> races = races::findRaces(stage, chip);
  if (!races || races->races.empty())
    return false;
  const races::Race &race = races->races.front();
  result.stage =
      check.fresh() ? BisectedStage::Schedule : BisectedStage::Unknown;
  result.cause = FaultCause::MissingWait;
  result.text = races::raceText(race);
  takeNodes(rt::originNodes(stage, race.group, race.second.command.engine,
                            race.second.index));
  takeCommand(race.group, race.second.command.engine, race.second.index);
  return true;
}

//===----------------------------------------------------------------------===//
// The compiler
//===----------------------------------------------------------------------===//

/// Without layer groups: if that is right, the groups are not.
rt::Status Bisector::findInCompiler(const ComparisonRow &layer) {
  result.stage = BisectedStage::Emission;
  findInValues(layer);
  if (result.command)
    takeMakerOfMoved();
  // Between the commands of one operation nothing is known of its numbers.
  if (size_t first = result.command ? firstOfOperation() : 0;
      result.command && first < result.command->index)
    result.text += rt::format(
        "; the command is the last that wrote it, the first wrong one is among "
        "%s commands %zu to %zu, which are made of the same nodes",
        std::string(isa::engineName(result.command->engine)).c_str(), first,
        result.command->index);
  Result<std::vector<uint8_t>> bytes = check.exact()->convertPlainly();
  if (!bytes)
    return rt::Status::ok(); // too large, say
  Result<rt::Bmodel> plain =
      rt::Bmodel::load(*std::move(bytes), "the program of -O0");
  if (!plain)
    return plain.status();
  Result<ModelRun> plainRun = check.runOther(*plain, files);
  if (!plainRun)
    return plainRun.status();
  Result<StoredRows> rows = check.exact()->compare(*plainRun);
  if (!rows)
    return rows.status();
  for (const StoredRow &row : *rows)
    if (row.name == layer.name && !row.isWrong)
      result.stage = BisectedStage::Schedule;
  return rt::Status::ok();
}

/// Of a layer that is what its numbers are, and not near enough to the model.
void Bisector::findInConversion(const ComparisonRow &layer) {
  result.stage = BisectedStage::Conversion;
  result.cause = FaultCause::Rounding;
  takeNodesOf(layer.name);
  result.text = "layer " + rt::quoteName(layer.name) + ": " +
                (layer.failures.empty() ? "" : layer.failures.front());
  if (layer.metrics.nonFiniteResult > layer.metrics.nonFiniteReference) {
    result.cause = FaultCause::Saturation;
    if (layer.hasOverflow && run.precision == comparison::Precision::F16)
      result.text +=
          "; --calibration TABLE at `weft convert` keeps in f32 what "
          "is beyond f16, --precision bf16 has the range of f32";
  }
  // More than calibration clips on purpose.
  constexpr double kClipped = 0.01;
  for (const rt::CapturedValue &value : run.layers) {
    if (value.name != layer.name || value.step == 0)
      continue;
    int64_t atEnds = 0;
    for (int64_t i = 0; i < value.tensor.elements(); ++i) {
      double real = value.tensor.toDouble(i);
      atEnds += real <= value.least || real >= value.most;
    }
    if (double(atEnds) > kClipped * double(value.tensor.elements()))
      result.cause = FaultCause::Saturation;
  }
}

/// What a wrong value shows of its cause.
void Bisector::findInValues(const ComparisonRow &layer) {
  takeNodesOf(layer.name);
  result.cause =
      layer.metrics.nonFiniteResult > layer.metrics.nonFiniteReference
          ? FaultCause::NotFinite
          : FaultCause::WrongNumbers;
  if (layer.exact && layer.exact->isWrong) {
    result.value = layer.exact;
    takeWriterOf(*layer.exact);
  }
  result.text = "layer " + rt::quoteName(layer.name) + ": " +
                (layer.failures.empty() ? "" : layer.failures.front());
  if (const std::string &obstacle = check.difference().obstacle;
      !obstacle.empty())
    result.text += "; the program is another one than this version makes of "
                   "the model: " +
                   obstacle;
}

/// What differs shows where the models do.
bool Bisector::isOfOtherModel() {
  std::string other = check.otherModel();
  if (other.empty())
    return false;
  if (findInWaits())
    return true;
  if (findInConstants() || findInCommands() || findInFacts())
    result.text = result.text.empty() ? other : other + "; " + result.text;
  else
    result.text = other;
  result.stage = BisectedStage::Model;
  result.cause = FaultCause::OtherModel;
  return true;
}

bool Bisector::findInRecord() {
  if (check.recordDamage().empty())
    return false;
  result.stage = BisectedStage::Interface;
  result.cause = FaultCause::WrongRecord;
  result.text = check.recordDamage();
  return true;
}

Result<Bisection> Bisector::find() {
  // Without it nothing is known of what the program should be.
  if (findInRecord() || isOfOtherModel())
    return result;
  if (findInConstants() || findInCommands() || findInMissing() ||
      findInFacts()) {
    if (const ComparisonRow *first = firstWrong(&ComparisonRow::fresh))
      result.value = first->fresh;
    return result;
  }
  if (findInWaits())
    return result;
  if (const ComparisonRow *wrong = firstWrong(&ComparisonRow::exact)) {
    if (check.fresh() && check.difference().isEmpty()) {
      WEFT_TRY(findInCompiler(*wrong));
    } else {
      result.stage = BisectedStage::Unknown;
      findInValues(*wrong);
    }
    return result;
  }
  if (found.otherReading && !found.isPassed()) {
    const OtherReading &reading = *found.otherReading;
    result.stage = BisectedStage::Import;
    result.cause = FaultCause::WrongNumbers;
    result.text = reading.text;
    takeNodesOf(reading.value);
    if (result.nodes.empty() && !reading.node.empty())
      result.nodes = {{reading.node, reading.opType}};
    return result;
  }
  findInFigures();
  return result;
}

/// Of a program whose values are its conversion's, or of one that does not tell
/// it.
void Bisector::findInFigures() {
  if (found.isPassed())
    return;
  const ComparisonRow *failed = found.firstFailedLayer();
  for (const ComparisonRow &output : found.outputs)
    if (!failed && !output.failures.empty())
      failed = &output;
  bool isKnown = check.exact() && check.difference().obstacle.empty();
  if (failed && isKnown)
    return findInConversion(*failed);
  result.stage = BisectedStage::Unknown;
  if (failed)
    findInValues(*failed);
  else if (!found.failures.empty())
    result.text = found.failures.front();
}

Result<Bisection> cli::bisect(const ConversionCheck &check, const ModelRun &run,
                              const samples::SampleFiles &files,
                              const SampleComparison &found) {
  return Bisector(check, run, files, found).find();
}

//===----------------------------------------------------------------------===//
// The report
//===----------------------------------------------------------------------===//

static std::string nodesText(const std::vector<FaultyNode> &nodes) {
  std::string text;
  for (const FaultyNode &node : nodes)
    text += (text.empty() ? "" : " + ") + rt::quoteName(node.name) +
            (node.opType.empty() ? "" : " (" + node.opType + ")");
  return text;
}

static std::string placeOf(const FaultyCommand &command) {
  return rt::format(
      "stage %zu group %zu %s command %zu", command.stage, command.group,
      std::string(isa::engineName(command.engine)).c_str(), command.index);
}

std::string cli::toText(const Bisection &b) {
  std::string text = std::string("bisection: ") + keyOf(b.stage) + ": " +
                     helpOf(b.stage) + "\n";
  if (b.stage == BisectedStage::None)
    return text;
  text += std::string("  cause: ") + keyOf(b.cause) +
          (b.text.empty() ? "" : "; " + b.text) + "\n";
  if (!b.nodes.empty())
    text += "  node: " + nodesText(b.nodes) + "\n";
  if (b.value)
    text += "  first wrong value: " + rt::quoteName(b.value->name) + ", " +
            storedText(*b.value, "wrong") + "\n";
  if (b.command) {
    text += "  command: " + placeOf(*b.command) + "\n";
    for (const std::string &field : b.command->fields)
      text += "    " + field + "\n";
    if (!b.command->expected.empty())
      text += "    it should be: " + b.command->expected + "\n";
  }
  if (b.otherCommands)
    text += rt::format("  %zu other commands differ\n", b.otherCommands);
  if (!b.reproducer.empty())
    text += "  reproducer: " + b.reproducer + "\n";
  return text + b.listing;
}

Json cli::toJson(const Bisection &b) {
  Json json = {{"stage", keyOf(b.stage)},
               {"cause", keyOf(b.cause)},
               {"text", b.text},
               {"nodes", Json::array()}};
  for (const FaultyNode &node : b.nodes)
    json["nodes"].push_back(
        {{"name", node.name}, {"op_type", node.opType}, {"index", node.index}});
  if (b.value)
    json["value"] = {{"name", b.value->name},
                     {"unequal", b.value->unequal},
                     {"first", b.value->first}};
  if (b.command)
    json["command"] = {{"stage", b.command->stage},
                       {"group", b.command->group},
                       {"engine", isa::engineName(b.command->engine)},
                       {"index", b.command->index},
                       {"text", b.command->text},
                       {"expected", b.command->expected},
                       {"fields", b.command->fields}};
  json["other_commands"] = b.otherCommands;
  json["reproducer"] = b.reproducer;
  json["listing"] = b.listing;
  return json;
}

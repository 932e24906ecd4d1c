#include "tools/weft/ProgramDifference.h"
#include "runtime/status/Format.h"
#include "tools/weft/StageFacts.h"

#include <algorithm>
#include <cstring>

using namespace weft;
using namespace weft::cli;

static bool areEqual(const rt::ByteSpan &a, const rt::ByteSpan &b) {
  return a.size == b.size &&
         (a.size == 0 || std::memcmp(a.data, b.data, a.size) == 0);
}

static std::vector<FieldDifference> fieldsThatDiffer(const isa::Decoded &have,
                                                     const isa::Decoded &want) {
  std::vector<FieldDifference> fields;
  if (have.form != want.form || have.opcode != want.opcode)
    return fields;
  for (const isa::FieldSpec &field : *have.spec)
    if (uint64_t value = have.get(field.name), expected = want.get(field.name);
        value != expected)
      fields.push_back({field.name, value, expected});
  return fields;
}

/// Whether two commands are the same but for what counts commands.
static bool areAlike(const isa::Decoded &a, const isa::Decoded &b) {
  if (a.form != b.form || a.opcode != b.opcode)
    return false;
  std::vector<FieldDifference> fields = fieldsThatDiffer(a, b);
  return std::all_of(fields.begin(), fields.end(), [](const auto &one) {
    return isa::fieldName(one.field).substr(0, 6) == "cmd_id";
  });
}

/// The commands that one of two streams has besides, if that is all.
static std::optional<MissingCommands>
besides(const std::vector<isa::Decoded> &longer,
        const std::vector<isa::Decoded> &shorter) {
  size_t count = longer.size() - shorter.size(), index = 0;
  while (index < shorter.size() && areAlike(longer[index], shorter[index]))
    ++index;
  for (size_t i = index; i < shorter.size(); ++i)
    if (!areAlike(longer[i + count], shorter[i]))
      return std::nullopt;
  MissingCommands missing;
  missing.index = index;
  missing.count = count;
  missing.first = longer[index];
  return missing;
}

static void compareBuffers(size_t group, isa::Engine engine,
                           const rt::ByteSpan &have, const rt::ByteSpan &want,
                           const Chip &chip, ProgramDifference &found) {
  if (areEqual(have, want))
    return;
  auto decode = [&](const rt::ByteSpan &bytes) {
    return isa::decodeStream(*chip.instructions, engine, bytes.data, bytes.size)
        .commands;
  };
  std::vector<isa::Decoded> commands = decode(have), expected = decode(want);
  if (commands.size() != expected.size()) {
    found.obstacle = rt::format(
        "group %zu has %zu %s commands for %zu", group, commands.size(),
        std::string(isa::engineName(engine)).c_str(), expected.size());
    bool areExtra = commands.size() > expected.size();
    std::optional<MissingCommands> missing =
        areExtra ? besides(commands, expected) : besides(expected, commands);
    if (missing && !found.missing) {
      missing->group = group;
      missing->engine = engine;
      missing->areExtra = areExtra;
      found.missing = std::move(missing);
    }
    return;
  }
  for (size_t i = 0; i < commands.size(); ++i)
    if (commands[i].sizeBytes != expected[i].sizeBytes ||
        std::memcmp(commands[i].bytes, expected[i].bytes,
                    commands[i].sizeBytes) != 0)
      found.commands.push_back({group, engine, i, commands[i], expected[i],
                                fieldsThatDiffer(commands[i], expected[i])});
}

/// The bytes of a constant that differ.
static ConstantDifference compareConstant(std::string name, uint64_t offset,
                                          uint64_t size, const uint8_t *have,
                                          const uint8_t *want) {
  ConstantDifference constant{std::move(name), offset, size};
  for (uint64_t i = offset; i < offset + size; ++i)
    if (have[i] != want[i] && constant.unequal++ == 0)
      constant.firstUnequal = i;
  return constant;
}

static void compareWeights(const rt::StageSpec &stage,
                           const rt::StageSpec &expected,
                           ProgramDifference &found) {
  const rt::ByteSpan &have = stage.weightBytes, &want = expected.weightBytes;
  if (areEqual(have, want))
    return;
  if (have.size != want.size) {
    found.obstacle = rt::format("the weights have %zu bytes for %zu",
                                size_t(have.size), size_t(want.size));
    return;
  }
  const auto *weights = expected.table->weights();
  const auto *locations = weights ? weights->locations() : nullptr;
  for (unsigned i = 0; locations && i < locations->size(); ++i) {
    const rt::wire::WeightLocation *at = locations->Get(i);
    if (at->offset() > have.size || at->size() > have.size - at->offset())
      continue;
    ConstantDifference constant =
        compareConstant(at->name() ? at->name()->str() : "", at->offset(),
                        at->size(), have.data, want.data);
    if (constant.unequal != 0)
      found.constants.push_back(std::move(constant));
  }
  if (found.constants.empty())
    found.constants.push_back(
        compareConstant("", 0, have.size, have.data, want.data));
}

ProgramDifference cli::differenceOf(const rt::StageSpec &stage,
                                    const rt::StageSpec &expected,
                                    const Chip &chip) {
  ProgramDifference found;
  if (stage.groups.size() != expected.groups.size()) {
    found.obstacle = rt::format("%zu groups of commands for %zu",
                                stage.groups.size(), expected.groups.size());
    return found;
  }
  for (size_t group = 0; group < stage.groups.size(); ++group) {
    compareBuffers(group, isa::Engine::Tiu, stage.groups[group].tiu,
                   expected.groups[group].tiu, chip, found);
    compareBuffers(group, isa::Engine::Gdma, stage.groups[group].gdma,
                   expected.groups[group].gdma, chip, found);
  }
  // Behind a command more or less all ids are others.
  if (!found.obstacle.empty()) {
    found.commands.clear();
    return found;
  }
  compareWeights(stage, expected, found);
  found.facts = factsThatDiffer(stage, expected);
  return found;
}

std::string ProgramDifference::text() const {
  if (!obstacle.empty())
    return obstacle;
  std::string text;
  auto add = [&](size_t count, const char *what) {
    if (count != 0)
      text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + what +
              (count > 1 ? "s" : "");
  };
  add(commands.size(), "command");
  add(constants.size(), "constant");
  if (commands.empty() && constants.empty() && !facts.empty())
    text = facts.front().text;
  else
    add(facts.size(), "statement");
  return text;
}

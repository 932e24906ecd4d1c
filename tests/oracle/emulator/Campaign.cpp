#include "tests/oracle/emulator/Campaign.h"

#include "runtime/chips/Chips.h"
#include "runtime/isa/Rules.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace weft::oracle {
namespace {

/// All memory is compared after so many commands.
constexpr size_t kSweepEvery = 64;

/// A refusal's text without its numbers: shrinking must not drift from one
/// refusal to another.
std::string withoutNumbers(std::string text) {
  text.erase(std::remove_if(text.begin(), text.end(),
                            [](unsigned char c) {
                              return std::isdigit(c) || std::isxdigit(c);
                            }),
             text.end());
  return text;
}

MemoryRecipe memoryOf(const Kind &kind, uint64_t seed) {
  return {&kind, memorySeedOf(seed), Filling::Random};
}

} // namespace

std::optional<Function> functionOf(const Command &command) {
  isa::DecodeResult decoded = isa::decodeOne(
      command.engine, command.bytes.data(), command.bytes.size());
  if (!decoded)
    return std::nullopt;
  return Function{command.engine, decoded.command.type, decoded.command.func};
}

std::string mnemonicOf(const Function &function) {
  const isa::Opcode *opcode =
      isa::findOpcode(function.engine, function.type, function.func);
  return opcode ? std::string(opcode->mnemonic) : "unknown";
}

std::string brokenRule(const Command &command) {
  isa::DecodeResult decoded = isa::decodeOne(
      command.engine, command.bytes.data(), command.bytes.size());
  if (!decoded)
    return "it does not decode";
  rt::Status status =
      isa::checkCommand(decoded.command, *chips::find("BM1684X"));
  return status ? "" : status.message();
}

std::string commandText(const Command &command) {
  isa::DecodeResult decoded = isa::decodeOne(
      command.engine, command.bytes.data(), command.bytes.size());
  return decoded ? isa::disassemble(decoded.command) : "(does not decode)";
}

Tally &Tally::operator+=(const Tally &other) {
  compared += other.compared;
  refused += other.refused;
  crashed += other.crashed;
  hung += other.hung;
  mismatches += other.mismatches;
  unrepeatable += other.unrepeatable;
  illegal += other.illegal;
  longForms += other.longForms;
  shortForms += other.shortForms;
  precisions |= other.precisions;
  return *this;
}

std::string Finding::report() const {
  return kind + ", seed " + std::to_string(seed) + ": " + outcomeName(outcome) +
         "\n  minimal  " + minimal + "\n  memory   " + memory + "\n  " + text +
         "\n" + operands + "  drawn as " + drawn +
         "\n  replay   scripts/fuzz_commands --replay " + kind + ":" +
         std::to_string(seed) + "\n";
}

void Campaign::account(const Kind &kind, const Drawn &drawn,
                       const Verdict &verdict) {
  const Command &command = drawn.command;
  if (verdict.outcome != Outcome::Equal && !isMismatch(verdict.outcome))
    refusals.emplace(verdict.text,
                     kind.name + ":" + std::to_string(drawn.seed));
  Tally &tally = tallies[*functionOf(command)];
  switch (verdict.outcome) {
  case Outcome::ReferenceRefuses:
    ++tally.refused;
    return;
  case Outcome::ReferenceCrashes:
    ++tally.crashed;
    return;
  case Outcome::ReferenceHangs:
    ++tally.hung;
    return;
  default:
    ++tally.compared;
  }
  if (std::string rule = brokenRule(command); !rule.empty()) {
    ++tally.illegal;
    brokenRules.emplace(withoutNumbers(rule), kind.name + ":" +
                                                  std::to_string(drawn.seed) +
                                                  ": " + rule);
  }
  bool isShort = isa::formSpec(command.form).name.substr(0, 1) == "s";
  ++(isShort ? tally.shortForms : tally.longForms);
  for (Field field :
       {Field::res0_prec, Field::opd0_prec, Field::src_data_format})
    if (isa::hasField(command.form, field))
      tally.precisions |= 1u << command.get(field);
}

std::string Campaign::run(const Kind &kind, uint64_t first, uint64_t count,
                          std::optional<Function> only,
                          unsigned findingsWanted) {
  std::vector<Drawn> sinceSweep;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    Drawn drawn{seed, drawCommand(kind, seed)};
    std::optional<Function> function = functionOf(drawn.command);
    if (!drawn.command.error.empty() || !function)
      return kind.name + ", seed " + std::to_string(seed) +
             ": the kind draws a wrong command: " +
             (function ? drawn.command.error : "it does not decode");
    if (only && !(*function == *only))
      continue;
    MemoryRecipe memory = memoryOf(kind, seed);
    if (sinceSweep.size() >= kSweepEvery ||
        (!sinceSweep.empty() &&
         !(memory == memoryOf(kind, sinceSweep.back().seed))))
      sweep(kind, sinceSweep, findingsWanted);
    duel.load(memory);
    runOne(kind, drawn, findingsWanted);
    sinceSweep.push_back(std::move(drawn));
  }
  sweep(kind, sinceSweep, findingsWanted);
  return "";
}

void Campaign::runOne(const Kind &kind, const Drawn &drawn,
                      unsigned findingsWanted) {
  if (kind.freshProcess)
    reference.restart();
  bool fresh = reference.isFresh();
  Verdict verdict = duel.run(drawn.command, kind.bound, false);
  // A crash may be the fault of what the process executed before.
  if (verdict.outcome == Outcome::ReferenceCrashes && !fresh)
    verdict = duel.run(drawn.command, kind.bound, true);
  account(kind, drawn, verdict);
  if (isMismatch(verdict.outcome))
    mismatch(kind, drawn, findingsWanted);
}

/// A mismatch counts if the command shows it alone, from a clean start.
void Campaign::mismatch(const Kind &kind, const Drawn &drawn,
                        unsigned findingsWanted) {
  Verdict alone = duel.run(drawn.command, kind.bound, true);
  Tally &tally = tallies[*functionOf(drawn.command)];
  if (!isMismatch(alone.outcome)) {
    ++tally.unrepeatable;
    return;
  }
  ++tally.mismatches;
  if (findings.size() < findingsWanted)
    findings.push_back(shrinkFinding(kind, drawn, alone));
}

/// Compares everything; if a command since the last time wrote something else
/// far from its result, finds out which.
void Campaign::sweep(const Kind &kind, std::vector<Drawn> &since,
                     unsigned findingsWanted) {
  if (!duel.sweep())
    for (const Drawn &drawn : since) {
      duel.load(memoryOf(kind, drawn.seed));
      Verdict verdict = duel.run(drawn.command, kind.bound, true);
      if (isMismatch(verdict.outcome))
        mismatch(kind, drawn, findingsWanted);
    }
  since.clear();
}

Finding Campaign::shrinkFinding(const Kind &kind, const Drawn &drawn,
                                const Verdict &verdict) {
  std::string refusal = withoutNumbers(verdict.text);
  auto runCase = [&](const Case &candidate, bool thorough) {
    duel.load(candidate.memory);
    return duel.run(candidate.command, kind.bound, thorough);
  };
  // Far differences are seen only by the slow comparison.
  bool slow = !isMismatch(
      runCase({drawn.command, memoryOf(kind, drawn.seed)}, false).outcome);
  bool legal = brokenRule(drawn.command).empty();
  StillFails stillFails = [&](const Case &candidate) {
    if (legal && !brokenRule(candidate.command).empty())
      return false;
    Verdict now = runCase(candidate, slow);
    return now.outcome == verdict.outcome &&
           (now.outcome != Outcome::OursRefuses ||
            withoutNumbers(now.text) == refusal);
  };
  Case minimal =
      shrink({drawn.command, memoryOf(kind, drawn.seed)}, stillFails);
  Verdict last = runCase(minimal, true);
  if (!isMismatch(last.outcome)) { // only after others: report it as drawn
    minimal = {drawn.command, memoryOf(kind, drawn.seed)};
    last = verdict;
  }
  Finding finding;
  finding.kind = kind.name;
  finding.seed = drawn.seed;
  finding.outcome = last.outcome;
  finding.drawn = commandText(drawn.command);
  finding.minimal = commandText(minimal.command);
  finding.memory = describe(minimal.memory) + duel.keptWords();
  finding.text = last.text;
  finding.operands = operandsOf(minimal);
  duel.load(memoryOf(kind, drawn.seed));
  return finding;
}

/// The first bytes of each operand in local memory.
std::string Campaign::operandsOf(const Case &failing) {
  std::string text;
  const Command &command = failing.command;
  if (command.engine != Engine::Tiu)
    return text;
  constexpr std::pair<Field, Field> operands[] = {
      {Field::opd0_addr, Field::opd0_const},
      {Field::opd1_addr, Field::opd1_const},
      {Field::opd2_addr, Field::opd2_const},
      {Field::opd3_addr, Field::opd3_const}};
  uint64_t left = command.get(Field::tsk_opd_num);
  if (left == 0) // the form or the instruction does not count them
    left = 4;
  for (auto [address, constant] : operands) {
    if (left-- == 0)
      break;
    uint64_t at = command.get(address);
    if (!isa::hasField(command.form, address) || command.get(constant) ||
        at + 16 > kLocalBytes)
      continue;
    text += "  " + std::string(isa::fieldName(address)) + " ->";
    for (size_t i = 0; i < 16; ++i) {
      char digits[8];
      std::snprintf(digits, sizeof(digits), i % 4 ? "%02x" : " %02x",
                    duel.localBefore()[at + i]);
      text += digits;
    }
    text += "\n";
  }
  for (const Poke &poke : command.pokes) {
    char place[32];
    std::snprintf(place, sizeof(place), "%#llx",
                  static_cast<unsigned long long>(poke.address));
    text += "  poke of " + std::to_string(poke.bytes.size()) + " bytes at " +
            place + "\n";
  }
  return text;
}

Verdict Campaign::replay(const Kind &kind, uint64_t seed) {
  Drawn drawn{seed, drawCommand(kind, seed)};
  if (!drawn.command.error.empty() || !functionOf(drawn.command))
    return {Outcome::OursRefuses,
            "the kind draws a wrong command: " + drawn.command.error};
  duel.load(memoryOf(kind, seed));
  Verdict verdict = duel.run(drawn.command, kind.bound, true);
  account(kind, drawn, verdict);
  if (isMismatch(verdict.outcome))
    mismatch(kind, drawn, unsigned(findings.size()) + 1);
  return verdict;
}

} // namespace weft::oracle

#include "tests/oracle/emulator/Registry.h"

#include "runtime/isa/CommandBuilder.h"
#include "tests/unit/runtime/isa/FirstTable.h"

#include <algorithm>
#include <set>

namespace weft::oracle {
namespace {

/// Commands drawn to learn what a kind covers.
constexpr unsigned kSamples = 48;

const char *unjudgedReason(const Function &function) {
#define WEFT_UNJUDGED(engine, type, func, reason)                              \
  if (function == Function{Engine::engine, type, func})                        \
    return reason;
#include "tests/oracle/emulator/Unjudged.def"
  (void)function;
  return nullptr;
}

const char *unjudgedFormReason(const Row &row) {
#define WEFT_UNJUDGED_FORM(form, type, func, reason)                           \
  if (row.function ==                                                          \
          Function{isa::formSpec(Form::form).engine, type, func} &&            \
      row.missingForms == std::vector<Form>{Form::form})                       \
    return reason;
#include "tests/oracle/emulator/Unjudged.def"
  return nullptr;
}

/// Enters a kind into a row if it draws commands of it.
void assignKind(Row &row, const Kind &kind,
                const std::set<std::pair<Function, Form>> &drawn) {
  bool draws = false;
  for (const auto &[function, form] : drawn)
    if (function == row.function) {
      draws = true;
      auto &missing = row.missingForms;
      missing.erase(std::remove(missing.begin(), missing.end(), form),
                    missing.end());
    }
  if (!draws)
    return;
  row.kinds.push_back(&kind);
  if (kind.bound.ulps > row.bound.ulps)
    row.bound = kind.bound;
}

bool executes(Executor &ours, Engine engine, const uint8_t *bytes, size_t size,
              std::string &why) {
  ours.begin(engine, bytes, size);
  return ours.finish(why) == Ending::Done;
}

} // namespace

std::string Row::judgement() const {
  if (unjudged)
    return std::string("the oracle cannot judge: ") + unjudged;
  if (kinds.empty())
    return "not judged: no kind draws it";
  if (bound.ulps)
    return "at most " + std::to_string(bound.ulps) + " ulp: " + bound.reason;
  size_t wrong = 0;
  for (const Kind *kind : kinds)
    wrong += knownMismatch(kind->name) != nullptr;
  if (wrong)
    return "bit for bit, but " + std::to_string(wrong) + " of " +
           std::to_string(kinds.size()) + " kinds differ";
  return std::string("bit for bit") +
         (unjudgedForm ? std::string("; one form not: ") + unjudgedForm : "");
}

Registry::Registry(Executor &ours) {
  addRows();
  assignKinds();
  for (Row &row : rows)
    row.unjudgedForm = unjudgedFormReason(row);
  askEmulated(ours);
}

const Kind *Registry::kind(const std::string &name) const {
  for (const Kind &kind : kinds)
    if (kind.name == name)
      return &kind;
  return nullptr;
}

void Registry::addRows() {
  for (const isa::Opcode &opcode : isa::allOpcodes()) {
    Row row;
    row.function = {opcode.engine, opcode.type, opcode.func};
    row.opcode = &opcode;
    for (Form form : {opcode.longForm, opcode.shortForm})
      if (form != Form::None && row.missingForms != std::vector<Form>{form})
        row.missingForms.push_back(form); // SYSID stands for both
    row.unjudged = unjudgedReason(row.function);
    rows.push_back(row);
  }
}

void Registry::assignKinds() {
  std::set<std::string> names;
  for (const Kind &kind : kinds) {
    if (!names.insert(kind.name).second)
      problems.push_back("two kinds are called " + kind.name);
    std::set<std::pair<Function, Form>> drawn;
    for (unsigned seed = 0; seed < kSamples; ++seed) {
      Command command = drawCommand(kind, seed);
      std::optional<Function> function = functionOf(command);
      if (function && command.error.empty())
        drawn.emplace(*function, command.form);
      else
        problems.push_back(kind.name + ", seed " + std::to_string(seed) +
                           " draws a wrong command: " +
                           (function ? command.error : "does not decode"));
    }
    for (Row &row : rows)
      assignKind(row, kind, drawn);
  }
}

/// A row without kinds counts as emulated if our emulator says something else
/// than that it does not know the function.
void Registry::askEmulated(Executor &ours) {
  for (Row &row : rows) {
    std::string why;
    for (const Kind *kind : row.kinds)
      for (unsigned seed = 0; seed < kSamples && !row.emulated; ++seed) {
        Command command = drawCommand(*kind, seed);
        if (functionOf(command) == row.function)
          row.emulated = executes(ours, command.engine, command.bytes.data(),
                                  command.bytes.size(), why);
      }
    if (!row.kinds.empty())
      continue;
    isa::CommandBuilder bare(isa::firstTable(), *row.opcode,
                             isa::usualForm(*row.opcode));
    row.emulated = executes(ours, row.function.engine, bare.bytes(),
                            bare.sizeBytes(), why) ||
                   why.find("has no model of") == std::string::npos;
  }
}

} // namespace weft::oracle

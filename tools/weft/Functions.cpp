//===- Functions.cpp - the functions of the operation sets listed ---------===//

#include "tools/weft/Functions.h"

#include "runtime/chips/Chips.h"
#include "tools/catalog/Listing.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

using namespace weft;
using namespace weft::catalog;

namespace {
/// A row of PplStates.def: what was measured.
struct State {
  std::string_view name, state;
};
} // namespace

static const State kStates[] = {
#define WEFT_PPL_STATE(name, state) {name, state},
#include "tools/weft/PplStates.def"
    {"", ""}, // so that an empty table compiles
};

namespace {
/// A row of PplRuns.def: what the tests ran.
struct Run {
  std::string_view name, chip, by, operands;
};
} // namespace

static const Run kRuns[] = {
#define WEFT_PPL_RUN(name, chip, by, operands) {name, chip, by, operands},
#include "tools/weft/PplRuns.def"
    {"", "", "", ""}, // so that an empty table compiles
};

/// "dst src: fp16 fp32, index: uint16" as {"dst": ["fp16", "fp32"], ..}.
static nlohmann::ordered_json typesOf(std::string_view operands) {
  auto types = nlohmann::ordered_json::object();
  llvm::SmallVector<llvm::StringRef> groups, slots, kinds;
  llvm::StringRef(operands).split(groups, ", ", -1, /*KeepEmpty=*/false);
  for (llvm::StringRef group : groups) {
    auto [names, list] = group.split(": ");
    slots.clear();
    kinds.clear();
    names.split(slots, ' ');
    list.split(kinds, ' ');
    for (llvm::StringRef slot : slots)
      types[slot.str()] = std::vector<std::string>(kinds.begin(), kinds.end());
  }
  return types;
}

/// [{"chip": "bm1684x", "by": "device", "types": {"dst": ["fp16"]}}, ..]
static nlohmann::ordered_json runsOf(const Operation &operation) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const Run &run : kRuns)
    if (run.name == operation.name)
      runs.push_back({{"chip", run.chip},
                      {"by", run.by},
                      {"types", typesOf(run.operands)}});
  return runs;
}

/// "bm1684x (dst src: fp16 fp32), bm1690 in the interpreter (dst: fp32)".
static std::string runsText(const Operation &operation) {
  std::string text;
  for (const Run &run : kRuns)
    if (run.name == operation.name)
      text +=
          (text.empty() ? "" : ", ") + std::string(run.chip) +
          (run.by == "interpreter" ? " in the interpreter" : "") +
          (run.operands.empty() ? "" : " (" + std::string(run.operands) + ")");
  return text;
}

static std::string stateOf(const Operation &operation) {
  for (const State &row : kStates)
    if (row.name == operation.name)
      return std::string(row.state);
  return "untested";
}

nlohmann::ordered_json cli::functionsJson(Language language) {
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  std::string prefix = std::string(spelling(language)) + ".";
  for (const Operation &operation : operations(language)) {
    nlohmann::ordered_json row = describe(operation);
    row["name"] = prefix + std::string(operation.name);
    if (language == Language::Ppl)
      row["state"] = stateOf(operation);
    if (language == Language::Ppl)
      row["runs"] = runsOf(operation);
    rows.push_back(row);
  }
  return rows;
}

std::string cli::functionsTable(Language language) {
  if (language != Language::Ppl)
    return functionTable(language);
  // States are of the chip that commands are made for.
  std::string text = "| function | manual | " +
                     std::string(chips::all[0]->name) +
                     " | chips | run by the tests | summary |\n"
                     "|---|---|---|---|---|---|\n";
  for (const Operation &operation : operations()) {
    std::string chips;
    for (const std::string &name : targetsOf(operation))
      chips += (chips.empty() ? "" : " ") + name;
    text += "| ppl." + std::string(operation.name) + " | " +
            std::string(operation.section) + " | " + stateOf(operation) +
            " | " + chips + " | " + runsText(operation) + " | " +
            std::string(operation.summary) + " |\n";
  }
  return text;
}

// What examples of data movement take for granted, and a result for the
// program around each.
static constexpr char kBefore[] =
    "  dim4 shape = {2, 8, 5, 7};\n"
    "  float *memory = ppl::malloc<float>(&shape);\n"
    "  gtensor<fp32> g(shape, GLOBAL, memory);\n"
    "  tensor<fp32> a(shape), b(shape);\n"
    "  dma::load(a, g);\n";
static constexpr char kAfter[] = "  dma::store(g, a);\n";

/// The chip whose example is run: the first that has the function.
static const Chip *exampleChip(const Operation &operation) {
  for (const Chip *chip : chips::kernelTargets)
    if (operation.existsOn(*chip))
      return chip;
  return nullptr;
}

std::string cli::pplExamples(const Chip &chip) {
  std::string text = "#include \"ppl/ppl.h\"\nusing namespace ppl;\n";
  for (const Operation &operation : operations()) {
    if (exampleChip(operation) != &chip || operation.example.empty())
      continue;
    std::string name(operation.name);
    name[name.find('.')] = '_';
    text += "__TEST__ void example_" + name + "() {\n" + kBefore + "{\n" +
            std::string(operation.example) + "\n}\n" + kAfter + "}\n";
  }
  return text;
}

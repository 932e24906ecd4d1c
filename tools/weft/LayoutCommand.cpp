//===- LayoutCommand.cpp - weft layout -----------------------------------===//

#include "passes/ascend/LayerInputs.h"
#include "runtime/chips/Chips.h"
#include "tools/weft/ErrorStream.h"
#include "tools/weft/ModelFlags.h"
#include "tools/weft/Program.h"

#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::cli;
using ascend::InputPlan;
using ascend::LayerInput;
using Json = nlohmann::ordered_json;

namespace {

struct LayoutFlags {
  ModelFlags model;
  std::string type = "f16";
  bool isTypeGiven = false;
  std::string target = std::string(chips::cubeTargets[0]->targetName);
  bool separateGroups = false;
  bool check = false;
  bool moves = false;
  bool json = false;
};

/// An input with what the emulator said about its plan.
struct Checked {
  const LayerInput &input;
  std::string difference; ///< empty: none, or not asked
};

/// What both forms of the report print.
struct Report {
  const LayoutFlags &flags;
  const CubeMemory &memory;
  std::vector<Checked> inputs;

  double share(int64_t bytes, int64_t cycles) const {
    return ascend::bandwidthShare(bytes, cycles, memory);
  }
  double microseconds(int64_t cycles) const {
    return double(cycles) * 1e6 / double(memory.cyclesPerSecond);
  }
  size_t failures() const;
  /// What to know about the type that nobody asked for; empty: nothing.
  std::string note() const;
  std::string text() const;
  Json json() const;
};

} // namespace

static std::string product(const std::vector<int64_t> &sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

/// Cut on the left, where names of one model are alike.
static std::string shortName(const std::string &name, size_t most) {
  return name.size() <= most ? name
                             : ".." + name.substr(name.size() - most + 2);
}

size_t Report::failures() const {
  size_t count = 0;
  for (const Checked &checked : inputs)
    count += !checked.difference.empty();
  return count;
}

std::string Report::note() const {
  size_t count = 0, constants = 0;
  for (const Checked &checked : inputs) {
    constants += checked.input.isConstant;
    count += checked.input.isFromInt8 && !checked.input.isConstant;
  }
  if (flags.isTypeGiven || !count)
    return {};
  return std::to_string(count) + " of " +
         std::to_string(inputs.size() - constants) +
         " inputs that are not constant are made from 8-bit integers; all are "
         "planned in " +
         flags.type + ", use --type int8 to plan all in 8 bits";
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// The tiles of a plan, one move a line.
static std::string listing(const LayerInput &input, const CubeMemory &memory) {
  const InputPlan &plan = input.plan;
  std::string text = input.layerName + " " + input.role + ": " +
                     std::string(ascend::spelling(plan.layout)) + "\n";
  for (size_t t = 0; t < plan.tiles.size(); ++t) {
    const ascend::Tile &tile = plan.tiles[t];
    text += "  tile " + std::to_string(t);
    for (size_t a = 0; a < plan.axes.size(); ++a)
      text += " " + plan.axes[a] + "=" + std::to_string(tile.origin[a]) + "+" +
              std::to_string(tile.sizes[a]);
    text += " l1=" + std::to_string(tile.address) + "+" +
            std::to_string(tile.bytes) +
            " cycles=" + std::to_string(tile.cycles(memory)) + "\n";
    if (tile.clears)
      text += "    clear\n";
    for (const ascend::Nd2Nz &move : tile.moves)
      text += "    " + ascend::text(move) + "\n";
  }
  return text;
}

std::string Report::text() const {
  char line[512];
  snprintf(line, sizeof line,
           "%-28s %-6s %-10s %-20s %4s %5s %6s %10s %10s %5s%s\n", "layer",
           "input", "layout", "array", "join", "tiles", "moves", "bytes",
           "cycles", "band", flags.check ? "  check" : "");
  std::string text = line, lists, differences;
  int64_t tiles = 0, moves = 0, bytes = 0, cycles = 0;
  for (const Checked &checked : inputs) {
    const LayerInput &input = checked.input;
    const InputPlan &plan = input.plan;
    int64_t ownBytes = plan.readBytes(), ownCycles = plan.cycles(memory);
    bool isEqual = checked.difference.empty();
    std::string joined =
        input.joinedGroups == 1 ? "-" : std::to_string(input.joinedGroups);
    snprintf(line, sizeof line,
             "%-28s %-6s %-10s %-20s %4s %5zu %6lld %10lld %10lld %4.0f%%%s\n",
             shortName(input.layerName, 28).c_str(), input.role.c_str(),
             std::string(ascend::spelling(plan.layout)).c_str(),
             product(plan.sizes).c_str(), joined.c_str(), plan.tiles.size(),
             (long long)plan.moveCount(), (long long)ownBytes,
             (long long)ownCycles, 100 * share(ownBytes, ownCycles),
             !flags.check ? ""
             : isEqual    ? "  equal"
                          : "  DIFFERS");
    text += line;
    tiles += int64_t(plan.tiles.size());
    moves += plan.moveCount();
    bytes += ownBytes;
    cycles += ownCycles;
    if (flags.moves)
      lists += "\n" + listing(input, memory);
    if (!isEqual)
      differences += "  " + input.layerName + " " + input.role + ": " +
                     checked.difference + "\n";
  }
  snprintf(line, sizeof line,
           "%zu inputs in %s on %s: %lld tiles, %lld moves, %lld bytes, %lld "
           "cycles (%.1f us), %.0f%% of the bandwidth\n",
           inputs.size(), flags.type.c_str(), flags.target.c_str(),
           (long long)tiles, (long long)moves, (long long)bytes,
           (long long)cycles, microseconds(cycles), 100 * share(bytes, cycles));
  text += line;
  if (flags.check)
    text += "check: " + std::to_string(inputs.size() - failures()) +
            " inputs equal, " + std::to_string(failures()) + " differ\n" +
            differences;
  if (std::string remark = note(); !remark.empty())
    text += "note: " + remark + "\n";
  return text + lists;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

static Json tileJson(const ascend::Tile &tile, const CubeMemory &memory) {
  Json moves = Json::array();
  for (const ascend::Nd2Nz &move : tile.moves)
    moves.push_back(ascend::text(move));
  return {{"origin", tile.origin},
          {"sizes", tile.sizes},
          {"l1", tile.address},
          {"l1_bytes", tile.bytes},
          {"clears", tile.clears},
          {"bytes", tile.readBytes()},
          {"cycles", tile.cycles(memory)},
          {"moves", std::move(moves)}};
}

Json Report::json() const {
  Json rows = Json::array();
  int64_t moves = 0, bytes = 0, cycles = 0;
  for (const Checked &checked : inputs) {
    const LayerInput &input = checked.input;
    const InputPlan &plan = input.plan;
    int64_t ownBytes = plan.readBytes(), ownCycles = plan.cycles(memory);
    Json row = {{"layer", input.layerName},
                {"role", input.role},
                {"value", input.valueName},
                {"constant", input.isConstant},
                {"joined_groups", input.joinedGroups},
                {"layout", ascend::spelling(plan.layout)},
                {"axes", plan.axes},
                {"sizes", plan.sizes},
                {"elements", plan.sourceBytes / plan.elementBytes},
                {"moved_elements", ascend::movedElements(plan)},
                {"tiles", plan.tiles.size()},
                {"moves", plan.moveCount()},
                {"bytes", ownBytes},
                {"cycles", ownCycles},
                {"bandwidth_share", share(ownBytes, ownCycles)}};
    if (flags.check) {
      row["equal"] = checked.difference.empty();
      row["difference"] = checked.difference;
    }
    if (flags.moves) {
      row["plan"] = Json::array();
      for (const ascend::Tile &tile : plan.tiles)
        row["plan"].push_back(tileJson(tile, memory));
    }
    rows.push_back(std::move(row));
    moves += plan.moveCount();
    bytes += ownBytes;
    cycles += ownCycles;
  }
  Json json = {{"model", flags.model.model},
               {"target", flags.target},
               {"type", flags.type},
               {"note", note()},
               {"inputs", std::move(rows)},
               {"moves", moves},
               {"bytes", bytes},
               {"cycles", cycles},
               {"cycles_per_second", memory.cyclesPerSecond},
               {"bandwidth_share", share(bytes, cycles)}};
  if (flags.check)
    json["different_inputs"] = failures();
  return json;
}

//===----------------------------------------------------------------------===//
// The command
//===----------------------------------------------------------------------===//

static ExitCode layoutCommand(const LayoutFlags &flags) {
  auto refuse = [](std::string text) {
    return reportError(rt::fail(rt::Code::InvalidArgument, std::move(text)));
  };
  const Chip *chip = chips::findCubeTarget(flags.target);
  if (!chip)
    return refuse("--target is " + flags.target + ", moves are planned for " +
                  chips::joinedTargets(chips::cubeTargets));
  const ascend::InputType *type = ascend::findInputType(flags.type);
  if (!type)
    return refuse("--type is " + flags.type + ", must be " +
                  ascend::inputTypeNames());
  driver::Plugins plugins;
  driver::Compilation compilation(errorStream());
  if (auto exit = importModel(flags.model, plugins, compilation))
    return *exit;
  mlir::FailureOr<std::vector<LayerInput>> inputs = ascend::planLayerInputs(
      compilation.module(), *type, chip->cube,
      flags.separateGroups ? ascend::Groups::Separate : ascend::Groups::Joined);
  if (failed(inputs))
    return reportFailure(compilation);
  Report report{flags, chip->cube, {}};
  for (const LayerInput &input : *inputs)
    report.inputs.push_back(
        {input, flags.check ? ascend::differenceOf(input.plan, chip->cube)
                            : std::string()});
  ExitCode printed =
      flags.json ? printJson(report.json()) : printText(report.text());
  if (printed != ExitCode::Ok)
    return printed;
  return report.failures() ? ExitCode::ComparisonFailed : ExitCode::Ok;
}

void cli::addLayoutCommand(Program &program) {
  auto flags = std::make_shared<LayoutFlags>();
  CLI::App &command = program.addCommand(
      "layout",
      "Plan how the inputs of convolutions and matrix products get to the L1 "
      "of "
      "an Ascend core",
      {"weft layout cls.onnx --shape x=1x3x48x192",
       "weft layout cls.onnx --shape x=1x3x48x192 --type int8 --check",
       "weft layout cls.onnx --shape x=1x3x48x192 --moves"},
      [flags] { return layoutCommand(*flags); });
  addModelFlags(command, flags->model);
  command
      .add_option("--type", flags->type,
                  "Element type of all inputs: f16, bf16, int8 or f32")
      ->each([flags](const std::string &) { flags->isTypeGiven = true; })
      ->capture_default_str()
      ->type_name("TYPE");
  command.add_option("--target", flags->target, "The machine")
      ->capture_default_str()
      ->type_name("CHIP");
  command.add_flag("--separate-groups", flags->separateGroups,
                   "Move each group of a convolution on its own, where joined "
                   "groups are cheaper, too");
  command.add_flag("--check", flags->check,
                   "Run every move on the emulator with data in which each "
                   "element is another, and move it back");
  command.add_flag("--moves", flags->moves, "List the moves, one on each line");
  command.add_flag("--json", flags->json, "Print JSON");
}

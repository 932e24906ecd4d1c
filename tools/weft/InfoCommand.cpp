#include "runtime/bmodel/Areas.h"
#include "runtime/bmodel/Bmodel.h"
#include "runtime/bmodel/Conversion.h"
#include "runtime/device/EmulatorDevice.h"
#include "runtime/device/StageChoice.h"
#include "runtime/digest/Sha256.h"
#include "runtime/emulator/Emulator.h"
#include "runtime/isa/Rules.h"
#include "runtime/status/Quote.h"
#include "runtime/zhouyi/ProgramFile.h"
#include "tools/weft/Certifier.h"
#include "tools/weft/HostListing.h"
#include "tools/weft/Listing.h"
#include "tools/weft/Program.h"
#include "tools/weft/ProgramListing.h"
#include "tools/weft/RaceListing.h"
#include "tools/weft/TensorListing.h"

#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::cli;
using Json = nlohmann::ordered_json;
using numeric::elementTypeName;
using numeric::shapeText;
using rt::Result;

namespace {
struct InfoFlags {
  std::string model;
  bool json = false;
  bool check = false;
};

/// Commands of a model that break a rule of the hardware or leave the DRAM of
/// their stage.
struct Violations {
  /// The first of them, each "net 'n' stage 0 group 0 tiu command 3
  /// (arith.add): <value, rule, source>".
  std::vector<std::string> texts;
  uint64_t commands = 0; ///< checked
  uint64_t broken = 0;
};
} // namespace

static const char *addressModeName(rt::wire::AddressMode mode) {
  switch (mode) {
  case rt::wire::AddressMode::IoAlone:
    return "io_alone";
  case rt::wire::AddressMode::IoReloc:
    return "io_reloc";
  default:
    return "basic";
  }
}

/// Facts of one stage; DRAM bytes are summed from its GDMA commands.
static Result<Json> describeStage(const rt::Bmodel &model,
                                  const rt::StageSpec &stage) {
  Result<emulator::RunStats> moved =
      emulator::summarizeCommands(model.chip(), rt::commandGroups(stage));
  if (!moved)
    return moved.status();
  Json json = {{"inputs", Json::array()}, {"outputs", Json::array()}};
  for (const rt::TensorSpec &tensor : stage.inputs)
    json["inputs"].push_back(describeTensor(tensor));
  for (const rt::TensorSpec &tensor : stage.outputs)
    json["outputs"].push_back(describeTensor(tensor));
  json["weight_bytes"] = stage.weights.bytes;
  json["weight_file_offset"] =
      stage.weightBytes.size == 0
          ? 0
          : uint64_t(stage.weightBytes.data - model.fileBytes().data);
  json["activation_bytes"] = stage.activations.bytes;
  json["io_bytes"] = stage.io.bytes;
  json["groups"] = stage.groups.size();
  json["commands"] = {{"tiu", moved->tiuCommands},
                      {"gdma", moved->gdmaCommands}};
  json["dram"] = {{"read_bytes", moved->dramReadBytes},
                  {"write_bytes", moved->dramWriteBytes}};
  if (moved->isCut) // a command moves more than any memory holds
    json["dram"]["lower_bound"] = true;
  json["debug_map"] = stage.debugMap != nullptr;
  json["sub_nets"] = stage.subNets.size();
  if (stage.usesHost())
    json["host"] = describeHost(stage);
  return json;
}

/// The options that a stage was converted with; null if the net does not tell.
static Json describeConversion(const rt::NetSpec &net, size_t stage) {
  std::optional<rt::Conversion> record = rt::readConversion(net, stage);
  if (!record)
    return nullptr;
  Json json = {{"compiler", record->compiler}, {"options", Json::object()}};
  for (const rt::ConversionOption &option : record->options)
    json["options"][std::string(option.key)] = option.value;
  json["calibration"] = record->hasCalibration();
  json["calibration_kept"] = !record->calibration.empty();
  json["precision_table"] = !record->precisionTable.empty();
  json["model_sha256"] =
      rt::hexText(record->modelDigest.data, record->modelDigest.size);
  return json;
}

/// "  converted with precision=int8 O=2 and a calibration table".
static std::string conversionText(const Json &json) {
  if (json.is_null())
    return "";
  std::string options;
  for (const auto &[key, value] : json["options"].items())
    options +=
        (options.empty() ? "" : " ") + key + "=" + value.get<std::string>();
  std::string text = "  converted by " +
                     rt::quoteName(json["compiler"].get<std::string>()) +
                     " with " + rt::quoteName(options);
  if (json["calibration"].get<bool>())
    text += json["calibration_kept"].get<bool>()
                ? ", with its calibration table"
                : ", calibration table left out";
  if (json["precision_table"].get<bool>())
    text += ", with its precision table";
  if (std::string digest = json["model_sha256"]; !digest.empty())
    text += "\n  from a model of sha256 " + digest;
  return text + "\n";
}

static Result<Json> describeModel(const rt::Bmodel &model) {
  Json json = {
      {"file", model.path()},      {"file_bytes", model.fileBytes().size},
      {"chip", model.chip().name}, {"version", model.table().version()->str()},
      {"dram_bytes", 0},           {"nets", Json::array()}};
  uint64_t moved = 0;
  for (const rt::NetSpec &net : model.nets()) {
    Json netJson = {{"name", net.name},
                    {"address_mode", addressModeName(net.addressMode)},
                    {"conversion", describeConversion(net, 0)},
                    {"stages", Json::array()}};
    for (size_t s = 0; s < net.stages.size(); ++s) {
      Result<Json> stageJson = describeStage(model, net.stages[s]);
      if (!stageJson)
        return stageJson.status().withContext(model.path());
      // From here on those of another file that was combined with it.
      if (s != 0 && rt::hasOwnConversion(net.stages[s]))
        (*stageJson)["conversion"] = describeConversion(net, s);
      netJson["stages"].push_back(*std::move(stageJson));
    }
    const Json &dram = netJson["stages"][0]["dram"];
    moved += dram["read_bytes"].get<uint64_t>() +
             dram["write_bytes"].get<uint64_t>();
    json["nets"].push_back(std::move(netJson));
  }
  json["dram_bytes"] = moved;
  json["certificate"] = describeCertificate(model);
  return json;
}

/// "    takes x 1..8x3x48x(64..640:64)" for every input, if there is a choice.
static std::string allowedText(const rt::NetSpec &net) {
  std::string text;
  if (net.stages.size() > 1)
    for (size_t i = 0; i < net.stages[0].inputs.size(); ++i)
      text += "  takes " + rt::quoteName(net.stages[0].inputs[i].name) + " " +
              rt::allowedShapes(net, i) + "\n";
  return text;
}

static std::string stageText(const rt::StageSpec &stage, const Json &json) {
  auto number = [](const Json &value) {
    return std::to_string(value.get<uint64_t>());
  };
  std::string text;
  for (const rt::TensorSpec &tensor : stage.inputs)
    text += tensorLine("input ", tensor);
  for (const rt::TensorSpec &tensor : stage.outputs)
    text += tensorLine("output", tensor);
  uint64_t read = json["dram"]["read_bytes"].get<uint64_t>();
  uint64_t written = json["dram"]["write_bytes"].get<uint64_t>();
  text += "    weights " + number(json["weight_bytes"]) +
          " bytes, activations " + number(json["activation_bytes"]) + " bytes";
  if (stage.io.bytes != 0)
    text += ", inputs and outputs " + number(json["io_bytes"]) + " bytes";
  text += "\n    commands: tiu " + number(json["commands"]["tiu"]) + ", gdma " +
          number(json["commands"]["gdma"]) + ", in " + number(json["groups"]) +
          (stage.groups.size() == 1 ? " group" : " groups");
  text += "\n    DRAM: " + std::to_string(read) + " bytes read, " +
          std::to_string(written) + " written, " +
          std::to_string(read + written) + " together";
  if (json["dram"].contains("lower_bound"))
    text += " or more (a command moves over 2^45 bytes, see --check)";
  text += stage.debugMap ? "\n    debug map: yes\n" : "\n    debug map: no\n";
  if (json.contains("conversion"))
    text += "  from this stage on:\n" + conversionText(json["conversion"]);
  if (json.contains("host"))
    text += hostText(json["host"], "    ");
  return text;
}

static Result<Violations> checkRules(const rt::Bmodel &model) {
  constexpr size_t kMaxTexts = 20;
  Violations violations;
  for (const rt::NetSpec &net : model.nets()) {
    rt::Status status = visitCommands(
        model.chip(), net, "",
        [&](const CommandPlace &place, const isa::Decoded &command) {
          ++violations.commands;
          rt::Status kept = isa::checkCommand(command, model.chip());
          if (kept)
            kept =
                rt::checkAreas(model.chip(), net.stages[place.stage], command);
          if (kept.isOk() || violations.broken++ >= kMaxTexts)
            return rt::Status::ok();
          violations.texts.push_back(
              headingOf(place) + " command " + std::to_string(place.index) +
              " (" + std::string(command.mnemonic) + "): " + kept.message());
          return rt::Status::ok();
        });
    if (!status)
      return status;
  }
  return violations;
}

static std::string violationText(const Violations &violations) {
  std::string text = "hardware rules: " + std::to_string(violations.broken) +
                     " of " + std::to_string(violations.commands) +
                     " commands break one\n";
  for (const std::string &one : violations.texts)
    text += "  " + one + "\n";
  if (violations.broken > violations.texts.size())
    text += "  and " +
            std::to_string(violations.broken - violations.texts.size()) +
            " more\n";
  return text;
}

static ExitCode infoCommand(const InfoFlags &flags) {
  if (zhouyi::isProgramFile(flags.model))
    return showProgram(flags.model, flags.check, flags.json);
  Result<rt::Bmodel> model = rt::Bmodel::load(flags.model);
  if (!model)
    return reportError(model.status());
  Result<Json> json = describeModel(*model);
  if (!json)
    return reportError(json.status());
  Violations violations;
  bool hasRaces = false;
  if (flags.check) {
    Result<Violations> found = checkRules(*model);
    if (!found)
      return reportError(found.status());
    violations = *std::move(found);
    (*json)["rules"] = {{"commands", violations.commands},
                        {"broken", violations.broken},
                        {"violations", violations.texts}};
    Result<Json> races = describeRaces(*model);
    if (!races)
      return reportError(races.status());
    hasRaces = (*races)["missing_waits"] != 0;
    (*json)["races"] = *std::move(races);
  }
  auto finish = [&](ExitCode printed) {
    return printed == ExitCode::Ok && (violations.broken != 0 || hasRaces)
               ? ExitCode::ComparisonFailed
               : printed;
  };
  if (flags.json)
    return finish(printJson(*json));
  std::string text =
      flags.model + ": " + std::string(model->chip().name) + ", " +
      std::to_string(model->fileBytes().size) + " bytes, version " +
      rt::quoteName(model->table().version()->string_view()) + "\n";
  for (size_t n = 0; n < model->nets().size(); ++n) {
    const rt::NetSpec &net = model->nets()[n];
    text += "net " + rt::quoteName(net.name) + ", addresses " +
            addressModeName(net.addressMode) + "\n" +
            conversionText((*json)["nets"][n]["conversion"]) + allowedText(net);
    for (size_t s = 0; s < net.stages.size(); ++s)
      text += "  stage " + std::to_string(s) + "\n" +
              stageText(net.stages[s], (*json)["nets"][n]["stages"][s]);
  }
  text += certificateText(*model);
  if (flags.check)
    text += violationText(violations) + raceListText((*json)["races"]);
  return finish(printText(text));
}

void cli::addInfoCommand(Program &program) {
  auto flags = std::make_shared<InfoFlags>();
  CLI::App &command = program.addCommand(
      "info",
      "Show nets, tensors, sizes, commands and DRAM traffic of a bmodel or a "
      ".zyp program",
      {"weft info cls.bmodel", "weft info cls.bmodel --json",
       "weft info cls.bmodel --check"},
      [flags] { return infoCommand(*flags); });
  addProgramFile(command, flags->model);
  command.add_flag(
      "--check", flags->check,
      "Also check every command against the hardware's rules and the areas of "
      "its stage in DRAM, and that the engines wait for each other wherever "
      "they "
      "touch the same memory; exit code 1 if a rule is broken or a wait is "
      "missing");
  command.add_flag("--json", flags->json, "Print as JSON");
}

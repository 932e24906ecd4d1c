#include "runtime/bmodel/Bmodel.h"
#include "runtime/bmodel/DebugMap.h"
#include "runtime/isa/Decode.h"
#include "runtime/status/Quote.h"
#include "tools/weft/InputArrays.h"
#include "tools/weft/Program.h"

#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::cli;
using Json = nlohmann::ordered_json;
using rt::Result;

namespace {

struct DisasmFlags {
  std::string model;
  std::string net;
  std::string engine;
  bool json = false;
};

/// Where a command stands in a model.
struct Place {
  const rt::NetSpec *net;
  size_t stage;
  size_t group;
  isa::Engine engine;
  size_t index;
};

/// Takes the commands one after the other; a failure stops the walk.
using Visitor =
    std::function<ExitCode(const Place &, const isa::Decoded &command)>;

} // namespace

static ExitCode visitStream(Place place, const rt::GroupSpec &group,
                            const Visitor &visit) {
  bool tiu = place.engine == isa::Engine::Tiu;
  rt::ByteSpan bytes = tiu ? group.tiu : group.gdma;
  uint32_t count = tiu ? group.tiuCount : group.gdmaCount;
  size_t offset = 0;
  for (place.index = 0; place.index < count; ++place.index) {
    isa::DecodeResult result =
        isa::decodeOne(place.engine, bytes.data + offset, bytes.size - offset);
    // The loader has decoded every command before.
    if (!result)
      return reportError(rt::fail(rt::Code::Internal, "undecodable command"));
    if (ExitCode code = visit(place, result.command); code != ExitCode::Ok)
      return code;
    offset += result.command.sizeBytes;
  }
  return ExitCode::Ok;
}

static ExitCode visitNet(const rt::NetSpec &net, const std::string &engine,
                         const Visitor &visit) {
  for (size_t stage = 0; stage < net.stages.size(); ++stage)
    for (size_t group = 0; group < net.stages[stage].groups.size(); ++group)
      for (isa::Engine which : {isa::Engine::Tiu, isa::Engine::Gdma}) {
        if (!engine.empty() && engine != isa::engineName(which))
          continue;
        ExitCode code = visitStream({&net, stage, group, which, 0},
                                    net.stages[stage].groups[group], visit);
        if (code != ExitCode::Ok)
          return code;
      }
  return ExitCode::Ok;
}

/// "net 'n' stage 0 group 0 tiu", before the first command of each stream.
static std::string heading(const Place &place) {
  std::string text = "net " + rt::quoteName(place.net->name) + " stage " +
                     std::to_string(place.stage) + " group " +
                     std::to_string(place.group) + " " +
                     std::string(isa::engineName(place.engine));
  if (!place.net->stages[place.stage].debugMap)
    text += " (no debug map: commands cannot be traced to ONNX nodes)";
  return text + "\n";
}

static ExitCode printListing(const rt::NetSpec &net,
                             const std::string &engine) {
  // Long listings go out in pieces, not as one string of gigabytes.
  constexpr size_t kPieceBytes = 1 << 20;
  std::string text;
  ExitCode code = visitNet(
      net, engine, [&](const Place &place, const isa::Decoded &command) {
        if (place.index == 0)
          text += heading(place);
        text += "  " + isa::disassemble(command);
        std::string origin = rt::originText(
            net.stages[place.stage], place.group, place.engine, place.index);
        text += origin.empty() ? "\n" : "  ; " + origin + "\n";
        if (text.size() < kPieceBytes)
          return ExitCode::Ok;
        ExitCode printed = printText(text);
        text.clear();
        return printed;
      });
  return code == ExitCode::Ok ? printText(text) : code;
}

static Json describeCommand(const Place &place, const isa::Decoded &command) {
  Json fields = Json::object();
  for (const isa::FieldSpec &field : isa::formSpec(command.form))
    if (field.name != isa::Field::Reserved)
      fields[std::string(isa::fieldName(field.name))] = command.get(field.name);
  Json nodes = Json::array();
  for (const rt::wire::DebugNode *node :
       rt::originNodes(place.net->stages[place.stage], place.group,
                       place.engine, place.index))
    nodes.push_back(node->name()->str());
  return {{"net", place.net->name},
          {"stage", place.stage},
          {"group", place.group},
          {"engine", isa::engineName(place.engine)},
          {"index", place.index},
          {"id", command.id()},
          {"waits_for", command.dep()},
          {"mnemonic", command.mnemonic},
          {"form", isa::formSpec(command.form).name},
          {"fields", std::move(fields)},
          {"nodes", std::move(nodes)}};
}

static ExitCode disasmCommand(const DisasmFlags &flags) {
  Result<rt::Bmodel> model = rt::Bmodel::load(flags.model);
  if (!model)
    return reportError(model.status());
  std::vector<const rt::NetSpec *> nets;
  for (const rt::NetSpec &net : model->nets())
    nets.push_back(&net);
  if (!flags.net.empty()) {
    Result<const rt::NetSpec *> net = chooseNet(*model, flags.net);
    if (!net)
      return reportError(net.status());
    nets = {*net};
  }
  Json commands = Json::array();
  for (const rt::NetSpec *net : nets) {
    ExitCode code =
        flags.json
            ? visitNet(*net, flags.engine,
                       [&](const Place &place, const isa::Decoded &command) {
                         commands.push_back(describeCommand(place, command));
                         return ExitCode::Ok;
                       })
            : printListing(*net, flags.engine);
    if (code != ExitCode::Ok)
      return code;
  }
  return flags.json ? printJson({{"commands", std::move(commands)}})
                    : ExitCode::Ok;
}

void cli::addDisasmCommand(Program &program) {
  auto flags = std::make_shared<DisasmFlags>();
  CLI::App &command = program.addCommand(
      "disasm",
      "List the commands of a bmodel with the ONNX nodes they are for",
      {"weft disasm cls.bmodel", "weft disasm cls.bmodel --engine gdma --json"},
      [flags] { return disasmCommand(*flags); });
  command.add_option("bmodel", flags->model, "The model")
      ->required()
      ->type_name("FILE");
  command.add_option("--net", flags->net, "Only this net")->type_name("NAME");
  command.add_option("--engine", flags->engine, "Only this engine")
      ->check(CLI::IsMember({"tiu", "gdma"}))
      ->type_name("tiu|gdma");
  command.add_flag("--json", flags->json, "Print as JSON");
}

#include "runtime/bmodel/Bmodel.h"
#include "runtime/bmodel/DebugMap.h"
#include "runtime/chips/Targets.h"
#include "runtime/isa/Decode.h"
#include "runtime/status/Quote.h"
#include "runtime/zhouyi/ProgramFile.h"
#include "tools/files/InputFile.h"
#include "tools/files/OutputFile.h"
#include "tools/weft/InputArrays.h"
#include "tools/weft/Listing.h"
#include "tools/weft/Program.h"
#include "tools/weft/ProgramListing.h"
#include "tools/weft/StandardInput.h"

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
  std::string raw;
  std::string chip = chips::defaultTarget();
  bool json = false;
};

} // namespace

static Json describeFields(const isa::Decoded &command) {
  Json fields = Json::object();
  for (const isa::FieldSpec &field : *command.spec)
    if (field.name != isa::Field::Reserved)
      fields[std::string(isa::fieldName(field.name))] = command.get(field.name);
  return fields;
}

static Json describeCommand(const CommandPlace &place,
                            const isa::Decoded &command) {
  Json nodes = Json::array();
  for (const rt::wire::DebugNode *node :
       rt::originNodes(place.net->stages[place.stage], place.group,
                       place.engine, place.index))
    nodes.push_back(node->name()->str());
  return {
      {"net", place.net->name},     {"stage", place.stage},
      {"group", place.group},       {"engine", isa::engineName(place.engine)},
      {"index", place.index},       {"id", command.id()},
      {"waits_for", command.dep()}, {"mnemonic", command.mnemonic},
      {"form", command.spec->name}, {"fields", describeFields(command)},
      {"nodes", std::move(nodes)}};
}

/// A buffer of commands without a bmodel around it, to its last byte: what
/// follows an end command is listed too, so that `weft asm` gives the same
/// file.
static ExitCode disasmRaw(const DisasmFlags &flags) {
  Result<std::string> content = tools::readInputFile(flags.model);
  if (!content)
    return reportError(content.status());
  auto engine = flags.raw == "tiu" ? isa::Engine::Tiu : isa::Engine::Gdma;
  const isa::InstructionSet &set = *chips::find(flags.chip)->instructions;
  auto bytes = reinterpret_cast<const uint8_t *>(content->data());
  Json commands = Json::array();
  std::string text;
  size_t index = 0;
  for (size_t offset = 0; offset < content->size(); ++index) {
    isa::DecodeResult result =
        isa::decodeOne(set, engine, bytes + offset, content->size() - offset);
    if (!result)
      return reportError(
          rt::failf(rt::Code::BadCommand, "%s: byte %zu, %s command %zu: %s",
                    flags.model == "-" ? "stdin" : flags.model.c_str(), offset,
                    flags.raw.c_str(), index,
                    std::string(isa::decodeErrorText(result.error)).c_str()));
    const isa::Decoded &command = result.command;
    if (flags.json)
      commands.push_back({{"engine", flags.raw},
                          {"index", index},
                          {"id", command.id()},
                          {"waits_for", command.dep()},
                          {"mnemonic", command.mnemonic},
                          {"form", command.spec->name},
                          {"fields", describeFields(command)}});
    else
      text += isa::disassemble(command) + "\n";
    offset += command.sizeBytes;
  }
  return flags.json ? printJson({{"commands", std::move(commands)}})
                    : printText(text);
}

static ExitCode disasmCommand(DisasmFlags flags) {
  if (!flags.raw.empty())
    return disasmRaw(flags);
  if (flags.model == "-") {
    Result<std::string> file = standardInputFile();
    if (!file)
      return reportError(file.status());
    flags.model = *file;
  }
  if (zhouyi::isProgramFile(flags.model)) {
    if (!flags.net.empty() || !flags.engine.empty())
      return reportError(
          rt::fail(rt::Code::InvalidArgument,
                   flags.model +
                       ": a program of vector operations is one net and has "
                       "one engine; leave out " +
                       (flags.net.empty() ? "--engine" : "--net")));
    return listProgram(flags.model, flags.json);
  }
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
    rt::Status status =
        flags.json
            ? visitCommands(
                  model->chip(), *net, flags.engine,
                  [&](const CommandPlace &place, const isa::Decoded &command) {
                    commands.push_back(describeCommand(place, command));
                    return rt::Status::ok();
                  })
            : listCommands(model->chip(), *net, flags.engine,
                           tools::writeStdout);
    if (!status)
      return reportError(status);
  }
  return flags.json ? printJson({{"commands", std::move(commands)}})
                    : ExitCode::Ok;
}

void cli::addDisasmCommand(Program &program) {
  auto flags = std::make_shared<DisasmFlags>();
  CLI::App &command = program.addCommand(
      "disasm",
      "List the commands of a bmodel, or the instructions of a .zyp program, "
      "with the ONNX nodes they are for",
      {"weft disasm cls.bmodel", "weft disasm cls.bmodel --engine gdma --json",
       "weft disasm --raw tiu kernel.bin"},
      [flags] { return disasmCommand(*flags); });
  command.add_option("bmodel", flags->model, "The model ('-': stdin)")
      ->required()
      ->type_name("FILE");
  CLI::Option *net = command.add_option("--net", flags->net, "Only this net")
                         ->check(nonEmptyValue())
                         ->type_name("NAME");
  CLI::Option *engine =
      command.add_option("--engine", flags->engine, "Only this engine")
          ->check(CLI::IsMember({"tiu", "gdma"}))
          ->type_name("tiu|gdma");
  CLI::Option *raw =
      command
          .add_option(
              "--raw", flags->raw,
              "The file is a command buffer of this engine, not a bmodel")
          ->check(CLI::IsMember({"tiu", "gdma"}))
          ->type_name("tiu|gdma")
          ->excludes(net)
          ->excludes(engine);
  command
      .add_option("--target", flags->chip,
                  "With --raw: the chip whose commands they are")
      ->check(CLI::IsMember(chips::targets()))
      ->type_name("CHIP")
      ->needs(raw);
  command.add_flag("--json", flags->json, "Print as JSON");
}

#include "runtime/status/Quote.h"
#include "tools/npz/Npz.h"
#include "tools/weft/DeviceFlags.h"
#include "tools/weft/InputArrays.h"
#include "tools/weft/Program.h"

#include <chrono>
#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::cli;
using numeric::HostTensor;
using rt::Result;

namespace {

struct RunFlags {
  std::string model;
  std::string input;
  std::string output;
  std::string net;
  rt::DeviceOptions device;
  bool json = false;
};

/// What a run gave, with what is needed to report it.
struct RunOutcome {
  std::vector<rt::TensorSpec> specs;
  std::vector<HostTensor> outputs;
  std::string net;
  size_t stage = 0;
  double seconds = 0;
};

} // namespace

static Result<RunOutcome> runModel(const RunFlags &flags) {
  Result<rt::Bmodel> model = rt::Bmodel::load(flags.model);
  if (!model)
    return model.status();
  Result<const rt::NetSpec *> net = chooseNet(*model, flags.net);
  if (!net)
    return net.status();
  Result<npz::Reader> archive = npz::Reader::open(flags.input);
  if (!archive)
    return archive.status();
  Result<size_t> stage = chooseStage(*archive, **net);
  if (!stage)
    return stage.status();
  Result<std::vector<HostTensor>> inputs =
      readInputs(*archive, (*net)->stages[*stage]);
  if (!inputs)
    return inputs.status();
  Result<rt::Session> session =
      rt::Session::open(flags.device, *model, **net, *stage);
  if (!session)
    return session.status();
  auto begin = std::chrono::steady_clock::now();
  Result<std::vector<HostTensor>> outputs =
      session->run(inputElements(*inputs));
  if (!outputs)
    return outputs.status();
  std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
  RunOutcome outcome;
  outcome.specs = session->stage().outputs;
  outcome.outputs = *std::move(outputs);
  outcome.net = (*net)->name;
  outcome.stage = *stage;
  outcome.seconds = time.count();
  return outcome;
}

static ExitCode reportOutcome(const RunFlags &flags,
                              const RunOutcome &outcome) {
  bool onBmrt = flags.device.kind == rt::DeviceOptions::Kind::Bmrt;
  nlohmann::ordered_json json = {{"net", outcome.net},
                                 {"stage", outcome.stage},
                                 {"device", onBmrt ? "bmrt" : "emulator"},
                                 {"seconds", outcome.seconds},
                                 {"output_file", flags.output},
                                 {"outputs", nlohmann::json::array()}};
  std::string text;
  for (size_t i = 0; i < outcome.specs.size(); ++i) {
    const HostTensor &tensor = outcome.outputs[i];
    json["outputs"].push_back(
        {{"name", outcome.specs[i].name},
         {"type", numeric::elementTypeName(tensor.type())},
         {"shape", tensor.shape()}});
    text += rt::quoteName(outcome.specs[i].name) + " " +
            numeric::elementTypeName(tensor.type()) + " " +
            numeric::shapeText(tensor.shape()) + "\n";
  }
  return flags.json ? printJson(json) : printText(text);
}

static ExitCode runCommand(const RunFlags &flags) {
  if (flags.json && flags.output == "-")
    return reportError(rt::fail(rt::Code::InvalidArgument,
                                "--json and --output - both want stdout"));
  Result<RunOutcome> outcome = runModel(flags);
  if (!outcome)
    return reportError(outcome.status());
  std::vector<npz::NamedTensor> arrays;
  for (size_t i = 0; i < outcome->specs.size(); ++i)
    arrays.push_back({outcome->specs[i].name, &outcome->outputs[i]});
  if (rt::Status status = npz::writeNpz(flags.output, arrays); !status)
    return reportError(status);
  return flags.output == "-" ? ExitCode::Ok : reportOutcome(flags, *outcome);
}

void cli::addRunCommand(Program &program) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App &command = program.addCommand(
      "run", "Run a bmodel on the emulator or on the vendor's runtime",
      {"weft run cls.bmodel --input line.npz --output out.npz",
       "weft run cls.bmodel --input line.npz --output out.npz --device bmrt "
       "--bmrt-lib /opt/sophon/libsophon-current/lib/libbmrt.so"},
      [flags] { return runCommand(*flags); });
  command.add_option("bmodel", flags->model, "The model")
      ->required()
      ->type_name("FILE");
  command
      .add_option("-i,--input", flags->input,
                  "Arrays by input name, exactly those of the net; float data "
                  "for a quantized input is quantized with its scale")
      ->required()
      ->type_name("FILE.npz");
  command
      .add_option("-o,--output", flags->output,
                  "Where the outputs go, by name ('-': stdout)")
      ->required()
      ->type_name("FILE.npz");
  command.add_option("--net", flags->net, "Net to run, if there are several")
      ->type_name("NAME");
  addDeviceFlags(command, flags->device);
  command.add_flag("--json", flags->json, "Print what was run as JSON");
}

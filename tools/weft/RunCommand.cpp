#include "runtime/status/Quote.h"
#include "tools/files/InputFile.h"
#include "tools/npz/Npz.h"
#include "tools/samples/SampleFiles.h"
#include "tools/weft/ModelRun.h"
#include "tools/weft/Program.h"

#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::cli;
using numeric::HostTensor;
using rt::Result;

namespace {

struct RunFlags {
  RunRequest request;
  std::string output;
  bool json = false;
};

} // namespace

static ExitCode reportOutcome(const RunFlags &flags, const ModelRun &outcome) {
  nlohmann::ordered_json json = {{"net", outcome.net},
                                 {"stage", outcome.stage},
                                 {"entries", outcome.entries},
                                 {"device", outcome.device},
                                 {"seconds", outcome.seconds},
                                 {"output_file", flags.output},
                                 {"outputs", nlohmann::json::array()}};
  std::string text;
  for (size_t i = 0; i < outcome.outputSpecs.size(); ++i) {
    const HostTensor &tensor = outcome.outputs[i];
    json["outputs"].push_back(
        {{"name", outcome.outputSpecs[i].name},
         {"type", numeric::elementTypeName(tensor.type())},
         {"shape", tensor.shape()}});
    text += rt::quoteName(outcome.outputSpecs[i].name) + " " +
            numeric::elementTypeName(tensor.type()) + " " +
            numeric::shapeText(tensor.shape()) + "\n";
  }
  return flags.json ? printJson(json) : printText(text);
}

static ExitCode runCommand(const RunFlags &flags) {
  if (flags.json && flags.output == "-")
    return reportError(rt::fail(rt::Code::InvalidArgument,
                                "--json and --output - both write to stdout"));
  Result<samples::SampleFiles> inputs =
      samples::parseFiles(flags.request.inputs);
  if (!inputs)
    return reportError(inputs.status().withContext("--input"));
  std::vector<tools::NamedInput> read = {
      {"the model", flags.request.model},
      {"the library", flags.request.decryptLibrary},
      {"the file of --preprocess", flags.request.preprocess.file}};
  for (const samples::SampleFile &input : *inputs)
    read.push_back({"an input", input.path});
  if (rt::Status status =
          tools::checkInputsKept("--output", flags.output, read);
      !status)
    return reportError(status);
  RunRequest request = flags.request;
  request.keepsInputs = false;
  Result<ModelRun> outcome = runModel(request);
  if (!outcome)
    return reportError(outcome.status());
  std::vector<npz::NamedTensor> arrays;
  for (size_t i = 0; i < outcome->outputSpecs.size(); ++i)
    arrays.push_back({outcome->outputSpecs[i].name, &outcome->outputs[i]});
  if (rt::Status status = npz::writeNpz(flags.output, arrays); !status)
    return reportError(status);
  return flags.output == "-" ? ExitCode::Ok : reportOutcome(flags, *outcome);
}

void cli::addRunCommand(Program &program) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App &command = program.addCommand(
      "run",
      "Run a bmodel on the emulator or on the vendor's runtime, or a .zyp "
      "program on its machine",
      {"weft run cls.bmodel --input line.npz --output out.npz",
       "weft run cls.bmodel --input line.png --preprocess cls.yaml --output "
       "out.npz",
       "weft run cls.bmodel --input line.npz --output out.npz "
       "--require-certificate",
       "weft run cls.bmodel --input line.npz --output out.npz --device bmrt "
       "--bmrt-lib /opt/sophon/libsophon-current/lib/libbmrt.so"},
      [flags] { return runCommand(*flags); });
  addProgramFile(command, flags->request.model);
  addInputFlag(command, flags->request,
               "Arrays by input name (.npz), exactly those of the net, or an "
               "image or .npy file for each input; float data for a quantized "
               "input is quantized with its scale");
  command
      .add_option("-o,--output", flags->output,
                  "Where the outputs go, by name ('-': stdout)")
      ->required()
      ->type_name("FILE.npz");
  addRunFlags(command, flags->request);
  command
      .add_option("--decrypt-library", flags->request.decryptLibrary,
                  "The bmodel is encrypted (weft bmodel encrypt); decrypt() of "
                  "this library makes it plain, in memory")
      ->check(nonEmptyValue())
      ->type_name("LIB.so");
  command.add_flag("--require-certificate", flags->request.needsCertificate,
                   "Refuse a bmodel that weft compare --certify has not "
                   "certified, or that was changed since");
  command.add_flag("--json", flags->json, "Print what was run as JSON");
}

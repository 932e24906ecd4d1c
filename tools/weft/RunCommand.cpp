#include "runtime/emulator/Workers.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"
#include "tools/files/InputFile.h"
#include "tools/files/OutputFile.h"
#include "tools/files/OutputFolder.h"
#include "tools/npz/Npz.h"
#include "tools/samples/SampleFiles.h"
#include "tools/weft/ModelRun.h"
#include "tools/weft/ProfileReport.h"
#include "tools/weft/Program.h"
#include "tools/weft/TensorListing.h"
#include "tools/weft/ValueDump.h"

#include <algorithm>
#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::cli;
using numeric::HostTensor;
using rt::Code;
using rt::Result;
using rt::Status;

namespace {

struct RunFlags {
  RunRequest request;
  std::string output;
  bool hasOutput = false;  ///< else it is empty because it was not given
  std::string dump;        ///< where all values go; empty: nowhere
  bool dumpStored = false; ///< as the program stores them
  size_t repeats = 0;      ///< runs that are timed, in each session; 0: none
  size_t sessions = 0;     ///< at once; 0: not asked for
  bool json = false;

  bool isTimed() const { return repeats || sessions; }
};

/// What is known of a run besides its outputs.
struct RunReport {
  ValueDump dump;
  RunTimes times;
  std::optional<double> predictedSeconds;
};

} // namespace

static nlohmann::ordered_json describeDump(const ValueDump &dump) {
  nlohmann::ordered_json values = nlohmann::json::array();
  for (const DumpedValue &value : dump.values)
    values.push_back(
        {{"name", value.name},
         {"type", numeric::elementTypeName(value.tensor.type())},
         {"shape", value.tensor.shape()},
         {"stored_type", numeric::elementTypeName(value.storedType)},
         {"scale", value.scale},
         {"zero_point", value.zeroPoint},
         {"file", value.file}});
  return values;
}

static void addTimes(const RunFlags &flags, const RunReport &report,
                     nlohmann::ordered_json &json, std::string &text) {
  const RunTimes &times = report.times;
  const size_t sessions = std::max<size_t>(flags.sessions, 1);
  json["repeats"] = times.seconds.size() / sessions;
  json["seconds_median"] = times.median();
  json["seconds_min"] = times.least();
  json["seconds_max"] = times.most();
  json["sessions"] = sessions;
  json["runs_per_second"] = times.perSecond();
  json["predicted_seconds"] = nullptr;
  text +=
      rt::format("%zu runs: median ", times.seconds.size()) +
      timeText(times.median()) + ", fastest " + timeText(times.least()) +
      ", slowest " + timeText(times.most()) + "\n" +
      rt::format(times.perSecond() < 100 ? "%.3g" : "%.0f", times.perSecond()) +
      rt::format(" runs a second, %zu at once\n", sessions);
  if (report.predictedSeconds) {
    json["predicted_seconds"] = *report.predictedSeconds;
    text += "predicted on the chip: " + timeText(*report.predictedSeconds) +
            " (weft profile)\n";
  }
}

static ExitCode reportOutcome(const RunFlags &flags, const ModelRun &outcome,
                              const RunReport &report) {
  nlohmann::ordered_json json = {{"net", outcome.net},
                                 {"stage", outcome.stage},
                                 {"entries", outcome.entries},
                                 {"device", outcome.device},
                                 {"seconds", outcome.seconds},
                                 {"output_file", flags.output},
                                 {"outputs", nlohmann::json::array()}};
  std::string text;
  for (size_t i = 0; i < outcome.outputSpecs.size(); ++i) {
    const rt::TensorSpec &spec = outcome.outputSpecs[i];
    const HostTensor &tensor = outcome.outputs[i];
    std::vector<int64_t> shape = tensor.shape();
    if (spec.isText)
      shape.pop_back();
    json["outputs"].push_back(
        {{"name", spec.name}, {"type", userTypeName(spec)}, {"shape", shape}});
    text += rt::quoteName(spec.name) + " " + userTypeName(spec) + " " +
            numeric::shapeText(shape) + "\n";
  }
  if (!flags.dump.empty()) {
    json["dump_file"] = flags.dump;
    json["dumped"] = describeDump(report.dump);
    json["not_dumped"] = report.dump.missing;
    text += rt::format("%zu values in ", report.dump.values.size()) +
            rt::printable(flags.dump) + "\n";
  }
  if (flags.isTimed())
    addTimes(flags, report, json, text);
  return flags.json ? printJson(json) : printText(text);
}

/// Refuses outputs that would end in one place, and such that are inputs.
static Status checkOutputs(const RunFlags &flags) {
  if (flags.output.empty() && flags.hasOutput)
    return rt::fail(Code::InvalidArgument,
                    "the name of the output is empty; give a file");
  if (flags.output.empty() && flags.dump.empty() && !flags.isTimed())
    return rt::fail(Code::InvalidArgument,
                    "--output is required; see weft run --help");
  bool isStdout[] = {flags.json, flags.output == "-", flags.dump == "-"};
  const char *options[] = {"--json", "--output -", "--dump-all -"};
  const char *first = nullptr;
  for (size_t i = 0; i < 3; ++i) {
    if (isStdout[i] && first)
      return rt::failf(Code::InvalidArgument, "%s and %s both write to stdout",
                       first, options[i]);
    if (isStdout[i])
      first = options[i];
  }
  if (!flags.dump.empty() &&
      (tools::isSameFile(flags.output, flags.dump) ||
       (flags.output == flags.dump && flags.output != "-")))
    return rt::fail(Code::InvalidArgument,
                    flags.dump +
                        ": is --output and --dump-all; name two files");
  Result<samples::SampleFiles> inputs =
      samples::parseFiles(flags.request.inputs);
  if (!inputs)
    return inputs.status().withContext("--input");
  std::vector<tools::NamedInput> read = {
      {"the model", flags.request.model},
      {"the library", flags.request.decryptLibrary},
      {"the file of --preprocess", flags.request.preprocess.file}};
  for (const samples::SampleFile &input : *inputs)
    read.push_back({"an input", input.path});
  WEFT_TRY(tools::checkInputsKept("--output", flags.output, read));
  WEFT_TRY(tools::checkInputsKept("--dump-all", flags.dump, read));
  // Before a run that takes its time, and so that not one of two is written.
  if (!flags.output.empty())
    WEFT_TRY(tools::checkOutputFile(flags.output));
  if (flags.dump.empty())
    return Status::ok();
  return isArchivePath(flags.dump) ? tools::checkOutputFile(flags.dump)
                                   : tools::checkOutputFolder(flags.dump);
}

/// Values that the debug map has in pieces of which some are missing.
static void remarkMissing(const std::vector<std::string> &missing) {
  if (missing.empty())
    return;
  constexpr size_t kShown = 10;
  std::string names;
  for (size_t i = 0; i < missing.size() && i < kShown; ++i)
    names += (i ? ", " : "") + rt::quoteName(missing[i]);
  if (missing.size() > kShown)
    names += rt::format(" and %zu more", missing.size() - kShown);
  reportRemark("--dump-all leaves out what the program never has whole: " +
               names);
}

static Status checkDumped(const RunFlags &flags, const ModelRun &outcome) {
  if (flags.dump.empty() || outcome.entries == 0)
    return Status::ok();
  return rt::failf(Code::ShapeMismatch,
                   "--dump-all writes whole values, but the batch of %lld is "
                   "filled up for a larger stage; give a full batch",
                   static_cast<long long>(outcome.entries));
}

static RunRequest makeRequest(const RunFlags &flags) {
  RunRequest request = flags.request;
  request.keepsInputs = flags.isTimed();
  request.layers = !flags.dump.empty();
  request.layersOption = "--dump-all";
  // Else each session would have as many threads as there are processors.
  if (flags.sessions > 1 && request.device.threads == 0)
    request.device.threads =
        std::max(1u, emulator::usableProcessors() / unsigned(flags.sessions));
  return request;
}

/// The outputs, and what else was asked for.
static Status writeOutcome(const RunFlags &flags, ModelRun &outcome,
                           ValueDump &dump) {
  WEFT_TRY(checkDumped(flags, outcome));
  if (!flags.dump.empty()) {
    dump = takeValues(outcome, flags.dumpStored);
    WEFT_TRY(writeValues(flags.dump, dump));
    remarkMissing(dump.missing);
    if (outcome.usesHost)
      reportRemark("--dump-all leaves out what the host computes (weft info "
                   "lists it); --output has what is an output, which convert "
                   "--outputs makes of any value");
  }
  if (flags.output.empty())
    return Status::ok();
  std::vector<npz::NamedTensor> arrays;
  for (size_t i = 0; i < outcome.outputSpecs.size(); ++i)
    arrays.push_back({outcome.outputSpecs[i].name, &outcome.outputs[i],
                      outcome.outputSpecs[i].isText});
  return npz::writeNpz(flags.output, arrays);
}

static ExitCode runCommand(const RunFlags &flags) {
  if (Status status = checkOutputs(flags); !status)
    return reportError(status);
  Result<std::unique_ptr<ModelRunner>> runner =
      ModelRunner::open(makeRequest(flags));
  if (!runner)
    return reportError(runner.status());
  Result<samples::SampleFiles> files =
      samples::parseFiles(flags.request.inputs);
  if (!files)
    return reportError(files.status().withContext("--input"));
  Result<ModelRun> outcome = (*runner)->run(*files);
  if (!outcome)
    return reportError(outcome.status());
  RunReport report;
  if (flags.isTimed()) {
    Result<RunTimes> times =
        (*runner)->repeat(*outcome, std::max<size_t>(flags.repeats, 1),
                          std::max<size_t>(flags.sessions, 1));
    if (!times)
      return reportError(times.status());
    if (!times->difference.empty())
      return reportCheckFailed(flags.request.model + ": " + times->difference);
    report.times = *std::move(times);
    report.predictedSeconds = (*runner)->predictSeconds(outcome->stage);
  }
  if (Status status = writeOutcome(flags, *outcome, report.dump); !status)
    return reportError(status);
  bool isPrinted = flags.output == "-" || flags.dump == "-";
  return isPrinted ? ExitCode::Ok : reportOutcome(flags, *outcome, report);
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
       "weft run cls.bmodel --input line.npz --dump-all values.npz",
       "weft run cls.bmodel --input line.npz --repeat 100 --parallel 2",
       "weft run cls.bmodel --input line.npz --output out.npz --device bmrt "
       "--bmrt-lib /opt/sophon/libsophon-current/lib/libbmrt.so"},
      [flags] { return runCommand(*flags); });
  addProgramFile(command, flags->request.model);
  addInputFlag(command, flags->request,
               "Arrays by input name (.npz), exactly those of the net, or an "
               "image or .npy file for each input (several of one input are "
               "stacked to a batch); float data for a quantized "
               "input is quantized with its scale");
  command
      .add_option_function<std::string>(
          "-o,--output",
          [flags = flags.get()](const std::string &path) {
            flags->output = path;
            flags->hasOutput = true;
          },
          "Where the outputs go, by name ('-': stdout); required, but with "
          "--dump-all, --repeat or --parallel")
      ->type_name("FILE.npz");
  CLI::Option *dump =
      command
          .add_option("--dump-all", flags->dump,
                      "Where all values of the ONNX graph go that the program "
                      "computes, by name: an .npz file, or a folder of .npy "
                      "files with names.json ('-': an .npz file to stdout); on "
                      "the emulator")
          ->check(nonEmptyValue())
          ->type_name("DIR|FILE.npz");
  command
      .add_flag("--dump-stored", flags->dumpStored,
                "The values of --dump-all as the program stores them: codes "
                "in place of reals, f16 in place of f32")
      ->needs(dump);
  command
      .add_option("--repeat", flags->repeats,
                  "Time N more runs and print the median; all must give the "
                  "same bytes")
      ->check(CLI::Range(1, 1000000))
      ->excludes(dump)
      ->type_name("N");
  command
      .add_option("--parallel", flags->sessions,
                  "Do so in K sessions at once, each on a thread of its own, "
                  "and print the runs a second")
      ->check(CLI::Range(1, 1024))
      ->excludes(dump)
      ->type_name("K");
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

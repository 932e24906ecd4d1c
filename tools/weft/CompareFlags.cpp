#include "tools/weft/CompareFlags.h"
#include "runtime/bmodel/Container.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"
#include "runtime/zhouyi/ProgramFile.h"
#include "tools/files/InputFile.h"
#include "tools/files/OutputFile.h"
#include "tools/samples/SampleFiles.h"
#include "tools/weft/Bindings.h"
#include "tools/weft/NearNames.h"
#include "tools/weft/Program.h"
#include "tools/weft/StandardInput.h"
#include "tools/weft/TextTable.h"

#include <cctype>
#include <cmath>
#include <cstdio>
#include <tuple>
#include <unistd.h>

using namespace weft;
using namespace weft::cli;
using comparison::Limit;
using rt::Code;
using rt::Result;
using rt::Status;

/// "" if `text` is one, else what is wrong; every comparison with NaN is false.
static std::string finiteNumber(const std::string &text) {
  double value = 0;
  return CLI::detail::lexical_cast(text, value) && std::isfinite(value)
             ? std::string()
             : "'" + text + "' is no finite number";
}

static void setLimit(const char *option, Limit limit, double value,
                     std::map<Limit, double> &limits) {
  if (!limits.emplace(limit, value).second)
    throw CLI::ValidationError(option, std::string("limit ") +
                                           comparison::rowOf(limit).key +
                                           " is given twice");
}

void cli::parseLimit(const char *option, const std::string &text,
                     std::map<Limit, double> &limits) {
  size_t equals = text.find('=');
  std::string key = text.substr(0, equals);
  std::optional<Limit> limit = comparison::findLimit(key);
  if (!limit || equals == text.npos) {
    std::string keys;
    for (size_t i = 0; i < comparison::kLimits; ++i)
      keys += std::string(i ? ", " : "") + comparison::rowOf(Limit(i)).key;
    throw CLI::ValidationError(
        option, "'" + text + "' is no KEY=VALUE with a key of " + keys);
  }
  std::string value = text.substr(equals + 1);
  if (std::string problem = finiteNumber(value); !problem.empty())
    throw CLI::ValidationError(option, text + ": " + problem);
  double number = 0;
  CLI::detail::lexical_cast(value, number);
  if (auto [least, most] = comparison::rangeOf(*limit);
      number < least || number > most)
    throw CLI::ValidationError(
        option,
        text + ": must be " +
            (std::isinf(most) ? rt::format("%g or more", least)
                              : rt::format("from %g to %g", least, most)));
  setLimit(option, *limit, number, limits);
}

/// The rows of Limits.def; docs/limits.md is made of it.
static std::string limitsText() {
  TextTable table("llrrrrrrrrl");
  std::vector<std::string> head{"key", ""};
  for (const char *subject : {"", "layer "})
    for (size_t i = 0; i < comparison::kPrecisions; ++i)
      head.push_back(subject + std::string(comparison::precisionName(
                                   comparison::Precision(i))));
  head.push_back("of what");
  table.addRow(std::move(head));
  for (size_t i = 0; i < comparison::kLimits; ++i) {
    const comparison::LimitRow &row = comparison::rowOf(Limit(i));
    std::vector<std::string> cells{row.key,
                                   row.isMinimum ? "at least" : "at most"};
    for (const auto &defaults : row.defaults)
      for (double value : defaults) {
        char text[32];
        std::snprintf(text, sizeof text, "%.7g", value);
        cells.push_back(text);
      }
    cells.push_back(row.help);
    table.addRow(std::move(cells));
  }
  return "Limits (--limit, --layer-limit) by the precision of the program:\n" +
         table.text();
}

static void addLimitFlags(CLI::App &command, CompareFlags &flags) {
  command
      .add_option_function<double>(
          "--min-cosine",
          [&flags](double value) {
            setLimit("--min-cosine", Limit::Cosine, value, flags.limits.output);
          },
          "Smallest cosine of every output (default: by the precision of the "
          "program)")
      ->type_name("C")
      ->check(finiteNumber)
      ->check(CLI::Range(-1.0, 1.0));
  command
      .add_option_function<double>(
          "--min-sqnr",
          [&flags](double value) {
            setLimit("--min-sqnr", Limit::Sqnr, value, flags.limits.output);
          },
          "Smallest signal to noise ratio of every output (default: by the "
          "precision)")
      ->type_name("DB")
      ->check(finiteNumber);
  for (auto [option, limits, help] :
       {std::tuple("--limit", &flags.limits.output,
                   "Another value of a limit below, for every output; may be "
                   "repeated"),
        std::tuple("--layer-limit", &flags.limits.layer,
                   "The same for what every layer adds")})
    command
        .add_option_function<std::vector<std::string>>(
            option,
            [option = option,
             limits = limits](const std::vector<std::string> &texts) {
              for (const std::string &text : texts)
                parseLimit(option, text, *limits);
            },
            help)
        ->allow_extra_args(false)
        ->type_name("KEY=VALUE");
  command.add_flag("--constant-inputs", flags.allowsConstantInputs,
                   "Inputs may be one number throughout");
  command.footer(command.get_footer() + "\n\n" + limitsText());
}

/// What is compared, and with what.
static void addModelFlags(CLI::App &command, CompareFlags &flags) {
  mayBeStandardInput(
      command.add_option(
          "onnx", flags.onnx,
          "The model that was converted, or another program made of it"))
      ->required()
      ->type_name("MODEL.onnx|OTHER.bmodel");
  mayBeStandardInput(command.add_option("bmodel", flags.request.model,
                                        "What it was converted to"))
      ->required()
      ->type_name("FILE.bmodel");
  mayBeStandardInput(
      command.add_option(
          "--reference", flags.reference,
          "Expected values by ONNX name, or ONNX Runtime, which must be "
          "installed (pip install onnxruntime); without it Weft "
          "evaluates the ONNX model"))
      ->check(nonEmptyValue())
      ->type_name("FILE.npz|onnxruntime");
  command.add_flag("--fuse-preprocess", flags.fusePreprocess,
                   "The program was converted with --fuse-preprocess and these "
                   "settings");
  mayBeStandardInput(
      command.add_option(
          "--calibration", flags.calibration,
          "The calibration table of the conversion, where it was too "
          "long to lie in the program"))
      ->type_name("TABLE");
  addCutFlags(command, flags.cut);
  addBindFlag(command, flags.bindings);
  addPluginFlag(command, flags.plugins);
}

static void addSampleFlags(CLI::App &command, CompareFlags &flags) {
  addInputFlag(command, flags.request,
               "Arrays by input name (.npz), or an image or .npy file for each "
               "input; model and bmodel get the same tensor")
      ->required(false);
  command
      .add_option("--data", flags.data,
                  "A set of samples: a folder of .npz, .npy, .png and .jpg "
                  "files, or files; NAME=DIR for each of several inputs")
      ->allow_extra_args(false)
      ->type_name("[NAME=]DIR");
  command
      .add_option("--samples", flags.samples,
                  "Of --data the first N files by name; all by default")
      ->type_name("N")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40));
}

/// What is told beside the verdict.
static void addReportFlags(CLI::App &command, CompareFlags &flags) {
  command.add_flag("--bisect", flags.bisect,
                   "Find what is wrong: the step of the compiler, the node, "
                   "the command and the cause; with --per-layer");
  command
      .add_option("--reproducer", flags.reproducer,
                  "With --bisect: write the nodes that are wrong as a model of "
                  "their own")
      ->type_name("FILE.onnx");
  command.add_flag("--per-layer", flags.perLayer,
                   "Also compare the values inside, through the debug map or "
                   "the program's buffers");
  command
      .add_option_function<std::string>(
          "--html",
          [&flags](const std::string &path) {
            flags.page = path;
            flags.perLayer = true;
          },
          "Also write a page: the graph coloured by the error that each layer "
          "adds, histograms, inputs, the timeline; implies --per-layer")
      ->check(nonEmptyValue())
      ->type_name("FILE");
  command.add_flag("--certify", flags.certifies,
                   "If the comparison passes, write what it found behind the "
                   "program (weft info shows it, weft run "
                   "--require-certificate asks for it)");
  command.add_flag("--json", flags.json, "Print as JSON");
}

void CompareFlags::addTo(CLI::App &command) {
  CompareFlags &flags = *this;
  addModelFlags(command, flags);
  addSampleFlags(command, flags);
  addReportFlags(command, flags);
  addLimitFlags(command, flags);
  flags.score.addTo(command);
  flags.task.addTo(command);
  command.add_flag("--no-limits", flags.ignoresLimits,
                   "With --task or --score: these decide, what outputs and "
                   "layers miss is told");
  addRunFlags(command, flags.request);
}

/// Before work is done for a file that `option` writes.
static Status checkWritten(const CompareFlags &flags, const std::string &option,
                           const std::string &file) {
  if (flags.json && file == "-")
    return rt::fail(Code::InvalidArgument,
                    "--json and " + option + " - both write to stdout");
  std::vector<tools::NamedInput> read = {
      {"what is compared", flags.onnx},
      {"what is compared", flags.request.model},
      {"the file of --reference", flags.reference},
      {"the file of --calibration", flags.calibration},
      {"the file of --labels", flags.task.labels},
      {"the file of --preprocess", flags.request.preprocess.file}};
  for (const std::string &binding : flags.bindings)
    read.push_back({"a file of --bind", binding.substr(binding.find('=') + 1)});
  for (const std::string &plugin : flags.plugins)
    read.push_back({"a file of --plugin", plugin});
  // What is wrong with the samples is told when they are read.
  auto samples = flags.sampleFiles();
  const std::string *one =
      samples ? samples::overwrittenBy(file, *samples) : nullptr;
  if (one)
    read.push_back({"a sample", *one});
  WEFT_TRY(tools::checkInputsKept(option, file, read));
  return tools::checkOutputFile(file);
}

/// What a bisection needs.
static Status checkBisection(const CompareFlags &flags) {
  if (!flags.bisect)
    return flags.reproducer.empty()
               ? Status::ok()
               : rt::fail(Code::InvalidArgument,
                          "--reproducer is for --bisect; give that, too");
  bool isZyp = zhouyi::isProgramFile(flags.request.model);
  if (!flags.readsReference() && !rt::isBmodelFile(flags.onnx) &&
      !zhouyi::isProgramFile(flags.onnx) && !isZyp)
    return flags.reproducer.empty()
               ? Status::ok()
               : checkWritten(flags, "--reproducer", flags.reproducer);
  return rt::fail(Code::InvalidArgument,
                  isZyp ? flags.request.model +
                              ": --bisect is for bmodels; leave it out"
                        : "--bisect needs the ONNX model and no --reference "
                          "FILE.npz, to make the program again");
}

/// What can be certified, and whether it can be written.
static Status checkCertification(const CompareFlags &flags) {
  const std::string &program = flags.request.model;
  if (!flags.certifies)
    return Status::ok();
  if (isStandardInput(program))
    return rt::fail(Code::InvalidArgument,
                    "--certify writes into the program's file, and '-' is "
                    "stdin, which has none; name the file");
  if (zhouyi::isProgramFile(program))
    return rt::fail(Code::InvalidArgument,
                    program + ": --certify is for bmodels; leave it out");
  // What is not there, loading says.
  if (!rt::isBmodelFile(program) && ::access(program.c_str(), R_OK) == 0)
    return rt::fail(Code::InvalidArgument,
                    program + ": is no bmodel, which alone --certify can "
                              "certify; give the model first and what it was "
                              "converted to behind it (weft compare "
                              "MODEL.onnx FILE.bmodel)");
  if (flags.ignoresLimits)
    return rt::fail(Code::InvalidArgument,
                    "--certify with --no-limits would certify outputs that "
                    "keep no limit; leave --no-limits out, and if limits are "
                    "missed on purpose, say how far with --limit KEY=VALUE, "
                    "which the certificate tells");
  if (!flags.readsReference() && tools::isSameFile(flags.onnx, program))
    return rt::fail(Code::InvalidArgument,
                    program + ": --certify would certify a program by itself; "
                              "name the model first");
  return rt::isBmodelFile(program) ? tools::checkOutputFile(program)
                                   : Status::ok(); // loading says what it is
}

/// --score, --task and what belongs to them.
static Status checkAnswerFlags(const CompareFlags &flags) {
  WEFT_TRY(flags.score.check(/*hasLabels=*/!flags.task.labels.empty()));
  WEFT_TRY(flags.task.check());
  if (flags.ignoresLimits && !flags.score.score.isAsked() &&
      !flags.task.isAsked())
    return rt::fail(Code::InvalidArgument,
                    "--no-limits leaves nothing to decide; give --task or "
                    "--score");
  return Status::ok();
}

/// A word for ONNX Runtime that is not spelt so would be a file that is not
/// there.
static Status checkReferenceName(const CompareFlags &flags) {
  if (!flags.readsReference() || ::access(flags.reference.c_str(), F_OK) == 0)
    return Status::ok();
  std::string lower = flags.reference;
  for (char &c : lower)
    c = char(std::tolower(static_cast<unsigned char>(c)));
  return nearestName(lower, {CompareFlags::kOnnxRuntime}).empty()
             ? Status::ok() // reading says what is wrong
             : rt::fail(Code::NotFound,
                        "--reference " + flags.reference +
                            ": there is no such file; did you mean " +
                            CompareFlags::kOnnxRuntime + "?");
}

Status CompareFlags::check() const {
  WEFT_TRY(checkReferenceName(*this));
  if (usesOnnxRuntime() &&
      (rt::isBmodelFile(onnx) || zhouyi::isProgramFile(onnx)))
    return rt::fail(Code::InvalidArgument,
                    onnx + ": --reference onnxruntime needs the ONNX model, "
                           "not another program");
  if (!page.empty())
    WEFT_TRY(checkWritten(*this, "--html", page));
  WEFT_TRY(checkBisection(*this));
  WEFT_TRY(checkCertification(*this));
  return checkAnswerFlags(*this);
}

Result<std::vector<samples::SampleFiles>> CompareFlags::sampleFiles() const {
  const CompareFlags &flags = *this;
  if (flags.data.empty() == flags.request.inputs.empty())
    return rt::fail(Code::InvalidArgument,
                    flags.data.empty()
                        ? "--input is missing; give what to run, or a folder "
                          "of samples with --data"
                        : "--input and --data are both given; one sample or a "
                          "set of them, leave one out");
  if (flags.data.empty() && flags.samples != 0)
    return rt::fail(Code::InvalidArgument,
                    "--samples is for --data; leave it out");
  if (!flags.data.empty()) {
    if (flags.readsReference())
      return rt::fail(Code::InvalidArgument,
                      "--reference holds the values of one sample and --data "
                      "gives several; leave one out");
    Result<std::vector<samples::SampleFiles>> samples =
        samples::listSamples(flags.data, flags.samples);
    return samples ? std::move(samples)
                   : samples.status().withContext("--data");
  }
  Result<samples::SampleFiles> files =
      samples::parseFiles(flags.request.inputs);
  if (!files)
    return files.status().withContext("--input");
  return std::vector<samples::SampleFiles>{*std::move(files)};
}

#include "runtime/bmodel/Container.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"
#include "runtime/zhouyi/ProgramFile.h"
#include "tools/files/InputFile.h"
#include "tools/files/OutputFile.h"
#include "tools/npz/Npz.h"
#include "tools/weft/Bindings.h"
#include "tools/weft/ComparisonPage.h"
#include "tools/weft/ComparisonReport.h"
#include "tools/weft/ConversionCheck.h"
#include "tools/weft/ModelRun.h"
#include "tools/weft/Program.h"
#include "tools/weft/Reference.h"
#include "tools/weft/Reproducer.h"
#include "tools/weft/TextTable.h"

#include <cmath>
#include <cstdio>
#include <tuple>
#include <unistd.h>

using namespace weft;
using namespace weft::cli;
using comparison::Limit;
using numeric::ElementType;
using numeric::HostTensor;
using rt::Code;
using rt::Result;
using rt::Status;

namespace {

struct CompareFlags {
  std::string onnx; ///< or a program
  RunRequest request;
  std::vector<std::string> data;
  int64_t samples = 0;
  std::string reference;
  std::string calibration;
  std::vector<std::string> bindings;
  std::vector<std::string> plugins;
  GivenLimits limits;
  ComparedScoreFlags score;
  TaskFlags task;
  bool ignoresLimits = false;
  bool allowsConstantInputs = false;
  bool fusePreprocess = false;
  bool perLayer = false;
  std::string page;    ///< of HTML; then perLayer is set
  bool bisect = false; ///< then `perLayer`, too
  std::string reproducer;
  bool json = false;
};

/// Compares one sample after the other.
class Comparer {
public:
  static Result<std::unique_ptr<Comparer>> open(const CompareFlags &flags);
  /// Use open().
  explicit Comparer(const CompareFlags &flags) : flags(flags) {}

  Status compare(const samples::SampleFiles &files);
  /// What is said of all samples together.
  Status finish();
  ComparisonReport report;
  ComparisonPage page; ///< filled if it is asked for

private:
  Status readReference();
  Status openOther();
  Result<ModelRun> run(const samples::SampleFiles &files);
  /// Values from --reference, which may hold layers beside the outputs; or of
  /// another program, or from the evaluator.
  Result<ReferenceValues> findValues(const samples::SampleFiles &files,
                                     const NamedTensors &inputs);

  /// What is known bit by bit of a run that was compared.
  Status checkConversion(const ModelRun &run,
                         const samples::SampleFiles &files);
  /// Finds the cause in the first sample that fails.
  Status bisectSample(const ModelRun &run, const samples::SampleFiles &files);

  /// The graph of the model, also of one beside --reference.
  Result<OnnxReference *> graph();
  /// What outputs join; empty with the reason if the model cannot be read.
  comparison::OutputParts findParts(const NamedTensors &inputs,
                                    std::string &problem);
  comparison::RoundingNoise findNoise(const NamedTensors &inputs);

  /// Nodes and edges of the model; empty if it cannot be read or is a program.
  std::vector<comparison::GraphNode> outline(const NamedTensors &inputs);

  const CompareFlags &flags;
  std::unique_ptr<ModelRunner> runner;
  std::unique_ptr<ModelRunner> other; ///< a program in place of a model
  comparison::Precision otherPrecision = comparison::Precision::F32;
  ReferenceModel model;
  std::unique_ptr<OnnxReference> onnx; ///< null until the graph is asked for
  std::optional<ConversionCheck> conversion; ///< once opened
  ReferenceValues given;                     ///< of --reference
  std::unique_ptr<ScoreComparison> score;    ///< null if none is asked for
  std::unique_ptr<TaskComparison> task;      ///< likewise
};

} // namespace

Status Comparer::readReference() {
  Result<npz::Reader> archive = npz::Reader::open(flags.reference);
  if (!archive)
    return archive.status();
  for (const std::string &name : archive->names()) {
    Result<HostTensor> tensor = archive->read(name);
    if (!tensor)
      return tensor.status();
    given.outputs[name] = *std::move(tensor);
  }
  given.layers = given.outputs;
  return Status::ok();
}

Result<std::unique_ptr<Comparer>> Comparer::open(const CompareFlags &flags) {
  auto comparer = std::make_unique<Comparer>(flags);
  RunRequest request = flags.request;
  request.layers = flags.perLayer;
  request.findsPrecision = true;
  request.isFused = flags.fusePreprocess;
  Result<std::unique_ptr<ModelRunner>> runner = ModelRunner::open(request);
  if (!runner)
    return runner.status();
  comparer->runner = *std::move(runner);
  comparer->report.hasLayers = flags.perLayer;
  comparer->report.doLimitsDecide = !flags.ignoresLimits;
  comparer->report.isSampleSet = !flags.data.empty();
  if (flags.score.score.isAsked()) {
    Result<std::unique_ptr<ScoreComparison>> score = ScoreComparison::open();
    if (!score)
      return score.status();
    comparer->score = *std::move(score);
  }
  if (flags.task.isAsked()) {
    Result<std::unique_ptr<TaskComparison>> task =
        TaskComparison::open(flags.task);
    if (!task)
      return task.status();
    comparer->task = *std::move(task);
  }
  if (!flags.reference.empty())
    WEFT_TRY(comparer->readReference());
  else if (rt::isBmodelFile(flags.onnx) || zhouyi::isProgramFile(flags.onnx)) {
    WEFT_TRY(comparer->openOther());
    return comparer;
  }
  Result<NamedTensors> bindings = readBindings(flags.bindings);
  if (!bindings)
    return bindings.status();
  Result<std::optional<preprocess::Options>> options =
      readPreprocessFlags(flags.request.preprocess);
  if (!options)
    return options.status();
  comparer->model = {flags.onnx, flags.request.model, *std::move(bindings),
                     flags.plugins, std::nullopt};
  if (flags.fusePreprocess)
    comparer->model.fused = options->value_or(preprocess::Options());
  return comparer;
}

/// The program that stands in place of the model takes the same files.
Status Comparer::openOther() {
  if (!flags.bindings.empty() || !flags.plugins.empty() || flags.fusePreprocess)
    return rt::fail(
        Code::InvalidArgument,
        flags.onnx + ": is a program, --bind, --plugin and "
                     "--fuse-preprocess are for ONNX models; leave them out");
  RunRequest request = flags.request;
  request.model = flags.onnx;
  request.net.clear();
  // What another order changes would change on both sides.
  request.device.order = rt::DeviceOptions().order;
  request.layers = flags.perLayer;
  request.findsPrecision = true;
  Result<std::unique_ptr<ModelRunner>> opened = ModelRunner::open(request);
  if (!opened)
    return opened.status();
  other = *std::move(opened);
  return Status::ok();
}

Result<ModelRun> Comparer::run(const samples::SampleFiles &files) {
  Result<ModelRun> run = runner->run(files);
  if (!run)
    return run.status();
  if (flags.fusePreprocess && (run->inputSpecs.size() != 1 ||
                               run->inputSpecs[0].type != ElementType::U8))
    return rt::fail(Code::InvalidArgument,
                    flags.request.model +
                        ": --fuse-preprocess is for a program that was "
                        "converted with it, which takes images as bytes; "
                        "leave it out");
  if (flags.perLayer && run->entries != 0 && flags.data.empty())
    return rt::failf(Code::ShapeMismatch,
                     "%s: --per-layer compares whole values, but the batch of "
                     "%lld is filled up for a larger stage; give a full batch",
                     files.front().path.c_str(),
                     static_cast<long long>(run->entries));
  return run;
}

Result<ReferenceValues> Comparer::findValues(const samples::SampleFiles &files,
                                             const NamedTensors &inputs) {
  if (!flags.reference.empty())
    return given;
  if (other) {
    Result<ModelRun> run = other->run(files);
    if (!run)
      return run.status().withContext("the reference");
    otherPrecision = run->precision;
    return asReference(*run);
  }
  Result<OnnxReference *> evaluator = graph();
  if (!evaluator)
    return evaluator.status();
  return (*evaluator)->evaluate(inputs, flags.perLayer);
}

Result<OnnxReference *> Comparer::graph() {
  if (!onnx) {
    Result<std::unique_ptr<OnnxReference>> opened = OnnxReference::open(model);
    if (!opened)
      return opened.status();
    onnx = *std::move(opened);
  }
  return onnx.get();
}

comparison::OutputParts Comparer::findParts(const NamedTensors &inputs,
                                            std::string &problem) {
  if (other)
    return {};
  // The model of --reference is there to be read, but need not be.
  Result<OnnxReference *> evaluator = graph();
  Result<comparison::OutputParts> parts =
      evaluator ? (*evaluator)->outputParts(inputs)
                : Result<comparison::OutputParts>(evaluator.status());
  if (parts)
    return *std::move(parts);
  problem = "outputs that join several values are compared as a whole alone: " +
            parts.status().message();
  return {};
}

std::vector<comparison::GraphNode>
Comparer::outline(const NamedTensors &inputs) {
  if (other)
    return {};
  Result<OnnxReference *> evaluator = graph();
  if (!evaluator)
    return {};
  Result<std::vector<comparison::GraphNode>> nodes =
      (*evaluator)->outline(inputs);
  return nodes ? *std::move(nodes) : std::vector<comparison::GraphNode>();
}

Status Comparer::checkConversion(const ModelRun &run,
                                 const samples::SampleFiles &files) {
  bool isEvaluated = flags.reference.empty() && !other;
  if (!isEvaluated || zhouyi::isProgramFile(flags.request.model) ||
      run.entries != 0)
    return Status::ok();
  if (!conversion)
    conversion.emplace(model, flags.request, flags.calibration,
                       /*mayTakeLong=*/flags.bisect);
  WEFT_TRY(conversion->check(run, files, report.samples.back()));
  return flags.bisect ? bisectSample(run, files) : Status::ok();
}

Status Comparer::bisectSample(const ModelRun &run,
                              const samples::SampleFiles &files) {
  bool hasFound =
      report.bisection && report.bisection->stage != BisectedStage::None;
  if (hasFound || (report.bisection && report.samples.back().isPassed()))
    return Status::ok();
  Result<Bisection> found =
      bisect(*conversion, run, files, report.samples.back());
  if (!found)
    return found.status();
  report.bisection = *std::move(found);
  if (flags.reproducer.empty() || report.bisection->nodes.empty())
    return Status::ok();
  return writeReproducer(flags.onnx, flags.reproducer, run, *report.bisection);
}

/// Of a model that can be read, which that of --reference need not be.
comparison::RoundingNoise Comparer::findNoise(const NamedTensors &inputs) {
  Result<OnnxReference *> evaluator = graph();
  if (!evaluator)
    return {};
  Result<comparison::RoundingNoise> noise = (*evaluator)->roundingNoise(inputs);
  return noise ? *std::move(noise) : comparison::RoundingNoise();
}

static std::string nameOf(const samples::SampleFiles &files) {
  std::string name;
  for (const samples::SampleFile &file : files)
    name += (name.empty() ? "" : ", ") + file.path;
  return name;
}

Status Comparer::compare(const samples::SampleFiles &files) {
  Result<ModelRun> done = run(files);
  if (!done)
    return done.status();
  // Of a set the other samples have layers.
  const bool isFilledUp = flags.perLayer && done->entries != 0;
  if (isFilledUp)
    done->layers.clear();
  NamedTensors inputs = namedInputs(*done), onOwnInputs;
  Result<ReferenceValues> values = findValues(files, inputs);
  if (!values)
    return values.status();
  ComparedReference reference{*values};
  const bool isEvaluated = flags.reference.empty() && !other;
  reference.isWholeModel = flags.reference.empty();
  reference.hasOnnxNames = isEvaluated;
  reference.withNumbers = !flags.page.empty();
  std::string withoutParts;
  comparison::OutputParts parts = findParts(inputs, withoutParts);
  reference.parts = &parts;
  std::optional<comparison::RoundingNoise> noise;
  if (!other)
    reference.roundingNoise = [&]() -> const comparison::RoundingNoise & {
      if (!noise)
        noise = findNoise(inputs);
      return *noise;
    };
  if (isEvaluated && flags.perLayer) {
    Result<NamedTensors> own =
        onnx->evaluateOnOwnInputs(inputs, layersOf(*done));
    if (!own)
      return own.status();
    onOwnInputs = *std::move(own);
    reference.onOwnInputs = &onOwnInputs;
  }
  // The coarser of two programs.
  report.precision = std::max(done->precision, otherPrecision);
  report.limits = ComparisonLimits(report.precision, flags.limits);
  report.samples.push_back(compareSample(*done, reference, report.limits,
                                         flags.allowsConstantInputs));
  report.samples.back().sample = nameOf(files);
  WEFT_TRY(checkConversion(*done, files));
  if (isFilledUp)
    report.samples.back().warnings.push_back(
        rt::format("layers are not compared: the batch of %lld is filled up "
                   "for a larger stage, and a layer is compared whole",
                   static_cast<long long>(done->entries)));
  if (!withoutParts.empty())
    report.samples.back().warnings.push_back(withoutParts);
  if (!flags.page.empty()) {
    page.add(report, *done);
    if (!page.hasGraph())
      page.setGraph(outline(inputs));
  }
  if (!score && !task)
    return Status::ok();
  std::vector<OutputPair> outputs = pairOutputs(*done, values->outputs);
  if (score)
    WEFT_TRY(score->add(files, outputs));
  return task ? task->add(nameOf(files), files, outputs) : Status::ok();
}

Status Comparer::finish() {
  report.checkThatElementsAreCompared();
  auto check = [&](const auto &figures) {
    if (std::string failure = figures.failure(); !failure.empty())
      report.failures.push_back(std::move(failure));
  };
  if (task) {
    report.task = task->finish(report.precision, flags.score.mostDrop);
    check(*report.task);
    if (report.task->accuracy)
      check(*report.task->accuracy);
  }
  if (!score)
    return Status::ok();
  Result<ScoreFigures> figures = score->finish(flags.score);
  if (!figures)
    return figures.status();
  report.score = *figures;
  check(*report.score);
  return Status::ok();
}

/// What a bisection needs.
static Status checkBisection(const CompareFlags &flags) {
  if (!flags.bisect)
    return flags.reproducer.empty()
               ? Status::ok()
               : rt::fail(Code::InvalidArgument,
                          "--reproducer is for --bisect; give that, too");
  bool isZyp = zhouyi::isProgramFile(flags.request.model);
  if (flags.reference.empty() && !rt::isBmodelFile(flags.onnx) &&
      !zhouyi::isProgramFile(flags.onnx) && !isZyp)
    return flags.reproducer.empty() ? Status::ok()
                                    : tools::checkOutputFile(flags.reproducer);
  return rt::fail(Code::InvalidArgument,
                  isZyp ? flags.request.model +
                              ": --bisect is for bmodels; leave it out"
                        : "--bisect needs the ONNX model and no --reference, "
                          "to make the program again");
}

static Result<std::vector<samples::SampleFiles>>
findSamples(const CompareFlags &flags) {
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
    if (!flags.reference.empty())
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

/// Before work is done for the page.
static Status checkPage(const CompareFlags &flags) {
  if (flags.page.empty())
    return Status::ok();
  if (flags.json && flags.page == "-")
    return rt::fail(Code::InvalidArgument,
                    "--json and --html - both write to stdout");
  for (const std::string &input : {flags.onnx, flags.request.model})
    if (tools::isSameFile(input, flags.page))
      return rt::fail(Code::InvalidArgument,
                      flags.page + ": --html would overwrite what is compared; "
                                   "name another file");
  return tools::checkOutputFile(flags.page);
}

static Status writePage(const CompareFlags &flags, const Comparer &comparer) {
  Result<std::string> page = comparer.page.html(
      comparer.report,
      {flags.request.model,
       flags.reference.empty() ? flags.onnx : flags.reference});
  if (!page)
    return page.status();
  return tools::writeOutputFile(flags.page, page->data(), page->size());
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

static ExitCode compareCommand(const CompareFlags &flags) {
  if (Status status = checkPage(flags); !status)
    return reportError(status);
  if (Status status = checkBisection(flags); !status)
    return reportError(status);
  if (Status status = checkAnswerFlags(flags); !status)
    return reportError(status);
  Result<std::vector<samples::SampleFiles>> samples = findSamples(flags);
  if (!samples)
    return reportError(samples.status());
  Result<std::unique_ptr<Comparer>> comparer = Comparer::open(flags);
  if (!comparer)
    return reportError(comparer.status());
  bool showsProgress = !flags.data.empty() && isatty(STDERR_FILENO);
  for (size_t i = 0; i < samples->size(); ++i) {
    if (Status status = (*comparer)->compare((*samples)[i]); !status) {
      if (showsProgress && i > 0)
        std::fprintf(stderr, "\n");
      return reportError(status);
    }
    if (showsProgress)
      std::fprintf(stderr, "\rcomparing: %zu of %zu samples%s", i + 1,
                   samples->size(), i + 1 == samples->size() ? "\n" : "");
  }
  if (Status status = (*comparer)->finish(); !status)
    return reportError(status);
  if (!flags.page.empty())
    if (Status status = writePage(flags, **comparer); !status)
      return reportError(status);
  const ComparisonReport &report = (*comparer)->report;
  // Else the report would follow the page on stdout.
  ExitCode printed = flags.page == "-" ? ExitCode::Ok
                     : flags.json      ? printJson(toJson(report))
                                       : printText(toText(report));
  if (printed != ExitCode::Ok)
    return printed;
  return report.isPassed() ? ExitCode::Ok : ExitCode::ComparisonFailed;
}

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

/// KEY=VALUE of `option`, into `limits`.
static void parseLimit(const char *option, const std::string &text,
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

void cli::addCompareCommand(Program &program) {
  auto flags = std::make_shared<CompareFlags>();
  CLI::App &command = program.addCommand(
      "compare",
      "Compare what a bmodel (or a .zyp program) computes with its ONNX model",
      {"weft compare cls.onnx cls.bmodel --input line.npz",
       "weft compare cls_f32.bmodel cls_int8.bmodel --input line.npz",
       "weft compare cls.onnx cls.bmodel --data lines/ --preprocess cls.yaml",
       "weft compare cls.onnx cls.bmodel --input line.npz --per-layer "
       "--min-cosine 0.999",
       "weft compare cls.onnx cls.bmodel --input line.npz --html cls.html",
       "weft compare cls.onnx cls.bmodel --input line.npz --reference ort.npz "
       "--min-sqnr 30",
       "weft compare cls.onnx cls.bmodel --input line.npz --bisect "
       "--reproducer small.onnx",
       "weft compare cls.onnx cls.bmodel --data lines/ --task top1 --labels "
       "lines.csv",
       "weft compare cls.onnx cls.bmodel --data lines/ --score 'python3 "
       "accuracy.py'"},
      [flags] {
        flags->perLayer |= flags->bisect;
        return compareCommand(*flags);
      });
  command
      .add_option("onnx", flags->onnx,
                  "The model that was converted, or another program made of it")
      ->required()
      ->type_name("MODEL.onnx|OTHER.bmodel");
  command
      .add_option("bmodel", flags->request.model, "What it was converted to")
      ->required()
      ->type_name("FILE.bmodel");
  addInputFlag(command, flags->request,
               "Arrays by input name (.npz), or an image or .npy file for each "
               "input; model and bmodel get the same tensor")
      ->required(false);
  command
      .add_option("--data", flags->data,
                  "A set of samples: a folder of .npz, .npy, .png and .jpg "
                  "files, or files; NAME=DIR for each of several inputs")
      ->allow_extra_args(false)
      ->type_name("[NAME=]DIR");
  command
      .add_option("--samples", flags->samples,
                  "Of --data the first N files by name; all by default")
      ->type_name("N")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40));
  command
      .add_option("--reference", flags->reference,
                  "Expected values by ONNX name; without it the ONNX model is "
                  "evaluated")
      ->type_name("FILE.npz");
  command.add_flag("--fuse-preprocess", flags->fusePreprocess,
                   "The program was converted with --fuse-preprocess and these "
                   "settings");
  command
      .add_option("--calibration", flags->calibration,
                  "The calibration table of the conversion, where it was too "
                  "long to lie in the program")
      ->type_name("TABLE");
  addBindFlag(command, flags->bindings);
  addPluginFlag(command, flags->plugins);
  command.add_flag("--bisect", flags->bisect,
                   "Find what is wrong: the step of the compiler, the node, "
                   "the command and the cause; with --per-layer");
  command
      .add_option("--reproducer", flags->reproducer,
                  "With --bisect: write the nodes that are wrong as a model of "
                  "their own")
      ->type_name("FILE.onnx");
  command.add_flag("--per-layer", flags->perLayer,
                   "Also compare the values inside, through the debug map or "
                   "the program's buffers");
  command
      .add_option_function<std::string>(
          "--html",
          [flags](const std::string &path) {
            flags->page = path;
            flags->perLayer = true;
          },
          "Also write a page: the graph coloured by the error that each layer "
          "adds, histograms, inputs, the timeline; implies --per-layer")
      ->check(nonEmptyValue())
      ->type_name("FILE");
  addLimitFlags(command, *flags);
  flags->score.addTo(command);
  flags->task.addTo(command);
  command.add_flag("--no-limits", flags->ignoresLimits,
                   "With --task or --score: these decide, what outputs and "
                   "layers miss is told");
  addRunFlags(command, flags->request);
  command.add_flag("--json", flags->json, "Print as JSON");
}

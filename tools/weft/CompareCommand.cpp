#include "runtime/bmodel/Container.h"
#include "runtime/bmodel/Conversion.h"
#include "runtime/digest/Sha256.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"
#include "runtime/status/Stop.h"
#include "runtime/zhouyi/ProgramFile.h"
#include "tools/files/OutputFile.h"
#include "tools/npz/Npz.h"
#include "tools/weft/Bindings.h"
#include "tools/weft/Certifier.h"
#include "tools/weft/CompareFlags.h"
#include "tools/weft/ComparisonPage.h"
#include "tools/weft/ComparisonReport.h"
#include "tools/weft/ConversionCheck.h"
#include "tools/weft/InputArrays.h"
#include "tools/weft/ModelRun.h"
#include "tools/weft/OnnxRuntime.h"
#include "tools/weft/OtherReading.h"
#include "tools/weft/Program.h"
#include "tools/weft/ProgressLine.h"
#include "tools/weft/Reference.h"
#include "tools/weft/Reproducer.h"
#include "tools/weft/Version.h"

using namespace weft;
using namespace weft::cli;
using numeric::ElementType;
using numeric::HostTensor;
using rt::Code;
using rt::Result;
using rt::Status;

namespace {

/// Compares one sample after the other.
class Comparer {
public:
  static Result<std::unique_ptr<Comparer>> open(const CompareFlags &flags,
                                                ProgressLine &progress);
  /// Use open().
  Comparer(const CompareFlags &flags, ProgressLine &progress)
      : flags(flags), progress(progress) {}

  /// Sample `index` of `count`.
  Status compare(const samples::SampleFiles &files, size_t index, size_t count);
  /// Single samples as the batches that the program takes.
  std::vector<samples::SampleFiles>
  batchesOf(const std::vector<samples::SampleFiles> &samples) const {
    return samples::stacked(samples, runner->entriesOfBatch(samples.front()));
  }
  /// What is said of all samples together.
  Status finish();
  /// Certifies a program that has passed.
  Status certify();
  ComparisonReport report;
  ComparisonPage page; ///< filled if it is asked for

private:
  Status readReference();
  Status openProgram();
  /// Sets which part of the model is compared, and its inputs without tensors.
  Status readPart();
  /// ONNX Runtime, for the model.
  Status openOnnxRuntime();
  Status openOther();
  /// The same of `request`, and takes its digest.
  Result<std::unique_ptr<ModelRunner>> openOther(const RunRequest &request);
  Result<ModelRun> run(const samples::SampleFiles &files);
  /// Values from --reference, which may hold layers beside the outputs; of
  /// another program, from ONNX Runtime, or from the evaluator.
  Result<ReferenceValues> findValues(const samples::SampleFiles &files,
                                     const NamedTensors &inputs);

  /// From ONNX Runtime, which takes what the model's own input is.
  Result<ReferenceValues> runOnnxRuntime(const NamedTensors &inputs);
  /// What each layer should add, by the evaluator of Weft.
  Result<NamedTensors> evaluateOnOwnInputs(const NamedTensors &inputs,
                                           const ModelRun &run);
  /// Whether the model gives the values, by whatever evaluates it.
  bool isModel() const { return !flags.readsReference() && !other; }

  /// What a compared run adds to the page, to scores and to answers.
  Status addAnswers(const samples::SampleFiles &files, const ModelRun &run,
                    const ReferenceValues &values, const NamedTensors &inputs);

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
  comparison::RangeEnds findRangeEnds(const NamedTensors &inputs);

  /// Nodes and edges of the model; empty if it cannot be read or is a program.
  std::vector<comparison::GraphNode> outline(const NamedTensors &inputs);

  /// How the program says that it was converted from another model than the
  /// one that is evaluated; empty: it does not, or that is not known.
  std::string otherModel() const;

  /// Shows what is done next.
  void tell(const char *next) {
    step = next;
    progress.say("comparing" + place + step);
  }

  const CompareFlags &flags;
  ProgressLine &progress;
  std::string place;                 ///< of the sample in a set
  std::string step;                  ///< what is done with it
  RunRequest request;                ///< of the program
  std::optional<rt::Bmodel> program; ///< no .zyp
  std::unique_ptr<ModelRunner> runner;
  std::unique_ptr<ModelRunner> other; ///< a program in place of a model
  comparison::Precision otherPrecision = comparison::Precision::F32;
  ReferenceModel model;
  std::unique_ptr<OnnxReference> onnx; ///< null until the graph is asked for
  std::unique_ptr<OnnxRuntime> onnxRuntime;  ///< null if not asked for
  std::optional<ConversionCheck> conversion; ///< once opened
  ReferenceValues given;                     ///< of --reference
  std::unique_ptr<ScoreComparison> score;    ///< null if none is asked for
  std::unique_ptr<TaskComparison> task;      ///< likewise
  Certifier certifier;
  /// Of what gives the values; a file's digest is taken of the bytes that are
  /// read, because others may be there at the end.
  CertifiedSource source;
  std::string otherRecord; ///< the model that `other` tells; "" if none
};

} // namespace

/// The digest of the model that the record of net `name` tells; "" if none.
static std::string recordedModel(const rt::Bmodel &program,
                                 const std::string &name) {
  Result<const rt::NetSpec *> net = chooseNet(program, name);
  std::optional<rt::Conversion> record =
      net ? rt::readConversion(**net) : std::nullopt;
  return record
             ? rt::hexText(record->modelDigest.data, record->modelDigest.size)
             : "";
}

Status Comparer::readReference() {
  Result<rt::FileBytes> file = rt::FileBytes::map(flags.reference);
  if (!file)
    return file.status().withContext(flags.reference);
  const rt::ByteSpan bytes = file->span();
  source.reference = rt::wire::CertifiedReference::Values;
  if (flags.certifies)
    source.file = rt::sha256(bytes.data, bytes.size);
  Result<npz::Reader> archive =
      npz::Reader::openBytes(flags.reference, bytes.data, bytes.size);
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

Result<std::unique_ptr<Comparer>> Comparer::open(const CompareFlags &flags,
                                                 ProgressLine &progress) {
  auto comparer = std::make_unique<Comparer>(flags, progress);
  RunRequest &request = comparer->request;
  request = flags.request;
  request.layers = flags.perLayer;
  request.findsPrecision = true;
  request.isFused = flags.fusePreprocess;
  WEFT_TRY(comparer->openProgram());
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
  comparer->report.reference = {"weft", flags.onnx, WEFT_VERSION};
  comparer->source.version = flags.readsReference() ? "" : evaluatorVersion();
  if (flags.readsReference()) {
    comparer->report.reference = {"file", flags.reference, ""};
    WEFT_TRY(comparer->readReference());
  } else if (rt::isBmodelFile(flags.onnx) ||
             zhouyi::isProgramFile(flags.onnx)) {
    comparer->report.reference = {"program", flags.onnx, ""};
    WEFT_TRY(comparer->openOther());
    return comparer;
  }
  WEFT_TRY(comparer->readPart());
  if (flags.usesOnnxRuntime()) {
    WEFT_TRY(comparer->openOnnxRuntime());
  }
  Result<NamedTensors> bindings =
      readBindings(flags.bindings, flags.onnx, comparer->model.cut);
  if (!bindings)
    return bindings.status();
  Result<std::optional<preprocess::Options>> options =
      readPreprocessFlags(flags.request.preprocess);
  if (!options)
    return options.status();
  comparer->model = {flags.onnx,
                     flags.request.model,
                     *std::move(bindings),
                     flags.plugins,
                     std::nullopt,
                     std::move(comparer->model.cut),
                     std::move(comparer->model.emptyInputs)};
  if (flags.fusePreprocess)
    comparer->model.fused = options->value_or(preprocess::Options());
  return comparer;
}

Status Comparer::openProgram() {
  if (!zhouyi::isProgramFile(request.model)) {
    Result<rt::Bmodel> loaded = flags.certifies
                                    ? rt::Bmodel::loadToCertify(request.model)
                                    : rt::Bmodel::load(request.model);
    if (!loaded)
      return loaded.status();
    program = *std::move(loaded);
    if (flags.certifies)
      certifier.begin(*program);
  }
  Result<std::unique_ptr<ModelRunner>> opened =
      program ? ModelRunner::open(request, *program)
              : ModelRunner::open(request);
  if (!opened)
    return opened.status();
  runner = *std::move(opened);
  return Status::ok();
}

Status Comparer::readPart() {
  model.cut = flags.cut;
  if (!program)
    return Status::ok();
  Result<const rt::NetSpec *> net = chooseNet(*program, request.net);
  if (!net)
    return Status::ok();
  auto empty = recordedEmptyInputs(**net, request.model);
  if (!empty)
    return empty.status();
  model.emptyInputs = *std::move(empty);
  if (!flags.cut.isWhole())
    return Status::ok();
  Result<onnx::GraphCut> cut = recordedCut(**net, request.model);
  if (!cut)
    return cut.status();
  model.cut = *std::move(cut);
  return Status::ok();
}

Status Comparer::openOnnxRuntime() {
  tell(": ONNX Runtime reads the model");
  std::vector<std::string> outputs;
  if (!model.cut.inputs.empty() || (!model.cut.outputs.empty() && !program))
    return rt::fail(Code::Unsupported,
                    flags.onnx + ": ONNX Runtime takes no values of the graph "
                                 "in place of its inputs; leave --reference "
                                 "out, or give a file");
  if (!model.cut.outputs.empty()) {
    Result<const rt::NetSpec *> net = chooseNet(*program, request.net);
    if (!net)
      return net.status();
    for (const rt::TensorSpec &output : (*net)->stages.front().outputs)
      outputs.push_back(output.name);
  }
  Result<std::unique_ptr<OnnxRuntime>> opened =
      OnnxRuntime::open(flags.onnx, flags.perLayer, outputs);
  if (!opened)
    return opened.status();
  onnxRuntime = *std::move(opened);
  report.reference = {"onnxruntime", flags.onnx, onnxRuntime->version()};
  source.version = "ONNX Runtime " + onnxRuntime->version();
  return Status::ok();
}

/// The program that stands in place of the model takes the same files.
Status Comparer::openOther() {
  if (!flags.bindings.empty() || !flags.plugins.empty() ||
      !flags.cut.isWhole() || flags.fusePreprocess)
    return rt::fail(Code::InvalidArgument,
                    flags.onnx + ": is a program, --bind, --plugin, --inputs, "
                                 "--outputs and --fuse-preprocess are for ONNX "
                                 "models; leave them out");
  RunRequest request = flags.request;
  request.model = flags.onnx;
  request.net.clear();
  // What another order changes would change on both sides.
  request.device.order = rt::DeviceOptions().order;
  request.layers = flags.perLayer;
  request.findsPrecision = true;
  Result<std::unique_ptr<ModelRunner>> opened = openOther(request);
  if (!opened)
    return opened.status();
  other = *std::move(opened);
  return Status::ok();
}

Result<std::unique_ptr<ModelRunner>>
Comparer::openOther(const RunRequest &request) {
  source = {rt::wire::CertifiedReference::Program, std::nullopt, std::nullopt,
            ""};
  if (!flags.certifies)
    return ModelRunner::open(request);
  if (!rt::isBmodelFile(request.model)) {
    Result<rt::FileBytes> file = rt::FileBytes::map(request.model);
    if (!file)
      return file.status().withContext(request.model);
    source.file = rt::sha256(file->span().data, file->span().size);
    return ModelRunner::open(request);
  }
  Result<rt::Bmodel> loaded = rt::Bmodel::load(request.model);
  if (!loaded)
    return loaded.status();
  source.file = rt::contentDigest(*loaded);
  otherRecord = recordedModel(*loaded, request.net);
  source.version = loaded->table().version()->str();
  return ModelRunner::open(request, *loaded);
}

Result<ModelRun> Comparer::run(const samples::SampleFiles &files) {
  tell(": the program runs");
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
  if (flags.readsReference())
    return given;
  if (onnxRuntime) {
    tell(": ONNX Runtime evaluates the model");
    return runOnnxRuntime(inputs);
  }
  if (other) {
    tell(": the other program runs");
    Result<ModelRun> run = other->run(files);
    if (!run)
      return run.status().withContext("the reference");
    otherPrecision = run->precision;
    return asReference(*run);
  }
  tell(": the model is evaluated");
  Result<OnnxReference *> evaluator = graph();
  if (!evaluator)
    return evaluator.status();
  rt::Stop stop;
  stop.begin(request.device.timeLimitSeconds);
  rt::StopScope scope(&stop);
  return (*evaluator)->evaluate(inputs, flags.perLayer);
}

Result<ReferenceValues> Comparer::runOnnxRuntime(const NamedTensors &inputs) {
  NamedTensors given = inputs;
  if (model.fused) {
    // The steps in front of the graph are Weft's own; behind them is what the
    // model calls its input.
    Result<OnnxReference *> evaluator = graph();
    Result<ReferenceValues> fused =
        evaluator ? (*evaluator)->evaluate(inputs, /*withLayers=*/true)
                  : Result<ReferenceValues>(evaluator.status());
    if (!fused)
      return fused.status();
    for (auto &[name, tensor] : given)
      tensor = fused->layers[name];
  }
  given.insert(model.bindings.begin(), model.bindings.end());
  std::vector<std::string> emptySequences;
  for (const auto &[name, shape] : model.emptyInputs)
    if (shape == std::vector<int64_t>{0})
      emptySequences.push_back(name);
  return onnxRuntime->evaluate(given, emptySequences);
}

Result<NamedTensors> Comparer::evaluateOnOwnInputs(const NamedTensors &inputs,
                                                   const ModelRun &run) {
  tell(": layers are evaluated on their own inputs");
  Result<OnnxReference *> evaluator = graph();
  if (!evaluator)
    return evaluator.status();
  return (*evaluator)->evaluateOnOwnInputs(inputs, layersOf(run));
}

Result<OnnxReference *> Comparer::graph() {
  if (!onnx) {
    Result<std::unique_ptr<OnnxReference>> opened = OnnxReference::open(model);
    if (!opened)
      return opened.status();
    onnx = *std::move(opened);
    onnx->progress = [this](size_t layer, size_t layers) {
      progress.sayOften("comparing" + place + step +
                        rt::format(", layer %zu of %zu", layer, layers));
    };
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
  if (!isModel() || !program)
    return Status::ok();
  if (run.entries != 0) {
    report.samples.back().warnings.push_back(
        "not compared bit by bit: the batch is filled up for a larger stage");
    return Status::ok();
  }
  if (!conversion)
    conversion.emplace(model, *program, request, flags.calibration,
                       ConversionCheck::Options{flags.bisect, otherModel()});
  tell(": the program is made again");
  WEFT_TRY(conversion->check(run, files, report.samples.back()));
  return flags.bisect ? bisectSample(run, files) : Status::ok();
}

Status Comparer::bisectSample(const ModelRun &run,
                              const samples::SampleFiles &files) {
  bool hasFound =
      report.bisection && report.bisection->stage != BisectedStage::None;
  if (hasFound)
    return Status::ok();
  // What is another program has its fault, though this sample does not show it.
  if (report.samples.back().isPassed() && conversion->difference().isEmpty() &&
      conversion->recordDamage().empty()) {
    report.bisection = Bisection();
    return Status::ok();
  }
  tell(": what is wrong is looked for");
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

comparison::RangeEnds Comparer::findRangeEnds(const NamedTensors &inputs) {
  Result<OnnxReference *> evaluator = graph();
  if (!evaluator)
    return {};
  Result<comparison::RangeEnds> ends = (*evaluator)->rangeEnds(inputs);
  return ends ? *std::move(ends) : comparison::RangeEnds();
}

/// How `program` is of the model of digest `recorded` and not of that which
/// `other` has; "" if it is, or if one of the two is not known.
static std::string otherModelText(const std::string &program,
                                  const std::string &recorded,
                                  const std::string &other,
                                  const std::string &found) {
  constexpr size_t kDigits = 16; // of 64: enough to tell models apart
  return recorded.empty() || found.empty() || recorded == found
             ? ""
             : program + " was converted from another model: of sha256 " +
                   recorded.substr(0, kDigits) + ".., " + other + " has " +
                   found.substr(0, kDigits) + "..";
}

std::string Comparer::otherModel() const {
  if (!program || !onnx || !onnx->digest())
    return "";
  const rt::Digest &digest = *onnx->digest();
  return otherModelText(flags.request.model,
                        recordedModel(*program, request.net), flags.onnx,
                        rt::hexText(digest.data(), digest.size()));
}

Status Comparer::compare(const samples::SampleFiles &files, size_t index,
                         size_t count) {
  if (count > 1)
    place = rt::format(" sample %zu of %zu", index + 1, count);
  Result<ModelRun> done = run(files);
  if (!done)
    return done.status();
  // Of a set the other samples have layers.
  const bool isFilledUp = flags.perLayer && done->entries != 0;
  if (isFilledUp)
    done->layers.clear();
  certifier.add(*done);
  NamedTensors inputs = namedInputs(*done), onOwnInputs;
  Result<ReferenceValues> values = findValues(files, inputs);
  if (!values)
    return values.status();
  ComparedReference reference{*values};
  reference.isWholeModel = !flags.readsReference();
  reference.hasOnnxNames = isModel();
  reference.isOtherModel = !otherModel().empty();
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
  std::optional<comparison::RangeEnds> rangeEnds;
  if (!other)
    reference.rangeEnds = [&]() -> const comparison::RangeEnds & {
      if (!rangeEnds)
        rangeEnds = findRangeEnds(inputs);
      return *rangeEnds;
    };
  std::string withoutAdded;
  if (isModel() && flags.perLayer) {
    Result<NamedTensors> own = evaluateOnOwnInputs(inputs, *done);
    if (own) {
      onOwnInputs = *std::move(own);
      reference.onOwnInputs = &onOwnInputs;
    } else if (onnxRuntime) { // which has given the values
      withoutAdded = "layers inform, because what each adds is not known: " +
                     own.status().message();
    } else {
      return own.status();
    }
  }
  // The coarser of two programs.
  report.precision = std::max(done->precision, otherPrecision);
  report.limits = ComparisonLimits(report.precision, flags.limits);
  report.samples.push_back(compareSample(*done, reference, report.limits,
                                         flags.allowsConstantInputs));
  report.samples.back().sample = samples::nameOf(files);
  if (onnxRuntime && flags.perLayer)
    if (Result<OnnxReference *> evaluator = graph())
      addOtherReading(**evaluator, inputs, values->layers,
                      report.samples.back());
  WEFT_TRY(checkConversion(*done, files));
  if (isFilledUp)
    report.samples.back().warnings.push_back(
        rt::format("layers are not compared: the batch of %lld is filled up "
                   "for a larger stage, and a layer is compared whole",
                   static_cast<long long>(done->entries)));
  for (const std::string &warning : {withoutParts, withoutAdded})
    if (!warning.empty())
      report.samples.back().warnings.push_back(warning);
  return addAnswers(files, *done, *values, inputs);
}

Status Comparer::addAnswers(const samples::SampleFiles &files,
                            const ModelRun &run, const ReferenceValues &values,
                            const NamedTensors &inputs) {
  if (!flags.page.empty()) {
    page.add(report, run);
    if (!page.hasGraph())
      page.setGraph(outline(inputs));
  }
  if (!score && !task)
    return Status::ok();
  std::vector<OutputPair> outputs = pairOutputs(run, values.outputs);
  if (score)
    WEFT_TRY(score->add(files, outputs));
  return task ? task->add(samples::nameOf(files), files, outputs)
              : Status::ok();
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
  if (score) {
    Result<ScoreFigures> figures = score->finish(flags.score);
    if (!figures)
      return figures.status();
    report.score = *figures;
    check(*report.score);
  }
  if (std::string text = otherModel(); !text.empty()) {
    bool isCause =
        !report.isPassed() && !(conversion && conversion->otherModel().empty());
    (isCause ? report.failures : report.warnings).push_back(std::move(text));
  }
  return Status::ok();
}

Status Comparer::certify() {
  if (onnx)
    source.model = onnx->digest();
  std::string isOfOther =
      other ? otherModelText(flags.request.model,
                             recordedModel(*program, flags.request.net),
                             flags.onnx, otherRecord)
            : otherModel();
  // Figures that are near enough do not make it a program of this one.
  if (!isOfOther.empty())
    return rt::fail(Code::InvalidArgument,
                    isOfOther + "; it is not certified; convert the model at "
                                "hand and compare that");
  Result<size_t> bytes =
      certifier.write(*program, report, source, model.bindings);
  if (!bytes)
    return bytes.status();
  report.certificateBytes = *bytes;
  return Status::ok();
}

static Status writePage(const CompareFlags &flags, const Comparer &comparer) {
  Result<std::string> page =
      comparer.page.html(comparer.report, {flags.request.model,
                                           toText(comparer.report.reference)});
  if (!page)
    return page.status();
  return tools::writeOutputFile(flags.page, page->data(), page->size());
}

static ExitCode compareCommand(const CompareFlags &flags) {
  if (Status status = flags.check(); !status)
    return reportError(status);
  Result<std::vector<samples::SampleFiles>> samples = flags.sampleFiles();
  if (!samples)
    return reportError(samples.status());
  ProgressLine progress;
  Result<std::unique_ptr<Comparer>> comparer = Comparer::open(flags, progress);
  Status status = comparer.status();
  if (status)
    samples = (*comparer)->batchesOf(*samples);
  for (size_t i = 0; status && i < samples->size(); ++i)
    status = (*comparer)->compare((*samples)[i], i, samples->size());
  if (status)
    status = (*comparer)->finish();
  progress.clear();
  if (!status)
    return reportError(status);
  if (!flags.page.empty())
    if (Status status = writePage(flags, **comparer); !status)
      return reportError(status);
  ComparisonReport &report = (*comparer)->report;
  if (flags.certifies) {
    report.certificateBytes = 0;
    if (report.isPassed())
      if (Status status = (*comparer)->certify(); !status)
        return reportError(status);
  }
  // Else the report would follow the page on stdout.
  ExitCode printed = flags.page == "-" ? ExitCode::Ok
                     : flags.json      ? printJson(toJson(report))
                                       : printText(toText(report));
  if (printed != ExitCode::Ok)
    return printed;
  return report.isPassed() ? ExitCode::Ok : ExitCode::ComparisonFailed;
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
       "weft compare cls.onnx cls.bmodel --data lines/ --reference "
       "onnxruntime",
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
  flags->addTo(command);
}

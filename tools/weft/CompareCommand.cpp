#include "runtime/status/Quote.h"
#include "tools/npz/Npz.h"
#include "tools/weft/Bindings.h"
#include "tools/weft/Comparison.h"
#include "tools/weft/ModelRun.h"
#include "tools/weft/Program.h"
#include "tools/weft/Reference.h"

#include <cmath>
#include <nlohmann/json.hpp>

using namespace weft;
using namespace weft::cli;
using Json = nlohmann::ordered_json;
using numeric::ElementType;
using numeric::HostTensor;
using rt::Code;
using rt::Result;
using rt::Status;

namespace {

struct CompareFlags {
  std::string onnx;
  RunRequest request;
  std::string reference;
  std::vector<std::string> bindings;
  std::vector<std::string> plugins;
  Thresholds thresholds;
  bool fusePreprocess = false;
  bool perLayer = false;
  bool json = false;
};

/// One line of the result.
struct Row {
  std::string name;
  /// Name in the reference, if another.
  std::string referenceName;
  Comparison comparison;
  std::string failure; ///< empty: passed
};

/// What the model gave.
struct Computed {
  std::vector<rt::TensorSpec> specs;
  std::vector<HostTensor> outputs;
  std::vector<rt::CapturedValue> layers;
  NamedTensors inputs;
};

} // namespace

static Result<Computed> compute(const CompareFlags &flags) {
  RunRequest request = flags.request;
  request.layers = flags.perLayer;
  request.isFused = flags.fusePreprocess;
  Result<ModelRun> run = runModel(request);
  if (!run)
    return run.status();
  if (flags.fusePreprocess && (run->inputSpecs.size() != 1 ||
                               run->inputSpecs[0].type != ElementType::U8))
    return rt::fail(Code::InvalidArgument,
                    flags.request.model +
                        ": --fuse-preprocess is for a program that was "
                        "converted with it, which takes images as bytes; "
                        "leave it out");
  if (flags.perLayer && run->entries != 0)
    return rt::failf(Code::ShapeMismatch,
                     "%s: --per-layer compares whole values, but the batch of "
                     "%lld is filled up for a larger stage; give a full batch",
                     flags.request.inputs.front().c_str(),
                     static_cast<long long>(run->entries));
  Computed computed;
  computed.specs = std::move(run->outputSpecs);
  computed.layers = std::move(run->layers);
  computed.outputs = std::move(run->outputs);
  for (size_t i = 0; i < run->inputs.size(); ++i)
    computed.inputs[run->inputSpecs[i].name] = std::move(run->inputs[i]);
  return computed;
}

/// Values from --reference, which may hold layers beside the outputs; or from
/// the evaluator.
static Result<ReferenceValues> findReference(const CompareFlags &flags,
                                             const NamedTensors &inputs) {
  if (flags.reference.empty()) {
    Result<NamedTensors> bindings = readBindings(flags.bindings);
    if (!bindings)
      return bindings.status();
    Result<std::optional<preprocess::Options>> options =
        readPreprocessFlags(flags.request.preprocess);
    if (!options)
      return options.status();
    ReferenceModel model{flags.onnx, flags.request.model, *std::move(bindings),
                         flags.plugins, std::nullopt};
    if (flags.fusePreprocess)
      model.fused = options->value_or(preprocess::Options());
    return evaluateOnnx(model, inputs, flags.perLayer);
  }
  Result<npz::Reader> archive = npz::Reader::open(flags.reference);
  if (!archive)
    return archive.status();
  ReferenceValues values;
  for (const std::string &name : archive->names()) {
    Result<HostTensor> tensor = archive->read(name);
    if (!tensor)
      return tensor.status();
    values.outputs[name] = *std::move(tensor);
  }
  values.layers = values.outputs;
  return values;
}

/// The vendor's compiler calls the output `y` of a Relu `y_Relu`; in files that
/// are not Weft's, such a name stands for the longest ONNX name it begins with.
static std::string referenceName(const rt::TensorSpec &spec,
                                 const NamedTensors &reference) {
  if (reference.count(spec.name) || spec.hasOnnxView)
    return spec.name;
  std::string best;
  for (const auto &[name, tensor] : reference)
    if (name.size() > best.size() && name.size() < spec.name.size() &&
        spec.name.compare(0, name.size(), name) == 0 &&
        spec.name[name.size()] == '_')
      best = name;
  return best.empty() ? spec.name : best;
}

/// A quantized output as the reals it stands for, and one of f16 (which
/// --quantized-io keeps) where the reference has f32; others unchanged.
static HostTensor toReals(const rt::TensorSpec &spec, const HostTensor &stored,
                          const HostTensor &reference) {
  bool isNarrow =
      stored.type() == ElementType::F16 && reference.type() == ElementType::F32;
  if (!spec.isQuantized() && !isNarrow)
    return stored;
  HostTensor reals(ElementType::F32, stored.shape());
  for (int64_t i = 0; i < stored.elements(); ++i)
    reals.as<float>()[i] = static_cast<float>(
        (stored.toDouble(i) - spec.zeroPoint) * double(spec.scale));
  return reals;
}

static std::vector<Row> compareOutputs(const CompareFlags &flags,
                                       const Computed &computed,
                                       const NamedTensors &reference) {
  std::vector<Row> rows;
  for (size_t i = 0; i < computed.specs.size(); ++i) {
    Row row;
    row.name = computed.specs[i].name;
    row.referenceName = referenceName(computed.specs[i], reference);
    auto found = reference.find(row.referenceName);
    if (found == reference.end())
      row.comparison.problem = "the reference has no tensor of this name";
    else
      row.comparison = compareTensors(
          toReals(computed.specs[i], computed.outputs[i], found->second),
          found->second, /*anyType=*/false);
    row.failure = failureReason(row.comparison, flags.thresholds);
    rows.push_back(std::move(row));
  }
  // What the ONNX model gives and the bmodel does not is missing; a reference
  // file may hold more.
  if (!flags.reference.empty())
    return rows;
  for (const auto &[name, tensor] : reference) {
    bool matched = false;
    for (const Row &row : rows)
      matched |= row.referenceName == name;
    if (matched)
      continue;
    Row row;
    row.name = row.referenceName = name;
    row.failure = row.comparison.problem = "the bmodel has no such output";
    rows.push_back(std::move(row));
  }
  return rows;
}

static std::vector<Row> compareLayers(const CompareFlags &flags,
                                      const Computed &computed,
                                      const NamedTensors &reference) {
  std::vector<Row> rows;
  for (const rt::CapturedValue &value : computed.layers) {
    Row row;
    row.name = row.referenceName = value.name;
    auto found = reference.find(value.name);
    if (found == reference.end())
      row.comparison.problem = "the reference has no value of this name";
    else if (!value.complete)
      row.comparison.problem = "the debug map does not cover the whole value";
    else
      row.comparison =
          compareTensors(value.tensor, found->second, /*anyType=*/true);
    row.failure = failureReason(row.comparison, flags.thresholds);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Outputs decide. Layers inform, but sharing none of those that the bmodel has
/// is a failure; a net that only moves values has none.
static bool isPassed(const std::vector<Row> &outputs,
                     const std::vector<Row> &layers) {
  for (const Row &row : outputs)
    if (!row.failure.empty())
      return false;
  if (layers.empty())
    return true;
  for (const Row &row : layers)
    if (row.comparison.problem.empty())
      return true;
  return false;
}

static Json describeRow(const Row &row) {
  const Comparison &c = row.comparison;
  Json json = {{"name", row.name}, {"passed", row.failure.empty()}};
  if (row.referenceName != row.name)
    json["reference_name"] = row.referenceName;
  if (!row.failure.empty())
    json["reason"] = row.failure;
  if (!c.problem.empty())
    return json;
  json["elements"] = c.elements;
  json["cosine"] = c.cosine;
  // JSON has no infinity; null says that the values are equal (or that the
  // reference is all zeros, then max_error is above 0).
  json["sqnr_db"] = std::isfinite(c.sqnrDb) ? Json(c.sqnrDb) : Json(nullptr);
  json["max_error"] = c.maxError;
  json["mean_error"] = c.meanError;
  return json;
}

static std::string rowText(const Row &row) {
  const Comparison &c = row.comparison;
  std::string text = row.failure.empty() ? "pass " : "FAIL ";
  text += rt::quoteName(row.name);
  if (row.referenceName != row.name)
    text += " (reference " + rt::quoteName(row.referenceName) + ")";
  if (c.problem.empty()) {
    char figures[160];
    std::snprintf(
        figures, sizeof figures,
        "  cosine %.9f  sqnr %.2f dB  max error %.6g  mean error %.6g",
        c.cosine, c.sqnrDb, c.maxError, c.meanError);
    text += figures;
  }
  return text + (row.failure.empty() ? "\n" : ": " + row.failure + "\n");
}

static ExitCode reportRows(const CompareFlags &flags,
                           const std::vector<Row> &outputs,
                           const std::vector<Row> &layers) {
  bool passed = isPassed(outputs, layers);
  Json json = {{"passed", passed},
               {"min_cosine", flags.thresholds.minCosine},
               {"outputs", Json::array()}};
  if (flags.thresholds.minSqnrDb)
    json["min_sqnr_db"] = *flags.thresholds.minSqnrDb;
  std::string text = flags.perLayer && layers.empty() ? "no layers\n" : "";
  if (flags.perLayer)
    json["layers"] = Json::array();
  const Row *firstBad = nullptr; // in the order of computation
  for (const Row &row : layers) {
    json["layers"].push_back(describeRow(row));
    text += "layer  " + rowText(row);
    if (!firstBad && !row.failure.empty())
      firstBad = &row;
  }
  if (flags.perLayer)
    json["first_failed_layer"] = firstBad ? Json(firstBad->name) : Json();
  for (const Row &row : outputs) {
    json["outputs"].push_back(describeRow(row));
    text += "output " + rowText(row);
  }
  if (firstBad)
    text +=
        "first layer below the limits: " + rt::quoteName(firstBad->name) + "\n";
  text += passed ? "comparison passed\n" : "comparison failed\n";
  ExitCode printed = flags.json ? printJson(json) : printText(text);
  if (printed != ExitCode::Ok)
    return printed;
  return passed ? ExitCode::Ok : ExitCode::ComparisonFailed;
}

static ExitCode compareCommand(const CompareFlags &flags) {
  Result<Computed> computed = compute(flags);
  if (!computed)
    return reportError(computed.status());
  Result<ReferenceValues> reference = findReference(flags, computed->inputs);
  if (!reference)
    return reportError(reference.status());
  return reportRows(flags, compareOutputs(flags, *computed, reference->outputs),
                    compareLayers(flags, *computed, reference->layers));
}

/// "" if `text` is one, else what is wrong; every comparison with NaN is false.
static std::string finiteNumber(const std::string &text) {
  double value = 0;
  return CLI::detail::lexical_cast(text, value) && std::isfinite(value)
             ? std::string()
             : "'" + text + "' is no finite number";
}

void cli::addCompareCommand(Program &program) {
  auto flags = std::make_shared<CompareFlags>();
  CLI::App &command = program.addCommand(
      "compare",
      "Compare what a bmodel (or a .zyp program) computes with its ONNX model",
      {"weft compare cls.onnx cls.bmodel --input line.npz",
       "weft compare cls.onnx cls.bmodel --input line.npz --per-layer "
       "--min-cosine 0.999",
       "weft compare cls.onnx cls.bmodel --input line.npz --reference ort.npz "
       "--min-sqnr 30"},
      [flags] { return compareCommand(*flags); });
  command.add_option("onnx", flags->onnx, "The model that was converted")
      ->required()
      ->type_name("MODEL.onnx");
  command
      .add_option("bmodel", flags->request.model, "What it was converted to")
      ->required()
      ->type_name("FILE.bmodel");
  addInputFlag(command, flags->request,
               "Arrays by input name (.npz), or an image or .npy file for each "
               "input; model and bmodel get the same tensor");
  command
      .add_option("--reference", flags->reference,
                  "Expected values by ONNX name; without it the ONNX model is "
                  "evaluated")
      ->type_name("FILE.npz");
  command.add_flag("--fuse-preprocess", flags->fusePreprocess,
                   "The program was converted with --fuse-preprocess and these "
                   "settings");
  addBindFlag(command, flags->bindings);
  addPluginFlag(command, flags->plugins);
  command.add_flag("--per-layer", flags->perLayer,
                   "Also compare the values inside, through the debug map or "
                   "the program's buffers");
  command
      .add_option("--min-cosine", flags->thresholds.minCosine,
                  "Smallest cosine of every output")
      ->type_name("C")
      ->check(finiteNumber)
      ->check(CLI::Range(-1.0, 1.0))
      ->capture_default_str();
  command
      .add_option("--min-sqnr", flags->thresholds.minSqnrDb,
                  "Smallest signal to noise ratio of every output")
      ->type_name("DB")
      ->check(finiteNumber);
  addRunFlags(command, flags->request);
  command.add_flag("--json", flags->json, "Print as JSON");
}

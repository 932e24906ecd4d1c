#include "tools/weft/Certifier.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"
#include "tools/files/OutputFile.h"
#include "tools/weft/Version.h"

#include <algorithm>
#include <cassert>
#include <cmath>

using namespace weft;
using namespace weft::cli;
using rt::Result;
using rt::Status;
using Json = nlohmann::ordered_json;
namespace wire = weft::rt::wire;

//===----------------------------------------------------------------------===//
// Facts
//===----------------------------------------------------------------------===//

static void addNumber(uint64_t number, rt::Sha256 &hash) {
  uint8_t bytes[8];
  for (size_t i = 0; i < sizeof bytes; ++i)
    bytes[i] = uint8_t(number >> (8 * i));
  hash.add(bytes, sizeof bytes);
}

static void addText(std::string_view text, rt::Sha256 &hash) {
  addNumber(text.size(), hash);
  hash.add(reinterpret_cast<const uint8_t *>(text.data()), text.size());
}

/// Sizes stand before what they are of, so that no two lists give the same
/// bytes.
void Certifier::addTensors(const NamedTensors &tensors) {
  addNumber(tensors.size(), fed);
  for (const auto &[name, tensor] : tensors) {
    addText(name, fed);
    addText(numeric::elementTypeName(tensor.type()), fed);
    addNumber(tensor.shape().size(), fed);
    for (int64_t size : tensor.shape())
      addNumber(uint64_t(size), fed);
    fed.add(tensor.bytes(), tensor.sizeBytes());
  }
}

void Certifier::begin(const rt::Bmodel &program) {
  rt::ByteSpan bytes = program.fileBytes();
  begun = rt::sha256(bytes.data, bytes.size);
}

void Certifier::add(const ModelRun &run) {
  addTensors(namedInputs(run));
  net = run.net;
  device = run.device;
  stages.insert(uint32_t(run.stage));
}

/// The worst of all samples, in the order in which outputs first occur.
static std::vector<std::unique_ptr<wire::CertifiedOutputT>>
outputsOf(const std::vector<SampleComparison> &samples) {
  std::vector<std::unique_ptr<wire::CertifiedOutputT>> outputs;
  for (const SampleComparison &sample : samples)
    for (const ComparisonRow &row : sample.outputs) {
      auto at = std::find_if(outputs.begin(), outputs.end(), [&](auto &output) {
        return output->name == row.name && output->part_of == row.partOf;
      });
      if (at == outputs.end()) {
        at = outputs.insert(at, std::make_unique<wire::CertifiedOutputT>());
        (*at)->name = row.name;
        (*at)->part_of = row.partOf;
      }
      const comparison::Metrics &metrics = row.metrics;
      if (!metrics.problem.empty() || metrics.elements == 0)
        continue;
      wire::CertifiedOutputT &output = **at;
      bool isFirst = output.samples++ == 0;
      auto take = [&](double &worst, double figure, bool isWorse) {
        if (isFirst || isWorse)
          worst = figure;
      };
      take(output.cosine, metrics.cosine, metrics.cosine < output.cosine);
      take(output.sqnr_db, metrics.sqnrDb, metrics.sqnrDb < output.sqnr_db);
      take(output.max_error, metrics.maxError,
           metrics.maxError > output.max_error);
    }
  return outputs;
}

static std::vector<std::unique_ptr<wire::CertifiedLimitT>>
limitsOf(const comparison::Limits &limits, comparison::Subject subject,
         comparison::Precision precision) {
  const comparison::Limits usual(subject, precision);
  std::vector<std::unique_ptr<wire::CertifiedLimitT>> list;
  for (size_t i = 0; i < comparison::kLimits; ++i) {
    auto limit = std::make_unique<wire::CertifiedLimitT>();
    limit->key = comparison::rowOf(comparison::Limit(i)).key;
    limit->value = limits[comparison::Limit(i)];
    limit->usual = usual[comparison::Limit(i)];
    list.push_back(std::move(limit));
  }
  return list;
}

/// Layers that are judged by what they add.
static void addLayers(const std::vector<SampleComparison> &samples,
                      wire::CertificateT &certificate) {
  std::set<std::string> names;
  for (const SampleComparison &sample : samples)
    for (const ComparisonRow &row : sample.layers) {
      if (!row.added || !row.added->problem.empty())
        continue;
      bool isFirst = names.empty();
      names.insert(row.name);
      if (!isFirst && row.added->sqnrDb >= certificate.worst_layer_sqnr_db)
        continue;
      certificate.worst_layer = row.name;
      certificate.worst_layer_sqnr_db = row.added->sqnrDb;
    }
  certificate.layers = uint32_t(names.size());
}

static void addMeasures(const ComparisonReport &report,
                        wire::CertificateT &certificate) {
  auto add = [&](const std::string &name, double program, double reference,
                 double least) {
    auto measure = std::make_unique<wire::CertifiedMeasureT>();
    measure->name = name;
    measure->program = program;
    measure->reference = reference;
    measure->least = least;
    certificate.measures.push_back(std::move(measure));
  };
  auto addScore = [&](const ScoreFigures &score) {
    add(score.name, score.program, score.reference, score.least);
  };
  if (report.task) {
    add(report.task->task + " of " + report.task->output, report.task->mean, 1,
        report.task->least);
    if (report.task->accuracy)
      addScore(*report.task->accuracy);
  }
  if (report.score)
    addScore(*report.score);
}

namespace {
/// Gathers texts, each once.
class Warnings {
public:
  /// `files`, of which only the names are kept: folders say where a machine
  /// had them.
  explicit Warnings(std::vector<std::string> files) : files(std::move(files)) {}

  void add(std::string text, uint32_t samples);

  std::vector<std::unique_ptr<wire::CertifiedWarningT>> list;
  uint32_t more = 0; ///< that the list has no place for

private:
  std::vector<std::string> files;
};
} // namespace

void Warnings::add(std::string text, uint32_t samples) {
  // A program of thousands of layers in a set of thousands of samples.
  constexpr size_t kMostTexts = 16, kMostBytes = 400;
  for (const std::string &file : files)
    for (size_t at = text.find(file), folder = file.rfind('/') + 1;
         folder != 0 && at != text.npos; at = text.find(file, at))
      text.erase(at, folder);
  if (text.size() > kMostBytes)
    text = text.substr(0, kMostBytes) + "..";
  auto known = std::find_if(list.begin(), list.end(),
                            [&](const auto &one) { return one->text == text; });
  if (known == list.end() && list.size() == kMostTexts) {
    ++more;
    return;
  }
  if (known == list.end()) {
    known = list.insert(known, std::make_unique<wire::CertifiedWarningT>());
    (*known)->text = std::move(text);
  }
  (*known)->samples += samples;
}

static void addWarnings(const rt::Bmodel &program,
                        const ComparisonReport &report,
                        wire::CertificateT &certificate) {
  Warnings warnings({program.path(), report.reference.file});
  for (const SampleComparison &sample : report.samples)
    for (const std::string &text : sample.warnings)
      warnings.add(text, 1);
  for (const std::string &text : report.warnings)
    warnings.add(text, 0);
  certificate.warnings = std::move(warnings.list);
  certificate.more_warnings = warnings.more;
}

static void assign(const std::optional<rt::Digest> &digest,
                   std::vector<uint8_t> &to) {
  if (digest)
    to.assign(digest->begin(), digest->end());
}

/// Whether the bytes in the file at `path` have the digest.
static Status checkUnchanged(const std::string &path, const rt::Digest &begun) {
  Result<rt::FileBytes> file = rt::FileBytes::map(path);
  if (file && rt::sha256(file->span().data, file->span().size) == begun)
    return Status::ok();
  return rt::fail(rt::Code::InvalidArgument,
                  path + ": was written anew while it was compared, so that "
                         "nothing is certified; compare it again");
}

Result<size_t> Certifier::write(const rt::Bmodel &program,
                                const ComparisonReport &report,
                                const CertifiedSource &source,
                                const NamedTensors &bindings) {
  wire::CertificateT certificate;
  assign(source.model, certificate.model_sha256);
  certificate.reference = source.reference;
  assign(source.file, certificate.reference_sha256);
  certificate.reference_version = source.version;
  if (source.file && *source.file == rt::contentDigest(program))
    return rt::fail(rt::Code::InvalidArgument,
                    program.path() + ": --certify would certify a program by "
                                     "itself: that in place of the model has "
                                     "the same bytes");
  addTensors(bindings);
  assign(fed.finish(), certificate.data_sha256);
  certificate.samples = uint32_t(report.samples.size());
  certificate.producer = "weft " WEFT_VERSION;
  certificate.net = net;
  certificate.stages.assign(stages.begin(), stages.end());
  certificate.precision = comparison::precisionName(report.precision);
  certificate.device = device;
  certificate.outputs = outputsOf(report.samples);
  assert(report.doLimitsDecide && "without limits nothing is certified");
  certificate.limits = limitsOf(report.limits.output,
                                comparison::Subject::Output, report.precision);
  if (report.hasLayers)
    certificate.layer_limits = limitsOf(
        report.limits.layer, comparison::Subject::Layer, report.precision);
  addWarnings(program, report, certificate);
  addLayers(report.samples, certificate);
  addMeasures(report, certificate);
  Result<std::vector<uint8_t>> bytes =
      rt::certificateBytes(program, std::move(certificate));
  if (!bytes)
    return bytes.status();
  rt::ByteSpan content = rt::contentOf(program.fileBytes());
  // Another program would be lost, and this one's certificate stand for it.
  Status unchanged = Status::ok();
  Status written =
      tools::writeOutputFile(program.path(), [&](const tools::ByteSink &sink) {
        bool isWritten = sink(content.data, content.size) &&
                         sink(bytes->data(), bytes->size());
        if (isWritten)
          unchanged = checkUnchanged(program.path(), begun);
        return isWritten && unchanged.isOk();
      });
  WEFT_TRY(unchanged);
  WEFT_TRY(written);
  return bytes->size();
}

//===----------------------------------------------------------------------===//
// Listing
//===----------------------------------------------------------------------===//

static const char *nameOf(wire::CertifiedReference reference) {
  switch (reference) {
  case wire::CertifiedReference::Onnx:
    return "onnx";
  case wire::CertifiedReference::Values:
    return "values";
  case wire::CertifiedReference::Program:
    return "program";
  }
  return ""; // the loader knows no other
}

static std::string hexText(const std::vector<uint8_t> &digest) {
  return rt::hexText(digest.data(), digest.size());
}

using CertifiedLimits = std::vector<std::unique_ptr<wire::CertifiedLimitT>>;

static Json describe(const CertifiedLimits &limits,
                     double wire::CertifiedLimitT::*number) {
  Json json = Json::object();
  for (const auto &limit : limits)
    json[limit->key] = finiteOrNull((*limit).*number);
  return json;
}

static bool areDefaults(const CertifiedLimits &limits) {
  return std::all_of(limits.begin(), limits.end(), [](const auto &limit) {
    return limit->value == limit->usual;
  });
}

static Json describe(const wire::CertifiedOutputT &output) {
  Json json = {{"name", output.name}};
  if (!output.part_of.empty())
    json["part_of"] = output.part_of;
  json["samples"] = output.samples;
  if (output.samples != 0)
    json.update({{"cosine", finiteOrNull(output.cosine)},
                 {"sqnr_db", finiteOrNull(output.sqnr_db)},
                 {"max_error", finiteOrNull(output.max_error)}});
  return json;
}

Json cli::describeCertificate(const rt::Bmodel &model) {
  const wire::CertificateT *certificate = model.certificate();
  if (!certificate)
    return nullptr;
  Json json = {
      {"fits", rt::certificateState(model) == rt::CertificateState::Fits},
      {"content_sha256", hexText(certificate->content_sha256)},
      {"compiler", certificate->producer},
      {"net", certificate->net},
      {"stages", certificate->stages},
      {"reference", nameOf(certificate->reference)},
      {"reference_version", certificate->reference_version},
      {"model_sha256", hexText(certificate->model_sha256)},
      {"reference_sha256", hexText(certificate->reference_sha256)},
      {"data_sha256", hexText(certificate->data_sha256)},
      {"samples", certificate->samples},
      {"precision", certificate->precision},
      {"device", certificate->device},
      {"outputs", Json::array()},
      {"limits", describe(certificate->limits, &wire::CertifiedLimitT::value)},
      {"default_limits",
       describe(certificate->limits, &wire::CertifiedLimitT::usual)},
      {"layer_limits",
       describe(certificate->layer_limits, &wire::CertifiedLimitT::value)},
      {"default_layer_limits",
       describe(certificate->layer_limits, &wire::CertifiedLimitT::usual)},
      {"limits_are_defaults", areDefaults(certificate->limits) &&
                                  areDefaults(certificate->layer_limits)},
      {"layers", certificate->layers}};
  for (const auto &output : certificate->outputs)
    json["outputs"].push_back(describe(*output));
  if (certificate->layers != 0)
    json["worst_layer"] = {
        {"name", certificate->worst_layer},
        {"sqnr_db", finiteOrNull(certificate->worst_layer_sqnr_db)}};
  json["measures"] = Json::array();
  for (const auto &measure : certificate->measures)
    json["measures"].push_back({{"name", measure->name},
                                {"program", finiteOrNull(measure->program)},
                                {"reference", finiteOrNull(measure->reference)},
                                {"least", finiteOrNull(measure->least)}});
  json["warnings"] = Json::array();
  for (const auto &warning : certificate->warnings)
    json["warnings"].push_back(
        {{"text", warning->text}, {"samples", warning->samples}});
  json["more_warnings"] = certificate->more_warnings;
  return json;
}

/// Decibels of the reference by the error.
static std::string decibelText(double decibels) {
  if (std::isfinite(decibels))
    return rt::format("%.2f dB", decibels);
  return decibels > 0 ? "equal" : "-inf dB (the reference is zero)";
}

/// Text of a file that anybody may have written.
static std::string quoted(const Json &json) {
  return rt::quoteName(json.get<std::string>());
}

static std::string numberText(const Json &json) {
  return json.is_null() ? "?" : rt::format("%.6g", json.get<double>());
}

static std::string outputText(const Json &output, double decibels) {
  std::string text = "  output " + quoted(output["name"]);
  if (output.contains("part_of"))
    text += " in " + quoted(output["part_of"]);
  if (!output.contains("cosine"))
    return text + ": no elements\n";
  return text + ": cosine " + numberText(output["cosine"]) + ", sqnr " +
         decibelText(decibels) + ", max error " +
         numberText(output["max_error"]) + "\n";
}

/// "  limits: the defaults of 'int8': cosine 0.995, ..".
static std::string limitsText(const char *name, const CertifiedLimits &limits,
                              const std::string &precision) {
  if (limits.empty())
    return "";
  std::string text =
      std::string("  ") + name +
      (areDefaults(limits) ? ": the defaults of " : ": NOT THE DEFAULTS of ") +
      precision;
  for (size_t i = 0; i < limits.size(); ++i) {
    const wire::CertifiedLimitT &limit = *limits[i];
    text += (i == 0 ? ": " : ", ") +
            (comparison::findLimit(limit.key) ? limit.key
                                              : rt::quoteName(limit.key)) +
            rt::format(" %.7g", limit.value);
    if (limit.value != limit.usual)
      text += rt::format(" (default %.7g)", limit.usual);
  }
  return text + "\n";
}

static std::string warningsText(const Json &certificate) {
  std::string text;
  for (const Json &warning : certificate["warnings"]) {
    uint32_t samples = warning["samples"].get<uint32_t>();
    text += "  warning";
    if (samples != 0)
      text += " in " + std::to_string(samples) +
              (samples == 1 ? " sample" : " samples");
    text += ": " + rt::printable(warning["text"].get<std::string>()) + "\n";
  }
  if (uint32_t more = certificate["more_warnings"].get<uint32_t>())
    text += "  and " + std::to_string(more) + " more warnings\n";
  return text;
}

std::string cli::certificateText(const rt::Bmodel &model) {
  const wire::CertificateT *certificate = model.certificate();
  if (!certificate)
    return "certificate: none\n";
  const Json json = describeCertificate(model);
  std::string text = "certificate: ";
  text += json["fits"].get<bool>()
              ? std::string("of these bytes")
              : std::string("NOT OF THESE BYTES: the file ") +
                    rt::textOf(rt::CertificateState::OfOtherBytes);
  uint32_t samples = json["samples"].get<uint32_t>();
  text += "\n  passed on " + std::to_string(samples) +
          (samples == 1 ? " sample" : " samples") + ", data sha256 " +
          json["data_sha256"].get<std::string>() + "\n  by " +
          quoted(json["compiler"]) + " on " + quoted(json["device"]) +
          ", stages";
  for (const Json &stage : json["stages"])
    text += " " + std::to_string(stage.get<uint32_t>());
  text += " of net " + quoted(json["net"]) +
          "\n  reference: " + json["reference"].get<std::string>();
  if (!json["reference_version"].get<std::string>().empty())
    text += " (" + quoted(json["reference_version"]) + ")";
  for (const auto &[key, name] : {std::pair("model_sha256", "model"),
                                  std::pair("reference_sha256", "file")})
    if (std::string digest = json[key]; !digest.empty())
      text += "\n  " + std::string(name) + " sha256 " + digest;
  text += "\n";
  const std::string precision = quoted(json["precision"]);
  text += limitsText("limits", certificate->limits, precision) +
          limitsText("limits of layers", certificate->layer_limits, precision);
  for (size_t i = 0; i < certificate->outputs.size(); ++i)
    text += outputText(json["outputs"][i], certificate->outputs[i]->sqnr_db);
  if (json.contains("worst_layer"))
    text += "  " + std::to_string(json["layers"].get<uint32_t>()) +
            " layers, the worst " + quoted(json["worst_layer"]["name"]) +
            ": added sqnr " + decibelText(certificate->worst_layer_sqnr_db) +
            "\n";
  for (const Json &measure : json["measures"])
    text += "  " + quoted(measure["name"]) + ": program " +
            numberText(measure["program"]) + ", reference " +
            numberText(measure["reference"]) + ", at least " +
            numberText(measure["least"]) + "\n";
  return text + warningsText(json);
}

#include "tools/weft/ComparisonReport.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"

#include <algorithm>
#include <cmath>
#include <tuple>

using namespace weft;
using namespace weft::cli;
using comparison::Limit;
using comparison::Metrics;
using Json = nlohmann::ordered_json;

static std::string joined(const std::vector<std::string> &texts) {
  std::string all;
  for (const std::string &text : texts)
    all += (all.empty() ? "" : "; ") + text;
  return all;
}

bool ComparisonReport::passes(const SampleComparison &sample) const {
  return doLimitsDecide ? sample.isPassed() : sample.failures.empty();
}

bool ComparisonReport::isPassed() const {
  return failures.empty() &&
         std::all_of(samples.begin(), samples.end(),
                     [&](const SampleComparison &s) { return passes(s); });
}

void ComparisonReport::checkThatElementsAreCompared() {
  if (isPassed() && std::none_of(samples.begin(), samples.end(),
                                 [](const SampleComparison &s) {
                                   return s.comparesElements();
                                 }))
    failures.push_back(
        "no output has an element, so that nothing is compared; give samples "
        "in which the network finds something");
}

namespace {
/// A figure of one value over all samples.
struct Spread {
  double mean = 0, worst = 0, percentile5 = 0;
  size_t worstSample = 0;
};

/// One value over all samples, named as in the first that has it.
struct SetRow {
  const ComparisonRow *first = nullptr;
  size_t count = 0, failed = 0;
  bool hasOneElement = true; ///< in all samples
  std::vector<double> cosines = {}, sqnrs = {};
  std::vector<size_t> samples = {}; ///< of these figures
  /// Of a layer: SQNR of what it added, and the samples in which that is known.
  std::vector<double> added = {};
  std::vector<size_t> addedSamples = {};
};
} // namespace

/// Samples that are equal do not make the mean of others infinite: they count
/// as the best of the others, or as kMostDecibels.
static double meanOf(const std::vector<double> &figures) {
  constexpr double kMostDecibels = 200;
  auto isInfinite = [](double figure) { return std::isinf(figure); };
  if (std::all_of(figures.begin(), figures.end(), isInfinite) &&
      std::equal(figures.begin() + 1, figures.end(), figures.begin()))
    return figures.front();
  double most = kMostDecibels, mean = 0;
  for (double figure : figures)
    if (std::isfinite(figure))
      most = std::max(most, std::fabs(figure));
  for (double figure : figures)
    mean += std::clamp(figure, -most, most) / double(figures.size());
  return mean;
}

/// `figures` is not empty; small ones are bad.
static Spread spreadOf(const std::vector<double> &figures,
                       const std::vector<size_t> &samples) {
  Spread spread;
  auto least = std::min_element(figures.begin(), figures.end());
  spread.worst = *least;
  spread.worstSample = samples[size_t(least - figures.begin())];
  spread.mean = meanOf(figures);
  std::vector<double> sorted = figures;
  // The nearest rank.
  size_t rank = size_t(std::ceil(0.05 * double(sorted.size())));
  auto place = sorted.begin() + ptrdiff_t(std::max<size_t>(rank, 1) - 1);
  std::nth_element(sorted.begin(), place, sorted.end());
  spread.percentile5 = *place;
  return spread;
}

static std::vector<SetRow>
rowsOfSet(const std::vector<SampleComparison> &samples,
          std::vector<ComparisonRow> SampleComparison::*list) {
  std::vector<SetRow> rows;
  for (size_t s = 0; s < samples.size(); ++s)
    for (const ComparisonRow &row : samples[s].*list) {
      auto found = std::find_if(rows.begin(), rows.end(), [&](const SetRow &r) {
        return r.first->name == row.name && r.first->partOf == row.partOf;
      });
      if (found == rows.end())
        found = rows.insert(rows.end(), SetRow{&row});
      ++found->count;
      found->failed += !row.failures.empty();
      if (row.added && row.added->problem.empty() && row.added->elements != 0) {
        found->added.push_back(row.added->sqnrDb);
        found->addedSamples.push_back(s);
      }
      if (!row.metrics.problem.empty() || row.metrics.elements == 0)
        continue;
      found->hasOneElement &= row.metrics.elements == 1;
      found->cosines.push_back(row.metrics.cosine);
      found->sqnrs.push_back(row.metrics.sqnrDb);
      found->samples.push_back(s);
    }
  return rows;
}

Json cli::finiteOrNull(double figure) {
  return std::isfinite(figure) ? Json(figure) : Json(nullptr);
}

static Json describe(const comparison::Limits &limits) {
  Json json = Json::object();
  for (size_t i = 0; i < comparison::kLimits; ++i)
    json[comparison::rowOf(Limit(i)).key] = limits[Limit(i)];
  return json;
}

static Json describe(const comparison::Slice &slice) {
  Json json = {{"axis", slice.axis},
               {"index", slice.index},
               {"sqnr_db", finiteOrNull(slice.sqnrDb)}};
  if (slice.line) {
    json["gain"] = finiteOrNull(slice.line->gain);
    json["gain_off"] = finiteOrNull(slice.line->surelyOff());
    json["bias"] = slice.line->bias;
    json["bias_in_deviations"] = finiteOrNull(slice.biasInDeviations());
  }
  return json;
}

static void addFigures(const Metrics &m, Json &json) {
  json["elements"] = m.elements;
  if (m.elements == 0)
    return;
  json["cosine"] = m.cosine;
  // null says that the values are equal (or that the reference is all zeros,
  // then max_error is above 0).
  json["sqnr_db"] = finiteOrNull(m.sqnrDb);
  json["max_error"] = m.maxError;
  json["max_error_at"] = m.maxErrorAt;
  json["mean_error"] = m.meanError;
  json["norm_ratio"] = finiteOrNull(m.normRatio);
  json["range"] = m.range;
  json["deviation"] = m.deviation;
  if (m.setAside)
    json["set_aside"] = m.setAside;
  if (m.line) {
    json["gain"] = finiteOrNull(m.line->gain);
    json["bias"] = m.line->bias;
  }
  if (m.unequal)
    json["unequal"] = *m.unequal;
  json["worst_slices"] = Json::array();
  for (const comparison::Slice &slice : m.worstSlices)
    json["worst_slices"].push_back(describe(slice));
  json["worst_gains"] = Json::array();
  for (const comparison::Slice &slice : m.worstGains)
    json["worst_gains"].push_back(describe(slice));
  json["worst_biases"] = Json::array();
  for (const comparison::Slice &slice : m.worstBiases)
    json["worst_biases"].push_back(describe(slice));
  json["dead_slices"] = m.deadSlices;
  if (m.logSqnrDb) {
    json["log_sqnr_db"] = finiteOrNull(*m.logSqnrDb);
    json["top1"] = m.top1;
    json["top5"] = m.top5;
  }
  if (m.shift)
    json["shift"] = {{"axis", m.shift->axis},
                     {"by", m.shift->by},
                     {"factor", m.shift->factor}};
}

static Json describe(const StoredRow &row) {
  Json json = {{"unequal", row.unequal}, {"roundings", row.roundings}};
  if (row.unequal != 0)
    json.update({{"first", row.first},
                 {"value", finiteOrNull(row.value)},
                 {"expected", finiteOrNull(row.expected)}});
  return json;
}

static Json describe(const ComparisonRow &row) {
  Json json = {{"name", row.name}, {"passed", row.failures.empty()}};
  if (row.referenceName != row.name)
    json["reference_name"] = row.referenceName;
  if (!row.partOf.empty())
    json["part_of"] = row.partOf;
  if (!row.failures.empty()) {
    json["reason"] = row.failures.front();
    json["reasons"] = row.failures;
  }
  if (row.metrics.nonFiniteResult || row.metrics.nonFiniteReference)
    json["non_finite"] = {{"result", row.metrics.nonFiniteResult},
                          {"reference", row.metrics.nonFiniteReference}};
  if (!row.metrics.problem.empty())
    return json;
  if (row.zeroFloor)
    json["zero_floor"] = *row.zeroFloor;
  if (row.rangeFloor)
    json["range_floor"] = *row.rangeFloor;
  if (row.share)
    json["share"] = *row.share;
  addFigures(row.metrics, json);
  for (const auto &[key, stored] :
       {std::tuple("exact", &row.exact), std::tuple("fresh", &row.fresh)})
    if (*stored)
      json[key] = describe(**stored);
  if (row.added) {
    json["added"] = Json::object();
    addFigures(*row.added, json["added"]);
  }
  return json;
}

static Json describe(const Spread &spread,
                     const std::vector<SampleComparison> &samples) {
  return {{"mean", finiteOrNull(spread.mean)},
          {"percentile_5", finiteOrNull(spread.percentile5)},
          {"worst", finiteOrNull(spread.worst)},
          {"worst_sample", samples[spread.worstSample].sample}};
}

static Json describe(const SetRow &row,
                     const std::vector<SampleComparison> &samples) {
  Json json = {{"name", row.first->name},
               {"passed", row.failed == 0},
               {"samples", row.count},
               {"failed_samples", row.failed}};
  if (!row.first->partOf.empty())
    json["part_of"] = row.first->partOf;
  if (!row.cosines.empty()) {
    json["cosine"] = describe(spreadOf(row.cosines, row.samples), samples);
    json["sqnr_db"] = describe(spreadOf(row.sqnrs, row.samples), samples);
  }
  if (!row.added.empty())
    json["added"] = {
        {"sqnr_db", describe(spreadOf(row.added, row.addedSamples), samples)}};
  return json;
}

static void describeSample(const ComparisonReport &report, Json &json) {
  const SampleComparison &sample = report.samples.front();
  json["outputs"] = Json::array();
  if (report.hasLayers) {
    json["layers"] = Json::array();
    const ComparisonRow *bad = sample.firstFailedLayer();
    json["first_failed_layer"] = bad ? Json(bad->name) : Json();
  }
  for (const ComparisonRow &row : sample.layers)
    json["layers"].push_back(describe(row));
  for (const ComparisonRow &row : sample.outputs)
    json["outputs"].push_back(describe(row));
  json["warnings"] = sample.warnings;
  json["reasons"] = sample.failures;
  for (const std::string &failure : report.failures)
    json["reasons"].push_back(failure);
}

static void describeSet(const ComparisonReport &report, Json &json) {
  json["samples"] = report.samples.size();
  json["outputs"] = Json::array();
  for (const SetRow &row :
       rowsOfSet(report.samples, &SampleComparison::outputs))
    json["outputs"].push_back(describe(row, report.samples));
  if (report.hasLayers)
    json["layers"] = Json::array();
  for (const SetRow &row : rowsOfSet(report.samples, &SampleComparison::layers))
    json["layers"].push_back(describe(row, report.samples));
  json["failed"] = Json::array();
  for (const SampleComparison &sample : report.samples) {
    if (report.passes(sample))
      continue;
    Json one = {{"sample", sample.sample},
                {"reasons", sample.failures},
                {"outputs", Json::array()}};
    for (const ComparisonRow &row : sample.outputs)
      if (!row.failures.empty())
        one["outputs"].push_back(describe(row));
    if (report.hasLayers) {
      const ComparisonRow *bad = sample.firstFailedLayer();
      one["first_failed_layer"] = bad ? Json(bad->name) : Json();
    }
    json["failed"].push_back(std::move(one));
  }
  json["warnings"] = Json::array();
  for (const SampleComparison &sample : report.samples)
    for (const std::string &warning : sample.warnings)
      json["warnings"].push_back(sample.sample + ": " + warning);
  json["reasons"] = report.failures;
}

static Json describe(const ScoreFigures &score) {
  return {{"program", score.program},
          {"reference", score.reference},
          {"least", score.least}};
}

static Json describe(const TaskFigures &task) {
  Json json = {{"kind", task.task},
               {"output", task.output},
               {"mean", task.mean},
               {"worst", task.worst},
               {"worst_sample", task.worstSample},
               {"least", task.least},
               {"without_answer", task.withoutAnswer}};
  if (task.neighbours)
    json["neighbours"] = *task.neighbours;
  if (task.accuracy)
    json["accuracy"] = describe(*task.accuracy);
  return json;
}

static bool isOnnxRuntime(const ReferenceOrigin &reference) {
  return std::string_view(reference.by) == "onnxruntime";
}

static Json describe(const ReferenceOrigin &reference) {
  return {{"by", reference.by},
          {"file", reference.file},
          {"version", reference.version}};
}

Json cli::toJson(const ComparisonReport &report) {
  Json json = {{"passed", report.isPassed()},
               {"reference", describe(report.reference)},
               {"precision", comparison::precisionName(report.precision)},
               {"limits", describe(report.limits.output)}};
  if (report.hasLayers)
    json["layer_limits"] = describe(report.limits.layer);
  if (report.isSampleSet)
    describeSet(report, json);
  else
    describeSample(report, json);
  for (const std::string &warning : report.warnings)
    json["warnings"].push_back(warning);
  if (report.bisection)
    json["bisection"] = toJson(*report.bisection);
  if (report.score)
    json["score"] = describe(*report.score);
  if (report.task)
    json["task"] = describe(*report.task);
  if (report.certificateBytes)
    json["certificate_bytes"] = *report.certificateBytes;
  return json;
}

static std::string title(const ComparisonRow &row, bool isPassed) {
  std::string text = row.share ? "part " : isPassed ? "pass " : "FAIL ";
  text += rt::quoteName(row.name);
  if (!row.partOf.empty())
    text += " in " + rt::quoteName(row.partOf);
  if (row.referenceName != row.name)
    text += " (reference " + rt::quoteName(row.referenceName) + ")";
  return text;
}

static std::string rowText(const ComparisonRow &row) {
  const Metrics &m = row.metrics;
  std::string text = title(row, row.failures.empty());
  if (row.share)
    text += rt::format("  %.3g%% of it", 100 * *row.share);
  if (m.problem.empty() && m.elements == 0)
    text += "  no elements";
  else if (m.problem.empty()) {
    if (m.unequal)
      text += rt::format("  %lld of %lld unequal",
                         static_cast<long long>(*m.unequal),
                         static_cast<long long>(m.elements));
    // Of one number the cosine is its sign.
    text += m.elements == 1 ? "  cosine n/a"
                            : rt::format("  cosine %.9f", m.cosine);
    text += rt::format("  sqnr %.2f dB  max error %.6g  mean error %.6g",
                       m.sqnrDb, m.maxError, m.meanError);
    if (row.added)
      text += rt::format("  added sqnr %.2f dB", row.added->sqnrDb);
    if (row.exact && row.exact->unequal == 0)
      text += "  exact";
  } else if (row.added && row.added->problem.empty()) {
    text += "  what is not finite comes of its inputs";
  }
  return text +
         (row.failures.empty() ? "\n" : ": " + joined(row.failures) + "\n");
}

static std::string rowText(const SetRow &row,
                           const std::vector<SampleComparison> &samples) {
  std::string text = title(*row.first, row.failed == 0);
  if (!row.cosines.empty()) {
    Spread cosine = spreadOf(row.cosines, row.samples),
           sqnr = spreadOf(row.sqnrs, row.samples);
    text += row.hasOneElement
                ? "  cosine n/a"
                : rt::format("  cosine mean %.6f, 5%% %.6f, worst %.6f",
                             cosine.mean, cosine.percentile5, cosine.worst);
    text += rt::format("  sqnr mean %.2f, 5%% %.2f, worst %.2f dB (", sqnr.mean,
                       sqnr.percentile5, sqnr.worst) +
            samples[sqnr.worstSample].sample + ")";
  }
  if (!row.added.empty()) {
    Spread added = spreadOf(row.added, row.addedSamples);
    text += rt::format("  added sqnr mean %.2f, worst %.2f dB (", added.mean,
                       added.worst) +
            samples[added.worstSample].sample + ")";
  }
  if (row.failed)
    text += rt::format(": %zu of %zu samples miss the limits", row.failed,
                       row.count);
  return text + "\n";
}

static std::string sampleText(const ComparisonReport &report) {
  const SampleComparison &sample = report.samples.front();
  std::string text =
      report.hasLayers && sample.layers.empty() ? "no layers\n" : "";
  for (const ComparisonRow &row : sample.layers)
    text += "layer  " + rowText(row);
  for (const ComparisonRow &row : sample.outputs)
    text += "output " + rowText(row);
  for (const std::string &warning : sample.warnings)
    text += "warning: " + warning + "\n";
  for (const std::string &failure : sample.failures)
    text += "FAIL " + failure + "\n";
  if (const ComparisonRow *bad = sample.firstFailedLayer())
    text += "first layer below the limits: " + rt::quoteName(bad->name) + "\n";
  return text;
}

static std::string setText(const ComparisonReport &report) {
  std::string text;
  for (const SetRow &row : rowsOfSet(report.samples, &SampleComparison::layers))
    text += "layer  " + rowText(row, report.samples);
  for (const SetRow &row :
       rowsOfSet(report.samples, &SampleComparison::outputs))
    text += "output " + rowText(row, report.samples);
  size_t failed = 0;
  for (const SampleComparison &sample : report.samples) {
    for (const std::string &warning : sample.warnings)
      text += "warning: " + sample.sample + ": " + warning + "\n";
    if (report.passes(sample))
      continue;
    ++failed;
    std::vector<std::string> reasons = sample.failures;
    for (const ComparisonRow &row : sample.outputs)
      if (!row.failures.empty())
        reasons.push_back(rt::quoteName(row.name) + ": " +
                          joined(row.failures));
    if (const ComparisonRow *bad = sample.firstFailedLayer())
      reasons.push_back(
          "first layer below the limits: " + rt::quoteName(bad->name) + ", " +
          joined(bad->failures));
    text += "FAIL " + sample.sample + ": " + joined(reasons) + "\n";
  }
  return text +
         rt::format("%zu samples, %zu failed\n", report.samples.size(), failed);
}

static std::string scoreText(const ScoreFigures &score) {
  return rt::format("%s  program %.8g  reference %.8g  difference %.8g\n",
                    score.name, score.program, score.reference,
                    score.program - score.reference);
}

static std::string taskText(const TaskFigures &task) {
  std::string text =
      "answers  " + task.task + " of " + rt::quoteName(task.output) +
      rt::format(": agreement mean %.6f, worst %.6f", task.mean, task.worst);
  if (!task.worstSample.empty())
    text += " (" + task.worstSample + ")";
  if (task.withoutAnswer)
    text += rt::format(", %zu of %zu samples without an answer on either side",
                       task.withoutAnswer, task.samples);
  if (task.neighbours)
    text += rt::format(", same nearest neighbours %.6f", *task.neighbours);
  return text + "\n" + (task.accuracy ? scoreText(*task.accuracy) : "");
}

std::string cli::toText(const ReferenceOrigin &reference) {
  return isOnnxRuntime(reference)
             ? reference.file + " (ONNX Runtime " + reference.version + ")"
             : reference.file;
}

std::string cli::toText(const ComparisonReport &report) {
  std::string text = report.isSampleSet ? setText(report) : sampleText(report);
  if (isOnnxRuntime(report.reference))
    text += "reference: " + toText(report.reference) + "\n";
  if (report.bisection)
    text += toText(*report.bisection);
  if (report.score)
    text += scoreText(*report.score);
  if (report.task)
    text += taskText(*report.task);
  for (const std::string &warning : report.warnings)
    text += "warning: " + warning + "\n";
  for (const std::string &failure : report.failures)
    text += "FAIL " + failure + "\n";
  text += report.isPassed() ? "comparison passed\n" : "comparison failed\n";
  if (report.certificateBytes)
    text +=
        *report.certificateBytes == 0
            ? "not certified\n"
            : rt::format("certified, %zu bytes\n", *report.certificateBytes);
  return text;
}

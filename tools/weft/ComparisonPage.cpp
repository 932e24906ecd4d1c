#include "tools/weft/ComparisonPage.h"

#include "runtime/bmodel/Container.h"
#include "runtime/profile/Profile.h"
#include "tools/weft/FewDigits.h"
#include "tools/weft/GraphLayout.h"
#include "tools/weft/InputPicture.h"
#include "tools/weft/PageTemplate.h"
#include "tools/weft/ProfilePage.h"
#include "tools/weft/StageFlags.h"
#include "tools/weft/Version.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace weft;
using namespace weft::cli;
using comparison::GraphNode;
using comparison::Histogram;
using comparison::Limit;
using comparison::Metrics;
using Json = nlohmann::ordered_json;

/// Less is worse; for choosing the sample to show. A failure is worse than any
/// noise, and what cannot be compared worse than a failure.
static double qualityOf(const ComparisonRow &row) {
  constexpr double kMostDecibels = 1000;
  if (!row.metrics.problem.empty())
    return -4 * kMostDecibels;
  const Metrics &judged = row.added ? *row.added : row.metrics;
  double decibels = std::clamp(judged.sqnrDb, -kMostDecibels, kMostDecibels);
  return row.failures.empty() ? decibels : decibels - 2 * kMostDecibels;
}

/// The row `name`, which is there.
static ComparisonRow &rowNamed(std::vector<ComparisonRow> &rows,
                               const std::string &name) {
  return *std::find_if(rows.begin(), rows.end(), [&](const ComparisonRow &row) {
    return row.name == name;
  });
}

void ComparisonPage::add(ComparisonReport &report, const ModelRun &run) {
  size_t last = report.samples.size() - 1;
  if (last == 0) {
    net = run.net;
    stage = run.stage;
  }
  for (ComparisonRow &row : report.samples[last].layers) {
    auto [worst, isNew] = worstSamples.emplace(row.name, last);
    if (isNew)
      continue;
    ComparisonRow &before =
        rowNamed(report.samples[worst->second].layers, row.name);
    bool isWorse = qualityOf(row) < qualityOf(before);
    (isWorse ? before : row).numbers.reset();
    if (isWorse)
      worst->second = last;
  }
  addPicture(report, run);
}

void ComparisonPage::addPicture(const ComparisonReport &report,
                                const ModelRun &run) {
  // A picture of noise takes 85 KB at 128 pixels, so 24 take 2 MB.
  constexpr size_t kMostPictures = 24;
  constexpr int64_t kSide = 256, kSideOfMany = 128;
  if (pictures.size() >= kMostPictures) {
    if (report.samples.back().isPassed())
      return;
    // Those that fail are what somebody looks for.
    auto passed =
        std::find_if(pictures.rbegin(), pictures.rend(), [&](const Picture &p) {
          return report.samples[p.sample].isPassed();
        });
    if (passed == pictures.rend())
      return;
    pictures.erase(std::next(passed).base());
  }
  Json inputs = Json::array();
  for (size_t i = 0; i < run.inputs.size(); ++i)
    inputs.push_back(describeInput(run.inputSpecs[i].name, run.inputs[i],
                                   report.isSampleSet ? kSideOfMany : kSide));
  pictures.push_back({report.samples.size() - 1, std::move(inputs)});
}

void ComparisonPage::setGraph(std::vector<GraphNode> nodes) {
  if (graph.empty())
    graph = std::move(nodes);
}

static Json toContent(const comparison::Slice &slice) {
  Json cells = {slice.axis, slice.index, fewDigits(slice.sqnrDb)};
  if (slice.line) {
    cells.push_back(fewDigits(slice.line->gain));
    cells.push_back(fewDigits(slice.line->bias / slice.deviation));
  }
  return cells;
}

/// The worst by any figure, each once.
static Json worstSlices(const Metrics &metrics) {
  std::set<std::pair<int64_t, int64_t>> seen;
  Json rows = Json::array();
  for (const auto *list :
       {&metrics.worstSlices, &metrics.worstGains, &metrics.worstBiases})
    for (const comparison::Slice &slice : *list)
      if (seen.emplace(slice.axis, slice.index).second)
        rows.push_back(toContent(slice));
  return rows;
}

static Json toContent(const Metrics &m) {
  if (!m.problem.empty())
    return {{"problem", m.problem}};
  Json json = {{"sqnr", fewDigits(m.sqnrDb)},
               {"cosine", std::round(m.cosine * 1e9) / 1e9},
               {"max_error", fewDigits(m.maxError)},
               {"max_error_at", m.maxErrorAt},
               {"mean_error", fewDigits(m.meanError)},
               {"norm_ratio", fewDigits(m.normRatio)},
               {"slices", worstSlices(m)}};
  if (m.line) {
    json["gain"] = fewDigits(m.line->gain);
    json["bias"] = fewDigits(m.line->bias / m.deviation);
  }
  if (!m.deadIndices.empty()) {
    constexpr size_t kMostNamed = 64;
    json["dead_axis"] = m.deadAxis;
    json["dead"] = m.deadIndices.size();
    json["dead_share"] = fewDigits(m.deadSlices);
    json["dead_indices"] = std::vector<int64_t>(
        m.deadIndices.begin(),
        m.deadIndices.begin() +
            ptrdiff_t(std::min(m.deadIndices.size(), kMostNamed)));
  }
  if (m.unequal)
    json["unequal"] = *m.unequal;
  if (m.setAside)
    json["set_aside"] = m.setAside;
  return json;
}

static Json rangeOf(const Histogram &histogram) {
  return {fewDigits(histogram.least), fewDigits(histogram.most)};
}

static void toContent(const LayerNumbers &numbers, Json &json) {
  const comparison::Statistics &s = numbers.statistics;
  json["shape"] = numbers.shape;
  json["type"] = numbers.storedType;
  json["range"] = rangeOf(s.result);
  json["result"] = s.result.counts;
  json["reference"] = s.reference.counts;
  json["error_range"] = rangeOf(s.error);
  json["error"] = s.error.counts;
  if (s.addedError)
    json["added_error"] = s.addedError->counts;
  if (s.saturation)
    json["codes"] = {{"step", fewDigits(numbers.codes.step)},
                     {"least", fewDigits(numbers.codes.least)},
                     {"most", fewDigits(numbers.codes.most)},
                     {"at_least", fewDigits(s.saturation->atLeast)},
                     {"at_most", fewDigits(s.saturation->atMost)},
                     {"cut_at_least", fewDigits(s.saturation->cutAtLeast)},
                     {"cut_at_most", fewDigits(s.saturation->cutAtMost)}};
}

namespace {
/// A value over all samples.
struct PageRow {
  const ComparisonRow *worst;
  size_t worstSample = 0, count = 0, failed = 0;
  double decibels = 0; ///< summed
};
} // namespace

/// By name and output that it is a part of, in the order of the first sample.
static std::vector<PageRow>
rowsOver(const std::vector<SampleComparison> &samples,
         std::vector<ComparisonRow> SampleComparison::*list) {
  constexpr double kMostDecibels = 200;
  std::vector<PageRow> rows;
  std::map<std::pair<std::string, std::string>, size_t> places;
  for (size_t s = 0; s < samples.size(); ++s)
    for (const ComparisonRow &row : samples[s].*list) {
      auto [place, isNew] =
          places.emplace(std::pair(row.name, row.partOf), rows.size());
      if (isNew)
        rows.push_back({&row, s});
      PageRow &all = rows[place->second];
      if (qualityOf(row) < qualityOf(*all.worst)) {
        all.worst = &row;
        all.worstSample = s;
      }
      ++all.count;
      all.failed += !row.failures.empty();
      const Metrics &judged = row.added ? *row.added : row.metrics;
      all.decibels += std::clamp(judged.sqnrDb, -kMostDecibels, kMostDecibels);
    }
  return rows;
}

static Json toContent(const PageRow &row) {
  const ComparisonRow &worst = *row.worst;
  Json json = {{"name", worst.name},
               {"failures", worst.failures},
               {"whole", toContent(worst.metrics)}};
  if (worst.referenceName != worst.name)
    json["reference_name"] = worst.referenceName;
  if (!worst.partOf.empty())
    json["part_of"] = worst.partOf;
  if (worst.added)
    json["added"] = toContent(*worst.added);
  if (worst.numbers)
    toContent(*worst.numbers, json);
  if (row.count > 1) {
    json["sample"] = row.worstSample;
    json["samples"] = row.count;
    json["failed_samples"] = row.failed;
    json["mean_sqnr"] = fewDigits(row.decibels / double(row.count));
  }
  return json;
}

namespace {
/// What the program says of its layers and commands.
struct ProgramFacts {
  Json profile; ///< null: no commands of the chip
  /// ONNX nodes that a value was computed by, and rows of the profile by node.
  std::map<std::string, std::set<std::string>> nodesOfValue;
  std::map<std::string, std::set<size_t>> rowsOfNode;

  Json rowsOf(const std::set<std::string> &nodes) const {
    std::set<size_t> rows;
    for (const std::string &node : nodes)
      if (auto found = rowsOfNode.find(node); found != rowsOfNode.end())
        rows.insert(found->second.begin(), found->second.end());
    return rows;
  }
};
} // namespace

static void readDebugMap(const rt::wire::DebugMap &map, ProgramFacts &facts) {
  for (unsigned i = 0; map.tensors() && i < map.tensors()->size(); ++i) {
    const rt::wire::DebugTensor &tensor = *map.tensors()->Get(i);
    if (!map.sources() || tensor.source() >= map.sources()->size())
      continue;
    const auto *nodes = map.sources()->Get(tensor.source())->nodes();
    for (unsigned k = 0; nodes && k < nodes->size(); ++k)
      facts.nodesOfValue[tensor.value_name()->str()].insert(
          map.nodes()->Get(nodes->Get(k))->name()->str());
  }
}

static rt::Result<ProgramFacts> factsOf(const std::string &path,
                                        const std::string &net, size_t stage) {
  ProgramFacts facts;
  if (!rt::isBmodelFile(path))
    return facts;
  rt::Result<NamedStage> subject =
      loadStage(path, {net, int(stage)}, "weft compare --html");
  if (!subject)
    return subject.status();
  rt::Result<profile::Profile> profile =
      profile::profileStage(subject->model, subject->stage());
  if (!profile)
    return profile.status().withContext(path);
  if (subject->stage().debugMap)
    readDebugMap(*subject->stage().debugMap, facts);
  for (size_t i = 0; i < profile->nodes.size(); ++i)
    for (const rt::wire::DebugNode *node : profile->nodes[i].nodes)
      facts.rowsOfNode[node->name()->str()].insert(i);
  facts.profile = profileContent(*subject, *profile);
  return facts;
}

/// The layers one behind the other.
static std::vector<GraphNode> chainOf(const std::vector<PageRow> &layers,
                                      const ProgramFacts &facts) {
  std::vector<GraphNode> nodes;
  for (const PageRow &layer : layers) {
    GraphNode node{{layer.worst->name}, "", "", {}, {}};
    auto found = facts.nodesOfValue.find(layer.worst->name);
    if (found != facts.nodesOfValue.end())
      node.node = *found->second.begin();
    if (!nodes.empty())
      node.inputs = {uint32_t(nodes.size() - 1)};
    nodes.push_back(std::move(node));
  }
  return nodes;
}

namespace {
/// Which layers a node of the graph computes, or is judged with.
struct JudgedBy {
  std::vector<size_t> own; ///< layers that are its results
  /// Else the one that it was fused into, or that alone reads it: what a layer
  /// adds is the error of all operations since the layers before it.
  std::optional<size_t> inside;

  std::optional<size_t> any() const {
    return own.empty() ? inside : std::optional(own.front());
  }
};
} // namespace

static std::vector<JudgedBy> judgesOf(const std::vector<GraphNode> &nodes,
                                      const std::vector<PageRow> &layers,
                                      const ProgramFacts &facts) {
  std::map<std::string, size_t> byValue, byNode;
  for (size_t i = 0; i < layers.size(); ++i) {
    const std::string &name = layers[i].worst->name;
    byValue.emplace(name, i);
    auto found = facts.nodesOfValue.find(name);
    if (found == facts.nodesOfValue.end())
      continue;
    for (const std::string &node : found->second)
      byNode.emplace(node, i);
  }
  std::vector<JudgedBy> judges(nodes.size());
  // Layers of the readers; readers stand behind what they read.
  std::vector<std::set<std::optional<size_t>>> ofReaders(nodes.size());
  for (size_t i = nodes.size(); i-- > 0;) {
    for (const std::string &value : nodes[i].values)
      if (auto found = byValue.find(value); found != byValue.end())
        judges[i].own.push_back(found->second);
    auto fused = byNode.find(nodes[i].node);
    if (!nodes[i].node.empty() && fused != byNode.end())
      judges[i].inside = fused->second;
    else if (!nodes[i].node.empty() && ofReaders[i].size() == 1)
      judges[i].inside = *ofReaders[i].begin();
    for (uint32_t input : nodes[i].inputs)
      ofReaders[input].insert(judges[i].any());
  }
  return judges;
}

static double twoPlaces(double place) { return std::round(place * 100) / 100; }

static Json describeGraph(const std::vector<GraphNode> &nodes, bool hasEdges,
                          const std::vector<PageRow> &layers,
                          const ProgramFacts &facts) {
  GraphLayout layout = layOut(nodes);
  std::vector<JudgedBy> judges = judgesOf(nodes, layers, facts);
  Json list = Json::array(), edges = Json::array(), widths = Json::array();
  for (size_t i = 0; i < nodes.size(); ++i) {
    const GraphNode &node = nodes[i];
    Json json = {{"value", node.values.empty() ? "" : node.values.front()},
                 {"node", node.node},
                 {"op", node.opType},
                 {"shape", node.shape},
                 {"rank", layout.rank[i]},
                 {"x", twoPlaces(layout.x[i])}};
    if (!judges[i].own.empty())
      json["layers"] = judges[i].own;
    else if (judges[i].inside)
      json["inside"] = *judges[i].inside;
    json["rows"] = facts.rowsOf({node.node});
    list.push_back(std::move(json));
  }
  for (const GraphLayout::Edge &edge : layout.edges) {
    Json cells = {edge.from, edge.to};
    for (double bend : edge.bends)
      cells.push_back(twoPlaces(bend));
    if (hasEdges)
      edges.push_back(std::move(cells));
  }
  for (double width : layout.bandWidths)
    widths.push_back(twoPlaces(width));
  return {{"nodes", std::move(list)},
          {"edges", std::move(edges)},
          {"has_edges", hasEdges},
          {"ranks_of_band", layout.ranksOfBand},
          {"band_widths", std::move(widths)}};
}

static Json toContent(const SampleComparison &sample) {
  Json json = {{"name", sample.sample},
               {"passed", sample.isPassed()},
               {"failures", sample.failures},
               {"warnings", sample.warnings}};
  if (const ComparisonRow *bad = sample.firstFailedLayer())
    json["first_failed_layer"] = bad->name;
  return json;
}

rt::Result<std::string> ComparisonPage::html(const ComparisonReport &report,
                                             const ComparedFiles &files) const {
  rt::Result<ProgramFacts> facts = factsOf(files.model, net, stage);
  if (!facts)
    return facts.status();
  std::vector<PageRow> outputs =
                           rowsOver(report.samples, &SampleComparison::outputs),
                       layers =
                           rowsOver(report.samples, &SampleComparison::layers);
  Json outputRows = Json::array(), layerRows = Json::array(),
       samples = Json::array();
  for (const PageRow &row : outputs)
    outputRows.push_back(toContent(row));
  for (const PageRow &row : layers) {
    Json json = toContent(row);
    auto nodes = facts->nodesOfValue.find(row.worst->name);
    if (nodes != facts->nodesOfValue.end()) {
      json["nodes"] = nodes->second;
      json["rows"] = facts->rowsOf(nodes->second);
    }
    layerRows.push_back(std::move(json));
  }
  for (const SampleComparison &sample : report.samples)
    samples.push_back(toContent(sample));
  for (const Picture &picture : pictures)
    samples[picture.sample]["inputs"] = picture.inputs;
  Json graphJson = describeGraph(hasGraph() ? graph : chainOf(layers, *facts),
                                 hasGraph(), layers, *facts);
  std::set<std::string_view> without;
  if (facts->profile.is_null())
    without = {"timeline.html", "commands.js", "timeline.js", "tables.js"};
  return fillPage("comparison.html",
                  {{"producer", "weft " WEFT_VERSION},
                   {"comparison",
                    {{"model", files.model},
                     {"reference", files.reference},
                     {"passed", report.isPassed()},
                     {"failures", report.failures},
                     {"warnings", report.warnings},
                     {"precision", comparison::precisionName(report.precision)},
                     {"is_set", report.isSampleSet},
                     {"limit", report.limits.output[Limit::Sqnr]},
                     {"layer_limit", report.limits.layer[Limit::Sqnr]},
                     {"samples", std::move(samples)},
                     {"outputs", std::move(outputRows)},
                     {"layers", std::move(layerRows)},
                     {"graph", std::move(graphJson)}}},
                   {"profile", std::move(facts->profile)}},
                  without);
}

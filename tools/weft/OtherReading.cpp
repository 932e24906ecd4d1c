#include "tools/weft/OtherReading.h"
#include "runtime/status/Quote.h"

using namespace weft;
using namespace weft::cli;
using comparison::Precision;
using numeric::ElementType;
using numeric::HostTensor;
using rt::Result;

static Precision precisionOf(const HostTensor &one, const HostTensor &other) {
  auto has = [&](ElementType type) {
    return one.type() == type || other.type() == type;
  };
  return has(ElementType::BF16)  ? Precision::Bf16
         : has(ElementType::F16) ? Precision::F16
                                 : Precision::F32;
}

/// Of the whole: functions of few right digits near zero (ONNX Runtime's
/// sigmoid) show in single slices, another reading of a model in all figures.
static comparison::Limits limitsOf(Precision precision) {
  using comparison::Limit;
  constexpr double kAny = 1e300;
  GivenLimits given;
  given.output = {{Limit::SliceSqnr, -kAny}, {Limit::SliceGain, kAny},
                  {Limit::SliceBias, kAny},  {Limit::DeadSlices, 1},
                  {Limit::LogSqnr, -kAny},   {Limit::Spike, kAny}};
  return ComparisonLimits(precision, given).output;
}

namespace {
/// Values of one sample by both.
struct Readings {
  OnnxReference &evaluator;
  const NamedTensors &inputs, &ours, &theirs;
  std::optional<comparison::RoundingNoise> noise; ///< once asked for
  std::optional<comparison::RangeEnds> ends;      ///< likewise

  /// How `name` differs; "" if it does not, or one has it not.
  std::string difference(const std::string &name);
  bool isZero(const std::string &name, double most);
  /// Whether `metrics` differ by what implementations of a function do.
  bool isNothing(const std::string &name, const comparison::Metrics &metrics);
};
} // namespace

bool Readings::isZero(const std::string &name, double most) {
  if (!noise) {
    Result<comparison::RoundingNoise> measured =
        evaluator.roundingNoise(inputs);
    noise = measured ? *std::move(measured) : comparison::RoundingNoise();
  }
  auto found = noise->find(name);
  return found != noise->end() &&
         comparison::isRoundedZero(most, found->second);
}

bool Readings::isNothing(const std::string &name,
                         const comparison::Metrics &metrics) {
  if (!ends) {
    Result<comparison::RangeEnds> found = evaluator.rangeEnds(inputs);
    ends = found ? *std::move(found) : comparison::RangeEnds();
  }
  auto end = ends->find(name);
  return end != ends->end() &&
         metrics.maxError <= comparison::referenceFloor(end->second);
}

std::string Readings::difference(const std::string &name) {
  auto own = ours.find(name), other = theirs.find(name);
  if (own == ours.end() || other == theirs.end())
    return "";
  Precision precision = precisionOf(own->second, other->second);
  comparison::Metrics metrics = comparison::measure(
      own->second, other->second, {precision, 0, /*anyType=*/true});
  std::vector<std::string> failures =
      comparison::failures(metrics, limitsOf(precision));
  if (failures.empty() ||
      (metrics.problem.empty() &&
       (isNothing(name, metrics) || isZero(name, metrics.most))))
    return "";
  return failures.front();
}

void cli::addOtherReading(OnnxReference &evaluator, const NamedTensors &inputs,
                          const NamedTensors &theirs, SampleComparison &found) {
  Result<ReferenceValues> ours =
      evaluator.evaluate(inputs, /*withLayers=*/true);
  Result<std::vector<comparison::GraphNode>> nodes = evaluator.outline(inputs);
  if (!ours || !nodes)
    return; // a graph that only ONNX Runtime evaluates
  Readings readings{evaluator, inputs,       ours->layers,
                    theirs,    std::nullopt, std::nullopt};
  for (const comparison::GraphNode &node : *nodes)
    for (const std::string &name : node.values) {
      std::string difference = readings.difference(name);
      if (difference.empty())
        continue;
      found.otherReading = {name, node.node, node.opType,
                            "Weft's float evaluator gives other numbers for " +
                                rt::quoteName(name) +
                                " than ONNX Runtime: " + difference};
      found.warnings.push_back(found.otherReading->text);
      return;
    }
}

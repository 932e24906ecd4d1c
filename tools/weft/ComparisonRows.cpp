#include "tools/weft/ComparisonRows.h"
#include "runtime/host/Texts.h"
#include "runtime/numeric/TensorValues.h"
#include "runtime/status/Format.h"
#include "runtime/status/Quote.h"
#include "tools/weft/VendorNames.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

using namespace weft;
using namespace weft::cli;
using comparison::Kind;
using comparison::Limits;
using numeric::ElementType;
using numeric::HostTensor;

ComparisonLimits::ComparisonLimits(comparison::Precision precision,
                                   const GivenLimits &given)
    : output(comparison::Subject::Output, precision),
      layer(comparison::Subject::Layer, precision) {
  for (const auto &[limit, value] : given.output)
    output[limit] = value;
  for (const auto &[limit, value] : given.layer)
    layer[limit] = value;
}

bool SampleComparison::comparesElements() const {
  auto hasElements = [](const ComparisonRow &row) {
    return row.metrics.elements > 0;
  };
  return std::any_of(outputs.begin(), outputs.end(), hasElements) ||
         std::any_of(layers.begin(), layers.end(), hasElements);
}

bool SampleComparison::isPassed() const {
  auto passes = [](const ComparisonRow &row) { return row.failures.empty(); };
  return failures.empty() &&
         std::all_of(outputs.begin(), outputs.end(), passes) &&
         std::all_of(layers.begin(), layers.end(),
                     [&](const ComparisonRow &row) {
                       return !row.decides() || passes(row);
                     });
}

const ComparisonRow *SampleComparison::firstFailedLayer() const {
  const ComparisonRow *first = nullptr;
  for (const ComparisonRow &row : layers) {
    if (row.failures.empty())
      continue;
    if (row.decides() || row.hasOverflow)
      return &row;
    first = first ? first : &row;
  }
  return first;
}

/// A quantized output as the reals it stands for, and one of f16 (which
/// --quantized-io keeps) where the reference has f32; others unchanged.
static HostTensor toReals(const rt::TensorSpec &spec, const HostTensor &stored,
                          ElementType reference) {
  bool isNarrow =
      stored.type() == ElementType::F16 && reference == ElementType::F32;
  if (!spec.isQuantized() && !isNarrow)
    return stored;
  HostTensor reals(ElementType::F32, stored.shape());
  for (int64_t i = 0; i < stored.elements(); ++i)
    reals.as<float>()[i] = static_cast<float>(
        (stored.toDouble(i) - spec.zeroPoint) * double(spec.scale));
  return reals;
}

std::vector<OutputPair> cli::pairOutputs(const ModelRun &run,
                                         const NamedTensors &reference) {
  std::vector<OutputPair> pairs;
  for (size_t i = 0; i < run.outputSpecs.size(); ++i) {
    const rt::TensorSpec &spec = run.outputSpecs[i];
    auto found =
        reference.find(referenceName(spec.name, spec.hasOnnxView, reference));
    if (found != reference.end())
      pairs.push_back({found->first,
                       toReals(spec, run.outputs[i], found->second.type()),
                       &found->second});
  }
  return pairs;
}

/// Rounding errors where a zero should be have no digit to compare: what the
/// program has there need only be as small as its own would be.
static void judgeZero(const ComparedReference &reference,
                      comparison::Precision precision, ComparisonRow &row) {
  const comparison::Metrics &whole = row.metrics;
  if (row.failures.empty() || !reference.roundingNoise ||
      !whole.problem.empty() || whole.unequal)
    return;
  const comparison::RoundingNoise &noise = reference.roundingNoise();
  auto found = noise.find(row.referenceName);
  if (found == noise.end() ||
      !comparison::isRoundedZero(whole.most, found->second))
    return;
  row.zeroFloor = comparison::zeroFloor(precision, found->second);
  row.failures.clear();
  double error = row.added ? row.added->maxError : whole.maxError;
  if (error > *row.zeroFloor)
    row.failures.push_back(rt::format(
        "the reference is zero but for rounding errors; error of "
        "element %lld is %.6g, must be at most %.6g",
        static_cast<long long>((row.added ? *row.added : whole).maxErrorAt),
        error, *row.zeroFloor));
}

/// What a sigmoid gives is good to digits of 1, of which a probability of 1e-7
/// has none.
static void judgeRange(const ComparedReference &reference,
                       comparison::Precision precision, ComparisonRow &row) {
  const comparison::Metrics &whole = row.metrics;
  if (row.failures.empty() || !reference.rangeEnds || !whole.problem.empty() ||
      whole.unequal)
    return;
  const comparison::RangeEnds &ends = reference.rangeEnds();
  auto end = ends.find(row.referenceName);
  if (end == ends.end())
    return;
  double error = (row.added ? *row.added : whole).maxError,
         floor = comparison::referenceFloor(end->second);
  if (double ofProgram = comparison::rangeFloor(precision, end->second);
      whole.most <= ofProgram)
    floor = std::max(floor, ofProgram);
  if (!(error <= floor))
    return;
  row.rangeFloor = floor;
  row.failures.clear();
}

/// Judges figures that miss their limits by the size of the reference.
static void judgeSmall(const ComparedReference &reference,
                       comparison::Precision precision, ComparisonRow &row) {
  judgeRange(reference, precision, row);
  judgeZero(reference, precision, row);
}

/// These elements of `tensor`.
static HostTensor picked(const HostTensor &tensor,
                         const std::vector<int64_t> &elements) {
  HostTensor result(tensor.type(), {int64_t(elements.size())});
  size_t size = numeric::elementBytes(tensor.type());
  for (size_t i = 0; i < elements.size(); ++i)
    std::memcpy(result.bytes() + i * size,
                tensor.bytes() + size_t(elements[i]) * size, size);
  return result;
}

/// A row for each part of the output of `whole`.
static void compareParts(const ComparisonRow &whole, const HostTensor &result,
                         const HostTensor &reference, const Kind &kind,
                         const std::vector<comparison::OutputPart> &parts,
                         const ComparedReference &given, const Limits &limits,
                         std::vector<ComparisonRow> &rows) {
  if (!whole.metrics.problem.empty() || whole.metrics.elements == 0)
    return;
  for (const comparison::OutputPart &part : parts) {
    if (part.elements.back() >= reference.elements())
      continue; // of a graph with other shapes
    ComparisonRow row{part.name, part.name, whole.name};
    row.metrics = comparison::measure(picked(result, part.elements),
                                      picked(reference, part.elements), kind);
    row.failures = comparison::failures(row.metrics, limits);
    judgeSmall(given, kind.precision, row);
    rows.push_back(std::move(row));
  }
}

/// Gives the strings of both tensors, if they are such, equally many bytes:
/// those of the reference may be the shorter ones.
static void fitTexts(HostTensor &result, HostTensor &reference) {
  if (reference.type() != result.type() || reference.shape().empty())
    return;
  int64_t width = std::max(result.shape().back(), reference.shape().back());
  (void)host::fitTexts(result, width);
  (void)host::fitTexts(reference, width);
}

static std::vector<ComparisonRow>
compareOutputs(const ModelRun &run, const ComparedReference &reference,
               const Limits &limits) {
  const NamedTensors &outputs = reference.values.outputs;
  std::vector<ComparisonRow> rows;
  for (size_t i = 0; i < run.outputSpecs.size(); ++i) {
    const rt::TensorSpec &spec = run.outputSpecs[i];
    ComparisonRow row{spec.name,
                      referenceName(spec.name, spec.hasOnnxView, outputs)};
    auto found = outputs.find(row.referenceName);
    if (found == outputs.end()) {
      row.metrics.problem = "the reference has no tensor of this name";
      row.failures = {row.metrics.problem};
      rows.push_back(std::move(row));
      continue;
    }
    HostTensor result = toReals(spec, run.outputs[i], found->second.type());
    HostTensor texts = spec.isText ? found->second : HostTensor();
    if (spec.isText)
      fitTexts(result, texts);
    const HostTensor &wanted = spec.isText ? texts : found->second;
    Kind kind{run.precision, spec.isQuantized() ? double(spec.scale) : 0,
              /*anyType=*/false};
    row.metrics = comparison::measure(result, wanted, kind);
    row.failures = comparison::failures(row.metrics, limits);
    judgeSmall(reference, kind.precision, row);
    rows.push_back(row);
    if (reference.parts)
      if (auto parts = reference.parts->find(spec.name);
          parts != reference.parts->end())
        compareParts(row, result, wanted, kind, parts->second, reference,
                     limits, rows);
  }
  if (!reference.isWholeModel)
    return rows;
  for (const auto &[name, tensor] : outputs) {
    bool isMatched = std::any_of(
        rows.begin(), rows.end(), [&name = name](const ComparisonRow &row) {
          return row.partOf.empty() && row.referenceName == name;
        });
    if (isMatched)
      continue;
    ComparisonRow row{name, name};
    row.metrics.problem = "the bmodel has no such output";
    row.failures = {row.metrics.problem};
    rows.push_back(std::move(row));
  }
  return rows;
}

/// `value` in the shape of the reference, of which the program may have another
/// view. One that has the axes in another order stays as it is, as one of
/// another size does, and the comparison says so.
static HostTensor shapedAs(const HostTensor &reference, HostTensor value) {
  if (isOtherView(value.shape(), reference.shape()))
    (void)value.reshape(reference.shape());
  return value;
}

/// `own` may be null.
static LayerNumbers numbersOf(const rt::CapturedValue &value,
                              const HostTensor &reference,
                              const HostTensor *own) {
  comparison::CodeRange codes{value.step, value.least, value.most};
  return {comparison::statisticsOf(value.tensor, reference, own, codes), codes,
          reference.shape(), numeric::elementTypeName(value.storedType)};
}

/// The elements of `tensor` that the program has, in their order.
static HostTensor coveredPart(const HostTensor &tensor,
                              const std::vector<bool> &covered) {
  HostTensor part(tensor.type(),
                  {std::count(covered.begin(), covered.end(), true)});
  const size_t bytes = numeric::elementBytes(tensor.type());
  uint8_t *to = part.bytes();
  for (size_t i = 0; i < covered.size(); ++i)
    if (covered[i]) {
      std::memcpy(to, tensor.bytes() + i * bytes, bytes);
      to += bytes;
    }
  return part;
}

/// What there is of `value` beside the same of `reference`.
static comparison::Metrics measureCovered(const rt::CapturedValue &value,
                                          const HostTensor &reference,
                                          Kind kind) {
  HostTensor shaped = shapedAs(reference, value.tensor);
  if (value.complete || shaped.shape() != reference.shape())
    return comparison::measure(shaped, reference, kind);
  return comparison::measure(coveredPart(shaped, value.covered),
                             coveredPart(reference, value.covered), kind);
}

/// The largest number of a type of floats that the program stores.
static double mostOf(ElementType type) {
  constexpr double kMostF16 = 65504, kMostBf16 = 0x1.FEp127,
                   kMostF32 = 0x1.FFFFFEp127;
  return type == ElementType::F16    ? kMostF16
         : type == ElementType::BF16 ? kMostBf16
                                     : kMostF32;
}

/// What a layer adds. Where its inputs have overflowed before, it is asked for
/// nothing: a NaN or an infinity that the model has not (`reference`) may come
/// out of it as a number or not.
static comparison::Metrics measureAdded(const rt::CapturedValue &value,
                                        const HostTensor &own,
                                        const HostTensor &reference,
                                        const Kind &kind) {
  HostTensor shaped = shapedAs(own, value.tensor);
  comparison::Metrics added = comparison::measure(shaped, own, kind);
  if (added.problem.empty() || shaped.shape() != own.shape() ||
      reference.elements() != own.elements())
    return added;
  std::vector<double> a = numeric::loadDoubles(shaped),
                      b = numeric::loadDoubles(own),
                      c = numeric::loadDoubles(reference);
  int64_t unasked = 0;
  for (size_t i = 0; i < b.size(); ++i)
    if (!std::isfinite(b[i]) && std::isfinite(c[i])) {
      a[i] = b[i] = 0;
      ++unasked;
    }
  if (unasked == 0)
    return added;
  HostTensor result(ElementType::F64, own.shape()), wanted = result;
  numeric::storeDoubles(a, result);
  numeric::storeDoubles(b, wanted);
  added = comparison::measure(result, wanted, kind);
  added.setAside += unasked;
  return added;
}

/// If numbers of a layer are infinite because the type that it is stored in
/// ends before what it should be: how far; else "".
static std::string overflowText(const rt::CapturedValue &value,
                                const HostTensor &own) {
  const double most = mostOf(value.storedType);
  std::vector<double> a = numeric::loadDoubles(value.tensor),
                      b = numeric::loadDoubles(own);
  double largest = 0;
  int64_t count = 0;
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    if (std::isfinite(a[i]) || !std::isfinite(b[i]))
      continue;
    if (std::fabs(b[i]) <= most)
      return "";
    largest = std::max(largest, std::fabs(b[i]));
    ++count;
  }
  return count == 0
             ? ""
             : rt::format("%lld of %lld elements are not finite: they should "
                          "be up to %.4g, and %s ends at %.5g",
                          static_cast<long long>(count),
                          static_cast<long long>(value.tensor.elements()),
                          largest, numeric::elementTypeName(value.storedType),
                          most);
}

/// A layer is judged by what it adds, where that is known: errors of the layers
/// before it are not its own. `own` may be null.
static void judgeLayer(const rt::CapturedValue &value,
                       const HostTensor &reference, const HostTensor *own,
                       const Kind &kind, const ComparisonLimits &limits,
                       ComparisonRow &row) {
  const comparison::Metrics &whole = row.metrics;
  row.failures = comparison::failures(whole, limits.output);
  bool isComparable = whole.problem.empty() || whole.nonFiniteResult != 0 ||
                      whole.nonFiniteReference != 0;
  // A part may be of few elements, for which no limit was made: it informs.
  if (!own || !isComparable || !value.complete)
    return;
  row.added = measureAdded(value, *own, reference, kind);
  row.failures = comparison::failures(*row.added, limits.layer);
  if (row.added->nonFiniteResult == 0)
    return;
  // Of another precision it would be right.
  if (std::string text = overflowText(value, *own); !text.empty()) {
    row.hasOverflow = true;
    row.added.reset();
    row.failures = {std::move(text)};
  }
}

static std::vector<ComparisonRow>
compareLayers(const ModelRun &run, const ComparedReference &reference,
              const ComparisonLimits &limits) {
  std::vector<ComparisonRow> rows;
  for (const rt::CapturedValue &value : run.layers) {
    const NamedTensors &layers = reference.values.layers;
    ComparisonRow row{
        value.name,
        reference.hasOnnxNames
            ? value.name
            : referenceName(value.name, /*isOnnxName=*/true, layers)};
    auto found = layers.find(row.referenceName);
    Kind kind{run.precision, value.step, /*anyType=*/true,
              mostOf(value.storedType)};
    row.isUnknown = found == layers.end() && reference.onOwnInputs &&
                    !reference.isOtherModel &&
                    !reference.onOwnInputs->count(value.name);
    if (!value.complete)
      row.share =
          double(std::count(value.covered.begin(), value.covered.end(), true)) /
          double(value.covered.size());
    const HostTensor *own = nullptr;
    if (reference.onOwnInputs)
      if (auto given = reference.onOwnInputs->find(value.name);
          given != reference.onOwnInputs->end())
        own = &given->second;
    if (found == layers.end()) {
      row.metrics.problem = "the reference has no value of this name";
      row.failures = {row.metrics.problem};
    } else {
      row.metrics = measureCovered(value, found->second, kind);
      judgeLayer(value, found->second, own, kind, limits, row);
    }
    judgeSmall(reference, kind.precision, row);
    if (reference.withNumbers && row.metrics.problem.empty() && value.complete)
      row.numbers = numbersOf(value, found->second, row.added ? own : nullptr);
    rows.push_back(std::move(row));
  }
  return rows;
}

/// By value: +0 and -0 are one number.
static bool isConstant(const HostTensor &tensor) {
  std::vector<double> values = numeric::loadDoubles(tensor);
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return value == values.front(); });
}

/// A network that is fed one number computes one number: constant factors,
/// channels and places of its weights are not seen.
static void checkInputs(const ModelRun &run, bool allowsConstantInputs,
                        SampleComparison &found) {
  size_t several = 0, constant = 0;
  std::string names;
  for (size_t i = 0; i < run.inputs.size(); ++i) {
    const HostTensor &input = run.inputs[i];
    const std::string name = rt::quoteName(run.inputSpecs[i].name);
    if (input.elements() < 2)
      continue;
    ++several;
    if (isConstant(input)) {
      ++constant;
      std::string text =
          "input " + name + " is " +
          (input.toDouble(0) == 0 ? "all zeros" : "the same number throughout");
      names += (names.empty() ? "" : ", ") + text;
      found.warnings.push_back(text);
    }
  }
  if (several > 0 && constant == several && !allowsConstantInputs)
    found.failures.push_back(names +
                             ": such a sample shows nothing of the network; "
                             "give a real one, or --constant-inputs if it is");
}

/// A layer whose numbers are beyond the codes that it has says that the sample
/// is of another kind than those of the calibration. Its readers have wrong
/// numbers already: the first one speaks.
static void checkRanges(const ModelRun &run, const NamedTensors &reference,
                        SampleComparison &found) {
  // Calibration clips a few on purpose.
  constexpr double kClipped = 0.05;
  for (const rt::CapturedValue &value : run.layers) {
    auto want = reference.find(value.name);
    if (value.step == 0 || want == reference.end())
      continue;
    int64_t outside = 0;
    for (double real : numeric::loadDoubles(want->second))
      outside += real < value.least - value.step / 2 ||
                 real > value.most + value.step / 2;
    double share =
        double(outside) / double(std::max<int64_t>(1, want->second.elements()));
    if (share <= kClipped)
      continue;
    char text[192];
    std::snprintf(text, sizeof text,
                  "%.0f%% of its numbers are outside of the calibrated range, "
                  "%g to %g; is the sample preprocessed as those of the "
                  "calibration were?",
                  share * 100, value.least, value.most);
    found.warnings.push_back("layer " + rt::quoteName(value.name) + ": " +
                             text);
    return;
  }
}

static void checkOutputs(SampleComparison &found) {
  for (const ComparisonRow &row : found.outputs) {
    if (!row.metrics.problem.empty())
      continue;
    const std::string output = "output " + rt::quoteName(row.name);
    if (row.metrics.elements == 0)
      found.warnings.push_back(output + ": neither side has an element, so "
                                        "that nothing is compared");
    if (row.rangeFloor)
      found.warnings.push_back(
          output +
          rt::format(": its errors are below %.2g, which is nothing beside the "
                     "range of the function that gives it, so that only their "
                     "size is compared",
                     *row.rangeFloor));
    if (row.zeroFloor)
      found.warnings.push_back(
          output + rt::format(": the reference is zero but for rounding errors "
                              "(%.3g at most), so that only its size is "
                              "compared",
                              row.metrics.most));
    else if (row.metrics.elements > 1 && row.metrics.range == 0)
      found.warnings.push_back(
          output + ": the reference has the same number throughout, so that "
                   "little is compared");
  }
}

/// Numbers that overflowed inside show at the outputs only by chance. What the
/// stored type cannot hold at all (-3.4e38 of masks in f16) is meant.
static void checkLayers(const ModelRun &run, const NamedTensors &reference,
                        SampleComparison &found) {
  for (const rt::CapturedValue &value : run.layers) {
    auto want = reference.find(value.name);
    if (want == reference.end() || !value.complete ||
        want->second.elements() != value.tensor.elements())
      continue;
    double most = mostOf(value.storedType);
    std::vector<double> a = numeric::loadDoubles(value.tensor),
                        b = numeric::loadDoubles(want->second);
    int64_t overflows = 0;
    for (size_t i = 0; i < a.size(); ++i)
      overflows += !std::isfinite(a[i]) && std::fabs(b[i]) <= most;
    if (overflows > 0)
      found.failures.push_back(
          "layer " + rt::quoteName(value.name) + ": " +
          std::to_string(overflows) +
          " elements are not finite where the reference's are");
  }
  bool isAnyCompared = std::any_of(
      found.layers.begin(), found.layers.end(),
      [](const ComparisonRow &row) { return row.metrics.problem.empty(); });
  if (!found.layers.empty() && !isAnyCompared && found.failures.empty())
    found.failures.push_back("none of the layers could be compared");
}

SampleComparison cli::compareSample(const ModelRun &run,
                                    const ComparedReference &reference,
                                    const ComparisonLimits &limits,
                                    bool allowsConstantInputs) {
  SampleComparison found;
  found.outputs = compareOutputs(run, reference, limits.output);
  found.layers = compareLayers(run, reference, limits);
  checkInputs(run, allowsConstantInputs, found);
  checkRanges(run, reference.values.layers, found);
  checkOutputs(found);
  checkLayers(run, reference.values.layers, found);
  return found;
}

/// Whether a layer before `row` has lost its numbers, so that a NaN of `row` is
/// none of the model.
static bool hasOverflowBefore(const SampleComparison &found,
                              const ComparisonRow &row) {
  for (const ComparisonRow &layer : found.layers) {
    if (&layer == &row)
      break;
    if (layer.metrics.nonFiniteResult > 0)
      return true;
  }
  return false;
}

void cli::addStored(const StoredRows &rows,
                    std::optional<StoredRow> ComparisonRow::*where,
                    SampleComparison &found) {
  const char *whose = where == &ComparisonRow::exact
                          ? "not the numbers of the conversion"
                          : "not those of the program that this version makes";
  bool hasWrongLayer = false;
  for (const StoredRow &stored : rows) {
    std::vector<ComparisonRow> &list =
        stored.isOutput ? found.outputs : found.layers;
    auto row = std::find_if(list.begin(), list.end(), [&](const auto &one) {
      return one.name == stored.name && one.partOf.empty();
    });
    if (row == list.end())
      continue;
    std::optional<StoredRow> &known = (*row).*where;
    known = stored;
    // What cancels out leaves roundings of large terms: floats that are near
    // enough to the model are not wrong for that.
    if (where == &ComparisonRow::exact && stored.roundings > 0 &&
        (row->failures.empty() || row->zeroFloor))
      known->isWrong = false;
    if (where == &ComparisonRow::exact && stored.isWrongByNanAlone &&
        hasOverflowBefore(found, *row))
      known->isWrong = false;
    // Beside another program the layers behind the first have its fault, too.
    bool isHanded = where == &ComparisonRow::fresh && hasWrongLayer;
    if (known->isWrong && (stored.isOutput || !isHanded))
      row->failures.push_back(storedText(stored, whose));
    hasWrongLayer |= known->isWrong && !stored.isOutput;
  }
}

NamedTensors cli::layersOf(const ModelRun &run) {
  NamedTensors layers;
  for (const rt::CapturedValue &value : run.layers)
    if (value.complete)
      layers[value.name] = value.tensor;
  return layers;
}

ReferenceValues cli::asReference(const ModelRun &run) {
  ReferenceValues values;
  for (size_t i = 0; i < run.outputs.size(); ++i)
    values.outputs[run.outputSpecs[i].name] =
        toReals(run.outputSpecs[i], run.outputs[i], ElementType::F32);
  values.layers = layersOf(run);
  return values;
}

bool cli::isOtherView(const std::vector<int64_t> &shape,
                      const std::vector<int64_t> &other) {
  auto withoutOnes = [](std::vector<int64_t> sizes) {
    sizes.erase(std::remove(sizes.begin(), sizes.end(), 1), sizes.end());
    return sizes;
  };
  auto sorted = [](std::vector<int64_t> sizes) {
    std::sort(sizes.begin(), sizes.end());
    return sizes;
  };
  std::vector<int64_t> a = withoutOnes(shape), b = withoutOnes(other);
  return numeric::elementCount(shape) == numeric::elementCount(other) &&
         (a == b || sorted(a) != sorted(b));
}

//===- ComparisonRows.h - a model beside its reference ----------*- C++ -*-===//

#ifndef WEFT_TOOLS_WEFT_COMPARISONROWS_H
#define WEFT_TOOLS_WEFT_COMPARISONROWS_H

#include "tools/comparison/Metrics.h"
#include "tools/comparison/Statistics.h"
#include "tools/weft/ModelRun.h"
#include "tools/weft/Reference.h"
#include "tools/weft/StoredRows.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace weft::cli {

/// How the numbers of a layer are spread.
struct LayerNumbers {
  comparison::Statistics statistics;
  comparison::CodeRange codes;
  std::vector<int64_t> shape;
  const char *storedType = ""; ///< as in messages
};

/// A value of the model compared on one sample.
struct ComparisonRow {
  std::string name;
  /// Name in the reference, if another.
  std::string referenceName;
  /// Of a part of an output: the name of the output.
  std::string partOf = "";
  comparison::Metrics metrics = {};
  /// Of a layer: against what the graph gives from the values that the program
  /// had before it. What this layer added.
  std::optional<comparison::Metrics> added = std::nullopt;
  /// Against the numbers of the conversion, where the program tells it.
  std::optional<StoredRow> exact = std::nullopt;
  /// Against the program that this version makes, where that has other bytes.
  std::optional<StoredRow> fresh = std::nullopt;
  /// Of a reference that is zero but for rounding errors: what its largest
  /// error may be, in place of the limits. Only asked where they are missed.
  std::optional<double> zeroFloor = std::nullopt;
  /// Of a value of a function of a known range, whose error is nothing beside
  /// the end of the range, though it misses limits by the size of the value:
  /// what the error may be. Only asked where they are missed.
  std::optional<double> rangeFloor = std::nullopt;
  /// Of a layer that the program has in part, and which therefore decides
  /// nothing: the part of its elements that the figures are of.
  std::optional<double> share = std::nullopt;
  std::vector<std::string> failures = {}; ///< empty: passed
  /// Of a layer, if asked for and its figures are there.
  std::optional<LayerNumbers> numbers = std::nullopt;

  /// Of a layer: elements beyond the largest number of the type that it is
  /// stored in, which a program of this precision cannot have.
  bool hasOverflow = false;
  /// Of a layer: the program's own model has no value of its name.
  bool isUnknown = false;

  /// Of a layer: whether the comparison fails with it. Others inform.
  bool decides() const {
    return added || isUnknown || (exact && exact->isWrong) ||
           (fresh && fresh->isWrong);
  }
};

/// The first value for which Weft's float evaluator gives other numbers than
/// ONNX Runtime: the model is read otherwise.
struct OtherReading {
  std::string value, node, opType;
  std::string text; ///< a sentence
};

/// A model compared on one sample.
struct SampleComparison {
  std::string sample; ///< its files
  std::vector<ComparisonRow> outputs, layers;
  /// What makes the comparison say less than it seems to.
  std::vector<std::string> warnings;
  /// Why it fails beside the outputs.
  std::vector<std::string> failures;
  /// Where ONNX Runtime is the reference, of all values.
  std::optional<OtherReading> otherReading = std::nullopt;

  /// Outputs decide, and layers of which it is known what they add or store;
  /// others inform. Infinities that the reference has not are a failure, and
  /// sharing none of the layers that the bmodel has is, too; a net that only
  /// moves values has none.
  bool isPassed() const;
  /// Whether there was anything to compare.
  bool comparesElements() const;
  /// In the order of computation, of the layers that decide or whose type does
  /// not hold their numbers; if all of them pass, of those that inform.
  const ComparisonRow *firstFailedLayer() const;
};

/// What a sample is compared with.
struct ComparedReference {
  const ReferenceValues &values;
  /// May be null: only the reference's values are known.
  const NamedTensors *onOwnInputs = nullptr;
  const comparison::OutputParts *parts = nullptr;
  /// Measures it once it is asked for; null where there is no graph.
  std::function<const comparison::RoundingNoise &()> roundingNoise = nullptr;
  /// The same of functions of a known range.
  std::function<const comparison::RangeEnds &()> rangeEnds = nullptr;
  /// An output that only the reference has is missing.
  bool isWholeModel = false;
  /// The program says that it was converted from another model; this one need
  /// not have all its values.
  bool isOtherModel = false;
  /// The names of the reference are ONNX's; else they may be the vendor's.
  bool hasOnnxNames = false;
  /// Gather ComparisonRow::numbers.
  bool withNumbers = false;
};

/// Limits in place of defaults.
struct GivenLimits {
  std::map<comparison::Limit, double> output, layer;
};

/// What outputs and layers must reach.
struct ComparisonLimits {
  /// The defaults of a precision, and what was given in place of them.
  explicit ComparisonLimits(
      comparison::Precision precision = comparison::Precision::F32,
      const GivenLimits &given = {});

  comparison::Limits output, layer;
};

/// An output of the program and what it is compared with.
struct OutputPair {
  std::string name;                     ///< of the reference
  numeric::HostTensor result;           ///< reals for codes
  const numeric::HostTensor *reference; ///< of what was given
};

/// The outputs that `reference`, which outlives them, has, too.
std::vector<OutputPair> pairOutputs(const ModelRun &run,
                                    const NamedTensors &reference);

SampleComparison compareSample(const ModelRun &run,
                               const ComparedReference &reference,
                               const ComparisonLimits &limits,
                               bool allowsConstantInputs);

/// Takes in what a program stores beside the numbers of its conversion
/// (ComparisonRow::exact) or beside a fresh program (ComparisonRow::fresh): a
/// value that is wrong fails, and of the layers beside a fresh program the
/// first one.
void addStored(const StoredRows &rows,
               std::optional<StoredRow> ComparisonRow::*where,
               SampleComparison &found);

/// The layers of `run` as what they stand for, by ONNX name; those that are
/// whole.
NamedTensors layersOf(const ModelRun &run);
/// What `run` gave, as the reference of another program: reals for codes, f32
/// for narrower floats.
ReferenceValues asReference(const ModelRun &run);

/// Whether a tensor of shape `shape` may be the same elements in the same order
/// as one of `other`: as many, and not the axes of `other` in another order.
bool isOtherView(const std::vector<int64_t> &shape,
                 const std::vector<int64_t> &other);

} // namespace weft::cli

#endif // WEFT_TOOLS_WEFT_COMPARISONROWS_H

#include "tools/comparison/Tasks.h"
#include "runtime/numeric/TensorValues.h"
#include "runtime/status/Format.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

using namespace weft;
using namespace weft::comparison;
using numeric::HostTensor;
using numeric::shapeText;
using rt::Code;
using rt::Result;

static constexpr const char *kNames[] = {"top1",      "top5", "ctc",
                                         "detection", "mask", "embedding"};

const char *comparison::taskName(Task task) { return kNames[size_t(task)]; }

std::optional<Task> comparison::findTask(std::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i])
      return Task(i);
  return std::nullopt;
}

std::string comparison::taskNames() {
  std::string names;
  for (const char *name : kNames)
    names += (names.empty() ? "" : ", ") + std::string(name);
  return names;
}

double comparison::leastAgreement(Precision precision) {
  // Of the public networks (docs/rationale/0019-comparison.md) the worst honest
  // ones, with room to spare.
  constexpr double kLeast[] = {0.99, 0.99, 0.99, 0.97};
  return kLeast[size_t(precision)];
}

//===----------------------------------------------------------------------===//
// Classes and texts
//===----------------------------------------------------------------------===//

/// Rows of `length` numbers.
struct Rows {
  std::vector<double> values;
  size_t length;

  size_t count() const { return values.size() / length; }
  const double *row(size_t i) const { return values.data() + i * length; }
  size_t classOf(size_t i) const {
    return size_t(std::max_element(row(i), row(i) + length) - row(i));
  }
  /// How many numbers of the row come before that of the class.
  size_t rankOf(size_t i, size_t at) const {
    size_t rank = 0;
    for (size_t k = 0; k < length; ++k)
      rank += row(i)[k] > row(i)[at] || (row(i)[k] == row(i)[at] && k < at);
    return rank;
  }
};

static Rows rowsOf(const HostTensor &tensor) {
  return {numeric::loadDoubles(tensor), size_t(tensor.shape().back())};
}

/// Of the last axis of several elements; 1 if there is none.
static int64_t classesOf(const std::vector<int64_t> &shape) {
  auto several = std::find_if(shape.rbegin(), shape.rend(),
                              [](int64_t size) { return size != 1; });
  return several == shape.rend() ? 1 : *several;
}

/// A row has the classes: [N,C], also as [N,C,1,1].
static Rows classRowsOf(const HostTensor &tensor) {
  return {numeric::loadDoubles(tensor), size_t(classesOf(tensor.shape()))};
}

static size_t mostRank(Task task) { return task == Task::Top1 ? 1 : 5; }

static double classAgreement(Task task, const Rows &result,
                             const Rows &reference) {
  size_t same = 0;
  for (size_t i = 0; i < reference.count(); ++i)
    same += result.rankOf(i, reference.classOf(i)) < mostRank(task);
  return double(same) / double(reference.count());
}

using Text = std::vector<size_t>;

/// The texts of [T,C], [N,T,C] or [T,1,C].
static std::vector<Text> textsOf(const HostTensor &tensor,
                                 const TaskOptions &options) {
  Rows rows = rowsOf(tensor);
  const std::vector<int64_t> &shape = tensor.shape();
  size_t texts = shape.size() == 3 && shape[1] != 1 ? size_t(shape[0]) : 1;
  if (texts == 0)
    return {};
  size_t steps = rows.count() / texts;
  size_t blank = options.blank < 0 ? rows.length - 1 : size_t(options.blank);
  std::vector<Text> found(texts);
  for (size_t n = 0; n < texts; ++n) {
    size_t before = blank;
    for (size_t t = 0; t < steps; ++t) {
      size_t now = rows.classOf(n * steps + t);
      if (now != before && now != blank)
        found[n].push_back(now);
      before = now;
    }
  }
  return found;
}

/// Insertions, removals and exchanges from one text to the other.
static size_t editsBetween(const Text &a, const Text &b) {
  std::vector<size_t> edits(b.size() + 1);
  std::iota(edits.begin(), edits.end(), 0);
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = edits[0]++;
    for (size_t k = 0; k < b.size(); ++k) {
      size_t exchanged = diagonal + (a[i] != b[k]);
      diagonal = edits[k + 1];
      edits[k + 1] = std::min({exchanged, edits[k] + 1, edits[k + 1] + 1});
    }
  }
  return edits.back();
}

static double textAgreement(const Text &result, const Text &reference) {
  double length = double(std::max<size_t>(1, reference.size()));
  return std::max(0.0, 1 - double(editsBetween(result, reference)) / length);
}

static std::optional<double>
textAgreement(const std::vector<Text> &results,
              const std::vector<Text> &references) {
  double sum = 0, count = 0;
  for (size_t i = 0; i < references.size(); ++i) {
    if (results[i].empty() && references[i].empty())
      continue;
    sum += textAgreement(results[i], references[i]);
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

namespace {
struct Box {
  double x1, y1, x2, y2;
  double kind = 0; ///< class

  double area() const { return (x2 - x1) * (y2 - y1); }
};
} // namespace

static double overlapOf(const Box &a, const Box &b) {
  double width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1),
         height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1);
  if (width <= 0 || height <= 0)
    return 0;
  return width * height / (a.area() + b.area() - width * height);
}

/// `side` is for messages.
static Result<std::vector<Box>> boxesOf(const HostTensor &tensor,
                                        const char *side) {
  Rows rows = rowsOf(tensor);
  std::vector<Box> boxes;
  for (size_t i = 0; i < rows.count(); ++i) {
    const double *row = rows.row(i);
    if (rows.length > 4 && row[4] < kLeastScore)
      continue;
    if (row[0] > row[2] || row[1] > row[3])
      return rt::failf(Code::BadFile,
                       "box %zu of the %s is %g,%g,%g,%g, must be x1,y1,x2,y2 "
                       "with x1 <= x2 and y1 <= y2; measure other layouts with "
                       "--score",
                       i, side, row[0], row[1], row[2], row[3]);
    boxes.push_back(
        {row[0], row[1], row[2], row[3], rows.length > 5 ? row[5] : 0});
  }
  return boxes;
}

static std::optional<double> boxAgreement(const std::vector<Box> &results,
                                          const std::vector<Box> &references) {
  if (results.empty() && references.empty())
    return std::nullopt;
  std::vector<std::tuple<double, size_t, size_t>> pairs;
  for (size_t i = 0; i < results.size(); ++i)
    for (size_t k = 0; k < references.size(); ++k)
      if (results[i].kind == references[k].kind)
        if (double overlap = overlapOf(results[i], references[k]);
            overlap >= kLeastOverlap)
          pairs.emplace_back(-overlap, i, k);
  std::sort(pairs.begin(), pairs.end());
  std::set<size_t> usedResults, usedReferences;
  for (auto [overlap, i, k] : pairs)
    if (!usedResults.count(i) && !usedReferences.count(k)) {
      usedResults.insert(i);
      usedReferences.insert(k);
    }
  return 2 * double(usedResults.size()) /
         double(results.size() + references.size());
}

//===----------------------------------------------------------------------===//
// Masks and vectors
//===----------------------------------------------------------------------===//

/// The class of each pixel of [N,C,H,W].
static std::vector<size_t> pixelClasses(const HostTensor &tensor) {
  std::vector<double> values = numeric::loadDoubles(tensor);
  const std::vector<int64_t> &shape = tensor.shape();
  size_t classes = size_t(shape[1]), pixels = size_t(shape[2] * shape[3]);
  std::vector<size_t> found(size_t(shape[0]) * pixels);
  for (size_t i = 0; i < found.size(); ++i) {
    const double *first =
        values.data() + i / pixels * classes * pixels + i % pixels;
    for (size_t c = 1; c < classes; ++c)
      if (first[c * pixels] > first[found[i] * pixels])
        found[i] = c;
  }
  return found;
}

/// 1 for each pixel that is in the mask.
static std::vector<size_t> inMask(const std::vector<double> &values,
                                  double least) {
  std::vector<size_t> found;
  for (double value : values)
    found.push_back(value > least);
  return found;
}

/// Mean of intersection by union of the classes from `first` on.
static std::optional<double> pixelAgreement(const std::vector<size_t> &a,
                                            const std::vector<size_t> &b,
                                            size_t first) {
  std::map<size_t, std::pair<size_t, size_t>> counts; // both, either
  for (size_t i = 0; i < a.size(); ++i) {
    counts[a[i]].first += a[i] == b[i];
    ++counts[a[i]].second;
    if (a[i] != b[i])
      ++counts[b[i]].second;
  }
  double sum = 0, classes = 0;
  for (const auto &[kind, count] : counts)
    if (kind >= first) {
      sum += double(count.first) / double(count.second);
      ++classes;
    }
  return classes > 0 ? std::optional(sum / classes) : std::nullopt;
}

static std::optional<double> maskAgreement(const HostTensor &result,
                                           const HostTensor &reference) {
  if (reference.shape().size() == 4 && reference.shape()[1] > 1)
    return pixelAgreement(pixelClasses(result), pixelClasses(reference), 0);
  std::vector<double> values = numeric::loadDoubles(reference);
  bool areLogits = std::any_of(values.begin(), values.end(), [](double value) {
    return value < 0 || value > 1;
  });
  double least = areLogits ? 0 : 0.5;
  return pixelAgreement(inMask(numeric::loadDoubles(result), least),
                        inMask(values, least), 1);
}

/// 0 of vectors of other lengths.
static double cosineOf(const std::vector<double> &a,
                       const std::vector<double> &b) {
  if (a.size() != b.size())
    return 0;
  double dot = std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
  double squares = std::inner_product(a.begin(), a.end(), a.begin(), 0.0) *
                   std::inner_product(b.begin(), b.end(), b.begin(), 0.0);
  return squares > 0 ? dot / std::sqrt(squares) : a == b;
}

static size_t nearestTo(size_t own,
                        const std::vector<std::vector<double>> &vectors) {
  size_t nearest = own == 0 ? 1 : 0;
  for (size_t i = 0; i < vectors.size(); ++i)
    if (i != own && cosineOf(vectors[own], vectors[i]) >
                        cosineOf(vectors[own], vectors[nearest]))
      nearest = i;
  return nearest;
}

double comparison::neighbourAgreement(
    const std::vector<std::vector<double>> &results,
    const std::vector<std::vector<double>> &references) {
  size_t same = 0;
  for (size_t i = 0; i < references.size(); ++i)
    same += nearestTo(i, results) == nearestTo(i, references);
  return double(same) / double(references.size());
}

//===----------------------------------------------------------------------===//
// All tasks
//===----------------------------------------------------------------------===//

/// What a task takes, if not this shape.
static const char *wantedLayout(Task task, const std::vector<int64_t> &shape) {
  size_t rank = shape.size();
  switch (task) {
  case Task::Top1:
  case Task::Top5:
    return classesOf(shape) >= 2 ? nullptr : "classes on its last axis";
  case Task::Ctc:
    return (rank == 2 || rank == 3) && shape.back() >= 2
               ? nullptr
               : "[T,C] or [N,T,C], a class at each step";
  case Task::Detection:
    return (rank == 2 || (rank == 3 && shape[0] == 1)) && shape.back() >= 4 &&
                   shape.back() <= 6
               ? nullptr
               : "[N,4..6] or [1,N,4..6], x1,y1,x2,y2[,score[,class]]";
  case Task::Mask:
    return rank >= 2 ? nullptr : "[N,C,H,W] or a mask of two axes and more";
  case Task::Embedding:
    return nullptr;
  }
  return nullptr;
}

/// `side` is for messages.
static rt::Status checkOutput(Task task, const HostTensor &output,
                              const char *side, const TaskOptions &options) {
  const std::string name = std::string("the ") + side;
  if (!numeric::isFloatType(output.type()))
    return rt::fail(Code::TypeMismatch,
                    name + " is of " + numeric::elementTypeName(output.type()) +
                        ", " + taskName(task) + " takes floats");
  if (const char *wanted = wantedLayout(task, output.shape()))
    return rt::fail(Code::ShapeMismatch,
                    name + " is of shape " + shapeText(output.shape()) + ", " +
                        taskName(task) + " takes " + wanted);
  if (task == Task::Ctc && options.blank >= output.shape().back())
    return rt::failf(Code::InvalidArgument,
                     "the blank is class %lld, there are %lld",
                     static_cast<long long>(options.blank),
                     static_cast<long long>(output.shape().back()));
  std::vector<double> values = numeric::loadDoubles(output);
  if (std::any_of(values.begin(), values.end(),
                  [](double value) { return std::isnan(value); }))
    return rt::fail(Code::BadFile, name + " has a NaN");
  return rt::Status::ok();
}

static Result<std::optional<double>> boxAgreement(const HostTensor &result,
                                                  const HostTensor &reference) {
  Result<std::vector<Box>> found = boxesOf(result, "result"),
                           wanted = boxesOf(reference, "reference");
  if (!wanted)
    return wanted.status();
  if (!found)
    return found.status();
  return boxAgreement(*found, *wanted);
}

Result<std::optional<double>>
comparison::agreement(Task task, const HostTensor &result,
                      const HostTensor &reference, const TaskOptions &options) {
  WEFT_TRY(checkOutput(task, reference, "reference", options));
  WEFT_TRY(checkOutput(task, result, "result", options));
  // Networks with their own suppression give as many boxes as they find.
  if (task != Task::Detection && result.shape() != reference.shape())
    return rt::fail(Code::ShapeMismatch,
                    "the result is of shape " + shapeText(result.shape()) +
                        ", the reference of " + shapeText(reference.shape()));
  if (task == Task::Detection)
    return boxAgreement(result, reference);
  if (reference.elements() == 0)
    return std::optional<double>();
  switch (task) {
  case Task::Ctc:
    return textAgreement(textsOf(result, options), textsOf(reference, options));
  case Task::Mask:
    return maskAgreement(result, reference);
  case Task::Embedding:
    return std::optional(
        std::max(0.0, cosineOf(numeric::loadDoubles(result),
                               numeric::loadDoubles(reference))));
  default:
    return std::optional(
        classAgreement(task, classRowsOf(result), classRowsOf(reference)));
  }
}

/// Numbers with spaces between them; std::nullopt for others.
static std::optional<Text> parseLabel(std::string_view label) {
  std::istringstream words{std::string(label)};
  Text numbers;
  for (long long number; words >> number;) {
    if (number < 0)
      return std::nullopt;
    numbers.push_back(size_t(number));
  }
  return words.eof() ? std::optional(std::move(numbers)) : std::nullopt;
}

Result<double> comparison::accuracy(Task task, const HostTensor &output,
                                    std::string_view label,
                                    const TaskOptions &options) {
  if (task != Task::Top1 && task != Task::Top5 && task != Task::Ctc)
    return rt::fail(Code::Unsupported,
                    std::string(taskName(task)) +
                        " has no labels here; measure with --score");
  WEFT_TRY(checkOutput(task, output, "output", options));
  std::optional<Text> wanted = parseLabel(label);
  const std::string text = "the label '" + std::string(label) + "' is ";
  if (!wanted || (task != Task::Ctc && wanted->size() != 1))
    return rt::fail(
        Code::InvalidArgument,
        text + (task == Task::Ctc ? "no list of classes" : "no class"));
  Rows rows = task == Task::Ctc ? rowsOf(output) : classRowsOf(output);
  for (size_t kind : *wanted)
    if (kind >= rows.length)
      return rt::failf(Code::InvalidArgument, "%snone of %zu classes",
                       text.c_str(), rows.length);
  std::vector<Text> texts =
      task == Task::Ctc ? textsOf(output, options) : std::vector<Text>();
  size_t answers = task == Task::Ctc ? texts.size() : rows.count();
  if (answers != 1)
    return rt::failf(Code::ShapeMismatch,
                     "the output has %zu answers, a label is for one; give "
                     "samples of a batch of 1",
                     answers);
  if (task == Task::Ctc)
    return textAgreement(texts.front(), *wanted);
  return rows.rankOf(0, wanted->front()) < mostRank(task) ? 1.0 : 0.0;
}

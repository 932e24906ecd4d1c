//===- Einsum.cpp - Einstein sums as products and reductions --------------===//

#include "frontend/onnx/Einsum.h"

#include "frontend/onnx/Compose.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;
using namespace weft;
using namespace weft::onnx;
using top::ReduceKind;

namespace {
/// Names of axes: a letter's code, or kEllipsis + i for the i-th axis from the
/// right of an ellipsis.
using Labels = SmallVector<int>;
constexpr int kEllipsis = 256;

/// A value whose axes have names, all different.
struct Term {
  Value value;
  Labels labels;
};

/// The equation, with one list of labels an operand.
struct Equation {
  SmallVector<Labels> inputs;
  Labels output;
};
} // namespace

/// The labels of one side without blanks; std::nullopt if it has another sign.
/// `hidden` axes lie under the ellipsis.
static std::optional<Labels> parseLabels(StringRef text, int64_t hidden) {
  Labels labels;
  for (size_t i = 0; i < text.size(); ++i) {
    if (llvm::isAlpha(text[i])) {
      labels.push_back(text[i]);
    } else if (text.substr(i).starts_with("...")) {
      for (int64_t axis = hidden; axis-- > 0;)
        labels.push_back(kEllipsis + static_cast<int>(axis));
      i += 2;
    } else {
      return std::nullopt;
    }
  }
  return labels;
}

/// Without an arrow: the axes of the ellipsis, then the letters that occur
/// once.
static Labels implicitOutput(const Equation &equation) {
  std::map<int, int> times;
  int hidden = 0;
  for (const Labels &labels : equation.inputs)
    for (int label : labels) {
      ++times[label];
      if (label >= kEllipsis)
        hidden = std::max(hidden, label - kEllipsis + 1);
    }
  Labels output;
  while (hidden-- > 0)
    output.push_back(kEllipsis + hidden);
  for (auto [label, count] : times)
    if (label < kEllipsis && count == 1)
      output.push_back(label);
  return output;
}

static FailureOr<Equation> parseEquation(NodeImporter &n, StringRef text,
                                         ArrayRef<Value> operands) {
  std::string packed;
  for (char c : text)
    if (c != ' ')
      packed += c;
  auto [inputs, output] = StringRef(packed).split("->");
  SmallVector<StringRef> parts;
  inputs.split(parts, ',');
  if (parts.size() != operands.size()) {
    n.error() << "the equation '" << text << "' names " << parts.size()
              << " operands, the node has " << operands.size();
    return failure();
  }
  Equation equation;
  int64_t hidden = 0;
  for (auto [part, operand] : llvm::zip(parts, operands)) {
    int64_t rank = n.typeOf(operand).getRank(),
            letters = llvm::count_if(part, llvm::isAlpha);
    bool elides = part.contains("...");
    std::optional<Labels> labels =
        letters <= rank ? parseLabels(part, rank - letters) : std::nullopt;
    if (!labels || static_cast<int64_t>(labels->size()) != rank) {
      n.error() << "the part '" << part << "' of the equation '" << text
                << "' does not name the " << rank << " axes of its operand";
      return failure();
    }
    if (elides)
      hidden = std::max(hidden, rank - letters);
    equation.inputs.push_back(*labels);
  }
  if (!StringRef(packed).contains("->")) {
    equation.output = implicitOutput(equation);
    return equation;
  }
  std::optional<Labels> labels = parseLabels(output, hidden);
  if (!labels) {
    n.error() << "the result '" << output << "' of the equation '" << text
              << "' may have letters and one ellipsis";
    return failure();
  }
  equation.output = *labels;
  return equation;
}

/// Takes the diagonal of axes that share a name.
static void takeDiagonals(Compose &c, Term &term) {
  for (size_t i = 0; i < term.labels.size() && term.value; ++i)
    for (size_t j = i + 1; j < term.labels.size(); ++j) {
      if (term.labels[i] != term.labels[j])
        continue;
      // The pair goes to the end: .., n, n -> .., n*n -> every (n+1)-th.
      SmallVector<int64_t> perm, shape;
      Labels labels;
      for (size_t axis = 0; axis < term.labels.size(); ++axis)
        if (axis != i && axis != j) {
          perm.push_back(axis);
          labels.push_back(term.labels[axis]);
          shape.push_back(c.shapeOf(term.value)[axis]);
        }
      labels.push_back(term.labels[i]);
      int64_t size = c.shapeOf(term.value)[i];
      perm.append({static_cast<int64_t>(i), static_cast<int64_t>(j)});
      shape.push_back(size * size);
      Value flat = c.reshape(c.transpose(term.value, perm), shape);
      term = {c.sliceAxis(flat, shape.size() - 1, 0, size, size + 1), labels};
      return takeDiagonals(c, term);
    }
}

/// Sums the axes whose label is not in `wanted`.
static void sumOthers(Compose &c, Term &term, const Labels &wanted) {
  SmallVector<int64_t> axes;
  Labels kept;
  for (auto [axis, label] : llvm::enumerate(term.labels))
    if (llvm::is_contained(wanted, label))
      kept.push_back(label);
    else
      axes.push_back(axis);
  term = {c.reduce(ReduceKind::Sum, term.value, axes, false), kept};
}

/// Axes of size 1 that are longer elsewhere only repeat: they go.
static void dropRepeats(Compose &c, Term &term,
                        const std::map<int, int64_t> &sizes) {
  SmallVector<int64_t> shape;
  Labels kept;
  for (auto [label, size] : llvm::zip(term.labels, c.shapeOf(term.value)))
    if (size != 1 || sizes.at(label) == 1) {
      kept.push_back(label);
      shape.push_back(size);
    }
  term = {c.reshape(term.value, shape), kept};
}

/// `term` with its axes in the order of `labels`, missing ones as 1.
static Value arranged(Compose &c, const Term &term, const Labels &labels) {
  if (!term.value)
    return {};
  SmallVector<int64_t> perm, shape;
  for (int label : labels) {
    const int *at = llvm::find(term.labels, label);
    bool missing = at == term.labels.end();
    int64_t axis = at - term.labels.begin();
    shape.push_back(missing ? 1 : c.shapeOf(term.value)[axis]);
    if (!missing)
      perm.push_back(axis);
  }
  return c.reshape(c.transpose(term.value, perm), shape);
}

static int64_t sizeOf(const Labels &labels,
                      const std::map<int, int64_t> &sizes) {
  int64_t product = 1;
  for (int label : labels)
    product *= sizes.at(label);
  return product;
}

/// One term for both; labels that are not `wanted` later are summed.
static Term contract(Compose &c, const Term &lhs, const Term &rhs,
                     const Labels &wanted,
                     const std::map<int, int64_t> &sizes) {
  Labels batch, summed, left, right;
  for (int label : lhs.labels) {
    bool shared = llvm::is_contained(rhs.labels, label);
    if (!shared)
      left.push_back(label);
    else if (llvm::is_contained(wanted, label))
      batch.push_back(label);
    else
      summed.push_back(label);
  }
  for (int label : rhs.labels)
    if (!llvm::is_contained(lhs.labels, label))
      right.push_back(label);
  Labels all = batch;
  llvm::append_range(all, left);
  llvm::append_range(all, right);
  // Without an inner axis, or with single elements on both sides, there is
  // nothing for the matrix unit.
  if (summed.empty() || (left.empty() && right.empty())) {
    Labels wide = all;
    llvm::append_range(wide, summed);
    Term product{c.mul(arranged(c, lhs, wide), arranged(c, rhs, wide)), wide};
    sumOthers(c, product, all);
    return product;
  }
  Labels leftOrder = batch, rightOrder = batch;
  llvm::append_range(leftOrder, left);
  llvm::append_range(leftOrder, summed);
  llvm::append_range(rightOrder, summed);
  llvm::append_range(rightOrder, right);
  int64_t b = sizeOf(batch, sizes), m = sizeOf(left, sizes),
          k = sizeOf(summed, sizes), n = sizeOf(right, sizes);
  Value product = c.matmul(c.reshape(arranged(c, lhs, leftOrder), {b, m, k}),
                           c.reshape(arranged(c, rhs, rightOrder), {b, k, n}));
  SmallVector<int64_t> shape;
  for (int label : all)
    shape.push_back(sizes.at(label));
  return {c.reshape(product, shape), all};
}

/// The size of every label; axes of size 1 repeat.
static FailureOr<std::map<int, int64_t>>
sizesOf(NodeImporter &n, const Equation &equation, ArrayRef<Value> operands) {
  std::map<int, int64_t> sizes;
  for (auto [labels, operand] : llvm::zip(equation.inputs, operands))
    for (auto [label, size] : llvm::zip(labels, n.typeOf(operand).getShape())) {
      auto [at, isNew] = sizes.try_emplace(label, size);
      if (isNew || at->second == size || size == 1)
        continue;
      if (at->second != 1) {
        n.error() << "two axes with one name have the sizes " << at->second
                  << " and " << size << ", which must be equal or 1";
        return failure();
      }
      at->second = size;
    }
  for (int label : equation.output)
    if (!sizes.count(label)) {
      n.error() << "the result names an axis that no operand has";
      return failure();
    }
  return sizes;
}

LogicalResult weft::onnx::importEinsum(NodeImporter &n) {
  SmallVector<Value> operands;
  for (unsigned i = 0; i < n.numOperands(); ++i) {
    FailureOr<Value> operand = n.operand(i);
    if (failed(operand))
      return failure();
    operands.push_back(*operand);
  }
  const NodeAttribute *text = n.node.find("equation");
  if (!text || text->kind != NodeAttribute::Kind::String || operands.empty())
    return n.error() << "needs an equation and at least one operand";
  FailureOr<Equation> equation = parseEquation(n, text->stringValue, operands);
  if (failed(equation))
    return failure();
  FailureOr<std::map<int, int64_t>> sizes = sizesOf(n, *equation, operands);
  if (failed(sizes))
    return failure();
  Compose c(n);
  Term result;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    Term term{operand, equation->inputs[i]};
    takeDiagonals(c, term);
    if (!term.value)
      return failure();
    dropRepeats(c, term, *sizes);
    Labels wanted = equation->output;
    for (size_t later = i + 1; later < operands.size(); ++later)
      llvm::append_range(wanted, equation->inputs[later]);
    Labels alsoHere = wanted; // a sum before a product may drop only own axes
    llvm::append_range(alsoHere, result.labels);
    sumOthers(c, term, alsoHere);
    if (!term.value)
      return failure();
    if (i == 0) {
      result = term;
      continue;
    }
    Labels stays = wanted;
    llvm::append_range(stays, term.labels);
    sumOthers(c, result, stays);
    result = contract(c, result, term, wanted, *sizes);
    if (!result.value)
      return failure();
  }
  sumOthers(c, result, equation->output);
  Value value = arranged(c, result, equation->output);
  SmallVector<int64_t> shape; // what only repeats has been left out
  for (int label : equation->output)
    shape.push_back(sizes->at(label));
  if (value && c.shapeOf(value) != ArrayRef<int64_t>(shape))
    value = c.expand(value, shape);
  return c.finish(value);
}

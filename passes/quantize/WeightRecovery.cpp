//===- WeightRecovery.cpp - weights that answer for rounding --------------===//

#include "passes/quantize/WeightRecovery.h"

#include "dialects/top/Binary.h"
#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "passes/quantize/InputFactors.h"
#include "passes/quantize/Lowering.h"
#include "passes/quantize/NamedSource.h"
#include "passes/quantize/QuantScale.h"
#include "passes/quantize/SharedWork.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace weft;
using namespace weft::quantize;

void quantize::multiplyMatrices(const MatrixProduct &p) {
  std::fill_n(p.result, p.rows * p.columns, 0.0F);
  for (int64_t i = 0; i < p.rows; ++i)
    for (int64_t k = 0; k < p.inner; ++k) {
      float left = p.turnsLhs ? p.lhs[k * p.rows + i] : p.lhs[i * p.inner + k];
      for (int64_t j = 0; j < p.columns; ++j)
        p.result[i * p.columns + j] +=
            left *
            (p.turnsRhs ? p.rhs[j * p.inner + k] : p.rhs[k * p.columns + j]);
    }
}

RoundedWeights quantize::roundWeights(ArrayRef<float> filter, int64_t terms) {
  RoundedWeights result;
  result.codes.reserve(filter.size());
  for (; !filter.empty(); filter = filter.drop_front(terms)) {
    ArrayRef<float> weights = filter.take_front(terms);
    float largest = 0;
    for (float weight : weights)
      largest = std::max(largest, std::fabs(weight));
    auto scale = std::max(largest / kSignedLevels, 1e-30F);
    result.scales.push_back(scale);
    for (float weight : weights)
      result.codes.push_back(static_cast<int8_t>(std::clamp<long>(
          std::lround(weight / scale), -kSignedLevels, kSignedLevels)));
  }
  return result;
}

namespace {
/// Row-major.
struct Matrix {
  int64_t rows, columns;
  std::vector<float> values;

  Matrix(int64_t rows, int64_t columns)
      : rows(rows), columns(columns), values(rows * columns) {}
  float *row(int64_t i) { return values.data() + i * columns; }
  const float *row(int64_t i) const { return values.data() + i * columns; }
};

/// Weights of a product with what they are chosen by.
class Recovery {
public:
  Recovery(const ProductRows &rows, ArrayRef<float> filter,
           const CodeForm &input, bool keepsZero,
           const MultiplyMatrices &multiply);

  std::optional<RecoveredProduct> run();

private:
  Matrix product(const Matrix &lhs, bool turnsLhs, const Matrix &rhs,
                 bool turnsRhs) const {
    Matrix result(turnsLhs ? lhs.columns : lhs.rows,
                  turnsRhs ? rhs.rows : rhs.columns);
    multiply({turnsLhs, turnsRhs, result.rows, result.columns,
              turnsLhs ? lhs.rows : lhs.columns, lhs.values.data(),
              rhs.values.data(), result.values.data()});
    return result;
  }
  void split(const ProductRows &rows, const CodeForm &input);
  void takeMeans();
  void chooseWeights();
  void chooseBlock(int64_t begin, int64_t size);
  void roundInTurn(int64_t begin, llvm::ArrayRef<int64_t> order,
                   const Matrix &factor, const Matrix &wanted,
                   std::vector<int8_t> &codes, Matrix &weights) const;
  std::vector<float> shiftsOf(const std::vector<int8_t> &codes) const;
  Matrix heldGaps() const;
  std::vector<double> errorsOf(const std::vector<int8_t> &codes,
                               const std::vector<float> &shifts,
                               const Matrix &gaps) const;

  const MultiplyMatrices &multiply;
  int64_t channels, terms;
  const Matrix filter;         ///< channels x terms
  Matrix inputs, seen;         ///< rows x terms: floats; what codes stand for
  Matrix heldInputs, heldSeen; ///< rows that are held back
  std::vector<double> inputMeans, seenMeans; ///< of the terms; 0: not taken
  std::vector<float> scales;                 ///< of the channels
  std::vector<int8_t> rounded;               ///< channels x terms

  /// Weights rounded in turn.
  struct Choice {
    bool answersForInputs; ///< or for the rounding of weights only
    std::vector<int8_t> codes;
    Matrix rest; ///< rows x channels: what terms that are done left of the sums
  };
  std::vector<Choice> choices;
};
} // namespace

/// Every so many rows one is held back.
static constexpr int64_t kHeldBack = 4;

static Matrix matrixOf(ArrayRef<float> values, int64_t columns) {
  Matrix matrix(values.size() / columns, columns);
  matrix.values.assign(values.begin(), values.end());
  return matrix;
}

Recovery::Recovery(const ProductRows &rows, ArrayRef<float> filter,
                   const CodeForm &input, bool keepsZero,
                   const MultiplyMatrices &multiply)
    : multiply(multiply), channels(filter.size() / rows.terms),
      terms(rows.terms), filter(matrixOf(filter, terms)),
      inputs(rows.rows() - rows.rows() / kHeldBack, terms),
      seen(inputs.rows, terms), heldInputs(rows.rows() / kHeldBack, terms),
      heldSeen(heldInputs.rows, terms), inputMeans(terms), seenMeans(terms) {
  RoundedWeights nearest = roundWeights(filter, terms);
  scales = std::move(nearest.scales);
  rounded = std::move(nearest.codes);
  split(rows, input);
  if (!keepsZero)
    takeMeans();
}

/// Fills both sets of rows.
void Recovery::split(const ProductRows &rows, const CodeForm &input) {
  int64_t used = 0, held = 0;
  for (int64_t row = 0; row < rows.rows(); ++row) {
    bool isHeld = row % kHeldBack == kHeldBack - 1;
    const float *from = rows.values.data() + row * terms;
    float *floats = isHeld ? heldInputs.row(held) : inputs.row(used);
    float *codes = isHeld ? heldSeen.row(held) : seen.row(used);
    ++(isHeld ? held : used);
    for (int64_t i = 0; i < terms; ++i) {
      floats[i] = from[i];
      codes[i] = input.seen(from[i]);
    }
  }
}

/// Of the rows that count.
void Recovery::takeMeans() {
  int64_t used = inputs.rows;
  for (int64_t row = 0; row < used; ++row)
    for (int64_t i = 0; i < terms; ++i) {
      inputMeans[i] += inputs.row(row)[i];
      seenMeans[i] += seen.row(row)[i];
    }
  for (int64_t i = 0; i < terms; ++i) {
    inputMeans[i] /= double(used);
    seenMeans[i] /= double(used);
  }
}

/// Upper triangular R with R^T R = `matrix`, which is symmetric; false if that
/// is not positive.
static bool factorize(const Matrix &matrix, Matrix &factor) {
  int64_t size = matrix.rows;
  std::vector<double> r(size * size);
  for (int64_t i = 0; i < size; ++i) {
    double *row = r.data() + i * size;
    for (int64_t j = i; j < size; ++j)
      row[j] = matrix.row(i)[j];
    for (int64_t k = 0; k < i; ++k) {
      const double *above = r.data() + k * size;
      double times = above[i];
      for (int64_t j = i; j < size; ++j)
        row[j] -= times * above[j];
    }
    if (!(row[i] > 0))
      return false;
    double root = 1 / std::sqrt(row[i]);
    for (int64_t j = i; j < size; ++j)
      row[j] *= root;
  }
  factor.values.assign(r.begin(), r.end());
  return true;
}

/// Solves R^T R x = `sides` in place, a column at a time.
static void solve(const Matrix &r, Matrix &sides) {
  int64_t size = r.rows, count = sides.columns;
  for (int64_t i = 0; i < size; ++i) { // R^T y = sides
    float *row = sides.row(i);
    for (int64_t j = 0; j < count; ++j)
      row[j] /= r.row(i)[i];
    for (int64_t k = i + 1; k < size; ++k) {
      float times = r.row(i)[k], *below = sides.row(k);
      for (int64_t j = 0; j < count; ++j)
        below[j] -= times * row[j];
    }
  }
  for (int64_t i = size - 1; i >= 0; --i) { // R x = y
    float *row = sides.row(i);
    for (int64_t k = i + 1; k < size; ++k) {
      float times = r.row(i)[k];
      const float *below = sides.row(k);
      for (int64_t j = 0; j < count; ++j)
        row[j] -= times * below[j];
    }
    for (int64_t j = 0; j < count; ++j)
      row[j] /= r.row(i)[i];
  }
}

/// A part of the rounding that keeps a singular matrix from giving weights
/// without bounds.
static constexpr double kDamping = 0.02;

/// A part of each term's power that is taken to have nothing to do with the
/// other terms: in inputs unlike the samples they do not go together as there.
/// (PP-OCR rec, blurred and noisy lines among plain ones: 1.3 dB inside.)
static constexpr float kForeign = 0.3F;

/// Rounds to the nearest plane (Babai), from the last term to the first;
/// `weights` (terms x channels) become what is lost by it.
void Recovery::roundInTurn(int64_t begin, llvm::ArrayRef<int64_t> order,
                           const Matrix &factor, const Matrix &wanted,
                           std::vector<int8_t> &codes, Matrix &weights) const {
  Matrix errors(wanted.rows, channels);
  std::vector<float> carried(channels);
  for (int64_t i = wanted.rows - 1; i >= 0; --i) {
    std::fill(carried.begin(), carried.end(), 0.0F);
    for (int64_t k = i + 1; k < wanted.rows; ++k) {
      float times = factor.row(i)[k] / factor.row(i)[i];
      const float *error = errors.row(k);
      for (int64_t oc = 0; oc < channels; ++oc)
        carried[oc] += times * error[oc];
    }
    for (int64_t oc = 0; oc < channels; ++oc) {
      float target = wanted.row(i)[oc], scale = scales[oc];
      float code = std::clamp(std::nearbyintf((target + carried[oc]) / scale),
                              -float(kSignedLevels), float(kSignedLevels));
      codes[oc * terms + begin + order[i]] = static_cast<int8_t>(code);
      errors.row(i)[oc] = target - code * scale;
      weights.row(i)[oc] -= code * scale;
    }
  }
}

static void add(const Matrix &from, Matrix &to) {
  for (size_t i = 0; i < to.values.size(); ++i)
    to.values[i] += from.values[i];
}

/// The weights of terms `begin`.. together, of each choice. Rows are taken
/// without their means.
void Recovery::chooseBlock(int64_t begin, int64_t size) {
  // Ascending by power: the last is rounded first, when all others can still
  // answer for it.
  std::vector<double> power(size);
  for (int64_t row = 0; row < seen.rows; ++row)
    for (int64_t i = 0; i < size; ++i) {
      double code = seen.row(row)[begin + i] - seenMeans[begin + i];
      power[i] += code * code;
    }
  std::vector<int64_t> order(size);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return power[a] < power[b]; });
  Matrix codes(seen.rows, size), gaps(seen.rows, size), weights(size, channels),
      factor(size, size);
  for (int64_t i = 0; i < size; ++i)
    for (int64_t oc = 0; oc < channels; ++oc)
      weights.row(i)[oc] = filter.row(oc)[begin + order[i]];
  for (int64_t row = 0; row < seen.rows; ++row) // as they lie in memory
    for (int64_t i = 0; i < size; ++i) {
      int64_t term = begin + order[i];
      double code = seen.row(row)[term] - seenMeans[term],
             number = inputs.row(row)[term] - inputMeans[term];
      codes.row(row)[i] = static_cast<float>(code);
      gaps.row(row)[i] = static_cast<float>(number - code);
    }
  Matrix squares = product(codes, true, codes, false);
  double all = std::accumulate(power.begin(), power.end(), 0.0);
  auto damping = static_cast<float>(kDamping * all / double(size));
  for (int64_t i = 0; i < size; ++i)
    squares.row(i)[i] += damping + kForeign * squares.row(i)[i];
  if (!factorize(squares, factor))
    return; // they stay as they are rounded
  for (Choice &choice : choices) {
    if (choice.answersForInputs)
      add(product(gaps, false, weights, false), choice.rest);
    Matrix wanted = weights, lost = weights;
    if (choice.answersForInputs || begin > 0) { // there is a rest
      Matrix change = product(codes, true, choice.rest, false);
      solve(factor, change);
      add(change, wanted);
    }
    roundInTurn(begin, order, factor, wanted, choice.codes, lost);
    if (begin + size < terms)
      add(product(codes, false, lost, false), choice.rest);
  }
}

void Recovery::chooseWeights() {
  // Terms that answer for each other: time and memory grow with their square.
  constexpr int64_t kBlock = 512;
  // Fewer rows say too little about so many weights.
  constexpr int64_t kRowsPerTerm = 2;
  if (seen.rows < kRowsPerTerm * std::min(terms, kBlock))
    return;
  for (bool answersForInputs : {false, true})
    choices.push_back({answersForInputs, rounded, Matrix(seen.rows, channels)});
  for (int64_t begin = 0; begin < terms; begin += kBlock)
    chooseBlock(begin, std::min(kBlock, terms - begin));
}

/// By how much sums are off on average.
std::vector<float> Recovery::shiftsOf(const std::vector<int8_t> &codes) const {
  std::vector<float> shifts;
  for (int64_t oc = 0; oc < channels; ++oc) {
    double shift = 0;
    for (int64_t i = 0; i < terms; ++i)
      shift += filter.row(oc)[i] * inputMeans[i] -
               double(scales[oc]) * codes[oc * terms + i] * seenMeans[i];
    shifts.push_back(static_cast<float>(shift));
  }
  return shifts;
}

/// What the codes of inputs lack of the sums in the rows that are held back.
Matrix Recovery::heldGaps() const {
  Matrix gaps = heldInputs;
  for (size_t i = 0; i < gaps.values.size(); ++i)
    gaps.values[i] -= heldSeen.values[i];
  return product(gaps, false, filter, true);
}

/// Squared errors of each channel's sums in these rows.
std::vector<double> Recovery::errorsOf(const std::vector<int8_t> &codes,
                                       const std::vector<float> &shifts,
                                       const Matrix &gaps) const {
  Matrix weights(channels, terms);
  for (int64_t oc = 0; oc < channels; ++oc)
    for (int64_t i = 0; i < terms; ++i)
      weights.row(oc)[i] =
          filter.row(oc)[i] - scales[oc] * codes[oc * terms + i];
  Matrix ofWeights = product(heldSeen, false, weights, true);
  std::vector<double> errors(channels);
  for (int64_t row = 0; row < gaps.rows; ++row)
    for (int64_t oc = 0; oc < channels; ++oc) {
      double error = gaps.row(row)[oc] + ofWeights.row(row)[oc] - shifts[oc];
      errors[oc] += error * error;
    }
  return errors;
}

std::optional<RecoveredProduct> Recovery::run() {
  // Fewer say nothing about an average.
  constexpr int64_t kFewestHeldBack = 4;
  if (heldInputs.rows < kFewestHeldBack)
    return std::nullopt;
  chooseWeights();
  RecoveredProduct product;
  product.scales = scales;
  product.shifts.assign(channels, 0);
  product.codes = rounded;
  Matrix gaps = heldGaps();
  std::vector<double> least = errorsOf(rounded, product.shifts, gaps);
  bool isBetter = false;
  auto offer = [&](const std::vector<int8_t> &codes) {
    std::vector<float> shifts = shiftsOf(codes);
    std::vector<double> errors = errorsOf(codes, shifts, gaps);
    for (int64_t oc = 0; oc < channels; ++oc) {
      if (!(errors[oc] < least[oc]))
        continue;
      isBetter = true;
      least[oc] = errors[oc];
      product.shifts[oc] = shifts[oc];
      std::copy_n(codes.begin() + oc * terms, terms,
                  product.codes.begin() + oc * terms);
    }
  };
  offer(rounded);
  for (const Choice &choice : choices)
    offer(choice.codes);
  return isBetter ? std::optional(std::move(product)) : std::nullopt;
}

std::optional<RecoveredProduct>
quantize::recoverWeights(const ProductRows &rows, ArrayRef<float> filter,
                         const CodeForm &input, bool keepsZero,
                         const MultiplyMatrices &multiply) {
  std::optional<RecoveredProduct> product =
      Recovery(rows, filter, input, keepsZero, multiply).run();
  if (product) {
    product->inputScale = input.scale;
    product->inputZeroPoint = input.zeroPoint;
    product->inputIsSigned = input.isSigned;
  }
  return product;
}

std::vector<float> quantize::filterOf(Operation *op, int64_t terms) {
  auto constant = op->getOperand(1).getDefiningOp<top::ConstantOp>();
  FailureOr<numeric::HostTensor> values =
      toHostTensor(constant.getValue(), op->getLoc());
  if (failed(values) || values->type() != numeric::ElementType::F32)
    return {};
  const auto *from = values->as<float>();
  std::vector<float> filter(from, from + values->elements());
  if (isa<top::MatMulOp>(op)) {
    int64_t channels = filter.size() / terms;
    for (int64_t i = 0; i < terms; ++i)
      for (int64_t oc = 0; oc < channels; ++oc)
        filter[oc * terms + i] = from[i * channels + oc];
  }
  for (float weight : filter)
    if (!std::isfinite(weight))
      return {}; // the conversion says so
  return filter;
}

/// Whether nothing is added to the sums of a product. Then rows of zeros give
/// zeros (padding), and what follows may make much of little (a norm).
static bool keepsZero(Operation *op) {
  if (auto conv = dyn_cast<top::ConvOp>(op); conv && conv.getBias())
    return false;
  auto add = op->getResult(0).hasOneUse()
                 ? dyn_cast<top::BinaryOp>(*op->getResult(0).user_begin())
                 : top::BinaryOp();
  return !add || add.getKind() != top::BinaryKind::Add ||
         llvm::none_of(add->getOperands(), [](Value value) {
           return value.getDefiningOp<top::ConstantOp>() != nullptr;
         });
}

void quantize::recoverProducts(
    const llvm::MapVector<Operation *, ProductRows> &rows,
    const MultiplyMatrices &multiply, unsigned threads,
    CalibrationTable &table) {
  std::vector<std::optional<RecoveredProduct>> found(rows.size());
  shareWork(rows.size(), threads, [&](size_t i) {
    const auto &[op, ofOp] = *(rows.begin() + i);
    const CalibrationEntry *entry =
        table.find(valueName(namedSource(op->getOperand(0))));
    std::vector<float> filter = filterOf(op, ofOp.terms);
    if (!entry || filter.empty())
      return;
    CodeForm form = codeFormOf(*entry, true);
    std::optional<FactoredInput> factored;
    if (mayHaveInputFactors(op))
      factored =
          chooseInputFactors(ofOp, filter, inputChannelsOf(op), form, multiply);
    found[i] =
        factored ? recoverWeights(
                       multipliedRows(ofOp, factored->factors),
                       dividedFilter(filter, ofOp.terms, factored->factors),
                       factored->form, keepsZero(op), multiply)
                 : recoverWeights(ofOp, filter, form, keepsZero(op), multiply);
    if (!found[i])
      return;
    found[i]->name = productName(op);
    found[i]->weightSums = WeightSums::of(filter);
    if (factored)
      found[i]->inputFactors = std::move(factored->factors);
  });
  for (std::optional<RecoveredProduct> &product : found)
    if (product)
      table.add(*std::move(product));
}

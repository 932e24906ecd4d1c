//===- PrecisionSearch.cpp - which products are worth floats --------------===//

#include "tools/driver/PrecisionSearch.h"

#include "dialects/top/Constant.h"
#include "dialects/top/Conv.h"
#include "dialects/top/MatMul.h"
#include "passes/quantize/Lowering.h"
#include "passes/quantize/WideProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <numeric>
#include <thread>

using namespace weft;
using namespace weft::driver;
using rt::Result;

std::vector<ProductChoice> driver::productsOf(mlir::ModuleOp module) {
  std::vector<ProductChoice> products;
  auto elements = [](mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType()).getNumElements();
  };
  auto main = module.lookupSymbol<mlir::func::FuncOp>("main");
  for (mlir::Operation &op : main.getBody().front()) {
    auto conv = mlir::dyn_cast<top::ConvOp>(op);
    if (!conv && !mlir::isa<top::MatMulOp>(op))
      continue;
    mlir::Value weights = op.getOperand(1), result = op.getResult(0);
    std::string name = quantize::valueName(result);
    if (!weights.getDefiningOp<top::ConstantOp>() || name == "?" ||
        (conv && quantize::isDepthwise(conv)))
      continue;
    auto shape =
        mlir::cast<mlir::RankedTensorType>(weights.getType()).getShape();
    int64_t terms = elements(weights) /
                    std::max<int64_t>(1, conv ? shape[0] : shape.back());
    products.push_back({name, elements(result) * terms});
  }
  return products;
}

namespace {
/// Measurements, each program once.
class Measurements {
public:
  Measurements(const PrecisionSearch &search, size_t expected)
      : search(search), expected(expected) {}

  Result<const MixedProgram *> of(const std::vector<bool> &isFloat) {
    for (const MixedProgram &program : programs)
      if (program.isFloat == isFloat)
        return &program;
    Result<MixedProgram> measured = search.measure(isFloat);
    if (!measured)
      return measured.status();
    programs.push_back(*std::move(measured));
    report();
    const MixedProgram *kept = &programs.back();
    return kept;
  }

  /// Of all of them; on several threads.
  rt::Status all(const std::vector<std::vector<bool>> &wanted,
                 std::vector<MixedProgram> &measured) {
    measured.resize(wanted.size());
    std::vector<rt::Status> statuses(wanted.size());
    std::atomic<size_t> next{0};
    auto work = [&] {
      for (size_t i; (i = next++) < wanted.size();) {
        Result<MixedProgram> one = search.measure(wanted[i]);
        std::lock_guard<std::mutex> lock(mutex);
        if (one)
          measured[i] = *std::move(one);
        else
          statuses[i] = one.status();
        report();
      }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < search.threads; ++i)
      threads.emplace_back(work);
    work();
    for (std::thread &thread : threads)
      thread.join();
    for (const rt::Status &status : statuses)
      WEFT_TRY(status);
    return rt::Status::ok();
  }

  std::vector<MixedProgram> take() {
    return {std::make_move_iterator(programs.begin()),
            std::make_move_iterator(programs.end())};
  }

private:
  void report() {
    ++done;
    if (search.progress)
      search.progress(done, std::max(done, expected));
  }

  const PrecisionSearch &search;
  std::mutex mutex;
  std::deque<MixedProgram> programs; // references stay good
  size_t done = 0, expected;
};
} // namespace

/// Of all outputs together, each by its own power.
static double errorOf(const Accuracy &accuracy) {
  double error = 0;
  for (const OutputAccuracy &output : accuracy.outputs)
    error += output.errorRatio;
  return error;
}

/// Products by what their codes cost in accuracy, for each multiplication; the
/// smallest count as a hundredth of all, or they would all come first.
static std::vector<size_t> byWorth(const std::vector<ProductChoice> &products,
                                   const std::vector<double> &errors) {
  double all = 0;
  for (const ProductChoice &product : products)
    all += double(product.products);
  std::vector<size_t> order(products.size());
  std::iota(order.begin(), order.end(), 0);
  auto worth = [&](size_t i) {
    return errors[i] / (double(products[i].products) + all / 100);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return worth(a) > worth(b); });
  return order;
}

/// The programs that no other beats in cycles and accuracy at once, by cycles;
/// accurate is what has less error in all outputs together and in the worst.
static std::vector<MixedProgram> paretoOf(std::vector<MixedProgram> programs) {
  std::stable_sort(programs.begin(), programs.end(),
                   [](const MixedProgram &a, const MixedProgram &b) {
                     return a.cycles < b.cycles;
                   });
  std::vector<MixedProgram> front;
  for (MixedProgram &program : programs) {
    bool isBeaten =
        std::any_of(front.begin(), front.end(), [&](const MixedProgram &other) {
          return errorOf(other.accuracy) <= errorOf(program.accuracy) &&
                 other.accuracy.cosine() >= program.accuracy.cosine() &&
                 other.accuracy.sqnr() >= program.accuracy.sqnr();
        });
    if (!isBeaten)
      front.push_back(std::move(program));
  }
  return front;
}

Result<PrecisionSearch::Found> PrecisionSearch::run() const {
  size_t count = products.size();
  // Both ends, each alone, the halving of the order, a few that go back.
  constexpr size_t kHalvings = 8, kMostReturns = 8;
  Measurements measurements(*this, count + 2 + kHalvings + kMostReturns);
  auto met = [&](const MixedProgram *program) {
    return goal.isMetBy(program->accuracy);
  };
  Accuracy floatAccuracy;
  auto finish = [&]() {
    Found found;
    found.floats = floatAccuracy;
    found.pareto = paretoOf(measurements.take());
    for (size_t i = 0; i < found.pareto.size() && !found.chosen; ++i)
      if (met(&found.pareto[i]))
        found.chosen = i;
    return found;
  };
  Result<const MixedProgram *> codes =
                                   measurements.of(std::vector<bool>(count)),
                               floats = measurements.of(
                                   std::vector<bool>(count, true));
  if (!codes)
    return codes.status();
  if (!floats)
    return floats.status();
  floatAccuracy = (*floats)->accuracy;
  if (met(*codes))
    return finish();

  std::vector<std::vector<bool>> alone(count, std::vector<bool>(count, true));
  for (size_t i = 0; i < count; ++i)
    alone[i][i] = false;
  std::vector<MixedProgram> single;
  WEFT_TRY(measurements.all(alone, single));
  std::vector<double> errors;
  for (const MixedProgram &program : single)
    errors.push_back(std::max(0.0, errorOf(program.accuracy) -
                                       errorOf((*floats)->accuracy)));
  std::vector<size_t> order = byWorth(products, errors);

  auto firstAsFloats = [&](size_t number) {
    std::vector<bool> isFloat(count);
    for (size_t i = 0; i < number; ++i)
      isFloat[order[i]] = true;
    return isFloat;
  };
  if (!met(*floats)) { // errors of some products may cancel those of others
    for (size_t number = 1; number < count; number *= 2)
      if (auto program = measurements.of(firstAsFloats(number)); !program)
        return program.status();
    return finish();
  }
  size_t low = 0, high = count; // codes miss the goal, floats meet it
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    Result<const MixedProgram *> program =
        measurements.of(firstAsFloats(middle));
    if (!program)
      return program.status();
    (met(*program) ? high : low) = middle;
  }
  // Large products of the chosen that are not needed after all.
  std::vector<bool> chosen = firstAsFloats(high);
  std::vector<size_t> returns(order.begin(), order.begin() + high);
  std::stable_sort(returns.begin(), returns.end(), [&](size_t a, size_t b) {
    return products[a].products > products[b].products;
  });
  returns.resize(std::min(returns.size(), kMostReturns));
  for (size_t i : returns) {
    std::vector<bool> fewer = chosen;
    fewer[i] = false;
    Result<const MixedProgram *> program = measurements.of(fewer);
    if (!program)
      return program.status();
    if (met(*program))
      chosen = fewer;
  }
  return finish();
}

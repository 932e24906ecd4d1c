//===- PrecisionSearch.cpp - which products are worth floats --------------===//

#include "tools/driver/PrecisionSearch.h"

#include "tools/driver/BoundedPrecisions.h"

#include "dialects/top/Conv.h"
#include "passes/quantize/CodeProducts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

using namespace weft;
using namespace weft::driver;
using rt::Result;

/// Multiplications of a product with constant weights.
static int64_t multiplicationsOf(mlir::Operation *op) {
  auto shapeOf = [](mlir::Value value) {
    return mlir::cast<mlir::RankedTensorType>(value.getType());
  };
  auto weights = shapeOf(op->getOperand(1));
  int64_t results = mlir::isa<top::ConvOp>(op) ? weights.getShape().front()
                                               : weights.getShape().back();
  return shapeOf(op->getResult(0)).getNumElements() *
         (weights.getNumElements() / std::max<int64_t>(1, results));
}

std::vector<ProductChoice> driver::productsOf(mlir::ModuleOp module) {
  std::vector<ProductChoice> products;
  for (quantize::CodeProduct &product : quantize::codeProductsOf(
           module.lookupSymbol<mlir::func::FuncOp>("main"))) {
    if (product.entries.empty())
      continue;
    int64_t multiplications = 0;
    for (mlir::Operation *op : product.ops)
      multiplications += multiplicationsOf(op);
    products.push_back({product.entries.front(),
                        multiplications,
                        product.isFloatAmongCodes,
                        {product.entries.begin() + 1, product.entries.end()}});
  }
  return products;
}

const char *driver::stringifyKind(ProgramKind kind) {
  switch (kind) {
  case ProgramKind::Mix:
    return "mix";
  case ProgramKind::Int8:
    return "int8";
  case ProgramKind::Half:
    return "f16";
  }
  llvm_unreachable("covered switch");
}

bool AccuracyGoal::isMetBy(const MixedProgram &program) const {
  return (!cosine || program.accuracy.cosine() >= *cosine) &&
         (!sqnr || program.accuracy.sqnr() >= *sqnr) &&
         (!score || (program.score && *program.score >= *score));
}

AccuracyGoal AccuracyGoal::stricter() const {
  AccuracyGoal goal = *this;
  if (cosine)
    goal.cosine = 1 - (1 - *cosine) / 2;
  if (sqnr)
    goal.sqnr = *sqnr + 10 * std::log10(2);
  return goal;
}

std::vector<double> AccuracyGoal::errorsOf(const Accuracy &accuracy) const {
  // So that nothing becomes infinite, and a goal of 1 has an order, too.
  constexpr double kMost = 1e6, kLeast = 1e-9;
  std::vector<double> errors;
  for (const OutputAccuracy &output : accuracy.outputs) {
    // A small error has twice that of the cosine.
    double distance = output.logitErrorRatio ? *output.logitErrorRatio / 2
                                             : 1 - output.cosine;
    double error =
        sqnr ? output.steadyErrorRatio() / std::pow(10, -*sqnr / 10)
             : distance / std::max(kLeast, 1 - cosine.value_or(kUsualCosine));
    errors.push_back(std::min(kMost, std::max(0.0, error)));
  }
  return errors;
}

double AccuracyGoal::distanceOf(const Accuracy &accuracy) const {
  double sum = 0;
  for (double error : errorsOf(accuracy))
    sum += error * error;
  return sum;
}

/// `ratio` of all outputs together: each counts by its own power.
template <typename Ratio>
static double sumOf(Ratio ratio, const Accuracy &accuracy) {
  double error = 0;
  for (const OutputAccuracy &output : accuracy.outputs)
    error += std::invoke(ratio, output);
  return error;
}

static double errorOf(const Accuracy &accuracy) {
  return sumOf(&OutputAccuracy::errorRatio, accuracy);
}

static double steadyErrorOf(const Accuracy &accuracy) {
  return sumOf(&OutputAccuracy::steadyErrorRatio, accuracy);
}

/// Products by what their codes cost in accuracy, for each multiplication; the
/// smallest count as a hundredth of all, or they would all come first.
static void sortByWorth(const std::vector<ProductChoice> &products,
                        const std::vector<double> &errors,
                        std::vector<size_t> &order) {
  double all = 0;
  for (size_t i : order)
    all += double(products[i].products);
  auto worth = [&](size_t i) {
    return errors[i] / (double(products[i].products) + all / 100);
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return worth(a) > worth(b); });
}

/// The programs that no other beats in cycles and accuracy at once, by cycles,
/// and `chosen`; accurate is what has less error in all outputs together and in
/// the worst, or a higher score.
static std::vector<MixedProgram>
paretoOf(std::vector<const MixedProgram *> programs,
         const MixedProgram *chosen) {
  std::stable_sort(programs.begin(), programs.end(),
                   [](const MixedProgram *a, const MixedProgram *b) {
                     return std::pair(a->cycles, errorOf(a->accuracy)) <
                            std::pair(b->cycles, errorOf(b->accuracy));
                   });
  std::vector<MixedProgram> front;
  for (const MixedProgram *program : programs) {
    bool isBeaten =
        std::any_of(front.begin(), front.end(), [&](const MixedProgram &other) {
          return errorOf(other.accuracy) <= errorOf(program->accuracy) &&
                 other.accuracy.cosine() >= program->accuracy.cosine() &&
                 other.accuracy.sqnr() >= program->accuracy.sqnr() &&
                 (!program->score ||
                  (other.score && *other.score >= *program->score));
        });
    if (!isBeaten || program == chosen)
      front.push_back(*program);
  }
  return front;
}

/// Programs measured once products have an order: the halving of it, a few that
/// go back.
static constexpr size_t kLater = 16;

namespace {
/// What a search does, step by step.
class Steps {
public:
  explicit Steps(PrecisionSearch given)
      : search(std::move(given)), measurements(search),
        count(search.products.size()), least(count), amongCodes(count),
        cheapest(count) {
    for (size_t i = 0; i < count; ++i) {
      amongCodes[i] = search.products[i].isFloatAmongCodes;
      cheapest[i] = amongCodes[i] || (!search.cheaperAsFloats.empty() &&
                                      search.cheaperAsFloats[i]);
      least[i] = cheapest[i] && !search.mostFloats;
    }
  }

  Result<PrecisionSearch::Found> run();

private:
  Result<bool> isMet(const std::vector<bool> &isFloat);
  rt::Status measureEnds();
  rt::Status measureWholes();
  rt::Status reachGoal();
  rt::Status orderProducts();
  std::vector<bool> firstAsFloats(size_t number) const;
  rt::Status takeFewest();
  PrecisionSearch::Found finish() const;
  bool isAllowed(const MixedProgram &program) const {
    return !search.mostFloats ||
           isWithin(program.floatShare, *search.mostFloats);
  }

  PrecisionSearch search; ///< its goal may become stricter
  PrecisionMeasurements measurements;
  size_t count;
  std::vector<bool> least;      ///< the fewest floats
  std::vector<bool> amongCodes; ///< what int8 programs compute as floats
  std::vector<bool> cheapest;   ///< the fewest cycles
  const MixedProgram *codes = nullptr, *floats = nullptr, *half = nullptr;
  std::vector<const MixedProgram *> starts; ///< tried before any search
  std::vector<size_t> order; ///< products, most worth as floats first
};
} // namespace

Result<bool> Steps::isMet(const std::vector<bool> &isFloat) {
  Result<const MixedProgram *> program = measurements.of(isFloat, true);
  if (!program)
    return program.status();
  return search.goal.isMetBy(**program);
}

rt::Status Steps::measureEnds() {
  std::vector<bool> all(count, true);
  for (auto [isFloat, end] : {std::pair(&least, &codes), {&all, &floats}}) {
    Result<const MixedProgram *> program = measurements.of(*isFloat, true);
    if (!program)
      return program.status();
    *end = *program;
  }
  // If there is room within the bound, one of those that are chosen from.
  starts = {codes};
  for (const std::vector<bool> &isFloat : {amongCodes, cheapest}) {
    Result<const MixedProgram *> program = measurements.of(isFloat, false);
    if (program && isAllowed(**program))
      program = measurements.of(isFloat, true);
    if (!program)
      return program.status();
    starts.push_back(*program);
  }
  return measureWholes();
}

/// That of int8 is one to start from: another mix may take fewer cycles than
/// that of f16.
rt::Status Steps::measureWholes() {
  for (ProgramKind kind : search.wholes) {
    Result<const MixedProgram *> program = measurements.whole(kind, false);
    if (program && isAllowed(**program))
      program = measurements.whole(kind, true);
    if (!program)
      return program.status();
    if (kind == ProgramKind::Half)
      half = *program;
    else
      starts.push_back(*program);
  }
  return {};
}

/// By each product in 8 bits alone among floats.
rt::Status Steps::orderProducts() {
  std::vector<std::vector<bool>> alone;
  for (size_t i = 0; i < count; ++i)
    if (!least[i]) {
      order.push_back(i);
      alone.emplace_back(count, true)[i] = false;
    }
  WEFT_TRY(measurements.all(alone));
  std::vector<double> errors(count, 0);
  for (size_t i = 0; i < order.size(); ++i) {
    Result<const MixedProgram *> program = measurements.of(alone[i], false);
    if (!program)
      return program.status();
    errors[order[i]] = std::max(0.0, steadyErrorOf((*program)->accuracy) -
                                         steadyErrorOf(floats->accuracy));
  }
  sortByWorth(search.products, errors, order);
  return {};
}

std::vector<bool> Steps::firstAsFloats(size_t number) const {
  std::vector<bool> isFloat = least;
  for (size_t i = 0; i < number; ++i)
    isFloat[order[i]] = true;
  return isFloat;
}

/// Codes miss the goal. The fewest of the order that meet it, by halving, then
/// without the large ones that are not needed after all.
rt::Status Steps::takeFewest() {
  constexpr size_t kMostReturns = 8;
  if (!search.goal.isMetBy(*floats)) { // errors of some products may cancel
                                       // those of others
    for (size_t number = 1; number < order.size(); number *= 2)
      if (auto met = isMet(firstAsFloats(number)); !met)
        return met.status();
    return {};
  }
  size_t low = 0, high = order.size();
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    Result<bool> met = isMet(firstAsFloats(middle));
    if (!met)
      return met.status();
    (*met ? high : low) = middle;
  }
  std::vector<bool> chosen = firstAsFloats(high);
  std::vector<size_t> returns(order.begin(), order.begin() + high);
  std::stable_sort(returns.begin(), returns.end(), [&](size_t a, size_t b) {
    return search.products[a].products > search.products[b].products;
  });
  returns.resize(std::min(returns.size(), kMostReturns));
  for (size_t i : returns) {
    std::vector<bool> fewer = chosen;
    fewer[i] = false;
    Result<bool> met = isMet(fewer);
    if (!met)
      return met.status();
    if (*met)
      chosen = fewer;
  }
  return {};
}

/// Measures programs until one meets the goal, or none is left to try.
rt::Status Steps::reachGoal() {
  for (const MixedProgram *start : starts)
    if (search.goal.isMetBy(*start) && isAllowed(*start))
      return {};
  if (search.mostFloats) {
    BoundedPrecisions bounded(search, measurements);
    return isAllowed(*codes) ? bounded.run(*codes, *floats) : rt::Status();
  }
  if (order.empty()) {
    measurements.expect(count + kLater);
    WEFT_TRY(orderProducts());
  }
  return takeFewest();
}

Result<PrecisionSearch::Found> Steps::run() {
  constexpr int kMostRounds = 4;
  const AccuracyGoal goal = search.goal;
  measurements.expect(3 + search.wholes.size() + count + kLater);
  WEFT_TRY(measureEnds());
  PrecisionSearch::Found found;
  std::optional<MixedProgram> refused, first; // do not hold elsewhere
  for (int round = 0; round < kMostRounds; ++round) {
    WEFT_TRY(reachGoal());
    PrecisionSearch::Found next = finish();
    if (round > 0 && !next.chosen)
      break; // the program of the round before is the best there is
    found = std::move(next);
    if (!found.chosen)
      break;
    const MixedProgram &chosen = found.pareto[*found.chosen];
    bool reachesIt = found.isGoalMet;
    found.isGoalMet = goal.isMetBy(chosen);
    found.isGoalRaised = first && !chosen.isMadeAs(*first);
    if (!reachesIt || goal.score || !search.holdsElsewhere)
      break;
    if (!refused || !chosen.isMadeAs(*refused)) {
      Result<bool> holds = search.holdsElsewhere(chosen);
      if (!holds)
        return holds.status();
      if (*holds)
        break;
      refused = chosen;
      if (!first)
        first = chosen;
    }
    search.goal = search.goal.stricter();
  }
  return found;
}

PrecisionSearch::Found Steps::finish() const {
  std::vector<const MixedProgram *> every = measurements.everyProgram();
  const MixedProgram *chosen = nullptr;
  bool isGoalMet = false;
  auto isBetter = [&](const MixedProgram *program) {
    bool isMet = search.goal.isMetBy(*program);
    if (!isAllowed(*program) || (!isMet && !search.mostFloats))
      return false;
    if (!chosen || isMet != isGoalMet)
      return !chosen || isMet;
    double before = search.goal.distanceOf(chosen->accuracy),
           now = search.goal.distanceOf(program->accuracy);
    return isMet ? std::pair(program->cycles, now) <
                       std::pair(chosen->cycles, before)
                 : std::pair(now, program->cycles) <
                       std::pair(before, chosen->cycles);
  };
  for (const MixedProgram *program : every)
    if (isBetter(program)) {
      chosen = program;
      isGoalMet = search.goal.isMetBy(*program);
    }
  PrecisionSearch::Found found;
  found.isGoalMet = isGoalMet;
  found.floats = *floats;
  found.codes = *codes;
  if (half)
    found.half = *half;
  found.pareto = paretoOf(every, chosen);
  for (size_t i = 0; chosen && i < found.pareto.size(); ++i)
    if (found.pareto[i].isMadeAs(*chosen))
      found.chosen = i;
  return found;
}

Result<PrecisionSearch::Found> PrecisionSearch::run() const {
  return Steps(*this).run();
}

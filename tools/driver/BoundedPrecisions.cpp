//===- BoundedPrecisions.cpp - the best floats within a bound -------------===//

#include "tools/driver/BoundedPrecisions.h"

#include <algorithm>
#include <limits>
#include <numeric>

using namespace weft;
using namespace weft::driver;
using rt::Result;

/// Gains measured at once: more than the threads of a small machine, few enough
/// that most are needed. No part of the machine, or results would depend on it.
static constexpr size_t kBatch = 4;

static double squares(const std::vector<double> &errors) {
  double sum = 0;
  for (double error : errors)
    sum += std::max(0.0, error) * std::max(0.0, error);
  return sum;
}

static std::vector<double> difference(const std::vector<double> &a,
                                      const std::vector<double> &b) {
  std::vector<double> result(a.size());
  std::transform(a.begin(), a.end(), b.begin(), result.begin(),
                 std::minus<double>());
  return result;
}

BoundedPrecisions::BoundedPrecisions(const PrecisionSearch &search,
                                     PrecisionMeasurements &measurements)
    : search(search), measurements(measurements), count(search.products.size()),
      bound(*search.mostFloats), gains(count) {}

std::vector<bool> BoundedPrecisions::with(size_t product, bool isFloat) const {
  std::vector<bool> result = now->isFloat;
  result[product] = isFloat;
  return result;
}

double BoundedPrecisions::distanceWith(size_t product) const {
  return squares(difference(errors, gains[product].errors));
}

/// What a product gains for each multiplication; the smallest count as a tenth
/// of the bound, or they would all come first.
double BoundedPrecisions::worth(size_t product) const {
  return (squares(errors) - distanceWith(product)) /
         (std::max(0.0, gains[product].share) + bound / 10 + 1e-12);
}

bool BoundedPrecisions::fits(double share) const {
  return isWithin(now->floatShare + share, bound);
}

/// A score is asked for at the end only, as each answer may take minutes.
bool BoundedPrecisions::isMet() const {
  return !search.goal.score && search.goal.isMetBy(*now);
}

rt::Status BoundedPrecisions::moveTo(const std::vector<bool> &isFloat) {
  Result<const MixedProgram *> program = measurements.of(isFloat, false);
  if (!program)
    return program.status();
  now = *program;
  errors = search.goal.errorsOf(now->accuracy);
  for (Gain &gain : gains)
    gain.isFresh = false;
  return {};
}

rt::Status BoundedPrecisions::measureAlone(const MixedProgram &floats) {
  std::vector<std::vector<bool>> alone(count, floats.isFloat);
  for (size_t i = 0; i < count; ++i)
    alone[i][i] = false;
  WEFT_TRY(measurements.all(alone));
  std::vector<double> least = search.goal.errorsOf(floats.accuracy);
  for (size_t i = 0; i < count; ++i) {
    Result<const MixedProgram *> program = measurements.of(alone[i], false);
    if (!program)
      return program.status();
    gains[i] = {difference(search.goal.errorsOf((*program)->accuracy), least),
                floats.floatShare - (*program)->floatShare, false};
  }
  return {};
}

/// Floats in the order of what they save for their multiplications, as long as
/// they fit into `end`. Their errors are taken to add up.
BoundedPrecisions::Path
BoundedPrecisions::pathUpTo(double end, const MixedProgram &codes) const {
  std::vector<double> left(gains.empty() ? 0 : gains[0].errors.size(), 0);
  for (const Gain &gain : gains)
    for (size_t o = 0; o < left.size(); ++o)
      left[o] += std::max(0.0, gain.errors[o]);
  std::vector<bool> isFloat = codes.isFloat;
  double share = codes.floatShare;
  Path path = {isFloat};
  while (true) {
    std::optional<size_t> best;
    double most = 0;
    for (size_t i = 0; i < count; ++i) {
      if (isFloat[i] || !isWithin(share + gains[i].share, end))
        continue;
      double saved =
          (squares(left) - squares(difference(left, gains[i].errors))) /
          (std::max(0.0, gains[i].share) + bound / 10 + 1e-12);
      if (saved > most) {
        most = saved;
        best = i;
      }
    }
    if (!best)
      return path;
    isFloat[*best] = true;
    share += gains[*best].share;
    left = difference(left, gains[*best].errors);
    path.push_back(isFloat);
  }
}

/// The best of the ends of two paths and of depthwise floats alone. The machine
/// multiplies more for codes than for floats, so a share among floats is a
/// little larger than among codes: one path goes as far beyond the bound and is
/// cut when it is measured. The other may have room left.
rt::Status BoundedPrecisions::begin(const MixedProgram &codes) {
  std::vector<Path> paths;
  for (double end : {1.2 * bound, bound}) {
    paths.push_back(pathUpTo(end, codes));
    for (Path &tried = paths.back(); tried.size() > 1; tried.pop_back()) {
      Result<const MixedProgram *> last = measurements.of(tried.back(), false);
      if (!last)
        return last.status();
      if (isWithin((*last)->floatShare, bound))
        break;
    }
  }
  std::vector<std::vector<bool>> starts = {paths[0].back(), paths[1].back(),
                                           codes.isFloat};
  for (size_t i = 0; i < count; ++i)
    starts[2][i] = search.products[i].isFloatAmongCodes;
  WEFT_TRY(measurements.all(starts));
  const MixedProgram *best = &codes;
  path = paths[0];
  for (size_t i = 0; i < starts.size(); ++i) {
    Result<const MixedProgram *> program = measurements.of(starts[i], false);
    if (!program)
      return program.status();
    if (!isWithin((*program)->floatShare, bound) ||
        search.goal.distanceOf((*program)->accuracy) >=
            search.goal.distanceOf(best->accuracy))
      continue;
    best = *program;
    if (i < paths.size())
      path = paths[i];
  }
  return moveTo(best->isFloat);
}

rt::Status BoundedPrecisions::measureGains(const std::vector<size_t> &which) {
  std::vector<std::vector<bool>> wanted;
  for (size_t product : which)
    wanted.push_back(with(product, true));
  WEFT_TRY(measurements.all(wanted));
  for (size_t i = 0; i < which.size(); ++i) {
    Result<const MixedProgram *> program = measurements.of(wanted[i], false);
    if (!program)
      return program.status();
    gains[which[i]] = {
        difference(errors, search.goal.errorsOf((*program)->accuracy)),
        (*program)->floatShare - now->floatShare, true};
  }
  return {};
}

/// The next float; false if there is none that fits and gains.
Result<bool> BoundedPrecisions::takeOne() {
  while (true) {
    std::vector<size_t> order;
    for (size_t i = 0; i < count; ++i)
      if (!now->isFloat[i] && fits(gains[i].share) && worth(i) > 0)
        order.push_back(i);
    if (order.empty())
      return false;
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return worth(a) > worth(b); });
    if (gains[order.front()].isFresh) {
      WEFT_TRY(moveTo(with(order.front(), true)));
      return true;
    }
    order.erase(std::remove_if(order.begin(), order.end(),
                               [&](size_t i) { return gains[i].isFresh; }),
                order.end());
    order.resize(std::min(order.size(), kBatch));
    WEFT_TRY(measureGains(order));
  }
}

rt::Status BoundedPrecisions::fill() {
  while (!isMet()) {
    Result<bool> taken = takeOne();
    if (!taken)
      return taken.status();
    if (!*taken)
      break;
  }
  return {};
}

/// What each of the present floats gives up as a code.
Result<std::vector<BoundedPrecisions::Gain>>
BoundedPrecisions::losses(const std::vector<size_t> &leaving) {
  std::vector<std::vector<bool>> wanted;
  for (size_t product : leaving)
    wanted.push_back(with(product, false));
  WEFT_TRY(measurements.all(wanted));
  std::vector<Gain> result;
  for (const std::vector<bool> &isFloat : wanted) {
    Result<const MixedProgram *> program = measurements.of(isFloat, false);
    if (!program)
      return program.status();
    result.push_back(
        {difference(search.goal.errorsOf((*program)->accuracy), errors),
         now->floatShare - (*program)->floatShare, true});
  }
  return result;
}

/// Each float that leaves, alone or for one that then fits; and for each
/// product the floats that give up least for the room that it needs.
std::vector<BoundedPrecisions::Exchange>
BoundedPrecisions::exchanges(const std::vector<size_t> &leaving,
                             const std::vector<Gain> &losses) const {
  std::vector<Exchange> result;
  auto add = [&](const std::vector<size_t> &places, size_t coming) {
    std::vector<double> expected = errors;
    double room = 0;
    std::vector<size_t> products;
    for (size_t place : places) {
      for (size_t o = 0; o < expected.size(); ++o)
        expected[o] += losses[place].errors[o];
      room += losses[place].share;
      products.push_back(leaving[place]);
    }
    if (coming < count) {
      if (!fits(gains[coming].share - room))
        return false;
      expected = difference(expected, gains[coming].errors);
    }
    result.push_back({std::move(products), coming, squares(expected)});
    return true;
  };
  std::vector<size_t> cheapest(leaving.size());
  std::iota(cheapest.begin(), cheapest.end(), 0);
  auto cost = [&](size_t place) {
    std::vector<double> expected = errors;
    for (size_t o = 0; o < expected.size(); ++o)
      expected[o] += losses[place].errors[o];
    return (squares(expected) - squares(errors)) /
           std::max(1e-9, losses[place].share);
  };
  std::stable_sort(cheapest.begin(), cheapest.end(),
                   [&](size_t a, size_t b) { return cost(a) < cost(b); });
  for (size_t place = 0; place < leaving.size(); ++place)
    add({place}, count);
  for (size_t coming = 0; coming < count; ++coming) {
    if (now->isFloat[coming])
      continue;
    for (size_t place = 0; place < leaving.size(); ++place)
      add({place}, coming);
    std::vector<size_t> first;
    for (size_t place : cheapest) {
      first.push_back(place);
      if (add(first, coming))
        break;
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Exchange &a, const Exchange &b) {
                     return a.distance < b.distance;
                   });
  return result;
}

/// Makes the exchange that is best when measured, of the few that promise most;
/// false if none is better than what there is.
Result<bool> BoundedPrecisions::exchangeOne() {
  constexpr size_t kTried = 8;
  std::vector<size_t> leaving;
  for (size_t i = 0; i < count; ++i) // the others give no room
    if (now->isFloat[i] && gains[i].share > bound / 20)
      leaving.push_back(i);
  Result<std::vector<Gain>> given = losses(leaving);
  if (!given)
    return given.status();
  std::vector<std::vector<bool>> wanted;
  for (const Exchange &exchange : exchanges(leaving, *given)) {
    if (exchange.distance >= squares(errors) || wanted.size() == kTried)
      break;
    std::vector<bool> isFloat = now->isFloat;
    for (size_t product : exchange.leaving)
      isFloat[product] = false;
    if (exchange.coming < count)
      isFloat[exchange.coming] = true;
    if (std::find(wanted.begin(), wanted.end(), isFloat) == wanted.end())
      wanted.push_back(std::move(isFloat));
  }
  WEFT_TRY(measurements.all(wanted));
  double best = squares(errors);
  std::optional<size_t> chosen;
  for (size_t i = 0; i < wanted.size(); ++i) {
    Result<const MixedProgram *> program = measurements.of(wanted[i], false);
    if (!program)
      return program.status();
    double distance = search.goal.distanceOf((*program)->accuracy);
    if (isWithin((*program)->floatShare, bound) && distance < best) {
      best = distance;
      chosen = i;
    }
  }
  if (!chosen)
    return false;
  WEFT_TRY(moveTo(wanted[*chosen]));
  return true;
}

/// Once the goal is met, products that cost most cycles are codes again where
/// it stays met.
rt::Status BoundedPrecisions::returnUnneeded() {
  constexpr size_t kMostReturns = 8;
  std::vector<size_t> order;
  for (size_t i = 0; i < count; ++i)
    if (now->isFloat[i])
      order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return search.products[a].products > search.products[b].products;
  });
  order.resize(std::min(order.size(), kMostReturns));
  for (size_t product : order) {
    Result<const MixedProgram *> program =
        measurements.of(with(product, false), true);
    if (!program)
      return program.status();
    if (search.goal.isMetBy(**program))
      WEFT_TRY(moveTo((*program)->isFloat));
  }
  return {};
}

/// Of the path, which begins with codes that miss the goal, the first that
/// meets it, by halving; without what is not needed after all.
rt::Status BoundedPrecisions::takeFewest() {
  path.push_back(now->isFloat);
  auto isGood = [&](size_t step) -> Result<bool> {
    Result<const MixedProgram *> program = measurements.of(path[step], true);
    if (!program)
      return program.status();
    return search.goal.isMetBy(**program);
  };
  Result<bool> last = isGood(path.size() - 1);
  if (!last)
    return last.status();
  if (!*last)
    return {};
  size_t low = 0, high = path.size() - 1;
  while (high - low > 1) {
    size_t middle = low + (high - low) / 2;
    Result<bool> good = isGood(middle);
    if (!good)
      return good.status();
    (*good ? high : low) = middle;
  }
  WEFT_TRY(moveTo(path[high]));
  return returnUnneeded();
}

rt::Status BoundedPrecisions::run(const MixedProgram &codes,
                                  const MixedProgram &floats) {
  constexpr size_t kMostExchanges = 6;
  measurements.expect(count + 8 * kMostExchanges);
  now = &codes;
  WEFT_TRY(measureAlone(floats));
  WEFT_TRY(begin(codes));
  WEFT_TRY(fill());
  for (size_t i = 0; i < kMostExchanges && !isMet(); ++i) {
    Result<bool> exchanged = exchangeOne();
    if (!exchanged)
      return exchanged.status();
    if (!*exchanged)
      break;
    WEFT_TRY(fill());
  }
  return search.goal.score || isMet() ? takeFewest() : rt::Status::ok();
}

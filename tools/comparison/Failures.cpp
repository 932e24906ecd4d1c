#include "runtime/status/Format.h"
#include "tools/comparison/Metrics.h"

#include <cmath>

using namespace weft;
using namespace weft::comparison;
using rt::format;

/// Noise of neighbours is alike, so that it weighs more than the formulas say.
static constexpr double kErrors = 6;

double Line::surelyOff() const {
  return std::fabs(gain - 1) - kErrors * gainError;
}

double Line::surelyBiased() const {
  return std::fabs(bias) - kErrors * biasError;
}

namespace {
/// Collects what misses its limit.
class Failures {
public:
  explicit Failures(const Limits &limits) : limits(limits) {}

  /// "`what` is `figure``unit`, must be at least ..".
  void check(Limit limit, double figure, const std::string &what,
             const char *unit = "") {
    if (limits.keeps(limit, figure))
      return;
    texts.push_back(what + format(" is %.8g%s, must be at %s %.8g%s", figure,
                                  unit,
                                  rowOf(limit).isMinimum ? "least" : "most",
                                  limits[limit], unit));
  }
  void checkGain(Limit limit, const Line &line, const std::string &where) {
    if (!limits.keeps(limit, line.surelyOff()))
      texts.push_back(where + format("gain is %.6g, must be within %.6g of 1",
                                     line.gain, limits[limit]));
  }

  std::vector<std::string> texts;

private:
  const Limits &limits;
};
} // namespace

static std::string nameOf(const Slice &slice) {
  return format(
      "slice %lld of axis %lld: ", static_cast<long long>(slice.index),
      static_cast<long long>(slice.axis));
}

static void checkWhole(const Metrics &metrics, Failures &found) {
  found.check(Limit::Cosine, metrics.cosine, "cosine");
  found.check(Limit::Sqnr, metrics.sqnrDb, "sqnr", " dB");
  if (metrics.range > 0 && !metrics.isWhole)
    found.check(Limit::Spike, metrics.spike / metrics.range,
                "error of element " + std::to_string(metrics.maxErrorAt) +
                    " by the reference's range");
  if (!metrics.line)
    return;
  found.checkGain(Limit::Gain, *metrics.line, "");
  found.check(Limit::Bias, metrics.line->surelyBiased() / metrics.deviation,
              "bias by the reference's deviation");
}

static void checkSlices(const Metrics &metrics, Failures &found) {
  for (const Slice &slice : metrics.worstSlices)
    found.check(Limit::SliceSqnr, slice.sqnrDb, nameOf(slice) + "sqnr", " dB");
  for (const Slice &slice : metrics.worstGains)
    found.checkGain(Limit::SliceGain, *slice.line, nameOf(slice));
  for (const Slice &slice : metrics.worstBiases)
    found.check(Limit::SliceBias, slice.biasInDeviations(),
                nameOf(slice) + "bias by the reference's deviation");
  found.check(Limit::DeadSlices, metrics.deadSlices,
              format("share of slices of axis %lld that are constant and must "
                     "not be",
                     static_cast<long long>(metrics.deadAxis)));
}

std::vector<std::string> comparison::failures(const Metrics &metrics,
                                              const Limits &limits) {
  if (!metrics.problem.empty())
    return {metrics.problem};
  if (metrics.elements == 0)
    return {};
  Failures found(limits);
  if (metrics.unequal) {
    found.check(Limit::Unequal,
                double(*metrics.unequal) / double(metrics.elements),
                "share of unequal elements");
    return found.texts;
  }
  checkWhole(metrics, found);
  checkSlices(metrics, found);
  if (metrics.logSqnrDb)
    found.check(Limit::LogSqnr, *metrics.logSqnrDb,
                "sqnr of the logarithms of rows that add up to 1", " dB");
  if (metrics.shift)
    found.check(Limit::Shift, metrics.shift->factor,
                format("error by what it is if the result is moved by %lld "
                       "along axis %lld",
                       static_cast<long long>(metrics.shift->by),
                       static_cast<long long>(metrics.shift->axis)));
  return found.texts;
}

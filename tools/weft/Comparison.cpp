#include "tools/weft/Comparison.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

using namespace weft;
using namespace weft::cli;
using numeric::ElementType;
using numeric::elementTypeName;
using numeric::HostTensor;
using numeric::shapeText;

static ElementType npzType(ElementType type) {
  return type == ElementType::BF16 ? ElementType::F32 : type;
}

static std::string format(const char *pattern, double a, double b) {
  char text[128];
  std::snprintf(text, sizeof text, pattern, a, b);
  return text;
}

/// "element 5 is nan"; empty if all are finite.
static std::string notFinite(const char *side, const HostTensor &tensor) {
  for (int64_t i = 0; i < tensor.elements(); ++i)
    if (!std::isfinite(tensor.toDouble(i)))
      return "element " + std::to_string(i) + " of the " + side + " is " +
             (std::isnan(tensor.toDouble(i)) ? "nan" : "infinite");
  return "";
}

static std::string findProblem(const HostTensor &candidate,
                               const HostTensor &reference, bool anyType) {
  if (candidate.shape() != reference.shape())
    return "shape is " + shapeText(candidate.shape()) +
           ", the reference's is " + shapeText(reference.shape());
  if (!anyType && npzType(candidate.type()) != npzType(reference.type()))
    return std::string("type is ") + elementTypeName(candidate.type()) +
           ", the reference's is " + elementTypeName(reference.type());
  if (candidate.elements() == 0)
    return "there are no elements";
  std::string problem = notFinite("result", candidate);
  return problem.empty() ? notFinite("reference", reference) : problem;
}

Comparison cli::compareTensors(const HostTensor &candidate,
                               const HostTensor &reference, bool anyType) {
  Comparison result;
  result.problem = findProblem(candidate, reference, anyType);
  if (!result.problem.empty())
    return result;
  result.elements = candidate.elements();
  double dot = 0, candidateSquares = 0, referenceSquares = 0, errorSquares = 0;
  for (int64_t i = 0; i < result.elements; ++i) {
    double a = candidate.toDouble(i), b = reference.toDouble(i);
    double error = std::fabs(a - b);
    dot += a * b;
    candidateSquares += a * a;
    referenceSquares += b * b;
    errorSquares += error * error;
    result.maxError = std::max(result.maxError, error);
    result.meanError += error;
  }
  result.meanError /= double(result.elements);
  if (errorSquares == 0) {
    result.cosine = 1;
    result.sqnrDb = std::numeric_limits<double>::infinity();
    return result;
  }
  double lengths = std::sqrt(candidateSquares) * std::sqrt(referenceSquares);
  result.cosine = lengths == 0 ? 0 : dot / lengths;
  result.sqnrDb = referenceSquares == 0
                      ? -std::numeric_limits<double>::infinity()
                      : 10 * std::log10(referenceSquares / errorSquares);
  return result;
}

std::string cli::failureReason(const Comparison &comparison,
                               const Thresholds &thresholds) {
  if (!comparison.problem.empty())
    return comparison.problem;
  // Written so that a NaN fails.
  if (!(comparison.cosine >= thresholds.minCosine))
    return format("cosine is %.8g, must be at least %.8g", comparison.cosine,
                  thresholds.minCosine);
  if (thresholds.minSqnrDb && !(comparison.sqnrDb >= *thresholds.minSqnrDb))
    return format("sqnr is %.6g dB, must be at least %.6g dB",
                  comparison.sqnrDb, *thresholds.minSqnrDb);
  return "";
}

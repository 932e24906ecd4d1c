//===- Interpolation.cpp - which values make one of a resized axis --------===//

#include "frontend/onnx/Interpolation.h"

#include <algorithm>
#include <cmath>

using namespace weft::onnx;

/// The place in the input that output value `i` looks at.
static double placeOf(const Interpolation &how, const ResizedAxis &axis,
                      int64_t i) {
  double x = static_cast<double>(i), in = static_cast<double>(axis.input);
  double length = axis.scale * in; // ONNX's length_resized, not rounded
  if (how.coordinates == "align_corners")
    return length == 1 ? 0 : x * (in - 1) / (length - 1);
  if (how.coordinates == "asymmetric")
    return x / axis.scale;
  if (how.coordinates == "tf_crop_and_resize") {
    double span = (axis.roiEnd - axis.roiStart) * (in - 1);
    double start = axis.roiStart * (in - 1);
    return start + (length == 1 ? span / 2 : x * span / (length - 1));
  }
  if (how.coordinates == "tf_half_pixel_for_nn") // Resize-11 only
    return (x + 0.5) / axis.scale;
  if (how.coordinates == "pytorch_half_pixel" && length == 1)
    return -0.5;
  double place = (x + 0.5) / axis.scale - 0.5;
  if (how.coordinates == "half_pixel_symmetric")
    place += in / 2 * (1 - static_cast<double>(axis.output) / length);
  return place;
}

/// Keys' cubic kernel.
static double cubicKernel(double a, double distance) {
  double x = std::fabs(distance);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0.0;
}

/// Weights of the values from `start` on, counted from the one left of the
/// place; `ratio` in (0, 1] is the distance to that one.
static std::vector<double> kernelWeights(const Interpolation &how, double scale,
                                         double ratio, int64_t &start) {
  if (how.mode == "nearest") {
    start = 0;
    bool right = ratio == 1;
    if (how.rounding == "round_prefer_floor")
      right = ratio > 0.5;
    else if (how.rounding == "round_prefer_ceil")
      right = ratio >= 0.5;
    else if (how.rounding == "ceil")
      right = true;
    return {right ? 0.0 : 1.0, right ? 1.0 : 0.0};
  }
  bool cubic = how.mode == "cubic";
  // Shrinking with antialias stretches the kernel over the input.
  double stretch = how.antialias ? std::min(scale, 1.0) : 1.0;
  double radius = cubic ? 2 : 1;
  start = static_cast<int64_t>(std::floor(-radius / stretch)) + 1;
  std::vector<double> weights;
  double sum = 0;
  for (int64_t i = start; i < 2 - start; ++i) {
    double distance = stretch * (static_cast<double>(i) - ratio);
    double weight = cubic ? cubicKernel(how.cubicA, distance)
                          : std::max(0.0, 1 - std::fabs(distance));
    weights.push_back(weight);
    sum += weight;
  }
  if (how.antialias)
    for (double &weight : weights)
      weight /= sum;
  return weights;
}

std::vector<Taps> weft::onnx::interpolate(const Interpolation &how,
                                          const ResizedAxis &axis) {
  std::vector<Taps> result;
  double last = static_cast<double>(axis.input - 1);
  for (int64_t i = 0; i < axis.output; ++i) {
    double place = placeOf(how, axis, i);
    Taps &taps = result.emplace_back();
    if (how.coordinates == "tf_crop_and_resize" && (place < 0 || place > last))
      continue;
    // The value left of the place; a place on a value is right of it by 1.
    double left = std::ceil(place) - 1;
    int64_t start = 0;
    std::vector<double> weights =
        kernelWeights(how, axis.scale, place - left, start);
    double sum = 0, first = left + static_cast<double>(start);
    auto inside = [&](double index) { return index >= 0 && index <= last; };
    for (size_t k = 0; k < weights.size(); ++k)
      if (how.excludeOutside && !inside(first + static_cast<double>(k)))
        weights[k] = 0;
      else
        sum += weights[k];
    for (size_t k = 0; k < weights.size(); ++k) {
      double index = first + static_cast<double>(k);
      double weight = weights[k] / (how.excludeOutside && sum != 0 ? sum : 1);
      if (weight == 0)
        continue;
      auto at = static_cast<int64_t>(std::clamp(index, 0.0, last));
      if (!taps.empty() && taps.back().index == at)
        taps.back().weight += weight;
      else
        taps.push_back({at, weight});
    }
  }
  return result;
}

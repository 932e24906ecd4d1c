//===- NonMaxSuppression.cpp - boxes that do not overlap ------------------===//

#include "runtime/host/Kernels.h"
#include "runtime/numeric/TensorValues.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace weft;
using namespace weft::host;
using rt::Status;

namespace {
struct Box {
  double top, left, bottom, right;

  double area() const { return (bottom - top) * (right - left); }
};
} // namespace

/// Corners in any order, or centre and size.
static Box boxOf(const double *numbers, bool isCentre) {
  if (isCentre) {
    double x = numbers[0], y = numbers[1], w = numbers[2] / 2,
           h = numbers[3] / 2;
    return {y - h, x - w, y + h, x + w};
  }
  return {std::min(numbers[0], numbers[2]), std::min(numbers[1], numbers[3]),
          std::max(numbers[0], numbers[2]), std::max(numbers[1], numbers[3])};
}

/// Intersection over union.
static double overlap(const Box &a, const Box &b) {
  double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  double width = std::min(a.right, b.right) - std::max(a.left, b.left);
  if (height <= 0 || width <= 0)
    return 0;
  double common = height * width, both = a.area() + b.area() - common;
  return both > 0 ? common / both : 0;
}

/// The number in optional operand `index`.
static double numberOf(const Call &call, size_t index, double fallback) {
  return call.hasOperand(index) && call.operand(index).elements() > 0
             ? call.operand(index).toDouble(0)
             : fallback;
}

/// Operands: boxes N x B x 4, scores N x C x B, and one number each: most boxes
/// a class (0 by default), largest overlap (0), smallest score (none). Result:
/// rows of batch, class and box.
Status host::kernels::non_max_suppression(const Call &call,
                                          std::vector<HostTensor> &results) {
  const HostTensor &boxes = call.operand(0), &scores = call.operand(1);
  const Shape &b = boxes.shape(), &s = scores.shape();
  if (b.size() != 3 || s.size() != 3 || b[2] != 4 || b[0] != s[0] ||
      b[1] != s[2] || call.results[0].type != ElementType::I64)
    return call.fail("boxes of shape %s and scores of shape %s; they must be "
                     "N x B x 4 and N x C x B",
                     numeric::shapeText(b).c_str(),
                     numeric::shapeText(s).c_str());
  std::vector<double> boxNumbers = loadDoubles(boxes),
                      scoreNumbers = loadDoubles(scores);
  double most = numberOf(call, 2, 0), largest = numberOf(call, 3, 0);
  bool hasLeast = call.hasOperand(4),
       isCentre = call.attributes.flag("center_point_box");
  double least = numberOf(call, 4, 0);
  int64_t count = b[1];
  std::vector<int64_t> found, order(count);
  for (int64_t batch = 0; batch < s[0]; ++batch)
    for (int64_t group = 0; group < s[1]; ++group) {
      const double *score = &scoreNumbers[(batch * s[1] + group) * count];
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) {
        // A NaN comes last, so that the order is one.
        return score[x] > score[y] ||
               (std::isnan(score[y]) && !std::isnan(score[x]));
      });
      std::vector<Box> taken;
      for (int64_t i : order) {
        if (double(taken.size()) >= most || (hasLeast && !(score[i] > least)))
          break;
        Box box = boxOf(&boxNumbers[(batch * count + i) * 4], isCentre);
        bool free = std::all_of(taken.begin(), taken.end(), [&](const Box &o) {
          return overlap(o, box) <= largest;
        });
        if (!free)
          continue;
        taken.push_back(box);
        found.insert(found.end(), {batch, group, i});
      }
    }
  WEFT_TRY(call.addResult({int64_t(found.size()) / 3, 3}, results));
  std::copy(found.begin(), found.end(), results.back().as<int64_t>());
  return Status::ok();
}

//===- nms.cpp - boxes that no better box covers --------------------------===//
//
// kept [images, count]: 1 for the boxes that stay, else 0. boxes [images, 4,
// count], x1, y1, x2, y2 in falling order of their scores. From the best box
// on, a box that stays drops all later ones whose intersection with it is more
// than `threshold` of their union.
//
//===----------------------------------------------------------------------===//

#include "ppl.h"

#include <cmath>
#include <vector>

using namespace ppl;

namespace {
/// Boxes of up to 64 images, one image in a lane, so that all of them take
/// their steps together.
struct Boxes {
  tensor<float> x1, y1, x2, y2, area;
};
} // namespace

static tensor<float> loadSide(gtensor<float> &boxes, int image, int lanes,
                              int side, int count) {
  dim4 part = {1, lanes, 1, count};
  tensor<float> x(part);
  dma::load(x, boxes.sub_view(part, {0, image, side, 0}));
  return x;
}

/// max(0, min(high, that of box i) - max(low, that of box i)), of boxes from
/// i + 1 on.
static tensor<float> overlap(tensor<float> &low, tensor<float> &high, int i) {
  dim4 shape = low.getShape(), one = {1, shape.c, 1, 1},
       later = {1, shape.c, 1, shape.w - i - 1};
  dim4 box = {0, 0, 0, i}, next = {0, 0, 0, i + 1};
  tensor<float> from(later), to(later), length(later), some(later);
  tiu::fmax(from, low.sub_view(later, next), low.sub_view(one, box));
  tiu::fmin(to, high.sub_view(later, next), high.sub_view(one, box));
  tiu::fsub(length, to, from);
  tiu::fmax(some, length, 0.0f);
  return some;
}

/// Box i drops later ones, if it is there itself. Intersection > threshold *
/// union, without a quotient.
static void drop(Boxes &b, tensor<float> &kept, int i, float threshold) {
  dim4 shape = kept.getShape(), one = {1, shape.c, 1, 1},
       later = {1, shape.c, 1, shape.w - i - 1};
  dim4 box = {0, 0, 0, i}, next = {0, 0, 0, i + 1};
  auto width = overlap(b.x1, b.x2, i), height = overlap(b.y1, b.y2, i);
  tensor<float> common(later), both(later), all(later), bound(later),
      covered(later), dropped(later);
  tiu::fmul(common, width, height);
  tiu::fadd(both, b.area.sub_view(later, next), b.area.sub_view(one, box));
  tiu::fsub(all, both, common);
  tiu::fmul(bound, all, threshold);
  tiu::gt(covered, common, bound, 1.0f);
  tiu::fmul(dropped, covered, kept.sub_view(one, box));
  // 1 stays 1 only where nothing is dropped; 0 - 1 is no box either.
  tensor<float> rest(later);
  tiu::fsub(rest, kept.sub_view(later, next), dropped);
  tiu::fmax(kept.sub_view(later, next), rest, 0.0f);
}

__KERNEL__ void nms(float *kept, float *boxes, int images, int count,
                    float threshold) {
  assert(images >= 1 && count >= 1);
  gtensor<float> from({1, images, 4, count}, GLOBAL, boxes),
      to({1, images, 1, count}, GLOBAL, kept);
  for (int image = 0; image < images; image += LANE_NUM) {
    int lanes = min(LANE_NUM, images - image);
    dim4 shape = {1, lanes, 1, count};
    tensor<float> width(shape), height(shape), area(shape), stay(shape);
    Boxes b = {loadSide(from, image, lanes, 0, count),
               loadSide(from, image, lanes, 1, count),
               loadSide(from, image, lanes, 2, count),
               loadSide(from, image, lanes, 3, count), area};
    tiu::fsub(width, b.x2, b.x1);
    tiu::fsub(height, b.y2, b.y1);
    tiu::fmul(b.area, width, height);
    tiu::fill(stay, 1.0f);
    for (int i = 0; i + 1 < count; ++i)
      drop(b, stay, i, threshold);
    dma::store(to.sub_view(shape, {0, image, 0, 0}), stay);
  }
}

/// In fp32 and in the order of the kernel, so that nothing is tolerated.
static void check(int images, int count, float threshold) {
  dim4 shape = {1, images, 4, count}, result = {1, images, 1, count};
  float *kept = ppl::malloc<float>(&result),
        *boxes = ppl::rand<float>(&shape, 0.0, 1.0);
  for (int n = 0; n < images; ++n)
    for (int i = 0; i < count; ++i)
      for (int axis = 0; axis < 2; ++axis) {
        float *low = boxes + (n * 4 + axis) * count + i,
              *high = low + 2 * count;
        *high = *low + 0.05f + 0.3f * *high;
      }
  nms(kept, boxes, images, count, threshold);
  std::vector<float> wanted(images * count, 1.0f);
  for (int n = 0; n < images; ++n) {
    auto side = [&](int s, int i) { return boxes[(n * 4 + s) * count + i]; };
    auto area = [&](int i) {
      float w = side(2, i) - side(0, i), h = side(3, i) - side(1, i);
      return w * h;
    };
    for (int i = 0; i < count; ++i)
      for (int j = i + 1; j < count && wanted[n * count + i] == 1.0f; ++j) {
        float w = std::fmin(side(2, i), side(2, j)) -
                  std::fmax(side(0, i), side(0, j)),
              h = std::fmin(side(3, i), side(3, j)) -
                  std::fmax(side(1, i), side(1, j));
        float common = std::fmax(w, 0.0f) * std::fmax(h, 0.0f);
        float both = area(j) + area(i), all = both - common;
        float bound = all * threshold;
        if (common > bound)
          wanted[n * count + j] = 0.0f;
      }
  }
  expect(kept, &result, [&](int64_t i) { return wanted[i]; });
}

__TEST__ void nms_64x256() { check(64, 256, 0.45f); }
__TEST__ void nms_odd() { check(67, 77, 0.3f); }
__TEST__ void nms_one_image() { check(1, 300, 0.5f); }
__TEST__ void nms_one_box() { check(3, 1, 0.5f); }

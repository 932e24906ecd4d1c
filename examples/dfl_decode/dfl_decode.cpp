//===- dfl_decode.cpp - boxes of a detector, as an operator ---------------===//
//
// Detectors of the GFL kind (PicoDet, NanoDet, YOLOv8 ..) give for each anchor
// and side of its box a distribution over R distances instead of a number. This
// operator turns them into boxes on the chip:
//
//   boxes = DflDecode(distribution, centers) with the attribute `stride`
//
//   distribution  B x N x 4R   scores; the sides are left, top, right, bottom
//   centers       N x 2        x and y of the anchors, in pixels
//   boxes         B x N x 4    x and y of the upper left and lower right corner
//
//   distance[b, a, s] = stride * sum over r of r * softmax(distribution[b, a,
//   s, :])[r]; boxes = (x - left, y - top, x + right, y + bottom)
//
//===----------------------------------------------------------------------===//

#include "ppl/ppl.h"

#include "ppl/plugin.h"

#include <cmath>

using namespace ppl;

static void infer(Node &node) {
  NodeTensor scores = node.input(0), centers = node.input(1);
  if (scores.rank() != 3 || scores.size(2) % 4 != 0)
    node.fail("the distribution must be B x N x 4R; reshape it");
  if (centers.rank() != 2 || centers.size(0) != scores.size(1) ||
      centers.size(1) != 2)
    node.fail("the centers must be N x 2, the distribution has N = " +
              std::to_string(scores.size(1)) + " anchors");
  if (scores.size(2) / 4 > 64)
    node.fail("unsupported: R is " + std::to_string(scores.size(2) / 4) +
              ", at most 64");
  node.output(0).describe(scores.type(), {scores.size(0), scores.size(1), 4});
}

/// The distance of a side, in strides.
static double expectation(const float *scores, int64_t bins) {
  double highest = scores[0], sum = 0, weighted = 0;
  for (int64_t r = 1; r < bins; ++r)
    highest = std::max<double>(highest, scores[r]);
  for (int64_t r = 0; r < bins; ++r) {
    double power = std::exp(scores[r] - highest);
    sum += power;
    weighted += power * double(r);
  }
  return weighted / sum;
}

static void reference(Node &node) {
  NodeTensor scores = node.input(0), centers = node.input(1),
             boxes = node.output(0);
  int64_t anchors = scores.size(1), bins = scores.size(2) / 4;
  double stride = node.real("stride", 8);
  for (int64_t i = 0; i < boxes.elements(); ++i) {
    double distance =
        stride * expectation(scores.data<const float>() + i * bins, bins);
    double center = centers.data<const float>()[i / 4 % anchors * 2 + i % 2];
    boxes.data<float>()[i] =
        float(i % 4 < 2 ? center - distance : center + distance);
  }
}

namespace {
/// Anchors lie in the lanes: `rows` rows of up to LANES of them.
class Decoder {
public:
  Decoder(Node &node)
      : batch(int(node.input(0).size(0))), anchors(int(node.input(0).size(1))),
        bins(int(node.input(0).size(2) / 4)),
        stride(float(node.real("stride", 8))),
        scores(node.input(0).global<float>({batch, anchors, 4, bins})),
        centers(node.input(1).global<float>({1, anchors, 2, 1})),
        boxes(node.output(0).global<float>({batch, anchors, 4, 1})),
        numbers({1, lane_num(), 1, bins}) {
    tensor<int> counted({1, lane_num(), 1, bins});
    arange_broadcast(counted, lane_num(), 0, 1, bins);
    tiu::cast(numbers, counted, RM_HALF_TO_EVEN);
  }

  void run() {
    int lanes = lane_num(), whole = anchors / lanes;
    for (int image = 0; image < batch; ++image) {
      for (int row = 0; row < whole; row += kRows) {
        enable_pipeline();
        decode(image, row * lanes, min(kRows, whole - row), lanes);
      }
      if (anchors % lanes)
        decode(image, whole * lanes, 1, anchors % lanes);
    }
  }

private:
  /// Anchors [first, first + rows * lanes) of an image.
  void decode(int image, int first, int rows, int lanes) {
    dim4 wide{rows, lanes, 4, bins}, narrow{rows, lanes, 4, 1},
        pair{rows, lanes, 2, 1};
    auto x = make_tensor<float>({kRows, lane_num(), 4, bins}, wide);
    auto p = make_tensor<float>({kRows, lane_num(), 2, 1}, pair);
    dma::load(x,
              inRows(scores, {1, rows * lanes, 4, bins}, image, first, wide));
    dma::load(p, inRows(centers, {1, rows * lanes, 2, 1}, 0, first, pair));

    auto highest = make_tensor<float>({kRows, lane_num(), 4, 1}, narrow);
    auto sum = make_tensor<float>({kRows, lane_num(), 4, 1}, narrow);
    auto distance = make_tensor<float>({kRows, lane_num(), 4, 1}, narrow);
    auto power = make_tensor<float>({kRows, lane_num(), 4, bins}, wide);
    dim2 line{1, bins}, one{1, 1};
    padding_t none;
    tiu::fpool_max(highest, x, &line, &one, &one, &none);
    tiu::fsub(x, x, highest);
    tiu::fexp(power, x);
    tiu::fpool_avg(sum, power, &line, &one, &one, &none, 1.0f);
    tiu::fmul(power, power,
              numbers.sub_view({1, lanes, 1, bins}, {0, 0, 0, 0}));
    tiu::fpool_avg(distance, power, &line, &one, &one, &none, stride);
    tiu::fdiv(distance, distance, sum);

    auto box = make_tensor<float>({kRows, lane_num(), 4, 1}, narrow);
    dim4 low{0, 0, 0, 0}, high{0, 0, 2, 0};
    tiu::fsub(box.sub_view(pair, low), p, distance.sub_view(pair, low));
    tiu::fadd(box.sub_view(pair, high), p, distance.sub_view(pair, high));
    dma::store(inRows(boxes, {1, rows * lanes, 4, 1}, image, first, narrow),
               box);
  }

  /// A part of consecutive anchors, rows of lanes after each other.
  static gtensor<float> inRows(const gtensor<float> &all, const dim4 &part,
                               int image, int first, const dim4 &shape) {
    int each = part.h * part.w;
    return all.sub_view(part, {image, first, 0, 0})
        .view(shape, {shape.c * each, each, part.w, 1});
  }

  static constexpr int kRows = 16; ///< anchors of a lane in one block
  int batch, anchors, bins;
  float stride;
  gtensor<float> scores, centers, boxes;
  tensor<float> numbers; ///< 0, 1, .. R - 1 in every lane
};
} // namespace

static void kernel(Node &node) { Decoder(node).run(); }

// f32 alone: pixels of a page have more digits than f16. In a program of
// another precision Weft casts the scores, not the boxes.
PPL_OPERATOR("weft.examples", "DflDecode", infer, reference,
             PPL_KERNEL(float, kernel))

//===- RoiPool.cpp - host kernels of pools over regions -------------------===//
//
// RoiAlign takes as many samples as a region has pixels if it is not told how
// many, and MaxRoiPool a window of them: sizes that only the data knows.
//
//===----------------------------------------------------------------------===//

#include "runtime/host/Kernels.h"
#include "runtime/numeric/TensorValues.h"

#include <algorithm>
#include <cmath>

using namespace weft;
using namespace weft::host;
using rt::Status;

namespace {
/// Sizes and numbers that both kernels have.
struct RoiPool {
  int64_t images = 0, channels = 0, high = 0, wide = 0; ///< of the input
  int64_t regions = 0, rows = 0, columns = 0;           ///< of the result
  double scale = 1;
  std::vector<double> input, regionValues;

  const double *plane(int64_t image, int64_t channel) const {
    return &input[(image * channels + channel) * high * wide];
  }
};
} // namespace

/// `perRegion` values describe a region.
static Status readPool(const Call &call, int64_t perRegion, RoiPool &pool) {
  const Shape &input = call.operand(0).shape(), &rois = call.operand(1).shape();
  if (input.size() != 4 || rois.size() != 2 || rois[1] != perRegion)
    return call.fail("needs an input of rank 4 and regions of %lld values",
                     static_cast<long long>(perRegion));
  if (!numeric::isFloatType(call.operand(0).type()) ||
      !numeric::isFloatType(call.operand(1).type()) ||
      call.results[0].type != call.operand(0).type())
    return call.fail("needs floats and gives the input's type");
  pool.images = input[0];
  pool.channels = input[1];
  pool.high = input[2];
  pool.wide = input[3];
  pool.regions = rois[0];
  pool.rows = call.attributes.integer("output_height");
  pool.columns = call.attributes.integer("output_width");
  pool.scale = call.attributes.number("spatial_scale", 1);
  constexpr int64_t kMost = 1 << 16;
  if (pool.rows < 1 || pool.rows > kMost || pool.columns < 1 ||
      pool.columns > kMost || pool.high < 1 || pool.wide < 1)
    return call.fail(
        "has a result of %lld x %lld for an image of %lld x %lld",
        static_cast<long long>(pool.rows), static_cast<long long>(pool.columns),
        static_cast<long long>(pool.high), static_cast<long long>(pool.wide));
  pool.input = numeric::loadDoubles(call.operand(0));
  pool.regionValues = numeric::loadDoubles(call.operand(1));
  for (double value : pool.regionValues)
    if (!(std::fabs(value * pool.scale) < 0x1p30))
      return call.fail("a region has the value %g; it must be below 2^30",
                       value);
  return Status::ok();
}

static Status checkImage(const Call &call, double image, int64_t images) {
  if (image >= 0 && image < double(images))
    return Status::ok();
  return call.fail("a region names image %g of %lld", image,
                   static_cast<long long>(images));
}

namespace {
/// One axis of one region of RoiAlign.
struct AlignedAxis {
  double start, bin;
  int64_t samples;
};
} // namespace

/// The image at (y, x) between its pixels: the sum, or the largest, of the four
/// weighted pixels around; 0 more than a pixel outside (ONNX RoiAlign-16).
static double valueAt(const double *plane, int64_t high, int64_t wide, double y,
                      double x, bool largest) {
  if (y < -1 || y > double(high) || x < -1 || x > double(wide))
    return 0;
  y = std::clamp(y, 0.0, double(high - 1));
  x = std::clamp(x, 0.0, double(wide - 1));
  auto top = int64_t(y), left = int64_t(x);
  int64_t bottom = std::min(top + 1, high - 1);
  int64_t right = std::min(left + 1, wide - 1);
  double v = y - double(top), u = x - double(left);
  double parts[] = {(1 - v) * (1 - u) * plane[top * wide + left],
                    (1 - v) * u * plane[top * wide + right],
                    v * (1 - u) * plane[bottom * wide + left],
                    v * u * plane[bottom * wide + right]};
  return largest ? *std::max_element(parts, parts + 4)
                 : parts[0] + parts[1] + parts[2] + parts[3];
}

static double alignedBin(const RoiPool &pool, const double *plane,
                         const AlignedAxis &y, const AlignedAxis &x,
                         int64_t row, int64_t column, bool largest) {
  double value = 0;
  for (int64_t i = 0; i < y.samples; ++i)
    for (int64_t k = 0; k < x.samples; ++k) {
      double sample = valueAt(
          plane, pool.high, pool.wide,
          y.start +
              y.bin * (double(row) + (double(i) + 0.5) / double(y.samples)),
          x.start +
              x.bin * (double(column) + (double(k) + 0.5) / double(x.samples)),
          largest);
      if (!largest)
        value += sample;
      else
        value = i || k ? std::max(value, sample) : sample;
    }
  return largest ? value
                 : value / double(std::max<int64_t>(y.samples * x.samples, 1));
}

Status host::kernels::roi_align(const Call &call,
                                std::vector<HostTensor> &results) {
  RoiPool pool;
  WEFT_TRY(readPool(call, 4, pool));
  if (call.operand(2).shape() != Shape{pool.regions})
    return call.fail("needs one image number a region");
  bool half = call.attributes.flag("half_pixel");
  bool largest = call.attributes.text("mode") == "max";
  int64_t ratio = call.attributes.integer("sampling_ratio");
  if (ratio < 0 || ratio > 1024)
    return call.fail("sampling_ratio is %lld", static_cast<long long>(ratio));
  WEFT_TRY(call.addResult(
      {pool.regions, pool.channels, pool.rows, pool.columns}, results));
  std::vector<double> images = numeric::loadDoubles(call.operand(2)), values;
  for (int64_t region = 0; region < pool.regions; ++region) {
    WEFT_TRY(checkImage(call, images[region], pool.images));
    const double *box = &pool.regionValues[region * 4];
    auto axis = [&](int number, int64_t bins) {
      double start = box[number] * pool.scale - (half ? 0.5 : 0.0);
      double length = (box[number + 2] - box[number]) * pool.scale;
      if (!half) // malformed regions become 1 x 1
        length = std::max(length, 1.0);
      double bin = length / double(bins);
      return AlignedAxis{start, bin, ratio ? ratio : int64_t(std::ceil(bin))};
    };
    AlignedAxis y = axis(1, pool.rows), x = axis(0, pool.columns);
    if (y.samples > 1 << 14 || x.samples > 1 << 14)
      return call.fail("a bin has %lld x %lld samples; give a sampling_ratio",
                       static_cast<long long>(y.samples),
                       static_cast<long long>(x.samples));
    for (int64_t channel = 0; channel < pool.channels; ++channel)
      for (int64_t row = 0; row < pool.rows; ++row)
        for (int64_t column = 0; column < pool.columns; ++column)
          values.push_back(
              alignedBin(pool, pool.plane(int64_t(images[region]), channel), y,
                         x, row, column, largest));
  }
  numeric::storeDoubles(values, results.back());
  return Status::ok();
}

/// The pixels [begin, end) of bin `number` of `bins` of a region from `first`
/// to `last`, inside an axis of `size`.
static void binRange(int64_t first, int64_t last, int64_t number, int64_t bins,
                     int64_t size, int64_t &begin, int64_t &end) {
  double bin = double(std::max<int64_t>(last - first + 1, 1)) / double(bins);
  begin = int64_t(std::floor(double(number) * bin)) + first;
  end = int64_t(std::ceil(double(number + 1) * bin)) + first;
  begin = std::clamp<int64_t>(begin, 0, size);
  end = std::clamp<int64_t>(end, 0, size);
}

Status host::kernels::max_roi_pool(const Call &call,
                                   std::vector<HostTensor> &results) {
  RoiPool pool;
  WEFT_TRY(readPool(call, 5, pool));
  WEFT_TRY(call.addResult(
      {pool.regions, pool.channels, pool.rows, pool.columns}, results));
  std::vector<double> values;
  for (int64_t region = 0; region < pool.regions; ++region) {
    const double *box = &pool.regionValues[region * 5];
    WEFT_TRY(checkImage(call, box[0], pool.images));
    int64_t corner[4];
    for (int i = 0; i < 4; ++i)
      corner[i] = int64_t(std::round(box[i + 1] * pool.scale));
    for (int64_t channel = 0; channel < pool.channels; ++channel) {
      const double *plane = pool.plane(int64_t(box[0]), channel);
      for (int64_t row = 0; row < pool.rows; ++row)
        for (int64_t column = 0; column < pool.columns; ++column) {
          int64_t top, bottom, left, right;
          binRange(corner[1], corner[3], row, pool.rows, pool.high, top,
                   bottom);
          binRange(corner[0], corner[2], column, pool.columns, pool.wide, left,
                   right);
          bool empty = top >= bottom || left >= right; // then 0
          double value = empty ? 0 : plane[top * pool.wide + left];
          for (int64_t y = top; y < bottom; ++y)
            for (int64_t x = left; x < right; ++x)
              value = std::max(value, plane[y * pool.wide + x]);
          values.push_back(value);
        }
    }
  }
  numeric::storeDoubles(values, results.back());
  return Status::ok();
}

//===- Resample.h - bilinear interpolation ----------------------*- C++ -*-===//

#ifndef WEFT_TOOLS_PREPROCESS_RESAMPLE_H
#define WEFT_TOOLS_PREPROCESS_RESAMPLE_H

#include "tools/preprocess/Preprocess.h"

namespace weft::preprocess {

/// Longest side of what is resized to: positions and weights fit 64 bits.
constexpr int64_t kMaxSide = int64_t(1) << 24;

/// The part `window` of `image` resized to `whole`. Pixel x of a row of
/// whole.width lies at (x + 0.5) * image.width / whole.width - 0.5 of the image
/// (half-pixel centres), held inside it; its code is the linear interpolation
/// of the two pixels beside it, in x and in y, rounded half up. Two
/// pixels a direction are read however much the image shrinks: no antialiasing,
/// as in OpenCV's INTER_LINEAR (whose weights have 11 bits, so that it may
/// differ by a code) and ONNX's Resize (linear, half_pixel), unlike Pillow.
/// Computed in integers, so it is exact. `window` lies inside `whole`, whose
/// sides are at most kMaxSide.
images::Image resample(const images::Image &image, const Size &whole,
                       const Rectangle &window);

} // namespace weft::preprocess

#endif // WEFT_TOOLS_PREPROCESS_RESAMPLE_H

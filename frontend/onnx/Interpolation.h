//===- Interpolation.h - which values make one of a resized axis -*- C++
//-*-===//
//
// Resize works axis by axis: every value of the result is a weighted sum of a
// few values of the input, at places that only the attributes decide. Plain
// arithmetic, written after the definition of Resize-19 (and of the reference
// implementation where the text leaves a choice).
//
//===----------------------------------------------------------------------===//

#ifndef WEFT_FRONTEND_ONNX_INTERPOLATION_H
#define WEFT_FRONTEND_ONNX_INTERPOLATION_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::onnx {

/// The attributes of Resize that say how, in ONNX's words.
struct Interpolation {
  std::string mode = "nearest";           ///< nearest, linear or cubic
  std::string coordinates = "half_pixel"; ///< coordinate_transformation_mode
  std::string rounding = "round_prefer_floor"; ///< nearest_mode
  double cubicA = -0.75;
  bool antialias = false;
  bool excludeOutside = false;
};

/// One resized axis. `scale` is output / input as the node gives it, which need
/// not be the quotient of the sizes.
struct ResizedAxis {
  int64_t input = 1, output = 1;
  double scale = 1;
  double roiStart = 0, roiEnd = 1; ///< of tf_crop_and_resize
};

/// An input value with its weight.
struct Tap {
  int64_t index;
  double weight;
};

/// The taps of one output value; none where tf_crop_and_resize looks outside
/// the input.
using Taps = std::vector<Tap>;

/// The taps of every value of the resized axis; indices are inside the input
/// and ascend, weights of one index are added up and not 0.
std::vector<Taps> interpolate(const Interpolation &how,
                              const ResizedAxis &axis);

} // namespace weft::onnx

#endif // WEFT_FRONTEND_ONNX_INTERPOLATION_H

//===- WideProducts.h - which small products stay in f32 --------*- C++ -*-===//

#ifndef WEFT_PASSES_QUANTIZE_WIDEPRODUCTS_H
#define WEFT_PASSES_QUANTIZE_WIDEPRODUCTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstdint>

namespace weft::top {
class ConvOp;
}

namespace weft::quantize {

/// One filter a channel, which the machine has an own unit for.
bool isDepthwise(top::ConvOp op);

/// Whether `value`, images of one pixel, becomes factors or summands of the
/// channels of larger images, at most 9 ops on (squeeze and excitation).
bool spreadsOverImages(mlir::Value value);

/// Whether `op` is the mean of numbers with the probabilities that a softmax
/// along the channels gives, as detectors find the sides of boxes.
bool isExpectation(top::ConvOp op);

/// Whether an int8 program computes `op` as a float: depthwise, where codes
/// gain no time and one scale for channels of all ranges costs much; a gate,
/// whose error all pixels of a channel have alike; or an expectation, which is
/// no product for the cube.
bool isFloatAmongCodes(top::ConvOp op);

/// Multiplications of a product whose `weights` give `channels` channels of so
/// many pixels, those of idle lanes included: what it takes in time.
int64_t laneProducts(int64_t pixels, int64_t weights, int64_t channels,
                     int64_t lanes);

/// Products with constant weights that stay in f32 in a 16-bit program.
struct WideLimits {
  int64_t weights = 0;  ///< of one product, at most
  int64_t products = 0; ///< multiplications of one, at most
  /// Of all together, at most; a sixteenth of the network's if that is more.
  int64_t total = 0;
  int64_t lanes = 1; ///< that share channels: see laneProducts
};

/// `limits.products`, or the largest smaller number with which those of `func`,
/// of the top dialect, keep to `limits.total`: products of one size stay wide
/// together or not at all.
int64_t mostWideProducts(mlir::func::FuncOp func, const WideLimits &limits);

/// Of depthwise convolutions, which the machine adds up in the type that it
/// multiplies, the multiplications up to which one of `func` is f32 in a
/// program of 16-bit floats: as many of the smaller ones as take `total`
/// together. Beside codes (`isInt8`) all or none: what one of them loses is
/// little there, and casts between the two cost more.
int64_t mostWideDepthwise(mlir::func::FuncOp func, int64_t total, bool isInt8);

} // namespace weft::quantize

#endif // WEFT_PASSES_QUANTIZE_WIDEPRODUCTS_H

//===- ConvPatches.h - windows of images as a matrix ------------*- C++ -*-===//

#ifndef WEFT_PASSES_ZHOUYI_CONVPATCHES_H
#define WEFT_PASSES_ZHOUYI_CONVPATCHES_H

#include "dialects/tpu/Conv.h"
#include "passes/zhouyi/Patches.h"

namespace weft::zhouyi {

/// Sizes of a convolution.
struct ConvShape {
  explicit ConvShape(tpu::ConvOp op);

  int64_t images, groups, inPerGroup, outPerGroup, out;
  int64_t inHeight, inWidth, outHeight, outWidth, kernelHeight, kernelWidth;
  int64_t strides[2], pads[2], dilations[2]; ///< pads: top and left

  int64_t taps() const { return kernelHeight * kernelWidth; }
  int64_t pixels() const { return outHeight * outWidth; }
};

/// The patch matrix of one image and group. k counts the elements of a window:
/// taps outside, channels inside. Words hold `perWord` elements of k.
///   lanes are pixels:   [word][pixel, up to a multiple of 8][k of the word]
///   lanes are channels: [pixel][k]
class ConvPatches {
public:
  ConvPatches(tpu::ConvOp op, int64_t perWord);

  ConvShape shape;
  bool lanesAreChannels; ///< too few pixels to fill a register
  int64_t words;         ///< of k
  mlir::Value source;    ///< the image
  mlir::Value pointer;   ///< the matrix
  int64_t filler = 0;    ///< what lies outside the image

  /// k of a tap and a channel of the group.
  int64_t place(int64_t tap, int64_t channel) const {
    return tap * perTap + channel;
  }
  /// Elements from a word of k to the next.
  int64_t wordStep() const {
    return lanesAreChannels ? perWord : columns * perWord;
  }
  int64_t bytes(mlir::Type element) const {
    return words * perWord * (lanesAreChannels ? shape.pixels() : columns) *
           (element.getIntOrFloatBitWidth() / 8);
  }

  /// Sets what no window covers, if there is any.
  void fill(Code &code) const;
  /// Copies the windows of an image and group.
  void gather(Code &code, mlir::Value image, mlir::Value group) const;

private:
  void gatherTap(Code &code, mlir::Value base, int64_t ky, int64_t kx) const;
  void copy(Code &code, mlir::Value base, int64_t channel,
            llvm::ArrayRef<int64_t> counts, llvm::ArrayRef<int64_t> from,
            llvm::ArrayRef<int64_t> to, int64_t ky, int64_t kx) const;

  int64_t perWord;
  int64_t perTap;  ///< k of a tap; a multiple of perWord for many channels
  int64_t columns; ///< pixels, up to a multiple of 8
};

} // namespace weft::zhouyi

#endif // WEFT_PASSES_ZHOUYI_CONVPATCHES_H
